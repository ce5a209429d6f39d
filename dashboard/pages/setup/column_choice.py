"""The choice of the label, and of the columns' roles."""

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.preparation.options import Option
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.columns import Kind

from ...runs.loaded_table import LoadedTable
from ...wording import help_texts
from .default_roles import left_out_first
from .option_widget import choose


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
    columns = [profile.name for profile in table.profiles]
    target = st.selectbox(
        "Column to predict",
        columns,
        index=columns.index(table.choices.target),
        key=f"target-{table.token}",
        persist_state="session",
        help=OPTIONS["target"].help,
    )
    return target, choose(table, "log_target")


def choose_columns(table: LoadedTable, target: str) -> ColumnChoice:
    """Draw the choice of the columns' roles, and of how to read them."""
    others = [profile for profile in table.profiles if profile.name != target]
    names = [profile.name for profile in others]
    choices = table.choices
    key = f"{table.token}-{target}"
    left_out_key, hidden_key = f"left-out-{key}", audit_only_key(table, target)
    # a choice that a callback changes may not have a default as well
    st.session_state.setdefault(left_out_key, [c for c in left_out_first(table) if c in names])
    st.session_state.setdefault(hidden_key, [c for c in choices.audit_only if c in names])
    left, right = st.columns(2)
    left_out = left.multiselect(
        OPTIONS["drop"].title,
        names,
        key=left_out_key,
        persist_state="session",
        help=help_texts.LEFT_OUT,
    )
    audit_only = right.multiselect(
        OPTIONS["audit_only"].title,
        names,
        key=hidden_key,
        persist_state="session",
        help=OPTIONS["audit_only"].help,
    )
    categorical = _choose_reading(
        left, OPTIONS["categorical"], others, "number", choices.categorical, key
    )
    # the label may be numbers, too
    numeric = _choose_reading(
        right, OPTIONS["numeric"], table.profiles, "category", choices.numeric, key
    )
    return ColumnChoice(left_out, audit_only, categorical, numeric)


def audit_only_key(table: LoadedTable, target: str) -> str:
    """Return the key of the choice of the columns that are audit only."""
    return f"audit-only-{table.token}-{target}"


def _choose_reading(
    place: DeltaGenerator,
    option: Option,
    profiles: list[ColumnProfile],
    kind: Kind,
    first: tuple[str, ...],
    key: str,
) -> list[str]:
    """Draw the choice of columns of one kind to be read as another.

    Those that are read so at ``first`` may be of any kind: settings that were given may name them.
    """
    names = [profile.name for profile in profiles if profile.kind == kind or profile.name in first]
    reading_key = f"{kind}-{key}"

    def take_in() -> None:
        # what was left out for how it read is a feature now that it reads otherwise
        left_out, chosen = f"left-out-{key}", {*st.session_state[reading_key]} - {*first}
        st.session_state[left_out] = [c for c in st.session_state[left_out] if c not in chosen]

    return place.multiselect(
        option.title,
        names,
        default=list(dict.fromkeys(c for c in first if c in names)),
        key=reading_key,
        persist_state="session",
        help=option.help,
        on_change=take_in,
    )
