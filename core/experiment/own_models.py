"""Several models of a user's own on the same rows: their columns, and a predictor of each."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ..conformal.measures import Fit
from ..conformal.predictor import MeasurePredictor, Prediction, Predictor, ReadyMade
from ..messages import Cell, InputError, Names, Passage, Sentence
from ..preparation.options import COLUMN
from ..preparation.outputs import classes_of_outputs, read_outputs, rows_without_outputs
from ..preparation.settings import OPTIONS, AuditSettings
from ..rows.examples import Examples, ModelOutputs
from ..tables.columns import check_exists
from ..tables.table import Table
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
_SEVERAL = (
    "model '{model}' has several rows for one {key}; name a column by which rows can be told apart"
)
_NEVER_MET = (
    "no row is there by all of the models {models}, as rows go by {key}; name a column that tells "
    "which rows are one"
)
_OTHER_LABEL = "rows of one '{key}', such as '{value}', have different labels by different models"
_UNMET = "Rows that not all models have, left out: {rows}."
_DIFFER = "Columns that differ between models of one row, left out: {columns}."
_UNSAID = "Rows of which some model said nothing, left out: {rows}."
_UNKNOWN = (
    "sets of model '{model}' hold classes that are no label, nor in the first model's sets: "
    "{classes}; mend those sets, or name this model first"
)


@dataclass(frozen=True)
class OwnModels:
    """Several models on the rows of a table, each by the settings that name its columns."""

    table: Table
    settings: Mapping[str, AuditSettings]

    @classmethod
    def of_stems(cls, table: Table, settings: AuditSettings, models: Iterable[str]) -> "OwnModels":
        """Find the columns that are called as settings call them with each model's name.

        Rows of which not all of them said anything are left out. Raises :class:`InputError` if a
        column is not there, or there are fewer than two models.
        """
        names = list(dict.fromkeys(models))
        if settings.outputs is None:
            raise InputError("models.no_outputs", _NO_OUTPUTS)
        if len(names) < 2:  # noqa: PLR2004 - to compare
            raise InputError("models.one", _ONE, model=names[0] if names else "")
        columns = {name: _columns_of(name, table.names, settings) for name in names}
        every = list(chain(*(of.values() for of in columns.values())))
        found = {}
        for name, of in columns.items():
            others = (column for column in every if column not in of.values())
            drop = tuple(dict.fromkeys((*settings.drop, *others)))
            found[name] = replace(settings, drop=drop, **_renamed(settings, of))
        lacking = [rows_without_outputs(table, own) for own in found.values()]
        without: np.ndarray = reduce(np.logical_or, lacking)
        if without.any():
            note = Sentence("models.unsaid", _UNSAID, rows=int(without.sum()))
            table = replace(table.rows(~without), notes=(*table.notes, note))
        return cls(table, found)

    def candidates(self) -> list[Candidate]:
        """Return a predictor of each model, the first the reference."""
        first = next(iter(self.settings))
        return [
            Candidate(name, partial(_fitted, name, own, name == first), is_reference=name == first)
            for name, own in self.settings.items()
        ]


def _columns_of(model: str, names: Collection[str], settings: AuditSettings) -> dict[str, str]:
    """Return the model's own columns by those that the settings name."""
    found = {}
    for column in settings.output_columns:
        ways = (
            way for sign in _SIGNS for way in (f"{model}{sign}{column}", f"{column}{sign}{model}")
        )
        own = next((way for way in ways if way in names), None)
        if own is None:
            raise InputError("models.no_column", _NO_COLUMN, model=model, column=column)
        found[column] = own
    return found


def _renamed(settings: AuditSettings, own: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of outputs with a model's own columns."""
    fields = {field: [own[c] for c in columns] for field, columns in settings.by_output().items()}
    return {f: of[0] if OPTIONS[f].kind is COLUMN else tuple(of) for f, of in fields.items()}


class _OwnModel(Predictor):
    """A predictor of a model's outputs for rows of a table, whatever examples hold of others."""

    def __init__(self, name: str, predictor: Predictor, outputs: ModelOutputs, fit: Fit) -> None:
        self.name = self.title = name
        self.guarantee, self.is_calibrated = predictor.guarantee, predictor.is_calibrated
        self.predictor, self.outputs, self.fit_ = predictor, outputs, fit

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets by the model's own outputs."""
        own = replace(examples, outputs=self.outputs.rows(examples.rows))
        if calibration is examples:
            return self.predictor.predict(own, own)
        of_calibration = self.outputs.rows(calibration.rows)
        return self.predictor.predict(own, replace(calibration, outputs=of_calibration))


def _fitted(name: str, settings: AuditSettings, is_first: bool, fitting: Fitting) -> Predictor:  # noqa: FBT001 - of partial
    data, way = fitting.data, settings.outputs
    assert way is not None  # noqa: S101 - see OwnModels.of_stems
    known = getattr(data.label, "classes", None)
    others = (
        [c for c in classes_of_outputs(data.table, settings) if c not in known] if known else []
    )
    if others:
        raise InputError("models.classes", _UNKNOWN, model=name, classes=Names(others))
    outputs, (_, *notes) = read_outputs(data.table, data.label, settings)
    assert outputs is not None  # noqa: S101 - as settings name some
    told = [Sentence(n.code, "{model}: {note}", model=name, note=Passage(n)) for n in notes]
    by: Predictor = ReadyMade(name)
    if way.measure is not None:
        measure = way.measure().fit(data.train, data.train.y)
        by = MeasurePredictor(name, name, measure, settings.confidence_level)
    # of the first it is told where the table is prepared
    return _OwnModel(name, by, outputs, Fit(notes=() if is_first else told))


def beside_each_other(
    table: Table, settings: AuditSettings, column: str, key: str | None = None
) -> tuple[Table, list[str]]:
    """Return a table with a row for each object of one with a row for each object and model.

    ``column`` says which model a row is of; the columns of outputs get its name before theirs.
    Rows are of one object if they have the same ``key``; without it, the same in all other columns.
    Raises :class:`InputError` if a model has several rows of one object, no object has all models,
    or labels of one differ.
    """
    outputs = list(settings.output_columns)
    for name in (column, *outputs, *filter(None, [key])):
        check_exists(table.names, name)
    others = [name for name in table.names if name not in (column, *outputs)]
    models = table[column].levels
    names = list(dict.fromkeys(models.dropna()))
    by = [key] if key else others
    shown = f"'{key}'" if key else "all columns but the model's"
    codes = table.frame.groupby(by, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    cells = pd.DataFrame({"model": models.to_numpy(), "row": codes, "at": np.arange(len(codes))})
    cells = cells.dropna()
    if (twice := cells.duplicated(["model", "row"])).any():
        model = Cell(cells["model"][twice].iloc[0])
        raise InputError("models.several", _SEVERAL, model=model, key=Passage(shown))
    places = cells.set_index(["row", "model"])["at"].unstack().reindex(columns=names)  # noqa: PD010 - none twice
    whole = places.dropna().astype(np.intp)
    if whole.empty:
        about = {"models": Names(names), "key": Passage(shown)}
        raise InputError("models.never_met", _NEVER_MET, **about)
    parts = {name: table.rows(whole[name].to_numpy(), [*others, *outputs]) for name in names}
    first, notes = parts[names[0]].frame.reset_index(drop=True), []
    differ = list(dict.fromkeys(_differing(first, parts, others)))
    if settings.target in differ:
        value = first[key].iloc[0] if key else ""
        raise InputError("models.labels", _OTHER_LABEL, key=key or "", value=Cell(value))
    if len(whole) < len(places):
        notes.append(Sentence("models.unmet", _UNMET, rows=len(cells) - whole.size))
    if differ:
        notes.append(Sentence("models.differ", _DIFFER, columns=Names(differ)))
    kept = [name for name in others if name not in differ]
    frame, kinds = first[kept], {name: table.kinds[name] for name in kept}
    for name, part in parts.items():
        own = {f"{name}_{output}": part.frame[output].to_numpy() for output in outputs}
        frame = frame.assign(**own)
        kinds |= {f"{name}_{output}": table.kinds[output] for output in outputs}
    told = (*table.notes, *notes)
    return Table(frame, kinds, table.categorical & {*kept}, told, table.sheets), names


def _differing(
    first: pd.DataFrame, parts: Mapping[str, Table], columns: Iterable[str]
) -> Iterator[str]:
    for part in parts.values():
        other = part.frame.reset_index(drop=True)
        yield from (name for name in columns if not first[name].equals(other[name]))
