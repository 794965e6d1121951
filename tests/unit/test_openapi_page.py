"""The OpenAPI as a reader and a generator of clients meet it: each operation named once, explained, and shown by example."""

import json
from pathlib import Path
from typing import Any

import pytest

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def page(project: Path) -> dict[str, Any]:
    return json.loads((project / "docs" / "openapi.json").read_text(encoding="utf-8"))


def operations(page: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in page["paths"].values() for operation in path.values()]


@pytest.mark.requirement("A-03")
def test_every_operation_has_a_name_of_its_own_and_words(page: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(page)]
    assert len(set(names)) == len(names) >= 57
    assert [operation["operationId"] for operation in operations(page) if not operation.get("description")] == []


@pytest.mark.requirement("A-03")
def test_every_body_and_every_problem_has_an_example(page: dict[str, Any]) -> None:
    schemas = page["components"]["schemas"]
    without: list[str] = []
    for operation in operations(page):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None and not schemas[body["schema"]["$ref"].rpartition("/")[2]].get("examples"):
            without.append(operation["operationId"])
        for status, answer in operation["responses"].items():
            told = answer.get("content", {}).get(PROBLEM)
            if told is not None and not all(example["value"]["code"] == code for code, example in told["examples"].items()):
                without.append(f"{operation['operationId']} {status}")
    assert without == []
