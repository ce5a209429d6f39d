"""The command ``evencover reproduce``."""

import argparse
import importlib.metadata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evencover.core import InputError
from evencover.core.messages import as_json, check_whole

from ..export.writing import write_together
from ..options import quoted
from ..terminal import INTERRUPTED
from ..terminal.console import Parser, print_lines, say
from ..terminal.outputs import check_file, check_folder, failed, folder_named, is_there
from .paper import SAMPLE_NAMES, Case, Data, paper_cases, paper_layers, paper_lines, paper_segments
from .result import Reproduction, coefficients_of, faults, reproduction_page
from .runs import KeptRuns, PaperRun, Record, Records
from .tables import compare_layers, compare_lines, compare_segments, reach

WITHOUT_PENALTY = (Case("gpu", "normalized", 0.9, 0.0), Case("kc", "normalized", 0.9, 0.0))
"""Not in the paper's table, which says only that they fail."""

_ORDER: tuple[Data, ...] = ("kc", "gpu", "covtype")  # the quickest first
_FILES = ("results.csv", "reproduction.json", "reproduction.html")
_FEW_SEEDS = 5
_ON_KC = (
    " The paper's preprocessing, which led to 24 predictors, is not published, so only directions "
    "and ratios are judged."
)


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.description = (
        "Runs every line of the tables of Bellotti (2021) on the real data over some seeds and "
        "sets our figures beside the paper's. Finished runs are kept in DIR/runs: started again "
        "after an interruption, it goes on from there."
    )
    parser.set_defaults(run=run_reproduce)
    add = parser.add_argument
    add("data", nargs="?", choices=(*SAMPLE_NAMES, "all"), default="all", help="default: all")
    add("--seeds", type=int, default=5, metavar="N", help="random splits to average (default 5)")
    help_ = "results.csv, JSON and page go here"
    add("--out", type=folder_named, required=True, metavar="DIR", help=help_)
    add("--quiet", action="store_true", help="no progress bar")


def run_reproduce(options: argparse.Namespace) -> int:
    """Reproduce what is asked for, and print it beside the paper's."""
    data = tuple(SAMPLE_NAMES) if options.data == "all" else (options.data,)
    try:
        request = Request(data, options.seeds, options.out)
        reproduction = reproduce(request, quiet=options.quiet)
    except KeyboardInterrupt:
        say(
            f"interrupted; runs that were finished are kept in '{options.out}', and the same "
            "command goes on from there"
        )
        return INTERRUPTED
    print_lines(reproduction.to_text())
    for sentence in reproduction.missing.values():
        say(sentence)
    if not options.quiet:
        say(f"wrote results.csv, reproduction.json and .html to {options.out}")
    return 0


@dataclass(frozen=True)
class Request:
    """What is asked for; raises InputError if there is no seed to run."""

    data: tuple[Data, ...]
    seeds: int
    folder: Path

    def __post_init__(self) -> None:
        check_whole("--seeds", self.seeds, 1)

    def command(self) -> str:
        """Return the command that asks for it."""
        data = self.data[0] if len(self.data) == 1 else "all"
        out = quoted(str(self.folder))
        return f"evencover reproduce {data} --seeds {self.seeds} --out {out}"


def reproduce(request: Request, *, quiet: bool) -> Reproduction:
    """Run what is asked for, or go on with it, and write table, JSON and page into its folder.

    Raises InputError if the folder cannot be written to, or none of the data can be had.
    """
    _check_folder(request.folder)
    runs = KeptRuns(request.folder, quiet=quiet)
    reproduction = _reproduction(request, runs)
    if not quiet and runs.found:
        say(
            f"{runs.found} of {runs.found + runs.made} runs were found in "
            f"'{request.folder / 'runs'}'; delete that folder to run them anew"
        )
    if not runs.found + runs.made:
        sentences = ". ".join(runs.missing.values())
        raise InputError("data.missing", sentences.replace("{", "{{").replace("}", "}}"))
    plain = reproduction.to_json()
    text = as_json(plain)
    table = pd.DataFrame([line.columns() for line in reproduction.lines]).to_csv(index=False)
    texts = zip(_FILES, (table, text, reproduction_page(reproduction)), strict=True)
    try:
        write_together({request.folder / name: text for name, text in texts}, request.folder)
    except OSError as error:
        raise failed(request.folder, error) from None
    return reproduction


def _reproduction(request: Request, runs: KeptRuns) -> Reproduction:
    of_paper = paper_lines()
    lines = [line for line in of_paper if line.data in request.data]
    cases = [case for case in (*paper_cases(), *WITHOUT_PENALTY) if case.data in request.data]
    plain = [PaperRun(case, seed) for case in cases for seed in range(request.seeds)]
    # one data set after the other, as the tables are large
    found = runs.all(sorted(plain, key=lambda run: _ORDER.index(run.case.data)))
    records = {run: found[run] for run in plain if run in found}
    own = {"command": request.command(), "version": importlib.metadata.version("evencover")}
    return Reproduction(
        settings={"data": request.data, "seeds": request.seeds} | own,
        lines=compare_lines(lines, records, runs.missing),
        layers=compare_layers(paper_layers(), records),
        segments=compare_segments(paper_segments(), records),
        coefficients=coefficients_of(records),
        faults=faults(of_paper, records),
        missing=dict(runs.missing),
        notes=list(_notes(request, records, runs.missing.values())),
    )


def _notes(request: Request, records: Records, missing: Iterable[str]) -> Iterator[str]:
    by_data: dict[Data, dict[int, Record]] = {data: {} for data in request.data}
    for run, record in records.items():
        by_data[run.case.data][run.seed] = record
    yield from (_about(data, next(iter(of.values()))) for data, of in by_data.items() if of)
    if 1 < request.seeds < _FEW_SEEDS:
        yield (
            f"With {request.seeds} seeds the range that a figure may lie in reaches "
            f"{reach(request.seeds):.1f} standard deviations to either side, so that little can "
            f"differ: take {_FEW_SEEDS} or more."
        )
    for data, found in by_data.items():
        if 0 < len(found) < request.seeds:
            yield (
                f"{data}: only {len(found)} of {request.seeds} seeds could be run, and its "
                "figures and verdicts rest on those."
            )
    yield from (f"Not run: {sentence}" for sentence in missing)


def _about(data: Data, record: Record) -> str:
    """Say on what our figures of a data set rest."""
    rows, settings = record["data"], record["settings"]
    label = f"{'the logarithm of ' if settings['log_target'] else ''}{settings['target']}"
    about = (
        f"{data}: {rows['train']} training, {rows['calibration']} calibration and {rows['test']} "
        f"test rows; label {label}; {len(rows['encoded_features'])} standardised predictors"
    )
    if rows["dropped"]:
        left_out = [f"{row['column']} {row['reason']}" for row in rows["dropped"]]
        about += f" (left out: {'; '.join(left_out)})"
    return f"{about}.{_ON_KC if data == 'kc' else ''}"


def _check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written to before the work is done; none is made yet."""
    places = (folder, *folder.absolute().parents)
    there = next(path for path in places if is_there("--out", path))
    if not there.is_dir():
        template = "--out '{folder}' cannot be made a folder: '{there}' is a file"
        raise InputError("out.below_file", template, folder=folder, there=there)
    check_folder("--out", there)
    if there == folder:
        for name in _FILES:
            check_file("--out", folder / name)
    kept = folder / "runs"
    if is_there("--out", kept) and not kept.is_dir():
        template = "--out: '{kept}' is a file; runs are to be kept there, so move it"
        raise InputError("out.runs_is_file", template, kept=kept)
