"""Columns that are linear functions of others: as many stay as the rank, and makers are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evencover.core.rows.dependent_columns import dependent_columns, independent_columns
from evencover.core.threads import single_blas_thread

MATRICES = arrays(
    np.int8, st.tuples(st.integers(3, 9), st.integers(1, 7)), elements=st.integers(-2, 2)
)


def test_the_kc_columns():
    rng = np.random.default_rng(0)
    above, basement = rng.integers(0, 99, 50), rng.integers(0, 99, 50)
    X = np.column_stack([above + basement, rng.normal(size=50), above, basement])
    assert dependent_columns(X.astype(float)) == {3: [0, 2]}


def test_a_constant_depends_on_the_intercept_alone_and_the_earlier_columns_stay():
    X = np.column_stack([np.full(10, 0.1), np.arange(10.0)])
    assert dependent_columns(X) == {0: []}
    x = np.random.default_rng(0).normal(size=20)
    assert independent_columns(np.column_stack([x, 2 * x, 3 * x + 1])) == [0]


def test_many_rows_are_looked_at_block_by_block_and_there_may_be_few():
    x, z = np.random.default_rng(0).normal(size=(2, 5000))
    late = (np.arange(5000) >= 4990).astype(float)  # constant in most blocks
    X = np.column_stack([x, late, z, 2.0 * x - z, late + z])
    assert dependent_columns(X) == {3: [0, 2], 4: [1, 2]}
    X = np.random.default_rng(0).normal(size=(4, 9))
    assert independent_columns(X) == [0, 1, 2]


@pytest.mark.parametrize("new", [1e-3, 1e-6])
def test_nearly_equal_columns_are_two(new):
    x, z = np.random.default_rng(0).normal(size=(2, 50))
    assert independent_columns(np.column_stack([x, x + new * z])) == [0, 1]


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_do_not_matter(scale):
    x, z = np.random.default_rng(0).normal(size=(2, 50))
    X = np.column_stack([x, scale * z, x + z])
    assert dependent_columns(X) == {2: [0, 1]}


@given(MATRICES)
def test_as_many_stay_as_the_rank(X):
    X = X.astype(float)
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), X]))
    assert len(independent_columns(X)) == rank - 1


@given(MATRICES)
def test_the_named_makers_make_up_the_column(X):
    X = X.astype(float)
    for j, makers in dependent_columns(X).items():
        basis = np.column_stack([np.ones(len(X)), X[:, makers]])
        weights = np.linalg.lstsq(basis, X[:, j], rcond=None)[0]
        assert basis @ weights == pytest.approx(X[:, j], abs=1e-7)
        assert np.all(np.abs(weights[1:]) > 1e-9)


def draw(rows, columns):
    return np.random.default_rng(8).normal(size=(rows, columns)).round(3)


def test_combinations_among_many_columns():
    X = draw(900, 700)
    X[:, 300] = 2.0 * X[:, 5] - 3.0 * X[:, 9] + 1.0
    X[:, 301] = 4.0
    X[:, 699] = X[:, 300] + X[:, 698]
    with single_blas_thread():
        assert dependent_columns(X) == {300: [5, 9], 301: [], 699: [5, 9, 698]}
        assert independent_columns(X) == [j for j in range(700) if j not in (300, 301, 699)]


def test_fewer_rows_than_columns_determine_as_many_columns_less_one():
    X = draw(200, 1000)
    X[:, 1] = X[:, 0]
    assert independent_columns(X) == [0, *range(2, 200)]
