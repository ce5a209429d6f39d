"""The steps that a person walks through, one page each, in their order."""

from typing import NamedTuple


class Step(NamedTuple):
    """A step of the path: its name in the navigation, and its script as seen from ``app.py``."""

    title: str
    file: str


DATA = Step("Data", "data/page.py")
SETUP = Step("Setup", "setup/page.py")
RUN = Step("Run", "run/page.py")
FINDINGS = Step("Findings", "findings/page.py")
SEGMENTS = Step("Segments", "segments/page.py")
EXPORT = Step("Export", "export/page.py")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, EXPORT)
LEARN = Step("Learn", "learn/page.py")
PAGES = (*STEPS, LEARN)
"""One may learn at any time."""
