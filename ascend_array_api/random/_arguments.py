"""The arguments of a distribution: parameters, size, data type; checked before any draw."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

from .._arrays.array import Array, wrap
from .._arrays.axes import broadcast, normalize_shape
from .._arrays.promotion import scalar_value
from .._calls.interchange import asarray, check_dtype, move
from .._devices.device import parse, spec, spec_of
from .._errors.exceptions import describe, mixed_devices, not_broadcastable, wrong_dtype
from .._options.defaults import float_dtype, int_dtype
from .._routes import elementwise as el
from .._routes import reductions
from .._routes._conditions import demand
from .._routes._operations import cast
from .._routes.random import normal, truncated
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import _variates as variates
from ._bit_generators import BitGenerator

Real: TypeAlias = Array | float | Sequence[Any]
Whole: TypeAlias = Array | int | Sequence[Any]
Size: TypeAlias = int | tuple[int, ...] | None
AnyDType: TypeAlias = dt.AnyDType
"""The data type of a result; None for the default one."""


class Draw:
    """One call of one distribution.

    Parameters
    ----------
    bits : BitGenerator
        The source of random bits.
    function : str
        The name by which errors say where they come from.
    size : int, tuple of int or None
        The shape of the result.
    dtype : dtype or None
        The data type of the result.
    parameters : dict
        The parameters by name: Python scalars, arrays, or sequences of scalars.
    allowed : frozenset of dtype
        The data types that the result may have.
    compute : dtype, optional
        The data type of the computation, by default that of the result, at least float32; for
        integers float64.
    core : dict, optional
        How many of the last axes of a parameter make one of its values, by default none.
    """

    def __init__(
        self,
        bits: BitGenerator,
        function: str,
        size: Any,
        dtype: AnyDType,
        parameters: dict[str, Any],
        *,
        allowed: frozenset[torch.dtype] = dt.REAL_FLOATING,
        compute: AnyDType = None,
        core: dict[str, int] | None = None,
    ) -> None:
        dtype = check_dtype(function, dtype)
        self.bits = bits
        self.function = function
        whole = allowed is dt.INTEGER
        self.dtype = dtype or (int_dtype() if whole else float_dtype())
        if self.dtype not in allowed:
            raise wrong_dtype(function, self.dtype, allowed, "Name another dtype.")
        double = whole or self.dtype in {dt.float64, dt.complex128}
        self.compute = compute or (dt.float64 if double else dt.float32)
        self._size = None if size is None else normalize_shape(function, size, "size")
        self.given = parameters
        self.values = self._values(parameters)
        self.shape = self._shape(core or {})
        self.count = math.prod(self.shape)

    def _shape(self, core: dict[str, int]) -> tuple[int, ...]:
        """Return the shape to which parameters and size broadcast; a given size must equal it."""
        if not core and not any(isinstance(v, torch.Tensor) for v in self.values):
            return self._size or ()
        shapes = []
        for name, value in zip(self.given, self.values):
            shape = () if isinstance(value, float) else tuple(value.shape)
            inner = core.get(name, 0)
            if len(shape) < inner:
                raise ValueError(
                    f"{self.function}: {name} must have at least {inner} axes, got shape {shape}."
                )
            shapes.append(shape[: len(shape) - inner])
        if self._size is not None:
            shapes.append(self._size)
        common = broadcast(*shapes)
        if common is None or self._size not in {None, common}:
            raise not_broadcastable(f"{self.function}: parameters to size", *shapes)
        return common

    def _values(self, parameters: dict[str, Any]) -> list[Any]:
        """Return scalars unchanged, and everything else as tensors."""
        values = [self._value(name, value) for name, value in parameters.items()]
        # Sequences stay on the host until they are checked: no wait for a device.
        if all(spec_of(v).device == "cpu" for v in values if isinstance(v, torch.Tensor)):
            return values
        device = self.bits.device
        return [
            v
            if isinstance(v, float) or spec_of(v).device is device
            else move(v, device, self.function)
            for v in values
        ]

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, (int, float, Integral)) and not isinstance(value, bool):
            return _number(float(value), self.compute)
        where = f"{self.function}: {name}"
        if isinstance(value, Array):
            if value.device is not self.bits.device:
                raise mixed_devices(where, self.bits.device, value.device)
            if value.dtype not in dt.REAL:
                raise wrong_dtype(where, value.dtype, dt.REAL)
            return cast(value._tensor, self.compute)
        if isinstance(value, (list, tuple)):
            array = asarray(value, device=parse("cpu"))
            if array.dtype not in dt.REAL:
                raise wrong_dtype(where, array.dtype, dt.REAL)
            return asarray(value, dtype=dt.float64, device=parse("cpu"))._tensor.to(self.compute)
        raise TypeError(
            f"{where} must be a real number, an array of real numbers or a sequence of them, "
            f"got {describe(value)}."
        )

    def check(self, **conditions: Any) -> None:
        """Raise ValueError for the first parameter with a value that violates its condition.

        A condition is a pair of what must hold and what the error says, a list of such pairs, or a
        function such as ``positive``, which makes a pair of the value.
        """
        texts = []
        for name, condition in conditions.items():
            value = self.given[name]
            if callable(condition):
                condition = condition(self.values[[*self.given].index(name)])
            got = f", got {value}" if isinstance(value, (int, float)) else ""
            for holds, text in condition if isinstance(condition, list) else [condition]:
                if holds is not True:
                    texts.append((holds, f"{self.function}: {name} {text}{got}."))
        if texts:
            self.values = demand(texts, self.values)

    def mark(self, made: Array, values: Sequence[Any] = ()) -> Array:
        """Mark drawn numbers as made of parameters that may still turn out wrong; return them."""
        return wrap(made._tensor, made._spec, self.values, values)

    def operands(self, *values: Any) -> list[Any]:
        """Return the values for arithmetic with tensors of the result's shape."""
        device = self.bits.device
        return [
            v
            if isinstance(v, (int, float)) or spec_of(v).device is device
            else v.to(device.torch_device)
            for v in values
        ]

    def flat(self, *values: Any) -> list[Tensor]:
        """Return the values as flat tensors, with one element or one for each drawn number."""
        return [self._flat(v) for v in values]

    def _flat(self, value: Any) -> Tensor:
        device = self.bits.device.torch_device
        if isinstance(value, (int, float)):
            return torch.full((), value, dtype=self.compute, device=device)
        tensor: Tensor = value.detach().to(device)
        if tensor.numel() == 1:
            return tensor.reshape(())
        return tensor.expand(self.shape).reshape(-1)

    def rows(self, vectors: Tensor) -> Tensor:
        """Return vectors as a single vector, or as one row for each vector of the result."""
        size = vectors.shape[-1]
        if vectors.numel() == size:
            return vectors.reshape(size)
        return vectors.expand(*self.shape, size).reshape(self.count, size)

    def normal(self) -> Any:
        """Return standard normal numbers of the draw's shape."""
        return self.bits._numbers(normal, self.count, self.compute).view(self.shape)

    def exponential(self) -> Tensor:
        """Return exponential numbers of mean 1, of the draw's shape."""
        return variates.exponential(self.bits, self.count, self.compute).view(self.shape)

    def fractions(self) -> Any:
        """Return fractions for ``variates``, of the draw's shape."""
        return variates.fractions(self.bits, self.count, self.compute).view(self.shape)

    def result(self, make: Callable[..., Tensor]) -> Array:
        """Return the array that a function draws, given a draw and its values as operands.

        The function returns as many numbers as the draw has.  On a mesh it may be called for each
        part, with the draw of the part and the values that it needs.
        """
        return self._result(
            lambda draw, *own: make(draw, *own).reshape(draw.shape), self.values, ()
        )

    def variates(self, make: Callable[..., Tensor], **known: Any) -> Array:
        """Return the array of flat variates that a function of the module ``variates`` draws."""
        return self.result(
            lambda part, *own: make(part.bits, part.count, *part.flat(*own), **known)
        )

    def vectors(self, make: Callable[..., Tensor], core: Sequence[int], *values: Any) -> Array:
        """Return the array that a function draws if it returns more axes than the draw has.

        ``core`` gives, for each value, how many of its last axes belong to a single parameter.
        """
        return self._result(make, values, core)

    def _result(
        self, make: Callable[..., Tensor], values: Sequence[Any], core: Sequence[int]
    ) -> Array:
        def part(bits: BitGenerator, shape: tuple[int, ...], *own: Any) -> Tensor:
            draw = self if bits is self.bits else self._part(bits, shape)
            converted: Tensor = draw._converted(make(draw, *own))
            return converted

        operands = self.operands(*values)
        made = self.bits._drawn(self.function, self.shape, part, operands, core)
        return self.mark(wrap(made, spec(self.dtype, self.bits.device)), values)

    def _part(self, bits: BitGenerator, shape: tuple[int, ...]) -> Draw:
        part = copy.copy(self)
        part.bits, part.shape, part.count = bits, shape, math.prod(shape)
        return part

    def greatest(self, bits: int) -> tuple[int, str]:
        """Return the smaller of 2**bits and the data type's greatest number, and its name."""
        held = dt.LIMITS[self.dtype][1]
        if held >= 2**bits:
            return 2**bits, f"2**{bits}"
        return held, f"{held}, the greatest of {dt.NAMES[self.dtype]}"

    def _whole(self, numbers: Tensor) -> Any:
        """Return whole numbers of float64 as int64, clamped to the greatest of the data type."""
        largest = min(2**63 - 1024, dt.LIMITS[self.dtype][1])
        return cast(torch.clamp(numbers, max=float(largest)), dt.int64)

    def _converted(self, numbers: Tensor) -> Any:
        if self.dtype in dt.INTEGER and numbers.dtype not in dt.INTEGER:
            return truncated(self._whole(numbers), self.dtype)
        return cast(numbers, self.dtype)


@functools.lru_cache(maxsize=256)
def _number(value: float, dtype: torch.dtype) -> float:
    number = float(scalar_value(value, dtype).real)
    # Numbers that the computation flushes to zero are checked as zero.
    limits = torch.finfo(dtype)
    return 0.0 if abs(number) <= limits.tiny * limits.eps / 2 else number


# --- conditions on values: whether they hold, and what errors say of them -------------------------


def positive(value: Any) -> tuple[Any, str]:
    return value > 0, "must be positive"


def not_negative(value: Any) -> tuple[Any, str]:
    return value >= 0, "must not be negative or NaN"


def not_nan(value: Any) -> tuple[Any, str]:
    return value == value, "must not be NaN"


def finite(value: Any) -> tuple[Any, str]:
    return value - value == 0, "must be finite"


def probability(value: Any) -> tuple[Any, str]:
    return (value >= 0) & (value <= 1), "must be from 0 to 1"


def is_whole(value: Any) -> Any:
    """Say whether a number, or every number, is an integer."""
    return value == (el.floor(value) if isinstance(value, torch.Tensor) else value // 1)


def counted(value: Any, most: Any, text: str) -> tuple[Any, str]:
    return (value >= 0) & (value <= most) & is_whole(value), f"must be an integer from 0 to {text}"


def sums_to_one(p: Tensor, given: Any) -> Tensor:
    """Say whether the sum of each vector of probabilities is one, within rounding."""
    rounded = isinstance(given, Array) and given.dtype in dt.HALF | {dt.float32}
    dtype = given.dtype if rounded else dt.float64
    return torch.abs(reductions.sum(p, (-1,)) - 1) <= math.sqrt(torch.finfo(dtype).eps)
