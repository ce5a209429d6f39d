"""Rows of a result as tables, charts and sentences read them, wherever they come from.

A row is a dict with the fields' names of the JSON result. Figures of several predictors side by
side end in their suffixes.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted
from evencover.core.findings.result import ResultRow
from evencover.core.findings.wording import segment_in_words
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.search.worst_segments import When
from evencover.core.segments.test_rows import AuditedObjects, ObjectSets

from .predictors import Predictor, predictors

Row = dict[str, Any]

TOO_FEW = "too few rows to say"
_KEYS = ("variable", "value", "rule")


def fields_of(row: object) -> Row:
    """Return the fields of a row."""
    return dict(vars(row))


def paired(result: AuditResult, section: str) -> list[Row]:
    """Return the rows of a section of the result."""
    return [fields_of(row) for row in getattr(result, section)]


def figure(row: Row, key: str, predictor: Predictor) -> Any:  # noqa: ANN401 - of any field
    """Return a predictor's figure."""
    return row[f"{key}_{predictor.suffix}"]


def with_titles(rows: Iterable[Row], shown: Iterable[Predictor]) -> list[Row]:
    """Return the rows with the predictors' titles in place of their names."""
    titles = {predictor.name: predictor.title for predictor in shown}
    return [
        row | {"algorithm": titles[row["algorithm"]]} if "algorithm" in row else row for row in rows
    ]


def reference_row(result: AuditResult) -> ResultRow:
    """Return the figures of the reference on the test rows."""
    return next(row for row in result.results if row.segment == "test")


def path_of(result: AuditResult) -> tuple[BaseMeasured, list[LayerAccepted]] | None:
    """Return what the layers set out from, and the layers; None without training figures."""
    first = next((row for row in result.results if row.segment == "training"), None)
    if first is None:
        return None
    return BaseMeasured(first.dcv, first.inefficiency), result.iterations


def segment(row: SegmentRow) -> Row:
    """Return a segment's row with what it is in words, and whether it is too small."""
    remark = TOO_FEW if math.isnan(row.detectable) else ""
    return fields_of(row) | {"group": segment_in_words(row), "remark": remark}


def segments(result: AuditResult) -> list[Row]:
    """Return all segments."""
    return [segment(row) for row in result.segments]


def object_segments(result: AuditResult) -> list[Row]:
    """Return those that go by columns or cohorts and hold test rows."""
    return [segment(row) for row in result.object_segments()]


def failing(result: AuditResult, predictor: Predictor) -> list[Row]:
    """Return the segments whose interval excludes the level, most rows concerned first."""
    return [segment(row) for row in result.failing_segments(_when(predictor))]


def surely_off(result: AuditResult, predictor: Predictor) -> int:
    """Return how many of these differ from the overall coverage."""
    return result.surely_off(_when(predictor))


def too_low(result: AuditResult, predictor: Predictor) -> list[Row]:
    """Return the segments that are clearly under-covered, most rows missed first."""
    return [segment(row) for row in result.too_low(_when(predictor))]


def worst_found(result: AuditResult, predictor: Predictor) -> list[Row]:
    """Return the rules under which coverage is clearly low."""
    return [fields_of(row) for row in result.worst_found(_when(predictor))]


def by_predictor(
    result: AuditResult, find: Callable[[AuditResult, Predictor], list[Row]]
) -> dict[Predictor, list[Row]]:
    """Return what one of the functions above finds, for each predictor."""
    return {by: find(result, by) for by in predictors(result)}


def counted(
    found: Mapping[Predictor, Sequence[Row]],
    of_all: str,
    join: Callable[[list[str]], str] = ", ".join,
) -> str:
    """Return such as "3 of 20 segments before, 2 after"."""
    words = join([f"{len(rows)} {by.when}" for by, rows in found.items()])
    return words.replace(" ", f" {of_all} ", 1)


def rules_counted(result: AuditResult) -> str:
    """Return in a sentence how many of the rules found have clearly low coverage."""
    rules = f"of {len(result.worst_segments)} rules have clearly low coverage"
    return f"{counted(by_predictor(result, worst_found), rules)}."


def for_any(found: Iterable[Sequence[Row]]) -> list[Row]:
    """Return what was found for any of the predictors, each once, that of the first first."""
    rows: dict[tuple[str, ...], Row] = {}
    for row in (row for some in found for row in some):
        rows.setdefault(_key(row), row)
    return list(rows.values())


def is_in(row: Row, rows: Iterable[Row]) -> bool:
    """Say whether a segment or rule is among others."""
    return _key(row) in map(_key, rows)


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in _KEYS if key in row)


def sets_of(objects: AuditedObjects, predictor: Predictor) -> ObjectSets:
    """Return a predictor's sets for the test rows."""
    return cast("ObjectSets", getattr(objects, predictor.suffix))


def rows_concerned(row: Row, level: float) -> float:
    """Return by how many rows the reference's correct sets are off the level; -1 without rows."""
    return row["n"] * abs(row["accuracy_base"] - level) if row["n"] else -1.0


def feature_order(coefficients: Sequence[Row]) -> list[str]:
    """Return the features by the size of their first coefficient, largest first.

    That is the reference's on training rows, if there are training figures.
    """
    firsts = [(row["segment"], row["algorithm"]) for row in coefficients[:1]]
    sizes = {
        row["feature"]: -1.0 if math.isnan(row["coefficient"]) else abs(row["coefficient"])
        for row in coefficients
        if (row["segment"], row["algorithm"]) in firsts
    }
    return sorted(sizes, key=sizes.__getitem__, reverse=True)


def subsets(coefficients: Sequence[Row]) -> list[str]:
    """Return the subsets that coefficients are of: training rows first, where there are any."""
    return list(dict.fromkeys(row["segment"] for row in coefficients))


def on_test_rows(result: AuditResult) -> list[tuple[Predictor, ResultRow]]:
    """Return each predictor with its figures on the test rows."""
    rows = {row.algorithm: row for row in result.results if row.segment == "test"}
    return [(predictor, rows[predictor.name]) for predictor in predictors(result)]


def _when(predictor: Predictor) -> When:
    return cast("When", predictor.suffix)
