"""Tables in Parquet."""

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError
from .names import clean_names

MAGIC = b"PAR1"


def parse_parquet(content: bytes, file: str) -> pd.DataFrame:
    """Parse a Parquet file called ``file``.

    Raises
    ------
    InputError
        If it is damaged, or two columns have one name.
    """
    try:
        parquet = pq.ParquetFile(io.BytesIO(content))
        names = clean_names(parquet.schema_arrow.names, file)
        table = parquet.read()
    except (pa.ArrowException, OSError):
        raise InputError(
            f"'{file}' starts like a Parquet file but cannot be read; it may be cut short"
        ) from None
    try:
        table.validate(full=True)
        frame: pd.DataFrame = table.rename_columns(names).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, UnicodeDecodeError, ValueError, OverflowError):
        raise InputError(
            f"'{file}' holds text, dates or other values outside what can be represented; write "
            "the table anew as Parquet or CSV"
        ) from None
    return frame
