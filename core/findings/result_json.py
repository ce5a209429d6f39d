"""The result as JSON and as tables: predictors side by side, and no infinities or NaN.

In these forms, which others rely on, a figure of the first predictor ends in "_base", one of the
second, the chosen remedy, in "_adjusted", and of any further one in its own name.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, Protocol

from .result import AuditResult
from .sentences import Context, finding_to_json

_OddValues = dict[tuple[str, str], Counter[str]]
"""By section and kind of value: how often each field holds one."""

_WRITTEN = {"subset": "segment", "predictor": "algorithm"}
"""Fields with another name in JSON."""


class GroupRow(Protocol):
    """A row of one predictor's figures for a group, of which others have a row, too."""

    shared: ClassVar[tuple[str, ...]]
    predictor: str

    @property
    def group(self) -> object:
        """Which group it is."""


def suffix(place: int, predictor: str) -> str:
    """Return what the figures of a predictor end in, by its place among them from 0."""
    return ("base", "adjusted")[place] if place < 2 else predictor  # noqa: PLR2004 - names of two


def side_by_side(rows: Iterable[Any], predictors: Sequence[str]) -> list[dict[str, Any]]:
    """Return a dict for each group, with the figures of every predictor in it.

    Parameters
    ----------
    rows
        Of one class that names its ``shared`` fields and its ``group``.
    predictors
        Their names, in order.
    """
    groups: dict[object, dict[str, Any]] = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.predictor] = row
    return [_joined(by_predictor, predictors) for by_predictor in groups.values()]


def _joined(by_predictor: Mapping[str, Any], predictors: Sequence[str]) -> dict[str, Any]:
    first = next(iter(by_predictor.values()))
    joined: dict[str, Any] = {}
    for field in fields(first):
        if field.name in first.shared:
            joined[field.name] = getattr(first, field.name)
        elif field.name != "predictor":
            for place, name in enumerate(predictors):
                if name in by_predictor:
                    key = f"{field.name}_{suffix(place, name)}"
                    joined[key] = getattr(by_predictor[name], field.name)
    return joined


def json_row(row: Any) -> dict[str, Any]:  # noqa: ANN401 - of any table
    """Return a row of one predictor under the names that it has in JSON."""
    return {_WRITTEN.get(name, name): value for name, value in asdict(row).items()}


def sections(result: AuditResult) -> dict[str, Any]:
    """Return all of a result but the test rows, in plain dicts and lists, as JSON has it."""
    names = result.names
    seconds = result.seconds
    fits = {("base_model" if name == "base" else name): s for name, s in seconds.fits.items()}
    return {
        "settings": result.settings,
        "data": asdict(result.data),
        "predictors": [asdict(predictor) for predictor in result.predictors],
        "results": list(map(json_row, result.results)),
        "iterations": [asdict(layer) for layer in result.iterations],
        "coefficients": list(map(json_row, result.coefficients)),
        "segments": side_by_side(result.segments, names),
        "drift": asdict(result.drift),
        "seconds": {
            "read": seconds.read,
            **fits,
            "audit": seconds.audit,
            "total": seconds.total,
        },
        "notes": list(result.notes),
        "findings": [finding_to_json(each, Context.of(result)) for each in result.findings],
        "stopped": result.stopped,
        "repeats": None if result.repeats is None else asdict(result.repeats),
        "gaps": side_by_side(result.gaps, names),
        "size_strata": list(map(json_row, result.size_strata)),
        "worst_segments": [
            row | {"found_on": _found_on(row["found_on"], names)}
            for row in side_by_side(result.worst_segments, names)
        ],
        "audit_only": list(map(json_row, result.audit_only)),
        "headline": result.headline,
        "probabilities": list(map(json_row, result.probabilities)),
    }


def _found_on(found: Sequence[str], predictors: Sequence[str]) -> str:
    if len(found) == len(predictors) == 2:  # noqa: PLR2004 - before and after
        return "both"
    return ", ".join(suffix(predictors.index(name), name) for name in found)


def to_json(result: AuditResult) -> dict[str, Any]:
    """Return a result as plain dicts and lists that JSON can hold.

    Infinities and NaN become None, with a sentence in ``notes`` that says where.
    """
    odd: _OddValues = {}
    plain = {name: _plain(part, name, name, odd) for name, part in sections(result).items()}
    plain["notes"] += [
        f"{word.capitalize()} in {_rows(max(counts.values()))} of {section}: {', '.join(counts)}."
        for (section, word), counts in odd.items()
    ]
    return plain


def _plain(value: Any, section: str, name: str, odd: _OddValues) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _plain(item, section, key, odd) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, section, name, odd) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        word = "not defined" if math.isnan(value) else "infinite"
        odd.setdefault((section, word), Counter())[name] += 1
        return None
    return value


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
