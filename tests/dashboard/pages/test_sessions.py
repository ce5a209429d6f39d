"""Pages of several sessions on one server, drawn by AppTest: who finds which run."""

import threading
import time
from hashlib import sha256

import pages
import pytest
import streamlit as st
from clustered import cluster_of_two
from pages import give, go, known, labels, press, press_run, wait

import evencover.core
from evencover.core import AuditSettings, audit
from evencover.dashboard.options import SharedSettings, pack
from evencover.dashboard.pages import session as state
from evencover.dashboard.pages.heading import PAGES
from evencover.dashboard.runs.job import ABANDONED_AFTER_SECONDS, NOT_BEGUN
from evencover.dashboard.runs.run import TABLE_GONE, UNKNOWN
from evencover.dashboard.wording import formatting, page_texts

pytestmark = pytest.mark.long


@pytest.fixture
def visit():
    """Open pages, one with a token as its address; in the end no exception may show."""
    opened = []

    def open_page(token=None, step=None):
        page = pages.open_app() if token is None else pages.open_app(run=token)
        opened.append(page)
        return page if step is None else go(page, step)

    yield open_page
    for page in opened:
        assert not page.exception
        if known(page).run is not None:
            known(page).run.job.stop()


@pytest.fixture(autouse=True)
def fresh_server(monkeypatch):
    """Give every test a manager of its own, which runs one audit at a time."""
    monkeypatch.setenv("EVENCOVER_MAX_RUNS", "1")
    state.job_manager.cache_clear()
    yield
    state.job_manager.cache_clear()


@pytest.fixture
def held(monkeypatch):
    """Audits that wait, from their first event on, until they are let go or stopped."""
    let_go = threading.Event()

    def wait(*arguments, on_event, should_stop, **options):
        def listen(event):
            on_event(event)
            while not let_go.is_set() and not should_stop():
                time.sleep(0.01)

        return audit(*arguments, on_event=listen, should_stop=should_stop, **options)

    monkeypatch.setattr(evencover.core, "audit", wait)
    yield let_go
    let_go.set()


def address_of(page):
    """AppTest gives what the test put there as a text, and what the page put there as a list."""
    told = page.query_params
    return {
        name: value if isinstance(value, str) else "".join(value) for name, value in told.items()
    }


def one_token(page):
    return address_of(page)["run"]


def begin(page):
    press_run(page)
    token = one_token(page)
    assert token == known(page).run.token
    return token


def begun(visit, table):
    """Return a page with a run of a table, and the run's token."""
    page = visit()
    give(page, table)
    return page, begin(page)


def ended(visit, table):
    page, token = begun(visit, table)
    wait(page)
    return page, token


def figures(page):
    return pages.shown_figures(go(page, pages.FINDINGS))


def texts_of(page):
    return [element.value for kind in (page.markdown, page.caption, page.info) for element in kind]


def begin_with(page, settings):
    """Run the table in use with these settings, as of a link."""
    known(page).want(SharedSettings(settings))
    go(page, pages.SETUP)
    return begin(page)


def test_a_finished_run_comes_back_with_its_table_and_choices(visit, few):
    first = visit()
    give(first, few)
    asked = AuditSettings(
        target="y",
        penalty=0.0,
        confidence_level=0.8,
        drop=("x2",),
        audit_only=("place",),
        categorical=("x4",),
        split="150,75,75",
        measure="standard",
        seed=3,
        penalty_form="squared",
        search="paper",
        pairs=(("place", "x0"),),
        bins=3,
        cuts=(("x1", (-1.0, 0.1)),),
        reference=(("place", "Bude"),),
    )
    token = begin_with(first, asked)
    wait(first)
    second = visit(token)
    assert second.header[0].value == r"table\.csv: 300 rows, 7 columns"
    go(second, pages.SETUP)  # all choices are those of the run
    assert known(second).draft == asked
    line = r"Results for table\.csv: label y, CL = 0.8, C = 0"
    assert second.caption[0].value == line
    assert figures(second) == figures(first)
    assert second.caption[0].value == line
    assert not second.warning
    assert one_token(second) == token


# a column of codes is taken in, text is read as numbers, another label is chosen
COME_BACK = {
    "columns": {"features": ("x0", "code", "rooms"), "numeric": ("rooms",)},
    "label": {"target": "place"},
    "estimators": {"estimator": "lasso", "ifacm_estimator": "trees", "permutations": 3},
}


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("case", COME_BACK)
def test_after_a_reload_choices_are_those_of_the_run(visit, few, case):
    rooms = [str(i % 7) for i in range(len(few))]
    rooms[5] = "three"  # left out for that, until it is read as numbers
    first = visit()
    give(first, few.assign(rooms=rooms, code=range(len(few))))
    asked = AuditSettings(**{"target": "y"} | COME_BACK[case])
    second = visit(begin_with(first, asked), pages.SETUP)
    assert known(second).draft == known(first).run.settings == asked
    roles = [page.dataframe[0].value["role"].tolist() for page in (go(first, pages.SETUP), second)]
    assert roles[0] == roles[1]
    assert not go(second, pages.RUN).warning


def test_a_running_run_is_shown_on_a_second_page_but_not_stopped_there(visit, few, held):
    first, token = begun(visit, few)
    second = visit(token, pages.RUN)
    assert r"Running on table\.csv: label y, CL = 0.9, C = 0.5" in texts_of(second)
    assert page_texts.WATCHING in texts_of(second)
    assert "Stop" not in labels(second.button)
    assert "Stop" in labels(first.button)
    held.set()
    wait(second)
    assert second.metric
    assert second.caption[0].value.startswith(r"Results for table\.csv")


@pytest.mark.usefixtures("held")
def test_leaving_a_watched_run_does_not_stop_it(visit, few, classes):
    first, token = begun(visit, few)
    second = visit(token)
    give(second, classes, "classes.csv")
    assert known(second).run is None
    assert "run" not in second.query_params
    assert not known(first).run.job.snapshot().stopping


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("step", PAGES)
def test_a_run_is_watched_from_every_page(visit, few, monkeypatch, step):
    watched = []
    fragment = st.fragment

    def noted(function, run_every=None):
        watched.append((function, run_every))
        return fragment(function, run_every=run_every)

    page, _ = begun(visit, few)
    monkeypatch.setattr(st, "fragment", noted)
    go(page, step)
    asked = known(page).run.job.snapshot
    (every,) = [every for function, every in watched if function == asked]
    assert every < ABANDONED_AFTER_SECONDS


@pytest.mark.usefixtures("held")
def test_after_a_reload_the_run_can_be_stopped(visit, few):
    first, token = begun(visit, few)
    object.__setattr__(known(first).me, "is_present", lambda: False)  # its page is closed
    second = visit(token, pages.RUN)
    press(second, "Stop")
    wait(second)
    assert any("was stopped before its first layer" in text for text in texts_of(second))


@pytest.mark.parametrize("token", ["", "nonsense", "<b>*x*</b>"])
def test_an_unknown_token_gets_a_plain_sentence(visit, few, token):
    page = visit(token)
    assert [error.value for error in page.error] == [formatting.plain(UNKNOWN)]
    give(page, few)
    assert not page.error


def test_a_dropped_run_gets_its_sentence(visit, few, monkeypatch):
    monkeypatch.setattr(state.job_manager(), "kept_in_all", 1)
    first, old = ended(visit, few)
    shown = figures(first)
    ended(visit, few.head(200))
    (told,) = visit(old).error
    assert told.value.startswith("This run's results are no longer kept")
    assert figures(first) == shown  # whoever looks at them keeps them


def test_a_file_that_waits_for_another_of_the_same_visitor_is_told_its_place(visit, monkeypatch):
    monkeypatch.setattr(state, "_visitor", lambda: "me")
    stopped = pages.hold_reading(monkeypatch)
    apps = [visit() for _ in range(3)]
    for app in apps:
        known(app).read(state.Upload("t.csv", b""))
    told = [[info.value for info in go(app, pages.DATA).info] for app in apps]
    assert not any("waits" in text for text in told[0])
    for place, texts in enumerate(told[1:], 1):
        assert any(f"waits to be read: number {place} in the queue" in text for text in texts)
    for app in reversed(apps):
        known(app).reading.stop()
    assert stopped.wait(60.0)


def test_results_stay_when_the_table_is_let_go(visit, few, monkeypatch):
    monkeypatch.setattr(state.job_manager(), "kept_table_bytes", 0)
    first, token = ended(visit, few)
    second = visit(token)
    assert figures(second) == figures(first)
    assert page_texts.TABLE_GONE in [info.value for info in second.info]
    assert len(second.get("plotly_chart")) == len(first.get("plotly_chart"))
    for step in (pages.SEGMENTS, pages.EXPORT):
        go(second, step)
        assert page_texts.ROWS_GONE in [told.value for told in (*second.info, *second.markdown)]
    go(second, pages.SETUP)
    assert [info.value for info in second.info] == [formatting.plain(page_texts.TABLE_GONE)]
    assert labels(second.button) == ["Go to Data"]


def test_a_second_run_shows_its_place_and_then_runs(visit, few, classes, held):
    _, second, third = (begun(visit, table)[0] for table in (few, classes, few))
    second.run()
    third.run()
    said = "**Waiting for other runs to end: place {} in the queue ...**"
    assert said.format(1) in texts_of(second)
    assert said.format(2) in texts_of(third)
    press(second, "Stop")
    second.run()
    assert [error.value for error in second.error] == [formatting.plain(NOT_BEGUN["asked"])]
    third.run()
    assert said.format(1) in texts_of(third)
    held.set()
    wait(third)
    assert figures(third)[-2][0] == shown_accuracy(few)


def shown_accuracy(table):
    result = audit(table, AuditSettings(target="y"))
    return f"{100 * result.row('test', result.advised).accuracy:.1f} %"


def test_a_new_run_takes_the_old_one_out_of_the_address(visit, few):
    page, first = ended(visit, few)
    second = begin(page)
    assert first != second
    wait(page)
    assert one_token(page) == second
    assert figures(visit(first))  # the old one is still there for who kept its address


def test_a_page_without_a_token_sees_nothing_of_the_others(visit, few):
    ended(visit, few)
    other = visit()
    assert known(other).table is None
    assert known(other).run is None
    assert not figures(other)


@pytest.mark.usefixtures("held")
def test_a_run_over_its_time_says_so(visit, few, monkeypatch):
    monkeypatch.setenv("EVENCOVER_MAX_MINUTES", "0.0001")
    page, _ = ended(visit, few)
    assert page.metric
    assert [warning.value for warning in page.warning] == [page_texts.CUT_SHORT["overdue"]]


def test_a_run_in_a_process_shows_the_same(visit, few, monkeypatch):
    shown = []
    for worker in ("thread", "process"):
        monkeypatch.setenv("EVENCOVER_WORKER", worker)
        shown.append(figures(ended(visit, few)[0]))
    assert shown[0]
    assert shown[0] == shown[1]


@pytest.mark.long
def test_a_run_on_a_cluster_shows_the_same(visit, few, monkeypatch, tmp_path):
    here = figures(ended(visit, few)[0])
    pytest.importorskip("distributed")
    with cluster_of_two(tmp_path) as two:
        monkeypatch.setenv("EVENCOVER_DASK", two.address)
        assert figures(ended(visit, few)[0]) == here


@pytest.fixture
def reload(monkeypatch):
    """Open the address of a page anew, as the same visitor or another."""
    monkeypatch.setattr(state, "_visitor", lambda: "me")

    def open_again(page, visitor="me", step=None, **others):
        monkeypatch.setattr(state, "_visitor", lambda: visitor)
        again = pages.open_app(**address_of(page) | others)
        assert not again.exception
        return again if step is None else go(again, step)

    return open_again


GONE = TABLE_GONE.format(hours=12)


def test_before_a_run_a_reload_finds_the_upload_and_the_choices(visit, reload, few):
    first = visit()
    assert address_of(first) == {}
    pages.upload(first, few)
    pages.choose(first, {"audit_only": ("place",), "seed": 5})
    draft = known(first).draft
    assert (draft.audit_only, draft.seed) == (("place",), 5)
    second = reload(first)
    assert known(second).draft == draft
    assert known(second).upload is known(first).upload
    assert known(second).table.frame is known(first).table.frame
    assert not second.error
    assert pages.called("Audit only", go(second, pages.SETUP).multiselect).value == ["place"]
    assert address_of(second) == address_of(first)  # so that the next one does, too
    pages.choose(second, {"split": "0.5, 0.5, 0.5"})  # what cannot be run is no choice to keep
    assert known(reload(second)).table is not None


def test_choices_that_are_too_long_for_an_address_are_left_to_the_server(visit, reload, few):
    first = visit()
    give(first, few)
    rules = tuple((sha256(f"{i}".encode()).hexdigest(), f"x0 >= {i / 7}") for i in range(200))
    known(first).change(AuditSettings(target="y", cohorts=rules))
    go(first, pages.DATA)
    assert set(address_of(first)) == {"table"}
    assert known(reload(first)).table.name == "table.csv"


def test_another_visitor_with_the_address_gets_the_choices_alone(visit, reload, few):
    first = visit()
    give(first, few)
    pages.choose(first, {"seed": 5})
    stranger = reload(first, "you")
    assert (known(stranger).table, known(stranger).upload) == (None, None)
    assert [error.value for error in stranger.error] == [formatting.plain(GONE)]
    assert known(stranger).wanted.settings.seed == 5
    assert "table" not in address_of(stranger)
    assert known(reload(first)).table is not None  # it is still there for whom it is
    give(stranger, few)
    assert known(stranger).draft.seed == 5
    assert not stranger.error


def test_a_table_that_is_let_go_is_found_no_more(visit, reload, few, classes):
    first = visit()
    give(first, few)
    old = address_of(first)["table"]
    give(first, classes, "classes.csv")
    assert address_of(first)["table"] != old
    assert known(reload(first)).table.name == "classes.csv"
    assert known(reload(first, table=old)).lost == GONE
    press_run(first)
    assert "table" not in address_of(first)
    wait(first)


def test_a_reading_goes_on_after_a_reload(visit, reload, few):
    first = visit()
    known(first).read(state.Upload("few.csv", pages.content_of(few)))
    go(first, pages.DATA)
    second = reload(first)
    assert known(second).reading in (None, known(first).reading)
    pages.wait_for_reading(second)
    assert known(second).table.name == "few.csv"


def test_choices_changed_after_a_run_come_back_beside_its_results(visit, reload, few):
    first, token = ended(visit, few)
    pages.choose(go(first, pages.SETUP), {"seed": 9})
    second = reload(first)
    assert known(second).run.token == token
    assert known(second).draft.seed == 9
    assert any("changed since" in text for text in [w.value for w in go(second, pages.RUN).warning])


@pytest.mark.parametrize("step", PAGES)
def test_of_a_server_that_was_restarted_every_page_tells_it_and_the_choices_wait(
    visit, reload, few, step
):
    first, _ = begun(visit, few)
    wait(first)
    state.job_manager.cache_clear()
    second = reload(first, step=step)
    assert formatting.plain(UNKNOWN) in [error.value for error in second.error]
    assert known(second).wanted.settings == known(first).run.settings
    assert set(address_of(second)) == {"settings"}
    give(second, few)
    assert known(second).draft == known(first).run.settings
    assert not second.error


def test_a_sample_is_not_taken_before_a_loss_is_told(visit, reload):
    first = visit()
    press(first, "Houses")
    state.job_manager.cache_clear()
    second = reload(first)
    assert [error.value for error in second.error] == [formatting.plain(GONE)]
    press(second, "Houses")
    assert known(second).table is not None
    assert not second.error


def test_settings_that_cannot_be_read_leave_the_run_of_an_address(visit, reload, few):
    first, token = ended(visit, few)
    second = reload(first, settings="nonsense")
    assert known(second).run.token == token
    assert [error.value for error in second.error]
    missing = pack(AuditSettings(target="nowhere"), "table.csv")
    third = reload(first, settings=missing)
    assert known(third).run.token == token
    assert "nowhere" in third.error[0].value


def test_a_page_without_an_address_offers_the_last_run_and_opens_it_when_asked(
    visit, reload, few, monkeypatch
):
    monkeypatch.setattr(state, "_visitor", lambda: "me")
    first, token = ended(visit, few)
    second = visit()
    assert known(second).run is None
    assert any(info.value.startswith("Your last run:") for info in second.info)
    press(second, "Open it")
    assert known(second).run.token == token
    assert pages.title(second) == pages.FINDINGS.title
    monkeypatch.setattr(state, "_visitor", lambda: "you")
    assert not visit().info
    assert "Open it" not in labels(reload(first).button)
