"""Samples of published data on the page: offered, fetched with a word of warning, or refused."""

import dataclasses
from urllib.error import URLError

import pages
import pandas as pd
import pytest

from evencover.core import AuditSettings
from evencover.core.tables.fingerprint import rows_fingerprint
from evencover.dashboard.options.links import pack
from evencover.dashboard.wording import formatting
from evencover.sample_data import load_sample, real, sample_names

SENTENCE = (
    "gpu could not be downloaded; try again with a connection to the internet, or set "
    "EVENCOVER_DATA to a folder that holds gpu.parquet"
)


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)


@pytest.fixture
def gpu_is(monkeypatch):
    """Put another download in the place of the real one."""

    def replace(download, **other):
        source = dataclasses.replace(real.SOURCES["gpu"], download=download, **other)
        monkeypatch.setitem(real.SOURCES, "gpu", source)

    return replace


def page():
    app = pages.open_app()
    assert not app.exception
    return app


def help_of(app):
    buttons = {button.key: button.help for button in app.button}
    return {name: buttons[f"sample-{name}"] for name in sample_names()}


def offline():
    raise URLError("no route")


def test_real_samples_are_offered_with_a_word_on_the_download():
    offered = help_of(page())
    assert not any(offered[name] for name in ("houses", "kernels", "triage"))
    for name in real.SOURCES:
        assert "downloaded the first time" in offered[name]


def test_a_sample_in_the_folder_is_offered_without_that_word(monkeypatch, tmp_path):
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    (tmp_path / "gpu.parquet").touch()
    offered = help_of(page())
    assert not offered["gpu"]
    assert "downloaded the first time" in offered["covtype"]


def test_without_a_connection_the_sentence_is_shown(gpu_is):
    gpu_is(offline)
    app = page()
    app.button("sample-gpu").click().run()
    assert not app.exception
    assert [error.value for error in app.error] == [formatting.plain(SENTENCE)]
    assert app.session_state["evencover"].table is None


def test_after_a_failed_download_another_sample_can_be_taken(gpu_is):
    gpu_is(offline)
    app = page()
    app.button("sample-gpu").click().run()
    app.button("sample-triage").click().run()
    assert not app.error
    assert app.session_state["evencover"].table.name == "sample triage"


def test_a_downloaded_sample_is_taken_up(gpu_is):
    frame = pd.DataFrame({"MWG": [16, 32, 64, 128] * 5, "run_ms": range(20, 40)})
    gpu_is(lambda: frame, rows=20, target_mean=29.5)
    app = page()
    app.button("sample-gpu").click().run()
    assert not app.exception
    table = app.session_state["evencover"].table
    assert table.frame.equals(frame)
    assert table.choices.split == "20000,20000,20000"
    assert load_sample("gpu").target == "run_ms"
    assert (table.source, table.fingerprint) == ("sample:gpu", rows_fingerprint(frame))


def test_a_link_to_published_data_fetches_nothing_before_a_click(gpu_is):
    fetched = []

    def download():
        fetched.append("gpu")
        return pd.DataFrame({"MWG": [16, 32, 64, 128] * 5, "run_ms": range(20, 40)})

    gpu_is(download, rows=20, target_mean=29.5)
    settings = AuditSettings(target="run_ms", confidence_level=0.7)
    app = pages.open_app(settings=pack(settings, "sample:gpu"))
    assert not fetched
    assert pages.known(app).table is None
    pages.press(app, "Fetch Gpu")
    assert fetched == ["gpu"]
    assert pages.known(app).draft == settings
    assert not app.exception


def test_a_link_to_a_sample_made_up_here_brings_it_at_once():
    settings = AuditSettings(target=load_sample("triage").target, confidence_level=0.7)
    app = pages.open_app(settings=pack(settings, "sample:triage"))
    assert pages.known(app).draft == settings
