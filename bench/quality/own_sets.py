"""Our own committed sets: Chinese agent memories, facts that change, and transcripts of agents (bench/data/README.md)."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.common import Collection, Question, Turn, read

__all__ = ["DATA", "load_agent", "load_versions", "load_versions_fresh", "load_zh"]

DATA = Path(__file__).resolve().parent.parent / "data"
HALVES = ("tune", "report")
"""Questions belong to the halves in turn: the first to `tune`, the second to `report`, and so on (of `versions`, facts do)."""
_START = datetime(2024, 1, 10, 9, tzinfo=UTC)
_STEP_DAYS = 53
_MOST_CHANGES = 5


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in read(path).splitlines() if line.strip()]


def _questions(path: Path, half: str) -> tuple[Question, ...]:
    every = [Question(text, tuple(gold.split(",")), category) for category, gold, text in _rows(path)]
    return _half(every, half)


def _half(questions: Sequence[Question], half: str) -> tuple[Question, ...]:
    return tuple(questions) if half == "all" else tuple(questions[HALVES.index(half) :: 2])


def load_zh(half: str = "all") -> Collection:
    """Return 312 Chinese memories, one statement each, an hour apart, and the questions of a half (`tune`, `report`, `all`)."""
    turns = [
        Turn(ref, "", text, _START + timedelta(hours=at), "")
        for at, (ref, text) in enumerate(_rows(DATA / "zh" / "memories.tsv"))
    ]
    return Collection("zh", tuple(turns), _questions(DATA / "zh" / "questions.tsv", half))


@dataclass(frozen=True)
class Transcript:
    """Messages by session, as `retain` takes them, beside the collection that others search."""

    sessions: dict[str, list[dict[str, Any]]]
    collection: Collection


def load_agent(half: str = "all") -> Transcript:
    """Return 46 transcripts with tool calls and results, a day apart, and the questions of a half."""
    sessions: dict[str, list[dict[str, Any]]] = {}
    turns: list[Turn] = []
    for session, ref, role, text in _rows(DATA / "agent" / "transcript.tsv"):
        messages = sessions.setdefault(session, [])
        moment = _START + timedelta(days=len(sessions), minutes=len(messages))
        messages.append(_message(role, text) | {"occurred_at": moment, "raw_ref": ref})
        turns.append(Turn(ref, role, text, moment, session))
    return Transcript(sessions, Collection("agent", tuple(turns), _questions(DATA / "agent" / "questions.tsv", half)))


def _message(role: str, text: str) -> dict[str, Any]:
    what, _, name = role.partition(":")
    if what == "call":
        return {"role": "assistant", "content": "", "tool_calls": [{"name": name, "arguments": text}]}
    return {"role": what, "content": text} | ({"name": name} if name else {})


def load_versions_fresh(half: str = "all") -> Collection:
    """Compose 32 more facts that change: other attributes, other words, written after the word lists for `versions`."""
    made: dict[str, Any] = json.loads(read(DATA / "versions" / "fresh.json"))
    return _versions("versions_fresh", made["families"], made["beside"], half)


def load_versions(half: str = "all") -> Collection:
    """Compose 72 facts that change one to five times, among statements about the same things that change nothing.

    Every version is a statement in other words than the one before. Questions: `current` (the last version must come first) and
    `as of` (asked with that event time; the version that held then must come first).
    """
    return _versions("versions", json.loads(read(DATA / "versions" / "facts.json")), _BESIDE, half)


def _versions(name: str, families: Sequence[dict[str, Any]], beside: Mapping[str, Sequence[str]], half: str) -> Collection:
    drawn = random.Random(11)
    turns: list[Turn] = []
    questions: list[Question] = []
    number = 0
    for family in families:
        for subject in family["subjects"]:
            changes = 1 + number % _MOST_CHANGES
            made, asked = _history(family, beside[family["language"]], subject, number, changes, drawn)
            turns += made
            if half in ("all", HALVES[number % 2]):
                questions += asked
            number += 1
    turns.sort(key=lambda turn: (turn.occurred_at, turn.ref))
    return Collection(name, tuple(turns), tuple(questions))


def _history(
    family: dict[str, Any], beside: Sequence[str], subject: str, number: int, changes: int, drawn: random.Random
) -> tuple[list[Turn], list[Question]]:
    values = drawn.sample(family["values"], changes + 1)
    wordings = drawn.sample(family["statements"][1:], changes)
    turns: list[Turn] = []
    for version, (value, wording) in enumerate(zip(values, [family["statements"][0], *wordings], strict=True)):
        moment = _START + timedelta(days=version * _STEP_DAYS, hours=number)
        text = _said(wording, subject, value)
        turns.append(Turn(f"v{number:02d}.{version}", "", text, moment, ""))
    for place, wording in enumerate(drawn.sample(beside, 2)):
        moment = _START + timedelta(days=drawn.randrange(changes * _STEP_DAYS + 40), hours=number)
        turns.append(Turn(f"v{number:02d}.n{place}", "", _said(wording, subject, ""), moment, ""))
    first, second = drawn.sample(family["questions"], 2)
    held = drawn.randrange(changes)
    then = _START + timedelta(days=held * _STEP_DAYS + _STEP_DAYS // 2, hours=number)
    asked = [
        Question(_said(first, subject, ""), (f"v{number:02d}.{changes}",), "current"),
        Question(_said(second, subject, ""), (f"v{number:02d}.{changes}",), "current"),
        Question(_said(second, subject, ""), (f"v{number:02d}.{held}",), "as of", then),
    ]
    return turns, asked


def _said(wording: str, subject: str, value: str) -> str:
    return wording.replace("{S}", subject[0].upper() + subject[1:]).replace("{s}", subject).replace("{v}", value)


_BESIDE = {
    "en": (
        "Somebody asked about {s} in the stand-up, nothing was decided.",
        "The wiki page about {s} needs a new picture.",
        "We spent an hour talking about {s} and the budget.",
        "There is an old joke about {s} in this team.",
        "Customers mentioned {s} twice in the survey.",
        "The auditor wanted to see the paperwork for {s}.",
        "Nobody has complained about {s} for weeks.",
        "Next quarter we want to review {s} once more.",
        "Priyanka praised {s} in her talk in Vienna.",
        "{S} came up 14 times in the minutes.",
        "On Tuesday there was cake to celebrate {s}.",
        "Jonas from Linden Media wants to write about {s}.",
    ),
    "zh": (
        "早会上有人提到{s}，没有结论。",
        "{s}的文档页面缺一张新图。",
        "我们为{s}的预算谈了一个小时。",
        "问卷里有两个客户提到了{s}。",
        "审计想看{s}的材料。",
        "好几周没人抱怨{s}了。",
        "下个季度想再评估一次{s}。",
        "方既明在武汉的演讲里夸了{s}。",
        "会议纪要里{s}出现了14次。",
        "星期二为{s}切了蛋糕庆祝。",
    ),
}
