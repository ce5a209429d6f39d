"""Which part each column of a table plays in an audit, and why it may be no use as a feature."""

import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..messages import InputError, Sentence
from ..tables.columns import Column, ColumnKind, check_exists, coded, first_cell
from ..tables.dates import in_doubt, is_date_like, without_century
from ..tables.grammar import check_column_or_rule
from ..tables.number_text import are_codes, common_word, is_number, unit
from ..tables.table import Table, check_not_rounded, names_part, read_as_asked
from ..tables.text_values import USUAL
from .column_names import says_code, says_person, says_role_of_person
from .encoding import encoder_for
from .options import check_called_otherwise
from .proxies import leak_reasons
from .settings import OPTIONS, AuditSettings
from .target import detect_task


@dataclass(frozen=True)
class Roles:
    """The columns by role; ``dropped`` holds those that are none of the first, and why.

    ``group`` is the column whose values keep their rows together, if there is one; ``date_parts``
    are columns made of the dates among features and audit-only columns, to divide rows by.
    """

    target: str
    features: tuple[str, ...]
    audit_only: tuple[str, ...]
    dropped: Mapping[str, str]
    group: str | None = None
    date_parts: tuple[str, ...] = ()

    @property
    def rule_columns(self) -> list[str]:
        """Features, those that are combinations of others too, audit-only columns, date parts.

        Rules do not name values of the column that keeps rows together: each is in one half alone.
        """
        return [*self.features, *self.audit_only, *self.date_parts]

    @property
    def segment_columns(self) -> list[str]:
        """The columns to divide by: those of rules, and the one that keeps rows together."""
        return [*self.rule_columns, *filter(None, [self.group])]


def columns_in_use(names: Sequence[str], settings: AuditSettings) -> list[str]:
    """Return those of a table's columns that an audit looks at, so that no others need be read."""
    _check_names(names, settings)
    features = names if settings.features is None else settings.features
    used = {settings.target, *features, *settings.audit_only, *_structural(settings)}
    used = used - {*settings.drop} | {*settings.numeric, *settings.remedy_columns}
    used |= {*dict(settings.missing_in)}
    return [name for name in names if name in used]


def columns_with_a_role(settings: AuditSettings) -> set[str]:
    """Return the columns of which settings say what they are for, beside how they are read."""
    return _with_a_role(settings) | _structural(settings).keys()


def unknown_columns(names: Sequence[str], settings: AuditSettings) -> list[str]:
    """Return the columns that settings name, and that neither are there nor may be made of them."""
    absent = [column for column in settings.columns_named() if column not in names]
    return [column for column in absent if not names_part(column, names)]


def assign_roles(table: Table, settings: AuditSettings, unread: Sequence[str] = ()) -> Roles:
    """Return the roles of a table's columns; ``unread`` ones are not in it, having no role.

    Raises :class:`InputError` if a named column does not exist or is given two roles.
    """
    _check_names([*table.names, *unread], settings)
    group = () if settings.group is None else (settings.group,)
    check_not_rounded(table, (*group, *settings.categorical))
    structural = _structural(settings)
    others = {settings.target, *structural, *settings.drop, *settings.audit_only}
    named = table.names if settings.features is None else settings.features
    candidates = [column for column in named if column not in others]
    asked_for = {*settings.categorical, *settings.numeric, *(settings.features or ())}
    asked_for |= {*filter(None, [settings.horizon])}
    if settings.horizon is not None and settings.horizon in (settings.target, settings.group):
        other = "the label" if settings.horizon == settings.target else "the group column"
        sentence = "column '{column}' is given as {other} and as the horizon; choose one"
        raise InputError("role.twice", sentence, column=settings.horizon, other=other)
    leaks = leak_reasons(table, candidates, settings.audit_only)
    safe = [column for column in candidates if column not in leaks]
    useless = leaks | _reasons(table, safe, settings.target, asked_for)
    features = tuple(column for column in candidates if column not in useless)
    dropped = dict.fromkeys(settings.drop, "left out as asked") | structural | useless
    return Roles(settings.target, features, settings.audit_only, dropped, settings.group)


def with_audit_only(settings: AuditSettings, names: Sequence[str]) -> AuditSettings:
    """Return settings by which columns are audit only, unless they have another role already."""
    added = tuple(name for name in names if name not in columns_with_a_role(settings))
    return replace(settings, audit_only=(*settings.audit_only, *added))


def _reasons(
    table: Table, columns: list[str], target: str, asked_for: Container[str]
) -> dict[str, str]:
    reasons: dict[str, str] = {}
    first_with: dict[int, str] = {}
    if table[target].holds != "unsupported":
        first_with[_fingerprint(table[target])] = target
    for column in columns:
        reason = reason_to_leave_out(table[column], asked_for=column in asked_for)
        if reason is None:
            original = first_with.setdefault(_fingerprint(table[column]), column)
            if original != column:
                reason = f"is a copy of {'the label' if original == target else original}"
        if reason is not None:
            reasons[column] = reason
    return reasons


def _fingerprint(column: Column) -> int:
    if pd.api.types.is_numeric_dtype(column.series.dtype):  # 1, 1.0 and True are alike
        return hash(column.numbers.tobytes())
    return hash(pd.util.hash_pandas_object(column.series, index=False).to_numpy().tobytes())


_SHAPING = {
    "split_column": ("the split column", "says the split"),
    "group": ("the group column", "says which rows stay together"),
    "time": ("the time column", "says the order in time"),
    "weight": ("the weight", "says how often a row counts"),
}
"""Options that name a column with a role of its own, and how it is called and explained."""


def _structural(settings: AuditSettings) -> dict[str, str]:
    """Return the columns that shape the split or the table, or hold outputs, and how."""
    shaping = {getattr(settings, field): reason for field, (_, reason) in _SHAPING.items()}
    if settings.on not in _with_a_role(settings):
        shaping = {settings.on: "is the key of the second table"} | shaping
    named = {column: reason for column, reason in shaping.items() if column is not None}
    return named | settings.output_columns


def _with_a_role(settings: AuditSettings) -> set[str]:
    named = settings.features or ()
    return {settings.target, *named, *settings.drop, *settings.audit_only}


def _check_names(names: Sequence[str], settings: AuditSettings) -> None:
    given = {
        "the label": (settings.target,),
        "a feature": settings.features or (),
        "left out": settings.drop,
        "audit-only": settings.audit_only,
    }
    given |= {role: (getattr(settings, field),) for field, (role, _) in _SHAPING.items()}
    given |= {OPTIONS[field].name: columns for field, columns in settings.by_output().items()}
    role_of: dict[str, str] = {}
    for role, columns in given.items():
        for column in (column for column in columns if column is not None):
            check_exists(names, column)
            other = role_of.get(column)
            if other is not None:
                sentence = "column '{column}' is given as {other} and as {role}; choose one"
                raise InputError("role.twice", sentence, column=column, other=other, role=role)
            role_of[column] = role
    check_called_otherwise(settings.all_cohorts, names)
    for column in unknown_columns(names, settings):
        check = check_column_or_rule if column in settings.remedy_columns else check_exists
        check(names, column)
    allow = {} if settings.use_protected else {"audit-only": "allow it by the option use-protected"}
    refused = {"the label": "give it another role", **allow}
    for column in settings.remedy_columns:
        role = role_of.get(column, "")
        if role in refused:
            sentence = (
                "column '{column}' is {role}, by which no remedy may divide the rows; choose "
                "another, or {mend}"
            )
            about = {"column": column, "role": role, "mend": refused[role]}
            raise InputError("role.of_remedy", sentence, **about)
    for column in settings.categorical:
        check_exists(names, column)
        if column in settings.numeric:
            sentence = "column '{column}' is given as categorical and as numeric; choose one"
            raise InputError("role.read_twice", sentence, column=column)
        if column == settings.target:
            sentence = (
                "column '{column}' is the label and given as categorical; use the task "
                "classification to predict it as classes"
            )
            raise InputError("role.categorical_label", sentence, column=column)


Role = Literal["label", "feature", "audit only", "left out"]


@dataclass(frozen=True)
class ColumnProfile:
    """What a person needs to know of a column to judge its role, or to give it another."""

    name: str
    role: Role
    kind: ColumnKind  # what it is read as
    distinct: int  # number of different values, missing ones not counted
    missing_share: float
    becomes: str
    """How a feature is encoded by all rows with a label (an audit learns it from training rows),
    what a label is predicted as, why a column is left out, or why an audit will refuse it; empty
    for the others."""


def profile_columns(frame: pd.DataFrame | Table, settings: AuditSettings) -> list[ColumnProfile]:
    """Return the profile of every column of a table, read as the settings say."""
    table, _ = read_as_asked(frame, *settings.readings)
    check_exists(table.names, settings.target)
    no_label = table[settings.target].missing.all()
    labelled = table if no_label else table.labelled(settings.target)  # by them an audit judges
    assigned = assign_roles(labelled, settings)
    roles: dict[str, Role] = {settings.target: "label"}
    roles |= dict.fromkeys(settings.audit_only, "audit only")
    roles |= dict.fromkeys(assigned.features, "feature")
    profiles = []
    for name in table.names:
        column, kind, role = table[name], labelled[name].kind, roles.get(name, "left out")
        missing = float(column.missing.mean())
        texts = isinstance(column.series.dtype, pd.StringDtype)
        values = column.series.str.strip() if texts else column.series
        # lists and the like cannot be told apart cheaply
        distinct = values.count() if kind == "unsupported" else values.nunique()
        becomes = assigned.dropped.get(name, "not among the features named")
        if role == "label":
            becomes = _predicted_as(labelled[name], settings)
        elif role != "left out":
            role, becomes = _becomes(labelled[name], role)
        profiles.append(ColumnProfile(name, role, kind, int(distinct), missing, becomes))
    return profiles


def _predicted_as(label: Column, settings: AuditSettings) -> str:
    if label.holds in ("date", "unsupported") or label.missing.all():
        return ""
    task = settings.outputs.task if settings.outputs else settings.task
    if (detect_task(label) if task == "auto" else task) == "regression":
        return "a number: predicted by an interval"
    return f"{label.levels.nunique()} classes: predicted by a set of them"


def _becomes(column: Column, role: Role) -> tuple[Role, str]:
    try:
        column.check_finite()
    except InputError as error:
        return role, str(error)
    if role != "feature":
        return role, ""
    encoder = encoder_for(column)
    return role if encoder.names else "left out", encoder.describe()


_ID_NAME = re.compile(
    r"(.*[\W_])?(?i:id|ids|uid|uuid|guid|key|index|idx|row|column \d+)|.*[a-z](Id|ID|Key)"
)
_ROW_NAME = re.compile(r"(?i:unnamed: \d+|row[ ._]?(names?|n(um(ber)?|o)?)|column 1)|X(\.\d+)?")
"""As programs call what numbers the rows, of which some may be gone."""

_GAPS = 0.05  # of the rows
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
IDENTIFIER = "is an identifier: nearly every row has its own value"
PERSONS = "holds the names of persons, it seems; to use it all the same, have it read as codes"
_NAME = re.compile(r"[^\W\d_]+([ ,.'’-]+[^\W\d_]+)*[.,]?")
_NAME_PART = r"(?:[^\W\d_a-z][^\W\d_]*\.?|de|da|di|van|von|den|der|la|le|bin|al)"
_FULL_NAME = re.compile(rf"(?:{_NAME_PART}(?:, | |-|['’](?=\w)|$)){{2,6}}")
_CODE = re.compile(r"[A-Za-z]{1,2}\d[\w.-]*")
CODES = "column.codes"  # the sentence's code for texts that look like codes, nearly all digits
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
    gaps, is_named = np.ptp(values) - (n - 1), _ID_NAME.fullmatch(column.name)
    numbers_rows = bool(0 <= gaps <= _GAPS * n)
    if _ROW_NAME.fullmatch(column.name):
        numbers_rows = bool((np.diff(values) > 0).all())
    if not (numbers_rows or is_named) or (values != np.round(values)).any():  # as NaN is, too
        return None
    distinct = column.series.nunique()
    if numbers_rows and distinct == n:
        # not those of rows without a label, which are gone
        has_gaps = np.ptp(values) > np.ptp(column.series.index)
        return "numbers the rows, with gaps" if has_gaps else "numbers the rows"
    return IDENTIFIER if is_named and distinct > max(_NEARLY_ALL * n, _FEW_VALUES) else None


def _reason_for_date(column: Column) -> str | None:
    if in_doubt(column.series):
        return "holds dates of which day and month cannot be told apart; write them as 2014-10-13"
    short = without_century(column.series)
    if short.any():
        sentence = (
            "holds '{value}' in row {row}, with no year of four digits; write it as 2014-10-13"
        )
        return Sentence("column.two_digits", sentence, **first_cell(column.series, short))
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
            codes = odd[[not USUAL.has(value) for value in odd]]  # as ? among them is none
            several = len(codes) > 1 or (len(codes) and says_code(str(values.name)))
            # one alone may be a slip
            if what == "numbers" and several and all(map(_CODE.fullmatch, codes)):
                return Sentence(CODES, _CODES, **first_cell(codes))
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
