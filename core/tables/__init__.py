"""A file becomes a table of typed columns, and rules select rows; imports core's own files."""
