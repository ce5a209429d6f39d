"""What cannot be audited is refused in one sentence, by whatever way it is asked for."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit
from evencover.core.report.audit import check

N = 300


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 2))
    place = rng.choice(["Ayr", "Bude", "Cobh"], N)
    return pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "place": place, "y": X.sum(axis=1)})


def said_of(table, **options):
    with pytest.raises(InputError) as refused:
        audit(table, AuditSettings(**{"target": "y"} | options))
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError) as checked:  # without any of the work
        check(table, AuditSettings(**{"target": "y"} | options))
    assert str(checked.value) == str(refused.value)
    return str(refused.value)


SETTINGS = {
    "CL 0": ({"confidence_level": 0.0}, "confidence level 0.0 is not strictly between 0 and 1"),
    "CL 1": ({"confidence_level": 1.0}, "confidence level 1.0 is not strictly between 0 and 1"),
    "CL 1e-14": ({"confidence_level": 1e-14}, "confidence level 1e-14 is not strictly between"),
    "CL inf": ({"confidence_level": np.inf}, "confidence level inf is not strictly between"),
    "CL 1.5": ({"confidence_level": 1.5}, "confidence level 1.5 is not strictly between 0 and 1"),
    "CL nan": (
        {"confidence_level": np.nan},
        "confidence level nan is not strictly between 0 and 1",
    ),
    "negative C": ({"penalty": -1.0}, "penalty C is -1.0"),
    "C nan": ({"penalty": np.nan}, "penalty C is nan"),
    "C inf": ({"penalty": np.inf}, "penalty C is inf"),
    "negative seed": ({"seed": -1}, "seed is -1"),
    "split too large": ({"split": "250,50,50"}, "asks for 350 rows, but the table has 300"),
    "unknown split column": ({"split_column": "part"}, "there is no column 'part'"),
    "split column without a split": ({"split_column": "place"}, "split column 'place' holds"),
    "unknown drop": ({"drop": ("x9",)}, "there is no column 'x9'; the columns are x0"),
    "unknown numeric": ({"numeric": ("x9",)}, "there is no column 'x9'"),
    "numeric without numbers": ({"numeric": ("place",)}, "column 'place' holds no numbers"),
    "two readings": (
        {"numeric": ("x1",), "categorical": ("x1",)},
        "given as categorical and as numeric",
    ),
    "label left out": ({"drop": ("y",)}, "column 'y' is given as the label and as left out"),
    "no feature": ({"drop": ("x0", "x1", "place")}, "no usable feature is left"),
    "scoring a number": (
        {"measure": "scoring"},
        "measure 'scoring' does not serve a regression",
    ),
    "widths of classes": (
        {"target": "place", "measure": "normalized"},
        "measure 'normalized' does not serve a classification; choose 'scoring'",
    ),
    "intervals of classes": (
        {"target": "place", "measure": "standard"},
        "measure 'standard' does not serve a classification; choose 'scoring'",
    ),
    "log of classes": (
        {"target": "place", "log_target": True},
        "which have no logarithm",
    ),
    "log of a negative label": ({"log_target": True}, "has no logarithm"),
    "classes of a number": ({"task": "classification"}, "too many for classes"),
    "stratify a number": ({"stratify": True}, "no classes to stratify by"),
    "near miss": ({"target": "plaec"}, "there is no column 'plaec'; did you mean 'place'?"),
    "unlike any": ({"target": "zz"}, "there is no column 'zz'; the columns are x0, x1, place, y"),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings_that_do_not_go_with_the_table(table, case):
    options, sentence = SETTINGS[case]
    assert sentence in said_of(table, **options)


TABLES = {
    "constant label": (lambda t: t.assign(y=3), "label 'y' is constant"),
    "no label": (lambda t: t.assign(y=np.nan), "label 'y' is missing in every row"),
    "five rows": (lambda t: t.head(5), "only 5 rows have a label 'y'"),
    "few labels": (
        lambda t: t.assign(y=t["y"].where(t.index < 7)),
        "only 7 rows have a label 'y'",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_cannot_be_audited(table, case):
    change, sentence = TABLES[case]
    assert sentence in said_of(change(table))


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ([f"n{i}" for i in range(N)], "'id' has 300 different values in 300 rows, too many"),
        ([f"n{i // 2 if i < 200 else i}" for i in range(N)], "'id' has 200 different values in "),
    ],
)
def test_a_label_that_is_an_id_is_named_and_counted(table, label, words):
    assert words in said_of(table.assign(id=label), target="id")


def test_a_check_says_what_the_audit_would_be_of(table):
    made = check(table, AuditSettings(target="place"))
    result = audit(table, AuditSettings(target="place"))
    assert made.label.task == result.settings["task"] == "classification"
    assert [len(rows) for rows in made.split] == [120, 90, 90]
    assert list(made.roles.features) == ["x0", "x1", "y"]
    assert result.data.features == ["x0", "x1"]  # of which y turns out to be the sum
