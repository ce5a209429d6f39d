"""Coverage on a map, where the table has latitudes and longitudes."""

import streamlit as st

from evencover.core.exploration import coordinates, coverage_on_map

from ...figures.map import map_figure
from ...wording import exploration_texts
from ..filter import part_on_map
from ..filtered_result import LookedAt
from ..session import SessionState
from ..shared.clicks import clickable_chart
from .before_or_after import choose_predictor


def show_map(state: SessionState, look: LookedAt) -> None:
    """Draw the map of the rows that the filter leaves; nothing without coordinates."""
    columns = coordinates(look.objects)
    if columns is None:
        return
    st.subheader("Map")
    others_left, where = look.besides(*columns)
    found = coverage_on_map(look.objects, where)
    assert found is not None  # noqa: S101 - there are coordinates
    if not found.cells:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    by = choose_predictor(look.result, "map")
    clickable_chart(
        state,
        map_figure(found, by, look.result.settings["cl"]),
        [(part_on_map(found.latitude, found.longitude, cell),) for cell in found.cells],
        key="map",
    )
    n = look.n if where is look.where else len(look.objects.rows) if where is None else where.sum()
    shown = exploration_texts.what_is_shown(others_left.words(), int(n))
    st.caption(f"{shown} {exploration_texts.ABOUT_MAP}")
    if found.beyond:
        st.caption(exploration_texts.BEYOND_MAP.format(n=found.beyond))
