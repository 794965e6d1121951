"""Answers in words and as data: the same facts twice, since some clients show a model only the one and some only the other.

The words are one line per memory. What a memory says is data: `quote` keeps it on its line.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hindsight_graph.models.memory import Memory
    from hindsight_graph.models.result import Conflict, GraphPath, Hit

Data = dict[str, Any]
FRAME_TOKENS = 120
"""Kept free for what stands around the rows: the head line, notices, the cursor."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Attributes:
        text: In words. data: the same as JSON.
    """

    text: str
    data: Data


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in an answer, in words and as data."""

    line: str
    data: Data = field(default_factory=dict[str, Any])

    @property
    def tokens(self) -> int:
        """Estimated tokens of the longer of the two forms."""
        from hindsight_graph.text.tokens import estimate_tokens  # noqa: PLC0415 - reads the stemmer, which a listing needs not

        return max(estimate_tokens(self.line), estimate_tokens(compact(self.data))) + 1


def compact(data: object) -> str:
    """Return data as JSON without blanks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def fit(rows: Sequence[Row], max_tokens: int) -> int:
    """Return how many rows, from the first, fit into an answer; at least one, so that a cursor always moves on."""
    spent = FRAME_TOKENS
    for count, row in enumerate(rows):
        spent += row.tokens
        if spent > max_tokens and count:
            return count
    return len(rows)


def quoted(text: str) -> str:
    """Return a memory's text as one harmless line."""
    from hindsight_graph.pipelines.context import quote  # noqa: PLC0415 - reads the engine's models, which a listing needs not

    return quote(text)


def moment(at: datetime) -> str:
    """Return a moment as short as it can be said: a date when it is midnight."""
    if not (at.hour or at.minute or at.second):
        return f"{at:%Y-%m-%d}"
    return f"{at:%Y-%m-%dT%H:%MZ}" if not at.second else f"{at:%Y-%m-%dT%H:%M:%SZ}"


def number(value: float) -> float:
    """Return a score to three places."""
    return round(float(value), 3)


def memory_data(memory: "Memory") -> Data:
    """Return what an agent needs of a memory; empty fields are left out."""
    from hindsight_graph.learning.standing import standing_of  # noqa: PLC0415 - reads the engine's models

    data: Data = {
        "id": memory.id,
        "kind": memory.kind.value,
        "summary": memory.summary,
        "timestamp": moment(memory.valid_from),
        "confidence": number(memory.confidence),
    }
    optional: Data = {
        "entities": list(memory.entity_names),
        "tags": list(memory.tags),
        "status": "" if memory.status.value == "active" else memory.status.value,
        "valid_to": moment(memory.valid_to) if memory.valid_to else "",
        "session_id": memory.session_id,
        "task_type": memory.task_type,
        "outcome": memory.outcome.value if memory.outcome else "",
        "tools": list(memory.tools),
        "error_code": memory.error_code,
        "evidence": list(memory.raw_refs[:5]),
        "agent_id": memory.agent_id,
        **standing_of(memory),
    }
    return data | {name: value for name, value in optional.items() if value}


def memory_line(data: Mapping[str, Any], extra: Sequence[str] = ()) -> str:
    """Return a memory, as `memory_data` gives it, on one line; `extra` is what we say ourselves, and goes in as it is."""
    score = f" {data['score']:.3f}" if "score" in data else ""
    status = f" [{data['status']}]" if "status" in data else ""
    until = f" to {data['valid_to']}" if "valid_to" in data else ""
    parts = [f"id {data['id']}"]
    lists = ("entities", "tags", "tools", "evidence")
    parts += [f"{name} {', '.join(map(str, data[name]))}" for name in lists if data.get(name)]
    words = ("session_id", "task_type", "outcome", "error_code", "agent_id", "when", "support", "version", "priority")
    parts += [f"{name} {data[name]}" for name in words if data.get(name)]
    details = "; ".join((quoted("; ".join(parts)), f"confidence {data['confidence']:g}", *extra))
    return f"- {data['kind']}{score}{status} ({data['timestamp']}{until}) {quoted(data['summary'])} [{details}]"


def memory_row(memory: "Memory") -> Row:
    """Return a memory as a row."""
    data = memory_data(memory)
    return Row(memory_line(data), data)


def hit_row(hit: "Hit", *, explain: bool) -> Row:
    """Return a result as a row: with how it was found, and with every part of its score when asked for."""
    data = memory_data(hit.memory)
    data |= {"score": number(hit.score), "found_by": list(hit.sources)}
    extra = [f"found by {'+'.join(hit.sources)}"]
    if hit.path is not None and hit.path.hops:
        data["path"] = path_text(hit.path)
        extra.append(f"path {path_text(hit.path, quoted)}")
    if explain:
        parts = {
            name: {
                "raw": number(part.raw),
                "value": number(part.value),
                "weight": number(part.weight),
                "contribution": number(part.contribution),
            }
            for name, part in hit.components.items()
        }
        data["components"] = parts
        extra += [
            f"{name} raw {part['raw']:g} value {part['value']:g} x weight {part['weight']:g} = {part['contribution']:g}"
            for name, part in parts.items()
        ]
    return Row(memory_line(data, extra), data)


def path_text(path: "GraphPath", form: Callable[[str], str] = str) -> str:
    """Return a path as `A -DEPENDS_ON→ B ←CAUSES- C`, its names in the given form."""
    words = [form(path.nodes[0])]
    for hop, node in zip(path.hops, path.nodes[1:], strict=True):
        words += [f"←{hop.relation.value}-" if hop.against else f"-{hop.relation.value}→", form(node)]
    return " ".join(words)


def conflict_row(conflict: "Conflict") -> Row:
    """Return a conflict notice as a row."""
    data = {"preferred": conflict.preferred, "other": conflict.other, "reason": conflict.reason}
    return Row(f"conflict: {conflict.preferred} goes before {conflict.other}: {quoted(conflict.reason)}", data)


def notices(*, degraded: bool = False, reasons: Sequence[str] = (), truncated: bool = False, cursor: str | None = None) -> Row:
    """Return what an answer says about itself: lines in words, keys as data; nothing when there is nothing to say."""
    data: Data = {}
    lines: list[str] = []
    if degraded:
        data["degraded"] = True
        lines.append("degraded: some of the memory could not be searched in time")
    if reasons:
        data["reasons"] = list(reasons)
        lines += [f"note: {quoted(reason)}" for reason in reasons]
    if truncated:
        data["truncated"] = True
        more = f'there is more: repeat the call with cursor "{cursor}"' if cursor else "there is more: narrow the question"
        lines.append(more)
    if cursor:
        data["cursor"] = cursor
    return Row("\n".join(lines), data)


def assemble(head: str, rows: Sequence[Row], key: str, *others: Row, **data: Any) -> Reply:
    """Return the answer: a head line, the rows, then what else is to be said.

    Args:
        head: First line of the words.
        rows: The things.
        key: Their name in the data.
        others: Rows whose data is merged into the answer's own.
        data: More keys.
    """
    lines = [head, *(row.line for row in rows), *(row.line for row in others if row.line)]
    merged: Data = {key: [row.data for row in rows], **data}
    for row in others:
        merged |= row.data
    return Reply("\n".join(lines), merged)


def plural(count: int, word: str, words: str = "") -> str:
    """Return `1 memory`, `2 memories`."""
    return f"{count} {word if count == 1 else words or word + 's'}"
