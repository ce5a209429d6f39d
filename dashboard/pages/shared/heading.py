"""A page's heading, with the one button that leads on."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..steps import Step


def heading(step: Step) -> DeltaGenerator:
    """Draw the heading, and return the place beside it: every page's button is there."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.title(step.title)
    return right.container()


def next_step(place: DeltaGenerator, name: str, step: Step) -> None:
    """Draw the button that leads to a step."""
    if place.button(name, type="primary", width="stretch"):
        st.switch_page(step.file)
