"""How commands say how far they are."""

import sys
from functools import cached_property
from typing import NoReturn, Self

from tqdm import tqdm

from evencover.core import events
from evencover.core.remedies.names import title_of

from .console import harmless


class ProgressBar:
    """Listens to an audit and counts its evaluations; ``quiet`` shows nothing.

    The bar appears with the first event: a table that is refused has had no progress.
    """

    def __init__(self, *, quiet: bool, title: str = "") -> None:
        self._quiet = quiet
        self._title = title
        self._repeat = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "_bar" in vars(self):
            self._bar.close()

    def __call__(self, event: events.Event) -> None:
        """Show an event."""
        match event:
            case events.RepeatStarted(number, repeats):
                self._repeat = f"repeat {number} of {repeats}, " if repeats > 1 else ""
            case events.StageStarted(stage, predictor):
                name = title_of(predictor) if stage == "remedy" else stage.replace("_", " ")
                self._bar.set_description_str(harmless(self._title + self._repeat + name))
            case events.BaseMeasured(dcv=dcv):
                self._bar.set_postfix_str(f"training DCV {dcv:.4f}")
            case events.LayerTried():
                self._bar.update()
            case events.LayerAccepted(iteration=iteration, dcv=dcv):
                self._bar.set_postfix_str(f"layer {iteration}, training DCV {dcv:.4f}")
            case events.StepDone(done, asked, ""):
                self._bar.set_postfix_str(f"permutation {done} of {asked}")
            case events.StepDone(done, asked, title):
                described = harmless(f"{self._title}{title}")
                self._bar.set_description_str(f"{described}, step {done} of {asked}")

    @cached_property
    def _bar(self) -> "tqdm[NoReturn]":
        return tqdm(
            file=sys.stderr,
            disable=self._quiet,
            unit=" evaluations",
            delay=1e-9,  # else it is there once before it says what is done
            bar_format="{desc}: {n_fmt}{unit}, {elapsed}{postfix}",
        )
