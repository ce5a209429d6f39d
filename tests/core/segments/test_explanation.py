"""Which rule explains a segment's shortfall: worked by hand on rows of given outcomes."""

import numpy as np
import pytest
from rows import held

from evencover.core.segments.worst_segments import explaining_rule

SEGMENT, RULE = "segment", "rule"


def rows_of(*blocks):
    """Blocks of rows: their number, how many sets are right, and whether segment and rule hold."""
    counts = [n for n, *_ in blocks]
    correct = np.concatenate([np.arange(n) < hits for n, hits, *_ in blocks])
    segment, rule = (np.repeat([place in both for _, _, both in blocks], counts) for place in NAMES)
    return segment, {RULE: rule}, held(correct), np.ones(len(correct), dtype=bool)


NAMES = (SEGMENT, RULE)
BOTH = (SEGMENT, RULE)


def test_three_quarters_of_the_segment_are_fine():
    rows = rows_of((50, 13, BOTH), (150, 135, SEGMENT), (800, 720, ""))
    assert explaining_rule(*rows, 0.9) == RULE


@pytest.mark.parametrize(
    "blocks",
    [
        ((50, 35, BOTH), (150, 105, SEGMENT), (800, 720, "")),  # all of it is equally low
        ((50, 13, BOTH), (150, 105, SEGMENT), (800, 720, "")),  # the others are low, too
        ((181, 100, BOTH), (19, 19, SEGMENT), (800, 720, "")),  # too few others to say
        (
            (50, 13, SEGMENT),
            (150, 135, BOTH),
            (800, 720, ""),
        ),  # the rule is for those that are fine
        ((200, 150, SEGMENT), (100, 20, (RULE,)), (700, 630, "")),  # elsewhere
        ((200, 150, BOTH), (800, 720, "")),  # the rule is the segment
    ],
)
def test_what_explains_nothing(blocks):
    assert explaining_rule(*rows_of(*blocks), 0.9) is None


def test_the_others_need_be_no_better_than_all_rows():
    blocks = ((500, 200, BOTH), (1500, 1200, SEGMENT), (8000, 6400, ""))  # 0.8 beside 0.78 overall
    assert explaining_rule(*rows_of(*blocks), 0.9) == RULE


def test_rows_that_were_searched_play_no_part():
    segment, rules, correct, _ = rows_of(
        *((50, 13, BOTH), (150, 135, SEGMENT), (800, 720, "")),
        *((50, 45, BOTH), (150, 60, SEGMENT), (800, 720, "")),
    )
    judging = np.arange(2000) < 1000
    assert explaining_rule(segment, rules, correct, judging, 0.9) == RULE
    assert explaining_rule(segment, rules, correct, ~judging, 0.9) is None


def test_the_first_that_explains_is_told():
    segment, rules, correct, judging = rows_of((50, 13, BOTH), (150, 135, SEGMENT), (800, 720, ""))
    wider = rules[RULE] | (np.arange(1000) < 60)
    found = explaining_rule(segment, {"wider": wider, **rules}, correct, judging, 0.9)
    assert found == "wider"


def test_a_part_that_shows_less_than_the_whole_explains_nothing():
    # of 60 rows at 75 % beside 90 %: the rule's 30 at 70 % are weaker evidence than all 60
    blocks = ((30, 21, BOTH), (30, 24, SEGMENT), (940, 855, ""))
    assert explaining_rule(*rows_of(*blocks), 0.9) is None
