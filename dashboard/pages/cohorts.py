"""Cohorts: those there are, and one built from conditions, from the filter, or as a rule."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import InputError
from evencover.core.exploration.groups import ColumnValues, column_values, group_figures
from evencover.core.segments.binning import INSIDE
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.rules import Between, Bound, Condition, Missing, OneOf

from ..wording import figure_words, page_texts
from ..wording.formatting import plain, predictors
from ..wording.rows import marked, segments
from .filter import LookedAt, part_of
from .session import SessionState

_EPOCH = dt.date(1970, 1, 1).toordinal()
_RULE, _NAME, _PROBLEM = "cohort-rule", "cohort-name", "cohort-problem"


def show_cohorts(state: SessionState, look: LookedAt) -> None:
    """Draw the cohorts, each with a way to look at its rows or remove it, and how to build one."""
    st.header("Cohorts")
    st.markdown(page_texts.ABOUT_COHORTS)
    rows = {one.variable: one for one in segments(look.result) if one.value == INSIDE}
    shown = [variable for variable in look.test_rows.variables if variable.rule]
    asked = look.result.asked
    for cohort, variable in zip(asked.all_cohorts if asked else (), shown, strict=True):
        row = rows[variable.name]
        words, filter_place, remove_place = st.columns([6, 2, 2], vertical_alignment="center")
        words.markdown(
            f"**{plain(marked(variable.name, variable.kind))}**: {plain(variable.rule)}  \n"
            f"{figure_words.coverage_in_words(row, predictors(look.result))}"
        )
        if filter_place.button("Look at it", key=f"look-{variable.name}", width="stretch"):
            state.set_filter(state.filter.adding(part_of(row)))
            st.rerun()
        if remove_place.button("Remove", key=f"remove-{variable.name}", width="stretch"):
            _remove(state, cohort)
    with st.expander("Build a cohort", expanded=False):
        _build_looked_at(state, look)


def list_cohorts(state: SessionState) -> None:
    """Draw the cohorts that the next run will have, each with a way to remove it."""
    looks = () if state.draft is None else state.draft.looks
    for name, rule in state.cohorts:
        words, place = st.columns([6, 2], vertical_alignment="center")
        what = "Look" if (name, rule) in looks else "Cohort"
        words.markdown(f"{what} **{plain(name)}**: {plain(rule)}")
        if place.button("Remove", key=f"remove-{name}", width="stretch"):
            _remove(state, (name, rule))


def _remove(state: SessionState, cohort: tuple[str, str]) -> None:
    state.set_cohorts(tuple(kept for kept in state.cohorts if kept != cohort))
    st.rerun()


def _build_looked_at(state: SessionState, look: LookedAt) -> None:
    """Draw how to build a cohort of the rows of a result."""

    def told(rule: str) -> str:
        figures = group_figures(look.test_rows, parse_rule(rule).holds(look.test_rows.table))
        return figure_words.coverage_in_words(figures, predictors(look.result))

    def add(name: str, rule: str) -> None:
        cohorts = (*state.cohorts, (name, rule))
        LookedAt.of(look.of_run, cohorts, look.filter)  # refuses what does not go with the result
        state.set_cohorts(cohorts)

    def use_filter(place: DeltaGenerator) -> None:
        of_filter = look.filter.as_rule()
        place.button(
            "Use the active filter",
            on_click=_use_rule,
            args=(of_filter,),
            disabled=not of_filter,
            help=page_texts.NOT_AS_A_RULE if look.filter and not of_filter else None,
            width="stretch",
        )

    values = partial(column_values, look.test_rows)
    build_cohort(look.test_rows.table.names, values, told, add, use_filter)


def build_cohort(
    names: Sequence[str],
    values_in: Callable[[str], ColumnValues],
    told: Callable[[str], str],
    add: Callable[[str, str], None],
    beside: Callable[[DeltaGenerator], None] = lambda _: None,
) -> None:
    """Draw the choice of conditions, the rule that comes of them, its rows, and its name.

    ``told`` says what rows a rule holds for, and ``add`` takes up a name and a rule; both raise
    :class:`InputError`. ``beside`` draws into the place beside the button for a condition.
    """
    condition = _choose_condition(names, values_in)
    left, right = st.columns(2)
    left.button(
        "Add condition",
        on_click=_add_to_rule,
        args=(str(condition),),
        disabled=condition is None,
        width="stretch",
    )
    beside(right)
    rule_help = plain(page_texts.RULE_HELP)
    rule = st.text_area("Rule", key=_RULE, help=rule_help, persist_state="session")
    usable = bool(rule.strip())
    if usable:
        try:
            st.caption(f"The rule: {told(rule)}")
        except InputError as error:
            st.warning(plain(str(error)))
            usable = False
    st.text_input("Name of the cohort", key=_NAME, persist_state="session")
    st.button("Add cohort", on_click=_add, args=(add,), disabled=not usable)
    problem = st.session_state.pop(_PROBLEM, None)
    if problem is not None:
        st.error(plain(problem))


def _add_to_rule(condition: str) -> None:
    rule = st.session_state[_RULE].strip()
    _use_rule(f"{rule} and {condition}" if rule else condition)


def _use_rule(rule: str) -> None:
    st.session_state[_RULE] = rule


def _add(add: Callable[[str, str], None]) -> None:
    try:
        add(st.session_state[_NAME].strip(), st.session_state[_RULE].strip())
    except InputError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state[_RULE] = st.session_state[_NAME] = ""


def _choose_condition(
    names: Sequence[str], values_in: Callable[[str], ColumnValues]
) -> Condition | None:
    """Draw the choice; return the condition, None as long as nothing is chosen."""
    left, right = st.columns([1, 2])
    column = left.selectbox("Column", names, key="condition-column")
    values = values_in(column)
    with right:
        missing = values.missing > 0 and st.checkbox(
            f"is missing (in {values.missing:,} rows)", key=f"condition-missing-{column}"
        )
        if missing:
            return Missing(column)
        if values.kind in ("number", "date"):
            return _choose_between(column, values)
        chosen = st.multiselect("Values, any of", values.names, key=f"condition-values-{column}")
        return OneOf(column, tuple(chosen)) if chosen else None


def _choose_between(column: str, values: ColumnValues) -> Between | None:
    ends: list[str | None] = []
    for place, name, end in zip(
        st.columns(2), ("from", "to below"), (values.low, values.high), strict=True
    ):
        key = f"condition-{name}-{column}"
        if values.kind == "number":
            hint = "" if end is None else f"{end:g}"
            number = place.number_input(name, value=None, format="%g", placeholder=hint, key=key)
            if number is not None and float(number).is_integer():
                number = int(number)
            ends.append(None if number is None else repr(number))
        elif values.low is not None and values.high is not None:
            first, last = _day(values.low), _day(values.high + 1.0)
            day = place.date_input(name, None, first, last, key, format="YYYY-MM-DD")
            ends.append(None if day is None else str(day))
    if not any(ends):
        return None
    low, high = ends
    least = None if low is None else Bound(low, included=True)
    return Between(column, least, None if high is None else Bound(high, included=False))


def _day(days: float) -> dt.date:
    """Return days since 1970 as a date; beyond the years 1 to 9999, the nearest of these."""
    ordinal = _EPOCH + math.floor(days)
    return dt.date.fromordinal(min(max(ordinal, 1), dt.date.max.toordinal()))
