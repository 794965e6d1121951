"""The rule extractor as callers see it: statements, what was dropped, and why."""

import pytest

from hindsight_graph.extraction.base import Extraction, Source, Statement
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.models.enums import EntityType, Kind, MentionRole, Outcome, RelationType


def extract(text: str, *, role: str = "user", name: str | None = None, keep_all: bool = False) -> Extraction:
    return RuleExtractor().extract_one(Source(text=text, role=role, name=name, keep_all=keep_all))


def one(text: str, *, role: str = "user", name: str | None = None) -> Statement:
    statements = extract(text, role=role, name=name).statements
    assert len(statements) == 1
    return statements[0]


async def test_extraction_keeps_the_order_of_the_sources() -> None:
    sources = [Source(text="The index lives in Solr."), Source(text="hello"), Source(text="索引部署在 Solr。")]
    extractions = await RuleExtractor().extract(sources)
    assert [[statement.summary for statement in extraction.statements] for extraction in extractions] == [
        ["The index lives in Solr."],
        [],
        ["索引部署在 Solr。"],
    ]
    assert RuleExtractor().name == "rules-2"


@pytest.mark.requirement("M-03")
def test_a_prohibition_and_its_alternative_stay_one_statement() -> None:
    statement = one("Do not use MongoDB, use Postgres.")
    assert statement.summary == "Do not use MongoDB, use Postgres."
    assert statement.negated
    assert statement.kind is Kind.CONSTRAINT
    assert [(link.source, link.type, link.target) for link in statement.relations] == [
        ("user", RelationType.AVOIDS, "MongoDB"),
        ("user", RelationType.USES, "Postgres"),
    ]


@pytest.mark.requirement("M-03")
def test_a_chinese_prohibition_keeps_its_alternative() -> None:
    statement = one("不要使用 MongoDB，改用 Postgres。")
    assert statement.negated
    assert statement.language == "zh"
    assert [(link.source, link.type, link.target) for link in statement.relations] == [
        ("用户", RelationType.AVOIDS, "MongoDB"),
        ("用户", RelationType.USES, "Postgres"),
    ]


@pytest.mark.requirement("M-03")
def test_long_text_is_split_and_every_word_is_in_some_statement() -> None:
    words = [f"word{number}" for number in range(300)]
    text = "The plan covers " + ", ".join(words) + " and ends."
    statements = extract(text).statements
    assert all(len(statement.summary) <= 200 for statement in statements)
    said = " ".join(statement.summary for statement in statements)
    assert [word for word in words if word not in said] == []


@pytest.mark.requirement("M-03")
def test_a_negated_list_says_its_negation_in_every_part() -> None:
    text = "Never import these modules from the handlers: " + ", ".join(f"module_{number:03}" for number in range(60)) + "."
    statements = extract(text).statements
    assert len(statements) > 3
    assert all("Never import" in statement.summary and statement.negated for statement in statements)


@pytest.mark.requirement("M-03")
def test_one_word_of_a_megabyte_is_cut_by_length_and_noted() -> None:
    extraction = extract("x" * 1_000_000)
    assert len(extraction.statements) == 5000
    assert sum(len(statement.summary) for statement in extraction.statements) == 1_000_000
    assert extraction.notes == ("a run of characters without a border was cut by length 4999 times",)


@pytest.mark.requirement("M-06")
def test_small_talk_is_dropped_with_its_reason_and_the_statement_beside_it_kept() -> None:
    extraction = extract("Good morning! The build server moved to Oslo. Thanks a lot! Can you check it?")
    assert [statement.summary for statement in extraction.statements] == ["The build server moved to Oslo."]
    assert [(item.text, item.reason) for item in extraction.dropped] == [
        ("Good morning!", "greeting"),
        ("Thanks a lot!", "small talk"),
        ("Can you check it?", "question"),
    ]


@pytest.mark.requirement("M-06")
def test_a_greeting_before_a_statement_is_taken_off() -> None:
    extraction = extract("Hi Nora, the pager rotation starts on Monday.")
    assert [statement.summary for statement in extraction.statements] == ["the pager rotation starts on Monday."]
    assert extraction.statements[0].start == 9
    assert [item.reason for item in extraction.dropped] == ["greeting"]


@pytest.mark.requirement("M-06")
def test_lives_of_people_are_kept() -> None:
    statement = one("I joined the pottery class last night and it was wonderful.", name="Nora")
    assert statement.kind is Kind.ACTION
    assert ("Nora", EntityType.PERSON, MentionRole.SUBJECT) in [(m.name, m.type, m.role) for m in statement.mentions]


def test_keep_all_drops_nothing() -> None:
    extraction = extract("ok. 你好！ What is the port?", keep_all=True)
    assert len(extraction.statements) == 3
    assert extraction.dropped == ()


def test_a_kept_question_states_no_relation_and_is_unsure() -> None:
    (statement,) = extract("Does the importer depend on Redis?", keep_all=True).statements
    assert statement.relations == ()
    assert statement.confidence == 0.5


def test_the_first_person_is_the_speaker() -> None:
    statement = one("I prefer Zsh over Fish.", name="Nora")
    assert [(link.source, link.type, link.target) for link in statement.relations] == [
        ("Nora", RelationType.PREFERS, "Zsh"),
        ("Nora", RelationType.AVOIDS, "Fish"),
    ]
    assert one("I prefer Zsh.").relations[0].source == "user"
    assert one("我喜欢 Zsh。").relations[0].source == "用户"
    assert one("我喜欢 Zsh。", name="小周").relations[0].source == "小周"
    assert one("We use Zsh.").relations[0].source == "we"
    assert one("我们使用 Zsh。").relations[0].source == "我们"
    assert one("I use Zsh.", role="assistant").relations[0].source == "assistant"


def test_mentions_tell_their_role_in_the_relations() -> None:
    statement = one("The tax service relies on Redis.")
    assert [(m.name, m.type, m.role) for m in statement.mentions] == [
        ("tax service", EntityType.SERVICE, MentionRole.SUBJECT),
        ("Redis", EntityType.SOFTWARE, MentionRole.OBJECT),
    ]
    assert statement.relations[0].pattern == "en:relies on"


def test_hedges_lower_the_confidence_of_statement_and_relation() -> None:
    sure, probable, vague = (
        one("The tax service relies on Redis."),
        one("The tax service probably relies on Redis."),
        one("Maybe the tax service relies on Redis."),
    )
    assert (sure.confidence, probable.confidence, vague.confidence) == (0.9, 0.6, 0.5)
    assert sure.relations[0].confidence > probable.relations[0].confidence > vague.relations[0].confidence
    assert one("税务服务可能依赖 Redis。").confidence == 0.6
    assert one("据说税务服务依赖 Redis。").confidence == 0.5


def test_a_tool_result_tells_outcome_code_and_tool() -> None:
    failed = one("Error: connect ETIMEDOUT 10.1.2.3:9000", role="tool", name="fetch_page")
    assert (failed.kind, failed.outcome, failed.error_code, failed.tools) == (
        Kind.RESULT,
        Outcome.FAILURE,
        "ETIMEDOUT",
        ("fetch_page",),
    )
    assert one("12 rows written", role="tool", name="load").outcome is Outcome.SUCCESS
    assert one("错误：库存不足", role="tool", name="order").outcome is Outcome.FAILURE


def test_offsets_point_into_the_source() -> None:
    text = "- The cache is warm.\n- 队列是空的。\n\nDone with it all."
    for statement in extract(text).statements:
        assert text[statement.start : statement.end] == statement.summary


def test_markdown_is_read_by_its_blocks() -> None:
    text = (
        "# Runbook\n\nThe gateway needs a restart after a deploy because\nthe cache is cold.\n\n"
        "* first **step**\n* second step\n  goes on here\n\n| name | port |\n|---|---|\n| tax | 7001 |\n\n"
        "```sh\nmake build\nmake run\n```\n> quoted words\n"
    )
    assert [statement.summary for statement in extract(text, keep_all=True).statements] == [
        "Runbook",
        "The gateway needs a restart after a deploy because the cache is cold.",
        "first step",
        "second step goes on here",
        "name: tax, port: 7001",
        "make build make run",
        "quoted words",
    ]


def test_a_table_row_states_its_slot() -> None:
    (statement,) = extract("| service | port |\n|---|---|\n| tax | 7001 |", keep_all=True).statements
    assert statement.slot is not None
    assert (statement.slot.subject, statement.slot.attribute, statement.slot.value) == ("tax", "port", "7001")
