"""Settings of an audit, and a table made ready by them: roles, target, split, design matrix.

May import remedies, and what remedies may.
"""
