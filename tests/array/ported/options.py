"""Prices of options by simulated paths, with their standard errors and quantiles."""

import math

import numpy as np


def paths(count, steps, dt, drift, sigma):
    """Paths by a low-discrepancy sequence and the sum of twelve uniform numbers."""
    roots = np.sqrt(np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0]))
    seed = np.arange(1, count * steps + 1).reshape(count, steps, 1)
    uniform = np.mod(seed * roots, 1.0)
    normal = (uniform.sum(-1) - 3) * math.sqrt(2)
    return np.exp(np.log(100.0) + np.cumsum(drift * dt + sigma * np.sqrt(dt) * normal, axis=1))


def run():
    strike, rate, sigma, years, steps = 105, 0.02, 0.25, 1.0, 10
    prices = paths(500, steps, years / steps, rate - sigma**2 / 2, sigma)
    asian = np.maximum(prices.mean(axis=1) - strike, 0)
    last = prices[:, -1]
    touched = (prices > 140).any(axis=1)
    barrier = np.where(touched, 0, np.maximum(last - strike, 0))
    discount = np.exp(-rate * years)
    lines = []
    for name, pay in [("asian", asian), ("barrier", barrier)]:
        value = discount * pay.mean()
        error = discount * pay.std(ddof=1) / np.sqrt(len(pay))
        lines.append(f"{name} {value:.3f} +- {1.96 * error:.3f}")
    quantiles = np.percentile(last, [5, 50, 95])
    counts, edges = np.histogram(last, bins=8)
    worst = prices[np.argsort(last)[:3]]
    return asian, barrier, quantiles, counts, edges, worst, "; ".join(lines)
