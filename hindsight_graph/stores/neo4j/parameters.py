"""Scope, view and filter as parameters of the shared parts of statements; the view's must make `View.holds` of them."""

from typing import Any

from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import EpisodeFilter, Filter, Scope, View
from hindsight_graph.stores.neo4j.rows import micros, micros_or_none
from hindsight_graph.stores.neo4j.terms import filter_keys

Parameters = dict[str, Any]


def scope_parameters(scope: Scope, view: View | None = None, **more: Any) -> Parameters:
    """Return the tenant, and in `where` the agent, the view, and more fields."""
    return {"tenant": scope.tenant, "where": {**more, "agent": scope.agent_id, **(_view_fields(view) if view else {})}}


def _view_fields(view: View) -> Parameters:
    historical = view.is_historical and not view.timeless
    statuses = dict.fromkeys((*view.statuses, Status.SUPERSEDED) if historical else view.statuses)
    return {
        "min_trust": view.min_trust,
        "statuses": [status.value for status in statuses],
        "timeless": view.timeless,
        "historical": historical,
        "known": micros(view.record_time),
        "event": micros(view.event_time),
    }


def _access(filter_: Filter) -> str:
    """Return the branch of `parts/candidates` that leads to the fewest rows, by the usual size of each."""
    given = (
        ("ids", filter_.ids is not None),
        ("places", bool(filter_.places)),
        ("hashes", bool(filter_.content_hashes)),
        ("root", filter_.root_id is not None),
        ("slot", filter_.slot is not None),
        ("session", filter_.session_id is not None),
        ("entities", bool(filter_.entity_ids)),
        ("keys", bool(filter_.bands or filter_.tags) or filter_.tool is not None),
        ("error_code", filter_.error_code is not None),
        ("media_type", filter_.media_type is not None),
        ("task_type", filter_.task_type is not None),
    )
    return next((name for name, is_given in given if is_given), "tenant")


def is_indexed(filter_: Filter) -> bool:
    """Whether an index leads to the rows of a filter without reading the whole tenant."""
    return _access(filter_) != "tenant"


def filter_parameters(scope: Scope, filter_: Filter, **more: Any) -> Parameters:
    """Return the tenant, and in `where` what `parts/admitted` and `parts/candidates` need, and more fields."""
    slot = filter_.slot or (None, None)
    fields = {
        **more,
        **_view_fields(filter_.view),
        "agent": scope.agent_id,
        "access": _access(filter_),
        "keys": filter_keys(scope.tenant, filter_),
        "ids": None if filter_.ids is None else list(filter_.ids),
        "root_id": filter_.root_id,
        "kinds": [kind.value for kind in filter_.kinds],
        "entity_ids": list(filter_.entity_ids),
        "tags": list(filter_.tags),
        "agents": list(filter_.agent_ids),
        "session_id": filter_.session_id,
        "after": micros_or_none(filter_.since),
        "before": micros_or_none(filter_.until),
        "task_type": filter_.task_type,
        "outcome": filter_.outcome.value if filter_.outcome else None,
        "tool": filter_.tool,
        "error_code": filter_.error_code,
        "media_type": filter_.media_type,
        "origins": [origin.value for origin in filter_.origins],
        "hashes": list(filter_.content_hashes),
        "bands": list(filter_.bands),
        "slot_subject": slot[0],
        "slot_attribute": slot[1],
        "places": [list(place) for place in filter_.places],
    }
    return {"tenant": scope.tenant, "where": fields}


def episode_parameters(scope: Scope, filter_: EpisodeFilter, **more: Any) -> Parameters:
    """Return the tenant, and in `where` what the episode scans need, and more fields."""
    access = "tenant"
    for name, is_given in (
        ("ids", filter_.ids is not None), ("hashes", bool(filter_.content_hashes)), ("raw_refs", bool(filter_.raw_refs)),
        ("session", filter_.session_id is not None),
    ):  # fmt: skip
        if is_given:
            access = name
            break
    fields = {
        **more,
        "agent": scope.agent_id,
        "access": access,
        "ids": None if filter_.ids is None else list(filter_.ids),
        "session_id": filter_.session_id,
        "hashes": list(filter_.content_hashes),
        "raw_refs": list(filter_.raw_refs),
        "roles": list(filter_.roles),
        "after": micros_or_none(filter_.since),
        "before": micros_or_none(filter_.until),
    }
    return {"tenant": scope.tenant, "where": fields}
