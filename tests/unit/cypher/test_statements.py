"""Every statement keeps its contract: a header that is true, a use for each file, and the tenant in every pattern."""

import re
from pathlib import Path

import pytest

from hindsight_graph.cypher import Query, areas, load, names
from hindsight_graph.models.enums import Kind, RelationType, StructureType
from hindsight_graph.models.moving import Table
from hindsight_graph.stores.neo4j import schema

EVERY = [name for area in areas() for name in names(area)]
FOR_PEOPLE = "explore"
WAYS = ("out_relations", "out_structure", "in_relations", "in_structure")


def statement(name: str) -> Query:
    return load(name)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_declared_is_what_is_used(name: str) -> None:
    query = statement(name)
    used = set(re.findall(r"\$(\w+(?:\.\w+)?)", query.text))
    assert used == set(query.parameters)
    assert query.mode in {"read", "write"}
    assert query.scope in {"tenant", "system"}
    assert query.since in {"5.26", "2026.01"}
    changes = re.search(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP)\b", query.text)
    assert (changes is not None) == (query.mode == "write")


@pytest.mark.parametrize("name", [name for name in EVERY if load(name).scope == "tenant"])
def test_a_tenant_statement_names_the_tenant_in_every_pattern(name: str) -> None:
    clauses = re.split(r"\b(?=(?:OPTIONAL MATCH|MATCH|MERGE|CREATE)\b)", statement(name).text)
    matching = [clause for clause in clauses if re.match(r"(OPTIONAL )?(MATCH|MERGE)\b", clause)]
    unbound = [
        clause[:80] for clause in matching if not any(word in clause for word in ("tenant", "$where.access", ":Meta {key:"))
    ]
    assert unbound == []
    if not matching:
        assert "tenant" in statement(name).text


def test_each_statement_is_used_and_each_use_has_a_statement(project: Path) -> None:
    sources = "\n".join(path.read_text() for path in sorted((project / "hindsight_graph" / "stores" / "neo4j").glob("*.py")))
    used = set(re.findall(r'"((?:read|write|search|walk|maintain)/\w+)"', sources))
    formed = {
        *(f"read/scan_{rows}_{way}" for rows in ("memories", "episodes") for way in ("newest", "oldest")),
        *(f"read/export_{table.value}" for table in Table),
        *(f"read/find_{what}_twins" for what in ("memory", "episode")),
        *(f"walk/{what}_{way}" for what in ("links", "degrees") for way in WAYS),
        *(name for name in names("maintain") if name.startswith("maintain/check_")),
    }  # fmt: skip
    twins = {name for name in EVERY if name.endswith("_b") and name[:-1] + "a" in EVERY}
    others = {name for name in EVERY if name.split("/")[0] not in (FOR_PEOPLE, "schema")}
    assert used - others == {"maintain/check_"}
    assert others - used - formed - twins == set()


def test_the_types_of_relations_are_those_of_the_models() -> None:
    relations, structure = [[kind.value for kind in kinds] for kinds in (RelationType, StructureType)]

    def types(name: str) -> list[list[str]]:
        return [found.split("|") for found in re.findall(r"\[[xe]:\s*([A-Z_|]+)\s*\]", load(name).text)]

    for what in ("links", "degrees"):
        for way in ("out", "in"):
            assert types(f"walk/{what}_{way}_relations") == [relations]
            assert types(f"walk/{what}_{way}_structure") == [structure]
    assert types("walk/edges") == [relations, structure, relations, structure]


def test_the_schema_version_is_the_number_of_steps_and_they_are_numbered_in_order() -> None:
    steps = [name.split("/")[1][:4] for name in names("schema")]
    assert steps == [f"{number:04d}" for number in range(1, schema.SCHEMA_VERSION + 1)]


def test_labels_of_kinds_are_capitalised_words() -> None:
    assert [kind.value.capitalize() for kind in Kind] == [
        "Fact", "Preference", "Action", "Result", "Constraint", "Experience", "Strategy",
    ]  # fmt: skip


def test_a_statement_is_read_once_and_frozen() -> None:
    query = load("read/get_memories")
    assert load("read/get_memories") is query
    with pytest.raises(AttributeError):
        query.text = ""  # pyright: ignore[reportAttributeAccessIssue]


def test_a_name_without_a_file_is_said() -> None:
    with pytest.raises(FileNotFoundError):
        load("read/nothing")


def test_the_checksum_knows_words_and_not_layout() -> None:
    step = load("schema/0002_node_id")
    assert len(step.checksum) == 64
    assert step.checksum != load("schema/0003_memory_content").checksum


@pytest.mark.parametrize("name", EVERY)
def test_no_statement_needs_the_enterprise_edition(name: str) -> None:
    assert not re.search(
        r"\bNODE KEY\b|\bIS NODE\b|REQUIRE .* IS (NOT NULL|::|TYPED)|\bCREATE DATABASE\b|\bapoc\.|\bgds\.", statement(name).text
    )
