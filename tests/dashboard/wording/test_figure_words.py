"""Figures in words: the three that matter, and what a run has done."""

from dataclasses import replace

import numpy as np
import pytest

from evencover.dashboard.wording.figure_words import finished, key_figures


def scaled(result, factor):
    """The result as of a label in other units."""
    rows = [
        replace(row, inefficiency_original_units=row.inefficiency_original_units * factor)
        for row in result.results
    ]
    return replace(result, results=rows)


@pytest.mark.parametrize(
    ("factor", "before", "after"),
    [(1.0, "5.472", "8.899"), (1000.0, "5,472", "8,899"), (0.001, "0.005472", "0.008899")],
)
def test_the_size_is_told_in_the_labels_own_units(result, factor, before, after):
    size = key_figures(scaled(result, factor))[1]
    assert size.name == "Test mean width, label's units"
    assert size.value == after
    # in units of the label the mean is moved by few rows, so what is told is the median row's own
    sets = result.test_rows.sets
    before_it, after_it = (sets[name].upper - sets[name].lower for name in ("base", "ifacm"))
    median = 100.0 * (np.median(after_it / before_it) - 1.0)
    assert size.detail == f"before {before}, the median row {median:+.1f} %"


def test_layers_are_counted_by_adjustment():
    several = {"IFACM": 3, "guarded IFACM": 0}
    assert finished(several, 1.04, stopped=False) == (
        "The run is finished: 3 layers of IFACM and no layer of guarded IFACM accepted, in 1.0 s."
    )
    one = finished({"IFACM": 1}, 2.0, stopped=True)
    assert one == "The run was stopped: 1 layer of IFACM accepted, in 2.0 s."
    assert finished({}, 2.0, stopped=False) == "The run is finished, in 2.0 s."
