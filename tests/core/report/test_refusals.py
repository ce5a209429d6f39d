"""What cannot be audited is refused in one sentence, by whatever way it is asked for.

Each row is what is asked for, the sentence's code, and what the sentence quotes.
"""

import math
import re

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.settings_json import parse_settings, settings_from_json
from evencover.core.report.audit import check
from evencover.core.report.gate import Gate
from evencover.core.tables.grammar import (
    parse_cohort,
    parse_columns,
    parse_cuts,
    parse_pairs,
    parse_reference,
)

N, A_TENTH = 300, np.float32(0.1)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 2))
    place = rng.choice(["Ayr", "Bude", "Cobh"], N)
    return pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "place": place, "y": X.sum(axis=1)})


def rows(table):
    """Name each row of a table by what is asked for."""
    # a function's address differs between the processes that tests run in
    names = [re.sub(r"<function (\w+) at \w+>", r"\1", str(row[0]))[:50] for row in table]
    return pytest.mark.parametrize("row", table, ids=names)


def refused(row, ask):
    """The sentence of a refusal, which is in one line, of its code, and quotes what it is about."""
    given, code, *quoted = row
    with pytest.raises(InputError) as caught:
        ask(given)
    said = str(caught.value)
    assert caught.value.sentence.code == code
    assert [part for part in quoted if part not in said] == []
    assert "\n" not in said
    said.encode()
    return said


ROLES = "column '{}' is given as {} and as {}; choose one"
A_COHORT, IN_IT = {"cohorts": (("a", "x0 > 3"),)}, {"reference": (("cohort: a", "in"),)}
WITH_A_TABLE = [
    *(
        ({"confidence_level": level}, "confidence_level.range", f"{level} is not strictly between")
        for level in (0.0, 1.0, 1e-14, 1.5, math.inf, math.nan)
    ),
    *(
        ({"penalty": penalty}, "option.number", f"penalty C is {penalty}")
        for penalty in (-1.0, math.nan, math.inf)
    ),
    ({"seed": -1}, "option.whole", "seed is -1"),
    ({"repeats": 1001}, "option.whole", "repeats is 1001; give a whole number from 1 to 1000"),
    ({"seed": 2**53 - 1, "repeats": 2}, "option.whole", "last repeat's seed is 9007199254740992"),
    ({"features": "x0"}, "option.text", "such as ['x0']"),
    ({"split": "250,50,50"}, "split.too_many", "asks for 350 rows, but the table has 300"),
    ({"split_column": "part"}, "column.unknown", "there is no column 'part'"),
    ({"split_column": "place"}, "split_column.word", "split column 'place' holds"),
    ({"numeric": ("place",)}, "numeric.none", "column 'place' holds no numbers"),
    ({"drop": ("x0", "x1", "place")}, "features.none", "no usable feature is left"),
    ({"measure": "scoring"}, "option.other_task", "'scoring' does not serve a regression"),
    *(
        ({"target": "place", "measure": name}, "option.other_task", name, "choose 'scoring'")
        for name in ("normalized", "standard")
    ),
    ({"target": "place", "log_target": True}, "option.other_task", "which have no logarithm"),
    ({"log_target": True}, "label.no_logarithm", "has no logarithm"),
    ({"task": "classification"}, "label.too_many_classes", "'y' has 300", "too many for classes"),
    ({"stratify": True}, "option.other_task", "no classes to stratify by"),
    ({"target": "zz"}, "column.unknown", "no column 'zz'; the columns are x0, x1, place, y"),
    ({"drop": ("x9",)}, "column.unknown", "no column 'x9'; the columns are x0, x1, place, y"),
    *(
        (asked, "column.unknown", "there is no column 'plaec'; did you mean 'place'?")
        for asked in (
            {"target": "plaec"},
            {"split_column": "plaec"},
            *({name: ("plaec",)} for name in ("features", "drop", "audit_only", "categorical")),
        )
    ),
    ({"features": ("y",)}, "role.twice", ROLES.format("y", "the label", "a feature")),
    ({"drop": ("y",)}, "role.twice", ROLES.format("y", "the label", "left out")),
    ({"audit_only": ("y",)}, "role.twice", ROLES.format("y", "the label", "audit-only")),
    ({"split_column": "y"}, "role.twice", ROLES.format("y", "the label", "the split column")),
    ({"features": ("x0", "x0")}, "role.twice", ROLES.format("x0", "a feature", "a feature")),
    *(
        ({one: ("x0",), other: ("x0",)}, "role.twice", ROLES.format("x0", first, second))
        for one, other, first, second in (
            ("features", "audit_only", "a feature", "audit-only"),
            ("features", "drop", "a feature", "left out"),
            ("drop", "audit_only", "left out", "audit-only"),
        )
    ),
    (
        {"audit_only": ("place",), "split_column": "place"},
        "role.twice",
        ROLES.format("place", "audit-only", "the split column"),
    ),
    ({"cohorts": (("a", "x0 > 3"), ("a", "x0 > 4"))}, "option.twice", "'a' is given twice"),
    (
        {"cohorts": tuple((f"c{i}", f"x0 > {i}") for i in range(201))},
        "cohort.too_many",
        "there are 201 cohorts; name 200 at most",
    ),
    ({"cohorts": (("", "x0 > 3"),)}, "cohort.no_name", "the cohort 'x0 > 3' has no name"),
    ({"cohorts": (("a", "xx > 3"),)}, "column.unknown", "there is no column 'xx'"),
    (A_COHORT | {"drop": ("x0",)}, "segments.none", "column 'x0' of the cohorts has no segments"),
    ({"cohorts": (("a", "place > 3"),)}, "rule.no_order", "column 'place' holds categories"),
    (A_COHORT | IN_IT, "reference.unknown", "there is no segment 'in'", "inside"),
    ({"measure": "x"}, "option.unknown_name", "'x'; choose 'normalized' or 'standard'"),
    ({"estimator": "tree"}, "option.unknown_name", "estimator 'tree'; choose 'logistic' or"),
    ({"ifacm_estimator": "x"}, "option.unknown_name", "no estimator within IFACM 'x'; choose"),
    ({"ifacm_estimator": "lasso"}, "option.not_within_ifacm", "'lasso' does not serve within"),
    ({"permutations": -1}, "option.whole", "permutations is -1; give a whole number of 0 or more"),
    ({"permutations": 1.5}, "settings.value", "1.5; give a whole number of 0 or more"),
    ({"numeric": ("x1",), "categorical": ("x1",)}, "role.read_twice", "categorical and as numeric"),
    ({"target": "place", "remedies": ("two-sided",)}, "option.other_task", "each end needs"),
    ({"remedies": ("label",)}, "option.other_task", "each class needs classes, and label 'y'"),
    ({"cohorts": (("x1", "x1 > 0"),)}, "cohort.column", "cohort 'x1' has the name of a column"),
    ({"categorical": ("y",)}, "role.categorical_label", "'y' is the label and given as categor"),
]


@rows(WITH_A_TABLE)
def test_settings_that_do_not_go_with_the_table(table, row):
    said = refused(row, lambda options: audit(table, AuditSettings(**{"target": "y"} | options)))
    without_work = refused(row, lambda o: check(table, AuditSettings(**{"target": "y"} | o)))
    assert without_work == said


BOUNDS, SPREAD = {"lower": "low", "upper": "high"}, {"prediction": "pred", "sigma": "sd"}
OF_OUTPUTS = [
    *(
        ({"repeats": 2, **fixed}, "split.repeats_alike", "repeats would all be the same")
        for fixed in ({"split_column": "k"}, {"time": "x"})
    ),
    *(({"repeats": number}, "option.whole", f"repeats is {number}; give") for number in (0, -1)),
    ({"repeats": 1.5}, "settings.value", "'repeats' is 1.5; give a whole number from 1"),
    ({"lower": "low"}, "outputs.half", "'lower end' is given without 'upper end'"),
    ({"sigma": "sd"}, "outputs.half", "'sigma' is given without 'prediction'"),
    ({"quantiles": ("low",)}, "outputs.two_quantiles", "two of them, the lower one first"),
    ({"quantiles": ("low", "low")}, "outputs.two_quantiles", "two of them, the lower one first"),
    (BOUNDS | SPREAD, "outputs.two_ways", "intervals and predictions of your model"),
    (SPREAD | {"measure": "standard"}, "outputs.idle_option", "'measure' has no", "predictions"),
    (BOUNDS | {"remedies": ("quantile",)}, "outputs.no_remedy", "their ends as quantiles"),
    (BOUNDS | {"repeats": 3}, "outputs.idle_option", "'repeats' has no meaning beside intervals"),
    (BOUNDS | {"split": "0.5,0.3,0.2"}, "outputs.idle_option", "'split' has no meaning"),
]


@rows(OF_OUTPUTS)
def test_what_cannot_be_together_is_refused_before_any_table(row):
    refused(row, lambda options: AuditSettings(target="y", **options))


def test_whole_numbers_may_be_those_of_numpy():
    narrow = AuditSettings(
        target="y", confidence_level=np.float32(0.9), penalty=np.float16(0.2), cuts={"x": [A_TENTH]}
    )
    assert (narrow.confidence_level, narrow.penalty, narrow.cuts) == (0.9, 0.2, (("x", (0.1,)),))
    given = AuditSettings(target="y", seed=np.int64(3), bins=np.uint8(5), stratify=np.True_)
    assert given == AuditSettings(target="y", seed=3, bins=5, stratify=True)
    assert type(given.seed) is int


def test_what_is_no_option_is_a_mistake_of_the_program():
    for mistaken in ({"target": "y", "colour": "red"}, {}):
        with pytest.raises(TypeError, match=r"colour|target"):
            AuditSettings(**mistaken)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cl": 0.9}, "'cl': .* in Python it is 'confidence_level'"),
        ({"remedy": "auto"}, "in Python it is 'remedies'"),
        ({"set": "s"}, "in Python it is 'label_set'"),
        ({"cohort": "a: x > 1"}, "in Python it is 'cohorts'"),
        ({"confidence": 0.9}, "no such option; did you mean 'confidence_level'"),
    ],
)
def test_the_name_of_the_command_line_is_answered_by_that_of_python(given, told):
    with pytest.raises(TypeError, match=told):
        AuditSettings(target="y", **given)


LABELS = [
    ([3.0] * N, "label.constant", "label 'y' is constant"),
    ([math.nan] * N, "label.missing", "label 'y' is missing in every row"),
    ([1.0, *[None] * (N - 1)], "label.too_few_rows", "only 1 row has a label 'y'"),
    ([1.0, 2.0] * 2 + [5.0], "label.too_few_rows", "only 5 rows have a label 'y'"),
    ([*range(7), *[None] * (N - 7)], "label.too_few_rows", "only 7 rows have a label 'y'"),
    ([f"n{i}" for i in range(N)], "label.too_many_classes", "'y' has 300 different values in 300"),
    ([f"n{max(i, 100)}" for i in range(N)], "label.too_many_classes", "'y' has 200 different"),
]


@rows(LABELS)
def test_labels_that_cannot_be_audited(table, row):
    def ask(label, audit):
        return audit(table.head(len(label)).assign(y=label), AuditSettings(target="y"))

    assert refused(row, lambda y: ask(y, check)) == refused(row, lambda y: ask(y, audit))


JSON = [
    ({}, "settings.no_label", "the settings do not name the label; add 'target' with its column"),
    ({"target": 3}, "settings.value", "the setting 'target' is 3; give a text in quotes"),
    ({"cl": "0.9"}, "settings.value", "the setting 'cl' is \"0.9\"; give a number"),
    ({"cl": True}, "settings.value", "the setting 'cl' is true; give a number from 0 to 1"),
    ({"c": math.nan}, "settings.value", "the setting 'c' is NaN; give a number of 0 or more, or"),
    ({"seed": 1.5}, "settings.value", "the setting 'seed' is 1.5; give a whole number of 0"),
    ({"bins": True}, "settings.value", "'bins' is true; give a whole number from 2 to 100"),
    ({"stratify": 1}, "settings.value", "the setting 'stratify' is 1; give true or false"),
    ({"drop": "a"}, "option.text", "'drop' is \"a\"; give a list of columns' names"),
    ({"drop": ""}, "option.text", "'drop' is \"\"; give a list of columns' names, or leave it out"),
    ({"drop": [np.int64(3)]}, "settings.value", "'drop' is [3]; give a list of columns' names"),
    ({"pairs": "a:b"}, "settings.value", 'two columns\' names, such as [["sex", "race"]]'),
    ({"bins": np.int64(1)}, "option.whole", "bins is 1; give a whole number from 2 to 100"),
    ({"features": [1]}, "settings.value", "is [1]; give a list of columns' names, or null"),
    (
        {"pairs": [["a", "b", "c"]]},
        "settings.value",
        'is [["a", "b", "c"]]; give a list of pairs, each a list of two columns\' names',
    ),
    ({"cuts": {"a": ["1"]}}, "settings.value", 'is {"a": ["1"]}; give an object of columns'),
    ({"reference": []}, "settings.value", "'reference' is []; give an object of names and texts"),
    ({"cohorts": {"a": None}}, "settings.value", "'cohorts' is {\"a\": null}; give an object of"),
    ({"cohorts": {"a": ""}}, "cohort.rule", "cohort 'a': the rule is empty; write conditions"),
    ({"cohorts": {"a": "x >"}}, "cohort.rule", "cohort 'a': the rule 'x >' cannot be read"),
    ({"bins": 1}, "option.whole", "bins is 1; give a whole number from 2 to 100"),
    *(
        ({name: 2**53}, "option.whole", f"{name} is {2**53}; give at most {2**53 - 1}")
        for name in ("seed", "permutations")
    ),
    ({"colour": "red"}, "settings.unknown", "knows no setting 'colour'; take it out, or use the"),
    ({"settings": {"target": "y", "new": 1}}, "settings.unknown", "knows no setting 'new'"),
    ({"estimater": "knn"}, "settings.unknown", "did you mean 'estimator'?"),
]


@rows(JSON)
def test_settings_in_json(row):
    def ask(content):
        return settings_from_json({"target": "y"} | content if content else content)

    refused(row, ask)


HOLDS = r"the setting '{}' holds '\ud800', which cannot be written"
FILES = [
    *(
        (file, "settings.none", "'s.json' holds no settings, which are written in JSON")
        for file in (b"", b"a,b\n1,2", b"[1]", b"{", b"\xff\xfe", b"[" * 10**5, b"3", b"9" * 5000)
    ),
    (
        b'{"target": "y", "cohorts": {"old": "age > 65", "old": "age > 70"}}',
        "settings.unusable",
        "'s.json': 'old' is given twice; give it once",
    ),
    (rb'{"target": "\ud800"}', "settings.unusable", HOLDS.format("target")),
    (rb'{"target": "y", "\udfff": 1}', "settings.unusable", r"the setting '\udfff' holds '\udfff'"),
    (rb'{"target": "y", "drop": ["a", "\ud800"]}', "settings.unusable", HOLDS.format("drop")),
    (rb'{"target": "y", "cuts": {"\ud800": [1]}}', "settings.unusable", HOLDS.format("cuts")),
    (rb'{"target": "y", "pairs": [["a", "\ud800"]]}', "settings.unusable", HOLDS.format("pairs")),
    (rb'{"target": "y", "cohorts": {"\ud800": "a"}}', "settings.unusable", HOLDS.format("cohorts")),
    (rb'{"target": "y", "table": "\ud800.csv"}', "settings.unusable", r"holds '\ud800.csv'"),
    (rb'{"a\ud800": 1, "a\ud800": 1}', "settings.unusable", r"'a\ud800' is given twice"),
    (rb'{"settings": {"seed": "\ud800"}}', "settings.unusable", HOLDS.format("seed")),
    (
        rb"""{"target": "y", "cohorts": {"c": "a = \"\\ud800\""}}""",
        "settings.unusable",
        r"cohort 'c': the rule holds '\ud800', which cannot be written as UTF-8",
    ),
    *(
        (f'{{"target": "y", "seed": {sign}{"9" * 5000}}}'.encode(), "settings.unusable", told)
        for sign, told in (
            ("", f"'s.json': seed is {'9' * 78} …; give at most 9007199254740991"),
            ("-", f"'s.json': seed is -{'9' * 77} …; give a whole number of 0 or more"),
        )
    ),
]


@rows(FILES)
def test_files_of_settings(row):
    refused(row, lambda content: parse_settings(content, "s.json"))


NO_COLUMN, NO_PAIRS = "names no column before an =", "is no list of pairs; write A:B,C:D"
TEXTS = [
    ((parse_columns, "a\nb"), "columns.unreadable", "a name that holds a line end in double quot"),
    *(
        ((parse_pairs, text), "pairs.unreadable", NO_PAIRS)
        for text in ("", "a", "a:b:c", "a:b,", "a:,b", 'a"b:c', "a:b,c", '"":a')
    ),
    *(
        ((parse_cuts, text), "cuts.unreadable", "gives no cut points")
        for text in ("age=", "age=x", "age=1,,2")
    ),
    ((parse_reference, "owner="), "reference.no_segment", 'owner="" where it is empty'),
    *(
        ((parse, text), "column.unassigned", NO_COLUMN)
        for parse in (parse_cuts, parse_reference)
        for text in ("age", "=1", " =1", 'a"b=1', '"a"b=1')
    ),
    *(
        ((parse_cohort, text), "cohort.unreadable", "before a colon; write NAME: RULE")
        for text in ("age >= 65", ": age >= 65", "")
    ),
]


@rows(TEXTS)
def test_texts_of_options(row):
    refused(row, lambda given: given[0](given[1]))


GATES = [
    *((text, "gate.unreadable", "a quantity is one of") for text in ("", "coverage", "cov < 1")),
    *(
        (text, "gate.unreadable", "a quantity is one of")
        for text in ("coverage(sex = F < 0.9", "dcv = 1", "dcv > 1 > 2", ".dcv > 1")
    ),
    *((text, "gate.unreadable", "a bound is") for text in ("coverage < x", "dcv > ", "dcv > -1")),
    *((text, "gate.unreadable", "name a variable") for text in ("gap > 0.1", "gap() > 0.1")),
    *(
        (text, "gate.unreadable", "is never above 1")
        for text in ("coverage < 90", "coverage > 101 %", "gap(sex) > 5", "dcv > 2")
    ),
    ("dcv > 2*", "gate.unreadable", "'dcv > 2*'"),
    ("dcv > %", "gate.unreadable", "no bound in '%'"),
    ("coverage < floor", "gate.unreadable", "coverage has no bound in 'floor'"),
    ("low-segments > 3 %", "gate.unreadable", "low-segments has no bound in '%'"),
    ("dcv > 5 %", "gate.unreadable", "dcv has no bound in '%'"),
    ("dcv(sex) > 1", "gate.unreadable", "dcv is of all rows; leave out the brackets"),
    ("coverage(sex) < 1", "rule.unreadable", "the rule 'sex' cannot be read"),
]


@rows(GATES)
def test_rules_to_fail(row):
    refused(row, Gate.parse)


def test_a_check_says_what_the_audit_would_be_of(table):
    asked = AuditSettings(target="place", remedies=("none",))
    made, result = check(table, asked), audit(table, asked)
    assert made.label.task == result.settings["task"] == "classification"
    assert [len(rows) for rows in made.split] == [120, 90, 90]
    assert list(made.roles.features) == ["x0", "x1", "y"]
    assert result.data.features == ["x0", "x1"]  # of which y turns out to be the sum
