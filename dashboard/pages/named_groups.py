"""The groups that Setup names before a run, cohorts and pairs of columns."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.exploration.groups import values_of
from evencover.core.preparation.settings import OPTIONS
from evencover.core.report.audit import cohorts_replaced
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.table import Table, read_as_asked

from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from .cohorts import build_cohort, list_cohorts
from .heading import problem_with
from .option_widget import option_key, profiles_under
from .session import SessionState


def show_groups(state: SessionState, table: LoadedTable, settings: AuditSettings | None) -> None:
    """Draw the cohorts and pairs of the next run, and how to add to them."""
    with st.container():  # one place however many: else the fold below would close
        list_cohorts(state)
    if settings is None:
        return
    try:
        profiles = profiles_under(settings, table)
        read, _ = read_as_asked(table.table, *settings.readings)
    except InputError:  # said beside the choices
        return
    names = [profile.name for profile in profiles if profile.role != "left out"]
    with st.expander("Groups to judge"):
        st.markdown(page_texts.NAMED_TOO_LATE if _is_seen(state) else page_texts.ABOUT_NAMED)
        _build_cohort(state, table, settings, read, names)
        _build_pair(option_key(table, "pairs"), settings.pairs, names)


def _is_seen(state: SessionState) -> bool:
    """Say whether results of these rows may have been seen, if only of a run's first layers."""
    return state.run is not None and state.run.job.snapshot().error is None


def _build_cohort(
    state: SessionState, table: LoadedTable, settings: AuditSettings, read: Table, names: list[str]
) -> None:
    def told(rule: str) -> str:
        return page_texts.ROWS_OF_RULE.format(parse_rule(rule).holds(read).sum(), len(read))

    def add(name: str, rule: str) -> None:
        cohorts = (*settings.cohorts, (name, rule))
        problem = problem_with(table, replace(settings, cohorts=cohorts))
        if problem not in (None, problem_with(table, settings)):
            raise InputError(problem.code, "{problem}", problem=problem)
        if not _is_seen(state):
            choices = cohorts_replaced(table.choices, state.cohorts, table.table.names)
            choices = replace(choices, cohorts=cohorts)
            state.table = replace(table, choices=choices)
        state.set_cohorts((*cohorts, *settings.looks))

    build_cohort(names, lambda name: values_of(read[name], read[name].kind), told, add)


def _build_pair(key: str, pairs: tuple[tuple[str, str], ...], names: list[str]) -> None:
    """Draw the choice of two columns, which go into the field of the finer choices."""
    left, right, place = st.columns([3, 3, 2], vertical_alignment="bottom")
    one = left.selectbox("Column of a pair", names, index=None, key=f"one-{key}")
    known = {one, *(b if a == one else a for a, b in pairs if one in (a, b))}
    others = [name for name in names if name not in known]
    other = right.selectbox("Column it meets", others, index=None, key=f"other-{key}")
    args, is_half = (key, (*pairs, (one, other))), None in (one, other)
    place.button("Add pair", on_click=_write, args=args, disabled=is_half, width="stretch")
    if pairs:
        st.caption(page_texts.PAIRS_NAMED.format(plain(OPTIONS["pairs"].kind.write(pairs))))


def _write(key: str, pairs: tuple[tuple[str, str], ...]) -> None:
    st.session_state[key] = OPTIONS["pairs"].kind.write(pairs)
