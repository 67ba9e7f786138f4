"""Random numbers: generators, seeds, streams, bad input."""

from __future__ import annotations

import copy
import importlib.util
import itertools
import math
import os
import pickle
import re
import threading
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing
from processes import apart, in_threads, python
from refusals import refused

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._devices.device import parse, spec
from ascend_array_api._routes import _philox_host as host
from ascend_array_api._routes import random as routes
from ascend_array_api._torch import torch
from ascend_array_api.random import _variates as variates
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

# Random123, tests/kat_vectors: philox4x32 of 10 rounds: counter, key, block.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip
KINDS = (xp.random.Philox, xp.random.Native)


def number(words: str) -> int:
    """The integer of 32-bit words in hexadecimal, the least significant one first."""
    return sum(int(word, 16) << 32 * i for i, word in enumerate(words.split()))


def generator(seed: Any = 7, **options: Any) -> xp.random.Generator:
    return xp.random.default_rng(seed, device="cpu", **options)


def same(x: xp.Array, y: xp.Array) -> bool:
    return x.shape == y.shape and x.dtype == y.dtype and torch.equal(xp.to_torch(x), xp.to_torch(y))


def philox(counter: int, key: int, size: int) -> np.ndarray[Any, Any]:
    """Philox4x32-10 in Python's integers: an oracle that shares nothing with the package."""
    blocks = []
    for place in range(counter, counter + size):
        c = [place >> 32 * i & 0xFFFFFFFF for i in range(4)]
        k = [key & 0xFFFFFFFF, key >> 32]
        for _ in range(10):
            p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [
                p1 >> 32 ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, p0 >> 32 ^ c[3] ^ k[1], p0 & 0xFFFFFFFF
            ]  # fmt: skip
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        blocks.append(c)
    return np.array(blocks, dtype=np.uint32).reshape(size, 4)


def portable(counter: int, key: int, blocks: int, offsets: Any = None) -> np.ndarray[Any, Any]:
    """The composition of torch's operations, which serves devices without a way of their own."""
    result = routes._philox(counter, key, blocks, torch.device("cpu"), offsets)
    return result.numpy().view(np.uint32)


# --- Philox ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN)
def test_known_answers(counter: str, key: str, block: str) -> None:
    bits = xp.random.Philox(counter=number(counter), key=number(key), device="cpu")
    words = xp.random.Generator(bits).integers(0, 2**32, size=4, dtype=xp.uint32)
    expected = [int(word, 16) for word in block.split()]
    out = np.empty((1, 4), np.uint32)
    host.fill(out, number(counter), number(key), None)
    assert out[0].tolist() == expected
    assert portable(number(counter), number(key), 1)[0].tolist() == expected
    assert philox(number(counter), number(key), 1)[0].tolist() == expected
    # Integers of 32 bits take two words each and keep the lower one.
    assert [int(w) for w in words][:2] == [expected[0], expected[2]]


COUNTERS = [0, 1, 2**32 - 3, 2**64 - 2, 2**96 - 5, 2**128 - 9, 0x0123_4567_89AB_CDEF_FEDC_BA98]


@pytest.mark.parametrize("counter", COUNTERS)
def test_both_ways_to_the_blocks_agree_with_integers(counter: int) -> None:
    key, size = 0xFEDC_BA98_7654_3210, 12
    expected = philox(counter, key, size) if counter + size <= 2**128 else None
    if expected is None:
        expected = np.concatenate([philox(counter, key, 9), philox(0, key, size - 9)])
    out = np.empty((size, 4), np.uint32)
    host.fill(out, counter, key, None)
    assert (out == expected).all()
    assert (portable(counter, key, size) == expected).all()
    offsets = np.array([11, 0, 3, 3, 7])
    some = np.empty((5, 4), np.uint32)
    host.fill(some, counter, key, offsets)
    assert (some == expected[offsets]).all()
    assert (portable(counter, key, 5, torch.from_numpy(offsets)) == expected[offsets]).all()


def test_offsets_beyond_32_bits() -> None:
    offsets = np.array([2**40 + 5, 2**62])
    counter, key = 2**64 - 2**41, 99
    expected = np.concatenate([philox(counter + int(o), key, 1) for o in offsets])
    out = np.empty((2, 4), np.uint32)
    host.fill(out, counter, key, offsets)
    assert (out == expected).all()
    assert (portable(counter, key, 2, torch.from_numpy(offsets)) == expected).all()


def test_the_signed_multiplication_is_exact() -> None:
    values = [0, 1, 2, 2**16, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 0xD2511F53]
    pairs = [(x, y) for x in values for y in values]
    x, y = (torch.tensor(column) for column in zip(*pairs))
    for multiply in (routes._multiply_words, routes.multiply_words_signed):
        upper, lower = multiply(x, y)
        products = [int(u) << 32 | int(w) for u, w in zip(upper, lower)]
        assert products == [a * b for a, b in pairs]
    words = torch.tensor([0, 5, 2**63 - 1, -1, -(2**63), 123456789012345678])
    for factor in (1, 3, 1000, 2**31 + 1, 2**32 - 1):
        expected = [(int(w) % 2**64) * factor >> 64 for w in words]
        for bounded in (routes._bounded_words, routes.bounded_words_split):
            assert bounded(words, torch.tensor(factor)).tolist() == expected


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
def test_infinite_shapes_are_taken_in_silence(dtype: Any) -> None:
    rng = generator()
    assert bool(xp.all(rng.standard_gamma(math.inf, 1000, dtype=dtype) == math.inf))
    shapes = xp.asarray([0.0, 2.0, math.inf], dtype=dtype, device="cpu")
    none, some, every = rng.standard_gamma(shapes, (1000, 3), dtype=dtype).T
    assert bool(xp.all((none == 0) & (some > 0) & (some < 100) & (every == math.inf)))


@pytest.mark.parametrize("step", [1, 32])
@pytest.mark.parametrize("counter", [3, 2**32 - 70, 2**64 - 5, 2**96 - 2, 2**127 + 2**33 + 7])
def test_words_that_are_made_alone(counter: int, step: int) -> None:
    """At regular distances, and across the places where a word of the counter overflows."""
    size, key = 9, 0xFEDC_BA98_7654_3210
    blocks = [philox((counter + i * step) % 2**128, key, 1)[0].tolist() for i in range(size)]
    memory = host.Blocks(size, key, step)
    mask = np.uint64(2**32 - 1)
    for _ in range(2):  # in the same memory
        words = [(w & mask).tolist() for w in memory.count(counter)]
        assert words == [list(column) for column in zip(*blocks)]
        assert [w.tolist() for w in memory.upper(counter)] == words[1::2]


LIMIT = 2**63
INTEGERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
RANGES = [  # spans about powers of two, and which of the ways to them differ
    *((0, 2**n + i) for n in (1, 12, 16, 31, 32, 33, 40, 62) for i in (-1, 0, 1)),
    *((0, 1000), (-5, 3), (-7, 2**32), (3, 2**63 - 1), (-LIMIT, LIMIT), (-LIMIT, LIMIT - 1)),
    (-1, LIMIT),
    *((0, 3 * 2**61), (-(2**33), 2**61)),  # whose products often have lower halves of nothing
    *((2**64 - 7, 2**64), (0, 2**64), (1, 2**64), (0, 3 * 2**62), (-3, 5), (5, 6), (0, 3 * 2**30)),
]


def of_bits(low: int, high: int, words: np.ndarray[Any, Any]) -> list[int]:
    """Integers below ``high`` of blocks: of 64 bits by their lowest or by a product, of a large
    range by a product of 128 bits."""
    length = high - low
    blocks = [sum(int(w) << 32 * i for i, w in enumerate(block)) for block in words]
    x = [b >> shift & 2**64 - 1 for b in blocks for shift in (0, 64)]
    if length & (length - 1) == 0:
        return [low + (v & length - 1) for v in x]
    if length < 2**32:
        return [low + (v * length >> 64) for v in x]
    return [low + (b * length >> 128) for b in blocks]


@listing("low, high", RANGES)
def test_integers_are_what_python_makes_of_the_bits(low: int, high: int) -> None:
    counter, count = 2**32 - 20, 61
    expected = of_bits(low, high, philox(counter, 7, count))[:count]
    held = [n for n in INTEGERS if np.iinfo(n).min <= low and high - 1 <= np.iinfo(n).max]
    for name in held:
        rng = xp.random.Generator(xp.random.Philox(key=7, counter=counter, device="cpu"))
        got = rng.integers(low, high, size=count, dtype=getattr(xp, name))
        assert got.dtype == getattr(xp, name)
        assert np.asarray(got).tolist() == expected
    if "int64" not in held:
        return
    # The composition of torch's operations, and torch's own bits.
    make, on = routes.Bounded(high - low - 1, low, torch.int64), parse("cpu")
    composed = routes._of_integers(counter, 7, count * make.each, torch.int64, on, make)
    assert composed.view(-1).tolist() == expected
    native, own = xp.random.Native(7, device="cpu"), torch.Generator()
    own.set_state(torch.tensor(list(native.state["state"]["bytes"]), dtype=torch.uint8))
    words = torch.empty((-(-count * make.each // 2), 4), dtype=torch.int32)
    words = words.random_(-(2**31), 2**31, generator=own).numpy().view(np.uint32)
    got = xp.random.Generator(native).integers(low, high, size=count)
    assert np.asarray(got).tolist() == of_bits(low, high, words)[:count]


ENDS: list[tuple[Any, Any, Any]] = [  # of bounds, of results, the first and last integers
    *((kind, "int8", [[-128, 127, 5], [-128, -3, 0]], [[127, 127, 5], [-127, 3, 90]])
      for kind in ("int8", "int64")),
    *((kind, "uint32", [[0, 5], [2**32 - 2, 7]], [[2**32 - 1, 5], [2**32 - 1, 1000]])
      for kind in ("uint32", "uint64", "int64")),
    ("int64", "int64", [-LIMIT, -LIMIT, -5, 2**62, 0], [LIMIT - 1, 0, 7, LIMIT - 1, 2**32]),
    ("uint64", "int64", [0, 2**62, 9], [2**63 - 1, 2**63 - 2, 9]),
    ("uint64", "uint64", [0, 2**63 - 3, 2**64 - 9, 0], [2**64 - 1, 2**63 + 9, 2**64 - 1, 2**63]),
    ("int64", "uint64", [0, 3, 2**62], [0, LIMIT - 1, 2**62 + 5]),
]  # fmt: skip


@pytest.mark.parametrize("given", ["both", "first", "last"])
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(("kind", "dtype", "first", "last"), ENDS)
def test_integers_of_array_ranges_are_what_python_makes_of_the_bits(
    kind: str, dtype: str, first: Any, last: Any, endpoint: bool, given: str
) -> None:
    """Of 64 bits each by a product, or of 128 bits where the data type has 64."""
    low, high = np.array(first, object), np.array(last, object) + (not endpoint)
    if given == "first":
        high = np.max(high)
    elif given == "last":
        low = np.min(low)
    limits = np.iinfo(kind)
    bounds: list[Any] = []
    for ends in (low, high):
        if isinstance(ends, int):
            bounds.append(ends)
        elif np.max(ends) <= limits.max:
            bounds.append(xp.asarray(ends.astype(kind), device="cpu"))
        else:
            return  # the integer after the last one is none of the data type
    low, high = (np.asarray(ends, object) for ends in (low, high))
    shape = (3, *np.shape(first))
    rng = xp.random.Generator(xp.random.Philox(key=7, counter=5, device="cpu"))
    x = rng.integers(*bounds, size=shape, dtype=getattr(xp, dtype), endpoint=endpoint)
    count, bits = math.prod(shape), 128 if dtype.endswith("64") else 64
    words = philox(5, 7, -(-count * bits // 128)).reshape(-1, bits // 32)
    ends = zip(np.broadcast_to(low, shape).flat, np.broadcast_to(high, shape).flat)
    expected = [
        a + (sum(int(w) << 32 * i for i, w in enumerate(row)) * (b + endpoint - a) >> bits)
        for row, (a, b) in zip(words, ends)
    ]
    assert x.shape == shape
    assert np.asarray(x).ravel().tolist() == expected


@listing(
    "kind, low, high, dtype, wrong",
    [
        *(("int64", -129, 5, "int8", "low"), ("int64", 0, 129, "int8", "high")),
        *(("int64", 128, 140, "int8", "low"), ("int64", 0, -128, "int8", "high")),
        *(("int64", -1, 5, "uint8", "low"), ("int64", 0, 257, "uint8", "high")),
        *(("int64", -1, 5, "uint64", "low"), ("int64", -5, -3, "uint64", "low")),
        *(("int64", 0, 0, "uint64", "high"), ("uint64", 0, 0, "uint64", "high")),
        *(("uint64", 0, 2**63 + 1, "int64", "high"), ("uint64", 2**63, 2**63 + 5, "int64", "low")),
        *(("uint64", 2**64 - 1, 5, "int8", "low"), ("int64", -LIMIT, -LIMIT, "int64", "high")),
    ],
)
def test_array_ranges_beyond_the_data_type(
    kind: str, low: int, high: int, dtype: str, wrong: str
) -> None:
    bounds = [xp.asarray([v, v], dtype=getattr(xp, kind), device="cpu") for v in (low, high)]
    with pytest.raises(ValueError, match=f"integers: {wrong} must be within {dtype}"):
        generator().integers(*bounds, dtype=getattr(xp, dtype))
    beside: list[Any] = list(bounds)  # the wrong one as a Python number beside an array
    beside[wrong == "high"] = low if wrong == "low" else high
    with pytest.raises(ValueError, match=f"integers: {wrong} must be (within {dtype}|above low)"):
        generator().integers(*beside, dtype=getattr(xp, dtype))


@pytest.mark.parametrize("limbs", [1, 2])
def test_products_of_limbs_are_exact(limbs: int) -> None:
    bits = 64 * limbs
    spans = [s - 1 for s in (1, 3, 7, 2**31 + 1, 2**32 - 1, 2**32)]
    spans += [s - 1 for s in (2**32 + 1, 2**63 - 1, 2**63 + 5, 2**64 - 1, 2**64)] * (limbs - 1)
    for span in spans:
        inverse = pow(span + 1, -1, 2**bits) if span % 2 == 0 else 1  # ends are met exactly
        x = [0, 1, 2**bits - 1, (2**bits - 1) // (span + 1), inverse, 2**bits - inverse]
        x.append(3**40 % 2**bits)
        words = np.array([[v >> 32 * i & 2**32 - 1 for i in range(2 * limbs)] for v in x])
        made = routes.bounded_limbs(
            torch.from_numpy(words.astype(np.uint32).view(np.int32)),
            routes.wrapped(span, torch.device("cpu")),
            limbs,
        )
        assert made.numpy().view(np.uint64).tolist() == [v * (span + 1) >> bits for v in x], span


def test_what_carries_over_from_lower_bits_is_not_lost() -> None:
    """The upper words of fractions decide but for one in a million products."""
    key, counter, length = 7, 818692, 4000
    _, _, low, high = (int(w) for w in philox(counter, key, 1)[0])
    assert high * length >> 32 == 3350
    assert (high << 32 | low) * length >> 64 == 3351
    rng = xp.random.Generator(xp.random.Philox(key=key, counter=counter - 1, device="cpu"))
    assert int(rng.integers(0, length, size=4)[3]) == 3351


def test_portions_leave_no_trace() -> None:
    size = 3 * host.PORTION + 5
    blocks = np.empty((size, 4), np.uint32)
    host.fill(blocks, 2**32 - 1000, 5, None)
    for start in (0, 997, host.PORTION - 3, 2 * host.PORTION - 2, size - 6):
        assert (blocks[start : start + 6] == philox(2**32 - 1000 + start, 5, 6)).all()


@pytest.mark.parametrize("dtype", ["uint64", "uint32", "uint16"])
@pytest.mark.parametrize("length", [2**14, 1000, 60_001, 2**31 + 7, 2**40, 2**40 + 1])
def test_portions_of_integers_leave_no_trace(length: int, dtype: str) -> None:
    if length > np.iinfo(dtype).max:
        return
    each = 1 if length == 2**40 + 1 else 2  # integers of a block
    size = each * (2 * host.PORTION + 3) - 1
    rng = xp.random.Generator(xp.random.Philox(key=5, counter=2**32 - 1000, device="cpu"))
    x = np.asarray(rng.integers(0, length, size=size, dtype=getattr(xp, dtype)))
    for start in (0, 997, host.PORTION - 3, 2 * host.PORTION - 3):
        expected = of_bits(0, length, philox(2**32 - 1000 + start, 5, 6))
        part = x[each * start : each * (start + 6)].tolist()
        assert part == expected[: len(part)]
        assert len(part) >= 6 * each - 1


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 100_003])
def test_the_ways_to_numbers_agree(dtype: Any, count: int) -> None:
    on = parse("cpu")
    start = 2**32 - 77
    words = philox(start, 3, 20)[: routes.blocks_of(count, dtype)].reshape(-1)
    uniform = routes.uniform.on(spec(dtype, on))(start, 3, count, dtype, on)
    assert torch.equal(uniform, routes._uniform(start, 3, count, dtype, on))
    if dtype is xp.float32:
        expected = (words & 0xFFFFFF) / np.float32(2**24)
    else:
        expected = (words.view(np.uint64) & np.uint64(2**53 - 1)) / 2**53
    shown = min(count, 20)
    assert (uniform.numpy()[:shown] == expected[:shown]).all()
    assert ((uniform >= 0) & (uniform < 1)).all()
    normal = routes.normal.on(spec(dtype, on))(start, 3, count, dtype, on)
    other = routes._normal(start, 3, count, dtype, on)
    assert normal.shape == uniform.shape == (count,)
    eps = torch.finfo(dtype).eps
    assert torch.allclose(normal, other, rtol=8 * eps, atol=4 * eps)


# --- rejection, by the methods' papers ------------------------------------------------------------


def candidates(place: Any, tries: int) -> Any:
    """Yield the four fractions from (-1/2, 1/2) of each try for a number, in float64."""
    for attempt in range(tries):
        words = philox(int(2 * (place * tries + attempt)), 7, 2).reshape(-1).view(np.int64)
        yield [(float(v) + 0.5) * 2.0**-64 for v in words]


def transformed(
    place: int, a: float, b: float, center: float, scale: float, log_chance: Any
) -> int:
    """W. Hörmann's transformed rejection, without the quick tests."""
    for u, v, *_ in candidates(place, 36):
        us, v = 0.5 - abs(u), v % 1
        k = math.floor((2 * a / us + b) * u + center)
        if math.log(v * scale / (a / us**2 + b)) <= log_chance(k):
            return k
    raise AssertionError


def inverted(place: int, log_chance: Any, tries: int = 36) -> int:
    """The first number up to which the chances reach a probability."""
    u = next(candidates(place, tries))[2] % 1
    sums = itertools.accumulate(math.exp(log_chance(k)) for k in itertools.count())
    return next(k for k, total in enumerate(sums) if total >= u)


def poisson(place: int, mean: float) -> int:
    """W. Hörmann, The transformed rejection method for generating Poisson random variables."""

    def log_chance(k: int) -> float:
        return -math.inf if k < 0 else k * math.log(mean) - mean - math.lgamma(k + 1)

    if mean < 10:
        return inverted(place, log_chance)
    b = 0.931 + 2.53 * math.sqrt(mean)
    a, scale = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4)
    return transformed(place, a, b, mean + 0.43, scale, log_chance)


def binomial(place: int, n: int, p: float) -> int:
    """W. Hörmann, The generation of binomial random variates."""
    if p > 0.5:
        return n - binomial(place, n, 1 - p)

    def log_chance(k: int) -> float:
        if not 0 <= k <= n:
            return -math.inf
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return ways + k * math.log(p) + (n - k) * math.log1p(-p)

    if n * p < 10:
        return inverted(place, log_chance)
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a, scale = -0.0873 + 0.0248 * b + 0.01 * p, (2.83 + 5.1 / b) * deviation
    most = log_chance(math.floor((n + 1) * p))
    return transformed(place, a, b, n * p + 0.5, scale, lambda k: log_chance(k) - most)


def zipf(place: int, a: float) -> int:
    """L. Devroye, Non-uniform random variate generation, chapter X.6.1."""
    b = 2 ** (a - 1)
    for first, second, *_ in candidates(place, 36):
        u, v = first % 1, second % 1
        k = math.floor(u ** (-1 / (a - 1)))
        t = (1 + 1 / k) ** (a - 1)
        if v * k * (t - 1) / (b - 1) <= t / b:
            return k
    raise AssertionError


def hypergeometric(place: int, good: int, bad: int, sample: int) -> int:
    """E. Stadlober, The ratio of uniforms approach, of the fewer ones and the smaller part."""
    total = good + bad
    if good > bad:
        return sample - hypergeometric(place, bad, good, sample)
    if sample > total - sample:
        return good - hypergeometric(place, good, bad, total - sample)

    def log_chance(k: int) -> float:
        if not 0 <= k <= min(good, sample):
            return -math.inf
        ways = math.comb(good, k) * math.comb(bad, sample - k)
        return math.log(ways) - math.log(math.comb(total, sample))

    mean = sample * good / total if total else 0.0
    if mean < 10:
        return inverted(place, log_chance, 58)
    variance = mean * bad / total * (total - sample) / (total - 1)
    width = 2 * math.sqrt(2 / math.e) * math.sqrt(variance + 0.5) + 3 - 2 * math.sqrt(3 / math.e)
    most = log_chance((sample + 1) * (good + 1) // (total + 2))
    for first, second, *_ in candidates(place, 58):
        u = first % 1
        k = math.floor(mean + 0.5 + width * second / u)
        if 2 * math.log(u) <= log_chance(k) - most:
            return k
    raise AssertionError


def vonmises(place: int, mu: float, kappa: float) -> float:
    """D. J. Best and N. I. Fisher, Efficient simulation of the von Mises distribution."""
    at = min(kappa, 1e6)
    s = 1 + math.sqrt(1 + 4 * at * at)
    rho = (s - math.sqrt(2 * s)) / (2 * at)
    r = (1 + rho * rho) / (2 * rho) if at >= 1e-5 else 1 / at + at
    for first, second, third, fourth in candidates(place, 40):
        z = math.cos(2 * math.pi * first)
        w = (1 + r * z) / (r + z)
        y, u = at * (r - w), second % 1
        if y * (2 - y) > u or math.log(y / u) + 1 - y >= 0:
            if kappa > 1e6:
                radius = math.sqrt(-2 * math.log(2 * abs(third)))
                return mu + radius * math.cos(2 * math.pi * fourth) / math.sqrt(kappa)
            return mu + math.copysign(math.acos(w), third)
    raise AssertionError


def standard_gamma(place: int, shape: float) -> float:
    """G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables."""
    d = (shape + 1 if shape < 1 else shape) - 1 / 3
    for first, second, third, fourth in candidates(place, 16):
        x = math.sqrt(-2 * math.log(2 * abs(first))) * math.cos(2 * math.pi * second)
        v = (1 + x / math.sqrt(9 * d)) ** 3
        if v > 0 and math.log(third % 1) < x * x / 2 + d - d * v + d * math.log(v):
            return float(d * v * ((fourth % 1) ** (1 / shape) if shape < 1 else 1))
    raise AssertionError


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        *((poisson, (mean,)) for mean in (0.3, 9.99, 10.0, 13.7, 400.0)),
        *((binomial, given) for given in ((30, 0.2), (40, 0.5), (52, 0.3), (41, 0.7), (2000, 0.1))),
        *((zipf, (a,)) for a in (1.2, 2.0, 5.0, 60.0)),
        *((hypergeometric, given) for given in ((7, 900, 30), (20, 20, 20), (15, 25, 31))),
        *((hypergeometric, given) for given in ((25, 15, 10), (300, 200, 290), (150, 900, 300))),
        *((vonmises, (0.0, kappa)) for kappa in (1e-7, 1e-5, 0.4, 3.0, 1e6, 1.5e6)),
        *((standard_gamma, (shape,)) for shape in (0.4, 1.0, 1.5, 30.0)),
    ],
)
def test_rejection_gives_the_numbers_of_the_methods_papers(method: Any, arguments: Any) -> None:
    bits = xp.random.Philox(key=7, device="cpu")
    draw = getattr(xp.random.Generator(bits), method.__name__)
    whole = method in {poisson, binomial, zipf, hypergeometric}
    x = np.asarray(draw(*arguments, size=400, dtype=xp.int64 if whole else xp.float64))
    expected = [method(place, *arguments) for place in range(400)]
    np.testing.assert_allclose(x, expected, rtol=0 if whole else 1e-9, atol=0 if whole else 1e-9)


FEW: dict[str, tuple[int, Any, Any]] = {  # blocks, the call, its numbers at a place by an oracle
    name: (int(blocks), eval(f"lambda g: {call}"), eval(f"lambda at: {oracle}"))
    for name, blocks, call, oracle in re.findall(
        r"(.*) \| (\d+) \| (.*) \| (.*)\n",
        """\
random | 1 | g.random() | short(at, 1)[0]
integers | 1 | g.integers(0, 6) | int(philox(at, 7, 1).view(np.uint64)[0, 0]) * 6 >> 64
integers of 128 bits | 1 | g.integers(0, 2**40 + 3) | of_bits(0, 2**40 + 3, philox(at, 7, 1))[0]
normal | 1 | g.normal(0.5, 2.0, dtype=xp.float64) | 0.5 + 2 * pair(at)[0]
complex | 1 | g.standard_normal(dtype=xp.complex128) | complex(*pair(at)) * math.sqrt(0.5)
gamma | 32 | g.gamma(0.4, dtype=xp.float64) | standard_gamma(Fraction(at, 32), 0.4)
beta | 64 | g.beta(1.5, 30.0, dtype=xp.float64) | beta(at)
poisson | 72 | g.poisson(13.7) | poisson(Fraction(at, 72), 13.7)
9 numbers | 3 | g.random(9) | short(at, 9)
5 integers | 3 | g.integers(0, 6, 5, dtype=xp.int8) | of_bits(0, 6, philox(at, 7, 3))[:5]
3 normal numbers | 2 | g.normal(0.5, size=3, dtype=xp.float64) | 0.5 + np.asarray(pairs(at))[:3]
2 beta | 128 | g.beta(1.5, 30.0, 2, dtype=xp.float64) | [beta(at), beta(at + 64)]
2 poisson | 144 | g.poisson(13.7, size=2) | [poisson(Fraction(at + i, 72), 13.7) for i in (0, 72)]
""",
    )
}


def beta(at: int) -> float:
    first, second = (standard_gamma(Fraction(at + i, 32), a) for i, a in ((0, 1.5), (32, 30.0)))
    return 1 / (1 + second / first)


def short(at: int, count: int) -> np.ndarray[Any, Any]:
    """The first numbers of float32."""
    words: np.ndarray[Any, Any] = philox(at, 7, -(-count // 4)).ravel()[:count]
    return (words & 0xFFFFFF) / 2**24


def pairs(at: int) -> list[float]:
    return [*pair(at), *pair(at + 1)]


def pair(at: int) -> tuple[float, float]:
    """The two normal numbers of a block, by G. E. P. Box and M. E. Muller."""
    first, second = ((float(v) + 0.5) * 2.0**-64 for v in philox(at, 7, 1).view(np.int64)[0])
    radius = math.sqrt(-2 * math.log(2 * abs(first)))
    return radius * math.cos(2 * math.pi * second), radius * math.sin(2 * math.pi * second)


def test_few_numbers_are_those_of_their_places_in_the_stream() -> None:
    """In loops, mixed, with jumps, sizes, pickles, spawned generators and failures between them.

    By Philox in Python's integers, and by the papers of the methods.
    """
    rng, at = xp.random.Generator(xp.random.Philox(key=7, counter=2**64 - 3000, device="cpu")), 0
    checked = 0

    def check(name: str) -> None:
        nonlocal at, checked
        at = rng.bit_generator.state["state"]["counter"]
        blocks, call, oracle = FEW[name]
        found = call(rng)
        if checked % 5 == 0:
            expected = np.asarray(oracle(at))
            assert found.shape == expected.shape, name
            assert np.allclose(np.asarray(found), expected, rtol=2e-7), (name, at)
        assert rng.bit_generator.state["state"]["counter"] == at + blocks, name
        checked += 1

    for name in FEW:  # loops of one call, beyond what is made at once
        for _ in range(263 if name in {"random", "complex", "9 numbers"} else 6):
            check(name)
    for turn in range(24):  # loops of several calls, whose step changes
        for name in FEW:
            check(name)
        if turn == 6:
            rng.bit_generator.advance(-1000)
        if turn == 10:
            rng = pickle.loads(pickle.dumps(rng))
        if turn == 14:
            rng.spawn(2) if rng.bit_generator._sequence else rng.random(9)
        if turn == 18:
            with pytest.raises(ValueError, match="scale"):
                rng.normal(0.5, -2.0)
    for seed in (5, 6):  # another stream of another key, at the same places
        rng.bit_generator.state = xp.random.Philox(key=seed, device="cpu").state
        x = [float(rng.random()) for _ in range(5)]
        assert x == [(w[0] & 0xFFFFFF) / 2**24 for w in philox(0, seed, 5)], seed
    assert type(rng.random()) is type(rng.random(dtype=xp.float64)) is xp.Array
    assert rng.integers(0, 6).dtype == xp.int64 != rng.integers(0, 6, dtype=xp.int8).dtype
    for _ in range(4):
        with xp.options(default_float="float64"):
            assert rng.random().dtype == xp.float64
        assert rng.random().dtype == xp.float32
        with pytest.raises(TypeError):
            rng.integers(0, 6.0)  # type: ignore[arg-type]  # equal to 6


@pytest.mark.parametrize("steps", [(20, 20, 20), (9, 30, 3, 12), (60, 5, 60), (8, 8, 8)])
def test_loops_that_begin_again_draw_from_the_stream(steps: tuple[int, ...]) -> None:
    """What a loop draws is what a new generator draws at its place in the stream."""
    rng, place = generator(3), 0

    def alone(count: int, draw: Callable[[Any], Any]) -> None:
        nonlocal place
        new = xp.random.Generator(xp.random.Philox(3, counter=place, device="cpu"))
        assert xp.all(draw(rng) == draw(new))
        place += count
        assert rng.bit_generator.state["state"]["counter"] == place

    with xp.options(default_float="float64"):
        for length in steps:
            alone(50, lambda r: r.standard_normal(100))
            for _ in range(length):
                alone(20, lambda r: r.normal(1.0, 0.5, size=40))
                alone(1, lambda r: r.random())
            rng.bit_generator.advance(7)
            place += 7


def test_threads_draw_arrays_from_streams_of_one_key() -> None:
    expected = [generator(3).random(2**10 + n, dtype=xp.float64) for n in range(3)]
    wrong = []

    def draw(_: int) -> None:
        for n in [*range(3)] * 50:
            drawn = generator(3).random(2**10 + n, dtype=xp.float64)
            wrong.extend([n] * (not xp.all(drawn == expected[n])))

    in_threads(draw, 4)
    assert wrong == []


def test_threads_share_a_stream_of_single_numbers() -> None:
    """Each number is drawn once: by Philox in Python's integers."""
    rng, found = xp.random.Generator(xp.random.Philox(key=7, device="cpu")), []

    def draw(_: int) -> None:
        found.extend([float(rng.random()) for _ in range(100)])

    in_threads(draw, 4)
    assert sorted(found) == sorted((w[0] & 0xFFFFFF) / 2**24 for w in philox(0, 7, 400))


def test_methods_of_users_classes_are_not_foreseen() -> None:
    class Counting(xp.random.Generator):
        calls = 0

        def toss(self, size: Any = None, dtype: Any = None) -> xp.Array:
            self.calls += 1
            return self.random(size, dtype)

    rng = Counting(xp.random.Philox(7, device="cpu"))
    for _ in range(9):
        rng.toss()
    assert rng.calls == 9


def test_inversion_takes_the_first_number_that_reaches_a_probability() -> None:
    """Of chances 1/4, 1/8, ...: a sum that is the probability reaches it."""
    f = torch.tensor([0.125, 0.25, 0.375, 0.4375, 0.4375 + 2**-40, -0.75], dtype=torch.float64)
    for first in (torch.tensor(0.25, dtype=torch.float64), torch.full_like(f, 0.25)):
        assert variates._inverted(f, first, lambda _: 0.5).tolist() == [0, 0, 1, 2, 3, 0]


def test_nearly_uniform_directions_are_all_accepted() -> None:
    """The ratio of the densities is 1 but for the square of the concentration."""
    words = (torch.arange(-32, 32) * 2**57).unsqueeze(-1).repeat(1, 4)
    words[:, 1] = -(2**30)  # for which the probability is 1 - 2**-34
    kappa = torch.tensor(1e-6, dtype=torch.float64)
    assert bool(variates._angle(words, kappa)[1].all())


def test_the_methods_beside_numpys() -> None:
    """Ours has all that NumPy's generator has, and the documentation names it."""
    numpys, ours = (
        {name for name in dir(kind) if not name.startswith("_")}
        for kind in (np.random.Generator, xp.random.Generator)
    )
    assert numpys <= ours
    text = (Path(__file__).parents[2] / "docs/random.md").read_text(encoding="utf-8")
    table = text.partition("| NumPy's `Generator` |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) >= numpys


def test_bytes() -> None:
    drawn = generator(3).bytes(1000)
    assert type(drawn) is bytes
    assert len(drawn) == 1000
    assert len(set(drawn)) > 200
    assert generator(3).bytes(0) == b""
    assert drawn == generator(3).bytes(1000) != generator(4).bytes(1000)
    with pytest.raises(TypeError):
        generator(3).bytes(1.5)  # type: ignore[arg-type]


# --- streams --------------------------------------------------------------------------------------

FIXED: dict[str, tuple[Any, ...]] = {  # whose numbers take whole blocks, in groups of four
    call.partition("(")[0]: eval(f"(*[{call.partition('(')[2][:-1]}],)")
    for call in """
        random() uniform(2.0,3.0) integers(0,1000) standard_normal() lognormal() standard_t(3.0)
        exponential(2.0) laplace() logistic() gumbel() cauchy() weibull(0.7) pareto(3.0) power(3.0)
        triangular(0.0,0.5,2.0) gamma(0.6,2.0) beta(0.5,3.0) chisquare(3.0) f(3.0,4.0)
        vonmises(0.5,3.0) poisson(20.0) binomial(100,0.4) geometric(0.1) dirichlet([0.5,1.0,2.0])
        zipf(2.5) hypergeometric(60,80,70) multinomial(50,[0.2,0.3,0.5])
        multivariate_hypergeometric([16,8,40],30)
    """.split()
}
OF_VECTORS = {"dirichlet", "multinomial", "multivariate_hypergeometric"}
COUNTS = {"poisson", "binomial", "geometric", "zipf", "hypergeometric"}
COUNTS |= {"multinomial", "multivariate_hypergeometric"}


@pytest.mark.parametrize("name", FIXED)
def test_draws_can_be_split(name: str) -> None:
    arguments = FIXED[name]
    whole = getattr(generator(), name)(*arguments, size=1000)
    rng = generator()
    parts = [getattr(rng, name)(*arguments, size=size) for size in (4, 400, 596)]
    # The sine and the cosine of a vector's end may be those of a scalar function.
    assert np.allclose(np.asarray(xp.concat(parts)), np.asarray(whole), rtol=1e-5, atol=1e-6)
    if name in {"random", "integers", *COUNTS}:
        assert same(xp.concat(parts), whole)


def test_seeds_are_numpys() -> None:
    assert xp.random.SeedSequence is np.random.SeedSequence
    for seed in (0, 5, 2**100, [1, 2, 3], (4,), np.int64(9)):
        rng = generator(seed)
        sequence = np.random.SeedSequence(seed if isinstance(seed, (int, np.integer)) else [*seed])
        low, high = sequence.generate_state(2)
        assert rng.bit_generator.state["state"]["key"] == int(low) | int(high) << 32
        children = rng.spawn(3)
        for child, expected in zip(children, sequence.spawn(3)):
            assert child.bit_generator.seed_seq.spawn_key == expected.spawn_key
            low, high = expected.generate_state(2)
            assert child.bit_generator.state["state"]["key"] == int(low) | int(high) << 32
    assert not same(generator(None).random(8), generator(None).random(8))
    sequence = np.random.SeedSequence(3)
    assert xp.random.Philox(sequence, device="cpu").seed_seq is sequence
    assert same(generator(3).random(5), generator(np.random.SeedSequence(3)).random(5))


@pytest.mark.parametrize("kind", KINDS)
def test_spawned_streams_differ_and_repeat(kind: Any) -> None:
    def draws() -> list[xp.Array]:
        rng = xp.random.Generator(kind(11, device="cpu"))
        family = [rng, *rng.spawn(2)]
        family += family[1].spawn(2)
        return [member.random(64) for member in family]

    first, again = draws(), draws()
    assert all(same(x, y) for x, y in zip(first, again))
    assert all(not same(x, y) for i, x in enumerate(first) for y in first[:i])
    assert kind(11, device="cpu").spawn(0) == []
    with pytest.raises(ValueError, match="n_children must not be negative, got -1"):
        kind(11, device="cpu").spawn(-1)


@pytest.mark.parametrize("kind", KINDS)
def test_state_pickle_and_copies(kind: Any) -> None:
    rng = xp.random.Generator(kind(5, device="cpu"))
    rng.normal(size=7)
    state = rng.bit_generator.state
    assert state["bit_generator"] == kind.__name__
    clones = [pickle.loads(pickle.dumps(rng)), copy.copy(rng.bit_generator), copy.deepcopy(rng)]
    clones[1] = xp.random.Generator(clones[1])
    x = rng.random(9)
    assert all(same(clone.random(9), x) for clone in clones)
    assert all(clone.device is rng.device for clone in clones)
    rng.bit_generator.state = state
    assert same(rng.random(9), x)
    rng.bit_generator.state = state
    assert rng.bit_generator.state == state
    wrongs = [None, {}, {"bit_generator": "MT19937", "state": {}}, state | {"state": {}}]
    if kind is xp.random.Philox:
        given = state["state"]
        for name, number in (("counter", 2**128), ("counter", -1), ("key", 2**64), ("key", -1)):
            wrongs.append(state | {"state": given | {name: number}})
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"state|counter|key"):
            rng.bit_generator.state = wrong
    assert rng.bit_generator.state == state
    with pytest.raises(TypeError):
        xp.random.BitGenerator(1)


def test_advance_and_jumped() -> None:
    bits = xp.random.Philox(5, device="cpu")
    rng = xp.random.Generator(bits)
    x = rng.random(40)
    assert bits.state["state"]["counter"] == 10
    assert bits.advance(-10) is bits
    assert same(rng.random(40), x)
    bits.advance(-4)
    assert same(rng.random(16), x[24:])
    bits.advance(-(2**130) - 10)
    assert same(rng.random(40), x)
    far = bits.jumped(3)
    assert far.state["state"]["counter"] == (3 << 64) + 10
    assert bits.state["state"]["counter"] == 10
    assert far.state["state"]["key"] == bits.state["state"]["key"]
    assert bits.jumped().jumped().state == bits.jumped(2).state
    last = xp.random.Philox(counter=2**128 - 1, key=1, device="cpu")
    xp.random.Generator(last).random(8)
    assert last.state["state"]["counter"] == 1


def test_keys_and_counters() -> None:
    bits = xp.random.Philox(key=5, counter=7, device="cpu")
    assert bits.state == {"bit_generator": "Philox", "state": {"counter": 7, "key": 5}}
    with pytest.raises(TypeError, match="seed sequence"):
        bits.spawn(1)


def test_default_rng_takes_generators() -> None:
    rng = generator()
    assert xp.random.default_rng(rng) is rng
    bits = xp.random.Native(1, device="cpu")
    assert xp.random.default_rng(bits).bit_generator is bits
    assert isinstance(rng.bit_generator, xp.random.Philox)
    with pytest.raises(TypeError, match="BitGenerator"):
        xp.random.Generator(7)  # type: ignore[arg-type]
    assert "Philox" in repr(rng)
    mesh = xd.init("cpu", simulate=2)
    with xp.options(device=mesh):  # it keeps its device, unless another is asked for
        assert xp.random.default_rng(rng) is rng
    assert xp.random.default_rng(rng, device="cpu") is rng
    with pytest.raises(ValueError, match="the generator is on cpu, not on"):
        xp.random.default_rng(rng, device=mesh)


def test_torchs_generators_are_left_alone() -> None:
    before = torch.random.get_rng_state()
    for kind in KINDS:
        rng = xp.random.Generator(kind(1, device="cpu"))
        for name, arguments in FIXED.items():
            getattr(rng, name)(*arguments, size=10)
        rng.permutation(10)
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(1)
    x = xp.random.Generator(xp.random.Native(3, device="cpu")).random(5)
    torch.manual_seed(2)
    assert same(x, xp.random.Generator(xp.random.Native(3, device="cpu")).random(5))


def test_native_is_torchs_own() -> None:
    rng = xp.random.Generator(xp.random.Native(3, device="cpu"))
    own = torch.Generator()
    own.set_state(torch.tensor(list(rng.bit_generator.state["state"]["bytes"]), dtype=torch.uint8))
    assert torch.equal(xp.to_torch(rng.random(100)), torch.rand(100, generator=own))
    assert torch.equal(
        xp.to_torch(rng.standard_normal((4, 5), dtype=xp.float64)),
        torch.randn((4, 5), dtype=torch.float64, generator=own),
    )


def drawn_first(*defaults: str) -> None:
    """Draw in every way; where defaults of torch's are named, under these."""
    if defaults:
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
    for kind in KINDS:
        rng = xp.random.Generator(kind(1, device="cpu"))
        for name, arguments in FIXED.items():
            print(name, getattr(rng, name)(*arguments, size=3))
        print(rng.poisson([3.0, 30.0]), rng.binomial([20, 200], 0.3), rng.normal([1.0], 2.0))
        print(rng.multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]), rng.integers([1], [3]))
        print(rng.choice(5), rng.choice(5, 2, False, [0.1, 0.2, 0.3, 0.2, 0.2]), rng.permutation(5))
        print(rng.integers(2**64 - 1, dtype=xp.uint64), rng.normal(1j, dtype=xp.complex64))


@pytest.mark.nightly
def test_torchs_defaults_are_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    drawn_first()
    plain = capsys.readouterr().out
    assert plain.count("\n") > 50
    assert apart(drawn_first, "other") == plain


# --- shapes, data types, parameters ---------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [n for n in FIXED if n not in OF_VECTORS])
def test_shapes_and_data_types(name: str, kind: Any) -> None:
    rng = xp.random.Generator(kind(1, device="cpu"))
    method, arguments = getattr(rng, name), FIXED[name]
    assert method(*arguments).shape == ()
    for size, shape in ((3, (3,)), ((2, 3), (2, 3)), ([4], (4,)), ((), ()), ((2, 0), (2, 0))):
        assert method(*arguments, size=size).shape == shape
    whole = name in {"integers", *COUNTS}
    assert method(*arguments).dtype == (xp.int64 if whole else xp.float32)
    for dtype in (
        (xp.int16, xp.uint32, xp.uint64) if whole else (xp.float16, xp.bfloat16, xp.float64)
    ):
        x = method(*arguments, size=5, dtype=dtype)
        assert x.dtype == dtype
        assert x.device == "cpu"
    for dtype in (xp.bool, xp.float32 if whole else xp.int32):
        with pytest.raises(TypeError, match=name):
            method(*arguments, size=5, dtype=dtype)
    with pytest.raises(ValueError, match="size"):
        method(*arguments, size=-1)
    with pytest.raises(TypeError, match="size"):
        method(*arguments, size=1.5)


@pytest.mark.parametrize("name", FIXED)
def test_names_of_data_types_in_relaxed_mode(name: str) -> None:
    whole = name in {"integers", *COUNTS}
    named = {"int16": xp.int16, np.uint32: xp.uint32, int: xp.int64}
    if not whole:
        named = {"float16": xp.float16, np.float64: xp.float64, float: xp.float32}
    for dtype, expected in named.items():
        with xp.options(relaxed=True):
            x = getattr(generator(), name)(*FIXED[name], size=5, dtype=dtype)
        assert same(x, getattr(generator(), name)(*FIXED[name], size=5, dtype=expected))
        with pytest.raises(TypeError, match=r"relaxed=True\) allows it"):
            getattr(generator(), name)(*FIXED[name], size=5, dtype=dtype)


@pytest.mark.parametrize("dtype", [complex, "complex64", np.complex64])
def test_complex_normal_numbers_of_a_named_data_type(dtype: Any) -> None:
    for name in ("normal", "standard_normal"):
        with xp.options(relaxed=True):
            x = getattr(generator(), name)(size=3, dtype=dtype)
        assert same(x, getattr(generator(), name)(size=3, dtype=xp.complex64))


def test_parameters_broadcast() -> None:
    loc = xp.asarray([[0.0], [100.0]], device="cpu")
    scale = xp.asarray([0.0, 1e-3, 1.0], device="cpu")
    x = generator().normal(loc, scale)
    assert x.shape == (2, 3)
    assert [float(v) for v in x[:, 0]] == [0.0, 100.0]
    assert generator().normal(loc, scale, size=(5, 2, 3)).shape == (5, 2, 3)
    assert generator().normal([0.0, 1.0], (1, 2)).shape == (2,)
    assert generator().gamma(xp.asarray([1, 2, 3], device="cpu")).shape == (3,)
    assert generator().poisson(loc, size=(2, 4)).shape == (2, 4)
    for size in ((3,), (2, 4), (3, 3), ()):
        with pytest.raises(ValueError, match="broadcast"):
            generator().normal(loc, scale, size=size)
    for wrong in (True, 1j, "1", None, np.array([1.0]), xp.asarray([True], device="cpu")):
        with pytest.raises(TypeError, match="normal: scale"):
            generator().normal(0.0, wrong)


def test_arrays_of_parameters_take_the_same_numbers() -> None:
    for name, arguments in FIXED.items():
        if not arguments or name in {"integers", *OF_VECTORS}:
            continue
        scalar = getattr(generator(), name)(*arguments, size=50)
        for whole in itertools.product([False, True], repeat=len(arguments)):
            mixed = [
                xp.full(50, a, dtype=xp.float64, device="cpu") if full else a
                for a, full in zip(arguments, whole)
            ]
            array = getattr(generator(), name)(*mixed, size=50)
            assert np.allclose(np.asarray(scalar), np.asarray(array), rtol=1e-5), name


@pytest.mark.parametrize("form", ["scalar", "array"])
@listing(
    "name, arguments, only",
    [
        *(("uniform", (2.5, 2.5), 2.5), ("lognormal", (0.0, 0.0), 1.0), ("gamma", (0.0, 2.5), 0.0)),
        *((n, (2.5, 0.0), 2.5) for n in ("normal", "laplace", "logistic", "gumbel", "cauchy")),
        *((n, (0.0,), 0.0) for n in ("exponential", "rayleigh", "standard_gamma", "poisson")),
        *(("gamma", (2.5, 0.0), 0.0), ("binomial", (0, 0.5), 0), ("binomial", (7, 0.0), 0)),
        *(("binomial", (7, 1.0), 7), ("geometric", (1.0,), 1)),
    ],
)
def test_distributions_of_one_number(name: str, arguments: Any, only: float, form: str) -> None:
    if form == "array":
        arguments = [xp.asarray([a] * 6, dtype=xp.float64, device="cpu") for a in arguments]
    assert np.asarray(getattr(generator(), name)(*arguments, size=6)).tolist() == [only] * 6


def test_complex_normal() -> None:
    x = np.asarray(generator().standard_normal(200_000, dtype=xp.complex128))
    assert abs(x.real.var() - 0.5) < 0.01
    assert abs(x.imag.var() - 0.5) < 0.01
    assert abs((x.real * x.imag).mean()) < 0.005
    y = generator().normal(3 - 4j, 2.0, size=100, dtype=xp.complex64)
    assert y.dtype == xp.complex64
    z = np.asarray(generator().standard_normal(100, dtype=xp.complex64))
    assert np.allclose(np.asarray(y), 3 - 4j + 2 * z, rtol=1e-5)
    loc = xp.asarray([1j, 2.0], device="cpu")
    assert [complex(v) for v in generator().normal(loc, 0.0, dtype=xp.complex64)] == [1j, 2.0]
    with pytest.raises(ValueError, match="scale"):
        generator().normal(1j, -1.0, dtype=xp.complex64)
    with pytest.raises(ValueError, match="loc"):
        generator().normal(complex(0, math.nan), dtype=xp.complex64)


# --- bad input ------------------------------------------------------------------------------------

BAD = """
uniform | high: 1.0, 0.0; low: nan, 0.0; high: 0.0, nan; high: 0.0, inf
normal | scale: 0.0, -1.0; loc: nan, 1.0; scale: 0.0, nan
lognormal | sigma: 0.0, -1.0; mean: nan, 1.0
exponential | scale: -1.0
laplace | scale: 0.0, -1.0
logistic | scale: 0.0, nan
gumbel | loc: nan, 1.0
cauchy | scale: 0.0, -2.0
rayleigh | scale: -1.0
standard_t | df: 0.0; df: nan
weibull | a: 0.0
pareto | a: -1.0; a: 0.0
triangular | mode: 0.0, 2.0, 1.0; right: 1.0, 1.0, 1.0; left: nan, 1.0, 1.0
standard_gamma | shape: -1.0
gamma | shape: nan, 1.0; scale: 1.0, -1.0
beta | a: 0.0, 1.0; b: 1.0, nan; b: 1.0, 0.0
chisquare | df: 0.0
f | dfnum: 0.0, 1.0; dfden: 1.0, -1.0; dfden: 1.0, 0.0
vonmises | mu: inf, 1.0; kappa: 0.0, -1.0
poisson | lam: -1.0; lam: nan
binomial | n: -1, 0.5; n: 1.5, 0.5; p: 5, 1.5; p: 5, nan
geometric | p: 0.0; p: nan
power | a: 0.0
wald | mean: 0.0, 1.0; scale: 1.0, nan
noncentral_chisquare | df: 0.0, 1.0; nonc: 1.0, -1.0
noncentral_f | dfnum: 0.0, 1.0, 1.0; dfden: 1.0, 0.0, 1.0; nonc: 1.0, 1.0, nan
logseries | p: 1.0; p: -0.5
negative_binomial | n: 0.0, 0.5; p: 1.0, 0.0; p: 1.0, nan
zipf | a: 1.0; a: nan
hypergeometric | ngood: -1, 5, 3; ngood: 1.5, 5, 3; nbad: 5, nan, 3; nbad: 5, 2**52 + 1, 3
hypergeometric | nsample: 5, 4, 10; nsample: 5, 4, -1; nsample: 5, 4, 0.5
"""


def wrong(table: str) -> list[tuple[str, tuple[Any, ...], str]]:
    """Return methods, arguments, and the parameter that is wrong, of a table."""
    lines = [line.split(" | ") for line in table.strip().splitlines()]
    cases = [(name, *case.split(": ")) for name, cases in lines for case in cases.split("; ")]
    return [(n, eval(f"({a},)", {"nan": math.nan, "inf": math.inf}), said) for n, said, a in cases]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "arguments", "parameter"), wrong(BAD))
def test_bad_parameters(name: str, arguments: Any, parameter: str, kind: Any) -> None:
    rng = xp.random.Generator(kind(1, device="cpu"))
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=f"{name}: {parameter} must"):
        getattr(rng, name)(*arguments, size=4)
    arrays = [xp.asarray([a, a], dtype=xp.float64, device="cpu") for a in arguments]
    with pytest.raises(ValueError, match=f"{name}: {parameter} must"):
        getattr(rng, name)(*arrays)
    with pytest.raises(ValueError, match=f"{name}: {parameter} must"):
        getattr(rng, name)(*([a, a] for a in arguments))
    assert rng.bit_generator.state == before


BEYOND = """
uniform | float32 high: -3e38, 3e38; float64 high: -1.7e308, 1.7e308
triangular | float32 right: -3e38, 0.0, 3e38
standard_t | float32 df: 1e-300
beta | float32 a: 1e-50, 1.0
poisson | int8 lam: 1000.0; uint8 lam: 256.0
binomial | int16 n: 2**15, 0.5; int64 n: 2**53 + 2, 0.5
hypergeometric | int8 ngood: 128, 5, 3; int64 ngood: 2**52 + 1, 5, 3
"""


@pytest.mark.parametrize("form", ["scalar", "array"])
@listing("name, arguments, said", wrong(BEYOND))
def test_what_the_data_type_cannot_hold(name: str, arguments: Any, said: str, form: str) -> None:
    dtype, parameter = said.split()
    if form == "array":
        arguments = [xp.asarray([a, a], dtype=xp.float64, device="cpu") for a in arguments]
    with pytest.raises(ValueError, match=rf"{name}: {parameter} must"):
        getattr(generator(), name)(*arguments, dtype=getattr(xp, dtype))


def test_multinomial_of_more_than_the_data_type_holds() -> None:
    text = "n must be an integer from 0 to 127, the greatest of int8"
    with pytest.raises(ValueError, match=text):
        generator().multinomial(128, [0.5, 0.5], dtype=xp.int8)


VECTORS = """
multinomial | n: -1, [0.5, 0.5]; pvals: 5, [0.5, 0.6]; pvals: 5, [0.5, 0.5 + 2.0**-26 * 1.01]
multinomial | pvals: 5, [0.5, nan]; pvals: 5, [1.5, -0.5]; pvals: 5, []; pvals: 5, 1.0
multivariate_hypergeometric | colors: [5, -1], 3; colors: [5, 1.5], 3; colors: [2**53, 2], 3
multivariate_hypergeometric | colors: [], 0; colors: 5, 3; nsample: [5, 4], 10; nsample: [5, 4], -1
multivariate_hypergeometric | method: [5, 4], 3, None, "best"
dirichlet | alpha: [1.0, 0.0]; alpha: [1.0, nan]
multivariate_normal | mean: [0.0, nan], [[1.0, 0.0], [0.0, 1.0]]; mean: [[0.0]], [[1.0]]
multivariate_normal | cov must be symmetric: [0.0, 1.0], [[1.0, 0.5], [0.0, 1.0]]
multivariate_normal | cov must not have: [0.0, 1.0], [[1.0, 2.0], [2.0, 1.0]]
multivariate_normal | cov: [0.0, 1.0], [[1.0, nan], [nan, 1.0]]; cov: [0.0, 1.0], [[1.0]]
choice | a: 0; a: -3; size: 3, 4, False; p: 3, 2, True, [0.5, 0.5]; p: 3, 2, True, [0.5, 0.5, 0.5]
choice | p: 3, 2, True, [0.5, -0.5, 1.0]; p: 3, 2, True, [0.5, nan, 0.5]
choice | p: 3, 2, False, [1.0, 0.0, 0.0]
integers | high: 5, 5; high: 5, 4; high: 0; high: 0, 2**63 + 1; low: -(2**63) - 1, 0
integers | high: [5, 0], [6, 0]
permutation | x: -1
"""


@listing("name, arguments, parameter", wrong(VECTORS))
def test_bad_vectors_and_ranges(name: str, arguments: Any, parameter: str) -> None:
    rng = generator()
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=rf"{name}: {parameter}\b"):
        getattr(rng, name)(*arguments)
    assert rng.bit_generator.state == before


def test_probabilities_may_miss_one_by_the_root_of_the_least_step() -> None:
    for p in ([0.5, 0.5 + 2.0**-26], [0.5, 0.5 - 2.0**-26]):  # as NumPy takes them
        assert int(xp.sum(generator().multinomial(5, p))) == 5
        assert generator().choice(2, 3, p=p).shape == (3,)


test_bad_methods_and_kinds = refused(
    r"""
[ValueError]
key | xp.random.Philox(key=2**64); xp.random.Philox(key=-1)
counter | xp.random.Philox(counter=2**128); xp.random.Philox(counter=-1)
not both | xp.random.Philox(1, key=1)
^.*seed | xp.random.default_rng(-1); xp.random.default_rng([1, -2])
method | rng.multivariate_normal([0.0], [[1.0]], method="qr")
axis | rng.permutation(xp.zeros((2, 2), device="cpu"), axis=2)
[TypeError]
^ | xp.random.default_rng("12"); xp.random.default_rng(1.5); xp.random.default_rng(object())
: | rng.integers(0, 1.5); rng.integers(0, "3"); rng.integers(0, 2j); rng.integers(0, True)
: | rng.integers(x, 3); rng.permuted([1, 2, 3]); rng.shuffle([1, 2, 3]); rng.choice([1, 2, 3])
: | rng.permutation([1, 2, 3])
""",
    rng=generator,
)


# --- the kernel for GPUs --------------------------------------------------------------------------

INTERPRETED = """
import torch
from ascend_array_api._devices.device import parse
from ascend_array_api._backends.cuda import _philox as fused
from ascend_array_api._routes import random as routes

on, cpu = parse("cpu"), torch.device("cpu")
for counter, key in ((0, 0), (2**128 - 1, 2**64 - 1), (2**32 - 700, 5), (2**64 - 3, 2**63 + 1)):
    assert torch.equal(routes._philox(counter, key, 999, cpu), fused.philox(counter, key, 999, cpu))
    places = torch.arange(777) * 10**15 + 2**31
    a, b = (f.philox(counter, key, 777, cpu, places) if f is fused
            else f._philox(counter, key, 777, cpu, places) for f in (routes, fused))
    assert torch.equal(a, b)
    later = routes.Later(torch.tensor(routes.words_of(counter, key)), 7)
    assert torch.equal(routes._philox(counter, key, 777, cpu, places + 7),
                       fused.philox(later, 0, 777, cpu, places))
    for dtype in (torch.float32, torch.float64):
        for count in (0, 1, 5, 4099):
            given = counter, key, count, dtype, on
            assert torch.equal(routes._uniform(*given), fused.uniform(*given))
            later = routes.Later(torch.tensor(routes.words_of(counter - 7, key)), 7), 0, *given[2:]
            assert torch.equal(routes._uniform(*given), fused.uniform(*later))
            x, y = routes._normal(*given), fused.normal(*given)
            assert torch.allclose(x, y, rtol=1e-5 if dtype is torch.float32 else 1e-13, atol=1e-6)
print("agreed")
"""


# --- torch's transformations, checkpoints, loaders ------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wraps", [lambda f: f, torch.func.grad], ids=["vmap", "vmap of grad"])
def test_no_draw_within_vmap_but_one_for_all_examples(kind: Any, wraps: Any) -> None:
    def noisy(t: torch.Tensor) -> torch.Tensor:
        drawn = xp.to_torch(xp.random.Generator(bits).random(3, dtype=xp.float64))
        return (t * drawn).sum()

    x = torch.ones(4, 3, dtype=torch.float64)
    for randomness in ("error", "different"):
        bits = kind(5, device="cpu")
        before = bits.state
        if kind is xp.random.Philox:
            with pytest.raises(RuntimeError, match=r"vmap a generator draws the same .*Draw them"):
                torch.vmap(wraps(noisy), randomness=randomness)(x)
            assert bits.state == before
        elif randomness == "error":
            with pytest.raises(RuntimeError, match="randomness error mode"):
                torch.vmap(wraps(noisy), randomness=randomness)(x)
    bits = kind(5, device="cpu")
    alike = torch.vmap(wraps(noisy), randomness="same")(x)
    assert torch.equal(alike, alike[:1].expand(alike.shape))
    bits = kind(5, device="cpu")
    torch.testing.assert_close(alike[0], wraps(noisy)(x[0]))
    bits = kind(5, device="cpu")  # a gradient alone is no mapping
    torch.func.grad(noisy)(x[0])


def test_a_checkpoint_keeps_what_is_drawn_before_it_and_what_has_a_seed() -> None:
    from torch.utils.checkpoint import checkpoint

    def own(w: torch.Tensor) -> torch.Tensor:
        noise = xp.to_torch(generator(11).normal(size=3))
        seen.append(noise)
        return w * noise

    def given(w: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        seen.append(noise)
        return w * noise

    for function, more in ((own, ()), (given, (xp.to_torch(generator(12).normal(size=3)),))):
        seen: list[torch.Tensor] = []
        w = torch.ones(3, requires_grad=True)
        checkpoint(function, w, *more, use_reentrant=False).sum().backward()
        assert len(seen) == 2
        assert w.grad is not None
        assert torch.equal(w.grad, seen[0])


class Items(torch.utils.data.Dataset[Any]):
    """Items with noise: of one generator for all, or of one for each."""

    def __init__(self, several: bool) -> None:
        self.shared = None if several else generator(42)

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> Any:
        return (self.shared or generator([42, i])).random(2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_workers_have_copies_of_a_generator_and_streams_of_their_own_where_asked() -> None:
    def rows(several: bool) -> set[tuple[float, ...]]:
        loader = torch.utils.data.DataLoader(
            Items(several), batch_size=1, num_workers=2, multiprocessing_context="fork"
        )
        return {tuple(np.asarray(batch).ravel().tolist()) for batch in loader}

    assert len(rows(several=False)) == 2  # as with NumPy's generators
    assert len(rows(several=True)) == 4


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
def test_the_kernel_for_gpus_as_tritons_interpreter_runs_it() -> None:
    run = python("-c", INTERPRETED, code=None, env={**os.environ, "TRITON_INTERPRET": "1"})
    assert run.stdout == "agreed\n", run.stderr


GPUS = [str(d) for d in xp.__array_namespace_info__().devices() if d.type == "cuda"]


@pytest.mark.skipif(not GPUS, reason="needs a GPU")
@pytest.mark.parametrize("name", [n for n in FIXED if n not in OF_VECTORS - {"dirichlet"}])
def test_gpus_draw_the_stream_of_the_cpu(name: str) -> None:
    host, device = (
        getattr(xp.random.default_rng(3, device=d), name)(*FIXED[name], size=10_001)
        for d in ("cpu", GPUS[0])
    )
    x, y = xp.to_torch(host), xp.to_torch(device).cpu()
    if name in {"random", "integers"}:
        assert torch.equal(x, y)
    elif x.dtype.is_floating_point:
        # In rejection a rounding error can decide otherwise, once in millions of proposals.
        assert torch.isclose(x, y, rtol=1e-5, atol=1e-5).sum() >= len(x) - 2
    else:
        assert (x != y).sum() <= 2


def test_parameters_may_be_empty() -> None:
    empty = xp.zeros(0)
    assert xp.random.default_rng(1).normal(empty, empty).shape == (0,)
    assert xp.random.default_rng(1).gamma(empty).shape == (0,)
    assert xp.random.default_rng(1).permutation(0).shape == (0,)


@pytest.mark.parametrize("kind", [xp.random.Philox, xp.random.Native])
def test_a_draw_that_fails_leaves_the_generator_where_it_was(kind: Any) -> None:
    """As NumPy's does; sizes that no machine can hold fail after parts were drawn, too."""
    rng = xp.random.Generator(kind(3))
    before = rng.bit_generator.state
    failing = {
        "random": lambda: rng.random(10**15),
        "wald": lambda: rng.wald(1.0, 1.0, size=10**15),
        "parameters": lambda: rng.normal(0.0, -1.0),
    }
    for name, draw in failing.items():
        with pytest.raises((MemoryError, RuntimeError, ValueError)):
            draw()
        assert rng.bit_generator.state == before, name

    def fail(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    rng.poisson = fail  # type: ignore[method-assign]  # after gamma numbers were drawn
    with pytest.raises(KeyboardInterrupt):
        rng.negative_binomial(5.0, 0.5, size=3)
    assert rng.bit_generator.state == before
    if kind is xp.random.Philox:  # what another thread drew meanwhile is not drawn again

        def interrupted(*_: Any, **__: Any) -> Any:
            thread = threading.Thread(target=rng.random, args=(4,))
            thread.start()
            thread.join()
            raise KeyboardInterrupt

        rng.poisson = interrupted  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            rng.negative_binomial(5.0, 0.5, size=3)
        assert rng.bit_generator.state != before


def test_negative_binomial_refuses_means_that_no_integer_holds() -> None:
    """NumPy raises for n and p whose gamma numbers pass 2**63 or so; we stop at 2**62."""
    rng, theirs = xp.random.default_rng(1), np.random.default_rng(1)
    for n, p in ((5, 1e-30), (1e300, 0.5), (5, 1e-18), ([5.0, 5.0], [0.5, 1e-30])):
        with pytest.raises(ValueError, match="p too small"):
            theirs.negative_binomial(n, p)
        with pytest.raises(ValueError, match="negative_binomial: p is too small for n"):
            rng.negative_binomial(n, p)
    for n, p in ((5, 1e-17), (1e9, 1e-8), (5, 1), (5e-324, 0.5)):
        low = 0.2 * n * (1 - p) / p - 1
        assert low <= int(rng.negative_binomial(n, p)) <= 4 * n * (1 - p) / p + 1
        theirs.negative_binomial(n, p)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_geometric_numbers_beyond_the_data_type_are_its_greatest(dtype):
    kind = getattr(xp, dtype)
    wide = to_numpy(xp.random.default_rng(3).geometric(1e-3, size=500, dtype=xp.int64))
    own = to_numpy(xp.random.default_rng(3).geometric(1e-3, size=500, dtype=kind))
    np.testing.assert_array_equal(own, np.minimum(wide, np.iinfo(dtype).max))
    least = to_numpy(xp.random.default_rng(3).geometric(1e-300, size=500, dtype=kind))
    greatest = min(np.iinfo(dtype).max, 2**63 - 1024)
    assert (least == greatest).all()
