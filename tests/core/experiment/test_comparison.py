"""Remedies, penalties and audits side by side: figures are those of audits, and by hand."""

import math
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fakes import Idle
from scipy import stats

from evencover.core import AuditSettings, InputError, QuantileAdjustment, StandardMeasure, audit
from evencover.core.events import StepDone
from evencover.core.experiment.compared_rows import (
    JUDGED,
    ComparedRow,
    compared_rows,
    few_seeds,
    lowest_told,
    mean_and_spread,
    mean_of,
    paired_difference,
    ranked,
    spread,
    verdict,
    with_titles_over_seeds,
)
from evencover.core.experiment.comparison import PenaltyRow, compare, knee, penalty_path
from evencover.core.experiment.experiment import Workers
from evencover.core.experiment.two_runs import two_runs
from evencover.core.levels import GROUPS
from evencover.core.segments.statistics import holm

pytestmark = pytest.mark.long  # audits of many kinds

REMEDIES = ("quantile", "mondrian:k")
SETTINGS = AuditSettings(target="y", search="paper", seed=3, audit_only=("sex",))


@pytest.fixture(scope="module")
def table():
    rng, n = np.random.default_rng(0), 400
    x, z = rng.normal(size=(2, n))
    y = x + rng.normal(size=n) * np.exp(0.8 * z)
    k = rng.choice(["a", "b"], n)
    sex = np.where(z + rng.normal(size=n) > 0.0, "f", "m")
    return pd.DataFrame({"x": x, "z": z, "k": k, "y": y, "sex": sex})


@pytest.fixture(scope="module")
def found(table):
    return compare(table, SETTINGS, ("base", *REMEDIES), seeds=2)


def without_times(comparison):
    rows = [{k: v for k, v in asdict(row).items() if k != "fit_seconds"} for row in comparison.rows]
    return rows, comparison.groups, comparison.differences, comparison.verdict


class Telling(QuantileAdjustment):
    """Its title is another by each seed, as that of auto may be."""

    def adjust(self, examples, on_event, should_stop):
        done = super().adjust(examples, on_event, should_stop)
        self.title = f"by {self.coef_[0]}"
        return done


@pytest.mark.long
def test_a_remedy_has_one_title_over_seeds(table):
    one, two = (compare(table, SETTINGS, (Telling(),), seeds=seeds) for seeds in (1, 2))
    titles = [{row.title for row in each.rows if row.remedy == "Telling"} for each in (one, two)]
    assert [title[:3] for title in titles[0]] == ["by "]
    assert titles[1] == {"Telling"}


def test_what_seeds_chose_is_told_where_it_differs():
    row, *_ = rows_of("auto", [0.01])
    chose = [replace(row, title=f"auto: {c}", choice=c) for c in ("ifacm", "none", "ifacm")]
    others = [replace(row, title="auto", problem="too few rows"), *rows_of("base", [0.02])]
    titles = {each.title for each in with_titles_over_seeds([*chose, *others[:1]])}
    assert titles == {"auto (ifacm 2, none 1)"}
    alike = [chose[0], chose[2], *others[1:]]
    assert with_titles_over_seeds(alike) == alike


@pytest.mark.long
def test_the_rows_are_those_of_an_audit_by_each_seed(table, found):
    assert (found.seeds, found.remedies) == ([3, 4], ["base", *REMEDIES])
    for seed in found.seeds:
        result = audit(table, replace(SETTINGS, remedies=REMEDIES, seed=seed))
        rows = [row for row in found.rows if row.seed == seed]
        assert len(rows) == len(result.results)
        for row in rows:
            same = result.row(row.segment, row.remedy)
            for figure in ("accuracy", "inefficiency", "dcv", "dcv_floor", "dcv_corrected"):
                assert getattr(row, figure) == getattr(same, figure)
        base = next(row for row in rows if (row.remedy, row.segment) == ("base", "test"))
        judged = [s for s in result.segments if s.predictor == "base" and s.family in GROUPS]
        assert base.worst_segment_coverage == min(segment.accuracy for segment in judged)
        sizes = [s.inefficiency for s in judged if s.variable == "sex"]
        assert (base.size_gap, base.size_gap_of) == (max(sizes) - min(sizes), "sex")


def test_a_remedy_brings_its_promise(found):
    assert found.settings["remedy"] == list(REMEDIES)
    by_name = {row.remedy: row.guarantee for row in found.rows}
    assert "for no group by itself" in by_name["base"] == by_name["quantile"]
    assert "each group" in by_name["mondrian:k"]


def test_differences_are_paired_by_seed(found):
    for figure in ("inefficiency", "inefficiency_original_units"):
        of_widths = [d for d in found.differences if d.figure == figure]
        (difference,) = (d for d in of_widths if d.remedy == "quantile")
        after, before = (
            np.mean([getattr(row, figure) for row in found.test_rows(name)])
            for name in ("quantile", "base")
        )
        assert difference.mean == pytest.approx(after - before)
        assert difference.seeds == 2


@pytest.mark.long
@pytest.mark.parametrize("workers", [Workers(2), Workers(2, "threading")])
def test_figures_are_the_same_by_two_workers_of_any_backend(table, found, workers):
    by_two = compare(table, SETTINGS, REMEDIES, seeds=2, workers=workers)
    assert without_times(by_two) == without_times(found)


def test_workers_that_cannot_be_are_refused(table):
    with pytest.raises(InputError, match="'nowhere' cannot be used"):
        compare(table, SETTINGS, REMEDIES, workers=Workers(2, "nowhere"))
    with pytest.raises(InputError, match="workers is 0"):
        compare(table, SETTINGS, REMEDIES, workers=Workers(0))


def test_a_remedy_that_cannot_be_applied_says_why_and_takes_no_other_with_it(table):
    found = compare(table, SETTINGS, ("label", "mondrian:nowhere", "mondrian:k"), seeds=1)
    assert "needs classes" in found.problem("label")
    label = next(row for row in found.rows if row.remedy == "label")
    assert (label.title, "each class" in label.guarantee) == ("label-conditional", True)
    assert "no column 'nowhere'" in found.problem("mondrian:nowhere")
    assert found.problem("mondrian:k") is None
    assert [row.remedy for row in found.rows if row.dcv is None] == ["label", "mondrian:nowhere"]
    assert found.test_rows("mondrian:k")[0].dcv is not None


class Nowhere(Idle):
    """One that serves no regression."""

    tasks = ("classification",)


@pytest.mark.parametrize("workers", [None, Workers(2)])
@pytest.mark.long
def test_remedies_may_be_objects(table, workers):
    asked = (QuantileAdjustment(), Idle(), "mondrian:k", Nowhere())
    measure = StandardMeasure()
    found = compare(table, SETTINGS, asked, measure=measure, seeds=1, workers=workers)
    names = ["base", "quantile", "Idle", "mondrian:k", "Nowhere"]
    assert found.remedies == [found.rows[0].remedy, *found.settings["remedy"]] == names
    assert "does not serve regression" in found.problem("Nowhere")
    result = audit(table, SETTINGS, measure=measure, remedies=asked[:3])
    for row in found.rows:
        if row.problem is None:
            assert row.dcv == result.row(row.segment, row.remedy).dcv
    (idle,), (base,) = found.test_rows("Idle"), found.test_rows("base")
    assert (idle.title, idle.dcv) == ("idling", base.dcv)


@pytest.mark.parametrize(
    ("options", "remedies", "seeds", "sentence"),
    [
        ({}, ("cqr",), None, "no remedy 'cqr'"),
        ({"time": "x"}, REMEDIES, 2, "2 seeds would all be the same; choose 1 seed"),
        ({"target": "w"}, REMEDIES, 1, "no column 'w'"),
        ({}, ("base", "none"), None, "nothing to compare the base with; name a remedy"),
        ({}, ("label", "mondrian:nowhere"), None, "label-conditional: .* choose other remedies"),
        ({}, "quantile", None, "'quantile' is no list of remedies"),
        ({"remedies": ("none",)}, None, None, "nothing to compare the base with; name a remedy"),
        ({}, REMEDIES, 1_000_000, "seeds is 1000000; give a whole number from 1 to 1000"),
        ({"lower": "x", "upper": "z", "audit_only": ()}, REMEDIES, None, "take no remedy"),
    ],
)
def test_what_can_never_be_compared_is_refused(table, options, remedies, seeds, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(table, replace(SETTINGS, **options), remedies, seeds=seeds)


def test_a_fixed_split_has_one_seed(table):
    dated = table.assign(day=np.arange(len(table)))
    assert compare(dated, replace(SETTINGS, time="day"), ("mondrian:k",)).seeds == [3]


@pytest.mark.long
def test_steps_are_told_and_a_stop_keeps_the_whole_seeds(table):
    told = []
    # after the base, the fit and the test rows of the first seed
    run = {"on_event": told.append, "should_stop": lambda: len(told) > 3}
    found = compare(table, SETTINGS, ("quantile",), seeds=3, **run)
    steps = [event for event in told if isinstance(event, StepDone)]
    assert [step.done for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.asked == 9 for step in steps)
    assert (found.stopped, found.seeds) == (True, [3])


@pytest.mark.long
def test_an_interaction_that_no_straight_line_sees_is_mended_by_pairs_alone():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 12_000))
    noise = np.exp(0.5 * np.clip(x * z, -2.0, 2.0))
    table = pd.DataFrame({"x": x, "z": z, "y": x + noise * rng.normal(size=len(x))})
    settings = AuditSettings(target="y", measure="standard", estimator="trees")
    found = compare(table, settings, ("quantile", "quantile-pairs"), seeds=1)
    dcv = {name: np.mean([r.dcv for r in found.test_rows(name)]) for name in found.remedies}
    assert dcv["quantile"] == pytest.approx(dcv["base"], rel=0.15)
    assert dcv["quantile-pairs"] < 0.3 * dcv["base"]


PATH = AuditSettings(target="y", search="paper", measure="standard", remedies=("ifacm",))


@pytest.fixture(scope="module")
def uneven():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1_000))
    return pd.DataFrame({"x": x, "z": z, "y": x + rng.normal(size=1_000) * np.exp(0.6 * z)})


@pytest.mark.long
def test_every_point_is_an_audit_with_its_penalty(uneven):
    path = penalty_path(uneven, PATH, (1.0, 0.1))
    assert [row.penalty for row in path.of("test")] == [None, 1.0, 0.5, 0.1]
    for row in path.rows:
        name = "base" if row.penalty is None else "ifacm"
        penalty = 0.0 if row.penalty is None else row.penalty
        same = audit(uneven, replace(PATH, penalty=penalty)).row(row.figures.subset, name)
        for figure in ("dcv", "inefficiency", "accuracy"):
            assert getattr(row.figures, figure) == pytest.approx(getattr(same, figure))


@pytest.mark.long
def test_of_rows_with_weights_adjusting_costs_what_it_does_in_an_audit(uneven):
    weighted = uneven.head(500).assign(w=np.where(np.arange(500) % 10, 1.0, 4.0))
    settings = replace(PATH, weight="w", search="restarted")
    *_, last = penalty_path(weighted, settings, ()).of("training")
    assert last.cost == audit(weighted, settings).comparison("ifacm").cost
    # 3 terms, w = 0.09, and of 200 training rows a tenth with weight 4 for 1: Kish's n is 135
    assert last.cost == pytest.approx(np.sqrt(3 * 0.09 / 135.0), rel=0.1)


def test_a_stop_leaves_the_smaller_penalties_out(uneven):
    told = []
    path = penalty_path(
        uneven, PATH, (0.1, 0.01), on_event=told.append, should_stop=lambda: len(told) > 2
    )
    assert path.stopped
    assert [row.penalty for row in path.of("test")] == [None, 0.5, 0.1]
    # three terms, fitted on 400 rows
    base, *_, last = (row.cost for row in path.of("test"))
    assert (base, last) == (0.0, pytest.approx(math.sqrt(3 * 0.09 / 400)))


def points(*figures, cost=0.0):
    base, *others = figures
    rows = [(None, base, 0.0), *((1.0 / 10**i, pair, cost) for i, pair in enumerate(others))]
    return [
        PenaltyRow(penalty, SimpleNamespace(inefficiency=size, dcv=dcv), cost=of_row)
        for penalty, (size, dcv), of_row in rows
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # half the width buys nearly all of the evenness
        (points((1.0, 0.10), (1.1, 0.02), (1.2, 0.018), (2.0, 0.01)), 1.0),
        # 0.9 - 0.125 below the straight line, against 0.7 - 0.0125
        (points((1.0, 0.10), (1.1, 0.03), (1.3, 0.021), (2.0, 0.02)), 1.0),
        # a straight line has no knee: the lowest DCV
        (points((1.0, 0.10), (1.1, 0.09), (1.2, 0.08), (1.3, 0.07)), 0.01),
        # what training rows cannot tell apart goes by the size
        (points((1.0, 0.10), (0.9, 0.03), (1.2, 0.02), (2.0, 0.01), cost=0.04), 1.0),
        # nothing changes, or costs more than it mends
        (points((1.0, 0.10), (1.0, 0.10)), None),
        (points((1.0, 0.02), (1.1, 0.01), cost=0.03), None),
    ],
)
def test_the_knee(rows, expected):
    assert knee(rows) == expected


def test_a_mean_is_of_all_rows_or_not_known():
    known = [SimpleNamespace(dcv=0.01), SimpleNamespace(dcv=0.03)]
    assert mean_of(known, "dcv") == pytest.approx(0.02)
    assert mean_and_spread(known, "dcv") == pytest.approx((0.02, 0.02 / math.sqrt(2.0)))
    assert mean_and_spread(known[:1], "dcv") == (0.01, 0.0)
    assert mean_of([*known, SimpleNamespace(dcv=None)], "dcv") is None
    assert mean_of([], "dcv") is None


@pytest.mark.parametrize(
    ("values", "deviation"),
    [
        ([1e300, 3e300], 2.0**0.5 * 1e300),  # whose squares no float holds
        ([0.1] * 3, 0.0),  # whose mean by floats is another number
        ([1.0, 2.0, 4.0], (7.0 / 3.0) ** 0.5),
    ],
)
def test_a_spread_is_exact(values, deviation):
    assert spread(values) == pytest.approx(deviation, rel=1e-15, abs=0.0)


def rows_of(remedy, values, **more):
    about = {"title": remedy.title(), "segment": "test", "guarantee": "It promises."}
    return [
        ComparedRow(remedy=remedy, seed=seed, **{"inefficiency": 2.0, JUDGED: ert}, **about | more)
        for seed, ert in enumerate(values)
    ]


BASE, AFTER = [0.05, 0.06, 0.04], [0.03, 0.05, 0.01]
"""Differences -0.02, -0.01 and -0.03: mean -0.02, deviation 0.01."""


def difference(after, share=0.0):
    rows = rows_of("base", BASE) + rows_of("quantile", after)
    return paired_difference(rows, "quantile", "base", JUDGED, share)


def test_without_shared_rows_it_is_the_paired_t_test_and_with_them_the_interval_is_wider():
    found = difference(AFTER)
    theirs = stats.ttest_rel(AFTER, BASE)
    interval = theirs.confidence_interval(0.95)
    assert (found.mean, found.standard_deviation) == pytest.approx((-0.02, 0.01))
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    # 0.01 sqrt(1/3 + 3/7) = 0.0087287; t at 97.5 % with 2 degrees is 4.302653
    found = difference(AFTER, 3.0 / 7.0)
    assert found.high - found.mean == pytest.approx(4.302653 * 0.0087287, rel=1e-4)


def test_few_seeds_are_told_with_how_much_wider_intervals_are():
    # 12.7062 sqrt(1/2 + 3/7) = 12.244 over 2 seeds, 2.2622 sqrt(1/10 + 3/7) = 1.6447 over 10
    (note,) = few_seeds(2, 3.0 / 7.0)
    assert "over 2 seeds are some 7.4 times as wide" in note
    assert [*few_seeds(1, 3.0 / 7.0), *few_seeds(10, 3.0 / 7.0)] == []


def test_seeds_count_that_have_both():
    found = difference([0.03, None, math.nan])
    assert (found.seeds, found.mean, found.p_value) == (1, pytest.approx(-0.02), None)
    assert difference([None, None, None]) is None


@pytest.mark.parametrize(
    ("quantile", "named"), [([0.011, 0.022, 0.031], True), ([0.029, 0.035, 0.06], False)]
)
def test_another_remedy_is_named_where_it_is_clearly_better_than_the_default(quantile, named):
    rows = rows_of("base", [0.05, 0.06, 0.07]) + rows_of("ifacm", [0.03, 0.04, 0.05])
    rows += rows_of("quantile", quantile)
    said = list(verdict(rows, ["base", "ifacm", "quantile"], 3.0 / 7.0, "mean width"))
    told = [(of["title"], of["against"]) for of in (vars(one)["values"] for one in said)]
    best = "Quantile" if named else "Ifacm"  # by a mean difference of 0.0387 or 0.0187, or of 0.02
    assert told == [(best, "base"), *[("Quantile", "ifacm")] * named]
    assert all("100.0 % of that of Ifacm" in sentence for sentence in said[1:])
    assert "lower ERT by trees than the base," in said[0]
    assert "100.0 % of that of the base" in said[0]
    # of one remedy: 0.0387 / (0.0015275 sqrt(1/3 + 3/7)) is far beyond chance; 0.0187 by a
    # deviation of 0.0077 is t = 2.8 of 2 degrees, p 0.11
    alone = list(verdict(rows, ["base", "quantile"], 3.0 / 7.0, "mean width"))
    assert len(alone) == named
    assert all("than the base," in one for one in alone)


@pytest.mark.parametrize(
    ("by_remedy", "ranking", "tied"),
    [
        # not clearly above the lowest: the smaller sets come first
        ({"a": ([0.02, 0.03, 0.04], 2.0), "b": ([0.021, 0.029, 0.041], 1.0)}, "ba", 2),
        ({"a": ([0.02, 0.03, 0.04], 2.0), "b": ([0.121, 0.129, 0.141], 1.0)}, "ab", 1),
        # by one seed, its interval tells
        ({"a": ([0.02], 2.0), "b": ([0.025], 1.0), "c": ([0.04], 0.5)}, "bac", 2),
        ({"a": ([None], 2.0), "b": ([0.025], 1.0)}, "ba", 1),
    ],
)
def test_remedies_are_ranked_by_trees_and_ties_by_size(by_remedy, ranking, tied):
    rows = [
        replace(row, inefficiency=size, ert_l2_trees_high=(row.ert_l2_trees or 0.0) + 0.01)
        for name, (of, size) in by_remedy.items()
        for row in rows_of(name, of)
    ]
    assert ranked(rows, [*by_remedy], 3.0 / 7.0) == ([*ranking], tied)


@pytest.mark.long
def test_what_chance_makes_of_a_gap_in_size_is_said_beside_it():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=900), "sex": rng.choice(["f", "m"], 900)})
    frame["y"] = frame["x"] + rng.normal(size=900)
    settings = AuditSettings(target="y", audit_only=("sex",), remedies=("quantile",))
    result = audit(frame, settings)
    told = compare(frame, settings, seeds=1).rows  # by name, base and test rows first
    of_result = sorted(compared_rows(result, 0), key=lambda row: row.remedy)
    for row, same in zip(of_result, told, strict=True):
        assert (row.remedy, row.segment, row.size_gap_by_chance) == (
            same.remedy,
            same.segment,
            same.size_gap_by_chance,
        )
        if row.segment == "test":
            sizes = result.test_rows.outcomes[row.remedy].sizes
            f, m = np.bincount(result.test_rows.table["sex"].series == "f")
            # the mean of a normal variable's size
            expected = math.sqrt(2.0 / math.pi * sizes.var() * (1.0 / f + 1.0 / m))
            assert row.size_gap_by_chance == pytest.approx(expected, rel=0.15)
        else:
            assert row.size_gap_by_chance is None


def test_what_choosing_the_lowest_of_several_costs_is_told():
    rng, names = np.random.default_rng(0), ["base", *"abcde"]
    # remedies as good as each other: the lowest mean is too low by what is told, on average
    truth, told = [], []
    for _ in range(100):
        drawn = rng.normal(0.05, 0.01, size=(6, 4))
        rows = [row for name, of in zip(names, drawn, strict=True) for row in rows_of(name, of)]
        (note,) = lowest_told(rows, names, 0.0)
        truth.append(0.05 - drawn[1:].mean(axis=1).min())
        told.append(float(str(note).split("would be ")[1][:7]))
        assert f"{drawn[1:].mean(axis=1).min():.5f} on average" in note
    assert np.mean(told) == pytest.approx(np.mean(truth), rel=0.15)
    one = [row for name in names for row in rows_of(name, [0.05])]
    (note,) = lowest_told(one, names, 0.0)
    assert "one seed cannot tell" in note
    assert not [*lowest_told(one, names[:2], 0.0)]


@pytest.mark.parametrize(("drop", "told"), [(0.0, True), (0.02, False)])
def test_the_lowest_of_several_is_set_beside_the_base(drop, told):
    rng, names = np.random.default_rng(0), ["base", "a", "b"]
    drawn = [0.06 + 0.002 * rng.normal(size=8) - drop * (name == "a") for name in names]
    rows = [row for name, of in zip(names, drawn, strict=True) for row in rows_of(name, of)]
    (note,) = lowest_told(rows, names, 0.5)
    assert ("not clearly below that of the base" in note) == told


ALONE = AuditSettings(target="y", measure="standard", remedies=("none",))


@pytest.fixture(scope="module")
def first(table):
    return audit(table, ALONE)


@pytest.fixture(scope="module")
def second(table):
    return audit(table, replace(ALONE, measure="normalized"))


def paired(gained, lost, n):
    """Wald's p-value of a paired change, with half a row more of each of the four kinds."""
    change, discordant = (gained - lost) / (n + 2), (gained + lost + 1) / (n + 2)
    return math.erfc(abs(change) / math.sqrt(2.0 * (discordant - change**2) / (n + 2)))


def test_the_same_rows_are_pairs_and_tested_as_such(first, second):
    found = two_runs(first, "base", second, "base")
    before, after = (result.test_rows.outcomes["base"].correct for result in (first, second))
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    assert found.pairing == "same"
    assert (found.change.n, found.change.gained, found.change.lost) == (120, gained, lost)
    assert found.change.p_value == pytest.approx(paired(gained, lost, 120))


def test_figures_segments_and_coefficients_stand_beside_each_other(first, second):
    found = two_runs(first, "base", second, "base")
    dcv = next(row for row in found.figures if row.what == "dcv")
    assert (dcv.first, dcv.second) == tuple(r.row("test", "base").dcv for r in (first, second))
    segment = next(s for s in found.segments if (s.variable, s.value) == ("k", "a"))
    accuracy = [
        next(s.accuracy for s in result.segments if (s.variable, s.value) == ("k", "a"))
        for result in (first, second)
    ]
    assert [segment.first, segment.second] == accuracy
    alone = []
    before, after = (result.test_rows for result in (first, second))
    for variable in before.variables:
        for code in range(len(variable.partition.names)):
            inside = variable.partition.codes == code
            up = after.outcomes["base"].correct & ~before.outcomes["base"].correct & inside
            down = before.outcomes["base"].correct & ~after.outcomes["base"].correct & inside
            p = paired(int(up.sum()), int(down.sum()), int(inside.sum()))
            alone += [p] * bool(inside.any())
    assert [row.p_value for row in found.segments] == pytest.approx(holm(np.array(alone)).tolist())
    assert [row.what for row in found.coefficients] == first.data.encoded_features


def test_other_rows_are_no_pairs(first, table):
    for other in (audit(table, replace(ALONE, seed=1)), audit(table.assign(y=-table["y"]), ALONE)):
        found = two_runs(first, "base", other, "base")
        assert (found.pairing, found.change) == ("other", None)
        assert all(row.p_value is None for row in found.segments)
    gone = two_runs(first, "base", replace(first, test_rows=None), "base")
    assert (gone.pairing, gone.change) == ("gone", None)
