"""What adjustments make of sizes of sets by protected columns and that of the group named."""

import math

from ..experiment.result import AuditedPredictor
from ..preparation.column_names import protected_attributes
from ..segments.group_sizes import Estimate, SizeChange, size_change
from .effects import columns_of, effect_of
from .groups import named_group
from .result import AuditResult, Finding
from .wording import brief

_UNSEEN = 0.0005  # a growth that is none as written
_WHY = (
    "People who decide by sets may then serve these groups less alike than before, even where each "
    "has the coverage promised."
)
"""As in an experiment: Cresswell, Kumar, Sui and Belbahri (2025), "Conformal prediction sets can
cause disparate impact"."""


def size_findings(result: AuditResult) -> list[Finding]:
    """Return, for each adjustment, in which protected column's groups sizes become most uneven.

    By the column of the group named they are told, too, but are no harm: it is mended by them.
    """
    rows, found = result.test_rows, []
    if rows is None or rows.everywhere is not None:
        return []
    spared = result.settings["not_protected"]
    named = {*result.settings["audit_only"], *protected_attributes(result.data.features, spared)}
    group = named_group(result)
    low = set() if group is None else columns_of(group) - named
    by_column = [v for v in rows.variables if v.kind == "column"]
    variables = [v for v in by_column if named.issuperset(v.columns)]
    beside = [v for v in by_column if low.issuperset(v.columns)]
    for by in result.predictors[1:]:
        if effect_of(result, by) != "nothing":
            asked = rows, result.reference, by.name
            for of in (variables, beside):
                changes = (size_change(*asked, variable, len(of)) for variable in of)
                if made := [change for change in changes if change is not None]:
                    worst = max(made, key=lambda change: change.unevenness)
                    found.append(_finding(result, by, worst, is_harm=of is variables))
    return found


def _finding(
    result: AuditResult, by: AuditedPredictor, made: SizeChange, *, is_harm: bool
) -> Finding:
    larger, smaller = ("wider", "narrower") if result.is_regression else ("larger", "smaller")

    def grown(group: str, growth: Estimate) -> str:
        if math.isinf(growth[0]) or max(abs(each - 1.0) for each in growth) < _UNSEEN:
            become = "become infinite" if math.isinf(growth[0]) else "stay as they are"
            return f"those of '{brief(group)}' {become}"
        by, low, high = (100.0 * (each - 1.0) for each in growth)
        way = larger if by > 0.0 else smaller
        ends = f"({low:+.1f} to {high:+.1f} %)"
        return f"those of '{brief(group)}' become {abs(by):.1f} % {way} {ends}"

    after, before = (
        f"{ratio:.3g} ({low:.3g} to {high:.3g})"
        for ratio, low, high in (made.ratio_after, made.ratio_before)
    )
    surely = "clearly" if made.is_uneven else "not clearly"
    how = f"the adjustment ({by.title}) makes {result.sets} {surely} more unequal in size"
    groups = f"{grown(made.group, made.growth)}, {grown(made.other, made.growth_of_other)}"
    ratio = f"the largest mean is {after} times the smallest, {before} before"
    if not math.isfinite(made.ratio_after[0]):
        ratio = "the means have no finite ratio"
        if math.isfinite(made.ratio_before[0]):
            ratio += f", where the largest was {before} times the smallest before"
    text = f"By {brief(made.column)} {how}: {groups}; of its groups {ratio}."
    figures = vars(made) | {"is_uneven": made.is_uneven}
    rows = result.of(result.segments, by.name)
    who = next(row for row in rows if row.group == (made.column, made.group))
    if not (made.is_uneven and is_harm):
        return Finding("sizes", "groups", by.name, text, who=who, figures=figures)
    return Finding("sizes-uneven", "remedy", by.name, f"{text} {_WHY}", "problem", who, figures)
