"""Features by which a model could act on what it had better not see, or hidden columns."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..arrays import FloatArray, IndexArray
from ..messages import Sentence
from ..tables.columns import Column, Kind, coded
from ..tables.table import Table

_WORDS = {
    "race": "race races racial ethnic ethnicity ethnicities skin_color skin_colour hispanic tribe "
    "caste",
    "sex": "sex gender male female",
    "sexual orientation": "sexual_orientation transgender",
    "age": "age ages birth_date birthdate birthday dob date_of_birth year_of_birth birth_year "
    "birthyear",
    "religion": "religion religious faith",
    "disability": "disability disabilities disabled handicap",
    "nationality": "nationality citizenship citizen native_country national_origin "
    "country_of_birth immigrant",
    "marital status": "marital married civil_status",
    "pregnancy": "pregnant pregnancy",
}
"""By a protected attribute, the words of which a column that holds it has one in its name."""

_THINGS = {
    *("house", "home", "building", "property", "flat", "apartment", "roof", "kitchen", "bathroom"),
    *("car", "vehicle", "engine", "machine", "device", "tree", "forest", "account", "loan"),
}
"""Words beside which an age is not a person's."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

THRESHOLD = 0.9
"""Of what there is to explain: variance of numbers, or errors of always guessing the commonest."""

_FEWEST_REPEATS = 0.5
"""Of the rows, the share whose value has been seen above, from which a recoding is no accident."""

_ROWS = 4000
_LEAST_LEAF = 5
_MOST_CLASSES = 50
_ADVICE = "as an audit-only column it would be kept out of {them}"
_PROTECTED = (
    "{users} '{feature}', which by its name may be a protected attribute "
    f"({{attribute}}); {_ADVICE}."
)
_PROXY = (
    "{users} '{feature}', which alone tells the audit-only column "
    f"'{{column}}' almost perfectly ({{percent:.0f}} % of it); {_ADVICE}."
)


def sensitive_notes(
    train: Table, features: Sequence[str], audit_only: tuple[str, ...], users: Sequence[str]
) -> list[Sentence]:
    """Return a note on each feature whose name says a protected attribute, or that stands in.

    ``users`` say in words what is fitted on the features; where nothing is, there is no note.
    """
    if not users:
        return []
    about = {"users": using(users), "them": "both" if len(users) > 1 else "it"}
    by_name = ((feature, protected_attribute(feature)) for feature in features)
    notes = [
        Sentence("feature.protected", _PROTECTED, feature=feature, attribute=attribute, **about)
        for feature, attribute in by_name
        if attribute is not None
    ]
    return notes + [
        Sentence(
            "feature.proxy",
            _PROXY,
            feature=feature,
            column=hidden,
            percent=100.0 * share,
            **about,
        )
        for feature, hidden, share in proxies(train, list(features), audit_only)
    ]


def using(users: Sequence[str]) -> str:
    """Return the beginning of a sentence on what the users do."""
    return f"{' and '.join(users).capitalize()} use{'s' * (len(users) == 1)}"


def protected_attribute(name: str) -> str | None:
    """Return the protected attribute that a column's name says; None if it says none.

    Whole words count, as divided by signs, digits and capitals: ``applicantSex`` and ``age_years``
    do, ``page`` and ``sexton`` do not, nor does ``house_age``, which is no person's.
    """
    letters = unicodedata.normalize("NFKD", name)  # accents are signs of their own, left out here
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    parts = [part.lower() for part in _WORD.findall(letters)]
    said = f"_{'_'.join(parts)}_"
    named = (a for a, words in _WORDS.items() if any(f"_{w}_" in said for w in words.split()))
    return next((a for a in named if a != "age" or not _THINGS & {*parts}), None)


def proxies(
    table: Table, features: list[str], audit_only: tuple[str, ...]
) -> list[tuple[str, str, float]]:
    """Return features that alone tell an audit-only column, that column, and how well.

    A decision tree on the one feature is fitted on every other of up to 4,000 of the rows and
    judged on those between: by the share of variance that it explains of numbers and dates, or, of
    categories, the share that it avoids of the errors of always guessing the commonest value.
    """
    if not audit_only:
        return []
    # evenly spaced, as rows may come in an order
    chosen = np.unique(np.linspace(0, len(table) - 1, min(len(table), _ROWS)).astype(np.intp))
    names = [*dict.fromkeys((*features, *audit_only))]
    rows = table.rows(chosen, names)
    columns = {name: _as_ordered(rows[name]) for name in names}
    shares = [
        (feature, hidden, _explained(columns[feature], columns[hidden], rows[hidden].holds))
        for hidden in audit_only
        for feature in features
    ]
    return [found for found in shares if found[-1] >= THRESHOLD]


def _as_ordered(column: Column) -> FloatArray:
    """Return numbers, or codes in alphabetical order; missing ones as the largest of all."""
    if column.holds in ("number", "date"):
        values = column.places
    else:
        values = pd.factorize(column.levels, sort=True)[0].astype(np.float64)
        values[values < 0.0] = np.nan
    most = np.nanmax(values) if not np.isnan(values).all() else 0.0
    return np.where(np.isnan(values), most + 1.0, values)


def _explained(feature: FloatArray, hidden: FloatArray, kind: Kind) -> float:
    """Return the share of what there is to explain that is explained; -inf if there is nothing."""
    X, X_judged = feature[::2, None], feature[1::2, None]
    y, y_judged = hidden[::2], hidden[1::2]
    if kind == "category":
        values, counts = np.unique(y, return_counts=True)
        if len(values) > min(_MOST_CLASSES, len(y) / 2):
            return -np.inf
        tree = DecisionTreeClassifier(min_samples_leaf=_LEAST_LEAF, random_state=0).fit(X, y)
        errors = np.mean(values[counts.argmax()] != y_judged)
        wrong = np.mean(tree.predict(X_judged) != y_judged)
    else:
        tree = DecisionTreeRegressor(min_samples_leaf=_LEAST_LEAF, random_state=0).fit(X, y)
        errors = np.var(y_judged)
        wrong = np.mean((tree.predict(X_judged) - y_judged) ** 2)
    return float(1.0 - wrong / errors) if errors > 0.0 else -np.inf


def leak_reasons(table: Table, columns: list[str], audit_only: tuple[str, ...]) -> dict[str, str]:
    """Return the columns that say the same as an audit-only column, and why they are left out.

    Such a column is a copy or, if values repeat, renames them one to one; without repetition it
    has numbers in the same order, or in the reverse.
    """
    hidden = {name: _pattern(table[name]) for name in audit_only}
    hidden = {name: pattern for name, pattern in hidden.items() if pattern.max(initial=0) > 0}
    if not hidden:
        return {}
    reasons: dict[str, str] = {}
    for column in columns:
        pattern = _pattern(table[column])
        for name, other in hidden.items():
            same = np.array_equal(pattern, other)
            if same and _is_no_accident(table[column], table[name], pattern):
                reasons.setdefault(column, f"says the same as the audit-only column {name}")
    return reasons


def _pattern(column: Column) -> IndexArray:
    """Return for each row which value it has, or that it is missing, in order of appearance."""
    if column.holds == "unsupported":
        return np.zeros(len(column), dtype=np.intp)
    values = pd.Series(coded(column.series)[0]) if column.holds == "category" else column.series
    return pd.factorize(values, use_na_sentinel=False)[0]


def _is_no_accident(column: Column, hidden: Column, pattern: IndexArray) -> bool:
    """Say whether two columns of one pattern have it for more reason than hardly repeating."""
    values = int(pattern.max()) + 1
    often = len(pattern) - values >= _FEWEST_REPEATS * len(pattern)
    if often or column.series.equals(hidden.series):
        return True
    if not {column.holds, hidden.holds} <= {"number", "date"}:
        return False
    known = ~column.missing & ~hidden.missing
    ranks, others = (
        np.unique(one.ordered[known], return_inverse=True)[1] for one in (column, hidden)
    )
    return np.array_equal(ranks, others) or np.array_equal(ranks.max() - ranks, others)
