"""What the dashboard says, apart from the code that says it: the texts of page_texts.toml by name.

What a text has in [[double brackets]] is for several predictors; see :func:`.predictors.worded`.
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from evencover.core import levels
from evencover.core.segments.statistics import FEWEST_JUDGED

_FIGURES = {
    "segments": f"{levels.SEGMENTS:g}",
    "search": f"{levels.SEARCH:g}",
    "fewest": FEWEST_JUDGED,
}
_FILE = files(__package__).joinpath("page_texts.toml").read_text(encoding="utf-8")
_READ = tomllib.loads(Template(_FILE).substitute(_FIGURES))

SAMPLES: Mapping[str, str] = _READ["SAMPLES"]
DOWNLOADS: Mapping[str, str] = _READ["DOWNLOADS"]
CUT_SHORT: Mapping[str | None, str] = _READ["CUT_SHORT"]  # why a run was, by the reason
READING_CUT: Mapping[str | None, str] = _READ["READING_CUT"]
READING_HELP: Mapping[str, str] = _READ["READING_HELP"]
SECOND_TABLE_HELP: Mapping[str, str] = _READ["SECOND_TABLE_HELP"]
ORDER_NAMES: Mapping[str, str] = _READ["ORDER_NAMES"]

WATCH: Mapping[str, str] = _READ["WATCH"]

STEPS: Mapping[str, str] = _READ["STEPS"]  # what the button of a thing to do says, by its kind
FIXES: Mapping[str, str] = _READ["FIXES"]  # what the button beside a hint says, by the hint's kind

GLOSSARY: Mapping[str, str] = _READ["GLOSSARY"]
"""What the terms mean: pages explain them in a click, tables by their heads, the report all."""


def __getattr__(name: str) -> str:
    """Return a text that stands by itself."""
    try:
        text: str = _READ["texts"][name]
    except KeyError:
        raise AttributeError(name) from None
    return text
