"""A table in use; no streamlit here."""

import uuid
from dataclasses import dataclass, field

import pandas as pd

from evencover.core import AuditSettings
from evencover.core.preparation.column_profile import ColumnProfile


@dataclass(frozen=True)
class LoadedTable:
    """A table in use, with what is known of its columns.

    Attributes
    ----------
    profiles
        Of the columns as they look by themselves, for the label that ``choices`` names.
    choices
        The settings that the page's choices begin with.
    source
        As the command line names the table: ``sample:`` and a sample's name, or the file's name.
    description
        What a sample is about; None for an upload.
    fingerprint
        Of the uploaded bytes, or of a sample's rows.
    token
        Part of the widgets' keys, so that a new table gets new defaults.
    """

    name: str
    frame: pd.DataFrame
    profiles: list[ColumnProfile]
    choices: AuditSettings
    source: str
    description: str | None = None
    fingerprint: str | None = None
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    def size_in_bytes(self) -> int:
        """Return the room the values take, give or take the texts in them."""
        return int(self.frame.memory_usage().sum())
