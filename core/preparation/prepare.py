"""From a table to the three sets of encoded examples, and what had to be said on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray
from ..conformal.measures import Task
from ..errors import InputError
from ..tables.columns import check_finite, column_kind
from ..tables.text_to_number import with_numbers
from .collinearity import independent_columns
from .encoding import TableEncoder
from .roles import Roles, assign_roles
from .sensitive import sensitive_notes
from .settings import AuditSettings
from .split import Split, group_split, random_split, split_from_column, split_sizes, time_split
from .target import ClassLabel, LabelCoding, class_label, detect_task, numeric_label

_NAMED = 5

FEWEST_ROWS = 30
"""Below this an audit by segments has nothing to say."""

_STRATA_NOTE = (
    "The split is stratified by class, which breaks the exact exchangeability of calibration and "
    "test rows on which the coverage guarantee rests."
)
_GROUP_NOTE = (
    "All rows of one value of '{}' are in one set: figures are those for values not seen in "
    "training. Rows of one value are not independent, so coverage varies more from split to split "
    "than it does for independent rows; p-values, q-values and intervals take rows for "
    "independent, and are too sure where those of one value are alike."
)
_TIME_NOTE = (
    "Rows are split by '{}', the latest for test: the coverage guarantee, which needs exchangeable "
    "rows, holds only as far as the process does not change with time."
)


@dataclass(frozen=True)
class Examples:
    """Encoded examples of one set: X of shape (n, d), y of shape (n,)."""

    rows: IndexArray
    X: FloatArray
    y: NDArray[Any]

    @cached_property
    def independent_columns(self) -> list[int]:
        """Columns of X that are not constant or combinations of others in these rows."""
        return independent_columns(self.X)


@dataclass(frozen=True)
class PreparedData:
    """A table made ready: encoder and label coding learned on training rows, and three sets."""

    frame: pd.DataFrame
    """The rows with a label; the sets' ``rows`` are positions in it."""
    rows_without_label: int
    roles: Roles
    encoder: TableEncoder
    label: LabelCoding
    train: Examples
    calibration: Examples
    test: Examples
    notes: tuple[str, ...]


def prepare(
    table: pd.DataFrame, settings: AuditSettings, unread: Sequence[str] = ()
) -> PreparedData:
    """Make a table, of which the columns ``unread`` were not read, ready for an audit.

    Raises
    ------
    InputError
        If table and settings do not go together; the message says why and what to do.
    """
    table = table.reset_index(drop=True).rename(columns=str)
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise InputError(f"the table has two columns called '{twice}'; rename one")
    table, numeric_notes = with_numbers(table, settings.numeric)
    frame, roles = _labelled(table, settings, unread)
    for column in (*roles.features, *roles.audit_only):
        if column_kind(frame[column]) == "number":
            check_finite(frame[column])
    task = detect_task(frame[roles.target]) if settings.task == "auto" else settings.task
    settings.check_task(task)
    split, strata_note = _split(frame, settings)
    label = _label(frame[roles.target], task, split, settings)
    encoder = TableEncoder(list(roles.features), roles.categorical)
    encoder.fit(frame.iloc[split.train])
    train, calibration, test = (
        Examples(rows, encoder.transform(frame.iloc[rows]), label.y[rows]) for rows in split.parts
    )
    notes = [
        *numeric_notes,
        *_row_notes(len(table), frame, split),
        *strata_note,
        *_label_notes(label, split, settings),
        *_unseen_notes(encoder, frame, split),
        *sensitive_notes(frame.iloc[split.train], encoder.columns_, roles.audit_only),
    ]
    without_label = len(table) - len(frame)
    return PreparedData(
        frame, without_label, roles, encoder, label, train, calibration, test, tuple(notes)
    )


def _labelled(
    table: pd.DataFrame, settings: AuditSettings, unread: Sequence[str]
) -> tuple[pd.DataFrame, Roles]:
    """Return the rows that have a label, and the columns' roles judged on them."""
    if settings.target in table.columns:
        frame = table[table[settings.target].notna()]
        if column_kind(frame[settings.target]) in ("date", "unsupported"):
            raise InputError(
                f"label '{settings.target}' holds neither numbers nor classes; choose another"
            )
        if frame.empty:
            raise InputError(f"label '{settings.target}' is missing in every row")
        if len(frame) < FEWEST_ROWS:
            raise InputError(
                f"only {len(frame)} rows have a label '{settings.target}'; an audit needs at "
                f"least {FEWEST_ROWS}"
            )
    else:
        frame = table  # assign_roles tells of the missing column
    return frame, assign_roles(frame, settings, unread)


def _split(frame: pd.DataFrame, settings: AuditSettings) -> tuple[Split, tuple[str, ...]]:
    if settings.split_column is not None:
        return split_from_column(frame[settings.split_column]), ()
    sizes = split_sizes(settings.split, len(frame))
    if settings.group is not None:
        split = group_split(sizes, frame[settings.group], settings.seed)
        return split, (_GROUP_NOTE.format(settings.group),)
    if settings.time is not None:
        return time_split(sizes, frame[settings.time]), (_TIME_NOTE.format(settings.time),)
    if not settings.stratify:
        return random_split(sizes, len(frame), settings.seed), ()
    strata = class_label(frame[settings.target]).y
    return random_split(sizes, len(frame), settings.seed, strata), (_STRATA_NOTE,)


def _label(label: pd.Series, task: Task, split: Split, settings: AuditSettings) -> LabelCoding:
    if task == "regression":
        return numeric_label(label, split.train, logarithmic=settings.log_target)
    return class_label(label)


def _row_notes(n_table: int, frame: pd.DataFrame, split: Split) -> list[str]:
    notes = []
    if len(frame) < n_table:
        notes.append(f"Rows without a label, left out: {n_table - len(frame)}.")
    unused = len(frame) - sum(len(rows) for rows in split.parts)
    if unused:
        notes.append(f"Rows beyond the split's counts, not used: {unused}.")
    return notes


def _label_notes(label: LabelCoding, split: Split, settings: AuditSettings) -> list[str]:
    if not isinstance(label, ClassLabel):
        return []
    notes = []
    if settings.task == "auto":
        notes.append(
            f"Label '{settings.target}' is taken for {len(label.classes)} classes; choose the "
            "task regression if it is a number to predict."
        )
    consequences = {
        "training": "each in a label set only when every label is",
        "calibration": "whose coverage is not calibrated for",
    }
    for (part, consequence), rows in zip(consequences.items(), split.parts, strict=False):
        present = set(label.y[rows].tolist())
        absent = [f"'{name}'" for code, name in enumerate(label.classes) if code not in present]
        if absent:
            named = ", ".join(absent[:_NAMED]) + (", ..." if len(absent) > _NAMED else "")
            notes.append(f"Classes without {part} rows ({len(absent)}), {consequence}: {named}.")
    return notes


def _unseen_notes(encoder: TableEncoder, frame: pd.DataFrame, split: Split) -> list[str]:
    return [
        f"Values of '{column}' in {part} rows that training rows do not have: {count}; treated as "
        "rare, as the most frequent value or, for a missing number, as the mean."
        for part, rows in (("calibration", split.calibration), ("test", split.test))
        for column, count in encoder.unseen(frame.iloc[rows]).items()
    ]
