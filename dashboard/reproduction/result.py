"""Everything a reproduction found; its text, table, JSON and page are views of it."""

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evencover.core.report.json_rows import plain_sections

from ..wording.formatting import aligned
from .agreement import Agreement
from .errata import Fault
from .paper import Data
from .runs import Records
from .tables import PUBLISHED, LineResult, VerdictKind
from .variants import STUDIED

_KINDS: Mapping[VerdictKind, str] = {
    "within": "within the spread of our seeds",
    "differs": "differ",
    "no spread": "compared without a spread (one seed)",
    "sizes cannot": "comparable in direction and ratio only",
    "cannot": "not compared",
}

_HEADER = (
    ["line", "what", "accuracy", "", "inefficiency", "", "DCV", "", "floor"],
    ["", "", "paper", "ours", "paper", "ours", "paper", "ours", ""],
)


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
    coefficients: list[dict[str, Any]]  # of the case of the paper's figure; empty without GPU
    faults: list[Fault]
    missing: dict[Data, str]  # why, by data set that could not be had
    notes: list[str]

    def summary(self) -> list[str]:
        """Return what to know first, in sentences."""
        counts = Counter(result.kind for result in self.lines)
        listed = ", ".join(
            f"{counts[kind]} {words}" for kind, words in _KINDS.items() if counts[kind]
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

    def results_table(self) -> pd.DataFrame:
        """Return the table of results with our columns beside the paper's."""
        return pd.DataFrame([result.columns() for result in self.lines])

    def to_json(self) -> dict[str, Any]:
        """Return the reproduction as plain dicts and lists that JSON can hold; NaN is None."""
        tables = {
            name: list(map(_in_columns, getattr(self, name)))
            for name in ("layers", "segments", "penalties", "searches", "study", "coefficients")
        }
        plain: dict[str, Any] = {
            "settings": self.settings,
            "summary": self.summary(),
            "results": [result.columns() for result in self.lines],
            **tables,
            "faults": [dataclasses.asdict(fault) for fault in self.faults],
            "missing": self.missing,
            "notes": self.notes,
        }
        return plain_sections(plain)[0]


def coefficients_of(records: Records) -> list[dict[str, Any]]:
    """Return the coefficients of the first run of the paper's figure; none if it was not run."""
    first = next((record for run, record in records.items() if run.case == STUDIED), None)
    rows = [] if first is None else first["coefficients"]
    return [{name: math.nan if v is None else v for name, v in row.items()} for row in rows]


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
