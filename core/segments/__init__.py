"""The test rows in groups: coverage by group, gaps, worst groups by search; after preparation."""
