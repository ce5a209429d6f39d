"""A million rows scored by SQL in DuckDB: how long it takes, and how far it is from ``predict``.

``PYTHONPATH=tests/support python tests/benchmarks/sql.py``. Every predictor of three audits.
"""

import time

from queried import difference, engine, rows

from evencover.core import AuditSettings, audit
from evencover.core.scoring.sql import to_sql

ROWS = 1_000_000
OUTPUTS = ("guess", "spread", "p1", "p2", "p3")
ASKED = (
    {"target": "y", "remedies": ("ifacm", "quantile-pairs", "groups:c+d+x > 0")},
    {"target": "y", "log_target": True, "remedies": ("ifacm-smooth", "mondrian:k")},
    {"target": "kind", "remedies": ("ifacm", "label:c")},
)

if __name__ == "__main__":
    many = rows(ROWS, 1)
    engine().execute("CREATE TABLE stored AS SELECT * FROM many")
    for asked in ASKED:
        drop = (*OUTPUTS, "kind" if asked["target"] == "y" else "y")
        result = audit(rows(5000), AuditSettings(**asked, categorical=("k",), drop=drop))
        for name, saved in result.saved.items():
            started = time.perf_counter()
            engine().execute(
                f"CREATE OR REPLACE TABLE scored AS {to_sql(saved, 'duckdb', 'stored')}"
            )
            seconds = time.perf_counter() - started
            print(f"{asked['target']:5} {name:18} {seconds:5.1f} s, {difference(saved, many):.1e}")
