"""Names that are told apart."""

from evencover.core.messages import told_apart


def test_a_name_that_is_taken_gets_a_number_that_is_free():
    assert told_apart(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"]
