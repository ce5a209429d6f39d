"""Tables in text: CSV and its relatives, whatever their delimiter, encoding and number style."""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pandas as pd

from ...errors import InputError
from .. import number_text
from ..bounds import Bounds
from ..dates import reads_as_dates
from ..number_text import Style, known
from . import clean_names

DELIMITERS = ",;\t|"
_SNIFFED_RECORDS = 50
_DELIMITER_LINE = re.compile(r'\A"?sep=([^"\n])"? *\n', re.IGNORECASE)
csv.field_size_limit(2**31 - 1)  # a cell may be a whole document
_BLANK_SIGNS = (" ", "\u00a0", "\f", "\x1a")
_BLANKS = re.compile(f"^[{''.join(_BLANK_SIGNS)}]+$", re.MULTILINE)
_CONTROL_BYTES = bytes(sorted(frozenset(range(0x20)) - frozenset(b"\t\n\r\f\x1a")))
_TITLE_LINE = (
    "'{file}' has 1 field in its first line but {fields} in line {line}; the first line must name "
    "the columns, so delete what stands above them"
)
_RAGGED = (
    "'{file}' has {fields} fields in line {line} but {expected} in its header; mend that line "
    "(is a delimiter or a quote missing?)"
)
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def parse_delimited(content: bytes, file: Path, bounds: Bounds) -> pd.DataFrame:
    """Parse a text table called ``file``; refused if it cannot be read without guessing.

    Fields are separated by comma, semicolon, tab or bar; the text is UTF-8, UTF-16 with a byte
    order mark, or cp1252. Numbers may have decimal commas or thousands separators.
    """
    decoded = _decoded(content, file).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text, delimiter = _delimited_text(decoded, file)
    names = _checked_names(text, delimiter, file, bounds)
    frame = _read(text, delimiter, names, file)
    return _with_numbers(frame, text, delimiter, file)


def _decoded(content: bytes, file: Path) -> str:
    marked = next((codec for mark, codec in _MARKS.items() if content.startswith(mark)), None)
    if marked is None and len(content.translate(None, _CONTROL_BYTES)) < len(content):
        sentence = (
            "'{file}' is not a text table (it holds binary data, or is UTF-16 without a mark); "
            "save it as CSV in UTF-8"
        )
        raise InputError("file.binary", sentence, file=file)
    for encoding in ("utf-8", "cp1252") if marked is None else (marked,):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    wrong = "is neither UTF-8 nor cp1252 text"
    if marked is not None:
        wrong = f"starts like {marked.removesuffix('-sig').upper()} text but holds other bytes"
    raise InputError("file.encoding", f"'{{file}}' {wrong}; save it as CSV in UTF-8", file=file)


def _delimited_text(text: str, file: Path) -> tuple[str, str]:
    """Return the text of the table, and the delimiter it names or that splits it best."""
    named = _DELIMITER_LINE.match(text)
    text = _without_blanks(text[named.end() :] if named else text)
    if not text.strip():
        sentence = "'{file}' is empty; supply a table with a header and rows"
        raise InputError("file.empty", sentence, file=file)
    if named is None:
        return text, _best_delimiter(text, file)
    if not named[1].isascii():
        sentence = "the first line of '{file}' names '{sign}' as the delimiter; use another sign"
        raise InputError("file.delimiter", sentence, file=file, sign=named[1])
    return text, named[1]


def _without_blanks(text: str) -> str:
    """Empty the lines of blanks that are outside of quotes: every second part is inside."""
    # far sooner said of single signs than the pattern is tried on all lines
    if not any(f"\n{sign}" in text for sign in _BLANK_SIGNS) and text[:1] not in _BLANK_SIGNS:
        return text
    parts = text.split('"')
    parts[::2] = [_BLANKS.sub("", part) for part in parts[::2]]
    return '"'.join(parts)


def _best_delimiter(text: str, file: Path) -> str:
    """Return the delimiter that splits the first records most evenly, then most finely.

    A comma comes after the others: it may be the decimal mark of every record.
    """

    def quality(delimiter: str) -> tuple[bool, bool, int]:
        records = islice(_records(text, delimiter, file), _SNIFFED_RECORDS)
        counts = [len(record) for _, record in records]
        # a single record may be a whole table, swallowed by a quote that the sign leaves open
        even = len(counts) > 1 and len(set(counts)) == 1 and counts[0] > 1
        return even, even and delimiter != ",", counts[0]

    return max(DELIMITERS, key=quality)


def _checked_names(text: str, delimiter: str, file: Path, bounds: Bounds) -> list[str]:
    """Return the columns' names, once every record is known to have a field for each."""
    records = _records(text, delimiter, file)
    _, header = next(records)
    bounds.check_extent(text.count("\n"), len(header), file)
    is_regular = _is_regular(text, delimiter, len(header))
    for line, record in () if is_regular else records:
        if len(record) != len(header) and record[len(header) :] != [""]:
            about = {"fields": len(record), "line": line, "expected": len(header)}
            if len(header) == 1:
                raise InputError("file.title_line", _TITLE_LINE, file=file, **about)
            raise InputError("file.ragged", _RAGGED, file=file, **about)
    return clean_names(header, file)


def _is_regular(text: str, delimiter: str, n_fields: int) -> bool:
    """Say whether it is plain that every line is blank or a record of ``n_fields`` fields.

    Faster than splitting the records, and sure only of what is written simply: a quote in the
    middle of a field, or space before one, leaves it open.
    """
    if delimiter not in DELIMITERS:  # a first line may name any sign, say the space
        return False
    parts = f"\n{text}\n".split('"')
    outside = parts[::2]
    beside = {part[-1:] for part in outside[:-1]} | {part[:1] for part in outside[1:]}
    if len(parts) % 2 == 0 or not beside <= {"", delimiter, "\n"}:
        return False
    lines = "x".join(outside).split("\n")
    return all(not line or line.count(delimiter) == n_fields - 1 for line in lines)


def _records(text: str, delimiter: str, file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of every record that is not blank."""
    # an io.StringIO would first copy all of the text, four bytes a sign
    lines = (line[0] for line in re.finditer(r"[^\n]*\n|[^\n]+", text))
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error:
        raise _unsplittable(file) from None


def _unsplittable(file: Path) -> InputError:
    sentence = "'{file}' cannot be split into fields; is a closing quote missing?"
    return InputError("file.unsplittable", sentence, file=file)


def _read(
    text: str, delimiter: str, names: list[str], file: Path, *, as_text: Collection[str] = ()
) -> pd.DataFrame:
    """Return the columns, or of those in ``as_text`` the texts alone."""
    try:
        return pd.read_csv(
            io.BytesIO(text.encode()),  # in half the time of an io.StringIO
            sep=delimiter,
            skipinitialspace=True,
            index_col=False,
            header=0,
            names=names,
            usecols=[i for i, name in enumerate(names) if not as_text or name in as_text],
            low_memory=False,
            dtype=str if as_text else None,
        )
    except pd.errors.ParserError:
        raise _unsplittable(file) from None


def _with_numbers(frame: pd.DataFrame, text: str, delimiter: str, file: Path) -> pd.DataFrame:
    """Turn columns of numbers that pandas leaves as text into numbers, and codes into text."""
    numeric = frame.select_dtypes("number").items()
    codes = [str(name) for name, n in numeric if (n.isna() | (n % 1 == 0)).all()]
    if codes and _has_leading_zeros(text, delimiter):
        texts = _read(text, delimiter, list(frame.columns), file, as_text=codes)
        frame = _replaced(
            frame, {c: texts[c] for c in codes if number_text.are_codes(texts[c].dropna())}
        )
    styles = _styles(frame, in_doubt=Style.POINT if delimiter == "," else Style.IN_DOUBT)
    if Style.COMMA in styles.values():
        # what pandas took for a decimal point may be a thousands separator: look at the text
        frame = _read(text, delimiter, list(frame.columns), file, as_text=list(frame.columns))
        styles = _styles(frame, in_doubt=Style.COMMA)
    numbers: dict[str, pd.Series] = {}
    for name, style in styles.items():
        if style is Style.IN_DOUBT:
            raise number_text.doubt(known(frame[name]), file)
        numbers[name] = number_text.to_numbers(frame[name], style)
    return _replaced(frame, numbers | _with_missing_dates(frame, numbers))


def _replaced(frame: pd.DataFrame, columns: dict[str, pd.Series]) -> pd.DataFrame:
    # made anew: put in one by one, thousands of columns would leave the frame in pieces
    return pd.DataFrame({**frame, **columns}) if columns else frame


def _has_leading_zeros(text: str, delimiter: str) -> bool:
    """Say whether a field seems to be a whole number with a leading zero, which pandas drops."""
    number = r"0\d+[^\w.:/-]"  # dates begin like that, too
    return re.search(rf'[\n"{re.escape(delimiter)}] ?{number}', text, re.ASCII) is not None


def _with_missing_dates(frame: pd.DataFrame, numbers: Collection[str]) -> dict[str, pd.Series]:
    """Return columns of dates, words for a missing value in them made missing."""
    dates: dict[str, pd.Series] = {}
    for name, first in _first_texts(frame):
        if name not in numbers and reads_as_dates(pd.Series([first])):
            texts = known(frame[name])
            if len(texts) < frame[name].count() and reads_as_dates(texts):
                dates[name] = texts.reindex(frame.index)
    return dates


def _first_texts(frame: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield each column of text with its first known value."""
    for name, column in frame.items():
        # of objects pandas looks at each
        looked_at = column.dropna() if column.dtype == object else column
        if pd.api.types.is_string_dtype(looked_at):
            first = number_text.first_known(column)
            if first is not None:
                yield str(name), first


def _styles(frame: pd.DataFrame, *, in_doubt: Style) -> dict[str, Style]:
    """Return the style of each text column of numbers, given what settles doubtful commas."""
    styles: dict[str, Style] = {}
    for name in [name for name, first in _first_texts(frame) if number_text.is_number(first)]:
        texts = known(frame[name])
        style = number_text.style_of(texts)
        if style is Style.IN_DOUBT and texts.str.contains(",").any():
            style = in_doubt
        if style is not None:
            styles[name] = style
    return styles
