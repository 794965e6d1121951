"""What remember and retain keep, merge, drop and supersede, seen through the public face."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import IdempotencyError, InputError
from hindsight_graph.models.enums import Kind, MentionRole, RelationType, Status, Visibility
from hindsight_graph.models.result import Action
from hindsight_graph.testing.patience import patient_settings

MAY = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


@pytest.mark.requirement("M-01")
def test_a_memory_carries_every_field_of_a_unit(memory: HindsightGraph) -> None:
    receipt = memory.remember(
        "Checkout depends on the payment service",
        kind="fact",
        entities=["Checkout"],
        relations=[("Checkout", "DEPENDS_ON", "payment service")],
        raw_ref="chat:7",
        occurred_at="2026-04-02T10:00:00+02:00",
        valid_to=datetime(2027, 1, 1, tzinfo=UTC),
        session_id="s1",
        tags=["infra"],
        agent_id="a1",
        confidence=0.8,
        importance=1.5,
        priority=3,
        ttl_days=30,
        media_type="text/plain",
        task_type="deploy",
        outcome="success",
        tools=["kubectl"],
        error_code="E1",
        slot={"subject": "Checkout", "attribute": "payment", "value": "payment service"},
        payload={"ticket": 7},
    )
    unit = memory.get(receipt.memories[0].id)
    assert unit.id[14] == "7"
    assert (unit.root_id, unit.version) == (unit.id, 1)
    assert (unit.kind, unit.summary) == (Kind.FACT, "Checkout depends on the payment service")
    assert [(mention.name, mention.role) for mention in unit.mentions] == [
        ("Checkout", MentionRole.TOPIC),
        ("payment service", MentionRole.OBJECT),
    ]
    assert [(item.source, item.type, item.target) for item in unit.relations] == [
        ("Checkout", RelationType.DEPENDS_ON, "payment service")
    ]
    assert (unit.raw_refs, unit.session_id, unit.tags, unit.agent_id) == (("chat:7",), "s1", ("infra",), "a1")
    assert unit.valid_from == datetime(2026, 4, 2, 8, 0, tzinfo=UTC)
    assert unit.valid_to == datetime(2027, 1, 1, tzinfo=UTC)
    assert (unit.recorded_at, unit.expires_at) == (MAY, MAY + timedelta(days=30))
    assert (unit.confidence, unit.importance, unit.priority, unit.trust) == (0.8, 1.5, 3, 0.9)
    assert (unit.media_type, unit.task_type, unit.outcome, unit.tools, unit.error_code) == (
        "text/plain",
        "deploy",
        "success",
        ("kubectl",),
        "E1",
    )
    assert (unit.visibility, unit.status, unit.is_current, unit.payload) == (
        Visibility.PRIVATE,
        Status.ACTIVE,
        True,
        {"ticket": 7},
    )
    assert unit.slot is not None
    assert unit.slot.value == "payment service"


@pytest.mark.requirement("M-02")
@pytest.mark.parametrize("kind", ["fact", "preference", "action", "result", "constraint", "experience", "strategy"])
def test_every_kind_can_be_stated_and_found_again(memory: HindsightGraph, kind: str) -> None:
    receipt = memory.remember(f"The {kind} about lanterns", kind=kind, entities=["lanterns"])
    if kind == "strategy":
        assert memory.recall("lanterns", kinds=[kind]).results == ()
        memory.learning.approve(receipt.memories[0].id, reviewer="ann")
    assert [hit.kind for hit in memory.recall("lanterns", kinds=[kind]).results] == [kind]
    assert receipt.memories[0].kind == kind


@pytest.mark.requirement("M-07")
def test_the_same_text_written_twice_gives_one_memory_with_both_pieces_of_evidence(
    memory: HindsightGraph, clock: ManualClock
) -> None:
    first = memory.remember("The ledger runs on Postgres.", raw_ref="chat:1")
    clock.advance(timedelta(hours=1))
    second = memory.remember("the ledger runs  on Postgres", raw_ref="chat:2")
    assert first.memories[0].id == second.memories[0].id
    assert [item.action for item in second.items] == [Action.MERGED]
    assert f"same text as {first.memories[0].id}" == second.items[0].reason
    stored = memory.get(first.memories[0].id)
    assert stored.raw_refs == ("chat:1", "chat:2")
    assert stored.confirmed_at == MAY + timedelta(hours=1)
    assert memory.status().stats.memories == 1


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The checkout service depends on the payment service", "The payment service depends on the checkout service"),
        ("Postgres listens on port 5432 in the east rack", "Postgres listens on port 5433 in the east rack"),
        ("Use Redis for the session cache", "Do not use Redis for the session cache"),
        ("The deploy of checkout to staging finished before noon", "The deploy of checkout to staging finished after noon"),
        ("支付网关依赖订单服务", "订单服务依赖支付网关"),
        ("Deploys of the portal run on weekdays", "Deploys of the portal run on weekends"),
        ("The temperature is -5 degrees.", "The temperature is 5 degrees."),
        ("The balance of Anna is -100 EUR.", "The balance of Anna is +100 EUR."),
        ("price > 5", "price < 5"),
        ("x = 1", "x != 1"),
        ("a -> b", "a <- b"),
        ("The lock is \u2705", "The lock is \u274c"),
        ("The password of root is abc.", "The password of root is ABC."),
        ("Deploy with flag -v.", "Deploy with flag -V."),
    ],
)
def test_statements_that_differ_in_what_they_mean_never_merge(memory: HindsightGraph, one: str, other: str) -> None:
    receipt = memory.remember_many([{"text": one}, {"text": other}])
    assert len({unit.id for unit in receipt.memories}) == len(receipt.items) >= 2


@pytest.mark.requirement("M-07")
def test_a_near_duplicate_adds_its_evidence_to_the_memory_that_says_the_same(memory: HindsightGraph) -> None:
    first = memory.remember("The billing service depends on the ledger service.", raw_ref="chat:1")
    second = memory.remember("Billing service requires the ledger service", raw_ref="chat:2")
    assert [item.action for item in second.items] == [Action.MERGED]
    assert second.memories[0].id == first.memories[0].id
    assert second.memories[0].raw_refs == ("chat:1", "chat:2")


@pytest.mark.requirement("M-07")
def test_the_same_action_at_two_times_is_two_memories(memory: HindsightGraph) -> None:
    units: list[dict[str, Any]] = [
        {"text": "Deployed the portal to staging", "kind": "action", "occurred_at": f"2026-04-0{day}T10:00:00Z"} for day in (1, 2)
    ]
    assert len(memory.remember_many(units).memories) == 2
    assert len(memory.remember_many(units).memories) == 2
    assert memory.status().stats.memories == 2


@pytest.mark.requirement("M-07")
def test_an_idempotency_key_repeats_its_answer_and_refuses_another_request(memory: HindsightGraph) -> None:
    first = memory.remember("Ports are open on Fridays", idempotency_key="k1")
    assert memory.remember("Ports are open on Fridays", idempotency_key="k1") == first
    with pytest.raises(IdempotencyError, match="'k1' was used for another request"):
        memory.remember("Ports are closed", idempotency_key="k1")
    assert memory.status().stats.memories == 1
    messages = [{"role": "user", "content": "Marta leads the harbour team."}]
    kept = memory.retain(messages, idempotency_key="k2")
    assert memory.retain(messages, idempotency_key="k2") == kept


@pytest.mark.requirement("M-08")
def test_a_ready_made_unit_skips_extraction(memory: HindsightGraph) -> None:
    (unit,) = memory.remember("Redis and Kafka were discussed with Marta Olsen.", entities=["harbour"]).memories
    assert unit.entity_names == ("harbour",)
    assert unit.relations == ()


@pytest.mark.requirement("M-08")
def test_many_units_are_checked_before_the_first_is_written(memory: HindsightGraph) -> None:
    with pytest.raises(InputError, match=r"unit 1: confidence: .*less than or equal to 1"):
        memory.remember_many([{"text": "good"}, {"text": "bad", "confidence": 1.5}])
    assert memory.status().stats.episodes == 0


@pytest.mark.requirement("M-04")
def test_messages_are_committed_verbatim_before_they_are_understood(
    memory: HindsightGraph, store_url: str, clock: ManualClock
) -> None:
    text = "  The harbour   portal depends on\nthe tide service. \U0001f30a"
    receipt = memory.retain([{"role": "user", "name": "Marta", "content": text, "raw_ref": "m1"}], session_id="s", defer=True)
    assert receipt.job_id is not None
    assert receipt.memories == ()
    assert memory.status().stats.open_jobs == 1
    memory.close()
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as again:
        assert again.status().stats.open_jobs == 0
        (hit,) = again.recall("what does the portal depend on?").results
        assert hit.evidence == ("m1",)


@pytest.mark.requirement("M-06")
def test_the_receipt_says_what_was_kept_merged_and_dropped_and_why(memory: HindsightGraph) -> None:
    receipt = memory.retain(
        [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "name": "Marta", "content": "Hi there!"},
            {"role": "user", "name": "Marta", "content": "The harbour portal depends on the tide service."},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "name": "Marta", "content": "The harbour portal depends on the tide service."},
            {"role": "user", "name": "Marta", "content": "Never deploy the portal on Fridays."},
            {"role": "assistant", "content": "- the portal depends on tides", "recalled": True},
        ],
        session_id="s1",
    )
    fates = [(item.action, item.text, item.reason.split(" as ")[0]) for item in receipt.items]
    assert (Action.KEPT, "The harbour portal depends on the tide service.", "fact") in fates
    assert (Action.MERGED, "The harbour portal depends on the tide service.", "same text") in fates
    assert (Action.KEPT, "Never deploy the portal on Fridays.", "constraint") in fates
    dropped = {item.text: item.reason for item in receipt.items if item.action is Action.DROPPED}
    assert dropped["Hi there!"] == "greeting"
    assert dropped["ok"] == "confirmation"
    assert dropped["You are a helpful assistant."] == "system message"
    assert dropped["- the portal depends on tides"] == "recalled from memory"
    assert len(receipt.episode_ids) == 7


@pytest.mark.requirement("M-06")
def test_tool_calls_and_results_in_the_openai_form_become_actions_and_results(memory: HindsightGraph) -> None:
    receipt = memory.retain(
        [
            {"role": "user", "content": "Refund order 17 please, the customer waits."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "refund_order", "arguments": '{"order_id": 17}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Error: order 17 is not paid (HTTP 409)"},
        ],
        session_id="s1",
    )
    (action,) = [unit for unit in receipt.memories if unit.kind is Kind.ACTION and unit.tools]
    (result,) = [unit for unit in receipt.memories if unit.kind is Kind.RESULT]
    assert action.summary == "Called refund_order(order_id=17)"
    assert action.tools == ("refund_order",)
    assert result.outcome == "failure"
    assert result.tools == ("refund_order",)
    assert [hit.id for hit in memory.recall("refund", outcome="failure", tool="refund_order").results] == [result.id]


def test_retaining_a_conversation_again_adds_nothing(memory: HindsightGraph) -> None:
    messages = [
        {"role": "user", "content": "The tide service is owned by Marta.", "occurred_at": "2026-04-01T10:00:00Z"},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": "ok"},
    ]
    first = memory.retain(messages, session_id="s1")
    before = memory.status().stats
    second = memory.retain(messages, session_id="s1")
    assert memory.status().stats == before.model_copy(update={"size_bytes": memory.status().stats.size_bytes})
    assert second.episode_ids == first.episode_ids
    assert before.episodes == 3


@pytest.mark.requirement("M-03")
def test_a_long_statement_is_split_and_nothing_of_it_is_lost(memory: HindsightGraph) -> None:
    clauses = [f"the service number {index} of the harbour stores its records in bucket {index}" for index in range(30)]
    text = "We found that " + ", and ".join(clauses) + "."
    receipt = memory.remember(text)
    assert len(receipt.memories) > 5
    assert all(len(unit.summary) <= 200 for unit in receipt.memories)
    together = " ".join(unit.summary for unit in receipt.memories)
    assert all(f"bucket {index}" in together for index in range(30))


@pytest.mark.requirement("M-03")
def test_a_summary_keeps_the_negation_and_the_language_of_its_source(memory: HindsightGraph) -> None:
    english, chinese = memory.remember_many(
        [{"text": "Do not use Redis for sessions, use Memcached."}, {"text": "不要用 Redis 存会话，改用 Memcached。"}]
    ).memories
    assert english.summary == "Do not use Redis for sessions, use Memcached."
    assert chinese.summary == "不要用 Redis 存会话，改用 Memcached。"
    for unit in (english, chinese):
        assert unit.negated
        assert {(item.type.value, item.target) for item in unit.relations} == {("AVOIDS", "Redis"), ("USES", "Memcached")}
    assert (english.language, chinese.language) == ("en", "zh")


def test_a_later_value_of_a_slot_supersedes_the_earlier_one(memory: HindsightGraph) -> None:
    old = memory.remember("The staging Postgres runs on port 5433.", occurred_at="2026-03-01T00:00:00Z").memories[0]
    receipt = memory.remember("The staging Postgres runs on port 5434.", occurred_at="2026-04-01T00:00:00Z")
    new = receipt.memories[0]
    assert receipt.items[0].action is Action.SUPERSEDED
    assert receipt.items[0].replaces == old.id
    assert "replaces 5433" in receipt.items[0].reason
    assert (new.root_id, new.version) == (old.id, 2)
    before = memory.get(old.id)
    assert (before.status, before.is_current) == (Status.SUPERSEDED, False)
    assert before.valid_to == datetime(2026, 4, 1, tzinfo=UTC)
    assert [unit.id for unit in memory.history(new.id)] == [old.id, new.id]
    assert [hit.id for hit in memory.recall("staging Postgres port").results] == [new.id]


def test_a_less_trusted_value_contradicts_and_both_stay(memory: HindsightGraph) -> None:
    now = memory.remember("The staging Postgres runs on port 5434.", occurred_at="2026-04-01T00:00:00Z").memories[0]
    receipt = memory.remember("The staging Postgres runs on port 9999.", occurred_at="2026-04-20T00:00:00Z", origin="agent")
    rumour = receipt.memories[0]
    assert "kept beside another value of staging Postgres / port" in receipt.items[0].reason
    answer = memory.recall("staging Postgres port")
    assert {hit.id for hit in answer.results} == {now.id, rumour.id}
    assert {frozenset((item.preferred, item.other)) for item in answer.conflicts} == {frozenset((now.id, rumour.id))}


def test_a_value_that_arrives_late_takes_its_place_in_the_past(memory: HindsightGraph) -> None:
    def ports(**at: str) -> list[str]:
        answer = memory.recall("staging Postgres port", **at)  # pyright: ignore[reportArgumentType]
        return [hit.memory.slot.value for hit in answer.results if hit.memory.slot]

    for port, day in ((5432, "2026-01-01"), (6000, "2026-03-01"), (5500, "2026-02-01")):
        receipt = memory.remember(f"The staging Postgres runs on port {port}.", occurred_at=f"{day}T00:00:00Z")
    assert receipt.items[0].reason == "an earlier value of staging Postgres / port: 6000 came later"
    assert ports() == ["6000"]
    assert ports(as_of="2026-03-15T00:00:00Z") == ["6000"]
    assert ports(as_of="2026-02-15T00:00:00Z") == ["5500"]
    assert ports(as_of="2026-01-15T00:00:00Z") == ["5432"]


def test_a_value_confirmed_later_is_not_replaced_by_one_from_between(memory: HindsightGraph) -> None:
    for owner, month in (("Anna", "01"), ("Anna", "03"), ("Ben", "02")):
        memory.remember(f"The owner of billing is {owner}.", occurred_at=f"2026-{month}-01T00:00:00Z")
    assert [hit.summary for hit in memory.recall("owner of billing").results] == ["The owner of billing is Anna."]
    assert memory.recall("owner of billing", as_of="2026-02-15T00:00:00Z").results[0].summary in {
        "The owner of billing is Anna.",
        "The owner of billing is Ben.",
    }


def test_a_change_announced_for_the_future_leaves_the_present_as_it_is(memory: HindsightGraph, clock: ManualClock) -> None:
    memory.remember("The owner of mail is Eve.", occurred_at="2026-01-01T00:00:00Z")
    memory.remember("The owner of mail is Fay.", occurred_at="2026-07-01T00:00:00Z")
    assert [hit.summary for hit in memory.recall("owner of mail").results] == ["The owner of mail is Eve."]
    assert [hit.summary for hit in memory.recall("owner of mail", as_of=clock.now()).results] == ["The owner of mail is Eve."]
    clock.advance(timedelta(days=80))
    assert [hit.summary for hit in memory.recall("owner of mail").results] == ["The owner of mail is Fay."]


async def test_concurrent_values_of_one_slot_leave_one_current(store_url: str) -> None:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings()) as memory:
        statements = [
            memory.remember(f"The owner of thr is P{index}.", occurred_at=f"2026-04-{index + 1:02}T00:00:00Z")
            for index in range(12)
        ]
        await asyncio.gather(*statements)
        assert [row.summary for row in (await memory.list()).rows] == ["The owner of thr is P11."]


def test_threads_that_set_one_slot_leave_one_current(memory: HindsightGraph) -> None:
    def write(number: int) -> None:
        memory.remember(f"The owner of thr is P{number}.", occurred_at=f"2026-04-{number + 1:02}T00:00:00Z")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(write, range(20)))
    assert [row.summary for row in memory.list().rows] == ["The owner of thr is P19."]


@pytest.mark.requirement("R-07")
@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("We use Redis for caching.", "We don't use Redis for caching."),
        ("The portal is open on Sundays.", "The portal is not open on Sundays."),
        ("Marta likes the new quay.", "Marta doesn't like the new quay."),
    ],
)
def test_a_statement_and_its_denial_come_with_a_notice_the_later_first(memory: HindsightGraph, said: str, denied: str) -> None:
    one = memory.remember(said, occurred_at="2026-01-01T00:00:00Z", entities=["x"]).memories[0]
    other = memory.remember(denied, occurred_at="2026-02-01T00:00:00Z", entities=["x"]).memories[0]
    answer = memory.recall(said)
    assert [(item.preferred, item.other) for item in answer.conflicts] == [(other.id, one.id)]
    assert [hit.id for hit in answer.results] == [other.id, one.id]


@pytest.mark.parametrize(
    ("said", "ended", "name"),
    [
        ("The pump depends on the fuse box.", "The pump no longer depends on the fuse box.", "pump"),
        ("We use Redis for caching.", "We don't use Redis for caching any more.", "we"),
        ("支付网关依赖订单服务。", "支付网关不再依赖订单服务。", "支付网关"),
    ],
)
def test_what_is_said_to_hold_no_longer_ends_then(memory: HindsightGraph, said: str, ended: str, name: str) -> None:
    old = memory.remember(said, occurred_at="2026-01-01T00:00:00Z").memories[0]
    receipt = memory.remember(ended, occurred_at="2026-02-01T00:00:00Z")
    assert (receipt.items[0].action, receipt.items[0].replaces) == (Action.SUPERSEDED, old.id)
    assert memory.get(old.id).valid_to == datetime(2026, 2, 1, tzinfo=UTC)
    assert [hit.summary for hit in memory.recall(said).results] == [ended]
    before = [hit.summary for hit in memory.recall(said, as_of="2026-01-15T00:00:00Z").results]
    assert before == [said]
    assert [path.hops[0].memory_id for path in memory.chain(name, as_of="2026-01-15T00:00:00Z").paths] == [old.id]


def test_what_two_speakers_say_of_themselves_is_two_memories(memory: HindsightGraph) -> None:
    receipt = memory.retain([{"role": "user", "name": name, "content": "I like green tea."} for name in ("Marta", "Jonas")])
    assert [item.action for item in receipt.items] == [Action.KEPT, Action.KEPT]
    assert [path.nodes for path in memory.chain("Jonas", relations=["PREFERS"]).paths] == [("Jonas", "green tea")]


def test_what_a_caller_says_again_with_more_is_taken_up(memory: HindsightGraph) -> None:
    first = memory.remember("The gateway was restarted.", tags=["x"]).memories[0]
    merged = memory.remember(
        "The gateway was restarted.", tags=["y"], priority=2, importance=2.0, confidence=0.99, payload={"a": 1}
    )
    unit = merged.memories[0]
    assert (unit.id, unit.tags, unit.priority, unit.importance, unit.confidence) == (first.id, ("x", "y"), 2, 2.0, 0.99)
    assert unit.payload == {"a": 1}
    assert [hit.id for hit in memory.recall("gateway", tags=["y"]).results] == [first.id]


@pytest.mark.parametrize(
    "more",
    [
        {"relations": [("gateway", "DEPENDS_ON", "dns")]},
        {"tools": ["kubectl"]},
        {"error_code": "E7"},
        {"task_type": "deploy"},
        {"outcome": "failure"},
        {"valid_to": "2026-06-01T00:00:00Z"},
        {"slot": {"subject": "gateway", "attribute": "state", "value": "restarted"}},
        {"media_type": "image/png"},
    ],
)
def test_the_same_words_that_state_something_else_beside_are_another_memory(memory: HindsightGraph, more: dict[str, Any]) -> None:
    plain = memory.remember("The gateway was restarted.").memories[0]
    assert memory.remember("The gateway was restarted.", **more).memories[0].id != plain.id


def test_two_values_in_one_conversation_supersede_in_event_order(memory: HindsightGraph) -> None:
    receipt = memory.retain(
        [
            {"role": "user", "content": "The release day is Tuesday.", "occurred_at": "2026-04-01T10:00:00Z"},
            {"role": "user", "content": "The release day is Thursday.", "occurred_at": "2026-04-02T10:00:00Z"},
        ]
    )
    assert [item.action for item in receipt.items] == [Action.KEPT, Action.SUPERSEDED]
    assert [unit.summary for unit in memory.list().rows] == ["The release day is Thursday."]


def test_what_comes_from_below_the_trust_floor_is_kept_but_not_recalled_and_the_receipt_says_so(memory: HindsightGraph) -> None:
    receipt = memory.retain([{"role": "document", "name": "wiki", "content": "The lighthouse depends on the generator."}])
    assert "below the floor 0.5: kept, but not recalled" in receipt.notes[0]
    assert memory.recall("lighthouse").results == ()
    assert memory.get(receipt.memories[0].id).trust == 0.3


def test_a_statement_about_the_future_is_kept_with_a_note(memory: HindsightGraph) -> None:
    receipt = memory.remember("The lighthouse port is 81.", occurred_at="2026-06-01T00:00:00Z")
    assert "in the future" in receipt.notes[0]
    assert memory.recall("lighthouse port").results == ()
    assert len(memory.recall("lighthouse port", as_of="2026-06-02T00:00:00Z").results) == 1


def test_an_agent_sees_its_own_and_shared_memories_only(memory: HindsightGraph) -> None:
    own = memory.remember("The vault code is on the blue card", agent_id="a1").memories[0]
    memory.remember("The vault code is on the red card", agent_id="a2")
    shared = memory.remember("The vault code is changed monthly", agent_id="a2", visibility="shared").memories[0]
    assert {hit.id for hit in memory.recall("vault code", agent_id="a1").results} == {own.id, shared.id}
    assert len(memory.recall("vault code").results) == 3


BAD_TEXTS = [
    ("", "is empty"),
    (" \n\t ", "is empty"),
    ("nul\x00byte", "control character U+0000 at position 3"),
    ("bell\x07", "control character U+0007 at position 4"),
    ("half \ud83d emoji", "lone surrogate U+D83D at position 5"),
    ("a" * 1_000_001, "at most 1000000 characters"),
]


@pytest.mark.parametrize(("text", "words"), BAD_TEXTS)
def test_text_that_cannot_be_kept_is_refused_and_nothing_is_written(memory: HindsightGraph, text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        memory.remember(text)
    if text.strip():
        with pytest.raises(InputError, match="message 1: content: "):
            memory.retain([{"role": "user", "content": "fine"}, {"role": "user", "content": text}])
    assert memory.status().stats.episodes == 0


@pytest.mark.parametrize("text", ["\u200b", "\u200d \ufeff", "\u2060", "\u00ad"])
def test_a_text_that_shows_nothing_is_neither_remembered_nor_asked(memory: HindsightGraph, text: str) -> None:
    with pytest.raises(InputError, match="shows nothing"):
        memory.remember(text)
    with pytest.raises(InputError, match="shows nothing"):
        memory.recall(text)
    assert memory.status().stats.episodes == 0


@pytest.mark.parametrize(
    "text", ["نامه\u200cها depend on Postgres", "\U000323b0"], ids=["joiner inside", "newer than Unicode 14"]
)
def test_words_with_invisible_or_unknown_characters_in_them_are_kept(memory: HindsightGraph, text: str) -> None:
    assert memory.remember(text).memories[0].summary == text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "rumour"}, "kind: Input should be 'fact'"),
        ({"confidence": 1.5}, "confidence: Input should be less than or equal to 1"),
        ({"occurred_at": datetime(2026, 1, 1)}, "occurred_at: Input should have timezone info"),  # noqa: DTZ001 - the naive time is the point
        ({"occurred_at": "2026-05-01"}, "occurred_at"),
        ({"occurred_at": "2026-05-02T00:00:00Z", "valid_to": "2026-05-01T00:00:00Z"}, "valid_to .* is before occurred_at"),
        ({"relations": [("A", "LIKES", "B")]}, "unknown relation 'LIKES'; one of DEPENDS_ON"),
        ({"relations": [("A", "USES")]}, "a relation is .source, type, target., not 2 parts"),
        ({"entities": "Redis"}, "entities takes a list, not one text"),
        ({"tags": [""]}, "tags.0: is empty"),
        ({"tags": ["\u200b"]}, r"tags.0: shows nothing \(only invisible characters such as U\+200B\)"),
        ({"ttl_days": -1}, "ttl_days"),
        ({"outcome": "meh"}, "outcome: Input should be 'success'"),
        ({"entities": ["x" * 121]}, "120"),
        ({"priority": 10**23}, "priority"),
        ({"payload": {"a": object()}}, "payload: is not JSON"),
        ({"payload": {"a": float("nan")}}, "payload: is not JSON"),
        ({"raw_ref": b"x"}, "raw_ref: is bytes"),
    ],
)
def test_a_bad_argument_is_refused_by_name_and_nothing_is_written(
    memory: HindsightGraph, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        memory.remember("A fine statement", **options)
    assert memory.status().stats.episodes == 0


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user"}], "message 0 has neither content nor tool calls"),
        ([{"role": "user", "content": "\u200b\u2060"}], "message 0 has neither content nor tool calls"),
        (["hello"], "message 0 is str, not a mapping"),
        ([{"role": "user", "content": 7}], "message 0: content is int, not text"),
        ([{"role": "user", "content": "x", "colour": "red"}], "message 0: colour: Extra inputs are not permitted"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], "content part 'image_url' is not text"),
        ([{"role": "assistant", "tool_calls": [{"id": "1"}]}], "message 0: a tool call has no name"),
        (
            [{"role": "user", "content": "x", "occurred_at": "2026-05-01T10:00:00"}],
            "occurred_at: Input should have timezone info",
        ),
        ({"role": "user", "content": "x"}, "messages must be a list"),
        (None, "messages must be a list"),
    ],
)
def test_a_malformed_message_is_refused_by_its_position(memory: HindsightGraph, messages: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        memory.retain(messages)
    assert memory.status().stats.episodes == 0


@pytest.mark.requirement("M-03")
def test_a_megabyte_of_text_is_split_without_loss(memory: HindsightGraph) -> None:
    receipt = memory.remember("harbour " * 125_000)
    assert all(len(unit.summary) <= 200 for unit in receipt.memories)
    assert sum(len(item.text.split()) for item in receipt.items) == 125_000
