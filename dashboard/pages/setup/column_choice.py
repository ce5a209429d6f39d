"""The choice of the label, and of the columns' roles."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.columns import Kind

from ...runs.loaded_table import LoadedTable
from ...wording import help_texts
from .default_roles import left_out_first
from .option_widget import option_key

_ROLES = ("drop", "audit_only", "categorical", "numeric")


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


def choose_label(table: LoadedTable) -> str:
    """Draw the choice of the label, and return it."""
    columns = [profile.name for profile in table.profiles]
    return st.selectbox(
        "Column to predict",
        columns,
        index=columns.index(table.choices.target),
        key=option_key(table, "target"),
        persist_state="session",
        help=OPTIONS["target"].help,
    )


def choose_columns(table: LoadedTable, target: str) -> ColumnChoice:
    """Draw the choice of the columns' roles, and of how to read them."""
    others = [profile for profile in table.profiles if profile.name != target]
    names = [profile.name for profile in others]
    keys = {field: column_key(table, target, field) for field in _ROLES}
    left, right = st.columns(2)

    def choose(place: DeltaGenerator, field: str, names: list[str], **more: Any) -> list[str]:  # noqa: ANN401
        first = left_out_first(table) if field == "drop" else getattr(table.choices, field)
        # no default beside it, as the page may change the state by itself
        st.session_state.setdefault(keys[field], [c for c in dict.fromkeys(first) if c in names])
        about = {"help": OPTIONS[field].help, "key": keys[field], "persist_state": "session"}
        return place.multiselect(OPTIONS[field].title, names, **about | more)

    def choose_reading(
        place: DeltaGenerator, field: str, kind: Kind, profiles: list[ColumnProfile]
    ) -> list[str]:
        # those that are read so at first may be of any kind: settings given may name them
        first = getattr(table.choices, field)
        names = [p.name for p in profiles if p.kind == kind or p.name in first]

        def take_in() -> None:
            # what was left out for how it read is a feature now that it reads otherwise
            chosen = {*st.session_state[keys[field]]} - {*first}
            left_out = st.session_state[keys["drop"]]
            st.session_state[keys["drop"]] = [c for c in left_out if c not in chosen]

        return choose(place, field, names, on_change=take_in)

    return ColumnChoice(
        choose(left, "drop", names, help=help_texts.LEFT_OUT),
        choose(right, "audit_only", names),
        choose_reading(left, "categorical", "number", others),
        choose_reading(right, "numeric", "category", table.profiles),  # the label may be, too
    )


def column_key(table: LoadedTable, target: str, field: str) -> str:
    """Return the key of the choice of columns for an option."""
    return f"{option_key(table, field)}-{target}"
