"""The audit of a user's own model's outputs, from Python: arrays, or columns of any data frame.

>>> x = np.linspace(0.0, 1.0, 200)
>>> result = audit_predictions(x + x**2, {"x": x}, lower=x - 0.1, upper=x + 0.8)
>>> round(result.row("test", result.reference).accuracy, 2)
0.89
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..messages import InputError, told_apart
from ..preparation.settings import AuditSettings
from ..tables.columns import as_levels, check_exists, column_kind, level_name, value_order
from ..tables.lazy import LazyTable
from ..tables.reading import as_series, as_table
from .audit import audit
from .result import AuditResult

_NO_OUTPUTS = (
    "nothing is given of what your model said; give lower and upper, sets, prediction, quantiles "
    "or probabilities"
)
_FIELDS = {"y": "target", "sets": "label_set"}
"""Arguments that an option of the audit has another name for."""


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
    said = {name: value for name, value in said.items() if value is not None}
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
