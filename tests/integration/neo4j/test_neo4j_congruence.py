"""The same rows in both stores, the same questions to both: the answers are the same.

Cosines may differ by 1e-6 (Neo4j computes them in 32 bits from 64-bit values); lists are compared in their order,
and rows that tie
come by the order in which they were added, or by id, in both.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hindsight_graph.models.enums import Direction, Kind, Outcome, RelationType, Status, Visibility
from hindsight_graph.models.query import EpisodeFilter, Filter, Order, Scope
from hindsight_graph.models.record import EmbeddingModel, EntityPatch, MemoryPatch, WriteBatch
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import (
    DIMENSION,
    NOW,
    a_memory,
    a_mention,
    a_vector,
    a_view,
    an_edge,
    an_entity,
    an_episode,
    new,
)
from hindsight_graph.testing.neo4j_server import Neo4jServer

NAMES = [f"thing {number}" for number in range(12)]
WORDS = "deploy retry timeout 支付 订单 /api/v1 port 5433".split()
HERE = Scope()
ANN = Scope(agent_id="ann")


def story() -> list[WriteBatch]:
    """Return forty statements with relations, then changes, merges and a conversation; the same at each call."""
    chance = random.Random(4)
    batches: list[WriteBatch] = []
    for number in range(40):
        moment = NOW - timedelta(days=40 - number)
        memory = a_memory(
            f"{number:02}", recorded_at=moment, kind=list(Kind)[number % 7], trust=chance.choice([0.3, 0.6, 0.9]),
            agent_id=chance.choice([None, "ann", "bob"]), visibility=chance.choice(list(Visibility)),
            tags=tuple(chance.sample(["red", "blue", "a b"], number % 3)), tools=("kubectl",) if number % 4 == 0 else (),
            session_id="s1" if number % 5 == 0 else None, sequence=number, outcome=Outcome.FAILURE if number % 6 == 0 else None,
            error_code="E42" if number % 8 == 0 else None, bands=(number % 9, 100 + number),
            expires_at=moment + timedelta(days=20) if number % 10 == 9 else None,
        )  # fmt: skip
        ends = [an_entity(name) for name in chance.sample(NAMES, 2)]
        kind = chance.choice([RelationType.DEPENDS_ON, RelationType.USES, RelationType.CAUSES])
        edges = (an_edge(ends[0].id, kind, ends[1].id, memory), *(a_mention(memory, end) for end in ends))
        vector = a_vector(*(chance.gauss(0, 1) for _ in range(DIMENSION))) if number % 7 else None
        item = new(memory, *chance.choices(WORDS, k=1 + number % 6), vector=vector)
        batches.append(WriteBatch(memories=(item,), entities=tuple(ends), edges=edges))
    closed = {"status": Status.SUPERSEDED, "is_current": False, "valid_to": NOW, "closed_at": NOW}
    patches = [{"status": Status.ARCHIVED}, closed, {"trust": 0.1, "tags": ("blue",)}, {"retired_at": NOW, "is_current": False}]
    for number, changes in zip((3, 8, 15, 21), patches, strict=True):
        batches.append(WriteBatch(memory_patches=(MemoryPatch(id=f"m-{number:02}", changes=changes),)))
    one, other = an_entity(NAMES[0]).id, an_entity(NAMES[1]).id
    batches.append(WriteBatch(entity_patches=(EntityPatch(id=one, canonical_id=other, add_aliases=("the thing",)),)))
    spoken = [an_episode(str(n), session_id="s1", sequence=n, occurred_at=NOW - timedelta(hours=9 - n)) for n in range(9)]
    batches.append(WriteBatch(episodes=tuple(spoken)))
    return batches


@pytest_asyncio.fixture
async def pair(empty: Neo4jServer, tmp_path: Path) -> AsyncIterator[tuple[Store, Store]]:
    """Both stores with the same story in them."""
    stores: tuple[Store, Store] = SqliteStore(tmp_path / "memory.db"), empty.store()
    for store in stores:
        await store.open()
        await store.record_model(EmbeddingModel(name="pair", dimension=DIMENSION))
        for batch in story():
            await store.write(HERE, batch)
    yield stores
    for store in stores:
        assert await store.check() == ()
        await store.close()


def plain(value: Any) -> Any:
    """Return a value in which numbers compare within the tolerance."""
    if isinstance(value, float):
        return pytest.approx(value, abs=1e-6)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


def dumped(value: Any) -> Any:
    """Return models as plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [dumped(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {key: dumped(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value


VIEWS = {
    "now": a_view(), "trusted": a_view(min_trust=0.5), "every state": a_view(statuses=tuple(Status), timeless=True),
    "then": a_view(as_of=NOW - timedelta(days=20)), "known then": a_view(known_at=NOW - timedelta(days=15)),
    "archived too": a_view(statuses=(Status.ACTIVE, Status.ARCHIVED)),
}  # fmt: skip
FILTERS: dict[str, dict[str, Any]] = {
    "all": {}, "kind": {"kinds": (Kind.FACT, Kind.STRATEGY)}, "tags": {"tags": ("blue", "a b")}, "tool": {"tool": "kubectl"},
    "entity": {"entity_ids": (an_entity(NAMES[1]).id, an_entity(NAMES[5]).id)},
    "merged": {"entity_ids": (an_entity(NAMES[0]).id,)},
    "session": {"session_id": "s1"}, "bands": {"bands": (3, 117)}, "places": {"places": (("s1", 5), ("s1", 6), ("s1", 10))},
    "error": {"error_code": "E42", "outcome": Outcome.FAILURE}, "ids": {"ids": ("m-01", "m-02", "m-99")},
    "agent": {"agent_ids": ("ann",)},
    "time": {"since": NOW - timedelta(days=30), "until": NOW - timedelta(days=12)},
}  # fmt: skip
Question = Callable[[Store], Awaitable[Any]]


def search_questions() -> dict[str, Question]:
    """Return each search under each filter and view."""
    found: dict[str, Question] = {}
    for view_name, view in VIEWS.items():
        for filter_name, fields in FILTERS.items():
            if view_name == "now" or filter_name in ("all", "entity"):
                where = Filter(view=view, **fields)
                for scope_name, scope in (("tenant", HERE), ("ann", ANN)):
                    name = f"{view_name}, {filter_name}, {scope_name}"

                    async def ask(store: Store, scope: Scope = scope, where: Filter = where) -> Any:
                        return (
                            await store.scan_memories(scope, where, Order.EVENT_OLDEST, limit=500),
                            await store.vector_topk(scope, a_vector(1, 2, 3), 7, where),
                            await store.text_topk(scope, ["retry", "支付", "/api/v1", "nothing"], 8, where),
                            await store.term_stats(scope, ["retry", "支付", "nothing"], where),
                        )

                    found[name] = ask
    return found


def graph_questions() -> dict[str, Question]:
    """Return steps, degrees and paths in every direction and view."""
    ids = [an_entity(name).id for name in NAMES]
    found: dict[str, Question] = {}
    for view_name, view in VIEWS.items():
        for direction in Direction:

            async def ask(store: Store, view: Any = view, direction: Direction = direction) -> Any:
                return (
                    await store.edges_of(HERE, ids, [], direction, 3, view),
                    await store.edges_of(ANN, ids, [RelationType.USES], direction, 50, view),
                    await store.degrees(ANN, ids, [], direction, view, 5),
                    await store.paths(HERE, ids[1:3], None, [], direction, 3, 20, view),
                    await store.paths(ANN, ids[:4], ids[6:], [RelationType.USES, RelationType.CAUSES], direction, 4, 20, view),
                )

            found[f"{view_name}, {direction}"] = ask
    return found


async def other_questions(store: Store) -> Any:
    """Ask everything else once."""
    every = [f"m-{number:02}" for number in range(40)]
    first = await store.scan_entities(HERE, limit=4)
    return (
        await store.get_memories(ANN, every), first, await store.scan_entities(HERE, cursor=first.cursor, canonical_only=False),
        await store.scan_entities(ANN, prefix="thing 1"), await store.find_entities(HERE, ["the thing", "thing 3", "no"]),
        await store.scan_episodes(HERE, EpisodeFilter(session_id="s1"), limit=4), await store.owned_edges(HERE, every[:6]),
        (await store.stats(HERE)).model_copy(update={"size_bytes": 0}),
        (await store.stats(ANN)).model_copy(update={"size_bytes": 0}),
        sorted((await store.get_vectors(ANN, every)).keys()),
    )  # fmt: skip


@pytest.mark.requirement("O-02")
@pytest.mark.timeout(600)
async def test_both_stores_give_the_same_answers(pair: tuple[Store, Store]) -> None:
    embedded, neo4j = pair
    for name, question in (search_questions() | graph_questions() | {"the rest": other_questions}).items():
        assert dumped(await question(neo4j)) == plain(dumped(await question(embedded))), name
