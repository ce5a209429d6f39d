"""How coverage depends on the features and on audit-only columns, and how sure that is."""

import math
from collections.abc import Mapping
from typing import Any

from .. import levels
from ..coverage.null_model import ENOUGH
from ..experiment.result import ResultRow
from ..segments.by_audit_only import AuditOnlyRow
from .result import AuditResult, Finding
from .wording import about_percent, brief, points

_Row = ResultRow | AuditOnlyRow

_COLUMNS = "the audit-only columns"
BY_TREES = "the features by trees"
"""As boosted trees see the dependence on them."""
_SMALLEST_P = 0.001
_UNTOLD = (
    "Whether coverage depends on the features is not tested: by weight the clusters with the rarer "
    f"outcome are worth fewer than {ENOUGH} alike, of which no test keeps its error rate."
)


def dependence_findings(result: AuditResult) -> list[Finding]:
    """Return how sure a dependence is by each predictor, and how large."""
    rows = [result.row("test", name) for name in result.names]
    first = rows[0]
    if first.parameters == 1:  # the intercept: there is no feature
        return [_depends(result, row, of) for of, row in on_audit_only(result)]
    if math.isnan(p_value_of(first)):
        if 0.0 < first.accuracy < 1.0 and result.data.weights:
            return [Finding("dependence-untold", "dependence", first.predictor, _UNTOLD)]
        word = "right" if first.accuracy == 1.0 else "wrong"
        text = (
            f"All prediction sets of the test rows are {word}, so nothing can be said of how "
            "coverage depends on the features."
        )
        figures = {"word": word}
        return [Finding("all-alike", "dependence", first.predictor, text, figures=figures)]
    found = [_depends(result, row) for row in rows if not math.isnan(p_value_of(row))]
    found += [finding for row in rows for finding in _by_trees(result, row)]
    return [*found, *(_depends(result, row, of) for of, row in on_audit_only(result))]


def on_audit_only(result: AuditResult, *names: str) -> list[tuple[str, AuditOnlyRow]]:
    """Return the rows of the audit-only columns together, or of the only one, with their name.

    Of the predictors named, or of all.
    """
    rows = result.audit_only[: len(result.names)]
    asked = (row for row in rows if row.predictor in (names or result.names))
    known = (row for row in asked if not math.isnan(row.p_value))
    return [(_COLUMNS if row.joint else row.column, row) for row in known]


def p_value_of(row: _Row) -> float:
    """Return the p-value of the estimator behind DCV where there is one, else of the score test.

    NaN where nothing tells, as of outcomes that are all equal.
    """
    permuted = row.p_value_permuted if isinstance(row, ResultRow) else None
    value = row.p_value if permuted is None else permuted
    return math.nan if value is None else value


def by_trees_of(row: ResultRow) -> float:
    """Return the p-value of what boosted trees see; NaN where they see nothing."""
    return math.nan if row.p_value_trees is None else row.p_value_trees


def seen_columns(of: str) -> str:
    """Return on what columns coverage depends; the features where ``of`` names no others."""
    if not of:
        return "the features"
    return of if of in (_COLUMNS, BY_TREES) else f"the audit-only column {brief(of)}"


def chance_in_words(p_value: float) -> str:
    """Return how often chance alone does as much."""
    if p_value < _SMALLEST_P:
        return "chance alone does as much in fewer than 1 of 1,000 cases"
    return f"chance alone does as much in {about_percent(p_value)} of cases"


def _depends(result: AuditResult, row: _Row, of: str = "") -> Finding:
    """Return how sure a dependence is, and how large; ``of`` says on what, if not the features."""
    p_value = p_value_of(row)
    size = levels.AUDIT_ONLY if of else levels.FEATURES
    coverage, is_sure = result.coverage(row.predictor), p_value <= size
    permuted = row.p_value_permuted if isinstance(row, ResultRow) else None
    in_a_line = row.in_a_line if isinstance(row, AuditOnlyRow) else permuted is None
    figures: dict[str, Any] = {
        "of": of,
        "in_a_line": in_a_line,
        "is_sure": is_sure,
        # DCV holds the level, too, which the score test does not look at
        "off_over_all": coverage.is_low or coverage.is_high,
        "level": coverage.share - coverage.level,
        "size": size + levels.OVERALL,
        "corrected": row.dcv_corrected,
        "low": row.dcv_corrected_low,
        "high": row.dcv_corrected_high,
        "dcv": row.dcv,
        "floor": row.dcv_floor_unadjusted if isinstance(row, ResultRow) else row.dcv_floor,
    }
    how = " in a straight line" if in_a_line else ""
    return _claim(result, row, p_value, size, (of, how), figures, _deviation(result, figures))


def _by_trees(result: AuditResult, row: ResultRow) -> list[Finding]:
    """Return how sure a dependence is that boosted trees see, and how large."""
    p_value, ert = by_trees_of(row), row.ert_l2_trees
    low, high = row.ert_l2_trees_low, row.ert_l2_trees_high
    if ert is None or low is None or high is None or math.isnan(p_value):
        return []
    coverage, is_sure = result.coverage(row.predictor), p_value <= levels.TREES
    off_over_all = coverage.is_low or coverage.is_high
    dcv = row.dcv_crossfitted_trees
    figures = {"is_sure": is_sure, "dcv": dcv, "ert_l2": ert, "low": low, "high": high}
    off, least, most = (points(math.sqrt(max(0.0, each))) for each in (ert, low, high))
    told = f"ERT {ert:z.5f}, 95 % interval {low:z.5f} to {high:z.5f}"
    found = f"On rows that they were not fitted on they find nothing but noise ({told})."
    if (is_sure or off_over_all) and ert > 0.0:
        level = min(abs(coverage.share - coverage.level), math.sqrt(ert))
        alike = f", {points(level)} of them over all rows alike" if off_over_all else ""
        found = (
            f"By rows that they were not fitted on it is off {result.promised} by about {off} "
            f"points ({least} to {most}){alike} ({told})."
        )
    elif is_sure:
        found = f"How far it is off other rows do not tell ({told})."
    elif high > 0.0:
        found = f"Whatever they see is likely below {most} points ({told})."
    return [_claim(result, row, p_value, levels.TREES, ("", " by trees"), figures, found, "trees")]


def _claim(
    result: AuditResult,
    row: _Row,
    p_value: float,
    size: float,
    about: tuple[str, str],
    figures: Mapping[str, Any],
    deviation: str,
    kind: str = "dependence",
) -> Finding:
    """Return a finding that coverage depends on columns, or that nothing shows it."""
    (of, how), is_sure, adjusted = about, p_value <= size, row.predictor in result.adjustments
    when, chance = result.words.when(row.predictor), chance_in_words(p_value)
    is_doubtful = size < p_value <= levels.EFFECT
    if is_doubtful:
        chance += f"; a claim takes {about_percent(size)}"
    evidence = "clear evidence" if is_sure else "no clear evidence"
    evidence = "some evidence, but not enough to claim it," if is_doubtful else evidence
    text = f"there is {evidence} that coverage depends on {seen_columns(of)}{how} ({chance})"
    if adjusted:
        as_to = f"as to {seen_columns(of)}, " if of else ""
        left = f"{'a' if is_sure else 'no'} dependence{how} is clearly left"
        if is_sure and not _is_shown(result, of, kind):
            left = f"a dependence{how} is clearly there, which was not clear before"
        left = f"a dependence{how} may be left, but too little is seen" if is_doubtful else left
        text = f"{as_to}{left} ({chance})"
    text = f"{when}, {text}" if when else text
    return Finding(
        f"{kind}-left" if adjusted else kind,
        "audit-only" if of else "dependence",
        row.predictor,
        f"{text[0].upper()}{text[1:]}. {deviation}",
        # what an adjustment leaves behind is weighed by its effect
        severity="problem" if is_sure and not adjusted else "neutral",
        figures=figures,
        certainty=p_value,
    )


def _is_shown(result: AuditResult, of: str, kind: str) -> bool:
    """Say whether there is some evidence of a dependence before any adjustment."""
    first = result.row("test", result.reference)
    if kind == "trees":
        return by_trees_of(first) <= levels.EFFECT
    named = dict(on_audit_only(result, result.reference))
    return p_value_of(named[of] if of else first) <= levels.EFFECT


def _deviation(result: AuditResult, figures: Mapping[str, Any]) -> str:
    alike = ""
    if figures["off_over_all"]:
        level = min(abs(figures["level"]), figures["corrected"] or math.inf)  # a part of it
        alike = f", {points(level)} of them over all rows alike"
    if figures["corrected"] is not None and not (figures["is_sure"] or figures["off_over_all"]):
        most = points(figures["high"])  # an interval from more than 0 on would be a claim
        line = "in a straight line " if figures["in_a_line"] else ""
        of_rows = "points (root mean square over the rows)"
        return f"Whatever there is {line}is likely below {most} {of_rows}."
    if figures["corrected"] is not None:
        return (
            f"It is off {result.promised} by about {points(figures['corrected'])} points (root "
            f"mean square over the rows, 95 % interval {points(figures['low'])} to "
            f"{points(figures['high'])}){alike}."
        )
    seen = f"How far it is off is not known: DCV is {points(figures['dcv'])} points"
    if figures["floor"] is None:
        return f"{seen}."
    is_off = figures["off_over_all"]
    is_more = (figures["is_sure"] or is_off) and figures["dcv"] > figures["floor"]
    return (
        f"{seen}{', with what is off over all rows alike,' if is_off else ','} "
        f"{'clearly' if is_more else 'not clearly'} more (at the level of "
        f"{100.0 * figures['size']:g} %) than the {points(figures['floor'])} that a "
        "faultless predictor shows by chance alone on average."
    )
