"""What adjustments make of the sizes of sets of protected and audit-only groups, and its harm."""

from typing import Any

from ..experiment.result import AuditedPredictor
from ..preparation.column_names import protected_attributes
from ..segments.group_sizes import Estimate, SizeChange, size_change
from .effects import effect_of
from .result import AuditResult, Finding
from .wording import brief

_WHY = (
    "People who decide by sets may then serve these groups less alike than before, even where each "
    "has the coverage promised."
)
"""As in an experiment: Cresswell, Kumar, Sui and Belbahri (2025), "Conformal prediction sets can
cause disparate impact"."""


def size_findings(result: AuditResult) -> list[Finding]:
    """Return, for each adjustment, in which column's groups it makes sizes most uneven."""
    rows, columns = result.test_rows, result.settings["audit_only"]
    if rows is None or rows.everywhere is not None:
        return []
    named = {*columns, *protected_attributes(result.data.features)}
    variables = [v for v in rows.variables if v.kind == "column" and named.issuperset(v.columns)]
    found = []
    for by in result.predictors[1:]:
        if effect_of(result, by) == "nothing":
            continue
        asked = rows, result.reference, by.name
        changes = (size_change(*asked, variable, len(variables)) for variable in variables)
        made = [change for change in changes if change is not None]
        if made:
            found.append(_finding(result, by, max(made, key=lambda change: change.unevenness)))
    return found


def _finding(result: AuditResult, by: AuditedPredictor, made: SizeChange) -> Finding:
    one, other = (
        f"those of '{brief(group)}' become {_grown(growth, result)}"
        for group, growth in ((made.group, made.growth), (made.other, made.growth_of_other))
    )
    after, before = map(_in_words, (made.after.estimate, made.before.estimate))
    ratio = f"the largest group mean is {after} times the smallest, {before} before"
    surely = "clearly" if made.is_uneven else "not clearly"
    how = f"the adjustment ({by.title}) makes {result.sets} {surely} more unequal in size"
    text = f"By {brief(made.variable)} {how}: {one}, {other}, so that {ratio}."
    figures: dict[str, Any] = {
        "column": made.variable,
        "group": made.group,
        "other": made.other,
        "growth": [*made.growth],
        "growth_of_other": [*made.growth_of_other],
        "ratio_before": [*made.before.estimate],
        "ratio_after": [*made.after.estimate],
        "unevenness": made.unevenness,
        "is_uneven": made.is_uneven,
    }
    who = next(
        row
        for row in result.of(result.segments, by.name)
        if row.group == (made.variable, made.group)
    )
    if not made.is_uneven:
        return Finding("sizes", "groups", by.name, text, who=who, figures=figures)
    return Finding("sizes-uneven", "remedy", by.name, f"{text} {_WHY}", "problem", who, figures)


def _grown(growth: Estimate, result: AuditResult) -> str:
    value, low, high = growth
    larger, smaller = ("wider", "narrower") if result.is_regression else ("larger", "smaller")
    low, high = (100.0 * (end - 1.0) for end in (low, high))
    way = larger if value > 1.0 else smaller
    return f"{abs(100.0 * (value - 1.0)):.1f} % {way} ({low:+z.1f} to {high:+z.1f} %)"


def _in_words(ratio: Estimate) -> str:
    value, low, high = ratio
    return f"{value:.3g} ({low:.3g} to {high:.3g})"
