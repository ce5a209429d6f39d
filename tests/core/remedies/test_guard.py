"""The guard: nothing where nothing is known to be uneven, and else what other rows bear out."""

import numpy as np
import pytest
from rows import held
from sklearn.frozen import FrozenEstimator

from evencover.core import IFACM, Guarded, LogisticEstimator, QuantileAdjustment, StandardMeasure
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.coverage.null_model import score_test
from evencover.core.remedies.guard import STRENGTHS
from evencover.core.rows.examples import as_examples
from evencover.core.rows.folds import FOLDS, fold_numbers


def draw(n, seed, raised=1.0):
    """A straight line, with noise so many times as large where the first feature is high."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    sd = np.where(X[:, 0] > 1.0, raised, 1.0)
    return X, X @ [1.0, -0.5, 0.25, 0.0] + sd * rng.normal(size=n)


def base(X, y):
    return FrozenEstimator(StandardMeasure().fit(X, y))


def test_an_even_predictor_is_left_alone():
    X, y = draw(600, 1)
    measure = base(X, y)
    guarded = Guarded(QuantileAdjustment(measure)).fit(X, y)
    scores = measure.score(X, y)
    p_value = score_test(X, held(scores >= conformal_threshold(scores, 0.9)))
    assert guarded.p_value_ == p_value > 0.05
    assert (guarded.strength_, guarded.fit_.terms) == (0.0, 0)
    assert guarded.score(X, y).tolist() == scores.tolist()
    (note,) = guarded.fit_.notes
    assert note.code == "guard.even"
    assert "the guarded quantile adjustment is not applied" in str(note)


def test_where_all_sets_are_right_there_is_nothing_to_test():
    X, y = draw(40, 1)
    guarded = Guarded(IFACM(base(X, y), confidence_level=0.99)).fit(X, y)
    assert np.isnan(guarded.p_value_)
    assert (guarded.adjustment(X) == 0.0).all()
    (note,) = guarded.fit_.notes
    assert note.code == "guard.holds-all"
    assert "nothing for guarded IFACM to adjust" in note


@pytest.mark.long
def test_an_uneven_one_is_adjusted_as_far_as_other_rows_bear_out():
    X, y = draw(1500, 2, raised=2.5)
    measure = base(X, y)
    guarded = Guarded(QuantileAdjustment(measure)).fit(X, y)
    assert guarded.p_value_ == 0.001  # of 999 draws
    scores, fold = measure.score(X, y), fold_numbers(len(X))
    losses = np.zeros((len(STRENGTHS), len(X)))
    for number in range(FOLDS):
        inside = fold == number
        fitted = QuantileAdjustment(measure).fit(X[~inside], y[~inside])
        for place, strength in enumerate(STRENGTHS):
            shifted = scores[inside] + strength * fitted.adjustment(X[inside])
            # the least loss about any one number, which one of the scores has
            off = [shifted - at for at in np.sort(shifted)[25:35]]
            each = [np.where(u < 0.0, -0.9 * u, 0.1 * u) for u in off]
            losses[place, inside] = min(each, key=np.sum)
    behind = losses - losses[np.argmin(losses.sum(axis=1))]
    good = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(len(X))
    assert guarded.strength_ == max(np.array(STRENGTHS)[good]) > 0.5
    whole = QuantileAdjustment(measure).fit(X, y)
    assert guarded.adjustment(X) == pytest.approx(guarded.strength_ * whole.adjustment(X))
    assert guarded.fit_.terms == whole.fit_.terms
    assert guarded.fit_.notes[0].code == "guard.strength"


def test_layers_are_those_of_the_adjustment_times_the_strength():
    X, y = draw(500, 3, raised=2.5)
    measure = base(X, y)
    guarded, free = Guarded(IFACM(measure)).fit(X, y), IFACM(measure).fit(X, y)
    assert 0.0 < guarded.strength_ <= 1.0
    assert guarded.steps(X) == pytest.approx(guarded.strength_ * free.steps(X))
    assert len(guarded.fit_.layers) == len(free.fit_.layers) > 0
    scores, shifts = measure.score(X, y), np.cumsum(guarded.steps(X), axis=0)
    for told, found, shift in zip(guarded.fit_.layers, free.fit_.layers, shifts, strict=True):
        assert told.gamma == pytest.approx(guarded.strength_ * found.gamma)
        correct = scores + shift >= conformal_threshold(scores + shift, 0.9)
        p = LogisticEstimator().fit(X, correct).predict(X)
        assert told.dcv == pytest.approx(np.sqrt(np.mean((p - 0.9) ** 2)), rel=1e-5)


def test_notes_of_what_it_guards_name_it_as_guarded():
    X, y = draw(500, 3, raised=2.5)
    guarded = Guarded(IFACM(base(X, y), max_layers=1)).fit(X, y)
    strength, bound = guarded.fit_.notes
    assert (strength.code, bound.code) == ("guard.strength", "ifacm.at_bound")
    assert bound.values["title"] == "guarded IFACM"
    assert "(guarded IFACM) ended at its bound of 1 layer" in bound


def test_stopped_it_changes_nothing():
    X, y = draw(500, 3, raised=2.5)
    guarded = Guarded(QuantileAdjustment(base(X, y))).fit(X, y, should_stop=lambda: True)
    assert guarded.fit_.stopped
    assert (guarded.adjustment(X) == 0.0).all()
    assert guarded.fit_.notes[0].code == "guard.stopped"


@pytest.mark.long
def test_a_measure_that_is_not_fitted_is_fitted_once_on_all_rows():
    X, y = draw(500, 3, raised=2.5)
    plain = Guarded(QuantileAdjustment(StandardMeasure())).fit(X, y)
    frozen = Guarded(QuantileAdjustment(base(X, y))).fit(as_examples(X, y))
    assert plain.strength_ == frozen.strength_
    assert plain.adjustment(X).tolist() == frozen.adjustment(X).tolist()


class Noise(QuantileAdjustment):
    """Adjusts by what has nothing to do with the outcomes."""

    def adjustment(self, X):
        return 5.0 * np.random.default_rng(len(X)).normal(size=len(X))


def test_what_only_harms_other_rows_is_not_applied():
    X, y = draw(500, 3, raised=2.5)
    guarded = Guarded(Noise(base(X, y))).fit(X, y)
    assert guarded.p_value_ < 0.05
    assert (guarded.strength_, guarded.fit_.terms) == (0.0, 0)
    assert (guarded.adjustment(X) == 0.0).all()


@pytest.mark.long
def test_it_holds_its_level_and_keeps_most_of_the_gain():
    even = [Guarded(QuantileAdjustment(base(*draw(400, s)))).fit(*draw(400, s)) for s in range(40)]
    assert sum(g.strength_ > 0.0 for g in even) <= 6  # 2 expected; 7 or more in 1 run of 300
    uneven = [draw(1000, s, raised=2.0) for s in range(4)]
    strengths = [Guarded(QuantileAdjustment(base(*rows))).fit(*rows).strength_ for rows in uneven]
    assert np.mean(strengths) > 0.9
