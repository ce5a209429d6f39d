"""Coverage as a function of x: estimators of p(x), DCV, its floor and uncertainty.

May import conformal, and what conformal may.
"""
