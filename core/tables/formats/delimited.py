"""Tables in text: CSV and its relatives, whatever their delimiter, encoding and number style."""

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import pandas as pd

from ...messages import InputError, Sentence
from .. import number_text
from ..dates import is_date_like
from ..number_text import Style, fit_both
from ..text_values import Reading, Values
from . import Bounds, Parsed, clean_names, header_notes, without_copies

DELIMITERS = ",;\t|"
_SNIFFED_RECORDS = 50
_PIECE = 2**22  # characters, or bytes
_FIRST_ROWS = 100
_BEHIND = r"[^\w.:/-]"  # dates begin like codes, too
_WESTERN = "cp1252"
_DELIMITER_LINE = re.compile(r'\A"?sep=([^"\n])"? *\n', re.IGNORECASE)
csv.field_size_limit(2**31 - 1)  # a cell may be a whole document
_BLANK_SIGNS = (" ", "\u00a0", "\f", "\x1a")
_BLANKS = re.compile(rf"^[\n{''.join(_BLANK_SIGNS)}]+$", re.MULTILINE)  # all lines of a run
_LINE = re.compile(r"[^\n]*\n+|[^\n]+")  # with the empty ones below it, maybe millions
_EMPTY_LINES = re.compile(r"\n\n+")
_CONTROL_BYTES = bytes(sorted(frozenset(range(0x20)) - frozenset(b"\t\n\r\f\x1a")))
_TITLE_LINE = (
    "'{file}' has {expected} field{s} in line {first}, which is to name the columns, but {fields} "
    "in line {line}; if that one names them, choose it (--{choice} {line})"
)
_ROW_NAMES = (
    "The header has one field less than the rows, as R writes it where rows have names: these are "
    "'{column}'."
)
_IN_QUOTES = (
    "each line of '{file}' stands in quotes as a whole, so that it is one column; take these "
    "quotes off"
)
_RAGGED = (
    "'{file}' has {fields} fields in line {line} but {expected} in its header; mend that line "
    "(is a delimiter, a quote or a name missing?)"
)
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


_ENCODING = (
    "'{file}' is no UTF-8 text and was read as {encoding}; choose its encoding (--{choice}) if "
    "names or values look odd."
)

_REPEATED = "Lines that repeat the header, left out: {rows}."


def parse_delimited(content: bytes, file: Path, bounds: Bounds, reading: Reading) -> Parsed:
    """Parse a text table called ``file``; refused if it cannot be read without guessing.

    Fields are separated by comma, semicolon, tab or bar; the text is of the encoding that is named,
    or else UTF-8, UTF-16 with a byte order mark, or cp1252. Numbers may have decimal commas or
    thousands separators; points in columns named as numeric are decimal points.
    """
    encoding = reading.encoding
    decoded, guessed = _decoded(content, file, encoding)
    decoded = _with_line_feeds(decoded.lstrip("\ufeff"))
    text, delimiter = _delimited_text(decoded, file, reading.header)
    header, told = _checked_header(text, delimiter, file, bounds)
    text, repeated = _without_repeated_header(text, reading.header, header)
    names, copies = clean_names(header)
    if encoding is not None and len(names) == 1:
        sentence = "'{file}' has only one column if it is {encoding} text; is that its encoding?"
        raise InputError("file.one_column", sentence, file=file, encoding=encoding)
    values = _settled(_Source(text, delimiter, names, file, reading))
    frame, notes = without_copies(values.frame, copies, file)
    taken = _encoding_notes(file, guessed)
    notes = [*taken, *told, *repeated, *header_notes(frame), *notes, *values.notes]
    return Parsed(frame, notes, commas=values.in_doubt)


def parse_in_pieces(file: Path, bounds: Bounds, reading: Reading) -> Iterator[Parsed]:
    """Parse a text table piece by piece, each with its header as :func:`parse_delimited` does.

    Encoding, delimiter and header are decided by the first, and what commas are once it is known.
    """
    with file.open("rb") as source:
        start = source.read(_PIECE) + source.readline(bounds.text)
    marked = next((codec for mark, codec in _MARKS.items() if start.startswith(mark)), None)
    named = reading.encoding or marked
    guessed = None if named else _decoded(start, file, None)[1]
    head, line, reading = "", 0, replace(reading, encoding=None)
    for piece in _pieces(file, named or guessed or "utf-8", bounds):
        with _line_told(line - head.count("\n")):
            parsed = parse_delimited((head + piece).encode(), file, bounds, reading)
        yield replace(parsed, notes=[*_encoding_notes(file, guessed), *parsed.notes])
        if not head:
            text, delimiter = _delimited_text(_with_line_feeds(piece), file, reading.header)
            height, _ = next(_records(text, delimiter, file))
            first = "\n".join(text.split("\n", height)[:height]).lstrip("\n")
            are_named = any(note.code == "header.row_names" for note in parsed.notes)
            head = f"sep={delimiter}\n{delimiter * are_named}{first}\n"
        line += piece.count("\n")
        reading = replace(reading, header=2, commas=parsed.commas)


def _pieces(file: Path, encoding: str, bounds: Bounds) -> Iterator[str]:
    """Yield the text in pieces that end with lines, and with even quotes unless these are odd."""
    text = ""
    with file.open(encoding=encoding, newline="") as source:
        try:
            while more := source.read(_PIECE) + source.readline(bounds.text):
                text += more
                if text.count('"') % 2 == 0 or len(text) > bounds.text:
                    yield text.lstrip("\ufeff")
                    text = ""
        except UnicodeError:
            sentence = "'{file}' is not {encoding} text throughout; save it as CSV in UTF-8"
            raise InputError("file.encoding", sentence, file=file, encoding=encoding) from None
    if text:
        yield text


@contextmanager
def _line_told(before: int) -> Iterator[None]:
    """Count the line that a refusal names from the start of the file."""
    try:
        yield
    except InputError as error:
        told, line = error.sentence, error.sentence.values.get("line")  # noqa: PD011 - no frame's
        told = told if line is None else told.with_values(line=line + before)
        raise InputError(told.code, told.template, **told.values) from None


def _encoding_notes(file: Path, guessed: str | None) -> list[Sentence]:
    about = {"file": file, "encoding": guessed, "choice": "encoding"}
    return [Sentence("file.encoding_taken", _ENCODING, **about)] if guessed else []


def _with_line_feeds(text: str) -> str:
    """Return text whose lines end with line feeds; what values hold within quotes stays apart."""
    if "\r" not in text:
        return text
    is_plain = "\n" not in text or text.count('"') % 2
    parts = [text] if is_plain else text.split('"')
    parts[::2] = [part.replace("\r\n", "\n").replace("\r", "\n") for part in parts[::2]]
    return '"'.join(parts)


def _decoded(content: bytes, file: Path, named: str | None) -> tuple[str, str | None]:
    """Return the text, and the encoding that was taken for want of another."""
    marked = next((codec for mark, codec in _MARKS.items() if content.startswith(mark)), None)
    encoding = named or marked
    if encoding is None and len(content.translate(None, _CONTROL_BYTES)) < len(content):
        sentence = (
            "'{file}' is not a text table (it holds binary data, or is UTF-16 without a mark); "
            "save it as CSV in UTF-8"
        )
        raise InputError("file.binary", sentence, file=file)
    try:
        return content.decode(encoding or "utf-8"), None
    except UnicodeError as error:
        problem = error
    if encoding is None and not _is_nearly_utf_8(content):
        try:
            return content.decode(_WESTERN), _WESTERN
        except UnicodeDecodeError:
            sentence = (
                "'{file}' is neither UTF-8 nor cp1252 text; choose its encoding (--{choice}), or "
                "save it as CSV in UTF-8"
            )
            raise InputError("file.encoding", sentence, file=file, choice="encoding") from None
    called = (encoding or "utf-8").removesuffix("-sig").upper()
    before = content[: getattr(problem, "start", 0)].decode(encoding or "utf-8", "replace")
    sentence = (
        "'{file}' is {encoding} text but for bytes in line {line}; mend that line, or choose "
        "another encoding (--{choice})"
    )
    about = {"encoding": called, "line": before.count("\n") + 1, "choice": "encoding"}
    raise InputError("file.encoding", sentence, file=file, **about)


def _is_nearly_utf_8(content: bytes) -> bool:
    """Say whether most of what is not ASCII is UTF-8: other text hardly ever is by accident."""
    text = content.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) - wrong >= wrong


def _delimited_text(text: str, file: Path, header: int) -> tuple[str, str]:
    """Return the text of the table, and the delimiter it names or that splits it best.

    What stands above the header's line are empty ones then.
    """
    named = _DELIMITER_LINE.match(text)
    above = max(header - 1, 1 if named else 0)
    text = "\n" * above + _without_blanks("".join(text.split("\n", above)[above:]))
    if not text.strip():
        sentence = "'{file}' is empty; supply a table with a header and rows"
        sentence = sentence if header == 1 else "'{file}' has no line {header}; choose another"
        raise InputError("file.empty", sentence, file=file, header=header)
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
    parts[::2] = [_BLANKS.sub(_breaks_of, part) for part in parts[::2]]
    return '"'.join(parts)


def _breaks_of(lines: re.Match[str]) -> str:
    return "\n" * lines[0].count("\n")


def _without_repeated_header(
    text: str, header: int, names: list[str]
) -> tuple[str, list[Sentence]]:
    """Empty the lines that repeat the header's, as of files put one behind the other."""
    line = text.split("\n", header)[header - 1]
    is_words = not all(number_text.is_number(name) for name in names)
    if not (line and is_words and f"\n{line}\n" in text) or '"' in text:
        return text, []
    first = header - 1 + len(line)  # above it there are empty lines alone
    below, rows = re.subn(f"(?m)^{re.escape(line)}$", "", text[first:])
    return text[:first] + below, [Sentence("file.header_repeated", _REPEATED, rows=rows)]


def _best_delimiter(text: str, file: Path) -> str:
    """Return the delimiter that makes a table of the first records.

    It splits them evenly, into more numbers and dates than others do, then most finely. A comma
    comes after the others: it may be the decimal mark of every record.
    """
    split = {
        sign: [found for _, found in islice(_records(text, sign, file, _PIECE), _SNIFFED_RECORDS)]
        for sign in DELIMITERS
    }
    # a single record may be a whole table, swallowed by a quote that the sign leaves open
    even = [
        sign
        for sign, records in split.items()
        if len(records) > 1 and len(set(map(len, records))) == 1 and len(records[0]) > 1
    ]
    if len(even) <= 1:
        return even[0] if even else max(DELIMITERS, key=lambda sign: _steady(split[sign]))

    def quality(sign: str) -> tuple[float, int, bool]:
        cells = [cell.strip() for record in split[sign][1:] for cell in record]
        typed = sum(number_text.is_number(cell) or is_date_like(cell) for cell in cells)
        return typed / len(cells), len(split[sign][0]), sign != ","

    return max(even, key=quality)


def _steady(records: list[list[str]]) -> tuple[int, int]:
    """Return how many records have the most usual number of fields above one, and the first's."""
    counts = Counter(len(record) for record in records if len(record) > 1)
    return max(counts.values(), default=0), len(records[0])


def _checked_header(
    text: str, delimiter: str, file: Path, bounds: Bounds
) -> tuple[list[str], list[Sentence]]:
    """Return the columns' names, once every record is known to have a field for each.

    Where records have one field more, which differs in all of them, the first are rows' names.
    """
    records = _records(text, delimiter, file)
    first, header = next(records)
    empty = sum(len(lines[0]) - 1 for lines in _EMPTY_LINES.finditer(text))
    bounds.check_extent(text.count("\n") - empty, len(header), file)
    if _is_regular(text, delimiter, len(header)):
        if len(header) == 1 and any(sign in header[0] for sign in DELIMITERS):
            raise InputError("file.quoted_lines", _IN_QUOTES, file=file)
        return header, []
    wanted, rows, names = len(header), 0, set()
    lines: dict[int, int] = {}  # the first of each number of fields
    for line, record in records:
        fields = wanted if record[wanted:] == [""] else len(record)
        lines.setdefault(fields, line)
        rows += 1
        if fields > wanted:
            names.add(record[0])
    fields, line = next((item for item in lines.items() if item[0] != wanted), (wanted, first))
    if fields == wanted:
        return header, []
    is_steady = len(lines) == 1 and rows > 1
    more = fields - wanted if is_steady else 0
    if more == 1 < wanted and len(names) == rows:
        (name, *_), _ = clean_names(["", *header])
        return ["", *header], [Sentence("header.row_names", _ROW_NAMES, column=name)]
    about = {"fields": fields, "expected": wanted, "line": line}
    if wanted == 1 or more > 1:
        named: dict[str, object] = {"first": first, "choice": "header", "s": "s" * (wanted > 1)}
        raise InputError("file.title_line", _TITLE_LINE, file=file, **about, **named)
    raise InputError("file.ragged", _RAGGED, file=file, **about)


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
    lines = _EMPTY_LINES.sub("\n", "x".join(outside)).split("\n")
    return all(not line or line.count(delimiter) == n_fields - 1 for line in lines)


def _records(
    text: str, delimiter: str, file: Path, most: float = math.inf
) -> Iterator[tuple[int, list[str]]]:
    """Yield the records, each with its last line, until they have so many signs."""
    line = 0

    def lines() -> Iterator[str]:
        nonlocal line
        breaks = 0
        # an io.StringIO would first copy all of the text, four bytes a sign
        for found in _LINE.finditer(text):
            if found.start() - breaks > most:
                return
            line, breaks = breaks + 1, breaks + found[0].count("\n")
            # which other line breaks values hold makes no difference to their fields
            yield found[0].replace("\r", "")

    try:
        for record in csv.reader(lines(), delimiter=delimiter, skipinitialspace=True):
            if record:
                yield line, record
    except csv.Error:
        raise _unsplittable(file) from None


def _unsplittable(file: Path) -> InputError:
    sentence = "'{file}' cannot be split into fields; is a closing quote missing?"
    return InputError("file.unsplittable", sentence, file=file)


@dataclass(frozen=True)
class _Source:
    """A text that is known to be a table."""

    text: str
    delimiter: str
    names: list[str]
    file: Path
    reading: Reading

    @cached_property
    def content(self) -> bytes:
        """The text in UTF-8, which pandas reads in half the time of an io.StringIO."""
        return self.text.encode()

    def read(
        self, as_text: Collection[str] = (), words: Collection[str] | None = None
    ) -> pd.DataFrame:
        """Return the columns, or of those in ``as_text`` the texts alone, but for such words."""
        words = [*(self.reading.words.anywhere if words is None else words)]
        kinds, may_hold = self.reading.kinds, self.reading.may_hold
        texts = dict.fromkeys((name for name in self.names if not may_hold(name, "number")), str)
        try:
            return pd.read_csv(
                io.BytesIO(self.content),
                sep=self.delimiter,
                skipinitialspace=True,
                index_col=False,
                header=0,
                names=self.names,
                usecols=[i for i, n in enumerate(self.names) if not as_text or n in as_text],
                low_memory=False,
                dtype=str if as_text else texts,
                na_values=words
                if kinds is None
                else {name: words if name in kinds else [""] for name in self.names},
                keep_default_na=False,
            )
        except pd.errors.ParserError:
            raise _unsplittable(self.file) from None

    def first(self) -> dict[str, list[str]]:
        """Return by column what the first rows hold, but for words for a missing value."""
        records = islice(_records(self.text, self.delimiter, self.file), 1, _FIRST_ROWS)
        columns = zip(*(record[: len(self.names)] for _, record in records), strict=True)
        words = self.reading.words.anywhere
        return {
            name: [bare for cell in cells if (bare := cell.strip()) not in words]
            for name, cells in zip(self.names, columns, strict=False)
        }

    def holds(self, pattern: str, behind: str) -> bool:
        """Say whether a field seems to be of a pattern, with such signs behind it."""
        start = rf'[\n"{re.escape(self.delimiter)}] ?'
        return re.search(start + f"(?:{pattern})" + behind, self.text, re.ASCII) is not None


def _settled(source: _Source) -> Values:
    """Return the values; columns are read anew as text where pandas' numbers may not be it."""
    in_doubt = Style.POINT if source.delimiter == "," else Style.IN_DOUBT
    in_doubt = source.reading.commas or in_doubt
    values = Values(source.read(), source.file, source.reading, in_doubt)
    suspects = _suspects(values.frame, source)
    if suspects:
        texts = source.read(suspects)
        known = {name: texts[name].dropna() for name in suspects}
        values.replace({name: texts[name] for name in suspects if _is_text(known[name])})
    styles = values.styles()
    if Style.COMMA in (*styles.values(), in_doubt):
        # what pandas took for a decimal point may be a thousands separator: look at the text
        values.frame = source.read(source.names)
        values.in_doubt = Style.COMMA
        styles = values.styles()
    values.settle(styles)
    gaps = [name for name in values.text_columns() if values.frame[name].hasnans]
    gaps += values.frame.columns[values.frame.isna().all()].difference(gaps).tolist()
    words = "|".join(re.escape(word) for word in source.reading.words.anywhere if word)
    if gaps and source.holds(words, rf' *[\n"{source.delimiter}]'):
        texts = source.read(gaps, words=[""])
        values.replace({name: texts[name] for name in gaps})
    values.finish()
    values.part_intervals()
    return values


def _suspects(frame: pd.DataFrame, source: _Source) -> list[str]:
    """Return the columns of numbers of which the texts may say something else.

    Codes such as 007 or 7E2, whole numbers that floats do not hold, points that divide thousands.
    """
    numbers = frame.select_dtypes("number")
    is_whole = (numbers.isna() | (numbers % 1 == 0)).all()
    whole = [str(name) for name in numbers.columns[is_whole.to_numpy(dtype=bool)]]
    floats = [name for name in whole if pd.api.types.is_float_dtype(numbers.dtypes[name])]
    found = [name for name in floats if number_text.is_large(numbers[name])]
    if whole and source.holds(r"0\d+", _BEHIND):
        found += whole
    elif floats and source.holds(r"\d++[eE]\d+", _BEHIND):
        found += floats
    parts = {*map(str, numbers.columns)} - {*whole, *source.reading.numeric}
    # the first rows nearly always say that their points are decimal points
    found += [name for name, cells in source.first().items() if name in parts and fit_both(cells)]
    return list(dict.fromkeys(found))


def _is_text(texts: pd.Series) -> bool:
    if number_text.are_codes(texts):
        return True
    numbers = pd.to_numeric(texts, errors="coerce")
    return number_text.is_large(numbers) or number_text.style_of(texts) is Style.IN_DOUBT
