"""Audits with different seeds: how much of every figure hangs on the random split."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..report.coverage_findings import holds_all, named_group
from ..report.result import AuditResult, RepeatedClaim, Repeats
from ..report.result_json import json_row, side_by_side
from ..report.wording import in_brief
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import Group

_CLAIMS = ("group", "effect", "advice")
"""Kinds of them, in the order of reading."""

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
        verdict=_verdict(results),
    )


def _verdict(results: Sequence[AuditResult]) -> list[RepeatedClaim]:
    """Return what the seeds say: whom they name, what adjustments do, and what they advise."""
    claims: dict[tuple[object, ...], RepeatedClaim] = {}
    for result in results:
        for key, claim in _claims(result):
            one = claims.setdefault((claim.about, claim.algorithm, key), claim)
            one.seeds.append(result.settings["seed"])
    for (about, _, key), claim in claims.items():
        claim.tested[:] = _tested(results, key if about == "group" else None)
    ordered = sorted(claims.values(), key=lambda claim: -len(claim.seeds))
    return [claim for about in _CLAIMS for claim in ordered if claim.about == about]


def _tested(results: Sequence[AuditResult], group: object) -> list[int]:
    """Return the seeds whose test rows have some of a segment; all of what is none."""
    have = {
        result.settings["seed"]: {row.group for row in result.segments if row.n > 0}
        for result in results
    }
    known = any(group in groups for groups in have.values())
    return [seed for seed, groups in have.items() if group in groups or not known]


def _claims(result: AuditResult) -> Iterator[tuple[object, RepeatedClaim]]:
    """Yield each claim, with what it has in common with the same one by another seed."""
    named = None if holds_all(result) else named_group(result)
    group = "" if named is None else in_brief(named)
    yield _group_key(result, named), RepeatedClaim("group", result.reference, group, [], [])
    for finding in result.findings:
        if finding.kind == "effect":
            effect = finding.figures["effect"]
            yield effect, RepeatedClaim("effect", finding.predictor, effect, [], [])
        if finding.topic == "advice":
            advice = finding.advice
            yield advice, RepeatedClaim("advice", finding.predictor, advice, [], [])


def _group_key(result: AuditResult, group: Group | None) -> object:
    """Return what says which group it is: of a band, whose bounds hang on the split, its place."""
    if not isinstance(group, SegmentRow) or not group.is_band:
        return None if group is None else group.group
    rows = result.of(result.segments, group.predictor)
    bands = [row.group for row in rows if row.variable == group.variable and row.is_band]
    return group.variable, bands.index(group.group)


def _summaries(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each set of keys that occurs, with mean and spread of what are figures.

    Words and lists have neither. Segments at quartiles have other bounds with another split:
    ``repeats`` counts the audits that have the row.
    """
    figures: defaultdict[tuple[tuple[str, Any], ...], list[dict[str, Any]]] = defaultdict(list)
    for fields in rows:
        figures[tuple((key, fields.pop(key)) for key in _KEYS if key in fields)].append(fields)
    return [_summary(dict(keys), fields) for keys, fields in figures.items()]


def _summary(keys: dict[str, Any], figures: list[dict[str, Any]]) -> dict[str, Any]:
    summary = keys | {"repeats": len(figures)}
    for name, first in figures[0].items():
        if isinstance(first, str | list) or name.startswith("status"):
            continue
        values = [np.nan if fields[name] is None else float(fields[name]) for fields in figures]
        summary[f"{name}_mean"] = statistics.mean(values)
        summary[f"{name}_sd"] = spread(values)
    return summary


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; NaN for fewer than two, or not finite, values."""
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - two make a spread
        return math.nan
    return statistics.stdev(
        values
    )  # exact: values alike have none, and squares may be beyond floats
