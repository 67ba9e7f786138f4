"""Philox4x32-10 on the host, by NumPy on the memory of torch's tensors.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3
(SC '11).  A round multiplies two of the four words of a counter by constants, and mixes the halves
of the products with the other two words and with the key.

On the CPU, NumPy's calls are cheaper than torch's, and its unsigned numbers need no masks.  Words
are held in 64 bits, so that a product is one array, and its two halves are views of it.  Numbers
are made in portions that stay in the cache.
"""

from __future__ import annotations

import functools
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
"""How many blocks to make at a time."""

_AHEAD: Final = 2**10
"""Small draws that begin between two multiples of this number take blocks that are made at once."""
_SMALL: Final = 2**7
"""The greatest number of blocks of a small draw."""
_LINE: Final = 8  # of 64-bit integers

# Slices of 64-bit integers viewed as words of 32 bits: all lower halves, and all words from the
# first lower half, or from the first upper half; the last two have the same length.
_LITTLE: Final = sys.byteorder == "little"
_LOW: Final = slice(0, None, 2) if _LITTLE else slice(1, None, 2)
_FROM_LOWER: Final = slice(None, -1) if _LITTLE else slice(1, None)
_FROM_UPPER: Final = slice(1, None) if _LITTLE else slice(None, -1)


def _whole(value: int) -> Array:
    """Return a 0-dimensional array, which NumPy parses in half the time of its scalars."""
    return np.array(value, np.uint64)


_HALF: Final = _whole(32)
_MASK: Final = _whole(MASK)
_UPPER_MASK: Final = _whole(MASK << 32)
_M0: Final = _whole(MULTIPLIERS[0])
_M1: Final = _whole(MULTIPLIERS[1])

_PLACES: Final = (0, 1, 2, 3), (3, 2, 0, 1), (1, 0, 3, 2), (2, 3, 1, 0)
"""The rows of words 0 and 2, and of the products whose lower halves are words 3 and 1, by round."""
_NOT_UPPER: Final = 9  # the number of last steps: the last round, and the masks before it
_FEW: Final = 2**12
"""For factors up to this one, few products come so near to an integer that low bits count."""


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
    """Return rows of 64-bit integers, each aligned to a cache line.

    A vector that crosses cache lines takes two accesses.
    """
    width = -(-size // _LINE) * _LINE
    memory = np.zeros(rows * width + _LINE, np.uint64)
    start = -memory.ctypes.data // memory.itemsize % _LINE
    return memory[start : start + rows * width].reshape(rows, width)[:, :size]


@functools.lru_cache(maxsize=16)
def _folded(key: int) -> tuple[Array, ...]:
    """Return the keys to mix into the products of each round.

    The upper half of a product becomes a word of the next round, the lower half a word of the
    round after that.  So one operation mixes the keys of two rounds.  Even rounds take the keys of
    word 2, odd rounds those of word 0.
    """
    keys = [*schedule(key), (0, 0)]
    words = (1, 0) * (ROUNDS // 2)
    return tuple(_whole(keys[r][w] << 32 | keys[r + 1][w]) for r, w in enumerate(words))


class Blocks:
    """The memory for making a number of blocks at a time.

    Parameters
    ----------
    size : int
        How many blocks.
    key : int
        The key, of 64 bits.
    step : int
        The distance between counters, for blocks at regular distances.
    """

    def __init__(self, size: int, key: int, step: int = 1) -> None:
        self._key = key
        self._step = step
        self._rows = _aligned(4, size)
        (self._first,) = _aligned(1, size)  # what the words 0 are multiplied to, from 0 on
        np.multiply(np.arange(size, dtype=np.uint64), np.uint64(step * MULTIPLIERS[0]), self._first)
        self._steps = [one for r in range(3, ROUNDS) for one in self._round(r)]

    def _round(self, r: int) -> Iterator[tuple[Any, Array, Array, Array]]:
        """Yield the steps of a round: a function, two operands, and the place of the result.

        All steps work in place: the product of a word replaces the word, and the word that contains
        the lower half of a product replaces the product.  Halves are mixed without a stride, which
        also mixes other halves; a mask removes these.
        """
        c0, c2, p0, p1 = (self._rows[i] for i in _PLACES[r % 4])
        low0, low1 = (p.view(np.uint32)[_FROM_LOWER] for p in (p0, p1))
        high0, high1 = (c.view(np.uint32)[_FROM_UPPER] for c in (c0, c2))
        mixed = c2 if r % 2 else c0
        yield np.multiply, c0, _M0, c0
        yield np.multiply, c2, _M1, c2
        yield np.bitwise_xor, mixed, _folded(self._key)[r], mixed
        yield np.bitwise_xor, low1, high1, low1
        yield np.bitwise_xor, low0, high0, low0
        yield np.bitwise_and, p1, _MASK, p1
        yield np.bitwise_and, p0, _MASK, p0

    def count(self, counter: int) -> Words:
        """Make the blocks of consecutive counters, or of those at regular distances.

        Returns their four words in 64 bits each; the upper halves of words 1 and 3 are not zero.
        """
        self._count(counter)
        self._do(self._steps)
        return self._words()

    def at(self, offsets: Array, counter: int) -> Words:
        """Make the blocks at given offsets from a counter; return their four words."""
        offsets = offsets.view(np.uint64)
        least, greatest = int(offsets.min()), int(offsets.max())
        words = split(counter + least)
        if words[0] + greatest - least > MASK:
            self._far(offsets, split(counter))
        else:
            np.multiply(offsets, _M0, self._rows[0])
            near = _whole((words[0] - least) * MULTIPLIERS[0] % 2**64)
            np.add(self._rows[0], near, self._rows[0])
            self._near(words)
        self._do(self._steps)
        return self._words()

    def upper(self, counter: int) -> tuple[Array, Array]:
        """Make only the words 1 and 3 of consecutive blocks, which takes fewer steps."""
        self._count(counter)
        self._do(self._steps[:-_NOT_UPPER])
        words = self._rows[_PLACES[ROUNDS - 1 & 3][1]], self._rows[_PLACES[ROUNDS - 1 & 3][0]]
        for word, multiplier in zip(words, MULTIPLIERS[::-1]):
            np.multiply(word, _whole(multiplier << 32), word)
            np.right_shift(word, _HALF, word)
        return words

    def _count(self, counter: int) -> None:
        words = split(counter)
        size = len(self._first)
        if words[0] + self._step * (size - 1) <= MASK:
            np.add(self._first, _whole(words[0] * MULTIPLIERS[0]), self._rows[0])
            self._near(words)
        else:
            self._far(np.arange(size, dtype=np.uint64) * np.uint64(self._step), words)

    def _far(self, offsets: Array, words: tuple[int, int, int, int]) -> None:
        """Compute the first three rounds for any offsets from a counter."""
        parts = (offsets & _MASK, offsets >> _HALF, np.uint64(0), np.uint64(0))
        carry = np.zeros_like(offsets)
        c0, c2, c3, c1 = self._rows
        for row, part, word in zip((c0, c1, c2, c3), parts, words):
            total = part + np.uint64(word) + carry
            np.bitwise_and(total, _MASK, out=row)
            carry = total >> _HALF
        np.bitwise_xor(c1, np.uint64(schedule(self._key)[0][0]), out=c1)
        for r in range(3):
            self._do(self._round(r))

    def _near(self, words: tuple[int, int, int, int]) -> None:
        """Compute the first three rounds if only the first words of the counters differ.

        The first row has the products of these words.  Half of the first two rounds is then the
        same for all blocks.
        """
        p1, p0, c0, c2 = self._rows
        (k0, k1), (l0, l1), (m0, m1) = schedule(self._key)[:3]
        first = words[2] * MULTIPLIERS[1]
        second = (first >> 32 ^ words[1] ^ k0) * MULTIPLIERS[0]
        np.bitwise_xor(p1, _whole((words[3] ^ k1) << 32 | second >> 32 ^ l1), p1)
        np.right_shift(p1, _HALF, c0)
        np.bitwise_and(p1, _MASK, p1)
        np.multiply(c0, _M1, c0)
        np.bitwise_xor(c0, _whole((first & MASK ^ l0) << 32 | m0), c0)
        np.right_shift(c0, _HALF, p0)
        np.multiply(p0, _M0, p0)
        np.multiply(p1, _M1, p1)
        np.bitwise_xor(p0, _whole((second & MASK ^ m1) << 32 | schedule(self._key)[3][1]), p0)
        np.right_shift(p0, _HALF, c2)
        low, high = c0.view(np.uint32)[_FROM_LOWER], p1.view(np.uint32)[_FROM_UPPER]
        np.bitwise_xor(low, high, low)
        np.bitwise_and(c0, _MASK, c0)

    @staticmethod
    def _do(steps: Iterable[tuple[Any, Array, Array, Array]]) -> None:
        for function, x, y, out in steps:
            function(x, y, out)

    def _words(self) -> Words:
        c0, c2, c3, c1 = (self._rows[i] for i in _PLACES[ROUNDS % 4])
        return c0, c1, c2, c3


@functools.lru_cache(maxsize=64)
def _ahead(key: int, counter: int) -> Array:
    """Return the words of many blocks; a stream does not change, so they can be kept."""
    for memory, _, _ in portions(_AHEAD + _SMALL, key):
        words = np.array(memory.count(counter))
    return words


class _Few(Blocks):
    """Few consecutive blocks, which others were made with: each step takes as long for many."""

    def __init__(self, size: int, key: int) -> None:
        self._size, self._key = size, key

    def count(self, counter: int) -> Words:
        at = counter % _AHEAD
        c0, c1, c2, c3 = _ahead(self._key, counter - at)[:, at : at + self._size].copy()
        return c0, c1, c2, c3

    def upper(self, counter: int) -> tuple[Array, Array]:
        _, first, _, second = self.count(counter)
        return first & _MASK, second & _MASK


_waiting: dict[tuple[int, int], Blocks] = {}
_KEPT: Final = 2**12
"""The greatest number of blocks whose memory is kept."""
_MOST: Final = 16


def portions(blocks: int, key: int, *, near: bool = True) -> Iterator[tuple[Blocks, int, int]]:
    """Split a number of blocks; yield the memory for a portion, its start and its size.

    Smaller portions would be slower in several threads than in one, because threads wait for each
    other between calls of NumPy.  Blocks are ``near`` if they follow each other.
    """
    if near and 0 < blocks <= _SMALL:
        yield _Few(blocks, key), 0, blocks
        return
    # Memory waits for the next draw of its size, unless another thread takes it.
    memory = _waiting.pop((blocks, key), None)
    for start in range(0, blocks, PORTION):
        size = min(PORTION, blocks - start)
        if memory is None or size < PORTION < blocks:
            memory = Blocks(size, key)
        yield memory, start, size
    if memory is not None and blocks <= _KEPT:
        if len(_waiting) == _MOST:
            _waiting.clear()
        _waiting[blocks, key] = memory


def join(words: tuple[Array, ...], out: Iterable[Array]) -> None:
    """Write 64-bit integers of two words each, the lower word first; overwrite the words."""
    for low, high, joined in zip(words[::2], words[1::2], out):
        np.left_shift(high, _HALF, out=high)
        np.bitwise_or(low, high, out=joined)


def fill_bounded(out: Array, counter: int, key: int, span: int, least: int) -> None:
    """Write integers from ``least`` to ``least + span`` into an array.

    A number takes 64 random bits if the span is a power of two less one, or below 2**32 - 1.
    Otherwise it takes 128 bits, which is a block.
    """
    first = np.array(least % 2**64, np.uint64).astype(out.dtype)
    power = span & (span + 1) == 0
    each = 2 if power or span < MASK else 1
    for memory, start, size in portions(-(-len(out) // each), key):
        part = out[each * start : each * (start + size)]
        if power:
            words = memory.count(counter + start)
            for column, integers in zip((part[::2], part[1::2]), _masked(words, span)):
                np.copyto(column, integers[: len(column)], casting="unsafe")
        else:
            scaled = _scaled if each == 2 else _scaled_wide
            numbers = scaled(memory, counter + start, span + 1)
            np.copyto(part, numbers[: len(part)], casting="unsafe")
        if least:
            np.add(part, first, out=part)


def _masked(words: Words, mask: int) -> tuple[Array, Array]:
    """Return the lowest bits of two 64-bit integers, by a mask."""
    if mask > MASK:
        join(words, words[::2])
    if mask < 2**64 - 1:
        for integers in words[::2]:
            np.bitwise_and(integers, _whole(mask), integers)
    return words[0], words[2]


def _scaled(memory: Blocks, counter: int, factor: int) -> Array:
    """Return the integral parts of 64-bit fractions times a factor below 2**32, as uint32.

    For a small factor the upper halves of the fractions decide, unless a product comes so near to
    the next integer that the lower halves may carry over.
    """
    by = _whole(factor)
    if factor <= _FEW:
        upper = memory.upper(counter)
        for high in upper:
            np.multiply(high, by, high)
        if all(int(high.view(np.uint32).max()) <= 2**32 - factor for high in upper):
            return _paired(*upper)
    words = memory.count(counter)
    for low, high in zip(words[::2], words[1::2]):
        np.bitwise_and(high, _MASK, high)
        np.multiply(high, by, high)
        np.multiply(low, by, low)
        np.right_shift(low, _HALF, low)
        np.add(high, low, high)
    return _paired(words[1], words[3])


def _scaled_wide(memory: Blocks, counter: int, factor: int) -> Array:
    """Return the integral parts of 128-bit fractions times a factor below 2**64.

    The upper halves of the fractions decide, unless their products come so near to the next
    integer that the lower halves may carry over.
    """
    c0, c1, low, high = memory.count(counter)
    np.bitwise_and(high, _MASK, high)
    below = np.left_shift(high, _HALF)
    np.bitwise_or(below, low, below)
    np.multiply(below, _whole(factor), below)
    numbers = _upper_products(low, high, factor)
    if int(below.max()) > 2**64 - factor:
        np.bitwise_and(c1, _MASK, c1)
        more = _upper_products(c0, c1, factor)
        np.add(below, more, below)
        np.add(numbers, below < more, numbers)
    return numbers


def _upper_products(low: Array, high: Array, factor: int) -> Array:
    """Return the upper halves of 64-bit integers times a factor; overwrite the words."""
    lower, upper = _whole(factor & MASK), _whole(factor >> 32)
    middle = np.multiply(high, lower)
    np.add(middle, low * lower >> _HALF, middle)
    np.multiply(low, upper, low)
    np.add(low, middle & _MASK, low)
    np.multiply(high, upper, high)
    for carried in (low, middle):
        np.right_shift(carried, _HALF, carried)
        np.add(high, carried, high)
    return high


def _paired(first: Array, second: Array) -> Array:
    """Return the upper halves of two rows of 64-bit integers, interleaved; overwrite the rows."""
    low, high = (first, second) if _LITTLE else (second, first)
    np.right_shift(low, _HALF, low)
    np.bitwise_and(high, _UPPER_MASK, high)
    return np.bitwise_or(low, high, low).view(np.uint32)


def put(words: Words, out: Array) -> None:
    """Write blocks into the rows of an array of 32-bit unsigned integers; overwrite the words."""
    if not _LITTLE:
        words = words[1] & _MASK, words[0], words[3] & _MASK, words[2]
    join(words, out.view(np.uint64).T)


def fill(out: Array, counter: int, key: int, offsets: Array | None) -> None:
    """Write blocks into the rows of an array of 32-bit unsigned integers."""
    for memory, start, size in portions(len(out), key, near=offsets is None):
        if offsets is None:
            words = memory.count(counter + start)
        else:
            words = memory.at(offsets[start : start + size], counter)
        put(words, out[start : start + size])


def columns(words: tuple[Array, ...], number: int) -> tuple[Array, ...]:
    """Return the integers of blocks, two columns of int64 or four of int32; overwrite the words."""
    if number == 2:
        join(words, words[::2])
        return tuple(word.view(np.int64) for word in words[::2])
    return tuple(word.view(np.int32)[_LOW] for word in words)


def put_columns(words: tuple[Array, ...], out: Array) -> None:
    """Write the integers of blocks as columns of int32 or int64; overwrite the words."""
    if len(out) < 4:
        join(words, out.view(np.uint64))
    else:
        for column, integers in zip(out, columns(words, 4)):
            column[:] = integers


def fill_columns(out: Array, counter: int, key: int, offsets: Array) -> None:
    """Write the integers of the blocks from each offset on, as columns of int32 or int64."""
    each = 16 // out.itemsize
    for memory, start, size in portions(out.shape[1], key, near=False):
        places = offsets[start : start + size]
        for first in range(0, len(out), each):
            words = memory.at(places, counter + first // each)
            put_columns(words, out[first : first + each, start : start + size])


def fill_regular(out: Array, counter: int, memory: Blocks) -> None:
    """Write the integers of blocks at regular distances, in given memory."""
    each = 16 // out.itemsize
    for first in range(0, len(out), each):
        put_columns(memory.count(counter + first // each), out[first : first + each])


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
        # The numbers for the radii come first.
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
