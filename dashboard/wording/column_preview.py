"""What an audit will make of a table's columns, for the page and for the terminal."""

from collections.abc import Iterable

import pandas as pd

from evencover.core.preparation.column_profile import ColumnProfile

from .formatting import one_line, percent


def preview(profiles: Iterable[ColumnProfile]) -> pd.DataFrame:
    """Return one row for each column: its role, kind, values, and what becomes of it."""
    return pd.DataFrame(
        {
            "column": profile.name,
            "role": profile.role,
            "read as": profile.kind,
            "distinct": profile.distinct,
            "missing": profile.missing_share,
            "what becomes of it": profile.fate,
        }
        for profile in profiles
    )


def preview_text(profiles: Iterable[ColumnProfile]) -> str:
    """Return the preview as text."""
    table = preview(profiles)
    table["missing"] = table["missing"].map(percent)
    cells = [list(table.columns), *table.astype(str).map(one_line).to_numpy().tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(rows) + "\n"
