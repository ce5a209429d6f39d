"""What is imported stays out of the search for garbage, which streamlit makes after every rerun."""

import gc
from functools import cache


@cache
def spare_imports() -> None:
    """Leave what lives by now, nearly all of it code that stays, out of later searches.

    It took 0.13 s of each rerun, also of those that only look how far a run is.
    """
    gc.collect()
    gc.freeze()
