"""The operations of random numbers: blocks of random bits, and numbers made directly from them.

Philox defines the bits, not the way to compute them.  So its rows are only about speed: each
backend has its own way to the same bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from .._devices.backends import bring
from .._devices.device import Device, spec, spec_of
from .._reports import capturing
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import _philox_host as host
from . import elementwise as el
from ._operations import Op, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    Doubtful: TypeAlias = tuple["np.ndarray[Any, Any]", Tensor, list[Tensor]]

WORDS: Final = {dt.float32: 1, dt.float64: 2}
"""How many words of 32 bits a number of each data type consumes."""
_SERIAL: Final = 2**15
"""The number of elements up to which torch uses one thread, so that it waits for no others."""
_FIXED: Final = {dt.float32: (24, dt.int32), dt.float64: (53, dt.int64)}
"""The bits of a number from [0, 1), and the integers that hold them."""

# --- functions ------------------------------------------------------------------------------------

# The stream depends on these functions, so they stay as they are if the ones for users change.
SINGLE_DOUBLE: Final = frozenset(WORDS)
"""The data types of numbers that are made directly from blocks."""
acos: Final = Op("random_acos", el.acos, SINGLE_DOUBLE)
cos: Final = Op("random_cos", el.cos, SINGLE_DOUBLE)
sin: Final = Op("random_sin", el.sin, SINGLE_DOUBLE)

# --- words of 32 bits, each in an int64 -----------------------------------------------------------


def integer(value: int, device: torch.device) -> Tensor:
    """Return an int64 of 0 dimensions, filled on the device: a copy from the host would wait.

    It is not a Python scalar, because some kernels round large ones.
    """
    return torch.full((), value, dtype=dt.int64, device=device)


def _halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower and the upper half of 64-bit integers, as int32 views."""
    halves = x.unsqueeze(-1).contiguous().view(dt.int32)
    return halves[..., 0], halves[..., 1]


def _multiply_words(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return the upper and the lower word of the products of words."""
    product = x * y
    mask = host.MASK
    return product >> 32 & mask, product & mask


def multiply_words_signed(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Multiply without overflow and without shifts.

    Reading the first factor as signed keeps the product below 2**63.  If it is negative, it is too
    small by 2**32, so the product is too small by 2**32 y.
    """
    mask = integer(host.MASK, x.device)
    signed = cast(_halves(x)[0], dt.int64)
    product = signed * y
    upper = cast(_halves(product)[1], dt.int64)
    return (upper + torch.where(signed < 0, y, 0)) & mask, product & mask


multiply_words: Final = Op("multiply_words", _multiply_words, frozenset({dt.int64}))


def join_words(low: Tensor, high: Tensor) -> Tensor:
    """Return 64-bit integers of two words each."""
    return torch.stack([_halves(low)[0], _halves(high)[0]], -1).view(dt.int64).squeeze(-1)


def split_words(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower and the upper word of 64-bit integers."""
    mask = integer(host.MASK, x.device)
    low, high = (cast(half, dt.int64) for half in _halves(x))
    return low & mask, high & mask


def _bounded_words(x: Tensor, factor: Tensor) -> Tensor:
    """Return floor(x factor / 2**64) of 64 random bits and factors below 2**32."""
    mask = host.MASK
    lower = (x & mask) * factor >> 32 & mask
    upper = (x >> 32 & mask) * factor
    return upper + lower >> 32 & mask


def bounded_words_split(x: Tensor, factor: Tensor) -> Tensor:
    """Return floor(x factor / 2**64) by products that do not overflow."""
    low, high = split_words(x)
    multiply = multiply_words.on(spec_of(x))
    (h1, l1), (h0, _) = multiply(high, factor), multiply(low, factor)
    upper: Tensor = h1 + split_words(l1 + h0)[1]
    return upper


bounded_words: Final = Op("bounded_words", _bounded_words, frozenset({dt.int64}))


def bounded_limbs(words: Tensor, span: Tensor, limbs: int) -> Tensor:
    """Return floor(x (span + 1) / 2**n) for rows of n random bits, in words of int32.

    A span has one or two words, a row twice as many.  The result is exact to the last bit.
    """
    parts = 2 * limbs
    # In words of 32 bits, the lowest ones first.
    limbs_of_span = split_words(span)[:limbs]
    mask = integer(host.MASK, words.device)
    limbs_of_x = [cast(words[:, i], dt.int64) & mask for i in range(parts)]
    multiply = multiply_words.on(spec_of(mask))
    sums: list[Any] = [*limbs_of_x, 0, 0]  # x (span + 1) = x span + x
    for i, part in enumerate(limbs_of_x):
        for j, limb in enumerate(limbs_of_span):
            upper, lower = multiply(part, limb)
            sums[i + j] = sums[i + j] + lower
            sums[i + j + 1] = sums[i + j + 1] + upper
    carry: Any = 0
    for i, total in enumerate(sums):
        sums[i], carry = split_words(total + carry)
    return join_words(sums[parts], sums[parts + 1])


@dataclass(frozen=True)
class Bounded:
    """A function that turns random int64 into integers of a data type, from ``least`` on."""

    span: int
    """The greatest integer minus the least."""
    least: int
    dtype: torch.dtype

    @property
    def each(self) -> int:
        """How many int64 a number consumes."""
        return 1 if self.span < host.MASK or self._power else 2

    @property
    def _power(self) -> bool:
        return self.span & (self.span + 1) == 0

    def __call__(self, x: Tensor) -> Tensor:
        """Return least + floor(x (span + 1) / 2**n), or the lowest bits if span + 1 is a power."""
        if self._power:
            numbers = x & wrapped(self.span, x.device)
        elif self.each == 1:
            numbers = bounded_words(x, integer(self.span + 1, x.device))
        else:
            numbers = bounded_limbs(x.view(dt.int32).view(-1, 4), wrapped(self.span, x.device), 2)
        if self.least:
            numbers = numbers + wrapped(self.least, x.device)
        return truncated(numbers, self.dtype)


def wrapped(value: int, device: torch.device) -> Tensor:
    """Return the lowest 64 bits of an integer as an int64 of 0 dimensions."""
    return integer(value if value < 2**63 else value - 2**64, device)


def truncated(integers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the lowest bits of int64 as another integer data type."""
    if dtype is dt.int64:
        return integers
    signed = dt.SIGNED_OF.get(dtype, dtype)
    if signed is not dt.int64:
        integers = integers.unsqueeze(-1).view(signed)[..., 0].contiguous()
    return integers.view(dtype)


# --- Philox ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Later:
    """A counter, and its key, that the device knows, and the host only before each replay."""

    words: Tensor
    """Four words of a counter and two of a key, each in an int64."""
    ahead: int
    """How many blocks this position is after that counter."""


Counter: TypeAlias = "int | Later"
"""A position in a stream.  If it is ``Later``, kernels take the key from there too."""


def words_of(counter: int, key: int) -> tuple[int, ...]:
    """Return the words of a counter and of a key, the least significant ones first."""
    return *host.split(counter), *host.schedule(key)[0]


def _philox(
    counter: Counter, key: int, blocks: int, device: torch.device, offsets: Tensor | None = None
) -> Tensor:
    """Return blocks as rows of four int32, for consecutive counters or for the given offsets."""
    if isinstance(counter, Later):
        ahead, own = counter.ahead, counter.words.unbind()
    else:
        ahead, own = 0, tuple(integer(v, device) for v in words_of(counter, key))
    *start, k0, k1 = own
    if offsets is None:
        offsets = torch.arange(ahead, ahead + blocks, dtype=dt.int64, device=device)
    elif ahead:
        offsets = offsets + integer(ahead, device)
    m0, m1 = (integer(v, device) for v in host.MULTIPLIERS)
    rounds = torch.arange(host.ROUNDS, dtype=dt.int64, device=device)
    mask = integer(host.MASK, device)
    keys = (
        (rounds * integer(step, device) + first & mask).unbind()
        for first, step in zip((k0, k1), host.WEYL)
    )
    multiply = multiply_words.on(spec_of(offsets))
    low, high = split_words(offsets)
    words = []
    carry = torch.zeros_like(low)
    for part, word in zip((low, high, carry, carry), start):
        total, carry = split_words(part + word + carry)
        words.append(total)
    c0, c1, c2, c3 = (w.expand_as(offsets) for w in words)
    for k0, k1 in zip(*keys):
        (h0, l0), (h1, l1) = multiply(c0, m0), multiply(c2, m1)
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
    return torch.stack([_halves(c)[0] for c in (c0, c1, c2, c3)], -1)


philox: Final = Op("philox", _philox, frozenset({dt.int32}), returns="other")


def _tried(
    counter: Counter,
    key: int,
    number: int,
    device: Device,
    integral: torch.dtype,
    kept: dict[Any, Any],  # noqa: ARG001
    offsets: Tensor | range,
) -> Tensor:
    """Return a row of at least ``number`` integers, from the blocks at each offset on.

    A kernel may store in ``kept`` what it can reuse for later tries of the same draw.
    """
    if isinstance(offsets, range):
        start, stop, step = offsets.start, offsets.stop, offsets.step
        offsets = torch.arange(start, stop, step, dtype=dt.int64, device=device.torch_device)
    blocks = -(-number * integral.itemsize // 16)
    if blocks > 1:
        within = torch.arange(blocks, dtype=dt.int64, device=offsets.device)
        offsets = (offsets.unsqueeze(-1) + within).view(-1)
    kernel = philox.on(spec(dt.int32, device))
    words: Tensor = kernel(counter, key, offsets.numel(), device.torch_device, offsets)
    return words.view(-1, 4 * blocks).view(integral)


tried: Final = Op("random_tried", _tried, frozenset({dt.int32, dt.int64}), returns="other")

# --- numbers of whole blocks ----------------------------------------------------------------------


def columns(words: Tensor, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """Return the columns of rows of words, as integers as wide as a data type."""
    integral = _FIXED[dtype][1]
    return (words if words.dtype is integral else words.view(integral)).unbind(-1)


def fraction(bits: Tensor, dtype: torch.dtype) -> Tensor:
    """Return signed integers as fractions in (-1/2, 1/2), which are more exact nearer to 0."""
    return (cast(bits, dtype) + 0.5) * 2.0 ** (-8 * bits.dtype.itemsize)


def _log_probability(f: Tensor) -> Tensor:
    """Return log(f) of positive fractions, and log(1 + f) of negative ones."""
    # MKL takes many times as long for the logarithm of a negative number.
    return torch.where(f < 0, el.log1p(f), torch.log(torch.abs(f)))


def box_muller(first: Tensor, second: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return pairs of standard normal numbers.

    G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958).
    """
    radius = torch.sqrt(torch.log(torch.abs(fraction(first, dtype)) * 2) * -2)
    angle = fraction(second, dtype) * (2 * math.pi)
    return radius * cos(angle), radius * sin(angle)


def box_muller_first(first: Tensor, second: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the first number of each pair of ``box_muller``."""
    radius = torch.sqrt(torch.log(torch.abs(fraction(first, dtype)) * 2) * -2)
    return radius * cos(fraction(second, dtype) * (2 * math.pi))


def _large_gamma(
    words: Tensor, d: Tensor
) -> tuple[tuple[Tensor], Tensor, tuple[Tensor, Tensor, Tensor]]:
    """Propose gamma numbers from columns of random integers and from d = shape - 1/3.

    G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables (2000).
    """
    first, second, third, *_ = columns(words, d.dtype)
    t = box_muller_first(first, second, d.dtype) / torch.sqrt(9 * d)
    possible = t > -1
    t = torch.where(possible, t, 0)
    v = t + 1
    return (d * v * v * v,), possible, (fraction(third, d.dtype), t, d)


def probability(f: Tensor) -> Tensor:
    """Return the probability that a fraction stands for."""
    return torch.where(f < 0, 1 + f, f)


def _transformed(
    words: Tensor, a: Tensor, b: Tensor, center: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Propose counts from columns of random integers; return them with the operands of the tests.

    W. Hörmann, The transformed rejection method for generating Poisson random variables (1993).
    """
    first, second, *_ = columns(words, a.dtype)
    u, v = fraction(first, a.dtype), probability(fraction(second, a.dtype))
    distance = 0.5 - torch.abs(u)
    k = el.floor((2 * a / distance + b) * u + center)
    return k, distance, v, v * scale / (a / (distance * distance) + b)


transformed: Final = Op("random_transformed", _transformed, SINGLE_DOUBLE, returns="other")


def _surely_gamma(f: Tensor, t: Tensor, d: Tensor) -> Tensor:
    """Compare the probability with 1 - 1.8 d t**4, a lower bound of the ratio for d >= 2/3."""
    square = t * t
    return f - el.floor(f) < 0.9999 - square * square * (1.8 * d)


surely_gamma: Final = Op("random_surely_gamma", _surely_gamma, SINGLE_DOUBLE, returns="bool")
large_gamma: Final = Op("random_large_gamma", _large_gamma, SINGLE_DOUBLE, returns="other")


def blocks_of(count: int, dtype: torch.dtype) -> int:
    """Return how many blocks make so many numbers."""
    return -(-count * WORDS[dtype] // 4)


def _words(counter: Counter, key: int, blocks: int, device: Device) -> Any:
    return philox.on(spec(dt.int32, device))(counter, key, blocks, device.torch_device)


def _uniform(counter: Counter, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    bits, integral = _FIXED[dtype]
    words = _words(counter, key, blocks_of(count, dtype), device).view(integral).reshape(-1)
    mask = torch.full((), 2**bits - 1, dtype=integral, device=words.device)
    return cast(words[:count] & mask, dtype) * 2.0**-bits


def _normal(counter: Counter, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    words = _words(counter, key, blocks_of(count, dtype), device)
    integers = words.view(_FIXED[dtype][1]).view(-1, 2)
    pair = box_muller(integers[:, 0], integers[:, 1], dtype)
    return torch.stack(pair, -1).view(-1)[:count]


def _exponential(bits: Tensor, like: Tensor) -> Tensor:
    """Return exponential numbers of mean 1 for random integers, by inversion."""
    return -log_probability(fraction(bits, like.dtype))


def _of_integers(
    counter: Counter,
    key: int,
    count: int,
    integral: torch.dtype,
    device: Device,
    make: Callable[[Tensor], Tensor],
) -> Tensor:
    """Return the results of an elementwise function of random integers."""
    words = _words(counter, key, -(-count * integral.itemsize // 16), device)
    return make(words.view(integral).view(-1)[:count])


of_integers: Final = Op(
    "random_of_integers", _of_integers, frozenset({dt.int32, dt.int64}), returns="other"
)
exponential: Final = Op("random_exponential", _exponential, frozenset({dt.int32, dt.int64}))
log_probability: Final = Op("log_probability", _log_probability, SINGLE_DOUBLE)
uniform: Final = Op("random_uniform", _uniform, SINGLE_DOUBLE, returns="other")
normal: Final = Op("random_normal", _normal, SINGLE_DOUBLE, returns="other")

# --- rejection ------------------------------------------------------------------------------------

# The parameters of a kernel: ``count``, how many numbers; ``tries``, after which it takes the last
# proposal; ``words``, which gives the random words of a try; ``propose``, which makes numbers of
# words and parameters, and says which are accepted; ``parameters``, of one element or of ``count``;
# and ``like``, a tensor of the data type and device.


@dataclass(frozen=True)
class Words:
    """A function that gives the random words of a try, by the places of numbers in the draw."""

    make: Callable[[int | None, Any, int], Tensor]
    """A function of a try (None for all), places, and the number of integers for each place."""
    width: int
    """How many blocks a try has."""
    by_place: bool
    """Whether the words of a place do not depend on earlier requests."""
    at: Tensor | None = None
    """The place of each number in the stream; by default they follow each other."""

    def __call__(self, attempt: int | None, places: Tensor | range, number: int = 4) -> Tensor:
        """Return the words for every place and try, each with at least ``number`` integers."""
        if self.at is not None:
            at = slice(places.start, places.stop) if isinstance(places, range) else places
            places = self.at[at]
        return self.make(attempt, places, number)


def scaled(places: Any, factor: int, shift: int) -> Any:
    """Return places times a factor, plus a shift."""
    if isinstance(places, range):
        start, stop = (p * factor + shift for p in (places.start, places.stop))
        return range(start, stop, places.step * factor)
    return places * factor + shift


@dataclass(frozen=True)
class Proposal:
    """A function that proposes numbers and says which are accepted."""

    make: Callable[..., tuple[tuple[Tensor, ...], Tensor, tuple[Tensor, ...]]]
    """A function of words and parameters that returns columns of numbers, which of them are
    possible, and the operands of the tests."""
    exact: Callable[..., Tensor] | None = None
    """The test of possible numbers; without one, all possible numbers are accepted."""
    quick: Callable[..., Tensor] | None = None
    """A cheap test that accepts most of the numbers that ``exact`` accepts, and no others."""
    integers: int = 4
    """How many random integers a proposal consumes."""

    def __call__(self, words: Tensor, *parameters: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
        """Return columns of numbers, and which are accepted."""
        values, possible, operands = self.make(words, *parameters)
        return values, possible & self.exact(*operands) if self.exact else possible


_PORTION: Final = _SERIAL
_MASKED_PORTION: Final = 2**14
_TRIED: Final = 2**15


def _part(parameter: Tensor, places: Tensor | slice) -> Tensor:
    return parameter if parameter.dim() == 0 else parameter[places]


def _first_accepted(
    count: int,
    tries: int,
    words: Words,
    propose: Proposal,
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Repeat the proposal only for the numbers that were refused."""
    if capturing.here.capture is not None and words.by_place:  # the host cannot wait for them
        return first_accepted_masked(count, tries, words, propose, parameters, like)
    parts: list[list[Tensor]] = []
    for start in range(0, max(count, 1), _PORTION):
        stop = min(start + _PORTION, count)
        places = torch.arange(start, stop, dtype=dt.int64, device=like.device)
        here = [_part(p, slice(start, stop)) for p in parameters]
        values, accepted = propose(words(0, places).squeeze(1), *here)
        parts.append(list(values))
        for attempt in range(1, tries):
            places = places[~accepted]
            if not len(places):
                break
            here = [_part(p, places) for p in parameters]
            again, accepted = propose(words(attempt, places).squeeze(1), *here)
            for part, value in zip(parts[-1], again):
                part[places - start] = value
    return [torch.cat(column) for column in zip(*parts)]


def first_accepted_by_tries(
    count: int,
    tries: int,
    words: Words,
    propose: Proposal,
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Propose all numbers, then again all refused ones, if words do not depend on the order.

    Numbers that fail the quick test are collected, so that one call of the exact test decides.
    """
    if not words.by_place:
        return _first_accepted(count, tries, words, propose, parameters, like)
    columns: tuple[Tensor, ...] = ()
    left: Tensor | None = None  # None stands for all numbers
    for attempt in range(tries):
        refused: list[Any] = []
        doubtful: list[Doubtful] = []
        number = count if left is None else len(left)
        for start in range(0, max(number, 1), _TRIED):
            stop = min(start + _TRIED, number)
            where: Any = slice(start, stop) if left is None else left[start:stop]
            part = range(start, stop) if left is None else where
            made = words(attempt, part, propose.integers).squeeze(1)
            values, possible, operands = propose.make(made, *(_part(p, where) for p in parameters))
            columns = columns or tuple(_empty(count, value) for value in values)
            for column, value in zip(columns, values):
                column[where] = value
            if propose.quick:
                sure = possible & propose.quick(*operands)
            else:
                sure = possible & propose.exact(*operands) if propose.exact else possible
            rest = np.flatnonzero(~sure.numpy())
            places = rest + start if left is None else where.numpy()[rest]
            if not propose.quick:
                refused.append(places)
            elif len(rest):
                kept = [o if o.dim() == 0 else _elements_at(o, rest) for o in operands]
                doubtful.append((places, _elements_at(possible, rest), kept))
            if sum(len(d[0]) for d in doubtful) > _TRIED:
                refused.append(_refused(propose, doubtful))
        refused.append(_refused(propose, doubtful))
        left = torch.from_numpy(np.concatenate(refused))
        if not len(left):
            break
    return list(columns)


def _empty(count: int, like: Tensor) -> Tensor:
    # By NumPy, which asks the system for large pages.
    return torch.from_numpy(np.empty(count, like.numpy().dtype))


def _elements_at(x: Tensor, places: np.ndarray[Any, Any]) -> Tensor:
    return torch.from_numpy(x.numpy()[places])


def _refused(propose: Proposal, doubtful: list[Doubtful]) -> Any:
    """Decide about the collected numbers by the exact test; return the places of refused ones."""
    if not doubtful or not propose.exact:
        return np.empty(0, np.int64)
    places, possible, operands = zip(*doubtful)
    doubtful.clear()
    joined = [o[0] if o[0].dim() == 0 else torch.cat(o) for o in zip(*operands)]
    accepted = torch.cat(possible) & propose.exact(*joined)
    return np.concatenate(places)[~accepted.numpy()]


def first_accepted_masked(
    count: int,
    tries: int,
    words: Words,
    propose: Proposal,
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Make all tries for all numbers, so that the host need not know which were accepted."""
    parts = []
    for start in range(0, max(count, 1), _MASKED_PORTION):
        stop = min(start + _MASKED_PORTION, count)
        here = [_part(p, slice(start, stop)) for p in parameters]
        places = torch.arange(start, stop, dtype=dt.int64, device=like.device)
        every = words(None, places)
        values, done = propose(every[:, 0].contiguous(), *here)
        for attempt in range(1, tries):
            again, accepted = propose(every[:, attempt].contiguous(), *here)
            values = tuple(torch.where(done, v, w) for v, w in zip(values, again))
            done = done | accepted
        parts.append(values)
    return [torch.cat(column) for column in zip(*parts)]


first_accepted: Final = Op("first_accepted", _first_accepted, SINGLE_DOUBLE, returns="other")

bring("random")
