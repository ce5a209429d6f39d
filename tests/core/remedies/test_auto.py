"""The remedy that is chosen of several by training rows alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from evencover.core import AuditSettings, Auto, StandardMeasure, audit
from evencover.core.experiment import predictors
from evencover.core.remedies.auto import NOTHING
from evencover.core.rows.examples import as_examples


def noisy(scale, n=1_500, seed=0):
    """Rows whose noise depends on two features as ``scale`` says."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + scale(X) * rng.normal(size=n)


@pytest.mark.parametrize(
    ("scale", "chosen"),
    [
        (lambda X: np.ones(len(X)), {NOTHING}),
        pytest.param(lambda X: np.exp(0.8 * X[:, 0]), {"quantile"}, marks=pytest.mark.long),
        # no line sees this
        pytest.param(
            lambda X: 0.2 + 2.0 * (np.abs(X[:, 0]) > 1.0),
            {"quantile-trees"},
            marks=pytest.mark.long,
        ),
    ],
)
def test_it_takes_what_mends_and_nothing_where_nothing_is_to_be_mended(scale, chosen):
    X, y = noisy(scale)
    auto = Auto(StandardMeasure()).fit(X, y)
    choice = auto.fit_.choice
    assert choice.remedy in chosen
    names = [each.remedy for each in choice.candidates]
    assert names == [NOTHING, "quantile", "quantile-trees", "ifacm"]
    best = {each.remedy: each for each in choice.candidates}
    assert best[choice.remedy].inefficiency <= 1.1 * best[NOTHING].inefficiency
    if choice.remedy != NOTHING:
        assert best[choice.remedy].ert_l2_trees < best[NOTHING].ert_l2_trees
        assert best[choice.remedy].interval_score < best[NOTHING].interval_score
    alone = auto.chosen_.learning_functions(as_examples(X, y)).at(y)
    assert np.array_equal(auto.learning_functions(as_examples(X, y)).at(y), alone)
    assert clone(auto).candidates is None  # parameters stay as they were given


def test_it_chooses_nothing_by_rows_that_are_few_or_in_few_clusters():
    X, y = noisy(lambda X: np.ones(len(X)), n=300)
    clustered = replace(as_examples(X, y), clusters=np.arange(300) % 4)
    for examples in (as_examples(X[:4], y[:4]), clustered):
        auto = Auto(StandardMeasure()).fit(examples)
        (note,) = auto.fit_.notes
        assert "too few training rows, or clusters" in note
        assert auto.chosen_ is auto.base_


@pytest.mark.long
def test_what_it_chooses_has_the_sets_of_that_remedy_beside_it(monkeypatch):
    monkeypatch.setattr(predictors, "AUTO", ("ifacm",))
    rng = np.random.default_rng(0)
    wide = rng.permutation(800) % 2
    frame = pd.DataFrame({"wide": wide, "y": np.where(wide, 3.0, 1.0) * rng.normal(size=800)})
    settings = AuditSettings(target="y", penalty=0.0, measure="standard")
    result = audit(frame, settings)
    assert result.names == ["base", "ifacm", "auto"]
    alone, chosen = (result.predictors[place].fit for place in (1, 2))
    assert chosen.choice.remedy == "ifacm"
    assert len(chosen.layers) == len(alone.layers) > 0
    base, alone, chosen = (result.test_rows.sets[name] for name in result.names)
    assert np.array_equal(chosen.lower, alone.lower)
    assert np.array_equal(chosen.upper, alone.upper)
    assert not np.array_equal(chosen.upper, base.upper)


@pytest.mark.long
def test_the_choice_does_not_see_test_labels():
    rng = np.random.default_rng(0)
    X, y = noisy(lambda X: np.exp(0.8 * X[:, 0]), n=2_000)
    part = rng.choice(["train", "calibration", "test"], len(y), p=[0.5, 0.25, 0.25])
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y, "part": part})
    settings = AuditSettings(
        target="y", split_column="part", remedies=("auto",), measure="standard"
    )
    test, choices = part == "test", []
    for _ in range(2):
        result = audit(frame, settings)
        choices.append(result.predictors[1].fit.choice)
        assert result.predictors[1].title == "auto: quantile adjustment"
        frame.loc[test, "y"] = rng.permutation(frame.loc[test, "y"].to_numpy())
    assert choices[0] == choices[1]
