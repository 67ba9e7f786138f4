"""Four programs, three ways: with NumPy, with `ascend_array_api`, and captured.

Each program is a *step* and a loop. The step is array code that knows no library: it asks its first
array for the namespace. So the loop runs

- with NumPy: ``wave(wave_step, np.asarray)``;
- with `ascend_array_api`, which is strict, on any device: ``wave(wave_step, xp.asarray)``;
- captured: ``wave(xp.captured(wave_step), xp.asarray)``. An accelerator records the second step,
  and replays it with one launch from then on. On the CPU each step is called.

Random numbers are drawn before the loop, by NumPy, so that all ways see the same. Run it with
``python examples/gallery.py --device cpu``.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Array: TypeAlias = Any
Step: TypeAlias = "Callable[..., Any]"
Make: TypeAlias = "Callable[[Any], Array]"


# --- The steps, in array code ---------------------------------------------------------------------


def wave_step(u: Array, before: Array, pull: Array | float) -> Array:
    """Return the next heights of a membrane; ``pull`` is 0 where it is held fast."""
    bend = -4 * u
    bend[1:, :] += u[:-1, :]
    bend[:-1, :] += u[1:, :]
    bend[:, 1:] += u[:, :-1]
    bend[:, :-1] += u[:, 1:]
    return 2 * u - before + pull * bend


def filter_step(x: Array, seen: Array, noise: Array, start: Array) -> Array:
    """Move particles, weigh them by what is seen, and draw as many anew by their weights."""
    xp, n = x.__array_namespace__(), x.shape[0]
    x = 0.9 * x + noise
    logs = -0.5 * (seen - x) ** 2
    weights = xp.exp(logs - xp.max(logs))
    sums = xp.cumulative_sum(weights / xp.sum(weights))
    places = (xp.arange(n, dtype=x.dtype, device=x.device) + start) / n
    return xp.take(x, xp.clip(xp.searchsorted(sums, places), None, n - 1))


def gibbs_step(
    variance: Array | float, noise: Array, gamma: Array, x: Array, y: Array, xtx: Array, xty: Array
) -> tuple[Array, Array]:
    """Draw the coefficients of a regression, then the variance of its errors."""
    xp = x.__array_namespace__()
    precision = xtx / variance + 0.01 * xp.eye(x.shape[1], dtype=x.dtype, device=x.device)
    root = xp.linalg.cholesky(precision)
    beta = xp.linalg.solve(precision, xty / variance) + xp.linalg.solve(root.T, noise)
    rest = y - x @ beta
    return beta, (1.0 + 0.5 * xp.sum(rest * rest)) / gamma


def image_step(image: Array, keep: Array) -> Array:
    """Damp an image's high frequencies by ``keep``, but leave its strong edges."""
    xp = image.__array_namespace__()
    smooth = xp.fft.irfftn(xp.fft.rfftn(image) * keep, s=image.shape, axes=(0, 1))
    down = xp.roll(smooth, -1, axis=0) - smooth
    right = xp.roll(smooth, -1, axis=1) - smooth
    edge = xp.sqrt(down * down + right * right)
    strong = edge > xp.mean(edge) + xp.std(edge)
    return xp.where(strong, image, smooth)


# --- The programs: data, a loop, and what is shown ------------------------------------------------


def wave(step: Step, make: Make) -> Array:
    """Send a pulse through two slits; return its heights at three moments."""
    column, shown = np.arange(96.0), []
    pull = make(np.where(slits(), 0.0, 0.4))
    u, before = (
        make(np.tile(np.exp(-(((column - start) / 4.0) ** 2)), (96, 1)))
        for start in (20.0, 20.0 - 0.4**0.5)
    )
    for count in range(1, 91):
        u, before = step(u, before, pull), u
        if count % 30 == 0:
            shown.append(u)
    return u.__array_namespace__().stack(shown)


def slits() -> Any:
    """Return where the wall is."""
    row, column = np.mgrid[:96, :96]
    return (column == 40) & (abs(abs(row - 48) - 9) > 3)


def particles(step: Step, make: Make) -> Array:
    """Follow a walk that is seen with errors; return the mean and the spread of 500 particles."""
    rng, (_, walk) = np.random.default_rng(1), seen_walk()
    x, seen = make(rng.standard_normal(500)), make(walk)
    noise, starts = make(rng.normal(0.0, 0.5, (len(walk), 500))), make(rng.random(len(walk)))
    xp, found = x.__array_namespace__(), []
    for t in range(len(walk)):
        x = step(x, seen[t], noise[t, ...], starts[t])
        found.append(xp.stack([xp.mean(x), xp.std(x)]))
    return xp.stack(found)


def seen_walk(length: int = 60) -> tuple[Any, Any]:
    """Return a walk that returns to 0, and the walk with errors."""
    rng, walk = np.random.default_rng(7), [0.0]
    for pushed in rng.normal(0.0, 0.5, length - 1):
        walk.append(0.9 * walk[-1] + pushed)
    return np.asarray(walk), np.asarray(walk) + rng.standard_normal(length)


COEFFICIENTS: Final = (1.5, -2.0, 0.7, 0.0)


def gibbs(step: Step, make: Make, draws: int = 120) -> Array:
    """Draw coefficients that fit 40 observations of a regression; return them all."""
    rng = np.random.default_rng(3)
    x, noise = rng.standard_normal((40, 4)), rng.standard_normal((draws, 4))
    y = x @ COEFFICIENTS + rng.normal(0.0, 0.8, 40)
    data = [make(a) for a in (x, y, x.T @ x, x.T @ y)]
    noise, gammas, variance = make(noise), make(rng.gamma(21.0, size=draws)), make(1.0)
    found = []
    for i in range(draws):
        beta, variance = step(variance, noise[i, ...], gammas[i], *data)
        found.append(beta)
    return noise.__array_namespace__().stack(found)


def images(step: Step, make: Make) -> Array:
    """Clean a noisy image in 8 steps; return it before and after."""
    row, column = np.mgrid[:64, :64] - 31.5
    clear = 1.0 * (np.hypot(row, column) < 24) - 0.5 * (np.hypot(row + 6, abs(column) - 9) < 4)
    clear = clear - 0.5 * ((row > 6) & (abs(np.hypot(row, column) - 14) < 2))
    noisy = clear + np.random.default_rng(5).normal(0.0, 0.15, (64, 64))
    squares = np.fft.fftfreq(64)[:, None] ** 2 + np.fft.rfftfreq(64) ** 2
    image, keep = make(noisy), make(np.exp(-6 * squares))
    shown = [image]
    for _ in range(8):
        image = step(image, keep)
    return image.__array_namespace__().stack([*shown, image])


PROGRAMS: Final[dict[str, tuple[Callable[[Step, Make], Array], Step]]] = {
    "wave equation": (wave, wave_step),
    "particle filter": (particles, filter_step),
    "Gibbs sampler": (gibbs, gibbs_step),
    "image pipeline": (images, image_step),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run each program in three ways; return 0 if they agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="cpu, cuda:0, npu, ... (default: an NPU, else the CPU)")
    device = xp.empty(0, device=parser.parse_args(argv).device).device
    # float64 where the device has it. In float32 a particle or a pixel in doubt may go either way.
    dtype, within = (xp.float32, 1e-2) if device.type == "npu" else (xp.float64, 1e-9)
    make = partial(xp.asarray, dtype=dtype, device=device)
    failed = 0
    for name, (program, step) in PROGRAMS.items():
        expected = program(step, np.asarray)
        captured = xp.captured(step)
        strict, replayed = program(step, make), program(captured, make)
        apart = np.abs(np.from_dlpack(strict, device="cpu") - expected)
        off = float(np.mean(apart) / np.mean(np.abs(expected)))
        equal = bool(xp.all(strict == replayed))
        failed += off > within or not equal
        print(
            f"{name:15}  strict: {off:.0e} from NumPy in float64;  "
            f"captured: {'the same' if equal else 'differs'}, graphs: {captured.graphs}"
        )
    print("The programs agree." if not failed else f"FAILED: {failed} programs differ.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
