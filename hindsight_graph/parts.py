"""The parts an engine is put together from: settings become adapters and policies. Names adapters, as `readers` does."""

from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

from hindsight_graph.errors import ConfigError, MissingExtraError
from hindsight_graph.learning.drafting import ReflectPolicy
from hindsight_graph.learning.proposals import LearningPolicy
from hindsight_graph.learning.statistic import WeightPolicy
from hindsight_graph.models.enums import Kind, Origin
from hindsight_graph.models.session import SessionPolicy
from hindsight_graph.observe.webhook import Webhook
from hindsight_graph.pipelines.candidate import RetainSettings
from hindsight_graph.pipelines.learn.consistency import Tell
from hindsight_graph.pipelines.learn.learning import Policies
from hindsight_graph.pipelines.recall import RecallSettings
from hindsight_graph.pipelines.work import JobPolicy
from hindsight_graph.settings import NEO4J_SCHEMES, Settings
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.sqlite import SqliteStore

_FILE_URL = "sqlite:///"
_AT_ONCE_HERE = 2
"""One reads while one ranks; more only take turns on the interpreter, and each ends later."""
_AT_ONCE_SERVER = 16
"""Most of a recall is waiting for the server's answers."""


def open_store(url: str, neo4j_password: str | None = None) -> Store:
    """Return the store a URL names, not yet opened.

    Raises:
        ConfigError: No adapter serves its scheme, or it is malformed. MissingExtraError: the adapter's driver is not installed.
    """
    if url.startswith(_FILE_URL) and url != _FILE_URL:
        return SqliteStore(url.removeprefix(_FILE_URL))
    if url.split("://", maxsplit=1)[0] in NEO4J_SCHEMES:
        if find_spec("neo4j") is None:
            raise MissingExtraError("a Neo4j store needs its driver", hint="pip install 'hindsight-graph[neo4j]'")
        from hindsight_graph.stores.neo4j import Neo4jStore  # noqa: PLC0415 - the driver is heavy and optional

        return Neo4jStore(url, neo4j_password)
    raise ConfigError(
        f"no store serves {url!r}", hint="sqlite:///path/memory.db, sqlite:///:memory: or neo4j://user@host:7687/database"
    )


def neo4j_password(settings: Settings) -> str | None:
    """Return the password given by value or by file; raises ConfigError for a file that cannot be read."""
    if settings.neo4j_password is not None:
        return settings.neo4j_password.get_secret_value()
    if settings.neo4j_password_file is None:
        return None
    path = Path(settings.neo4j_password_file).expanduser()
    try:
        return (path.read_text(encoding="utf-8").splitlines() or [""])[0]
    except (OSError, UnicodeDecodeError) as error:
        hint = "name a text file with the password"
        raise ConfigError(f"neo4j_password_file {path} cannot be read: {error}", hint=hint) from error


def recall_settings(settings: Settings, store: Store) -> RecallSettings:
    """Return what recall may be told; how many work at once depends on where their time goes, here or on a server."""
    return RecallSettings(
        candidates=settings.recall.candidates,
        deadline_ms=settings.recall.deadline_ms,
        loading_ms=settings.recall.loading_ms,
        at_once=settings.recall.at_once or (_AT_ONCE_HERE if isinstance(store, SqliteStore) else _AT_ONCE_SERVER),
        trust_floor=settings.trust_floor,
    )


def retain_settings(settings: Settings) -> RetainSettings:
    """Return what retain may be told."""
    days = {kind: settings.ttl_days(kind) for kind in Kind}
    return RetainSettings(
        trust={origin: settings.trust.of(origin) for origin in Origin},
        trust_floor=settings.trust_floor,
        ttl_by_kind={kind: timedelta(days=number) if number else None for kind, number in days.items()},
    )


def job_policy(settings: Settings) -> JobPolicy:
    """Return how durable jobs are leased and tried again."""
    jobs = settings.jobs
    return JobPolicy(
        lease=timedelta(seconds=jobs.lease_seconds), max_attempts=jobs.max_attempts, poll=timedelta(seconds=jobs.poll_seconds),
        backoff=timedelta(seconds=jobs.backoff_seconds), backoff_limit=timedelta(seconds=jobs.backoff_limit_seconds),
        concurrency=jobs.concurrency,
    )  # fmt: skip


def session_policy(settings: Settings) -> SessionPolicy:
    """Return how a session's working memory is kept small."""
    return SessionPolicy.model_validate(settings.session.model_dump())


def webhook(settings: Settings) -> Tell | None:
    """Return what tells an operator's address of contradictions; None when no address is set."""
    return None if settings.learning.webhook_url is None else Webhook(settings.learning.webhook_url).contradictions


def learning_policies(settings: Settings) -> Policies:
    """Return what is looked back on, when evidence becomes a strategy, and how weights move."""
    given = settings.learning.model_dump(exclude={"weights", "webhook_url", "checks"})
    reflect = {name: given.pop(name) for name in ReflectPolicy.model_fields}
    weights = settings.learning.weights.model_dump()
    return Policies(ReflectPolicy(**reflect), LearningPolicy(**given), WeightPolicy(**weights))
