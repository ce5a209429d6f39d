"""DCV against training rows and predictors: the paper's further work, item 2.

Overfitting, or estimation noise? DCV on training and test rows beside the floors that noise
alone explains, for GPU with its other settings as in line 11 of the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from evencover.core.coverage.dcv import adjusted_floor, noise_floor
from evencover.core.experiment.means import spread

from .agreement import mean
from .paper import Case
from .results_table import row_of
from .runs import Record, Run

CASE = Case("gpu", "normalized", 0.9, 0.5)
TRAINING_ROWS = (1000, 2500, 5000, 10_000, 20_000, 40_000)
NOISE_ROWS = 5000
NOISE_COLUMNS = (0, 14, 42, 98)

Sweep = Literal["training rows", "predictors"]
SWEEPS: tuple[Sweep, ...] = get_args(Sweep)


@dataclass(frozen=True)
class StudyRow:
    """Means over seeds at one size of the training set and one number of predictors.

    ``floor`` is the DCV of a faultless predictor on the test rows by estimation noise alone,
    ``adjusted_floor`` the least one to be had after an adjustment with as many terms.
    """

    sweep: Sweep
    n_train: int
    predictors: int
    runs: int
    base_training: float
    base_test: float
    ifacm_training: float
    ifacm_test: float
    ifacm_test_sd: float
    floor: float
    adjusted_floor: float


def study_runs(seeds: Sequence[int]) -> list[Run]:
    """Return the runs of both sweeps."""
    sizes = [(n_train, 0) for n_train in TRAINING_ROWS]
    sizes += [(NOISE_ROWS, noise) for noise in NOISE_COLUMNS if noise > 0]
    return [
        Run(CASE, seed, n_train=n_train, noise=noise) for n_train, noise in sizes for seed in seeds
    ]


def study_rows(records: Mapping[Run, Record]) -> list[StudyRow]:
    """Return the study's figures, in the order of both sweeps."""
    by_size: dict[tuple[int, int], list[Record]] = {}
    for run, record in records.items():
        by_size.setdefault((run.n_train or 0, run.noise), []).append(record)
    rows = [_row("training rows", n, found) for (n, noise), found in by_size.items() if noise == 0]
    rows += [_row("predictors", n, found) for (n, _), found in by_size.items() if n == NOISE_ROWS]
    return rows


def _row(sweep: Sweep, n_train: int, records: Sequence[Record]) -> StudyRow:
    def values(segment: str, algorithm: str, figure: str = "dcv") -> list[float]:
        return [row_of(record, segment, algorithm)[figure] for record in records]

    counts = [record["data"] for record in records]
    predictors = len(counts[0]["encoded_features"])
    level = CASE.confidence_level
    sizes = [(len(n["encoded_features"]) + 1, n["train"], n["test"]) for n in counts]
    return StudyRow(
        sweep,
        n_train,
        predictors,
        runs=len(records),
        base_training=mean(values("training", "base")),
        base_test=mean(values("test", "base")),
        ifacm_training=mean(values("training", "ifacm")),
        ifacm_test=mean(values("test", "ifacm")),
        ifacm_test_sd=spread(values("test", "ifacm")),
        floor=mean([noise_floor(k, test, level) for k, _, test in sizes]),
        # after an adjustment, whether or not one was found
        adjusted_floor=mean([adjusted_floor(*of_run, level) for of_run in sizes]),
    )
