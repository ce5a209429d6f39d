"""The sentences, each worked out by hand."""

import dataclasses
import math

import pytest

from evencover.core import AuditSettings, audit
from evencover.core.coverage.exchangeability import Drift
from evencover.core.findings.explanations import findings, level_finding, worst_finding
from evencover.core.findings.result import ResultRow
from evencover.core.segments.search.worst_segments import WorstSegmentRow
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


CHANCE = "with no dependence at all, chance would make coverage look at least this uneven in"
SCOPE = (
    "All this sees only coverage that rises or falls steadily with a feature. Where it is off in "
    "the middle of a feature's range, or only where several features meet, the segments tell."
)


def test_clear_evidence_before_and_what_is_left():
    assert findings(BASE, AFTER, 0.9) == [
        (
            f"Before, there is clear evidence that coverage depends on the model's features "
            f"({CHANCE} fewer than 1 of 1,000 cases). Coverage is off 90 % by about 4.4 percentage "
            "points, as a root mean square over the rows (95 % interval 4.0 to 4.9)."
        ),
        (
            f"After, there is some evidence that a dependence is left ({CHANCE} 4.2 % of cases). "
            "Coverage is off 90 % by about 0.7 percentage points, as a root mean square over the "
            "rows (95 % interval 0.0 to 1.3)."
        ),
        (
            "This is what is to be expected of an adjustment of this kind: it carries the chance "
            "of its training rows into every prediction. In figures: the deviation as measured "
            "is 1.1 points, chance among the test rows included; the best adjustment of its kind "
            "from so many training rows would show about 1.2, and a faultless predictor that "
            "needs no adjustment about 0.8. More training rows would lower it."
        ),
        SCOPE,
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
    assert told.startswith(
        f"Before, {words} that coverage depends on the model's features ({CHANCE}"
    )
    assert f"in {100 * p_value:.2g} % of cases" in told


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0099, "a dependence is clearly left"),
        (0.0101, "there is some evidence that a dependence"),
    ],
)
def test_how_sure_after(p_value, words):
    told = findings(BASE, changed(AFTER, p_value=p_value), 0.9)[1]
    assert told.startswith(f"After, {words}")


def test_a_large_p_value_is_not_taken_for_proof():
    both = findings(changed(BASE, p_value=0.31), changed(AFTER, p_value=0.051), 0.9)
    caution = "% of cases; this does not prove that coverage is even). Coverage is off"
    assert all(caution in told for told in both[:2])
    assert all("prove" not in told for told in findings(BASE, AFTER, 0.9))


def test_more_than_noise_is_said():
    told = findings(BASE, changed(AFTER, dcv=0.03, dcv_floor_unadjusted=0.0082, p_value=1e-9), 0.9)
    assert told[1].startswith("After, a dependence is clearly left")
    assert told[2] == (
        "This is more than so many training rows explain: the deviation as measured is 3.0 "
        "points, chance among the test rows included; the best adjustment of its kind from so many "
        "training rows would show about 1.2, and a faultless predictor that needs no adjustment "
        "about 0.8."
    )


def test_an_adjustment_that_makes_it_worse_is_not_excused():
    before = changed(BASE, p_value=0.26, dcv_corrected=0.008, dcv_corrected_high=0.02)
    after = changed(AFTER, p_value=0.013, dcv_corrected=0.027)
    assert findings(before, after, 0.9)[2].startswith(
        "So the adjustment made coverage less even than it was"
    )
    # as large as it may have been before, too
    within = changed(after, dcv_corrected=0.02)
    assert not any("less even" in told for told in findings(before, within, 0.9))


def test_nothing_left_is_said():
    told = findings(BASE, changed(AFTER, p_value=0.4), 0.9)
    assert len(told) == 3
    assert told[1].startswith(f"After, no dependence can be told from chance ({CHANCE} 40 % of")
    assert told[2] == SCOPE


@pytest.mark.parametrize(("accuracy", "word"), [(1.0, "right"), (0.0, "wrong")])
def test_equal_outcomes_after_say_nothing(accuracy, word):
    told = findings(BASE, changed(AFTER, accuracy=accuracy, p_value=math.nan), 0.9)
    assert told[0].startswith("Before, there is clear evidence")
    assert told[1:] == [
        (
            f"After, all prediction sets of the test rows are {word}, so nothing can be said of "
            "how coverage depends on the features."
        )
    ]


@pytest.mark.parametrize(("accuracy", "word"), [(1.0, "right"), (0.0, "wrong")])
def test_equal_outcomes_say_nothing(accuracy, word):
    told = findings(changed(BASE, accuracy=accuracy, p_value=math.nan), AFTER, 0.9)
    assert told == [
        (
            f"Before, all prediction sets of the test rows are {word}, so nothing can be said of "
            "how coverage depends on the features."
        )
    ]


def test_the_level_is_told_apart_with_its_band():
    drift = Drift(0.9, 0.8871, 0.9123, auc=0.5, auc_standard_error=0.01)
    assert level_finding(BASE, changed(AFTER, accuracy=0.8966), drift) == (
        "Overall, the prediction sets of 90.0 % of the test rows hold their label before, and of "
        "89.7 % after; with so many rows chance puts it between 88.7 % and 91.2 % in 99 of 100 "
        "splits."
    )


def rule(words, n=110, base=0.582, low=0.489, high=0.67, adjusted=0.6):
    """A rule with only the figures that are told."""
    fields = dataclasses.fields(WorstSegmentRow)
    told = {"rule": words, "n": n, "accuracy_base": base, "low_base": low, "high_base": high}
    others = {field.name: math.nan for field in fields}
    return WorstSegmentRow(**others | told | {"accuracy_adjusted": adjusted})


def test_the_surest_of_the_worst_segments_is_told():
    low = rule("race = Black and sex = F")
    assert worst_finding([low, rule("x < 3")], [low], 12) == (
        "The search for worst segments finds 2 rules of clearly low coverage before and 1 after, "
        "the surest of them race = Black and sex = F: coverage is 58.2 % before (95 % interval "
        "48.9 % to 67.0 %) and 60.0 % after, of 110 rows that had no part in the search."
    )
    assert "finds 0 rules of clearly low coverage before and 1 after, the surest of them x < 3" in (
        worst_finding([], [rule("x < 3")], 12)
    )


def test_no_worst_segment_is_told_too():
    assert worst_finding([], [], 7) == (
        "The search for worst segments finds none: of its 7 rules, none has clearly low coverage "
        "on the rows that it is judged on, before or after."
    )
    assert worst_finding([], [], 0) == (
        "There is nothing to search for worst segments: too few test rows, or none of them with "
        "clearly more wrong prediction sets than others."
    )


def test_an_audit_brings_them_with_its_own_figures():
    sample = load_sample("houses")
    result = audit(sample.frame.head(3000), AuditSettings(target=sample.target))
    rows = result.row("test", "base"), result.row("test", "ifacm")
    worst = result.worst_found(), result.worst_found("adjusted")
    expected = [
        level_finding(*rows, result.drift),
        *findings(*rows, 0.9),
        worst_finding(*worst, len(result.worst_segments)),
    ]
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


def test_a_very_long_rule_leaves_its_figures_in_sight():
    told = worst_finding([rule("M" * 3000)], [], 1)
    assert "MM…: coverage is 58.2 % before" in told
    assert len(told) < 1000
