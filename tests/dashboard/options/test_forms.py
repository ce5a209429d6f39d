"""Pairs, cut points, references and cohorts as a person writes them, and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.options import CUTS, REFERENCE
from evencover.core.report.wording import percent
from evencover.core.tables.grammar import (
    parse_cohort,
    parse_cuts,
    parse_pairs,
    parse_reference,
    write_cohorts,
    write_cuts,
    write_pairs,
    write_reference,
)
from evencover.dashboard.commands import main as cli
from evencover.dashboard.export.terminal_summary import to_text
from evencover.dashboard.pages.setup.settings_choice import _references_left as references_left
from evencover.dashboard.wording.tables import cell_text

names = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e"),
    min_size=1,
)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a:b", [("a", "b")]),
        ("a:b,c:d", [("a", "b"), ("c", "d")]),
        (" a one : b ,c:d", [("a one", "b"), ("c", "d")]),
        ('"a, b":"c:d",e:f', [("a, b", "c:d"), ("e", "f")]),
        ('"say ""a""":b', [('say "a"', "b")]),
    ],
)
def test_pairs_are_read(text, pairs):
    assert parse_pairs(text) == tuple(pairs)


@pytest.mark.parametrize("text", ["", "a", "a:b:c", "a:b,", "a:,b", 'a"b:c', "a:b,c"])
def test_what_is_no_list_of_pairs_is_told(text):
    with pytest.raises(InputError, match="is no list of pairs; write A:B,C:D"):
        parse_pairs(text)


def test_cut_points_and_references_are_read():
    assert parse_cuts("age=18,40, 65.5") == ("age", (18.0, 40.0, 65.5))
    assert parse_cuts('"a=b"=-1') == ("a=b", (-1.0,))
    assert parse_reference("age= >= 65") == ("age", ">= 65")
    assert parse_reference("race × sex = white × m ") == ("race × sex", "white × m")


@pytest.mark.parametrize("text", ["age", "=1", "age=", "age=x", "age=1,,2"])
def test_what_gives_no_cut_points_is_told(text):
    with pytest.raises(InputError, match=r"gives no cut points|names no column before an ="):
        parse_cuts(text)


@pytest.mark.parametrize("text", ["owner", "owner=", "=self"])
def test_what_is_no_reference_is_told(text):
    with pytest.raises(InputError, match=r"names no segment|names no column before an ="):
        parse_reference(text)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=3))
def test_pairs_are_read_as_written(pairs):
    assert parse_pairs(write_pairs(pairs)) == tuple(pairs)


@given(st.lists(st.tuples(names, st.lists(st.floats(allow_nan=False), min_size=1).map(tuple))))
def test_cut_points_are_read_as_written(cuts):
    assert CUTS.read(write_cuts(cuts)) == tuple(cuts)


@given(st.lists(st.tuples(names, names.map(str.strip).filter(bool))))
def test_references_are_read_as_written(reference):
    assert REFERENCE.read(write_reference(reference)) == tuple(reference)


def test_cohorts_are_read():
    assert parse_cohort("old homes: age >= 65") == ("old homes", "age >= 65")
    assert parse_cohort(' "a: b" :c = "d: e" ') == ("a: b", 'c = "d: e"')


@pytest.mark.parametrize("text", ["age >= 65", "old:", ": age >= 65", ""])
def test_what_names_no_cohort_is_told(text):
    with pytest.raises(InputError, match="names no cohort before a colon; write NAME: RULE"):
        parse_cohort(text)


@given(st.lists(st.tuples(names.filter(str.strip), names.map(str.strip).filter(bool))))
def test_cohorts_are_read_as_written(cohorts):
    lines = write_cohorts(cohorts).splitlines()
    assert [parse_cohort(line) for line in lines] == cohorts


def test_the_options_reach_the_result(tmp_path, monkeypatch, csv_texts, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.csv").write_text(csv_texts["few.csv"])
    options = [
        "--pairs",
        "place:x0",
        "--bins",
        "3",
        "--cuts",
        "x1=-1,1",
        "--reference",
        "place=Bude",
    ]
    options += ["--cohort", "low in Bude: x0 < 0 and place = Bude", "--cohort", '"a: b": x3 > 0']
    arguments = ["audit", "few.csv", "--target", "y", "--json", "-", "--quiet", *options]
    assert cli.main([*arguments, "--cuts", "x2=0"]) == 0
    told = json.loads(capsys.readouterr().out)
    used = {name: told["settings"][name] for name in ("pairs", "bins", "cuts")}
    used |= {name: told["settings"][name] for name in ("reference", "cohorts")}
    assert used == {
        "pairs": [["place", "x0"]],
        "bins": 3,
        "cuts": {"x1": [-1.0, 1.0], "x2": [0.0]},
        "reference": {"place": "Bude"},
        "cohorts": {"low in Bude": "x0 < 0 and place = Bude", "a: b": "x3 > 0"},
    }
    values = {}
    for row in told["segments"]:
        values.setdefault(row["variable"], []).append(row["value"])
    assert [len(values[name]) for name in ("x0", "x3", "place × x0", "label: y")] == [3, 3, 9, 3]
    assert values["x1"] == ["< -1", "-1 to 1", ">= 1"]
    assert values["x2"] == ["< 0", ">= 0"]
    assert values["cohort: low in Bude"] == ["inside", "outside"]
    assert {row["variable"]: row["reference"] for row in told["gaps"]}["place"] == "Bude"
    assert cli.main([*arguments, "--pairs", "place:nowhere"]) == 2
    assert "there is no column 'nowhere'" in capsys.readouterr().err
    assert cli.main([*arguments, "--pairs", "place"]) == 2
    assert "'place' is no list of pairs" in capsys.readouterr().err
    assert cli.main([*arguments, "--cohort", "place = Bude"]) == 2
    assert "'place = Bude' names no cohort" in capsys.readouterr().err
    assert cli.main([*arguments, "--cohort", "low: x0 is low"]) == 2
    assert "cohort 'low': the rule 'x0 is low' cannot be read" in capsys.readouterr().err


@pytest.mark.long
def test_the_summary_tells_gaps_sizes_and_segments_that_are_too_small(table):
    frame = table.assign(place=table["place"].mask(table.index < 3, "Dover"))
    result = audit(
        frame,
        AuditSettings(target="y", cohorts=(("east\nend", "x0 > 0"),), looks=(("l", "x0 < 0"),)),
    )
    told = to_text(result)
    assert "\nCohort east end: x0 > 0\nLook l: x0 < 0\n" in told
    lines = [line.split() for line in told.splitlines()]
    gap = max(result.of(result.gaps, "base"), key=lambda row: abs(row.gap))
    expected = [gap.variable, gap.reference, gap.gap_segment, cell_text(gap.gap, "points")]
    words = " ".join(expected).split()
    assert [line[: len(words)] for line in lines].count(words) == 1
    for row in result.size_strata:
        unit = "standard deviations of the label, as modelled"
        size = f"{row.size} {unit}".split()
        words = [row.predictor, *size, f"{row.n:,}", *percent(row.accuracy).split()]
        assert [line[: len(words)] for line in lines].count(words) == 1
    segments = result.of(result.segments, "base")
    look = next(row for row in segments if (row.kind, row.value) == ("look", "inside"))
    words = f"cohort: l inside a look: not judged {look.n:,} {percent(look.accuracy)}".split()
    assert words in [line[: len(words)] for line in lines]
    small = [row.value for row in segments if 0 < row.n < 20]
    assert small == ["Dover"]
    assert "\nToo few rows to say (segments: 1): place: Dover.\n" in told


def test_a_reference_group_may_be_the_empty_text():
    assert parse_reference('e=""') == ("e", "")
    assert write_reference([("e", ""), ("f", '"')]) == 'e=""\nf=""""'
    with pytest.raises(InputError, match='or owner="" where it is empty'):
        parse_reference("e=")


anything = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(anything, anything), max_size=3))
def test_line_ends_in_names_and_segments_are_read_as_written(reference):
    assert REFERENCE.read(write_reference(reference)) == tuple(reference)
    cuts = [(name, (1.0,)) for name, _ in reference]
    assert CUTS.read(write_cuts(cuts)) == tuple(cuts)


def test_a_quote_that_stands_alone_holds_no_lines_together():
    text = 'pipe=6" wide\r\n\n "a\nb" =\t"x\n=y" \nc="z'
    assert REFERENCE.read(text) == (*(("pipe", '6" wide'), ("a\nb", "x\n=y"), ("c", '"z')),)


def test_a_reference_group_of_a_column_called_like_a_cohort_is_left():
    before = AuditSettings(target="y", cohorts=(("k", "x > 0"),))
    columns = ["x", "y", "cohort: k"]
    text = "cohort: k=b\ncohort: k (2)=inside"
    assert references_left(text, before, (), columns) == "cohort: k=b"
    assert references_left(text, before, before.cohorts, columns) == text
    assert references_left("cohort: k=inside\nx=1", before, (), ["x", "y"]) == "x=1"
