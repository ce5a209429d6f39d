"""What other penalties, and another search, make of the paper's cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evencover.core.conformal.measures import MEASURES
from evencover.core.remedies.ifacm.penalties import PENALTIES

from .agreement import Comparison, compare, disagreement, mean, relative_change
from .paper import Case, Line
from .results_table import row_of, rows_of
from .runs import Record, Run

_SEARCHES = ("paper", "restarted")


@dataclass(frozen=True)
class PenaltyResult:
    """One case under one penalty, beside what the paper printed for it.

    ``figures`` are by segment and figure; ``agrees_best`` says that no other penalty has a smaller
    ``disagreement`` in this case, over DCV and inefficiency on both segments.
    """

    case: Case
    penalty_form: str
    figures: dict[str, Comparison]
    disagreement: float
    agrees_best: bool


@dataclass(frozen=True)
class SearchResult:
    """One case under the paper's search and the restarted one: means over seeds.

    ``gain`` is the share by which the restarted search's final objective is lower, ``worse`` the
    number of seeds in which it is higher.
    """

    case: Case
    runs: int
    objective_paper: float
    objective_restarted: float
    gain: float
    worse: int
    layers_paper: float
    layers_restarted: float
    test_dcv_paper: float
    test_dcv_restarted: float
    seconds_paper: float
    seconds_restarted: float


def penalty_runs(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of cases that the penalty matters for, under each that serves them."""
    return [
        Run(run.case, run.seed, penalty_form=form)
        for run in runs
        if run.case.penalty > 0.0
        for form, penalty in PENALTIES.items()
        if MEASURES[run.case.measure].task in penalty.tasks
    ]


def search_runs(runs: Sequence[Run]) -> list[Run]:
    """Return the runs under both searches."""
    return [Run(run.case, run.seed, search=search) for run in runs for search in _SEARCHES]


def compare_penalties(lines: Sequence[Line], records: Mapping[Run, Record]) -> list[PenaltyResult]:
    """Return each case under each penalty it was run with, and which agrees best."""
    by_case: dict[Case, dict[str, dict[Run, Record]]] = {}
    for run, record in records.items():
        by_case.setdefault(run.case, {}).setdefault(run.penalty_form, {})[run] = record
    results: list[PenaltyResult] = []
    for case, by_form in by_case.items():
        figures = {form: _beside_paper(case, lines, found) for form, found in by_form.items()}
        distances = {form: disagreement(found.values()) for form, found in figures.items()}
        results += [
            PenaltyResult(case, form, figures[form], distance, distance == min(distances.values()))
            for form, distance in distances.items()
        ]
    return results


def _beside_paper(
    case: Case, lines: Sequence[Line], records: Mapping[Run, Record]
) -> dict[str, Comparison]:
    return {
        f"{line.segment} {figure}": compare(
            getattr(line, figure),
            [row[figure] for row in rows_of(records, case, line.segment, "ifacm")],
        )
        for line in lines
        if line.penalty == case.penalty and line.is_of(case)
        for figure in ("dcv", "inefficiency")
    }


def compare_searches(records: Mapping[Run, Record]) -> list[SearchResult]:
    """Return each case under both searches, over the seeds that both were run with."""
    by_case: dict[Case, dict[str, dict[int, Record]]] = {}
    for run, record in records.items():
        found = by_case.setdefault(run.case, {search: {} for search in _SEARCHES})
        found[run.search][run.seed] = record
    return [_both_searches(case, *found.values()) for case, found in by_case.items()]


def _both_searches(
    case: Case, paper: Mapping[int, Record], restarted: Mapping[int, Record]
) -> SearchResult:
    seeds = [seed for seed in paper if seed in restarted]
    means = {
        f"{name}_{search}": mean([figure(found[seed]) for seed in seeds])
        for search, found in zip(_SEARCHES, (paper, restarted), strict=True)
        for name, figure in _SEARCH_FIGURES.items()
    }
    return SearchResult(
        case,
        len(seeds),
        gain=-relative_change(means["objective_paper"], means["objective_restarted"]),
        worse=sum(_objective(restarted[seed]) > _objective(paper[seed]) for seed in seeds),
        **means,
    )


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
