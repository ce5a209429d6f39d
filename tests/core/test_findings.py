"""The sentences, each worked out by hand."""

import dataclasses
import math

import pytest

from evencover.core import AuditSettings, audit
from evencover.core.findings import findings
from evencover.core.result import ResultRow
from evencover.sample_data import load_sample

BASE = ResultRow(
    segment="test",
    algorithm="base",
    accuracy=0.9,
    inefficiency=2.0,
    inefficiency_original_units=2.0,
    dcv=0.045,
    dcv_level=0.0,
    dcv_spread=0.045,
    dcv_floor=0.008,
    dcv_floor_unadjusted=0.008,
    dcv_corrected=0.0444,
    dcv_corrected_low=0.0399,
    dcv_corrected_high=0.0489,
    dcv_crossfitted=0.0436,
    p_value=1e-80,
    ert_l1=0.03,
    ert_over=0.02,
    ert_under=0.01,
    ert_l2=0.0019,
    ert_log=0.01,
    worst_slab_coverage=0.84,
    parameters=15,
    converged=True,
)
AFTER = dataclasses.replace(
    BASE,
    algorithm="ifacm",
    dcv=0.0110,
    dcv_floor=0.0116,
    dcv_corrected=0.0071,
    dcv_corrected_low=0.0,
    dcv_corrected_high=0.0128,
    p_value=0.0425,
)


def changed(row, **changes):
    return dataclasses.replace(row, **changes)


def test_clear_evidence_before_and_what_is_left():
    assert findings(BASE, AFTER, 0.9) == [
        (
            "Before, there is clear evidence that coverage depends on the features (chance "
            "alone would look like this in fewer than 1 of 1,000 cases). For a typical row "
            "coverage is off 90 % by about 4.4 percentage points (95 % interval 4.0 to 4.9)."
        ),
        (
            "After, some dependence is left (chance alone would look like this in 4.2 % of "
            "cases). For a typical row coverage is off 90 % by about 0.7 percentage points (95 % "
            "interval 0.0 to 1.3)."
        ),
        (
            "That is what an adjustment leaves that was fitted on so many training rows: as "
            "measured, 1.1 points, where about 1.2 cannot be avoided. More training rows would "
            "lower it."
        ),
    ]


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0099, "there is clear evidence"),
        (0.03, "there is some evidence"),
        (0.31, "there is no evidence"),
    ],
)
def test_how_sure(p_value, words):
    told = findings(changed(BASE, p_value=p_value), AFTER, 0.9)[0]
    assert told.startswith(f"Before, {words} that coverage depends on the features (chance")
    assert f"in {100 * p_value:.2g} % of cases" in told


def test_more_than_noise_is_said():
    told = findings(BASE, changed(AFTER, dcv=0.03, p_value=1e-9), 0.9)[-1]
    assert told == (
        "That is more than the number of training rows explains: as measured, 3.0 points, where "
        "about 1.2 cannot be avoided."
    )


def test_nothing_left_is_said():
    told = findings(BASE, changed(AFTER, p_value=0.4), 0.9)
    assert len(told) == 2
    assert told[1].startswith("After, no dependence can be told from chance any more (chance alone")


@pytest.mark.parametrize(("accuracy", "word"), [(1.0, "right"), (0.0, "wrong")])
def test_equal_outcomes_say_nothing(accuracy, word):
    told = findings(changed(BASE, accuracy=accuracy, p_value=math.nan), AFTER, 0.9)
    assert told == [
        (
            f"Before, all prediction sets of the test rows are {word}, so nothing can be said of "
            "how coverage depends on the features."
        )
    ]


def test_an_audit_brings_them_with_its_own_figures():
    sample = load_sample("houses")
    result = audit(sample.frame.head(3000), AuditSettings(target=sample.target))
    expected = findings(result.row("test", "base"), result.row("test", "ifacm"), 0.9)
    assert result.findings == expected
    assert result.to_json()["findings"] == expected


def test_no_certainty_is_claimed_on_the_rows_an_adjustment_was_fitted_on():
    sample = load_sample("houses")
    result = audit(sample.frame.head(3000), AuditSettings(target=sample.target))
    assert result.iterations
    row = result.row("training", "ifacm")
    names = ("corrected", "corrected_low", "corrected_high", "crossfitted")
    assert [getattr(row, f"dcv_{name}") for name in names] == [None] * 4
    assert row.p_value is None
    assert result.row("training", "base").p_value is not None
