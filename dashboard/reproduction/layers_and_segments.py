"""The paper's tables of layers and of segments beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .agreement import Comparison, compare
from .paper import VARIABLES, Layer, Segment
from .runs import Record, Run

_HALVES = {"<median": slice(2), ">=median": slice(2, None)}
"""Of our four quarters."""


@dataclass(frozen=True)
class LayerResult:
    """A layer beside ours over those seeds (``runs``) that have one so far up."""

    layer: Layer
    gamma: Comparison
    delta: Comparison
    runs: int


@dataclass(frozen=True)
class SegmentResult:
    """A segment beside ours; ``n`` is the mean number of our test rows in it."""

    segment: Segment
    n: float
    accuracy_base: Comparison
    accuracy_ifacm: Comparison


def compare_layers(layers: Sequence[Layer], records: Mapping[Run, Record]) -> list[LayerResult]:
    """Return the layers of those cases that were run, beside ours."""
    results = []
    for layer in layers:
        found = [record["iterations"] for run, record in records.items() if run.case == layer.case]
        ours = [kept[layer.layer - 1] for kept in found if len(kept) >= layer.layer]
        if found:
            gamma = compare(layer.gamma, [row["gamma"] for row in ours])
            delta = compare(layer.delta, [row["delta"] for row in ours])
            results.append(LayerResult(layer, gamma, delta, len(ours)))
    return results


def compare_segments(
    segments: Sequence[Segment], records: Mapping[Run, Record]
) -> list[SegmentResult]:
    """Return the segments of those cases that were run, beside ours."""
    results = []
    for segment in segments:
        found = [record["segments"] for run, record in records.items() if run.case == segment.case]
        ours = [_merged(segment, rows) for rows in found]
        if ours:
            base = compare(segment.accuracy_base, [row["accuracy_base"] for row in ours])
            ifacm = compare(segment.accuracy_ifacm, [row["accuracy_adjusted"] for row in ours])
            n = sum(row["n"] for row in ours) / len(ours)
            results.append(SegmentResult(segment, n, base, ifacm))
    return results


def _merged(segment: Segment, rows: Sequence[Record]) -> Record:
    """Return our row of a segment; that of a half is made of those of its two quarters."""
    name = VARIABLES.get(segment.variable, segment.variable)
    parts = [row for row in rows if row["variable"] == name]
    if segment.value in _HALVES:
        parts = parts[_HALVES[segment.value]]
    else:
        parts = [row for row in parts if row["value"] == segment.value]
    parts = [row for row in parts if row["n"] > 0]
    n = sum(row["n"] for row in parts)
    return {"n": n} | {
        accuracy: sum(row["n"] * row[accuracy] for row in parts) / n if n else math.nan
        for accuracy in ("accuracy_base", "accuracy_adjusted")
    }
