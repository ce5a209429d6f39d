"""How long, and in how much memory, are 20 million rows predicted by a saved predictor?

``python tests/benchmarks/predict.py FOLDER`` makes the rows as Parquet files in FOLDER, if they are
not there, trains and saves a predictor on rows like them, and predicts them all by ``evencover
predict`` in a process of its own. ``--files N`` takes the first N files alone, ``--model`` another
model, ``--remedy`` another remedy, and ``--kind csv`` one file of text in place of the folder. Of
some rows of each million what is written is compared, to the last digit, with what Python says.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from evencover.core import AuditSettings, audit, load

FILES, ROWS = 20, 1_000_000
TRAINING = 30_000
MOST_MIB = 1024
COMPARED = 1000


def drawn(seed, rows):
    """Return rows of three numbers and a category, on which a label is to depend."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows).astype(float)
    age[rng.random(rows) < 0.01] = np.nan
    region = rng.choice([f"region {i}" for i in range(20)], rows)
    return pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "age": age,
            "rooms": rng.integers(1, 7, rows),
            "region": region,
        }
    )


def labelled(rows):
    noise = np.random.default_rng(1).normal(size=len(rows))
    spread = np.where(rows["region"] == "region 3", 3.0, 1.0) * np.exp(0.3 * rows["x"])
    center = 2.0 * rows["x"] + 0.01 * rows["age"].fillna(50.0) + rows["rooms"]
    return rows.assign(y=center + spread * noise)


def make(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"part-{number:04}.parquet"
        if not path.exists():
            drawn(number, ROWS).to_parquet(path, index=False)


def predicted(saved, table, out):
    """Run the command, and return its seconds and peak memory in MiB."""
    command = [str(Path(sys.executable).with_name("evencover")), "predict", str(saved), str(table)]
    started = time.perf_counter()
    subprocess.run([*command, "--parquet", str(out), "--quiet"], check=True)  # noqa: S603 - our own
    seconds = time.perf_counter() - started
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def check(saved, out, files):
    """Refuse what is written if it is not what Python says of the first rows of each file."""
    predictor, written = load(saved), pq.ParquetFile(out)
    assert written.metadata.num_rows == files * ROWS
    row = 0
    for batch in written.iter_batches(100_000):
        if row % ROWS == 0:
            some = batch.slice(0, COMPARED).to_pandas()
            rows = drawn(row // ROWS, ROWS).head(COMPARED)
            pd.testing.assert_frame_equal(
                some, predictor.predict(rows), check_exact=True, check_dtype=False
            )
        row += len(batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--model", default="linear")
    parser.add_argument("--remedy", default="mondrian:region")
    parser.add_argument("--kind", choices=("parquet", "csv"), default="parquet")
    options = parser.parse_args()
    make(options.folder, options.files)
    settings = AuditSettings(target="y", model=options.model, remedies=(options.remedy,))
    result = audit(labelled(drawn(1000, TRAINING)), settings)
    with tempfile.TemporaryDirectory(dir=options.folder.parent) as name:
        saved, table, out = Path(name) / "saved.evencover", Path(name) / "rows", Path(name) / "out"
        result.predictor(result.names[-1]).save(saved)
        if options.kind == "csv":
            table = table.with_suffix(".csv")
        else:
            table.mkdir()
        for number in range(options.files):
            path = options.folder / f"part-{number:04}.parquet"
            if options.kind == "parquet":
                (table / path.name).symlink_to(path.resolve())
            else:
                frame = pd.read_parquet(path)
                frame.to_csv(table, mode="a", header=number == 0, index=False)
        seconds, peak = predicted(saved, table, out)
        check(saved, out, options.files)
        size = saved.stat().st_size
    rows = options.files * ROWS
    print(f"{options.model}, {options.remedy}, {options.kind}; saved in {size:,} bytes")
    print(f"{rows:,} rows: {seconds:.1f} s, {rows / seconds:,.0f} rows a second")
    print(f"{peak:,.0f} MiB (at most {MOST_MIB:,})")


if __name__ == "__main__":
    main()
