"""Steps 2 and 3: the label, confidence level and penalty, and the finer choices."""

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditSettings, InputError
from evencover.core.columns import Kind
from evencover.core.measures import MEASURES
from evencover.core.profile import ColumnProfile, profile_columns
from evencover.core.settings import TASKS

from .. import texts
from ..preview import preview
from ..tables import LoadedTable

_PREVIEW_ROWS = 15
_ROW_HEIGHT = 36
_FATE_WIDTH = 640  # else a long sentence is cut off, its advice first
_AUTOMATIC = "automatic"
_AT_RANDOM, _BY_GROUP, _BY_TIME = _SHAPES = ("at random", "by group", "by time")


@dataclass(frozen=True)
class ColumnChoice:
    """The columns' roles as chosen on the page."""

    left_out: list[str]
    audit_only: list[str]
    categorical: list[str]
    numeric: list[str]

    def without(self, column: str | None) -> "ColumnChoice":
        """Return the choice with no role for one column, however it is read."""
        left_out, audit_only = (
            [name for name in role if name != column] for role in (self.left_out, self.audit_only)
        )
        return replace(self, left_out=left_out, audit_only=audit_only)


def choose_label(table: LoadedTable) -> tuple[str, bool]:
    """Draw the choice of the label; return it, and whether to take its logarithm."""
    st.subheader("2. Label")
    columns = [profile.name for profile in table.profiles]
    target = st.selectbox(
        "Column to predict",
        columns,
        index=columns.index(table.choices.target),
        key=f"target-{table.token}",
        help=texts.HELP_LABEL,
    )
    log_target = st.checkbox(
        "Model its logarithm",
        value=table.choices.log_target,
        key=f"log-{table.token}",
        help=texts.HELP_LOG,
    )
    return target, log_target


def choose_columns(table: LoadedTable, target: str) -> ColumnChoice:
    """Draw the choice of the columns' roles, and of how to read them."""
    others = [profile for profile in table.profiles if profile.name != target]
    names = [profile.name for profile in others]
    choices = table.choices
    key = f"{table.token}-{target}"
    left_out_key = f"left-out-{key}"
    # a choice that a callback changes may not have a default as well
    st.session_state.setdefault(left_out_key, [c for c in names if c in _left_out_first(table)])
    left, right = st.columns(2)
    left_out = left.multiselect(
        "Left out",
        names,
        key=left_out_key,
        help=texts.HELP_LEFT_OUT,
    )
    audit_only = right.multiselect(
        "Audit only",
        names,
        default=[c for c in names if c in choices.audit_only],
        key=f"audit-only-{key}",
        help=texts.HELP_AUDIT_ONLY,
    )
    categorical = _choose_reading(
        left, "Codes, not numbers", others, "number", choices.categorical, key, texts.HELP_CODES
    )
    everything = table.profiles  # the label may be numbers, too
    numeric = _choose_reading(
        right, "Numbers, not text", everything, "category", choices.numeric, key, texts.HELP_NUMERIC
    )
    return ColumnChoice(left_out, audit_only, categorical, numeric)


def _choose_reading(
    place: DeltaGenerator,
    title: str,
    profiles: list[ColumnProfile],
    kind: Kind,
    first: tuple[str, ...],
    key: str,
    help_: str,
) -> list[str]:
    """Draw the choice of columns of one kind to be read as another."""
    names = [profile.name for profile in profiles if profile.kind == kind]
    reading_key = f"{kind}-{key}"

    def take_in() -> None:
        # what was left out for how it read is a feature now that it reads otherwise
        left_out, chosen = f"left-out-{key}", st.session_state[reading_key]
        st.session_state[left_out] = [c for c in st.session_state[left_out] if c not in chosen]

    return place.multiselect(
        title,
        names,
        default=[c for c in names if c in first],
        key=reading_key,
        help=help_,
        on_change=take_in,
    )


def _left_out_first(table: LoadedTable) -> set[str]:
    choices = table.choices
    if choices.features is not None:  # they were named, whatever looks useless among them
        return set(choices.drop)
    # a run's choices, found again after a reload, may have given a useless column another reading
    taken_in = {*choices.audit_only, *choices.numeric, *choices.categorical} - {*choices.drop}
    return {*choices.drop, *_useless(table)} - taken_in


def _useless(table: LoadedTable) -> set[str]:
    return {profile.name for profile in table.profiles if profile.role == "left out"}


def show_profiles(table: LoadedTable, settings: AuditSettings) -> None:
    """Draw what becomes of each column under the settings, or why it cannot be read so."""
    try:
        profiles = _profiles_under(settings, table)
    except InputError as error:
        st.warning(texts.plain(str(error)))
        return
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


def _profiles_under(settings: AuditSettings, table: LoadedTable) -> list[ColumnProfile]:
    about_columns = AuditSettings(
        target=settings.target,
        features=settings.features,
        drop=settings.drop,
        audit_only=settings.audit_only,
        categorical=settings.categorical,
        numeric=settings.numeric,
        group=settings.group,
        time=settings.time,
    )
    label = next(profile.name for profile in table.profiles if profile.role == "label")
    if about_columns == AuditSettings(target=label):
        return table.profiles
    return _profiles(table.token, about_columns, table.frame)


@st.cache_data(max_entries=3, scope="session", show_spinner=False)
def _profiles(
    token: str,  # noqa: ARG001 - stands for the frame, which takes long to hash
    settings: AuditSettings,
    _frame: pd.DataFrame,
) -> list[ColumnProfile]:
    return profile_columns(_frame, settings)


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
        measures = [_AUTOMATIC, *MEASURES]
        measure = st.selectbox(
            "Conformity measure",
            measures,
            index=measures.index(choices.measure or _AUTOMATIC),
            key=f"measure-{token}",
            help=texts.HELP_MEASURE,
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
    )
    return _without(columns.left_out, settings, table)


def _without(left_out: list[str], settings: AuditSettings, table: LoadedTable) -> AuditSettings:
    """Name to be left out whatever of it the audit would take in.

    It leaves out a copy of a column only as long as that column is a feature, or the label.
    """
    try:
        features = {p.name for p in _profiles_under(settings, table) if p.role == "feature"}
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
    shape = st.selectbox(
        "Split the rows",
        _SHAPES,
        index=_SHAPES.index(chosen),
        key=f"shape-{token}",
        help=texts.HELP_SHAPE,
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
    times: tuple[Kind, ...] = ("date", "number")
    return profile.kind in times if shape == _BY_TIME else profile.kind != "unsupported"


def _features_and_drop(
    table: LoadedTable, taken: set[str | None], columns: ColumnChoice
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Leave to the audit what it leaves out by itself, so that it can tell its reasons.

    ``taken`` are the label and the column that shapes the split, which play those parts alone.
    """
    guessed = _useless(table) - taken - {*columns.categorical, *columns.numeric}
    unused = {*columns.left_out, *columns.audit_only}
    if guessed <= unused:
        return None, tuple(c for c in columns.left_out if c not in guessed)
    features = [p.name for p in table.profiles if p.name not in unused | taken]
    return tuple(features), tuple(columns.left_out)
