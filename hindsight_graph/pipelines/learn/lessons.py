"""Lessons in a model's words: one question per failure, repair or partial success, its answer filtered as any lesson is."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, Field

from hindsight_graph.learning.contrast import contrast
from hindsight_graph.learning.drafting import Draft, Trigger, reworded
from hindsight_graph.learning.lessons import fault_of
from hindsight_graph.learning.wording import tongue_of
from hindsight_graph.llm.asking import Asker
from hindsight_graph.llm.base import Exchange
from hindsight_graph.llm.prompts import Prompts
from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.tokens import index_terms

__all__ = ["Lessons", "Worded"]

_ASKED = 20
"""Drafts of one reflection that a model is asked about, in order; the others keep the rules' lesson."""
_WORTH = frozenset({Trigger.FAILURE, Trigger.REPAIRED, Trigger.REPEATED_FAILURES})
_NONE = "none"


class _Lesson(BaseModel):
    lesson: str = Field(max_length=SUMMARY_LIMIT)


class Worded(NamedTuple):
    """Drafts after a model was asked, why its words were not taken (by request), and the requests."""

    drafts: tuple[Draft, ...]
    left: tuple[tuple[str, str], ...]
    exchanges: tuple[Exchange, ...]


class Lessons:
    """Asks a model for the lesson of what went wrong."""

    def __init__(self, asker: Asker, prompts: Prompts) -> None:
        self._asker = asker
        self._prompts = prompts

    @property
    def name(self) -> str:
        """The model's name."""
        return self._asker.name

    async def worded(self, drafts: Sequence[Draft]) -> Worded:
        """Return the drafts with lessons in the model's words where it had a usable one; all else stays as the rules left it.

        Not asked about: routine successes, and what a person corrected: a person's words stay as they are.
        """
        made: list[Draft] = []
        left: list[tuple[str, str]] = []
        exchanges: list[Exchange] = []
        known = [item.experience.lesson for item in drafts if item.experience.lesson]
        asked = 0
        for item in drafts:
            if asked == _ASKED or item.experience.corrected or not _WORTH & set(item.triggers):
                made.append(item)
                continue
            asked += 1
            lesson, why = await self._lesson(item, [one for one in known if one != item.experience.lesson], exchanges)
            if lesson:
                known.append(lesson)
                made.append(reworded(item, lesson, self.name))
            else:
                left.append((item.experience.goal, why))
                made.append(item)
        return Worded(tuple(made), tuple(left), tuple(exchanges))

    async def _lesson(self, item: Draft, known: Sequence[str], exchanges: list[Exchange]) -> tuple[str, str]:
        """Return a usable lesson, or an empty text and why there is none."""
        experience = item.experience
        tongue = tongue_of(experience.goal, item.summary)
        question = contrast(experience)
        spoken = set(index_terms(question))

        def check(answer: _Lesson) -> str | None:
            words = " ".join(answer.lesson.split())
            if _is_none(words):
                return None
            if {detect_language(words), tongue} == {"en", "zh"}:
                return f"the lesson is not in {'English' if tongue == 'en' else 'Chinese'}"
            if not spoken & set(index_terms(words)):
                return "the lesson is about nothing that happened in this task"
            return None

        answer = await self._asker.ask("reflection", self._prompts.of("reflection", tongue), question, _Lesson, check)
        exchanges.extend(answer.exchanges)
        if answer.value is None:
            return "", f"lesson by rules: {self.name} gave no usable answer ({answer.fault})"
        words = " ".join(answer.value.lesson.split())
        if _is_none(words):
            return "", f"{self.name} found nothing reusable"
        fault = fault_of(words, known)
        return ("", f"lesson “{words}”: {fault}") if fault else (words, "")


def _is_none(words: str) -> bool:
    return words.strip(" .。\"'").casefold() in ("", _NONE, "n/a", "无", "没有")
