"""Measures, thresholds of exact rank, predictors: what gives sets; may import rows and below."""
