"""The choice of the label, of the columns' roles, and of those that hold a model's outputs."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import InputError
from evencover.core.preparation.options import COLUMN
from evencover.core.preparation.output_ways import OUTPUT_FIELDS
from evencover.core.preparation.roles import ColumnProfile, Role
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.columns import ColumnKind

from ..runs.loaded_table import LoadedTable
from ..wording import page_texts
from .column_profiles import profiles_under
from .option_widget import OUTPUTS_FIELDS, Complaints, option_key
from .widgets import choose_one

_ROLES = ("drop", "audit_only", "categorical", "numeric")


_ABREAST = 3


@dataclass(frozen=True)
class ColumnChoice:
    """The columns' roles as chosen on the page."""

    left_out: list[str]
    audit_only: list[str]
    categorical: list[str]
    numeric: list[str]

    def without(self, taken: Collection[str]) -> "ColumnChoice":
        """Return the choice with no role for some columns, however they are read."""
        left_out = [name for name in self.left_out if name not in taken]
        audit_only = [name for name in self.audit_only if name not in taken]
        return replace(self, left_out=left_out, audit_only=audit_only)


def choose_label(table: LoadedTable) -> str:
    """Draw the choice of the label, and return it."""
    columns = [profile.name for profile in table.profiles]
    first, help_ = table.choices.target, OPTIONS["target"].help
    key = option_key(table, "target")
    return choose_one("Column to predict", columns, key, first=first, help=help_)


def choose_columns(table: LoadedTable, target: str) -> ColumnChoice:
    """Draw the choice of the columns' roles, and of how to read them."""
    others = [profile for profile in table.profiles if profile.name != target]
    names = [profile.name for profile in others]
    keys = {field: column_key(table, target, field) for field in _ROLES}
    left, right = st.columns(2)

    def choose(place: DeltaGenerator, field: str, names: list[str], **more: Any) -> list[str]:  # noqa: ANN401
        first = _left_out_first(table) if field == "drop" else getattr(table.choices, field)
        # no default beside it, as the page may change the state by itself
        st.session_state.setdefault(keys[field], [c for c in dict.fromkeys(first) if c in names])
        about = {"help": OPTIONS[field].help, "key": keys[field], "persist_state": "session"}
        return place.multiselect(OPTIONS[field].title, names, **about | more)

    def choose_reading(
        place: DeltaGenerator, field: str, kind: ColumnKind, profiles: list[ColumnProfile]
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
        choose(left, "drop", names, help=page_texts.LEFT_OUT_HELP),
        choose(right, "audit_only", names),
        choose_reading(left, "categorical", "number", others),
        choose_reading(right, "numeric", "category", table.profiles),  # the label may be, too
    )


def column_key(table: LoadedTable, target: str, field: str) -> str:
    """Return the key of the widget of an option that names columns other than the label."""
    return f"{option_key(table, field)}-{target}"


def choose_named(table: LoadedTable, field: str, key: str, names: list[str]) -> Any:  # noqa: ANN401
    """Draw the choice of the column, or columns, that an option names, and return it."""
    option, first = OPTIONS[field], getattr(table.choices, field)
    common: dict[str, Any] = {"key": key, "help": option.help, "persist_state": "session"}
    # no default beside it, as the page may change the state by itself
    if option.kind is COLUMN:
        st.session_state.setdefault(key, first if first in names else None)
        return st.selectbox(option.title, names, index=None, placeholder="none", **common)
    st.session_state.setdefault(key, [name for name in first if name in names])
    return tuple(st.multiselect(option.title, names, **common))


def first_roles(table: LoadedTable) -> dict[str, Role]:
    """Return every column's role under the choices that Setup begins with.

    What an audit leaves out by itself depends on the choices: a copy of a column that is left out
    is a feature.
    """
    choices = table.choices
    try:
        return {profile.name: profile.role for profile in profiles_under(choices, table)}
    except InputError:  # shown with the profiles
        roles: dict[str, Role] = {profile.name: profile.role for profile in table.profiles}
        roles |= dict.fromkeys((*choices.numeric, *choices.categorical), "feature")
        return roles | dict.fromkeys(choices.audit_only, "audit only")


def _left_out_first(table: LoadedTable) -> list[str]:
    """Return the columns left out; those that the choices name come first, as they name them."""
    choices = table.choices
    shaping = {choices.group, choices.time, choices.split_column, choices.weight, choices.on}
    shaping |= choices.output_columns.keys()
    if choices.features is not None:  # they were named, whatever looks useless among them
        kept = {choices.target, *choices.features, *choices.audit_only} | shaping
        others = [profile.name for profile in table.profiles if profile.name not in kept]
    else:
        useless, roles = useless_columns(table), first_roles(table)
        left_out = (name for name, role in roles.items() if role == "left out")
        others = [name for name in left_out if name not in shaping or name in useless]
    return list(dict.fromkeys((*choices.drop, *others)))


def useless_columns(table: LoadedTable) -> set[str]:
    """Return the columns that an audit leaves out by itself."""
    return {profile.name for profile in table.profiles if profile.role == "left out"}


def choose_outputs(table: LoadedTable, target: str, complaints: Complaints) -> dict[str, Any]:
    """Draw the choice, folded away where nothing is chosen, and return it by option."""
    names = [profile.name for profile in table.profiles if profile.name != target]
    given = any(getattr(table.choices, field) for field in OUTPUT_FIELDS)
    with st.expander(page_texts.OUTPUTS, expanded=given):
        st.markdown(page_texts.ABOUT_OUTPUTS)
        complaints.open_place(OUTPUTS_FIELDS)
        columns = st.columns(_ABREAST)
        chosen = {}
        for place, field in enumerate(OUTPUT_FIELDS):
            with columns[place % _ABREAST]:
                key = column_key(table, target, field)
                chosen[field] = choose_named(table, field, key, names)
    return chosen
