"""The lessons, in the order of their page; another one is its file and its entry here.

May import terminal and below; the pages alone import it.
"""

from .calibration import CALIBRATION
from .groups import GROUPS
from .layers import LAYERS
from .narrow import NARROW
from .noise import NOISE

LESSONS = (NARROW, LAYERS, CALIBRATION, NOISE, GROUPS)
