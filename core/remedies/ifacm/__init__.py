"""The iterative feedback-adjusted conformity measure."""
