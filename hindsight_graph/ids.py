"""Identifiers: UUIDv7 for what happens once, UUIDv5 for what is the same thing each time it is named.

UUIDv7 (RFC 9562) sorts by creation time. Within one millisecond the 12 bits of `rand_a` count up, so one generator's ids
are strictly increasing. Entities get a name-based id instead, so that two writers who name the same thing at the same
time write the same node.
"""

import os
from collections.abc import Callable
from threading import Lock
from uuid import UUID, uuid5

from hindsight_graph.clock import Clock

_ENTITY_NAMESPACE = UUID("6f0f4e0c-6c0b-5f0e-9d53-9b1b6f6f2a11")
_COUNTER_BITS = 12
_COUNTER_LIMIT = 1 << _COUNTER_BITS
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""Hex digit to the one with the two bits of RFC 9562's variant in front."""


def _secret_bits(count: int) -> int:
    """Return random bits of the operating system."""
    size = (count + 7) // 8
    return int.from_bytes(os.urandom(size)) >> (8 * size - count)


class IdGenerator:
    """Makes UUIDv7 strings, strictly increasing within the process.

    Args:
        clock: Where the millisecond timestamp comes from.
        random_bits: Returns that many random bits; a seeded source makes ids repeatable.
    """

    def __init__(self, clock: Clock, random_bits: Callable[[int], int] = _secret_bits) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._lock = Lock()
        self._millisecond = -1
        self._counter = 0
        self._prefix = ""

    def new(self) -> str:
        """Return the next id, 36 characters, lower case."""
        return self.several(1)[0]

    def several(self, count: int) -> list[str]:
        """Return the next `count` ids, made with one look at the clock and one at the source of chance.

        Four cost less than half of what they cost one by one.
        """
        made: list[str] = []
        with self._lock:
            now = int(self._clock.now().timestamp() * 1000)
            chance = self._random_bits(64 * count).to_bytes(8 * count).hex()
            for at in range(0, 16 * count, 16):
                if now > self._millisecond:
                    self._start(now, self._random_bits(_COUNTER_BITS - 1))
                elif self._counter + 1 == _COUNTER_LIMIT:
                    self._start(self._millisecond + 1, 0)
                else:
                    self._counter += 1
                tail = f"{_VARIANT[chance[at]]}{chance[at + 1 : at + 4]}-{chance[at + 4 : at + 16]}"
                made.append(f"{self._prefix}{self._counter:03x}-{tail}")
        return made

    def _start(self, millisecond: int, counter: int) -> None:
        """Begin a millisecond; what its ids have in common is written once."""
        self._millisecond, self._counter = millisecond, counter
        time = f"{millisecond & ((1 << 48) - 1):012x}"
        self._prefix = f"{time[:8]}-{time[8:]}-7"


def entity_id(tenant: str, normal_name: str) -> str:
    """Return the id of the entity with this normal form in this tenant: UUIDv5, the same for every writer."""
    return str(uuid5(_ENTITY_NAMESPACE, f"{tenant}\x00{normal_name}"))
