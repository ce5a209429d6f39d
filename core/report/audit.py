"""The audit: from a table, or what a model of your own said, to figures and what they say.

>>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)]})
>>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
>>> result = audit(rows, AuditSettings(target="y", remedies=("none",)))
>>> result.names, round(result.row("test", "base").accuracy, 1)
(['base'], 0.9)

Of a user's own model, outputs come as arrays, or as columns of any data frame:

>>> x = np.linspace(0.0, 1.0, 200)
>>> result = audit_predictions(x + x**2, {"x": x}, lower=x - 0.1, upper=x + 0.8)
>>> round(result.row("test", result.reference).accuracy, 2)
0.89
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..conformal.measures import ConformityMeasure
from ..events import Listener, StopRequest, ignore, never
from ..experiment.examination import segment_tables
from ..experiment.experiment import Experiment
from ..experiment.out_of_core import AllRows
from ..experiment.predictors import OwnAlgorithms, candidates
from ..messages import InputError, Sentence, told_apart
from ..preparation.prepare import Plan, plan
from ..preparation.settings import OPTIONS, AuditSettings
from ..remedies.base import Remedy
from ..scoring.columns import level_name
from ..segments import grouping
from ..tables.columns import as_levels, check_exists, column_kind, value_order
from ..tables.lazy import LazyTable
from ..tables.reading import as_series, as_table
from ..tables.table import UNNAMED, Origin, Table
from .advice_findings import advice_findings
from .coverage_findings import coverage_findings
from .dependence_findings import dependence_findings
from .groups import count_findings
from .remedy_findings import remedy_findings
from .repeats import summarise
from .result import HEADLINE, AuditResult, ImpossibleSeed
from .size_findings import size_findings

_FINDINGS = (
    coverage_findings,
    remedy_findings,
    size_findings,
    advice_findings,
    count_findings,
    dependence_findings,
)
"""What makes them, in the order of reading; what is not of the headline comes behind it."""

_LEFT_OUT = "The reference group '{group}' of '{name}' was left out, as there is no such cohort."
_OF_REPEATS = "repeats.other-cohorts"
_REPEATS_STAY = (
    "The figures over the repeats have the cohorts that the audit was run with: {names}."
)


def audit(  # noqa: PLR0913 - each is named
    table: Any,  # noqa: ANN401 - a Table, or what as_table takes
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    origin: Origin = UNNAMED,
    measure: ConformityMeasure | None = None,
    remedies: Sequence[str | Remedy] | None = None,
    with_replay: bool = True,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> AuditResult:
    """Audit conformal prediction on a table, before and after remedies.

    With ``settings.repeats`` above 1 the result is that of the first seed, with the mean and spread
    of every figure over the seeds in ``repeats``. A seed by which table and settings do not go
    together is left out and told; raises :class:`InputError` if they do by none.

    Parameters
    ----------
    table
        One row for each example, as read of a file or in a frame of any library, of which it is
        decided here what its columns hold; one that is not in memory is counted where it is.
    settings
        What is asked for: the label's column, the confidence level, the remedies and so on.
    unread, origin
        Columns that were left out of the table, as the settings have no use for them, and where it
        comes from: for the record.
    measure, remedies
        Objects, of Evencover's classes or your own, in place of those that the settings name. They
        are used as they are, but that a remedy has the level of the settings and, where it has no
        base, the fitted measure; a name among remedies stands for what settings make of it. In the
        result an object goes by its class, and one with a penalty by that, too: "ifacm@0.5".
    with_replay
        Whether to measure what each layer of a remedy does to the test rows, as the report shows.
    on_event
        Receives every stage, evaluation and accepted layer.
    should_stop
        Asked before every evaluation. When it says so, the audit goes on with the layers accepted
        so far and says so in its notes.
    """
    own = OwnAlgorithms.of(measure, remedies)
    experiment = _experiment(table, own.settings(settings), unread, origin, own)
    experiment.with_replay = with_replay
    experiment.on_event, experiment.should_stop = on_event, should_stop
    return _result(experiment)


def _experiment(
    table: Any,  # noqa: ANN401
    settings: AuditSettings,
    unread: Sequence[str],
    origin: Origin,
    own: OwnAlgorithms,
) -> Experiment:
    rows = None
    if not isinstance(table, Table | LazyTable):
        table = as_table(table, "table")
    if isinstance(table, LazyTable):
        started = time.perf_counter()
        rows = AllRows.of(table, settings)
        unread = [name for name in table.names if name not in rows.table.names]
        table = rows.sample()
        taken = time.perf_counter() - started
        origin = replace(origin, read_seconds=origin.read_seconds + taken)
    typed = Table.of(table)
    return Experiment(
        table=typed,
        settings=settings,
        candidates=candidates(settings, own),
        seeds=range(settings.seed, settings.seed + settings.repeats),
        origin=origin.of(typed.frame),
        is_audit=True,
        own=own,
        unread=unread,
        rows=rows,
    )


def _result(experiment: Experiment) -> AuditResult:
    """Return the first seed's result, with what those of all seeds say, and what was refused."""
    experiment.run()
    settings, refused = experiment.settings, experiment.refused_seeds
    results = [with_findings(AuditResult.about(e)) for e in experiment.examinations.values()]
    if not results:
        raise next(iter(refused.values()))
    first, done = results[0], len(results)
    if settings.repeats == 1:
        return first
    if done + len(refused) < settings.repeats:
        sentence = "The audit was stopped: of {asked} repeats, {done} are there."
        note = Sentence("repeats.stopped", sentence, asked=settings.repeats, done=done)
        first = replace(first, stopped=True, notes=[note, *first.notes])
    impossible = [ImpossibleSeed(s, error.sentence.without_cells()) for s, error in refused.items()]
    return replace(
        first,
        settings=first.settings | {"seed": settings.seed},  # as asked, to be asked for again
        asked=settings,
        repeats=replace(summarise(results), impossible=impossible),
    )


def check(table: pd.DataFrame | Table, settings: AuditSettings) -> Plan:
    """Return what an audit would be of; raise the :class:`InputError` that it would raise.

    All that takes encoded rows is left out: no column may be left for the model.
    """
    made = plan(table, settings)
    grouping.SegmentVariables(made, settings)
    return made


def with_findings(result: AuditResult) -> AuditResult:
    """Return a result whose groups are judged, with what its figures say."""
    found = [finding for find in _FINDINGS for finding in find(result)]
    return replace(result, findings=sorted(found, key=lambda each: each.topic not in HEADLINE))


def with_cohorts(result: AuditResult, cohorts: Sequence[tuple[str, str]]) -> AuditResult:
    """Return the result of the audit with these cohorts, names and rules, instead of those it has.

    Those that the audit was not asked for are made after looking at its results, and marked so.

    It equals the audit done with them, but for the times and ``repeats``, where the cohorts of the
    audit stay, as a note says: the rows of the other seeds are no longer there. Reference groups of
    cohorts that are gone are left out, with a note on each. The result has to have its test rows in
    memory; raises :class:`InputError` if cohorts are unusable, as :class:`AuditSettings` and
    :func:`audit` do.
    """
    test_rows, asked = result.test_rows, result.asked
    if test_rows is None or asked is None:
        raise ValueError("the result holds no test rows; take it as the audit gave it")
    others = [variable for variable in test_rows.variables if not variable.rule]
    names = [variable.name for variable in others]
    settings = cohorts_replaced(asked, cohorts, names)
    added = grouping.cohort_variables(test_rows.table, names, settings)
    variables = {variable.name: variable for variable in (*others, *added)}
    kept = tuple(
        (name, group)
        for name, group in settings.reference
        if name in variables and group in variables[name].partition.names
    )
    left_out = [pair for pair in asked.reference if pair not in kept]
    settings = replace(settings, reference=kept)
    test_rows = replace(test_rows, variables=tuple(variables.values()))
    notes = [
        *(note for note in result.notes if note.code != grouping.EMPTY_COHORT),
        *grouping.cohort_notes(variables.values()),
        *(Sentence("reference.left-out", _LEFT_OUT, name=n, group=g) for n, g in left_out),
    ]
    is_noted = any(note.code == _OF_REPEATS for note in notes)
    if result.repeats and not is_noted and asked.all_cohorts != settings.all_cohorts:
        of_audit = ", ".join(f"'{name}'" for name, _ in asked.all_cohorts) or "none"
        notes.append(Sentence(_OF_REPEATS, _REPEATS_STAY, names=of_audit))
    found = replace(
        result,
        settings=result.settings
        | {"cohorts": dict(settings.cohorts), "looks": dict(settings.looks)}
        | {"reference": dict(kept)},
        asked=settings,
        test_rows=test_rows,
        **segment_tables(test_rows, settings),
        notes=notes,
    )
    return with_findings(found.judged())


def cohorts_replaced(
    settings: AuditSettings, cohorts: Sequence[tuple[str, str]], others: Iterable[str] = ()
) -> AuditSettings:
    """Return settings with other cohorts, without reference groups of those that are gone.

    Cohorts that the settings do not have are made after looking.
    ``others`` names the variables that are no cohorts, of which one may be called like a cohort's.
    Raises :class:`InputError` if cohorts are unusable whatever the table, as :class:`AuditSettings`
    does.
    """
    kept = {name for name, _ in cohorts}
    names = grouping.cohort_names(others, settings.all_cohorts)
    before = zip(names, settings.all_cohorts, strict=True)
    gone = {variable for variable, (name, _) in before if name not in kept}
    reference = tuple(pair for pair in settings.reference if pair[0] not in gone)
    asked = tuple(cohort for cohort in cohorts if cohort in settings.cohorts)
    looks = tuple(cohort for cohort in cohorts if cohort not in settings.cohorts)
    return replace(settings, cohorts=asked, looks=looks, reference=reference)


_NO_OUTPUTS = (
    "nothing is given of what your model said; give lower and upper, sets, prediction, quantiles "
    "or probabilities"
)
_FIELDS = {"y": "target", "sets": "label_set"}  # arguments that options have another name for


def audit_predictions(  # noqa: PLR0913 - one for each thing that a model may say
    y: Any,  # noqa: ANN401 - as those below: a column's name, or values of any library
    frame: Any,  # noqa: ANN401
    *,
    lower: Any = None,  # noqa: ANN401
    upper: Any = None,  # noqa: ANN401
    prediction: Any = None,  # noqa: ANN401
    sigma: Any = None,  # noqa: ANN401
    quantiles: Any = None,  # noqa: ANN401
    probabilities: Any = None,  # noqa: ANN401
    sets: Any = None,  # noqa: ANN401
    weight: Any = None,  # noqa: ANN401
    confidence_level: float = 0.9,
    **settings: Any,  # noqa: ANN401
) -> AuditResult:
    """Audit the outputs of a model of yours for n rows that it was not fitted on.

    It is the audit of the command line: the same table and settings give the same result. Say one
    of ``lower`` and ``upper``, ``prediction``, ``quantiles``, ``probabilities`` or ``sets``. Raises
    :class:`InputError`, which names the argument, if one is unusable.

    ``y`` is the label: as those below the name of a column of the frame, which is no feature then,
    or an array, series or list of n values. ``frame`` is what coverage is to be seen by: a data
    frame of any library that narwhals knows, a mapping of columns, or an array of shape (n, d). One
    that is not in memory, such as of duckdb, Dask or Spark, is counted where it is, if all is said
    by names and intervals or sets are ready. ``lower`` and ``upper`` are the ends of ready-made
    intervals, ``sets`` label sets as text or a collection of classes each; ``prediction`` numbers,
    with or without their spread ``sigma``; ``quantiles`` a pair, the lower one first.
    ``probabilities`` are the names of their columns, of which each has its class in its name, a
    frame of such, or an array of shape (n, K), the classes ascending; refused where that may mean
    two orders. ``weight`` says how often each row counts; ``settings`` are further options of
    :class:`AuditSettings`.
    """
    values = _Columns(frame)
    said = {"y": y, "lower": lower, "upper": upper, "prediction": prediction, "sigma": sigma}
    said |= {"weight": weight, "sets": _as_text(sets)}
    said = {name: value for name, value in said.items() if value is not None or name == "y"}
    given: dict[str, Any] = {_FIELDS.get(n, n): values.name_of(v, n) for n, v in said.items()}
    if quantiles is not None:
        given["quantiles"] = values.names_of(quantiles, "quantiles")
    if probabilities is not None:
        by_class = _with_classes(probabilities, values.frame[given["target"]])
        given["probabilities"] = values.names_of(by_class, "probabilities")
    chosen = AuditSettings(**given, **settings, confidence_level=confidence_level)
    if chosen.outputs is None:
        raise InputError("argument.no_outputs", _NO_OUTPUTS)
    return audit(values.table if chosen.is_ready_made else values.frame, chosen)


class _Columns:
    """A frame, to which values are added as columns with names of their own."""

    def __init__(self, frame: Any) -> None:  # noqa: ANN401
        self.table = as_table(frame, "frame")
        self._index = frame.index if isinstance(frame, pd.DataFrame) else None

    @property
    def frame(self) -> pd.DataFrame:
        """The frame in memory, as soon as anything needs it there."""
        if isinstance(self.table, LazyTable):
            self.table = self.table.collect()
        return self.table

    def names_of(self, values: Any, argument: str) -> tuple[str, ...]:  # noqa: ANN401
        """Return the names of several columns: given as such, as a mapping, or as pairs' ends."""
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise OPTIONS[argument].of_other_kind(values)
        named = values.items() if isinstance(values, Mapping) else ((argument, v) for v in values)
        return tuple(self.name_of(each, argument, called) for called, each in named)

    def name_of(self, value: Any, argument: str, called: str = "") -> str:  # noqa: ANN401
        """Return a column's name; values are added under that of their argument, or ``called``."""
        if isinstance(value, str):
            try:
                table = self.table
                names = table.names if isinstance(table, LazyTable) else table.columns
                check_exists([*map(str, names)], value)
            except InputError as error:
                code, sentence = "argument.unknown_column", "{argument}: {problem}"
                raise InputError(code, sentence, argument=argument, problem=error) from None
            return value
        if isinstance(value, pd.Series) and not (
            self._index is None or value.index.equals(self._index)
        ):
            sentence = (
                "{argument} has another index than the frame, so that its rows may be others; give "
                "its values as an array, in the order of the frame's rows"
            )
            raise InputError("argument.index", sentence, argument=argument)
        series = as_series(value, argument)
        if len(series) != len(self.frame):
            sentence = "{argument} has {given} values, and the frame {rows} rows; give one for each"
            n, rows = len(series), len(self.frame)
            raise InputError("argument.length", sentence, argument=argument, given=n, rows=rows)
        name = told_apart([called or argument], taken=map(str, self.frame))[0]
        self.table = self.frame.assign(**{name: series.array})
        return name


def _as_text(sets: Any) -> Any:  # noqa: ANN401
    """Return sets as text, where there is a collection of classes for each row."""
    if sets is None:
        return None
    rows = isinstance(sets, Sequence | pd.Series | np.ndarray) and not isinstance(sets, str)
    if not rows or not len(sets) or any(isinstance(each, str) for each in sets):
        return sets
    texts = [
        f"{{{'; '.join(map(level_name, each))}}}" if isinstance(each, Collection) else each
        for each in sets
    ]
    return pd.Series(texts, sets.index) if isinstance(sets, pd.Series) else texts


def _with_classes(probabilities: Any, label: pd.Series) -> Any:  # noqa: ANN401
    """Return the columns of a frame or array by names that hold their class."""
    if isinstance(probabilities, pd.DataFrame):  # whose columns have an index to compare
        return {str(name): column for name, column in probabilities.items()}
    if hasattr(probabilities, "columns"):
        columns = _Columns(probabilities).frame
        return {name: columns[name] for name in columns}
    if isinstance(probabilities, str) or not isinstance(probabilities, np.ndarray):
        return [probabilities] if isinstance(probabilities, str) else probabilities
    matrix = probabilities.reshape(len(probabilities), -1)
    classes = _in_order(label)
    if matrix.shape[1] == 1:  # of the second of two classes, as scikit-learn has it
        classes = classes[1:]
    if len(classes) != matrix.shape[1]:
        sentence = (
            "probabilities has {given} columns, and y {count} classes; give one for each class, or "
            "a frame whose columns are named after them"
        )
        count = len({*as_levels(label).dropna()})
        raise InputError("argument.classes", sentence, given=matrix.shape[1], count=count)
    return {f"p_{name}": matrix[:, place] for place, name in enumerate(classes)}


def _in_order(label: pd.Series) -> list[str]:
    """Return the classes in ascending order; refused where that may mean two things."""
    classes = sorted(as_levels(label).dropna().unique(), key=value_order)
    orders = [classes] if column_kind(label) == "number" else [classes, sorted(classes)]
    if isinstance(label.dtype, pd.CategoricalDtype) and label.dtype.ordered:
        own = as_levels(pd.Series(label.dtype.categories))
        orders.append([name for name in own if name in {*classes}])
    pairs = ((one, other) for order in orders for one, other in zip(classes, order, strict=True))
    for one, other in pairs:
        if one != other:
            sentence = (
                "is a column of probabilities that of '{one}' or of '{other}'? Give a frame "
                "whose columns are named after the classes, such as p_{one}"
            )
            raise InputError("argument.class_order", sentence, one=one, other=other)
    return classes
