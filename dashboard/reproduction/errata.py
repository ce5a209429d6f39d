"""The faults of the paper that matter to whoever runs it again, each with its evidence."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evencover.core.conformal.measures import MEASURES
from evencover.core.conformal.rank import exact_significance, threshold_rank
from evencover.core.remedies.ifacm.choices import PENALTY_FORMS, Penalty

from .paper import PaperLine, paper_segments, printed_rows
from .runs import Records
from .tables import relative_change, rows_of

_LABELS = 7
_CALIBRATIONS = ((9, 0.9), (19, 0.9), (99, 0.99))
"""Numbers of examples and levels where the rank is in question."""


@dataclass(frozen=True)
class Fault:
    """A fault, in a few words and in a paragraph."""

    title: str
    text: str


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
