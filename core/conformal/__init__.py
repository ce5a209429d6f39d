"""Conformity measures and the inductive conformal predictor: prediction sets of exact rank.

May import tables, and what tables may.
"""
