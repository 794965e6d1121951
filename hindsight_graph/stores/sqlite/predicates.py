"""Scope, view and filter as SQL. The view must equal `View.holds`; a property test compares them.

Values travel as named parameters only; what is written into the text are column names and members of closed enums.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import EpisodeFilter, Filter, Scope, View
from hindsight_graph.stores.sqlite.rows import micros
from hindsight_graph.stores.sqlite.schema import HASH_DIGITS


@dataclass
class Where:
    """A conjunction in the making: conditions and their named parameters."""

    conditions: list[str] = field(default_factory=list[str])
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])

    def add(self, condition: str, **parameters: Any) -> None:
        """Add one condition with its parameters."""
        self.conditions.append(condition)
        self.parameters.update(parameters)

    @property
    def sql(self) -> str:
        """The conjunction."""
        return " AND ".join(self.conditions) or "1"


CONTENT_HOLDS = "is_current = 1 AND status <> 'rejected'"
"""When a memory keeps others from saying the same; the condition of the index `memories_content`."""
CONTENT_IS_PAST = "(is_current <> 1 OR status = 'rejected')"
"""When it does not; the condition of the index `memories_content_past`."""


def _in(statuses: tuple[Status, ...]) -> str:
    return "(" + ", ".join(f"'{status.value}'" for status in statuses) + ")"


def add_scope(where: Where, scope: Scope, row: str, *, has_visibility: bool = True) -> None:
    """Add: the row is of the scope's tenant, and its agent may see it."""
    where.add(f"{row}.tenant = :tenant", tenant=scope.tenant)
    if scope.agent_id is not None:
        shared = f" OR {row}.visibility = 'shared'" if has_visibility else ""
        where.add(f"({row}.agent_id IS NULL OR {row}.agent_id = :agent{shared})", agent=scope.agent_id)


def add_view(where: Where, view: View, row: str) -> None:
    """Add the time rule (`View.holds`).

    The unary plus keeps SQLite from taking "recorded before now" for a selective condition and reading the whole tenant by it.
    """
    if view.min_trust > 0:
        where.add(f"{row}.trust >= :min_trust", min_trust=view.min_trust)
    if view.timeless:
        where.add(f"{row}.status IN {_in(view.statuses)}")
        return
    times = {"known": micros(view.record_time), "event": micros(view.event_time)}
    in_time = (
        f"+{row}.recorded_at <= :known AND ({row}.retired_at IS NULL OR {row}.retired_at > :known)"
        f" AND ({row}.valid_from IS NULL OR +{row}.valid_from <= :event)"
        f" AND coalesce(:event < CASE WHEN {row}.closed_at > :known THEN {row}.prior_valid_to ELSE {row}.valid_to END, 1)"
    )
    lives = f"({row}.expires_at IS NULL OR {row}.expires_at > :known)"
    if view.is_historical:
        statuses = tuple(dict.fromkeys((*view.statuses, Status.SUPERSEDED)))
        where.add(f"{row}.status IN {_in(statuses)} AND ({row}.status <> 'active' OR {lives}) AND {in_time}", **times)
        return
    others = tuple(status for status in view.statuses if status is not Status.ACTIVE)
    if len(others) == len(view.statuses):
        where.add(f"{row}.status IN {_in(others)}")
        return
    active = f"{row}.status = 'active' AND {row}.is_current = 1 AND {lives} AND {in_time}"
    where.add(f"({active} OR {row}.status IN {_in(others)})" if others else active, **times)


HASH = f"substr(content_hash, 1, {HASH_DIGITS})"
"""What the indexes hold of a content hash."""


def hash_keys(hashes: Sequence[str]) -> list[str]:
    """Return what the indexes hold of these content hashes."""
    return [content_hash[:HASH_DIGITS] for content_hash in hashes]


_FEW = 8
"""Values that are written as parameters of their own: a single write asks a dozen times for one to four, and making a table of a
JSON text costs 25 us each time (measured; the look-up itself costs 8)."""


def among(name: str, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """Return the condition that something is one of `values`, of which there is at least one, and its parameters :name...

    The number of parameters is a power of two, the last value repeated, so that few statements are made ready.
    """
    if len(values) > _FEW:
        return f"IN (SELECT value FROM json_each(:{name}))", {name: json.dumps(values)}
    count = 1 << (len(values) - 1).bit_length()
    parameters = {f"{name}{place}": values[min(place, len(values) - 1)] for place in range(count)}
    return f"IN ({', '.join([f':{key}' for key in parameters])})", parameters


_IN_JSON = "IN (SELECT value FROM json_each(:{name}))"
_ENTITY_IDS = (
    "SELECT j.value FROM json_each(:entities) j WHERE NOT EXISTS"
    " (SELECT 1 FROM entities x WHERE x.tenant = :tenant AND x.id = j.value AND x.canonical_id <> x.id)"
    " UNION SELECT e.id FROM json_each(:entities) j CROSS JOIN entities e"
    " ON e.tenant = :tenant AND e.canonical_id = j.value AND e.canonical_id <> e.id"
)
"""The asked entities that stand for themselves, and those merged into them."""


def slot_sets(filter_: Filter) -> list[tuple[str, dict[str, Any]]]:
    """Return the conditions of a filter that an index answers, each as a statement that selects slots, with its parameters.

    The parameter :tenant is the caller's. A memory must be in all of the sets.
    """
    sets: list[tuple[str, dict[str, Any]]] = []

    def add(source: str, **parameters: Any) -> None:
        sets.append((f"SELECT slot FROM {source}", parameters))

    of_tenant = "memories WHERE tenant = :tenant AND"
    if filter_.ids is not None:
        add(f"{of_tenant} id {_IN_JSON.format(name='ids')}", ids=json.dumps(filter_.ids))
    if filter_.root_id is not None:
        add(
            f"{of_tenant} id = :root AND root_id = :root"
            f" UNION ALL SELECT slot FROM {of_tenant} root_id = :root AND root_id <> id",
            root=filter_.root_id,
        )
    if filter_.content_hashes:
        has_hash = f"{of_tenant} {HASH} {_IN_JSON.format(name='hashes')} AND"
        add(
            f"{has_hash} {CONTENT_HOLDS} UNION ALL SELECT slot FROM {has_hash} {CONTENT_IS_PAST}",
            hashes=json.dumps(hash_keys(filter_.content_hashes)),
        )
    if filter_.bands:
        add(f"memory_bands WHERE tenant = :tenant AND band {_IN_JSON.format(name='bands')}", bands=json.dumps(filter_.bands))
    if filter_.slot is not None:
        add(
            f"{of_tenant} slot_normal = :slot_normal AND slot_attribute = :slot_attribute",
            slot_normal=filter_.slot[0], slot_attribute=filter_.slot[1],
        )  # fmt: skip
    if filter_.places:
        add(
            "(SELECT p.slot FROM json_each(:places) s CROSS JOIN json_each(s.value) q CROSS JOIN memories p"
            " ON p.tenant = :tenant AND p.session_id = s.key AND p.sequence = q.value)",
            places=json.dumps(_by_session(filter_.places)),
        )
    if filter_.entity_ids:
        add(f"memory_entities WHERE tenant = :tenant AND entity_id IN ({_ENTITY_IDS})", entities=json.dumps(filter_.entity_ids))
    for number, tag in enumerate(filter_.tags):
        add(f"memory_tags WHERE tenant = :tenant AND tag = :tag{number}", **{f"tag{number}": tag})
    if filter_.tool is not None:
        add("memory_tools WHERE tenant = :tenant AND tool = :tool", tool=filter_.tool)
    for name in ("session_id", "task_type", "error_code", "media_type"):
        value: str | None = getattr(filter_, name)
        if value is not None:
            add(f"{of_tenant} {name} = :{name}", **{name: value})
    return sets


def _by_session(places: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    by_session: dict[str, list[int]] = {}
    for session_id, sequence in places:
        by_session.setdefault(session_id, []).append(sequence)
    return by_session


def add_filter(where: Where, filter_: Filter, row: str) -> None:
    """Add a filter's conditions apart from its view; `row` is the alias of the memories table."""
    for statement, parameters in slot_sets(filter_):
        where.add(f"{row}.slot IN ({statement})", **parameters)
    if filter_.kinds:
        where.add(f"{row}.kind IN (" + ", ".join(f"'{kind.value}'" for kind in filter_.kinds) + ")")
    if filter_.agent_ids:
        where.add(f"{row}.agent_id IN (SELECT value FROM json_each(:agents))", agents=json.dumps(filter_.agent_ids))
    if filter_.since is not None:
        where.add(f"{row}.valid_from >= :since", since=micros(filter_.since))
    if filter_.until is not None:
        where.add(f"{row}.valid_from < :until", until=micros(filter_.until))
    if filter_.outcome is not None:
        where.add(f"{row}.outcome = '{filter_.outcome.value}'")
    if filter_.origins:
        where.add(f"{row}.origin IN (" + ", ".join(f"'{origin.value}'" for origin in filter_.origins) + ")")


def add_episode_filter(where: Where, filter_: EpisodeFilter, row: str) -> None:
    """Add the conditions of an episode filter."""
    if filter_.content_hashes:
        keys = json.dumps(hash_keys(filter_.content_hashes))
        where.add(f"substr({row}.content_hash, 1, {HASH_DIGITS}) {_IN_JSON.format(name='hashes')}", hashes=keys)
    for name, values in (("id", filter_.ids), ("raw_ref", filter_.raw_refs or None), ("role", filter_.roles or None)):
        if values is not None:
            where.add(f"{row}.{name} IN (SELECT value FROM json_each(:{name}))", **{name: json.dumps(values)})
    if filter_.session_id is not None:
        where.add(f"{row}.session_id = :session", session=filter_.session_id)
    if filter_.since is not None:
        where.add(f"{row}.occurred_at >= :since", since=micros(filter_.since))
    if filter_.until is not None:
        where.add(f"{row}.occurred_at < :until", until=micros(filter_.until))


def is_selective(filter_: Filter) -> bool:
    """Whether a filter names few rows by themselves: ids, hashes, signatures, a slot, places, one root or one session."""
    return (
        filter_.ids is not None
        or bool(filter_.content_hashes or filter_.bands or filter_.places)
        or any(value is not None for value in (filter_.slot, filter_.root_id, filter_.session_id))
    )
