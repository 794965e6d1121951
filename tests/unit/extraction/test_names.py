"""Names in both languages, and their types."""

import pytest

from hindsight_graph.extraction.base import Source
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.models.enums import EntityType

pytestmark = pytest.mark.requirement("M-05")


def names(text: str) -> dict[str, EntityType]:
    extraction = RuleExtractor().extract_one(Source(text=text, keep_all=True))
    return {mention.name: mention.type for statement in extraction.statements for mention in statement.mentions}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The geo service stores tiles in MinIO.", ["geo service", "MinIO"]),
        ("Postgres 16 listens on port 6543.", ["Postgres 16", "6543"]),
        ("Call TileLoader.load() with tile_size set.", ["TileLoader.load", "tile_size"]),
        ("Copy conf/app.toml to /etc/app/app.toml.", ["conf/app.toml", "/etc/app/app.toml"]),
        ("Nora Lindqvist left Siemens in Munich.", ["Nora Lindqvist", "Siemens", "Munich"]),
        ("Ticket GEO-77 blocks release 3.1.4.", ["GEO-77", "3.1.4"]),
        ("We bumped polars from 0.20.3 to 1.1.0.", ["polars", "0.20.3", "1.1.0"]),
        ("Open https://tiles.example.org/v2 in Firefox.", ["https://tiles.example.org/v2", "Firefox"]),
        ("The job failed on geo-worker-03 with `exit 9`.", ["geo-worker-03", "exit 9"]),
        ("He left at 5 pm with 16GB of RAM.", []),
        ("Yesterday was fine.", []),
        ("Llama-3 beats GPT-4o on this bench.", ["Llama-3", "GPT-4o"]),
    ],
)
def test_english_names_are_found_as_written(text: str, expected: list[str]) -> None:
    assert list(names(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("地理服务把瓦片存到 MinIO。", ["地理服务", "MinIO"]),
        ("Postgres监听6543端口。", ["Postgres", "6543"]),
        ("周宁在苏州的华为工作。", ["周宁", "苏州", "华为"]),
        ("何静负责地图平台和轨迹系统。", ["何静", "地图平台", "轨迹系统"]),
        ("请修改 conf/app.toml 里的 tile_size。", ["conf/app.toml", "tile_size"]),
        ("Spring Cloud升级到4.1后Feign报错。", ["Spring Cloud", "4.1", "Feign"]),
        ("用户数据放在 TiDB 7.5 里。", ["TiDB 7.5"]),
        ("今天下雨了。", []),
    ],
)
def test_chinese_names_are_found_and_cut_from_verbs(text: str, expected: list[str]) -> None:
    assert list(names(text)) == expected


def test_names_have_types() -> None:
    found = names("Nora of Siemens deploys TileLoader to /srv/tiles on port 6543 in Munich for the geo team.")
    assert found["Nora"] is EntityType.PERSON
    assert found["Siemens"] is EntityType.ORGANISATION
    assert found["TileLoader"] is EntityType.SOFTWARE
    assert found["/srv/tiles"] is EntityType.PATH
    assert found["6543"] is EntityType.NUMBER
    assert found["Munich"] is EntityType.PLACE
    assert found["geo team"] is EntityType.ORGANISATION


@pytest.mark.parametrize("text", ["Сервер Redis упал 😀", "サーバー Redis が落ちた", "الخادم Redis متوقف", "閘道使用 Redis。"])
def test_visible_names_are_found_in_any_script(text: str) -> None:
    assert "Redis" in names(text)
