"""Packed tables and workbooks: read as the file inside, or told in one sentence.

Single awkward ones are in test_awkward_tables.py.
"""

import datetime as dt
import gzip
import struct

import numpy as np
import openpyxl
import pandas as pd
import pytest
from written import as_excel, as_parquet, written, zipped

from evencover.core.errors import InputError
from evencover.core.tables.reading import parse_table
from evencover.core.tables.text_values import Reading


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
