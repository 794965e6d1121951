"""Rows that leave a store and come back: every kind, every field, nothing twice."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import timedelta
from typing import Any

import pytest

from hindsight_graph.errors import ConflictError, CursorError, InputError
from hindsight_graph.models.enums import Kind, Outcome, RelationType, Status, Visibility
from hindsight_graph.models.memory import Slot
from hindsight_graph.models.moving import OwnedJob, OwnedKey, StoredRow, Table
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.models.record import AuditEntry, IdempotencyRecord, Job, JobState, NewMemory, SessionRecord
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import (
    DIMENSION,
    NOW,
    a_memory,
    a_mention,
    a_statement,
    a_vector,
    an_edge,
    an_entity,
    an_episode,
    new,
)

HERE = Scope()
ELSEWHERE = Scope(tenant="elsewhere")


def every_row(dimension: int = DIMENSION) -> dict[Table, tuple[StoredRow, ...]]:
    """Return rows of every kind, with what is unusual in each; vectors of that dimension."""
    first = a_memory(
        "1", kind=Kind.EXPERIENCE, status=Status.SUPERSEDED, is_current=False, retired_at=NOW, valid_to=NOW, closed_at=NOW,
        prior_valid_to=NOW + timedelta(days=3), agent_id="ann", visibility=Visibility.PRIVATE, outcome=Outcome.PARTIAL,
        ttl=timedelta(days=90), expires_at=NOW + timedelta(days=90), confirmed_at=NOW, tags=("red", "支付"), tools=("kubectl",),
        bands=(3, 2**31), payload={"b": [1, 2.5, None], "a": "支付"}, slot=Slot(subject="Staging", attribute="port", value="1"),
        session_id="s", sequence=4, task_type="deploy", error_code="E1", media_type="image/png", episode_ids=("e-1",),
        raw_refs=("log:1",), importance=1.5, priority=-3, weight=0.25, confidence=0.75, trust=0.3, negated=True, language="zh",
        context="around it",
    )  # fmt: skip
    second = a_memory("2", root_id="m-1", version=2, recorded_at=NOW + timedelta(microseconds=1))
    pending = a_memory("3", kind=Kind.STRATEGY, status=Status.PENDING)
    one, other = an_entity("Checkout", aliases=("the checkout", "收银台")), an_entity("Payment service")
    merged = an_entity("Pay", canonical_id=other.id)
    keys = [("ann", "k1", None), (None, "k1", '{"ok":true}'), (None, "😀 k", "1"), (None, "｡ k", None)]
    return {
        Table.EPISODES: (an_episode("1", agent_id="ann", session_id="s", payload={"x": [1]}), an_episode("2", recalled=True)),
        Table.ENTITIES: (merged, one, other),
        Table.MEMORIES: (
            new(first, "checkout", "支付", "checkout", vector=a_vector(1, 2, 3, dimension=dimension)), new(second),
            new(pending, vector=a_vector(0, 1, dimension=dimension)),
        ),
        Table.EDGES: (
            an_edge(one.id, RelationType.DEPENDS_ON, merged.id, first, target_canonical=other.id, confidence=0.5, pattern="p"),
            a_mention(first, one), a_mention(second, other), an_edge(one.id, RelationType.USES, other.id, pending),
        ),
        Table.SESSIONS: (
            SessionRecord(id="s", state={"goal": "x"}, version=7, updated_at=NOW),
            SessionRecord(id="s", agent_id="ann", state={}, version=2, updated_at=NOW, ended_at=NOW),
        ),
        Table.JOBS: (
            OwnedJob(job=Job(id="j1", kind="rebuild", payload={"a": [1]}, created_at=NOW)),
            OwnedJob(agent_id="ann", job=Job(
                id="j2", kind="rebuild", payload={}, state=JobState.FAILED, attempts=3, created_at=NOW, lease_until=NOW,
                finished_at=NOW, error="no", max_attempts=3, not_before=NOW, owner="w", cancel_requested=True, result={"r": 1},
            )),
        ),
        Table.AUDIT: (
            AuditEntry(id="a1", at=NOW, actor="ann", action="merge", target_ids=("x", "y"), reason="why", detail={"z": [1]}),
        ),
        Table.KEYS: tuple(
            OwnedKey(agent_id=agent, record=IdempotencyRecord(key=key, request_hash="00", response=response))
            for agent, key, response in keys
        ),
    }  # fmt: skip


async def put(store: Store, scope: Scope, rows: dict[Table, tuple[StoredRow, ...]]) -> None:
    """Import every table in order."""
    for table in Table:
        await store.import_(scope, table, rows[table])


async def taken(store: Store, scope: Scope, limit: int = 500) -> dict[Table, list[Any]]:
    """Export every table, as plain values."""
    found: dict[Table, list[Any]] = {}
    for table in Table:
        rows: list[StoredRow] = []
        cursor = None
        while True:
            page = await store.export(scope, table, cursor, limit)
            rows += page.rows
            cursor = page.cursor
            if cursor is None:
                break
        found[table] = plain(rows)
    return found


def plain(rows: Any) -> list[Any]:
    """Return rows as values that compare, sorted by their text."""
    values = [
        (row.memory, None if row.vector is None else row.vector.tolist(), row.terms) if isinstance(row, NewMemory) else row
        for row in rows
    ]
    return sorted(values, key=repr)


class MoveContract:
    """Tests of tenants, export and import_."""

    async def test_every_field_of_every_kind_of_row_comes_back(self, store: Store):
        rows = every_row()
        await put(store, HERE, rows)
        assert await taken(store, HERE) == {table: plain(rows[table]) for table in Table}

    async def test_small_pages_give_the_same_rows_as_large_ones(self, store: Store):
        await put(store, HERE, every_row())
        assert await taken(store, HERE, limit=1) == await taken(store, HERE)

    async def test_importing_again_changes_nothing(self, store: Store):
        rows = every_row()
        await put(store, HERE, rows)
        before = await taken(store, HERE)
        await put(store, HERE, rows)
        assert await taken(store, HERE) == before

    async def test_rows_that_were_written_are_exported_as_they_stand(self, store: Store):
        batch = a_statement("Checkout", RelationType.USES, "Postgres")
        await store.write(HERE, batch)
        found = await taken(store, HERE)
        assert found[Table.MEMORIES] == plain(batch.memories)
        assert found[Table.EDGES] == plain(batch.edges)
        assert found[Table.ENTITIES] == plain(batch.entities)

    async def test_only_the_tenant_asked_for_is_exported_and_every_tenant_is_named(self, store: Store):
        assert await store.tenants(SystemScope()) == ()
        await put(store, HERE, every_row())
        await store.import_(ELSEWHERE, Table.AUDIT, every_row()[Table.AUDIT])
        assert await store.tenants(SystemScope()) == ("default", "elsewhere")
        found = await taken(store, ELSEWHERE)
        assert [table for table in Table if found[table]] == [Table.AUDIT]

    async def test_an_export_for_one_agent_and_a_foreign_cursor_are_refused(self, store: Store):
        with pytest.raises(InputError, match="whole tenant, not of agent 'ann'"):
            await store.export(Scope(agent_id="ann"), Table.JOBS)
        await put(store, HERE, every_row())
        page = await store.export(HERE, Table.JOBS, limit=1)
        with pytest.raises(CursorError, match="made for a listing by export of jobs"):
            await store.export(HERE, Table.AUDIT, page.cursor)

    async def test_a_statement_that_another_memory_holds_is_refused(self, store: Store):
        await store.import_(HERE, Table.MEMORIES, (new(a_memory("1")),))
        with pytest.raises(ConflictError, match="memory m-2 says the same as memory m-1"):
            await store.import_(HERE, Table.MEMORIES, (new(a_memory("2", summary="statement 1")),))
