"""Settings of an audit, and a table made ready: roles, target, split, design matrix."""
