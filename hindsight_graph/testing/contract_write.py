"""What a write does: one transaction, safe to repeat, in one tenant."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

import asyncio
from datetime import timedelta

import pytest

from hindsight_graph.errors import (
    ConflictError,
    EmbeddingError,
    IdempotencyError,
    InputError,
    ModelMismatchError,
    NotFoundError,
)
from hindsight_graph.models.enums import EntityType, Kind, RelationType, Status, Visibility
from hindsight_graph.models.memory import Mention, Relation, Slot
from hindsight_graph.models.query import DEFAULT_LEASE, Scope, SystemScope
from hindsight_graph.models.record import (
    AuditEntry,
    EmbeddingModel,
    EntityPatch,
    FinishedJob,
    IdempotencyRecord,
    Job,
    JobState,
    MemoryPatch,
    SessionRecord,
    SlotExpectation,
    WriteBatch,
)
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import (
    NOW,
    a_memory,
    a_mention,
    a_statement,
    a_vector,
    an_edge,
    an_entity,
    an_episode,
    new,
    together,
)

HERE = Scope()
ELSEWHERE = Scope(tenant="other")
PORT = Slot(subject="Postgres", attribute="port", value="5433")


def held_by(*ids: str, agent: str | None = None, subject: str = "postgres") -> SlotExpectation:
    """Return what a plan says that found these memories in the slot of a port."""
    return SlotExpectation(agent_id=agent, slot=(subject, "port"), ids=frozenset(ids))


class WriteContract:
    """Tests of `Store.write`, `find_response`, `claim_jobs`, `get_session` and `record_model`."""

    async def test_a_memory_comes_back_field_by_field(self, store: Store):
        full = a_memory(
            "full", kind=Kind.ACTION, context="release notes", language="mixed", negated=True,
            mentions=(Mention(name="Postgres 数据库", type=EntityType.SOFTWARE, entity_id="p"),),
            relations=(Relation(source="a", type=RelationType.FIXES, target="b", pattern="p1", confidence=0.25),),
            slot=Slot(subject="staging Postgres", attribute="port", value="5433"), raw_refs=("chat:7", "chat:8"),
            episode_ids=("e1", "e2"),
            tags=("infra", "db"), agent_id="a1", visibility=Visibility.PRIVATE, session_id="s1", sequence=3, trust=0.3,
            confidence=0.55,
            importance=2.0, priority=-4, weight=0.125, media_type="image/png", task_type="refund", outcome="failure",
            tools=("psql",),
            error_code="E42", ttl=timedelta(days=90, microseconds=7), expires_at=NOW + timedelta(days=90),
            valid_from=NOW - timedelta(microseconds=1), valid_to=NOW + timedelta(days=1), closed_at=NOW, prior_valid_to=NOW,
            confirmed_at=NOW, retired_at=NOW, is_current=False, bands=(1, 2**62), payload={"a": [1, None, 1.5, "二"], "b": {}},
        )  # fmt: skip
        await store.write(HERE, WriteBatch(memories=(new(full, "x", vector=a_vector(1, 2)), new(a_memory("plain")))))
        assert await store.get_memories(HERE, ["m-plain", "m-none", "m-full"]) == (a_memory("plain"), full)
        assert (await store.get_vectors(HERE, ["m-plain", "m-full"]))["m-full"].tolist() == a_vector(1, 2).tolist()

    async def test_a_repeated_batch_changes_nothing(self, store: Store):
        old = a_memory("old")
        await store.write(HERE, WriteBatch(memories=(new(old, "x"),)))
        batch = a_statement("Checkout", RelationType.DEPENDS_ON, "payment service").model_copy(
            update={
                "episodes": (an_episode("1"),),
                "memory_patches": (MemoryPatch(id=old.id, changes={"status": Status.SUPERSEDED, "is_current": False}),),
                "audit": (AuditEntry(id="a1", at=NOW, actor="me", action="update", target_ids=(old.id,)),),
                "sessions": (SessionRecord(id="s", state={"goal": "x"}, version=1, updated_at=NOW),),
                "jobs": (Job(id="j", kind="k", payload={}, created_at=NOW),),
            }
        )
        await store.write(HERE, batch)
        first = await store.stats(HERE)
        await store.write(HERE, batch)
        assert (await store.stats(HERE)).model_copy(update={"size_bytes": first.size_bytes}) == first
        assert len(await store.scan_audit(HERE)) == 1

    async def test_a_row_whose_id_exists_is_left_as_it_is(self, store: Store):
        await store.write(
            HERE, WriteBatch(memories=(new(a_memory("x", summary="first")),), episodes=(an_episode("x", content="first"),))
        )
        await store.write(
            HERE, WriteBatch(memories=(new(a_memory("x", summary="other")),), episodes=(an_episode("x", content="other"),))
        )
        assert (await store.get_memories(HERE, ["m-x"]))[0].summary == "first"
        assert (await store.get_episodes(HERE, ["e-x"]))[0].content == "first"

    @pytest.mark.parametrize("twin", ["memory", "episode"])
    async def test_the_same_content_under_another_id_is_a_conflict_and_nothing_is_written(self, store: Store, twin: str):
        await store.write(
            HERE, WriteBatch(memories=(new(a_memory("1", summary="same")),), episodes=(an_episode("1", content="same"),))
        )
        batch = WriteBatch(
            memories=(new(a_memory("2", summary="same" if twin == "memory" else "new")),),
            episodes=(an_episode("2", content="same" if twin == "episode" else "new"),),
            entities=(an_entity("Checkout"),),
            jobs=(Job(id="j", kind="k", payload={}, created_at=NOW),),
        )
        with pytest.raises(ConflictError, match=r"[me]-2 says the same as \w+ [me]-1"):
            await store.write(HERE, batch)
        counts = await store.stats(HERE)
        assert (counts.memories, counts.episodes, counts.entities, counts.open_jobs) == (1, 1, 0, 0)

    async def test_agents_and_tenants_may_each_say_the_same(self, store: Store):
        for number, (scope, agent) in enumerate([(HERE, None), (HERE, "a"), (HERE, "b"), (ELSEWHERE, None)]):
            batch = WriteBatch(memories=(new(a_memory(str(number), summary="same", agent_id=agent)),))
            await store.write(scope, batch)
        assert (await store.stats(HERE)).memories == 3

    async def test_what_is_superseded_or_rejected_may_be_said_again(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1", summary="same")),)))
        for number, change in ((2, {"is_current": False}), (3, {"status": Status.REJECTED})):
            patch = MemoryPatch(id=f"m-{number - 1}", changes=change)
            await store.write(HERE, WriteBatch(memories=(new(a_memory(str(number), summary="same")),), memory_patches=(patch,)))
        assert (await store.stats(HERE)).memories == 3

    @pytest.mark.parametrize("way", ["adds", "changes"])
    @pytest.mark.parametrize("found", [(), ("m-other",), ("m-1", "m-other")], ids=["none", "another", "more"])
    async def test_a_batch_planned_against_other_holders_of_a_slot_is_refused_and_writes_nothing(
        self, store: Store, found: tuple[str, ...], way: str
    ):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1", slot=PORT)), new(a_memory("free")))))
        change = (MemoryPatch(id="m-free", changes={"weight": 0.125}),) if way == "changes" else ()
        batch = WriteBatch(
            expected_slots=(held_by(*found),), memories=(new(a_memory("2", slot=PORT)),), entities=(an_entity("Postgres"),),
            memory_patches=change, episodes=(an_episode("2"),),
        )  # fmt: skip
        with pytest.raises(ConflictError, match="the value of postgres / port was changed by another writer") as refused:
            await store.write(HERE, batch)
        assert refused.value.hint == "plan the write anew"
        counts = await store.stats(HERE)
        assert (counts.memories, counts.episodes, counts.entities) == (2, 0, 0)
        assert await store.get_memories(HERE, ["m-free"]) == (a_memory("free"),)
        planned_anew = batch.model_copy(update={"expected_slots": (held_by("m-1"),)})
        for _ in range(2):
            await store.write(HERE, planned_anew)
        assert (await store.stats(HERE)).memories == 3

    async def test_only_what_is_current_and_active_of_the_same_agent_and_tenant_holds_a_slot(self, store: Store):
        gone = (a_memory("old", slot=PORT, is_current=False), a_memory("rejected", slot=PORT, status=Status.REJECTED))
        others = (a_memory("a", slot=PORT, agent_id="a"), a_memory("host", slot=PORT.model_copy(update={"attribute": "host"})))
        await store.write(HERE, WriteBatch(memories=tuple(new(memory) for memory in (*gone, *others))))
        await store.write(ELSEWHERE, WriteBatch(memories=(new(a_memory("1", slot=PORT)),)))
        batch = WriteBatch(expected_slots=(held_by(), held_by("m-a", agent="a")), memories=(new(a_memory("1", slot=PORT)),))
        await store.write(HERE, batch)
        assert (await store.stats(HERE)).memories == 5

    async def test_of_two_writers_that_state_a_slot_at_once_one_is_refused(self, store: Store):
        for number in range(5):
            slot = PORT.model_copy(update={"subject": f"Postgres {number}"})
            expected = held_by(subject=f"postgres {number}")
            batches = [
                WriteBatch(expected_slots=(expected,), memories=(new(a_memory(f"{number}-{writer}", slot=slot)),))
                for writer in range(4)
            ]
            answers = await asyncio.gather(*(store.write(HERE, batch) for batch in batches), return_exceptions=True)
            assert sorted(type(answer).__name__ for answer in answers) == [*["ConflictError"] * 3, "WriteReceipt"]
        assert (await store.stats(HERE)).memories == 5

    async def test_two_memories_may_swap_their_places_in_one_batch(self, store: Store):
        await store.write(
            HERE, WriteBatch(memories=(new(a_memory("1", summary="same", is_current=False)), new(a_memory("2", summary="same"))))
        )
        back = MemoryPatch(id="m-1", changes={"is_current": True}, expect_current=False)
        away = MemoryPatch(id="m-2", changes={"is_current": False})
        await store.write(HERE, WriteBatch(memory_patches=(back, away)))
        first, second = await store.get_memories(HERE, ["m-1", "m-2"])
        assert (first.is_current, second.is_current) == (True, False)

    async def test_a_patch_of_a_memory_that_is_no_longer_current_is_a_conflict(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1")),)))
        gone = {"is_current": False, "status": Status.SUPERSEDED}
        await store.write(HERE, WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes=gone),)))
        with pytest.raises(ConflictError, match="m-1 is no longer current"):
            await store.write(
                HERE, WriteBatch(memories=(new(a_memory("2")),), memory_patches=(MemoryPatch(id="m-1", changes=gone),))
            )
        assert (await store.stats(HERE)).memories == 1
        await store.write(
            HERE, WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes={"weight": 0.25}, expect_current=False),))
        )
        assert (await store.get_memories(HERE, ["m-1"]))[0].weight == 0.25

    async def test_a_patch_decided_on_another_status_is_a_conflict_and_changes_nothing(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1")),)))
        reject = MemoryPatch(id="m-1", changes={"status": Status.REJECTED}, expect_status=Status.ACTIVE)
        await store.write(HERE, WriteBatch(memory_patches=(reject,)))
        approve = MemoryPatch(id="m-1", changes={"weight": 0.25}, expect_status=Status.PENDING)
        with pytest.raises(ConflictError, match="m-1 is rejected by now, not pending"):
            await store.write(HERE, WriteBatch(memory_patches=(approve,)))
        (found,) = await store.get_memories(HERE, ["m-1"])
        assert (found.status, found.weight) == (Status.REJECTED, 0.5)

    async def test_a_patch_of_an_unknown_memory_is_not_found_and_so_is_one_of_another_tenant(self, store: Store):
        await store.write(ELSEWHERE, WriteBatch(memories=(new(a_memory("1")),)))
        for name in ("m-1", "m-none"):
            with pytest.raises(NotFoundError, match=f"no memory {name}"):
                await store.write(HERE, WriteBatch(memory_patches=(MemoryPatch(id=name, changes={"weight": 0.1}),)))

    @pytest.mark.parametrize(
        "changes", [{"summary": "other"}, {"trust": 1.5}, {"valid_to": NOW - timedelta(days=9)}, {"nothing": 1}]
    )
    async def test_a_patch_that_the_model_would_refuse_is_refused(self, store: Store, changes: dict[str, object]):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1")),)))
        with pytest.raises(InputError, match="m-1"):
            await store.write(HERE, WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes=changes),)))
        assert await store.get_memories(HERE, ["m-1"]) == (a_memory("1"),)

    async def test_evidence_is_added_each_once(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1", episode_ids=("e1",), raw_refs=("r1",))),)))
        for _ in range(2):
            patch = MemoryPatch(id="m-1", add_evidence=(("e1", "r1"), ("e2", None), ("e3", "r3")))
            await store.write(HERE, WriteBatch(memory_patches=(patch,)))
        memory = (await store.get_memories(HERE, ["m-1"]))[0]
        assert (memory.episode_ids, memory.raw_refs) == (("e1", "e2", "e3"), ("r1", "r3"))

    async def test_the_edges_of_a_memory_follow_its_state(self, store: Store):
        memory = a_memory("1")
        await store.write(
            HERE, WriteBatch(memories=(new(memory),), edges=(an_edge(memory.id, RelationType.USES, memory.id, memory),))
        )
        later = NOW + timedelta(hours=1)
        changes = {
            "status": Status.SUPERSEDED, "is_current": False, "retired_at": later, "valid_to": later, "closed_at": later,
            "prior_valid_to": later, "expires_at": later, "trust": 0.2, "visibility": Visibility.PRIVATE,
        }  # fmt: skip
        await store.write(HERE, WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes=changes),)))
        (edge,) = await store.owned_edges(HERE, ["m-1"])
        assert {name: getattr(edge, name) for name in changes} == changes

    async def test_an_edge_that_joins_an_older_memory_takes_its_state(self, store: Store):
        memory = a_memory("1")
        await store.write(HERE, WriteBatch(memories=(new(memory),)))
        await store.write(
            HERE, WriteBatch(memory_patches=(MemoryPatch(id="m-1", changes={"status": Status.ARCHIVED, "trust": 0.1}),))
        )
        await store.write(HERE, WriteBatch(entities=(an_entity("Late"),), edges=(a_mention(memory, an_entity("Late")),)))
        (edge,) = await store.owned_edges(HERE, ["m-1"])
        assert (edge.status, edge.trust) == (Status.ARCHIVED, 0.1)

    async def test_an_existing_entity_keeps_its_name_and_gains_aliases_and_a_type(self, store: Store):
        first = an_entity("Payment Service")
        await store.write(HERE, WriteBatch(entities=(first,)))
        again = an_entity("payment-service", aliases=("PS",), type=EntityType.SERVICE)
        assert again.id == first.id
        await store.write(HERE, WriteBatch(entities=(again, again.model_copy(update={"type": EntityType.PLACE}))))
        (found,) = await store.get_entities(HERE, [first.id])
        assert (found.name, found.aliases, found.type) == ("Payment Service", ("payment-service", "PS"), EntityType.SERVICE)

    async def test_a_merge_moves_all_edges_and_a_split_moves_them_back(self, store: Store):
        await store.write(
            HERE,
            together(
                a_statement("Checkout", RelationType.USES, "PSP"), a_statement("payment service", RelationType.USES, "Postgres")
            ),
        )
        here, there = an_entity("PSP").id, an_entity("payment service").id
        await store.write(
            HERE, WriteBatch(entity_patches=(EntityPatch(id=here, canonical_id=there, add_aliases=("pay provider",)),))
        )
        edges = await store.owned_edges(HERE, ["m-Checkout-USES-PSP"])
        assert {edge.target_canonical for edge in edges if edge.target_id == here} == {there}
        late = a_statement("Ledger", RelationType.USES, "PSP")
        await store.write(HERE, late)
        assert {
            edge.target_canonical for edge in await store.owned_edges(HERE, ["m-Ledger-USES-PSP"]) if edge.target_id == here
        } == {there}
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=here, canonical_id=here),)))
        edges = await store.owned_edges(HERE, ["m-Checkout-USES-PSP", "m-Ledger-USES-PSP"])
        assert {edge.target_canonical for edge in edges if edge.target_id == here} == {here}

    async def test_canonical_ids_never_form_a_chain(self, store: Store):
        names = [an_entity(name) for name in ("one", "two", "three")]
        await store.write(HERE, WriteBatch(entities=tuple(names)))
        one, two, three = (entity.id for entity in names)
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=one, canonical_id=two),)))
        with pytest.raises(ConflictError, match="merged into"):
            await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=two, canonical_id=three),)))
        with pytest.raises(NotFoundError, match="no entity"):
            await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=three, canonical_id="nowhere"),)))
        with pytest.raises(NotFoundError, match="no entity nowhere"):
            await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id="nowhere", canonical_id=one),)))
        both = (EntityPatch(id=two, canonical_id=three), EntityPatch(id=one, canonical_id=three))
        await store.write(HERE, WriteBatch(entity_patches=both))
        assert {entity.canonical_id for entity in await store.get_entities(HERE, [one, two, three])} == {three}

    async def test_an_idempotency_key_gives_its_answer_again_and_refuses_another_request(self, store: Store):
        def batch(name: str, request: str, response: str | None) -> WriteBatch:
            record = IdempotencyRecord(key="k", request_hash=request, response=response)
            return WriteBatch(memories=(new(a_memory(name)),), idempotency=record)

        assert not (await store.write(HERE, batch("1", "r", None))).repeated
        assert not (await store.write(HERE, batch("2", "r", "done"))).repeated
        again = await store.write(HERE, batch("3", "r", "other"))
        assert (again.repeated, again.response) == (True, "done")
        with pytest.raises(IdempotencyError, match="'k'"):
            await store.write(HERE, batch("4", "another", None))
        assert await store.find_response(HERE, "k") == IdempotencyRecord(key="k", request_hash="r", response="done")
        assert await store.find_response(ELSEWHERE, "k") is None
        assert await store.find_response(Scope(agent_id="a"), "k") is None
        assert (await store.stats(HERE)).memories == 2

    async def test_vectors_of_another_dimension_or_length_are_refused(self, store: Store):
        with pytest.raises(ModelMismatchError, match="dimension 8"):
            await store.write(HERE, WriteBatch(memories=(new(a_memory("1"), vector=a_vector(1, dimension=9)),)))
        with pytest.raises(EmbeddingError, match="not float32 with 1"):
            await store.write(HERE, WriteBatch(memories=(new(a_memory("1"), vector=a_vector(1) * 3),)))
        with pytest.raises(EmbeddingError, match="nan"):
            await store.write(HERE, WriteBatch(memories=(new(a_memory("1"), vector=a_vector(1) * float("nan")),)))
        assert (await store.stats(HERE)).memories == 0

    async def test_another_embedding_model_is_refused(self, store: Store):
        known = (await store.info()).embedding
        assert known is not None
        await store.record_model(known)
        with pytest.raises(ModelMismatchError, match="contract"):
            await store.record_model(EmbeddingModel(name="another", dimension=known.dimension))
        assert (await store.info()).embedding == known

    async def test_jobs_are_leased_once_and_again_when_the_lease_ran_out(self, store: Store):
        jobs = (
            Job(id="j1", kind="extract", payload={"n": 1}, created_at=NOW),
            Job(id="j2", kind="reflect", payload={}, created_at=NOW),
        )
        await store.write(Scope(agent_id="a"), WriteBatch(jobs=jobs))
        claimed = await store.claim_jobs(SystemScope(), ["extract"], 5, NOW, DEFAULT_LEASE)
        assert [(scope, job.id, job.state, job.attempts, job.payload) for scope, job in claimed] == [
            (Scope(agent_id="a"), "j1", JobState.RUNNING, 1, {"n": 1})
        ]
        assert claimed[0][1].lease_until == NOW + DEFAULT_LEASE
        assert (
            await store.claim_jobs(SystemScope(), ["extract"], 5, NOW + DEFAULT_LEASE - timedelta(seconds=1), DEFAULT_LEASE) == ()
        )
        again = await store.claim_jobs(SystemScope(), ["extract"], 5, NOW + DEFAULT_LEASE, DEFAULT_LEASE)
        assert [(job.id, job.attempts) for _, job in again] == [("j1", 2)]
        done = FinishedJob(id="j1", state=JobState.DONE, finished_at=NOW)
        await store.write(HERE, WriteBatch(finished_jobs=(done,)))
        await store.write(HERE, WriteBatch(finished_jobs=(done,)))
        assert await store.claim_jobs(SystemScope(), ["extract"], 5, NOW + timedelta(days=9), DEFAULT_LEASE) == ()
        assert (await store.stats(HERE)).open_jobs == 1

    async def test_a_job_ends_once_and_only_in_its_tenant(self, store: Store):
        await store.write(HERE, WriteBatch(jobs=(Job(id="j", kind="k", payload={}, created_at=NOW),)))
        failed = FinishedJob(id="j", state=JobState.FAILED, finished_at=NOW, error="no")
        with pytest.raises(NotFoundError, match="no job j"):
            await store.write(ELSEWHERE, WriteBatch(finished_jobs=(failed,)))
        await store.write(HERE, WriteBatch(finished_jobs=(failed,)))
        with pytest.raises(ConflictError, match="failed already"):
            await store.write(HERE, WriteBatch(finished_jobs=(failed.model_copy(update={"state": JobState.DONE}),)))

    async def test_a_session_moves_by_one_version_at_a_time(self, store: Store):
        def session(version: int, goal: str = "x", agent: str | None = None) -> WriteBatch:
            record = SessionRecord(id="s", agent_id=agent, state={"goal": goal}, version=version, updated_at=NOW)
            return WriteBatch(sessions=(record,))

        with pytest.raises(ConflictError, match="version 0"):
            await store.write(HERE, session(2))
        await store.write(HERE, session(1))
        await store.write(HERE, session(2, "y"))
        for stale in (session(1), session(2, "z"), session(4)):
            with pytest.raises(ConflictError, match="version 2"):
                await store.write(HERE, stale)
        found = await store.get_session(HERE, "s")
        assert found is not None
        assert (found.version, found.state, found.agent_id) == (2, {"goal": "y"}, None)
        assert await store.get_session(ELSEWHERE, "s") is None
        assert await store.get_session(Scope(agent_id="a"), "s") is None
        await store.write(Scope(agent_id="a"), session(1, "mine", "a"))
        listed = await store.list_sessions(HERE)
        assert "s" in {record.id for record in listed}
        assert await store.list_sessions(ELSEWHERE) == ()
        mine = await store.get_session(Scope(agent_id="a"), "s")
        assert mine is not None
        assert mine.state == {"goal": "mine"}
