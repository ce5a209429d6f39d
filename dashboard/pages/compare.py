"""Compare: remedies side by side over seeds, and C against what it buys."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditSettings, InputError
from evencover.core.conformal.measures import Task
from evencover.core.experiment.compared_rows import BASE, RemedyComparison
from evencover.core.experiment.comparison import (
    COMPARED_REMEDIES,
    SEEDS,
    PenaltyRow,
    compare,
    penalty_path,
)
from evencover.core.experiment.experiment import Workers
from evencover.core.preparation.column_names import protected_attributes
from evencover.core.preparation.settings import OPTIONS
from evencover.core.remedies.names import DEFAULT, REMEDIES, WRITTEN, asked_for, title_of
from evencover.core.tables.grammar import write_columns

from ..export import comparison as export
from ..export.files import zipped
from ..figures.paths import comparison_figure, path_figure
from ..options import say_the_same
from ..runs.job import Outcome, Snapshot
from ..runs.run import BackgroundRun
from ..runs.server_settings import server_settings
from ..runs.upload import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from ..wording.tables import COMPARED, COMPARED_CHANGES
from .heading import COMPARE, checked_task, heading, need_table, show_choices, subject
from .session import SessionState, session
from .widgets import draw_chart, drawn, follow, offer_file, picked

_FILES: tuple[tuple[str, str, Callable[[RemedyComparison], str | bytes]], ...] = (
    ("JSON", "json", export.comparison_to_json_text),
    ("CSV", "zip", lambda found: zipped(export.comparison_to_csv_texts(found))),
)
_TAKEN = "penalty-taken"  # in the session, until it is told: the C that was taken to Setup


def choose_remedies(table: LoadedTable, remedies: Sequence[str]) -> None:
    """Choose remedies for a table, before the page is drawn."""
    st.session_state[_chosen(table)] = [*remedies]


def _chosen(table: LoadedTable) -> str:
    return f"compared-remedies-{table.token}"


def main() -> None:
    """Draw the page."""
    state = session()
    button = heading(COMPARE)
    show_choices(state)
    if state.table is None:
        show_comparison(state)  # as after a reload
    table = need_table(state)
    st.markdown(page_texts.ABOUT_COMPARISON)
    chosen = choose_models(state, table) or choose_comparison(state, table)
    no = chosen is None or state.draft is None
    is_asked = button.button("Compare", type="primary", width="stretch", disabled=no)
    if is_asked and chosen is not None and state.draft is not None:
        chosen["workers"] = Workers(scheduler=server_settings().scheduler or None)
        work = partial(compare, **chosen, origin=table.origin)
        last = state.comparison
        state.comparison = state.start("comparison", last, work, table, state.draft)
    show_comparison(state)
    st.header(page_texts.CHOOSING_C)
    show_path_choice(state, table)


def choose_models(state: SessionState, table: LoadedTable) -> dict[str, Any] | None:
    """Draw the choice of models of one's own, where there is one; None where none is made."""
    if state.draft is None or state.draft.outputs is None:
        return None
    names, *places = st.columns(3)
    kept: dict[str, Any] = {"persist_state": "session"}
    text = names.text_input(
        page_texts.MODELS_LABEL, key="compared-models", help=page_texts.MODELS_HELP, **kept
    )
    columns = [*map(str, table.frame.columns)]
    words = {
        "model_column": ("selectbox", page_texts.MODEL_COLUMN, page_texts.MODEL_COLUMN_HELP),
        "key": ("multiselect", page_texts.MODEL_KEY, page_texts.MODEL_KEY_HELP),
    }
    chosen: dict[str, Any] = {}
    for place, (field, (widget, label, help_)) in zip(places, words.items(), strict=True):
        key = f"compared-{field}-{table.token}"
        draw = getattr(place, widget)
        chosen[field] = draw(label, columns, None, key=key, help=help_, **kept)
    try:
        chosen["models"] = OPTIONS["drop"].kind.read(text)
    except InputError as error:
        names.error(plain(error.sentence))
        return None
    return chosen if any(chosen.values()) else None


def choose_comparison(state: SessionState, table: LoadedTable) -> dict[str, Any] | None:
    """Draw the choices, and return them; None where they cannot be."""
    names, count = st.columns([4, 1])
    draft = state.draft
    st.session_state.setdefault(_chosen(table), [*COMPARED_REMEDIES])
    remedies = names.multiselect(
        page_texts.REMEDIES_LABEL,
        _offered(table, draft),
        key=_chosen(table),
        help=page_texts.REMEDIES_HELP.format(written=WRITTEN),
        accept_new_options=True,
        persist_state="session",
    )
    is_fixed = draft is not None and draft.fixed_split_column is not None
    seeds = count.number_input(
        page_texts.SEEDS,
        1,
        100,
        SEEDS,
        key="compared-seeds",
        help=page_texts.SEEDS_HELP,
        disabled=is_fixed,
        persist_state="session",
    )
    try:
        asked_for(remedies)
    except InputError as error:
        names.error(plain(error.sentence))
        return None
    return {"remedies": tuple(remedies), "seeds": 1 if is_fixed else int(seeds)}


def _offered(table: LoadedTable, draft: AuditSettings | None) -> list[str]:
    """Return the remedies that need no column, and groups of the columns named or protected."""
    named, spared = ((), ()) if draft is None else (draft.audit_only, draft.not_protected)
    columns = sorted({*named, *protected_attributes(map(str, table.frame.columns), spared)})
    ways = dict.fromkeys([*((column,) for column in columns), tuple(columns)])
    groups = [f"groups:{write_columns(of, '+')}" for of in ways if of]
    task = None if draft is None else checked_task(table, draft)
    whole = [
        name
        for name, remedy in REMEDIES.items()
        if "nothing" in remedy.wants and (task not in get_args(Task) or task in remedy.tasks)
    ]
    return [*whole, *groups]


def show_comparison(state: SessionState) -> None:
    """Draw the session's comparison as it stands."""
    run = state.comparison
    found = result_of(state, run, "comparison")
    if found is None or run is None:
        return
    settings = run.settings
    seeds = ", ".join(map(str, found.seeds))
    st.markdown(f"{subject(run.name, settings, float(found.settings['c']))}; seeds {seeds}")
    if state.draft is not None and not say_the_same(settings, state.draft):
        st.warning(page_texts.COMPARED_OTHERS)
    _show_result(found)


def _show_result(found: RemedyComparison) -> None:
    _show_verdict(found)
    for told in (note for note in found.notes if note.code == "compare.lowest"):
        st.caption(plain(told))
    for refusal in export.refusals(found):
        st.warning(plain(refusal))
    rows = export.mean_rows(found)
    st.dataframe(**drawn(COMPARED, rows, []))
    st.caption(f"In this order: {export.order(found)}.")
    draw_chart(comparison_figure(found), "comparison")
    st.caption(page_texts.ABOUT_FIGURE)
    changes = export.difference_rows(found)
    of_changes, of_groups = map(plain, export.headings(found))
    if changes:
        st.markdown(of_changes)
        st.dataframe(**drawn(COMPARED_CHANGES, changes, []))
    st.markdown("**What each promises**")
    for promise, names in export.promises(rows).items():
        st.markdown(f"- **{plain(', '.join(names))}**: {plain(promise)}")
    spec, groups = export.group_table(found)
    if groups:
        st.markdown(of_groups)
        st.dataframe(**drawn(spec, groups, []))
    with st.expander("Notes"):
        for note in found.notes:
            st.markdown(f"- {plain(note)}")
    for place, (kind, ending, write) in zip(st.columns(2), _FILES, strict=True):
        name, title = f"evencover-comparison.{ending}", f"Download comparison ({kind})"
        offer_file(place, title, partial(write, found), name, f"application/{ending}")


def _show_verdict(found: RemedyComparison) -> None:
    """Draw which remedy is clearly better than the base, and than the default, or that none is."""
    for sentence in found.verdict:
        st.success(plain(sentence))
    said, first = {one.values["against"] for one in found.verdict}, found.remedies[0]
    for against, fewest in ((first, 2), (DEFAULT, 3)):
        if against in found.remedies and against not in said and len(found.remedies) >= fewest:
            name = "the base" if against == BASE else title_of(against)
            st.info(page_texts.NONE_BETTER.format(default=plain(name)))


def show_path_choice(state: SessionState, table: LoadedTable) -> None:
    """Draw the button that tries penalties, and what they came to."""
    draft = state.draft
    if st.button("Try values of C", disabled=draft is None) and draft is not None:
        state.path = state.start("path", state.path, penalty_path, table, draft)
    found = result_of(state, state.path, "path")
    if found is None or state.path is None:
        return
    st.markdown(page_texts.ABOUT_C.format(title=found.title))
    asked = replace(state.path.settings, penalty=None if draft is None else draft.penalty)
    if draft is not None and not say_the_same(asked, draft):
        st.warning(page_texts.COMPARED_OTHERS)
    knee = found.knee
    words = page_texts.NO_KNEE if knee is None else page_texts.KNEE.format(knee=knee)
    st.markdown(f"**{words}**")
    key, points = f"{state.clicks}-penalties", found.of("test")
    draw_chart(
        path_figure(found),
        key,
        selection_mode="points",
        on_select=lambda: take_penalty(state, st.session_state[key], points),
    )
    if knee is not None and st.button(f"Take the knee, C = {knee:g}"):
        _take(state, knee)
        st.rerun()
    if _TAKEN in st.session_state:
        st.success(page_texts.TAKEN.format(penalty=st.session_state.pop(_TAKEN)))


def take_penalty(state: SessionState, event: dict[str, Any], points: Sequence[PenaltyRow]) -> None:
    """Take the C of a click on a point to Setup; the base has none."""
    place = picked(event)
    if place is None:
        return
    state.clicks += 1
    penalty = points[place].penalty
    if penalty is not None:
        _take(state, penalty)


def _take(state: SessionState, penalty: float) -> None:
    if state.draft is not None:
        state.change(replace(state.draft, penalty=penalty))
        st.session_state[_TAKEN] = penalty


def result_of(state: SessionState, run: BackgroundRun[Outcome] | None, key: str) -> Outcome | None:
    """Return what a run came to; until then draw how far it is, or why it came to nothing."""
    if run is None:
        return None
    snapshot = run.job.snapshot()
    if snapshot.is_live:
        follow(state, run, _show, key=f"stop-{key}")
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
    return snapshot.result


def _show(snapshot: Snapshot[Outcome], waiting: str | None, beside: DeltaGenerator) -> None:
    step = snapshot.step
    text, share = "Preparing the table ...", 0.0
    if waiting is not None:
        text = waiting
    elif snapshot.stopping:
        text = "Stopping as soon as this step ends ..."
    elif step is not None:
        text, share = f"Step {step.done} of {step.asked} done: {step.title}", step.done / step.asked
    beside.progress(min(share, 1.0), text=plain(text))
