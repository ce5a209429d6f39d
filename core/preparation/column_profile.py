"""What there is to know of each column of a table, and what an audit will make of it."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ..errors import InputError
from ..tables.columns import Column, Kind, check_exists
from ..tables.table import Table
from ..tables.text_to_number import read_as_asked
from .encoding import encoder_for
from .roles import choose_features
from .settings import AuditSettings

Role = Literal["label", "feature", "audit only", "left out"]


@dataclass(frozen=True)
class ColumnProfile:
    """What a person needs to know of a column to judge its role, or to give it another.

    Attributes
    ----------
    kind
        What it is read as.
    distinct
        Number of different values, missing ones not counted.
    missing_share
        Share of rows without a value, between 0 and 1.
    fate
        How a feature is encoded, as far as the rows with a label tell (an audit learns it from
        the training rows alone), why a column is left out, or why an audit will refuse it; empty
        for the others.
    """

    name: str
    role: Role
    kind: Kind
    distinct: int
    missing_share: float
    fate: str


def profile_columns(frame: pd.DataFrame | Table, settings: AuditSettings) -> list[ColumnProfile]:
    """Return the profile of every column of a table, read as the settings say.

    Raises :class:`InputError` if a column that the settings name does not exist, has two roles, or
    cannot be read so.
    """
    table, _ = read_as_asked(frame, settings.numeric, settings.categorical)
    check_exists(table.names, settings.target)
    # by the rows with a label an audit judges; all if none has one
    labelled = (
        table.labelled(settings.target) if not table[settings.target].missing.all() else table
    )
    features, left_out = choose_features(labelled, settings)
    others: dict[str, Role] = {settings.target: "label"}
    others |= dict.fromkeys(settings.audit_only, "audit only")
    others |= dict.fromkeys(features, "feature")
    return [
        _profile(
            table[name],
            labelled[name],
            others.get(name, "left out"),
            left_out.get(name, "not among the features named"),
        )
        for name in table.names
    ]


def _profile(column: Column, labelled: Column, role: Role, reason: str) -> ColumnProfile:
    return ColumnProfile(
        column.name,
        role,
        labelled.kind,
        _distinct(column, labelled.kind),
        float(column.missing.mean()),
        reason if role == "left out" else _fate(labelled, role),
    )


def _fate(column: Column, role: Role) -> str:
    try:
        if role in ("feature", "audit only") and column.holds == "number":
            column.check_finite()
    except InputError as error:
        return str(error)
    if role != "feature":
        return ""
    if column.kind == "date":  # slow to parse, and all one how many have a date
        column = Column(column.series.drop_duplicates(), column.holds)
    return encoder_for(column).describe()


def _distinct(column: Column, kind: Kind) -> int:
    if kind == "unsupported":  # lists and the like cannot be told apart cheaply
        return int(column.series.notna().sum())
    return int(column.series.nunique())
