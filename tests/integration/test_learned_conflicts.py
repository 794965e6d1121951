"""Strategies that tell the opposite of each other: which comes first in an answer, and what the answer says of it."""

from datetime import timedelta

import pytest

from hindsight_graph import HindsightGraph, format_memory_context
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.memory import Memory

DO = "No, you must export the ledger at night before export_ledger runs."
EDITED = "Export the ledger at night."
DO_NOT = "No, you must not export the ledger at night before export_ledger runs."


@pytest.fixture
def opposite(memory: HindsightGraph, clock: ManualClock) -> tuple[Memory, Memory]:
    """Two approved strategies that contradict each other, as a person told them, the older first."""
    for number, lesson in enumerate((DO, DO_NOT)):
        clock.advance(timedelta(hours=1))
        messages = [
            {"role": "user", "content": "Export the ledger"},
            {"role": "tool", "name": "export_ledger", "content": "done"},
            {"role": "user", "content": lesson},
        ]
        memory.learning.reflect(messages, session_id=f"s{number}")
        memory.jobs.work()
    ids = {item.strategy.guidance: item.memory.id for item in memory.learning.queue()}
    assert set(ids) == {DO, DO_NOT}
    assert [one.id for one in memory.learning.show(ids[DO]).contradicts] == [ids[DO_NOT]]
    return memory.learning.approve(ids[DO]), memory.learning.approve(ids[DO_NOT])


@pytest.mark.requirement("R-07")
def test_of_two_that_contradict_the_higher_version_comes_first_and_the_notice_names_both(
    memory: HindsightGraph, opposite: tuple[Memory, Memory]
) -> None:
    older, newer = opposite
    before = memory.recall("export the ledger at night", kinds=["strategy"])
    assert [(notice.preferred, notice.other) for notice in before.conflicts] == [(newer.id, older.id)]
    second = memory.learning.edit(older.id, EDITED)
    after = memory.recall("export the ledger at night", kinds=["strategy"])
    assert [hit.id for hit in after.results] == [second.id, newer.id]
    (notice,) = after.conflicts
    assert (notice.preferred, notice.other) == (second.id, newer.id)
    assert notice.reason == "they contradict each other; higher version first (2 over 1)"
    lines = format_memory_context(after).splitlines()
    assert lines[1].startswith("- **strategy** (2026-")
    assert "**support**: 1 of 1 cases speak for it, " in lines[1]
    assert lines[1].endswith("**version**: 2)")
    assert lines[3] == (
        f"- **conflict**: prefer “{EDITED}” over “{DO_NOT}” (they contradict each other; higher version first (2 over 1))"
    )
