"""Checks of what reflection found, before it is kept: by argument, by entry point, and the one that is always there."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import ConfigError, ConflictError
from hindsight_graph.learning.checks import ReflectionCheck, StandsOnMessages
from hindsight_graph.learning.drafting import Draft
from hindsight_graph.models.enums import Origin, Outcome, Status
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.learning import Experience
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.plugins import make_checks
from hindsight_graph.testing.patience import patient_settings

FAILED = [
    {"role": "user", "content": "Refund order 17"},
    {"role": "tool", "name": "process_refund", "content": "Error: status of order 17 not checked"},
]
PLUGIN = """
class NoPayments:
    name = "no-payments"

    async def fault_of(self, draft, messages):
        wired = any(step.tool == "wire_money" for step in draft.experience.steps)
        return f"{len(messages)} messages are about payments" if wired else None
"""


class Objects:
    name = "objects"

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    async def fault_of(self, draft: Draft, messages: Sequence[Episode]) -> str | None:
        self.asked.append((draft.experience.goal, [message.role for message in messages]))
        return "it names an order" if "17" in draft.experience.goal else None


class Breaks:
    name = "breaks"

    async def fault_of(self, draft: Draft, messages: Sequence[Episode]) -> str | None:
        raise RuntimeError(f"no judge for {len(messages)} messages of {draft.experience.goal}")


def opened(store_url: str, clock: ManualClock, *checks: ReflectionCheck, named: str = "") -> HindsightGraph:
    settings = patient_settings(learning={"checks": named})
    return HindsightGraph(store_url, embedder="hashing", extractor="rules", settings=settings, clock=clock, checks=checks)


def reflect(memory: HindsightGraph, messages: list[dict[str, str]]) -> Reflection:
    job = memory.learning.reflect(messages, session_id="s", task_type="refund")
    memory.jobs.work()
    return memory.learning.reflection(job.id)


@pytest.mark.requirement("T-05")
def test_what_a_check_objects_to_is_not_kept_and_the_receipt_says_why(store_url: str, clock: ManualClock) -> None:
    check = Objects()
    other = [dict(FAILED[0], content="Refund order 18"), FAILED[1]]
    with opened(store_url, clock, check) as memory:
        found = reflect(memory, [*FAILED, *other])
        assert [(item.request, item.reason) for item in found.left] == [("Refund order 17", "check objects: it names an order")]
        assert [item.experience.goal for item in found.drafts] == ["Refund order 18"]
        assert check.asked == [("Refund order 17", ["user", "tool"]), ("Refund order 18", ["user", "tool"])]
        kept = memory.list(kinds=["experience"], statuses=list(Status)).rows
        assert [item.id for item in kept] == list(found.memory_ids)


@pytest.mark.requirement("T-05")
def test_a_check_that_breaks_fails_the_job_by_its_name_and_nothing_is_kept_unchecked(store_url: str, clock: ManualClock) -> None:
    with opened(store_url, clock, Breaks()) as memory:
        job = memory.learning.reflect(FAILED, session_id="s")
        memory.jobs.work()
        with pytest.raises(ConflictError, match=r"check 'breaks' failed on .*no judge for 2 messages"):
            memory.learning.reflection(job.id)
        assert memory.list(kinds=["experience"], statuses=list(Status)).rows == ()


@pytest.mark.requirement("T-05")
def test_an_installed_check_is_used_when_a_setting_names_it(
    store_url: str, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "payments_plugin.py").write_text(PLUGIN)
    info = tmp_path / "payments_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: payments-plugin\nVersion: 1.0\n")
    points = "No-Payments = payments_plugin:NoPayments\nmissing = payments_plugin:Gone\nwrong = builtins:dict\n"
    (info / "entry_points.txt").write_text(f"[hindsight_graph.checks]\n{points}")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with opened(store_url, clock, named="No-Payments") as memory:
        wired = [dict(FAILED[0], content="Pay the bill"), dict(FAILED[1], name="wire_money")]
        assert [item.reason for item in reflect(memory, wired).left] == ["check no-payments: 2 messages are about payments"]
        assert len(reflect(memory, FAILED).drafts) == 1
    with pytest.raises(ConfigError, match=r"no check 'absent' is installed .*installed: No-Payments, missing, wrong"):
        make_checks(["absent"])
    with pytest.raises(ConfigError, match=r"check 'missing' .payments_plugin:Gone. does not load"):
        make_checks(["missing"])
    with pytest.raises(ConfigError, match="builtins:dict makes a dict, which is no check"):
        make_checks(["wrong"])


@pytest.mark.requirement("T-05")
async def test_an_experience_on_no_message_or_only_on_what_the_memory_told_is_not_kept() -> None:
    draft = Draft(summary="x", experience=Experience(goal="Refund", outcome=Outcome.FAILURE))
    at = datetime(2026, 5, 1, tzinfo=UTC)
    said = Episode(
        id="e", role="tool", content="ok", occurred_at=at, recorded_at=at, origin=Origin.TOOL, trust=0.5, content_hash="h"
    )
    check = StandsOnMessages()
    told = said.model_copy(update={"recalled": True})
    assert await check.fault_of(draft, []) == "no message stands behind it"
    assert await check.fault_of(draft, [told]) == "only what the memory told stands behind it"
    assert await check.fault_of(draft, [told, said]) is None
