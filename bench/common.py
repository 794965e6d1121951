"""What the recall benches share: data sets as records, plain BM25 as the yardstick, the measures, the last line."""

import argparse
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.text.tokens import STOP_WORDS

_TURN = re.compile(r"D\d+:\d+")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
PATIENCE_MS = 20_000
"""A deadline no busy machine reaches: what is found must not depend on its load; how long an answer takes stands beside it."""
DATA_VARIABLE = "HINDSIGHT_GRAPH_DATA"


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation or one passage of a corpus: what is retained and what is searched."""

    ref: str
    speaker: str
    text: str
    occurred_at: datetime
    session: str


@dataclass(frozen=True)
class Question:
    """A question and the refs that hold its answer; `as_of` is the event time it asks about, where it is not now."""

    text: str
    gold: tuple[str, ...]
    category: str = ""
    as_of: datetime | None = None


@dataclass(frozen=True)
class Collection:
    """One conversation or corpus with its questions."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass
class Tally:
    """Sums over questions, by category; `all` is every question."""

    sums: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, category: str, ranked: Sequence[str], gold: Sequence[str], cuts: Iterable[int]) -> None:
        """Count one question: recall at each cut, and whether every gold ref is within it."""
        wanted = set(gold)
        for name in {"all": None, category: None}:
            self.counts[name] += 1
            row = self.sums.setdefault(name, {})
            for cut in cuts:
                found = len(wanted.intersection(ranked[:cut])) / len(wanted)
                row[f"recall@{cut}"] = row.get(f"recall@{cut}", 0.0) + found
                row[f"all@{cut}"] = row.get(f"all@{cut}", 0.0) + (found == 1.0)

    def means(self, *, measures: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return percentages to one decimal: category to measure to value."""
        return {
            name: {measure: round(100 * row[measure] / self.counts[name], 1) for measure in measures}
            | {"questions": self.counts[name]}
            for name, row in sorted(self.sums.items())
        }


class PlainBM25:
    """Okapi BM25 over stemmed words without stop and question words (Robertson, Zaragoza 2009): the yardstick.

    It shares nothing with the engine but the stop list.
    """

    def __init__(self, documents: Sequence[tuple[str, str]], *, k1: float, b: float) -> None:
        self._stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord  # pyright: ignore[reportUnknownMemberType]
        self._refs = [ref for ref, _ in documents]
        counts = [Counter(self.terms(text)) for _, text in documents]
        lengths = [sum(row.values()) for row in counts]
        mean = max(sum(lengths) / max(len(lengths), 1), 1.0)
        frequency: Counter[str] = Counter()
        for row in counts:
            frequency.update(row.keys())
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for index, row in enumerate(counts):
            norm = k1 * (1 - b + b * lengths[index] / mean)
            for term, count in row.items():
                seen = frequency[term]
                weight = math.log(1 + (len(counts) - seen + 0.5) / (seen + 0.5))
                self._postings.setdefault(term, []).append((index, weight * count * (k1 + 1) / (count + norm)))

    def terms(self, text: str) -> list[str]:
        """Return the stems of a text."""
        return [self._stem(word.removesuffix("'s")) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]

    def rank(self, question: str, limit: int) -> list[str]:
        """Return the best refs, best first, ties by place in the corpus."""
        scores: dict[int, float] = {}
        for term in dict.fromkeys(self.terms(question)):
            for index, weight in self._postings.get(term, ()):
                scores[index] = scores.get(index, 0.0) + weight
        best = sorted(scores, key=lambda index: (-scores[index], index))[:limit]
        return [self._refs[index] for index in best]


def first_refs(evidences: Iterable[Sequence[str]]) -> list[str]:
    """Return the distinct first refs of hits in order: a hit counts for the turn that states it first, and for no other."""
    return list(dict.fromkeys(evidence[0] for evidence in evidences if evidence))


def load_locomo(folder: Path) -> tuple[Collection, ...]:
    """Load the LoCoMo conversations; a picture's caption stands in the turn's text, as LoCoMo's own evaluation has it."""
    conversations: list[dict[str, Any]] = json.loads(read(folder / "locomo" / "locomo_dev3.json"))
    return tuple(_conversation(raw) for raw in conversations)


def _conversation(raw: dict[str, Any]) -> Collection:
    talk: dict[str, Any] = raw["conversation"]
    turns: list[Turn] = []
    number = 1
    while f"session_{number}" in talk:
        began = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for index, turn in enumerate(talk[f"session_{number}"]):
            caption = turn.get("blip_caption")
            text: str = f"{turn['text']} [shares {caption}]" if caption else turn["text"]
            moment = began + timedelta(seconds=index)
            turns.append(Turn(turn["dia_id"], turn["speaker"], text, moment, f"session_{number}"))
        number += 1
    known = {turn.ref for turn in turns}
    questions = [
        Question(item["question"], gold, f"category {item['category']}")
        for item in raw["qa"]
        if (gold := tuple(ref for text in item["evidence"] for ref in _TURN.findall(text) if ref in known))
    ]
    return Collection(raw["sample_id"], tuple(turns), tuple(questions))


def load_multihop(folder: Path, name: str) -> Collection:
    """Load `hotpotqa` or `musique`: every passage of the corpus a turn whose ref is its number."""
    corpus: Any = json.loads(read(folder / "multihop" / f"{name}_train_corpus.json"))
    asked: list[dict[str, Any]] = json.loads(read(folder / "multihop" / f"{name}_train.json"))
    pairs: list[tuple[str, str]]
    if isinstance(corpus, dict):
        pairs = [(title, "".join(lines)) for title, lines in corpus.items()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    else:
        pairs = [(row["title"], row["text"]) for row in corpus]
    start = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [Turn(f"p{at}", title, text, start + timedelta(seconds=at), "") for at, (title, text) in enumerate(pairs)]
    by_title = {title: f"p{at}" for at, (title, _) in enumerate(pairs)}
    by_pair = {pair: f"p{at}" for at, pair in enumerate(pairs)}
    questions: list[Question] = []
    for item in asked:
        if "supporting_facts" in item:
            gold = [by_title[title] for title, _ in item["supporting_facts"]]
        else:
            gold = [by_pair[p["title"], p["paragraph_text"]] for p in item["paragraphs"] if p["is_supporting"]]
        questions.append(Question(item["question"], tuple(dict.fromkeys(gold))))
    return Collection(name, tuple(turns), tuple(questions))


def read(path: Path) -> str:
    """Return a data file's text; ends with one line that says what to do when it is not there."""
    if not path.exists():
        raise SystemExit(
            f"no {path}: name the folder of the evaluation data by --data or {DATA_VARIABLE} (bench/README.md says which)"
        )
    return path.read_text(encoding="utf-8")


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with what every data bench takes: `--data` and `--json`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(DATA_VARIABLE, "../shared/data")), help="data folder")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    return parser


def print_table(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print figures as an aligned table: row name, then its measures."""
    columns = list(dict.fromkeys(measure for row in rows.values() for measure in row))
    width = max([len(name) for name in rows] + [len(title)])
    print(f"{title:<{width}}  " + "  ".join(f"{column:>10}" for column in columns))
    for name, row in rows.items():
        print(f"{name:<{width}}  " + "  ".join(f"{row.get(column, ''):>10}" for column in columns))
