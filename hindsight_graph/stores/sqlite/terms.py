"""Numbers for terms: memories hold their terms as numbers, each tenant has its own."""

import sqlite3
from collections.abc import Iterable, Sequence

from hindsight_graph.stores.sqlite.predicates import among

CACHE = 200_000
"""Terms whose numbers a writer remembers; about 20 MB when full, then it starts anew."""


class TermNumbers:
    """Numbers of terms this writer has seen; a number is never given to another term, so what is remembered stays right."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._fresh: list[tuple[str, str]] = []

    def resolve(self, connection: sqlite3.Connection, tenant: str, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term, giving new ones to new terms; the caller holds the write transaction."""
        if len(self._numbers) > CACHE:
            self._numbers.clear()
        wanted = set(terms)
        found = {term: self._numbers[tenant, term] for term in wanted if (tenant, term) in self._numbers}
        if len(found) < len(wanted):
            missing = sorted(wanted - found.keys())
            fresh = [(tenant, term) for term in missing]
            connection.executemany("INSERT OR IGNORE INTO terms (tenant, term) VALUES (?, ?)", fresh)
            numbers = _numbers_of(connection, tenant, missing)
            found |= numbers
            self._numbers.update({(tenant, term): number for term, number in numbers.items()})
            self._fresh += fresh
        return found

    def committed(self) -> None:
        """Keep what the transaction added."""
        self._fresh.clear()

    def rolled_back(self) -> None:
        """Forget what the transaction added."""
        for key in self._fresh:
            self._numbers.pop(key, None)
        self._fresh.clear()


def _numbers_of(connection: sqlite3.Connection, tenant: str, terms: Sequence[str]) -> dict[str, int]:
    if not terms:
        return {}
    asked, parameters = among("term", terms)
    found = connection.execute(
        f"SELECT term, id FROM terms WHERE tenant = :tenant AND term {asked}", {"tenant": tenant, **parameters}
    )
    return dict(found.fetchall())


def term_ids(connection: sqlite3.Connection, tenant: str, terms: Sequence[str]) -> list[int | None]:
    """Return the number of each term in the tenant, None for terms no memory has."""
    found = _numbers_of(connection, tenant, terms)
    return [found.get(term) for term in terms]
