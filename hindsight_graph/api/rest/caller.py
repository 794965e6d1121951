"""Who calls: the verified principal of a request, and the engine acting for it."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from hindsight_graph.api.problem import FieldProblem, Problem, make_problem
from hindsight_graph.api.rest.cursors import Cursors
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.llm.base import RAW_KEY
from hindsight_graph.models.access import PRINCIPAL, KeyScope, Principal
from hindsight_graph.models.record import Job


class ProblemRaisedError(Exception):
    """A problem that only HTTP knows; everything else is raised from the one error tree."""

    def __init__(self, code: str, detail: str, hint: str = "", errors: tuple[FieldProblem, ...] = ()) -> None:
        super().__init__(detail)
        self.problem: Problem = make_problem(code, detail, hint, errors)


@dataclass(frozen=True, slots=True)
class Service:
    """What every request of one application shares.

    Attributes:
        memory: The open engine. cursors: signs and reads cursors.
        in_flight: (tenant, agent, idempotency key) of requests being worked on.
    """

    memory: AsyncHindsightGraph
    cursors: Cursors
    in_flight: set[tuple[str, str | None, str]] = field(default_factory=set[tuple[str, str | None, str]])


@dataclass(frozen=True, slots=True)
class Caller:
    """One request's caller.

    Attributes:
        memory: The engine acting for it.
    """

    service: Service
    principal: Principal
    memory: AsyncHindsightGraph

    def acting(self, agent_id: str | None) -> AsyncHindsightGraph:
        """Return the engine acting for an agent the request names; a key bound to another agent may not."""
        own = self.principal.agent_id
        if agent_id is None or agent_id == own:
            return self.memory
        if own is not None:
            raise ProblemRaisedError(
                "forbidden",
                f"this key is bound to agent {own!r}, not {agent_id!r}",
                "leave agent_id out, or use that agent's key",
            )
        return self.memory.acting_for(agent_id=agent_id)

    def shown(self, job: Job) -> Job:
        """Return a job as this caller may see it: a model's raw words are for administrators (promise T-07)."""
        if RAW_KEY not in job.result or self.principal.may(KeyScope.ADMIN):
            return job
        return job.model_copy(update={"result": {name: value for name, value in job.result.items() if name != RAW_KEY}})

    def sign(self, cursor: str | None) -> str | None:
        """Return an engine's cursor signed for this caller; None stays None."""
        return self.service.cursors.sign(cursor, self.principal.tenant)

    def unsign(self, cursor: str | None) -> str | None:
        """Return the engine's cursor; raises CursorError for one that was not signed for this caller."""
        return self.service.cursors.unsign(cursor, self.principal.tenant)

    @contextmanager
    def once(self, key: str | None, agent_id: str | None = None) -> Generator[None]:
        """Hold an idempotency key while its request is worked on; a second one meanwhile is a 409."""
        if key is None:
            yield
            return
        mark = (self.principal.tenant, agent_id or self.principal.agent_id, key)
        if mark in self.service.in_flight:
            raise ProblemRaisedError(
                "idempotency-in-flight", f"a request with the idempotency key {key!r} is being worked on", "wait, then repeat it"
            )
        self.service.in_flight.add(mark)
        try:
            yield
        finally:
            self.service.in_flight.discard(mark)


def service_of(request: Request) -> Service:
    """Return what the request's application was made with."""
    return cast("Service", request.app.state.service)


def needs(scope: KeyScope) -> Callable[[Request], Awaitable[Caller]]:
    """Return a dependency that gives the caller, and refuses one whose key lacks `scope`."""

    async def caller(request: Request) -> Caller:
        service = service_of(request)
        principal = request.scope.get(PRINCIPAL)
        if principal is None:
            return Caller(service, service.memory.principal, service.memory)
        if not principal.may(scope):
            held = ", ".join(sorted(principal.scopes)) or "none"
            raise ProblemRaisedError(
                "forbidden", f"this key lacks the scope {scope.value!r}; it has {held}", "use a key made with that scope"
            )
        memory = service.memory.acting_for(tenant=principal.tenant, agent_id=principal.agent_id)
        return Caller(service, principal, memory)

    return caller


Reader = Annotated[Caller, Depends(needs(KeyScope.READ))]
"""A caller that may read."""
Writer = Annotated[Caller, Depends(needs(KeyScope.WRITE))]
"""A caller that may write."""
Reviewer = Annotated[Caller, Depends(needs(KeyScope.REVIEW))]
"""A caller that may decide about what was learned."""
