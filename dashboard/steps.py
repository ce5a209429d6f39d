"""The steps that a person walks through, one page each, in their order."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A step of the path.

    Attributes
    ----------
    title
        The page's name in the navigation, and its heading.
    file
        Its script, as seen from ``app.py``.
    """

    title: str
    file: str


DATA = Step("Data", "views/data.py")
SETUP = Step("Setup", "views/setup.py")
RUN = Step("Run", "views/run.py")
FINDINGS = Step("Findings", "views/findings.py")
SEGMENTS = Step("Segments", "views/segments.py")
EXPORT = Step("Export", "views/export.py")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, EXPORT)
