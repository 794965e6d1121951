"""Text to terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.text.tokens import estimate_tokens, index_terms, query_terms


@given(st.text(), st.text())
def test_the_terms_of_a_context_follow_those_of_the_text(text: str, context: str):
    text, context = f"port {text}", f"fleet {context}"
    assert index_terms(text, context) == index_terms(text) + index_terms(context)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The checkout depends on payments", ("checkout", "depend", "payment")),
        ("Set LOG_LEVEL=debug", ("set", "log_level", "log", "level", "debug")),
        ("v1.2.3 is out, 1.2 was not", ("v1.2.3", "1.2.3", "1.2")),
        ("call find_by_email()", ("call", "find_by_email", "find", "email")),
        ("HTTPServer fails", ("httpserver", "http", "server", "fail")),
        (
            "see /etc/nginx/nginx.conf:80",
            ("see", "etc/nginx/nginx.conf:80", "nginx.conf", "etc", "nginx", "nginx", "conf", "80"),
        ),
        ("C++ and C#", ("c++", "c#")),
        ("1,000 users at 3.5 ms", ("1000", "user", "3.5", "ms")),
        ("John's laptop", ("john", "laptop")),
        ("IT moved to the US", ("it", "move", "us")),
    ],
)
def test_english_and_technical_text_becomes_stems_whole_tokens_and_parts(text: str, terms: tuple[str, ...]):
    assert index_terms(text) == terms


@pytest.mark.requirement("R-04")
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("支付服务", ("支付", "付服", "服务")),
        ("猫", ("猫",)),
        ("支付服务依赖Redis，端口6379", ("支付", "付服", "服务", "务依", "依赖", "redi", "端口", "6379")),
        ("데이터", ("데이", "이터")),
    ],
)
def test_text_without_spaces_becomes_bigrams(text: str, terms: tuple[str, ...]):
    assert index_terms(text) == terms


def test_width_case_and_accents_do_not_matter():
    assert index_terms("ＡＰＩ Café ZÜRICH") == index_terms("api cafe zurich") == ("api", "cafe", "zurich")


def test_repeats_stay_in_an_index_and_not_in_a_question():
    assert index_terms("deploy after deploy") == ("deploy", "deploy")
    assert query_terms("deploy after deploy?") == ("deploy",)


def test_context_is_indexed_after_the_text():
    assert index_terms("It failed", "Anna") == ("fail", "anna")


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What does checkout depend on?", ("checkout", "depend")),
        ("支付服务依赖什么？", ("支付", "付服", "服务", "务依", "依赖")),
        ("为什么结账失败了", ("结账", "账失", "失败")),
        ("猫在哪里？", ("猫",)),
        ("who are you", ("who", "are", "you")),
        ("什么？", ("什么",)),
    ],
)
def test_question_words_go_unless_nothing_else_remains(question: str, terms: tuple[str, ...]):
    assert query_terms(question) == terms


def test_a_text_of_stop_words_alone_is_indexed_by_them():
    assert index_terms("to be or not to be") == ("to", "be", "or", "not", "to", "be")


def test_a_long_piece_without_spaces_is_indexed_by_its_parts():
    terms = index_terms("/".join(["alpha", "beta"] * 40))
    assert set(terms) == {"alpha", "beta"}


@given(st.text(max_size=200))
def test_terms_never_hold_white_space_or_quotes_and_a_text_is_found_by_itself(text: str):
    terms = index_terms(text)
    assert all(term and not any(mark in term for mark in " \t\n\r\"'*()") for term in terms)
    assert index_terms(text) == terms
    if len(terms) > 0:
        assert query_terms(text)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("支付", 2), ("支付 ok", 3)])
def test_tokens_are_a_quarter_of_latin_characters_and_one_per_wide_one(text: str, tokens: int):
    assert estimate_tokens(text) == tokens
