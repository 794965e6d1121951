"""What is measured: each task writes its texts in its own manner, asks its questions, and has one measure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.chain_world import make_world
from bench.chains import unit_of
from bench.common import PATIENCE_MS, Collection, Question, Turn, first_refs, load_locomo, load_multihop
from bench.locomo import retain as retain_talk
from bench.multihop import retain as retain_corpus
from bench.quality.own_sets import load_agent, load_versions, load_versions_fresh, load_zh
from hindsight_graph import HindsightGraph

__all__ = ["ASKED", "MADE_TASKS", "TASKS", "Part", "Task", "load_task", "rank", "recall_at"]

ASKED = 60
"""Results asked for, so that the distinct first refs reach every cut."""
Writer = Callable[[HindsightGraph], object]


@dataclass(frozen=True)
class Part:
    """One store's worth of a task: what fills it, and what is asked of it."""

    collection: Collection
    write: Writer

    def documents(self) -> list[tuple[str, str]]:
        """Return (ref, text) of everything, for those who search plain texts."""
        return [(turn.ref, plain_text(turn)) for turn in self.collection.turns]


@dataclass(frozen=True)
class Task:
    """A set with its measure: the share of a question's gold refs among the first `cut` distinct ones."""

    name: str
    cut: int
    parts: tuple[Part, ...]
    by_category: bool = False

    @property
    def questions(self) -> list[Question]:
        """All questions, in order."""
        return [question for part in self.parts for question in part.collection.questions]


def plain_text(turn: Turn) -> str:
    """Return what a plain search is given of a turn: who or what it is about, then its words."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def recall_at(cut: int, ranked: Sequence[str], gold: Sequence[str]) -> float:
    """Return the share of gold refs within the first `cut` of the ranking, 0..1."""
    return len(set(gold).intersection(ranked[:cut])) / len(set(gold))


def rank(memory: HindsightGraph, question: Question, *, graph: bool, **options: Any) -> list[str]:
    """Return the distinct first refs of a recall, best first."""
    if question.as_of is not None:
        options["as_of"] = question.as_of
    answer = memory.recall(question.text, top_k=ASKED, graph=graph, deadline_ms=PATIENCE_MS, **options)
    return first_refs(hit.evidence for hit in answer.results)


def _locomo(folder: Path, _half: str) -> Task:
    talks = load_locomo(folder)
    return Task(
        "locomo", 10, tuple(Part(talk, lambda memory, talk=talk: retain_talk(memory, talk)) for talk in talks), by_category=True
    )


def _multihop(name: str) -> Callable[[Path, str], Task]:
    def load(folder: Path, half: str) -> Task:
        corpus = load_multihop(folder, name)
        if half != "all":
            asked = corpus.questions[("tune", "report").index(half) :: 2]
            corpus = Collection(corpus.name, corpus.turns, asked)
        return Task(name, 5, (Part(corpus, lambda memory: retain_corpus(memory, corpus)),))

    return load


def _statements(name: str, cut: int, load: Callable[[str], Collection]) -> Callable[[Path, str], Task]:
    def make(_folder: Path, half: str) -> Task:
        collection = load(half)

        def write(memory: HindsightGraph) -> object:
            return memory.remember_many(
                [{"summary": turn.text, "raw_ref": turn.ref, "occurred_at": turn.occurred_at} for turn in collection.turns]
            )

        return Task(name, cut, (Part(collection, write),), by_category=True)

    return make


def _agent(_folder: Path, half: str) -> Task:
    transcript = load_agent(half)

    def write(memory: HindsightGraph) -> None:
        for session, messages in transcript.sessions.items():
            memory.retain(messages, session_id=session)

    return Task("agent", 10, (Part(transcript.collection, write),), by_category=True)


def _chains(_folder: Path, _half: str) -> Task:
    world = make_world(100, CHAIN_OTHERS, 7)
    turns = tuple(Turn(fact.ref, "", fact.text, _ANY_TIME, "") for fact in world.facts)
    questions = [
        Question(chain.question, (fact.ref,), f"link {link}")
        for chain in world.chains
        for link, fact in enumerate(chain.links, start=1)
        if link in _LINKS
    ]

    def write(memory: HindsightGraph) -> object:
        return memory.remember_many([unit_of(fact, "units") for fact in world.facts])

    return Task("chains", 10, (Part(Collection("chains", turns, tuple(questions)), write),), by_category=True)


CHAIN_OTHERS = 2_000
"""Other memories among the chains, so that peers come to an end; `python -m bench.chains` has 10,000."""
_LINKS = (3, 4)
_ANY_TIME = load_zh().turns[0].occurred_at

MADE_TASKS: dict[str, Callable[[Path, str], Task]] = {
    "zh": _statements("zh", 10, load_zh),
    "versions": _statements("versions", 1, load_versions),
    "versions_fresh": _statements("versions_fresh", 1, load_versions_fresh),
    "agent": _agent,
}
"""Our own committed sets."""
TASKS: dict[str, Callable[[Path, str], Task]] = {
    "locomo": _locomo,
    "hotpotqa": _multihop("hotpotqa"),
    "musique": _multihop("musique"),
    "chains": _chains,
    **MADE_TASKS,
}


def load_task(name: str, folder: Path, half: str = "all") -> Task:
    """Return a task by its name; `half` is `tune`, `report` or `all` of its questions."""
    return TASKS[name](folder, half)
