"""Whether choices can be run, and the penalty C that they come to: asked once for each choice."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.conformal.measures import Task
from evencover.core.experiment.check import check
from evencover.core.messages import Sentence
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.table import Table

from ...runs.loaded_table import LoadedTable

_UNCHECKED = (
    "confidence_level",
    "penalty",
    "repeats",
    "search",
    "estimator",
    "ifacm_estimator",
    "permutations",
)
"""Options that go together with any table."""


def problem_with(table: LoadedTable, settings: AuditSettings) -> Sentence | None:
    """Return why a run would be refused, if it would be."""
    found = _checked(table, settings)
    return found if isinstance(found, Sentence) else None


def penalty_used(table: LoadedTable, settings: AuditSettings) -> float | None:
    """Return the C that a run would have; None where it goes by the label and would be refused."""
    if settings.penalty is not None:
        return settings.penalty
    found = _checked(table, settings)
    return None if isinstance(found, Sentence) else settings.penalty_for(found)


def _checked(table: LoadedTable, settings: AuditSettings) -> Task | Sentence:
    defaults = {field: OPTIONS[field].default for field in _UNCHECKED}
    return _check(table.token, replace(settings, **defaults), table.table)


@st.cache_data(max_entries=6, scope="session", show_spinner=False)
def _check(
    token: str,  # noqa: ARG001 - stands for the table, which takes long to hash
    settings: AuditSettings,
    _table: Table,
) -> Task | Sentence:
    try:
        return check(_table, settings).label.task
    except InputError as error:  # which would not be kept
        return error.sentence
