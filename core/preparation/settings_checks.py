"""What a person chooses about segments, checked without the table."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ..errors import InputError
from ..messages import is_unwritable, shown
from ..tables.rules.parsing import parse_rule

BINS = 4
"""Bands between quantiles: quartiles, unless others are asked for."""

FEWEST_BINS, MOST_BINS = 2, 100


def check_segment_choices(
    pairs: Sequence[tuple[str, str]],
    bins: int,
    cuts: Sequence[tuple[str, tuple[float, ...]]],
    reference: Sequence[tuple[str, str]],
) -> None:
    """Refuse choices that are unusable whatever the table.

    Raises
    ------
    InputError
        If a pair is of one column or named twice, there are fewer than 2 bins, cut points are no
        ascending numbers, or a variable is given two lists of cut points or two references.
    """
    if not (isinstance(bins, int) and FEWEST_BINS <= bins <= MOST_BINS):
        raise InputError(
            f"bins is {shown(bins)}; give a whole number from {FEWEST_BINS} to {MOST_BINS}"
        )
    for one, other in pairs:
        if one == other:
            raise InputError(f"column '{shown(one)}' is paired with itself; pair it with another")
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
            raise InputError(f"the cohort '{shown(rule)}' has no name; give it one")
        if is_unwritable(name):
            raise InputError(
                f"the cohort's name '{shown(name)}' cannot be written as UTF-8; write it anew"
            )
        try:
            parse_rule(rule)
        except InputError as error:
            raise InputError(f"cohort '{shown(name)}': {error}") from None
    _check_once((f"'{name}'" for name, _ in cohorts), "cohort")


def _check_cuts(column: str, points: Sequence[float]) -> None:
    written = shown(", ".join(f"{point:g}" for point in points))
    if not points:
        raise InputError(
            f"'{shown(column)}' is given no cut points; give numbers in ascending order"
        )
    if not all(map(math.isfinite, points)):
        raise InputError(f"the cut points of '{shown(column)}' are {written}; give finite numbers")
    if not all(low < high for low, high in pairwise(points)):
        raise InputError(
            f"the cut points of '{shown(column)}' are {written}; give numbers in ascending order"
        )


def _check_once(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"the {what} {shown(name)} is given twice; give it once")
        seen.add(name)
