"""Whether any table, damaged or not, ends otherwise than in what it holds or in one sentence.

    python tests/benchmarks/fuzz.py --tables 5000 [--seed 0] [--json FILE]
    python tests/benchmarks/fuzz.py --of audits --tables 2500 [--seen FILE]

Reads tables of known values in many writings, every third one damaged, tells what becomes of their
columns, and audits it; some one in five has enough rows and settings that go with it. Works in a
child process that is ended after 20 s of processor time for one table. Counts tracebacks, hangs,
tables that take more than 1.5 GB, and values altered without a note; exits with 1 if there are any.
``--one SEED`` looks at one table. Audits are of small awkward tables with any of the options, and
all that the command writes of them. With ``--seen FILE`` what is done is kept in lines, and the
same command goes on from there.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "support"))
SECONDS = 20
MEMORY = 1.5e9
FINE = ("read", "audited", "refused")


def work(of, first, end):
    """Look at tables in this process, whose time for each is limited; print a line for each."""
    import resource  # noqa: PLC0415 - not on Windows
    import signal  # noqa: PLC0415

    import auditing  # noqa: PLC0415 - the parent need not load all this
    import fuzzing  # noqa: PLC0415

    look = {"tables": partial(fuzzing.look, with_audit=True), "audits": auditing.look}[of]
    for seed in range(first, end):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # ends the process, whatever it does
        outcome = look(seed)
        own, child = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        memory = max(own.ru_maxrss, child.ru_maxrss) * 1024
        print(json.dumps([seed, outcome, memory]), flush=True)


def outcomes(of, first, end):
    """Yield seed, outcome and memory of each table; a table that ends its process is a hang."""
    while first < end:
        command = [sys.executable, __file__, "--of", of, "--work", str(first), str(end)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603
            for line in child.stdout:
                seed, outcome, memory = json.loads(line)
                if memory > MEMORY:
                    yield seed, f"memory: {memory / 1e9:.1f} GB", memory
                    first = seed + 1
                    child.kill()
                    break
                yield seed, outcome, memory
                first = seed + 1
        if first < end and child.returncode != -9:
            yield first, f"hang, or end of the process ({child.returncode})", 0
            first += 1


def kept(file, of, first, end):
    """Yield the same, those of the lines of a file first, to which the others are added."""
    if file is None:
        yield from outcomes(of, first, end)
        return
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
            first = json.loads(line)[0] + 1
    with file.open("a", encoding="utf-8") as lines:
        for outcome in outcomes(of, first, end):
            lines.write(json.dumps(outcome) + "\n")
            lines.flush()
            yield outcome


def fuzz(of, tables, seed, file):
    """Return the number of tables, of each outcome, and the faults by their seeds."""
    begun = time.perf_counter()
    seen = list(kept(file, of, seed, seed + tables))
    faults = {str(s): outcome for s, outcome, _ in seen if not outcome.startswith(FINE)}
    return {
        "tables": len(seen),
        "outcomes": Counter(outcome for _, outcome, _ in seen if outcome.startswith(FINE)),
        "largest memory, MB": round(max(memory for *_, memory in seen) / 1e6),
        "seconds": round(time.perf_counter() - begun, 1),
        "faults": faults,
    }


def main():
    """Run as the module says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", choices=("tables", "audits"), default="tables")
    parser.add_argument("--seen", type=Path)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", type=int)
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        work(options.of, *options.work)
        return 0
    if options.one is not None:
        work(options.of, options.one, options.one + 1)
        return 0
    result = fuzz(options.of, options.tables, options.seed, options.seen)
    text = json.dumps(result, indent=1)
    print(text)
    if options.json is not None:
        options.json.write_text(text, encoding="utf-8")
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
