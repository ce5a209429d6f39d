"""Which part each column of a table plays in an audit."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from ..errors import InputError
from ..tables.columns import Column, ColumnKind, check_exists
from ..tables.table import Table, check_not_rounded, names_part, read_as_asked
from .encoding import encoder_for
from .proxies import leak_reasons
from .settings import OPTIONS, AuditSettings
from .unusable_columns import reason_to_leave_out


@dataclass(frozen=True)
class Roles:
    """The columns by role; ``dropped`` holds those that are none of the first, and why.

    ``group`` is the column whose values keep their rows together, if there is one; ``date_parts``
    are columns made of the dates among features and audit-only columns, to divide rows by.
    """

    target: str
    features: tuple[str, ...]
    audit_only: tuple[str, ...]
    dropped: Mapping[str, str]
    group: str | None = None
    date_parts: tuple[str, ...] = ()

    @property
    def rule_columns(self) -> list[str]:
        """Features, those that are combinations of others too, audit-only columns, date parts.

        Rules do not name values of the column that keeps rows together: each is in one half alone.
        """
        return [*self.features, *self.audit_only, *self.date_parts]

    @property
    def segment_columns(self) -> list[str]:
        """The columns to divide by: those of rules, and the one that keeps rows together."""
        return [*self.rule_columns, *filter(None, [self.group])]


def columns_in_use(names: Sequence[str], settings: AuditSettings) -> list[str]:
    """Return those of a table's columns that an audit looks at, so that no others need be read."""
    _check_names(names, settings)
    features = names if settings.features is None else settings.features
    used = {settings.target, *features, *settings.audit_only, *_structural(settings)}
    used = used - {*settings.drop} | {*settings.numeric, *settings.remedy_columns}
    return [name for name in names if name in used]


def unknown_columns(names: Sequence[str], settings: AuditSettings) -> list[str]:
    """Return the columns that settings name, and that neither are there nor may be made of them."""
    absent = [column for column in settings.columns_named() if column not in names]
    return [column for column in absent if not names_part(column, names)]


def assign_roles(table: Table, settings: AuditSettings, unread: Sequence[str] = ()) -> Roles:
    """Return the roles of a table's columns; ``unread`` ones are not in it, having no role.

    Raises :class:`InputError` if a named column does not exist or is given two roles.
    """
    _check_names([*table.names, *unread], settings)
    group = () if settings.group is None else (settings.group,)
    check_not_rounded(table, (*group, *settings.categorical))
    structural = _structural(settings)
    others = {settings.target, *structural, *settings.drop, *settings.audit_only}
    named = table.names if settings.features is None else settings.features
    candidates = [column for column in named if column not in others]
    asked_for = {*settings.categorical, *settings.numeric, *(settings.features or ())}
    leaks = leak_reasons(table, candidates, settings.audit_only)
    safe = [column for column in candidates if column not in leaks]
    useless = leaks | _reasons(table, safe, settings.target, asked_for)
    features = tuple(column for column in candidates if column not in useless)
    dropped = dict.fromkeys(settings.drop, "left out as asked") | structural | useless
    return Roles(settings.target, features, settings.audit_only, dropped, settings.group)


def with_audit_only(settings: AuditSettings, names: Sequence[str]) -> AuditSettings:
    """Return settings by which columns are audit only, unless they have another role already."""
    taken = _with_a_role(settings) | _structural(settings).keys()
    added = tuple(name for name in names if name not in taken)
    return replace(settings, audit_only=(*settings.audit_only, *added))


def _reasons(
    table: Table, columns: list[str], target: str, asked_for: Container[str]
) -> dict[str, str]:
    """Return the columns that are no use as features, and why."""
    reasons: dict[str, str] = {}
    first_with: dict[int, str] = {}
    if table[target].holds != "unsupported":
        first_with[_fingerprint(table[target])] = target
    for column in columns:
        reason = reason_to_leave_out(table[column], asked_for=column in asked_for)
        if reason is None:
            original = first_with.setdefault(_fingerprint(table[column]), column)
            if original != column:
                reason = f"is a copy of {'the label' if original == target else original}"
        if reason is not None:
            reasons[column] = reason
    return reasons


def _fingerprint(column: Column) -> int:
    if pd.api.types.is_numeric_dtype(column.series.dtype):  # 1, 1.0 and True are alike
        return hash(column.numbers.tobytes())
    return hash(pd.util.hash_pandas_object(column.series, index=False).to_numpy().tobytes())


def _structural(settings: AuditSettings) -> dict[str, str]:
    """Return the columns that shape the split or the table, or hold outputs, and how."""
    shaping = {
        settings.split_column: "says the split",
        settings.group: "says which rows stay together",
        settings.time: "says the order in time",
        settings.weight: "says how often a row counts",
    }
    if settings.on not in _with_a_role(settings):
        shaping = {settings.on: "is the key of the second table"} | shaping
    named = {column: reason for column, reason in shaping.items() if column is not None}
    return named | settings.output_columns


def _with_a_role(settings: AuditSettings) -> set[str]:
    named = settings.features or ()
    return {settings.target, *named, *settings.drop, *settings.audit_only}


def _check_names(names: Sequence[str], settings: AuditSettings) -> None:
    given = {
        "the label": (settings.target,),
        "a feature": settings.features or (),
        "left out": settings.drop,
        "audit-only": settings.audit_only,
        "the split column": (settings.split_column,),
        "the group column": (settings.group,),
        "the time column": (settings.time,),
        "the weight": (settings.weight,),
    }
    given |= {OPTIONS[field].name: columns for field, columns in settings.by_output().items()}
    role_of: dict[str, str] = {}
    for role, columns in given.items():
        for column in (column for column in columns if column is not None):
            check_exists(names, column)
            other = role_of.get(column)
            if other is not None:
                sentence = "column '{column}' is given as {other} and as {role}; choose one"
                raise InputError("role.twice", sentence, column=column, other=other, role=role)
            role_of[column] = role
    for column in unknown_columns(names, settings):
        check_exists(names, column)
    for column in settings.remedy_columns:
        role = role_of.get(column, "")
        if role in ("the label", "audit-only"):
            sentence = (
                "column '{column}' is {role}, by which no remedy may divide the rows; choose "
                "another, or give it another role"
            )
            raise InputError("role.of_remedy", sentence, column=column, role=role)
    for column in settings.categorical:
        check_exists(names, column)
        if column in settings.numeric:
            sentence = "column '{column}' is given as categorical and as numeric; choose one"
            raise InputError("role.read_twice", sentence, column=column)
        if column == settings.target:
            sentence = (
                "column '{column}' is the label and given as categorical; use the task "
                "classification to predict it as classes"
            )
            raise InputError("role.categorical_label", sentence, column=column)


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
    assigned = assign_roles(labelled, settings)
    roles: dict[str, Role] = {settings.target: "label"}
    roles |= dict.fromkeys(settings.audit_only, "audit only")
    roles |= dict.fromkeys(assigned.features, "feature")
    profiles = []
    for name in table.names:
        column, kind, role = table[name], labelled[name].kind, roles.get(name, "left out")
        missing = float(column.missing.mean())
        texts = isinstance(column.series.dtype, pd.StringDtype)
        values = column.series.str.strip() if texts else column.series
        # lists and the like cannot be told apart cheaply
        distinct = values.count() if kind == "unsupported" else values.nunique()
        becomes = assigned.dropped.get(name, "not among the features named")
        if role != "left out":
            role, becomes = _becomes(labelled[name], role)
        profiles.append(ColumnProfile(name, role, kind, int(distinct), missing, becomes))
    return profiles


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
