"""Which segment is in excess among some rows."""

import numpy as np
import pytest
from rows import held

from evencover.core.segments.binning import Partition
from evencover.core.segments.grouping import Variable
from evencover.core.segments.tally import ColumnSegments, PartOfSegment, SegmentName


def variable(name, values):
    names, codes = np.unique(values, return_inverse=True)
    return Variable(name, "column", Partition(list(names), codes, [None] * len(names)))


@pytest.fixture
def groups():
    county = variable("county", ["Devon"] * 2 + ["Kent"] * 12 + ["Essex"] * 6)
    return ColumnSegments([variable("heating", ["gas", "oil"] * 10), county])


def test_a_small_segment_that_is_there_whole_is_named_though_most_rows_are_of_others(groups):
    # Devon: 2 of 6 rows, 1/3 - 0.1 more than of all; Kent: 4 of 6, 2/3 - 0.6; gas: none more.
    rows = np.isin(np.arange(20), [0, 1, 2, 3, 4, 5])
    devon = SegmentName("county", "Devon", is_band=False)
    assert groups.most_in_excess(rows) == PartOfSegment(devon, 2, 2)


def test_without_a_clear_excess_none_is_named(groups):
    assert groups.most_in_excess(np.ones(20, bool)) is None
    assert groups.most_in_excess(np.zeros(20, bool)) is None


def test_a_single_row_is_no_segment(groups):
    assert groups.most_in_excess(np.arange(20) == 0) is None


def test_a_group_that_is_followed_is_told_whatever_its_size(groups):
    correct = np.arange(20) % 4 > 0
    essex = SegmentName("county", "Essex", is_band=False)
    lowest, followed = groups.worst(held(correct), essex)
    assert lowest is None  # of 12 rows at most
    assert (followed.name, followed.n) == (essex, 6)
    assert followed.coverage == pytest.approx(5 / 6)  # all but row 16 of rows 14 to 19
