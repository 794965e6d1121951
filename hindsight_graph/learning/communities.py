"""Which experiences belong together: communities in the graph that joins them by tools, errors, task types and entities."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience
from hindsight_graph.models.memory import Memory
from hindsight_graph.text.names import normal_name

__all__ = ["Case", "case_of", "communities"]

Node = tuple[str, str]
"""Of the graph: (`case`, id), or a shared thing's sort and name."""
_RESOLUTION = 1.0
_LEVELS = 4
"""Rounds of the Louvain method at most."""
_STRENGTH: Mapping[str, float] = {"error": 3.0, "task": 2.0, "tool": 1.0, "entity": 0.7, "near": 1.5}
"""How strongly a shared thing joins two experiences, before its rarity."""
_COMMON = 0.5
"""A thing that more than this share of all experiences have joins nothing, unless there are few of them."""
_FEW = 20


@dataclass(frozen=True, slots=True)
class Case:
    """An experience as consolidation sees it.

    Attributes:
        id: Of its memory. at: event time. agent_id: whose; session_id: from where.
        entities: Normal names it mentions beside its tools. near: ids of cases with a similar embedding.
        trust: 0..1.
    """

    id: str
    at: datetime
    experience: Experience
    agent_id: str | None = None
    session_id: str | None = None
    entities: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    trust: float = 0.6

    @property
    def failed(self) -> bool:
        """Whether the task failed as a whole."""
        return self.experience.outcome is Outcome.FAILURE

    def features(self) -> Iterator[tuple[str, str]]:
        """Yield what it shares with others: (sort, name)."""
        experience = self.experience
        for error in experience.errors:
            yield "error", error
        if experience.task_type:
            yield "task", experience.task_type
        for tool in experience.tools:
            yield "tool", tool
        for name in self.entities:
            yield "entity", name


def case_of(memory: Memory) -> Case | None:
    """Return the experience of a memory as learning sees it; None when it carries none."""
    experience = Experience.of(memory.payload)
    if experience is None:
        return None
    tools = {normal_name(tool) for tool in experience.tools}
    return Case(
        id=memory.id,
        at=memory.valid_from,
        experience=experience,
        agent_id=memory.agent_id,
        session_id=memory.session_id,
        entities=tuple(name for mention in memory.mentions if (name := normal_name(mention.name)) not in tools),
        trust=memory.trust,
    )


def communities(cases: Sequence[Case], seed: int = 0) -> tuple[tuple[Case, ...], ...]:
    """Return the cases in groups that share more with each other than with the rest; largest first, ties by the first id.

    The graph is bipartite: a case is joined to each thing it has, with the thing's strength over log2(1 + its degree), so the
    cost grows with the number of cases and not of pairs. Groups are found by the Louvain method (Blondel et al. 2008), seeded,
    in at most four rounds.
    """
    from networkx.algorithms.community import louvain_communities  # noqa: PLC0415 - slow to import, needed only here

    if not cases:
        return ()
    by_id = {case.id: case for case in cases}
    split: Any = louvain_communities
    found: list[set[Node]] = split(_graph(cases, by_id), resolution=_RESOLUTION, max_level=_LEVELS, seed=seed)
    groups = [tuple(by_id[name] for sort, name in sorted(group) if sort == "case") for group in found]
    return tuple(sorted((group for group in groups if group), key=lambda group: (-len(group), group[0].id)))


def _graph(cases: Sequence[Case], by_id: Mapping[str, Case]) -> Any:
    import networkx  # noqa: PLC0415 - as above

    untyped: Any = networkx

    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for case in cases:
        for feature in dict.fromkeys(case.features()):
            holders[feature].append(case.id)
    graph: Any = untyped.Graph()
    graph.add_nodes_from(("case", case.id) for case in sorted(cases, key=lambda case: case.id))
    common = len(cases) * _COMMON if len(cases) > _FEW else len(cases)
    for feature, ids in sorted(holders.items()):
        if 1 < len(ids) <= common or (feature[0] in ("error", "task") and len(ids) > 1):
            weight = _STRENGTH[feature[0]] / math.log2(1 + len(ids))
            graph.add_weighted_edges_from((("case", case_id), feature, weight) for case_id in sorted(ids))
    for case in cases:
        near = (("case", case.id), _STRENGTH["near"])
        graph.add_weighted_edges_from((near[0], ("case", other), near[1]) for other in sorted(case.near) if other in by_id)
    return graph
