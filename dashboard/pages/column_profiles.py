"""The table in use, and what becomes of each of its columns under the settings."""

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.options import COLUMN, COLUMN_LIST
from evencover.core.preparation.roles import ColumnProfile, profile_columns
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.table import Table

from ..runs.loaded_table import LoadedTable
from ..wording.formatting import plain
from ..wording.tables import first_rows, preview
from .heading import next_step
from .steps import SETUP
from .widgets import written

COLUMN_OPTIONS = tuple(n for n, option in OPTIONS.items() if option.kind in (COLUMN, COLUMN_LIST))
"""Options whose values are columns' names."""

_ROWS_SHOWN = 5
_PREVIEW_ROWS = 15
_ROW_HEIGHT = 36
_REASON_WIDTH = 640  # else a long sentence is cut off, its advice first


def show_name(table: LoadedTable) -> None:
    """Draw its size, what it is about and what was done in reading it, and the way on."""
    rows, columns = table.frame.shape
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.subheader(f"{plain(table.name)}: {rows:,} rows, {columns} columns")
    next_step(right, "Next: Setup", SETUP)
    if table.description is not None:
        st.markdown(table.description)
    if table.table.notes:
        st.info("\n".join(f"- {plain(str(note))}" for note in table.table.notes))


def show_table(table: LoadedTable) -> None:
    """Draw its columns and first rows."""
    st.markdown("**Its columns**")
    show_profiles(table, table.choices)
    st.markdown("**Its first rows**")
    # by itself a missing cell looks like the text None
    st.dataframe(
        first_rows(table.frame, _ROWS_SHOWN), hide_index=True, width="stretch", placeholder=""
    )


def show_profiles(table: LoadedTable, settings: AuditSettings) -> None:
    """Draw what becomes of each column under the settings, or why it cannot be read so."""
    try:
        _draw(profiles_under(settings, table))
    except InputError as error:
        st.warning(plain(str(error)))


def _draw(profiles: list[ColumnProfile]) -> None:
    reasons = st.column_config.TextColumn(width=_REASON_WIDTH)
    st.dataframe(
        written(preview(profiles), {"distinct": "count", "missing": "percent"}),
        hide_index=True,
        width="stretch",
        height=min(_PREVIEW_ROWS, len(profiles) + 1) * _ROW_HEIGHT,
        column_config={"what becomes of it": reasons},
    )


def profiles_under(settings: AuditSettings, table: LoadedTable) -> list[ColumnProfile]:
    """Return what becomes of each column; refuse one that cannot be read as asked for."""
    said = {name: getattr(settings, name) for name in (*COLUMN_OPTIONS, "join")}
    about_columns = AuditSettings(**said)
    label = next(profile.name for profile in table.profiles if profile.role == "label")
    if about_columns == AuditSettings(target=label):
        return table.profiles
    return _profiles(table.token, about_columns, table.table)


@st.cache_data(max_entries=6, scope="session", show_spinner=False)
def _profiles(
    token: str,  # noqa: ARG001 - stands for the table, which takes long to hash
    settings: AuditSettings,
    _table: Table,
) -> list[ColumnProfile]:
    return profile_columns(_table, settings)
