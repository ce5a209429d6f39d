"""Findings in words, for page, report and terminal, and as JSON: a function for each kind."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..segments.under_coverage import Group
from .coverage_findings import coverage_findings
from .dependence_findings import CLEAR, SOME, dependence_findings
from .finding import HEADLINE, Finding, who_in_json
from .result import AuditResult
from .wording import (
    brief,
    in_brief,
    no_group,
    percent,
    q_in_words,
    segments_counted,
    whom,
)

_SMALLEST_P = 0.001
_SHORT = 0.5
"""Percentage points below the level that are worth a word."""

_LEAST_POINTS = 0.5
"""Percentage points that are not written as 0."""

_MOST_NAMED = 3

_ADVICE = {
    "recalibrate": "Calibration rows that are like the test rows would restore the promise.",
    "more-rows": "Use more rows, or a lower level.",
    "keep-base": "Keep the predictor as it was before.",
    "": "",
}
_Says = Callable[["Finding", "Context"], str]
_KINDS: dict[str, _Says] = {}


def _says(kind: str) -> Callable[[_Says], _Says]:
    """Let a function say what findings of a kind say."""

    def register(function: _Says) -> _Says:
        _KINDS[kind] = function
        return function

    return register


@dataclass(frozen=True)
class Context:
    """What sentences on a result have in common.

    Attributes
    ----------
    titles
        The predictors' names for a reader by their names in data, the reference first.
    """

    titles: Mapping[str, str]
    is_regression: bool
    target: str
    level: float

    @classmethod
    def of(cls, result: AuditResult) -> "Context":
        """Return that of a result."""
        return cls(
            {predictor.name: predictor.title for predictor in result.predictors},
            result.settings["task"] == "regression",
            brief(result.settings["target"]),
            result.settings["cl"],
        )

    @property
    def promised(self) -> str:
        """The confidence level."""
        return f"{100.0 * self.level:g} %"

    @property
    def sets(self) -> str:
        """What prediction sets are called."""
        return "intervals" if self.is_regression else "sets"

    def when(self, name: str) -> str:
        """Return "before" for the reference, and "after" for what adjusts it.

        Named if several do; nothing if none does.
        """
        first, *others = self.titles
        if name == first:
            return "before" if others else ""
        return "after" if len(others) == 1 else f"after {self.titles[name]}"

    def at(self, name: str) -> str:
        """Return the same as the end of a clause."""
        return f" {self.when(name)}".rstrip()

    def each(
        self,
        values: Mapping[str, Any],
        form: Callable[[Any], str] = str,
        remarks: Mapping[str, str] | None = None,
    ) -> str:
        """Return a value of each predictor, such as "3 before and 2 after"."""
        *first, last = [
            f"{form(value)}{self.at(name)}{(remarks or {}).get(name, '')}"
            for name, value in values.items()
        ]
        return f"{', '.join(first)} and {last}" if first else last


def sentence(finding: Finding, context: Context) -> str:
    """Return what a finding says."""
    return f"{_KINDS[finding.kind](finding, context)} {_ADVICE[finding.advice]}".rstrip()


def paragraphs(findings: Sequence[Finding], context: Context) -> tuple[list[str], list[str]]:
    """Return the headline, a paragraph for each topic and predictor, and the sentences after it."""
    headline: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if finding.topic in HEADLINE:
            whose = finding.predictor if finding.topic == "remedy" else ""
            headline.setdefault((finding.topic, whose), []).append(sentence(finding, context))
    rest = [sentence(each, context) for each in findings if each.topic not in HEADLINE]
    return [" ".join(told) for told in headline.values()], rest


def with_findings(result: AuditResult) -> AuditResult:
    """Return the result with what its figures say."""
    findings = [*coverage_findings(result), *dependence_findings(result)]
    headline, explanations = paragraphs(findings, Context.of(result))
    return replace(result, findings=findings, headline=headline, explanations=explanations)


def finding_to_json(finding: Finding, context: Context) -> dict[str, Any]:
    """Return a finding as JSON has it, with its sentence."""
    return {
        "kind": finding.kind,
        "topic": finding.topic,
        "severity": finding.severity,
        "algorithm": finding.predictor,
        "who": who_in_json(finding.who),
        "figures": {name: _plain(value) for name, value in finding.figures.items()},
        "certainty": finding.certainty,
        "advice": finding.advice,
        "sentence": sentence(finding, context),
    }


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Group):
        return who_in_json(value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@_says("sets-hold-all")
def _sets_hold_all(finding: Finding, context: Context) -> str:
    figures = finding.figures
    why = " for all test rows"
    if figures["too_few"]:
        why = (
            f", as {figures['calibration']} calibration rows are too few for a confidence level "
            f"of {context.promised}"
        )
    if context.is_regression:
        return f"The prediction intervals are infinite{why}: they hold every value and say nothing."
    return f"The prediction sets hold every class{why}: they say nothing."


@_says("coverage-overall")
def _coverage_overall(finding: Finding, context: Context) -> str:
    remark = {
        "low": ": fewer than chance explains, so the promise is not kept for the test rows as a "
        "whole",
        "high": " (more than chance explains)",
        "unlucky": " (fewer, as the chance of drawing "
        f"{finding.figures['calibration']:,} calibration rows can explain)",
        "as-promised": "",
    }[finding.figures["status"]]
    return (
        f"{percent(finding.figures['accuracy'])} of the prediction {context.sets} hold the true "
        f"{context.target}, where {context.promised} was promised{remark}."
    )


@_says("group-low")
def _group_low(finding: Finding, context: Context) -> str:
    return (
        f"But only {percent(finding.figures['accuracy'])} do for {_whom(finding)} "
        f"({_likely(finding)}), {finding.figures['missed']:,} fewer than promised. This is "
        f"unlikely to be chance{_q(finding)}."
    )


@_says("group-lower-still")
def _group_lower_still(finding: Finding, context: Context) -> str:
    return (
        f"Coverage is lower still, {percent(finding.figures['accuracy'])}, for {_whom(finding)} "
        f"({_likely(finding)}), {finding.figures['missed']:,} fewer than promised. That these are "
        f"worse off than the others is unlikely to be chance{_q(finding)}."
    )


@_says("no-segment")
def _no_segment(finding: Finding, context: Context) -> str:
    return "There was no segment to look at, so nothing is known of single groups."


@_says("no-group")
def _no_group(finding: Finding, context: Context) -> str:
    figures = finding.figures
    none = no_group(figures["segments"], figures["rules"])
    return {
        "low": f"{none} is clearly worse off than all rows together.",
        "unlucky": f"{none} has coverage that is clearly lower than that of all rows: there is no "
        "evidence that any group is worse off than the others.",
        "high": f"{none} has coverage that is clearly too low: there is no evidence that any group "
        "gets less than was promised.",
        "as-promised": f"{none} has coverage that is clearly too low: there is no evidence of a "
        "problem.",
    }[figures["overall"]]


@_says("group-over")
def _group_over(finding: Finding, context: Context) -> str:
    accuracy = percent(finding.figures["accuracy"])
    return f"{accuracy} do for {_whom(finding)}, which is more than needed{_q(finding)}."


@_says("power")
def _power(finding: Finding, context: Context) -> str:
    if math.isinf(finding.figures["best"]):
        return "But the segments have too few test rows to show one."
    typical = 100.0 * finding.figures["typical"]
    if math.isinf(typical):
        return "But half of the segments or more have too few test rows to show one."
    points = "1 percentage point" if round(typical) == 1 else f"{typical:.0f} percentage points"
    return (
        f"Half of the segments have enough test rows for a shortfall of "
        f"{'less than 1 percentage point' if typical < _LEAST_POINTS else points} to be seen in "
        "four of five cases."
    )


@_says("nothing-adjusted")
def _nothing_adjusted(finding: Finding, context: Context) -> str:
    return f"{_adjustment(finding, context)} found nothing to adjust: after is as before."


@_says("effect-on-group")
def _effect_on_group(finding: Finding, context: Context) -> str:
    effect = _effect("them", finding, context)
    return f"{_adjustment(finding, context)} {effect}{_price(finding, context)}."


@_says("effect-on-all")
def _effect_on_all(finding: Finding, context: Context) -> str:
    effect, named = _effect("all rows", finding, context), ""
    if finding.who is not None:
        named = f" ({percent(finding.figures['of_group'])} for {in_brief(finding.who)})"
    return f"{_adjustment(finding, context)} {effect}{named}{_price(finding, context)}."


@_says("effect-overall")
def _effect_overall(finding: Finding, context: Context) -> str:
    low = ", less than chance explains" if finding.figures["low"] else ""
    return (
        f"After the adjustment ({context.titles[finding.predictor]}) it is "
        f"{percent(finding.figures['overall'])} overall{low}{_price(finding, context)}."
    )


@_says("all-rows-low-after")
def _all_rows_low_after(finding: Finding, context: Context) -> str:
    return (
        f"But over all rows coverage is {percent(finding.figures['accuracy'])} after, less than "
        "chance explains."
    )


@_says("group-spoilt")
def _group_spoilt(finding: Finding, context: Context) -> str:
    start = "It also" if finding.figures["also"] else "But it"
    return f"{start} makes coverage too low for {_change(finding)}."


@_says("group-low-too")
def _group_low_too(finding: Finding, context: Context) -> str:
    return f"After it coverage is clearly too low, too, for {_change(finding)}."


@_says("groups-counted")
def _groups_counted(finding: Finding, context: Context) -> str:
    figures = finding.figures
    first, *others = context.titles
    low, named = figures["low"], figures["named"]
    start = "Segment by segment, coverage" if figures["all_low"] else "Coverage"
    told = (
        f"{start} is clearly too low in {low[first]:,} of {segments_counted(figures['segments'])} "
        f"looked at{context.at(first)}{_names(named[first])}"
    )
    for name in others:
        new = figures["new"][name]
        told += (
            f", and in {low[name] or 'none'}{context.at(name)}"
            f"{'' if low[first] else _names(named[name])}"
            f"{f', {new:,} of them new' if new else ''}"
        )
    return f"{told}."


@_says("worst-segment")
def _worst_segment(finding: Finding, context: Context) -> str:
    remarks = {finding.predictor: _q(finding)}
    return (
        f"Among those of {finding.figures['fewest']} rows or more it is worst for "
        f"{_whom(finding)}: {context.each(finding.figures['accuracy'], percent, remarks)}."
    )


@_says("rules-counted")
def _rules_counted(finding: Finding, context: Context) -> str:
    first, *others = finding.figures["found"].items()
    told = (
        "A search for combinations of conditions, judged on rows of their own, finds "
        f"{first[1] or 'none'} with clearly low coverage{context.at(first[0])}"
    )
    told += "".join(f" and {count or 'none'}{context.at(name)}" for name, count in others)
    if finding.who is None:
        return f"{told}."
    accuracy = context.each(finding.figures["accuracy"], percent)
    return (
        f"{told}. It is lowest for {in_brief(finding.who)}: {accuracy}, of {finding.who.n:,} such "
        "rows."
    )


@_says("no-fewer-groups")
def _no_fewer_groups(finding: Finding, context: Context) -> str:
    when = context.when(finding.predictor)
    return f"So no fewer groups have too little coverage {when} than before."


@_says("level")
def _level(finding: Finding, context: Context) -> str:
    figures = finding.figures
    (first, share), *others = figures["accuracy"].items()
    told = f"of {percent(share)} of the test rows hold their label{context.at(first)}"
    told += "".join(f", and of {percent(after)}{context.at(name)}" for name, after in others)
    return (
        f"Overall, the prediction sets {told}; with so many rows chance puts it between "
        f"{percent(figures['low'])} and {percent(figures['high'])} in 99 of 100 splits."
    )


@_says("all-alike")
def _all_alike(finding: Finding, context: Context) -> str:
    return _at_first(
        f"all prediction sets of the test rows are {finding.figures['word']}, so nothing can be "
        "said of how coverage depends on the features.",
        finding,
        context,
    )


@_says("dependence")
def _dependence(finding: Finding, context: Context) -> str:
    assert finding.certainty is not None  # noqa: S101 - this kind has one
    evidence = "no evidence"
    if finding.certainty <= SOME:
        evidence = "clear evidence" if finding.certainty <= CLEAR else "some evidence"
    of = _on_what(finding) or "the model's features"
    how = "in a straight line " if finding.figures["in_a_line"] else ""
    return _at_first(
        f"there is {evidence} that coverage depends on {of} {how}({_chance(finding.certainty)}). "
        f"{_deviation(finding, context)}",
        finding,
        context,
    )


@_says("dependence-left")
def _dependence_left(finding: Finding, context: Context) -> str:
    assert finding.certainty is not None  # noqa: S101 - this kind has one
    how = "in a straight line " if finding.figures["in_a_line"] else ""
    left = f"no dependence {how}can be told from chance"
    if finding.certainty <= SOME:
        left = f"there is some evidence that a dependence {how}is left"
    if finding.certainty <= CLEAR:
        left = f"a dependence {how}is clearly left"
    of = _on_what(finding)
    return _at_first(
        f"{f'as to {of}, ' if of else ''}{left} ({_chance(finding.certainty)}). "
        f"{_deviation(finding, context)}",
        finding,
        context,
    )


@_says("less-even")
def _less_even(finding: Finding, context: Context) -> str:
    return (
        "So the adjustment made coverage less even than it was: it carries the chance of its "
        "training rows into every prediction, and there was less than that to mend."
    )


@_says("dependence-explained")
def _dependence_explained(finding: Finding, context: Context) -> str:
    figures = finding.figures
    measured = (
        f"the deviation as measured is {_points(figures['dcv'])} points, chance among the test "
        "rows included; the best adjustment of its kind from so many training rows would show "
        f"about {_points(figures['floor'])}, and a faultless predictor that needs no adjustment "
        f"about {_points(figures['floor_unadjusted'])}."
    )
    if figures["explained"]:
        return (
            "This is what is to be expected of an adjustment of this kind: it carries the chance "
            f"of its training rows into every prediction. In figures: {measured} More training "
            "rows would lower it."
        )
    return f"This is more than so many training rows explain: {measured}"


@_says("scope")
def _scope(finding: Finding, context: Context) -> str:
    return (
        "All this sees only coverage that rises or falls steadily with a feature. Where it is off "
        "in the middle of a feature's range, or only where several features meet, the segments "
        "tell."
    )


@_says("audit-only-unseen")
def _audit_only_unseen(finding: Finding, context: Context) -> str:
    return (
        "The adjustment cannot see these columns, so it mends only what other columns tell of them."
    )


@_says("nothing-to-search")
def _nothing_to_search(finding: Finding, context: Context) -> str:
    return (
        "There is nothing to search for worst segments: too few test rows, or none of them with "
        "clearly more wrong prediction sets than others."
    )


@_says("no-rule-found")
def _no_rule_found(finding: Finding, context: Context) -> str:
    when = " or ".join(filter(None, map(context.when, context.titles)))
    return (
        f"The search for worst segments finds none: of its {finding.figures['rules']} rules, none "
        f"has clearly low coverage on the rows that it is judged on{f', {when}' if when else ''}."
    )


@_says("rules-found")
def _rules_found(finding: Finding, context: Context) -> str:
    figures, who = finding.figures, finding.who
    assert who is not None  # noqa: S101 - this kind has one
    first, *others = figures["found"].items()
    rules = "1 rule" if first[1] == 1 else f"{first[1]} rules"
    more = "".join(f" and {count}{context.at(name)}" for name, count in others)
    interval = f" (95 % interval {percent(figures['low'])} to {percent(figures['high'])})"
    shares = context.each(figures["accuracy"], percent, {finding.predictor: interval})
    return (
        f"The search for worst segments finds {rules} of clearly low coverage"
        f"{context.at(first[0])}{more}, the surest of them {in_brief(who)}: coverage is {shares}, "
        f"of {who.n} rows that had no part in the search."
    )


@_says("intervals-counted")
def _intervals_counted(finding: Finding, context: Context) -> str:
    figures = finding.figures
    (first, count), *others = figures["failing"].items()
    counts = f"{count} of {figures['segments']} segments{context.at(first)}"
    counts += "".join(f", {after}{context.at(name)}" for name, after in others)
    return (
        f"The 95 % interval of coverage excludes {context.promised} in {counts} (by chance alone "
        f"in about {figures['segments'] / 20:.0f}); allowing for so many looks, "
        f"{context.each(figures['sure'])} differ from the overall coverage (q up to 0.05)."
    )


@_says("largest-departure")
def _largest_departure(finding: Finding, context: Context) -> str:
    when = " and ".join(filter(None, map(context.when, finding.figures["largest"])))
    return (
        f"Largest shortfall or excess, counted in rows{f', {when}' if when else ''}: "
        f"{_movement(finding, context)}."
    )


@_says("largest-audit-only")
def _largest_audit_only(finding: Finding, context: Context) -> str:
    return f"Of the audit-only columns: {_movement(finding, context)}."


def _movement(finding: Finding, context: Context) -> str:
    assert finding.who is not None  # noqa: S101 - these kinds have one
    accuracy = context.each(finding.figures["accuracy"], percent)
    return f"{in_brief(finding.who)} ({finding.who.n:,} test rows), {accuracy}"


def _adjustment(finding: Finding, context: Context) -> str:
    return f"The adjustment ({context.titles[finding.predictor]})"


def _effect(them: str, finding: Finding, context: Context) -> str:
    after = finding.figures["after"]
    how = {
        "raised": f"brings {them} to {percent(after)}",
        "hardly": f"hardly changes this: {percent(after)} after",
        "none": f"does not mend this: {percent(after)} after",
    }[finding.figures["effect"]]
    short = 100.0 * (context.level - after)
    return f"{how}, {short:.1f} points short of the promise" if short >= _SHORT else how


def _price(finding: Finding, context: Context) -> str:
    """Return by how much sets grow on average, as a clause."""
    change = finding.figures["size_change"]
    if change is None:
        return ""
    told = f"{abs(100.0 * change):.1f}"
    if told == "0.0":
        same = "wide" if context.is_regression else "large"
        return f"; over all rows {context.sets} stay about as {same} as before on average"
    more, less = ("wider", "narrower") if context.is_regression else ("larger", "smaller")
    return (
        f"; over all rows {context.sets} become {told} % {less if change < 0.0 else more} on "
        "average"
    )


def _change(finding: Finding) -> str:
    figures = finding.figures
    return (
        f"{_whom(finding)}: {percent(figures['before'])} before and {percent(figures['after'])} "
        f"after{_q(finding)}"
    )


def _names(rows: Sequence[Group]) -> str:
    if not rows:
        return ""
    more = ["..."] if len(rows) > _MOST_NAMED else []
    return f" ({', '.join([*map(in_brief, rows[:_MOST_NAMED]), *more])})"


def _whom(finding: Finding) -> str:
    assert finding.who is not None  # noqa: S101 - asked of kinds that have one
    return whom(finding.who)


def _likely(finding: Finding) -> str:
    low, high = finding.figures["low"], finding.figures["high"]
    return f"likely between {percent(low)} and {percent(high)}"


def _q(finding: Finding) -> str:
    return "" if finding.certainty is None else f" ({q_in_words(finding.certainty)})"


def _at_first(clause: str, finding: Finding, context: Context) -> str:
    """Return a sentence that begins with when it holds."""
    when = context.when(finding.predictor)
    told = f"{when}, {clause}" if when else clause
    return told[0].upper() + told[1:]


def _on_what(finding: Finding) -> str:
    of: str = finding.figures["of"]
    if not of or of == "the audit-only columns":
        return of
    return f"audit-only {brief(of)}"


def _chance(p_value: float) -> str:
    """Return a p-value in words: how often chance alone would look like this."""
    chance = "with no dependence at all, chance would make coverage look at least this uneven in"
    if p_value < _SMALLEST_P:
        return f"{chance} fewer than 1 of 1,000 cases"
    share = f"{chance} {100.0 * p_value:.2g} % of cases"
    return share if p_value <= SOME else f"{share}; this does not prove that coverage is even"


def _deviation(finding: Finding, context: Context) -> str:
    figures = finding.figures
    if figures["corrected"] is None:
        return (
            "Judged on rows that they have not seen, its estimates find coverage off "
            f"{context.promised} by {_points(figures['crossfitted'])} percentage points, as a root "
            "mean square over the rows."
        )
    return (
        f"Coverage is off {context.promised} by about {_points(figures['corrected'])} percentage "
        f"points, as a root mean square over the rows (95 % interval {_points(figures['low'])} to "
        f"{_points(figures['high'])})."
    )


def _points(share: float | None) -> str:
    """Return a share in percentage points."""
    return "?" if share is None else f"{100.0 * share:.1f}"
