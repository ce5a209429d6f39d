"""No two sentences of one result contradict each other, or the tables they are about."""

from collections import Counter

import pytest
from worlds import FAULTS, KINDS, faultless, faulty

from evencover.core import audit, levels
from evencover.core.findings.wording import percent
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.under_coverage import TOO_LOW


def _generated(number):
    if number % 2:
        return faultless(KINDS[number % len(KINDS)], number, most=2_000)
    frame, settings, *_ = faulty(FAULTS[number % len(FAULTS)], number, sizes=(600, 1_500))
    return frame, settings


def _check(result):
    first, *others = result.names
    level = result.settings["cl"]
    kinds = {finding.kind for finding in result.findings}
    findings = {finding.kind: finding for finding in result.findings}
    low = [row for row in result.of(result.segments, first) if row.status == "low"]
    rules = [row for row in result.of(result.worst_segments, first) if row.status == "low"]
    headline = " ".join(result.headline)
    _check_statuses(result, level)
    # evidence is weighed together
    sure = [f for f in result.findings if f.kind == "dependence" and f.figures["is_sure"]]
    if "no evidence of a problem" in headline:
        assert not low
        assert not rules
        assert not sure
        assert not result.coverage(first).is_low
    assert ("uneven" in kinds) <= bool(sure)
    assert not {"group-low", "group-lower-still"} & kinds or "no-group" not in kinds
    for kind in ("group-low", "group-lower-still"):
        if kind in kinds:
            who = findings[kind].who
            assert who in [*low, *rules]
            assert percent(who.accuracy) in headline
    for name in others:
        _check_remedy(result, name, len(low))
    if "groups-counted" in kinds:
        figures = findings["groups-counted"].figures
        counted = {n: len(result.too_low(n)) for n in result.names}
        assert figures["low"] == counted
        assert figures["segments"] == len(result.object_segments(first))


def _check_statuses(result, level):
    for row in [*result.segments, *result.worst_segments]:
        assert row.status != "fine" or row.family == "objects"
        if row.status in ("low", "new"):
            assert row.high < level
        if row.status in ("low", "new") and not result.coverage(row.predictor).is_low:
            size = levels.SEGMENTS if isinstance(row, SegmentRow) else levels.SEARCH
            assert row.q_value <= size


def _check_remedy(result, name, low):
    statuses = Counter(row.status for row in result.of(result.segments, name))
    assert statuses["mended"] + statuses["better"] + statuses["unchanged"] == low
    assert len(result.too_low(name)) == sum(statuses[status] for status in TOO_LOW)
    of_remedy = {f.kind: f for f in result.findings if f.predictor == name}
    advice = [f.advice for f in result.findings if f.predictor == name and f.advice]
    if "effect" not in of_remedy:
        return
    effect, comparison = of_remedy["effect"].figures["effect"], result.comparison(name)
    assert len(set(advice) & {"keep", "use", "try-c", "run-on"}) <= 1
    assert effect == "helps" or "use" not in advice
    lowered = [
        row.group
        for row in [*result.of(result.segments, name), *result.of(result.worst_segments, name)]
        if row.status in ("new", "unchanged") and result.change(name, row.group).high < 0.0
        if row.status == "unchanged" or _before(result, row).high >= result.settings["cl"]
    ]
    raised = {"mended", "better"} & {
        row.status
        for row in [*result.of(result.segments, name), *result.of(result.worst_segments, name)]
    }
    falls_below = result.coverage(name).is_low and not result.coverage(result.reference).is_low
    assert ("group-spoilt" in of_remedy) == bool(lowered)
    if lowered:
        assert effect in ("harms", "mixed")
        assert of_remedy["group-spoilt"].who.group in lowered
    is_clear = comparison.unevenness_p_value <= levels.EFFECT
    if effect == "unclear":
        assert not raised
        assert not is_clear or comparison.unevenness_change < 0.0
    elif effect in ("harms", "mixed"):
        assert lowered or falls_below or (is_clear and comparison.unevenness_change > 0.0)
    if effect in ("helps", "mixed"):
        assert raised or (is_clear and comparison.unevenness_change < 0.0)
    sentence = next(text for text in result.headline if "The adjustment" in text)
    assert ("less even" in sentence) == (
        is_clear and comparison.unevenness_change > 0.0 and effect != "nothing"
    )


def _before(result, row):
    rows = result.segments if isinstance(row, SegmentRow) else result.worst_segments
    return next(r for r in rows if (r.predictor, r.group) == (result.reference, row.group))


@pytest.mark.parametrize("number", range(2))
def test_sentences_agree_with_the_tables(number):
    frame, settings = _generated(number)
    _check(audit(frame, settings))


@pytest.mark.long
@pytest.mark.parametrize("number", range(2, 300))
def test_sentences_of_many_audits_agree_with_the_tables(number):
    frame, settings = _generated(number)
    _check(audit(frame, settings))
