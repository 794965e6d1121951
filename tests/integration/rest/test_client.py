"""The client against a real application: the engine's verbs, models and errors. Writes happen once whatever is lost."""

import inspect
from collections.abc import AsyncIterator

import httpx
import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.api.rest import make_app
from hindsight_graph.client import AsyncClient, BlockingClientSession, Client, ClientSession
from hindsight_graph.client.jobs import ClientJobs
from hindsight_graph.client.learning import ClientLearning
from hindsight_graph.client.synchronous import BlockingClientJobs, BlockingClientLearning
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.errors import ConflictError, IdempotencyError, InputError, NotFoundError, ServiceError
from hindsight_graph.models.write import Unit
from hindsight_graph.pipelines.jobs import Jobs
from hindsight_graph.pipelines.learn.learning import Learning
from hindsight_graph.pipelines.session import SessionHandle


class Unreliable(httpx.AsyncBaseTransport):
    """Delivers every request, and loses as many answers as it is told to."""

    def __init__(self, inner: httpx.AsyncBaseTransport, losses: int) -> None:
        self.inner = inner
        self.losses = losses
        self.sent = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = await self.inner.handle_async_request(request)
        if self.losses > 0:
            self.losses -= 1
            raise httpx.ReadError("the connection broke", request=request)
        return answer


@pytest.fixture
def transport(engine: AsyncHindsightGraph) -> Unreliable:
    return Unreliable(httpx.ASGITransport(make_app(engine)), 0)


@pytest.fixture
async def client(transport: Unreliable) -> AsyncIterator[AsyncClient]:
    async def at_once(_: float) -> None: ...

    async with AsyncClient("http://localhost", transport=transport, pause=at_once) as opened:
        yield opened


NEEDS_THE_ENGINE = {"put_together", "reflect_on", "look_back", "decay", "check"}
"""What a service does by itself, or at the end of a session."""


def public(face: type) -> set[str]:
    return {name for name, value in vars(face).items() if not name.startswith("_") and callable(value)}


@pytest.mark.requirement("A-07")
def test_both_faces_of_the_client_have_the_verbs_of_the_engine() -> None:
    assert public(AsyncClient) == public(Client)
    assert public(AsyncClient) <= public(HindsightGraph)
    assert public(ClientSession) == public(BlockingClientSession)
    assert public(SessionHandle) - public(ClientSession) == {"compress"}
    assert all(inspect.getdoc(getattr(Client, name)) for name in public(Client))


@pytest.mark.requirement("A-03")
async def test_every_verb_gives_what_the_engine_gives(client: AsyncClient, engine: AsyncHindsightGraph) -> None:
    kept = (await client.remember("checkout depends on payment", relations=["checkout DEPENDS_ON payment"])).memories[0]
    uses = {"text": "payment uses Redis 7", "relations": ["payment USES Redis 7"]}
    await client.remember_many([uses, Unit(summary="Lea owns Redis 7", tags=("people",))])
    assert (await client.get(kept.id)) == await engine.get(kept.id)
    assert [hit.id for hit in (await client.recall("what does checkout need?", top_k=2)).results] == [
        hit.id for hit in (await engine.recall("what does checkout need?", top_k=2)).results
    ]
    assert await client.chain("checkout", max_hops=3) == await engine.chain("checkout", max_hops=3)
    assert await client.impact("Redis 7") == await engine.impact("Redis 7")
    assert await client.causes("checkout") == await engine.causes("checkout")
    assert await client.paths("Redis 7", "checkout") == await engine.paths("Redis 7", "checkout")
    assert await client.cycles() == await engine.cycles()
    assert await client.neighbours("payment") == await engine.neighbours("payment")
    assert await client.entity("Redis 7") == await engine.entity("Redis 7")
    assert (await client.list(limit=2)).rows == (await engine.list(limit=2)).rows
    assert (await client.entities(prefix="red")).rows == (await engine.entities(prefix="red")).rows
    assert (await client.episode(kept.episode_ids[0])) == await engine.episode(kept.episode_ids[0])
    changed = await client.update(kept.id, "checkout depends on billing", reason="moved")
    assert await client.history(kept.id) == await engine.history(kept.id)
    assert (await client.revert(kept.id)).summary == kept.summary
    assert [memory.status.value for memory in await client.forget([changed.id])] == ["archived"]
    assert (await client.status()).stats == (await engine.status()).stats
    merged = await client.merge_entities("payment", "Redis 7", force=True)
    assert (merged.name, (await client.split_entity("payment")).name) == ("Redis 7", "payment")


@pytest.mark.requirement("A-07")
def test_looking_back_and_jobs_have_the_verbs_of_the_engine_but_for_what_needs_a_worker() -> None:
    assert public(ClientLearning) == public(BlockingClientLearning) == public(Learning) - NEEDS_THE_ENGINE
    assert public(ClientJobs) == public(BlockingClientJobs) == public(Jobs) - {"enqueue", "work", "worker", "put_in_weekly"}


@pytest.mark.requirement("X-02")
@pytest.mark.requirement("X-07")
async def test_a_task_is_looked_back_on_and_a_strategy_reviewed_over_http(
    client: AsyncClient, engine: AsyncHindsightGraph
) -> None:
    failed = [
        {"role": "user", "content": "Refund order 1042"},
        {"role": "tool", "name": "process_refund", "content": "Error: status of order 17 not checked"},
    ]
    job = await client.learning.reflect(failed, task_type="refund")
    with pytest.raises(ConflictError):
        await client.learning.reflection(job.id)
    assert await client.learning.settle(job.id, 0) is None
    assert [each.id for each in (await client.jobs.list(states=["queued"])).rows] == [job.id]
    await engine.jobs.work()
    found = await client.learning.settle(job.id, 5)
    assert found is not None
    assert [draft.experience.outcome for draft in found.drafts] == ["failure"]
    worked = [
        {"role": "user", "content": "Refund order 1042"},
        {"role": "tool", "name": "get_order_status", "content": "delivered"},
        {"role": "tool", "name": "process_refund", "content": "ok"},
        {"role": "assistant", "content": "The refund is done."},
    ]
    await client.learning.reflect(worked, task_type="refund")
    await engine.jobs.work()
    told = await client.learning.record(context="refund of order 9", action="called process_refund", outcome="failure")
    assert told.memories[0].kind == "experience"
    await client.learning.consolidate(dry_run=True)
    assert await client.learning.queue() == await engine.learning.queue()
    (item,) = await client.learning.queue()
    assert (await client.learning.show(item.memory.id)) == item
    assert (await client.learning.approve(item.memory.id, reviewer="ann")).status == "active"
    receipt = await client.learning.feedback([item.memory.id], "success", task_id="t1")
    assert [one.memory_id for one in receipt.items] == [item.memory.id]
    assert (await client.learning.retire(item.memory.id, reviewer="ann", reason="moved")).status == "archived"


@pytest.mark.requirement("O-05")
async def test_a_job_is_cancelled_and_tried_again_over_http(client: AsyncClient) -> None:
    job = await client.learning.reflect([{"role": "user", "content": "Refund order 1042"}])
    assert (await client.jobs.cancel(job.id, reason="asked twice")).state == "cancelled"
    assert (await client.jobs.get(job.id)).state == "cancelled"
    assert (await client.jobs.retry(job.id)).state == "queued"


@pytest.mark.requirement("S-01")
@pytest.mark.requirement("S-02")
async def test_a_session_is_worked_on_over_http_as_in_process(client: AsyncClient, engine: AsyncHindsightGraph) -> None:
    session = client.session("s/1")
    with pytest.raises(NotFoundError):
        await session.state()
    await session.goal("Migrate the checkout")
    await session.constraint("Never touch production on Friday")
    await session.step("Copy the tables")
    await session.append({"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "psql", "arguments": '{"sql": "select 1"}'}}
    ]})  # fmt: skip
    state = await session.append("Error: relation does not exist", role="tool")
    assert state == await engine.session("s/1").state()
    assert (state.goal, state.current_step, state.turns) == ("Migrate the checkout", "Copy the tables", 2)
    text = await session.markdown(token_budget=200)
    assert "Never touch production on Friday" in text
    assert (await session.end()).ended_at is not None
    with pytest.raises(ConflictError):
        await session.goal("Another")


@pytest.mark.requirement("A-03")
async def test_a_write_whose_answer_was_lost_is_repeated_and_happens_once(client: AsyncClient, transport: Unreliable) -> None:
    kept = (await client.remember("The ledger runs on port 5433.")).memories[0]
    transport.sent, transport.losses = 0, 2
    changed = await client.update(kept.id, "The ledger runs on port 5434.")
    assert transport.sent == 3
    assert [version.id for version in await client.history(kept.id)] == [kept.id, changed.id]
    transport.losses = 1
    state = await client.session("s").append("hello there")
    assert state.turns == 1
    transport.losses = 1
    assert (await client.revert(kept.id)).version == 3
    assert len(await client.history(kept.id)) == 3


async def test_a_call_that_cannot_be_made_safe_to_repeat_is_not_repeated(client: AsyncClient, transport: Unreliable) -> None:
    await client.remember("checkout uses Redis", relations=["checkout USES Redis"])
    transport.sent, transport.losses = 0, 1
    with pytest.raises(ServiceError, match="the connection broke"):
        await client.merge_entities("checkout", "Redis", force=True)
    assert transport.sent == 1


async def test_the_errors_are_those_of_the_engine(client: AsyncClient) -> None:
    with pytest.raises(NotFoundError, match="no memory 0198"):
        await client.get("0198")
    with pytest.raises(InputError, match="profile"):
        await client.recall("x", profile="nonsense")
    with pytest.raises(InputError, match="there is no such field"):
        await client.recall("x", topk=3)
    await client.remember("The port is 1.", idempotency_key="one")
    with pytest.raises(IdempotencyError):
        await client.remember("The port is 2.", idempotency_key="one")


async def test_a_service_that_is_not_there_is_named_with_the_way_out(unused_tcp_port: int) -> None:
    async def at_once(_: float) -> None: ...

    async with AsyncClient(f"http://127.0.0.1:{unused_tcp_port}", pause=at_once, attempts=2) as client:
        with pytest.raises(ServiceError, match="hindsight-graph serve"):
            await client.status()
