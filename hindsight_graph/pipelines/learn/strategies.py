"""Strategies as memories: how new ones are written, how stored ones follow their evidence."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hindsight_graph.clock import Clock
from hindsight_graph.extraction.base import Statement
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.proposals import Evidence, LearningPolicy, conditions_of, follow, is_fallen, is_recovered, with_uses
from hindsight_graph.learning.rules import Verdict, trials, verdict_of
from hindsight_graph.learning.scrutiny import scrutinise, settled
from hindsight_graph.learning.wording import guidance, tongue_of
from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Kind, MentionRole, Origin, Status, StructureType, Visibility
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.learning import NO_EVIDENCE, STRATEGY_KEY, Concern, Rule, RuleKind, Strategy, Support
from hindsight_graph.models.memory import Memory, Mention
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import MemoryPatch, WriteBatch
from hindsight_graph.pipelines.candidate import Candidate
from hindsight_graph.pipelines.learn.edges import between
from hindsight_graph.pipelines.learn.support import EVIDENCE_EDGES, changed
from hindsight_graph.pipelines.plan import Planner
from hindsight_graph.stores.base import Store
from hindsight_graph.text.language import detect_language

EVIDENCE_KEPT = 100
"""Experiences linked to a new strategy in each direction, newest first; its counts hold all of them."""
_OWNERS_READ = 500
"""Experiences whose edges are read at once."""
EPISODES_KEPT = 20
"""Episodes that a new strategy names as evidence."""
_CLOSE = 0.1
"""Lift by which a rule must be ahead of every other against the same error of the same tool to be approved by a policy."""
_KINDS = {Verdict.SUPPORTS: StructureType.SUPPORTS, Verdict.REFUTES: StructureType.REFUTES}


@dataclass(frozen=True, slots=True)
class Known:
    """A stored strategy."""

    memory: Memory
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Revision:
    """What follows for stored strategies: their new states by id, evidence edges, and which changed more than counts.

    Attributes:
        revised: With other conditions or concerns. stale: fallen. approved: by the stated policy, now that evidence suffices.
    """

    strategies: Mapping[str, Strategy] = field(default_factory=dict[str, Strategy])
    edges: tuple[Edge, ...] = ()
    revised: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()

    def status_of(self, memory_id: str) -> Status | None:
        """Return the new status of a strategy; None when it stays."""
        if memory_id in self.stale:
            return Status.STALE
        return Status.ACTIVE if memory_id in self.approved else None

    def applied(self, known: Iterable[Known]) -> tuple[Known, ...]:
        """Return stored strategies as they are with it: what is new has to measure itself against these."""
        found: list[Known] = []
        for item in known:
            status = self.status_of(item.memory.id) or item.memory.status
            memory = item.memory.model_copy(update={"status": status})
            found.append(Known(memory, self.strategies.get(item.memory.id, item.strategy)))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Made:
    """New strategies, and the batch that writes them."""

    strategies: tuple[tuple[Memory, Strategy], ...] = ()
    batch: WriteBatch = field(default_factory=WriteBatch)


class Strategies:
    """Makes memories of kind strategy and keeps their counts."""

    def __init__(self, store: Store, planner: Planner, clock: Clock, ids: IdGenerator, policy: LearningPolicy) -> None:
        self._store = store
        self._planner = planner
        self._clock = clock
        self._ids = ids
        self._policy = policy

    async def weighed(
        self,
        scope: Scope,
        followed: Sequence[tuple[Known, Evidence]],
        cases: Sequence[Case],
        memories: Mapping[str, Memory],
    ) -> Revision:
        """Return what follows for stored strategies from all their evidence, weighed anew; evidence not yet linked is linked."""
        linked = await self._linked(scope, _newest(evidence for _, evidence in followed))
        states: dict[str, Strategy] = {}
        edges: list[Edge] = []
        revised: list[str] = []
        stale: list[str] = []
        approved: list[str] = []
        taken = _taken(known for known, _ in followed)
        for known, evidence in followed:
            if known.memory.status is Status.REJECTED:
                continue
            old = known.strategy
            if not (evidence.supporting or evidence.refuting) and any(one.code == NO_EVIDENCE for one in old.concerns):
                continue
            edges.extend(self._evidence_edges(evidence, known.memory.id, memories, linked))
            conditions = conditions_of(evidence) if evidence.supporting else old.conditions
            concerns = scrutinise(evidence, conditions, old.guidance, cases)
            support = with_uses(evidence.support, old.support)
            new = old.model_copy(update={"conditions": conditions, "concerns": concerns, "support": support})
            if new != old:
                states[known.memory.id] = new
        rivals = _rivals(known for known, _ in followed).after(states)
        for known, _ in followed:
            old, new = known.strategy, states.get(known.memory.id)
            if new is None:
                continue
            if self._falls(known, new.support):
                stale.append(known.memory.id)
            elif self._rises(known, new, taken, rivals):
                taken.add(_place(new))
                approved.append(known.memory.id)
            elif (new.conditions, new.concerns) != (old.conditions, old.concerns):
                revised.append(known.memory.id)
        return Revision(states, tuple(edges), tuple(revised), tuple(stale), tuple(approved))

    async def counted(
        self, scope: Scope, known: Sequence[Known], fresh: Sequence[Case], memories: Mapping[str, Memory]
    ) -> Revision:
        """Return what follows for stored strategies from new cases alone.

        A case that is linked already, or is older than the strategy and was weighed when it was made, counts no second time.
        """
        linked = await self._linked(scope, [case.id for case in fresh])
        states: dict[str, Strategy] = {}
        edges: list[Edge] = []
        stale: list[str] = []
        approved: list[str] = []
        now = self._clock.now()
        taken = _taken(known)
        for item in known:
            if item.memory.status is Status.REJECTED:
                continue
            support, for_it = item.strategy.support, list[Case]()
            for case in fresh:
                tested = trials(item.strategy.rule, case.experience)
                verdict = verdict_of(tested)
                was_weighed = memories[case.id].recorded_at < item.memory.recorded_at
                if verdict is Verdict.SILENT or was_weighed or (case.id, item.memory.id) in linked:
                    continue
                support = follow(support, tested, self._policy.half_life)
                edges.append(between(self._ids, now, memories[case.id], item.memory.id, _KINDS[verdict]))
                if verdict is Verdict.SUPPORTS:
                    for_it.append(case)
            if support is item.strategy.support:
                continue
            concerns = settled(item.strategy.concerns, support, for_it)
            states[item.memory.id] = item.strategy.model_copy(update={"support": support, "concerns": concerns})
        rivals = _rivals(known).after(states)
        for item in known:
            state = states.get(item.memory.id)
            if state is None:
                continue
            if self._falls(item, state.support):
                stale.append(item.memory.id)
            elif self._rises(item, state, taken, rivals):
                taken.add(_place(state))
                approved.append(item.memory.id)
        return Revision(states, tuple(edges), (), tuple(stale), tuple(approved))

    async def made(
        self,
        scope: Scope,
        found: Sequence[Evidence],
        cases: Sequence[Case],
        memories: Mapping[str, Memory],
        known: Sequence[Known] = (),
    ) -> Made:
        """Return the strategies that evidence proposes, the best first, with their links to it; `known` are the stored ones."""
        if not found:
            return Made()
        newest = {item.rule.key: sorted(item.supporting, key=lambda case: (case.at, case.id))[-EPISODES_KEPT:] for item in found}
        wanted = dict.fromkeys(
            episode for cases_of in newest.values() for case in cases_of for episode in memories[case.id].episode_ids[:1]
        )
        episodes = {item.id: item for item in await self._store.get_episodes(scope, tuple(wanted))}
        made: list[tuple[Evidence, Strategy, Candidate]] = []
        taken = _taken(known)
        rivals = _rivals(known).beside(found)
        for item in sorted(found, key=lambda item: -item.support.lift):
            own = [episodes[first] for case in newest[item.rule.key] if (first := _first_episode(memories[case.id])) in episodes]
            if own:
                strategy = self._strategy(item, cases)
                candidate = self._candidate(item, strategy, own, memories)
                if candidate.status is Status.ACTIVE and (_place(strategy) in taken or rivals.has(strategy)):
                    candidate = replace(candidate, status=Status.PENDING)
                if candidate.status is Status.ACTIVE and strategy.rule.kind is not RuleKind.LESSON:
                    taken.add(_place(strategy))
                made.append((item, strategy, candidate))
        plan = await self._planner.learned(scope, [candidate for _, _, candidate in made])
        edges = [
            edge
            for (item, _, _), memory in zip(made, plan.touched, strict=True)
            for edge in self._evidence_edges(item, memory.id, memories, frozenset())
        ]
        written = {new.memory.id: new.model_copy(update={"memory": _of_no_session(new.memory)}) for new in plan.batch.memories}
        batch = plan.batch.model_copy(update={"memories": tuple(written.values()), "edges": (*plan.batch.edges, *edges)})
        kept = tuple((written[memory.id].memory, strategy) for (_, strategy, _), memory in zip(made, plan.touched, strict=True))
        return Made(kept, batch)

    def contradicting(
        self, pairs: Sequence[tuple[str, str]], made: Made, known: Sequence[Known], revision: Revision
    ) -> tuple[tuple[Edge, ...], tuple[MemoryPatch, ...]]:
        """Return edges between contradicting strategies, and the patches of all stored strategies that changed."""
        fresh = {memory.id: memory for memory, _ in made.strategies}
        stored = {item.memory.id: item for item in known}
        states = dict(revision.strategies)
        edges: list[Edge] = []
        now = self._clock.now()
        for first, second in pairs:
            newer, older = (second, first) if second in fresh else (first, second)
            edges.append(between(self._ids, now, fresh[newer], older, StructureType.CONTRADICTS))
            if older in stored:
                state = states.get(older, stored[older].strategy)
                states[older] = _concerned(state, Concern(code="contradicts", text=f"tells the opposite of {newer}"))
        patches: list[MemoryPatch] = []
        for memory_id, state in states.items():
            changes = changed(stored[memory_id].memory, state)
            status = revision.status_of(memory_id)
            if status is not None and not (status is Status.ACTIVE and state.concerns):
                changes["status"] = status
            patches.append(MemoryPatch(id=memory_id, changes=changes))
        return tuple(edges), tuple(patches)

    def _evidence_edges(
        self, item: Evidence, strategy_id: str, memories: Mapping[str, Memory], linked: Collection[tuple[str, str]]
    ) -> Iterator[Edge]:
        """Yield an edge from each of the newest experiences that speak for or against a strategy and are not linked to it."""
        now = self._clock.now()
        for verdict, group in ((Verdict.SUPPORTS, item.supporting), (Verdict.REFUTES, item.refuting)):
            for case in sorted(group, key=lambda case: (case.at, case.id))[-EVIDENCE_KEPT:]:
                if (case.id, strategy_id) not in linked:
                    yield between(self._ids, now, memories[case.id], strategy_id, _KINDS[verdict])

    async def _linked(self, scope: Scope, experience_ids: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return the (experience, strategy) pairs that an evidence edge joins, all of them: edges are read by their owners."""
        found: set[tuple[str, str]] = set()
        for start in range(0, len(experience_ids), _OWNERS_READ):
            edges = await self._store.owned_edges(scope, experience_ids[start : start + _OWNERS_READ])
            found.update((edge.source_id, edge.target_id) for edge in edges if edge.type in EVIDENCE_EDGES)
        return frozenset(found)

    def _strategy(self, item: Evidence, cases: Sequence[Case]) -> Strategy:
        conditions = conditions_of(item)
        tongue = tongue_of(*(case.experience.goal for case in item.supporting[:3]))
        text = guidance(item.rule, tongue)
        concerns = scrutinise(item, conditions, text, cases)
        return Strategy(guidance=text, rule=item.rule, conditions=conditions, support=item.support, concerns=concerns)

    def _candidate(
        self, item: Evidence, strategy: Strategy, episodes: Sequence[Episode], memories: Mapping[str, Memory]
    ) -> Candidate:
        agents = {case.agent_id for case in item.supporting}
        private = len(agents) == 1 and all(memories[case.id].visibility is Visibility.PRIVATE for case in item.supporting)
        visibility = Visibility.PRIVATE if private else Visibility.SHARED
        tools = tuple(name for name in dict.fromkeys((strategy.rule.tool, *strategy.conditions.tools)) if name)
        other = () if strategy.rule.kind in (RuleKind.LESSON, RuleKind.ARGUMENT) else (strategy.rule.other,)
        roles = dict.fromkeys(strategy.conditions.entities, MentionRole.TOPIC) | dict.fromkeys((*tools, *other), MentionRole.TOOL)
        mentions = tuple(Mention(name=name, role=role) for name, role in roles.items())
        summary = strategy.guidance if len(strategy.guidance) <= SUMMARY_LIMIT else strategy.guidance[: SUMMARY_LIMIT - 1] + "…"
        types = strategy.conditions.task_types
        return Candidate(
            statement=Statement(summary=summary, kind=Kind.STRATEGY, language=detect_language(summary), mentions=mentions),
            episode=episodes[0],
            kind=Kind.STRATEGY,
            valid_from=self._clock.now(),
            agent_id=episodes[0].agent_id if private else None,
            visibility=visibility,
            trust=min(case.trust for case in item.supporting),
            confidence=round(strategy.support.mean, 6),
            task_type=types[0] if len(types) == 1 else None,
            tools=tools,
            error_code=strategy.rule.error or None,
            context=" ".join(dict.fromkeys(filter(None, (case.experience.task_type for case in item.supporting)))),
            payload={STRATEGY_KEY: strategy.model_dump(mode="json")},
            status=Status.ACTIVE if self._approves(strategy, visibility) else Status.PENDING,
            more_evidence=tuple(episodes[1:]),
            identity="\x1f".join(strategy.rule.key),
        )

    def _approves(self, strategy: Strategy, visibility: Visibility) -> bool:
        """Whether the stated policy approves a new strategy: opt-in, never a shared one, never one with a concern (X-07)."""
        policy, support = self._policy, strategy.support
        return (
            policy.auto_approve
            and visibility is Visibility.PRIVATE
            and not strategy.concerns
            and support.supporting >= policy.auto_supporting
            and support.low >= policy.auto_low
        )

    def _rises(self, known: Known, strategy: Strategy, taken: Collection[tuple[str, str]], rivals: "_Rivals") -> bool:
        """Whether the stated policy approves a stored one: a pending one, or a fallen one that has recovered.

        Not while another one against the same error of the same tool is used, or does as well so far: of two that are followed
        together, nothing would tell which one helps.
        """
        if _place(strategy) in taken or rivals.has(strategy):
            return False
        fallen = known.memory.status is Status.STALE
        if known.memory.status is not Status.PENDING and not fallen:
            return False
        again = not fallen or is_recovered(strategy.rule, strategy.support, self._policy)
        return again and self._approves(strategy, known.memory.visibility)

    def _falls(self, known: Known, support: Support) -> bool:
        return known.memory.status is Status.ACTIVE and is_fallen(known.strategy.rule, support, self._policy)


@dataclass(frozen=True, slots=True)
class _Rivals:
    """Rules about tools that may come to be used, with what following each changes: by place, (rule, lift)."""

    lifts: Mapping[str, tuple[tuple[str, str], Rule, float]]

    def after(self, states: Mapping[str, Strategy]) -> "_Rivals":
        """Return them with the new states of some."""
        new = {one: (_place(state), state.rule, state.support.lift) for one, state in states.items() if one in self.lifts}
        return _Rivals({**self.lifts, **new})

    def beside(self, found: Sequence[Evidence]) -> "_Rivals":
        """Return them with new ones beside."""
        new = {"\x1f".join(item.rule.key): ((item.rule.tool, item.rule.error), item.rule, item.support.lift) for item in found}
        return _Rivals({**self.lifts, **new})

    def has(self, strategy: Strategy) -> bool:
        """Whether another rule against the same error of the same tool does as well; half a setting is no rival of the whole."""
        rule, lift = strategy.rule, strategy.support.lift
        return rule.kind is not RuleKind.LESSON and any(
            place == _place(strategy)
            and other.key != rule.key
            and theirs > lift - _CLOSE
            and not ((other.kind, other.other) == (rule.kind, rule.other) and not other.value)
            for place, other, theirs in self.lifts.values()
        )


def _rivals(known: Iterable[Known]) -> _Rivals:
    living = (Status.ACTIVE, Status.PENDING)
    return _Rivals(
        {
            item.memory.id: (_place(item.strategy), item.strategy.rule, item.strategy.support.lift)
            for item in known
            if item.memory.status in living and item.strategy.rule.kind is not RuleKind.LESSON
        }
    )


def _newest(evidence: Iterable[Evidence]) -> list[str]:
    """Return the ids of the experiences that may be linked to strategies: the newest for and against each."""
    found: dict[str, None] = {}
    for item in evidence:
        for group in (item.supporting, item.refuting):
            found.update((case.id, None) for case in sorted(group, key=lambda case: (case.at, case.id))[-EVIDENCE_KEPT:])
    return list(found)


def _place(strategy: Strategy) -> tuple[str, str]:
    """Return what a rule about a tool is to avoid: the tool and its error."""
    return strategy.rule.tool, strategy.rule.error


def _taken(known: Iterable[Known]) -> set[tuple[str, str]]:
    """Return the places of the strategies about tools that are in use."""
    return {
        _place(item.strategy)
        for item in known
        if item.memory.status is Status.ACTIVE and item.strategy.rule.kind is not RuleKind.LESSON
    }


def _of_no_session(memory: Memory) -> Memory:
    """Return a strategy as what it is: the engine's own, of no session, though its evidence was told in some."""
    return memory.model_copy(update={"session_id": None, "sequence": 0, "origin": Origin.AGENT})


def _first_episode(memory: Memory) -> str:
    return memory.episode_ids[0] if memory.episode_ids else ""


def _concerned(strategy: Strategy, concern: Concern) -> Strategy:
    kept = tuple(item for item in strategy.concerns if item != concern)
    return strategy.model_copy(update={"concerns": (*kept, concern)})
