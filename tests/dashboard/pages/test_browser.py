"""The whole dashboard: a server of its own, and a headless Chromium that uses it."""

import io
import json
import re
import subprocess
import sys
import zipfile
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
import walking
from browsing import PLACES, SECONDS, go_to, running_server, settle
from same import without_times

from evencover.core import AuditSettings, audit, load, to_json
from evencover.dashboard.export.files import ROW_TYPES
from evencover.dashboard.options import SETTINGS_PARAMETER, pack
from evencover.dashboard.wording import page_texts
from evencover.sample_data import houses

pytestmark = [pytest.mark.browser, pytest.mark.long]

STATUS = re.compile(r"evaluation \d+, (\d+) in all; layers so far: \d+")
CHARTS = {"Coefficients": 2, "Before and after": 1}
TABS = ["Coefficients", "Before and after", "Data and notes"]
MANY = 300
"""Repeats of which a page need not miss one: it looks once a second, which keeps pages quick."""
ODD_NAMES = ["*star*", "$x$ $z$", "_low_", "<b>b</b>", "[x](y)", ":red[x]", "~~gone~~", "a\\b"]
ODD_NAMES += ["A -> B -- C", "p <-> q <- r", "x >= 1", "y <= 2 ~= 3"]


@pytest.fixture(scope="session")
def big_csv(tmp_path_factory):
    """A table on which layers arrive for long enough to be watched."""
    rng = np.random.default_rng(1)
    rows, columns = 120_000, 12
    X = rng.normal(size=(rows, columns))
    tail = np.clip(1.2 + 0.6 * X[:, 0] + 0.4 * X[:, 3] * (X[:, 4] > 0.0), 0.3, 4.0)
    noise = np.sign(rng.normal(size=rows)) * rng.exponential(size=rows) ** tail
    label = X @ np.linspace(1.0, 0.1, columns) + np.exp(0.3 * X[:, 1]) * noise
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(columns)])
    frame.insert(0, "wait", label)
    frame = (frame * 1000.0).round().astype(int)  # whole numbers are quick to write
    frame.insert(1, "place", rng.choice(PLACES, size=rows))
    path = tmp_path_factory.mktemp("big") / "waits.csv"
    frame.to_csv(path, index=False)
    return path


def small_table(seed, rows=600):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).round(3)
    return frame.assign(
        place=rng.choice(PLACES, size=rows),
        y=(X.sum(axis=1) + rng.normal(size=rows) * np.exp(X[:, 0])).round(3),
    )


def choose(page, label, value):
    box = page.get_by_role("combobox", name=re.compile(re.escape(label)))
    box.click()
    box.fill(value)
    page.get_by_role("option", name=value, exact=True).click()


def take_big_table(page, path):
    """Choose the table and settings with which most of the run is the search for layers."""
    page.locator("input[type=file]").first.set_input_files(path)
    walking.set_up(page, "120,000 rows, 14 columns")
    choose(page, "Column to predict", "wait")
    walking.enter(page, "Penalty (C)", "0")
    page.get_by_text("Finer choices").click()
    walking.enter(page, "Split", "116000,2000,2000")


def take_small_table(visit, table, name, repeats=1):
    """Open a page on Setup with a table, and a penalty with which layers are found, by a link."""
    chosen = AuditSettings(target="y", penalty=0.0, repeats=repeats)
    link = f"?{SETTINGS_PARAMETER}={pack(chosen, name)}"
    page = visit(address=link)
    walking.upload(page, name, table.to_csv(index=False).encode())
    walking.set_up(page, f"{name}: {len(table):,} rows")
    return page


def evaluations_shown(page):
    status = page.get_by_text(STATUS)
    status.wait_for()
    return int(STATUS.search(status.inner_text()).group(1))


def wait_for_layer(page):
    page.get_by_text(re.compile(r"in all; layers so far: [1-9]")).wait_for()


def wait_for_results(page):
    """Wait for the run to end, and go on to its findings."""
    walking.go_on(page, "See the findings", "Findings")


def figures(page):
    """Coverage of all test rows and size of the sets, as Findings shows them."""
    shown = page.locator("[data-testid=stMetricValue]")
    shown.nth(2).wait_for()
    return shown.all_inner_texts()[-2:]


def figures_of(result):
    return figures_told(to_json(result))


def figures_told(told):
    """The same of a result in JSON, by the predictor that the advice is to use."""
    used = next((row["algorithm"] for row in told["findings"] if row["advice"] == "use"), "base")
    (after,) = (
        row for row in told["results"] if (row["segment"], row["algorithm"]) == ("test", used)
    )
    size = after["inefficiency_original_units"]
    assert 1.0 <= size < 1000.0 or size >= 10_000.0
    shown = f"{size:.4g}" if size < 1000.0 else f"{size:,.0f}"
    return [f"{100 * after['accuracy']:.1f} %", shown]


def open_tab(page, name):
    """Open a tab of Findings' figures, which are closed at first."""
    details = page.get_by_text("Figures, coefficients, data and notes", exact=True)
    details.wait_for()
    if not page.get_by_role("tab", name=name).is_visible():
        details.click()
    page.get_by_role("tab", name=name).click()
    return page.get_by_role("tabpanel", name=name)


def charts_of(tab):
    return tab.locator("[data-testid=stPlotlyChart]")


def download(page, name):
    if not page.get_by_role("heading", name="Export", exact=True).is_visible():
        walking.open_step(page, "Export")
    with page.expect_download() as caught:
        walking.press(page, name)
    return caught.value.path().read_bytes()


def test_a_run_is_watched_to_its_results_and_downloads(visit, big_csv, tmp_path):
    page = visit()
    take_big_table(page, big_csv)
    walking.press(page, "Run")

    first = evaluations_shown(page)
    page.wait_for_function(
        "first => Number(document.body.innerText.match(/, (\\d+) in all;/)?.[1]) > first", arg=first
    )
    assert first > 0
    wait_for_layer(page)
    assert page.get_by_role("button", name="Stop", exact=True).is_visible()
    page.locator("[data-testid=stPlotlyChart] svg.main-svg").first.wait_for()
    page.get_by_text(re.compile(r"Layer \d+ (widened|narrowed)")).wait_for()
    assert page.get_by_role("button", name="Stop", exact=True).is_visible()
    page.screenshot(path=tmp_path / "live.png")

    wait_for_results(page)
    for name in TABS:
        tab = open_tab(page, name)
        for number in range(CHARTS.get(name, 0)):
            charts_of(tab).nth(number).locator("svg.main-svg").first.wait_for()
        assert charts_of(tab).count() == CHARTS.get(name, 0)
        page.screenshot(path=tmp_path / f"{name}.png")
    walking.go_on(page, "See the segments", "Segments")
    charts_of(page).locator("svg.main-svg").first.wait_for()
    walking.go_on(page, "Next: Export", "Export")
    told = json.loads(download(page, "Download JSON"))
    assert len(told["iterations"]) >= 2
    with zipfile.ZipFile(io.BytesIO(download(page, "Download tables (CSV)"))) as archive:
        assert sorted(archive.namelist()) == sorted(f"{name}.csv" for name in ROW_TYPES)
        segments = pd.read_csv(archive.open("segments.csv"))
    assert segments["n"].tolist() == [row["n"] for row in told["segments"]]


def test_a_sample_is_run_by_the_buttons_that_lead_on(visit):
    page = visit()
    seen, shown = [], []

    def look(name):
        seen.append(name)
        if name == "Findings":
            shown.extend(figures(page))
            for tab, count in CHARTS.items():
                for number in range(count):
                    chart = charts_of(open_tab(page, tab)).nth(number)
                    chart.locator("svg.main-svg").first.wait_for()
            charts_stand_beside_each_other_and_stack_on_a_phone(page)
        elif name == "Segments":
            a_clicked_point_becomes_the_filter(page, "3,000")

    walking.walk(page, walking.choose_sample("Houses"), look)
    assert seen == ["Data", "Setup", "Run", "Findings", "Segments", "Export"]
    told = json.loads(download(page, "Download JSON"))
    assert shown == figures_told(told)
    command = [sys.executable, "-m", "evencover.dashboard.commands.main", "audit", "sample:houses"]
    done = subprocess.run([*command, "--json", "-", "--quiet"], capture_output=True, check=True)  # noqa: S603 - our own
    assert without_times(told) == without_times(json.loads(done.stdout))


@pytest.mark.usefixtures("data_folder")  # which the server reads
def test_the_path_is_walked_with_published_data(visit):
    told = walked(visit(), walking.choose_sample("King county"))
    assert (told["settings"]["target"], told["data"]["rows"]) == ("price", 21_613)


def test_the_path_is_walked_with_a_large_upload(visit, tmp_path):
    houses.generate(rows=100_000).to_csv(tmp_path / "houses.csv", index=False)
    told = walked(visit(), walking.choose_file(tmp_path / "houses.csv"))
    assert (told["settings"]["target"], told["data"]["rows"]) == ("price", 100_000)


def walked(page, choose_it):
    """Walk the whole path; return the JSON result, which the first words of Findings are of."""
    walking.walk(page, choose_it)
    told = json.loads(download(page, "Download JSON"))
    walking.open_step(page, "Findings")
    page.locator(".st-key-advice").get_by_text("What now?").wait_for()
    page.get_by_text("In more words", exact=True).click()
    words = page.locator("[data-testid=stExpander]").first
    words.get_by_text("was promised").first.wait_for()
    assert " ".join(told["headline"]) in re.sub(r"\s+", " ", words.inner_text())
    return told


def charts_stand_beside_each_other_and_stack_on_a_phone(page):
    for name in ("Coefficients",):
        page.set_viewport_size({"width": 1400, "height": 1000})
        left, right = (charts_of(open_tab(page, name)).nth(number) for number in range(2))
        right.locator("svg.main-svg").first.wait_for()
        first, second = at_rest(page, left, right)
        assert first["y"] == second["y"]
        assert first["x"] + first["width"] <= second["x"]
        page.set_viewport_size({"width": 390, "height": 844})
        first, second = at_rest(page, left, right)
        assert first["x"] == second["x"]
        assert first["y"] + first["height"] <= second["y"]
        assert 300 < first["width"] <= 390
    page.set_viewport_size({"width": 1400, "height": 1000})


def at_rest(page, *charts):
    """Return where charts stand once they no longer move."""
    before = None
    while before != (now := [chart.bounding_box() for chart in charts]):
        before = now
        page.wait_for_timeout(0.3 * SECONDS)
    return now


def a_clicked_point_becomes_the_filter(page, rows):
    chart = page.locator("[class*=segment-chart]").first
    chart.locator(".ytick text").first.wait_for()
    told = re.compile(r"^(.+)n = (\d+(?:,\d{3})*)")  # a status may follow
    names = [told.match(name) for name in chart.locator(".ytick text").all_text_contents()]
    box = chart.locator(".scatterlayer .trace").first.locator(".point").nth(1).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0)
    banner = page.locator(".st-key-filter")
    banner.get_by_text(f"{names[1][2]} test rows").wait_for()
    assert names[1][1].strip() in banner.inner_text()
    settle(page)
    walking.open_step(page, "Findings")
    banner.get_by_text(f"{names[1][2]} test rows").wait_for()
    page.get_by_role("button", name="Clear filter", exact=True).click()
    banner.wait_for(state="detached")
    walking.open_step(page, "Segments")
    page.get_by_text(f"No filter: all {rows} test rows").wait_for()


def test_a_file_of_exactly_the_bound_is_read_and_one_beyond_is_refused_in_sight(chromium, tmp_path):
    content = b"aa,bb,y\n" + b"11,2,34\n" * (2**17 - 1)
    assert len(content) == 2**20
    with running_server(tmp_path, EVENCOVER_MAX_MIB="1") as server:
        page = chromium.new_page()
        page.set_default_timeout(60.0 * SECONDS)
        go_to(page, server.url)
        walking.upload(page, "t.csv", content + b"5")
        page.get_by_text("larger, perhaps once unpacked, than the 1 MiB that are read").wait_for()
        walking.upload(page, "t.csv", content)
        page.get_by_text(f"{2**17 - 1:,} rows").wait_for()
        go_to(page, server.url)
        walking.upload(page, "t.csv", content * 2)
        sentence = page.get_by_text("File must be 2.0MB or smaller.")
        sentence.wait_for()
        seen = sentence.bounding_box()
        assert seen["width"] > 100.0
        assert seen["height"] > 10.0
        page.close()


def test_two_people_at_once_see_their_own_tables(visit, chromium):
    names = ["first.csv", "second.csv"]
    tables = [small_table(1), small_table(2, rows=700)]
    pages = [visit(), visit(chromium.new_context())]
    for page, name, table in zip(pages, names, tables, strict=True):
        walking.upload(page, name, table.to_csv(index=False).encode())
        walking.set_up(page, f"{name}: {len(table)} rows")
    for page in pages:
        walking.press(page, "Run")
    for page, name, table in zip(pages, names, tables, strict=True):
        wait_for_results(page)
        page.get_by_text(f"Results for {name}").wait_for()
        other = names[1 - names.index(name)]
        assert other not in page.locator("body").inner_text()
        assert figures(page) == figures_of(audit(table, AuditSettings(target="y")))


def test_a_reload_midway_finds_the_run_again_and_a_stop_keeps_its_layers(visit):
    page = take_small_table(visit, small_table(4, rows=3_000), "held.csv", MANY)
    walking.press(page, "Run")
    wait_for_layer(page)
    before = evaluations_shown(page)
    walking.open_step(page, "Segments")
    page.get_by_text(page_texts.STILL_RUNNING).wait_for()
    page.reload()  # the run stays in the address on every page
    walking.at(page, "Segments")
    walking.go_on(page, "Go to Run", "Run")
    page.get_by_text("Running on held.csv: label y, CL = 0.9, C = 0").wait_for()
    assert evaluations_shown(page) >= before
    second = visit(address=page.url)
    second.get_by_text(page_texts.WATCHING).wait_for()
    assert second.get_by_role("button", name="Stop", exact=True).count() == 0
    wait_for_layer(second)
    walking.press(page, "Stop")  # the reloaded page owns the run
    for watching in (page, second):
        wait_for_results(watching)
        assert watching.get_by_text("These results are for").count() == 0
        walking.open_step(watching, "Data")
        watching.get_by_text("held.csv: 3,000 rows, 5 columns").wait_for()
        walking.open_step(watching, "Findings")
    found = figures(page)
    assert len(found) == 2
    assert figures(second) == found
    page.reload()
    walking.at(page, "Findings")
    assert figures(page) == found
    notes = open_tab(page, "Data and notes").get_by_text("The adjustment (IFACM) was stopped after")
    assert notes.all_inner_texts() == ["The adjustment (IFACM) was stopped after 1 layer."]
    assert len(json.loads(download(page, "Download JSON"))["iterations"]) == 1


def stays_away(chromium, address, text):
    """Assert that another visitor does not see the table of an address."""
    page = chromium.new_context().new_page()
    go_to(page, address)
    page.get_by_text("The table of this page is no longer here").wait_for()
    assert text not in page.locator("body").inner_text()
    page.context.close()


def test_nothing_is_lost_by_a_reload_a_new_tab_or_a_server_that_went_away(chromium, tmp_path):
    content = small_table(6).to_csv(index=False).encode()
    person = chromium.new_context()
    page = person.new_page()
    page.set_default_timeout(60.0 * SECONDS)
    gone = page.locator(".server-gone")
    with running_server(tmp_path) as server:
        go_to(page, f"{server.url}/nosuchpage")
        page.get_by_text("There is no page at /nosuchpage").wait_for()
        assert page.locator("[role=dialog]").count() == 0
        walking.upload(page, "mine.csv", content)
        walking.set_up(page, "mine.csv: 600 rows")
        level = page.locator("input[aria-label='Confidence level (CL)'][value='0.8']")
        walking.enter(page, "Confidence level (CL)", "0.8")
        page.get_by_text("mine.csv: label y, CL = 0.8").wait_for()
        address = page.url
        page.reload()
        level.wait_for()
        assert page.url == address
        stays_away(chromium, address, "600 rows")
        walking.press(page, "Run")
        wait_for_results(page)
        run, found = page.url, figures(page)
        other = person.new_page()
        go_to(other, server.url)
        other.get_by_text("Your last run:").wait_for()
        assert other.get_by_text("mine.csv: 600 rows").count() == 0
        walking.go_on(other, "Open it", "Findings")
        assert figures(other) == found
        other.close()
        assert not gone.is_visible()
    gone.wait_for()
    assert gone.inner_text() == page_texts.SERVER_GONE
    assert not page.get_by_text("Connection error").is_visible()
    with running_server(tmp_path, port=urlsplit(run).port):
        page.get_by_text("There is no run under this address").wait_for()  # by itself
        assert not gone.is_visible()
        walking.go_on(page, "Go to Data", page_texts.TITLE)
        page.get_by_text("These settings are for a table called mine.csv").wait_for()
        walking.upload(page, "mine.csv", content)
        walking.set_up(page, "mine.csv: 600 rows")
        level.wait_for()
        walking.press(page, "Run")
        wait_for_results(page)
        assert figures(page) == found
        person.close()


def test_a_third_run_waits_for_its_turn(visit):
    """Three sessions with three tables, of which two can run at once."""
    tables = {
        "held.csv": small_table(1, rows=2_000),
        "held too.csv": small_table(2, rows=2_500),
        "small.csv": small_table(3),
    }
    pages = {
        name: take_small_table(visit, table, name, MANY if name.startswith("held") else 1)
        for name, table in tables.items()
    }
    for page in pages.values():
        walking.press(page, "Run")
        page.get_by_text("Running on").wait_for()
    first, second, third = pages.values()
    third.get_by_text("place 1 in the queue").wait_for()
    walking.press(first, "Stop")
    third.get_by_text("place 1 in the queue").wait_for(state="detached")
    wait_for_results(third)
    settings = AuditSettings(target="y", penalty=0.0)
    assert figures(third) == figures_of(audit(tables["small.csv"], settings))
    assert second.get_by_role("button", name="Stop", exact=True).is_enabled()
    walking.press(second, "Stop")  # the third had its turn while the second was still at work
    wait_for_results(first)
    wait_for_results(second)
    for name, page in pages.items():
        page.get_by_text(f"Results for {name}").wait_for()
        told = json.loads(download(page, "Download JSON"))
        assert (told["settings"]["table"], told["data"]["rows"]) == (name, len(tables[name]))
        seen = page.locator("body").inner_text()
        assert not [other for other in tables if other != name and other in seen]


def test_odd_names_are_shown_as_they_are(visit):
    page = visit()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, len(ODD_NAMES)))
    frame = pd.DataFrame(X, columns=ODD_NAMES).round(3)
    frame["*y* $z$"] = (X.sum(axis=1) + rng.normal(size=400)).round(3)
    walking.upload(page, "*my* $t$.csv", frame.to_csv(index=False).encode())
    walking.set_up(page, "*my* $t$.csv: 400 rows")
    walking.press(page, "Run")
    wait_for_results(page)
    page.get_by_text("Results for *my* $t$.csv: label *y* $z$,").wait_for()
    charts = charts_of(open_tab(page, "Coefficients"))
    for number in range(2):
        chart = charts.nth(number)
        chart.locator("svg.main-svg").first.wait_for()
        assert set(ODD_NAMES) == set(chart.locator(".ytick").all_text_contents())
    told = open_tab(page, "Data and notes").inner_text()
    assert f"Features: {', '.join(ODD_NAMES)}." in told


def test_runs_are_kept_compared_opened_again_and_found_after_a_reload(visit, chromium):
    page = visit(chromium.new_context(viewport={"width": 1400, "height": 1000}))
    walking.upload(page, "runs.csv", small_table(1).to_csv(index=False).encode())
    walking.set_up(page, "600 rows")
    walking.go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    walking.open_step(page, "Setup")
    walking.enter(page, "Penalty (C)", "0")
    page.get_by_text("changed since the last run").wait_for()
    walking.go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    walking.open_step(page, "Compare")
    for _ in ("auto", "quantile"):  # the last ones of the list
        page.locator("[class*=st-key-compared-remedies] input").press("Backspace")
        settle(page)
    walking.press(page, "Compare")
    page.get_by_text("What each promises", exact=True).wait_for()
    walking.open_step(page, "Runs")
    assert everything_is_there(page)
    page.locator(".st-key-open-1 button").click()
    walking.at(page, "Findings")
    assert "C = 0.5" in page.get_by_text("Results for").inner_text()
    page.reload()
    walking.at(page, "Findings")
    assert "C = 0.5" in page.get_by_text("Results for").inner_text()
    walking.open_step(page, "Runs")
    assert everything_is_there(page)
    walking.open_step(page, "Compare")
    page.get_by_text("What each promises", exact=True).wait_for()


def everything_is_there(page):
    page.get_by_text("Both are judged on the same 180 test rows").wait_for()
    lines = page.locator("[class*=st-key-run-]").all_inner_texts()
    return [("C = 0," in line, "C = 0.5," in line) for line in lines] == [
        (True, False),
        (False, True),
    ]


def test_a_predictor_is_saved_and_used_on_a_table_and_on_one_row(visit, tmp_path):
    page = visit()
    page.set_default_timeout(60.0 * SECONDS)
    table = small_table(1).assign(city=np.resize(["Ayr", "Bude", "Cobh"], 600))
    walking.upload(page, "sold.csv", table.to_csv(index=False).encode())
    walking.set_up(page, "600 rows")
    walking.go_on(page, "Run", "Run")
    wait_for_results(page)
    path = tmp_path / "mine.evencover"
    path.write_bytes(download(page, "Save predictor"))
    walking.open_step(page, "Predict")
    files = page.locator("input[type=file]")
    files.first.set_input_files(path)
    page.get_by_text("mine.evencover").wait_for()
    settle(page)
    rows = table.drop(columns="y").head(30).assign(note="own")
    rows.loc[4, "city"] = "Dover"
    files.nth(1).set_input_files(
        {"name": "new.csv", "mimeType": "text/csv", "buffer": rows.to_csv(index=False).encode()}
    )
    own = load(path).predict(rows)
    page.get_by_text(f"30 rows, {(own['new'] > 0).sum()} with something new").wait_for()
    page.screenshot(path=tmp_path / "table.png")
    with page.expect_download() as caught:
        walking.press(page, "Download predictions")
    assert caught.value.suggested_filename == "new-predicted.csv"
    found = pd.read_csv(caught.value.path())
    pd.testing.assert_frame_equal(found, own, check_dtype=False)
    assert own["new"][4] > 0
    page.get_by_role("tab", name="One row", exact=True).click()
    city = page.get_by_role("combobox", name="city")
    city.fill("Dover")
    city.press("Enter")
    walking.press(page, "Predict this row")
    page.get_by_text(page_texts.NEW.format("city")).wait_for()
    page.locator("[data-testid=stDataFrame]").last.wait_for()
    page.screenshot(path=tmp_path / "row.png", full_page=True)
    assert page.get_by_text("most like it").count() == 0
    page.get_by_role("combobox", name="Predictor").click()
    page.get_by_role("option", name="before").click()
    settle(page)
    walking.press(page, "Predict this row")
    page.get_by_text("Of the test rows most like it: 36 test rows").wait_for()


FALLEN = re.compile(r"Coverage has fallen: sets held \d\d\.\d % of \d+ rows since 2026-10-1\d")


def month_of(rows):
    """A month of houses that are sold after the audit; in Kent, errors grow in the middle of it."""
    days = pd.date_range("2026-10-01", periods=30).repeat(len(rows) // 30 + 1)[: len(rows)]
    new = rows.assign(id=[f"H{row}" for row in rows.index], sold=days.astype(str))
    late = (new["county"] == "Kent") & (new["sold"] >= "2026-10-15")
    factor = np.exp(np.random.default_rng(0).normal(0.0, 0.6, late.sum()))
    new.loc[late, "price"] = (new.loc[late, "price"] * factor).round()
    return new.to_csv(index=False).encode()


def watch(page, predictor, month):
    """Upload a predictor and a month of rows, and say which column their keys are."""
    files = page.locator("input[type=file]")
    files.first.set_input_files(predictor)
    page.get_by_text("smallest fall").or_(page.get_by_text("a fall of")).first.wait_for()
    page.screenshot(path=predictor.with_name("before.png"))
    files.nth(1).set_input_files({"name": "oct.csv", "mimeType": "text/csv", "buffer": month})
    page.get_by_role("button", name="Add these rows").wait_for()
    settle(page)
    page.get_by_role("combobox", name="Column of keys").scroll_into_view_if_needed()
    page.wait_for_timeout(0.5 * SECONDS)  # as it closes where the page is scrolled
    page.get_by_role("combobox", name="Column of keys").click()
    page.get_by_role("option", name="id", exact=True).click()
    settle(page)


def test_a_saved_predictor_is_watched_when_a_month_has_come(visit, chromium, tmp_path):
    page = visit()
    page.set_default_timeout(60.0 * SECONDS)
    table = houses.generate(rows=5800)
    walking.upload(page, "houses.csv", table.head(4000).to_csv(index=False).encode())
    walking.set_up(page, "4,000 rows")
    walking.go_on(page, "Run", "Run")
    wait_for_results(page)
    path = tmp_path / "mine.evencover"
    path.write_bytes(download(page, "Save predictor"))
    month = month_of(table[4000:5800])
    walking.open_step(page, "Watch")
    watch(page, path, month)
    walking.press(page, "Add these rows")
    page.get_by_text("What came: 1,800 added.").wait_for()
    page.get_by_text(FALLEN).wait_for()
    page.locator("[data-testid=stPlotlyChart] svg.main-svg").first.wait_for()
    page.screenshot(path=tmp_path / "after.png", full_page=True)
    with page.expect_download() as caught:
        walking.press(page, "Download state")
    kept = caught.value.path().read_bytes()
    assert json.loads(kept)["periods"].keys() == {f"2026-10-{day:02}" for day in range(1, 31)}
    with page.expect_download() as caught:
        walking.press(page, "Download report")
    assert json.loads(caught.value.path().read_bytes())["status"] == "moved"
    other = visit(chromium.new_context(viewport={"width": 390, "height": 844}), "watch")
    other.set_default_timeout(20.0 * SECONDS)
    watch(other, path, month)
    state = {"name": "watch.json", "mimeType": "application/json", "buffer": kept}
    other.locator("input[type=file]").nth(2).set_input_files(state)
    other.get_by_text(FALLEN).wait_for()
    walking.press(other, "Add these rows")
    other.get_by_text("What came: 1,800 counted already.").wait_for()
    other.screenshot(path=tmp_path / "phone.png", full_page=True)
