"""Settings: which place wins, what is refused, and what is never shown."""

from pathlib import Path

import pytest

from hindsight_graph.config import LoadedSettings, Settings, all_settings, load_settings
from hindsight_graph.errors import ConfigError
from hindsight_graph.models.enums import Kind, Origin

NO_FILE = Path("no-such-user-config.toml")


def load(folder: Path, environ: dict[str, str] | None = None, overrides: dict[str, object] | None = None) -> LoadedSettings:
    return load_settings(overrides=overrides, environ=environ or {}, cwd=folder, user_config=folder / NO_FILE)


def refusal(folder: Path, environ: dict[str, str] | None = None, overrides: dict[str, object] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, environ, overrides)
    return str(caught.value)


@pytest.mark.requirement("O-03")
def test_without_any_place_every_value_is_its_stated_default(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    settings = loaded.settings
    assert set(loaded.origins.values()) == {"default"}
    assert settings.store_url.startswith("sqlite:///")
    assert settings.store_url.endswith("hindsight-graph/memory.db")
    assert (settings.embedder, settings.tenant, settings.agent_id, settings.log_level) == (
        "auto",
        "default",
        None,
        "info",
    )
    assert (settings.memory_ttl_days, settings.summary_max_tokens, settings.trust_floor) == (90, 200, 0.5)
    assert settings.recall.model_dump() == {
        "profile": "balanced",
        "top_k": 10,
        "candidates": 120,
        "token_budget": None,
        "deadline_ms": 500,
        "loading_ms": 5000,
        "at_once": None,
        "query_cache_size": 1024,
    }
    assert settings.session.model_dump() == {"window_turns": 10, "compress_every": 10, "compress_after_tool": True}
    assert settings.chain.model_dump() == {"max_hops": 4, "limit": 50, "deadline_ms": 500}
    assert {origin.value: settings.trust.of(origin) for origin in Origin} == {
        "user": 0.9,
        "operator": 0.9,
        "agent": 0.6,
        "tool": 0.6,
        "document": 0.3,
        "web": 0.3,
        "import": 0.3,
    }


@pytest.mark.requirement("O-03")
def test_preferences_constraints_and_strategies_live_for_ever_and_other_kinds_ninety_days(tmp_path: Path) -> None:
    settings = load(tmp_path).settings
    days = {kind.value: settings.ttl_days(kind) for kind in Kind}
    assert days == {
        "fact": 90,
        "preference": None,
        "action": 90,
        "result": 90,
        "constraint": None,
        "experience": 90,
        "strategy": None,
    }


def test_a_kinds_own_days_win_over_the_common_ones_and_zero_means_for_ever(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        {
            "MEMORY_TTL_DAYS": "30",
            "HINDSIGHT_GRAPH_MEMORY_TTL_DAYS_BY_KIND_FACT": "7",
            "HINDSIGHT_GRAPH_MEMORY_TTL_DAYS_BY_KIND_RESULT": "0",
            "HINDSIGHT_GRAPH_MEMORY_TTL_DAYS_BY_KIND_PREFERENCE": "none",
        },
    ).settings
    kinds = (Kind.FACT, Kind.RESULT, Kind.PREFERENCE, Kind.ACTION)
    assert [settings.ttl_days(kind) for kind in kinds] == [7, None, 30, 30]


@pytest.mark.requirement("O-03")
@pytest.mark.parametrize(
    ("variable", "value", "name", "read"),
    [
        ("LLM_BASE_URL", "http://localhost:11434/v1/", "llm_base_url", "http://localhost:11434/v1"),
        ("LLM_GATEWAY_URL", "https://gateway.example/v1", "llm_base_url", "https://gateway.example/v1"),
        ("LLM_MODEL", "qwen3", "llm_model", "qwen3"),
        ("EMBEDDING_MODEL", "hashing", "embedder", "hashing"),
        ("MEMORY_TTL_DAYS", "14", "memory_ttl_days", 14),
        ("SUMMARY_MAX_TOKENS", "120", "summary_max_tokens", 120),
        ("LOG_LEVEL", "DEBUG", "log_level", "debug"),
        ("DB_PATH", "/var/lib/memory.db", "store_url", "sqlite:////var/lib/memory.db"),
        ("DB_PATH", "memory.db", "store_url", "sqlite:///memory.db"),
        ("DB_PATH", ":memory:", "store_url", "sqlite:///:memory:"),
        ("HINDSIGHT_API_URL", "http://127.0.0.1:8712", "hindsight_api_url", "http://127.0.0.1:8712"),
    ],
)
def test_each_short_name_sets_its_setting_and_is_named_as_the_origin(
    tmp_path: Path, variable: str, value: str, name: str, read: object
) -> None:
    loaded = load(tmp_path, {variable: value})
    assert getattr(loaded.settings, name) == read
    assert loaded.origins[name] == f"environment {variable}"


@pytest.mark.requirement("O-03")
def test_the_key_is_never_printed(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"LLM_API_KEY": "sk-very-secret"})
    key = loaded.settings.llm_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-very-secret"
    assert next(row for row in loaded.rows() if row.name == "llm_api_key").value == "**********"
    assert "sk-very-secret" not in repr(loaded) + str(loaded.rows()) + loaded.settings.model_dump_json()


def test_places_win_in_the_stated_order(tmp_path: Path) -> None:
    places: list[tuple[str, str]] = []
    (tmp_path / "hindsight-graph.toml").write_text("summary_max_tokens = 6\n")
    environ: dict[str, str] = {}

    def note(overrides: dict[str, object] | None = None) -> None:
        loaded = load(tmp_path, environ, overrides)
        places.append((str(loaded.settings.summary_max_tokens), loaded.origins["summary_max_tokens"]))

    note()
    (tmp_path / ".env").write_text("SUMMARY_MAX_TOKENS=5\n")
    note()
    (tmp_path / ".env").write_text("SUMMARY_MAX_TOKENS=5\nHINDSIGHT_GRAPH_SUMMARY_MAX_TOKENS=4\n")
    note()
    environ["SUMMARY_MAX_TOKENS"] = "3"
    note()
    environ["HINDSIGHT_GRAPH_SUMMARY_MAX_TOKENS"] = "2"
    note()
    note({"summary_max_tokens": 1})
    assert places == [
        ("6", f"{tmp_path / 'hindsight-graph.toml'} summary_max_tokens"),
        ("5", ".env SUMMARY_MAX_TOKENS"),
        ("4", ".env HINDSIGHT_GRAPH_SUMMARY_MAX_TOKENS"),
        ("3", "environment SUMMARY_MAX_TOKENS"),
        ("2", "environment HINDSIGHT_GRAPH_SUMMARY_MAX_TOKENS"),
        ("1", "argument"),
    ]


def test_tables_of_the_toml_file_and_their_variables_set_the_same_values(tmp_path: Path) -> None:
    (tmp_path / "hindsight-graph.toml").write_text("[recall]\ntop_k = 3\n[trust]\nimport = 0.8\n")
    settings = load(tmp_path, {"HINDSIGHT_GRAPH_RECALL_CANDIDATES": "50"}).settings
    assert (settings.recall.top_k, settings.recall.candidates, settings.trust.of(Origin.IMPORT)) == (3, 50, 0.8)


def test_the_file_named_by_the_environment_replaces_the_one_in_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "hindsight-graph.toml").write_text("tenant = 'folder'\n")
    (tmp_path / "other.toml").write_text("agent_id = 'a1'\n")
    settings = load(tmp_path, {"HINDSIGHT_GRAPH_CONFIG": "other.toml"}).settings
    assert (settings.tenant, settings.agent_id) == ("default", "a1")


def test_the_users_own_file_is_read_when_the_working_folder_has_none(tmp_path: Path) -> None:
    own = tmp_path / "config.toml"
    own.write_text("tenant = 'mine'\n")
    loaded = load_settings(environ={}, cwd=tmp_path, user_config=own)
    assert (loaded.settings.tenant, loaded.origins["tenant"]) == ("mine", f"{own} tenant")


def test_an_empty_value_counts_as_not_given_and_none_unsets_an_optional_one(tmp_path: Path) -> None:
    (tmp_path / "hindsight-graph.toml").write_text("[recall]\ntoken_budget = 2000\n")
    assert load(tmp_path, {"HINDSIGHT_GRAPH_RECALL_TOKEN_BUDGET": " "}).settings.recall.token_budget == 2000
    assert load(tmp_path, {"HINDSIGHT_GRAPH_RECALL_TOKEN_BUDGET": "none"}).settings.recall.token_budget is None


@pytest.mark.requirement("O-03")
@pytest.mark.parametrize("variable", ["VECTOR_STORE", "VECTOR_DB_URL", "VECTOR_STORE_URL"])
def test_a_vector_store_variable_gets_a_notice_that_vectors_live_in_the_graph_store(tmp_path: Path, variable: str) -> None:
    loaded = load(tmp_path, {variable: "qdrant"})
    assert loaded.notices == (f"{variable} (environment) has no effect: vectors live in the graph store, which store_url names",)
    assert set(loaded.origins.values()) == {"default"}


def test_other_programs_variables_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DJANGO_SECRET=1\nexport STRIPE_KEY='x'\n# a comment\n")
    assert set(load(tmp_path, {"PATH": "/bin", "HINDSIGHT_GRAPH_DATA": "data"}).origins.values()) == {"default"}


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        (
            {"HINDSIGHT_GRAPH_RECAL_TOPK": "3"},
            (
                "unknown setting HINDSIGHT_GRAPH_RECAL_TOPK (environment) (the nearest name is "
                "HINDSIGHT_GRAPH_RECALL_TOP_K; `hindsight-graph config show` lists all)"
            ),
        ),
        (
            {"HINDSIGHT_GRAPH_RECALL_TOP_K": "many"},
            'recall.top_k is "many" (environment HINDSIGHT_GRAPH_RECALL_TOP_K): input should be a valid integer',
        ),
        ({"HINDSIGHT_GRAPH_TRUST_IMPORT": "1.5"}, 'trust.import is "1.5"'),
        ({"HINDSIGHT_GRAPH_CHAIN_MAX_HOPS": "7"}, "less than or equal to 6"),
        ({"EMBEDDING_MODEL": "word2vec"}, "write auto, hashing, e5"),
        ({"LOG_LEVEL": "loud"}, 'log_level is "loud" (environment LOG_LEVEL)'),
        ({"DB_PATH": "postgres://db"}, "DB_PATH takes a file path; give a URL in HINDSIGHT_GRAPH_STORE_URL"),
        ({"HINDSIGHT_GRAPH_STORE_URL": "postgres://db"}, "names no store of this version (postgres)"),
        ({"HINDSIGHT_GRAPH_STORE_URL": "sqlite:///"}, "write sqlite:///path/to/file.db"),
        ({"LLM_BASE_URL": "localhost:11434"}, "must be an http:// or https:// address"),
        ({"LLM_BASE_URL": "http://[::1"}, "llm_base_url"),
        ({"LLM_BASE_URL": "http://a/v1", "LLM_GATEWAY_URL": "http://b/v1"}, "both set llm_base_url; keep one"),
        ({"HINDSIGHT_GRAPH_CONFIG": "absent.toml"}, "absent.toml, which is not a file"),
        ({"HINDSIGHT_GRAPH_TENANT": "a\x00b"}, "control character U+0000"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_value_and_place(tmp_path: Path, environ: dict[str, str], says: str) -> None:
    assert says in refusal(tmp_path, environ)


def test_a_password_in_an_endpoint_is_refused_and_not_repeated(tmp_path: Path) -> None:
    message = refusal(tmp_path, {"LLM_BASE_URL": "https://me:hunter2@llm.example/v1"})
    assert "must not carry a user or a password" in message
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"tenat = 'x'\n", "unknown setting tenat"),
        (b"[recall]\ntop = 3\n", "the nearest name is recall.top_k"),
        (b"recall = 3\n", "unknown setting recall "),
        (b"tenant = \n", "is not TOML"),
        (b"tenant = '\xff'\n", "cannot be read"),
        (b"tenant = [1]\n", "tenant is [1]"),
        (b"[recall]\ntop_k = 0\n", "recall.top_k is 0"),
    ],
)
def test_a_wrong_toml_file_is_refused_with_what_and_where(tmp_path: Path, text: bytes, says: str) -> None:
    file = tmp_path / "hindsight-graph.toml"
    file.write_bytes(text)
    message = refusal(tmp_path)
    assert says in message
    assert str(file) in message


def test_an_unreadable_dotenv_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"LLM_MODEL=\xff\xfe\n")
    assert ".env cannot be read" in refusal(tmp_path)


def test_an_unknown_argument_is_refused(tmp_path: Path) -> None:
    assert "the nearest name is recall.top_k" in refusal(tmp_path, overrides={"recall.topk": 3})


def test_arguments_may_be_nested_and_none_means_not_given(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"LLM_MODEL": "m"}, {"recall": {"top_k": 4}, "llm_model": None})
    assert (loaded.settings.recall.top_k, loaded.settings.llm_model) == (4, "m")


def test_building_settings_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_GRAPH_TENANT", "from-environment")
    assert Settings().tenant == "default"


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().tenant = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_every_setting_is_described_and_no_two_share_a_variable() -> None:
    settings = all_settings()
    assert all(each.description.endswith(".") for each in settings)
    assert len({each.variable for each in settings}) == len(settings)
