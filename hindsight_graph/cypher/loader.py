"""Reads statements and their contracts from the package's files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

_HEADER = re.compile(r"// (purpose|mode|scope|returns|since|until): (.+)")
_PARAMETER = re.compile(r"// param \$(\w+(?:\.\w+)?): (.+)")
_INCLUDE = re.compile(r"^\s*//\+ (\w+)$", re.MULTILINE)
_PARTS = "parts"
_BARE = re.compile(r"\$(\w+)")
BUNDLE = "given"
"""The one parameter of a bundled statement."""


@dataclass(frozen=True, slots=True)
class Query:
    """One statement with its contract.

    Attributes:
        name: `<area>/<verb_object>`.
        text: What the server gets: parts included, header removed.
        parameters: Declared name -> type and meaning, those of included parts too; `where.kinds` is a field of the map `$where`.
        mode: `read` or `write`. scope: `tenant` or `system`.
        since: First server version it is for. until: the last one, or nothing.
    """

    name: str
    purpose: str
    mode: str
    scope: str
    returns: str
    since: str
    until: str
    parameters: Mapping[str, str]
    text: str

    @property
    def checksum(self) -> str:
        """Hex SHA-256 of the statement's words: layout and comments do not count."""
        return sha256(" ".join(self.text.split()).encode()).hexdigest()


def areas() -> tuple[str, ...]:
    """Return the areas that hold statements, sorted."""
    root = files("hindsight_graph.cypher")
    return tuple(
        sorted(folder.name for folder in root.iterdir() if folder.is_dir() and folder.name not in (_PARTS, "__pycache__"))
    )


def names(area: str) -> tuple[str, ...]:
    """Return the names of an area's statements, sorted."""
    folder = files("hindsight_graph.cypher") / area
    stems = (file.name.removesuffix(".cypher") for file in folder.iterdir() if file.name.endswith(".cypher"))
    return tuple(f"{area}/{stem}" for stem in sorted(stems))


def _split(name: str) -> tuple[dict[str, str], dict[str, str], str]:
    """Return header, declared parameters and body of a file."""
    text = (files("hindsight_graph.cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    header: dict[str, str] = {}
    parameters: dict[str, str] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if found := _HEADER.fullmatch(line):
            header[found[1]] = found[2]
        elif found := _PARAMETER.fullmatch(line):
            parameters[found[1]] = found[2]
        else:
            return header, parameters, "\n".join(lines[number:]).strip()
    raise ValueError(f"cypher/{name}.cypher has a header and no statement")


def _included(body: str, parameters: dict[str, str]) -> str:
    """Return a body with its parts in place; their parameters are added."""

    def part(found: re.Match[str]) -> str:
        _, declared, text = _split(f"{_PARTS}/{found[1]}")
        parameters.update(declared)
        return _included(text, parameters)

    return _INCLUDE.sub(part, body)


@cache
def bundled(name: str) -> str:
    """Return the text of a statement that takes all its parameters in one map, `$given`: `$tenant` is `$given.tenant` there.

    The server plans a statement anew for each combination of its parameters' types, and counts a text or a list of 1, 10, 100 or
    1,000 parts as types of their own: a plan of 0.2 to 2 s for a tenant with a longer name, and one for a longer page. In a map
    it looks at nothing. Statements of the schema take no map.
    """
    return _BARE.sub(rf"${BUNDLE}.\1", load(name).text)


@cache
def load(name: str) -> Query:
    """Return a statement, `<area>/<verb_object>`.

    Raises:
        FileNotFoundError: There is no such file. ValueError: its header lacks a line.
    """
    header, parameters, body = _split(name)
    missing = [key for key in ("purpose", "mode", "scope", "returns", "since") if key not in header]
    if missing:
        raise ValueError(f"cypher/{name}.cypher does not say {', '.join(missing)}")
    text = _included(body, parameters)
    return Query(
        name, header["purpose"], header["mode"], header["scope"], header["returns"], header["since"], header.get("until", ""),
        dict(sorted(parameters.items())), text,
    )  # fmt: skip
