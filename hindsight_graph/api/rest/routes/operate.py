"""Health, readiness, status: for whoever runs the service."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from hindsight_graph.api.rest.answers import Health, Readiness
from hindsight_graph.api.rest.caller import Reader, service_of
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.access import KeyScope
from hindsight_graph.models.status import Check, EngineStatus

router = APIRouter(tags=["operation"])
_WAIT_SECONDS = 2.0
"""How long one dependency may take to say that it is there."""
_NOT_READY: dict[int | str, dict[str, Any]] = {503: {"description": "Something it depends on is missing.", "model": Readiness}}


@router.get("/health", operation_id="health", response_model=Health)
async def health() -> Response:
    """Say that the service answers. Looks at nothing."""
    return reply(Health())


@router.get("/health/live", operation_id="live", response_model=Health)
async def live() -> Response:
    """Say that the process runs. Looks at nothing: a store that is away is no reason to restart it."""
    return reply(Health())


@router.get("/health/ready", operation_id="ready", response_model=Readiness, responses=_NOT_READY)
async def ready(request: Request) -> Response:
    """Ask everything the service depends on; 503 when something is missing."""
    memory = service_of(request).memory
    try:
        checks = await asyncio.wait_for(memory.ready(), _WAIT_SECONDS)
    except TimeoutError:
        checks = (Check(name="store", ok=False, detail=f"no answer within {_WAIT_SECONDS:g} s", fix="hindsight-graph doctor"),)
    fine = all(check.ok for check in checks)
    return reply(Readiness(status="ready" if fine else "not ready", checks=checks), 200 if fine else 503)


@router.get("/v1/status", operation_id="getStatus", response_model=EngineStatus, responses=problems())
async def status(caller: Reader) -> Response:
    """Return what the caller's tenant holds and what the service runs on; where it lies and its size are for admins."""
    found = await caller.memory.status()
    if caller.principal.may(KeyScope.ADMIN):
        return reply(found)
    hidden = {"store": found.store.model_copy(update={"location": ""}), "stats": found.stats.model_copy(update={"size_bytes": 0})}
    return reply(found.model_copy(update=hidden))
