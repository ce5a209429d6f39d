"""Coverage by period of time and by steps ahead, beside sums by hand and exact laws."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.core import AuditSettings, InputError, audit
from evencover.core.conformal.adaptive import adapted
from evencover.core.conformal.rank import CoverageLaw
from evencover.core.rows.outcomes import IntervalSets, Outcomes
from evencover.core.segments import audited_rows
from evencover.core.segments.binning import by_value
from evencover.core.segments.by_period import period_rows, periods_of
from evencover.core.segments.grouping import Variable
from evencover.core.segments.worst_segments import WorstSegments
from evencover.core.tables.columns import Column
from evencover.core.tables.table import Table


def divided(values):
    names, starts, codes = periods_of(Column.of(pd.Series(values, name="t")))
    return names, starts, codes


class TestPeriods:
    @pytest.mark.parametrize(
        ("days", "each", "first"),
        [
            (2, 24 * 20, "2024-01-01 00:00"),  # 48 hours of 20 rows
            (50, 20, "2024-01-01"),
            (50, 19, "week of 2024-01-01"),  # too few a day
            (200, 20, "week of 2024-01-01"),  # too many days
            (1000, 5, "2024-01"),
            (6000, 1, "2024"),
        ],
    )
    def test_dates_are_divided_as_finely_as_rows_allow(self, days, each, first):
        at = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(days * each) / each, unit="D")
        names, starts, codes = divided(at)
        assert names[0] == first
        assert starts[0] == "2024-01-01T00:00:00"
        assert np.bincount(codes).sum() == len(at)
        assert (np.diff(codes) >= 0).all()

    def test_a_week_begins_on_monday(self):
        days = pd.to_datetime(["2024-01-03", "2024-03-31", "2024-04-01", "2024-06-01"])
        whole = pd.date_range("2024-01-01", "2024-06-30").repeat(3)  # 21 rows a week
        names, _, codes = divided([*days, *whole])
        assert (names[0], codes[0]) == ("week of 2024-01-01", 0)
        assert codes[2] == codes[1] + 1

    def test_whole_numbers_are_as_they_are_or_in_bands(self):
        assert divided(np.repeat([2014, 2015, 2017], 25))[0] == ["2014", "2015", "2017"]
        names, starts, codes = divided(np.arange(3000))
        assert starts == list(range(0, 3000, 50))
        assert names[1] == "from 50"
        assert codes.tolist() == [t // 50 for t in range(3000)]
        assert divided(np.arange(-300, 300))[1] == list(range(-300, 300, 20))

    def test_other_numbers_are_in_bands(self):
        names, starts, codes = divided(np.arange(1, 1001) / 1000.0 + 0.0005)
        assert starts == pytest.approx(np.arange(51) / 50)
        assert names[3] == "from 0.06"
        assert np.bincount(codes)[:50].tolist() == [19, *[20] * 49]

    def test_a_row_without_time_has_no_period(self):
        assert divided([None, *[3.0] * 20, *[4.0] * 20])[2].tolist() == [-1] + [0] * 20 + [1] * 20
        assert divided(pd.Series([pd.NaT] * 30))[2].tolist() == [-1] * 30


def rows_of(time, correct, widths, *, law=None, horizon=None, **outcomes):
    """Test rows of one predictor of intervals."""
    n = len(correct)
    frame = pd.DataFrame({"y": np.zeros(n), "steps": np.ones(n) if horizon is None else horizon})
    table = Table.of(frame)
    steps = Variable("steps", "column", by_value(table["steps"], many=60), ("steps",))
    found = Outcomes(np.asarray(correct, dtype=bool), np.asarray(widths) / 7.0, **outcomes)
    return audited_rows.TestRows(
        *(table, np.arange(n), "y", "regression", (), (steps,)),
        sets={"base": IntervalSets(np.zeros(n), np.asarray(widths, dtype=float))},
        outcomes={"base": found},
        probabilities={},
        steps={},
        searched=WorstSegments([], {}, np.ones(n, dtype=bool)),
        law=law or CoverageLaw.of_calibration(99, 0.9),
        beside=Table.of(pd.DataFrame({"t": time})),
    )


BY_TIME = AuditSettings(target="y", time="t")


def test_figures_of_each_period():
    """They are in the order of time, by rows as they lie, with the exact band of their number."""
    rng = np.random.default_rng(0)
    time, correct = rng.integers(5, 8, 100), rng.random(100) < 0.8
    widths, p = rng.random(100), rng.random(100)
    rows = period_rows(rows_of(time, correct, widths, p_values=p), BY_TIME)
    assert [(row.period, row.start) for row in rows] == [("5", 5), ("6", 6), ("7", 7)]
    assert {(row.predictor, row.kind, row.column) for row in rows} == {("base", "time", "t")}
    held = adapted(p, np.argsort(time, kind="stable"), 0.1)
    for row in rows:
        inside = time == row.start
        assert row.n == inside.sum()
        assert row.coverage == correct[inside].mean()
        assert row.size == pytest.approx(widths[inside].mean())
        assert row.adapted == held[inside].mean()
        law = stats.betabinom(row.n, 90, 10)  # of 99 calibration rows the tenth smallest score
        assert [row.band_low, row.band_high] == [end / row.n for end in law.interval(0.95)]


def test_so_many_lie_outside_of_the_band_by_chance():
    """Of periods of exchangeable rows at most one in 20, the draw of calibration rows included."""
    rng, law = np.random.default_rng(0), CoverageLaw.of_calibration(499, 0.9)
    time, outside = np.repeat(np.arange(50), 40), 0
    for _ in range(10):
        correct = rng.random(2000) < law.draw(rng)
        rows = period_rows(rows_of(time, correct, np.ones(2000), law=law), BY_TIME)
        outside += sum(row.is_outside for row in rows)
    assert 5 <= outside <= 30  # of 500; the band's share is whole rows, so that it is less than 25


def test_what_is_alike_widens_the_band():
    """Values of a group do; stretches of time, which are what is shown, do not."""
    time = np.repeat([1, 2], 200)
    clusters = np.tile(np.repeat(np.arange(20), 10), 2)
    correct = np.isin(clusters, [3, 7], invert=True)  # all rows of a value have one outcome
    known = rows_of(time, correct, np.ones(400), clusters=clusters)
    single, grouped = (
        period_rows(known, replace(BY_TIME, group=group))[0] for group in (None, "who")
    )
    assert (single.n, single.coverage) == (grouped.n, grouped.coverage) == (200, 0.9)
    assert single.band_low == stats.betabinom(200, 90, 10).ppf(0.025) / 200
    assert grouped.band_low < single.band_low - 0.05


def test_weights_count_in_shares_and_leave_out_what_is_adapted():
    weights = np.repeat([1.0, 3.0], 30)
    correct = np.repeat([True, False], 30)
    known = rows_of(np.ones(60), correct, np.ones(60), weights=weights, p_values=np.ones(60))
    (row,) = period_rows(known, BY_TIME)
    assert (row.n, row.coverage, row.adapted) == (60, 0.25, None)


def test_without_time_or_horizon_there_are_none():
    known = rows_of(np.ones(60), np.ones(60), np.ones(60))
    assert period_rows(known, AuditSettings(target="y")) == []


def forecasts(n=80, steps=24):
    """Forecasts of up to so many steps ahead: errors grow, and the model knows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"issued": np.repeat(np.arange(n), steps), "steps": np.tile(np.arange(1, steps + 1), n)}
    )
    frame["prediction"] = rng.normal(size=len(frame))
    error = rng.normal(size=len(frame)) * np.sqrt(frame["steps"])
    return frame.assign(y=frame["prediction"] + error).sample(frac=1.0, random_state=0)


ASKED = {"target": "y", "horizon": "steps", "prediction": "prediction"}


@pytest.mark.long
def test_horizons_have_their_order_and_are_judged_as_named():
    frame = forecasts()
    result = audit(frame, AuditSettings(**ASKED, time="issued", remedies=("none",)))
    rows = [row for row in result.periods if row.kind == "horizon"]
    assert [row.period for row in rows] == list(map(str, range(1, 25)))
    assert rows[0].coverage > rows[-1].coverage
    assert {row.adapted for row in rows} == {None}
    of_steps = [row for row in result.segments if row.variable == "steps"]
    assert [row.value for row in of_steps] == [row.period for row in rows]
    assert all(row.named for row in of_steps)
    assert [row.accuracy for row in of_steps] == [row.coverage for row in rows]
    assert not any(note.code == "horizon.no_time" for note in result.notes)
    late = np.sort(frame["issued"])[-len(result.test_rows.rows) :]
    assert [row.kind for row in result.periods].count("time") == len(np.unique(late))


@pytest.mark.long
def test_a_result_says_where_times_of_forecasts_may_be_alike():
    result = audit(forecasts(), AuditSettings(**ASKED, remedies=("none",)))
    (note,) = [note for note in result.notes if note.code == "horizon.no_time"]
    assert "as 'steps' says, may be alike" in note
    assert {row.kind for row in result.periods} == {"horizon"}


@pytest.mark.long
def test_many_horizons_are_in_bands():
    result = audit(forecasts(30, 100), AuditSettings(**ASKED, time="issued", remedies=("none",)))
    bands = [row.period for row in result.periods if row.kind == "horizon"]
    assert bands == ["< 25.75", "25.75 to 50.5", "50.5 to 75.25", ">= 75.25"]


def test_a_horizon_that_is_left_out_is_refused():
    with pytest.raises(InputError, match="'steps' of the horizon has no segments"):
        audit(forecasts(), AuditSettings(**ASKED, drop=("steps",)))
