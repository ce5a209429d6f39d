"""What to do now: each advice where it is due, with its sentence."""

import math
from functools import partial
from typing import Any

import numpy as np

from .. import levels
from ..conformal.rank import CoverageLaw, smallest_calibration_size
from ..experiment.result import AuditedPredictor
from ..preparation.column_names import protected_attributes
from ..remedies.quantile import MOST_FEATURES
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import TOO_LOW, JudgedRow
from .class_findings import missed_class
from .coverage_findings import holds_all, named_group
from .dependence_findings import p_value_of
from .effects import (
    EFFECTS,
    SURE,
    best,
    effect_of,
    found_in_training,
    lowered,
    pays,
    same_group,
    weighed,
)
from .result import AuditResult, Finding
from .wording import brief, in_brief, percent, points

ADVICE_IN_BRIEF = {
    "more-calibration-rows": "to use more rows",
    "recalibrate": "to calibrate on rows that are like the test rows",
    "other-seeds": "to audit with other seeds",
    "mend-intervals": "to audit the intervals' ends as two quantiles",
    "mend-predictions": "to bring the model's predictions in place of its intervals",
    "mend-sets": "to bring the model's probabilities in place of its sets",
    "keep": "to keep the predictor as it was before",
    "use": "to use the adjusted predictor",
    "try-c": "to try a smaller C",
    "restart": "to try the restarted search",
    "run-on": "to let the adjustment run on",
    "unseen": "to calibrate the groups of an audit-only column each by itself",
    "try-remedy": "to try another remedy",
    "set-apart": "to find what sets a group apart",
    "bends": "to try a remedy that sees bends",
    "audit-only": "to make a column audit only",
    "more-rows-of": "to get more rows of the group",
}
"""Each kind of advice as the end of "the advice is"."""

_MOST_ADVICE = 2

_BECAUSE = {
    "no-dependence": "its training rows show no dependence on the features to mend",
    "only-on-test-rows": "its training rows do not show what the test rows do",
    "less-than-cost": "what there is to mend is no more than adjusting costs",
    "unseen": "what the adjustment changes is less than a point",
    "too-large": "its sets would be more than half as large again",
    "spoils-all": "after the adjustment coverage of all rows is too low",
}
"""Why to keep it, where the effect does not say so."""

_SO_MANY = 1_000  # calibration rows, where there are none to count

_LEFT = 0.02
"""A deviation of coverage after an adjustment from which on another may be worth a try."""

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
    chosen = best(result)
    if chosen is not None:
        advice.append(_use(result, chosen, group))
    else:
        adjustments = (by for by in result.predictors[1:] if by.is_adjustment)
        advice += [_on_adjustment(result, by) for by in adjustments]
    is_counted = result.data.sample is not None  # where the rows are, and nothing can be fitted
    is_mendable = not result.predictors[0].is_calibrated and not is_counted
    if is_mendable and (group is not None or advice or missed_class(result) is not None):
        advice.append(_on_ready_made(result))
    if result.adjustments:
        advice += _on_what_is_left(result, chosen, group)
    if group is not None:
        advice += _more_rows(result, group)
    advice += _on_protected(result)
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
        n = result.data.calibration or _SO_MANY
        law = CoverageLaw.of_calibration(n, result.settings["cl"])
        low, high = np.quantile(law.nodes, (0.025, 0.975)).tolist()
        text = (
            "Calibrate on rows that are like the test rows: that promises the level on average "
            f"over draws of such rows; with {n:,} of them coverage is between {points(low)} and "
            f"{points(high)} % in 95 of 100."
        )
        figures = {"rows": n, "low": low, "high": high}
        return _advice(result.reference, "recalibrate", text, **figures)
    text = (
        "Audit with other seeds (repeats) before you act on that: the split was random, so that "
        "only chance sets its test rows apart from the calibration rows."
    )
    return _advice(result.reference, "other-seeds", text)


def _use(result: AuditResult, by: AuditedPredictor, group: JudgedRow | None) -> Finding:
    """Return that it is to be used, with a word on what it does not mend or makes worse."""
    made, but, why = weighed(result, by), [], effect_of(result, by)
    text = f"Use the adjusted predictor ({by.title})"
    if why == "mixed":
        was, then = percent(made.lowest_before), percent(made.lowest_after)
        text += f": on the whole it gains more than it loses (lowest group {was} to {then})"
        low = lowered(result, by.name)[:1]
        but += [f"watch {in_brief(row)}, which falls to {percent(row.accuracy)}" for row in low]
    elif why == "unclear":
        found, cost = found_in_training(result, by.name), result.comparison(by.name).cost
        text += (
            f": the test rows are too few to tell, but the training rows clearly show more to mend "
            f"({points(found)} points) than adjusting costs ({points(cost)})"
        )
    after = same_group(result, group, by.name) if group else None
    if after is not None and after.status in TOO_LOW:
        but.append(f"{in_brief(after)} stays too low ({percent(after.accuracy)})")
    text += f"; but {' and '.join(but)}" if but else ""
    return _advice(by.name, "use", f"{text}.", why=why)


def _on_adjustment(result: AuditResult, by: AuditedPredictor) -> Finding:
    if effect_of(result, by) == "nothing":
        return _on_no_effect(result, by)
    why, made, rows = weighed(result, by).why, result.comparison(by.name), None
    if made.found and made.cost is not None:  # to cost half of what there is to mend
        rows = math.ceil(result.data.train * (2.0 * made.cost / made.found) ** 2)
    because = _BECAUSE.get(why) or f"the adjustment {EFFECTS[effect_of(result, by)]}"
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
            "made of them are calibrated and mended"
        )
        text += ", by the remedy label for each class." if missed_class(result) else "."
        return _advice(result.reference, "mend-sets", text)
    if math.isinf(result.row("test", result.reference).inefficiency):
        text = (
            "To mend these intervals here, some of which have no end, bring the model's "
            "predictions in place of them: those made of these are calibrated and mended."
        )
        return _advice(result.reference, "mend-predictions", text)
    text = (
        f"To mend these intervals here, audit their ends ({_named(ends)}) as two quantiles: some "
        "of the rows then calibrate and mend them, and the others judge it."
    )
    return _advice(result.reference, "mend-intervals", text, columns=ends)


def _on_what_is_left(
    result: AuditResult, chosen: AuditedPredictor | None, group: JudgedRow | None
) -> list[Finding]:
    """Return what else may mend what is chosen does not: for classes, groups, or all rows."""
    missed = missed_class(result)
    if missed is not None and _is_open(result, "label") and _has_rows(result, missed):
        text = (
            f"Try the remedy label: it promises the level for each class, so for "
            f"{brief(missed.value)}, too."
        )
        return [_try(result, "label", text, missed)]
    tried = result.adjustments if chosen is None else [chosen.name]
    if group is not None and all(
        same_group(result, group, name).status != "mended" for name in tried
    ):
        return _on_group(result, group)
    is_left = chosen is not None and result.comparison(chosen.name).spread_after > _LEFT
    if is_left or (chosen is None and _is_straight(result, SURE)):
        return _on_features(result, None)
    return []


def _is_straight(result: AuditResult, size: float) -> bool:
    """Say whether test rows or training rows show a dependence on features in a straight line."""
    shown = [p_value_of(result.row("test", result.reference))]
    shown += [row.found_p_value for row in result.comparisons if row.found_p_value is not None]
    return any(p_value <= size for p_value in shown)


def _try(result: AuditResult, remedy: str, text: str, who: JudgedRow | None = None) -> Finding:
    return _advice(result.reference, "try-remedy", text, who, remedy=remedy)


def _is_open(result: AuditResult, remedy: str) -> bool:
    """Say whether a remedy is one that can be tried and was not."""
    return result.predictors[0].is_calibrated and remedy not in result.names


def _has_rows(result: AuditResult, group: JudgedRow) -> bool:
    """Say whether a group, by its share of the test rows, can have a threshold of its own."""
    needed = smallest_calibration_size(result.settings["cl"])
    return group.n / result.data.test * result.data.calibration >= 2 * needed


def _on_group(result: AuditResult, group: JudgedRow) -> list[Finding]:
    """Return what may mend a group that no adjustment mends."""
    find, who = partial(_advice, result.reference, who=group), in_brief(group)
    columns = [*(group.columns if isinstance(group, SegmentRow) else group.variables)]
    hidden = sorted({*columns} & {*result.settings["audit_only"]})
    if hidden and (own := f"mondrian:{hidden[0]}") not in result.names:
        sees = "No adjustment" if _is_own_model(result) else "Neither model nor adjustment"
        text = (
            f"{sees} sees {_named(hidden)}: if it may be used for that, the remedy {own} beside "
            "the option use-protected calibrates each of its groups by itself."
        )
        return [find("unseen", text, columns=hidden, remedy=own)]
    if result.settings["group"] in columns:
        cluster = result.settings["group"]
        text = (
            f"Find what sets {who} apart and give the model that as a column: {brief(cluster)} "
            "itself has other values in new rows."
        )
        return [find("set-apart", text, columns=[cluster])]
    is_value = isinstance(group, SegmentRow) and group.kind == "column" and not group.is_band
    own = f"mondrian:{columns[0]}" if is_value else ""
    if own and _is_open(result, own) and _has_rows(result, group):
        text = f"Try the remedy {own}: it promises the level for each value of {brief(columns[0])}."
        return [_try(result, own, text, group)]
    return _on_features(result, group)


def _on_features(result: AuditResult, group: JudgedRow | None) -> list[Finding]:
    """Return by what remedy more may be mended of what depends on the features."""
    if _is_straight(result, levels.EFFECT) and _is_open(result, "quantile"):
        text = "Try the remedy quantile: it mends in one step what depends on features in a line."
        return [_try(result, "quantile", text, group)]
    find = partial(_advice, result.reference, "bends", who=group)
    few = 0 < len(result.data.encoded_features) <= MOST_FEATURES
    if few and _is_open(result, "quantile-pairs"):
        text = "Try the remedy quantile-pairs: it sees bends, and products of two features, too."
        return [find(text, remedy="quantile-pairs")]
    if not few and result.data.features and result.settings["ifacm_estimator"] == "logistic":
        text = (
            "Try the remedy ifacm with the estimator trees (ifacm-estimator): it sees bends, and "
            "what features do together, too."
        )
        return [find(text)]
    return []


def _more_rows(result: AuditResult, group: JudgedRow) -> list[Finding]:
    if (group.high - group.low) / 2.0 <= _WIDE:
        return []
    share = group.accuracy
    rows = math.ceil(4.0 * max(share * (1.0 - share), 0.05) / _WIDE**2)
    more = f"Some {_two_digits(rows)} test rows of {in_brief(group)}"
    text = f"{more} would tell their coverage to within 5 points."
    return [_advice(result.reference, "more-rows-of", text, group, rows=rows)]


def _on_protected(result: AuditResult) -> list[Finding]:
    features = [*protected_attributes(result.data.features)]
    if not features or not result.adjustments:
        return []
    uses, neither = "The model uses", "neither model nor adjustment would see it"
    if _is_own_model(result):  # of which nobody here knows what it uses
        uses, neither = "The adjustment may use", "it would not see it"
    text = f"{uses} {_named(features)}, which may be protected: made audit only, {neither}."
    return [_advice(result.reference, "audit-only", text, columns=features)]


def _is_own_model(result: AuditResult) -> bool:
    """Say whether what is audited was made by a model of the user's own."""
    return any(map(result.settings.get, ("prediction", "quantiles", "probabilities")))
