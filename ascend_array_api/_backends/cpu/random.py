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

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._devices import Device


def _philox_host(
    counter: int, key: int, blocks: int, device: torch.device, offsets: Tensor | None = None
) -> Tensor:
    out = torch.empty((blocks, 4), dtype=dt.int32, device=device)
    places = None if offsets is None else offsets.numpy()
    host.fill(out.numpy().view("uint32"), counter, key, places)
    return out


def _filled(fill: Callable[..., None], counter: int, key: int, count: int, dtype: Any) -> Tensor:
    # NumPy asks the system for large pages, and that takes a fifth of the time off a large draw.
    size = random.blocks_of(count, dtype) * 4 // random.WORDS[dtype]
    out = np.empty(size, np.float32 if dtype is dt.float32 else np.float64)
    fill(out, counter, key)
    return torch.from_numpy(out)[:count]


def _uniform_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_uniform, counter, key, count, dtype)


def _normal_host(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:  # noqa: ARG001
    return _filled(host.fill_normal, counter, key, count, dtype)


_SLOW: Final = "a call of torch for every step is slower than NumPy in portions"
_SEEN: Final = Evidence("torch 2.13, CPU", "launches")

ROWS: Final = (
    Row("philox", random.philox.dtypes, Compose(_philox_host), _SLOW, _SEEN),
    Row("random_uniform", random.SINGLE_DOUBLE, Compose(_uniform_host), _SLOW, _SEEN),
    Row("random_normal", random.SINGLE_DOUBLE, Compose(_normal_host), _SLOW, _SEEN),
)
