"""Bounded search for paths, written once for all stores.

The search knows no database: it yields the nodes whose edges it needs and is sent them back, so a store may answer from a
thread, a driver or a dictionary. All answers are ordered: shorter paths first, then by the ids on them.

Without targets the search goes level by level. At each level at most `beam` unfinished paths go on, the most trusted ones
first, so a hub cannot keep the search from reaching its depth. With targets it grows from both ends towards the middle, so that
the path between two things is found without visiting everything around them, then lists the paths in what it has seen.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice, pairwise, product
from typing import Generic, NamedTuple, TypeVar

Ref = TypeVar("Ref")


class Link(NamedTuple, Generic[Ref]):
    """One edge as seen from the node it was asked for. A tuple: a search makes thousands, and keeps a few.

    Attributes:
        node: The node at the other end.
        type: The edge's type.
        against: Whether it was walked against its arrow; a loop never is.
        rank: What makes it better than a parallel one: (trust, confidence, recorded_at, id); the greater the better.
        ref: What the store finds the edge by.
    """

    node: str
    type: str
    against: bool
    rank: tuple[float, float, int, str]
    ref: Ref

    @property
    def strength(self) -> float:
        """Trust x confidence, 0..1."""
        return self.rank[0] * self.rank[1]


@dataclass(frozen=True, slots=True)
class Request:
    """Nodes whose links are wanted.

    Attributes:
        nodes: Each once.
        backward: Against the asked direction (from a target towards the sources).
        per_node: Links of one node at most.
    """

    nodes: tuple[str, ...]
    backward: bool
    per_node: int


@dataclass(frozen=True, slots=True)
class Reply(Generic[Ref]):
    """The links of the requested nodes; `truncated` when a node has more than were given."""

    links: Mapping[str, Sequence[Link[Ref]]]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a search may cost.

    Attributes:
        edges: Edges fetched at most. fan_out: edges of one node at most.
        beam: Unfinished paths carried from one level to the next; never less than twice the limit of paths. Each of them ends as
            one path at least, so a wider beam could only find more than the limit.
        steps: Path extensions at most.
    """

    edges: int = 6_000
    fan_out: int = 200
    beam: int = 100
    steps: int = 20_000


class FoundPath(NamedTuple, Generic[Ref]):
    """A path: its nodes, the links between them, and whether its last node stands on it already."""

    nodes: tuple[str, ...]
    links: tuple[Link[Ref], ...]
    closes_cycle: bool = False

    @property
    def order(self) -> tuple[int, tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Sort key: length, node ids, then types and edge ids."""
        return len(self.links), self.nodes, tuple([(link.type, link.rank[3]) for link in self.links])


Search = Generator[Request, Reply[Ref], tuple[list[FoundPath[Ref]], bool]]
"""Yields requests, takes replies, ends with the paths and whether a bound cut the search."""
_Longer = tuple[float, tuple[str, ...], int, FoundPath[Ref], Link[Ref]]
"""A longer path in the making, in the beam's order: strength (negated), nodes, number; the path and its next link."""
_LEAST_PER_NODE = 8
_EDGES_PER_PATH = 8
_LEAST_EDGES = 400
"""A level of a search for maximal paths fetches `_EDGES_PER_PATH` edges for each path that is asked for, `_LEAST_EDGES` at
least: from a hub of 10,000 edges four hops cost a third of what they cost with 1,500 (measured at 100,000 memories)."""


def search(
    sources: Sequence[str], targets: Iterable[str] | None, *, undirected: bool, max_hops: int, limit: int, bounds: Bounds
) -> "Search[Ref]":
    """Search maximal paths from the sources, or all paths to the targets.

    A path visits no node twice; only its last node may equal an earlier one, which closes a cycle. In an undirected search the
    way straight back is no cycle. Of parallel links with the same type and direction only the best counts.

    Args:
        sources: Where paths begin.
        targets: Where they end; None for maximal paths.
        undirected: Links are walked both ways.
        max_hops: Links on a path at most.
        limit: Paths at most.
        bounds: What the search may cost.
    """
    starts = sorted(set(sources))
    if targets is None:
        return _maximal(starts, undirected, max_hops, limit, bounds)
    return _between(starts, frozenset(targets), undirected, max_hops, limit, bounds)


def run(steps: "Search[Ref]", fetch: Callable[[Request], Reply[Ref]]) -> tuple[list[FoundPath[Ref]], bool]:
    """Run a search with a function that answers at once."""
    try:
        request = next(steps)
        while True:
            request = steps.send(fetch(request))
    except StopIteration as end:
        return end.value


async def simple_paths(
    steps: "Search[Ref]", fetch: Callable[[Request], Awaitable[Reply[Ref]]]
) -> tuple[list[FoundPath[Ref]], bool]:
    """Run a search with a function that answers later."""
    try:
        request = next(steps)
        while True:
            request = steps.send(await fetch(request))
    except StopIteration as end:
        return end.value


class _Graph(Generic[Ref]):
    """The part of the graph seen so far, and what fetching it cost."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._fetched = 0
        self._known: dict[bool, set[str]] = {False: set(), True: set()}
        self._best: dict[str, dict[tuple[str, str, bool], Link[Ref]]] = {}
        self.truncated = False

    def fetch(self, nodes: Iterable[str], most: int, *, backward: bool = False) -> Generator[Request, Reply[Ref], None]:
        """Fetch the links of those nodes that were not fetched on this side yet."""
        wanted = tuple(sorted(set(nodes) - self._known[backward]))
        if not wanted:
            return
        left = self.bounds.edges - self._fetched
        if len(wanted) * _LEAST_PER_NODE > left:
            wanted = wanted[: left // _LEAST_PER_NODE]
            self.truncated = True
        if not wanted:
            return
        share = min(left, most) // len(wanted)
        per_node = max(_LEAST_PER_NODE, min(self.bounds.fan_out, share))
        reply = yield Request(wanted, backward, per_node)
        self._known[backward].update(wanted)
        self.truncated |= reply.truncated
        for node, links in reply.links.items():
            self._fetched += len(links)
            best = self._best.setdefault(node, {})
            for link in links:
                if link.node == node and link.against:
                    self._add(best, Link(node, link.type, False, link.rank, link.ref))
                elif backward and link.node != node:
                    self._add(self._best.setdefault(link.node, {}), Link(node, link.type, not link.against, link.rank, link.ref))
                else:
                    self._add(best, link)

    @staticmethod
    def _add(best: "dict[tuple[str, str, bool], Link[Ref]]", link: Link[Ref]) -> None:
        key = link[:3]
        known = best.get(key)
        if known is None or link.rank > known.rank:
            best[key] = link

    def links(self, node: str) -> list[Link[Ref]]:
        """Return the best links of a node, in the order of the ids they lead to."""
        return sorted(self._best.get(node, {}).values(), key=lambda link: (link.node, link.type, link.rank[3]))

    def parallel(self, node: str, other: str) -> list[Link[Ref]]:
        """Return the best links from one node to another, one per type and direction."""
        found = [link for link in self._best.get(node, {}).values() if link.node == other]
        return sorted(found, key=lambda link: (link.type, link.rank[3]))

    def neighbours(self, node: str) -> set[str]:
        """Return the nodes its links lead to."""
        return {link.node for link in self._best.get(node, {}).values()}

    def reversed(self) -> dict[str, set[str]]:
        """Return for each node the nodes with a link to it."""
        before: dict[str, set[str]] = {}
        for node, links in self._best.items():
            for link in links.values():
                before.setdefault(link.node, set()).add(node)
        return before


def _maximal(starts: list[str], undirected: bool, max_hops: int, limit: int, bounds: Bounds) -> "Search[Ref]":
    graph: _Graph[Ref] = _Graph(bounds)
    beam = max(bounds.beam, 2 * limit)
    open_paths: list[tuple[float, FoundPath[Ref]]] = [(1.0, FoundPath((start,), ())) for start in starts]
    done: list[FoundPath[Ref]] = []
    steps = 0
    for hop in range(1, max_hops + 1):
        if not open_paths or len(done) > limit:
            break
        ends = {path.nodes[-1] for _, path in open_paths}
        yield from graph.fetch(ends, max(_LEAST_EDGES, _EDGES_PER_PATH * limit))
        sorted_links = {node: graph.links(node) for node in ends}
        longer: list[_Longer[Ref]] = []
        allowance = steps + bounds.steps // max_hops
        for strength, path in open_paths:
            if steps >= allowance:
                graph.truncated = True
                break
            links = _onward(path, sorted_links[path.nodes[-1]], undirected)
            steps += len(links)
            if not links and path.links:
                done.append(path)
            for link in links:
                nodes = (*path.nodes, link.node)
                if link.node in path.nodes:
                    done.append(FoundPath(nodes, (*path.links, link), True))
                elif hop == max_hops:
                    done.append(FoundPath(nodes, (*path.links, link)))
                else:
                    longer.append((-strength * link.strength, nodes, len(longer), path, link))
        if len(longer) > beam:
            graph.truncated = True
            longer = nsmallest(beam, longer)
        open_paths = [(-strength, FoundPath(nodes, (*path.links, link))) for strength, nodes, _, path, link in longer]
    done.sort(key=lambda path: path.order)
    return done[:limit], graph.truncated or len(done) > limit


def _onward(path: FoundPath[Ref], links: list[Link[Ref]], undirected: bool) -> list[Link[Ref]]:
    """Return the links that may follow a path: not straight back over an undirected one."""
    if not undirected or not path.links:
        return links
    before = path.nodes[-2]
    return [link for link in links if link.node != before]


def _between(
    starts: list[str], targets: frozenset[str], undirected: bool, max_hops: int, limit: int, bounds: Bounds
) -> "Search[Ref]":
    graph: _Graph[Ref] = _Graph(bounds)
    yield from _grow(graph, starts, targets, max_hops)
    distance = _distances(graph.reversed(), targets, max_hops)
    found: list[FoundPath[Ref]] = []
    for length in range(1, max_hops + 1):
        for nodes in _node_paths(graph, starts, targets, distance, undirected, length, bounds.steps // max_hops):
            found.extend(_with_links(graph, nodes, limit + 1 - len(found)))
            if len(found) > limit:
                return found[:limit], True
    return found, graph.truncated


def _node_paths(
    graph: "_Graph[Ref]",
    starts: list[str],
    targets: frozenset[str],
    distance: Mapping[str, int],
    undirected: bool,
    length: int,
    steps: int,
) -> Iterator[tuple[str, ...]]:
    """Yield the node sequences of that many links that end at a target, in the order of their ids."""
    far = length + 1
    pending: list[tuple[str, ...]] = [(start,) for start in reversed(starts) if distance.get(start, far) <= length]
    while pending:
        nodes = pending.pop()
        size = len(nodes)
        left = length - size
        before = nodes[-2] if undirected and size > 1 else None
        going_on: list[tuple[str, ...]] = []
        for other in sorted(graph.neighbours(nodes[-1])):
            if other == before:
                continue
            steps -= 1
            if left == 0:
                if other in targets and (other not in nodes or other == nodes[0]):
                    yield (*nodes, other)
            elif other not in nodes and distance.get(other, far) <= left:
                going_on.append((*nodes, other))
        if steps < 0:
            graph.truncated = True
            return
        pending.extend(reversed(going_on))


def _with_links(graph: "_Graph[Ref]", nodes: tuple[str, ...], limit: int) -> list[FoundPath[Ref]]:
    """Return the paths over these nodes, one for each choice among parallel links."""
    choices = [graph.parallel(node, other) for node, other in pairwise(nodes)]
    return [FoundPath(nodes, links, nodes[-1] in nodes[:-1]) for links in islice(product(*choices), limit)]


def _grow(
    graph: "_Graph[Ref]", starts: list[str], targets: frozenset[str], max_hops: int
) -> Generator[Request, Reply[Ref], None]:
    """Fetch levels from both ends, the smaller frontier first, until the two depths sum to `max_hops`."""
    forward, backward = set(starts), set(targets)
    seen_forward, seen_backward = set(forward), set(backward)
    most = graph.bounds.edges // 4
    for _ in range(max_hops):
        if not forward or not backward:
            return
        if len(forward) <= len(backward):
            yield from graph.fetch(forward, most)
            forward = {node for start in forward for node in graph.neighbours(start)} - seen_forward
            seen_forward |= forward
        else:
            yield from graph.fetch(backward, most, backward=True)
            reverse = graph.reversed()
            backward = {node for end in backward for node in reverse.get(end, ())} - seen_backward
            seen_backward |= backward


def _distances(reverse: Mapping[str, set[str]], targets: frozenset[str], max_hops: int) -> dict[str, int]:
    """Return for each node that reaches a target how many links away the nearest one is; 0 for a target."""
    distance: dict[str, int] = {}
    level = set(targets)
    for hops in range(max_hops + 1):
        distance.update(dict.fromkeys(level, hops))
        level = {before for node in level for before in reverse.get(node, ())} - distance.keys()
    return distance
