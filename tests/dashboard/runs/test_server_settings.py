"""What the environment may say about runs, and what it may not."""

import pytest

from evencover.core import InputError
from evencover.core.messages import visible
from evencover.core.tables.formats import Bounds
from evencover.dashboard.commands.main import main
from evencover.dashboard.runs.server_settings import ServerSettings, server_settings


def test_every_setting_has_a_default_and_can_be_given():
    assert server_settings({}) == ServerSettings(max_runs=2, max_minutes=30.0, worker="thread")
    environment = {
        "EVENCOVER_MAX_RUNS": "5",
        "EVENCOVER_MAX_MINUTES": "0.5",
        "EVENCOVER_WORKER": "process",
        "EVENCOVER_MAX_MIB": "10",
        "EVENCOVER_MAX_COLUMNS": "20",
        "EVENCOVER_MAX_CELLS": "300",
        "EVENCOVER_MAX_TEXT": "400",
        "EVENCOVER_MAX_RUN_MIB": "500",
        "EVENCOVER_DASK": "tcp://host:8786",
    }
    bounds = Bounds(mib=10, columns=20, cells=300, text=400)
    assert server_settings(environment) == ServerSettings(
        5, 0.5, "process", bounds, 10, 500, "tcp://host:8786"
    )


@pytest.mark.parametrize(("mib", "megabytes"), [(1, 2), (10, 11), (200, 210), (15625, 16384)])
def test_an_upload_of_exactly_the_bound_is_within_what_browsers_and_the_server_hold_to(
    mib, megabytes
):
    """Streamlit's pages take its megabyte for 1,000,000 bytes, its server for 1,048,576."""
    assert ServerSettings(upload_mib=mib).upload_megabytes == megabytes
    assert megabytes * 10**6 >= mib * 2**20 > (megabytes - 1) * 10**6


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("EVENCOVER_MAX_RUNS", value)
            for value in ("0", "-1", "two", "", "²", "2\n", "9" * 5000)
        ),
        *(("EVENCOVER_MAX_MINUTES", value) for value in ("0", "nan", "soon")),
        ("EVENCOVER_WORKER", "fiber"),
        ("EVENCOVER_MAX_MIB", "1.5"),
        ("EVENCOVER_MAX_RUN_MIB", "0"),
        ("EVENCOVER_MAX_RUN_MIB", "500"),  # of a thread
    ],
)
def test_an_unusable_value_is_refused_by_name(name, value):
    with pytest.raises(InputError, match=f"{name} is '{visible(value[:60])}"):
        server_settings({name: value})


def test_the_command_line_holds_to_the_environment(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("EVENCOVER_MAX_RUNS", "many")
    assert main(["dashboard", "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert said == "evencover: EVENCOVER_MAX_RUNS is 'many'; give a whole number of 1 or more\n"
    table = tmp_path / "wide.csv"
    table.write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    monkeypatch.delenv("EVENCOVER_MAX_RUNS")
    monkeypatch.setenv("EVENCOVER_MAX_COLUMNS", "2")
    assert main(["audit", str(table), "--target", "a", "--preview"]) == 2
    assert "has 3 columns, more than the 2 that are read" in capsys.readouterr().err
