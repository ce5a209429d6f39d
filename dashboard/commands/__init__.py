"""The commands ``evencover``, ``audit``, ``reproduce`` and ``dashboard``.

May import every other package of the dashboard.
"""
