"""The result as JSON, CSV, terminal summary and HTML report.

May import options, and what options may.
"""
