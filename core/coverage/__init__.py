"""Coverage as a function of x: estimators of p(x), DCV, its floor and uncertainty."""
