"""A strategy that a caller writes waits for a person, whatever it claims; evidence is linked once, however much there is."""

from datetime import timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.enums import Kind, Origin, Outcome, Status
from hindsight_graph.models.learning import EXPERIENCE_KEY, STRATEGY_KEY, Experience, Rule, RuleKind, Step, Strategy, Support
from hindsight_graph.models.memory import Memory
from hindsight_graph.testing.patience import patient_settings

INVENTED = Strategy(
    guidance="Before refund, call get_order.",
    rule=Rule(kind=RuleKind.PRECONDITION, tool="refund", other="get_order"),
    support=Support(supporting=99, mean=0.99, low=0.95),
)
GREEDY = {"auto_approve": True, "auto_supporting": 1, "auto_low": 0.0}


def strategy_of(memory: Memory) -> Strategy:
    found = Strategy.of(memory.payload)
    assert found is not None
    return found


@pytest.mark.requirement("X-07")
def test_an_invented_strategy_waits_for_a_person_and_claims_no_support(store_url: str, clock: ManualClock) -> None:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(learning=GREEDY), clock=clock) as memory:
        payload = {STRATEGY_KEY: INVENTED.model_dump(mode="json")}
        kept = memory.remember(INVENTED.guidance, kind="strategy", payload=payload, agent_id="bot").memories[0]
        assert kept.status is Status.PENDING
        assert memory.recall("refund", kinds=["strategy"]).results == ()
        memory.learning.consolidate()
        (item,) = memory.learning.queue()
        assert (item.memory.id, item.strategy.support) == (kept.id, Support())
        assert [concern.code for concern in item.strategy.concerns] == ["no_evidence"]
        approved = memory.learning.approve(kept.id, reviewer="ann", reason="we know this")
        assert approved.status is Status.ACTIVE
        assert [hit.id for hit in memory.recall("refund", kinds=["strategy"]).results] == [kept.id]


@pytest.mark.requirement("X-07")
def test_a_strategy_in_words_alone_can_be_reviewed_too(memory: HindsightGraph) -> None:
    kept = memory.remember("Check the order status before a refund.", kind="strategy", task_type="refund").memories[0]
    (item,) = memory.learning.queue()
    assert item.memory.id == kept.id
    assert (item.strategy.guidance, item.strategy.conditions.task_types) == (kept.summary, ("refund",))
    assert memory.learning.reject(kept.id, reviewer="ann").status is Status.REJECTED


@pytest.mark.requirement("X-07")
def test_an_approved_strategy_in_other_words_waits_again(memory: HindsightGraph) -> None:
    kept = memory.remember("Check the order status before a refund.", kind="strategy").memories[0]
    memory.learning.approve(kept.id, reviewer="ann")
    assert memory.update(kept.id, confidence=0.7).status is Status.ACTIVE
    (current,) = memory.list(kinds=["strategy"]).rows
    changed = memory.update(current.id, "Never check the order before a refund.")
    assert changed.status is Status.PENDING
    assert memory.recall("refund", kinds=["strategy"]).results == ()
    edited = memory.learning.edit(changed.id, "Check the order's payment before a refund.", reviewer="ann")
    assert edited.status is Status.ACTIVE


@pytest.mark.requirement("X-06")
def test_an_experience_counts_once_however_much_evidence_a_strategy_has(memory: HindsightGraph, clock: ManualClock) -> None:
    units: list[dict[str, object]] = []
    for number in range(450):
        worked = number % 2 == 0
        failed = Step(tool="refund", ok=False, error="Error: not paid")
        told = Experience(
            goal=f"Refund {number}",
            outcome=Outcome.SUCCESS if worked else Outcome.FAILURE,
            steps=(Step(tool="get_order"), Step(tool="refund")) if worked else (failed,),
        )
        units.append(
            {
                "summary": f"Refund number {number} ended",
                "kind": Kind.EXPERIENCE,
                "tools": told.tools,
                "session_id": f"s{number}",
                "outcome": told.outcome,
                "payload": {EXPERIENCE_KEY: told.model_dump(mode="json")},
            }
        )
    kept = memory.remember_many(units).memories
    clock.advance(timedelta(hours=1))
    memory.learning.consolidate()
    (item,) = memory.learning.queue()
    before = item.strategy.support
    assert (before.supporting, before.refuting) == (450, 0)
    clock.advance(timedelta(hours=1))
    touch = memory.core.learning.consolidator.touch
    scope = memory.core.learning.scope
    for again in (kept[-1].id, kept[0].id):
        memory.loop.run(touch(scope, [again]))
    after = strategy_of(memory.get(item.memory.id)).support
    assert after == before


def task(number: int, *steps: tuple[str, str]) -> list[dict[str, object]]:
    """Return a transcript of a task with these calls and results."""
    said: list[dict[str, object]] = [{"role": "tool", "name": tool, "content": content} for tool, content in steps]
    words = "It is done." if steps[-1][1].startswith("ok") else "I could not do it."
    return [{"role": "user", "content": f"Refund order {number}"}, *said, {"role": "assistant", "content": words}]


def learn(memory: HindsightGraph, clock: ManualClock, number: int, *steps: tuple[str, str]) -> None:
    """Reflect on a task, two hours later."""
    clock.advance(timedelta(hours=2))
    memory.learning.reflect(task(number, *steps), session_id=f"s{number}", task_type="refund")
    memory.jobs.work()


FAILS = ("refund", "Error: not paid")
AUTO = {"auto_approve": True, "auto_supporting": 3, "auto_low": 0.2}


def by_rule(memory: HindsightGraph) -> dict[str, Status]:
    """Return what each tool-before-refund rule's state is."""
    statuses = [Status.ACTIVE, Status.PENDING, Status.STALE]
    rows = memory.list(kinds=["strategy"], statuses=statuses).rows
    return {strategy_of(row).rule.other: row.status for row in rows}


@pytest.mark.requirement("X-07")
def test_a_policy_approves_none_of_two_rules_that_nothing_tells_apart_and_then_the_better_one(
    store_url: str, clock: ManualClock
) -> None:
    settings = patient_settings(learning=AUTO, agent_id="bot")
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        for number in range(3):
            learn(memory, clock, number, FAILS)
        for number in (3, 4):
            learn(memory, clock, number, FAILS, ("get_order", "ok"), ("read_policy", "ok"), ("refund", "ok"))
        assert by_rule(memory) == {"get_order": Status.PENDING, "read_policy": Status.PENDING}
        for number in range(5, 9):
            learn(memory, clock, number, ("read_policy", "ok"), FAILS, ("get_order", "ok"), ("refund", "ok"))
        assert by_rule(memory) == {"get_order": Status.ACTIVE, "read_policy": Status.PENDING}


@pytest.mark.requirement("X-08")
def test_an_outage_ends_no_rule_a_changed_world_does_and_what_recovers_comes_back(store_url: str, clock: ManualClock) -> None:
    settings = patient_settings(learning=AUTO, agent_id="bot")
    good = (("get_order", "ok"), ("refund", "ok"))
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        for number in range(3):
            learn(memory, clock, number, FAILS)
        for number in range(3, 9):
            learn(memory, clock, number, FAILS, *good)
        assert by_rule(memory) == {"get_order": Status.ACTIVE}
        down = ("refund", "Error: closed for maintenance")
        for number in range(9, 14):
            learn(memory, clock, number, down, ("get_order", "ok"), down)
        assert by_rule(memory) == {"get_order": Status.ACTIVE}
        for number in range(14, 24):
            learn(memory, clock, number, ("get_order", "ok"), FAILS)
        assert by_rule(memory) == {"get_order": Status.STALE}
        for number in range(24, 44):
            learn(memory, clock, number, FAILS, *good)
        assert by_rule(memory) == {"get_order": Status.ACTIVE}


def test_an_experience_comes_from_the_least_trusted_of_its_messages(memory: HindsightGraph, clock: ManualClock) -> None:
    learn(memory, clock, 1, FAILS)
    (kept,) = memory.list(kinds=["experience"]).rows
    assert (kept.origin, kept.trust) == (Origin.TOOL, 0.6)
