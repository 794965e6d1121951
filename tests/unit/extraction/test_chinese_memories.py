"""Chinese sentences as agents keep them: where a name ends, who does what, and what says nothing."""

import pytest

from hindsight_graph.extraction.base import Source
from hindsight_graph.extraction.spacy_extractor import SpacyExtractor

pytestmark = [pytest.mark.requirement("M-05"), pytest.mark.timeout(120)]


def relations(text: str) -> list[str]:
    found = SpacyExtractor().extract_one(Source(text=text, keep_all=True))
    return [f"{link.source} {link.type.value} {link.target}" for item in found.statements for link in item.relations]


def names(text: str) -> list[str]:
    found = SpacyExtractor().extract_one(Source(text=text, keep_all=True))
    return [mention.name for item in found.statements for mention in item.mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("账本服务由程浩带队维护。", ["程浩 OWNS 账本服务"]),
        ("前端的图表库是程浩在维护。", ["程浩 OWNS 图表库"]),
        ("程浩和周宁一起管理账本服务。", ["程浩 OWNS 账本服务", "周宁 OWNS 账本服务"]),
        ("账本服务每月要巡检,由平台组负责。", ["平台组 OWNS 账本服务"]),
        ("只有启动 Vault,账本服务才能注册。", ["账本服务 DEPENDS_ON Vault"]),
        ("账本服务要靠 PoE 网关供电。", ["账本服务 DEPENDS_ON PoE 网关"]),
        ("账本服务需要 Java 17 以上的版本。", ["账本服务 DEPENDS_ON Java 17"]),
        ("升级到 Java 21 之后,老客户端连不上了。", ["升级到 Java 21 CAUSES 老客户端连不上"]),
        ("账本服务被恶意请求打垮了。", ["恶意请求 CAUSES 账本服务"]),
        ("由于时钟不同步,令牌校验失败。", ["时钟不同步 CAUSES 令牌校验失败"]),
        ("加了锁之后,重复扣款没有再出现。", ["加了锁 FIXES 重复扣款"]),
        ("账本服务通过跳板机访问外部网络。", ["账本服务 USES 跳板机"]),
        ("账本服务会把凭证存到 MinIO 里。", ["账本服务 USES MinIO"]),
        ("Vault 被账本服务使用。", ["账本服务 USES Vault"]),
        ("账本服务是用 Kotlin 训练的。", ["账本服务 USES Kotlin"]),
        ("账本服务调用了 Stripe 的接口。", ["账本服务 USES Stripe"]),
        ("程浩更愿意用飞书沟通。", ["程浩 PREFERS 飞书"]),
        ("用户要求不要使用弹窗。", ["用户 AVOIDS 弹窗"]),
        (
            "收银页、账单页和首页都依赖账本服务。",
            ["收银页 DEPENDS_ON 账本服务", "账单页 DEPENDS_ON 账本服务", "首页 DEPENDS_ON 账本服务"],
        ),
    ],
)
def test_clauses_of_memories_state_relations(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "他们在用 Terraform 管理资源。",
        "工具返回:连接 10.2.0.9:5432 被拒绝。",
        "清缓存解决不了这个报错。",
        "程浩从客服部调到了运营部。",
        "程浩建议用 Vault 存密钥。",
        "客户要求系统支持双语。",
        "人脸闸机需要联网才能使用。",
    ],
)
def test_means_results_of_tools_and_advice_state_nothing(text: str) -> None:
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("监控大屏依赖部署脚本。", ["监控大屏", "部署脚本"]),
        ("缓存库在华东三区。", ["华东三区"]),
        ("开关定义在 deploy/.env 中。", ["deploy/.env"]),
        ("机柜 C07 位于三楼机房。", ["C07", "三楼机房"]),
        ("账本服务依赖 Redis 集群。", ["账本服务", "Redis"]),
        ("预算审批取决于财务部。", ["财务部"]),
        ("上周的任务一律用 UTC 时间。", []),
    ],
)
def test_names_end_where_words_do(text: str, expected: list[str]) -> None:
    assert [name for name in names(text) if name not in {"预算审批", "缓存库"}] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("秋白接手了短视频账号。", ["秋白 OWNS 短视频账号"]),
        ("校园一卡通的负责人是鲁宁。", ["鲁宁 OWNS 校园一卡通"]),
        ("旧打印机换成了激光一体机。", ["激光一体机 REPLACES 打印机"]),
        ("包装车间生产纸箱和托盘。", ["包装车间 PRODUCES 纸箱", "包装车间 PRODUCES 托盘"]),
        ("采血车归血站管理。", ["血站 OWNS 采血车"]),
        ("比起微博,年轻人更爱用小红书。", ["年轻人 PREFERS 小红书", "年轻人 AVOIDS 微博"]),
        ("急救箱挂在门厅后面。", ["急救箱 LOCATED_IN 门厅"]),
    ],
)
def test_words_the_dictionary_lacks_are_cut_where_verbs_end(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("打卡机必须连上内网才能用。", ["打卡机 DEPENDS_ON 内网"]),
        ("保安通过对讲机联系前台。", ["保安 USES 对讲机"]),
        ("采购合同由法务部保管。", ["法务部 OWNS 采购合同"]),
        ("公司规定不准用私人邮箱。", ["公司 AVOIDS 私人邮箱"]),
        ("先装系统,再装驱动。", ["装系统 PRECEDES 装驱动"]),
        ("有人误删了配置,结果整个集群重启。", ["有人误删了配置 CAUSES 整个集群重启"]),
    ],
)
def test_rules_of_a_house_and_means_are_read(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鹤雀调度器需要Fennden ledger才能启动。", ["鹤雀调度器 DEPENDS_ON Fennden ledger"]),
        ("鹤雀调度器需要 Fennden ledger 才能启动。", ["鹤雀调度器 DEPENDS_ON Fennden ledger"]),
        ("鹤雀调度器需要fennden ledger才能启动。", ["鹤雀调度器 DEPENDS_ON fennden ledger"]),
        ("账本服务离不开Isolhaven cache。", ["账本服务 DEPENDS_ON Isolhaven cache"]),
        ("账本服务依赖Fennden ledger store。", ["账本服务 DEPENDS_ON Fennden ledger store"]),
        ("支付服务依赖Kafka Streams集群。", ["支付服务 DEPENDS_ON Kafka Streams集群"]),
        ("账本服务依赖Redis 7.2 Cluster。", ["账本服务 DEPENDS_ON Redis 7.2 Cluster"]),
        ("账本服务需要node-4 gateway才能启动。", ["账本服务 DEPENDS_ON node-4 gateway"]),
        ("账本服务依赖v2.3 gateway。", ["账本服务 DEPENDS_ON v2.3 gateway"]),
        ("账本服务依赖ledger.v2 store。", ["账本服务 DEPENDS_ON ledger.v2 store"]),
        ("账本服务依赖fennden-ledger store 2。", ["账本服务 DEPENDS_ON fennden-ledger store 2"]),
        ("Fennden ledger需要Orders API才能启动。", ["Fennden ledger DEPENDS_ON Orders API"]),
        ("Kafka Streams需要ZooKeeper才能启动。", ["Kafka Streams DEPENDS_ON ZooKeeper"]),
        ("没有Fennden ledger,账本服务就无法启动。", ["账本服务 DEPENDS_ON Fennden ledger"]),
        ("账本服务没有Fennden ledger就无法启动。", ["账本服务 DEPENDS_ON Fennden ledger"]),
        ("账本服务由Orders API负责。", ["Orders API OWNS 账本服务"]),
        ("Fennden ledger由程浩维护。", ["程浩 OWNS Fennden ledger"]),
        ("程浩负责Fennden ledger。", ["程浩 OWNS Fennden ledger"]),
        ("把Redis Cluster换成Dragonfly。", ["Dragonfly REPLACES Redis Cluster"]),
        ("把redis cluster换成dragonfly db。", ["dragonfly db REPLACES redis cluster"]),
        ("用Fennden ledger取代Orders API。", ["Fennden ledger REPLACES Orders API"]),
        ("Fennden ledger是账本服务的一部分。", ["Fennden ledger PART_OF 账本服务"]),
        ("Orders API部署在node-4上。", ["Orders API LOCATED_IN node-4"]),
        ("账本服务使用Kafka Streams和Fennden ledger。", ["账本服务 USES Kafka Streams", "账本服务 USES Fennden ledger"]),
        ("账本服务通过Fennden gateway访问外部网络。", ["账本服务 USES Fennden gateway"]),
        ("别用Fennden ledger。", ["用户 AVOIDS Fennden ledger"]),
    ],
)
def test_latin_names_of_several_words_are_ends_of_relations(text: str, expected: list[str]) -> None:
    assert sorted(relations(text)) == sorted(expected)


@pytest.mark.parametrize("text", ["Alice需要VPN。", "日志由ELK负责收集。"])
def test_needs_of_people_and_tasks_of_programs_in_latin_script_state_nothing(text: str) -> None:
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Isolhaven cache监听8080端口。", ["Isolhaven cache", "8080"]),
        ("Fennden ledger上个月重启了三次。", ["Fennden ledger"]),
        ("v2.3 gateway每秒处理三百个请求。", ["v2.3 gateway"]),
        ("账本服务依赖Redis 7.2 Cluster。", ["账本服务", "Redis 7.2 Cluster"]),
        ("支付服务依赖Kafka Streams集群。", ["支付服务", "Kafka Streams"]),
        ("docker compose up卡在拉取redis:7-alpine。", ["docker", "redis:7-alpine"]),
        ("联系Alice by email。", ["Alice"]),
    ],
)
def test_latin_names_of_several_words_are_whole(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_what_a_command_is_told_to_do_is_no_part_of_its_name() -> None:
    assert names("git rebase之后构建失败。")[0] == "git"
