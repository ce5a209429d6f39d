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

from evencover.core.preparation.options import FLAG, Option
from evencover.core.preparation.settings import OPTIONS
from evencover.core.report.result import NO_ROWS, SECTIONS, columns

from .. import commands
from ..commands.main import COMMANDS
from ..export.files import ROW_TYPES
from ..options import explained
from ..terminal.console import Parser
from ..wording.page_texts import GLOSSARY

_ORDER = (
    "dashboard reading own_model command_line python remedies compare pipelines predictor watching "
    "tables files weights method reproduction privacy contributing changes"
)
NAMES = tuple(_ORDER.split())  # of the files


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


def _options() -> str:
    others = [option for option in OPTIONS.values() if option.field != "missing_in"]
    rows = ((f"`{each.flag}`", _value(each), explained(each)) for each in others)
    return _table(("option", "value", "what"), rows)


def _value(option: Option) -> str:
    if option.kind is FLAG:
        return f"or `{option.flag.replace('--', '--no-', 1)}`"
    return ", ".join(
        f"`{each}`" for each in option.allowed or [option.kind.stands_for or option.key.upper()]
    )


def _commands() -> str:
    """Return the options of each command that are no settings."""
    parts = []
    for name, (module, what, _) in COMMANDS.items():
        parser = Parser(add_help=False)
        import_module(module, commands.__name__).fill(parser)
        own = [each for each in parser._actions if each.dest not in OPTIONS]  # noqa: SLF001
        rows = ((_written(one), (one.help or "").replace("%%", "%")) for one in own)
        parts += [f"## evencover {name}", f"To {what}.", _table(("option", "what"), rows)]
    return "\n\n".join(parts)


def _written(action: Action) -> str:
    return f"`{' '.join(action.option_strings) or action.metavar or action.dest}`"


def _names() -> str:
    rows = ((f"`{o.field}`", f"`{o.flag}`", f"`{o.key}`", o.title) for o in OPTIONS.values())
    return _table(("in Python", "on the command line", "in files", "on Setup"), rows)


def _columns() -> str:
    """Return the columns of each CSV table."""
    named = {table: columns(row_type, ("base", "ifacm")) for table, row_type in ROW_TYPES.items()}
    rows = (
        (f"`{table}.csv`", ", ".join(f"`{name}`" for name in of)) for table, of in named.items()
    )
    return _table(("file", "columns"), rows)


MADE: Mapping[str, Callable[[], str]] = {
    "glossary": lambda: "\n".join(f"- **{term}**: {told}" for term, told in GLOSSARY.items()),
    "options": _options,
    "commands": _commands,
    "names": _names,
    "sections": lambda: ", ".join(f"`{name}`" for name in SECTIONS if name not in NO_ROWS),
    "columns": _columns,
}
