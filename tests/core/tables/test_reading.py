"""Reading tables: every spelling of the same content gives the same frame.

Single awkward ones are in test_awkward_tables.py.
"""

import csv
import datetime as dt
import decimal
import io
import string

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from written import as_parquet

from evencover.core.errors import InputError
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit
from evencover.core.tables.columns import Column, column_kind
from evencover.core.tables.formats import delimited
from evencover.core.tables.formats.delimited import DELIMITERS
from evencover.core.tables.reading import parse_table, read_table

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
