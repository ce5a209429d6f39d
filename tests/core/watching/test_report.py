"""What a watch says: figures by hand, and one verdict for each kind of world."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from watched import EXPECTED, predictor, reference, rows

from evencover.core import InputError, watch
from evencover.core.scoring import SavedPredictor
from evencover.core.tables.table import Table
from evencover.core.watching.evidence import DrawnAtRandom, NoLower, evidence
from evencover.core.watching.intake import Watch
from evencover.core.watching.report import prospect, report, to_json
from evencover.core.watching.state import WatchState


def seen(*frames, by=None):
    by = by or Watch(predictor(), "id", "day")
    state = WatchState(by.fingerprint)
    for frame in frames:
        state, added = by.added(Table.of(frame), state)
    return report(by, state, added)


def codes(found):
    return [sentence.code.removeprefix("watch.") for sentence in found.sentences]


def test_in_python_a_data_frame_is_added_to_what_was_seen():
    by, first, more = predictor(), rows(300, 1), rows(200, 2)
    second = more.assign(id="new " + more["id"].astype(str))
    state, _ = watch(by, first, key="id", time="day")
    _, found = watch(by, second, state, key="id", time="day")
    step = seen(first, second)
    assert (found.n, found.held) == (step.n, step.held) == (500, step.held)
    assert [*map(str, found.sentences)] == [*map(str, step.sentences)]


def test_figures_are_those_of_the_rows():
    frame = rows(500)
    found, held = seen(frame), abs(frame["y"] - frame["x"]) <= 1.0
    assert (found.n, found.held, found.waiting) == (500, held.sum(), 0)
    assert found.share == held.mean()
    ends = stats.binomtest(int(held.sum()), 500).proportion_ci(method="exact")
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    (group,), of = found.of("group"), held[frame["sex"] == "F"]
    assert (group.n, group.share, group.n_before, group.share_before) == (
        len(of),
        of.mean(),
        500,
        0.9,
    )
    by_day = of.groupby(frame["day"]).agg(lambda one: (one.sum(), (~one).sum()))
    assert group.evidence == pytest.approx(evidence(NoLower(450, 50, 0.9), np.array([*by_day])))
    (scores,) = found.of("scores")
    assert scores.share_before == pytest.approx(1.0 - (0.05 * 3 + 0.05 * 2 + 0.4) / 3, abs=1e-3)
    assert [period.n for period in found.periods] == [10] * 50
    first = found.periods[0]
    assert first.share == held[:10].mean()
    assert (first.band_low, first.band_high) == tuple(
        end / 10 for end in stats.betabinom.interval(0.95, 10, 900, 100)
    )
    assert (found.status, codes(found)) == ("steady", ["added", "all", "steady", "groups"])


def test_periods_are_months_or_years_where_days_are_many():
    frame = rows(900)
    assert [len(each.period) for each in seen(frame).periods] == [7] * 3
    assert sum(each.n for each in seen(frame).periods) == 900


def test_a_fall_is_told_from_the_day_on_that_it_began():
    found = seen(rows(1000), rows(600, 1, EXPECTED * 1.8).assign(day=np.datetime64("2026-05-01")))
    assert found.status == "moved"
    (row,) = found.moved("coverage")
    assert 590 <= row.n_since <= 640  # an estimate, by rows of which some were held by chance
    assert {"moved", "group", "now"} <= {*codes(found)}
    assert "steady" not in codes(found)


def test_a_fall_is_told_when_it_has_gone_again():
    bad = rows(900, 1, EXPECTED * 2.5).assign(day=np.datetime64("2026-05-01"))
    good = rows(1500, 2, EXPECTED * 0.5)
    good["day"] += np.timedelta64(200, "D")
    found = seen(rows(600), bad, good)
    (row,) = found.moved("coverage")
    assert (found.status, row.until, found.since) == ("moved", "2026-05-01", "2026-07-20")
    assert row.n_since == 900
    assert row.share_after == (abs(good["y"] - good["x"]) <= 1.0).mean()
    assert "fell" in found.sentences[codes(found).index("moved")]
    assert not {"risen", "steady"} & {*codes(found)}
    assert found.moved("scores")[0].until == "2026-05-01"


def test_rows_that_are_alike_say_less():
    alike = replace(reference(), alike="day", worth=0.25)
    frame = rows(400, 1, EXPECTED * 1.5)
    found, single = (
        seen(frame, by=Watch(p, "id", "day")) for p in (predictor(beside=alike), predictor())
    )
    assert (found.n, found.held, found.share) == (400, single.held, single.share)
    assert found.low < single.low < single.high < found.high
    assert (found.level_low, found.level_high) == pytest.approx(stats.beta.interval(0.95, 225, 25))
    (row,), (alone,) = found.of("coverage"), single.of("coverage")
    assert row.evidence < alone.evidence
    by_day = (
        (abs(frame["y"] - frame["x"]) <= 1.0)
        .groupby(frame["day"])
        .agg(lambda h: (h.sum(), (~h).sum()))
    )
    of = DrawnAtRandom(np.array([225.0, 25.0]))
    assert row.evidence == pytest.approx(evidence(of, 0.25 * np.array([*by_day])))
    assert "as 25 independent" in found.sentences[codes(found).index("alike")]


def test_groups_that_no_row_is_in_are_named():
    found = seen(rows(200).assign(sex="male"))
    assert "sex = F" in found.sentences[codes(found).index("empty")]


def test_a_group_alone_may_fall():
    frame = rows(3000, 2)
    of = frame["sex"] == "F"
    frame.loc[of, "y"] = frame["x"] + (frame["y"] - frame["x"]) * 1.5
    frame.loc[~of, "y"] = frame["x"] + (frame["y"] - frame["x"]) * 0.6
    found = seen(frame)
    assert [row.name for row in found.moved("group")] == ["sex = F"]
    assert not found.moved("coverage")
    assert "group" in codes(found)
    assert "groups" not in codes(found)


def test_errors_grow_before_coverage_is_sure_to_fall():
    """Errors that reach further, all but those at the ends: 9.5 in 10 are held, and few surely."""
    frame = rows(900, 3, EXPECTED)
    error = frame["y"] - frame["x"]
    frame.loc[abs(error) < 0.5, "y"] = frame["x"] + 0.9
    found = seen(frame)
    assert (found.status, found.moved("coverage")) == ("scores", [])
    assert "scores" in codes(found)


def test_more_than_promised_is_no_fall():
    found = seen(rows(900, 1, EXPECTED * 0.5))
    assert (found.status, found.moved("coverage"), found.moved("scores")) == ("risen", [], [])
    assert "risen" in codes(found)
    assert "now" not in codes(found)


@pytest.mark.long
def test_what_a_draw_of_calibration_rows_brings_is_a_level():
    """With 99 calibration rows 88 % is as likely as not, and 20,000 rows show that it is not 90."""
    known = Watch(predictor(beside=reference(99)), "id")
    frame = rows(20_000, 1, 1.0 / np.log(1.0 / 0.12))
    found = seen(frame, by=known)
    assert (found.status, found.is_off) == ("steady", True)
    assert "steady" not in codes(found)
    assert "within it" in found.sentences[codes(found).index("level")]
    lower = rows(5_000, 1, 1.0 / np.log(1.0 / 0.15))  # more than 999 calibration rows may bring
    assert (seen(lower).status, seen(lower, by=known).status) == ("moved", "steady")


def test_rows_may_change_and_coverage_stay():
    frame = rows(900)
    frame[["x", "y"]] = frame[["x", "y"]].add(0.7)
    found = seen(frame)
    assert [row.name for row in found.moved("column")] == ["x"]
    assert (found.status, codes(found)) == (
        "steady",
        ["added", "all", "steady", "columns", "groups"],
    )
    unlabelled = seen(frame.drop(columns="y"))
    assert (unlabelled.status, unlabelled.waiting) == ("no rows", 900)
    assert codes(unlabelled) == ["added", "no_labels", "columns", "waiting"]


def test_without_a_single_threshold_test_rows_are_the_reference():
    found = seen(rows(800), by=Watch(predictor(by_group=True), "id"))
    assert found.of("scores") == []
    (row,) = found.of("coverage")
    frame = rows(800)
    held = int((abs(frame["y"] - frame["x"]) <= frame["k"].map({"a": 1.0, "b": 2.0})).sum())
    counts = np.array([[held, 800 - held]])
    assert row.evidence == pytest.approx(evidence(NoLower(900, 100, 0.9), counts))
    ends = stats.binomtest(900, 1000).proportion_ci(method="exact")
    assert (found.level_low, found.level_high) == pytest.approx((ends.low, ends.high))


def test_no_row_is_no_figure():
    found = seen(rows(1).iloc[:0])
    assert (found.n, found.status) == (0, "no rows")
    told = json.dumps(to_json(found), allow_nan=False)
    assert json.loads(told)["share"] is None
    assert all(not row.moved and row.evidence < 1e-9 for row in found.checks)


def test_json_has_the_names_that_others_rely_on():
    told = to_json(seen(rows(900, 1, EXPECTED * 1.8)))
    assert {"n", "held", "level_low", "level_high", "moved", "e_value", "since"} <= {*told}
    assert (told["moved"], told["scores_moved"], told["features_moved"]) == (True, True, [])
    assert told["held"] == round(told["share"] * told["n"])
    low, high = stats.beta.interval(0.95, 900, 100)
    assert (told["level_low"], told["level_high"]) == pytest.approx((low, high))
    (group,) = told["groups"]
    assert group["group"] == "sex = F"
    assert group["held"] == round(group["share"] * group["n"])
    assert {"n", "held", "e_value", "moved", "since"} <= {*group}
    assert told["notes"][0] == "What came: 900 added."
    json.dumps(told, allow_nan=False)


def test_what_can_be_shown_is_told_when_it_is_saved():
    said = prospect(predictor())
    assert said.values["groups"] == "1 watched group"
    few = prospect(predictor(beside=reference(groups=(18, 2)))).values
    assert few["seen"] == "0"
    many = prospect(predictor(beside=reference(99_999))).values["drop"]
    assert (many, prospect(predictor(beside=reference(19))).values["drop"]) == (
        "a fall of 1.0 points",
        "a fall of 32.0 points",
    )


def test_an_older_file_cannot_be_watched():
    old = SavedPredictor(**vars(predictor()) | {"reference": None})
    with pytest.raises(InputError, match="save it anew"):
        prospect(old)
