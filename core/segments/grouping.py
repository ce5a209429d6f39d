"""What the test rows are divided by: columns, the label, chosen pairs of these, and cohorts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Literal

from ..arrays import FloatArray
from ..messages import (
    InputError,
    Names,
    Passage,
    Sentence,
    nearest,
    told_apart,
)
from ..preparation.column_names import protected_attributes
from ..preparation.options import check_called_otherwise
from ..preparation.prepare import Plan
from ..preparation.settings import AuditSettings
from ..rows.weights import weights_of
from ..tables.columns import MOST_VALUES, check_exists, coded
from ..tables.grammar import parse_rule
from ..tables.rules import OneOf, Rule, in_a_rule
from ..tables.table import Table
from .binning import OTHER, OUTSIDE, Partition, band_edges, by_rule, by_value, crossed, in_bands
from .statistics import FEWEST_JUDGED

MOST_SHOWN = 60  # of periods, or of horizons one by one
EMPTY_COHORT = "cohort.no_rows"
SMALL_VALUES = "segments.small-values"
_COHORT = "cohort: "

VariableKind = Literal["column", "group", "pair", "label", "cohort", "look"]
"""Whether segments go by a column, by the one that keeps rows together, whose every value is one of
the split's groups, by two columns, by a rule asked for before the results were seen or made after
looking at them, or by the label, alone or among others."""


@dataclass(frozen=True)
class Variable:
    """A division of the test rows: ``partition.codes`` has shape (n_test,).

    ``columns`` are what it goes by; ``rule`` is that of a cohort, else empty, and ``meant`` are
    values of the rows that are spelt almost like those it asks for in vain. ``named`` are those
    that somebody named before the results were seen: audit-only or protected columns, those with
    cut points of their own, pairs and cohorts.
    """

    name: str
    kind: VariableKind
    partition: Partition
    columns: tuple[str, ...] = ()
    rule: str = ""
    meant: tuple[str, ...] = ()
    named: bool = False


class SegmentVariables:
    """All that test rows are divided by, checked at once and divided when it is asked for.

    They are divided by the columns of the ``plan`` that have segments, by the one that keeps rows
    together, and by the label: by class, or a numeric one as any number; rows to learn from say
    where bands end. Coverage given the label is another thing than coverage given the columns: a
    predictor sees the object alone, and nothing promises the level for each label.

    Raises :class:`InputError` if a pair, cut point, cohort or reference group names what has no
    segments, cut points are given for what holds no numbers, a cohort's rule does not go together
    with its columns, or a reference group is none of the variable's segments.
    """

    def __init__(self, plan: Plan, settings: AuditSettings) -> None:
        self._plan, self._settings = plan, settings
        self._table, self._test = plan.table, plan.split.test
        columns, label = plan.roles.segment_columns, settings.target
        parts: list[tuple[VariableKind, tuple[str, ...]]] = [
            *(("group" if self._is_group(c) else "column", (c,)) for c in columns),
            ("label", (label,)),
            *(("label" if label in pair else "pair", pair) for pair in settings.pairs),
        ]
        self._check_have_segments([*columns, label])
        by_hand = {*settings.audit_only, *dict(settings.cuts), settings.horizon}
        self._named = by_hand.union(protected_attributes(columns, settings.not_protected)) - {label}
        shown = {label: f"label: {label}"}
        names = told_apart(" × ".join(shown.get(c, c) for c in part) for _, part in parts)
        self._parts = dict(zip(names, parts, strict=True))
        for column in dict(settings.cuts):
            self.edges(column)
        rows = self._table
        if settings.all_cohorts:
            rows = rows.rows(self._test, [*columns, label])
        cohorts = cohort_variables(rows, self._parts, settings)
        self._names = [*self._parts, *(variable.name for variable in cohorts)]
        self._divided = {variable.name: variable for variable in cohorts}
        for name, group in settings.reference:
            check_exists(self._names, name, "variable")
            check_reference(self._variable(name), group)

    def __iter__(self) -> Iterator[Variable]:
        return map(self._variable, self._names)

    def _variable(self, name: str) -> Variable:
        if name not in self._divided:
            kind, parts = self._parts[name]
            wholes = map(self._partition, parts)
            of_test = (replace(whole, codes=whole.codes[self._test]) for whole in wholes)
            partition = reduce(crossed, of_test)
            named = kind == "pair" or not self._named.isdisjoint(parts)
            self._divided[name] = Variable(name, kind, partition, parts, named=named)
        return self._divided[name]

    def edges(self, name: str) -> FloatArray | None:
        """Return the bounds of a column's bands; None where it is divided by value."""
        cuts = dict(self._settings.cuts).get(name, ())
        of_class = name == self._settings.target and self._plan.label.task == "classification"
        few = name == self._settings.horizon and self._table[name].series.nunique() <= MOST_SHOWN
        if self._is_group(name) or (not cuts and (of_class or few)):
            return None
        learning, bins = self._plan.split.learning, self._settings.bins
        weights = weights_of(self._plan.weights, learning)
        return band_edges(self._table[name], learning, bins=bins, cuts=cuts, weights=weights)

    def _partition(self, name: str) -> Partition:
        column, edges = self._table[name], self.edges(name)
        many = MOST_SHOWN if name == self._settings.horizon else MOST_VALUES
        return by_value(column, self._test, many=many) if edges is None else in_bands(column, edges)

    def _is_group(self, name: str) -> bool:
        """Say whether each value is to be looked at, as its rows were kept together."""
        return name == self._settings.group and name not in dict(self._settings.cuts)

    def _check_have_segments(self, columns: Sequence[str]) -> None:
        settings = self._settings
        rules = [parse_rule(rule) for _, rule in settings.all_cohorts]
        asked = {
            "the pairs": chain.from_iterable(settings.pairs),
            "the cut points": dict(settings.cuts),
            "the horizon": filter(None, [settings.horizon]),
            "the cohorts": chain.from_iterable(rule.columns for rule in rules),
        }
        for what, name in ((what, name) for what, names in asked.items() for name in names):
            check_exists(self._table.names, name)
            if name not in columns:
                sentence = (
                    "column '{column}' of {what} has no segments, as it is neither a feature nor "
                    "audit-only; give it one of these roles"
                )
                raise InputError("segments.none", sentence, column=name, what=what)


def check_reference(variable: Variable, group: str) -> None:
    """Raise :class:`InputError` if a reference group is none of the variable's segments."""
    try:
        check_exists(variable.partition.names, group, "segment")
    except InputError as error:
        sentence, about = "the reference of '{variable}': {problem}", {"variable": variable.name}
        raise InputError("reference.unknown", sentence, **about, problem=error) from None


def cohort_names(others: Iterable[str], cohorts: Sequence[tuple[str, str]]) -> list[str]:
    """Return what the variables of cohorts are called beside others of these names."""
    taken = list(others)
    return told_apart([*taken, *(f"{_COHORT}{name}" for name, _ in cohorts)])[len(taken) :]


def cohort_variables(rows: Table, names: Iterable[str], settings: AuditSettings) -> list[Variable]:
    """Divide the test rows by each cohort's rule.

    ``rows`` has the columns that rules may name, and the label; ``names`` are those of the other
    variables, which no cohort's may repeat. Raises :class:`InputError` if a rule does not go
    together with the columns.
    """
    check_called_otherwise(settings.all_cohorts, rows.names)
    own, found = cohort_names(names, settings.all_cohorts), []
    for place, (name, (_, text)) in enumerate(zip(own, settings.all_cohorts, strict=True)):
        rule = parse_rule(text)
        kind: VariableKind = "label" if settings.target in rule.columns else "cohort"
        if place >= len(settings.cohorts):
            kind = "look"
        partition, meant = by_rule(rule, rows), values_meant(rule, rows)
        named = kind == "cohort"
        found.append(Variable(name, kind, partition, rule.columns, str(rule), meant, named))
    return found


def values_meant(rule: Rule, rows: Table) -> tuple[str, ...]:
    """Return values of rows that are spelt almost like those that a rule asks for in vain."""
    meant: list[str] = []
    for condition in rule.conditions:
        if isinstance(condition, OneOf) and rows[condition.column].holds == "category":
            known = coded(rows[condition.column].series)[1].tolist()
            unknown = (value for value in condition.values if value not in known)
            meant += [close for value in unknown for close in nearest(value, known)]
    return tuple(meant)


def compared_with(variables: Iterable[Variable], settings: AuditSettings) -> dict[str, str]:
    """Return by variable the segment that the others are compared with, if not the largest."""
    outside = {variable.name: OUTSIDE for variable in variables if variable.rule}
    return outside | dict(settings.reference)


def cohort_notes(variables: Iterable[Variable]) -> list[Sentence]:
    """Return a sentence on each cohort without test rows."""
    sentence = "No test row is in '{variable}', as the rule {rule} holds for none"
    return [
        Sentence(
            EMPTY_COHORT,
            sentence + ("; did you mean {meant}?" if variable.meant else "."),
            variable=f"{variable.kind}: {variable.name.removeprefix(_COHORT)}",
            rule=Passage(variable.rule),
            meant=Names(map(in_a_rule, variable.meant)),
        )
        for variable in variables
        if variable.rule and not (variable.partition.codes == 0).any()
    ]


def small_value_notes(variables: Iterable[Variable]) -> list[Sentence]:
    """Return a sentence on each variable of which values have too few rows to be judged."""
    sentence = (
        "Values of '{column}' with fewer than {least} test rows each, which are shown together as "
        "{other}: {count}."
    )
    return [
        Sentence(
            SMALL_VALUES,
            sentence,
            count=variable.partition.merged,
            column=variable.columns[0],
            least=FEWEST_JUDGED,
            other=OTHER,
        )
        for variable in variables
        if variable.partition.merged
    ]
