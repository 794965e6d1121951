"""The application factory: an open engine in, a FastAPI application out. Access control is put around it, not into it."""

import secrets
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.types import Lifespan

from hindsight_graph.api.problem import Problem
from hindsight_graph.api.rest.caller import Service
from hindsight_graph.api.rest.cursors import Cursors
from hindsight_graph.api.rest.handlers import add_handlers
from hindsight_graph.api.rest.routes import (
    compatibility,
    entities,
    episodes,
    graph,
    jobs,
    learning,
    memories,
    operate,
    review,
    search,
    sessions,
    summaries,
)
from hindsight_graph.engine import AsyncHindsightGraph

TITLE = "hindsight_graph"
DESCRIPTION = """A memory for agents over HTTP: keep what happened, recall it with reasons, follow what depends on what.

Errors are problems as RFC 9457 has them, with a stable `code`. Writes take an `Idempotency-Key`. Lists give a signed `cursor`.
Answers that fell short of time say so: `degraded` with `reasons`, and status 200."""
_TAGS = [
    {"name": "memories", "description": "What is remembered: statements, each with versions and a source."},
    {"name": "search", "description": "Questions."},
    {"name": "graph", "description": "Multi-hop questions: whole paths, with a source memory per hop."},
    {"name": "entities", "description": "What memories are about."},
    {"name": "episodes", "description": "What was said and done, word for word."},
    {"name": "sessions", "description": "Working memory of a running session."},
    {"name": "learning", "description": "Experiences, what is learned from them, and a person's decisions about it."},
    {"name": "jobs", "description": "Long work that was promised with 202."},
    {"name": "operation", "description": "Health and status."},
    {"name": "compatibility", "description": "Plain endpoints for callers that know other memory services."},
]
_ROUTERS = (
    *(part.router for part in (memories, search, summaries, graph, entities, episodes, sessions)),
    *(part.router for part in (learning, review, jobs, operate, compatibility)),
    compatibility.plain,
)


def make_app(
    memory: AsyncHindsightGraph, *, cursor_key: bytes | None = None, lifespan: Lifespan[FastAPI] | None = None
) -> FastAPI:
    """Return the HTTP face of an engine.

    Args:
        memory: The engine; open by the time the first request comes (or opened in `lifespan`).
        cursor_key: Secret that signs cursors, at least 16 bytes; servers that share callers share it. A new one when absent:
            cursors then end with this application.
        lifespan: What runs around the application's life.

    The access middleware leaves a `Principal` in the ASGI scope under `hindsight_graph.principal`. Without one a request acts
    for the engine's own tenant and agent and may do everything.
    """
    app = FastAPI(
        title=TITLE,
        description=DESCRIPTION,
        version=version("hindsight-graph"),
        openapi_tags=_TAGS,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service = Service(memory, Cursors(cursor_key or secrets.token_bytes(32)))
    add_handlers(app)
    for router in _ROUTERS:
        app.include_router(router)
    app.openapi = lambda: _openapi(app)
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with the schema of problems and the ways to show a key."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            tags=app.openapi_tags,
            routes=app.routes,
        )
        parts = document.setdefault("components", {})
        defined = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        parts["schemas"].update({**defined.pop("$defs", {}), "Problem": defined})
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
            "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key."},
        }
        document["security"] = [{"bearer": []}, {"apiKey": []}, {}]
        app.openapi_schema = document
    return app.openapi_schema
