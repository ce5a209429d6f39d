"""The command ``evencover audit``."""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from evencover.core import AuditResult, InputError, audit
from evencover.core.messages import one_line
from evencover.core.preparation.guessed_outputs import guess_label
from evencover.core.preparation.hints import hints_before
from evencover.core.preparation.roles import profile_columns
from evencover.core.report.gate import Gate, overall
from evencover.core.report.result import Verdict
from evencover.core.tables.columns import check_exists
from evencover.core.tables.lazy import LazyTable
from evencover.core.tables.table import Origin, names_part, read_as_asked
from evencover.core.watching.report import prospect

from ..export.card import to_markdown
from ..export.files import ROW_TYPES, to_csv_texts, to_json_text, to_rows_csv
from ..export.junit import Told, to_junit
from ..export.report import check_examples, to_html
from ..export.terminal_summary import to_text
from ..options import complaining, hint_line
from ..terminal import BROKEN, DONE, UNSURE
from ..terminal.console import Parser, print_lines, say
from ..terminal.outputs import Outputs
from ..terminal.progress import ProgressBar
from ..wording.tables import preview_text
from .table_and_settings import add_table_and_options, fingerprint_of, read, settings_given

_OUTPUTS = Outputs(
    {
        "json": "the result as JSON",
        "html": "a report to mail, one page",
        "card": "a model card as Markdown, with figures by group and their intervals",
        "rows": "the test rows one by one as CSV: each with its columns, its set before and after, "
        "whether that holds the label, and the estimated probability of it",
        "junit": "what became of each --fail-if as JUnit XML, which CI systems show: broken as a "
        "failure, unsure as an error, or skipped with --allow-unsure",
        "save": "the predictor, without the rows that it was made of, for evencover predict; names "
        "of columns, values and groups, and the ends of numbers, are in it",
    },
    ROW_TYPES,
    files=("save",),
)


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    add = add_table_and_options(parser, run_audit)
    _OUTPUTS.add(add)
    help_ = "which predictor to save (default: the one that the advice is to use, or else the base)"
    add("--save-predictor", default="", metavar="NAME", help=help_)
    help_ = "test rows shown in the report (default 0: it holds no row of the table)"
    add("--html-examples", type=int, default=0, metavar="N", help=help_)
    help_ = (
        "fail, with exit status 3, where the result breaks a rule, such as 'low-segments > 0', "
        "'coverage(sex = F) < 0.88', 'gap(sex) > 0.05', 'dcv > 2*floor', 'width > 10' or "
        "'size-ratio(sex) > 1.5', of the predictor before any adjustment unless another is named, "
        "as in 'ifacm.coverage < 0.88'; with 4 where too few rows can say; may be repeated"
    )
    rule = complaining(Gate.parse)
    add("--fail-if", type=rule, action="append", default=[], metavar="RULE", help=help_)
    add("--allow-unsure", action="store_true", help="pass where too few rows can say of a rule")
    add(
        "--preview",
        action="store_true",
        help="only say what becomes of each column, by the likeliest label if none is named",
    )


def run_audit(options: argparse.Namespace) -> int:
    """Audit the table, and write or print what is asked for."""
    settings = settings_given(options)
    check_outputs(options, settings.join)
    started = time.perf_counter()
    table, settings, unread = read(options, settings, whole=options.preview)
    if options.preview:
        head = table.head() if isinstance(table, LazyTable) else table
        settings = replace(settings, target=settings.target or guess_label(head))
        head, notes = read_as_asked(head, *settings.readings)
        profiles = profile_columns(head, settings)
        hints = map(hint_line, hints_before(head, settings, profiles))
        lines = (f"\n{one_line(line)}\n" for line in (*head.notes, *notes, *hints))
        print_lines(preview_text(profiles) + "".join(lines))
        return DONE
    usable = [name for name in table.names if name not in settings.drop]
    for rule in options.fail_if:
        for column in rule.columns:
            if not names_part(column, usable):
                check_exists(usable, column)
    fingerprint = fingerprint_of(options.table)
    read_seconds = time.perf_counter() - started
    with ProgressBar(quiet=options.quiet) as bar:
        result = audit(
            table,
            settings,
            unread=unread,
            origin=Origin(options.table, fingerprint, read_seconds),
            with_replay=options.html is not None,
            on_event=bar,
        )
    # before anything is written, as a rule may name what the result does not have
    result = replace(result, gates=[rule.judge(result) for rule in options.fail_if])
    # an output that fails, or is interrupted, outdoes a rule that is broken
    return write_outputs(result, options) or _said(result.gates, options)


def _said(verdicts: Sequence[Verdict], options: argparse.Namespace) -> int:
    for verdict in verdicts:
        say(verdict.sentence)
    unsure = DONE if options.allow_unsure else UNSURE
    return {"unsure": unsure, "broken": BROKEN}.get(overall(verdicts), DONE)


def check_outputs(options: argparse.Namespace, second_table: str | None = None) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    if options.preview and (asked := _OUTPUTS.asked(options)):
        sentence = "--preview only tells what becomes of the columns; leave out {options}"
        raise InputError(
            "output.of_preview", sentence, options=" and ".join(f"--{n}" for n in asked)
        )
    check_examples(options.html_examples)
    if options.save_predictor and options.save is None:
        raise InputError(
            "output.save_alone",
            "--save-predictor names what --save is to write; say where with --save",
        )
    if options.junit is not None and not options.fail_if:
        sentence = "--junit tells what became of rules; give at least one with --fail-if"
        raise InputError("output.junit_alone", sentence)
    if options.html_examples and options.html is None:
        sentence = "--html-examples shows rows in the report; say where with --html"
        raise InputError("output.examples_alone", sentence)
    _OUTPUTS.check(options, second_table)


def write_outputs(result: AuditResult, options: argparse.Namespace) -> int:
    """Write what is asked for, or else print a summary; return the exit status."""
    texts: dict[str, Callable[[], str | bytes]] = {
        "json": partial(to_json_text, result),
        "html": partial(to_html, result, options.html_examples),
        "card": partial(to_markdown, result),
        "rows": partial(to_rows_csv, result),
        "junit": partial(_to_junit, result, options),
        "save": partial(_to_save, result, options),
    }
    tables, summary = partial(to_csv_texts, result), partial(to_text, result)
    return _OUTPUTS.write(options, texts, tables, summary)


def _to_junit(result: AuditResult, options: argparse.Namespace) -> str:
    told = (Told(of.rule, of.outcome, of.sentence) for of in result.gates)
    return to_junit(f"evencover audit {options.table}", told, allow_unsure=options.allow_unsure)


def _to_save(result: AuditResult, options: argparse.Namespace) -> bytes:
    predictor = result.predictor(options.save_predictor)
    if not options.quiet:
        told = "names of columns, values and groups, and the ends of numbers, are in it; no row is"
        say(f"saving '{predictor.name}': {told}")
        say(prospect(predictor))
    return predictor.to_bytes()
