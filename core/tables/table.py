"""A table: a frame whose columns have a kind, decided once or as a person asks; two joined."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from ..arrays import BoolArray, IndexArray
from ..messages import Cell, InputError, Names, Passage, Sentence, told_apart
from ..scoring.columns import DATE_PARTS, WEEKDAYS
from .columns import Column, ColumnKind, check_exists, column_kind, first_cell
from .dates import date_parts, nanosecond_notes, part_name
from .formats import Bounds
from .text_values import plainly, read_as_numbers, without_words

ROUNDED = "columns.rounded"
"""Code of the note that names the columns some of whose whole numbers a file has rounded."""

_NO_ROW = -1
_BOUNDS = Bounds()
_UNMET = "Rows whose '{column}' is not in '{file}', so that its columns are missing: {count}."
_UNUSED = "Values of '{column}' in '{file}' that no row of the table has: {count}."
_WORDS = "Taken as missing in '{column}', as asked: {words}."
_NO_NUMBERS = (
    "Values of '{column}' that are no numbers, taken as missing: {count}, the first of them "
    "'{value}' in row {row}."
)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, and what the columns hold, by their names."""

    frame: pd.DataFrame
    kinds: Mapping[str, ColumnKind]
    categorical: frozenset[str] = frozenset()  # columns whose numbers are codes
    notes: tuple[Sentence, ...] = ()
    """What was done in reading its file that a person should know of."""
    sheets: tuple[str, ...] = ()  # those of its workbook, of which it is one
    _columns: dict[str, Column] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: "pd.DataFrame | Table", categorical: Collection[str] = ()) -> "Table":
        """Decide what a frame's columns hold, no two of one name; its rows are numbered from 0."""
        if isinstance(frame, Table):
            categorical = frame.categorical | frozenset(categorical)
            return replace(frame, categorical=categorical, _columns={})
        return cls._judged(frame.reset_index(drop=True).rename(columns=str), categorical)

    @classmethod
    def _judged(cls, frame: pd.DataFrame, categorical: Collection[str]) -> Self:
        if not frame.columns.is_unique:
            twice = frame.columns[frame.columns.duplicated()][0]
            sentence = "the table has two columns called '{column}'; rename one"
            raise InputError("columns.same_name", sentence, column=twice)
        frame, notes = plainly(frame)
        kinds = {name: column_kind(frame[name]) for name in frame.columns}
        notes += nanosecond_notes(frame[name] for name, kind in kinds.items() if kind == "date")
        return cls(frame, kinds, frozenset(categorical), (*notes,))

    def __reduce__(self) -> tuple[object, ...]:
        """Leave out what can be computed again."""
        return type(self), (self.frame, self.kinds, self.categorical, self.notes, self.sheets)

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, name: str) -> bool:
        return name in self.kinds

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            is_code = name in self.categorical
            self._columns[name] = Column(self.frame[name], self.kinds[name], is_code)
        return self._columns[name]

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.kinds)

    def rows(self, where: IndexArray | BoolArray, names: Sequence[str] | None = None) -> "Table":
        """Return some of the rows, of the named columns alone; the kinds stay."""
        names = self.names if names is None else names
        kinds = {name: self.kinds[name] for name in names}
        # dates stay as read of the whole column; all else is soon made of the rows
        dates = [name for name in names if name in self._columns and kinds[name] == "date"]
        columns = {name: self[name].rows(where) for name in dates}
        frame = self.frame[[*names]].iloc[where]
        return replace(self, frame=frame, kinds=kinds, _columns=columns)

    def labelled(self, target: str) -> "Table":
        """Return the rows that have a label, of which the columns' kinds are judged anew."""
        has_label = self.frame[target].notna()  # rows without one may be notes below the table
        if has_label.all():
            return self
        judged = self._judged(self.frame[has_label], self.categorical)
        return replace(judged, notes=self.notes, sheets=self.sheets)

    def with_column(self, column: Column) -> "Table":
        """Return the table with another column in the place of the one of this name."""
        name = column.name
        frame = self.frame.assign(**{name: column.series})
        kinds, columns = {**self.kinds, name: column.holds}, {**self._columns, name: column}
        return replace(self, frame=frame, kinds=kinds, _columns=columns)


def check_not_rounded(table: Table, codes: Iterable[str]) -> None:
    """Refuse codes, which are to be told apart, that were rounded in their file."""
    notes = [note for note in table.notes if note.code == ROUNDED]
    rounded = {name for note in notes for name in note.values["columns"]}  # noqa: PD011 - no frame's
    for name in codes:
        if name in rounded:
            sentence = (
                "column '{column}' holds whole numbers of more than 15 digits, which its workbook "
                "has rounded, so that different codes may have become one; store them as text"
            )
            raise InputError("column.rounded", sentence, column=name)


def read_as_asked(
    frame: pd.DataFrame | Table,
    numeric: Iterable[str],
    categorical: Iterable[str],
    missing: Iterable[tuple[str, Collection[str]]] = (),
) -> tuple[Table, list[Sentence]]:
    """Return a table with words of columns taken as missing, and columns read as numbers; notes.

    Raises :class:`InputError` if a column does not exist, or holds no numbers or doubtful ones.
    """
    table = Table.of(frame, frozenset(categorical))
    for name in sorted(table.categorical):
        if table.kinds.get(name) == "unsupported":
            sentence = (
                "column '{column}' holds values that are not all text, nor all numbers; do not "
                "name it as categorical"
            )
            raise InputError("categorical.unsupported", sentence, column=name)
    notes: list[Sentence] = []
    for name, words in missing:
        check_exists(table.names, name)
        levels = table[name].levels
        counted = Names(f"'{word}' in {(levels == word).sum()} rows" for word in words)
        notes.append(Sentence("column.missing_words", _WORDS, column=name, words=counted))
        made = without_words(table[name], levels.isin(words).to_numpy())
        table = table.with_column(replace(made, categorical=name in table.categorical))
    for name in numeric:
        check_exists(table.names, name)
        column = table[name]
        numbers = read_as_numbers(column)
        unreadable = numbers.missing & ~column.missing
        if unreadable.any():
            about = {"column": name, "count": int(unreadable.sum())}
            about |= first_cell(column.series, unreadable)
            notes.append(Sentence("column.no_numbers", _NO_NUMBERS, **about))
        table = table.with_column(numbers)
    return table, notes


def with_date_parts(table: Table, columns: Iterable[str]) -> tuple[Table, tuple[str, ...]]:
    """Return a table with the parts of the dates among the columns, and the parts' names.

    A part is there if it has two values. Months are numbers from 1 to 12 and hours, the whole ones,
    from 0 to 23; weekdays go by name. A name that is taken has a number behind it.
    """
    dates = (table[name] for name in columns if table[name].kind == "date")
    parts = [part for column in dates for part in _varying(column)]
    names = told_apart([*table.names, *(str(part.name) for part in parts)])[len(table.names) :]
    for name, part in zip(names, parts, strict=True):
        table = table.with_column(Column.of(part.rename(name)))
    return table, tuple(names)


def names_part(name: str, columns: Sequence[str]) -> bool:
    """Say whether a name is like that of a part of one of the columns, if that holds dates."""
    parts = (part_name(column, part) for column in columns for part in DATE_PARTS)
    return name.startswith(tuple(parts))


def _varying(column: Column) -> Iterator[pd.Series]:
    known = dict(zip(DATE_PARTS, np.floor(date_parts(column.dates)).T, strict=True))
    for part in ("hour", "weekday", "month"):
        name = part_name(column.name, part)
        values = pd.Series(known[part], index=column.series.index, name=name)
        if len(values.dropna().unique()) > 1:
            is_day = part == "weekday"
            yield values.map(dict(enumerate(WEEKDAYS))) if is_day else values


def joined(table: Table, other: Table, on: str, file: str, bounds: Bounds = _BOUNDS) -> Table:
    """Return the table with the columns of another one, of a file, beside its own.

    Rows meet where the column ``on``, which both have, holds the same value, written as numbers or
    as text; rows that meet none have missing values. What was left out, repeated or not met is in
    the notes. Raises :class:`InputError` if a key is missing in one of the tables, means several
    different rows of the other one or none that the table has, if both have a column of one name,
    or if they are too large together.
    """
    for names, where in ((table.names, "the table"), (other.names, f"'{file}'")):
        if on not in names:
            sentence = "{where} has no column '{column}' to join by; name one that both tables have"
            raise InputError("column.unknown", sentence, where=Passage(where), column=on)
    names = [name for name in other.names if name != on]
    for name in filter(table.__contains__, names):
        sentence = "the table and '{file}' both have a column '{column}'; rename one"
        raise InputError("join.same_name", sentence, column=name, file=file)
    bounds.check_extent(len(table), len(table.names) + len(names), Path(file))
    rows, counts = _rows_by_key(other, on, file)
    meet = table[on].levels.map(rows).fillna(_NO_ROW).to_numpy().astype(np.intp)
    unmet = int((meet == _NO_ROW).sum())
    if unmet == len(table):
        sentence = (
            "no value of '{column}' in the table, such as '{one}', is in '{file}', which has such "
            "as '{other}'; write them alike, or join by another column"
        )
        some = {"one": table[on].levels.dropna(), "other": rows.index}
        about = {name: Cell(next(iter(values), "(missing)")) for name, values in some.items()}
        raise InputError("join.no_key_met", sentence, column=on, file=file, **about)
    counts |= {_UNMET: unmet, _UNUSED: len(rows) - len(np.unique(meet[meet != _NO_ROW]))}
    about_rows = (
        Sentence("join.counted", text, column=on, file=file, count=count)
        for text, count in counts.items()
        if count
    )
    brought = {name: _taken(other.frame[name], meet) for name in names}
    frame = pd.concat([table.frame, pd.DataFrame(brought, index=table.frame.index)], axis=1)
    kinds = {**table.kinds, **{name: other.kinds[name] for name in names}}
    notes = (*table.notes, *other.notes, *about_rows)
    return Table(frame, kinds, table.categorical, notes, table.sheets)


def _rows_by_key(other: Table, on: str, file: str) -> tuple["pd.Series[int]", dict[str, int]]:
    """Return the row of each key, and how many rows were left out, by the sentence for it."""
    keys = other[on].levels
    has_key = keys.notna()
    repeated = other.frame.assign(**{on: keys}).duplicated() & has_key
    rows = keys[has_key & ~repeated]
    twice = rows.duplicated(keep=False)
    if twice.any():
        sentence = (
            "'{file}' has several different rows for one '{column}', such as '{value}', which "
            "{rows} rows have; keep one row for each (values repeated so: {count})"
        )
        value = rows[twice].iloc[0]
        about = {"value": Cell(value), "rows": int((rows == value).sum())}
        count = rows[twice].nunique()
        raise InputError("join.several", sentence, file=file, column=on, count=count, **about)
    left_out = {
        "Rows of '{file}' without a '{column}', left out: {count}.": int((~has_key).sum()),
        "Rows of '{file}' that repeat another one, left out: {count}.": int(repeated.sum()),
    }
    positions = np.flatnonzero((has_key & ~repeated).to_numpy())
    return pd.Series(positions, index=rows.to_numpy()), left_out


def _taken(column: pd.Series, rows: IndexArray) -> pd.Series:
    """Return the values of some rows, missing where there is none; whole numbers keep digits."""
    unmet = rows == _NO_ROW
    if unmet.any() and column.dtype.kind in "iub":
        column = column.convert_dtypes()
    return column.take(np.clip(rows, 0, None)).reset_index(drop=True).mask(unmet)


@dataclass(frozen=True)
class Origin:
    """Where a table came from, its fingerprint, and how long it took to read.

    Without a fingerprint the table's values have one made, see :func:`rows_fingerprint`.
    """

    name: str = "table"
    fingerprint: str = ""
    read_seconds: float = 0.0

    def of(self, frame: pd.DataFrame) -> "Origin":
        """Return that of a table, with a fingerprint."""
        return self if self.fingerprint else replace(self, fingerprint=rows_fingerprint(frame))


UNNAMED = Origin()


def file_fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file, which is read piece by piece."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def files_of_folder(folder: Path) -> list[Path]:
    """Return the Parquet files in and below a folder, in their order; refused if there are none."""
    try:
        named = (path for path in folder.rglob("*") if path.suffix.lower() == ".parquet")
        files = sorted(path for path in named if not path.is_dir())
    except OSError as error:  # as of a folder that goes while they are looked for
        sentence, problem = "folder '{file}' cannot be read: {problem}", error.strerror
        raise InputError("folder.unreadable", sentence, file=folder, problem=problem) from None
    if not files:
        sentence = "folder '{file}' holds no file whose name ends in .parquet; name another"
        raise InputError("folder.empty", sentence, file=folder)
    return files


def folder_fingerprint(folder: Path) -> str:
    """Return the SHA-256 of those of the Parquet files in and below a folder, in their order."""
    digest = hashlib.sha256()
    for path in files_of_folder(folder):
        digest.update(f"{path.relative_to(folder)} {file_fingerprint(path)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def bytes_fingerprint(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes, the same as :func:`file_fingerprint` of the file."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def rows_fingerprint(frame: pd.DataFrame) -> str:
    """Return a SHA-256 of a frame's values in their order, with columns' names and types.

    Numbers are taken as they are stored, other values as pandas hashes them; the index not at all.
    """
    digest = hashlib.sha256(f"{frame.shape}".encode())
    for name, column in frame.items():
        digest.update(f"{name!r}: {column.dtype}".encode(errors="backslashreplace"))
        digest.update(_values(column))
    return f"rows-sha256:{digest.hexdigest()}"


def _values(column: pd.Series) -> bytes:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy().tobytes()
    try:
        hashes = pd.util.hash_pandas_object(column, index=False)
    except TypeError:  # lists and the like have no hash
        hashes = pd.util.hash_pandas_object(column.map(repr), index=False)
    return hashes.to_numpy(dtype=np.uint64).tobytes()
