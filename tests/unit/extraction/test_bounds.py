"""Hostile input: time grows with length, and nothing crashes."""

import random
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_graph.extraction.base import Source
from hindsight_graph.extraction.pieces import cut_pieces, split_long
from hindsight_graph.extraction.rules import RuleExtractor

_HOSTILE = [
    "a" * 100_000,
    "a." * 50_000,
    "a/" * 50_000,
    "_a" * 50_000,
    "-a" * 50_000,
    "not " * 25_000,
    "because " * 12_000,
    "because of due to " * 5_000,
    "and " * 25_000,
    "from a to " * 10_000,
    "X's " * 25_000,
    "( " * 50_000,
    "|" * 100_000,
    "`" * 100_001,
    "=" * 100_000,
    "1." * 50_000,
    "#" * 100_000,
    "用户" * 50_000,
    "由于" * 50_000,
    "的" * 100_000,
    "服务" * 50_000,
    "，" * 100_000,
    "is is " * 17_000,
    "e.g. " * 20_000,
    "hi " * 33_000,
    "!?" * 50_000,
    " " * 100_000,
    "\n" * 100_000,
    "> " * 50_000,
    "https://" * 12_500,
    "é" * 100_000,
    "👩‍👩‍👧" * 20_000,
]


@pytest.mark.parametrize("text", _HOSTILE, ids=lambda text: repr(text[:10]))
def test_a_hostile_line_of_100_kb_is_read_in_seconds(text: str) -> None:
    started = time.process_time()
    extraction = RuleExtractor().extract_one(Source(text=text, keep_all=True))
    assert time.process_time() - started < 5
    assert all(len(statement.summary) <= 200 for statement in extraction.statements)


def test_eight_times_the_text_takes_about_eight_times_as_long() -> None:
    sentence = "The importer depends on Vault because the token is stored there. 导入服务依赖 Vault。\n"

    def seconds(times: int) -> float:
        runs: list[float] = []
        for _ in range(3):
            started = time.process_time()
            RuleExtractor().extract_one(Source(text=sentence * times))
            runs.append(time.process_time() - started)
        return min(runs)

    assert seconds(800) < 20 * seconds(100)


@given(st.text(max_size=600))
@settings(max_examples=150, deadline=None)
def test_any_text_becomes_statements_within_the_limit(text: str) -> None:
    text = unicodedata.normalize(
        "NFC", "".join(c for c in text if c >= " " and not "\x7f" <= c <= "\x9f" and not "\ud800" <= c <= "\udfff")
    )
    extraction = RuleExtractor().extract_one(Source(text=text, keep_all=True))
    assert all(0 < len(statement.summary) <= 200 for statement in extraction.statements)
    assert all(0 <= statement.start <= statement.end <= len(text) for statement in extraction.statements)


@given(st.text(alphabet="abc de, .;不，。 not", min_size=201, max_size=1200))
@settings(max_examples=100, deadline=None)
def test_a_split_loses_no_character(text: str) -> None:
    text = " ".join(text.split())
    cuts = split_long(text)
    covered = "".join(text[cut.start : cut.end] for cut in cuts)
    assert covered.replace(" ", "") == text.replace(" ", "")
    assert all(len(cut.head) + cut.end - cut.start <= 200 for cut in cuts)


def test_prose_loses_no_letter() -> None:
    words = ["importer", "Vault", "port 7001", "不要", "服务", "- item", "# head", "| a | b |", "x = 1", "e.g.", "3.5"]
    rng = random.Random(7)
    for _ in range(200):
        text = " ".join(rng.choice(words) + rng.choice(["", ".", ",", "\n", "。"]) for _ in range(60))
        said = "".join(piece.text for piece in cut_pieces(text))
        assert sum(map(str.isalpha, text)) <= sum(map(str.isalpha, said))
