"""Remedies by name: what is understood, what is refused, and what an audit makes of them."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit
from evencover.core.errors import InputError
from evencover.core.experiment.predictors import candidates
from evencover.core.remedies.guard import Guarded
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.mondrian import LabelConditional, Mondrian
from evencover.core.remedies.names import parse_remedy, title_of
from evencover.core.remedies.quantile import QuantileAdjustment


@pytest.mark.parametrize(
    ("name", "remedy", "title", "column"),
    [
        ("ifacm", IFACM, "IFACM", None),
        ("ifacm@0.2", IFACM, "IFACM with C = 0.2", None),
        ("guarded:ifacm@0", Guarded, "guarded IFACM with C = 0", None),
        ("quantile", QuantileAdjustment, "quantile adjustment", None),
        ("mondrian:a:b, c", Mondrian, "Mondrian by a:b, c", "a:b, c"),
        ("label", LabelConditional, "label-conditional", None),
        ("label:sex", LabelConditional, "label-conditional by sex", "sex"),
        ("guarded:quantile", Guarded, "guarded quantile adjustment", None),
    ],
)
def test_a_name_is_taken_apart(name, remedy, title, column):
    found = parse_remedy(name)
    assert (found.remedy, found.title, found.column) == (remedy, title, column)
    assert title_of(name) == title


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("magic", "remedy.unknown"),
        ("mondrian", "remedy.incomplete"),
        ("mondrian:", "remedy.incomplete"),
        ("guarded", "remedy.incomplete"),
        ("quantile:x", "remedy.superfluous"),
        ("quantile@0.2", "remedy.no_penalty"),
        ("mondrian@0.2:x", "remedy.no_penalty"),
        ("ifacm@", "ifacm.penalty"),
        ("ifacm@much", "ifacm.penalty"),
        ("guarded:ifacm@-1", "ifacm.penalty"),
        ("guarded:mondrian:x", "remedy.not_adjusting"),
        ("guarded:guarded:ifacm", "remedy.not_adjusting"),
    ],
)
def test_other_names_are_refused(name, code):
    with pytest.raises(InputError) as refused:
        AuditSettings(target="y", remedies=(name,))
    assert refused.value.sentence.code == code
    assert title_of(name) == name


@pytest.mark.parametrize("names", [(), ("none", "ifacm"), ("quantile", "quantile")])
def test_lists_that_contradict_themselves_are_refused(names):
    with pytest.raises(InputError):
        AuditSettings(target="y", remedies=names)


def test_what_an_audit_is_of():
    def names(*remedies):
        return [c.name for c in candidates(AuditSettings(target="y", remedies=remedies))]

    assert [c.name for c in candidates(AuditSettings(target="y"))] == ["base", "ifacm"]
    assert names("none") == ["base"]
    assert names("quantile", "mondrian:z") == ["base", "quantile", "mondrian:z"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 600))
    side = rng.choice(["a", "b"], 600)
    y = z + np.where(side == "a", 0.3, 2.0) * rng.standard_t(3, 600)
    kind = np.where(y > 0.5, "high", "low")
    return pd.DataFrame({"x": x, "z": z, "side": side, "other": side, "y": y, "kind": kind})


def test_an_audit_of_several(table):
    remedies = ("quantile", "mondrian:side", "guarded:quantile")
    settings = AuditSettings(target="y", remedies=remedies, drop=("kind",))
    result = audit(table, settings)
    assert result.names == ["base", *remedies]
    assert [p.title for p in result.predictors][1:] == [
        "quantile adjustment",
        "Mondrian by side",
        "guarded quantile adjustment",
    ]
    assert result.settings["remedy"] == list(remedies)
    counts = {row.predictor: row.accuracy for row in result.segments if row.group == ("side", "b")}
    assert counts["mondrian:side"] > counts["base"] - 0.05


def test_a_column_left_out_may_divide_the_rows(table):
    settings = AuditSettings(target="y", remedies=("mondrian:other",), drop=("other", "kind"))
    assert audit(table, settings).names == ["base", "mondrian:other"]


def test_classes_have_thresholds_of_their_own_and_numbers_do_not(table):
    settings = AuditSettings(target="kind", remedies=("label:side",), drop=("y", "other"))
    result = audit(table, settings)
    assert result.names == ["base", "label:side"]
    with pytest.raises(InputError) as refused:
        audit(table, AuditSettings(target="y", remedies=("quantile", "label"), drop=("kind",)))
    assert refused.value.sentence.code == "option.other_task"


@pytest.mark.parametrize(
    ("column", "code"),
    [("sides", "column.unknown"), ("y", "role.of_remedy"), ("side", "role.of_remedy")],
)
def test_columns_that_no_remedy_may_divide_by(table, column, code):
    remedies = (f"mondrian:{column}",)
    settings = AuditSettings(target="y", remedies=remedies, audit_only=("side",), drop=("kind",))
    with pytest.raises(InputError) as refused:
        audit(table, settings)
    assert refused.value.sentence.code == code
