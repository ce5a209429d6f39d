"""Coverage as a function of x: estimators of p(x), DCV; may import conformal and below."""
