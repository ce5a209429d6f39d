"""The guide: its chapters, a Markdown file each beside this one, and what is made for them.

In a chapter a line ``<!-- made: NAME -->`` stands for what the function of that name here returns,
so that what the program knows is not copied. ``[words](file.md)`` leads to another chapter.
"""

import re
from argparse import Action
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from urllib.parse import quote_plus

from evencover.core.preparation.settings import OPTIONS
from evencover.core.report.result import NO_ROWS, SECTIONS, columns

from .. import commands
from ..commands.main import COMMANDS
from ..export.files import ROW_TYPES
from ..terminal.console import Parser
from ..wording.page_texts import GLOSSARY

_FIRST = "dashboard reading own_model command_line python remedies compare pipelines predictor"
_THEN = "watching tables files weights method reproduction privacy server contributing changes"
NAMES = (*_FIRST.split(), *_THEN.split())  # of the files


@cache
def chapters() -> Mapping[str, str]:
    """Return the chapters as they are written, by their titles."""
    read = (files(__package__).joinpath(f"{name}.md").read_text("utf-8") for name in NAMES)
    return {text.partition("\n")[0].removeprefix("# "): text for text in read}


@cache
def drawn(title: str) -> str:
    """Return a chapter to draw below a page's heading: with what is made, and links as pages."""
    titles = dict(zip(NAMES, map(quote_plus, chapters()), strict=True))
    text = re.sub(r"<!-- made: (\w+) -->", lambda found: MADE[found[1]](), chapters()[title])
    text = re.sub(r"\]\((\w+)\.md\)", lambda found: f"](?chapter={titles[found[1]]})", text)
    parts = text.split("```")  # in those of odd places # begins no heading
    parts[::2] = [re.sub(r"^#", "##", part, flags=re.MULTILINE) for part in parts[::2]]
    return "```".join(parts)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [[cell.replace("|", r"\|") for cell in row] for row in (head, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|---" * len(cells[0]) + "|", *lines[1:]])


def _arguments(command: str, *, of_settings: bool = False) -> str:
    """Return a command's options, those that are settings or the others."""
    parser = Parser(add_help=False)
    import_module(COMMANDS[command][0], commands.__name__).fill(parser)
    some = (each for each in parser._actions if (each.dest in OPTIONS) == of_settings)  # noqa: SLF001
    rows = ((f"`{_written(each)}`", (each.help or "").replace("%%", "%")) for each in some)
    return _table(("option", "what"), rows)


def _written(action: Action) -> str:
    one_of = "|".join(map(str, action.choices or ()))
    return " ".join([*action.option_strings, str(action.metavar or one_of)]).strip()


def _names() -> str:
    rows = ((f"`{o.field}`", f"`{o.flag}`", f"`{o.key}`", o.title) for o in OPTIONS.values())
    return _table(("in Python", "on the command line", "in files", "on Setup"), rows)


def _columns() -> str:
    of_two = ("base", "ifacm")
    rows = ((f"`{name}.csv`", _codes(columns(row, of_two))) for name, row in ROW_TYPES.items())
    return _table(("file", "columns"), rows)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


MADE: Mapping[str, Callable[[], str]] = {
    "glossary": lambda: "\n".join(f"- **{term}**: {told}" for term, told in GLOSSARY.items()),
    "options": lambda: _arguments("audit", of_settings=True),
    "commands": lambda: "\n\n".join(f"**evencover {it}**\n\n{_arguments(it)}" for it in COMMANDS),
    "names": _names,
    "sections": lambda: _codes(name for name in SECTIONS if name not in NO_ROWS),
    "columns": _columns,
}
