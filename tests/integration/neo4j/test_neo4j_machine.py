"""The state machine of every store, on Neo4j."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test  # pyright: ignore[reportUnknownVariableType]

from hindsight_graph.stores.base import Store
from hindsight_graph.testing.machine import StoreMachine
from hindsight_graph.testing.neo4j_server import Neo4jServer


@pytest.mark.requirement("O-02")
@pytest.mark.timeout(600)
def test_random_operations_leave_what_a_dictionary_would_hold(server: Neo4jServer) -> None:
    class Neo4jMachine(StoreMachine):
        every_step = False

        def __init__(self) -> None:
            super().__init__()
            asyncio.run(server.wipe())

        def make_store(self, folder: Path) -> Store:
            del folder
            return server.store()

    run_state_machine_as_test(
        Neo4jMachine,
        settings=settings(max_examples=3, stateful_step_count=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]),
    )
