"""The contract's part about uses: when memories were retrieved last, noted without a change of them."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta

from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW, a_memory, new

HERE, ELSEWHERE = Scope(), Scope(tenant="elsewhere")
HOUR = timedelta(hours=1)


class UsesContract:
    """`note_uses` and `last_uses`."""

    async def test_the_latest_use_of_a_memory_is_kept_and_the_memory_stays_as_it_is(self, store: Store):
        memory, other = a_memory("one"), a_memory("two")
        await store.write(HERE, WriteBatch(memories=(new(memory), new(other))))
        before = await store.get_memories(HERE, [memory.id])
        await store.note_uses(HERE, [memory.id], NOW + HOUR)
        await store.note_uses(HERE, [memory.id], NOW)
        assert await store.last_uses(HERE, [memory.id, other.id]) == {memory.id: NOW + HOUR}
        assert await store.get_memories(HERE, [memory.id]) == before

    async def test_uses_are_of_one_tenant_and_of_memories_that_exist(self, store: Store):
        memory = a_memory("one")
        await store.write(HERE, WriteBatch(memories=(new(memory),)))
        await store.note_uses(ELSEWHERE, [memory.id], NOW)
        await store.note_uses(HERE, ["no-such-memory", memory.id], NOW)
        await store.note_uses(HERE, [], NOW)
        assert await store.last_uses(ELSEWHERE, [memory.id]) == {}
        assert await store.last_uses(HERE, [memory.id, "no-such-memory"]) == {memory.id: NOW}
        assert await store.last_uses(HERE, []) == {}
