"""API keys: made, listed, revoked, and recognised when somebody shows one.

A token is `hg_<id>_<secret>`. The id finds the key; of the secret, 256 random bits, only the SHA-256 is stored: nothing slower is
needed, since there is nothing to guess. Whether a token is malformed, unknown, wrong, revoked or expired is told to nobody.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hindsight_graph.clock import Clock
from hindsight_graph.errors import InputError, NotFoundError
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.access import ApiKey, KeyScope, NewKey, Principal
from hindsight_graph.models.base import is_visible
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.models.record import AuditEntry, WriteBatch
from hindsight_graph.stores.base import Store

DEFAULT_SCOPES = (KeyScope.READ, KeyScope.WRITE)
"""What a key may do when nothing is said."""
_PREFIX = "hg"
_ID_BYTES = 10
"""80 bits: 16 letters and digits in base 32."""
_SECRET_BYTES = 32
"""256 bits: 43 letters, digits, `-` and `_` in base 64."""
_TOKEN = re.compile(r"hg_([a-z2-7]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_NOBODY = hashlib.sha256(b"no such key").hexdigest()
"""What a secret is compared with when its key does not exist, so that both take as long."""


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True)
class Keys:
    """The API keys of one tenant; `verify` recognises those of all.

    Attributes:
        scope: Keys are made for its tenant and, where it has one, its agent.
        random_bytes: Returns that many random bytes.
    """

    store: Store
    clock: Clock
    ids: IdGenerator
    scope: Scope = field(default_factory=Scope)
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    async def create(
        self, name: str, *, scopes: Iterable[KeyScope | str] = DEFAULT_SCOPES, expires_at: datetime | None = None
    ) -> NewKey:
        """Make a key and return it with its token, which cannot be had again.

        Args:
            name: What to call it.
            scopes: What it allows: read, write, review, admin.
            expires_at: When it ends; never when absent.

        Raises:
            InputError: No scope, an unknown one, an empty name, or an end that is over.
        """
        chosen = frozenset(_scope(scope) for scope in scopes)
        now = self.clock.now()
        if not chosen:
            raise InputError("a key without a scope opens nothing", hint=f"give one of {', '.join(KeyScope)}")
        if not is_visible(name):
            raise InputError("a key needs a name", hint="say who or what will use it")
        if expires_at is not None and expires_at <= now:
            raise InputError(f"expires_at {expires_at.isoformat()} is over", hint="give a time that is yet to come")
        key_id = base64.b32encode(self.random_bytes(_ID_BYTES)).decode().lower()
        secret = base64.urlsafe_b64encode(self.random_bytes(_SECRET_BYTES)).decode().rstrip("=")
        key = ApiKey(
            id=key_id, secret_hash=_hash(secret), name=name, tenant=self.scope.tenant, agent_id=self.scope.agent_id,
            scopes=chosen, created_at=now, expires_at=expires_at,
        )  # fmt: skip
        detail = {"name": key.name, "scopes": sorted(chosen), "agent_id": key.agent_id}
        await self.store.write(self.scope, WriteBatch(keys=(key,), audit=(self._audit("key_create", key.id, detail=detail),)))
        return NewKey(key=key, token=f"{_PREFIX}_{key_id}_{secret}")

    async def list(self, *, everywhere: bool = False) -> tuple[ApiKey, ...]:
        """Return the keys of the tenant, or of all tenants, oldest first, revoked and expired ones too."""
        return await self.store.list_keys(SystemScope() if everywhere else self.scope)

    async def revoke(self, key_id: str, *, reason: str = "") -> ApiKey:
        """End a key at once and for ever; returns it. Raises NotFoundError when the tenant has no such key."""
        found = await self.store.find_key(SystemScope(), key_id)
        if found is None or found.tenant != self.scope.tenant:
            raise NotFoundError(f"no key {key_id}", hint="`hindsight-graph keys list` names them; is it another tenant's?")
        if found.revoked_at is None:
            found = found.model_copy(update={"revoked_at": self.clock.now()})
            entry = self._audit("key_revoke", key_id, reason=reason)
            await self.store.write(self.scope, WriteBatch(keys=(found,), audit=(entry,)))
        return found

    async def any_made(self) -> bool:
        """Whether a key was ever made, in any tenant, be it revoked: from then on keys are needed."""
        return bool(await self.store.list_keys(SystemScope(), limit=1))

    async def verify(self, token: str) -> Principal | None:
        """Return who shows a token; None when it opens nothing, whatever the reason."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            return None
        key = await self.store.find_key(SystemScope(), found[1])
        is_right = hmac.compare_digest(_hash(found[2]), _NOBODY if key is None else key.secret_hash)
        if key is None or not is_right or not key.is_valid(self.clock.now()):
            return None
        return Principal(tenant=key.tenant, agent_id=key.agent_id, scopes=key.scopes, key_id=key.id)

    def _audit(self, action: str, key_id: str, *, reason: str = "", detail: Mapping[str, object] | None = None) -> AuditEntry:
        return AuditEntry(
            id=self.ids.new(), at=self.clock.now(), actor="operator", action=action, target_ids=(key_id,), reason=reason,
            detail=dict(detail or {}),
        )  # fmt: skip


def _scope(value: KeyScope | str) -> KeyScope:
    try:
        return KeyScope(value)
    except ValueError as error:
        raise InputError(f"unknown scope {value!r}", hint=f"one of {', '.join(KeyScope)}") from error
