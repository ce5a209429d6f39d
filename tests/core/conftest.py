"""Small data sets on which the coverage of the base measures depends on the object."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

# the same examples in every run, and no clock: a busy machine is not a defect
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


class Examples(NamedTuple):
    X: NDArray[np.float64]
    y: NDArray


def draw_regression(n: int, seed: int) -> Examples:
    """Noise with heavier tails for a larger first feature, wider for a larger second one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    tail = 0.5 + 0.4 * np.tanh(X[:, 0])
    noise = np.sign(rng.normal(size=n)) * rng.exponential(size=n) ** (2.0 * tail)
    return Examples(X, X @ [1.0, -0.5, 0.25, 0.0] + 0.5 * np.exp(0.4 * X[:, 1]) * noise)


def draw_classification(n: int, seed: int) -> Examples:
    """Four labels whose log-odds are not linear in the features, as the model takes them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    centres = np.array([[1.0, 0, 0, 0], [-1.0, 0.5, 0, 0], [0, -1.0, 1.0, 0], [0, 0.5, -1.0, 0]])
    odds = 2.0 * (X @ centres.T) * np.exp(0.8 * X[:, :1])
    return Examples(X, np.argmax(odds + rng.gumbel(size=odds.shape), axis=1))


@pytest.fixture(scope="session")
def regression():
    return draw_regression


@pytest.fixture(scope="session")
def classification():
    return draw_classification
