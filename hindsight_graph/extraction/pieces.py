"""A text becomes pieces of at most one statement each: Markdown blocks, sentences, and long sentences cut at clause borders."""

import re
from typing import Literal, NamedTuple

from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.text.language import split_sentences
from hindsight_graph.text.lazy import LazyPattern

Form = Literal["sentence", "heading", "item", "row", "code"]


class Piece(NamedTuple):
    """One statement's worth of text.

    Attributes:
        text: The source's words, white space collapsed, at most 200 characters.
        start, end: Where in the source it stands.
        form: What it was in the source.
        forced: It was cut where no border was: inside a run of characters longer than a statement may be.
    """

    text: str
    start: int
    end: int
    form: Form = "sentence"
    forced: bool = False


class _Block(NamedTuple):
    start: int
    end: int
    form: Form
    text: str | None = None
    """What is said instead of the source's characters: a table row with its header's words."""


_FENCE = LazyPattern(r"[ \t]{0,3}(```+|~~~+)")
_HEADING = LazyPattern(r"[ \t]{0,3}#{1,6}[ \t]+")
_HEADING_TAIL = LazyPattern(r"[ \t]+#+[ \t]*$")
_ITEM = LazyPattern(r"[ \t]*(?:(?:[-*+•·‣▪]|\d{1,3}[.)]|[(（]\d{1,3}[)）])[ \t]+|\d{1,3}、[ \t]*)(?:\[[ xX]\][ \t]+)?")
_QUOTE = LazyPattern(r"[ \t]{0,3}(?:>[ \t]?)+")
_RULE = LazyPattern(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_ROW = LazyPattern(r"[ \t]*\|.*\|[ \t]*$")
_ROW_RULE = LazyPattern(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*$")
_LINE = LazyPattern(r"[^\n]*\n?")
_WRAPPED_WIDTH = 55
"""A line shorter than this was ended on purpose; a longer one without an end mark was wrapped."""
_HAS_MEANING = LazyPattern(r"[^\W_]|[^\x00-\x7f]")


def cut_pieces(text: str) -> list[Piece]:
    """Return the pieces of `text` in order; every character but white space and Markdown marks is in one. Linear time."""
    pieces: list[Piece] = []
    for block in _BlockReader(text).read():
        if block.text is not None:
            _add(pieces, block.text, block.start, block.end, block.form)
        elif block.form in {"code", "heading"}:
            _add(pieces, text[block.start : block.end], block.start, block.end, block.form)
        else:
            part = text[block.start : block.end]
            for span in split_sentences(part):
                _add(pieces, part[span.start : span.end], block.start + span.start, block.start + span.end, block.form)
    return pieces


def _add(pieces: list[Piece], raw: str, start: int, end: int, form: Form) -> None:
    text = raw if raw.isprintable() and "  " not in raw else " ".join(raw.split())
    text = text.replace("**", "").strip() if "**" in text else text.strip()
    if not text or not _HAS_MEANING.search(text):
        return
    if len(text) <= SUMMARY_LIMIT:
        pieces.append(Piece(text, start, end, form))
        return
    exact = end - start == len(text)
    for cut in split_long(text):
        at, to = (start + cut.start, start + cut.end) if exact else (start, end)
        pieces.append(Piece(cut.head + text[cut.start : cut.end], at, to, form, cut.forced))


class _BlockReader:
    """Groups the lines of a text; one paragraph or list item may be open, and one table or code fence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks: list[_Block] = []
        self._open: _Block | None = None
        self._last_line = ""
        self._fence = ""
        self._header: list[str] = []
        self._header_block: _Block | None = None

    def read(self) -> list[_Block]:
        """Return the blocks in order."""
        for match in _LINE.finditer(self._text):
            line = match.group().rstrip()
            if self._fence:
                self._code(line, match.start())
            else:
                self._line(line, match.start())
        self._close()
        self._end_table()
        return self._blocks

    def _line(self, line: str, start: int) -> None:
        plain = line[:1].isalpha()
        if self._header_block is not None and (plain or not _ROW.match(line)):
            self._end_table()
        if not line or (not plain and _RULE.match(line)):
            self._close()
            return
        quote = None if plain else _QUOTE.match(line)
        if quote is not None:
            self._close()
            start, line = start + quote.end(), line[quote.end() :]
        if plain or not self._marked(line, start):
            self._prose(line, start, quoted=quote is not None)

    def _marked(self, line: str, start: int) -> bool:
        """Take a line that Markdown marks as a fence, heading, table row or list item."""
        fence = _FENCE.match(line)
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        if fence is not None:
            self._close()
            self._fence = fence.group(1)
        elif heading is not None:
            self._close()
            tail = _HEADING_TAIL.search(line)
            self._blocks.append(_Block(start + heading.end(), start + (tail.start() if tail else len(line)), "heading"))
        elif _ROW.match(line):
            self._close()
            self._row(line, start)
        elif item is not None and item.end() < len(line):
            self._close()
            self._open = _Block(start + item.end(), start + len(line), "item")
            self._last_line = line
        else:
            return False
        return True

    def _prose(self, line: str, start: int, *, quoted: bool) -> None:
        before, end = self._open, start + len(line)
        indented = before is not None and before.form == "item" and line.startswith(("  ", "\t"))
        if before is not None and not quoted and (indented or _goes_on(self._last_line, line)):
            self._open = before._replace(end=end)
        else:
            self._close()
            self._open = _Block(start, end, "sentence")
        self._last_line = line

    def _row(self, line: str, start: int) -> None:
        if _ROW_RULE.match(line):
            return
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        block = _Block(start, start + len(line), "row", _row_text(self._header, cells))
        if self._header_block is None:
            self._header = cells
            self._header_block = block._replace(text=" | ".join(cell for cell in cells if cell))
        else:
            self._blocks.append(block)

    def _code(self, line: str, start: int) -> None:
        """Lines of code share a block while they fit."""
        if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""
            return
        last, end = self._blocks[-1] if self._blocks else None, start + len(line)
        between = self._text[last.end : start].strip() if last is not None and last.form == "code" else "none"
        if last is not None and not between and end - last.start <= SUMMARY_LIMIT:
            self._blocks[-1] = last._replace(end=end)
        elif line.strip():
            self._blocks.append(_Block(start, end, "code"))

    def _close(self) -> None:
        if self._open is not None:
            self._blocks.append(self._open)
            self._open = None

    def _end_table(self) -> None:
        """A table without rows is its header alone."""
        if self._header_block is not None and not any(block.form == "row" for block in self._blocks[-1:]):
            self._blocks.append(self._header_block)
        self._header_block = None


def _row_text(header: list[str], cells: list[str]) -> str:
    if len(header) != len(cells):
        return " | ".join(cell for cell in cells if cell)
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True) if cell)


def _goes_on(before: str, line: str) -> bool:
    """Whether a line continues the one before: wrapped prose, or a lower-case start after a line without an end."""
    first = line.lstrip()[:1]
    last = before.rstrip()[-1:]
    if last in ".!?。！？;；:：…":
        return last in ".!?。！？" and len(before) >= _WRAPPED_WIDTH  # the sentence cutter decides
    return first.islower() or last in ",，、(（" or len(before) >= _WRAPPED_WIDTH


_CLAUSE_WORDS = (
    "and|but|so|because|while|whereas|although|though|if|when|unless|until|which|who|then|or|since|after|before|therefore|however"
)
_BORDER = LazyPattern(
    rf"""(?P<strong>[;；。！？]+\s*|[.!?]+\s+)
    |(?P<clause>,\s*(?=(?:{_CLAUSE_WORDS})\b)|[,，]\s*(?=但|所以|因此|而且|并且|然后|如果|因为|否则|同时|不过))
    |(?P<comma>[,，]\s*(?!\d)|[:：]\s+|\s[-–—]+\s|[、：])
    |(?P<word>\s+(?=(?:{_CLAUSE_WORDS}|that|with|for|from|in|on|to)\b))
    |(?P<space>\s+)""",
    re.VERBOSE,
)
_VALUE = {"strong": 1.0, "clause": 0.8, "comma": 0.5, "word": 0.25, "space": 0.1}
_NEGATION = LazyPattern(r"\b(?:not|never|no|without|neither|nor|cannot|avoid)\b|n['’]t\b|[不没别未勿无]|禁止|严禁", re.IGNORECASE)
_CORRECTION = LazyPattern(
    r"\s*(?:(?:but|instead|use|rather|only|except|unless|and\s+(?:not|never))\b|而|改用|请用|应该|只|除了|除非)", re.IGNORECASE
)


class Cut(NamedTuple):
    """One part of a long sentence: characters [start, end), and the words that must be repeated before it.

    Attributes:
        head: Empty, or "Do not use … " when a negation in an earlier part governs this one.
        forced: It ends inside a run of characters without a border.
    """

    start: int
    end: int
    head: str = ""
    forced: bool = False


def split_long(text: str, limit: int = SUMMARY_LIMIT) -> list[Cut]:
    """Return parts that cover `text`, each (with its head) at most `limit` characters, cut at the best clause border in reach.

    A border inside a negation's own clause, or just before what corrects it ("do not X, use Y"), is taken only when there is
    no other; where a negation governs a long list, its words are repeated. A run without any border is cut by length.
    """
    cuts: list[Cut] = []
    start, head = 0, ""
    while len(text) - start > limit - len(head):
        cut, forced = _best_cut(text, start, limit - len(head))
        cuts.append(Cut(start, start + len(text[start:cut].rstrip()), head, forced))
        head = "" if forced else _open_negation(text, start, cut, head)
        start = cut
        while start < len(text) and text[start].isspace():
            start += 1
    if start < len(text):
        cuts.append(Cut(start, len(text), head))
    return cuts


def _best_cut(text: str, start: int, limit: int) -> tuple[int, bool]:
    window = text[start : start + limit + 1]
    borders = [
        (_VALUE[match.lastgroup or "space"] * (0.3 + match.end() / limit), match)
        for match in _BORDER.finditer(window, limit // 8)
        if len(window[: match.end()].rstrip()) <= limit
    ]
    borders.sort(key=lambda border: border[0], reverse=True)
    negated = _NEGATION.search(window) is not None
    best, best_score = 0, 0.0
    for score, match in borders:
        if score <= best_score:
            break
        worth = score * _negation_factor(text, start, window, match) if negated else score
        if worth > best_score:
            best, best_score = match.end(), worth
    if best:
        return start + best, False
    cut = start + limit
    while cut > start + limit // 2 and ("\u0300" <= text[cut] <= "\u036f" or text[cut] in "\u200d\ufe0f"):
        cut -= 1
    return cut, True


def _negation_factor(text: str, start: int, window: str, match: re.Match[str]) -> float:
    if match.lastgroup == "strong":
        return 1.0
    clause = re.split(r"[,，;；.。!！?？]", window[max(0, match.start() - 70) : match.start()])[-1]
    if _NEGATION.search(clause) is None:
        return 1.0
    if match.lastgroup in {"word", "space"} or _CORRECTION.match(text, start + match.end()):
        return 0.02
    return 0.3


_HEAD = LazyPattern(
    r"[^;；。]{0,40}?(?:\b(?:do|does|did|must|should|can|will|may)\s*(?:not|n['’]t)\s+\w+(?:\s+any\s+of)?|"
    r"\bnever\s+\w+|\bcannot\s+\w+"
    r"|\bavoid\b|不要(?:使用|用)?|禁止(?:使用)?|严禁(?:使用)?|不得(?:使用)?|不能(?:使用|用)?|别用?)",
    re.IGNORECASE,
)
_OWN_VERB = LazyPattern(
    r"\b(?:is|are|was|were|be|has|have|had|do|does|did|can|will|would|should|must|may|use|uses|used|runs?|needs?|"
    r"makes?|\w+ed)\b|[是用有要会能]",
    re.IGNORECASE,
)


def _open_negation(text: str, start: int, cut: int, head: str) -> str:
    """Return what to repeat before the text at `cut` when a negation before it still governs it, else nothing."""
    if _OWN_VERB.search(text, cut, cut + 60):
        return ""
    part = re.split(r"[;；。!！?？]|\.\s", text[start:cut])
    if len(part) > 1:
        head = ""
    match = _HEAD.match(part[-1].lstrip())
    return f"{match.group()} … " if match else head
