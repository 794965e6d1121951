from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hindsight_graph.stores.base import Store
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.machine import StoreMachine


class SqliteMachine(StoreMachine):
    def make_store(self, folder: Path) -> Store:
        return SqliteStore(folder / "memory.db")


TestSqliteMachine = pytest.mark.requirement("O-01")(SqliteMachine.TestCase)
TestSqliteMachine.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
