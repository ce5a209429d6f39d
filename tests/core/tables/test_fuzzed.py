"""Any table ends in what it holds or in one sentence; more of them by tests/benchmarks/fuzz.py."""

import json
import subprocess
import sys
from pathlib import Path

import fuzzing
import pytest

from evencover.core import parse_table

FUZZ = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
FINE = {"read", "refused", "refused, damaged"}


@pytest.mark.parametrize("seeds", [range(i, i + 10) for i in range(0, 40, 10)])
def test_a_table_is_read_as_it_was_written_or_refused(seeds):
    outcomes = {seed: fuzzing.look(seed, with_audit=False) for seed in seeds}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome not in FINE} == {}


def test_a_value_that_is_not_the_one_that_was_written_is_seen():
    drawn = next(d for d in map(fuzzing.draw, range(99)) if d.truth and d.name == "t.csv")
    table = parse_table(drawn.content, drawn.name)
    assert fuzzing.altered(table, drawn.truth) == []
    name = table.names[0]
    table.frame[name] = table.frame[name].iloc[::-1].to_numpy()
    assert fuzzing.altered(table, drawn.truth) == [name]


@pytest.mark.long
def test_two_hundred_tables_within_the_limits():
    command = [sys.executable, str(FUZZ), "--tables", "200", "--seed", "1000"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # noqa: S603 - our own
    assert json.loads(ended.stdout)["faults"] == {}
