"""Every spelling of the same content, packed or in a workbook, gives the same frame, or a sentence.

Single awkward ones are in test_awkward_tables.py.
"""

import csv
import datetime as dt
import decimal
import gzip
import io
import time
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from written import as_csv, as_excel, as_parquet, codes_of, written

from evencover.core import AuditSettings, InputError, audit, parse_table, read_table
from evencover.core.tables.columns import Column, column_kind
from evencover.core.tables.formats import Bounds, delimited
from evencover.core.tables.formats.delimited import DELIMITERS
from evencover.core.tables.formats.excel import read_sheet
from evencover.core.tables.text_values import Reading

ENCODINGS = ["utf-8", "utf-8-sig", "cp1252"]
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"))
# letters in every cell: it is neither number nor date, nor a word for a missing value
CELL = st.builds("{}xß{}".format, TEXT, TEXT)


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

    @settings(max_examples=60)
    @given(
        st.lists(
            st.tuples(st.floats(-1e15, 1e15), st.integers(-(2**62), 2**62), CELL),
            min_size=1,
            max_size=8,
        ),
        st.sampled_from(DELIMITERS),
        st.sampled_from(["\n", "\r\n"]),
        st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    @pytest.mark.long
    def test_what_pandas_writes_reads_back_equal(self, rows, delimiter, newline, quoting):
        written = pd.DataFrame(rows, columns=["real", "whole", "words"])
        text = written.to_csv(index=False, sep=delimiter, lineterminator=newline, quoting=quoting)
        read = parse_table(text.encode(), "homes.csv").frame
        assert read.columns.tolist() == ["real", "whole", "words"]
        assert Column.of(read["real"]).numbers == pytest.approx(written["real"], rel=1e-15, abs=0)
        assert read["whole"].tolist() == written["whole"].tolist()
        assert read["words"].tolist() == written["words"].tolist()


@pytest.mark.parametrize(
    ("name", "told"), [("nowhere.csv", r"no file .*nowhere\.csv"), ("", "is a folder")]
)
def test_what_is_no_file_is_told(tmp_path, name, told):
    with pytest.raises(InputError, match=told):
        read_table(str(tmp_path / name))


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
        tables = [read_table(str(tmp_path / name)).frame for name in ("t.csv", "t.parquet")]
        assert_frame_equal(*tables, check_dtype=False, rtol=1e-15)
        one, other = (audit(table, AuditSettings(target="price")) for table in tables)
        # of few rows figures are NaN, which equals nothing
        assert list(map(repr, one.results)) == list(map(repr, other.results))
        assert list(map(repr, one.segments)) == list(map(repr, other.segments))
        assert one.data == other.data


def test_text_in_parquet_that_is_no_text_is_told():
    array = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(InputError, match="'t' holds text, dates or other values outside"):
        parse_table(as_parquet({"a": array, "b": [1]}), "t")


@given(st.text('ab1", \n', max_size=40).map(lambda text: f"a,b\n{text}\n"), st.integers(1, 4))
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


def test_a_workbook_keeps_its_types():
    days = pd.to_datetime(["2020-01-01", "2020-02-01"])
    columns = {"n": [1.5, None], "t": ["x", None], "d": days, "w": [True, False]}
    read = parse_table(as_excel(columns), "t.xlsx").frame
    assert list(read.columns) == ["n", "t", "d", "w"]
    assert read["n"].tolist()[0] == 1.5
    assert read["n"].isna().tolist() == read["t"].isna().tolist() == [False, True]
    assert pd.api.types.is_datetime64_any_dtype(read["d"])
    assert read["w"].tolist() == [True, False]


def test_cells_of_every_kind_come_back_from_the_process_that_reads_them():
    """A sign that breaks lines in some languages, not in JSON's lines; and longer than a float."""
    moment, midnight = map(dt.datetime.fromisoformat, ("2020-01-02 03:04:05", "2021-05-06"))
    rows = [
        ["", 'x\u2028y\nz"\\', True, 2.5, 2 / 3],
        [1e300, 2**53, -3, "NaN", "null"],
        [moment, dt.date(2021, 5, 6), dt.time(18, 30), None, "{}"],
        [dt.timedelta(days=2, hours=3, milliseconds=500), dt.time(0, 0, 1), 7, 8, 9],
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    cells, sheets, lost = read_sheet(written(book.save), Path("t.xlsx"), Bounds())
    rows[0][0] = rows[2][3] = np.nan
    rows[1][0] = int(1e300)
    rows[2][1] = midnight
    expected = pd.DataFrame(rows, dtype=object)
    assert_frame_equal(cells, expected, check_exact=True)
    assert cells.map(type).equals(expected.map(type))
    assert (sheets, lost) == (("Sheet",), {})


@pytest.mark.parametrize("name", ["workbook.ods", "workbook.xls"])
def test_older_and_open_workbooks_are_read_alike(name):
    """The first sheet of files made by hand, by the specifications of their formats."""
    content = (Path(__file__).parent / name).read_bytes()
    read = parse_table(content, "t").frame
    assert list(read.columns) == ["n", "x", "t", "d", "w"]
    assert read["n"].tolist() == [1, 2]
    assert read["n"].dtype == np.int64
    assert read["x"].tolist()[0] == 0.5
    assert read["x"].isna().tolist() == [False, True]
    assert read["t"].tolist() == ["Éire", "x"]
    assert read["d"].dt.date.tolist() == [dt.date(2014, 1, 2), dt.date(2020, 2, 29)]
    assert read["w"].tolist() == [True, False]
    assert parse_table(gzip.compress(content), "t").frame.equals(read)


def test_a_damaged_old_workbook_is_told():
    content = bytearray((Path(__file__).parent / "workbook.xls").read_bytes())
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
    told = ("1 of 'a' (#REF!)", "1 of 'a' (#DIV/0!)")
    assert cells_told(table) == [("columns.missing.error", told)]
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


@pytest.mark.parametrize(
    "above", ["Houses, 2014\nof the north\n", "sep=;\n\n", "\n\n", "x;y\nz;w\n"]
)
def test_the_row_of_names_can_be_chosen(above):
    content = f"{above}a;b\n1,5;x\n2;y\n".encode()
    assert parse_table(content, "t", Reading(header=3)).frame["a"].tolist() == [1.5, 2.0]
    with pytest.raises(InputError, match=r"^'t' has no line 9; choose another$"):
        parse_table(content, "t", Reading(header=9))


def test_the_row_of_names_can_be_chosen_in_a_workbook_alone_beside_text():
    book = openpyxl.Workbook()
    for row in (["Houses", None, None], [None] * 3, ["a", "b", "c"], [1, 2, 3]):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    content = written(book.save)
    table = parse_table(content, "t", Reading(header=3))
    assert (table.frame.to_dict("list"), table.notes) == ({"a": [1], "b": [2], "c": [3]}, ())
    with pytest.raises(InputError, match=r"^row 1 of 't' names .* if row 3 names them, choose it"):
        parse_table(content, "t")
    with pytest.raises(InputError, match="is empty"):
        parse_table(content, "t", Reading(header=5))
    with pytest.raises(InputError, match="has no header to choose, but '2' is named"):
        parse_table(as_parquet({"a": [1], "b": [2]}), "t", Reading(header=2))


def test_dates_and_texts_like_dates_in_one_column_are_told():
    cells = [dt.date(2015, 1, 3), "13/01/2015", "14/01/2015"]
    table = parse_table(as_excel({"a": cells, "b": [1, 2, 3]}), "t")
    (note,) = table.notes
    told = "Column 'a' holds dates in 1 rows and, in 2, texts such as '13/01/2015' in row 2, which"
    assert note.startswith(told)
    assert table["a"].dates.dt.day.tolist() == [3, 13, 14]
    cells = [dt.date(2015, 1, 3), "12/37/38", dt.date(2015, 1, 4)]
    assert parse_table(as_excel({"a": cells, "b": [1, 2, 3]}), "t").notes == ()


@pytest.mark.parametrize(
    "written",
    [
        "[{}, {}]",
        "({}, {})",
        "c({}, {})",
        "[{} {}]",
        "(np.float64({}), np.float64({}))",
        "[ {};{}]",
    ],
)
def test_intervals_as_text_are_two_columns(written):
    lower = [-1.5 * i for i in range(30)]
    cells = [written.format(low, low + 1e-3) for low in lower]
    for write in (as_csv, as_excel):
        table = parse_table(write({"a": [*cells, None], "y": range(31)}), "t")
        assert table.names == ["a (lower)", "a (upper)", "y"]
        assert table.frame["a (lower)"].tolist()[:-1] == lower
        assert table.frame["a (upper)"].tolist()[:-1] == pytest.approx([x + 1e-3 for x in lower])
        assert codes_of(table) == ["columns.intervals"]


@pytest.mark.parametrize("cell", ["({}, {}]", "[{}, {})", "[{1}, {0}]", "[{}]", "[{}, {}, 9]"])
def test_bands_and_other_lists_are_no_intervals(cell):
    cells = [cell.format(i, i + 1) for i in range(30)]
    assert parse_table(as_csv({"a": cells, "y": range(30)}), "t").names == ["a", "y"]
    few = [f"[{i % 9}, {i % 9 + 1}]" for i in range(30)]
    assert parse_table(as_csv({"a": few, "y": range(30)}), "t").names == ["a", "y"]


@pytest.mark.parametrize(
    "blank", ["\n", "\r\n", " \n", "\x1a\n", "\u00a0 \n"], ids=["empty", "cr", "space", "z", "nbsp"]
)
@pytest.mark.parametrize("place", ["above", "between", "below", "quoted"])
def test_runs_of_empty_lines_change_nothing_but_the_lines_that_are_told(blank, place):
    run, rows = 3_000 * blank, "1,2\n3,4\n"
    text = {
        "above": f"{run}a,b\n{rows}",
        "between": f"a,b\n1,2\n{run}3,4\n",
        "below": f"a,b\n{rows}{run}",
        "quoted": f'a,b\n1,2\n"{run}",4\n',
    }[place]
    frame = parse_table(text.encode(), "t.csv").frame
    assert frame["b"].tolist() == [2, 4]
    if place != "quoted":
        assert frame["a"].tolist() == [1, 3]
    if place != "above":
        return
    with pytest.raises(InputError, match="3 fields in line 3003 but 2"):
        parse_table(f"{text}5,6,7\n".replace("1,2\n3,4\n", "1,2\n").encode(), "t.csv")


@pytest.mark.long
@pytest.mark.parametrize("text", ["{}a,b\n1,2\n3,4\n", "a,b\n{}1,2\n3,4\n", "a,b\n1,2\n3,4\n{}"])
def test_sixty_million_empty_lines_are_read_in_seconds(text):
    began = time.process_time()
    with pytest.raises(InputError, match=r"t\.csv. is empty"):
        parse_table(60_000_000 * b"\n", "t.csv")
    assert parse_table(text.format(60_000_000 * "\n").encode(), "t.csv").frame.shape == (2, 2)
    assert time.process_time() - began < 20.0
