"""Messages read by a model: what holds is kept in its words; where its answer does not hold, the rules do the work and say so."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.testing.recorded_llm import Reply, recorded

Remembering = Callable[..., HindsightGraph]
SAID = "We can't use Redis for the cart service, use Memcached instead. checkout depends on payment."
RULE_TEXTS = {"We can't use Redis for the cart service, use Memcached instead.", "checkout depends on payment."}


def stated(text: str, *, kind: str = "fact", message: int = 1, entities: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "message": message, "text": text, "kind": kind, "entities": list(entities), "relations": [], "confidence": 0.9, **more,
    }  # fmt: skip


def answer(*statements: dict[str, Any]) -> str:
    return json.dumps({"statements": statements}, ensure_ascii=False)


GOOD = answer(
    stated(
        "The cart service must not use Redis; it uses Memcached.",
        kind="constraint",
        entities=("cart service", "Redis", "Memcached"),
    ),
    stated(
        "checkout depends on payment.",
        entities=("checkout", "payment"),
        relations=[{"source": "checkout", "type": "DEPENDS_ON", "target": "payment"}],
    ),
)


@pytest.mark.requirement("M-05")
def test_a_model_words_types_and_joins_what_a_message_states(remembering: Remembering) -> None:
    with recorded(GOOD) as endpoint:
        memory = remembering(endpoint.url)
        receipt = memory.retain([{"role": "user", "content": SAID}])
        by_text = {item.summary: item for item in receipt.memories}
        cart = by_text["The cart service must not use Redis; it uses Memcached."]
        assert (cart.kind.value, cart.negated) == ("constraint", True)
        assert set(cart.entity_names) == {"cart service", "Redis", "Memcached"}
        assert [(one.source, one.type.value, one.target) for one in by_text["checkout depends on payment."].relations] == [
            ("checkout", "DEPENDS_ON", "payment")
        ]
        assert receipt.notes == ()
        assert [hop.target for hop in memory.chain("checkout").paths[0].hops] == ["payment"]
        assert memory.status().extractor == "recorded+rules-2"


@pytest.mark.requirement("M-05")
@pytest.mark.requirement("O-07")
@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply("Sure! The user does not want Redis."), "no whole JSON object"),
        (Reply(GOOD[: len(GOOD) // 2], finish="length"), "cut before its JSON ended"),
        (Reply('{"statements": [{"message": "one", "text": 7}]}'), "statements.0"),
        (Reply('{"statements": "none"}'), "valid list"),
        (Reply(answer(stated("购物车服务不能使用 Redis，改用 Memcached。", kind="constraint"))), "not in the language"),
        (Reply(""), "empty"),
        (Reply(None), "empty"),
        (Reply(answer()), "leaves out"),
        (Reply(answer(stated("Kafka was bought by a bank in Norway."))), "none of its statements"),
        (Reply(answer(stated("checkout depends on payment.", message=9))), "no message 9"),
        (Reply(status=401), "401"),
        (Reply(body="[]"), "empty"),
    ],
    ids=["prose", "cut", "wrong types", "no list", "other language", "nothing", "null", "left out", "invented", "no such message",
         "refused", "no completion"],
)  # fmt: skip
def test_the_rules_take_over_when_an_answer_does_not_hold_and_the_receipt_says_so(
    remembering: Remembering, reply: Reply, fault: str
) -> None:
    with recorded(reply) as endpoint:
        memory = remembering(endpoint.url)
        receipt = memory.retain([{"role": "user", "content": SAID}])
        assert {item.summary for item in receipt.memories} == RULE_TEXTS
        (note,) = receipt.notes
        assert note.startswith("1 message was read by rules: recorded gave no usable answer")
        assert fault in note
        assert len(endpoint.asked) == (1 if reply.status != 200 else 2), "asked again once"


@pytest.mark.requirement("M-05")
def test_a_bad_answer_is_asked_again_with_the_fault_and_the_second_one_counts(remembering: Remembering) -> None:
    with recorded("I would rather talk.", f"Here it is:\n```json\n{GOOD}\n```") as endpoint:
        receipt = remembering(endpoint.url).retain([{"role": "user", "content": SAID}])
        assert "The cart service must not use Redis; it uses Memcached." in {item.summary for item in receipt.memories}
        assert receipt.notes == ()
        again = endpoint.asked[1]["messages"]
        assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
        assert "no whole JSON object" in again[-1]["content"]


@pytest.mark.requirement("M-05")
@pytest.mark.requirement("M-04")
def test_a_silent_model_costs_its_time_limit_and_the_rules_do_the_work(remembering: Remembering) -> None:
    with recorded(Reply(silent=True)) as endpoint:
        receipt = remembering(endpoint.url, timeout_s=0.3).retain([{"role": "user", "content": SAID}])
        assert {item.summary for item in receipt.memories} == RULE_TEXTS
        assert "did not answer within" in receipt.notes[0]


@pytest.mark.requirement("M-05")
def test_an_endpoint_that_is_away_is_left_alone_after_three_failures(remembering: Remembering) -> None:
    with recorded(Reply(status=401)) as endpoint:
        memory = remembering(endpoint.url)
        notes = [memory.retain([{"role": "user", "content": f"checkout depends on service-{n}."}]).notes[0] for n in range(5)]
        assert len(endpoint.asked) == 3
        assert "failed or was slow too often" in notes[-1]


@pytest.mark.requirement("M-05")
def test_a_negation_that_the_model_turns_round_is_kept_as_the_message_has_it(remembering: Remembering) -> None:
    wrong = answer(
        stated("The cart service uses Redis, and Memcached instead.", kind="constraint"), stated("checkout depends on payment.")
    )
    with recorded(wrong) as endpoint:
        receipt = remembering(endpoint.url).retain([{"role": "user", "content": SAID}])
        assert {item.summary for item in receipt.memories} == RULE_TEXTS
        assert any("turned a negation round" in note for note in receipt.notes)


@pytest.mark.requirement("M-05")
def test_names_and_relations_that_the_message_does_not_hold_are_left_out(remembering: Remembering) -> None:
    told = stated(
        "checkout depends on payment.",
        entities=("checkout", "payment", "Stripe"),
        relations=[{"source": "checkout", "type": "DEPENDS_ON", "target": "Stripe"}],
    )
    with recorded(answer(told)) as endpoint:
        (kept,) = remembering(endpoint.url).retain([{"role": "user", "content": "checkout depends on payment."}]).memories
        assert "Stripe" not in kept.entity_names
        assert [(one.source, one.target) for one in kept.relations] == [("checkout", "payment")]


@pytest.mark.requirement("M-05")
def test_chinese_messages_are_asked_about_in_chinese_and_small_talk_is_not_asked_about(remembering: Remembering) -> None:
    with recorded(answer(stated("购物车不能使用 Redis，改用 Memcached。", kind="constraint"))) as endpoint:
        memory = remembering(endpoint.url)
        receipt = memory.retain([
            {"role": "user", "content": "你好！"},
            {"role": "user", "content": "购物车不要用 Redis，改用 Memcached。"},
        ])  # fmt: skip
        assert [item.summary for item in receipt.memories] == ["购物车不能使用 Redis，改用 Memcached。"]
        (asked,) = endpoint.asked
        assert asked["messages"][0]["content"].startswith("你负责一个智能体的长期记忆")
        assert "你好" not in asked["messages"][1]["content"].splitlines()[-1]


@pytest.mark.requirement("M-05")
def test_a_long_conversation_is_asked_about_in_chunks_and_tool_results_never(remembering: Remembering) -> None:
    lines = [{"role": "user", "content": f"service-{n} depends on database-{n}."} for n in range(45)]
    lines.append({"role": "tool", "name": "status", "content": "database-3 is up"})
    with recorded(Reply(status=401)) as endpoint:
        remembering(endpoint.url).retain(lines)
        assert len(endpoint.asked) == 3
        assert not any("is up" in body["messages"][1]["content"] for body in endpoint.asked)


@pytest.mark.requirement("M-04")
def test_statements_and_the_commit_of_messages_never_wait_for_a_model(remembering: Remembering) -> None:
    with recorded(Reply(status=500)) as endpoint:
        memory = remembering(endpoint.url)
        memory.remember("checkout depends on payment.")
        receipt = memory.retain([{"role": "user", "content": SAID}], defer=True)
        assert memory.episode(receipt.episode_ids[0]).content == SAID
        assert endpoint.asked == []


@pytest.mark.requirement("T-07")
def test_a_models_raw_words_stand_on_the_job(remembering: Remembering) -> None:
    with recorded("prose", GOOD) as endpoint:
        memory = remembering(endpoint.url, price_prompt=1.0, price_completion=2.0)
        memory.retain([{"role": "user", "content": SAID}])
        (job,) = memory.jobs.list(kinds=("extract",)).rows
        first, second = job.result["llm"]
        assert (first["raw"], first["mode"], first["model"]) == ("prose", "json_schema", "recorded")
        assert "no whole JSON object" in first["fault"]
        assert (second["raw"], second["fault"]) == (GOOD, "")
        assert (second["prompt_tokens"], second["completion_tokens"]) == (120, 30)
        assert second["cost"] == pytest.approx(0.00018)
