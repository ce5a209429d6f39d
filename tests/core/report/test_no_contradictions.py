"""No two sentences of one result contradict each other, or the tables they are about."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from worlds import FAULTS, KINDS, faulty, features, null_model

from evencover.core import AuditSettings, audit, levels
from evencover.core.preparation.hints import changed
from evencover.core.report.effects import raised, same_group
from evencover.core.report.groups import low_groups, named_group
from evencover.core.report.in_short import fates, in_short, steps
from evencover.core.report.wording import percent
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.under_coverage import TOO_LOW
from evencover.dashboard.wording.figure_words import key_figures

pytestmark = pytest.mark.long


def _without_one(number):
    return null_model(KINDS[number % len(KINDS)], number, most=2_000)


def _with_a_fault(number):
    frame, settings, *_ = faulty(FAULTS[number % len(FAULTS)], number, sizes=(600, 1_500))
    return frame, settings


def _of_classes(number):
    """Return labels that are harder to tell in a part of a feature, one of them rare."""
    rng = np.random.default_rng([number, 200])
    n = int(rng.integers(400, 1_500))
    frame = features(rng, n, 4)
    harder = 1.0 + rng.choice([0.0, 3.0]) * (frame["x"] > 0.5)
    scores = np.outer(frame["x"], rng.normal(size=4)) + rng.normal(size=4)
    drawn = (scores + rng.gumbel(size=(n, 4)) * harder.to_numpy()[:, None]).argmax(axis=1)
    frame["y"] = np.array([f"c{i}" for i in range(4)])[drawn]
    level = float(rng.choice([0.8, 0.9, 0.96]))
    return frame, AuditSettings(target="y", confidence_level=level, seed=number)


def _drifting(number):
    """Return rows in time of which the last have more noise, that of one value most of all."""
    rng = np.random.default_rng([number, 300])
    n = int(rng.integers(400, 1_500))
    frame = features(rng, n, 4)
    frame["t"] = np.arange(n)
    noise = 1.0 + rng.choice([0.0, 0.5, 2.0]) * (frame["t"] > 0.7 * n)
    noise *= 1.0 + rng.choice([0.0, 2.0]) * (frame["a"] == "a0")
    frame["y"] = frame["x"] + noise * rng.normal(size=n)
    level = float(rng.choice([0.8, 0.9, 0.97]))
    return frame, AuditSettings(
        target="y", confidence_level=level, time="t", measure="standard", seed=number
    )


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
    claims = [f for f in result.findings if f.kind in ("dependence", "trees")]
    sure = [f for f in claims if f.figures["is_sure"]]
    doubted = any("some evidence" in text for text in result.explanations if "After" not in text)
    assert not doubted or "no evidence of a problem" not in headline
    if "evidence of a problem" in headline:
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
            # whoever was named beforehand is told
            told = [who, *(findings["named-low"].figures["groups"] if "named-low" in kinds else ())]
            if kind == "group-low":
                assert [row for row in low if row.family == "named" and row not in told] == []
            below = result.coverage(first).share < level
            assert not ("But only" in headline and below)
    _check_deviations(result)
    for name in others:
        _check_remedy(result, name, len(low))
    if "groups-counted" in kinds:
        assert findings["groups-counted"].figures["low"] == _counts(result)
    _check_first_screen(result, headline)


def _counts(result):
    """How many groups of different test rows are too low by each predictor."""
    return {name: _different(result, name, TOO_LOW) for name in result.names}


def _different(result, name, statuses):
    rows, tested = [*result.segments, *result.worst_segments], result.test_rows
    masks = {
        (v.name, value): v.partition.rows(value)
        for v in tested.variables
        for value in v.partition.names
    } | {(rule, ""): inside for rule, inside in tested.searched.holds.items()}
    found = (row for row in rows if row.predictor == name and row.status in statuses)
    return len({masks[row.group].tobytes() for row in found})


def _check_first_screen(result, headline):
    """Its sentences are short, its counts those of all sentences, and no group goes without."""
    short, lines, counts = in_short(result), fates(result), _counts(result)
    assert max(len(sentence.split()) for sentence in short) <= 25
    told = re.search(r"In all, (\d+) groups are", headline)
    low = counts[result.reference]
    assert told is None or int(told[1]) == low
    if len(short) > 1 and (said := re.match(r"(\d+) of \d+ groups? (?:is|are) clearly", short[1])):
        assert int(said[1]) == low
    then = re.search(r"[;.] [Aa]fter \S+ (none|\d+) ", " ".join(short))
    assert then is None or int(then[1].replace("none", "0")) == counts[result.advised]
    figure = key_figures(result)[0]
    assert ("not clearly low" in figure.name) <= (low == 0)
    of_classes = sum("(a class)" in line for line in lines)
    more = [int(said[1]) for line in lines if (said := re.match(r"(\d+) more: ", line))]
    new = sum(r.status == "new" for r in low_groups(result, result.advised))
    assert len(lines) - of_classes - len(more) + sum(more) == (low + new if lines else 0)


def _check_deviations(result):
    """DCV holds what is off over all rows, and what depends on columns."""
    for finding in result.findings:
        if finding.kind not in ("dependence", "dependence-left"):
            continue
        coverage, dcv = result.coverage(finding.predictor), finding.figures["dcv"]
        is_off = coverage.is_low or coverage.is_high or finding.figures["is_sure"]
        told = finding.sentence
        if is_off and "more (at the level" in told and dcv > finding.figures["floor"]:
            assert "not clearly more" not in told


def _check_statuses(result, level):
    for row in [*result.segments, *result.worst_segments]:
        assert row.status != "fine" or row.family in levels.GROUPS
        if row.status in ("low", "new"):
            assert row.high < level
            assert row.judged_q <= levels.GROUPS[row.family]


def _check_remedy(result, name, low):
    statuses = Counter(row.status for row in result.of(result.segments, name))
    assert sum(statuses[of] for of in ("mended", "better", "unchanged", "unclear")) == low
    assert len(result.too_low(name)) == sum(statuses[status] for status in TOO_LOW)
    of_remedy = {f.kind: f for f in result.findings if f.predictor == name}
    advice = [f.advice for f in result.findings if f.predictor == name and f.advice]
    if "effect" not in of_remedy:
        return
    effect, comparison = of_remedy["effect"].figures["effect"], result.comparison(name)
    if of_remedy["effect"].sentence.endswith(" is IFACM."):
        sets = (_ends(result.test_rows.sets[each]) for each in (name, "ifacm"))
        assert all(np.array_equal(*each) for each in zip(*sets, strict=True))
        return
    assert len(set(advice) & {"keep", "use", "try-c", "run-on"}) <= 1
    assert effect not in ("harms", "nothing") or "use" not in advice
    used = [f for f in result.findings if f.advice == "use"]
    assert len(used) <= 1  # of several that help one is advised
    for found in used:
        group = named_group(result)
        after = group and same_group(result, group, found.predictor)
        assert not after or after.status not in TOO_LOW or "stays too low" in found.sentence
    assert effect not in ("helps", "mixed") or "no dependence" not in result.advice
    told = " ".join(
        f.sentence for f in result.findings if (f.predictor, f.topic) == (name, "remedy")
    )
    _check_told(result, name, effect, told)
    before = _counts(result)[result.reference]
    groups = [*result.of(result.segments, name), *result.of(result.worst_segments, name)]
    lowered = [
        row.group
        for row in groups
        if row.status in ("new", "unchanged") and result.change(name, row.group).change < 0.0
        if (
            # one of as many questions as groups are too low
            result.change(name, row.group).p_value <= levels.EFFECT / max(1, before)
            if row.status == "unchanged"
            else result.change(name, row.group).high < 0.0
            and _before(result, row).high >= result.settings["cl"]
        )
    ]
    gaining = raised(result, name)
    falls_below = result.coverage(name).is_low and not result.coverage(result.reference).is_low
    assert ("group-spoilt" in of_remedy) == bool(lowered)
    if lowered:
        assert effect in ("harms", "mixed")
        assert of_remedy["group-spoilt"].who.group in lowered
    less = comparison.unevenness_change > 0.0
    confirmed = comparison.spread_after if less else comparison.spread_before
    is_clear = comparison.unevenness_p_value <= levels.EFFECT and confirmed > 0.0
    if effect == "unclear":
        assert not gaining
        assert not is_clear or comparison.unevenness_change < 0.0
    elif effect in ("harms", "mixed"):
        new = [row for row in groups if row.status == "new"]
        falls = effect == "mixed" and any(result.change(name, r.group).change < 0.0 for r in new)
        less_even = is_clear and comparison.unevenness_change > 0.0
        assert lowered or falls_below or falls or less_even
    if effect in ("helps", "mixed"):
        assert gaining or (is_clear and comparison.unevenness_change < 0.0)
    assert ("less even" in of_remedy["effect"].sentence) == (
        is_clear and comparison.unevenness_change > 0.0 and effect != "nothing"
    )


def _ends(sets):
    return (sets.lower, sets.upper) if hasattr(sets, "lower") else (sets.members,)


def _check_told(result, name, effect, told):
    """What is clear of classes, new groups and the test rows' dependence is no news elsewhere."""
    findings = {f.kind: f for f in result.findings if f.predictor == result.reference}
    seen = [f for f in result.findings if (f.kind, f.predictor) == ("dependence", result.reference)]
    if any(f.figures["is_sure"] and not f.figures["of"] for f in seen):  # on the features
        assert "show no dependence" not in result.advice
        assert "none to mend in a line that can be told from chance." not in told
    if effect == "nothing":
        return
    new = _different(result, name, ("new",))
    said = re.search(r"(?:and (\d+) more are|is) clearly too low only after", told)
    assert new == (0 if said is None else 1 + int(said[1] or 0))
    missed = findings.get("class-missed")
    made = None if missed is None else result.change(name, missed.who.group)
    for word, is_so in (
        ("worse", made is not None and made.high < 0.0),
        ("better", made is not None and made.low > 0.0),
    ):
        assert (f" is clearly {word} off" in told) == is_so
        others = len(result.adjustments) > 1
        assert others or (f"clearly {word} after" in result.headline[0]) == is_so


def _before(result, row):
    rows = result.segments if isinstance(row, SegmentRow) else result.worst_segments
    return next(r for r in rows if (r.predictor, r.group) == (result.reference, row.group))


@pytest.mark.parametrize("number", range(300))
def test_sentences_agree_with_the_tables(number):
    generated = (_with_a_fault, _without_one, _of_classes, _drifting)[number % 4]
    frame, settings = generated(number)
    settings = replace(settings, remedies=("ifacm", "auto") if number % 3 == 0 else ("ifacm",))
    result = audit(frame, settings)
    _check(result)
    for step in steps(result):
        if step.changes is not None:  # what the button does runs on this table
            followed = changed(settings, step.changes)
            assert audit(frame, followed, with_replay=False).findings
