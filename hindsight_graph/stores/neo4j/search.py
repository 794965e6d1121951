"""Nearest vectors and best keyword candidates.

Small searches are exact: every row that the filter admits is compared. Large ones take candidates from an index, more and more of
them until enough are admitted, and score these exactly. Keyword candidates are ordered by sum(idf x tf / (tf + 1.2)) with the
statistics of the admitted rows, BM25 without its length part (Robertson and Zaragoza 2009, section 3).
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p
from time import monotonic
from typing import Any

from hindsight_graph.errors import StoreError, StoreUnavailableError
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import EmbeddingModel, ScoredId, TermStats, TextCandidate
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.parameters import filter_parameters, is_indexed
from hindsight_graph.stores.neo4j.terms import terms_query
from hindsight_graph.stores.neo4j.vectors import EMBEDDING, INDEX, check_model, read_record
from hindsight_graph.stores.words import indexed_form

EXACT_ROWS = 2_000
"""Up to so many admitted rows a search compares all of them (about 1 ms for each 400 at 384 dimensions)."""
FETCH_LEAST = 300
"""Candidates taken from 2026.x's vector index at least: 300 gave .98 of the exact ten nearest among 20,000 random vectors, 180
.94, 120 .90; its index compares shortened vectors."""
FETCH_LEAST_OF_8_BITS = 180
"""The same for 5.26's index: 180 gave all of the ten nearest, and .99 of the sixty; 300 no more, for a third more of its time."""
FETCH = 3
"""Candidates taken from a vector index for each result asked for."""
MEASURED_LEAST = 100
MEASURED = 2
"""How many candidates of 5.26's index, nearest first, are measured exactly, at least and for each result: its own order is by
vectors of 8 bits per number, whose cosines are off by less than what lies between the first and the second half."""
GROWTH = 30
"""How many times as many candidates the next round takes, when the filter left too few."""
TEXT_FETCH_LEAST = 500
TEXT_FETCH = 10
"""Candidates taken from the keyword index of a large tenant, at least and for each result: it orders them much as we do."""
MAX_FETCH = 100_000
STATISTICS_AGE = 60.0
"""Seconds for which the statistics of a large tenant's view may be used again."""
MAX_TERMS = 1_000
"""Terms in one query at most, the rarest; the index takes 1,024."""
_SATURATION = 1.2
"""k1 of BM25's usual range (1.2 to 2.0, as above); it orders candidates only."""

_Key = tuple[str, str | None, float, tuple[str, ...]]


@dataclass
class _Statistics:
    """Documents and terms of a view, and how many documents hold a term, as counted at `made`."""

    documents: int
    terms: int
    made: float
    frequencies: dict[str, int] = field(default_factory=dict[str, int])


class Search:
    """The searches over one connection.

    Args:
        connection: An open one.
        filtered: The server's vector indexes can filter by tenant and trust themselves.
        now: A clock in seconds, for the age of statistics.
        exact_rows: Up to so many admitted rows a search compares all of them.
    """

    def __init__(
        self, connection: Connection, *, filtered: bool, now: Callable[[], float] = monotonic, exact_rows: int = EXACT_ROWS
    ) -> None:
        self._connection = connection
        self._filtered = filtered
        self._now = now
        self._exact_rows = exact_rows
        self._large: set[str] = set()
        self._statistics: dict[_Key, _Statistics] = {}
        self._counting: dict[_Key, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def _is_small(self, scope: Scope, where: Filter) -> bool:
        """Whether at most `exact_rows` rows have to be compared. A tenant that was large stays so for this object."""
        if scope.tenant not in self._large:
            found = await self._connection.rows("search/count_tenant", tenant=scope.tenant, bound=self._exact_rows + 1)
            if found[0]["count"] <= self._exact_rows:
                return True
            self._large.add(scope.tenant)
        if not is_indexed(where):
            return False
        if where.ids is not None and len(where.ids) <= self._exact_rows:
            return True
        asked = filter_parameters(scope, where)
        return (await self._connection.rows("search/count_admitted", bound=self._exact_rows + 1, **asked))[0][
            "count"
        ] <= self._exact_rows

    async def plan(self, scope: Scope, where: Filter, dimension: int | None) -> None:
        """Ask each statement once, about nothing, so that the server plans it."""
        await self._is_small(scope, where)
        plain, query = filter_parameters(scope, where), terms_query(scope.tenant, ["-"])
        await self._connection.rows("search/term_documents", **plain)
        queries = [{"term": "-", "query": query}]
        await self._connection.rows("search/term_frequencies", **filter_parameters(scope, where, queries=queries))
        await self._connection.rows(
            "search/texts", query=query, fetch=1, saturation=_SATURATION, k=1,
            **filter_parameters(scope, where, terms=["-"], rarities=[1.0]),
        )  # fmt: skip
        if dimension is not None:
            nearest = {**plain, "embedding": EMBEDDING, "vector": [1.0] + [0.0] * (dimension - 1), "k": 1}
            await self._connection.rows("search/vectors_exact", **nearest)
            statement, extra = self._indexed
            await self._connection.rows(statement, fetch=1, **nearest, **extra)

    @property
    def _indexed(self) -> tuple[str, dict[str, Any]]:
        """The statement that searches the vector index, and what it wants besides."""
        return (
            ("search/vectors_by_search_a", {})
            if self._filtered
            else ("search/vectors_by_procedure", {"index": INDEX, "measured": 1})
        )

    # -- vectors

    async def vectors(
        self, scope: Scope, vector: list[float], k: int, where: Filter, model: EmbeddingModel | None = None
    ) -> tuple[ScoredId, ...]:
        """Return the k nearest memories by cosine among those the filter admits; best first, ties by id.

        Raises:
            ModelMismatchError: The store's vectors are not by the expected model any more.
        """
        if k <= 0:
            return ()
        asked = {**filter_parameters(scope, where), "embedding": EMBEDDING, "vector": vector, "k": k}
        if await self._is_small(scope, where):
            return scored(await nearest(self._connection, "search/vectors_exact", model, asked))
        fetch = max(FETCH_LEAST if self._filtered else FETCH_LEAST_OF_8_BITS, k * FETCH)
        statement, extra = self._indexed
        if not self._filtered:
            extra = {**extra, "measured": max(MEASURED_LEAST, k * MEASURED)}
        while fetch <= MAX_FETCH:
            found = await nearest(self._connection, statement, model, {"fetch": fetch, **asked, **extra})
            if len(found) >= k:
                return scored(found)
            fetch *= GROWTH
        return scored(await nearest(self._connection, "search/vectors_exact", model, asked))

    # -- texts

    async def texts(self, scope: Scope, terms: Sequence[str], k: int, where: Filter) -> tuple[TextCandidate, ...]:
        """Return the k best admitted memories that hold at least one term; ties by id."""
        distinct = list(dict.fromkeys(map(indexed_form, terms)))
        if k <= 0 or not distinct:
            return ()
        statistics = await self._count(scope, distinct, where)
        rarity = {
            term: log1p((statistics.documents - held + 0.5) / (held + 0.5))
            for term, held in statistics.frequencies.items()
            if held
        }
        present = sorted((term for term in distinct if term in rarity), key=lambda term: -rarity[term])[:MAX_TERMS]
        if not present:
            return ()
        is_small = statistics.documents <= self._exact_rows
        fetch = max(self._exact_rows, k) if is_small else max(TEXT_FETCH_LEAST, k * TEXT_FETCH)
        while True:
            found = await self._connection.rows(
                "search/texts", query=terms_query(scope.tenant, present), fetch=fetch, saturation=_SATURATION, k=k,
                **filter_parameters(scope, where, terms=present, rarities=[rarity[term] for term in present]),
            )  # fmt: skip
            best = found[0]["packed"]
            if len(best) >= k or found[0]["hits"] < fetch or fetch > MAX_FETCH:
                break
            fetch *= GROWTH
        places = {term: place for place, term in enumerate(present)}
        at = [places.get(indexed_form(term)) for term in terms]
        return tuple(
            [
                TextCandidate.model_construct(
                    id=key, counts=tuple([0 if place is None else counts[place] for place in at]), length=length
                )
                for key, counts, length in best
            ]
        )

    async def statistics(self, scope: Scope, terms: Sequence[str], where: Filter) -> TermStats:
        """Return term statistics over the memories the filter admits."""
        distinct = list(dict.fromkeys(terms))
        counted = await self._count(scope, list(dict.fromkeys(map(indexed_form, distinct))), where)
        return TermStats(
            documents=counted.documents,
            average_length=counted.terms / counted.documents if counted.documents else 0.0,
            frequencies={term: counted.frequencies[indexed_form(term)] for term in distinct},
        )

    async def _count(self, scope: Scope, terms: Sequence[str], where: Filter) -> _Statistics:
        """Count documents, terms and the holders of each term; of a large tenant's plain view at most every STATISTICS_AGE.

        A recall asks for the statistics and for the texts at the same time: what one of them counts the other waits for.
        """
        view = where.view
        if not where.is_plain or view.is_historical or view.timeless:
            return await self._count_more(None, scope, terms, where)
        key = (scope.tenant, scope.agent_id, view.min_trust, tuple(status.value for status in view.statuses))
        async with self._counting[key]:
            known = self._statistics.get(key)
            if known is not None and self._now() - known.made > STATISTICS_AGE:
                known = None
            known = await self._count_more(known, scope, terms, where)
            if known.documents > self._exact_rows:
                self._statistics[key] = known
            return known

    async def _count_more(self, known: _Statistics | None, scope: Scope, terms: Sequence[str], where: Filter) -> _Statistics:
        """Return statistics with the holders of these terms among them; `known` are those that were counted before."""
        if known is None:
            row = (await self._connection.rows("search/term_documents", **filter_parameters(scope, where)))[0]
            known = _Statistics(row["documents"], row["terms"], self._now())
        missing = [term for term in terms if term not in known.frequencies]
        if missing and known.documents:
            queries = [{"term": term, "query": terms_query(scope.tenant, [term])} for term in missing]
            for row in await self._connection.rows("search/term_frequencies", **filter_parameters(scope, where, queries=queries)):
                known.frequencies[row["term"]] = row["frequency"]
        for term in missing:
            known.frequencies.setdefault(term, 0)
        return known


async def nearest(connection: Connection, statement: str, model: EmbeddingModel | None, asked: Mapping[str, Any]) -> list[Any]:
    """Return what a statement about vectors packed; whose they are comes with it, so that a change of model is noticed at once.

    Raises:
        ModelMismatchError: The store's vectors are not by the expected model any more.
    """
    try:
        row = (await connection.rows(statement, **asked))[0]
    except StoreUnavailableError:
        raise
    except StoreError:  # a vector of another dimension, where the model changed
        check_model(await read_record(connection), model)
        raise
    check_model(row["vectors"], model)
    return row["packed"]


def scored(found: Sequence[tuple[str, float]]) -> tuple[ScoredId, ...]:
    """Return ids with their cosines, which rounding may have put beyond -1..1."""
    return tuple([ScoredId.model_construct(id=key, score=min(1.0, max(-1.0, score))) for key, score in found])
