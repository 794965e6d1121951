"""The walk."""

from datetime import UTC, datetime

import pytest

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType
from hindsight_graph.ranking.expansion import Walk, damping, even_share

START = datetime(2026, 5, 1, tzinfo=UTC)
R = RelationType


def _edge(source: str, target: str, kind: EdgeType = R.DEPENDS_ON, owner: str = "", trust: float = 1.0) -> Edge:
    return Edge(
        id=f"{source}-{kind}-{target}",
        source_id=source,
        target_id=target,
        source_canonical=source,
        target_canonical=target,
        type=kind,
        owner_id=owner or f"m:{source}{target}",
        trust=trust,
        recorded_at=START,
    )


def _walk(edges: list[Edge], walk: Walk) -> Walk:
    while frontier := walk.frontier():
        walk.absorb(frontier, [edge for edge in edges if {edge.source_canonical, edge.target_canonical} & set(frontier)])
    return walk


CHAIN = [_edge("A", "B"), _edge("B", "C"), _edge("C", "D"), _edge("D", "E"), _edge("X", "A"), _edge("A", "P", R.LOCATED_IN)]


@pytest.mark.requirement("G-04")
def test_a_walk_keeps_the_way_to_every_memory_and_leaves_other_relations_and_directions_alone():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=4, beam=8)
    walk.seed("A", 1.0)
    _walk(CHAIN, walk)
    assert list(walk.memories) == ["m:AB", "m:BC", "m:CD", "m:DE"]
    assert [step.target for step in walk.memories["m:DE"].steps] == ["B", "C", "D", "E"]
    assert walk.memories["m:DE"].value == pytest.approx(0.95**4)


def test_hops_are_bounded():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=2, beam=8)
    walk.seed("A", 1.0)
    assert set(_walk(CHAIN, walk).memories) == {"m:AB", "m:BC"}


def test_against_the_arrows_a_step_says_so():
    walk = Walk({R.DEPENDS_ON: Direction.IN}, max_hops=2, beam=8)
    walk.seed("C", 1.0)
    _walk(CHAIN, walk)
    assert set(walk.memories) == {"m:BC", "m:AB"}
    assert all(step.against for step in walk.memories["m:AB"].steps)


def test_a_cycle_ends_the_way():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=6, beam=8)
    walk.seed("A", 1.0)
    _walk([_edge("A", "B"), _edge("B", "A")], walk)
    assert set(walk.memories) == {"m:AB"}


def test_a_chain_is_as_good_as_its_weakest_link():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=3, beam=8, fade=1.0)
    walk.seed("A", 1.0)
    _walk([_edge("A", "B", trust=0.6), _edge("B", "C", trust=0.9)], walk)
    assert walk.memories["m:BC"].value == pytest.approx(0.6)


def test_of_two_memories_that_state_one_relation_both_are_reached_and_the_better_leads_on():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=3, beam=8, fade=1.0)
    walk.seed("A", 1.0)
    weak = _edge("A", "B", owner="weak", trust=0.5).model_copy(update={"id": "z"})
    _walk([weak, _edge("A", "B", owner="strong"), _edge("B", "C")], walk)
    assert set(walk.memories) == {"weak", "strong", "m:BC"}
    assert walk.memories["m:BC"].steps[0].edge.owner_id == "strong"


def test_busy_nodes_are_damped_by_the_logarithm_of_their_degree():
    assert damping(1) == 1.0
    assert damping(3) == pytest.approx(0.5)


def test_an_asked_relation_is_shared_evenly_beyond_a_few():
    assert even_share(3, free=3) == 1.0
    assert even_share(30, free=3) == pytest.approx(0.1)


def test_of_asked_relations_each_is_split_by_itself():
    walk = Walk({R.DEPENDS_ON: Direction.OUT, R.LOCATED_IN: Direction.OUT}, max_hops=1, beam=8, free=1, fade=1.0)
    walk.seed("A", 1.0)
    _walk([_edge("A", "B"), _edge("A", "Dublin", R.LOCATED_IN)], walk)
    assert walk.memories["m:AB"].value == pytest.approx(1.0)


def test_an_asked_walk_pays_once_for_leaving_the_relation_that_was_asked_for():
    walk = Walk(
        {R.USES: Direction.OUT, R.DEPENDS_ON: Direction.OUT}, max_hops=3, beam=8, free=2, fade=1.0, weights={R.DEPENDS_ON: 0.9}
    )
    walk.seed("A", 1.0)
    _walk([_edge("A", "B"), _edge("B", "C"), _edge("C", "D")], walk)
    assert walk.memories["m:CD"].value == pytest.approx(0.9)


def test_a_node_whose_edges_were_cut_counts_as_busy_as_the_limit():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=1, beam=8, fade=1.0)
    walk.seed("A", 1.0)
    walk.absorb(walk.frontier(), [_edge("A", "B")], cut=("A",), limit=7)
    assert walk.memories["m:AB"].value == pytest.approx(1 / 3)
    assert walk.truncated


def test_the_beam_opens_the_best_nodes_first_and_says_when_it_cut():
    walk = Walk({R.DEPENDS_ON: Direction.OUT}, max_hops=2, beam=2)
    for node, value in (("a", 0.1), ("b", 0.9), ("c", 0.5)):
        walk.seed(node, value)
    assert walk.frontier() == ("b", "c")
    assert walk.truncated


def test_memories_that_share_an_entity_are_associated_through_it():
    edges = [
        _edge("m1", "E", StructureType.MENTIONS, owner="m1"),
        _edge("m2", "E", StructureType.MENTIONS, owner="m2"),
        _edge("E", "F", R.USES, owner="m3"),
    ]
    kinds: dict[EdgeType, Direction] = {StructureType.MENTIONS: Direction.BOTH, R.USES: Direction.BOTH}
    walk = Walk(kinds, max_hops=3, beam=8)
    walk.seed("m1", 1.0)
    _walk(edges, walk)
    assert set(walk.memories) == {"m2", "m3"}
    assert [step.target for step in walk.memories["m2"].steps] == ["E", "m2"]
