"""Ordinary differential equations by Dormand's and Prince's method, with events."""

import numpy as np

C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
A = [
    np.array([]),
    np.array([1 / 5]),
    np.array([3 / 40, 9 / 40]),
    np.array([44 / 45, -56 / 15, 32 / 9]),
    np.array([19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]),
    np.array([9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]),
    np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
]
B = np.append(A[6], 0.0)
E = B - np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])


def step(f, t, y, h):
    k = np.zeros((7, y.size))
    k[0] = f(t, y)
    for i in range(1, 7):
        k[i] = f(t + C[i] * h, y + h * np.dot(A[i], k[:i]))
    return y + h * B @ k, h * E @ k, k


def between(t, h, y0, y1, f0, f1, at):
    """The cubic through both ends and their slopes."""
    s = (at - t) / h
    basis = np.array(
        [2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2]
    )
    return basis @ np.stack([y0, h * f0, y1, h * f1])


def bisected(event, low, high, place):
    sign = np.sign(event(low, place(low)))
    while high - low > 1e-10:
        middle = 0.5 * (low + high)
        if np.sign(event(middle, place(middle))) == sign:
            low = middle
        else:
            high = middle
    return high


def solve(f, span, y, event, bounce, rtol=1e-6, atol=1e-9):
    t, end = span
    h = 1e-2
    times, states, hits = [t], [y], []
    while t < end and len(hits) < 4:
        h = min(h, end - t)
        new, error, k = step(f, t, y, h)
        scale = atol + rtol * np.maximum(np.abs(y), np.abs(new))
        norm = np.sqrt(np.mean((error / scale) ** 2))
        if norm > 1:
            h *= max(0.2, 0.9 * float(norm) ** -0.2)
            continue
        g0, g1 = event(t, y), event(t + h, new)
        if g0 > 0 and g1 <= 0:
            slopes = f(t, y), f(t + h, new)
            place = lambda at: between(t, h, y, new, *slopes, at)  # noqa: B023, E731
            when = bisected(event, t, t + h, place)
            hits.append(when)
            t, y = when, bounce(place(when))
        else:
            t, y = t + h, new
        times.append(t)
        states.append(y)
        h *= min(5.0, 0.9 * max(float(norm), 1e-10) ** -0.2)
    return np.array(times), np.array(states), np.array(hits)


def run():
    def ball(t, y):
        drag = 0.05 * np.linalg.norm(y[2:])
        return np.concatenate([y[2:], np.array([0.0, -9.81]) - drag * y[2:]])

    def bounce(y):
        z = y.copy()
        z[1], z[3] = 1e-9, -0.8 * z[3]
        return z

    start = np.array([0.0, 2.0, 3.0, 1.0])
    times, states, hits = solve(ball, (0.0, 3.0), start, lambda t, y: y[1], bounce)
    height = np.interp(np.linspace(0, times[-1], 9), times, states[:, 1])
    energy = 9.81 * states[:, 1] + 0.5 * (states[:, 2:] ** 2).sum(1)
    lost = np.trapezoid(energy, times) / np.diff(times).sum()
    slower = np.where(np.diff(energy) < 0)[0].size
    fit = np.polyfit(hits, np.cumsum(np.ones_like(hits)), 1)
    report = f"{len(times)} steps, bounces at {np.round(hits, 3).tolist()}"
    return times, states, hits, height, energy.max(), lost, slower, fit, report
