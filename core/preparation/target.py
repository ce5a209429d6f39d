"""The label: which task it poses, and how it is coded for the models."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray
from ..conformal.measures import Task
from ..conformal.prediction_sets import IntervalSets, PredictionSets
from ..errors import InputError
from ..messages import Cell
from ..tables.columns import Column, value_order

FEW_VALUES = 12
"""A numeric label with at most this many distinct values is taken for classes."""

MOST_CLASSES = 200


class LabelCoding(ABC):
    """How label values become what the conformity measures work on, and back."""

    task: Task
    y: NDArray[Any]

    @property
    @abstractmethod
    def measure_parameters(self) -> dict[str, Any]:
        """What a conformity measure for this task must be told of the label."""

    @abstractmethod
    def in_units(self, sets: PredictionSets) -> PredictionSets:
        """Return prediction sets in the label's own units."""

    @abstractmethod
    def original_inefficiency(self, sets: PredictionSets) -> float:
        """Return the mean size of prediction sets in the label's own units."""


@dataclass(frozen=True)
class NumericLabel(LabelCoding):
    """A number, or its logarithm, standardised by the training rows.

    Attributes
    ----------
    y
        Standardised values, shape (n,).
    mean, scale
        Of the training rows, after the logarithm if there is one.
    logarithmic
        Whether the logarithm of the label is modelled.
    """

    y: FloatArray
    mean: float
    scale: float
    logarithmic: bool
    task: Task = "regression"

    @property
    def measure_parameters(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def in_units(self, sets: PredictionSets) -> IntervalSets:
        """Return the intervals in the label's units: (exp(lower), exp(upper)) for a log label."""
        assert isinstance(sets, IntervalSets)  # noqa: S101
        with np.errstate(over="ignore"):
            lower, upper = (end * self.scale + self.mean for end in (sets.lower, sets.upper))
            if self.logarithmic:
                lower, upper = np.exp(lower), np.exp(upper)
        return IntervalSets(lower, upper)

    def original_inefficiency(self, sets: PredictionSets) -> float:
        """Return the mean width in the label's units: exp(upper) - exp(lower) for a log label."""
        if not self.logarithmic:
            with np.errstate(over="ignore"):
                return float(sets.sizes.mean() * self.scale)
        ends = self.in_units(sets)
        with np.errstate(invalid="ignore"):
            widths = np.where(np.isinf(ends.upper), np.inf, ends.upper - ends.lower)
        return float(widths.mean())


@dataclass(frozen=True)
class ClassLabel(LabelCoding):
    """One of K classes, coded 0 .. K-1 in the order of ``classes``."""

    y: IndexArray
    classes: tuple[str, ...]
    task: Task = "classification"

    @property
    def measure_parameters(self) -> dict[str, Any]:
        """The number of labels, which training rows alone may not show."""
        return {"n_labels": len(self.classes)}

    def in_units(self, sets: PredictionSets) -> PredictionSets:
        """Return the sets as they are."""
        return sets

    def original_inefficiency(self, sets: PredictionSets) -> float:
        """Return the mean number of labels."""
        return float(sets.sizes.mean())


def detect_task(label: Column) -> Task:
    """Return the task a label poses: numbers with many values are a regression."""
    is_number = label.holds == "number"
    many = label.series.nunique() > min(FEW_VALUES, len(label) // 2)
    return "regression" if is_number and many else "classification"


def numeric_label(label: Column, train: IndexArray, *, logarithmic: bool) -> NumericLabel:
    """Code a label of numbers without missing values.

    Raises :class:`InputError` if a value is infinite, or has no logarithm where one is asked for;
    or if the label is constant.
    """
    label.check_finite()
    values = label.numbers
    if logarithmic:
        if (values <= 0.0).any():
            row = int((values <= 0.0).argmax())
            sentence = (
                "label '{column}' is {value} in row {row}, which has no logarithm; model the "
                "label itself, or leave out that row"
            )
            raise label.refusal("label.no_logarithm", sentence, row, f"{values[row]:g}")
        values = np.log(values)
    mean, scale = float(values[train].mean()), float(values[train].std())
    if np.ptp(values[train]) == 0.0 or scale == 0.0:
        sentence = "label '{column}' is constant in the training rows; choose another label"
        raise InputError("label.constant", sentence, column=label.name)
    return NumericLabel((values - mean) / scale, mean, scale, logarithmic)


def class_label(label: Column) -> ClassLabel:
    """Code a label without missing values as classes.

    Raises :class:`InputError` if there are fewer than two classes, or more than can sensibly be
    told apart.
    """
    levels = label.levels
    classes = sorted(levels.unique(), key=value_order)
    if len(classes) == 1:
        sentence = "label '{column}' is constant ('{value}' in every row); choose another label"
        raise InputError("label.constant", sentence, column=label.name, value=Cell(classes[0]))
    if len(classes) > min(MOST_CLASSES, len(label) // 2):
        raise InputError(
            "label.too_many_classes",
            "label '{column}' has {count} different values in {rows} rows, too many for classes; "
            "choose another label, or the task regression if it is a number",
            column=label.name,
            count=len(classes),
            rows=len(label),
        )
    codes = pd.Index(classes).get_indexer(levels)
    return ClassLabel(codes, tuple(classes))


def as_numeric(label: Column) -> Column:
    """Return the label as numbers, also where they are stored as text.

    Raises :class:`InputError` if a value is not a number.
    """
    if label.holds == "number":
        return label
    texts = label.levels
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().any():
        position = int(numbers.isna().to_numpy().argmax())
        sentence = (
            "label '{column}' holds '{value}' in row {row}, which is not a number; mend that "
            "value, have the column read as numbers, or choose the task classification"
        )
        raise label.refusal("label.no_number", sentence, position, texts.iloc[position])
    return Column.of(numbers)
