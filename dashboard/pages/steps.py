"""The steps that a person walks through, one page each, in their order."""

from typing import NamedTuple

from evencover.dashboard.wording.glossary import GLOSSARY


class Step(NamedTuple):
    """A page: its name in the navigation, its script as seen from ``app.py``, and its terms."""

    title: str
    file: str
    words: tuple[str, ...] = ()


DATA = Step("Data", "data.py", ("coverage", "conformal predictor"))
SETUP = Step("Setup", "setup/page.py", ("label", "score", "inefficiency", "objective", "DCV"))
RUN = Step(
    "Run",
    "run.py",
    ("DCV", "p(x)", "inefficiency", "score", "gamma", "delta", "objective", "log-odds"),
)
FINDINGS = Step("Findings", "findings.py", ("coverage", "p(x)", "DCV", "floor", "log-odds", "q"))
SEGMENTS = Step("Segments", "segments.py", ("coverage", "q", "inefficiency", "p(x)"))
COMPARE = Step("Compare", "compare.py", ("inefficiency", "DCV", "floor", "coverage"))
RUNS = Step("Runs", "runs.py", ("DCV", "floor", "coverage", "inefficiency"))
EXPORT = Step("Export", "export.py")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, COMPARE, RUNS, EXPORT)
LEARN = Step("Learn", "learn.py", tuple(GLOSSARY))
PAGES = (*STEPS, LEARN)
"""One may learn at any time."""
