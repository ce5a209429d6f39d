"""SQL of a saved predictor: the same as ``predict``, in each engine, whatever names and values."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sqlglot
from queried import answer, difference, rows

from evencover.core import AuditSettings, InputError, audit
from evencover.core.scoring import SavedPredictor, groups, load
from evencover.core.scoring.columns import (
    AsRead,
    Design,
    EncodedCategory,
    EncodedNumber,
    level_name,
)
from evencover.core.scoring.engines import ENGINES, ROW
from evencover.core.scoring.forms import IntervalForm, LabelForm, QuantileForm, TwoSidedForm
from evencover.core.scoring.functions import (
    Constant,
    Layer,
    Layers,
    Linear,
    LogProbabilities,
    Several,
    Through,
    Trees,
)
from evencover.core.scoring.outputs import Output, OutputProbabilities, OutputSpread
from evencover.core.scoring.predictor import ClassesLabel, NumberLabel
from evencover.core.scoring.sql import to_sql
from evencover.core.scoring.thresholds import OfGroups, OfPatterns, OneForAll
from evencover.core.tables.predicting import FramePredictor
from evencover.dashboard.commands.main import main

KEPT = Path(__file__).parent / "kept"
EXACT = 1e-12
TEXTS = ("a", "b", "it's", 'a "b"', "\\n", "é")
DESIGN = Design(
    (
        EncodedNumber("z", 0, np.array([1.1]), has_missing=True),
        EncodedNumber("d", 4, np.array([9000.5, 6.5, 3.1, 11.9])),
        EncodedNumber("d", 1, np.array([12.0])),
        EncodedCategory("c", ("a", "b", "(rare)"), TEXTS, np.array([0, 1, 2, 2, 2, 2]), 2),
        EncodedCategory(
            "k", ("0.1", "2019", "1e-05"), ("2019", "0.1", "1e-05", "2019.0"), np.arange(4) % 3, 0
        ),
        EncodedCategory("flag", ("False", "True"), ("False", "True"), np.arange(2), 0),
    ),
    np.arange(12),
    np.array([1.0, 0.1, 9000.0, 6.0, 3.0, 12.0, 12.0, 0.3, 0.2, 0.1, 0.1, 0.3]),
    np.array([1.0, 0.3, 5000.0, 3.0, 2.0, 7.0, 7.0, 0.5, 0.4, 0.3, 0.3, 0.5]),
)

BY_X = Design((EncodedNumber("x"),), np.zeros(1, int), np.zeros(1), np.ones(1))


def linear(seed, intercept=0.0, cut=None):
    width = 12 if cut is None else 12 + 78
    slopes = np.random.default_rng(seed).normal(size=width) / (10 if cut is None else 40)
    return Linear(slopes, intercept, cut)


def layers(update):
    some = (1, 0.3, 0.02), (2, 0.1, 1.5)
    made = [
        Layer(gamma, delta, Through(linear(seed, 2.0), ("sigmoid",))) for seed, gamma, delta in some
    ]
    sure = Layer(0.2, 0.5, Constant(1.0)), Layer(0.2, 0.5, Through(Constant(0.5), ("held",)))
    return Layers(update, 0.9, (*made, *sure))


NUMBER = NumberLabel("y", 3.0, 1.7, logarithmic=False, low=None, high=None)
LOG = replace(NUMBER, logarithmic=True, low=-2.0)
CLASSES = ClassesLabel("kind", ("it's", '"', "middle"))
ONE = OneForAll(np.array([-0.7]))
BY_VALUE = groups.ByValue("c", ("b", "it's", None, " é "), "c", None)
KEPT_APART = groups.ByValue("k", ("2019", groups.OTHERS), "k", ("2019", "0.1"))
KEPT_MISSING = groups.ByValue("c", ("a", None), "c", ("a", None))
BY_BAND = groups.ByBand("z", (1, 0, None), "z", "number", np.array([0.5, 1.0]))
BY_DAY = groups.ByBand("d", (0, 1, 2), "d", "date", np.array([4000.0, 12000.0]))
BY_FLAG = groups.ByValue("flag", ("True", "False"), "flag", None)
A_DAY = groups.A_DAY


def by_rule(*conditions):
    return groups.ByRule("rule", ("inside", "outside"), conditions)


RULES = {
    "texts": by_rule(groups.OneOfTexts("c", "category", TEXTS[2:], negated=False)),
    "no text": by_rule(groups.OneOfTexts("c", "category", TEXTS[:2], negated=True)),
    "numbers": by_rule(
        groups.OneOfPlaces("k", "number", np.array([0.1, -3.0]), np.empty(0), False)
    ),
    "no day": by_rule(
        groups.OneOfPlaces("d", "date", np.array([86400e6]), A_DAY * np.arange(0, 9000), True)
    ),
    "range": by_rule(
        groups.Within("x", "number", -1.0, 0.5, low_open=True, high_open=False),
        groups.Within("d", "date", 3000 * A_DAY, None, low_open=False, high_open=False),
        groups.Within("z", "number", None, 2.0, low_open=False, high_open=True),
    ),
    "missing": by_rule(groups.IsMissing("d", "date", negated=False)),
    "there": by_rule(groups.IsMissing("c", "category", negated=True)),
}


def by(division, width=1):
    values = np.random.default_rng(0).normal(size=(len(division.groups) + 1, width))
    values[-1], values[0, 0] = -np.inf, np.inf if width > 1 else values[0, 0]
    return OfGroups(division, values)


BY_PART = groups.ByValue("d (weekday)", ("Monday", "Sunday", None), "d (weekday)", None)
BY_HOURS = groups.ByBand("d (hour)", (0, 1, None), "d (hour)", "number", np.array([6.0, 12.0]))
BY_MONTH = by_rule(groups.OneOfPlaces("d (month)", "number", np.array([2.0]), np.empty(0), False))
PATTERNS = OfPatterns(
    (BY_VALUE, BY_BAND, RULES["range"]),
    np.array([[a, b, c] for a in range(3) for b in range(3) for c in range(2)], dtype=np.int32),
    np.linspace(-2.0, 1.0, 18),
)
INTERVAL = IntervalForm((), linear(3), linear(4, -0.5))
QUANTILES = QuantileForm((), linear(3, -1.0), linear(3, 1.0))
SAYS = LogProbabilities(Several((linear(5), linear(6), linear(7))), np.array([2, 0, 1]), 3)
OF_TWO = LogProbabilities(linear(8), np.array([2, 0]), 3)
LABELS = LabelForm((), SAYS, adaptive=False, never_empty=False)
GIVEN = IntervalForm((), Output("guess", 3.0, 1.7, False), OutputSpread("spread", None, 1.7, 0.1))
OF_LOG = IntervalForm((), Output("guess", 1, 2.0, True), OutputSpread("spread", "guess", 2, 0.1))
SHARES = OutputProbabilities(("p2", "p1", "p3"), np.array([1, 0, 2]), 3)
ONE_SHARE = OutputProbabilities(("p1",), np.array([1]), 2)

CASES = {
    "one width": (NUMBER, IntervalForm((), linear(1), None), ONE),
    "log label": (LOG, INTERVAL, ONE),
    "pairs": (NUMBER, INTERVAL.shifted(linear(9, cut=2.0)), ONE),
    "signs": (NUMBER, INTERVAL.shifted(layers("sign")), ONE),
    "log-odds": (replace(LOG, high=1.0), INTERVAL.shifted(layers("log-odds")), ONE),
    "no layer": (NUMBER, INTERVAL.shifted(Layers("sign", 0.9, ())), ONE),
    "quantiles": (NUMBER, QUANTILES.shifted(layers("sign")), ONE),
    "two ends": (
        NUMBER,
        TwoSidedForm((), INTERVAL, linear(1), Constant(0.2)),
        OneForAll(np.array([-1.0, -2.0])),
    ),
    "one end": (
        LOG,
        TwoSidedForm((), QUANTILES, linear(1), linear(2)),
        OneForAll(np.array([-1.0, -np.inf])),
    ),
    "nowhere": (LOG, INTERVAL, OneForAll(np.array([-np.inf]))),
    "by value": (NUMBER, INTERVAL, by(BY_VALUE)),
    "others": (NUMBER, INTERVAL, by(KEPT_APART)),
    "missing or not": (NUMBER, INTERVAL, by(KEPT_MISSING)),
    "bands": (NUMBER, INTERVAL, by(BY_BAND)),
    "days": (NUMBER, INTERVAL, by(BY_DAY)),
    "flags": (NUMBER, INTERVAL, by(BY_FLAG)),
    "weekdays": (NUMBER, INTERVAL, by(BY_PART)),
    "hours": (NUMBER, INTERVAL, by(BY_HOURS)),
    "a month": (NUMBER, INTERVAL, by(BY_MONTH)),
    "patterns": (NUMBER, INTERVAL, PATTERNS),
    "no pattern": (NUMBER, INTERVAL, OfPatterns((), np.empty((1, 0), np.int32), np.array([-1.0]))),
    **{name: (NUMBER, INTERVAL, by(rule)) for name, rule in RULES.items()},
    "labels": (CLASSES, LABELS, OneForAll(np.array([-1.0]))),
    "of two": (CLASSES, replace(LABELS, log_probabilities=OF_TWO), OneForAll(np.array([-0.6]))),
    "every label": (
        CLASSES,
        replace(LABELS, log_probabilities=OF_TWO),
        OneForAll(np.array([-np.inf])),
    ),
    "by class": (CLASSES, LABELS.shifted(linear(2)), OneForAll(np.array([-1.0, -0.5, -np.inf]))),
    "by class and group": (CLASSES, LABELS, by(BY_VALUE, 3)),
    "never empty": (CLASSES, replace(LABELS, never_empty=True), OneForAll(np.array([-0.2]))),
    "given": (NUMBER, GIVEN.shifted(layers("sign")), ONE),
    "given, log label": (LOG, OF_LOG, ONE),
    "shares": (CLASSES, replace(LABELS, log_probabilities=SHARES), OneForAll(np.array([-1.0]))),
    "one share": (
        ClassesLabel("kind", ("no", "yes")),
        replace(LABELS, log_probabilities=ONE_SHARE),
        OneForAll(np.array([-0.6])),
    ),
}


def saved(label=NUMBER, scores=INTERVAL, thresholds=ONE, design=DESIGN):
    told = {"title": "made\nup", "guarantee": "none", "confidence_level": 0.9, "about": {}}
    parts = {"label": label, "scores": scores, "thresholds": thresholds, "design": design}
    made = SavedPredictor(name="made", read=AsRead(), **told, **parts)
    made.check()
    return made


@pytest.fixture(scope="module")
def frame():
    return rows(600)


@pytest.mark.parametrize("name", CASES)
def test_sql_says_what_predict_says(frame, name):
    assert difference(saved(*CASES[name]), frame) < EXACT


OTHERWISE = {
    "spark": {
        f"STRUCT({ROW}.*) AS": f"{ROW} AS",
        "EXTRACT(SECOND": "EXTRACT(MICROSECOND",
        " * 1000000 AS BIGINT": " AS BIGINT",
    },
    "bigquery": {"FORMAT('%T', ": "FORMAT('{}', ", "EXTRACT(SECOND": "0 * EXTRACT(SECOND"},
}


def of_duckdb(sql, engine):
    """Return another engine's SQL as DuckDB's, where that counts a minute's microseconds at once.

    Nor does it know BigQuery's format that tells values of different types apart.
    """
    for own, duckdb in OTHERWISE[engine].items():
        sql = sql.replace(own, duckdb)
    (made,) = sqlglot.transpile(sql, engine, "duckdb", error_level=sqlglot.ErrorLevel.RAISE)
    return made


@pytest.mark.parametrize("engine", ["spark", "bigquery"])
@pytest.mark.parametrize(
    "name", ["days", *(pytest.param(n, marks=pytest.mark.long) for n in CASES if n != "days")]
)
def test_other_engines_say_the_same(frame, name, engine):
    of = saved(*CASES[name])
    if engine == "bigquery":  # whose texts of numbers, and found by patterns, are made otherwise
        numbers = frame["k"] if name == "numbers" else frame["k"].map(level_name, "ignore")
        frame = frame.assign(k=numbers, c=frame["c"].str.strip())
    assert difference(of, frame, of_duckdb(to_sql(of, engine), engine)) < EXACT


@pytest.mark.parametrize("words", [("Yes", "No"), ("T", "F"), ("FALSE", "TRUE")])
def test_truth_values_that_an_engine_makes_of_words_are_those_words(words):
    by_word = groups.ByValue("paid", words, "paid", None)
    encoded = EncodedCategory("paid", words, words, np.arange(2, dtype=np.int32), 0)
    design = Design((encoded,), np.zeros(1, dtype=np.int32), np.zeros(1), np.ones(1))
    of = saved(NUMBER, IntervalForm((), Linear(np.ones(1), 0.0), None), by(by_word), design)
    texts = pd.DataFrame({"paid": [*words, None, "new"]})
    assert difference(of, texts) < EXACT
    flags = texts[:3].replace({"paid": {word: word[0] in "YT" for word in words}})
    flags = flags.astype("boolean")
    found = answer(to_sql(of, "duckdb"), flags)
    wanted = answer(to_sql(of, "duckdb"), texts[:3])
    pd.testing.assert_frame_equal(found.drop(columns="paid"), wanted.drop(columns="paid"))
    assert found["new"].tolist() == [0, 0, 1]
    said = FramePredictor.of_bytes(of.to_bytes(), "it").predict(flags)
    assert [*said["group"]] == [*found["group"]]
    assert [*said["new"]] == [0, 0, 1]


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        {
            "target": "y",
            "remedies": ("ifacm", "ifacm-smooth", "quantile-pairs", "groups:c+d+x > 0"),
        },
        {
            "target": "y",
            "measure": "standard",
            "log_target": True,
            "cap_width": 0.1,
            "remedies": ("none",),
        },
        {
            "target": "y",
            "remedies": ("quantile", "mondrian:k", "mondrian:d"),
            "categorical": ("k",),
        },
        {"target": "kind", "remedies": ("ifacm", "label:c", "quantile-pairs"), "never_empty": True},
        {"target": "y", "prediction": "guess", "sigma": "spread", "remedies": ("ifacm",)},
    ],
    ids=str,
)
def test_sql_of_an_audit_says_what_predict_says(asked):
    others = {"y", "kind", "guess", "spread", "p1", "p2", "p3"} - set(map(str, asked.values()))
    result = audit(rows(3000), AuditSettings(**asked, drop=tuple(others)))
    new = rows(5000, 1)
    for of in result.saved.values():
        assert difference(of, new) < 1e-9


TREES = Trees(np.zeros(1), *(np.zeros(0, np.int32) for _ in range(5)))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"scores": IntervalForm((), TREES, None)}, "boosted trees cannot be written as SQL; run"),
        (
            {"label": CLASSES, "scores": replace(LABELS, adaptive=True)},
            "what adaptive sets draw at random cannot be written as SQL; run 'evencover predict'",
        ),
        (
            {"design": replace(DESIGN, columns=(EncodedNumber("Z"), *DESIGN.columns[:]))},
            "'Z' and 'z'",
        ),
    ],
)
def test_what_sql_cannot_say_is_refused(parts, sentence):
    with pytest.raises(InputError, match=sentence):
        to_sql(saved(**parts), "duckdb")


HOSTILE = (
    "'", '"', "`", "\\", "\\'", "'' OR 1=1 --", '"; DROP TABLE rows; --', "/* */", "--", "{0}",
    "{spaces}", "a\nb", "\r\n", "\t", "$$", "x_1", "\\u0027", "’", "％s", "é", "😀", "\u202e", "",
)  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_no_text_or_name_ends_itself(engine):
    of = ENGINES[engine]
    for text in HOSTILE:
        sql = f"SELECT {of.text(text)} AS {of.name(text)}"
        (found,) = sqlglot.parse_one(sql, engine).expressions
        assert (found.this.this, found.alias) == (text, text)
    for unwritable in "\0\x1b\x9b\ud800":
        with pytest.raises(InputError, match="takes no text with such characters"):
            of.text(f"a{unwritable}b")


@pytest.mark.parametrize("name", [text for text in HOSTILE if text])
def test_hostile_names_and_values_are_found(name):
    texts = (*dict.fromkeys(text.strip() for text in HOSTILE),)
    column = EncodedCategory(name, ("a", *texts), texts, np.arange(len(texts)) + 1, 0)
    width = len(texts)
    design = Design((column,), np.arange(width), np.zeros(width), np.ones(width))
    scores = IntervalForm((), Linear(np.arange(width) + 1.0, 0.0), None)
    of = saved(scores=scores, design=design, thresholds=by(groups.ByValue(name, texts, name, None)))
    frame = pd.DataFrame({name: [*texts, "none"]})
    table = name.replace(".", "")
    sql = to_sql(of, "duckdb", table)
    found = answer(sql, frame, table)
    wanted = of.predict(frame)
    assert found["group"].tolist() == wanted["group"].tolist()
    assert found["prediction"].tolist() == wanted["prediction"].tolist()
    assert found[name].tolist() == frame[name].tolist()


def test_a_row_without_an_output_has_no_set(frame):
    some = frame.head(4).astype({"spread": float})
    some.loc[some.index[0], ["guess", "p1"]] = np.nan
    some.loc[some.index[1], ["spread", "p2"]] = -1.0, 0.9
    ends = answer(to_sql(saved(*CASES["given"]), "duckdb"), some)
    sets = answer(to_sql(saved(*CASES["shares"]), "duckdb"), some)
    assert ends["upper"].isna().tolist() == [True, True, False, False]
    assert sets["set"].isna().tolist() == [True, True, False, False]


def test_a_fraction_is_found_as_an_engine_writes_it():
    """Java writes 1.0E-5."""
    sql = to_sql(saved(thresholds=by(groups.ByValue("k", ("1e-05", "2019"), "k", None))), "spark")
    assert "IN ('1e-05', CAST(1e-05 AS STRING)) THEN 0\n" in sql
    assert " = '2019' THEN 1 ELSE -1 END" in sql


def test_a_name_that_is_taken_has_a_number():
    given = replace(GIVEN, middle=replace(GIVEN.middle, column="Prediction"), log_scale=None)
    sql = to_sql(saved(scores=given), "bigquery", "project.data.rows")
    assert " AS `prediction_2`,\n" in sql
    assert "FROM `project`.`data`.`rows` AS" in sql


def test_a_score_that_is_the_threshold_but_for_rounding_reaches_it():
    """Of features that are all 0 or 1 scores have few values, and the threshold is one of them."""
    rng, names = np.random.default_rng(0), [f"x{number}" for number in range(8)]
    rows_ = (rng.random((200, 8)) < 0.5).astype(float)
    columns, mean = (*map(EncodedNumber, names),), np.full(8, 0.3)
    said = LogProbabilities(Linear(rng.normal(size=8), 0.1), np.arange(2), 2)
    scores = said.of((rows_ - 0.3) / 0.46, {})[:, 0]
    for threshold in scores[:5]:
        label, form = ClassesLabel("kind", ("a", "b")), replace(LABELS, log_probabilities=said)
        design = Design(columns, np.arange(8), mean, np.full(8, 0.46))
        of = saved(label, form, OneForAll(np.array([threshold])), design)
        assert difference(of, pd.DataFrame(rows_, columns=names)) < EXACT


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_groups_of_moments_are_found_whatever_their_unit(unit):
    moments = np.array(["2020-05-04", "2020-05-05", "NaT"], f"datetime64[{unit}]")
    division = groups.ByValue("d", ("2020-05-04 00:00:00", None), "d", None)
    of, frame = (
        saved(NUMBER, IntervalForm((), Linear(np.ones(1), 0.0), None), by(division), BY_X),
        pd.DataFrame({"x": 1.0, "d": moments}),
    )
    found = of.predict({"x": np.ones(3), "d": moments})["group"].tolist()
    assert found == ["d: 2020-05-04 00:00:00", "d: (new)", "d: (missing)"]
    assert answer(to_sql(of, "duckdb"), frame)["group"].tolist() == found


@pytest.mark.long
def test_a_thousand_features_are_no_expression_too_deep():
    levels = tuple(f"level {number}" for number in range(2500))
    column = EncodedCategory("c", levels, levels, np.arange(2500), 0)
    design = Design((column,), np.arange(2499), np.zeros(2499), np.ones(2499))
    of = saved(scores=IntervalForm((), Linear(np.arange(2499) + 1.0, 0.0), None), design=design)
    assert difference(of, pd.DataFrame({"c": ["level 0", "level 7", "level 2499", None]})) < EXACT


def test_the_command_prints_or_writes(tmp_path, capsys):
    file, out = KEPT / "numbers.evencover", tmp_path / "select.sql"
    assert main(["export", str(file), "--sql", "duckdb", "--table", "a.b"]) == 0
    printed = capsys.readouterr().out
    assert printed == to_sql(load(file), "duckdb", "a.b")
    assert main(["export", str(file), "--sql", "spark", "--out", str(out), "--quiet"]) == 0
    assert out.read_text(encoding="utf-8") == to_sql(load(file), "spark")
    for wrong, sentence in (
        (["--sql", "oracle"], "invalid choice: 'oracle'"),
        (["--sql", "duckdb", "--out", str(file)], "is the saved predictor"),
        (["--sql", "duckdb", "--out", str(tmp_path / "none" / "x")], "create it first"),
    ):
        assert main(["export", str(file), *wrong]) == 2
        assert sentence in capsys.readouterr().err
