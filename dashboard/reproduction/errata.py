"""The faults of the paper that matter to whoever runs it again, each with its evidence."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evencover.core.conformal.measures import MEASURES
from evencover.core.conformal.rank import exact_significance, threshold_rank
from evencover.core.remedies.ifacm.choices import PENALTY_FORMS, Penalty

from .agreement import relative_change
from .paper import PaperLine, paper_segments
from .runs import Records
from .tables import rows_of

_LABELS = 7
_CALIBRATION_SIZES = (9, 19, 99)
_STATED_TEST_ROWS = 20_000


@dataclass(frozen=True)
class Fault:
    """A fault, in a few words and in a paragraph."""

    title: str
    text: str


def faults(lines: Sequence[PaperLine], records: Records) -> list[Fault]:
    """Return the faults; the evidence is computed from the paper's tables and from our runs."""
    return [
        _not_minima(lines),
        _ranks(),
        _segment_counts(),
        _ONE_LAYER_TOO_MANY,
        _squared_widths(),
        *_no_huge_inefficiency(records),
        *_training_accuracies(lines, records),
    ]


def _not_minima(lines: Sequence[PaperLine]) -> Fault:
    rows = [line for line in lines if line.segment == "training" and line.penalty]
    found = {
        name: [evidence for line in rows if (evidence := _worse_than_base(line, lines, penalty()))]
        for name, penalty in PENALTY_FORMS.items()
    }
    numbers = "; ".join(found["linear"])
    return Fault(
        "With the objective as printed, some results cannot be minima",
        "IFACM minimises DCV + C max(W - W0, 0), of which the base's own value, with W = W0, is "
        "its DCV. Beyond what rounding to the digits printed can explain, these training lines "
        f"are higher than that: {numbers}. With the penalty squared there are "
        f"{len(found['squared'])} such lines, and with one divided by the number of labels, which "
        f"serves classification alone, {len(found['per-label'])} of covtype's. The printed, linear "
        "form is the default here; --penalties runs all of them.",
    )


def _worse_than_base(line: PaperLine, lines: Sequence[PaperLine], penalty: Penalty) -> str | None:
    """Describe a line whose objective exceeds the base's even where rounding is in its favour."""
    task = MEASURES[line.measure].task
    base = line.base(lines, line.measure)
    if task not in penalty.tasks or line.penalty is None or base is None:
        return None
    size = _LABELS if task == "classification" else math.inf
    increase = float(line.inefficiency) - float(base.inefficiency)
    least = max(increase - 0.01, 0.0)  # both widths are printed to 0.005
    lowest, value = (
        float(line.dcv) + line.penalty * (penalty(wider, size) if wider > 0.0 else 0.0)
        for wider in (least, increase)
    )
    if lowest <= float(base.dcv):
        return None
    sum_ = f"{line.dcv} + {line.penalty:g} x {increase:.2f}"
    return f"line {line.line} ({sum_} = {value:.3f} against {base.dcv})"


def _ranks() -> Fault:
    evidence = []
    for n, level in zip(_CALIBRATION_SIZES, (0.9, 0.9, 0.99), strict=True):
        significance = exact_significance(level)
        other = math.ceil(significance * (n + 1)) - 1
        evidence.append(f"n = {n} at CL {level:g}: rank {threshold_rank(n, level)} or {other}")
    return Fault(
        "Main text and appendix differ by one rank",
        "The main text keeps a label when its count exceeds eps (n + 1), the appendix when it "
        "is at least that. The threshold's rank differs where eps (n + 1) is whole: "
        f"{'; '.join(evidence)}. The main text is followed here; by the exact law of coverage, "
        "Beta(n + 1 - r, r), its mean is then CL itself and not more.",
    )


def _segment_counts() -> Fault:
    variables = dict.fromkeys(s.variable for s in paper_segments() if s.case.data == "gpu")
    counts = {v: sum(s.n for s in paper_segments() if s.variable == v) for v in variables}
    evidence = ", ".join(f"{count} for {variable}" for variable, count in counts.items())
    return Fault(
        "GPU's segments hold twice the stated test rows",
        f"The counts of the table of segments add up to {evidence}, where the paper states "
        f"{_STATED_TEST_ROWS} test rows. With as many as were counted, the floors of the test "
        "figures would be lower by a factor of up to the square root of 2.",
    )


_ONE_LAYER_TOO_MANY = Fault(
    "Algorithm 2 counts one layer too many",
    "Its counter i starts at 1 and grows by one with each layer that is kept, so that when the "
    "loop ends without a further one it stands one above their number; n_u takes that value, and "
    "the sum over n_u layers would reach a layer that was never kept. Here the layers are those "
    "kept.",
)


def _squared_widths() -> Fault:
    significance = 0.4
    printed = (1.0, 2.0 - 4.0 * significance)
    better = (1.6 * (1.0 - significance), 0.8 * (1.0 - significance))
    values = [0.5 * a * a + 0.5 * b * b for a, b in (printed, better)]
    return Fault(
        "Example 2's remark on squared widths fails for eps > 3/8",
        "Minimising the mean squared width subject to a/2 + b/4 = 1 - eps gives a = 1.6 (1 - eps) "
        "and b = a/2 unless a would exceed 1, which it does only for eps < 3/8. At eps = "
        f"{significance:g} the solution said to be the same, a = {printed[0]:g}, b = "
        f"{printed[1]:g}, has {values[0]:.3f}; a = {better[0]:g}, b = {better[1]:g} has "
        f"{values[1]:.3f}.",
    )


def _no_huge_inefficiency(records: Records) -> Iterator[Fault]:
    evidence = []
    for case in dict.fromkeys(run.case for run in records):
        if case.penalty == 0.0:
            base, ifacm = (rows_of(records, case, "test", name) for name in ("base", "ifacm"))
            changes = [
                relative_change(before["inefficiency"], after["inefficiency"])
                for before, after in zip(base, ifacm, strict=True)
            ]
            evidence.append(f"{case.data} ({case.measure}) {_range(changes)}")
    if evidence:
        yield Fault(
            "Without a penalty inefficiency is not huge",
            "The paper says that C = 0 leads to huge inefficiency on GPU and KC. In our runs with "
            "C = 0 and the paper's search the inefficiency of test sets (of intervals in standard "
            f"deviations of the label as modelled) changes by: {'; '.join(evidence)}.",
        )


def _range(changes: Sequence[float]) -> str:
    low, high = min(changes), max(changes)
    if len(changes) == 1:
        return f"{high:+.1%} (one seed)"
    return f"{low:+.1%} to {high:+.1%} ({len(changes)} seeds)"


def _training_accuracies(lines: Sequence[PaperLine], records: Records) -> Iterator[Fault]:
    evidence = []
    for line in lines:
        found = next((record for run, record in records.items() if line.is_of(run.case)), None)
        if found is not None and line.segment == "training" and line.algorithm == "base":
            n = found["data"]["train"]
            exact = (n + 1 - threshold_rank(n, line.confidence_level)) / n
            evidence.append(f"line {line.line}: {line.accuracy}, but {exact:.5f} by definition")
    if evidence:
        yield Fault(
            "Training accuracies are not those of Algorithm 1",
            "With the training set as its own calibration set, as Algorithm 1 has it, n + 1 - r of "
            "n scores reach the r-th smallest: without ties accuracy is fixed whatever the data. "
            f"The paper's base predictors have other ones ({'; '.join(evidence)}), so its training "
            "lines were measured in another way, perhaps with the calibration set. The verdicts "
            "leave the accuracy of training lines out.",
        )
