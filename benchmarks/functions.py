"""What every function costs, beside torch, NumPy, CuPy and JAX: one table of calls, in turns.

python -m benchmarks functions [-k WORDS] [--device cuda] [--sizes 1 1000 1000000] [--total 600]
python -m benchmarks functions --read RUN.json [--plot FILE.svg] [--csv FILE]
python -m benchmarks compare BEFORE.json AFTER.json
python -m benchmarks commits BASE [options of functions]

The same expression is computed by each namespace that has it.  A figure is the least time of some
rounds, because on a machine that others use too what is more than that is theirs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

import ascend_array_api
from benchmarks.cases import OURS, TORCH
from benchmarks.measure import clock, peak_memory, within
from benchmarks.report import INK, MIB, WIDE, Table, drawn
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

SIZES: Final = (1, 1_000, 1_000_000)
LIMITS: Final = {TORCH: 1.15, "numpy": 1.2, "cupy": 1.5, "jax": 1.5}
"""How many times a peer's time a call may take before it is listed."""

# --- the calls ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """An expression, by the names of ``operands``, and the data types that it is computed in."""

    chapter: str
    expression: str
    dtypes: str
    """NumPy's characters for them."""
    others: Mapping[str, str] = field(default_factory=dict)
    """How namespaces spell it that do so otherwise."""


def _of(names: str, expression: str) -> str:
    """Put names into an expression in place of ``{}``: several, separated by semicolons."""
    return ";".join(expression.format(name) for name in names.split())


def _calls(chapter: str, *rows: tuple[str, str] | tuple[str, str, dict[str, str]]) -> list[Call]:
    return [
        Call(chapter, one.strip(), dtypes, *others)
        for dtypes, expressions, *others in rows
        for one in expressions.split(";")
    ]


_REVERSED: Final = dict.fromkeys(("numpy", "cupy"), "xp.flip(xp.sort(x))")
_COPY: Final = {TORCH: "torch.clone(s)"}
"""Of real numbers torch gives the operand itself, and not a tensor or memory of its own."""
_BY_TORCH: Final = "torch.unique(x, return_inverse=True, return_counts=True)"

CALLS: Final = (
    *_calls(
        "operators",
        ("fdFil", "x + y; x * 2; x ** 2; -s; abs(s)"),
        ("fdil", "x - 3; x < y; x == y; x % 3; x // 3; 3 - x"),
        ("fd", "1.0 / x; x ** 3; x ** 0.5; x ** -1; x ** 2.5; X + r; X + X.T"),
        ("fdFil", "A @ B"),
        ("fl", "X @ r"),
        ("Bil", "x & y; x | 1; x << z; x >> 2"),
        ("?", "c & c; ~c"),
    ),
    *_calls(
        "elementwise_functions",
        ("fdF", _of("acos asin atanh", "xp.{}(u)") + ";xp.acosh(g)"),
        ("fdF", _of("asinh atan cos cosh exp expm1 sin sinh tan tanh", "xp.{}(s)")),
        ("fdF", _of("sqrt log log1p log2 log10 reciprocal", "xp.{}(x)")),
        ("fdFil", _of("sign square abs negative", "xp.{}(s)")),
        ("fdFil", "xp.positive(s)", _COPY),
        ("fdil", "xp.conj(s)", _COPY),
        ("fdil", "xp.real(s)", {TORCH: "s.view_as(s)"}),
        ("F", "xp.conj(s); xp.real(s)"),
        ("fdF", _of("isfinite isinf isnan", "xp.{}(s)") + ";xp.round(s)"),
        ("fd", _of("ceil floor trunc signbit", "xp.{}(s)")),
        ("F", "xp.imag(s)"),
        ("fdFil", _of("add multiply subtract equal not_equal", "xp.{}(x, y)")),
        ("fdF", "xp.divide(x, y)"),
        ("fdFil", "xp.pow(x, z)"),
        ("fd", _of("atan2 copysign hypot logaddexp nextafter", "xp.{}(s, t)")),
        ("fdil", _of("floor_divide remainder maximum minimum less", "xp.{}(s, y)")),
        ("il", _of("less_equal greater greater_equal", "xp.{}(s, y)")),
        ("Bil", _of("bitwise_and bitwise_or bitwise_xor", "xp.{}(x, y)")),
        ("Bil", _of("bitwise_left_shift bitwise_right_shift", "xp.{}(x, z)")),
        ("Bil", "xp.bitwise_invert(x)"),
        ("?", _of("logical_and logical_or logical_xor", "xp.{}(c, c)") + ";xp.logical_not(c)"),
        ("fdil", "xp.clip(x, 1, 5); xp.clip(x, y, None); xp.clip(s, x, y)"),
    ),
    *_calls(
        "creation_functions",
        ("fl", "xp.zeros(n, dtype=dtype, **on); xp.ones(n, dtype=dtype, **on)"),
        ("fl", "xp.full(n, 2, dtype=dtype, **on); xp.arange(n, dtype=dtype, **on)"),
        ("fd", "xp.linspace(0, 1, n, dtype=dtype, **on); xp.eye(m, dtype=dtype, **on)"),
        ("fl", _of("empty_like ones_like zeros_like", "xp.{}(x)") + ";xp.full_like(x, 2)"),
        ("fl", "xp.empty(n, dtype=dtype, **on); xp.asarray(X.T, copy=True)"),
        ("f", "xp.tril(X); xp.triu(X)"),
        ("f", "xp.meshgrid(r, r)", {TORCH: "[g.clone() for g in xp.meshgrid(r, r)]"}),
    ),
    *_calls(
        "data_type_functions",
        ("fi", "xp.astype(x, xp.float64); xp.astype(x, xp.int64)"),
        ("d", "xp.astype(s, xp.float32); xp.astype(s, xp.int32)"),
        ("f", "xp.broadcast_to(r, (m, m)); xp.broadcast_arrays(X, r)"),
    ),
    *_calls(
        "statistical_functions",
        ("fdFil", _of("sum prod", "xp.{}(x)") + ";xp.cumulative_sum(x)"),
        ("fdil", _of("max min", "xp.{}(s)")),
        ("fdF", "xp.mean(x)"),
        ("fd", _of("std var", "xp.{}(x)") + ";xp.cumulative_prod(x)"),
        ("fl", _of("sum prod max min", "xp.{0}(X, axis=0);xp.{0}(X, axis=1)")),
        ("f", _of("mean std var", "xp.{0}(X, axis=0);xp.{0}(X, axis=1)")),
    ),
    *_calls(
        "utility_functions",
        ("?fl", "xp.any(nil); xp.all(x); xp.any(x); xp.all(nil)"),
        ("fl", "xp.any(X, axis=0); xp.all(X, axis=1)"),
        ("fdil", "xp.diff(x)"),
        ("f", "xp.diff(X, axis=0)"),
    ),
    *_calls(
        "searching_functions",
        ("fdil", _of("argmax argmin", "xp.{}(s)")),
        ("fl", "xp.argmax(X, axis=0); xp.argmin(X, axis=1)"),
        ("?fl", "xp.count_nonzero(x); xp.nonzero(x)"),
        ("fdl", "xp.searchsorted(o, s)"),
        ("fdFil", "xp.where(c, x, y)"),
    ),
    *_calls(
        "sorting_functions",
        ("fdil", "xp.sort(s)"),
        ("fdil", "xp.argsort(s)", {"numpy": "xp.argsort(s, stable=True)"}),
        ("fl", "xp.sort(x, descending=True)", _REVERSED),
        ("fl", "xp.sort(X, axis=0); xp.sort(X)"),
    ),
    *_calls(
        "set_functions",
        ("fdl", _of("values counts inverse", "xp.unique_{}(x)") + ";xp.unique_values(s)"),
        ("fdl", "xp.unique_all(x)", {TORCH: _BY_TORCH}),
        ("fl", "xp.isin(x, few)"),
    ),
    *_calls(
        "indexing",
        ("fl", "x[c]; x[k]; x[p] = y; x[1:] + x[:-1]; X[h, h]; X[:, 0] = r"),
        ("fl", "x[c] = 1; x[c] = x[0]; x[:] = y"),
        ("fl", "xp.take(X, h, axis=0); xp.take(X, h, axis=1); xp.take(x, k, axis=0)"),
        ("fl", "xp.take_along_axis(X, J, axis=1)"),
        ("f", "x[::-1] + 0", {TORCH: "torch.flip(x, (0,)) + 0"}),
    ),
    *_calls(
        "manipulation_functions",
        ("flF", "xp.concat((x, y)); xp.stack((x, y))"),
        ("f", "xp.roll(x, 7); xp.roll(X, 1, axis=1); xp.flip(X); xp.tile(X, (2, 1))"),
        ("f", "xp.repeat(x, 2); xp.reshape(X, (-1,)); xp.permute_dims(X, (1, 0))"),
        ("f", "xp.expand_dims(x, axis=0); xp.moveaxis(X, 0, 1); xp.squeeze(x[None, :], axis=0)"),
        ("f", "xp.unstack(S)"),
    ),
    *_calls(
        "linear_algebra_functions",
        ("fl", "xp.matmul(A, B); xp.tensordot(A, B, axes=1); xp.matrix_transpose(X)"),
        ("f", "S @ S"),
        ("flF", "xp.vecdot(X, X)", {"cupy": "xp.sum(xp.conj(X) * X, axis=-1)"}),
    ),
    *_calls(
        "linalg",
        ("fdF", _of("cholesky eigh eigvalsh", "xp.linalg.{}(H)")),
        ("fdF", _of("det inv qr slogdet svdvals pinv matrix_rank", "xp.linalg.{}(A)")),
        ("fd", "xp.linalg.svd(A, full_matrices=False)"),
        ("fdF", "xp.linalg.solve(A, V); xp.linalg.vector_norm(x)"),
        ("f", "xp.linalg.inv(S); xp.linalg.matrix_norm(X); xp.linalg.trace(X)"),
        ("fl", "xp.linalg.outer(r, r); xp.linalg.diagonal(X)"),
        ("f", "xp.linalg.cross(T, T); xp.linalg.matrix_power(A / n, 5)"),
    ),
    *_calls(
        "fft",
        ("FD", _of("fft ifft", "xp.fft.{}(q)") + ";xp.fft.fft(X);xp.fft.fftn(X);xp.fft.ifftn(X)"),
        ("fd", "xp.fft.rfft(q); xp.fft.ihfft(q)"),
        ("FD", "xp.fft.irfft(w); xp.fft.hfft(w)"),
        ("f", "xp.fft.fftshift(X); xp.fft.ifftshift(X); xp.fft.rfftn(X)"),
        ("f", "xp.fft.fftfreq(n, dtype=dtype, **on); xp.fft.rfftfreq(n, dtype=dtype, **on)"),
    ),
    *_calls(
        "special",
        ("fd", _of("erf erfc expit i0 i1 ndtr entr log_ndtr sinc exp2 digamma", "special.{}(s)")),
        ("fd", "special.gammaln(x); special.logit(x); special.xlogy(x, y); special.gammainc(x, y)"),
    ),
    *_calls(
        "random",
        ("fd", _of("random standard_normal standard_exponential", "rng.{}(n, dtype=dtype)")),
        ("fd", "rng.standard_gamma(2.0, n, dtype=dtype)"),
        ("d", "rng.gamma(2.0, size=n); rng.gamma(0.5, size=n); rng.beta(2.0, 3.0, size=n)"),
        ("d", "rng.uniform(size=n); rng.normal(size=n); rng.exponential(size=n)"),
        ("l", "rng.integers(0, 1000, size=n); rng.integers(0, 2**40, size=n)"),
        ("l", "rng.poisson(50.0, size=n); rng.poisson(3.0, size=n); rng.geometric(0.3, size=n)"),
        ("l", "rng.binomial(1000, 0.3, size=n); rng.binomial(10, 0.3, size=n)"),
        ("l", "rng.permutation(n)"),
    ),
)

UNTIMED: Final = {
    "about data types, shapes or the namespace": (
        "__array_namespace_info__ broadcast_shapes can_cast fallback_report porting_report finfo "
        "iinfo isdtype options result_type synchronize"
    ),
    "timed with programs: python -m benchmarks programs": "captured",
    "from and to other libraries, without a copy": "from_dlpack to_torch",
    "made of others that are timed": (
        "bincount convolve diag logspace median roots linalg.lstsq linalg.eig linalg.eigvals "
        "linalg.matmul linalg.matrix_transpose linalg.tensordot linalg.vecdot fft.irfftn"
    ),
    "constants": "e inf nan newaxis pi",
}
"""The public names that no call has, and why."""

# --- operands -------------------------------------------------------------------------------------


def operands(code: str, size: int) -> dict[str, Any]:
    """Return the operands of a data type as NumPy's arrays; of ``size`` elements, most of them.

    ======= ===========================================================================
    x y     between 0 and 1; integers from 1 to 99
    s t     normal
    u g     within (-0.9, 0.9); within (1.5, 2.5)
    o z     sorted; small (integers: 0 to 4)
    few nil 50 elements; zeros
    c k p   a mask; positions; a permutation
    X S T   matrices: square; small ones in a stack; of 3 columns
    r h J   a row of X; positions in it; positions in every row
    i j     rows and columns of X, of as many elements
    A B H V square matrices of at most 384 rows, the third positive; 8 columns
    q w     as many elements as a power of 2, and half of that and 1
    ======= ===========================================================================
    """
    dtype = np.dtype(code)
    rng = np.random.default_rng(0)
    rows = max(1, int(size**0.5))
    small, half = min(rows, 384), 1 << (size.bit_length() - 1)

    def between(low: float, high: float, *shape: int) -> Any:
        if dtype.kind == "b":
            return rng.random(shape) < 0.5
        if dtype.kind in "iu":
            return rng.integers(1, 100, shape).astype(dtype)
        real = rng.uniform(low, high, shape)
        return (real + 1j * rng.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)

    def normal(*shape: int) -> Any:
        if dtype.kind not in "fc":
            return between(0, 1, *shape)
        real = rng.standard_normal(shape)
        return (real + 1j * rng.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)

    square = normal(small, small)
    scale = np.eye(small, dtype=dtype) * (small if dtype.kind in "fc" else 1)
    positive = square @ square.conj().T / max(small, 1) + 2 * np.eye(small)
    x = between(0, 1, size)
    return {
        "x": x,
        "y": between(0, 1, size),
        "s": normal(size),
        "t": normal(size),
        "u": between(-0.9, 0.9, size),
        "g": between(1.5, 2.5, size),
        "o": np.sort(normal(size)),
        "z": between(0, 1, size) % 5 if dtype.kind in "iu" else between(0, 1, size),
        "few": x[:50],
        "nil": np.zeros(size, dtype),
        "c": rng.random(size) < 0.5,
        "k": rng.integers(0, size, size),
        "p": rng.permutation(size),
        "X": between(0, 1, rows, rows),
        "S": between(0, 1, max(1, size // 256), 16, 16) + np.eye(16, dtype=dtype) * dtype.type(16)
        if dtype.kind in "fc"
        else between(0, 1, max(1, size // 256), 16, 16),
        "T": between(0, 1, max(1, size // 3), 3),
        "r": between(0, 1, rows),
        "h": rng.integers(0, rows, rows),
        "J": rng.integers(0, rows, (rows, rows)),
        "A": square + scale if dtype.kind in "fc" else square,
        "B": normal(small, small),
        "H": positive.astype(dtype),
        "V": normal(small, 8),
        "q": normal(half),
        "w": normal(half // 2 + 1),
        "i": rng.integers(0, rows, rows * rows),
        "j": rng.integers(0, rows, rows * rows),
    }


@dataclass(frozen=True)
class Peer:
    """A namespace, and how it makes its arrays."""

    name: str
    xp: Any
    array: Callable[[Any], Any]
    more: Mapping[str, Any]
    """Other names than ``xp`` that an expression may have."""
    ready: str = "{}"
    """What an expression is put into so that it is not left until later."""

    def scope(self, given: Mapping[str, Any], size: int, code: str) -> dict[str, Any]:
        """Return what the names in an expression mean."""
        arrays = {name: self.array(value) for name, value in given.items()}
        sizes = {"n": size, "m": max(1, int(size**0.5))}
        dtype = getattr(self.xp, np.dtype(code).name)
        return {"xp": self.xp, "dtype": dtype, **sizes, **self.more, **arrays}

    def timer(self, call: Call, scope: Mapping[str, Any], now: Callable[[], float]) -> Timer:
        """Return a timer of the call, in which all names are local variables."""
        written = call.others.get(self.name, call.expression)
        statement = self.ready.format(written) if " = " not in written else written
        setup = "; ".join(f"{name} = scope[{name!r}]" for name in scope)
        return Timer(statement, setup, now, {"scope": scope})


def peers(device: str) -> list[Peer]:
    """Return the namespaces that are installed for a device, ours first."""
    import array_api_compat.torch

    xp = ascend_array_api
    on = {"on": {"device": device}}
    philox = xp.random.Generator(xp.random.Philox(1, device=device))
    mine = {**on, "special": xp.special, "rng": philox}
    raw = {**on, "special": torch.special, "torch": torch}
    found = [
        Peer(OURS, xp, lambda x: _shared(xp.asarray(x, device=device, copy=True)), mine),
        Peer(TORCH, array_api_compat.torch, lambda x: torch.tensor(x, device=device), raw),
    ]
    if torch.device(device).type == "cpu":
        numpys = {"on": {}, "rng": np.random.Generator(np.random.Philox(1))}
        if (scipys := _imported("scipy.special")) is not None:
            numpys["special"] = scipys
        found.append(Peer("numpy", np, np.array, numpys))
    elif torch.device(device).type == "cuda":
        if (cupy := _imported("array_api_compat.cupy")) is not None:
            found.append(Peer("cupy", cupy, cupy.asarray, {"on": {}}))
        if (jax := _imported("jax")) is not None:
            jax.config.update("jax_enable_x64", True)
            ready = {"on": {}, "ready": jax.block_until_ready}
            found.append(Peer("jax", jax.numpy, jax.numpy.asarray, ready, "ready({})"))
    return found


def _shared(x: Any) -> Any:
    """Return an array whose positions or divisors are looked at in every call.

    Where nobody else can write to it, an accelerator looks at it in the first call alone.
    """
    ascend_array_api.to_torch(x)
    return x


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


# --- measuring ------------------------------------------------------------------------------------


@dataclass
class Timed:
    """What a call took in one data type and size."""

    chapter: str
    expression: str
    dtype: str
    size: int
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    """The least time and the median of each namespace."""
    refused: dict[str, str] = field(default_factory=dict)
    """What those say that do not have it."""
    kernels: dict[str, dict[str, int]] = field(default_factory=dict)
    """Kernels, and copies to and from the host, where the device counts them: NPUs."""
    peaks: dict[str, int] = field(default_factory=dict)
    """The most bytes that were allocated beside the operands, of ours and torch's."""
    sizes: tuple[int, int] = (0, 0)
    """The bytes of the result, and of the largest of the result and the operands."""

    @property
    def label(self) -> str:
        return f"{self.expression}  {self.dtype}"

    @property
    def temporaries(self) -> float | None:
        """How many times the largest array is held beside the operands and the result."""
        result, largest = self.sizes
        return (self.peaks[OURS] - result) / largest if OURS in self.peaks and largest else None

    def ratio(self, peer: str) -> float | None:
        """Return our time as a multiple of another's."""
        if not {OURS, peer} <= {*self.seconds}:
            return None
        return self.seconds[OURS]["least"] / self.seconds[peer]["least"]


def selected(words: str) -> list[Call]:
    """Return the calls in whose chapter or expression one of some words is."""
    wanted = words.split() or [""]
    return [c for c in CALLS if any(w in f"{c.chapter} {c.expression}" for w in wanted)]


def measure(
    device: str,
    sizes: Sequence[int],
    words: str = "",
    dtypes: str = "",
    *,
    seconds: float = 0.1,
    total: float = float("inf"),
    memory: bool = False,
) -> Iterator[Timed]:
    """Time all calls that are selected, until the time for all of them is over."""
    everybody, now = peers(device), clock(device, torch.get_num_threads())
    counts = _counts()
    end = time.perf_counter() + total
    chosen = [
        (size, code, call)
        for size in sizes
        for code in "fdFDilB?"
        for call in selected(words)
        if code in call.dtypes and code in (dtypes or code)
    ]
    for (size, code), calls in groupby(each(chosen, "calls"), key=lambda one: one[:2]):
        given = operands(code, size)
        for *_, call in calls:
            if time.perf_counter() > end:
                return
            timed = Timed(call.chapter, call.expression, np.dtype(code).name, size)
            timers = {}
            for peer in everybody:
                timer = peer.timer(call, _named(peer, call, given, size, code), now)
                try:
                    timer.timeit(1)
                except Exception as error:  # noqa: BLE001  # whatever it is refused with
                    timed.refused[peer.name] = f"{type(error).__name__}: {str(error)[:80]}"
                    continue
                timers[peer.name] = timer
            if OURS not in timers:
                yield timed
                continue
            if counts is not None:
                timed.kernels = {n: counts(timers[n]) for n in (OURS, TORCH) if n in timers}
            if memory:
                own = [n for n in (OURS, TORCH) if n in timers]
                timed.peaks = {n: peak_memory(timers[n], device) for n in own}
                named = _named(everybody[0], call, given, size, code)
                timed.sizes = _sizes(call.expression, named)
            for name, found in within(timers, seconds * len(timers)).items():
                median = statistics.median(found)
                timed.seconds[name] = {"least": min(found), "median": median}
            yield timed


def _sizes(expression: str, scope: dict[str, Any]) -> tuple[int, int]:
    """Return the bytes of the result, and of the largest of the result and the operands."""
    made = 0
    if " = " not in expression:
        result = eval(expression, scope)  # one of those above
        made = sum(map(_bytes, result if isinstance(result, (tuple, list)) else (result,)))
    return made, max([made, *map(_bytes, scope.values())])


def _bytes(value: Any) -> int:
    if not isinstance(value, ascend_array_api.Array):
        return 0
    tensor = ascend_array_api.to_torch(value)
    return min(tensor.nbytes, tensor.untyped_storage().nbytes())


def _named(peer: Peer, call: Call, given: Mapping[str, Any], size: int, code: str) -> Any:
    """Return the scope with those operands alone that the expression names."""
    names = compile(call.expression, "expression", "exec").co_names
    return peer.scope({name: given[name] for name in names if name in given}, size, code)


def _counts() -> Callable[[Timer], dict[str, int]] | None:
    """Return what counts a call's kernels and copies where NPUs are emulated, else None."""
    from conformance import cann_emulator

    emulator = cann_emulator.installed()
    if emulator is None:
        return None

    def count(timer: Timer) -> dict[str, int]:
        with emulator.counting() as counts:
            timer.timeit(1)
        copies = {"to_device": counts.to_device[0], "to_host": counts.to_host[0]}
        return {"kernels": sum(counts.kernels.values()), **copies}

    return count


# --- tables ---------------------------------------------------------------------------------------


def tables(rows: Sequence[Timed], limits: Mapping[str, float] = LIMITS) -> Iterator[Table]:
    """Yield for each size, and each namespace beside ours, how many times its time calls take."""
    for size in dict.fromkeys(row.size for row in rows):
        for peer, limit in limits.items():
            found = [(r.ratio(peer), r) for r in rows if r.size == size]
            ratios = sorted(((q, r.label, r) for q, r in found if q is not None), reverse=True)
            if not ratios:
                continue
            mean = statistics.geometric_mean([q for q, *_ in ratios])
            above = [(q, r) for q, _, r in ratios if q > limit]
            title = (
                f"{size:,} elements against {peer}: {len(ratios)} calls, geometric mean "
                f"{mean:.3f}, {len(above)} above {limit}"
            )
            cells = [["", "chapter", "dtype", "times", "ours, µs", f"{peer}, µs"]]
            for q, r in above:
                each = [f"{r.seconds[n]['least'] * 1e6:.1f}" for n in (OURS, peer)]
                cells.append([r.expression, r.chapter, r.dtype, f"{q:.2f}", *each])
            yield Table(title, cells)
    yield from _chapters(rows, limits)
    if any(row.kernels for row in rows):
        yield _kernels(rows)
    if any(row.peaks for row in rows):
        yield _peaks(rows)
        yield _held(rows)


def _chapters(rows: Sequence[Timed], limits: Mapping[str, float]) -> Iterator[Table]:
    """Yield the geometric mean and the worst ratio of each chapter."""
    names = [peer for peer in limits if any(row.ratio(peer) for row in rows)]
    for size in dict.fromkeys(row.size for row in rows):
        cells = [["", "calls", *(f"{n}: {what}" for n in names for what in ("mean", "worst"))]]
        for chapter in dict.fromkeys(row.chapter for row in rows):
            own = [row for row in rows if row.chapter == chapter and row.size == size]
            line = [chapter, str(len(own))]
            for name in names:
                found = [q for row in own if (q := row.ratio(name)) is not None]
                mean = f"{statistics.geometric_mean(found):.2f}" if found else ""
                line += [mean, f"{max(found):.2f}" if found else ""]
            cells.append(line)
        yield Table(f"{size:,} elements: time as a multiple of others', by chapter", cells)


def _kernels(rows: Iterable[Timed]) -> Table:
    cells = [["", "dtype", "elements", "kernels", "torch's", "to the device", "to the host"]]
    for row in rows:
        ours, theirs = row.kernels.get(OURS, {}), row.kernels.get(TORCH, {})
        if ours.get("kernels", 0) > theirs.get("kernels", 0):
            counts = [ours["kernels"], theirs.get("kernels", "-")]
            copies = [ours["to_device"], ours["to_host"]]
            cells.append([row.expression, row.dtype, *map(str, (row.size, *counts, *copies))])
    return Table("Kernels of calls that take more than torch's", cells)


def _peaks(rows: Iterable[Timed]) -> Table:
    cells = [["", "dtype", "elements", "peak, MiB", "torch's"]]
    for row in rows:
        ours, theirs = row.peaks.get(OURS, 0), row.peaks.get(TORCH)
        if theirs is not None and ours > theirs + MIB // 16:
            found = [f"{value / MIB:.2f}" for value in (ours, theirs)]
            cells.append([row.expression, row.dtype, f"{row.size:,}", *found])
    return Table("Memory of calls that take more than torch's, beside the operands", cells)


MOST_TEMPORARIES: Final = 2.0


def _held(rows: Iterable[Timed]) -> Table:
    cells = [["", "dtype", "elements", "times the largest array", "torch's peak, MiB"]]
    for row in rows:
        held = row.temporaries
        if held is not None and held > MOST_TEMPORARIES and row.size > 1_000:
            theirs = f"{row.peaks[TORCH] / MIB:.2f}" if TORCH in row.peaks else "-"
            cells.append([row.expression, row.dtype, f"{row.size:,}", f"{held:.2f}", theirs])
    return Table(
        f"Calls that hold more than {MOST_TEMPORARIES:g} times the largest of operands and result "
        "beside these",
        cells,
    )


def compared(before: Mapping[str, Any], after: Mapping[str, Any], limit: float) -> Table:
    """Return the calls that became slower or faster, by how many times torch's time they take."""

    def known(run: Mapping[str, Any]) -> dict[tuple[str, str, int], float]:
        rows = [Timed(**row) for row in run["rows"]]
        keys = ((row, (row.expression, row.dtype, row.size)) for row in rows)
        return {
            key: row.ratio(TORCH) or row.seconds[OURS]["least"]
            for row, key in keys
            if OURS in row.seconds
        }

    was, now = known(before), known(after)
    changes = sorted(((now[key] / was[key], key) for key in now if key in was), reverse=True)
    mean = statistics.geometric_mean([q for q, _ in changes]) if changes else float("nan")
    cells = [["", "dtype", "elements", "before", "after", "after / before"]]
    for q, key in changes:
        if not 1 / limit < q < limit:
            expression, dtype, size = key
            ratios = f"{was[key]:.3g}", f"{now[key]:.3g}", f"{q:.2f}"
            cells.append([expression, dtype, f"{size:,}", *ratios])
    title = (
        f"{len(changes)} calls in both, geometric mean of after / before {mean:.3f}; time as a "
        "multiple of torch's, in seconds where torch does not have it"
    )
    return Table(title, cells)


# --- commands -------------------------------------------------------------------------------------


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {command}", description=__doc__)
    parser.add_argument("--device", default="cpu", help="the device, as torch names it")
    parser.add_argument("-k", default="", metavar="WORDS", help="calls with one of these words")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of elements")
    parser.add_argument("--dtypes", default="", help="NumPy's characters for some: fdFDilB?")
    parser.add_argument("--seconds", type=float, default=0.1, help="a call and namespace")
    parser.add_argument("--total", type=float, default=float("inf"), help="seconds for all")
    parser.add_argument("--threads", type=int, help="of torch, on the CPU")
    parser.add_argument("--memory", action="store_true", help="measure memory too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to a page")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write what --plot draws")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw each chapter's calls")
    parser.add_argument(
        "--read", type=Path, metavar="FILE", help="measure nothing: what --json wrote"
    )
    return parser


def run(argv: Sequence[str], environment: Callable[[str], dict[str, Any]]) -> None:
    """Measure and report, as the command line says."""
    given = _parser("functions").parse_args(argv)
    if given.threads:
        torch.set_num_threads(given.threads)
    if given.read:
        data = json.loads(given.read.read_text())
        _report([Timed(**row) for row in data["rows"]], data["environment"], given)
        return
    about = environment(given.device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # divisions by zero, of NumPy
        rows = list(
            measure(
                given.device,
                given.sizes,
                given.k,
                given.dtypes,
                seconds=given.seconds,
                total=given.total,
                memory=given.memory,
            )
        )
    _report(rows, about, given)


def _report(rows: Sequence[Timed], about: Mapping[str, Any], given: argparse.Namespace) -> None:
    found = list(tables(rows))
    print("\n".join(f"{name}: {value}" for name, value in about.items()), end="\n\n")
    print("\n".join(table.as_text() for table in found))
    if given.json:
        data = {"environment": about, "rows": [asdict(row) for row in rows]}
        given.json.write_text(json.dumps(data, indent=1) + "\n")
    if given.markdown:
        text = "\n".join(table.as_markdown() for table in found)
        insert(given.markdown, f"functions {torch.device(about['device']).type}", text)
    if given.csv:
        given.csv.write_text(ratios(rows, about))
    if given.plot:
        plot(ratios(rows, about), given.plot)
    failed = [f"{r.label}, {r.size:,}: {r.refused[OURS]}" for r in rows if OURS in r.refused]
    if failed:
        raise SystemExit("\n".join(["Of our own these fail:", *failed]))


def ratios(rows: Sequence[Timed], about: Mapping[str, Any]) -> str:
    """Return, for the largest arrays, each chapter's calls by the multiple of others' time."""
    size = max(row.size for row in rows)
    largest = [row for row in rows if row.size == size]
    names = [peer for peer in LIMITS if any(row.ratio(peer) for row in rows)]
    lines = [f"# {size:,} elements; {about['processor']}", ",".join(["chapter", *names])]
    for chapter in dict.fromkeys(row.chapter for row in largest):
        own = [row for row in largest if row.chapter == chapter]
        cells = [sorted(q for row in own if (q := row.ratio(peer)) is not None) for peer in names]
        lines.append(",".join([chapter, *(" ".join(f"{q:.3g}" for q in each) for each in cells)]))
    return "\n".join(lines) + "\n"


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw what ``ratios`` returned."""
    where, head, *lines = text.splitlines()
    chapters, *columns = zip(*(line.split(",") for line in lines))
    colours = {TORCH: "#e4572e", "numpy": "#3a86c8", "cupy": "#5a9e5a", "jax": INK}
    with drawn(path, 0.45 * len(chapters) + 1.3, width) as axes:
        for place, (peer, column) in enumerate(zip(head.split(",")[1:], columns)):
            points = [
                (float(q), y + 0.2 * place) for y, qs in enumerate(column) for q in qs.split()
            ]
            axes.plot(*zip(*points), "|", color=colours[peer], alpha=0.7, label=peer)
        axes.axvline(1, color=INK, linewidth=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_yticks(range(len(chapters)), [c.replace("_", " ") for c in chapters])
        axes.invert_yaxis()
        axes.grid(axis="x", color=INK, alpha=0.25)
        where = where.removeprefix("# ")
        axes.set_xlabel(f"time as a multiple of the other's, one line a call: {where}")


def commits(argv: Sequence[str]) -> None:
    """Time a commit and the working tree in turns, each in processes of its own."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks commits", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--turns", type=int, default=2, help="how often each is measured")
    parser.add_argument("--limit", type=float, default=1.15, help="changes that are listed")
    given, options = parser.parse_known_args(argv)
    _parser("commits BASE").parse_args(options)
    here = Path(__file__).resolve().parent.parent
    known = ["git", "-C", str(here), "rev-parse", "--quiet", "--verify", f"{given.base}^{{commit}}"]
    if subprocess.run(known, check=False, stdout=subprocess.DEVNULL).returncode:
        parser.error(f"git knows no commit {given.base!r}")
    runs: dict[str, list[dict[str, Any]]] = {"base": [], "tree": []}
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder, "base")
        git = ["git", "-C", str(here), "worktree"]
        subprocess.run([*git, "add", "--detach", str(there), given.base], check=True)
        # The same calls for both, and the same emulator: those of the working tree.
        for part in ("benchmarks", "conformance"):
            shutil.copytree(here / part, there / part, dirs_exist_ok=True)
        try:
            for turn in range(given.turns):
                for name in ("base", "tree")[:: 1 if turn % 2 else -1]:
                    result = Path(folder, f"{name}.json")
                    program = [sys.executable, "-m", "benchmarks", "functions", *options]
                    where = there if name == "base" else here
                    subprocess.run(
                        [*program, "--json", str(result)],
                        check=True,
                        cwd=where,
                        env={**os.environ, "PYTHONPATH": str(where)},
                        stdout=subprocess.DEVNULL,
                    )
                    runs[name].append(json.loads(result.read_text()))
        finally:
            subprocess.run([*git, "remove", "--force", str(there)], check=True)
    print(compared(least(runs["base"]), least(runs["tree"]), given.limit).as_text())


def least(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one run with the least times of several."""
    first, *others = runs
    known = {(row["expression"], row["dtype"], row["size"]): row for row in first["rows"]}
    for row in (row for run in others for row in run["rows"]):
        own = known.get((row["expression"], row["dtype"], row["size"]), row)
        for name, found in row["seconds"].items():
            times = own["seconds"].setdefault(name, found)
            times["least"] = min(times["least"], found["least"])
    return first


def compare(argv: Sequence[str]) -> None:
    """Show two results side by side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare", description=__doc__)
    parser.add_argument("before", type=Path, help="what functions --json wrote")
    parser.add_argument("after", type=Path)
    parser.add_argument("--limit", type=float, default=1.15, help="changes that are listed")
    given = parser.parse_args(argv)
    runs = [json.loads(path.read_text()) for path in (given.before, given.after)]
    print(compared(runs[0], runs[1], given.limit).as_text())
