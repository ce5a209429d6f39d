"""The words agree with the figures and with each other, whatever the result."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import (
    ALL,
    NAMES,
    PREDICTORS,
    UNLAYERED,
    by_name,
    change,
    comparison,
    drift_of,
    long,
    result_of,
    result_row,
    rule_pair,
    segment_pair,
)
from scipy import stats

from evencover.core.experiment.result import DataSummary
from evencover.core.report.audit import with_findings
from evencover.core.report.effects import EFFECTS
from evencover.core.segments.statistics import wilson_interval

pytestmark = pytest.mark.long

Q = st.sampled_from([0.0004, 0.01, 0.02, 0.03, 0.9])
P = st.sampled_from([0.001, 0.005, 0.01, 0.4])
SHARE = st.sampled_from([0.4, 0.7, 0.85, 0.88, 0.9, 0.92, 0.95, 0.99])
LEVEL = st.sampled_from([0.5, 0.8, 0.9, 0.95])
SIZES = {"segments": 0.02, "worst_segments": 0.01}
LEVELS = ("named", "objects", "search")
"""Up to which q-values segments and rules are sure."""


@st.composite
def groups(draw, make):
    """A segment or rule before and after, and how many of its rows joined or left."""
    n, drawn = draw(st.integers(1, 3000)), []
    for _ in NAMES:
        hits = min(n, round(n * draw(SHARE)) + draw(st.integers(0, 1)))
        low, high = (float(e[0]) for e in wilson_interval(np.array([hits]), np.array([n])))
        drawn.append((hits / n, low, high))
    q = draw(Q), draw(Q)
    pair = [replace(r, p_value=v, q_value=v) for r, v in zip(make(n, *drawn), q, strict=True)]
    before, after = (round(n * accuracy) for accuracy, *_ in drawn)
    # as few rows change as can be, or all that can
    stay = draw(st.sampled_from([min(before, after), max(0, before + after - n)]))
    return pair, change(pair[0].group, n, after - stay, before - stay)


def segments_of(number):
    given = {"detectable": 0.1, "named": number % 2 == 1}
    return lambda n, *figures: segment_pair("s", f"v{number}", n, *figures, **given)


def rules_of(number):
    return lambda n, *figures: rule_pair(f"r = {number}", n, *figures, variables=["r"], rank=number)


@st.composite
def results(draw):
    segments = [draw(groups(segments_of(i))) for i in range(draw(st.integers(0, 5)))]
    rules = [draw(groups(rules_of(i))) for i in range(draw(st.integers(0, 3)))]
    level, base, after = draw(LEVEL), draw(SHARE), draw(SHARE)
    low, high = max(level - draw(st.sampled_from([0.01, 0.1])), 0.0), min(level + 0.02, 1.0)
    sizes = {"inefficiency": 1.0, "inefficiency_original_units": 10.0, "dcv": 0.01}
    task = draw(st.sampled_from(["regression", "classification"]))
    n = draw(st.sampled_from([50, 5000]))
    made = {
        "unevenness_change": draw(st.sampled_from([-0.001, 0.001])),
        "unevenness_p_value": draw(P),
        "found": draw(st.sampled_from([None, 0.001, 0.03])),
        "found_p_value": draw(P),
    }
    if task != "regression":
        made |= {"size_ratio_median": None, "size_ratio_mean": None}
    result = result_of(
        long(*(pair for pair, _ in segments)),
        rows=[
            result_row(name, accuracy=accuracy, p_value=draw(P), **sizes)
            for name, accuracy in zip(NAMES, (base, after), strict=True)
        ],
        settings={"cl": level, "task": task},
        data=DataSummary(9000, 0, 3000, 99, n, [], [], []),
        predictors=draw(st.sampled_from([PREDICTORS, UNLAYERED])),
        drift=drift_of(base, low, high, n=n),
        worst_segments=long(*(pair for pair, _ in rules)),
        changes=[change(ALL, n, 1, 1), *(made for _, made in (*segments, *rules))],
        comparisons=[comparison(**made)],
    )
    return with_findings(result.judged())


def overall(result, when):
    return result.row("test", when).accuracy


def is_low(result, when):
    return overall(result, when) < min(result.drift.accuracy_low, result.settings["cl"])


def below(result, row):
    return row.high < result.settings["cl"]


def below_all(result, row, size):
    lower = row.accuracy < overall(result, row.predictor)
    return row.family in LEVELS and lower and below(result, row) and row.q_value <= size


def too_low(result, kind, when):
    """The groups that are clearly too low, as the definition reads."""
    level, size, found = result.settings["cl"], SIZES[kind], set()
    for family in LEVELS:
        rows = [row for row in by_name(getattr(result, kind), when) if row.family == family]
        hits = [round(row.n * row.accuracy) for row in rows]
        tails = [stats.binom.cdf(h, r.n, level) for h, r in zip(hits, rows, strict=True)]
        p = [min(1.0, 2.0 * tail) for tail in tails]
        if not is_low(result, when):  # lower than CL, and than all rows
            lower = [r.p_value if r.accuracy < overall(result, when) else 1.0 for r in rows]
            p = [max(pair) for pair in zip(p, lower, strict=True)]
        q = stats.false_discovery_control(p) if p else []
        found |= {
            row.group
            for row, of_row in zip(rows, q, strict=True)
            if below(result, row)
            and (of_row <= size or (is_low(result, when) and below_all(result, row, size)))
        }
    return found


def expected_statuses(result, kind):
    """The groups of each status after, as the definition reads."""
    before, after = (too_low(result, kind, name) for name in NAMES)
    found = {}
    for row in by_name(getattr(result, kind), "ifacm"):
        made = result.change("ifacm", row.group)
        raised = made.gained > made.lost and made.p_value <= 0.05
        fell = made.gained < made.lost and made.p_value <= 0.05
        of_low = "mended" if raised and not below(result, row) else "unclear"
        if row.group in after or fell:
            of_low = "better" if raised else "unchanged"
        calm = "fine" if row.family in LEVELS else None
        new = "new" if row.group in after else calm
        found[row.group] = of_low if row.group in before else new
    return found


def number(word):
    return 0 if word == "none" else int(word.replace(",", ""))


TO_WHERE = "(?:to what is too low|still further below the level)"
TRIED = settings(max_examples=80, deadline=None)


@TRIED
@given(results())
def test_statuses_are_those_of_the_definition(result):
    for kind in SIZES:
        rows = getattr(result, kind)
        low = {row.group for row in by_name(rows) if row.status == "low"}
        assert low == too_low(result, kind, "base")
        expected = expected_statuses(result, kind)
        for row in by_name(rows, "ifacm"):
            made = result.change("ifacm", row.group)
            by_test = made.gained > made.lost and made.p_value <= 0.05
            allowed = {expected[row.group]}
            was_low = not allowed & {"new", "fine", None}
            if was_low and (made.low > 0.0) != by_test:  # at the edge interval and test differ
                allowed |= {"unchanged", "better", "unclear", "mended"}
            assert row.status in allowed


@TRIED
@given(results())
def test_nothing_is_called_well_that_is_not(result):
    told = result.headline[0]
    low = set.union(*(too_low(result, kind, "base") for kind in SIZES))
    uneven = result.row("test", "base").p_value <= 0.005
    troubled = is_low(result, "base") or low or uneven
    if "no evidence" in told or "no clear evidence" in told:
        assert not troubled
    if "evidence of a problem" in told:
        assert overall(result, "base") <= max(result.drift.accuracy_high, result.settings["cl"])
    if not troubled and result.object_segments("base"):
        good = (
            "no evidence",
            "no clear evidence",
            "chance of drawing",
            "has clearly less than all rows together",
        )
        assert any(words in told for words in good)
    assert ("the promise is not kept" in told) == is_low(result, "base")
    assert ("Yet there is clear evidence" in told) == (uneven and "likely between" not in told)
    if "is clearly worse off than all rows together" in told:
        for kind, size in SIZES.items():
            assert not any(below_all(result, row, size) for row in by_name(getattr(result, kind)))


@TRIED
@given(results())
def test_who_is_accused_has_less_than_was_promised(result):
    told = result.headline[0]
    named = re.search(r"(?:with|those) (?:s|r) = (v?\d)", told)
    missed = re.search(r"(\S+) rows? fewer than promised", told)
    assert (missed is None) == (named is None) == ("likely between" not in told)
    if missed:
        rows = {row.value: (row, "segments") for row in by_name(result.segments)}
        rows |= {row.rule[-1]: (row, "worst_segments") for row in by_name(result.worst_segments)}
        row, kind = rows[named[1]]
        assert row.group in too_low(result, kind, "base")
        assert number(missed[1]) == round(row.n * (result.settings["cl"] - row.accuracy)) > 0
        assert not is_low(result, "base") or row.accuracy < overall(result, "base")


@TRIED
@given(results())
def test_what_an_adjustment_is_said_to_do_is_what_it_does(result):
    told = result.headline[1]
    made = result.comparison("ifacm")
    if not result.predictors[1].adjusts:
        assert "after is as before" in told
        return
    is_clear = made.unevenness_p_value <= 0.05
    to_mend = made.found is None or made.found > made.cost
    if made.found_p_value > 0.05:  # then the test rows have to tell
        named = "likely between" in result.headline[0]
        to_mend = named or result.row("test", "base").p_value <= 0.005
    assert ("is more even" in told) == (is_clear and made.unevenness_change < 0.0 and to_mend)
    assert ("is less even than it was" in told) == (is_clear and made.unevenness_change > 0.0)
    spoilt = re.search(rf"It clearly lowers coverage {TO_WHERE} for .*? (?:s|r) = (v?\d)", told)
    if spoilt:
        rows = [*by_name(result.segments, "ifacm"), *by_name(result.worst_segments, "ifacm")]
        row = next(r for r in rows if spoilt[1] in (r.group[1], r.group[0][-1:]))
        assert row.status in ("new", "unchanged")
        before, after = map(float, re.findall(r"([\d.]+) % (?:before|after)", told)[-2:])
        assert before > after
    assert ("does harm" in told or "harm in another" in told) == (
        spoilt is not None or "is less even" in told or "over all rows it is" in told
    )
    comes, falls = "comes to" in told, "falls to" in told
    named = [f.who for f in result.findings if f.kind == "effect" and f.who is not None]
    gains = "clearly gain" in told
    stays = "which chance can explain" in told or "after (as before)" in told
    assert not named or comes + falls + gains + stays == 1
    if "helps" in told:
        assert comes or gains or "is more even" in told
    advice = {f.advice: f.figures for f in result.findings if f.topic == "advice"}
    assert ("Use the adjusted" in " ".join(result.headline[2:])) == ("use" in advice)
    if "use" in advice:
        assert f"(IFACM) {EFFECTS[advice['use']['why']]}" in told
        assert "(IFACM) does harm" not in told
    elif "(IFACM) helps:" in told:
        assert advice["keep"]["why"] in ("unseen", "too-large", "only-on-test-rows")


@TRIED
@given(results())
def test_counts_are_those_of_the_definition(result):
    expected = [too_low(result, "segments", when) for when in NAMES]
    rules = [too_low(result, "worst_segments", when) for when in NAMES]
    after = list(expected_statuses(result, "segments").values())
    rules_after = list(expected_statuses(result, "worst_segments").values())
    counted = next((s for s in result.explanations if "clearly too low in" in s), "")
    still = [sum(status in ("better", "unchanged", "new") for status in after)]
    rules_still = [sum(status in ("better", "unchanged", "new") for status in rules_after)]
    numbers = [len(expected[0]) + len(rules[0]), still[0] + rules_still[0]]
    if not counted:
        assert not any(numbers)
        return
    pattern = r"too low in (\S+) of [\d,]+ groups? judged before.*?, and in (\w+) after"
    found = re.search(pattern, counted)
    assert [number(count) for count in found.groups()] == numbers
    words = {"better": "better, but still too low", "unchanged": "without a clear gain"}
    words["unclear"] = "neither clearly too low still nor clearly mended"
    for status in ("mended", "better", "unchanged", "unclear", "new"):
        word = words.get(status, status)
        said = re.search(rf"(?:\(|, )(\d+) {word}[,)]", counted)
        assert (0 if said is None else int(said[1])) == [*after, *rules_after].count(status)


@TRIED
@given(results())
def test_no_count_or_figure_reads_oddly(result):
    told = " ".join([*result.headline, *result.explanations])
    assert not re.search(
        r"(?<![\d.e+])(?<!interval )(?<!to )(?<!\()-\d|of the 1 |\b1 percentage points|\bnan\b"
        r"|\binf\b|None|  | \.(?!\.)",
        told,
    )
