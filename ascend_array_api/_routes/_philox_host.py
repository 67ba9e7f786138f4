"""Philox4x32-10 on the host, by NumPy on the memory of torch's tensors.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3
(SC '11).  A round multiplies two of the four words of a counter by constants, and mixes the halves
of the products with the other two words and with the key.

On the CPU NumPy's calls are cheaper than torch's, and its unsigned numbers spare the masks.  The
words are held in 64 bits, so that a product and its two halves are one array and two views of it,
and the numbers are made in portions that stay in the cache.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    Words: TypeAlias = tuple["Array", "Array", "Array", "Array"]

Array: TypeAlias = "np.ndarray[Any, Any]"

ROUNDS: Final = 10
MULTIPLIERS: Final = 0xD2511F53, 0xCD9E8D57
WEYL: Final = 0x9E3779B9, 0xBB67AE85
MASK: Final = 0xFFFF_FFFF

PORTION: Final = 2**15
"""How many blocks are made at a time."""

# Of 64-bit integers read as words of 32 bits: the lower halves, the upper ones, and all words from
# the first upper or lower one on, as many of each.
_LITTLE: Final = sys.byteorder == "little"
_LOW: Final = slice(0, None, 2) if _LITTLE else slice(1, None, 2)
_HIGH: Final = slice(1, None, 2) if _LITTLE else slice(0, None, 2)
_FROM_LOWER: Final = slice(None, -1) if _LITTLE else slice(1, None)
_FROM_UPPER: Final = slice(1, None) if _LITTLE else slice(None, -1)


def schedule(key: int) -> list[tuple[int, int]]:
    """Return the two words of the key for each round."""
    return [
        (((key & MASK) + r * WEYL[0]) & MASK, ((key >> 32) + r * WEYL[1]) & MASK)
        for r in range(ROUNDS)
    ]


def split(counter: int) -> tuple[int, int, int, int]:
    """Return the four words of a counter, the least significant one first."""
    return counter & MASK, counter >> 32 & MASK, counter >> 64 & MASK, counter >> 96 & MASK


class _Halves(NamedTuple):
    """64-bit integers, and their words from the first upper half on, and from the first lower."""

    whole: Array
    upper: Array
    lower: Array


def _halves(x: Array) -> _Halves:
    words = x.view(np.uint32)
    return _Halves(x, words[_FROM_UPPER], words[_FROM_LOWER])


class Blocks:
    """The memory in which so many blocks are made at a time.

    Parameters
    ----------
    size : int
        How many blocks.
    key : int
        The key, of 64 bits.
    """

    def __init__(self, size: int, key: int) -> None:
        self._schedule = schedule(key)
        self._count = np.arange(size, dtype=np.uint64)
        self._even = [np.zeros(size, np.uint64) for _ in range(2)]
        # Of a round, and of the one before: their lower halves are the words 1 and 3.
        self._products = [np.zeros(size, np.uint64) for _ in range(4)]
        self._rounds = list(self._steps())

    def _steps(self) -> Iterator[tuple[tuple[Any, Any, Any, Array], ...]]:
        """Yield the steps of each round: a function, two operands, and where the result goes.

        Halves are mixed without a stride, and so are halves of other words: these are masked.
        """
        c0, c2, p0, p1, q0, q1 = map(_halves, (*self._even, *self._products))
        m0, m1, mask = (np.uint64(word) for word in (*MULTIPLIERS, MASK))
        multiply, xor, both = np.multiply, np.bitwise_xor, np.bitwise_and
        for k0, k1 in self._schedule:
            yield (
                (multiply, c0.whole, m0, q0.whole),
                (multiply, c2.whole, m1, q1.whole),
                (xor, q1.upper, p1.lower, c0.lower),
                (both, c0.whole, mask, c0.whole),
                (xor, c0.whole, np.uint64(k0), c0.whole),
                (xor, q0.upper, p0.lower, c2.lower),
                (both, c2.whole, mask, c2.whole),
                (xor, c2.whole, np.uint64(k1), c2.whole),
            )
            p0, p1, q0, q1 = q0, q1, p0, p1

    def count(self, counter: int) -> Words:
        """Make the blocks of consecutive counters; return their four words."""
        return self._between(self._count, counter, 0, len(self._count) - 1)

    def at(self, offsets: Array, counter: int) -> Words:
        """Make the blocks at so many places from a counter on; return their four words."""
        offsets = offsets.view(np.uint64)
        return self._between(offsets, counter, int(offsets.min()), int(offsets.max()))

    def _between(self, offsets: Array, counter: int, least: int, greatest: int) -> Words:
        words = split(counter + least)
        if words[0] + greatest - least <= MASK:
            return self._near(offsets, words, least)
        mask, half = np.uint64(MASK), np.uint64(32)
        p0, p1, *_ = self._products
        carry = np.zeros_like(offsets)
        parts = (offsets & mask, offsets >> half, np.uint64(0), np.uint64(0))
        places = (self._even[0], p1, self._even[1], p0)
        for place, part, word in zip(places, parts, split(counter)):
            total = part + np.uint64(word) + carry
            np.bitwise_and(total, mask, out=place)
            carry = total >> half
        return self._mixed(0)

    def _near(self, offsets: Array, words: tuple[int, int, int, int], least: int) -> Words:
        """Make them where the first words alone differ: so half of the first two rounds does not.

        The words are those of the least offset.
        """
        c0, c2, p0, p1, q0, _ = (*self._even, *self._products)
        (k0, k1), (l0, l1) = self._schedule[:2]
        m0, m1 = MULTIPLIERS
        np.add(offsets, np.uint64((words[0] - least) % 2**64), out=c0)
        np.multiply(c0, np.uint64(m0), out=q0)
        np.right_shift(q0, np.uint64(32), out=c2)
        np.bitwise_xor(c2, np.uint64(words[3] ^ k1), out=c2)
        product = words[2] * m1
        first, second = product >> 32 ^ words[1] ^ k0, product & MASK
        np.multiply(c2, np.uint64(m1), out=p1)
        np.right_shift(p1, np.uint64(32), out=c0)
        np.bitwise_xor(c0, np.uint64(second ^ l0), out=c0)
        product = first * m0
        np.bitwise_xor(q0, np.uint64(product >> 32 ^ l1), out=c2)
        np.bitwise_and(c2, np.uint64(MASK), out=c2)
        p0.fill(product & MASK)
        return self._mixed(2)

    def _mixed(self, first: int) -> Words:
        """Compute the rounds from one on, an even one; return the four words."""
        for steps in self._rounds[first:]:
            for function, x, y, out in steps:
                function(x, y, out)
        c0, c2, p0, p1 = (a.view(np.uint32)[_LOW] for a in (*self._even, *self._products[:2]))
        return c0, p1, c2, p0


def portions(blocks: int, key: int, portion: int = PORTION) -> Iterator[tuple[Blocks, int, int]]:
    """Split a number of blocks; yield the memory for a portion, its start and its size.

    Smaller portions are slower in several threads than in one: between two calls of NumPy they
    wait for one another.
    """
    memory = None
    for start in range(0, blocks, portion):
        size = min(portion, blocks - start)
        if memory is None or size < portion:
            memory = Blocks(size, key)
        yield memory, start, size


def fill(out: Array, counter: int, key: int, offsets: Array | None) -> None:
    """Write blocks into the rows of an array of 32-bit unsigned integers."""
    for memory, start, size in portions(len(out), key):
        if offsets is None:
            words = memory.count(counter + start)
        else:
            words = memory.at(offsets[start : start + size], counter)
        for column, word in enumerate(words):
            out[start : start + size, column] = word


def fill_uniform(out: Array, counter: int, key: int) -> None:
    """Write numbers from [0, 1) into an array of float32 or float64 of whole blocks."""
    single = out.dtype == np.float32
    bits, integer = (24, np.int32) if single else (53, np.int64)
    unit, mask = out.dtype.type(2.0**-bits), integer(2**bits - 1)
    rows = out.reshape(-1, 4 if single else 2)
    room = np.empty(min(PORTION, len(rows)), integer)
    for memory, start, size in portions(len(rows), key):
        integers, part = room[:size], rows[start : start + size]
        words = memory.count(counter + start)
        for column in range(part.shape[1]):
            if single:
                np.bitwise_and(words[column].view(integer), mask, out=integers)
            else:
                whole = room.view(np.uint32)
                whole[_LOW][:size], whole[_HIGH][:size] = words[2 * column : 2 * column + 2]
                np.bitwise_and(integers, mask, out=integers)
            np.copyto(part[:, column], integers, casting="unsafe")
        np.multiply(part, unit, out=part)


def fill_normal(out: Array, counter: int, key: int) -> None:
    """Write standard normal numbers into an array of float32 or float64 of whole blocks.

    G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958).
    """
    single = out.dtype == np.float32
    columns, integer = (4, np.int32) if single else (2, np.int64)
    half, turn, two = (out.dtype.type(v) for v in (0.5, 2 * math.pi / 2**32, 2.0**-31))
    if not single:
        turn, two = (out.dtype.type(v) for v in (2 * math.pi / 2**64, 2.0**-63))
    rows = out.reshape(-1, columns)
    room = np.empty((4, min(PORTION, len(rows))), np.uint32)
    for memory, start, size in portions(len(rows), key):
        words = memory.count(counter + start)
        if single:  # the words of which the radii are made come first
            for plane, word in zip(room, (words[i] for i in (0, 2, 1, 3))):
                plane[:size] = word
            integers = room[:, :size].view(integer)
        else:
            whole = room.reshape(-1)[: 4 * size].reshape(2, size, 2)
            for i, word in enumerate(words):
                whole[i // 2, :, i % 2] = word
            integers = whole.view(integer)[..., 0]
        numbers = integers.astype(out.dtype)
        np.add(numbers, half, out=numbers)
        radius, angle = numbers[: columns // 2], numbers[columns // 2 :]
        np.multiply(np.abs(radius, out=radius), two, out=radius)
        np.multiply(np.log(radius, out=radius), out.dtype.type(-2), out=radius)
        np.sqrt(radius, out=radius)
        np.multiply(angle, turn, out=angle)
        part = rows[start : start + size].T
        np.multiply(radius, np.cos(angle), out=part[::2])
        np.multiply(radius, np.sin(angle, out=angle), out=part[1::2])
