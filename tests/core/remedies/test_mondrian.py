"""Remedies by name, and a threshold for each group, class, or both."""

import math

import numpy as np
import pandas as pd
import pytest
from crepes import ConformalRegressor
from scipy import stats
from sklearn.frozen import FrozenEstimator

from evencover.core import AuditSettings, ScoringMeasure, StandardMeasure, audit
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.experiment.predictors import candidates
from evencover.core.messages import InputError
from evencover.core.remedies.auto import Auto
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.mondrian import LabelConditional, Mondrian, OverlappingGroups
from evencover.core.remedies.names import parse_remedy, title_of
from evencover.core.remedies.quantile import QuantileAdjustment
from evencover.core.rows.examples import Examples, as_examples


def examples(X, y, **columns):
    frame = pd.DataFrame(columns, index=range(len(X)))
    return Examples(np.asarray(X), np.asarray(y), frame, np.arange(len(X)))


def predictor(remedy, calibration, level=0.9):
    icp = InductiveConformalPredictor(remedy, confidence_level=level)
    return icp.fit(calibration).calibrate(calibration)


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_intervals_of_groups_equal_crepes(regression, level):
    """Fixed scores; the groups' sizes are those at which its float rank is right."""
    measure = FrozenEstimator(StandardMeasure().fit(*regression(200, 0)))
    X, y = regression(230, 1)
    group = np.repeat(["a", "b", "c"], [50, 80, 100])
    known = examples(X, y, group=group)
    icp = predictor(Mondrian(measure, "group"), known, level)
    new = examples(*regression(60, 2), group=np.tile(["c", "a", "b"], 20))
    center = measure.score_functions(new).center
    theirs = ConformalRegressor().fit(y - measure.score_functions(known).center, bins=group)
    expected = theirs.predict_int(center, bins=new.frame["group"].to_numpy(), confidence=level)
    found = icp.predict(new)
    np.testing.assert_allclose(np.column_stack([found.lower, found.upper]), expected)


def test_unseen_missing_and_small_groups(regression):
    X, y = regression(60, 3)
    group = np.array([*["a"] * 40, *["b"] * 5, *[None] * 15], dtype=object)
    known = examples(X, y, group=group)
    icp = predictor(Mondrian(StandardMeasure(), "group"), known)
    new = examples(X[:4], y[:4], group=np.array(["a", "b", "new", None], dtype=object))
    assert np.isinf(icp.predict(new).sizes).tolist() == [False, True, True, False]
    (note,) = icp.thresholds_.notes(new)
    assert "fewer than 9 calibration rows" in note
    assert "2 (b, new)" in note
    scores = icp.measure_.score(known)
    thresholds = [conformal_threshold(scores[rows], 0.9) for rows in (slice(40), slice(45, 60))]
    assert icp.thresholds_.at(new)[[0, 3]].tolist() == thresholds


def test_numbers_of_many_values_are_divided_in_bands_of_training_rows(regression):
    X, y = regression(400, 4)
    age = np.arange(400.0)
    age[7] = np.nan
    known = examples(X, y, age=age, code=np.arange(400) % 20)
    remedy = Mondrian(StandardMeasure(), "age").fit(known)
    assert remedy.threshold_rule.groups.edges == pytest.approx((100.5, 200.25, 300.0), abs=0.8)
    other = examples(X[:4], y[:4], age=[-5.0, 150.0, 1e9, np.nan])
    assert remedy.threshold_rule.groups.at(other) == [0, 1, 3, None]
    by_value = Mondrian(StandardMeasure(), "code", by_value=True).fit(known)
    assert by_value.threshold_rule.groups.at(known.part(np.arange(3))) == ["0", "1", "2"]
    with pytest.raises(InputError, match="there is no column 'ages'"):
        Mondrian(StandardMeasure(), "ages").fit(known)


def test_each_class_in_each_group_has_its_own_threshold(classification):
    X, y = classification(800, 5)
    group = np.where(X[:, 0] > 0.5, "high", "low")
    known = examples(X, y, group=group)
    icp = predictor(LabelConditional(ScoringMeasure(), "group"), known, 0.8)
    matrix = icp.measure_.score_functions(known).all()
    own = matrix[np.arange(800), y]
    expected = np.empty_like(matrix)
    for name in ("high", "low"):
        for label in range(4):
            part = own[(group == name) & (y == label)]
            expected[group == name, label] = conformal_threshold(part, 0.8)
    np.testing.assert_array_equal(icp.predict(known).members, matrix >= expected)
    (note,) = icp.thresholds_.notes(known)
    counts = pd.crosstab(group, y)
    assert (counts < 4).any(axis=1).tolist() == [True, False]
    assert "1 (high)" in note


def test_a_class_without_calibration_rows_is_in_every_set(classification):
    X, y = classification(300, 6)
    remedy = LabelConditional(ScoringMeasure()).fit(X, y)
    icp = InductiveConformalPredictor(FrozenEstimator(remedy)).fit(X, y)
    icp.calibrate(X[y != 2], y[y != 2])
    members = icp.predict(X).members
    assert members[:, 2].all()
    assert not members[:, 0].all()
    (note,) = icp.thresholds_.notes(examples(X, y))
    assert note.code == "thresholds.small_classes"
    assert "1 of 4" in note


def test_coverage_of_a_class_follows_its_beta_law(classification):
    """With 49 calibration rows of the class and CL 0.9: Beta(45, 5), whatever the others are."""
    measure = ScoringMeasure().fit(*classification(500, 7))
    X, labels = classification(100_000, 8)
    scores = measure.score(X, labels)
    own = np.sort(scores[labels == 1])
    rng, covered = np.random.default_rng(9), []
    known = examples(np.zeros((49, 1)), np.ones(49, dtype=np.intp))
    rule = LabelConditional(FrozenEstimator(measure)).fit(X[:50], labels[:50]).threshold_rule
    for _ in range(300):
        threshold = rule.learn(rng.choice(own, 49), known, 0.9).at(known)[0, 1]
        covered.append(1.0 - np.searchsorted(own, threshold) / len(own))
    assert stats.kstest(covered, stats.beta(45, 5).cdf).pvalue > 0.01


@pytest.mark.parametrize(
    ("name", "remedy", "title", "column"),
    [
        ("ifacm", IFACM, "IFACM", None),
        ("ifacm@0.2", IFACM, "IFACM with C = 0.2", None),
        ("quantile", QuantileAdjustment, "quantile adjustment", None),
        ("mondrian:a:b, c", Mondrian, "Mondrian by a:b, c", "a:b, c"),
        ("label", LabelConditional, "label-conditional", None),
        ("label:sex", LabelConditional, "label-conditional by sex", "sex"),
        ("auto", Auto, "auto", None),
    ],
)
def test_a_name_is_taken_apart(name, remedy, title, column):
    found = parse_remedy(name)
    assert (found.remedy, found.title, found.column) == (remedy, title, column)
    assert title_of(name) == title


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("magic", "remedy.unknown"),
        ("mondrian", "remedy.incomplete"),
        ("mondrian:", "remedy.incomplete"),
        ("groups", "remedy.incomplete"),
        ("quantile:x", "remedy.superfluous"),
        ("quantile@0.2", "remedy.no_penalty"),
        ("mondrian@0.2:x", "remedy.no_penalty"),
        ("ifacm@", "ifacm.penalty"),
        ("ifacm@much", "ifacm.penalty"),
        ("ifacm@-1", "ifacm.penalty"),
        ("guarded:ifacm", "remedy.unknown"),
    ],
)
def test_other_names_are_refused(name, code):
    with pytest.raises(InputError) as refused:
        AuditSettings(target="y", remedies=(name,))
    assert refused.value.sentence.code == code
    assert title_of(name) == name


@pytest.mark.parametrize("names", [(), ("none", "ifacm"), ("quantile", "quantile")])
def test_lists_that_contradict_themselves_are_refused(names):
    with pytest.raises(InputError):
        AuditSettings(target="y", remedies=names)


def test_what_an_audit_is_of():
    def names(*remedies):
        return [c.name for c in candidates(AuditSettings(target="y", remedies=remedies))]

    assert [c.name for c in candidates(AuditSettings(target="y"))] == ["base", "ifacm", "auto"]
    assert names("none") == ["base"]
    assert names("quantile", "mondrian:z") == ["base", "quantile", "mondrian:z"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 600))
    side = rng.choice(["a", "b"], 600)
    y = z + np.where(side == "a", 0.3, 2.0) * rng.standard_t(3, 600)
    kind = np.where(y > 0.5, "high", "low")
    return pd.DataFrame({"x": x, "z": z, "side": side, "other": side, "y": y, "kind": kind})


@pytest.mark.long
def test_an_audit_of_several(table):
    remedies = ("quantile", "mondrian:side")
    settings = AuditSettings(target="y", remedies=remedies, drop=("kind",))
    result = audit(table, settings)
    assert result.names == ["base", *remedies]
    titles = [by.title for by in result.predictors]
    assert titles == ["base", "quantile adjustment", "Mondrian by side"]
    assert result.settings["remedy"] == list(remedies)
    counts = {row.predictor: row.accuracy for row in result.segments if row.group == ("side", "b")}
    assert counts["mondrian:side"] > counts["base"] - 0.05


def test_a_column_left_out_may_divide_the_rows(table):
    settings = AuditSettings(target="y", remedies=("mondrian:other",), drop=("other", "kind"))
    assert audit(table, settings).names == ["base", "mondrian:other"]


def test_classes_have_thresholds_of_their_own_and_numbers_do_not(table):
    settings = AuditSettings(target="kind", remedies=("label:side",), drop=("y", "other"))
    result = audit(table, settings)
    assert result.names == ["base", "label:side"]
    with pytest.raises(InputError) as refused:
        audit(table, AuditSettings(target="y", remedies=("quantile", "label"), drop=("kind",)))
    assert refused.value.sentence.code == "option.other_task"


@pytest.mark.parametrize(
    ("column", "code"),
    [("sides", "column.unknown"), ("y", "role.of_remedy"), ("side", "role.of_remedy")],
)
def test_columns_that_no_remedy_may_divide_by(table, column, code):
    remedies = (f"mondrian:{column}",)
    settings = AuditSettings(target="y", remedies=remedies, audit_only=("side",), drop=("kind",))
    with pytest.raises(InputError) as refused:
        audit(table, settings)
    assert refused.value.sentence.code == code


def people():
    rng = np.random.default_rng(0)
    sex, age = rng.choice(["F", "M"], 1_200), rng.integers(18, 90, 1_200)
    x = rng.normal(size=1_200)
    y = x + rng.normal(size=1_200) * (1.0 + 2.0 * (age >= 72) + (sex == "F"))
    return pd.DataFrame({"x": x, "y": y, "sex": sex, "age": age})


class TestOverlappingGroups:
    @pytest.mark.parametrize(
        ("named", "keys"),
        [
            ("sex", [{"F", "M"}]),
            ("sex+age", [{"F", "M"}, {0, 1, 2, 3}]),
            ('old+sex+"age < 30 and sex = M"', [{"inside", "outside"}, {"F", "M"}, None]),
        ],
    )
    def test_columns_rules_and_cohorts(self, named, keys):
        table, name = people(), f"groups:{named}"
        rule = parse_remedy(name).made({"cohorts": {"old": "age >= 72"}})
        rule.base = FrozenEstimator(StandardMeasure().fit(table[["x"]], table["y"]))
        known = examples(table[["x"]].to_numpy(), table["y"], **table[["sex", "age"]])
        divisions = rule.fit(known).threshold_rule.divisions
        for division, expected in zip(divisions, keys, strict=True):
            assert expected in (None, set(division.at(known)))

    @pytest.mark.parametrize("by", ["old", "x > 0 and old = 1"])
    def test_a_frame_of_numbers_is_divided_as_a_table(self, by):
        rows = people().assign(old=lambda r: r["age"] >= 72).astype({"old": int})
        X, y = rows[["x", "old"]], rows["y"]
        remedy, known = OverlappingGroups(StandardMeasure(), [by]), examples(X, y, **X)
        icp = InductiveConformalPredictor(remedy).fit(X, y).calibrate(X, y)
        same = InductiveConformalPredictor(remedy).fit(known).calibrate(known)
        np.testing.assert_allclose(icp.predict(X).sizes, same.predict(known).sizes)
        assert len(np.unique(icp.thresholds_.at(as_examples(X)))) == 2
        for ask in (remedy.fit, icp.thresholds_.at):
            with pytest.raises(InputError, match="a matrix has no columns to divide by"):
                ask(as_examples(X.to_numpy(), y.to_numpy()))
        with pytest.raises(InputError, match="no column 'z'; the columns are x, old"):
            remedy.set_params(columns=["z > 0"]).fit(X, y)

    @pytest.mark.long
    def test_an_audit_of_them(self):
        name = "groups:old+sex"
        settings = AuditSettings(
            target="y",
            audit_only=["sex", "age"],
            use_protected=True,
            remedies=[name],
            cohorts={"old": "age >= 72"},
        )
        result = audit(people(), settings)
        assert result.names == ["base", name]
        assert result.predictors[1].title == "thresholds for groups by old+sex"
        share = {(r.variable, r.value): r.accuracy for r in result.of(result.segments, name)}
        assert share["cohort: old", "inside"] > 0.85
        (row,) = (row for row in result.comparisons if row.predictor == name)
        assert row.cost == pytest.approx(math.sqrt(3.0 * 0.09 / result.data.calibration))

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"remedies": ["groups:sex+age"]}, "column 'sex' is audit-only, by which no remedy"),
            ({"remedies": ["groups:x+old"]}, "column 'sex' is audit-only"),
            ({"remedies": ["groups:x+y"], "use_protected": True}, "column 'y' is the label"),
            ({"remedies": ["groups:x+late"], "use_protected": True}, "column 'y' is the label"),
            ({"remedies": ["groups:x+z"]}, "there is no column 'z'"),
            ({"remedies": ['groups:x+"x >= "']}, "the rule 'x >=' cannot be read; a name or value"),
        ],
    )
    def test_columns_that_no_thresholds_may_go_by(self, settings, sentence):
        cohorts = {"old": "x > 0 and sex = F", "late": "y > 0"}
        given = AuditSettings(target="y", audit_only=["sex"], cohorts=cohorts, **settings)
        with pytest.raises(InputError, match=sentence):
            audit(people(), given)

    @pytest.mark.parametrize("name", ["groups", "groups:", "groups@1:a"])
    def test_names_that_cannot_be_read(self, name):
        with pytest.raises(InputError, match="groups"):
            parse_remedy(name)

    def test_one_column_is_mondrian(self, regression):
        group = np.resize(["a", "b", "c"], 200)
        known, new = (examples(*regression(200, seed), group=group) for seed in (1, 2))
        one, other = (
            Mondrian(StandardMeasure(), "group"),
            OverlappingGroups(StandardMeasure(), ["group"]),
        )
        sets = [predictor(remedy, known).predict(new) for remedy in (one, other)]
        np.testing.assert_array_equal(sets[0].lower, sets[1].lower)

    def test_sets_of_labels(self):
        rng = np.random.default_rng(0)
        X, labels = rng.normal(size=(600, 2)), rng.integers(0, 3, 600)
        a, b = rng.random(600) < 0.3, rng.random(600) < 0.5
        known = examples(X, labels, a=a, b=b)
        icp = predictor(OverlappingGroups(ScoringMeasure(), ["a", "b"]), known)
        held = icp.covers(known)
        assert min(held[g].mean() for g in (a, ~a, b, ~b)) >= 0.9 - 1e-9


def test_of_very_many_groups_the_smallest_are_one():
    rng = np.random.default_rng(0)
    code = np.append(np.repeat(np.arange(100), 12), np.arange(100, 1_100)).astype(str)
    X, y = rng.normal(size=(2_200, 1)), rng.normal(size=2_200)
    known = examples(X, y, code=code, sex=np.where(np.arange(2_200) < 1_100, "f", "m"))
    icp = predictor(OverlappingGroups(StandardMeasure(), ["code"]), known)
    scores = icp.measure_.score(known)
    parts = [slice(12), slice(12, 24), slice(1_200, None)]
    expected = [conformal_threshold(scores[part], 0.9) for part in parts]
    assert icp.thresholds_.at(known.part(np.array([0, 13, 2_199]))).tolist() == expected
    _, note = icp.measure_.fit_.notes
    assert "Groups of code: 1100. The 100 with the most" in note
    both = predictor(OverlappingGroups(StandardMeasure(), ["sex", "code"]), known)
    assert both.thresholds_.rule.count(known) == 100  # two, 98, and the others, which meet
    assert len(both.measure_.fit_.notes) == 2
    alone = OverlappingGroups(StandardMeasure(), ["sex"]).fit(known)
    assert len(alone.fit_.notes) == 1
