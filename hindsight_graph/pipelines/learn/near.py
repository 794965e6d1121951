"""What lies near new experiences: those that ended the other way, and those that put a new rule to the test."""

from collections.abc import Iterable, Sequence

from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.rules import contrasted, rules_in
from hindsight_graph.models.enums import Kind, Outcome
from hindsight_graph.models.learning import Rule, RuleKind
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.pipelines.learn.experiences import Experiences

__all__ = ["Near"]

_OPPOSITE_READ = 12
"""Newest cases of the other outcome that a new experience is contrasted with, for each tool."""
_RECENT_READ = 64
"""Newest cases of a tool on which a rule about it is tried: with the default half-life of 8, a case that is older than 64 others
counts less than 1 / 256."""


class Near:
    """Reads what one step of consolidation needs: each (tool, outcome) once, each memory once.

    Args:
        experiences: Where they are read. scope: whose.
        memories: Those known so far, by id; what is read is added.
    """

    def __init__(self, experiences: Experiences, scope: Scope, memories: dict[str, Memory]) -> None:
        self._experiences = experiences
        self._scope = scope
        self._memories = memories
        self._cases: dict[str, Case] = {}
        self._pages: dict[tuple[str, Outcome | None], list[Case]] = {}

    async def offered(self, fresh: Sequence[Case]) -> list[Rule]:
        """Return the rules that new cases suggest, each once: by themselves, and against cases that ended the other way."""
        found: dict[tuple[str, ...], Rule] = {}
        for case in fresh:
            rules = list(rules_in(case.experience))
            for other in await self._opposite(case):
                failure, success = (case, other) if case.failed else (other, case)
                rules.extend(contrasted(failure.experience, success.experience))
            for rule in rules:
                found.setdefault(rule.key, rule)
        return list(found.values())

    async def around(self, fresh: Sequence[Case], rules: Iterable[Rule]) -> list[Case]:
        """Return the new cases, and the newest ones with a tool that one of the rules is about.

        A lesson in words is about the tools of the new cases.
        """
        tools: dict[str, None] = {}
        for rule in rules:
            tools.update(dict.fromkeys([rule.tool] if rule.kind is not RuleKind.LESSON else _tools(fresh)))
        found = {case.id: case for case in fresh}
        for tool in tools:
            for case in await self._read(tool, None, _RECENT_READ):
                found.setdefault(case.id, case)
        return list(found.values())

    async def _opposite(self, case: Case) -> list[Case]:
        """Return the newest cases that ended the other way and called a tool that failed, or that worked, in this one."""
        wanted = Outcome.SUCCESS if case.failed else Outcome.FAILURE
        tools = dict.fromkeys(step.tool for step in case.experience.steps if step.ok is not case.failed)
        found: dict[str, Case] = {}
        for tool in tools:
            for other in await self._read(tool, wanted, _OPPOSITE_READ):
                found.setdefault(other.id, other)
        return list(found.values())

    async def _read(self, tool: str, outcome: Outcome | None, limit: int) -> list[Case]:
        key = (tool, outcome)
        if key not in self._pages:
            where = Filter(view=self._experiences.view(), kinds=(Kind.EXPERIENCE,), tool=tool, outcome=outcome)
            self._pages[key] = await self._experiences.newest(self._scope, where, limit, self._memories, self._cases)
        return self._pages[key]


def _tools(cases: Iterable[Case]) -> dict[str, None]:
    return dict.fromkeys(tool for case in cases for tool in case.experience.tools)
