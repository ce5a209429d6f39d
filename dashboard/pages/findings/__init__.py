"""The page Findings."""
