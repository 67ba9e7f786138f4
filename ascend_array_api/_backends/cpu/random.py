"""Random numbers on the CPU, by NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ... import _dtypes as dt
from ..._routes import _philox_host as host
from ..._routes import random
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from ._numpy import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._devices import Device


def _philox_host(
    counter: int,
    key: int,
    blocks: int,
    device: torch.device,  # noqa: ARG001
    offsets: Tensor | None = None,
) -> Tensor:
    # NumPy asks the system for large pages, and that takes a fifth of the time off a large draw.
    out = np.empty(4 * blocks, np.int32)
    places = None if offsets is None else offsets.numpy()
    host.fill(out.view(np.uint32).reshape(-1, 4), counter, key, places)
    return torch.from_numpy(out).view(-1, 4)


def _tried_host(
    counter: int,
    key: int,
    blocks: int,
    device: Device,  # noqa: ARG001
    integral: torch.dtype,
    offsets: Tensor,
) -> Tensor:
    each, kind = (4, np.int32) if integral is dt.int32 else (2, np.int64)
    out = np.empty((blocks * each, len(offsets)), kind)
    host.fill_columns(out, counter, key, offsets.numpy())
    return torch.from_numpy(out).t()


def _of_integers_host(
    counter: int,
    key: int,
    count: int,
    integral: torch.dtype,
    device: Device,  # noqa: ARG001
    make: Callable[[Tensor], Tensor],
) -> Tensor:
    each = 16 // integral.itemsize
    blocks = -(-count // each)
    room = np.empty((max(1, min(host.PORTION, blocks)), 4), np.uint32)
    integers = torch.from_numpy(room.view(np.int32)).view(integral).view(-1)
    out = make(integers[:0]).new_empty(count)
    for memory, start, size in host.portions(blocks, key):
        host.put(memory.count(counter + start), room[:size])
        part = out[start * each : (start + size) * each]
        part.copy_(make(integers[: len(part)]))
    return out


def _filled(fill: Callable[..., None], counter: int, key: int, count: int, dtype: Any) -> Tensor:
    blocks = random.blocks_of(count, dtype)
    size = blocks * 4 // random.WORDS[dtype]
    out = np.empty(size, np.float32 if dtype is dt.float32 else np.float64)
    each = size // max(blocks, 1)

    def compute(start: int, stop: int) -> None:
        fill(out[start * each : stop * each], counter + start, key)

    # Uniform numbers take little more than random bits, which several threads do not make sooner.
    in_threads(compute, blocks, 0 if fill is host.fill_uniform else blocks // host.PORTION)
    return torch.from_numpy(out)[:count]


def _uniform_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_uniform, counter, key, count, dtype)


def _normal_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_normal, counter, key, count, dtype)


_PORTION: Final = 2**14
"""So many numbers stay in the cache."""


def _bounded_words(x: Tensor, factor: Tensor) -> Tensor:
    if x.dim() != 1 or factor.dim():
        return random.bounded_words.native(x, factor)  # type: ignore[no-any-return]
    words, by, half = x.numpy().view(np.uint64), np.uint64(int(factor)), np.uint64(32)
    mask = np.uint64(host.MASK)
    out = np.empty_like(words)
    room = np.empty(min(len(words), _PORTION), np.uint64)
    for start in range(0, len(words), _PORTION):
        source, upper = words[start : start + _PORTION], out[start : start + _PORTION]
        lower = room[: len(source)]
        np.multiply(np.bitwise_and(source, mask, out=lower), by, out=lower)
        np.right_shift(lower, half, out=lower)
        np.multiply(np.right_shift(source, half, out=upper), by, out=upper)
        np.add(upper, lower, out=upper)  # below 2**64
        np.right_shift(upper, half, out=upper)
    return torch.from_numpy(out.view(np.int64))


def _log_probability(f: Tensor) -> Tensor:
    out = torch.empty_like(f)
    portion = 2 * _PORTION * torch.get_num_threads()
    for part, result in zip(torch.split(f, portion), torch.split(out, portion)):
        # MKL takes many times as long for the logarithm of a negative number, which none asks for.
        torch.where(part < 0, torch.log1p(part), torch.log(torch.abs(part)), out=result)
    return out


def _exponential(bits: Tensor, like: Tensor) -> Tensor:
    out = torch.empty(bits.shape, dtype=like.dtype, device=bits.device)
    portion = 2 * _PORTION * torch.get_num_threads()
    for part, result in zip(torch.split(bits, portion), torch.split(out, portion)):
        f = part.to(like.dtype).add_(0.5).mul_(2.0 ** (-8 * bits.dtype.itemsize))
        torch.where(f < 0, torch.log1p(f), f.abs().log_(), out=result)
        result.neg_()
    return out


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
        "log_probability",
        random.SINGLE_DOUBLE,
        Compose(_log_probability),
        "the logarithm of negative numbers takes many times as long",
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
            Compose(getattr(torch, name)),
            "users' functions are NumPy's, which differ in last bits",
            Evidence("torch 2.13, CPU", "time"),
        )
        for name in ("acos", "cos", "sin")
    ),
    Row(
        "first_accepted",
        random.SINGLE_DOUBLE,
        Compose(random.first_accepted_by_tries),
        "what is refused of a portion is little, and each step costs as much for little",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "accepted",
        random.SINGLE_DOUBLE,
        Compose(random.accepted_where_needed),
        "most proposals are accepted by a test that takes a few passes",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row("bounded_words", {dt.int64}, Compose(_bounded_words), _SLOW, _SEEN),
    Row("random_uniform", random.SINGLE_DOUBLE, Compose(_uniform_host), _SLOW, _SEEN),
    Row("random_normal", random.SINGLE_DOUBLE, Compose(_normal_host), _SLOW, _SEEN),
)
