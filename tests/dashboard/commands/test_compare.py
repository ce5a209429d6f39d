"""The command ``evencover compare``."""

import csv
import json
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from evencover.core import InputError
from evencover.core.experiment.compared_rows import GroupRow, RemedyComparison
from evencover.dashboard.commands import compare as command
from evencover.dashboard.commands.main import main
from evencover.dashboard.export.comparison import ROW_TYPES, group_table, order


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, few):
    """Compare on a small table; return the status, what is printed, and what is said."""
    few.to_csv(tmp_path / "few.csv", index=False)
    monkeypatch.chdir(tmp_path)

    def compare(*options):
        status = main(["compare", "few.csv", "--target", "y", "--quiet", *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return compare


@pytest.mark.long
def test_the_json_and_the_tables_have_a_row_for_each_remedy_and_seed(run, tmp_path):
    asked = ("--remedies", "base,quantile,label", "--seeds", "2", "--seed", "5")
    status, out, _ = run(*asked, "--json", "-", "--csv", "tables")
    rows = json.loads(out)["rows"]
    assert status == 0
    on_test = [(row["remedy"], row["seed"]) for row in rows if row["segment"] == "test"]
    assert on_test == [(name, s) for s in (5, 6) for name in ("base", "quantile", "label")]
    assert {"accuracy", "inefficiency", "dcv", "dcv_floor", "dcv_corrected"} <= rows[0].keys()
    told = {(row["remedy"], "needs classes" in (row["problem"] or "")) for row in rows}
    assert told == {("base", False), ("quantile", False), ("label", True)}
    assert {path.stem for path in (tmp_path / "tables").iterdir()} == {*ROW_TYPES}
    with (tmp_path / "tables" / "rows.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def test_without_outputs_a_table_is_printed_with_each_promise(run):
    status, out, _ = run("--remedies", "quantile,mondrian:place", "--seeds", "1")
    assert status == 0
    assert re.search(r"\n +base +\d+\.\d %", out)
    for part in ("quantile adjustment", "Mondrian by place", "each group by themselves"):
        assert part in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--remedies", "cqr"], "no remedy 'cqr'"),
        (["--seeds", "0"], "seeds is 0; give a whole number from 1 to 1000"),
        (["--workers", "0"], "workers is 0"),
        (["--backend", "nowhere"], "'nowhere' cannot be used"),
        (["--json", "few.csv"], "is the table itself"),
        (["--models", "a,b"], "nothing is said of what the models gave; name, for example, lower"),
        (
            ["--models", "a,b", "--remedies", "quantile"],
            "leave out remedies and measure, or the models",
        ),
    ],
)
def test_what_is_unusable_is_told_in_one_sentence(run, options, said):
    status, out, err = run(*options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_models_of_ones_own_are_printed_side_by_side(run, few, tmp_path):
    parts = [
        few.assign(model=m, low=few["y"] - w, up=few["y"] + 1.0) for m, w in (("a", 1), ("b", 2))
    ]
    pd.concat(parts).assign(key=[*range(len(few))] * 2).to_csv(tmp_path / "few.csv", index=False)
    ends = ("--lower", "low", "--upper", "up", "--model-column", "model", "--key", "key")
    status, out, _ = run(*ends, "--models", "b,a")
    assert status == 0
    assert "Confidence level 0.9: means of test figures over 1 seed, the " in out
    assert "Differences from b, with 95 % intervals by the same test rows as pairs:" in out
    assert re.search(r"\n +a +\+0.0 points .* -1 \(-1 to -1\)", out)


@pytest.mark.parametrize(
    ("options", "at_once"),
    [
        (["--workers", "99999"], 2),
        (["--workers", "99999", "--backend", "loky"], 2),
        (["--workers", "1"], 1),
        (["--workers", "40", "--backend", "dask"], 40),  # a cluster has more than this machine
        ([], None),
    ],
)
def test_workers_of_this_machine_are_no_more_than_its_processors(
    run, monkeypatch, options, at_once
):
    asked = []

    def noted(*_, workers, **__):
        asked.append(workers.count)
        raise InputError("noted", "that is enough")

    monkeypatch.setattr(command, "cpu_count", lambda: 2)
    monkeypatch.setattr(command, "compare", noted)
    run(*options)
    assert asked == [at_once]


def group(value, seed, remedy, accuracy, status="fine"):
    return GroupRow(remedy, seed, "county", value, 50, accuracy, status)


def test_a_group_s_means_are_over_the_seeds_that_have_it_and_the_lowest_is_first():
    groups = [
        *(group("Kent", seed, "base", share) for seed, share in ((0, 0.85), (1, 0.87))),
        group("Devon", 0, "base", 0.7, "low"),
        group("Devon", 1, "base", 0.8, "low"),
        group("Devon", 2, "base", 0.9),
        group("Devon", 1, "quantile", 0.88),
    ]
    remedies = ["base", "quantile", "label"]
    named = [SimpleNamespace(remedy=remedy, title=f"by {remedy}") for remedy in remedies]
    found = RemedyComparison({}, "", [0, 1, 2], remedies, named, groups, [], [], [], 0.0)
    devon, kent = group_table(found)[1]
    devon_means = {"by base": pytest.approx(0.8), "by quantile": 0.88}
    assert devon == {"group": "county = Devon", "low": "2 of 3 seeds"} | devon_means
    kent_means = {"by base": pytest.approx(0.86)}
    assert kent == {"group": "county = Kent", "low": "0 of 3 seeds"} | kent_means


@pytest.mark.parametrize(
    ("tied", "told"),
    [
        (1, "the lowest ERT by trees first"),
        (2, "the lowest ERT by trees first, but by size the first 2, which it cannot tell apart"),
        (3, "the smallest sets first, as none has a clearly higher ERT by trees than the lowest"),
    ],
)
def test_the_order_is_told(tied, told):
    rows = [
        SimpleNamespace(remedy=name, segment="test", problem="none" if name == "d" else None)
        for name in "abcd"
    ]
    found = RemedyComparison({}, "", [0], [*"abcd"], rows, [], [], [], [], 0.0, tied=tied)
    assert order(found) == told


def test_widths_that_are_infinite_have_no_difference(run, few, tmp_path):
    ends = {"a_low": few["y"] - 1.0, "a_up": few["y"] + 1.0, "b_low": -1.0, "b_up": float("inf")}
    few.assign(**ends).to_csv(tmp_path / "few.csv", index=False)
    status, out, _ = run("--lower", "low", "--upper", "up", "--models", "a,b")
    assert status == 0
    changes = out.partition("as pairs:")[2].splitlines()
    assert "accuracy" in changes[2]
    assert "size" not in changes[2]
