"""What the replay of an adjustment says."""

ABOUT_SEARCH = "The point of the least objective is chosen."


def of_at_most(what: str, number: int, most: int) -> str:
    """Return such as "layers: 3 of at most 20"."""
    return f"{what}: {number} of at most {most}"


def finished(layers: int | None, seconds: float, *, stopped: bool) -> str:
    """Return in a sentence what a run has done; None is for a run that seeks no layers."""
    how = f"The run {'was stopped' if stopped else 'is finished'}"
    if layers is None:
        return f"{how}, in {seconds:.1f} s."
    count = "no layer" if layers == 0 else "1 layer" if layers == 1 else f"{layers} layers"
    return f"{how}: {count} of the adjustment accepted, in {seconds:.1f} s."
