"""Newer rows beside what a saved predictor was made of: what has moved, and for whom."""
