"""Audits with different seeds: how much of every figure hangs on the random split."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..findings.result import AuditResult, Repeats
from ..findings.result_json import json_row, side_by_side

_KEYS = ("segment", "algorithm", "feature", "variable", "value", "kind")


def summarise(results: Sequence[AuditResult]) -> Repeats:
    """Return mean and spread of every figure over audits that differ in their seed."""
    return Repeats(
        seeds=[result.settings["seed"] for result in results],
        layers_mean=float(np.mean([len(result.iterations) for result in results])),
        layers_sd=spread([len(result.iterations) for result in results]),
        results=_summaries(json_row(row) for r in results for row in r.results),
        coefficients=_summaries(json_row(row) for r in results for row in r.coefficients),
        segments=_summaries(row for r in results for row in side_by_side(r.segments, r.names)),
    )


def _summaries(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each set of keys that occurs, with mean and spread of its figures.

    Words have neither. Segments at quartiles have other bounds with another split: ``repeats``
    counts the audits that have the row.
    """
    figures: defaultdict[tuple[tuple[str, Any], ...], list[dict[str, Any]]] = defaultdict(list)
    for fields in rows:
        figures[tuple((key, fields.pop(key)) for key in _KEYS if key in fields)].append(fields)
    return [_summary(dict(keys), fields) for keys, fields in figures.items()]


def _summary(keys: dict[str, Any], figures: list[dict[str, Any]]) -> dict[str, Any]:
    summary = keys | {"repeats": len(figures)}
    for name in (name for name, value in figures[0].items() if not isinstance(value, str)):
        values = [np.nan if fields[name] is None else float(fields[name]) for fields in figures]
        summary[f"{name}_mean"] = float(np.mean(values))
        summary[f"{name}_sd"] = spread(values)
    return summary


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; NaN for fewer than two, or not finite, values."""
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - two make a spread
        return math.nan
    if np.ptp(values) == 0.0:  # whose mean may be rounded
        return 0.0
    return float(np.std(values, ddof=1))
