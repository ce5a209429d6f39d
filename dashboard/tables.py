"""A table in use; no streamlit here."""

import uuid
from dataclasses import dataclass, field

import pandas as pd

from evencover.core import AuditSettings
from evencover.core.profile import ColumnProfile


@dataclass(frozen=True)
class LoadedTable:
    """A table in use, with what is known of its columns.

    Attributes
    ----------
    profiles
        Of the columns as they look by themselves, for the label that ``choices`` names.
    choices
        The settings that the page's choices begin with.
    description
        What a sample is about; None for an upload.
    sample
        Name of a sample; None for an upload.
    fingerprint
        Of the uploaded bytes, or of a sample's rows.
    token
        Part of the widgets' keys, so that a new table gets new defaults.
    """

    name: str
    frame: pd.DataFrame
    profiles: list[ColumnProfile]
    choices: AuditSettings
    description: str | None = None
    sample: str | None = None
    fingerprint: str | None = None
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def source(self) -> str:
        """The table as the command line names it."""
        return self.name if self.sample is None else f"sample:{self.sample}"

    def size_in_bytes(self) -> int:
        """Return the room the values take, give or take the texts in them."""
        return int(self.frame.memory_usage().sum())
