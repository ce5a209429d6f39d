"""Advice, followed, is the best there is in worlds of known truth, and hardly ever harmful."""

import pytest
from advised import WORLDS, outcome

pytestmark = pytest.mark.long

PER_KIND = 5


def test_what_is_advised_is_best_in_most_worlds_and_does_no_harm():
    """Of 60 worlds: 85 % right and 3 % harmful over many would show 44 and 6 once in thousands."""
    found = [outcome(kind, number) for kind in WORLDS for number in range(PER_KIND)]
    assert sum(row["right"] for row in found) >= 44
    assert sum(row["harmful"] for row in found) <= 6
