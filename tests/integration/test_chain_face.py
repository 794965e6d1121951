"""Chains through the public face: plain sentences and ready-made units in, whole paths out."""

from datetime import timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import InputError


@pytest.mark.requirement("G-02")
def test_plain_sentences_make_a_chain_with_their_evidence(memory: HindsightGraph):
    memory.remember("Checkout depends on the payment service.", raw_ref="chat:1")
    memory.remember("The payment service depends on Adyen.", raw_ref="chat:2")
    chains = memory.chain("checkout", relations=["DEPENDS_ON"])
    (path,) = chains.paths
    assert [name.lower().removeprefix("the ") for name in path.nodes] == ["checkout", "payment service", "adyen"]
    assert [hop.raw_refs for hop in path.hops] == [("chat:1",), ("chat:2",)]
    assert chains.truncated is False


@pytest.mark.requirement("G-03")
def test_impact_causes_and_cycles_are_one_call_each(memory: HindsightGraph):
    for source, relation, target in (
        ("shop", "DEPENDS_ON", "checkout"),
        ("checkout", "DEPENDS_ON", "payments"),
        ("payments", "CAUSES", "latency"),
        ("deploy 42", "CAUSES", "latency"),
        ("payments", "DEPENDS_ON", "shop"),
    ):
        memory.remember(f"{source} {relation} {target}", entities=[source, target], relations=[(source, relation, target)])
    assert {path.nodes for path in memory.impact("payments", max_hops=2).paths} == {
        ("payments", "checkout", "shop"),
        ("payments", "latency"),
    }
    assert {path.nodes for path in memory.causes("latency").paths} == {("latency", "payments"), ("latency", "deploy 42")}
    (cycle,) = memory.cycles().cycles
    assert set(cycle) == {"shop", "checkout", "payments"}


@pytest.mark.requirement("R-06")
def test_a_superseded_statement_is_on_the_chain_of_its_time_only(memory: HindsightGraph, clock: ManualClock):
    first = memory.remember(
        "Checkout depends on Stripe", entities=["Checkout"], relations=[("Checkout", "DEPENDS_ON", "Stripe")]
    ).memories[0]
    then = clock.now()
    clock.advance(timedelta(days=3))
    memory.update(first.id, "Checkout depends on Adyen", mode="change")
    clock.advance(timedelta(days=1))
    assert [path.nodes for path in memory.chain("Checkout").paths] == [("Checkout", "Adyen")]
    past = memory.chain("Checkout", as_of=(then + timedelta(days=1)).isoformat())
    assert [path.nodes for path in past.paths] == [("Checkout", "Stripe")]


@pytest.mark.requirement("G-02")
def test_a_memory_id_starts_a_chain_and_bad_bounds_are_refused(memory: HindsightGraph):
    unit = memory.remember("A1 uses B2", entities=["A1", "B2"], relations=[("A1", "USES", "B2")]).memories[0]
    assert memory.chain(unit.id).paths[0].nodes == ("A1", "B2")
    with pytest.raises(InputError, match="max_hops"):
        memory.chain("A1", max_hops=7)
    with pytest.raises(InputError, match="NEEDS"):
        memory.chain("A1", relations=["NEEDS"])
