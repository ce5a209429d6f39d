"""The dashboard's pages as streamlit's AppTest draws them, and what a person does on them."""

import json
import threading
import time
from functools import cache
from pathlib import Path
from unittest import mock

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.util import calc_hash

from evencover.core.events import ignore, never
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.reading import BOUNDS
from evencover.dashboard.commands import dashboard as launch
from evencover.dashboard.pages.heading import DATA, EXPORT, FINDINGS, RUN, SEGMENTS, SETUP
from evencover.dashboard.runs import upload as uploads
from evencover.dashboard.runs.job import STOPPED, RunError

APP = Path(launch.__file__).parents[1] / "pages" / "app.py"
PATIENCE = 60.0

# every AppTest looks through all installed packages for components, which are always the same
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# and compiles the pages anew at every run, as a server does only once
app_test.ScriptCache = local_script_runner.ScriptCache = cache(ScriptCache)

__all__ = ["DATA", "EXPORT", "FINDINGS", "RUN", "SEGMENTS", "SETUP"]


def open_app(**parameters):
    """Open the page Data, with these parameters in its address."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params.update(parameters)
    return app.run()


def go(app, step):
    """Go to a page by the navigation."""
    app._page_hash = calc_hash(step.title.lower())  # by which streamlit knows a page
    app.run()
    app._page_hash = ""  # else later runs would go there again, wherever a button has led
    return app


def title(app):
    (shown,) = app.title
    return shown.value


def known(app):
    """What the app keeps of the session."""
    return app.session_state["evencover"]


def called(label, widgets):
    (found,) = [widget for widget in widgets if widget.label == label]
    return found


def labels(widgets):
    return [widget.label for widget in widgets]


def choose(app, options):
    """Choose options on Setup, each by its title, in whatever widget it has there."""
    kinds = ("text_input", "number_input", "checkbox", "selectbox", "multiselect", "text_area")
    widgets = {widget.label: widget for kind in kinds for widget in app.get(kind)}
    for field, value in options.items():
        option = OPTIONS[field]
        widget = widgets[option.title]
        is_list = widget.type == "multiselect"
        as_written = list if is_list else option.kind.write
        widget.set_value(as_written(value) if isinstance(value, tuple) else value)
    app.run()


def press(app, label):
    return called(label, app.button).click().run()


def upload(app, table, name="table.csv"):
    """Upload a table on Data; where it is taken up, go on to Setup."""
    go(app, DATA)
    with reading_here():
        file = called("Your own file", app.file_uploader)
        file.set_value((name, content_of(table), "text/csv")).run()
        wait_for_reading(app)
    if known(app).table is not None:
        press(app, "Next: Setup")


def give(app, table, name="table.csv"):
    """Take up a table as after its upload, and go on to Setup."""
    known(app).use(_loaded(name, content_of(table)))
    go(app, SETUP)


def content_of(table):
    return table if isinstance(table, bytes) else table.to_csv(index=False).encode()


def reading_here():
    """Read uploads in this process, which saves starting others."""
    return mock.patch.object(uploads, "in_process", _in_this_process)


def wait_for_reading(app):
    if known(app).reading is not None:
        known(app).reading.wait(PATIENCE)
        app.run()


def hold_reading(monkeypatch):
    """Let the next upload be read until it is stopped; return what is set by then."""
    stopped = threading.Event()

    def held(_read, _on_event, should_stop, **_):
        while not should_stop():
            time.sleep(0.01)
        stopped.set()
        raise RunError(STOPPED)

    uploads._readers.cache_clear()  # else it may wait for what another test had read
    monkeypatch.setattr(uploads, "in_process", held)
    return stopped


def _in_this_process(read, on_event, should_stop, **_):
    return read(on_event=on_event, should_stop=should_stop)


@cache
def _loaded(name, content):
    upload = uploads.Upload(name, content)
    return uploads.read_upload(upload, BOUNDS, on_event=ignore, should_stop=never)


def take_sample(app, name):
    go(app, DATA)
    app.button(f"sample-{name}").click().run()
    press(app, "Next: Setup")


def press_run(app):
    """Press Run on Setup, which leads to the page Run."""
    if title(app) != SETUP.title:
        go(app, SETUP)
    press(app, "Run")


def wait(app):
    """Wait for the run to end; go on to what it found, if it found anything."""
    ended = known(app).run.job.wait(PATIENCE)
    if ended.result is None:
        app.run()
    else:
        go(app, FINDINGS)


def run_to_end(app):
    press_run(app)
    wait(app)


def tab(app, name):
    return called(name, app.tabs)


def open_tab(app, name):
    """Open a tab of Segments, of which only the open one is drawn."""
    app.session_state["segments-tab"] = name
    return app.run()


def chart(app, key):
    """Return what a chart draws, by its key."""
    (found,) = [
        element.proto.spec
        for element in app.get("plotly_chart")
        if element.proto.id.endswith(f"-{key}")
    ]
    return json.loads(found)


def frame_with(app, column):
    """Return the table shown that has a column of this name."""
    (found,) = [shown.value for shown in app.dataframe if column in shown.value.columns]
    return found


def shown_figures(app):
    return [(metric.value, metric.delta) for metric in app.metric]
