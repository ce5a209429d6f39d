"""The label: which task it poses, and how it is coded for the models."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..arrays import FloatArray, IndexArray
from ..conformal.measures import Task
from ..messages import Cell, InputError
from ..rows.outcomes import IntervalSets, PredictionSets
from ..rows.weights import Weights, weighted_deviation, weighted_mean
from ..scoring.arithmetic import in_units
from ..scoring.columns import LARGEST
from ..scoring.outputs import Output
from ..tables.columns import Column, value_order

FEW_VALUES = 12  # a numeric label with at most this many distinct values is taken for classes
MOST_CLASSES = 200


@dataclass(frozen=True)
class NumericLabel:
    """A number, or its logarithm, standardised by mean and scale of the training rows."""

    y: FloatArray
    mean: float
    scale: float
    logarithmic: bool
    task: Task = "regression"

    @property
    def measure_parameters(self) -> dict[str, Any]:
        """What a conformity measure has to know of the label beside the training rows: nothing."""
        return {}

    def coded(self, values: FloatArray) -> FloatArray:
        """Return numbers in the label's units on the scale of ``y``; -inf for the log of 0."""
        with np.errstate(divide="ignore", over="ignore"):
            logs = np.log(values) if self.logarithmic else values
            return (logs - self.mean) / self.scale

    def output(self, column: str) -> Output:
        """Return :meth:`coded` of a column of numbers, as it is written down."""
        return Output(column, self.mean, self.scale, self.logarithmic)

    def in_units(self, sets: PredictionSets) -> IntervalSets:
        """Return the intervals in the label's units: (exp(lower), exp(upper)) for a log label."""
        assert isinstance(sets, IntervalSets)  # noqa: S101
        of = partial(in_units, mean=self.mean, scale=self.scale, logarithmic=self.logarithmic)
        return IntervalSets(of(sets.lower), of(sets.upper))

    def beyond(self, y: FloatArray, times: float) -> tuple[float, float]:
        """Return the ends of labels, shape (n,), moved outwards by so many times their range.

        That is in the label's units; ends are on the scale of ``y``.
        """
        ends = self.range_of(y)
        with np.errstate(over="ignore"):  # farther than any number
            out = times * ends.sizes
        low = np.maximum(ends.lower - out, 0.0) if self.logarithmic else ends.lower - out
        moved = float(self.coded(low)[0]), float(self.coded(ends.upper + out)[0])
        return min(moved[0], float(y.min())), max(moved[1], float(y.max()))  # but for rounding

    def range_of(self, y: FloatArray) -> IntervalSets:
        """Return the interval from the smallest to the largest of labels, in the label's units."""
        return self.in_units(IntervalSets(y.min(keepdims=True), y.max(keepdims=True)))


@dataclass(frozen=True)
class ClassLabel:
    """One of K classes, coded 0 .. K-1 in the order of ``classes``."""

    y: IndexArray
    classes: tuple[str, ...]
    task: Task = "classification"
    scale: ClassVar[float] = 1.0
    logarithmic: ClassVar[bool] = False

    @property
    def measure_parameters(self) -> dict[str, Any]:
        """The labels, which training rows alone may not show."""
        return {"n_labels": len(self.classes), "names": self.classes}

    def in_units(self, sets: PredictionSets) -> PredictionSets:
        """Return the sets as they are."""
        return sets


LabelCoding = NumericLabel | ClassLabel
"""How label values become what the conformity measures work on, and back."""


def detect_task(label: Column) -> Task:
    """Return the task a label poses: numbers with many values are a regression."""
    many = label.series.nunique() > min(FEW_VALUES, len(label) // 2)
    return "regression" if label.holds == "number" and many else "classification"


def numeric_label(
    label: Column, train: IndexArray, weights: Weights = None, *, logarithmic: bool
) -> NumericLabel:
    """Code a label of numbers, none missing; refused if constant, or one has no logarithm.

    Mean and scale are those of the positions ``train``, whose ``weights`` these are.
    """
    label.check_finite()
    values = label.numbers
    if logarithmic:
        such = int((values <= 0.0).sum())
        sentence = (
            "label '{column}' is {value} in row {row}, which has no logarithm "
            f"(such rows: {such}); model the label itself, or leave them out"
        )
        label.refuse(
            values <= 0.0, "label.no_logarithm", sentence, lambda row: f"{label.numbers[row]:g}"
        )
        values = np.log(values)
    mean, scale = weighted_mean(values[train], weights), weighted_deviation(values[train], weights)
    if np.ptp(values[train]) == 0.0 or scale == 0.0:
        sentence = "label '{column}' is constant in the training rows; choose another label"
        raise InputError("label.constant", sentence, column=label.name)
    if np.ptp(values) / LARGEST > scale:
        sentence = (
            "label '{column}' hardly varies in the training rows; choose another label or split"
        )
        raise InputError("label.hardly_varies", sentence, column=label.name)
    return NumericLabel((values - mean) / scale, mean, scale, logarithmic)


def class_label(label: Column, others: Collection[str] = ()) -> ClassLabel:
    """Code a label, no value missing, as classes; refused if they are fewer than two, or many.

    ``others`` are classes that no row has, which model outputs have.
    """
    levels = label.levels
    classes = sorted({*levels.unique(), *others}, key=value_order)
    if len(classes) == 1:
        sentence = "label '{column}' is constant ('{value}' in every row); choose another label"
        raise InputError("label.constant", sentence, column=label.name, value=Cell(classes[0]))
    if len(classes) > min(MOST_CLASSES, len(label) // 2):
        sentence = (
            "label '{column}' has {count} different values in {rows} rows, too many for classes; "
            "choose another label, or the task regression if it is a number"
        )
        about = {"column": label.name, "count": len(classes), "rows": len(label)}
        raise InputError("label.too_many_classes", sentence, **about)
    return ClassLabel(pd.Index(classes).get_indexer(levels), tuple(classes))


def as_numeric(label: Column) -> Column:
    """Return the label as numbers, also where they are stored as text; refused if one is none."""
    if label.holds == "number":
        return label
    numbers = pd.to_numeric(label.levels, errors="coerce")
    sentence = (
        "label '{column}' holds '{value}' in row {row}, which is not a number; mend that value, "
        "have the column read as numbers, or choose the task classification"
    )
    if numbers.isna().any():
        label.refuse_text("label.no_number", sentence)
    return Column.of(numbers)
