"""Prompt-ready context (promise R-09): results as a Markdown list inside a tag that no memory can close.

What a memory says is data. Before it goes into a prompt, line breaks become spaces (no new items or headings), angle brackets of
every width become entities (no tag), invisible characters go, and the tag's own name is broken up.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from hindsight_graph.learning.precedents import Precedent
from hindsight_graph.learning.standing import standing_of
from hindsight_graph.models.result import Answer, Conflict, Hit
from hindsight_graph.text.tokens import estimate_tokens

__all__ = ["CLOSE", "OPEN", "format_memory_context", "quote"]

OPEN, CLOSE = "<memory_context>", "</memory_context>"

_OPENING = "<＜﹤‹〈〈⟨❮❰⧼≺˂ᐸ"
_CLOSING = ">＞﹥›〉〉⟩❯❱⧽≻˃ᐳ"
_BRACKETS = str.maketrans(
    dict.fromkeys(_OPENING, "&lt;") | dict.fromkeys(_CLOSING, "&gt;") | {"*": "\\*", "＊": "\\*", "﹡": "\\*", "`": "\\`"}
)
_ENTITY = re.compile(r"&(?=\s*(?:#|[a-zA-Z]))")
_TAG_NAME = re.compile(r"m[\W_]*e[\W_]*m[\W_]*o[\W_]*r[\W_]*y[\W_]*c[\W_]*o[\W_]*n[\W_]*t[\W_]*e[\W_]*x[\W_]*t", re.IGNORECASE)
_INVISIBLE = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
"""Letters and marks that show nothing."""


def _visible(text: str) -> str:
    return "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or not (unicodedata.category(character) in _INVISIBLE or character in _FILLERS)
    )


def quote(text: str) -> str:
    """Return `text` as one harmless line: no line break, tag, emphasis, invisible character, or name of the context's tag."""
    if not (text.isascii() and text.isprintable()):
        text = _visible(text)
        if _TAG_NAME.search(unicodedata.normalize("NFKC", text)):
            text = unicodedata.normalize("NFKC", text)
    text = _TAG_NAME.sub("memory context", text)
    return " ".join(_ENTITY.sub("&amp;", text).translate(_BRACKETS).split())


def _line(hit: Hit) -> str:
    memory = hit.memory
    parts = [f"- **{memory.kind.value}** ({memory.valid_from:%Y-%m-%d})"]
    if memory.status.value != "active":
        parts.append(f" [{memory.status.value}]")
    parts.append(f": {quote(memory.summary)}")
    told = [f"**{name}**: {quote(text)}" for name, text in standing_of(memory).items()]
    if hit.path is not None and len(hit.path.hops) > 1:
        told.append(f"**path**: {' → '.join(quote(name) for name in hit.path.nodes)}")
    if told:
        parts.append(f" ({'; '.join(told)})")
    return "".join(parts)


def _conflict(conflict: Conflict, summaries: dict[str, str]) -> str | None:
    first, second = summaries.get(conflict.preferred), summaries.get(conflict.other)
    if first is None or second is None:
        return None
    return f"- **conflict**: prefer “{quote(first)}” over “{quote(second)}” ({quote(conflict.reason)})"


def _lines(hits: Sequence[Hit], conflicts: Iterable[Conflict]) -> Iterable[str]:
    summaries = {hit.memory.id: hit.memory.summary for hit in hits}
    noticed: set[tuple[str, str]] = set()
    pairs = list(conflicts)
    seen: set[str] = set()
    for hit in hits:
        yield _line(hit)
        seen.add(hit.memory.id)
        for conflict in pairs:
            key = (conflict.preferred, conflict.other)
            if key not in noticed and seen.issuperset(key) and (line := _conflict(conflict, summaries)) is not None:
                noticed.add(key)
                yield line


def format_memory_context(
    results: Answer | Iterable[Hit], max_tokens: int | None = None, *, precedents: Iterable[Precedent] = ()
) -> str:
    """Return results as a compact Markdown list with bold keys between `<memory_context>` and `</memory_context>`.

    Each line has kind, date and summary; of a strategy when it applies, its support, version and priority; of an experience its
    outcome; and the path where the graph brought it over more than one hop. A conflict notice follows the second of the two.
    Nothing in a memory can close or open the tag, or begin an item or heading of its own.

    Args:
        results: An answer, or hits in their order.
        max_tokens: Estimated tokens of the whole text at most; lines that do not fit are left out, from the end, and counted
            in a last line.
        precedents: What was tried in tasks like this one; a line each, after the others.

    Raises:
        ValueError: `max_tokens` has no room for the empty frame.
    """
    hits = results.results if isinstance(results, Answer) else tuple(results)
    conflicts = results.conflicts if isinstance(results, Answer) else ()
    lines = [*_lines(hits, conflicts), *(f"- **tried**: {quote(item.text)}" for item in precedents)]
    kept = lines
    if max_tokens is not None:
        frame = estimate_tokens(f"{OPEN}\n{CLOSE}")
        if max_tokens < frame:
            raise ValueError(f"max_tokens {max_tokens} has no room for the tag, which takes {frame}")
        while kept and estimate_tokens(_text(kept, len(lines))) > max_tokens:
            kept = kept[:-1]
        if not kept and lines and estimate_tokens(_text(kept, len(lines))) > max_tokens:
            return f"{OPEN}\n{CLOSE}"
    return _text(kept, len(lines))


def _text(kept: Sequence[str], total: int) -> str:
    left = total - len(kept)
    rest = [f"- **left out**: {left}"] if left else []
    return "\n".join((OPEN, *kept, *rest, CLOSE))
