"""Findings in words, for page, report and terminal, and as JSON: a template for each kind."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..messages import counted
from ..segments.under_coverage import Group
from .coverage_findings import is_clear
from .dependence_findings import COLUMNS
from .result import AuditResult, Finding
from .templates import ADVICE, EFFECTS, TEMPLATES
from .wording import (
    about_percent,
    brief,
    certainty_in_words,
    in_brief,
    no_group,
    percent,
    points,
    rows_of,
    segments_counted,
)

_SMALLEST_P = 0.001

_NOTHING = {
    "penalty": "adjusts nothing, as no layer is worth what it adds to the sets: after is as before",
    "stopped": "was stopped before its first layer: after is as before",
    "holds-all": "adjusts nothing, as every training row's set holds its label",
    "even": "found nothing to adjust: after is as before",
    "stalled": "found no layer from where its search starts: after is as before",
    "": "changes no set: after is as before",
}
_KEEP = {
    "no-dependence": ": its training rows show no dependence on the features to mend",
    "only-on-test-rows": ": its training rows do not show what the test rows do",
    "less-than-cost": ": what there is to mend is no more than adjusting costs",
}
_NONE_FOUND = {
    "no-dependence": "none to mend that can be told from chance",
    "only-on-test-rows": "none to mend that can be told from chance, but the test rows do",
}
_NO_WIDER = "neither wider nor narrower"
_STATUSES = {
    "mended": "mended",
    "better": "better, but still too low",
    "unchanged": "without a clear change",
    "new": "new",
}
_SHORT = 0.5
"""Percentage points that are worth a word."""

_MOST_NAMED = 3
_DIGITS = 12
"""Of the level: it may be very near to 1."""


@dataclass(frozen=True)
class Context:
    """What sentences on a result have in common; ``titles`` by the predictors' names in data."""

    titles: Mapping[str, str]
    adjustments: Sequence[str] = ()
    is_regression: bool = True
    target: str = ""
    level: float = 0.9
    group: str | None = None

    @classmethod
    def of(cls, result: AuditResult) -> "Context":
        """Return that of a result."""
        return cls(
            {predictor.name: predictor.title for predictor in result.predictors},
            result.adjustments,
            result.settings["task"] == "regression",
            brief(result.settings["target"]),
            result.settings["cl"],
            result.settings["group"],
        )

    def when(self, name: str) -> str:
        """Return "before" for the reference, and "after" for what adjusts it, named if several do.

        Nothing for the only predictor; of others that are no adjustments the name.
        """
        first, *others = self.titles
        if name == first and not others:
            return ""
        if name == first and self.adjustments:
            return "before"
        if name not in self.adjustments:
            return f"with {self.titles[name]}"
        return "after" if len(others) == 1 else f"after {self.titles[name]}"

    def at(self, name: str) -> str:
        """Return the same as the end of a clause."""
        return f" {self.when(name)}".rstrip()

    def each(self, values: Mapping[str, Any], form: Callable[[Any], str] = str) -> str:
        """Return a value of each predictor, such as "3 before and 2 after"."""
        text = [f"{form(value)}{self.at(name)}" for name, value in values.items()]
        return f"{', '.join(text[:-1])} and {text[-1]}" if len(text) > 1 else text[0]


def sentence(finding: Finding, context: Context) -> str:
    """Return what a finding says."""
    text = TEMPLATES[finding.kind].format_map(_Words(finding, context))
    return text[0].upper() + text[1:]


class _Words:
    """What the templates quote: figures as they are written, and clauses made of them."""

    def __init__(self, finding: Finding, context: Context) -> None:
        self._finding, self._figures, self._context = finding, finding.figures, context

    def __getitem__(self, name: str) -> str:
        if hasattr(self, name):
            word: str = getattr(self, name)()
            return word
        value = self._figures[name]
        return percent(value) if isinstance(value, float) else _counted(value)

    def sets(self) -> str:
        return "intervals" if self._context.is_regression else "sets"

    def target(self) -> str:
        return self._context.target

    def promised(self) -> str:
        return f"{100.0 * self._context.level:.{_DIGITS}g} %"

    def hold_all(self) -> str:
        return "are infinite" if self._context.is_regression else "hold every class"

    def say_nothing(self) -> str:
        return "hold every value and say nothing" if self._context.is_regression else "say nothing"

    def why(self) -> str:
        if not self._figures["too_few"]:
            return " for all test rows"
        rows = counted(self._figures["calibration"], "calibration row")
        are = "is" if self._figures["calibration"] == 1 else "are"
        return f", as {rows} {are} too few for a confidence level of {self.promised()}"

    def remark(self) -> str:
        band, rows = self._band(), self._figures["calibration"]
        chance = "chance"
        if rows is not None:
            chance = f"the chance of drawing {counted(rows, 'calibration row')}"
        remarks = {
            "low": ": fewer than chance explains, so the promise is not kept for the test rows as "
            "a whole",
            "high": f": more than chance explains, so the {self.sets()} are larger than needed",
            "unlucky": "" if band else f" (fewer, which {chance} can explain)",
        }
        return band + remarks.get(self._figures["status"], "")

    def _band(self) -> str:
        """Return where chance puts coverage of rows that are not independent."""
        clusters, group = self._figures["clusters"], self._context.group
        if clusters is None:
            return ""
        of_what = f"{counted(clusters, 'cluster')} of rows that may be alike"
        if group is not None:
            of_what = f"{counted(clusters, 'value')} of {brief(group)}"
        least, most = (points(self._figures[end]) for end in ("least", "most"))
        return f" ({of_what}: chance alone puts it between {least} and {most} %)"

    def no_group(self) -> str:
        return no_group(self._figures["segments"], self._figures["rules"])

    def rows_of(self) -> str:
        return rows_of(self._who())

    def who(self) -> str:
        return in_brief(self._who())

    def n(self) -> str:
        return f"{self._who().n:,}"

    def q(self) -> str:
        certainty = self._finding.certainty
        return "" if certainty is None else f" ({certainty_in_words('q', certainty)})"

    def only(self) -> str:
        return "But only" if self._figures["of_all"] >= self._context.level else "Only"

    def picked(self) -> str:
        looked_at = self._figures["looked_at"]
        if looked_at == 1:
            return ""
        return f"; as the lowest of {looked_at:,} looked at it is likely not quite so low"

    def without(self) -> str:
        rest = self._figures["rest"]
        return "" if rest is None else f". Without {self.who()} it is {percent(rest)} of all others"

    def missed(self) -> str:
        return counted(self._figures["missed"], "row")

    def more_low(self) -> str:
        more = self._figures["more"]
        are = "is" if more == 1 else "are"
        return f" {counted(more, 'more group')} {are} clearly too low, see below." if more else ""

    def conclusion(self) -> str:
        overall = self._figures["overall"]
        if overall == "low":
            return "is clearly worse off than all rows together"
        if overall == "unlucky" or self._figures["uneven"]:
            return "has coverage that is clearly lower than that of all rows"
        too_low = "has coverage that is clearly too low: there is no evidence"
        if overall == "high" or self._figures["class_missed"]:
            return f"{too_low} that any group gets less than was promised"
        return f"{too_low} of a problem"

    def power(self) -> str:
        if math.isinf(self._figures["best"]):
            return "But the segments have too few test rows to show one"
        typical = 100.0 * self._figures["typical"]
        if math.isinf(typical):
            return "But half of the segments or more have too few test rows to show one"
        size = "1 percentage point" if round(typical) == 1 else f"{typical:.0f} percentage points"
        return (
            "Half of the segments have enough test rows for a shortfall of "
            f"{'less than 1 percentage point' if typical < _SHORT else size} to be called that in "
            "four of five cases"
        )

    def title(self) -> str:
        return self._context.titles[self._finding.predictor]

    def when(self) -> str:
        return self._context.when(self._finding.predictor)

    def start(self) -> str:
        return f"{self.when()}, " if self.when() else ""

    def effect(self) -> str:
        effect = self._figures["effect"]
        if effect == "nothing":
            return _NOTHING[self._figures["why"]]
        verdict = EFFECTS[effect]
        beside = f"{self._of_all()}{self._of_class()}{self._only_after()}"
        return f"{verdict}: {self._evenness()}{self._of_group()}{beside}{self.price()}"

    def _of_all(self) -> str:
        if not self._figures["spoils_all"]:
            return ""
        return (
            f"; over all rows it is {percent(self._figures['overall'])}, less than chance explains"
        )

    def _of_class(self) -> str:
        of = self._figures["of_class"]
        return f"; the class {brief(of['class'])} is {_clearly(of)} off" if of else ""

    def _only_after(self) -> str:
        new = self._figures["new"]
        are = "is" if new == 1 else "are"
        return f"; {counted(new, 'group')} {are} clearly too low only after it" if new else ""

    def _evenness(self) -> str:
        before, after = map(points, self._figures["dcv_crossfitted"])
        sure = certainty_in_words("p", self._figures["unevenness_p_value"])
        # cross-fitted values below 0 are shown as 0: those of two may be, and yet differ
        moved = "" if before == after else f"cross-fitted DCV {before} to {after} points, "
        by = f" ({moved}{sure})"
        return (
            "coverage over the features is "
            + {
                "more-even": f"more even{by}",
                "less-even": f"less even than it was{by}",
                "unclear": "neither clearly more even nor clearly less",
            }[self._figures["unevenness"]]
        )

    def _of_group(self) -> str:
        if "status" not in self._figures:
            return f"; {self._gain()}" if self._figures["raised"] else ""
        after, change = percent(self._figures["of_group"]), _change(self._figures)
        how = {
            "mended": f"{self.who()} comes to {after} ({change})",
            "better": f"{self.who()} comes to {after} ({change}), which is still too low",
        }
        if self._figures["raised"] and self._figures["status"] not in how:
            gain = f"{self._gain()}, but {self.who()} is at {after} ({change})"
            how[self._figures["status"]] = gain
        by_chance = ", which chance can explain" if self._figures["change"] else ""
        other = f"for {self.who()} it is {after} after ({change}){by_chance}"
        if self._figures["change_high"] < 0.0:
            other = f"{self.who()} falls to {after} ({change})"
        return f"; {how.get(self._figures['status'], other)}"

    def _gain(self) -> str:
        first, *more = self._figures["raised"]
        others = f" and {len(more):,} more" if more else ""
        gain = f"clearly gain{'' if more else 's'}"
        return f"{in_brief(first['group'])} ({_change(first)}){others} {gain}"

    def verdicts(self) -> str:
        return "".join(
            f", {_clearly(made)}{self._context.at(name)} ({_change(made)})"
            for name, made in self._figures["changes"].items()
            if is_clear(made)
        )

    def of_group_too(self) -> str:
        if self._finding.who is None:
            return ""
        return f" ({percent(self._figures['of_group'])} for {self.who()})"

    def low_overall(self) -> str:
        return ", less than chance explains" if self._figures["low"] else ""

    def price(self) -> str:
        median = self._figures["size_ratio_median"]
        if median is None:
            before, after = self._figures["size_before"], self._figures["size_after"]
            return f"; a set holds {after:.2f} classes on average, {before:.2f} before"
        mean = self._figures["size_ratio_mean"]
        if _wider(median) == _wider(mean) == _NO_WIDER:
            return "; intervals stay as wide as they were"
        of_mean = f"the average row's {_wider(mean)}"
        return f"; the median row's interval becomes {_wider(median)} ({of_mean})"

    def more_spoilt(self) -> str:
        more = self._figures["groups"] - 1
        return f", and for {more:,} more" if more else ""

    def cost_in_points(self) -> str:
        return points(self._figures["cost"])

    def found_there(self) -> str:
        if self._figures["pays"] in _NONE_FOUND:
            return _NONE_FOUND[self._figures["pays"]]
        found = self._figures["found"]
        if found is None:
            return "some to mend, how many is not known"
        than = "" if self._figures["pays"] == "yes" else ", no more than that"
        return f"about {points(found)} to mend{than}"

    def advice(self) -> str:
        return ADVICE[self._finding.advice].format_map(self)

    def keep_why(self) -> str:
        why = self._figures["why"]
        text = _KEEP.get(why) or f": the adjustment {EFFECTS[why]}"
        if why == "less-than-cost" and self._figures["rows"] is not None:
            text += f"; with some {self.rows()} training rows it would pay"
        return text

    def rows(self) -> str:
        rows = float(f"{self._figures['rows']:.2g}")
        return f"{rows:,.0f}"

    def suggested(self) -> str:
        return f"{self._figures['suggested']:g}"

    def c(self) -> str:
        return f"{self._figures['c']:g}"

    def columns_named(self) -> str:
        return ", ".join(map(brief, self._figures["columns"]))

    def groups_counted(self) -> str:
        figures, context = self._figures, self._context
        first, *others = context.titles
        low, named = figures["low"], figures["named"]
        text = (
            f"{low[first]:,} of {segments_counted(figures['segments'])} looked at"
            f"{context.at(first)}{_names(named[first])}"
        )
        for name in others:
            text += f", and in {low[name] or 'none'}{context.at(name)}"
            counts = [
                f"{n:,} {_STATUSES[s]}" for s, n in figures["statuses"].get(name, {}).items() if n
            ]
            text += f" ({', '.join(counts)})" if counts else ""
        return text

    def rules_counted(self) -> str:
        low = self._figures["rules_low"]
        if not self._figures["rules"]:
            return ""
        rules = counted(self._figures["rules"], "rule")
        return f"; by search, under {self._context.each(low)} of {rules}"

    def values_named(self) -> str:
        values = self._figures["values"]
        named = [
            f"{brief(of['column'])} = {brief(of['value'])} ({of['rows']:,} rows)" for of in values
        ][:_MOST_NAMED]
        more = len(values) - len(named)
        return ", ".join(named) + (f" and {more:,} more" if more else "")

    def them(self) -> str:
        return "it" if len(self._figures["values"]) == 1 else "them"

    def class_name(self) -> str:
        return brief(self._figures["class"])

    def each_share(self) -> str:
        return self._context.each(self._figures["accuracy"], percent)

    def evidence(self) -> str:
        return f"{'' if self._figures['is_sure'] else 'no '}clear evidence"

    def left(self) -> str:
        line = self.in_a_line()
        if self._figures["is_sure"]:
            return f"a dependence {line}is clearly left"
        return f"no dependence {line}is clearly left"

    def in_a_line(self) -> str:
        return "in a straight line " if self._figures["in_a_line"] else ""

    def of_what(self) -> str:
        return self._on_audit_only() or "the features"

    def as_to(self) -> str:
        return f"as to {self._on_audit_only()}, " if self._figures["of"] else ""

    def chance(self) -> str:
        p_value = self._certainty()
        if p_value < _SMALLEST_P:
            return "chance alone does as much in fewer than 1 of 1,000 cases"
        return f"chance alone does as much in {about_percent(p_value)} of cases"

    def deviation(self) -> str:
        figures = self._figures
        if figures["corrected"] is None:
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
        return (
            f"It is off {self.promised()} by about {points(figures['corrected'])} points (root "
            f"mean square over the rows, 95 % interval {points(figures['low'])} to "
            f"{points(figures['high'])})."
        )

    def _on_audit_only(self) -> str:
        of: str = self._figures["of"]
        return of if not of or of == COLUMNS else f"audit-only {brief(of)}"

    def _who(self) -> Group:
        assert self._finding.who is not None  # noqa: S101 - asked of kinds that have one
        return self._finding.who

    def _certainty(self) -> float:
        assert self._finding.certainty is not None  # noqa: S101 - likewise
        return self._finding.certainty


def _clearly(made: Mapping[str, Any]) -> str:
    return f"clearly {'worse' if made['change_high'] < 0.0 else 'better'}"


def _change(made: Mapping[str, Any]) -> str:
    if made["change"] == 0.0:
        return "as before"
    ends = ("change", "change_low", "change_high")
    by, low, high = (f"{100.0 * made[end]:+z.1f}" for end in ends)
    return f"{by} points, 95 % interval {low} to {high}"


def _counted(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and value >= 1000 else str(value)  # noqa: PLR2004


def _names(rows: Sequence[Group]) -> str:
    if not rows:
        return ""
    more = ["..."] if len(rows) > _MOST_NAMED else []
    return f" ({', '.join([*map(in_brief, rows[:_MOST_NAMED]), *more])})"


def _wider(ratio: float) -> str:
    by = f"{abs(100.0 * (ratio - 1.0)):.1f} %"
    if by == "0.0 %":
        return _NO_WIDER
    return f"{by} {'wider' if ratio > 1.0 else 'narrower'}"
