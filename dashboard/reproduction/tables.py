"""The paper's tables of results, of layers and of segments, each row beside our figures.

A row is a dict: what the paper says of it, and an ``Agreement`` for each figure.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import numpy as np
from scipy import stats

from evencover.core.experiment.compared_rows import spread

from .paper import VARIABLES, Case, Data, PaperLayer, PaperLine, PaperSegment, columns_of
from .runs import Record, Records, row_of

Figure = Literal["accuracy", "inefficiency", "dcv"]
PUBLISHED: tuple[Figure, ...] = get_args(Figure)
_WRITTEN = {"accuracy": "accuracy", "inefficiency": "inefficiency", "dcv": "DCV"}

VerdictKind = Literal["within", "differs", "no spread", "sizes cannot", "cannot"]
"""Ours agree, do not, are those of one seed, or cannot be compared (in size)."""

_NOT_COMPARABLE: Mapping[str, str] = {"kc": "preprocessing not published"}
"""Data of which only directions and ratios can be judged, and why."""

_JUDGED: Mapping[str, tuple[Figure, ...]] = {"training": ("inefficiency", "dcv"), "test": PUBLISHED}
"""By segment: training accuracy follows from the definition alone, whatever the data."""

_HALVES = {"<median": slice(2), ">=median": slice(2, None)}  # of our four quarters

EXPECTED = 0.95  # of the range in which the figure of one more seed is to be expected


@dataclass(frozen=True)
class Agreement:
    """One figure as it was printed, and ours: mean and deviation with n - 1, NaN where unknown.

    ``margin`` is half the width of the range about ``mean`` in which the figure of one more seed
    lies with probability EXPECTED if figures are normal (a prediction interval, Student's t), wider
    by what the published figure is rounded; NaN with fewer than two figures.
    """

    printed: str
    mean: float
    sd: float
    margin: float

    @property
    def published(self) -> float:
        """The published figure as a number."""
        return float(self.printed)

    @property
    def within(self) -> bool | None:
        """Whether the published figure could be one more of ours; None if unknown."""
        if math.isnan(self.margin):
            return None
        return abs(self.difference) <= self.margin * (1.0 + 1e-9)  # of binary fractions

    @property
    def difference(self) -> float:
        """Ours less the published figure."""
        return self.mean - self.published

    @property
    def relative(self) -> float:
        """The same, as a share of the published figure."""
        return self.difference / self.published

    def with_spread(self, form: str) -> str:
        """Return our figure in this form with its spread, if there is one; empty if unknown."""
        if math.isnan(self.mean):
            return ""
        return f"{self.mean:{form}}" + ("" if math.isnan(self.sd) else f" ± {self.sd:.2g}")

    def columns(self, name: str) -> dict[str, float]:
        """Return both and the spread, as the columns of a figure of this name."""
        return {name: self.published, f"{name}_ours": self.mean, f"{name}_sd": self.sd}


def agreement(printed: str, ours: Sequence[float]) -> Agreement:
    """Compare a published figure, as it was printed, with ours from different seeds."""
    sd = spread(ours)
    rounding = 0.5 * 10.0 ** int(Decimal(printed).as_tuple().exponent)
    return Agreement(printed, mean(ours), sd, reach(len(ours)) * sd + rounding)


def compared(
    of: PaperLine | PaperLayer | PaperSegment, name: str, ours: Sequence[Record]
) -> Agreement:
    """Compare a figure of a printed row with that of our rows, one for each seed."""
    return agreement(getattr(of, name), [row[name] for row in ours])


def reach(n: int) -> float:
    """Return how many standard deviations of n figures one more of them may be from their mean.

    That of a prediction interval, ``t sqrt(1 + 1 / n)``; NaN for fewer than two figures.
    """
    if n < 2:  # noqa: PLR2004 - two make a spread
        return math.nan
    return float(stats.t.ppf((1.0 + EXPECTED) / 2.0, n - 1)) * math.sqrt(1.0 + 1.0 / n)


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing."""
    return float(np.mean(values)) if len(values) else math.nan


def relative_change(before: float, after: float) -> float:
    """Return by what share a figure has grown; NaN from 0, or where one is not finite."""
    if before == 0.0 or not (math.isfinite(before) and math.isfinite(after)):
        return math.nan
    return after / before - 1.0


@dataclass(frozen=True)
class LineResult:
    """A line, our figures beside it, and the floor of its DCV (None where there is none)."""

    line: PaperLine
    figures: dict[Figure, Agreement]
    floor: float | None
    kind: VerdictKind
    verdict: str

    def columns(self) -> dict[str, Any]:
        """Return it as a row of our table: what was published, then ours, then spreads."""
        figures = self.figures.items()
        return {
            **columns_of(self.line),
            **{name: figure.published for name, figure in figures},
            **{f"{name}_ours": figure.mean for name, figure in figures},
            **{f"{name}_sd": figure.sd for name, figure in figures},
            "dcv_floor": self.floor,
            "verdict": self.verdict,
        }


def compare_lines(
    lines: Sequence[PaperLine], records: Records, missing: Mapping[Data, str]
) -> list[LineResult]:
    """Return the lines with our figures and verdicts; ``missing`` says which data are, and why."""
    found = {}
    for line in lines:
        # a base predictor is the same in every case that sets out from it: the first will do
        case = next((run.case for run in records if line.is_of(run.case)), None)
        found[line] = rows_of(records, case, line.segment, line.algorithm) if case else []
    results = []
    for line, rows in found.items():
        figures = {name: compared(line, name, rows) for name in PUBLISHED}
        floors = [row["dcv_floor"] for row in rows]
        floor = mean(floors) if floors and None not in floors else None
        kind: VerdictKind
        if not rows:
            why = missing.get(line.data, "it was not run")
            kind, verdict = "cannot", f"cannot be compared: {why}"
        elif line.data in _NOT_COMPARABLE:
            kind, verdict = "sizes cannot", _in_ratio(line, found)
        else:
            kind, verdict = _in_size(line, figures, len(rows))
        results.append(LineResult(line, figures, floor, kind, verdict))
    return results


def rows_of(records: Records, case: Case, segment: str, algorithm: str) -> list[Record]:
    """Return the rows of the results of the runs of one case, one for each seed."""
    return [
        row_of(record, segment, algorithm) for run, record in records.items() if run.case == case
    ]


def _in_size(
    line: PaperLine, figures: Mapping[Figure, Agreement], runs: int
) -> tuple[VerdictKind, str]:
    judged = _JUDGED[line.segment]
    unknown = [_WRITTEN[name] for name in judged if not math.isfinite(figures[name].mean)]
    if unknown:
        infinite = f"{' and '.join(unknown)} infinite or not defined here"
        return "cannot", f"cannot be compared: {infinite}"
    differences = {
        name: f"accuracy {figures[name].difference:+.4f}"
        if name == "accuracy"
        else f"{_WRITTEN[name]} {figures[name].relative:+.1%}"
        for name in judged
    }
    if runs == 1:
        return "no spread", f"no spread with one seed: {', '.join(differences.values())}"
    off = [text for name, text in differences.items() if not figures[name].within]
    return ("differs", f"differs: {', '.join(off)}") if off else ("within", "within the spread")


def _in_ratio(line: PaperLine, found: Mapping[PaperLine, Sequence[Record]]) -> str:
    """Compare how much lower DCV, and how much wider intervals, are than the reference's."""
    sizes = f"sizes cannot be compared ({_NOT_COMPARABLE[line.data]})"
    is_base = line.algorithm == "base"
    reference = line.base(found, "standard" if is_base else line.measure)
    if reference is None or reference is line:
        return sizes
    whose = "the standard measure's" if is_base else "the base's"

    def change(name: Figure, form: str) -> str:
        """Compare a change from the reference with the paper's, if all seeds have it one way."""
        published = float(getattr(line, name)) / float(getattr(reference, name)) - 1.0
        pairs = zip(found[reference], found[line], strict=False)
        ours = [relative_change(before[name], after[name]) for before, after in pairs]
        down = {change < 0.0 for change in ours if math.isfinite(change)}
        direction = "no clear direction over seeds"
        if len(down) <= 1:
            direction = "same direction" if down == {published < 0.0} else "other direction"
        return f"{mean(ours):{form}} (paper {published:{form}}, {direction})"

    dcv, width = change("dcv", "+.0%"), change("inefficiency", "+.1%")
    return f"{sizes}; against {whose}, DCV {dcv}, width {width}"


def compare_layers(layers: Sequence[PaperLayer], records: Records) -> list[dict[str, Any]]:
    """Return the layers of those cases that were run; ``runs`` counts seeds that have so many."""
    rows = []
    for layer in layers:
        found = [record["iterations"] for run, record in records.items() if run.case == layer.case]
        ours = [kept[layer.layer - 1] for kept in found if len(kept) >= layer.layer]
        if found:
            figures = {name: compared(layer, name, ours) for name in ("gamma", "delta")}
            known = {"layer": layer.layer, "runs": len(ours)}
            rows.append(columns_of(layer.case) | known | figures)
    return rows


def compare_segments(segments: Sequence[PaperSegment], records: Records) -> list[dict[str, Any]]:
    """Return the segments of those cases that were run; ``n_ours`` is our mean number of rows."""
    rows = []
    for of in segments:
        found = [record["segments"] for run, record in records.items() if run.case == of.case]
        ours = [_merged(of, each) for each in found]
        if ours:
            n = mean([row["n"] for row in ours])
            names = ("accuracy_base", "accuracy_ifacm")
            figures = {name: compared(of, name, ours) for name in names}
            known = {"variable": of.variable, "value": of.value, "n": of.n, "n_ours": n}
            rows.append(columns_of(of.case) | known | figures)
    return rows


def _merged(segment: PaperSegment, rows: Sequence[Record]) -> Record:
    """Return our row of a segment; that of a half is made of those of its two quarters."""
    name = VARIABLES.get(segment.variable, segment.variable)
    parts = [row for row in rows if row["variable"] == name]
    if segment.value in _HALVES:
        parts = parts[_HALVES[segment.value]]
    else:
        parts = [row for row in parts if row["value"] == segment.value]
    n = sum(row["n"] for row in parts)
    merged = {"n": n, "accuracy_base": math.nan, "accuracy_ifacm": math.nan}
    for name, ours in (("base", "base"), ("ifacm", "adjusted")) if n else ():
        rights = [row["n"] * row[f"accuracy_{ours}"] for row in parts if row["n"]]
        merged[f"accuracy_{name}"] = sum(rights) / n
    return merged
