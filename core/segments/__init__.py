"""The test rows divided into groups: coverage by group, gaps, and the worst groups by search.

May import preparation, and what preparation may.
"""
