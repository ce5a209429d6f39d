"""Tables as they come: for each awkward input the right values, or the exact sentence."""

import bz2
import csv
import datetime as dt
import decimal
import gzip
import io
import re
import zipfile
from dataclasses import dataclass

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import as_parquet, written, zipped

from evencover.core import AuditSettings, InputError, parse_table
from evencover.core.preparation.roles import profile_columns
from evencover.core.preparation.split import time_split
from evencover.core.tables.columns import Column
from evencover.core.tables.dates import to_dates

N, INF = 60, float("inf")
OOPS = [["oops", 1], *[[i % 9, i] for i in range(60)]]
TABLE = b"a,b\n1,x\n2,y\n"
TWO = {"a": [1, 2], "b": ["x", "y"]}
ONE = {"a": [1], "b": [2]}
BC = {"b": [1, 3], "c": [2, 4]}


@dataclass(frozen=True)
class Fact:
    """What the profile says of column 'a': its kind, and why it is left out, if it is."""

    kind: str
    reason: str | None = None


@dataclass(frozen=True)
class Moments:
    """The first dates of column 'a'; None is a missing one."""

    moments: tuple[str | None, ...]


def column(*cells):
    """Write a table of N rows, the cells coming round in column 'a'."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["a", "b"])
    writer.writerows([cells[i % len(cells)], i * i % 7 + 0.5] for i in range(N))
    return buffer.getvalue().encode()


def numbers_and(odd):
    """Write a column of numbers with one odd cell, in row 21."""
    return column(*[i * 37 % 101 for i in range(20)], odd, *[i * 29 % 97 for i in range(N - 21)])


def dates_and(odd):
    """Write a column of dates with one odd cell, in row 3."""
    return column("2014-10-11", "2014-10-12", odd, *[f"2014-11-{i % 28 + 1:02}" for i in range(57)])


def distinct(template):
    return column(*[template.format(i * 7919 % 1000) for i in range(N)])


def encrypted():
    """Mark the file in an archive as encrypted, in its local and its central header."""
    content = bytearray(zipped({"t.csv": TABLE}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def opendocument(kind):
    files = {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": b""}
    return zipped(files, zipfile.ZIP_STORED)


def workbook(*sheets, merge=None):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
        if merge is not None:
            sheet.merge_cells(merge)
    return written(book.save)


def with_computed(content, value):
    """Store the value of the formulas, as Excel does and openpyxl does not."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    stored = b"</f><v>%d</v>" % value
    files[sheet] = re.sub(rb"</f><v ?/>|</f><v></v>", stored, files[sheet])
    return zipped(files)


class Refused:
    """The code of a refusal, and values that its sentence quotes."""

    def __init__(self, code, **quoted):
        self.code, self.quoted = code, quoted


def ragged(fields, line):
    return Refused("file.ragged", fields=fields, line=line, expected=2)


def moments(*told):
    return Moments(told)


def ab(a, b):
    return {"a": a, "b": b}


def sheet(*rows):
    return workbook([["a", "b"], *rows])


def stored(a):
    return as_parquet({"a": a, "b": [1, 2]})


def kept_as(what):
    return f"'t' is {what}, which is not read; save the table as CSV or Parquet"


def no_century(value, row):
    return Fact("date", NO_CENTURY.format(value, row))


def titled(fields, line):
    return Refused("file.title_line", fields=fields, line=line)


def doubtful(name, value, low, high):
    asked = {} if "," in value else {"choice": "numeric"}
    return Refused("column.in_doubt", column=name, value=value, low=low, high=high, **asked)


def nearly(what, odd, row):
    told = f"is nearly all {what} but holds '{odd}' in row {row}; mend that value"
    told += ", or have the column read as numbers" * (what == "numbers")
    return Fact("category", told)


def profile_of(column, frame):
    target = next(name for name in reversed(frame.columns) if name != column)
    profiles = profile_columns(frame, AuditSettings(target=target))
    return {profile.name: profile for profile in profiles}[column]


def unlike(one, row, other, other_row):
    told = f"holds '{one}' in row {row} but '{other}' in row {other_row}; write all numbers with "
    return Fact("category", told + "the same sign, or none")


ONLY_COLUMN, BINARY = Refused("file.one_column"), Refused("file.binary")
EMPTY = "'t' is empty; supply a table with a header and rows"
NO_ROWS, TWICE = Refused("file.no_rows"), Refused("columns.same_name", column="a")
UNCLOSED = Refused("file.unsplittable")
DAMAGED = "'t' is a damaged archive; pack it again"
NO_FILE, NESTED = Refused("file.several", count=0), Refused("file.nested_archive")
TITLE_ROW = Refused("file.title_line", columns=2)
WEB_PAGE = "'t' is a web page or XML, not a table; save the table itself as CSV"
JSON = "'t' is JSON, not a table; save it as CSV or Parquet"
UNREADABLE = "'t' is a workbook that cannot be read: it is damaged; save the table as CSV"
OTHER_PACKING = "'t' is packed in a way that is not read; pack it with gzip or zip"
CUT_PARQUET = "'t' starts like a Parquet file but cannot be read; it may be cut short"
NO_ORDER = "holds dates of which day and month cannot be told apart; write them as 2014-10-13"
NO_CENTURY = "holds '{}' in row {}, with no year of four digits; write it as 2014-10-13"
NEITHER = "holds values that are neither numbers nor text"
NUMBER, CATEGORY, DATE = Fact("number"), Fact("category"), Fact("date")
KILOGRAMS = "holds numbers with 'kg' behind them; write the numbers alone"
LONG = "holds a whole number of more than 300 digits; store it as text"
NO_DATE = "holds '2014-10-13 25:00' in row 3, which is no date; mend that value"
OTHER_SHEET = "sheet 'Sheet' of 't' is empty; choose another sheet (--sheet): 'Sheet1'"
LOCKED = "'t' is a workbook with a password; save it without one"
OPEN_TEXT = "'t' is an OpenDocument file without a table; save the table as .ods or CSV"
PDF = "'t' is a PDF document, not a table; save the table itself as CSV"
LFS = "'t' only points to a file in Git LFS; fetch the file itself (git lfs pull)"
NO_VALUES = "has no values"
ENCRYPTED = (
    "'t' is encrypted, or packed in a way that is not read (stored and deflated files are); pack "
    "it as a plain zip"
)
DOUBT = doubtful("a", "1,234", "1.234", "1234")
ODD_UTF_16 = Refused("file.encoding", encoding="UTF-16", line=3, choice="encoding")
ACCENTED = {"a": [1], "b": ["é"]}

AWKWARD = [
    # encodings
    ("UTF-8", "a,b\n1,é\n".encode(), ACCENTED),
    ("UTF-8 with a mark", "a,b\n1,é\n".encode("utf-8-sig"), ACCENTED),
    ("UTF-8 with two marks", b"\xef\xbb\xbf" + "a,b\n1,é\n".encode("utf-8-sig"), ACCENTED),
    ("mark before a quoted name", b'\xef\xbb\xbf"a",b\n1,2\n', ONE),
    ("cp1252", "a,b\n1,é€\n".encode("cp1252"), ab([1], ["é€"])),
    ("UTF-16 LE", b"\xff\xfe" + "a,b\n1,é\n".encode("utf-16-le"), ACCENTED),
    ("UTF-16 BE", b"\xfe\xff" + "a,b\n1,é\n".encode("utf-16-be"), ACCENTED),
    ("UTF-16 without a mark", "a,b\n1,é\n".encode("utf-16-le"), BINARY),
    ("UTF-16 with a byte too many", "a,b\n1,é\n".encode("utf-16") + b"x", ODD_UTF_16),
    ("UTF-32", "a,b\n1,é\n".encode("utf-32"), ACCENTED),
    ("neither", b"a,b\n1,\x81\n", Refused("file.encoding", choice="encoding")),
    ("NUL", b"a,b\n1,\0\n", BINARY),
    ("a sign that is no text", b"a,b\n\x01,2\n", BINARY),
    ("a program", b"\x7fELF\x02\x01\x01\x00", BINARY),
    # delimiters
    ("semicolon", b"a;b\n1;2\n", ONE),
    ("tab", b"a\tb\n1\t2\n", ONE),
    ("bar", b"a|b\n1|2\n", ONE),
    ("named delimiter", b"sep=;\r\na;b\r\n1;2\r\n", ONE),
    ("named delimiter, quoted", b'"sep=;"\na;b\n1;2\n', ONE),
    ("named delimiter, blank behind", b"sep=; \na;b\n1;2\n", ONE),
    ("named delimiter after a mark", b"\xef\xbb\xbfsep=;\na;b\n1;2\n", ONE),
    ("nothing but a named delimiter", b"sep=;\n", EMPTY),
    ("decimal commas", b"a;b\n1,5;2,5\n3,5;4,5\n", ab([1.5, 3.5], [2.5, 4.5])),
    (
        "a comma in every field",
        b"a,1;b,2\n1,5;2,5\n3,5;4,5\n",
        {"a,1": [1.5, 3.5], "b,2": [2.5, 4.5]},
    ),
    ("commas in quoted text", b'a;b\n"x, y";1\n"u, v";2\n', ab(["x, y", "u, v"], [1, 2])),
    ("commas in plain text", b"a;b\nx, y;1\nu, v;2\n", ab(["x, y", "u, v"], [1, 2])),
    ("blanks between fields", b"a b\n1 2\n3 4\n", ONLY_COLUMN),
    ("blanks behind delimiters", b'a, b\n1, "x, y"\n', ab([1], ["x, y"])),
    ("tabs beside empty fields", b"a\tb\n1\t\n\t2\n", ab([1, None], [None, 2])),
    ("a trailing delimiter in one row", b"a,b\n1,2\n3,4,\n", ab([1, 3], [2, 4])),
    ("trailing delimiters", b"a,b\n1,2,\n3,4,\n", ab([1, 3], [2, 4])),
    (
        "trailing delimiters in the header too",
        b"a,b,\n1,2,\n3,4,\n",
        {"a": [1, 3], "b": [2, 4], "column 3": [None, None]},
    ),
    # quotes
    ("quoted newline", b'a,b\n1,"x\ny"\n', ab([1], ["x\ny"])),
    ("quoted CRLF", b'a,b\r\n1,"x\r\ny"\r\n', ab([1], ["x\r\ny"])),
    (
        "three kinds of line breaks in values",
        b'a,b\r\n1,"x\r\ny"\r\n2,"x\ny"\r\n3,"x\ry"\r\n',
        ab([1, 2, 3], ["x\r\ny", "x\ny", "x\ry"]),
    ),
    ("line ends of old Macs", b'a,b\r1,"x\ry"\r', ab([1], ["x\ny"])),
    ("quoted line of blanks", b'a,b\n1,"x\n   \ny"\n', ab([1], ["x\n   \ny"])),
    ("quoted delimiter", b'a,b\n1,"x,y"\n', ab([1], ["x,y"])),
    ("quoted delimiter in a name", b'"a,b",c\n1,2\n', {"a,b": [1], "c": [2]}),
    ("doubled quotes", b'a,b\n1,"say ""hi"""\n', ab([1], ['say "hi"'])),
    ("quoted numbers", b'a,b\n"1","2"\n', ONE),
    ("missing closing quote", b'a,b\n1,"2\n3,4\n', UNCLOSED),
    ("quote within a field", b'a,b\n1,5" pipe\n', ab([1], ['5" pipe'])),
    ("text behind a quote", b'a,b\n1,"x"y\n', ab([1], ["xy"])),
    # lines
    ("CRLF", b"a,b\r\n1,2\r\n", ONE),
    ("CR", b"a,b\r1,2\r", ONE),
    ("all newlines", b"a,b\r\n1,2\n3,4\r5,6\n", ab([1, 3, 5], [2, 4, 6])),
    ("no newline at the end", b"a,b\n1,2", ONE),
    ("a hash", b"a,b\n#x,2\n", ab(["#x"], [2])),
    ("blank lines", b"\n\na,b\n\n1,2\n\n", ONE),
    ("lines of blanks", b"  \na,b\n   \n1,2\n \xc2\xa0\n", ONE),
    ("form feed at the end", b"a,b\n1,2\n\f", ONE),
    ("DOS end of file", b"a,b\n1,2\n\x1a", ONE),
    ("line of delimiters", b"a,b\n1,2\n,\n", ab([1, None], [2, None])),
    ("a field too few", b"a,b\n1,2\n3\n", ragged(1, 3)),
    ("a field too many", b"a,b\n1,2,3\n", ragged(3, 2)),
    ("a field too many after blank lines", b"\n\na,b\n1,2\n\n1,2,3\n", ragged(3, 6)),
    ("two fields too many of which both are empty", b"a,b\n1,2,,\n", ragged(4, 2)),
    ("a field too few after quoted newlines", b'a,b\n1,"x\n\ny"\n2\n', ragged(1, 5)),
    ("a sum at the end", b"a,b\n1,2\nTotal\n", ragged(1, 3)),
    ("a million commas", b"a,b\n" + b"," * 1_000_000 + b"\n", ragged(1_000_001, 2)),
    ("title above the header", b"Houses\n\na,b\n1,2\n", titled(2, 3)),
    ("comment above the header", b"# of 2014\na,b\n1,2\n", titled(2, 2)),
    ("title of several fields", b"Houses,2014\na,b,c,d\n1,2,3,4\n", titled(4, 2)),
    ("title of another delimiter", b"Houses, 2014\na;b\n1;2\n3;4\n", titled(2, 2)),
    ("names of rows", b'"b"\t"c"\n"r"\t1\t2\n"s"\t3\t4\n', {"column 1": ["r", "s"]} | BC),
    ("a name too few", b"a,b\n1,2,3\n1,3,4\n", ragged(3, 2)),
    ("each line in quotes", b'"a,b"\n"1,2"\n', Refused("file.quoted_lines")),
    ("very long field", b"a,b\n1," + b"x" * 2_000_000, ab([1], ["x" * 2_000_000])),
    ("header only", b"a,b\n", NO_ROWS),
    ("nothing", b"", EMPTY),
    ("blanks only", b" \n\t\r\n", EMPTY),
    ("a mark only", b"\xef\xbb\xbf\r\n", EMPTY),
    ("one column", b"a\n1\n2\n", ONLY_COLUMN),
    # names
    ("two names alike", b"a,b,a\n1,2,3\n", TWICE),
    ("two names alike but for blanks", b"a, a \n1,2\n", TWICE),
    ("two names alike but for case", b"a,A\n1,2\n", {"a": [1], "A": [2]}),
    ("blank names", b"a,, \n1,2,3\n", {"a": [1], "column 2": [2], "column 3": [3]}),
    (
        "blank name whose stand-in is taken",
        b"column 2,,b\n1,2,3\n",
        {"column 2": [1], "column 2 (2)": [2], "b": [3]},
    ),
    ("numbers for names", b"1,2.50\n3,4\n", {"1": [3], "2.50": [4]}),
    ("newline in a name", b'"a\nb",c\n1,2\n', {"a\nb": [1], "c": [2]}),
    ("emoji for a name", "😀,b\n1,2\n".encode(), {"😀": [1], "b": [2]}),
    # styles of numbers
    ("thousands and point", b"a;b\n1,234.5;2\n", ab([1234.5], [2])),
    ("thousands and comma", b"a;b\n1.234,5;2\n", ab([1234.5], [2])),
    ("a column of each style", b"a;b\n1.234,5;12.5\n2,5;3.0\n", ab([1234.5, 2.5], [12.5, 3.0])),
    (
        "a comma another column settles",
        b"a;b\n1,234;1,5\n5,678;2,5\n",
        ab([1.234, 5.678], [1.5, 2.5]),
    ),
    ("spaces between groups", b"a;b\n1 234,5;2\n", ab([1234.5], [2])),
    ("thin spaces", "a;b\n1\u2009234,5;2\n".encode(), ab([1234.5], [2])),
    ("apostrophes", b"a;b\n1'234;2\n", ab([1234], [2])),
    ("lakhs and crores", b'a,b\n"12,34,567",1\n', ab([1234567], [1])),
    ("quoted thousands", b'a,b\n"1,234",2\n', ab([1234], [2])),
    ("doubtful comma beside tabs", b"a\tb\n1,234\t2\n", DOUBT),
    ("doubtful point beside a comma", b"a;b\n1,5;1.234\n", doubtful("b", "1.234", "1.234", "1234")),
    ("nothing among decimal commas", b"a;b\n1,5;x\n;y\n", ab([1.5, None], ["x", "y"])),
    ("doubtful comma", b"a;b\n1,234;2\n", DOUBT),
    ("doubtful point", b"a;b\n1.234;2,5\n", doubtful("a", "1.234", "1.234", "1234")),
    ("doubtful price", b"a;b\n$1,234;2\n", doubtful("a", "$1,234", "$1.234", "$1234")),
    ("a point beside commas", b"a,b\n1.234,2\n", doubtful("a", "1.234", "1.234", "1234")),
    ("no doubt about a point", b"a,b\n1.234,2\n0.5,2\n", ab([1.234, 0.5], [2, 2])),
    # currency, percent and other units
    ("dollars", b'a,b\n"$1,234",1\n-$2,2\n$ 3,3\n', ab([1234, -2, 3], [1, 2, 3])),
    ("euros", "a;b\n12€;1\n13,50 €;2\n".encode(), ab([12.0, 13.5], [1, 2])),
    ("percent", b"a,b\n45 %,1\n5%,2\n", ab([45, 5], [1, 2])),
    ("two currencies", column("$12", "€13"), unlike("$12", 1, "€13", 2)),
    ("percent and bare numbers", column("0.5", "0.7", "45 %"), unlike("0.5", 1, "45 %", 3)),
    ("kilograms", distinct("{} kg"), Fact("category", KILOGRAMS)),
    ("few numbers of doors", column("2 doors", "4 doors"), CATEGORY),
    # minus
    ("typographic minus", "a,b\n−1.5,1\n2,2\n".encode(), ab([-1.5, 2.0], [1, 2])),
    ("minus behind", b"a,b\n1.50-,1\n2,2\n", ab([-1.5, 2.0], [1, 2])),
    ("brackets", b'a,b\n"(1,500)",1\n20,2\n', ab([-1500, 20], [1, 2])),
    ("dollars in brackets", b"a,b\n($5),1\n$20,2\n", ab([-5, 20], [1, 2])),
    ("nothing but brackets", b"a,b\n(5),1\n(6),2\n", ab(["(5)", "(6)"], [1, 2])),
    ("grades", column("1", "2", "2-", "3"), CATEGORY),
    ("Swiss price", b"a,b\n12.-,1\n13.-,2\n", ab(["12.-", "13.-"], [1, 2])),
    # missing numbers
    *[
        (f"{word!r} among numbers", f"a,b\n1,x\n{word},y\n".encode(), ab([1, None], ["x", "y"]))
        for word in (
            *("", "n/a", "NA", "NA ", "null", "#N/A", "#REF!"),
            *("?", ".", "..", "n.a.", "Unknown"),
        )
    ],
    *[
        (f"{word!r} among numbers", numbers_and(word), nearly("numbers", word, 21))
        for word in ("-", "none", "*", "see note")
    ],
    ("an odd value among thousands", numbers_and("1,5oo"), nearly("numbers", "1,5oo", 21)),
    ("'?' among text", b"a,b\nx,1\n?,2\n", ab(["x", "?"], [1, 2])),
    ("'?' alone", b"a,b\n?,1\n?,2\n", ab(["?", "?"], [1, 2])),
    # numbers that are odd, and what is none
    ("exponents", b"a,b\n1e5,1\n-2.5E-1,2\n", ab([1e5, -0.25], [1, 2])),
    ("underscores", b"a,b\n1_000,1\n", ab(["1_000"], [1])),
    ("Arabic digits", "a,b\n٣,1\n4,2\n".encode(), ab(["٣", "4"], [1, 2])),
    ("hexadecimal", b"a,b\n0x10,1\n", ab(["0x10"], [1])),
    ("codes", b"a,b\n007,1\n012,2\n", ab(["007", "012"], [1, 2])),
    ("postcodes", b'a,b\n"01234",1\n98765,2\n,3\n', ab(["01234", "98765", None], [1, 2, 3])),
    ("codes beside decimal commas", b"a;b\n007;1,5\n012;2,5\n", ab(["007", "012"], [1.5, 2.5])),
    ("leading zero of a decimal", b"a,b\n00.5,1\n1.5,2\n", ab([0.5, 1.5], [1, 2])),
    ("zeros", b"a,b\n0,1\n0,2\n", ab([0, 0], [1, 2])),
    ("thirty digits", b"a,b\n" + b"9" * 30 + b",1\n2,2\n", ab([10**30 - 1, 2], [1, 2])),
    ("a phone's numbers", b"a,b\n030 123,1\n031 1234,2\n", ab(["030 123", "031 1234"], [1, 2])),
    ("thousands by spaces", b"a,b\n1 234,1\n-12 345 678,2\n", ab([1234, -12345678], [1, 2])),
    ("missing codes of Stata", b"a,b\n.a,1\n.z,2\n5,3\n", ab([None, None, 5.0], [1, 2, 3])),
    ("four hundred digits", column("9" * 400, "2"), Fact("number", LONG)),
    ("infinity", b"a,b\ninf,1\n-Infinity,2\n", ab([INF, -INF], [1, 2])),
    ("infinity beside decimal commas", b"a;b\ninf;1,5\n2;2,5\n", ab([INF, 2.0], [1.5, 2.5])),
    ("nan", b"a,b\nnan,1\n2,2\n", ab([None, 2.0], [1, 2])),
    ("beyond floats", b"a,b\n1e400,1\n2,2\n", ab([INF, 2.0], [1, 2])),
    # truth
    ("yes and no", column("yes", "no"), CATEGORY),
    ("True and False", column("True", "False", ""), CATEGORY),
    ("0 and 1", column("0", "1"), NUMBER),
    ("True and 0", column("True", "0"), CATEGORY),
    # dates
    ("ISO dates", column("2014-10-13", ""), moments("2014-10-13", None)),
    ("day or month first", column("1/2/2014", "3/4/2014"), Fact("date", NO_ORDER)),
    ("two-digit years", column("13.10.55", "1.2.14"), no_century("13.10.55", 1)),
    ("one two-digit year", dates_and("12/37/38"), no_century("12/37/38", 3)),
    ("two-digit years of SAS", column("13OCT55", "1FEB14"), no_century("13OCT55", 1)),
    ("dates of SAS", column("13OCT2014", "1feb2015"), moments("2014-10-13", "2015-02-01")),
    (
        "times of SAS",
        column("13OCT2014:06:00:00", "01FEB2015:18:30:00.5"),
        moments("2014-10-13 06:00", "2015-02-01 18:30:00.5"),
    ),
    (
        "names of months",
        column("13 Oct 2014", "October 14, 2014"),
        moments("2014-10-13", "2014-10-14"),
    ),
    (
        "with time zones",
        column("2014-10-13T12:30:00+02:00", "2014-10-14T12:30:00Z"),
        moments("2014-10-13 12:30", "2014-10-14 12:30"),
    ),
    ("an impossible hour", dates_and("2014-10-13 25:00"), Fact("date", NO_DATE)),
    ("'?' among dates", dates_and("?"), moments("2014-10-11", "2014-10-12", None)),
    ("'-' among dates", dates_and("-"), nearly("dates", "-", 3)),
    ("years", column("2014", "2015"), NUMBER),
    ("weeks", column("2014-W03", "2014-W04"), CATEGORY),
    ("times of day", column("12:30", "6:00 PM"), moments("1970-01-01 12:30", "1970-01-01 18:00")),
    # archives
    ("gzip", gzip.compress(TABLE), TWO),
    ("gzip of Parquet", gzip.compress(as_parquet(TWO)), TWO),
    ("gzip of two members", gzip.compress(TABLE[:8]) + gzip.compress(TABLE[8:]), TWO),
    ("gzip cut short", gzip.compress(TABLE)[:-5], DAMAGED),
    ("gzip with a wrong checksum", gzip.compress(TABLE)[:-8] + bytes(8), DAMAGED),
    ("gzip of a zip", gzip.compress(zipped({"t.csv": TABLE})), NESTED),
    ("zip of a gzip", zipped({"t.csv.gz": gzip.compress(TABLE)}), NESTED),
    ("zip", zipped({"t.csv": TABLE}), TWO),
    ("zip with a folder", zipped({"f/": b"", "f/t.csv": TABLE, "__MACOSX/f/._t.csv": b""}), TWO),
    ("zip of two", zipped({"a": TABLE, "b": TABLE}), Refused("file.several", count=2)),
    ("zip of none", zipped({}), NO_FILE),
    ("zip cut short", zipped({"t.csv": TABLE})[:40], DAMAGED),
    ("encrypted zip", encrypted(), ENCRYPTED),
    ("zip of UTF-16", zipped({"t.csv": TABLE.decode().encode("utf-16")}), TWO),
    ("zip of a folder", zipped({"f/": b""}), NO_FILE),
    ("gzip of nothing", gzip.compress(b""), EMPTY),
    ("bzip2", bz2.compress(TABLE), OTHER_PACKING),
    ("zip of a workbook", zipped({"t.xlsx": sheet([1, 2])}), ONE),
    # Excel
    ("several sheets", workbook([["a", "b"], [1, 2]], [["c", "d"], [3, 4]]), ONE),
    ("empty first sheet", workbook([], [["a", "b"], [1, 2]]), OTHER_SHEET),
    ("empty workbook", workbook([]), "sheet 'Sheet' of 't' is empty; put the table on it"),
    ("sheet with a header only", workbook([["a", "b"]]), NO_ROWS),
    ("two names alike in Excel", workbook([["a", " a "], [1, 2]]), TWICE),
    ("blank rows first", workbook([[], [None, None], ["a", "b"], [1, 2]]), ONE),
    ("merged title", workbook([["Houses", None], ["a", "b"], [1, 2]], merge="A1:B1"), TITLE_ROW),
    (
        "header of two rows",
        workbook([["a", None, "c"], ["low", "high", "all"], *[[i % 7, i, i] for i in range(N)]]),
        Refused("file.second_header", row=2, choice="header"),
    ),
    (
        "a unit above one number",
        b"a,b\nkg,x\n" + b"".join(b"%d,y\n" % i for i in range(N)),
        nearly("numbers", "kg", 1),
    ),
    ("formulas", with_computed(sheet([1, "=A2+1"]), 2), ONE),
    ("formulas never computed", workbook([["b", "a"], [1, "=A2+1"]]), Fact("number", NO_VALUES)),
    ("Excel dates", sheet([dt.date(2014, 1, 2), 1]), moments("2014-01-02")),
    ("Excel times", sheet([dt.time(18, 30), 1]), moments("1970-01-01 18:30")),
    ("numbers stored as text", sheet(["1,5", 1], [2, 2]), ab([1.5, 2.0], [1, 2])),
    ("a doubtful number stored as text", sheet(["1,234", 1], [2, 2]), DOUBT),
    ("'?' in Excel", sheet(["?", 1], [2, 2]), ab([None, 2.0], [1, 2])),
    ("text among Excel numbers", sheet(*OOPS), nearly("numbers", "oops", 1)),
    (
        "text among Excel dates",
        sheet(OOPS[0], *[[dt.date(2014, 1, 1 + i), j] for i, j in OOPS[1:]]),
        nearly("dates", "oops", 1),
    ),
    ("numbers for names in Excel", workbook([[2014, 2015.0], [1, 2]]), {"2014": [1], "2015": [2]}),
    ("damaged old Excel", b"\xd0\xcf\x11\xe0" + bytes(600), UNREADABLE),
    (
        "Excel with a password",
        b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        LOCKED,
    ),
    ("damaged Excel", zipped({"xl/workbook.xml": b"<"}), UNREADABLE),
    ("damaged OpenDocument", opendocument("spreadsheet"), UNREADABLE),
    ("OpenDocument text", opendocument("text"), OPEN_TEXT),
    # Parquet
    ("Parquet cut short", as_parquet(ab([1], [2]))[:-20], CUT_PARQUET),
    ("Parquet without its inside", b"PAR1" + bytes(50) + b"PAR1", CUT_PARQUET),
    ("Parquet of one column", as_parquet({"a": [1, 2]}), ONLY_COLUMN),
    ("Parquet without rows", as_parquet({"a": pa.nulls(0), "b": pa.nulls(0)}), NO_ROWS),
    ("structs", stored([{"x": 1}, {"x": 2}]), Fact("unsupported", NEITHER)),
    ("decimals", stored([decimal.Decimal("1.5"), None]), ab([1.5, None], [1, 2])),
    ("dictionary", stored(pa.array(["x", "y"]).dictionary_encode()), ab(["x", "y"], [1, 2])),
    ("nullable whole numbers", stored(pa.array([1, None])), ab([1, None], [1, 2])),
    (
        "index of pandas",
        as_parquet(pd.DataFrame({"b": [2]}, index=pd.Index([1], name="a"))),
        {"b": [2], "a": [1]},
    ),
    (
        "numbers for names in pandas",
        as_parquet(pd.DataFrame({1: [3], 2: [4]})),
        {"1": [3], "2": [4]},
    ),
    (
        "two Parquet names alike",
        as_parquet(pa.table([pa.array([1]), pa.array([2])], names=["a", "a "])),
        TWICE,
    ),
    ("a column of type null", stored(pa.nulls(2)), Fact("category", NO_VALUES)),
    ("numbers as text in Parquet", stored(["1", "2"]), ab([1, 2], [1, 2])),
    # what is no table
    ("HTML", b"<!DOCTYPE html>\n<html><table></table></html>\n", WEB_PAGE),
    ("XML", b'\xef\xbb\xbf<?xml version="1.0"?>\n<a>1</a>\n', WEB_PAGE),
    ("names in angle brackets", b"<DATE>,<OPEN>\n1,2\n", {"<DATE>": [1], "<OPEN>": [2]}),
    ("JSON", b'[\n  {"a": 1, "b": 2}\n]\n', JSON),
    ("JSON lines", b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', JSON),
    ("names in square brackets", b"[a],[b]\n1,2\n", {"[a]": [1], "[b]": [2]}),
    ("Stata", b"<stata_dta><header>", kept_as("a Stata file (.dta)")),
    ("old Stata", b"\x72\x02\x01\x00\x05", kept_as("a Stata file (.dta)")),
    ("SPSS", b"$FL2@(#) SPSS DATA FILE", kept_as("an SPSS file (.sav)")),
    ("SAS", bytes(12) + b"\xc2\xea\x81\x60\xb3", kept_as("a SAS file")),
    ("R", gzip.compress(b"X\n\0\0\0\3\0\4"), kept_as("a file of R's own (.rds or .RData)")),
    ("Arrow", b"ARROW1\0\0", kept_as("an Arrow or Feather file")),
    ("PDF", b"%PDF-1.4\n%\xe2\xe3\n", PDF),
    ("Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", LFS),
]


def values(frame):
    """Return a frame's values as a person writes them: missing ones as None."""
    test_rows = frame.astype(object)
    return test_rows.where(test_rows.notna(), None).to_dict("list")


@pytest.mark.parametrize(
    ("content", "expected"), [row[1:] for row in AWKWARD], ids=[row[0] for row in AWKWARD]
)
def test_an_awkward_table_is_read_as_meant_or_told(content, expected):
    if isinstance(expected, str | Refused):
        with pytest.raises(InputError) as caught:
            parse_table(content, "t")
        told = caught.value.sentence
        if isinstance(expected, str):
            assert told == expected
        else:
            assert told.code == expected.code
            assert expected.quoted.items() <= told.values.items()  # noqa: PD011 - no frame's
        return
    frame = parse_table(content, "t").frame
    if isinstance(expected, dict):
        assert values(frame) == expected
        return
    profile = profile_of("a", frame)
    if isinstance(expected, Fact):
        reason = profile.becomes if profile.role == "left out" else None
        assert Fact(profile.kind, reason) == expected
        return
    assert profile.kind == "date"
    first = [None if pd.isna(m) else m for m in to_dates(frame["a"])[: len(expected.moments)]]
    assert first == [m and pd.Timestamp(m) for m in expected.moments]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "t.csv.gz"])
@pytest.mark.parametrize(
    "content",
    [TABLE, gzip.compress(TABLE), workbook([["a", "b"], [1, "x"], [2, "y"]]), as_parquet(TWO)],
    ids=["csv", "gzip", "xlsx", "parquet"],
)
def test_content_decides_whatever_the_name_says(content, name):
    assert values(parse_table(content, name).frame) == TWO


@pytest.mark.parametrize("odd", ["1", "x"])
def test_a_frame_that_mixes_numbers_and_text_names_the_first_text(odd):
    frame = pd.DataFrame({"a": [*range(N), odd], "b": 1.5})
    assert profile_of("a", frame).becomes == (
        f"mixes numbers with text: it holds '{odd}' in row 61; mend that value, or make all text"
    )


@pytest.mark.parametrize("value", ["01/02/2014", "13.10.55"])
def test_rows_are_not_put_in_a_doubtful_order(value):
    with pytest.raises(InputError) as caught:
        time_split((1, 1, 1), Column.of(pd.Series([value] * 3, name="sold")))
    assert str(caught.value) == (
        f"time column 'sold' holds dates such as '{value}', which may be read in two ways; write "
        "them as 2014-10-13"
    )


@given(
    st.sampled_from([b"", b"a,b\n", b"a;b\n1,5;", b'a,b\n"', b"\xff\xfea", b"PAR1", b"{", b"sep="]),
    st.one_of(
        st.binary(max_size=200),
        st.text("0123456789.,;-+'\"()%$€? \t\n\rnaNAeE:/T", max_size=80).map(str.encode),
    ),
)
def test_whatever_bytes_come_there_is_a_profile_or_a_sentence(start, content):
    try:
        frame = parse_table(start + content, "t").frame
    except InputError:
        return
    profiles = profile_columns(frame, AuditSettings(target=frame.columns[-1]))
    assert len(profiles) == frame.shape[1] > 1
