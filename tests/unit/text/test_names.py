"""Normal forms of names, and what is never merged unasked."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.text.hanzi import to_simplified
from hindsight_graph.text.names import NAME_LIMIT, normal_name, same_thing_guard

LETTERS = "abcdeéüñøßčABCÉÜÑØж語網络订单服務Ж"
NAMES = st.text(alphabet=LETTERS + "0123456789 -_.,:;'\"`()[]<>#+*/@!?《》“”’", min_size=1, max_size=24)


def form_of(name: str) -> str | None:
    try:
        return normal_name(name)
    except ValueError:
        return None


@pytest.mark.requirement("G-05")
@pytest.mark.parametrize(
    ("spellings", "form"),
    [
        (
            ("payment-service", "payment service", "Payment Service", "PAYMENT_SERVICE", "ｐａｙｍｅｎｔ ｓｅｒｖｉｃｅ"),
            "payment service",
        ),
        (("the Gateway", "Gateway", "`gateway`", '"Gateway",', "(gateway)", "**Gateway**", "The the gateway."), "gateway"),
        (("Café Zoë", "cafe zoe", "CAFÉ ZOË", "Cafe\u0301 Zoe\u0308"), "cafe zoe"),
        (("Łódź", "lodz", "ŁÓDŹ"), "lodz"),
        (("Alice", "alice's", "Alice’s", "“Alice”"), "alice"),
        (("訂單服務", "订单服务", "訂單 服務", "「订单服务」", "订单服务。"), "订单服务"),
        (("Redis 集群", "redis集群", "Redis-集群", "REDIS 集群"), "redis集群"),
        (("《三體》", "三体"), "三体"),
        (("es-data-01", "ES data 01", "es_data_01"), "es data 01"),
        (("Docker™", "docker"), "docker"),
        (("Ro\u200bom 101", "room\u3000101", "ROOM １０１", "room ١٠١"), "room 101"),
        (("v1.10", "V1.10."), "v1.10"),
        (("A-100", "a 100"), "a 100"),
    ],
)
def test_spellings_of_one_thing_have_one_normal_form(spellings: tuple[str, ...], form: str):
    assert {normal_name(spelling) for spelling in spellings} == {form}


@pytest.mark.requirement("G-05")
@pytest.mark.parametrize(
    "names",
    [
        ("Room 101", "Room 102"),
        ("C", "C++", "C#", "C-"),
        (".NET", "net"),
        ("es-data-01", "es-data-1", "es-data-02"),
        ("v1.10", "v11.0", "v1.1"),
        ("10-20", "1020", "10 20"),
        ("A-team", "team"),
        ("--force", "force"),
        ("#42", "42"),
        ("src/a-b.py", "src/a_b.py"),
        ("my-site.com", "my_site.com"),
        ("__init__", "init"),
        ("foo()", "foo"),
        ("北京-上海", "北京上海"),
        ("temp -5", "temp 5"),
        ("房间101", "房间102"),
        ("payment service", "payments service"),
        ("が", "か"),
        ("й", "и"),
    ],
)
def test_names_of_different_things_keep_different_forms(names: tuple[str, ...]):
    assert len({normal_name(name) for name in names}) == len(names)


@given(NAMES | st.text(min_size=1, max_size=40))
def test_a_normal_form_is_its_own_normal_form(name: str):
    form = form_of(name)
    assert form is None or normal_name(form) == form


@given(NAMES)
def test_case_does_not_matter(name: str):
    assert form_of(name.upper()) == form_of(name.lower()) == form_of(name)


@given(NAMES)
def test_width_does_not_matter(name: str):
    wide = "".join(chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character for character in name)
    assert form_of(wide) == form_of(name)


@given(NAMES, st.sampled_from([" ", "\t", "\n ", "\u3000", "\u00a0"]))
def test_outer_white_space_does_not_matter(name: str, space: str):
    assert form_of(space + name + space) == form_of(name)


@given(st.text(min_size=1, max_size=40))
def test_every_digit_is_kept_in_its_place(name: str):
    form = form_of(name)
    folded = unicodedata.normalize("NFKC", name)
    digits = "".join(str(unicodedata.decimal(character)) for character in folded if character.isdecimal())
    assert form is None or "".join(re.findall(r"\d", form)) == digits


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["Room {}", "es-data-{}", "{}号机房", "v{}", "port:{}"]))
def test_two_numbers_never_make_one_name(first: int, second: int, pattern: str):
    same = normal_name(pattern.format(first)) == normal_name(pattern.format(second))
    assert same == (first == second)


def test_a_name_longer_than_the_limit_is_refused_with_its_length():
    assert normal_name("x" * NAME_LIMIT) == "x" * 120
    with pytest.raises(ValueError, match="name of 121 characters"):
        normal_name("x" * 121)
    with pytest.raises(ValueError, match="name of 240 characters once folded"):
        normal_name("ß" * 120)


@pytest.mark.parametrize("name", ["", "   ", "...", "?!", "\u200b", "“”", "--"])
def test_a_name_of_marks_alone_is_refused(name: str):
    with pytest.raises(ValueError, match="no letter, digit or symbol"):
        normal_name(name)


def test_a_warm_look_up_takes_less_than_five_microseconds():
    normal_name("Payment Service")
    best = min(_seconds_for_a_thousand() for _ in range(5))
    assert best / 1000 < 5e-6


def _seconds_for_a_thousand() -> float:
    started = time.perf_counter()
    for _ in range(1000):
        normal_name("Payment Service")
    return time.perf_counter() - started


def test_simplification_is_complete_in_one_step():
    assert to_simplified("資料庫網路訂單服務 and 薴") == "资料库网路订单服务 and 苎"
    every = "".join(chr(code) for code in range(0x3400, 0xA000))
    assert to_simplified(to_simplified(every)) == to_simplified(every)


@pytest.mark.requirement("G-05")
@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("Room 101", "Room 102", "different numbers: 101 and 102"),
        ("Postgres", "Postgres 16", "different numbers: none and 16"),
        ("v1.2", "v2.1", "different numbers: 1, 2 and 2, 1"),
        ("一号机房", "二号机房", "different numbers: 1 and 2"),
        ("第十二组", "第2组", "different numbers: 12 and 2"),
        ("C", "C++", "different letters: c and c++"),
        ("Plan A", "Plan B", "different letters: a and b"),
        ("Plan", "Plan B", "different letters: none and b"),
        ("non-blocking queue", "blocking queue", "one of them is negated: 'non-blocking queue', 'blocking queue'"),
        ("不可用节点", "可用节点", "one of them is negated: '不可用节点', '可用节点'"),
        ("staging Postgres", "production Postgres", "different qualifiers: staging and production"),
        ("prod-db", "QA db", "different qualifiers: production and test"),
        ("测试库", "生产库", "different qualifiers: test and production"),
        ("orders primary", "orders replica", "different qualifiers: primary and replica"),
    ],
)
def test_siblings_are_guarded_against_merging(first: str, second: str, reason: str):
    assert same_thing_guard(first, second) == reason
    assert same_thing_guard(second, first) is not None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Payment Service", "payment-service"),
        ("Postgres", "PostgreSQL"),
        ("支付服务", "Payment Service"),
        ("一号机房", "1号机房"),
        ("prod db", "production db"),
        ("Bob", "Robert"),
        ("Room 101", "meeting room 101"),
    ],
)
def test_nothing_speaks_against_merging_what_may_be_one_thing(first: str, second: str):
    assert same_thing_guard(first, second) is None
