"""Everything a person chooses about an audit."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..conformal.measures import MEASURES, Task
from ..conformal.rank import exact_significance
from ..coverage.estimators import ESTIMATORS, IFACM_ESTIMATORS
from ..errors import InputError
from ..messages import shown
from ..remedies.ifacm.penalties import PENALTIES
from ..remedies.ifacm.searches import SEARCHES
from .settings_checks import BINS, check_cohorts, check_segment_choices

MOST = 2**53 - 1
"""Of whole numbers: larger ones do not come through JSON unchanged everywhere."""

TASKS: tuple[Literal["auto"] | Task, ...] = ("auto", "regression", "classification")


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """The options of an audit; names and meaning are those of the command line.

    Attributes
    ----------
    target
        The label's column.
    task
        "auto" takes a numeric label with many values for a regression.
    confidence_level
        CL, strictly between 0 and 1.
    penalty
        C >= 0, the weight on an increase in mean width or set size.
    penalty_form
        Name of what an increase counts, of ``PENALTIES``.
    search
        Name of the search for IFACM's layers, of ``SEARCHES``.
    estimator
        Name of the estimator of p(x) that DCV and the like are measured with, of ``ESTIMATORS``.
    ifacm_estimator
        Name of the estimator of p(x) within IFACM, of ``IFACM_ESTIMATORS``.
    permutations
        Number of simulated outcomes for a floor, and of permuted ones for a p-value, of the test
        rows; 0 for neither.
    measure
        Name of the base conformity measure; None for the task's default.
    features
        Columns the model may use; None for every usable one.
    drop
        Columns to leave out.
    audit_only
        Columns shown to neither model nor remedy, only used in segment tables.
    categorical
        Numeric columns to treat as categories.
    numeric
        Text columns to read as numbers; what is none counts as missing.
    log_target
        Model the logarithm of the label.
    split
        Three shares that sum to 1, or three counts of rows: training, calibration, test.
    split_column
        A column that says train, calibration or test, instead of ``split``.
    stratify
        Divide every class in the proportions of the split.
    group
        A column whose equal values stay in one set.
    time
        A column by which the earliest rows train and the latest are tested.
    seed
        Of the random split; at most ``MOST``, as are the other whole numbers.
    repeats
        Number of seeds to audit with, from ``seed`` up.
    pairs
        Pairs of columns whose intersections are segments, too.
    bins
        Number of bands between quantiles of the training rows, for numbers of many values.
    cuts
        Columns of numbers, or a numeric label, and the bounds of their bands instead.
    reference
        Variables of the segment table and the segment the others are compared with, instead of
        the largest.
    cohorts
        Names, and the rules of the rows that they are for, as :func:`core.rules.parse_rule` reads
        them: segments that are compared with all other rows.

    Raises
    ------
    InputError
        If a value is unusable whatever the table.
    """

    target: str
    task: Literal["auto"] | Task = "auto"
    confidence_level: float = 0.9
    penalty: float = 0.5
    penalty_form: str = next(iter(PENALTIES))
    search: str = next(iter(SEARCHES))
    estimator: str = next(iter(ESTIMATORS))
    ifacm_estimator: str = next(iter(IFACM_ESTIMATORS))
    permutations: int = 0
    measure: str | None = None
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    audit_only: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    log_target: bool = False
    split: str = "0.4,0.3,0.3"
    split_column: str | None = None
    stratify: bool = False
    group: str | None = None
    time: str | None = None
    seed: int = 0
    repeats: int = 1
    pairs: tuple[tuple[str, str], ...] = ()
    bins: int = BINS
    cuts: tuple[tuple[str, tuple[float, ...]], ...] = ()
    reference: tuple[tuple[str, str], ...] = ()
    cohorts: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        exact_significance(self.confidence_level)
        if not (math.isfinite(self.penalty) and self.penalty >= 0.0):
            raise InputError(f"penalty C is {self.penalty}; give a number of 0 or more")
        _check_whole("seed", self.seed, 0)
        _check_whole("repeats", self.repeats, 1)
        _check_whole("the last repeat's seed", self.seed + self.repeats - 1, 0)
        _check_whole("permutations", self.permutations, 0)
        _check_name("task", self.task, TASKS)
        self._check_one_way_to_split()
        check_segment_choices(self.pairs, self.bins, self.cuts, self.reference)
        check_cohorts(self.cohorts)
        _check_name("measure", self.measure, MEASURES)
        _check_name("penalty", self.penalty_form, PENALTIES)
        _check_name("search", self.search, SEARCHES)
        _check_name("estimator", self.estimator, ESTIMATORS)
        if self.ifacm_estimator in ESTIMATORS.keys() - IFACM_ESTIMATORS:
            raise InputError(
                f"estimator '{self.ifacm_estimator}' does not serve within IFACM, where it takes "
                "many times as long as the logistic for the same straight lines; choose "
                f"{_names(IFACM_ESTIMATORS)}"
            )
        _check_name("estimator within IFACM", self.ifacm_estimator, IFACM_ESTIMATORS)

    def _check_one_way_to_split(self) -> None:
        ways = {
            "the split column": self.split_column is not None,
            "stratification": self.stratify,
            "the group column": self.group is not None,
            "the time column": self.time is not None,
        }
        chosen = [way for way, is_chosen in ways.items() if is_chosen]
        if len(chosen) > 1:
            raise InputError(f"{' and '.join(chosen)} cannot both divide the rows; choose one")
        fixed = self.split_column or self.time
        if self.repeats > 1 and fixed is not None:
            raise InputError(
                f"column '{fixed}' divides the rows, so repeats would all be the same; choose 1 "
                "repeat"
            )

    def measure_for(self, task: Task) -> str:
        """Return the name of the conformity measure to use for a task.

        Raises
        ------
        InputError
            If the measure asked for serves the other task.
        """
        serving = [name for name, entry in MEASURES.items() if entry.task == task]
        measure = serving[0] if self.measure is None else self.measure
        _check_serves("measure", measure, task, serving)
        return measure

    def check_penalty_for(self, task: Task) -> None:
        """Raise :class:`InputError` if the penalty asked for serves the other task."""
        serving = [name for name, penalty in PENALTIES.items() if task in penalty.tasks]
        _check_serves("penalty", self.penalty_form, task, serving)


def _check_whole(what: str, number: int, least: int) -> None:
    if not isinstance(number, int) or number < least:
        raise InputError(f"{what} is {shown(number)}; give a whole number of {least} or more")
    if number > MOST:
        raise InputError(f"{what} is {shown(number)}; give at most {MOST}")


def _check_name(what: str, name: str | None, names: Iterable[str]) -> None:
    if name is not None and name not in names:
        raise InputError(f"there is no {what} '{shown(name)}'; choose {_names(names)}")


def _check_serves(what: str, name: str, task: Task, serving: Iterable[str]) -> None:
    if name not in serving:
        raise InputError(f"{what} '{name}' does not serve a {task}; choose {_names(serving)}")


def _names(names: Iterable[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)
