"""What is read back: by id, in order, by name, and by whom."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta

import pytest

from hindsight_graph.errors import CursorError
from hindsight_graph.models.enums import RelationType, Status, StructureType, Visibility
from hindsight_graph.models.query import EpisodeFilter, Filter, Order, Scope, SystemScope
from hindsight_graph.models.record import AuditEntry, EntityPatch, Job, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import (
    NOW,
    a_memory,
    a_mention,
    a_statement,
    a_vector,
    a_view,
    an_edge,
    an_entity,
    an_episode,
    new,
)

HERE = Scope()
ELSEWHERE = Scope(tenant="other")
ALL = Filter(view=a_view())


class ReadContract:
    """Tests of the get, scan, find and stats methods."""

    async def test_another_tenants_rows_do_not_exist(self, store: Store):
        batch = a_statement("Checkout", RelationType.USES, "Postgres").model_copy(
            update={
                "episodes": (an_episode("1"),),
                "audit": (AuditEntry(id="a", at=NOW, actor="x", action="y", target_ids=("z",)),),
                "jobs": (Job(id="j", kind="k", payload={}, created_at=NOW),),
            }
        )
        await store.write(HERE, batch)
        memory_id, entity = batch.memories[0].memory.id, batch.entities[0]
        assert await store.get_memories(ELSEWHERE, [memory_id]) == ()
        assert await store.captions(ELSEWHERE, [memory_id]) == {}
        assert await store.get_episodes(ELSEWHERE, ["e-1"]) == ()
        assert await store.get_entities(ELSEWHERE, [entity.id]) == ()
        assert await store.get_vectors(ELSEWHERE, [memory_id]) == {}
        assert (await store.scan_memories(ELSEWHERE, ALL)).rows == ()
        assert (await store.scan_episodes(ELSEWHERE, EpisodeFilter())).rows == ()
        assert (await store.scan_entities(ELSEWHERE)).rows == ()
        assert await store.scan_audit(ELSEWHERE) == ()
        assert await store.find_entities(ELSEWHERE, [entity.normal]) == {}
        assert await store.owned_edges(ELSEWHERE, [memory_id]) == ()
        counts = await store.stats(ELSEWHERE)
        assert (counts.memories, counts.episodes, counts.entities, counts.edges, counts.open_jobs) == (0, 0, 0, 0, 0)
        await store.write(ELSEWHERE, WriteBatch(memories=(new(a_memory("x", id=memory_id)),)))
        assert (await store.get_memories(ELSEWHERE, [memory_id]))[0].summary == "statement x"

    async def test_memories_are_called_by_their_summary_and_refs(self, store: Store):
        told = a_memory("1", raw_refs=("chat:7", "doc:\u00e9"))
        await store.write(HERE, WriteBatch(memories=(new(told), new(a_memory("2", raw_refs=())))))
        called = await store.captions(HERE, ["m-2", "m-9", "m-1", "m-1"])
        assert called == {"m-1": ("statement 1", ("chat:7", "doc:\u00e9")), "m-2": ("statement 2", ())}
        assert await store.captions(HERE, []) == {}

    async def test_an_agent_sees_its_own_rows_those_of_no_agent_and_what_is_shared(self, store: Store):
        rows = {
            "none": a_memory("none", visibility=Visibility.PRIVATE),
            "mine": a_memory("mine", agent_id="a", visibility=Visibility.PRIVATE),
            "shared": a_memory("shared", agent_id="b"),
            "theirs": a_memory("theirs", agent_id="b", visibility=Visibility.PRIVATE),
        }
        things = {name: an_entity(f"thing {name}") for name in rows}
        batch = WriteBatch(
            memories=tuple(new(memory, "word", vector=a_vector(1)) for memory in rows.values()),
            entities=tuple(things.values()),
            edges=tuple(a_mention(memory, things[name]) for name, memory in rows.items()),
            episodes=tuple(an_episode(name, agent_id=agent) for name, agent in (("none", None), ("mine", "a"), ("theirs", "b"))),
        )
        await store.write(HERE, batch)
        agent = Scope(agent_id="a")
        ids = [memory.id for memory in rows.values()]
        assert [memory.id for memory in await store.get_memories(agent, ids)] == ["m-none", "m-mine", "m-shared"]
        assert set(await store.get_vectors(agent, ids)) == {"m-none", "m-mine", "m-shared"}
        assert set(await store.captions(agent, ids)) == {"m-none", "m-mine", "m-shared"}
        assert {row.id for row in (await store.scan_memories(agent, ALL)).rows} == {"m-none", "m-mine", "m-shared"}
        assert [row.id for row in await store.get_episodes(agent, ["e-none", "e-mine", "e-theirs"])] == ["e-none", "e-mine"]
        assert {row.id for row in (await store.scan_episodes(agent, EpisodeFilter())).rows} == {"e-none", "e-mine"}
        assert [row.name for row in (await store.scan_entities(agent)).rows] == ["thing mine", "thing none", "thing shared"]
        assert len(await store.owned_edges(agent, ids)) == 3
        assert (await store.stats(agent)).memories == 3
        assert len((await store.scan_memories(HERE, ALL)).rows) == 4
        only = Filter(view=a_view(), agent_ids=("b",))
        assert [row.id for row in (await store.scan_memories(agent, only)).rows] == ["m-shared"]
        assert [hit.id for hit in await store.vector_topk(agent, a_vector(1), 9, only)] == ["m-shared"]

    @pytest.mark.parametrize("order", list(Order))
    async def test_pages_follow_each_other_without_gap_or_repeat(self, store: Store, order: Order):
        memories = [
            a_memory(
                str(number), recorded_at=NOW - timedelta(hours=number // 2), valid_from=NOW - timedelta(days=9 - number // 3)
            )
            for number in range(9)
        ]
        await store.write(HERE, WriteBatch(memories=tuple(map(new, memories))))
        seen: list[str] = []
        cursor: str | None = None
        for _ in range(9):
            page = await store.scan_memories(HERE, ALL, order, cursor, 2)
            seen += [memory.id for memory in page.rows]
            cursor = page.cursor
            if cursor is None:
                break
        recorded = order in (Order.RECORDED_NEWEST, Order.RECORDED_OLDEST)
        newest = order in (Order.RECORDED_NEWEST, Order.EVENT_NEWEST)
        expected = sorted(memories, key=lambda row: (row.recorded_at if recorded else row.valid_from, row.id), reverse=newest)
        assert seen == [memory.id for memory in expected]

    async def test_a_page_that_ends_with_the_rows_has_no_cursor(self, store: Store):
        await store.write(HERE, WriteBatch(memories=tuple(new(a_memory(str(number))) for number in range(4))))
        first = await store.scan_memories(HERE, ALL, limit=2)
        assert (await store.scan_memories(HERE, ALL, cursor=first.cursor, limit=2)).cursor is None

    async def test_a_damaged_cursor_and_one_of_another_order_are_refused(self, store: Store):
        await store.write(HERE, WriteBatch(memories=tuple(new(a_memory(str(number))) for number in range(4))))
        cursor = (await store.scan_memories(HERE, ALL, Order.RECORDED_NEWEST, limit=2)).cursor
        assert cursor is not None
        with pytest.raises(CursorError, match="recorded_newest"):
            await store.scan_memories(HERE, ALL, Order.EVENT_NEWEST, cursor)
        for damaged in ("", "x", cursor[:-3], "A" + cursor[1:], cursor + "A", "%%%"):
            with pytest.raises(CursorError, match="damaged"):
                await store.scan_memories(HERE, ALL, Order.RECORDED_NEWEST, damaged)
            with pytest.raises(CursorError):
                await store.scan_episodes(HERE, EpisodeFilter(), Order.RECORDED_NEWEST, damaged)
            with pytest.raises(CursorError):
                await store.scan_entities(HERE, cursor=damaged)

    async def test_episodes_come_in_event_order_then_by_sequence_then_by_id(self, store: Store):
        rows = (
            an_episode("d", occurred_at=NOW, sequence=2), an_episode("c", occurred_at=NOW, sequence=1),
            an_episode("b", occurred_at=NOW, sequence=1), an_episode("a", occurred_at=NOW + timedelta(hours=1)),
        )  # fmt: skip
        await store.write(HERE, WriteBatch(episodes=rows))
        assert [row.id for row in (await store.scan_episodes(HERE, EpisodeFilter())).rows] == ["e-b", "e-c", "e-d", "e-a"]
        first = await store.scan_episodes(HERE, EpisodeFilter(), limit=2)
        rest = await store.scan_episodes(HERE, EpisodeFilter(), cursor=first.cursor)
        assert [row.id for row in rest.rows] == ["e-d", "e-a"]

    @pytest.mark.parametrize(
        "where",
        [
            EpisodeFilter(ids=("e-1", "e-none")), EpisodeFilter(session_id="s1"), EpisodeFilter(roles=("tool", "system")),
            EpisodeFilter(raw_refs=("r1",)), EpisodeFilter(content_hashes=(an_episode("1").content_hash,)),
            EpisodeFilter(since=NOW, until=NOW + timedelta(hours=1)),
        ],
    )  # fmt: skip
    async def test_each_condition_on_episodes_narrows(self, store: Store, where: EpisodeFilter):
        fit = an_episode(
            "1", session_id="s1", role="tool", raw_ref="r1", name="n", tool_call_id="t", payload={"x": 1}, recalled=True
        )
        others = (
            an_episode("2", occurred_at=NOW - timedelta(hours=1)),
            an_episode("3", occurred_at=NOW + timedelta(hours=1), session_id="s2")
        )  # fmt: skip
        await store.write(HERE, WriteBatch(episodes=(fit, *others)))
        assert (await store.scan_episodes(HERE, where)).rows == (fit,)

    async def test_no_ids_means_no_rows(self, store: Store):
        await store.write(HERE, WriteBatch(memories=(new(a_memory("1"), "word"),), episodes=(an_episode("1"),)))
        nothing = Filter(view=a_view(), ids=())
        assert (await store.scan_memories(HERE, nothing)).rows == ()
        assert (await store.scan_episodes(HERE, EpisodeFilter(ids=()))).rows == ()
        assert await store.text_topk(HERE, ["word"], 5, nothing) == ()

    async def test_entities_are_found_by_name_and_by_alias_and_a_name_wins(self, store: Store):
        entities = (
            an_entity("Payment Service", aliases=("PS", "收银台")),
            an_entity("Photoshop", aliases=("PS",)),
            an_entity("ps core"),
        )
        await store.write(HERE, WriteBatch(entities=entities))
        found = await store.find_entities(HERE, ["payment service", "收银台", "ps", "nobody"])
        assert {form: entity.name for form, entity in found.items()} == {
            "payment service": "Payment Service", "收银台": "Payment Service", "ps": "Payment Service",
        }  # fmt: skip
        await store.write(HERE, WriteBatch(entities=(an_entity("PS"),)))
        assert (await store.find_entities(HERE, ["ps"]))["ps"].name == "PS"
        await store.write(
            HERE,
            WriteBatch(entity_patches=(EntityPatch(id=entities[2].id, canonical_id=entities[0].id, add_aliases=("the core",)),)),
        )
        assert (await store.find_entities(HERE, ["core"]))["core"].id == entities[2].id

    async def test_entities_are_listed_when_a_memory_mentions_or_relates_them(self, store: Store):
        memory = a_memory("1")
        ends = an_entity("alpha"), an_entity("alps"), an_entity("beta"), an_entity("alone")
        edges = (a_mention(memory, ends[0]), an_edge(ends[1].id, RelationType.USES, ends[2].id, memory))
        await store.write(HERE, WriteBatch(memories=(new(memory),), entities=ends, edges=edges))
        assert [row.normal for row in (await store.scan_entities(HERE)).rows] == ["alpha", "alps", "beta"]
        assert [row.normal for row in (await store.scan_entities(HERE, prefix="al")).rows] == ["alpha", "alps"]
        first = await store.scan_entities(HERE, limit=1)
        assert [row.normal for row in (await store.scan_entities(HERE, cursor=first.cursor)).rows] == ["alps", "beta"]
        await store.write(HERE, WriteBatch(entity_patches=(EntityPatch(id=ends[1].id, canonical_id=ends[0].id),)))
        assert [row.normal for row in (await store.scan_entities(HERE)).rows] == ["alpha", "beta"]
        assert [row.normal for row in (await store.scan_entities(HERE, canonical_only=False)).rows] == ["alpha", "alps", "beta"]

    async def test_the_audit_trail_is_read_newest_first_and_by_target(self, store: Store):
        entries = tuple(
            AuditEntry(
                id=f"a{n}", at=NOW + timedelta(minutes=n), actor="me", action="merge", target_ids=("x", f"y{n}"), detail={"n": n}
            )
            for n in range(3)
        )
        await store.write(HERE, WriteBatch(audit=entries))
        assert await store.scan_audit(HERE) == entries[::-1]
        assert await store.scan_audit(HERE, target_id="y1") == (entries[1],)
        assert await store.scan_audit(HERE, target_id="x", limit=1) == (entries[2],)

    async def test_stats_count_what_is_there(self, store: Store):
        batch = a_statement("Checkout", RelationType.USES, "Postgres")
        more = WriteBatch(memories=(new(a_memory("v", status=Status.ARCHIVED), vector=a_vector(1)),), episodes=(an_episode("1"),))
        await store.write(HERE, batch)
        await store.write(HERE, more)
        counts = await store.stats(HERE)
        assert counts.memories_by_kind == {"fact": 2}
        assert counts.memories_by_status == {"active": 1, "archived": 1}
        assert (counts.memories, counts.episodes, counts.entities, counts.edges, counts.without_vector) == (2, 1, 2, 3, 1)
        assert counts.size_bytes > 0

    async def test_totals_count_all_tenants_together(self, store: Store):
        first, second = a_memory("x"), a_memory("y")
        against = an_edge(first.id, StructureType.CONTRADICTS, second.id, first)
        job = Job(id="j", kind="extract", payload={}, created_at=NOW)
        await store.write(HERE, WriteBatch(memories=(new(first), new(second)), edges=(against,), jobs=(job,)))
        await store.write(ELSEWHERE, WriteBatch(memories=(new(a_memory("x", status=Status.ARCHIVED)),)))
        counts = await store.totals(SystemScope())
        assert [(row.kind, row.state, row.count) for row in counts.memories] == [("fact", "active", 2), ("fact", "archived", 1)]
        assert [(row.kind, row.state, row.count) for row in counts.jobs] == [("extract", "queued", 1)]
        assert counts.conflicts == 1
        assert counts.size_bytes > 0
