"""Creation: what drawn samples seldom ask for."""

from __future__ import annotations

import numpy as np
import pytest

import ascend_array_api as xp

FAR = 2**63


@pytest.mark.parametrize(
    ("start", "stop", "step", "dtype"),
    [
        *((9, 0, -2, dtype) for dtype in ("uint8", "uint16", "uint32", "uint64")),
        *((FAR + 5, FAR + 9, 1, "uint64"), (2 * FAR - 1, 2 * FAR - 9, -3, "uint64")),
        *((FAR - 2, FAR + 2, 1, "uint64"), (1, 2 * FAR - 1, FAR, "uint64")),
    ],
)
def test_unsigned_integers_in_order(start: int, stop: int, step: int, dtype: str) -> None:
    made = xp.arange(start, stop, step, dtype=getattr(xp, dtype))
    assert np.asarray(made).tolist() == list(range(start, stop, step))
