"""Updating, history, reverting and forgetting, seen through the public face."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.models.enums import Status

MAY = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
ABSENT = "01990000-0000-7000-8000-000000000000"


def summaries(memory: HindsightGraph, query: str, **times: object) -> list[str]:
    return [hit.summary for hit in memory.recall(query, **times).results]  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("L-01")
@pytest.mark.requirement("R-06")
def test_a_change_keeps_the_old_version_true_for_its_time(memory: HindsightGraph, clock: ManualClock) -> None:
    old = memory.remember("Checkout depends on Stripe", occurred_at="2026-04-01T00:00:00Z", raw_ref="chat:1").memories[0]
    clock.advance(timedelta(days=1))
    new = memory.update(old.id, "Checkout depends on Adyen", mode="change", occurred_at="2026-04-20T00:00:00Z")
    assert (new.root_id, new.version, new.is_current) == (old.id, 2, True)
    assert summaries(memory, "checkout depends") == ["Checkout depends on Adyen"]
    assert summaries(memory, "checkout depends", as_of="2026-04-10T00:00:00Z") == ["Checkout depends on Stripe"]
    assert summaries(memory, "checkout depends", known_at=MAY) == ["Checkout depends on Stripe"]
    assert memory.get(old.id).valid_to == datetime(2026, 4, 20, tzinfo=UTC)
    assert [path.nodes for path in memory.chain("Checkout").paths] == [("Checkout", "Adyen")]
    assert [path.nodes for path in memory.chain("Checkout", as_of="2026-04-10T00:00:00Z").paths] == [("Checkout", "Stripe")]


@pytest.mark.requirement("L-01")
@pytest.mark.requirement("R-06")
def test_a_correction_says_the_old_version_was_never_true(memory: HindsightGraph, clock: ManualClock) -> None:
    old = memory.remember("Checkout depends on Stripe", occurred_at="2026-04-01T00:00:00Z").memories[0]
    clock.advance(timedelta(days=1))
    new = memory.update(old.id, "Checkout depends on Adyen", mode="correct")
    assert new.valid_from == datetime(2026, 4, 1, tzinfo=UTC)
    assert memory.get(old.id).retired_at == MAY + timedelta(days=1)
    assert summaries(memory, "checkout depends", as_of="2026-04-10T00:00:00Z") == ["Checkout depends on Adyen"]
    assert summaries(memory, "checkout depends", known_at=MAY + timedelta(hours=1)) == ["Checkout depends on Stripe"]


@pytest.mark.requirement("L-01")
def test_history_lists_every_version_and_revert_brings_one_back(memory: HindsightGraph, clock: ManualClock) -> None:
    first = memory.remember("The release day is Tuesday", occurred_at="2026-04-01T00:00:00Z", raw_ref="chat:1").memories[0]
    clock.advance(timedelta(hours=1))
    second = memory.update(first.id, "The release day is Thursday")
    clock.advance(timedelta(hours=1))
    third = memory.revert(first.id, reason="the vote was repeated")
    assert third.summary == "The release day is Tuesday"
    assert (third.version, third.raw_refs) == (3, ("chat:1",))
    assert [unit.id for unit in memory.history(second.id)] == [first.id, second.id, third.id]
    assert summaries(memory, "release day") == ["The release day is Tuesday"]
    assert summaries(memory, "release day", as_of="2026-04-10T00:00:00Z") == ["The release day is Tuesday"]
    with pytest.raises(ConflictError, match="is the current version already"):
        memory.revert(third.id)


@pytest.mark.requirement("L-01")
def test_a_memory_can_end_without_a_replacement(memory: HindsightGraph, clock: ManualClock) -> None:
    unit = memory.remember("The portal uses Kafka", occurred_at="2026-04-01T00:00:00Z").memories[0]
    ended = memory.update(unit.id, invalidate=True, occurred_at="2026-04-20T00:00:00Z")
    assert (ended.status, ended.is_current, ended.valid_to) == (Status.SUPERSEDED, False, datetime(2026, 4, 20, tzinfo=UTC))
    assert summaries(memory, "portal Kafka") == []
    assert summaries(memory, "portal Kafka", as_of="2026-04-10T00:00:00Z") == ["The portal uses Kafka"]
    assert memory.chain("portal").paths == ()


@pytest.mark.requirement("L-01")
def test_confidence_changes_without_a_new_version(memory: HindsightGraph) -> None:
    unit = memory.remember("The portal uses Kafka", confidence=0.9).memories[0]
    changed = memory.update(unit.id, confidence=0.4)
    assert (changed.id, changed.confidence, changed.version) == (unit.id, 0.4, 1)


def test_an_update_that_cannot_be_made_says_why(memory: HindsightGraph) -> None:
    unit = memory.remember("The portal uses Kafka", occurred_at="2026-04-01T00:00:00Z").memories[0]
    new = memory.update(unit.id, "The portal uses NATS")
    with pytest.raises(ConflictError, match=f"{unit.id} was superseded by {new.id}"):
        memory.update(unit.id, "The portal uses RabbitMQ")
    with pytest.raises(NotFoundError, match=f"no memory {ABSENT}"):
        memory.update(ABSENT, "x")
    with pytest.raises(InputError, match="takes a text, or invalidate=True, or a confidence"):
        memory.update(new.id)
    with pytest.raises(InputError, match="is before"):
        memory.update(new.id, "The portal uses RabbitMQ", occurred_at="2020-01-01T00:00:00Z")
    with pytest.raises(InputError, match="has 201 characters, a memory at most 200"):
        memory.update(new.id, "x" * 201)
    with pytest.raises(InputError, match=r"unknown mode 'overwrite'"):
        memory.update(new.id, "The portal uses RabbitMQ", mode="overwrite")
    with pytest.raises(InputError, match=r"confidence 1.5 is outside 0..1"):
        memory.update(new.id, confidence=1.5)
    assert [item.id for item in memory.history(new.id)] == [unit.id, new.id]


def test_an_update_to_what_another_memory_says_already_is_a_conflict(memory: HindsightGraph) -> None:
    one = memory.remember("The portal uses Kafka").memories[0]
    memory.remember("The portal uses NATS")
    with pytest.raises(ConflictError):
        memory.update(one.id, "The portal uses NATS")
    assert memory.get(one.id).is_current


def test_forgetting_archives_and_can_be_asked_for(memory: HindsightGraph) -> None:
    unit = memory.remember("The portal uses Kafka").memories[0]
    other = memory.remember("The tide service is written in Rust").memories[0]
    with pytest.raises(NotFoundError, match=f"no memory {ABSENT}"):
        memory.forget([unit.id, ABSENT])
    assert memory.get(unit.id).status is Status.ACTIVE
    (archived,) = memory.forget(unit.id, reason="moved to another team")
    assert archived.status is Status.ARCHIVED
    assert memory.forget(unit.id) == (archived,)
    assert "The portal uses Kafka" not in summaries(memory, "portal Kafka")
    assert summaries(memory, "portal Kafka", statuses=["archived"]) == ["The portal uses Kafka"]
    assert memory.chain("portal").paths == ()
    assert [row.id for row in memory.list().rows] == [other.id]
    assert memory.revert(unit.id).summary == "The portal uses Kafka"


def test_another_tenants_id_answers_exactly_like_a_missing_one(
    memory: HindsightGraph, store_url: str, clock: ManualClock
) -> None:
    unit = memory.remember("The portal uses Kafka").memories[0]
    with HindsightGraph(store_url, embedder="hashing", tenant="rival", settings=memory.settings, clock=clock) as rival:
        for call in (rival.get, rival.history, rival.revert, rival.forget):
            with pytest.raises(NotFoundError) as theirs:
                call(unit.id)
            with pytest.raises(NotFoundError) as nobody:
                call(ABSENT)
            assert str(theirs.value).replace(unit.id, ABSENT) == str(nobody.value)
        assert rival.recall("portal Kafka").results == ()
        assert rival.list().rows == ()


@pytest.mark.requirement("G-03")
def test_impact_and_causes_can_be_asked_about_another_time(memory: HindsightGraph) -> None:
    unit = memory.remember("Checkout depends on Stripe", occurred_at="2026-04-01T00:00:00Z").memories[0]
    memory.remember("The outage was caused by an expired certificate", occurred_at="2026-04-01T00:00:00Z")
    memory.update(unit.id, "Checkout depends on Adyen", occurred_at="2026-04-20T00:00:00Z")
    assert memory.impact("Stripe").paths == ()
    assert [path.nodes for path in memory.impact("Stripe", as_of="2026-04-10T00:00:00Z").paths] == [("Stripe", "Checkout")]
    assert memory.causes("outage", as_of="2026-03-01T00:00:00Z").paths == ()
    assert [path.nodes for path in memory.causes("outage").paths] == [("outage", "expired certificate")]


@pytest.mark.requirement("L-01")
def test_a_revert_may_say_that_the_versions_between_were_true_in_their_time(memory: HindsightGraph, clock: ManualClock) -> None:
    first = memory.remember("Checkout depends on Stripe", occurred_at="2026-01-01T00:00:00Z").memories[0]
    memory.update(first.id, "Checkout depends on Adyen", occurred_at="2026-03-01T00:00:00Z")
    clock.advance(timedelta(days=1))
    memory.revert(first.id, mode="change")
    assert summaries(memory, "checkout depends") == ["Checkout depends on Stripe"]
    assert summaries(memory, "checkout depends", as_of="2026-04-01T00:00:00Z") == ["Checkout depends on Adyen"]
    assert summaries(memory, "checkout depends", as_of="2026-02-01T00:00:00Z") == ["Checkout depends on Stripe"]


@pytest.mark.requirement("L-01")
def test_a_revert_as_correction_leaves_one_value_for_every_time(memory: HindsightGraph, clock: ManualClock) -> None:
    first = memory.remember("Checkout depends on Stripe", occurred_at="2026-01-01T00:00:00Z").memories[0]
    second = memory.update(first.id, "Checkout depends on Adyen", occurred_at="2026-03-01T00:00:00Z")
    memory.update(second.id, "Checkout depends on PayPal", occurred_at="2026-04-01T00:00:00Z")
    clock.advance(timedelta(days=1))
    memory.revert(first.id)
    for moment in ("2026-02-01", "2026-03-15", "2026-04-15"):
        assert summaries(memory, "checkout depends", as_of=f"{moment}T00:00:00Z") == ["Checkout depends on Stripe"]


def test_an_update_announced_for_the_future_leaves_the_present_as_it_is(memory: HindsightGraph, clock: ManualClock) -> None:
    unit = memory.remember("Checkout depends on Stripe", occurred_at="2026-01-01T00:00:00Z").memories[0]
    memory.update(unit.id, "Checkout depends on Adyen", occurred_at="2026-06-01T00:00:00Z")
    assert summaries(memory, "checkout depends") == ["Checkout depends on Stripe"]
    assert [path.nodes for path in memory.chain("Checkout").paths] == [("Checkout", "Stripe")]
    clock.advance(timedelta(days=40))
    assert summaries(memory, "checkout depends") == ["Checkout depends on Adyen"]


@pytest.mark.requirement("G-02")
def test_a_chain_cut_by_max_hops_says_so(memory: HindsightGraph) -> None:
    memory.remember_many([{"text": f"Pump {index} depends on pump {index + 1}."} for index in range(5)])
    cut = memory.chain("pump 0", max_hops=3)
    assert (cut.truncated, cut.notes) == (True, ("paths go on beyond 3 hops",))
    whole = memory.chain("pump 0", max_hops=5)
    assert (whole.truncated, whole.notes) == (False, ())
    memory.remember("Pump 5 depends on pump 2.")
    assert memory.chain("pump 0", max_hops=6).truncated is False
