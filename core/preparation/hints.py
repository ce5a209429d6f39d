"""What an analyst may want to choose otherwise, each with the change that does it.

A new hint is one function in ``FINDERS``; command line and Setup make its option and its button of
its changes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice, product
from typing import Any

import numpy as np
import pandas as pd

from ..messages import InputError, Names, Passage
from ..tables.columns import Column, coded
from ..tables.number_text import is_number
from ..tables.table import Table, read_as_asked
from .column_names import (
    protected_attributes,
    says_code,
    says_identifier,
    says_somebody,
    says_time,
    says_unit,
    says_weight,
)
from .encoding import RARE_ONLY, is_rare
from .guessed_outputs import columns_of, guess_outputs
from .hint import Hint, TableWithRoles, hint, is_computable
from .label_hints import leak, skewed_label, taken_for_classes, variants
from .options import COLUMN_LIST, OUTPUT_WAYS, WORDS_OF
from .proxies import as_ordered, proxies
from .roles import CODES, IDENTIFIER, PERSONS, ColumnProfile
from .settings import OPTIONS, AuditSettings

_FEW_VALUES = 20
_REPEATING = 0.01  # of rows: with fewer, rows of one value are too few to change a figure
_MOST_ROWS = 0.5
_FEWEST_ROWS = 100
_MOMENTS, _UNITS = 3, 10  # of a panel, at least
_STEPS = 10
_TWO = 2
_ADVICE = "audit only, {they} would be kept out of {all}, and coverage still be shown by {them}"
_PROTECTED = (
    f"{{users}} {{columns}}, which by name may be protected ({{attributes}}); {_ADVICE}. "
    "If {they} {are} not, name {them} as not protected."
)
_PROXY = (
    "{users} {columns}, which alone tell{s} the audit-only column '{hidden}' almost perfectly "
    f"({{percent:.0f}} % of it); {_ADVICE}."
)
_GROUP = (
    "{columns} {what}: {values} values in {rows} rows. Rows of one value may be alike: by group, "
    "{how}."
)
_WHOLE = "intervals and tests count whole values"
_AN_ID = "looks like an identifier that repeats"
_TOGETHER = "all of them are in one set, and coverage is that for values not seen in training"
_TIME = (
    "Rows are in the order of {columns}. If predictions are to be of later rows, split by time: "
    "the latest rows are then for test."
)
_WEIGHT = (
    "{columns} look{s} like weights, which say how many a row stands for and are no feature: given "
    "as the weight of rows, figures are those of all whom the rows stand for."
)
_CODE = (
    "{columns} look{s} like codes, or parts of a day or year, rather than amounts; read as codes, "
    "each value with rows enough is told apart."
)
_OUTPUTS = (
    "These columns look like what a model of your own said of '{label}': {columns}, to be audited "
    "{how}."
)
_OUTPUTS_BESIDE = (
    "{columns} look{s} like what your model said, too; unless coverage is to be seen by {them}, "
    "leave {them} out."
)
_MISSING = (
    "{columns} may hold what stands for a missing value ({found}); taken as missing, it is told "
    "apart from the numbers beside it."
)
_SENTINELS = {sign * (10**digits - 1) for sign in (-1, 1) for digits in range(1, 7)}
_FEWEST_SENTINELS = 5  # if the value is no accident
_MOST_WORDS = 3  # among numbers, which else may all be codes:
_FEWEST_NUMBERS = 12
_ROLES = ("features", "drop", "audit_only")
_PERHAPS_IDS = {IDENTIFIER, PERSONS, RARE_ONLY}
"""Reasons why a column is no feature that may still say which rows belong together."""


def changed(settings: AuditSettings, changes: Mapping[str, Any]) -> AuditSettings:
    """Return the settings with changes as of a hint; their columns lose other roles they have.

    What has no meaning beside them is as if it were not given.
    """
    own = {f: v for f, v in changes.items() if f != "not_protected"}  # which is no role
    of_roles = {field: v for field, v in own.items() if not OPTIONS[field].kind.by_name}
    columns = {name for field, v in of_roles.items() for name in OPTIONS[field].kind.columns(v)}
    others = ("drop", "numeric") if "categorical" in changes else _ROLES
    new: dict[str, Any] = {
        role: tuple(name for name in given if name not in columns)
        for role in others
        if (given := getattr(settings, role)) is not None
    }
    for field, value in changes.items():
        is_list = OPTIONS[field].kind in (COLUMN_LIST, WORDS_OF)
        before = new.get(field, getattr(settings, field)) if is_list else ()
        new[field] = tuple(dict.fromkeys((*before, *value))) if is_list else value
    ways = (way for way in OUTPUT_WAYS if changes.keys() & {*way.fields})
    idle = [*chain(*(way.idle for way in ways)), *(("repeats",) if "time" in changes else ())]
    return replace(settings, **{field: OPTIONS[field].default for field in idle} | new)


def hints_before(
    frame: pd.DataFrame | Table, settings: AuditSettings, profiles: Sequence[ColumnProfile]
) -> list[Hint]:
    """Return the hints before an audit of a table whose columns have these profiles.

    Raises :class:`InputError` if a column cannot be read as asked for.
    """
    table, _ = read_as_asked(frame, *settings.readings)
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
    finders = FINDERS if settings.users_of_features else _OF_READY_MADE
    found: list[Hint] = []
    for find in finders:
        with suppress(InputError):  # a hint refuses nothing
            found += find(given)
    return found


def with_leak_named(error: InputError, hints: Iterable[Hint]) -> InputError:
    """Return a refusal; that of a label that features determine says which, where it is known."""
    leak = next((each for each in hints if each.kind == "leak"), None)
    if error.sentence.code != "label.determined" or leak is None:
        return error
    about = leak.sentence.values  # noqa: PD011 - of no frame
    named = {"problem": error, "who": Passage(about.get("equation", about["columns"]))}
    return InputError(error.sentence.code, "{problem} ({who})", **named)


def _outputs(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at columns that look like model outputs; where some are chosen, at the others."""
    settings = given.settings
    ways, like_outputs = guess_outputs(given.table, settings.target, settings.confidence_level)
    used = tuple(name for name in like_outputs if name in given.asked)
    if settings.outputs is not None:
        if used:
            yield hint("outputs_beside", used, _OUTPUTS_BESIDE, {"drop": used})
        return
    for guess in ways:
        columns = columns_of(guess)
        if {*columns} <= {*used}:
            others = tuple(name for name in used if name not in columns)
            changes = {**guess, **({"drop": others} if others else {})}
            chosen = changed(settings, changes)
            listed = [f"{', '.join(c)} ({OPTIONS[f].name})" for f, c in chosen.by_output().items()]
            how = "as they are" if chosen.is_ready_made else "before and after remedies"
            level = chosen.confidence_level
            how += f", at the level {level:g} of their names" * ("confidence_level" in guess)
            about = {"columns": Names(listed), "how": how, "label": settings.target}
            yield hint("outputs", columns, _OUTPUTS, changes, **about)


def _audit_only(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at protected attributes, and at what alone tells an audit-only column."""
    users = given.settings.users_of_features
    verb, them = ("use", "both") if len(users) > 1 else ("uses", "it")
    used = {"users": f"{' and '.join(users).capitalize()} {verb}", "all": them}
    if found := protected_attributes(given.features, given.settings.not_protected):
        attributes = Names(dict.fromkeys(found.values()))
        changes = {"audit_only": tuple(found)}
        yield hint("protected", [*found], _PROTECTED, changes, attributes=attributes, **used)
    hidden = tuple(c for c in given.settings.audit_only if is_computable(given.table[c]))
    for feature, column, share in proxies(given.table, given.features, hidden):
        about = {"hidden": column, "percent": 100.0 * share} | used
        yield hint("proxy", [feature], _PROXY, {"audit_only": (feature,)}, **about)


def _group(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at ids that repeat, or else at those of a panel, where nothing groups the rows yet."""
    settings = given.settings
    if settings.group or settings.split_column or settings.stratify:
        return
    perhaps_ids = (name for name, why in given.left_out.items() if why in _PERHAPS_IDS)
    names = [name for name in (*given.features, *perhaps_ids) if _are_whole(given.table[name])]
    found = dict.fromkeys((name for name in names if _repeats(given, name)), _AN_ID)
    how = _WHOLE if settings.time or settings.is_ready_made else _TOGETHER
    for name, what in (found or dict(islice(_panels(given, names), 1))).items():
        counts = given.counts(name)
        about = {"values": len(counts), "rows": int(counts.sum()), "how": how}
        yield hint("group", [name], _GROUP, {"group": name}, what=what, **about)


def _repeats(given: TableWithRoles, name: str) -> bool:
    if not says_identifier(name):
        return False
    counts = given.counts(name)
    rows = int(counts.sum())
    repeats = rows - len(counts) >= _REPEATING * rows and len(counts) > _FEW_VALUES
    return repeats and (says_somebody(name) or not _are_levels(counts))


def _panels(given: TableWithRoles, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield columns of whose values each has a row at most of the times, which is no chance."""
    table, n = given.table, len(given.table)
    others = (name for name in table.names if name != given.settings.target)
    times = [name for name in others if says_time(name) and table[name].holds != "unsupported"]
    units = [c for c in names if table[c].holds == "category" or says_unit(c)] if times else []
    coded_by = {name: coded(table[name].series) for name in {*times, *units}}
    for time, unit in product(times, units):
        (moments, known), (codes, values) = coded_by[time], coded_by[unit]
        pairs = len(known) * len(values)
        is_panel = len(known) >= _MOMENTS and len(values) >= _UNITS and n <= pairs <= 2 * n
        if is_panel and unit not in times and len(np.unique(codes * len(known) + moments)) == n:
            yield unit, f"has a row for each '{time}', or for most of them"


def _time(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at a column of moments by which rows are in order, which is no chance."""
    settings, table = given.settings, given.table
    if settings.fixed_split_column or settings.stratify or len(table) < _FEWEST_ROWS:
        return
    for name in given.features:
        column = table[name]
        words = "moments" if column.holds == "number" else "times"
        if column.holds == "date" or says_time(name, words):
            steps = np.diff(as_ordered(column))
            if np.count_nonzero(steps) >= _STEPS and ((steps >= 0.0).all() or (steps <= 0.0).all()):
                yield hint("time", [name], _TIME, {"time": name})
                return


def _weights(given: TableWithRoles) -> Iterator[Hint]:
    columns = (given.table[name] for name in given.features)
    numbers = {c.name: c.numbers for c in columns if c.holds == "number"}
    numbers = {name: of for name, of in numbers.items() if says_weight(name, float(np.nanmean(of)))}
    found = [name for name, of in numbers.items() if np.nanmin(of) >= 0.0]
    changes: dict[str, Any] = {"drop": tuple(found)}
    with suppress(InputError):  # of what takes no weights
        if found and given.settings.weight is None:
            changed(given.settings, {"weight": found[0]})
            changes = {"weight": found[0]} | ({"drop": tuple(found[1:])} if found[1:] else {})
    if found:
        yield hint("weight", found, _WEIGHT, changes)


def _codes(given: TableWithRoles) -> Iterator[Hint]:
    found = [name for name in given.features if _are_code_numbers(given, name)]
    found += [name for name, why in given.left_out.items() if getattr(why, "code", "") == CODES]
    if found:
        yield hint("codes", found, _CODE, {"categorical": tuple(found)})


def _are_code_numbers(given: TableWithRoles, name: str) -> bool:
    column = given.table[name]
    is_number = column.kind == "number" and name not in given.settings.numeric
    if not is_number or says_somebody(name) or not (says_code(name) and _are_whole(column)):
        return False
    values = np.unique(column.numbers[~column.missing])
    is_indicator = len(values) <= _TWO
    return not is_indicator and says_code(name, values) and _are_levels(given.counts(name))


def _missing(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at numbers such as -99 far from the others, and at a few words among numbers."""
    found: dict[str, dict[str, int]] = {}
    for name in (*given.features, given.label.name):
        column = given.table[name]
        if column.kind == "number" and is_computable(column) and not says_time(name):
            found[name] = _far_code(column)
        elif column.kind == "category" and not column.categorical:
            found[name] = _words(given.counts(name))
    found = {name: words for name, words in found.items() if words}
    if found:
        told = [f"'{w}' in {n} of '{c}'" for c, words in found.items() for w, n in words.items()]
        changes = {"missing_in": tuple((name, (*words,)) for name, words in found.items())}
        yield hint("missing", [*found], _MISSING, changes, found=Names(told))


def _far_code(column: Column) -> dict[str, int]:
    """Return -99, 999 or the like, if it is farther from the others than these are apart."""
    known = column.numbers[~column.missing]
    if {known.min(initial=0.0), known.max(initial=0.0)}.isdisjoint(_SENTINELS):
        return {}  # as of most, without sorting them
    values, counts = np.unique(known, return_counts=True)
    if len(values) <= _TWO:  # of which either may be far from the other
        return {}
    for end, rest in ((0, values[1:]), (-1, values[:-1])):
        is_far = abs(values[end] - rest[end]) >= np.ptp(rest) or (values[end] < 0.0 <= rest[0])
        if values[end] in _SENTINELS and counts[end] >= _FEWEST_SENTINELS and is_far:
            return {str(int(values[end])): int(counts[end])}
    return {}


def _words(counts: pd.Series) -> dict[str, int]:
    """Return the words among a column's values that all other values but a few are numbers."""
    words = counts[[not is_number(value) for value in counts.index]]
    if len(words) > _MOST_WORDS or len(counts) - len(words) < _FEWEST_NUMBERS:
        return {}
    if any(sign.isdigit() for word in words.index for sign in word):
        return {}
    return {str(word): int(count) for word, count in words.items()}


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


_Finder = Callable[[TableWithRoles], Iterator[Hint]]
FINDERS: tuple[_Finder, ...] = (
    _outputs,
    taken_for_classes,
    _weights,
    _audit_only,
    _group,
    _time,
    _codes,
    _missing,
    variants,
    skewed_label,
    leak,
)
_OF_READY_MADE: tuple[_Finder, ...] = (_outputs, _weights, _group, _codes, _missing, variants)
