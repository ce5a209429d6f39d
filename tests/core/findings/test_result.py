"""Which segments the result calls failing, and in what order."""

import math

import pytest
from rows import segment_row

from evencover.core.findings.result import AuditResult

NAN = math.nan


def segment(value, n, base, adjusted):
    """A segment with, before and after, the accuracy and the ends of its interval."""
    (a, low, high), (b, low_after, high_after) = base, adjusted
    return segment_row("county", value, n, a, b, low, high, low_after, high_after)


SEGMENTS = [
    # rows concerned: 50 x 0.30 = 15 before, 50 x 0.08 = 4 after
    segment("Bute", 50, (0.60, 0.46, 0.72), (0.98, 0.95, 0.99)),
    # 100 x 0.05 = 5 before, but the interval holds 0.9; 100 x 0.10 = 10 after
    segment("Devon", 100, (0.85, 0.77, 0.91), (0.80, 0.71, 0.87)),
    # 1000 x 0.04 = 40 before; none after
    segment("Avon", 1000, (0.86, 0.84, 0.88), (0.90, 0.88, 0.92)),
    # 2000 x 0.03 = 60 before, too many rather than too few; 2000 x 0.02 = 40 after
    segment("Cork", 2000, (0.93, 0.92, 0.94), (0.88, 0.865, 0.895)),
    # intervals that end at the level hold it
    segment("Essex", 9000, (0.89, 0.88, 0.90), (0.91, 0.90, 0.92)),
    segment("Fife", 0, (NAN, NAN, NAN), (NAN, NAN, NAN)),
]


def failing(*when, cl=0.9, segments=SEGMENTS):
    result = AuditResult({"cl": cl}, None, [], [], [], segments, None, None, [])
    return [row.value for row in result.failing_segments(*when)]


@pytest.mark.parametrize("when", [(), ("base",)])
def test_most_rows_concerned_before_come_first(when):
    assert failing(*when) == ["Cork", "Avon", "Bute"]


def test_most_rows_concerned_after_come_first():
    assert failing("adjusted") == ["Cork", "Devon", "Bute"]


def test_the_order_is_by_rows_and_not_by_distance():
    far = segment("far", 10, (0.3, 0.1, 0.6), (0.9, 0.8, 1.0))  # 10 x 0.6 = 6
    near = segment("near", 400, (0.84, 0.80, 0.87), (0.9, 0.8, 1.0))  # 400 x 0.06 = 24
    assert failing(segments=[far, near]) == ["near", "far"]


def test_the_level_decides():
    # at 0.85 Devon lies on the level; 50 x 0.25 = 12.5, 2000 x 0.08 = 160, 9000 x 0.04 = 360
    assert failing(cl=0.85) == ["Essex", "Cork", "Bute"]


def test_no_segments_are_none_that_fail():
    assert failing(segments=[]) == failing("adjusted", segments=[]) == []
