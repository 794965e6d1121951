"""What was tried before in tasks like this one, and how it went."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.precedents import Precedent, precedents_in, worth_telling
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience, Step

START = datetime(2026, 5, 1, tzinfo=UTC)
REFUSED = "Error: refused"


def call(tool: str, error: str = "", **arguments: str) -> Step:
    return Step(tool=tool, arguments=arguments, ok=not error, error=error)


def case(number: int, *steps: Step) -> Case:
    outcome = Outcome.SUCCESS if steps[-1].ok else Outcome.FAILURE
    experience = Experience(goal=f"goal {number}", outcome=outcome, steps=steps, task_type="refund")
    return Case(id=f"e{number}", at=START + timedelta(hours=number), experience=experience)


def told(found: tuple[Precedent, ...]) -> list[str]:
    return [item.text for item in found]


def way(found: tuple[Precedent, ...], *before: str, arguments: Mapping[str, str] | None = None) -> Precedent:
    (one,) = [item for item in found if item.before == before and dict(item.arguments) == (arguments or {})]
    return one


@pytest.mark.requirement("X-04")
def test_what_worked_comes_first_and_dead_ends_are_named() -> None:
    cases = [
        case(1, call("refund", REFUSED)),
        case(2, call("policy"), call("refund", REFUSED)),
        case(3, call("order"), call("refund")),
    ]
    found = worth_telling(precedents_in(cases))
    assert told(found) == [
        "refund after order: worked 1 of 1",
        "refund: failed 2 of 2",
        "refund after policy: failed 1 of 1",
    ]
    assert (found[0].is_promising, found[1].is_dead_end, found[0].ids) == (True, True, ("e3",))
    assert found[1].mean == pytest.approx(0.27, abs=0.005)


def test_a_helper_that_was_called_by_chance_is_told_after_the_one_that_was_needed() -> None:
    cases = [
        case(1, call("ritual"), call("order"), call("refund")),
        case(2, call("order"), call("refund")),
        case(3, call("ritual"), call("refund", REFUSED)),
    ]
    found = precedents_in(cases)
    assert way(found, "order").mean > way(found, "order", "ritual").mean > way(found, "ritual").mean
    again = precedents_in([*cases, case(4, call("ritual"), call("refund", REFUSED))])
    assert way(again, "ritual").is_dead_end
    assert way(again, "order").mean == way(found, "order").mean


def test_a_setting_is_told_with_its_value_and_what_belongs_to_a_task_without() -> None:
    cases = [
        case(1, call("deploy", REFUSED, id="17", mode="fast")),
        case(2, call("deploy", id="18", mode="strict")),
        case(3, call("deploy", id="19", mode="strict")),
    ]
    assert told(precedents_in(cases))[0] == "deploy with id, mode=strict: worked 2 of 2"
    assert told(precedents_in(cases))[-1] == "deploy with id, mode=fast: failed 1 of 1"


def test_another_tool_that_ended_the_task_is_a_way_of_its_own() -> None:
    cases = [case(1, call("search", REFUSED), call("agency")), case(2, call("agency"))]
    assert told(worth_telling(precedents_in(cases))) == ["agency: worked 2 of 2", "search: failed 1 of 1"]


def test_what_went_with_every_call_stays_part_of_the_way_when_nothing_else_is_seen_any_more() -> None:
    cases = [case(number, call("order"), call("refund")) for number in range(1, 6)]
    assert told(precedents_in(cases)) == ["refund after order: worked 5 of 5"]


def test_a_way_that_worked_long_and_then_failed_thrice_is_no_longer_promising() -> None:
    before = [case(number, call("order"), call("refund")) for number in range(1, 11)]
    after = [case(number, call("order"), call("refund", REFUSED)) for number in range(11, 15)]
    known = [case(0, call("refund", REFUSED))]
    after_one = way(precedents_in([*known, *before, *after[:1]]), "order")
    assert after_one.is_promising
    assert way(precedents_in([*known, *before, *after[:3]]), "order").is_dead_end
    assert way(precedents_in([*known, *before, *after]), "order").text == "refund after order: worked 10 of 14, not of late"


def test_an_outage_with_an_error_that_was_never_seen_hardly_counts_against_a_way_that_worked() -> None:
    worked = [case(number, call("order"), call("refund")) for number in range(1, 5)]
    down = [case(number, call("order"), call("refund", "Error: closed")) for number in range(5, 7)]
    refused = [case(number, call("order"), call("refund", REFUSED)) for number in range(5, 7)]
    known = [case(0, call("refund", REFUSED))]
    closed = way(precedents_in([*known, *worked, *down]), "order")
    assert closed.is_promising
    assert closed.mean > way(precedents_in([*known, *worked, *refused]), "order").mean


def test_a_call_that_worked_when_it_was_made_again_did_not_fail() -> None:
    (found,) = precedents_in([case(1, call("order"), call("refund", "Error: timed out"), call("refund"))])
    assert (found.tried, found.worked, found.before) == (1, 1, ("order",))


def test_the_order_of_the_experiences_changes_nothing_and_few_are_worth_telling() -> None:
    cases = [case(number, call(f"helper_{number}"), call("refund", REFUSED)) for number in range(30)]
    assert precedents_in(cases) == precedents_in(list(reversed(cases)))
    assert len(worth_telling(precedents_in(cases))) == 12
    assert precedents_in([]) == ()
