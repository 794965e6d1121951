"""Cursors that leave the server are signed: what comes back was made here, for this tenant, or it is refused."""

import base64
import hashlib
import hmac

from hindsight_graph.errors import CursorError

_MAC_BYTES = 16


class Cursors:
    """Signs and reads cursors.

    Args:
        key: Secret of at least 16 bytes. Servers that share callers share it.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) < _MAC_BYTES:
            raise ValueError(f"a cursor key has at least {_MAC_BYTES} bytes, not {len(key)}")
        self._key = key

    def sign(self, cursor: str | None, tenant: str) -> str | None:
        """Return a cursor with its signature for a tenant; None stays None."""
        return None if cursor is None else f"{self._mac(cursor, tenant)}.{cursor}"

    def unsign(self, cursor: str | None, tenant: str) -> str | None:
        """Return the cursor inside; raises CursorError when it is damaged, of another tenant, or of another server's key."""
        if cursor is None:
            return None
        mac, _, inner = cursor.partition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(inner, tenant).encode()):
            raise CursorError(f"the cursor {cursor[:24]!r} was not made here, or is damaged", hint="start again without a cursor")
        return inner

    def _mac(self, cursor: str, tenant: str) -> str:
        digest = hmac.new(self._key, f"{tenant}\x00{cursor}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:_MAC_BYTES]).decode().rstrip("=")
