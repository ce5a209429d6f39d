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


DATA = Step("Data", "data/page.py")
SETUP = Step("Setup", "setup/page.py")
RUN = Step("Run", "run/page.py")
FINDINGS = Step("Findings", "findings/page.py")
SEGMENTS = Step("Segments", "segments/page.py")
EXPORT = Step("Export", "export/page.py")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, EXPORT)
