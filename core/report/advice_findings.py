"""What to do now: each advice where it is due, with its sentence."""

import math
from collections.abc import Iterator
from typing import Any

from .. import levels
from ..conformal.label_measures import UNKNOWN_CLASS
from ..conformal.rank import CoverageLaw, smallest_calibration_size
from ..experiment.result import AdjustmentRow, AuditedPredictor
from ..remedies.quantile import MOST_FEATURES
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from ..tables.grammar import write_columns
from . import effects
from .class_findings import missed_class
from .dependence_findings import by_trees_of, on_audit_only, p_value_of, seen_columns
from .groups import all_groups, holds_all, named_group, once
from .result import AuditResult, Finding
from .wording import (
    about_percent,
    brief,
    certainty_in_words,
    in_brief,
    percent,
    points,
    spread_moves,
)

ADVICE_IN_BRIEF = {
    "more-calibration-rows": "to use more rows",
    "learn-class": "to take a model that knows every class",
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
    "unseen": "to calibrate the groups of audit-only columns",
    "try-remedy": "to try another remedy",
    "bends": "to try the estimator trees within IFACM",
    "more-rows-of": "to get more rows of the group",
}
"""Each kind of advice as the end of "the advice is"."""

_TEXTS = {
    "more-calibration-rows": "Use more rows, or a lower confidence level.",
    "learn-class": "Take a model that knows {classes}, too, or leave out the rows of {classes}.",
    "recalibrate": "Calibrate on rows that are like the test rows; that promises the level on "
    "average over draws of such rows; with {rows} of them coverage is between {low} and {high} % "
    "in 95 of 100.",
    "other-seeds": "Audit with other seeds (repeats) before you act on that: the split was random, "
    "so that only chance sets its test rows apart from the calibration rows.",
    "mend-intervals": "To mend these intervals here, audit their ends ({ends}) as two quantiles; "
    "some of the rows then calibrate and mend them, and the others judge the result.",
    "mend-predictions": "To mend these intervals here, some of which have no end, bring the "
    "model's predictions in place of them: those made of these are calibrated and mended.",
    "mend-sets": "To mend these sets here, bring the model's probabilities in place of its sets: "
    "those made of them are calibrated and mended{of_classes}.",
    "keep": "Keep the predictor as it was before: {because}.",
    "use": "Use the adjusted predictor ({title}){told}.",
    "try-c": "Try C = {suggested}: at C = {c} no layer pays for its larger sets, though DCV is "
    "clearly above its floor.",
    "restart": "Try the restarted search: from other starts it finds a layer.",
    "run-on": "Let the adjustment run on: it was stopped before its first layer.",
    "unseen": "If the audit-only {hidden} may be used, {remedy} with use-protected promises each "
    "of its groups the level; {sees} sees it.",
    "try-remedy": "Try {remedy}{beside}: {why}.",
    "bends": "Try the remedy ifacm with the estimator trees (ifacm-estimator): it sees bends, and "
    "what features do together, too.",
    "more-rows-of": "To know coverage of {group} within 5 points takes some {rows} test rows.",
}

_MOST_ADVICE = 3
_STILL: dict[str | None, str] = dict.fromkeys(("better", "unchanged"), "stays")
_STILL |= {"new": "becomes", "unclear": "may still be"}
_MOST_TOLD = 3  # groups that are too low, and classes that lose

_BECAUSE = {
    "no-dependence": "its training rows show nothing to mend along straight lines",
    "only-on-test-rows": "in a straight line its training rows do not show what the test rows do",
    "less-than-cost": "what there is to mend is no more than adjusting costs",
    "unseen": "what the adjustment changes is less than a point",
    "too-large": "sets of the adjustment would be more than half as large again",
    "spoils-all": "after the adjustment coverage of all rows is too low",
    **{effect: f"the adjustment {words}" for effect, words in effects.EFFECTS.items()},
}
"""Why to keep it."""

_PROMISES = {
    "label": "it promises the level for each class, which others may pay for",
    "label:": "it promises the level for each class within each value of {of}",
    "groups": "it promises the level for each {of}",
    "quantile": "it can mend in one step what depends on features in a line",
    "auto": "it chooses by training rows alone what makes coverage most even as lines and trees "
    "see it, and trees see bends, and what features do together",
    "quantile-pairs": "it can mend in one step what depends on features, bends and products too",
}
"""Why to try a remedy."""

_SO_MANY = 1_000  # calibration rows, where there are none to count

_LEFT = 0.02
"""A deviation of coverage by what is to be used from which on another may be worth a try."""

_WIDE = 0.05  # a share known to within so much either way is known well enough to act on


def advice_findings(result: AuditResult) -> list[Finding]:
    """Return up to three things to do now."""
    first = result.reference
    unknown = (note.values for note in result.predictors[0].fit.notes if note.code == UNKNOWN_CLASS)
    advice = [_advice(first, "learn-class", {"classes": str(of["classes"])}) for of in unknown]
    if holds_all(result):
        return advice or [_advice(first, "more-calibration-rows")]
    group, is_low = named_group(result), result.coverage(first).is_low
    # of counted rows nothing can be fitted
    is_mendable = not result.predictors[0].is_calibrated and result.data.sample is None
    if is_mendable and (group is not None or is_low or missed_class(result) is not None):
        advice.append(_on_ready_made(result))
    if is_low:
        advice += _on_all_rows(result)
    chosen = effects.best(result)
    if chosen is not None:
        advice.append(_use(result, chosen, group))
    else:
        advice += [_on_adjustment(result, by) for by in result.predictors[1:]]
    if result.adjustments:
        advice += _on_what_is_left(result, chosen, group)
    if group is not None:
        group = effects.same_group(result, group, first if chosen is None else chosen.name)
    if group is not None and group.status != "mended" and (group.high - group.low) / 2.0 > _WIDE:
        share = group.accuracy
        alike = group.n / max(group.n_effective, 1)
        rows = math.ceil(4.0 * alike * max(share * (1.0 - share), 0.05) / _WIDE**2)
        told = {"rows": _two_digits(rows), "group": in_brief(group)}
        advice.append(_advice(first, "more-rows-of", told, group, rows=rows))
    once: dict[str, Finding] = {}
    for each in advice:
        once.setdefault(each.advice, each)
    return list(once.values())[:_MOST_ADVICE]


def _advice(
    predictor: str,
    kind: str,
    told: dict[str, str] | None = None,
    who: JudgedRow | None = None,
    **figures: Any,  # noqa: ANN401 - whatever it is due to
) -> Finding:
    """Return an advice with its sentence, of which ``told`` are words that are no figures."""
    sentence = _TEXTS[kind].format_map(figures | (told or {}))
    return Finding(
        *("advice", "advice", predictor, sentence), who=who, figures=figures, advice=kind
    )


def _named(columns: list[str]) -> str:
    return ", ".join(map(brief, columns))


def _two_digits(rows: int) -> str:
    return f"{float(f'{rows:.2g}'):,.0f}"


def _on_all_rows(result: AuditResult) -> list[Finding]:
    """Return what to do where coverage is too low over all rows; nothing after other seeds.

    More than chance may set test rows apart from what sets were calibrated on.
    """
    if result.settings.get("repeats", 1) > 1:
        return []
    fixed = result.settings.get("split_column") or result.settings.get("time")
    if result.predictors[0].is_calibrated and not fixed:
        return [_advice(result.reference, "other-seeds")]
    n, rows = result.data.calibration or _SO_MANY, result.test_rows
    law = CoverageLaw.of_calibration(n, result.settings["cl"])
    if rows is not None and not rows.law.is_fixed:
        law = rows.law  # which knows of weights and clusters
    low, high = law.interval(0.95)
    told = {"rows": f"{n:,}", "low": points(low), "high": points(high)}
    return [_advice(result.reference, "recalibrate", told, rows=n, low=low, high=high)]


def _use(result: AuditResult, by: AuditedPredictor, group: JudgedRow | None) -> Finding:
    """Return that it is to be used, with a word on what it does not mend or makes worse."""
    why = effects.effect_of(result, by)
    low = effects.lowered(result, by.name)[:1] if why == "mixed" else []
    but = [f"watch {in_brief(row)}, which falls to {percent(row.accuracy)}" for row in low]
    but += [*_too_low_then(result, by, group, low), *_beside_groups(result, by)]
    told = _because_used(result, by) + (f"; but {'; '.join(but)}" if but else "")
    return _advice(by.name, "use", {"title": by.title, "told": told}, why=why)


def use_in_short(result: AuditResult, name: str) -> str:
    """Return that a predictor is to be used, without what becomes of groups."""
    by = next(each for each in result.predictors if each.name == name)
    but = "; but ".join([_because_used(result, by), *_beside_groups(result, by)])
    return _TEXTS["use"].format(title=by.title, told=but)


def _because_used(result: AuditResult, by: AuditedPredictor) -> str:
    """Return why it is to be used, where that is not plain."""
    name, told, why = by.name, "", effects.effect_of(result, by)
    if why == "mixed":
        told = f": {_outweighing(result, by)}"
    elif effects.keeps_sides(result, name):
        below = result.settings["below"]
        shares = about_percent(below), about_percent(1.0 - result.settings["cl"] - below)
        told = ": as asked, it promises at most {} of labels below, and {} above".format(*shares)
    elif why == "unclear":
        told = f": the test rows are too few to tell, but {_in_training(result.comparison(name))}"
    return told


def _beside_groups(result: AuditResult, by: AuditedPredictor) -> Iterator[str]:
    """Yield what else it makes worse, or does not mend: classes, and audit-only columns."""
    if lost := effects.classes_lost(result, by):
        before = (effects.same_group(result, row, result.reference) for row in lost)
        each = [
            f"{brief(row.value)} {percent(was.accuracy)} to {percent(row.accuracy)}"
            for row, was in zip(lost[:_MOST_TOLD], before, strict=False)
        ]
        more = f" and {len(lost) - len(each):,} more" if len(lost) > len(each) else ""
        yield f"other classes lose ({', '.join(each)}{more})"
    for of, row in on_audit_only(result, by.name):
        if row.p_value <= levels.AUDIT_ONLY:
            yield f"coverage clearly depends on {seen_columns(of)} with it"


def _in_training(made: AdjustmentRow) -> str:
    """Return what the training rows surely show."""
    p_value = 1.0 if made.found_p_value is None else made.found_p_value
    shown = "the training rows clearly show a dependence on the features to mend"
    much = "" if made.found is None else f", about {points(made.found)} points"
    cost = "" if made.found is None else f" at a cost of {points(made.cost)}"
    return f"{shown} ({certainty_in_words('p', p_value)}{much}{cost})"


def _too_low_then(
    result: AuditResult, by: AuditedPredictor, group: JudgedRow | None, told: list[JudgedRow]
) -> Iterator[str]:
    """Yield which groups are too low with an adjustment to be used, but for those told of."""

    def is_asked_about(row: JudgedRow) -> bool:
        return row.family == "named" or (group is not None and row.group == group.group)

    rows = once(all_groups(result, by.name))
    still = [row for row in rows if row.status in _STILL and row not in told]
    still.sort(key=lambda row: (not is_asked_about(row), row.status == "unclear"))
    for row in still[:_MOST_TOLD]:
        yield f"{in_brief(row)} {_STILL[row.status]} too low ({percent(row.accuracy)})"
    if rest := still[_MOST_TOLD:]:
        may = "do or may " if rest[-1].status == "unclear" else "do " if len(rest) > 1 else "does "
        yield f"so {may}{len(rest):,} more"


def _outweighing(result: AuditResult, by: AuditedPredictor) -> str:
    """Return the figure by which what helps one way and harms in another is to be used."""
    first, name, missed = result.reference, by.name, missed_class(result)
    if by.by_classes and missed is not None:
        was, then = (
            percent(effects.same_group(result, missed, of).accuracy) for of in (first, name)
        )
        return f"it promises for classes: {brief(missed.value)} goes from {was} to {then}"
    if effects.outweighs(result, by) == "evenness":
        made, of = result.comparison(name), "classes" if by.by_classes else "features"
        sure = certainty_in_words("p", made.unevenness_p_value)
        moves = spread_moves(made.spread_before, made.spread_after)
        moved = f"{moves}, " if moves else ""
        return f"coverage over the {of} is more even ({moved}{sure})"
    most = ((of, *effects.most_missed(result, of)) for of in (first, name))
    told = [
        f"{rows:.0f} of {in_brief(row)} {result.words.when(of)}" for of, rows, row in most if row
    ]
    return f"the worst group misses fewer rows than before (too many: {', '.join(told)})"


def _on_adjustment(result: AuditResult, by: AuditedPredictor) -> Finding:
    """Return what to do with one that is not to be used."""
    why, made, rows = effects.against(result, by), result.comparison(by.name), None
    named = f"the adjustment ({by.title})" if len(result.adjustments) > 1 else "the adjustment"
    because = _BECAUSE.get(why, "").replace("the adjustment", named)
    if why == "nothing":
        suggested, reason = by.fit.suggested_penalty, by.fit.no_layer_reason
        if suggested is not None and effects.pays(result, by.name) == "yes":
            values = {"c": result.settings["c"], "suggested": suggested}
            told = {name: f"{value:g}" for name, value in values.items()}
            return _advice(by.name, "try-c", told, **values)
        if reason in ("stopped", "stalled"):
            return _advice(by.name, "run-on" if reason == "stopped" else "restart")
        return _advice(by.name, "keep", {"because": because}, why=why)
    if why == "no-dependence" and by_trees_of(result.row("test", result.reference)) > levels.EFFECT:
        because += ", and its test rows nothing by trees"
    if made.found and made.cost is not None:  # to cost half of what there is to mend
        rows = math.ceil(result.data.train * (2.0 * made.cost / made.found) ** 2)
        if why == "less-than-cost":
            because += f"; with some {_two_digits(rows)} training rows it would pay"
    return _advice(by.name, "keep", {"because": because}, why=why, rows=rows)


def _on_ready_made(result: AuditResult) -> Finding:
    """Return how sets that stand in the table can be given in another form, to be mended."""
    ends = [result.settings["lower"], result.settings["upper"]]
    if None in ends:
        of_classes = ", by the remedy label for each class" if missed_class(result) else ""
        return _advice(result.reference, "mend-sets", {"of_classes": of_classes})
    if math.isinf(result.row("test", result.reference).inefficiency):
        return _advice(result.reference, "mend-predictions")
    return _advice(result.reference, "mend-intervals", {"ends": _named(ends)}, columns=ends)


def _on_what_is_left(
    result: AuditResult, chosen: AuditedPredictor | None, group: JudgedRow | None
) -> list[Finding]:
    """Return what else may mend what is chosen does not: for groups, classes, or all rows."""
    first, tried = result.reference, result.adjustments if chosen is None else [chosen.name]
    if group is not None and any(
        effects.same_group(result, group, of).status == "mended" for of in tried
    ):
        group = None
    used = first if chosen is None else chosen.name
    if effects.keeps_sides(result, used):
        return []
    audit_only, columns = {*result.settings["audit_only"]}, set[str]()
    if group is not None:
        columns = effects.columns_of(group)
    elif any(row.p_value <= levels.AUDIT_ONLY for _, row in on_audit_only(result, used)):
        columns = audit_only
    hidden = sorted(columns & audit_only)
    if hidden and (own := f"groups:{write_columns(hidden, '+')}") not in result.names:
        said = map(result.settings.get, ("prediction", "quantiles", "probabilities"))
        # of a model of the user's own nobody here knows what it sees
        sees = "no adjustment" if any(said) else "neither model nor adjustment"
        told = {"sees": sees, "hidden": _named(hidden)}
        return [_advice(first, "unseen", told, group, columns=hidden, remedy=own)]
    if group is not None and len(hidden) == len(columns):
        group = None  # which no remedy below sees
    comparisons = map(result.comparison, tried)
    is_left = group is not None or all(_is_uneven(made, chosen) for made in comparisons)
    harmful = (by.name for by in result.predictors[1:] if effects.effect_of(result, by) == "harms")
    harm = {name.partition("-")[0] for name in harmful}
    for remedy, who, of in _remedies(result, group, used, is_left=is_left):
        if remedy not in result.names and remedy.partition("-")[0] not in harm:
            kind, _, column = remedy.partition(":")
            promise = "label:" if kind == "label" and column else kind
            # one in place of the other would lead back to it
            beside = "" if chosen is None else f" beside {chosen.name}"
            told = {"why": _PROMISES[promise].format(of=brief(of)), "beside": beside}
            return [_advice(first, "try-remedy", told, who, remedy=remedy)]
    is_line = result.settings["ifacm_estimator"] == "logistic"
    if is_left and is_line and len(result.data.encoded_features) > MOST_FEATURES:
        return [_advice(first, "bends", who=group)]
    return []


def _is_uneven(made: AdjustmentRow, chosen: AuditedPredictor | None) -> bool:
    """Say whether coverage clearly spreads by what is to be used: an adjustment, or none."""
    spread, p_value = made.spread_after, made.spread_p_value_after
    if chosen is None:
        spread, p_value = made.spread_before, made.spread_p_value_before
    return spread > _LEFT and p_value <= levels.EFFECT


def _remedies(
    result: AuditResult, group: JudgedRow | None, used: str, *, is_left: bool
) -> Iterator[tuple[str, JudgedRow | None, str]]:
    """Yield remedies that may mend what is left, with whom, and for what: the surest first.

    What depends on features in a straight line the quantile adjustments mend by fewer terms than
    IFACM, so that they are worth a try whatever test rows see of what is left; with products of
    features, which are held back where nothing shows them, as well as without. Where trees surely
    see something left by the predictor to be ``used``, what goes by trees comes before.
    """
    missed, columns = missed_class(result), len(result.data.encoded_features)
    by_classes = any(by.by_classes for by in result.predictors)
    if missed is not None and not by_classes and _has_rows(result, missed):
        yield "label", missed, missed.value
    value = group if isinstance(group, SegmentRow) else None
    tried = value is not None and f"mondrian:{value.variable}" in result.names  # which is the same
    if value is not None and value.kind == "column" and not tried and _has_rows(result, value):
        column = write_columns([value.variable], "+")
        kind = "label" if by_classes and not value.is_band else "groups"
        yield f"{kind}:{column if kind == 'groups' else value.variable}", value, value.variable
    first = result.row("test", result.reference)
    is_seen = not by_trees_of(first) > levels.EFFECT  # no advice by straight lines alone
    has_trees = "quantile-trees" in result.names
    if columns and by_trees_of(result.row("test", used)) <= effects.SURE and not has_trees:
        yield "auto", group, ""
    shown = [p_value_of(first)]
    shown += [row.found_p_value for row in result.comparisons if row.found_p_value is not None]
    is_straight = any(p_value <= effects.SURE for p_value in shown) and is_seen
    # where trees were chosen there are bends, or products, which pairs mend by fewer terms
    choice = next(by.fit.choice for by in result.predictors if by.name == used)
    bends = choice is not None and choice.remedy == "quantile-trees"
    if (is_left or is_straight or bends) and 0 < columns <= MOST_FEATURES:
        yield "quantile-pairs", group, ""
    elif is_straight and columns:
        yield "quantile", group, ""


def _has_rows(result: AuditResult, group: JudgedRow) -> bool:
    """Say whether a group, by its share of the test rows, can have a threshold of its own."""
    needed = smallest_calibration_size(result.settings["cl"])
    return group.n / result.data.test * result.data.calibration >= 2 * needed
