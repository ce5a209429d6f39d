"""The page Runs."""
