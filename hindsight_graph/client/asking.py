"""How the client's verbs become requests and answers become models."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from hindsight_graph.client.sending import Call, Sender

__all__ = ["Asker"]

M = TypeVar("M", bound=BaseModel)


class Asker:
    """Asks a service, on behalf of one agent where a call names none.

    Args:
        sender: Sends and repeats. agent_id: the agent.
    """

    def __init__(self, sender: Sender, agent_id: str | None) -> None:
        self._sender = sender
        self._agent = agent_id

    async def _ask(
        self,
        model: type[M],
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        repeatable: bool = True,
        agent: bool = True,
    ) -> M:
        named = {"agent_id": self._agent} if agent and self._agent else {}
        call = Call(
            method,
            path,
            None if body is None else {**_given(body, named)},
            _given(query or {}, {} if body is not None else named),
            repeatable=repeatable,
        )
        return model.model_validate_json((await self._sender.send(call)).content)

    async def _write(self, model: type[M], path: str, body: Mapping[str, Any], key: str | None, *, method: str = "POST") -> M:
        named = {"agent_id": self._agent} if self._agent else {}
        call = Call(method, path, _given(body, named), repeatable=False, once=True, key=key)
        return model.model_validate_json((await self._sender.send(call)).content)


def _given(values: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given, after those every call has."""
    return {**named, **{name: value for name, value in values.items() if value is not None}}
