"""Small tables of awkward columns, and settings for them by the table of options: by one seed."""

import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, InputError, audit
from evencover.core.experiment.comparison import compare
from evencover.core.preparation import options as kinds
from evencover.core.preparation.options import OUTPUT_FIELDS, OUTPUT_WAYS
from evencover.core.preparation.settings import OPTIONS
from evencover.core.remedies.names import REMEDIES
from evencover.core.tables.table import Table

ROWS = [12, *[60, 90, 120, 120, 200, 400] * 3]
NOT_DRAWN = {"target", "join", "on", "encoding", "sheet", "header", "missing", "sample", "looks"}
"""Of files, or what another option stands for."""

FIGURES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "large": lambda rng, n: float(rng.choice([1e90] * 9 + [1e300])) * rng.normal(size=n),
    "tiny": lambda rng, n: 1e-300 * rng.normal(size=n),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 9, n),
    "powers": lambda rng, n: 10.0 ** rng.uniform(-30, 30, n),
    "heavy": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "far": lambda rng, n: 1e12 + rng.normal(size=n),
    "few": lambda rng, n: rng.integers(0, 3, n),
    "whole": lambda rng, n: rng.integers(0, 40, n),
    "constant": lambda _, n: np.full(n, 7.0),
    "all but one": lambda rng, n: np.where(np.arange(n) == rng.integers(n), 1.0, 0.0),
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)),
}
OTHERS = {
    "words": lambda rng, n: rng.choice(["a", "b ", "b", "é", "x, y"], n),
    "many words": lambda rng, n: [f"w{v}" for v in rng.integers(0, n, n)],
    "flags": lambda rng, n: rng.random(n) < 0.3,
    "gappy words": lambda rng, n: rng.choice(np.array(["a", None, "1"], dtype=object), n),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.2 / n, np.inf, rng.normal(size=n)),
    "days": lambda rng, n: (
        pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D")
    ),
    "rare": lambda rng, n: np.where(rng.random(n) < 2 / n, "rare", "usual"),
}
WEIGHTS = [
    lambda rng, n: rng.integers(0, 4, n),
    lambda rng, n: np.where(rng.random(n) < 0.5, 1e-300, 1.0),
    lambda _, n: np.full(n, 1e-300),
    lambda _, n: np.where(np.arange(n) == 3, 1.0, 1e-300),
    lambda rng, n: 10.0 ** rng.uniform(-300, 0, n),
    lambda rng, n: 10.0 ** rng.uniform(-3, 3, n),
    lambda _, n: np.full(n, 0.1),
    lambda _, n: np.full(n, 1e50),
]
NUMBERS = {
    "confidence_level": [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999],
    "penalty": [0.0, 0.1, 0.5, 5.0, 1e9, 1e-300],
    "below": [0.0, 0.01, 0.05, 1e-300],
    "cap_width": [0.0, 1e-300, 0.5, 3.0, 1e300],
}
WHOLE = {
    "repeats": [2, 3],
    "permutations": [1, 20],
    "bins": [2, 3, 10, 100],
    "seed": [0, 7, 2**53 - 1],
}
SPLITS = ["0.4,0.3,0.3", "0.8,0.1,0.1", "0.1,0.1,0.8", "20,20,20", "5,3,2"]


def draw(seed):
    """Return the table of a seed as a frame, and its settings, which may be refused."""
    rng = np.random.default_rng(seed)
    frame, outputs = _frame(rng)
    features = [name for name in frame if name.startswith("x")]
    return frame, {"target": "y"} | _settings(rng, features, outputs)


def look(seed):
    """Return what became of an audit: "audited", "refused" with its code, or what went wrong."""
    frame, given = draw(seed)
    try:
        with warnings.catch_warnings(action="error"):
            if seed % 10 == 0:
                _compare(frame, given)
            _shown(audit(Table.of(frame), AuditSettings(**given)), frame)
    except InputError as error:
        return f"refused: {error.sentence.code}"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        place = traceback.extract_tb(error.__traceback__)
        own = [f for f in place if {"core", "dashboard"} & {*Path(f.filename).parts}][-1]
        return f"{type(error).__name__} at {Path(own.filename).name}:{own.lineno}: {error}"
    return "audited"


def _shown(result, frame):
    """Make all that a command can write of a result; a predictor is saved, loaded, and predicts."""
    from evencover.dashboard.export.card import to_markdown  # noqa: PLC0415 - the charts' library
    from evencover.dashboard.export.files import (  # noqa: PLC0415
        to_csv_texts,
        to_json_text,
        to_rows_csv,
    )
    from evencover.dashboard.export.report import to_html  # noqa: PLC0415
    from evencover.dashboard.export.terminal_summary import to_text  # noqa: PLC0415

    for make in (to_json_text, to_text, to_csv_texts, to_html, to_markdown, to_rows_csv):
        make(result)
    try:
        predictor = result.predictor("")
    except InputError:  # of ready-made sets, say
        return
    predictor.predict(frame)


def _compare(frame, given):
    """Compare the remedies of settings, and make all that the command can write of it."""
    from evencover.dashboard.export import comparison as export  # noqa: PLC0415 - as above

    settings = AuditSettings(**given | {"remedies": ("none",), "repeats": 1})
    seeds = None if settings.fixed_split_column else 2
    names = given.get("remedies", ("ifacm", "quantile"))
    found = compare(Table.of(frame), settings, names, seeds=seeds)
    for make in (
        export.comparison_to_json_text,
        export.comparison_to_csv_texts,
        export.comparison_to_text,
    ):
        make(found)


def _frame(rng):
    """Return columns, and those of outputs by option; y is the label."""
    n = int(rng.choice(ROWS))
    makers = FIGURES | OTHERS
    names = rng.choice([*makers], int(rng.integers(1, 6)))
    columns = {f"x{i}": makers[name](rng, n) for i, name in enumerate(names)}
    if rng.random() < 0.3:  # all but the same once more
        first = FIGURES[str(rng.choice([*FIGURES]))](rng, n)
        columns |= {"xa": first, "xb": first * (1 + 1e-13 * rng.normal(size=n))}
    columns["y"], is_number = _label(rng, n, columns)
    columns["w"] = WEIGHTS[int(rng.integers(len(WEIGHTS)))](rng, n)
    columns["set"] = rng.choice(["train", "calibration", "test"], n)
    columns["who"] = rng.integers(0, max(2, n // 3), n)
    columns["step"] = rng.integers(1, 4, n)
    outputs = (_of_number if is_number else _of_classes)(rng, n, columns)
    frame = pd.DataFrame(columns | outputs)
    return frame, [*outputs]


def _label(rng, n, columns):
    if rng.random() < 0.3:
        of = ["a", "b", "c", "d"][: int(rng.integers(2, 5))]
        rare = np.full(len(of), 1e-2)
        rare[0] = 1.0
        odds = rare / rare.sum() if rng.random() < 0.3 else None
        return rng.choice(of, n, p=odds), False
    label = np.asarray(FIGURES[str(rng.choice([*FIGURES]))](rng, n), dtype=float)
    known = [v for v in columns.values() if np.asarray(v).dtype.kind == "f"]
    if known and rng.random() < 0.5:  # it hangs on a feature, or is one
        label = known[0] if rng.random() < 0.2 else label + np.nan_to_num(known[0], posinf=0.0)
    return label, True


def _of_number(rng, n, columns):
    y = np.asarray(columns["y"], dtype=float)
    size = np.abs(y) * 0.1 if rng.random() < 0.5 else np.full(n, 0.1)
    centre = y + np.nan_to_num(size * rng.normal(size=n))
    spread = np.abs(size * rng.normal(size=n)) * (rng.random(n) < 0.9)
    if rng.random() < 0.1:  # one is not there
        centre[0] = rng.choice([np.nan, np.inf, -np.inf])
    return {
        "o_prediction": centre,
        "o_sigma": spread,
        "o_lower": centre - spread,
        "o_upper": centre + spread,
    }


def _of_classes(rng, n, columns):
    classes = sorted({*columns["y"]})
    odds = rng.dirichlet(np.full(len(classes), float(rng.choice([1e-3, 1.0]))), n)
    held = rng.random((n, len(classes))) < 0.7
    texts = [", ".join(c for c, h in zip(classes, row, strict=True) if h) for row in held]
    return (
        {f"p_{c}": odds[:, i] for i, c in enumerate(classes)}
        | {f"s_{c}": held[:, i] for i, c in enumerate(classes)}
        | {"sets": texts}
    )


def _settings(rng, features, outputs):
    def some(most):
        return tuple(rng.permutation(features)[: int(rng.integers(1, most + 1))].tolist())

    made = {kinds.COLUMN: lambda: str(rng.choice(features)), kinds.COLUMN_LIST: lambda: some(3)}
    made |= {
        kinds.FLAG: lambda: True,
        kinds.REMEDY_LIST: lambda: _remedies(rng, features),
        kinds.WORDS_OF: lambda: ((some(1)[0], ("a", "0")),),
        kinds.PAIRS: lambda: ((some(1)[0], "y"),),
        kinds.CUTS: lambda: ((some(1)[0], tuple(np.sort(rng.normal(size=3)).tolist())),),
        kinds.REFERENCE: lambda: ((some(1)[0], "a"),),
        kinds.COHORTS: lambda: (("some", f"{some(1)[0]} > 0"),),
    }
    own = {"weight": "w", "split_column": "set", "group": "who", "time": "who", "horizon": "step"}
    given = {}
    free = [f for f in OPTIONS if f not in NOT_DRAWN | {*OUTPUT_FIELDS}]
    likely = ["confidence_level", "remedies", "weight", "estimator"]
    names = rng.permutation(free)[: int(rng.integers(0, 4))].tolist()
    names += [name for name in likely if rng.random() < 0.4]
    for field in dict.fromkeys(names):
        option = OPTIONS[field]
        if option.allowed:
            given[field] = str(rng.choice([*option.allowed]))
        elif field in NUMBERS:
            given[field] = float(rng.choice(NUMBERS[field]))
        elif field in WHOLE:
            given[field] = int(rng.choice(WHOLE[field]))
        elif field == "split":
            given[field] = str(rng.choice(SPLITS))
        else:
            given[field] = own[field] if field in own else made[option.kind]()
    if rng.random() < 0.35:
        given |= _outputs(rng, outputs)
    return given if rng.random() < 0.1 else _fitting(given, outputs)


def _fitting(given, outputs):
    """Leave out most of what is refused whatever the table."""
    task = "regression" if "o_sigma" in outputs else "classification"
    idle = {field for way in OUTPUT_WAYS if {*way.needed} & given.keys() for field in way.idle}
    return {
        field: value
        for field, value in given.items()
        if field not in idle
        and (OPTIONS[field].tasks is None or task in OPTIONS[field].tasks(value))
    }


def _outputs(rng, outputs):
    """Return one way to say what a model said, which the label serves."""
    of = {
        "prediction": "o_prediction",
        "sigma": "o_sigma",
        "lower": "o_lower",
        "upper": "o_upper",
        "quantiles": ("o_lower", "o_upper"),
        "probabilities": tuple(name for name in outputs if name.startswith("p_")),
        "set_columns": tuple(name for name in outputs if name.startswith("s_")),
        "label_set": "sets",
    }
    task = "regression" if "o_sigma" in outputs else "classification"
    ways = [way for way in OUTPUT_WAYS if way.task == task]
    way = ways[int(rng.integers(len(ways)))]
    return {f: of[f] for f in (*way.needed, *(m for m in way.more if rng.random() < 0.5))}


def _remedies(rng, features):
    def one():
        name = str(rng.choice([*REMEDIES]))
        wants = REMEDIES[name].wants
        name += "@0.2" if name.startswith("ifacm") and rng.random() < 0.3 else ""
        if wants == "columns":
            return f"{name}:{'+'.join(rng.permutation([*features, 'step'])[:2])}"
        return f"{name}:{rng.choice(features)}" if "nothing" not in wants else name

    return tuple(dict.fromkeys(one() for _ in range(int(rng.integers(1, 4)))))
