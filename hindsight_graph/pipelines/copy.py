"""Copying whole tenants from one store to another, page by page.

First both sides are counted: rows that the target has already must be rows of the source, so a copy that was killed goes on where
it stopped, and nothing is ever mixed. Then what is missing is written, each page in one transaction, and at the end both sides
are compared by checksums of what is read back from them.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.models.moving import CopyReport, StoredRow, Table, TenantCopy, name_of
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.pipelines.stored_rows import Tally, among
from hindsight_graph.stores.base import Store

Progress = Callable[[int, int], None]
"""Called with rows looked at and rows to look at in all; each row is looked at once for each of three passes."""
PAGE = 500
"""Rows in one transaction: with vectors of 384 dimensions about 2 MB on the wire."""
_PASSES = 3


async def copy(
    source: Store, target: Store, *, tenants: Sequence[str] | None = None, progress: Progress | None = None, page: int = PAGE
) -> CopyReport:
    """Copy tenants from one open store to another; may be repeated, and goes on after an interruption.

    Nobody should write to either meanwhile; what was changed in the source is noticed.

    Args:
        source: An open store.
        target: Another one.
        tenants: Which; all of the source when absent.
        progress: Is told how far it is.
        page: Rows in one transaction.

    Raises:
        InputError: Both are one store. NotFoundError: The source has no such tenant. ModelMismatchError: Their vectors are by
            different models. ConflictError: The target holds other rows of a tenant; or the source changed meanwhile.
    """
    origin, destination = await source.info(), await target.info()
    if (origin.kind, origin.location) == (destination.kind, destination.location):
        raise InputError(f"source and target are both {origin.location}", hint="name two stores")
    known = await source.tenants(SystemScope())
    for tenant in tenants or ():
        if tenant not in known:
            raise NotFoundError(f"{origin.location} has no tenant {tenant!r}", hint=f"it has {', '.join(known) or 'none'}")
    if origin.embedding is not None:
        await target.record_model(origin.embedding)
    chosen = tuple(dict.fromkeys(known if tenants is None else tenants))
    steps = _Steps(progress, _PASSES * sum([await _estimate(source, tenant) for tenant in chosen]))
    copies = [
        await _TenantCopying(source, target, origin.location, destination.location, Scope(tenant=tenant), steps, page).run()
        for tenant in chosen
    ]
    return CopyReport(
        source=origin.location, target=destination.location, embedding=origin.embedding, tenants=tuple(copies)
    )  # fmt: skip


async def _estimate(store: Store, tenant: str) -> int:
    """Return about how many rows a tenant has."""
    counts = await store.stats(Scope(tenant=tenant))
    return counts.episodes + counts.entities + counts.memories + counts.edges + counts.sessions


async def pages(store: Store, scope: Scope, table: Table, size: int) -> AsyncIterator[Sequence[StoredRow]]:
    """Yield the rows of a table, page by page."""
    cursor = None
    while True:
        page = await store.export(scope, table, cursor, size)
        if page.rows:
            yield page.rows
        cursor = page.cursor
        if cursor is None:
            return


class _Steps:
    """Adds up what was looked at."""

    def __init__(self, tell: Progress | None, total: int) -> None:
        self._tell, self._done, self._total = tell, 0, total

    def add(self, count: int) -> None:
        self._done += count
        self._total = max(self._total, self._done)
        if self._tell is not None:
            self._tell(self._done, self._total)


Tallies = Mapping[Table, Tally]


class _TenantCopying:
    """Copies one tenant."""

    def __init__(
        self, source: Store, target: Store, source_name: str, target_name: str, scope: Scope, steps: _Steps, page: int
    ) -> None:
        self._source, self._target = source, target
        self._source_name, self._target_name = source_name, target_name
        self._scope, self._steps, self._page = scope, steps, page

    async def run(self) -> TenantCopy:
        """Compare, write what is missing, compare again."""
        wanted = await self._tally(self._source, count=True)
        there = await self._tally(self._target)
        for table in Table:
            if not all(among(there[table].marks, wanted[table].marks)):
                raise await self._foreign(table, wanted[table])
        written = 0
        for table in Table:
            written += await self._write(wanted[table], there[table])
        reached = await self._tally(self._target, count=True)
        for table in Table:
            if reached[table].checksum != wanted[table].checksum:
                raise ConflictError(
                    f"tenant {self._scope.tenant!r}: {self._target_name} has {reached[table].rows} {table.value} with checksum"
                    f" {reached[table].checksum}, {self._source_name} {wanted[table].rows} with {wanted[table].checksum}",
                    hint="somebody else writes to one of them; stop that, and copy again",
                )
        whole = sum(tally.total for tally in reached.values()) % 2**128
        return TenantCopy(
            tenant=self._scope.tenant, rows={table: reached[table].rows for table in Table}, written=written,
            checksum=f"{whole:032x}",
        )  # fmt: skip

    async def _tally(self, store: Store, *, count: bool = False) -> Tallies:
        tallies = {table: Tally(table) for table in Table}
        for table, tally in tallies.items():
            async for rows in pages(store, self._scope, table, self._page):
                tally.add(rows, keep=True)
                if count:
                    self._steps.add(len(rows))
        return tallies

    async def _write(self, wanted: Tally, there: Tally) -> int:
        """Write the rows of a table that are not there; returns how many."""
        known, seen, written = there.marks, Tally(wanted.table), 0
        async for rows in pages(self._source, self._scope, wanted.table, self._page):
            is_there = among(seen.add(rows), known)
            missing = [row for row, found in zip(rows, is_there, strict=True) if not found]
            if missing:
                await self._target.import_(self._scope, wanted.table, missing)
                written += len(missing)
            self._steps.add(len(rows))
        if seen.checksum != wanted.checksum:
            raise ConflictError(
                f"{wanted.table.value} of tenant {self._scope.tenant!r} changed in {self._source_name} during the copy",
                hint="stop whoever writes to it, and copy again, into an empty store if rows were changed",
            )
        return written

    async def _foreign(self, table: Table, wanted: Tally) -> ConflictError:
        """Return the error that names the first row of the target that is not one of the source."""
        known = wanted.marks
        async for rows in pages(self._target, self._scope, table, self._page):
            for row, found in zip(rows, among(Tally(table).add(rows), known), strict=True):
                if not found:
                    return ConflictError(
                        f"{self._target_name} holds other {table.value} of tenant {self._scope.tenant!r} than"
                        f" {self._source_name}: {name_of(row)} is not there, or is otherwise",
                        hint="copy into a store without that tenant; what was changed since an earlier copy cannot be added",
                    )
        return ConflictError(f"the {table.value} of {self._target_name} change while they are read", hint="stop whoever writes")
