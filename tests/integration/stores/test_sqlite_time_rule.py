"""The time rule exists three times for speed: `View.holds`, the SQL predicate, and the numpy mask. They must be one rule."""

import asyncio
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_graph.models.enums import Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import NOW, a_memory, new

moments = st.integers(-3, 3).map(lambda days: NOW + timedelta(days=days))
maybe = st.none() | moments
trusts = st.sampled_from([0.0, 0.3, 0.5, 1.0])


@st.composite
def rows(draw: st.DrawFn) -> list[Memory]:
    memories: list[Memory] = []
    for number in range(draw(st.integers(1, 12))):
        start: datetime = draw(moments)
        end: datetime | None = draw(maybe)
        memories.append(
            a_memory(
                str(number), recorded_at=draw(moments), valid_from=start, valid_to=None if end is None else max(start, end),
                retired_at=draw(maybe), closed_at=draw(maybe), prior_valid_to=draw(maybe), expires_at=draw(maybe),
                status=draw(st.sampled_from(Status)), is_current=draw(st.booleans()), trust=draw(trusts),
            )
        )  # fmt: skip
    return memories


views = st.builds(
    View, now=moments, as_of=maybe, known_at=maybe, min_trust=trusts, timeless=st.booleans(),
    statuses=st.lists(st.sampled_from(Status), unique=True).map(tuple),
)  # fmt: skip


@pytest.mark.requirement("R-06")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows(), st.lists(views, min_size=3, max_size=6))
def test_sql_mask_and_model_are_one_rule(memories: list[Memory], asked: list[View]):
    async def answers() -> None:
        store = SqliteStore(":memory:")
        await store.open()
        try:
            await store.write(Scope(), WriteBatch(memories=tuple(new(memory, "word") for memory in memories)))
            for view in asked:
                expected = {memory.id for memory in memories if view.holds(memory)}
                where = Filter(view=view)
                by_sql = {memory.id for memory in (await store.scan_memories(Scope(), where)).rows}
                by_mask = {hit.id for hit in await store.text_topk(Scope(), ["word"], 99, where)}
                assert by_sql == expected
                assert by_mask == expected
        finally:
            await store.close()

    asyncio.run(answers())


@pytest.mark.requirement("R-06")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows(), views, st.lists(moments, min_size=3, max_size=6))
def test_rows_come_and_go_as_time_passes_though_none_is_written(memories: list[Memory], view: View, times: list[datetime]):
    async def answers() -> None:
        store = SqliteStore(":memory:")
        await store.open()
        try:
            await store.write(Scope(), WriteBatch(memories=tuple(new(memory, "word") for memory in memories)))
            for now in sorted(times):
                for moment in (now - timedelta(microseconds=1), now):
                    then = view.model_copy(update={"now": moment})
                    found = {hit.id for hit in await store.text_topk(Scope(), ["word"], 99, Filter(view=then))}
                    assert found == {memory.id for memory in memories if then.holds(memory)}
        finally:
            await store.close()

    asyncio.run(answers())
