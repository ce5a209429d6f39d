"""A file becomes a data frame whose columns have a kind, and rules select its rows."""
