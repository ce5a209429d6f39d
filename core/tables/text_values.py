"""What columns of text hold, whatever file they are from: numbers, dates, words for missing."""

import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ..arrays import BoolArray
from ..messages import Cell, InputError, Names, Sentence, first_of, told_apart
from .columns import Column, ColumnKind, as_levels, first_cell
from .dates import days_in, is_date_or_time, reads_as_dates, without_century
from .number_text import Style, are_codes, doubt, is_number, is_power, style_of, to_numbers

_NUMBERS = ("integer", "floating", "mixed-integer-float")  # as pandas infers of objects
_CODES = (
    "Column '{column}' holds codes such as '{value}', kept as text; have it read as numbers "
    "(--{choice}) if they are powers of ten."
)
_MIXED = (
    "Column '{column}' holds dates in {dates} rows and, in {count}, texts such as '{value}' in row "
    "{row}, which are read as dates, too. A spreadsheet program leaves such texts where it takes "
    "days for months: see that it has not exchanged day and month in the others."
)
_DAYS = "Read as dates: whole numbers that are all days, as 20201009 is, in {columns}."
_INTERVALS = "Read as two columns of numbers, their ends: the intervals in {columns}."
_NUMBER = r"\s*+([-+]?(?:[\d.]+(?:[eE][-+]?\d+)?|inf|nan))"
_INTERVAL = re.compile(
    rf"\s*+(?:c|array)?([\[(]){_NUMBER}(?:\s*+[,;]|\s){_NUMBER}\s*+([\])])\s*+", re.ASCII
)
_OF_NUMPY = re.compile(r"np\.\w+\(([^()]*)\)")
_MOST_BANDS = 20  # of a number, which are intervals, too
_MISSING = (
    "Taken as missing: {words}. If these are values, choose other words for missing values "
    '(--{choice}; "" for empty cells alone).'
)

_ANYWHERE = frozenset(
    {
        *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NaN", "-NaN", "nan", "-nan"),
        *("NULL", "null", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)
"""Words that mean a missing value; those of pandas. Blanks around them do not decide."""
_AMONG_NUMBERS = frozenset(
    {
        *("?", ".", "..", "...", "nan", "na", "n/a", "n.a.", "<na>", "#n/a", "null", "(null)"),
        *(f".{letter}" for letter in string.ascii_lowercase),  # Stata's
        *("missing", "(missing)", "(blank)", "(empty)", "unknown", "not available"),
        *("#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
    }
)


@dataclass(frozen=True)
class MissingWords:
    """What means a missing value in any column, and among numbers and dates, in small letters."""

    anywhere: frozenset[str] = _ANYWHERE
    among_numbers: frozenset[str] = _AMONG_NUMBERS

    def known(self, texts: pd.Series) -> pd.Series:
        """Return those of a column's texts that are no such word among numbers, nor missing."""
        texts = texts.dropna()
        words = [value for value in texts.unique().tolist() if self.has(value)]
        return texts[~texts.isin(words)] if words else texts

    def has(self, text: str) -> bool:
        """Say whether a text is such a word among numbers."""
        bare = text.strip()
        return bare in self.anywhere or bare.lower() in self.among_numbers


USUAL = MissingWords()


@dataclass(frozen=True)
class Reading:
    """What a person says about how a file is to be read."""

    encoding: str | None = None  # of a text table; None where its bytes tell
    sheet: str | None = None  # of a workbook; None for the first
    header: int = 1  # the line, or row of a sheet, that names the columns
    missing: tuple[str, ...] | None = None
    """Words that mean a missing value, beside empty cells; None for the usual ones."""
    numeric: tuple[str, ...] = ()
    """Columns of numbers in which a point, as in 1.779, is a decimal point."""
    kinds: Mapping[str, ColumnKind] | None = None
    """What columns are to hold, others being text as it is; None where their values say."""
    commas: Style | None = None  # what those in doubt are; None where the delimiter says

    @property
    def words(self) -> MissingWords:
        """The words that mean a missing value."""
        if self.missing is None:
            return USUAL
        return MissingWords(frozenset({"", *(word.strip() for word in self.missing)}), frozenset())

    def may_hold(self, name: str, *kinds: ColumnKind) -> bool:
        """Say whether a column's values decide if it holds this, or it is to hold it."""
        return self.kinds is None or self.kinds.get(name) in kinds


@dataclass
class Values:
    """A frame whose columns of text are made what they hold, and what there is to say of that."""

    frame: pd.DataFrame
    file: Path
    reading: Reading
    in_doubt: Style = Style.IN_DOUBT  # what settles commas that may be of either kind
    notes: list[Sentence] = field(default_factory=list)

    def replace(self, columns: dict[str, pd.Series]) -> None:
        """Put columns in the place of those of their names."""
        if columns:
            # made anew: put in one by one, thousands of columns would leave the frame in pieces
            self.frame = pd.DataFrame({**self.frame, **columns})

    def part(self) -> None:
        """Make columns of texts and other values the others' kind, or else text."""
        columns = ((str(name), column) for name, column in self.frame.items())
        self.replace({name: self._parted(of) for name, of in columns if of.dtype == object})

    def _parted(self, column: pd.Series) -> pd.Series:
        is_text = column.map(lambda value: isinstance(value, str)).astype(bool)
        if not is_text.any() or (is_text | column.isna()).all():
            return column
        texts = self.reading.words.known(column[is_text])
        others = column.mask(is_text).infer_objects()
        if texts.empty:
            return others
        style = self.style_of(str(column.name), texts)
        if style is None or pd.api.types.infer_dtype(others, skipna=True) not in _NUMBERS:
            are_dates = reads_as_dates(texts) and not without_century(texts).any()
            if pd.api.types.is_datetime64_any_dtype(others) and are_dates:
                counts = {"dates": others.count(), "count": len(texts)}
                about = {"column": column.name, **counts, **first_cell(texts)}
                self.notes.append(Sentence("column.mixed_dates", _MIXED, **about))
            return as_levels(column)
        if style is Style.IN_DOUBT:
            raise doubt(texts, self.file)
        return others.astype(float).fillna(to_numbers(texts, style))

    def styles(self) -> dict[str, Style]:
        """Return the style of each text column of numbers."""
        numbers = self._texts_like(is_number, "number")
        styles = {name: self.style_of(name, texts) for name, texts in numbers}
        return {name: style for name, style in styles.items() if style is not None}

    def style_of(self, name: str, texts: pd.Series) -> Style | None:
        """Return how a column's texts, none missing, write numbers, with doubt that is settled."""
        style = style_of(texts)
        if style is not Style.IN_DOUBT:
            return style
        if texts.str.contains(",").any():
            return self.in_doubt
        return Style.POINT if name in self.reading.numeric else style

    def settle(self, styles: dict[str, Style]) -> None:
        """Make texts numbers, of these styles, and words among dates missing ones."""
        numbers: dict[str, pd.Series] = {}
        for name, style in styles.items():
            texts = self.reading.words.known(self.frame[name])
            if style is Style.IN_DOUBT:
                raise doubt(texts, self.file)
            numbers[name] = to_numbers(texts.reindex(self.frame.index), style)
        self.replace(numbers)
        dates = {
            name: texts.reindex(self.frame.index)
            for name, texts in self._texts_like(is_date_or_time, "date")
            if len(texts) < self.frame[name].count() and reads_as_dates(texts)
        }
        self.replace(dates)
        others = {n for n, kind in (self.reading.kinds or {}).items() if kind != "category"}
        self.replace({n: self._as_wanted(n) for n in self.text_columns() if n in others})

    def _as_wanted(self, name: str) -> pd.Series:
        """Return a text column that is to hold numbers or dates: without words, all if numbers."""
        known, is_numeric = self.reading.words.known(self.frame[name]), name in self.reading.numeric
        if not (is_numeric or self.reading.may_hold(name, "number")):
            return known.reindex(self.frame.index).rename(name)
        numbers = known[known.isin([text for text in known.unique().tolist() if is_number(text)])]
        known = numbers if is_numeric else known
        texts = known.reindex(self.frame.index).rename(name)
        are_read = self.reading.may_hold(name, "number") and 0 < len(known) == len(numbers)
        return read_as_numbers(Column(texts, "category")).series if are_read else texts

    def finish(self, *, in_categories: bool = True) -> None:
        """Make words missing in categories if asked for, tell of codes, find days."""
        if in_categories:
            self._drop_words()
        for name, texts in self._texts_like(is_number, "number"):
            power = next(filter(is_power, texts.unique()), None)
            if power is not None and are_codes(texts):
                about = {"column": name, "value": Cell(power), "choice": "numeric"}
                self.notes.append(Sentence("column.codes", _CODES, **about))
        may_be = [name for name in self.frame if self.reading.may_hold(str(name), "date")]
        days = days_in(self.frame[may_be].drop(columns=[*self.reading.numeric], errors="ignore"))
        self.replace(days)
        if days:
            self.notes.append(Sentence("columns.days", _DAYS, columns=first_of(list(days))))

    def part_intervals(self) -> None:
        """Make intervals as text two columns of their ends; not of files that are read in part."""
        names = self.text_columns() if self.reading.kinds is None else ()
        parted = {name: ends for name in names if (ends := self._ends(name))}
        if parted:
            columns: dict[str, pd.Series] = {}
            for name, column in self.frame.items():
                columns |= parted.get(str(name), {str(name): column})
            self.frame = pd.DataFrame(columns)
            about = {"columns": first_of([*parted])}
            self.notes.append(Sentence("columns.intervals", _INTERVALS, **about))

    def _ends(self, name: str) -> dict[str, pd.Series]:
        """Return the ends of a column's intervals by names for them; empty if it holds others."""
        texts = self.frame[name].dropna().str.replace(_OF_NUMPY, r"\1", regex=True)
        if not _INTERVAL.fullmatch(next(iter(texts), "")) or texts.nunique() <= _MOST_BANDS:
            return {}
        found = texts.str.extract(rf"^(?:{_INTERVAL.pattern})$")
        ends = found[[1, 2]].apply(pd.to_numeric, errors="coerce")
        are_bands = (found[0] == "[") != (found[3] == "]")  # half-open, as programs write bands
        if found.isna().any(axis=None) or are_bands.any() or (ends[1] > ends[2]).any():
            return {}
        names = told_apart([f"{name} (lower)", f"{name} (upper)"], taken=map(str, self.frame))
        return {end: ends[at].reindex(self.frame.index) for at, end in enumerate(names, start=1)}

    def _drop_words(self) -> None:
        """Make words for missing values in columns of categories missing, and tell of them."""
        found: Counter[tuple[str, str]] = Counter()
        columns: dict[str, pd.Series] = {}
        for name in self.text_columns():
            bare = self.frame[name].str.strip()
            is_word = bare.isin(self.reading.words.anywhere)
            if is_word.any():
                counts = bare[is_word].value_counts()
                found |= Counter({(name, str(w)): n for w, n in counts.items() if w})
                columns[name] = self.frame[name].mask(is_word)
        self.replace(columns)
        if found:
            told = [f"'{w}' in {n} of '{c}'" for (c, w), n in found.most_common()]
            those, taken = (Names(dict.fromkeys(part)) for part in zip(*found, strict=True))
            about = {"words": first_of(told), "columns": those, "taken": taken}
            self.notes.append(Sentence("columns.missing", _MISSING, **about, choice="missing"))

    def text_columns(self) -> Iterator[str]:
        """Yield the names of the columns of text that anything is to be made of."""
        for name, column in self.frame.items():
            if not self.reading.may_hold(str(name), "number", "date", "category"):
                continue
            # of objects pandas looks at each
            if pd.api.types.is_string_dtype(column.dropna() if column.dtype == object else column):
                yield str(name)

    def _texts_like(
        self, is_such: Callable[[str], bool], kind: ColumnKind
    ) -> Iterator[tuple[str, pd.Series]]:
        """Yield the columns of text whose first known value is such a text: most are ruled out."""
        words = self.reading.words
        for name in self.text_columns():
            if not self.reading.may_hold(name, kind):
                continue
            texts = self.frame[name]
            first = next((value for value in texts.dropna() if not words.has(value)), None)
            if first is not None and is_such(first):
                yield name, words.known(texts)


def plainly(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Sentence]]:
    """Return a frame with durations as seconds, bytes as the text that they are, and notes."""
    notes = []
    for code, text, find in _PLAINLY:
        found = find(frame)
        if found:
            frame = pd.DataFrame({**frame, **found})
            notes.append(Sentence(code, text, columns=first_of([*found])))
    return frame, notes


def _seconds_in(frame: pd.DataFrame) -> dict[str, pd.Series]:
    durations = frame.select_dtypes("timedelta")
    return {str(name): column.dt.total_seconds() for name, column in durations.items()}


def _texts_in(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the columns of bytes, of values or of categories, that all are text in UTF-8."""
    texts: dict[str, pd.Series] = {}
    for name, column in frame.items():
        is_coded = isinstance(column.dtype, pd.CategoricalDtype)
        values = column.astype(object) if is_coded else column
        if values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "bytes":
            with suppress(UnicodeDecodeError):
                decoded = values.map(bytes.decode, na_action="ignore")
                if not decoded.str.contains("\0", regex=False).any():
                    texts[str(name)] = decoded
    return texts


_PLAINLY: tuple[tuple[str, str, Callable[[pd.DataFrame], dict[str, pd.Series]]], ...] = (
    ("columns.seconds", "Read as numbers of seconds: the durations in {columns}.", _seconds_in),
    ("columns.texts", "Read as text in UTF-8: the bytes in {columns}.", _texts_in),
)


def read_as_numbers(column: Column) -> Column:
    """Return a column as numbers, the rest missing; refused if none is one, or one is in doubt."""
    if column.holds == "number":
        return column
    if column.holds == "date":
        sentence = (
            "column '{column}' holds dates, which are read as numeric parts already; do not name "
            "it as numeric"
        )
        raise InputError("numeric.dates", sentence, column=column.name)
    texts = column.levels
    readable = pd.Series([v for v in USUAL.known(texts).unique() if is_number(v)], dtype=str)
    if readable.empty:
        sentence = "column '{column}' holds no numbers; do not name it as numeric"
        raise InputError("numeric.none", sentence, column=column.name)
    style = _certain_style(readable, column.name)
    return Column.of(to_numbers(texts.where(texts.isin(readable)), style))


def without_words(column: Column, where: BoolArray) -> Column:
    """Return a column with words in these rows missing; what is left may be numbers then."""
    is_whole = column.series.dtype.kind in "iub"  # which keep their digits beside missing ones
    left = Column.of((column.series.convert_dtypes() if is_whole else column.series).mask(where))
    known = USUAL.known(left.levels) if left.holds == "category" else pd.Series(dtype=str)
    style = style_of(known) if len(known) else None
    return left if style in (None, Style.IN_DOUBT) else read_as_numbers(left)


def _certain_style(numbers: pd.Series, column: Hashable) -> Style:
    style = style_of(numbers)
    if are_codes(numbers) or (style is Style.IN_DOUBT and not numbers.str.contains(",").any()):
        return Style.POINT
    if style is None or style is Style.IN_DOUBT:
        value = next(number for number in numbers if not number.isdecimal())
        sentence = (
            "column '{column}' holds numbers, such as '{value}', that can be read in two ways; "
            "write them with a decimal point, without other signs and thousands separators"
        )
        raise InputError("numeric.in_doubt", sentence, column=column, value=Cell(value))
    return style
