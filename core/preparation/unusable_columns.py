"""Why a column may be no use as a feature."""

import re
import sys
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..messages import Sentence
from ..tables.columns import Column, coded, first_cell
from ..tables.dates import in_doubt, is_date_like, lacks_century
from ..tables.number_text import are_codes, common_word, is_number, unit
from .column_names import says_code, says_person, says_role_of_person

_ID_NAME = re.compile(
    r"(.*[\W_])?(?i:id|ids|uid|uuid|guid|key|index|idx|row|column \d+)|.*[a-z](Id|ID|Key)"
)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
IDENTIFIER = "is an identifier: nearly every row has its own value"
PERSONS = "holds the names of persons, it seems; to use it all the same, have it read as codes"
_NAME = re.compile(r"[^\W\d_]+([ ,.'’-]+[^\W\d_]+)*[.,]?")
_NAME_PART = r"(?:[^\W\d_a-z][^\W\d_]*\.?|de|da|di|van|von|den|der|la|le|bin|al)"
_FULL_NAME = re.compile(rf"(?:{_NAME_PART}(?:, | |-|['’](?=\w)|$)){{2,6}}")
_CODE = re.compile(r"[A-Za-z]{1,2}\d[\w.-]*")
CODES = "column.codes"
"""The sentence's code for texts that look like codes, nearly all of digits alone."""

_NEARLY_ALL = 0.9
_FEW_VALUES = 20
_SENTENCE_LENGTH = 20
_FIRST_ROWS = 1000
_CODES = (
    "looks like codes, most of which are numbers, but not '{value}' in row {row}; have it read as "
    "codes, or as numbers"
)
_UNITS = (
    "holds '{value}' in row {row} but '{other}' in row {other_row}; write all numbers with the "
    "same sign, or none"
)


def reason_to_leave_out(column: Column, *, asked_for: bool = False) -> str | None:
    """Say why a column is no use as a feature; None if it is.

    A column that a person asked for is only left out where it cannot be encoded at all.
    """
    if column.missing.all():
        return "has no values"
    if column.holds == "unsupported":
        return _reason_for_mixture(column.series)
    if column.holds == "date":
        return _reason_for_date(column)
    # the first rows nearly always say so, and at once
    if all(len(rows.unique()) == 1 for rows in (column.series.head(_FIRST_ROWS), column.series)):
        return "is constant"
    if column.holds == "number":
        return _reason_for_number(column, asked_for=asked_for)
    return None if asked_for else _reason_for_text(column.series)


def _reason_for_mixture(column: pd.Series) -> str:
    is_text = column.map(lambda value: isinstance(value, str)).astype(bool)
    others = column[~is_text & column.notna()]
    if is_text.any() and all(isinstance(value, int | float) for value in others):
        sentence = (
            "mixes numbers with text: it holds '{value}' in row {row}; mend that value, or make "
            "all text"
        )
        return Sentence("column.mixture", sentence, **first_cell(column, is_text.to_numpy()))
    return "holds values that are neither numbers nor text"


def _reason_for_number(column: Column, *, asked_for: bool) -> str | None:
    whole = (
        [v for v in column.series if isinstance(v, int)] if column.series.dtype == object else ()
    )
    if any(abs(value) > sys.float_info.max for value in whole):
        return "holds a whole number of more than 300 digits; store it as text"
    if asked_for:
        return None
    values, n = column.numbers, len(column)
    numbers_rows, is_named = np.ptp(values) == n - 1, _ID_NAME.fullmatch(column.name)
    if not (numbers_rows or is_named) or (values != np.round(values)).any():  # as NaN is, too
        return None
    distinct = column.series.nunique()
    if numbers_rows and distinct == n:
        return "numbers the rows"
    return IDENTIFIER if is_named and distinct > max(_NEARLY_ALL * n, _FEW_VALUES) else None


def _reason_for_date(column: Column) -> str | None:
    if in_doubt(column.series):
        return "holds dates of which day and month cannot be told apart; write them as 2014-10-13"
    if lacks_century(column.series):
        return "holds dates with years of two digits; write them as 2014-10-13"
    no_date = column.dates.isna().to_numpy() & ~column.missing
    if no_date.any():
        sentence = "holds '{value}' in row {row}, which is no date; mend that value"
        return Sentence("column.no_date", sentence, **first_cell(column.series, no_date))
    return "is constant" if len(column.dates.unique()) == 1 else None


def _reason_for_text(column: pd.Series) -> str | None:
    codes, different = coded(column)
    # each value is judged once, however many rows have it
    rows = pd.Series(codes[codes >= 0], index=column.index[codes >= 0])
    counts = np.bincount(rows)
    # pandas' own text is slow to loop over
    values = pd.Series(different, index=rows.drop_duplicates().index, dtype=object)
    reason = _reason_for_texts_of_numbers(values, counts)
    if reason is None and len(values) > _FEW_VALUES:
        name = str(column.name)
        shape = _NAME if says_person(name) else _FULL_NAME if says_role_of_person(name) else None
        if shape and _mean(map(bool, map(shape.fullmatch, different)), counts) > _NEARLY_ALL:
            reason = PERSONS
    if reason is not None or len(values) <= max(_FEW_VALUES, len(rows) / 2):
        return reason
    lengths, spaced = map(len, different), (" " in value for value in different)
    if _mean(lengths, counts) > _SENTENCE_LENGTH and _mean(spaced, counts) > _NEARLY_ALL:
        return "is free text"
    if len(values) > _NEARLY_ALL * len(rows):
        return IDENTIFIER
    return None


def _mean(of_values: Iterable[int], counts: NDArray[np.int64]) -> float:
    return int(counts @ np.fromiter(of_values, dtype=np.int64)) / int(counts.sum())


def _reason_for_texts_of_numbers(values: pd.Series, counts: NDArray[np.int64]) -> str | None:
    """Say what keeps texts from being numbers, or dates, if that is what they nearly are.

    The values are the different texts, each with its first row; the counts are of their rows.
    """
    numbers, dates = (_exceptions(values, counts, is_one) for is_one in (is_number, is_date_like))
    for exceptions, what in ((numbers, "numbers"), (dates, "dates")):
        if exceptions and not are_codes(values.drop(values.index[exceptions])):
            odd = values.iloc[exceptions]
            several = len(odd) > 1 or says_code(str(values.name))  # one alone may be a slip
            if what == "numbers" and several and all(map(_CODE.fullmatch, odd)):
                return Sentence(CODES, _CODES, **first_cell(odd))
            sentence = "is nearly all {what} but holds '{value}' in row {row}; mend that value"
            sentence += ", or have the column read as numbers" * (what == "numbers")
            return Sentence("column.nearly_all", sentence, what=what, **first_cell(odd))
    if numbers == [] and len((units := values.map(unit)).unique()) > 1:
        first, other = (first_cell(values, (units == u).to_numpy()) for u in units.unique()[:2])
        about = {**first, "other": other["value"], "other_row": other["row"]}
        return Sentence("column.units", _UNITS, **about)
    if _exceptions(values, counts, _DECIMAL_COMMA.fullmatch) is not None:
        return "holds numbers with a decimal comma; write them with a point"
    word = common_word(values) if len(values) > _FEW_VALUES else None
    if word is not None:
        return f"holds numbers with '{word}' behind them; write the numbers alone"
    return None


def _exceptions(
    values: pd.Series, counts: NDArray[np.int64], is_one: Callable[[str], object]
) -> list[int] | None:
    """Return the positions of the values that are no such ones; None unless nearly all are."""
    n, odd_rows = int(counts.sum()), 0
    exceptions: list[int] = []
    for position, (value, count) in enumerate(zip(values.tolist(), counts.tolist(), strict=True)):
        if not is_one(value):
            exceptions.append(position)
            odd_rows += count
            if (n - odd_rows) / n < _NEARLY_ALL:  # as of most columns after a tenth of the values
                return None
    return exceptions
