"""What adjustments make of coverage: one function a kind of finding, with its sentence."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import levels
from ..experiment.result import AuditedPredictor
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from . import effects
from .class_findings import change_of, missed_class
from .groups import all_groups, holds_all, named_group, once
from .result import AuditResult, Finding, Severity
from .wording import (
    brief,
    certainty_in_words,
    clearly,
    gain_in_words,
    in_brief,
    percent,
    points,
    rows_in_words,
    spread_moves,
)

_SEVERITIES: Mapping[effects.Effect, Severity] = {
    "helps": "good",
    "harms": "problem",
    "mixed": "problem",
}
"""Of those that are not neutral."""

_NOTHING = {
    "penalty": "adjusts nothing, as no layer is worth what it adds to the sets: after is as before",
    "stopped": "was stopped before its first layer: after is as before",
    "holds-all": "adjusts nothing, as every training row's set holds its label",
    "even": "found nothing to adjust: after is as before",
    "choice": "leaves all as it is, as by none of its candidates training rows have clearly more "
    "even coverage with sets as small as asked: after is as before",
    "stalled": "found no layer from where its search starts: after is as before",
    "": "changes no set: after is as before",
}


def remedy_findings(result: AuditResult) -> list[Finding]:
    """Return what each further predictor makes of the group named, and of all rows."""
    if holds_all(result):
        return []
    group = named_group(result)
    return [found for by in result.predictors[1:] for found in _remedy(result, by, group)]


def _remedy(result: AuditResult, by: AuditedPredictor, group: JudgedRow | None) -> list[Finding]:
    figures = _after(result, by.name, group)
    if effects.effect_of(result, by) == "nothing":
        why = by.fit.no_layer_reason
        done = _NOTHING["choice" if by.fit.choice is not None and why == "even" else why]
        text = f"The adjustment ({by.title}) {done}."
        figures |= {"effect": "nothing", "why": why}
        return [Finding("effect", "remedy", by.name, text, figures=figures)]
    effect = _effect(result, by, group)
    for other in result.predictors[1:]:
        if by.fit.choice is not None and by.fit.choice.remedy == other.name:
            same = f"The choice ({by.name}) is {other.title}."
            return [replace(effect, sentence=same)]
    return [effect, *_spoilt(result, by.name), *_cost(result, by.name)]


def _after(result: AuditResult, name: str, group: JudgedRow | None) -> dict[str, Any]:
    coverage = result.coverage(name)
    of_group = {"of_group": effects.same_group(result, group, name).accuracy} if group else {}
    return {"overall": coverage.share, "low": coverage.is_low, **of_group}


def _effect(result: AuditResult, by: AuditedPredictor, group: JudgedRow | None) -> Finding:
    name, effect, made = by.name, effects.effect_of(result, by), result.comparison(by.name)
    evenness = _evenness(result, by, effect)
    before, after = (result.row("test", of) for of in (result.reference, name))
    missed = missed_class(result)
    if missed and not result.change(name, missed.group).is_clear:
        missed = None
    new = once(row for row in all_groups(result, name) if row.status == "new")
    figures = {
        **_after(result, name, group),
        "effect": effect,
        "why": by.fit.no_layer_reason,
        **({"status": effects.same_group(result, group, name).status} if group else {}),
        **(change_of(result, name, group) if group else {}),
        "unevenness": effects.evenness_of(result, name),
        "spoils_all": effects.spoils_all(result, name),
        "of_class": missed and {"class": missed.value, **change_of(result, name, missed)},
        "new": len(new),
        "raised": [
            {"group": row, **change_of(result, name, row)} for row in effects.raised(result, name)
        ],
        "dcv_crossfitted": [before.dcv_crossfitted, after.dcv_crossfitted],
        "unevenness_p_value": made.unevenness_p_value,
        "size_ratio_median": made.size_ratio_median,
        "size_ratio_mean": made.size_ratio_mean,
        "size_before": before.inefficiency,
        "size_after": after.inefficiency,
    }
    clauses = [evenness, _of_group(result, name, group)]
    share, all_rows = percent(figures["overall"]), result.change(name)
    if figures["spoils_all"]:
        clauses.append(f"over all rows it is {share}, less than chance explains")
    elif all_rows.is_clear:
        clauses.append(f"over all rows it is {share} ({gain_in_words(all_rows)})")
    if missed:
        verdict = clearly(result.change(name, missed.group))
        clauses.append(f"the class {brief(missed.value)} is {verdict} off")
    clauses += _classes_that_pay(result, by, missed)
    if new:
        more = f" and {len(new) - 1:,} more are" if len(new) > 1 else " is"
        was = effects.same_group(result, new[0], result.reference).accuracy
        moved = f"({percent(was)} before, {percent(new[0].accuracy)} after)"
        clauses.append(f"{in_brief(new[0])} {moved}{more} clearly too low only after it")
    told = "; ".join(filter(None, [*clauses, _price(result, name)]))
    text = f"The adjustment ({by.title}) {effects.EFFECTS[effect]}: {told}."
    severity = _SEVERITIES.get(effect, "neutral")
    return Finding("effect", "remedy", name, text, severity, group, figures)


def _evenness(result: AuditResult, by: AuditedPredictor, effect: effects.Effect) -> str:
    """Return how the spread of coverage changes; nothing where groups tell more of the effect."""
    made, evenness = result.comparison(by.name), effects.evenness_of(result, by.name)
    if evenness == "unclear" and effect != "unclear":
        return ""
    moves = spread_moves(made.spread_before, made.spread_after)
    sure = certainty_in_words("p", made.unevenness_p_value)
    spread = "spread" if by.by_classes else "spread by lines and trees"
    moved = f"its {spread} goes {moves}, " if moves else ""
    how = {
        "more-even": f"more even ({moved}{sure})",
        "less-even": f"less even than it was ({moved}{sure})",
        "unclear": "neither clearly more even nor clearly less",
    }[evenness]
    return f"coverage over the {'classes' if by.by_classes else 'features'} is {how}"


def _of_group(result: AuditResult, name: str, group: JudgedRow | None) -> str:
    """Return what becomes of the group named, and of those that gain if it does not."""
    gain = ""
    if gaining := effects.raised(result, name):
        first, *more = gaining
        others = f" and {len(more):,} more" if more else ""
        change = gain_in_words(result.change(name, first.group))
        gain = f"{in_brief(first)} ({change}){others} clearly gain{'' if more else 's'}"
    if group is None:
        return gain
    who, made = in_brief(group), result.change(name, group.group)
    then, change = effects.same_group(result, group, name), gain_in_words(made)
    after = percent(then.accuracy)
    if made.low > 0.0:
        still = ", which is still too low" if then.status == "better" else ""
        return f"{who} comes to {after} ({change}){still}"
    if gain:
        return f"{gain}, but {who} is at {after} ({change})"
    if made.high < 0.0:
        return f"{who} falls to {after} ({change})"
    by_chance = ", which chance can explain" if made.change else ""
    return f"for {who} it is {after} after ({change}){by_chance}"


def _classes_that_pay(
    result: AuditResult, by: AuditedPredictor, told: SegmentRow | None
) -> list[str]:
    """Return which class loses most, of those that clearly do for as many as are asked about."""
    classes = [row for row in result.of(result.segments, by.name) if row.family == "label"]
    changes = [(result.change(by.name, row.group), row) for row in classes]
    lost = [
        (made, row)
        for made, row in changes
        if made.change < 0.0 and made.p_value <= levels.EFFECT / len(classes)
    ]
    if not lost or by.by_classes:  # of which the advice tells
        return []
    made, row = min(lost, key=lambda each: each[0].n * each[0].change)
    if told is not None and row.value == told.value:
        return []
    more = f", and {len(lost) - 1:,} more" if lost[1:] else ""
    return [f"the class {brief(row.value)} pays for it ({gain_in_words(made)}){more}"]


def _price(result: AuditResult, name: str) -> str:
    made = result.comparison(name)
    rows = (result.row("test", of) for of in (result.reference, name))
    if not result.is_regression:
        before, after = (row.inefficiency for row in rows)
        return f"a set holds {after:.2f} classes on average, {before:.2f} before"
    before, after = (row.inefficiency_original_units for row in rows)
    if math.isinf(after) and not math.isinf(before):
        return "some intervals become infinite"
    if before == 0.0 < after:
        return f"intervals, which have no width, become {after:g} wide on average"
    of_rows = 1.0 if made.size_ratio_median is None else made.size_ratio_median
    grown = 1.0 if before in (0.0, math.inf) else after / before
    changes = []
    for ratio, ways in ((of_rows, "wider narrower"), (grown, "up down")):
        by, way = f"{abs(100.0 * (ratio - 1.0)):.1f} %", ways.split()[ratio < 1.0]
        changes.append("" if by == "0.0 %" else f"{by} {way}")
    median, mean = changes
    if not median + mean:
        return "intervals stay as wide as they were"
    text = f"half of the intervals become {median} or more"
    text = text if median else "the median row's interval stays as wide as it was"
    return f"{text} (the mean width {'goes ' + mean if mean else 'stays'})"


def _spoilt(result: AuditResult, name: str) -> list[Finding]:
    """Return for whom coverage is too low after but was not before: most rows missed."""
    low = effects.lowered(result, name)
    if not low:
        return []
    first, *more = low
    before = effects.same_group(result, first, result.reference)
    others = f", and for {len(more):,} more" if more else ""
    to, q, sure = "to what is too low", first.judged_q, "q"
    if first.status == "unchanged":  # what is claimed is the change alone
        q, sure = result.change(name, first.group).p_value, "p"
        to = "still further below the level"
    text = (
        f"It clearly lowers coverage {to} for {rows_in_words(first)}: {percent(before.accuracy)} "
        f"before and {percent(first.accuracy)} after ({certainty_in_words(sure, q)}){others}."
    )
    figures = {"before": before.accuracy, "after": first.accuracy, "groups": len(low)}
    return [Finding("group-spoilt", "remedy", name, text, "problem", first, figures, q)]


def _cost(result: AuditResult, name: str) -> list[Finding]:
    made, why, train = result.comparison(name), effects.pays(result, name), result.data.train
    if made.cost is None:
        return []
    shown = f"about {points(made.found)} to mend"
    if why in ("no-dependence", "only-on-test-rows"):
        shown = "none to mend in a line that can be told from chance"
        shown += ", but the test rows do" if why == "only-on-test-rows" else ""
    elif made.found is None:
        shown = "some to mend, how much is not known"
    elif why == "less-than-cost":
        shown += ", no more than that"
    costs = f"Adjusting by itself costs about {points(made.cost)} points of evenness, as only"
    text = f"{costs} {train:,} training rows tell where to; they show {shown}."
    if made.found_p_value is None and result.predictors[0].is_calibrated:
        text = f"{costs} {result.data.calibration:,} calibration rows tell its thresholds."
    figures = {"cost": made.cost, "found": made.found, "pays": why, "train": train}
    certainty = made.found_p_value
    return [Finding("cost", "remedy", name, text, figures=figures, certainty=certainty)]
