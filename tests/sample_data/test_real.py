"""The real samples: from a folder, or fetched.

Downloads are tried without a connection on scikit-learn's cache filled from the local files.
"""

import csv
import gzip
import hashlib
import http.client
import json
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from urllib.error import ContentTooShortError, HTTPError, URLError

import joblib
import numpy as np
import pandas as pd
import pytest

from evencover.core.messages import InputError
from evencover.sample_data import downloads as fetched
from evencover.sample_data import is_downloaded, load_sample, real

OPENML = {"king_county": fetched.KING_COUNTY_ID, "gpu": fetched.GPU_ID}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """An empty cache, no folder of one's own, no connection and no pause between tries."""

    def unreachable(*_arguments, **_options):
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    folder = tmp_path / "cache"
    monkeypatch.delenv(real.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(folder))
    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    return folder


@pytest.fixture
def of_own_folder(data_folder, monkeypatch):
    monkeypatch.setenv(real.DATA_VARIABLE, str(data_folder))


@pytest.fixture
def local(data_folder):
    def read(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(real.DATA_VARIABLE, str(data_folder))
            return load_sample(name).frame

    return read


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, compresslevel=1))
    return path


def fill_openml(cache, data_id, frame, **types):
    """Put into the cache what is fetched of a data set: three descriptions and the ARFF file."""
    columns = [
        {
            "index": str(index),
            "name": column,
            "data_type": types.get(column, "numeric"),
            "is_target": "false",
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for index, column in enumerate(frame.columns)
    ]
    arff = b"% a comment\n@RELATION sample\n@DATA\n"
    arff += frame.to_csv(index=False, header=False).encode()
    description = {
        "id": str(data_id),
        "name": "sample",
        "version": "1",
        "description": "A sample.",
        "format": "ARFF",
        "status": "active",
        "file_id": "7",
        "url": "https://nowhere.invalid/data/v1/download/7/sample.arff",
        "md5_checksum": hashlib.md5(arff, usedforsecurity=False).hexdigest(),
    }
    qualities = {"quality": [{"name": "NumberOfInstances", "value": str(float(len(frame)))}]}
    root = cache / "openml" / "openml.org"
    for place, content in {
        f"{data_id}": {"data_set_description": description},
        f"features/{data_id}": {"data_features": {"feature": columns}},
        f"qualities/{data_id}": {"data_qualities": qualities},
    }.items():
        put(root / "api" / "v1" / "json" / "data" / f"{place}.gz", json.dumps(content).encode())
    return put(root / "data" / "v1" / "download" / "7" / "sample.arff.gz", arff)


def fill_king_county(cache, frame):
    """Write numbers as the published ARFF file does (1.0) and the three texts as texts."""
    numbers = frame.columns.drop(["id", "date", "zipcode"])
    written = frame.astype(dict.fromkeys(numbers, "float64"))
    return fill_openml(
        cache, OPENML["king_county"], written, id="string", date="string", zipcode="nominal"
    )


def with_runs(frame, spelling="Run{}"):
    """Put four run times in the place of their mean."""
    offsets = {1: -0.5, 2: -0.25, 3: 0.25, 4: 0.5}
    runs = {spelling.format(i): frame["run_ms"] + offset for i, offset in offsets.items()}
    return frame.drop(columns="run_ms").assign(**runs)


def fill_covtype(cache, frame):
    folder = cache / "covertype"
    folder.mkdir(parents=True)
    X = frame.drop(columns="Cover_Type").to_numpy(dtype=np.float64)
    y = frame["Cover_Type"].to_numpy(dtype=np.int32)
    joblib.dump(X, folder / "samples_py3", compress=1)
    joblib.dump(y, folder / "targets_py3", compress=1)
    return folder


def refused(name):
    with pytest.raises(InputError) as caught:
        load_sample(name)
    return str(caught.value)


def no_connection(name):
    return (
        f"{name} could not be downloaded; try again with a connection to the internet, or set "
        f"EVENCOVER_DATA to a folder that holds {real.SOURCES[name].file}"
    )


def changed(name, cache):
    return (
        f"what arrived for {name} is not the published data set, or only a part of it; empty "
        f"scikit-learn's cache folder {cache} and try again, or set EVENCOVER_DATA to a folder "
        f"that holds {real.SOURCES[name].file}"
    )


def fill(cache, name, frame):
    if name == "king_county":
        return fill_king_county(cache, frame)
    if name == "gpu":
        return fill_openml(cache, OPENML["gpu"], with_runs(frame))
    return fill_covtype(cache, frame)


TYPES = {
    "king_county": fetched.KING_COUNTY_TYPES,
    "gpu": fetched.GPU_TYPES,
    "covtype": fetched.COVTYPE_TYPES,
}


@pytest.mark.parametrize("name", real.SOURCES)
def test_what_is_fetched_is_the_table_of_the_local_file(name, cache, local):
    expected = local(name)
    fill(cache, name, expected)
    frame = load_sample(name).frame
    means = {"rtol": 1e-12, "atol": 0.0} if name == "gpu" else {"check_exact": True}
    pd.testing.assert_frame_equal(frame, expected, **means)
    assert frame.dtypes.astype(str).to_dict() == TYPES[name]
    if name == "king_county":
        first = [7129300520, "20141013T000000", 221900.0]
        assert frame.loc[0, ["id", "date", "price"]].tolist() == first


@pytest.mark.parametrize(
    ("name", "shape", "mean", "settings"),
    [
        (
            "king_county",
            (21_613, 21),
            540088.1418,
            ("price", "regression", True, ("id", "date"), 0.9, 0.5, "10000,5000,6613"),
        ),
        (
            "gpu",
            (241_600, 15),
            217.571953,
            ("run_ms", "regression", True, (), 0.9, 0.5, "20000,20000,20000"),
        ),
        (
            "covtype",
            (581_012, 55),
            2.051471,
            ("Cover_Type", "classification", False, (), 0.95, 0.0, "100000,100000,100000"),
        ),
    ],
)
@pytest.mark.usefixtures("of_own_folder")
def test_real_samples(name, shape, mean, settings):
    s = load_sample(name)
    assert s.frame.shape == shape
    assert float(s.frame[s.target].mean()) == pytest.approx(mean, rel=1e-6)
    own = (s.target, s.task, s.log_target, s.drop, s.confidence_level, s.penalty, s.split)
    assert own == settings
    if name == "covtype":
        counts = s.frame["Cover_Type"].value_counts().sort_index().tolist()
        assert counts == [211840, 283301, 35754, 2747, 9493, 17367, 20510]


def test_the_digest_is_of_the_values_of_the_file_as_it_was_published(data_folder):
    content = (data_folder / "kc_house_data.csv").read_bytes()
    published = "d0875baa0251b21d4bdc9d2ae940a4fe0bb6009824f23dd0e2a5b2bf04557b7e"
    assert hashlib.sha256(content).hexdigest() == published
    names, *rows = csv.reader(content.decode().splitlines())
    made = b""
    for name, texts in zip(names, zip(*rows, strict=True), strict=True):
        values = "\n".join(texts).encode()
        if name != "date":
            values = struct.pack(f"<{len(texts)}d", *map(float, texts))
        made += name.encode() + b"\0%d\0" % len(values) + values
    assert real.SOURCES["king_county"].sha256 == hashlib.sha256(made).hexdigest()


@pytest.mark.parametrize("spelling", ["Run{}", "Run{} (ms)", "Run{}_(ms)"])
def test_run_columns_are_found_however_they_are_spelt(cache, spelling):
    settings = [name for name in fetched.GPU_TYPES if name != "run_ms"]
    frame = pd.DataFrame({**{name: [16, 32] for name in settings}, "run_ms": [116.37, 78.705]})
    binary = dict.fromkeys(["STRM", "STRN", "SA", "SB"], "nominal")
    fill_openml(cache, OPENML["gpu"], with_runs(frame, spelling), **binary)
    got = fetched.gpu()
    assert got.columns.tolist() == [*settings, "run_ms"]
    assert got["run_ms"].tolist() == pytest.approx([116.37, 78.705], rel=1e-14)
    assert got["SB"].tolist() == [16, 32]
    assert got["SB"].dtype == np.int16


@pytest.mark.parametrize("data_type", ["string", "nominal"])
def test_quoted_texts_lose_their_quotes(cache, data_type):
    frame = pd.DataFrame({name: [1, 2] for name in fetched.KING_COUNTY_TYPES})
    frame["id"] = ["'7129300520'", "'0000000001'"]
    frame["date"] = ["'20141013T000000'", "'20141209T000000'"]
    fill_openml(cache, OPENML["king_county"], frame, id=data_type, date=data_type)
    got = fetched.king_county()
    assert got["id"].tolist() == [7129300520, 1]
    assert got["date"].tolist() == ["20141013T000000", "20141209T000000"]
    assert got.dtypes.astype(str).to_dict() == fetched.KING_COUNTY_TYPES


@pytest.mark.usefixtures("of_own_folder")
def test_a_local_file_is_read_without_a_download(cache):
    assert not is_downloaded("king_county")
    assert len(load_sample("king_county").frame) == 21_613
    assert not cache.exists()


def test_a_file_that_is_not_in_the_folder_is_downloaded(monkeypatch, tmp_path, cache, local):
    expected = local("king_county")
    fill_king_county(cache, expected)
    monkeypatch.setenv(real.DATA_VARIABLE, str(tmp_path))
    assert is_downloaded("king_county")
    pd.testing.assert_frame_equal(load_sample("king_county").frame, expected)


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
    assert refused(name) == not_published(own_folder, file)


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
def test_another_table_and_a_folder_that_is_none_are_told(frame, own_folder, monkeypatch):
    frame.to_csv(own_folder / "kc_house_data.csv", index=False)
    assert refused("king_county") == not_published(own_folder, "kc_house_data.csv")
    monkeypatch.setenv(real.DATA_VARIABLE, str(own_folder / "dta"))
    assert refused("gpu") == (
        f"EVENCOVER_DATA is set to {own_folder / 'dta'}, which is no folder; correct it or unset it"
    )


@pytest.mark.parametrize("name", real.SOURCES)
def test_without_a_connection_one_sentence_says_what_to_do(name, capfd):
    assert refused(name) == no_connection(name)
    assert capfd.readouterr() == ("", "")
    assert socket.getdefaulttimeout() is None


NETWORK_ERRORS = {
    "refused": URLError(ConnectionRefusedError(111, "Connection refused")),
    "not found": HTTPError("https://nowhere.invalid", 404, "Not Found", {}, None),
    "overloaded": HTTPError("https://nowhere.invalid", 503, "Unavailable", {}, None),
    "timeout": TimeoutError("The read operation timed out"),
    "reset": ConnectionResetError(104, "Connection reset by peer"),
    "gone": http.client.RemoteDisconnected("closed without response"),
    "incomplete": http.client.IncompleteRead(b"some", 1000),
    "too short": ContentTooShortError("got only 4 out of 1000 bytes", b"some"),
}


def failing(monkeypatch, error):
    """Let each request fail; return the seconds that each would have waited."""
    waits = []

    def fails(*_arguments, **_options):
        waits.append(socket.getdefaulttimeout())
        raise error

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", fails)
    return waits


@pytest.mark.parametrize("case", NETWORK_ERRORS)
@pytest.mark.parametrize("name", real.SOURCES)
def test_every_failure_of_the_network_is_that_sentence_after_twenty_seconds(
    name, case, monkeypatch
):
    waits = failing(monkeypatch, NETWORK_ERRORS[case])
    assert refused(name) == no_connection(name)
    assert set(waits) == {20.0}


@pytest.mark.parametrize("cut", [0, 1, 100])
def test_a_damaged_file_in_the_cache_is_fetched_anew(cache, local, cut):
    path = fill_king_county(cache, local("king_county").head(50))
    path.write_bytes(path.read_bytes()[:-cut] if cut else b"damaged")
    assert refused("king_county") == no_connection("king_county")


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.head(21_612),
        lambda frame: frame.assign(price=frame["price"] * (1 + 2e-6)),
        lambda frame: frame.drop(columns="grade"),
        lambda frame: frame.assign(bedrooms=frame["bedrooms"] + 0.5),
        lambda frame: frame.assign(bedrooms=frame["bedrooms"].where(frame.index > 0)),
        lambda frame: frame.assign(id="house"),
        lambda frame: frame.assign(grade=frame["grade"].mask(frame.index == 7, 8)),
        lambda frame: frame.assign(date=frame["date"].mask(frame.index == 7, "20141014T000000")),
        lambda frame: frame[::-1].reset_index(drop=True),
    ],
    ids=[
        *("rows", "mean", "column gone", "fractions", "missing value", "words"),
        *("one number", "one text", "order"),
    ],
)
def test_a_changed_data_set_is_told(cache, local, change):
    fill_king_county(cache, change(local("king_county")))
    assert refused("king_county") == changed("king_county", cache)


def test_a_data_set_that_is_no_longer_there_is_told(cache, monkeypatch):
    gone = HTTPError("https://nowhere.invalid", 412, "Precondition Failed", {}, None)
    failing(monkeypatch, gone)
    assert refused("gpu") == changed("gpu", cache)


@pytest.mark.parametrize("content", [None, b"", b"damaged", b"x\x9c\x01"])
def test_a_part_of_covtype_and_a_damaged_file_of_it_are_told(cache, local, content):
    folder = fill_covtype(cache, local("covtype").head(10))
    if content is not None:
        (folder / "samples_py3").write_bytes(content)
    assert refused("covtype") == changed("covtype", cache)


@pytest.mark.parametrize("name", real.SOURCES)
def test_a_cache_that_cannot_be_written_is_told(name, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "file" / "cache"))
    assert refused(name) == (
        f"{name} cannot be kept in scikit-learn's cache folder {tmp_path / 'file' / 'cache'} "
        "(Not a directory); name another one by SCIKIT_LEARN_DATA, or set EVENCOVER_DATA to a "
        f"folder that holds {real.SOURCES[name].file}"
    )


@pytest.mark.long
def test_listing_samples_imports_no_fetcher_and_touches_no_cache(cache):
    program = (
        "import sys; from evencover.sample_data import is_downloaded, sample_names; "
        "print([name for name in sample_names() if is_downloaded(name)], "
        "'sklearn.datasets' in sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['king_county', 'gpu', 'covtype'] False\n"
    assert not cache.exists()
