"""Who asks, which rows, and at what time: scopes, views and filters. The one time rule lives here."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from pydantic import Field

from hindsight_graph.models.base import Model, UtcDatetime, Words
from hindsight_graph.models.enums import Kind, Origin, Outcome, Status, Visibility


class Scope(Model):
    """Whose data: a tenant, and optionally one agent in it.

    Without an agent everything in the tenant is visible; with one, the agent's own rows, rows of no agent, and what is shared.
    """

    tenant: Words = "default"
    agent_id: Words | None = None

    def sees(self, agent_id: str | None, visibility: Visibility) -> bool:
        """Whether a row of that agent and visibility may be read."""
        return self.agent_id is None or agent_id in (None, self.agent_id) or visibility is Visibility.SHARED


class SystemScope(Model):
    """Not a tenant: migrations, claiming jobs, operator statistics. Never reads content."""


class Timed(Protocol):
    """What memories and edges have in common: the fields of the time rule."""

    @property
    def status(self) -> Status:
        """Where it stands."""
        ...

    @property
    def is_current(self) -> bool:
        """Neither superseded nor retired."""
        ...

    @property
    def trust(self) -> float:
        """0..1."""
        ...

    @property
    def recorded_at(self) -> datetime:
        """When it was recorded."""
        ...

    @property
    def retired_at(self) -> datetime | None:
        """When it stopped being believed."""
        ...

    @property
    def valid_from(self) -> datetime | None:
        """Event time it holds from."""
        ...

    @property
    def valid_to(self) -> datetime | None:
        """Event time it holds to, exclusive."""
        ...

    @property
    def closed_at(self) -> datetime | None:
        """Record time at which `valid_to` was closed by an update."""
        ...

    @property
    def prior_valid_to(self) -> datetime | None:
        """What `valid_to` was before."""
        ...

    @property
    def expires_at(self) -> datetime | None:
        """When its time to live ends."""
        ...


class View(Model):
    """At what time, in which states, from which trust on.

    Attributes:
        now: The clock's time of the call; both times default to it.
        as_of: Event time asked about. known_at: record time asked about.
        statuses: States that are returned.
        min_trust: Rows below it do not exist for this query, in statistics and walks too.
        timeless: True returns every row in the asked states whatever its times (for listing and history).
    """

    now: UtcDatetime
    as_of: UtcDatetime | None = None
    known_at: UtcDatetime | None = None
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    min_trust: float = Field(default=0.0, ge=0, le=1)
    timeless: bool = False

    @property
    def is_historical(self) -> bool:
        """Whether it asks about another time than now."""
        return self.as_of is not None or self.known_at is not None

    @property
    def record_time(self) -> datetime:
        """The record time it reads at."""
        return self.known_at or self.now

    @property
    def event_time(self) -> datetime:
        """The event time it reads at: as_of, else known_at, else now."""
        return self.as_of or self.record_time

    def holds(self, row: Timed) -> bool:
        """Whether `row` is returned: the time rule, which every store's queries must equal.

        Now: an active row must be current, valid at `now` and not expired; a row in another asked state is returned whatever
        its times. At another time: the row must have been believed at the record time and valid at the event time, as far as
        was then known; superseded rows count, since they were true once.
        """
        if row.trust < self.min_trust:
            return False
        if self.timeless:
            return row.status in self.statuses
        if not self.is_historical and row.status is not Status.ACTIVE:
            return row.status in self.statuses
        known, event = self.record_time, self.event_time
        if row.status is Status.ACTIVE and row.expires_at is not None and row.expires_at <= known:
            return False
        if row.status not in self.statuses and not (self.is_historical and row.status is Status.SUPERSEDED):
            return False
        if not self.is_historical and not row.is_current:
            return False
        if row.recorded_at > known or (row.retired_at is not None and row.retired_at <= known):
            return False
        closed_later = row.closed_at is not None and row.closed_at > known
        valid_to = row.prior_valid_to if closed_later else row.valid_to
        return (row.valid_from is None or row.valid_from <= event) and (valid_to is None or event < valid_to)


class Filter(Model):
    """Which memories; every given condition must hold, an empty one is no condition. Applied before any top-k.

    Attributes:
        entity_ids: Mentions at least one of these (by canonical id).
        tags: Carries all of these.
        since, until: `valid_from` in [since, until).
        content_hashes, bands, slot: Look-ups for duplicates and slots; `bands` matches on any, `slot` is (normal subject, normal
            attribute).
        places: (session_id, sequence) pairs; matches on any.
        agent_ids: Written by one of these agents (on top of what the scope sees).
    """

    view: View
    ids: tuple[str, ...] | None = None
    root_id: str | None = None
    kinds: tuple[Kind, ...] = ()
    entity_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    agent_ids: tuple[str, ...] = ()
    session_id: str | None = None
    since: UtcDatetime | None = None
    until: UtcDatetime | None = None
    task_type: str | None = None
    outcome: Outcome | None = None
    tool: str | None = None
    error_code: str | None = None
    media_type: str | None = None
    origins: tuple[Origin, ...] = ()
    content_hashes: tuple[str, ...] = ()
    bands: tuple[int, ...] = ()
    slot: tuple[str, str] | None = None
    places: tuple[tuple[str, int], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the view restricts it."""
        return self == Filter(view=self.view)


class EpisodeFilter(Model):
    """Which episodes; every given condition must hold."""

    ids: tuple[str, ...] | None = None
    session_id: str | None = None
    content_hashes: tuple[str, ...] = ()
    raw_refs: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    since: UtcDatetime | None = None
    until: UtcDatetime | None = None


class Order(StrEnum):
    """How a scan is ordered; ties by id."""

    RECORDED_OLDEST = "recorded_oldest"
    RECORDED_NEWEST = "recorded_newest"
    EVENT_OLDEST = "event_oldest"
    EVENT_NEWEST = "event_newest"


MAX_HOPS = 6
"""Hops in a chain at most (promise G-02)."""
DEFAULT_LEASE = timedelta(minutes=1)
"""How long a worker may hold a job before it counts as dead."""
