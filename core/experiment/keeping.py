"""Predictors of an audit as they are written down: whatever needs no row of its data."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..conformal.predictor import MeasurePredictor, Predictor
from ..conformal.thresholds import UNKNOWN_WEIGHTS
from ..messages import InputError, Names
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.target import LabelCoding, NumericLabel
from ..scoring.columns import AsRead, Design, WordsFor
from ..scoring.file import members_of
from ..scoring.predictor import ClassesLabel, Label, NumberLabel, SavedPredictor
from ..scoring.thresholds import OneForAll
from ..tables.plain_columns import plain_columns
from ..tables.predicting import FramePredictor
from ..tables.rules import Rule
from .reference import References
from .result import Examination

_CHECKED = 200  # test rows that a saved predictor is to give the same sets as the run
_NOT_OURS = "the sets of '{predictor}' are taken as they are: there is nothing of it to save"
_NO_MODEL = (
    "what the model of this audit says ({columns}) cannot be saved, as its code would have to come "
    "with it; predict with it yourself, name the columns of its outputs, and save that"
)
_DIFFERS = (
    "'{predictor}' cannot be saved: written down it gives other sets than the run, as it does more "
    "than its method written says"
)


def saved_predictors(
    found: Examination, predictors: Mapping[str, Predictor], data: PreparedData
) -> dict[str, SavedPredictor | InputError]:
    """Return each predictor as it is written down, by name, or why it cannot be."""
    assert found.asked is not None  # noqa: S101 - of an audit that has just been
    kept: dict[str, SavedPredictor | InputError] = {}
    references = References(found, data)
    for name, predictor in predictors.items():
        try:
            saved = _saved(predictor, references, found.asked)
            _check(saved, predictor, found, data)
            members_of(saved)  # if it is not too large
            kept[name] = saved
        except InputError as error:
            kept[name] = error
    return kept


def _saved(predictor: Predictor, references: References, settings: AuditSettings) -> SavedPredictor:
    if not isinstance(predictor, MeasurePredictor):
        raise InputError("saved.given", _NOT_OURS, predictor=predictor.name)
    data, found = references.data, references.found
    scores, design = predictor.measure.written(), data.encoder.written()
    if unknown := [name for name in scores.said if name not in settings.output_columns]:
        raise InputError("saved.model", _NO_MODEL, columns=Names(unknown))
    thresholds = predictor.thresholds_.written(data.table.frame)
    is_one = isinstance(thresholds, OneForAll) and thresholds.width == 1
    saved = FramePredictor(
        name=predictor.name,
        title=predictor.title,
        guarantee=f"{predictor.guarantee} {UNKNOWN_WEIGHTS}"
        if data.calibration.weights is not None
        else predictor.guarantee,
        confidence_level=settings.confidence_level,
        label=_label(settings, data),
        read=AsRead(
            *(settings.encoding, settings.sheet, settings.header, settings.missing),
            tuple(WordsFor(*each) for each in settings.missing_in),
            settings.numeric,
        ),
        design=design if scores.asks_features else Design.without_columns(),
        scores=scores,
        thresholds=thresholds,
        about=_about(predictor.name, found, is_one=is_one),
    )
    is_drawn = is_one and data.calibration.weights is None
    return replace(saved, reference=references.of(saved, predictor, is_drawn=is_drawn))


def _label(settings: AuditSettings, data: PreparedData) -> Label:
    label: LabelCoding = data.label
    if not isinstance(label, NumericLabel):
        return ClassesLabel(settings.target, label.classes)
    ends: tuple[float, ...] = (-math.inf, math.inf)
    if settings.cap_width is not None:
        known = data.train.y if len(data.train) else data.calibration.y
        ends = label.beyond(known, settings.cap_width)
    low, high = (end if math.isfinite(end) else None for end in ends)
    return NumberLabel(settings.target, label.mean, label.scale, label.logarithmic, low, high)


def _about(name: str, found: Examination, *, is_one: bool) -> dict[str, Any]:
    """Return what a reader of the file is told of where the predictor comes from.

    Of several thresholds no Beta law tells the coverage.
    """
    data, rows = found.data, found.test_rows
    assert rows is not None  # noqa: S101 - of an audit that has just been
    size, whole = found.row("test", name).inefficiency_original_units, rows.coverage(name, Rule(()))
    return {
        "settings": found.settings,
        "fingerprint": data.fingerprint,
        "rows": {"training": data.train, "calibration": data.calibration, "test": data.test},
        "coverage": {"test": whole.accuracy, "low": whole.low, "high": whole.high},
        "law_of_coverage": {"beta": [rows.law.hits, rows.law.misses]} if is_one else None,
        "mean_size": size if math.isfinite(size) else None,
    }


def _check(
    saved: SavedPredictor, predictor: Predictor, found: Examination, data: PreparedData
) -> None:
    """Raise InputError if what is written gives other sets than the run for its first test rows."""
    assert found.test_rows is not None  # noqa: S101 - of an audit that has just been
    assert isinstance(predictor, MeasurePredictor)  # noqa: S101 - as it was written
    some = np.arange(min(_CHECKED, len(data.test)))
    threshold, sets_for = saved.nested(plain_columns(data.table.rows(data.test.rows[some])))
    if data.test.weights is not None:  # which thresholds of the run go by, and new rows have not
        own = predictor.thresholds_.at(data.test.part(some))
        threshold = np.reshape(own, (len(some), -1))
    run = vars(found.test_rows.sets[saved.name]).values()
    both = zip(run, sets_for(threshold), strict=True)
    if not all(np.array_equal(one[some], other) for one, other in both):
        raise InputError("saved.differs", _DIFFERS, predictor=saved.name)
