"""Each distribution against its exact distribution function, by SciPy.

At 40,000 draws; at 10**6 it takes minutes:

    RANDOM_GRID=full python -m pytest tests/chapters/test_random_distributions.py

The seeds are fixed.  A test fails where what was drawn has a probability below 1e-5.
"""

from __future__ import annotations

import itertools
import math
import os
from typing import Any

import mpmath
import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from ascend_array_api.random import _variates as variates

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

FULL = os.environ.get("RANDOM_GRID") == "full"
DRAWS = 10**6 if FULL else 40_000
LEAST = 1e-5
TAILS = (1e-5, 1e-4, 1e-3)


def generator(seed: int = 2024, kind: Any = xp.random.Philox) -> xp.random.Generator:
    return xp.random.Generator(kind(seed, device="cpu"))


def triangular(left: float, mode: float, right: float) -> Any:
    return stats.triang((mode - left) / (right - left), left, right - left)


def directions(mu: float, kappa: float) -> Any:
    return stats.vonmises(kappa, loc=mu)


def distributions(table: str) -> list[tuple[str, tuple[float, ...], Any]]:
    """Return names, arguments, and SciPy's distributions of a table."""
    lines = [line.split(" | ") for line in table.strip().splitlines()]
    return [
        (name, arguments, eval(exact)(*arguments))
        for name, exact, cases in lines
        for arguments in eval(f"[{cases}]")
    ]


CONTINUOUS = distributions("""
random | lambda: stats.uniform() | ()
uniform | lambda a, b: stats.uniform(a, b - a) | (-1.0, 3.0), (10.0, 3000.0)
standard_normal | lambda: stats.norm() | ()
normal | stats.norm | (1.0, 2.0), (-50.0, 0.1)
lognormal | lambda m, s: stats.lognorm(s, scale=math.exp(m)) | (0.5, 0.8), (0.0, 2.0)
standard_exponential | lambda: stats.expon() | ()
exponential | lambda s: stats.expon(scale=s) | (3.0,), (1e-3,)
laplace | stats.laplace | (0.0, 1.0), (-2.0, 5.0)
logistic | stats.logistic | (0.0, 1.0), (3.0, 0.2)
gumbel | stats.gumbel_r | (0.0, 1.0), (-2.0, 3.0)
standard_cauchy | lambda: stats.cauchy() | ()
cauchy | stats.cauchy | (0.0, 1.0), (2.0, 0.1)
standard_t | stats.t | (3.0,), (0.5,), (1.0,), (30.0,), (1e4,)
rayleigh | lambda s: stats.rayleigh(scale=s) | (1.0,), (7.0,)
weibull | stats.weibull_min | (0.3,), (2.0,), (1.0,), (20.0,)
pareto | stats.lomax | (3.0,), (0.5,), (50.0,)
power | stats.powerlaw | (3.0,), (0.5,), (50.0,)
wald | lambda m, s: stats.invgauss(m / s, scale=s) | (3.0, 2.0), (1.0, 1.0), (0.5, 2.0), (20.0, 0.5)
noncentral_chisquare | stats.ncx2 | (3.0, 2.0), (0.5, 20.0), (1.0, 1.0), (60.0, 0.1)
noncentral_f | stats.ncf | (3.0, 20.0, 2.0), (5.0, 8.0, 0.5)
triangular | triangular | (0.0, 0.3, 1.0), (-2.0, -2.0, 5.0), (1.0, 4.0, 4.0), (1.0, 2.0, 5.0)
standard_gamma | stats.gamma | (0.1,), (2.5,), (0.01,), (0.5,), (0.99,), (1.0,), (10.0,), (1e3,)
standard_gamma | stats.gamma | (1e6,)
gamma | lambda a, s: stats.gamma(a, scale=s) | (0.7, 3.0), (5.0, 0.1)
beta | stats.beta | (0.5, 0.5), (2.0, 5.0), (0.05, 3.0), (1.0, 1.0), (0.01, 0.02), (1e3, 2e3)
chisquare | stats.chi2 | (1.0,), (4.0,), (0.3,), (100.0,)
f | stats.f | (1.0, 1.0), (5.0, 12.0), (0.5, 3.0), (100.0, 200.0)
vonmises | directions | (0.0, 0.5), (0.0, 4.0), (0.0, 1e-7), (0.0, 100.0), (0.0, 5e4), (0.0, 1e7)
""")


def judge(x: np.ndarray[Any, Any], exact: Any) -> None:
    """Kolmogorov and Smirnov's test of the whole, and the counts in both tails."""
    assert np.isfinite(x).all()
    assert stats.kstest(x, exact.cdf).pvalue > LEAST
    for q in TAILS:
        for beyond in (np.sum(x < exact.ppf(q)), np.sum(x > exact.isf(q))):
            assert stats.binomtest(int(beyond), len(x), q).pvalue > LEAST, q


@pytest.mark.one_each
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(("name", "arguments", "exact"), CONTINUOUS, ids=lambda v: str(v)[:30])
def test_continuous(name: str, arguments: Any, exact: Any, dtype: Any) -> None:
    x = getattr(generator(), name)(*arguments, size=DRAWS, dtype=dtype)
    x = np.asarray(x).astype(np.float64)
    judge_held(name, x, exact, np.finfo(np.float32 if dtype is xp.float32 else np.float64))


@pytest.mark.parametrize("name", sorted({name for name, arguments, _ in CONTINUOUS if arguments}))
def test_arrays_of_parameters_of_continuous_distributions(name: str) -> None:
    cases = [(arguments, exact) for case, arguments, exact in CONTINUOUS if case == name]
    parameters = [
        xp.asarray(column, dtype=xp.float64, device="cpu")
        for column in zip(*(arguments for arguments, _ in cases))
    ]
    x = getattr(generator(11), name)(*parameters, size=(5000, len(cases)), dtype=xp.float64)
    for column, (_, exact) in zip(np.asarray(x).T, cases):
        judge_held(name, column, exact, np.finfo(np.float64))


def judge_held(name: str, x: np.ndarray[Any, Any], exact: Any, limits: Any) -> None:
    """Judge what the data type can hold.

    What it cannot, near 0 (of very small shapes that is the most) or near 1 (of beta), is left out
    on both sides.
    """
    low = float(limits.tiny)
    high = 1 - 64 * float(limits.eps) if name == "beta" else math.inf
    lost = float(exact.cdf(low) + exact.sf(high))
    if name in {"standard_gamma", "beta", "chisquare"} and lost > 1e-7:
        inside = x[(x > low) & (x < high)]
        assert stats.binomtest(len(x) - len(inside), len(x), lost).pvalue > LEAST
        below, within = exact.cdf(low), exact.cdf(high) - exact.cdf(low)
        assert stats.kstest(inside, lambda v: (exact.cdf(v) - below) / within).pvalue > LEAST
    else:
        judge(x, exact)


@pytest.mark.parametrize(("mu", "kappa"), [(2.5, 1.5), (-2.9, 3.0), (40.0, 0.5), (-9.0, 1e7)])
def test_directions_go_round_the_circle(mu: float, kappa: float) -> None:
    x = np.asarray(generator().vonmises(mu, kappa, size=DRAWS, dtype=xp.float64))
    assert np.max(np.abs(x)) <= math.pi
    judge(np.angle(np.exp(1j * (x - mu))), stats.vonmises(kappa))


NATIVE: dict[str, tuple[tuple[float, ...], Any]] = {
    "random": ((), stats.uniform()),
    "standard_normal": ((), stats.norm()),
    "standard_gamma": ((0.7,), stats.gamma(0.7)),
    "poisson": ((20.0,), stats.poisson(20.0)),
    "binomial": ((1000, 0.3), stats.binom(1000, 0.3)),
}


@pytest.mark.parametrize("name", NATIVE)
def test_native(name: str) -> None:
    given, exact = NATIVE[name]
    x = np.asarray(getattr(generator(5, xp.random.Native), name)(*given, size=DRAWS))
    if x.dtype.kind == "i":
        judge_counts(x, exact)
    else:
        judge(x.astype(np.float64), exact)


@pytest.mark.parametrize(
    ("name", "given", "variance"),
    [("poisson", (2.0**61,), 2.0**61), ("binomial", (2**53, 0.5), 2.0**51)],
)
def test_native_counts_of_large_means(name: str, given: Any, variance: float) -> None:
    """Torch's own logarithms of their probabilities have no digits, so that the variance grows."""
    x = np.asarray(getattr(generator(5, xp.random.Native), name)(*given, size=DRAWS))
    found = np.var(x.astype(np.float64) - given[0] * (1 if name == "poisson" else given[1]))
    assert abs(found / variance - 1) < 6 * math.sqrt(2 / DRAWS)


@pytest.mark.parametrize("dtype", [xp.float16, xp.bfloat16])
def test_half_precision(dtype: Any) -> None:
    x = generator().random(DRAWS, dtype=dtype)
    bits = {xp.float16: 11, xp.bfloat16: 8}[dtype]
    values = np.asarray(xp.astype(x, xp.float64)) * 2**bits
    counts = np.bincount(values.astype(np.int64), minlength=2**bits)
    assert (values == np.floor(values)).all()
    assert stats.chisquare(counts).pvalue > LEAST
    z = np.asarray(xp.astype(generator().normal(size=DRAWS, dtype=dtype), xp.float64))
    assert abs(z.mean()) < 5 / math.sqrt(DRAWS)
    assert abs(z.var() - 1) < 10 / math.sqrt(DRAWS)


# --- discrete -------------------------------------------------------------------------------------


class Zipf:
    """The zeta distribution; SciPy has its probabilities alone, whose sums would take ages."""

    def __init__(self, a: float) -> None:
        self.a = a

    def sf(self, x: Any) -> Any:
        return special.zeta(self.a, np.maximum(np.floor(x), 0) + 1) / special.zeta(self.a)

    def cdf(self, x: Any) -> Any:
        return 1 - self.sf(x)

    def isf(self, q: Any) -> Any:
        """Find the least number whose ``sf`` is at most q, by bisection."""
        low, high = np.zeros(np.shape(q)), np.full(np.shape(q), 2.0**64)
        while (high - low > np.maximum(1, high * 2.0**-50)).any():
            middle = np.floor((low + high) / 2)
            enough = self.sf(middle) <= q
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    def ppf(self, q: Any) -> Any:
        return self.isf(1 - q)


def hypergeometric(good: int, bad: int, sample: int) -> Any:
    return stats.hypergeom(good + bad, good, sample)


DISCRETE = distributions("""
poisson | stats.poisson | (3.5,), (25.0,), (0.0,), (1e-3,), (9.99,), (10.0,), (200.0,), (1e5,)
poisson | stats.poisson | (1e9,)
binomial | stats.binom | (20, 0.3), (200, 0.4), (1, 0.5), (0, 0.5), (5, 0.0), (5, 1.0), (20, 0.5)
binomial | stats.binom | (40, 0.9), (1000, 0.001), (10**6, 1e-5), (10**6, 0.7), (10**9, 0.5)
binomial | stats.binom | (10**9, 1e-8), (19, 0.51), (10**12, 0.25)
geometric | stats.geom | (0.3,), (1e-3,), (0.9,), (1e-7,)
logseries | stats.logser | (0.6,), (0.01,), (0.99,), (0.97,)
negative_binomial | stats.nbinom | (5.0, 0.3), (0.5, 0.1), (200.0, 0.5), (1.0, 1.0), (3.0, 1e-4)
zipf | Zipf | (1.2,), (1.5,), (2.0,), (3.0,), (10.0,), (1e4,)
hypergeometric | hypergeometric | (15, 25, 10), (0, 5, 3), (5, 0, 3), (7, 900, 30), (20, 20, 20)
hypergeometric | hypergeometric | (25, 15, 31), (100, 200, 150), (200, 100, 250), (45, 4000, 900)
hypergeometric | hypergeometric | (1000, 1000, 1000), (1, 10**6, 10**5), (10**5, 10**6, 500)
hypergeometric | hypergeometric | (10**6, 10**5, 10**6), (3, 3, 6)
""")


def judge_counts(x: np.ndarray[Any, Any], exact: Any) -> None:
    """The chi-square test, of bins in which at least ten are expected, and the tails."""
    edges = np.unique(exact.ppf(np.linspace(0, 1, 202)[1:-1]))
    edges = np.concatenate([[-np.inf], edges, [np.inf]])
    probabilities = np.diff(exact.cdf(edges))
    counts = np.histogram(x, np.nextafter(edges, np.inf))[0]
    keep = probabilities * len(x) >= 10
    counts = np.append(counts[keep], counts[~keep].sum())
    expected = np.append(probabilities[keep], probabilities[~keep].sum()) * len(x)
    assert (counts[expected == 0] == 0).all()
    counts, expected = counts[expected > 0], expected[expected > 0]
    if len(counts) > 1:
        assert stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > LEAST
    for q in TAILS:
        for place, beyond, chance in [
            (exact.ppf(q), lambda v: x <= v, exact.cdf),
            (exact.isf(q), lambda v: x > v, exact.sf),
        ]:
            share = float(chance(place))
            if 0 < share < 1:
                assert stats.binomtest(int(beyond(place).sum()), len(x), share).pvalue > LEAST, q


@pytest.mark.parametrize(("name", "arguments", "exact"), DISCRETE, ids=lambda v: str(v)[:30])
def test_discrete(name: str, arguments: Any, exact: Any) -> None:
    x = np.asarray(getattr(generator(), name)(*arguments, size=DRAWS))
    assert x.dtype == np.int64
    if name == "poisson" and arguments[0] > 1e8:
        judge_normal(x, arguments[0], math.sqrt(arguments[0]))
    elif name == "binomial" and arguments[0] > 1e8 and arguments[0] * arguments[1] > 1e8:
        n, p = arguments
        judge_normal(x, n * p, math.sqrt(n * p * (1 - p)))
    else:
        judge_counts(x, exact)


def judge_normal(x: np.ndarray[Any, Any], mean: float, deviation: float) -> None:
    """So large a number is normal as far as so many draws can tell."""
    judge((x - mean) / deviation, stats.norm())


def test_extreme_parameters_of_discrete_distributions() -> None:
    rng = generator()
    for mean in (1e12, 2.0**52, 2.0**62):
        x = np.asarray(rng.poisson(mean, size=20_000)).astype(np.float64)
        assert stats.kstest((x - mean) / math.sqrt(mean), stats.norm.cdf).pvalue > LEAST
    x = np.asarray(rng.binomial(2**53, 0.25, size=20_000)).astype(np.float64)
    z = (x - 2**51) / math.sqrt(2**51 * 0.75)
    assert stats.kstest(z, stats.norm.cdf).pvalue > LEAST
    x = np.asarray(rng.hypergeometric(2**52, 2**52, 2**52, size=20_000)).astype(np.float64)
    assert stats.kstest((x - 2**51) / 2.0**24.5, stats.norm.cdf).pvalue > LEAST
    assert int(xp.min(rng.geometric(1e-300, size=100))) > 2**62
    assert int(xp.min(rng.zipf(1 + 2.0**-52, size=100))) > 2**62
    assert int(xp.max(rng.zipf(math.inf, size=100))) == 1
    assert [int(v) for v in rng.hypergeometric([0, 4, 0, 4], [0, 0, 4, 4], [0, 3, 3, 8])] == [
        *(0, 3, 0, 4)
    ]
    assert [int(v) for v in rng.binomial(5, [0.0, 1.0])] == [0, 5]
    assert [int(v) for v in rng.geometric([1.0, 1.0])] == [1, 1]
    assert [float(v) for v in rng.gamma([0.0, 0.0])] == [0.0, 0.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_rejection_compares_is_near_mpmath(dtype: str) -> None:
    t = np.asarray([1e-9, 1e-4, 0.03, 0.1, 0.1249, 0.1251, 0.5, 3.0, -0.03, -0.1249, -0.3], dtype)
    found = variates._log1p_remainder(torch.from_numpy(t)).tolist()
    with mpmath.workdps(60):
        exact = [mpmath.log1p(x) - x + x**2 / 2 - x**3 / 3 for x in map(mpmath.mpf, t.tolist())]
    # Where it cancels it is small beside the logarithms that it is compared with.
    units = 16 * float(np.finfo(dtype).eps)
    for x, number, right in zip(t.tolist(), found, exact):
        assert abs(number - right) <= units * max(abs(right), abs(x) / 4 * (abs(x) > 0.125)), x


def test_what_discrete_rejection_compares_is_near_mpmath() -> None:
    k = torch.tensor([0.0, 1, 2, 7, 15, 16, 17, 20, 40, 1000, 1e8, 2.0**53], dtype=torch.float64)
    found = variates._factorial_rest(k).tolist()
    for x, number in zip(k.tolist(), found):
        with mpmath.workdps(60):
            right = mpmath.loggamma(mpmath.mpf(x) + 1) - (x * mpmath.log(x) if x else 0) + x
        assert number == pytest.approx(float(right), rel=2e-15, abs=1e-15), x
    means = torch.tensor([10.0, 12.0, 1000.0, 1e8], dtype=torch.float64)
    for x, mean in ((k, m) for k in (0.0, 9.0, 13.0, 990.0, 1e8 + 3) for m in means):
        with mpmath.workdps(60):
            m = mpmath.mpf(float(mean))
            right = (x * mpmath.log(x / m) if x else 0) + m - x
        number = float(variates._deviance(torch.tensor(x, dtype=torch.float64), mean))
        assert number == pytest.approx(float(right), rel=1e-13, abs=1e-15 * max(x, float(mean)))


def test_what_hypergeometric_rejection_compares_is_near_mpmath() -> None:
    """Beside the whole factorials; of large numbers the means are off by a part of their step."""
    cases = [
        (few, part, 2 * max(few, part) + more)
        for few in (1, 3, 20, 1000, 10**7)
        for part in (1, 40, 2000, 10**9)
        for more in (0, 7, 10**5, 10**14)
    ]
    for few, part, total in cases:
        numbers = [torch.tensor(float(x), dtype=torch.float64) for x in (few, part, total)]

        def exact(k: int, few: int = few, part: int = part, total: int = total) -> Any:
            ways = (k, few - k, part - k, total - few - part + k)
            return -mpmath.fsum(mpmath.loggamma(way + 1) for way in ways)

        with mpmath.workdps(60):
            whole = (few, total - few, part, total - part)
            rest = mpmath.fsum(mpmath.loggamma(x + 1) for x in whole) - mpmath.loggamma(total + 1)
            none = float(mpmath.exp(exact(0) + rest))
            mode = (few + 1) * (part + 1) // (total + 2)
            other = max(0, mode - 1 - math.isqrt(mode))
            ratio = float(exact(other) - exact(mode))
        if few * part < 10 * total:
            assert float(variates._none_of_few(*numbers)) == pytest.approx(none, rel=2e-14)
        logs = [
            variates._log_hypergeometric(torch.tensor(float(k), dtype=torch.float64), *numbers)
            for k in (other, mode)
        ]
        step = 2.0**-52 * math.sqrt(part)
        assert float(logs[0] - logs[1]) == pytest.approx(ratio, rel=1e-12, abs=1e-13 + step)


@pytest.mark.parametrize(
    ("few", "part", "total"),
    [(20, 20, 40), (20, 500, 1000), (27, 35, 82), (900, 1000, 2000), (110, 10**4, 10**5)],
)
def test_the_ratio_of_uniforms_covers_hypergeometric_probabilities(
    few: int, part: int, total: int
) -> None:
    """The rectangle that is drawn from has all of the region, and 0.517 of it is accepted."""
    mean = few * part / total
    variance = mean * (1 - few / total) * (total - part) / (total - 1)
    width = 2 * math.sqrt(2 / math.e) * math.sqrt(variance + 0.5) + 3 - 2 * math.sqrt(3 / math.e)
    k = np.arange(min(few, part) + 1)
    log = stats.hypergeom(total, few, part).logpmf(k)
    ratio = np.exp(log - log.max())
    edge = np.maximum(np.abs(k - mean - 0.5), np.abs(k + 0.5 - mean)) * np.sqrt(ratio)
    assert edge.max() <= width / 2
    assert ratio.sum() / 2 / width > 0.517
    assert (1 - 0.517) ** variates._RATIO_TRIES < 2.0**-60


@pytest.mark.parametrize("dtype", sorted(dt.INTEGER, key=str), ids=str)
def test_counts_beyond_a_data_type_are_its_greatest(dtype: Any) -> None:
    greatest = float(xp.iinfo(dtype).max)
    mean = min(greatest, 2.0**62)
    draws = {
        "poisson": generator().poisson(mean, 1000, dtype=dtype),
        "geometric": generator().geometric(1 / greatest, 1000, dtype=dtype),
        "zipf": generator().zipf(1.001, 1000, dtype=dtype),
        "least": generator().geometric(5e-324, 10, dtype=dtype),
    }
    for name, x in draws.items():
        numbers = np.asarray(x)
        assert numbers.min() > 0, name
        assert 0.5 * mean < np.max(numbers) <= greatest, name
    assert np.min(np.asarray(draws["least"])) > 0.99 * min(greatest, 2.0**63)
    if greatest < 2**40:
        assert np.mean(np.asarray(draws["geometric"]) == greatest) == pytest.approx(0.37, abs=0.05)


@pytest.mark.parametrize("width", [2e-23, 1e20, 1.0, 3e38, 1e-37])
def test_triangular_of_any_width(width: float) -> None:
    x = np.asarray(generator().triangular(0.0, width / 2, width, 10000)).astype(float)
    assert len(np.unique(x)) > 9000
    test = stats.kstest(x / width, stats.triang(0.5).cdf)
    assert test.pvalue > 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extreme_parameters_of_continuous_distributions(dtype: str) -> None:
    """No NaN, and what is known of the limits."""
    limits = np.finfo(dtype)
    large, least = 0.9 * float(limits.max), float(limits.smallest_subnormal)

    def drawn(name: str, *arguments: Any) -> np.ndarray:
        result = getattr(generator(), name)(*arguments, size=100, dtype=getattr(xp, dtype))
        numbers = np.asarray(result).astype("float64")
        assert not np.isnan(numbers).any(), name
        return numbers

    for name in ("standard_gamma", "chisquare"):
        np.testing.assert_allclose(drawn(name, large), large, rtol=1e-5)
        assert np.max(drawn(name, least)) == 0
    np.testing.assert_allclose(drawn("beta", large, large), 0.5, rtol=1e-5)
    np.testing.assert_allclose(drawn("beta", large, 1.0), 1.0, rtol=1e-5)
    assert set(drawn("beta", least, least)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn("f", large, large), 1.0, rtol=1e-5)
    assert set(drawn("f", least, least)) == {0.0, math.inf}
    np.testing.assert_allclose(drawn("dirichlet", [large] * 3), 1 / 3, rtol=1e-5)
    assert set(drawn("dirichlet", [least] * 3).ravel()) == {0.0, 1.0}
    assert np.max(np.abs(drawn("vonmises", large, 2.0))) <= np.float32(math.pi)
    drawn("standard_t", large), drawn("weibull", least), drawn("pareto", least)


def test_no_number_leads_out_of_a_table() -> None:
    numbers = torch.tensor([np.nan, np.inf, -np.inf, 1e300, -5.0, 3.0], dtype=torch.float64)
    rest = variates._factorial_rest(numbers)
    assert float(rest[-1]) == pytest.approx(math.log(6) - 3 * math.log(3) + 3)


def test_arrays_of_parameters_have_each_their_distribution() -> None:
    means = xp.asarray([0.5, 9.0, 11.0, 400.0], dtype=xp.float64, device="cpu")
    x = np.asarray(generator().poisson(means, size=(DRAWS // 4, 4)))
    for i, mean in enumerate(means):
        judge_counts(x[:, i], stats.poisson(float(mean)))
    n = xp.asarray([10, 1000], device="cpu")
    p = xp.asarray([0.9, 0.2], dtype=xp.float64, device="cpu")
    z = np.asarray(generator().binomial(n, p, size=(DRAWS // 4, 2)))
    judge_counts(z[:, 0], stats.binom(10, 0.9))
    judge_counts(z[:, 1], stats.binom(1000, 0.2))


# --- independence ---------------------------------------------------------------------------------


def test_spawned_streams_are_independent() -> None:
    family = [generator(9), *generator(9).spawn(7)]
    x = np.stack([np.asarray(member.standard_normal(DRAWS, dtype=xp.float64)) for member in family])
    correlations = np.corrcoef(x)[np.triu_indices(8, 1)]
    assert (np.abs(correlations) < 5 / math.sqrt(DRAWS)).all()
    assert stats.kstest(correlations * math.sqrt(DRAWS), stats.norm.cdf).pvalue > LEAST
    jumped = generator(9).bit_generator.jumped()
    y = np.asarray(xp.random.Generator(jumped).standard_normal(DRAWS, dtype=xp.float64))
    assert abs(np.corrcoef(x[0], y)[0, 1]) < 5 / math.sqrt(DRAWS)


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
def test_neighbours_are_independent(dtype: Any) -> None:
    rng = generator(10)
    u = np.asarray(rng.random(DRAWS, dtype=dtype)).astype(np.float64)
    z = np.asarray(rng.standard_normal(DRAWS, dtype=dtype)).astype(np.float64)
    for lag in range(1, 9):
        for x in (u - 0.5, z, np.abs(z) - math.sqrt(2 / math.pi), z**2 - 1):
            product = x[:-lag] * x[lag:]
            error = product.std() / math.sqrt(len(product))
            assert abs(product.mean()) < 5 * error, lag
    cells = (u.reshape(-1, 2) * 16).astype(np.int64)
    counts = np.bincount(cells[:, 0] * 16 + cells[:, 1], minlength=256)
    assert stats.chisquare(counts).pvalue > LEAST
    angle = np.arctan2(z[::2], z[1::2])
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > LEAST
    assert stats.kstest(z[::2] ** 2 + z[1::2] ** 2, stats.chi2(2).cdf).pvalue > LEAST


# --- vectors --------------------------------------------------------------------------------------


def test_multinomial() -> None:
    p = np.array([0.1, 0.2, 0.05, 0.65])
    x = np.asarray(generator().multinomial(30, p.tolist(), size=DRAWS // 4))
    assert (x.sum(-1) == 30).all()
    for i in range(4):
        judge_counts(x[:, i], stats.binom(30, p[i]))
    judge_counts(x[:, 1] + x[:, 3], stats.binom(30, 0.85))
    covariance = np.cov(x.T)
    exact = 30 * (np.diag(p) - np.outer(p, p))
    assert np.abs(covariance - exact).max() < 0.15
    n = xp.asarray([0, 1, 1000], device="cpu")
    y = np.asarray(generator().multinomial(n, [0.5, 0.5, 0.0], size=(500, 3)))
    assert y.shape == (500, 3, 3)
    assert (y.sum(-1) == [0, 1, 1000]).all()
    assert (y[..., 2] == 0).all()
    stacked = xp.asarray([[0.5, 0.5], [1.0, 0.0]], dtype=xp.float64, device="cpu")
    assert generator().multinomial(5, stacked).shape == (2, 2)
    assert int(generator().multinomial(5, stacked)[1, 0]) == 5


@pytest.mark.parametrize("categories", [2, 3, 5, 7])
def test_multinomial_of_any_number_of_categories(categories: int) -> None:
    p = np.arange(1.0, categories + 1) / math.fsum(range(1, categories + 1))
    x = np.asarray(generator().multinomial(25, p.tolist(), size=20_000))
    assert x.shape == (20_000, categories)
    assert (x.sum(-1) == 25).all()
    for i in range(categories):
        judge_counts(x[:, i], stats.binom(25, p[i]))
        if categories > 2:
            judge_counts(x[:, i] + x[:, i - 1], stats.binom(25, p[i] + p[i - 1]))
    rows = np.stack([p, p[::-1]])
    y = np.asarray(generator().multinomial(10**9, xp.asarray(rows, device="cpu")))
    assert np.abs(y / 1e9 - rows).max() < 1e-3


def test_multinomial_gives_nothing_to_what_has_no_chance() -> None:
    p = np.zeros(37)
    p[[3, 4, 21, 36]] = 0.25
    x = np.asarray(generator().multinomial(40, p.tolist(), size=1000))
    assert (x.sum(-1) == 40).all()
    assert (x[:, p == 0] == 0).all()
    for i in np.flatnonzero(p):
        judge_counts(x[:, i], stats.binom(40, 0.25))


@pytest.mark.parametrize(("categories", "levels"), [(1, 0), (2, 1), (3, 2), (64, 6), (100, 7)])
def test_multinomial_draws_once_for_a_level(
    categories: int, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    original = variates.binomial

    def binomial(*arguments: Any, **words: Any) -> Any:
        calls.append(arguments)
        return original(*arguments, **words)

    monkeypatch.setattr(variates, "binomial", binomial)
    generator().multinomial(1000, [1 / categories] * categories, size=2)
    assert len(calls) == levels
    assert sum(count for _, count, *_ in calls) == 2 * (categories - 1)


def test_multivariate_hypergeometric() -> None:
    colors = np.array([16, 8, 0, 40, 7])
    for method in ("marginals", "count"):
        x = np.asarray(
            generator().multivariate_hypergeometric(colors.tolist(), 30, DRAWS // 4, method)
        )
        assert (x.sum(-1) == 30).all()
        for i, number in enumerate(colors):
            judge_counts(x[:, i], hypergeometric(number, 71 - number, 30))
        judge_counts(x[:, 1] + x[:, 3], hypergeometric(48, 23, 30))
        judge_counts(x[:, 0] + x[:, 4], hypergeometric(23, 48, 30))
    covariance = np.cov(x.T)
    p = colors / 71
    exact = 30 * 41 / 70 * (np.diag(p) - np.outer(p, p))
    assert np.abs(covariance - exact).max() < 0.15
    sample = xp.asarray([0, 1, 71], device="cpu")
    y = np.asarray(generator().multivariate_hypergeometric(colors.tolist(), sample, (500, 3)))
    assert (y.sum(-1) == [0, 1, 71]).all()
    assert (y[:, 2] == colors).all()
    stacked = xp.asarray([[5, 5], [10**9, 0]], device="cpu")
    drawn = generator().multivariate_hypergeometric(stacked, 5)
    assert drawn.shape == (2, 2)
    assert [int(v) for v in drawn[1, :]] == [5, 0]
    assert [int(v) for v in generator().multivariate_hypergeometric([4], 3)] == [3]


def test_dirichlet() -> None:
    alpha = [0.3, 1.0, 5.0]
    x = np.asarray(generator().dirichlet(alpha, size=DRAWS, dtype=xp.float64))
    assert np.allclose(x.sum(-1), 1)
    for i, a in enumerate(alpha):
        judge(x[:, i], stats.beta(a, sum(alpha) - a))
    judge(x[:, 0] + x[:, 1], stats.beta(1.3, 5.0))
    tiny = np.asarray(generator().dirichlet([1e-3, 1e-3], size=100))
    assert np.isfinite(tiny).all()
    rows = xp.asarray([[1.0, 1.0], [1e6, 1.0]], device="cpu")
    assert np.asarray(generator().dirichlet(rows))[1, 0] > 0.99


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method: Any) -> None:
    mean = np.array([1.0, -2.0, 0.5])
    root = np.array([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.7]])
    covariance = root @ root.T
    x = generator().multivariate_normal(
        mean.tolist(), covariance.tolist(), size=DRAWS, method=method, dtype=xp.float64
    )
    z = np.linalg.solve(root, (np.asarray(x) - mean).T)
    for row in z:
        assert stats.kstest(row, stats.norm.cdf).pvalue > LEAST
    assert np.abs(np.cov(z) - np.eye(3)).max() < 8 / math.sqrt(DRAWS)
    assert generator().multivariate_normal([0.0], [[1.0]], method=method).shape == (1,)
    # The mean, and normal numbers times a root: the triangular one, or the symmetric one.
    values, vectors = np.linalg.eigh(covariance)
    factor = root if method == "cholesky" else vectors * np.sqrt(values) @ vectors.T
    normal = np.asarray(generator().standard_normal((DRAWS, 3), dtype=xp.float64))
    np.testing.assert_allclose(np.asarray(x), mean + normal @ factor.T, rtol=1e-9, atol=1e-9)


def test_multivariate_normal_of_a_singular_covariance() -> None:
    x = generator().multivariate_normal([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]], size=100)
    assert np.allclose(np.asarray(x)[:, 0], np.asarray(x)[:, 1], atol=1e-3)
    none = generator().multivariate_normal([1.0, -2.0], [[0.0, 0.0], [0.0, 0.0]], size=2)
    assert np.asarray(none).tolist() == [[1.0, -2.0]] * 2


def test_how_far_a_covariance_may_be_from_symmetric() -> None:
    """By its largest number times the tolerance, which is the root of the least step."""
    rng = generator()
    for scale in (1.0, 1e6, 1e-6):
        for more, taken in ((0.9, True), (1.1, False)):
            off = scale * (0.25 + more * 2.0**-26)
            given = [0.0, 0.0], [[scale, off], [0.25 * scale, scale / 2]]
            if taken:
                assert rng.multivariate_normal(*given, dtype=xp.float64).shape == (2,)
                continue
            with pytest.raises(ValueError, match="cov must be symmetric"):
                rng.multivariate_normal(*given, dtype=xp.float64)
    exact = [[2.0, 0.0], [0.0, 2.0]]
    assert rng.multivariate_normal([0.0, 0.0], exact, tol=0.0, method="cholesky").shape == (2,)


# --- choices and permutations ---------------------------------------------------------------------


def test_choice_with_replacement() -> None:
    counts = np.bincount(np.asarray(generator().choice(7, size=DRAWS)), minlength=7)
    assert stats.chisquare(counts).pvalue > LEAST
    p = np.array([0.1, 0.0, 0.6, 0.3])
    x = np.asarray(generator().choice(4, size=DRAWS, p=p.tolist()))
    counts = np.bincount(x, minlength=4)
    assert counts[1] == 0
    assert stats.chisquare(counts[p > 0], p[p > 0] * DRAWS).pvalue > LEAST
    weights = xp.asarray(p, dtype=xp.float32, device="cpu")
    assert generator().choice(4, size=(2, 3), p=weights).shape == (2, 3)


def test_a_weighted_choice_is_the_first_whose_sum_exceeds_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = torch.tensor([0.0, 0.125, 0.25, 0.375, 0.5, 1 - 2.0**-53], dtype=torch.float64)
    monkeypatch.setattr(xp.random.Philox, "_numbers", lambda *_: numbers)
    x = generator().choice(5, size=6, p=[0.0, 0.25, 0.0, 0.25, 0.5])
    assert np.asarray(x).tolist() == [1, 1, 3, 3, 4, 4]


def test_choice_without_replacement() -> None:
    orders = list(itertools.permutations(range(4), 2))
    rng = generator(4)
    seen = dict.fromkeys(orders, 0)
    for _ in range(600):
        seen[tuple(np.asarray(rng.choice(4, size=2, replace=False)).tolist())] += 1
    assert stats.chisquare(list(seen.values())).pvalue > LEAST
    p = [0.5, 0.25, 0.15, 0.1]
    weighted = dict.fromkeys(orders, 0)
    for _ in range(600):
        weighted[tuple(np.asarray(rng.choice(4, size=2, replace=False, p=p)).tolist())] += 1
    expected = [p[i] * p[j] / (1 - p[i]) * 600 for i, j in orders]
    assert stats.chisquare([weighted[o] for o in orders], expected).pvalue > LEAST


def test_few_of_many_are_the_first_of_a_permutation() -> None:
    for size, count in ((100, 5), (1000, 125), (1000, 126), (10**5, 1), (3, 0)):
        chosen = generator().choice(size, count, replace=False)
        order = generator().permutation(size)
        assert np.asarray(chosen).tolist() == np.asarray(order)[:count].tolist()


def test_nothing_is_chosen_that_has_no_probability() -> None:
    for p in ([0.0, 1.0, 5e-324], [5e-324, 0.0, 1.0], [0.0, 1e-310, 1.0]):
        for seed in range(20):
            chosen = np.asarray(generator(seed).choice(3, 2, replace=False, p=p)).tolist()
            assert chosen[0] == p.index(1.0)
            assert p[chosen[1]] > 0
    second = [int(generator(s).choice(3, 2, False, [1.0, 5e-324, 2e-323])[1]) for s in range(400)]
    assert second.count(2) / 400 == pytest.approx(0.8, abs=0.08)


def test_choice_along_an_axis() -> None:
    x = xp.reshape(xp.arange(24, device="cpu"), (2, 3, 4))
    rng = generator()
    chosen = rng.choice(x, size=(5, 2), axis=1)
    assert chosen.shape == (2, 5, 2, 4)
    assert rng.choice(x, axis=2).shape == (2, 3)
    whole = np.sort(np.asarray(rng.choice(x, size=4, replace=False, axis=-1)), axis=-1)
    assert (whole == np.asarray(x)).all()
    assert rng.choice(3, size=0).shape == (0,)
    assert rng.choice(xp.zeros((0,), device="cpu"), size=0).shape == (0,)
    assert rng.choice(xp.asarray([True, False], device="cpu"), size=3).dtype == xp.bool
    unsigned = xp.asarray([2**64 - 1], dtype=xp.uint64, device="cpu")
    assert int(rng.choice(unsigned)) == 2**64 - 1


def test_permutations_are_uniform() -> None:
    orders = {order: i for i, order in enumerate(itertools.permutations(range(4)))}
    rng = generator(6)
    x = xp.reshape(xp.repeat(xp.arange(4, device="cpu"), 20_000), (4, 20_000))
    columns = np.asarray(rng.permuted(x, axis=0)).T
    counts = np.bincount([orders[tuple(c)] for c in columns.tolist()], minlength=24)
    assert stats.chisquare(counts).pvalue > LEAST
    whole = [tuple(int(i) for i in rng.permutation(4)) for _ in range(3000)]
    assert stats.chisquare(np.bincount([orders[o] for o in whole], minlength=24)).pvalue > LEAST
    first = np.asarray(rng.permutation(10**5)).reshape(10, -1)
    assert sorted(first.reshape(-1).tolist()) == list(range(10**5))
    table = np.stack([np.bincount(row // 10**4, minlength=10) for row in first])
    assert stats.chisquare(table.reshape(-1)).pvalue > LEAST


def test_permutations_keep_what_belongs_together() -> None:
    rng = generator()
    x = xp.reshape(xp.arange(12, device="cpu"), (3, 4))
    rows = np.asarray(rng.permutation(x))
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, np.asarray(x).tolist()))
    columns = np.asarray(rng.permutation(x, axis=1))
    assert sorted(map(tuple, columns.T.tolist())) == sorted(map(tuple, np.asarray(x).T.tolist()))
    assert sorted(np.asarray(rng.permuted(x)).reshape(-1).tolist()) == list(range(12))
    assert (np.sort(np.asarray(rng.permuted(x, axis=1)), axis=1) == np.asarray(x)).all()
    y = xp.asarray(np.arange(12.0).reshape(3, 4), device="cpu", copy=True)
    view = y[:, ::2]
    rng.shuffle(view, axis=1)
    assert sorted(np.asarray(y)[0, ::2].tolist()) == [0.0, 2.0]
    assert np.asarray(y)[0, 1::2].tolist() == [1.0, 3.0]
    for axis in (0, 1, -1):
        z = xp.asarray(np.arange(63.0).reshape(9, 7), device="cpu", copy=True)
        permuted = generator(8).permutation(z, axis=axis)
        assert generator(8).shuffle(z, axis=axis) is None
        assert np.asarray(z).tolist() == np.asarray(permuted).tolist()
        assert np.asarray(z).tolist() != np.arange(63.0).reshape(9, 7).tolist()
    before = sorted(map(tuple, np.asarray(y).tolist()))
    rng.shuffle(y)
    assert sorted(map(tuple, np.asarray(y).tolist())) == before
    with pytest.raises(ValueError, match="shuffle"):
        rng.shuffle(xp.broadcast_to(xp.asarray([1], device="cpu"), (3,)))
