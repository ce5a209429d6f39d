"""Names and values as Markdown draws them."""

import itertools
import re

from evencover.dashboard.wording.formatting import plain

DRAWN_AS_OTHERS = re.compile(r"(?<!\S)(<->|->|<-|--|>=|<=|~=)(?!\S)")
"""What streamlit's Markdown replaces between spaces, once backslashes are gone."""

MADE_A_LINK = re.compile(r"(https?://|www\.)\w|\w@\w", re.IGNORECASE)


def runs_of_text(markdown):
    """The texts between directives that draw nothing, without the backslashes."""
    return [re.sub(r"\\(.)", r"\1", run) for run in markdown.split(":small[]")]


def test_signs_are_shown_as_they_are():
    for signs in map("".join, itertools.product("<>~=-a\\ ", repeat=5)):
        runs = runs_of_text(plain(signs))
        assert "".join(runs) == signs
        assert not [run for run in runs if DRAWN_AS_OTHERS.search(run)]


def test_addresses_in_names_are_no_links():
    for address in ("see http://e.x/a", "(HTTPS://e.x)", "www.e.x", "Www.e.x", "me@e.x"):
        runs = runs_of_text(plain(address))
        assert "".join(runs) == address
        assert not [run for run in runs if MADE_A_LINK.search(run)]


def test_a_rule_without_such_signs_has_nothing_in_it():
    assert plain("age < 65 and k = a") == r"age \< 65 and k = a"
