import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import evencover.sample_data
from evencover.core.messages import InputError
from evencover.sample_data import GENERATED, REAL, is_downloaded, load_sample, real, sample_names

FOREIGN = re.compile(r"streamlit|plotly|evencover\.dashboard")


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InputError) as caught:
        load_sample("boston")
    assert str(caught.value) == (
        "there is no sample 'boston'; choose one of houses, kernels, triage, king_county, gpu, "
        "covtype"
    )


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_sample_is_the_same_every_time_by_its_seed_and_in_a_small_csv(name):
    sample = load_sample(name)
    frame = sample.frame
    assert {sample.target, *sample.drop, *sample.audit_only} <= set(frame.columns)
    assert (sample.confidence_level, sample.split) == (0.9, "0.4,0.3,0.3")
    assert not GENERATED[name](seed=99).frame[sample.target].equals(frame[sample.target])
    text = frame.to_csv(index=False)
    assert len(text.encode()) <= 1_000_000
    for again in (load_sample(name).frame, pd.read_csv(StringIO(text))):
        pd.testing.assert_frame_equal(again, frame, check_exact=True)


@pytest.mark.parametrize("value", [None, ""])
def test_a_real_sample_is_downloaded_but_where_its_file_is_there(monkeypatch, tmp_path, value):
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(real.DATA_VARIABLE, value)
    assert [name for name in sample_names() if is_downloaded(name)] == list(REAL)
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    (tmp_path / "gpu.parquet").touch()
    assert [name for name in sample_names() if is_downloaded(name)] == ["king_county", "covtype"]


def test_the_package_knows_nothing_of_the_dashboard():
    for path in Path(evencover.sample_data.__file__).parent.rglob("*.py"):
        words = re.findall(r"^\s*(?:import|from) (\S+)", path.read_text(), re.MULTILINE)
        assert not [name for name in words if FOREIGN.match(name)]
