"""How answers are written: models as JSON, tags of their state, and what the OpenAPI says about problems."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Response
from pydantic import BaseModel

from hindsight_graph.api.problem import PROBLEM_MEDIA_TYPE, PROBLEMS, make_problem
from hindsight_graph.api.rest.caller import ProblemRaisedError
from hindsight_graph.models.memory import Memory

ALWAYS = ("malformed-body", "unauthenticated", "forbidden", "body-too-large", "encoding-unsupported", "misdirected",
          "invalid-input", "rate-limited", "internal", "store-unavailable")  # fmt: skip
"""Problems that any endpoint may answer."""


def reply(model: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a model as the answer."""
    body = model.__pydantic_serializer__.to_json(model)
    return Response(body, status, headers, media_type="application/json")


def etag_of(memory: Memory) -> str:
    """Return the tag of a memory's state: any change of it has another."""
    digest = hashlib.sha256(memory.model_dump_json().encode()).hexdigest()
    return f'"{digest[:24]}"'


def memory_reply(memory: Memory, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a memory with its ETag."""
    return reply(memory, status, {"etag": etag_of(memory), **(headers or {})})


def matching(given: str | None) -> Callable[[Memory], None]:
    """Return what refuses the change of a memory that is not in a state the caller saw (`If-Match`)."""
    tags = [] if given is None else [part.strip() for part in given.split(",")]

    def check(memory: Memory) -> None:
        if tags and "*" not in tags and (tag := etag_of(memory)) not in tags:
            raise ProblemRaisedError(
                "precondition-failed", f"memory {memory.id} is in state {tag}, not {', '.join(tags)[:80]}", "read it again"
            )

    return check


def problems(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI's answers for these problems and those that any endpoint may answer, with an example of each."""
    answers: dict[int | str, dict[str, Any]] = {}
    for code in sorted({*ALWAYS, *codes}, key=lambda code: (PROBLEMS[code].status, code)):
        kind = PROBLEMS[code]
        entry = answers.setdefault(
            kind.status, {"description": "", "content": {PROBLEM_MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA, "examples": {}}}}
        )
        entry["description"] = "; ".join(part for part in (entry["description"], f"`{code}`: {kind.meaning}") if part)
        example = make_problem(code, kind.meaning[:1].upper() + kind.meaning[1:]).model_dump(mode="json", exclude_none=True)
        entry["content"][PROBLEM_MEDIA_TYPE]["examples"][code] = {"value": example}
    return answers


_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}
