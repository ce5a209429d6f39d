"""Rules on which a pipeline fails, judged on an audit's result with its uncertainty.

A rule says when to fail: a quantity of test rows, a sign and a bound, such as

- ``low-segments > 0``: segments clearly under-covered, by the rule of :mod:`..segments`; unsure
  where one may be short by 10 points or more, or by the share in brackets: ``low-segments(0.2)``;
- ``coverage < 0.88`` or ``coverage(sex = F and age >= 65) < 88 %``: the share of sets that hold
  their label, of all rows or of those of a condition, which is written as worst segments are;
- ``gap(sex) > 0.05``: the largest difference between segments of a variable and its reference;
- ``dcv > 2*floor`` or ``dcv > 0.03``: DCV without noise;
- ``width(sex = F) > 10`` or ``size > 2``: the mean width of intervals, or number of labels;
- ``size-ratio(sex) > 1.5``: of the mean sizes of the widest and the narrowest segment.

The predictor meant is the reference, or the one named in front: ``ifacm.coverage < 0.88``. A rule
is broken where the 95 % interval of its quantity lies beyond the bound, kept where it lies on the
other side, and otherwise too few rows can say.
"""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..messages import Cell, InputError, Passage, Sentence, counted
from ..tables.columns import check_exists
from ..tables.grammar import Limit, parse_limit, parse_rule
from .gate_quantities import QUANTITIES, Asked, Measured, amount
from .result import AuditResult, GateOutcome, Verdict

_SHARE = re.compile(r"0?\.\d{1,20}", re.ASCII)
_WORDS = {"kept": "kept", "broken": "broken", "unsure": "too few rows"}


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
        gate, name, of = cls(text.strip(), limit), limit.quantity, limit.of
        quantity, unit = QUANTITIES[name], limit.unit or ""
        if of and quantity.of == "a condition":
            parse_rule(of)
        is_odd = unit == "%" and not quantity.is_share
        faults = {
            f"{name} is of all rows; leave out the brackets": of and quantity.of == "nothing",
            "name a variable in brackets": not of and quantity.of == "a variable",
            "a shortfall in brackets is a share, as in low-segments(0.2)": (
                of and quantity.of == "a shortfall" and not _SHARE.fullmatch(of)
            ),
            "a bound is a number, a number with %, or such as 2*floor": limit.unit is None,
            f"{name} has no bound in '{unit.strip(' *')}'": (
                is_odd or (unit.endswith("floor") and name != "dcv")
            ),
            "a number is missing in its bound": limit.number is None and unit != "floor",
            f"{name} is never above {quantity.most:g}": gate.bound(math.nan) > quantity.most,
        }
        for advice in (advice for advice, is_so in faults.items() if is_so):
            raise _unreadable(text, advice)
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
        floor = result.row("test", predictor).dcv_floor
        bound = self.bound(math.nan if floor is None else floor)
        asked = Asked(result, predictor, self.limit, bound)
        found = QUANTITIES[self.limit.quantity].measure(asked)
        outcome = self.outcome_of(found, bound)
        sentence = self._sentence(asked, found, outcome)
        ends = found.value, found.low, found.high
        return Verdict(self.text, predictor, outcome, sentence, *ends, bound)

    def _sentence(self, asked: Asked, found: Measured, outcome: GateOutcome) -> Sentence:
        """Return one line: the rule, what was found, by how much, and what was audited."""
        by, distance = abs(found.value - asked.bound), ""
        notes = [] if math.isnan(found.value) else [*asked.remarks, *filter(None, [found.note])]
        if math.isfinite(by) and not _is_same(found.value, asked.bound):
            distance = f", {amount(by)} from the bound {amount(asked.bound)}"
            if QUANTITIES[self.limit.quantity].is_share:
                distance = f", {100.0 * by:.1f} points from the bound"
        return Sentence(
            f"gate.{outcome}",
            "'{rule}': {word}; {found}{seen}{distance}{notes} (audited: {what})",
            rule=self.text,
            word=_WORDS[outcome],
            found=Passage(found.words),
            seen=Cell(found.seen) if found.seen else "",
            distance=distance,
            notes=Passage("".join(f"; {note}" for note in notes)),
            what=Passage(_audited(asked)),
        )

    def bound(self, floor: float) -> float:
        """Return the bound beside a predictor's floor of DCV."""
        number = 1.0 if self.limit.number is None else self.limit.number
        if self.limit.unit in ("", "%"):
            return number / 100.0 if self.limit.unit else number
        return number * floor

    def outcome_of(self, found: Measured, bound: float) -> GateOutcome:
        """Return what an interval says beside a bound."""
        beyond, surely, strict = found.low, found.high, self.limit.sign in "<>"
        beyond, surely = (bound if _is_same(end, bound) else end for end in (beyond, surely))
        if "<" in self.limit.sign:  # then the same with all signs turned
            beyond, surely, bound = -found.high, -found.low, -bound
        if beyond > bound or (beyond == bound and not strict):
            return "broken"
        if surely < bound or (surely == bound and strict):
            return "kept"
        return "unsure"


def _is_same(value: float, bound: float) -> bool:
    """Say whether they differ by rounding alone."""
    return math.isclose(value, bound, rel_tol=1e-12)


def _audited(asked: Asked) -> str:
    """Return whose sets a rule was judged on, at which level, and how many rows they are of."""
    result, settings = asked.result, asked.result.settings
    (by,) = (by for by in result.predictors if by.name == asked.predictor)
    whose = by.title if by.title.endswith(result.sets) else f"{result.sets} of {by.title}"
    given = [settings.get(key) for key in ("prediction", "quantiles", "probabilities")]
    if any(given):
        whose += " over what the table's own model said"
    rows = counted(result.data.test, "test row")
    return f"{whose}, CL {settings['cl']:.12g}, {rows}"


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
    is_list = isinstance(rules, Collection) and not isinstance(rules, str)
    if not is_list or not all(isinstance(rule, str) for rule in rules):
        sentence = "rules are {given}; give a list of texts, such as ['coverage < 0.88']"
        raise InputError("gate.no_list", sentence, given=repr(rules))
    return [rule.judge(result) for rule in map(Gate.parse, rules)]


def overall(verdicts: Sequence[Verdict]) -> GateOutcome:
    """Return "broken" if any rule is, else "unsure" if any is, else "kept"."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return "broken" if "broken" in outcomes else "unsure" if "unsure" in outcomes else "kept"


def _unreadable(text: str, advice: str) -> InputError:
    sentence = (
        "the rule to fail '{rule}' cannot be read: {advice}; write it as in "
        "low-segments > 0, coverage(sex = F) < 0.88, gap(sex) > 0.05, dcv > 2*floor, width > 10 "
        "or size-ratio(sex) > 1.5"
    )
    return InputError("gate.unreadable", sentence, rule=text, advice=Passage(advice))
