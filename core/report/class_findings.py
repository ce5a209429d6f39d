"""Classes that are missed: a prediction sees the object alone, and few predictors promise them."""

from .. import levels
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from .result import AuditResult, Finding
from .wording import brief, clearly, gain_in_words, percent


def change_of(result: AuditResult, name: str, group: JudgedRow) -> dict[str, float]:
    """Return by how much an adjustment changes a group's coverage, and its interval, as figures."""
    made = result.change(name, group.group)
    return {"change": made.change, "change_low": made.low, "change_high": made.high}


def missed_class(result: AuditResult) -> SegmentRow | None:
    """Return the class that is missed most by any predictor, where it is surely below the level."""
    if result.is_regression:
        return None
    level = result.settings["cl"]
    missed = [
        row
        for row in result.segments
        if row.family == "label" and row.high < level and row.q_value <= levels.SEGMENTS
    ]
    return max(missed, key=lambda row: row.counted * (level - row.accuracy), default=None)


def class_findings(result: AuditResult) -> list[Finding]:
    """Return that a class is surely missed, by whom, and what promises it the level."""
    worst = missed_class(result)
    if worst is None:
        return []
    accuracy = {row.predictor: row.accuracy for row in result.segments if row.group == worst.group}
    figures = {
        "class": worst.value,
        "accuracy": accuracy,
        "changes": {name: change_of(result, name, worst) for name in result.adjustments},
    }
    made = {name: result.change(name, worst.group) for name in result.adjustments}
    verdicts = "".join(
        f", {clearly(one)}{result.words.at(name)} ({gain_in_words(one)})"
        for name, one in made.items()
        if one.is_clear
    )
    text = (
        f"Of those that are truly {brief(worst.value)}, {result.words.each(accuracy, percent)} of "
        f"{worst.n:,} are in their set{verdicts}: {_promise_for(result, worst)}."
    )
    of = result.reference, text
    certainty = worst.q_value
    return [Finding("class-missed", "coverage", *of, "neutral", worst, figures, certainty)]


def _promise_for(result: AuditResult, missed: SegmentRow) -> str:
    """Return what promises the level for each class, and whether one alone may exceed CL."""
    by = next((by.title for by in result.predictors if by.by_classes), "the remedy label")
    told = f"the level is promised for each class by {by} alone"
    if not result.predictors[0].is_calibrated:
        told += ", which takes the model's probabilities in place of its sets"
    level, of_all = result.settings["cl"], result.data.weights.get("test", result.data.test)
    common = [
        row
        for row in result.of(result.segments, result.reference)
        if row.kind == "label" and row.counted > level * of_all and row.value != missed.value
    ]
    if common:
        told += (
            f". {brief(common[0].value)} alone is {percent(common[0].counted / of_all)} of the "
            "rows, so that sets which never hold another class keep the promise"
        )
    return told
