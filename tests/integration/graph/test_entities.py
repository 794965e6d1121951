"""Resolution, merge and split of entities over a real store."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.ids import entity_id
from hindsight_graph.models.enums import EntityType, Visibility
from hindsight_graph.models.query import Scope
from hindsight_graph.models.result import Chains
from hindsight_graph.pipelines.entities import MAX_ALIASES
from hindsight_graph.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from tests.integration.graph.conftest import Graph


async def everything(graph: "Graph") -> list[Chains]:
    """Every chain question about every entity: what a merge changes, and a split must restore."""
    answers: list[Chains] = []
    for entity in (await graph.store.scan_entities(graph.scope, canonical_only=False, limit=1000)).rows:
        answers += [
            await graph.chain.chain(graph.scope, entity.id, direction="out", limit=1000),
            await graph.chain.chain(graph.scope, entity.id, direction="in", limit=1000),
            await graph.chain.chain(graph.scope, entity.id, direction="both", limit=1000),
            await graph.chain.impact(graph.scope, entity.id, limit=1000),
        ]
    answers.append(await graph.chain.cycles(graph.scope))
    return answers


@pytest.mark.requirement("G-05")
async def test_spellings_of_one_name_resolve_to_one_entity_and_become_aliases(graph: "Graph"):
    first = await graph.name("Payment Service")
    again = await graph.name("payment-service", "ＰＡＹＭＥＮＴ_SERVICE", "Payment Service")
    identity = entity_id("default", "payment service")
    assert {entity.id for entity in (*first.values(), *again.values())} == {identity}
    stored = await graph.entities.find(graph.scope, "the payment service")
    assert (stored.name, stored.aliases) == ("Payment Service", ("payment-service", "ＰＡＹＭＥＮＴ_SERVICE"))
    assert again["payment-service"] == stored


@pytest.mark.requirement("G-05")
async def test_traditional_and_simplified_names_are_one_entity(graph: "Graph"):
    await graph.name("訂單服務")
    assert (await graph.entities.find(graph.scope, "订单服务")).name == "訂單服務"


@pytest.mark.requirement("G-05")
async def test_rooms_101_and_102_are_two_entities_and_do_not_merge_unasked(graph: "Graph"):
    rooms = await graph.name("Room 101", "Room 102", "room-101")
    assert rooms["Room 101"].id == rooms["room-101"].id != rooms["Room 102"].id
    with pytest.raises(InputError, match=r"'Room 101' and 'Room 102' look like two things: different numbers: 101 and 102"):
        await graph.entities.merge(graph.scope, "Room 101", "Room 102", "typo")
    merged = await graph.entities.merge(graph.scope, "Room 101", "Room 102", "renumbered", force=True)
    assert merged.id == rooms["Room 102"].id


async def test_resolving_writes_nothing_and_says_what_is_new(graph: "Graph"):
    await graph.name("known")
    resolved = await graph.entities.resolve(
        graph.scope, {"Known": EntityType.SERVICE, "new": EntityType.OTHER, "NEW": EntityType.PLACE}
    )
    assert [(entity.name, entity.aliases, entity.type) for entity in resolved.new] == [("new", ("NEW",), EntityType.PLACE)]
    assert [(patch.add_aliases, patch.type) for patch in resolved.patches] == [(("Known",), EntityType.SERVICE)]
    assert set(resolved.by_name) == {"Known", "new", "NEW"}
    with pytest.raises(NotFoundError):
        await graph.entities.find(graph.scope, "new")


async def test_a_type_is_learned_once_and_kept(graph: "Graph"):
    await graph.name("redis")
    await graph.name("Redis", kind=EntityType.SOFTWARE)
    await graph.name("redis", kind=EntityType.PLACE)
    assert (await graph.entities.find(graph.scope, "redis")).type is EntityType.SOFTWARE


async def test_spellings_are_bounded_but_all_resolve(graph: "Graph"):
    spellings = [f"a{'-' * run}b" for run in range(1, MAX_ALIASES + 20)]
    found = await graph.name(*spellings)
    assert len({entity.id for entity in found.values()}) == 1
    assert len((await graph.entities.find(graph.scope, "a b")).aliases) == MAX_ALIASES


async def test_a_name_that_is_a_text_is_refused_with_its_length(graph: "Graph"):
    with pytest.raises(InputError, match="name of 121 characters"):
        await graph.entities.resolve(graph.scope, {"x" * 121: EntityType.OTHER})
    with pytest.raises(InputError, match="no letter, digit or symbol"):
        await graph.entities.find(graph.scope, "...")


@pytest.mark.requirement("G-05")
async def test_an_unknown_name_is_refused_with_the_nearest_ones(graph: "Graph"):
    await graph.state("payment service", "DEPENDS_ON", "ledger")
    with pytest.raises(NotFoundError, match=r"there is no entity 'paymnt servise' \(did you mean payment service\?\)"):
        await graph.entities.find(graph.scope, "paymnt servise")
    with pytest.raises(NotFoundError, match=r"there is no entity 'payment' \(did you mean payment service\?\)"):
        await graph.entities.find(graph.scope, "payment")
    with pytest.raises(NotFoundError, match="lists the names there are"):
        await graph.entities.find(graph.scope, "zzzz")


@pytest.mark.requirement("G-05")
async def test_an_alias_leads_to_its_entity(graph: "Graph"):
    await graph.name("Kubernetes", "PostgreSQL")
    entity = await graph.entities.add_alias(graph.scope, "PostgreSQL", "Postgres", "short form")
    assert entity.aliases == ("Postgres",)
    assert (await graph.entities.find(graph.scope, "postgres")).name == "PostgreSQL"
    assert (await graph.name("POSTGRES"))["POSTGRES"].name == "PostgreSQL"
    with pytest.raises(
        ConflictError, match=r"'Kubernetes' means 'Kubernetes' already \(merge 'Kubernetes' into 'PostgreSQL' instead\)"
    ):
        await graph.entities.add_alias(graph.scope, "PostgreSQL", "Kubernetes")
    with pytest.raises(InputError, match="different numbers: none and 16"):
        await graph.entities.add_alias(graph.scope, "PostgreSQL", "Postgres 16")
    (entry,) = await graph.store.scan_audit(graph.scope, target_id=entity.id)
    assert (entry.action, entry.reason, entry.detail) == ("add_alias", "short form", {"normal": "postgres", "forced": False})


@pytest.mark.requirement("G-05")
async def test_a_merge_makes_chains_run_through_both_and_a_split_takes_it_back(graph: "Graph"):
    await graph.state_all("checkout DEPENDS_ON payments", "billing DEPENDS_ON adyen", "adyen DEPENDS_ON bank", "ops OWNS billing")
    before = await everything(graph)
    merged = await graph.entities.merge(graph.scope, "payments", "billing", "one service, two names")
    assert merged.name == "billing"
    (path,) = (await graph.chain.chain(graph.scope, "checkout")).paths
    assert path.nodes == ("checkout", "billing", "adyen", "bank")
    assert (await graph.chain.chain(graph.scope, "payments")).start == "billing"
    assert (await graph.entities.find(graph.scope, "payments")).canonical_id == merged.id
    assert [row.name for row in (await graph.entities.list(graph.scope)).rows] == ["adyen", "bank", "billing", "checkout", "ops"]
    split = await graph.entities.split(graph.scope, "payments", "two services after all")
    assert (split.name, split.is_canonical) == ("payments", True)
    assert await everything(graph) == before


@pytest.mark.requirement("G-05")
async def test_what_is_stated_while_merged_stays_with_its_own_entity_after_a_split(graph: "Graph"):
    await graph.state_all("a DEPENDS_ON x", "b DEPENDS_ON y")
    await graph.entities.merge(graph.scope, "a", "b", "same", force=True)
    await graph.state("A", "DEPENDS_ON", "z")
    assert sorted(path.nodes[-1] for path in (await graph.chain.chain(graph.scope, "b")).paths) == ["x", "y", "z"]
    await graph.entities.split(graph.scope, "a", "not the same")
    assert sorted(path.nodes[-1] for path in (await graph.chain.chain(graph.scope, "a")).paths) == ["x", "z"]
    assert [path.nodes[-1] for path in (await graph.chain.chain(graph.scope, "b")).paths] == ["y"]


@pytest.mark.requirement("G-05")
async def test_a_split_brings_back_what_was_merged_into_the_source_before(graph: "Graph"):
    await graph.name("alpha", "beta", "gamma")
    await graph.entities.merge(graph.scope, "alpha", "beta", "1")
    await graph.entities.merge(graph.scope, "beta", "gamma", "2")
    canonical = {name: (await graph.entities.find(graph.scope, name)).canonical_id for name in ("alpha", "beta", "gamma")}
    assert set(canonical.values()) == {entity_id("default", "gamma")}
    await graph.entities.split(graph.scope, "beta", "3")
    assert (await graph.entities.find(graph.scope, "alpha")).canonical_id == entity_id("default", "beta")
    assert (await graph.entities.find(graph.scope, "beta")).is_canonical
    await graph.entities.split(graph.scope, "alpha", "4")
    assert (await graph.entities.find(graph.scope, "alpha")).is_canonical


@pytest.mark.requirement("G-05")
async def test_merges_that_make_no_sense_are_refused(graph: "Graph"):
    await graph.name("alpha", "beta", "gamma")
    await graph.entities.add_alias(graph.scope, "alpha", "first letter")
    with pytest.raises(InputError, match="'alpha' and 'first letter' are the same entity already"):
        await graph.entities.merge(graph.scope, "alpha", "first letter", "")
    await graph.entities.merge(graph.scope, "alpha", "beta", "")
    with pytest.raises(ConflictError, match="'alpha' was merged into 'beta' already"):
        await graph.entities.merge(graph.scope, "alpha", "gamma", "")
    with pytest.raises(ConflictError, match="'alpha' was merged into 'beta' already"):
        await graph.entities.merge(graph.scope, "beta", "alpha", "")
    with pytest.raises(ConflictError, match="'gamma' is not merged into another entity"):
        await graph.entities.split(graph.scope, "gamma", "")
    with pytest.raises(NotFoundError):
        await graph.entities.merge(graph.scope, "alpha", "delta", "")
    person, place = await graph.name("Paris", kind=EntityType.PERSON), await graph.name("Paree", kind=EntityType.PLACE)
    with pytest.raises(InputError, match="different types: person and place"):
        await graph.entities.merge(graph.scope, person["Paris"].id, place["Paree"].id, "")


@pytest.mark.requirement("G-05")
async def test_merge_and_split_are_audited_with_the_canonical_ids_before(graph: "Graph"):
    await graph.name("alpha", "beta", "gamma")
    alpha, beta, gamma = (entity_id("default", name) for name in ("alpha", "beta", "gamma"))
    agent = Scope(agent_id="ann")
    await graph.state("alpha", "USES", "beta", agent_id="ann")
    await graph.entities.merge(graph.scope, "alpha", "beta", "why 1")
    graph.clock.advance(timedelta(seconds=1))
    await graph.entities.merge(graph.scope, "beta", "gamma", "why 2")
    graph.clock.advance(timedelta(seconds=1))
    await graph.entities.split(agent, "beta", "why 3")
    entries = await graph.store.scan_audit(graph.scope, target_id=alpha)
    assert [(entry.action, entry.actor, entry.reason) for entry in entries] == [
        ("split_entity", "ann", "why 3"),
        ("merge_entities", "user", "why 2"),
        ("merge_entities", "user", "why 1"),
    ]
    assert [entry.detail["previous"] for entry in entries] == [
        {beta: gamma, alpha: gamma},
        {beta: beta, alpha: beta},
        {alpha: alpha},
    ]
    assert [entry.detail["canonical"] for entry in entries] == [beta, gamma, beta]


@settings(max_examples=25)
@given(moves=st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), max_size=12))
async def test_whatever_was_merged_splitting_everything_restores_the_graph(
    graph_type: "type[Graph]", moves: list[tuple[bool, int, int]]
):
    store = SqliteStore(":memory:")
    await store.open()
    try:
        graph = graph_type(store, ManualClock(datetime(2026, 5, 1, tzinfo=UTC)))
        names = [f"{letter * 3}" for letter in "abcdef"]
        await graph.state_all(*(f"{one} DEPENDS_ON {other}" for one, other in zip(names, [*names[2:], *names[:2]], strict=True)))
        before = await everything(graph)
        parents: dict[str, str] = {}
        for joins, one, other in moves:
            try:
                if joins:
                    await graph.entities.merge(graph.scope, names[one], names[other], "")
                    parents[names[one]] = names[other]
                else:
                    await graph.entities.split(graph.scope, names[one], "")
                    del parents[names[one]]
            except InputError:
                continue
            for name in names:
                root = name
                while root in parents:
                    root = parents[root]
                found = await graph.entities.find(graph.scope, name)
                assert (await graph.entities.canonical(graph.scope, found)).name == root
        for name in list(parents):
            await graph.entities.split(graph.scope, name, "")
        assert await everything(graph) == before
    finally:
        await store.close()


async def test_entities_are_listed_by_beginning_in_pages(graph: "Graph"):
    await graph.state_all("payments USES paypal", "payroll USES redis")
    first = await graph.entities.list(graph.scope, "Pay", limit=2)
    rest = await graph.entities.list(graph.scope, "Pay", cursor=first.cursor, limit=2)
    assert [row.name for row in (*first.rows, *rest.rows)] == ["payments", "paypal", "payroll"]
    assert rest.cursor is None
    with pytest.raises(InputError, match=r"limit is 0 \(1 to 1000\)"):
        await graph.entities.list(graph.scope, limit=0)


@pytest.mark.requirement("G-05")
async def test_a_name_that_only_another_agent_used_in_private_is_not_found(graph: "Graph"):
    await graph.state("project falcon", "DEPENDS_ON", "budget", agent_id="ann", visibility=Visibility.PRIVATE)
    await graph.state("project finch", "DEPENDS_ON", "staff")
    bob = Scope(agent_id="bob")
    with pytest.raises(NotFoundError, match=r"no entity 'project falcon' \(did you mean project finch\?\)"):
        await graph.entities.find(bob, "project falcon")
    assert (await graph.entities.find(Scope(agent_id="ann"), "project falcon")).name == "project falcon"
    assert [row.name for row in (await graph.entities.list(bob)).rows] == ["project finch", "staff"]
    with pytest.raises(NotFoundError):
        await graph.entities.find(Scope(tenant="other"), "project finch")
