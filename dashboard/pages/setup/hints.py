"""Hints before the run, each with a button that makes the change."""

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.preparation.hints import Hint, hints_before
from evencover.core.preparation.output_ways import OUTPUT_FIELDS
from evencover.core.tables.table import Table

from ...runs.loaded_table import LoadedTable
from ...wording import page_texts
from ...wording.formatting import plain
from ..column_profiles import profiles_under
from ..session import session

_LOOKED_AT = (
    *("target", "task", "features", "drop", "audit_only", "categorical", "numeric", "log_target"),
    *("group", "time", "split_column", "stratify"),
    *OUTPUT_FIELDS,
)
"""Options on which hints depend."""


def show_hints(table: LoadedTable, settings: AuditSettings) -> None:
    """Say what may be chosen otherwise; a button beside it makes that choice."""
    looked_at = {field: getattr(settings, field) for field in _LOOKED_AT}
    try:
        profiles = profiles_under(settings, table)
        hints = _hints(table.token, AuditSettings(**looked_at), table.table, profiles)
    except InputError:  # shown with the profiles
        return
    for number, hint in enumerate(hints):
        line, place = st.columns([3, 1], vertical_alignment="center")
        line.markdown(plain(hint.sentence))
        if hint.fix is not None:
            place.button(
                page_texts.FIXES[hint.kind],
                key=f"hint-{number}-{table.token}",
                on_click=session().change,
                args=(hint.fix.applied(settings),),
                width="stretch",
            )


@st.cache_data(max_entries=6, scope="session", show_spinner=False)
def _hints(
    token: str,  # noqa: ARG001 - stands for the table, which takes long to hash
    settings: AuditSettings,
    _table: Table,
    _profiles: list[ColumnProfile],
) -> list[Hint]:
    return hints_before(_table, settings, _profiles)
