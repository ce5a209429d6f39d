"""A hint, before the run, that a feature may be a protected attribute."""

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.sensitive import protected_attribute

from ...runs.loaded_table import LoadedTable
from ...wording import page_texts
from ...wording.formatting import plain
from ..data.column_profiles import profiles_under
from .column_choice import column_key


def show_protected_hint(table: LoadedTable, settings: AuditSettings) -> None:
    """Draw the hint, and a button that makes these features audit only."""
    try:
        profiles = profiles_under(settings, table)
    except InputError:  # told where the profiles are shown
        return
    found = [
        profile.name
        for profile in profiles
        if profile.role == "feature" and protected_attribute(profile.name) is not None
    ]
    if not found:
        return

    def keep_audit_only() -> None:
        key = column_key(table, settings.target, "audit_only")
        st.session_state[key] = [*st.session_state[key], *found]

    told, button = st.columns([3, 1], vertical_alignment="center")
    told.markdown(page_texts.PROTECTED_HINT.format(", ".join(map(plain, found))))
    button.button("Make audit only", on_click=keep_audit_only, width="stretch")
