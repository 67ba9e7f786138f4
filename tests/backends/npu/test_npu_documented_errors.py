"""What torch_npu or CANN get wrong, by their documents and sources, and what the namespace answers.

Each class has one documented error.  ``test_torch_npu`` shows that plain torch_npu makes it on the
emulated CANN, so that the other test is worth something; ``test_ours`` holds on every NPU.
"""

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator

import ascend_array_api as xp
from ascend_array_api import linalg
from ascend_array_api._torch import torch

# torch_npu says so once a process, of whichever kernel comes first.
pytestmark = QUIET_TORCH_NPU

NPU = "npu:0"
EXACT = 2**24  # up to this integer float32 holds all of them


def plain(values, dtype):
    """A tensor on the NPU, made on the host: no kernel takes part."""
    return torch.tensor(values, dtype=dtype).to(NPU)


def ours(values, dtype):
    return xp.asarray(plain(values, dtype))


def on_host(x):
    return xp.to_torch(x).cpu()


class TestCastToFloat64:
    """torch_npu: ``x.to(float64)`` gives float32, on every SoC (ToKernelNpu.cpp)."""

    ways = (
        lambda x: x.to(torch.float64),
        lambda x: x.double(),
        lambda x: x.type(torch.float64),
        lambda x: x.to(torch.float64, copy=True),
    )

    @needs_emulator
    @pytest.mark.parametrize("way", ways)
    def test_torch_npu(self, way):
        assert way(plain([1, 2], torch.int32)).dtype == torch.float32

    def test_ours(self):
        for dtype in (torch.int8, torch.int32, torch.int64, torch.uint8, torch.float32, torch.bool):
            x = xp.astype(ours([1, 0], dtype), xp.float64)
            assert xp.to_torch(x).dtype == torch.float64
            assert x.dtype == xp.float64
            assert xp.to_torch(x).device.type == "npu"
        x = xp.astype(ours([2**53 - 1], torch.int64), xp.float64)
        assert on_host(x).tolist() == [2.0**53 - 1], "and not by way of float32"
        # What promotes to float64 passes through the same cast.
        y = ours([2**31 - 1], torch.float64) + ours([0.5], torch.float32)
        assert on_host(y).tolist() == [2.0**31 - 0.5]
        assert xp.sum(ours([1, 2], torch.float32), dtype=xp.float64).dtype == xp.float64


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
class TestIntegerScalars:
    """CANN, aclnnAdds and aclnnMuls: beyond 2**24 int32 and int64 lose precision."""

    @needs_emulator
    def test_torch_npu(self, dtype):
        assert (plain([1], dtype) + (EXACT + 1)).tolist() != [EXACT + 2]
        assert (plain([1], dtype) - (EXACT + 1)).tolist() != [-EXACT]
        assert (plain([EXACT + 1], dtype) * 3).tolist() != [3 * (EXACT + 1)]

    def test_ours(self, dtype):
        big = EXACT + 1
        x = ours([1, 3], dtype)
        assert on_host(x + big).tolist() == [big + 1, big + 3]
        assert on_host(big + x).tolist() == [big + 1, big + 3]
        assert on_host(x - big).tolist() == [1 - big, 3 - big]
        assert on_host(big - x).tolist() == [big - 1, big - 3]
        assert on_host(x * big).tolist() == [big, 3 * big]
        assert on_host(xp.add(x, big)).tolist() == [big + 1, big + 3]
        assert on_host(xp.multiply(big, x)).tolist() == [big, 3 * big]
        assert on_host(xp.full((1,), big, dtype=dtype)).tolist() == [big]
        assert on_host(xp.clip(ours([3, 2**30], dtype), big, None)).tolist() == [big, 2**30]
        y = ours([1, 3], dtype)
        y += big
        y *= 3
        y -= big
        assert on_host(y).tolist() == [3 * (big + 1) - big, 3 * (big + 3) - big]
        y[0] = big
        assert on_host(y).tolist()[0] == big
        assert on_host(y == big).tolist() == [True, False]
        assert on_host(y > big - 1).tolist() == [True, True]

    def test_positions_beyond_the_range(self, dtype):
        """Arithmetic of the namespace's own that multiplies and adds numbers."""
        start = 2**30 + 1
        counted = xp.arange(start, start + 7, 3, dtype=dtype)
        assert on_host(counted).tolist() == [start, start + 3, start + 6]


class TestComplexNorms:
    """torch_npu: the norms of complex arrays are complex; CANN takes real ones only."""

    x = ((3 + 4j, 0), (1j, 2))

    @needs_emulator
    @pytest.mark.parametrize("norm", [torch.linalg.vector_norm, torch.linalg.matrix_norm])
    def test_torch_npu(self, norm):
        with pytest.raises(RuntimeError, match="161002"):
            norm(plain(self.x, torch.complex64))

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    @pytest.mark.parametrize("order", [0, 1, 2, 3, float("inf"), -float("inf")])
    def test_ours_of_vectors(self, dtype, order):
        norm = linalg.vector_norm(ours(self.x, dtype), ord=order)
        assert norm.dtype == {torch.complex64: xp.float32, torch.complex128: xp.float64}[dtype]
        expected = np.linalg.norm(np.asarray(self.x).ravel(), order)
        assert float(norm) == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    @pytest.mark.parametrize("order", ["fro", 1, -1, float("inf"), -float("inf")])
    def test_ours_of_matrices(self, dtype, order):
        norm = linalg.matrix_norm(ours(self.x, dtype), ord=order)
        assert norm.dtype == {torch.complex64: xp.float32, torch.complex128: xp.float64}[dtype]
        assert float(norm) == pytest.approx(np.linalg.norm(np.asarray(self.x), order), rel=1e-6)


class TestSlogdet:
    """torch_npu: of complex matrices the logarithm is complex, and there are two names of it."""

    x = ((3 + 4j, 0), (1j, 2))

    @needs_emulator
    def test_torch_npu(self):
        assert torch.slogdet(plain(self.x, torch.complex64))[1].dtype == torch.complex64
        with pytest.raises(RuntimeError, match="on CPU"):
            torch.linalg.slogdet(plain(self.x, torch.complex64))

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    def test_ours(self, dtype):
        sign, logabsdet = linalg.slogdet(ours(self.x, dtype))
        assert logabsdet.dtype == {torch.complex64: xp.float32, torch.complex128: xp.float64}[dtype]
        assert float(logabsdet) == pytest.approx(np.log(10), rel=1e-6)
        assert complex(sign) == pytest.approx((3 + 4j) / 5, rel=1e-6)


class TestExpm1OfComplex:
    """torch_npu takes the result for float32, and CANN refuses the data type."""

    @needs_emulator
    def test_torch_npu(self):
        with pytest.raises(RuntimeError, match="161002"):
            torch.expm1(plain([1 + 2j], torch.complex64))

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    def test_ours(self, dtype):
        values = [1 + 2j, 1e-5 + 1e-5j, -3 + 0.5j]
        result = on_host(xp.expm1(ours(values, dtype)))
        assert result.dtype == dtype
        rel = 1e-6 if dtype == torch.complex64 else 1e-13
        for got, expected in zip(result.tolist(), np.expm1(np.asarray(values)).tolist()):
            assert got == pytest.approx(expected, rel=rel)


class TestTransformsOverwrite:
    """CANN, FFT_1D.md: the input of powers of two from 32768 on is modified, unless copied."""

    @needs_emulator
    def test_torch_npu(self):
        x = plain(np.ones(32768), torch.complex64)
        torch.fft.fft(x)
        assert not bool((x.cpu() == 1).all())

    @pytest.mark.parametrize("n", [32768, 65536])
    @pytest.mark.parametrize("name", ["fft", "ifft", "fftn", "ifftn", "hfft", "irfft", "irfftn"])
    def test_ours_of_complex(self, name, n):
        halved = name in {"hfft", "irfft", "irfftn"}
        x = xp.asarray(torch.ones(n // 2 + 1 if halved else n).to(torch.complex64).to(NPU))
        # By the n-D functions the matrices of the transforms would be too large: a small axis.
        if name.endswith("n"):
            getattr(xp.fft, name)(x[None, :], axes=(1,))
        else:
            getattr(xp.fft, name)(x)
        assert bool((on_host(x) == 1).all())

    @pytest.mark.parametrize("name", ["rfft", "ihfft"])
    def test_ours_of_real(self, name):
        x = xp.asarray(torch.ones(32768).to(NPU))
        getattr(xp.fft, name)(x)
        assert bool((on_host(x) == 1).all())


class TestFractionalCorrection:
    """torch_npu copies to the CPU for it, and no switch and no warning says so."""

    values = (1.0, 2.5, 4.0, 8.0, 7.0, 3.0)

    @needs_emulator
    @pytest.mark.parametrize("name", ["var", "std"])
    def test_torch_npu(self, name):
        x = plain(self.values, torch.float32)
        with EMULATOR.counting() as counts:
            getattr(torch, name)(x, correction=0.5)
        assert counts.to_host[1] >= 24
        assert not counts.fallbacks, "not even counted as a fallback"

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("name", ["var", "std"])
    def test_ours(self, name, dtype):
        x = ours(self.values, dtype)
        for correction in (0.5, 1.5):
            freedom = len(self.values) - correction
            variance = np.var(self.values) * len(self.values) / freedom
            expected = variance if name == "var" else variance**0.5
            result = getattr(xp, name)(x, correction=correction)
            assert float(result) == pytest.approx(expected, rel=1e-6)

    @needs_emulator
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("name", ["var", "std"])
    def test_ours_is_on_the_device(self, name, dtype):
        x = ours(self.values, dtype)
        with EMULATOR.counting() as counts:
            getattr(xp, name)(x, correction=0.5)
        assert counts.to_host == (0, 0)


class TestFromDlpack:
    """torch_npu replaces torch.from_dlpack by a function of one argument."""

    @needs_emulator
    def test_torch_npu(self):
        with pytest.raises(TypeError, match="device"):
            torch.from_dlpack(torch.ones(2), device="cpu")
        with pytest.raises(TypeError, match="copy"):
            torch.from_dlpack(torch.ones(2), copy=True)

    def test_ours(self):
        x = torch.ones(2)
        shared = xp.from_dlpack(x, device="cpu", copy=False)
        copied = xp.from_dlpack(x, device="cpu", copy=True)
        x[0] = 5
        assert on_host(shared).tolist() == [5, 1]
        assert on_host(copied).tolist() == [1, 1]
        y = ours([1, 2], torch.float32)
        assert on_host(xp.from_dlpack(y, copy=True)).tolist() == [1, 2]
        assert xp.from_dlpack(y).device == NPU
        assert np.from_dlpack(xp.from_dlpack(y, device="cpu")).tolist() == [1, 2]


class TestRound:
    """CANN, aclnnRound: +0 from -0.5 to -0."""

    @needs_emulator
    def test_torch_npu(self):
        rounded = torch.round(plain([-0.3, -0.5, -0.0], torch.float32)).cpu()
        assert torch.signbit(rounded).tolist() == [False] * 3

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_ours(self, dtype):
        rounded = on_host(xp.round(ours([-0.3, -0.5, -0.0, 0.3, -1.5, 2.5], dtype)))
        assert rounded.tolist() == [0, 0, 0, 0, -2, 2]
        assert torch.signbit(rounded).tolist() == [True, True, True, False, True, False]

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    def test_ours_of_complex(self, dtype):
        rounded = on_host(xp.round(ours([-0.3 + 1.5j, 2.5 - 0.3j], dtype)))
        assert rounded.tolist() == [2j, 2 + 0j]
        assert torch.signbit(torch.view_as_real(rounded)).tolist() == [[True, False], [False, True]]


CASTS = [
    # values, from, to: what aclnnCast.md does not assure, though the target holds the values
    ([2**40, -(2**40), 2**62], torch.int64, torch.float32),
    ([2.0**40, -(2.0**40), 2.0**62], torch.float32, torch.int64),
]
WRAPPED = [
    # and where it does not, which wraps around on the CPU
    ([2047, 1920, -3000], torch.int32, torch.int8),
]


class TestCasts:
    """CANN, aclnnCast.md: exact in a range only."""

    @needs_emulator
    @pytest.mark.parametrize(("values", "source", "target"), CASTS + WRAPPED)
    def test_torch_npu(self, values, source, target):
        expected = torch.tensor(values, dtype=source).to(target)
        assert plain(values, source).to(target).tolist() != expected.tolist()

    @pytest.mark.parametrize(("values", "source", "target"), CASTS + WRAPPED)
    def test_ours(self, values, source, target):
        expected = torch.tensor(values, dtype=source).to(target)
        assert on_host(xp.astype(ours(values, source), target)).tolist() == expected.tolist()

    @pytest.mark.parametrize("shape", [(0,), (1,), (1, 1), (0, 3)])
    def test_ours_of_one_element_at_most(self, shape):
        """Such a tensor is contiguous whatever its strides are, and not viewed as it is."""
        x = torch.zeros((1,), dtype=torch.int32).to(NPU).as_strided(shape, (0,) * len(shape))
        assert on_host(xp.astype(xp.asarray(x), xp.int8)).shape == shape


class TestIntegerMeans:
    """CANN, reduce_mean_aicpu.cpp: the sum wraps, and is divided without a fraction (Eigen's)."""

    @needs_emulator
    @pytest.mark.parametrize(
        ("values", "dtype", "answer"),
        [
            ([3, 4], torch.int64, 3),
            ([-3, -4], torch.int32, -3),
            ([100, 100], torch.int8, -28),
            ([[200, 100], [1, 2]], torch.uint8, 11),
        ],
    )
    def test_torch_npu(self, values, dtype, answer):
        assert torch.mean(plain(values, dtype)).item() == answer

    def test_ours(self):
        with pytest.raises(TypeError, match="mean"):
            xp.mean(ours([3, 4], torch.int64))


class TestRoundedQuotientsOfComplexNumbers:
    """CANN, aclnn_div.cpp: they are refused, as torch refuses them on the CPU."""

    @needs_emulator
    @pytest.mark.parametrize("mode", ["floor", "trunc"])
    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    def test_torch_npu(self, dtype, mode):
        x = plain([1 + 2j], dtype)
        for other in (x, 2.0):
            with pytest.raises(RuntimeError, match="161002"):
                torch.div(x, other, rounding_mode=mode)
        assert torch.div(x, x).cpu().item() == 1


class TestRemainder:
    """CANN, aclnnRemainder: int32 is exact within 2**24 only; int8, int16 and uint8 are refused."""

    @needs_emulator
    @pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.uint8])
    def test_torch_npu(self, dtype):
        with pytest.raises(RuntimeError, match="161002"):
            torch.remainder(plain([7], dtype), plain([4], dtype))

    @pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.uint8])
    def test_ours_of_narrow(self, dtype):
        low = 0 if dtype == torch.uint8 else -7
        assert on_host(xp.remainder(ours([7, low], dtype), ours([4, 4], dtype))).tolist() == [
            3,
            low % 4,
        ]

    def test_ours_of_int32(self):
        x = ours([2**24 + 1, 2**31 - 1, -(2**31)], torch.int32)
        y = ours([2**24, 2**24 + 3, 7], torch.int32)
        expected = [1, (2**31 - 1) % (2**24 + 3), -(2**31) % 7]
        assert on_host(xp.remainder(x, y)).tolist() == expected
        assert on_host(x % y).tolist() == expected

    @needs_emulator
    def test_ours_of_int32_is_computed_as_int64(self):
        """The emulator is exact beyond 2**24, so it is shown by the kernels: there are casts."""
        x, y = ours([2**24 + 1], torch.int32), ours([3], torch.int32)
        with EMULATOR.counting() as counts:
            xp.remainder(x, y)
        assert counts.by_kernel()["aclnnInplaceCopy"] >= 2 or counts.by_kernel()["aclnnCast"] >= 2


class TestZerosOfBothSigns:
    """CANN, aclnnUnique2: on Atlas A2 both zeros may stay, as two values."""

    values = (0.0, 1.0, -0.0, -0.0)

    @needs_emulator
    def test_torch_npu(self):
        for dtype in (torch.float16, torch.float32, torch.float64):
            assert torch.unique(plain(self.values, dtype)).tolist() == [0, 0, 1]

    def test_ours(self):
        for dtype in (torch.float32, torch.float64):
            x = ours(self.values, dtype)
            found = xp.unique_all(x)
            assert on_host(found.values).tolist() == [0, 1]
            assert on_host(found.indices).tolist() == [0, 1]
            assert on_host(found.counts).tolist() == [3, 1]
            assert on_host(xp.unique_values(x)).tolist() == [0, 1]
            assert [on_host(part).tolist() for part in xp.unique_counts(x)] == [[0, 1], [3, 1]]
            inverse = xp.unique_inverse(x)
            assert [on_host(part).tolist() for part in inverse] == [[0, 1], [0, 1, 0, 0]]
