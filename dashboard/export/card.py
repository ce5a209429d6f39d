"""A result's model card as Markdown, in which no name of the table marks up anything."""

import re

from evencover.core import AuditResult
from evencover.core.messages import one_line
from evencover.core.report.card import model_card

from ..options import repeat_command
from ..wording import page_texts
from ..wording.figure_words import watched_gaps
from ..wording.formatting import worded
from ..wording.tables import CARD
from .report import bounded, make_table, today

_MARKS = re.compile(
    r"[\\`*~\[\]{}$^|]|(?<![^\W_])_|_(?![^\W_])"
    r"|^[#>:]|^[+-](?=[\s-]|$)|^\d(?=\d*[.)](\s|$))|:(?=[\w+-]+:)"
)
_LINKS = re.compile(r"www(?=\.)|:/(?=/)|@", re.IGNORECASE)
"""What some readers make links of however it is written, unless it is parted."""


def to_markdown(result: AuditResult) -> str:
    """Return the card as Markdown, without any row of the table."""
    blocks = [f"# Model card: {in_markdown(result.settings['target'])}", f"Made on {today()}."]
    for key, part in model_card(result).items():
        blocks += [f"## {part.title}"] * bool(part.sentences or part.facts)
        blocks += map(in_markdown, bounded(part.sentences))
        told = watched_gaps(result) if key == "groups" else part.facts
        texts = (", ".join(map(str, of)) if isinstance(of, list) else of for of in told.values())
        facts = bounded([f"{name}: {text}" for name, text in zip(told, texts, strict=True)])
        blocks.append("\n".join(f"- {in_markdown(fact)}" for fact in facts))
        if key == "groups" and (table := make_table(CARD, result)):
            cells = [[column.title for column in table.columns], ["---"] * len(table.columns)]
            cells += [[in_markdown(cell.text) for cell in row] for row in table.rows]
            about = worded(page_texts.ABOUT_STATUS, result.predictors)
            blocks += [about, "\n".join(f"| {' | '.join(row)} |" for row in cells)]
            left = f"{table.left_out:,} more rows are in the JSON result, by their segments."
            blocks.append(left if table.left_out else "")
    if result.asked is not None:
        command = repeat_command(result.asked, result.settings["table"])
        blocks += ["## To repeat it", re.sub(r"^", "    ", command, flags=re.MULTILINE)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def in_markdown(text: str) -> str:
    """Return text on one line, which every reader of Markdown shows as it is."""
    plain = one_line(text).strip().replace("&", "&amp;").replace("<", "&lt;")
    plain = _MARKS.sub(lambda sign: f"&#{ord(sign[0])};", plain)
    return _LINKS.sub(r"\g<0><!-- -->", plain)
