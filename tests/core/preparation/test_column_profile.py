"""Profiles: what is told of a column before an audit is what the audit does with it."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.hints import hints_before
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.roles import profile_columns
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit

N = 600
MEND = "mend that value, or have the column read as numbers"


def homes():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "id": rng.permutation(N) * 31 + 7,
            "area": rng.normal(size=N),
            "rooms": rng.integers(1, 6, N),
            "gap": [np.nan, 1.0, 2.0] * (N // 3),
            "kind": ["flat"] * 340 + ["house"] * 250 + ["boat"] * 4 + ["tent"] * 6,
            "sold": pd.date_range("2020-01-01", periods=N).astype(str),
            "many": [[1]] * N,
            "odd": [*map(str, range(N - 1)), "n/k"],
            "owner": rng.choice([f"owner {i}" for i in range(40)], N),
            "price": rng.normal(size=N),
        }
    )


def profiles(**options):
    settings = AuditSettings(**{"target": "price"} | options)
    return {profile.name: profile for profile in profile_columns(homes(), settings)}


def test_every_column_is_there_in_order():
    assert list(profiles()) == homes().columns.tolist()


@pytest.mark.parametrize(
    ("column", "role", "kind", "distinct", "missing", "becomes"),
    [
        ("id", "left out", "number", N, 0.0,
         "is an identifier: nearly every row has its own value"),
        ("area", "feature", "number", N, 0.0, "the number"),
        ("gap", "feature", "number", 2, 1 / 3,
         "the number; the mean where missing, and an indicator of that"),
        ("kind", "feature", "category", 4, 0.0,
         "an indicator for each value but 'flat' (2); 2 rare values merged into one"),
        ("sold", "feature", "date", N, 0.0, "days, month, weekday and hour"),
        ("many", "left out", "unsupported", N, 0.0,
         "holds values that are neither numbers nor text"),
        ("odd", "left out", "category", N, 0.0,
         f"is nearly all numbers but holds 'n/k' in row {N}; {MEND}"),
        ("price", "label", "number", N, 0.0, ""),
    ],
)  # fmt: skip
def test_a_column_by_itself(column, role, kind, distinct, missing, becomes):
    profile = profiles()[column]
    assert (profile.role, profile.kind, profile.distinct) == (role, kind, distinct)
    assert (profile.missing_share, profile.becomes) == (pytest.approx(missing), becomes)


@pytest.mark.parametrize(
    ("options", "column", "role", "kind", "becomes"),
    [
        ({"numeric": ("odd",)}, "odd", "feature", "number",
         "the number; the mean where missing, and an indicator of that"),
        ({"categorical": ("rooms",)}, "rooms", "feature", "category", None),
        ({"features": ("id",)}, "id", "feature", "number", "the number"),
        ({"features": ("id",)}, "area", "left out", "number", "not among the features named"),
        ({"drop": ("area",)}, "area", "left out", "number", "left out as asked"),
        ({"audit_only": ("owner",)}, "owner", "audit only", "category", ""),
        ({"group": "owner"}, "owner", "left out", "category", "says which rows stay together"),
        ({"time": "sold"}, "sold", "left out", "date", "says the order in time"),
        ({"target": "many"}, "many", "label", "unsupported", ""),
    ],
)  # fmt: skip
def test_a_column_as_the_settings_have_it(options, column, role, kind, becomes):
    profile = profiles(**options)[column]
    assert (profile.role, profile.kind) == (role, kind)
    if becomes is not None:
        assert profile.becomes == becomes


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"numeric": ("odd",), "drop": ("area",)},
        {"features": ("id", "kind", "rooms"), "categorical": ("rooms",)},
        {"group": "owner"},
    ],
)
@pytest.mark.long
def test_the_profile_foretells_the_audit(options):
    told = profiles(**options)
    result = audit(homes(), AuditSettings(target="price", search="paper", **options))
    assert sorted(result.data.features) == sorted(
        p.name for p in told.values() if p.role == "feature"
    )
    reported = {left.column: left.reason for left in result.data.dropped if left.column in told}
    left_out = {p.name: p.becomes for p in told.values() if p.role == "left out"}
    assert reported.items() <= left_out.items()
    assert set(left_out.values()) - set(reported.values()) <= {"not among the features named"}


def test_rows_without_a_label_decide_nothing():
    frame = homes().assign(price=lambda f: f["price"].where(f["kind"] == "flat"))
    told = {p.name: p for p in profile_columns(frame, AuditSettings(target="price"))}
    assert (told["kind"].role, told["kind"].becomes) == ("left out", "is constant")
    assert (told["kind"].distinct, told["price"].missing_share) == (4, pytest.approx(260 / N))
    told = profile_columns(frame.assign(price=np.nan), AuditSettings(target="price"))
    assert [p.becomes for p in told if p.name == "area"] == ["the number"]


@pytest.mark.parametrize("options", [{}, {"audit_only": ("area",)}])
def test_what_an_audit_will_refuse_is_told(options):
    frame = homes().assign(area=lambda f: f["area"].where(f.index != 4, np.inf))
    settings = AuditSettings(target="price", **options)
    with pytest.raises(InputError) as refused:
        audit(frame, settings)
    (told,) = [p.becomes for p in profile_columns(frame, settings) if p.name == "area"]
    assert told == str(refused.value)


def test_a_column_of_rare_values_alone_is_no_feature_but_may_be_a_group():
    rng = np.random.default_rng(0)
    owners = [f"owner {i % 60}" for i in range(300)]
    frame = pd.DataFrame({"owner": owners, "x": rng.normal(size=300), "y": rng.normal(size=300)})
    settings = AuditSettings(target="y")
    owner, *_ = profiles = profile_columns(frame, settings)
    assert owner.role == "left out"
    assert owner.becomes.endswith("so that it has no effect")
    for hints in (hints_before(frame, settings, profiles), prepare(frame, settings).hints):
        assert [(hint.kind, hint.columns) for hint in hints] == [("group", ("owner",))]
