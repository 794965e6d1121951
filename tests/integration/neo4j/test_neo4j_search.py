"""Searches in a tenant that is too large to compare every row: from the indexes, filtered, scored exactly."""

import numpy as np
import pytest

from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import EmbeddingModel, WriteBatch
from hindsight_graph.stores.neo4j.address import parse_address
from hindsight_graph.stores.neo4j.connection import Connection, Limits
from hindsight_graph.stores.neo4j.search import EXACT_ROWS, Search
from hindsight_graph.testing.builders import a_memory, a_view, new
from hindsight_graph.testing.neo4j_server import Neo4jServer

LARGE, SMALL = Scope(tenant="large"), Scope(tenant="small")
DIMENSION = 32


@pytest.mark.requirement("G-06")
@pytest.mark.timeout(300)
async def test_a_large_tenant_is_searched_by_its_indexes_and_a_small_one_misses_nothing(empty: Neo4jServer) -> None:
    chance = np.random.default_rng(4)
    count = EXACT_ROWS + 300
    vectors = chance.normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    items = [
        new(
            a_memory(
                f"{number:05}", status=Status.ACTIVE if number % 3 else Status.ARCHIVED, trust=0.9 if number % 5 else 0.3
            ),
            "common", f"word{number % 700}", vector=vectors[number],
        )
        for number in range(count)
    ]  # fmt: skip
    store = empty.store()
    await store.open()
    await store.record_model(EmbeddingModel(name="large", dimension=DIMENSION))
    for start in range(0, count, 500):
        await store.write(LARGE, WriteBatch(memories=tuple(items[start : start + 500])))
    await store.write(SMALL, WriteBatch(memories=tuple(items[1:23])))
    view = a_view(min_trust=0.5)
    admitted = [number for number in range(count) if number % 3 and number % 5]
    found_share = 0.0
    for query in vectors[:10]:
        scores = vectors[admitted] @ query
        exact = {f"m-{admitted[place]:05}" for place in np.argsort(-scores)[:10]}
        hits = await store.vector_topk(LARGE, query, 10, Filter(view=view))
        assert len(hits) == 10
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert hits[0].score == pytest.approx(float(query @ vectors[int(hits[0].id[2:])]), abs=1e-6)
        found_share += len(exact & {hit.id for hit in hits}) / 100
    assert found_share >= 0.98
    few = await store.vector_topk(LARGE, vectors[0], 10, Filter(view=view, ids=("m-00001", "m-00002", "m-00003")))
    assert {hit.id for hit in few} == {"m-00001", "m-00002"}
    assert len(await store.vector_topk(SMALL, vectors[0], 100, Filter(view=a_view()))) == 22 - 7
    connection = Connection(parse_address(empty.url), None, Limits(), warn=True)
    await connection.open()
    indexed = Search(connection, filtered="vector_filter" in (await store.info()).capabilities, exact_rows=0)
    of_small = [number for number in range(1, 23) if number % 3]
    found_share = 0.0
    for query in vectors[:10]:
        exact = {f"m-{of_small[place]:05}" for place in np.argsort(-(vectors[of_small] @ query))[:10]}
        hits = await indexed.vectors(SMALL, query.tolist(), 10, Filter(view=a_view()))
        found_share += len(exact & {hit.id for hit in hits}) / 100
        assert len(hits) == 10
    assert found_share >= 0.98
    assert len(await indexed.vectors(SMALL, vectors[0].tolist(), 100, Filter(view=a_view()))) == len(of_small)
    await connection.close()
    statistics = await store.term_stats(LARGE, ["common", "word4", "nothing"], Filter(view=view))
    assert statistics.documents == len(admitted)
    assert statistics.frequencies == {"common": len(admitted), "word4": sum(n % 700 == 4 for n in admitted), "nothing": 0}
    best = await store.text_topk(LARGE, ["common", "word4"], 5, Filter(view=view))
    assert [hit.id for hit in best][:2] == ["m-00004", "m-00704"]
    assert (len(best), best[0].counts, best[0].length) == (5, (1, 1), 2)
    await store.close()
