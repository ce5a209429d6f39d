"""The command line: what it writes where, and what it says when something cannot be used."""

import dataclasses
import functools
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from unittest.mock import Mock
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from reading import Reading
from remembering import audit_once
from same import without_times

from evencover.core import AuditSettings, audit, to_json
from evencover.core.tables.table import file_fingerprint
from evencover.dashboard import commands
from evencover.dashboard.commands import audit as audit_command
from evencover.dashboard.commands import dashboard as launch
from evencover.dashboard.commands import main as cli
from evencover.dashboard.commands import serve, table_and_settings
from evencover.dashboard.export.files import to_rows_csv
from evencover.dashboard.export.writing import write_together
from evencover.dashboard.wording.tables import cell_text
from evencover.sample_data import Sample, real

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
NUMBER = (int, float)
PERHAPS = (int, float, type(None))
CONTRACT = {
    "results": {
        str: "segment algorithm",
        NUMBER: "accuracy inefficiency inefficiency_original_units dcv",
        PERHAPS: "dcv_floor",
        int: "parameters",
    },
    "iterations": {
        NUMBER: "gamma delta dcv inefficiency objective seconds",
        int: "iteration evaluations",
    },
    "coefficients": {str: "feature segment algorithm", NUMBER: "coefficient standard_error"},
    "segments": {
        str: "variable value kind",
        int: "n",
        bool: "is_band",
        NUMBER: "accuracy_base accuracy_adjusted low_base high_base low_adjusted high_adjusted",
        PERHAPS: "share_infinite_base share_full_adjusted share_empty_adjusted",
    },
    "gaps": {
        str: "variable reference gap_segment_base lowest_segment_adjusted",
        int: "reference_n groups left_out",
        NUMBER: "gap_base gap_low_base gap_high_base gap_adjusted gap_low_adjusted "
        "gap_high_adjusted coverage_gap_base coverage_gap_unweighted_adjusted lowest_base",
    },
    "size_strata": {str: "algorithm size", int: "n", NUMBER: "accuracy low high"},
    "worst_segments": {
        str: "rule",
        list: "variables",
        int: "n",
        NUMBER: "accuracy_base accuracy_adjusted low_base high_base q_value_base",
    },
}
DEFAULTS = {
    **dict.fromkeys(("prediction", "sigma", "lower", "upper", "set")),
    **dict.fromkeys(("features", "join", "on", "encoding", "sheet", "missing")),
    **dict.fromkeys(("split_column", "group", "time", "horizon", "weight")),
    **{name: [] for name in ("quantiles", "probabilities", "categorical", "numeric", "pairs")},
    **{name: {} for name in ("cuts", "reference", "cohorts", "looks", "missing_in")},
    "set_columns": [],
    "header": 1,
    "task": "regression",
    "remedy": ["ifacm", "auto"],
    "penalty": "linear",
    "search": "restarted",
    "estimator": "logistic",
    "ifacm_estimator": "logistic",
    "permutations": 0,
    "stratify": False,
    "not_protected": [],
    "use_protected": False,
    "repeats": 1,
    "sample": 100_000,
    "bins": 4,
}
"""Settings in the JSON of a run of a label of numbers, where nothing was said of them."""


@pytest.fixture
def folder(tmp_path, monkeypatch, csv_texts):
    """The current folder, with the tables in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(audit_command, "audit", audit_once)
    for name, text in csv_texts.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture
def run(folder, capsys):  # noqa: ARG001 - the tables lie there
    """Run the command; return status, standard output and standard error."""

    def command(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return command


@pytest.fixture
def refuse(run, folder):
    """The one line that the command says of an input it cannot use, having written nothing."""

    def command(*arguments):
        before = contents(folder)
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert contents(folder) == before
        assert err.startswith("evencover: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err

    return command


def contents(folder):
    return {
        path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))
    }


@pytest.mark.long
def test_ready_made_intervals_are_audited_as_they_are(run, refuse, folder):
    table = pd.read_csv(folder / "few.csv")
    held = np.arange(len(table)) % 10 > 0
    table = table.assign(low=table["y"] - 1.0, high=table["y"] + np.where(held, 1.0, -0.5))
    table.to_csv("scored.csv", index=False)
    ends = ("audit", "scored.csv", "--target", "y", "--lower", "low", "--upper", "high")
    status, out, _ = run(*ends, "--json", "-")
    told = json.loads(out)
    assert (status, told["results"][0]["accuracy"]) == (0, held.mean())
    Path("again.json").write_text(out)
    _, out, _ = run("audit", "scored.csv", "--settings", "again.json", "--json", "-")
    assert json.loads(out)["results"] == told["results"]
    assert "given" in run(*ends)[1]
    assert "'lower end' is given without 'upper end'" in refuse(*ends[:-2])
    table.assign(low=table["high"] + 1.0).to_csv("scored.csv", index=False)
    assert "'low' is above 'high'" in refuse(*ends)


@pytest.mark.long
def test_json_is_the_result_of_the_core(json_of, result, csv_texts):
    told = without_times(json_of("--c 0 --remedy ifacm"))
    expected = without_times(json.loads(json.dumps(to_json(result))))
    assert told.pop("settings") == expected.pop("settings") | {"table": "table.csv"}
    digest = hashlib.sha256(csv_texts["table.csv"].encode()).hexdigest()
    assert told["data"] == expected.pop("data") | {"fingerprint": f"sha256:{digest}"}
    del told["data"]
    assert told == expected


@pytest.mark.long
def test_json_to_standard_output_is_all_there_is_on_it_and_progress_goes_to_standard_error(run):
    status, out, err = run("audit", "few.csv", "--target", "y", "--json", "-")
    assert (status, json.loads(out)["settings"]["target"]) == (0, "y")
    assert err.strip().startswith("base model: 0 evaluations")
    assert "training DCV" in err
    assert "wrote" not in err


def test_files_that_were_written_are_told_of(run, folder, few):
    (folder / "result.json").write_text("old")
    outputs = ("--json", "result.json", "--rows", "rows.csv", "--csv", "tables")
    status, out, err = run("audit", "few.csv", "--target", "y", *outputs)
    assert (status, out) == (0, "")
    lines = [line for line in err.splitlines() if line.startswith("evencover: ")]
    names = (
        *("results", "iterations", "coefficients", "segments"),
        *("gaps", "size_strata", "worst_segments", "audit_only", "periods"),
    )
    assert lines == [
        "evencover: wrote result.json",
        "evencover: wrote rows.csv",
        *(f"evencover: wrote {Path('tables') / name}.csv" for name in names),
    ]
    assert {path.stem for path in Path("tables").iterdir()} == set(names)
    result = audit_once(few, AuditSettings(target="y"))
    assert Path("rows.csv").read_text() == to_rows_csv(result)
    told = json.loads(Path("result.json").read_text())
    assert told["data"]["rows"] == 300
    for name in ("results", "segments"):
        read = pd.read_csv(Path("tables") / f"{name}.csv")
        accuracy = "accuracy" if name == "results" else "accuracy_adjusted"
        assert read[accuracy].tolist() == [row[accuracy] for row in told[name]]
    assert run("audit", "few.csv", "--target", "y", *outputs, "--quiet") == (0, "", "")


def test_without_outputs_a_summary_is_printed(run, result):
    status, out, _ = run("audit", "table.csv", "--target", "y", "--c", 0, "--remedy", "ifacm")
    assert status == 0
    assert out.startswith(
        "Confidence level 0.9, C 0.0 (linear penalty), restarted search: "
        f"{len(result.iterations)} IFACM layers\n"
    )
    for paragraph in result.headline:
        assert paragraph in out
    lines = out.splitlines()
    side_by_side = ["dcv", "dcv_floor", "dcv_floor_unadjusted", "p_value"]
    (top,) = [i for i, line in enumerate(lines) if line.split()[:1] == ["segment"]]
    assert lines[top].split()[5:9] == side_by_side
    after_on_test = result.row("test", "ifacm")
    *sizes, p_value = (getattr(after_on_test, name) for name in side_by_side)
    shown = " ".join(lines[top + 4].split())
    assert shown.startswith(f"test ifacm {100 * after_on_test.accuracy:.1f} % ")
    assert " ".join([*(f"{size:.4f}" for size in sizes), cell_text(p_value, "q")]) in shown
    low = [row for name in result.names for row in result.too_low(name)]
    (header,) = [i for i, line in enumerate(lines) if line.split()[:2] == ["group", "status_base"]]
    for row, line in zip(low, lines[header + 1 :], strict=False):
        assert row.status in line.split() or row.predictor == "base"
        assert f"{row.variable} = {row.value}" in line or row.is_band


def test_by_itself_ifacm_and_auto_stand_beside_the_base(run, few):
    result = audit_once(few, AuditSettings(target="y"))
    told = json.loads(run("audit", "few.csv", "--target", "y", "--json", "-")[1])
    assert told["settings"]["remedy"] == ["ifacm", "auto"]
    assert [each["name"] for each in told["predictors"]] == ["base", "ifacm", "auto"]
    lines = [line.split() for line in run("audit", "few.csv", "--target", "y")[1].splitlines()]
    shown = {line[1]: line[2] for line in lines if line[:1] == ["test"] and len(line) > 5}
    accuracy = {name: result.row("test", name).accuracy for name in result.names}
    assert shown == {name: f"{100.0 * share:.1f}" for name, share in accuracy.items()}


@pytest.mark.long
def test_a_report_is_written_to_a_file_beside_json_or_to_standard_output(run, folder):
    outputs = ("--html", "report.html", "--html-examples", 2, "--json", "-", "--quiet")
    status, out, err = run("audit", "few.csv", "--target", "y", *outputs)
    assert (status, err) == (0, "")
    report = Reading((folder / "report.html").read_text(encoding="utf-8"))
    told = json.loads(out)
    shown = [row["accuracy"] for row in report.rows("overview")]
    assert shown == [f"{100.0 * row['accuracy']:.1f} %" for row in told["results"]]
    assert len(report.rows("examples")) == 2
    assert report.texts["command"] == "evencover audit few.csv --target=y"
    status, out, _ = run("audit", "few.csv", "--target", "y", "--html", "-")
    assert (status, out[:15]) == (0, "<!DOCTYPE html>")
    assert "examples" not in Reading(out).tables


@pytest.fixture
def json_of(run):
    """What the command writes of ``table.csv`` as JSON, by the options."""
    arguments = ["audit", "table.csv", "--target", "y", "--json", "-", "--quiet"]
    return lambda options: json.loads(run(*arguments, *options.split())[1])


@pytest.mark.long
def test_names_and_values_in_several_lines_are_told_in_one(run, folder, classes):
    odd = classes.rename(columns={"a": "a\nA"}).assign(b=[*map(str, range(599)), "n/k\nor so"])
    odd.to_csv(folder / "lines.csv", index=False)
    _, out, _ = run("audit", "lines.csv", "--target", "kind", "--preview")
    assert [line.split()[0] for line in out.splitlines()] == ["column", "a", "b", "c", "kind"]
    _, out, _ = run("audit", "lines.csv", "--target", "kind", "--drop", '"a\nA"', "--quiet")
    assert "Left out: a A left out as asked." in out.splitlines()


@pytest.mark.parametrize(
    "more",
    [
        *(["--preview"], ["--quiet", "--remedy=none"], ["--c=\x9b"]),
        ["--drop", "##[group]b", "--remedy=none"],
    ],
)
def test_nothing_steers_the_terminal_or_the_log_of_a_pipeline(run, folder, classes, more):
    odd = classes.rename(columns={"a": "::error::a", "b": "##[group]b"})
    odd["c"] = np.where(odd["c"] == odd["c"].mode()[0], "\x9b31m\u202e", "\u2028\u2067::stop::")
    odd.to_csv(folder / "odd.csv", index=False)
    _, out, err = run("audit", "odd.csv", "--target", "kind", *more)
    assert out or "x9b" in err
    told = re.sub("[^\n]*\r", "\n", out + err)  # the progress bar
    assert not re.search(r"(?m)^\s*::|##\w*\[|[\x80-\x9f\u2028-\u202e\u2066-\u2069]", told)


@pytest.mark.long
def test_settings_from_a_file_are_those_of_the_audit(run, folder):
    chosen = {"target": "y", "c": 2, "search": "paper", "seed": 3, "audit_only": ["place"]}
    (folder / "settings.json").write_text(json.dumps(chosen | {"cohorts": {"low": "x0 < 0"}}))
    arguments = ["audit", "few.csv", "--settings", "settings.json", "--quiet"]
    _, out, _ = run(*arguments, "--seed", "4", "--json", "-")
    told = json.loads(out)["settings"]
    assert {name: told[name] for name in chosen} == chosen | {"seed": 4}
    assert told["cohorts"] == {"low": "x0 < 0"}
    (folder / "result.json").write_text(out)
    _, again, _ = run("audit", "few.csv", "--settings", "result.json", "--quiet", "--json", "-")
    assert json.loads(again)["settings"] == told


def test_a_preview_tells_what_becomes_of_each_column_and_runs_nothing(run, folder, csv_texts):
    header, first, *rows = csv_texts["table.csv"].splitlines()
    odd = [header, "n/k" + first[first.index(",") :], *rows]
    (folder / "odd.csv").write_text("\n".join(odd), encoding="utf-8")
    audit_ = ("audit", "odd.csv", "--target", "y", "--preview", "--drop", "x2")
    status, out, _ = run(*audit_, "--numeric", "x0", "--audit-only", "place")
    likeliest = [word for word in audit_ if word not in ("--target", "y")]
    assert run(*likeliest, "--numeric", "x0", "--audit-only", "place")[1] == out
    told = {line.split()[0]: line for line in out.partition("\n\n")[0].splitlines()}
    note = "Values of 'x0' that are no numbers, taken as missing: 1, the first of them 'n/k' in"
    assert (status, note in out) == (0, True)
    assert list(told) == ["column", *header.split(",")]
    assert told["x0"].endswith("the number; the mean where missing, and an indicator of that")
    assert told["x1"].split()[1:3] == ["feature", "number"]
    assert told["x2"].endswith("left out as asked")
    assert told["place"].split()[1:4] == ["audit", "only", "category"]
    assert told["y"].split()[1:3] == ["label", "number"]
    _, out, _ = run(*audit_)
    assert note not in out
    told = {line.split()[0]: line for line in out.partition("\n\n")[0].splitlines()}
    assert told["x0"].endswith(
        "is nearly all numbers but holds 'n/k' in row 1; mend that value, or have the column "
        "read as numbers"
    )


def test_every_section_and_field_of_the_contract_is_there(json_of):
    told = json_of("--c 0 --remedy ifacm")
    assert {"settings", "data", "seconds", "notes"} <= set(told)
    assert all(type(note) is str for note in told["notes"])
    for section, contract in CONTRACT.items():
        assert told[section]
        for row in told[section]:
            for kind, fields in contract.items():
                assert all(isinstance(row[field], kind) for field in fields.split()), fields


@pytest.mark.long
def test_settings_are_those_used_and_seconds_are_told_by_stage(json_of):
    told = json_of(
        "--cl 0.8 --c 0.25 --measure standard --drop x1 --audit-only place "
        "--split 1500,500,750 --seed 7"
    )
    settings, seconds = told["settings"], told["seconds"]
    assert settings.pop("version").count(".") == 2
    assert settings == DEFAULTS | {
        "table": "table.csv",
        "target": "y",
        "cl": 0.8,
        "c": 0.25,
        "model": "linear",
        "measure": "standard",
        "never_empty": False,
        "below": None,
        "cap_width": None,
        "drop": ["x1"],
        "audit_only": ["place"],
        "log_target": False,
        "split": "1500,500,750",
        "seed": 7,
    }
    total = seconds.pop("total")
    assert set(seconds) == {"read", "base_model", "ifacm", "auto", "audit"}
    assert total == pytest.approx(sum(seconds.values()))


@pytest.mark.long
def test_a_repetition_is_identical_apart_from_the_clock(run, monkeypatch):
    monkeypatch.setattr(audit_command, "audit", audit)
    arguments = ("audit", "few.csv", "--target", "y", "--c", 0, "--json", "-", "--quiet")
    once, again = (json.loads(run(*arguments)[1]) for _ in range(2))
    assert once["iterations"]
    assert without_times(once) == without_times(again)


def test_other_estimators_are_named_and_what_they_lack_is_no_column(run):
    chosen = ["--search=paper", "--estimator=knn", "--ifacm-estimator=trees", "--remedy=ifacm"]
    chosen += ["--permutations=3"]
    arguments = ("audit", "few.csv", "--target", "y", "--features", "x0,x1", "--quiet", *chosen)
    _, summary, _ = run(*arguments)
    assert "Correctness estimated by knn, within IFACM by trees\n" in summary
    heading = next(line.split() for line in summary.splitlines() if "algorithm" in line)
    assert {"dcv_crossfitted", "p_value_permuted"} <= {*heading}
    assert "dcv_floor" not in heading


@pytest.fixture
def sale(few, monkeypatch):
    """A sample that brings every option there is to bring, put in the place of all others."""
    frame = few[["x0", "x1", "place", "y"]].assign(
        y=few["y"].abs() + 1.0,
        owner=[f"owner {row // 3}" for row in range(len(few))],
        day=np.arange(len(few)) // 10,
    )
    sample = Sample(
        description="Made up.",
        frame=frame,
        target="y",
        task="regression",
        log_target=True,
        drop=("owner", "day"),
        audit_only=("place",),
        confidence_level=0.8,
        penalty=0.25,
        split="150,50,75",
    )
    monkeypatch.setattr(table_and_settings, "load_sample", {"sale": sample}.__getitem__)
    return sample


@pytest.fixture
def settings_of(run, sale, monkeypatch):  # noqa: ARG001 - the sample is there
    """The settings that an audit says it used, which is stopped as soon as it can be."""
    monkeypatch.setattr(audit_command, "audit", functools.partial(audit, should_stop=lambda: True))

    def command(*options):
        status, out, err = run("audit", "sample:sale", *options, "--json", "-", "--quiet")
        assert (status, err) == (0, "")
        settings = json.loads(out)["settings"]
        del settings["version"]
        return settings

    return command


SALE = DEFAULTS | {
    "table": "sample:sale",
    "target": "y",
    "cl": 0.8,
    "c": 0.25,
    "model": "linear",
    "measure": "normalized",
    "never_empty": False,
    "below": None,
    "cap_width": None,
    "drop": ["owner", "day"],
    "audit_only": ["place"],
    "log_target": True,
    "split": "150,50,75",
    "seed": 0,
}


GIVEN_FOR_A_SAMPLE = {
    "target": (("--target", "y"), {}),
    "log off": (("--no-log-target",), {"log_target": False}),
    "log on": (("--log-target",), {}),
    "cl": (("--cl", "0.9"), {"cl": 0.9}),
    "c 0": (("--c", "0"), {"c": 0.0}),
    "split": (("--split", "0.4,0.3,0.3"), {"split": "0.4,0.3,0.3"}),
    "drop": (("--drop", "x1,owner"), {"drop": ["x1", "owner"]}),
    "nothing dropped": (("--drop", ""), {"drop": []}),
    "nothing audit-only": (("--audit-only", ""), {"audit_only": []}),
    "seed": (("--seed", "7"), {"seed": 7}),
    "by group": (("--group", "owner"), {"group": "owner", "drop": ["day"]}),
    "by time": (("--time", "day"), {"time": "day", "drop": ["owner"]}),
    "dropped instead": (("--drop", "place"), {"drop": ["place"], "audit_only": []}),
    "audited instead": (("--audit-only", "owner"), {"audit_only": ["owner"], "drop": ["day"]}),
    "a feature instead": (
        ("--features", "x0,x1,place"),
        {"features": ["x0", "x1", "place"], "audit_only": []},
    ),
    "dropped in two": (("--drop", "x1", "--drop", "x0,x1"), {"drop": ["x1", "x0"]}),
    "another label": (("--target", "x1"), {"target": "x1", "log_target": False}),
    "another label that was audit-only": (
        ("--target", "place"),
        {
            "target": "place",
            "task": "classification",
            "measure": "scoring",
            "audit_only": [],
            "log_target": False,
        },
    ),
}


@pytest.mark.parametrize(
    "case",
    ["nothing", *(pytest.param(case, marks=pytest.mark.long) for case in GIVEN_FOR_A_SAMPLE)],
)
def test_a_sample_brings_its_own_options_and_one_that_is_given_wins(settings_of, case):
    options, difference = GIVEN_FOR_A_SAMPLE.get(case, ((), {}))
    assert settings_of(*options) == SALE | difference


def test_settings_from_a_file_take_the_place_of_a_sample_s_own(settings_of, tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('{"target": "y", "drop": ["day"]}')
    default = {"log_target": False, "cl": 0.9, "c": 0.5, "split": "0.4,0.3,0.3"}
    given = {"drop": ["day"], "audit_only": ["owner"]}
    found = settings_of("--settings", str(path), "--audit-only", "owner")
    assert found == SALE | default | given


def test_a_sample_that_cannot_be_downloaded_is_told(refuse, monkeypatch):
    offline = Mock(side_effect=URLError("no route"))
    source = dataclasses.replace(real.SOURCES["gpu"], download=offline)
    monkeypatch.setitem(real.SOURCES, "gpu", source)
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)
    assert refuse("audit", "sample:gpu", "--json", "out.json") == (
        "evencover: gpu could not be downloaded; try again with a connection to the internet, "
        "or set EVENCOVER_DATA to a folder that holds gpu.parquet\n"
    )


def test_help_names_the_samples_and_what_they_bring(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["audit", "--help"])
    assert ended.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "houses, kernels, triage, king_county, gpu, covtype" in said
    assert "A sample brings the options marked * with it where they are not given" in said
    marked = ["sets of labels; needed unless TABLE is a sample *", "0 < CL < 1 (default 0.9) *"]
    assert all(text in said for text in marked)
    assert "--no-log-target" in said


def test_the_version_is_printed_on_standard_output(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    project = tomllib.loads(PROJECT.read_text())["project"]
    assert capsys.readouterr() == (f"evencover {project['version']}\n", "")


@pytest.fixture
def served(monkeypatch):
    """The commands that would have started a server."""
    commands = []

    def run_server(command, *, check):
        assert check is False
        commands.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(launch.subprocess, "run", run_server)
    return commands


def port_of(command):
    (port,) = [word for word in command if word.startswith("--server.port=")]
    return int(port.removeprefix("--server.port="))


def test_the_first_free_port_is_served_on_and_told(served, monkeypatch, capsys):
    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        taken = other.getsockname()[1]
        monkeypatch.setattr(launch, "FIRST_PORT", taken)
        assert cli.main([]) == 3
    assert cli.main(["dashboard"]) == 3  # it is free now
    command, free = served
    port = port_of(command)
    assert port_of(free) == taken
    assert taken < port < taken + 100
    with socket.socket() as probe:
        # another test's connection may have gone through the port since
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("localhost", port))
    said = f"Evencover is at http://localhost:{port}; press Ctrl-C to end it.\n"
    out, told = capsys.readouterr()
    assert (out, told.startswith(said)) == ("", True)
    assert "--server.headless=false" in command


def test_a_port_in_use_is_refused_and_no_address_told(served, capsys):
    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        taken = other.getsockname()[1]
        assert cli.main(["dashboard", "--port", str(taken)]) == 2
    told = (
        f"evencover: port {taken} is in use; give another, or leave it out for the first free one"
    )
    assert (served, capsys.readouterr().err) == ([], f"{told}\n")


def test_the_server_is_told_the_addresses_that_it_is_known_as(served, capsys):
    named = ["https://a.example", "http://b.example:8080/audits"]
    options = [word for address in named for word in ("--known-as", address)]
    assert cli.main(["dashboard", "--no-browser", *options]) == 3
    assert [f"--server.corsAllowedOrigins={address}" for address in named] == served[0][-2:]
    for unusable in ("a.example", "", "https://a b", "ftp://a.example", "*"):
        assert cli.main(["dashboard", "--known-as", unusable]) == 2
        assert f"--known-as is '{unusable}'; give an address" in capsys.readouterr().err
    assert len(served) == 1


@pytest.mark.parametrize("written", ["/tools/audits", "tools/audits/"])
def test_the_server_may_be_under_a_path(served, capsys, written):
    assert cli.main(["dashboard", "--no-browser", "--base-path", written]) == 3
    assert "--server.baseUrlPath=tools/audits" in served[0]
    assert re.search(r"at http://localhost:\d+/tools/audits;", capsys.readouterr().err)
    for unusable in ("https://a.example/b", "a b", "a//b", "a?b", "ä"):
        assert cli.main(["dashboard", "--base-path", unusable]) == 2
        assert f"--base-path is '{unusable}'; give a path" in capsys.readouterr().err


def test_a_port_asked_for_is_served_on_and_told(served, capsys):
    assert cli.main(["dashboard", "--port", "8765", "--no-browser"]) == 3
    (command,) = served
    assert port_of(command) == 8765
    assert "--server.headless=true" in command
    assert "http://localhost:8765;" in capsys.readouterr().err
    assert {f"--{name}={value}" for name, value in launch.SERVER_OPTIONS.items()} <= set(command)
    assert "--server.maxUploadSize=210" in command  # of 1,000,000 bytes: no less than 200 MiB


PREVIEW_ALONE = "evencover: --preview only tells what becomes of the columns; leave out {}\n"
REFUSED = [
    # the table
    ("audit photo.csv --target y --json out.json", "'photo.csv' is not a text table"),
    ("audit nowhere.csv --target y --csv out", "there is no file 'nowhere.csv'"),
    ("audit 'no\nsuch.csv' --target y", "there is no file"),
    ("audit some --target y --csv out", "folder 'some' holds no file"),
    ("audit '' --target y --csv out", "TABLE is empty; name a file, a folder or a sample"),
    ("compare ' ' --target y", "TABLE is empty; name a file, a folder or a sample"),
    (f"audit {'n' * 300} --target y --json out.json", "cannot be read"),
    ("audit loop --target y --json out.json", "cannot be read"),
    ("audit sample:hauses --target y", "there is no sample 'hauses'; choose one of houses, kern"),
    # options, those that a sample need not be fetched for among them
    ("adit table.csv", "invalid choice: 'adit'"),
    (
        "audit table.csv",
        ": --target is missing; name the label's column (only a sample brings its own)\n",
    ),
    ("audit few.csv --target y --cl abc", "--cl: invalid float value: 'abc'"),
    ("audit few.csv --target y --measure best", "invalid choice: 'best'"),
    ("audit few.csv --target y --frobnicate", "unrecognized arguments: --frobnicate"),
    ("audit few.csv --target y --quie", "arguments: --quie; did you mean '--quiet'?"),
    ("audit few.csv --target y --estimator tres", "did you mean 'trees'?"),
    ("audit few.csv --target y --remedy ifcam", "did you mean 'ifacm'?"),
    ("audit few.csv --target y --cohort 'low: x0 is low'", "cohort 'low': the rule 'x0 is low'"),
    ("audit few.csv --target y --fail-if 'cov < 1'", "the rule to fail 'cov < 1' cannot be read"),
    ("audit sample:covtype --cl 2", "confidence level 2.0 is not strictly between 0 and 1"),
    ("audit sample:covtype --stratify --time day", "stratification and the time column"),
    (
        "audit sample:triage --drop 'a\nA'",
        "'a␊A' is no list of columns; put a name that holds a line end in double quotes",
    ),
    *(
        (f"audit sample:houses --preview {output}", PREVIEW_ALONE.format(option))
        for output in ("--json out.json", "--json -", "--html o.html", "--card -", "--csv out")
        for option in output.split()[:1]
    ),
    *(
        (f"dashboard --port {port}", f"--port is {port}; give a number from 1 to 65535")
        for port in (0, -1, 65536)
    ),
    # settings
    ("audit table.csv --settings odd.json --json new.json", "'odd.json': evencover "),
    ("audit table.csv --settings table.csv --json new.json", "'table.csv' holds no settings"),
    ("audit table.csv --settings none.json", "the settings 'none.json' cannot be read"),
    (
        "audit table.csv --settings mine.json --json ./mine.json",
        "--json 'mine.json' is the file of --settings; name another place",
    ),
    # outputs
    ("audit table.csv --target y --json no/out.json", "--json: there is no folder '"),
    ("audit table.csv --target y --csv no/out", "there is no folder '"),
    ("audit table.csv --target y --csv table.csv/out", "there is no folder '"),
    ("audit table.csv --target y --json .", "--json '.' is a folder"),
    ("audit table.csv --target y --json table.csv", "--json 'table.csv' is the table itself"),
    ("audit table.csv --target y --json ./table.csv", "is the table itself"),
    ("audit table.csv --target y --csv table.csv", "--csv 'table.csv' is a file"),
    ("audit some/results.csv --target y --csv some", "results.csv"),
    (
        "audit table.csv --target y --html ./out --json out",
        "--json 'out' is the file of --html, too; name another file",
    ),
    (
        "audit table.csv --target y --html out/gaps.csv --csv out",
        "--html 'out/gaps.csv' is one of the files of --csv",
    ),
    ("audit table.csv --target y --html new --csv new", "--html 'new' is the folder of --csv; n"),
    *(
        (
            f"audit table.csv --target y {outputs}",
            f"--json and {outputs.split()[0]} cannot go to standard output together",
        )
        for outputs in ("--html - --json -", "--html - --json /dev/stdout", "--rows - --json -")
    ),
    ("audit table.csv --target y --html o.html --html-examples 201", "examples is 201; give"),
    ("audit table.csv --target y --html-examples 3", "say where with --html"),
    ("audit table.csv --target y --junit j.xml", "give at least one with --fail-if"),
    # places that take no file
    *(
        (f"audit table.csv --target y {option} {'n' * 300}", "File name too long; name another")
        for option in ("--json", "--html", "--csv")
    ),
    *(
        (f"audit table.csv --target y {place}", "symbolic links; name another place")
        for place in ("--json loop", "--html loop/o.html", "--csv loop")
    ),
    ("audit table.csv --target y --csv full", "--csv 'full/gaps.csv' cannot be"),
    ("audit table.csv --target y --json /proc/foo", "--json: folder '/proc' is not writable"),
    ("audit table.csv --target y --csv /proc/foo", "--csv: folder '/proc' is not writable"),
    ("audit table.csv --target y --csv ''", "argument --csv: it is empty; name a folder"),
    (f"reproduce gpu --out {'n' * 300}", "name another place\n"),
    ("reproduce gpu --out loop", "name another place\n"),
    ("reproduce gpu --out /proc/foo", "choose another\n"),
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED)
def test_what_cannot_be_used_is_told_before_the_work(
    refuse, folder, few, photo, monkeypatch, line, sentence
):
    monkeypatch.setattr(audit_command, "audit", None)
    monkeypatch.setattr(subprocess, "run", pytest.fail)  # no server is started
    if "sample:hauses" not in line:
        monkeypatch.setattr(table_and_settings, "load_sample", None)
    for name in ("some", "full"):
        (folder / name).mkdir()
    if "some/results.csv" in line:
        few.to_csv(folder / "some" / "results.csv", index=False)
    (folder / "loop").symlink_to("loop")
    (folder / "full" / "gaps.csv").symlink_to("gaps.csv")
    (folder / "photo.csv").write_bytes(photo)
    (folder / "mine.json").write_text('{"target": "y"}')
    (folder / "odd.json").write_text('{"target": "y", "colour": "red"}')
    assert sentence in refuse(*shlex.split(line))


def test_an_end_from_outside_is_an_interrupt_once(monkeypatch):
    ours = [signal.SIGTERM, signal.SIGHUP]
    now = {signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_IGN}  # as nohup has it
    monkeypatch.setattr(signal, "getsignal", now.get)
    monkeypatch.setattr(signal, "signal", now.__setitem__)
    monkeypatch.setattr(cli, "main", lambda: 7)
    assert commands.start() == 7
    assert now == {signal.SIGTERM: commands._end, signal.SIGHUP: signal.SIG_IGN}
    with pytest.raises(KeyboardInterrupt):
        commands._end(signal.SIGTERM, None)
    assert now == dict.fromkeys(ours, signal.SIG_IGN)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.long
def test_what_is_half_written_goes_at_an_end_from_outside(tmp_path, number):
    program = (
        "import os, sys; from pathlib import Path; from evencover.dashboard.export import writing;"
        "write = writing._staged;"
        f"writing._staged = lambda *given: (write(*given), os.kill(os.getpid(), {int(number)}));"
        "from evencover.dashboard.commands import start;"
        "sys.argv[1:] = ['audit', 'sample:houses', '--json', 'r.json', '--quiet'];"
        "sys.exit(start())"
    )
    (tmp_path / "r.json").write_text("of an earlier run")
    ended = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-c", program],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # under nohup, too
    )
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "evencover: interrupted, nothing written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    assert (tmp_path / "r.json").read_text() == "of an earlier run"


def test_a_server_whose_launcher_was_killed_ends(monkeypatch):
    parents, ended = iter([7, 7, 1]), []
    monkeypatch.setattr(serve, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(serve.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(serve.os, "kill", lambda *process: ended.append(process))
    serve._end_after(7)
    assert ended == [(os.getpid(), signal.SIGTERM)]


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted, nothing written\n"),
        (RuntimeError("out of cheese"), 1, "this is a bug in evencover (RuntimeError at test_"),
        (MemoryError(), 2, "this takes more memory than there is; take fewer rows or columns"),
        (ImportError("a.so: failed to map segment"), 2, "this takes more memory than there is"),
    ],
)
def test_defects_and_interruptions_are_told_in_one_line(
    run, folder, monkeypatch, error, status, told
):
    def ended(*_arguments, **_options):
        raise error

    monkeypatch.setattr(audit_command, "audit", ended)
    before = contents(folder)
    found, out, err = run("audit", "table.csv", "--target", "y", "--json", "o.json", "--quiet")
    assert (found, out) == (status, "")
    assert err.startswith(f"evencover: {told}")
    assert err.count("\n") == 1
    assert contents(folder) == before


SCRIPT = Path(sys.executable).with_name("evencover")


@pytest.mark.long
def test_the_console_script_is_this_command_and_adds_to_the_file_its_output_goes_to(folder):
    command = [SCRIPT, "audit", "few.csv", "--target", "y", "--cl", "0.8"]
    kept = folder / "kept.txt"
    kept.write_text("kept\n")
    with kept.open("a") as file:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [*command, "--json", "/dev/stdout"], stdout=file, stderr=subprocess.PIPE, check=True
        )
    first, told = kept.read_text().split("\n", 1)
    assert (first, json.loads(told)["settings"]["cl"]) == ("kept", 0.8)
    assert b"Warning" not in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.long
def test_a_reader_that_has_gone_is_no_traceback():
    with subprocess.Popen(  # noqa: S603 - our own arguments
        [SCRIPT, "audit", "few.csv", "--target", "y", "--json", "-", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 1
    assert said == ""


@pytest.mark.parametrize(
    ("closed", "status", "told"),
    [
        (">&-", 2, "standard output cannot be written: Bad file descriptor\n"),
        ("2>&- > out.txt", 0, ""),
        ("--json o.json <&- >&- 2>&-", 0, ""),
        ("--target u 2>&-", 2, ""),
        ("--help >&-", 0, ""),
    ],
)
@pytest.mark.usefixtures("folder")
@pytest.mark.long
def test_closed_streams_are_no_defect(closed, status, told):
    command = f"{SCRIPT} audit few.csv --target y --remedy none --quiet {closed}"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603, S607
    assert (done.returncode, done.stderr) == (status, f"evencover: {told}" if told else "")


@pytest.mark.usefixtures("folder")
@pytest.mark.long
def test_standard_input_that_is_closed_is_an_empty_table():
    command = f"{SCRIPT} audit - --target y <&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603, S607
    assert done.returncode == 2
    assert "'standard input' is empty" in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.long
@pytest.mark.parametrize("mib", [100, 400, 540, 700])
def test_too_little_memory_is_told_as_such(mib):
    rows = np.random.default_rng(0).normal(size=(300_000, 8))
    pd.DataFrame(rows, columns=[*"abcdefgy"]).to_parquet("large.parquet")
    limited = f"ulimit -v {mib * 1024}; OPENBLAS_NUM_THREADS=1 {SCRIPT} audit large.parquet"
    command = f"{limited} --target y --remedy none --quiet --json o.json"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603, S607
    assert done.returncode == 2
    assert "more memory than there is" in done.stderr or "limit of memory" in done.stderr
    assert "bug" not in done.stderr
    assert not Path("o.json").exists()


@pytest.mark.parametrize("choice", [["--drop", "x4"], ["--features", "x0,x1,place"]])
@pytest.mark.long
def test_parquet_columns_out_of_use_are_not_read_and_change_nothing(
    choice, few, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    command = ["audit", "t.parquet", "--target", "y", *choice, "--json", "-", "--quiet"]
    told = []
    for x4 in (few["x4"], [["no", "number"]] * len(few)):
        few.assign(x4=pd.Series(x4)).to_parquet("t.parquet", index=False)
        assert cli.main(command) == 0
        told.append(without_times(json.loads(capsys.readouterr().out)))
        marked = told[-1]["data"].pop("fingerprint")  # of the whole file
        assert marked == file_fingerprint(Path("t.parquet"))
    assert told[0] == told[1]
    assert cli.main([*command, "--drop", "x44"]) == cli.UNUSABLE
    assert "there is no column 'x44'; did you mean 'x4'?" in capsys.readouterr().err


def test_a_folder_is_made_where_a_link_leads(tmp_path):
    (tmp_path / "link").symlink_to("new")
    write_together({tmp_path / "link" / "a.csv": "a"}, tmp_path / "link")
    assert (tmp_path / "new" / "a.csv").is_file()


def test_the_table_may_come_by_standard_input(run, refuse, monkeypatch, csv_texts):
    def given(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    asked = ("audit", "-", "--target", "kind", "--remedy", "none", "--quiet", "--json", "-")
    given(gzip.compress(csv_texts["classes.csv"].encode()))
    piped = json.loads(run(*asked)[1])
    read = json.loads(run("audit", "classes.csv", *asked[2:])[1])
    assert piped["results"] == read["results"]
    assert piped["settings"]["table"] == "-"
    given(b"")
    assert "'standard input' is empty" in refuse(*asked)


def test_reading_options_are_used_and_told(run, refuse):
    rows = "".join(f"{i % 9},{'None' if i % 2 else 'é'}\n" for i in range(60))
    Path("words.csv").write_text("x,y\n" + rows, encoding="cp1252")
    asked = ("audit", "words.csv", "--target", "y", "--preview")
    _, out, _ = run(*asked)
    assert "Taken as missing: 'None' in 30 of 'y'" in out
    assert "was read as cp1252" in out
    _, out, _ = run(*asked, "--missing", "", "--encoding", "cp1252")
    assert "Taken as missing" not in out
    assert "was read as" not in out
    assert "has no sheet to choose" in refuse(*asked, "--sheet", "x")
    assert "is no file" in refuse("audit", "sample:houses", "--sheet", "x")
    _, out, _ = run("audit", "sample:houses", "--preview")  # which needs no option
    assert ["price", "label", "number"] in [line.split()[:3] for line in out.splitlines()]
