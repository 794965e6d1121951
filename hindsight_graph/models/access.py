"""Who may call a service, and for whom: the scopes of a key and what a verified caller is."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from hindsight_graph.models.base import Model, UtcDatetime, Words

PRINCIPAL = "hindsight_graph.principal"
"""Where the access layer leaves the verified caller in the ASGI scope."""


class KeyScope(StrEnum):
    """What a key allows; none implies another, but `admin` implies all."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"


class Principal(Model):
    """A verified caller: the tenant it is walled into, its agent, and what it may do.

    Attributes:
        agent_id: The agent all its calls are made for; None leaves the choice to the call.
        key_id: Which key was shown; None for a keyless caller on loopback.
    """

    tenant: Words
    agent_id: Words | None = None
    scopes: frozenset[KeyScope] = frozenset(KeyScope)
    key_id: str | None = None

    def may(self, scope: KeyScope) -> bool:
        """Whether calls of that scope are allowed."""
        return scope in self.scopes or KeyScope.ADMIN in self.scopes


class ApiKey(Model):
    """A key as stored: everything about it but the secret, of which only a hash is kept.

    Attributes:
        id: Public part of the token, by which it is found. secret_hash: hex SHA-256 of the secret part (256 random bits).
        name: What the operator calls it.
    """

    id: str
    secret_hash: str
    name: Words
    tenant: Words
    agent_id: Words | None = None
    scopes: frozenset[KeyScope]
    created_at: UtcDatetime
    expires_at: UtcDatetime | None = None
    revoked_at: UtcDatetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Whether it opens anything at that time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class NewKey(Model):
    """A key just made.

    Attributes:
        token: What callers send, `hg_<id>_<secret>`; it is not stored and cannot be had again.
    """

    key: ApiKey
    token: str = Field(repr=False)
