"""What there is to know of each column of a table, and what an audit will make of it."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ..errors import InputError
from ..tables.columns import Kind, check_exists, check_finite, column_kind
from ..tables.text_to_number import with_numbers
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


def profile_columns(frame: pd.DataFrame, settings: AuditSettings) -> list[ColumnProfile]:
    """Return the profile of every column of a table, read as the settings say.

    Raises
    ------
    InputError
        If a column that the settings name does not exist, has two roles, or cannot be read so.
    """
    frame, _ = with_numbers(frame, settings.numeric)
    labelled = _labelled(frame, settings.target)
    features, left_out = choose_features(labelled, settings)
    others: dict[str, Role] = {settings.target: "label"}
    others |= dict.fromkeys(settings.audit_only, "audit only")
    others |= dict.fromkeys(features, "feature")
    return [
        _profile(
            frame[name],
            labelled[name],
            others.get(name, "left out"),
            left_out.get(name, "not among the features named"),
            categorical=name in settings.categorical,
        )
        for name in frame.columns
    ]


def _labelled(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """Return the rows that an audit uses, by which it judges; all if none has a label."""
    check_exists(list(frame.columns), target)
    has_label = frame[target].notna()
    return frame if has_label.all() or not has_label.any() else frame[has_label]


def _profile(
    column: pd.Series, labelled: pd.Series, role: Role, reason: str, *, categorical: bool
) -> ColumnProfile:
    kind: Kind = "category" if categorical else column_kind(labelled)
    return ColumnProfile(
        str(column.name),
        role,
        kind,
        _distinct(column, kind),
        float(column.isna().mean()),
        reason if role == "left out" else _fate(labelled, role, categorical=categorical),
    )


def _fate(column: pd.Series, role: Role, *, categorical: bool) -> str:
    kind = column_kind(column)
    try:
        if role in ("feature", "audit only") and kind == "number":
            check_finite(column)
    except InputError as error:
        return str(error)
    if role != "feature":
        return ""
    if kind == "date" and not categorical:  # slow to parse, and all one how many have a date
        column = column.drop_duplicates()
    return encoder_for(column, categorical=categorical).describe()


def _distinct(column: pd.Series, kind: Kind) -> int:
    if kind == "unsupported":  # lists and the like cannot be told apart cheaply
        return int(column.notna().sum())
    return int(column.nunique())
