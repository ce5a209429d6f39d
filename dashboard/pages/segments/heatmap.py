"""Coverage over two variables at once."""

import streamlit as st

from evencover.core import AuditResult
from evencover.core.exploration import coverage_over

from ...figures.heatmap import heat_figure
from ...wording import exploration_texts
from ..filter import parts_by_segment
from ..filtered_result import LookedAt
from ..session import SessionState
from ..shared.clicks import clickable_chart
from .before_or_after import choose_predictor


def show_heat(state: SessionState, look: LookedAt, first: str) -> None:
    """Draw the chart of two variables of one's choice; ``first`` is one of them at first."""
    names = [v.name for v in look.objects.variables if v.kind != "pair" and len(v.columns) <= 1]
    names += [v.name for v in look.objects.variables if v.rule and v.name not in names]
    if len(names) < 2:  # noqa: PLR2004
        return
    st.subheader("Two variables")
    left, right, beside = st.columns(3)
    run = state.run.token if state.run is not None else ""
    first, second = _first_pair(look.result, names, first)
    one = left.selectbox(
        "First variable",
        names,
        index=names.index(first) if first in names else 0,
        key=f"heat-one-{run}",
        persist_state="session",
    )
    others = [name for name in names if name != one]
    other = right.selectbox(
        "Second variable",
        others,
        index=others.index(second) if second in others else 0,
        key=f"heat-other-{run}",
        persist_state="session",
    )
    with beside:
        by = choose_predictor(look.result, "heat")
    others_left, where = look.besides(one, other)
    found = coverage_over(look.objects, one, other, where)
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


def _first_pair(result: AuditResult, names: list[str], first: str) -> tuple[str, str | None]:
    """Return what to begin with: the variables of the surest rule on two or more, if there is one.

    ``first`` is one of the two otherwise.
    """
    for rule in result.worst_found(result.reference):
        known = [name for name in rule.variables if name in names]
        if len(known) > 1:
            return known[0], known[1]
    return first, None
