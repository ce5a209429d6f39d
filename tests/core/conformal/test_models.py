"""Linear and boosted models, scores to learn from, quantiles, adaptive sets, and any estimator."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from mapie.classification import SplitConformalClassifier
from mapie.conformity_scores import APSConformityScore
from mapie.regression import ConformalizedQuantileRegressor
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, QuantileRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from evencover import core
from evencover.core.conformal.models import boosted, weight_argument
from evencover.core.rows.examples import ModelOutputs, as_examples
from evencover.core.rows.folds import FOLDS, fold_numbers

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 3))
Y = np.sin(2.0 * X[:, 0]) + 0.5 * RNG.normal(size=N) * np.exp(0.5 * X[:, 1])
CODES = np.digitize(X[:, 0] + RNG.normal(size=N), [-0.5, 0.5])
ONE, TWO, THREE = (slice(start, start + 100) for start in (0, 100, 200))
TREE = DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
LEAVES = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)


FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(county=np.where(X[:, 2] > 0, "N", "S"))
COUNTY = ColumnTransformer([("county", OneHotEncoder(), ["county"])], remainder="passthrough")
LINE = QuantileRegressor(alpha=0.0)
SECOND = "transformedtargetregressor__regressor__quantile"


def by_hand(model, y, tell, fold):
    """What fits to the other folds say of each row."""
    said = [tell(clone(model).fit(X[fold != k], y[fold != k]), X[fold == k]) for k in range(FOLDS)]
    order = np.argsort(np.concatenate([np.flatnonzero(fold == k) for k in range(FOLDS)]))
    return np.concatenate(said)[order]


class TestLearning:
    def test_scores_are_by_fits_to_the_other_folds(self):
        measure = core.NormalizedMeasure(TREE).fit(X, Y)
        center = by_hand(TREE, Y, lambda m, rows: m.predict(rows), fold_numbers(N))
        found = measure.learning_functions(as_examples(X, Y))
        np.testing.assert_allclose(found.center, center, rtol=1e-12)
        logs = np.log(np.abs(Y - center))
        of_scale = LinearRegression().fit(X, logs).predict(X)
        np.testing.assert_allclose(found.log_scale, of_scale, rtol=1e-9)
        seen = measure.score_functions(X).center
        np.testing.assert_array_equal(seen, clone(TREE).fit(X, Y).predict(X))

    def test_of_classes_they_are_probabilities(self):
        measure = core.ScoringMeasure(LEAVES).fit(X, CODES)
        told = by_hand(LEAVES, CODES, lambda m, rows: m.predict_proba(rows), fold_numbers(N))
        found = measure.learning_functions(as_examples(X, CODES)).matrix
        np.testing.assert_allclose(np.exp(found), told, atol=1e-12)

    def test_clusters_stay_whole(self):
        clusters = np.arange(N) // 10
        examples = replace(as_examples(X, Y), clusters=clusters)
        found = core.StandardMeasure(TREE).fit(examples).learning_functions(examples)
        folds = fold_numbers(N, clusters)
        center = by_hand(TREE, Y, lambda m, rows: m.predict(rows), folds)
        np.testing.assert_allclose(found.center, center, rtol=1e-12)

    def test_examples_are_known_wherever_they_stand_and_others_are_new(self):
        measure = core.StandardMeasure(TREE).fit(X[:200], Y[:200])
        whole = measure.learning_functions(as_examples(X[:200], Y[:200])).center
        order = RNG.permutation(N)
        mixed = measure.learning_functions(as_examples(X[order], Y[order])).center
        back = mixed[np.argsort(order)]
        np.testing.assert_array_equal(back[:200], whole)
        np.testing.assert_array_equal(back[200:], measure.score_functions(X[200:]).center)
        part = FrozenEstimator(measure).learning_functions(as_examples(X, Y).part(np.arange(9)))
        np.testing.assert_array_equal(part.center, whole[:9])

    @pytest.mark.parametrize(
        "model", [None, LinearRegression(), FrozenEstimator(clone(TREE).fit(X, Y))]
    )
    def test_linear_and_fitted_ones_are_taken_as_they_are(self, model):
        measure = core.StandardMeasure(model).fit(X, Y)
        found = measure.learning_functions(as_examples(X, Y)).center
        np.testing.assert_array_equal(found, measure.score_functions(X).center)

    def test_with_fewer_rows_than_folds_or_one_class_elsewhere_there_is_a_fit(self):
        rows = as_examples(X[:3], Y[:3])
        assert np.isfinite(
            core.StandardMeasure(TREE).fit(rows).learning_functions(rows).center
        ).all()
        codes = np.zeros(20, dtype=int)
        codes[7] = 1
        rows = as_examples(X[:20], codes)
        core.ScoringMeasure(boosted("classification", 0)["model"].set_params(max_iter=2)).fit(rows)

    def test_in_sample_scores_of_a_flexible_model_mislead_a_remedy(self):
        """A fully grown tree has no residuals on the rows that it has seen."""
        rng = np.random.default_rng(1)
        rows = rng.normal(size=(4500, 2))
        y = rows[:, 0] + np.exp(rows[:, 1]) * rng.normal(size=4500)
        of = [slice(start, start + 1500) for start in (0, 1500, 3000)]
        gaps = {}
        for kind in (InSample, core.StandardMeasure):
            base = kind(DecisionTreeRegressor(random_state=0))
            remedy = core.QuantileAdjustment(base)
            icp = core.InductiveConformalPredictor(remedy).fit(rows[of[0]], y[of[0]])
            icp.calibrate(rows[of[1]], y[of[1]])
            held, high = icp.covers(rows[of[2]], y[of[2]]), rows[of[2]][:, 1] > 0.0
            gaps[kind] = abs(held[high].mean() - held[~high].mean())
        assert gaps[core.StandardMeasure] < 0.04
        assert gaps[InSample] > 0.08


def test_a_forest_may_stand_in_every_place():
    """It has no truth value before its fit: its length is that of its trees."""
    forest = RandomForestRegressor(2, random_state=0)
    scores = core.NormalizedMeasure(scale_model=forest).fit(X, Y).score_functions(X)
    assert len(np.unique(scores.log_scale)) > N / 10
    assert weight_argument(TransformedTargetRegressor(forest)) == "sample_weight"
    with pytest.raises(core.InputError, match="model RandomForestRegressor has no parameter quan"):
        core.QuantileMeasure(forest).fit(X, Y)


class InSample(core.StandardMeasure):
    """What remedies would learn from without cross-fitting."""

    def learning_functions(self, X):
        return self.score_functions(X)


class TestSpread:
    @pytest.mark.parametrize(("by", "is_one"), [(0.0, True), (1.5, False)])
    @pytest.mark.long
    def test_it_is_what_has_the_better_interval_score(self, by, is_one):
        rng = np.random.default_rng(2)
        rows = rng.normal(size=(600, 2))
        y = rows[:, 0] + np.exp(by * rows[:, 1]) * rng.normal(size=600)
        models = boosted("regression", 0)
        models["model"].set_params(max_iter=20)
        measure = core.NormalizedMeasure(**models, confidence_level=0.9).fit(rows, y)
        assert (measure.log_scale_ is None) is is_one
        (note,) = measure.fit_.notes
        assert ("one width for all" in note) is is_one
        told = measure.learning_functions(as_examples(rows, y))
        scale, error = np.exp(told.log_scale), np.abs(y - told.center)
        score = {}
        for name, sigma in (("chosen", scale), ("one", np.ones(600))):
            half = sigma * np.quantile(error / sigma, 0.9)
            score[name] = np.mean(2.0 * half + 20.0 * np.maximum(error - half, 0.0))
        assert score["chosen"] <= score["one"]
        assert f"{score['chosen']:.4g} with" in note

    def test_a_linear_model_has_no_choice(self):
        one, other = core.NormalizedMeasure(), core.NormalizedMeasure(confidence_level=0.9)
        np.testing.assert_array_equal(one.fit(X, Y).score(X, Y), other.fit(X, Y).score(X, Y))


class TestQuantiles:
    def test_intervals_are_mapie_s_of_the_same_quantiles(self):
        model = HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=10)
        measure = core.QuantileMeasure(model, confidence_level=0.9).fit(X[ONE], Y[ONE])
        icp = core.InductiveConformalPredictor(FrozenEstimator(measure), confidence_level=0.9)
        found = icp.fit(X, Y).calibrate(X[TWO], Y[TWO]).predict(X[THREE])
        middle = clone(model).fit(X[ONE], Y[ONE])
        peer = ConformalizedQuantileRegressor(
            [*measure.quantiles_, middle], confidence_level=0.9, prefit=True
        )
        _, ends = peer.conformalize(X[TWO], Y[TWO]).predict_interval(
            X[THREE], symmetric_correction=True
        )
        np.testing.assert_allclose(found.lower, ends[:, 0, 0], rtol=1e-9)
        np.testing.assert_allclose(found.upper, ends[:, 1, 0], rtol=1e-9)

    @pytest.mark.parametrize(
        ("model", "name"),
        [
            (make_pipeline(StandardScaler(), LINE), "quantileregressor__quantile"),
            (make_pipeline(COUNTY, TransformedTargetRegressor(LINE)), SECOND),
            (GradientBoostingRegressor(loss="quantile", n_estimators=3, random_state=0), "alpha"),
        ],
    )
    def test_the_quantile_is_found_within_a_model(self, model, name):
        rows = FRAME if name == SECOND else X
        functions = core.QuantileMeasure(model, confidence_level=0.8).fit(rows, Y)
        functions = functions.score_functions(rows)
        for end, share in ((functions.lower, 0.1), (functions.upper, 0.9)):
            by_hand = clone(model).set_params(**{name: share}).fit(rows, Y)
            np.testing.assert_allclose(end, by_hand.predict(rows))

    @pytest.mark.parametrize(
        "model",
        [
            LinearRegression(),
            make_pipeline(StandardScaler(), LinearRegression()),
            GradientBoostingRegressor(),
            VotingRegressor([("a", LINE), ("b", LINE)]),
        ],
    )
    def test_a_model_of_no_quantile_is_refused(self, model):
        with pytest.raises(core.InputError, match=r"no parameter quantile .* such as QuantileReg"):
            core.QuantileMeasure(model).fit(X, Y)


class TestAdaptive:
    def test_sets_are_mapie_s_with_the_same_draws(self, monkeypatch):
        model = LogisticRegression().fit(X[ONE], CODES[ONE])
        drawn = lambda _, examples: np.random.RandomState(7).uniform(size=len(examples))  # noqa: E731
        monkeypatch.setattr(core.AdaptiveMeasure, "_uniform", drawn)
        measure = core.AdaptiveMeasure(FrozenEstimator(model))
        icp = core.InductiveConformalPredictor(measure, confidence_level=0.85)
        found = icp.fit(X[ONE], CODES[ONE]).calibrate(X[TWO], CODES[TWO]).predict(X[THREE])
        peer = SplitConformalClassifier(
            model,
            confidence_level=0.85,
            conformity_score=APSConformityScore(),
            prefit=True,
            random_state=7,
        )
        peer.conformalize(X[TWO], CODES[TWO])
        how = {"include_last_label": "randomized"}
        _, sets = peer.predict_set(X[THREE], conformity_score_params=how)
        np.testing.assert_array_equal(found.members, sets[:, :, 0])

    def test_probabilities_of_a_model_elsewhere_give_the_same_sets(self, monkeypatch):
        monkeypatch.setattr(
            core.AdaptiveMeasure, "_uniform", lambda _, rows: 0.3 + 0.0 * rows.X[:, 0]
        )
        model = LogisticRegression().fit(X, CODES)
        inside = core.AdaptiveMeasure(FrozenEstimator(model), never_empty=True).fit(X, CODES)
        said = replace(
            as_examples(X, CODES), outputs=ModelOutputs(probabilities=model.predict_proba(X))
        )
        found = core.GivenProbabilities(adaptive=True, never_empty=True).fit(said)
        expected = inside.score_functions(X).matrix
        np.testing.assert_allclose(found.score_functions(said).matrix, expected)

    def test_draws_for_given_probabilities_hang_on_these_alone(self):
        said = RNG.dirichlet([1.0, 1.0, 1.0], N)
        rows = replace(as_examples(X), outputs=ModelOutputs(probabilities=said))
        measure = core.GivenProbabilities(adaptive=True)
        drawn = measure._uniform(rows)
        assert len(np.unique(drawn)) == N
        np.testing.assert_array_equal(drawn, measure._uniform(replace(rows, X=-X)))

    def test_a_row_has_the_same_set_whatever_others_are_beside_it(self):
        measure = core.AdaptiveMeasure().fit(X, CODES)
        order = RNG.permutation(N)
        whole, other = measure.score_functions(X).matrix, measure.score_functions(X[order]).matrix
        np.testing.assert_array_equal(whole[order], other)
        np.testing.assert_array_equal(measure.score_functions(X[4:5]).matrix[0], whole[4])

    def test_draws_are_uniform(self):
        rows = as_examples(np.arange(40_000.0)[:, None])
        drawn = core.AdaptiveMeasure()._uniform(rows)
        counts = np.histogram(drawn, 20, (0.0, 1.0))[0]
        assert ((counts - 2000.0) ** 2 / 2000.0).sum() < 43.8
        assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02

    @pytest.mark.parametrize("kind", [core.ScoringMeasure, core.AdaptiveMeasure])
    def test_none_is_empty_if_so_chosen(self, kind):
        sizes = {}
        for never in (False, True):
            icp = core.InductiveConformalPredictor(kind(never_empty=never), confidence_level=0.3)
            icp.fit(X[ONE], CODES[ONE]).calibrate(X[TWO], CODES[TWO])
            sizes[never] = icp.predict(X[THREE]).sizes
        assert sizes[False].min() == 0
        assert sizes[True].min() == 1


PIPELINE = make_pipeline(COUNTY, TREE)
NAMES = np.array(["low", "mid", "top"])


class TestAnyEstimator:
    @pytest.mark.parametrize("kind", [core.StandardMeasure, core.NormalizedMeasure])
    def test_a_pipeline_may_take_columns_of_text(self, kind):
        icp = core.InductiveConformalPredictor(kind(PIPELINE), confidence_level=0.8)
        icp.fit(FRAME[ONE], Y[ONE]).calibrate(FRAME[TWO], Y[TWO])
        encoded = FRAME.assign(county=FRAME["county"] == "N").astype(float)
        other = core.InductiveConformalPredictor(kind(TREE, **SCALE[kind]), confidence_level=0.8)
        other.fit(encoded[ONE], Y[ONE]).calibrate(encoded[TWO], Y[TWO])
        assert icp.covers(FRAME[THREE], Y[THREE]).mean() > 0.7
        center = other.measure_.score_functions(encoded).center
        np.testing.assert_allclose(icp.measure_.score_functions(FRAME).center, center)
        with pytest.raises(TypeError, match="column 'county' of X is of type"):
            core.StandardMeasure().fit(FRAME, Y)
        with pytest.raises(TypeError, match="column 'county' of X is of type"):
            core.QuantileAdjustment(kind(PIPELINE)).fit(FRAME, Y)

    @pytest.mark.long
    def test_in_an_audit_it_is_given_the_table_s_columns_and_none_that_is_audit_only(self):
        table, settings = FRAME.assign(y=Y), core.AuditSettings(target="y")
        frozen = core.StandardMeasure(FrozenEstimator(clone(PIPELINE).fit(FRAME, Y)))
        for measure in (core.StandardMeasure(PIPELINE), frozen):
            result = core.audit(table, settings, measure=measure, remedies=["quantile"])
            assert 0.7 < result.row("test", "base").accuracy < 1.0
        hidden = replace(settings, audit_only=("county",))
        with pytest.raises(core.InputError, match="no features here: county"):
            core.audit(table, hidden, measure=frozen, remedies=[])

    @pytest.mark.parametrize("measure", [core.ScoringMeasure(), core.AdaptiveMeasure(LEAVES)])
    def test_labels_may_be_text(self, measure):
        told = core.InductiveConformalPredictor(core.LabelConditional(measure))
        coded = clone(told)
        told.fit(X[ONE], NAMES[CODES[ONE]]).calibrate(X[TWO], NAMES[CODES[TWO]])
        coded.fit(X[ONE], CODES[ONE]).calibrate(X[TWO], CODES[TWO])
        assert told.measure_.base_.classes_.tolist() == NAMES.tolist()
        np.testing.assert_array_equal(told.predict(X).members, coded.predict(X).members)
        np.testing.assert_array_equal(told.covers(X, NAMES[CODES]), coded.covers(X, CODES))
        with pytest.raises(ValueError, match="y holds 'other', and the measure knows"):
            told.covers(X[:1], np.array(["other"]))

    @pytest.mark.parametrize("classes", [[1, 2, 3], ["10", "2", "9"], [-1.0, 0.0, 1.0]])
    def test_a_fitted_classifier_keeps_its_classes(self, classes):
        labels = np.array(classes)[CODES]
        model = FrozenEstimator(clone(LEAVES).fit(X[ONE], labels[ONE]))
        told = model.predict_proba(X)
        by_value = core.ScoringMeasure(model).fit(X[TWO], labels[TWO])
        assert by_value.classes_.tolist() == np.unique(labels).tolist()
        np.testing.assert_allclose(np.exp(by_value.score_functions(X).matrix), told, atol=1e-12)
        table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=labels)
        settings = core.AuditSettings(target="y", task="classification")
        frozen = FrozenEstimator(clone(LEAVES).fit(table[["a", "b", "c"]], labels))
        row = core.audit(table, settings, measure=core.ScoringMeasure(frozen), remedies=[]).row(
            "test", "base"
        )
        assert row.inefficiency < 2.0

    @pytest.mark.parametrize(
        ("named", "places", "note"),
        [
            (["low", "mid", "top"], [0, 1, 2], None),
            (["top", "low", "mid"], [1, 2, 0], None),
            (["a", "b", "c"], [0, 1, 2], "codes of the labels: 0 for a, 1 for b, 2 for c."),
            (["low", "mid", "new", "top"], [0, 1, 3], "not know, which only .* hold: new."),
        ],
    )
    def test_classes_of_a_fitted_one_are_known_by_name_or_code(self, named, places, note):
        labels = CODES if named[0] == "a" else NAMES[CODES]
        model = FrozenEstimator(clone(LEAVES).fit(X, labels))
        measure = core.ScoringMeasure(model, n_labels=len(named), names=named)
        matrix = measure.fit(X, np.array(places)[CODES]).score_functions(X).matrix
        np.testing.assert_allclose(np.exp(matrix)[:, places], model.predict_proba(X), atol=1e-12)
        assert np.isneginf(np.delete(matrix, places, axis=1)).all()
        assert [bool(re.search(note or "", said)) for said in measure.fit_.notes] == [True] * bool(
            note
        )

    @pytest.mark.parametrize(
        ("told", "named", "said"),
        [
            (
                ["Hoch", "Mittel", "Tief"],
                ["low", "mid", "top"],
                "Hoch, Mittel, Tief.* low, mid, top",
            ),
            (["low", "mid", "zzz"], ["low", "mid", "top"], "low, mid, zzz, and the labels are low"),
            ([0, 1, 2], ["a", "b", "c", "d"], "classes 0, 1, 2, and the labels are a, b, c, d"),
            ([1, 2, 3], ["a", "b", "c"], "classes 1, 2, 3, and the labels are a, b, c"),
            (["low", "mid", "top"], None, "classes low, mid, top, and the labels are 0, 1; give"),
            (["Hoch", "Mittel", "Tief"], None, "Hoch, Mittel, Tief, and the labels are low, mid"),
        ],
    )
    def test_classes_that_are_no_labels_are_refused(self, told, named, said):
        model = FrozenEstimator(clone(LEAVES).fit(X, np.array(told)[CODES]))
        labels = NAMES[CODES] if (named, told[0]) == (None, "Hoch") else CODES
        size = {} if named is None else {"names": named, "n_labels": len(named)}
        if (named, told[0]) == (None, "low"):
            labels = (CODES > 0).astype(int)
        with pytest.raises(core.InputError, match=said):
            core.ScoringMeasure(model, **size).fit(X, labels)

    @pytest.mark.parametrize(
        ("model", "name"),
        [
            (TREE, "sample_weight"),
            (make_pipeline(StandardScaler(), TREE), "decisiontreeregressor__sample_weight"),
            (TransformedTargetRegressor(TREE), "sample_weight"),
            (GridSearchCV(TREE, {}), "sample_weight"),
            (KNeighborsRegressor(), None),
            (make_pipeline(StandardScaler(), KNeighborsRegressor()), None),
        ],
    )
    def test_weights_reach_what_takes_them(self, model, name):
        assert weight_argument(model) == name
        weights = RNG.integers(0, 3, N)
        if name is None:
            with pytest.raises(TypeError, match="takes no weights"):
                core.StandardMeasure(model).fit(X, Y, sample_weight=weights)
            return
        found = core.StandardMeasure(model).fit(X, Y, sample_weight=weights)
        kept = weights > 0
        expected = clone(model).fit(X[kept], Y[kept], **{name: weights[kept]}).predict(X)
        np.testing.assert_allclose(found.score_functions(X).center, expected)

    def test_weights_are_those_of_examples_everywhere(self):
        weights = RNG.integers(1, 4, N).astype(float)
        examples = replace(as_examples(X, Y), weights=weights)
        one = core.InductiveConformalPredictor(core.QuantileAdjustment(core.NormalizedMeasure()))
        other = clone(one).fit(examples).calibrate(examples)
        one.fit(X, Y, sample_weight=weights).calibrate(X, Y, sample_weight=weights)
        np.testing.assert_array_equal(one.thresholds_.table, other.thresholds_.table)
        for wrong in (-weights, weights[1:], 0.0 * weights):
            with pytest.raises(ValueError, match="sample_weight is to be 300 numbers"):
                one.fit(X, Y, sample_weight=wrong)


SCALE = {core.StandardMeasure: {}, core.NormalizedMeasure: {"scale_model": TREE}}


@pytest.fixture(scope="module")
def bent():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 1000))
    return pd.DataFrame({"a": a, "b": b, "y": np.abs(2.0 * a) + 0.5 * rng.normal(size=1000)})


class TestAudit:
    @pytest.mark.long
    def test_a_hint_tells_of_boosted_trees_only_where_they_are_better(self, bent):
        settings = core.AuditSettings(target="y", remedies=("none",))
        (found,) = [h for h in core.audit(bent, settings).hints if h.kind == "model"]
        assert found.changes == {"model": "boosting"}
        straight = bent.assign(y=bent["y"] - np.abs(2.0 * bent["a"]) + bent["a"])
        assert "model" not in {h.kind for h in core.audit(straight, settings).hints}

    @pytest.mark.long
    def test_boosting_is_narrower_there_and_the_same_again(self, bent):
        linear = core.AuditSettings(target="y", remedies=("quantile",))
        boosting = replace(linear, model="boosting")
        results = [core.audit(bent, each) for each in (linear, boosting, boosting)]
        of_test = [result.row("test", "base") for result in results]
        assert of_test[1].inefficiency < 0.6 * of_test[0].inefficiency
        assert results[1].results == results[2].results
        train = results[1].row("training", "base").inefficiency
        assert train == pytest.approx(of_test[1].inefficiency, rel=0.2)  # as by rows not seen
        assert results[1].settings["model"] == "boosting"
        assert "model" not in {hint.kind for hint in results[1].hints}

    @pytest.mark.parametrize(
        ("measure", "model"),
        [
            pytest.param("quantiles", "boosting", marks=pytest.mark.long),
            ("standard", "linear"),
        ],
    )
    def test_measures_by_name(self, bent, measure, model):
        settings = core.AuditSettings(target="y", remedies=("none",), measure=measure)
        result = core.audit(bent, settings)
        assert result.settings["model"] == model
        assert 0.8 < result.row("test", "base").accuracy < 1.0
