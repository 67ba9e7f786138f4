"""Where drawn values come from: Hypothesis, or the fuzzer's own choices, which are far quicker."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

from .fuzz import QUICK_VARIABLE

if TYPE_CHECKING or QUICK_VARIABLE not in os.environ:
    from hypothesis import assume
    from hypothesis import strategies as st

    def fitting(
        strategy: st.SearchStrategy[Any],
        _fits: Callable[[np.ndarray], bool],
    ) -> st.SearchStrategy[Any]:
        """Say of a strategy which arrays have elements that it could have drawn."""
        return strategy
else:
    from .fuzz import choices as st
    from .fuzz.choices import Strategy, assume

    def fitting(strategy: Strategy, fits: Callable[[np.ndarray], bool]) -> Strategy:
        """Say of a strategy which arrays have elements that it could have drawn."""
        return Strategy(strategy.sample, fits)


__all__ = ["assume", "fitting", "st"]
