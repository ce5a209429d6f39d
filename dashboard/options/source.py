"""What names a table: a file, or a sample."""

SAMPLE_PREFIX = "sample:"
"""Of a source, which then is a sample's name and no file."""


def file_source(name: str) -> str:
    """Return the source of a table from a file, which the command line takes for no sample."""
    return f"./{name}" if name.startswith(SAMPLE_PREFIX) else name


BY_SAMPLES = frozenset(
    ("target", "log_target", "drop", "audit_only", "confidence_level", "penalty", "split")
)
"""The options that a sample brings where they are not given."""
