"""The cycle collector rests while many units are planned, and only then."""

import gc
from contextlib import suppress

from hindsight_graph.pipelines.bulk import MANY, collector_resting


def test_it_rests_for_many_units_and_works_again_when_they_are_written_or_fail():
    with collector_resting(MANY):
        assert not gc.isenabled()
    assert gc.isenabled()
    with suppress(ValueError), collector_resting(MANY):
        raise ValueError
    assert gc.isenabled()


def test_a_few_units_do_not_stop_it():
    with collector_resting(MANY - 1):
        assert gc.isenabled()


def test_who_does_without_it_stays_without_it():
    gc.disable()
    try:
        with collector_resting(MANY):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
