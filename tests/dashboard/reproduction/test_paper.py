"""The paper's tables as they are kept here, and published figures beside ours."""

import math
from collections import Counter

import numpy as np
import pytest

from evencover.core.conformal.names import MEASURES
from evencover.core.experiment.compared_rows import spread
from evencover.dashboard.reproduction import paper, tables
from evencover.sample_data import REAL


def test_lines_are_those_of_the_table():
    found = paper.paper_lines()
    assert [line.line for line in found] == list(range(1, 31))
    assert Counter(line.data for line in found) == {"covtype": 8, "gpu": 10, "kc": 12}
    line = found[11]
    assert (line.description, line.is_of(paper.Case("gpu", "normalized", 0.9, 0.5))) == (
        "gpu test, ifacm normalized, CL 0.9 C 0.5",
        True,
    )
    assert (line.accuracy, line.inefficiency, line.dcv) == ("0.898", "2.23", "0.00725")


def test_each_line_belongs_to_a_case_of_a_known_sample_and_measure():
    for line in paper.paper_lines():
        of_line = [case for case in paper.paper_cases() if line.is_of(case)]
        assert len(of_line) == (1 if line.penalty is not None else len(of_line))
        assert of_line
        assert paper.SAMPLE_NAMES[line.data] in REAL
        assert line.measure in MEASURES
        assert (line.algorithm == "base") == (line.penalty is None)


def test_layers_and_segments_are_of_cases_in_the_table_of_results():
    assert len(paper.paper_cases()) == 10
    assert paper.paper_cases()[0] == paper.Case("covtype", "scoring", 0.95, 0.0)
    assert paper.Case("gpu", "normalized", 0.99, 0.5) in paper.paper_cases()
    assert len(paper.paper_layers()) == 13
    assert len(paper.paper_segments()) == 10
    assert {layer.case for layer in paper.paper_layers()} <= set(paper.paper_cases())
    assert {segment.case for segment in paper.paper_segments()} <= set(paper.paper_cases())
    first = paper.paper_layers()[0]
    assert (first.layer, first.gamma, first.delta) == (1, "0.644", "0.00002")
    assert sum(s.n for s in paper.paper_segments() if s.variable == "KWG") == 40_000
    assert set(paper.VARIABLES) == {
        s.variable for s in paper.paper_segments() if s.case.data == "covtype"
    }


def test_figures_and_differences_by_hand():
    found = tables.agreement("2.20", [2.1, 2.2, 2.3])
    assert (found.published, found.mean) == (2.2, pytest.approx(2.2, rel=1e-15))
    assert found.sd == pytest.approx(0.1, rel=1e-12)
    # t(0.975; 2) = 4.302653 from a table; half a unit of the last digit printed is 0.005
    assert found.margin == pytest.approx(4.302653 * 0.1 * math.sqrt(4 / 3) + 0.005, rel=1e-6)
    assert found.within is True
    found = tables.agreement("0.05", [0.06, 0.06])
    assert found.difference == pytest.approx(0.01, rel=1e-12)
    assert found.relative == pytest.approx(0.2, rel=1e-12)


def test_half_a_unit_of_the_last_digit_alone_is_allowed_where_ours_do_not_vary():
    for published, unit in (("0.0497", 1e-4), ("0.000949", 1e-6), ("2.20", 1e-2), ("3", 1.0)):
        assert tables.agreement(published, [1.0, 1.0]).margin == pytest.approx(
            unit / 2.0, rel=1e-12
        )
    assert tables.agreement("0.901", [0.9005, 0.9005, 0.9005]).within is True
    assert tables.agreement("0.901", [0.9004, 0.9004]).within is False
    assert tables.agreement("0.901", [0.90005] * 3).sd == 0.0


def test_one_figure_or_none_has_no_spread_to_judge_by():
    for found in (tables.agreement("0.4", ours) for ours in ([], [0.5])):
        assert found.within is None
        assert math.isnan(found.sd)
        assert math.isnan(found.margin)
    assert tables.reach(2) == pytest.approx(12.7062 * math.sqrt(1.5), rel=1e-5)
    assert tables.reach(10**6) == pytest.approx(1.959964, rel=1e-5)
    assert math.isnan(tables.reach(1))


@pytest.mark.long
def test_one_more_figure_is_within_as_often_as_said():
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(4000):
        *ours, other = rng.normal(5.0, 1.0, 5)
        # printed in full: no rounding to speak of
        hits.append(tables.agreement(repr(float(other)), ours).within)
    assert np.mean(hits) == pytest.approx(0.95, abs=3.5 * math.sqrt(0.95 * 0.05 / 4000))


def test_mean_spread_and_relative_change():
    assert math.isnan(tables.mean([]))
    assert math.isnan(spread([1.0]))
    assert math.isnan(spread([1.0, math.inf]))
    assert spread([1.0, 3.0]) == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert tables.relative_change(2.0, 2.5) == 0.25
    for before, after in ((0.0, 1.0), (math.inf, 1.0), (1.0, math.nan), (1.0, math.inf)):
        assert math.isnan(tables.relative_change(before, after))
