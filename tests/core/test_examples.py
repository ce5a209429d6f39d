"""Examples in docstrings are right."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "module",
    [
        *("report.audit", "report.result", "report.gate", "preparation.settings"),
        *("conformal.predictor", "conformal.label_measures"),
        *("remedies.ifacm.ifacm", "remedies.quantile"),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in (
                *("experiment.comparison", "conformal.interval_measures"),
                *("remedies.mondrian", "remedies.auto"),
            )
        ),
    ],
)
def test_examples_in_docstrings_are_right(module):
    found = doctest.testmod(import_module(f"evencover.core.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
