"""Roles: every column has exactly one, and a name that is not there is told."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.roles import assign_roles
from evencover.core.preparation.settings import AuditSettings
from evencover.core.tables.columns import check_exists
from evencover.core.tables.table import Table

N = 60


def homes():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "id": rng.permutation(N) * 31 + 7,
            "area": rng.normal(size=N),
            "rooms": rng.integers(1, 6, N),
            "zip": rng.choice(["a", "b"], N),
            "part": rng.choice(["train", "calibration", "test"], N),
            "price": rng.normal(size=N),
        }
    )


def roles(frame=None, **options):
    frame = homes() if frame is None else frame
    return assign_roles(Table.of(frame), AuditSettings(target="price", **options))


def test_every_usable_column_is_a_feature_by_default():
    assert roles().features == ("area", "rooms", "zip", "part")
    assert roles().dropped == {"id": "is an identifier: nearly every row has its own value"}


@pytest.mark.parametrize("options", [{"split_column": "part"}, {"drop": ("area",)}, {}])
def test_every_column_has_exactly_one_role(options):
    given = roles(audit_only=("zip",), **options)
    every = [given.target, *given.features, *given.audit_only, *given.dropped]
    assert sorted(every) == sorted(homes().columns)


def test_features_asked_for_are_kept_in_their_order():
    assert roles(features=("id", "area")).features == ("id", "area")
    assert roles(features=("rooms", "area")).features == ("rooms", "area")


def test_a_column_called_categorical_is_kept():
    assert "id" in roles(categorical=("id",)).features


def test_what_is_dropped_says_why():
    dropped = roles(drop=("area",), split_column="part").dropped
    assert dropped["area"] == "left out as asked"
    assert dropped["part"] == "says the split"


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("name", ["area", "zip", "price"])
def test_a_copy_of_another_column(name, by_name):
    named = {"features": ("area", "zip", "copy")} if by_name else {}
    given = roles(homes().assign(copy=lambda f: f[name]), **named)
    assert given.dropped["copy"] == f"is a copy of {'the label' if name == 'price' else name}"
    assert {"area", "zip"} <= {*given.features}


@pytest.mark.parametrize("stored_as", [float, "int8", "Int64", bool])
def test_a_copy_stored_otherwise(stored_as):
    large = np.arange(len(homes())) % 7 < 2
    frame = homes().assign(large=large.astype(int), copy=large.astype(int))
    frame = frame.astype({"copy": stored_as})
    assert roles(frame).dropped["copy"] == "is a copy of large"


def test_one_differing_row_makes_no_copy():
    frame = homes().assign(copy=lambda f: f["area"])
    frame.loc[7, "copy"] += 1.0
    assert "copy" in roles(frame).features


@pytest.mark.parametrize(
    ("given", "there", "sentence"),
    [
        ("cr end", "cr\nend", r"'cr end'; did you mean 'cr\nend'"),
        ("cr\r\nend", "cr end", r"'cr\r\nend'; did you mean 'cr end'"),
        ("a b", "a  b", r"'a b'; did you mean 'a \x20b'"),
        ("a b", "a\xa0b", r"'a b'; did you mean 'a\xa0b'"),
        ("a", " a\u2003", r"'a'; did you mean '\x20a\u2003'"),
        ("a" + " " * 90 + "b", "a b", r"…'; did you mean 'a b'"),
    ],
)
def test_a_name_that_differs_in_white_space_alone_is_told_apart(given, there, sentence):
    with pytest.raises(InputError) as refused:
        check_exists(["like a b", there], given)
    assert str(refused.value).endswith(f"{sentence}, which differs in white space alone?")


def test_a_name_that_is_meant_is_shown_to_its_end():
    meant = "L" * 90 + "a"
    with pytest.raises(InputError) as refused:
        check_exists([meant, "other"], "L" * 90 + "b")
    assert str(refused.value) == f"there is no column '{'L' * 78} …'; did you mean '{meant}'?"
