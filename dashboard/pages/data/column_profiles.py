"""What becomes of each column under the settings."""

import pandas as pd
import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.column_profile import ColumnProfile, profile_columns
from evencover.core.preparation.options import COLUMN, COLUMNS
from evencover.core.preparation.settings import OPTIONS

from ...runs.loaded_table import LoadedTable
from ...wording.column_preview import preview
from ...wording.formatting import plain

_PREVIEW_ROWS = 15
_ROW_HEIGHT = 36
_FATE_WIDTH = 640  # else a long sentence is cut off, its advice first


def show_profiles(table: LoadedTable, settings: AuditSettings) -> None:
    """Draw what becomes of each column under the settings, or why it cannot be read so."""
    try:
        profiles = profiles_under(settings, table)
    except InputError as error:
        st.warning(plain(str(error)))
        return
    draw_profiles(profiles)


def draw_profiles(profiles: list[ColumnProfile]) -> None:
    """Draw one row for each column: its role, and what becomes of it."""
    st.dataframe(
        preview(profiles),
        hide_index=True,
        width="stretch",
        height=min(_PREVIEW_ROWS, len(profiles) + 1) * _ROW_HEIGHT,
        column_config={
            "missing": st.column_config.NumberColumn(format="percent"),
            "what becomes of it": st.column_config.TextColumn(width=_FATE_WIDTH),
        },
    )


def profiles_under(settings: AuditSettings, table: LoadedTable) -> list[ColumnProfile]:
    """Return what becomes of each column.

    Raises :class:`InputError` if a column cannot be read as the settings ask for.
    """
    about_columns = AuditSettings(
        **{
            name: getattr(settings, name)
            for name, option in OPTIONS.items()
            if option.kind in (COLUMN, COLUMNS)
        }
    )
    label = next(profile.name for profile in table.profiles if profile.role == "label")
    if about_columns == AuditSettings(target=label):
        return table.profiles
    return _profiles(table.token, about_columns, table.frame)


@st.cache_data(max_entries=6, scope="session", show_spinner=False)
def _profiles(
    token: str,  # noqa: ARG001 - stands for the frame, which takes long to hash
    settings: AuditSettings,
    _frame: pd.DataFrame,
) -> list[ColumnProfile]:
    return profile_columns(_frame, settings)
