"""stub"""


def to_open_metrics(found: object) -> str:
    """Return."""
    return str(found)
