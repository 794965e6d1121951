"""The graph stage of recall: whole chains where the question asks for a relation, associations everywhere else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hindsight_graph.models.base import trusted
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.recall import RecallSettings
from hindsight_graph.models.record import EdgePage
from hindsight_graph.models.result import GraphPath, Hop
from hindsight_graph.pipelines.recall_plan import Anchor
from hindsight_graph.pipelines.recall_work import StageNote, Work
from hindsight_graph.ranking.bridges import bridges
from hindsight_graph.ranking.expansion import RELATION_WEIGHTS, Reach, Walk
from hindsight_graph.ranking.intent import asks_attribute
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, a_read, ask, side_by_side

__all__ = [
    "Walked",
    "graph_path",
    "keep",
    "keep_bridges",
    "keep_relations",
    "path_entities",
    "walk_associations",
    "walk_bridges",
    "walk_relations",
]

ASKED_FREE = 2
"""Edges of one asked relation at one node that are all followed at full value: a service has a few dependencies, a hub many."""
ASKED_FLOOR = 0.1
"""Things reached with less are not followed further: behind a hub with dozens of edges everything is, and nothing is meant."""
RELATED: Mapping[EdgeType, Mapping[Direction, Mapping[EdgeType, Direction]]] = {
    RelationType.DEPENDS_ON: {way: {RelationType.USES: way} for way in Direction},
    RelationType.USES: {way: {RelationType.DEPENDS_ON: way} for way in Direction},
    RelationType.CAUSES: {
        Direction.IN: {RelationType.DEPENDS_ON: Direction.OUT, RelationType.USES: Direction.OUT},
        Direction.OUT: {RelationType.DEPENDS_ON: Direction.IN},
    },
}
"""What answers as well: what a thing uses it depends on, and what it depends on may be why it failed."""
RELATED_SHARE = 0.9
ALONG: Mapping[EdgeType, Direction] = {RelationType.DEPENDS_ON: Direction.OUT}
"""What is followed from a named thing when the question's words ask for no relation: what it needs. Following uses, causes and
parts as well lowered LoCoMo by 1.7 points (docs/ranking.md)."""
ALONG_SHARE = 0.5
"""What that is worth against an asked relation."""
AGAINST: Mapping[EdgeType, Direction] = {RelationType.DEPENDS_ON: Direction.IN}
"""What is followed then as well: what needs the named thing."""
AGAINST_SHARE = 0.4
BESIDE_SHARE = 0.1
"""What the first step of both is worth: what names the thing itself is found by its words, or answers something else."""
ASSOCIATION_EDGES = 16
"""Edges read per node of an association, the newest; more cost time and gained nothing (docs/ranking.md)."""
ASSOCIATION_HOPS = 2
"""Entity, (entity,) memory."""
ASSOCIATION_SHARE = 0.15
BRIDGE_EDGES = 64
"""Edges read per memory and per thing of a bridge: a thing with more is a hub."""
BRIDGE_SHARE = 0.5
"""What a bridge carries of what the best text's own words and vector are worth; a sweep is in docs/ranking.md."""
"""What an association is worth against a step of an asked relation (docs/ranking.md)."""
_EVERYTHING: Mapping[EdgeType, Direction] = {
    StructureType.MENTIONS: Direction.BOTH,
    **dict.fromkeys(RelationType, Direction.BOTH),
}
_Followed = tuple[Mapping[EdgeType, Direction], Mapping[EdgeType, float], float]
"""Relations with the direction in which each is followed, what they carry where less than all, and what all is worth."""


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk that has ended: what it reached, how many edges it read, what it is worth, and what there is to say about it.

    Attributes:
        share: What its ways are worth. beside: what those of one step are.
    """

    reached: Mapping[str, Reach]
    edges: int
    share: float
    beside: float
    notes: tuple[str, ...] = ()


def _run(work: Work, stage: str, walk: Walk, limit: int) -> Program[int]:
    """Open nodes round by round until nothing is worth opening; returns how many edges were read."""
    read = 0
    for _ in range(walk.max_hops):
        frontier = walk.frontier()
        if not frontier:
            break
        edges = a_read(Store.edges_of, frontier, tuple(walk.directions), walk.direction, limit, work.view)
        page = yield from ask(work.bounded(stage, edges))
        read += len(page.edges)
        walk.absorb(frontier, page.edges, page.truncated, limit)
    return read


def keep(work: Work, walked: Iterable[Walked], note: StageNote) -> None:
    """Note the best ways; what relations were followed to keeps its way."""
    edges = reached = 0
    for walk in walked:
        for memory_id, reach in walk.reached.items():
            value = (walk.beside if len(reach.steps) == 1 else walk.share) * reach.value
            if memory_id not in work.followed and value > work.graph.get(memory_id, 0.0):
                work.graph[memory_id], work.ways[memory_id] = value, reach
        edges, reached = edges + walk.edges, reached + len(walk.reached)
        note.notes.extend(walk.notes)
    note.counts.update({"edges": edges, "reached": reached})


def walk_relations(work: Work, settings: RecallSettings) -> Program[tuple[Walked, ...]]:
    """Follow the relations that the question asks for, from the things it names; where it asks for none, what stands behind."""
    walks: list[Program[Walked]] = []
    for anchor in work.anchors:
        if not anchor.asked and asks_attribute(work.query.text):
            walks.append(_nothing(f"{anchor.name}: an attribute is asked, nothing to follow"))
        else:
            walks += [_walk_from(work, anchor, settings, followed) for followed in _followed(anchor.asked)]
    return (yield from side_by_side(*walks))


def _nothing(note: str) -> Program[Walked]:
    yield from ()
    return Walked({}, 0, 0.0, 0.0, (note,))


def _walk_from(work: Work, anchor: Anchor, settings: RecallSettings, followed: _Followed) -> Program[Walked]:
    directions, weights, share = followed
    walk = Walk(directions, max_hops=settings.hops, beam=settings.beam, free=ASKED_FREE, floor=ASKED_FLOOR, weights=weights)
    walk.seed(anchor.entity_id, 1.0)
    edges = yield from _run(work, "relations", walk, settings.edges_per_node)
    cut = (f"the walk from {anchor.name} was cut at a bound",) if walk.truncated else ()
    asked = ", ".join(f"{relation.value} {direction.value}" for relation, direction in directions.items())
    said = f"{anchor.name}: {asked}" if anchor.asked else f"{anchor.name}: nothing asked, along {asked}"
    return Walked(walk.memories, edges, share, share if anchor.asked else BESIDE_SHARE, (*cut, said))


def keep_relations(work: Work, walked: Iterable[Walked], note: StageNote) -> None:
    """Note what relations were followed to, which associations and bridges then leave as it is."""
    keep(work, walked, note)
    work.followed = frozenset(work.ways)


def _followed(asked: Mapping[EdgeType, Direction]) -> list[_Followed]:
    """Return the walks to make: relations with their direction, what those that were not asked for carry, what all is worth."""
    if not asked:
        return [(ALONG, {}, ALONG_SHARE), (AGAINST, {}, AGAINST_SHARE)]
    directions, weights = dict(asked), dict[EdgeType, float]()
    for relation, direction in asked.items():
        for other, way in RELATED.get(relation, {}).get(direction, {}).items():
            if other not in directions:
                directions[other], weights[other] = way, RELATED_SHARE
    return [(directions, weights, 1.0)]


def walk_associations(work: Work, settings: RecallSettings) -> Program[Walked]:
    """Spread from the things that the question names to memories that mention or relate to them."""
    walk = Walk(_EVERYTHING, max_hops=ASSOCIATION_HOPS, beam=settings.beam, fade=0.9, weights=RELATION_WEIGHTS, floor=0.01)
    for anchor in work.anchors:
        walk.seed(anchor.entity_id, 1.0)
    edges = yield from _run(work, "associations", walk, ASSOCIATION_EDGES)
    return Walked(walk.memories, edges, ASSOCIATION_SHARE, ASSOCIATION_SHARE)


def walk_bridges(work: Work, settings: RecallSettings) -> Program[Walked | None]:
    """Follow what the best texts name to the texts about it; None when they name nothing."""
    seeds = work.seeds(settings.seeds)
    if not seeds:
        return None
    sources = [memory for seed in seeds for memory in seed.memories]
    named = yield from _mentions(work, sources, Direction.OUT)
    things = tuple(dict.fromkeys(edge.target_canonical for edge in named.edges))
    if not things:
        return None
    mentioning = yield from _mentions(work, things, Direction.IN)
    reached = bridges(seeds, named.edges, mentioning.edges, mentioning.truncated)
    share = BRIDGE_SHARE * work.scale
    return Walked(reached, len(named.edges) + len(mentioning.edges), share, share)


def _mentions(work: Work, ids: Sequence[str], direction: Direction) -> Program[EdgePage]:
    read = a_read(Store.edges_of, ids, (StructureType.MENTIONS,), direction, BRIDGE_EDGES, work.view)
    return (yield from ask(work.bounded("bridges", read)))


def keep_bridges(work: Work, walked: Walked | None, note: StageNote) -> None:
    """Note what bridges led to, and from where."""
    if walked is not None:
        keep(work, (walked,), note)
        work.bridged = {memory: reach.start for memory, reach in walked.reached.items() if work.ways.get(memory) is reach}


def path_entities(reaches: Sequence[Reach]) -> tuple[str, ...]:
    """Return the ids of all nodes on these ways, each once; memories among them are known otherwise."""
    return tuple(dict.fromkeys(node for reach in reaches for step in reach.steps for node in (step.origin, step.target)))


def graph_path(reach: Reach, names: Mapping[str, str], memories: Mapping[str, Memory]) -> GraphPath:
    """Return a way as an explainable path: names of the nodes, the hop's relation and the memory that states it."""
    node_ids = (reach.start, *(step.target for step in reach.steps))
    hops: list[Hop] = []
    score = 1.0
    for step in reach.steps:
        edge, owner = step.edge, memories.get(step.edge.owner_id)
        hops.append(trusted(Hop, {
            "source": names.get(edge.source_canonical, edge.source_canonical), "relation": edge.type,
            "target": names.get(edge.target_canonical, edge.target_canonical), "memory_id": edge.owner_id,
            "summary": "" if owner is None else owner.summary, "raw_refs": () if owner is None else owner.raw_refs,
            "confidence": edge.confidence, "trust": edge.trust, "valid_from": edge.valid_from, "valid_to": edge.valid_to,
            "score": edge.confidence * edge.trust, "against": step.against,
        }))  # fmt: skip
        score *= edge.confidence * edge.trust
    return trusted(GraphPath, {
        "nodes": tuple([names.get(node, node) for node in node_ids]), "node_ids": node_ids, "hops": tuple(hops), "score": score,
        "closes_cycle": False,
    })  # fmt: skip
