"""Inputs: NumPy arrays of one data type, the same ones in every run."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    NDArray: TypeAlias = Any  # an array of NumPy, of any data type

KIND: Final = {"b": "bool", "i": "signed", "u": "unsigned", "f": "real", "c": "complex"}


@dataclass(frozen=True)
class DType:
    """A data type among the inputs; each namespace has its own object for it."""

    name: str


class Seeded:
    """Draws arrays of one data type.

    Parameters
    ----------
    dtype : str
    seed : str
        The text from which the numbers follow.
    """

    def __init__(self, dtype: str, seed: str) -> None:
        self.name = dtype
        self.dtype = DType(dtype)
        self.numpy: np.dtype[Any] = np.dtype(dtype)
        self.kind = KIND[self.numpy.kind]
        self._random = np.random.default_rng(zlib.crc32(f"{seed} {dtype}".encode()))

    @property
    def is_floating(self) -> bool:
        """Whether the data type is a floating-point one, real or complex."""
        return self.kind in {"real", "complex"}

    @property
    def real_name(self) -> str:
        """The data type of the real part."""
        return {"complex64": "float32", "complex128": "float64"}.get(self.name, self.name)

    def values(self, *shape: int) -> NDArray:
        """Draw small numbers of both signs where there are two."""
        if self.kind == "bool":
            return self._random.integers(0, 2, shape).astype(bool)
        if self.is_floating:
            return self._floats(self._random.normal, shape)
        low = 0 if self.kind == "unsigned" else -9
        return self._random.integers(low, 10, shape).astype(self.numpy)

    def wide(self, *shape: int) -> NDArray:
        """Draw from all integers of the data type; floating-point numbers of many sizes."""
        if self.kind == "bool":
            return self.values(*shape)
        if self.is_floating:
            return (self.values(*shape) * 10.0 ** self._random.integers(-6, 7, shape)).astype(
                self.numpy
            )
        limits = np.iinfo(self.numpy)
        return self._random.integers(limits.min, limits.max, shape, dtype=self.numpy, endpoint=True)

    def between(self, low: float, high: float, *shape: int) -> NDArray:
        """Draw numbers between two; of complex ones both parts are."""
        if self.is_floating:
            return self._floats(lambda size: self._random.uniform(low, high, size), shape)
        return self._random.integers(int(low), int(high) + 1, shape).astype(self.numpy)

    def nonzero(self, *shape: int) -> NDArray:
        """Draw small numbers that are not close to zero."""
        x = self.between(1, 9, *shape)
        if self.kind in {"bool", "unsigned"}:
            return x
        sign = self._random.choice([-1, 1], shape)
        return (x * sign).astype(self.numpy)

    def repeated(self, *shape: int) -> NDArray:
        """Draw numbers of which many are equal, and some are zero."""
        if self.kind == "complex":
            return (self._pick(shape) + 1j * self._pick(shape)).astype(self.numpy)
        return self._pick(shape, 2 if self.kind == "bool" else 4).astype(self.numpy)

    def matrix(self, n: int, *stack: int) -> NDArray:
        """Draw matrices that are easy to invert."""
        return (self.values(*stack, n, n) * 0.3 + np.eye(n) * 2).astype(self.numpy)

    def hermitian(self, n: int, *stack: int) -> NDArray:
        """Draw Hermitian matrices with positive eigenvalues well apart."""
        x = self.values(*stack, n, n) * 0.1
        return (x + x.conj().swapaxes(-1, -2) + np.diag(np.arange(2.0, 2 + n))).astype(self.numpy)

    def indices(self, size: int, *shape: int) -> NDArray:
        """Draw positions on an axis."""
        return self._random.integers(0, size, shape)

    def mask(self, *shape: int) -> NDArray:
        """Draw a mask of which some elements are set and some are not."""
        mask = self._random.integers(0, 2, shape).astype(bool)
        mask.flat[0], mask.flat[-1] = True, False
        return mask

    def _pick(self, shape: Sequence[int], count: int = 3) -> NDArray:
        return self._random.integers(0, count, shape)

    def _floats(self, draw: Any, shape: Sequence[int]) -> NDArray:
        if self.kind == "complex":
            return np.asarray(draw(size=shape) + 1j * draw(size=shape)).astype(self.numpy)
        return np.asarray(draw(size=shape)).astype(self.numpy)


class Smooth(Seeded):
    """Draws numbers in whose neighbourhood functions are smooth: of ordinary size, no two alike."""

    def wide(self, *shape: int) -> NDArray:
        """Draw ordinary numbers."""
        return self.values(*shape)

    def repeated(self, *shape: int) -> NDArray:
        """Draw ordinary numbers."""
        return self.values(*shape)


def one(d: Seeded) -> tuple[Any, ...]:
    """Draw a small array."""
    return (d.values(4, 6),)


def two(d: Seeded) -> tuple[Any, ...]:
    """Draw two small arrays."""
    return d.values(4, 6), d.values(4, 6)


def wide_one(d: Seeded) -> tuple[Any, ...]:
    """Draw an array of the whole range."""
    return (d.wide(4, 6),)


def wide_two(d: Seeded) -> tuple[Any, ...]:
    """Draw two arrays of the whole range."""
    return d.wide(4, 6), d.wide(4, 6)


def stack(d: Seeded) -> tuple[Any, ...]:
    """Draw an array of three dimensions."""
    return (d.values(2, 4, 6),)


def just_dtype(d: Seeded) -> tuple[Any, ...]:
    """Draw nothing but the data type."""
    return (d.dtype,)


def number(d: Seeded) -> Any:
    """Return a Python number that goes with the data type."""
    return True if d.kind == "bool" else 7


def integer(d: Seeded) -> bool:
    """Say whether the data type is an integer one."""
    return d.kind in {"signed", "unsigned"}


def real(d: Seeded) -> bool:
    """Say whether the data type is a real floating-point one."""
    return d.kind == "real"
