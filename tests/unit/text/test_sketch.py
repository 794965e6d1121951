"""Fingerprints of statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.text.sketch import BANDS, bands, content_hash, similarity


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("other", ["The port is 5433.", "the  port is 5433", "Ｔhe port is 5433！", " the port\nis 5433 ..."])
def test_first_capital_width_space_and_final_punctuation_do_not_change_the_hash(other: str):
    assert content_hash(other, "fact", negated=False) == content_hash("the port is 5433", "fact", negated=False)


def test_another_word_kind_or_polarity_changes_the_hash():
    base = content_hash("the port is 5433", "fact", negated=False)
    others = {
        content_hash("the port is 5432", "fact", negated=False),
        content_hash("the port is 5433", "constraint", negated=False),
        content_hash("the port is 5433", "fact", negated=True),
        content_hash("the Port is 5433", "fact", negated=False),
        content_hash("the port is 5433?", "fact", negated=False),
        content_hash("the port is -5433", "fact", negated=False),
        content_hash("the port is 5433", "fact", negated=False, also=("Ann",)),
    }
    assert len(base) == 64
    assert len(others) == 7
    assert base not in others


def test_punctuation_alone_keeps_its_own_hash():
    assert content_hash("?!", "fact", negated=False) != content_hash("...", "fact", negated=False)


def test_bands_are_the_same_in_every_process():
    assert bands(("checkout", "depend", "payment")) == (
        5581671323818405282,
        5877022566018151360,
        3898737928426049370,
        1988239014841592468,
    )


def test_another_value_that_must_agree_gives_unrelated_bands():
    terms = ("port", "set", "postgr")
    assert not set(bands(terms, "5432")) & set(bands(terms, "5433"))


@pytest.mark.requirement("M-07")
def test_near_duplicates_share_a_band_and_strangers_do_not():
    base = [f"w{number}" for number in range(20)]
    near = [*base[:-1], "other"]
    far = [f"x{number}" for number in range(20)]
    assert set(bands(base)) & set(bands(near))
    assert not set(bands(base)) & set(bands(far))


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=30))
def test_order_and_repeats_do_not_matter_and_values_fit_a_signed_integer(terms: list[str]):
    signed = bands(terms)
    assert len(signed) == BANDS
    assert all(0 <= value < 1 << 63 for value in signed)
    assert bands([*reversed(terms), terms[0]]) == signed


def test_no_terms_have_no_bands():
    assert bands(()) == ()


def test_similarity_is_shared_over_all():
    assert similarity(("a", "b", "c"), ("b", "c", "d")) == 0.5
    assert similarity((), ()) == 1.0
