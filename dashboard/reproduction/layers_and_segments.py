"""The paper's tables of layers and of segments beside ours."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .agreement import Comparison, compare
from .paper import VARIABLES, Layer, Segment
from .runs import Record, Run

_MEDIAN = re.compile(r"(?P<side><|>=)median")


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
        ours = [layers_[layer.layer - 1] for layers_ in found if len(layers_) >= layer.layer]
        if found:
            gamma, delta = (
                compare(getattr(layer, name), [row[name] for row in ours])
                for name in ("gamma", "delta")
            )
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
            base, ifacm = (
                compare(getattr(segment, f"accuracy_{published}"), [row[name] for row in ours])
                for published, name in (("base", "accuracy_base"), ("ifacm", "accuracy_adjusted"))
            )
            n = sum(row["n"] for row in ours) / len(ours)
            results.append(SegmentResult(segment, n, base, ifacm))
    return results


def _merged(segment: Segment, rows: Sequence[Record]) -> Record:
    """Return our row of a segment; that of a half is made of those of its two quarters."""
    name = VARIABLES.get(segment.variable, segment.variable)
    of_variable = [row for row in rows if row["variable"] == name]
    half = _MEDIAN.fullmatch(segment.value)
    if half is None:
        parts = [row for row in of_variable if row["value"] == segment.value]
    else:
        parts = of_variable[:2] if half["side"] == "<" else of_variable[2:]
    parts = [row for row in parts if row["n"] > 0]
    n = sum(row["n"] for row in parts)
    return {"n": n} | {
        accuracy: sum(row["n"] * row[accuracy] for row in parts) / n if n else math.nan
        for accuracy in ("accuracy_base", "accuracy_adjusted")
    }
