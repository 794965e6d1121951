"""Changing the embedding model: a second set of vectors is filled beside the first, and takes its place at once."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

import numpy as np
import pytest

from hindsight_graph.errors import ConflictError, InputError, ModelMismatchError
from hindsight_graph.models.query import Filter, Scope, SystemScope
from hindsight_graph.models.record import EmbeddingModel, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import a_memory, a_vector, a_view, new

HERE, THERE, SYSTEM = Scope(), Scope(tenant="elsewhere"), SystemScope()
ALL = Filter(view=a_view())
NEXT = EmbeddingModel(name="next", dimension=12)


async def _two_memories(store: Store) -> None:
    await store.write(HERE, WriteBatch(memories=(new(a_memory("1", context="as said"), vector=a_vector(1)),)))
    await store.write(THERE, WriteBatch(memories=(new(a_memory("2"), vector=a_vector(0, 1)),)))


class RefillContract:
    """Tests of `begin_vectors`, `unfilled_vectors`, `fill_vectors`, `filled_vectors`, `switch_vectors` and `drop_vectors`."""

    async def test_a_second_set_of_vectors_takes_the_place_of_the_first(self, store: Store):
        await _two_memories(store)
        await store.begin_vectors(SYSTEM, NEXT)
        assert (await store.info()).filling == NEXT
        found = {(one.tenant, one.id): (one.summary, one.context) for one in await store.unfilled_vectors(SYSTEM)}
        assert found == {("default", "m-1"): ("statement 1", "as said"), ("elsewhere", "m-2"): ("statement 2", "")}
        await store.fill_vectors(HERE, {"m-1": a_vector(0, 0, 1, dimension=12), "m-2": a_vector(1, dimension=12)})
        assert [one.id for one in await store.unfilled_vectors(SYSTEM)] == ["m-2"]
        await store.fill_vectors(THERE, {"m-2": a_vector(0, 1, dimension=12)})
        assert await store.vector_topk(HERE, a_vector(1), 3, ALL)  # the first set answers until the switch
        assert await store.switch_vectors(SYSTEM) == 0
        await store.record_model(NEXT)
        info = await store.info()
        assert (info.embedding, info.filling) == (NEXT, None)
        nearest = await store.vector_topk(HERE, a_vector(0, 0, 1, dimension=12), 3, ALL)
        assert [(near.id, round(near.score, 4)) for near in nearest] == [("m-1", 1.0)]
        np.testing.assert_allclose((await store.get_vectors(THERE, ["m-2"]))["m-2"], a_vector(0, 1, dimension=12))

    async def test_nothing_is_switched_while_a_memory_has_no_vector_in_the_second_set(self, store: Store):
        await _two_memories(store)
        await store.begin_vectors(SYSTEM, NEXT)
        await store.fill_vectors(HERE, {"m-1": a_vector(1, dimension=12)})
        assert await store.switch_vectors(SYSTEM) == 1
        info = await store.info()
        assert info.embedding != NEXT
        assert info.filling == NEXT
        assert [near.id for near in await store.vector_topk(HERE, a_vector(1), 3, ALL)] == ["m-1"]

    async def test_a_memory_written_meanwhile_is_one_more_to_fill(self, store: Store):
        await store.begin_vectors(SYSTEM, NEXT)
        assert await store.unfilled_vectors(SYSTEM) == ()
        await _two_memories(store)
        assert [one.id for one in await store.unfilled_vectors(SYSTEM, 1)] == ["m-1"]
        assert len(await store.unfilled_vectors(SYSTEM)) == 2

    async def test_a_memory_without_a_vector_gets_one(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1")),)))
        assert (await store.stats(HERE)).without_vector == 1
        await store.begin_vectors(SYSTEM, NEXT)
        await store.fill_vectors(HERE, {"m-1": a_vector(1, dimension=12)})
        assert await store.switch_vectors(SYSTEM) == 0
        await store.record_model(NEXT)
        assert (await store.stats(HERE)).without_vector == 0
        assert [near.id for near in await store.vector_topk(HERE, a_vector(1, dimension=12), 3, ALL)] == ["m-1"]

    async def test_beginning_again_goes_on_and_a_third_model_is_refused(self, store: Store):
        await _two_memories(store)
        await store.begin_vectors(SYSTEM, NEXT)
        await store.fill_vectors(HERE, {"m-1": a_vector(1, dimension=12)})
        await store.begin_vectors(SYSTEM, NEXT)
        assert list(await store.filled_vectors(HERE, ["m-1", "m-2"])) == ["m-1"]
        with pytest.raises(ConflictError, match="next"):
            await store.begin_vectors(SYSTEM, EmbeddingModel(name="third", dimension=12))
        known = (await store.info()).embedding
        assert known is not None
        with pytest.raises(InputError, match="already"):
            await store.begin_vectors(SYSTEM, known)

    async def test_a_dropped_set_leaves_the_first_as_it_was(self, store: Store):
        await _two_memories(store)
        assert not await store.drop_vectors(SYSTEM)
        await store.begin_vectors(SYSTEM, NEXT)
        await store.fill_vectors(HERE, {"m-1": a_vector(1, dimension=12)})
        assert await store.drop_vectors(SYSTEM)
        assert (await store.info()).filling is None
        assert await store.filled_vectors(HERE, ["m-1"]) == {}
        assert [near.id for near in await store.vector_topk(HERE, a_vector(1), 3, ALL)] == ["m-1"]
        with pytest.raises(ConflictError, match="being filled"):
            await store.switch_vectors(SYSTEM)
        with pytest.raises(ConflictError, match="being filled"):
            await store.fill_vectors(HERE, {"m-1": a_vector(1, dimension=12)})

    async def test_a_vector_of_another_dimension_is_refused_in_the_second_set(self, store: Store):
        await _two_memories(store)
        await store.begin_vectors(SYSTEM, NEXT)
        with pytest.raises(ModelMismatchError, match="12 dimensions"):
            await store.fill_vectors(HERE, {"m-1": a_vector(1)})

    async def test_who_opened_the_store_with_the_old_model_writes_and_compares_no_vectors_any_more(self, store: Store):
        await _two_memories(store)
        same = EmbeddingModel(name="same size", dimension=8)
        await store.begin_vectors(SYSTEM, same)
        await store.fill_vectors(HERE, {"m-1": a_vector(0, 1)})
        await store.fill_vectors(THERE, {"m-2": a_vector(0, 1)})
        assert await store.switch_vectors(SYSTEM) == 0
        with pytest.raises(ModelMismatchError, match="same size"):
            await store.vector_topk(HERE, a_vector(1), 3, ALL)
        with pytest.raises(ModelMismatchError, match="same size"):
            await store.write(HERE, WriteBatch(memories=(new(a_memory("3"), vector=a_vector(1)),)))
        await store.record_model(same)
        await store.write(HERE, WriteBatch(memories=(new(a_memory("3"), vector=a_vector(1)),)))
