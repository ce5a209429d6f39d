"""What an audit claims of tables whose truth is known."""

import numpy as np
from scipy import stats
from worlds import faulty, null_model

from evencover.core import audit
from evencover.core.levels import GROUPS, SEARCH
from evencover.core.segments.rule_search import MOST_RULES
from evencover.core.segments.statistics import detectable
from evencover.core.tables.grammar import parse_rule
from evencover.core.threads import single_blas_thread


def claims(kind, number, most=20_000):
    """Return what an audit of a table without any fault claims."""
    frame, settings = null_model(kind, number, most)
    with single_blas_thread():
        result = audit(frame, settings)
    found = result.findings
    problems = [
        f.kind for f in found if f.severity == "problem" and f.predictor == result.reference
    ]
    effect = next((f.figures["effect"] for f in found if f.kind == "effect"), "none")
    advice = [f.advice for f in found if f.advice]
    return {
        "kind": kind,
        "number": number,
        "cl": settings.confidence_level,
        "kinds": problems,
        "problem": bool(problems),
        "helps": effect == "helps",
        "effect": effect,
        "keep": bool({"keep", "more-calibration-rows"} & set(advice)),
        "advice": advice,
    }


def named(fault, number, sizes=(3_000, 10_000, 20_000)):
    """Return whether the group with a planted fault is named, and how its coverage is told."""
    frame, settings, columns, noise = faulty(fault, number, sizes)
    with single_blas_thread():
        result = audit(frame, settings)
    test_rows, level = result.test_rows, settings.confidence_level
    sets, noise = test_rows.sets["base"], noise[test_rows.rows]
    truth = 2.0 * stats.norm.cdf((sets.upper - sets.lower) / 2.0 / noise) - 1.0
    correct = test_rows.outcomes["base"].correct
    n, hits = len(correct), int(correct.sum())
    judged = int((noise > 1.0).sum())
    segments = result.object_segments("base")
    (family,) = {row.family for row in segments if {row.variable} == columns} or {"objects"}
    size = GROUPS[family] / sum(row.family == family for row in segments)
    if fault == "pair":
        judged, n, hits, size = judged // 2, n // 2, hits // 2, SEARCH / MOST_RULES
    bar = float(detectable(np.array([judged]), hits, n, level, size)[0])
    told = [f for f in result.findings if f.topic == "coverage" and f.who]
    who = next((f.who for f in told), None)
    for group in (group for f in told for group in f.figures.get("groups", ())):
        who = group if {group.variable} == columns else who  # named, though not first
    names, rule = set(), None
    if who is not None:
        names = set(getattr(who, "variables", None) or [who.variable])
        rule = who.rule
    is_right = names == columns
    return {
        "fault": fault,
        "number": number,
        "power": bool(level - truth[noise > 1.0].mean() >= bar),
        "right": is_right,
        "off": who.accuracy - truth[parse_rule(rule).holds(test_rows.table)].mean()
        if is_right
        else None,
        "n": who.n if is_right else None,
        "rule": rule,
    }
