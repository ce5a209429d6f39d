"""Predictors adjusted so that coverage depends less on x, by name; may import coverage and below.

A new remedy is one class and one line in ``names.py``.
"""
