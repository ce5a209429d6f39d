"""Rows of one subset with all that goes along with them, and their outcomes; may import tables."""
