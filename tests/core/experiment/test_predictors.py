"""What an audit is of: any list of predictors, each on the same rows in the same way."""

import dataclasses
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fakes import BASE, OWN, QUANTILE, SEVERAL, audits_of, houses_with_intervals

from evencover.core import AuditSettings, Fit, audit, to_json

pytestmark = pytest.mark.long

SETTINGS = AuditSettings(target="price", drop=("lower", "upper"), remedies=("ifacm",))


@pytest.fixture(scope="module")
def houses():
    return houses_with_intervals(1500)


@pytest.fixture(scope="module")
def several(houses):
    with audits_of(*SEVERAL):
        return audit(houses, SETTINGS)


def test_each_predictor_has_its_rows(several):
    assert several.names == ["base", "ifacm", "own", "quantile", "mondrian:county"]
    subsets = {
        name: [r.subset for r in several.results if r.predictor == name] for name in several.names
    }
    both = ["training", "test"]
    assert subsets == {name: ["test"] if name == "own" else both for name in several.names}
    for rows in (several.segments, several.gaps, several.worst_segments):
        groups = {name: [row.group for row in several.of(rows, name)] for name in several.names}
        assert all(found == groups["base"] for found in groups.values())
        assert groups["base"]


def test_figures_of_the_first_two_do_not_hang_on_the_others(several, houses):
    alone = to_json(audit(houses, SETTINGS))
    told = to_json(several)
    assert told["iterations"]
    for row in (*alone["iterations"], *told["iterations"]):
        del row["seconds"]
    assert told["iterations"] == alone["iterations"]
    two = {"base", "ifacm"}
    assert [row for row in told["results"] if row["algorithm"] in two] == alone["results"]
    for more, less in zip(told["segments"], alone["segments"], strict=True):
        del less["explained_by_base"], less["explained_by_adjusted"]  # by a rule found for others
        assert {name: more[name] for name in less} == less
        assert 0.0 <= (more["accuracy_mondrian:county"] or 0.0) <= 1.0


def test_coverage_by_a_threshold_for_each_group_is_counted_by_hand(several):
    rows = [
        r for r in several.segments if (r.predictor, r.variable) == ("mondrian:county", "county")
    ]
    assert sum(row.n * row.accuracy for row in rows) == pytest.approx(
        several.row("test", "mondrian:county").accuracy * several.data.test
    )
    devon = {r.predictor: r.accuracy for r in several.segments if r.group == ("county", "Devon")}
    assert devon["mondrian:county"] > devon["base"]
    assert several.predictors[4].guarantee.startswith("For the rows of each group")


def test_ready_made_intervals_need_no_other_predictor_and_no_training_rows(houses):
    result = audit(houses, AuditSettings(target="price", lower="lower", upper="upper"))
    assert result.names == ["given"]
    assert (result.data.train, result.data.calibration, result.data.test) == (0, 0, len(houses))
    assert result.too_low("given")[0].group == ("county", "Devon")
    assert "Devon" in result.headline[0]
    told = " ".join([*result.headline, *result.explanations, *result.notes])
    for word in ("adjustment", " before", " after", "training", "calibration rows"):
        assert word not in told
    plain = json.loads(json.dumps(to_json(result)))
    assert {row["segment"] for row in (*plain["results"], *plain["coefficients"])} == {"test"}
    assert (plain["iterations"], plain["drift"]["auc"]) == ([], None)
    assert (plain["settings"]["split"], plain["settings"]["measure"]) == (None, None)
    assert "accuracy_base" in plain["segments"][0]
    assert "accuracy_adjusted" not in plain["segments"][0]
    assert "base_model" not in plain["seconds"]


def test_a_second_remedy_is_told_apart_in_words(several):
    remedies = [finding for finding in several.findings if finding.topic == "remedy"]
    effects = [finding.predictor for finding in remedies if finding.kind.startswith("effect")]
    assert effects == ["ifacm", "own", "quantile", "mondrian:county"]
    assert several.adjustments == effects
    assert any("(quantile adjustment)" in paragraph for paragraph in several.headline)


def test_a_repeat_has_every_predictor(houses):
    with audits_of(BASE, OWN, QUANTILE):
        result = audit(houses.head(500), dataclasses.replace(SETTINGS, repeats=2))
    found = {row["algorithm"] for row in result.repeats.results}
    assert found == {"base", "own", "quantile"}
    assert "accuracy_quantile_mean" in result.repeats.segments[0]


def test_an_adjustment_without_layers_says_why():
    """Nearly sure for four rows of five, a toss for the others: even coverage costs size."""
    rng = np.random.default_rng(0)
    x, rare = rng.normal(size=1000), rng.random(1000) < 0.2
    share = np.where(rare, 0.6, 1.0 / (1.0 + np.exp(-6.0 * x - 6.0)))
    kind = np.where(rng.random(1000) < share, "yes", "no")
    frame = pd.DataFrame({"x": x, "rare": rare.astype(int), "kind": kind})
    settings = AuditSettings(target="kind", confidence_level=0.75, remedies=("ifacm",))
    vain = audit(frame, replace(settings, penalty=500.0))
    base, ifacm = vain.predictors
    assert base.fit == Fit()
    assert ifacm.fit.no_layer_reason == "penalty"
    assert not ifacm.adjusts
    assert to_json(vain)["predictors"][1]["suggested_penalty"] == ifacm.fit.suggested_penalty
    again = audit(frame, replace(settings, penalty=ifacm.fit.suggested_penalty))
    assert again.iterations
    assert again.predictors[1].fit.no_layer_reason == ""


def test_penalty_goes_by_the_label_unless_it_is_given(houses):
    few = houses.head(300)
    settings = AuditSettings(target="county", drop=("lower", "upper"), remedies=("ifacm",))
    result = audit(few, settings)
    assert result.settings["c"] == 0.1
    # by their texts, as a slab of few rows has NaN, which equals nothing
    assert repr(result.results) == repr(audit(few, replace(settings, penalty=0.1)).results)
    assert replace(settings, target="price").penalty_for("regression") == 0.5
