"""What a page needs that is not there yet: it says so, and leads to where it can be had."""

from typing import NoReturn

import streamlit as st

from evencover.core import AuditResult

from ...runs.loaded_table import LoadedTable
from ...runs.run import Run
from ...wording import exploration_texts, page_texts
from ...wording.formatting import plain
from ..filtered_result import LookedAt
from ..session import SessionState
from ..steps import DATA, RUN, SETUP, Step
from .heading import next_step


def _lead_back(sentence: str, step: Step) -> NoReturn:
    st.info(plain(sentence))
    next_step(st.columns([1, 2])[0], f"Go to {step.title}", step)
    st.stop()


def need_table(state: SessionState) -> LoadedTable:
    """Return the table in use; without one, say so and draw nothing else."""
    if state.table is not None:
        return state.table
    if state.run is not None:
        _lead_back(page_texts.TABLE_GONE, DATA)
    _lead_back(state.problem or page_texts.NO_TABLE, DATA)


def need_run(state: SessionState) -> Run:
    """Return the run; without one, say so and draw nothing else."""
    if state.run is not None:
        return state.run
    need_table(state)
    _lead_back(page_texts.NO_RUN, SETUP)


def need_result(state: SessionState) -> AuditResult:
    """Return the run's result with the session's cohorts; without one, say so and draw no more."""
    return need_look(state)[0]


def need_look(state: SessionState) -> tuple[AuditResult, LookedAt | None]:
    """Return the same, and the rows that the filter leaves; None once the rows were let go."""
    snapshot = need_run(state).job.snapshot()
    if snapshot.result is not None:
        look = state.look(snapshot.result)
        if state.cohort_problem is not None:
            st.warning(f"{exploration_texts.COHORTS_GIVEN_UP} {plain(state.cohort_problem)}")
            state.cohort_problem = None
        if look is not None:
            return look.result, look
        kept = state.without_rows(snapshot.result)
        if tuple(kept.settings["cohorts"].items()) != state.cohorts:
            st.warning(exploration_texts.OTHER_COHORTS)
        return kept, None
    if snapshot.error is not None:
        _lead_back(f"{page_texts.RUN_FAILED} {snapshot.error}", SETUP)
    _lead_back(page_texts.STILL_RUNNING, RUN)
