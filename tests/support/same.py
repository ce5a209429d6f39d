"""Results as JSON: apart from the clock, and the same but for rounding."""

import pytest

from evencover.core.report.result import to_json


def without_times(plain):
    """Leave the seconds out, of the whole and of each layer."""
    layers = [{k: v for k, v in row.items() if k != "seconds"} for row in plain["iterations"]]
    return {k: v for k, v in plain.items() if k != "seconds"} | {"iterations": layers}


def timeless(result):
    """Return a result as JSON, without the seconds."""
    return without_times(to_json(result))


def assert_same(one, other, path=""):
    """See that two are alike at every place, floats to ten digits."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            assert_same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for place, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{path}[{place}]")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-10, abs=1e-10), path
    else:
        assert one == other, path
