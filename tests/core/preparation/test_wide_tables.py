"""Tables of thousands of columns: every step gives the right values, none is quadratic."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.roles import profile_columns
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit
from evencover.core.tables.reading import parse_table

COLUMNS = 1000


def draw(rows, columns):
    values = np.random.default_rng(8).normal(size=(rows, columns)).round(3)
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(columns)])


@pytest.mark.long
def test_every_column_is_read_and_profiled():
    frame = draw(60, COLUMNS).assign(place=["Ayr", "Bude", "Cobh"] * 20)
    frame = frame.assign(copy=frame["x999"], y=frame["x0"])
    read = parse_table(frame.to_csv(index=False).encode(), "t.csv").frame
    pd.testing.assert_frame_equal(read, frame, check_dtype=False)
    profiles = profile_columns(read, AuditSettings(target="y"))
    reasons = {p.name: p.becomes for p in profiles if p.role == "left out"}
    assert reasons == {"copy": "is a copy of x999", "x0": "is a copy of the label"}


def test_decimal_commas_in_every_column():
    frame = draw(40, COLUMNS // 10)
    read = parse_table(frame.to_csv(index=False, sep=";", decimal=",").encode(), "t.csv").frame
    pd.testing.assert_frame_equal(read, frame)


@pytest.mark.long
def test_a_name_given_twice_among_thousands_is_told():
    header = ",".join([*(f"x{i}" for i in range(4_500)), "x7"])
    with pytest.raises(InputError, match="two columns called 'x7'"):
        parse_table(f"{header}\n{','.join('1' * 4_500)},2\n".encode(), "t.csv")


@pytest.mark.long
def test_an_audit_with_hundreds_of_columns():
    frame = draw(1200, 150)
    noise = np.random.default_rng(9).normal(size=1200) * np.exp(frame["x1"])
    frame = frame.assign(double=2.0 * frame["x3"] + 1.0, y=frame["x0"] + noise)
    result = audit(frame, AuditSettings(target="y", remedies=("none",)))
    assert result.data.encoded_features == [f"x{i}" for i in range(150)]
    assert [(left.column, left.reason) for left in result.data.dropped] == [
        ("double", "is a linear function of x3")
    ]
    assert [row.parameters for row in result.results] == [151] * 2
    assert len({row.variable for row in result.segments}) == 152  # and the label
