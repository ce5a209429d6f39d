"""From a table to the three sets of encoded examples, and what had to be said on the way."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..messages import InputError, Passage, Sentence, first_of, in_quotes
from ..remedies.names import asked_for
from ..remedies.two_sided import TwoSided
from ..rows.examples import Examples, ModelOutputs
from ..rows.weights import Weights, weights_of
from ..tables.table import Table, read_as_asked, with_date_parts
from . import split as splits
from .encoding import TableEncoder, Unseen
from .hint import Hint
from .hints import find_hints
from .outputs import classes_of_outputs, read_outputs, rows_without_outputs
from .roles import Roles, assign_roles
from .settings import OPTIONS, AuditSettings
from .target import ClassLabel, LabelCoding, as_numeric, class_label, detect_task, numeric_label

IDLE = "option.idle"  # the code of a note on an option that changes nothing
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
    "exchangeable rows, holds only as far as the process does not change with time. "
)
_STRETCHES_OF_TIME = (
    "Rows near each other in time may be alike: tests and bands count whole stretches of time for "
    "that."
)
_GROUPS_OF_TIME = (
    "Rows of one value of '{group}' may be alike: tests and bands count whole values for that, but "
    "not for what rows of one time have in common. Of {tested:,} values with test rows, {seen:,} "
    "have others before, for training or calibration: figures are partly of values seen before."
)
_HORIZON_NOTE = (
    "Rows forecast for one time, so many steps ahead as '{column}' says, may be alike: tests count "
    "them together only beside a column of time, or a group."
)
_NO_OUTPUT_NOTE = (
    "Rows of which your model said nothing, left out: {rows}. If those are the hard ones, coverage "
    "looks better here than it is."
)
_WEIGHT_NOTE = (
    "Rows count as often as '{column}' says. How sure figures are goes by as many rows of one "
    "weight as say as much (Kish's effective sample size): {worth}."
)
_UNSEEN_NOTE = (
    "Values of '{column}' that training rows do not have: {count}, in {calibration} calibration "
    "and {test} test rows; treated as {taken_for}."
)
_MISSING_NOTE = (
    "'{column}' is missing in {calibration} calibration and {test} test rows, but in no training "
    "row; treated as {taken_for}."
)


class LeftOut(NamedTuple):
    """How many rows an audit is not of, as they have no label, output of a model, or weight."""

    label: int = 0
    output: int = 0  # of a model of the user's own
    weight: int = 0  # or one of 0


@dataclass(frozen=True)
class Plan:
    """What an audit will be of, all of it checked, but nothing encoded."""

    table: Table
    """The rows with a label, that of a regression as numbers, with the parts of dates that rows are
    divided by; the split's rows are positions."""
    left_out: LeftOut
    roles: Roles
    label: LabelCoding
    outputs: ModelOutputs | None
    split: splits.Split
    encoder: TableEncoder  # with its columns fitted; the matrix is, too, once the table is prepared
    weights: Weights
    notes: tuple[Sentence, ...]


@dataclass(frozen=True)
class PreparedData(Plan):
    """A table made ready: encoder and label coding learned on training rows, and three sets."""

    train: Examples
    calibration: Examples
    test: Examples
    hints: list[Hint]

    @property
    def learning(self) -> Examples:
        """The rows that codings and bands are learned on."""
        return self.train if len(self.train) else self.test


def plan(frame: pd.DataFrame | Table, settings: AuditSettings, unread: Sequence[str] = ()) -> Plan:
    """Return what an audit of a table is to be of, which takes a small part of preparing it.

    Raises :class:`InputError` if table and settings do not go together.
    """
    whole, numeric_notes = read_as_asked(frame, *settings.readings)
    with _words_told(whole, settings.target):
        labelled = _labelled(whole, settings)
        table = with_outputs = _with_outputs(labelled, settings)
        table, counts, weight_notes = splits.weighed(table, settings.weight)
        roles = assign_roles(table, settings, unread)
    _check_columns(table, roles, needs_feature=settings.outputs is None)
    task = settings.task
    if task == "auto":
        task = settings.outputs.task if settings.outputs else detect_task(table[roles.target])
    for option, value in settings.by_option():
        option.check_task(value, task, settings.target)
    split, strata_note = _split(table, settings)
    weights = weights_of(counts, split.learning)
    label: LabelCoding
    if task == "regression":
        table = table.with_column(as_numeric(table[roles.target]))
        of_learning = table[roles.target], split.learning, weights
        label = numeric_label(*of_learning, logarithmic=settings.log_target)
    else:
        with _words_told(whole, roles.target):
            label = class_label(table[roles.target], classes_of_outputs(table, settings))
    outputs, output_notes = read_outputs(table, label, settings)
    encoder = TableEncoder(
        list(roles.features),
        "training rows" if len(split.train) else "rows",
        needs_one=settings.outputs is None,  # of which the user's model needs none
    )
    encoder.fit_columns(table.rows(split.learning), weights)
    table, parts = with_date_parts(table, (*roles.features, *roles.audit_only))
    roles = replace(roles, date_parts=parts)
    lengths = map(len, (whole, labelled, with_outputs, table))
    left_out = LeftOut(*(more - fewer for more, fewer in pairwise(lengths)))
    notes = (
        *(*whole.notes, *numeric_notes),
        *row_notes(left_out, unused=len(table) - sum(map(len, split))),
        *weight_notes,
        *_settings_notes(settings),
        *strata_note,
        *_label_notes(label, split, settings),
        *output_notes,
    )
    return Plan(table, left_out, roles, label, outputs, split, encoder, counts, notes)


def prepare(
    frame: pd.DataFrame | Table, settings: AuditSettings, unread: Sequence[str] = ()
) -> PreparedData:
    """Make a table, of which the columns ``unread`` were not read, ready for an audit.

    Raises :class:`InputError` as :func:`plan` does, and if no feature varies in training rows.
    """
    made = plan(frame, settings, unread)
    table, split, encoder = made.table, made.split, made.encoder
    parts = [encoder.encode(table.rows(rows)) for rows in split]
    learning = parts[0] if len(parts[0]) else parts[2]
    encoder.fit_matrix(learning, weights_of(made.weights, split.learning))
    ordering = filter(None, (settings.group, settings.time, settings.weight))
    used = {*made.roles.rule_columns, made.roles.target, *settings.output_columns, *ordering}
    clusters, cluster_notes = splits.clusters_of(table, settings, split, [*used])
    train, calibration, test = (
        Examples(
            encoder.standardised(part),
            made.label.y[rows],
            table.frame,
            rows,
            outputs=None if made.outputs is None else made.outputs.rows(rows),
            weights=weights_of(made.weights, rows),
            clusters=belonging,
            columns=made.roles.features,
        )
        for part, rows, belonging in zip(parts, split, clusters, strict=True)
    )
    notes = (
        *made.notes,
        *_weight_notes(settings.weight, (train, calibration, test)),
        *cluster_notes,
        *_unseen_notes(encoder, table, split),
    )
    unused = {name: why for name, why in encoder.dropped_ if name in made.roles.features}
    hints = find_hints(table, settings, encoder.columns_, {**made.roles.dropped, **unused})
    planned = vars(made) | {"notes": notes}
    return PreparedData(**planned, train=train, calibration=calibration, test=test, hints=hints)


def _check_columns(table: Table, roles: Roles, *, needs_feature: bool) -> None:
    if needs_feature and not roles.features:
        sentence = "no usable feature is left; name at least one column that varies"
        raise InputError("features.none", sentence)
    for name in (*roles.features, *roles.audit_only):
        table[name].check_finite()
        if table[name].holds == "date":
            _ = table[name].dates  # read as a whole, which parts of it then follow


@contextmanager
def _words_told(table: Table, target: str) -> Iterator[None]:
    """Name the words that were taken as missing in a label that is refused."""
    try:
        yield
    except InputError as error:
        for note in table.notes:
            about = note.values  # noqa: PD011 - no frame's
            if note.code.startswith("columns.missing") and target in about["columns"]:
                told = {"problem": error, "note": Passage(note)}
                raise InputError(error.sentence.code, "{problem}. {note}", **told) from None
        raise


def _with_outputs(table: Table, settings: AuditSettings) -> Table:
    lacking = rows_without_outputs(table, settings)
    if not lacking.any():
        return table
    having = "both a label and what your model said"
    splits.check_enough(int((~lacking).sum()), "outputs.too_few_rows", having)
    return table.rows(~lacking)


def _labelled(table: Table, settings: AuditSettings) -> Table:
    if settings.target in table:
        table = table.labelled(settings.target)
        if table[settings.target].holds in ("date", "unsupported"):
            sentence = "label '{column}' holds neither numbers nor classes; choose another"
            raise InputError("label.kind", sentence, column=settings.target)
        column = {"column": settings.target}
        if len(table) == 0:
            raise InputError("label.missing", "label '{column}' is missing in every row", **column)
        splits.check_enough(len(table), "label.too_few_rows", "a label '{column}'", **column)
    return table  # where there is no label, assigning roles says so


def _split(table: Table, settings: AuditSettings) -> tuple[splits.Split, tuple[Sentence, ...]]:
    if settings.split_column is not None:
        column = table[settings.split_column]
        return splits.split_from_column(column, only_test=settings.is_ready_made), ()
    if settings.is_ready_made:
        none = np.arange(0)
        return splits.Split(none, none, np.arange(len(table))), ()
    sizes = splits.split_sizes(settings.split, len(table))
    if settings.time is not None:
        split, note = splits.time_split(sizes, table[settings.time]), _STRETCHES_OF_TIME
        about: dict[str, Any] = {"column": settings.time}
        if settings.group is not None:
            note, groups = _GROUPS_OF_TIME, splits.group_codes(table[settings.group])
            tested = np.unique(groups[split.test])
            seen = int(np.isin(tested, groups[np.concatenate(split[:2])]).sum())
            about |= {"group": settings.group, "tested": len(tested), "seen": seen}
        return split, (Sentence("split.by_time", _TIME_NOTE + note, **about),)
    if settings.group is not None:
        note = Sentence("split.by_group", _GROUP_NOTE, column=settings.group)
        return splits.group_split(sizes, table[settings.group], settings.seed), (note,)
    if not settings.stratify:
        return splits.random_split(sizes, len(table), settings.seed), ()
    strata = class_label(table[settings.target]).y
    return splits.random_split(sizes, len(table), settings.seed, strata), (_STRATA_NOTE,)


def _settings_notes(settings: AuditSettings) -> Iterator[Sentence]:
    """Yield a note on each option beside which another is missing, or makes it idle."""
    if settings.horizon and not (settings.time or settings.group):
        yield Sentence("horizon.no_time", _HORIZON_NOTE, column=settings.horizon)
    column = settings.split_column
    idle = {"sample": "every row of this table is looked at"}
    idle |= {} if column is None else {"split": f"column '{column}' divides the rows"}
    if TwoSided not in [each.remedy for each in asked_for(settings.remedies)]:
        idle["below"] = "no remedy is two-sided"
    for field, why in idle.items():
        if (value := getattr(settings, field)) != OPTIONS[field].default:
            sentence = "'{option}' is {value}, but is not used: {why}."
            about = {"option": OPTIONS[field].name, "value": value, "why": Passage(why)}
            yield Sentence(f"{IDLE}.{field}", sentence, **about)


def row_notes(without: LeftOut, unused: int = 0) -> list[Sentence]:
    """Return a note on each kind of rows that are left out, if there are any."""
    counted = {
        ("rows.without_label", "Rows without a label, left out: {rows}."): without.label,
        ("rows.without_output", _NO_OUTPUT_NOTE): without.output,
        ("rows.unused", "Rows beyond the split's counts, not used: {rows}."): unused,
    }
    return [Sentence(*note, rows=rows) for note, rows in counted.items() if rows]


def _weight_notes(column: str | None, sets: Sequence[Examples]) -> Iterator[Sentence]:
    used = [(name, rows) for name, rows in zip(splits.PARTS, sets, strict=True) if len(rows)]
    if any(rows.weights is not None for _, rows in used):
        each = (f"{rows.effective:,.0f} for {len(rows):,} {name} rows" for name, rows in used)
        worth = Passage(", ".join(each))
        yield Sentence("rows.weighted", _WEIGHT_NOTE, column=column, worth=worth)


def _label_notes(
    label: LabelCoding, split: splits.Split, settings: AuditSettings
) -> list[Sentence]:
    if not isinstance(label, ClassLabel):
        return []
    notes, consequences = [], []
    if settings.outputs is None:  # a user's model may know of classes without training rows
        consequences += [("training", "each in a label set only when every label is", split.train)]
    if not settings.is_ready_made:
        of_calibration = "whose coverage is not calibrated for"
        consequences += [("calibration", of_calibration, split.calibration)]
    for part, consequence, rows in consequences:
        present = set(label.y[rows].tolist())
        absent = [name for code, name in enumerate(label.classes) if code not in present]
        if absent:
            sentence = f"Classes without {part} rows ({{count}}), {consequence}: {{listed}}."
            about = {"part": part, "count": len(absent), "listed": first_of(in_quotes(absent))}
            notes.append(Sentence("label.absent_classes", sentence, **about))
    return notes


def _unseen_notes(encoder: TableEncoder, table: Table, split: splits.Split) -> Iterator[Sentence]:
    columns = list(encoder.unseen(table))  # of the rows learned on none has any
    in_test = encoder.unseen(table.rows(split.test, columns))
    later = table.rows(np.concatenate([split.calibration, split.test]), columns)
    for column, unseen in encoder.unseen(later).items():
        of_test = in_test.get(column, Unseen(0, 0, 0, ""))
        about = {"column": column, "count": unseen.values, "taken_for": unseen.taken_for}  # noqa: PD011 - no frame
        for note, both, test in (
            (_UNSEEN_NOTE, unseen.rows, of_test.rows),
            (_MISSING_NOTE, unseen.missing, of_test.missing),
        ):
            if both:
                yield Sentence("feature.unseen", note, **about, calibration=both - test, test=test)
