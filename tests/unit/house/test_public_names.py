"""The public face is pinned: a name appears or goes only on purpose."""

import pytest

import hindsight_graph


@pytest.mark.requirement("A-01")
def test_the_public_names_are_these_and_all_can_be_had() -> None:
    assert sorted(hindsight_graph.__all__) == [
        "AsyncHindsightGraph",
        "HindsightGraph",
        "HindsightGraphError",
        "format_memory_context",
    ]
    for name in hindsight_graph.__all__:
        assert getattr(hindsight_graph, name).__name__ == name


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = hindsight_graph.Nothing  # pyright: ignore[reportAttributeAccessIssue]
