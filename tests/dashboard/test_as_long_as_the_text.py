"""No pattern and no parser of the code takes more than in proportion to the length of a text."""

import contextlib
import io

import pytest
from lengthened import (
    Used,
    grows_too_fast,
    parsers,
    patterns,
    seconds,
    worst_of_parser,
    worst_of_pattern,
)


def slow(used: Used, start: int, *, thorough: bool) -> str:
    """Return the text that costs a pattern the square of its length; "" if none is found."""
    for texts in worst_of_pattern(used, thorough=thorough):
        before, repeated, end = (
            text.encode() if isinstance(used.pattern, bytes) else text for text in texts
        )

        def cost(n, parts=(before, repeated, end)):
            text = parts[0] + parts[1] * (n // len(parts[1])) + parts[2]
            return seconds(lambda: used.run(text))

        if told := grows_too_fast(cost, start, 0.002):
            return f"{used.where}, {used.method} {used.pattern!r} of {texts}: {told}"
    return ""


@pytest.mark.parametrize(
    ("pattern", "method", "is_slow"),
    [
        (r"\d+\.?\d*x", "fullmatch", True),
        (r"\d+(\.\d*)?x", "fullmatch", False),
        (r"\s*:\s*", "split", True),
        (r"(a+)+b", "match", True),
        (r"<c ([^>]*)>", "findall", True),
        (r"<c ([^<>]*)>", "findall", False),
        (r"[^\n]*\r", "sub", True),
    ],
)
def test_what_is_slow_is_found(pattern, method, is_slow):
    assert bool(slow(Used("here", pattern, 0, method), 2000, thorough=False)) == is_slow


def test_patterns_are_found_wherever_they_are():
    found = {(used.where.split(":")[0], used.method) for used in patterns()}
    assert len(found) > 70
    assert {
        ("core.tables.grammar._TOKEN", "match"),  # compiled, and asked by a method
        ("core.tables.number_text._POINT_GROUPS", "fullmatch"),  # one of a tuple
        ("core.tables.dates", "sub"),  # of pandas, written as text
        ("core.preparation.outputs", "search"),  # made of a name while the function runs
        ("core.tables.formats.workbook_program._ERROR", "findall"),  # of bytes
    } <= found


@pytest.mark.long
def test_no_pattern_takes_the_square_of_a_text():
    assert [*filter(None, (slow(used, 2000, thorough=False) for used in patterns()))] == []


@pytest.mark.long
def test_no_pattern_takes_the_square_of_a_text_of_any_two_signs():
    assert [*filter(None, (slow(used, 4000, thorough=True) for used in patterns()))] == []


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_no_parser_takes_the_square_of_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, all_of = [], parsers()
    names = {parser.name for parser in all_of}
    assert len(names) > 250
    assert {
        *("core.tables.grammar.parse_rule", "core.report.gate.Gate.parse"),
        *("core.preparation.set_text.parse_sets", "core.tables.dates.to_dates"),
        *("dashboard.options.unpack", "option pairs of columns"),
        *("core.tables.reading.parse_table", "core.preparation.settings_json.parse_settings"),
    } <= names
    for parser in all_of:
        for before, repeated, end in worst_of_parser():

            def cost(n, call=parser.call, parts=(before, repeated, end)):
                text = parts[0] + parts[1] * (n // len(parts[1])) + parts[2]
                return seconds(lambda: call(text))

            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                told = grows_too_fast(cost, 2000, 0.01)
            if told:
                found.append(f"{parser.name} of {(before, repeated, end)}: {told}")
                break
    assert found == []
