"""The base of all groups of distributions: parameters and bits."""

from __future__ import annotations

import functools
import math
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from ..._arrays.array import wrap
from ..._arrays.axes import normalize_shape
from ..._devices.device import Device, spec
from ..._errors.foreign_calls import answering
from ..._options.defaults import float_dtype
from ..._routes import elementwise as el
from ..._torch import dtypes as dt
from ..._torch.tracing import untraced
from .._arguments import Draw

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._arrays.array import Array
    from ..._torch import torch
    from .._arguments import Size
    from .._bit_generators import BitGenerator

_HALF_BITS: Final = {dt.float16: 11, dt.bfloat16: 8}
PLAIN: Final = frozenset({dt.float32, dt.float64})


def _whole_or_nothing(method: Callable[..., Any]) -> Callable[..., Any]:
    """Leave the generator where it was if a draw fails, as NumPy does."""

    @functools.wraps(method)
    def draw(self: Drawing, *given: Any, **named: Any) -> Any:
        bits = self._bits
        mark = bits._mark()
        try:
            return method(self, *given, **named)
        except BaseException:
            bits._go_back(mark)
            raise

    return draw


class Drawing:
    """A bit generator, and how distributions draw from it."""

    if TYPE_CHECKING:  # private: typing.get_type_hints need not find this type
        _bits: BitGenerator

    def __init_subclass__(cls) -> None:
        """Keep the compiler out of all public methods, and refuse calls that do not fit them."""
        for key, value in list(vars(cls).items()):
            if isinstance(value, FunctionType) and not key.startswith("_"):
                setattr(cls, key, untraced(_whole_or_nothing(answering(value))))

    @property
    def device(self) -> Device:
        """The device on which arrays are made."""
        return self._bits.device

    def _draw(
        self,
        function: str,
        size: Size,
        dtype: torch.dtype | None,
        *,
        allowed: frozenset[torch.dtype] = dt.REAL_FLOATING,
        compute: torch.dtype | None = None,
        **parameters: Any,
    ) -> Draw:
        """Take the parameters of a distribution of real numbers."""
        return Draw(self._bits, function, size, dtype, parameters, allowed=allowed, compute=compute)

    def _whole(
        self, function: str, size: Size, dtype: torch.dtype | None, **parameters: Any
    ) -> Draw:
        """Take the parameters of a distribution of integers."""
        return Draw(
            self._bits,
            function,
            size,
            dtype,
            parameters,
            allowed=dt.INTEGER,
            compute=dt.float64,
            default=dt.int64,
        )

    def _plain(
        self,
        numbers: Callable[[BitGenerator, int, torch.dtype], Tensor],
        function: str,
        size: Size,
        dtype: torch.dtype | None,
    ) -> Array:
        """Draw numbers without parameters and conversions, with little overhead."""
        dtype = dtype or float_dtype()
        shape = () if size is None else normalize_shape(function, size, "size")

        def make(bits: BitGenerator, own: tuple[int, ...]) -> Tensor:
            tensor = numbers(bits, math.prod(own), dtype)
            return tensor if len(own) == 1 else tensor.view(own)

        return wrap(self._bits._drawn(function, shape, make), spec(dtype, self.device))


def fixed(draw: Draw) -> Tensor:
    """Return uniform numbers that are exact in the data type of a draw."""
    numbers = draw.bits._uniform(draw.count, draw.compute).view(draw.shape)
    bits = _HALF_BITS.get(draw.dtype)
    return numbers if bits is None else el.floor(numbers * 2.0**bits) * 2.0**-bits
