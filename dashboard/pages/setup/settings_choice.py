"""All choices of Setup: the label, CL and C first, the columns next, the finer ones last."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings, InputError

from ...runs.loaded_table import LoadedTable
from ..data.column_profiles import profiles_under, show_profiles
from ..filtered_result import Cohorts
from .column_choice import ColumnChoice, choose_columns, choose_label
from .default_roles import first_roles, useless_columns
from .finer_choice import choose_finer
from .option_widget import choose
from .protected_hint import show_protected_hint


def choose_settings(table: LoadedTable, cohorts: Cohorts) -> AuditSettings:
    """Draw the choices, with what becomes of each column, and return the settings with cohorts.

    Raises
    ------
    InputError
        If a choice is unusable whatever the table.
    """
    label, level, price = st.columns(3)
    with label:
        target = choose_label(table)
        log_target = choose(table, "log_target")
    with level:
        confidence_level = choose(table, "confidence_level")
    with price:
        penalty = choose(table, "penalty")
    st.subheader("Columns")
    hint = st.container()
    columns = choose_columns(table, target)
    columns_place = st.container()
    with st.expander("Finer choices"):
        finer = choose_finer(table, target, columns.numeric, cohorts)
    columns = columns.without(finer.shaping_column)
    features, drop = _features_and_drop(table, {target, finer.shaping_column}, columns)
    settings = replace(
        table.choices,
        target=target,
        confidence_level=confidence_level,
        penalty=penalty,
        features=features,
        drop=drop,
        audit_only=tuple(columns.audit_only),
        categorical=_in_use(columns.categorical, columns, table.choices.categorical),
        numeric=_in_use(columns.numeric, columns, table.choices.numeric),
        log_target=log_target,
        cohorts=cohorts,
        **finer.settings,
    )
    settings = _without(columns.left_out, settings, table)
    with columns_place:
        show_profiles(table, settings)
    with hint:
        show_protected_hint(table, settings)
    return settings


def _without(left_out: list[str], settings: AuditSettings, table: LoadedTable) -> AuditSettings:
    """Name to be left out whatever of it the audit would take in.

    It leaves out a copy of a column only as long as that column is a feature, or the label.
    """
    try:
        features = {p.name for p in profiles_under(settings, table) if p.role == "feature"}
    except InputError:  # told where the profiles are shown
        return settings
    taken_in = [column for column in left_out if column in features]
    if not taken_in:
        return settings
    return _without(left_out, replace(settings, drop=(*settings.drop, *taken_in)), table)


def _features_and_drop(
    table: LoadedTable, taken: set[str | None], columns: ColumnChoice
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Leave to the audit what it leaves out by itself, so that it can tell its reasons.

    ``taken`` are the label and the column that shapes the split, which play those parts alone.
    """
    unused = {*columns.left_out, *columns.audit_only}
    named = table.choices.features
    if named is not None:  # their order is part of the settings; others need no leaving out
        in_order = dict.fromkeys((*named, *(profile.name for profile in table.profiles)))
        spoken_of = {*named, *table.choices.drop}
        return (
            tuple(name for name in in_order if name not in unused | taken),
            tuple(name for name in columns.left_out if name in spoken_of),
        )
    roles, useless = first_roles(table), useless_columns(table)
    read_otherwise = {*table.choices.categorical, *table.choices.numeric}
    freed = {c for c in useless if roles[c] == "feature"} - read_otherwise
    read_otherwise = {*columns.categorical, *columns.numeric}
    if useless - freed - read_otherwise - taken <= unused:
        by_itself = useless | {c for c, role in roles.items() if role == "left out"}
        by_itself -= {*table.choices.drop}
        return None, tuple(c for c in columns.left_out if c not in by_itself)
    features = [p.name for p in table.profiles if p.name not in unused | taken]
    return tuple(features), tuple(columns.left_out)


def _in_use(read_so: list[str], columns: ColumnChoice, first: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what is no feature anyway, but for what settings that were given read so.

    Their cohorts and pairs may be of it.
    """
    return tuple(c for c in read_so if c not in columns.left_out or c in first)
