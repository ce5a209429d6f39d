"""Test rows one by one, for the report if they are asked for."""

from evencover.core import AuditResult, InputError
from evencover.core.exploration import examples

from ...wording.predictors import predictors
from ...wording.tables import examples_table
from .cells import Table, make_table

MOST = 200


def check_examples(number: int) -> None:
    """Raise :class:`InputError` if a report cannot show so many test rows."""
    if not 0 <= number <= MOST:
        raise InputError(
            "examples.number",
            "examples is {number}; give a whole number from 0 to {most}",
            number=number,
            most=MOST,
        )


def example_table(result: AuditResult, number: int) -> Table | None:
    """Return so many test rows: missed before, lowest p(x) before first; None if none are asked.

    Where fewer are missed, rows that are not follow in the same order.

    Raises
    ------
    InputError
        If the result holds no rows, or the number is none that can be shown.
    """
    check_examples(number)
    if number == 0:
        return None
    if result.objects is None:
        raise InputError(
            "result.no_rows", "the result holds no test rows; run the audit again to show some"
        )
    found = examples(result.objects, limit=number)
    spec = examples_table(result.objects, found, predictors(result), with_values=True)
    return make_table(spec, result)
