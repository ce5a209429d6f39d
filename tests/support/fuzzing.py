"""Tables of known values in many writings, the same damaged, and settings: all from one seed."""

import datetime as dt
import gzip
import io
import itertools
import math
import traceback
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, InputError, audit, parse_table
from evencover.core.preparation.guessed_outputs import guess_label
from evencover.core.preparation.roles import profile_columns
from evencover.core.tables.dates import to_dates

WORDS = ["north", "Süd", "a, b", 'say "x"', "x;y", "1|2 left", "two\nlines", "Ärger", "yes", "日本"]
NAMES = ["area", "Größe", "the, place", "no. 4", "x|y", "ID", "y (€)", "straße", "when", "ζ", "q;r"]
MISSING = ["", "NA", "n/a", "NULL", "?", "unknown"]
"""Words that may stand for a missing value of a column of numbers."""
DELIMITERS = [",", ";", "\t", "|"]


@dataclass(frozen=True)
class Column:
    """Values as they were drawn, None where missing, and each as text."""

    drawn: list
    texts: list
    kind: str  # number, whole, text, date


@dataclass(frozen=True)
class Drawn:
    """A file, and what it holds where that is known: no longer after damage."""

    content: bytes
    name: str
    truth: dict[str, Column] | None
    settings: dict = field(default_factory=dict)


def draw(seed):
    """Return the table of a seed: most as written, every third damaged."""
    rng = np.random.default_rng(seed)
    table = _table(rng)
    return _damaged(rng, table, _table(rng)) if rng.random() < 1 / 3 else table


def look(seed, *, with_audit):
    """Return what became of a table: "read", "audited", "refused", or what went wrong with it.

    One that is read alone cannot be audited with its settings. Warnings, which would be seen on
    the terminal, are faults like tracebacks.
    """
    drawn = draw(seed)
    try:
        with warnings.catch_warnings(action="error"):
            return _outcome(drawn, with_audit=with_audit)
    except InputError:
        return "refused" if drawn.truth is not None else "refused, damaged"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        place = traceback.extract_tb(error.__traceback__)
        frame = [f for f in place if "evencover" in f.filename][-1]
        return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"


def _outcome(drawn, *, with_audit):
    table = parse_table(drawn.content, drawn.name)
    wrong = altered(table, drawn.truth) if drawn.truth is not None else []
    if wrong:
        return f"altered: {', '.join(wrong)}"
    profile_columns(table, AuditSettings(target=guess_label(table)))
    if not with_audit:
        return "read"
    try:
        audit(table, AuditSettings(**drawn.settings))
    except InputError:
        return "read"
    return "audited"


def _table(rng):
    rows = int(rng.choice([1, 2, 12, 40, 120, 200]))
    names = rng.permutation(NAMES)[: int(rng.integers(2, 7))].tolist()
    comma = bool(rng.random() < 0.25)
    # the first is whole: a row of empty cells alone is none
    columns = {name: _column(rng, rows, comma, gaps=i > 0) for i, name in enumerate(names)}
    write = [_text, _text, _text, _parquet, _workbook][int(rng.integers(5))]
    content, kind = write(rng, columns, comma)
    packed, ending = _packed(rng, content)
    return Drawn(packed, f"t.{kind}{ending}", columns, _settings(rng, names))


def _column(rng, rows, comma, *, gaps):
    draw_ = _COLUMNS[int(rng.integers(len(_COLUMNS)))]
    kind, values, written = draw_(rng, rows)
    if gaps and rng.random() < 0.3:
        values = [None if rng.random() < 0.1 else value for value in values]
    gap = str(rng.choice(MISSING)) if kind in ("number", "whole") else ""
    texts = [gap if value is None else written(value) for value in values]
    if comma and kind == "number":
        texts = [text.translate(str.maketrans(".,", ",.")) for text in texts]
    return Column(values, texts, kind)


def _decimals(rng, rows):
    digits = int(rng.choice([1, 2, 4]))  # three could be thousands
    values = [round(float(v), digits) for v in rng.normal(100.0, 50.0, rows)]
    return "number", values, lambda v: f"{v:.{digits}f}"


def _units(rng, rows):
    sign = str(rng.choice(["€", "$", "%"]))
    values = [round(float(v), 2) for v in rng.normal(100.0, 50.0, rows)]
    return "number", values, lambda v: f"{v:.2f} {sign}"


def _grouped(rng, rows):
    """Thousands apart, some with decimals: a column that leaves no doubt."""
    group = str(rng.choice([",", " ", "'", "\u202f"]))
    values = [round(float(v), 2) for v in rng.normal(0.0, 1e6, rows)]
    return "number", values, lambda v: f"{v:,.2f}".replace(",", group)


def _thousandths(rng, rows):
    """With three decimals each, which may be thousands: to be asked about, or noted."""
    return "number", [int(v) / 1000 for v in rng.integers(-9999, 9999, rows)], lambda v: f"{v:.3f}"


def _powers(rng, rows):
    values = [float(v) for v in 10.0 ** rng.uniform(-30, 30, rows)]
    return "number", values, repr


def _bookings(rng, rows):
    form = str(rng.choice(["({:.2f})", "{:.2f}-", "\u2212{:.2f}"]))
    values = [round(float(v), 2) for v in rng.normal(0.0, 50.0, rows)]
    return "number", values, lambda v: form.format(-v) if v < 0 else f"{v:.2f}"


def _whole(rng, rows):
    largest = int(rng.choice([3, 99, 10**6, 10**12, 10**18]))
    return "whole", [int(v) for v in rng.integers(-largest, largest, rows)], str


def _identifiers(rng, rows):
    start = int(rng.integers(2**53, 2**62))
    return "whole", [start + 7 * i for i in range(rows)], str


def _codes(rng, rows):
    return "text", [f"{v:05d}" for v in rng.integers(0, 9999, rows)], str


def _words(rng, rows):
    words = WORDS + ["NA", "None", "null", "?", "nan"] * int(rng.integers(2))
    values = rng.choice(words, rows).tolist()
    return "text", [WORDS[0], *values[1:]], str  # of nothing but such words, all are missing


def _answers(rng, rows):
    yes, no = [("True", "False"), ("y", "n"), ("1", "0")][int(rng.integers(3))]
    values = [yes if v else no for v in rng.random(rows) < 0.5]
    return "text", values, str


def _clock(rng, rows):
    """Local times with an offset: hour and day are those that are written."""
    start, offset = dt.datetime(2015, 3, 1), str(rng.choice(["+09:00", "-05:30", "Z"]))  # noqa: DTZ001
    values = [start + dt.timedelta(minutes=int(v)) for v in rng.integers(0, 9**6, rows)]
    return "date", values, lambda v: f"{v:%Y-%m-%dT%H:%M:%S}{offset}"


def _days(rng, rows):
    form = str(rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%Y-%m-%d %H:%M:%S"]))
    whole = dt.datetime(2001, 1, 1)  # noqa: DTZ001 - of no zone
    step = dt.timedelta(days=1, seconds=0 if "%H" not in form else 3661)
    return (
        "date",
        [whole + step * int(v) for v in rng.integers(0, 9000, rows)],
        lambda v: v.strftime(form),
    )


_NUMBERS = [_decimals, _units, _whole, _identifiers, _grouped, _thousandths, _powers, _bookings]
_COLUMNS = [*_NUMBERS, _codes, _words, _answers, _days, _clock]


def _text(rng, columns, comma):
    delimiter = ";" if comma else str(rng.choice(DELIMITERS))
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    end = str(rng.choice(["\n", "\r\n"]))
    quote = bool(rng.random() < 0.3)

    def field_of(text):
        if quote or any(sign in text for sign in (*DELIMITERS, '"', "\n")):
            return '"{}"'.format(text.replace('"', '""'))
        return text

    lines = [list(columns), *zip(*(column.texts for column in columns.values()), strict=True)]
    text = "".join(delimiter.join(map(field_of, line)) + end for line in lines)
    try:
        return text.encode(encoding), "csv"
    except UnicodeEncodeError:  # not all of it is in cp1252
        return text.encode(), "csv"


def _frame(columns):
    return pd.DataFrame({name: pd.Series(c.drawn, dtype=object) for name, c in columns.items()})


def _parquet(rng, columns, _comma):
    buffer = io.BytesIO()
    frame = _frame(columns).infer_objects()
    for name, column in columns.items():
        if column.kind == "whole":
            frame[name] = pd.array(column.drawn, dtype="Int64")
    frame.to_parquet(buffer, compression=[None, "snappy", "gzip"][int(rng.integers(3))])
    return buffer.getvalue(), "parquet"


def _workbook(_rng, columns, _comma):
    buffer = io.BytesIO()
    frame = _frame(columns)
    for name, column in columns.items():
        if column.kind == "whole" and any(v is not None and abs(v) > 2**53 for v in column.drawn):
            frame[name] = column.texts  # as numbers a workbook cannot hold them
    frame.to_excel(buffer, index=False)
    return buffer.getvalue(), "xlsx"


def _packed(rng, content):
    chance = rng.random()
    if chance < 0.1:
        return gzip.compress(content), ".gz"
    if chance < 0.2:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("t", content)
        return buffer.getvalue(), ".zip"
    return content, ""


def _settings(rng, names):
    target, other = rng.permutation(names)[:2].tolist()
    settings = {"target": target, "seed": int(rng.integers(100))}
    choices = {
        "measure": "standard",
        "confidence_level": float(rng.choice([0.5, 0.8, 0.99])),
        "categorical": (other,),
        "numeric": (other,),
        "group": other,
        "time": other,
        "audit_only": (other,),
        "drop": (other,),
        "log_target": True,
        "pairs": ((target, other),),
        "split_column": other,
        "reference": ((other, "1"),),
        "cohorts": (("some", f'"{other}" = 1'),),
        "bins": int(rng.integers(1, 40)),
        "repeats": 2,
        "split": str(rng.choice(["0.4,0.3,0.3", "20,20,20", "0.8,0.1,0.1"])),
    }
    for name in rng.permutation([*choices])[: int(rng.choice([0, 0, 1, 2]))].tolist():
        settings[name] = choices[name]
    return settings


def _damaged(rng, table, other):
    content = bytearray(table.content)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(content) + 1))
        way = int(rng.integers(4))
        if way == 0:
            for at in rng.integers(0, max(1, len(content)), int(rng.choice([1, 3, 30]))):
                content[at : at + 1] = bytes([int(rng.integers(256))])
        elif way == 1:
            content = content[:place]
        elif way == 2:
            start = int(rng.integers(len(other.content)))
            content[place:place] = other.content[start : start + int(rng.integers(1, 400))]
        else:
            content[place : place + int(rng.integers(1, 40))] = b""
    return Drawn(bytes(content), table.name, None, table.settings)


def altered(table, truth):
    """Return the columns whose values are not those that were written, though no note says so."""
    noted = " ".join(map(str, table.notes))
    names = dict(zip(truth, table.names, strict=False))
    if len(names) != len(truth):
        return ["the number of columns"]
    return [
        name
        for name, column in truth.items()
        if name.strip() != names[name] or (name not in noted and not _agree(table, name, column))
    ]


def _agree(table, name, column):
    read = table.frame[name]
    if column.kind == "date" and table.kinds[name] == "date":
        read = to_dates(read)
    cells = zip(read, column.drawn, column.texts, strict=True)
    return all(itertools.starmap(_same, cells))


def _same(read, value, text):
    """Say whether a cell is what was written, as a value or as its very text."""
    if value is None or pd.isna(read):
        return value is None and (pd.isna(read) or read == text)
    if isinstance(read, str | bool | np.bool):
        return str(read).strip() == text.strip()
    if isinstance(value, dt.datetime):
        return pd.Timestamp(read) == value
    return int(read) == int(value) if isinstance(value, int) else _close(read, float(value))


def _close(read, value):
    return math.isclose(float(read), value, rel_tol=1e-12)
