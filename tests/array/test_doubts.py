"""What is made of an array that a bad call spoiled is spoiled too, for every function.

They need a default device that is an accelerator: --device npu, or cuda:0.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from parametrize import long_ones_nightly, others_nightly

import ascend_array_api as xp
from ascend_array_api._reports import late_errors
from workshop.samples import FUNCTIONS
from workshop.samples._table import Call, converted
from workshop.samples.draws import Seeded
from workshop.samples.memory import arrays_in, calls

pytestmark = pytest.mark.skipif(
    not xp.__array_namespace_info__().default_device().backend.asynchronous,
    reason="the default device is no accelerator",
)

CALLED: Final = sorted(name for name, function in FUNCTIONS.items() if function.calls)
DTYPES: Final = ("float32", "int64", "complex64", "bool")

WITHOUT_VALUES: Final = frozenset({"empty_like", "full", "full_like", "ones_like", "zeros_like"})
"""What asks for the shape and the data type of its first operand alone."""
SEVERAL: Final = frozenset(
    {
        *("Array.__getitem__", "broadcast_arrays", "diff", "full", "linalg.matmul", "matmul"),
        *("meshgrid", "take_along_axis"),
    }
)
"""Samples in which not every operand reaches every result."""


def _spoiled() -> Any:
    made = xp.take(xp.arange(3), xp.asarray([9]))
    with pytest.raises(IndexError, match="take"):
        xp.synchronize()
    return made


def _results(call: Call, dtype: str, name: str, which: int) -> list[Any] | None:
    """Return what a call gives of operands of which one is spoiled; None if there is none such."""
    bad, count = _spoiled(), 0

    def made(values: np.ndarray[Any, Any]) -> xp.Array:
        nonlocal count
        x = xp.asarray(values.copy())
        count += 1
        return late_errors.mark(x, bad) if count == which + 1 else x

    given = [converted(xp, value, made) for value in call.inputs(Seeded(dtype, name))]
    if count <= which:
        return None
    operands = [x for x in arrays_in(given) if isinstance(x, xp.Array)]
    result = call.bound(xp)(*given)
    return (
        operands[:1] if call.writes else [x for x in arrays_in(result) if isinstance(x, xp.Array)]
    )


def _is_spoiled(x: xp.Array) -> bool:
    told: list[str] = []
    try:
        x.to_device("cpu")
    except IndexError as error:
        told.append(str(error))
    return x._spec.sure is not x._spec and "take: a position" in "".join(told)


@pytest.mark.npu(host="allow")
@pytest.mark.filterwarnings("ignore:.* is computed on the host")
@pytest.mark.one_each
@pytest.mark.parametrize("name", others_nightly(long_ones_nightly(CALLED), 60))
def test_results_of_spoiled_arrays_are_spoiled(name: str) -> None:
    for dtype in DTYPES:
        for number, call in enumerate(calls(name, dtype)):
            which = int(name in WITHOUT_VALUES)
            while True:
                told: list[str] = []
                try:
                    results = _results(call, dtype, name, which)
                except IndexError as error:  # it waits for the values
                    told.append(str(error))
                    results = []
                if results is None:
                    break
                spoiled = [*map(_is_spoiled, results), *("take: a position" in t for t in told)]
                found = any if name in SEVERAL else all
                assert found(spoiled), (dtype, number, which)
                which += 1
