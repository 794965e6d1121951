"""The Python client of a running service, and what an agent does around each task.

`Client` and `AsyncClient` have the verbs of `HindsightGraph` and `AsyncHindsightGraph`, return the same models and raise the same
errors; `AgentMemory` works with either side.
"""

from hindsight_graph.client.agent import SYSTEM_PROMPT, AgentMemory, AsyncAgentMemory, TaskContext, system_prompt, task_query
from hindsight_graph.client.asynchronous import AsyncClient, ClientSession
from hindsight_graph.client.synchronous import BlockingClientSession, Client

__all__ = [
    "SYSTEM_PROMPT",
    "AgentMemory",
    "AsyncAgentMemory",
    "AsyncClient",
    "BlockingClientSession",
    "Client",
    "ClientSession",
    "TaskContext",
    "system_prompt",
    "task_query",
]
