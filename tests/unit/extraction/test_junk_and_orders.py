"""What must not become a thing of the graph, and orders that hold from now on; in both languages."""

import pytest

from hindsight_graph.extraction.base import Source, Statement
from hindsight_graph.extraction.junk import is_junk
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.models.enums import Kind

EXTRACTOR = RuleExtractor()
NOTHING: set[str] = set()


def statements(text: str) -> tuple[Statement, ...]:
    return EXTRACTOR.extract_one(Source(text=text)).statements


def names(text: str) -> set[str]:
    """Return everything that would become a thing: what is mentioned, and the ends of relations."""
    found = {mention.name for statement in statements(text) for mention in statement.mentions}
    ends = {end for statement in statements(text) for link in statement.relations for end in (link.source, link.target)}
    return found | ends


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("```python\nfor item in range(10):\n    print(foo.bar, MAX_RETRIES)\n```", NOTHING),
        ("```bash\nexport TOKEN_FILE=1\n```\nThe API server uses Redis.", {"API server", "Redis"}),
        ("```yaml\n服务:\n  image: postgres:16\n```\n网关依赖Redis。", {"网关", "Redis"}),
        ("def handler(event):\nreturn Config.load(event)", NOTHING),
        ("| Service | Owner | Port |\n|---|---|---|\n| checkout | Alice | 8080 |\n| TOTAL | 3 | 12 |", {"Alice"}),
        ("| 服务 | 端口 |\n|---|---|\n| 支付服务 | 8080 |\n| 合计 | 2 |", {"支付服务"}),
        ("42 depends on 7.", NOTHING),
        ("Everyone uses Slack.", {"Slack"}),
        ("It depends on them.", NOTHING),
        ("它依赖于它们。", NOTHING),
        ("该服务依赖于上述组件。", NOTHING),
        ("The staging Postgres runs on port 5433.", {"Postgres", "5433"}),
        ("10.0.0.5 depends on 10.0.0.6.", {"10.0.0.5", "10.0.0.6"}),
    ],
)
def test_code_table_marks_pronouns_and_bare_numbers_are_no_things(text: str, wanted: set[str]) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize("text", ["Redis", "port 80", "3.11", "Room 101", "一号机房", "OK Computer", "v2", "其乐融融"])
def test_names_stay_names(text: str) -> None:
    assert not is_junk(text)


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("以后请用pnpm。", "pnpm"),
        ("以后请用中文回答。", "中文"),
        ("请以后都用 uv 安装依赖。", "uv"),
        ("请你以后统一使用 ruff", "ruff"),
        ("今后用 Postgres 吧。", "Postgres"),
        ("麻烦以后用JSON格式输出。", "JSON"),
        ("以后记得用pytest跑测试", "pytest"),
        ("拜托以后用英文写提交信息", "英文"),
        ("From now on, please use pnpm.", "pnpm"),
        ("Can you use uv from now on?", "uv"),
    ],
)
def test_a_polite_order_for_the_future_is_a_constraint_that_somebody_prefers_the_thing(text: str, thing: str) -> None:
    (statement,) = statements(text)
    assert statement.kind is Kind.CONSTRAINT
    (link,) = statement.relations
    assert (link.source in {"用户", "user"}, link.type, link.target) == (True, "PREFERS", thing)


@pytest.mark.parametrize("text", ["以后用户会很多", "我们用 Redis 做缓存。", "今后用电需求增加。", "The team uses Redis now."])
def test_what_orders_nothing_is_no_constraint(text: str) -> None:
    assert [statement.kind for statement in statements(text)] == [Kind.FACT]


def test_an_order_against_something_stays_a_prohibition() -> None:
    (statement,) = statements("以后不要用npm。")
    assert (statement.kind, statement.negated) == (Kind.CONSTRAINT, True)
    assert [(link.type, link.target) for link in statement.relations] == [("AVOIDS", "npm")]
