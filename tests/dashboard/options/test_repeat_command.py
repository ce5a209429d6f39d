"""The command that repeats an audit: read by the command line, it gives the same settings."""

import functools
import os
import shlex
import subprocess
from pathlib import Path

import drawn
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evencover.core import AuditSettings
from evencover.core.preparation.settings_json import settings_from_json
from evencover.dashboard.commands import main as cli
from evencover.dashboard.commands.table_and_settings import _filled_in, settings_given
from evencover.dashboard.options import repeat_command, repeat_with_settings
from evencover.dashboard.reproduction.command import Request
from evencover.sample_data import Sample

SAMPLE = Sample(
    description="",
    frame=pd.DataFrame(),
    target="price",
    task="regression",
    log_target=True,
    drop=("owner", "day"),
    audit_only=("place", "-x"),
    confidence_level=0.8,
    penalty=0.25,
    split="1500,500,750",
)

BROUGHT = " --cl=0.9 --c=auto --drop= --audit-only= --no-log-target --split=0.4,0.3,0.3"

odd = st.sampled_from(
    ["-a", "--drop", "a, b", 'say "a"', "'a'", "a\nb", " a ", "a=b", "a:b", "$(a)"]
)
# an argument of a command holds no null character
names = odd | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


parser = functools.cache(cli._parser)


def read(command, sample=None):
    """Return the table and the settings, by the command line itself."""
    program, *arguments = shlex.split(command)
    assert program == "evencover"
    options = parser().parse_args(arguments)
    found = settings_given(options)
    return options.table, found if sample is None else _filled_in(options, found, sample)


@settings(max_examples=50)
@given(drawn.settings(names), names.filter(lambda n: n.strip() and not n.startswith("sample:")))
@example(AuditSettings(target="y", features=()), "-table.csv")
@example(AuditSettings(target="y", missing=(), missing_in={"a": ["b"]}), "t.csv")
def test_it_gives_the_settings_again(asked, table):
    assert read(repeat_command(asked, table)) == (table, asked)


@settings(max_examples=50)
@given(drawn.settings(names))
@example(AuditSettings(target="price"))
@example(AuditSettings(target="price", group="owner", drop=("day",)))
def test_it_gives_them_in_place_of_those_that_a_sample_brings(asked):
    assert read(repeat_command(asked, "sample:sale"), SAMPLE) == ("sample:sale", asked)


@pytest.mark.parametrize(
    ("table", "asked", "options"),
    [
        ("table.csv", {}, ""),
        ("t.csv", {"stratify": True, "cuts": (("a", (18.0, 65.0)),)}, " --stratify --cuts=a=18,65"),
        ("sample:sale", {"seed": 3}, f"{BROUGHT} --seed=3"),
    ],
)
def test_it_says_what_differs_from_the_defaults_or_may_from_a_sample(table, asked, options):
    command = f"evencover audit {table} --target=y{options}"
    assert repeat_command(AuditSettings(target="y", **asked), table) == command


def test_a_reference_group_that_is_the_empty_text_is_repeated():
    asked = AuditSettings(target="y", reference=(("e", ""), ("e × f", " × a")))
    command = repeat_command(asked, "t.parquet")
    assert "'--reference=e=\"\"'" in command
    assert read(command) == ("t.parquet", asked)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (b"caf\xe9.csv", r"$'caf\xe9.csv'"),
        ("é".encode() + b"\xff1'\\x\n.csv", "$'é\\xff1\\'\\\\x\n.csv'"),
        (b"-\x80", r"$'-\x80'"),
        (b"it's.csv", "'it'\"'\"'s.csv'"),
    ],
)
def test_a_file_name_of_another_encoding_is_written_as_a_shell_reads_it(name, written):
    command = repeat_command(AuditSettings(target="y"), os.fsdecode(name))
    assert written in command
    shell = ["bash", "-c", f"evencover() {{ printf '%s\\0' \"$@\"; }}; {command}"]
    read_by_it = subprocess.run(shell, capture_output=True, check=True)  # noqa: S603
    assert name in read_by_it.stdout.split(b"\0")
    request = Request(("gpu",), 1, Path(os.fsdecode(name)))
    assert f"--out {written}" in request.command()


def test_a_command_with_a_file_of_settings_names_any_table():
    assert repeat_with_settings("RESULT.json", "a b.csv") == (
        "evencover audit 'a b.csv' --settings RESULT.json"
    )
    command = repeat_with_settings("RESULT.json", "-t.csv")
    options = parser().parse_args(shlex.split(command)[1:])
    assert (options.table, options.settings) == ("-t.csv", Path("RESULT.json"))


@given(drawn.RULES, st.sampled_from(["  {}\n", "\t{} ", "\u2003{}"]))
def test_a_rule_between_spaces_is_repeated_from_a_file_of_settings(rule, between):
    asked = settings_from_json({"target": "y", "cohorts": {" a ": between.format(rule)}})
    assert asked.cohorts == ((" a ", rule),)
    assert read(repeat_command(asked, "t.csv")) == ("t.csv", asked)
