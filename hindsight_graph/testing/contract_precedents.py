"""What a write in the making is told about: the rows stored under its keys, in one answer."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta

import pytest

from hindsight_graph.models.enums import Status, Visibility
from hindsight_graph.models.memory import Memory, Slot
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EntityPatch, Precedents, WriteBatch, WriteKeys
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW, a_memory, an_entity, an_episode, new

HERE = Scope()
ELSEWHERE = Scope(tenant="other")
PORT = Slot(subject="Staging Postgres", attribute="port", value="5433")
EARLIER = NOW - timedelta(hours=1)


async def put(store: Store, *memories: Memory) -> None:
    """Write memories without words or vectors."""
    await store.write(HERE, WriteBatch(memories=tuple(map(new, memories))))


def ids(found: Precedents) -> list[str]:
    """Return the ids of the memories found, in order."""
    return [memory.id for memory in found.memories]


class PrecedentsContract:
    """Tests of `find_precedents`."""

    async def test_no_keys_have_no_precedents(self, store: Store):
        await put(store, a_memory("1"))
        assert await store.find_precedents(HERE, WriteKeys()) == Precedents()

    async def test_each_sort_of_key_finds_its_rows_and_all_come_in_one_answer(self, store: Store):
        same, near, valued = a_memory("same"), a_memory("near", bands=(1, 2), recorded_at=EARLIER), a_memory("valued", slot=PORT)
        episode, thing = an_episode("1", session_id="s1", sequence=4), an_entity("Payment Service", aliases=("PS",))
        batch = WriteBatch(memories=tuple(map(new, (same, near, valued))), episodes=(episode,), entities=(thing,))
        await store.write(HERE, batch)
        keys = WriteKeys(
            episode_hashes=(episode.content_hash, "feed"),
            session_ids=("s1", "s2"),
            content_hashes=(same.content_hash, "beef"),
            bands=(2, 3),
            slots=(("staging postgres", "port"), ("staging postgres", "host")),
            normals=("payment service", "ps", "nobody"),
        )
        found = await store.find_precedents(HERE, keys)
        assert found.episodes == (episode,)
        assert found.next_sequences == {"s1": 5}
        assert found.memories == (valued, same, near)
        assert found.last_said == {}
        assert found.entities == {"payment service": thing, "ps": thing}
        nothing = await store.find_precedents(ELSEWHERE, keys)
        assert nothing == Precedents()

    async def test_a_memory_found_by_several_keys_comes_once(self, store: Store):
        memory = a_memory("1", bands=(1, 2), slot=PORT)
        await put(store, memory)
        keys = WriteKeys(content_hashes=(memory.content_hash,), bands=(1, 2), slots=(("staging postgres", "port"),))
        assert (await store.find_precedents(HERE, keys)).memories == (memory,)

    @pytest.mark.parametrize("status", list(Status))
    async def test_only_open_memories_can_be_said_again_and_in_a_slot_the_superseded_count(self, store: Store, status: Status):
        is_open = status in (Status.ACTIVE, Status.PENDING, Status.STALE, Status.QUARANTINED)
        current = a_memory("current", status=status, bands=(1,))
        past = a_memory("past", status=status, bands=(2,), is_current=False)
        valued = a_memory("valued", status=status, slot=PORT, is_current=False)
        await put(store, current, past, valued)
        alike = WriteKeys(content_hashes=(current.content_hash, past.content_hash))
        near, in_slot = WriteKeys(bands=(1, 2)), WriteKeys(slots=(("staging postgres", "port"),))
        assert ids(await store.find_precedents(HERE, alike)) == (["m-current"] if is_open else [])
        assert ids(await store.find_precedents(HERE, near)) == (["m-current"] if is_open else [])
        expected = ["m-valued"] if is_open or status is Status.SUPERSEDED else []
        assert ids(await store.find_precedents(HERE, in_slot)) == expected

    async def test_a_value_that_several_episodes_state_tells_when_it_was_last_said(self, store: Store):
        first, last = an_episode("1", occurred_at=EARLIER), an_episode("2", occurred_at=NOW)
        twice = a_memory("twice", slot=PORT, episode_ids=("e-1", "e-2"))
        once = a_memory("once", slot=PORT, episode_ids=("e-1",))
        elsewhere = a_memory("elsewhere", bands=(1,), episode_ids=("e-1", "e-2"))
        batch = WriteBatch(memories=tuple(map(new, (twice, once, elsewhere))), episodes=(first, last))
        await store.write(HERE, batch)
        found = await store.find_precedents(HERE, WriteKeys(slots=(("staging postgres", "port"),), bands=(1,)))
        assert found.last_said == {"m-twice": NOW}

    async def test_an_agent_is_told_of_its_own_rows_and_of_what_is_shared(self, store: Store):
        rows = {
            "none": a_memory("none", bands=(1,), visibility=Visibility.PRIVATE),
            "mine": a_memory("mine", bands=(1,), agent_id="a", visibility=Visibility.PRIVATE),
            "shared": a_memory("shared", bands=(1,), agent_id="b"),
            "theirs": a_memory("theirs", bands=(1,), agent_id="b", visibility=Visibility.PRIVATE),
        }
        episodes = tuple(
            an_episode(name, agent_id=agent, session_id="s", sequence=number)
            for number, (name, agent) in enumerate((("none", None), ("mine", "a"), ("theirs", "b")))
        )
        await store.write(HERE, WriteBatch(memories=tuple(map(new, rows.values())), episodes=episodes))
        hashes = tuple(episode.content_hash for episode in episodes)
        keys = WriteKeys(bands=(1,), episode_hashes=hashes, session_ids=("s",))
        found = await store.find_precedents(Scope(agent_id="a"), keys)
        assert set(ids(found)) == {"m-none", "m-mine", "m-shared"}
        assert {episode.id for episode in found.episodes} == {"e-none", "e-mine"}
        assert found.next_sequences == {"s": 2}
        assert (await store.find_precedents(HERE, keys)).next_sequences == {"s": 3}

    async def test_a_name_wins_over_an_alias_and_a_merged_entity_answers_with_itself(self, store: Store):
        named, aliased = an_entity("PS"), an_entity("Photoshop", aliases=("PS", "shop"))
        core = an_entity("ps core")
        await store.write(HERE, WriteBatch(entities=(aliased, named, core)))
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=core.id, canonical_id=named.id),)))
        found = (await store.find_precedents(HERE, WriteKeys(normals=("ps", "shop", "ps core")))).entities
        assert {form: entity.id for form, entity in found.items()} == {
            "ps": named.id, "shop": aliased.id, "ps core": core.id,
        }  # fmt: skip

    async def test_two_thousand_keys_are_looked_up_at_once(self, store: Store):
        memory, thing = a_memory("1", bands=(1_999,)), an_entity("thing 1999")
        await store.write(HERE, WriteBatch(memories=(new(memory),), entities=(thing,)))
        many = range(2_000)
        keys = WriteKeys(bands=tuple(many), normals=tuple(f"thing {number}" for number in many))
        found = await store.find_precedents(HERE, keys)
        assert (ids(found), found.entities) == (["m-1"], {"thing 1999": thing})
