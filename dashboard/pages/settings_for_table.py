"""Settings that were made for another table, put to a table; no streamlit here."""

import uuid
from collections.abc import Iterator
from dataclasses import replace

from evencover.core import AuditSettings, InputError
from evencover.core.messages import shown
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.roles import columns_in_use
from evencover.core.tables.rules.parsing import parse_rule

from ..runs.loaded_table import LoadedTable


def with_settings(table: LoadedTable, settings: AuditSettings) -> LoadedTable:
    """Return the table with these settings as the choices to begin with.

    Raises
    ------
    InputError
        If the table lacks a column that the settings name, or one is given two roles.
    """
    missing = [name for name in _columns_named(settings) if name not in table.frame.columns]
    if missing:
        raise InputError(
            f"the settings name a column '{shown(missing[0])}', which '{table.name}' does not "
            "have; choose the table they are for, or make the choices anew"
        )
    columns_in_use(list(table.frame.columns), settings)  # refuses a column with two roles
    profiles = profile_columns(table.frame, AuditSettings(target=settings.target))
    return replace(table, profiles=profiles, choices=settings, token=uuid.uuid4().hex[:8])


def _columns_named(settings: AuditSettings) -> Iterator[str]:
    yield settings.target
    yield from settings.features or ()
    yield from (*settings.drop, *settings.audit_only, *settings.categorical, *settings.numeric)
    yield from filter(None, (settings.split_column, settings.group, settings.time))
    yield from (name for pair in settings.pairs for name in pair)
    yield from (name for name, _ in settings.cuts)
    for _, rule in settings.cohorts:
        yield from parse_rule(rule).columns
