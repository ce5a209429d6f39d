"""The page Learn: a lesson is one file here, and one entry in ``lessons.py``."""
