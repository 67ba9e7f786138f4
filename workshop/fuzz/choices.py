"""Drawn values by choices: numbers below a bound, which can be recorded, replayed and made smaller.

The functions have the names, and take what the samples hand to them, of those of
``hypothesis.strategies``; a drawn call costs a hundredth of what it does there.  The choice 0 is
always the plainest one.
"""

from __future__ import annotations

import functools
import math
import struct
import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

Definition = Any


class Rejected(Exception):  # noqa: N818
    """What was drawn is nothing to make a call of."""


def assume(condition: object) -> bool:
    """Reject what was drawn unless a condition is met."""
    if not condition:
        raise Rejected
    return True


class Choices:
    """Choices of one step, drawn at random or replayed; where these end, all are 0."""

    def __init__(self, generator: random.Random | None, replayed: Sequence[int] = ()) -> None:
        self._generator = generator
        self._replayed = iter(replayed)
        self.made: list[int] = []
        self.instead: dict[Definition, Callable[..., Any]] = {}
        """What is drawn in place of some composed strategies, unless it is NotImplemented."""

    def below(self, count: int) -> int:
        """Choose one of ``count`` numbers."""
        if self._generator is None:
            choice = min(next(self._replayed, 0), count - 1)
        elif count < 2**50:
            choice = int(self._generator.random() * count)
        else:
            choice = self._generator.randrange(count)
        self.made.append(choice)
        return choice

    def one(self, values: Sequence[Any]) -> Any:
        """Choose one of some values."""
        assume(values)
        return values[self.below(len(values))]

    def draw(self, strategy: Strategy) -> Any:
        """Draw from a strategy: what the samples call ``draw``."""
        return strategy.sample(self)


class Strategy:
    """What can be drawn from."""

    __slots__ = ("fits", "sample")
    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        sample: Callable[[Choices], Any],
        fits: Callable[[np.ndarray], bool] | None = None,
    ) -> None:
        self.sample = sample
        self.fits = fits
        """Says of an array whether all of its elements could have been drawn; None: unknown."""

    def filter(self, condition: Callable[[Any], Any]) -> Strategy:
        """Return the strategy of those values that meet a condition."""
        sample, fits = self.sample, self.fits

        def filtered(choices: Choices) -> Any:
            for _ in range(20):
                if condition(value := sample(choices)):
                    return value
            raise Rejected

        def all_fit(values: np.ndarray) -> bool:
            return fits is not None and fits(values) and all(map(condition, values.flat))

        return Strategy(filtered, fits and all_fit)

    def map(self, function: Callable[[Any], Any]) -> Strategy:
        """Return the strategy of a function's values."""
        sample = self.sample
        return Strategy(lambda choices: function(sample(choices)))


SearchStrategy = Strategy


@functools.lru_cache(None)
def integers(low: int, high: int) -> Strategy:
    """Integers; the plainest is that next to 0."""
    count, base = high - low + 1, min(max(low, 0), high)

    def sample(choices: Choices) -> int:
        value = base + choices.below(count)
        return value if value <= high else value - count

    return Strategy(sample)


def booleans() -> Strategy:
    """True and False."""
    return _BOOLEANS


_BOOLEANS = Strategy(lambda choices: bool(choices.below(2)), lambda _: True)


def sampled_from(values: Sequence[Any]) -> Strategy:
    """One of some values."""
    values = tuple(values)
    return Strategy(lambda choices: values[choices.below(len(values))])


def just(value: Any) -> Strategy:
    """A value."""
    return Strategy(lambda _: value)


def none() -> Strategy:
    """Return the strategy of None."""
    return just(None)


def nothing() -> Strategy:
    """No value at all."""
    return _NOTHING


def _reject(_: Choices) -> Any:
    raise Rejected


_NOTHING = Strategy(_reject)


def one_of(*strategies: Strategy) -> Strategy:
    """What one of some strategies has."""
    some = tuple(s for s in strategies if s is not _NOTHING)
    return Strategy(lambda choices: some[choices.below(len(some))].sample(choices))


def builds(function: Callable[..., Any], *strategies: Strategy) -> Strategy:
    """A function's values."""
    fits = [s.fits for s in strategies if s.fits]

    def parts_fit(values: np.ndarray) -> bool:
        return all(fit(x) for fit, x in zip(fits, (values.real, values.imag)))

    return Strategy(
        lambda choices: function(*(s.sample(choices) for s in strategies)),
        parts_fit if function is complex and len(fits) == 2 else None,
    )


def lists(
    values: Strategy, *, min_size: int = 0, max_size: int = 8, unique: bool = False
) -> Strategy:
    """Lists."""

    def sample(choices: Choices) -> list[Any]:
        count = min_size + choices.below(max_size - min_size + 1)
        drawn = [values.sample(choices) for _ in range(count)]
        return list(dict.fromkeys(drawn)) if unique else drawn

    return Strategy(sample)


def permutations(values: Iterable[Any]) -> Strategy:
    """The same values in any order."""
    all_of_them = list(values)

    def sample(choices: Choices) -> list[Any]:
        left = all_of_them.copy()
        return [left.pop(choices.below(n)) for n in range(len(left), 0, -1)]

    return Strategy(sample)


def floats(
    *,
    min_value: float | None,
    max_value: float | None,
    allow_nan: bool,
    allow_infinity: bool,
    allow_subnormal: bool,
    width: int,
) -> Strategy:
    """Floating-point numbers: any bits, or evenly spread between bounds."""
    code, integer, bits = ("<f", "<I", 32) if width == 32 else ("<d", "<Q", 64)
    smallest = float(np.finfo(f"float{bits}").smallest_normal)
    spread = min_value is not None and max_value is not None

    def sample(choices: Choices) -> float:
        if spread:
            assert min_value is not None
            assert max_value is not None
            share = choices.below(2**24) / 2**24
            value = min(max(min_value, 0.0), max_value)
            value += share * ((max_value if choices.below(2) else min_value) - value)
            return float(np.float32(value)) if bits == 32 else value
        (value,) = struct.unpack(code, struct.pack(integer, choices.below(2**bits)))
        bad = (
            (math.isnan(value) and not allow_nan)
            or (math.isinf(value) and not allow_infinity)
            or (min_value is not None and value < min_value)
            or (max_value is not None and value > max_value)
            or (not allow_subnormal and 0 < abs(value) < smallest)
        )
        return 0.5 if bad else float(value)

    return Strategy(sample)


def composite(definition: Definition) -> Callable[..., Strategy]:
    """Turn a function of ``draw`` into one that returns a strategy."""

    @functools.wraps(definition)
    def strategy(*args: Any, **kwargs: Any) -> Strategy:
        def sample(choices: Choices) -> Any:
            instead = choices.instead.get(strategy)
            if instead is not None:
                value = instead(*args, **kwargs)
                if value is not NotImplemented:
                    return value
            return definition(choices.draw, *args, **kwargs)

        return Strategy(sample)

    return strategy
