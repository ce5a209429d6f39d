"""Tables written in all formats."""

import io
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq


def written(write, **options):
    """Return the bytes that a function writes to a file."""
    buffer = io.BytesIO()
    write(buffer, **options)
    return buffer.getvalue()


def as_csv(columns):
    return pd.DataFrame(columns).to_csv(index=False).encode()


def as_parquet(table):
    table = pa.Table.from_pandas(table) if isinstance(table, pd.DataFrame) else table
    table = table if isinstance(table, pa.Table) else pa.table(table)
    return written(lambda buffer: pq.write_table(table, buffer))


def as_excel(columns, **others):
    """Return a workbook of a sheet "one", and others by their names."""

    def write(buffer):
        with pd.ExcelWriter(buffer) as writer:
            for sheet, held in {"one": columns, **others}.items():
                pd.DataFrame(held).to_excel(writer, sheet_name=sheet, index=False)

    return written(write)


def zipped(files, method=zipfile.ZIP_DEFLATED):
    def write(buffer):
        with zipfile.ZipFile(buffer, "w", method) as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    return written(write)


def codes_of(table):
    """Return the codes of what is said of a table."""
    return [note.code for note in table.notes]
