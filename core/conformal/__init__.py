"""Conformity measures and the inductive conformal predictor: sets of exact rank."""
