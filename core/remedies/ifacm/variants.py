"""IFACM with another update, or another end of its layers, than the paper has."""

from typing import ClassVar

from .ifacm import IFACM
from .stopping import AtFloor, CrossFitted, Stopping
from .updates import LogOddsUpdate, UpdateFunction


class SmoothIFACM(IFACM):
    """IFACM whose layers go by the size of the gap in log-odds, and not by its sign alone."""

    title: ClassVar[str] = "smooth IFACM"
    default_update: ClassVar[type[UpdateFunction]] = LogOddsUpdate


class CrossFittedIFACM(IFACM):
    """IFACM whose layers end where cross-fitted DCV falls no further."""

    title: ClassVar[str] = "cross-fitted IFACM"
    default_stopping: ClassVar[type[Stopping]] = CrossFitted


class FloorIFACM(IFACM):
    """IFACM whose layers end at the floor of DCV."""

    title: ClassVar[str] = "IFACM to the floor"
    default_stopping: ClassVar[type[Stopping]] = AtFloor
