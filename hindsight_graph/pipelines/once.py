"""Once: a caller's key makes a change safe to repeat. The key is written in the transaction of the change, with its answer."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from hindsight_graph.errors import ConflictError, IdempotencyError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import IdempotencyRecord
from hindsight_graph.stores.base import Store

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Once:
    """One request under one key.

    Attributes:
        key: The caller's; None for a request without one, which is never repeated.
        request_hash: Hex SHA-256 of everything that was asked.
    """

    key: str | None
    request_hash: str

    @classmethod
    def of(cls, key: str | None, request: Iterable[object]) -> "Once":
        """Return the request with this key; `request` are its parts, in a fixed order."""
        text = "\x1f".join("\x00" if part is None else str(part) for part in request)
        return cls(key, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    async def answer(self, store: Store, scope: Scope, model: type[M]) -> M | None:
        """Return the answer the same request got before; None when it is new.

        Raises:
            IdempotencyError: The key was used for another request.
            ConflictError: The request is being worked on.
        """
        found = await store.find_response(scope, self.key) if self.key is not None else None
        if found is None:
            return None
        if found.request_hash != self.request_hash:
            raise IdempotencyError(
                f"idempotency key {self.key!r} was used for another request", hint="use a new key for new content"
            )
        if found.response is None:
            raise ConflictError(f"the request with idempotency key {self.key!r} is being worked on", hint="repeat it later")
        return model.model_validate_json(found.response)

    def record(self, response: BaseModel) -> IdempotencyRecord | None:
        """Return what goes into the change's batch, so that `answer` finds it; None without a key."""
        if self.key is None:
            return None
        return IdempotencyRecord(key=self.key, request_hash=self.request_hash, response=response.model_dump_json())
