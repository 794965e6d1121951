"""A store worth moving, and what is asked of it afterwards."""

from typing import Any

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import Scope
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import NOW
from hindsight_graph.testing.contract_move import every_row, put
from hindsight_graph.testing.patience import patient_settings

_TRIES = 6
ROWS = Scope(tenant="rows")
"""The tenant with a row of every kind and every unusual field."""
STATEMENTS = (
    "Checkout depends on the payment service.",
    "The payment service depends on the ledger.",
    "The ledger uses Postgres.",
    "Orders depend on the ledger.",
    "The Staging Postgres port is 5432.",
    "Do not use Redis for the cart, use Memcached.",
    "A full disk causes the outage of the ledger.",
    "支付服务依赖账本。",
    "Deploys are done with kubectl.",
)
QUESTIONS = ("What does checkout need?", "Which cache should the cart use?", "支付服务依赖什么?", "What runs on Postgres?")


def tell(url: str) -> None:
    """Live through everything that leaves a row: statements, a conversation, new versions, merges, a session, a forgotten one."""
    with HindsightGraph(url, embedder="hashing", settings=patient_settings(), clock=ManualClock(NOW)) as memory:
        memory.remember_many([{"text": text, "tags": ["told"]} for text in STATEMENTS], idempotency_key="once")
        memory.retain([{"role": "user", "content": "We decided to use Valkey for sessions."}], session_id="talk")
        memory.update(memory.recall("cart cache", top_k=1).results[0].id, "Use Valkey for the cart.")
        memory.merge_entities("orders", "checkout")
        memory.forget(memory.recall("kubectl", top_k=1).results[0].id)
        memory.retain([{"role": "user", "content": "Thanks a lot!"}], defer=True)
        memory.session("talk").goal("Ship the checkout.")


async def add_rows(store: Store) -> None:
    """Write a row of every kind into a tenant of its own."""
    await put(store, ROWS, every_row(dimension=384))


def ask(url: str) -> Any:
    """Return what a store recalls and which chains it finds, everything that a person would see.

    A server that plans its statements for the first time, on a busy machine, is slow enough for the circuit breaker: a fresh
    engine asks again then.
    """
    for _ in range(_TRIES):
        with HindsightGraph(url, embedder="hashing", settings=patient_settings(), clock=ManualClock(NOW)) as memory:
            answers = [memory.recall(question) for question in QUESTIONS]
            chains = [memory.chain(name) for name in ("Checkout", "payment service", "ledger")]
            impact = memory.impact("Postgres")
            if any(answer.degraded for answer in (*answers, *chains, impact)):
                continue
            assert all(check.ok for check in memory.doctor())
            recalled = [[(hit.summary, round(hit.score, 5)) for hit in answer.results] for answer in answers]
            entities = [(entity.name, entity.aliases, entity.is_canonical) for entity in memory.entities().rows]
            listed = memory.list(limit=50, statuses=list(Status)).rows
            kept = [(row.summary, row.status, row.version, row.tags) for row in listed]
            nodes = [[path.nodes for path in answer.paths] for answer in (*chains, impact)]
            return recalled, nodes, entities, kept
    raise AssertionError(f"{url} gave degraded answers {_TRIES} times")
