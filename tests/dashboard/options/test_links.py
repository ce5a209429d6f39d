"""Settings in links and files: what is packed comes back, and nothing else does."""

import base64
import json
import shlex
import zlib
from urllib.parse import parse_qs, urlsplit

import pages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import called, go, known, labels, press

from evencover.core import AuditSettings, InputError, audit, to_json
from evencover.core.preparation.roles import assign_roles
from evencover.core.tables.table import Table
from evencover.dashboard.commands.main import main
from evencover.dashboard.options import (
    SharedSettings,
    link,
    pack,
    read_text,
    repeat_command,
    settings_text,
    unpack,
)
from evencover.dashboard.wording import formatting, page_texts

ODD = AuditSettings(
    target='the "label" | $y$ & <b>',
    confidence_level=0.8,
    penalty=0.1,
    features=("a", "ü=1"),
    drop=("x,y",),
    cuts=(("a", (1e-300, 0.1)),),
    reference=(("a", ">= 0.1"),),
    pairs=(("a", "b"),),
    seed=7,
)
BROKEN = "The link's settings cannot be read"


def packed(content):
    return base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("=")


@given(
    target=st.text(min_size=1),
    level=st.floats(0.01, 0.99),
    drop=st.lists(st.text(), max_size=3),
    source=st.text(),
)
def test_what_is_packed_comes_back(target, level, drop, source):
    assert unpack(pack(ODD, source)) == SharedSettings(ODD, source)
    assert read_text(settings_text(ODD, source).encode(), "s.json").settings == ODD
    settings = AuditSettings(target=target, confidence_level=level, drop=tuple(drop))
    assert unpack(pack(settings, source)) == SharedSettings(settings, source)


def test_a_link_leads_to_the_first_page_needs_no_escapes_and_a_result_is_read_as_one(result):
    made = link("https://host:81/tools/export?run=secret", ODD, "my.csv")
    scheme, host, path, query, _ = urlsplit(made)
    assert (scheme, host, path) == ("https", "host:81", "/tools/")
    (text,) = parse_qs(query, strict_parsing=True)["settings"]
    assert query == f"settings={text}"
    assert unpack(text).settings == ODD
    assert "secret" not in made
    assert unpack(pack(ODD, "sample:gpu")).sample == "gpu"
    assert unpack(pack(ODD, "gpu")).sample is None
    shared = read_text(json.dumps(to_json(result)).encode(), "r.json")
    assert shared.settings.target == "y"
    assert shared.settings.penalty == 0.0
    assert shared.source == result.settings["table"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *((text, BROKEN) for text in ("", "nonsense!", "é", "a", "b" * 200_001)),
        (pack(ODD, "my.csv")[:-6], BROKEN),
        (packed(b"{}" + b" " * 2_000_000), BROKEN),  # small itself, large unpacked
        (packed(b"{}") + "AAAA", BROKEN),
        (packed(b"[1]"), "the link's settings.*holds no settings"),
        (packed(b"\xff"), "the link's settings.*holds no settings"),
        (packed(b'{"target": "y", "cl": 2}'), "the link's settings.*2"),
        (packed(b'{"target": "y", "danger": 1}'), "the link's settings.*'danger'"),
    ],
    ids=lambda text: text[-20:],
)
def test_a_broken_link_gets_one_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        unpack(text)


@pytest.mark.long
def test_a_link_restores_a_sample_and_its_settings():
    settings = AuditSettings(target="urgency", audit_only=("contact",), seed=3, penalty=2.0)
    app = pages.open_app(settings=pack(settings, "sample:triage"))
    assert known(app).table.source == "sample:triage"
    assert [said.value for said in app.success] == [page_texts.SETTINGS_TAKEN]
    go(app, pages.SETUP)
    assert known(app).draft == settings
    assert called("Seed", app.number_input).value == 3
    assert called("Audit only", app.multiselect).value == ["contact"]


@pytest.mark.long
def test_a_link_waits_for_its_own_table(few, classes):
    settings = AuditSettings(target="x0", time="x2", drop=("x1",), bins=3)
    app = pages.open_app(settings=pack(settings, "*mine*.csv"))
    waiting = page_texts.SETTINGS_WAIT.format("a table called *mine*.csv")
    assert [info.value for info in app.info] == [formatting.plain(waiting)]
    pages.give(app, classes, "other.csv")
    go(app, pages.DATA)
    told = "the settings name a column 'x0', which 'other.csv' does not have; "
    (error,) = app.error
    assert error.value.startswith(formatting.plain(told))
    assert known(app).table.choices == AuditSettings(target="kind")
    pages.give(app, few, "again.csv")
    assert known(app).draft == settings
    assert not app.error
    assert not go(app, pages.DATA).info


@pytest.mark.long
def test_settings_that_wait_can_be_forgotten(few):
    app = pages.open_app(settings=pack(AuditSettings(target="nowhere"), "t.csv"))
    press(app, "Forget these settings")
    assert "Forget these settings" not in labels(app.button)
    pages.give(app, few)
    assert known(app).draft == AuditSettings(target="y")


@pytest.mark.long
def test_a_settings_file_is_put_to_the_table_in_use(few):
    app = pages.open_app()
    pages.give(app, few)
    pages.press_run(app)
    job = known(app).run.job
    go(app, pages.DATA)
    settings = AuditSettings(target="x0", confidence_level=0.7, cohorts=(("low", "x1 < 0"),))
    content = settings_text(settings, "table.csv").encode()
    called("Settings file", app.file_uploader).set_value(("s.json", content, "application/json"))
    app.run()
    go(app, pages.SETUP)
    assert known(app).draft == settings
    assert known(app).run is None
    job.stop()
    go(app, pages.DATA)
    assert [said.value for said in app.success] == [page_texts.SETTINGS_TAKEN]
    called("Settings file", app.file_uploader).set_value(("s.json", b"{}", "application/json"))
    app.run()
    (error,) = app.error
    assert error.value.startswith(formatting.plain("'s.json': the settings do not name the label"))
    assert not app.success
    assert known(app).draft == settings
    assert not app.exception


def test_a_file_called_like_a_sample_is_no_sample(few, tmp_path, monkeypatch):
    app = pages.open_app()
    pages.give(app, few.head(60), "sample:houses.csv")
    source = known(app).table.source
    shared = unpack(pack(known(app).draft, source))
    assert shared.sample is None
    monkeypatch.chdir(tmp_path)
    few.head(60).to_csv("sample:houses.csv", index=False)
    command = shlex.split(repeat_command(shared.settings, source))
    assert main([*command[1:], "--preview"]) == 0
    opened = pages.open_app(settings=pack(shared.settings, source))
    assert known(opened).table is None
    assert not opened.error
    (waiting,) = opened.info
    assert formatting.plain(source) in waiting.value


@pytest.mark.parametrize(
    "chosen",
    [
        {"features": ("x2",), "drop": ("x4",), "audit_only": ("x1",), "group": "owner"},
        {"features": ("place", "row_id"), "categorical": ("row_id", "place")},
        {"drop": ("x2",)},
    ],
)
def test_a_link_selects_the_features_that_the_command_line_does(few, chosen):
    settings = AuditSettings(target="y", **chosen)
    app = pages.open_app(settings=pack(settings, "t.csv"))
    parts = [("train", "test", "calibration")[row % 3] for row in range(len(few))]
    owners = [f"owner {row % 20}" for row in range(len(few))]
    frame = few.assign(row_id=[f"n{row}" for row in range(len(few))], part=parts, owner=owners)
    pages.give(app, frame, "t.csv")
    draft = known(app).draft
    assert draft.features == settings.features
    assert {*draft.drop} == {*settings.drop}
    assert assign_roles(Table.of(frame), draft) == assign_roles(Table.of(frame), settings)
    named = settings.features
    if named is not None:
        kept = {"y", *named, *settings.audit_only, settings.group, settings.split_column}
        assert {*called("Left out", app.multiselect).value} == {*frame.columns} - kept


@pytest.mark.long
def test_named_features_are_those_of_the_run_and_of_the_run_found_again(few):
    settings = AuditSettings(target="y", features=("x3", "x1"))
    app = pages.open_app(settings=pack(settings, "t.csv"))
    pages.give(app, few, "t.csv")
    pages.press_run(app)
    run = known(app).run
    found = run.job.wait(pages.PATIENCE).result
    assert run.settings == settings
    assert found.data.features == audit(few, settings).data.features == ["x3", "x1"]
    again = go(pages.open_app(run=run.token), pages.SETUP)
    assert known(again).draft == settings
    called("Left out", again.multiselect).set_value(["place", "x2"]).run()
    assert known(again).draft.features == ("x3", "x1", "x0", "x4")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense", BROKEN),
        (pack(ODD, "sample:nothing"), "nothing"),
        (packed(json.dumps({"target": "y", "seed": 10**400}).encode()), "seed is 1000"),
        (packed(json.dumps({"target": "y", "drop": ["\ud800"]}).encode()), "cannot be written"),
        (packed(json.dumps({"table": "z" * 100_000, "target": "nowhere"}).encode()), "zzz …"),
    ],
    ids=["broken", "no sample", "number", "half a character", "long"],
)
def test_what_a_link_cannot_bring_is_told_on_a_page_that_stays_whole(text, told):
    app = pages.open_app(settings=text)
    (said,) = app.error or app.info
    assert told in said.value
    assert 20 < len(said.value) < 500
    assert not app.exception


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"features": ("x1", "y")}, "column 'y' is given as the label and as a feature; "),
        ({"features": ("x9",)}, "the settings name a column 'x9', which 't.csv' does not have; "),
        ({"features": ()}, "no usable feature is left"),
        ({"seed": 2**53 - 1, "permutations": 2**53 - 1}, None),
    ],
)
def test_settings_are_put_to_the_table_that_comes(few, chosen, told):
    settings = AuditSettings(target="y", **chosen)
    app = pages.open_app(settings=pack(settings, "t.csv"))
    pages.give(app, few.head(60), "t.csv")
    assert not app.exception
    if told is None:
        assert known(app).draft == settings
        return
    if "features" in chosen and not chosen["features"]:
        assert known(app).draft is None
        assert {*called("Left out", app.multiselect).value} == {*few.columns} - {"y"}
    else:
        go(app, pages.DATA)
    (error,) = app.error
    assert formatting.plain(told) in error.value
