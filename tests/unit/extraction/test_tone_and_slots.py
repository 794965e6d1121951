"""Kind, negation, outcome, error codes, and single-valued attributes."""

import pytest

from hindsight_graph.extraction.slots import find_slot
from hindsight_graph.extraction.smalltalk import drop_reason
from hindsight_graph.extraction.tone import error_code_of, is_negated, read_tone
from hindsight_graph.models.enums import Kind, Outcome
from hindsight_graph.text.language import detect_language


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The importer depends on Vault.", Kind.FACT),
        ("I like short answers.", Kind.PREFERENCE),
        ("用户偏好简短的回答。", Kind.PREFERENCE),
        ("Always run the linter first.", Kind.CONSTRAINT),
        ("密码必须至少 12 位。", Kind.CONSTRAINT),
        ("We restarted the importer.", Kind.ACTION),
        ("我们重启了导入服务。", Kind.ACTION),
        ("The nightly import failed.", Kind.RESULT),
        ("昨晚的导入失败了。", Kind.RESULT),
        ("You must try the soup there.", Kind.FACT),
        ("But never publish on Sundays.", Kind.CONSTRAINT),
        ("And don't use Vault.", Kind.CONSTRAINT),
        ("Also, always tag the image first.", Kind.CONSTRAINT),
        ("但是不要在周日发布。", Kind.CONSTRAINT),
        ("Can you make sure we never use Vault?", Kind.CONSTRAINT),
        ("Could you please always answer in Dutch?", Kind.CONSTRAINT),
        ("能不能以后都用英文回复？", Kind.CONSTRAINT),
        ("Maybe the importer should move to Oslo.", Kind.FACT),
        ("导入服务也许应该迁到苏州。", Kind.FACT),
        ("It looks like rain.", Kind.FACT),
    ],
)
def test_the_kind_follows_the_words(text: str, kind: Kind) -> None:
    assert read_tone(text, "user").kind is kind


@pytest.mark.requirement("M-03")
@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Do not deploy on Friday.", True),
        ("It isn’t ready.", True),
        ("Nobody answered.", True),
        ("不要周五上线。", True),
        ("他没有回复。", True),
        ("别动配置。", True),
        ("The importer cannot run without Vault.", False),
        ("Not only the importer but all jobs stopped.", False),
        ("导入服务离不开 Vault。", False),
        ("效果很不错。", False),
        ("这个级别的告警特别多。", False),
        ("No problem at all.", False),
    ],
)
def test_negation_is_what_denies_or_forbids(text: str, negated: bool) -> None:
    assert is_negated(text) is negated


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("connect ECONNRESET 10.0.0.1", "ECONNRESET"),
        ("It returned 503.", "HTTP 503"),
        ("接口返回 504", "HTTP 504"),
        ("502 Bad Gateway", "HTTP 502"),
        ("process exited with code 137", "exit code 137"),
        ("ORA-01017: invalid username", "ORA-01017"),
        ("failed with E4711", "E4711"),
        ("ValueError: bad tile", "ValueError"),
        ("SQLSTATE 42P01", "SQLSTATE 42P01"),
        ("错误码 10086", "10086"),
        ("It took 503 seconds.", None),
        ("All fine.", None),
    ],
)
def test_error_signatures_are_recognised(text: str, code: str | None) -> None:
    assert error_code_of(text) == code


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("The import failed.", Outcome.FAILURE),
        ("All tests passed.", Outcome.SUCCESS),
        ("The import partially failed.", Outcome.PARTIAL),
        ("The import failed twice but is fixed now.", Outcome.SUCCESS),
        ("The importer depends on Vault.", None),
    ],
)
def test_results_tell_how_the_attempt_ended(text: str, outcome: Outcome | None) -> None:
    assert read_tone(text, "user").outcome is outcome


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The tax service runs on port 7001.", ("tax service", "port", "7001")),
        ("The tax service's timeout is 30s.", ("tax service", "timeout", "30s")),
        ("The timeout of the tax service is 30s.", ("tax service", "timeout", "30s")),
        ("Release day is Thursday.", ("Release", "day", "Thursday")),
        ("set MAX_TILES=64", ("MAX_TILES", "value", "64")),
        ("Set MAX_TILES=64 in app.toml.", ("app.toml", "MAX_TILES", "64")),
        ("The tax service's port was changed to 7002.", ("tax service", "port", "7002")),
        ("We upgraded polars from 0.20.3 to 1.1.0.", ("polars", "version", "1.1.0")),
        ("My favourite colour is green.", ("Nora", "favourite colour", "green")),
        ("Nora lives in Oslo.", ("Nora", "location", "Oslo")),
        ("税务服务的端口是 7001。", ("税务服务", "端口", "7001")),
        ("polars 版本是 1.1。", ("polars", "版本", "1.1")),
        ("我们把税务服务的超时改成了 30 秒。", ("税务服务", "超时", "30 秒")),
        ("The importer depends on Vault.", None),
        ("The port is wrong.", None),
        ("The timeout of the importer is 30 seconds in staging.", ("importer in staging", "timeout", "30 seconds")),
        ("The importer's timeout is 30 seconds for uploads.", ("importer for uploads", "timeout", "30 seconds")),
        ("导入服务的超时是 60 秒（测试环境）。", ("导入服务（测试环境）", "超时", "60 秒")),
        ("The color of the bike is blue.", ("bike", "color", "blue")),
        ("The color of my bike is blue.", ("Nora's bike", "color", "blue")),
        ("My bike's color is blue.", ("Nora's bike", "color", "blue")),
        ("The color of our bike is blue.", ("our bike", "color", "blue")),
        ("我的车的颜色是蓝色。", ("Nora的车", "颜色", "蓝色")),
        ("The owner of the importer was Tom (until 2024).", None),
        ("The owner of the importer is Tom (until 2024).", None),
        ("The owner of the importer used to be Tom.", None),
        ("The old port of the importer is 80.", None),
        ("The importer's old port is 80.", None),
        ("导入服务的负责人以前是小周。", None),
        ("之前导入服务的负责人是小周。", None),
        ("The nationality of Tom is also Dutch.", None),
        ("The owner of the importer is not Nora.", None),
        ("It is late.", None),
    ],
)
def test_single_valued_attributes_fill_the_slot(text: str, slot: tuple[str, str, str] | None) -> None:
    found = find_slot(text, detect_language(text), "Nora")
    assert (None if found is None else (found.subject, found.attribute, found.value)) == slot


@pytest.mark.requirement("M-06")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hi Nora!", "greeting"),
        ("晚上好", "greeting"),
        ("ok", "confirmation"),
        ("好的，收到", "confirmation"),
        ("哈哈哈", "small talk"),
        ("Wow, that's so cool!", "small talk"),
        ("👍", "small talk"),
        ("Which port does it use?", "question"),
        ("端口是多少？", "question"),
        ("Can you make sure we never use Vault?", None),
        ("Could you please always answer in Dutch?", None),
        ("能不能以后都用英文回复？", None),
        ("Can you tell me why it never starts?", "question"),
        ("能不能告诉我为什么一直失败？", "question"),
        ("ab", "too short"),
        ("I moved to Oslo, can you believe it?", None),
        ("Redis 挂了，怎么办？", None),
        ("No, we use Podman.", None),
        ("My sister got married yesterday.", None),
    ],
)
def test_only_what_states_nothing_is_dropped(text: str, reason: str | None) -> None:
    assert drop_reason(text) == reason
