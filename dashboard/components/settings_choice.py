"""Step 3: confidence level and penalty, and the finer choices."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.columns import Kind
from evencover.core.measures import MEASURES
from evencover.core.profile import ColumnProfile
from evencover.core.settings import TASKS

from .. import texts
from ..tables import LoadedTable
from .column_choice import ColumnChoice, useless_columns
from .estimator_choice import choose_estimators
from .named_choice import choose_name
from .profiles_view import profiles_under
from .search_choice import choose_search
from .segment_choice import choose_segments

_AUTOMATIC = "automatic"
_TIMES: tuple[Kind, ...] = ("date", "number")
_AT_RANDOM, _BY_GROUP, _BY_TIME = _SHAPES = ("at random", "by group", "by time")


def choose_settings(
    table: LoadedTable, target: str, *, log_target: bool, columns: ColumnChoice
) -> AuditSettings:
    """Draw the remaining choices and return the settings.

    Raises
    ------
    InputError
        If a choice is unusable whatever the table.
    """
    st.subheader("3. Confidence and penalty")
    choices, token = table.choices, table.token
    confidence_level = st.number_input(
        "Confidence level (CL)",
        value=choices.confidence_level,
        step=0.01,
        format="%g",
        key=f"cl-{token}",
        help=texts.HELP_CL,
    )
    penalty = st.number_input(
        "Penalty (C)",
        value=choices.penalty,
        step=0.1,
        format="%g",
        key=f"c-{token}",
        help=texts.HELP_C,
    )
    with st.expander("Finer choices"):
        task = st.selectbox("Task", TASKS, index=TASKS.index(choices.task), key=f"task-{token}")
        measure = choose_name(
            "Conformity measure",
            [_AUTOMATIC, *MEASURES],
            choices.measure or _AUTOMATIC,
            key=f"measure-{token}",
            help_=texts.HELP_MEASURE,
        )
        split = st.text_input(
            "Split",
            value=choices.split,
            key=f"split-{token}",
            help=texts.HELP_SPLIT,
        )
        seed = st.number_input("Seed", min_value=0, value=choices.seed, step=1, key=f"seed-{token}")
        shape, shaping_column = _choose_shape(table, target, columns.numeric)
        repeats = st.number_input(
            "Repeats",
            min_value=1,
            value=choices.repeats,
            step=1,
            key=f"repeats-{token}",
            help=texts.HELP_REPEATS,
            disabled=shape == _BY_TIME,  # there is one way only
        )
        stratify = st.checkbox(
            "Stratify by class",
            value=choices.stratify,
            key=f"stratify-{token}",
            help=texts.HELP_STRATIFY,
        )
        search = choose_search(table)
        estimators = choose_estimators(table)
        segments = choose_segments(table)
    columns = columns.without(shaping_column)
    features, drop = _features_and_drop(table, {target, shaping_column}, columns)
    settings = AuditSettings(
        target=target,
        task=task,
        confidence_level=confidence_level,
        penalty=penalty,
        measure=None if measure == _AUTOMATIC else measure,
        features=features,
        drop=drop,
        audit_only=tuple(columns.audit_only),
        categorical=tuple(c for c in columns.categorical if c not in columns.left_out),
        numeric=tuple(c for c in columns.numeric if c not in columns.left_out),
        log_target=log_target,
        split=split,
        stratify=stratify,
        group=shaping_column if shape == _BY_GROUP else None,
        time=shaping_column if shape == _BY_TIME else None,
        repeats=1 if shape == _BY_TIME else repeats,
        seed=seed,
        **search,
        **estimators,
        **segments,
    )
    return _without(columns.left_out, settings, table)


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


def _choose_shape(table: LoadedTable, target: str, numeric: list[str]) -> tuple[str, str | None]:
    """Draw the choice of how to split; return it, and the column it goes by."""
    choices, token = table.choices, table.token
    chosen = _BY_GROUP if choices.group else _BY_TIME if choices.time else _AT_RANDOM
    shape = choose_name(
        "Split the rows", _SHAPES, chosen, key=f"shape-{token}", help_=texts.HELP_SHAPE
    )
    if shape == _AT_RANDOM:
        return shape, None
    column = choices.group or choices.time
    columns = [
        profile.name
        for profile in table.profiles
        if profile.name != target and (profile.name in numeric or _can_split(profile, shape))
    ]
    column = st.selectbox(
        "Column to split by",
        columns,
        index=columns.index(column) if column in columns else 0,
        key=f"shape-column-{token}-{target}-{shape}",
    )
    if column is None:
        raise InputError(f"no column can split the rows {shape}; choose another way to split")
    return shape, column


def _can_split(profile: ColumnProfile, shape: str) -> bool:
    return profile.kind in _TIMES if shape == _BY_TIME else profile.kind != "unsupported"


def _features_and_drop(
    table: LoadedTable, taken: set[str | None], columns: ColumnChoice
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Leave to the audit what it leaves out by itself, so that it can tell its reasons.

    ``taken`` are the label and the column that shapes the split, which play those parts alone.
    """
    guessed = useless_columns(table) - taken - {*columns.categorical, *columns.numeric}
    unused = {*columns.left_out, *columns.audit_only}
    if guessed <= unused:
        return None, tuple(c for c in columns.left_out if c not in guessed)
    features = [p.name for p in table.profiles if p.name not in unused | taken]
    return tuple(features), tuple(columns.left_out)
