"""How sure a claim has to be: one chance of a false alarm, divided over the ways to raise one.

Rows are a problem only where coverage is too low, which takes half of a two-sided level. So in an
audit of a predictor without any fault the chance that any problem is claimed is at most 0.045: half
of the first four levels, and the three others, whatever the claims have to do with each other
(Bonferroni).
"""

from collections.abc import Mapping

OVERALL = 0.01  # that coverage of all test rows is not what was promised
NAMED = 0.02  # that any group named beforehand is clearly too low
SEGMENTS = 0.02  # that any other segment of columns is clearly too low
SEARCH = 0.01  # that any rule found by search is clearly too low
FEATURES = 0.005  # that coverage depends on the model's features, in a straight line or as asked
TREES = 0.005  # that it does as boosted trees see it
AUDIT_ONLY = 0.005  # that coverage depends on columns that neither model nor remedy may see

GROUPS: Mapping[str, float] = {"named": NAMED, "objects": SEGMENTS, "search": SEARCH}
"""Of groups of rows, by the family that they are judged among."""

EFFECT = 0.05
"""That an adjustment changes anything: one question, asked once for each answer it is part of."""
