"""Rows as JSON and tables have them: predictors side by side, and no infinities or NaN.

In these forms, which others rely on, a figure of the first predictor ends in "_base", one of the
second, the chosen remedy, in "_adjusted", and of any further one in its own name.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from ..segments.by_segment import GapRow, SegmentRow

_OddValues = dict[tuple[str, str], Counter[str]]
"""By section and kind of value: how often each field holds one."""

_WRITTEN = {"subset": "segment", "predictor": "algorithm"}  # fields called otherwise in JSON


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


_Row = TypeVar("_Row", bound=SegmentRow | GapRow)


def grouped(rows: Iterable[_Row]) -> list[dict[str, _Row]]:
    """Return for each group its rows by the predictors' names, in the order of the first."""
    groups: dict[object, dict[str, _Row]] = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.predictor] = row
    return list(groups.values())


def side_by_side(rows: Iterable[Any], predictors: Sequence[str]) -> list[dict[str, Any]]:
    """Return a dict for each group, with the figures of every predictor in it.

    ``rows`` are of one class that names its ``shared`` fields and its ``group``.
    """
    groups = grouped(rows)
    first = next((row for group in groups for row in group.values()), None)
    written = [] if first is None else _columns(first, predictors)
    return [
        {
            name: getattr(group[by or predictors[0]], field)
            for name, field, by in written
            if not by or by in group
        }
        for group in groups
    ]


def json_row(row: Any) -> dict[str, Any]:  # noqa: ANN401 - of any table
    """Return a row of one predictor under the names that it has in JSON."""
    return {name: getattr(row, field) for name, field, _ in _columns(row, ())}


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
