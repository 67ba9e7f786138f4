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


DIGITS = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}


def _representable(low: int, high: int, dtype: torch.dtype) -> tuple[int, int]:
    """Move bounds inwards where rounding to `dtype` would pass them.

    ops-math/random/dsa_random_uniform/op_host/op_api/aclnn_random.cpp: updateFrom and updateTo.
    """
    if dtype not in DIGITS:
        return low, high

    def rounded(value: int) -> int:
        return int(torch.tensor(value, dtype=dtype, device="cpu").item())

    def unit(value: int) -> int:
        return 1 << max(abs(value).bit_length() - DIGITS[dtype], 0)

    if (first := rounded(low + 1)) < low:
        low = first + unit(low + 1)
    if (last := rounded(high - 1)) >= high:
        high = last - unit(high - 1)
    return low, high


def _integers(x: torch.Tensor, low: int, high: int, seed: int, offset: int) -> Any:
    low, high = _representable(low, high, x.dtype)
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
