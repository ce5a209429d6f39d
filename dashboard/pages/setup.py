"""Setup: label, CL and C, the columns' roles, and finer choices: the split and the rest."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditSettings, InputError
from evencover.core.messages import Sentence
from evencover.core.preparation.options import COLUMN, COLUMN_LIST, options_of
from evencover.core.preparation.settings import OPTIONS
from evencover.core.report.audit import cohorts_replaced

from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from .filter import Cohorts
from .heading import RUN, SETUP, heading, need_table, penalty_used, problem_with, show_choices
from .named_groups import show_groups
from .option_widget import (
    COLUMN_OPTIONS,
    SPLIT_FIELDS,
    ColumnChoice,
    Complaints,
    choose,
    choose_columns,
    choose_named,
    choose_outputs,
    option_key,
    profiles_under,
    show_hints,
    show_profiles,
    useless_columns,
)
from .session import session
from .widgets import choose_one

_SHAPES = {
    "at random": None,
    "by group": "group",
    "by time": "time",
    "as a column says": "split_column",
}
"""With the option that names the column."""

_FIXED = ("time", "split_column")
"""There is one way only to split so: repeats would all be the same."""

_ELSEWHERE = (
    *("confidence_level", "penalty", "log_target", "model", "cohorts", "looks"),
    *("encoding", "sheet", "header", "missing", "join", "sample", "use_protected"),
)
"""Options that are no finer choice: they stand beside the label, on other pages, or on none."""


def choose_settings(
    table: LoadedTable, cohorts: Cohorts
) -> tuple[AuditSettings | None, list[Sentence]]:
    """Draw the choices, with what becomes of each column.

    Return the settings that they and the cohorts make, None where they make none at all, and why
    these cannot be run, if so.
    """
    complaints = Complaints()
    target, first, penalty_place = _choose_first(table, complaints)
    st.header("Columns")
    hints = st.container()
    columns = choose_columns(table, target)
    columns_place = st.container()
    outputs = choose_outputs(table, target, complaints)
    with st.expander("Finer choices"):
        finer, shapes = _choose_finer(table, target, columns.numeric, cohorts, complaints)
    try:
        joined = {field: getattr(table.choices, field) for field in ("join", "on")}
        about_columns = _about_columns(table, target, columns, shapes | outputs | joined)
        about_columns = replace(about_columns, **{f: finer[f] for f in ("missing_in", "horizon")})
        with columns_place:
            show_profiles(table, about_columns)
        of_columns = {field: getattr(about_columns, field) for field in COLUMN_OPTIONS}
        settings = replace(cohorts_replaced(table.choices, cohorts), **first | finer | of_columns)
    except InputError as error:
        complaints.add(error.sentence)
        return None, complaints.sentences
    with hints:
        show_hints(table, settings)
    problem = problem_with(table, settings)
    if problem is not None:
        complaints.add(problem)
    elif settings.penalty is None and not settings.is_ready_made:
        used = penalty_used(table, settings)
        penalty_place.caption(page_texts.PENALTY_BY_LABEL.format(used))
    return settings, complaints.sentences


def _choose_first(
    table: LoadedTable, complaints: Complaints
) -> tuple[str, dict[str, Any], DeltaGenerator]:
    """Draw the choice of the label, and of options beside it; a place is left below the last."""
    label, level, price = st.columns(3)
    with label:
        target = choose_one(
            "Column to predict",
            [profile.name for profile in table.profiles],
            option_key(table, "target"),
            first=table.choices.target,
            help=OPTIONS["target"].help,
        )
        complaints.open_place("target")
        chosen = {field: choose(table, field, complaints) for field in ("log_target", "model")}
    for place, field in ((level, "confidence_level"), (price, "penalty")):
        with place:
            chosen[field] = choose(table, field, complaints)
    return target, chosen, price.container()


def _about_columns(
    table: LoadedTable, target: str, columns: ColumnChoice, parts: dict[str, Any]
) -> AuditSettings:
    """Return settings that say of each column what is chosen, and nothing else.

    ``parts`` are the options that name columns which play one part alone.
    """
    taken = {
        name
        for field, chosen in parts.items()
        if chosen
        for name in OPTIONS[field].kind.columns(chosen)
    }
    columns = columns.without(taken)
    settings = AuditSettings(
        target=target,
        audit_only=tuple(columns.audit_only),
        not_protected=tuple(columns.not_protected),
        categorical=_in_use(columns.categorical, columns, table.choices.categorical),
        numeric=_in_use(columns.numeric, columns, table.choices.numeric),
        **parts,
    )
    return _with_features(settings, table, {target} | taken, columns)


def _with_features(
    settings: AuditSettings, table: LoadedTable, taken: set[str], columns: ColumnChoice
) -> AuditSettings:
    """Leave to the audit what it leaves out by itself, so that it can say why.

    It leaves out a copy of a column only as long as that column is a feature, or the label.
    ``taken`` are the columns that play one part alone.
    """
    unused, named = {*columns.left_out, *columns.audit_only}, table.choices.features
    every, left_out = [profile.name for profile in table.profiles], columns.left_out
    if named is not None:  # their order is part of the settings; others need no leaving out
        features = (name for name in dict.fromkeys((*named, *every)) if name not in unused | taken)
        spoken_of = (name for name in left_out if name in {*named, *table.choices.drop})
        return replace(settings, features=tuple(features), drop=tuple(spoken_of))
    dropped = {*table.choices.drop, *columns.audit_only}
    while True:
        settings = replace(settings, drop=tuple(name for name in left_out if name in dropped))
        try:
            roles = {p.name: p.role for p in profiles_under(settings, table)}
        except InputError:  # shown with the profiles
            return settings
        taken_in = {name for name in left_out if roles[name] == "feature"}
        if not taken_in:
            break
        dropped = dropped | taken_in
    if any(roles[name] == "left out" for name in useless_columns(table) - unused - taken):
        features = (name for name in every if name not in unused | taken)
        return replace(settings, features=tuple(features), drop=tuple(left_out))
    return settings


def _in_use(read_so: list[str], columns: ColumnChoice, first: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what is no feature anyway, but for what settings that were given read so.

    Their cohorts and pairs may be of it.
    """
    return tuple(c for c in read_so if c not in columns.left_out or c in first)


def _choose_finer(
    table: LoadedTable, target: str, numeric: list[str], cohorts: Cohorts, complaints: Complaints
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw the finer choices; return them by option, those of single columns apart."""
    shaping, column = _choose_shape(table, target, numeric, complaints)
    weight = choose_named(table, "weight", target)
    complaints.open_place("weight")
    settings: dict[str, Any] = {"horizon": choose_named(table, "horizon", target)}
    _fill_in_reference(table, cohorts)
    for field, option in options_of(type(table.choices)).items():
        if field not in _ELSEWHERE and option.kind not in (COLUMN, COLUMN_LIST):
            is_fixed = field == "repeats" and shaping in _FIXED
            value = choose(table, field, complaints, disabled=is_fixed)
            settings[field] = option.default if is_fixed else value
    shapes = {field: column if field == shaping else None for field in _SHAPES.values() if field}
    if shaping == "time":
        shapes["group"] = choose_named(table, "group", target)
    return settings, shapes | {"weight": weight}


def _choose_shape(
    table: LoadedTable, target: str, numeric: list[str], complaints: Complaints
) -> tuple[str | None, str | None]:
    """Draw the choice of how to split; return the option, and the column that it names."""
    given = table.choices
    named = [shape for shape, field in _SHAPES.items() if field and getattr(given, field)]
    shape = choose_one(
        "Split the rows",
        list(_SHAPES),
        option_key(table, "shape"),
        first=named[-1] if named else None,  # time beside a group
        help=page_texts.SHAPE_HELP,
    )
    complaints.open_place(SPLIT_FIELDS)
    shaping = _SHAPES[shape]
    if shaping is None:
        return None, None
    first = getattr(given, shaping)
    kinds = {"date", "number"} if shaping == "time" else {"date", "number", "category"}
    candidates = [
        profile.name
        for profile in table.profiles
        if profile.name != target and (profile.name in {first, *numeric} or profile.kind in kinds)
    ]
    key = f"shape-column-{table.token}-{target}-{shape}"
    column = choose_one("Column to split by", candidates, key, first=first)
    if not candidates:
        sentence = "no column can split the rows {shape}; choose another way to split"
        complaints.add(Sentence("split.no_column", sentence, shape=shape), SPLIT_FIELDS)
    return shaping, column


def _fill_in_reference(table: LoadedTable, cohorts: Cohorts) -> None:
    """Write the text at first; later, take out what is of cohorts gone since it was drawn."""
    choices, key = table.choices, option_key(table, "reference")
    drawn_key = f"cohorts-{key}"
    text = st.session_state.setdefault(key, OPTIONS["reference"].kind.write(choices.reference))
    drawn = st.session_state.get(drawn_key, choices.all_cohorts)
    st.session_state[drawn_key] = cohorts
    if drawn != cohorts:
        before = cohorts_replaced(choices, drawn)
        st.session_state[key] = _references_left(text, before, cohorts, table.frame.columns)


def _references_left(
    text: str, before: AuditSettings, cohorts: Sequence[tuple[str, str]], columns: Iterable[str]
) -> str:
    """Return the lines about groups to compare with that the cohorts there are now leave.

    The text was written for those of ``before``; a column may be called like a cohort's variable.
    """
    kind = OPTIONS["reference"].kind
    try:
        asked = replace(before, reference=kind.read(text))
    except InputError:  # said where the text is read
        return text
    return kind.write(cohorts_replaced(asked, cohorts, columns).reference)


def main() -> None:
    """Draw the page."""
    state = session()
    button = heading(SETUP)
    line, complaint = st.container(), st.container()
    table = need_table(state)
    settings, problems = choose_settings(table, state.cohorts)
    state.draft = None if problems else settings
    state.keep_address()
    for problem in dict.fromkeys(problems):
        complaint.error(plain(problem))
    show_groups(state, table, settings)
    with line:
        show_choices(state)
    if state.draft is not None and button.button("Run", type="primary", width="stretch"):
        state.audit(table, state.draft)
        RUN.open()
