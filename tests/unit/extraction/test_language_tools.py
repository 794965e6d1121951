"""The extractor with spaCy and jieba: names and relations by grammar, the same each time, and any text survives it."""

import subprocess
import sys
import time

import pytest

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.extraction import spacy_extractor
from hindsight_graph.extraction.base import Extraction, Source
from hindsight_graph.extraction.spacy_extractor import SpacyExtractor

pytestmark = [pytest.mark.requirement("M-05"), pytest.mark.timeout(120)]


def read(text: str) -> Extraction:
    return SpacyExtractor().extract_one(Source(text=text, keep_all=True))


def relations(text: str) -> list[str]:
    return [f"{link.source} {link.type.value} {link.target}" for item in read(text).statements for link in item.relations]


def names(text: str) -> list[str]:
    return [mention.name for item in read(text).statements for mention in item.mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The importer, which Vera maintains, depends on Vault and Redis.",
            ["Vera OWNS importer", "importer DEPENDS_ON Vault", "importer DEPENDS_ON Redis"],
        ),
        ("The cache that the importer depends on is slow.", ["importer DEPENDS_ON cache"]),
        ("The importer won't start unless Vault is up.", ["importer DEPENDS_ON Vault"]),
        ("The importer does not depend on Vault.", []),
        ("Nobody uses Vault.", []),
        ("The importer no longer uses Vault.", ["importer AVOIDS Vault"]),
        ("The geo team stopped using Vault.", ["geo team AVOIDS Vault"]),
        ("The outage was caused by a stale lock.", ["stale lock CAUSES outage"]),
        ("Flushing the queue fixed the backlog.", ["Flushing the queue FIXES backlog"]),
        ("The importer failed because the token had expired.", ["token had expired CAUSES importer failed"]),
        ("We swapped Vault for Infisical.", ["Infisical REPLACES Vault"]),
        ("Vera would rather use Vim than Emacs.", ["Vera PREFERS Vim", "Vera AVOIDS Emacs"]),
        (
            "The drum consists of a shell, two bearings and a belt.",
            ["shell PART_OF drum", "bearings PART_OF drum", "belt PART_OF drum"],
        ),
        ("Use Vault instead of Consul.", ["user USES Vault", "user AVOIDS Consul"]),
        ("If Vault fails, the importer uses Redis.", []),
        ("Does the importer depend on Vault?", []),
    ],
)
def test_english_grammar_states_relations(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("导入服务依赖地理服务和 Vault。", ["导入服务 DEPENDS_ON 地理服务", "导入服务 DEPENDS_ON Vault"]),
        ("没有 Vault,导入服务就启动不了。", ["导入服务 DEPENDS_ON Vault"]),
        ("导入服务由周宁负责,底层调用 PaddleOCR。", ["周宁 OWNS 导入服务", "导入服务 USES PaddleOCR"]),
        ("宕机是由锁过期导致的。", ["锁过期 CAUSES 宕机"]),
        ("不要用 Docker,改用 Podman。", ["用户 AVOIDS Docker", "用户 USES Podman"]),
        ("把 Docker 换成 Podman。", ["Podman REPLACES Docker"]),
        ("比起 Docker,我更喜欢 Podman。", ["用户 PREFERS Podman", "用户 AVOIDS Docker"]),
        ("数据库迁移必须在发布之前完成。", ["数据库迁移 PRECEDES 发布"]),
        ("导入服务不依赖 Vault。", []),
        ("导入服务依赖 Vault 吗?", []),
        ("訂單服務依賴庫存服務。", ["訂單服務 DEPENDS_ON 庫存服務"]),
        ("The importer depends on Vault. 地理服务依赖 Redis。", ["importer DEPENDS_ON Vault", "地理服务 DEPENDS_ON Redis"]),
    ],
)
def test_chinese_clauses_state_relations(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


def test_a_pronoun_means_what_the_sentence_before_was_about() -> None:
    found = relations("The importer is slow. It depends on Vault. That service is owned by Vera.")
    assert found == ["importer DEPENDS_ON Vault", "Vera OWNS importer"]


def test_a_pronoun_in_another_message_means_nothing() -> None:
    first, second = SpacyExtractor().extract_all([Source(text="The importer is slow."), Source(text="It depends on Vault.")])
    assert first.statements
    assert second.statements[0].relations == ()


def test_a_verb_is_no_part_of_a_name() -> None:
    assert names("重启支付网关。") == ["支付网关"]
    assert "geo service" in names("Restart the geo service.")


def test_names_are_systems_devices_and_parts_and_no_events() -> None:
    assert names("The torque sensor on the conveyor failed during the rollout.") == ["torque sensor"]
    assert names("温控器由传感器和继电器组成。") == ["温控器", "传感器", "继电器"]


def test_every_relation_names_its_pattern_and_its_confidence() -> None:
    english = read("The importer depends on Vault.").statements[0].relations[0]
    chinese = read("导入服务依赖 Vault。").statements[0].relations[0]
    assert (english.pattern, english.confidence) == ("en-dep:depend", 0.9)
    assert (chinese.pattern, chinese.confidence) == ("zh-seg:依赖", 0.9)


def test_an_extraction_says_what_read_it() -> None:
    assert read("The importer depends on Vault.").extractor == SpacyExtractor().name
    assert SpacyExtractor().name.startswith("spacy-2 (en_core_web_sm-3.8")


def test_many_sources_read_at_once_give_what_each_gives_alone() -> None:
    texts = [
        "The importer depends on Vault.",
        "导入服务依赖 Vault。",
        "",
        "Thanks!",
        "We use Podman, not Docker. It is fast.",
    ] * 3
    sources = [Source(text=text) for text in texts]
    assert SpacyExtractor().extract_all(sources) == tuple(SpacyExtractor().extract_one(source) for source in sources)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The 🚀 bot depends on Redis 🔥.", ["bot DEPENDS_ON Redis"]),
        ("for item in rows: print(item)  # depends on Redis", []),
        ("https://ci.example.org/a?b=c#d depends on Redis.", ["https://ci.example.org/a?b=c#d DEPENDS_ON Redis"]),
        ("注文サービスは在庫サービスに依存しています。", []),
        ("주문 서비스는 재고 서비스에 의존합니다.", []),
        ("Сервис заказов зависит от сервиса склада.", []),
        ("تعتمد خدمة الطلبات على خدمة المخزون.", []),
        ("שירות ההזמנות תלוי בשירות המלאי", []),
        ("((((((((((((((((", []),
        ("a" + "\u0301" * 3000, []),
    ],
)
def test_any_text_is_read_or_left_without_relations(text: str, expected: list[str]) -> None:
    extraction = read(text)
    assert relations(text) == expected
    assert "".join(item.summary for item in extraction.statements) != "" or not any(one.isalpha() for one in text)


def test_two_hundred_names_in_a_sentence_are_all_found() -> None:
    listed = ", ".join(f"Tool{number}" for number in range(200))
    assert {f"Tool{number}" for number in range(200)} <= set(names(f"We use {listed}."))


@pytest.mark.parametrize("text", ["The cache depends on Redis and " * 3_300, "没有依赖，" * 20_000])
def test_a_line_of_a_hundred_kilobytes_is_read_in_time(text: str) -> None:
    read("The importer depends on Vault. 导入服务依赖 Vault。")  # loads both tools
    started = time.process_time()
    assert read(text).statements
    assert time.process_time() - started < 30  # 6 seconds on a quiet machine


def test_nothing_is_loaded_until_something_is_read() -> None:
    code = (
        "import sys, hindsight_graph.readers as r; r.make_extractor('auto');"
        "assert not {'spacy', 'jieba', 'thinc'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_packages_the_extractor_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_extractor, "is_installed", lambda: False)
    with pytest.raises(MissingExtraError, match="jieba") as caught:
        SpacyExtractor()
    assert caught.value.hint == "pip install 'hindsight-graph[nlp]'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First stop the consumer, then run the backfill.", ["stop the consumer PRECEDES run the backfill"]),
        ("Freeze the ledger before changing the schema.", ["Freeze the ledger PRECEDES changing the schema"]),
        ("The importer relies on Vault and on Redis.", ["importer DEPENDS_ON Vault", "importer DEPENDS_ON Redis"]),
        ("The chat widget sends events to Segment.", ["chat widget USES Segment"]),
        ("Reports are written to /srv/reports.", ["Reports LOCATED_IN /srv/reports"]),
        ("Vera likes Helix better than Vim.", ["Vera PREFERS Helix", "Vera AVOIDS Vim"]),
        ("The pressure sensor is mounted on buoy B-7.", ["pressure sensor LOCATED_IN B-7"]),
    ],
)
def test_english_orders_lists_and_labels_are_read(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "The indexer requires at least 4 GB of memory.",
        "kubectl shows two crashed replicas of Vault.",
        "Whether we ship depends on Vera.",
        "Run the smoke tests after each deploy.",
        "Run the backfill.",
        "The edge cache sits in front of the importer.",
        "Ask Vera before touching the schema.",
    ],
)
def test_amounts_clauses_and_orders_state_no_relation(text: str) -> None:
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vera fixed the projector.", []),
        ("Vera would like more plants.", []),
        ("Please send the contract to Vera.", []),
        ("The gallery lights follow the museum calendar.", []),
        ("The solar inverter exports its data.", []),
        ("A loose bolt ruined the gearbox.", ["loose bolt CAUSES gearbox"]),
        ("The clinic keeps vaccines in fridge F-2.", ["vaccines LOCATED_IN F-2"]),
        ("Vera recommends Helix over Vim.", ["Vera PREFERS Helix", "Vera AVOIDS Vim"]),
    ],
)
def test_a_person_is_no_remedy_and_a_wish_no_preference(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)
