"""What happens when the server, the network or another writer gets in the way."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import LiteralString, cast

import numpy as np
import pytest

from hindsight_graph.errors import SchemaError, StoreUnavailableError
from hindsight_graph.models.enums import RelationType
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import EmbeddingModel, IdempotencyRecord
from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.stores.neo4j.connection import Limits
from hindsight_graph.testing.builders import a_statement, a_view
from hindsight_graph.testing.neo4j_server import REUSED, VERSIONS, Neo4jServer, Neo4jServers
from hindsight_graph.testing.old_bolt import old_server

HERE = Scope()
QUICK = Limits(connect=1.0, call=3.0, retry=2.0)
COMMIT = bytes.fromhex("0002b0120000")
ADDS = b"CREATE (:Operation"
PASSWORD = "correct horse"
Cut = Callable[[bytes, asyncio.StreamWriter], Awaitable[bool]]


@asynccontextmanager
async def proxy(url: str, cut: Cut) -> AsyncGenerator[str]:
    """Relay to a server; `cut` sees what clients send, with the way to the server, and says when to break the connection."""
    host, port = url.split("://")[1].split(":")
    tasks: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def relay(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ways: list[asyncio.StreamWriter], *, watch: bool
    ) -> None:
        while data := await reader.read(65_536):
            if watch and await cut(data, writer):
                break
            writer.write(data)
        for way in ways:
            way.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        ways = [writer, far_writer]
        writers.extend(ways)
        for task in (
            asyncio.create_task(relay(reader, far_writer, ways, watch=True)),
            asyncio.create_task(relay(far_reader, writer, ways, watch=False)),
        ):
            tasks.add(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        for writer in writers:
            writer.close()
        await asyncio.gather(*tasks, *(writer.wait_closed() for writer in writers), return_exceptions=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("is_committed", [True, False], ids=["the commit arrived", "the commit was lost"])
@pytest.mark.parametrize("has_key", [True, False], ids=["in a transaction", "in one exchange"])
async def test_a_write_whose_answer_is_lost_happens_once(empty: Neo4jServer, is_committed: bool, has_key: bool) -> None:
    armed = [False]
    batch = a_statement("A", RelationType.USES, "B")
    if has_key:
        batch = batch.model_copy(update={"idempotency": IdempotencyRecord(key="once", request_hash="r")})

    async def cut(data: bytes, server: asyncio.StreamWriter) -> bool:
        if not armed[0] or (COMMIT if has_key else ADDS) not in data:
            return False
        armed[0] = False
        if is_committed:
            server.write(data)
            await server.drain()
            while not (await empty.run("MATCH (o:Operation) RETURN count(o) AS count"))[0]["count"]:
                pass
        return True

    async with proxy(empty.url, cut) as url:
        store = Neo4jStore(url, limits=Limits(connect=5.0, call=90.0, retry=60.0))
        await store.open()
        armed[0] = True
        await store.write(HERE, batch)
        assert not armed[0]
        assert [row.id for row in (await store.scan_memories(HERE, Filter(view=a_view()))).rows] == ["m-A-USES-B"]
        assert (await empty.run("MATCH (o:Operation) RETURN count(o) AS count")) == [{"count": 1}]
        assert (await store.stats(HERE)).edges == 3
        assert await store.check() == ()
        await store.close()


async def test_a_connection_that_stalls_is_given_up_in_time(empty: Neo4jServer) -> None:
    stalled = [False]

    async def cut(data: bytes, server: asyncio.StreamWriter) -> bool:
        del data, server
        while stalled[0]:
            await asyncio.Event().wait()
        return False

    async with proxy(empty.url, cut) as url:
        store = Neo4jStore(url, limits=QUICK)
        await store.open()
        stalled[0] = True
        began = asyncio.get_running_loop().time()
        with pytest.raises(StoreUnavailableError, match=r"did not answer within 3 s|cannot be reached"):
            await store.stats(HERE)
        assert asyncio.get_running_loop().time() - began < 5
        stalled[0] = False
        await store.close()


async def test_a_server_that_is_not_there_is_said_with_the_way_to_start_one(unused_tcp_port: int) -> None:
    store = Neo4jStore(f"bolt://127.0.0.1:{unused_tcp_port}", limits=QUICK)
    with pytest.raises(StoreUnavailableError, match=r"cannot be reached.*neo4j_local.py start"):
        await store.open()


async def test_a_routing_address_reads_what_it_wrote(empty: Neo4jServer) -> None:
    store = Neo4jStore(empty.url.replace("bolt://", "neo4j://"))
    await store.open()
    for number in range(10):
        batch = a_statement("A", RelationType.USES, "B", name=f"n{number}")
        await store.write(HERE, batch)
        assert len(await store.get_memories(HERE, [batch.memories[0].memory.id])) == 1
    await store.close()


async def test_a_database_that_is_not_there_is_said(empty: Neo4jServer) -> None:
    with pytest.raises(StoreUnavailableError, match="has no database 'nothing'"):
        await Neo4jStore(f"{empty.url}/nothing", limits=QUICK).open()


async def test_a_server_of_an_old_version_is_refused_with_the_version_that_is_needed() -> None:
    async with old_server() as url:
        with pytest.raises(SchemaError, match=r"old version .*Bolt Protocol 4\.4.* this store needs 5\.26 or newer"):
            await Neo4jStore(url, limits=QUICK).open()


@pytest.mark.timeout(300)
async def test_an_index_that_is_still_being_filled_is_said_and_waited_for(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.open()
    await store.record_model(EmbeddingModel(name="filling", dimension=256))
    await store.close()
    chance = np.random.default_rng(5)
    vectors = chance.normal(size=(4_000, 256)).astype(np.float32)
    async with empty.connected() as run:
        await run("DROP INDEX memory_embedding_a")
        rows = [{"id": f"m{number}", "vector": vector.tolist()} for number, vector in enumerate(vectors)]
        await run(
            "UNWIND $rows AS row CREATE (:Memory:Node {tenant: 'full', id: row.id, embedding_a: row.vector, trust: 0.9})",
            rows=rows,
        )
    with pytest.raises(StoreUnavailableError, match=r"still filling its indexes after 0 s: memory_embedding_a \(\d+ %\)"):
        await empty.store(limits=Limits(index=0)).open()
    await store.open()
    assert all(check.ok for check in await store.diagnose())
    await store.close()


async def test_the_doctor_names_what_is_wrong_with_a_server_and_what_mends_it(empty: Neo4jServer) -> None:
    store = empty.store(wall=lambda: 0.0)
    await store.open()
    await store.record_model(EmbeddingModel(name="any", dimension=8))
    async with empty.connected() as run:
        await run("DROP INDEX memory_root")
        found = {check.name: check for check in await store.diagnose()}
        await run(cast("LiteralString", found["indexes"].fix))
        await run("CALL db.awaitIndexes(60)")
    assert {name: check.ok for name, check in found.items()} == {
        "server": True, "schema": True, "indexes": False, "clock": False,
    }  # fmt: skip
    assert re.match(r"Neo4j [\d.]+ community at bolt://127.0.0.1:\d+ answers in \d+ ms", found["server"].detail)
    assert found["indexes"].detail == "index memory_root is missing"
    assert "ahead of ours" in found["clock"].detail
    assert found["clock"].fix == "timedatectl set-ntp true, on both machines"
    await store.close()
    store = empty.store()
    await store.open()
    assert all(check.ok for check in await store.diagnose())
    await store.close()


@pytest.mark.timeout(300)
async def test_eight_writers_on_the_same_things_lose_and_double_nothing(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.open()
    names = ["alpha", "beta", "gamma", "delta"]

    async def write(writer: int) -> None:
        for number in range(10):
            ends = names[(writer + number) % 4], names[(writer * 3 + number + 1) % 4]
            batch = a_statement(ends[0], RelationType.DEPENDS_ON, ends[1], name=f"{writer}-{number}")
            await store.write(HERE, batch)

    await asyncio.gather(*(write(writer) for writer in range(8)))
    counts = await store.stats(HERE)
    assert (counts.memories, counts.entities, counts.edges) == (80, 4, 240)
    assert await store.check() == ()
    await store.close()


@pytest.fixture(params=VERSIONS)
def own(request: pytest.FixtureRequest, tmp_path: Path, servers: Neo4jServers) -> Iterator[tuple[str, Path]]:
    """A version, and the folder for a server of it with a password, to start and kill."""
    yield request.param, tmp_path
    servers.script("stop", request.param, tmp_path)


@pytest.mark.skipif(REUSED is not None, reason="a reused server is not killed")
@pytest.mark.timeout(300)
async def test_a_killed_server_loses_and_doubles_nothing_and_a_wrong_password_is_said(
    servers: Neo4jServers, own: tuple[str, Path]
) -> None:
    version, home = own
    url = servers.start(version, home, "--password", PASSWORD)
    with pytest.raises(StoreUnavailableError, match="HINDSIGHT_GRAPH_NEO4J_PASSWORD"):
        await Neo4jStore(url, "wrong", limits=QUICK).open()
    store = Neo4jStore(url, PASSWORD, limits=Limits(connect=5.0, call=200.0, retry=150.0))
    await store.open()
    acknowledged: list[str] = []
    killed, is_back = asyncio.Event(), asyncio.Event()

    async def write(writer: int) -> None:
        after = 0
        while after < 5:
            batch = a_statement("A", RelationType.USES, "B", name=f"{writer}-{len(acknowledged)}")
            began_after = is_back.is_set()
            await store.write(HERE, batch)
            acknowledged.append(batch.memories[0].memory.id)
            after += began_after
            if len(acknowledged) == 20:
                killed.set()

    writing = asyncio.gather(write(1), write(2))
    await killed.wait()
    await asyncio.to_thread(servers.script, "kill", version, home)
    port = url.rsplit(":", 1)[1]
    await asyncio.to_thread(servers.start, version, home, "--password", PASSWORD, "--bolt", port)
    is_back.set()
    await writing
    found = (await store.scan_memories(HERE, Filter(view=a_view()), limit=10_000)).rows
    assert sorted(memory.id for memory in found) == sorted(acknowledged)
    assert len(acknowledged) >= 30
    assert await store.check() == ()
    await store.close()
