"""SciPy on a device: ten thousand maximum likelihood fits, and as many integrals, at once.

The data are measurements of the cell nuclei in 569 breast tumours, 357 of them benign and 212
malignant. How much does one such measurement tell about the diagnosis?

To answer that, each measurement gets two curves: how it is distributed in benign tumours, and how
in malignant ones. Where the curves are the same, the measurement tells nothing (0 bits); where they
lie apart, it tells everything (1 bit). In between, an integral over both tells how much.

To know how far such a number can be trusted, we do it all again for 200 samples that are drawn from
the data ("the bootstrap"). That makes 24 measurements x 2 diagnoses x 201 samples = 9648 curves to
fit, and 4824 integrals. With NumPy one would write a loop. Here SciPy does all of them in two
calls, on the device.

Run it with ``python examples/scipy_statistics.py --device cpu``.
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy looks at this once, when it is imported.

import math
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
from agreement import Agreement, parse_device
from scipy import integrate, stats
from scipy.optimize import elementwise
from side_by_side import Array, NumpyArray, table, to_numpy
from sklearn.datasets import load_breast_cancer

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLES = 200

# --- The mathematics --------------------------------------------------------------------------
#
# These functions look like NumPy. The one difference is their first line: they do not import
# NumPy's functions, but ask the array that they are given for the library it belongs to. By custom
# that library is called `xp`. For a NumPy array it is NumPy, for an array on an NPU it is
# `ascend_array_api`. So one and the same function serves both, and below NumPy checks the result.


def log_minus_digamma(k: Array) -> Array:
    """Return log(k) - digamma(k), by Stirling's series at k + 6 and six steps back to k."""
    xp = k.__array_namespace__()
    r = 1 / (k + 6) ** 2
    series = 0.5 / (k + 6) + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r / 240)))
    steps = 1 / k + 1 / (k + 1) + 1 / (k + 2) + 1 / (k + 3) + 1 / (k + 4) + 1 / (k + 5)
    return series + (steps - xp.log1p(6 / k))


def log_gamma(k: Array) -> Array:
    """Return log(Gamma(k)), in the same way."""
    xp = k.__array_namespace__()
    n = k + 6
    r = 1 / n**2
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r / 1680))) / n
    steps = xp.log(k * (k + 1) * (k + 2)) + xp.log((k + 3) * (k + 4) * (k + 5))
    return (n - 0.5) * xp.log(n) - n + 0.5 * math.log(2 * math.pi) + series - steps


def fit(mean: Array, mean_log: Array) -> Array:
    """Return the shapes k of the gamma distributions that fit best, one for each element.

    The likelihood is largest where log(k) - digamma(k) = log(mean) - mean_log. With s for the
    right-hand side, the root lies between 1 / 2s and 1 / s.
    """
    xp = mean.__array_namespace__()
    s = xp.log(mean) - mean_log
    result = elementwise.find_root(
        lambda k, s: (log_minus_digamma(k) - s) / s, (0.5 / s, 1 / s), args=(s,)
    )
    assert bool(xp.all(result.success))
    return result.x


def log_density(x: Array, k: Array, mean: Array) -> Array:
    """Return the logarithm of the gamma distribution's density."""
    xp = x.__array_namespace__()
    return k * (xp.log(k / mean) + xp.log(x) - x / mean) - xp.log(x) - log_gamma(k)


def information(k: Array, mean: Array) -> Array:
    """Return how many bits the measurement tells; the last axis is benign, malignant.

    It is the Jensen-Shannon divergence: the integral of f/2 log2(f/m) + g/2 log2(g/m), where f and
    g are the two densities and m is their mean.
    """
    xp = k.__array_namespace__()

    def integrand(x: Array, k0: Array, mean0: Array, k1: Array, mean1: Array) -> Array:
        log_f, log_g = log_density(x, k0, mean0), log_density(x, k1, mean1)
        zero = xp.zeros_like(x)
        bits_f = 1 - xp.logaddexp(zero, log_g - log_f) / math.log(2)
        bits_g = 1 - xp.logaddexp(zero, log_f - log_g) / math.log(2)
        return (xp.exp(log_f) * bits_f + xp.exp(log_g) * bits_g) / 2

    # Twenty standard deviations above the mean there is nothing left.
    end = xp.max(mean * (1 + 20 / xp.sqrt(k)), axis=-1)
    result = integrate.tanhsinh(
        integrand,
        xp.zeros_like(end),
        end,
        args=(k[..., 0], mean[..., 0], k[..., 1], mean[..., 1]),
        atol=1e-5,
        rtol=1e-5,
        minlevel=5,  # The densities are narrow peaks, which a coarse grid would miss.
    )
    assert bool(xp.all(result.success))
    return result.integral


def analyse(groups: list[Array], draws: list[Array]) -> tuple[Array, Array, Array]:
    """Fit all curves, and return their shapes, the bits of each sample, and 95 % intervals.

    `groups` has the measurements of benign and of malignant tumours, `draws` which of the tumours
    are in each sample.
    """
    xp = groups[0].__array_namespace__()
    means, mean_logs = [], []
    for values, chosen in zip(groups, draws):
        sampled = xp.reshape(
            xp.take(values, xp.reshape(chosen, (-1,)), axis=0), (*chosen.shape, values.shape[1])
        )
        means.append(xp.mean(sampled, axis=1))
        mean_logs.append(xp.mean(xp.log(sampled), axis=1))
    mean = xp.stack(means, axis=-1)  # samples x measurements x 2
    k = fit(mean, xp.stack(mean_logs, axis=-1))
    bits = information(k, mean)
    ends = xp.asarray([0.025, 0.975], dtype=bits.dtype, device=bits.device)
    interval = stats.quantile(bits, ends[:, None], axis=0)
    return k, bits, interval


# --- The run ----------------------------------------------------------------------------------


def one_by_one(values: list[NumpyArray]) -> float:
    """Do it for one measurement in the way of a textbook, with SciPy's own gamma distribution."""
    f, g = (stats.gamma(*stats.gamma.fit(x, floc=0)) for x in values)

    def integrand(x: float) -> float:
        p, q = f.pdf(x), g.pdf(x)
        return float(sum(a / 2 * math.log2(2 * a / (p + q)) for a in (p, q) if a > 0))

    middle = [f.mean(), g.mean()]
    end = max(d.mean() + 20 * d.std() for d in (f, g))
    value: float = integrate.quad(integrand, 0, end, points=middle, limit=200)[0]
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; the exit status tells whether all agrees with NumPy."""
    device = parse_device(argv, "Ten thousand maximum likelihood fits at once")

    # A gamma distribution is for positive numbers: six measurements that are zero in some tumours
    # are left out. Dividing by the mean changes no answer, and keeps the numbers close to 1.
    data = load_breast_cancer()
    positive = np.min(data.data, axis=0) > 0
    table64 = data.data[:, positive] / np.mean(data.data[:, positive], axis=0)
    names = [str(name) for name in data.feature_names[positive]]
    groups64 = [table64[data.target == 1], table64[data.target == 0]]

    # To the device. `float32` is what NPUs compute fast; NumPy's default would be `float64`.
    groups = [xp.asarray(group, dtype=xp.float32, device=device) for group in groups64]

    # Sample 0 is the data themselves. The random numbers are the same on every device.
    rng = xp.random.default_rng(20, device=device)
    draws = []
    for group in groups:
        n = group.shape[0]
        everyone = xp.arange(n, device=device)[None, :]
        draws.append(xp.concat([everyone, rng.integers(0, n, size=(SAMPLES, n))], axis=0))

    # `ascend_array_api` is strict: where the standard leaves open what a call means, it raises.
    # SciPy's `tanhsinh` has a few such calls: it says `xp.zeros(shape, dtype=bool)`, with Python's
    # `bool` and without a device. `relaxed` answers such calls as NumPy would; `device` says where.
    start = time.perf_counter()
    with xp.options(relaxed=True, device=device):
        k, bits, interval = analyse(groups, draws)
    best = xp.argsort(bits[0, :], descending=True)
    order = to_numpy(best)  # the first to wait for the device
    seconds = time.perf_counter() - start

    low, high = to_numpy(interval)
    print(f"{k.size} curves fitted and {bits.size} integrals taken on {device}: {seconds:.2f} s\n")
    print(
        table(
            ["what one measurement tells", "bits", "95 % interval"],
            [
                [names[i], f"{to_numpy(bits)[0, i]:.3f}", f"{low[i]:.3f} to {high[i]:.3f}"]
                for i in order
            ],
        )
    )

    agreement = Agreement(device)
    # First judge: the same functions on NumPy's arrays, in float64.
    k64, bits64, interval64 = analyse(groups64, [to_numpy(d) for d in draws])
    agreement.close("shapes of the curves", k, k64, within=1e-3)
    agreement.close("bits of all samples", bits, bits64, within=1e-4)
    agreement.close("ends of the intervals", interval, interval64, within=1e-4)
    # Second judge, which shares no code with the above: `scipy.stats.gamma`, one at a time.
    start = time.perf_counter()
    textbook = [one_by_one([group[:, i] for group in groups64]) for i in range(len(names))]
    each = (time.perf_counter() - start) / len(textbook)
    print(f"\nOne at a time, all {bits.size} integrals would take {bits.size * each:.0f} s.")
    agreement.close("bits, by the textbook", bits[0, :], np.asarray(textbook), within=1e-4)
    return agreement.conclude()


if __name__ == "__main__":
    sys.exit(main())
