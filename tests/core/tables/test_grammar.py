"""Pairs, cuts, cohorts and rules are read as they are written, in one pass, and all else told."""

import contextlib
import itertools
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evencover.core import InputError
from evencover.core.messages import visible
from evencover.core.preparation.options import CUTS, REFERENCE
from evencover.core.report.gate import Gate
from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.rule_search import fixed_conditions, level_conditions
from evencover.core.segments.worst_segments import _search
from evencover.core.tables.columns import Column
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
    parse_words,
    write_cohorts,
    write_columns,
    write_cuts,
    write_pairs,
    write_reference,
)
from evencover.core.tables.rules import Between, Bound, Missing, OneOf, Rule, in_a_rule
from evencover.core.tables.table import Table

names = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e"),
    min_size=1,
)
odd = st.sampled_from(["-a", "a, b", 'say "a"', "'a'", "a\nb", " a ", "a=b", "a:b", "$(a)"])
anything = st.text(st.characters(codec="utf-8"), min_size=1)


@pytest.mark.parametrize(
    ("parse", "text", "found"),
    [
        (parse_words, "NA, k. A.", ("NA", "k. A.")),
        (parse_words, '"a=b",c', ("a=b", "c")),
        (parse_words, "income=-99,-98", (("income", ("-99", "-98")),)),
        (parse_words, '"a,b=c"=n/k', (("a,b=c", ("n/k",)),)),
        (parse_words, "income=", (("income", ()),)),
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
        (parse_cohort, "old: ", ("old", "")),
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


@given(
    st.lists(
        st.tuples(
            names | anything.filter(str.strip),
            st.lists(st.floats(allow_nan=False), min_size=1).map(tuple),
        )
    )
)
def test_cut_points_are_read_as_written(cuts):
    assert CUTS.read(write_cuts(cuts)) == tuple(cuts)


@given(st.lists(st.tuples(names.filter(str.strip), names.map(str.strip).filter(bool))))
def test_cohorts_are_read_as_written(cohorts):
    assert [parse_cohort(line) for line in write_cohorts(cohorts).splitlines()] == cohorts


@given(st.lists(st.tuples(names | anything.filter(str.strip), anything.filter(str.strip))))
def test_references_are_read_as_written(reference):
    assert REFERENCE.read(write_reference(reference)) == tuple(reference)


def test_the_empty_text_is_quoted_and_a_quote_that_stands_alone_holds_no_lines():
    assert write_reference([("e", ""), ("f", '"')]) == 'e=""\nf=""""'
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
            read(start + repeated * 2_500 + end)
        # with its square it would take a second and more
        assert time.process_time() - started < 0.25, (start, repeated, end)


N = 120
SEARCHED = np.arange(N) % 2 == 0
ODD = [
    *("and", "or", "is", "not", "missing", "x is", "or b", "a and", "is missing", "x is missing"),
    *("a, b", "a or b", "a=b", "a!", "!=", "!", "< 3", 'say "no"', "back\\slash", "a\\"),
    *("two\nlines", "", " led", "trailing ", "a  b", "Zürich", "\u00a0", "\x1f", "3", "-1e5"),
    *("2014-10-13", "$x|y"),
]
texts = st.sampled_from(ODD) | st.text(max_size=6)


def column(values, name="v"):
    return pd.Series(np.resize(np.array(values, dtype=object), N), name=name)


@st.composite
def columns(draw):
    """A column of one kind, with whatever name and values a table may hold."""
    kind = draw(st.sampled_from(["numbers", "few", "codes", "days", "texts", "dates", "levels"]))
    seed = np.random.default_rng(draw(st.integers(0, 999)))
    scale = draw(st.sampled_from([1e-300, 1e-7, 1.0, 1e3, 1e9, 1e200]))
    values: pd.Series
    if kind == "numbers":
        values = pd.Series(seed.normal(size=N) * scale)
    elif kind in ("few", "codes"):
        numbers = draw(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=25))
        values = column(numbers).astype(float)
    elif kind == "levels":
        values = column(draw(st.lists(texts, min_size=1, max_size=25)))
    else:
        days = seed.integers(0, draw(st.sampled_from([5, 50, 400, 90_000])), N)
        values = pd.Series(np.datetime64("1960-02-27", "us") + days * np.timedelta64(1, "D"))
        hours = seed.integers(0, 24, N) if kind == "days" else 0
        values = values + pd.to_timedelta(hours, unit="h")
        values = values.dt.strftime("%d.%m.%Y") if kind == "texts" else values
    if draw(st.booleans()):
        values = values.mask(seed.random(N) < 0.2)
    return values.rename(draw(texts)), kind == "codes"


@settings(max_examples=40)
@given(columns())
@pytest.mark.long
def test_every_condition_is_read_back_to_exactly_its_rows(drawn):
    values, categorical = drawn
    wrong = np.arange(N) % 3 == 0
    column = replace(Column.of(values), categorical=categorical)
    found = fixed_conditions(column) or level_conditions(column, wrong, SEARCHED)
    names = [str(values.name)] if categorical else []
    for place in range(0, len(found.conditions), 1 + len(found.conditions) // 10):
        words = str(found.conditions[place])
        rule = parse_rule(words)
        assert (str(rule), rule.columns) == (words, (values.name,))
        np.testing.assert_array_equal(
            rule.holds(Table.of(values.to_frame(), names)), found.rows(place), err_msg=words
        )


@settings(max_examples=8)
@given(st.integers(0, 999), st.lists(texts, min_size=4, max_size=4, unique=True))
def test_every_rule_that_is_found_is_read_back_to_exactly_its_rows(seed, names):
    rng = np.random.default_rng(seed)
    days = np.datetime64("2014-05-02") + rng.integers(0, 60, 800)
    values = rng.normal(size=800), rng.integers(0, 4, 800), days, rng.choice(ODD, 800)
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    wrong = rng.random(800) < np.where(frame[names[0]] > 0.5, 0.5, 0.1)
    wrong |= frame[names[3]].isin(ODD[:9]).to_numpy() & (rng.random(800) < 0.4)
    table = Table.of(frame, names[1:2])
    fixed = {name: fixed_conditions(table[name]) for name in names}
    found = _search(table, fixed, Outcomes(~wrong), rng.random(800) < 0.5)
    assert found
    for words, each in found.items():
        rule = parse_rule(words)
        assert str(rule) == words
        assert sorted(rule.columns) == sorted(each.rule.columns)
        np.testing.assert_array_equal(rule.holds(table), each.rows, err_msg=words)


some = st.lists(texts, min_size=1, max_size=3).map(tuple)
bounds = st.builds(Bound, texts, st.booleans())
ranges = st.tuples(bounds | st.none(), bounds | st.none()).filter(any)
conditions = (
    st.builds(OneOf, texts, some, st.booleans())
    | st.builds(Missing, texts, st.booleans())
    | st.builds(lambda name, ends: Between(name, *ends), texts, ranges)
)


@given(st.lists(conditions, min_size=1, max_size=3).map(lambda parts: Rule(tuple(parts))))
def test_whatever_a_rule_says_is_read_back(rule):
    assert parse_rule(str(rule)) == rule


@given(st.text(alphabet='ab3 =<>!,"\\', max_size=20) | st.text(max_size=20))
def test_whatever_is_written_is_read_or_refused_in_a_sentence(text):
    try:
        rule = parse_rule(text)
    except InputError as error:
        as_it_should_be = visible(text.strip()) in str(error)
    else:
        as_it_should_be = parse_rule(str(rule)) == rule
    assert as_it_should_be


FRAME = pd.DataFrame(
    {
        "age": [17.0, 18.0, 40.0, 65.0, np.nan],
        "who": ["a", "b", "Old and New", None, "a"],
        "code": [1, 2, 10, 2, 1],
        "day": ["13.10.2014", "14.10.2014", "13.10.2014", None, "01.11.2014"],
    }
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("age >= 18", [1, 2, 3]),
        ("age > 18", [2, 3]),
        ("age<=18", [0, 1]),
        ("age < 1.8e1", [0]),
        ("18 <= age < 65", [1, 2]),
        ("18 < age <= 65", [2, 3]),
        ("age = 17 or 65", [0, 3]),
        ("age != 17", [1, 2, 3]),
        ("age is missing", [4]),
        ("age is not missing", [0, 1, 2, 3]),
        ("who = a", [0, 4]),
        ('who = a, b or "Old and New"', [0, 1, 2, 4]),
        ("who != a or b", [2]),
        ("who = nobody", []),
        ("code = 2 or 10", [1, 2, 3]),
        ("day >= 2014-10-14", [1, 4]),
        ("day = 2014-10-13 and age > 17", [2]),
        ("day is missing and who is missing", [3]),
        ('  "who"   =   "a"   and age is missing ', [4]),
    ],
)
def test_what_rules_say(text, rows):
    assert np.flatnonzero(parse_rule(text).holds(Table.of(FRAME, ["code"]))).tolist() == rows


@pytest.mark.parametrize(
    ("text", "part", "remedy"),
    [
        ("", "the rule is empty", "write conditions such as"),
        ("age >= 65 and", "'age >= 65 and'", "a condition is missing"),
        ("age", "'age'", "write conditions such as"),
        ("age is old", "'age is old'", "write conditions such as"),
        ("age >= ", "'age >='", "is missing"),
        ("=", "'='", "write conditions"),
        ("who = a, b", "'who = a, b'", "by or"),
        ("age = 1,5", "'age = 1,5'", "decimal point"),
        ('age > 1 and who = 5" pipe', "'\" pipe'", "close its double quote"),
        ('who = say "no"', "'say \"no\"'", "in double quotes"),
        ("what is it = 3", "'what is it'", "in double quotes"),
        ("age > 1 AND who = a", "'age > 1 AND who = a'", "joined by and"),
        ("65 > age > 18", "'65 > age > 18'", "18 <= age < 65"),
        ("age == 3", "'age == 3'", "write conditions"),
        ('who = "\\x"', "'\"\\x\"'", "backslash"),
        # against a column
        ("who >= b", "column 'who' holds categories", ""),
        ("age = old", "column 'age' holds numbers, and 'old' is none", ""),
        ("age = nan", "'nan' is none", ""),
        ("day > 13.10.2014", "'13.10.2014' is no day; write it as in 2014-10-13", ""),
        ("day > 2014-10-13 25:00", "'2014-10-13 25:00' is no day", "with a time"),
        ("day > 2014-13-01", "'2014-13-01' is no day", ""),
        ("height > 2", "there is no column 'height'", ""),
        ("age = \u0661", "column 'age' holds numbers, and '\u0661' is none", ""),
        ("age < 1e999", "'1e999', with which column 'age' is compared, is too large", ""),
        ("day = \u0662\u0660\u0661\u0664-10-13", "is no day", ""),
        ("day > 99999999999999999999-01-01", "'99999999999999999999-01-01' is no day", ""),
        ("day > 9999999-01-01", "is no day", ""),
    ],
)
def test_what_cannot_be_read_or_goes_against_a_column_is_told(text, part, remedy):
    with pytest.raises(InputError) as error:
        parse_rule(text).holds(Table.of(FRAME, ["code"]))
    assert part in str(error.value)
    assert remedy in str(error.value)


def test_a_cut_within_a_day_is_told_as_the_next():
    days = pd.Series(np.datetime64("2020-01-01") + np.arange(N) % 33, name="day")
    found = fixed_conditions(Column.of(days))
    for place, words in enumerate(map(str, found.conditions[:40])):
        rows = parse_rule(words).holds(Table.of(days.to_frame()))
        np.testing.assert_array_equal(rows, found.rows(place), err_msg=words)


@given(texts)
def test_a_name_in_a_rule_is_on_one_line(text):
    assert not any(sign in in_a_rule(text) for sign in "\n\r\x0b\x0c\x1c")


def test_half_a_character_is_refused_with_its_escape():
    with pytest.raises(InputError, match=r"cannot be written as UTF-8; write it anew") as refused:
        parse_rule("a = \ud800")
    assert r"\ud" in str(refused.value)
    str(refused.value).encode()
