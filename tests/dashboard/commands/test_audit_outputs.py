"""What is left of a command's outputs when one of them fails, is protected or interrupted."""

import argparse
from pathlib import Path
from unittest.mock import Mock

import pytest

from evencover.core import InputError
from evencover.dashboard.commands import audit as audit_outputs
from evencover.dashboard.commands.audit import check_outputs, write_outputs
from evencover.dashboard.export import writing
from evencover.dashboard.export.files import ROW_TYPES, to_json_text
from evencover.dashboard.terminal import INTERRUPTED
from evencover.dashboard.terminal.outputs import check_file

CSV_FILES = {f"{name}.csv" for name in ROW_TYPES}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Options of the command, for files in a folder of their own."""
    monkeypatch.chdir(tmp_path)

    def options(**outputs):
        nothing = dict.fromkeys((*audit_outputs._OUTPUTS.texts, "csv"))
        of_table = {"table": "t.csv", "settings": None, "preview": False}
        shown = {"html_examples": 0, "quiet": True, "save_predictor": ""}
        return argparse.Namespace(**nothing | of_table | shown | outputs)

    return options


@pytest.fixture
def failing(monkeypatch):
    """Let the writing of texts that hold something fail, in this way."""

    def fail(word, error):
        def staged(path, *given):
            if word in str(path):
                raise error
            return plain(path, *given)

        plain = writing._staged
        monkeypatch.setattr(writing, "_staged", staged)

    return fail


def there():
    return {path.name for path in Path().iterdir()}


@pytest.mark.parametrize("name", ["r.json", "r.html", "r.rows", "tables"])
@pytest.mark.long
def test_one_output_that_fails_does_not_lose_the_others(asked, failing, result, name):
    failing(name, OSError(28, "No space left on device"))
    options = asked(json="r.json", html="r.html", rows="r.rows", csv=Path("tables"))
    with pytest.raises(InputError, match=f"'{name}' cannot be written: No space left on device"):
        write_outputs(result, options)
    assert there() == {"r.json", "r.html", "r.rows", "tables"} - {name}
    if name != "tables":
        assert {path.name for path in Path("tables").iterdir()} == CSV_FILES


def test_a_defect_in_one_output_does_not_lose_the_others(asked, result, monkeypatch):
    monkeypatch.setattr(audit_outputs, "to_html", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):
        write_outputs(result, asked(html="r.html", json="r.json"))
    assert Path("r.json").read_text() == to_json_text(result)


def test_every_output_that_fails_is_told(asked, failing, result, capsys):
    failing("r.", OSError(28, "No space left on device"))
    with pytest.raises(InputError, match="rows"):
        write_outputs(result, asked(json="r.json", rows="r.rows"))
    assert "'r.json' cannot be written" in capsys.readouterr().err


def test_an_interruption_leaves_all_as_it_was_whichever_file_it_comes_in(asked, failing, result):
    Path("r.json").write_text("of an earlier run")
    failing("gaps", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write_outputs(result, asked(json="r.json", rows="r.rows", csv=Path("tables")))
    assert there() == {"r.json"}
    assert Path("r.json").read_text() == "of an earlier run"


def test_an_interruption_in_printing_says_what_has_been_written(asked, result, capsys, monkeypatch):
    monkeypatch.setattr(audit_outputs, "to_json_text", Mock(side_effect=KeyboardInterrupt))
    assert write_outputs(result, asked(json="-", rows="r.rows")) == INTERRUPTED
    assert capsys.readouterr().err == ("evencover: interrupted; what has been written is r.rows\n")
    monkeypatch.undo()


def test_tables_are_all_written_or_none(asked, result, monkeypatch):
    options = asked(csv=Path("tables"))
    calls, replace = [], Path.replace

    def fails(self, target):
        calls.append(target)
        if len(calls) == 4:
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(InputError, match="cannot be written: Input/output error"):
        write_outputs(result, options)
    assert there() == set()
    monkeypatch.undo()


@pytest.mark.parametrize("mode", [0o444, 0o400])
def test_a_write_protected_file_is_refused_before_the_work(asked, mode):
    path = Path("r.json")
    path.write_text("kept")
    check_outputs(asked(json="r.json"))
    check_file("--json", Path("/dev/null"))
    path.chmod(mode)
    with pytest.raises(InputError, match="is write-protected; name another place"):
        check_outputs(asked(json="r.json"))
    assert path.read_text() == "kept"
    Path("tables").mkdir()
    path.rename("tables/gaps.csv")
    with pytest.raises(InputError, match="is write-protected"):
        check_outputs(asked(csv=Path("tables")))
