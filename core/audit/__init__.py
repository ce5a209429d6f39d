"""The whole way from table and settings to the result, its repeats and its cohorts.

May import every other package of core.
"""
