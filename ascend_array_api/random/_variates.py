"""Standard variates as flat tensors, of which all distributions are made.

Each function takes the bit generator, the number of variates, and parameters as tensors of one
element or of that number.  ``dtype`` is float32 or float64.  ``known`` is a mean that the host
knows.  None means that only the device knows it, so every method must be computed, and each number
selects its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from .._devices.device import spec, spec_of
from .._routes import creation, searching
from .._routes import elementwise as el
from .._routes import random as ops
from .._routes._derivatives import at_hand
from .._routes._operations import cast
from .._routes.random import columns, fraction, log_probability, probability
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._bit_generators import BitGenerator

_INTEGERS: Final = {dt.float32: dt.int32, dt.float64: dt.int64}
WIDTHS: Final = {dt.float32: 1, dt.float64: 2}
"""The blocks of a try: four random integers as wide as the data type."""


def constants(like: Tensor, values: list[float]) -> tuple[Tensor, ...]:
    """Return constants as tensors, because some kernels round scalars that are added.

    They are made on the device, because the host would wait for a copy.
    """
    made = spec_of(like)
    full = creation.full.on(made)
    return tuple(full((), value, made.dtype, like.device) for value in values)


# --- from uniform bits ----------------------------------------------------------------------------


def fractions(bits: BitGenerator, count: int, dtype: torch.dtype) -> Tensor:
    """Return fractions from (-1/2, 1/2), which are more exact nearer to 0.

    A fraction f stands for the probability f if it is positive, and 1 + f if it is negative.  So
    probabilities near 0 and near 1 both keep their precision.
    """
    return bits._of_integers(count, _INTEGERS[dtype], partial(fraction, dtype=dtype))


def logit(f: Tensor) -> Tensor:
    """Return log(p / (1 - p)) of the probability p that a fraction stands for."""
    size = torch.abs(f)
    below = torch.log(size) - el.log1p(-size)
    return torch.where(f < 0, -below, below)


def cotangent(f: Tensor) -> Tensor:
    """Return the cotangent of pi times a fraction; its tails are where fractions are most exact."""
    angle = f * math.pi
    return ops.cos(angle) / ops.sin(angle)


def triangular(f: Tensor, left: Any, mode: Any, right: Any) -> Tensor:
    """Return the triangular distribution's quantile for the probability of a fraction."""
    below, above = probability(f), torch.where(f < 0, -f, 1 - f)
    width = right - left
    # In units of the width, whose square may overflow or vanish.
    rising, falling = (mode - left) / width, (right - mode) / width
    from_left = left + torch.sqrt(below * rising) * width
    from_right = right - torch.sqrt(above * falling) * width
    return torch.where(below <= rising, from_left, from_right)


def exponential(bits: BitGenerator, count: int, dtype: torch.dtype) -> Tensor:
    """Return exponential numbers of mean 1, by inversion."""
    like = torch.empty(0, dtype=dtype, device=bits.device.torch_device)
    return bits._of_integers(count, _INTEGERS[dtype], lambda x: ops.exponential(x, like))


def _rejection(
    bits: BitGenerator,
    count: int,
    tries: int,
    dtype: torch.dtype,
    propose: ops.Proposal,
    *parameters: Tensor,
    words: ops.Words | None = None,
) -> list[Tensor]:
    """Return the columns of the first proposals that are accepted."""
    device = bits.device
    if words is None:
        words = bits._tries(count, tries, WIDTHS[dtype])
    like = torch.empty(0, dtype=dtype, device=device.torch_device)
    kernel = ops.first_accepted.on(spec(dtype, device))
    return list(kernel(count, tries, words, propose, parameters, like))


# --- gamma ----------------------------------------------------------------------------------------

_GAMMA_TRIES: Final = 16  # at least 0.95 of the proposals are accepted: 0.05**16 < 2**-69
_SERIES_TERMS: Final = {dt.float32: 9, dt.float64: 18}


def _log1p_remainder(t: Tensor) -> Tensor:
    """Return log1p(t) - t + t**2/2 - t**3/3, without cancellation."""
    small = torch.abs(t) < 0.125
    inner = torch.where(small, t, 0)
    powers = range(_SERIES_TERMS[t.dtype] + 3, 3, -1)
    coefficients = constants(t, [(1 if j % 2 else -1) / j for j in powers])
    series = coefficients[0]
    for coefficient in coefficients[1:]:
        series = series * inner + coefficient
    square = inner * inner
    direct = el.log1p(t) - t * (1 - t * (1 / 2 - t / 3))
    return torch.where(small, series * square * square, direct)


def _is_gamma(f: Tensor, t: Tensor, d: Tensor) -> Tensor:
    # The logarithm of the ratio of densities, x**2/2 + d - d v + d log(v), is 3 d times this.
    return log_probability(f) < 3 * d * _log1p_remainder(t)


def _large_gamma(words: Tensor, d: Tensor) -> Any:
    return ops.large_gamma.on(spec_of(d))(words, d)


def _any_gamma(
    words: Tensor, d: Tensor
) -> tuple[tuple[Tensor, Tensor], Tensor, tuple[Tensor, Tensor, Tensor]]:
    (g,), possible, operands = _large_gamma(words, d)
    *_, fourth = columns(words, d.dtype)
    return (g, log_probability(fraction(fourth, d.dtype))), possible, operands


_PROPOSED_LARGE_GAMMA: Final = ops.Proposal(_large_gamma, _is_gamma, ops.surely_gamma, integers=3)
_PROPOSED_GAMMA: Final = ops.Proposal(_any_gamma, _is_gamma, ops.surely_gamma)


def gamma_parts(
    bits: BitGenerator, count: int, a: Tensor, *, known: object = None
) -> tuple[Tensor, Tensor]:
    """Return gamma numbers as g and e, which stand for g exp(e); ``known`` is the least a.

    If there are several a but fewer than numbers, they take turns.

    G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables (2000): by
    rejection for a >= 1; for a < 1 a number for a + 1, times U**(1/a).
    """
    if isinstance(known, float) and known >= 1:
        d = _repeated(_without_third(a, 3 * a - 1), count)
        (g,) = _rejection(bits, count, _GAMMA_TRIES, a.dtype, _PROPOSED_LARGE_GAMMA, d)
        return g, torch.zeros((), dtype=a.dtype, device=a.device).expand(count)
    d = _repeated(_without_third(a, torch.where(a < 1, 3 * a + 2, 3 * a - 1)), count)
    # Smaller a have infinite logarithms, and all their numbers are 0.
    a = _repeated(torch.clamp(a, min=16 * torch.finfo(a.dtype).tiny), count)
    g, log_u = _rejection(bits, count, _GAMMA_TRIES, a.dtype, _PROPOSED_GAMMA, d)
    return g, torch.where(a < 1, log_u / a, 0)


def _without_third(a: Tensor, thrice: Tensor) -> Tensor:
    """Return ``thrice / 3``, or a where ``thrice`` may overflow and 1/3 does not count."""
    return torch.where(a > 1e30, a, thrice / 3)


def _repeated(x: Tensor, count: int) -> Tensor:
    return x.expand(count // len(x), len(x)).reshape(-1) if x.dim() and len(x) else x


def gamma(bits: BitGenerator, count: int, a: Tensor, *, known: object = None) -> Tensor:
    """Return standard gamma numbers; a = 0 gives 0."""
    g, e = gamma_parts(bits, count, a, known=known)
    if isinstance(known, float) and known >= 1:
        return g
    return g * torch.exp(e)


def gamma_pairs(
    bits: BitGenerator, count: int, a: Tensor, b: Tensor, *, known: object = None
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Return two gamma numbers for each number, in parts."""
    both = torch.broadcast_tensors(a, b)  # type: ignore[no-untyped-call]
    pairs = torch.stack(both, -1).view(-1)
    g, e = gamma_parts(bits._each(2), 2 * count, pairs, known=known)
    (x, y), (e, f) = g.view(-1, 2).unbind(-1), e.view(-1, 2).unbind(-1)
    return (x, e), (y, f)


def beta(bits: BitGenerator, count: int, a: Tensor, b: Tensor, *, known: object = None) -> Tensor:
    """Return x / (x + y) of two gamma numbers, scaled so that small ones do not vanish."""
    (x, e), (y, f) = gamma_pairs(bits, count, a, b, known=known)
    x, y = 0.5 * x, 0.5 * y  # so that the sum does not overflow
    if isinstance(known, float) and known >= 1:
        return x / (x + y)
    large = el.maximum(e, f)
    x, y = x * torch.exp(e - large), y * torch.exp(f - large)
    return x / (x + y)


def student(bits: BitGenerator, count: int, df: Tensor) -> Tensor:
    """Return numbers of Student's t distribution.

    R. W. Bailey, Polar generation of random variates with the t-distribution (1994).
    """
    f = fractions(bits._each(2), 2 * count, df.dtype).view(-1, 2)
    x = -log_probability(f[:, 0]) / df
    radius = torch.exp(x) * torch.sqrt(-el.expm1(-2 * x) * df)
    return radius * ops.cos(f[:, 1] * (2 * math.pi))


# --- discrete numbers -----------------------------------------------------------------------------

DISCRETE_TRIES: Final = 36  # at least 0.7 of the proposals are accepted: 0.3**36 < 2**-62
_INVERTED: Final = 10.0  # means below this are inverted
SAMPLED: Final = 2.0**30  # up to here torch's own samplers have all digits that count
_STEPS: Final = 64  # of a mean of 10, more than this has a probability of 1e-30
_TABLE: Final = 16
_PORTION: Final = 2**17


def _factorial_rest(k: Tensor) -> Tensor:
    """Return log(k!) - k log(k) + k: by Stirling's series, or from a table for small k."""
    values = [math.lgamma(k + 1) - k * math.log(k) + k for k in range(1, _TABLE)]
    values = [0.0, *values, 0.0]
    table = torch.stack(constants(k, values))
    # Clamped also for NaN, to which parameters that are checked late may lead.
    place = torch.clamp(cast(k, dt.int64), 0, _TABLE)
    small = torch.index_select(table, 0, place.reshape(-1)).view(k.shape)
    large = torch.clamp(k, min=float(_TABLE))
    r = 1 / large
    s = r * r
    series = r * (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188))))
    # A product, because torch selects elements one by one on the CPU.
    beyond = cast(k >= _TABLE, k.dtype)
    return small + beyond * (0.5 * torch.log(2 * math.pi * large) + series)


def _deviance(k: Tensor, mean: Tensor) -> Tensor:
    """Return k log(k / mean) + mean - k, without cancellation.

    C. Loader, Fast and accurate computation of binomial probabilities (2000).
    """
    x = (k - mean) / mean
    # Only x = -1 is clamped, for k = 0, where the logarithm does not count.
    return mean * ((1 + x) * el.log1p(torch.clamp(x, min=2.0**-53 - 1)) - x)


def _inverted(f: Tensor, first: Tensor, ratio: Any) -> Tensor:
    """Count the partial sums of probabilities that are below the probability of a fraction.

    The first probability and the ratios of successive ones define all probabilities.
    """
    u = probability(f)
    term, total = first, first
    sums = [total]
    count = cast(u > total, dt.float64) if total.dim() else u
    for k in range(1, _STEPS):
        term = term * ratio(k)
        total = total + term
        if total.dim():
            above = u > total
            if at_hand(above) and not above.any():
                break
            count = count + cast(above, dt.float64)
        else:
            sums.append(total)
    if total.dim():
        return count
    table = torch.stack(sums)
    return cast(searching.searchsorted(table, u, right=False), dt.float64)


def _first_fractions(words: ops.Words, count: int, device: torch.device) -> Tensor:
    """Return fractions for the first try, from bits that proposals do not use."""
    fractions = torch.empty(count, dtype=dt.float64, device=device)  # so a lack shows at once
    for start in range(0, count, _PORTION):
        stop = min(start + _PORTION, count)
        places = torch.arange(start, stop, dtype=dt.int64, device=device)
        bits = columns(words(0, places).squeeze(1), dt.float64)[2]
        fractions[start:stop] = fraction(bits, dt.float64)
    return fractions


_NEAR: Final = 0.07
"""Hörmann's quick tests hold if a uniform number is at least this far from its ends."""


def _is_poisson(height: Tensor, *operands: Tensor) -> Tensor:
    _, _, k, mean, _ = operands
    return torch.log(height) <= -_deviance(k, mean) - _factorial_rest(k)


def _surely_poisson(*operands: Tensor) -> Tensor:
    _, distance, v, _, _, b = operands
    return (distance >= _NEAR) & (v <= 0.9177 - 3.6224 / (b - 2))


def _large_poisson(
    words: Tensor, mean: Tensor, a: Tensor, b: Tensor, shift: Tensor, scale: Tensor
) -> tuple[tuple[Tensor], Tensor, tuple[Tensor, ...]]:
    k, distance, v, height = ops.transformed.on(spec_of(a))(words, a, b, shift, scale)
    possible = k >= 0
    safe = torch.where(possible, k, 0)
    return (k,), possible, (height, distance, v, safe, mean, b)


_PROPOSED_POISSON: Final = ops.Proposal(_large_poisson, _is_poisson, _surely_poisson, integers=2)


def poisson(bits: BitGenerator, count: int, mean: Tensor, known: float | None) -> Tensor:
    """Return Poisson numbers, as float64.

    W. Hörmann, The transformed rejection method for generating Poisson random variables (1993):
    PTRS, for means from 10 on; inversion below.  Torch's own function does the same, but for large
    means its logarithms of probabilities are differences of numbers too large to have any digits.
    """
    few = known is not None and known <= SAMPLED
    if few and (own := bits._sampled(torch.poisson, mean.expand(count))) is not None:
        return own
    words = bits._tries(count, DISCRETE_TRIES, WIDTHS[dt.float64])
    small = mean < _INVERTED
    inverted = rejected = mean
    if known is None or known < _INVERTED:
        lower = torch.where(small, mean, 1.0)
        f = _first_fractions(words, count, mean.device)
        inverted = _inverted(f, torch.exp(-lower), lambda k: lower / k)
    if known is None or known >= _INVERTED:
        upper = torch.where(small, _INVERTED, mean)
        c = constants(mean, [0.931, 0.059, 0.43, 1.1239, 3.4])
        b = c[0] + 2.53 * torch.sqrt(upper)
        scale = c[3] + 1.1328 / (b - c[4])
        parameters = upper, 0.02483 * b - c[1], b, upper + c[2], scale
        (rejected,) = _rejection(
            bits, count, DISCRETE_TRIES, dt.float64, _PROPOSED_POISSON, *parameters, words=words
        )
    return torch.where(small, inverted, rejected)


def _log_binomial(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    """Return the logarithm of a binomial probability without the term that depends on n only."""
    other = n - k
    deviances = _deviance(k, n * p) + _deviance(other, n * (1 - p))
    return -deviances - _factorial_rest(k) - _factorial_rest(other)


def _is_binomial(height: Tensor, *operands: Tensor) -> Tensor:
    _, _, k, n, p, _, mode = operands
    return torch.log(height) <= _log_binomial(k, n, p) - mode


def _surely_binomial(*operands: Tensor) -> Tensor:
    _, distance, v, *_, b, _ = operands
    return (distance >= _NEAR) & (v <= 0.91 - 4.2 / b)


def _large_binomial(
    words: Tensor, n: Tensor, p: Tensor, a: Tensor, b: Tensor, scale: Tensor, mode: Tensor
) -> tuple[tuple[Tensor], Tensor, tuple[Tensor, ...]]:
    k, distance, v, height = ops.transformed.on(spec_of(a))(words, a, b, n * p + 0.5, scale)
    possible = (k >= 0) & (k <= n)
    safe = torch.where(possible, k, 0)
    return (k,), possible, (height, distance, v, safe, n, p, b, mode)


_PROPOSED_BINOMIAL: Final = ops.Proposal(
    _large_binomial, _is_binomial, _surely_binomial, integers=2
)


def binomial(
    bits: BitGenerator,
    count: int,
    n: Tensor,
    p: Tensor,
    *,
    known: float | None = None,
    few: bool = False,
    words: ops.Words | None = None,
) -> Tensor:
    """Return binomial numbers, as float64.

    W. Hörmann, The generation of binomial random variates (1993): BTRS, where the smaller of
    n p and n (1 - p) is at least 10; inversion where it is not.  So does torch's own function, for
    ``few`` trials.
    """
    if few and (own := bits._sampled(torch.binomial, n.expand(count), p.expand(count))) is not None:
        return own
    if words is None:
        words = bits._tries(count, DISCRETE_TRIES, WIDTHS[dt.float64])
    flipped = p > 0.5
    q = torch.where(flipped, 1 - p, p)
    small = n * q < _INVERTED
    inverted = rejected = n
    if known is None and at_hand(small) and small.numel():
        known = 0.0 if small.all() else None if small.any() else _INVERTED
    if known is None or known < _INVERTED:
        some, chance = torch.where(small, n, 1.0), torch.where(small, q, 0.0)
        odds = chance / (1 - chance)
        none = torch.exp(some * el.log1p(-chance))
        f = _first_fractions(words, count, n.device)
        inverted = _inverted(f, none, lambda k: torch.clamp(some - (k - 1), min=0.0) / k * odds)
    if known is None or known >= _INVERTED:
        many, chance = torch.where(small, 40.0, n), torch.where(small, 0.5, q)
        deviation = torch.sqrt(many * chance * (1 - chance))
        c = constants(n, [1.15, 0.0873, 2.83])
        b = c[0] + 2.53 * deviation
        a = 0.0248 * b + 0.01 * chance - c[1]
        scale = (c[2] + 5.1 / b) * deviation
        mode = _log_binomial(el.floor((many + 1) * chance), many, chance)
        parameters = many, chance, a, b, scale, mode
        (rejected,) = _rejection(
            bits, count, DISCRETE_TRIES, dt.float64, _PROPOSED_BINOMIAL, *parameters, words=words
        )
    successes = torch.where(small, inverted, rejected)
    return torch.where(flipped, n - successes, successes)


def _tree(
    bits: BitGenerator,
    count: int,
    whole: Tensor,
    shares: Tensor,
    tries: int,
    split: Callable[[int, ops.Words, Tensor, Tensor, Tensor], Tensor],
) -> Tensor:
    """Return rows that divide whole numbers among the places of a row of shares, as float64.

    The places are the leaves of a tree.  From the root down, ``split`` says how much of each node's
    number goes to its left child, given the shares of both children; one level takes one draw.
    """
    width = shares.shape[-1]
    words = bits._each(width)._tries(count * width, tries, WIDTHS[dt.float64])
    at = torch.arange(count * width, dtype=dt.int64, device=shares.device).view(count, width)
    levels = []
    while shares.shape[-1] > 1:
        pairs = 2 * (shares.shape[-1] // 2)
        left, right, alone = shares[..., :-1:2], shares[..., 1::2], shares[..., pairs:]
        levels.append((left, right))
        shares = torch.cat([left + right, alone], -1)
    numbers = whole.expand(count).unsqueeze(-1)
    for children in reversed(levels):
        nodes = children[0].shape[-1]
        own, at = at[:, :nodes], at[:, nodes:]
        whole, alone = numbers[:, :nodes], numbers[:, nodes:]
        places, *flat = (x.expand(count, nodes).reshape(-1) for x in (own, whole, *children))
        left = split(count * nodes, replace(words, at=places), *flat).view(count, nodes)
        both = torch.stack([left, whole - left], -1).view(count, 2 * nodes)
        numbers = torch.cat([both, alone], -1)
    return numbers


def multinomial(bits: BitGenerator, count: int, n: Tensor, p: Tensor) -> Tensor:
    """Return rows of numbers in each category, as float64.

    By binomial numbers.  L. Devroye, Non-uniform random variate generation (1986), chapter XI.1.4,
    draws the categories one after the other.
    """

    def split(count: int, words: ops.Words, trials: Tensor, left: Tensor, right: Tensor) -> Tensor:
        both = left + right
        chance = torch.where(both > 0, left / torch.where(both > 0, both, 1.0), 0.0)
        return binomial(bits, count, trials, chance, words=words)

    return _tree(bits, count, n, p, DISCRETE_TRIES, split)


def geometric(bits: BitGenerator, count: int, p: Tensor) -> Tensor:
    """Return geometric numbers, as float64, by inversion."""
    e = exponential(bits, count, dt.float64)
    rate = el.maximum(-el.log1p(-p), p)  # torch's log1p of the least number is 0
    return torch.clamp(el.ceil(e / rate), min=1.0)


_ZIPF_TRIES: Final = 36  # at least log(2) of the proposals are accepted: (1 - log(2))**36 < 2**-61


def _zipf(words: Tensor, excess: Tensor) -> tuple[tuple[Tensor], Tensor, tuple[()]]:
    first, second, *_ = columns(words, dt.float64)
    u, v = (fraction(column, dt.float64) for column in (first, second))
    # No data type holds greater numbers, and from here on the test does not depend on them.
    k = torch.clamp(el.floor(torch.exp(-log_probability(u) / excess)), max=2.0**64)
    below = -el.expm1(-excess * el.log1p(1 / k))
    return (k,), probability(v) * k * below <= -el.expm1(-excess * math.log(2)), ()


_PROPOSED_ZIPF: Final = ops.Proposal(_zipf, integers=2)


def zipf(bits: BitGenerator, count: int, a: Tensor) -> Tensor:
    """Return numbers of the zeta distribution, as float64.

    L. Devroye, Non-uniform random variate generation (1986), chapter X.6.1, with both sides of the
    test divided by what overflows.
    """
    (k,) = _rejection(bits, count, _ZIPF_TRIES, dt.float64, _PROPOSED_ZIPF, a - 1)
    return k


# --- drawn without replacement --------------------------------------------------------------------

_RATIO_TRIES: Final = 58  # at least 0.517 of the proposals are accepted: 0.483**58 < 2**-60


def _log_hypergeometric(k: Tensor, few: Tensor, sample: Tensor, total: Tensor) -> Tensor:
    """Return the logarithm of a hypergeometric probability without the terms that lack k.

    By two binomial ones: C. Loader, Fast and accurate computation of binomial probabilities (2000).
    """
    p = sample / total
    return _log_binomial(k, few, p) + _log_binomial(sample - k, total - few, p)


def _none_of_few(few: Tensor, sample: Tensor, total: Tensor) -> Tensor:
    """Return the probability that a sample has none of the few."""
    some = torch.clamp(sample, min=1.0)
    p = some / total
    many = total - few
    others = many - some
    deviances = _deviance(some, many * p) + _deviance(others, many * (1 - p))
    rests = _factorial_rest(many) - _factorial_rest(others)
    rests = rests - _factorial_rest(total) + _factorial_rest(total - some)
    chance = torch.exp(few * el.log1p(-p) - deviances + rests)
    return torch.where((few == 0) | (sample == 0), 1.0, chance)


def _ratio_of_uniforms(
    words: Tensor,
    few: Tensor,
    sample: Tensor,
    total: Tensor,
    center: Tensor,
    width: Tensor,
    mode: Tensor,
) -> tuple[tuple[Tensor], Tensor, tuple[Tensor, ...]]:
    first, second, *_ = columns(words, dt.float64)
    u, v = (fraction(column, dt.float64) for column in (first, second))
    k = el.floor(center + width * v / probability(u))
    possible = (k >= 0) & (k <= few) & (k <= sample)
    return (k,), possible, (log_probability(u), k, few, sample, total, mode)


def _is_hypergeometric(log_u: Tensor, *operands: Tensor) -> Tensor:
    *numbers, mode = operands
    return 2 * log_u <= _log_hypergeometric(*numbers) - mode


_PROPOSED_HYPERGEOMETRIC: Final = ops.Proposal(_ratio_of_uniforms, _is_hypergeometric, integers=2)


def hypergeometric(
    bits: BitGenerator,
    count: int,
    good: Tensor,
    bad: Tensor,
    sample: Tensor,
    *,
    known: float | None = None,
    words: ops.Words | None = None,
) -> Tensor:
    """Return how many of a sample without replacement are good, as float64.

    E. Stadlober, The ratio of uniforms approach for generating discrete random variates (1990), if
    at least 10 of the fewer kind are expected in the smaller of the sample and what it leaves;
    inversion if not.  ``known`` is that mean.
    """
    if words is None:
        words = bits._tries(count, _RATIO_TRIES, WIDTHS[dt.float64])
    total = good + bad
    few = torch.where(good > bad, bad, good)
    rest = total - sample
    part = torch.where(rest < sample, rest, sample)
    small = few * (part / torch.where(total > 0, total, 1.0)) < _INVERTED
    inverted = rejected = total
    if known is None and at_hand(small) and small.numel():
        known = 0.0 if small.all() else None if small.any() else _INVERTED
    if known is None or known < _INVERTED:
        some, drawn = torch.where(small, few, 0.0), torch.where(small, part, 0.0)
        others = total - some - drawn
        none = _none_of_few(some, drawn, total)
        f = _first_fractions(words, count, total.device)
        inverted = _inverted(
            f,
            none,
            lambda k: (
                torch.clamp(some - (k - 1), min=0.0)
                * torch.clamp(drawn - (k - 1), min=0.0)
                / (k * (others + k))
            ),
        )
    if known is None or known >= _INVERTED:
        some, drawn = torch.where(small, 40.0, few), torch.where(small, 40.0, part)
        every = torch.where(small, 160.0, total)
        mean = some * (drawn / every)
        variance = mean * (1 - some / every) * ((every - drawn) / (every - 1))
        c = constants(total, [2 * math.sqrt(2 / math.e), 3 - 2 * math.sqrt(3 / math.e)])
        width = c[0] * torch.sqrt(variance + 0.5) + c[1]
        numbers = some, drawn, every
        mode = _log_hypergeometric(el.floor((drawn + 1) * ((some + 1) / (every + 2))), *numbers)
        (rejected,) = _rejection(
            bits,
            count,
            _RATIO_TRIES,
            dt.float64,
            _PROPOSED_HYPERGEOMETRIC,
            *(*numbers, mean + 0.5, width, mode),
            words=words,
        )
    fewer = torch.where(small, inverted, rejected)
    chosen = torch.where(good > bad, part - fewer, fewer)
    return torch.where(rest < sample, good - chosen, chosen)


def multivariate_hypergeometric(
    bits: BitGenerator, count: int, sample: Tensor, colors: Tensor
) -> Tensor:
    """Return rows of numbers of each color in a sample without replacement, as float64."""

    def split(count: int, words: ops.Words, drawn: Tensor, left: Tensor, right: Tensor) -> Tensor:
        return hypergeometric(bits, count, left, right, drawn, words=words)

    return _tree(bits, count, sample, colors, _RATIO_TRIES, split)


# --- angles ---------------------------------------------------------------------------------------

_CONCENTRATED: Final = 1e6
_ANGLE_TRIES: Final = 40  # at least 0.65 of the proposals are accepted: 0.35**40 < 2**-60


def _angle(words: Tensor, kappa: Tensor) -> tuple[tuple[Tensor], Tensor, tuple[()]]:
    first, second, third, fourth = columns(words, dt.float64)
    kappa, concentration = torch.clamp(kappa, max=_CONCENTRATED), kappa
    small = kappa < 1e-5
    safe = torch.where(small, 1.0, kappa)
    s = 1 + torch.sqrt(1 + 4 * safe * safe)
    rho = (s - torch.sqrt(2 * s)) / (2 * safe)
    tiny = torch.clamp(kappa, min=1e-300)
    r = torch.where(small, 1 / tiny + tiny, (1 + rho * rho) / (2 * rho))
    z = ops.cos(math.pi * fraction(first, dt.float64) * 2)
    w = (1 + r * z) / (r + z)
    y = torch.where(small, 1.0, kappa * (r - w))
    u = probability(fraction(second, dt.float64))
    accepted = (y * (2 - y) - u > 0) | (torch.log(y / u) + 1 - y >= 0)
    angle = ops.acos(torch.clamp(w, -1.0, 1.0))
    angle = torch.where(third < 0, -angle, angle)
    normal, _ = ops.box_muller(third, fourth, dt.float64)
    straight = normal / torch.sqrt(torch.clamp(concentration, min=_CONCENTRATED))
    return (torch.where(concentration > _CONCENTRATED, straight, angle),), accepted, ()


_PROPOSED_ANGLE: Final = ops.Proposal(_angle)


def von_mises(bits: BitGenerator, count: int, kappa: Tensor) -> Tensor:
    """Return angles about 0, as float64.

    D. J. Best and N. I. Fisher, Efficient simulation of the von Mises distribution (1979).  Above
    a kappa of 10**6 it is the normal distribution of variance 1 / kappa.
    """
    (angle,) = _rejection(bits, count, _ANGLE_TRIES, dt.float64, _PROPOSED_ANGLE, kappa)
    return angle


# --- integers -------------------------------------------------------------------------------------


def bounded(bits: BitGenerator, count: int, span: int, least: int, dtype: torch.dtype) -> Tensor:
    """Return integers from ``least`` to ``least + span``, both included.

    If span + 1 is a power of two, probabilities are exact.  Otherwise a number is
    floor(x (span + 1) / 2**n) for n random bits x, where n is 64 for spans below 2**32 - 1, and
    else 128.  So no probability is off by more than 2**-64.  An exact method would have to wait
    until all numbers are accepted.
    """
    make = ops.Bounded(span, least, dtype)
    if make.each > 1:
        bits = bits._each(make.each)
    return bits._of_integers(count * make.each, dt.int64, make)


def bounded_each(bits: BitGenerator, count: int, span: Tensor, width: int) -> Tensor:
    """Return the same integers for several spans, as the 64 bits of int64.

    Spans of 32 bits take 64 random bits for each number, wider spans take 128.
    """
    parts = 2 if width == 32 else 4
    words = bits._each(parts)._integers(count * parts, dt.int32).view(count, parts)
    return ops.bounded_limbs(words, span, width // 32)
