"""Labels: the task they pose, their coding, and errors that name the row to mend."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.target import as_numeric, class_label, detect_task, numeric_label
from evencover.core.rows.outcomes import IntervalSets, LabelSets
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
        ],
    )
    def test_numbers_with_more_than_twelve_values_are_a_regression(self, values, task):
        assert detect_task(Column.of(label(values))) == task

    def test_few_rows_with_values_of_their_own_are_a_regression(self):
        assert detect_task(Column.of(label([1.5, 2.5, 3.5, 4.5]))) == "regression"

    def test_numbers_declared_as_categories_are_classes(self):
        assert detect_task(Column.of(label(range(40), dtype="category"))) == "classification"

    def test_nullable_integers_are_numbers(self):
        assert detect_task(Column.of(label(range(40), dtype="Int64"))) == "regression"


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

    def test_widths_in_original_units(self):
        coded = numeric([0.0, 20.0])
        sets = IntervalSets(np.array([-1.0, 0.0]), np.array([1.0, 3.0]))
        assert coded.in_units(sets).sizes.mean() == pytest.approx(25.0)

    def test_widths_of_a_log_label_are_means_of_differences_of_exponentials(self):
        coded = numeric([np.exp(1.0), np.exp(3.0)], logarithmic=True)
        sets = IntervalSets(np.array([-1.0, 0.0]), np.array([1.0, 0.5]))
        expected = ((np.exp(3.0) - np.exp(1.0)) + (np.exp(2.5) - np.exp(2.0))) / 2
        assert coded.in_units(sets).sizes.mean() == pytest.approx(expected)

    @pytest.mark.parametrize("logarithmic", [True, False])
    def test_infinite_intervals_have_infinite_width(self, logarithmic):
        coded = numeric([1.0, 3.0], logarithmic=logarithmic)
        sets = IntervalSets(np.array([-np.inf]), np.array([np.inf]))
        assert coded.in_units(sets).sizes.mean() == np.inf

    def test_a_log_interval_beyond_all_floats_is_infinite_not_undefined(self):
        coded = numeric([np.exp(1.0), np.exp(3.0)], logarithmic=True)
        sets = IntervalSets(np.array([1000.0, -1.0]), np.array([1001.0, 1.0]))
        assert coded.in_units(sets).sizes.mean() == np.inf

    @pytest.mark.parametrize(("value", "shown"), [(0.0, "0"), (-2.5, "-2.5"), (-1e-9, "-1e-09")])
    def test_a_value_without_logarithm_is_named_with_its_row(self, value, shown):
        with pytest.raises(InputError, match=rf"label 'y' is {shown} in row 3, which has no log"):
            numeric([1.0, 2.0, value, -7.0], logarithmic=True)

    def test_the_row_is_the_tables_own_where_rows_were_left_out(self):
        with pytest.raises(InputError, match=r"is 0 in row 9, which"):
            numeric([1.0, 2.0, 0.0], logarithmic=True, index=[0, 4, 8])

    @pytest.mark.parametrize("value", [np.inf, -np.inf, 1e300])
    def test_a_value_too_large_is_named_with_its_row(self, value):
        with pytest.raises(InputError, match=r"'y' holds .* in row 2, which is too large"):
            numeric([1.0, value, 3.0])

    def test_text_is_named_with_its_row(self):
        with pytest.raises(InputError, match=r"'y' holds 'n/k' in row 6, which is not a number"):
            numeric(["1", "2", "n/k", "x"], index=[0, 2, 5, 6])

    @pytest.mark.parametrize("dtype", ["str", "category"])
    def test_numbers_written_as_text_are_numbers(self, dtype):
        values = label([str(i) for i in range(40)], dtype=dtype)
        assert numeric_label(Column.of(values), np.arange(40), logarithmic=False).mean == 19.5

    def test_booleans_are_no_numbers(self):
        with pytest.raises(InputError, match="'True' in row 1, which is not a number"):
            numeric([True, False] * 20)

    @pytest.mark.parametrize("values", [[5.0, 5.0, 7.0], [0.1, 0.1, 0.3]])
    def test_constant_in_training(self, values):
        with pytest.raises(InputError, match="'y' is constant in the training rows"):
            numeric(values, train=[0, 1])


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

    def test_the_size_in_original_units_is_the_number_of_labels(self):
        coded = class_label(Column.of(label(["a", "b", "c"] * 4)))
        members = np.array([[True, True, False], [False, False, False], [True, True, True]])
        assert coded.in_units(LabelSets(members)).sizes.mean() == pytest.approx(5 / 3)

    def test_a_single_class(self):
        with pytest.raises(InputError, match=r"constant \('a' in every row\)"):
            class_label(Column.of(label(["a"] * 40)))

    @pytest.mark.parametrize(
        ("n", "k", "fine"), [(40, 20, True), (40, 21, False), (900, 201, False)]
    )
    def test_too_many_classes(self, n, k, fine):
        values = label([f"c{i % k}" for i in range(n)])
        if fine:
            assert len(class_label(Column.of(values)).classes) == k
            return
        with pytest.raises(InputError, match=f"{k} different values in {n} rows, too many"):
            class_label(Column.of(values))
