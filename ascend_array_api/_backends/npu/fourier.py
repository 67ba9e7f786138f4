"""Fourier transforms on NPUs.

All transforms reduce to one: complex numbers along the rows of a matrix, unscaled.  The transform
of torch_npu takes rows with float32 parts and no large prime factor.  Otherwise the transform is
composed of products and sums: by Stockham's algorithm with mixed radices or, for large prime
factors, by a convolution (Bluestein's algorithm) whose size has none.

A transform is linear, so it is its own derivative, and its gradient is its adjoint, another one of
these transforms.  Torch's own gradients would be wrong: they call transforms that overwrite the
incoming gradient for large powers of two.
"""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from ..._devices import backends
from ..._devices.device import parse, spec
from ..._devices.facts import soc
from ..._routes import creation, fourier, movement  # noqa: F401  # declares the operations
from ..._routes import elementwise as el
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row
from ..._torch import dtypes as dt
from ..._torch import torch
from . import MOST_DIMENSIONS
from ._common import BEFORE_A2, launches, on_host, refused_by_torch_npu, wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    _Rows = Callable[[Tensor], Tensor]

# --- sizes ----------------------------------------------------------------------------------------

_LONGEST: Final = 2**27
_LARGEST_FACTOR: Final = 199
_OVERWRITTEN: Final = 2**15
_MOST_NUMBERS: Final = 2**30
"""The documented limits of libasdsip: the most points, the largest prime factor, the least power of
two whose transform overwrites its operand, and the most numbers in all rows."""

_DIRECT: Final = 32
"""Up to this number of points, transform by the definition."""


@functools.lru_cache(maxsize=256)
def _factors(n: int) -> tuple[int, ...]:
    """Return the prime factors in ascending order."""
    found = []
    factor = 2
    while factor * factor <= n:
        while n % factor == 0:
            found.append(factor)
            n //= factor
        factor += 1
    return (*found, n) if n > 1 else tuple(found)


def _in_library(n: int, dtype: torch.dtype) -> bool:
    """Say whether torch_npu's own transform takes this number of points, and is exact."""
    single = dtype in {dt.float32, dt.complex64}
    return (
        single
        and n <= _LONGEST
        and _has_library()
        and max(_factors(n), default=1) <= _LARGEST_FACTOR
    )


@functools.cache
def _has_library() -> bool:
    """Say whether there is a libasdsip for this chip: its document names none before Atlas A2.

    torch_npu then transforms by products of matrices, which these chips compute in float16.
    """
    return BEFORE_A2.decide(backends.find("npu").facts) is False


@functools.cache
def _real_in_library() -> bool:
    """Say whether torch_npu finds libasdsip, for its transforms of real numbers.

    Without it torch_npu transforms by products of matrices.  For real numbers it then warns at
    every new shape that it resizes its own output.  On Ascend 950 libasdsip has transforms of
    complex numbers alone, by its document.
    """
    if soc("950").decide(backends.find("npu").facts) is not False:
        return False
    try:
        library = ctypes.CDLL("libasdsip.so")
    except OSError:  # not installed, or nnal/asdsip/set_env.sh was not sourced
        return False
    return hasattr(library, "asdFftExecR2C") and hasattr(library, "asdFftExecC2R")


def _radices(n: int) -> list[int]:
    """Return the sizes of the steps whose product is n."""
    if n <= _DIRECT:
        return [n]
    found = []
    for radix in (8, 4):
        while n % radix == 0:
            found.append(radix)
            n //= radix
    return [*found, *_factors(n)]


def _smooth(least: int) -> int:
    """Return the smallest size from ``least`` on that has the prime factors 2, 3 and 5 only."""
    best = 1 << (least - 1).bit_length()
    fives = 1
    while fives < best:
        size = fives
        while size < best:
            twos = max(0, -(-least // size) - 1).bit_length()
            best = min(best, size << twos)
            size *= 3
        fives *= 5
    return best


# --- tables ---------------------------------------------------------------------------------------


def _roots(k: Tensor, n: int) -> Tensor:
    """Return exp(2 pi i k / n) in complex128, each part to about an ulp; k from 0 to n - 1.

    The angle is reduced to the first eighth of the circle in integers.
    """
    octant = torch.div(8 * k, n, rounding_mode="floor")
    beyond = 8 * k - octant * n
    angle = torch.where(octant % 2 == 0, beyond, n - beyond).to(dt.float64) * (math.pi / 4) / n
    cos, sin = torch.cos(angle), torch.sin(angle)
    steep = (octant % 4 == 1) | (octant % 4 == 2)
    real, imag = torch.where(steep, sin, cos), torch.where(steep, cos, sin)
    left = (octant >= 2) & (octant < 6)
    return torch.complex(torch.where(left, -real, real), torch.where(octant >= 4, -imag, imag))


def _powers(n: int, rows: int, columns: int, *, inverse: bool) -> Tensor:
    """Return a matrix of the roots of unity w**(j k) for the transform of n points."""
    j, k = _count(rows), _count(columns)
    roots = _roots(j[:, None] * k % n, n)
    return roots if inverse else roots.conj()


def _count(n: int) -> Tensor:
    return torch.arange(n, dtype=dt.int64, device="cpu")


def _chirp(n: int, *, inverse: bool) -> Tensor:
    """Return exp(-pi i k**2 / n)."""
    k = _count(n)
    roots = _roots(k * k % (2 * n), 2 * n)
    return roots if inverse else roots.conj()


def _chirp_filter(n: int, size: int, *, inverse: bool) -> Tensor:
    """Return the transform of the chirp's inverse around 0, by which to convolve."""
    back = _chirp(n, inverse=not inverse)
    around = torch.zeros(size, dtype=dt.complex128, device="cpu")
    around[:n] = back
    around[size - n + 1 :] = back[1:].flip(0)
    spectrum: Tensor = torch.fft.fft(around)
    return spectrum / size


def _weights(n: int) -> Tensor:
    """Return how often each number of half a spectrum counts: twice if it has a mirror image."""
    weights = torch.full((n // 2 + 1,), 2.0, dtype=dt.float64, device="cpu")
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights


class _Tables:
    """Tables on devices, computed on the host in float64; the last ones used are cached."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[Any, Tensor] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(
        self, make: Callable[..., Tensor], *sizes: int, dtype: torch.dtype, like: Tensor, **how: Any
    ) -> Tensor:
        """Return a table of a data type on the device of a tensor."""
        key = make, sizes, dtype, like.device, *how.values()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with torch.inference_mode(mode=False), torch.no_grad():
            table = make(*sizes, **how).resolve_conj().to(dtype).to(like.device)
        with self._lock:
            self._kept[key] = table
            while len(self._kept) > 1 and sum(t.nbytes for t in self._kept.values()) > self._room:
                self._kept.popitem(last=False)
        return table


_table: Final = _Tables(room=2**27)

# --- the transform of complex numbers -------------------------------------------------------------

_ELEMENTS: Final = 2**22
"""The most products that one step holds at a time."""


def _by_floats(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Move complex data as float32, which CANN moves on the AICore rather than the AICPU."""
    if not x.is_complex():
        return function(x)
    return torch.view_as_complex(function(torch.view_as_real(x)))


def _by_library(function: Callable[..., Tensor], x: Tensor, n: int, norm: str) -> Tensor:
    """Transform by torch_npu's own function, within the limits of libasdsip."""
    rows = max(1, _MOST_NUMBERS // n)
    if x.shape[0] > rows:
        return torch.cat([_by_library(function, part, n, norm) for part in torch.split(x, rows)])
    if n >= _OVERWRITTEN and n.bit_count() == 1:
        x = _by_floats(torch.clone, x)
    return function(x, n, -1, norm)


def _by_steps(x: Tensor, inverse: bool) -> Tensor:
    """Transform by Stockham's algorithm: radix by radix, each step sorting its results."""
    rows, n = x.shape

    def table(size: int, *shape: int) -> Tensor:
        return _table(_powers, size, *shape, dtype=x.dtype, like=x, inverse=inverse)

    done = 1  # the size of the transforms finished so far
    for radix in _radices(n):
        rest = n // (done * radix)
        x = x.reshape(rows, radix, rest, done)
        if done > 1:
            x = x * table(radix * done, radix, done)[:, None, :]
        x = x[:, :, :, None, :]
        matrix = table(radix, radix, radix)[:, None, :, None]
        if rows * n * radix <= _ELEMENTS:
            x = torch.sum(x * matrix, 1)
        else:
            total = x[:, 0] * matrix[0]
            for j in range(1, radix):
                total = total + x[:, j] * matrix[j]
            x = total
        done *= radix
    return x.reshape(rows, n)


def _by_convolution(x: Tensor, inverse: bool) -> Tensor:
    """Transform by Bluestein's algorithm: j k = (j**2 + k**2 - (k - j)**2) / 2."""
    n = x.shape[1]
    size = _smooth(2 * n - 1)
    chirp = _table(_chirp, n, dtype=x.dtype, like=x, inverse=inverse)
    across = _table(_chirp_filter, n, size, dtype=x.dtype, like=x, inverse=inverse)
    spectrum = _transformed(_resized(x * chirp, size), inverse=False)
    return _transformed(spectrum * across, inverse=True)[:, :n] * chirp


def _transformed(x: Tensor, *, inverse: bool) -> Tensor:
    """Transform the rows of a complex matrix, unscaled."""
    n = x.shape[1]
    if n == 1 or x.shape[0] == 0:
        return x.clone()
    if _in_library(n, x.dtype):
        if inverse:
            return _by_library(torch.fft.ifft, x, n, "forward")
        return _by_library(torch.fft.fft, x, n, "backward")
    if max(_factors(n)) <= _DIRECT:
        return _by_steps(x, inverse)
    return _by_convolution(x, inverse)


class _Linear(torch.autograd.Function):
    """A linear function of the rows of a matrix; under ``torch.vmap`` it gets more rows.

    ``once`` computes it, ``again`` computes it so that it has derivatives itself, and ``adjoint``
    computes its gradient.
    """

    @staticmethod
    def forward(x: Tensor, once: _Rows, again: _Rows, adjoint: _Rows) -> Tensor:
        del again, adjoint
        return once(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        del output
        _, _, ctx.again, ctx.adjoint = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return ctx.adjoint(gradient), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Any:
        return ctx.again(tangent)

    @classmethod
    def vmap(cls, info: Any, in_dims: tuple[int | None, ...], x: Tensor, *others: Any) -> Any:  # noqa: ARG003
        assert in_dims[0] is not None
        x = x.movedim(in_dims[0], 0)
        result = cls.apply(x.flatten(0, 1), *others)  # type: ignore[no-untyped-call]
        return result.unflatten(0, x.shape[:2]), 0


def _linear(x: Tensor, once: _Rows, again: _Rows, adjoint: _Rows) -> Tensor:
    result: Tensor = _Linear.apply(x, once, again, adjoint)  # type: ignore[no-untyped-call]
    return result


def _complex(x: Tensor, *, inverse: bool) -> Tensor:
    """Transform the rows of a complex matrix, unscaled, with derivatives."""
    once = functools.partial(_transformed, inverse=inverse)
    again = functools.partial(_complex, inverse=inverse)
    adjoint = functools.partial(_complex, inverse=not inverse)
    return _linear(x, once, again, adjoint)


# --- the transforms of real numbers ---------------------------------------------------------------


def _to_half(x: Tensor) -> Tensor:
    """Transform the rows of a real matrix; return the first half of each spectrum, unscaled."""
    rows, n = x.shape
    if rows > 0 and n > 1 and _in_library(n, x.dtype) and _real_in_library():
        return _linear(
            x,
            lambda x: _by_library(torch.fft.rfft, x, n, "backward"),
            _to_half,
            lambda gradient: _real(_complex(_resized(gradient, n), inverse=True)),
        )
    x = x.contiguous()
    return _complex(torch.complex(x, torch.zeros_like(x)), inverse=False)[:, : n // 2 + 1]


def _from_half(x: Tensor, n: int) -> Tensor:
    """Transform the first halves of spectra of n points back to real numbers, unscaled."""
    if x.shape[0] > 0 and n > 1 and _in_library(n, x.dtype) and _real_in_library():
        return _linear(
            x,
            lambda x: _by_library(torch.fft.irfft, x, n, "forward"),
            lambda tangent: _from_half(tangent, n),
            lambda gradient: _weighted(_to_half(gradient), n),
        )
    # Doubling this half and omitting its mirror image gives the same real part.
    return _real(_complex(_resized(_weighted(x, n), n), inverse=True))


def _weighted(x: Tensor, n: int) -> Tensor:
    parts = torch.view_as_real(x)
    weights = _table(_weights, n, dtype=parts.dtype, like=parts)
    return torch.view_as_complex(parts * weights[:, None])


# --- any shape, any axis --------------------------------------------------------------------------


def _real(x: Tensor) -> Tensor:
    return torch.view_as_real(x)[..., 0]


def _resized(x: Tensor, size: int) -> Tensor:
    """Trim the rows of a matrix to a size, or pad them with zeros."""
    rows, n = x.shape
    if n >= size:
        return x[:, :size]
    if rows == 0 or n == 0:
        return torch.zeros((rows, size), dtype=x.dtype, device=x.device)
    after = (0, 0, 0, size - n) if x.is_complex() else (0, size - n)
    return _by_floats(lambda parts: torch.nn.functional.pad(parts, after), x)


def _scaled(x: Tensor, n: int, norm: str, unscaled: str) -> Tensor:
    if norm == unscaled:
        return _by_floats(torch.Tensor.contiguous, x)
    scale = 1 / math.sqrt(n) if norm == "ortho" else 1 / n
    return _by_floats(lambda parts: parts * scale, x)


def _as_matrix(x: Tensor, rows: int) -> Tensor:
    shape = rows, x.shape[-1]
    if x.dim() == MOST_DIMENSIONS:
        return x.reshape(shape)
    parts = (2,) if x.is_complex() else ()
    return _by_floats(lambda x: x.reshape(*shape, *parts), x)


def _along_rows(
    transform: Callable[[Tensor, int], Tensor], unscaled: str, *, from_half: bool = False
) -> Callable[..., Tensor]:
    """Return the kernel that moves the axis to the end and merges the other axes to rows."""

    def along_rows(x: Tensor, points: int, axes: int, norm: str) -> Tensor:
        x = x.movedim(axes, -1)
        batch = x.shape[:-1]
        x = _as_matrix(x, math.prod(batch))
        x = transform(_resized(x, points // 2 + 1 if from_half else points), points)
        x = _scaled(x, points, norm, unscaled)
        return x.reshape(*batch, x.shape[-1]).movedim(-1, axes)

    return along_rows


def _signs() -> Tensor:
    return torch.tensor([1.0, -1.0], dtype=dt.float64, device="cpu")


def _conj(x: Tensor) -> Tensor:
    """Return conjugates by one kernel: multiply both parts by 1 and -1."""
    parts = torch.view_as_real(x)
    return torch.view_as_complex(parts * _table(_signs, dtype=parts.dtype, like=parts))


_fft: Final = _along_rows(lambda x, _: _complex(x, inverse=False), "backward")
_ifft: Final = _along_rows(lambda x, _: _complex(x, inverse=True), "forward")
_rfft: Final = _along_rows(lambda x, _: _to_half(x), "backward")
_irfft: Final = _along_rows(_from_half, "forward", from_half=True)
_hfft: Final = _along_rows(lambda x, n: _from_half(_conj(x), n), "backward", from_half=True)
_ihfft: Final = _along_rows(lambda x, _: _conj(_to_half(x)), "forward")


def _along_each(transform: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the transform along several axes, by that along one."""

    def along_each(x: Tensor, points: list[int], axes: list[int], norm: str) -> Tensor:
        for n, axis in zip(points, axes):
            x = transform(x, n, axis, norm)
        return x

    return along_each


_fftn: Final = _along_each(_fft)
_ifftn: Final = _along_each(_ifft)


def _rfftn(x: Tensor, points: list[int], axes: list[int], norm: str) -> Tensor:
    return _fftn(_rfft(x, points[-1], axes[-1], norm), points[:-1], axes[:-1], norm)


def _irfftn(x: Tensor, points: list[int], axes: list[int], norm: str) -> Tensor:
    return _irfft(_ifftn(x, points[:-1], axes[:-1], norm), points[-1], axes[-1], norm)


# --- rows -----------------------------------------------------------------------------------------

_SINGLE: Final = wrong(
    "libasdsip refuses prime factors above 199, in torch_npu's queue, and overwrites the operand "
    "for powers of two from 32768 on",
    "asdFftExecC2C",
)
_DOUBLE: Final = refused_by_torch_npu(
    "libasdsip has no float64, and refuses it in torch_npu's queue", "asdFftExecC2C"
)
_SEVERAL: Final = launches(
    "torch_npu transforms several axes by products of matrices alone", "aten::_fft_c2c"
)


def _rows(name: str, function: Callable[..., Tensor], *, of_real: bool = False) -> list[Row]:
    single, double = (dt.float32, dt.float64) if of_real else (dt.complex64, dt.complex128)
    cause, route = _SEVERAL if name.endswith("n") else _SINGLE, Compose(function)
    return [Row(name, {single}, route, *cause), Row(name, {double}, route, *_DOUBLE)]


# --- frequencies ----------------------------------------------------------------------------------


def _frequencies(
    first: int, last: int, length: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    # In float64, rounded once, so that the values are those of the host.
    double = spec(dt.float64, parse(device))
    arange, full = creation.arange.on(double), creation.full.on(double)
    counted = arange(0, 1, last + 1, dt.float64, device)
    if first:
        lower = arange(first, 1, -first, dt.float64, device)
        counted = movement.concat.on(double)([counted, lower], 0)
    quotient = el.divide.on(double)(counted, full((), length, dt.float64, device))
    return cast(quotient, dtype)


ROWS: Final = (
    Row(
        "frequencies",
        dt.REAL_FLOATING,
        Compose(_frequencies),
        *on_host("made on the host, they would have to be copied"),
    ),
    *_rows("fft", _fft),
    *_rows("ifft", _ifft),
    *_rows("fftn", _fftn),
    *_rows("ifftn", _ifftn),
    *_rows("rfft", _rfft, of_real=True),
    *_rows("irfft", _irfft),
    *_rows("rfftn", _rfftn, of_real=True),
    *_rows("irfftn", _irfftn),
    *_rows("hfft", _hfft),
    *_rows("ihfft", _ihfft, of_real=True),
)
