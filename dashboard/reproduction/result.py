"""Everything a reproduction found; its text, table, JSON and page are views of it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from evencover.core.experiment.figures import CoefficientRow
from evencover.core.report.json_rows import json_row, plain_sections

from ..export.html import chart, charts_script, render
from ..figures.probability import shrinkage_figure
from ..figures.style import ADJUSTED_COLOUR, BASE_COLOUR, LEVEL_COLOUR, draw
from ..wording.formatting import aligned, of_names
from ..wording.rows import feature_order
from .errata import Fault
from .paper import Data
from .runs import Records
from .tables import PUBLISHED, Agreement, LineResult, VerdictKind, reach
from .variants import STUDIED, SWEEPS

_KINDS: Mapping[VerdictKind, tuple[str, str]] = {
    "within": ("within the spread of our seeds", "good"),
    "differs": ("differ", "off"),
    "no spread": ("compared without a spread (one seed)", "none"),
    "sizes cannot": ("comparable in direction and ratio only", "none"),
    "cannot": ("not compared", "none"),
}
"""In words, and the page's class for them."""

_HEADER = (
    ["line", "what", "accuracy", "", "inefficiency", "", "DCV", "", "floor"],
    ["", "", "paper", "ours", "paper", "ours", "paper", "ours", ""],
)


_STUDY_LINES = {
    "base_test": ("before, test", BASE_COLOUR, "solid"),
    "ifacm_training": ("after, training", ADJUSTED_COLOUR, "dot"),
    "ifacm_test": ("after, test", ADJUSTED_COLOUR, "solid"),
    "floor": ("floor, not adjusted", LEVEL_COLOUR, "dot"),
    "adjusted_floor": ("floor, adjusted", LEVEL_COLOUR, "dash"),
}


@dataclass(frozen=True)
class Reproduction:
    """Everything a reproduction found; rows of its tables have an ``Agreement`` for each figure."""

    settings: dict[str, Any]  # what was asked for, and the version that did it
    lines: list[LineResult]
    layers: list[dict[str, Any]]
    segments: list[dict[str, Any]]
    penalties: list[dict[str, Any]]
    searches: list[dict[str, Any]]
    study: list[dict[str, Any]]
    coefficients: list[CoefficientRow]  # of the case of the paper's figure; empty without GPU
    faults: list[Fault]
    missing: dict[Data, str]  # why, by data set that could not be had
    notes: list[str]

    def summary(self) -> list[str]:
        """Return what to know first, in sentences."""
        counts = Counter(result.kind for result in self.lines)
        listed = ", ".join(
            f"{counts[kind]} {words}" for kind, (words, _) in _KINDS.items() if counts[kind]
        )
        sentences = [f"Of {len(self.lines)} lines of the paper's table of results: {listed}."]
        for data in dict.fromkeys(result.line.data for result in self.lines):
            falls = _falls([result for result in self.lines if result.line.data == data])
            if falls:
                sentences.append(f"{data}: {falls}.")
        return sentences

    def to_text(self) -> str:
        """Return the comparison line by line for a terminal, and what to know of it."""
        rows = [*_HEADER, *map(_written_row, self.lines)]
        written, indent = aligned(rows), max(len(number) for number, *_ in rows) + 2
        # a verdict is the last line of its row
        for i, result in enumerate(self.lines, len(_HEADER)):
            written[i] += f"\n{'':{indent}}{result.verdict}"
        return "\n".join([*written, "", *self.summary(), *self.notes]) + "\n"

    def to_json(self) -> dict[str, Any]:
        """Return the reproduction as plain dicts and lists that JSON can hold; NaN is None."""
        tables = {
            name: list(map(_in_columns, getattr(self, name)))
            for name in ("layers", "segments", "penalties", "searches", "study")
        }
        made: dict[str, Any] = {
            "settings": self.settings,
            "summary": self.summary(),
            "results": [result.columns() for result in self.lines],
            **tables,
            "coefficients": list(map(json_row, self.coefficients)),
            "faults": list(map(vars, self.faults)),
        }
        return plain_sections(made | {"missing": self.missing, "notes": self.notes})[0]


def coefficients_of(records: Records) -> list[CoefficientRow]:
    """Return the coefficients of the first run of the paper's figure; none if it was not run."""
    first = next((record for run, record in records.items() if run.case == STUDIED), None)
    names = ("feature", "segment", "algorithm", "coefficient", "standard_error")
    known: list[list[Any]] = [
        [math.nan if row[name] is None else row[name] for name in names]
        for row in (first["coefficients"] if first else ())
    ]
    return [CoefficientRow(*row) for row in known]


def _falls(results: Sequence[LineResult]) -> str:
    """Say by how much DCV falls from base to IFACM, here and in the paper."""
    dcvs = {result.line: result.figures["dcv"] for result in results}
    falls = []
    for segment in ("training", "test"):
        pairs = [
            (dcvs[base], after)
            for line, after in dcvs.items()
            if line.segment == segment and line.penalty is not None
            if (base := line.base(dcvs, line.measure)) is not None
        ]
        ours = [1.0 - after.mean / before.mean for before, after in pairs]
        paper = [1.0 - after.published / before.published for before, after in pairs]
        if pairs and not any(map(math.isnan, ours)):
            falls.append(f"{segment} DCV falls by {_range(ours)} (paper {_range(paper)})")
    return ", ".join(falls)


def _range(shares: Sequence[float]) -> str:
    low, high = f"{100 * min(shares):.0f}", f"{100 * max(shares):.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _written_row(result: LineResult) -> list[str]:
    line = result.line
    written = [str(line.line), line.description]
    for name, form in zip(PUBLISHED, (".4f", ".3f", ".3g"), strict=True):
        written += [getattr(line, name), result.figures[name].with_spread(form)]
    return [*written, "" if result.floor is None else f"{result.floor:.3g}"]


def _in_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, value in row.items():
        columns |= value.columns(name) if isinstance(value, Agreement) else {name: value}
    return columns


def reproduction_page(reproduction: Reproduction) -> str:
    """Return the reproduction as one HTML page that needs nothing but itself."""
    rows = reproduction.coefficients
    order, given = feature_order(rows), of_names(row.predictor for row in rows)
    coefficients = [
        chart(shrinkage_figure(rows, order, subset, given), f"coefficients-{subset}")
        for subset in ("training", "test")
        if rows
    ]
    sweeps = [[row for row in reproduction.study if row["sweep"] == sweep] for sweep in SWEEPS]
    studies = [
        chart(_study_figure(of, sweep), f"study-{i}")
        for i, (sweep, of) in enumerate(zip(SWEEPS, sweeps, strict=True))
        if of
    ]
    values = {
        "reproduction": reproduction,
        "reach": reach(reproduction.settings["seeds"]),
        "colours": {kind: colour for kind, (_, colour) in _KINDS.items()},
        "coefficients": coefficients,
        "studies": studies,
        "script": charts_script() if coefficients or studies else "",
    }
    return render(__package__, values)


def _study_figure(rows: Sequence[dict[str, Any]], sweep: str) -> go.Figure:
    sizes = [row["n_train" if sweep == "training rows" else "predictors"] for row in rows]
    lines = [
        go.Scatter(
            x=sizes,
            y=[row[key] for row in rows],
            mode="lines" if "floor" in key else "lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            name=label,
            hovertemplate=f"{label}, %{{x}} {sweep}: %{{y:.4f}}<extra></extra>",
        )
        for key, (label, colour, dash) in _STUDY_LINES.items()
    ]
    return draw(
        lines,
        height=480,
        title=f"DCV against {sweep}",
        x={"type": "log", "title": sweep, "tickvals": sizes},
        y={"type": "log", "title": "DCV"},
        # five names need more room than there is above the chart on a phone
        legend={"y": -0.25, "yanchor": "top"},
        margin={"t": 45},
    )
