"""The adjustment by a linear quantile regression of the scores."""
