"""Cycles of directed graphs, compared with brute force."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.pipelines.cycles import shortest_cycles

NODES = "abcdefgh"
ARROWS = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda pair: pair[0] != pair[1]), max_size=20)


def arrows_of(pairs: set[tuple[str, str]]) -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = {}
    for source, target in pairs:
        arrows.setdefault(source, set()).add(target)
    return arrows


def test_a_graph_without_cycles_has_none():
    assert shortest_cycles({"a": {"b", "c"}, "b": {"c"}}, 10) == ((), False)
    assert shortest_cycles({}, 10) == ((), False)


def test_each_cycle_comes_once_shortest_first_from_its_least_node():
    arrows = arrows_of({("c", "a"), ("a", "b"), ("b", "c"), ("y", "x"), ("x", "y"), ("c", "x")})
    assert shortest_cycles(arrows, 10) == ((("x", "y", "x"), ("a", "b", "c", "a")), False)


def test_a_limit_that_cuts_is_reported():
    arrows = arrows_of({("a", "b"), ("b", "a"), ("x", "y"), ("y", "x")})
    assert shortest_cycles(arrows, 1) == ((("a", "b", "a"),), True)


def shortest_round(pairs: set[tuple[str, str]], node: str) -> int | None:
    """Length of the shortest way from a node back to it, by brute force."""
    reached = {node}
    for length in range(1, len(NODES) + 1):
        reached = {target for source, target in pairs if source in reached}
        if node in reached:
            return length
    return None


@given(ARROWS)
def test_every_node_on_a_cycle_is_on_a_shortest_one_and_each_reported_one_is_real(pairs: set[tuple[str, str]]):
    cycles, cut = shortest_cycles(arrows_of(pairs), 1000)
    assert not cut
    for cycle in cycles:
        assert cycle[0] == cycle[-1] == min(cycle)
        assert set(pairwise(cycle)) <= pairs
        assert len(set(cycle)) == len(cycle) - 1
    for node in NODES:
        assert min((len(cycle) - 1 for cycle in cycles if node in cycle), default=None) == shortest_round(pairs, node)
