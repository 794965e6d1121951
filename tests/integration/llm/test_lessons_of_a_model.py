"""Lessons worded by a model: one question with the contrast, its answer filtered, what a person said and the rules found kept."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.models.enums import Kind, Status
from hindsight_graph.models.learning import Experience, Strategy
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.testing.recorded_llm import Reply, recorded

Remembering = Callable[..., HindsightGraph]
Raw = dict[str, Any]
LESSON = "Check with get_order that an order is paid before calling refund: unpaid orders are refused."


def task(request: str, *steps: tuple[str, str], end: str) -> list[Raw]:
    said: list[Raw] = [{"role": "tool", "name": tool, "content": content} for tool, content in steps]
    return [{"role": "user", "content": request}, *said, {"role": "assistant", "content": end}]


REPAIRED = task(
    "Refund order 17",
    ("refund", "Error: order 17 is not paid"),
    ("get_order", "paid"),
    ("refund", "ok"),
    end="The refund is done.",
)
ROUTINE = task("Refund order 18", ("get_order", "paid"), ("refund", "ok"), end="The refund is done.")
BY_RULES = "Before refund, call get_order. Otherwise: “Error: order <n> is not paid”"


def answer(lesson: str) -> str:
    return json.dumps({"lesson": lesson}, ensure_ascii=False)


def reflect(memory: HindsightGraph, messages: list[Raw], session: str = "s") -> Reflection:
    job = memory.learning.reflect(messages, session_id=session, task_type="refund")
    memory.jobs.work()
    return memory.learning.reflection(job.id)


@pytest.mark.requirement("X-04")
@pytest.mark.requirement("O-07")
def test_a_model_words_the_lesson_of_a_repaired_failure(remembering: Remembering) -> None:
    with recorded(answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url, stronger="stronger")
        found = reflect(memory, REPAIRED)
        (draft,) = found.drafts
        assert (draft.experience.lesson, draft.experience.author) == (LESSON, "stronger")
        assert (found.extractor, found.left) == ("stronger+rules", ())
        kept = memory.get(found.memory_ids[0])
        assert LESSON in kept.summary
        assert kept.error_code == "Error: order <n> is not paid"
        (asked,) = endpoint.asked
        assert asked["model"] == "stronger"
        assert "1. refund() failed: “Error: order <n> is not paid”" in asked["messages"][1]["content"]
        assert "different when it worked: called get_order" in asked["messages"][1]["content"]


@pytest.mark.requirement("X-04")
def test_the_rule_that_can_be_tested_is_proposed_whatever_the_words(remembering: Remembering) -> None:
    with recorded(answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url)
        for session in ("a", "b"):
            reflect(memory, REPAIRED, session)
        items = {item.strategy.rule.kind.value: item for item in memory.learning.queue()}
        assert items["precondition"].strategy.guidance == BY_RULES
        worded = items["lesson"].strategy
        assert worded.guidance == LESSON
        assert "model_words" in {concern.code for concern in worded.concerns}


@pytest.mark.requirement("X-07")
def test_a_lesson_that_only_a_model_said_is_never_approved_by_a_policy(remembering: Remembering) -> None:
    policy = {"auto_approve": True, "auto_supporting": 1, "auto_low": 0.0, "min_supporting": 1}
    with recorded(answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url, learning=policy, agent_id="bot")
        for session in ("a", "b", "c"):
            reflect(memory, REPAIRED, session)
        lessons = memory.list(kinds=[Kind.STRATEGY], statuses=[Status.ACTIVE, Status.PENDING]).rows
        by_kind = {strategy.rule.kind.value: item.status for item in lessons if (strategy := Strategy.of(item.payload))}
        assert by_kind == {"precondition": Status.ACTIVE, "lesson": Status.PENDING}


@pytest.mark.requirement("X-04")
@pytest.mark.requirement("O-07")
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("One should check orders."), "no whole JSON object"),
        (Reply(answer(LESSON)[:30], finish="length"), "cut"),
        (Reply('{"lesson": ["a"]}'), "lesson: Input should be a valid string"),
        (Reply(answer("退款之前先用 get_order 确认订单已经付款。")), "not in English"),
        (Reply(""), "empty"),
        (Reply(status=503), "503"),
        (Reply(answer("Be careful next time.")), "nothing that happened"),
        (Reply(answer("Be careful with refund.")), "vague"),
        (Reply(answer("Check refund.")), "too short"),
        (Reply(answer("none")), "found nothing reusable"),
        (Reply(answer("Whales sing below the ice in winter.")), "nothing that happened"),
    ],
    ids=[
        "prose",
        "cut",
        "wrong types",
        "other language",
        "nothing",
        "away",
        "vague and empty",
        "vague",
        "short",
        "none",
        "invented",
    ],
)
def test_the_lesson_of_the_rules_stays_when_the_models_is_not_usable(remembering: Remembering, reply: Reply, reason: str) -> None:
    with recorded(reply) as endpoint:
        memory = remembering(endpoint.url)
        found = reflect(memory, REPAIRED)
        (draft,) = found.drafts
        assert (draft.experience.lesson, draft.experience.author) == (BY_RULES, "")
        assert found.extractor == "rules"
        (left,) = found.left
        assert reason in left.reason
        assert found.stored


@pytest.mark.requirement("O-07")
def test_a_silent_model_costs_its_time_limit_and_the_reflection_stands(remembering: Remembering) -> None:
    with recorded(Reply(silent=True)) as endpoint:
        found = reflect(remembering(endpoint.url, timeout_s=0.3), REPAIRED)
        assert found.drafts[0].experience.lesson == BY_RULES
        assert "did not answer within" in found.left[0].reason


@pytest.mark.requirement("X-04")
def test_routine_successes_and_what_a_person_corrected_are_not_asked_about(remembering: Remembering) -> None:
    corrected = [
        *task("Refund order 19", ("refund", "Error: order 19 is not paid"), end="It failed."),
        {"role": "user", "content": "No, you should check the payment with get_order before any refund."},
    ]
    with recorded(answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url)
        reflect(memory, ROUTINE)
        found = reflect(memory, corrected, "t")
        assert endpoint.asked == []
        assert found.drafts[0].experience.lesson.startswith("No, you should check the payment")


@pytest.mark.requirement("X-04")
def test_a_chinese_task_is_asked_about_in_chinese(remembering: Remembering) -> None:
    lesson = "调用 refund 之前先用 get_order 确认订单已经付款。"
    chinese = task(
        "请给订单 17 退款", ("refund", "Error: order 17 is not paid"), ("get_order", "paid"), ("refund", "ok"), end="已退款。"
    )
    with recorded(answer(lesson)) as endpoint:
        found = reflect(remembering(endpoint.url), chinese)
        assert found.drafts[0].experience.lesson == lesson
        assert endpoint.asked[0]["messages"][0]["content"].startswith("智能体在回顾一个任务")


@pytest.mark.requirement("X-05")
def test_what_was_recalled_from_memory_never_reaches_the_model(remembering: Remembering) -> None:
    messages = [{"role": "user", "content": "Lesson: use the blue door.", "recalled": True}, *REPAIRED]
    with recorded(answer(LESSON)) as endpoint:
        reflect(remembering(endpoint.url), messages)
        assert "blue door" not in json.dumps(endpoint.asked)


@pytest.mark.requirement("T-07")
def test_a_models_raw_words_stand_on_the_job_and_not_in_the_reflection(remembering: Remembering) -> None:
    with recorded("prose", answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url)
        job = memory.learning.reflect(REPAIRED, session_id="s")
        memory.jobs.work()
        assert [one["raw"] for one in memory.jobs.get(job.id).result["llm"]] == ["prose", answer(LESSON)]
        assert "llm" not in memory.learning.reflection(job.id).model_dump()


def test_an_experience_of_a_model_is_read_back_with_its_author(remembering: Remembering) -> None:
    with recorded(answer(LESSON)) as endpoint:
        memory = remembering(endpoint.url)
        found = reflect(memory, REPAIRED)
        told = Experience.of(memory.get(found.memory_ids[0]).payload)
        assert told is not None
        assert told.author == "recorded"
        assert timedelta(0) <= timedelta(seconds=told.duration_s or 0)
