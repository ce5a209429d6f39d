"""Everything a reproduction found; its text, table, JSON and page are views of it.

The faults of the paper are those that matter to whoever runs it again, each with its evidence.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evencover.core.conformal.names import MEASURES
from evencover.core.conformal.rank import exact_significance, threshold_rank
from evencover.core.experiment.result import CoefficientRow
from evencover.core.remedies.ifacm.choices import PENALTY_FORMS, Penalty
from evencover.core.report.result import json_row, plain_sections

from ..export.html import chart, charts_script, render
from ..figures.probability import shrinkage_figure
from ..wording.formatting import aligned, of_names
from ..wording.rows import feature_order
from .paper import Case, Data, PaperLine, paper_segments, printed_rows
from .runs import Records
from .tables import PUBLISHED, Agreement, LineResult, VerdictKind, reach, relative_change, rows_of

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

_LABELS = 7
_CALIBRATIONS = ((9, 0.9), (19, 0.9), (99, 0.99))
"""Numbers of examples and levels where the rank is in question."""

_OF_FIGURE = Case("gpu", "normalized", 0.9, 0.5)
"""The case of the paper's figure of coefficients."""


@dataclass(frozen=True)
class Fault:
    """A fault of the paper, in a few words and in a paragraph."""

    title: str
    text: str


@dataclass(frozen=True)
class Reproduction:
    """Everything a reproduction found; rows of its tables have an ``Agreement`` for each figure."""

    settings: dict[str, Any]  # what was asked for, and the version that did it
    lines: list[LineResult]
    layers: list[dict[str, Any]]
    segments: list[dict[str, Any]]
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
        made: dict[str, Any] = {
            "settings": self.settings,
            "summary": self.summary(),
            "results": [result.columns() for result in self.lines],
            "layers": list(map(_in_columns, self.layers)),
            "segments": list(map(_in_columns, self.segments)),
            "coefficients": list(map(json_row, self.coefficients)),
            "faults": list(map(vars, self.faults)),
        }
        return plain_sections(made | {"missing": self.missing, "notes": self.notes})[0]


def coefficients_of(records: Records) -> list[CoefficientRow]:
    """Return the coefficients of the first run of the paper's figure; none if it was not run."""
    first = next((record for run, record in records.items() if run.case == _OF_FIGURE), None)
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
        chart(shrinkage_figure(rows, order, subset, given), f"coefficients-{subset}", "paper")
        for subset in ("training", "test")
        if rows
    ]
    values = {
        "reproduction": reproduction,
        "reach": reach(reproduction.settings["seeds"]),
        "colours": {kind: colour for kind, (_, colour) in _KINDS.items()},
        "coefficients": coefficients,
        "script": charts_script() if coefficients else "",
    }
    return render(__package__, values)


def faults(lines: Sequence[PaperLine], records: Records) -> list[Fault]:
    """Return the faults; the evidence is computed from the paper's tables and from our runs."""
    ranks = []
    for n, level in _CALIBRATIONS:
        other = math.ceil(exact_significance(level) * (n + 1)) - 1
        ranks.append(f"n = {n} at CL {level:g}: rank {threshold_rank(n, level)} or {other}")
    counts: Counter[str] = Counter()
    for segment in paper_segments():
        counts[segment.variable] += segment.n if segment.case.data == "gpu" else 0
    rows = [line for line in lines if line.segment == "training" and line.penalty]
    counted = ", ".join(f"{n} for {variable}" for variable, n in counts.items() if n)
    not_minima = {
        name: [told for line in rows if (told := _worse_than_base(line, lines, penalty))]
        for name, penalty in PENALTY_FORMS.items()
    }
    evidence: dict[str, Mapping[str, object]] = {
        "not_minima": {
            "linear": "; ".join(not_minima["linear"]),
            "squared": len(not_minima["squared"]),
            "per_label": len(not_minima["per-label"]),
        },
        "ranks": {"ranks": "; ".join(ranks)},
        "segment_counts": {"counts": counted},
        "layer": {},
        "squared_widths": _squared_widths(0.4),
    }
    if changes := _widening(records):
        evidence["not_huge"] = {"changes": "; ".join(changes)}
    if accuracies := _training_accuracies(lines, records):
        evidence["training_accuracies"] = {"accuracies": "; ".join(accuracies)}
    return [
        Fault(row["title"], row["text"].format(**evidence[row["name"]]))
        for row in printed_rows("errata")
        if row["name"] in evidence
    ]


def _worse_than_base(line: PaperLine, lines: Sequence[PaperLine], penalty: Penalty) -> str | None:
    """Describe a line whose objective exceeds the base's even where rounding is in its favour."""
    task = MEASURES[line.measure].task
    base = line.base(lines, line.measure)
    if task not in penalty.tasks or line.penalty is None or base is None:
        return None
    size = _LABELS if task == "classification" else math.inf
    increase = float(line.inefficiency) - float(base.inefficiency)
    least = max(increase - 0.01, 0.0)  # both widths are printed to 0.005
    lowest, value = (
        float(line.dcv) + line.penalty * (penalty(wider, size) if wider > 0.0 else 0.0)
        for wider in (least, increase)
    )
    if lowest <= float(base.dcv):
        return None
    sum_ = f"{line.dcv} + {line.penalty:g} x {increase:.2f}"
    return f"line {line.line} ({sum_} = {value:.3f} against {base.dcv})"


def _squared_widths(eps: float) -> dict[str, object]:
    """Return the width a, b and the mean squared width of both solutions."""
    printed = (1.0, 2.0 - 4.0 * eps)
    better = (1.6 * (1.0 - eps), 0.8 * (1.0 - eps))
    found = {
        name: (a, b, 0.5 * a * a + 0.5 * b * b)
        for name, (a, b) in (("printed", printed), ("better", better))
    }
    return {"eps": eps, **found}


def _widening(records: Records) -> list[str]:
    evidence = []
    for case in dict.fromkeys(run.case for run in records if run.case.penalty == 0.0):
        base, ifacm = (rows_of(records, case, "test", name) for name in ("base", "ifacm"))
        changes = [
            relative_change(before["inefficiency"], after["inefficiency"])
            for before, after in zip(base, ifacm, strict=True)
        ]
        low, high = f"{min(changes):+.1%}", f"{max(changes):+.1%}"
        many = len(changes) > 1
        spread = f"{low} to {high} ({len(changes)} seeds)" if many else f"{high} (one seed)"
        evidence.append(f"{case.data} ({case.measure}) {spread}")
    return evidence


def _training_accuracies(lines: Sequence[PaperLine], records: Records) -> list[str]:
    evidence = []
    for line in lines:
        found = next((record for run, record in records.items() if line.is_of(run.case)), None)
        if found is not None and line.segment == "training" and line.algorithm == "base":
            n = found["data"]["train"]
            exact = (n + 1 - threshold_rank(n, line.confidence_level)) / n
            evidence.append(f"line {line.line}: {line.accuracy}, but {exact:.5f} by definition")
    return evidence
