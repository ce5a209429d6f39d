"""The chart over time draws the rows of the result, and its sentence counts them."""

import math

import pytest
from rows import result_of

from evencover.core.conformal.adaptive import STEP
from evencover.core.segments.by_period import PeriodRow
from evencover.dashboard.figures.periods import period_charts
from evencover.dashboard.figures.style import in_words
from evencover.dashboard.wording import page_texts


def row(predictor, month, n, coverage, kind="time", **more):
    """Of n rows the band is 80 to 95 %; one of less than 20 has hardly any."""
    known = {"time": (f"2024-0{month}", f"2024-0{month}-01T00:00:00"), "horizon": (str(month),) * 2}
    period, start = known[kind]
    low = 0.8 if n >= 20 else 0.0
    values = {"n": n, "coverage": coverage, "band_low": low, "band_high": 0.95, "size": 3.0 * month}
    column = "<b>t</b>" if kind == "time" else "steps"
    about = {"predictor": predictor, "kind": kind, "column": column}
    return PeriodRow(**about, period=period, start=start, **values, **more)


def charts_of(rows):
    settings = {"task": "regression", "cl": 0.9}
    return period_charts(result_of([], settings=settings, periods=rows))


def over_time():
    shares = enumerate((0.75, 0.8, 0.85, 0.9, 0.95), 1)
    base = [row("base", month, 30, share, adapted=0.9) for month, share in shares]
    after = [row("ifacm", month, 30, 0.9) for month in (1, 2, 3, 4, 5)]
    return [*base, row("base", 6, 3, 1.0, adapted=1.0), *after, row("ifacm", 6, 3, 1 / 3)]


def test_what_is_drawn_are_the_rows_with_enough_to_say():
    ((title, figure, words),) = charts_of(over_time())
    low, high, coverage, size, adapted, after, after_size = figure.data
    assert title == "Over time"
    starts = tuple(f"2024-0{month}-01T00:00:00" for month in (1, 2, 3, 4, 5))
    assert {trace.x for trace in figure.data} == {starts}
    assert (set(low.y), set(high.y), high.fill) == ({80.0}, {95.0}, "tonexty")
    assert coverage.y == pytest.approx((75, 80, 85, 90, 95))
    assert (size.y, size.yaxis, after_size.y) == ((3.0, 6.0, 9.0, 12.0, 15.0), "y2", size.y)
    assert (set(after.y), set(adapted.y)) == ({90.0}, {90.0})
    assert [t.name for t in (coverage, adapted)] == ["before (base)", "adaptive, before (base)"]
    assert words.startswith("Of 5 periods with 20 test rows or more, outside of the band: ")
    assert ": 1 before, 0 after. The grey band leaves out one in 20 by chance alone" in words
    assert "for no group" in words
    assert f"steps of {STEP:g}" in page_texts.ABOUT_ADAPTED


def test_a_column_s_name_is_no_markup():
    ((_, figure, _),) = charts_of(over_time())
    assert "&lt;b&gt;t&lt;/b&gt;" in figure.layout.title.text
    assert "coverage" in in_words(figure)


def test_horizons_stand_in_their_order_and_have_nothing_adapted():
    rows = [row("base", step, 40, 0.9, "horizon") for step in (1, 2, 9)]
    (_, (title, figure, words)) = charts_of([*over_time(), *rows])
    assert title == "By steps ahead"
    assert figure.data[0].x == ("1", "2", "9")
    assert words.startswith("Of 3 horizons with")
    assert "adaptive" not in words


def test_where_no_period_has_rows_enough_all_are_drawn():
    ((_, figure, words),) = charts_of([row("base", 1, 3, 0.5), row("base", 2, 4, 0.5)])
    assert len(figure.data[0].x) == 2
    assert "outside of the band: 0" in words


def test_sizes_without_end_are_drawn_as_gaps():
    rows = [row("base", month, 30, 0.9) for month in (1, 2)]
    rows[0] = PeriodRow(**vars(rows[0]) | {"size": math.inf})
    ((_, figure, _),) = charts_of(rows)
    assert '"y":[null,6.0]' in figure.to_json()


def test_an_audit_without_time_has_no_chart():
    assert charts_of([]) == []
