"""Coverage in cells: over two variables at once, and on a map where there are coordinates."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from evencover.core import AuditResult
from evencover.core.exploration import coordinates, coverage_on_map, coverage_over

from ...figures import heat_figure, map_figure
from ...wording import exploration_texts
from ...wording.predictors import Predictor, predictors
from ...wording.rows import marked
from ..filter import LookedAt, part_on_map, parts_by_segment
from ..session import SessionState
from ..shared.clicks import clickable_chart
from ..shared.widgets import choose_one


def show_heat(state: SessionState, look: LookedAt, first: str) -> None:
    """Draw the chart of two variables of one's choice; ``first`` is one of them at first."""
    names = [v.name for v in look.test_rows.variables if v.kind != "pair" and len(v.columns) <= 1]
    names += [v.name for v in look.test_rows.variables if v.rule and v.name not in names]
    if len(names) < 2:  # noqa: PLR2004
        return
    st.subheader("Two variables")
    left, right, beside = st.columns(3)
    run = state.run.token if state.run is not None else ""
    first, second = _first_pair(look.result, names, first)
    kinds = {v.name: v.kind for v in look.test_rows.variables}
    choose = partial(choose_one, format_func=lambda name: marked(name, kinds[name]))
    one = choose("First variable", names, f"heat-one-{run}", first=first, place=left)
    others = [name for name in names if name != one]
    other = choose("Second variable", others, f"heat-other-{run}", first=second, place=right)
    with beside:
        by = _choose_predictor(look.result, "heat")
    others_left, where = look.besides(one, other)
    found = coverage_over(look.test_rows, one, other, where)
    if not found.cells:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    parts = parts_by_segment(look.result)
    clickable_chart(
        state,
        heat_figure(found, by, look.result.settings["cl"]),
        [(parts[found.one, cell.one], parts[found.other, cell.other]) for cell in found.cells],
        key="heat",
    )
    shown = exploration_texts.what_is_shown(others_left.words(), sum(c.n for c in found.cells))
    st.caption(f"{shown} {exploration_texts.ABOUT_HEAT}")


def _first_pair(result: AuditResult, names: Sequence[str], first: str) -> tuple[str, str | None]:
    """Return the variables of the surest rule on two or more, if there is one; else ``first``."""
    for rule in result.rules_too_low(result.reference):
        known = [name for name in rule.variables if name in names]
        if len(known) > 1:
            return known[0], known[1]
    return first, None


def show_map(state: SessionState, look: LookedAt) -> None:
    """Draw the map of the rows that the filter leaves; nothing without coordinates."""
    columns = coordinates(look.test_rows)
    if columns is None:
        return
    st.subheader("Map")
    others_left, where = look.besides(*columns)
    found = coverage_on_map(look.test_rows, where)
    assert found is not None  # noqa: S101 - there are coordinates
    if not found.cells:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    by = _choose_predictor(look.result, "map")
    clickable_chart(
        state,
        map_figure(found, by, look.result.settings["cl"]),
        [(part_on_map(found.latitude, found.longitude, cell),) for cell in found.cells],
        key="map",
    )
    n = len(look.test_rows.rows) if where is None else int(where.sum())
    shown = exploration_texts.what_is_shown(others_left.words(), n)
    st.caption(f"{shown} {exploration_texts.ABOUT_MAP}")
    if found.beyond:
        st.caption(exploration_texts.BEYOND_MAP.format(n=found.beyond))


def _choose_predictor(result: AuditResult, key: str) -> Predictor:
    given = predictors(result)
    if len(given) == 1:
        return given[0]
    return st.radio(
        "Coverage",
        given,
        format_func=lambda by: by.when,
        horizontal=True,
        key=f"when-{key}",
        persist_state="session",
    )
