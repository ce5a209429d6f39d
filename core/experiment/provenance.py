"""What an audit was of: settings as used, what was made of the table, and the test rows."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

from ..conformal.coverage_law import CoverageLaw
from ..conformal.predictor import Predictor
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.settings_json import settings_to_json
from ..preparation.target import ClassLabel
from ..segments.audited_rows import TestRows, untested_values
from ..segments.grouping import Variable
from ..segments.worst_segments import worst_segments
from .evaluation import Evaluation
from .figures import DataSummary, DroppedColumn


def settings_as_used(settings: AuditSettings, data: PreparedData, source: str) -> dict[str, Any]:
    """Return every option by its name on the command line, as far as it was used."""
    task = data.label.task
    used: dict[str, Any] = {"task": task, "measure": settings.measure_for(task)}
    used["c"] = settings.penalty_for(task)
    if settings.split_column is not None or settings.is_ready_made:
        used["split"] = None
    version = importlib.metadata.version("evencover")
    return {"table": source} | settings_to_json(settings) | used | {"version": version}


def data_summary(data: PreparedData, fingerprint: str) -> DataSummary:
    """Return what was made of the table."""
    dropped = (*data.roles.dropped, *data.encoder.dropped_)
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


def audited_objects(
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
