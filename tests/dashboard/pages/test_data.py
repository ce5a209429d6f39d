"""What becomes of a sample or an upload on Data: taken, read, read otherwise, refused, stopped."""

import dataclasses
import io
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import pages
import pandas as pd
import pytest
from pages import go, known, labels, press

from evencover.core import AuditSettings
from evencover.core.tables.fingerprint import rows_fingerprint
from evencover.core.tables.reading import AS_IT_IS
from evencover.core.tables.text_values import Reading
from evencover.dashboard.options.links import SharedSettings, pack, settings_text
from evencover.dashboard.pages import session
from evencover.dashboard.runs import upload as uploads
from evencover.dashboard.runs.job import FAILURE
from evencover.dashboard.wording import formatting, page_texts
from evencover.dashboard.wording.formatting import plain
from evencover.sample_data import load_sample, real, sample_names

CITIES = pd.DataFrame({"city": ["Łódź", "Kraków"] * 20, "a": range(40), "y": range(1, 41)})


@pytest.fixture
def app():
    opened = pages.open_app()
    assert not opened.exception
    return opened


def fill(app, label, value):
    pages.called(label, app.text_input).set_value(value)


def read_again(app):
    """Press the button, and wait as after an upload."""
    with pages.reading_here():
        press(app, "Read again")
        pages.wait_for_reading(app)


def workbook(**sheets):
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        for name, sheet in sheets.items():
            sheet.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


def put(app, table, name="table.csv"):
    """Upload without going on to Setup."""
    pages.upload(app, table, name)
    go(app, pages.DATA)


@pytest.mark.long
def test_after_a_failed_upload_nothing_of_the_old_table_is_left(app, few, photo):
    put(app, few)
    put(app, photo, "second.png")
    (error,) = app.error
    assert plain("second.png") in error.value
    assert known(app).table is None
    assert known(app).draft is None
    go(app, pages.SETUP)
    assert plain("second.png") in app.info[0].value


@pytest.mark.long
def test_a_defect_in_reading_is_a_sentence_and_no_old_table(app, few, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("salary 4711")

    put(app, few)
    monkeypatch.setattr(uploads, "parse_table", broken)
    put(app, few, "second.csv")
    assert [error.value for error in app.error] == [plain(FAILURE)]
    assert known(app).table is None
    assert not app.exception


@pytest.mark.long
def test_another_sheet_of_a_workbook_is_read(app, few):
    put(app, workbook(about=CITIES, homes=few.head(50)), "book.xlsx")
    assert list(known(app).table.frame) == ["city", "a", "y"]
    assert any("homes" in note.value for note in app.info)
    choice = pages.called("Sheet", app.selectbox)
    assert choice.options == ["about", "homes"]
    choice.set_value("homes")
    read_again(app)
    table = known(app).table
    assert table.frame.shape == (50, few.shape[1])
    assert table.choices.sheet == "homes"
    go(app, pages.SETUP)
    assert known(app).draft.sheet == "homes"


@pytest.mark.long
def test_the_sheets_of_a_workbook_that_is_refused_are_offered(app, few):
    put(app, workbook(cover=pd.DataFrame({"see homes": [""]}), homes=few.head(50)), "book.xlsx")
    assert known(app).table is None
    choice = pages.called("Sheet", app.selectbox)
    assert choice.options == ["cover", "homes"]
    choice.set_value("homes")
    read_again(app)
    assert known(app).table.frame.shape == (50, few.shape[1])


@pytest.mark.long
def test_words_taken_as_missing_are_kept_with_one_click(app, few):
    put(app, few)
    assert not pages.called(page_texts.READ_DIFFERENTLY, app.expander).proto.expanded
    put(app, CITIES.assign(damage=["None", "NA"] * 20, kind=["null", "b"] * 20), "cities.csv")
    assert pages.called(page_texts.READ_DIFFERENTLY, app.expander).proto.expanded
    with pages.reading_here():
        press(app, plain(page_texts.KEEP_WORDS.format("'None', 'NA', 'null'")))
        pages.wait_for_reading(app)
    frame = known(app).table.frame
    assert frame["damage"].tolist() == ["None", "NA"] * 20
    assert frame["kind"].tolist() == ["null", "b"] * 20
    assert known(app).table.table.notes == ()
    assert {"", "N/A"} <= {*known(app).table.choices.missing}


@pytest.mark.long
def test_the_encoding_is_set(app):
    content = CITIES.to_csv(index=False).encode("cp1250")
    put(app, content, "cities.csv")
    assert known(app).table.frame["city"][0] != "Łódź"
    fill(app, "Encoding", "cp1250")
    read_again(app)
    assert known(app).table.frame["city"][0] == "Łódź"
    assert known(app).table.choices.encoding == "cp1250"


@pytest.mark.long
def test_an_unknown_encoding_is_told_and_another_can_be_tried(app):
    put(app, CITIES, "cities.csv")
    fill(app, "Encoding", "klingon")
    read_again(app)
    assert "klingon" in app.error[0].value
    assert known(app).table is None
    fill(app, "Encoding", "")
    read_again(app)
    assert known(app).table.frame["city"][0] == "Łódź"
    assert not app.error


@pytest.mark.long
def test_a_column_to_be_read_as_numbers_has_to_be_there(app):
    put(app, CITIES, "cities.csv")
    fill(app, "Read as numbers", "a,villes")
    read_again(app)
    assert "villes" in app.error[0].value
    assert known(app).table is None
    fill(app, "Read as numbers", "a")
    read_again(app)
    assert known(app).table.choices.numeric == ("a",)


@pytest.mark.long
def test_words_for_missing_values_are_chosen(app):
    table = CITIES.assign(damage=["None", "dent"] * 20)
    put(app, table)
    assert known(app).table.frame["damage"].isna().sum() == 20
    fill(app, "Words for missing values", '""')
    read_again(app)
    assert known(app).table.frame["damage"].tolist() == ["None", "dent"] * 20
    assert known(app).table.choices.missing == ("",)


@pytest.mark.long
def test_settings_that_read_otherwise_read_the_file_again(app):
    put(app, CITIES.to_csv(index=False).encode("cp1250"), "cities.csv")
    settings = replace(known(app).draft, encoding="cp1250", confidence_level=0.7)
    content = settings_text(settings, "cities.csv").encode()
    file = pages.called("Settings file", app.file_uploader)
    with pages.reading_here():
        file.set_value(("s.json", content, "application/json")).run()
        pages.wait_for_reading(app)
    assert known(app).table.frame["city"][0] == "Łódź"
    assert known(app).draft == settings


@pytest.mark.long
def test_a_file_is_read_as_the_settings_that_wait_for_it_say(app):
    known(app).wanted = SharedSettings(AuditSettings(target="y", encoding="cp1250"))
    put(app, CITIES.to_csv(index=False).encode("cp1250"), "cities.csv")
    assert known(app).table.frame["city"][0] == "Łódź"
    assert known(app).settings_taken


@pytest.mark.long
def test_a_label_that_waits_for_a_file_is_looked_at_where_that_is_read(app, few, monkeypatch):
    monkeypatch.setattr(session, "profile_columns", None)  # which holds up the page
    known(app).wanted = SharedSettings(AuditSettings(target="x1"))
    put(app, few.to_csv(index=False).encode(), "few.csv")
    assert known(app).settings_taken
    assert [p.name for p in known(app).table.profiles if p.role == "label"] == ["x1"]


@pytest.mark.long
def test_reading_is_shown_and_stopped(app, few, monkeypatch):
    waiting = pages.hold_reading(monkeypatch)
    app.file_uploader[0].set_value(("held.csv", pages.content_of(few), "text/csv")).run()
    assert known(app).is_reading
    assert any(plain("held.csv") in said.value for said in app.info)
    go(app, pages.SETUP)
    assert [said.value for said in app.info] == [plain(page_texts.STILL_READING)]
    go(app, pages.DATA)
    press(app, "Stop reading")
    assert waiting.wait(pages.PATIENCE)
    assert [error.value for error in app.error] == [plain(page_texts.READING_CUT["asked"])]
    assert known(app).table is None
    assert not known(app).is_reading
    assert "Stop reading" not in labels(app.button)
    assert not app.exception


@pytest.mark.long
def test_a_sample_chosen_meanwhile_ends_the_reading(app, few, monkeypatch):
    waiting = pages.hold_reading(monkeypatch)
    app.file_uploader[0].set_value(("held.csv", pages.content_of(few), "text/csv")).run()
    app.button("sample-triage").click().run()
    assert waiting.wait(pages.PATIENCE)
    assert known(app).table.name == "sample triage"
    assert known(app).upload is None


@pytest.mark.long
def test_a_reading_that_nobody_asked_for_is_as_it_is(app, few):
    put(app, few)
    assert known(app).upload.reading == AS_IT_IS == Reading()
    assert known(app).table.choices.reading == AS_IT_IS


WHO = CITIES[["city"]].drop_duplicates().assign(size=["large", "small"])


def join(app, second, key="city"):
    content = second.to_csv(index=False).encode()
    pages.called("Second file", app.file_uploader).set_value(("who.csv", content, "text/csv"))
    pages.called("Key", app.selectbox).set_value(key).run()
    assert [w.value for w in app.warning] == [page_texts.NOT_JOINED.format(plain("who.csv"))]
    with pages.reading_here():
        press(app, "Join")
        pages.wait_for_reading(app)


@pytest.mark.long
def test_a_second_table_is_joined_and_left_again(app, few):
    homes = few.assign(city=np.resize(CITIES["city"], len(few)))
    put(app, homes)
    join(app, WHO)
    sizes = np.resize(["large", "small"], len(few))
    assert known(app).table.frame["size"].tolist() == sizes.tolist()
    roles = app.dataframe[0].value.set_index("column")["role"]
    assert (roles["size"], roles["city"]) == ("audit only", "left out")
    go(app, pages.SETUP)
    assert pages.called("Audit only", app.multiselect).value == ["size"]
    settings = known(app).draft
    assert not app.warning
    assert (settings.join, settings.on, settings.audit_only) == ("who.csv", "city", ("size",))
    go(app, pages.DATA)
    fill(app, "Words for missing values", "none")
    read_again(app)
    assert "size" in known(app).table.frame
    with pages.reading_here():
        press(app, "Do without it")
        pages.wait_for_reading(app)
    assert [*known(app).table.frame] == [*homes]
    assert known(app).draft.audit_only == ()


@pytest.mark.long
def test_settings_without_a_second_table_leave_no_column_of_it(app):
    put(app, CITIES)
    settings = replace(known(app).draft, confidence_level=0.7)
    join(app, WHO)
    file = pages.called("Settings file", app.file_uploader)
    with pages.reading_here():
        content = settings_text(settings, "table.csv").encode()
        file.set_value(("s.json", content, "application/json")).run()
        pages.wait_for_reading(app)
    assert [*known(app).table.frame] == [*CITIES]
    assert known(app).draft == settings


@pytest.mark.long
def test_settings_wait_for_the_second_table_that_they_name(app):
    settings = AuditSettings(target="y", join="who.csv", on="city", audit_only=("size",))
    known(app).wanted = SharedSettings(settings)
    put(app, CITIES)
    assert "size" in app.error[0].value
    join(app, WHO)
    assert known(app).draft == settings
    assert not app.error


@pytest.mark.long
def test_a_key_of_several_rows_is_told(app):
    put(app, CITIES)
    join(app, pd.concat([WHO, WHO.head(1).assign(size="tiny")]))
    assert "which 2 rows have; keep one row for each" in app.error[0].value
    assert known(app).table is None


@pytest.mark.long
def test_a_key_that_is_none_is_told_and_can_be_left(app):
    put(app, CITIES)
    join(app, WHO, "a")
    assert plain("who.csv") in app.error[0].value
    assert known(app).table is None
    with pages.reading_here():
        press(app, "Do without it")
        pages.wait_for_reading(app)
    assert [*known(app).table.frame] == [*CITIES]


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


def help_of(app):
    buttons = {button.key: button.help for button in app.button}
    return {name: buttons[f"sample-{name}"] for name in sample_names()}


def offline():
    raise URLError("no route")


def test_real_samples_are_offered_with_a_word_on_the_download(app):
    offered = help_of(app)
    assert not any(offered[name] for name in ("houses", "kernels", "triage"))
    for name in real.SOURCES:
        assert "downloaded the first time" in offered[name]


def test_a_sample_in_the_folder_is_offered_without_that_word(monkeypatch, tmp_path):
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    (tmp_path / "gpu.parquet").touch()
    offered = help_of(pages.open_app())
    assert not offered["gpu"]
    assert "downloaded the first time" in offered["covtype"]


def test_without_a_connection_the_sentence_is_shown(app, gpu_is):
    gpu_is(offline)
    app.button("sample-gpu").click().run()
    assert not app.exception
    assert [error.value for error in app.error] == [formatting.plain(SENTENCE)]
    assert app.session_state["evencover"].table is None


def test_after_a_failed_download_another_sample_can_be_taken(app, gpu_is):
    gpu_is(offline)
    app.button("sample-gpu").click().run()
    app.button("sample-triage").click().run()
    assert not app.error
    assert app.session_state["evencover"].table.name == "sample triage"


def test_a_downloaded_sample_is_taken_up(app, gpu_is):
    frame = pd.DataFrame({"MWG": [16, 32, 64, 128] * 5, "run_ms": range(20, 40)})
    gpu_is(lambda: frame, rows=20, target_mean=29.5)
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
