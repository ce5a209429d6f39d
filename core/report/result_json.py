"""The result as JSON and as tables: predictors side by side, and no infinities or NaN.

In these forms, which others rely on, a figure of the first predictor ends in "_base", one of the
second, the chosen remedy, in "_adjusted", and of any further one in its own name.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from ..errors import InputError
from ..messages import Names
from ..segments.by_segment import SegmentRow
from ..segments.search.worst_segments import WorstSegmentRow
from .result import AuditResult, Finding
from .sentences import Context, sentence

_OddValues = dict[tuple[str, str], Counter[str]]
"""By section and kind of value: how often each field holds one."""

_WRITTEN = {"subset": "segment", "predictor": "algorithm"}
"""Fields with another name in JSON."""


def suffix(place: int, predictor: str) -> str:
    """Return what the figures of a predictor end in, by its place among them from 0."""
    return ("base", "adjusted")[place] if place < 2 else predictor  # noqa: PLR2004 - names of two


def columns(row: type[Any] | Any, predictors: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return the names under which the fields of a class of rows, or of a row, are written."""
    names = [name for name, _, _ in _columns(row, tuple(predictors))]
    return [*names, "status"] if any(field.name == "status" for field in fields(row)) else names


def _columns(
    row: type[Any] | Any,  # noqa: ANN401
    predictors: Sequence[str],
) -> list[tuple[str, str, str]]:
    """Return name as written, field, and the predictor it is of; empty where of no one's."""
    names = [field.name for field in fields(row)]
    shared = getattr(row, "shared", None)
    if shared is None:
        return [(_WRITTEN.get(name, name), name, "") for name in names]
    written = []
    for name in names:
        if name in shared:
            written.append((name, name, ""))
        elif name != "predictor":
            written += [(f"{name}_{suffix(i, by)}", name, by) for i, by in enumerate(predictors)]
    return written


def side_by_side(rows: Iterable[Any], predictors: Sequence[str]) -> list[dict[str, Any]]:
    """Return a dict for each group, with the figures of every predictor in it.

    ``rows`` are of one class that names its ``shared`` fields and its ``group``.
    """
    groups: dict[object, dict[str, Any]] = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.predictor] = row
    first = next((row for group in groups.values() for row in group.values()), None)
    written = [] if first is None else _columns(first, predictors)
    return [
        {
            name: getattr(group[by or predictors[0]], field)
            for name, field, by in written
            if not by or by in group
        }
        for group in groups.values()
    ]


def json_row(row: Any) -> dict[str, Any]:  # noqa: ANN401 - of any table
    """Return a row of one predictor under the names that it has in JSON."""
    return {name: getattr(row, field) for name, field, _ in _columns(row, ())}


def _json_rows(name: str) -> Callable[[AuditResult], list[dict[str, Any]]]:
    return lambda result: [json_row(row) for row in getattr(result, name)]


def _groups(name: str) -> Callable[[AuditResult], list[dict[str, Any]]]:
    return lambda result: side_by_side(getattr(result, name), result.names)


def _seconds(result: AuditResult) -> dict[str, float]:
    seconds = result.seconds
    fits = {("base_model" if name == "base" else name): s for name, s in seconds.fits.items()}
    return {"read": seconds.read, **fits, "audit": seconds.audit, "total": seconds.total}


def _judged(result: AuditResult, rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return groups with what became of each: by the first adjustment, if there is one."""
    key = f"status_{suffix(1, result.names[1])}" if result.adjustments else "status_base"
    return [row | {"status": row[key]} for row in side_by_side(rows, result.names)]


def _worst_segments(result: AuditResult) -> list[dict[str, Any]]:
    rows = _judged(result, result.worst_segments)
    return [row | {"found_on": _found_on(row["found_on"], result.names)} for row in rows]


def _findings(result: AuditResult) -> list[dict[str, Any]]:
    context = Context.of(result)
    return [finding_to_json(finding, context) for finding in result.findings]


SECTIONS: dict[str, Callable[[AuditResult], Any]] = {
    "settings": lambda result: result.settings,
    "data": lambda result: asdict(result.data),
    "predictors": _json_rows("predictors"),
    "results": _json_rows("results"),
    "iterations": _json_rows("iterations"),
    "coefficients": _json_rows("coefficients"),
    "segments": lambda result: _judged(result, result.segments),
    "drift": lambda result: asdict(result.drift),
    "seconds": _seconds,
    "notes": lambda result: list(result.notes),
    "findings": _findings,
    "stopped": lambda result: result.stopped,
    "repeats": lambda result: None if result.repeats is None else asdict(result.repeats),
    "gaps": _groups("gaps"),
    "size_strata": _json_rows("size_strata"),
    "worst_segments": _worst_segments,
    "audit_only": _json_rows("audit_only"),
    "changes": _json_rows("changes"),
    "comparisons": _json_rows("comparisons"),
    "headline": lambda result: result.headline,
    "probabilities": _json_rows("probabilities"),
}
"""All of a result but the test rows: each section in plain dicts and lists."""

_NO_ROWS = ("settings", "data", "drift", "seconds", "notes", "stopped", "repeats", "headline")


def rows_of(result: AuditResult, section: str) -> list[dict[str, Any]]:
    """Return the rows of a section; InputError if there is none of that name that holds rows."""
    tables = {name: make for name, make in SECTIONS.items() if name not in _NO_ROWS}
    if section not in tables:
        sentence = "the result has no section '{section}' of rows; choose one of {sections}"
        about = {"section": section, "sections": Names(tables)}
        raise InputError("result.no_section", sentence, **about)
    rows: list[dict[str, Any]] = tables[section](result)
    return rows


def _found_on(found: Sequence[str], predictors: Sequence[str]) -> str:
    if len(found) == len(predictors) == 2:  # noqa: PLR2004 - before and after
        return "both"
    return ", ".join(suffix(predictors.index(name), name) for name in found)


def to_json(result: AuditResult) -> dict[str, Any]:
    """Return a result as plain dicts and lists that JSON can hold.

    Infinities and NaN become None, with a sentence in ``notes`` that says where.
    """
    plain, notes = plain_sections({name: make(result) for name, make in SECTIONS.items()})
    plain["notes"] += notes
    return plain


def plain_sections(sections: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return sections with None for infinities and NaN, and a sentence on each field with any."""
    odd: _OddValues = {}
    plain = {name: _plain(section, name, name, odd) for name, section in sections.items()}
    notes = []
    for (section, word), counts in odd.items():
        rows = max(counts.values())
        where = f"{rows} row{'' if rows == 1 else 's'} of {section}"
        notes.append(f"{word.capitalize()} in {where}: {', '.join(counts)}.")
    return plain, notes


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


def finding_to_json(finding: Finding, context: Context) -> dict[str, Any]:
    """Return a finding as JSON has it, with its sentence."""
    return {
        "kind": finding.kind,
        "topic": finding.topic,
        "severity": finding.severity,
        "algorithm": finding.predictor,
        "who": _named(finding.who),
        "figures": _named(finding.figures),
        "certainty": finding.certainty,
        "advice": finding.advice,
        "sentence": sentence(finding, context),
    }


def _named(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, SegmentRow):
        return {name: getattr(value, name) for name in ("variable", "value", "kind", "n")}
    if isinstance(value, WorstSegmentRow):
        return {"rule": value.rule, "n": value.n}
    if isinstance(value, Mapping):
        return {name: _named(item) for name, item in value.items()}
    return [_named(item) for item in value] if isinstance(value, list) else value
