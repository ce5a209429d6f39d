"""The paper's table of results, line by line beside our figures, with a verdict on each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from evencover.core.comparison import Comparison, compare, mean
from evencover.sample_data.paper import Case, Data, Line

from .runs import Record, Run

Figure = Literal["accuracy", "inefficiency", "dcv"]
FIGURES: tuple[Figure, ...] = get_args(Figure)

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
        beside = None if reference is None else _figures(reference, found[reference])
        results.append(
            LineResult(
                line,
                figures,
                mean(floors) if floors and None not in floors else None,
                _verdict(line, figures, beside, len(rows), missing.get(line.data)),
            )
        )
    return results


def rows_of(
    records: Mapping[Run, Record], case: Case, segment: str, algorithm: str
) -> list[Record]:
    """Return the rows of the results of the runs of one case, one for each seed."""
    return [
        row
        for run, record in records.items()
        if run.case == case
        for row in record["results"]
        if (row["segment"], row["algorithm"]) == (segment, algorithm)
    ]


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
    reference: Mapping[Figure, Comparison] | None,
    runs: int,
    why_missing: str | None,
) -> str:
    if runs == 0:
        return f"cannot be compared: {why_missing or 'it was not run'}"
    if line.data in _NOT_COMPARABLE:
        told = f"sizes cannot be compared ({_NOT_COMPARABLE[line.data]})"
        return told if reference is None else f"{told}; {_in_ratio(line, figures, reference)}"
    judged = _JUDGED[line.segment]
    if runs == 1:
        told = ", ".join(_difference(name, figures[name]) for name in judged)
        return f"no spread with one seed: {told}"
    off = [name for name in judged if not figures[name].within]
    if not off:
        return "within the spread"
    return "differs: " + ", ".join(_difference(name, figures[name]) for name in off)


def _difference(name: Figure, figure: Comparison) -> str:
    if name == "accuracy":
        return f"accuracy {figure.difference:+.4f}"
    return f"{_name(name)} {figure.relative:+.1%}"


def _in_ratio(
    line: Line, figures: Mapping[Figure, Comparison], reference: Mapping[Figure, Comparison]
) -> str:
    """Compare how much lower DCV, and how much wider intervals, are than the reference's."""
    whose = "the standard measure's" if line.algorithm == "base" else "the base's"
    ours, paper = (
        {name: _change(figures[name], reference[name], of) for name in ("dcv", "inefficiency")}
        for of in ("mean", "published")
    )
    agree = {name: (ours[name] < 0.0) == (paper[name] < 0.0) for name in ours}
    told = {name: f"{'same' if agrees else 'other'} direction" for name, agrees in agree.items()}
    return (
        f"against {whose}, DCV {ours['dcv']:+.0%} (paper {paper['dcv']:+.0%}, {told['dcv']}), "
        f"width {ours['inefficiency']:+.1%} (paper {paper['inefficiency']:+.1%}, "
        f"{told['inefficiency']})"
    )


def _change(figure: Comparison, reference: Comparison, of: str) -> float:
    return float(getattr(figure, of) / getattr(reference, of)) - 1.0


def _name(name: Figure) -> str:
    return "DCV" if name == "dcv" else name


def data_of(lines: Iterable[Line]) -> list[Data]:
    """Return the data sets of lines, each once."""
    return list(dict.fromkeys(line.data for line in lines))
