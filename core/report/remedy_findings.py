"""What adjustments make of coverage: one function a kind of finding, with its sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .. import levels
from ..experiment.result import AuditedPredictor
from ..messages import counted
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow, judged_by
from .coverage_findings import change_of, holds_all, missed_class, named_group
from .dependence_findings import p_value_of
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
)

Effect = Literal["helps", "harms", "mixed", "unclear", "nothing"]
"""What an adjustment does; the last where it adjusts nothing."""

EFFECTS: Mapping[str, str] = {
    "helps": "helps",
    "harms": "does harm",
    "mixed": "helps in one way and does harm in another",
    "unclear": "makes no clear difference on the whole",
    "nothing": "changes nothing",
}
"""The same in words."""

_SEVERITIES: Mapping[Effect, Severity] = {"helps": "good", "harms": "problem", "mixed": "problem"}
"""Of those that are not neutral."""

_NOTHING = {
    "penalty": "adjusts nothing, as no layer is worth what it adds to the sets: after is as before",
    "stopped": "was stopped before its first layer: after is as before",
    "holds-all": "adjusts nothing, as every training row's set holds its label",
    "even": "found nothing to adjust: after is as before",
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
    if not by.is_adjustment:
        low = ", less than chance explains" if figures["low"] else ""
        too = "" if group is None else f" ({percent(figures['of_group'])} for {in_brief(group)})"
        text = f"With {by.title} coverage is {percent(figures['overall'])} over all rows{low}{too}."
        return [Finding("beside", "remedy", by.name, text, who=group, figures=figures)]
    if effect_of(result, by) == "nothing":
        why = by.fit.no_layer_reason
        text = f"The adjustment ({by.title}) {_NOTHING[why]}."
        figures |= {"effect": "nothing", "why": why}
        return [Finding("effect", "remedy", by.name, text, figures=figures)]
    return [_effect(result, by, group), *_spoilt(result, by.name), *_cost(result, by.name)]


def _after(result: AuditResult, name: str, group: JudgedRow | None) -> dict[str, Any]:
    coverage = result.coverage(name)
    of_group = {"of_group": same_group(result, group, name).accuracy} if group else {}
    return {"overall": coverage.share, "low": coverage.is_low, **of_group}


def _effect(result: AuditResult, by: AuditedPredictor, group: JudgedRow | None) -> Finding:
    name, effect, made = by.name, effect_of(result, by), result.comparison(by.name)
    before, after = (result.row("test", of) for of in (result.reference, name))
    missed = missed_class(result)
    if missed and not result.change(name, missed.group).is_clear:
        missed = None
    new = sum(row.status == "new" for row in groups(result, name))
    figures = {
        **_after(result, name, group),
        "effect": effect,
        "why": by.fit.no_layer_reason,
        **({"status": same_group(result, group, name).status} if group else {}),
        **(change_of(result, name, group) if group else {}),
        "unevenness": evenness_of(result, name),
        "spoils_all": spoils_all(result, name),
        "of_class": missed and {"class": missed.value, **change_of(result, name, missed)},
        "new": new,
        "raised": [{"group": row, **change_of(result, name, row)} for row in raised(result, name)],
        "dcv_crossfitted": [before.dcv_crossfitted, after.dcv_crossfitted],
        "unevenness_p_value": made.unevenness_p_value,
        "size_ratio_median": made.size_ratio_median,
        "size_ratio_mean": made.size_ratio_mean,
        "size_before": before.inefficiency,
        "size_after": after.inefficiency,
    }
    clauses = [_evenness(result, name), _of_group(result, name, group)]
    if figures["spoils_all"]:
        share = percent(figures["overall"])
        clauses.append(f"over all rows it is {share}, less than chance explains")
    if missed:
        verdict = clearly(result.change(name, missed.group))
        clauses.append(f"the class {brief(missed.value)} is {verdict} off")
    if new:
        are = "is" if new == 1 else "are"
        clauses.append(f"{counted(new, 'group')} {are} clearly too low only after it")
    told = "; ".join(filter(None, [*clauses, _price(result, name)]))
    text = f"The adjustment ({by.title}) {EFFECTS[effect]}: {told}."
    severity = _SEVERITIES.get(effect, "neutral")
    return Finding("effect", "remedy", name, text, severity, group, figures)


def _evenness(result: AuditResult, name: str) -> str:
    rows = (result.row("test", of) for of in (result.reference, name))
    before, after = (points(row.dcv_crossfitted) for row in rows)
    sure = certainty_in_words("p", result.comparison(name).unevenness_p_value)
    # cross-fitted values below 0 are shown as 0: those of two may be, and yet differ
    moved = "" if before == after else f"cross-fitted DCV {before} to {after} points, "
    how = {
        "more-even": f"more even ({moved}{sure})",
        "less-even": f"less even than it was ({moved}{sure})",
        "unclear": "neither clearly more even nor clearly less",
    }[evenness_of(result, name)]
    return f"coverage over the features is {how}"


def _of_group(result: AuditResult, name: str, group: JudgedRow | None) -> str:
    """Return what becomes of the group named, and of those that gain if it does not."""
    gain = ""
    if gaining := raised(result, name):
        first, *more = gaining
        others = f" and {len(more):,} more" if more else ""
        change = gain_in_words(result.change(name, first.group))
        gain = f"{in_brief(first)} ({change}){others} clearly gain{'' if more else 's'}"
    if group is None:
        return gain
    who, made = in_brief(group), result.change(name, group.group)
    then, change = same_group(result, group, name), gain_in_words(made)
    after = percent(then.accuracy)
    if then.status in ("mended", "better"):
        still = ", which is still too low" if then.status == "better" else ""
        return f"{who} comes to {after} ({change}){still}"
    if gain:
        return f"{gain}, but {who} is at {after} ({change})"
    if made.high < 0.0:
        return f"{who} falls to {after} ({change})"
    by_chance = ", which chance can explain" if made.change else ""
    return f"for {who} it is {after} after ({change}){by_chance}"


def _price(result: AuditResult, name: str) -> str:
    made = result.comparison(name)
    if made.size_ratio_median is None or made.size_ratio_mean is None:
        before, after = (result.row("test", of).inefficiency for of in (result.reference, name))
        return f"a set holds {after:.2f} classes on average, {before:.2f} before"
    changes = []
    for ratio in (made.size_ratio_median, made.size_ratio_mean):
        by = f"{abs(100.0 * (ratio - 1.0)):.1f} %"
        way = "wider" if ratio > 1.0 else "narrower"
        changes.append("neither wider nor narrower" if by == "0.0 %" else f"{by} {way}")
    median, mean = changes
    if median == mean == "neither wider nor narrower":
        return "intervals stay as wide as they were"
    return f"the median row's interval becomes {median} (the average row's {mean})"


def _spoilt(result: AuditResult, name: str) -> list[Finding]:
    """Return for whom coverage is too low after but was not before: most rows missed."""
    low = lowered(result, name)
    if not low:
        return []
    first, *more = low
    before = same_group(result, first, result.reference).accuracy
    # one that was too low before is judged by that
    judged = result.reference if first.status == "unchanged" else name
    q = judged_by(rows_like(result, first, judged), result.coverage(judged))[first.group]
    others = f", and for {len(more):,} more" if more else ""
    text = (
        f"It lowers coverage to what is too low for {rows_in_words(first)}: {percent(before)} "
        f"before and {percent(first.accuracy)} after ({certainty_in_words('q', q)}){others}."
    )
    figures = {"before": before, "after": first.accuracy, "groups": len(low)}
    return [Finding("group-spoilt", "remedy", name, text, "problem", first, figures, q)]


def _cost(result: AuditResult, name: str) -> list[Finding]:
    made, why, train = result.comparison(name), pays(result, name), result.data.train
    if made.cost is None:
        return []
    shown = f"about {points(made.found)} to mend"
    if why in ("no-dependence", "only-on-test-rows"):
        shown = "none to mend that can be told from chance"
        shown += ", but the test rows do" if why == "only-on-test-rows" else ""
    elif made.found is None:
        shown = "some to mend, how many is not known"
    elif why == "less-than-cost":
        shown += ", no more than that"
    text = (
        f"Adjusting by itself costs about {points(made.cost)} points of evenness, as only "
        f"{train:,} training rows tell where to; they show {shown}."
    )
    figures = {"cost": made.cost, "found": made.found, "pays": why, "train": train}
    certainty = made.found_p_value
    return [Finding("cost", "remedy", name, text, figures=figures, certainty=certainty)]


def effect_of(result: AuditResult, predictor: AuditedPredictor) -> Effect:
    """Return what an adjustment does, by paired tests on the test rows.

    It helps where it makes coverage over the features more even, or raises a group too low; it
    harms where it makes coverage less even, or lowers a group, or all rows, to what is clearly too
    low.
    """
    name = predictor.name
    if not predictor.adjusts:
        return "nothing"
    evenness = evenness_of(result, name)
    helps = evenness == "more-even" or bool(raised(result, name))
    harms = evenness == "less-even" or bool(lowered(result, name)) or spoils_all(result, name)
    if helps and harms:
        return "mixed"
    return "helps" if helps else "harms" if harms else "unclear"


def pays(
    result: AuditResult, name: str
) -> Literal["yes", "no-dependence", "only-on-test-rows", "less-than-cost"]:
    """Say whether the training rows show more to adjust than adjusting costs.

    An adjustment whose cost is known by no formula may see what their score test does not. Where
    the test rows clearly show a dependence, or a group to name, there is something to mend, though
    the training rows do not tell.
    """
    comparison = result.comparison(name)
    p_value, found, cost = comparison.found_p_value, comparison.found, comparison.cost
    if cost is None:
        return "yes"
    if p_value is not None and not p_value <= levels.EFFECT:
        is_sure = p_value_of(result.row("test", result.reference)) <= levels.FEATURES
        is_shown = is_sure or named_group(result) is not None
        return "only-on-test-rows" if is_shown else "no-dependence"
    return "less-than-cost" if found is not None and found <= cost else "yes"


def evenness_of(result: AuditResult, name: str) -> Literal["more-even", "less-even", "unclear"]:
    """Return how an adjustment changes the evenness of coverage over the features.

    For it to be more even something has to tell that there is anything to mend.
    """
    comparison = result.comparison(name)
    if not comparison.unevenness_p_value <= levels.EFFECT:
        return "unclear"
    if comparison.unevenness_change > 0.0:
        return "less-even"
    is_needed = pays(result, name) in ("yes", "only-on-test-rows")
    return "more-even" if is_needed else "unclear"


def spoils_all(result: AuditResult, name: str) -> bool:
    """Say whether coverage of all rows is too low after, but was not before."""
    return result.coverage(name).is_low and not result.coverage(result.reference).is_low


def groups(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return a predictor's segments and rules."""
    return [*result.of(result.segments, name), *result.of(result.worst_segments, name)]


def raised(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups that were too low and have clearly more coverage, most rows first."""
    mended = [row for row in groups(result, name) if row.status in ("mended", "better")]
    return sorted(mended, key=lambda row: -row.n * result.change(name, row.group).change)


def lowered(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups too low after that were not before, or clearly less, as rows left them."""
    low: list[JudgedRow] = [*result.too_low(name), *result.rules_too_low(name)]
    level: float = result.settings["cl"]
    return [
        row
        for row in low
        if result.change(name, row.group).high < 0.0
        and (row.status == "unchanged" or same_group(result, row, result.reference).high >= level)
    ]


def same_group(result: AuditResult, group: JudgedRow, name: str) -> JudgedRow:
    """Return the same group by another predictor."""
    return next(row for row in rows_like(result, group, name) if row.group == group.group)


def rows_like(result: AuditResult, group: JudgedRow, name: str) -> Sequence[JudgedRow]:
    """Return a predictor's segments or rules, whichever the group is one of."""
    if isinstance(group, SegmentRow):
        return result.of(result.segments, name)
    return result.of(result.worst_segments, name)
