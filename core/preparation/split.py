"""The sets of rows: how they are divided, how often a row counts, and which belong together."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import IndexArray
from ..messages import Cell, InputError, Sentence
from ..rows.weights import Weights, scaled, that_count
from ..tables.columns import Column, check_exists
from ..tables.dates import in_doubt, without_century
from ..tables.table import Table
from .settings import AuditSettings

_PART_NAMES = {"train": 0, "training": 0, "calibration": 1, "calib": 1, "cal": 1, "test": 2}
_MOST_DIGITS = 19
PARTS = ("training", "calibration", "test")

_NOT_COUNTED = "Rows {what} in column '{column}', left out: {rows}."
_EQUAL = "Weights in column '{column}' are all equal, so that they change nothing."
_ADVICE = "give every row a number of 0 or more, or choose another column"
_TEXT = (
    f"weight column '{{column}}' holds '{{value}}' in row {{row}}, which is no number; {_ADVICE}"
)
_NEGATIVE = f"weight column '{{column}}' is {{value}} in row {{row}}, which is below 0; {_ADVICE}"
_NONE = "weight column '{column}' is {what} in every row; choose another, or leave the weights out"

FEWEST_ROWS = 30  # below this an audit by segments has nothing to say
BLOCKS = 20
"""Of rows that follow each other in time, so that what rows nearer than a block's length have in
common is seen. Schmeiser (1982), "Batch size effects in the analysis of simulation output", advises
10 to 30; 20 keep the score test's level up to a correlation of 0.9 from row to row in 600 rows, of
0.95 in 2,000 almost (7 % at 5 %)."""

_TELLING = 0.5
"""Of the different rows, the share that one column alone tells apart where none repeats by chance:
in a table of a few categories many rows are equal, and independent all the same."""

_BY_CHANCE = 10  # times as many pairs of equal rows as there would be by chance are copies
_FEW = 0.01  # of the rows: fewer copies change no test, and rows are as good as independent
_REPEATS_NOTE = (
    "{rows} {repeat} another row exactly, in all columns in use. If they are not separate "
    "observations, remove them: copies of training rows in the test rows flatter the predictor. "
    "{counted}"
)
_COUNTED = "Intervals and tests do not take them for independent."
_AS_INDEPENDENT = "They are too few to matter for intervals and tests."


class Split(NamedTuple):
    """Row positions of the three sets."""

    train: IndexArray
    calibration: IndexArray
    test: IndexArray

    @property
    def learning(self) -> IndexArray:
        """Rows that codings and bands are learned on: for training, or for test if none are."""
        return self.train if len(self.train) else self.test


def split_sizes(text: str, n_rows: int) -> tuple[int, int, int]:
    """Return the sizes of the three sets from "20000,20000,20000" or "0.4,0.3,0.3".

    Three integers are counts, whose sum may be less than the rows there are; otherwise they are
    shares that sum to 1. Raises :class:`InputError` if neither, or too many, or one set is empty.
    """
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != len(PARTS):
        sentence = (
            "split '{text}' does not have three parts; give training, calibration and test, for "
            "example 0.4,0.3,0.3"
        )
        raise InputError("split.parts", sentence, text=text)
    if all(field.isascii() and field.isdigit() and len(field) < _MOST_DIGITS for field in fields):
        sizes = [int(field) for field in fields]
    else:
        sizes = _sizes_from_shares(text, fields, n_rows)
    if sum(sizes) > n_rows:
        sentence = "split '{text}' asks for {rows} rows, but the table has {there} with a label"
        raise InputError("split.too_many", sentence, text=text, rows=sum(sizes), there=n_rows)
    for part, size in zip(PARTS, sizes, strict=True):
        if size == 0:
            sentence = "split '{text}' leaves the {part} set empty; give it some rows"
            raise InputError("split.empty", sentence, text=text, part=part)
    return sizes[0], sizes[1], sizes[2]


def _sizes_from_shares(text: str, fields: list[str], n_rows: int) -> list[int]:
    try:
        shares = [float(field) for field in fields]
    except ValueError:
        shares = [math.nan]
    if not all(0.0 <= share <= 1.0 for share in shares) or abs(sum(shares) - 1.0) > 1e-9:  # noqa: PLR2004
        sentence = (
            "split '{text}' is neither three whole numbers of rows nor three shares that sum to 1; "
            "give for example 0.4,0.3,0.3"
        )
        raise InputError("split.shares", sentence, text=text)
    ends = [round(n_rows * share) for share in np.cumsum(shares)]
    return [ends[0], ends[1] - ends[0], n_rows - ends[1]]


def random_split(
    sizes: tuple[int, int, int], n_rows: int, seed: int, strata: IndexArray | None = None
) -> Split:
    """Return a random split into sets of the given sizes.

    With ``strata``, codes of shape (n_rows,), every stratum is divided in the proportions of the
    sizes, which breaks the exact exchangeability on which the coverage guarantee rests.
    """
    order = np.random.default_rng(seed).permutation(n_rows)
    parts = np.repeat([0, 1, 2, 3], [*sizes, n_rows - sum(sizes)])
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
        # each part is spread evenly, so that every stretch has the sizes' proportions
        counts = np.unique_counts(parts).counts
        places = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
        parts = parts[np.argsort(places, kind="stable")]
    return Split(*(np.sort(order[parts == part]) for part in range(3)))


def group_split(sizes: tuple[int, int, int], column: Column, seed: int) -> Split:
    """Return a random split in which all rows of one value of a column are in one set.

    Sizes are met as nearly as whole groups allow; a missing value is a group of its own row.
    """
    groups = group_codes(column)
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    return _by_groups(sizes, order[groups], first_unused=False, name=column.name)


def time_split(sizes: tuple[int, int, int], column: Column) -> Split:
    """Return a split by time: the earliest rows train, the latest are tested.

    Rows of one moment stay together. Where the sizes leave rows over, it is the earliest. Raises
    :class:`InputError` if a row has no time.
    """
    if in_doubt(column.series) or without_century(column.series).any():
        sentence = (
            "time column '{column}' holds dates such as '{value}', which may be read in two ways; "
            "write them as 2014-10-13"
        )
        value = Cell(column.series.dropna().iloc[0])
        raise InputError("time.in_doubt", sentence, column=column.name, value=value)
    times = column.ordered
    for held, where in (("nothing", column.missing), ("'{value}'", pd.isna(times))):
        sentence = (
            f"time column '{{column}}' holds {held} in row {{row}}, which is no time; mend that "
            "value, or choose another column or a split at random"
        )
        column.refuse(where, "time.no_time", sentence)
    moments = np.unique(times, return_inverse=True)[1]
    return _by_groups(sizes, moments, first_unused=True, name=column.name)


def group_codes(column: Column) -> IndexArray:
    """Return a number for each value, and one of its own for every missing one."""
    codes = pd.factorize(column.levels)[0]
    missing = codes < 0
    codes[missing] = codes.max() + 1 + np.arange(missing.sum())
    return codes


def _by_groups(
    sizes: tuple[int, int, int], places: IndexArray, *, first_unused: bool, name: str
) -> Split:
    """Fill the sets with whole groups in the order of their places, shape (n_rows,)."""
    members = np.bincount(places)
    starts = np.cumsum(members) - members
    unused = len(places) - sum(sizes) if first_unused else 0
    ends = unused + np.cumsum([0, *sizes])
    parts = np.searchsorted(ends, starts, side="right")[places] - 1
    sentence = (
        "column '{column}' has so few, large groups that the {part} set stays empty; give it a "
        "larger share, or choose another column"
    )
    return _of_parts(parts, "split.few_groups", sentence, name)


def _of_parts(
    parts: NDArray[Any], code: str, sentence: str, column: str, needed: Sequence[str] = PARTS
) -> Split:
    """Return the split with these parts, 0 to 2, by row; refused if a set needed is empty."""
    split = Split(*(np.flatnonzero(parts == part) for part in range(3)))
    for part, rows in zip(PARTS, split, strict=True):
        if len(rows) == 0 and part in needed:
            raise InputError(code, sentence, column=column, part=part)
    return split


def split_from_column(column: Column, *, only_test: bool = False) -> Split:
    """Return the split that a column says; refused if a row does not, or a set is empty.

    With ``only_test`` other sets than that for test may be.
    """
    names = column.levels
    codes = names.str.strip().str.lower().map(_PART_NAMES)
    sentence = (
        "split column '{column}' holds '{value}' in row {row}; every row must say train, "
        "calibration or test"
    )
    wrong = codes.isna().to_numpy()
    column.refuse(wrong, "split_column.word", sentence, lambda row: names.iloc[row])
    sentence = "split column '{column}' leaves the {part} set empty"
    needed = PARTS[-1:] if only_test else PARTS
    return _of_parts(codes.to_numpy(), "split_column.empty", sentence, column.name, needed)


def check_enough(rows: int, code: str, have: str, **about: object) -> None:
    """Raise :class:`InputError` if only so few rows have what an audit needs."""
    if rows < FEWEST_ROWS:
        who = "row has" if rows == 1 else "rows have"
        sentence = f"only {{rows}} {who} {have}; an audit needs at least {{least}}"
        raise InputError(code, sentence, rows=rows, least=FEWEST_ROWS, **about)


def weighed(table: Table, column: str | None) -> tuple[Table, Weights, list[Sentence]]:
    """Return the rows of a weight above 0, how often each counts, shape (n,), and notes on others.

    Refused if a weight is unusable, or the rows are too few.
    """
    if column is None:
        return table, None, []
    check_exists(table.names, column)
    given, weights = table[column], np.full(len(table), np.nan)
    given.refuse_text("weight.no_number", _TEXT)
    if given.holds == "number":
        given.check_finite()
        given.refuse(given.numbers < 0.0, "weight.negative", _NEGATIVE)
        weights = given.numbers
    zero, missing = weights == 0.0, np.isnan(weights)
    for what, such in (("0", zero), ("missing", missing)):
        if such.all():
            raise InputError("weight.none", _NONE, column=column, what=what)
    counts = that_count(weights)
    counting, vanishing = np.flatnonzero(counts), (weights > 0.0) & ~counts
    having = "a weight above 0 in column '{column}'"
    having += " that does not vanish beside the others" * bool(vanishing.any())
    check_enough(len(counting), "weight.too_few_rows", having, column=column)
    left_out = {"of weight 0": int(zero.sum()), "without a weight": int(missing.sum())}
    left_out["of a weight that vanishes beside the others"] = int(vanishing.sum())
    notes = [
        Sentence("rows.without_weight", _NOT_COUNTED, what=what, column=column, rows=rows)
        for what, rows in left_out.items()
        if rows
    ]
    counted = weights[counting]
    if (counted == counted[0]).all():
        notes.append(Sentence("rows.equal_weights", _EQUAL, column=column))
        return table.rows(counting), None, notes
    return table.rows(counting), scaled(counted), notes


def clusters_of(
    table: Table, settings: AuditSettings, split: Split, used: Sequence[str]
) -> tuple[list[IndexArray | None], list[Sentence]]:
    """Return numbers of the rows' clusters from 0 up, shape (n,), in each set, and a note on them.

    A cluster is a value of the group column, a stretch of time, or one row with its copies, which
    are alike in the columns ``used``: each may have a number of its own beside. None: the rows of a
    set can be taken for independent.
    """
    repeats = repeated_rows(table, used)
    copies = 0 if repeats is None else len(table) - int(repeats.max()) - 1
    by_set: list[IndexArray] = []
    if settings.group is not None:
        groups = group_codes(table[settings.group])
        by_set = [groups[rows] for rows in split]
    elif settings.time is not None:
        times = [table[settings.time].ordered[rows] for rows in split]
        # whole moments alone, as equal times have one place
        by_set = [np.searchsorted(np.sort(each), each) * BLOCKS // len(each) for each in times]
    elif repeats is not None and copies >= _FEW * len(table):
        by_set = [repeats[rows] for rows in split]
    counted = _COUNTED if by_set else _AS_INDEPENDENT
    repeat = "row repeats" if copies == 1 else "rows repeat"
    note = Sentence("rows.repeated", _REPEATS_NOTE, rows=copies, repeat=repeat, counted=counted)
    return list(map(_clusters, by_set)) or [None] * 3, [note] * (copies > 0)


def repeated_rows(table: Table, names: Sequence[str]) -> IndexArray | None:
    """Return a number for each row that differs in some columns, (n,); None if by chance alone."""
    rows = np.zeros(len(table), dtype=np.intp)
    for name in names:
        values = table[name].pattern
        rows, different = pd.factorize(rows * (values.max() + 1) + values)
        if len(different) == len(table):
            return None
    counts = np.bincount(rows)
    chance = _chance_of_a_pair(table.rows(np.unique(rows, return_index=True)[1], names))
    is_chance = counts @ (counts - 1) <= _BY_CHANCE * chance * len(table) * (len(table) - 1)
    return None if is_chance else rows


def _chance_of_a_pair(distinct: Table) -> float:
    """Return how often two rows would be equal by chance, of the rows that differ.

    The column of most values may not repeat but for copies, so each of its rows counts as a pair
    beside. Others, which may depend on it, are alike as often as in any two rows, or as in two that
    follow each other in its order. 1 if it tells few rows apart.
    """
    codes = {name: distinct[name].pattern for name in distinct.names}
    most = max(codes, key=lambda name: codes[name].max())
    counts, n, column = np.bincount(codes.pop(most)), len(distinct), distinct[most]
    if len(counts) < _TELLING * n:
        return 1.0
    values = column.numbers if column.holds == "number" else list(map(str, column.series))
    order, chance = np.argsort(values, kind="stable"), float(counts @ counts) / n**2
    for code in codes.values():
        counts = np.bincount(code)
        chance *= max(float(counts @ (counts - 1)) / n**2, np.mean(np.diff(code[order]) == 0))
    return chance


def _clusters(codes: IndexArray) -> IndexArray | None:
    """Return the codes numbered from 0 up; None if every row has its own."""
    values, numbers = np.unique(codes, return_inverse=True)
    return numbers if len(values) < len(codes) else None
