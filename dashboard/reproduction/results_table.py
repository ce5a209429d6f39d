"""The paper's table of results, line by line beside our figures, with a verdict on each."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from .agreement import Comparison, compare, mean, relative_change
from .paper import Case, Data, Line
from .runs import Record, Run

Figure = Literal["accuracy", "inefficiency", "dcv"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

Kind = Literal["within", "differs", "no spread", "sizes cannot", "cannot"]
"""Of a verdict: ours agree, do not, are those of one seed, or cannot be compared (in size)."""

_NOT_COMPARABLE: Mapping[str, str] = {"kc": "preprocessing not published"}
"""Data of which only directions and ratios can be judged, and why."""

_RATIOS: tuple[tuple[Figure, str], ...] = (("dcv", "+.0%"), ("inefficiency", "+.1%"))
"""What is judged of them, and how a change in it is written."""

_JUDGED: Mapping[str, tuple[Figure, ...]] = {"training": ("inefficiency", "dcv"), "test": FIGURES}
"""By segment: training accuracy follows from the definition alone, whatever the data."""


@dataclass(frozen=True)
class _Beside:
    """A line, the one it improves on, and our rows of both, one for each seed."""

    line: Line
    rows: Sequence[Record]
    reference: Line
    reference_rows: Sequence[Record]

    def published(self, name: Figure) -> float:
        """Return the paper's change from the reference, as a share."""
        return float(getattr(self.line, name)) / float(getattr(self.reference, name)) - 1.0

    def ours(self, name: Figure) -> list[float]:
        """Return our changes, one for each seed."""
        pairs = zip(self.rows, self.reference_rows, strict=False)
        return [relative_change(before[name], row[name]) for row, before in pairs]

    def direction(self, name: Figure) -> str:
        """Say whether ours goes the paper's way, if it goes the same way with all seeds."""
        down = {change < 0.0 for change in self.ours(name) if math.isfinite(change)}
        if len(down) > 1:
            return "no clear direction over seeds"
        return "same direction" if down == {self.published(name) < 0.0} else "other direction"


@dataclass(frozen=True)
class LineResult:
    """A line, our figures beside it, and the floor of its DCV (None where there is none)."""

    line: Line
    figures: dict[Figure, Comparison]
    floor: float | None
    kind: Kind
    verdict: str


def compare_lines(
    lines: Sequence[Line], records: Mapping[Run, Record], missing: Mapping[Data, str]
) -> list[LineResult]:
    """Return the lines with our figures and verdicts; ``missing`` says which data are, and why."""
    found = {line: _found(line, records) for line in lines}
    results = []
    for line, rows in found.items():
        figures = _figures(line, rows)
        floors = [row["dcv_floor"] for row in rows]
        reference = _reference(line, lines)
        beside = None if reference is None else _Beside(line, rows, reference, found[reference])
        results.append(
            LineResult(
                line,
                figures,
                mean(floors) if floors and None not in floors else None,
                *_verdict(line, figures, beside, len(rows), missing.get(line.data)),
            )
        )
    return results


def rows_of(
    records: Mapping[Run, Record], case: Case, segment: str, algorithm: str
) -> list[Record]:
    """Return the rows of the results of the runs of one case, one for each seed."""
    rows = [
        row_of(record, segment, algorithm) for run, record in records.items() if run.case == case
    ]
    return [
        {**row, **{name: math.nan if row[name] is None else row[name] for name in FIGURES}}
        for row in rows
    ]


def row_of(record: Record, segment: str, algorithm: str) -> Record:
    """Return the figures of one predictor on one set."""
    return next(
        row
        for row in record["results"]
        if (row["segment"], row["algorithm"]) == (segment, algorithm)
    )


def _found(line: Line, records: Mapping[Run, Record]) -> list[Record]:
    # a base predictor is the same in every case that sets out from it: the first will do
    case = next((run.case for run in records if line.is_of(run.case)), None)
    return [] if case is None else rows_of(records, case, line.segment, line.algorithm)


def _figures(line: Line, rows: Sequence[Record]) -> dict[Figure, Comparison]:
    return {
        figure: compare(getattr(line, figure), [row[figure] for row in rows]) for figure in FIGURES
    }


def _reference(line: Line, lines: Iterable[Line]) -> Line | None:
    """Return the line that this one improves on: the base's, or the standard measure's."""
    measure = line.measure if line.algorithm != "base" else "standard"
    wanted = (line.data, line.segment, "base", measure, line.confidence_level)
    return next(
        (
            other
            for other in lines
            if other is not line
            and wanted
            == (other.data, other.segment, other.algorithm, other.measure, other.confidence_level)
        ),
        None,
    )


def _verdict(
    line: Line,
    figures: Mapping[Figure, Comparison],
    beside: _Beside | None,
    runs: int,
    why_missing: str | None,
) -> tuple[Kind, str]:
    if runs == 0:
        return "cannot", f"cannot be compared: {why_missing or 'it was not run'}"
    if line.data in _NOT_COMPARABLE:
        sizes = f"sizes cannot be compared ({_NOT_COMPARABLE[line.data]})"
        return "sizes cannot", sizes if beside is None else f"{sizes}; {_in_ratio(beside)}"
    judged = _JUDGED[line.segment]
    unknown = [_name(name) for name in judged if not math.isfinite(figures[name].mean)]
    if unknown:
        infinite = f"{' and '.join(unknown)} infinite or not defined here"
        return "cannot", f"cannot be compared: {infinite}"
    if runs == 1:
        differences = ", ".join(_difference(name, figures[name]) for name in judged)
        return "no spread", f"no spread with one seed: {differences}"
    off = [name for name in judged if not figures[name].within]
    if not off:
        return "within", "within the spread"
    return "differs", "differs: " + ", ".join(_difference(name, figures[name]) for name in off)


def _difference(name: Figure, figure: Comparison) -> str:
    if name == "accuracy":
        return f"accuracy {figure.difference:+.4f}"
    return f"{_name(name)} {figure.relative:+.1%}"


def _in_ratio(beside: _Beside) -> str:
    """Compare how much lower DCV, and how much wider intervals, are than the reference's."""
    whose = "the standard measure's" if beside.line.algorithm == "base" else "the base's"
    dcv, width = (
        f"{mean(beside.ours(name)):{form}} (paper {beside.published(name):{form}}, "
        f"{beside.direction(name)})"
        for name, form in _RATIOS
    )
    return f"against {whose}, DCV {dcv}, width {width}"


def _name(name: Figure) -> str:
    return "DCV" if name == "dcv" else name
