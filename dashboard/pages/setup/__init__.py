"""The page Setup."""
