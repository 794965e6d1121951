"""What can be set: names, types, ranges, defaults. Building a value reads nothing; `config.load_settings` reads the places."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from hindsight_graph.models.base import Model, Words
from hindsight_graph.models.enums import Kind, Origin

APP = "hindsight-graph"
"""Name of the platform's folders for data and configuration."""
PREFIX = "HINDSIGHT_GRAPH_"
"""Of every environment variable that is ours alone."""
NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""Store URLs of Neo4j: `neo4j` routes in a cluster, `bolt` is one server; `+s` encrypts, `+ssc` takes any certificate."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Days = Annotated[int, Field(ge=0, le=36_500)]
Port = Annotated[int, Field(ge=0, le=65_535)]


def _web_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an http:// or https:// address")
    if parts.username or parts.password:
        raise ValueError("must not carry a user or a password; give the key in llm_api_key")
    return url.rstrip("/")


def _store_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme in NEO4J_SCHEMES and rest:
        if urlsplit(url).password:
            raise ValueError("must not carry a password; give it in neo4j_password or neo4j_password_file")
        return url
    if scheme != "sqlite" or not rest.startswith("/") or rest == "/":
        raise ValueError(
            f"names no store of this version ({scheme}); write sqlite:///path/to/file.db, sqlite:///:memory: or"
            " neo4j://user@host:7687/database"
        )
    return url


def _listing(value: object) -> object:
    """Return a list, as TOML has them, in the form of the environment: with commas."""
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        if not all(isinstance(item, str) for item in items):
            raise ValueError("must be names")
        return ",".join(cast("Sequence[str]", items))
    return value


def _items(listing: str) -> tuple[str, ...]:
    return tuple(item.strip().rstrip("/").lower() for item in listing.split(",") if item.strip())


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _embedder_name(name: str) -> str:
    scheme, _, rest = name.partition(":")
    if re.fullmatch(r"auto|e5|multilingual-e5-small|hashing(-\d+)?", name) or (
        scheme in {"fastembed", "openai"} and rest.strip()
    ):
        return name
    raise ValueError("names no embedder; write auto, hashing, e5, fastembed:MODEL or openai:MODEL")


EmbedderName = Annotated[Words, AfterValidator(_embedder_name)]
WebUrl = Annotated[Words, AfterValidator(_web_url)]
Listing = Annotated[str, BeforeValidator(_listing)]
"""Some names, with commas between them."""
StoreUrl = Annotated[Words, AfterValidator(_store_url)]


def file_url(path: str | Path) -> str:
    """Return the store URL of an embedded file: three slashes and the path, so an absolute path gives four."""
    return "sqlite:///" + (":memory:" if str(path) == ":memory:" else Path(path).expanduser().as_posix())


class TtlSettings(Model):
    """Days to live by kind; unset follows `memory_ttl_days`, 0 never expires."""

    fact: Days | None = Field(default=None, description="Days a fact lives; 0 for ever.")
    preference: Days | None = Field(default=0, description="Days a preference lives; 0 for ever.")
    action: Days | None = Field(default=None, description="Days an action lives; 0 for ever.")
    result: Days | None = Field(default=None, description="Days a result lives; 0 for ever.")
    constraint: Days | None = Field(default=0, description="Days a constraint lives; 0 for ever.")
    experience: Days | None = Field(default=None, description="Days an experience lives; 0 for ever.")
    strategy: Days | None = Field(default=0, description="Days a strategy lives; 0 for ever.")


class TrustSettings(Model):
    """Trust of a write by its origin, 0..1."""

    user: Share = Field(default=0.9, description="Trust of what a user says.")
    operator: Share = Field(default=0.9, description="Trust of what an operator writes.")
    agent: Share = Field(default=0.6, description="Trust of what an agent writes.")
    tool: Share = Field(default=0.6, description="Trust of a tool's result.")
    document: Share = Field(default=0.3, description="Trust of a document's text.")
    web: Share = Field(default=0.3, description="Trust of a web page's text.")
    import_: Share = Field(default=0.3, alias="import", description="Trust of imported memories.")

    def of(self, origin: Origin) -> float:
        """Return the trust of a write from `origin`."""
        return cast("float", getattr(self, "import_" if origin is Origin.IMPORT else origin.value))


class RecallSettings(Model):
    """What recall does when the call does not say."""

    profile: Words = Field(default="balanced", description="Scoring profile.")
    top_k: Count = Field(default=10, le=1000, description="Results of one answer.")
    candidates: Count = Field(default=120, le=10_000, description="Memories scored before the best are chosen.")
    token_budget: Count | None = Field(default=None, description="Tokens of all results together; unset means no budget.")
    deadline_ms: Count = Field(default=500, le=600_000, description="Milliseconds until the answer comes, partial if need be.")
    loading_ms: Annotated[int, Field(ge=0, le=600_000)] = Field(
        default=5000, description="Milliseconds the first recall of a tenant may wait before that for the store to load."
    )
    at_once: Count | None = Field(
        default=None,
        le=10_000,
        description="Recalls at work at the same time, others wait their turn; unset means 2 on a file and 16 on a server.",
    )
    query_cache_size: Annotated[int, Field(ge=0)] = Field(default=1024, description="Question embeddings kept in memory.")


class EmbeddingSettings(Model):
    """Where embedding models live and are asked."""

    folder: Words | None = Field(
        default=None,
        description="Folder of model weights and the vector cache; unset means one in the platform's user-cache folder.",
    )
    offline: bool = Field(default=False, description="Never download weights nor ask an endpoint for vectors.")
    base_url: WebUrl | None = Field(default=None, description="OpenAI-compatible embedding endpoint; unset means `llm_base_url`.")
    api_key: SecretStr | None = Field(
        default=None, description="Key of that endpoint; unset means `llm_api_key`, if the URL is that too."
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="Seconds that endpoint has for one request.")
    cache_mb: Annotated[int, Field(ge=0)] = Field(
        default=200, description="Megabytes of vectors of texts kept on disk, so that they are not made again; 0 keeps none."
    )


class SessionSettings(Model):
    """How a session's working memory is kept small."""

    window_turns: Count = Field(default=10, description="Latest turns kept word for word.")
    compress_every: Count = Field(default=10, description="Turns after which older ones are compressed.")
    compress_after_tool: bool = Field(default=True, description="Compress after each tool result too.")


class ChainSettings(Model):
    """Bounds of a chain query when the call does not say."""

    max_hops: Count = Field(default=4, le=6, description="Longest path, in hops.")
    limit: Count = Field(default=50, le=1000, description="Most paths in one answer.")
    deadline_ms: Count = Field(default=500, le=600_000, description="Milliseconds until the answer comes, partial if need be.")


class JobSettings(Model):
    """How durable jobs are leased and tried again."""

    lease_seconds: Count = Field(default=60, le=86_400, description="Seconds a worker may be silent before its job is given on.")
    max_attempts: Count = Field(default=5, le=100, description="Attempts at a job before it is given up.")
    backoff_seconds: Count = Field(default=5, le=86_400, description="Wait after a failed attempt; doubles with each one.")
    backoff_limit_seconds: Count = Field(default=600, le=604_800, description="Longest wait between attempts.")
    poll_seconds: Count = Field(default=1, le=3600, description="Wait of an idle worker before it looks again.")
    concurrency: Count = Field(default=1, le=64, description="Jobs at once in one worker.")


MOST_WORKERS = 64
"""Processes of one service at most."""


class AccessSettings(Model):
    """Who may call a served face, and how much."""

    allow_keyless: bool = Field(
        default=False, description="Answer callers without a key beyond loopback too, as long as no key was ever made."
    )
    allowed_hosts: Listing = Field(
        default="",
        description="Host names served besides `localhost` and addresses, with commas; `*.example.com`, or `*` for any.",
    )
    allowed_origins: Listing = Field(
        default="", description="Origins of web pages that may call, besides the service's own, with commas; `*` for any."
    )
    requests_per_minute: Annotated[int, Field(ge=0)] = Field(
        default=3000, description="Requests of one key in a minute; 0 for any."
    )
    max_concurrent: Count = Field(default=100, le=10_000, description="Requests worked on at once; more are sent away.")
    max_body_bytes: Count = Field(default=1_048_576, le=104_857_600, description="Bytes of one request's body at most.")

    def hosts(self) -> tuple[str, ...]:
        """Return the names in `allowed_hosts`, in lower case."""
        return _items(self.allowed_hosts)

    def origins(self) -> tuple[str, ...]:
        """Return the origins in `allowed_origins`, in lower case."""
        return _items(self.allowed_origins)


class WeightSettings(Model):
    """Weights of what was learned (promise X-09)."""

    confirmed: Share = Field(default=0.9, description="First weight of what a person confirmed.")
    unconfirmed: Share = Field(default=0.4, description="First weight of what automatic reflection extracted.")
    success: Share = Field(default=0.7, description="First weight of a success that was written down.")
    failure: Share = Field(default=0.5, description="First weight of a failure that was written down.")
    weekly_decay: Share = Field(default=0.95, description="Factor for each week without retrieval.")
    floor: Share = Field(default=0.1, description="Weight at which a memory is held, marked to archive and not recalled.")
    step: Share = Field(default=0.1, description="Change by the outcome of a task of importance 1.")
    cooldown_h: Annotated[float, Field(ge=0)] = Field(default=1.0, description="Hours before another outcome moves it again.")


class LearningSettings(Model):
    """What is looked back on, and when evidence becomes a strategy."""

    every_task: bool = Field(default=False, description="Reflect on routine successes too.")
    slow_s: Annotated[float, Field(gt=0)] = Field(default=120.0, description="Seconds from which a task counts as slow.")
    consecutive_failures: Count = Field(default=3, description="Tool errors in a row that are a reason to reflect.")
    at_session_end: bool = Field(default=True, description="Look back on a session when it ends.")
    min_supporting: Count = Field(default=2, description="Experiences that must support a strategy; a person's word needs one.")
    propose_mean: Share = Field(default=0.65, description="How often it must work when followed, to be proposed.")
    propose_lift: Share = Field(default=0.3, description="What following it must change, to be proposed.")
    stale_mean: Share = Field(default=0.5, description="How often it must work to stay approved.")
    stale_lift: Share = Field(default=0.1, description="What following it must change to stay approved.")
    stale_streak: Count = Field(default=3, description="Followed calls that fail in a row and end an approved one.")
    half_life: Annotated[float, Field(gt=0)] = Field(default=8.0, description="Newer experiences after which one counts half.")
    auto_approve: bool = Field(default=False, description="Approve private strategies without concerns by the two figures below.")
    auto_supporting: Count = Field(default=5, description="Supporting experiences that automatic approval needs.")
    auto_low: Share = Field(default=0.5, description="Lower Wilson bound that automatic approval needs.")
    webhook_url: WebUrl | None = Field(default=None, description="Address told of contradictions that the weekly check finds.")
    checks: Listing = Field(
        default="", description="Entry points of `hindsight_graph.checks` that a reflection must pass, with commas."
    )
    weights: WeightSettings = WeightSettings()

    @property
    def check_names(self) -> tuple[str, ...]:
        """The names in `checks`."""
        return tuple(name for item in self.checks.split(",") if (name := item.strip()))


class LlmSettings(Model):
    """How an LLM is asked; none is asked unless `llm_model` and an endpoint or a key are set."""

    provider: Literal["openai", "anthropic"] = Field(
        default="openai", description="API of the endpoint; `openai` is any that is compatible with it."
    )
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = Field(default=30.0, description="Seconds one request may take.")
    max_tokens: Count = Field(default=2000, le=100_000, description="Tokens of an answer at most.")
    extract: bool = Field(default=True, description="Let the LLM read messages after they are committed.")
    reflect: bool = Field(default=True, description="Let the LLM word lessons.")
    prompts: Words | None = Field(default=None, description="Folder whose files take the place of the shipped prompts.")
    price_prompt: Annotated[float, Field(ge=0)] = Field(default=0.0, description="Price of a million prompt tokens.")
    price_completion: Annotated[float, Field(ge=0)] = Field(default=0.0, description="Price of a million answered tokens.")


class ServeSettings(Model):
    """Where `hindsight-graph serve` listens when the command does not say."""

    host: Words = Field(default="127.0.0.1", description="Address that the service listens on.")
    port: Port = Field(default=8712, description="Port of REST, and of MCP at /mcp; 0 takes a free one.")
    mcp_port: Port | None = Field(default=None, description="Port of its own for MCP; unset means /mcp beside REST.")
    workers: Annotated[int, Field(ge=0, le=MOST_WORKERS)] = Field(
        default=1,
        description="Processes that share the address and the store, each with an engine of its own; 0 for as many as processors."
        " Each counts `access.requests_per_minute` and `access.max_concurrent` for itself.",
    )
    cursor_key: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Secret that signs cursors, the same for servers behind one address; unset means a new one at each start.",
    )


class Settings(BaseSettings):
    """All settings, frozen. Building one reads nothing but its arguments; `load_settings` reads the places."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", env_prefix=PREFIX, populate_by_name=True)

    store_url: StoreUrl = Field(
        default_factory=lambda: file_url(user_data_path(APP) / "memory.db"),
        description="Where memories live: `sqlite:///path/to/file.db`, `sqlite:///:memory:` or `neo4j://user@host:7687/database`.",
    )
    neo4j_password: SecretStr | None = Field(default=None, description="Password of the user in a Neo4j store URL.")
    neo4j_password_file: Words | None = Field(default=None, description="File whose first line is that password.")
    embedder: EmbedderName = Field(
        default="auto",
        description="Embedding model: `hashing`, `e5`, `fastembed:MODEL` or `openai:MODEL`; `auto` is the one that filled the"
        " store, or in a new store the best installed.",
    )
    embedding: EmbeddingSettings = EmbeddingSettings()
    extractor: Literal["auto", "rules", "spacy"] = Field(
        default="auto",
        description="What reads statements: `rules`, or `spacy` with language tools; `auto` is the best installed.",
    )
    tenant: Words = Field(default="default", description="Tenant of every call that names none.")
    agent_id: Words | None = Field(default=None, description="Agent of every call that names none.")
    memory_ttl_days: Days = Field(default=90, description="Days a memory lives from recording or last confirmation; 0 for ever.")
    memory_ttl_days_by_kind: TtlSettings = TtlSettings()
    summary_max_tokens: Count = Field(default=200, description="Tokens of a summary at most.")
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = Field(
        default="info", description="Least important log line shown."
    )
    log_format: Literal["text", "json"] = Field(default="text", description="Log lines for people, or one JSON object each.")
    metrics_tenant_label: bool = Field(default=False, description="Whether metrics of calls carry the tenant as a label.")
    llm_api_key: SecretStr | None = Field(default=None, description="Key of the LLM endpoint.")
    llm_base_url: WebUrl | None = Field(default=None, description="OpenAI-compatible LLM endpoint.")
    llm_model: Words | None = Field(default=None, description="LLM for extraction.")
    reflection_llm_model: Words | None = Field(default=None, description="LLM for reflection; unset means `llm_model`.")
    hindsight_api_url: WebUrl | None = Field(default=None, description="A running API that an MCP server talks to.")
    hindsight_api_key: SecretStr | None = Field(default=None, description="Key for that API.")
    trust_floor: Share = Field(default=0.5, description="Rows below this trust do not exist for recall, statistics and walks.")
    trust: TrustSettings = TrustSettings()
    recall: RecallSettings = RecallSettings()
    session: SessionSettings = SessionSettings()
    chain: ChainSettings = ChainSettings()
    jobs: JobSettings = JobSettings()
    access: AccessSettings = AccessSettings()
    learning: LearningSettings = LearningSettings()
    llm: LlmSettings = LlmSettings()
    serve: ServeSettings = ServeSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read arguments only: the same arguments give the same settings on every machine."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    def ttl_days(self, kind: Kind) -> int | None:
        """Return the days a memory of `kind` lives; None for ever."""
        own = cast("int | None", getattr(self.memory_ttl_days_by_kind, kind.value))
        return (self.memory_ttl_days if own is None else own) or None
