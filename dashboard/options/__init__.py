"""Settings as a person writes, shares and compares them.

May import figures, and what figures may.
"""
