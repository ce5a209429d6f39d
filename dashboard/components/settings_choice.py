"""Steps 2 and 3: the label, confidence level and penalty, and the finer choices."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from evencover.core import AuditSettings
from evencover.core.measures import MEASURES
from evencover.core.settings import TASKS

from .. import texts
from ..tables import LoadedTable

_AUTOMATIC = "automatic"
_AT_RANDOM, _BY_GROUP, _BY_TIME = _SHAPES = ("at random", "by group", "by time")


@dataclass(frozen=True)
class ColumnChoice:
    """The columns' roles as chosen on the page."""

    left_out: list[str]
    audit_only: list[str]
    categorical: list[str]

    def without(self, column: str | None) -> "ColumnChoice":
        """Return the choice for all columns but one."""
        roles = (self.left_out, self.audit_only, self.categorical)
        return ColumnChoice(*([name for name in role if name != column] for role in roles))


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
    """Draw the columns' profiles and the choice of their roles."""
    others = [profile.name for profile in table.profiles if profile.name != target]
    choices = table.choices
    left_out_first = _left_out_first(table)
    key = f"{table.token}-{target}"
    left, middle, right = st.columns(3)
    left_out = left.multiselect(
        "Left out",
        others,
        default=[c for c in others if c in left_out_first],
        key=f"left-out-{key}",
        help=texts.HELP_LEFT_OUT,
    )
    audit_only = middle.multiselect(
        "Audit only",
        others,
        default=[c for c in others if c in choices.audit_only],
        key=f"audit-only-{key}",
        help=texts.HELP_AUDIT_ONLY,
    )
    numbers = [p.name for p in table.profiles if p.kind == "number" and p.name != target]
    categorical = right.multiselect(
        "Codes, not numbers",
        numbers,
        default=[c for c in numbers if c in choices.categorical],
        key=f"codes-{key}",
        help=texts.HELP_CATEGORICAL,
    )
    return ColumnChoice(left_out, audit_only, categorical)


def _left_out_first(table: LoadedTable) -> set[str]:
    choices = table.choices
    if choices.features is not None:  # they were named, whatever looks useless among them
        return set(choices.drop)
    useless = {profile.name for profile in table.profiles if profile.reason is not None}
    return {*choices.drop, *useless} - {*choices.audit_only}


def show_profiles(table: LoadedTable) -> None:
    """Draw what there is to know of each column."""
    st.dataframe(
        pd.DataFrame(
            {
                "column": profile.name,
                "kind": profile.kind,
                "distinct values": profile.distinct,
                "missing": profile.missing_share,
                "left out because it": profile.reason or "",
            }
            for profile in table.profiles
        ),
        hide_index=True,
        width="stretch",
        height=260,
        column_config={"missing": st.column_config.NumberColumn(format="percent")},
    )


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
        shape, shaping_column = _choose_shape(table, target)
        repeats = st.number_input(
            "Repeats",
            min_value=1,
            value=choices.repeats,
            step=1,
            key=f"repeats-{token}",
            help=texts.HELP_REPEATS,
        )
        stratify = st.checkbox(
            "Stratify by class",
            value=choices.stratify,
            key=f"stratify-{token}",
            help=texts.HELP_STRATIFY,
        )
    columns = columns.without(shaping_column)
    features, drop = _features_and_drop(table, {target, shaping_column}, columns)
    return AuditSettings(
        target=target,
        task=task,
        confidence_level=confidence_level,
        penalty=penalty,
        measure=None if measure == _AUTOMATIC else measure,
        features=features,
        drop=drop,
        audit_only=tuple(columns.audit_only),
        categorical=tuple(c for c in columns.categorical if c not in columns.left_out),
        log_target=log_target,
        split=split,
        stratify=stratify,
        group=shaping_column if shape == _BY_GROUP else None,
        time=shaping_column if shape == _BY_TIME else None,
        repeats=repeats,
        seed=seed,
    )


def _choose_shape(table: LoadedTable, target: str) -> tuple[str, str | None]:
    """Draw the choice of how to split; return it, and the column it goes by."""
    columns = [profile.name for profile in table.profiles if profile.name != target]
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
    column = st.selectbox(
        "Column to split by",
        columns,
        index=columns.index(column) if column in columns else 0,
        key=f"shape-column-{token}-{target}",
    )
    return shape, column


def _features_and_drop(
    table: LoadedTable, taken: set[str | None], columns: ColumnChoice
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Leave to the audit what it leaves out by itself, so that it can tell its reasons.

    ``taken`` are the label and the column that shapes the split, which play those parts alone.
    """
    guessed = {p.name for p in table.profiles if p.reason is not None} - taken
    unused = {*columns.left_out, *columns.audit_only}
    if guessed <= unused:
        return None, tuple(c for c in columns.left_out if c not in guessed)
    features = [p.name for p in table.profiles if p.name not in unused | taken]
    return tuple(features), tuple(columns.left_out)
