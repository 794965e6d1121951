"""Programs of reads: the same answers as one by one, wherever they run."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from typing import Any

import pytest

from hindsight_graph.errors import ModelMismatchError, NotFoundError, StoreStalledError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, StructureType, Visibility
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope
from hindsight_graph.models.record import (
    EdgePage,
    EntityPatch,
    MemoryPatch,
    ScoredId,
    TermStats,
    TextCandidate,
    Vector,
    WriteBatch,
)
from hindsight_graph.resilience.limits import within
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, Read, a_read, ask, ask_together, run_program, run_stepwise
from hindsight_graph.testing.builders import a_memory, a_mention, a_vector, a_view, an_entity, new

HERE = Scope()
ELSEWHERE = Scope(tenant="other")
ALL = Filter(view=a_view())
WORDS = ("payment",)


class ProgramContract:
    """Tests of `hindsight_graph.stores.program`."""

    async def test_a_program_reads_what_the_single_reads_give(self, store: Store):
        await fill(store)
        assert await run_program(store, HERE, everything()) == await run_stepwise(store, HERE, everything())
        names, stats, words, nearest, memories, edges = await run_program(store, HERE, everything())
        assert names["payment"].name == "Payment"
        assert (stats.documents, stats.frequencies) == (2, {"payment": 1})
        assert [row.id for row in words] == ["m-1"]
        assert [near.id for near in nearest] == ["m-1", "m-2"]
        assert [memory.id for memory in memories] == ["m-2", "m-1"]
        assert [(edge.source_id, edge.target_id) for edge in edges] == [("m-1", names["payment"].id)]

    async def test_reads_of_one_step_give_what_each_gives_alone(self, store: Store):
        await fill(store)
        thing, later = an_entity("Payment"), a_memory("3")
        await store.write(HERE, WriteBatch(memories=(new(later, "payment"),), edges=(a_mention(later, thing),)))
        view, ids = a_view(), ("m-3", "nothing", "m-1", "m-2")
        mentions = (StructureType.MENTIONS,)
        reads: tuple[Read[Any], ...] = (
            a_read(Store.edges_of, ("m-1", "m-3"), mentions, Direction.OUT, 5, view),
            a_read(Store.get_memories, ids),
            a_read(Store.edges_of, (thing.id,), mentions, Direction.IN, 1, view),
            a_read(Store.vector_topk, a_vector(1), 4, Filter(view=view, ids=ids)),
            a_read(Store.edges_of, (thing.id,), (), Direction.BOTH, 2, view),
            a_read(Store.find_entities, ("payment",)),
        )
        for scope in (HERE, ELSEWHERE):
            given = await run_program(store, scope, ask_together(*reads))
            alone = [await getattr(store, read.name)(scope, *read.arguments) for read in reads]
            assert [reply.take() for reply in given] == alone
            edges = [len(value.edges) for value in alone if isinstance(value, EdgePage)]
            assert edges == ([2, 1, 2] if scope == HERE else [0, 0, 0])
            assert [near.id for near in alone[3]] == (["m-1", "m-2"] if scope == HERE else [])

    async def test_a_program_sees_its_scope_only(self, store: Store):
        await fill(store)
        names, stats, words, nearest, memories, edges = await run_program(store, ELSEWHERE, everything())
        assert (names, stats.documents, words, nearest, memories, edges) == ({}, 0, (), (), (), ())

    async def test_a_program_sees_what_was_written_before_it_began(self, store: Store):
        for number in (1, 2, 3):
            await store.write(HERE, WriteBatch(memories=(new(a_memory(str(number)), "payment", vector=a_vector(number)),)))
            found = await run_program(store, HERE, everything())
            assert found[1].documents == number
            assert len(found[2]) == number

    async def test_a_program_sees_what_was_changed_since_the_last_one(self, store: Store):
        await fill(store)
        before = await run_program(store, HERE, everything())
        core = an_entity("Core")
        for batch in (
            WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes={"confidence": 0.25}),)),
            WriteBatch(entities=(core,), entity_patches=(EntityPatch(id=an_entity("Payment").id, canonical_id=core.id),)),
        ):
            await store.write(HERE, batch)
            found = await run_program(store, HERE, everything())
            assert found == await run_stepwise(store, HERE, everything())
        assert (before[4][1].confidence, found[4][1].confidence) == (0.9, 0.25)
        assert (before[5][0].target_canonical, found[5][0].target_canonical) == (an_entity("Payment").id, core.id)

    async def test_a_program_shows_an_agent_what_it_may_see_after_another_has_read_it(self, store: Store):
        hidden = a_memory("1", agent_id="other", visibility=Visibility.PRIVATE)
        batch = WriteBatch(memories=(new(hidden, "payment"), new(a_memory("2", agent_id="other"), "payment")))
        await store.write(HERE, batch)

        def program() -> Program[tuple[list[str], list[str]]]:
            named, listed = yield from ask_together(
                a_read(Store.get_memories, ("m-1", "m-2")), a_read(Store.scan_memories, ALL, Order.RECORDED_OLDEST)
            )
            return [memory.id for memory in named.take()], [memory.id for memory in listed.take().rows]

        everybody = await run_program(store, HERE, program())
        assert everybody == (["m-1", "m-2"], ["m-1", "m-2"])
        assert await run_program(store, Scope(agent_id="me"), program()) == (["m-2"], ["m-2"])
        assert await run_program(store, Scope(agent_id="other"), program()) == everybody
        assert await run_program(store, ELSEWHERE, program()) == ([], [])

    async def test_an_error_of_one_read_leaves_the_others_and_the_program_goes_on(self, store: Store):
        await fill(store)

        def program() -> Program[tuple[str, tuple[Memory, ...]]]:
            wrong, right = yield from ask_together(
                a_read(Store.vector_topk, a_vector(1, dimension=3), 2, ALL), a_read(Store.get_memories, ("m-1",))
            )
            with pytest.raises(ModelMismatchError) as told:
                wrong.take()
            assert len(right.take()) == 1
            return told.value.message, (yield from ask(a_read(Store.get_memories, ("m-2",))))

        message, memories = await run_program(store, HERE, program())
        assert "dimension" in message
        assert [memory.id for memory in memories] == ["m-2"]

    async def test_a_read_whose_time_is_over_is_not_made(self, store: Store):
        def program() -> Program[None]:
            with within(-1.0):
                yield from ask(a_read(Store.get_memories, ("m-1",)))

        if getattr(store, "run_program", None) is None:
            pytest.skip("this store's reads are bounded by its guard alone")
        with pytest.raises(StoreStalledError, match="no time was left"):
            await run_program(store, HERE, program())
        assert (await run_program(store, HERE, everything()))[1].documents == 0

    async def test_what_a_program_raises_comes_out_and_the_store_goes_on(self, store: Store):
        def program() -> Program[None]:
            yield from ask(a_read(Store.get_memories, ("m-1",)))
            raise NotFoundError("nothing of that name")

        with pytest.raises(NotFoundError, match="nothing of that name"):
            await run_program(store, HERE, program())
        assert (await run_program(store, HERE, everything()))[1].documents == 0


async def fill(store: Store) -> None:
    """Write two memories, one of which mentions a thing."""
    thing, told, other = an_entity("Payment"), a_memory("1"), a_memory("2")
    batch = WriteBatch(
        memories=(new(told, "payment", vector=a_vector(1)), new(other, "invoice", vector=a_vector(1, 1))),
        entities=(thing,),
        edges=(a_mention(told, thing),),
    )
    await store.write(HERE, batch)


Found = tuple[
    dict[str, Entity], TermStats, tuple[TextCandidate, ...], tuple[ScoredId, ...], tuple[Memory, ...], tuple[Edge, ...]
]  # fmt: skip


def everything() -> Program[Found]:
    """Return a program with a step of several reads, and steps that depend on it."""
    vector: Vector = a_vector(1)
    names, stats = yield from ask_together(a_read(Store.find_entities, ("payment",)), a_read(Store.term_stats, WORDS, ALL))
    words, nearest = yield from ask_together(
        a_read(Store.text_topk, WORDS, 5, ALL), a_read(Store.vector_topk, vector, 2, where=ALL)
    )
    ids = sorted({near.id for near in nearest.take()}, reverse=True)
    memories = yield from ask(a_read(Store.get_memories, ids))
    edges = yield from ask(a_read(Store.edges_of, ids, (StructureType.MENTIONS,), Direction.OUT, 8, ALL.view))
    return names.take(), stats.take(), words.take(), nearest.take(), memories, edges.edges
