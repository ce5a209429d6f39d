"""What one session keeps between reruns; nothing of it is shared with another session."""

import uuid
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from evencover.core import AuditSettings
from evencover.core.roles import ColumnProfile
from evencover.sample_data import Sample

from .jobs import Job

_KEY = "evencover"


@dataclass(frozen=True)
class LoadedTable:
    """A table in use, with what is known of its columns.

    Attributes
    ----------
    token
        Part of the widgets' keys, so that a new table gets new defaults.
    sample
        The sample it is, for its defaults; None for an upload.
    """

    name: str
    frame: pd.DataFrame
    profiles: list[ColumnProfile]
    sample: Sample | None = None
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])


@dataclass(frozen=True)
class Run:
    """A job and the settings and table it runs with."""

    job: Job
    settings: AuditSettings
    table: LoadedTable


@dataclass
class SessionState:
    """The session's table and run, and the last upload so that it is parsed once."""

    table: LoadedTable | None = None
    run: Run | None = None
    upload_id: str | None = None
    problem: str | None = None

    def use(self, table: LoadedTable) -> None:
        """Take up a table; a run on another one ends."""
        self.table, self.problem = table, None
        self.end_run()

    def refuse(self, problem: str) -> None:
        """Say why an upload cannot be used; nothing else is left in its place."""
        self.table, self.problem = None, problem
        self.end_run()

    def end_run(self) -> None:
        """Stop and forget the run."""
        if self.run is not None:
            self.run.job.stop()
        self.run = None


def session() -> SessionState:
    """Return this session's state."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = SessionState()
    state: SessionState = st.session_state[_KEY]
    return state
