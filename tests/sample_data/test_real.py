import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.sample_data import load_sample, real


@pytest.mark.usefixtures("data_folder")
def test_king_county():
    sample = real.king_county()
    assert sample.frame.shape == (21_613, 21)
    assert float(sample.frame["price"].mean()) == pytest.approx(540088.14, abs=0.01)
    assert (sample.target, sample.task, sample.log_target) == ("price", "regression", True)
    assert (sample.drop, sample.split) == (("id", "date"), "10000,5000,6613")
    assert (sample.confidence_level, sample.penalty) == (0.9, 0.5)


@pytest.mark.usefixtures("data_folder")
def test_gpu():
    sample = real.gpu()
    assert sample.frame.shape == (241_600, 15)
    assert (sample.target, sample.task, sample.log_target) == ("run_ms", "regression", True)
    assert sample.split == "20000,20000,20000"
    assert (sample.confidence_level, sample.penalty) == (0.9, 0.5)


@pytest.mark.usefixtures("data_folder")
def test_covtype():
    sample = real.covtype()
    assert sample.frame.shape == (581_012, 55)
    counts = sample.frame["Cover_Type"].value_counts().sort_index().tolist()
    assert counts == [211840, 283301, 35754, 2747, 9493, 17367, 20510]
    assert (sample.target, sample.task) == ("Cover_Type", "classification")
    assert (sample.confidence_level, sample.penalty) == (0.95, 0.0)
    assert sample.split == "100000,100000,100000"


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    return tmp_path


def not_published(folder, file):
    return (
        f"{folder / file} does not hold the published data; replace it by the original, "
        "complete file"
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00 not a table", b"PAR1 cut off"])
@pytest.mark.parametrize("name", real.SOURCES)
def test_a_file_that_is_no_table_is_told(name, content, own_folder):
    file = real.SOURCES[name].file
    (own_folder / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_sample(name)
    assert str(caught.value) == not_published(own_folder, file)


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
def test_another_table_is_told(frame, own_folder):
    frame.to_csv(own_folder / "kc_house_data.csv", index=False)
    with pytest.raises(InputError) as caught:
        real.king_county()
    assert str(caught.value) == not_published(own_folder, "kc_house_data.csv")
