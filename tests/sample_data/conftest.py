import numpy as np
import pytest


@pytest.fixture
def agrees_with_redraws():
    """A check of claimed probabilities, shape (n,), against labels drawn anew many times.

    ``held(rng, times)`` says which of so many draws lie in the sets, shape (times, n).
    """

    def check(claimed, held, times=2000):
        share = held(np.random.default_rng(7), times).mean(axis=0)
        doubtful = (claimed > 0.01) & (claimed < 0.99)
        assert doubtful.mean() > 0.5
        error = np.sqrt(claimed * (1.0 - claimed) / times)[doubtful]
        z = (share - claimed)[doubtful] / error
        assert np.abs(z).max() < 4.5
        assert abs(z.mean()) < 4.0 / np.sqrt(len(z))
        assert np.mean(z**2) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / len(z)))

    return check
