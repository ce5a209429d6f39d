"""From a table to the three sets of encoded examples, and what had to be said on the way."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..conformal.examples import Examples
from ..errors import InputError
from ..messages import Names, Sentence
from ..tables.columns import Column
from ..tables.table import Table, read_as_asked
from .dependence import Clusters, clusters_of
from .encoding import TableEncoder
from .hints import Hint, find_hints
from .roles import Roles, assign_roles
from .settings import AuditSettings
from .split import Split, group_split, random_split, split_from_column, split_sizes, time_split
from .target import ClassLabel, LabelCoding, as_numeric, class_label, detect_task, numeric_label

_NAMED = 5

FEWEST_ROWS = 30
"""Below this an audit by segments has nothing to say."""

_STRATA_NOTE = Sentence(
    "split.stratified",
    "The split is stratified by class, which breaks the exact exchangeability of calibration and "
    "test rows on which the coverage guarantee rests.",
)
_GROUP_NOTE = (
    "All rows of one value of '{column}' are in one set: figures are those for values not seen in "
    "training. Rows of one value may be alike, so that coverage varies more from split to split "
    "than it does for independent rows; tests and bands count whole values for that."
)
_TIME_NOTE = (
    "Rows are split by '{column}', the latest for test: the coverage guarantee, which needs "
    "exchangeable rows, holds only as far as the process does not change with time. Rows near each "
    "other in time may be alike: tests and bands count whole stretches of time for that."
)
_UNSEEN_NOTE = (
    "Values of '{column}' that training rows do not have: {count}, in {calibration} calibration "
    "and {test} test rows; treated as {taken_for}."
)
_MISSING_NOTE = (
    "'{column}' is missing in {calibration} calibration and {test} test rows, but in no training "
    "row; treated as {taken_for}."
)


@dataclass(frozen=True)
class Plan:
    """What an audit will be of, all of it checked, but nothing encoded."""

    table: Table
    """The rows with a label, that of a regression as numbers; the split's rows are positions."""
    rows_without_label: int
    roles: Roles
    label: LabelCoding
    split: Split
    encoder: TableEncoder
    """With its columns fitted, but not the matrix."""
    notes: tuple[Sentence, ...]


@dataclass(frozen=True)
class PreparedData:
    """A table made ready: encoder and label coding learned on training rows, and three sets."""

    table: Table
    """As in :class:`Plan`."""
    rows_without_label: int
    roles: Roles
    encoder: TableEncoder
    label: LabelCoding
    train: Examples
    calibration: Examples
    test: Examples
    clusters: Clusters
    notes: tuple[Sentence, ...]
    hints: list[Hint]


def plan(frame: pd.DataFrame | Table, settings: AuditSettings, unread: Sequence[str] = ()) -> Plan:
    """Return what an audit of a table is to be of, which takes a small part of preparing it.

    Raises :class:`InputError` if table and settings do not go together.
    """
    whole, numeric_notes = read_as_asked(frame, settings.numeric, settings.categorical)
    with _words_told(whole, settings.target):
        table, roles = _labelled(whole, settings, unread)
    for name in (*roles.features, *roles.audit_only):
        if table[name].holds == "number":
            table[name].check_finite()
        elif table[name].holds == "date":
            _ = table[name].dates  # read as a whole, which parts of it then follow
    task = detect_task(table[roles.target]) if settings.task == "auto" else settings.task
    settings.check_task(task)
    split, strata_note = _split(table, settings)
    label: LabelCoding
    if task == "regression":
        table = table.with_column(as_numeric(table[roles.target]))
        label = numeric_label(table[roles.target], split.train, logarithmic=settings.log_target)
    else:
        with _words_told(whole, roles.target):
            label = class_label(table[roles.target])
    encoder = TableEncoder(list(roles.features)).fit_columns(table.rows(split.train))
    notes = (
        *whole.notes,
        *numeric_notes,
        *_row_notes(len(whole), len(table), split),
        *strata_note,
        *_label_notes(label, split, table[roles.target]),
    )
    return Plan(table, len(whole) - len(table), roles, label, split, encoder, notes)


def prepare(
    frame: pd.DataFrame | Table, settings: AuditSettings, unread: Sequence[str] = ()
) -> PreparedData:
    """Make a table, of which the columns ``unread`` were not read, ready for an audit.

    Raises :class:`InputError` as :func:`plan` does, and if no feature varies in training rows.
    """
    made = plan(frame, settings, unread)
    table, roles, label, split = made.table, made.roles, made.label, made.split
    parts = [table.rows(rows) for rows in split]
    encoder = made.encoder.fit_matrix(parts[0])
    train, calibration, test = (
        Examples(encoder.transform(part), label.y[rows], table.frame, rows)
        for part, rows in zip(parts, split, strict=True)
    )
    clusters = clusters_of(table, settings, split)
    notes = (
        *made.notes,
        *clusters.notes(),
        *_unseen_notes(encoder, table, split),
    )
    hints = find_hints(table, settings, encoder.columns_, dict(roles.dropped))
    sets = train, calibration, test
    left_out = made.rows_without_label
    return PreparedData(table, left_out, roles, encoder, label, *sets, clusters, notes, hints)


@contextmanager
def _words_told(table: Table, target: str) -> Iterator[None]:
    """Name the words that were taken as missing in a label that is refused."""
    try:
        yield
    except InputError as error:
        for note in table.notes:
            about = note.values  # noqa: PD011 - no frame's
            if note.code.startswith("columns.missing") and target in about["columns"]:
                told = {"problem": error, "note": Names([note])}
                raise InputError(error.sentence.code, "{problem}. {note}", **told) from None
        raise


def _labelled(table: Table, settings: AuditSettings, unread: Sequence[str]) -> tuple[Table, Roles]:
    """Return the rows that have a label, and the columns' roles judged on them."""
    if settings.target in table:
        table = table.labelled(settings.target)
        if table[settings.target].holds in ("date", "unsupported"):
            sentence = "label '{column}' holds neither numbers nor classes; choose another"
            raise InputError("label.kind", sentence, column=settings.target)
        about = {"rows": len(table), "column": settings.target, "least": FEWEST_ROWS}
        if len(table) == 0:
            raise InputError("label.missing", "label '{column}' is missing in every row", **about)
        if len(table) < FEWEST_ROWS:
            sentence = "only {rows} rows have a label '{column}'; an audit needs at least {least}"
            raise InputError("label.too_few_rows", sentence, **about)
    return table, assign_roles(table, settings, unread)  # which checks that there is a label


def _split(table: Table, settings: AuditSettings) -> tuple[Split, tuple[Sentence, ...]]:
    if settings.split_column is not None:
        return split_from_column(table[settings.split_column]), ()
    sizes = split_sizes(settings.split, len(table))
    if settings.group is not None:
        note = Sentence("split.by_group", _GROUP_NOTE, column=settings.group)
        return group_split(sizes, table[settings.group], settings.seed), (note,)
    if settings.time is not None:
        note = Sentence("split.by_time", _TIME_NOTE, column=settings.time)
        return time_split(sizes, table[settings.time]), (note,)
    if not settings.stratify:
        return random_split(sizes, len(table), settings.seed), ()
    strata = class_label(table[settings.target]).y
    return random_split(sizes, len(table), settings.seed, strata), (_STRATA_NOTE,)


def _row_notes(n_table: int, n_labelled: int, split: Split) -> list[Sentence]:
    unused = n_labelled - sum(map(len, split))
    left_out = {
        ("rows.without_label", "Rows without a label, left out: {rows}."): n_table - n_labelled,
        ("rows.unused", "Rows beyond the split's counts, not used: {rows}."): unused,
    }
    return [Sentence(*note, rows=rows) for note, rows in left_out.items() if rows]


def _label_notes(label: LabelCoding, split: Split, column: Column) -> list[Sentence]:
    notes: list[Sentence] = []
    if not isinstance(label, ClassLabel):
        return notes
    if column.holds == "number":
        sentence = (
            "Label '{column}' is taken for {count} classes; choose the task regression if it is a "
            "number to predict."
        )
        count = len(label.classes)
        notes.append(Sentence("label.classes", sentence, column=column.name, count=count))
    consequences = {
        "training": "each in a label set only when every label is",
        "calibration": "whose coverage is not calibrated for",
    }
    for (part, consequence), rows in zip(consequences.items(), split, strict=False):
        present = set(label.y[rows].tolist())
        absent = [name for code, name in enumerate(label.classes) if code not in present]
        if absent:
            named = {f"class_{i}": name for i, name in enumerate(absent[:_NAMED])}
            listed = ", ".join(f"'{{{name}}}'" for name in named)
            listed += ", ..." * (len(absent) > _NAMED)
            sentence = f"Classes without {part} rows ({{count}}), {consequence}: {listed}."
            about = {"part": part, "count": len(absent)}
            notes.append(Sentence("label.absent_classes", sentence, **about, **named))
    return notes


def _unseen_notes(encoder: TableEncoder, table: Table, split: Split) -> Iterator[Sentence]:
    in_test = encoder.unseen(table.rows(split.test))
    later = table.rows(np.concatenate([split.calibration, split.test]))
    for column, unseen in encoder.unseen(later).items():
        test = in_test[column].rows if column in in_test else 0
        about = {"calibration": unseen.rows - test, "test": test, "taken_for": unseen.taken_for}
        note = _MISSING_NOTE if table[column].kind != "category" else _UNSEEN_NOTE
        yield Sentence("feature.unseen", note, column=column, count=unseen.values, **about)
