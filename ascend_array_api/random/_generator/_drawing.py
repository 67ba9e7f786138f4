"""The base of all groups of distributions: parameters and bits."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..._arrays.array import Array, wrap
from ..._arrays.axes import normalize_shape
from ..._calls.interchange import move
from ..._devices.device import Device, spec
from ..._errors.foreign_calls import answering
from ..._options import settings
from ..._options.defaults import float_dtype
from ..._routes import elementwise as el
from ..._routes._operations import Op
from ..._routes.random import uniform
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import untraced
from .._arguments import AnyDType, Draw, Size
from .._bit_generators import PERIOD, BitGenerator, Every, TooManyError

_HALF_BITS: Final = {dt.float16: 11, dt.bfloat16: 8}
PLAIN: Final = frozenset({dt.float32, dt.float64})
_KNOWN: Final = frozenset({bool, int, float, np.float64, complex, NoneType, torch.dtype})
"""The types of arguments that the host knows."""
_MOST: Final = 256
"""How many draws to make at once, and for how many calls to keep them."""
_NUMBERS: Final = 2**12
"""How many numbers they may have; single draws of more than a quarter are not made ahead."""
_FAR: Final = 2**15
"""Over how many blocks they may extend."""


_LEAST: Final = 8
"""How many draws to make at once at first."""

_NOTHING: Final = (None, 0, 0, 0, 0, (), None)


def _known(value: Any) -> bool:
    return type(value) in _KNOWN or (type(value) in {list, tuple} and all(map(_known, value)))


def _whole_or_nothing(method: Callable[..., Any]) -> Callable[..., Any]:
    """Leave the generator where it was if a draw fails, as NumPy does.

    On the host, draws of few numbers are made ahead.  For an accelerator, the host makes a few
    numbers of arguments that it knows, and one copy moves them: that costs less than hundreds of
    kernels.
    """
    own = method.__module__.startswith(f"{__package__}.")  # not a user's class; nor spawn
    names = [*inspect.signature(method).parameters][1:]
    at = names.index("size") if {"size", "dtype"} <= {*names} else -1

    @functools.wraps(method)
    def draw(self: Drawing, *given: Any, **named: Any) -> Any:
        bits = self._bits
        host = bits._host() if own and len(vars(self)) == 1 else None
        if host is bits and at >= 0:
            made = self._foreseen(method, given, named, at)
            if made is not None:
                return made
        mark = bits._mark()
        try:
            if host is not None and host is not bits and _known((*given, *named.values())):
                with suppress(TooManyError):
                    made = draw(type(self)(host), *given, **named)
                    return _uploaded(made, bits.device) if isinstance(made, Array) else made
            return method(self, *given, **named)
        except BaseException:
            bits._go_back(mark)
            raise

    return draw


def _uploaded(made: Array, device: Device) -> Array:
    # From pinned memory, so that the host does not wait for the device.
    pinned = made._tensor.pin_memory()
    return wrap(move(pinned, device, "random", wait=False), spec(made.dtype, device))


class Drawing:
    """A bit generator, and how distributions draw from it."""

    if TYPE_CHECKING:  # private: typing.get_type_hints need not find this type
        _bits: BitGenerator

        def __init__(self, bit_generator: BitGenerator) -> None: ...

    def __init_subclass__(cls) -> None:
        """Keep the compiler out of all public methods, and refuse calls that do not fit them."""
        for key, value in list(vars(cls).items()):
            if isinstance(value, FunctionType) and not key.startswith("_"):
                setattr(cls, key, untraced(_whole_or_nothing(answering(value))))

    @property
    def device(self) -> Device:
        """The device on which arrays are made."""
        return self._bits.device

    def _foreseen(
        self, method: Callable[..., Any], given: Any, named: Any, at: int
    ) -> Array | None:
        """Return a draw that was made ahead; make several if the call comes at equal distances."""
        bits: Any = self._bits
        kinds = (*map(type, given), *map(type, named.values())) if named else (*map(type, given),)
        if not _KNOWN.issuperset(kinds):
            return None
        call = method, given, *named.items(), kinds, settings.current().default_float
        counter = bits._counter
        key, first, step, before, blocks, rows, made = bits._ahead.get(call, _NOTHING)
        place, rest = divmod(counter - first, step or 1)
        if key != bits._key or rest or not 0 <= place < len(rows):
            size = given[at] if len(given) > at else named.get("size")
            count = 1 if size is None else size
            if type(count) is not int or not 0 < 4 * count <= _NUMBERS:
                return None
            several, before = max(_LEAST, 2 * len(rows)), before + place
            if key != bits._key or not step or rest or place != max(len(rows), 1):
                # A loop that begins again makes as many draws as it had before.
                several, before = before, 0
                if key != bits._key or several < _LEAST or not 0 <= place <= len(rows):
                    moved = counter - first if key == bits._key and not rows else step
                    if len(bits._ahead) == _MOST:
                        bits._ahead.clear()
                    step = moved if 0 < moved < _FAR // 16 else 0
                    bits._ahead[call] = bits._key, counter, step, 0, 0, (), None
                    return None
            ahead = Every(bits, counter, step, count)
            several = min(several, _MOST, _NUMBERS // count, _FAR // step)
            shape = (several,) if size is None else (several, count)
            if len(given) > at:
                given = (*given[:at], shape, *given[at + 1 :])
            else:
                named = {**named, "size": shape}
            drawn = method(type(self)(ahead), *given, **named)
            if type(drawn._tensor) is not torch.Tensor:  # a stand-in that some mode of torch makes
                return None
            place, blocks = 0, (ahead._counter - counter) % PERIOD
            rows, made = drawn._tensor.unbind(), drawn._spec
            bits._ahead[call] = key, counter, step, before, blocks, rows, made
        if bits._move(blocks, counter) != counter:  # another thread has drawn
            return None
        return wrap(rows[place].clone(), made)

    def _draw(
        self,
        function: str,
        size: Size,
        dtype: AnyDType,
        *,
        allowed: frozenset[torch.dtype] = dt.REAL_FLOATING,
        compute: AnyDType = None,
        core: dict[str, int] | None = None,
        **parameters: Any,
    ) -> Draw:
        """Take the parameters of a distribution, by default of real numbers."""
        bits = self._bits
        return Draw(
            bits, function, size, dtype, parameters, allowed=allowed, compute=compute, core=core
        )

    def _whole(self, function: str, size: Size, dtype: AnyDType, **given: Any) -> Draw:
        """Take the parameters of a distribution of integers."""
        return self._draw(function, size, dtype, allowed=dt.INTEGER, **given)

    def _without_parameters(self, function: str, size: Size, dtype: AnyDType, op: Op) -> Array:
        """Draw numbers by an operation of bit generators, with little overhead."""
        dtype = dtype or float_dtype()
        shape = () if size is None else normalize_shape(function, size, "size")

        def make(bits: BitGenerator, own: tuple[int, ...]) -> Tensor:
            tensor: Tensor = bits._numbers(op, math.prod(own), dtype)
            return tensor if len(own) == 1 else tensor.view(own)

        return wrap(self._bits._drawn(function, shape, make), spec(dtype, self.device))


def fixed(draw: Draw) -> Tensor:
    """Return uniform numbers that are exact in the data type of a draw."""
    numbers = draw.bits._numbers(uniform, draw.count, draw.compute).view(draw.shape)
    bits = _HALF_BITS.get(draw.dtype)
    return numbers if bits is None else el.floor(numbers * 2.0**bits) * 2.0**-bits
