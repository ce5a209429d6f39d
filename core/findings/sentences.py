"""Findings in words, for page, report and terminal, and as JSON: a template for each kind."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..segments.by_segment import SegmentRow
from ..segments.search.worst_segments import WorstSegmentRow
from ..segments.under_coverage import Group
from .coverage_findings import coverage_findings
from .dependence_findings import CLEAR, SOME, dependence_findings
from .result import HEADLINE, AuditResult, Finding
from .wording import (
    brief,
    in_brief,
    no_group,
    percent,
    points,
    q_in_words,
    rows_of,
    segments_counted,
)

_SMALLEST_P = 0.001
_SHORT = 0.5
"""Percentage points that are worth a word."""

_MOST_NAMED = 3

_TEMPLATES = {
    "sets-hold-all": "The prediction {sets} {hold_all}{why}: they {say_nothing}.",
    "coverage-overall": "{accuracy} of the prediction {sets} hold the true {target}, where "
    "{promised} was promised{remark}.",
    "group-low": "But only {accuracy} do for {rows_of} (likely between {low} and {high}), {missed} "
    "fewer than promised. This is unlikely to be chance{q}.",
    "group-lower-still": "Coverage is lower still, {accuracy}, for {rows_of} (likely between {low} "
    "and {high}), {missed} fewer than promised. That these are worse off than the others is "
    "unlikely to be chance{q}.",
    "no-segment": "There was no segment to look at, so nothing is known of single groups.",
    "no-group": "{no_group} {conclusion}.",
    "group-over": "{accuracy} do for {rows_of}, which is more than needed{q}.",
    "power": "{power}.",
    "nothing-adjusted": "The adjustment ({title}) found nothing to adjust: after is as before.",
    "effect-on-group": "The adjustment ({title}) {effect_on_group}{price}.",
    "effect-on-all": "The adjustment ({title}) {effect_on_all}{of_group_too}{price}.",
    "effect-overall": "After the adjustment ({title}) it is {overall} overall{low_overall}{price}.",
    "beside": "With {title} coverage is {overall} over all rows{low_overall}{of_group_too}.",
    "all-rows-low-after": "But over all rows coverage is {accuracy} after, less than chance "
    "explains.",
    "group-spoilt": "{but_it} makes coverage too low for {rows_of}: {before} before and {after} "
    "after{q}.",
    "group-low-too": "After it coverage is clearly too low, too, for {rows_of}: {before} before "
    "and {after} after{q}.",
    "groups-counted": "{segment_by_segment}overage is clearly too low in {groups_counted}.",
    "worst-segment": "Among those of {fewest} rows or more it is worst for {rows_of}: "
    "{each_accuracy_q}.",
    "rules-counted": "A search for combinations of conditions, judged on rows of their own, finds "
    "{rules_counted}{lowest_rule}.",
    "no-fewer-groups": "So no fewer groups have too little coverage {when} than before.",
    "level": "Overall, the prediction sets {shares_of_rows}; with so many rows chance puts it "
    "between {low} and {high} in 99 of 100 splits.",
    "all-alike": "{start}all prediction sets of the test rows are {word}, so nothing can be said "
    "of how coverage depends on the features.",
    "dependence": "{start}there is {evidence} that coverage depends on {of_what} {in_a_line}"
    "({chance}). {deviation}",
    "dependence-left": "{start}{as_to}{left} ({chance}). {deviation}",
    "less-even": "So the adjustment made coverage less even than it was: it carries the chance of "
    "its training rows into every prediction, and there was less than that to mend.",
    "dependence-explained": "{explanation}",
    "scope": "All this sees only coverage that rises or falls steadily with a feature. Where it "
    "is off in the middle of a feature's range, or only where several features meet, the segments "
    "show it.",
    "audit-only-unseen": "The adjustment cannot see these columns, so it mends only what other "
    "columns show of them.",
    "nothing-to-search": "There is nothing to search for worst segments: too few test rows, or "
    "none of them with clearly more wrong prediction sets than others.",
    "no-rule-found": "The search for worst segments finds none: of its {rules} rules, none has "
    "clearly low coverage on the rows that it is judged on{for_any}.",
    "rules-found": "The search for worst segments finds {rules_found}, the surest of them {who}: "
    "coverage is {each_accuracy_interval}, of {n} rows that had no part in the search.",
    "intervals-counted": "The 95 % interval of coverage excludes {promised} in {failing_counted} "
    "(by chance alone in about {by_chance}); allowing for so many looks, {each_sure} differ from "
    "the overall coverage (q up to 0.05).",
    "largest-departure": "Largest shortfall or excess, counted in rows{largest_for}: {who} ({n} "
    "test rows), {each_accuracy}.",
    "largest-audit-only": "Of the audit-only columns: {who} ({n} test rows), {each_accuracy}.",
}
"""By kind; what is in braces is a figure of the finding, or one of :class:`_Words`."""

_ADVICE = {
    "recalibrate": " Calibration rows that are like the test rows would restore the promise.",
    "more-rows": " Use more rows, or a lower level.",
    "keep-base": " Keep the predictor as it was before.",
    "": "",
}


@dataclass(frozen=True)
class Context:
    """What sentences on a result have in common; ``titles`` by the predictors' names in data."""

    titles: Mapping[str, str]
    adjustments: Sequence[str] = ()
    is_regression: bool = True
    target: str = ""
    level: float = 0.9

    @classmethod
    def of(cls, result: AuditResult) -> "Context":
        """Return that of a result."""
        return cls(
            {predictor.name: predictor.title for predictor in result.predictors},
            result.adjustments,
            result.settings["task"] == "regression",
            brief(result.settings["target"]),
            result.settings["cl"],
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

    def each(
        self, values: Mapping[str, Any], form: Callable[[Any], str] = str, remark: str = ""
    ) -> str:
        """Return a value of each predictor, such as "3 before and 2 after".

        ``remark`` is on that of the first.
        """
        text = [f"{form(value)}{self.at(name)}" for name, value in values.items()]
        text[0] += remark
        return f"{', '.join(text[:-1])} and {text[-1]}" if len(text) > 1 else text[0]


def sentence(finding: Finding, context: Context) -> str:
    """Return what a finding says."""
    text = _TEMPLATES[finding.kind].format_map(_Words(finding, context)) + _ADVICE[finding.advice]
    return text[0].upper() + text[1:]


def with_findings(result: AuditResult) -> AuditResult:
    """Return the result with what its figures say."""
    findings = [*coverage_findings(result), *dependence_findings(result)]
    headline, explanations = paragraphs(findings, Context.of(result))
    return replace(result, findings=findings, headline=headline, explanations=explanations)


def paragraphs(findings: Sequence[Finding], context: Context) -> tuple[list[str], list[str]]:
    """Return the headline, a paragraph for each topic and predictor, and the sentences after it."""
    headline: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if finding.topic in HEADLINE:
            whose = finding.predictor if finding.topic == "remedy" else ""
            headline.setdefault((finding.topic, whose), []).append(sentence(finding, context))
    rest = [sentence(each, context) for each in findings if each.topic not in HEADLINE]
    return [" ".join(text) for text in headline.values()], rest


def finding_to_json(finding: Finding, context: Context) -> dict[str, Any]:
    """Return a finding as JSON has it, with its sentence."""
    return {
        "kind": finding.kind,
        "topic": finding.topic,
        "severity": finding.severity,
        "algorithm": finding.predictor,
        "who": _plain(finding.who),
        "figures": _plain(finding.figures),
        "certainty": finding.certainty,
        "advice": finding.advice,
        "sentence": sentence(finding, context),
    }


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, SegmentRow):
        return {name: getattr(value, name) for name in ("variable", "value", "kind", "n")}
    if isinstance(value, WorstSegmentRow):
        return {"rule": value.rule, "n": value.n}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


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
        return f"{100.0 * self._context.level:g} %"

    def hold_all(self) -> str:
        return "are infinite" if self._context.is_regression else "hold every class"

    def say_nothing(self) -> str:
        return "hold every value and say nothing" if self._context.is_regression else "say nothing"

    def why(self) -> str:
        if not self._figures["too_few"]:
            return " for all test rows"
        return (
            f", as {self._figures['calibration']} calibration rows are too few for a confidence "
            f"level of {self.promised()}"
        )

    def remark(self) -> str:
        return {
            "low": ": fewer than chance explains, so the promise is not kept for the test rows as "
            "a whole",
            "high": " (more than chance explains)",
            "unlucky": " (fewer, as the chance of drawing "
            f"{self._figures['calibration']:,} calibration rows can explain)",
            "as-promised": "",
        }[self._figures["status"]]

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
        return "" if certainty is None else f" ({q_in_words(certainty)})"

    def conclusion(self) -> str:
        too_low = "has coverage that is clearly too low: there is no evidence"
        return {
            "low": "is clearly worse off than all rows together",
            "unlucky": "has coverage that is clearly lower than that of all rows: there is no "
            "evidence that any group is worse off than the others",
            "high": f"{too_low} that any group gets less than was promised",
            "as-promised": f"{too_low} of a problem",
        }[self._figures["overall"]]

    def power(self) -> str:
        if math.isinf(self._figures["best"]):
            return "But the segments have too few test rows to show one"
        typical = 100.0 * self._figures["typical"]
        if math.isinf(typical):
            return "But half of the segments or more have too few test rows to show one"
        size = "1 percentage point" if round(typical) == 1 else f"{typical:.0f} percentage points"
        return (
            "Half of the segments have enough test rows for a shortfall of "
            f"{'less than 1 percentage point' if typical < _SHORT else size} to be seen in four of "
            "five cases"
        )

    def title(self) -> str:
        return self._context.titles[self._finding.predictor]

    def when(self) -> str:
        return self._context.when(self._finding.predictor)

    def start(self) -> str:
        return f"{self.when()}, " if self.when() else ""

    def effect_on_group(self) -> str:
        return self._effect("them")

    def effect_on_all(self) -> str:
        return self._effect("all rows")

    def of_group_too(self) -> str:
        if self._finding.who is None:
            return ""
        return f" ({percent(self._figures['of_group'])} for {self.who()})"

    def low_overall(self) -> str:
        return ", less than chance explains" if self._figures["low"] else ""

    def price(self) -> str:
        change = self._figures["size_change"]
        if change is None:
            return ""
        of_intervals = self._context.is_regression
        by = f"{abs(100.0 * change):.1f}"
        if by == "0.0":
            how = f"stay about as {'wide' if of_intervals else 'large'} as before"
        else:
            more, less = ("wider", "narrower") if of_intervals else ("larger", "smaller")
            how = f"become {by} % {less if change < 0.0 else more}"
        return f"; over all rows {self.sets()} {how} on average"

    def but_it(self) -> str:
        return "It also" if self._figures["also"] else "But it"

    def segment_by_segment(self) -> str:
        return "Segment by segment, c" if self._figures["all_low"] else "C"

    def groups_counted(self) -> str:
        figures, context = self._figures, self._context
        first, *others = context.titles
        low, named = figures["low"], figures["named"]
        text = (
            f"{low[first]:,} of {segments_counted(figures['segments'])} looked at"
            f"{context.at(first)}{_names(named[first])}"
        )
        for name in others:
            new = figures["new"][name]
            text += (
                f", and in {low[name] or 'none'}{context.at(name)}"
                f"{'' if low[first] else _names(named[name])}"
                f"{f', {new:,} of them new' if new else ''}"
            )
        return text

    def rules_counted(self) -> str:
        first, *others = self._figures["found"].items()
        text = f"{first[1] or 'none'} with clearly low coverage{self._context.at(first[0])}"
        return text + "".join(f" and {n or 'none'}{self._context.at(name)}" for name, n in others)

    def lowest_rule(self) -> str:
        if self._finding.who is None:
            return ""
        return f". It is lowest for {self.who()}: {self.each_accuracy()}, of {self.n()} such rows"

    def rules_found(self) -> str:
        first, *others = self._figures["found"].items()
        rules = "1 rule" if first[1] == 1 else f"{first[1]} rules"
        text = f"{rules} of clearly low coverage{self._context.at(first[0])}"
        return text + "".join(f" and {n}{self._context.at(name)}" for name, n in others)

    def failing_counted(self) -> str:
        (first, count), *others = self._figures["failing"].items()
        text = f"{count} of {self._figures['segments']} segments{self._context.at(first)}"
        return text + "".join(f", {n}{self._context.at(name)}" for name, n in others)

    def by_chance(self) -> str:
        return f"{self._figures['segments'] / 20:.0f}"

    def each_sure(self) -> str:
        return self._context.each(self._figures["sure"])

    def each_accuracy(self, remark: str = "") -> str:
        return self._context.each(self._figures["accuracy"], percent, remark)

    def each_accuracy_q(self) -> str:
        return self.each_accuracy(self.q())

    def each_accuracy_interval(self) -> str:
        low, high = percent(self._figures["low"]), percent(self._figures["high"])
        return self.each_accuracy(f" (95 % interval {low} to {high})")

    def shares_of_rows(self) -> str:
        (first, share), *others = self._figures["accuracy"].items()
        text = f"of {percent(share)} of the test rows hold their label{self._context.at(first)}"
        return text + "".join(
            f", and of {percent(after)}{self._context.at(name)}" for name, after in others
        )

    def for_any(self) -> str:
        return self._listed(" or ", list(self._context.titles))

    def largest_for(self) -> str:
        return self._listed(" and ", self._figures["largest"])

    def evidence(self) -> str:
        return self._by_certainty("clear evidence", "some evidence", "no evidence")

    def left(self) -> str:
        line = self.in_a_line()
        return self._by_certainty(
            f"a dependence {line}is clearly left",
            f"there is some evidence that a dependence {line}is left",
            f"no dependence {line}can be told from chance",
        )

    def in_a_line(self) -> str:
        return "in a straight line " if self._figures["in_a_line"] else ""

    def of_what(self) -> str:
        return self._on_audit_only() or "the model's features"

    def as_to(self) -> str:
        return f"as to {self._on_audit_only()}, " if self._figures["of"] else ""

    def chance(self) -> str:
        p_value = self._certainty()
        text = "with no dependence at all, chance would make coverage look at least this uneven in"
        if p_value < _SMALLEST_P:
            return f"{text} fewer than 1 of 1,000 cases"
        text = f"{text} {100.0 * p_value:.2g} % of cases"
        return text if p_value <= SOME else f"{text}; this does not prove that coverage is even"

    def deviation(self) -> str:
        figures, promised = self._figures, self.promised()
        mean = "percentage points, as a root mean square over the rows"
        if figures["corrected"] is None:
            return (
                "Judged on rows that they have not seen, its estimates find coverage off "
                f"{promised} by {points(figures['crossfitted'])} {mean}."
            )
        return (
            f"Coverage is off {promised} by about {points(figures['corrected'])} {mean} "
            f"(95 % interval {points(figures['low'])} to {points(figures['high'])})."
        )

    def explanation(self) -> str:
        figures = self._figures
        measured = (
            f"the deviation as measured is {points(figures['dcv'])} points, chance among the test "
            "rows included; the best adjustment of its kind from so many training rows would show "
            f"about {points(figures['floor'])}, and a faultless predictor that needs no adjustment "
            f"about {points(figures['floor_unadjusted'])}."
        )
        if not figures["explained"]:
            return f"This is more than so many training rows explain: {measured}"
        return (
            "This is what is to be expected of an adjustment of this kind: it carries the chance "
            f"of its training rows into every prediction. In figures: {measured} More training "
            "rows would lower it."
        )

    def _effect(self, them: str) -> str:
        after = self._figures["after"]
        how = {
            "raised": f"brings {them} to {percent(after)}",
            "hardly": f"hardly changes this: {percent(after)} after",
            "none": f"does not mend this: {percent(after)} after",
        }[self._figures["effect"]]
        short = 100.0 * (self._context.level - after)
        return f"{how}, {short:.1f} points short of the promise" if short >= _SHORT else how

    def _listed(self, join: str, names: Sequence[str]) -> str:
        when = join.join(filter(None, map(self._context.when, names)))
        return f", {when}" if when else ""

    def _by_certainty(self, clear: str, some: str, none: str) -> str:
        if self._certainty() > SOME:
            return none
        return clear if self._certainty() <= CLEAR else some

    def _on_audit_only(self) -> str:
        of: str = self._figures["of"]
        return of if not of or of == "the audit-only columns" else f"audit-only {brief(of)}"

    def _who(self) -> Group:
        assert self._finding.who is not None  # noqa: S101 - asked of kinds that have one
        return self._finding.who

    def _certainty(self) -> float:
        assert self._finding.certainty is not None  # noqa: S101 - likewise
        return self._finding.certainty


def _counted(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and value >= 1000 else str(value)  # noqa: PLR2004


def _names(rows: Sequence[Group]) -> str:
    if not rows:
        return ""
    more = ["..."] if len(rows) > _MOST_NAMED else []
    return f" ({', '.join([*map(in_brief, rows[:_MOST_NAMED]), *more])})"
