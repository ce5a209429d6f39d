"""The audit: its figures recomputed from first principles, its promises, and odd tables."""

import functools
import inspect
import json
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.api.types import is_numeric_dtype
from same import timeless
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from evencover.core import AuditSettings, InputError, audit, parse_table, read_table, to_json
from evencover.core.preparation.prepare import prepare

PARTS = np.repeat(["train", "calibration", "test"], [1200, 240, 160])
N_ROWS, N_TRAIN, N_TEST = 1600, 1200, 160


def homes(seed=0):
    """Prices whose spread grows with the area."""
    rng = np.random.default_rng(seed)
    area, age = rng.normal(size=N_ROWS), rng.exponential(size=N_ROWS)
    zone = rng.choice(["a", "b", "c"], N_ROWS, p=[0.5, 0.3, 0.2])
    noise = rng.standard_t(3, size=N_ROWS) * np.exp(0.8 * area * (zone == "a"))
    price = 2.0 * area - age + (zone == "b") + noise
    return pd.DataFrame({"area": area, "age": age, "zone": zone, "part": PARTS, "price": price})


def kinds(seed=0):
    """Three classes that are harder to tell apart for a larger size."""
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(size=(2, N_ROWS))
    odds = np.column_stack([size, weight**2, -size * weight]) * 2.0
    kind = np.array(["x", "y", "z"])[np.argmax(odds + rng.gumbel(size=(N_ROWS, 3)), axis=1)]
    return pd.DataFrame({"size": size, "weight": weight, "part": PARTS, "kind": kind})


def audited(frame, **options):
    usual = {"target": frame.columns[-1], "split_column": "part", "remedies": ("ifacm",)}
    return audit(frame, AuditSettings(**usual | options))


@functools.cache
def seen(draw, number=0, /, **options):
    """A result that tests look at and do not change."""
    return audited(draw(number), **options)


class Primitives:
    """The method spelled out in numpy, for tables of numbers with a column ``part``."""

    def __init__(self, frame, target, confidence_level):
        self.level = confidence_level
        self.parts = {part: (frame["part"] == part).to_numpy() for part in PARTS}
        raw = frame.drop(columns=["part", target])
        raw = pd.get_dummies(raw)[[c for c in pd.get_dummies(raw) if c != "zone_a"]]
        raw = raw.to_numpy(dtype=float)
        train = self.parts["train"]
        self.X = (raw - raw[train].mean(axis=0)) / raw[train].std(axis=0)
        self.target = frame[target].to_numpy()

    def threshold(self, scores):
        """The smallest score that the paper's inequality keeps; r by counting."""
        eps = 1 - Fraction(str(self.level))
        kept = [a for a in scores if np.sum(scores <= a) + 1 > eps * (len(scores) + 1)]
        return min(kept)

    def fit_p(self, X, correct):
        model = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10, max_iter=200)
        return model.fit(X, correct)

    def run(self, layers):
        """Algorithm 1 with these layers in place, then the same on the test rows."""
        train = self.parts["train"]
        shift = np.zeros(len(self.X))
        for gamma, delta in layers:
            correct = self.correct(shift, "train", "train")
            p = self.fit_p(self.X[train], correct).predict_proba(self.X)[:, 1]
            low, high = p < self.level - delta, p > self.level + delta
            shift = shift + gamma * (low.astype(float) - high)
        return {
            "training": self.figures(shift, "train", "train"),
            "test": self.figures(shift, "calibration", "test"),
        }

    def correct(self, shift, calibration, part):
        scores = self.scores + shift
        return scores[self.parts[part]] >= self.threshold(scores[self.parts[calibration]])

    def figures(self, shift, calibration, part):
        rows = self.parts[part]
        correct = self.correct(shift, calibration, part)
        threshold = self.threshold((self.scores + shift)[self.parts[calibration]])
        p = self.fit_p(self.X[rows], correct).predict_proba(self.X[rows])[:, 1]
        dcv = np.sqrt(np.mean((p - self.level) ** 2))
        return correct.mean(), self.size(shift, threshold, rows), dcv


class RegressionPrimitives(Primitives):
    def __init__(self, frame, confidence_level):
        super().__init__(frame, "price", confidence_level)
        train = self.parts["train"]
        self.y = (self.target - self.target[train].mean()) / self.target[train].std()
        design = np.column_stack([np.ones(len(self.X)), self.X])

        def fitted(values):
            return design @ np.linalg.lstsq(design[train], values[train], rcond=None)[0]

        residual = np.abs(self.y - fitted(self.y))
        self.log_sigma = fitted(np.log(residual))
        self.scores = self.log_sigma - np.log(residual)

    def size(self, shift, threshold, rows):
        return np.mean(2 * np.exp(self.log_sigma + shift - threshold)[rows])


class ClassPrimitives(Primitives):
    def __init__(self, frame, confidence_level):
        super().__init__(frame, "kind", confidence_level)
        train = self.parts["train"]
        model = LogisticRegression(C=1.0, max_iter=2000).fit(self.X[train], self.target[train])
        self.log_p = model.predict_log_proba(self.X)
        codes = np.searchsorted(model.classes_, self.target)
        self.scores = self.log_p[np.arange(len(codes)), codes]

    def size(self, shift, threshold, rows):
        return np.mean(np.sum((self.log_p + shift[:, None])[rows] >= threshold, axis=1))


class TestFigures:
    @pytest.mark.parametrize(
        ("seed", "level"),
        [(0, 0.8), *(pytest.param(*of, marks=pytest.mark.long) for of in [(1, 0.9), (2, 0.8)])],
    )
    @pytest.mark.parametrize("task", ["regression", "classification"])
    def test_all_four_are_those_of_the_method_spelled_out(self, task, seed, level):
        options = {"confidence_level": level, "penalty": 0.0}
        if task == "regression":
            result = seen(homes, seed, **options)
            primitives = RegressionPrimitives(homes(seed), level)
        else:
            result = seen(kinds, seed, **options)
            primitives = ClassPrimitives(kinds(seed), level)
        layers = [(layer.gamma, layer.delta) for layer in result.iterations]
        assert layers
        for algorithm, found in (("base", primitives.run([])), ("ifacm", primitives.run(layers))):
            for segment, (accuracy, size, dcv) in found.items():
                row = result.row(segment, algorithm)
                assert row.accuracy == pytest.approx(accuracy, abs=1e-12)
                assert row.inefficiency == pytest.approx(size, rel=1e-6)
                assert row.dcv == pytest.approx(dcv, abs=1e-6)

    @pytest.mark.parametrize("draw", [homes, kinds])
    def test_level_and_spread_make_up_the_dcv_of_four_rows(self, draw):
        rows = seen(draw, 0, confidence_level=0.8, penalty=0.0).results  # as above
        expected = [(part, name) for name in ("base", "ifacm") for part in ("training", "test")]
        assert [(row.subset, row.predictor) for row in rows] == expected
        for row in rows:
            assert math.hypot(row.dcv_level, row.dcv_spread) == pytest.approx(row.dcv, abs=1e-12)
            assert row.dcv_level == pytest.approx(row.accuracy - 0.8, abs=1e-9)

    def test_the_accepted_layers_are_those_of_the_last_training_row(self):
        result = seen(homes, penalty=0.0)
        last = result.iterations[-1]
        row = result.row("training", "ifacm")
        assert (last.dcv, last.inefficiency) == pytest.approx((row.dcv, row.inefficiency), rel=1e-9)
        numbers = [layer.iteration for layer in result.iterations]
        assert numbers == [*range(1, len(numbers) + 1)]

    def test_widths_in_original_units_and_segments_agree_with_the_figures(self):
        result, scale = seen(homes, penalty=0.0), homes()["price"][:N_TRAIN].std(ddof=0)
        for row in result.results:
            assert row.inefficiency_original_units == pytest.approx(row.inefficiency * scale)
        for variable in ("area", "zone"):
            rows = [row for row in result.segments if row.variable == variable and row.n]
            for name in result.names:
                hits = sum(row.n * row.accuracy for row in result.of(rows, name))
                assert hits / N_TEST == pytest.approx(result.row("test", name).accuracy)


class TestFloors:
    @pytest.mark.parametrize(
        ("level", "w"), [pytest.param(0.8, 0.16, marks=pytest.mark.long), (0.9, 0.09)]
    )
    def test_each_row_has_its_formula(self, level, w):
        whole = {"split_column": None, "drop": ("part",), "split": "600,200,800"}
        result = seen(homes, confidence_level=level, penalty=0.0, **whole)
        assert result.iterations
        rows = result.results
        assert [row.parameters for row in rows] == [5] * 4
        assert [row.dcv_formula for row in rows[:2]] == ["good"] * 2
        rank = math.floor(201 * (1.0 - level))
        draw = beta(201 - rank, rank).var()  # coverage of 200 calibration rows
        train, test = math.sqrt(5 * w / 600), math.sqrt(5 * w / 800 + draw)
        for name, last in (("floor", math.hypot(train, test)), ("floor_unadjusted", test)):
            expected = [pytest.approx(value, rel=1e-12) for value in (train, test, last)]
            expected.insert(2, None)
            assert [getattr(row, f"dcv_{name}") for row in rows] == expected
        assert rows[1].dcv_spread_floor == pytest.approx(math.sqrt(4 * w / 800), rel=1e-12)

    def test_of_few_wrong_sets_it_is_simulated(self):
        # 16 wrong sets, for five parameters
        base, ifacm = (seen(homes, penalty=0.0).row("test", name) for name in ("base", "ifacm"))
        assert base.dcv_formula == ifacm.dcv_formula == "rough"
        assert base.dcv_floor == base.dcv_floor_simulated > math.sqrt(5 * 0.09 / N_TEST)
        assert ifacm.dcv_floor_unadjusted == base.dcv_floor
        carried = math.sqrt(5 * 0.09 / N_TRAIN)
        assert ifacm.dcv_floor == pytest.approx(math.hypot(base.dcv_floor, carried), rel=1e-12)
        assert (base.dcv_corrected, base.dcv_corrected_low) == (None, None)


class TestNotes:
    def test_rows_that_are_left_out_are_counted(self):
        frame = homes()
        frame.loc[[3, 1250, 1500], "price"] = np.nan
        result = audited(frame, remedies=("none",))
        assert "Rows without a label, left out: 3." in result.notes
        data = result.data
        assert (data.rows, data.rows_without_label) == (N_ROWS, 3)
        assert (data.train, data.calibration, data.test) == (1199, 239, 159)
        whole = {"split_column": None, "drop": ("part",)}
        result = audited(homes(), **whole, split="1200,200,199", remedies=("none",))
        assert "Rows beyond the split's counts, not used: 1." in result.notes

    def test_too_few_errors_for_the_floor_are_told(self):
        # 160 test rows leave 14 wrong sets at CL 0.9, for an intercept and some features
        notes = seen(homes, penalty=0.0).notes
        assert [note.split(" for ")[0] for note in notes] == [
            (
                "The model and the adjustment use 'age', which by name may be protected (age); "
                "audit only, it would be kept out of both, and coverage still be shown by it. "
                "If it is not, name it as not protected."
            ),
            "The test rows have too few wrong prediction sets",
        ]

    def test_unseen_values_are_counted(self):
        frame = homes()
        frame.loc[1597:, "zone"] = ["new", "new", None]
        told = (
            "Values of 'zone' that training rows do not have: 1, in 0 calibration and 2 test rows; "
        )
        gaps = "'zone' is missing in 0 calibration and 1 test rows, but in no training row; "
        notes = audited(frame, remedies=("none",)).notes
        assert any(note.startswith(told) for note in notes)
        assert any(note.startswith(gaps) for note in notes)

    @pytest.mark.parametrize("draw", [homes, kinds])
    def test_too_few_calibration_rows_keep_every_label(self, draw):
        result = audited(draw(), confidence_level=0.9965, remedies=("none",))
        told = "240 calibration rows are too few for confidence level 0.9965, which needs 285"
        assert any(note.startswith(told) for note in result.notes)
        row = result.row("test", "base")
        assert row.accuracy == 1.0
        assert row.inefficiency == (3.0 if draw is kinds else np.inf)
        assert result.row("training", "base").accuracy < 1.0

    @pytest.mark.parametrize("draw", [homes, kinds])
    def test_rank_zero_on_training_leaves_nothing_to_adjust(self, draw):
        result = seen(draw, confidence_level=0.9999)
        assert any("nothing for IFACM to adjust" in note for note in result.notes)
        assert list(result.iterations) == []
        assert result.row("test", "ifacm").dcv_floor == result.row("test", "base").dcv_floor
        for row in result.results:
            assert (row.accuracy, row.dcv) == pytest.approx((1.0, 0.0001))


SECRET = {"target": "price", "audit_only": ("secret",), "penalty": 0.0, "search": "paper"}
JUDGED = ("detectable", "status", "judged_q", "explained_by")
"""Figures of a segment that hang on what else is looked at."""


def homes_with_a_secret(seed=0):
    return homes(seed).assign(secret=lambda frame: frame["area"] > 0)


def figures_of_a_large_table():
    """Figures that need products of large matrices; also run by a process of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 12))
    y = X @ rng.normal(size=12) + rng.standard_t(3, 9000) * np.exp(X[:, 0] * X[:, 1])
    table = pd.DataFrame(X, columns=list("abcdefghijkl")).assign(y=y)
    settings = AuditSettings(target="y", penalty=0.0, search="paper", remedies=("ifacm",))
    results = audit(table, settings).results
    return [[row.accuracy, row.inefficiency, row.dcv] for row in results]


@pytest.mark.long
class TestPromises:
    @pytest.mark.parametrize(
        "values",
        [
            np.arange(1600.0),
            ["p", "q"] * 800,
            [None, 1.0] * 800,
            pd.date_range("2020", periods=N_ROWS),
        ],
    )
    @pytest.mark.long
    def test_an_audit_only_column_influences_its_segments_alone(self, values):
        frame = homes_with_a_secret()
        one = timeless(seen(homes_with_a_secret, **SECRET))
        other = timeless(audited(frame.assign(secret=values), **SECRET))
        for plain in (one, other):
            assert "secret" not in plain["data"]["features"]
            assert any(row["variable"] == "secret" for row in plain["segments"])
            assert {row["column"] for row in plain.pop("audit_only")} == {"secret"}
            del plain["worst_segments"]  # in which it is one of the variables looked at
            del plain["headline"]  # which counts the segments looked at
            del plain["data"]["fingerprint"]  # of all columns
            plain["changes"] = [row for row in plain["changes"] if "secret" not in row["variable"]]
            plain["notes"] = [
                note
                for note in plain["notes"]
                # a feature may tell the column, of which there is a note
                if "of segments" not in note and "of gaps" not in note and "'secret'" not in note
            ]
            plain["findings"] = [
                finding for finding in plain["findings"] if finding["topic"] == "dependence"
            ]
            plain["segments"] = [
                # how many looks there are is for all of them to be adjusted for
                {k: v for k, v in row.items() if not k.startswith(("q_value", "holm", *JUDGED))}
                for row in plain["segments"]
                if "secret" not in row["variable"]
            ]
            plain["gaps"] = [
                {k: v for k, v in row.items() if not k.startswith(("gap_low", "gap_high"))}
                for row in plain["gaps"]
                if "secret" not in row["variable"]
            ]
        assert one == other

    @pytest.mark.parametrize(
        ("draw", "options"),
        [(homes, {}), (kinds, {"split_column": None, "drop": ("part",), "seed": 5})],
    )
    def test_a_repeat_gives_the_same(self, draw, options):
        assert timeless(seen(draw, **options)) == timeless(audited(draw(), **options))

    def test_the_seed_matters(self):
        options = {"split_column": None, "drop": ("part",), "search": "paper"}
        one, other = (audited(homes()[::4], seed=n, **options).results for n in (0, 1))
        assert one != other

    @pytest.mark.parametrize(
        ("seed", "changed"),
        [
            *((seed, lambda f: f[["zone", "price", "age", "part", "area"]]) for seed in range(3)),
            *(
                (seed, lambda f, names=names: f.assign(zone=f["zone"].replace(names)))
                for seed, names in enumerate(
                    ({"a": "z", "b": "y"}, {"a": "1", "b": "2", "c": "10"})
                )
            ),
            *(
                (0, lambda f, by=by: f.assign(area=by * (7 + f["area"]), price=by * f["price"]))
                for by in (1e-6, 1000.0)
            ),
        ],
    )
    def test_columns_order_levels_names_and_units_do_not_matter(self, seed, changed):
        one = seen(homes, seed, penalty=0.0)
        other = audited(changed(homes(seed)), target="price", penalty=0.0)
        for a, b in zip(one.results, other.results, strict=True):
            assert (a.accuracy, a.dcv) == pytest.approx((b.accuracy, b.dcv), abs=1e-9)
            assert a.inefficiency == pytest.approx(b.inefficiency, rel=1e-9)

    @pytest.mark.parametrize("index", [np.arange(N_ROWS)[::-1], np.full(N_ROWS, 7)])
    def test_the_index_does_not_matter_and_the_table_is_left_as_it_was(self, index):
        frame, before = (homes().set_index(index) for _ in range(2))
        assert timeless(audited(frame)) == timeless(seen(homes))
        pd.testing.assert_frame_equal(frame, before)

    def test_calibration_rows_teach_the_model_nothing(self):
        frame = homes()
        frame.loc[1200:1439, ["area", "age"]] += 5.0
        results = seen(homes, penalty=0.0), audited(frame, penalty=0.0)
        rows = [result.row("training", "ifacm") for result in results]
        assert rows[0] == rows[1]

    @pytest.mark.long
    def test_threads_do_not_matter(self):
        script = (
            "import json, numpy as np, pandas as pd\n"
            "from evencover.core import AuditSettings, audit\n"
            f"{inspect.getsource(figures_of_a_large_table)}"
            "print(json.dumps(figures_of_a_large_table()))\n"
        )
        with threadpool_limits(1):
            by_one = figures_of_a_large_table()
        by_two = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, "-c", script],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
            capture_output=True,
            check=True,
        ).stdout
        assert np.array(by_one) == pytest.approx(np.array(json.loads(by_two)), abs=1e-9)


class TestSettings:
    def test_what_is_asked_for_is_used_and_recorded(self):
        asked = {"confidence_level": 0.8, "penalty": 0.25, "seed": 7, "remedies": ("none",)}
        result, other = (audited(homes(), **asked, measure=of) for of in (None, "standard"))
        widths = [each.results[0].inefficiency for each in (result, other)]
        assert widths[0] != pytest.approx(widths[1], rel=1e-3)
        expected = {"target": "price", "task": "regression", "measure": "normalized"}
        expected |= {"cl": 0.8, "c": 0.25, "seed": 7, "split": None, "split_column": "part"}
        assert result.settings | expected == result.settings

    def test_a_feature_that_gives_the_label_away(self):
        frame = homes().assign(copy=lambda f: f["price"] * 2 + 1)
        with pytest.raises(InputError, match=r"copies the label \('copy'\)"):
            audited(frame, target="price")

    def test_a_row_number_counts_the_rows_without_label_too(self):
        frame = homes().assign(price=lambda f: f["price"].abs() + 1.0)
        frame.loc[[0, 1, 5], "price"] = np.nan
        frame.loc[9, "price"] = 0.0
        with pytest.raises(
            InputError, match=r"is 0 in row 10, which has no logarithm \(such rows: 1\)"
        ):
            audited(frame, log_target=True)


@pytest.fixture(scope="module")
def house_sales(data_folder):
    return read_table(data_folder / "kc_house_data.csv").frame


def king_county_settings(**options):
    own = {"drop": ("id", "date"), "split": "10000,5000,6613", "log_target": True}
    own["remedies"] = ("ifacm",)
    return AuditSettings(target="price", **(own | options))


@pytest.fixture(scope="module")
def king_county(house_sales):
    return audit(house_sales, king_county_settings())


@pytest.fixture(scope="module", params=[0, 1, 2])
def gpu(data_folder, request):
    table = read_table(data_folder / "gpu.parquet").frame
    options = {"split": "20000,20000,20000", "log_target": True, "seed": request.param}
    return audit(table, AuditSettings(target="run_ms", remedies=("ifacm",), **options))


class TestKingCounty:
    def test_the_model_and_the_base_are_as_the_method_page_found(self, king_county):
        assert [row.parameters for row in king_county.results] == [18] * 4
        dropped = {column.column: column.reason for column in king_county.data.dropped}
        assert dropped["sqft_basement"] == (
            "is an exact linear combination of sqft_living, sqft_above"
        )
        assert king_county.row("test", "base").accuracy == pytest.approx(0.9, abs=0.015)
        assert 1.48 <= king_county.row("training", "base").inefficiency <= 1.57

    def test_the_floor_of_the_test_set(self, king_county):
        row = king_county.row("test", "base")
        plain = 18 * 0.09 / 6613 + 0.09 / 5002
        assert row.dcv_floor == pytest.approx(math.sqrt(plain), rel=1e-4)  # r is a whole number
        assert row.dcv_spread_floor == pytest.approx(math.sqrt(17 * 0.09 / 6613), rel=1e-12)
        assert round(row.dcv_floor, 4) == 0.0162
        assert king_county.row("training", "ifacm").dcv_floor is None
        assert king_county.row("test", "ifacm").dcv_floor == pytest.approx(
            math.sqrt(plain + 18 * 0.09 / 10000), rel=1e-4
        )

    @pytest.mark.parametrize(("subset", "share"), [("training", 0.35), ("test", 1.0)])
    def test_ifacm_mends_at_no_price(self, king_county, subset, share):
        base, ifacm = (king_county.row(subset, name) for name in ("base", "ifacm"))
        assert ifacm.dcv < share * base.dcv
        assert ifacm.inefficiency <= 1.03 * base.inefficiency

    def test_by_group_no_house_is_on_two_sides(self, house_sales):
        by_id = king_county_settings(drop=("date",), group="id")
        data = prepare(house_sales, by_id)
        parts = (data.train, data.calibration, data.test)
        sides = [set(data.table.frame["id"].iloc[part.rows]) for part in parts]
        assert house_sales["id"].duplicated().sum() == 177
        assert sum(map(len, sides)) == len(set.union(*sides)) == house_sales["id"].nunique()
        result = audit(house_sales, by_id)
        assert sum((result.data.train, result.data.calibration, result.data.test)) == 21613
        assert result.row("test", "base").accuracy == pytest.approx(0.9, abs=0.02)
        assert any(note.startswith("All rows of one value of 'id' are in") for note in result.notes)

    def test_by_time_the_drift_check_speaks(self, house_sales):
        result = audit(house_sales, king_county_settings(drop=("id",), time="date"))
        dates = pd.to_datetime(house_sales["date"])
        assert result.data.test == (dates > dates.sort_values().iloc[14999]).sum()
        accuracy = result.row("test", "base").accuracy
        assert accuracy == result.drift.accuracy < result.drift.accuracy_low
        assert "fewer than chance explains" in result.headline[0]
        assert any(note.startswith("Rows are split by 'date', the latest") for note in result.notes)


class TestCovtype:
    def test_the_papers_run(self, data_folder):
        options = {"split": "100000,100000,100000", "confidence_level": 0.95, "penalty": 0.0}
        result = audit(
            read_table(data_folder / "covtype.parquet").frame,
            AuditSettings(target="Cover_Type", remedies=("ifacm",), **options),
        )
        base = result.row("training", "base")
        assert 1.75 <= base.inefficiency <= 1.80
        assert 0.037 <= base.dcv <= 0.043
        training, test = (result.row(segment, "ifacm") for segment in ("training", "test"))
        assert training.dcv < 0.005
        assert test.dcv < 0.010
        assert test.inefficiency < 1.90
        assert test.accuracy == pytest.approx(0.95, abs=0.004)
        assert not [note for note in result.notes if "converge" in note]


class TestGpu:
    def test_the_base_and_the_first_layer_are_as_the_paper_found(self, gpu):
        row = gpu.row("training", "base")
        assert 2.15 <= row.inefficiency <= 2.24
        assert 0.040 <= row.dcv <= 0.060
        assert 0.05 <= gpu.iterations[0].gamma <= 0.30

    def test_ifacm_mends_it(self, gpu):
        assert gpu.row("training", "ifacm").dcv < 0.010
        assert gpu.row("test", "ifacm").dcv < 0.020
        assert gpu.row("test", "ifacm").accuracy == pytest.approx(0.9, abs=0.012)

    @pytest.mark.parametrize("gpu", [1], indirect=True)
    def test_an_independent_port_found_the_same_base(self, gpu):
        row = gpu.row("training", "base")
        assert f"{row.dcv:.7f}" == "0.0537014"
        assert f"{row.inefficiency:.5f}" == "2.18173"


N = 60
ODD_NAMES = ["größe ²", "名", "x=1", "(missing)", "x (missing)", "a\nb", " ", "0", "nan", "y=b"]
ODD_COLUMNS = {
    "infinite": [np.inf, *range(N - 1)],
    "beyond 2**53": [2**53 + 3 * i for i in range(N)],
    "beyond 2**64": pd.Series([10**25 + i % 7 for i in range(N)], dtype=object),
    "beyond floats": pd.Series([10**400 + i % 7 for i in range(N)], dtype=object),
    "tiny": [1e-310 * (i % 7) for i in range(N)],
    "large": [1e99 * (i % 7) for i in range(N)],
    "one large value": [1e90, *(i % 7 for i in range(N - 1))],
    "1 and '1'": pd.Series([1, "1", 2] * 20, dtype=object),
    "1 and '1' as levels": pd.Categorical([1, "1", 2] * 20),
    "a level (missing)": ["(missing)", None, "a"] * 20,
    "a level (rare)": ["(rare)", "b", "c", "b", "b"] * 12,
    "a level (other)": [f"l{i % 15}" if i % 4 else "(other)" for i in range(N)],
    "empty text": ["", "a", " "] * 20,
    "NAN as text": ["NAN", "1", "2"] * 20,
    "composed letters": ["é", "e\u0301", "😀"] * 20,
    "booleans with gaps": pd.Series([True, None, False] * 20, dtype=object),
    "lists": [[1], [2]] * 30,
    "dicts": [{"a": 1}, {}] * 30,
    "bytes": [b"a", b"b"] * 30,
    "complex": [1j, 2j] * 30,
    "dates": pd.date_range("2020", periods=N),
    "periods": pd.period_range("2020", periods=N),
    "durations": pd.to_timedelta(np.arange(N), unit="s"),
    "bins": pd.cut(pd.Series(np.arange(N)), 3),
    "sparse": pd.arrays.SparseArray([0, 1] * 30),
    "half precision": np.arange(N).astype(np.float16) / 3,
    "nullable": pd.array([None, *range(N - 1)], dtype="Int64"),
    "all missing": [np.nan] * N,
    "rare levels only": [f"l{i % 30}" for i in range(N)],
}

REFUSED = {
    "a feature": ["infinite"],
    "asked for": ["infinite"],
    "audit-only": ["infinite", "beyond floats", "lists", "dicts"],
    "categorical": ["infinite", "1 and '1'", "lists", "dicts", "complex"],
}
"""Columns that cannot play a role; all others can, and some of them are left out."""

CLASSES_OF_THEMSELVES = ["beyond 2**64", "beyond floats", "tiny", "large", "one large value"]
"""Numbers of so few values that they are taken for classes."""


def mixed(n=N, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + rng.normal(size=n) * np.exp(x / 2)})


def in_role(role, columns):
    return {
        "a feature": {},
        "asked for": {"features": ("x", *columns)},
        "audit-only": {"audit_only": tuple(columns)},
        "categorical": {"categorical": tuple(columns)},
    }[role]


def ends_well(frame, **options):
    """Say whether the audit gave a result; anything but one sentence otherwise is an error."""
    try:
        result = audit(frame, AuditSettings(**{"target": "y", **options}))
    except InputError as error:
        message = str(error)
        assert message
        assert "\n" not in message or "\n" in "".join(map(str, frame.columns))
        return False
    json.dumps(to_json(result), allow_nan=False)
    for row in result.results:
        assert 0.0 <= row.accuracy <= 1.0
        assert np.isfinite(row.dcv)
    return True


@pytest.mark.long
class TestOddTables:
    @pytest.mark.parametrize(
        ("role", "first"),
        [
            # half of the columns in each role, and each in half of the roles, are enough for a look
            pytest.param(role, first, marks=[pytest.mark.long] * ((place + first) % 2))
            for place, role in enumerate(REFUSED)
            for first in range(4)
        ],
    )
    def test_odd_columns(self, role, first):
        taken = [name for name in ODD_COLUMNS if name not in REFUSED[role]]
        columns = {f"odd {name}": ODD_COLUMNS[name] for name in taken[first::4]}
        assert ends_well(mixed().assign(**columns), split="40,10,10", **in_role(role, columns))

    @pytest.mark.parametrize(
        ("role", "name"), [(role, name) for role, names in REFUSED.items() for name in names]
    )
    def test_an_odd_column_that_is_refused(self, role, name):
        assert not ends_well(mixed().assign(odd=ODD_COLUMNS[name]), **in_role(role, ["odd"]))

    @pytest.mark.parametrize(
        ("name", "used"), [("bytes", True), ("rare levels only", False), ("dates", True)]
    )
    def test_an_odd_column_all_alone(self, name, used):
        assert ends_well(mixed()[["y"]].assign(odd=ODD_COLUMNS[name])) == used

    @pytest.mark.parametrize("name", ODD_COLUMNS)
    def test_an_odd_label(self, name):
        frame = mixed().assign(y=ODD_COLUMNS[name])
        ends_well(frame)
        numbers = is_numeric_dtype(frame["y"]) and name not in CLASSES_OF_THEMSELVES
        ends_well(frame, task="classification" if numbers else "regression")

    def test_an_odd_split_column(self):
        for values in ODD_COLUMNS.values():
            assert not ends_well(mixed().assign(odd=values), split_column="odd")

    @pytest.mark.parametrize("first", range(3))
    def test_odd_names(self, first):
        kinds = [np.arange(N) ** 2.0, ["a", "b"] * 30, [None, 1.0, 2.0] * 20]
        odd = {
            name: [*kinds[(first + i) % 3][i:], *kinds[(first + i) % 3][:i]]  # no two alike
            for i, name in enumerate(ODD_NAMES)
        }
        frame = mixed().assign(**odd, x=lambda f: f["x"].where(f.index % 5 != 0))
        assert ends_well(frame, split="40,10,10")

    @pytest.mark.parametrize(
        "values",
        [
            [True, False, False] * 20,
            [0.0, 1.0, 1.0] * 20,
            ["yes", "yes ", "no"] * 20,
            pd.Categorical(["a", "b", "a"] * 20, categories=["z", "a", "b"]),
            ["a"] * 40 + ["b"] * 19 + ["c"],
            [f"c{i % 25}" for i in range(N)],
            mixed()["y"] * 1e-100,
            mixed()["y"] * 1e99,
        ],
    )
    def test_an_odd_label_that_is_audited(self, values):
        assert ends_well(mixed().assign(y=values))

    @pytest.mark.parametrize("level", [0.01, 0.5, 0.9, 0.999999])
    @pytest.mark.parametrize("split", ["0.4,0.3,0.3", "8,1,1", "20,9,1", "10,1,19"])
    def test_the_fewest_rows(self, level, split):
        frame = mixed(30)
        if (level < 0.6) == (split in ("8,1,1", "10,1,19")):  # each level and split in both tasks
            frame["y"] = ["a", "b"] * 15
        assert ends_well(frame, confidence_level=level, split=split)

    def test_a_column_missing_in_all_of_training(self):
        parts = ["train"] * 30 + ["test"] * 15 + ["calibration"] * 15
        frame = mixed().assign(part=parts, gap=np.where(np.arange(N) < 30, np.nan, np.arange(N)))
        assert ends_well(frame, split_column="part")
        assert ends_well(frame.assign(gap=frame["gap"].astype(str)), split_column="part")

    @pytest.mark.parametrize("part", ["train", "calibration", "test"])
    @pytest.mark.parametrize("value", [1e3, 1e10, 1e40, 1e99])
    def test_one_absurd_value(self, part, value):
        frame = homes()[::4].reset_index(drop=True)
        frame.loc[int(np.argmax(frame["part"] == part)), "area"] = value
        if (value < 1e20) == (part == "test"):  # each part in both tasks, and each value
            frame["price"] = (frame["price"] > 0).astype(str)
        assert ends_well(frame, target="price", split_column="part", search="paper")

    def test_a_label_that_is_mostly_one_value_and_a_feature_of_all_magnitudes(self):
        frame = mixed(200)
        frame["y"] = np.where(np.arange(200) % 20, 0.0, frame["y"])
        assert ends_well(frame, task="regression")
        # the noise is nearly nothing, so that the law of DCV squared is a normal one
        rng = np.random.default_rng(41)
        frame = pd.DataFrame({"x": 10.0 ** rng.uniform(-30, 30, 30)})
        assert ends_well(frame.assign(y=2**53 + rng.integers(0, 2**40, 30)))

    @pytest.mark.parametrize("digits", [30, 400])
    def test_a_number_too_long_in_a_file(self, digits):
        rows = "".join(f"{i % 7},{i * i % 50}\n" for i in range(N))
        text = f"odd,y\n{'9' * digits},3\n{rows}"
        ends_well(parse_table(text.encode(), "homes.csv").frame)

    @pytest.mark.long
    @settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_a_random_table(self, data):
        n = data.draw(st.integers(30, 60))
        rng = np.random.default_rng(data.draw(st.integers(0, 999)))
        makers = {
            "numbers": lambda: rng.normal(size=n),
            "integers": lambda: rng.integers(0, data.draw(st.integers(1, 40)), n),
            "huge": lambda: 2**53 + rng.integers(0, 2**40, n),
            "gappy": lambda: np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
            "infinite": lambda: np.where(rng.random(n) < 0.02, np.inf, rng.normal(size=n)),
            "text": lambda: rng.choice(["a", "b ", "b", "", "é"], n),
            "gappy text": lambda: rng.choice(np.array(["a", None, "1"], dtype=object), n),
            "flags": lambda: rng.random(n) < 0.3,
            "constant": lambda: np.full(n, 7),
            "powers": lambda: 10.0 ** rng.uniform(-30, 30, n),
        }
        kind = st.sampled_from(sorted(makers))
        frame = pd.DataFrame({f"c{i}": makers[data.draw(kind)]() for i in range(3)})
        frame["y"] = makers[data.draw(kind)]()
        task = data.draw(st.sampled_from(["auto", "auto", "regression", "classification"]))
        level = data.draw(st.sampled_from([0.5, 0.8, 0.9]))
        ends_well(frame, task=task, confidence_level=level)
