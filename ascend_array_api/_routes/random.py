"""The operations of random numbers: blocks of random bits, and what is made of them at once.

Philox is defined by what it computes, not by how, so its rows are about speed: each device type has
its own way to the same bits, and they are in its backend.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .. import _dtypes as dt
from .._devices import spec, spec_of
from .._torch import torch
from . import _philox_host as host
from . import elementwise as el
from ._engine import Op, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from .._devices import Device

F = TypeVar("F", bound="Callable[..., Any]")

WORDS: Final = {dt.float32: 1, dt.float64: 2}
"""How many words of 32 bits a number of each data type is made of."""
_SERIAL: Final = 2**15
"""Up to so many elements torch computes in one thread, and has no others to wait for."""
_FIXED: Final = {dt.float32: (24, dt.int32), dt.float64: (53, dt.int64)}
"""The bits of a number from [0, 1), and the integers that hold them."""

# --- functions ------------------------------------------------------------------------------------

# Of which the stream is made: where users' functions take another way, it stays.
SINGLE_DOUBLE: Final = frozenset(WORDS)
"""The data types in which numbers are made at once."""
acos: Final = Op("random_acos", el.acos, SINGLE_DOUBLE)
cos: Final = Op("random_cos", el.cos, SINGLE_DOUBLE)
sin: Final = Op("random_sin", el.sin, SINGLE_DOUBLE)

# --- words of 32 bits, each in an int64 -----------------------------------------------------------


def integer(value: int, device: torch.device) -> Tensor:
    """Return an int64 of 0 dimensions, made on the device: a copy from the host would wait.

    As scalars some kernels round such numbers.
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

    The first factor is read as a signed number, which keeps the product below 2**63.  Where it is
    negative, it is too small by 2**32, and so is the product by 2**32 y.
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
    """Return the same by products that do not overflow."""
    low, high = split_words(x)
    multiply = multiply_words.on(spec_of(x))
    (h1, l1), (h0, _) = multiply(high, factor), multiply(low, factor)
    upper: Tensor = h1 + split_words(l1 + h0)[1]
    return upper


bounded_words: Final = Op("bounded_words", _bounded_words, frozenset({dt.int64}))

# --- Philox ---------------------------------------------------------------------------------------


def _philox(
    counter: int, key: int, blocks: int, device: torch.device, offsets: Tensor | None = None
) -> Tensor:
    """Return blocks as rows of four int32: of consecutive counters, or of those at the offsets."""
    if offsets is None:
        offsets = torch.arange(blocks, dtype=dt.int64, device=device)
    m0, m1, *start = (integer(v, device) for v in (*host.MULTIPLIERS, *host.split(counter)))
    rounds = torch.arange(host.ROUNDS, dtype=dt.int64, device=device)
    mask = integer(host.MASK, device)
    keys = (
        (rounds * integer(step, device) + integer(first, device) & mask).unbind()
        for first, step in zip(host.schedule(key)[0], host.WEYL)
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
    counter: int, key: int, blocks: int, device: Device, integral: torch.dtype, offsets: Tensor
) -> Tensor:
    """Return rows of integers, of so many blocks from each offset on."""
    if blocks > 1:
        within = torch.arange(blocks, dtype=dt.int64, device=offsets.device)
        offsets = (offsets.unsqueeze(-1) + within).view(-1)
    kernel = philox.on(spec(dt.int32, device))
    words: Tensor = kernel(counter, key, offsets.numel(), device.torch_device, offsets)
    return words.view(-1, 4 * blocks).view(integral)


tried: Final = Op("random_tried", _tried, frozenset({dt.int32, dt.int64}), returns="other")

# --- numbers of whole blocks ----------------------------------------------------------------------


def columns(words: Tensor, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """Return the columns of rows of words, as integers of as many bits as a data type."""
    integral = _FIXED[dtype][1]
    return (words if words.dtype is integral else words.view(integral)).unbind(-1)


def fraction(bits: Tensor, dtype: torch.dtype) -> Tensor:
    """Return signed integers as fractions from (-1/2, 1/2), the exacter the nearer to 0."""
    return (cast(bits, dtype) + 0.5) * 2.0 ** (-8 * bits.dtype.itemsize)


def _log_probability(f: Tensor) -> Tensor:
    """Return log(f) of positive fractions, and log(1 + f) of negative ones."""
    return torch.where(f < 0, el.log1p(f), torch.log(f))


def box_muller(first: Tensor, second: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return pairs of standard normal numbers.

    G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958).
    """
    radius = torch.sqrt(torch.log(torch.abs(fraction(first, dtype)) * 2) * -2)
    angle = fraction(second, dtype) * (2 * math.pi)
    return radius * cos(angle), radius * sin(angle)


def box_muller_first(first: Tensor, second: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the first numbers of these pairs."""
    radius = torch.sqrt(torch.log(torch.abs(fraction(first, dtype)) * 2) * -2)
    return radius * cos(fraction(second, dtype) * (2 * math.pi))


def blocks_of(count: int, dtype: torch.dtype) -> int:
    """Return how many blocks make so many numbers."""
    return -(-count * WORDS[dtype] // 4)


def _words(counter: int, key: int, blocks: int, device: Device) -> Any:
    return philox.on(spec(dt.int32, device))(counter, key, blocks, device.torch_device)


def _uniform(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    bits, integral = _FIXED[dtype]
    words = _words(counter, key, blocks_of(count, dtype), device).view(integral).reshape(-1)
    mask = torch.full((), 2**bits - 1, dtype=integral, device=words.device)
    return cast(words[:count] & mask, dtype) * 2.0**-bits


def _normal(counter: int, key: int, count: int, dtype: torch.dtype, device: Device) -> Tensor:
    words = _words(counter, key, blocks_of(count, dtype), device)
    integers = words.view(_FIXED[dtype][1]).view(-1, 2)
    pair = box_muller(integers[:, 0], integers[:, 1], dtype)
    return torch.stack(pair, -1).view(-1)[:count]


def _exponential(bits: Tensor, like: Tensor) -> Tensor:
    """Return exponential numbers of mean 1 for random integers, by inversion."""
    return -log_probability(fraction(bits, like.dtype))


def _of_integers(
    counter: int,
    key: int,
    count: int,
    integral: torch.dtype,
    device: Device,
    make: Callable[[Tensor], Tensor],
) -> Tensor:
    """Return what a function of elements makes of random integers."""
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

# A kernel takes: how many numbers; how many tries, after which the last proposal is taken; what
# gives the random words of a try; a function of the words and the parameters that proposes a row of
# numbers and says which are accepted; the parameters, each of one element or of as many as there
# are numbers; and a tensor for the data type and device.


@dataclass(frozen=True)
class Words:
    """What gives the random words of a try for numbers, by the places of these."""

    make: Callable[[int | None, Tensor, int], Tensor]
    """A function of a try (None for all), places, and how many blocks of each are asked for."""
    width: int
    """How many blocks there are for a try."""
    by_place: bool
    """Whether words do not hang on which were given before."""
    stride: int = 1
    shift: int = 0

    def __call__(self, attempt: int | None, places: Tensor, blocks: int = 0) -> Tensor:
        """Return the words, for every place and try; of the first blocks alone, if so asked."""
        if self.stride > 1:
            places = places * self.stride + self.shift
        return self.make(attempt, places, blocks or self.width)


def of_blocks(number: int) -> Callable[[F], F]:
    """Say of how many blocks at most a proposal is made; others need not be."""

    def mark(propose: F) -> F:
        _BLOCKS[propose] = number
        return propose

    return mark


_BLOCKS: Final[dict[Callable[..., Any], int]] = {}

_PORTION: Final = _SERIAL
_MASKED_PORTION: Final = 2**14
_TRIED: Final = 2 * _SERIAL  # of more, two threads pay, and a call of torch costs no more


def _part(parameter: Tensor, places: Tensor | slice) -> Tensor:
    return parameter if parameter.dim() == 0 else parameter[places]


def _first_accepted(
    count: int,
    tries: int,
    words: Words,
    propose: Callable[..., tuple[tuple[Tensor, ...], Tensor]],
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Try again where a proposal was refused, and there alone."""
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
    propose: Callable[..., tuple[tuple[Tensor, ...], Tensor]],
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Try all, and then all that were refused, where nothing hangs on the order."""
    if not words.by_place:
        return _first_accepted(count, tries, words, propose, parameters, like)
    blocks = _BLOCKS.get(propose, 0)
    columns: tuple[Tensor, ...] = ()
    left: Tensor | None = None  # all of them
    for attempt in range(tries):
        refused = []
        number = count if left is None else len(left)
        for start in range(0, max(number, 1), _TRIED):
            stop = min(start + _TRIED, number)
            where: Tensor | slice = slice(start, stop)
            if left is None:
                part = torch.arange(start, stop, dtype=dt.int64, device=like.device)
            else:
                where = part = left[where]
            made = words(attempt, part, blocks).squeeze(1)
            values, accepted = propose(made, *(_part(p, where) for p in parameters))
            columns = columns or tuple(v.new_empty(count) for v in values)
            for column, value in zip(columns, values):
                column[where] = value
            refused.append(part[torch.logical_not(accepted)])
        left = torch.cat(refused)
        if not len(left):
            break
    return list(columns)


def first_accepted_masked(
    count: int,
    tries: int,
    words: Words,
    propose: Callable[..., tuple[tuple[Tensor, ...], Tensor]],
    parameters: tuple[Tensor, ...],
    like: Tensor,
) -> list[Tensor]:
    """Make all tries for all numbers, so that nothing depends on what came out of them."""
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


def _accepted(
    quick: Callable[..., Tensor],  # noqa: ARG001
    exact: Callable[..., Tensor],
    *operands: Tensor,
) -> Tensor:
    return exact(*operands)


def accepted_where_needed(
    quick: Callable[..., Tensor], exact: Callable[..., Tensor], *operands: Tensor
) -> Tensor:
    """Decide at length where a quick test does not accept; it accepts nothing else."""
    decided = quick(*operands)
    rest = torch.nonzero(torch.logical_not(decided)).reshape(-1)
    if len(rest):
        decided[rest] = exact(*(_part(operand, rest) for operand in operands))
    return decided


accepted: Final = Op("accepted", _accepted, SINGLE_DOUBLE, returns="bool")
"""Which proposals are accepted: of a quick test, one that decides, and their operands."""

first_accepted: Final = Op("first_accepted", _first_accepted, SINGLE_DOUBLE, returns="other")
