"""What torch_npu and CANN get wrong by their documents and sources, and what the namespace answers.

The first tests show that plain torch_npu makes each error on the emulated CANN, so that the tests
of ours are worth something.  Most of these are elsewhere: of casts in
test_npu_elementwise.py, of rounding and remainders in test_npu_chip_arithmetic.py, of transforms in
test_npu_fourier.py, of all else against NumPy in test_npu_against_numpy.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator

import ascend_array_api as xp
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    pass

# torch_npu says so once a process, of whichever kernel comes first.
pytestmark = QUIET_TORCH_NPU

NPU = "npu:0"
EXACT = 2**24  # up to this integer float32 holds all of them
BIG = EXACT + 1
COMPLEX = ((3 + 4j, 0), (1j, 2))
ZEROS = (0.0, 1.0, -0.0, -0.0)
INT32, INT64 = torch.int32, torch.int64
F32, F64, C64 = torch.float32, torch.float64, torch.complex64


def plain(values: Any, dtype: torch.dtype) -> torch.Tensor:
    """A tensor on the NPU, made on the host: no kernel takes part."""
    return torch.tensor(values, dtype=dtype).to(NPU)


def ours(values: Any, dtype: torch.dtype) -> xp.Array:
    return xp.asarray(plain(values, dtype))


def listed(x: xp.Array) -> Any:
    return xp.to_torch(x).cpu().tolist()


@needs_emulator
def test_torch_npu_changes_data_types_and_arguments() -> None:
    x = plain([1, 2], INT32)
    for wide in (x.to(F64), x.double(), x.type(F64), x.to(F64, copy=True)):
        assert wide.dtype == F32  # ToKernelNpu.cpp, on every SoC
    assert torch.slogdet(plain(COMPLEX, C64))[1].dtype == C64
    x = plain(np.ones(32768), C64)
    torch.fft.fft(x)  # FFT_1D.md: the input of powers of two from 32768 on is modified
    assert not (x.cpu() == 1).all()
    for name in ("var", "std"):  # a copy to the CPU that is not even counted as a fallback
        with EMULATOR.counting() as counts:
            getattr(torch, name)(plain((1.0, 2.5, 4.0, 8.0), F32), correction=0.5)
        assert (counts.to_host[1] >= 16, counts.fallbacks) == (True, {})


@needs_emulator
def test_torch_npu_is_wrong() -> None:
    # aclnnRound: +0 from -0.5 to -0
    assert not torch.signbit(torch.round(plain([-0.3, -0.5, -0.0], F32)).cpu()).any()
    # reduce_mean_aicpu.cpp: the sum wraps, and is divided without a fraction (Eigen's)
    for values, dtype, mean in (
        ([3, 4], INT64, 3),
        ([-3, -4], INT32, -3),
        ([100, 100], torch.int8, -28),
        ([[200, 100], [1, 2]], torch.uint8, 11),
    ):
        assert torch.mean(plain(values, dtype)).item() == mean, dtype
    # aclnnUnique2: on Atlas A2 both zeros may stay, as two values
    for dtype in (torch.float16, F32, F64):
        assert torch.unique(plain(ZEROS, dtype)).tolist() == [0, 0, 1], dtype
    # aclnnAdds and aclnnMuls: beyond 2**24 int32 and int64 lose precision
    for dtype in (INT32, INT64):
        one = plain([1], dtype)
        assert (one + BIG).item() != BIG + 1, dtype
        assert (one - BIG).item() != 1 - BIG, dtype
        assert (plain([BIG], dtype) * 3).item() != 3 * BIG, dtype
    # aclnnCast.md: exact in a range only; where the target does not hold it, the CPU wraps around
    for values, source, target in (
        ([2**40, -(2**40), 2**62], INT64, F32),
        ([2.0**40, -(2.0**40), 2.0**62], F32, INT64),
        ([2047, 1920, -3000], INT32, torch.int8),
    ):
        right = torch.tensor(values, dtype=source).to(target)
        assert plain(values, source).to(target).tolist() != right.tolist(), (source, target)


def test_torch_npu_refuses() -> None:
    with pytest.raises(RuntimeError, match="on CPU"):
        torch.linalg.slogdet(plain(COMPLEX, C64))
    for options in ({"device": "cpu"}, {"copy": True}):  # it replaces torch's function
        with pytest.raises(TypeError, match=next(iter(options))):
            torch.from_dlpack(torch.ones(2), **options)


@pytest.mark.parametrize("dtype", [INT32, INT64])
def test_python_integers_beyond_2_24_are_exact(dtype: torch.dtype) -> None:
    x = ours([1, 3], dtype)
    assert listed(xp.add(x, BIG)) == [BIG + 1, BIG + 3]
    assert listed(xp.multiply(BIG, x)) == [BIG, 3 * BIG]
    assert listed(xp.full((1,), BIG, dtype=dtype)) == [BIG]
    assert listed(xp.clip(ours([3, 2**30], dtype), BIG, None)) == [BIG, 2**30]
    x[0] = BIG
    assert listed(x) == [BIG, 3]
    assert listed(xp.arange(2**30 + 1, 2**30 + 8, 3, dtype=dtype)) == [2**30 + n for n in (1, 4, 7)]


@needs_emulator
@pytest.mark.parametrize("dtype", [F32, F64])
def test_fractional_corrections_stay_on_the_device(dtype: torch.dtype) -> None:
    values = (1.0, 2.5, 4.0, 8.0, 7.0, 3.0)
    for name in ("var", "std"):
        for correction in (0.5, 1.5):
            expected = np.var(values) * 6 / (6 - correction)
            with EMULATOR.counting() as counts:
                result = getattr(xp, name)(ours(values, dtype), correction=correction)
            assert counts.to_host == (0, 0)
            assert float(result) == pytest.approx(expected ** (1 if name == "var" else 0.5))


def test_zeros_of_both_signs_are_one_value() -> None:
    for dtype in (F32, F64):
        x = ours(ZEROS, dtype)
        values, indices, inverse, counts = map(listed, xp.unique_all(x))
        assert (values, indices, inverse, counts) == ([0, 1], [0, 1], [0, 1, 0, 0], [3, 1])
        assert listed(xp.unique_values(x)) == values
        assert [listed(part) for part in xp.unique_counts(x)] == [values, counts]
        assert [listed(part) for part in xp.unique_inverse(x)] == [values, inverse]


@pytest.mark.parametrize("dtype", [C64, torch.complex128])
def test_parts_of_complex_numbers_are_rounded(dtype: torch.dtype) -> None:
    rounded = xp.to_torch(xp.round(ours([-0.3 + 1.5j, 2.5 - 0.3j], dtype))).cpu()
    assert rounded.tolist() == [2j, 2 + 0j]
    assert torch.signbit(torch.view_as_real(rounded)).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("shape", [(0,), (1,), (1, 1), (0, 3)])
def test_casts_of_one_element_at_most(shape: tuple[int, ...]) -> None:
    """Such a tensor is contiguous whatever its strides are, and not viewed as it is."""
    x = torch.zeros((1,), dtype=INT32).to(NPU).as_strided(shape, (0,) * len(shape))
    assert xp.to_torch(xp.astype(xp.asarray(x), xp.int8)).cpu().shape == shape
