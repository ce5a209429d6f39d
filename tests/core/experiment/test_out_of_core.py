"""Ready-made sets of a table that is not in memory: counted where it is, and as in memory."""

import pickle
from dataclasses import replace
from importlib import import_module

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from same import assert_same

from evencover.core import AuditSettings, InputError, audit, audit_predictions, judge, to_json
from evencover.core.tables.formats import Bounds
from evencover.core.tables.lazy import LazyTable

pytestmark = pytest.mark.long  # audits of many kinds

FILES, ROWS = 4, 2000
OF_DASK = pytest.mark.filterwarnings("ignore")  # Dask calls what pandas is to lose
INTERVALS = AuditSettings(
    target="y",
    lower="lo",
    upper="hi",
    pairs=(("place", "age"), ("when (hour)", "ok"), ("y", "place")),
    cohorts=(
        ("old in c", "age >= 30 and place = c"),
        ("later", "when >= 2021-06-01"),
        ("few", "age = 3 or 4 and rooms is not missing"),
        ("all", "age is not missing"),
    ),
)
CUTS = (("x", (-1.0, 1.0)), ("age", (20.0, 40.0)), ("y", (0.0,)))


@pytest.fixture(scope="module")
def frame():
    """Columns of every kind, with values missing in all ways, and some odd intervals."""
    rng = np.random.default_rng(0)
    x, age = rng.normal(size=ROWS), rng.integers(0, 80, ROWS).astype(float)
    place = rng.choice(["a", "b ", "c", None], ROWS)
    shares = np.array([*[4.0] * 10, *[0.3] * 5])
    frame = pd.DataFrame(
        {
            "x": x,
            "age": np.where(np.arange(ROWS) % 50 == 0, np.nan, age),
            "place": place,
            "street": rng.choice([f"v{i}" for i in range(15)], ROWS, p=shares / shares.sum()),
            "rooms": rng.integers(0, 5, ROWS),
            "when": pd.date_range("2021-01-01 03:20", periods=ROWS, freq="5h"),
            "ok": rng.random(ROWS) < 0.5,
            "lo": x - 1.6,
            "hi": x + 1.6,
            "y": x + np.where(place == "c", 2.0, 1.0) * rng.normal(size=ROWS),
        }
    )
    frame.loc[5, "y"], frame.loc[9, "lo"] = np.nan, np.nan
    frame.loc[8, "hi"], frame.loc[10, "hi"] = np.inf, -100.0
    return frame


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    return written(frame, tmp_path_factory.mktemp("rows"))


def written(frame, folder):
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), FILES)):
        frame.iloc[rows].to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


ENGINES = {
    "folder": lambda folder: LazyTable.of_folder(folder, Bounds()),
    "duckdb": lambda folder: lazy(duckdb.read_parquet(f"{folder}/*.parquet")),
    "polars": lambda folder: lazy(pl.scan_parquet(folder / "*.parquet")),
    "dask": lambda folder: lazy(import_module("dask.dataframe").read_parquet(folder)),
}
OF_ENGINES = [
    pytest.param(name, marks=() if name in ("folder", "polars") else pytest.mark.long)
    for name in ENGINES
]
OF_FEWER_ENGINES = [
    pytest.param(name, marks=[pytest.mark.long] * (name != "folder")) for name in ENGINES
]


def lazy(native):
    return LazyTable(nw.from_native(native))


def plain(result):
    told = to_json(result)
    told["data"].pop("fingerprint")
    told["notes"].sort()
    return {name: part for name, part in told.items() if name not in ("seconds", "settings")}


@pytest.fixture(scope="module")
def in_memory(frame):
    return plain(audit(frame, INTERVALS))


@pytest.mark.long
class TestOfWhichAllAreDrawn:
    @OF_DASK
    @pytest.mark.parametrize("engine", OF_ENGINES)
    def test_everything_is_as_in_memory(self, folder, in_memory, engine):
        assert_same(plain(audit(ENGINES[engine](folder), INTERVALS)), in_memory)

    def test_sets_of_labels_are_as_in_memory(self, frame, tmp_path):
        rng = np.random.default_rng(1)
        label = rng.choice(["no", "maybe", "yes"], ROWS, p=[0.5, 0.3, 0.2])
        sets = rng.choice(["{no}", "{no; maybe}", "{yes; never}", "{no; maybe; yes}", None], ROWS)
        frame = frame.drop(columns=["lo", "hi"]).assign(label=label, sets=sets)
        settings = AuditSettings(target="label", label_set="sets", pairs=(("place", "ok"),))
        table = LazyTable.of_folder(written(frame, tmp_path), Bounds())
        assert_same(plain(audit(table, settings)), plain(audit(frame, settings)))


DRAWN = AuditSettings(target="y", lower="lo", upper="hi", sample=500)
CUT = replace(DRAWN, cuts=CUTS, drop=("when",))  # where bands end does not hang on those drawn


@pytest.fixture(scope="module")
def found(folder):
    return audit(LazyTable.of_folder(folder, Bounds()), CUT)


class TestOfWhichSomeAreDrawn:
    def test_segments_are_counted_over_all(self, found, frame):
        whole = audit(frame, CUT)
        for section in ("gaps", "segments"):
            told, expected = (to_json(result)[section] for result in (found, whole))
            for row in (*told, *expected):  # by a rule of the search, which is of the sample
                row.pop("explained_by_base", None)
                row.pop("overlaps_base", None)
            assert_same(told, expected)
        own, other = found.row("test", "given"), whole.row("test", "given")
        assert (own.accuracy, own.inefficiency) == (other.accuracy, other.inefficiency)
        assert found.coverage("given") == whole.coverage("given")

    def test_the_sample_is_told_and_what_looks_at_single_rows_is_of_it(self, found, frame):
        assert (found.data.sample, found.data.test, found.data.rows) == (500, ROWS - 2, ROWS)
        assert "all 1,998 rows" in found.notes[0]
        assert "500 of them, drawn at random with seed 0" in found.notes[0]
        assert "Intervals with an infinite end, audited as they are: 1." in " ".join(found.notes)
        usable = frame.dropna(subset=["y", "lo"]).reset_index(drop=True)
        places = found.test_rows.rows
        assert len({*places}) == 500
        np.testing.assert_array_equal(found.test_rows.table.frame["x"], usable.loc[places, "x"])
        # each tenth of the rows has about a tenth of those drawn: six deviations
        counts = np.bincount(places * 10 // len(usable), minlength=10)
        assert np.abs(counts - 50).max() < 6 * np.sqrt(500 * 0.1 * 0.9)
        alone = audit(usable.loc[places], CUT).row("test", "given")
        assert found.row("test", "given").dcv == pytest.approx(alone.dcv, abs=1e-12)
        assert found.row("test", "given").p_value == pytest.approx(alone.p_value, abs=1e-12)

    @OF_DASK
    @pytest.mark.parametrize("engine", OF_FEWER_ENGINES)
    def test_a_gate_s_conditions_are_of_all_rows(self, folder, found, frame, engine):
        usable = frame.dropna(subset=["y", "lo"])
        right = usable["y"].between(usable["lo"], usable["hi"])
        of_rules = {
            "": right,
            "place = c": right[usable["place"] == "c"],
            "age >= 30 and ok = True": right[(usable["age"] >= 30) & usable["ok"]],
        }
        rules = [f"coverage({rule}) < {inside.mean()}" for rule, inside in of_rules.items()]
        result = found if engine == "folder" else audit(ENGINES[engine](folder), CUT)
        judged = judge(result, rules)
        for verdict, inside in zip(judged, of_rules.values(), strict=True):
            assert f"; coverage of {len(inside):,} test rows is" in verdict.sentence
            assert verdict.value == pytest.approx(inside.mean(), abs=1e-12)
            assert verdict.outcome == "unsure"

    def test_a_gate_has_no_rows_of_a_result_that_was_pickled(self, found):
        stored = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
        assert judge(stored, ["low-segments > 1000"])[0].outcome == "kept"
        with pytest.raises(ValueError, match="take it as the audit gave it"):
            judge(stored, ["coverage < 0.9"])

    @OF_DASK
    @pytest.mark.parametrize("engine", OF_ENGINES[1:])
    def test_any_engine_gives_the_same(self, folder, found, engine):
        assert_same(plain(audit(ENGINES[engine](folder), CUT)), plain(found))

    @pytest.mark.long
    def test_another_seed_draws_others(self, folder, found):
        other = audit(ENGINES["folder"](folder), replace(DRAWN, seed=1))
        assert len({*other.test_rows.rows} & {*found.test_rows.rows}) < 250


@OF_DASK
@pytest.mark.long
def test_a_cluster_gives_the_same(folder):
    said = {"lower": "lo", "upper": "hi", "sample": 500}
    expected = audit_predictions("y", duckdb.read_parquet(f"{folder}/*.parquet"), **said)
    one_process = {"processes": False, "dashboard_address": None}
    with import_module("distributed").Client(n_workers=2, threads_per_worker=1, **one_process):
        found = audit_predictions("y", import_module("dask.dataframe").read_parquet(folder), **said)
    assert found.data.sample == 500
    assert_same(plain(found), plain(expected))


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({}, "lazy.not_ready_made"),
            ({"prediction": "x"}, "lazy.not_ready_made"),
            ({"lower": "lo", "upper": "hi", "log_target": True}, "lazy.unserved"),
            ({"lower": "lo", "upper": "hi", "group": "street"}, "lazy.unserved"),
            ({"lower": "lo", "upper": "nowhere"}, "column.unknown"),
        ],
    )
    def test_of_settings(self, folder, options, code):
        with pytest.raises(InputError) as refused:
            audit(LazyTable.of_folder(folder, Bounds()), AuditSettings(target="y", **options))
        assert refused.value.sentence.code == code

    def test_of_values(self, frame):
        settings = AuditSettings(target="y", lower="lo", upper="hi", sample=100)
        infinite = frame["y"].where(frame.index != 700, np.inf)
        for values, told in (
            ({"y": infinite}, "'y' holds values that are infinite"),
            ({"lo": "low"}, "'lo' holds 'low' in row 6, which was not read as a number"),
        ):
            with pytest.raises(InputError, match=told):
                audit(lazy(pl.from_pandas(frame.assign(**values)).lazy()), settings)
