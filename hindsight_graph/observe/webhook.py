"""A webhook: what happened is posted to an address of the operator's, ids and numbers only."""

import asyncio
import json
import logging
from collections.abc import Sequence
from urllib.error import URLError
from urllib.request import Request, urlopen

__all__ = ["Webhook"]

_LOG = logging.getLogger(__name__)
_WAIT_S = 10.0


class Webhook:
    """Posts JSON to one address.

    Args:
        url: http or https.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    async def contradictions(self, tenant: str, pairs: Sequence[tuple[str, str]]) -> str:
        """Post `{"event": "contradictions", "tenant", "count", "pairs"}`; returns why that failed, or an empty text."""
        body = {"event": "contradictions", "tenant": tenant, "count": len(pairs), "pairs": [list(pair) for pair in pairs]}
        try:
            await asyncio.to_thread(self._post, json.dumps(body).encode())
        except (URLError, TimeoutError, OSError, ValueError) as error:
            _LOG.warning("the webhook was not reached: %s", error)
            return f"the webhook was not reached: {error}"[:200]
        return ""

    def _post(self, body: bytes) -> None:
        request = Request(self._url, body, {"content-type": "application/json"})  # noqa: S310 - the setting admits http and https only
        with urlopen(request, timeout=_WAIT_S) as answer:  # noqa: S310 - as above
            answer.read(1_000)
