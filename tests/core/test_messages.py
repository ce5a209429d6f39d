"""Sentences that know what they quote, and names that are told apart."""

import pickle

from evencover.core import InputError
from evencover.core.messages import Cell, Sentence, told_apart


def test_a_name_that_is_taken_gets_a_number_that_is_free():
    assert told_apart(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"]


def copied(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own


def test_a_sentence_keeps_its_code_and_values_when_pickled():
    sentence = Sentence("a.b", "row {row} holds '{value}'", row=3, value=Cell("secret"))
    again = copied(sentence)
    assert again == sentence == "row 3 holds 'secret'"
    assert (again.code, again.values["row"]) == ("a.b", 3)
    assert again.without_cells() == "row 3 holds '…'"


def test_what_a_sentence_quotes_is_cut_but_not_its_own_words():
    sentence = Sentence("a.b", "x" * 200 + "{value}", value="y" * 200)
    assert sentence.count("x") == 200
    assert sentence.count("y") == 78


def test_an_error_survives_pickling():
    error = copied(InputError("a.b", "no column '{column}'", column="{x}"))
    assert str(error) == "no column '{x}'"
    assert error.sentence.code == "a.b"
