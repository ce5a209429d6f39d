"""Columns that tell others: copies, proxies and parts of a sum; names of protected attributes."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.preparation.column_names import protected_attributes
from evencover.core.preparation.proxies import proxies, weighted_sum
from evencover.core.preparation.roles import assign_roles
from evencover.core.preparation.settings import AuditSettings
from evencover.core.tables.table import Table

N = 2000


def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, N)
    race = rng.choice(["x", "y", "z"], N, p=[0.6, 0.3, 0.1])
    return pd.DataFrame(
        {
            "age": age,
            "race": race,
            "income": rng.lognormal(size=N),
            "height": rng.normal(size=N),
            "city": np.where(race == "x", rng.choice(["a", "b"], N), rng.choice(["c", "d"], N)),
            "y": rng.normal(size=N),
        }
    )


def features_and_reasons(frame, audit_only, **options):
    settings = AuditSettings(target="y", audit_only=audit_only, **options)
    roles = assign_roles(Table.of(frame), settings)
    return roles.features, roles.dropped


@pytest.mark.parametrize(
    ("hidden", "make"),
    [
        ("age", lambda f: f["age"]),
        ("age", lambda f: 2024 - f["age"]),
        ("age", lambda f: f["age"].map("{} years".format)),
        ("race", lambda f: f["race"]),
        ("race", lambda f: f["race"].map({"x": 3, "y": 1, "z": 2})),
        ("race", lambda f: f["race"].str.upper() + " "),
        ("income", lambda f: f["income"]),
        ("income", lambda f: np.log(f["income"])),
        ("income", lambda f: -3.0 * f["income"]),
        ("born", lambda f: (f["born"] - pd.Timestamp("1970-01-01")).dt.days),
        ("born", lambda f: f["born"].dt.strftime("%d.%m.%Y")),
    ],
)
@pytest.mark.parametrize("asked_for", [False, True])
def test_what_says_the_same_is_left_out(hidden, make, asked_for):
    days = np.random.default_rng(1).permutation(40_000)[:N]
    born = pd.Timestamp("1900-01-01") + pd.to_timedelta(days, "D")
    frame = people().assign(born=born).assign(other=make)
    options = {"features": ("height", "other")} if asked_for else {}
    features, reasons = features_and_reasons(frame, (hidden,), **options)
    assert "other" not in features
    assert reasons["other"] == f"says the same as the audit-only column {hidden}"
    assert "height" in features


def test_a_name_for_what_is_missing_makes_no_other_column():
    frame = people()
    frame.loc[::7, "race"] = None
    told = frame["race"].map({"x": "1", "y": "2", "z": "3"}).fillna("unknown")
    features, reasons = features_and_reasons(frame.assign(other=told), ("race",))
    assert "other" not in features
    assert reasons["other"] == "says the same as the audit-only column race"


def test_what_says_less_or_is_merely_as_varied_stays():
    frame = people().assign(
        old=lambda f: f["age"] > 60, other=lambda f: f["age"].shift(1, fill_value=40)
    )
    features, _ = features_and_reasons(frame, ("age", "race", "income"))
    assert features == ("height", "city", "old", "other")


def test_missing_values_are_part_of_what_is_said():
    frame = people()
    frame.loc[::7, "race"] = None
    frame["same"] = frame["race"].map({"x": "1", "y": "2", "z": "3"})
    frame["filled"] = frame["same"].fillna("1")
    features, reasons = features_and_reasons(frame, ("race",))
    assert "same" in reasons
    assert "filled" in features


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("âge", "age"),
        *(("éage", None), ("ñsex", None), ("house_age", None), ("housing_median_age", None)),
        *(("sex", "sex"), ("applicantSex", "sex"), ("SEX2", "sex"), ("Gender", "sex")),
        *(("ageOfRoof", None), ("car_owner_sex", "sex"), ("household_age", "age")),
        *(("age_years", "age"), ("customer age", "age"), ("date_of_birth", "age"), ("DOB", "age")),
        *(("customerage", "age"), ("applicantsex", "sex"), ("maritalstatus", "marital status")),
        *(("dateofbirth", "age"), ("nativecountry", "nationality"), ("racecode", "race")),
        *((name, None) for name in ("bandage", "storage", "cottage", "percentage", "homeage")),
        *(("native-country", "nationality"), ("maritalStatus", "marital status")),
        *(("Race/Ethnicity", "race"), ("has_disability", "disability"), ("religion", "religion")),
        *((name, None) for name in ("page", "sexton", "stage", "average", "trace", "racecourse")),
        *((name, None) for name in ("mileage", "country", "language", "essex", "package", "x1")),
    ],
)
def test_names_are_read_by_their_words(name, attribute):
    assert protected_attributes([name]) == ({} if attribute is None else {name: attribute})


def test_a_proxy_is_told_and_what_is_only_related_is_not():
    rng = np.random.default_rng(1)
    frame = people().assign(
        birth=lambda f: 2024 - f["age"] + rng.integers(0, 2, N),
        suburb=lambda f: f["race"] + rng.integers(0, 5, N).astype(str),
        related=lambda f: f["age"] + rng.normal(0.0, 20.0, N),
    )
    features = ["income", "height", "birth", "suburb", "related"]
    found = proxies(Table.of(frame), features, ("age", "race"))
    assert [(feature, hidden) for feature, hidden, _ in found] == [
        ("birth", "age"),
        ("suburb", "race"),
    ]
    assert all(0.9 <= told <= 1.0 for *_, told in found)


def test_the_share_told_of_a_category():
    """``city`` tells x from the others, of which y is the commoner: 0.1 of 0.4 errors are left."""
    frame = people()
    assert proxies(Table.of(frame), ["city"], ("race",)) == []
    two = frame.assign(race=frame["race"].replace("z", "y"))
    assert proxies(Table.of(two), ["city"], ("race",)) == [("city", "race", 1.0)]


def test_the_sum_leaves_out_what_it_does_not_need():
    """z is y and some noise, so that it is taken first; a and b then tell all."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 600))
    X = np.column_stack([a + b + 0.1 * rng.normal(size=600), a, b])
    assert weighted_sum(X, a + b, ["z", "a", "b"]) == (["a", "b"], "a + b")
    assert weighted_sum(X[:, :2], a + b, ["z", "a"]) == ([], "")
    assert weighted_sum(X[:, :0], a + b, []) == ([], "")
    assert weighted_sum(X, np.sign(a) * 5e-324, ["z", "a", "b"]) == ([], "")
