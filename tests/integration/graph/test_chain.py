"""Chains, impact, causes and cycles over a real store."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from hindsight_graph.errors import InputError, NotFoundError
from hindsight_graph.models.enums import Direction, RelationType, Status, Visibility
from hindsight_graph.models.query import Scope
from hindsight_graph.models.result import Chains

if TYPE_CHECKING:
    from tests.integration.graph.conftest import Graph

MAY = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


def nodes(chains: Chains) -> list[str]:
    return [" ".join(path.nodes) for path in chains.paths]


@pytest.mark.requirement("G-02")
async def test_two_statements_make_one_chain_with_a_source_for_every_hop(graph: "Graph"):
    first = await graph.state("checkout", "DEPENDS_ON", "payment service", raw_ref="chat:1", confidence=0.9)
    second = await graph.state(
        "Payment-Service", "DEPENDS_ON", "Adyen", raw_ref="chat:2", trust=0.6, valid_to=MAY + timedelta(days=9)
    )
    chains = await graph.chain.chain(graph.scope, "Checkout")
    assert (chains.start, chains.end, chains.direction, chains.max_hops) == ("checkout", None, Direction.OUT, 4)
    assert (chains.truncated, chains.cycles, chains.notes) == (False, (), ())
    (path,) = chains.paths
    assert path.nodes == ("checkout", "payment service", "Adyen")
    assert [(hop.source, hop.relation, hop.target, hop.against) for hop in path.hops] == [
        ("checkout", RelationType.DEPENDS_ON, "payment service", False),
        ("payment service", RelationType.DEPENDS_ON, "Adyen", False),
    ]
    assert [hop.memory_id for hop in path.hops] == [first.id, second.id]
    assert [hop.raw_refs for hop in path.hops] == [("chat:1",), ("chat:2",)]
    assert [hop.summary for hop in path.hops] == ["checkout DEPENDS_ON payment service", "Payment-Service DEPENDS_ON Adyen"]
    assert [(hop.valid_from, hop.valid_to) for hop in path.hops] == [(MAY, None), (MAY, MAY + timedelta(days=9))]
    assert [(hop.trust, hop.confidence) for hop in path.hops] == [(0.9, 0.9), (0.6, 1.0)]
    assert [hop.score for hop in path.hops] == pytest.approx([0.81, 0.6])
    assert path.score == pytest.approx(0.486)


@pytest.mark.requirement("G-02")
async def test_a_chain_goes_along_the_arrows_against_them_or_both_ways(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "b DEPENDS_ON c", "x DEPENDS_ON b")
    assert nodes(await graph.chain.chain(graph.scope, "b", direction="out")) == ["b c"]
    against = await graph.chain.chain(graph.scope, "c", direction=Direction.IN)
    assert sorted(nodes(against)) == ["c b a", "c b x"]
    assert {hop.against for path in against.paths for hop in path.hops} == {True}
    assert sorted(nodes(await graph.chain.chain(graph.scope, "b", direction="BOTH"))) == ["b a", "b c", "b x"]


@pytest.mark.requirement("G-02")
async def test_only_whole_paths_are_returned_and_hops_are_bounded(graph: "Graph"):
    await graph.state_all(*(f"n{place} DEPENDS_ON n{place + 1}" for place in range(8)))
    for hops in range(1, 7):
        chains = await graph.chain.chain(graph.scope, "n0", max_hops=hops)
        assert nodes(chains) == [" ".join(f"n{place}" for place in range(hops + 1))]


@pytest.mark.requirement("G-02")
async def test_paths_between_two_things_end_there(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "b DEPENDS_ON c", "a USES c", "c DEPENDS_ON d", "z USES d")
    chains = await graph.chain.chain(graph.scope, "a", end="c")
    assert (chains.end, sorted(nodes(chains))) == ("c", ["a b c", "a c"])
    between = await graph.chain.between(graph.scope, "a", "z")
    assert sorted(nodes(between)) == ["a b c d z", "a c d z"]
    assert [hop.against for hop in between.paths[0].hops][-1] is True
    assert nodes(await graph.chain.chain(graph.scope, "a", end="z")) == []


@pytest.mark.requirement("G-02")
async def test_relations_narrow_the_chain_however_they_are_written(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "a USES c", "b USES d")
    for spelling in ("DEPENDS_ON", "depends on", "Depends-On"):
        assert nodes(await graph.chain.chain(graph.scope, "a", relations=[spelling])) == ["a b"]
    assert sorted(nodes(await graph.chain.chain(graph.scope, "a", relations=["uses", "depends_on"]))) == ["a b d", "a c"]
    assert nodes(await graph.chain.chain(graph.scope, "a", relations="uses")) == ["a c"]


@pytest.mark.requirement("G-02")
async def test_the_best_of_parallel_statements_stands_for_a_hop(graph: "Graph"):
    await graph.state("a", "DEPENDS_ON", "b", trust=0.6)
    best = await graph.state("a", "DEPENDS_ON", "b", trust=0.9)
    await graph.state("a", "DEPENDS_ON", "b", trust=0.9, confidence=0.4)
    (path,) = (await graph.chain.chain(graph.scope, "a")).paths
    assert path.hops[0].memory_id == best.id


@pytest.mark.requirement("G-02")
async def test_better_paths_come_first(graph: "Graph"):
    await graph.state("a", "DEPENDS_ON", "weak", confidence=0.5)
    await graph.state("a", "DEPENDS_ON", "strong")
    await graph.state("strong", "DEPENDS_ON", "deep")
    assert nodes(await graph.chain.chain(graph.scope, "a")) == ["a strong deep", "a weak"]


@pytest.mark.requirement("G-02")
async def test_a_limit_that_cuts_is_reported(graph: "Graph"):
    await graph.state_all(*(f"hub DEPENDS_ON leaf{number}" for number in range(5)))
    cut = await graph.chain.chain(graph.scope, "hub", limit=4)
    assert (len(cut.paths), cut.truncated) == (4, True)
    whole = await graph.chain.chain(graph.scope, "hub", limit=5)
    assert (len(whole.paths), whole.truncated) == (5, False)


@pytest.mark.requirement("G-02")
async def test_a_cycle_on_the_way_is_named_once_from_its_first_node(graph: "Graph"):
    await graph.state_all("start DEPENDS_ON a", "a DEPENDS_ON b", "b DEPENDS_ON c", "c DEPENDS_ON a")
    chains = await graph.chain.chain(graph.scope, "start", max_hops=6)
    (path,) = chains.paths
    assert (path.nodes, path.closes_cycle) == (("start", "a", "b", "c", "a"), True)
    assert chains.cycles == (("a", "b", "c", "a"),)


async def test_a_ring_of_mixed_arrows_is_no_cycle(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "b DEPENDS_ON c", "a DEPENDS_ON c")
    assert (await graph.chain.chain(graph.scope, "a", direction="both")).cycles == ()


@pytest.mark.requirement("G-02")
async def test_a_memory_is_a_start_by_what_it_is_about(graph: "Graph"):
    memory = await graph.state("a", "DEPENDS_ON", "b")
    await graph.state_all("b DEPENDS_ON c")
    chains = await graph.chain.chain(graph.scope, memory.id)
    assert (chains.start, nodes(chains)) == ("a DEPENDS_ON b", ["a b c"])
    assert nodes(await graph.chain.chain(graph.scope, memory.id, end="c")) == ["a b c"]


@pytest.mark.requirement("G-02")
async def test_an_entity_is_a_start_by_its_id_and_by_an_alias(graph: "Graph"):
    await graph.state_all("kubernetes USES etcd")
    await graph.entities.add_alias(graph.scope, "kubernetes", "k8s", force=True)
    entity = await graph.entities.find(graph.scope, "kubernetes")
    assert nodes(await graph.chain.chain(graph.scope, "K8s")) == ["kubernetes etcd"]
    assert nodes(await graph.chain.chain(graph.scope, entity.id.upper())) == ["kubernetes etcd"]


@pytest.mark.requirement("G-02")
async def test_chains_work_with_chinese_names_in_any_script(graph: "Graph"):
    await graph.state("订单服务", "DEPENDS_ON", "支付网关")
    await graph.state("支付網關", "DEPENDS_ON", "Redis 集群")
    await graph.state("redis集群", "USES", "三号机房")
    chains = await graph.chain.chain(graph.scope, "訂單服務")
    assert chains.paths[0].nodes == ("订单服务", "支付网关", "Redis 集群", "三号机房")


@pytest.mark.requirement("G-02")
async def test_a_start_without_such_relations_gives_no_path_and_says_what_there_is(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "c USES b", "d USES b")
    chains = await graph.chain.chain(graph.scope, "b")
    assert chains.paths == ()
    assert chains.notes == ("'b' has no outgoing relation; it has 2 incoming USES, 1 incoming DEPENDS_ON",)
    narrow = await graph.chain.chain(graph.scope, "b", direction="in", relations=["CAUSES"])
    assert narrow.notes == ("'b' has no incoming CAUSES; it has 2 incoming USES, 1 incoming DEPENDS_ON",)
    apart = await graph.chain.chain(graph.scope, "a", end="d")
    assert apart.notes == ("nothing leads from 'a' to 'd' within 4 hops; 'a' has 1 outgoing DEPENDS_ON",)


async def test_a_start_without_any_relation_says_so(graph: "Graph"):
    await graph.name("lonely")
    chains = await graph.chain.chain(graph.scope, "lonely")
    assert chains.notes == ("no relation of 'lonely' holds in this view at or above trust 0.5",)


@pytest.mark.requirement("G-01")
async def test_relations_below_the_trust_floor_do_not_exist(graph: "Graph"):
    await graph.state("a", "DEPENDS_ON", "b")
    await graph.state("b", "DEPENDS_ON", "rumour", trust=0.49)
    await graph.state("b", "CAUSES", "rumour", trust=0.49)
    assert nodes(await graph.chain.chain(graph.scope, "a")) == ["a b"]
    assert nodes(await graph.chain.impact(graph.scope, "rumour")) == []
    assert [hop.target for hop in await graph.chain.neighbours(graph.scope, "b")] == ["b"]


@pytest.mark.requirement("G-01")
async def test_a_relation_lives_and_dies_with_its_memory(graph: "Graph"):
    memory = await graph.state("a", "DEPENDS_ON", "b")
    await graph.change(memory, status=Status.ARCHIVED)
    assert nodes(await graph.chain.chain(graph.scope, "a")) == []


@pytest.mark.requirement("R-06")
async def test_a_chain_is_that_of_the_time_asked_about(graph: "Graph"):
    june, july = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    await graph.state("a", "DEPENDS_ON", "old", valid_from=MAY, valid_to=june)
    graph.clock.advance(timedelta(days=60))
    await graph.state("a", "DEPENDS_ON", "new", valid_from=june)
    assert graph.clock.now() < july
    assert nodes(await graph.chain.chain(graph.scope, "a")) == ["a new"]
    assert nodes(await graph.chain.chain(graph.scope, "a", as_of=MAY + timedelta(days=1))) == ["a old"]
    assert nodes(await graph.chain.chain(graph.scope, "a", known_at=MAY + timedelta(days=1))) == ["a old"]
    assert nodes(await graph.chain.chain(graph.scope, "a", as_of=july, known_at=MAY + timedelta(days=1))) == []


@pytest.mark.requirement("G-02")
async def test_what_another_agent_keeps_private_is_on_no_path(graph: "Graph"):
    await graph.state("a", "DEPENDS_ON", "b", agent_id="ann")
    await graph.state("b", "DEPENDS_ON", "secret", agent_id="ann", visibility=Visibility.PRIVATE)
    bob, ann = Scope(agent_id="bob"), Scope(agent_id="ann")
    assert nodes(await graph.chain.chain(bob, "a")) == ["a b"]
    assert nodes(await graph.chain.chain(ann, "a")) == ["a b secret"]
    with pytest.raises(NotFoundError, match="there is no entity 'secret'"):
        await graph.chain.chain(bob, "secret")
    with pytest.raises(NotFoundError, match="there is no entity 'a'"):
        await graph.chain.chain(Scope(tenant="other"), "a")


@pytest.mark.requirement("G-03")
async def test_impact_goes_each_relation_its_own_way(graph: "Graph"):
    await graph.state_all(
        "checkout DEPENDS_ON payments",
        "shop USES checkout",
        "payments CAUSES latency",
        "payments PRODUCES invoices",
        "invoices PART_OF ledger",
        "payments DEPENDS_ON bank",
        "engine PART_OF payments",
        "outage CAUSES payments",
        "ann OWNS payments",
    )
    chains = await graph.chain.impact(graph.scope, "payments")
    assert sorted(nodes(chains)) == ["payments checkout shop", "payments invoices ledger", "payments latency"]
    against = {" ".join(path.nodes): [hop.against for hop in path.hops] for path in chains.paths}
    assert against["payments checkout shop"] == [True, True]
    assert against["payments invoices ledger"] == [False, False]
    mixed = await graph.chain.impact(graph.scope, "engine")
    assert "engine payments checkout shop" in nodes(mixed)
    assert mixed.direction is Direction.BOTH


@pytest.mark.requirement("G-03")
async def test_impact_is_bounded_and_reports_rings_of_influence(graph: "Graph"):
    await graph.state_all("a CAUSES b", "a DEPENDS_ON b", "b CAUSES c", "c CAUSES d")
    chains = await graph.chain.impact(graph.scope, "a", max_hops=2)
    assert sorted(nodes(chains)) == ["a b a", "a b c"]
    assert chains.cycles == (("a", "b", "a"),)
    one = await graph.chain.impact(graph.scope, "a", limit=1)
    assert (len(one.paths), one.truncated) == (1, True)
    nothing = await graph.chain.impact(graph.scope, "d")
    assert nothing.notes == (
        "'d' has no incoming DEPENDS_ON or USES; outgoing CAUSES or PRODUCES or PART_OF; it has 1 incoming CAUSES",
    )


@pytest.mark.requirement("G-03")
async def test_causes_are_followed_back_and_a_fix_is_none(graph: "Graph"):
    await graph.state_all("deploy CAUSES leak", "leak CAUSES outage", "rollback FIXES outage", "outage CAUSES refunds")
    chains = await graph.chain.causes(graph.scope, "outage")
    assert nodes(chains) == ["outage leak deploy"]
    assert (chains.direction, chains.relations) == (Direction.IN, (RelationType.CAUSES,))


@pytest.mark.requirement("G-03")
async def test_cycles_are_found_wherever_they_are(graph: "Graph"):
    await graph.state_all(
        "a DEPENDS_ON b",
        "b DEPENDS_ON a",
        "x DEPENDS_ON y",
        "y DEPENDS_ON z",
        "z DEPENDS_ON x",
        "into DEPENDS_ON x",
        "p USES q",
        "q USES p",
    )
    chains = await graph.chain.cycles(graph.scope)
    assert sorted(sorted(set(cycle)) for cycle in chains.cycles) == [["a", "b"], ["x", "y", "z"]]
    assert all(cycle[0] == cycle[-1] for cycle in chains.cycles)
    assert [len(path.hops) for path in chains.paths] == [2, 3]
    assert all(hop.raw_refs == (f"ref:{hop.source}>{hop.target}",) for path in chains.paths for hop in path.hops)
    assert len((await graph.chain.cycles(graph.scope, relations=None)).cycles) == 3
    assert (await graph.chain.cycles(graph.scope, limit=1)).truncated is True


@pytest.mark.requirement("G-03")
async def test_no_cycle_is_an_answer(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b", "b DEPENDS_ON c")
    chains = await graph.chain.cycles(graph.scope)
    assert (chains.cycles, chains.paths, chains.truncated) == ((), (), False)
    assert chains.notes == ("no cycle of DEPENDS_ON among 2 things with such an edge",)


async def test_neighbours_are_the_relations_at_a_thing_newest_first(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b")
    graph.clock.advance(timedelta(seconds=1))
    await graph.state_all("c USES a")
    hops = await graph.chain.neighbours(graph.scope, "a")
    assert [(hop.source, hop.relation, hop.target, hop.against) for hop in hops] == [
        ("c", RelationType.USES, "a", True),
        ("a", RelationType.DEPENDS_ON, "b", False),
    ]
    assert len(await graph.chain.neighbours(graph.scope, "a", limit=1)) == 1


@pytest.mark.requirement("G-02")
async def test_wrong_arguments_are_refused_with_the_way_out(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON b")
    ask = graph.chain.chain
    for hops in (0, 7, -1):
        with pytest.raises(InputError, match=rf"max_hops is {hops} \(1 to 6\)"):
            await ask(graph.scope, "a", max_hops=hops)
    for limit in (0, 1001):
        with pytest.raises(InputError, match=rf"limit is {limit} \(1 to 1000\)"):
            await ask(graph.scope, "a", limit=limit)
    with pytest.raises(InputError, match=r"unknown relation 'NEEDS' \(one of DEPENDS_ON, CAUSES, FIXES, USES, AVOIDS"):
        await ask(graph.scope, "a", relations=["NEEDS"])
    with pytest.raises(InputError, match="unknown relation 'MENTIONS'"):
        await ask(graph.scope, "a", relations=["MENTIONS"])
    with pytest.raises(InputError, match=r"unknown direction 'up' \(one of out, in, both\)"):
        await ask(graph.scope, "a", direction="up")
    with pytest.raises(InputError, match="as_of 2026-05-01T00:00:00 has no time zone"):
        await ask(graph.scope, "a", as_of=datetime(2026, 5, 1))  # noqa: DTZ001
    with pytest.raises(InputError, match="'a' and 'A' are the same thing, 'a'"):
        await ask(graph.scope, "a", end="A")
    with pytest.raises(InputError, match="no letter, digit or symbol"):
        await ask(graph.scope, "  ")
    with pytest.raises(NotFoundError, match="there is no entity or memory 0198a1f3"):
        await ask(graph.scope, "0198a1f3-0000-7000-8000-000000000000")
