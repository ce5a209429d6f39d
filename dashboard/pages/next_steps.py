"""What now: each step in a line, with the button that does it, and whom it leaves where."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from evencover.core import AuditResult, AuditSettings, InputError
from evencover.core.preparation.hints import changed
from evencover.core.report.in_short import Step, fates, steps
from evencover.core.segments.by_segment import SegmentRow

from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from ..wording.rows import segments
from .compare import choose_remedies
from .filter import LookedAt, part_of
from .heading import COMPARE, EXPORT, RUN, SEGMENTS, SETUP, problem_with
from .segments import TAB
from .session import SessionState


def show_steps(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw them in a box; below the first what becomes of the groups that are too low."""
    with st.container(border=True, key="advice", gap="small"):
        for place, step in enumerate(steps(result)):
            line, button = st.columns([5, 2], vertical_alignment="center")
            start = "**What now?** " if place == 0 else ""
            line.markdown(start + plain(step.sentence))
            do = _doing(state, step, look)
            how: dict[str, Any] = {"key": f"step-{step.kind}", "width": "stretch"}
            how["type"] = "secondary" if place else "primary"
            if do is not None and button.button(page_texts.STEPS[step.kind], **how):
                do()
            if place == 0 and (told := fates(result)):
                st.markdown("\n".join(f"- {plain(each)}" for each in told))


def _doing(state: SessionState, step: Step, look: LookedAt | None) -> Callable[[], None] | None:
    """Return what the button of a step does; None where nothing here can."""
    plainly: dict[str, Callable[[], None]] = {
        **dict.fromkeys(("use", "keep"), EXPORT.open),
        "compare": partial(_compare, state, step),
    }
    if step.kind in plainly:
        return plainly[step.kind]
    if step.changes is not None:
        return _running(state, step)
    if look is None or step.who is None:
        return None
    if step.kind == "more-rows-of" and isinstance(step.who, SegmentRow):
        return partial(_look_at, state, look, step.who)
    if step.kind == "name-group" and step.who.group[0] not in dict(state.cohorts):
        return partial(_name, state, step.who.group[0])
    return None


def _running(state: SessionState, step: Step) -> Callable[[], None] | None:
    """Return what runs the audit with the changes; None where they cannot be, or rows are gone."""
    run = state.run
    if run is None or run.table is None or state.table is None or step.changes is None:
        return None
    with suppress(InputError):  # beside what else is chosen, the change may not be possible
        return partial(_run, state, state.table, changed(run.settings, step.changes))
    return None


def _run(state: SessionState, table: LoadedTable, settings: AuditSettings) -> None:
    state.change(settings)
    if problem_with(table, settings) is not None:
        SETUP.open()  # which says what it is
    state.audit(table, settings)
    RUN.open()


def _compare(state: SessionState, step: Step) -> None:
    if state.table is not None:
        choose_remedies(state.table, (step.changes or {})["remedies"])
    COMPARE.open()


def _look_at(state: SessionState, look: LookedAt, group: SegmentRow) -> None:
    shown = next(one for one in segments(look.result) if one.first.group == group.group)
    state.set_filter(state.filter.adding(part_of(shown)))
    st.session_state[TAB] = "Rows"
    SEGMENTS.open()


def _name(state: SessionState, rule: str) -> None:
    state.set_cohorts((*state.cohorts, (rule, rule)))
    st.session_state[TAB] = "Groups"
    SEGMENTS.open()
