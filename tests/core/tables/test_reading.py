"""Every spelling of the same content, packed or in a workbook, gives the same frame, or a sentence.

Single awkward ones are in test_awkward_tables.py.
"""

import csv
import datetime as dt
import decimal
import gzip
import io
import string
import struct

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from written import as_excel, as_parquet, written, zipped

from evencover.core.errors import InputError
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit
from evencover.core.tables.columns import Column, column_kind
from evencover.core.tables.formats import delimited
from evencover.core.tables.formats.delimited import DELIMITERS
from evencover.core.tables.reading import parse_table, read_table
from evencover.core.tables.text_values import Reading

ENCODINGS = ["utf-8", "utf-8-sig", "cp1252"]
UTF8_MARK = b"\xef\xbb\xbf"


def parsed(text, encoding="utf-8"):
    return parse_table(text.encode(encoding), "homes.csv").frame.to_dict("list")


def from_parquet(table):
    return parse_table(as_parquet(table), "homes.parquet").frame


def mixed_frame(n=120):
    rng = np.random.default_rng(5)
    area, rooms = rng.normal(100.0, 20.0, n), rng.integers(1, 6, n)
    price = 3.0 * area + 10.0 * rooms + rng.normal(size=n) * rooms * 5.0
    return pd.DataFrame(
        {"area": area, "rooms": rooms, "kind": rng.choice(["flat", "house"], n), "price": price}
    )


class TestCsv:
    @pytest.mark.parametrize("delimiter", DELIMITERS)
    @pytest.mark.parametrize("encoding", ENCODINGS)
    @pytest.mark.parametrize("newline", ["\n", "\r\n"])
    def test_delimiter_encoding_and_newline_do_not_matter(self, delimiter, encoding, newline):
        lines = ["größe;wert;ort", "1.5;2;Köln", "-3;4;Münster"]
        text = newline.join(lines).replace(";", delimiter) + newline
        expected = {"größe": [1.5, -3.0], "wert": [2, 4], "ort": ["Köln", "Münster"]}
        assert parsed(text, encoding) == expected

    def test_a_sign_in_a_quoted_name_that_would_swallow_the_table_is_no_delimiter(self):
        frame = pd.DataFrame({"x": [1, 3, 5], 'q" |': ["u", "v", "u"], "y": [2, 4, 6]})
        read = parse_table(frame.to_csv(index=False).encode(), "t.csv").frame
        assert read.to_dict("list") == frame.to_dict("list")

    @given(
        st.lists(
            st.tuples(
                st.floats(-1e15, 1e15),
                st.integers(-(2**62), 2**62),
                st.text(string.ascii_letters + "äßé ,;\t'\"\n-", min_size=1).map(
                    lambda text: f"x{text}y"
                ),
            ),
            min_size=1,
            max_size=8,
        ),
        st.sampled_from(DELIMITERS),
        st.sampled_from(ENCODINGS),
        st.sampled_from(["\n", "\r\n"]),
    )
    @pytest.mark.long
    def test_what_pandas_writes_reads_back_equal(self, rows, delimiter, encoding, newline):
        written = pd.DataFrame(rows, columns=["real", "whole", "words"])
        text = written.to_csv(index=False, sep=delimiter, lineterminator=newline)
        read = parse_table(text.encode(encoding), "homes.csv").frame
        assert read.columns.tolist() == ["real", "whole", "words"]
        assert Column.of(read["real"]).numbers == pytest.approx(written["real"], rel=1e-15, abs=0)
        assert read["whole"].tolist() == written["whole"].tolist()
        assert read["words"].tolist() == written["words"].tolist()


class TestRefusals:
    def test_a_missing_file(self, tmp_path):
        with pytest.raises(InputError, match=r"there is no file .*nowhere\.csv"):
            read_table(tmp_path / "nowhere.csv")

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            read_table(tmp_path)


class TestParquet:
    @pytest.mark.parametrize(
        ("values", "type_", "kind"),
        [
            *(
                ([1, None, 3], type_, "number")
                for type_ in (pa.int8(), pa.int32(), pa.int64(), pa.uint16(), pa.float32())
            ),
            ([1, 2, 3], pa.int64(), "number"),
            ([decimal.Decimal(1), None, decimal.Decimal(3)], pa.decimal128(8, 2), "number"),
            ([True, False, True], None, "category"),
            ([True, None, False], None, "category"),
            (["x", None, "y"], pa.string(), "category"),
            (["x", None, "y"], pa.large_string(), "category"),
            ([dt.datetime(2020, 1, day, tzinfo=dt.UTC) for day in (1, 2, 3)], None, "date"),
            ([dt.date(2020, 1, day) for day in (1, 2, 3)], None, "date"),
        ],
    )
    def test_values_of_every_type(self, values, type_, kind):
        column = from_parquet({"a": pa.array(values, type_), "b": [1.5, 2.5, 3.5]})["a"]
        assert column_kind(column) == kind
        assert column.isna().tolist() == [value is None for value in values]
        known = [value for value in values if value is not None]
        if kind == "number":
            assert Column.of(column).numbers[column.notna()].tolist() == list(map(float, known))
        elif kind == "category":
            assert column.dropna().tolist() == known

    @pytest.mark.long
    def test_csv_and_parquet_of_one_content_give_one_audit(self, tmp_path):
        frame = mixed_frame()
        frame.to_csv(tmp_path / "t.csv", index=False)
        frame.to_parquet(tmp_path / "t.parquet")
        tables = [read_table(tmp_path / name).frame for name in ("t.csv", "t.parquet")]
        assert_frame_equal(*tables, check_dtype=False, rtol=1e-15)
        one, other = (audit(table, AuditSettings(target="price")) for table in tables)
        assert one.results == other.results
        # of small segments figures are NaN, which equals nothing
        assert list(map(repr, one.segments)) == list(map(repr, other.segments))
        assert one.data == other.data


def test_text_in_parquet_that_is_no_text_is_told():
    array = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(InputError, match="'t' holds text, dates or other values outside"):
        parse_table(as_parquet({"a": array, "b": [1]}), "t")


@given(
    st.text('ab1", \n', max_size=40).map(lambda text: f"a,b\n{text}\n"),
    st.integers(1, 4),
)
def test_lines_are_called_regular_only_where_every_record_has_its_fields(text, fields):
    """The quick look must never overrule the slow one."""
    if delimited._is_regular(text, ",", fields):
        records = list(csv.reader(io.StringIO(text), skipinitialspace=True))
        assert {len(record) for record in records if record} <= {fields}


@pytest.mark.parametrize(
    ("text", "regular"),
    [
        ('a,b\n\n1,"x,\n""y"""\n', True),
        ('"a",""\n"1","2"\n', True),
        ('a,b\n1, "x"\n', False),
        ('a,b\n1,6" nail\n', False),
        ("a,b\n1,2,\n", False),
        ('a,b\n1,"x\n', False),
    ],
)
def test_what_is_plainly_regular(text, regular):
    assert delimited._is_regular(text, ",", 2) is regular


def cells_told(table):
    return [(note.code, note.values["cells"]) for note in table.notes]  # noqa: PD011 - no frame's


def test_a_packed_parquet_file_is_the_table():
    columns = {"a": [1, 2], "b": [0.5, 1.5]}
    assert parse_table(gzip.compress(as_parquet(columns)), "t").frame.to_dict("list") == columns


def test_a_workbook_keeps_its_types():
    frame = pd.DataFrame(
        {
            "n": [1.5, None],
            "t": ["x", None],
            "d": pd.to_datetime(["2020-01-01", "2020-02-01"]),
            "w": [True, False],
        }
    )
    read = parse_table(as_excel(frame), "t.xlsx").frame
    assert list(read.columns) == ["n", "t", "d", "w"]
    assert read["n"].tolist()[0] == 1.5
    assert read["n"].isna().tolist() == read["t"].isna().tolist() == [False, True]
    assert pd.api.types.is_datetime64_any_dtype(read["d"])
    assert read["w"].tolist() == [True, False]


def opendocument(*sheets):
    kinds = {bool: ("boolean", "boolean-value"), dt.date: ("date", "date-value")}

    def cell(value):
        if value is None:
            return "<table:table-cell/>"
        kind, attribute = kinds.get(type(value), ("float", "value"))
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if isinstance(value, str):
            kind, attribute = "string", "string-value"
        return (
            f'<table:table-cell office:value-type="{kind}" office:{attribute}="{text}">'
            f"<text:p>{text}</text:p></table:table-cell>"
        )

    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names)
    body = "".join(
        f'<table:table table:name="{place}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for place, rows in enumerate(sheets)
    )
    return zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f"{body}</office:spreadsheet></office:body></office:document-content>",
            "META-INF/manifest.xml": "<manifest/>",
        },
    )


def old_excel(*sheets):
    """Write the records of Excel 97: a compound file of one stream, of plain and of date cells."""

    def record(kind, content=b""):
        return struct.pack("<HH", kind, len(content)) + content

    def start(kind):
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    def cell(row, column, value):
        at = struct.pack("<HHH", row, column, isinstance(value, dt.date))
        if isinstance(value, bool):
            return record(0x205, at + bytes([value, 0]))
        if isinstance(value, str):
            text = value.encode("utf-16-le")
            return record(0x204, at + struct.pack("<HB", len(value), 1) + text)
        if isinstance(value, dt.date):
            value = (value - dt.date(1899, 12, 30)).days
        return record(0x203, at + struct.pack("<d", value))

    formats = b"".join(record(0xE0, struct.pack("<HH16x", 0, format_)) for format_ in (0, 14))
    bodies = [
        start(0x10)
        + b"".join(
            cell(i, j, value)
            for i, row in enumerate(rows)
            for j, value in enumerate(row)
            if value is not None
        )
        + record(0x0A)
        for rows in sheets
    ]
    ends = np.cumsum([0, *map(len, bodies)])
    before = len(start(5) + formats + len(sheets) * record(0x85, bytes(9)) + record(0x0A))
    listed = b"".join(
        record(0x85, struct.pack("<IBBBB", before + ends[i], 0, 0, 1, 0) + str(i).encode())
        for i in range(len(sheets))
    )
    stream = start(5) + formats + listed + record(0x0A) + b"".join(bodies)
    stream = stream.ljust(4096, b"\0")
    stream += bytes(-len(stream) % 512)
    sectors = len(stream) // 512
    end, free = 0xFFFFFFFE, 0xFFFFFFFF
    chain = [0xFFFFFFFD, end, *range(3, sectors + 2), end]
    fat = struct.pack("<128I", *chain, *[free] * (128 - len(chain)))

    def entry(name, kind, child, first, size):
        text = name.encode("utf-16-le").ljust(64, b"\0")
        rest = struct.pack(
            "<HBBIII36xIQ", 2 * len(name) + 2, kind, 1, free, free, child, first, size
        )
        return text + rest

    folder = entry("Root Entry", 5, 1, end, 0) + entry("Workbook", 2, free, 2, len(stream))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + struct.pack(
        "<16xHHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0, 0
    )
    return header + struct.pack("<108I", *[free] * 108) + fat + folder + bytes(256) + stream


@pytest.mark.parametrize("write", [opendocument, old_excel])
def test_older_and_open_workbooks_are_read_alike(write):
    days = [dt.date(2014, 1, 2), dt.date(2020, 2, 29)]
    rows = [
        ["n", "x", "t", "d", "w"],
        [1, 0.5, "Éire", days[0], True],
        [2, None, "x", days[1], False],
    ]
    read = parse_table(write(rows, [["c"], [1]]), "t").frame
    assert list(read.columns) == ["n", "x", "t", "d", "w"]
    assert read["n"].tolist() == [1, 2]
    assert read["n"].dtype == np.int64
    assert read["x"].tolist()[0] == 0.5
    assert read["x"].isna().tolist() == [False, True]
    assert read["t"].tolist() == ["Éire", "x"]
    assert read["d"].dt.date.tolist() == days
    assert read["w"].tolist() == [True, False]
    assert parse_table(gzip.compress(write(rows)), "t").frame.equals(read)


def test_a_damaged_old_workbook_is_told():
    content = bytearray(old_excel([["a", "b"], [1, 2]]))
    content[content.index(b"\x85\0\x09\0") + 6] = 200  # where the sheet is said to begin
    with pytest.raises(InputError, match="is a workbook that cannot be read"):
        parse_table(bytes(content), "t")


def test_errors_in_cells_are_missing():
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["#REF!", 1], ["#DIV/0!", 2], [3.5, 3]):
        book.active.append(row)
    for place in ("A2", "A3"):
        book.active[place].data_type = "e"
    table = parse_table(written(book.save), "t.xlsx")
    read = table.frame
    assert cells_told(table) == [
        ("columns.missing.error", ("1 of 'a' (#REF!)", "1 of 'a' (#DIV/0!)"))
    ]
    assert read["a"].isna().tolist() == [True, True, False]
    assert read["a"].dtype == np.float64
    assert read["b"].tolist() == [1, 2, 3]


def test_cells_of_a_workbook_that_only_seem_empty_are_told():
    """Formulas of a program that stores no results, on a second sheet, and merged cells."""
    book = openpyxl.Workbook()
    sheet = book.create_sheet("two & more")
    for row in (["a", "b", "c"], ["x", 1, "=B2"], [None, 2, "=B3"], ["y", None, 3]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    table = parse_table(written(book.save), "t.xlsx", Reading(sheet="two & more"))
    assert table.frame["c"].isna().tolist() == [True, True, False]
    assert cells_told(table) == [
        ("columns.missing.merged", ("1 of 'a'",)),
        ("columns.missing.formula", ("2 of 'c'",)),
    ]
