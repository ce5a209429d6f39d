"""Rows that tests of several kinds of findings look at."""

import pytest

from evencover.core.segments.by_audit_only import AuditOnlyRow


@pytest.fixture(scope="session")
def audit_only_row():
    """Make a row of one audit-only column, of a predictor and with a p-value."""

    def make(predictor, p_value, column="race"):
        return AuditOnlyRow(
            column=column,
            joint=False,
            predictor=predictor,
            dcv=0.05,
            dcv_floor=0.01,
            dcv_spread_floor=0.01,
            dcv_corrected=0.048,
            dcv_corrected_low=0.03,
            dcv_corrected_high=0.06,
            p_value=p_value,
            parameters=2,
            converged=True,
            dcv_formula="good",
        )

    return make
