"""Every statement is taken by the servers it says it is for, without a word of warning.

It stands behind the contract of the store and uses vectors of the same dimension: what was asked there is planned already, and a
server forgets its plans at every change of the schema, an index of another dimension among them.
"""

import warnings
from typing import LiteralString, cast

import neo4j
import pytest

from hindsight_graph.cypher import BUNDLE, Query, areas, bundled, load, names
from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.stores.neo4j.server import Server
from hindsight_graph.testing.builders import DIMENSION
from hindsight_graph.testing.neo4j_server import Neo4jServer


def number(version: str) -> tuple[int, int]:
    return Server(version, "").number


def is_for(query: Query, version: str) -> bool:
    return number(query.since + ".0") <= number(version) and (not query.until or number(version) <= number(query.until + ".0"))


def explained(query: Query) -> tuple[LiteralString, dict[str, dict[str, object] | None]]:
    """Return what to ask, as the store asks it: then the server has a plan of what other tests asked before."""
    is_alone = query.name.startswith("schema/") or "$options" in query.text
    text = query.text if is_alone else bundled(query.name)
    prefix = "CYPHER 25\n"
    asked = text.replace(prefix, prefix + "EXPLAIN ", 1) if text.startswith(prefix) else "EXPLAIN " + text
    return cast("LiteralString", asked), dict.fromkeys(query.parameters) if is_alone else {BUNDLE: {}}


@pytest.mark.timeout(300)
async def test_every_statement_is_explained_without_a_notification(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.open()
    await store.record_model(EmbeddingModel(name="any", dimension=DIMENSION))
    await empty.seed()
    version = (await store.info()).engine.split()[1]
    await store.close()
    said: list[str] = []
    asked = 0
    with warnings.catch_warnings(record=True):
        async with neo4j.AsyncGraphDatabase.driver(empty.url) as driver:  # pyright: ignore[reportUnknownMemberType]
            for query in [load(name) for area in areas() for name in names(area)]:
                if not is_for(query, version) or query.text.startswith("SHOW") or query.name.endswith("vectors_by_search_b"):
                    continue
                result = await driver.execute_query(*explained(query))
                said += [
                    f"{query.name}: {status.gql_status} {status.status_description}"
                    for status in result.summary.gql_status_objects
                    if status.is_notification and "already exists" not in status.status_description
                    and "does not exist. Neither" not in status.status_description
                ]  # fmt: skip
                asked += 1
    assert said == []
    assert asked > 100
