"""What other penalties, and another search, make of the paper's cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evencover.core.conformal.measures import MEASURES
from evencover.core.remedies.ifacm.penalties import PENALTIES

from .agreement import Comparison, compare, disagreement, mean, relative_change
from .paper import Case, Line
from .results_table import row_of, rows_of
from .runs import Record, Run


@dataclass(frozen=True)
class PenaltyResult:
    """One case under one penalty, beside what the paper printed for it.

    Attributes
    ----------
    figures
        By segment and figure.
    disagreement
        Mean of ``|log(ours / paper)|`` over DCV and inefficiency on both segments.
    agrees_best
        Whether no other penalty agrees better in this case.
    """

    case: Case
    penalty_form: str
    figures: dict[str, Comparison]
    disagreement: float
    agrees_best: bool


@dataclass(frozen=True)
class SearchResult:
    """One case under the paper's search and the restarted one: means over seeds.

    Attributes
    ----------
    gain
        By how much the restarted search's final objective is lower, as a share of the paper's.
    worse
        Seeds in which it is higher.
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
    return [Run(run.case, run.seed, search=s) for run in runs for s in ("paper", "restarted")]


def compare_penalties(lines: Sequence[Line], records: Mapping[Run, Record]) -> list[PenaltyResult]:
    """Return each case under each penalty it was run with, and which agrees best."""
    results: list[PenaltyResult] = []
    for case in dict.fromkeys(run.case for run in records):
        figures = {
            form: _beside_paper(
                case, lines, {r: v for r, v in records.items() if r.penalty_form == form}
            )
            for form in dict.fromkeys(run.penalty_form for run in records if run.case == case)
        }
        distances = {form: disagreement(found.values()) for form, found in figures.items()}
        results += [
            PenaltyResult(case, form, figures[form], distance, distance == min(distances.values()))
            for form, distance in distances.items()
        ]
    return results


def compare_searches(records: Mapping[Run, Record]) -> list[SearchResult]:
    """Return each case under both searches."""
    results = []
    for case in dict.fromkeys(run.case for run in records):
        paper, restarted = (
            {
                run.seed: record
                for run, record in records.items()
                if (run.case, run.search) == (case, s)
            }
            for s in ("paper", "restarted")
        )
        both = [(paper[seed], restarted[seed]) for seed in paper if seed in restarted]
        pairs = [(_objective(before), _objective(after)) for before, after in both]
        before, after = (mean([pair[i] for pair in pairs]) for i in (0, 1))
        results.append(
            SearchResult(
                case,
                len(pairs),
                objective_paper=before,
                objective_restarted=after,
                gain=-relative_change(before, after),
                worse=sum(high > low for low, high in pairs),
                **_means(both),
            )
        )
    return results


def _means(both: Sequence[tuple[Record, Record]]) -> dict[str, float]:
    means = {}
    for i, name in enumerate(("paper", "restarted")):
        records = [pair[i] for pair in both]
        means[f"layers_{name}"] = mean([len(record["iterations"]) for record in records])
        means[f"seconds_{name}"] = mean([record["seconds"]["ifacm"] for record in records])
        means[f"test_dcv_{name}"] = mean(
            [row_of(record, "test", "ifacm")["dcv"] for record in records]
        )
    return means


def _objective(record: Record) -> float:
    layers = record["iterations"]
    value: float = layers[-1]["objective"] if layers else row_of(record, "training", "base")["dcv"]
    return value


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
