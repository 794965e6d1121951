"""Identifiers: UUIDv7 for what happens once, UUIDv5 for what is the same thing each time it is named.

UUIDv7 (RFC 9562) sorts by creation time. Within one millisecond the 12 bits of `rand_a` count up, so one generator's ids
are strictly increasing. Entities get a name-based id instead, so that two writers who name the same thing at the same
time write the same node.
"""

import secrets
from collections.abc import Callable
from threading import Lock
from uuid import UUID, uuid5

from hindsight_graph.clock import Clock

_ENTITY_NAMESPACE = UUID("6f0f4e0c-6c0b-5f0e-9d53-9b1b6f6f2a11")
_COUNTER_BITS = 12
_COUNTER_LIMIT = 1 << _COUNTER_BITS


class IdGenerator:
    """Makes UUIDv7 strings, strictly increasing within the process.

    Args:
        clock: Where the millisecond timestamp comes from.
        random_bits: Returns that many random bits; a seeded source makes ids repeatable.
    """

    def __init__(self, clock: Clock, random_bits: Callable[[int], int] = secrets.randbits) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._lock = Lock()
        self._millisecond = -1
        self._counter = 0

    def new(self) -> str:
        """Return the next id, 36 characters, lower case."""
        with self._lock:
            now = int(self._clock.now().timestamp() * 1000)
            if now > self._millisecond:
                self._millisecond, self._counter = now, self._random_bits(_COUNTER_BITS - 1)
            else:
                self._counter += 1
                if self._counter == _COUNTER_LIMIT:
                    self._millisecond, self._counter = self._millisecond + 1, 0
            millisecond, counter = self._millisecond, self._counter
        value = (millisecond & ((1 << 48) - 1)) << 80
        value |= 0x7 << 76 | counter << 64 | 0b10 << 62 | self._random_bits(62)
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def entity_id(tenant: str, normal_name: str) -> str:
    """Return the id of the entity with this normal form in this tenant: UUIDv5, the same for every writer."""
    return str(uuid5(_ENTITY_NAMESPACE, f"{tenant}\x00{normal_name}"))
