"""Intervals and label sets of test rows as text."""

import math

import numpy as np

from evencover.core.segments.test_rows import AuditedObjects, ObjectSets

_WHOLE_FROM = 1e4
"""Ends from here on are shown in whole units, those below to five digits."""


def set_texts(objects: AuditedObjects, found: ObjectSets) -> list[str]:
    """Return each row's interval, its ends rounded, or its set of labels."""
    if found.lower is not None and found.upper is not None:
        ends = zip(found.lower.tolist(), found.upper.tolist(), strict=True)
        return [f"{end_text(low)} to {end_text(high)}" for low, high in ends]
    return [", ".join(labels) or "(none)" for labels in label_sets(objects, found)]


def label_sets(objects: AuditedObjects, found: ObjectSets) -> list[list[str]]:
    """Return the labels in each row's set."""
    assert found.members is not None  # noqa: S101 - for the type checker: intervals have none
    return [[objects.classes[i] for i in np.flatnonzero(row)] for row in found.members]


def end_text(value: float) -> str:
    """Return an end of an interval, rounded."""
    whole = math.isfinite(value) and abs(value) >= _WHOLE_FROM
    return f"{value:,.0f}" if whole else f"{value:.5g}".replace("inf", "infinite")
