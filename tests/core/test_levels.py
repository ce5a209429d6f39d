"""The levels of claims divide one chance of a false alarm."""

import pytest

from evencover.core import levels


def test_a_false_alarm_has_a_chance_of_a_twentieth_in_all():
    claims = ("OVERALL", "SEGMENTS", "SEARCH", "FEATURES", "AUDIT_ONLY")
    assert sum(getattr(levels, claim) for claim in claims) == pytest.approx(0.05, abs=1e-12)
    assert all(getattr(levels, claim) > 0.0 for claim in claims)
