"""What other penalties, another search, and other sizes of the data make of the paper's cases."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evencover.core.conformal.names import MEASURES
from evencover.core.coverage.dcv import noise_floor
from evencover.core.experiment.compared_rows import spread
from evencover.core.remedies.ifacm.choices import PENALTY_FORMS

from .paper import Case, PaperLine, columns_of
from .runs import PaperRun, Record, Records, row_of
from .tables import compared, disagreement, mean, relative_change, rows_of

_SEARCHES = ("paper", "restarted")

STUDIED = Case("gpu", "normalized", 0.9, 0.5)
"""The case of the paper's figure of coefficients; here its sizes are varied, too."""

TRAINING_ROWS = (1000, 2500, 5000, 10_000, 20_000, 40_000)
NOISE_ROWS = 5000
NOISE_COLUMNS = (0, 14, 42, 98)

SWEEPS = ("training rows", "predictors")


def penalty_runs(runs: Sequence[PaperRun]) -> list[PaperRun]:
    """Return the runs of cases that the penalty matters for, under each that serves them."""
    return [
        PaperRun(run.case, run.seed, penalty_form=form)
        for run in runs
        if run.case.penalty > 0.0
        for form, penalty in PENALTY_FORMS.items()
        if MEASURES[run.case.measure].task in penalty.tasks
    ]


def compare_penalties(lines: Sequence[PaperLine], records: Records) -> list[dict[str, Any]]:
    """Return each case under each penalty it was run with, beside what the paper printed for it.

    ``agrees_best`` says that no other penalty has a smaller ``disagreement`` in this case, over
    DCV and inefficiency on both segments.
    """
    by_case: dict[Case, dict[str, dict[PaperRun, Record]]] = {}
    for run, record in records.items():
        by_case.setdefault(run.case, {}).setdefault(run.penalty_form, {})[run] = record
    rows: list[dict[str, Any]] = []
    for case, by_form in by_case.items():
        own = [line for line in lines if line.penalty == case.penalty and line.is_of(case)]
        figures = {
            form: {
                f"{line.segment}_{figure}": compared(
                    line, figure, rows_of(found, case, line.segment, "ifacm")
                )
                for line in own
                for figure in ("dcv", "inefficiency")
            }
            for form, found in by_form.items()
        }
        off = {form: disagreement(found.values()) for form, found in figures.items()}
        rows += [
            {**columns_of(case), "penalty": form, **figures[form], "disagreement": distance}
            | {"agrees_best": distance == min(off.values())}
            for form, distance in off.items()
        ]
    return rows


def search_runs(runs: Sequence[PaperRun]) -> list[PaperRun]:
    """Return the runs under both searches."""
    return [PaperRun(run.case, run.seed, search=search) for run in runs for search in _SEARCHES]


def compare_searches(records: Records) -> list[dict[str, Any]]:
    """Return means of each case under both searches, over the seeds that both were run with.

    ``gain`` is the share by which the restarted search's final objective is lower, ``worse`` the
    number of seeds in which it is higher.
    """
    by_case: dict[Case, dict[str, dict[int, Record]]] = {}
    for run, record in records.items():
        found = by_case.setdefault(run.case, {search: {} for search in _SEARCHES})
        found[run.search][run.seed] = record
    rows = []
    for case, found in by_case.items():
        paper, restarted = found.values()
        seeds = [seed for seed in paper if seed in restarted]
        means = {
            f"{name}_{search}": mean([figure(of_seed[seed]) for seed in seeds])
            for name, figure in _SEARCH_FIGURES.items()
            for search, of_seed in found.items()
        }
        gain = -relative_change(means["objective_paper"], means["objective_restarted"])
        worse = sum(_objective(restarted[seed]) > _objective(paper[seed]) for seed in seeds)
        known = {"runs": len(seeds), "gain": gain, "worse": worse}
        rows.append(columns_of(case) | known | means)
    return rows


def _objective(record: Record) -> float:
    layers = record["iterations"]
    value: float = layers[-1]["objective"] if layers else row_of(record, "training", "base")["dcv"]
    return value


_SEARCH_FIGURES: Mapping[str, Callable[[Record], float]] = {
    "objective": _objective,
    "layers": lambda record: len(record["iterations"]),
    "test_dcv": lambda record: row_of(record, "test", "ifacm")["dcv"],
    "seconds": lambda record: record["seconds"]["ifacm"],
}


def study_runs(seeds: Sequence[int]) -> list[PaperRun]:
    """Return the runs of both sweeps: of training rows, and of predictors that are noise."""
    sizes = [(n_train, 0) for n_train in TRAINING_ROWS]
    sizes += [(NOISE_ROWS, noise) for noise in NOISE_COLUMNS if noise > 0]
    return [
        PaperRun(STUDIED, seed, n_train=n_train, noise=noise)
        for n_train, noise in sizes
        for seed in seeds
    ]


def study_rows(records: Records) -> list[dict[str, Any]]:
    """Return DCV against training rows and predictors: the paper's further work, item 2.

    Overfitting, or estimation noise? In the order of both sweeps, means over seeds beside what
    noise alone explains: ``floor`` is the DCV of a faultless predictor on the test rows,
    ``adjusted_floor`` the least one to be had after an adjustment with as many terms.
    """
    by_size: dict[tuple[int, int], list[Record]] = {}
    for run, record in records.items():
        by_size.setdefault((run.n_train or 0, run.noise), []).append(record)
    rows = [_row("training rows", n, found) for (n, noise), found in by_size.items() if noise == 0]
    rows += [_row("predictors", n, found) for (n, _), found in by_size.items() if n == NOISE_ROWS]
    return rows


def _row(sweep: str, n_train: int, records: Sequence[Record]) -> dict[str, Any]:
    dcv = {
        f"{algorithm}_{segment}": [row_of(record, segment, algorithm)["dcv"] for record in records]
        for algorithm in ("base", "ifacm")
        for segment in ("training", "test")
    }
    counts = [record["data"] for record in records]
    sizes = [(len(n["encoded_features"]) + 1, n["train"], n["test"]) for n in counts]
    level = STUDIED.confidence_level
    return {
        "sweep": sweep,
        "n_train": n_train,
        "predictors": len(counts[0]["encoded_features"]),
        "runs": len(records),
        **{name: mean(values) for name, values in dcv.items()},
        "ifacm_test_sd": spread(dcv["ifacm_test"]),
        "floor": mean([noise_floor(k, test, level) for k, _, test in sizes]),
        # after an adjustment, whether or not one was found, with the noise of the training rows
        "adjusted_floor": mean([noise_floor(k, n * m / (n + m), level) for k, n, m in sizes]),
    }
