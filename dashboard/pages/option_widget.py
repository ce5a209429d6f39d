"""The widgets of options, made of what their table says; what becomes of the columns they name."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditSettings, InputError
from evencover.core.messages import Sentence
from evencover.core.preparation import options
from evencover.core.preparation.column_names import protected_attributes
from evencover.core.preparation.hint import Hint
from evencover.core.preparation.hints import changed, hints_before
from evencover.core.preparation.roles import ColumnProfile, columns_with_a_role, profile_columns
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.columns import ColumnKind

from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from ..wording.tables import preview
from .session import kept_of, session
from .widgets import written

COLUMN_OPTIONS = tuple(
    n for n, option in OPTIONS.items() if option.kind in (options.COLUMN, options.COLUMN_LIST)
)
"""Options whose values are columns' names."""

SPLIT_FIELDS = "shape"  # the field of how to split the rows
_OUTPUTS_FIELDS = "outputs"  # the fields of what a user's own model said
_FIELDS = {
    "label": "target",
    **dict.fromkeys(("split_column", "group", "time"), SPLIT_FIELDS),
    **dict.fromkeys(("probabilities", "sets"), _OUTPUTS_FIELDS),
}
"""Of sentences by the first word of their codes, where that is no field's name."""

_LOOKED_AT = (
    *("target", "task", "features", "drop", "audit_only", "categorical", "numeric", "log_target"),
    *("confidence_level", "group", "time", "split_column", "stratify", "weight", "missing_in"),
    *("not_protected", *options.OUTPUT_FIELDS),
)
"""Options on which hints depend."""

_AUTOMATIC = "automatic"
_ROLES = ("drop", "audit_only", "categorical", "numeric", "not_protected")
_ABREAST = 3
_PREVIEW_ROWS, _ROW_HEIGHT = 15, 36
_REASON_WIDTH = 640  # else a long sentence is cut off, its advice first


@dataclass
class Complaints:
    """The sentences, in their order, and the places beside the fields."""

    sentences: list[Sentence] = field(default_factory=list)
    _places: dict[str, DeltaGenerator] = field(default_factory=dict)

    def open_place(self, about: str) -> None:
        """Keep a place here for what is to be said of a field."""
        self._places[about] = st.container()

    def add(self, sentence: Sentence, about: str | None = None) -> None:
        """Say why a field, or what the sentence's code is about, is unusable."""
        self.sentences.append(sentence)
        subject = sentence.code.partition(".")[0]
        place = self._places.get(about or _FIELDS.get(subject, subject))
        if place is not None:
            place.caption(f":red[{plain(sentence)}]")


def choose(
    table: LoadedTable, field: str, complaints: Complaints, *, disabled: bool = False
) -> Any:  # noqa: ANN401
    """Draw the widget of an option that names no columns, and return the value chosen.

    One that is unusable whatever the table is complained about; in its place is the first choice.
    """
    option = options.options_of(type(table.choices))[field]
    try:
        value = _drawn(option, table, disabled=disabled)
        option.check(value)
    except InputError as error:
        complaints.open_place(field)
        complaints.add(error.sentence, field)
        return getattr(table.choices, field)
    complaints.open_place(field)
    return value


def _drawn(option: options.Option, table: LoadedTable, *, disabled: bool) -> Any:  # noqa: ANN401
    key, first = option_key(table, option.field), getattr(table.choices, option.field)
    drawn = partial(_widget, option, key, disabled=disabled)
    if option.kind is options.FLAG:
        return drawn(st.checkbox, first)
    if option.kind is options.WHOLE:
        return drawn(st.number_input, first, option.least, step=int(option.step))
    if option.kind in (options.NUMBER, options.NUMBER_BY_LABEL):
        by_label = option.kind is options.NUMBER_BY_LABEL
        placeholder = page_texts.BY_LABEL if by_label else _AUTOMATIC
        more = {"value": None, "placeholder": placeholder} if option.default is None else {}
        number = None if first is None else float(first)
        return drawn(st.number_input, number, step=option.step, format="%g", **more)
    if option.allowed:
        automatic = [_AUTOMATIC] if option.default is None else []
        name = drawn(st.selectbox, first or _AUTOMATIC, [*automatic, *option.allowed])
        return None if name == _AUTOMATIC else name
    is_brief = option.kind in (options.TEXT, options.PAIRS, options.REMEDY_LIST)
    draw = st.text_input if is_brief else st.text_area
    text = drawn(draw, option.kind.write(first), placeholder=option.kind.example)
    return option.kind.read(text)


def _widget(option: options.Option, key: str, draw: Any, first: Any, *of: Any, **more: Any) -> Any:  # noqa: ANN401
    # no default beside it, as the page may change the state by itself
    st.session_state.setdefault(key, first)
    common = {"key": key, "help": option.help, "persist_state": "session"}
    return draw(option.title, *of, **common | more)


def option_key(table: LoadedTable, field: str, *target: str) -> str:
    """Return the key of an option's widget, of one for this ``target`` alone if that is given."""
    return "-".join((field, table.token, *target))


@dataclass(frozen=True)
class ColumnChoice:
    """The columns' roles as chosen on the page."""

    left_out: list[str]
    audit_only: list[str]
    categorical: list[str]
    numeric: list[str]
    not_protected: list[str]

    def without(self, taken: Collection[str]) -> "ColumnChoice":
        """Return the choice with no role for some columns, however they are read."""
        left_out = [name for name in self.left_out if name not in taken]
        audit_only = [name for name in self.audit_only if name not in taken]
        return replace(self, left_out=left_out, audit_only=audit_only)


def choose_columns(table: LoadedTable, target: str) -> ColumnChoice:
    """Draw the choice of the columns' roles, and of how to read them."""
    others = [profile for profile in table.profiles if profile.name != target]
    names = [profile.name for profile in others]
    said = {*protected_attributes(names), *table.choices.not_protected}
    perhaps = [name for name in names if name in said]
    keys = {field: option_key(table, field, target) for field in _ROLES}
    left, right = st.columns(2)

    def choose(place: DeltaGenerator, field: str, names: list[str], **more: Any) -> list[str]:  # noqa: ANN401
        first = _left_out_first(table) if field == "drop" else getattr(table.choices, field)
        chosen = [c for c in dict.fromkeys(first) if c in names]
        named: list[str] = _widget(
            OPTIONS[field], keys[field], place.multiselect, chosen, names, **more
        )
        return named

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
        choose(left, "not_protected", perhaps) if perhaps else [],
    )


def choose_named(table: LoadedTable, field: str, target: str) -> Any:  # noqa: ANN401
    """Draw the choice of the column, or columns, that an option names, and return it."""
    option, first = OPTIONS[field], getattr(table.choices, field)
    names = [profile.name for profile in table.profiles if profile.name != target]
    drawn = partial(_widget, option, option_key(table, field, target))
    if option.kind is options.COLUMN:
        chosen = first if first in names else None
        return drawn(st.selectbox, chosen, names, index=None, placeholder="none")
    return tuple(drawn(st.multiselect, [name for name in first if name in names], names))


def choose_outputs(table: LoadedTable, target: str, complaints: Complaints) -> dict[str, Any]:
    """Draw the choice, folded away where nothing is chosen, and return it by option."""
    given = any(getattr(table.choices, field) for field in options.OUTPUT_FIELDS)
    with st.expander(page_texts.OUTPUTS, expanded=given):
        st.markdown(page_texts.ABOUT_OUTPUTS)
        complaints.open_place(_OUTPUTS_FIELDS)
        columns, chosen = st.columns(_ABREAST), {}
        for place, field in enumerate(options.OUTPUT_FIELDS):
            with columns[place % _ABREAST]:
                chosen[field] = choose_named(table, field, target)
    return chosen


def _left_out_first(table: LoadedTable) -> list[str]:
    """Return the columns left out; those that the choices name come first, as they name them.

    What an audit leaves out by itself depends on the choices: a copy of a column that is left out
    is a feature.
    """
    choices, taken = table.choices, columns_with_a_role(table.choices)
    if choices.features is not None:  # they were named, whatever looks useless among them
        others = [profile.name for profile in table.profiles if profile.name not in taken]
        return list(dict.fromkeys((*choices.drop, *others)))
    useless = useless_columns(table)
    try:
        left_out = [p.name for p in profiles_under(choices, table) if p.role == "left out"]
    except InputError:  # shown with the profiles
        otherwise = {*choices.numeric, *choices.categorical, *choices.audit_only}
        left_out = [p.name for p in table.profiles if p.name in useless - otherwise]
    others = [name for name in left_out if name not in taken or name in useless]
    return list(dict.fromkeys((*choices.drop, *others)))


def useless_columns(table: LoadedTable) -> set[str]:
    """Return the columns that an audit leaves out by itself."""
    return {profile.name for profile in table.profiles if profile.role == "left out"}


def show_hints(table: LoadedTable, settings: AuditSettings) -> None:
    """Say what may be chosen otherwise, each with the button that chooses it."""
    for number, hint in enumerate(_hints(table, settings)):
        key = f"hint-{number}-{table.token}"
        place, new = _offered(hint, settings, key)
        if new is not None:
            name, do = page_texts.FIXES[hint.kind], session().change
            place.button(name, key=key, on_click=do, args=(new,), width="stretch")


def outputs_taken(table: LoadedTable) -> bool:
    """Draw what looks like a model's own outputs; take these up, and say so, where it is asked."""
    is_taken = False
    for number, hint in enumerate(_hints(table, table.choices)):
        if hint.kind == "outputs":
            key = f"outputs-{number}-{table.token}"
            place, new = _offered(hint, table.choices, key)
            if new is not None and place.button(page_texts.FIXES[hint.kind], key, width="stretch"):
                session().change(new)
                is_taken = True
    return is_taken


def _hints(table: LoadedTable, settings: AuditSettings) -> list[Hint]:
    looked_at = AuditSettings(**{field: getattr(settings, field) for field in _LOOKED_AT})
    try:
        profiles = profiles_under(settings, table)
        found: list[Hint] = kept_of(
            table.token, "hints", looked_at, lambda: hints_before(table.table, looked_at, profiles)
        )
    except InputError:  # shown with the profiles
        return []
    return found


def _offered(
    hint: Hint, settings: AuditSettings, key: str
) -> tuple[DeltaGenerator, AuditSettings | None]:
    """Draw a hint's sentence; return the place of its button, and the settings it makes, if any."""
    line, place = st.columns([3, 1], vertical_alignment="center")
    line.markdown(plain(hint.sentence))
    changes = _ticked(hint, line, key) if hint.kind == "protected" else hint.changes
    with suppress(InputError):  # beside what else is chosen, the change may not be possible
        return place, None if changes is None else changed(settings, changes)
    return place, None


def _ticked(hint: Hint, place: DeltaGenerator, key: str) -> dict[str, tuple[str, ...]]:
    """Draw a tick for each column; return the change by which no others are protected."""
    with place.container(horizontal=True):
        ticked = tuple(
            c for c in hint.columns if st.checkbox(f"{plain(c)} is protected", True, f"{key}-{c}")
        )
    return {
        "audit_only": ticked,
        "not_protected": tuple(c for c in hint.columns if c not in ticked),
    }


def show_profiles(table: LoadedTable, settings: AuditSettings) -> None:
    """Draw what becomes of each column under the settings, or why it cannot be read so."""
    try:
        profiles = profiles_under(settings, table)
    except InputError as error:
        st.warning(plain(str(error)))
        return
    reasons = st.column_config.TextColumn(width=_REASON_WIDTH)
    st.dataframe(
        written(preview(profiles), {"distinct": "count", "missing": "percent"}),
        hide_index=True,
        width="stretch",
        height=min(_PREVIEW_ROWS, len(profiles) + 1) * _ROW_HEIGHT,
        column_config={"what becomes of it": reasons},
    )


def profiles_under(settings: AuditSettings, table: LoadedTable) -> list[ColumnProfile]:
    """Return what becomes of each column; refuse one that cannot be read as asked for."""
    said = {name: getattr(settings, name) for name in (*COLUMN_OPTIONS, "join", "missing_in")}
    about_columns = AuditSettings(**said)
    label = next(profile.name for profile in table.profiles if profile.role == "label")
    if about_columns == AuditSettings(target=label):
        return table.profiles
    found: list[ColumnProfile] = kept_of(
        table.token, "profiles", about_columns, lambda: profile_columns(table.table, about_columns)
    )
    return found
