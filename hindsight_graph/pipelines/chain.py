"""Chains: whole paths through what memories state, each hop with its source.

"What does X depend on", "what breaks if X changes", "why did X happen", "what connects X and Y", "are there cycles".
Only edges that are current in the view asked about, visible to the scope and at or above the trust floor exist here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from hindsight_graph.clock import Clock
from hindsight_graph.errors import InputError, NotFoundError, StoreStalledError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, MentionRole, RelationType
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import MAX_HOPS, Scope, View
from hindsight_graph.models.record import StoredPath, StoredPaths
from hindsight_graph.models.result import Chains, GraphPath, Hop
from hindsight_graph.models.write import relation_type
from hindsight_graph.pipelines.cycles import shortest_cycles
from hindsight_graph.pipelines.entities import Entities, is_id
from hindsight_graph.pipelines.hops import describe_paths, read_legend
from hindsight_graph.pipelines.walk import Step, mixed_paths
from hindsight_graph.stores.base import Store

IMPACT_STEPS = (
    Step((RelationType.DEPENDS_ON, RelationType.USES), Direction.IN),
    Step((RelationType.CAUSES, RelationType.PRODUCES, RelationType.PART_OF), Direction.OUT),
)
"""How a change spreads (promise G-03): to what depends on or uses the thing, what it causes or produces, what it is part of."""
MAX_PATHS = 1_000
"""Paths in one answer at most."""
_BEYOND = MAX_HOPS + 2
"""Edges read at the end of a path to see whether it goes on: more than the nodes on it, so that one leads to another thing."""
_FAN_OUT = 200
_ENTITY_PAGE = 1_000
_MAX_CYCLE_NODES = 500_000


@dataclass(frozen=True)
class _Place:
    """Where a walk begins or ends: what to call it, and its canonical node ids."""

    title: str
    ids: tuple[str, ...]


class Chain:
    """Answers chain questions; reads only.

    Args:
        store: Where the edges are.
        entities: Says which thing a name means.
        clock: The time of a call.
        trust_floor: Edges below it do not exist, 0..1.
    """

    def __init__(self, store: Store, entities: Entities, clock: Clock, trust_floor: float) -> None:
        self._store = store
        self._entities = entities
        self._clock = clock
        self._trust_floor = trust_floor

    async def chain(
        self,
        scope: Scope,
        start: str,
        *,
        end: str | None = None,
        direction: Direction | str = Direction.OUT,
        relations: Iterable[str] | None = None,
        max_hops: int = 4,
        limit: int = 50,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Chains:
        """Return whole paths from `start`, or between `start` and `end`; best score first.

        Args:
            scope: Who asks.
            start: An entity's name, alias or id; or a memory's id, then the things it is about are the starts.
            end: The same; the paths then run from start to end.
            direction: `out` along the arrows (what `start` depends on), `in` against them, `both`.
            relations: Relation types in any case, "depends on" too; absent or empty means all.
            max_hops: 1..6.
            limit: Paths, 1..1000.
            as_of: Event time asked about; now when absent.
            known_at: Record time asked about; now when absent.

        Returns:
            Without an end, maximal paths: each ends where nothing leads on, at `max_hops`, or where it closes a cycle.

        Raises:
            InputError: An argument is out of range, a relation unknown, a time without zone, or start and end are one thing.
            NotFoundError: There is no such entity or memory.
        """
        types, way = _relation_types(relations), _direction(direction)
        view = self._view(max_hops, limit, as_of, known_at)
        origin = await self._place(scope, start)
        goal = None if end is None else await self._place(scope, end)
        if goal is not None and not set(origin.ids).isdisjoint(goal.ids):
            raise InputError(
                f"{start!r} and {end!r} are the same thing, {origin.title!r}", hint="name two things, or ask for cycles"
            )
        targets = None if goal is None else goal.ids
        found = await self._store.paths(scope, origin.ids, targets, types or tuple(RelationType), way, max_hops, limit, view)
        answer = await self._answer(scope, origin, goal, way, types, max_hops, found, ())
        try:
            notes = () if found.paths else await self._why_empty(scope, origin, goal, [Step(types, way)], max_hops, view)
            if goal is None and await self._goes_on(scope, found, [Step(types, way)], max_hops, view):
                notes = (*notes, f"paths go on beyond {max_hops} hops")
                return answer.model_copy(update={"truncated": True, "notes": notes})
        except StoreStalledError as error:
            return answer.model_copy(update={"truncated": True, "degraded": True, "notes": (str(error),)})
        return answer.model_copy(update={"notes": notes})

    async def _goes_on(self, scope: Scope, found: StoredPaths, steps: Sequence[Step], max_hops: int, view: View) -> bool:
        """Whether a path that ends at the bound has an edge to a thing that is not on it yet."""
        longest = {path.nodes[-1]: path.nodes for path in found.paths if len(path.edges) == max_hops and not path.closes_cycle}
        for step in steps if longest else ():
            types = step.types or tuple(RelationType)
            page = await self._store.edges_of(scope, tuple(longest), types, step.direction, _BEYOND, view)
            for edge in page.edges:
                for node, other in (
                    (edge.source_canonical, edge.target_canonical),
                    (edge.target_canonical, edge.source_canonical),
                ):
                    leads = step.direction is Direction.BOTH or (node == edge.source_canonical) == (
                        step.direction is Direction.OUT
                    )
                    if leads and node in longest and other not in longest[node]:
                        return True
        return False

    async def impact(
        self,
        scope: Scope,
        name: str,
        *,
        max_hops: int = 4,
        limit: int = 50,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Chains:
        """What is affected if this changes: against DEPENDS_ON and USES, along CAUSES, PRODUCES and PART_OF.

        Arguments, order and errors as in `chain`; the direction is `both`, and each hop says whether it goes against its arrow.
        """
        view = self._view(max_hops, limit, as_of, known_at)
        origin = await self._place(scope, name)
        found = await mixed_paths(self._store, scope, origin.ids, IMPACT_STEPS, max_hops, limit, view)
        notes = () if found.paths else await self._why_empty(scope, origin, None, IMPACT_STEPS, max_hops, view)
        types = tuple(kind for step in IMPACT_STEPS for kind in step.types)
        answer = await self._answer(scope, origin, None, Direction.BOTH, types, max_hops, found, notes)
        return answer.model_copy(update={"cycles": _cycles_on(answer.paths, one_way=False)})

    async def causes(
        self,
        scope: Scope,
        name: str,
        *,
        max_hops: int = 4,
        limit: int = 50,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Chains:
        """Why did this happen: against CAUSES. Arguments, order and errors as in `chain`."""
        return await self.chain(
            scope,
            name,
            direction=Direction.IN,
            relations=(RelationType.CAUSES,),
            max_hops=max_hops,
            limit=limit,
            as_of=as_of,
            known_at=known_at,
        )

    async def between(
        self,
        scope: Scope,
        first: str,
        second: str,
        *,
        relations: Iterable[str] | None = None,
        max_hops: int = 4,
        limit: int = 50,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Chains:
        """What connects two things, whichever way the arrows point. Arguments, order and errors as in `chain`."""
        return await self.chain(
            scope,
            first,
            end=second,
            direction=Direction.BOTH,
            relations=relations,
            max_hops=max_hops,
            limit=limit,
            as_of=as_of,
            known_at=known_at,
        )

    async def cycles(
        self,
        scope: Scope,
        *,
        relations: Iterable[str] | None = (RelationType.DEPENDS_ON,),
        limit: int = 50,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Chains:
        """Are there cycles, of any length: for each thing on one, a shortest cycle through it; shortest first.

        Returns:
            Each cycle as a path, with `start` empty and `max_hops` the length of the longest one found (1 when there is none).

        Raises:
            InputError: limit is not 1..1000, a relation is unknown, or a time has no zone.
        """
        types = _relation_types(relations)
        view = self._view(1, limit, as_of, known_at)
        arrows, cut = await self._arrows(scope, types or tuple(RelationType), view)
        rounds, more = shortest_cycles({node: set(others) for node, others in arrows.items()}, limit)
        stored = tuple(_round_path(arrows, nodes) for nodes in rounds)
        paths = await describe_paths(self._store, scope, stored)
        return Chains(
            start="",
            direction=Direction.OUT,
            relations=types,
            max_hops=max((len(path.hops) for path in paths), default=1),
            paths=paths,
            truncated=cut or more,
            cycles=tuple(path.nodes for path in paths),
            notes=() if paths else (f"no cycle of {_listed(types)} among {len(arrows)} things with such an edge",),
        )

    async def neighbours(self, scope: Scope, name: str, *, limit: int = 50) -> tuple[Hop, ...]:
        """Return the relations at this thing, both ways, newest first; `against` marks those that lead to it.

        Raises:
            InputError: limit is not 1..1000.
            NotFoundError: There is no such entity or memory.
        """
        view = self._view(1, limit, None, None)
        place = await self._place(scope, name)
        page = await self._store.edges_of(scope, place.ids, tuple(RelationType), Direction.BOTH, limit, view)
        nodes = (node for edge in page.edges for node in (edge.source_canonical, edge.target_canonical))
        legend = await read_legend(self._store, scope, nodes, page.edges)
        newest = sorted(page.edges, key=lambda edge: (edge.recorded_at, edge.id), reverse=True)[:limit]
        return tuple(legend.hop(edge, _near_end(edge, place.ids)) for edge in newest)

    def _view(self, max_hops: int, limit: int, as_of: datetime | None, known_at: datetime | None) -> View:
        if not 1 <= max_hops <= MAX_HOPS:
            raise InputError(f"max_hops is {max_hops}", hint=f"1 to {MAX_HOPS}")
        if not 1 <= limit <= MAX_PATHS:
            raise InputError(f"limit is {limit}", hint=f"1 to {MAX_PATHS}")
        for argument, moment in (("as_of", as_of), ("known_at", known_at)):
            if moment is not None and moment.tzinfo is None:
                raise InputError(f"{argument} {moment.isoformat()} has no time zone", hint="give one, such as +00:00 or Z")
        return View(now=self._clock.now(), as_of=as_of, known_at=known_at, min_trust=self._trust_floor)

    async def _place(self, scope: Scope, name: str) -> _Place:
        """Find what a name or id means: an entity, else a memory and the things it is about."""
        if is_id(name):
            memories = await self._store.get_memories(scope, [name.strip().lower()])
            if memories:
                return await self._memory_place(scope, memories[0])
        try:
            entity = await self._entities.find(scope, name)
        except NotFoundError as error:
            if is_id(name):
                raise NotFoundError(
                    f"there is no entity or memory {name.strip()}", hint="`hindsight-graph list` shows ids"
                ) from error
            raise
        entity = await self._entities.canonical(scope, entity)
        return _Place(entity.name, (entity.id,))

    async def _memory_place(self, scope: Scope, memory: Memory) -> _Place:
        """Start from a memory: its subjects, else the sources of its relations, else all that it mentions; and itself."""
        sources = {relation.source for relation in memory.relations}
        subjects = [mention for mention in memory.mentions if mention.role is MentionRole.SUBJECT]
        subjects = subjects or [mention for mention in memory.mentions if mention.name in sources] or list(memory.mentions)
        entities = await self._store.get_entities(scope, [mention.entity_id for mention in subjects if mention.entity_id])
        ids = dict.fromkeys((*(entity.canonical_id for entity in entities), memory.id))
        return _Place(memory.summary, tuple(ids))

    async def _answer(
        self,
        scope: Scope,
        origin: _Place,
        goal: _Place | None,
        direction: Direction,
        types: tuple[EdgeType, ...],
        max_hops: int,
        found: StoredPaths,
        notes: tuple[str, ...],
    ) -> Chains:
        paths = await describe_paths(self._store, scope, found.paths)
        paths = tuple(sorted(paths, key=lambda path: (-path.score, len(path.hops), path.node_ids)))
        return Chains(
            start=origin.title,
            end=goal.title if goal else None,
            direction=direction,
            relations=types,
            max_hops=max_hops,
            paths=paths,
            truncated=found.truncated,
            cycles=_cycles_on(paths),
            notes=notes,
        )

    async def _why_empty(
        self, scope: Scope, origin: _Place, goal: _Place | None, steps: Sequence[Step], max_hops: int, view: View
    ) -> tuple[str, ...]:
        """Say which relations there are instead."""
        page = await self._store.edges_of(scope, origin.ids, tuple(RelationType), Direction.BOTH, _FAN_OUT, view)
        if not page.edges:
            return (f"no relation of {origin.title!r} holds in this view at or above trust {self._trust_floor:g}",)
        counts: Counter[str] = Counter()
        usable = 0
        for edge in page.edges:
            leads = Direction.OUT if edge.source_canonical in origin.ids else Direction.IN
            counts[f"{'outgoing' if leads is Direction.OUT else 'incoming'} {edge.type}"] += 1
            usable += any(
                step.direction in (leads, Direction.BOTH) and edge.type in (step.types or (edge.type,)) for step in steps
            )
        there = ", ".join(f"{count} {what}" for what, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        if goal is not None and usable:
            return (
                f"nothing leads from {origin.title!r} to {goal.title!r} within {max_hops} hops; {origin.title!r} has {there}",
            )
        asked = "; ".join(f"{_WAYS[step.direction]} {_listed(step.types)}" for step in steps)
        return (f"{origin.title!r} has no {asked}; it has {there}",)

    async def _arrows(self, scope: Scope, types: Sequence[EdgeType], view: View) -> tuple[dict[str, dict[str, Edge]], bool]:
        """Read every edge of these types between entities: source to target to the best edge; and whether a bound cut it."""
        arrows: dict[str, dict[str, Edge]] = {}
        cut, seen, cursor = False, 0, None
        while True:
            entities = await self._store.scan_entities(scope, cursor=cursor, limit=_ENTITY_PAGE)
            seen += len(entities.rows)
            page = await self._store.edges_of(scope, [row.id for row in entities.rows], types, Direction.OUT, _FAN_OUT, view)
            cut = cut or bool(page.truncated)
            for edge in page.edges:
                if edge.source_canonical == edge.target_canonical:
                    continue
                kept = arrows.setdefault(edge.source_canonical, {}).get(edge.target_canonical)
                if kept is None or (edge.trust, edge.confidence) > (kept.trust, kept.confidence):
                    arrows[edge.source_canonical][edge.target_canonical] = edge
            cursor = entities.cursor
            if cursor is None or seen >= _MAX_CYCLE_NODES:
                return arrows, cut or cursor is not None


_WAYS = {Direction.OUT: "outgoing", Direction.IN: "incoming", Direction.BOTH: "incoming or outgoing"}


def _relation_types(relations: Iterable[str] | None) -> tuple[RelationType, ...]:
    """Return the types meant, each once; none for all."""
    given = (relations,) if isinstance(relations, str) else tuple(relations or ())
    types: dict[RelationType, None] = {}
    for name in given:
        try:
            types[RelationType(str(relation_type(name)))] = None
        except ValueError as error:
            raise InputError(f"unknown relation {name!r}", hint=f"one of {', '.join(RelationType)}") from error
    return tuple(types)


def _direction(direction: Direction | str) -> Direction:
    try:
        return Direction(direction.lower())
    except ValueError as error:
        raise InputError(f"unknown direction {direction!r}", hint=f"one of {', '.join(Direction)}") from error


def _listed(types: Sequence[EdgeType]) -> str:
    return " or ".join(types) if types else "relation"


def _near_end(edge: Edge, ids: Sequence[str]) -> str:
    return edge.source_canonical if edge.source_canonical in ids else edge.target_canonical


def _round_path(arrows: dict[str, dict[str, Edge]], nodes: tuple[str, ...]) -> StoredPath:
    edges = tuple(arrows[node][other] for node, other in pairwise(nodes))
    return StoredPath(nodes=nodes, edges=edges, closes_cycle=True)


def _cycles_on(paths: Sequence[GraphPath], *, one_way: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the cycles that paths close, each once, whatever node it was entered by; `one_way`: only those along the arrows."""
    cycles: dict[tuple[str, ...], tuple[str, ...]] = {}
    for path in paths:
        if not path.closes_cycle:
            continue
        first = path.node_ids.index(path.node_ids[-1])
        if one_way and len({hop.against for hop in path.hops[first:]}) > 1:
            continue
        ring = path.node_ids[first:-1]
        least = ring.index(min(ring))
        cycles.setdefault((*ring[least:], *ring[:least]), path.nodes[first:])
    return tuple(cycles.values())
