"""Kernels that draw random numbers: the same seed and offset give the same numbers.

They are not the numbers of an NPU, whose generator (Philox) is not emulated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def _generator(seed: int, offset: int) -> torch.Generator:
    generator = torch.Generator(device="cpu")
    generator.manual_seed(hash((seed, offset)) & (2**63 - 1))
    return generator


def _uniform(x: torch.Tensor, low: float, high: float, seed: int, offset: int) -> Any:
    dtype = x.dtype if x.is_floating_point() else torch.float32
    values = torch.rand(x.shape, dtype=dtype, device="cpu", generator=_generator(seed, offset))
    return low + (high - low) * values


def _normal(x: torch.Tensor, mean: float, deviation: float, seed: int, offset: int) -> Any:
    values = torch.randn(x.shape, dtype=x.dtype, device="cpu", generator=_generator(seed, offset))
    return mean + deviation * values


def _integers(x: torch.Tensor, low: int, high: int, seed: int, offset: int) -> Any:
    options: dict[str, Any] = {"dtype": torch.int64, "device": "cpu"}
    return torch.randint(low, high, x.shape, generator=_generator(seed, offset), **options)


def _bernoulli(x: torch.Tensor, probability: Any, seed: int, offset: int) -> Any:
    values = torch.rand(
        x.shape, device="cpu", dtype=torch.float64, generator=_generator(seed, offset)
    )
    return values < probability


def _permutation(n: int, seed: int, offset: int, out: torch.Tensor) -> Any:
    del out
    return torch.randperm(n, dtype=torch.int64, device="cpu", generator=_generator(seed, offset))


def _multinomial(x: torch.Tensor, n: int, replacement: int, seed: int, offset: int) -> Any:
    return torch.multinomial(x, n, bool(replacement), generator=_generator(seed, offset))


TASKS: dict[str, Callable[..., Any]] = {
    "InplaceBernoulli": _bernoulli,
    "InplaceBernoulliTensor": _bernoulli,
    "InplaceNormal": _normal,
    "InplaceRandom": _integers,
    "InplaceUniform": _uniform,
    "Multinomial": _multinomial,
    "Randperm": _permutation,
}
