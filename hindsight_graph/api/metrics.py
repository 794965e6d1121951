"""Prometheus metrics: events become counters and histograms, the store's totals become gauges when somebody looks.

No label holds a content or an id. The tenant is a label only where that is asked for: it makes one series per tenant.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import (
    MultiProcessCollector,
    mark_process_dead,  # pyright: ignore[reportUnknownVariableType]
)
from prometheus_client.registry import Collector
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.models.record import StoreTotals
from hindsight_graph.observe.events import (
    BreakerChanged,
    ChainAnswered,
    ContradictionsFound,
    Embedded,
    Event,
    LlmAsked,
    RecallAnswered,
    Written,
)

__all__ = ["METRICS_FOLDER", "Metrics", "forget_process", "metrics_app"]

PREFIX = "hindsight_graph"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.55, 0.75, 1.0, 2.5, 5.0, 10.0)
"""Bounds of the histograms: fine around the deadline of 500 ms."""
STATES = {"closed": 0, "half_open": 1, "open": 2}
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable by which prometheus-client lets several processes count together; it is read at import."""
Totals = Callable[[], Awaitable[StoreTotals]]


class Metrics:
    """An `Observer` that counts; give it to the engine as `observer` and show it with `metrics_app`.

    Args:
        tenant_label: Whether metrics of calls carry the tenant.
        registry: Where the metrics are; one of their own when absent, so that several engines may live in a process.
        folder: Where several processes count together: then any of them shows the sum of all. The variable METRICS_FOLDER must
            have named it when the process started.
    """

    def __init__(
        self, *, tenant_label: bool = False, registry: CollectorRegistry | None = None, folder: str | None = None
    ) -> None:
        self.registry = registry or CollectorRegistry()
        self._folder = folder
        self._per_tenant = tenant_label
        who = ("tenant",) if tenant_label else ()
        self._writes = self._counter("writes", "Pieces of input by what became of them.", ("action", *who))
        self._write_seconds = self._histogram("write_seconds", "Time of a writing call.", ("verb", *who))
        self._write_failures = self._counter("write_failures", "Writing calls that raised an error.", ("verb", "error"))
        self._recalls = self._counter("recalls", "Recalls by result: hit, empty or failed.", ("result", *who))
        self._recall_seconds = self._histogram("recall_seconds", "Time of a recall.", who)
        self._degraded = self._counter("degraded", "Answers that fell short, of recall or chain.", ("verb", *who))
        self._stage_seconds = self._histogram("stage_seconds", "Time of a stage of recall.", ("stage",))
        self._stages_degraded = self._counter("stages_degraded", "Stages of recall that fell short.", ("stage",))
        self._shown = self._counter("conflicts_shown", "Contradicting pairs named in answers.", who)
        self._chain_seconds = self._histogram("chain_seconds", "Time of a chain question.", ("verb", *who))
        self._embed_seconds = self._histogram(
            "embed_seconds", "Time of an embedding call that the cache did not answer.", ("of",)
        )
        self._embed_failures = self._counter("embed_failures", "Embedding calls that failed or were given up.", ("of",))
        self._llm_seconds = self._histogram("llm_seconds", "Time of a request to the LLM.", ("purpose", "model"))
        self._llm_failures = self._counter("llm_failures", "Requests to the LLM without an answer.", ("purpose", "error"))
        self._llm_tokens = self._counter("llm_tokens", "Tokens by direction: prompt or completion.", ("purpose", "model", "of"))
        self._llm_cost = self._counter("llm_cost", "Cost of tokens by the configured prices.", ("purpose", "model"))
        self._contradictions = self._counter("contradictions_found", "Pairs of strategies that the weekly check found.")
        self._breaker = self._gauge("breaker_state", "Circuit breaker: 0 closed, 1 half open, 2 open.", ("dependency",))
        self._gauge("build_info", "Which version runs.", ("version",)).labels(version(PREFIX.replace("_", "-"))).set(1)
        for dependency in ("store", "embedder", "llm"):
            self._breaker.labels(dependency).set(STATES["closed"])

    def _counter(self, name: str, text: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(f"{PREFIX}_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, labels: tuple[str, ...] = ()) -> Gauge:
        return Gauge(f"{PREFIX}_{name}", text, labels, registry=self.registry, multiprocess_mode="livemax")

    def _histogram(self, name: str, text: str, labels: tuple[str, ...] = ()) -> Histogram:
        return Histogram(f"{PREFIX}_{name}", text, labels, registry=self.registry, buckets=SECONDS)

    def _who(self, tenant: str) -> tuple[str, ...]:
        return (tenant,) if self._per_tenant else ()

    def observe(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, RecallAnswered):
            self._observe_recall(event)
        elif isinstance(event, Written):
            self._observe_write(event)
        elif isinstance(event, ChainAnswered):
            who = self._who(event.tenant)
            self._chain_seconds.labels(event.verb, *who).observe(event.seconds)
            if event.degraded:
                self._degraded.labels(event.verb, *who).inc()
        elif isinstance(event, Embedded):
            self._embed_seconds.labels(event.of).observe(event.seconds)
            if event.failed:
                self._embed_failures.labels(event.of).inc()
        elif isinstance(event, ContradictionsFound):
            self._contradictions.inc(event.pairs)
        elif isinstance(event, LlmAsked):
            self._observe_llm(event)
        else:
            self._observe_breaker(event)

    def _observe_breaker(self, event: BreakerChanged) -> None:
        self._breaker.labels(event.dependency).set(STATES[event.state])

    def _observe_llm(self, event: LlmAsked) -> None:
        self._llm_seconds.labels(event.purpose, event.model).observe(event.seconds)
        if event.failed:
            self._llm_failures.labels(event.purpose, event.failed).inc()
        self._llm_tokens.labels(event.purpose, event.model, "prompt").inc(event.prompt_tokens)
        self._llm_tokens.labels(event.purpose, event.model, "completion").inc(event.completion_tokens)
        self._llm_cost.labels(event.purpose, event.model).inc(event.cost)

    def _observe_recall(self, event: RecallAnswered) -> None:
        who = self._who(event.tenant)
        result = "failed" if event.failed else "hit" if event.results else "empty"
        self._recalls.labels(result, *who).inc()
        timed = self._recall_seconds.labels(*who) if who else self._recall_seconds
        timed.observe(event.seconds)
        if event.degraded:
            self._degraded.labels("recall", *who).inc()
        if event.conflicts:
            (self._shown.labels(*who) if who else self._shown).inc(event.conflicts)
        for stage in event.stages:
            self._stage_seconds.labels(stage.name).observe(stage.seconds)
            if stage.degraded:
                self._stages_degraded.labels(stage.name).inc()

    def _observe_write(self, event: Written) -> None:
        who = self._who(event.tenant)
        self._write_seconds.labels(event.verb, *who).observe(event.seconds)
        if event.failed:
            self._write_failures.labels(event.verb, event.failed).inc()
        for action, count in event.actions.items():
            self._writes.labels(action, *who).inc(count)

    async def render(self, totals: Totals) -> bytes:
        """Return every metric in Prometheus' text form; `totals` (the engine's) fills those of the store.

        A store that does not answer leaves its numbers out and `store_up` at 0.
        """
        of_store = CollectorRegistry()
        of_store.register(_Totals(await _asked(totals)))
        return generate_latest(self._counted()) + generate_latest(of_store)

    def _counted(self) -> CollectorRegistry:
        """Return what was counted here, or by all processes together."""
        if self._folder is None:
            return self.registry
        together = CollectorRegistry()
        MultiProcessCollector(together, path=self._folder)
        return together


async def _asked(totals: Totals) -> StoreTotals | None:
    try:
        return await totals()
    except HindsightGraphError:
        return None


class _Totals(Collector):
    """The store's own numbers, as gauges of one scrape; None when it did not answer."""

    def __init__(self, found: StoreTotals | None) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        """Give one family for each number."""
        found = self._found
        yield _family("store_up", "Whether the store answered this scrape.", 0 if found is None else 1)
        if found is None:
            return
        memories = _family("memories", "Memories by kind and status.", labels=("kind", "status"))
        for row in found.memories:
            memories.add_metric((row.kind, row.state), row.count)
        jobs = _family("jobs", "Jobs by kind and state.", labels=("kind", "state"))
        for row in found.jobs:
            jobs.add_metric((row.kind, row.state), row.count)
        yield memories
        yield jobs
        yield _family("conflicts", "Contradictions that stand.", found.conflicts)
        yield _family("storage_bytes", "Size of the store.", found.size_bytes)
        free = _family("storage_free_bytes", "What the disk of an embedded store has left.", labels=("disk",))
        if found.free_bytes is not None:
            free.add_metric(("store",), found.free_bytes)
        yield free


def _family(name: str, text: str, value: float | None = None, labels: Sequence[str] | None = None) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", text, value, labels)


def forget_process(pid: int | None, folder: str) -> None:
    """Leave out of the gauges a process that has ended; what it counted stays."""
    if pid is not None:
        mark_process_dead(pid, folder)


def metrics_app(metrics: Metrics, totals: Totals) -> ASGIApp:
    """Return the ASGI application to mount at /metrics.

    Args:
        metrics: What was counted.
        totals: `AsyncHindsightGraph.totals` of the engine that is served.
    """

    async def show(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            response = Response("only GET", 405, {"Allow": "GET, HEAD"}, "text/plain")
        else:
            response = Response(await metrics.render(totals), media_type=CONTENT_TYPE_LATEST)
        await response(scope, receive, send)

    return show
