"""The file formats a table may come in, one file each; :mod:`evencover.core.table` chooses."""
