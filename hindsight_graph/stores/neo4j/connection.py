"""The driver: sessions, transactions, the ledger of writes, and what its errors mean."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, LiteralString, TypeVar, cast
from uuid import uuid4

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncSession,
    NotificationDisabledClassification,
    NotificationMinimumSeverity,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from hindsight_graph.cypher import BUNDLE, bundled, load
from hindsight_graph.errors import HindsightGraphError, InputError, SchemaError, StoreError, StoreUnavailableError
from hindsight_graph.stores.neo4j.address import Address

Result = TypeVar("Result")
Row = Mapping[str, Any]

PASSWORD_VARIABLE = "HINDSIGHT_GRAPH_NEO4J_PASSWORD"  # noqa: S105 - a name, not a password
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long anything may take, in seconds.

    Attributes:
        connect: A connection and its handshake. call: one call of the store, retries included.
        retry: How long a transaction that lost a race, or whose server went away, is tried again.
        index: How long opening a store waits for its indexes to be filled.
    """

    connect: float = 5.0
    call: float = 60.0
    retry: float = 30.0
    index: float = 300.0


class Transaction:
    """Runs statements by name inside one transaction."""

    def __init__(self, inner: AsyncManagedTransaction) -> None:
        self._inner = inner

    async def run(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run a statement and return its rows."""
        result = await self._inner.run(_text(name), {BUNDLE: parameters})
        return await _rows_of(result)


def new_mark() -> str:
    """Return an id for a mark in the ledger."""
    return uuid4().hex


def _text(name: str) -> LiteralString:
    return cast("LiteralString", bundled(name))


async def _rows_of(result: AsyncResult) -> list[Row]:
    names = result.keys()
    return [dict(zip(names, record.values(), strict=True)) for record in await result.fetch(_ALL)]


_ALL = 2**31 - 1
Work = Callable[[Transaction], Awaitable[Result]]
MarkedWork = Callable[[Transaction, str], Awaitable[Result]]


class Connection:
    """One driver, made by `open` and released by `close`.

    Args:
        address: Where the database is.
        password: None for a server without authentication.
        limits: How long things may take.
        warn: Make a Python warning of each notification of the server; off, what an empty database does not know yet is not
            reported.
    """

    def __init__(self, address: Address, password: str | None, limits: Limits, *, warn: bool) -> None:
        self.address = address
        self._password = password
        self._limits = limits
        self._warn = warn
        self._driver: AsyncDriver | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a driver."""
        return self._driver is not None

    async def open(self) -> None:
        """Make the driver and try it; raises StoreUnavailableError."""
        if self._driver is not None:
            return
        notifications: dict[str, Any] = (
            {"warn_notification_severity": NotificationMinimumSeverity.INFORMATION}
            if self._warn
            else {"notifications_disabled_classifications": [NotificationDisabledClassification.UNRECOGNIZED]}
        )
        async with self._translating():
            driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
                self.address.uri,
                auth=None if self._password is None else (self.address.user, self._password),
                connection_timeout=self._limits.connect,
                connection_acquisition_timeout=self._limits.connect * 2,
                max_transaction_retry_time=self._limits.retry,
                telemetry_disabled=True,
                fetch_size=-1,
                user_agent="hindsight-graph",
                **notifications,
            )
            self._bookmarks = AsyncGraphDatabase.bookmark_manager()
            try:
                async with asyncio.timeout(self._limits.connect * 2):
                    await driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType]
            except BaseException:
                await driver.close()
                raise
        self._driver = driver

    async def close(self) -> None:
        """Release the driver; safe to call twice."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    def _session(self, **options: Any) -> AsyncSession:
        if self._driver is None:
            raise InputError(f"the store {self.address.shown} is not open", hint="call open() first")
        return self._driver.session(  # pyright: ignore[reportUnknownMemberType]
            database=self.address.database, bookmark_manager=self._bookmarks, **options
        )

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one reading statement, on a reader of a cluster, after everything this connection wrote; return its rows.

        It goes out without a transaction around it: one exchange with the server in place of three, and a statement that only
        reads may be sent again when the server asks for it.
        """
        deadline = monotonic() + self._limits.retry
        pause = _FIRST_PAUSE
        async with self._translating():
            while True:
                try:
                    async with self._session(default_access_mode=READ_ACCESS) as session:
                        return await _rows_of(await session.run(_text(name), {BUNDLE: parameters}))
                except (DriverError, Neo4jError) as error:
                    if not error.is_retryable() or monotonic() > deadline:
                        raise
                await asyncio.sleep(pause + random.random() * pause)
                pause = min(pause * 2, _LONGEST_PAUSE)

    async def packed(self, name: str, /, **parameters: Any) -> list[Any]:
        """Run a reading statement that packs what it found into one list; return the list.

        The driver awaits each record by itself, which costs it more than what is in a small one: a list of 200 comes in an eighth
        of the time that 200 records take.
        """
        found = await self.rows(name, **parameters)
        return found[0]["packed"] if found else []

    async def change(self, work: Work[Result]) -> Result:
        """Run work in a write transaction that may be repeated; for what needs no ledger."""
        async with self._translating(), self._session() as session:
            return await session.execute_write(lambda inner: work(Transaction(inner)))

    async def run_alone(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one schema statement, in a transaction of its own; that what it makes is there already is no news."""
        quiet = {"notifications_disabled_classifications": [NotificationDisabledClassification.SCHEMA]}
        async with self._translating(), self._session(**quiet) as session:
            return await _rows_of(await session.run(cast("LiteralString", load(name).text), parameters))

    async def await_indexes(self) -> None:
        """Wait until every index answers; raises StoreUnavailableError that names those which do not in time."""
        seconds = self._limits.index
        try:
            async with self._translating(seconds=seconds + self._limits.call), self._session() as session:
                await (await session.run(_text("maintain/await_indexes"), {BUNDLE: {"seconds": int(seconds)}})).consume()
        except StoreError as error:
            found = await self.rows("maintain/show_indexes")
            waiting = [f"{row['name']} ({row['populationPercent']:.0f} %)" for row in found if row["state"] != "ONLINE"]
            if not waiting:
                return
            raise StoreUnavailableError(
                f"Neo4j at {self.address.shown} is still filling its indexes after {seconds:g} s: {', '.join(waiting)}",
                hint="wait for it and open the store again; `CALL db.awaitIndexes(300)` says when",
            ) from error

    async def attempt(self, name: str, /, **parameters: Any) -> tuple[list[Row], bool]:
        """Run a writing statement once, in a transaction of its own: one exchange with the server in place of three.

        Returns:
            Its rows, none when it lost a race or the connection broke; and whether it may have happened all the same. Repeat it
            by `write` then, under the mark that the statement was to leave.

        Raises:
            ConstraintError: A rule of the schema was broken; the caller says which.
        """
        async with self._translating((ConstraintError,)):
            try:
                async with self._session() as session:
                    return await _rows_of(await session.run(_text(name), {BUNDLE: parameters})), False
            except (IncompleteCommit, SessionExpired, ServiceUnavailable):
                return [], True
            except TransientError:
                return [], False

    async def write(
        self,
        tenant: str,
        work: MarkedWork[Result],
        committed: Result,
        *,
        operation: str | None = None,
        in_doubt: bool = False,
    ) -> Result:
        """Run work in a write transaction exactly once, even when the answer of its commit is lost.

        The transaction leaves a mark in the ledger. When the connection breaks at the commit, the mark says whether it happened;
        if not, the work is repeated under the same mark, which two attempts cannot both leave.

        Args:
            tenant: Whose data is written.
            work: What to write; it may run more than once. It is given the id of the mark, which its first statement leaves.
            committed: What is returned when an attempt turns out to have been committed after all.
            operation: The id of the mark, where an attempt was made already.
            in_doubt: That attempt may have been committed.

        Raises:
            ConstraintError: A rule of the schema was broken; the caller says which.
        """
        mark = operation or new_mark()
        deadline = monotonic() + self._limits.retry
        pause = _FIRST_PAUSE

        async def marked(transaction: Transaction) -> Result:
            return await work(transaction, mark)

        while True:
            try:
                if in_doubt and await self._is_committed(tenant, mark):
                    return committed
                return await self._attempt(marked)
            except (IncompleteCommit, SessionExpired, ServiceUnavailable) as error:
                in_doubt = in_doubt or isinstance(error, IncompleteCommit)
                if monotonic() > deadline or not in_doubt:
                    raise self._unavailable(error, in_doubt=in_doubt) from error
            except ConstraintError:
                if await self._is_committed(tenant, mark):
                    return committed
                raise
            await asyncio.sleep(pause + random.random() * pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _attempt(self, work: Work[Result]) -> Result:
        passed = (ConstraintError, IncompleteCommit, SessionExpired, ServiceUnavailable)
        async with self._translating(passed), self._session() as session:
            return await session.execute_write(lambda inner: work(Transaction(inner)))

    async def _is_committed(self, tenant: str, operation: str) -> bool:
        async with self._translating((SessionExpired, ServiceUnavailable)), self._session() as session:

            async def find(inner: AsyncManagedTransaction) -> Sequence[Row]:
                return await Transaction(inner).run("read/find_operation", tenant=tenant, operation=operation)

            return (await session.execute_write(find))[0]["count"] > 0

    # -- errors

    @asynccontextmanager
    async def _translating(self, passed: tuple[type[Exception], ...] = (), seconds: float | None = None) -> AsyncGenerator[None]:
        """Bound what happens inside by the deadline of a call, or by `seconds`, and say in our words what went wrong."""
        try:
            async with asyncio.timeout(self._limits.call if seconds is None else seconds):
                yield
        except passed:
            raise
        except HindsightGraphError:
            raise
        except (DriverError, Neo4jError, TimeoutError, OSError, ValueError) as error:
            if isinstance(error, ValueError):
                raise StoreError(f"Neo4j's driver refuses a value: {error}", hint="check the address and the values") from error
            raise self._unavailable(error) from error

    def _unavailable(self, error: BaseException, *, in_doubt: bool = False) -> StoreError:
        where = self.address.shown
        if in_doubt:
            return StoreUnavailableError(
                f"Neo4j at {where} went away at a commit and did not come back; whether the write happened is not known",
                hint="repeat it with the same ids once the server is back: what was written stays as it is",
            )
        code = getattr(error, "code", None) or ""
        if isinstance(error, AuthError):
            return StoreUnavailableError(
                f"Neo4j at {where} refuses the user {self.address.user!r} or the password",
                hint=f"give the password in {PASSWORD_VARIABLE}, or the path of a file with it in {PASSWORD_VARIABLE}_FILE",
            )
        if code == "Neo.ClientError.Database.DatabaseNotFound":
            return StoreUnavailableError(
                f"Neo4j at {self.address.uri} has no database {self.address.database!r}",
                hint="leave the database out of the URL: a Community server has one, named neo4j",
            )
        if isinstance(error, TransientError):
            return StoreUnavailableError(f"Neo4j at {where} is busy: {error.message}", hint="try again; nothing was written")
        if isinstance(error, TimeoutError):
            return StoreUnavailableError(
                f"Neo4j at {where} did not answer within {self._limits.call:g} s",
                hint="is the server overloaded, or the network stuck?",
            )
        if isinstance(error, ConfigurationError) and "Bolt Protocol" in str(error):
            said = " ".join(str(error).split())
            return SchemaError(
                f"Neo4j at {where} speaks a protocol of an old version ({said}); this store needs 5.26 or newer",
                hint="upgrade the server",
            )
        if isinstance(error, (ServiceUnavailable, SessionExpired, ConfigurationError, OSError)):
            return StoreUnavailableError(
                f"Neo4j at {where} cannot be reached: {' '.join(str(error).split())}",
                hint="is it running? `docker compose up neo4j`, or `python scripts/neo4j_local.py start`",
            )
        return StoreError(f"Neo4j at {where} failed: {error}")
