"""Advice, followed, is the best there is in worlds of known truth, and hardly ever harmful."""

import pytest
from advised import WORLDS, outcome

pytestmark = pytest.mark.long

PER_KIND = 3


def test_what_is_advised_is_best_in_most_worlds_and_does_no_harm():
    """Of 36 worlds: 85 % right and 3 % harmful show fewer than 24, or more than 5, hardly ever.

    In 1.5 and .7 of 1,000 cases.
    """
    found = [outcome(kind, number) for kind in WORLDS for number in range(PER_KIND)]
    assert sum(row["right"] for row in found) >= 24
    assert sum(row["harmful"] for row in found) <= 5
