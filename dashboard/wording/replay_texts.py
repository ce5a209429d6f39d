"""What the replay of an adjustment says."""

from collections.abc import Mapping

from evencover.core.messages import counted, listed

ABOUT_SEARCH = "The point of the least objective is chosen."


def of_at_most(what: str, number: int, most: int) -> str:
    """Return such as "layers: 3 of at most 20"."""
    return f"{what}: {number} of at most {most}"


def finished(layers: Mapping[str, int], seconds: float, *, stopped: bool) -> str:
    """Return in a sentence what a run has done; layers are counted by the adjustments' titles."""
    counts = [f"{counted(n, 'layer') if n else 'no layer'} of {of}" for of, n in layers.items()]
    accepted = f": {listed(counts)} accepted" if counts else ""
    return f"The run {'was stopped' if stopped else 'is finished'}{accepted}, in {seconds:.1f} s."
