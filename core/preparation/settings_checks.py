"""What a person chooses about segments, checked without the table."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ..errors import InputError
from ..messages import is_unwritable
from ..tables.rules.parsing import parse_rule

BINS = 4
"""Bands between quantiles: quartiles, unless others are asked for."""

FEWEST_BINS, MOST_BINS = 2, 100


def check_segment_choices(
    pairs: Sequence[tuple[str, str]],
    cuts: Sequence[tuple[str, tuple[float, ...]]],
    reference: Sequence[tuple[str, str]],
) -> None:
    """Refuse choices that are unusable whatever the table.

    Raises
    ------
    InputError
        If a pair is of one column or named twice, cut points are no ascending numbers, or a
        variable is given two lists of cut points or two references.
    """
    for one, other in pairs:
        if one == other:
            raise InputError(
                "pairs.with_itself",
                "column '{column}' is paired with itself; pair it with another",
                column=one,
            )
    _check_once((" and ".join(f"'{c}'" for c in sorted(pair)) for pair in pairs), "pair")
    _check_once((f"'{column}'" for column, _ in cuts), "list of cut points of")
    _check_once((f"'{variable}'" for variable, _ in reference), "reference group of")
    for column, points in cuts:
        _check_cuts(column, points)


def check_cohorts(cohorts: Sequence[tuple[str, str]]) -> None:
    """Refuse cohorts, each a name and a rule, that are unusable whatever the table.

    Raises
    ------
    InputError
        If a name is empty or given twice, or a rule cannot be read.
    """
    for name, rule in cohorts:
        if not name.strip():
            raise InputError(
                "cohort.no_name", "the cohort '{rule}' has no name; give it one", rule=rule
            )
        if is_unwritable(name):
            raise InputError(
                "cohort.unwritable",
                "the cohort's name '{name}' cannot be written as UTF-8; write it anew",
                name=name,
            )
        try:
            parse_rule(rule)
        except InputError as error:
            raise InputError(
                "cohort.rule", "cohort '{name}': {problem}", name=name, problem=error
            ) from None
    _check_once((f"'{name}'" for name, _ in cohorts), "cohort")


def _check_cuts(column: str, points: Sequence[float]) -> None:
    if not points:
        raise InputError(
            "cuts.none",
            "'{column}' is given no cut points; give numbers in ascending order",
            column=column,
        )
    finite = all(map(math.isfinite, points))
    if not (finite and all(low < high for low, high in pairwise(points))):
        raise InputError(
            "cuts.unusable",
            "the cut points of '{column}' are {points}; give {wanted}",
            column=column,
            points=", ".join(f"{point:g}" for point in points),
            wanted="numbers in ascending order" if finite else "finite numbers",
        )


def _check_once(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                "option.twice", f"the {what} {{name}} is given twice; give it once", name=name
            )
        seen.add(name)
