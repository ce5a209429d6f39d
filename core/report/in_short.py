"""The result on one screen: two sentences, what to do now, and what becomes of whom it is for.

The figures are those of the findings, and the groups those that are counted everywhere.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..conformal.rank import CoverageLaw
from ..messages import counted
from ..segments.by_segment import SegmentRow
from ..segments.statistics import Status
from ..segments.under_coverage import JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from . import effects
from .advice_findings import use_in_short
from .class_findings import missed_class
from .groups import holds_all, judged_groups, low_groups, named_group, once
from .result import AuditResult, Finding
from .wording import brief, certainty_in_words, in_brief, percent

_LONGEST, _MOST_WORDS = 60, 8  # of a group's name
_FATES, _STEPS = 3, 3  # told one by one
_SENTENCE = 25  # words

_OF_NO_USE = 0.1
"""So many more of a group's sets hold every label that it is these that raise its coverage."""

_BECOMES: Mapping[Status, str] = {
    "mended": "mended",
    "better": "still too low",
    "unchanged": "still too low",
    "unclear": "not surely mended",
    "new": "too low only then",
    "low": "too low",
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
    """A group by each predictor, by name, the reference first, and the band of 95 % chance.

    ``told`` says of one too low that it is, or what it becomes by the advice; else it is empty.
    """

    name: str
    by: Mapping[str, JudgedRow]
    band: tuple[float, float]
    told: str

    @property
    def rows(self) -> str:
        """How many test rows tell of it; of a rule those that had no part in the search for it."""
        first = next(iter(self.by.values()))
        of = f" of {first.n_test:,}" if isinstance(first, WorstSegmentRow) else ""
        return f"{first.n:,}{of}"


def in_short(result: AuditResult) -> list[str]:
    """Return in one or two sentences for whom coverage is too low, and for how many groups."""
    if not holds_all(result):
        return list(filter(None, (_who(result), _how_many(result))))
    why = next(one.sentence for one in result.findings if one.kind == "sets-hold-all")
    told = f"{why.partition(':')[0]}: they say nothing."
    if len(told.split()) > _SENTENCE:
        told = f"{why.partition(',')[0]}: they say nothing."
    return [told]


def _in_few(name: str) -> str:
    words = name.split()
    few = " ".join(words[:_MOST_WORDS]) + "…" * (len(words) > _MOST_WORDS)
    return brief(few, _LONGEST)


def _who(result: AuditResult) -> str:
    group, of_all = named_group(result), result.coverage(result.reference)
    rows, promised = f"{result.data.test:,} test rows", f"{result.promised} promised"
    if group is not None:
        q = group.q_value if of_all.is_low else group.judged_q
        of = "unsearched" if isinstance(group, WorstSegmentRow) else "test"
        return (
            f"{_in_few(in_brief(group))}: only {percent(group.accuracy)} of {group.n:,} {of} rows "
            f"are covered, not the {promised} ({certainty_in_words('q', q)})."
        )
    share = percent(of_all.share)
    if of_all.is_low:
        less = "fewer than chance explains"
        return f"Only {share} of all {rows} are covered, not the {promised}: {less}."
    uneven = next((one for one in result.findings if one.kind == "uneven"), None)
    if uneven is not None and uneven.certainty is not None:
        sure = certainty_in_words("p", uneven.certainty)
        return f"Coverage is uneven ({sure}), though no single group is clearly too low."
    none = "No group is clearly too low"
    if not judged_groups(result):
        none = "No group has rows enough to be judged"
    if (missed := missed_class(result)) is not None:
        before = effects.same_group(result, missed, result.reference)
        if before.high < result.settings["cl"]:
            only = f"only {percent(before.accuracy)} are in their set"
            return f"{none}, but of those truly {_in_few(missed.value)} {only}."
    larger = f", so {result.sets} are larger than needed" if of_all.is_high else ""
    return f"{none}: {share} of {rows} are covered, {promised}{larger}."


def _how_many(result: AuditResult) -> str:
    """Return how many groups are too low before and with what is advised; of none, the power."""
    first, advised = result.reference, result.advised
    low, then = (low_groups(result, name) for name in (first, advised))
    of_all = result.coverage(first)
    over_all = f"over all test rows it is {percent(of_all.share)}"
    if not low and not then:
        power = next((one.sentence for one in result.findings if one.kind == "power"), "")
        is_uneven = any(one.kind == "uneven" for one in result.findings)
        return f"{over_all.capitalize()}." if is_uneven and not of_all.is_low else power
    of = counted(len(judged_groups(result)), "group")
    if not low:  # as has been said
        return f"After {advised} {len(then):,} of {of} {_are(then)} clearly too low."
    told = f"{len(low):,} of {of} {_are(low)} clearly too low"
    if advised != first:
        unsure = [row for row in low if _status(result, row) == "unclear"]
        told += f"; after {advised} {len(then) or 'none'} {_are(then)}"
        if unsure:
            return f"{told}, {len(unsure):,} {_are(unsure)} not surely mended."
    return f"{told}; {over_all}." if of_all.is_low and named_group(result) else f"{told}."


def _are(rows: list[JudgedRow]) -> str:
    return "are" if rows[1:] else "is"


def _too_low(result: AuditResult) -> list[JudgedRow]:
    """Return the groups too low before, or with what is advised, in the order of first screens.

    First the group named, then those too low only after, and of the others the surest still low.
    """
    first, advised = result.reference, result.advised
    low = low_groups(result, first)
    new = [row for row in low_groups(result, advised) if row.status == "new"]
    by_status = ("better", "unchanged", "low", "unclear", "mended")
    rest = sorted(low[1:], key=lambda row: by_status.index(_status(result, row)))
    return [*low[:1], *new, *rest]


def fates(result: AuditResult) -> list[str]:
    """Return, a line each, how groups too low are, and what becomes of them by the advice.

    A class that is missed comes last.
    """
    if holds_all(result):
        return []
    first, advised = result.reference, result.advised
    rows, lines = _too_low(result), list[str]()
    as_it_is = "" if _is_settled(result) else " now"
    for row in rows[:_FATES]:
        then = effects.same_group(result, row, advised)
        was = effects.same_group(result, row, first)
        moved = " → ".join(map(percent, dict.fromkeys((was.accuracy, then.accuracy))))
        lines.append(f"{_in_few(in_brief(row))}: {moved}{as_it_is}, {_became(result, row)}")
    if rest := rows[_FATES:]:
        became = Counter(_became(result, row) for row in rest)
        counts = [f"{count:,} {told}" for told, count in became.items()]
        told = "; ".join(counts) if counts[1:] else next(iter(became))
        lines.append(f"{len(rest):,} more: {told}")
    missed = missed_class(result)
    of_class = [
        effects.same_group(result, missed, name)
        for name in dict.fromkeys((first, advised))
        if missed is not None
    ]
    # any predictor may miss it, and those shown may not
    if missed is not None and min(row.high for row in of_class) < result.settings["cl"]:
        moved = " → ".join(percent(row.accuracy) for row in of_class)
        by = next(each for each in result.predictors if each.name == advised)
        promise = "" if by.by_classes else ", no level is promised"
        lines.append(f"{_in_few(missed.value)} (a class): {moved}{promise}")
    return lines


def _is_settled(result: AuditResult) -> bool:
    """Say whether what is advised first has been judged, and not only what is there."""
    advice = next((one.advice for one in result.findings if one.advice), "keep")
    return advice in ("use", "keep")


def _status(result: AuditResult, row: JudgedRow) -> Status:
    return effects.same_group(result, row, result.advised).status or "unclear"


def _became(result: AuditResult, row: JudgedRow) -> str:
    """Return what becomes of a group by what is advised, and what explains it."""
    was = effects.same_group(result, row, result.reference)
    cause = was.explained_by if isinstance(was, SegmentRow) else ""
    told = _BECOMES[_status(result, row)] + (f", due to {_in_few(cause)}" if cause else "")
    then = effects.same_group(result, row, result.advised)
    if isinstance(then, SegmentRow) and isinstance(was, SegmentRow):
        before, after = (of.share_full or of.share_infinite or 0.0 for of in (was, then))
        if after - before >= _OF_NO_USE:
            sets = "sets of all labels" if then.share_infinite is None else "infinite intervals"
            told += f", by {sets} ({percent(before)} → {percent(after)})"
    return told


def steps(result: AuditResult) -> list[Step]:
    """Return up to three things to do now, the advice first."""
    found = []
    for one in result.findings:
        if one.advice:
            of_use = one.advice == "use"
            told = use_in_short(result, one.predictor) if of_use else one.sentence
            told = _first_clause(told) if not of_use or len(told.split()) > _SENTENCE else told
            found.append(Step(one.advice, told, one.who, _changes(result, one)))
    found[1:1] = [
        Step("model", _MODEL, changes=hint.changes)
        for hint in result.hints
        if hint.kind == "model" and result.asked is not None
    ]
    group = named_group(result)
    named = [result.settings.get(of, {}).values() for of in ("cohorts", "looks")]
    if isinstance(group, WorstSegmentRow) and group.rule not in chain(*named):
        told = "Name this rule beforehand, so that new rows judge it by itself."
        found.append(Step("name-group", told, group))
    if len(result.adjustments) > 1 and not holds_all(result):
        remedies = [
            *result.adjustments,
            *(r for s in found for r in (s.changes or {}).get(_GROWS, ())),
        ]
        told = "Compare the remedies over several splits."
        found.append(Step("compare", told, changes={_GROWS: tuple(dict.fromkeys(remedies))}))
    return found[:_STEPS]


_MODEL = "Try boosted trees as the model: they clearly predict better here."

_GROWS = "remedies"  # to those there are

_CHANGES: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "try-remedy": lambda of: {_GROWS: (of["remedy"],)},
    "unseen": lambda of: {_GROWS: (of["remedy"],), "use_protected": True},
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
"""Of each kind of advice that settings can follow, the fields that change."""


def _first_clause(sentence: str) -> str:
    """Return what a sentence begins with: of a long one without its reason."""
    clause = sentence.removesuffix(".").partition("; ")[0]
    return f"{clause if len(clause.split()) <= _SENTENCE else clause.partition(': ')[0]}."


def _changes(result: AuditResult, one: Finding) -> Mapping[str, Any] | None:
    if result.asked is None or one.advice not in _CHANGES:
        return None
    changes = dict(_CHANGES[one.advice](one.figures))
    if _GROWS in changes:  # one in place of the others would lead back to them
        changes[_GROWS] = (*result.asked.remedies, *changes[_GROWS])
    return changes


def who_title(result: AuditResult) -> str:
    """Return what stands above a picture of the groups."""
    low, of = low_groups(result, result.reference), len(judged_groups(result))
    return f"Who is failed: {len(low):,} of {counted(of, 'group')} too low"


def shown_groups(result: AuditResult, most: int = 6) -> list[ShownGroup]:
    """Return so many groups: those too low as counted, then by the rows fewer than promised."""
    if holds_all(result):
        return []
    level, first, advised = result.settings["cl"], result.reference, result.advised
    low = once(_too_low(result))
    rest = sorted(judged_groups(result), key=lambda row: row.n * (row.accuracy - level))
    law = CoverageLaw.of_calibration(result.data.calibration, level)
    if result.test_rows is not None:
        law = result.test_rows.law
    elif not result.predictors[0].is_calibrated:
        law = CoverageLaw(level)
    shown = []
    for row in once([*low, *rest])[:most]:
        by = {name: effects.same_group(result, row, name) for name in result.names}
        told = ""
        if row in low:
            told = "too low" if advised == first else f"→ {_BECOMES[_status(result, row)]}"
        shown.append(ShownGroup(in_brief(row), by, law.band(row.n_effective, 0.95), told))
    return shown
