"""The audit: from a table to the figures of every predictor, and what they say."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..conformal.predictor import Predictor
from ..coverage.exchangeability import Drift, Sample, check_drift
from ..coverage.histogram import probability_bins
from ..coverage.permutation import Faultless
from ..errors import InputError
from ..events import Listener, RepeatStarted, Stage, StageStarted, StopRequest, ignore, never
from ..findings.findings import with_findings
from ..findings.result import AuditedPredictor, AuditResult, ImpossibleSeed, Seconds
from ..messages import Sentence
from ..preparation.hints.hints import with_leak_named
from ..preparation.prepare import PreparedData, prepare
from ..preparation.settings import AuditSettings
from ..segments.by_audit_only import diagnose_audit_only
from ..segments.grouping import cohort_notes, small_value_notes
from ..tables.fingerprint import Origin, rows_fingerprint
from ..tables.table import Table
from ..threads import single_blas_thread
from .comparison import comparisons, divide, segment_tables
from .evaluation import Evaluation, Evaluator, estimator_notes, size_notes
from .predictors import Fitting, candidates
from .provenance import audited_objects, data_summary, settings_as_used
from .repeats import summarise


def audit(
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    source: str = "table",
    fingerprint: str | None = None,
    read_seconds: float = 0.0,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> AuditResult:
    """Audit conformal prediction on a table, before and after a remedy.

    ``table`` has one row for each example; of a bare frame it is decided here what its columns
    hold. ``unread`` names columns that were left out of it, as the settings have no use for them.
    ``source``, ``fingerprint`` and ``read_seconds`` are for the record; without a fingerprint the
    values have one made, see :func:`rows_fingerprint`. ``on_event`` receives every stage,
    evaluation and accepted layer; ``should_stop`` is asked before every evaluation: when it says
    so, the audit goes on with the layers accepted so far and says so in its notes.

    With ``settings.repeats`` above 1 the result is that of the first seed, with the mean and spread
    of every figure over the seeds in ``repeats``. A seed by which table and settings do not go
    together is left out and told; raises :class:`InputError` if they do by none.
    """
    results: list[AuditResult] = []
    refused: list[tuple[int, InputError]] = []
    frame = table.frame if isinstance(table, Table) else table
    origin = Origin(source, fingerprint or rows_fingerprint(frame), read_seconds)
    typed = Table.of(table)
    with single_blas_thread():
        for number in range(settings.repeats):
            on_event(RepeatStarted(number + 1, settings.repeats))
            seeded = replace(settings, seed=settings.seed + number)
            try:
                result = _Audit(seeded, on_event, should_stop).run(typed, unread, origin)
            except InputError as error:
                refused.append((seeded.seed, error))
                continue
            if results and result.stopped:  # half an audit says nothing of the spread
                break
            # the rows of one audit are enough to look at, and may be many
            results.append(replace(result, objects=None) if results else result)
            if should_stop():
                break
    if not results:
        raise refused[0][1]
    return results[0] if settings.repeats == 1 else _over_seeds(results, refused, settings)


def _over_seeds(
    results: Sequence[AuditResult],
    refused: Sequence[tuple[int, InputError]],
    settings: AuditSettings,
) -> AuditResult:
    """Return the first of the results, with what those of all seeds say, and what was refused."""
    first, done = results[0], len(results)
    if done + len(refused) < settings.repeats:
        sentence = "The audit was stopped: of {asked} repeats, {done} are there."
        note = Sentence("repeats.stopped", sentence, asked=settings.repeats, done=done)
        first = replace(first, stopped=True, notes=[note, *first.notes])
    impossible = [ImpossibleSeed(s, error.sentence.without_cells()) for s, error in refused]
    return replace(
        first,
        settings=first.settings | {"seed": settings.seed},  # as asked, to be asked for again
        asked=settings,
        repeats=replace(summarise(results), impossible=impossible),
    )


class _Audit:
    """One audit with one seed."""

    def __init__(
        self, settings: AuditSettings, on_event: Listener, should_stop: StopRequest
    ) -> None:
        self.settings, self.on_event, self.should_stop = settings, on_event, should_stop
        self._last = time.perf_counter()

    def run(self, table: Table, unread: Sequence[str], origin: Origin) -> AuditResult:
        """Do all of it."""
        settings = self.settings
        data = prepare(table, settings, unread)
        divisions = divide(data, settings)
        read = origin.read_seconds + self._lap()
        fits: dict[str, float] = {}
        predictors = self._fit(data, fits)
        reference = predictors[0]
        self.on_event(StageStarted("audit"))
        evaluator = Evaluator(data, settings)
        evaluations = [e for p in predictors for e in evaluator.evaluate(p).values()]
        on_test = {e.row.predictor: e for e in evaluations if e.row.subset == "test"}
        correct = {name: evaluation.outcomes.correct for name, evaluation in on_test.items()}
        faultless = evaluator.faultless(reference, correct[reference.name])
        objects = audited_objects(data, tuple(divisions), on_test, predictors, faultless.law)
        adjustments = [p for p in predictors if p.is_adjustment]
        tables = segment_tables(objects, settings, [p.name for p in adjustments])
        test, hidden_columns = data.test.rows, data.roles.audit_only
        hidden = diagnose_audit_only(
            *(data.table, hidden_columns, data.learning.rows, test, correct, faultless),
            weights=data.learning.weights,
        )
        chance = evaluator.chance(on_test, faultless, self.on_event, self.should_stop)
        drift = _drift(data, faultless)
        result = AuditResult(
            settings=settings_as_used(settings, data, origin.name),
            data=data_summary(data, origin.fingerprint),
            predictors=[_audited(p, on_test[reference.name], on_test[p.name]) for p in predictors],
            results=[evaluator.with_chance(e.row, chance) for e in evaluations],
            layers={p.name: list(p.layers) for p in predictors},
            coefficients=[row for e in evaluations for row in e.coefficients],
            size_strata=[row for e in on_test.values() for row in e.strata],
            **tables._asdict(),
            worst_segments=objects.searched.rows,
            audit_only=hidden.rows,
            comparisons=comparisons(evaluations, adjustments, data, settings.confidence_level),
            probabilities=probability_bins({n: e.probability for n, e in on_test.items()}),
            drift=drift,
            seconds=Seconds(read, fits, self._lap()),
            notes=[
                *data.notes,
                *(hint.sentence for hint in data.hints),
                *reference.notes,
                *size_notes(data.calibration, settings.confidence_level, predictors),
                *(drift.notes() if reference.is_calibrated else ()),
                *(note for p in predictors[1:] for note in p.notes),
                *estimator_notes(settings),
                *chance.notes(),
                *evaluator.notes(evaluations),
                *hidden.notes,
                *small_value_notes(objects.variables),
                *cohort_notes(objects.variables),
            ],
            hints=data.hints,
            stopped=any(p.stopped for p in predictors) or chance.done < chance.asked,
            asked=settings,
            objects=objects,
        )
        return with_findings(result)

    def _fit(self, data: PreparedData, seconds: dict[str, float]) -> list[Predictor]:
        fitting = Fitting(data, self.settings, self.on_event, self.should_stop)
        predictors: list[Predictor] = []
        for candidate in candidates(self.settings):
            stage: Stage = "remedy" if predictors else "base_model"
            self.on_event(StageStarted(stage, candidate.name))
            try:
                predictors.append(candidate.fit(fitting))
            except InputError as error:
                raise with_leak_named(error, data.hints) from None
            seconds[candidate.name] = self._lap()
        return predictors

    def _lap(self) -> float:
        """Return the seconds since the last lap."""
        last, self._last = self._last, time.perf_counter()
        return self._last - last


def _drift(data: PreparedData, faultless: Faultless) -> Drift:
    calibration = Sample(data.calibration.X, data.clusters.calibration)
    return check_drift(calibration, Sample(data.test.X, data.clusters.test), faultless)


def _audited(predictor: Predictor, reference: Evaluation, own: Evaluation) -> AuditedPredictor:
    before, after = reference.outcomes, own.outcomes
    same = np.array_equal(after.correct, before.correct) and np.array_equal(
        after.sizes, before.sizes
    )
    adjusts = predictor.terms != 0 or not same
    return AuditedPredictor(
        predictor.name,
        predictor.title,
        predictor.guarantee,
        predictor.is_calibrated,
        predictor.is_adjustment,
        adjusts,
        predictor.no_layer_reason,
        predictor.suggested_penalty,
    )
