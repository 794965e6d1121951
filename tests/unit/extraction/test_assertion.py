"""What a sentence denies, doubts, supposes or tells of the past is not stated as so."""

import pytest

from hindsight_graph.extraction.base import Source, Statement
from hindsight_graph.extraction.rules import RuleExtractor


def one(text: str) -> Statement:
    (statement,) = RuleExtractor().extract_one(Source(text=text, keep_all=True)).statements
    return statement


def relations(text: str) -> list[str]:
    return [f"{link.source} {link.type.value} {link.target}" for link in one(text).relations]


@pytest.mark.requirement("M-03")
@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    "text",
    [
        "It is not true that the importer depends on Vault.",
        "It isn't the case that the importer uses Vault.",
        "The claim that the importer uses Vault is false.",
        "I don't think the importer uses Vault.",
        "There is no evidence that the importer uses Vault.",
        "No job uses Vault.",
        "None of the jobs use Vault.",
        "Neither the importer nor the exporter uses Vault.",
        "The importer depends on neither Vault nor Kafka.",
        "The importer has no dependency on Vault.",
        "The importer doesn't need to use Vault.",
        "The importer is not owned by Nora.",
        "导入服务并非依赖账本。",
        "导入服务无法使用 Vault。",
        "没有任务依赖账本。",
        "没人使用 Vault。",
        "不是所有任务都依赖 Vault。",
        "导入服务不归小周负责。",
        "导入服务没有部署在苏州。",
        "不要在周三发布。",
        "不要把 Vault 换成 Consul。",
        "小周认为导入服务依赖 Vault 是错的。",
        "我不认为导入服务依赖 Vault。",
        "导入服务依赖 Vault 的说法不对。",
    ],
)
def test_what_is_denied_states_no_relation_and_is_marked(text: str) -> None:
    assert relations(text) == []
    assert one(text).negated


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("I doubt that the importer uses Vault.", 0.5),
        ("I'm not sure the importer uses Vault.", 0.5),
        ("It is unclear whether the importer uses Vault.", 0.5),
        ("导入服务是否依赖账本还不确定。", 0.5),
        ("导入服务未必依赖 Vault。", 0.5),
    ],
)
def test_what_is_doubted_states_no_relation_and_is_unsure(text: str, confidence: float) -> None:
    assert relations(text) == []
    assert one(text).confidence == confidence


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    "text",
    [
        "We could have used Vault.",
        "If Nora leaves, the owner of the importer is Tom.",
        "Tom owns the importer if Nora leaves.",
        "The importer would depend on Vault if we used Consul.",
        "Had we used Vault, the importer would depend on Consul.",
        "Unless Nora stays, Tom owns the importer.",
        "We wish we used Vault.",
        "We almost adopted Vault.",
        "Suppose the importer uses Vault.",
        "如果小周离职，导入服务由小何负责。",
        "要是用了 Vault，导入服务就会依赖账本。",
        "我们本来可以使用 Vault。",
        "我们差点用了 Vault。",
    ],
)
def test_conditions_and_what_did_not_happen_state_no_relation_and_no_slot(text: str) -> None:
    assert relations(text) == []
    assert one(text).slot is None


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    "text",
    [
        "Nora used to own the importer.",
        "Nora formerly maintained the importer.",
        "We used Vault until 2023.",
        "小周以前负责导入服务。",
        "导入服务曾经依赖账本。",
        "之前导入服务由小周负责。",
    ],
)
def test_a_state_of_the_past_is_no_relation_of_today(text: str) -> None:
    assert relations(text) == []


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Avoid using Vault in production.", ["user AVOIDS Vault"]),
        ("The importer uses neither Vault nor Consul.", ["importer AVOIDS Vault", "importer AVOIDS Consul"]),
        ("I do not want to use Vault.", ["user AVOIDS Vault"]),
        ("I prefer not to use Vault.", ["user AVOIDS Vault"]),
        ("Don't forget to use Vault.", ["user USES Vault"]),
        ("We should have used Vault, but we use Consul.", ["we USES Consul"]),
        ("We once used Docker, now we use Podman.", ["we USES Podman"]),
        ("In the past Podman replaced Docker.", ["Podman REPLACES Docker"]),
        ("Use Podman if possible.", ["user USES Podman"]),
        ("There is no doubt that the importer uses Vault.", ["importer USES Vault"]),
        ("导入服务不得不使用 Vault。", ["导入服务 USES Vault"]),
        ("我们不能不使用 Vault。", ["我们 USES Vault"]),
        ("千万别忘了使用 Vault。", ["用户 USES Vault"]),
        ("不要用 Redis 存令牌，改用 Vault。", ["用户 AVOIDS Redis", "用户 USES Vault"]),
        ("不要用 Redis 当账本。", ["用户 AVOIDS Redis"]),
        ("我们用 Kafka 来传日志。", ["我们 USES Kafka"]),
        ("以前我们用 Docker，现在我们用 Podman。", ["我们 USES Podman"]),
        ("如果没有 Vault，导入服务就无法启动。", ["导入服务 DEPENDS_ON Vault"]),
        ("如果 Vault 宕机，导入服务就会不可用。", ["导入服务 DEPENDS_ON Vault"]),
    ],
)
def test_what_is_stated_beside_a_denial_is_kept_in_its_sense(text: str, expected: list[str]) -> None:
    assert relations(text) == expected


@pytest.mark.requirement("M-03")
@pytest.mark.parametrize("text", ["导入服务不得不使用 Vault。", "千万别忘了使用 Vault。", "We have no choice but to use Vault."])
def test_two_negations_deny_nothing(text: str) -> None:
    assert not one(text).negated
