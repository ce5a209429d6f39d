import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.sample_data import load_sample, real


def test_king_county(data_folder):
    sample = real.king_county(data_folder)
    assert sample.frame.shape == (21_613, 21)
    assert float(sample.frame["price"].mean()) == pytest.approx(540088.14, abs=0.01)
    assert (sample.target, sample.task, sample.log_target) == ("price", "regression", True)
    assert (sample.drop, sample.split) == (("id", "date"), "10000,5000,6613")
    assert (sample.confidence_level, sample.penalty) == (0.9, 0.5)


def test_gpu(data_folder):
    sample = real.gpu(data_folder)
    assert sample.frame.shape == (241_600, 15)
    assert (sample.target, sample.task, sample.log_target) == ("run_ms", "regression", True)
    assert sample.split == "20000,20000,20000"
    assert (sample.confidence_level, sample.penalty) == (0.9, 0.5)


def test_covtype(data_folder):
    sample = real.covtype(data_folder)
    assert sample.frame.shape == (581_012, 55)
    counts = sample.frame["Cover_Type"].value_counts().sort_index().tolist()
    assert counts == [211840, 283301, 35754, 2747, 9493, 17367, 20510]
    assert (sample.target, sample.task) == ("Cover_Type", "classification")
    assert (sample.confidence_level, sample.penalty) == (0.95, 0.0)
    assert sample.split == "100000,100000,100000"


def test_the_variable_names_the_folder(data_folder, monkeypatch):
    monkeypatch.setenv(real.DATA_VARIABLE, str(data_folder))
    assert load_sample("king_county").name == "king_county"


@pytest.mark.parametrize("name", real.SOURCES)
def test_a_missing_file_is_told(name, tmp_path):
    file = real.SOURCES[name].file
    with pytest.raises(InputError) as caught:
        getattr(real, name)(tmp_path)
    assert str(caught.value) == f"there is no file {tmp_path / file}; put {file} there"


def not_published(folder, file):
    return (
        f"{folder / file} does not hold the published data; replace it by the original, "
        "complete file"
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00 not a table", b"PAR1 cut off"])
@pytest.mark.parametrize("name", real.SOURCES)
def test_a_file_that_is_no_table_is_told(name, content, tmp_path):
    file = real.SOURCES[name].file
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        getattr(real, name)(tmp_path)
    assert str(caught.value) == not_published(tmp_path, file)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"price": [540088.14] * 21_612}),
        pd.DataFrame({"price": [540088.15 * (1 + 2e-6)] * 21_613}),
        pd.DataFrame({"price": ["dear"] * 21_613}),
        pd.DataFrame({"cost": [540088.1417665294] * 21_613}),
    ],
    ids=["rows", "mean", "text", "no label"],
)
def test_another_table_is_told(frame, tmp_path):
    frame.to_csv(tmp_path / "kc_house_data.csv", index=False)
    with pytest.raises(InputError) as caught:
        real.king_county(tmp_path)
    assert str(caught.value) == not_published(tmp_path, "kc_house_data.csv")
