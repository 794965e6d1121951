"""Files become messages, and whatever is wrong with one is named with its line."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindsight_graph.cli.reading import read_messages, read_text
from hindsight_graph.cli.times import parse_time
from hindsight_graph.errors import InputError

MESSAGES = [{"role": "user", "content": "Checkout uses Redis."}, {"role": "user", "content": "退款依赖支付"}]


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_json_is_a_list_of_messages(tmp_path: Path) -> None:
    assert list(read_messages(written(tmp_path, "a.json", json.dumps(MESSAGES))).messages) == MESSAGES


def test_json_may_wrap_the_list_in_an_object(tmp_path: Path) -> None:
    assert list(read_messages(written(tmp_path, "a.json", json.dumps({"messages": MESSAGES}))).messages) == MESSAGES


def test_json_may_be_one_message(tmp_path: Path) -> None:
    assert list(read_messages(written(tmp_path, "a.json", json.dumps(MESSAGES[0]))).messages) == MESSAGES[:1]


def test_jsonl_keeps_the_line_of_each_message(tmp_path: Path) -> None:
    text = "\n".join(["", json.dumps(MESSAGES[0]), "", json.dumps(MESSAGES[1]), ""])
    source = read_messages(written(tmp_path, "a.jsonl", text))
    assert (list(source.messages), source.lines) == (MESSAGES, (2, 4))


def test_markdown_becomes_one_document_per_section(tmp_path: Path) -> None:
    text = "intro\n\n# Runbook\n\n## Checkout\nneeds payment\n```\n# not a heading\n```\n## 退款 ##\n需要支付\n"
    source = read_messages(written(tmp_path, "runbook.md", text))
    assert [(message["name"], message["content"], message["raw_ref"]) for message in source.messages] == [
        ("runbook.md", "intro", "runbook.md:1"),
        ("Runbook / Checkout", "needs payment\n```\n# not a heading\n```", "runbook.md:5"),
        ("Runbook / 退款", "需要支付", "runbook.md:10"),
    ]
    assert {message["role"] for message in source.messages} == {"document"}


def test_text_becomes_one_document_per_paragraph(tmp_path: Path) -> None:
    source = read_messages(written(tmp_path, "notes.txt", "\none\nstill one\n\n \ntwo\r\n\r\nthree"))
    assert [(message["content"], message["raw_ref"]) for message in source.messages] == [
        ("one\nstill one", "notes.txt:2"),
        ("two", "notes.txt:6"),
        ("three", "notes.txt:8"),
    ]


def test_the_format_can_be_named(tmp_path: Path) -> None:
    assert read_messages(written(tmp_path, "chat.txt", json.dumps(MESSAGES)), "json").messages == tuple(MESSAGES)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, "a.txt", b"\xef\xbb\xbfhello")) == "hello"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", '[{"role": "user",\n "content": }]', "a.json is not JSON: line 2, column 13: Expecting value"),
        ("a.json", "3", "a.json holds int, not a list of messages"),
        ("a.json", "[" * 100_000, "a.json is not JSON"),
        ("a.jsonl", '{"content": "x"}\n{"content": \n', "a.jsonl is not JSON: line 2, column 13: Expecting value"),
        ("a.txt", "", "a.txt is empty"),
        ("a.txt", " \n\t\n", "a.txt is empty"),
        ("a.md", "# Title\n## Another\n", "a.md holds headings only"),
        ("a.txt", "ok\nnaïve".encode("latin-1"), "a.txt is not UTF-8: byte 0xef on line 2"),
        ("a.txt", b"PK\x03\x04\x00\x00", "a.txt is a binary file"),
        ("a.txt", "hello".encode("utf-16"), "a.txt is UTF-16, not UTF-8"),
        ("a.txt", "x" * 1_000_001, "a.txt, line 1: a section of 1000001 characters, more than 1000000"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_place(tmp_path: Path, name: str, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError) as refused:
        read_messages(written(tmp_path, name, content))
    assert words in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "words"),
    [("missing.json", "there is no file"), (".", "is a folder"), ("a\x00b", "cannot be read: embedded null byte")],
)
def test_what_is_no_readable_file_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_text(str(tmp_path / name))


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    name = written(tmp_path, "secret.txt", "x")
    os.chmod(name, 0)  # noqa: PTH101
    if os.access(name, os.R_OK):
        pytest.skip("this user reads everything")
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        read_text(name)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown format 'xml'.*one of json, jsonl, markdown, text"):
        read_messages("whatever", "xml")


def test_an_error_by_position_is_named_by_line(tmp_path: Path) -> None:
    source = read_messages(written(tmp_path, "a.jsonl", '\n{"content": "a"}\n\n{"content": 7}\n'))
    with pytest.raises(InputError, match=r"^a\.jsonl, line 4: content is int, not text$"), source.named_errors():
        raise InputError("message 1: content is int, not text")


def test_an_error_without_a_position_is_left_alone(tmp_path: Path) -> None:
    source = read_messages(written(tmp_path, "a.jsonl", '{"content": "a"}'))
    with pytest.raises(InputError, match=r"^unknown origin 'x'$"), source.named_errors():
        raise InputError("unknown origin 'x'")


def test_a_time_with_a_zone_is_that_moment() -> None:
    assert parse_time("2026-05-01T10:30:00+08:00", "--since") == datetime(2026, 5, 1, 2, 30, tzinfo=UTC)


@pytest.mark.parametrize(("text", "hour"), [("2026-05-01", 0), ("2026-05-01T10:30", 10)])
def test_a_time_without_a_zone_is_local(text: str, hour: int) -> None:
    parsed = parse_time(text, "--since")
    assert parsed is not None
    assert parsed.tzinfo is not None
    assert (parsed.day, parsed.hour) == (1, hour)
    assert parsed == datetime(2026, 5, 1, hour, parsed.minute).astimezone()


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01", "1.5.2026"])
def test_what_is_no_time_is_refused_with_its_option(text: str) -> None:
    with pytest.raises(InputError, match=f"--since {text!r} is not an ISO 8601 time"):
        parse_time(text, "--since")


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31T23:59:59"])
def test_the_ends_of_the_calendar_are_no_crash(text: str) -> None:
    try:
        parse_time(text, "--since")
    except InputError as error:
        assert "out of range" in error.message  # noqa: PT017 - whether it is in range depends on the zone
