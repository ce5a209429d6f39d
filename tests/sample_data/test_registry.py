import ast
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import evencover.sample_data
from evencover.core.errors import InputError
from evencover.sample_data import GENERATED, REAL, is_downloaded, load_sample, real, sample_names

ONE_MEGABYTE = 1_000_000


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InputError) as caught:
        load_sample("boston")
    assert str(caught.value) == (
        "there is no sample 'boston'; choose one of houses, kernels, triage, king_county, gpu, "
        "covtype"
    )


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_sample_has_the_columns_that_it_names(name):
    sample = load_sample(name)
    assert {sample.target, *sample.drop, *sample.audit_only} <= set(sample.frame.columns)
    assert sample.confidence_level == 0.9
    assert sample.split == "0.4,0.3,0.3"


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_table_is_the_same_every_time(name):
    pd.testing.assert_frame_equal(
        load_sample(name).frame, load_sample(name).frame, check_exact=True
    )


@pytest.mark.parametrize("name", GENERATED)
def test_another_seed_gives_another_table(name):
    sample = load_sample(name)
    assert not GENERATED[name](seed=99).frame[sample.target].equals(sample.frame[sample.target])


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_table_survives_csv_to_the_last_digit_and_is_small(name):
    frame = load_sample(name).frame
    text = frame.to_csv(index=False)
    assert len(text.encode()) <= ONE_MEGABYTE
    pd.testing.assert_frame_equal(pd.read_csv(StringIO(text)), frame, check_exact=True)


def test_all_samples_are_named_the_generated_ones_first():
    assert sample_names() == ["houses", "kernels", "triage", "king_county", "gpu", "covtype"]


@pytest.mark.parametrize("value", [None, ""])
def test_without_the_variable_every_real_sample_is_downloaded(monkeypatch, value):
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(real.DATA_VARIABLE, value)
    assert [name for name in sample_names() if is_downloaded(name)] == list(REAL)


def test_a_real_sample_whose_file_is_there_is_not_downloaded(monkeypatch, tmp_path):
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    (tmp_path / "gpu.parquet").touch()
    assert [name for name in sample_names() if is_downloaded(name)] == ["king_county", "covtype"]


def test_the_package_knows_nothing_of_the_dashboard():
    folder = Path(evencover.sample_data.__file__).parent
    imported = {
        name.split(".")[0] if not name.startswith("evencover.") else name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imported(node)
    }
    assert not imported & {"streamlit", "plotly"}
    assert not any(name.startswith("evencover.dashboard") for name in imported)


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module]
    return []
