"""What becomes of a sample or an upload on Data: taken, read, read otherwise, refused, stopped."""

import dataclasses
import io
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import pages
import pandas as pd
import pytest
from pages import called, go, known, labels, press

from evencover.core import AuditSettings, InputError, parse_table
from evencover.core.tables.reading import AS_IT_IS
from evencover.core.tables.table import rows_fingerprint
from evencover.core.tables.text_values import Reading
from evencover.dashboard.options import SharedSettings, pack, settings_text
from evencover.dashboard.pages import session
from evencover.dashboard.runs import upload as uploads
from evencover.dashboard.runs.job import FAILURE
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import plain
from evencover.sample_data import load_sample, real, sample_names

CITIES = pd.DataFrame({"city": ["Łódź", "Kraków"] * 20, "a": range(40), "y": range(1, 41)})
OLD_CITIES = CITIES.to_csv(index=False).encode("cp1250")
WHO = CITIES[["city"]].drop_duplicates().assign(size=["large", "small"])
GPU = pd.DataFrame({"MWG": [16, 32, 64, 128] * 5, "run_ms": range(20, 40)})


def put(app, table, name="table.csv"):
    """Upload without going on to Setup."""
    pages.upload(app, table, name)
    go(app, pages.DATA)


def press_and_read(app, button):
    """Press the button, and wait as after an upload."""
    with pages.reading_here():
        press(app, button)
        pages.wait_for_reading(app)


def read_again(app, label, value):
    """Have the file read with another answer to one of the questions."""
    by_label = {"Sheet": app.selectbox, "Row of names": app.number_input}
    widgets = by_label.get(label, app.text_input)
    called(label, widgets).set_value(value)
    press_and_read(app, "Read again")


def give_settings(app, settings):
    content = settings_text(settings, "table.csv").encode()
    with pages.reading_here():
        file = called("Settings file", app.file_uploader)
        file.set_value(("s.json", content, "application/json")).run()
        pages.wait_for_reading(app)


def frame_of(app):
    return known(app).table.frame


def workbook(**sheets):
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        for name, sheet in sheets.items():
            sheet.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


def test_after_a_failed_upload_nothing_of_the_old_table_is_left(app, few, photo, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("salary 4711")

    put(app, few)
    put(app, photo, "second.png")
    with pytest.raises(InputError) as refused:
        parse_table(photo, "second.png")
    assert [error.value for error in app.error] == [plain(str(refused.value))]
    assert "Run" not in labels(app.button)
    assert known(app).table is known(app).draft is None
    go(app, pages.SETUP)
    assert plain("second.png") in app.info[0].value
    put(app, few)
    monkeypatch.setattr(uploads, "parse_table", broken)
    put(app, few, "second.csv")
    assert [error.value for error in app.error] == [plain(FAILURE)]
    assert known(app).table is None


@pytest.mark.long
def test_another_sheet_of_a_workbook_is_read(app, few):
    put(app, workbook(about=CITIES, homes=few.head(50)), "book.xlsx")
    assert list(frame_of(app)) == ["city", "a", "y"]
    assert any("homes" in note.value for note in app.info)
    assert called("Sheet", app.selectbox).options == ["about", "homes"]
    read_again(app, "Sheet", "homes")
    assert frame_of(app).shape == (50, few.shape[1])
    assert known(app).table.choices.sheet == "homes"
    go(app, pages.SETUP)
    assert known(app).draft.sheet == "homes"
    # of one that is refused they are offered, too
    put(app, workbook(cover=pd.DataFrame({"see homes": [""]}), homes=few.head(50)), "book.xlsx")
    assert known(app).table is None
    assert called("Sheet", app.selectbox).options == ["cover", "homes"]
    read_again(app, "Sheet", "homes")
    assert frame_of(app).shape == (50, few.shape[1])


@pytest.mark.long
def test_words_taken_as_missing_are_kept_with_one_click(app, few):
    put(app, few)
    assert not called(page_texts.READ_DIFFERENTLY, app.expander).proto.expanded
    put(app, CITIES.assign(damage=["None", "NA"] * 20, kind=["null", "b"] * 20), "cities.csv")
    assert called(page_texts.READ_DIFFERENTLY, app.expander).proto.expanded
    press_and_read(app, plain(page_texts.KEEP_WORDS.format("'None', 'NA', 'null'")))
    assert frame_of(app)["damage"].tolist() == ["None", "NA"] * 20
    assert frame_of(app)["kind"].tolist() == ["null", "b"] * 20
    assert known(app).table.table.notes == ()
    assert {"", "N/A"} <= {*known(app).table.choices.missing}


@pytest.mark.long
def test_words_for_missing_values_are_chosen(app):
    put(app, CITIES.assign(damage=["None", "dent"] * 20))
    assert frame_of(app)["damage"].isna().sum() == 20
    read_again(app, "Words for missing values", '""')
    assert frame_of(app)["damage"].tolist() == ["None", "dent"] * 20
    assert known(app).table.choices.missing == ("",)


@pytest.mark.long
def test_the_encoding_is_set(app):
    put(app, OLD_CITIES, "cities.csv")
    assert frame_of(app)["city"][0] != "Łódź"
    read_again(app, "Encoding", "cp1250")
    assert frame_of(app)["city"][0] == "Łódź"
    assert known(app).table.choices.encoding == "cp1250"


@pytest.mark.parametrize(
    ("label", "unusable", "told", "usable", "reading"),
    [
        ("Encoding", "klingon", "klingon", "", AS_IT_IS),
        ("Read as numbers", "a,villes", "villes", "a", Reading(numeric=("a",))),
        ("Row of names", 99, "no line 99", 1, AS_IT_IS),
    ],
)
@pytest.mark.long
def test_an_unusable_answer_is_told_and_another_can_be_tried(
    app, label, unusable, told, usable, reading
):
    put(app, CITIES, "cities.csv")
    # one that nobody asked for is as it is
    assert known(app).upload.reading == known(app).table.choices.reading == AS_IT_IS == Reading()
    read_again(app, label, unusable)
    assert told in app.error[0].value
    assert known(app).table is None
    read_again(app, label, usable)
    assert frame_of(app)["city"][0] == "Łódź"
    assert known(app).table.choices.reading == reading
    assert not app.error


@pytest.mark.long
def test_settings_say_how_a_file_is_read(app):
    put(app, OLD_CITIES, "cities.csv")
    settings = replace(known(app).draft, encoding="cp1250", confidence_level=0.7)
    give_settings(app, settings)
    assert frame_of(app)["city"][0] == "Łódź"
    assert known(app).draft == settings


@pytest.mark.long
def test_a_file_is_read_as_the_settings_that_wait_for_it_say(app, few, monkeypatch):
    known(app).wanted = SharedSettings(AuditSettings(target="y", encoding="cp1250"))
    put(app, OLD_CITIES, "cities.csv")
    assert frame_of(app)["city"][0] == "Łódź"
    assert known(app).settings_taken
    monkeypatch.setattr(session, "profile_columns", None)  # which holds up the page
    known(app).wanted = SharedSettings(AuditSettings(target="x1"))
    put(app, few, "few.csv")
    assert known(app).settings_taken
    assert [p.name for p in known(app).table.profiles if p.role == "label"] == ["x1"]


@pytest.fixture
def held(app, few, monkeypatch):
    """Have a file read until that is stopped; return what is set by then."""
    stopped = pages.hold_reading(monkeypatch)
    app.file_uploader[0].set_value(("held.csv", pages.content_of(few), "text/csv")).run()
    return stopped


@pytest.mark.long
def test_reading_is_shown_and_stopped(app, held):
    assert known(app).reading
    assert any(plain("held.csv") in said.value for said in app.info)
    go(app, pages.SETUP)
    assert [said.value for said in app.info] == [plain(page_texts.STILL_READING)]
    go(app, pages.DATA)
    press(app, "Stop reading")
    assert held.wait(pages.PATIENCE)
    assert [error.value for error in app.error] == [plain(page_texts.READING_CUT["asked"])]
    assert known(app).table is None
    assert not known(app).reading
    assert "Stop reading" not in labels(app.button)


@pytest.mark.long
def test_a_sample_chosen_meanwhile_ends_the_reading(app, held):
    app.button("sample-triage").click().run()
    assert held.wait(pages.PATIENCE)
    assert known(app).table.name == "sample triage"
    assert known(app).upload is None


def join(app, second, key="city"):
    content = second.to_csv(index=False).encode()
    called("Second file", app.file_uploader).set_value(("who.csv", content, "text/csv"))
    called("Key", app.selectbox).set_value(key).run()
    assert [w.value for w in app.warning] == [page_texts.NOT_JOINED.format(plain("who.csv"))]
    press_and_read(app, "Join")


@pytest.mark.long
def test_a_second_table_is_joined_and_left_again(app, few):
    homes = few.assign(city=np.resize(CITIES["city"], len(few)))
    put(app, homes)
    join(app, WHO)
    assert frame_of(app)["size"].tolist() == np.resize(["large", "small"], len(few)).tolist()
    roles = app.dataframe[0].value.set_index("column")["role"]
    assert (roles["size"], roles["city"]) == ("audit only", "left out")
    go(app, pages.SETUP)
    assert called("Audit only", app.multiselect).value == ["size"]
    settings = known(app).draft
    assert not app.warning
    assert (settings.join, settings.on, settings.audit_only) == ("who.csv", "city", ("size",))
    go(app, pages.DATA)
    read_again(app, "Words for missing values", "none")
    assert "size" in frame_of(app)
    press_and_read(app, "Do without it")
    assert [*frame_of(app)] == [*homes]
    assert known(app).draft.audit_only == ()


@pytest.mark.long
def test_settings_without_a_second_table_leave_no_column_of_it(app):
    put(app, CITIES)
    settings = replace(known(app).draft, confidence_level=0.7)
    join(app, WHO)
    give_settings(app, settings)
    assert [*frame_of(app)] == [*CITIES]
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
def test_a_key_that_is_none_is_told_and_can_be_left(app):
    put(app, CITIES)
    join(app, pd.concat([WHO, WHO.head(1).assign(size="tiny")]))
    assert "which 2 rows have; keep one row for each" in app.error[0].value
    assert known(app).table is None
    press_and_read(app, "Do without it")
    join(app, WHO, "a")
    assert plain("who.csv") in app.error[0].value
    assert known(app).table is None
    press_and_read(app, "Do without it")
    assert [*frame_of(app)] == [*CITIES]


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)


@pytest.fixture
def gpu_is(monkeypatch):
    """Put another download in the place of the real one."""

    def replace_it(download, **other):
        source = dataclasses.replace(real.SOURCES["gpu"], download=download, **other)
        monkeypatch.setitem(real.SOURCES, "gpu", source)

    return replace_it


def help_of(app):
    buttons = {button.key: button.help for button in app.button}
    return {name: buttons[f"sample-{name}"] for name in sample_names()}


def test_real_samples_are_offered_with_a_word_on_the_download(app, monkeypatch, tmp_path):
    offered = help_of(app)
    assert not any(offered[name] for name in ("houses", "kernels", "triage"))
    for name in real.SOURCES:
        assert "downloaded the first time" in offered[name]
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    (tmp_path / "gpu.parquet").touch()
    offered = help_of(app.run())
    assert not offered["gpu"]
    assert "downloaded the first time" in offered["covtype"]


def test_without_a_connection_the_sentence_is_shown_and_another_can_be_taken(app, gpu_is):
    def offline():
        raise URLError("no route")

    gpu_is(offline)
    app.button("sample-gpu").click().run()
    told = (
        "gpu could not be downloaded; try again with a connection to the internet, or set "
        "EVENCOVER_DATA to a folder that holds gpu.parquet"
    )
    assert [error.value for error in app.error] == [plain(told)]
    assert known(app).table is None
    app.button("sample-triage").click().run()
    assert not app.error
    assert known(app).table.name == "sample triage"


def test_a_downloaded_sample_is_taken_up(app, gpu_is):
    gpu_is(lambda: GPU, sha256=real.content_digest(GPU))
    app.button("sample-gpu").click().run()
    table = known(app).table
    assert table.frame.equals(GPU)
    assert table.choices.split == "20000,20000,20000"
    assert load_sample("gpu").target == "run_ms"
    assert (table.source, table.fingerprint) == ("sample:gpu", rows_fingerprint(GPU))


def test_a_link_to_published_data_fetches_nothing_before_a_click(gpu_is):
    fetched = []

    def download():
        fetched.append("gpu")
        return GPU

    gpu_is(download, sha256=real.content_digest(GPU))
    settings = AuditSettings(target="run_ms", confidence_level=0.7)
    app = pages.open_app(settings=pack(settings, "sample:gpu"))
    assert not fetched
    assert known(app).table is None
    press(app, "Fetch Gpu")
    assert fetched == ["gpu"]
    assert known(app).draft == settings
    assert not app.exception
    # one that is made up here is brought at once
    settings = AuditSettings(target=load_sample("triage").target, confidence_level=0.7)
    assert known(pages.open_app(settings=pack(settings, "sample:triage"))).draft == settings
