"""Frames of any library come back with what a saved predictor says of their rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kept import assert_says, predictor

from evencover.core import InputError, load
from evencover.core.scoring import SavedPredictor
from evencover.core.scoring.groups import ByValue
from evencover.core.scoring.thresholds import OfGroups
from evencover.core.tables.formats import Bounds
from evencover.core.tables.pieces import pieces_of
from evencover.core.tables.plain_columns import predicted, reading_for

ROWS = [(1.0, "a", "2014-01-02"), (None, "b", "2014-02-03"), (-7.0, "c", "2015-01-04")]
COLUMNS = {
    name: list(of) for name, of in zip(("x", "k", "day"), zip(*ROWS, strict=True), strict=True)
}
ADDED = ["prediction", "lower", "upper", "group", "threshold", "new"]


FRAME = pd.DataFrame(COLUMNS | {"lower": ["of", "its", "own"]}, index=[7, 3, 5])
FRAMES = {
    "pandas": FRAME,
    "pandas, typed": FRAME.assign(day=pd.to_datetime(FRAME["day"])).astype({"k": "category"}),
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.Table.from_pandas(FRAME, preserve_index=False),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_frame_comes_back_as_it_was_with_columns_more(frame):
    found = predictor().predict(frame)
    assert type(found) is type(frame)
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(found[[*frame]], frame)
    plain = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    added = ["lower (2)" if name == "lower" else name for name in ADDED]
    assert [*plain.columns] == [*FRAME, *added]
    assert_says(plain.drop(columns="lower").rename(columns={"lower (2)": "lower"}), ROWS)
    assert [*plain["group"]] == ["k: a", "k: b", "k: (new)"]
    assert [*plain["lower"]] == ["of", "its", "own"]


def test_columns_by_name_are_a_frame_and_rows_may_be_none_or_in_any_order():
    kept = predictor()
    assert_says(kept.predict(COLUMNS), ROWS)
    frame = pd.DataFrame(COLUMNS)
    none = kept.predict(frame.head(0))
    assert (len(none), [*none.columns]) == (0, ["x", "k", "day", *ADDED])
    one_by_one = pd.concat(kept.predict(frame.iloc[[place]]) for place in (2, 0, 1))
    pd.testing.assert_frame_equal(one_by_one.sort_index(), kept.predict(frame))


def test_what_is_saved_is_loaded_with_how_its_table_was_read(tmp_path):
    kept = predictor(missing=("-9",), numeric=("x",), encoding="cp1252", header=2)
    kept.save(tmp_path / "kept.evencover")
    found = load(tmp_path / "kept.evencover")
    assert found.read == kept.read
    frame = pd.DataFrame({"x": ["1,5", "n/k"], "k": "a", "day": "2014-01-02"})
    assert_says(found.predict(frame), [(1.5, "a", "2014-01-02"), (None, "a", "2014-01-02")])
    # and for those who have numpy alone, by arrays
    arrays = {"x": np.array([1.0, np.nan, -7.0]), "k": COLUMNS["k"], "day": COLUMNS["day"]}
    assert_says(SavedPredictor.load(tmp_path / "kept.evencover").predict(arrays), ROWS)


@pytest.mark.parametrize(
    "read", [{"encoding": "no such"}, {"encoding": "hex"}, {"header": 0}, {"header": "1"}]
)
def test_a_file_that_says_of_its_table_what_cannot_be_is_refused(read, tmp_path):
    predictor(**read).save(tmp_path / "kept.evencover")
    with pytest.raises(InputError, match="cannot be read as a saved predictor"):
        load(tmp_path / "kept.evencover")


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (7, "frame is of type int; give a data frame"),
        (pl.LazyFrame(COLUMNS), "a frame of POLARS cannot be predicted where it is; collect it"),
        (pd.DataFrame({"x": [1.0], "k": ["a"]}), "there is no column 'day'"),
        (pd.DataFrame(COLUMNS | {"x": ["1", "a", "b"]}), "column 'x' holds 'a' in row 2"),
        (pd.DataFrame(COLUMNS | {"x": ["1", "2", "3"]}), "column 'x' holds '1' in row 1"),
        (pd.DataFrame(COLUMNS | {"day": [1, 2, 3]}), "column 'day' holds '1' in row 1"),
        (pd.DataFrame(COLUMNS)[["x", "x", "k", "day"]], "two columns called 'x'; rename one"),
    ],
)
def test_what_is_no_frame_or_lacks_what_is_wanted_is_refused(frame, sentence):
    with pytest.raises(InputError, match=sentence):
        predictor().predict(frame)


@pytest.mark.parametrize("part", ["weekday", "month", "hour"])
def test_rows_are_divided_by_parts_of_dates_that_a_table_has_not(part, tmp_path):
    days = ["2014-01-06 23:30", "2014-02-04", "2015-02-04 05:59:59", None]
    wanted = {
        "weekday": ["Monday", "Tuesday", "(new)", "(missing)"],
        "month": ["1", "2", "2", "(missing)"],
        "hour": ["23", "0", "(new)", "(missing)"],
    }[part]
    known = (*dict.fromkeys([*wanted[:2], None]),)
    by = ByValue(f"day ({part})", known, f"day ({part})", None)
    kept = replace(predictor(), thresholds=OfGroups(by, np.zeros((len(known) + 1, 1))))
    frame = pd.DataFrame({"x": 1.0, "k": "a", "day": days})
    groups = [f"day ({part}): {group}" for group in wanted]
    assert [*kept.predict(frame)["group"]] == groups
    moments = {**frame, "day": pd.to_datetime(frame["day"], format="mixed").to_numpy()}
    assert SavedPredictor.predict(kept, moments)["group"].tolist() == groups
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    own = frame.assign(**{f"day ({part})": "of its own"})  # a column is taken before a part
    assert [*kept.predict(own)["group"]] == [f"day ({part}): (new)"] * 4
    pieces = pieces_of(tmp_path / "rows.parquet", reading_for(kept), Bounds())
    assert predicted(kept, next(pieces).table).columns["group"].tolist() == groups


class Schema:
    """As Spark's StructType has it: fields, and others added by name and type."""

    def __init__(self, fields):
        self.fields = fields

    def add(self, name, of):
        return Schema([*self.fields, (name, of)])


class SparkFrame:
    """As much of Spark's as is used: its rows come in parts, in a worker."""

    def __init__(self, frame):
        self._frame = frame
        self.schema = Schema([("x", "double"), ("k", "string"), ("day", "string")])

    def limit(self, rows):
        return SparkFrame(self._frame.head(rows))

    def toPandas(self):  # noqa: N802 - Spark's
        return self._frame

    def mapInPandas(self, function, schema):  # noqa: N802
        parts = (self._frame.iloc[[place]] for place in range(len(self._frame)))
        return pd.concat(function(parts)), schema.fields


def test_a_frame_of_spark_is_mapped_by_its_parts():
    found, fields = predictor().predict(SparkFrame(pd.DataFrame(COLUMNS)))
    assert_says(found, ROWS)
    types = dict(fields)
    assert [*types] == [*found.columns] == ["x", "k", "day", *ADDED]
    assert (types["lower"], types["group"], types["new"]) == ("double", "string", "bigint")


@pytest.mark.long
def test_a_frame_of_dask_is_mapped_by_its_partitions():
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(pd.DataFrame(COLUMNS), npartitions=2)
    found = predictor().predict(frame)
    assert isinstance(found, dask.DataFrame)
    assert [*found.columns] == ["x", "k", "day", *ADDED]
    computed = found.compute()
    assert_says(computed, ROWS)
    assert {**computed.dtypes} == {**found.dtypes}
