"""Fitted predictors examined on the same rows: all figures, and what they are of."""

import importlib.metadata
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import levels
from ..conformal.interval_measures import QuantileMeasure
from ..conformal.names import MEASURES
from ..conformal.predictor import Predictor
from ..conformal.rank import CoverageLaw
from ..conformal.thresholds import ThresholdRule
from ..coverage.diagnosis import probability_bins
from ..coverage.exchangeability import Drift, check_drift
from ..events import StageStarted
from ..messages import Sentence
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.settings_json import settings_to_json
from ..preparation.target import ClassLabel
from ..rows.outcomes import IntervalSets, Outcomes
from ..rows.weights import mean_and_error, weighted_mean, weighted_median, weights_of
from ..segments.audited_rows import TestRows, untested_values
from ..segments.by_audit_only import diagnose_audit_only
from ..segments.by_period import period_rows
from ..segments.by_segment import SegmentRow, gap_rows, segment_rows, with_same
from ..segments.grouping import cohort_notes, compared_with, small_value_notes
from ..segments.under_coverage import change_rows
from ..segments.worst_segments import explaining_rule, worst_segments
from ..tables.table import Origin
from . import result
from .evaluation import Evaluation, Evaluator, estimator_notes, size_notes
from .predictors import Fitting


def examine(
    fitting: Fitting, fits: Sequence[tuple[Predictor, float]], origin: Origin, read: float
) -> result.Examination:
    """Return what the test rows say of predictors, the reference first, fitted for one audit.

    Each has the seconds that its fit took; ``read`` are those before. Groups are not judged yet.
    """
    began = time.perf_counter()
    data, settings, predictors = fitting.data, fitting.settings, [p for p, _ in fits]
    reference, evaluator = predictors[0], fitting.evaluator
    fitting.on_event(StageStarted("audit"))
    evaluations = [e for p in predictors for e in evaluator.evaluate(p).values()]
    on_test = _on_subset(evaluations, "test")
    outcomes = {name: evaluation.outcomes for name, evaluation in on_test.items()}
    null_model = evaluator.null_model(reference, outcomes[reference.name])
    test_rows = _test_rows(fitting, on_test, predictors, null_model.law)
    audit_only, audit_only_notes = diagnose_audit_only(data, outcomes, null_model)
    chance = evaluator.chance(on_test, null_model, fitting.on_event, fitting.should_stop)
    tied = on_test[reference.name].tied
    drift = check_drift(data.calibration, data.test, null_model, tied)
    return result.Examination(
        settings=_settings_as_used(settings, data, origin.name) | fitting.own.names(),
        data=_data_summary(data, origin.fingerprint),
        predictors=[_audited(p, outcomes[reference.name], outcomes[p.name]) for p in predictors],
        results=[evaluator.row(e, chance) for e in evaluations],
        replays=fitting.replays,
        coefficients=[row for e in evaluations for row in e.coefficients],
        size_strata=[row for e in on_test.values() for row in e.strata],
        **segment_tables(test_rows, settings),
        worst_segments=test_rows.searched.rows,
        audit_only=audit_only,
        periods=period_rows(test_rows, settings),
        comparisons=_adjustment_rows(evaluator, evaluations, predictors[1:]),
        probabilities=probability_bins({n: e.diagnosis.probability for n, e in on_test.items()}),
        drift=drift,
        seconds=result.Seconds(read, {p.name: s for p, s in fits}, time.perf_counter() - began),
        notes=[
            *_first_notes(data, settings, predictors, drift),
            *chance.notes(),
            *evaluator.notes(evaluations),
            *audit_only_notes,
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
        *size_notes(len(data.calibration), settings, predictors),
        *(drift.notes() if reference.is_calibrated else ()),
        *(note for predictor in others for note in predictor.fit_.notes),
        *estimator_notes(settings, weighted=data.test.weights is not None),
    ]


def _audited(predictor: Predictor, before: Outcomes, after: Outcomes) -> result.AuditedPredictor:
    was, now = ((of.correct, of.sizes) for of in (before, after))
    same = all(map(np.array_equal, was, now))
    return result.AuditedPredictor(
        predictor.name,
        predictor.title,
        predictor.guarantee,
        predictor.is_calibrated,
        predictor.fit_.terms != 0 or not same,
        predictor.rule.classes is not None,
        predictor.fit_,
    )


def _settings_as_used(settings: AuditSettings, data: PreparedData, source: str) -> dict[str, Any]:
    """Return every option by its name on the command line, as far as it was used."""
    task = data.label.task
    used: dict[str, Any] = {"task": task, "measure": settings.measure_for(task)}
    used["c"] = settings.penalty_for(task)
    if MEASURES.get(used["measure"]) is QuantileMeasure:
        used["model"] = "boosting"  # whatever was chosen
    if settings.split_column is not None or settings.is_ready_made:
        used["split"] = None
    version = importlib.metadata.version("evencover")
    return {"table": source} | settings_to_json(settings) | used | {"version": version}


def _data_summary(data: PreparedData, fingerprint: str) -> result.DataSummary:
    dropped = (*data.roles.dropped.items(), *data.encoder.dropped_)
    by_value = [
        column
        for column in data.roles.segment_columns
        if column == data.roles.group or data.table[column].holds == "category"
    ]
    sets = {"train": data.train, "calibration": data.calibration, "test": data.test}
    weights = {name: of.weights for name, of in sets.items() if of.weights is not None and len(of)}
    return result.DataSummary(
        rows=len(data.table) + sum(data.left_out),
        rows_without_label=data.left_out.label,
        rows_without_output=data.left_out.output,
        train=len(data.train.y),
        calibration=len(data.calibration.y),
        test=len(data.test.y),
        features=data.encoder.columns_,
        encoded_features=data.encoder.names_,
        dropped=[result.DroppedColumn(column, reason) for column, reason in dropped],
        fingerprint=fingerprint,
        rows_without_weight=data.left_out.weight,
        effective={name: sets[name].effective for name in weights},
        weights={name: float(of.sum()) for name, of in weights.items()},
        untested=untested_values(data.table, by_value, data.test.rows),
    )


def _test_rows(
    fitting: Fitting,
    on_test: Mapping[str, Evaluation],
    predictors: Sequence[Predictor],
    law: CoverageLaw,
) -> TestRows:
    data, settings = fitting.data, fitting.settings
    test, target, variables = data.test, data.roles.target, tuple(fitting.divisions)
    beside = [name for name in (settings.time, settings.weight) if name is not None]
    outcomes = {name: evaluation.outcomes for name, evaluation in on_test.items()}
    known = all(e.diagnosis.evidence.dcv_formula == "good" for e in on_test.values())
    return TestRows(
        table=data.table.rows(test.rows, [*data.roles.segment_columns, target]),
        rows=data.table.frame.index.to_numpy()[test.rows],
        target=target,
        task=data.label.task,
        classes=data.label.classes if isinstance(data.label, ClassLabel) else (),
        variables=variables,
        sets={name: evaluation.sets for name, evaluation in on_test.items()},
        outcomes=outcomes,
        probabilities={name: e.diagnosis.probability for name, e in on_test.items()},
        steps={p.name: p.steps(test) for p in predictors if p.fit_.layers},
        searched=worst_segments(
            data.table.rows(test.rows, data.roles.rule_columns),
            outcomes,
            [of.partition for of in variables if of.kind != "label"],
        ),
        law=law,
        beside=data.table.rows(test.rows, beside),
        objects=None if known else test.determined,
    )


def segment_tables(test_rows: TestRows, settings: AuditSettings) -> dict[str, Any]:
    """Return figures, gaps and changes of all segments, and changes of rules, as a result's."""
    level, outcomes = settings.confidence_level, test_rows.outcomes
    segments = with_same(segment_rows(test_rows.variables, outcomes, level), test_rows.variables)
    references = compared_with(test_rows.variables, settings)
    return {
        "segments": _explained(segments, test_rows, level),
        "gaps": gap_rows(segments, test_rows.law, references),
        "changes": change_rows(test_rows.variables, outcomes, test_rows.searched),
    }


def _explained(
    segments: Sequence[SegmentRow], test_rows: TestRows, level: float
) -> list[SegmentRow]:
    """Return the rows, those that are low with the low rule that their shortfall may be due to.

    Of several rules that of the first rank.
    """
    first, searched = next(iter(test_rows.sets)), test_rows.searched
    rules = {
        row.rule: searched.holds[row.rule]
        for row in sorted(searched.rows, key=lambda row: row.rank)
        if row.predictor == first
        and row.family
        and row.high < level
        and row.q_value <= levels.SEARCH
    }
    partitions = {variable.name: variable.partition for variable in test_rows.variables}
    outcomes = test_rows.outcomes[first]

    def explained(row: SegmentRow) -> SegmentRow:
        if row.predictor != first or row.family not in levels.GROUPS or not row.high < level:
            return row
        inside = partitions[row.variable].rows(row.value)
        rule, is_shown = explaining_rule(inside, rules, outcomes, searched.judging, level)
        return replace(row, overlaps=rule, explained_by=rule if is_shown else "")

    return list(map(explained, segments))


def _adjustment_rows(
    evaluator: Evaluator, evaluations: Sequence[Evaluation], adjustments: Sequence[Predictor]
) -> list[result.AdjustmentRow]:
    """Return what each adjustment changes over all test rows.

    ``evaluations`` are those of all predictors and subsets, the reference's first.
    """
    first, on_test = evaluations[0], _on_subset(evaluations, "test")
    before, on_training = on_test[first.predictor.name], _on_subset(evaluations, "training")
    rows = []
    for predictor in adjustments:
        after = on_test[predictor.name]
        # thresholds of groups and classes do not go by what training rows show
        is_learned = first.subset == "training" and predictor.rule == ThresholdRule()
        training = first.diagnosis.evidence if is_learned else None
        trained = on_training.get(predictor.name) if is_learned else None
        median, mean = _size_ratios(before, after)
        with np.errstate(invalid="ignore"):  # both infinite
            moved = after.outcomes.sizes - before.outcomes.sizes
        rows_as = before.outcomes.weights, before.outcomes.clusters
        change, error, _ = mean_and_error(moved, *rows_as)
        rows.append(
            result.AdjustmentRow(
                predictor=predictor.name,
                size_ratio_median=median,
                size_ratio_mean=mean,
                **evaluator.evenness(before, after),
                cost=evaluator.cost(predictor),
                found=None if training is None else training.dcv_corrected,
                found_p_value=None if training is None else training.p_value,
                size_change=change,
                size_change_error=error,
                mended=None if trained is None else _mended(first, trained),
            )
        )
    return rows


def _mended(before: Evaluation, after: Evaluation) -> float:
    """Return the share of what is found, in DCV squared, that is gone after; of all in doubt."""
    was, now = (each.diagnosis.deviation.value**2 for each in (before, after))
    found = before.diagnosis.evidence.dcv_corrected
    there = was if found is None else found**2
    return (was - now) / there if there else 0.0


def _on_subset(
    evaluations: Iterable[Evaluation], subset: result.SubsetName
) -> dict[str, Evaluation]:
    return {each.predictor.name: each for each in evaluations if each.subset == subset}


def _size_ratios(before: Evaluation, after: Evaluation) -> tuple[float | None, float | None]:
    """Return median and mean of the rows' own widths after to those before."""
    one, other = before.sets, after.sets
    if not isinstance(one, IntervalSets) or not isinstance(other, IntervalSets):
        return None, None
    widths, wider = one.sizes, other.sizes
    known = np.isfinite(widths) & np.isfinite(wider) & (widths > 0.0)
    if not known.any():
        return None, None
    ratios, weights = wider[known] / widths[known], weights_of(before.outcomes.weights, known)
    return weighted_median(ratios, weights), weighted_mean(ratios, weights)
