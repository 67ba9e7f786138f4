"""Random numbers on the CPU, by NumPy."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..._devices.device import Device
from ..._routes import _philox_host as host
from ..._routes import random
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._threads import in_threads


def _philox_host(
    counter: int,
    key: int,
    blocks: int,
    device: torch.device,  # noqa: ARG001
    offsets: Tensor | None = None,
) -> Tensor:
    # NumPy asks the system for large pages, which saves a fifth of the time of a large draw.
    out = np.empty(4 * blocks, np.int32)
    places = None if offsets is None else offsets.numpy()
    host.fill(out.view(np.uint32).reshape(-1, 4), counter, key, places)
    return torch.from_numpy(out).view(-1, 4)


def _tried_host(
    counter: int,
    key: int,
    number: int,
    device: Device,  # noqa: ARG001
    integral: torch.dtype,
    kept: dict[Any, Any],
    offsets: Tensor | range,
) -> Tensor:
    kind, rows = (np.int32, 4) if integral is dt.int32 else (np.int64, number)
    shape = rows, len(offsets)
    if not isinstance(offsets, range):
        out = np.empty((-(-rows // 2) * 2, len(offsets)), kind)
        host.fill_columns(out, counter, key, offsets.numpy())
        return torch.from_numpy(out).t()
    # Each portion is used before the next one is made, so they share memory.
    memory, out = kept.get((shape, offsets.step), (None, None))
    if memory is None:
        memory, out = host.Blocks(len(offsets), key, offsets.step), np.empty(shape, kind)
        kept[shape, offsets.step] = memory, out
    host.fill_regular(out, counter + offsets.start, memory)
    return torch.from_numpy(out).t()


def _of_integers_host(
    counter: int,
    key: int,
    count: int,
    integral: torch.dtype,
    device: Device,  # noqa: ARG001
    make: Callable[[Tensor], Tensor],
) -> Tensor:
    if isinstance(make, random.Bounded):
        bounded = np.empty(count // make.each, dt.NAMES[make.dtype])
        host.fill_bounded(bounded, counter, key, make.span, make.least)
        return torch.from_numpy(bounded)
    each = 16 // integral.itemsize
    out = np.empty(count, make(torch.from_numpy(np.empty(0, dt.NAMES[integral]))).numpy().dtype)
    for memory, start, size in host.portions(-(-count // each), key):
        columns = host.columns(memory.count(counter + start), each)
        part = out[start * each : (start + size) * each]
        for i, column in enumerate(columns):
            numbers = part[i::each]
            for first in range(0, len(numbers), _PORTION):
                some = numbers[first : first + _PORTION]
                made = make(torch.from_numpy(column[first : first + len(some)]))
                some[:] = made.numpy()
    return torch.from_numpy(out)


def _filled(fill: Callable[..., None], counter: int, key: int, count: int, dtype: Any) -> Tensor:
    blocks = random.blocks_of(count, dtype)
    size = blocks * 4 // random.WORDS[dtype]
    out = np.empty(size, np.float32 if dtype is dt.float32 else np.float64)
    each = size // max(blocks, 1)

    def compute(start: int, stop: int) -> None:
        fill(out[start * each : stop * each], counter + start, key)

    # Uniform numbers cost little more than random bits, which several threads do not speed up.
    in_threads(compute, blocks, 0 if fill is host.fill_uniform else blocks // host.PORTION)
    return torch.from_numpy(out)[:count]


def _uniform_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_uniform, counter, key, count, dtype)


def _normal_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_normal, counter, key, count, dtype)


_PORTION: Final = 2**14
"""The number of elements that stay in the cache."""


def _silent(function: Callable[..., Any]) -> Callable[..., Any]:
    """Silence NumPy's warnings for infinite parameters, about which torch does not warn either."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return run


def _exponential(bits: Tensor, like: Tensor) -> Tensor:
    integers = bits.numpy()
    out = np.empty(integers.shape, like.numpy().dtype)
    sign = np.array(8 * integers.itemsize - 1, integers.dtype)
    for start in range(0, len(integers), _PORTION):
        part = integers[start : start + _PORTION]
        f = _fraction(part, out.dtype)
        below = torch.log1p(torch.from_numpy(f)).numpy()
        torch.from_numpy(np.abs(f, f)).log_()
        # All bits of negative integers, by which one of two is chosen without a branch.
        chosen, other, signs = f.view(part.dtype), below.view(part.dtype), part >> sign
        np.bitwise_xor(other, chosen, other)
        np.bitwise_and(other, signs, other)
        np.bitwise_xor(chosen, other, chosen)
        np.negative(f, out[start : start + _PORTION])
    return torch.from_numpy(out)


def _fraction(integers: Any, dtype: Any, size: float = 1.0, *, sign: bool = True) -> Any:
    """Return fractions times a size, optionally without signs."""
    # Factors that are powers of two do not round.
    out = integers.astype(dtype)
    np.add(out, dtype.type(0.5), out)
    if not sign:
        np.abs(out, out)
    return np.multiply(out, dtype.type(size * 2.0 ** (-8 * integers.itemsize)), out)


@_silent
def _large_gamma(
    words: Tensor, d: Tensor
) -> tuple[tuple[Tensor], Tensor, tuple[Tensor, Tensor, Tensor]]:
    first, second, third, *_ = (c.numpy() for c in random.columns(words, d.dtype))
    of = d.numpy()
    dtype = of.dtype
    # NumPy's logarithm, cosine and root differ from torch's in last bits.
    t = _fraction(first, dtype, 2, sign=False)
    torch.from_numpy(t).log_()
    np.multiply(t, dtype.type(-2), t)
    torch.from_numpy(t).sqrt_()
    angle = _fraction(second, dtype, 2 * math.pi)
    torch.from_numpy(angle).cos_()
    np.multiply(t, angle, t)
    np.divide(t, torch.sqrt(9 * d).numpy(), t)
    possible = t > -1
    if not possible.all():
        t[~possible] = 0
    v = np.add(t, dtype.type(1), angle)
    g = of * v
    np.multiply(g, v, g)
    np.multiply(g, v, g)
    f = _fraction(third, dtype)
    operands = torch.from_numpy(f), torch.from_numpy(t), d
    return (torch.from_numpy(g),), torch.from_numpy(possible), operands


@_silent
def _surely_gamma(f: Tensor, t: Tensor, d: Tensor) -> Tensor:
    x, bound, of = f.numpy(), t.numpy(), d.numpy()
    u = np.floor(x)
    np.subtract(x, u, u)
    bound = bound * bound
    np.multiply(bound, bound, bound)
    np.multiply(bound, of.dtype.type(-1.8) * of, bound)
    np.add(bound, of.dtype.type(0.9999), bound)
    return torch.from_numpy(u < bound)


@_silent
def _transformed(
    words: Tensor, a: Tensor, b: Tensor, center: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    first, second, *_ = (c.numpy() for c in random.columns(words, a.dtype))
    of, more = a.numpy(), b.numpy()
    dtype = of.dtype
    u, v = _fraction(first, dtype), _fraction(second, dtype)
    np.subtract(v, np.floor(v), v)
    distance = np.abs(u)
    np.subtract(dtype.type(0.5), distance, distance)
    k = np.divide(dtype.type(2) * of, distance)
    np.add(k, more, k)
    np.multiply(k, u, k)
    np.add(k, center.numpy(), k)
    np.floor(k, k)
    below = np.multiply(distance, distance, u)
    np.divide(of, below, below)
    np.add(below, more, below)
    height = v * scale.numpy()
    np.divide(height, below, height)
    tensor = torch.from_numpy
    return tensor(k), tensor(distance), tensor(v), tensor(height)


_SLOW: Final = "a call of torch for every step is slower than NumPy in portions"
_SEEN: Final = Evidence("torch 2.13, CPU", "launches")

ROWS: Final = (
    Row("philox", random.philox.dtypes, Compose(_philox_host), _SLOW, _SEEN),
    Row(
        "random_of_integers",
        random.of_integers.dtypes,
        Compose(_of_integers_host),
        "what is made in portions stays in the cache",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "random_tried",
        random.tried.dtypes,
        Compose(_tried_host),
        "columns of rows are read with a stride",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "random_exponential",
        {dt.int32, dt.int64},
        Compose(_exponential),
        "every step makes a tensor",
        Evidence("torch 2.13, CPU", "time"),
    ),
    *(
        Row(
            f"random_{name}",
            random.SINGLE_DOUBLE,
            Compose(function),
            "every step makes a tensor, and NumPy compares in a quarter of the time",
            Evidence("torch 2.13, CPU", "time"),
        )
        for name, function in (
            ("large_gamma", _large_gamma),
            ("surely_gamma", _surely_gamma),
            ("transformed", _transformed),
        )
    ),
    Row(
        "first_accepted",
        random.SINGLE_DOUBLE,
        Compose(random.first_accepted_by_tries),
        "what is refused of a portion is little, and each step costs as much for little",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row("random_uniform", random.SINGLE_DOUBLE, Compose(_uniform_host), _SLOW, _SEEN),
    Row("random_normal", random.SINGLE_DOUBLE, Compose(_normal_host), _SLOW, _SEEN),
)
