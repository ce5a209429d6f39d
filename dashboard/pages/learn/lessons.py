"""The lessons, in the order of the page; another one is its file and its entry here."""

from .calibration import CALIBRATION
from .layers import LAYERS
from .narrow import NARROW
from .noise import NOISE

LESSONS = (NARROW, LAYERS, CALIBRATION, NOISE)
