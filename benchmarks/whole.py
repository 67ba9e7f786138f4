"""Whole programs: beside NumPy, torch and CuPy; on an NPU what they ask of the device.

python -m benchmarks whole [--device cuda] [--markdown docs/benchmarks.md]
python -m conformance.cann_emulator -m benchmarks whole --device npu [--markdown docs/benchmarks.md]

A program is written twice: with the functions that NumPy and the standard share, which NumPy and
the package run, and with torch's.  On the CPU the programs are timed in turns, in float64 and one
thread; on a GPU also captured, and beside CuPy.  On emulated NPUs kernels, copies to the device and
to the host (which wait) are counted, of the program as it is called, and captured.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from functools import partial
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

import ascend_array_api as xp
from benchmarks.measure import Quartiles, clock, interleaved
from benchmarks.report import WIDE, Table, drawn
from conformance import cann_emulator
from conformance.terminal import each
from examples import gallery
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEPS: Final = 20
"""How many steps a program takes in a call."""
PARTICLES: Final = 200
WHOLE: Final[dict[str, tuple[Any, Any, tuple[tuple[int, ...], ...]]]] = {}
"""By name: a program in NumPy's functions and in torch's, and the shapes of its arguments."""
DRAWING: Final = frozenset({"Gibbs sampler", "particle filter"})
"""The programs whose results are random, so that they are not compared."""


def whole(
    name: str, by_torch: Callable[..., Any], *shapes: tuple[int, ...]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program."""

    def enter(program: Callable[..., Any]) -> Callable[..., Any]:
        WHOLE[name] = program, by_torch, shapes
        return program

    return enter


# --- the programs ---------------------------------------------------------------------------------


def torch_gibbs(rng: torch.Generator, x: Any, y: Any) -> Any:
    variance: Any
    n, p = x.shape
    xtx, xty, variance = x.T @ x, x.T @ y, 1.0
    kept = []
    for _ in range(STEPS):
        precision = xtx / variance + 0.01 * torch.eye(p, dtype=x.dtype)
        root = torch.linalg.cholesky(precision)
        noise = torch.randn(p, generator=rng, dtype=x.dtype)
        beta = torch.linalg.solve(precision, xty / variance) + torch.linalg.solve(root.T, noise)
        rest = y - x @ beta
        gamma = torch.distributions.Gamma(1.0 + n / 2, 1.0).sample()
        variance = (1.0 + 0.5 * torch.sum(rest * rest)) / gamma
        kept.append(beta)
    return torch.stack(kept)


@whole("Gibbs sampler", torch_gibbs, (480, 4), (480,))
def gibbs(np: Any, rng: Any, x: Any, y: Any) -> Any:
    variance: Any
    n, p = x.shape
    xtx, xty, variance = x.T @ x, x.T @ y, 1.0
    kept = []
    for _ in range(STEPS):
        noise, gamma = rng.standard_normal(p), rng.gamma(1.0 + n / 2)
        beta, variance = gallery.gibbs_step(variance, noise, gamma, x, y, xtx, xty)
        kept.append(beta)
    return np.stack(kept)


def torch_particles(rng: torch.Generator, seen: Any) -> Any:
    def normal() -> Any:
        return torch.randn(PARTICLES, generator=rng, dtype=seen.dtype)

    x, means = normal(), []
    for t in range(STEPS):
        x = 0.9 * x + 0.5 * normal()
        logs = -0.5 * (seen[t] - x) ** 2
        weights = torch.exp(logs - torch.max(logs))
        sums = torch.cumsum(weights / torch.sum(weights), 0)
        start = torch.rand((), generator=rng, dtype=seen.dtype)
        at = torch.searchsorted(sums, (torch.arange(PARTICLES) + start) / PARTICLES)
        x = x[torch.clamp(at, max=PARTICLES - 1)]
        means.append(torch.mean(x))
    return torch.stack(means)


@whole("particle filter", torch_particles, (STEPS,))
def particles(np: Any, rng: Any, seen: Any) -> Any:
    x, means = rng.standard_normal(PARTICLES), []
    for t in range(STEPS):
        noise = rng.normal(0.0, 0.5, size=PARTICLES)
        x = gallery.filter_step(x, seen[t], noise, rng.random())
        means.append(np.mean(x))
    return np.stack(means)


def torch_wave(_: Any, u: Any) -> Any:
    before = u
    for _ in range(STEPS):
        bend = -4 * u
        bend[1:] += u[:-1]
        bend[:-1] += u[1:]
        bend[:, 1:] += u[:, :-1]
        bend[:, :-1] += u[:, 1:]
        u, before = 2 * u - before + 0.1 * bend, u
    return u


@whole("wave equation", torch_wave, (96, 96))
def wave(_: Any, __: Any, u: Any) -> Any:
    before = u
    for _ in range(STEPS):
        u, before = gallery.wave_step(u, before, 0.1), u
    return u


def torch_k_means(_: Any, x: Any, centres: Any) -> Any:
    for _ in range(STEPS):
        gaps = x[:, None, :] - centres[None, :, :]
        nearest = torch.argmin(torch.sum(gaps * gaps, dim=-1), dim=-1)
        member = (nearest[:, None] == torch.arange(5)).to(x.dtype)
        centres = member.T @ x / torch.clamp(torch.sum(member, dim=0), min=1.0)[:, None]
    return centres


@whole("k-means", torch_k_means, (500, 8), (5, 8))
def k_means(np: Any, _: Any, x: Any, centres: Any) -> Any:
    for _ in range(STEPS):
        gaps = x[:, None, :] - centres[None, :, :]
        nearest = np.argmin(np.sum(gaps * gaps, axis=-1), axis=-1)
        member = np.astype(nearest[:, None] == np.arange(5), x.dtype)
        centres = member.T @ x / np.maximum(np.sum(member, axis=0), 1.0)[:, None]
    return centres


def torch_kalman(_: Any, seen: Any) -> Any:
    one, look = torch.eye(4, dtype=seen.dtype), torch.eye(2, 4, dtype=seen.dtype)
    motion = one + torch.diag(torch.full((2,), 0.1, dtype=seen.dtype), 2)
    state, spread = torch.zeros(4, dtype=seen.dtype), one
    for t in range(STEPS):
        state, spread = motion @ state, motion @ spread @ motion.T + 0.01 * one
        gain = torch.linalg.solve(
            look @ spread @ look.T + 0.1 * torch.eye(2, dtype=seen.dtype), look @ spread
        ).T
        state = state + gain @ (seen[t] - look @ state)
        spread = (one - gain @ look) @ spread
    return state


@whole("Kalman filter", torch_kalman, (STEPS, 2))
def kalman(np: Any, _: Any, seen: Any) -> Any:
    one, look = np.eye(4, dtype=seen.dtype), np.eye(2, 4, dtype=seen.dtype)
    motion = one + 0.1 * np.eye(4, k=2, dtype=seen.dtype)
    state, spread = np.zeros(4, dtype=seen.dtype), one
    for t in range(STEPS):
        state, spread = motion @ state, motion @ spread @ motion.T + 0.01 * one
        gain = np.linalg.solve(
            look @ spread @ look.T + 0.1 * np.eye(2, dtype=seen.dtype), look @ spread
        ).T
        state = state + gain @ (seen[t, ...] - look @ state)
        spread = (one - gain @ look) @ spread
    return state


def _lorenz(stack: Callable[..., Any], state: Any) -> Any:
    def slope(s: Any) -> Any:
        x, y, z = s[0, ...], s[1, ...], s[2, ...]
        return stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z])

    h = 0.01
    for _ in range(STEPS):
        a = slope(state)
        b = slope(state + h / 2 * a)
        c = slope(state + h / 2 * b)
        d = slope(state + h * c)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    return state


@whole("Runge-Kutta", lambda _, state: _lorenz(torch.stack, state), (3, 100))
def runge_kutta(np: Any, _: Any, state: Any) -> Any:
    return _lorenz(np.stack, state)


def torch_logistic(_: Any, x: Any, seen: Any) -> Any:
    weights = torch.zeros(8, dtype=x.dtype)
    for _ in range(STEPS):
        chance = 1 / (1 + torch.exp(-(x @ weights)))
        weights = weights - 0.1 * (x.T @ (chance - (seen > 0).to(x.dtype))) / 500
    return weights


@whole("logistic regression", torch_logistic, (500, 8), (500,))
def logistic(np: Any, _: Any, x: Any, seen: Any) -> Any:
    weights = np.zeros(8, dtype=x.dtype)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(x @ weights)))
        weights = weights - 0.1 * (x.T @ (chance - np.astype(seen > 0, x.dtype))) / 500
    return weights


def torch_image(_: Any, image: Any, keep: Any) -> Any:
    for _ in range(STEPS):
        smooth = torch.fft.irfftn(torch.fft.rfftn(image) * keep, s=image.shape, dim=(0, 1))
        down = torch.roll(smooth, -1, 0) - smooth
        right = torch.roll(smooth, -1, 1) - smooth
        edge = torch.sqrt(down * down + right * right)
        strong = edge > torch.mean(edge) + torch.std(edge, correction=0)
        image = torch.where(strong, image, smooth)
    return image


@whole("image pipeline", torch_image, (64, 64), (64, 33))
def image(_: Any, __: Any, image: Any, keep: Any) -> Any:
    for _ in range(STEPS):
        image = gallery.image_step(image, keep)
    return image


# --- the measurements -----------------------------------------------------------------------------


def arguments(name: str) -> list[Any]:
    """Return the arguments of a program, as NumPy's arrays."""
    rng = np.random.default_rng(1)
    given = [rng.standard_normal(shape) for shape in WHOLE[name][2]]
    if name == "image pipeline":
        given[1] = np.exp(-(given[1] ** 2))
    return given


def ways(name: str) -> dict[str, Callable[[], Any]]:
    """Return a program in each way, for the CPU."""
    program, by_torch, _ = WHOLE[name]
    given = arguments(name)
    tensors = [torch.from_numpy(x) for x in given]
    arrays = [xp.asarray(x, device="cpu") for x in tensors]
    rngs = [xp.random.default_rng(1, device="cpu") for _ in range(2)]
    numpys, torchs = np.random.Generator(np.random.Philox(1)), torch.Generator().manual_seed(1)

    def ours(relaxed: bool) -> Any:
        with xp.options(default_float="float64", device="cpu", relaxed=relaxed):
            return program(xp, rngs[relaxed], *arrays)

    return {
        "NumPy": lambda: program(np, numpys, *given),
        "torch": lambda: by_torch(torchs, *tensors),
        "strict": lambda: ours(False),
        "relaxed": lambda: ours(True),
    }


def ways_on_gpu(name: str, device: str) -> dict[str, Callable[[], Any]]:
    """Return a program in each way, for a GPU."""
    program, by_torch, _ = WHOLE[name]
    given = arguments(name)
    tensors = [torch.asarray(x, device=device) for x in given]
    arrays = [xp.asarray(x, device=device) for x in tensors]
    rngs = [xp.random.default_rng(1, device=device) for _ in range(2)]
    torchs = torch.Generator(device).manual_seed(1)
    captured = xp.captured(partial(program, xp, rngs[1]))

    def torches() -> Any:
        with torch.device(device):
            return by_torch(torchs, *tensors)

    def ours(function: Callable[..., Any]) -> Any:
        with xp.options(default_float="float64", device=device):
            return function(*arrays)

    found = {
        "torch": torches,
        "strict": lambda: ours(partial(program, xp, rngs[0])),
        "captured": lambda: ours(captured),
    }
    if importlib.util.find_spec("cupy") is not None and name not in DRAWING:
        cp: Any = importlib.import_module("array_api_compat.cupy")  # it lacks some distributions
        cupys = [cp.asarray(x) for x in given]
        if name != "image pipeline" or hasattr(cupys[0], "__array_namespace__"):
            found = {"CuPy": lambda: program(cp, None, *cupys), **found}
    return found


def times(names: Sequence[str], rounds: int, device: str) -> Table:
    """Time programs on the CPU, or on a GPU."""
    on_cpu = device == "cpu"
    now = clock(device, threads=1)
    beside = "NumPy" if on_cpu else "CuPy"
    last = "relaxed" if on_cpu else "captured"
    cells = [["program", f"{beside}, ms", "torch", "strict", last]]
    cells[0] += ["strict of torch", f"of {beside}"]
    for name in each(names, "programs"):
        contenders = ways(name) if on_cpu else ways_on_gpu(name, device)
        timers = {way: Timer(call, timer=now) for way, call in contenders.items()}
        seconds = interleaved(timers, rounds, turn_seconds=0.005)
        milli = {way: f"{Quartiles.of(seconds[way]).median * 1e3:.2f}" for way in contenders}
        ratios = {
            way: f"{Quartiles.of_ratios(seconds['strict'], seconds[way]).median:.2f}"
            for way in ("torch", beside)
            if way in contenders
        }
        told = [milli.get(way, "-") for way in (beside, "torch", "strict", last)]
        cells.append([name, *told, *(ratios.get(way, "-") for way in ("torch", beside))])
    where = "the CPU, float64, one thread" if on_cpu else "a GPU, float64"
    return Table(f"{len(names)} programs of {STEPS} steps on {where}", cells)


def counted(emulator: Any, function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Return what the third call of a function asks of an NPU; None if it cannot be captured."""
    try:
        for _ in range(2):
            function(*given)
        with emulator.counting() as found:
            function(*given)
            torch.get_device_module(given[0].device.torch_device).synchronize()
    except xp.CaptureError:
        return None
    return found


def counts(emulator: Any, names: Sequence[str], device: str) -> Table:
    """Count what programs ask of an emulated NPU, called and captured."""
    head = ["program", "kernels", "uploads", "waits", "bytes", "captured: launches"]
    cells = [[*head, "kernels in the graph"]]
    for name in each(names, "programs"):
        program = partial(WHOLE[name][0], xp, xp.random.default_rng(1, device=device))
        with xp.options(device=device):
            given = [xp.asarray(x.astype("float32"), device=device) for x in arguments(name)]
            called = counted(emulator, program, given)
            captured = counted(emulator, xp.captured(program), given)
        numbers = [sum(called.kernels.values()), called.to_device[0], called.to_host[0]]
        last = ["refused", "-"]
        if captured is not None:
            within = sum(captured.in_graphs.values())
            last = [str(captured.graphs + sum(captured.kernels.values())), str(within)]
        moved = called.to_device[1] + called.to_host[1]
        cells.append([name, *map(str, (*numbers, moved)), *last])
    return Table(f"{len(names)} programs of {STEPS} steps on an emulated NPU, float32", cells)


def plot(text: str, path: Path, width: float = WIDE) -> None:
    """Draw the table of times in a page: a bar for each way of each program."""
    _, *rows = Table.read(text).cells
    with drawn(path, 0.5 * len(rows) + 1, width) as axes:
        for j, way in enumerate(("torch", "strict", "relaxed")):
            lengths = [float(row[j + 2]) / float(row[1]) for row in rows]
            at = [i + 0.25 * (j - 1) for i in range(len(rows))]
            axes.barh(at, lengths, 0.25, color=f"C{j}", label=way)
        axes.set_yticks(range(len(rows)), [row[0] for row in rows])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.axvline(1, color="C7")
        axes.set_xlabel("time as a multiple of NumPy's")


def run(given: Sequence[str]) -> None:
    """Time or count every program, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks whole", description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("-k", dest="only", default="", metavar="WORDS", help="names with words")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="of times")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")
    options = parser.parse_args(given)
    names = [name for name in WHOLE if options.only in name]
    kind = options.device.partition(":")[0]
    if kind == "npu":
        emulator = cann_emulator.installed()
        if not emulator:
            raise SystemExit("whole: on NPUs programs are counted, by emulated ones alone")
        table = counts(emulator, names, options.device)
    else:
        torch.set_num_threads(1)
        table = times(names, options.rounds, options.device)
    print(table.as_text())
    if options.markdown:
        insert(options.markdown, f"whole {kind}", table.as_markdown())
