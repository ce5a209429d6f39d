"""Rows for SQL to score, and how far it is from what ``predict`` says of them."""

from functools import cache

import duckdb
import numpy as np
import pandas as pd

from evencover.core.scoring import SavedPredictor
from evencover.core.scoring.sql import to_sql

_PART = 100_000  # rows that are predicted at once


def rows(n, seed=0):
    """Columns of all kinds, with missing, rare, new and odd values; labels of two kinds."""
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({"x": rng.normal(size=n), "z": rng.exponential(size=n)})
    made.loc[rng.random(n) < 0.1, "z"] = np.nan
    levels = ["a", "b", "it's", 'a "b"', "\\n", " é ", "(missing)", None]
    made["c"] = rng.choice(levels, n, p=[0.4, 0.3, 0.1, 0.1, 0.04, 0.03, 0.01, 0.02])
    made["k"] = rng.choice([2019.0, 2020.0, 0.1, 1e-05, -3.0, 1e15, np.nan], n)
    made["flag"] = rng.random(n) < 0.3
    seconds = rng.integers(-400 * 86400, 20_000 * 86400, n)
    micros = np.where(rng.random(n) < 0.5, seconds // 86400 * 86400, seconds) * 10**6
    moments = micros + np.where(rng.random(n) < 0.3, rng.integers(0, 10**6, n), 0)
    made["d"] = pd.Series(moments.astype("datetime64[us]")).where(rng.random(n) > 0.05)
    noise = rng.normal(size=n) * (0.5 + np.abs(made["x"]) + (made["c"] == "b"))
    made["y"] = np.exp(1.0 + 0.3 * made["x"] + 0.3 * (made["c"] == "a") + 0.2 * noise)
    of = made["x"] + noise
    made["kind"] = np.select([of > 1.0, of < -1.0], ["it's", '"'], "middle")
    made["guess"], made["spread"] = np.exp(1.0 + 0.2 * made["x"]), rng.exponential(size=n)
    made.loc[3, "spread"] = 0.0
    said = np.exp(-np.abs(made["x"].to_numpy()[:, None] - [1.0, 0.0, -1.0]))
    made[["p1", "p2", "p3"]] = (said / said.sum(axis=1, keepdims=True)).round(2)
    return made


engine = cache(duckdb.connect)


def answer(sql, frame, table="rows"):
    """Return what DuckDB finds of a frame."""
    engine().register(table, frame)
    return engine().execute(sql).df()


def difference(saved, frame, sql=None):
    """Return the greatest difference of a number, relative where it is above 1.

    AssertionError if texts, or what is infinite, differ.
    """
    numbered = frame.assign(at=np.arange(len(frame)))  # a join may put rows in another order
    found = answer(sql or to_sql(saved, "duckdb"), numbered).sort_values("at").drop(columns="at")
    assert [*found][: len(frame.columns)] == [*frame]
    said, parts = found.iloc[:, len(frame.columns) :], range(0, len(frame), _PART)
    return max(_off(saved, frame[at : at + _PART], said[at : at + _PART]) for at in parts)


def _off(saved, frame, said):
    wanted = SavedPredictor.predict(saved, frame)
    assert len(said.columns) == len(wanted)
    greatest = 0.0
    for (name, want), column in zip(wanted.items(), said, strict=True):
        got = said[column].to_numpy()
        if want.dtype.kind == "O":
            assert got.tolist() == want.tolist(), name
        else:
            finite = np.isfinite(want)
            np.testing.assert_array_equal(got[~finite], want[~finite])
            off = np.abs(got[finite] - want[finite]) / np.maximum(1.0, np.abs(want[finite]))
            greatest = max(greatest, off.max(initial=0.0))
    return greatest
