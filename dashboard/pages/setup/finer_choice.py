"""The finer choices: how to split the rows, and every option that has no place of its own."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from evencover.core import InputError
from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.preparation.options import COLUMN, COLUMNS, options_of
from evencover.core.tables.columns import Kind

from ...options.forms import references_left, write_reference
from ...runs.loaded_table import LoadedTable
from ...wording import help_texts
from ..filtered_result import Cohorts
from .option_widget import choose, option_key

_TIMES: tuple[Kind, ...] = ("date", "number")
_AT_RANDOM = "at random"
_SHAPES = {"group": "by group", "time": "by time", "split_column": "as a column says"}
"""By the option that names the column."""

_FIXED = ("time", "split_column")
"""There is one way only to split so: repeats would all be the same."""

_ELSEWHERE = ("confidence_level", "penalty", "log_target", "cohorts")
"""Options that name no column, and have a place of their own on the pages."""


@dataclass(frozen=True)
class FinerChoice:
    """Finer choices by their names in the settings, and the column that shapes the split."""

    settings: dict[str, Any]
    shaping_column: str | None


def choose_finer(
    table: LoadedTable, target: str, numeric: list[str], cohorts: Cohorts
) -> FinerChoice:
    """Draw the finer choices; ``numeric`` are text columns that are read as numbers.

    Raises
    ------
    InputError
        If no column can split the rows as asked for, or what is written cannot be read.
    """
    shaping, column = _choose_shape(table, target, numeric)
    _fill_in_reference(table, cohorts)
    settings: dict[str, Any] = {}
    for field, option in options_of(type(table.choices)).items():
        if option.kind not in (COLUMN, COLUMNS) and field not in _ELSEWHERE:
            is_fixed = field == "repeats" and shaping in _FIXED
            value = choose(table, field, disabled=is_fixed)
            settings[field] = option.default if is_fixed else value
    for field in _SHAPES:
        settings[field] = column if field == shaping else None
    return FinerChoice(settings, column)


def _choose_shape(
    table: LoadedTable, target: str, numeric: list[str]
) -> tuple[str | None, str | None]:
    """Draw the choice of how to split; return the option, and the column that it names."""
    columns = {field: getattr(table.choices, field) for field in _SHAPES}
    first = next((_SHAPES[field] for field, column in columns.items() if column), _AT_RANDOM)
    shapes = [_AT_RANDOM, *_SHAPES.values()]
    shape = st.selectbox(
        "Split the rows",
        shapes,
        index=shapes.index(first),
        key=option_key(table, "shape"),
        persist_state="session",
        help=help_texts.SHAPE,
    )
    shaping = next((field for field in _SHAPES if _SHAPES[field] == shape), None)
    if shaping is None:
        return None, None
    column = columns[shaping]
    candidates = [
        profile.name
        for profile in table.profiles
        if profile.name != target
        and (profile.name in {column, *numeric} or _can_split(profile, shaping))
    ]
    column = st.selectbox(
        "Column to split by",
        candidates,
        index=candidates.index(column) if column in candidates else 0,
        key=f"shape-column-{table.token}-{target}-{shape}",
        persist_state="session",
    )
    if column is None:
        raise InputError(
            "split.no_column", f"no column can split the rows {shape}; choose another way to split"
        )
    return shaping, column


def _can_split(profile: ColumnProfile, shaping: str) -> bool:
    return profile.kind in _TIMES if shaping == "time" else profile.kind != "unsupported"


def _fill_in_reference(table: LoadedTable, cohorts: Cohorts) -> None:
    """Write the text at first; later, take out what is of cohorts gone since it was drawn."""
    choices, key = table.choices, option_key(table, "reference")
    drawn_key = f"cohorts-{key}"
    text = st.session_state.setdefault(key, write_reference(choices.reference))
    before = replace(choices, cohorts=st.session_state.get(drawn_key, choices.cohorts))
    st.session_state[drawn_key] = cohorts
    if before.cohorts != cohorts:
        st.session_state[key] = references_left(text, before, cohorts, table.frame.columns)
