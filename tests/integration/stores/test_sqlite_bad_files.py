"""Every way a file cannot be a store has a clear error, and nothing is half written."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_graph.errors import SchemaError, StoreCorruptError, StoreError, StoreUnavailableError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.stores.sqlite.connection import network_file_system
from hindsight_graph.stores.sqlite.schema import SCHEMA_VERSION
from hindsight_graph.testing.builders import a_memory, new


async def fill(path: Path, count: int = 3) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.write(Scope(), WriteBatch(memories=tuple(new(a_memory(str(number))) for number in range(count))))
    await store.close()


async def refusal(path: Path, **options: object) -> StoreError:
    store = SqliteStore(path, **options)  # pyright: ignore[reportArgumentType]
    with pytest.raises(StoreError) as caught:
        await store.open()
    await store.close()
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return caught.value


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def let_others_in(folder: Path) -> None:
    """Let an ordinary user reach this folder of pytest's."""
    for made in (folder, *folder.parents):
        if made.name.startswith(("pytest-", "popen-", "test_")):
            made.chmod(0o755)


def run_apart(code: str, *arguments: str) -> str:
    """Run code in a process of its own; return what it printed."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_directory_is_refused(tmp_path: Path):
    assert "is a directory" in (await refusal(tmp_path)).message


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, not a database\n" * 200)
    error = await refusal(path)
    assert isinstance(error, StoreCorruptError)
    assert "not a SQLite database" in error.message
    assert path.read_text().startswith("these are my notes")


async def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    error = await refusal(path)
    assert isinstance(error, SchemaError)
    assert "another program" in error.message
    connection = sqlite3.connect(path)
    assert [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")] == ["theirs"]
    connection.close()


async def test_a_store_made_by_a_newer_version_is_refused(tmp_path: Path):
    path = tmp_path / "memory.db"
    await fill(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    error = await refusal(path)
    assert isinstance(error, SchemaError)
    assert f"schema version {SCHEMA_VERSION + 1}" in error.message
    assert f"up to {SCHEMA_VERSION}" in error.message


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
async def test_a_network_file_system_is_refused(tmp_path: Path, kind: str):
    mounts = f"/dev/vda / ext4 rw 0 0\nserver:/share {tmp_path.parent} {kind} rw 0 0\n"
    error = await refusal(tmp_path / "memory.db", mounts=lambda: mounts)
    assert f"network file system ({kind})" in error.message
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/data/a/b.db", None), ("/data/net/b.db", "nfs"), ("/data/net/local/b.db", None), ("/data/network/b.db", None),
        ("/my share/b.db", "cifs"),
    ],
)  # fmt: skip
def test_the_innermost_mount_decides(path: str, expected: str | None):
    mounts = (
        "/dev/vda / ext4 rw 0 0\nhost:/x /data/net nfs rw 0 0\n"
        "/dev/vdb /data/net/local xfs rw 0 0\n//h/s /my\\040share cifs rw 0 0\nx"
    )
    assert network_file_system(Path(path), mounts) == expected


async def test_a_locked_store_says_so_after_the_wait(tmp_path: Path):
    path = tmp_path / "memory.db"
    await fill(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store = SqliteStore(path, busy_timeout=0.05)
    await store.open()
    with pytest.raises(StoreUnavailableError, match="locked by another writer") as caught:
        await store.write(Scope(), WriteBatch(memories=(new(a_memory("late")),)))
    assert str(path) in caught.value.message
    assert (await store.stats(Scope())).memories == 3
    holder.execute("ROLLBACK")
    holder.close()
    await store.write(Scope(), WriteBatch(memories=(new(a_memory("late")),)))
    assert (await store.stats(Scope())).memories == 4
    await store.close()


OPEN = """
import asyncio, os, sys
from hindsight_graph.errors import StoreUnavailableError
from hindsight_graph.stores.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
if os.geteuid() == 0:  # modes do not bind the administrator
    os.setgid(65534)
    os.setuid(65534)
try:
    asyncio.run(store.open())
except StoreUnavailableError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["file", "folder"])
async def test_what_may_not_be_written_is_refused(tmp_path: Path, what: str):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "memory.db"
    await fill(path)
    let_others_in(tmp_path)
    path.chmod(0o444 if what == "file" else 0o666)
    folder.chmod(0o777 if what == "file" else 0o555)
    said = run_apart(OPEN, str(path))
    folder.chmod(0o755)
    expected = "cannot be opened for writing" if what == "file" else f"the folder {folder} is not writable"
    assert expected in said


FILL_UP = """
import asyncio, resource, signal, sys
from hindsight_graph.errors import StoreUnavailableError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import a_memory, new

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore(sys.argv[1])
    await store.open()
    limit = 1_000_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    written = 0
    try:
        for number in range(1000):
            rows = tuple(new(a_memory(f"{number}-{n}", context="x" * 2000)) for n in range(50))
            await store.write(Scope(), WriteBatch(memories=rows))
            written += 50
    except StoreUnavailableError as error:
        print(error.hint)
    print(written, (await store.stats(Scope())).memories, await store.check())
    await store.close()

asyncio.run(main())
"""


async def test_a_full_disk_is_said_and_leaves_only_whole_batches(tmp_path: Path):
    path = tmp_path / "memory.db"
    hint, counts = run_apart(FILL_UP, str(path)).splitlines()
    assert "space" in hint
    written, stored, findings = counts.split(" ", 2)
    assert written == stored
    assert findings == "()"
    store = SqliteStore(path)
    await store.open()
    assert (await store.stats(Scope())).memories == int(written)
    assert await store.check() == ()
    await store.close()


async def test_a_closed_store_says_so(tmp_path: Path):
    store = SqliteStore(tmp_path / "memory.db")
    with pytest.raises(StoreUnavailableError, match="not open"):
        await store.stats(Scope())
    await store.open()
    await store.close()
    with pytest.raises(StoreUnavailableError, match="not open"):
        await store.write(Scope(), WriteBatch())


async def test_a_dry_run_says_what_would_be_done_and_does_nothing(tmp_path: Path):
    path = tmp_path / "new" / "memory.db"
    report = await SqliteStore(path).migrate(dry_run=True)
    assert (report.before, report.after, report.applied) == (0, SCHEMA_VERSION, False)
    assert report.steps[0] == "1: create all tables"
    assert names_in(tmp_path) == []
    await fill(path)
    report = await SqliteStore(path).migrate()
    assert (report.before, report.after, report.steps) == (SCHEMA_VERSION, SCHEMA_VERSION, ())


async def test_ten_stores_may_open_one_new_file_at_once(tmp_path: Path):
    stores = [SqliteStore(tmp_path / "memory.db") for _ in range(10)]
    await asyncio.gather(*(store.open() for store in stores))
    await asyncio.gather(
        *(store.write(Scope(), WriteBatch(memories=(new(a_memory(str(n))),))) for n, store in enumerate(stores))
    )  # fmt: skip
    assert {(await store.stats(Scope())).memories for store in stores} == {10}
    for store in stores:
        await store.close()


async def test_a_cancelled_write_is_whole_or_not_there(tmp_path: Path):
    store = SqliteStore(tmp_path / "memory.db")
    await store.open()
    rows = tuple(new(a_memory(str(number))) for number in range(200))
    task = asyncio.create_task(store.write(Scope(), WriteBatch(memories=rows)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await store.stats(Scope())).memories in (0, 200)
    await store.write(Scope(), WriteBatch(memories=rows))
    assert (await store.stats(Scope())).memories == 200
    assert await store.check() == ()
    await store.close()


async def test_the_check_names_what_does_not_agree(tmp_path: Path):
    path = tmp_path / "memory.db"
    await fill(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE memories SET status = 'archived' WHERE id = 'm-1'")
    connection.execute("INSERT INTO memory_tags VALUES ('default', 'ghost', 2)")
    connection.commit()
    connection.close()
    store = SqliteStore(path)
    await store.open()
    findings = await store.check()
    await store.close()
    assert findings == (
        "1 memories with tags in the index that they do not have, the first: m-2 (tenant default)",
        "1 memories whose packed values differ from their columns, the first: m-1",
    )
