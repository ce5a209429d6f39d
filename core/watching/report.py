"""What a watch has seen, in sentences."""

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, get_args

import pandas as pd

from ..messages import Names, Passage, Sentence, counted, first_of
from ..report.wording import percent, points
from ..scoring.predictor import SavedPredictor
from ..scoring.reference import Reference
from ..tables.table import Table
from .intake import Added, Watch
from .state import WatchState
from .verdict import About, Judge, WatchReport, WatchRow

_NO_LABELS = "No row has come with its label yet, so that nothing is known of coverage."
_ALL = "Sets held {share} of {rows} with labels ({low} to {high} %); {level} is promised."
_MOVED = (
    "Coverage has fallen: sets held {now} of {rows}{since}, {by} points fewer than promised; "
    "{odds}."
)
_FELL = (
    "Coverage fell: sets held {now} of {rows}{since} until {until}, {by} points fewer than "
    "promised; {odds}. Of those since then they held {after}."
)
_RISEN = (
    "More is held than promised: {now} of {rows}{since}; {odds}. Sets are wider than they need to "
    "be."
)
_SCORES = "Errors {grew}{since}, as the scores of {rows} say; {odds}.{early}"
_EARLY = " It is an early sign: no fall of coverage of all rows is sure."
_LEVEL = (
    "That is not {level}, and no move of all rows is sure: by the draw of calibration rows {low} "
    "to {high} % was to be expected, and {what}."
)
_STEADY = (
    "Coverage has not moved, as far as these rows can tell: {low} to {high} % was to be expected "
    "when the predictor was saved{least}."
)
_ROWS = "The rows themselves have changed, in {columns}: {what}."
_GROUP = (
    "For {group} coverage has fallen: sets held {now} of {rows}{since}, and {before} of {known} "
    "when the predictor was saved; {odds}."
)
_MORE = "So it has for more groups: {groups}."
_GROUPS = "Of {rest} watched, none has surely fallen{unseen}."
_LOW = "Low already when it was saved, and watched for a further fall alone: {groups}."
_EMPTY = "No row has come of some watched groups: {groups}. Are their values written as before?"
_WAITING = "{rows} for labels: send these with their keys, in any order."
_ALIKE = (
    "Rows that are alike in '{column}' say less: 100 of them count as {worth} independent ones, as "
    "test rows told."
)
_WHAT_NOW = "Now: recalibrate on newer rows, which says whether that is enough."
_PROSPECT = (
    "Newer rows can show {drop} of coverage, sooner or later, and one of ten points in {seen} of "
    "{groups}; a smaller one from the first row on is within what so few calibration and test rows "
    "leave open."
)
_LACKING = "Groups by columns that these rows lack are not watched in them: {columns}."
_NOTHING = Added()
_TEN_POINTS, _MOST_GROUPS, _AS_INDEPENDENT = 0.1, 5, 0.95
MOST_TOLD, _LARGEST = math.log(1e6), 700.0
_ABOUT_ALL = ("moved", "e_value", "since", "until", "n_since", "share_since", "visible")


def watch(
    predictor: SavedPredictor,
    rows: pd.DataFrame | Table,
    state: WatchState | None = None,
    *,
    key: str | None = None,
    time: str | None = None,
) -> tuple[WatchState, WatchReport]:
    """Return what was seen before with newer rows added, and what all of it says.

    ``key`` and ``time`` are the columns of the rows' keys and times, as for :class:`.Watch`.
    Raises :class:`InputError` if the rows lack what the predictor needs, or the state is of another
    predictor.
    """
    by = Watch(predictor, key, time)
    new = rows if isinstance(rows, Table) else Table.of(rows)
    state, added = by.added(new, state or WatchState(by.fingerprint, key))
    return state, report(by, state, added)


def report(watch: Watch, state: WatchState, added: Added = _NOTHING) -> WatchReport:
    """Return what a state says, and what became of the rows that came last.

    Raises :class:`InputError` if the state is of another predictor, or damaged.
    """
    watch.check(state)
    found = replace(Judge(watch, state).report(), added=added)
    told = _sentences(found, watch.kinds.reference)
    return replace(found, sentences=[*_of_added(added), *told])


def _sentences(found: WatchReport, reference: Reference) -> Iterator[Sentence]:
    yield from _of_all_rows(found)
    yield from _of_columns(found)
    yield from _of_groups(found)
    if found.waiting:
        rows = counted(found.waiting, "row")
        yield Sentence("watch.waiting", _WAITING, rows=f"{rows} wait{'s' * (found.waiting == 1)}")
    if found.needs_recalibration:
        yield Sentence("watch.now", _WHAT_NOW)
    if reference.alike and reference.worth < _AS_INDEPENDENT:
        worth = f"{100.0 * reference.worth:.2g}"
        yield Sentence("watch.alike", _ALIKE, column=reference.alike, worth=worth)


def _of_added(added: Added) -> Iterator[Sentence]:
    told = {
        "added": added.rows,
        "counted already": added.again,
        "without a label": added.unlabelled,
        "labels for rows that waited": added.met,
        "labels of rows to come": added.early,
    }
    if any(told.values()):
        words = [f"{n:,} {what}" for what, n in told.items() if n]
        yield Sentence("watch.added", "What came: {told}.", told=Passage(", ".join(words)))
    if added.lacking:
        yield Sentence("watch.lacking", _LACKING, columns=Names(sorted(added.lacking)))


def _of_all_rows(found: WatchReport) -> Iterator[Sentence]:
    if found.status == "no rows":
        yield Sentence("watch.no_labels", _NO_LABELS)
        return
    level, share = percent(found.confidence_level, "g"), percent(found.share)
    rows = counted(found.n, "row")
    ends = {"low": points(found.low), "high": points(found.high)}
    yield Sentence("watch.all", _ALL, share=share, rows=rows, level=level, **ends)
    (row,) = found.of("coverage")
    by = {"by": points(found.confidence_level - row.share_since)}
    if found.status == "moved" and row.until:
        yield Sentence("watch.moved", _FELL, after=percent(row.share_after), **by, **_since(row))
    elif found.status == "moved":
        yield Sentence("watch.moved", _MOVED, **by, **_since(row))
    elif found.status == "risen":
        yield Sentence("watch.risen", _RISEN, **_since(row))
    elif found.status == "steady" and not found.is_off:
        drop = f"; a fall of {points(row.visible)} points or more would show, in time"
        least = "; none can ever show" if math.isnan(row.visible) else drop
        ends = {"low": points(found.level_low), "high": points(found.level_high)}
        yield Sentence("watch.steady", _STEADY, least=Passage(least), **ends)
    for scores in found.moved("scores"):
        early = Passage(_EARLY * (found.status == "scores"))
        grew = f"grew until {scores.until}" if scores.until else "have grown"
        yield Sentence("watch.scores", _SCORES, early=early, grew=grew, **_since(scores))
    if found.is_off and found.status in ("scores", "steady"):
        yield _of_level(found, level)


def _of_level(found: WatchReport, level: str) -> Sentence:
    """Return that coverage is not what is promised, and whether a draw explains it."""
    what = "more is held than that: sets are wider than they need to be"
    if found.share <= found.level_high:
        what = "this is within it" if found.share >= found.level_low else "less is held than that"
    ends = {"low": points(found.level_low), "high": points(found.level_high)}
    return Sentence("watch.level", _LEVEL, level=level, what=Passage(what), **ends)


def _of_columns(found: WatchReport) -> Iterator[Sentence]:
    moved = sorted(found.moved("column"), key=lambda row: -row.evidence)
    if not moved:
        return
    columns = first_of([f"{row.name}{f' (since {row.since})' * bool(row.since)}" for row in moved])
    what = {
        "moved": "coverage may have fallen because the rows differ, or because the label now "
        "depends on them differently",
        "no rows": "labels will tell whether coverage holds",
        "scores": "errors may have grown because the rows differ",
    }.get(found.status, "no fall of coverage of all rows is seen with it")
    yield Sentence("watch.columns", _ROWS, columns=columns, what=Passage(what))


def _of_groups(found: WatchReport) -> Iterator[Sentence]:
    groups = found.of("group")
    moved = sorted(found.moved("group"), key=lambda row: -row.evidence)
    first, more = moved[:_MOST_GROUPS], moved[_MOST_GROUPS:]
    for row in first:
        before, known = percent(row.share_before), counted(row.n_before, "test row")
        about = {"group": row.name, "before": before, "known": known}
        yield Sentence("watch.group", _GROUP, **about, **_since(row))
    if more:
        yield Sentence("watch.group", _MORE, groups=Names(row.name for row in more))
    rest = [row for row in groups if row.n and not row.moved]
    if rest:
        small = sum(not row.visible <= _TEN_POINTS for row in rest)
        unseen = (
            f"; {small} of these have too few test rows to show one of ten points by themselves"
        )
        count = counted(len(rest), "other group" if moved else "group")
        yield Sentence("watch.groups", _GROUPS, rest=count, unseen=Passage(unseen * bool(small)))
    if found.low_before:
        yield Sentence("watch.low", _LOW, groups=Names(found.low_before))
    if found.n and (empty := [row.name for row in groups if not row.n]):
        yield Sentence("watch.empty", _EMPTY, groups=Names(empty))


def _since(row: WatchRow) -> dict[str, object]:
    """Return what an alarm says: of how many rows, since when, and how sure it is."""
    strength = math.exp(min(row.evidence, MOST_TOLD))
    more = "more than " * (row.evidence > MOST_TOLD)
    return {
        "now": percent(row.share_since) if not math.isnan(row.share_since) else "",
        "rows": counted(row.n_since, "row"),
        "since": f" {'from' if row.until else 'since'} {row.since}" * bool(row.since),
        "until": row.until,
        "odds": f"evidence {more}{strength:,.0f} to 1",
    }


def to_json(found: WatchReport) -> dict[str, Any]:
    """Return a report as JSON has it; what is not known is None."""
    told = asdict(found) | {"share": found.share, "notes": found.sentences}
    of_rows = {about: [_row(row) for row in found.of(about)] for about in get_args(About)}
    told |= {key: value for key, value in of_rows["coverage"][0].items() if key in _ABOUT_ALL}
    told |= {"scores_moved": bool(found.moved("scores")), "scores": of_rows["scores"]}
    told |= {"features_moved": [row.name for row in found.moved("column")]}
    told |= {"groups": of_rows["group"], "columns": of_rows["column"]}
    told["added"] = {**found.added._asdict(), "lacking": sorted(found.added.lacking)}
    return {key: _plain(of) for key, of in told.items() if key not in ("checks", "sentences")}


def _row(row: WatchRow) -> dict[str, Any]:
    told = {row.about: row.name, **asdict(row), "e_value": math.exp(min(row.evidence, _LARGEST))}
    told |= {"held": None if math.isnan(row.share) else round(row.share * row.n)}
    return {key: of for key, of in told.items() if key not in ("about", "name", "evidence")}


def _plain(value: Any) -> Any:  # noqa: ANN401 - of any field
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


def prospect(predictor: SavedPredictor) -> Sentence:
    """Return what a watch of a predictor will be able to show."""
    watch = Watch(predictor)
    seen = Judge(watch, WatchState(watch.fingerprint)).report()
    (row,), groups = seen.of("coverage"), seen.of("group")
    small = sum(not group.visible <= _TEN_POINTS for group in groups)
    return Sentence(
        "watch.prospect",
        _PROSPECT,
        drop="no fall" if math.isnan(row.visible) else f"a fall of {points(row.visible)} points",
        groups=counted(len(groups), "watched group"),
        seen=f"{len(groups) - small:,}",
    )
