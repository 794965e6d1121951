"""Files and stdin to messages: JSON, JSONL, Markdown, text. Whatever is wrong is named with its file and line."""

import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hindsight_graph.errors import InputError
from hindsight_graph.models.base import TEXT_LIMIT

FILE_LIMIT = 256 * 1024 * 1024
"""Bytes of one file at most; larger ones are split by their owner, who knows where."""

_FORMATS = ("json", "jsonl", "markdown", "text")
_SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".log": "text",
}
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_MESSAGE = re.compile(r"message (\d+)(?=\b)")


@dataclass(frozen=True, slots=True)
class Source:
    """Messages that were read.

    Attributes:
        name: The file's name. messages: as mappings, in order. lines: the line each stands on, from 1; empty for JSON.
        origin: Of all messages when the caller names none; None leaves it to their roles.
    """

    name: str
    messages: tuple[dict[str, Any], ...]
    lines: tuple[int, ...] = ()
    origin: str | None = None

    @contextmanager
    def named_errors(self) -> Generator[None]:
        """Name file and line in an error that the engine reports by position."""
        try:
            yield
        except InputError as error:
            match = _MESSAGE.match(error.message)
            if match is None:
                raise
            index = int(match[1])
            place = f"{self.name}, line {self.lines[index]}" if index < len(self.lines) else f"{self.name}, message {index + 1}"
            raise type(error)(place + error.message[match.end() :], hint=error.hint) from error


def read_text(name: str) -> str:
    """Return the text of a file, or of stdin for `-`: UTF-8, without a byte order mark.

    Raises:
        InputError: Missing, unreadable, empty, too large, binary, or not UTF-8.
    """
    shown = "stdin" if name == "-" else name
    data = _read_bytes(name, shown)
    if len(data) > FILE_LIMIT:
        raise InputError(f"{shown} has more than {FILE_LIMIT // 1024 // 1024} MB", hint="split it")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{shown} is UTF-16, not UTF-8", hint=f"iconv -f UTF-16 -t UTF-8 {shown}")
    if b"\x00" in data[:8192]:
        raise InputError(f"{shown} is a binary file", hint="give text: JSON, JSONL, Markdown or plain")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown} is not UTF-8: byte 0x{data[error.start]:02x} on line {line}",
            hint="convert it, as with iconv -f GB18030 -t UTF-8",
        ) from error
    if not text.strip():
        raise InputError(f"{shown} is empty", hint="give it words")
    return text


def read_messages(name: str, form: str | None = None) -> Source:
    """Return the messages of a file, or of stdin for `-`.

    Args:
        name: The file.
        form: json, jsonl, markdown or text; None tells by the name's ending, for stdin by the content.
    """
    if form is not None and form not in _FORMATS:
        raise InputError(f"unknown format {form!r}", hint=f"one of {', '.join(_FORMATS)}")
    text = read_text(name)
    shown = "stdin" if name == "-" else Path(name).name
    match form or _SUFFIXES.get(Path(name).suffix.lower()) or _guess(text):
        case "json":
            return _from_json(shown, text)
        case "jsonl":
            return _from_jsonl(shown, text)
        case "markdown":
            return _from_markdown(shown, text)
        case _:
            return _from_text(shown, text)


def _read_bytes(name: str, shown: str) -> bytes:
    if name == "-":
        if sys.stdin.isatty():
            print("reading from the terminal; end with Ctrl-D", file=sys.stderr)
        return sys.stdin.buffer.read(FILE_LIMIT + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(FILE_LIMIT + 1)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {shown}", hint="check the path; - reads from stdin") from error
    except IsADirectoryError as error:
        raise InputError(f"{shown} is a folder", hint="name one file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{shown} cannot be read: {reason}", hint="check the path and its rights") from error


def _guess(text: str) -> str:
    start = text.lstrip()[:1]
    if start == "[":
        return "json"
    if start == "{":
        try:
            json.loads(text)
        except ValueError:
            return "jsonl"
        return "json"
    return "text"


def _from_json(name: str, text: str) -> Source:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _bad_json(name, error, 0) from error
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        value = fields.get("messages", [fields])
    if not isinstance(value, list):
        raise InputError(
            f"{name} holds {type(value).__name__}, not a list of messages", hint="""[{"role": "user", "content": "..."}]"""
        )
    return Source(name, tuple(cast("list[dict[str, Any]]", value)))


def _from_jsonl(name: str, text: str) -> Source:
    messages: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            messages.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise _bad_json(name, error, number) from error
        lines.append(number)
    return Source(name, tuple(messages), tuple(lines))


def _bad_json(name: str, error: Exception, line: int) -> InputError:
    if isinstance(error, json.JSONDecodeError):
        return InputError(
            f"{name} is not JSON: line {line or error.lineno}, column {error.colno}: {error.msg}",
            hint="JSONL has one object per line; --format names the format",
        )
    return InputError(f"{name} is not JSON: {error or 'nested too deeply'}", hint="--format names the format")


def _from_markdown(name: str, text: str) -> Source:
    """Return one message per section, named by its headings."""
    path: list[tuple[int, str]] = []
    sections: list[tuple[int, str, list[str]]] = [(1, "", [])]
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1] == fence):
            fence = "" if fence else opened[1]
        heading = None if fence or opened else _HEADING.fullmatch(line)
        if heading is None:
            sections[-1][2].append(line)
            continue
        depth = len(heading[1])
        path = [*(item for item in path if item[0] < depth), (depth, heading[2])]
        sections.append((number, " / ".join(title for _, title in path), []))
    return _documents(name, [(line, title, "\n".join(words).strip()) for line, title, words in sections])


def _from_text(name: str, text: str) -> Source:
    """Return one message per paragraph."""
    parts: list[tuple[int, str, str]] = []
    number = 1
    for piece in re.split(r"((?:[ \t]*\r?\n){2,})", text):
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            parts.append((number + piece[:lead].count("\n"), "", piece.strip()))
        number += piece.count("\n")
    return _documents(name, parts)


def _documents(name: str, parts: list[tuple[int, str, str]]) -> Source:
    kept = [(line, title, words) for line, title, words in parts if words]
    if not kept:
        raise InputError(f"{name} holds headings only", hint="there is nothing to remember in it")
    for line, _, words in kept:
        if len(words) > TEXT_LIMIT:
            raise InputError(
                f"{name}, line {line}: a section of {len(words)} characters, more than {TEXT_LIMIT}", hint="divide it by headings"
            )
    messages = tuple(
        {"role": "document", "name": title or name, "content": words, "raw_ref": f"{name}:{line}"} for line, title, words in kept
    )
    return Source(name, messages, tuple(line for line, _, _ in kept), origin="user")
