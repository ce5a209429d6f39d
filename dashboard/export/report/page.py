"""The page."""

import importlib.metadata
import platform
import re
from datetime import datetime
from functools import partial
from typing import Any

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.remedies.names import title_of
from evencover.core.report.result import SECTIONS, to_json

from ...options.command_line import repeat_command, repeat_with_settings
from ...wording import page_texts
from ...wording.figure_words import key_figures
from ...wording.formatting import worded
from ...wording.rows import (
    has_path,
    lead_and_advice,
    notes_on,
    object_segments,
    over_seeds,
    replay_of,
    rows_by_set,
    rows_left_out,
    rules_counted,
    step_rows,
)
from ...wording.tables import TABLES
from ..html import chart, charts_script, in_html, render
from .cells import LONGEST, ShownTable, cut, example_table, make_table, sentences
from .charts import (
    coefficient_figures,
    group_chart,
    histogram,
    layer_charts,
    segment_charts,
    watched_charts,
    watched_names,
)

_PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy")
_CONTENTS = {
    "findings": "What the test rows say",
    "probabilities": "Probability of a correct set",
    "segments": "Segments",
    "coefficients": "Coefficients",
    "layers": "Layers",
    "results": "[[Before and after|Figures]]",
    "segment-tables": "Tables of segments",
    "worst": "Worst segments",
    "audit-only": "Audit-only columns",
    "coefficient-table": "Table of coefficients",
    "layer-table": "Table of layers",
    "others": "Other measures",
    "repeats": "Repeats",
    "examples": "Examples",
    "data": "Data and notes",
    "words": "Words",
    "repeat": "To repeat it",
}
_COLUMNS_IN_PRINT = 7
_MOST_FEATURES = 100
MOST_BYTES = 6_000_000
_LONGEST_TITLES = (1000, 100, 0)
"""Signs of a long name that are shown where the pointer rests: fewer where many are long."""

_LONGEST_FILE_NAME = 80
_LONGEST_COMMAND = 100_000
"""A longer one is more than a shell takes; the JSON result holds its settings, too."""


def to_html(result: AuditResult, examples: int = 0) -> str:
    """Return the result as an HTML page that needs nothing but itself, of at most 6 MB.

    It names columns, segments and classes, but holds no row of the table unless ``examples`` asks
    for so many of the test rows: an :class:`InputError` if it has none, or if these are too many.
    """
    shown, steps = example_table(result, examples), replay_of(result)
    every = [*(make_table(spec, result) for spec in TABLES), shown]
    made = {table.name: table for table in every if table is not None}
    groups, first = object_segments(result), result.row("test", result.reference)
    known = {"Evencover": result.settings["version"], "Python": platform.python_version()}
    values = {
        **_on_first_screen(result, made),
        "is_whole": True,
        "glossary": page_texts.GLOSSARY,
        "groups": group_chart(result),
        "examples": shown,
        "contents": _contents(result, made),
        "coefficients": [
            chart(figure, f"coefficients-{subset}")
            for subset, figure in coefficient_figures(result).items()
        ],
        "layers": layer_charts(result),
        "layers_did": sentences([row["did"] for row in step_rows(steps)]),
        "layers_of": title_of(steps[0].predictor) if steps else "",
        "segments": segment_charts(result),
        "watched": watched_charts(result),
        "histogram": chart(histogram(result), "histogram"),
        "versions": known | {name: importlib.metadata.version(name) for name in _PACKAGES},
        "script": charts_script(),
        "variables": len({one.variable for one in groups} - {*watched_names(result)}),
        "worst_counted": rules_counted(result),
        "noise": None if first.noise_low is None else (first.noise_low, first.noise_high),
        "other_estimator": not ESTIMATORS[result.settings["estimator"]].maximum_likelihood,
    }
    for longest in _LONGEST_TITLES:
        values["longest_title"] = longest
        page = render(__package__, values, (in_html, cut))
        if len(page.encode(errors="replace")) <= MOST_BYTES:
            break
    return page


def to_first_screen(result: AuditResult) -> str:
    """Return the top of that page, up to the groups that are clearly too low, without charts."""
    made = [make_table(spec, result) for spec in TABLES if spec.name == "too_low"]
    tables = {table.name: table for table in made if table is not None}
    shown = {"is_whole": False, "groups": "", "watched": [], "longest_title": _LONGEST_TITLES[0]}
    return render(__package__, _on_first_screen(result, tables) | shown, (in_html, cut))


def _on_first_screen(result: AuditResult, tables: dict[str, ShownTable]) -> dict[str, Any]:
    """Return what the top needs, none of its text without bounds."""
    settings, features = result.settings, result.data.features
    seconds = SECTIONS["seconds"](result).items()
    more, source = len(features) - _MOST_FEATURES, settings["table"]
    command = "" if result.asked is None else repeat_command(result.asked, source)
    if len(command) > _LONGEST_COMMAND:
        command = repeat_with_settings("RESULT.json", source)
    lead, advice = lead_and_advice(result)
    return {
        "result": result,
        "texts": page_texts,
        "tables": tables,
        "key_figures": key_figures(result),
        "worded": partial(worded, given=result.predictors),
        "date": today(),
        "in_print": _COLUMNS_IN_PRINT,
        "title": cut(settings["table"], 200),
        "target": cut(settings["target"], 200),
        "sets": "intervals" if settings["task"] == "regression" else "sets",
        "lead": sentences(lead),
        "advice": sentences([advice] if advice else []),
        "findings": sentences(result.explanations),
        "notes": sentences(to_json(result)["notes"]),
        "features": ", ".join(cut(name, LONGEST) for name in features[:_MOST_FEATURES])
        + (f" and {more:,} more" if more > 0 else ""),
        "command": command,
        "fingerprint": result.data.fingerprint,
        "rows_by_set": rows_by_set(result),
        "left_out": rows_left_out(result),
        "seconds": ", ".join(f"{name.replace('_', ' ')} {value:.1f}" for name, value in seconds),
        "over_seeds": sentences(over_seeds(result)),
        "why_no_layer": sentences(
            [notes_on(result, by.name) for by in result.predictors if by.fit.no_layer_reason]
        ),
        "seeds": "" if result.repeats is None else ", ".join(map(str, result.repeats.seeds)),
    }


def today() -> str:
    """Return the date where the report is made, such as 2026-11-29."""
    return datetime.now().astimezone().date().isoformat()


def file_name(result: AuditResult) -> str:
    """Return a name for the report's file, with that of the table and the date."""
    words = re.findall(r"\w+", result.settings["table"])
    return "-".join(["evencover", *words, today()])[-_LONGEST_FILE_NAME:].lstrip("-") + ".html"


def _contents(result: AuditResult, made: dict[str, ShownTable]) -> dict[str, str]:
    """Return the sections that are there, by id."""
    absent = {"audit-only", "repeats", "examples"} - {name.replace("_", "-") for name in made}
    if not has_path(result):
        absent.add("layers")
    if "iterations" not in made:
        absent.add("layer-table")
    shown = {id_: name for id_, name in _CONTENTS.items() if id_ not in absent}
    return {id_: worded(name, result.predictors) for id_, name in shown.items()}
