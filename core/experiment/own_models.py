"""Several models of a user's own on the same rows: their columns, and a predictor of each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd

from ..conformal.measures import Fit
from ..conformal.predictor import MeasurePredictor, Prediction, Predictor, ReadyMade
from ..messages import Cell, InputError, Names, Passage, Sentence, in_quotes
from ..preparation.options import COLUMN, OUTPUT_FIELDS
from ..preparation.outputs import classes_of_outputs, read_outputs, rows_without_outputs
from ..preparation.roles import columns_with_a_role
from ..preparation.settings import OPTIONS, AuditSettings
from ..rows.examples import Examples, ModelOutputs
from ..tables.columns import check_exists
from ..tables.table import Table, read_as_asked
from .predictors import Candidate, Fitting

_SIGNS = ("_", ".", "-", " ", "")
_NO_OUTPUTS = (
    "nothing is said of what the models gave; name, for example, lower and upper as the columns "
    "are called, or as their names end"
)
_ONE = "there is one model, '{model}', and nothing to compare it with; name another"
_NO_COLUMN = (
    "there is no column of '{column}' by model '{model}'; call it {model}_{column}, or name others"
)
_SEVERAL = "model '{model}' has several rows alike in {key}; name a column that tells rows apart"
_NEVER_MET = (
    "no row is there by all of the models {models}, as rows go by {key}; name a column that tells "
    "which rows are one"
)
_UNKNOWN = (
    "sets of model '{model}' hold classes that are no label, nor in the first model's sets: "
    "{classes}; mend those sets, or name this model first"
)
_DIFFERS = (
    "column '{column}' has another value for each model, and none for a row of all of them; leave "
    "it out"
)
_LABELS = (
    "Rows of one {key} of which not all models have the same label, left out: {rows}, for example "
    "of {example}."
)
_UNMET = "Rows that not all models have, left out: {rows}."
_DIFFER = "Columns that differ between models of one row, left out: {columns}."
_UNSAID = "Rows of which some model said nothing, left out: {rows}."


@dataclass(frozen=True)
class OwnModels:
    """Several models on the rows of a table, each by the settings that name its columns."""

    table: Table
    settings: Mapping[str, AuditSettings]

    @classmethod
    def of(
        cls,
        table: Table,
        settings: AuditSettings,
        models: Iterable[str] = (),
        model_column: str | None = None,
        key: Sequence[str] = (),
    ) -> "OwnModels":
        """Find each model's columns: those that settings name, with its name before or behind.

        With a ``model_column`` these are made first, see :func:`beside_each_other`. Rows of which
        not all models said anything are left out. Raises :class:`InputError` if a column is not
        there, or there are fewer than two models.
        """
        names = list(dict.fromkeys(models))
        if settings.outputs is None:
            raise InputError("models.no_outputs", _NO_OUTPUTS)
        if model_column is not None:
            table, notes = read_as_asked(table, *settings.readings)
            table = replace(table, notes=(*table.notes, *notes))
            before, settings = table.names, replace(settings, numeric=(), missing_in=())
            table, names = beside_each_other(table, settings, model_column, key, names)
            settings = _without({*before} - {*table.names}, settings)
            no_features = (name for name in key if name not in columns_with_a_role(settings))
            settings = replace(settings, drop=(*settings.drop, *no_features))
        if len(names) < 2:  # noqa: PLR2004 - to compare
            raise InputError("models.one", _ONE, model=names[0] if names else "")
        own = {name: _fields_of(name, names, table.names, settings) for name in names}
        every = chain(*(OPTIONS[f].kind.columns(v) for of in own.values() for f, v in of.items()))
        drop = tuple(dict.fromkeys((*settings.drop, *every)))
        whole = {name: replace(settings, **of) for name, of in own.items()}
        without = np.any([rows_without_outputs(table, of) for of in whole.values()], axis=0)
        if without.any():
            note = Sentence("models.unsaid", _UNSAID, rows=int(without.sum()))
            table = replace(table.rows(~without), notes=(*table.notes, note))
        kept = {n: tuple(c for c in drop if c not in of.output_columns) for n, of in whole.items()}
        return cls(table, {name: replace(of, drop=kept[name]) for name, of in whole.items()})

    def candidates(self) -> list[Candidate]:
        """Return a predictor of each model, the first the reference."""
        first = [True, *[False] * (len(self.settings) - 1)]
        ways = zip(self.settings.items(), first, strict=True)
        return [Candidate(name, partial(_fitted, name, of, is_), is_) for (name, of), is_ in ways]


def _without(gone: Collection[str], settings: AuditSettings) -> AuditSettings:
    """Return settings for a table without columns, which only outputs may still be called as."""
    lists = settings.drop, settings.categorical
    drop, codes = (tuple(name for name in names if name not in gone) for names in lists)
    settings = replace(settings, drop=drop, categorical=codes)
    others = (one for one in settings.by_option() if one[0].field not in OUTPUT_FIELDS)
    for column in chain(*(about.kind.columns(value) for about, value in others if value)):
        if column in gone:
            raise InputError("models.differs", _DIFFERS, column=column)
    return settings


def _fields_of(
    model: str, models: Iterable[str], names: Collection[str], settings: AuditSettings
) -> dict[str, Any]:
    """Return the fields of settings that name outputs, with the model's own columns.

    Settings may name those of any of the models, too.
    """

    def own(column: str) -> str:
        signed = [*product(models, filter(None, _SIGNS))]
        stems = [column, *(column.removeprefix(f"{name}{sign}") for name, sign in signed)]
        stems += [column.removesuffix(f"{sign}{name}") for name, sign in signed]
        ways = ((f"{model}{sign}{c}", f"{c}{sign}{model}") for c, sign in product(stems, _SIGNS))
        found = next((way for way in chain(*ways) if way in names), None)
        if found is None:
            raise InputError("models.no_column", _NO_COLUMN, model=model, column=column)
        return found

    fields = {field: tuple(map(own, of)) for field, of in settings.by_output().items()}
    return {f: of[0] if OPTIONS[f].kind is COLUMN else of for f, of in fields.items()}


class _OwnModel(Predictor):
    """A predictor by a model's outputs for the rows of a table, whatever else examples hold."""

    def __init__(self, name: str, by: Predictor, outputs: ModelOutputs, fit: Fit) -> None:
        self.name = self.title = name
        self.guarantee, self.is_calibrated = by.guarantee, by.is_calibrated
        self.by, self.outputs, self.fit_ = by, outputs, fit

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets by the model's own outputs."""
        own, other = (
            replace(e, outputs=self.outputs.rows(e.rows)) for e in (examples, calibration)
        )
        return self.by.predict(own, own if calibration is examples else other)


def _fitted(name: str, settings: AuditSettings, is_first: bool, fitting: Fitting) -> Predictor:  # noqa: FBT001 - of partial
    data = fitting.data
    known = getattr(data.label, "classes", ())
    classes = classes_of_outputs(data.table, settings) if known else ()
    if others := [name for name in classes if name not in known]:
        raise InputError("models.classes", _UNKNOWN, model=name, classes=Names(others))
    outputs, (_, *notes) = read_outputs(data.table, data.label, settings)
    assert outputs is not None  # noqa: S101 - see OwnModels.of
    by: Predictor = ReadyMade(name)
    if (measure := settings.given_measure) is not None:
        measure.fit(data.train, data.train.y)
        by = MeasurePredictor(name, name, measure, settings.confidence_level)
    told = [Sentence(n.code, "{model}: {note}", model=name, note=Passage(n)) for n in notes]
    return _OwnModel(name, by, outputs, Fit(notes=() if is_first else told))  # as of preparing it


def beside_each_other(
    table: Table,
    settings: AuditSettings,
    column: str,
    key: Sequence[str] = (),
    asked: Iterable[str] = (),
) -> tuple[Table, list[str]]:
    """Return a table with a row for each object, of one with a row for each object and model.

    Beside it are the models' names, in the order asked for, or else sorted.

    ``column`` says which model a row is of; the columns of outputs get its name before theirs.
    Rows are of one object if they have the same ``key`` and label; without a key, the same in all
    other columns. Raises :class:`InputError` if a model has several rows of one object, or no
    object has all models.
    """
    outputs = list(settings.output_columns)
    for name in (column, *outputs, settings.target, *key):
        check_exists(table.names, name)
    others = [name for name in table.names if name not in (column, *outputs)]
    shown = Passage(f"{in_quotes(key)} and the label" if key else "all other columns")
    models = table[column].levels
    known, by = sorted(models.dropna().unique()), [*key, settings.target] if key else others
    for name in asked:
        check_exists(known, name, "model")
    names = [*asked] or known
    rows = table.frame.groupby(by, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    cells = pd.Series(np.arange(len(rows)), [rows, models])[models.isin(names).to_numpy()]
    if (twice := cells.index.duplicated()).any():
        model = Cell(cells.index[twice][0][1])
        raise InputError("models.several", _SEVERAL, model=model, key=shown)
    places = cells.unstack()[names]  # noqa: PD010 - none is there twice
    whole = places.dropna().astype(np.intp)
    if whole.empty:
        raise InputError("models.never_met", _NEVER_MET, models=Names(names), key=shown)
    places_of = {name: whole[name].to_numpy() for name in names}
    parts = {n: table.rows(at).frame.reset_index(drop=True) for n, at in places_of.items()}
    first, *rest = parts.values()
    differ = [c for c in others if not all(part[c].equals(first[c]) for part in rest)]
    kept = [name for name in others if name not in differ]
    notes = [*table.notes, *_left_out(table, cells, whole.index, key)]
    if differ:
        notes.append(Sentence("models.differ", _DIFFER, columns=Names(differ)))
    frame, kinds = first[kept], {name: table.kinds[name] for name in kept}
    for name, part in parts.items():
        frame = frame.assign(**{f"{name}_{output}": part[output] for output in outputs})
        kinds |= {f"{name}_{output}": table.kinds[output] for output in outputs}
    return Table(frame, kinds, table.categorical & {*kept}, (*notes,), table.sheets), names


def _left_out(
    table: Table, cells: pd.Series, whole: pd.Index, key: Sequence[str]
) -> Iterator[Sentence]:
    """Yield what rows are left out: those of one key with several labels, and the others.

    ``cells`` are the rows' places by their number and model, ``whole`` the numbers that all have.
    """
    numbers, models = map(cells.index.get_level_values, range(2))
    out = ~numbers.isin(whole)
    if key and out.any():
        keys = table.frame.iloc[cells].groupby([*key], dropna=False, observed=True).ngroup()
        met = pd.Series(models).groupby(keys.to_numpy()).transform("nunique") == models.nunique()
        other = out & met.to_numpy()
        if other.any():
            first = int(cells[other].iloc[0])
            example = Cell(", ".join(f"{name} {table[name].levels.iloc[first]}" for name in key))
            about = {"key": in_quotes(key), "rows": int(other.sum()), "example": example}
            yield Sentence("models.labels", _LABELS, **about)
        out &= ~other
    if out.any():
        yield Sentence("models.unmet", _UNMET, rows=int(out.sum()))
