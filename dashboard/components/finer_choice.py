"""The finer choices: those that few need, each with a sensible default."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from evencover.core import InputError
from evencover.core.columns import Kind
from evencover.core.measures import MEASURES
from evencover.core.profile import ColumnProfile
from evencover.core.settings import TASKS

from .. import help_texts
from ..looked_at import Cohorts
from ..tables import LoadedTable
from .estimator_choice import choose_estimators
from .named_choice import choose_name
from .search_choice import choose_search
from .segment_choice import choose_segments

_AUTOMATIC = "automatic"
_TIMES: tuple[Kind, ...] = ("date", "number")
_AT_RANDOM, _BY_GROUP, _BY_TIME, _BY_NAME = _SHAPES = (
    *("at random", "by group", "by time"),
    "as a column says",
)
_FIXED = (_BY_TIME, _BY_NAME)
"""There is one way only to split so: repeats would all be the same."""


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
    choices, token = table.choices, table.token
    task = choose_name("Task", TASKS, choices.task, key=f"task-{token}", help_=help_texts.TASK)
    measure = choose_name(
        "Conformity measure",
        [_AUTOMATIC, *MEASURES],
        choices.measure or _AUTOMATIC,
        key=f"measure-{token}",
        help_=help_texts.MEASURE,
    )
    split = st.text_input(
        "Split",
        value=choices.split,
        key=f"split-{token}",
        persist_state="session",
        help=help_texts.SPLIT,
    )
    seed = st.number_input(
        "Seed",
        min_value=0,
        value=choices.seed,
        step=1,
        key=f"seed-{token}",
        persist_state="session",
        help=help_texts.SEED,
    )
    shape, shaping_column = _choose_shape(table, target, numeric)
    repeats = st.number_input(
        "Repeats",
        min_value=1,
        value=choices.repeats,
        step=1,
        key=f"repeats-{token}",
        persist_state="session",
        help=help_texts.REPEATS,
        disabled=shape in _FIXED,
    )
    stratify = st.checkbox(
        "Stratify by class",
        value=choices.stratify,
        key=f"stratify-{token}",
        persist_state="session",
        help=help_texts.STRATIFY,
    )
    settings = {
        "task": task,
        "measure": None if measure == _AUTOMATIC else measure,
        "split": split,
        "seed": seed,
        "group": shaping_column if shape == _BY_GROUP else None,
        "time": shaping_column if shape == _BY_TIME else None,
        "split_column": shaping_column if shape == _BY_NAME else None,
        "repeats": 1 if shape in _FIXED else repeats,
        "stratify": stratify,
        **choose_search(table),
        **choose_estimators(table),
        **choose_segments(table, cohorts),
    }
    return FinerChoice(settings, shaping_column)


def _choose_shape(table: LoadedTable, target: str, numeric: list[str]) -> tuple[str, str | None]:
    """Draw the choice of how to split; return it, and the column it goes by."""
    choices, token = table.choices, table.token
    columns = {_BY_GROUP: choices.group, _BY_TIME: choices.time, _BY_NAME: choices.split_column}
    chosen = next((shape for shape, column in columns.items() if column), _AT_RANDOM)
    shape = choose_name(
        "Split the rows", _SHAPES, chosen, key=f"shape-{token}", help_=help_texts.SHAPE
    )
    if shape == _AT_RANDOM:
        return shape, None
    column = columns[shape]
    candidates = [
        profile.name
        for profile in table.profiles
        if profile.name != target
        and (profile.name in {column, *numeric} or _can_split(profile, shape))
    ]
    column = st.selectbox(
        "Column to split by",
        candidates,
        index=candidates.index(column) if column in candidates else 0,
        key=f"shape-column-{token}-{target}-{shape}",
        persist_state="session",
    )
    if column is None:
        raise InputError(f"no column can split the rows {shape}; choose another way to split")
    return shape, column


def _can_split(profile: ColumnProfile, shape: str) -> bool:
    return profile.kind in _TIMES if shape == _BY_TIME else profile.kind != "unsupported"
