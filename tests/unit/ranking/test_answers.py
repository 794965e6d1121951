"""What kind of answer is asked for, and whether a statement holds one."""

import pytest

from hindsight_graph.ranking.answers import Asked, answer_kind, asks_now, holds_answer


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which port does the relay use?", Asked.NUMBER),
        ("How high is the cap on uploads?", Asked.NUMBER),
        ("When does the council meet?", Asked.TIME),
        ("Who maintains the relay?", Asked.NAME),
        ("Where is Adaeze based?", Asked.NAME),
        ("Tell me about the relay", Asked.ANY),
        ("中继的端口是多少？", Asked.NUMBER),
        ("中继由谁维护？", Asked.NAME),
        ("评审会是哪天？", Asked.TIME),
    ],
)
def test_the_words_of_a_question_tell_the_kind_of_its_answer(question: str, kind: Asked):
    assert answer_kind(question) is kind


@pytest.mark.parametrize(
    ("kind", "statement", "names", "holds"),
    [
        (Asked.NUMBER, "The relay answers on port 7402.", (), True),
        (Asked.NUMBER, "Nobody has complained about the relay.", (), False),
        (Asked.NAME, "The relay is run by Ottilie.", (), True),
        (Asked.NAME, "Ottilie runs the relay.", ("Ottilie",), True),
        (Asked.NAME, "Nobody runs the relay.", (), False),
        (Asked.TIME, "The relay restarts on Friday.", (), True),
        (Asked.TIME, "The relay restarts often.", (), False),
        (Asked.NUMBER, "The relay came up 14 times in the minutes.", (), False),
        (Asked.NAME, "Jonas wrote a story about the relay.", ("Jonas",), False),
        (Asked.NAME, "Ottilie praised the relay.", ("Ottilie",), False),
        (Asked.TIME, "On Friday we wanted to celebrate the relay.", (), False),
        (Asked.TIME, "The relay is postponed, nobody knows to when.", (), False),
        (Asked.NAME, "中继交给了陶然之", (), True),
        (Asked.NAME, "中继由陶然之管", (), True),
        (Asked.NAME, "有人提到中继", (), False),
        (Asked.ANY, "The relay has moved.", (), True),
        (Asked.ANY, "The relay is grey.", (), False),
    ],
)
def test_a_statement_holds_an_answer_of_the_kind_only_by_what_the_question_does_not_say(
    kind: Asked, statement: str, names: tuple[str, ...], holds: bool
):
    assert holds_answer(kind, "What about the relay?", statement, names) is holds


@pytest.mark.parametrize(
    ("statement", "thing"),
    [("A student from Uppsala interviewed us on the relay.", "relay"), ("苏州来的同学对中继很好奇。", "中继")],
)
def test_a_statement_that_only_happens_to_be_about_a_thing_holds_no_answer(statement: str, thing: str):
    names = ("Uppsala", "苏州")
    assert not holds_answer(Asked.NAME, f"Who runs {thing}?", statement, names, (thing,))


def test_the_name_of_a_thing_says_nothing_of_its_own_place():
    assert not holds_answer(Asked.NAME, "照片归档在哪里？", "有人想看照片归档的材料", (), ("照片归档",))


def test_what_the_question_says_itself_is_no_answer():
    assert not holds_answer(Asked.NUMBER, "Is port 7402 free?", "Port 7402 is popular.")
    assert not holds_answer(Asked.NAME, "Who talks to Ottilie?", "People talk to Ottilie.", ("Ottilie",))
    assert not holds_answer(Asked.NAME, "审计库谁负责？", "审计库很大。", ("审计库很大",))


@pytest.mark.parametrize(
    ("question", "now"), [("Who owns it?", True), ("Who owned it before?", False), ("最初是谁负责？", False)]
)
def test_a_question_about_the_past_does_not_ask_for_what_holds_now(question: str, now: bool):
    assert asks_now(question) is now


def test_words_of_the_past_within_a_name_are_none_of_the_past():
    assert asks_now("Where is the chat history hosted?", ("chat history",))
    assert not asks_now("Where was the chat history hosted?", ("chat history",))
