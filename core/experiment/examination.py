"""Fitted predictors examined on the same rows: all figures, and what they are of."""

import importlib.metadata
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..conformal.coverage_law import CoverageLaw
from ..conformal.predictor import Predictor
from ..coverage.diagnosis import probability_bins
from ..coverage.exchangeability import Drift, check_drift
from ..events import StageStarted
from ..messages import Sentence
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.settings_json import settings_to_json
from ..preparation.target import ClassLabel
from ..segments.audited_rows import TestRows, untested_values
from ..segments.by_audit_only import diagnose_audit_only
from ..segments.grouping import Variable, cohort_notes, small_value_notes
from ..segments.worst_segments import worst_segments
from ..tables.fingerprint import Origin
from .evaluation import Evaluation, estimator_notes, size_notes
from .figures import DataSummary, DroppedColumn, Seconds
from .predictors import Fitting
from .result import AuditedPredictor, Examination
from .segment_tables import adjustment_rows, segment_tables


def examine(
    fitting: Fitting, predictors: Sequence[Predictor], origin: Origin, seconds: Seconds
) -> Examination:
    """Return what the test rows say of predictors, the reference first, fitted for one audit.

    ``seconds`` are those spent so far. Groups are not judged yet.
    """
    began = time.perf_counter()
    data, settings = fitting.data, fitting.settings
    reference, evaluator = predictors[0], fitting.evaluator
    fitting.on_event(StageStarted("audit"))
    evaluations = [e for p in predictors for e in evaluator.evaluate(p).values()]
    on_test = {e.predictor.name: e for e in evaluations if e.subset == "test"}
    outcomes = {name: evaluation.outcomes for name, evaluation in on_test.items()}
    null_model = evaluator.null_model(reference, outcomes[reference.name])
    test_rows = _test_rows(data, tuple(fitting.divisions), on_test, predictors, null_model.law)
    adjustments = [p for p in predictors if p.is_adjustment]
    tables = segment_tables(test_rows, settings, [p.name for p in adjustments])
    hidden = diagnose_audit_only(data, outcomes, null_model)
    chance = evaluator.chance(on_test, null_model, fitting.on_event, fitting.should_stop)
    drift = check_drift(data.calibration, data.test, null_model)
    return Examination(
        settings=_settings_as_used(settings, data, origin.name) | fitting.own.names(),
        data=_data_summary(data, origin.fingerprint),
        predictors=[_audited(p, on_test[reference.name], on_test[p.name]) for p in predictors],
        results=[evaluator.row(e, chance) for e in evaluations],
        replays=fitting.replays,
        coefficients=[row for e in evaluations for row in e.coefficients],
        size_strata=[row for e in on_test.values() for row in e.strata],
        **tables._asdict(),
        worst_segments=test_rows.searched.rows,
        audit_only=hidden.rows,
        comparisons=adjustment_rows(evaluations, adjustments, data, settings.confidence_level),
        probabilities=probability_bins({n: e.diagnosis.probability for n, e in on_test.items()}),
        drift=drift,
        seconds=replace(seconds, audit=time.perf_counter() - began),
        notes=[
            *_first_notes(data, settings, predictors, drift),
            *chance.notes(),
            *evaluator.notes(evaluations),
            *hidden.notes,
            *small_value_notes(test_rows.variables),
            *cohort_notes(test_rows.variables),
        ],
        hints=data.hints,
        stopped=any(p.fit_.stopped for p in predictors) or chance.done < chance.asked,
        asked=settings,
        test_rows=test_rows,
    )


def _first_notes(
    data: PreparedData, settings: AuditSettings, predictors: Sequence[Predictor], drift: Drift
) -> list[Sentence]:
    """Return what is to be said of rows, predictors and estimators, before the figures."""
    reference, *others = predictors
    return [
        *data.notes,
        *(hint.sentence for hint in data.hints),
        *reference.fit_.notes,
        *size_notes(data.calibration.counted, settings.confidence_level, predictors),
        *(drift.notes() if reference.is_calibrated else ()),
        *(note for predictor in others for note in predictor.fit_.notes),
        *estimator_notes(settings),
    ]


def _audited(predictor: Predictor, reference: Evaluation, own: Evaluation) -> AuditedPredictor:
    before, after = reference.outcomes, own.outcomes
    same = np.array_equal(after.correct, before.correct) and np.array_equal(
        after.sizes, before.sizes
    )
    adjusts = predictor.fit_.terms != 0 or not same
    return AuditedPredictor(
        predictor.name,
        predictor.title,
        predictor.guarantee,
        predictor.is_calibrated,
        predictor.is_adjustment,
        adjusts,
        predictor.fit_,
    )


def _settings_as_used(settings: AuditSettings, data: PreparedData, source: str) -> dict[str, Any]:
    """Return every option by its name on the command line, as far as it was used."""
    task = data.label.task
    used: dict[str, Any] = {"task": task, "measure": settings.measure_for(task)}
    used["c"] = settings.penalty_for(task)
    if settings.split_column is not None or settings.is_ready_made:
        used["split"] = None
    version = importlib.metadata.version("evencover")
    return {"table": source} | settings_to_json(settings) | used | {"version": version}


def _data_summary(data: PreparedData, fingerprint: str) -> DataSummary:
    """Return what was made of the table."""
    dropped = (*data.roles.dropped.items(), *data.encoder.dropped_)
    by_value = [
        column
        for column in data.roles.segment_columns
        if column == data.roles.group or data.table[column].holds == "category"
    ]
    sets = {"train": data.train, "calibration": data.calibration, "test": data.test}
    weights = {name: of.weights for name, of in sets.items() if of.weights is not None and len(of)}
    return DataSummary(
        rows=len(data.table) + sum(data.left_out),
        rows_without_label=data.left_out.label,
        rows_without_output=data.left_out.output,
        train=len(data.train.y),
        calibration=len(data.calibration.y),
        test=len(data.test.y),
        features=data.encoder.columns_,
        encoded_features=data.encoder.names_,
        dropped=[DroppedColumn(column, reason) for column, reason in dropped],
        fingerprint=fingerprint,
        rows_without_weight=data.left_out.weight,
        effective={name: sets[name].effective for name in weights},
        weights={name: float(of.sum()) for name, of in weights.items()},
        untested=untested_values(data.table, by_value, data.test.rows),
    )


def _test_rows(
    data: PreparedData,
    variables: Sequence[Variable],
    on_test: Mapping[str, Evaluation],
    predictors: Sequence[Predictor],
    law: CoverageLaw,
) -> TestRows:
    """Gather the test rows and what each predictor makes of them."""
    test, target = data.test, data.roles.target
    outcomes = {name: evaluation.outcomes for name, evaluation in on_test.items()}
    return TestRows(
        table=data.table.rows(test.rows, [*data.roles.segment_columns, target]),
        rows=data.table.frame.index.to_numpy()[test.rows],
        target=target,
        task=data.label.task,
        classes=data.label.classes if isinstance(data.label, ClassLabel) else (),
        variables=tuple(variables),
        sets={name: evaluation.sets for name, evaluation in on_test.items()},
        outcomes=outcomes,
        probabilities={name: e.diagnosis.probability for name, e in on_test.items()},
        steps={p.name: p.steps(test) for p in predictors if p.fit_.layers},
        searched=worst_segments(data.table.rows(test.rows, data.roles.rule_columns), outcomes),
        law=law,
    )
