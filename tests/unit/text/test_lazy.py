"""A pattern is compiled when it is first used, and then answers as `re.Pattern` does."""

import re

import pytest

from hindsight_graph.text.lazy import LazyPattern


def test_a_wrong_expression_is_noticed_at_its_first_use_only() -> None:
    pattern = LazyPattern("(")
    with pytest.raises(re.error):
        pattern.search("x")


def test_its_methods_answer_like_those_of_a_compiled_pattern() -> None:
    pattern, compiled = LazyPattern("[a-c]+", re.IGNORECASE), re.compile("[a-c]+", re.IGNORECASE)
    text = "xABx cab"
    assert pattern.findall(text) == compiled.findall(text) == ["AB", "cab"]
    assert pattern.sub("-", text) == "x-x -"
    assert pattern.split(text) == ["x", "x ", ""]
    assert [match.span() for match in pattern.finditer(text)] == [(1, 3), (5, 8)]
    assert pattern.match(text) is None
    assert pattern.match(text, 1) is not None
    assert pattern.fullmatch("abc") is not None
    assert pattern.pattern == "[a-c]+"
