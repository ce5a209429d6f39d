"""Saved predictors, damaged in ten thousand ways: refused in a sentence, or equal in every set.

    python tests/benchmarks/damaged_files.py [--files 10000]

Bytes are changed, cut off or put in; members and their arrays exchanged, dropped, doubled,
reshaped, filled with NaN, infinities and indices beyond bounds, with checksums made anew; headers
changed at every place; archives packed as bombs; other versions and pickles planted. Each is read
with an address space that is at most 64 MiB larger than before, and timed. What is read all the
same has to give the sets of the whole file, unless its checksums were made anew, so that it is
another predictor.
"""

import argparse
import resource
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from damaging import MARK, drawn, fault, predicted, saved

from evencover.core import InputError
from evencover.core.scoring import SavedPredictor

MOST_SECONDS, MOST_BYTES = 0.2, 64 * 2**20


def seconds_of(content: bytes) -> float:
    """Return how long reading takes; MemoryError is told of by the predictor itself."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, resource.RLIM_INFINITY))
    began = time.perf_counter()
    try:
        SavedPredictor.of_bytes(content, "file.evencover")
    except InputError:
        pass
    finally:
        took = time.perf_counter() - began
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return took


def main() -> int:
    """Print what became of the files, and all faults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    files, rows = saved()
    wanted = [predicted(SavedPredictor.of_bytes(content, "whole"), rows) for content in files]
    counts, slowest, faults = Counter[str](), 0.0, []
    MARK.unlink(missing_ok=True)
    for of, name, content in drawn(files, parser.parse_args().files, seed=1):
        why = fault(content, name, rows, wanted[of])
        took = seconds_of(content)
        slowest = max(slowest, took)
        why = why or (f"{took:.3f} s" if took > MOST_SECONDS else "")
        counts[name] += 1
        faults += [(name, why)] if why else []
    print(dict(sorted(counts.items())), f"slowest {1000 * slowest:.0f} ms", f"faults {len(faults)}")
    for each in faults[:20]:
        print(*each)
    if MARK.exists():
        print("something was executed")
    return int(bool(faults) or MARK.exists())


if __name__ == "__main__":
    sys.exit(main())
