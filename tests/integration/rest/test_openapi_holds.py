"""The OpenAPI against the application: generated calls, one built on what another answered, find nothing it does not say."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportAttributeAccessIssue=false, reportMissingTypeArgument=false

from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from fastapi import FastAPI
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.python.asgi import shutdown_lifespans
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hindsight_graph.api.rest import make_app
from hindsight_graph.clock import ManualClock
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.testing.patience import patient_settings

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
          response_headers_conformance]  # fmt: skip
GENERATED = hypothesis.settings(
    derandomize=True, deadline=None, database=None, phases=[hypothesis.Phase.generate],
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much,
                           hypothesis.HealthCheck.data_too_large],
)  # fmt: skip
PATIENCE = 60
"""Seconds a call may take on a busy machine."""


@pytest.fixture
def schema(tmp_path: Path) -> Generator[schemathesis.BaseSchema]:
    clock = ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))
    memory = AsyncHindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}", settings=patient_settings(), clock=clock)

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncGenerator[None]:
        async with memory:
            yield

    app = make_app(memory, cursor_key=b"a key for these tests", lifespan=opened)
    made = schemathesis.openapi.from_dict(app.openapi())
    made.app = app
    yield made
    shutdown_lifespans()


@pytest.mark.requirement("A-03")
def test_calls_that_build_on_each_other_answer_as_documented_and_never_with_an_error_of_ours(
    schema: schemathesis.BaseSchema,
) -> None:
    made: Counter[int] = Counter()

    class Calls(schema.as_state_machine()):  # pyright: ignore[reportUntypedBaseClass]
        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, Any]:
            del case
            return {"timeout": PATIENCE}

        def validate_response(self, response: schemathesis.Response, case: schemathesis.Case, *_: Any, **__: Any) -> None:
            made[response.status_code] += 1
            case.validate_response(response, checks=CHECKS)

    Calls.run(settings=hypothesis.settings(GENERATED, max_examples=8, stateful_step_count=20))
    assert {200, 201, 404, 422} <= set(made)


@pytest.mark.requirement("A-03")
def test_each_endpoint_answers_any_call_as_documented_and_never_with_an_error_of_ours(schema: schemathesis.BaseSchema) -> None:
    made: Counter[str] = Counter()
    found: list[str] = []
    for operation in (result.ok() for result in schema.get_all_operations()):

        @hypothesis.settings(GENERATED, max_examples=6)
        @hypothesis.given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            made[case.operation.label] += 1
            case.call_and_validate(checks=CHECKS, timeout=PATIENCE)

        try:
            ask()
        except FailureGroup as group:
            found.append(f"{operation.label}: {group.exceptions}")
    assert not found, "\n".join(found)
    assert len(made) == sum(len(item) for item in schema.raw_schema["paths"].values())
