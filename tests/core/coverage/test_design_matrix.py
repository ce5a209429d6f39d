"""The stored objects: every product equals that with the plain matrix."""

import numpy as np
import pytest

from evencover.core.coverage.estimators import design_matrix as design_module
from evencover.core.coverage.estimators.design_matrix import Design

N = 1000


def draw(indicators):
    """Three numbers, then indicators standardised by some mean and deviation or other."""
    rng = np.random.default_rng(indicators)
    marks = rng.uniform(size=(N, indicators)) < np.linspace(0.01, 0.15, indicators)
    scaled = (marks - rng.uniform(size=indicators)) / rng.uniform(0.05, 2.0, size=indicators)
    return rng.permutation(np.column_stack([rng.normal(size=(N, 3)), scaled]), axis=1)


@pytest.fixture(params=[0, 2, 20], ids=["numbers", "few indicators", "many indicators"])
def X(request, monkeypatch):  # noqa: N802 - the field's name for a design matrix
    monkeypatch.setattr(design_module, "BLOCK_ROWS", 300)  # the last block is shorter
    return draw(request.param)


@pytest.fixture
def beta(X):
    return np.random.default_rng(1).normal(size=1 + X.shape[1])


def plain(design):
    """The matrix that the design stands for, column by column of its own form."""
    units = np.eye(design.size)
    return np.column_stack(
        [np.concatenate([block.linear(unit) for block in design.blocks]) for unit in units]
    )


def test_linear_predictors(X, beta):
    design = Design(X)
    intercept, slopes = design.coefficients(beta)
    linear = np.concatenate([block.linear(beta) for block in design.blocks])
    np.testing.assert_allclose(linear, X @ slopes + intercept, atol=1e-11)
    rows = np.array([0, 299, 300, 999])
    np.testing.assert_allclose(design.linear(beta, rows), linear[rows], atol=1e-11)


def test_sums_and_products(X):
    design = Design(X)
    matrix, weights = plain(design), np.random.default_rng(2).uniform(size=N)
    sums, products = np.zeros(design.size), np.zeros((design.size, design.size))
    for block in design.blocks:
        block.add_sums(weights[block.rows], sums)
        products += block.products(weights[block.rows])
    np.testing.assert_allclose(sums, weights @ matrix, atol=1e-9)
    rows = np.array([0, 299, 300, 999])
    some = design.sums(rows, weights[rows])
    np.testing.assert_allclose(some, weights[rows] @ matrix[rows], atol=1e-9)
    np.testing.assert_allclose(products, matrix.T @ (weights[:, None] * matrix), atol=1e-7)


def test_only_many_indicators_are_stored_sparsely(X):
    stored = [block.sparse is not None for block in Design(X).blocks]
    assert stored == [X.shape[1] == 23] * 4


def test_rare_columns_are_those_of_the_rows(X):
    design = Design(X)
    matrix = plain(design)
    for column in design.rare_columns(np.arange(N)):
        np.testing.assert_array_equal(np.flatnonzero(matrix[:, column.position]), column.rows)
        np.testing.assert_allclose(matrix[column.rows, column.position], column.values)
    touched = [column.position for column in design.rare_columns(np.array([5, 17]))]
    expected = [j for j in range(1 + 3, design.size) if matrix[[5, 17], j].any()]
    assert touched == (expected if X.shape[1] == 23 else [])


def test_numbers_are_not_copied():
    X = draw(0)
    assert all(np.shares_memory(block.dense, X) for block in Design(X).blocks)
