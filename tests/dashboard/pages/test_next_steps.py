"""What now: each button does what its line says."""

import pages
import pytest
from pages import go, known, press, run_to_end, wait

from evencover.core.report.in_short import fates, in_short, steps
from evencover.dashboard.wording.formatting import plain
from evencover.dashboard.wording.page_texts import STEPS

pytestmark = pytest.mark.long


def result_of(app):
    return known(app).run.job.snapshot().result


@pytest.fixture
def houses():
    """Findings of a sample with a county that is failed."""
    page = pages.open_app()
    press(page, "Houses")
    run_to_end(page)
    yield go(page, pages.FINDINGS)
    assert not page.exception


def test_each_line_stands_there_with_whom_it_leaves_where(houses):
    result = result_of(houses)
    shown = [text.value for text in houses.markdown]
    lines = [step.sentence for step in steps(result)]
    assert f"**What now?** {plain(lines[0])}" in shown
    assert {plain(line) for line in lines[1:]} <= {*shown}
    assert "\n".join(f"- {plain(fate)}" for fate in fates(result)) in shown
    assert "\n\n".join(map(plain, in_short(result))) in shown


def test_a_remedy_is_run_beside_those_there_are(houses):
    before = known(houses).run
    (step,) = [one for one in steps(result_of(houses)) if one.kind == "try-remedy"]
    press(houses, STEPS["try-remedy"])
    assert pages.title(houses) == "Run"
    wait(houses)
    run = known(houses).run
    assert run is not before
    assert run.settings.remedies == ("ifacm", "auto", "groups:county") == step.changes["remedies"]
    assert [*result_of(houses).names] == ["base", "ifacm", "auto", "groups:county"]
    # so that what was advised does not come again
    again = [one for one in steps(result_of(houses)) if one.kind == "try-remedy"]
    assert "groups:county" not in [one.changes["remedies"][-1] for one in again]


def test_what_is_used_leads_to_its_file_and_comparing_has_the_remedies_chosen(houses):
    press(houses, STEPS["use"])
    assert pages.title(houses) == "Export"
    go(houses, pages.FINDINGS)
    press(houses, STEPS["compare"])
    assert pages.title(houses) == "Compare"
    (chosen,) = [box for box in houses.multiselect if box.key.startswith("compared-remedies")]
    assert chosen.value == ["ifacm", "auto", "groups:county"]
