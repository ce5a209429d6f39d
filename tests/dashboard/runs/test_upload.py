"""An uploaded file is read in a process of its own, which can be stopped and may be lost."""

import time

import numpy as np
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.events import StageStarted, ignore, never
from evencover.core.preparation.roles import profile_columns
from evencover.core.tables.formats import Bounds
from evencover.core.tables.reading import BOUNDS
from evencover.core.tables.table import bytes_fingerprint
from evencover.core.tables.text_values import Reading
from evencover.dashboard.runs import upload as uploads
from evencover.dashboard.runs.job import NOT_BEGUN, STOPPED
from evencover.dashboard.runs.server_settings import ServerSettings
from evencover.dashboard.runs.upload import Upload, begin_upload, read_upload

PATIENCE = 60.0


def sleeping(*_, on_event, **__):
    on_event(StageStarted("read"))
    time.sleep(PATIENCE)


@pytest.fixture(autouse=True)
def _new_readers():
    uploads._readers.cache_clear()


def begun(content=b"", name="t.csv", max_runs=2):
    return begin_upload(
        uploads.read_upload, Upload(name, content), ServerSettings(max_runs=max_runs)
    )


def read(*upload, bounds=BOUNDS, label="", on_event=ignore):
    return read_upload(Upload(*upload), bounds, label, on_event=on_event, should_stop=never)


def stage_of(job, stage):
    deadline = time.monotonic() + PATIENCE
    while job.snapshot().stage != stage:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_is_read_is_the_table_and_what_there_is_to_know_of_it(few, csv_texts):
    told = []
    content = csv_texts["few.csv"].encode()
    table = read("few.csv", content, on_event=told.append)
    assert told == [StageStarted("read"), StageStarted("profile")]
    assert table.frame.equals(few)
    assert table.choices == AuditSettings(target="y")
    assert table.profiles == profile_columns(few, table.choices)
    assert table.fingerprint == bytes_fingerprint(content)
    assert table.source == "few.csv"
    assert read("sample:houses", content).source == "./sample:houses"


@pytest.mark.parametrize(("named", "label"), [("x1", "x1"), ("absent", "y"), ("", "y")])
def test_columns_are_looked_at_for_the_label_that_is_named_if_it_is_there(few, named, label):
    content = few.to_csv(index=False).encode()
    table = read("few.csv", content, label=named)
    assert table.choices == AuditSettings(target=label)
    assert table.profiles == profile_columns(few, table.choices)


def test_columns_of_a_second_file_are_audit_only(few):
    """Words for missing values are those of both files, and the label is of the first."""
    first = few.assign(id=[f"k{row}" for row in range(len(few))])[["id", *few.columns]]
    who = first[["id"]].assign(sex=np.resize(["f", "m", "?!"], len(few)), label=1).iloc[::-1]
    files = [frame.to_csv(index=False).encode() for frame in (first, who)]
    second = (Upload("who.csv", files[1]), "id")
    reading = Reading(missing=("?!",))
    table = read("few.csv", files[0], reading, *second)
    assert [*table.frame] == [*first, "sex", "label"]
    assert table.frame["sex"].fillna("-").tolist() == np.resize([*"fm-"], len(few)).tolist()
    assert table.choices == AuditSettings(
        target="y", missing=("?!",), join="who.csv", on="id", audit_only=("sex", "label")
    )
    with pytest.raises(InputError, match="more than the 7 that are read"):
        read("few.csv", files[0], reading, *second, bounds=Bounds(columns=7))


@pytest.mark.long
def test_a_process_reads_what_is_read_here(csv_texts):
    content = csv_texts["table.csv"].encode()
    here = read("t.csv", content)
    ended = begun(content).wait(PATIENCE)
    assert (ended.stage, ended.error) == ("profile", None)
    assert ended.result.frame.equals(here.frame)
    assert ended.result.profiles == here.profiles
    assert ended.result.fingerprint == here.fingerprint


@pytest.mark.long
def test_an_unusable_file_is_told_in_its_own_sentence(photo):
    ended = begun(photo, "photo.png").wait(PATIENCE)
    assert "photo.png" in ended.error


@pytest.mark.long
def test_reading_that_hangs_is_stopped_at_once(monkeypatch):
    monkeypatch.setattr(uploads, "read_upload", sleeping)
    job = begun()
    stage_of(job, "read")
    job.stop()
    ended = job.wait(10.0)
    assert (ended.error, ended.cut_short) == (STOPPED, "asked")


@pytest.mark.long
def test_the_next_file_waits_for_its_turn_and_can_be_stopped_then(monkeypatch):
    monkeypatch.setattr(uploads, "read_upload", sleeping)
    first, second, third = (begun(max_runs=1) for _ in range(3))
    stage_of(first, "read")
    third.stop()
    assert third.wait(10.0).error == NOT_BEGUN["asked"]
    assert second.snapshot().stage is None
    first.stop()
    stage_of(second, "read")
    second.stop()
    assert second.wait(10.0).error == STOPPED
