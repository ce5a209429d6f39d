"""How a result finds what shows it to a person, which is built upon it and which it cannot import.

A distribution that shows results says so by an entry point of the group ``evencover.presentation``:
Python keeps those where what is installed is written down, so that nobody has to import the
dashboard, with its charts, before a result is shown, and core names nothing above it. A service
without a screen may install another one, or none.
"""

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import InputError

if TYPE_CHECKING:
    from .result import AuditResult

GROUP = "evencover.presentation"


class Presentation(Protocol):
    """What the entry point names offers, a module or an object."""

    def first_screen(self, result: "AuditResult") -> str:
        """Return what a notebook shows of a result, as HTML that needs nothing but itself."""

    def report(self, result: "AuditResult", path: Path, examples: int) -> None:
        """Write a report of a result, with so many test rows."""

    def figure(self, result: "AuditResult", name: str, **choice: Any) -> Any:  # noqa: ANN401
        """Return a chart of a result."""


def installed_presentation() -> Presentation | None:
    """Return what is installed to show results; None if nothing is."""
    for point in entry_points(group=GROUP):
        found: Presentation = point.load()
        return found
    return None


def needed_presentation() -> Presentation:
    """Return the same; InputError if nothing is installed."""
    found = installed_presentation()
    if found is None:
        sentence = "nothing is installed that shows results; install evencover anew with pip"
        raise InputError("presentation.none", sentence)
    return found
