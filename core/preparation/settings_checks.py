"""What a person chooses about segments, checked without the table."""

import math
from collections.abc import Iterable
from itertools import pairwise

from ..errors import InputError
from ..messages import is_unwritable
from ..tables.rules.parsing import parse_rule

BINS = 4
"""Bands between quantiles: quartiles, unless others are asked for."""

FEWEST_BINS, MOST_BINS = 2, 100


def check_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Raise :class:`InputError` if a pair is of one column, or named twice."""
    for one, other in pairs:
        if one == other:
            sentence = "column '{column}' is paired with itself; pair it with another"
            raise InputError("pairs.with_itself", sentence, column=one)
    _check_once((" and ".join(f"'{c}'" for c in sorted(pair)) for pair in pairs), "pair")


def check_cuts(cuts: Iterable[tuple[str, tuple[float, ...]]]) -> None:
    """Raise :class:`InputError` if cut points do not ascend, or a column has two lists of them."""
    _check_once((f"'{column}'" for column, _ in cuts), "list of cut points of")
    for column, points in cuts:
        if not points:
            sentence = "'{column}' is given no cut points; give numbers in ascending order"
            raise InputError("cuts.none", sentence, column=column)
        finite = all(map(math.isfinite, points))
        if not (finite and all(low < high for low, high in pairwise(points))):
            raise InputError(
                "cuts.unusable",
                "the cut points of '{column}' are {points}; give {wanted}",
                column=column,
                points=", ".join(f"{point:g}" for point in points),
                wanted="numbers in ascending order" if finite else "finite numbers",
            )


def check_reference(reference: Iterable[tuple[str, str]]) -> None:
    """Raise :class:`InputError` if a variable has two reference groups."""
    _check_once((f"'{variable}'" for variable, _ in reference), "reference group of")


def check_cohorts(cohorts: Iterable[tuple[str, str]]) -> None:
    """Raise :class:`InputError` if a name is empty or given twice, or a rule cannot be read."""
    for name, rule in cohorts:
        if not name.strip():
            sentence = "the cohort '{rule}' has no name; give it one"
            raise InputError("cohort.no_name", sentence, rule=rule)
        if is_unwritable(name):
            sentence = "the cohort's name '{name}' cannot be written as UTF-8; write it anew"
            raise InputError("cohort.unwritable", sentence, name=name)
        try:
            parse_rule(rule)
        except InputError as error:
            sentence = "cohort '{name}': {problem}"
            raise InputError("cohort.rule", sentence, name=name, problem=error) from None
    _check_once((f"'{name}'" for name, _ in cohorts), "cohort")


def _check_once(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            sentence = "the {what} {name} is given twice; give it once"
            raise InputError("option.twice", sentence, what=what, name=name)
        seen.add(name)
