"""The pages in the order in which a person walks through them."""

from dataclasses import dataclass
from importlib import import_module

import streamlit as st

from ..wording.page_texts import GLOSSARY


@dataclass(frozen=True)
class Page:
    """A page: its title, in the navigation and the address, its module, and its terms."""

    title: str
    module: str
    words: tuple[str, ...] = ()

    def draw(self) -> None:
        """Draw it, by the function ``main`` of its module, which is loaded at the first visit."""
        import_module(f"{__package__}.{self.module}").main()

    def in_navigation(self) -> st.Page:
        """Return it as streamlit knows it, by its address."""
        return st.Page(self.draw, title=self.title, url_path=self.title.lower())

    def open(self) -> None:
        """Go to it; nothing more is drawn here."""
        st.switch_page(self.in_navigation())


DATA = Page("Data", "data", ("coverage", "conformal predictor"))
SETUP = Page("Setup", "setup", ("label", "score", "inefficiency", "objective", "DCV"))
RUN = Page(
    "Run",
    "run",
    ("DCV", "p(x)", "inefficiency", "score", "gamma", "delta", "objective", "log-odds"),
)
FINDINGS = Page("Findings", "findings", ("coverage", "p(x)", "DCV", "floor", "log-odds", "q"))
SEGMENTS = Page("Segments", "segments", ("coverage", "q", "inefficiency", "p(x)"))
COMPARE = Page("Compare", "compare", ("inefficiency", "DCV", "floor", "coverage"))
RUNS = Page("Runs", "runs", ("DCV", "floor", "coverage", "inefficiency"))
EXPORT = Page("Export", "export")
STEPS = (DATA, SETUP, RUN, FINDINGS, SEGMENTS, COMPARE, RUNS, EXPORT)
LEARN = Page("Learn", "learn", tuple(GLOSSARY))
PAGES = (*STEPS, LEARN)
"""One may learn at any time."""
