"""Saved predictors for frames of any library, in memory or where they are."""

from typing import Any

import narwhals as nw

from ..messages import InputError, told_apart
from ..scoring.predictor import SavedPredictor
from .lazy import LazyTable
from .plain_columns import predicted
from .reading import as_table
from .table import Table

_TYPES = {"f": nw.Float64(), "i": nw.Int64(), "O": nw.String()}  # by numpy's letter for one
_SPARK = {"f": "double", "i": "bigint"}  # all others are texts


class FramePredictor(SavedPredictor):
    """A saved predictor that gives a frame back, with columns for what it says beside its own.

    >>> from evencover.core import load
    >>> [*load("prices.evencover").predict(pd.DataFrame({"area": [80.0]}))]  # doctest: +SKIP
    ['area', 'prediction', 'lower', 'upper', 'threshold', 'new']
    """

    def predict(self, frame: Any) -> Any:  # noqa: ANN401 - of any library
        """Return the rows of a frame, which may be of Dask or Spark, in their order.

        The columns are those of :meth:`SavedPredictor.predict`; one whose name is taken has a
        number behind it. InputError if a column is not there, or holds what is of another kind.
        """
        if hasattr(frame, "mapInPandas"):  # of Spark
            empty = frame.limit(0).toPandas()
            said, schema = self.predict(empty), type(frame.schema)([*frame.schema.fields])
            for name in said.columns[len(empty.columns) :]:
                schema = schema.add(name, _SPARK.get(said[name].dtype.kind, "string"))
            return frame.mapInPandas(lambda parts: map(self.predict, parts), schema)
        if hasattr(frame, "map_partitions"):  # of Dask
            return frame.map_partitions(self.predict, meta=self.predict(frame._meta))  # noqa: SLF001
        table = as_table(frame, "frame")
        if isinstance(table, LazyTable):
            sentence = "a frame of {engine} cannot be predicted where it is; collect it first"
            raise InputError("predict.lazy", sentence, engine=table.frame.implementation.name)
        found = predicted(self, Table.of(table)).columns
        given = nw.from_native(frame, eager_only=True, pass_through=True)
        given = given if isinstance(given, nw.DataFrame) else nw.from_native(table)
        names = told_apart([*map(str, given.columns), *found])[len(given.columns) :]
        made = (
            nw.new_series(name, of.tolist(), _TYPES[of.dtype.kind], backend=given.implementation)
            for name, of in zip(names, found.values(), strict=True)
        )
        return given.with_columns(*made).to_native()


load = FramePredictor.load
