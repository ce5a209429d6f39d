"""Whether another remedy does clearly better on the same table, where a comparison tells."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings
from evencover.core.remedies.names import NONE

from ...options.differences import say_the_same
from ...wording.formatting import plain
from ..session import SessionState


def show_better(state: SessionState) -> None:
    """Draw what the session's comparison says, if it is of the table and settings shown."""
    run, comparison = state.run, state.comparison
    result = None if run is None else run.job.snapshot().result
    found = None if comparison is None else comparison.job.snapshot().result
    if run is None or comparison is None or result is None or found is None:
        return
    same = say_the_same(_but_for_remedies(run.settings), _but_for_remedies(comparison.settings))
    if same and found.fingerprint == result.data.fingerprint:
        for sentence in found.verdict:
            st.info(plain(sentence))


def _but_for_remedies(settings: AuditSettings) -> AuditSettings:
    return replace(settings, remedies=(NONE,), seed=0, repeats=1)
