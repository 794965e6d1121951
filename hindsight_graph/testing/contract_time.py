"""The time rule: what a store admits is what `View.holds` admits, in every method that takes a view or a filter."""
# ruff: noqa: ANN201, D102 - a test's name is its sentence, and it returns nothing

from datetime import datetime, timedelta

import pytest

from hindsight_graph.models.enums import Direction, RelationType, Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import MemoryPatch, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW, a_memory, a_vector, a_view, an_edge, an_entity, new

HERE = Scope()
DAY = timedelta(days=1)
MONDAY = NOW - 10 * DAY
TUESDAY = NOW - 9 * DAY
FRIDAY = NOW - 6 * DAY


def the_rows() -> list[Memory]:
    """Return one memory for each way a row can stand in time."""
    return [
        a_memory("plain", recorded_at=MONDAY),
        a_memory("future", recorded_at=MONDAY, valid_from=NOW + DAY),
        a_memory("past", recorded_at=MONDAY, valid_to=FRIDAY),
        a_memory("until now", recorded_at=MONDAY, valid_to=NOW),
        a_memory("from now", recorded_at=MONDAY, valid_from=NOW),
        a_memory("changed", recorded_at=MONDAY, status=Status.SUPERSEDED, is_current=False, valid_to=TUESDAY, closed_at=FRIDAY),
        a_memory("shortened", recorded_at=MONDAY, status=Status.SUPERSEDED, is_current=False, valid_to=TUESDAY, closed_at=FRIDAY,
                 prior_valid_to=FRIDAY + DAY),
        a_memory("corrected", recorded_at=MONDAY, status=Status.SUPERSEDED, is_current=False, retired_at=FRIDAY),
        a_memory("late", recorded_at=FRIDAY, valid_from=MONDAY),
        a_memory("ttl over", recorded_at=MONDAY, expires_at=NOW),
        a_memory("ttl runs", recorded_at=MONDAY, expires_at=NOW + DAY),
        a_memory("expired", recorded_at=MONDAY, status=Status.EXPIRED, expires_at=FRIDAY),
        a_memory("not current", recorded_at=MONDAY, is_current=False),
        a_memory("archived", recorded_at=MONDAY, status=Status.ARCHIVED),
        a_memory("pending", recorded_at=MONDAY, status=Status.PENDING),
        a_memory("quarantined", recorded_at=MONDAY, status=Status.QUARANTINED),
        a_memory("rejected", recorded_at=MONDAY, status=Status.REJECTED),
        a_memory("doubtful", recorded_at=MONDAY, trust=0.3),
        a_memory("at floor", recorded_at=MONDAY, trust=0.5),
    ]  # fmt: skip


VIEWS: dict[str, View] = {
    "now": a_view(),
    "as of Monday": a_view(as_of=MONDAY),
    "as of Tuesday": a_view(as_of=TUESDAY),
    "known at Tuesday": a_view(known_at=TUESDAY),
    "known at Friday as of Tuesday": a_view(known_at=FRIDAY, as_of=TUESDAY),
    "known before Friday as of Wednesday": a_view(known_at=FRIDAY - timedelta(microseconds=1), as_of=TUESDAY + DAY),
    "known long ago": a_view(known_at=MONDAY - DAY),
    "archived too": a_view(statuses=(Status.ACTIVE, Status.ARCHIVED)),
    "archived only": a_view(statuses=(Status.ARCHIVED,)),
    "superseded too": a_view(statuses=(Status.ACTIVE, Status.SUPERSEDED)),
    "pending as of Tuesday": a_view(statuses=(Status.PENDING,), as_of=TUESDAY),
    "nothing": a_view(statuses=()),
    "trusted": a_view(min_trust=0.5),
    "timeless": a_view(timeless=True, statuses=tuple(Status)),
    "timeless active": a_view(timeless=True, min_trust=0.5),
}


class TimeContract:
    """Tests of views."""

    @pytest.mark.parametrize("name", list(VIEWS))
    async def test_each_method_admits_what_the_view_holds(self, store: Store, name: str):
        view, rows = VIEWS[name], the_rows()
        hub = an_entity("hub")
        edges = [an_edge(hub.id, RelationType.USES, row.id, row) for row in rows]
        batch = WriteBatch(
            memories=tuple(new(row, "word", vector=a_vector(1)) for row in rows), entities=(hub,), edges=tuple(edges)
        )  # fmt: skip
        await store.write(HERE, batch)
        admitted = {row.id for row in rows if view.holds(row)}
        where = Filter(view=view)
        assert {row.id for row in (await store.scan_memories(HERE, where)).rows} == admitted
        assert {hit.id for hit in await store.vector_topk(HERE, a_vector(1), 99, where)} == admitted
        assert {hit.id for hit in await store.text_topk(HERE, ["word"], 99, where)} == admitted
        assert (await store.term_stats(HERE, ["word"], where)).documents == len(admitted)
        page = await store.edges_of(HERE, [hub.id], [], Direction.OUT, 99, view)
        assert {edge.target_id for edge in page.edges} == admitted
        assert await store.degrees(HERE, [hub.id], [], Direction.OUT, view) == {hub.id: len(admitted)}
        paths = await store.paths(HERE, [hub.id], None, [], Direction.OUT, 1, 99, view)
        assert {path.nodes[-1] for path in paths.paths} == admitted

    @pytest.mark.parametrize(
        ("view", "expected"),
        [
            ("now", {"plain", "from now", "late", "ttl runs", "doubtful", "at floor"}),
            ("as of Monday", {"plain", "past", "until now", "changed", "shortened", "late", "ttl runs", "not current",
            "doubtful", "at floor"}),
            ("known at Tuesday", {"plain", "past", "until now", "changed", "shortened", "corrected", "ttl over", "ttl runs",
            "not current",
                                  "doubtful", "at floor"}),
            ("archived only", {"archived"}),
            ("nothing", set[str]()),
        ],
    )  # fmt: skip
    async def test_the_view_answers_as_written_down(self, store: Store, view: str, expected: set[str]):
        await store.write(HERE, WriteBatch(memories=tuple(map(new, the_rows()))))
        found = await store.scan_memories(HERE, Filter(view=VIEWS[view]))
        assert {row.id.removeprefix("m-") for row in found.rows} == expected

    async def test_a_patch_is_seen_by_the_next_search(self, store: Store):
        row = a_memory("1", recorded_at=MONDAY)
        await store.write(HERE, WriteBatch(memories=(new(row, "word", vector=a_vector(1)),)))

        async def found(view: View) -> int:
            return len(await store.text_topk(HERE, ["word"], 5, Filter(view=view)))

        assert await found(a_view()) == 1
        await close(store, row.id, FRIDAY)
        assert (await found(a_view()), await found(a_view(as_of=TUESDAY)), await found(a_view(known_at=TUESDAY))) == (0, 1, 1)


async def close(store: Store, memory_id: str, moment: datetime) -> None:
    """Close a memory's validity as an update by change does."""
    changes = {"status": Status.SUPERSEDED, "is_current": False, "valid_to": moment, "closed_at": moment}
    await store.write(HERE, WriteBatch(memory_patches=(MemoryPatch(id=memory_id, changes=changes),)))
