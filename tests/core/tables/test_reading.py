"""Reading tables: every spelling of the same content gives the same frame, the rest is refused."""

import csv
import datetime as dt
import decimal
import io
import string

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evencover.core.audit.audit import audit
from evencover.core.errors import InputError
from evencover.core.preparation.settings import AuditSettings
from evencover.core.tables.columns import Column, column_kind
from evencover.core.tables.formats import delimited
from evencover.core.tables.formats.delimited import DELIMITERS
from evencover.core.tables.reading import parse_table, read_table

ENCODINGS = ["utf-8", "utf-8-sig", "cp1252"]
UTF8_MARK = b"\xef\xbb\xbf"


def parsed(text, encoding="utf-8"):
    return parse_table(text.encode(encoding), "homes.csv").frame.to_dict("list")


def refusal(content):
    with pytest.raises(InputError) as caught:
        parse_table(content, "homes.csv")
    message = str(caught.value)
    assert "'homes.csv'" in message
    assert "\n" not in message
    return message


def parquet(table):
    if isinstance(table, dict):
        table = pa.table(table)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def from_parquet(table):
    return parse_table(parquet(table), "homes.parquet").frame


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

    @pytest.mark.parametrize("delimiter", DELIMITERS)
    def test_a_quoted_delimiter_is_text(self, delimiter):
        text = f'a{delimiter}b\n1{delimiter}"x{delimiter}y"\n2{delimiter}z\n'
        assert parsed(text) == {"a": [1, 2], "b": [f"x{delimiter}y", "z"]}

    def test_a_quoted_newline_is_text(self):
        assert parsed('a,b\n1,"x\ny"\n2,z\n') == {"a": [1, 2], "b": ["x\ny", "z"]}

    def test_a_quoted_name_may_hold_the_delimiter(self):
        assert parsed('"a,b",c\n1,2\n') == {"a,b": [1], "c": [2]}

    def test_doubled_quotes_are_one(self):
        assert parsed('a,b\n1,"say ""hi"""\n') == {"a": [1], "b": ['say "hi"']}

    def test_a_sign_in_a_quoted_name_that_would_swallow_the_table_is_no_delimiter(self):
        frame = pd.DataFrame({"x": [1, 3, 5], 'q" |': ["u", "v", "u"], "y": [2, 4, 6]})
        read = parse_table(frame.to_csv(index=False).encode(), "t.csv").frame
        assert read.to_dict("list") == frame.to_dict("list")

    @pytest.mark.parametrize("delimiter", DELIMITERS)
    def test_a_trailing_delimiter_does_not_shift_the_columns(self, delimiter):
        assert parsed("a;b\n1;2;\n3;4;\n".replace(";", delimiter)) == {"a": [1, 3], "b": [2, 4]}

    def test_a_trailing_delimiter_in_some_rows_only(self):
        assert parsed("a,b\n1,2\n3,4,\n") == {"a": [1, 3], "b": [2, 4]}

    def test_the_last_newline_may_be_absent(self):
        assert parsed("a,b\n1,2") == {"a": [1], "b": [2]}

    def test_blank_lines_are_no_rows(self):
        assert parsed("\n\na,b\n\n1,2\n\n\n3,4\n\n") == {"a": [1, 3], "b": [2, 4]}

    @pytest.mark.parametrize(
        "text",
        ["a,b\n1,2\n   \n", "a,b\n  \n1,2\n", "  \na,b\n1,2\n"],
        ids=["end", "middle", "top"],
    )
    def test_lines_of_spaces_are_blank(self, text):
        assert parsed(text) == {"a": [1], "b": [2]}

    def test_spaces_after_delimiters_are_dropped(self):
        assert parsed('a, b, c\n1, 2, "x, y"\n') == {"a": [1], "b": [2], "c": ["x, y"]}

    def test_an_unnamed_index_column_gets_a_name(self):
        assert parsed(",a,b\n0,1,2\n1,3,4\n") == {"column 1": [0, 1], "a": [1, 3], "b": [2, 4]}

    def test_a_given_name_does_not_clash_with_one_there_is(self):
        frame = parse_table(b"column 2,,b\n1,2,3\n", "homes.csv").frame
        assert frame["column 2"].tolist() == [1]
        assert frame.shape == (1, 3)

    def test_the_first_column_never_becomes_an_index(self):
        assert parsed("a,b\n1,2,\n") == {"a": [1], "b": [2]}

    @pytest.mark.parametrize("missing", ["", "NA", "nan", "null", "None", "N/A"])
    def test_words_for_missing_values(self, missing):
        values = parse_table(f"a,b\n1,x\n{missing},y\n".encode(), "homes.csv").frame["a"]
        assert values.isna().tolist() == [False, True]
        assert values.iloc[0] == 1.0

    def test_a_row_without_any_value_is_a_row(self):
        assert parse_table(b"a,b\n,\n1,2\n", "homes.csv").frame["a"].isna().tolist() == [
            True,
            False,
        ]

    def test_a_tab_before_an_empty_field_is_a_delimiter(self):
        frame = parse_table(b"a\tb\n1\t\n\t2\n", "homes.csv").frame
        assert frame["a"].fillna(0).tolist() == [1, 0]
        assert frame["b"].fillna(0).tolist() == [0, 2]

    def test_commas_within_fields_do_not_outvote_the_semicolon(self):
        assert parsed("a;b\nx, y;1\nz;2\n") == {"a": ["x, y", "z"], "b": [1, 2]}

    def test_a_hash_is_no_comment(self):
        assert parsed("a,b\n#x,2\n") == {"a": ["#x"], "b": [2]}

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
    @pytest.mark.parametrize("header", ["a,a", "a, a", "a,b,a"])
    def test_two_columns_of_one_name(self, header):
        row = ",".join(map(str, range(len(header.split(",")))))
        message = refusal(f"{header}\n{row}\n".encode())
        assert "two columns called 'a'" in message

    @pytest.mark.parametrize(
        ("text", "fields", "line"),
        [
            ("a,b\n1,2\n3\n", 1, 3),
            ("a,b\n1,2,3\n", 3, 2),
            ("a,b\n1,2,,\n", 4, 2),
            ('a,b\n1,"x\ny"\n2\n', 1, 4),
            ("\n\na,b\n1,2\n\n1,2,3\n", 3, 6),
        ],
    )
    def test_a_ragged_line_is_named(self, text, fields, line):
        assert f"{fields} fields in line {line} but 2 in its header" in refusal(text.encode())

    def test_an_unclosed_quote(self):
        assert "quote missing" in refusal(b'a,b\n1,"2\n3,4\n')

    @pytest.mark.parametrize(
        "content", [b"a,b\n1,\x00\n", b"a,b\n\x01,2\n", b"\x7fELF\x02\x01\x01\x00"]
    )
    def test_binary_data(self, content):
        assert "is not a text table" in refusal(content)

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
    def test_utf_16_without_a_mark(self, encoding):
        assert "UTF-16" in refusal("a,b\n1,2\n".encode(encoding))

    def test_text_in_no_known_encoding(self):
        assert "neither UTF-8 nor cp1252" in refusal(b"a,b\n1,\x81\n")

    def test_a_picture(self):
        assert "is not a text table" in refusal(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"PK\x03\x04" + bytes(20), "damaged archive"),
            (b"\x1f\x8b\x08" + bytes(20), "damaged archive"),
            (b"\xd0\xcf\x11\xe0" + bytes(20), "workbook that cannot be read"),
        ],
    )
    def test_other_formats_by_name(self, content, what):
        assert what in refusal(content)

    @pytest.mark.parametrize("content", [b"", b" ", b"\n\n", b" \r\n\t\n"])
    def test_an_empty_file(self, content):
        assert "is empty" in refusal(content)

    @pytest.mark.parametrize("content", [UTF8_MARK, UTF8_MARK + b"\n", UTF8_MARK + b"\r\n\r\n"])
    def test_a_file_with_nothing_but_its_byte_order_mark(self, content):
        assert "is empty" in refusal(content)

    @pytest.mark.parametrize("content", [b"a,b", b"a,b\n", b"a;b;c\n\n"])
    def test_a_header_without_rows(self, content):
        assert "no rows" in refusal(content)

    @pytest.mark.parametrize("content", [b"a\n1\n2\n", b"a b\n1 2\n"])
    def test_a_single_column(self, content):
        assert "only one column" in refusal(content)

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(InputError, match=r"there is no file .*nowhere\.csv"):
            read_table(tmp_path / "nowhere.csv")

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            read_table(tmp_path)

    def test_a_truncated_parquet_file(self):
        content = parquet({"a": list(range(1000)), "b": list(range(1000))})
        assert "may be cut short" in refusal(content[: len(content) // 2])

    @pytest.mark.parametrize(
        "content", [b"PAR1", b"PAR1" + bytes(50), b"PAR1" + bytes(50) + b"PAR1"]
    )
    def test_a_parquet_file_without_its_inside(self, content):
        assert "may be cut short" in refusal(content)

    def test_a_parquet_file_without_rows(self):
        table = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
        assert "no rows" in refusal(parquet(table))

    def test_a_parquet_file_of_one_column(self):
        assert "only one column" in refusal(parquet({"a": [1, 2]}))

    def test_two_parquet_columns_of_one_name(self):
        table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
        assert "two columns called 'a'" in refusal(parquet(table))


class TestParquet:
    @pytest.mark.parametrize(
        "type_", [pa.int8(), pa.int32(), pa.int64(), pa.uint16(), pa.float32()]
    )
    def test_numbers_of_every_width(self, type_):
        frame = from_parquet({"a": pa.array([1, 2, 3], type_), "b": [1.5, 2.5, 3.5]})
        assert column_kind(frame["a"]) == "number"
        assert Column.of(frame["a"]).numbers.tolist() == [1.0, 2.0, 3.0]
        assert frame["b"].tolist() == [1.5, 2.5, 3.5]

    @pytest.mark.parametrize("type_", [pa.int64(), pa.float64(), pa.decimal128(8, 2)])
    def test_nulls_are_missing_numbers(self, type_):
        values = [1, None, 3]
        if pa.types.is_decimal(type_):
            values = [decimal.Decimal(1), None, decimal.Decimal(3)]
        column = from_parquet({"a": pa.array(values, type_), "b": [1, 2, 3]})["a"]
        assert column_kind(column) == "number"
        assert Column.of(column).numbers[[0, 2]].tolist() == [1.0, 3.0]
        assert np.isnan(Column.of(column).numbers[1])

    @pytest.mark.parametrize("values", [[True, False, True], [True, None, False]])
    def test_booleans_are_categories(self, values):
        column = from_parquet({"a": values, "b": [1, 2, 3]})["a"]
        assert column_kind(column) == "category"
        assert column.isna().tolist() == [value is None for value in values]

    @pytest.mark.parametrize("type_", [pa.string(), pa.large_string()])
    def test_strings(self, type_):
        column = from_parquet({"a": pa.array(["x", None, "y"], type_), "b": [1, 2, 3]})["a"]
        assert column_kind(column) == "category"
        assert column.dropna().tolist() == ["x", "y"]

    def test_dictionaries(self):
        column = from_parquet({"a": pa.array(["x", "y", "x"]).dictionary_encode(), "b": [1, 2, 3]})[
            "a"
        ]
        assert column_kind(column) == "category"
        assert column.tolist() == ["x", "y", "x"]

    @pytest.mark.parametrize(
        "values",
        [
            [dt.datetime(2020, 1, day, tzinfo=dt.UTC) for day in (1, 2, 3)],
            [dt.date(2020, 1, day) for day in (1, 2, 3)],
        ],
    )
    def test_timestamps_and_dates(self, values):
        assert column_kind(from_parquet({"a": values, "b": [1, 2, 3]})["a"]) == "date"

    def test_lists_are_unsupported(self):
        assert column_kind(from_parquet({"a": [[1], [2, 3], []], "b": [1, 2, 3]})["a"]) == (
            "unsupported"
        )

    def test_an_index_that_pandas_saved_is_a_column(self):
        buffer = io.BytesIO()
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.Index([7, 9], name="k")).to_parquet(
            buffer
        )
        frame = parse_table(buffer.getvalue(), "homes.parquet").frame
        assert frame["k"].tolist() == [7, 9]
        assert frame.index.tolist() == [0, 1]

    def test_content_decides_not_the_name(self, tmp_path):
        path = tmp_path / "homes.csv"
        path.write_bytes(parquet({"a": [1], "b": [2]}))
        assert read_table(path).frame.to_dict("list") == {"a": [1], "b": [2]}

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


def test_lines_that_end_in_a_carriage_return_alone_are_lines():
    assert parse_table(b"a,b\r1,2\r3,4\r", "t").frame.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_a_cell_may_be_a_whole_document():
    text = "x" * 200_000
    assert parse_table(f"a,b\n{text},1\ny,2\n".encode(), "t").frame["a"].tolist() == [text, "y"]


def test_text_in_parquet_that_is_no_text_is_told():
    array = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": array, "b": [1]}), buffer)
    with pytest.raises(InputError, match="'t' holds text, dates or other values outside"):
        parse_table(buffer.getvalue(), "t")


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
