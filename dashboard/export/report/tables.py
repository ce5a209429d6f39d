"""The report's tables, from an audit's result."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from evencover.core import AuditResult
from evencover.core.segments.by_segment import SegmentRow

from ...figures import feature_order
from ...wording import tables as columns
from ...wording.page_texts import NAMES, TOO_FEW
from ...wording.tables import Column, overview_rows, too_low_rows
from .cells import Table, make_table
from .limits import without_values

FEATURES_SHOWN = 30
_MOST = 100
_MOST_GAPS = 30
_MOST_DROPPED = 60
_Row = Mapping[str, Any]


def tables(result: AuditResult, told: Mapping[str, Any]) -> dict[str, Table]:
    """Return the tables of a result, ``told`` being its JSON; those without a row are left out."""
    made: dict[str, tuple[Mapping[str, Column], list[_Row], int]] = {
        "overview": (columns.OVERVIEW, list(overview_rows(result)), _MOST),
        "too_low": (columns.TOO_LOW, list(too_low_rows(result)), _MOST_GAPS),
        "segments": (columns.SEGMENTS, _segments(result), _MOST),
        "gaps": (columns.GAPS, _gaps(result), _MOST_GAPS),
        "size_strata": (columns.SIZE_STRATA, _told(result.size_strata), _MOST),
        "worst_segments": (columns.WORST, _told(result.worst_segments), _MOST_GAPS),
        "audit_only": (columns.AUDIT_ONLY, _told(result.audit_only), _MOST),
        "other_measures": (columns.OTHER_MEASURES, _other_measures(result), _MOST),
        "iterations": (columns.LAYERS, _told(result.iterations), _MOST),
        "coefficients": (columns.COEFFICIENTS, _coefficients(result), 4 * FEATURES_SHOWN),
        "repeats": (columns.REPEATS, _repeats(result), _MOST),
        "dropped": (columns.DROPPED, _dropped(result), _MOST_DROPPED),
        "settings": (columns.SETTINGS, _settings(told), _MOST),
    }
    return {
        name: make_table(name, _present(shown, rows), rows, most)
        for name, (shown, rows, most) in made.items()
        if rows
    }


def _present(shown: Mapping[str, Column], rows: list[_Row]) -> Mapping[str, Column]:
    """Return the columns that the rows have; some are there on request alone."""
    return {key: column for key, column in shown.items() if key in rows[0]}


def _told(rows: Iterable[Any]) -> list[_Row]:
    """Return rows as dicts, with the predictors' names as the charts have them."""
    return [_renamed(asdict(row)) for row in rows]


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"algorithm": NAMES[row["algorithm"]]} if "algorithm" in row else row


def rows_concerned(confidence_level: float) -> Callable[[SegmentRow], float]:
    """Return what says by how many rows a segment's correct sets before are off what is promised.

    It is -1 for a segment without rows.
    """

    def concerned(row: SegmentRow) -> float:
        return row.n * abs(row.accuracy_base - confidence_level) if row.n else -1.0

    return concerned


def _segments(result: AuditResult) -> list[_Row]:
    concerned = rows_concerned(result.settings["cl"])
    return [
        asdict(row) | {"remark": TOO_FEW if math.isnan(row.detectable) else ""}
        for row in sorted(result.segments, key=concerned, reverse=True)
    ]


def _gaps(result: AuditResult) -> list[_Row]:
    def size(row: _Row) -> float:
        gap: float = row["gap_base"]
        return -1.0 if math.isnan(gap) else abs(gap)

    return sorted(_told(result.gaps), key=size, reverse=True)


def _other_measures(result: AuditResult) -> list[_Row]:
    return _told(row for row in result.results if row.segment == "test")


def _coefficients(result: AuditResult) -> list[_Row]:
    place = {feature: i for i, feature in enumerate(feature_order(result.coefficients))}
    return sorted(_told(result.coefficients), key=lambda row: place[row["feature"]])


def _repeats(result: AuditResult) -> list[_Row]:
    return [] if result.repeats is None else [_renamed(row) for row in result.repeats.results]


def _dropped(result: AuditResult) -> list[_Row]:
    return [
        {"column": left.column, "reason": without_values(left.reason)}
        for left in result.data.dropped
    ]


def _settings(told: Mapping[str, Any]) -> list[_Row]:
    return [
        {"name": name, "value": json.dumps(value, ensure_ascii=False)}
        for name, value in told["settings"].items()
    ]
