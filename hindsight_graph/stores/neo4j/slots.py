"""The slots that a batch was planned against: held while it is written, and still with the holders that the plan found.

Another writer of the same slot waits for the lock, so of two values stated at once the second is planned anew.
"""

import json
from collections.abc import Sequence
from hashlib import sha256

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import SlotExpectation, WriteBatch
from hindsight_graph.stores.neo4j.rows import Properties


def slots_of(scope: Scope, batch: WriteBatch) -> list[Properties]:
    """Return the parameter `$slots` of `parts/slots_changed`, which says what each value is."""
    values: list[Properties] = [
        {
            "lock": _lock_of(scope.tenant, expected),
            "subject": expected.slot[0],
            "attribute": expected.slot[1],
            "agent": expected.agent_id or "",
            "ids": sorted(expected.ids),
        }
        for expected in batch.expected_slots
    ]
    return sorted(values, key=lambda value: str(value["lock"]))


def refuse_changed(changed: Sequence[Sequence[str]]) -> None:
    """Refuse a batch when slots, each a subject and an attribute, have other holders than its plan found."""
    for slot in changed:
        raise ConflictError(f"the value of {' / '.join(slot)} was changed by another writer", hint="plan the write anew")


def _lock_of(tenant: str, expected: SlotExpectation) -> str:
    """Return the key of a slot's lock: of one length, since an index takes no key of any length."""
    named = json.dumps([tenant, expected.agent_id or "", *expected.slot])
    return f"slot {sha256(named.encode()).hexdigest()}"
