"""What makes search fast must not change what it finds: the shortcuts against the plain way, on random postings."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.stores.sqlite import schema
from hindsight_graph.stores.sqlite.graph import frontier, visible
from hindsight_graph.stores.sqlite.postings import Run
from hindsight_graph.stores.sqlite.search import Term, keyword_scores, kth_best
from hindsight_graph.testing.builders import NOW

SIZE = 4_000


def a_term(random: np.random.Generator, share: float, cuts: list[int]) -> Term:
    """Return a term that stands in about that share of the rows, its postings cut into runs at those rows."""
    rows = np.flatnonzero(random.random(SIZE) < share)
    counts = random.integers(1, 6, rows.size).astype(np.uint16)
    parts = np.split(np.arange(rows.size), np.searchsorted(rows, sorted(cuts)))
    return Term([Run(rows[part], counts[part]) for part in parts])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 999),
    shares=st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.5, 0.98, 1.0]), min_size=1, max_size=6),
    cuts=st.lists(st.integers(0, SIZE), max_size=2),
    k=st.integers(1, 200),
)
def test_leaving_common_words_out_changes_none_of_the_best(seed: int, shares: list[float], cuts: list[int], k: int):
    random = np.random.default_rng(seed)
    terms = [a_term(random, share, cuts) for share in shares]
    everywhere = np.arange(SIZE)
    plain = np.zeros(SIZE)
    for term in terms:
        counts = term.counts_at(everywhere)
        plain += np.log1p((SIZE - term.size + 0.5) / (term.size + 0.5)) * counts / (counts + 1.2)
    rows, scores = keyword_scores(terms, SIZE, SIZE, k)
    np.testing.assert_allclose(scores, plain[rows], rtol=1e-5)
    assert set(rows) <= set(np.flatnonzero(plain))
    best = min(k, np.count_nonzero(plain))
    np.testing.assert_allclose(np.sort(scores)[::-1][:best], np.sort(plain)[::-1][:best], rtol=1e-5)


@given(st.integers(0, 999), st.integers(1, 500), st.sampled_from([1, 3, 50, 100_000]))
def test_the_kth_best_score_is_that_of_the_sorted_scores(seed: int, k: int, different: int):
    scores = np.random.default_rng(seed).integers(0, different, 3_000).astype(np.float32)
    assert kth_best(scores, k) == np.sort(scores)[-k]


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("types", [(RelationType.USES,), (RelationType.USES, StructureType.MENTIONS), ()])
def test_a_frontier_reads_each_node_in_the_order_of_an_index(direction: Direction, types: tuple[EdgeType, ...]):
    connection = sqlite3.connect(":memory:")
    schema.apply(connection, 0)
    where = visible(Scope(), View(now=NOW, min_trust=0.5))
    asked = {**where.parameters, "node": "a", "per_node": 9}
    plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + frontier(where, direction, types, "x.id"), asked)]
    connection.close()
    assert not any("TEMP B-TREE" in step for step in plan), plan
    assert sum("USING INDEX edges_" in step for step in plan) >= 1, plan
