"""Settings that were made for another table, put to a table; no streamlit here."""

import uuid
from dataclasses import replace

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.roles import columns_in_use

from ..runs.loaded_table import LoadedTable


def with_settings(table: LoadedTable, settings: AuditSettings) -> LoadedTable:
    """Return the table with these settings as the choices to begin with.

    Raises
    ------
    InputError
        If the table lacks a column that the settings name, or one is given two roles.
    """
    missing = [name for name in settings.columns_named() if name not in table.frame.columns]
    if missing:
        raise InputError(
            "settings.other_table",
            "the settings name a column '{column}', which '{table}' does not have; choose the "
            "table they are for, or make the choices anew",
            column=missing[0],
            table=table.name,
        )
    columns_in_use(list(table.frame.columns), settings)  # refuses a column with two roles
    profiles = profile_columns(table.frame, AuditSettings(target=settings.target))
    return replace(table, profiles=profiles, choices=settings, token=uuid.uuid4().hex[:8])
