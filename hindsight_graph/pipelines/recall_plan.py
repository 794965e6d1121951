"""The plan of a recall: what the question's words are, which known things it names, what it asks of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.query import Filter, View
from hindsight_graph.models.recall import RecallQuery
from hindsight_graph.ranking.intent import asked_relations
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, Read, a_read, ask
from hindsight_graph.text.names import normal_name
from hindsight_graph.text.tokens import CJK, STOP_WORDS, is_cjk

__all__ = ["Anchor", "find_anchors", "make_filter", "name_spans"]

_UNIT = re.compile(f"[{CJK}]|[^\\W_{CJK}]+(?:[._\\-/:@#+'’]+[^\\W_{CJK}]+)*(?:\\+\\+|#)?")
_GAP = re.compile(r"[ \t_\-·]*")
_LONGEST_NAME = 8
"""Words or CJK characters of a name looked up in a question."""
_LOOKED_AT = 120
"""Units of a question that are looked at for names; a longer one is a text, not a question."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A known thing that the question names: where in the question, and what is asked of it (nothing: only association)."""

    name: str
    entity_id: str
    start: int
    asked: Mapping[EdgeType, Direction]


def name_spans(question: str) -> list[tuple[int, int, str]]:
    """Return (start, end, normal form) of every stretch of the question that could be a name, the longest first."""
    units = list(_UNIT.finditer(question))[:_LOOKED_AT]
    spans: list[tuple[int, int, str]] = []
    for first, unit in enumerate(units):
        if unit.group().lower() in STOP_WORDS:
            continue
        for last in range(first, min(first + _LONGEST_NAME, len(units))):
            if last > first and not _GAP.fullmatch(question, units[last - 1].end(), units[last].start()):
                break
            start, end = unit.start(), units[last].end()
            if units[last].group().lower() in STOP_WORDS or (end - start == 1 and is_cjk(question[start])):
                continue
            try:
                spans.append((start, end, normal_name(question[start:end])))
            except ValueError:
                continue
    return sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def find_anchors(question: str) -> tuple[Read[dict[str, Entity]] | None, Callable[[Mapping[str, Entity]], tuple[Anchor, ...]]]:
    """Return the read of what the question may name, None when it names nothing, and what makes anchors of its value.

    The anchors are the entities that the question names, in its order; of overlapping names the longest counts.
    """
    spans = name_spans(question)
    normals = tuple(dict.fromkeys(normal for _, _, normal in spans))
    return a_read(Store.find_entities, normals) if normals else None, partial(_anchors, question, spans)


def _anchors(question: str, spans: Sequence[tuple[int, int, str]], known: Mapping[str, Entity]) -> tuple[Anchor, ...]:
    taken: list[tuple[int, int, Entity]] = []
    for start, end, normal in spans:
        entity = known.get(normal)
        if entity is not None and all(end <= other_start or start >= other_end for other_start, other_end, _ in taken):
            taken.append((start, end, entity))
    anchors: dict[str, Anchor] = {}
    for start, _, entity in sorted(taken, key=lambda item: item[0]):
        asked = asked_relations(question, start)
        anchors.setdefault(entity.canonical_id, Anchor(entity.name, entity.canonical_id, start, asked))
    return tuple(anchors.values())


def make_filter(query: RecallQuery, view: View) -> Program[tuple[Filter | None, str]]:
    """Return the filter of a query; None with the reason when nothing can match it (an entity that does not exist)."""
    entity_ids: tuple[str, ...] = ()
    if query.entities is not None:
        known = yield from ask(a_read(Store.find_entities, _normals(query.entities)))
        entity_ids = tuple(dict.fromkeys(entity.canonical_id for entity in known.values()))
        if not entity_ids:
            return None, f"no entity is named {' or '.join(repr(name) for name in query.entities)}"
    where = Filter(
        view=view,
        kinds=query.kinds or (),
        entity_ids=entity_ids,
        tags=query.tags or (),
        session_id=query.session_id,
        since=query.since,
        until=query.until,
        task_type=query.task_type,
        outcome=query.outcome,
        tool=query.tool,
        error_code=query.error_code,
        media_type=query.media_type,
    )
    return where, ""


def _normals(names: Sequence[str]) -> tuple[str, ...]:
    normals: list[str] = []
    for name in names:
        try:
            normals.append(normal_name(name))
        except ValueError:
            continue
    return tuple(dict.fromkeys(normals))
