"""The graph: frontier steps, degrees and paths."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta

import pytest

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType, Visibility
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EntityPatch, StoredPaths, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW, a_memory, a_view, an_edge, an_entity, new

HERE = Scope()
VIEW = a_view()
USES, NEEDS = RelationType.USES, RelationType.DEPENDS_ON


def node(name: str) -> str:
    """Return the id of the entity of that name."""
    return an_entity(name).id


def a_graph(text: str, kind: EdgeType = NEEDS) -> WriteBatch:
    """Return the batch of a graph written as "A>B B>C"; each edge is owned by a memory of its own."""
    pairs = [tuple(edge.split(">")) for edge in text.split()]
    owners: list[Memory] = [a_memory(f"{source}>{target}") for source, target in pairs]
    edges: list[Edge] = [
        an_edge(node(source), kind, node(target), owner) for (source, target), owner in zip(pairs, owners, strict=True)
    ]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return WriteBatch(
        memories=tuple(map(new, owners)), entities=tuple(an_entity(name) for name in names), edges=tuple(edges)
    )  # fmt: skip


def walked(found: StoredPaths, names: str) -> list[str]:
    """Return the paths as names, such as "ABC", with a star behind those that close a cycle."""
    by_id = {node(name): name for name in names}
    return ["".join(by_id[step] for step in path.nodes) + "*" * path.closes_cycle for path in found.paths]


class GraphContract:
    """Tests of `edges_of`, `degrees`, `paths` and `owned_edges`."""

    async def paths(
        self,
        store: Store,
        start: str,
        end: str | None = None,
        direction: Direction = Direction.OUT,
        hops: int = 6,
        limit: int = 50,
    ) -> StoredPaths:
        """Return the paths of the stored graph."""
        targets = None if end is None else [node(end)]
        found = await store.paths(HERE, [node(start)], targets, [NEEDS], direction, hops, limit, VIEW)
        for path in found.paths:
            assert len(path.edges) == len(path.nodes) - 1
            for here, there, edge in zip(path.nodes[:-1], path.nodes[1:], path.edges, strict=True):
                assert {edge.source_canonical, edge.target_canonical} == {here, there}
        return found

    async def test_a_step_gives_each_edge_once_with_its_ends(self, store: Store):
        await store.write(HERE, a_graph("A>B B>C C>A D>A"))
        page = await store.edges_of(HERE, [node("A"), node("B")], [], Direction.BOTH, 9, VIEW)
        assert len(page.edges) == 4
        assert page.truncated == ()
        out = await store.edges_of(HERE, [node("A"), "nobody"], [NEEDS], Direction.OUT, 9, VIEW)
        assert [(edge.source_id, edge.target_id) for edge in out.edges] == [(node("A"), node("B"))]
        into = await store.edges_of(HERE, [node("A")], [NEEDS], Direction.IN, 9, VIEW)
        assert {edge.source_id for edge in into.edges} == {node("C"), node("D")}
        assert (await store.edges_of(HERE, [node("A")], [USES], Direction.BOTH, 9, VIEW)).edges == ()
        assert (await store.edges_of(HERE, [], [], Direction.BOTH, 9, VIEW)).edges == ()
        assert (await store.edges_of(Scope(tenant="other"), [node("A")], [], Direction.BOTH, 9, VIEW)).edges == ()

    async def test_a_step_gives_the_newest_edges_of_each_node_and_says_where_it_cut(self, store: Store):
        owners = [a_memory(str(number), recorded_at=NOW - timedelta(hours=9 - number)) for number in range(6)]
        kinds: list[EdgeType] = [NEEDS, USES, StructureType.SAME_AS]
        edges = [an_edge(node("A"), kinds[n % 3], node("B"), owner) for n, owner in enumerate(owners)]
        edges.append(an_edge(node("C"), NEEDS, node("A"), owners[0]))
        names = (an_entity("A"), an_entity("B"), an_entity("C"))
        await store.write(HERE, WriteBatch(memories=tuple(map(new, owners)), entities=names, edges=tuple(edges)))
        page = await store.edges_of(HERE, [node("A"), node("C")], [], Direction.OUT, 4, VIEW)
        assert [edge.owner_id for edge in page.edges] == ["m-5", "m-4", "m-3", "m-2", "m-0"]
        assert page.truncated == (node("A"),)
        page = await store.edges_of(HERE, [node("A")], [], Direction.BOTH, 7, VIEW)
        assert (len(page.edges), page.truncated) == (7, ())
        page = await store.edges_of(HERE, [node("A")], [NEEDS, StructureType.SAME_AS], Direction.OUT, 2, VIEW)
        assert [edge.owner_id for edge in page.edges] == ["m-5", "m-3"]

    async def test_degrees_count_up_to_the_cap(self, store: Store):
        await store.write(HERE, a_graph("A>B A>C A>D B>A A>A"))
        ids = [node("A"), node("B"), "nobody"]
        assert list((await store.degrees(HERE, ids, [], Direction.OUT, VIEW)).values()) == [4, 1, 0]
        assert list((await store.degrees(HERE, ids, [], Direction.IN, VIEW)).values()) == [2, 1, 0]
        assert list((await store.degrees(HERE, ids, [NEEDS], Direction.BOTH, VIEW)).values()) == [5, 2, 0]
        assert list((await store.degrees(HERE, ids, [USES], Direction.BOTH, VIEW)).values()) == [0, 0, 0]
        assert list((await store.degrees(HERE, ids, [], Direction.BOTH, VIEW, 2)).values()) == [2, 2, 0]

    async def test_an_agent_walks_only_what_it_sees(self, store: Store):
        batch = a_graph("A>B B>C")
        hidden = {"agent_id": "b", "visibility": Visibility.PRIVATE}
        private = batch.model_copy(update={
            "memories": (batch.memories[0], new(a_memory("B>C", **hidden))),
            "edges": (batch.edges[0], batch.edges[1].model_copy(update=hidden)),
        })  # fmt: skip
        await store.write(HERE, private)
        agent = Scope(agent_id="a")
        found = await store.paths(agent, [node("A")], None, [], Direction.OUT, 3, 9, VIEW)
        assert walked(found, "ABC") == ["AB"]
        assert (await store.degrees(agent, [node("B")], [], Direction.OUT, VIEW)) == {node("B"): 0}
        assert (await store.edges_of(agent, [node("C")], [], Direction.BOTH, 9, VIEW)).edges == ()
        assert walked(await store.paths(Scope(agent_id="b"), [node("A")], None, [], Direction.OUT, 3, 9, VIEW), "ABC") == ["ABC"]

    @pytest.mark.parametrize(
        ("direction", "start", "expected"),
        [
            (Direction.OUT, "A", ["ACE", "ABDF"]),
            (Direction.IN, "F", ["FDBA"]),
            (Direction.OUT, "F", list[str]()),
            (Direction.BOTH, "D", ["DF", "DBACE"]),
        ],
    )
    async def test_a_path_goes_on_until_no_edge_leads_on(
        self, store: Store, direction: Direction, start: str, expected: list[str]
    ):
        await store.write(HERE, a_graph("A>B A>C B>D C>E D>F"))
        found = await self.paths(store, start, direction=direction)
        assert sorted(walked(found, "ABCDEF")) == sorted(expected)
        assert [len(path.edges) for path in found.paths] == sorted(len(path.edges) for path in found.paths)
        assert not found.truncated

    async def test_paths_of_one_length_come_by_the_ids_on_them(self, store: Store):
        await store.write(HERE, a_graph("A>B A>C A>D B>E C>E D>E"))
        found = await self.paths(store, "A")
        assert [path.nodes for path in found.paths] == sorted(path.nodes for path in found.paths)
        assert len(found.paths) == 3

    async def test_six_hops_are_walked_and_no_more_than_asked(self, store: Store):
        await store.write(HERE, a_graph("A>B B>C C>D D>E E>F F>G G>H"))
        assert walked(await self.paths(store, "A"), "ABCDEFGH") == ["ABCDEFG"]
        assert walked(await self.paths(store, "A", hops=2), "ABCDEFGH") == ["ABC"]
        assert walked(await self.paths(store, "A", "G"), "ABCDEFGH") == ["ABCDEFG"]
        assert walked(await self.paths(store, "A", "H"), "ABCDEFGH") == []
        assert walked(await self.paths(store, "G", "A", Direction.IN), "ABCDEFGH") == ["GFEDCBA"]
        assert walked(await self.paths(store, "D", "A", Direction.BOTH), "ABCDEFGH") == ["DCBA"]

    async def test_a_cycle_ends_a_path_and_is_said(self, store: Store):
        await store.write(HERE, a_graph("A>B B>C C>A C>D E>E F>G G>F"))
        assert walked(await self.paths(store, "A"), "ABCD") == sorted(
            ["ABCA*", "ABCD"], key=lambda way: [node(n) for n in way.strip("*")]
        )
        assert walked(await self.paths(store, "E"), "E") == ["EE*"]
        assert walked(await self.paths(store, "F"), "FG") == ["FGF*"]
        assert walked(await self.paths(store, "A", "A"), "ABC") == ["ABCA*"]
        assert walked(await self.paths(store, "F", direction=Direction.BOTH), "FG") == ["FG", "FG"]

    async def test_a_target_is_reached_on_every_way_shortest_first(self, store: Store):
        await store.write(HERE, a_graph("A>B B>T A>T A>C C>D D>T T>X X>A"))
        found = await self.paths(store, "A", "T")
        assert walked(found, "ABCDTX") == ["AT", "ABT", "ACDT"]
        both = await store.paths(HERE, [node("A"), node("B")], [node("T"), node("X")], [NEEDS], Direction.OUT, 2, 9, VIEW)
        ways = walked(both, "ABCDTX")
        assert (sorted(ways[:2]), sorted(ways[2:])) == (["AT", "BT"], ["ABT", "ATX", "BTX"])

    async def test_parallel_edges_of_one_type_count_once_by_the_best(self, store: Store):
        owners = {
            "doubtful": a_memory("doubtful", trust=0.4), "trusted": a_memory("trusted", trust=0.9),
            "unsure": a_memory("unsure", trust=0.9), "older": a_memory("older", trust=0.9, recorded_at=NOW - timedelta(days=1)),
        }  # fmt: skip
        edges = [
            an_edge(node("A"), NEEDS, node("B"), owner, confidence=0.5 if name == "unsure" else 0.8)
            for name, owner in owners.items()
        ]
        edges.append(an_edge(node("A"), USES, node("B"), owners["doubtful"]))
        names = (an_entity("A"), an_entity("B"))
        await store.write(HERE, WriteBatch(memories=tuple(map(new, owners.values())), entities=names, edges=tuple(edges)))
        for targets in (None, [node("B")]):
            found = await store.paths(HERE, [node("A")], targets, [], Direction.OUT, 3, 9, VIEW)
            assert [(edge.type, edge.owner_id) for path in found.paths for edge in path.edges] == [
                (NEEDS, "m-trusted"), (USES, "m-doubtful"),
            ]  # fmt: skip

    async def test_walks_run_on_canonical_ids_and_a_split_restores_them(self, store: Store):
        await store.write(HERE, a_graph("A>B C>D"))
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=node("C"), canonical_id=node("B")),)))
        assert walked(await self.paths(store, "A"), "ABCD") == ["ABD"]
        assert walked(await self.paths(store, "A", "D"), "ABCD") == ["ABD"]
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=node("C"), canonical_id=node("C")),)))
        assert walked(await self.paths(store, "A"), "ABCD") == ["AB"]

    async def test_truncated_is_said_when_and_only_when_there_is_more(self, store: Store):
        names = [f"n{number}" for number in range(6)]
        await store.write(HERE, a_graph(" ".join(f"A>{name} {name}>T" for name in names)))
        for end in (None, "T"):
            all_of_them = await self.paths(store, "A", end, limit=6)
            assert (len(all_of_them.paths), all_of_them.truncated) == (6, False)
            some = await self.paths(store, "A", end, limit=5)
            assert (len(some.paths), some.truncated) == (5, True)
            assert some.paths == all_of_them.paths[:5]

    async def test_a_hub_is_cut_and_the_way_through_it_is_found_from_the_other_end(self, store: Store):
        spokes = " ".join(f"H>s{number}" for number in range(300))
        await store.write(HERE, a_graph(f"A>H H>T {spokes} T>E"))
        wide = await self.paths(store, "A", limit=10)
        assert (len(wide.paths), wide.truncated) == (10, True)
        assert walked(await self.paths(store, "A", "E"), "AHTE") == ["AHTE"]
