"""ERT, worst slab and coverage by group, beside values that covmetrics and MAPIE gave.

``tests/benchmarks/reference_values.py`` writes them, and says where those packages are wrong.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reference_data as data
from rows import held, segment_row

from evencover.core.conformal.rank import CoverageLaw
from evencover.core.coverage.diagnosis import SLAB_SHARE, excess_risk, worst_slab
from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.by_segment import gap_rows, size_strata

VALUES = json.loads(Path(__file__).with_name("reference_values.json").read_text())
ERT, SLAB, GROUPS, SIZES = (
    VALUES[part] for part in ("ert", "worst_slab", "groups", "size_stratified")
)
EXACT = {"rel": 1e-12, "abs": 1e-14}


def lowest(X, correct, direction):
    return correct[worst_slab(X, correct, direction[None]).holds(X)].mean()


class TestExcessRisk:
    def found(self):
        _, correct = data.judged_rows()
        return excess_risk(data.predictions(), held(correct), data.LEVEL)

    @pytest.mark.parametrize("name", ["l1", "over", "under", "l2", "log"])
    def test_it_is_that_of_covmetrics(self, name):
        assert getattr(self.found(), name) == pytest.approx(ERT[name], **EXACT)

    def test_over_its_folds_the_mean_is_the_same_and_of_torch_tensors_the_sign_is_wrong(
        self,
    ):
        assert self.found().l1 == pytest.approx(ERT["l1_by_folds"], **EXACT)
        assert ERT["log_of_torch_as_published"] == pytest.approx(-self.found().log, rel=1e-5)


class TestWorstSlab:
    def test_the_share_is_the_same(self):
        assert data.SLAB_SHARE == SLAB_SHARE

    @pytest.mark.parametrize("number", range(len(SLAB["lowest"])))
    def test_it_is_that_of_covmetrics_along_each_direction(self, number):
        X, correct = data.judged_rows()
        direction = data.slab_directions()[number]
        assert lowest(X, correct, direction) == pytest.approx(SLAB["lowest"][number], **EXACT)

    def test_over_all_directions_it_is_the_same_slab_one_row_longer_than_published(self):
        X, correct = data.judged_rows()
        worst = int(np.argmin(SLAB["lowest"]))
        slab = worst_slab(X, correct, data.slab_directions())
        assert slab.direction == pytest.approx(data.slab_directions()[worst], rel=1e-12)
        assert slab.low == pytest.approx(SLAB["low"][worst], rel=1e-9)
        assert slab.high == pytest.approx(SLAB["high"][worst], rel=1e-9)
        along = X @ slab.direction
        left_out = (along > SLAB["high_as_published"][worst] + 1e-9) & slab.holds(X)
        assert left_out.sum() == 1

    def test_found_on_one_half_it_is_judged_alike_on_the_other(self):
        X, correct = data.judged_rows()
        slab = worst_slab(X[::2], correct[::2], data.slab_directions())
        expected = data.slab_directions()[SLAB["direction_of_half"]]
        assert slab.direction == pytest.approx(expected, rel=1e-12)
        found = correct[::2][slab.holds(X[::2])].mean()
        assert found == pytest.approx(SLAB["lowest_of_half"], **EXACT)
        judged = correct[1::2][slab.holds(X[1::2])].mean()
        assert judged == pytest.approx(SLAB["judged_on_other_half"], **EXACT)

    def test_with_ties_covmetrics_counts_what_no_plane_divides(self):
        X, correct = data.tied_rows()
        ours = np.array([lowest(X, correct, direction) for direction in data.slab_directions()])
        published = np.array(SLAB["tied_lowest_as_published"])
        assert (published <= ours + 1e-12).all()
        assert (published < ours - 1e-3).sum() >= 3


def by_size(correct, sizes, largest):
    found = size_strata("base", Outcomes(correct, sizes, largest))
    return np.array([row.accuracy for row in found]), [row.n for row in found]


class TestCoverageByGroup:
    def test_the_gap_over_groups_is_that_of_covmetrics(self):
        _, correct = data.judged_rows()
        by_group = pd.Series(correct).groupby(data.groups()).agg(["size", "mean"])
        segments = [
            segment_row("base", "group", str(group), n, accuracy)
            for group, n, accuracy in by_group.itertuples()
        ]
        (found,) = gap_rows(segments, CoverageLaw(data.LEVEL), {})
        assert found.groups == len(segments)
        assert found.coverage_gap_unweighted == pytest.approx(GROUPS["coverage_gap"], **EXACT)
        assert found.coverage_gap == pytest.approx(GROUPS["weighted_coverage_gap"], **EXACT)
        assert found.lowest == pytest.approx(GROUPS["lowest"], **EXACT)

    def test_by_set_size_it_is_that_of_mapie_and_covmetrics(self):
        y, sets = data.label_sets()
        accuracy, _ = by_size(sets[np.arange(len(y)), y], sets.sum(axis=1), sets.shape[1])
        assert accuracy == pytest.approx(SIZES["label_sets"], **EXACT)
        assert accuracy.min() == pytest.approx(SIZES["label_sets_lowest"], **EXACT)
        gap = np.abs(accuracy - data.LEVEL).mean()
        assert gap == pytest.approx(SIZES["label_sets_coverage_gap"], **EXACT)

    def test_by_quarter_of_the_widths_it_is_that_of_mapie(self):
        y, bounds = data.intervals()
        low, high = bounds.T
        accuracy, n = by_size((low <= y) & (y <= high), high - low, math.inf)
        assert n == [60] * 4
        assert accuracy == pytest.approx(SIZES["intervals_by_quarter"], **EXACT)
