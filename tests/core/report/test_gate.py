"""Rules on which a pipeline fails, judged against figures worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from evencover.core import AuditSettings, InputError, audit
from evencover.core.report.gate import Gate, Measured, judge, overall


@pytest.fixture(scope="module")
def result():
    """An audit of 1,200 rows of which those with sex = F have errors three times as large."""
    rng = np.random.default_rng(4)
    n = 1200
    sex, x = rng.choice(["F", "M"], n, p=[0.3, 0.7]), rng.normal(size=n)
    y = x + rng.normal(size=n) * np.where(sex == "F", 3.0, 1.0)
    table = pd.DataFrame({"x": x, "sex": sex, "y": y})
    return audit(table, AuditSettings(target="y", measure="standard", audit_only=("sex",)))


def outcome(result, rule):
    return judge(result, [rule])[0].outcome


def test_coverage_of_a_condition_is_judged_by_its_wilson_interval(result):
    correct = result.test_rows.outcomes["base"].correct
    inside = (result.test_rows.table.frame["sex"] == "F").to_numpy()
    low, high = proportion_confint(correct[inside].sum(), inside.sum(), method="wilson")
    found = judge(result, ["coverage(sex = F) < 0.5"])[0].found
    assert found.value == pytest.approx(correct[inside].mean())
    assert (found.low, found.high) == pytest.approx((low, high))
    assert outcome(result, f"coverage(sex = F) < {high + 0.001}") == "broken"
    assert outcome(result, f"coverage(sex = F) < {100 * (low - 0.001)} %") == "kept"
    assert outcome(result, f"coverage(sex = F) < {found.value}") == "unsure"


def test_a_line_says_what_was_found_and_how_far_it_is_from_the_bound(result):
    share = result.test_rows.outcomes["base"].correct.mean()
    (line,) = (verdict.sentence for verdict in judge(result, ["coverage < 0.2"]))
    said = f"coverage of 360 test rows is {100.0 * share:.1f} % ("
    assert line.startswith(f"'coverage < 0.2': passes; {said}")
    assert line.endswith(f", {100.0 * (share - 0.2):.1f} points from the bound")
    row = result.row("test", "base")
    (line,) = (verdict.sentence for verdict in judge(result, ["dcv > 2*floor"]))
    by, bound = abs(row.dcv - 2.0 * row.dcv_floor), 2.0 * row.dcv_floor
    assert line.endswith(f", {by:.4g} from the bound {bound:.4g}")


def test_signs_turn_the_sides_and_names_in_front_tell_of_whom(result):
    low = judge(result, ["coverage(sex = F) > 0.1"])[0].found.low
    assert outcome(result, f"coverage(sex = F) > {low - 0.001}") == "broken"
    assert outcome(result, "coverage(sex = F) > 0.999") == "kept"
    after = judge(result, ["ifacm.coverage < 0.5"])[0].found
    assert after.value == result.row("test", "ifacm").accuracy


def test_low_segments_are_those_of_the_result(result):
    low = len(result.too_low("base"))
    assert low >= 1
    rules = {"low-segments > 0": "broken", f"low-segments > {low}": "kept"}
    rules |= {f"low-segments >= {low}": "broken", f"low-segments >= {low + 1}": "kept"}
    assert {rule: outcome(result, rule) for rule in rules} == rules
    # what was found is no value of the table's, so that the line is not cut as one
    (verdict,) = judge(result, ["low-segments > 0"])
    worst = result.too_low("base")[0]
    assert verdict.sentence.endswith(f" with {100 * worst.accuracy:.1f} %, 1 from the bound 0")


def test_gap_is_the_distance_from_zero_whatever_its_sign(result):
    row = next(r for r in result.of(result.gaps, "base") if r.variable == "sex")
    assert row.gap_high < 0.0
    found = judge(result, ["gap(sex) > 0.05"])[0]
    assert found.found.value == -row.gap
    low, high = -row.gap_high, -row.gap_low
    assert (found.found.low, found.found.high) == (low, high)
    of = f"by {-100 * row.gap:.1f} points ({100 * low:.1f} to {100 * high:.1f}), "
    assert f"'F' differs from 'M' {of}" in found.sentence


def test_dcv_is_judged_by_the_interval_of_what_is_behind_it(result):
    row = result.row("test", "base")
    # broken where the lower end of the corrected DCV alone would make rows show twice the floor
    shows = math.hypot(row.dcv_corrected_low, row.dcv_floor_unadjusted)
    expected = "broken" if shows > 2.0 * row.dcv_floor else "unsure"
    assert outcome(result, "dcv > 2*floor") == expected
    assert outcome(result, f"dcv > {shows - 1e-6:.8f}") == "broken"
    assert outcome(result, "dcv > 0.9") == "kept"


def test_one_broken_rule_outweighs_an_unsure_one(result):
    share = result.row("test", "base").accuracy
    unsure, broken, kept = f"coverage < {share}", "low-segments > 0", "coverage < 0.1"
    assert overall(judge(result, [kept, unsure])) == "unsure"
    assert overall(judge(result, [kept, unsure, broken])) == "broken"
    assert overall(judge(result, [kept])) == overall([]) == "kept"


def test_a_condition_that_no_row_meets_says_nothing(result):
    verdict, misspelt = judge(result, ["coverage(sex = f) < 0.9", "coverage(sex = FF) < 0.9"])
    assert verdict.outcome == "unsure"
    assert verdict.sentence.endswith("too few rows to say; no test row has sex = f")
    assert misspelt.sentence.endswith("no test row has sex = FF; did you mean F?")


def test_a_faultless_predictor_breaks_a_rule_at_its_own_level_seldom():
    """Of Binomial(400, 0.9) hits some 2.5 % have an interval below 0.9."""
    hits = np.random.default_rng(0).binomial(400, 0.9, 4000)
    _, high = proportion_confint(hits, 400, method="wilson")
    rule = Gate.parse("coverage < 0.9")
    broken = [rule.outcome_of(Measured("", low=0.0, high=end), 0.9) for end in high]
    assert 0.015 < np.mean([found == "broken" for found in broken]) < 0.035


@pytest.mark.parametrize("rule", ["x.dcv > 1", "gap(x2) > 1", "coverage(x2 = 1) < 1"])
def test_what_the_result_does_not_have_is_refused(result, rule):
    with pytest.raises(InputError):
        judge(result, [rule])
