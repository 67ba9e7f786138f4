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
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Words: TypeAlias = tuple["Array", "Array", "Array", "Array"]

Array: TypeAlias = "np.ndarray[Any, Any]"

ROUNDS: Final = 10
MULTIPLIERS: Final = 0xD2511F53, 0xCD9E8D57
WEYL: Final = 0x9E3779B9, 0xBB67AE85
MASK: Final = 0xFFFF_FFFF

PORTION: Final = 2**15
"""How many blocks are made at a time."""

_LINE: Final = 8  # of 64-bit integers

# Of 64-bit integers read as words of 32 bits: the lower halves, and all words from the first upper
# or lower one on, as many of each.
_LITTLE: Final = sys.byteorder == "little"
_LOW: Final = slice(0, None, 2) if _LITTLE else slice(1, None, 2)
_FROM_LOWER: Final = slice(None, -1) if _LITTLE else slice(1, None)
_FROM_UPPER: Final = slice(1, None) if _LITTLE else slice(None, -1)

# Without dimensions, which NumPy takes in half the time of its numbers.
_HALF: Final = np.array(32, np.uint64)
_MASK: Final = np.array(MASK, np.uint64)


def schedule(key: int) -> list[tuple[int, int]]:
    """Return the two words of the key for each round."""
    return [
        (((key & MASK) + r * WEYL[0]) & MASK, ((key >> 32) + r * WEYL[1]) & MASK)
        for r in range(ROUNDS)
    ]


def split(counter: int) -> tuple[int, int, int, int]:
    """Return the four words of a counter, the least significant one first."""
    return counter & MASK, counter >> 32 & MASK, counter >> 64 & MASK, counter >> 96 & MASK


def _aligned(rows: int, size: int) -> Array:
    """Return rows of 64-bit integers, each from where a line of the cache begins.

    A vector that crosses lines takes two accesses.
    """
    width = -(-size // _LINE) * _LINE
    memory = np.zeros(rows * width + _LINE, np.uint64)
    start = -memory.ctypes.data // memory.itemsize % _LINE
    return memory[start : start + rows * width].reshape(rows, width)[:, :size]


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
        # From the third round on: the words 0 and 2, and products whose lower halves are 1 and 3.
        self._rows = _aligned(4, size)
        (self._count,) = _aligned(1, size)
        self._count[:] = np.arange(size)
        self._rounds = list(self._steps())

    def _steps(self) -> Iterator[tuple[tuple[Any, Array, Array, Array], ...]]:
        """Yield the steps of each round: a function, two operands, and where the result goes.

        All are done in place: what was a word becomes its product, and what was a product the word
        that its lower half is a part of.  Halves are mixed without a stride, and so are halves of
        other words: these are masked.
        """
        c2, c0, p0, p1 = self._rows
        m0, m1 = (np.array(word, np.uint64) for word in MULTIPLIERS)
        multiply, xor, both = np.multiply, np.bitwise_xor, np.bitwise_and
        for keys in self._schedule:
            k0, k1 = (np.array(key, np.uint64) for key in keys)
            low0, low1 = (p.view(np.uint32)[_FROM_LOWER] for p in (p0, p1))
            high0, high1 = (c.view(np.uint32)[_FROM_UPPER] for c in (c0, c2))
            yield (
                (multiply, c0, m0, c0),
                (multiply, c2, m1, c2),
                (xor, low1, high1, low1),
                (both, p1, _MASK, p1),
                (xor, p1, k0, p1),
                (xor, low0, high0, low0),
                (both, p0, _MASK, p0),
                (xor, p0, k1, p0),
            )
            c0, c2, p0, p1 = p1, p0, c0, c2

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
        carry = np.zeros_like(offsets)
        parts = (offsets & mask, offsets >> half, np.uint64(0), np.uint64(0))
        for row, part, word in zip((1, 3, 0, 2), parts, split(counter)):
            total = part + np.uint64(word) + carry
            np.bitwise_and(total, mask, out=self._rows[row])
            carry = total >> half
        return self._mixed(0)

    def _near(self, offsets: Array, words: tuple[int, int, int, int], least: int) -> Words:
        """Make them where the first words alone differ: so half of the first two rounds does not.

        The words are those of the least offset.
        """
        c0, c2, p1, p0 = self._rows
        (k0, k1), (l0, l1) = self._schedule[:2]
        m0, m1 = MULTIPLIERS
        np.add(offsets, np.uint64((words[0] - least) % 2**64), out=c2)
        np.multiply(c2, np.uint64(m0), out=c2)
        np.right_shift(c2, np.uint64(32), out=p1)
        np.bitwise_xor(p1, np.uint64(words[3] ^ k1), out=p1)
        product = words[2] * m1
        first, second = product >> 32 ^ words[1] ^ k0, product & MASK
        np.multiply(p1, np.uint64(m1), out=p1)
        np.right_shift(p1, np.uint64(32), out=c0)
        np.bitwise_xor(c0, np.uint64(second ^ l0), out=c0)
        product = first * m0
        np.bitwise_xor(c2, np.uint64(product >> 32 ^ l1), out=c2)
        np.bitwise_and(c2, np.uint64(MASK), out=c2)
        p0.fill(product & MASK)
        return self._mixed(2)

    def _mixed(self, first: int) -> Words:
        """Compute the rounds from one on, an even one; return the four words."""
        for steps in self._rounds[first:]:
            for function, x, y, out in steps:
                function(x, y, out)
        c0, c2, p1, p0 = self._rows
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


def join(words: Words, out: Iterable[Array]) -> None:
    """Write the 64-bit integers of two words each, the lower one first; the words are lost."""
    for low, high, joined in zip(words[::2], words[1::2], out):
        np.left_shift(high, _HALF, out=high)
        np.bitwise_or(low, high, out=joined)


def put(words: Words, out: Array) -> None:
    """Write blocks into the rows of an array of 32-bit unsigned integers; the words are lost."""
    if not _LITTLE:
        words = words[1] & _MASK, words[0], words[3] & _MASK, words[2]
    join(words, out.view(np.uint64).T)


def fill(out: Array, counter: int, key: int, offsets: Array | None) -> None:
    """Write blocks into the rows of an array of 32-bit unsigned integers."""
    for memory, start, size in portions(len(out), key):
        if offsets is None:
            words = memory.count(counter + start)
        else:
            words = memory.at(offsets[start : start + size], counter)
        put(words, out[start : start + size])


def fill_columns(out: Array, counter: int, key: int, offsets: Array) -> None:
    """Write the integers of the blocks from each offset on, as columns of int32 or int64."""
    each = 16 // out.itemsize
    for memory, start, size in portions(out.shape[1], key):
        places = offsets[start : start + size]
        for first in range(0, len(out), each):
            words = memory.at(places, counter + first // each)
            part = out[first : first + each, start : start + size]
            if each == 2:
                join(words, part.view(np.uint64))
            else:
                for column, word in zip(part, words):
                    column[:] = word.view(np.int32)[_LOW]


def fill_uniform(out: Array, counter: int, key: int) -> None:
    """Write numbers from [0, 1) into an array of float32 or float64 of whole blocks."""
    single = out.dtype == np.float32
    bits = 24 if single else 53
    unit, mask = out.dtype.type(2.0**-bits), np.array(2**bits - 1, np.uint64)
    rows = out.reshape(-1, 4 if single else 2)
    for memory, start, size in portions(len(rows), key):
        words, part = memory.count(counter + start), rows[start : start + size]
        if not single:
            join(words, words[::2])
        for column, integers in zip(part.T, words if single else words[::2]):
            np.bitwise_and(integers, mask, out=integers)
            np.copyto(column, integers.view(np.int64), casting="unsafe")
        np.multiply(part, unit, out=part)


def fill_normal(out: Array, counter: int, key: int) -> None:
    """Write standard normal numbers into an array of float32 or float64 of whole blocks.

    G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958).
    """
    single = out.dtype == np.float32
    columns, width = (4, 32) if single else (2, 64)
    half, turn, two = (out.dtype.type(v) for v in (0.5, 2 * math.pi / 2**width, 2.0 ** (1 - width)))
    rows = out.reshape(-1, columns)
    room = np.empty((columns, min(PORTION, len(rows))), out.dtype)
    for memory, start, size in portions(len(rows), key):
        words, numbers = memory.count(counter + start), room[:, :size]
        if not single:
            join(words, words[::2])
        # What the radii are made of comes first.
        for row, i in zip(numbers, (0, 2, 1, 3) if single else (0, 2)):
            row[:] = words[i].view(np.int32)[_LOW] if single else words[i].view(np.int64)
        np.add(numbers, half, out=numbers)
        radius, angle = numbers[: columns // 2], numbers[columns // 2 :]
        np.multiply(np.abs(radius, out=radius), two, out=radius)
        np.multiply(np.log(radius, out=radius), out.dtype.type(-2), out=radius)
        np.sqrt(radius, out=radius)
        np.multiply(angle, turn, out=angle)
        part = rows[start : start + size].T
        np.multiply(radius, np.cos(angle), out=part[::2])
        np.multiply(radius, np.sin(angle, out=angle), out=part[1::2])
