"""Exit statuses of an audit that a rule is to fail."""

import numpy as np
import pandas as pd
import pytest

from evencover.dashboard.commands.main import main
from evencover.dashboard.terminal import outputs

pytestmark = pytest.mark.long


@pytest.fixture
def audited(tmp_path, monkeypatch, capsys):
    """Run an audit of a small table with rules to fail; return its status and what it says."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    table = pd.DataFrame({"x": x, "y": x + rng.normal(size=300), "place": "a"})
    table["day"] = pd.date_range("2024-01-01", periods=300).astype(str)
    table.to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)

    def run(*options):
        audit = ["audit", "table.csv", "--target", "y", "--quiet", "--json", "result.json"]
        status = main([*audit, *options])
        return status, capsys.readouterr().err.strip().splitlines()

    return run


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        (["coverage < 0.2"], 0),
        (["coverage < 0.2", "coverage < 0.999"], 3),
        (["coverage < 0.2", "coverage < 0.8"], 4),
        (["coverage < 0.8", "coverage < 0.999"], 3),
    ],
)
def test_the_status_tells_the_worst_and_a_line_tells_each(audited, rules, status):
    options = [part for rule in rules for part in ("--fail-if", rule)]
    found, lines = audited(*options)
    assert found == status
    assert [line.split("'")[1] for line in lines] == rules


def test_unsure_can_be_let_pass_and_broken_cannot(audited):
    assert audited("--fail-if", "coverage < 0.8", "--allow-unsure")[0] == 0
    assert audited("--fail-if", "coverage < 0.999", "--allow-unsure")[0] == 3


@pytest.mark.parametrize(
    "rule",
    [
        *("cov < 1", "coverage(nobody = 1) < 0.9", "coverage(place = a) < 0.9"),
        *("gap(nobody) > 0.1", "quantile.coverage < 0.9"),
    ],
)
def test_what_cannot_be_judged_is_refused_and_nothing_written(audited, tmp_path, rule):
    status, lines = audited("--drop", "place", "--fail-if", rule)
    assert (status, len(lines)) == (2, 1)
    assert not (tmp_path / "result.json").exists()


def test_an_output_that_fails_outdoes_a_broken_rule(audited, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(outputs, "write_together", full)
    status, lines = audited("--fail-if", "coverage < 0.999")
    assert (status, len(lines)) == (2, 1)


def test_a_rule_may_be_of_a_part_of_a_date(audited):
    status, (line,) = audited("--fail-if", 'coverage("day (weekday)" = Monday) < 0.2')
    assert status == 0
    assert "coverage of" in line
