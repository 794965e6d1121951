"""The path search against every path written out one by one, on small random graphs."""

from collections.abc import Iterator
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_graph.stores.walk import Bounds, FoundPath, Link, Reply, Request, run, search, simple_paths

NODES = "abcde"
Edges = dict[str, tuple[str, str, str]]

edges = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from("xy"), st.sampled_from(NODES)), max_size=9, unique=True
).map(lambda listed: {f"e{number}": edge for number, edge in enumerate(listed)})  # fmt: skip


def links_of(graph: Edges, node: str, *, out: bool, into: bool) -> list[Link[str]]:
    found = [
        Link(end, kind, False, (1.0, 1.0, 0, name), name) for name, (start, kind, end) in graph.items() if start == node and out
    ]
    skip_loops = out and into
    found += [
        Link(start, kind, start != end, (1.0, 1.0, 0, name), name)
        for name, (start, kind, end) in graph.items()
        if end == node and into and not (skip_loops and start == end)
    ]
    return found


def fetcher(graph: Edges, undirected: bool):
    def fetch(request: Request) -> Reply[str]:
        out, into = undirected or not request.backward, undirected or request.backward
        return Reply({node: links_of(graph, node, out=out, into=into) for node in request.nodes}, False)

    return fetch


def walks(graph: Edges, undirected: bool, path: FoundPath[str], max_hops: int) -> Iterator[tuple[FoundPath[str], bool]]:
    """Yield every way on from a path, each with whether it can go no further."""
    hops = len(path.links)
    before = path.nodes[hops - 1] if undirected and hops else None
    if path.closes_cycle or len(path.links) == max_hops:
        yield path, True
        return
    onward = [link for link in links_of(graph, path.nodes[hops], out=True, into=undirected) if link.node != before]
    yield path, not onward
    for link in onward:
        further = FoundPath((*path.nodes, link.node), (*path.links, link), link.node in path.nodes)
        yield from walks(graph, undirected, further, max_hops)


def seen(path: FoundPath[str]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    return path.nodes, tuple(link.ref for link in path.links), path.closes_cycle


@settings(max_examples=80, deadline=None)
@given(edges, st.booleans(), st.integers(1, 5), st.sampled_from(NODES))
def test_maximal_paths_are_all_paths_that_cannot_go_on(graph: Edges, undirected: bool, max_hops: int, start: str):
    expected = [path for path, ends in walks(graph, undirected, FoundPath((start,), ()), max_hops) if ends and path.links]
    found, truncated = run(
        search([start], None, undirected=undirected, max_hops=max_hops, limit=100_000, bounds=Bounds(steps=10**9, edges=10**9)),
        fetcher(graph, undirected),
    )
    assert sorted(map(seen, found)) == sorted(map(seen, expected))
    assert [path.order for path in found] == sorted(path.order for path in found)
    assert not truncated


@settings(max_examples=80, deadline=None)
@given(edges, st.booleans(), st.integers(1, 5), st.sampled_from(list(permutations(NODES, 2)) + [(node, node) for node in NODES]))
def test_paths_to_a_target_are_all_ways_there(graph: Edges, undirected: bool, max_hops: int, ends: tuple[str, str]):
    start, target = ends
    expected = [
        path
        for path, _ in walks(graph, undirected, FoundPath((start,), ()), max_hops)
        if path.links and path.nodes[-1] == target and (not path.closes_cycle or target == start)
    ]
    found, truncated = run(
        search(
            [start], [target], undirected=undirected, max_hops=max_hops, limit=100_000, bounds=Bounds(steps=10**9, edges=10**9)
        ),
        fetcher(graph, undirected),
    )
    assert sorted(map(seen, found)) == sorted(map(seen, expected))
    assert [path.order for path in found] == sorted(path.order for path in found)
    assert not truncated


@settings(max_examples=50, deadline=None)
@given(edges, st.booleans(), st.integers(1, 4), st.sampled_from([None, "e"]))
def test_a_limit_gives_the_first_paths_and_says_that_there_are_more(
    graph: Edges, undirected: bool, limit: int, target: str | None
):
    def found(most: int) -> tuple[list[FoundPath[str]], bool]:
        targets = None if target is None else [target]
        return run(
            search(["a"], targets, undirected=undirected, max_hops=4, limit=most, bounds=Bounds()), fetcher(graph, undirected)
        )

    everything, _ = found(100_000)
    first, truncated = found(limit)
    assert list(map(seen, first)) == list(map(seen, everything))[:limit]
    assert truncated == (len(everything) > limit)


async def test_a_search_runs_with_answers_that_come_later():
    graph: Edges = {"1": ("a", "x", "b"), "2": ("b", "x", "c")}
    answer = fetcher(graph, undirected=False)

    async def fetch(request: Request) -> Reply[str]:
        return answer(request)

    found, _ = await simple_paths(search(["a"], None, undirected=False, max_hops=3, limit=9, bounds=Bounds()), fetch)
    assert [path.nodes for path in found] == [("a", "b", "c")]


def test_the_bounds_are_kept_and_said():
    graph: Edges = {f"{level}{number}": (f"n{level}", "x", f"n{level + 1}") for level in range(4) for number in range(1)}
    graph |= {f"hub{number}": ("n0", "x", f"leaf{number}") for number in range(50)}
    asked: list[Request] = []
    answer = fetcher(graph, undirected=False)

    def fetch(request: Request) -> Reply[str]:
        asked.append(request)
        return answer(request)

    bounds = Bounds(edges=40, fan_out=5)
    _, truncated = run(search(["n0"], None, undirected=False, max_hops=4, limit=9, bounds=bounds), fetch)
    assert asked[0].per_node == 8
    assert truncated
