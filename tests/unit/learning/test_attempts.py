"""Reading tasks off a transcript."""

import pytest

from hindsight_graph.learning.attempts import read_attempts, repairs_of
from hindsight_graph.learning.drafting import ReflectPolicy, Trigger, draft
from hindsight_graph.learning.rules import rules_in
from hindsight_graph.learning.signatures import is_error, signature
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience, RuleKind
from hindsight_graph.pipelines.messages import parse_messages

Raw = dict[str, object]


def call(name: str, arguments: str = "{}", number: str | None = None) -> Raw:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": number, "type": "function", "function": function}]}


def result(content: str, number: str | None = None, name: str | None = None) -> Raw:
    return {"role": "tool", "content": content, "tool_call_id": number, "name": name}


REPAIRED: list[Raw] = [
    {"role": "user", "content": "Refund order 17"},
    call("process_refund", '{"order_id": 17}', "a"),
    result("Error: status of order 17 not checked", "a"),
    call("get_order_status", '{"order_id": 17}', "b"),
    result('{"status": "delivered"}', "b"),
    call("process_refund", '{"order_id": 17}', "c"),
    result('{"ok": true}', "c"),
    {"role": "assistant", "content": "The refund is done."},
]


def test_a_task_is_read_with_its_steps_its_outcome_and_what_mended_it() -> None:
    (attempt,) = read_attempts(parse_messages(REPAIRED), [f"e{index}" for index in range(8)])
    assert [(step.tool, step.ok, step.episode_id) for step in attempt.steps] == [
        ("process_refund", False, "e1"),
        ("get_order_status", True, "e3"),
        ("process_refund", True, "e5"),
    ]
    assert attempt.steps[0].error == "Error: status of order <n> not checked"
    assert attempt.outcome is Outcome.SUCCESS
    (repair,) = repairs_of(attempt.steps)
    assert repair.between == ("get_order_status",)


@pytest.mark.requirement("X-02")
def test_tool_messages_with_only_role_name_and_content_are_steps_and_error_is_a_failure() -> None:
    messages = parse_messages(
        [
            {"role": "user", "content": "Deploy the site"},
            {"role": "tool", "name": "deploy", "content": '{"target": "prod"}'},
            {"role": "tool", "name": "deploy", "content": "Error: no migration was run"},
            {"role": "tool", "name": "migrate", "content": "migrated"},
            {"role": "tool", "name": "deploy", "content": "deployed"},
        ]
    )
    (attempt,) = read_attempts(messages)
    assert [(step.tool, step.ok) for step in attempt.steps] == [("deploy", False), ("migrate", True), ("deploy", True)]
    assert attempt.steps[0].arguments == {"target": "prod"}
    (rule,) = rules_in(Experience(outcome=Outcome.SUCCESS, steps=tuple(attempt.steps)))
    assert (rule.kind, rule.tool, rule.other) == (RuleKind.PRECONDITION, "deploy", "migrate")


@pytest.mark.requirement("X-05")
def test_what_was_recalled_from_memory_is_not_read() -> None:
    recalled: Raw = {"role": "user", "content": "No, always check the status first", "recalled": True}
    (attempt,) = read_attempts(parse_messages([*REPAIRED, recalled]))
    assert attempt.corrections == []


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("That did not work.", Outcome.FAILURE),
        ("还是不行", Outcome.FAILURE),
        ("Thanks, that worked!", Outcome.SUCCESS),
        ("解决了", Outcome.SUCCESS),
    ],
)
def test_the_users_word_on_the_end_counts_more_than_the_tools(words: str, outcome: Outcome) -> None:
    attempts = read_attempts(parse_messages([*REPAIRED, {"role": "user", "content": words}]))
    assert [attempt.outcome for attempt in attempts] == [outcome]


def test_the_next_request_begins_a_task_of_its_own_and_a_correction_does_not() -> None:
    more: list[Raw] = [
        {"role": "user", "content": "No, you should tell the customer first."},
        call("send_mail"),
        result("sent"),
        {"role": "user", "content": "Now cancel order 18"},
        call("cancel_order"),
        result("Error: 409 already shipped"),
        {"role": "assistant", "content": "I could not cancel it."},
    ]
    first, second = read_attempts(parse_messages([*REPAIRED, *more]))
    assert first.corrections == ["No, you should tell the customer first."]
    assert (second.request, second.outcome) == ("Now cancel order 18", Outcome.FAILURE)


def test_an_answer_to_the_agents_question_stays_in_the_task() -> None:
    asked: list[Raw] = [
        {"role": "user", "content": "Refund my order"},
        call("list_orders"),
        result("17, 18"),
        {"role": "assistant", "content": "Which one do you mean?"},
        {"role": "user", "content": "Order 18"},
        call("process_refund"),
        result("ok"),
    ]
    assert len(read_attempts(parse_messages(asked))) == 1


@pytest.mark.requirement("X-03")
def test_routine_successes_are_skipped_unless_asked_about_or_set_otherwise() -> None:
    routine: list[Raw] = [{"role": "user", "content": "What is the status of order 17?"}, call("get_order_status"), result("ok")]
    (attempt,) = read_attempts(parse_messages(routine))
    assert draft(attempt, ReflectPolicy(), asked=False).reason == "routine success"
    asked = draft(attempt, ReflectPolicy(), asked=True).draft
    assert asked is not None
    assert asked.triggers == (Trigger.ASKED,)
    every = draft(attempt, ReflectPolicy(every_task=True), asked=False).draft
    assert every is not None
    assert every.triggers == (Trigger.EVERY_TASK,)


@pytest.mark.requirement("X-03")
def test_failures_repairs_corrections_slow_tasks_and_error_streaks_are_looked_back_on() -> None:
    def triggers(messages: list[Raw], policy: ReflectPolicy | None = None) -> tuple[Trigger, ...]:
        (attempt,) = read_attempts(parse_messages(messages))
        made = draft(attempt, policy or ReflectPolicy(), asked=False).draft
        return made.triggers if made else ()

    assert triggers(REPAIRED) == (Trigger.REPAIRED,)
    streak = [REPAIRED[0], *(part for _ in range(3) for part in (call("pay"), result("Error: declined")))]
    assert triggers(streak) == (Trigger.FAILURE, Trigger.REPEATED_FAILURES)
    slow: list[Raw] = [
        {"role": "user", "content": "Build it", "occurred_at": "2026-05-01T10:00:00Z"},
        call("build"),
        {**result("built"), "occurred_at": "2026-05-01T10:05:00Z"},
    ]
    assert triggers(slow) == (Trigger.SLOW,)
    assert triggers(slow, ReflectPolicy(slow_s=301)) == ()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Error: order 4711 not found at /var/lib/orders.db", "Error: order <n> not found at <path>"),
        ('{"error": {"message": "card 0042-17 declined"}}', "card <n>-<n> declined"),
        ("HTTP 503 from https://pay.example/v1/refunds?id=9", "HTTP 503 from <url>"),
        ("TimeoutError: no answer from 10.0.0.7 after 30 s", "TimeoutError: no answer from <n> after <n> s"),
        ("错误：订单 88 未支付", "错误：订单 <n> 未支付"),
        ("Error: job 0198f3a2-77aa-7cc1-9d10-aaaaaaaaaaaa died", "Error: job <id> died"),
    ],
)
def test_a_signature_keeps_what_tells_errors_apart_and_nothing_of_the_single_case(content: str, expected: str) -> None:
    assert is_error(content)
    assert signature(content) == expected


@pytest.mark.parametrize("content", ["ok", '{"error": null, "id": 7}', "The error rate fell to 2 %", "0 errors", "已退款"])
def test_results_that_only_speak_of_errors_are_none(content: str) -> None:
    assert not is_error(content)
