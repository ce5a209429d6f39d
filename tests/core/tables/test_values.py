"""Values are what is written: refused, told or kept where they may mean two things."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from written import as_csv, as_excel, as_parquet, codes_of

from evencover.core import AuditSettings, InputError, audit, parse_table
from evencover.core.preparation.prepare import plan
from evencover.core.preparation.roles import assign_roles
from evencover.core.scoring.columns import level_name
from evencover.core.tables.columns import coded
from evencover.core.tables.dates import date_parts
from evencover.core.tables.formats import Bounds
from evencover.core.tables.formats.parquet import frame_of_arrow
from evencover.core.tables.number_text import Style, style_of, to_numbers
from evencover.core.tables.table import Table, read_as_asked
from evencover.core.tables.text_values import Reading

IDS = [2**53, 2**53 + 1, -(2**53) - 1]


def read(text, **reading):
    return parse_table(text.encode(), "t", Reading(**reading))


def levels(column):
    codes, names = coded(column)
    return [None if code < 0 else names[code] for code in codes]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("values", [("766", "1.779"), ("1.779", "2.500"), ("NA", "-1.779")])
def test_a_point_that_may_divide_thousands_is_refused(delimiter, values):
    text = "".join(f"{value}{delimiter}x\n" for value in ("a", *values))
    with pytest.raises(InputError, match=r"holds '-?(1\.779|2\.500)', which may be"):
        read(text)


def test_a_doubtful_point_far_down_is_seen():
    text = "a,b\n" + "766,x\n" * 500 + "1.779,x\n"
    with pytest.raises(InputError, match=r"'1\.779'"):
        read(text)
    assert read(text, numeric=("a",)).frame["a"].iloc[-1] == 1.779


@pytest.mark.parametrize(
    "write", [as_csv, lambda columns: as_csv(columns).replace(b",", b";"), as_parquet]
)
def test_large_whole_numbers_keep_their_digits_beside_missing_ones(write):
    ids = pa.array([None, *IDS]) if write is as_parquet else pd.array([None, *IDS], "Int64")
    column = parse_table(write({"a": ids, "b": [0.5, 1.5, 2.5, 3.5]}), "t").frame["a"]
    assert levels(column) == [None, *map(str, IDS)]
    assert column.nunique() == 3


def test_digits_are_kept_beside_decimal_commas_and_words_and_in_text_of_excel():
    column = read(f"a;b\n?;1,5\n{IDS[0]};2\n{IDS[1]};3\n").frame["a"]
    assert levels(column)[1:] == list(map(str, IDS[:2]))
    table = parse_table(as_excel({"a": [None, *map(str, IDS)], "b": [1, 2, 3, 4]}), "t")
    assert levels(table.frame["a"]) == [None, *map(str, IDS)]


def test_an_audit_counts_every_one_of_the_large_ids():
    rng = np.random.default_rng(0)
    account = pd.array(2**60 + np.arange(200), "Int64").repeat(2)
    account[0] = None
    frame = pd.DataFrame({"x": rng.normal(size=400).round(4), "account": account})
    frame["y"] = (frame["x"] + rng.normal(size=400)).round(4)
    table = parse_table(frame.to_csv(index=False).encode(), "t")
    made = plan(table, AuditSettings(target="y", group="account"))
    parts = [set(levels(table.frame["account"].iloc[rows])) - {None} for rows in made.split]
    assert sum(map(len, parts)) == 200


@pytest.mark.parametrize("codes", [["7E2", "10E4", "1E5"], ["7e2", "12", "9"], ["007", "12", "9"]])
@pytest.mark.parametrize("write", [as_csv, as_excel, as_parquet])
def test_codes_stay_what_is_written(codes, write):
    table = parse_table(write({"a": codes, "b": [1, 2, 3]}), "t")
    assert table.frame["a"].tolist() == codes
    assert ("column.codes" in codes_of(table)) == ("e" in codes[0].lower())


@pytest.mark.parametrize("text", ["1e+05", "1.0E5", "-1E5", "1E-5"])
def test_what_programs_write_with_an_exponent_is_a_number(text):
    assert read(f"a,b\n{text},1\n2,2\n").frame["a"].tolist() == [float(text), 2.0]


def test_words_in_a_category_are_named_and_can_be_kept():
    text = "a,b\nNone,1\nx,2\nNA ,3\n,4\nx,5\nNone,6\n"
    table = read(text)
    assert table.frame["a"].isna().tolist() == [True, False, True, True, False, True]
    (note,) = table.notes
    assert note.startswith("Taken as missing: 'None' in 2 of 'a', 'NA' in 1 of 'a'. ")
    kept = read(text, missing=())
    assert levels(kept.frame["a"]) == ["None", "x", "NA", None, "x", "None"]
    assert kept.notes == ()
    assert read("a,b\nNA,x\n1,\n2,y\n").notes == ()


def test_words_of_ones_own_take_the_place_of_the_usual():
    table = read("a,b\n-999,NA\n5,x\n7,k. A.\n", missing=("-999", "k. A."))
    assert table.frame["a"].isna().tolist() == [True, False, False]
    assert levels(table.frame["b"]) == ["NA", "x", None]


@pytest.mark.parametrize(
    ("values", "words", "left"),
    [
        ([-99, 5, 7], ["-99"], [None, 5.0, 7.0]),
        ([-99.5, 5, 7], ["-99.5", "7"], [None, 5.0, None]),
        ([2**60, 2**60 + 1, -9], ["-9"], [2**60, 2**60 + 1, None]),
        (["none of it", "1,5", "2,5"], ["none of it"], [None, 1.5, 2.5]),
        (["none of it", "?", "2"], ["none of it"], [None, None, 2.0]),
        (["none of it", "007", "012"], ["none of it"], [None, "007", "012"]),
        (["never", "2014-10-13", "2014-10-14"], ["never"], None),
        (["a", "b", "a"], ["b", "c"], ["a", None, "a"]),
    ],
)
@pytest.mark.parametrize("read", [lambda columns: parse_table(as_csv(columns), "t"), pd.DataFrame])
def test_words_of_one_column_are_missing_there_alone(values, words, left, read):
    table, (note,) = read_as_asked(read({"a": values, "b": values}), (), (), [("a", words)])
    assert note.startswith(f"Taken as missing in 'a', as asked: '{words[0]}' in 1 rows")
    assert not table["b"].missing.any()
    if left is None:
        assert table.kinds == {"a": "date", "b": "category"}
    else:
        assert levels(table["a"].series) == [v if v is None else level_name(v) for v in left]
        assert table.kinds["a"] == (
            "category" if isinstance(left[-1] or left[0], str) else "number"
        )
    with pytest.raises(InputError, match="there is no column 'c'"):
        read_as_asked(read({"a": values, "b": values}), (), (), [("c", words)])


@pytest.mark.parametrize("write", [as_excel, as_csv])
def test_excel_and_csv_take_the_same_words(write):
    table = parse_table(write({"a": ["None", "x", "y"], "b": [1, 2, 3]}), "t")
    assert table.frame["a"].isna().tolist() == [True, False, False]
    assert codes_of(table) == ["columns.missing"]


def test_stored_text_of_parquet_is_kept_unless_words_are_named():
    content = as_parquet({"a": ["None", "x"], "b": [1, 2]})
    assert parse_table(content, "t").frame["a"].tolist() == ["None", "x"]
    named = parse_table(content, "t", Reading(missing=("None",)))
    assert named.frame["a"].isna().tolist() == [True, False]


def test_a_label_refused_for_its_missing_words_names_them():
    rows = "".join(f"{i % 7},{'None' if i % 2 else 'Visible'}\n" for i in range(80))
    settings = AuditSettings(target="y")
    with pytest.raises(InputError, match=r"is constant.*Taken as missing: 'None' in 40 of 'y'"):
        audit(read("x,y\n" + rows), settings)
    assert plan(read("x,y\n" + rows, missing=()), settings).label.classes == ("None", "Visible")


def test_times_with_an_offset_or_a_zone_keep_their_local_clock():
    table = read("d,x\n2021-01-04 00:00:00+01:00,1\n2021-01-05 23:30:00-08:00,2\n")
    # 4 January 2021 was a Monday
    assert date_parts(table["d"].dates)[:, 2:].tolist() == [[0.0, 0.0], [1.0, 23.5]]
    assert codes_of(table) == ["columns.offsets"]
    assert read("d,x\n2021-01-04T00:00:00Z,1\n").notes == ()
    times = pd.date_range("2021-07-05", periods=2, tz="Europe/Berlin")
    table = parse_table(as_parquet({"d": pa.array(times), "x": [1, 2]}), "t")
    assert date_parts(table["d"].dates)[:, 2:].tolist() == [[0.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("write", [as_csv, as_excel, as_parquet])
def test_days_written_as_whole_numbers_are_dates(write):
    table = parse_table(write({"d": [20201009, 20200229], "x": [1, 2]}), "t")
    assert table.kinds["d"] == "date"
    assert table["d"].dates.tolist() == [pd.Timestamp("2020-10-09"), pd.Timestamp("2020-02-29")]
    assert codes_of(table) == ["columns.days"]


@pytest.mark.parametrize("other", [20200230, 20201301, 99990101, 5])
def test_whole_numbers_of_which_one_is_no_day_stay_numbers(other):
    table = read(f"d,x\n20201009,1\n{other},2\n")
    assert table.kinds["d"] == "number"
    assert table.notes == ()


def test_quarters_are_in_the_order_of_time():
    frame = pd.DataFrame({"q": [f"{2000 + i // 40}-Q{i // 10 % 4 + 1}" for i in range(200)]})
    frame["x"], frame["y"] = np.arange(200.0) % 7, np.arange(200.0) % 11
    split = plan(frame, AuditSettings(target="y", time="q")).split
    assert [int(rows.max()) for rows in split] == sorted(int(rows.max()) for rows in split)


def test_another_sheet_is_a_choice():
    first, second = {"a": [1], "b": [2]}, {"c": [3], "d": [4]}
    content = as_excel(first, two=second)
    table = parse_table(content, "t")
    assert (table.sheets, codes_of(table)) == (("one", "two"), ["file.sheets"])
    assert parse_table(content, "t", Reading(sheet="two")).names == ["c", "d"]
    with pytest.raises(InputError, match="there is no sheet 'tow'; did you mean 'two'"):
        parse_table(content, "t", Reading(sheet="tow"))
    with pytest.raises(InputError, match="sheet 'one' of 't' has only one column") as caught:
        parse_table(as_excel({"see sheet two": [""]}, two=second), "t")
    assert str(caught.value).endswith("choose another sheet (--sheet): 'two'")


@pytest.mark.parametrize(
    ("columns", "sheet"),
    [
        ({"see sheet two": [""]}, None),
        ({"a": [], "b": []}, None),
        ({"a": [1], "b": ["x" * 30]}, None),
        ({"A title": [1], "Unnamed": [2]}, "tow"),
    ],
)
def test_whatever_is_refused_of_a_workbook_names_its_sheets(columns, sheet):
    content = as_excel(columns, two={"c": [3], "d": [4]})
    with pytest.raises(InputError) as caught:
        parse_table(content, "t", Reading(sheet=sheet), Bounds(text=20))
    assert caught.value.sentence.values["sheets"] == ("one", "two")  # noqa: PD011 - no frame's


def test_empty_rows_of_a_sheet_and_columns_of_missing_words_are_told():
    gap, columns = [None], {"a": [1, 2], "b": ["x", "y"]}
    table = parse_table(as_excel({"a": [1, *gap, *gap, 2], "b": ["x", *gap, *gap, "y"]}), "t")
    assert table.frame.to_dict("list") == columns
    (note,) = table.notes
    assert (note.code, note.values["rows"]) == ("rows.empty", 2)  # noqa: PD011 - no frame's
    assert codes_of(parse_table(as_excel(columns), "t")) == []


@pytest.mark.parametrize("cells", [["NA"], ["NA", "NA"], ["NA", "null"]])
@pytest.mark.parametrize("write", [as_csv, as_excel])
def test_a_column_of_missing_words_alone_is_told(write, cells):
    table = parse_table(write({"a": range(len(cells)), "b": cells}), "t")
    assert table.frame["b"].isna().all()
    (note,) = table.notes
    assert (note.code, {*note.values["taken"]}) == ("columns.missing", {*cells})  # noqa: PD011 - no frame's
    assert codes_of(parse_table(as_csv({"a": [1, 2], "b": ["", ""]}), "t")) == []


def test_the_encoding_taken_is_told_and_can_be_named():
    table = parse_table("name,n\nÉire,1\n".encode("cp1252"), "t")
    assert table.frame["name"].tolist() == ["Éire"]
    assert "was read as cp1252" in table.notes[0]
    russian = "имя,n\nМир,1\n"
    named = parse_table(russian.encode("cp1251"), "t", Reading(encoding="cp1251"))
    assert (named.names, named.frame["имя"].tolist(), named.notes) == (["имя", "n"], ["Мир"], ())
    marked = parse_table(russian.encode("utf-16-le"), "t", Reading(encoding="utf-16-le"))
    assert marked.frame["имя"].tolist() == ["Мир"]
    with pytest.raises(InputError, match="there is no encoding 'klingon'"):
        AuditSettings(target="y", encoding="klingon")


@pytest.mark.parametrize("sign", ["|", ";", "\t"])
def test_a_sign_in_every_text_does_not_beat_the_comma(sign):
    table = read(f'id,"city{sign}state",price\n0,"Paris{sign}FR",200\n1,"Bonn{sign}DE",207\n')
    assert table.names == ["id", f"city{sign}state", "price"]
    assert table.frame["price"].tolist() == [200, 207]


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        ("5.1,3.5,setosa", "4.9,3.0,virginica", True),
        ("39,State-gov,13", "50,State-gov,9", True),
        ("7,3,12", "1,2,3", True),
        ("country,2019,2020", "Mali,1,2", False),
        ("0,1,2", "5,6,7", False),
        ("a,b,c", "1,2,x", False),
    ],
)
def test_a_header_that_looks_like_data_is_told(header, row, told):
    assert codes_of(read(f"{header}\n{row}\n")) == ["header.data"] * told


@pytest.mark.parametrize(
    ("text", "values", "told"),
    [
        ("a,y\n1,2\na,y\n3,4\na,y\n", [1, 3], True),  # files put one behind the other
        ("a,y\nb,2\na,4\nc,5\n", ["b", "a", "c"], False),
        ("1,2\n3,4\n1,2\n", [3, 1], False),  # names that are numbers can be a row
    ],
)
def test_a_header_that_is_repeated_is_no_row(text, values, told):
    table = read(text)
    assert table.frame.iloc[:, 0].tolist() == values
    assert ("file.header_repeated" in codes_of(table)) == told


@pytest.mark.parametrize("write", [str.encode, lambda text: text.replace(",", ";").encode()])
def test_identical_columns_of_one_name_are_one(write):
    table = parse_table(write("a,b,a\n1,x,1\n2,y,2\n"), "t")
    assert table.frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert codes_of(table) == ["columns.copies"]
    with pytest.raises(InputError, match="two columns called 'a'"):
        parse_table(write("a,b,a\n1,x,1\n2,y,3\n"), "t")


@pytest.mark.parametrize(("unit", "a_second"), [("s", 1), ("ms", 10**3), ("ns", 10**9)])
def test_durations_are_seconds_and_told(unit, a_second):
    lasted = pa.array([2 * a_second, None, 90 * a_second], pa.duration(unit))
    table = parse_table(as_parquet({"d": lasted, "y": [1, 2, 3]}), "t")
    assert table.kinds["d"] == "number"
    assert table["d"].numbers.tolist() == pytest.approx([2.0, np.nan, 90.0], nan_ok=True)
    assert codes_of(table) == ["columns.seconds"]


def test_binary_values_are_no_text_in_a_dictionary_either():
    values = pa.array([b"a", b"\xff", b"a"])
    columns = {"b": values, "c": values.dictionary_encode(), "d": [b"\0", None, b"a"]}
    kinds = parse_table(as_parquet(columns | {"y": [1, 2, 3]}), "t").kinds
    assert kinds == {**dict.fromkeys("bcd", "unsupported"), "y": "number"}


def of_file(table):
    return parse_table(as_parquet(table), "t")


@pytest.mark.parametrize("read", [of_file, lambda table: Table.of(frame_of_arrow(table))])
def test_bytes_that_are_text_and_durations_are_read_in_files_and_frames_alike(read):
    texts = pa.array([b"north", None, "Łódź".encode()])
    lasted = pa.array([2, None, 90], pa.duration("s"))
    columns = {"a": texts, "b": texts.dictionary_encode(), "d": lasted, "y": [1, 2, 3]}
    table = read(pa.table(columns))
    assert table.kinds == dict(zip("abdy", ["category"] * 2 + ["number"] * 2, strict=True))
    for name in "ab":
        assert levels(table.frame[name]) == ["north", None, "Łódź"]
    assert table["d"].numbers.tolist() == pytest.approx([2.0, np.nan, 90.0], nan_ok=True)
    assert [*map(str, table.notes)] == [
        "Read as numbers of seconds: the durations in d.",
        "Read as text in UTF-8: the bytes in a, b.",
    ]


@pytest.mark.parametrize(
    ("area", "mean", "is_total"),
    [("Total", 9.5, True), ("", None, True), ("sum", None, True), ("a", 9.5, False)],
)
@pytest.mark.parametrize(
    "write", [as_csv, pytest.param(as_excel, marks=pytest.mark.long), as_parquet]
)
def test_a_last_row_of_sums_is_left_out(area, mean, is_total, write):
    frame = pd.DataFrame({"area": "b", "size": np.arange(20), "rate": np.arange(20.0)})
    last = pd.DataFrame([[area, 190, mean]], columns=frame.columns)
    with_last = pd.concat([frame, last], ignore_index=True)
    table = parse_table(write(with_last), "t")
    assert (len(table), codes_of(table)) == ((20, ["rows.total"]) if is_total else (21, []))
    with_last.iloc[-1, 1] = 191
    assert len(parse_table(write(with_last), "t")) == 21
    assert len(parse_table(write(with_last.iloc[[1, 2]].assign(size=[3, 3])), "t")) == 2


def test_rounded_whole_numbers_of_a_workbook_are_told_and_no_codes():
    columns = {"account": [float(2**53), 2.0], "size": [2.0**53 - 1.0, 2.0], "y": [1, 2]}
    table = parse_table(as_excel(columns), "t")
    (note,) = table.notes
    assert (note.code, "in account are rounded" in note) == ("columns.rounded", True)
    for codes in ({"group": "account"}, {"categorical": ("account",)}):
        with pytest.raises(InputError, match=r"column 'account' holds .* store them as text"):
            assign_roles(table, AuditSettings(target="y", **codes))
    settings = AuditSettings(target="y", group="size", categorical=("size",))
    assert assign_roles(table, settings).features == ("account",)


def test_what_cannot_be_a_category_is_refused_by_name():
    table = parse_table(as_parquet({"tags": [[1], [2]], "y": [1, 2]}), "t")
    with pytest.raises(InputError, match="column 'tags' holds"):
        read_as_asked(table, (), ("tags",))


TWICE = b"a,b\n1,2\n3,4\n1,2\n3,4\n"
DOUBTFUL = {"a": ["766", "1.779"], "b": ["x", "y"]}
MARS = pa.array([0, 1], pa.timestamp("us", "Mars/Olympus"))


@pytest.mark.parametrize(
    ("content", "reading", "told"),
    [
        (as_parquet({"a": [1], "b": [2]}), {"sheet": "x"}, "has no sheet to choose"),
        (as_parquet({"a": [1], "b": [2]}), {"encoding": "utf-8"}, "has no encoding to choose"),
        ("n,b\nÉire,1\nÅre,2\n".encode() + b"B\xe9,3\n", {}, "UTF-8 text but for bytes in line 4"),
        (TWICE, {"encoding": "utf-16"}, "if it is utf-16 text"),
        (TWICE, {"encoding": "cp037"}, "if it is cp037 text"),
        (as_excel(DOUBTFUL), {}, r"'1\.779'"),
        (as_parquet(DOUBTFUL), {}, r"'1\.779'"),
        (as_parquet({"y": [1, 2], "when": MARS}), {}, "column 'when' of 't'"),
    ],
)
def test_what_cannot_be_read_as_meant_is_refused(content, reading, told):
    with pytest.raises(InputError, match=told):
        parse_table(content, "t", Reading(**reading))


@pytest.mark.parametrize(
    ("values", "style"),
    [
        *(([text, "2"], Style.COMMA) for text in ("1,5", "1.234,5")),
        *((texts, Style.COMMA) for texts in (["0,123"], ["12345,678"], ["-1,5", "+2,25"])),
        *(([text], Style.POINT) for text in ("1,234,567", "1'234.5", "1\u00a0234")),
        *((["1,234.5", "7"], Style.POINT), (["1e5", "2.5"], Style.POINT)),
        (["1 234", "12 345 678"], Style.POINT),
        *(
            (["766", "1.779", text], Style.POINT)
            for text in ("0.5", "1.25", "1.2345", "0.779", "12.0")
        ),
        *((texts, Style.IN_DOUBT) for texts in (["1,234"], ["1.234"], ["1,234", "7"])),
        *((["1,5", other], None) for other in ("2.5", "x")),
        *((texts, None) for texts in (["12,34,5"], ["١٢", "٣٫٥"], ["１２,５"], ["2020-01-01"])),
    ],
)
def test_style_is_what_the_values_leave_no_doubt_about(values, style):
    assert style_of(pd.Series(values)) is style


@pytest.mark.parametrize(
    ("values", "style", "numbers"),
    [
        (["1.234.567,5", "2"], Style.COMMA, [1234567.5, 2.0]),
        (["1,234,567.5", "2"], Style.POINT, [1234567.5, 2.0]),
        (["-1 234,5"], Style.COMMA, [-1234.5]),
        (["1,5e3"], Style.COMMA, [1500.0]),
        (["9223372036854775808", "-1"], Style.POINT, [2.0**63, -1.0]),
        ([None, "4503599627370497"], Style.POINT, [np.nan, 4503599627370497.0]),
    ],
)
def test_numbers_are_those_meant(values, style, numbers):
    found = to_numbers(pd.Series(values, dtype=object), style)
    assert found.tolist() == pytest.approx(numbers, rel=0.0, nan_ok=True)


NAN = float("nan")


def read_column(values):
    table, notes = read_as_asked(pd.DataFrame({"a": values}), ["a"], [])
    return table["a"].series.tolist(), notes


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1", "2.5", "n/k"], [1.0, 2.5, NAN]),
        (["1,5", "x", "2,25"], [1.5, NAN, 2.25]),
        (["1,234.5", "-7", "?"], [1234.5, -7.0, NAN]),
        (["1.234,5", "7", "?"], [1234.5, 7.0, NAN]),
        (["1.234", "0.5", "?"], [1.234, 0.5, NAN]),
        ([None, " 3 ", "three"], [NAN, 3.0, NAN]),
        ([3, "4", "five"], [3.0, 4.0, NAN]),
        (["007", "12", "n/k"], [7.0, 12.0, NAN]),
        (["45 %", "7 %", "n/k"], [45.0, 7.0, NAN]),
        ([1.5, 2.5, NAN], [1.5, 2.5, NAN]),
        (["١٢", "2"], [NAN, 2.0]),
        (["4503599627370497", "?"], [4503599627370497.0, NAN]),
    ],
)
def test_numbers_are_read_and_the_rest_is_missing(values, numbers):
    assert read_column(values)[0] == pytest.approx(numbers, nan_ok=True)


def test_what_is_no_number_is_counted_and_the_first_is_named():
    _, notes = read_column(["1", None, "n/k", "2", "12 m"])
    told = "Values of 'a' that are no numbers, taken as missing: 2, the first of them "
    assert notes == [told + "'n/k' in row 3."]
    assert read_column(["1", None, "2"])[1] == []


NO_NUMBERS = "column 'a' holds no numbers; do not name it as numeric"
DATES = "column 'a' holds dates, which are read as numeric parts already; do not name it as numeric"
TWO_WAYS = (
    "column 'a' holds numbers, such as '{}', that can be read in two ways; write them with a "
    "decimal point, without other signs and thousands separators"
)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["x", "y"], NO_NUMBERS),
        ([True, False], NO_NUMBERS),
        (["2020-01-01", "2020-01-02"], DATES),
        (["1,234", "?"], TWO_WAYS.format("1,234")),
        (["1.5", "1,5", "?"], TWO_WAYS.format("1.5")),
        (["7", "$5", "5 %", "n/k"], TWO_WAYS.format("$5")),
        (["(5)", "n/k"], TWO_WAYS.format("(5)")),
        ([[1], [2]], "column 'a' holds values that are neither numbers nor text; leave it out"),
    ],
)
def test_what_cannot_be_read_is_refused(values, sentence):
    with pytest.raises(InputError) as caught:
        read_column(values)
    assert str(caught.value) == sentence


def test_a_column_that_is_not_there():
    with pytest.raises(InputError, match="there is no column 'b'"):
        read_as_asked(pd.DataFrame({"a": [1]}), ["b"], [])


def houses():
    rng = np.random.default_rng(3)
    area, noise = rng.normal(size=400), rng.normal(size=400)
    area_text = pd.Series(area.astype(str))
    area_text[[4, 9]] = "unknown"
    price = pd.Series((2.0 * area + noise).astype(str))
    price[11] = "on request"
    return pd.DataFrame({"area": area_text, "noise": rng.normal(size=400), "price": price})


def test_an_audit_uses_the_numbers_and_says_what_was_none():
    table, numeric = houses(), ("area", "price")
    settings = AuditSettings(target="price", task="regression", numeric=numeric, remedies=("none",))
    result = audit(table, settings)
    pd.testing.assert_frame_equal(table, houses())  # the caller's, which is left as it was
    assert result.data.features == ["area", "noise"]
    assert result.data.rows_without_label == 1
    told = "Values of '{}' that are no numbers, taken as missing: {}, the first of them '{}'"
    assert result.notes[:3] == [
        told.format("area", 2, "unknown") + " in row 5.",
        told.format("price", 1, "on request") + " in row 12.",
        "Rows without a label, left out: 1.",
    ]
