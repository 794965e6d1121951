"""hindsight_graph: a memory engine for agents. The public names, loaded when first used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.errors import HindsightGraphError
    from hindsight_graph.pipelines.context import format_memory_context
    from hindsight_graph.sync import HindsightGraph

__all__ = ["AsyncHindsightGraph", "HindsightGraph", "HindsightGraphError", "format_memory_context"]

_HOMES = {
    "AsyncHindsightGraph": "hindsight_graph.engine",
    "HindsightGraph": "hindsight_graph.sync",
    "HindsightGraphError": "hindsight_graph.errors",
    "format_memory_context": "hindsight_graph.pipelines.context",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
