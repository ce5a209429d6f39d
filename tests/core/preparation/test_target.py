"""Labels: the task they pose, their coding, and errors that name the row to mend."""

import re

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.target import as_numeric, class_label, detect_task, numeric_label
from evencover.core.rows.outcomes import IntervalSets
from evencover.core.tables.columns import Column


def label(values, **kwargs):
    return pd.Series(values, name="y", **kwargs)


def numeric(values, *, logarithmic=False, train=None, **kwargs):
    column = label(values, **kwargs)
    train = np.arange(len(column)) if train is None else np.array(train)
    return numeric_label(as_numeric(Column.of(column)), train, logarithmic=logarithmic)


class TestTask:
    @pytest.mark.parametrize(
        ("values", "task"),
        [
            (np.arange(40) % 12, "classification"),
            (np.arange(40) % 13, "regression"),
            (np.arange(40) * 0.5, "regression"),
            ([0, 1] * 20, "classification"),
            ([0.0, 1.0] * 20, "classification"),
            ([True, False] * 20, "classification"),
            (["a", "b"] * 20, "classification"),
            ([f"t{i}" for i in range(40)], "classification"),
            ([1.5, 2.5, 3.5, 4.5], "regression"),  # few rows, with values of their own
            (pd.Categorical(range(40)), "classification"),
            (pd.array(range(40), dtype="Int64"), "regression"),
        ],
    )
    def test_numbers_with_more_than_twelve_values_are_a_regression(self, values, task):
        assert detect_task(Column.of(label(values))) == task


class TestNumeric:
    def test_standardised_by_the_training_rows(self):
        coded = numeric([1.0, 3.0, 100.0], train=[0, 1])
        assert (coded.mean, coded.scale) == (2.0, 1.0)
        assert coded.y.tolist() == [-1.0, 1.0, 98.0]

    def test_the_other_rows_teach_nothing(self):
        one = numeric([1.0, 3.0, 100.0], train=[0, 1])
        other = numeric([1.0, 3.0, -5.0], train=[0, 1])
        assert one.y[:2].tolist() == other.y[:2].tolist()

    def test_logarithm_first_then_standardised(self):
        coded = numeric([np.exp(1.0), np.exp(3.0), np.exp(4.0)], logarithmic=True, train=[0, 1])
        assert (coded.mean, coded.scale) == pytest.approx((2.0, 1.0))
        assert coded.y == pytest.approx([-1.0, 1.0, 2.0])

    @pytest.mark.parametrize(
        ("values", "logarithmic", "lower", "upper", "width"),
        [
            ([0.0, 20.0], False, [-1.0, 0.0], [1.0, 3.0], 25.0),
            # of a log label, means of differences of exponentials
            (
                [np.exp(1.0), np.exp(3.0)],
                True,
                [-1.0, 0.0],
                [1.0, 0.5],
                (np.exp(3.0) - np.exp(1.0) + np.exp(2.5) - np.exp(2.0)) / 2,
            ),
            *(([1.0, 3.0], as_log, [-np.inf], [np.inf], np.inf) for as_log in (True, False)),
            # beyond all floats, infinite and not undefined
            ([np.exp(1.0), np.exp(3.0)], True, [1000.0, -1.0], [1001.0, 1.0], np.inf),
        ],
    )
    def test_widths_in_the_labels_units(self, values, logarithmic, lower, upper, width):
        sets = IntervalSets(np.array(lower), np.array(upper))
        in_units = numeric(values, logarithmic=logarithmic).in_units(sets)
        assert in_units.sizes.mean() == pytest.approx(width)

    @pytest.mark.parametrize(
        ("values", "options", "told"),
        [
            *(
                ([1.0, 2.0, value, -7.0], {"logarithmic": True}, f"is {shown} in row 3, which has")
                for value, shown in ((0.0, "0"), (-2.5, "-2.5"), (-1e-9, "-1e-09"))
            ),
            # the row is the table's own where rows were left out
            ([1.0, 2.0, 0.0], {"logarithmic": True, "index": [0, 4, 8]}, "is 0 in row 9, which"),
            *(
                ([1.0, value, 3.0], {}, f"'y' holds {value} in row 2, which is too large")
                for value in (np.inf, -np.inf, 1e300)
            ),
            (["1", "2", "n/k", "x"], {"index": [0, 2, 5, 6]}, "'n/k' in row 6, which is not a num"),
            ([True, False] * 20, {}, "'True' in row 1, which is not a number"),
            ([5.0, 5.0, 7.0], {"train": [0, 1]}, "'y' is constant in the training rows"),
            ([0.1, 0.1, 0.3], {"train": [0, 1]}, "'y' is constant in the training rows"),
        ],
    )
    def test_what_is_no_label_is_told_with_its_row(self, values, options, told):
        with pytest.raises(InputError, match=re.escape(told)):
            numeric(values, **options)

    @pytest.mark.parametrize("dtype", ["str", "category"])
    def test_numbers_written_as_text_are_numbers(self, dtype):
        values = label([str(i) for i in range(40)], dtype=dtype)
        assert numeric_label(Column.of(values), np.arange(40), logarithmic=False).mean == 19.5


class TestClasses:
    @pytest.mark.parametrize(
        ("values", "classes"),
        [
            ([10, 9, 2], ("2", "9", "10")),
            ([3.0, 1.0], ("1", "3")),
            (["b", "a"], ("a", "b")),
            (["b", "10", "9"], ("9", "10", "b")),
            ([True, False], ("False", "True")),
        ],
    )
    def test_classes_are_in_order_numbers_by_value(self, values, classes):
        coded = class_label(Column.of(label(values * 4)))
        assert coded.classes == classes

    def test_codes_are_positions_in_the_classes(self):
        coded = class_label(Column.of(label(["b", "a", "b", "c"] * 3)))
        assert coded.y[:4].tolist() == [1, 0, 1, 2]

    def test_declared_classes_that_do_not_occur_are_none(self):
        coded = class_label(
            Column.of(label(pd.Categorical(["b", "a"] * 4, categories=["z", "a", "b"])))
        )
        assert coded.classes == ("a", "b")

    def test_one_and_the_text_one_are_one_class(self):
        coded = class_label(Column.of(label(pd.Categorical([1, "1", 2, 1] * 4))))
        assert coded.classes == ("1", "2")
        assert coded.y[:4].tolist() == [0, 0, 1, 0]

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            (["a"] * 40, "constant ('a' in every row)"),
            ([f"c{i % 21}" for i in range(40)], "21 different values in 40 rows, too many"),
            ([f"c{i % 201}" for i in range(900)], "201 different values in 900 rows, too many"),
        ],
    )
    def test_one_class_or_too_many_are_told(self, values, told):
        assert len(class_label(Column.of(label([f"c{i % 20}" for i in range(40)]))).classes) == 20
        with pytest.raises(InputError, match=re.escape(told)):
            class_label(Column.of(label(values)))
