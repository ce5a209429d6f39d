"""New thresholds for a saved predictor from one half of newer rows, judged on the other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray
from ..conformal.rank import (
    CoverageLaw,
    conformal_threshold,
    nested_levels,
    smallest_calibration_size,
)
from ..messages import InputError, Passage, Sentence, counted, listed
from ..report.wording import percent
from ..scoring.predictor import SavedPredictor
from ..scoring.thresholds import OfGroups, OneForAll, Rule
from ..segments.statistics import FEWEST_JUDGED, LEVEL
from ..tables.table import Table
from .intake import Found, Watch
from .state import WatchState
from .verdict import Judge, WatchReport

_SEVERAL = (
    "'{predictor}' has several thresholds for a row, which cannot be learned anew from newer rows; "
    "audit these, which fits it again"
)
_WEIGHTED = (
    "'{predictor}' has thresholds by weights, which newer rows lack; audit these, with weights, "
    "which fits it again"
)
_FEW = (
    "{rows} with labels{since} are too few to recalibrate on one half and judge on the other: "
    "confidence level {level} needs {needed}"
)
_ENOUGH = (
    "Recalibrated on {first}, sets hold {share} of the {second} after them, where {low} to {high} "
    "% may be expected{groups}: {verdict}. Watch it on rows that come after these."
)


@dataclass(frozen=True)
class Recalibrated:
    """A predictor with new thresholds, and whether that ``is_enough``, as the ``sentence`` says."""

    predictor: SavedPredictor
    is_enough: bool
    sentence: Sentence


def recalibrated(watch: Watch, table: Table, since: str = "") -> Recalibrated:
    """Return a predictor with thresholds of the first half of rows with labels, in time.

    ``since`` is the day that they begin with. Where groups have thresholds of their own, those with
    too few rows keep them. It is enough if the other half is held as often as a draw of calibration
    rows brings in all but 2.5 %, and no watched group is held less often than when the predictor
    was saved, by evidence that is false in 5 %.

    Raises :class:`InputError` if rows are too few, or thresholds are not of one number for a row.
    """
    old, rule = watch.predictor, watch.predictor.thresholds
    if not isinstance(rule, OneForAll | OfGroups) or rule.width > 1:
        raise InputError("recalibrate.several", _SEVERAL, predictor=old.title)
    if old.about.get("settings", {}).get("weight"):
        raise InputError("recalibrate.weighted", _WEIGHTED, predictor=old.title)
    rows = _in_time(watch, table, since)
    first, second = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    needed = smallest_calibration_size(old.confidence_level)
    if len(first) < needed or len(second) < FEWEST_JUDGED:
        about = {"needed": 2 * max(needed, FEWEST_JUDGED), "level": old.confidence_level}
        raise InputError(
            "recalibrate.few",
            _FEW,
            rows=counted(len(rows), "row"),
            since=f" since {since}" * bool(since),
            **about,
        )
    learned = _learned(watch, rule, table.rows(first))
    return _judged(Watch(learned, watch.key, watch.time), table.rows(second), len(first))


def _in_time(watch: Watch, table: Table, since: str) -> IndexArray:
    """Return the places of rows with labels, in time, from a day on."""
    found = watch.found(table)
    single = np.zeros(len(table), dtype=bool)
    single[watch.each_once(table, found)] = True
    known = single & ~np.isnan(found.labels) & (np.array(found.periods)[found.codes] >= since)
    rows: IndexArray = np.flatnonzero(known)
    return rows[np.argsort(found.codes[rows], kind="stable")]


def _learned(watch: Watch, rule: OneForAll | OfGroups, table: Table) -> SavedPredictor:
    """Return the predictor with thresholds of a table's rows, by the rule that it has."""
    old, found = watch.predictor, watch.found(table)
    scores, level = scores_of(watch, found), old.confidence_level
    if isinstance(rule, OneForAll):
        levels, ranks = nested_levels(np.sort(scores), level)
        new: Rule = OneForAll(np.array([conformal_threshold(scores, level)]))
    else:
        codes, values = rule.by.codes(found.read), rule.values.copy()
        for code in range(len(rule.by.groups)):
            if (codes == code).sum() >= smallest_calibration_size(level):
                values[code] = conformal_threshold(scores[codes == code], level)
        levels, ranks, new = (), (), OfGroups(rule.by, values)
    reference = replace(watch.kinds.reference, levels=levels, ranks=ranks)
    return replace(old, thresholds=new, reference=reference)


def scores_of(watch: Watch, found: Found) -> FloatArray:
    """Return the largest thresholds by which sets hold rows' labels, exactly, shape (n,).

    Infinite of labels that are held by any threshold, or by none.
    """
    n = len(found.labels)
    low, high = (np.full(n, _placed(end), dtype=np.uint64) for end in (-np.inf, np.inf))
    while (low < high).any():
        middle = low + (high - low + np.uint64(1)) // np.uint64(2)
        sets = watch.plain(found.sets_for(_at(middle)[:, None]))
        held = watch.missing(sets, found.labels, 1) == 0
        low, high = np.where(held, middle, low), np.where(held, high, middle - np.uint64(1))
    return _at(low)


_HALF = np.uint64(1 << 63)


def _placed(number: float) -> np.uint64:
    """Return the place of a number among all floats in their order."""
    bits = np.float64(number).view(np.uint64)
    return ~bits if bits & _HALF else bits | _HALF


def _at(places: NDArray[np.uint64]) -> FloatArray:
    """Return the numbers at places among all floats."""
    return np.where(places & _HALF, places ^ _HALF, ~places).view(np.float64)


def _judged(watch: Watch, table: Table, calibration: int) -> Recalibrated:
    """Return the predictor with what it keeps of newer rows, and what the second half says."""
    state, _ = watch.added(table, WatchState(watch.fingerprint))
    seen = Judge(watch, state).report()
    low = [row.name for row in seen.moved("group")]
    band = CoverageLaw.of_calibration(calibration, seen.confidence_level).band(seen.n, LEVEL)
    is_enough = seen.share >= band[0] and not low
    verdict = "that is enough" if is_enough else "not enough, refit on newer rows"
    if is_enough and seen.share > band[1]:
        verdict = "enough, and more than is promised, so that sets are wider than they need to be"
    groups = (
        f", and {listed([each[:80] for each in low])} still less often than before" if low else ""
    )
    sentence = Sentence(
        "recalibrate.enough",
        _ENOUGH,
        first=counted(calibration, "row"),
        share=percent(seen.share, "z.2f"),
        second=counted(seen.n, "row"),
        low=f"{100.0 * band[0]:.2f}",
        high=f"{100.0 * band[1]:.2f}",
        groups=Passage(groups),
        verdict=verdict,
    )
    predictor = replace(
        watch.predictor,
        reference=watch.reference_of(state),
        about=_with_history(watch.predictor.about, seen, calibration),
    )
    return Recalibrated(predictor, is_enough, sentence)


def _with_history(about: Mapping[str, Any], seen: WatchReport, calibration: int) -> dict[str, Any]:
    """Return what a reader of the file is told, and what it told before."""
    before = {name: of for name, of in about.items() if name != "history"}
    return {
        **before,
        "rows": {**about.get("rows", {}), "calibration": calibration, "test": seen.n},
        "coverage": {"test": seen.share, "low": seen.low, "high": seen.high},
        "law_of_coverage": None,
        "mean_size": None,
        "history": [*about.get("history", []), before],
    }
