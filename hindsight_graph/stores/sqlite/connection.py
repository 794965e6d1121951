"""One SQLite connection in one thread of its own, the checks before it opens, and its errors in our words."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from hindsight_graph.errors import HindsightGraphError, StoreCorruptError, StoreError, StoreUnavailableError

Result = TypeVar("Result")

MINIMUM_SQLITE = (3, 37, 0)
"""STRICT tables came with it (2021-11)."""
CHECKPOINT_PAGES = 16_000
"""Pages in the log at which a commit copies it into the file: 64 MB. Above what a bulk transaction writes (12,000 pages beside
100,000 memories), because after such a one the copying follows in the background (`checkpoint`)."""
NETWORK_FILE_SYSTEMS = frozenset({
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs", "lustre", "beegfs",
    "gpfs", "ocfs2",
    "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.ceph", "fuse.gcsfuse", "fuse.davfs", "davfs",
})  # fmt: skip
"""File systems on which SQLite's locks or shared memory do not hold between machines (https://sqlite.org/useovernet.html)."""


def read_mounts() -> str:
    """Return the mount table of this machine, in the form of Linux's /proc/mounts; empty where there is none."""
    try:
        return Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def network_file_system(path: Path, mounts: str) -> str | None:
    """Return the type of the network file system `path` lies on, or None."""
    found, depth = "", -1
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = Path(parts[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        if (point == path or point in path.parents) and len(point.parts) >= depth:
            found, depth = parts[2], len(point.parts)
    return found if found in NETWORK_FILE_SYSTEMS else None


def check_path(path: Path, mounts: str) -> None:
    """Raise StoreUnavailableError unless a store can live at `path`: a writable file, or a folder in which one can be made."""
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        needed = ".".join(map(str, MINIMUM_SQLITE))
        raise StoreUnavailableError(
            f"this Python has SQLite {sqlite3.sqlite_version}; {needed} is needed",
            hint="use a newer Python, or a newer libsqlite3",
        )
    if path.is_dir():
        raise StoreUnavailableError(f"{path} is a directory", hint=f"name a file in it, such as {path / 'memory.db'}")
    kind = network_file_system(path, mounts)
    if kind is not None:
        raise StoreUnavailableError(
            f"{path} lies on a network file system ({kind}), where several processes cannot share a SQLite file safely",
            hint="put the store on a local disk, or use a Neo4j store",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailableError(
            f"cannot make the folder {path.parent}: {error.strerror}", hint="name a folder you may write"
        ) from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreUnavailableError(
            f"the folder {path.parent} is not writable; the store needs its log beside the file",
            hint="name a folder you may write",
        )
    if path.exists():
        try:
            os.close(os.open(path, os.O_RDWR))
        except OSError as error:
            raise StoreUnavailableError(
                f"the store {path} cannot be opened for writing: {error.strerror}",
                hint="make the file writable, or name another one",
            ) from error


def translate(error: sqlite3.Error, path: str) -> StoreError:
    """Return the error of our tree for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreUnavailableError(
            f"the store {path} stayed locked by another writer: {error}", hint="try again, or end the process that holds the lock"
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreUnavailableError(
            f"the disk of {path} is full: {error}", hint="free some space and try again; nothing was written"
        )
    if code == sqlite3.SQLITE_READONLY:
        return StoreUnavailableError(f"the store {path} is read-only: {error}", hint="make the file and its folder writable")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM):
        return StoreUnavailableError(
            f"the store {path} cannot be read or written: {error}",
            hint="check the disk's space and health, and the file's rights",
        )
    if code == sqlite3.SQLITE_NOTADB:
        return StoreCorruptError(f"{path} is not a SQLite database", hint="name another file")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreCorruptError(
            f"the store {path} is damaged: {error}", hint="restore a backup, or save what can be read: `sqlite3 FILE .recover`"
        )
    return StoreError(f"the store {path} failed: {error}")


def connect(path: str, busy_timeout: float) -> sqlite3.Connection:
    """Open a connection with this project's settings: WAL, full durability, foreign keys, a bounded wait for locks."""
    connection = sqlite3.connect(path, timeout=busy_timeout, isolation_level=None, cached_statements=256)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -32768")
        connection.execute("PRAGMA temp_store = MEMORY")
        if path != ":memory:":
            _use_wal(connection, path, busy_timeout)
            connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    except BaseException:
        connection.close()
        raise
    return connection


def checkpoint(connection: sqlite3.Connection) -> None:
    """Copy the log into the file as far as no reader needs it; what is left, or fails, is the next one's work.

    What was committed is durable in the log whatever happens here, so an error is nobody's: SQLite's own checkpoints at the end
    of a commit pass over it in the same way.
    """
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


def _use_wal(connection: sqlite3.Connection, path: str, busy_timeout: float) -> None:
    """Switch to write-ahead logging; SQLite's busy wait does not cover the switch, so the wait is here."""
    deadline = time.monotonic() + busy_timeout
    while True:
        try:
            mode: str = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
            continue
        if mode != "wal":
            raise StoreUnavailableError(
                f"the store {path} cannot use write-ahead logging (journal mode {mode})", hint="put it on a local disk"
            )
        return


class Lane:
    """One connection and the one thread that uses it: calls come in from any event loop and run one after the other."""

    def __init__(self, path: str, busy_timeout: float, name: str) -> None:
        self._path = path
        self._busy_timeout = busy_timeout
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"hindsight-{name}")

    async def open(self) -> None:
        """Connect, in the lane's thread."""

        def connect_here() -> None:
            self._connection = connect(self._path, self._busy_timeout)

        await self._submit(connect_here)

    async def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` with the connection, in the lane's thread; SQLite's errors come as ours.

        A caller that is cancelled stops waiting; work that has begun still ends, so a write is never half done.
        """

        def call() -> Result:
            if self._connection is None:
                raise StoreUnavailableError(f"the store {self._path} is closed", hint="open it first")
            return work(self._connection)

        return await self._submit(call)

    def afterwards(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Run `work` when all that was asked for before is done; nobody waits for it, and it must handle its errors itself."""
        if self._connection is not None:
            self._thread.submit(work, self._connection)

    async def _submit(self, call: Callable[[], Result]) -> Result:
        try:
            future = asyncio.get_running_loop().run_in_executor(self._thread, call)
        except RuntimeError as error:
            raise StoreUnavailableError(f"the store {self._path} is closed", hint="open it first") from error
        try:
            return await future
        except HindsightGraphError:
            raise
        except sqlite3.Error as error:
            raise translate(error, self._path) from error

    async def close(self) -> None:
        """Close the connection and end the thread."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._submit(connection.close)
        await asyncio.get_running_loop().run_in_executor(None, partial(self._thread.shutdown, wait=True))


def in_snapshot(work: Callable[[sqlite3.Connection], Result]) -> Callable[[sqlite3.Connection], Result]:
    """Make several reads see one state of the store."""

    def call(connection: sqlite3.Connection) -> Result:
        connection.execute("BEGIN")
        try:
            return work(connection)
        finally:
            connection.execute("ROLLBACK")

    return call


def in_transaction(connection: sqlite3.Connection, work: Callable[[], Result]) -> Result:
    """Run `work` as one write transaction: all of it, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work()
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result
