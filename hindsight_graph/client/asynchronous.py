"""`AsyncClient`: the verbs of the engine, over HTTP."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from hindsight_graph.client.asking import Asker
from hindsight_graph.client.jobs import ClientJobs
from hindsight_graph.client.learning import ClientLearning
from hindsight_graph.client.sending import Call, Pause, Sender
from hindsight_graph.models.base import Model
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.episode import Episode, Message
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Page
from hindsight_graph.models.result import Answer, Chains, Hop, Receipt
from hindsight_graph.models.session import WorkingMemory
from hindsight_graph.models.status import EngineStatus
from hindsight_graph.models.summary import Summary
from hindsight_graph.models.write import Unit

LOCAL = "http://127.0.0.1:8712"
"""Where `hindsight-graph serve` listens when nothing else is said."""


class _Versions(Model):
    versions: tuple[Memory, ...]


class _Memories(Model):
    memories: tuple[Memory, ...]


class _Neighbours(Model):
    hops: tuple[Hop, ...]


class AsyncClient(Asker):
    """A memory in a running service, with the verbs, arguments, models and errors of `AsyncHindsightGraph`.

    Args:
        base_url: Where the service is.
        api_key: The key that says which tenant, and what is allowed; none for a keyless service on this machine.
        agent_id: On whose behalf calls are made that name no agent.
        timeout: Seconds one attempt may take.
        attempts: How often one request is sent at most; writes carry an idempotency key, so that they happen once.
        transport: How requests travel; for tests and proxies. pause: waits so many seconds between two attempts.

    Use it as `async with AsyncClient() as memory:`, or call `close`.
    """

    def __init__(
        self,
        base_url: str = LOCAL,
        *,
        api_key: str | None = None,
        agent_id: str | None = None,
        timeout: float = 10.0,
        attempts: int = 4,
        transport: httpx.AsyncBaseTransport | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """Build it; connects at the first call."""
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        http = httpx.AsyncClient(base_url=base_url, headers=headers, timeout=timeout, transport=transport)
        super().__init__(Sender(http, max(1, attempts), pause), agent_id)

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        await self._sender.http.aclose()

    def acting_for(self, *, agent_id: str | None = None) -> Self:
        """Return the same client on behalf of another agent; only the original is to be closed."""
        twin = copy(self)
        Asker.__init__(twin, self._sender, agent_id or self._agent)
        return twin

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def remember(self, text: str, *, idempotency_key: str | None = None, **fields: Any) -> Receipt:
        """Remember one statement; `fields` are those of `AsyncHindsightGraph.remember`."""
        return await self._write(Receipt, "/v1/memories", {"text": text, **fields}, idempotency_key)

    async def remember_many(self, units: Iterable[Unit | Mapping[str, Any]], *, idempotency_key: str | None = None) -> Receipt:
        """Remember many units, in order, at most 200; mappings take the keys of `remember` with `text`."""
        return await self._write(Receipt, "/v1/memories/batch", {"memories": [_unit(unit) for unit in units]}, idempotency_key)

    async def retain(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        origin: str | None = None,
        defer: bool = False,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Keep a conversation; with `defer` the learning is a job, which the receipt names."""
        body = {
            "messages": list(messages),
            "session_id": session_id,
            "agent_id": agent_id,
            "origin": origin,
            "defer": defer,
        }
        return await self._write(Receipt, "/v1/conversations", body, idempotency_key)

    async def recall(self, query: str, **filters: Any) -> Answer:
        """Find memories for a question; `filters` are those of `AsyncHindsightGraph.recall`."""
        return await self._ask(Answer, "POST", "/v1/search", body={"query": query, **filters})

    async def chain(self, name: str, **bounds: Any) -> Chains:
        """Follow relations from a thing; `bounds` are those of `AsyncHindsightGraph.chain`."""
        return await self._ask(Chains, "GET", "/v1/chains", query={"start": name, **bounds})

    async def impact(self, name: str, **bounds: Any) -> Chains:
        """What breaks if this changes."""
        return await self._ask(Chains, "GET", "/v1/impact", query={"name": name, **bounds})

    async def causes(self, name: str, **bounds: Any) -> Chains:
        """Why this happened."""
        return await self._ask(Chains, "GET", "/v1/causes", query={"name": name, **bounds})

    async def paths(self, first: str, second: str, **bounds: Any) -> Chains:
        """What connects two things."""
        return await self._ask(Chains, "GET", "/v1/paths", query={"first": first, "second": second, **bounds})

    async def cycles(self, *, relations: Iterable[str] = ("DEPENDS_ON",), agent_id: str | None = None) -> Chains:
        """Which relations go round."""
        return await self._ask(Chains, "GET", "/v1/cycles", query={"relations": list(relations), "agent_id": agent_id})

    async def neighbours(self, name: str, *, limit: int = 50, agent_id: str | None = None) -> tuple[Hop, ...]:
        """Return the relations at a thing, both ways, newest first."""
        path = f"/v1/entities/{quote(name, safe='')}/neighbours"
        return (await self._ask(_Neighbours, "GET", path, query={"limit": limit, "agent_id": agent_id})).hops

    async def update(
        self, memory_id: str, text: str | None = None, *, idempotency_key: str | None = None, **change: Any
    ) -> Memory:
        """Supersede, invalidate, or change the confidence of a memory; `change` as in `AsyncHindsightGraph.update`."""
        path = f"/v1/memories/{quote(memory_id, safe='')}"
        return await self._write(Memory, path, {"text": text, **change}, idempotency_key, method="PATCH")

    async def history(self, memory_id: str, *, agent_id: str | None = None) -> tuple[Memory, ...]:
        """Return every version of a memory, oldest first."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/history"
        return (await self._ask(_Versions, "GET", path, query={"agent_id": agent_id})).versions

    async def revert(
        self,
        memory_id: str,
        *,
        mode: str = "correct",
        reason: str = "",
        agent_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Make an earlier version current again, as a new version."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/revert"
        return await self._write(Memory, path, {"mode": mode, "reason": reason, "agent_id": agent_id}, idempotency_key)

    async def forget(self, ids: str | Iterable[str], *, reason: str = "", agent_id: str | None = None) -> tuple[Memory, ...]:
        """Archive memories: kept, not recalled unless asked for."""
        wanted = [ids] if isinstance(ids, str) else list(ids)
        body = {"ids": wanted, "reason": reason, "agent_id": agent_id}
        return (await self._ask(_Memories, "POST", "/v1/memories/forget", body=body)).memories

    async def get(self, memory_id: str, *, agent_id: str | None = None) -> Memory:
        """Return one memory in any state."""
        return await self._ask(Memory, "GET", f"/v1/memories/{quote(memory_id, safe='')}", query={"agent_id": agent_id})

    async def episode(self, episode_id: str, *, agent_id: str | None = None) -> Episode:
        """Return one episode, the evidence of memories."""
        return await self._ask(Episode, "GET", f"/v1/episodes/{quote(episode_id, safe='')}", query={"agent_id": agent_id})

    async def list(self, **filters: Any) -> Page[Memory]:
        """List memories; `filters` are those of `AsyncHindsightGraph.list`, at most 200 a page."""
        return await self._ask(Page[Memory], "GET", "/v1/memories", query=filters)

    async def entities(
        self, *, prefix: str = "", cursor: str | None = None, limit: int = 100, agent_id: str | None = None
    ) -> Page[Entity]:
        """List entities by name, at most 200 a page."""
        query = {"prefix": prefix, "cursor": cursor, "limit": limit, "agent_id": agent_id}
        return await self._ask(Page[Entity], "GET", "/v1/entities", query=query)

    async def entity(self, name: str, *, agent_id: str | None = None) -> Entity:
        """Return the entity with this id, name or alias."""
        return await self._ask(Entity, "GET", f"/v1/entities/{quote(name, safe='')}", query={"agent_id": agent_id})

    async def merge_entities(
        self, source: str, target: str, *, reason: str = "", force: bool = False, agent_id: str | None = None
    ) -> Entity:
        """Make `source` stand for `target`."""
        body = {"source": source, "target": target, "reason": reason, "force": force, "agent_id": agent_id}
        return await self._ask(Entity, "POST", "/v1/entities/merge", body=body, repeatable=False)

    async def split_entity(self, name: str, *, reason: str = "", agent_id: str | None = None) -> Entity:
        """Undo a merge."""
        body = {"name": name, "reason": reason, "agent_id": agent_id}
        return await self._ask(Entity, "POST", "/v1/entities/split", body=body, repeatable=False)

    async def summarize(self, **what: Any) -> Summary:
        """Sum up a time window, a session or a thing; `what` as in `AsyncHindsightGraph.summarize`."""
        return await self._ask(Summary, "POST", "/v1/summaries", body=what)

    def session(self, session_id: str, *, agent_id: str | None = None) -> "ClientSession":
        """Return the working memory of a session."""
        return ClientSession(self._sender, session_id, agent_id or self._agent)

    @property
    def learning(self) -> ClientLearning:
        """Looking back: reflect, record, feed back, and the review of what was learned."""
        return ClientLearning(self._sender, self._agent)

    @property
    def jobs(self) -> ClientJobs:
        """Durable jobs: look at, cancel, try again."""
        return ClientJobs(self._sender, self._agent)

    async def status(self) -> EngineStatus:
        """Return what the memory holds and what it runs on."""
        return await self._ask(EngineStatus, "GET", "/v1/status", agent=False)


class ClientSession:
    """One session's working memory in a running service; see `SessionHandle`."""

    def __init__(self, sender: Sender, session_id: str, agent_id: str | None) -> None:
        self._sender = sender
        self._agent = agent_id
        self.session_id = session_id
        self._path = f"/v1/sessions/{quote(session_id, safe='')}"

    async def state(self) -> WorkingMemory:
        """Return the stored state; raises NotFoundError before the first change."""
        return await self._send(Call("GET", self._path, query={"agent_id": self._agent}))

    async def markdown(self, token_budget: int | None = None) -> str:
        """Return the state as a Markdown list with bold keys, within the budget."""
        query = {"token_budget": token_budget, "agent_id": self._agent}
        return (await self._sender.send(Call("GET", f"{self._path}/markdown", query=query))).text

    async def goal(self, text: str) -> WorkingMemory:
        """Set what the session is for."""
        return await self._put({"goal": text})

    async def constraint(self, text: str) -> WorkingMemory:
        """Add a constraint."""
        return await self._put({"constraints": [text]})

    async def step(self, text: str | None = None) -> WorkingMemory:
        """Finish the current step and start the next; None only finishes."""
        return await self._put({"current_step": text or ""})

    async def append(self, message: Message | Mapping[str, Any] | str, role: str = "user") -> WorkingMemory:
        """Add one interaction."""
        return await self.extend([{"role": role, "content": message} if isinstance(message, str) else message])

    async def extend(
        self, messages: Sequence[Message | Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> WorkingMemory:
        """Add interactions, all in one change, at most 50."""
        body = {"messages": list(messages), "agent_id": self._agent}
        return await self._send(Call("POST", f"{self._path}/messages", body, repeatable=False, once=True, key=idempotency_key))

    async def end(self, *, extract: bool = True, reflect: bool | None = None) -> WorkingMemory:
        """End the session; with `extract` what its window holds goes to long-term memory first.

        `reflect` looks back on it or does not; the service's policy decides when it is absent.
        """
        body = {"extract": extract, "reflect": reflect, "agent_id": self._agent}
        return await self._send(Call("POST", f"{self._path}/end", body, repeatable=False))

    async def _put(self, change: Mapping[str, Any]) -> WorkingMemory:
        return await self._send(Call("PUT", self._path, {**change, "agent_id": self._agent}))

    async def _send(self, call: Call) -> WorkingMemory:
        return WorkingMemory.model_validate_json((await self._sender.send(call)).content)


def _unit(unit: Unit | Mapping[str, Any]) -> dict[str, Any]:
    fields = unit.model_dump(mode="json", exclude_unset=True) if isinstance(unit, Unit) else dict(unit)
    if "summary" in fields:
        fields.setdefault("text", fields.pop("summary"))
    return fields
