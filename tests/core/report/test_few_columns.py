"""Audits of what a model said where there is no feature, and groups that only audits may see."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit


@pytest.fixture(scope="module")
def uneven_by_race():
    """Intervals and predictions of a model, and nothing else but a column for audits alone."""
    rng = np.random.default_rng(0)
    race = rng.choice(["a", "b", "c"], 3000)
    y = rng.normal(size=3000) * np.where(race == "c", 2.0, 1.0)
    return pd.DataFrame({"race": race, "y": y, "low": -1.9, "high": 1.9, "said": 0.0})


def test_given_intervals_need_no_feature(uneven_by_race):
    asked = AuditSettings(target="y", lower="low", upper="high", audit_only=("race",))
    found = audit(uneven_by_race, replace(asked, drop=("said",)))
    assert found.data.features == []
    assert [row.group for row in found.too_low("given")] == [("race", "c")]
    # nothing is said of features, of which there are none
    seen = [f.figures["of"] for f in found.findings if f.kind == "dependence"]
    assert seen == ["race"]
    assert math.isnan(found.row("test", "given").worst_slab_coverage)


def test_without_features_groups_are_mended_by_a_column_for_audits_alone_where_that_is_allowed(
    uneven_by_race,
):
    asked = AuditSettings(
        target="y",
        prediction="said",
        drop=("low", "high"),
        audit_only=("race",),
        remedies=("ifacm", "quantile", "mondrian:race"),
        use_protected=True,
    )
    found = audit(uneven_by_race, asked)
    assert [by.name for by in found.predictors if by.adjusts] == ["mondrian:race"]
    c = {row.predictor: row.status for row in found.segments if row.group == ("race", "c")}
    assert c["mondrian:race"] == "mended"
    with pytest.raises(InputError, match="or allow it by the option use-protected"):
        audit(uneven_by_race, replace(asked, use_protected=False))
