"""Values of many rows without a test row: counted by hand, and told in the headline."""

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, audit
from evencover.core.segments.audited_rows import Untested, untested_values
from evencover.core.tables.table import Table


def test_large_values_without_a_test_row_are_counted():
    owner = ["A"] * 10 + ["B"] * 6 + ["C"] * 3 + ["D"] + [None] * 5 + ["E"] * 15
    table = Table.of(pd.DataFrame({"owner": owner, "number": np.r_[np.zeros(20), np.ones(20)]}))
    test = np.arange(25, 40)  # of 40 rows 2 are one in twenty: D is too small to be told
    a, b, c = (Untested("owner", *of) for of in (("A", 10), ("B", 6), ("C", 3)))
    assert untested_values(table, ["owner", "number"], test) == [
        Untested("number", "0", 20),
        a,
        b,
        c,
    ]


def test_the_headline_says_of_whom_nothing_is_known():
    rng = np.random.default_rng(0)
    n = 600
    day = np.arange(n)
    owner = np.where(day < 200, "first", np.where(day % 2, "odd", "even"))
    frame = pd.DataFrame({"day": day, "owner": owner, "x": rng.normal(size=n)})
    frame["y"] = frame["x"] + rng.normal(size=n)
    result = audit(frame, AuditSettings(target="y", time="day", search="paper"))
    assert result.data.untested == [Untested("owner", "first", 200)]
    told = "No row of owner = first (200 rows) is a test row: nothing is known of it."
    assert told in " ".join(result.headline)
