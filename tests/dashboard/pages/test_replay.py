"""The replay of a run on the page Run: slider, play button and search."""

import time

import pages
import pytest
from pages import called, chart, give, go, known, open_app, run_to_end

from evencover.core.report.layer_sentences import layer_sentence
from evencover.dashboard.pages import run as replay_view
from evencover.dashboard.wording.formatting import plain

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def finished(table):
    page = open_app()
    give(page, table)
    called("Penalty (C)", page.number_input).set_value(0.0).run()
    run_to_end(page)
    yield go(page, pages.RUN)
    assert not page.exception


@pytest.fixture(scope="module")
def steps(finished):
    found = known(finished).run.job.snapshot().result.replays["ifacm"]
    assert len(found) >= 3
    return found


def slider(app):
    return called("Layers", app.slider)


def said(app):
    return [text.value for text in app.markdown]


def test_the_slider_begins_at_the_end_and_goes_to_any_layer(finished, steps):
    last = len(steps) - 1
    assert slider(finished).value == slider(finished).max == last
    for at in (0, 1, last):
        slider(finished).set_value(at).run()
        assert f"**{plain(layer_sentence(steps[: at + 1]))}**" in said(finished)
        drawn = chart(finished, "replay-test")
        places = [steps[0].features.index(name) for name in drawn["data"][1]["y"]]
        assert drawn["data"][1]["x"] == [steps[at].coefficients.slopes[i] for i in places]


def test_the_search_of_a_layer_can_be_opened(finished, steps):
    slider(finished).set_value(1).run()
    called("Show the search for this layer", finished.toggle).set_value(True).run()
    tried = chart(finished, "replay-tried")["data"][0]
    assert tried["x"] == [one.gamma for one in steps[1].tried]
    called("Show the search for this layer", finished.toggle).set_value(False).run()


def test_it_plays_from_the_start_to_the_end_by_itself(finished, steps, monkeypatch):
    last, now = len(steps) - 1, [time.monotonic()]
    monkeypatch.setattr(replay_view.time, "monotonic", lambda: now[0])
    slider(finished).set_value(last).run()
    pages.press(finished, "Play")
    seen = [slider(finished).value]
    assert "Pause" in pages.labels(finished.button)
    while "Pause" in pages.labels(finished.button):
        now[0] += 2.0
        finished.run()
        seen.append(slider(finished).value)
        finished.run()  # as at a click elsewhere, before it is time
        assert slider(finished).value == seen[-1]
    assert seen == list(range(last + 1))
    assert "Play" in pages.labels(finished.button)


def test_a_table_says_the_same(finished, steps):
    shown = called("As a table", finished.expander).dataframe[0].value
    sentences = [layer_sentence(steps[: number + 1]) for number in range(len(steps))]
    assert shown["did"].tolist() == sentences
    assert shown["dcv"].tolist() == [step.dcv for step in steps]
    assert shown["group_coverage"].tolist() == [step.worst.coverage for step in steps]


def test_findings_do_not_show_the_layers_again(finished):
    go(finished, pages.FINDINGS)
    assert "Layers" not in pages.labels(finished.tabs)
    go(finished, pages.RUN)
