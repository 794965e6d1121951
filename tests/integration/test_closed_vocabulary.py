"""Clients send names and values, never statements: what is no relation, kind or state of the closed sets is refused."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.errors import InputError
from hindsight_graph.models.enums import RelationType

pytestmark = pytest.mark.requirement("T-08")

INJECTIONS = (
    "DEPENDS_ON]->() DETACH DELETE n //", "`DEPENDS_ON`", "DEPENDS_ON|OWNS", "MENTIONS", "SUPERSEDES", "*", "汉",
    "'; DROP TABLE memories",
)  # fmt: skip
CALLS: tuple[Callable[[HindsightGraph, str], object], ...] = (
    lambda memory, word: memory.chain("portal", relations=[word]),
    lambda memory, word: memory.cycles(relations=[word]),
    lambda memory, word: memory.remember("x", relations=[("portal", word, "tide service")]),
    lambda memory, word: memory.remember("x", relations=[{"source": "portal", "type": word, "target": "tide service"}]),
    lambda memory, word: memory.remember("x", kind=word),
    lambda memory, word: memory.recall("portal", kinds=[word]),
    lambda memory, word: memory.list(statuses=[word]),
    lambda memory, word: memory.list(order=word),
    lambda memory, word: memory.chain("portal", direction=word),
)


@pytest.mark.parametrize("word", INJECTIONS)
def test_a_word_outside_the_closed_sets_is_refused_everywhere_and_changes_nothing(memory: HindsightGraph, word: str) -> None:
    memory.remember("The portal depends on the tide service.", relations=[("portal", "DEPENDS_ON", "tide service")])
    before = memory.status().stats
    for call in CALLS:
        with pytest.raises(InputError):
            call(memory, word)
    assert memory.status().stats == before


def test_a_name_that_looks_like_a_statement_is_a_name(memory: HindsightGraph) -> None:
    name = "x') DETACH DELETE (n"
    memory.remember(f"{name} depends on the tide service.", relations=[(name, "DEPENDS_ON", "tide service")])
    (path,) = memory.chain(name).paths
    assert list(path.nodes) == [name, "tide service"]


def test_relation_types_are_the_thirteen_of_the_closed_set() -> None:
    assert sorted(RelationType) == [
        "AVOIDS", "CAUSES", "DEPENDS_ON", "FIXES", "LOCATED_IN", "OWNS", "PART_OF", "PRECEDES", "PREFERS", "PRODUCES",
        "RELATED_TO", "REPLACES", "USES",
    ]  # fmt: skip


def test_no_endpoint_has_a_field_for_a_statement(project: Path) -> None:
    document = json.loads((project / "docs" / "openapi.json").read_text(encoding="utf-8"))
    names = {name.lower() for name in _keys(document)}
    assert "relations" in names
    assert not {name for name in names if re.search(r"cypher|\bsql\b|^statement$|^scripts?$", name)}


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield name
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _keys(inner)


_LOADED = "cast('LiteralString', load(name).text)"


def test_statements_for_neo4j_come_from_files_only(project: Path) -> None:
    """What hands text to the driver hands on what `load` or `bundled` returns, and no file is put together from values."""
    loose: list[str] = []
    handed_on: list[str] = []
    for path in sorted((project / "hindsight_graph" / "stores" / "neo4j").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and re.search(r"\b(MATCH|MERGE|UNWIND) *[($]", node.value)
            ):
                loose.append(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("self._inner.run", "session.run"):
                text = ast.unparse(node.args[0])
                assert text == _LOADED or re.fullmatch(r"_text\((name|'[\w/]+')\)", text), f"{path.name}:{node.lineno}"
            if isinstance(node, ast.FunctionDef) and node.name == "_text":
                handed_on.append(ast.unparse(node.body[-1]))
    assert loose == []
    assert handed_on == ["return cast('LiteralString', bundled(name))"]
