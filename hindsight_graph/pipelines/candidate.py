"""A candidate: a statement with everything its memory will carry, before anything is decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.errors import InputError
from hindsight_graph.extraction.base import Statement
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import EntityType, Kind, MentionRole, Origin, Outcome, Status, Visibility
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.learning import NO_EVIDENCE, STRATEGY_KEY, Concern, Conditions, Rule, RuleKind, Strategy, Support
from hindsight_graph.models.memory import Mention, Slot
from hindsight_graph.models.write import Unit
from hindsight_graph.pipelines.duplicates import facets_of
from hindsight_graph.text.names import normal_name
from hindsight_graph.text.sketch import content_hash

_TIMED = frozenset({Kind.ACTION, Kind.RESULT, Kind.EXPERIENCE})


class RetainSettings(Model):
    """What retain may be told.

    Attributes:
        trust: Origin to trust, 0..1.
        trust_floor: Below it a memory is kept but not recalled; the receipt says so.
        ttl_by_kind: Default time to live; None means for ever.
    """

    trust: dict[Origin, float]
    trust_floor: float
    ttl_by_kind: dict[Kind, timedelta | None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement with everything its memory will carry; `ttl` of None means the kind's default, zero means for ever.

    `more_evidence` are episodes beside the one it is from; `identity` tells it apart from others in the same words.
    """

    statement: Statement
    episode: Episode
    kind: Kind
    valid_from: datetime
    valid_to: datetime | None = None
    timed: bool = False
    slot: Slot | None = None
    agent_id: str | None = None
    visibility: Visibility = Visibility.SHARED
    trust: float = 0.9
    confidence: float = 0.9
    importance: float = 1.0
    priority: int = 0
    ttl: timedelta | None = None
    tags: tuple[str, ...] = ()
    media_type: str | None = None
    task_type: str | None = None
    outcome: Outcome | None = None
    tools: tuple[str, ...] = ()
    error_code: str | None = None
    context: str = ""
    stated_relations: tuple[str, ...] = ()
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])
    weight: float = 0.5
    status: Status = Status.ACTIVE
    more_evidence: tuple[Episode, ...] = ()
    identity: str = ""

    @classmethod
    def from_episode(cls, statement: Statement, episode: Episode, context: str) -> "Candidate":
        """Return the candidate of an extracted statement; `context` is indexed with it."""
        return cls(
            statement=statement,
            episode=episode,
            kind=statement.kind,
            valid_from=episode.occurred_at,
            timed=True,
            slot=statement.slot,
            agent_id=episode.agent_id,
            visibility=_default_visibility(episode.agent_id),
            trust=episode.trust,
            confidence=statement.confidence,
            media_type=episode.media_type,
            outcome=statement.outcome,
            tools=statement.tools,
            error_code=statement.error_code,
            context=context,
        )

    @classmethod
    def from_unit(cls, statement: Statement, unit: Unit, episode: Episode, settings: RetainSettings) -> "Candidate":
        """Return the candidate of a unit: what the caller said wins over what was extracted.

        A strategy that somebody wrote has no evidence yet, whatever its payload claims, and waits for a person (promise T-05).
        """
        written = (unit.kind or statement.kind) is Kind.STRATEGY
        return cls(
            statement=statement,
            episode=episode,
            kind=unit.kind or statement.kind,
            valid_from=unit.occurred_at or episode.recorded_at,
            valid_to=unit.valid_to,
            timed=unit.occurred_at is not None,
            slot=plain_slot(unit.slot) or statement.slot,
            agent_id=episode.agent_id,
            visibility=unit.visibility or _default_visibility(episode.agent_id),
            trust=settings.trust[unit.origin],
            confidence=statement.confidence if unit.confidence is None else unit.confidence,
            importance=unit.importance,
            priority=unit.priority,
            ttl=None if unit.ttl_days is None else timedelta(days=unit.ttl_days),
            tags=unit.tags,
            media_type=unit.media_type,
            task_type=unit.task_type,
            outcome=unit.outcome or statement.outcome,
            tools=unit.tools or statement.tools,
            error_code=unit.error_code or statement.error_code,
            stated_relations=tuple(sorted(f"{item.source}\x1f{item.type}\x1f{item.target}" for item in unit.relations or ())),
            payload=unit.payload | ({STRATEGY_KEY: _unproved(statement.summary, unit)} if written else {}),
            context=unit.context,
            status=Status.PENDING if unit.pending or written else Status.ACTIVE,
        )

    def standing_on(self, episode: Episode) -> "Candidate":
        """Return the same statement as said in another episode; where no time was stated it holds from that one's on."""
        return replace(self, episode=episode, valid_from=self.valid_from if self.timed else episode.recorded_at)

    @property
    def facets(self) -> tuple[str, ...]:
        """What it says beside its words."""
        return facets_of(self.slot, self.task_type, self.outcome, self.tools, self.error_code, self.media_type)

    @property
    def content_hash(self) -> str:
        """The hash under which the same statement is found again."""
        return self.hash_with(all_mentions(self.statement), self.facets)

    def hash_with(self, mentions: Sequence[Mention], facets: Sequence[str]) -> str:
        """Return the content hash, given the statement's mentions and facets.

        Besides the words: names they do not say (who "I" is), relations the caller stated, what `facets` holds, a given end of
        its validity, for actions and results a stated time, and what tells a lesson apart from others in the same words.
        """
        statement = self.statement
        said = statement.summary.casefold()
        names = {normal_name(mention.name) for mention in mentions if mention.name.casefold() not in said}
        at = self.valid_from.isoformat(timespec="minutes") if self.timed and self.kind in _TIMED else ""
        until = self.valid_to.isoformat() if self.valid_to else ""
        identity = (self.identity,) if self.identity else ()
        also = (*sorted(names), "", *self.stated_relations, "", *facets, at, until, *identity)
        return content_hash(statement.summary, self.kind, statement.negated, also)


def all_mentions(statement: Statement) -> tuple[Mention, ...]:
    """Return a statement's mentions, and the ends of its relations that it does not mention, each normal name once."""
    found: dict[str, Mention] = {}
    for mention in statement.mentions:
        found.setdefault(mention.name, mention)
    for relation in statement.relations:
        for name, role in ((relation.source, MentionRole.SUBJECT), (relation.target, MentionRole.OBJECT)):
            if name not in found:
                found[name] = Mention(name=name, type=EntityType.OTHER, role=role)
    return tuple(found.values())


def nameable(statement: Statement) -> Statement:
    """Return the statement without the names that no entity can have (too long, or without any letter or digit)."""
    mentions = tuple([mention for mention in statement.mentions if _is_name(mention.name)])
    relations = tuple([item for item in statement.relations if _is_name(item.source) and _is_name(item.target)])
    slot = statement.slot
    kept = plain_slot(slot) if slot is not None and _is_name(slot.subject) and _is_name(slot.attribute) else None
    if kept is slot and len(mentions) == len(statement.mentions) and len(relations) == len(statement.relations):
        return statement
    return statement.model_copy(update={"mentions": mentions, "relations": relations, "slot": kept})


def check_names(unit: Unit) -> None:
    """Refuse a given name that no entity can have; raises InputError naming it."""
    ends = (end for relation in unit.relations or () for end in (relation.source, relation.target))
    slot = (unit.slot.subject, unit.slot.attribute) if unit.slot else ()
    for name in (*(unit.entities or ()), *ends, *slot):
        try:
            normal_name(name)
        except ValueError as error:
            raise InputError(str(error), hint="give a shorter name, with at least one letter, digit or symbol") from error


def plain_slot(slot: Slot | None) -> Slot | None:
    """Return the slot with its attribute in normal form, under which its values compete."""
    return slot.model_copy(update={"attribute": normal_name(slot.attribute)}) if slot is not None else None


def _is_name(name: str) -> bool:
    try:
        return bool(normal_name(name))
    except ValueError:
        return False


def _default_visibility(agent_id: str | None) -> Visibility:
    return Visibility.SHARED if agent_id is None else Visibility.PRIVATE


def _unproved(summary: str, unit: Unit) -> dict[str, Any]:
    """Return the strategy of a unit, with its rule and conditions as written, and without any support."""
    told = Strategy.of(unit.payload)
    if told is None:
        rule = Rule(kind=RuleKind.LESSON, text=summary)
        types = () if unit.task_type is None else (unit.task_type,)
        told = Strategy(guidance=summary, rule=rule, conditions=Conditions(task_types=types, tools=unit.tools))
    concern = Concern(code=NO_EVIDENCE, text=f"written by a caller ({unit.origin.value}); no experience stands behind it yet")
    return told.model_copy(update={"support": Support(), "concerns": (concern,)}).model_dump(mode="json")
