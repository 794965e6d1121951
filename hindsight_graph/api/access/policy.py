"""What is let in: the access settings in the form the gates need."""

from collections.abc import Iterable
from dataclasses import dataclass

from hindsight_graph.api.access.bind import is_loopback
from hindsight_graph.settings import AccessSettings

HEALTH_PATHS = frozenset({"/health", "/health/live", "/health/ready"})
"""Paths that probes ask without a key and under any name; they tell no content."""
BODY_SECONDS = 30.0
"""How long a body may take to arrive."""


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """What the gates let in.

    Attributes:
        keyless: Callers without a key come in as the local operator, until the first key is made.
        hosts: Names a request may be made to besides `localhost` and addresses; `*` for any, `*.example.com` for those below.
        origins: Origins that web pages may call from besides the service's own; `*` for any.
        requests_per_minute: Of one key; 0 for no bound.
        max_concurrent: Requests worked on at once. max_body_bytes: of one request. body_seconds: until it has arrived.
        open_paths: Exact paths that need no key, no allowed host, and wait in no queue.
    """

    keyless: bool = False
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    requests_per_minute: int = 3000
    max_concurrent: int = 100
    max_body_bytes: int = 1_048_576
    body_seconds: float = BODY_SECONDS
    open_paths: frozenset[str] = HEALTH_PATHS

    @classmethod
    def of(cls, settings: AccessSettings, bind_host: str, open_paths: Iterable[str] = ()) -> "AccessPolicy":
        """Return the policy of these settings for a service that listens on `bind_host`.

        Args:
            settings: The group `access`.
            bind_host: The address it listens on: only on loopback, or by setting, do callers need no key.
            open_paths: More paths that need no key, as those of static pages.
        """
        return cls(
            keyless=is_loopback(bind_host) or settings.allow_keyless,
            hosts=frozenset(settings.hosts()),
            origins=frozenset(settings.origins()),
            requests_per_minute=settings.requests_per_minute,
            max_concurrent=settings.max_concurrent,
            max_body_bytes=settings.max_body_bytes,
            open_paths=HEALTH_PATHS | frozenset(open_paths),
        )
