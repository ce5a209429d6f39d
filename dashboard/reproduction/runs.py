"""The audits behind a reproduction, each kept in a file: an interrupted one goes on from there."""

import functools
import hashlib
import importlib.metadata
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evencover.core import AuditSettings, InputError, audit
from evencover.core.remedies.names import DEFAULT
from evencover.core.report.result import to_json
from evencover.core.tables.table import Origin
from evencover.sample_data import Sample, load_sample

from ..export.writing import write_together
from ..terminal.outputs import failed
from ..terminal.progress import ProgressBar
from .paper import SAMPLE_NAMES, Case, Data

Record = dict[str, Any]  # an audit's result as JSON holds it


@dataclass(frozen=True)
class PaperRun:
    """One audit: a case of the paper with one seed."""

    case: Case
    seed: int

    @property
    def name(self) -> str:
        """A name for the file, different for different runs."""
        case = self.case
        parts = [case.data, case.measure, f"CL{case.confidence_level:g}", f"C{case.penalty:g}"]
        return "-".join([*parts, f"seed{self.seed}"])

    def settings(self, sample: Sample) -> AuditSettings:
        """Return the settings of the audit: the sample's own, and the case's."""
        return AuditSettings(
            target=sample.target,
            log_target=sample.log_target,
            drop=sample.drop,
            split=sample.split,
            measure=self.case.measure,
            confidence_level=self.case.confidence_level,
            penalty=self.case.penalty,
            search="paper",
            remedies=(DEFAULT,),
            seed=self.seed,
        )


Records = Mapping[PaperRun, Record]


def row_of(record: Record, segment: str, algorithm: str) -> Record:
    """Return the figures of one predictor on one set; NaN where JSON has none, but for a floor."""
    rows: list[Record] = record["results"]
    row = next(row for row in rows if (row["segment"], row["algorithm"]) == (segment, algorithm))
    figures = ("accuracy", "inefficiency", "dcv")
    return row | {name: math.nan for name in figures if row[name] is None}


class KeptRuns:
    """Makes the audits, or finds them in a folder where they were run before."""

    def __init__(self, folder: Path, *, quiet: bool) -> None:
        self._folder = folder / "runs"
        self._quiet = quiet
        self.missing: dict[Data, str] = {}  # why, by data set that could not be had
        self.found = 0  # runs that were in the folder
        self.made = 0  # runs that were not

    def all(self, runs: Sequence[PaperRun]) -> dict[PaperRun, Record]:
        """Return the records of those runs whose data can be had."""
        records: dict[PaperRun, Record] = {}
        for number, run in enumerate(runs, 1):
            record = self._kept(run)
            if record is not None:
                self.found += 1
            elif run.case.data not in self.missing:
                record = self._made(run, f"{number} of {len(runs)}, {run.name}: ")
            if record is not None:
                records[run] = record
        return records

    def _made(self, run: PaperRun, title: str) -> Record | None:
        try:
            sample = _sample(run.case.data)
        except InputError as error:
            self.missing[run.case.data] = error.sentence
            return None
        settings, origin = run.settings(sample), Origin(f"sample:{SAMPLE_NAMES[run.case.data]}")
        with ProgressBar(quiet=self._quiet, title=title) as bar:
            result = audit(sample.frame, settings, origin=origin, with_replay=False, on_event=bar)
        record = to_json(result)
        try:
            write_together({self._path(run): _sealed(run, record)}, self._folder)
        except OSError as error:
            advice = "; make room, or choose another folder"
            raise failed(self._path(run), error, advice) from None
        self.made += 1
        return record

    def _kept(self, run: PaperRun) -> Record | None:
        """Return the record of a run that this version has made before; None if there is none."""
        try:
            text = self._path(run).read_text(encoding="utf-8")
            record: Record = json.loads(text)["result"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):  # none, or not ours
            return None
        return record if text == _sealed(run, record) else None

    def _path(self, run: PaperRun) -> Path:
        return self._folder / f"{run.name}.json"


def _sealed(run: PaperRun, record: Record) -> str:
    """Return the text of a run's file, which no other run, version or hand has written."""
    version = importlib.metadata.version("evencover")
    content = {"run": asdict(run), "version": version, "result": record}
    body = json.dumps(content, allow_nan=False, ensure_ascii=False)
    seal = {"seal": hashlib.sha256(body.encode("utf-8", "backslashreplace")).hexdigest()}
    return json.dumps(seal | content, indent=1, allow_nan=False, ensure_ascii=False)


@functools.lru_cache(maxsize=1)  # the tables are large, and come one after the other
def _sample(data: Data) -> Sample:
    return load_sample(SAMPLE_NAMES[data])
