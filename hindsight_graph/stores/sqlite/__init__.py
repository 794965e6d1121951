"""The embedded store: sqlite3 for what must last, numpy for what is searched."""

from hindsight_graph.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
