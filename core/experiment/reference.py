"""What a saved predictor keeps of its calibration and test rows, so that newer ones are watched."""

from collections import Counter
from dataclasses import replace
from itertools import chain

from ..arrays import BoolArray
from ..conformal.predictor import MeasurePredictor
from ..conformal.rank import nested_levels
from ..conformal.thresholds import ColumnGroups
from ..preparation.prepare import PreparedData
from ..scoring.columns import part_named
from ..scoring.groups import OTHERS, ByRule
from ..scoring.predictor import SavedPredictor
from ..scoring.reference import Reference, WatchedColumn, WatchedGroup
from ..segments.binning import OUTSIDE
from ..segments.statistics import FEWEST_JUDGED
from ..segments.under_coverage import TOO_LOW
from ..tables.grammar import parse_rule
from ..tables.rules import Rule
from .result import Examination

_MOST_COLUMNS, _MOST_VALUES = 50, 7


def reference_of(
    saved: SavedPredictor,
    predictor: MeasurePredictor,
    found: Examination,
    data: PreparedData,
    *,
    is_drawn: bool,
) -> Reference:
    """Return the reference of a predictor; by ranks of calibration rows, if ``is_drawn`` by one."""
    rows = found.test_rows
    assert rows is not None  # noqa: S101 - of an audit that has just been
    correct = rows.outcomes[saved.name].correct
    scores, level = predictor.calibration_scores_, saved.confidence_level
    levels, ranks = nested_levels(scores, level) if is_drawn else ((), ())
    groups = (
        WatchedGroup(
            ByRule(str(rule), ("inside", "outside"), rule.written(rows.table)),
            int(correct[inside].sum()),
            int((~correct[inside]).sum()),
        )
        for rule, inside in _groups(found).items()
    )
    settings = found.settings
    return Reference(
        levels,
        ranks,
        int(correct.sum()),
        int((~correct).sum()),
        (*groups,),
        (*(_column(name, data) for name in _columns(saved, data)),),
        alike=settings["group"] or settings["time"] or "",
    )


def _groups(found: Examination) -> dict[Rule, BoolArray]:
    """Return the groups to watch, and which test rows are to be counted of each, shape (n,).

    They are those that were named beforehand, and those that any predictor of the run left clearly
    too low. Rows that a rule was found by say nothing of it.
    """
    rows = found.test_rows
    assert rows is not None  # noqa: S101 - of an audit that has just been
    groups, partitions = dict[Rule, BoolArray](), {v.name: v.partition for v in rows.variables}
    for row in found.segments:
        is_wanted = row.status in TOO_LOW or (
            row.named and row.kind in ("column", "pair", "cohort")
        )
        if row.rule and is_wanted and row.value != OUTSIDE and row.n >= FEWEST_JUDGED:
            groups[parse_rule(row.rule)] = partitions[row.variable].rows(row.value)
    for low in found.worst_segments:
        if low.status in TOO_LOW:
            inside = rows.searched.holds[low.rule] & rows.searched.judging
            groups.setdefault(parse_rule(low.rule), inside)
    return groups


def _columns(saved: SavedPredictor, data: PreparedData) -> list[str]:
    """Return the columns to watch: all that it takes but dates, which never stay."""
    kinds = saved.columns
    named = [name for name in kinds if name in data.table and not part_named(name)[0]]
    return [name for name in named if data.table[name].holds != "date"][:_MOST_COLUMNS]


def _column(name: str, data: PreparedData) -> WatchedColumn:
    """Return how calibration and test rows fall into bands, or values, that training rows tell."""
    groups = ColumnGroups.of(name, data.learning)
    if not groups.edges:
        most = Counter(groups.at(data.learning)).most_common(_MOST_VALUES)
        # rarer texts may be a single person's
        often = (group for group, rows in most if rows >= FEWEST_JUDGED or group is None)
        groups = replace(groups, kept=frozenset(often))
    bands = [*range(len(groups.edges) + 1)] if groups.edges else [*(groups.kept or ()), OTHERS]
    known = (*sorted({*bands} - {None}, key=str), None)
    counts = Counter(chain(*(groups.at(each) for each in (data.calibration, data.test))))
    of_known = [counts.pop(group, 0) for group in known]
    return WatchedColumn(groups.written(known, data.table.frame), (*of_known, counts.total()))
