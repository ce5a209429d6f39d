"""How sure a claim has to be: one chance of a false alarm, divided over the ways to raise one.

In an audit of a predictor without any fault, the chance that any problem is claimed is at most the
sum of these levels, whatever the claims have to do with each other (Bonferroni).
"""

OVERALL = 0.01  # that coverage of all test rows is not what was promised
SEGMENTS = 0.02  # that any segment of columns is clearly too low
SEARCH = 0.01  # that any rule found by search is clearly too low
FEATURES = 0.005  # that coverage depends on the model's features
AUDIT_ONLY = 0.005  # that coverage depends on columns that neither model nor remedy may see

EFFECT = 0.05
"""That an adjustment changes anything: one question, asked once for each answer it is part of."""
