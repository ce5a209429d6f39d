"""What a watch has seen as OpenMetrics text, by a reader that takes nothing else."""

import math
import re
from dataclasses import replace

import pytest
import watched

from evencover.core.tables.table import Table
from evencover.core.watching.intake import Watch
from evencover.core.watching.report import report
from evencover.core.watching.state import WatchState
from evencover.dashboard.export.open_metrics import to_open_metrics

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(rf'({NAME})="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
SAMPLE = re.compile(rf"({NAME})\{{(.*)\}} (NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


def read(text):
    """Return gauges by name and labels; each family's lines stand together, under its type."""
    assert text.endswith("\n")
    *lines, end, nothing = text.split("\n")
    assert (end, nothing) == ("# EOF", "")
    found, family, told = {}, None, set()
    for line in lines:
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert kind == "gauge"
            assert family not in told
            told.add(family)
        elif line.startswith("# HELP "):
            assert line.startswith(f"# HELP {family} ")
            assert '"' not in line
        else:
            name, inside, value = SAMPLE.fullmatch(line).groups()
            assert name == family
            pairs = LABEL.findall(inside)
            assert ",".join(f'{key}="{of}"' for key, of in pairs) == inside
            plain = [(key, re.sub(r"\\.", lambda of: ESCAPES[of[0]], of)) for key, of in pairs]
            assert len({key for key, _ in plain}) == len(plain)
            key = (name.removeprefix("evencover_watch_"), *(of for _, of in plain))
            assert key not in found
            found[key] = float(value)
    return found


@pytest.fixture(scope="module")
def seen():
    watch, rows = Watch(watched.predictor(), "id", "day"), watched.rows(300)
    rows.loc[:49, "y"] = math.nan
    state, added = watch.of_pieces([Table.of(rows)], WatchState(watch.fingerprint), "")
    return report(watch, state, added)


def test_every_figure_is_a_gauge(seen):
    found, rows = read(to_open_metrics(seen)), watched.rows(300)[50:]
    assert found["rows", "Own"] == 250.0
    assert found["rows_waiting", "Own"] == 50.0
    assert found["promised", "Own"] == 0.9
    assert found["coverage", "Own"] == pytest.approx(((rows["y"] - rows["x"]).abs() <= 1).mean())
    assert len(found) == 4 + 2 * len(seen.checks) + 2 * 2
    for row in seen.checks:
        about = ("Own", row.about, row.name)
        assert found["evidence_log", *about] == row.evidence
        assert found["moved", *about] == float(row.moved)
        if row.about in ("coverage", "group"):
            assert found["coverage_since", *about] == row.share_since
            assert found["visible_drop", *about] == row.visible


def test_what_is_not_known_is_nan(seen):
    text = to_open_metrics(replace(seen, n=0))
    assert 'evencover_watch_coverage{predictor="Own"} NaN\n' in text
    assert math.isnan(read(text)["coverage", "Own"])


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ('a"} 1\\n', 'a"} 1\\n'),
        ("\\", "\\"),
        ("two\nlines\r\x00", "two␊lines␍␀"),
        ("half \ud800", "half \\ud800"),
        ('ü, b="c",', 'ü, b="c",'),
    ],
)
def test_names_may_hold_anything(seen, hostile, shown):
    checks = [replace(row, name=f"{hostile}{i}") for i, row in enumerate(seen.checks)]
    found = read(to_open_metrics(replace(seen, predictor=hostile, checks=checks)))
    assert {key[1] for key in found} == {shown}
    assert found["moved", shown, "coverage", f"{shown}0"] == 0.0
