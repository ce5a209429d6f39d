"""An audit's result as one HTML page to mail: figures and charts, and no row of the table.

Tables and sentences are bounded, and without values of single rows unless asked for; long names
are cut, so that no table makes the page large.
"""

import importlib.metadata
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import plotly.graph_objects as go
from markupsafe import Markup

from evencover.core import AuditResult, InputError
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.exploration.examples import examples
from evencover.core.messages import Sentence, check_whole, visible
from evencover.core.remedies.names import title_of
from evencover.core.report.card import model_card
from evencover.core.report.in_short import fates, in_short, shown_groups, steps, who_title
from evencover.core.report.result import SECTIONS, to_json

from ..figures.paths import layers_figure
from ..figures.periods import period_charts
from ..figures.probability import probability_figure, shrinkage_figure
from ..figures.segments import coverage_range, segment_figure
from ..figures.style import COLOURS, shortened
from ..options import repeat_command, repeat_with_settings
from ..wording import page_texts, tables
from ..wording import rows as found
from ..wording.figure_words import key_figures, watched_gaps
from ..wording.formatting import predictors, worded
from .html import chart, charts_script, in_html, render

_PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy")
_CONTENTS = {
    "watched": "Protected and audit-only columns",
    "too-low": "Groups with clearly too little coverage",
    "findings": "What the test rows say",
    "probabilities": "Probability of a correct set",
    "segments": "Segments",
    "periods": "Time",
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
    "card": "Model card",
    "words": "Words",
    "repeat": "To repeat it",
}
_COLUMNS_IN_PRINT = 7
_MOST_BYTES = 6_000_000
_LONGEST_TITLES = (1000, 100, 0)
"""Signs of a long name that are shown where the pointer rests: fewer where many are long."""

_LONGEST_FILE_NAME = 80
_LONGEST_COMMAND = 100_000
"""A longer one is more than a shell takes; the JSON result holds its settings, too."""

_LONGEST = 60  # signs of a name or value that are shown; the whole is shown where the pointer rests
_LONGEST_SENTENCE = 4000
_MOST_SENTENCES = 100
_SIGNED, _PROMISES = (4, 280), (7, 340)
"""Sentences of a kind on the pages to sign, and signs of each: such that each is one page."""

_LONGEST_SIGNED = 500  # a longer command is in the annex
_MOST_EXAMPLES = 200
_VARIABLES_SHOWN = 12
_LONGEST_NAME = 120  # of those in a chart


class ShownValue(NamedTuple):
    """A value as shown; ``whole`` is not empty where it was cut."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class ShownTable:
    """A table as shown; ``left_out`` rows are not."""

    name: str
    columns: list[tables.ShownColumn]
    rows: list[list[ShownValue]]
    left_out: int

    def explained(self) -> list[tables.ShownColumn]:
        """Return the columns that have an explanation, the first of those that have the same."""
        first = {column.help: column for column in reversed(self.columns) if column.help}
        return [column for column in self.columns if first.get(column.help) is column]


def to_html(result: AuditResult, examples: int = 0) -> str:
    """Return the result as an HTML page that needs nothing but itself, of at most 6 MB.

    It names columns, segments and classes, but holds no row of the table unless ``examples`` asks
    for so many of the test rows: an :class:`InputError` if it has none, or if these are too many.
    """
    shown, path = _example_table(result, examples), found.replay_of(result)
    every = [*(make_table(spec, result) for spec in tables.TABLES), shown]
    made = {table.name: table for table in every if table is not None}
    groups, first = found.object_segments(result), result.row("test", result.reference)
    table = result.settings["table"]
    known = {"Evencover": result.settings["version"], "Python": platform.python_version()}
    values = {
        **_on_first_screen(result, made),
        "is_whole": True,
        "glossary": page_texts.GLOSSARY,
        "examples": shown,
        "contents": _contents(result, made),
        "coefficients": [
            chart(figure, f"coefficients-{subset}", table)
            for subset, figure in coefficient_figures(result).items()
        ],
        "layers": _layer_charts(result),
        "layers_did": bounded([row["did"] for row in found.step_rows(path)]),
        "layers_of": title_of(path[0].predictor) if path else "",
        "segments": _segment_charts(result),
        "watched": _watched_charts(result),
        "periods": [
            (title, chart(figure, f"periods-{place}", table), words)
            for place, (title, figure, words) in enumerate(period_charts(result), 1)
        ],
        "histogram": chart(histogram(result), "histogram", table),
        "versions": known | {name: importlib.metadata.version(name) for name in _PACKAGES},
        "script": charts_script(),
        "variables": len({one.variable for one in groups} - {*_watched_names(result)}),
        "worst_counted": found.rules_counted(result),
        "noise": None if first.noise_low is None else (first.noise_low, first.noise_high),
        "other_estimator": not ESTIMATORS[result.settings["estimator"]].maximum_likelihood,
    }
    for longest in _LONGEST_TITLES:
        values["longest_title"] = longest
        page = render(__package__, values, (in_html, cut))
        if len(page.encode(errors="replace")) <= _MOST_BYTES:
            break
    return page


def to_first_screen(result: AuditResult) -> str:
    """Return its first page, what to do now, and the groups that are clearly too low, unsigned."""
    made = [make_table(spec, result) for spec in tables.TABLES if spec.name == "too_low"]
    by_name = {table.name: table for table in made if table is not None}
    shown = {"is_whole": False, "watched": [], "longest_title": _LONGEST_TITLES[0]}
    return render(__package__, _on_first_screen(result, by_name) | shown, (in_html, cut))


def _on_first_screen(result: AuditResult, made: dict[str, ShownTable]) -> dict[str, Any]:
    """Return what the two pages need, none of its text without bounds."""
    settings = result.settings
    seconds = SECTIONS["seconds"](result).items()
    source = settings["table"]
    command = "" if result.asked is None else repeat_command(result.asked, source)
    if len(command) > _LONGEST_COMMAND:
        command = repeat_with_settings("RESULT.json", source)
    card, groups = model_card(result), shown_groups(result)
    shares = [share for g in groups for share in (g.band[0], *(r.accuracy for r in g.by.values()))]
    return {
        "result": result,
        "texts": page_texts,
        "tables": made,
        "key_figures": key_figures(result),
        "worded": partial(worded, given=result.predictors),
        "date": today(),
        "in_print": _COLUMNS_IN_PRINT,
        "title": cut(settings["table"], 200),
        "target": cut(settings["target"], 200),
        "lead": bounded(in_short(result), *_SIGNED),
        "who": groups,
        "who_title": who_title(result),
        "lowest": max(0.0, min([settings["cl"], *shares]) - 0.03),
        "given": predictors(result),
        "colours": COLOURS,
        "fates": bounded(fates(result), *_PROMISES),
        "advised": "" if result.advised == result.reference else title_of(result.advised),
        "steps": bounded([step.sentence for step in steps(result)], *_SIGNED),
        "gates": bounded([gate.sentence for gate in result.gates], *_SIGNED),
        "card": card,
        "promises": bounded(card["promise"].sentences, *_PROMISES),
        "findings": bounded([*result.headline, *result.explanations]),
        "notes": bounded(to_json(result)["notes"]),
        "features": cut(", ".join(result.data.features), _LONGEST_SENTENCE),
        "command": command,
        "is_signed_with": command != "" and command == cut(command, _LONGEST_SIGNED),
        "fingerprint": result.data.fingerprint,
        "rows_by_set": found.rows_by_set(result),
        "left_out": found.rows_left_out(result),
        "seconds": ", ".join(f"{name.replace('_', ' ')} {value:.1f}" for name, value in seconds),
        "over_seeds": bounded(found.over_seeds(result)),
        "sure_by_seeds": bounded(found.over_seeds(result), *_SIGNED),
        "why_no_layer": bounded(
            [found.notes_on(result, by.name) for by in result.predictors if by.fit.no_layer_reason]
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
    absent = {"audit-only", "repeats", "examples", "periods", "too-low"}
    absent -= {name.replace("_", "-") for name in made}
    if not found.watched(result):
        absent.add("watched")
    if not found.has_path(result):
        absent.add("layers")
    if "iterations" not in made:
        absent.add("layer-table")
    shown = {id_: name for id_, name in _CONTENTS.items() if id_ not in absent}
    return {id_: worded(name, result.predictors) for id_, name in shown.items()}


def make_table(spec: tables.TableSpec, result: AuditResult) -> ShownTable | None:
    """Return the first rows of a table; None without any."""
    rows, given = spec.rows(result), predictors(result, over_seeds=spec.over_seeds)
    if not rows:
        return None
    columns = spec.shown(rows, given)
    shown = []
    for row in found.with_titles(rows[: spec.most], given):
        cells = []
        for column in columns:
            value = row[column.key]
            is_text = isinstance(value, str)
            whole = (
                visible(_without_cells(value)) if is_text else tables.cell_text(value, column.form)
            )
            short = cut(whole, _LONGEST) if is_text else whole
            cells.append(ShownValue(short, "" if short == whole else whole))
        shown.append(cells)
    heads = [column._replace(title=cut(column.title, _LONGEST)) for column in columns]
    return ShownTable(spec.name, heads, shown, max(0, len(rows) - spec.most))


def check_examples(number: int) -> None:
    """Refuse a number of test rows that a report cannot show, by an :class:`InputError`."""
    check_whole("examples", number, 0, _MOST_EXAMPLES)


def _example_table(result: AuditResult, number: int) -> ShownTable | None:
    """Return so many test rows: missed before, lowest p(x) before first; None if none are asked.

    Where fewer are missed, rows that are not follow in the same order.
    """
    check_examples(number)
    if number == 0:
        return None
    if result.test_rows is None:
        gone = "the result holds no test rows; run the audit again to show some"
        raise InputError("result.no_rows", gone)
    chosen = examples(result.test_rows, limit=number)
    spec = tables.examples_table(result.test_rows, chosen, predictors(result), with_values=True)
    return make_table(spec, result)


def cut(text: str, longest: int) -> str:
    """Return text of so many signs at most, none of which turns or hides others."""
    text = visible(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def bounded(
    texts: Sequence[str], most: int = _MOST_SENTENCES, longest: int = _LONGEST_SENTENCE
) -> list[str]:
    """Return the first of many sentences, each so long at most."""
    shown = [cut(_without_cells(one), longest) for one in texts[:most]]
    more = len(texts) - len(shown)
    return [*shown, f"The JSON result holds {more:,} more."] if more else shown


def _without_cells(text: str) -> str:
    return text.without_cells() if isinstance(text, Sentence) else text


def histogram(result: AuditResult) -> go.Figure:
    """Return how p(x) is spread over the test rows."""
    reference = result.row("test", result.reference)
    given, level = predictors(result), result.settings["cl"]
    return probability_figure(result.probabilities, given, reference, level)


def coefficient_figures(result: AuditResult) -> dict[str, go.Figure]:
    """Return the largest coefficients on training and on test rows, by the subset."""
    every = result.coefficients
    features = found.feature_order(every)[: tables.FEATURES_SHOWN]
    # two names that are cut to the same would share a bar
    short = {
        name: name if len(name) <= _LONGEST_NAME else f"({place}) {cut(name, _LONGEST_NAME)}"
        for place, name in enumerate(features, 1)
    }
    rows = [replace(row, feature=short[row.feature]) for row in every if row.feature in short]
    names, given = list(short.values()), predictors(result)
    return {
        subset: shrinkage_figure(rows, names, subset, given) for subset in found.subsets_of(rows)
    }


def _layer_charts(result: AuditResult) -> list[Markup]:
    """Return what DCV and inefficiency are after each layer."""
    steps = found.replay_of(result)
    if len(steps) < 2:  # noqa: PLR2004 - one is without a layer
        return []
    figure = layers_figure(steps, len(steps) - 1, result.settings["task"])
    return [chart(figure, "path", result.settings["table"])]


def _watched_names(result: AuditResult) -> list[str]:
    """Return the audit-only columns, and those that may be protected, that have a chart."""
    return list(found.watched(result))[:_VARIABLES_SHOWN]


def _watched_charts(result: AuditResult) -> list[tuple[str, str, Markup]]:
    """Return name, largest gap and chart of audit-only columns and of what may be protected."""
    gaps, rows = watched_gaps(result), found.watched(result)
    span = coverage_range(rows.values(), predictors(result), result.settings["cl"])
    return [
        (
            cut(name, _LONGEST_NAME),
            cut(gaps[name], _LONGEST_SENTENCE),
            _chart_of(result, rows[name], f"watched-{number}", span),
        )
        for number, name in enumerate(_watched_names(result), 1)
    ]


def _segment_charts(result: AuditResult) -> list[tuple[str, Markup]]:
    """Return name and chart of the variables with the largest shortfalls in rows before.

    The label's segments are left out, as nothing promises the level for each label, and variables
    with a chart among :func:`_watched_charts`; of one of many segments those of the largest
    shortfalls are shown.
    """
    above, missed = (
        _watched_names(result),
        found.by_shortfall(found.object_segments(result), result),
    )
    names = dict.fromkeys(one.variable for one in missed if one.variable not in above)
    rows: dict[str, list[found.ShownSegment]] = {
        name: [] for name in list(names)[:_VARIABLES_SHOWN]
    }
    for one in found.segments(result):
        if one.n and one.variable in rows:
            rows[one.variable].append(one)
    first = {name: found.in_order(of_one, result) for name, of_one in rows.items()}
    span = coverage_range(first.values(), predictors(result), result.settings["cl"])
    return [
        (cut(name, _LONGEST_NAME), _chart_of(result, of_one, f"segments-{i}", span))
        for i, (name, of_one) in enumerate(first.items(), 1)
    ]


def _chart_of(
    result: AuditResult,
    rows: Sequence[found.ShownSegment],
    name: str,
    span: list[float] | None = None,
) -> Markup:
    """Return the chart of the first of the rows, long values cut."""
    first = rows[: found.SEGMENTS_SHOWN]
    shown = [replace(one, value=shortened(one.value, _LONGEST_NAME)) for one in first]
    figure = segment_figure(shown, predictors(result), result.settings["cl"], span)
    return chart(figure, name, result.settings["table"])
