"""Predictors by seeds, evaluated on the same rows; may import segments and below."""
