"""The result on one screen: two sentences, what to do now, and what becomes of whom it is for.

The figures are those of the findings, and the groups those that are counted everywhere.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..conformal.rank import CoverageLaw
from ..messages import counted
from ..segments.statistics import Status
from ..segments.under_coverage import TOO_LOW, JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from . import effects
from .advice_findings import use_in_short
from .class_findings import missed_class
from .coverage_findings import holds_all, judged_groups, low_groups, named_group, once
from .result import AuditResult, Finding
from .wording import brief, certainty_in_words, in_brief, percent

_LONGEST = 60  # signs of a group's name
_FATES = 3  # groups told one by one

_BECOMES: Mapping[Status, str] = {
    "mended": "mended",
    "better": "better, still too low",
    "unchanged": "still too low",
    "unclear": "may still be too low",
    "new": "becomes too low",
    "low": "stays too low",
}


@dataclass(frozen=True)
class Step:
    """One thing to do now: its line, and ``changes`` to the settings that do it, if these do.

    ``kind`` is one of advice, "name-group" or "compare"; ``who`` the group that it is for.
    """

    kind: str
    sentence: str
    who: JudgedRow | None = None
    changes: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ShownGroup:
    """A group by each predictor, by name, the reference first, and the band of 95 % chance."""

    name: str
    by: Mapping[str, JudgedRow]
    band: tuple[float, float]

    @property
    def is_low(self) -> bool:
        """Whether it is clearly too low by the reference."""
        return next(iter(self.by.values())).status in TOO_LOW


def in_short(result: AuditResult) -> list[str]:
    """Return in two sentences for whom coverage is too low, and for how many groups."""
    if holds_all(result):
        why = next(one.sentence for one in result.findings if one.kind == "sets-hold-all")
        return [f"{why.partition(':')[0]}: they say nothing."]
    return [_who(result), _how_many(result)]


def _who(result: AuditResult) -> str:
    group, of_all = named_group(result), result.coverage(result.reference)
    rows, promised = f"{result.data.test:,} test rows", f"{result.promised} promised"
    if group is not None:
        q = group.q_value if of_all.is_low else group.judged_q
        return (
            f"{brief(in_brief(group), _LONGEST)}: only {percent(group.accuracy)} of {group.n:,} "
            f"test rows are covered, not the {promised} ({certainty_in_words('q', q)})."
        )
    share, missed = percent(of_all.share), missed_class(result)
    if of_all.is_low:
        return f"Only {share} of all {rows} are covered, not the {promised}: more than chance."
    uneven = next((one for one in result.findings if one.kind == "uneven"), None)
    if uneven is not None and uneven.certainty is not None:
        sure = certainty_in_words("p", uneven.certainty)
        return f"Coverage is uneven ({sure}), though no single group is clearly too low."
    none = "No group is clearly too low"
    if not judged_groups(result):
        none = "No group has rows enough to be judged"
    if missed is not None:
        return (
            f"{none}, but of those truly {brief(missed.value, _LONGEST)} only "
            f"{percent(missed.accuracy)} are in their set."
        )
    larger = f", so {result.sets} are larger than needed" if of_all.is_high else ""
    return f"{none}: {share} of {rows} are covered, {promised}{larger}."


def _how_many(result: AuditResult) -> str:
    """Return how many groups are too low before and with what is advised; of none, the power."""
    low, then = (low_groups(result, name) for name in (result.reference, result.advised))
    if not low and not then:
        return next((one.sentence for one in result.findings if one.kind == "power"), "")
    of = counted(len(judged_groups(result)), "group")
    told = f"{len(low) or 'None'} of {of} judged {'are' if low[1:] else 'is'} clearly too low"
    if result.advised != result.reference:
        told += f"; {len(then) or 'none'} {result.words.when(result.advised)}"
    return f"{told}."


def fates(result: AuditResult) -> list[str]:
    """Return, a line each, what becomes of groups too low if the advice is followed.

    Where it is to keep the predictor they stay as they are. A class that is missed comes last.
    """
    if holds_all(result):
        return []
    first, advised = result.reference, result.advised
    low = low_groups(result, first)
    new = [row for row in low_groups(result, advised) if row.status == "new"]
    lines: list[str] = []
    for row in (*low, *new)[:_FATES]:
        then = effects.same_group(result, row, advised)
        was = effects.same_group(result, row, first).accuracy
        moved = percent(was) if advised == first else f"{percent(was)} → {percent(then.accuracy)}"
        lines.append(f"{brief(in_brief(row), _LONGEST)}: {moved}, {_became(then)}")
    if rest := (*low, *new)[_FATES:]:
        became = Counter(_became(effects.same_group(result, row, advised)) for row in rest)
        counts = [f"{count:,} {told}" for told, count in became.items()]
        lines.append(f"{len(rest):,} more: {', '.join(counts)}")
    if (missed := missed_class(result)) is not None:
        shares = [
            effects.same_group(result, missed, n).accuracy for n in dict.fromkeys((first, advised))
        ]
        moved = " → ".join(map(percent, shares))
        by = next(each for each in result.predictors if each.name == advised)
        promise = "" if by.by_classes else ", no level is promised"
        lines.append(f"{brief(missed.value, _LONGEST)} (a class): {moved}{promise}")
    return lines


def _became(row: JudgedRow) -> str:
    return _BECOMES[row.status or "unclear"]


def steps(result: AuditResult) -> list[Step]:
    """Return what to do now, the advice first."""
    found = []
    for one in result.findings:
        if one.advice:
            of_use = one.advice == "use"
            told = use_in_short(result, one.predictor) if of_use else one.sentence
            found.append(Step(one.advice, told, one.who, _changes(result, one)))
    group = named_group(result)
    if isinstance(group, WorstSegmentRow):
        told = "Name this rule beforehand, so that new rows judge it by itself."
        found.append(Step("name-group", told, group))
    if len(result.adjustments) > 1:
        found.append(Step("compare", "Compare the remedies over several splits of the rows."))
    return found


_CHANGES: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "try-remedy": lambda of: {"remedies": (of["remedy"],)},
    "unseen": lambda of: {"remedies": (of["remedy"],), "use_protected": True},
    "try-c": lambda of: {"penalty": of["suggested"]},
    "restart": lambda _: {"search": "restarted"},
    "bends": lambda _: {"ifacm_estimator": "trees"},
    "other-seeds": lambda _: {"repeats": 5},
    "mend-intervals": lambda of: {
        "quantiles": tuple(of["columns"]),
        "lower": None,
        "upper": None,
    },
}
"""Of each kind of advice that settings can follow, the fields that change; lists grow by these."""


def _changes(result: AuditResult, one: Finding) -> Mapping[str, Any] | None:
    if result.asked is None or one.advice not in _CHANGES:
        return None
    return _CHANGES[one.advice](one.figures)


def who_title(result: AuditResult) -> str:
    """Return what stands above a picture of the groups."""
    low, of = low_groups(result, result.reference), len(judged_groups(result))
    return f"Who is failed: {len(low):,} of {counted(of, 'group')} clearly too low"


def shown_groups(result: AuditResult, most: int = 8) -> list[ShownGroup]:
    """Return so many groups: those too low as counted, then by the rows fewer than promised."""
    level, first = result.settings["cl"], result.reference
    low = once([row for n in (first, result.advised) for row in low_groups(result, n)])
    rest = sorted(judged_groups(result), key=lambda row: row.n * (row.accuracy - level))
    law = CoverageLaw.of_calibration(result.data.calibration, level)
    if result.test_rows is not None:
        law = result.test_rows.law
    elif not result.predictors[0].is_calibrated:
        law = CoverageLaw(level)
    return [
        ShownGroup(
            in_brief(row),
            {name: effects.same_group(result, row, name) for name in result.names},
            law.band(row.n_effective, 0.95),
        )
        for row in once([*low, *rest])[:most]
    ]
