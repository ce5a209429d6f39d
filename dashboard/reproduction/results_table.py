"""The paper's table of results, line by line beside our figures, with a verdict on each."""

import math
from collections.abc import Mapping, Sequence
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

_JUDGED: Mapping[str, tuple[Figure, ...]] = {"training": ("inefficiency", "dcv"), "test": FIGURES}
"""By segment: training accuracy follows from the definition alone, whatever the data."""


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
        figures = {
            name: compare(getattr(line, name), [row[name] for row in rows]) for name in FIGURES
        }
        floors = [row["dcv_floor"] for row in rows]
        floor = mean(floors) if floors and None not in floors else None
        kind: Kind
        if not rows:
            why = missing.get(line.data, "it was not run")
            kind, verdict = "cannot", f"cannot be compared: {why}"
        elif line.data in _NOT_COMPARABLE:
            kind, verdict = "sizes cannot", _in_ratio(line, found)
        else:
            kind, verdict = _in_size(line, figures, len(rows))
        results.append(LineResult(line, figures, floor, kind, verdict))
    return results


def rows_of(
    records: Mapping[Run, Record], case: Case, segment: str, algorithm: str
) -> list[Record]:
    """Return the rows of the results of the runs of one case, one for each seed."""
    rows = [
        row_of(record, segment, algorithm) for run, record in records.items() if run.case == case
    ]
    return [
        row | {name: math.nan if row[name] is None else row[name] for name in FIGURES}
        for row in rows
    ]


def row_of(record: Record, segment: str, algorithm: str) -> Record:
    """Return the figures of one predictor on one set."""
    rows: list[Record] = record["results"]
    return next(row for row in rows if (row["segment"], row["algorithm"]) == (segment, algorithm))


def _found(line: Line, records: Mapping[Run, Record]) -> list[Record]:
    # a base predictor is the same in every case that sets out from it: the first will do
    case = next((run.case for run in records if line.is_of(run.case)), None)
    return [] if case is None else rows_of(records, case, line.segment, line.algorithm)


def _in_size(line: Line, figures: Mapping[Figure, Comparison], runs: int) -> tuple[Kind, str]:
    judged = _JUDGED[line.segment]
    unknown = [_name(name) for name in judged if not math.isfinite(figures[name].mean)]
    if unknown:
        infinite = f"{' and '.join(unknown)} infinite or not defined here"
        return "cannot", f"cannot be compared: {infinite}"
    differences = {name: _difference(name, figures[name]) for name in judged}
    if runs == 1:
        return "no spread", f"no spread with one seed: {', '.join(differences.values())}"
    off = [text for name, text in differences.items() if not figures[name].within]
    return ("differs", f"differs: {', '.join(off)}") if off else ("within", "within the spread")


def _difference(name: Figure, figure: Comparison) -> str:
    if name == "accuracy":
        return f"accuracy {figure.difference:+.4f}"
    return f"{_name(name)} {figure.relative:+.1%}"


def _name(name: Figure) -> str:
    return "DCV" if name == "dcv" else name


def _in_ratio(line: Line, found: Mapping[Line, Sequence[Record]]) -> str:
    """Compare how much lower DCV, and how much wider intervals, are than the reference's."""
    sizes = f"sizes cannot be compared ({_NOT_COMPARABLE[line.data]})"
    is_base = line.algorithm == "base"
    reference = line.base(found, "standard" if is_base else line.measure)
    if reference is None or reference is line:
        return sizes
    whose = "the standard measure's" if is_base else "the base's"
    dcv, width = (
        _change(name, form, line, reference, found)
        for name, form in (("dcv", "+.0%"), ("inefficiency", "+.1%"))
    )
    return f"{sizes}; against {whose}, DCV {dcv}, width {width}"


def _change(
    name: str, form: str, line: Line, reference: Line, found: Mapping[Line, Sequence[Record]]
) -> str:
    """Compare a change from the reference with the paper's, if it is one way with all seeds."""
    published = float(getattr(line, name)) / float(getattr(reference, name)) - 1.0
    pairs = zip(found[reference], found[line], strict=False)
    ours = [relative_change(before[name], after[name]) for before, after in pairs]
    down = {change < 0.0 for change in ours if math.isfinite(change)}
    if len(down) > 1:
        direction = "no clear direction over seeds"
    else:
        direction = "same direction" if down == {published < 0.0} else "other direction"
    return f"{mean(ours):{form}} (paper {published:{form}}, {direction})"
