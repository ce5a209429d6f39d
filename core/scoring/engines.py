"""The words in which the SQL of engines differs."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..messages import InputError
from .columns import TRUTHS, as_known

ROW = "evencover_row"  # a row of the table as a whole
_UNWRITABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNNAMED = "SQL takes no text with such characters as in '{text}'; rename it, and save again"
_SPACES = r"(?s)^[\p{Z}\t-\r\x1c-\x1f\x85]*(.*?)[\p{Z}\t-\r\x1c-\x1f\x85]*$"  # as str.strip has it
_TRIMMED = "REGEXP_EXTRACT(CAST({0} AS STRING), {spaces}, 1)"
_NUMBER = "NULLIF(CAST({0} AS DOUBLE), CAST('NaN' AS DOUBLE))"
_CATEGORY = f"""CASE
      WHEN LOWER(typeof({{0}})) = 'boolean'
        THEN REPLACE(REPLACE(CAST({{0}} AS STRING), 'true', {{True}}), 'false', {{False}})
      WHEN LOWER(typeof({{0}})) NOT IN ('double', 'float') THEN {_TRIMMED}
      WHEN MOD(TRY_CAST({{0}} AS DOUBLE), 1) = 0
        THEN CAST(TRY_CAST(TRY_CAST({{0}} AS DOUBLE) AS DECIMAL(38, 0)) AS STRING)
      ELSE CAST(NULLIF(TRY_CAST({{0}} AS DOUBLE), CAST('NaN' AS DOUBLE)) AS STRING) END"""
_CATEGORY_OF_BIGQUERY = f"""CASE FORMAT('%T', {{0}})
      WHEN 'true' THEN {{True}}
      WHEN 'false' THEN {{False}}
      WHEN 'CAST("nan" AS FLOAT64)' THEN NULL ELSE {_TRIMMED} END"""
_BACKSLASHES = str.maketrans({c: f"\\{c}" for c in "\\'`"} | {"\n": r"\n", "\r": r"\r"})


@dataclass(frozen=True, kw_only=True)
class Engine:
    """How an engine writes names, texts, values; ``{0}`` stands for a column, or a moment."""

    mark: str  # around a name
    in_names: Mapping[int, str]  # what characters become
    in_texts: Mapping[int, str]
    row: str = ROW
    double: str = "DOUBLE"
    number: str = _NUMBER
    category: str = _CATEGORY
    date: str
    days: str  # since 1970
    micros: str  # since the minute began

    def name(self, name: str) -> str:
        """Return a name, quoted so that it cannot end there."""
        return self.mark + _escaped(name, self.in_names) + self.mark

    def text(self, text: str) -> str:
        """Return a text, quoted likewise."""
        return f"'{_escaped(text, self.in_texts)}'"

    def read(self, column: str, kind: str, known: Collection[str]) -> str:
        """Return a column as of a kind, NULL where missing; truth values as in ``known`` texts."""
        form: str = getattr(self, kind).replace("{spaces}", self.text(_SPACES))
        for truth in TRUTHS:
            form = form.replace(f"{{{truth}}}", self.text(as_known(truth, known)))
        return form.replace("{0}", f"{ROW}.{self.name(column)}")


def _escaped(text: str, by: Mapping[int, str]) -> str:
    if _UNWRITABLE.search(text):
        raise InputError("sql.text", _UNNAMED, text=text)
    return text.translate(by)


ENGINES = {
    "duckdb": Engine(
        mark='"',
        in_names=str.maketrans({'"': '""'}),
        in_texts=str.maketrans({"'": "''"}),
        date="CAST({0} AS TIMESTAMP)",
        days="DATE_DIFF('day', DATE '1970-01-01', CAST({0} AS DATE))",
        micros="EXTRACT(MICROSECOND FROM {0})",
    ),
    "spark": Engine(
        mark="`",
        in_names=str.maketrans({"`": "``"}),
        in_texts=_BACKSLASHES,
        row=f"STRUCT({ROW}.*)",
        date="CAST({0} AS TIMESTAMP_NTZ)",
        days="DATEDIFF(CAST({0} AS DATE), DATE '1970-01-01')",
        micros="CAST(EXTRACT(SECOND FROM {0}) * 1000000 AS BIGINT)",
    ),
    "bigquery": Engine(
        mark="`",
        in_names=_BACKSLASHES,
        in_texts=_BACKSLASHES,
        double="FLOAT64",
        number="IF(IS_NAN(CAST({0} AS FLOAT64)), NULL, CAST({0} AS FLOAT64))",
        category=_CATEGORY_OF_BIGQUERY,
        date="CAST({0} AS DATETIME)",
        days="DATE_DIFF(CAST({0} AS DATE), DATE '1970-01-01', DAY)",
        micros="EXTRACT(SECOND FROM {0}) * 1000000 + EXTRACT(MICROSECOND FROM {0})",
    ),
}
