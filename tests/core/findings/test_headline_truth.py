"""The headline's words agree with the figures and with each other, whatever the result."""

import re
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import NAMES, PREDICTORS, by_name, long, result_of, result_row, segment_row
from scipy import stats

from evencover.core.coverage.exchangeability import Drift
from evencover.core.findings.coverage_findings import coverage_findings
from evencover.core.findings.result import DataSummary
from evencover.core.findings.sentences import Context, paragraphs
from evencover.core.segments.search.worst_segments import WorstSegmentRow
from evencover.core.segments.statistics import wilson_interval

Q = st.sampled_from([0.0004, 0.03, 0.05, 0.2, 0.9])
SHARE = st.sampled_from([0.4, 0.7, 0.85, 0.88, 0.9, 0.92, 0.95, 0.99])
LEVEL = st.sampled_from([0.5, 0.8, 0.9, 0.95])
UNADJUSTED = [PREDICTORS[0], replace(PREDICTORS[1], adjusts=False)]


def headline(result):
    return paragraphs(coverage_findings(result), Context.of(result))[0]


@st.composite
def figures(draw):
    """Rows, accuracies, intervals and q-values by each predictor."""
    n = draw(st.integers(1, 3000))
    drawn = []
    for name in NAMES:
        hits = min(n, round(n * draw(SHARE)) + draw(st.integers(0, 1)))
        low, high = (float(e[0]) for e in wilson_interval(np.array([hits]), np.array([n])))
        q = draw(Q)
        found = {"accuracy": hits / n, "low": low, "high": high, "p_value": q, "q_value": q}
        drawn.append({"predictor": name, "n": n, **found})
    return drawn


@st.composite
def results(draw):
    segments = []
    for i, pair in enumerate(draw(st.lists(figures(), max_size=5))):
        detectable = draw(SHARE)
        blank = segment_row("", "s", f"v{i}", 1, detectable=detectable)
        segments.append([replace(blank, **drawn) for drawn in pair])
    rules = [
        [
            WorstSegmentRow(
                rule=f"r = {i}", variables=["r"], found_on=NAMES, rank=1, n_test=9999, **drawn
            )
            for drawn in pair
        ]
        for i, pair in enumerate(draw(st.lists(figures(), max_size=3)))
    ]
    level, base, after = draw(LEVEL), draw(SHARE), draw(SHARE)
    low, high = max(level - draw(st.sampled_from([0.01, 0.1])), 0.0), min(level + 0.02, 1.0)
    sizes = {"inefficiency": 1.0, "inefficiency_original_units": 10.0}
    task = draw(st.sampled_from(["regression", "other"]))
    return result_of(
        long(*segments),
        rows=[
            result_row(name, accuracy=accuracy, **sizes)
            for name, accuracy in zip(NAMES, (base, after), strict=True)
        ],
        settings={"cl": level, "target": "y", "task": task},
        data=DataSummary(9000, 0, 3000, 99, draw(st.sampled_from([50, 5000])), [], [], []),
        predictors=draw(st.sampled_from([PREDICTORS, UNADJUSTED])),
        drift=Drift(base, low, high, 0.5, 0.01),
        worst_segments=long(*rules),
    )


def overall(result, when):
    return result.results[NAMES.index(when)].accuracy


def is_low(result, when):
    return overall(result, when) < result.drift.accuracy_low


def below(result, row):
    return row.high < result.settings["cl"]


def below_all(result, row):
    lower = row.accuracy < overall(result, row.predictor)
    return lower and below(result, row) and row.q_value <= 0.05


def too_low(result, all_rows, when):
    """The places of those that are clearly too low, as the definition reads."""
    level, rows = result.settings["cl"], by_name(all_rows, when)
    hits = [round(row.n * row.accuracy) for row in rows]
    p = [
        min(1.0, 2.0 * stats.binom.cdf(k, row.n, level)) for k, row in zip(hits, rows, strict=True)
    ]
    q = stats.false_discovery_control(p) if p else []
    known = too_low(result, all_rows, "base") if when == "ifacm" else set()
    return {
        i
        for i, row in enumerate(rows)
        if below(result, row)
        and (below_all(result, row) or (is_low(result, when) and q[i] <= 0.05) or i in known)
    }


def number(word):
    return 0 if word == "none" else int(word.replace(",", ""))


TRIED = settings(max_examples=60, deadline=None)


@TRIED
@given(results())
def test_nothing_is_called_well_that_is_not(result):
    told = " ".join(headline(result))
    groups = by_name([*result.segments, *result.worst_segments])
    troubled = is_low(result, "base") or any(below_all(result, row) for row in groups)
    assert ("no evidence" in told) == (not troubled and bool(result.segments))
    if "no evidence of a problem" in told:
        assert overall(result, "base") <= result.drift.accuracy_high
    assert ("the promise is not kept" in told) == is_low(result, "base")
    if result.predictors[1].adjusts and is_low(result, "ifacm"):
        assert re.search("(fewer|less) than chance explains", told)
    if not is_low(result, "base") and not is_low(result, "ifacm"):
        assert not re.search("(fewer|less) than chance explains", told)
    if "is clearly worse off than all rows together" in told:
        assert not any(below_all(result, row) for row in groups)


@TRIED
@given(results())
def test_who_is_accused_has_less_than_was_promised(result):
    told = headline(result)
    segments, after = by_name(result.segments), by_name(result.segments, "ifacm")
    named = re.search(r"(?:with|those) (?:s|r) = (v?\d)", told[0])
    missed = re.search(r"(\S+) fewer than promised", told[0])
    assert (missed is None) == ("likely between" not in told[0])
    if missed:
        rows = {row.value: row for row in segments}
        rows |= {row.rule[-1]: row for row in by_name(result.worst_segments)}
        row = rows[named[1]]
        assert below_all(result, row)
        assert number(missed[1]) == round(row.n * (result.settings["cl"] - row.accuracy)) > 0
    for spoilt in re.finditer(r"too low(?:, too,)? for the .* = v(\d)", told[1]):
        place = int(spoilt[1])
        assert not below(result, segments[place])
        assert below(result, after[place])
        assert after[place].accuracy < segments[place].accuracy
    for high in re.finditer(r"([\d.]+) % do for [^;]* = v(\d), which is more than", told[0]):
        row = segments[int(high[2])]
        assert row.low > result.settings["cl"]
        assert row.accuracy > overall(result, "base")


@TRIED
@given(results())
def test_counts_are_those_of_the_definition(result):
    told = headline(result)
    expected = [too_low(result, result.segments, when) for when in NAMES]
    rules = [too_low(result, result.worst_segments, when) for when in NAMES]
    assert [len(result.too_low(when)) for when in NAMES] == list(map(len, expected))
    assert [len(result.worst_found(when)) for when in NAMES] == list(map(len, rules))
    if len(told) == 2:
        assert not any([*expected, *rules])
        return
    counts = re.search(r"too low in (\S+) of .* looked at before.*?, and in (\w+) after", told[2])
    assert [number(count) for count in counts.groups()] == list(map(len, expected))
    new = sum(not below(result, by_name(result.segments)[i]) for i in expected[1])
    assert (f", {new} of them new" in told[2]) == (new > 0)
    found = re.search(r"finds (\w+) with clearly low coverage before and (\w+) after", told[2])
    assert (found is None) == (not result.worst_segments)
    if found:
        assert [number(count) for count in found.groups()] == list(map(len, rules))


@TRIED
@given(results())
def test_no_count_or_figure_reads_oddly(result):
    told = " ".join(headline(result))
    assert not re.search(
        r"(?<![\d.])-\d|of the 1 |\b1 percentage points|\bnan\b|\binf\b|  | \.(?!\.)", told
    )
