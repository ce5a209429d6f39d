"""Two audits side by side: figures, segments, coefficients, and the same test rows as pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..segments.statistics import holm
from ..segments.under_coverage import ALL_ROWS, ChangeRow, change_rows
from .result import Examination, ResultRow, told_in

Pairing = Literal["same", "other", "gone"]
"""Whether both have the same test rows, others, or rows that were let go."""


@dataclass(frozen=True)
class Beside:
    """A figure of the first and of the second, None where one has none."""

    what: str
    first: float | None
    second: float | None


@dataclass(frozen=True)
class SegmentBeside:
    """Accuracy in a segment that both have; ``p_value`` is of the same rows alone, as pairs.

    It is adjusted by Holm for all the segments.
    """

    variable: str
    value: str
    n: int
    first: float
    second: float
    change: float
    p_value: float | None


@dataclass(frozen=True)
class TwoRuns:
    """What two audits say of one predictor each; ``change`` is over all rows, if they are one."""

    pairing: Pairing
    change: ChangeRow | None
    figures: list[Beside]
    segments: list[SegmentBeside]
    coefficients: list[Beside]


def two_runs(first: Examination, by: str, second: Examination, by_second: str) -> TwoRuns:
    """Set predictor ``by`` of the first audit beside ``by_second`` of the second, on test rows."""
    one, other = first.row("test", by), second.row("test", by_second)
    pairing, changes = _paired(first, by, second, by_second)
    theirs = {row.group: row for row in second.of(second.segments, by_second)}
    both = [row for row in first.of(first.segments, by) if row.group in theirs and row.n]
    paired = [row.group for row in both if row.group in changes]
    adjusted = holm(np.array([changes[group].p_value for group in paired])).tolist()
    p_values = dict(zip(paired, adjusted, strict=True))
    others = _slopes(second, by_second)
    return TwoRuns(
        pairing=pairing,
        change=changes.get((ALL_ROWS, ALL_ROWS)),
        figures=[
            Beside(name, getattr(one, name), getattr(other, name))
            for name in told_in("two runs", ResultRow)
        ],
        segments=[
            SegmentBeside(
                row.variable,
                row.value,
                row.n,
                row.accuracy,
                theirs[row.group].accuracy,
                theirs[row.group].accuracy - row.accuracy,
                p_values.get(row.group),
            )
            for row in both
        ],
        coefficients=[
            Beside(name, slope, others.get(name)) for name, slope in _slopes(first, by).items()
        ],
    )


def _slopes(result: Examination, by: str) -> dict[str, float]:
    rows = result.of(result.coefficients, by)
    return {row.feature: row.coefficient for row in rows if row.subset == "test"}


def _paired(
    first: Examination, by: str, second: Examination, by_second: str
) -> tuple[Pairing, Mapping[tuple[str, str], ChangeRow]]:
    """Say whether both are of the same test rows, and return the changes by group if so."""
    one, other = first.test_rows, second.test_rows
    if first.data.fingerprint != second.data.fingerprint:
        return "other", {}
    if one is None or other is None:
        return "gone", {}
    if not np.array_equal(one.rows, other.rows):
        return "other", {}
    outcomes = {"first": one.outcomes[by], "second": other.outcomes[by_second]}
    known = {variable.name: variable.partition.codes for variable in other.variables}
    same = [v for v in one.variables if np.array_equal(known.get(v.name, ()), v.partition.codes)]
    return "same", {row.group: row for row in change_rows(same, outcomes)}
