"""Runs kept and compared, as a person does it in a browser; after a reload everything is there."""

import numpy as np
import pandas as pd
import pytest
from walking import at, enter, go_on, open_step, press, set_up, upload

pytestmark = [pytest.mark.browser, pytest.mark.long]


def draw():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    y = X.sum(axis=1) + rng.normal(size=600) * np.exp(X[:, 0])
    return pd.DataFrame(X, columns=["a", "b", "c"]).round(3).assign(y=y.round(3))


def test_runs_are_kept_compared_opened_again_and_found_after_a_reload(visit, chromium):
    page = visit(chromium.new_context(viewport={"width": 1400, "height": 1000}))
    upload(page, "runs.csv", draw().to_csv(index=False).encode())
    set_up(page, "600 rows")
    go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    open_step(page, "Setup")
    enter(page, "Penalty (C)", "0")
    page.get_by_text("changed since the last run").wait_for()
    go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    open_step(page, "Compare")
    enter(page, "Remedies", "quantile")
    press(page, "Compare")
    page.get_by_text("What each promises").wait_for()
    open_step(page, "Runs")
    assert everything_is_there(page)
    page.locator(".st-key-open-1 button").click()
    at(page, "Findings")
    assert "C = 0.5" in page.get_by_text("Results for").inner_text()
    page.reload()
    at(page, "Findings")
    assert "C = 0.5" in page.get_by_text("Results for").inner_text()
    open_step(page, "Runs")
    assert everything_is_there(page)
    open_step(page, "Compare")
    page.get_by_text("What each promises").wait_for()


def everything_is_there(page):
    page.get_by_text("Both are judged on the same 180 test rows").wait_for()
    lines = page.locator("[class*=st-key-run-]").all_inner_texts()
    return [("C = 0," in line, "C = 0.5," in line) for line in lines] == [
        (True, False),
        (False, True),
    ]
