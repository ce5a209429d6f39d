"""What is loaded when: names of evencover.core, and the start of the command line."""

import subprocess
import sys

import pytest

from evencover import core

HEAVY = ("duckdb", "joblib", "narwhals", "pandas", "plotly", "pyarrow", "pydantic", "scipy")
HEAVY += ("sklearn", "streamlit", "threadpoolctl", "tqdm")

STARTS = """
import sys
sys.modules |= dict.fromkeys({heavy})  # a package that is None there cannot be imported
import evencover.core.scoring
assert set(evencover.core.__all__) <= set(dir(evencover.core))
from evencover.core import InputError
from evencover.dashboard.commands.main import main
for words in (["--help"], ["--version"], ["audit"]):
    try:
        main(words)
    except (SystemExit, ImportError) as end:
        print(repr(end))
"""


def test_neither_core_nor_the_command_line_loads_what_it_does_not_need():
    code = [sys.executable, "-c", STARTS.format(heavy=HEAVY)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    said = done.stdout.splitlines()
    assert [line for line in said if line == "SystemExit(0)"] == ["SystemExit(0)"] * 2, done.stderr
    assert all(f"    {name}" in done.stdout for name in ("audit", "compare", "dashboard"))
    assert "this is a bug in evencover (ModuleNotFoundError" in done.stderr  # audit needs them


@pytest.mark.long
def test_rows_are_predicted_without_what_fits_predictors():
    heavy = ("plotly", "pydantic", "scipy", "sklearn", "streamlit")
    code = f"""import sys
sys.modules |= dict.fromkeys({heavy})
from evencover.core import load
from evencover.dashboard.commands.main import main
main(["predict", "--help"])
"""
    code = [sys.executable, "-c", code]
    assert "SAVED TABLE" in subprocess.check_output(code, text=True)  # noqa: S603 - our own


def test_every_name_is_found_and_no_other():
    for name in core.__all__:
        assert getattr(core, name).__name__ == name
        assert vars(core)[name] is getattr(core, name)  # kept
    with pytest.raises(AttributeError, match="has no attribute 'Audit'"):
        core.Audit  # noqa: B018 - asked for, to be refused
    with pytest.raises(ImportError, match="cannot import name 'IFACMS'"):
        from evencover.core import IFACMS  # noqa: F401, PLC0415
