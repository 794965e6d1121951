"""Learning through the public face, without an LLM: reflect, consolidate, review, use, feed back, fall."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import ConflictError, IdempotencyError, InputError, NotFoundError
from hindsight_graph.models.enums import Kind, Outcome, RelationType, Status, Visibility
from hindsight_graph.models.learning import Strategy
from hindsight_graph.models.memory import Memory
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.settings import Settings
from hindsight_graph.testing.patience import patient_settings

Raw = dict[str, object]


def task(request: str, *steps: tuple[str, str], end: str = "") -> list[Raw]:
    """Return a transcript: a request, tool calls with their results, and the agent's last words."""
    messages: list[Raw] = [{"role": "user", "content": request}]
    for number, (tool, content) in enumerate(steps):
        function = {"name": tool, "arguments": "{}"}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": content})
    return [*messages, {"role": "assistant", "content": end}] if end else messages


FAILED = task("Refund order 17", ("process_refund", "Error: status of order 17 not checked"), end="I could not refund it.")
WORKED = task("Refund order 17", ("get_order_status", "delivered"), ("process_refund", "ok"), end="The refund is done.")


def reflect(memory: HindsightGraph, messages: list[Raw], session: str, task_type: str | None = None) -> Reflection:
    job = memory.learning.reflect(messages, session_id=session, task_type=task_type)
    memory.jobs.work()
    return memory.learning.reflection(job.id)


@pytest.fixture
def taught(memory: HindsightGraph, clock: ManualClock) -> Memory:
    """The one strategy that two failures and two successes propose."""
    for number, messages in enumerate((FAILED, WORKED, FAILED, WORKED)):
        clock.advance(timedelta(hours=1))
        reflect(memory, messages, f"s{number}", task_type="refund")
    (item,) = memory.learning.queue()
    return item.memory


def strategy_of(memory: Memory) -> Strategy:
    found = Strategy.of(memory.payload)
    assert found is not None
    return found


@pytest.mark.requirement("X-11")
def test_three_tasks_a_failure_the_same_again_and_another_with_the_same_tool(memory: HindsightGraph, clock: ManualClock) -> None:
    memory.remember("Refunds are paid out on Fridays.")
    reflect(memory, FAILED, "first", task_type="refund")
    second = memory.recall("Refund order 18", task_type="refund").results
    assert second[0].memory.kind is Kind.EXPERIENCE
    assert second[0].memory.outcome is Outcome.FAILURE
    assert "status of order <n> not checked" in second[0].summary
    clock.advance(timedelta(days=1))
    reflect(memory, WORKED, "second", task_type="refund")
    (item,) = memory.learning.queue()
    assert item.memory.summary.startswith("Before process_refund, call get_order_status.")
    assert item.memory.id not in {hit.memory.id for hit in memory.recall("process_refund").results}
    memory.learning.approve(item.memory.id, reviewer="ann")
    memory.learning.record(
        context="Ship a parcel", action="call ship", outcome="failure", lesson="Weigh parcels before ship_parcel"
    )
    third = memory.recall("Give a goodwill credit with process_refund", kinds=["strategy"]).results
    assert [hit.memory.id for hit in third] == [item.memory.id]


@pytest.mark.requirement("X-01")
def test_each_layer_links_to_the_one_below(memory: HindsightGraph, clock: ManualClock) -> None:
    failed = reflect(memory, FAILED, "first", task_type="refund")
    clock.advance(timedelta(hours=1))
    worked = reflect(memory, WORKED, "second", task_type="refund")
    first, second = memory.get(failed.memory_ids[0]), memory.get(worked.memory_ids[0])
    assert (first.kind, first.outcome, first.task_type, first.tools) == (
        Kind.EXPERIENCE,
        Outcome.FAILURE,
        "refund",
        ("process_refund",),
    )
    assert first.error_code == "Error: status of order <n> not checked"
    assert len(first.episode_ids) == 4
    assert second.weight == 0.4
    fixed = memory.chain(second.id, relations=[RelationType.FIXES])
    assert [path.node_ids[-1] for path in fixed.paths] == [first.id]
    (item,) = memory.learning.queue()
    assert {one.id for one in item.supporting} == {first.id, second.id}


@pytest.mark.requirement("X-02")
def test_reflection_is_a_job_at_once_and_its_result_may_await_confirmation(memory: HindsightGraph) -> None:
    job = memory.learning.reflect(WORKED, session_id="s", task_type="refund", store=False)
    with pytest.raises(ConflictError, match="queued"):
        memory.learning.reflection(job.id)
    memory.jobs.work()
    proposed = memory.learning.reflection(job.id)
    assert (len(proposed.drafts), proposed.stored, proposed.memory_ids) == (1, False, ())
    assert memory.recall("refund").results == ()
    with pytest.raises(InputError, match="there is no 1"):
        memory.learning.confirm(job.id, keep=[1])
    kept = memory.learning.confirm(job.id)
    assert memory.get(kept.memory_ids[0]).weight == 0.9


@pytest.mark.requirement("X-02")
def test_nothing_reusable_is_a_valid_result_with_its_reason(memory: HindsightGraph) -> None:
    talk: list[Raw] = [{"role": "user", "content": "Good morning"}, {"role": "assistant", "content": "Good morning!"}]
    found = reflect(memory, talk, "s")
    assert found.drafts == ()
    assert [item.reason for item in found.left] == ["no outcome: neither a tool result nor a word says how it ended"]
    with pytest.raises(InputError, match="no messages"):
        memory.learning.reflect([])


def test_reflecting_twice_on_the_same_messages_keeps_one_experience_and_counts_it_once(
    memory: HindsightGraph, taught: Memory
) -> None:
    before = strategy_of(taught).support
    again = reflect(memory, FAILED, "s0", task_type="refund")
    assert (again.memory_ids, len(again.known)) == ((), 1)
    assert strategy_of(memory.get(taught.id)).support == before


@pytest.mark.parametrize("stamped_first", [True, False])
def test_the_same_messages_with_and_without_times_in_one_session_count_once(
    memory: HindsightGraph, clock: ManualClock, *, stamped_first: bool
) -> None:
    at = clock.now() - timedelta(days=1)
    stamped = [dict(message, occurred_at=at + timedelta(minutes=number)) for number, message in enumerate(WORKED)]
    first, second = (stamped, WORKED) if stamped_first else (WORKED, stamped)
    kept = reflect(memory, first, "s", task_type="refund").memory_ids
    clock.advance(timedelta(hours=1))
    again = reflect(memory, second, "s", task_type="refund")
    assert (again.memory_ids, again.known) == ((), kept)
    elsewhere = reflect(memory, second, "another", task_type="refund")
    assert (len(elsewhere.memory_ids), elsewhere.known) == (1, ())
    assert len(memory.list(kinds=[Kind.EXPERIENCE]).rows) == 2
    later = [dict(message, occurred_at=at + timedelta(hours=5, minutes=number)) for number, message in enumerate(WORKED)]
    twice = reflect(memory, later, "another", task_type="refund")
    assert len(twice.memory_ids) == (0 if stamped_first else 1)


def test_a_session_that_was_kept_with_times_and_handed_over_without_is_looked_back_on_once(
    memory: HindsightGraph, clock: ManualClock
) -> None:
    at = clock.now() - timedelta(days=1)
    memory.retain(
        [dict(message, occurred_at=at + timedelta(minutes=number)) for number, message in enumerate(FAILED)], session_id="s"
    )
    memory.retain(FAILED, session_id="s")
    memory.session("s").end(reflect=True)
    memory.jobs.work()
    assert len(memory.list(kinds=[Kind.EXPERIENCE]).rows) == 1


@pytest.mark.requirement("X-07")
def test_a_strategy_is_used_only_after_a_person_approved_it_and_every_decision_is_recorded(
    memory: HindsightGraph, taught: Memory
) -> None:
    assert taught.status is Status.PENDING
    assert memory.recall("process_refund", kinds=["strategy"]).results == ()
    assert memory.learning.approve(taught.id, reviewer="ann", reason="obvious").status is Status.ACTIVE
    assert [hit.memory.id for hit in memory.recall("process_refund", kinds=["strategy"]).results] == [taught.id]
    with pytest.raises(ConflictError, match="is rejected already"):
        memory.learning.approve(reject_fresh(memory), reviewer="ann")


def reject_fresh(memory: HindsightGraph) -> str:
    """Return the id of a strategy that was rejected before."""
    for session in ("x", "y"):
        reflect(memory, task("Export", ("export", "Error: locked"), ("unlock", "ok"), ("export", "ok")), session)
    (item,) = (item for item in memory.learning.queue() if item.strategy.rule.tool == "export")
    memory.learning.reject(item.memory.id, reviewer="ann", reason="no")
    return item.memory.id


@pytest.mark.requirement("X-07")
def test_a_policy_may_approve_private_strategies_and_never_shared_ones(store_url: str, clock: ManualClock) -> None:
    settings = Settings(embedder="hashing", learning={"auto_approve": True, "auto_supporting": 4, "auto_low": 0.3})  # pyright: ignore[reportArgumentType]
    with HindsightGraph(store_url, settings=settings, clock=clock) as memory:
        found: dict[str | None, Memory] = {}
        for agent in ("a", None):
            own = memory.acting_for(tenant=f"t-{agent}", agent_id=agent)
            for number in range(6):
                clock.advance(timedelta(hours=1))
                own.learning.reflect(FAILED if number % 2 else WORKED, session_id=f"s{number}", task_type="refund")
                if number == 5:
                    memory.jobs.work()
            (strategy,) = own.list(kinds=["strategy"], statuses=list(Status)).rows
            found[agent] = strategy
    assert (found["a"].visibility, found["a"].status) == (Visibility.PRIVATE, Status.ACTIVE)
    assert found[None].visibility is Visibility.SHARED
    assert found[None].status is Status.PENDING


def test_a_policy_approves_no_half_of_a_setting_in_the_step_in_which_it_approves_the_setting(
    store_url: str, clock: ManualClock
) -> None:
    settings = patient_settings(learning={"auto_approve": True, "auto_supporting": 3, "auto_low": 0.2})
    with HindsightGraph(store_url, embedder="hashing", extractor="rules", settings=settings, clock=clock) as memory:
        mine = memory.acting_for(agent_id="ann")
        for number in range(3):
            clock.advance(timedelta(hours=1))
            steps = (("", "Error: refused"), ('"region": "north"', "ok"))
            messages: list[Raw] = [{"role": "user", "content": f"Deploy build {number}"}]
            for at, (arguments, content) in enumerate(steps):
                function = {"name": "deploy", "arguments": "{" + arguments + "}"}
                messages.append({"role": "assistant", "tool_calls": [{"id": f"c{at}", "type": "function", "function": function}]})
                messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": content})
            mine.learning.reflect(messages, session_id=f"s{number}", task_type="deploy")
            memory.jobs.work()
        (active,) = mine.list(kinds=["strategy"], statuses=list(Status)).rows
        assert (active.status, strategy_of(active).rule.value) == (Status.ACTIVE, "north")


@pytest.mark.requirement("X-07")
def test_an_edited_strategy_is_a_new_version_that_keeps_its_evidence(memory: HindsightGraph, taught: Memory) -> None:
    edited = memory.learning.edit(taught.id, "Check the order's status before any refund.", reviewer="ann", reason="clearer")
    assert (edited.version, edited.root_id, edited.status) == (2, taught.id, Status.ACTIVE)
    shown = memory.learning.show(edited.id)
    assert (len(shown.supporting), shown.strategy.guidance) == (4, "Check the order's status before any refund.")
    assert memory.learning.queue() == ()
    with pytest.raises(InputError, match=r"1\.\.200"):
        memory.learning.edit(edited.id, " ")


@pytest.mark.requirement("X-08")
def test_a_strategy_whose_evidence_is_forgotten_falls_in_the_same_transaction(memory: HindsightGraph, taught: Memory) -> None:
    memory.learning.approve(taught.id)
    evidence = [item.id for item in memory.learning.show(taught.id).supporting]
    memory.forget(evidence[:3], reason="wrong order system")
    fallen = memory.get(taught.id)
    assert fallen.status is Status.STALE
    assert strategy_of(fallen).support.supporting == 1
    assert memory.recall("process_refund", kinds=["strategy"]).results == ()
    assert [job.kind for job in memory.jobs.list(states=["queued"]).rows] == ["consolidate"]
    memory.forget(evidence[3:])
    with pytest.raises(ConflictError, match="no longer carries it"):
        memory.learning.approve(taught.id)


@pytest.mark.requirement("X-09")
def test_feedback_moves_weight_and_counts_once_per_task_and_not_at_retrieval(
    memory: HindsightGraph, taught: Memory, clock: ManualClock
) -> None:
    memory.learning.approve(taught.id)
    memory.recall("process_refund")
    assert memory.get(taught.id).weight == 0.5
    first = memory.learning.feedback([taught.id], "success", task_id="t1", importance=2.0)
    assert (first.items[0].weight_before, first.items[0].weight) == (0.5, 0.7)
    assert memory.learning.feedback([taught.id], "success", task_id="t1", importance=2.0) == first
    with pytest.raises(IdempotencyError):
        memory.learning.feedback([taught.id], "failure", task_id="t1")
    cooling = memory.learning.feedback([taught.id], "failure", task_id="t2")
    assert (cooling.items[0].weight, "stays" in cooling.items[0].note) == (0.7, True)
    clock.advance(timedelta(hours=2))
    assert memory.learning.feedback([taught.id], "failure", task_id="t3").items[0].weight == pytest.approx(0.6)
    support = strategy_of(memory.get(taught.id)).support
    assert (support.uses, support.helped) == (3, 1)


def test_feedback_says_what_it_left_alone(memory: HindsightGraph, taught: Memory) -> None:
    memory.learning.reject(taught.id)
    receipt = memory.learning.feedback(["no-such-id", taught.id], "success")
    assert [item.note for item in receipt.items] == ["no such memory", "is rejected: nothing was changed"]
    with pytest.raises(InputError, match="unknown outcome 'fine'"):
        memory.learning.feedback([taught.id], "fine")
    with pytest.raises(NotFoundError):
        memory.learning.show("no-such-id")


def test_a_consolidation_from_scratch_agrees_with_following_one_by_one(memory: HindsightGraph, taught: Memory) -> None:
    again = memory.learning.consolidate(dry_run=True)
    assert (again.experiences, again.proposed, again.updated, again.revised) == (4, (), (), ())
    assert memory.get(taught.id) == taught


def test_a_consolidation_can_be_taken_back(memory: HindsightGraph, clock: ManualClock) -> None:
    settings = memory.settings
    assert settings.learning.min_supporting == 2
    reflect(memory, FAILED, "first", task_type="refund")
    clock.advance(timedelta(hours=1))
    found = reflect(memory, WORKED, "second", task_type="refund").consolidation
    assert found is not None
    assert memory.learning.undo(found.report_id) == found.proposed
    assert memory.get(found.proposed[0]).status is Status.REJECTED
    with pytest.raises(ConflictError, match="was taken back already"):
        memory.learning.undo(found.report_id)
    with pytest.raises(NotFoundError):
        memory.learning.undo("no-such-report")


@pytest.mark.requirement("X-07")
def test_what_a_person_decided_stands_when_the_consolidation_is_taken_back(memory: HindsightGraph, clock: ManualClock) -> None:
    reflect(memory, FAILED, "first", task_type="refund")
    clock.advance(timedelta(hours=1))
    found = reflect(memory, WORKED, "second", task_type="refund").consolidation
    assert found is not None
    clock.advance(timedelta(hours=1))
    memory.learning.approve(found.proposed[0], reviewer="ann")
    assert found.proposed[0] not in memory.learning.undo(found.report_id)
    assert memory.get(found.proposed[0]).status is Status.ACTIVE


@pytest.mark.requirement("X-07")
def test_a_rejection_is_never_overwritten_by_an_approval_that_read_before_it(
    memory: HindsightGraph, taught: Memory, store_url: str, clock: ManualClock
) -> None:
    async def race() -> tuple[Memory | BaseException, Memory | BaseException]:
        async with AsyncHindsightGraph(store_url, clock=clock) as one, AsyncHindsightGraph(store_url, clock=clock) as other:
            return await asyncio.gather(
                one.learning.approve(taught.id, reviewer="ann"),
                other.learning.reject(taught.id, reviewer="bob"),
                return_exceptions=True,
            )

    approved, rejected = asyncio.run(race())
    outcomes = {type(result) for result in (approved, rejected)}
    assert outcomes <= {Memory, ConflictError}
    expected = Status.REJECTED if isinstance(rejected, Memory) else Status.ACTIVE
    assert memory.get(taught.id).status is expected


@pytest.mark.requirement("T-01")
def test_another_tenant_learns_nothing_and_its_strategies_are_missing(memory: HindsightGraph, taught: Memory) -> None:
    other = memory.acting_for(tenant="other")
    assert other.learning.queue() == ()
    assert other.learning.consolidate().experiences == 0
    for decide in (other.learning.show, other.learning.approve, other.learning.reject, other.learning.retire):
        with pytest.raises(NotFoundError, match=f"no strategy {taught.id}"):
            decide(taught.id)
    assert other.learning.feedback([taught.id], "success").items[0].note == "no such memory"


@pytest.fixture(params=["en", "zh"])
def corrected(request: pytest.FixtureRequest) -> Iterator[tuple[list[Raw], str]]:
    """A task that a user puts right, and the lesson in the user's words."""
    if request.param == "en":
        words = "No, you must ask for the invoice number before send_invoice."
        yield [*task("Send the invoice", ("send_invoice", "sent")), {"role": "user", "content": words}], words
    else:
        words = "不对，发送发票之前要先核对税号。"
        yield [*task("发送发票", ("send_invoice", "sent")), {"role": "user", "content": words}], words


def test_what_a_person_corrects_is_a_lesson_after_one_case(memory: HindsightGraph, corrected: tuple[list[Raw], str]) -> None:
    messages, words = corrected
    reflect(memory, messages, "s")
    (item,) = memory.learning.queue()
    assert item.strategy.guidance == words
    assert [concern.code for concern in item.strategy.concerns] == ["one_case"]
    assert item.supporting[0].importance == 2.0


def test_learning_survives_a_restart(store_url: str, clock: ManualClock, tmp_path: Path) -> None:
    del tmp_path
    with HindsightGraph(store_url, settings=patient_settings(), clock=clock) as memory:
        job = memory.learning.reflect(WORKED, session_id="s")
    with HindsightGraph(store_url, settings=patient_settings(), clock=clock) as memory:
        memory.jobs.work()
        assert len(memory.learning.reflection(job.id).memory_ids) == 1


@pytest.mark.requirement("X-05")
def test_what_the_memory_told_is_neither_learned_nor_remembered_again(memory: HindsightGraph) -> None:
    block = "<memory_context>\n- **strategy**: Before deploy, call drain. Otherwise: Error: pods busy\n</memory_context>"
    told: list[Raw] = [
        {"role": "user", "content": f"{block}\nRefund order 17"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "m", "name": "memory_search", "arguments": "{}"}]},
        {"role": "tool", "tool_call_id": "m", "content": "Error: the payment gateway depends on the vault"},
        {"role": "tool", "name": "mcp__hindsight-graph__memory_list", "content": "The mirror runs on port 6400."},
        *FAILED[1:],
    ]
    found = reflect(memory, told, "s1", task_type="refund")
    (draft,) = found.drafts
    assert draft.experience.goal == "Refund order 17"
    assert [step.tool for step in draft.experience.steps] == ["process_refund"]
    receipt = memory.retain(told, session_id="s1")
    kept = " ".join(item.summary for item in receipt.memories)
    assert not any(word in kept for word in ("drain", "vault", "6400", "memory_search"))
    assert {item.reason for item in receipt.items if "6400" in item.text or "vault" in item.text} == {"recalled from memory"}
    assert not any("6400" in hit.summary for hit in memory.recall("which port does the mirror run on?").results)
