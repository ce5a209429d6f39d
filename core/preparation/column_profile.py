"""What there is to know of each column of a table, and what an audit will make of it."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ..errors import InputError
from ..tables.columns import Column, ColumnKind, check_exists
from ..tables.table import Table, read_as_asked
from .encoding import encoder_for
from .roles import choose_features
from .settings import AuditSettings

Role = Literal["label", "feature", "audit only", "left out"]


@dataclass(frozen=True)
class ColumnProfile:
    """What a person needs to know of a column to judge its role, or to give it another."""

    name: str
    role: Role
    kind: ColumnKind
    """What it is read as."""
    distinct: int
    """Number of different values, missing ones not counted."""
    missing_share: float
    becomes: str
    """How a feature is encoded by all rows with a label (an audit learns it from training rows),
    why a column is left out, or why an audit will refuse it; empty for the others."""


def profile_columns(frame: pd.DataFrame | Table, settings: AuditSettings) -> list[ColumnProfile]:
    """Return the profile of every column of a table, read as the settings say."""
    table, _ = read_as_asked(frame, settings.numeric, settings.categorical)
    check_exists(table.names, settings.target)
    no_label = table[settings.target].missing.all()
    labelled = table if no_label else table.labelled(settings.target)  # by them an audit judges
    features, left_out = choose_features(labelled, settings)
    roles: dict[str, Role] = {settings.target: "label"}
    roles |= dict.fromkeys(settings.audit_only, "audit only")
    roles |= dict.fromkeys(features, "feature")
    profiles = []
    for name in table.names:
        column, kind, role = table[name], labelled[name].kind, roles.get(name, "left out")
        missing = float(column.missing.mean())
        # lists and the like cannot be told apart cheaply
        distinct = column.series.count() if kind == "unsupported" else _distinct(column)
        becomes = left_out.get(name, "not among the features named")
        if role != "left out":
            role, becomes = _becomes(labelled[name], role)
        profiles.append(ColumnProfile(name, role, kind, int(distinct), missing, becomes))
    return profiles


def _distinct(column: Column) -> int:
    is_text = isinstance(column.series.dtype, pd.StringDtype)
    return int((column.series.str.strip() if is_text else column.series).nunique())


def _becomes(column: Column, role: Role) -> tuple[Role, str]:
    """Return the role that is left to a column, and what becomes of it."""
    try:
        if role in ("feature", "audit only") and column.holds == "number":
            column.check_finite()
    except InputError as error:
        return role, str(error)
    if role != "feature":
        return role, ""
    encoder = encoder_for(column)
    return role if encoder.names else "left out", encoder.describe()
