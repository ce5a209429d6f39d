"""Words: figures and what a run has done; names as Markdown draws them; the pages' texts."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from evencover import dashboard
from evencover.core.report.result import Finding
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.figure_words import finished, key_figures
from evencover.dashboard.wording.formatting import plain

DRAWN_AS_OTHERS = re.compile(r"(?<!\S)(<->|->|<-|--|>=|<=|~=)(?!\S)")
"""What streamlit's Markdown replaces between spaces, once backslashes are gone."""

MADE_A_LINK = re.compile(r"(https?://|www\.)\w|\w@\w", re.IGNORECASE)


def runs_of_text(markdown):
    """The texts between directives that draw nothing, without the backslashes."""
    return [re.sub(r"\\(.)", r"\1", run) for run in markdown.split(":small[]")]


def test_signs_and_addresses_in_names_are_shown_as_they_are_and_no_more_is_said():
    addresses = ("see http://e.x/a", "(HTTPS://e.x)", "www.e.x", "Www.e.x", "me@e.x")
    signs = map("".join, itertools.product("<>~=-a\\ ", repeat=5))
    for sign, texts in ((DRAWN_AS_OTHERS, signs), (MADE_A_LINK, addresses)):
        for text in texts:
            runs = runs_of_text(plain(text))
            assert "".join(runs) == text
            assert not [run for run in runs if sign.search(run)]
    assert plain("age < 65 and k = a") == r"age \< 65 and k = a"


@pytest.mark.parametrize(
    ("factor", "before", "after"),
    [(1.0, "5.472", "8.899"), (1000.0, "5,472", "8,899"), (0.001, "0.005472", "0.008899")],
)
def test_the_size_is_told_in_the_labels_own_units(result, factor, before, after):
    rows = [
        replace(row, inefficiency_original_units=row.inefficiency_original_units * factor)
        for row in result.results
    ]
    used = [Finding("advice", "advice", "ifacm", "Use it.", advice="use")]
    size = key_figures(replace(result, results=rows, findings=used))[2]
    assert size.name == "Mean width"
    assert size.value == after
    sets = result.test_rows.sets
    widths = [(sets[name].upper - sets[name].lower).mean() for name in ("base", "ifacm")]
    assert size.detail == f"before {before}, {100.0 * (widths[1] / widths[0] - 1.0):+.1f} %"


def test_layers_are_counted_by_adjustment():
    several = {"IFACM": 3, "smooth IFACM": 0}
    assert finished(several, 1.04, stopped=False) == (
        "The run is finished: 3 layers of IFACM and no layer of smooth IFACM accepted, in 1.0 s."
    )
    one = finished({"IFACM": 1}, 2.0, stopped=True)
    assert one == "The run was stopped: 1 layer of IFACM accepted, in 2.0 s."
    assert finished({}, 2.0, stopped=False) == "The run is finished, in 2.0 s."


def test_pages_have_each_of_their_texts_and_no_other():
    root = Path(dashboard.__file__).parent
    files = [*root.rglob("*.py"), *root.rglob("*.html")]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    asked = set(re.findall(r"\btexts\.([A-Z][A-Z_]+)", source.replace("page_texts", "texts")))
    kept = page_texts._READ
    assert asked | {"GLOSSARY"} == {*kept["texts"], *kept} - {"texts"}
    assert not hasattr(page_texts, "NO_SUCH_TEXT")
