"""What an analyst may want to choose otherwise, each with the change that does it.

A new hint is one function in ``FINDERS``; command line and Setup make its option and its button of
its changes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import FloatArray
from ..conformal.measures import Task
from ..messages import InputError, Names, Passage, Sentence, first_of, in_quotes
from ..tables.columns import Column, coded
from ..tables.table import Table, read_as_asked
from .column_names import protected_attributes, says_code, says_identifier, says_somebody
from .encoding import RARE_ONLY, NumberEncoder, is_rare
from .guessed_outputs import columns_of, guess_outputs
from .options import COLUMN_LIST, OUTPUT_WAYS
from .proxies import evenly_spaced, proxies, weighted_sum
from .roles import CODES, IDENTIFIER, PERSONS, ColumnProfile
from .settings import OPTIONS, AuditSettings
from .target import detect_task

_FEW_VALUES = 20
_REPEATING = 0.01  # of rows: with fewer, rows of one value are too few to change a figure
_MOST_ROWS = 0.5
_SKEWED = 0.25
_EVENER = 2 / 3  # so skewed, at most, the logarithms are beside the label itself
_FEW_ZEROS = 0.05
_TOLD_ALONE = 0.995  # of the label's variance, or of the errors of always guessing the commonest
_CELLS = 4_000_000
_FEWEST_ROWS = 100
_FEWEST_OTHERS = 20  # rows of other values than the commonest: fewer may be told by chance
_ADVICE = "audit only, {they} would be kept out of {all}, and coverage still be shown by {them}"
_PROTECTED = f"{{users}} {{columns}}, which by name may be protected ({{attributes}}); {_ADVICE}."
_PROXY = (
    "{users} {columns}, which alone tell{s} the audit-only column '{hidden}' almost perfectly "
    f"({{percent:.0f}} % of it); {_ADVICE}."
)
_GROUP = (
    "{columns} looks like an identifier that repeats: {values} values in {rows} rows. Rows of one "
    "value may be alike: split by group, all of them are in one set, and coverage is that for "
    "values not seen in training."
)
_CODE = (
    "{columns} look{s} like codes, or parts of a day or year, rather than amounts; read as codes, "
    "each value with rows enough is told apart."
)
_SKEW = (
    "Label {columns} is positive and skewed to the right: its logarithm is less so, and intervals "
    "would be wider where values are large."
)
_SKEW_ZEROS = (
    "Label {columns} is skewed to the right, and its logarithm would be less so, but zeros have "
    "none (rows with 0: {zeros}): without these rows, it could be modelled."
)
_COPY = (
    "{columns} alone tell{s} label '{label}' almost perfectly; if {they} {are} not known before "
    "the label is, leave {them} out."
)
_SUM = (
    "Label '{label}' is almost exactly a sum of features, {label} = {formula}; if {they} {are} not "
    "known before the label is, leave {them} out."
)
_OUTPUTS = "These columns look like what a model of your own said: {columns}, to be audited {how}."
_OUTPUTS_BESIDE = (
    "{columns} look{s} like what your model said, too; unless coverage is to be seen by {them}, "
    "leave {them} out."
)
_OF_ONE = {"s": "s", "are": "is", "they": "it", "them": "it"}
_OF_SEVERAL = {"s": "", "are": "are", "they": "they", "them": "them"}
_ROLES = ("features", "drop", "audit_only")
_PERHAPS_IDS = {IDENTIFIER, PERSONS, RARE_ONLY}
"""Reasons why a column is no feature that may still say which rows belong together."""


@dataclass(frozen=True)
class Hint:
    """What was seen in which columns, and the change that mends it, if one option does."""

    kind: str
    columns: tuple[str, ...]
    sentence: Sentence
    changes: Mapping[str, Any] | None
    """Fields of :class:`AuditSettings`, and what they become; of a list, the columns added."""


def changed(settings: AuditSettings, changes: Mapping[str, Any]) -> AuditSettings:
    """Return the settings with changes as of a hint; their columns lose other roles they have.

    What has no meaning beside them is as if it were not given.
    """
    columns = {name for field, v in changes.items() for name in OPTIONS[field].kind.columns(v)}
    others = ("drop", "numeric") if "categorical" in changes else _ROLES
    new: dict[str, Any] = {
        role: tuple(name for name in given if name not in columns)
        for role in others
        if (given := getattr(settings, role)) is not None
    }
    for field, value in changes.items():
        is_list = OPTIONS[field].kind is COLUMN_LIST
        before = new.get(field, getattr(settings, field)) if is_list else ()
        new[field] = tuple(dict.fromkeys((*before, *value))) if is_list else value
    ways = (way for way in OUTPUT_WAYS if changes.keys() & {*way.fields})
    idle = [*chain(*(way.idle for way in ways)), *(("repeats",) if "time" in changes else ())]
    return replace(settings, **{field: OPTIONS[field].default for field in idle} | new)


@dataclass(frozen=True, eq=False)
class TableWithRoles:
    """What finders look at: the rows with a label, and what becomes of the columns."""

    table: Table
    settings: AuditSettings
    asked: Sequence[str]  # the features
    left_out: Mapping[str, str]  # columns that are no features, and why

    @cached_property
    def features(self) -> list[str]:
        """The features that can be computed with: no number is infinite or absurd."""
        return [name for name in self.asked if _is_computable(self.table[name])]

    @property
    def label(self) -> Column:
        """The label's column."""
        return self.table[self.settings.target]

    @cached_property
    def task(self) -> Task:
        """What the label is predicted as."""
        task = self.settings.task
        return detect_task(self.label) if task == "auto" else task

    def counts(self, name: str) -> pd.Series:
        """Return how many rows each value of a column has."""
        column = self.table[name]
        if column.holds == "unsupported":
            return pd.Series(dtype=int)
        codes, values = coded(column.series)
        return pd.Series(np.bincount(codes[codes >= 0], minlength=len(values)), index=values)


def hints_before(
    frame: pd.DataFrame | Table, settings: AuditSettings, profiles: Sequence[ColumnProfile]
) -> list[Hint]:
    """Return the hints before an audit of a table whose columns have these profiles.

    Raises :class:`InputError` if a column cannot be read as asked for.
    """
    table, _ = read_as_asked(frame, settings.numeric, settings.categorical)
    if table[settings.target].missing.all():
        return []
    features = [profile.name for profile in profiles if profile.role == "feature"]
    left_out = {p.name: p.becomes for p in profiles if p.role == "left out"}
    return find_hints(table.labelled(settings.target), settings, features, left_out)


def find_hints(
    table: Table, settings: AuditSettings, features: Sequence[str], left_out: Mapping[str, str]
) -> list[Hint]:
    """Return the hints of a table whose rows have a label, read as the settings say.

    Where nothing is fitted on features, only what segments are made of can be chosen otherwise.
    """
    given = TableWithRoles(table, settings, features, left_out)
    finders = FINDERS if settings.users_of_features else (_outputs, _codes)
    return [hint for find in finders for hint in find(given)]


def with_leak_named(error: InputError, hints: Iterable[Hint]) -> InputError:
    """Return a refusal; that of a label that features determine says which, where it is known."""
    leak = next((hint for hint in hints if hint.kind == "leak"), None)
    if error.sentence.code != "label.determined" or leak is None:
        return error
    about = leak.sentence.values  # noqa: PD011 - of no frame
    who = f"{about['label']} = {about['formula']}" if "formula" in about else about["columns"]
    named = {"problem": error, "who": Passage(who)}
    return InputError(error.sentence.code, "{problem} ({who})", **named)


def _hint(
    kind: str,
    columns: Sequence[str],
    template: str,
    changes: Mapping[str, Any] | None,
    /,
    **about: object,
) -> Hint:
    about = {"columns": first_of(in_quotes(columns))} | about
    words = _OF_SEVERAL if len(columns) > 1 else _OF_ONE
    return Hint(kind, tuple(columns), Sentence(f"hint.{kind}", template, **words | about), changes)


def _outputs(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at columns that look like model outputs; where some are chosen, at the others."""
    settings = given.settings
    guessed = guess_outputs(given.table, settings.target, settings.confidence_level)
    used = tuple(name for name in guessed.columns if name in given.asked)
    if settings.outputs is not None:
        if used:
            yield _hint("outputs_beside", used, _OUTPUTS_BESIDE, {"drop": used})
        return
    for guess in guessed.ways:
        columns = columns_of(guess)
        if {*columns} <= {*used}:
            others = tuple(name for name in used if name not in columns)
            changes = {**guess, **({"drop": others} if others else {})}
            chosen = changed(settings, changes)
            listed = [f"{', '.join(c)} ({OPTIONS[f].name})" for f, c in chosen.by_output().items()]
            how = "as they are" if chosen.is_ready_made else "before and after remedies"
            level = chosen.confidence_level
            how += f", at the level {level:g} of their names" * ("confidence_level" in guess)
            yield _hint("outputs", columns, _OUTPUTS, changes, columns=Names(listed), how=how)


def _protected(given: TableWithRoles) -> Iterator[Hint]:
    found = protected_attributes(given.features)
    if found:
        changes = {"audit_only": tuple(found)}
        about = {"attributes": Names(dict.fromkeys(found.values()))} | _used(given.settings)
        yield _hint("protected", [*found], _PROTECTED, changes, **about)


def _used(settings: AuditSettings) -> dict[str, str]:
    """Return by what features are used, in words that begin a sentence and that end it."""
    users = settings.users_of_features
    verb, them = ("use", "both") if len(users) > 1 else ("uses", "it")
    return {"users": f"{' and '.join(users).capitalize()} {verb}", "all": them}


def _proxy(given: TableWithRoles) -> Iterator[Hint]:
    hidden = tuple(c for c in given.settings.audit_only if _is_computable(given.table[c]))
    for feature, column, share in proxies(given.table, list(given.features), hidden):
        about = {"hidden": column, "percent": 100.0 * share} | _used(given.settings)
        yield _hint("proxy", [feature], _PROXY, {"audit_only": (feature,)}, **about)


def _group(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at ids that repeat, where nothing divides the rows yet."""
    settings = given.settings
    if settings.group or settings.time or settings.split_column or settings.stratify:
        return
    perhaps_ids = (name for name, why in given.left_out.items() if why in _PERHAPS_IDS)
    for name in filter(says_identifier, (*given.features, *perhaps_ids)):
        counts = given.counts(name)
        rows = int(counts.sum())
        repeats = rows - len(counts) >= _REPEATING * rows and len(counts) > _FEW_VALUES
        is_id = says_somebody(name) or not _are_levels(counts)
        if is_id and repeats and _are_whole(given.table[name]):
            about = {"values": len(counts), "rows": rows}
            yield _hint("group", [name], _GROUP, {"group": name}, **about)


def _codes(given: TableWithRoles) -> Iterator[Hint]:
    found = [name for name in given.features if _are_code_numbers(given, name)]
    found += [name for name, why in given.left_out.items() if getattr(why, "code", "") == CODES]
    if found:
        yield _hint("codes", found, _CODE, {"categorical": tuple(found)})


def _are_code_numbers(given: TableWithRoles, name: str) -> bool:
    column = given.table[name]
    if column.kind != "number" or name in given.settings.numeric or says_somebody(name):
        return False
    if not says_code(name) or not _are_whole(column):
        return False
    values = column.numbers[~column.missing]
    if len(values) == 0 or np.isin(values, (values.min(), values.max())).all():
        return False  # two codes are an indicator
    return _are_levels(given.counts(name)) and says_code(name, values)


def _skewed_label(given: TableWithRoles) -> Iterator[Hint]:
    label = given.label
    is_number = label.holds == "number" and _is_computable(label) and given.task == "regression"
    if given.settings.log_target or not is_number or len(label) < _FEWEST_ROWS:
        return
    values = label.numbers
    zeros = int((values == 0.0).sum())
    positive = values[values > 0.0]
    if len(positive) + zeros < len(values) or zeros > _FEW_ZEROS * len(values):
        return
    skewed = skewness(positive)
    if skewed < _SKEWED + 2.0 / math.sqrt(len(values)):
        return
    if abs(skewness(np.log(positive))) > _EVENER * skewed:
        return
    changes = None if zeros else {"log_target": True}
    template = _SKEW_ZEROS if zeros else _SKEW
    yield _hint("logarithm", [label.name], template, changes, zeros=zeros)


def _leak(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at features that tell the label alone, or else by a weighted sum of them."""
    label, table = given.label, given.table
    if label.holds not in ("number", "category") or not _is_computable(label):
        return
    features = [f for f in given.features if table[f].holds in ("number", "category")]
    rows = evenly_spaced(table, [*features, label.name])
    values = rows[label.name].series
    if len(rows) < _FEWEST_ROWS or len(rows) - values.value_counts().max() < _FEWEST_OTHERS:
        return
    alone = proxies(rows, features, (label.name,))
    copies = [feature for feature, _, share in alone if share >= _TOLD_ALONE]
    if copies:
        yield _hint("leak", copies, _COPY, {"drop": tuple(copies)}, label=label.name)
    elif given.task == "regression" and label.holds == "number":
        numbers = [f for f in features if table[f].holds == "number"]
        rows = evenly_spaced(rows, [*numbers, label.name], _CELLS // (len(numbers) + 1))
        filled = [NumberEncoder().fit(rows[name]).transform(rows[name])[:, 0] for name in numbers]
        X = np.column_stack([np.empty((len(rows), 0)), *filled])
        parts, formula = weighted_sum(X, rows[label.name].numbers, numbers)
        if parts:
            about = {"label": label.name, "formula": Passage(formula)}
            yield _hint("leak", parts, _SUM, {"drop": tuple(parts)}, **about)


def skewness(values: FloatArray) -> float:
    """Return how much farther the 95th percentile is from the median than the 5th, -1 to 1.

    Zero where they are equally far. A few outliers, which may be in any label, change nothing; see
    Hinkley (1975), "On power transformations to symmetry".
    """
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
    return float((high + low - 2.0 * middle) / (high - low)) if high > low else 0.0


def _is_computable(column: Column) -> bool:
    """Say whether no number is infinite or absurd, which an audit refuses."""
    try:
        column.check_finite()
    except InputError:
        return False
    return True


def _are_whole(column: Column) -> bool:
    """Say whether a column holds texts, or numbers none of which has a fraction."""
    if column.holds != "number":
        return column.holds == "category"
    values = column.numbers[~column.missing]
    return bool((values == np.round(values)).all())


def _are_levels(counts: pd.Series) -> bool:
    """Say whether most rows have a value that is common enough to be told apart."""
    common = counts[~is_rare(counts, int(counts.sum()))]
    return bool(common.sum() >= _MOST_ROWS * counts.sum())


FINDERS: tuple[Callable[[TableWithRoles], Iterator[Hint]], ...] = (
    _outputs,
    _protected,
    _proxy,
    _group,
    _codes,
    _skewed_label,
    _leak,
)
