"""Every number on the pages of results is one of the JSON result, for a run of each task."""

import json
import math
import re

import pages
import pytest
from pages import chart, choose, give, go, known, run_to_end
from reading import agrees

from evencover.core.report.result import to_json
from evencover.dashboard.wording import formatting
from evencover.dashboard.wording.formatting import of_names
from evencover.dashboard.wording.rows import with_words

pytestmark = pytest.mark.long  # audits of many kinds

SHARES = (
    "accuracy",
    "low",
    "high",
    "detectable",
    "gap",
    "coverage_gap",
    "worst_slab",
    "size_strat",
)
ALGORITHMS = {by.title: by.name for by in of_names(["base", "ifacm"])}
IN_WORDS = {"group", "remark", "unit"}


@pytest.fixture(scope="module", params=["regression", "classification"])
def run(request, table, classes):
    """The pages with a finished run, and its JSON result."""
    page = pages.open_app()
    give(page, table if request.param == "regression" else classes)
    choose(page, {"remedies": ("ifacm",)})
    run_to_end(page)
    plain = to_json(known(page).run.job.snapshot().result)
    assert plain["settings"]["task"] == request.param
    yield page, json.loads(json.dumps(plain))
    assert not page.exception


def plain_value(value):
    if hasattr(value, "item"):
        value = value.item()
    missing = value is None or (isinstance(value, float) and not math.isfinite(value))
    return None if missing else ALGORITHMS.get(value, value)


def rows_of(frame):
    """The rows that a table shows, by the fields' names in the JSON result."""
    shown = [column for column in frame.columns if column not in IN_WORDS]
    return [
        {name: plain_value(value) for name, value in zip(shown, row, strict=True)}
        for row in frame[shown].itertuples(index=False, name=None)
    ]


def table_of(frame, plain):
    """The name of the JSON result's table that has all rows that are shown, with their figures."""
    rows = rows_of(frame)
    tables = {name: with_words(rows_) for name, rows_ in plain.items() if is_table(rows_)}
    found = [name for name, told in tables.items() if all(is_in(row, told) for row in rows)]
    low = [*tables.get("segments", ()), *tables.get("worst_segments", ())]
    if not found and all(is_in(row, low) for row in rows):
        return "segments"  # groups that are too low, rules among them
    assert rows
    assert len(found) == 1, (found, rows[:2])
    return found[0]


def is_table(section):
    return isinstance(section, list) and section and isinstance(section[0], dict)


def is_in(row, told):
    """Say whether a row of the JSON has all that is shown; a field of the page alone is in none."""
    return any(
        row.keys() <= full.keys() and all(is_shown(name, row[name], full[name]) for name in row)
        for full in told
    )


def is_shown(name, shown, value):
    """Say whether a cell shows a value of the JSON: shares in percent, q-values in few digits."""
    if value is None or isinstance(value, str):
        return shown in (value, "")
    if isinstance(shown, str):  # a q-value
        return agrees(shown, value)
    if name.startswith("inefficiency"):
        return math.isclose(shown, value, rel_tol=5e-4)  # four digits
    return shown == value or (name.startswith(SHARES) and math.isclose(shown, 100.0 * value))


def of_result(app):
    """The tables shown, but those of single rows, which no JSON holds."""
    return [shown.value for shown in app.dataframe if "held_base" not in shown.value.columns]


def test_tables_on_findings_and_segments(run):
    app, plain = run
    for step, least, others in (
        (pages.FINDINGS, {"results", "coefficients"}, {"segments"}),
        (pages.SEGMENTS, {"segments", "gaps", "size_strata"}, {"worst_segments"}),
    ):
        go(app, step)
        names = {table_of(frame, plain) for frame in of_result(app)}
        assert {name for name in least if plain[name]} <= names <= least | others


def test_words_on_findings(run):
    app, plain = run
    go(app, pages.FINDINGS)
    words = "\n".join(told.value for told in app.markdown)
    sentences = [finding["sentence"] for finding in plain["findings"]]
    assert len(sentences) > len(plain["headline"])
    assert all(formatting.plain(sentence) in words for sentence in sentences)
    lead, *_ = [told.value for told in app.markdown if " test rows" in told.value]
    first, second = lead.split("\n\n")
    named = [f for f in plain["findings"] if f["kind"] == "group-low"]
    for finding in named:
        assert f"{100 * finding['figures']['accuracy']:.1f} % of {finding['who']['n']:,}" in (
            first.replace("\\", "")
        )
        assert second.startswith(str(finding["figures"]["low_groups"]))
    (advice,) = [told.value for told in app.markdown if told.value.startswith("**What now?**")]
    used = next(f for f in plain["findings"] if f["topic"] == "advice")
    assert formatting.plain(used["sentence"].partition(";")[0].rstrip(".")) in advice


def test_the_three_figures(run):
    app, plain = run
    go(app, pages.FINDINGS)
    used = any(finding["advice"] == "use" for finding in plain["findings"])
    base, after = (
        next(r for r in plain["results"] if (r["segment"], r["algorithm"]) == ("test", name))
        for name in ("base", "ifacm" if used else "base")
    )
    numbers = [
        [float(n.replace(",", "")) for n in re.findall(r"-?[\d,]*\d(?:\.\d+)?", text)]
        for metric in app.metric
        for text in (metric.value, metric.delta)
    ]
    size, size_before = (r["inefficiency_original_units"] for r in (after, base))
    ratio = size / size_before
    expected = [
        [100 * after["accuracy"]],
        [100 * base["accuracy"]] if used else [],
        [size],
        [size_before, 100 * (ratio - 1)] if used else [],
    ]
    for shown, exact in zip(numbers[-4:], expected, strict=True):
        assert shown == pytest.approx(exact, rel=6e-4, abs=0.051)


def test_charts(run):
    app, plain = run
    go(app, pages.FINDINGS)
    for segment in ("training", "test"):
        drawn = chart(app, f"shrinkage-{segment}")["data"]
        for bar, algorithm in zip(drawn, ("base", "ifacm"), strict=True):
            told = {
                row["feature"]: row["coefficient"]
                for row in plain["coefficients"]
                if (row["segment"], row["algorithm"]) == (segment, algorithm)
            }
            assert dict(zip(bar["y"], bar["x"], strict=True)) == told
    go(app, pages.SEGMENTS)
    variable = next(box for box in app.selectbox if box.label.startswith("Variable,")).value
    rows = [row for row in plain["segments"] if row["variable"] == variable and row["n"]]
    for points, when in zip(chart(app, "segment-chart")["data"], ("base", "adjusted"), strict=True):
        assert list(points["x"]) == [100.0 * row[f"accuracy_{when}"] for row in rows]
