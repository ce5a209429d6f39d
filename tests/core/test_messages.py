"""Sentences know what they quote, and levels divide one chance."""

import json
import pickle
from pathlib import Path

import pytest

from evencover.core import InputError, levels
from evencover.core.messages import Cell, Names, Sentence, as_json, nearest, told_apart


def test_a_name_that_is_taken_gets_a_number_that_is_free():
    assert told_apart(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"]
    apart = told_apart(["a"] * 50_000)
    assert apart[:2] == ["a", "a (2)"]
    assert apart[-1] == "a (50000)"
    assert told_apart(["a", "b"], taken=["a", "a (2)"]) == ["a (3)", "b"]


def copied(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own


def test_sentences_and_errors_keep_their_code_and_values_when_pickled():
    sentence = Sentence("a.b", "row {row} holds '{value}'", row=3, value=Cell("secret"))
    again = copied(sentence)
    assert again == sentence == "row 3 holds 'secret'"
    assert (again.code, again.values["row"]) == ("a.b", 3)
    assert again.without_cells() == "row 3 holds '…'"
    error = copied(InputError("a.b", "no column '{column}'", column="{x}"))
    assert str(error) == "no column '{x}'"
    assert error.sentence.code == "a.b"


def test_what_a_sentence_quotes_is_cut_and_shown_by_signs_but_not_its_own_words():
    sentence = Sentence("a.b", "x" * 200 + "{value}", value="y" * 200)
    assert sentence.count("x") == 200
    assert sentence.count("y") == 78
    given = "\x1b[31mred\x07\x9b2J\x7f\r\n\u202e"
    told = r"␛[31mred␇\x9b2J␡␍␊\u202e"
    for value in (given, Cell(given), Names([given]), Path(given)):
        assert Sentence("a.b", "{value}", value=value) == told


def test_names_are_quoted_with_their_ends_and_not_by_the_thousand():
    told = str(Names(["x" * 5000 + "1", *(f"n{i}" for i in range(999))]))
    assert told.startswith("x" * 80 + " … " + "x" * 79 + "1, n0, n1")
    assert told.endswith("n28 and 970 more")


def test_a_false_alarm_has_a_chance_of_a_twentieth_in_all():
    claims = ("OVERALL", "SEGMENTS", "SEARCH", "FEATURES", "AUDIT_ONLY")
    assert sum(getattr(levels, claim) for claim in claims) == pytest.approx(0.05, abs=1e-12)
    assert all(getattr(levels, claim) > 0.0 for claim in claims)


@pytest.mark.parametrize(
    ("given", "meant"), [("male", ["Male"]), ("femal", ["Female"]), ("MALE", ["Male"]), ("x", [])]
)
def test_the_nearest_name_is_found_whatever_its_case(given, meant):
    assert nearest(given, ["Female", "Male"]) == meant


def test_json_steers_neither_a_terminal_nor_a_log_and_holds_what_it_is_of():
    signs = "".join(
        map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x2028, 0x202E, 0x2067])
    )
    plain = {f"##[group]{signs}": ["##vso[x]", "###[y", "ä", "\n::error::"]}
    text = as_json(plain)
    assert json.loads(text) == plain
    assert "##" not in text
    assert {*text} & {*signs} == {"\n"}
    assert all(line.lstrip()[:1] in {*'{}[]"'} for line in text.splitlines())
