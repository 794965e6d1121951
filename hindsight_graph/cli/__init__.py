"""The command line `hindsight-graph`: arguments in, tables or JSON out. It knows the engine and nothing below it."""

from hindsight_graph.cli.entry import main

__all__ = ["main"]
