"""A table in use; no streamlit here."""

import uuid
from dataclasses import dataclass, field

import pandas as pd

from evencover.core import AuditSettings
from evencover.core.preparation.roles import ColumnProfile
from evencover.core.tables.fingerprint import Origin
from evencover.core.tables.table import Table


@dataclass(frozen=True)
class LoadedTable:
    """A table in use, with what is known of its columns."""

    name: str
    table: Table
    profiles: list[ColumnProfile]  # by themselves, for the label that choices name
    choices: AuditSettings  # that the page's choices begin with
    source: str  # as the command line names the table: a file's name, or "sample:" and a sample's
    description: str | None = None  # of a sample
    fingerprint: str = ""  # of the uploaded bytes, or of a sample's rows
    # part of the widgets' keys, so that a new table gets new defaults
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return Origin(self.source, self.fingerprint)

    @property
    def frame(self) -> pd.DataFrame:
        """Its rows."""
        return self.table.frame

    def size_in_bytes(self) -> int:
        """Return the room the values take, give or take the texts in them."""
        return int(self.frame.memory_usage().sum())
