"""What was merged into what, read from the audit trail: the record that makes merges reversible."""

from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import AuditEntry
from hindsight_graph.stores.base import Store

MERGE_ACTION, SPLIT_ACTION = "merge_entities", "split_entity"
"""Actions in the audit trail. Detail of both: source, canonical, previous {id: canonical id before}; of a merge also target, as
it was stated. Target ids: everything whose canonical id changed, the stated target, and the canonical entity."""
_AUDIT_LIMIT = 10_000


async def merged_into(store: Store, scope: Scope, identity: str) -> list[str]:
    """Return everything that stands for this entity by merges that hold now, also through others; nearest first."""
    found: list[str] = []
    waiting = [identity]
    while waiting:
        current = waiting.pop(0)
        entries = await _history(store, scope, current)
        for source in dict.fromkeys(str(entry.detail["source"]) for entry in entries if entry.detail.get("target") == current):
            last = next(entry for entry in await _history(store, scope, source) if entry.detail["source"] == source)
            if last.action == MERGE_ACTION and last.detail["target"] == current and source not in found:
                found.append(source)
                waiting.append(source)
    return found


async def _history(store: Store, scope: Scope, identity: str) -> list[AuditEntry]:
    """Return the merges and splits that touched this entity, newest first."""
    entries = await store.scan_audit(scope, target_id=identity, limit=_AUDIT_LIMIT)
    merges = [entry for entry in entries if entry.action in (MERGE_ACTION, SPLIT_ACTION)]
    return sorted(merges, key=lambda entry: (entry.at, entry.id), reverse=True)
