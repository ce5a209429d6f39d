"""Columns, pairs, cut points, references and cohorts are read as they are written, in one pass."""

import contextlib
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core import InputError
from evencover.core.preparation.options import CUTS, REFERENCE
from evencover.core.report.gate import Gate
from evencover.core.tables.grammar import (
    Limit,
    lines_of,
    parse_cohort,
    parse_columns,
    parse_cuts,
    parse_limit,
    parse_pairs,
    parse_reference,
    parse_rule,
    write_cohorts,
    write_columns,
    write_cuts,
    write_pairs,
    write_reference,
)

names = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e"),
    min_size=1,
)
odd = st.sampled_from(["-a", "a, b", 'say "a"', "'a'", "a\nb", " a ", "a=b", "a:b", "$(a)"])
anything = st.text(st.characters(codec="utf-8"), min_size=1)


@pytest.mark.parametrize(
    ("parse", "text", "found"),
    [
        (parse_columns, "", ()),
        (parse_columns, " , ", ()),
        (parse_columns, "a", ("a",)),
        (parse_columns, " a one ,b,,", ("a one", "b")),
        (parse_columns, '"a, b", "c ""d"""', ("a, b", 'c "d"')),
        (parse_columns, '6" pipe,b', ('6" pipe', "b")),
        (parse_columns, '" a ",b', (" a ", "b")),
        (parse_columns, '"a,"b"c', ('"a', '"b"c')),
        (parse_columns, '"a\nb"', ("a\nb",)),
        (parse_pairs, "a:b", (("a", "b"),)),
        (parse_pairs, "a:b,c:d", (("a", "b"), ("c", "d"))),
        (parse_pairs, " a one : b ,c:d", (("a one", "b"), ("c", "d"))),
        (parse_pairs, '"a, b":"c:d",e:f', (("a, b", "c:d"), ("e", "f"))),
        (parse_pairs, '"say ""a""":b', (('say "a"', "b"),)),
        (parse_cuts, "age=18,40, 65.5", ("age", (18.0, 40.0, 65.5))),
        (parse_cuts, '"a=b"=-1', ("a=b", (-1.0,))),
        (parse_reference, "age= >= 65", ("age", ">= 65")),
        (parse_reference, "race × sex = white × m ", ("race × sex", "white × m")),
        (parse_reference, 'e=""', ("e", "")),
        (parse_cohort, "old homes: age >= 65", ("old homes", "age >= 65")),
        (parse_cohort, ' "a: b" :c = "d: e" ', ("a: b", 'c = "d: e"')),
        (parse_limit, "dcv > 2*floor", Limit(None, "dcv", "", ">", 2.0, "*floor")),
        (parse_limit, " x.gap (a (b)) >= 1 % ", Limit("x", "gap", "a (b)", ">=", 1.0, "%")),
        (parse_limit, "ifacm@0.2.dcv < 1", Limit("ifacm@0.2", "dcv", "", "<", 1.0, "")),
        (parse_limit, "coverage(a <= 2) <.9", Limit(None, "coverage", "a <= 2", "<", 0.9, "")),
    ],
)
def test_what_texts_say(parse, text, found):
    assert parse(text) == found


@given(st.lists(odd | anything, unique=True, max_size=3))
def test_a_list_of_columns_is_read_as_written(listed):
    assert parse_columns(write_columns(listed)) == tuple(listed)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=3))
def test_pairs_are_read_as_written(pairs):
    assert parse_pairs(write_pairs(pairs)) == tuple(pairs)


@given(st.lists(st.tuples(names, st.lists(st.floats(allow_nan=False), min_size=1).map(tuple))))
def test_cut_points_are_read_as_written(cuts):
    assert CUTS.read(write_cuts(cuts)) == tuple(cuts)


@given(st.lists(st.tuples(names, names.map(str.strip).filter(bool))))
def test_references_are_read_as_written(reference):
    assert REFERENCE.read(write_reference(reference)) == tuple(reference)


@given(st.lists(st.tuples(names.filter(str.strip), names.map(str.strip).filter(bool))))
def test_cohorts_are_read_as_written(cohorts):
    assert [parse_cohort(line) for line in write_cohorts(cohorts).splitlines()] == cohorts


@given(st.lists(st.tuples(*[anything.filter(str.strip)] * 2), max_size=3))
def test_line_ends_in_names_and_segments_are_read_as_written(reference):
    assert REFERENCE.read(write_reference(reference)) == tuple(reference)
    cuts = [(name, (1.0,)) for name, _ in reference]
    assert CUTS.read(write_cuts(cuts)) == tuple(cuts)


def test_the_empty_text_is_written_in_quotes():
    assert write_reference([("e", ""), ("f", '"')]) == 'e=""\nf=""""'


def test_a_quote_that_stands_alone_holds_no_lines_together():
    text = 'pipe=6" wide\r\n\n "a\nb" =\t"x\n=y" \nc="z'
    assert REFERENCE.read(text) == (("pipe", '6" wide'), ("a\nb", "x\n=y"), ("c", '"z'))


REPEATED = (
    *(" ", '"', '""', '" ', ",", ", ", ":", "=", " or ", ", a", "a b ", "(", ")", ") ", "<", "=< "),
    *(".", "\n", '"\n', 'x="\n', "1 ", "\\", "a=1 and "),
)


@pytest.mark.parametrize(
    "read",
    [
        *(parse_columns, parse_pairs, parse_cuts, parse_reference, parse_cohort, parse_rule),
        *(lines_of, Gate.parse),
    ],
)
def test_reading_takes_as_long_as_the_text_is(read):
    around = [("a", ""), ("a: ", "c"), ("a = ", " or c"), ('"', ""), ("coverage(", ") < 1")]
    for repeated, (start, end) in itertools.product(REPEATED, around):
        started = time.process_time()
        with contextlib.suppress(InputError):
            read(start + repeated * 5_000 + end)
        # with its square it would take many seconds
        assert time.process_time() - started < 1.0, (start, repeated, end)
