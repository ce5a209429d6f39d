"""Rules on which a pipeline fails, judged on an audit's result with its uncertainty.

A rule says when to fail: a quantity of test rows, a sign and a bound, such as

- ``low-segments > 0``: segments clearly under-covered, by the rule of :mod:`..segments`;
- ``coverage < 0.88`` or ``coverage(sex = F and age >= 65) < 88 %``: the share of sets that hold
  their label, of all rows or of those of a condition, which is written as worst segments are;
- ``gap(sex) > 0.05``: the largest difference between segments of a variable and its reference;
- ``dcv > 2*floor`` or ``dcv > 0.03``.

The predictor meant is the reference, or the one named in front: ``ifacm.coverage < 0.88``. A rule
is broken where the 95 % interval of its quantity lies beyond the bound, kept where it lies on the
other side, and otherwise too few rows can say.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..messages import InputError, Passage, Sentence, counted
from ..segments.grouping import values_meant
from ..tables.columns import check_exists
from ..tables.grammar import Limit, parse_limit, parse_rule
from ..tables.rules import Rule
from .result import AuditResult
from .wording import in_brief, percent, points

GateOutcome = Literal["kept", "broken", "unsure"]


@dataclass(frozen=True)
class Measured:
    """A quantity of a result in words, and with its 95 % interval, NaN where nothing tells it."""

    words: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class _Quantity:
    measure: Callable[[AuditResult, str, str], Measured]
    of: Literal["nothing", "a condition", "a variable"]  # what may, or, a variable, must be named
    is_share: bool = True  # so that a bound may be in percent
    most: float = 1.0


@dataclass(frozen=True)
class Gate:
    """One rule on which to fail, as it was written and as it was understood."""

    text: str
    limit: Limit

    @classmethod
    def parse(cls, text: str) -> "Gate":
        """Read a rule; :class:`InputError` if it cannot be, or asks for what there is not."""
        limit = parse_limit(text)
        if limit is None or limit.quantity not in QUANTITIES:
            raise _unreadable(text, f"a quantity is one of {', '.join(QUANTITIES)}")
        name, of, quantity = limit.quantity, limit.of, QUANTITIES[limit.quantity]
        if of and quantity.of == "nothing":
            raise _unreadable(text, f"{name} is of all rows; leave out the brackets")
        if not of and quantity.of == "a variable":
            raise _unreadable(text, f"name {quantity.of} in brackets")
        if of and quantity.of == "a condition":
            parse_rule(of)
        unit, most = limit.unit, quantity.most
        if unit is None:
            raise _unreadable(text, "a bound is a number, a number with %, or such as 2*floor")
        if (unit.endswith("floor") and name != "dcv") or (unit == "%" and not quantity.is_share):
            raise _unreadable(text, f"{name} has no bound in '{unit.strip(' *')}'")
        if limit.number is None and unit != "floor":
            raise _unreadable(text, "a number is missing in its bound")
        gate = cls(text.strip(), limit)
        if gate.bound(floor=math.nan) > most:
            raise _unreadable(text, f"{name} is never above {most:g}")
        return gate

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it names, so that they can be looked for before an audit."""
        is_condition = QUANTITIES[self.limit.quantity].of == "a condition"
        return parse_rule(self.limit.of).columns if is_condition and self.limit.of else []

    def judge(self, result: AuditResult) -> "Verdict":
        """Return whether a result keeps the rule.

        Raises :class:`InputError` if it names a predictor, variable or column that the result does
        not have.
        """
        predictor = self.limit.predictor or result.reference
        check_exists(result.names, predictor, "predictor")
        found = QUANTITIES[self.limit.quantity].measure(result, predictor, self.limit.of)
        floor = result.row("test", predictor).dcv_floor
        bound = self.bound(math.nan if floor is None else floor)
        return Verdict(self, self.outcome_of(found, bound), found, bound)

    def bound(self, floor: float) -> float:
        """Return the bound beside a predictor's floor of DCV."""
        number = 1.0 if self.limit.number is None else self.limit.number
        if self.limit.unit in ("", "%"):
            return number / 100.0 if self.limit.unit else number
        return number * floor

    def outcome_of(self, found: Measured, bound: float) -> GateOutcome:
        """Return what an interval says beside a bound."""
        beyond, surely, strict = found.low, found.high, self.limit.sign in "<>"
        if "<" in self.limit.sign:  # then the same with all signs turned
            beyond, surely, bound = -found.high, -found.low, -bound
        if beyond > bound or (beyond == bound and not strict):
            return "broken"
        if surely < bound or (surely == bound and strict):
            return "kept"
        return "unsure"


@dataclass(frozen=True)
class Verdict:
    """What became of a rule: kept, broken, or too few rows to say."""

    gate: Gate
    outcome: GateOutcome
    found: Measured
    bound: float

    @property
    def sentence(self) -> Sentence:
        """One line: the rule, what was found, and by how much."""
        by = abs(self.found.value - self.bound)
        if math.isnan(by):
            distance = ""
        elif QUANTITIES[self.gate.limit.quantity].is_share:
            distance = f", {100.0 * by:.1f} points from the bound"
        else:
            distance = f", {by:.4g} from the bound {self.bound:.4g}"
        word = {"kept": "passes", "broken": "fails", "unsure": "too few rows to say"}
        text = "'{rule}': {word}; {found}"
        given = {"rule": self.gate.text, "word": word[self.outcome]}
        found = Passage(self.found.words + distance)
        return Sentence(f"gate.{self.outcome}", text, **given, found=found)


def judge(result: AuditResult, rules: Sequence[str]) -> list[Verdict]:
    """Judge a result, with its test rows, by rules such as ``"coverage(sex = F) < 0.88"``.

    The verdict on each has its ``outcome``, "kept", "broken" or "unsure", and a ``sentence``.
    Raises :class:`InputError` if a rule cannot be read, or names what the result does not have.

    >>> import pandas as pd
    >>> from evencover.core import AuditSettings, audit
    >>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)]})
    >>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
    >>> result = audit(rows, AuditSettings(target="y", remedies=("none",)))
    >>> [verdict.outcome for verdict in judge(result, ["coverage < 0.5", "coverage < 99.9 %"])]
    ['kept', 'broken']
    """
    return [rule.judge(result) for rule in map(Gate.parse, rules)]


def overall(verdicts: Sequence[Verdict]) -> GateOutcome:
    """Return "broken" if any rule is, else "unsure" if any is, else "kept"."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return "broken" if "broken" in outcomes else "unsure" if "unsure" in outcomes else "kept"


def _low_segments(result: AuditResult, predictor: str, of: str) -> Measured:  # noqa: ARG001
    low, judged = result.too_low(predictor), result.object_segments(predictor)
    if not judged:
        return Measured("no segment has rows enough to be judged")
    words = f"of {len(judged)} segments clearly under-covered: {len(low)}"
    if low:
        words += f", the worst {in_brief(low[0])} with {percent(low[0].accuracy)}"
    return Measured(words, *[len(low)] * 3)


def _coverage(result: AuditResult, predictor: str, of: str) -> Measured:
    test_rows = result.test_rows
    if test_rows is None or (result.data.sample is not None and test_rows.everywhere is None):
        raise ValueError("the result holds no test rows; take it as the audit gave it")
    rule = parse_rule(of) if of else Rule(())
    row = test_rows.coverage(predictor, rule)
    if row.n == 0:
        words = f"no test row has {rule}"
        if meant := values_meant(rule, test_rows.table):
            words += f"; did you mean {', '.join(meant)}?"
        return Measured(words)
    interval = f"{points(row.low)} to {points(row.high)} %"
    words = f"coverage of {counted(row.n, 'test row')} is {percent(row.accuracy)} ({interval})"
    return Measured(words, row.accuracy, row.low, row.high)


def _gap(result: AuditResult, predictor: str, of: str) -> Measured:
    by_variable = {row.variable: row for row in result.of(result.gaps, predictor)}
    check_exists([*by_variable], of, "variable")
    row = by_variable[of]
    if row.gap_segment is None:
        return Measured("no two groups have rows enough")
    ends = sorted((abs(row.gap_low), abs(row.gap_high)))
    low = 0.0 if row.gap_low <= 0.0 <= row.gap_high else ends[0]
    gap = abs(row.gap)
    words = (
        f"'{row.gap_segment}' differs from '{row.reference}' by {points(gap)} points "
        f"({points(low)} to {points(ends[1])})"
    )
    return Measured(words, gap, low, ends[1])


def _dcv(result: AuditResult, predictor: str, of: str) -> Measured:  # noqa: ARG001
    row = result.row("test", predictor)
    words = f"test DCV is {row.dcv:.4f}"
    if row.dcv_floor is not None:
        words += f" beside a floor of {row.dcv_floor:.4f}"
    noise = row.dcv_floor_unadjusted
    if noise is None or row.dcv_corrected_low is None or row.dcv_corrected_high is None:
        return Measured(words, row.dcv)
    # what the rows would show on average at either end of the interval for the DCV behind them
    low, high = (math.hypot(end, noise) for end in (row.dcv_corrected_low, row.dcv_corrected_high))
    return Measured(words, row.dcv, low, high)


QUANTITIES: Mapping[str, _Quantity] = {
    "low-segments": _Quantity(_low_segments, "nothing", is_share=False, most=math.inf),
    "coverage": _Quantity(_coverage, "a condition"),
    "gap": _Quantity(_gap, "a variable"),
    "dcv": _Quantity(_dcv, "nothing", is_share=False),
}
"""By their names in rules; a new one is one function and one line here."""


def _unreadable(text: str, advice: str) -> InputError:
    sentence = (
        "the rule to fail '{rule}' cannot be read: {advice}; write it as in "
        "low-segments > 0, coverage(sex = F) < 0.88, gap(sex) > 0.05 or dcv > 2*floor"
    )
    return InputError("gate.unreadable", sentence, rule=text, advice=advice)
