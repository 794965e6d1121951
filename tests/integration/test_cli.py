"""The commands, run in this process on a store of their own: what is printed, where, and with which exit code."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph.cli import main
from hindsight_graph.pipelines.session_markdown import from_markdown

Run = Callable[..., "Result"]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on this test's store; `stdin=` gives it bytes to read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HINDSIGHT_GRAPH_STORE_URL", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main(words)
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


def remembered(run: Run, text: str, *options: str) -> str:
    result = run("remember", text, *options, "--json")
    assert result.code == 0, result.err
    return result.value["memories"][0]["id"]


def relate(run: Run, *triples: tuple[str, str, str]) -> None:
    for source, relation, target in triples:
        text = f"{source} {relation.lower().replace('_', ' ')} {target}"
        remembered(run, text, "--relation", f"{source} {relation} {target}", "--raw-ref", f"doc:{source}")


@pytest.mark.requirement("A-05")
def test_what_was_remembered_is_recalled(run: Run) -> None:
    made = remembered(run, "Checkout depends on the payment service", "--raw-ref", "chat:7", "--tag", "infra")
    result = run("recall", "what does checkout need?")
    assert (result.code, result.err) == (0, "")
    assert "Checkout depends on the payment service" in result.out
    assert made in result.out
    assert "chat:7" in result.out


@pytest.mark.requirement("A-05")
def test_the_answer_as_json_has_the_names_of_the_models(run: Run) -> None:
    remembered(run, "Checkout depends on the payment service")
    answer = run("recall", "checkout", "--json").value
    assert set(answer) == {"results", "truncated", "cursor", "degraded", "reasons", "conflicts", "tokens", "trace"}
    hit = answer["results"][0]
    assert set(hit) == {"memory", "score", "components", "sources", "evidence", "path"}
    assert hit["memory"]["summary"] == "Checkout depends on the payment service"


@pytest.mark.requirement("R-03")
def test_explain_shows_the_parts_of_the_score_that_json_has(run: Run) -> None:
    remembered(run, "Checkout depends on the payment service")
    hit = run("recall", "checkout payment", "--json").value["results"][0]
    text = run("recall", "checkout payment", "--explain").out
    for name, part in hit["components"].items():
        assert name in text
        assert f"{part['weight']:.2f}" in text
    assert "found by" in text
    assert "stage" in text


def test_text_is_read_from_stdin(run: Run) -> None:
    result = run("remember", "-", "--json", stdin="支付服务由陈静负责。\n".encode())
    assert result.code == 0, result.err
    assert "支付服务由陈静负责" in result.value["memories"][0]["summary"]


def test_every_option_of_remember_reaches_the_memory(run: Run) -> None:
    made = remembered(
        run, "Refund 7 failed", "--kind", "result", "--entity", "Refund 7", "--raw-ref", "log:1", "--occurred-at",
        "2026-05-01T10:00:00Z", "--valid-to", "2030-05-02T10:00:00Z", "--session", "s1", "--tag", "refunds", "--tag",
        "urgent", "--visibility", "private", "--agent", "a1", "--origin", "agent", "--confidence", "0.7",
        "--importance", "2", "--priority", "3", "--ttl-days", "5", "--media-type", "text/plain", "--task-type",
        "refund", "--outcome", "failure", "--tool", "pay", "--error-code", "E42", "--slot", "Refund 7", "state",
        "failed", "--payload", '{"ticket": 9}', "--idempotency-key", "k1",
    )  # fmt: skip
    memory = run("get", made, "--agent", "a1", "--json").value
    expected = {
        "kind": "result", "raw_refs": ["log:1"], "session_id": "s1", "tags": ["refunds", "urgent"], "visibility": "private",
        "agent_id": "a1", "origin": "agent", "confidence": 0.7, "importance": 2.0, "priority": 3, "ttl": "P5D",
        "media_type": "text/plain", "task_type": "refund", "outcome": "failure", "tools": ["pay"], "error_code": "E42",
        "valid_from": "2026-05-01T10:00:00Z", "valid_to": "2030-05-02T10:00:00Z", "payload": {"ticket": 9},
    }  # fmt: skip
    assert {name: memory[name] for name in expected} == expected
    assert memory["slot"] == {"subject": "Refund 7", "attribute": "state", "value": "failed"}
    text = run("get", made, "--agent", "a1").out
    for shown in ("Refund 7 failed", "log:1", "E42", "refund", "urgent", "P5D" if "P5D" in text else "expires"):
        assert shown in text


@pytest.mark.requirement("M-06")
def test_retain_says_what_was_kept_and_dropped_and_why(run: Run, tmp_path: Path) -> None:
    lines = [
        {"role": "user", "name": "Ann", "content": "Good morning!", "raw_ref": "c:1"},
        {"role": "user", "name": "Ann", "content": "Checkout depends on the payment service.", "raw_ref": "c:2"},
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run("retain", "chat.jsonl", "--session", "s1")
    assert (result.code, result.err) == (0, "")
    assert "1 kept" in result.out
    assert "1 dropped" in result.out
    assert "from 2 messages" in result.out
    assert "greeting" in result.out


def test_retain_reads_messages_from_stdin(run: Run) -> None:
    messages = [{"role": "user", "content": "Tom owns the payment service."}]
    result = run("retain", "-", "--json", stdin=json.dumps(messages).encode())
    assert result.code == 0, result.err
    assert [item["action"] for item in result.value["items"]] == ["kept"]


def test_a_document_is_taken_as_ones_own_word_unless_it_is_said_to_be_of_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("# Refunds\nRefunds depend on the order service.\n", encoding="utf-8")
    (tmp_path / "wiki.md").write_text("# Checkout\nCheckout depends on the payment service.\n", encoding="utf-8")
    assert run("retain", "mine.md").err == ""
    low = run("retain", "wiki.md", "--origin", "document")
    assert "origin document has trust 0.3, below the floor 0.5: kept, but not recalled" in low.err
    assert [hit["evidence"] for hit in run("recall", "depends", "--json").value["results"]] == [["mine.md:1"]]


@pytest.mark.requirement("G-02")
def test_a_chain_is_a_tree_with_the_source_of_each_step(run: Run) -> None:
    relate(run, ("Checkout", "DEPENDS_ON", "Payment"), ("Payment", "DEPENDS_ON", "Ledger"), ("Ledger", "DEPENDS_ON", "Node 4"))
    chains = run("chain", "Checkout", "--json").value
    assert chains["paths"][0]["nodes"] == ["Checkout", "Payment", "Ledger", "Node 4"]
    text = run("chain", "Checkout").out
    for hop in chains["paths"][0]["hops"]:
        assert hop["memory_id"] in text
        assert hop["raw_refs"][0] in text
    lines = [line for line in text.splitlines() if "-DEPENDS_ON->" in line]
    indents = [line.index("-DEPENDS_ON->") for line in lines]
    assert indents == sorted(set(indents))
    assert len(lines) == 3


@pytest.mark.requirement("G-03")
def test_impact_and_causes_go_their_ways(run: Run) -> None:
    relate(run, ("Checkout", "DEPENDS_ON", "Payment"), ("Full disk", "CAUSES", "Outage"))
    assert run("impact", "Payment", "--json").value["paths"][0]["nodes"] == ["Payment", "Checkout"]
    assert run("causes", "Outage", "--json").value["paths"][0]["nodes"] == ["Outage", "Full disk"]
    assert "no cause of Checkout is on record" in run("causes", "Checkout").out


def test_paths_that_begin_alike_share_their_beginning(run: Run) -> None:
    relate(run, ("A1", "DEPENDS_ON", "B1"), ("B1", "DEPENDS_ON", "C1"), ("B1", "DEPENDS_ON", "D1"))
    text = run("chain", "A1").out
    assert text.count("-DEPENDS_ON-> B1") == 1
    assert "-DEPENDS_ON-> C1" in text
    assert "-DEPENDS_ON-> D1" in text


def test_a_cycle_is_named(run: Run) -> None:
    relate(run, ("A1", "DEPENDS_ON", "B1"), ("B1", "DEPENDS_ON", "A1"))
    text = run("chain", "A1").out
    assert "(closes a cycle)" in text
    assert "cycle: A1 -> B1 -> A1" in text


@pytest.mark.requirement("L-01")
def test_an_update_is_seen_in_the_history_and_can_be_reverted(run: Run) -> None:
    first = remembered(run, "The staging port is 5432")
    second = run("update", first, "The staging port is 5433", "--reason", "moved", "--json").value
    assert second["version"] == 2
    versions = run("history", first, "--json").value
    assert [(version["version"], version["status"]) for version in versions] == [(1, "superseded"), (2, "active")]
    text = run("history", second["id"]).out
    assert text.index("The staging port is 5432") < text.index("The staging port is 5433")
    assert "superseded" in text
    assert run("revert", first, "--json").value["summary"] == "The staging port is 5432"


def test_what_was_forgotten_is_listed_only_when_asked_for(run: Run) -> None:
    made = remembered(run, "Checkout uses Redis")
    assert "archived 1" in run("forget", made, "--reason", "old").out
    assert run("list", "--json").value["rows"] == []
    assert [row["id"] for row in run("list", "--status", "archived", "--json").value["rows"]] == [made]


def test_a_page_of_the_list_says_how_to_get_the_next(run: Run) -> None:
    for number in range(3):
        remembered(run, f"Service {number} belongs to team {number}")
    page = run("list", "--limit", "2", "--json").value
    assert len(page["rows"]) == 2
    assert f"--cursor {page['cursor']}" in run("list", "--limit", "2").out
    rest = run("list", "--limit", "2", "--cursor", page["cursor"], "--json").value
    assert (len(rest["rows"]), rest["cursor"]) == (1, None)


def test_filters_of_list_and_recall_are_the_same(run: Run) -> None:
    wanted = remembered(run, "The refund failed", "--tag", "refunds", "--occurred-at", "2026-05-01T10:00:00Z", "--session", "s1")
    remembered(run, "The refund worked", "--occurred-at", "2026-04-01T10:00:00Z")
    for options in (
        ["--tag", "refunds"],
        ["--session", "s1"],
        ["--since", "2026-04-20"],
        ["--since", "2026-04-20", "--until", "2026-05-09"],
    ):
        assert [row["id"] for row in run("list", *options, "--json").value["rows"]] == [wanted]
        assert [hit["memory"]["id"] for hit in run("recall", "refund", *options, "--json").value["results"]] == [wanted]


@pytest.mark.requirement("R-11")
def test_expect_says_where_a_memory_is(run: Run) -> None:
    made = remembered(run, "Checkout depends on the payment service", "--tag", "infra")
    assert run("recall", "checkout", "--expect", made, "--json").value["verdict"] == "returned"
    lost = run("recall", "checkout", "--tag", "other", "--expect", made)
    assert "filtered out" in lost.out


@pytest.mark.requirement("R-09")
def test_context_is_ready_for_a_prompt(run: Run) -> None:
    remembered(run, "Checkout depends on the payment service")
    out = run("recall", "checkout", "--context").out
    assert out.startswith("<memory_context>")
    assert out.rstrip().endswith("</memory_context>")
    assert run("recall", "checkout", "--context", "--json").code == 2


@pytest.mark.requirement("G-05")
def test_entities_are_listed_merged_and_split(run: Run) -> None:
    relate(run, ("Checkout", "DEPENDS_ON", "Payment"), ("Shop", "DEPENDS_ON", "PSP"))
    assert [entity["name"] for entity in run("entities", "--json").value["rows"]] == ["Checkout", "Payment", "PSP", "Shop"]
    assert "Checkout" in run("entities", "list", "--prefix", "check").out
    merged = run("entities", "merge", "PSP", "Payment", "--reason", "same thing", "--json")
    assert merged.code == 0, merged.err
    paths = run("chain", "Payment", "--direction", "in", "--json").value["paths"]
    assert sorted(path["nodes"] for path in paths) == [["Payment", "Checkout"], ["Payment", "Shop"]]
    assert run("entities", "split", "PSP").code == 0
    assert len(run("chain", "Payment", "--direction", "in", "--json").value["paths"]) == 1


@pytest.mark.requirement("S-01")
@pytest.mark.requirement("S-03")
def test_a_session_lives_from_command_to_command(run: Run) -> None:
    assert run("session", "goal", "s1", "Refund order 7").code == 0
    assert run("session", "step", "s1", "look up the order").code == 0
    assert run("session", "constraint", "s1", "never refund twice").code == 0
    assert run("session", "append", "s1", "Order 7 was paid by card.", "--name", "Ann").code == 0
    shown = run("session", "s1").out
    assert "- **Goal**: Refund order 7" in shown
    assert "- **Current step**: look up the order" in shown
    assert "Order 7 was paid by card." in shown
    assert from_markdown(shown).turns == 1
    assert run("session", "show", "s1", "--json").value["constraints"] == ["never refund twice"]
    assert "ended after 1 turns" in run("session", "end", "s1").out
    late = run("session", "append", "s1", "more")
    assert (late.code, late.err.splitlines()[0].startswith("error: session 's1' ended at")) == (4, True)
    assert "Order 7 was paid by card" in run("recall", "how was order 7 paid?").out


def test_sessions_are_listed_the_last_changed_first(run: Run) -> None:
    assert run("session", "list").out == "no sessions\n"
    run("session", "goal", "s1", "Refund order 7")
    run("session", "append", "s2", "Good morning.", "--name", "Ann")
    run("session", "append", "s1", "Order 7 was paid by card.")
    run("session", "end", "s2")
    assert [state["session_id"] for state in run("session", "list", "--json").value] == ["s2", "s1"]
    lines = run("session", "list").out.splitlines()
    assert lines[0].split() == ["s2", "no", "goal"]
    assert lines[1].endswith("1 turn · ended")
    assert lines[2].split() == ["s1", "Refund", "order", "7"]
    assert [state["session_id"] for state in run("session", "list", "--limit", "1", "--json").value] == ["s2"]
    assert run("session", "list", "--limit", "0").code == 2


def test_a_new_value_is_called_so_and_says_what_it_replaces(run: Run) -> None:
    run("remember", "The port of the ledger is 5432.", "--occurred-at", "2026-01-01")
    result = run("remember", "The port of the ledger is 5433.", "--occurred-at", "2026-02-01")
    assert result.out.splitlines()[0] == "1 statement from 1 message: 1 new value"
    assert result.out.splitlines()[1].split(maxsplit=2) == ["new", "value", "The port of the ledger is 5433."]
    assert "new value of ledger / port: 5433, replaces 5432" in result.out


def test_a_session_that_never_was_is_not_found(run: Run) -> None:
    result = run("session", "show", "nope")
    assert (result.code, result.err.splitlines()[0]) == (3, "error: there is no session 'nope'")


@pytest.mark.requirement("O-06")
def test_doctor_and_status_say_what_is_there(run: Run) -> None:
    remembered(run, "Checkout uses Redis")
    checks = run("doctor", "--json")
    assert (checks.code, {check["ok"] for check in checks.value}) == (0, {True})
    assert "integrity" in run("doctor").out
    assert run("status", "--json").value["stats"]["memories"] == 1
    assert "1 fact" in run("status").out


@pytest.mark.requirement("O-03")
def test_config_shows_value_and_origin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_TTL_DAYS", "7")
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret")
    rows = {row["name"]: row for row in run("config", "show", "--store", "other.db", "--json").value}
    assert rows["memory_ttl_days"] == {"name": "memory_ttl_days", "value": 7, "origin": "environment MEMORY_TTL_DAYS"}
    assert (rows["store_url"]["value"], rows["store_url"]["origin"]) == ("sqlite:///other.db", "argument")
    assert "sk-very-secret" not in run("config", "show").out


def test_store_takes_a_url_or_a_path(run: Run, tmp_path: Path) -> None:
    made = remembered(run, "Checkout uses Redis", "--store", "elsewhere.db")
    url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    assert run("get", made, "--store", url).code == 0
    assert run("get", made).code == 3


@pytest.mark.requirement("T-01")
def test_a_tenant_does_not_see_another(run: Run) -> None:
    made = remembered(run, "Checkout uses Redis", "--tenant", "one")
    assert run("get", made, "--tenant", "one").code == 0
    other, missing = run("get", made, "--tenant", "two"), run("get", made.replace(made[:8], "00000000"), "--tenant", "two")
    assert (other.code, missing.code) == (3, 3)


BAD = [
    (["recall", "x", "--top-k", "many"], 2, "Invalid value for '--top-k'"),
    (["recall", "x", "--top-k", "0"], 2, "top_k"),
    (["recall", ""], 2, "text"),
    (["recall", "x", "--weight", "keyword"], 2, "--weight \"keyword\" is not of the form NAME=NUMBER"),
    (["recall", "x", "--profile", "best"], 2, "best"),
    (["recall", "x", "--cursor", "@@"], 2, "cursor"),
    (["remember", ""], 2, "empty"),
    (["remember", "   "], 2, "empty"),
    (["remember", "a\x00b"], 2, "U+0000"),
    (["remember", "x", "--kind", "rumour"], 2, "rumour"),
    (["remember", "x", "--confidence", "1.5"], 2, "confidence"),
    (["remember", "x", "--occurred-at", "soon"], 2, "--occurred-at 'soon' is not an ISO 8601 time"),
    (["remember", "x", "--occurred-at", "2026-05-02T00:00Z", "--valid-to", "2026-05-01T00:00Z"], 2, "before"),
    (["remember", "x", "--relation", "Checkout payment"], 2, "A DEPENDS_ON B"),
    (["remember", "x", "--payload", "[1]"], 2, "--payload is a JSON list, not an object"),
    (["remember", "x", "--payload", "{"], 2, "--payload is not JSON"),
    (["retain", "missing.json"], 2, "there is no file missing.json"),
    (["get", "0198-none"], 3, "0198-none"),
    (["update", "0198-none", "x"], 3, "0198-none"),
    (["history", "0198-none"], 3, "0198-none"),
    (["forget", "0198-none"], 3, "0198-none"),
    (["chain", "Nobody"], 3, "Nobody"),
    (["chain", "x", "--direction", "sideways"], 2, "sideways"),
    (["chain", "x", "--relation", "LIKES"], 2, "LIKES"),
    (["list", "--limit", "0"], 2, "limit 0 is outside 1..1000"),
    (["list", "--status", "gone"], 2, "gone"),
    (["recall", "x", "--agent", ""], 2, "--agent is empty"),
    (["status", "--store", "mysql://host/db"], 2, "mysql"),
    (["frobnicate"], 2, "frobnicate"),
    (["recall"], 2, "QUERY"),
]  # fmt: skip


@pytest.mark.requirement("A-05")
@pytest.mark.parametrize(("words", "code", "shown"), BAD, ids=[" ".join(words)[:40] for words, _, _ in BAD])
def test_an_error_is_one_line_with_a_code(run: Run, words: list[str], code: int, shown: str) -> None:
    result = run(*words)
    assert (result.code, result.out) == (code, "")
    first, *rest = result.err.splitlines()
    assert first.startswith("error: ")
    assert shown in first
    assert all(line.startswith("hint: ") for line in rest)
    assert len(rest) <= 1


@pytest.mark.parametrize(("words", "code", "shown"), BAD, ids=[" ".join(words)[:40] for words, _, _ in BAD])
def test_an_error_as_json_goes_to_stderr(run: Run, words: list[str], code: int, shown: str) -> None:
    result = run(*words, "--json")
    assert (result.code, result.out) == (code, "")
    error = json.loads(result.err)["error"]
    assert set(error) == {"type", "message", "hint", "exit_code"}
    assert error["exit_code"] == code
    assert shown in error["message"]


def test_a_message_of_another_form_is_named_by_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text('{"content": "Checkout uses Redis"}\n\n{"content": 7}\n', encoding="utf-8")
    result = run("retain", "chat.jsonl")
    assert result.code == 2
    assert result.err.startswith("error: chat.jsonl, line 3: content is int, not text")
    assert run("list", "--json").value["rows"] == []


def test_a_naive_time_in_a_message_is_refused(run: Run) -> None:
    result = run("retain", "-", stdin=b'[{"content": "x", "occurred_at": "2026-05-01T10:00:00"}]')
    assert (result.code, "occurred_at" in result.err) == (2, True)


def test_empty_stdin_is_refused(run: Run) -> None:
    assert run("remember", "-").err.startswith("error: stdin is empty")


def test_a_control_character_in_an_argument_cannot_steer_the_terminal(run: Run) -> None:
    result = run("get", "\x1b[2J0198")
    assert "\x1b" not in result.err
    assert r"\x1b[2J0198" in result.err


def test_markup_in_a_memory_is_shown_as_it_is(run: Run) -> None:
    remembered(run, "Use [bold]brackets[/bold] and [/nothing] :smile:", "--kind", "fact")
    assert "Use [bold]brackets[/bold] and [/nothing] :smile:" in run("list").out


def test_output_that_is_no_terminal_has_no_colours(run: Run) -> None:
    remembered(run, "Checkout depends on the payment service")
    for words in (["recall", "checkout", "--explain"], ["list"], ["status"], ["doctor"], ["entities"]):
        assert "\x1b" not in run(*words).out


@pytest.mark.parametrize("columns", ["80", "120"])
def test_tables_fit_the_width_and_wide_characters_align(run: Run, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    from rich.cells import cell_len

    monkeypatch.setenv("COLUMNS", columns)
    remembered(run, "退款服务依赖支付服务，支付服务依赖账本数据库，账本数据库依赖四号节点上的磁盘，磁盘写满会导致退款失败。" * 2)
    remembered(run, "Refund workers need the payment service, which needs the ledger database, which needs the disk of node 4.")
    for words in (["recall", "退款 refund", "--explain"], ["list"]):
        out = run(*words).out
        assert max(cell_len(line) for line in out.splitlines()) <= int(columns)
        assert "…" not in out


def test_no_argument_is_help(run: Run) -> None:
    assert run().out == run("--help").out
    assert "Exit codes:" in run().out
