"""What rules to fail are about: quantities of a result with their 95 % intervals."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from ..coverage.dcv_inference import drawn_tails
from ..coverage.estimators import ESTIMATORS
from ..messages import counted, first_of
from ..segments.audited_rows import TestRows
from ..segments.by_segment import SegmentRow, differences
from ..segments.group_sizes import mean_size, size_ratio
from ..segments.grouping import Variable, values_meant
from ..segments.statistics import FEWEST_JUDGED, LEVEL, NORMAL, exact_interval
from ..tables.columns import check_exists
from ..tables.grammar import Limit, parse_rule
from ..tables.rules import Rule, held, in_a_rule
from ..tables.table import Table
from .result import AuditResult
from .wording import about_percent, in_brief, percent, points

SHORTFALL = 0.1
"""What ``low-segments`` is to see, unless said: 80 % where 90 % was promised."""

_OF_OBJECTS = ("column", "pair", "cohort")
_TAIL = (1.0 - LEVEL) / 2.0
_BY_CHANCE = 0.03  # from which the share of rules that the calibration draw breaks is told
_TOO_FEW = f"no two groups have {FEWEST_JUDGED} {{}}"
_BY_LABEL = "it goes by the true label, for which the remedy label alone promises the level"
_BY_THESE_ROWS = "its bounds or values were found on these very rows"


@dataclass(frozen=True)
class Asked:
    """What a rule asks of a result: a predictor's quantity, ``of`` what, beside a bound."""

    result: AuditResult
    predictor: str
    limit: Limit
    bound: float

    @property
    def test_rows(self) -> TestRows:
        """The rows that it is judged on."""
        rows = self.result.test_rows
        if rows is None or (self.result.data.sample is not None and rows.everywhere is None):
            raise ValueError("the result holds no test rows; take it as the audit gave it")
        return rows

    @property
    def rule(self) -> Rule:
        """The condition on rows in brackets; none for all rows."""
        return parse_rule(self.limit.of) if self.limit.of else Rule(())

    @property
    def variable(self) -> Variable:
        """The variable in brackets."""
        by_name = {variable.name: variable for variable in self.test_rows.variables}
        by_columns = {frozenset(v.columns): v for v in by_name.values() if not v.rule}
        found = by_name.get(self.limit.of) or by_columns.get(
            frozenset(map(str.strip, self.limit.of.split(":")))
        )
        if found is None:
            check_exists([*by_name], self.limit.of, "variable")
        return found or by_name[self.limit.of]

    @property
    def remarks(self) -> list[str]:
        """That it goes by the label, or by what was found on the rows that it is judged on."""
        is_own = self.result.data.train == 0  # else training rows say where bands end
        columns: Sequence[str] = ()
        found_here, of = False, QUANTITIES[self.limit.quantity].of
        if of == "a variable":
            columns, bands = self.variable.columns, self.variable.partition.bands
            found_here = is_own and bands > 0
        elif of == "a condition":
            columns, text = self.rule.columns, str(self.rule)
            is_band = any(row.is_band and row.rule == text != "" for row in self.result.segments)
            is_found = self.rule.is_of_choice and text in self.test_rows.searched.holds
            found_here = (is_own and is_band) or is_found
        by_label = self.result.settings["target"] in columns
        return [_BY_LABEL] * by_label + [_BY_THESE_ROWS] * found_here


@dataclass(frozen=True)
class Measured:
    """A quantity of a result in words, and with its 95 % interval, NaN where nothing tells it.

    ``seen`` are values of single rows, which a report leaves out.
    """

    words: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    note: str = ""
    seen: str = ""


@dataclass(frozen=True)
class Quantity:
    """How a quantity is measured, and what is, or of a variable must be, named in brackets."""

    measure: Callable[[Asked], Measured]
    of: Literal["nothing", "a condition", "a variable", "a shortfall"]
    is_share: bool = True  # so that a bound may be in percent
    most: float = math.inf


def _low_segments(asked: Asked) -> Measured:
    """Count segments clearly under-covered, and those that may be short by as much as asked.

    Of the segments with too few rows to be judged those that look too low by themselves.
    """
    result, level = asked.result, asked.result.settings["cl"]
    low, judged = result.too_low(asked.predictor), result.object_segments(asked.predictor)
    if not judged:
        return Measured("no segment has rows enough to be judged")
    words = f"of {counted(len(judged), 'segment')} clearly under-covered: {len(low)}"
    if low:
        words += f", the worst {in_brief(low[0])} with {percent(low[0].accuracy)}"
    seen = float(asked.limit.of) if asked.limit.of else SHORTFALL
    rest = result.of(result.segments, asked.predictor)
    rest = [r for r in rest if r.kind in _OF_OBJECTS and 0 < r.n_effective < FEWEST_JUDGED]
    short = [row for row in judged if row not in low and _limits(row)[0] <= level - seen]
    short += [row for row in rest if _limits(row)[1] < level]
    words += f"; {len(short) or 'none'} of the others may be short by {100.0 * seen:g} points"
    if short:
        fewest = min(short, key=lambda row: row.n)
        rows = counted(fewest.n, "test row")
        words += f", such as {in_brief(fewest)} with {percent(fewest.accuracy)} of {rows}"
    return Measured(words, len(low), len(low), len(low) + len(short))


def _limits(row: SegmentRow) -> tuple[float, float]:
    """Return exact 95 % limits for coverage, of as many independent rows as say as much."""
    n = row.n_effective
    low, high = exact_interval(np.rint(row.accuracy * n), n)
    return float(low), float(high)


def _coverage(asked: Asked) -> Measured:
    rule, test_rows = asked.rule, asked.test_rows
    row = test_rows.coverage(asked.predictor, rule)
    if row.n == 0:
        return _no_row(rule, test_rows.table)
    ends = _limits(row)
    words = f"coverage of {counted(row.n, 'test row')} is {percent(row.accuracy)}"
    words += f" ({points(ends[0])} to {points(ends[1])} %)"
    if row.n_effective < FEWEST_JUDGED:
        words += f", and {FEWEST_JUDGED} independent rows are needed to judge"
        return Measured(words, row.accuracy)
    return Measured(words, row.accuracy, *ends, _by_draw(asked, row.n_effective))


def _by_draw(asked: Asked, n: int) -> str:
    """Return how often the draw of the calibration rows breaks the rule by itself, if it may."""
    result, law = asked.result, asked.test_rows.law
    if ">" in asked.limit.sign or law.is_fixed:  # as where nothing is calibrated
        return ""
    broken = stats.binom.ppf(_TAIL, n, asked.bound) - 1.0  # with so many right sets at most
    share = float(np.mean(stats.binom.cdf(broken, n, law.nodes)))
    if share <= _BY_CHANCE:
        return ""
    low = np.rint(law.band(n, LEVEL)[0] * n)
    safe = math.floor(1000.0 * float(exact_interval(low, n)[1])) / 10.0
    drawing = f"drawing {counted(result.data.calibration, 'calibration row')} breaks it in"
    often = f"{about_percent(share)} of audits; with the bound {safe:g} % in {percent(_TAIL)}"
    return f"where the promise is kept, {drawing} {often}"


def _no_row(rule: Rule, table: Table) -> Measured:
    """Return that no test row meets a condition, and what the values are."""
    words, seen = f"no test row has {rule}", ""
    vain = [one for one in rule.conditions if not held(one, table[one.column]).any()]
    for column in (table[condition.column] for condition in vain):
        name = in_a_rule(column.name)
        if column.is_many_valued:
            seen += f"; {name} is {column.series.min()} to {column.series.max()}"
        else:
            values = first_of([*map(in_a_rule, sorted(column.levels.dropna().unique()))])
            words += f"; the values of {name} are {values}"
    meant = ", ".join(values_meant(rule, table))
    return Measured(f"{words}; did you mean {meant}?" if meant else words, seen=seen)


def _gap(asked: Asked) -> Measured:
    """Measure the largest difference from the reference: each group's may be it.

    Groups of few rows widen no other's interval, and leave open how large their own gap is.
    """
    result, variable = asked.result, asked.variable
    (gap,) = (r for r in result.of(result.gaps, asked.predictor) if r.variable == variable.name)
    if variable.kind == "look":
        return Measured("it was made after seeing the results, so that it is not judged")
    rows = [r for r in result.of(result.segments, asked.predictor) if r.variable == variable.name]
    (base,) = (row for row in rows if row.value == gap.reference)
    others = [row for row in rows if row is not base and row.n]
    n = np.array([row.n_effective for row in others], dtype=np.intp)
    large = n >= FEWEST_JUDGED
    if base.n_effective < FEWEST_JUDGED or not large.any():
        return Measured(_TOO_FEW.format("independent test rows"))
    low, high = differences(others, base, int(large.sum()))
    gaps = np.abs([row.accuracy - base.accuracy for row in others])
    place = int(np.argmax(np.where(large, gaps, -1.0)))
    ends = float(np.maximum(low, -high)[large].max()), float(np.maximum(-low, high).max())
    small = _small(variable, n, "independent test rows")
    ends = max(ends[0], 0.0), 1.0 if variable.partition.merged else ends[1]
    words = (
        f"'{others[place].value}' differs from '{base.value}' by {points(gaps[place])} points, and "
        f"the largest gap is {points(ends[0])} to {points(ends[1])}{small}"
    )
    return Measured(words, float(gaps[place]), *ends)


def _small(variable: Variable, n: Iterable[int], what: str) -> str:
    """Return how many groups have so few rows that they leave much open."""
    small = sum(0 < rows < FEWEST_JUDGED for rows in n) + variable.partition.merged
    return f"; values with fewer than {FEWEST_JUDGED} {what}: {small}" if small else ""


def _dcv(asked: Asked) -> Measured:
    """Measure DCV without noise by its interval; by draws at the bound where no formula holds."""
    result, row = asked.result, asked.result.row("test", asked.predictor)
    seen = f"{row.dcv:.4f} with noise"
    if row.dcv_floor is not None:
        seen += f", beside a floor of {row.dcv_floor:.4f}"
    low, high, corrected = row.dcv_corrected_low, row.dcv_corrected_high, row.dcv_corrected
    if low is not None and high is not None and corrected is not None:
        words = f"DCV is {corrected:.4f} without noise ({low:.4f} to {high:.4f}; {seen})"
        return Measured(words, corrected, low, high)
    words, objects, bound = f"DCV is {seen}", asked.test_rows.objects, asked.bound
    if math.isnan(bound) or objects is None:
        return Measured(f"{words}; no formula tells its floor, which --permutations simulates")
    estimator = ESTIMATORS[result.settings["estimator"]]()
    outcomes, level = asked.test_rows.outcomes[asked.predictor], result.settings["cl"]
    above, below = drawn_tails(objects, outcomes, estimator, level, bound)
    much, little = above <= _TAIL, below <= _TAIL
    told = "much would be unlikely" if much else "little would be unlikely" if little else ""
    words += f"; with {bound:.4g} behind it, {f'so {told}' if told else 'it is no surprise'}"
    # the interval itself is not known, only on which side of the bound it lies
    ends = bound * (1.0 + 1e-9) if much else 0.0, bound * (1.0 - 1e-9) if little else 1.0
    return Measured(words, row.dcv, *ends)


def _size(asked: Asked) -> Measured:
    """Measure the mean width in the label's units, or number of labels, of rows."""
    rule, test_rows = asked.rule, asked.test_rows
    inside = rule.holds(test_rows.table)
    if not inside.any():
        return _no_row(rule, test_rows.table)
    mean, error = mean_size(test_rows, asked.predictor, inside)
    low, high = (mean * math.exp(way * NORMAL * error) for way in (-1.0, 1.0))
    what = "width of intervals" if asked.result.is_regression else "size of sets"
    words = f"the mean {what} of {counted(int(inside.sum()), 'test row')} is {amount(mean)}"
    if inside.sum() < FEWEST_JUDGED:
        return Measured(f"{words}, and {FEWEST_JUDGED} are needed to judge", mean)
    return Measured(f"{words} ({amount(low)} to {amount(high)})", mean, low, high)


def amount(value: float) -> str:
    """Return a figure in units of its own, of four digits at least."""
    return f"{value:,.0f}" if 1e4 <= value < math.inf else f"{value:.4g}"  # noqa: PLR2004


def _size_ratio(asked: Asked) -> Measured:
    """Measure the ratio of the widest group's mean size to the narrowest one's, over all pairs."""
    variable = asked.variable
    found = size_ratio(asked.test_rows, asked.predictor, variable)
    if found is None:
        return Measured(_TOO_FEW.format("test rows"))
    (value, low, high), one, other = found
    if math.isnan(value):
        return Measured(f"some sets of '{one}' and '{other}' are infinite, and have no ratio")
    n = np.bincount(variable.partition.codes, minlength=len(variable.partition.names))
    if small := _small(variable, n, "test rows"):
        high = math.inf
    words = f"sets of '{one}' are {value:.3g} times as large as those of '{other}'"
    words = words if value > 1.0 else "sets of all groups are equally large"
    return Measured(f"{words} ({low:.3g} to {high:.3g}){small}", value, low, high)


QUANTITIES: Mapping[str, Quantity] = {
    "low-segments": Quantity(_low_segments, "a shortfall", is_share=False),
    "coverage": Quantity(_coverage, "a condition", most=1.0),
    "gap": Quantity(_gap, "a variable", most=1.0),
    "dcv": Quantity(_dcv, "nothing", is_share=False, most=1.0),
    "width": Quantity(_size, "a condition", is_share=False),
    "size": Quantity(_size, "a condition", is_share=False),
    "size-ratio": Quantity(_size_ratio, "a variable", is_share=False),
}
"""By their names in rules; a new one is one function and one line here."""
