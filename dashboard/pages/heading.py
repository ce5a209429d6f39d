"""The pages in their order, and the top of each: what is in use, its heading, and the way on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult, AuditSettings, InputError
from evencover.core.conformal.measures import Task
from evencover.core.messages import Sentence
from evencover.core.preparation.settings import OPTIONS
from evencover.core.report.audit import check

from ..options import level_and_penalty, results_are_for, say_the_same
from ..runs.run import Run
from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain, worded
from .filter import LookedAt
from .session import SessionState, kept_of, session

_POLL_SECONDS = 2.0


@dataclass(frozen=True)
class Page:
    """A page: its title, in the navigation and the address, its module, and its terms."""

    title: str
    module: str
    words: tuple[str, ...] = ()

    def draw(self) -> None:
        """Draw it, by the function ``main`` of its module, which is loaded at the first visit."""
        import_module(f"{__package__}.{self.module}").main()

    def in_navigation(self) -> st.Page:
        """Return it as streamlit knows it, by its address."""
        return st.Page(self.draw, title=self.title, url_path=self.title.lower())

    def open(self) -> None:
        """Go to it; nothing more is drawn here."""
        st.switch_page(self.in_navigation())


DATA = Page("Data", "data", ("coverage", "conformal predictor"))
SETUP = Page("Setup", "setup", ("label", "score", "inefficiency", "objective", "DCV"))
RUN = Page(
    "Run",
    "run",
    ("DCV", "p(x)", "inefficiency", "score", "gamma", "delta", "objective", "log-odds"),
)
FINDINGS = Page("Findings", "findings", ("coverage", "p(x)", "DCV", "floor", "log-odds", "q"))
SEGMENTS = Page("Segments", "segments", ("coverage", "q", "inefficiency", "p(x)"))
COMPARE = Page("Compare", "compare", ("inefficiency", "DCV", "floor", "coverage"))
RUNS = Page("Runs", "runs", ("DCV", "floor", "coverage", "inefficiency"))
EXPORT = Page("Export", "export")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, COMPARE, RUNS, EXPORT)
LEARN = Page("Learn", "learn", tuple(page_texts.GLOSSARY))
PREDICT = Page("Predict", "predict", ("coverage", "label"))
WATCH = Page("Watch", "watch", ("coverage", "label"))
GUIDE = Page("Guide", "guide")
PAGES = (*STEPS, PREDICT, WATCH, LEARN, GUIDE)  # one may do these at any time


def open_page(page: Page, *, follow: bool = True) -> tuple[SessionState, DeltaGenerator]:
    """Draw the top of a page of results; return the session, and the place of the page's button.

    With ``follow`` it looks again while the run works, until it has ended.
    """
    state, button = session(), heading(page)
    _show_status(state, follow=follow)
    return state, button


def heading(page: Page) -> DeltaGenerator:
    """Draw the heading, and return the place beside it: every page's button is there."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.title(page.title)
    with left:
        show_words(page.words)
    return right.container()


def next_step(place: DeltaGenerator, name: str, page: Page, *, is_first: bool = True) -> None:
    """Draw the button that leads to a page; the page may have a more important one."""
    if place.button(name, type="primary" if is_first else "secondary", width="stretch"):
        page.open()


def _lead_back(sentence: str, page: Page) -> NoReturn:
    st.info(plain(sentence))
    next_step(st.columns([1, 2])[0], f"Go to {page.title}", page)
    st.stop()


def need_table(state: SessionState) -> LoadedTable:
    """Return the table in use; without one, say so and draw nothing else."""
    if state.table is not None:
        return state.table
    if state.run is not None:
        _lead_back(page_texts.TABLE_GONE, DATA)
    if state.reading is not None:
        _lead_back(page_texts.STILL_READING, DATA)
    _lead_back(state.problem or page_texts.NO_TABLE, DATA)


def need_run(state: SessionState) -> Run:
    """Return the run; without one, say so and draw nothing else."""
    if state.run is not None:
        return state.run
    need_table(state)
    _lead_back(page_texts.NO_RUN, SETUP)


def need_look(state: SessionState) -> tuple[AuditResult, LookedAt | None]:
    """Return the run's result with the session's cohorts, and the rows that the filter leaves.

    None in place of these once they were let go. Without a result, say so and draw no more.
    """
    snapshot = need_run(state).job.snapshot()
    if snapshot.result is None and snapshot.error is None:
        _lead_back(page_texts.STILL_RUNNING, RUN)
    if snapshot.result is None:
        _lead_back(f"{page_texts.RUN_FAILED} {snapshot.error}", SETUP)
    result, look = state.look(snapshot.result)
    if state.cohort_problem is not None:
        st.warning(f"{page_texts.COHORTS_GIVEN_UP} {plain(state.cohort_problem)}")
        state.cohort_problem = None
    named = tuple((result.settings["cohorts"] | result.settings["looks"]).items())
    if look is None and named != state.cohorts:
        st.warning(page_texts.OTHER_COHORTS)
    return result, look


def show_choices(state: SessionState, first: AuditSettings | None = None) -> None:
    """Draw the table and the settings as chosen, or else first, and whether the run is of them."""
    table, chosen = state.table, state.draft or first
    if table is None or chosen is None:
        return
    if state.run is not None and say_the_same(state.settings_of(state.run), chosen):
        st.caption(_line(state.run))
    else:
        since = "no run yet" if state.run is None else "changed since the last run"
        st.caption(f"{subject(table.name, chosen, penalty_used(table, chosen))} · {since}")


def _show_status(state: SessionState, *, follow: bool) -> None:
    """Draw of what results are shown; say if choices have changed since, or it was cut short."""
    run, table = state.run, state.table
    if run is None:
        show_choices(state, None if table is None else table.choices)
        return
    snapshot = run.job.snapshot()
    was_working = snapshot.is_live

    def draw() -> None:
        if was_working and not run.job.snapshot().is_live:
            st.rerun()  # the whole page, which then shows the results
        st.caption(_line(run))

    st.fragment(draw, run_every=_POLL_SECONDS if was_working and follow else None)()
    notice = results_are_for(state.settings_of(run), state.draft, _penalty_of(run))
    if notice is not None:
        is_usable = state.draft is not None
        advice = page_texts.CHANGED_SINCE if is_usable else page_texts.CHANGED_UNUSABLY
        st.warning(f"{plain(notice)} {advice}")
    if snapshot.result is not None and snapshot.cut_short in page_texts.CUT_SHORT:
        st.warning(page_texts.CUT_SHORT[snapshot.cut_short])
    elif snapshot.result is not None and snapshot.result.stopped:
        st.warning(worded(page_texts.STOPPED, snapshot.result.predictors))
    if table is None:
        st.info(page_texts.TABLE_GONE)


def _line(run: Run) -> str:
    snapshot = run.job.snapshot()
    subject = subject_of(run)
    if snapshot.is_live:
        return f"Running on {subject}"
    if snapshot.error is not None:
        return f"Run on {subject} · failed"
    stopped = snapshot.result is not None and snapshot.result.stopped
    return f"Results for {subject}{' · stopped' if stopped else ''}"


def subject_of(run: Run) -> str:
    """Return the table, label, CL and C that a run is of, as Markdown."""
    return subject(run.name, run.settings, _penalty_of(run))


def _penalty_of(run: Run) -> float | None:
    result = run.job.snapshot().result
    if result is not None:
        return float(result.settings["c"])
    return run.settings.penalty if run.table is None else penalty_used(run.table, run.settings)


def subject(name: str, settings: AuditSettings, penalty: float | None) -> str:
    """Return a table, its label, whose predictions, CL and C, as Markdown."""
    said = settings.outputs
    whose = "" if said is None else f", {said.title} of your own model"
    words = level_and_penalty(settings, penalty)
    return f"{plain(name)}: label {plain(settings.target)}{whose}, {words}"


def show_words(terms: Sequence[str]) -> None:
    """Draw what opens their meanings."""
    if terms:
        with st.popover("Glossary"):
            for term in terms:
                st.markdown(f"**{plain(term)}**: {plain(page_texts.GLOSSARY[term])}")


_UNCHECKED = (
    "confidence_level",
    "penalty",
    "repeats",
    "search",
    "estimator",
    "ifacm_estimator",
    "permutations",
)
"""Options that go together with any table."""


def problem_with(table: LoadedTable, settings: AuditSettings) -> Sentence | None:
    """Return why a run would be refused, if it would be."""
    found = checked_task(table, settings)
    return found if isinstance(found, Sentence) else None


def penalty_used(table: LoadedTable, settings: AuditSettings) -> float | None:
    """Return the C that a run would have; None where it goes by the label and would be refused."""
    if settings.penalty is not None:
        return settings.penalty
    found = checked_task(table, settings)
    return None if isinstance(found, Sentence) else settings.penalty_for(found)


def checked_task(table: LoadedTable, settings: AuditSettings) -> Task | Sentence:
    """Return as what a run would predict the label, or why it would be refused."""
    asked = replace(settings, **{field: OPTIONS[field].default for field in _UNCHECKED})

    def checked() -> Task | Sentence:
        try:
            return check(table.table, asked).label.task
        except InputError as error:  # which would not be kept
            return error.sentence

    found: Task | Sentence = kept_of(table.token, "check", asked, checked)
    return found
