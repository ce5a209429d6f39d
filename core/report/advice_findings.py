"""What to do now: each advice where it is due, with its sentence."""

import math
from functools import partial
from typing import Any

from .. import levels
from ..experiment.result import AuditedPredictor
from ..preparation.column_names import protected_attributes
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from .coverage_findings import holds_all, named_group
from .dependence_findings import p_value_of
from .remedy_findings import EFFECTS, effect_of, pays, same_group
from .result import AuditResult, Finding
from .wording import brief, in_brief

ADVICE_IN_BRIEF = {
    "more-calibration-rows": "to use more rows",
    "recalibrate": "to calibrate on rows that are like the test rows",
    "other-seeds": "to audit with other seeds",
    "mend-intervals": "to audit the intervals' ends as two quantiles",
    "mend-sets": "to bring the model's probabilities in place of its sets",
    "keep": "to keep the predictor as it was before",
    "use": "to use the adjusted predictor",
    "try-c": "to try a smaller C",
    "restart": "to try the restarted search",
    "run-on": "to let the adjustment run on",
    "unseen": "to let model and adjustment see a column, or to calibrate its groups each by itself",
    "set-apart": "to find what sets a group apart",
    "bends": "to try the estimator trees within IFACM",
    "audit-only": "to make a column audit only",
    "more-rows-of": "to get more rows of the group",
}
"""Each kind of advice as the end of "the advice is"."""

_MOST_ADVICE = 2

_WIDE = 0.05  # a share known to within so much either way is known well enough to act on


def advice_findings(result: AuditResult) -> list[Finding]:
    """Return one or two things to do now."""
    first = result.reference
    if holds_all(result):
        text = "Use more rows, or a lower confidence level."
        return [_advice(first, "more-calibration-rows", text)]
    group, advice = named_group(result), []
    if result.coverage(first).is_low:
        advice.append(_on_all_rows(result))
    advice += [_on_adjustment(result, by) for by in _worth_a_word(result)]
    is_counted = result.data.sample is not None  # where the rows are, and nothing can be fitted
    is_mendable = not result.predictors[0].is_calibrated and not is_counted
    if is_mendable and (group is not None or advice):
        advice.append(_on_ready_made(result))
    if group is not None:
        advice += _on_group(result, group)
    features = [*protected_attributes(result.data.features)]
    if features and result.adjustments:
        text = (
            f"The model uses {_named(features)}, which may be protected: made audit only, "
            "neither model nor adjustment would see it."
        )
        advice.append(_advice(first, "audit-only", text, columns=features))
    once: dict[str, Finding] = {}
    for each in advice:
        once.setdefault(each.advice, each)
    return list(once.values())[:_MOST_ADVICE]


def _advice(
    predictor: str,
    kind: str,
    sentence: str,
    who: JudgedRow | None = None,
    **figures: Any,  # noqa: ANN401 - whatever it is due to
) -> Finding:
    return Finding(
        *("advice", "advice", predictor, sentence), who=who, figures=figures, advice=kind
    )


def _named(columns: list[str]) -> str:
    return ", ".join(map(brief, columns))


def _on_all_rows(result: AuditResult) -> Finding:
    """Return what to do where coverage is too low over all rows.

    More than chance may set test rows apart from what sets were calibrated on.
    """
    fixed = result.settings.get("split_column") or result.settings.get("time")
    if fixed or not result.predictors[0].is_calibrated:
        text = "Calibrate on rows that are like the test rows: that would restore the promise."
        return _advice(result.reference, "recalibrate", text)
    text = (
        "Audit with other seeds (repeats) before you act on that: the split was random, so that "
        "only chance sets its test rows apart from the calibration rows."
    )
    return _advice(result.reference, "other-seeds", text)


def _worth_a_word(result: AuditResult) -> list[AuditedPredictor]:
    """Return the adjustment after which coverage is most even, of those that help; or else all."""
    adjustments = [by for by in result.predictors[1:] if by.is_adjustment]
    helping = [by for by in adjustments if effect_of(result, by) == "helps"]
    uneven = {by.name: result.row("test", by.name).dcv_crossfitted for by in helping}
    known = {name: math.inf if dcv is None else dcv for name, dcv in uneven.items()}
    return [min(helping, key=lambda by: known[by.name])] if helping else adjustments


def _on_adjustment(result: AuditResult, by: AuditedPredictor) -> Finding:
    effect = effect_of(result, by)
    if effect == "nothing":
        return _on_no_effect(result, by)
    if effect == "helps":
        return _advice(by.name, "use", f"Use the adjusted predictor ({by.title}).")
    paid, made, rows = pays(result, by.name), result.comparison(by.name), None
    if made.found and made.cost is not None:  # to cost half of what there is to mend
        rows = math.ceil(result.data.train * (2.0 * made.cost / made.found) ** 2)
    # what helps in one way has shown that there is something to mend
    why = effect if paid == "yes" or effect == "mixed" else paid
    because = {
        "no-dependence": "its training rows show no dependence on the features to mend",
        "only-on-test-rows": "its training rows do not show what the test rows do",
        "less-than-cost": "what there is to mend is no more than adjusting costs",
    }.get(why, f"the adjustment {EFFECTS[effect]}")
    if why == "less-than-cost" and rows is not None:
        because += f"; with some {_two_digits(rows)} training rows it would pay"
    text = f"Keep the predictor as it was before: {because}."
    return _advice(by.name, "keep", text, why=why, rows=rows)


def _on_no_effect(result: AuditResult, by: AuditedPredictor) -> Finding:
    penalty, suggested = result.settings["c"], by.fit.suggested_penalty
    reason, advise = by.fit.no_layer_reason, partial(_advice, by.name)
    if suggested is not None and pays(result, by.name) == "yes":
        text = (
            f"Try C = {suggested:g}: at C = {penalty:g} no layer pays for its larger sets, though "
            "DCV is clearly above its floor."
        )
        return advise("try-c", text, c=penalty, suggested=suggested)
    if reason == "stopped":
        text = "Let the adjustment run on: it was stopped before its first layer."
        return advise("run-on", text)
    if reason == "stalled":
        text = "Try the restarted search: from other starts it finds a layer."
        return advise("restart", text)
    text = f"Keep the predictor as it was before: the adjustment {EFFECTS['nothing']}."
    return advise("keep", text, why="nothing")


def _two_digits(rows: int) -> str:
    return f"{float(f'{rows:.2g}'):,.0f}"


def _on_ready_made(result: AuditResult) -> Finding:
    """Return how sets that stand in the table can be given in another form, which can be mended."""
    ends = [result.settings["lower"], result.settings["upper"]]
    if None in ends:
        text = (
            "To mend these sets here, bring the model's probabilities in place of its sets: those "
            "made of them are calibrated and mended."
        )
        return _advice(result.reference, "mend-sets", text)
    text = (
        f"To mend these intervals here, audit their ends ({_named(ends)}) as two quantiles: some "
        "of the rows then calibrate and mend them, and the others judge it."
    )
    return _advice(result.reference, "mend-intervals", text, columns=ends)


def _on_group(result: AuditResult, group: JudgedRow) -> list[Finding]:
    find, who = partial(_advice, result.reference, who=group), in_brief(group)
    columns = {*(group.columns if isinstance(group, SegmentRow) else group.variables)}
    hidden = sorted(columns & set(result.settings["audit_only"]))
    clusters = sorted(columns & {result.settings["group"]})
    statuses = {same_group(result, group, name).status for name in result.adjustments}
    unmended = bool(statuses) and "mended" not in statuses
    is_straight = p_value_of(result.row("test", result.reference)) <= levels.EFFECT
    advice = []
    if hidden and unmended:
        text = (
            f"Neither model nor adjustment sees {_named(hidden)}: if that may be used, let both "
            "see it and audit again; otherwise calibrate its groups each by itself."
        )
        advice.append(find("unseen", text, columns=hidden))
    elif clusters and unmended:
        text = (
            f"Find what sets {who} apart and give the model that as a column: {_named(clusters)} "
            "itself has other values in new rows."
        )
        advice.append(find("set-apart", text, columns=clusters))
    elif unmended and not is_straight and result.settings["ifacm_estimator"] == "logistic":
        text = "No straight line in a feature shows this: the estimator trees within IFACM may."
        advice.append(find("bends", text))
    if (group.high - group.low) / 2.0 > _WIDE:
        share = group.accuracy
        rows = math.ceil(4.0 * max(share * (1.0 - share), 0.05) / _WIDE**2)
        more = f"Some {_two_digits(rows)} test rows of {who}"
        text = f"{more} would tell their coverage to within 5 points."
        advice.append(find("more-rows-of", text, rows=rows))
    return advice
