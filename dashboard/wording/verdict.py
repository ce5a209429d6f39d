"""For whom coverage is off, before and after, in a few sentences."""

from evencover.core import AuditResult

from .formatting import listed, percent, plain
from .predictors import Predictor, predictors
from .rows import Row, by_predictor, counted, failing, figure, is_in, object_segments, surely_off


def verdict(result: AuditResult) -> str:
    """Return in Markdown for whom coverage is off by each predictor."""
    shown = predictors(result)
    total = len(object_segments(result))
    off = by_predictor(result, failing)
    surely = listed([str(surely_off(result, by)) for by in shown])
    counts = counted(off, f"of {total} segments")
    first = (
        f"The 95 % interval of coverage excludes {percent(result.settings['cl'], '.6g')} in "
        f"**{counts}** IFACM (by chance alone in about {total / 20:.0f}); allowing for so many "
        f"looks, {surely} of them differ from the overall coverage (q up to 0.05)."
    )
    sentences = [first]
    named: list[Row] = []
    for by, rows in off.items():
        if rows and is_in(rows[0], named):
            sentences.append(f"{by.when.capitalize()} it is largest there, too.")
        elif rows:
            what = f"Largest shortfall or excess, counted in rows, {by.when}"
            sentences.append(f"{what}: {_movement(rows[0], shown)}.")
            named.append(rows[0])
    for by in shown[1:]:
        hidden = [row for row in off[by] if row["variable"] in result.settings["audit_only"]]
        if hidden and not is_in(hidden[0], named):
            sentences.append(f"Of the audit-only columns: {_movement(hidden[0], shown)}.")
            named.append(hidden[0])
    return " ".join(sentences)


def _movement(row: Row, shown: list[Predictor]) -> str:
    coverage = [f"{percent(figure(row, 'accuracy', by))} {by.when}" for by in shown]
    return f"**{plain(row['group'])}** ({row['n']:,} test rows), {listed(coverage)}"
