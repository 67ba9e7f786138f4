"""Run one analysis on NumPy and on another array namespace, and compare what comes out.

The examples beside this file are array-agnostic: their functions ask the arrays that they are
given for their namespace (``xp = x.__array_namespace__()``) and use only what the array API
standard names. So one and the same function serves NumPy and ``ascend_array_api``, and NumPy can
be the judge:

- NumPy in float64 is the reference,
- NumPy in the dtype of the run (float32 unless asked otherwise) shows what that dtype costs,
- the other namespace has to come as close to both as its dtype allows.

An analysis hands every outcome to a `Recorder`, together with a statement of how much rounding
errors may grow on the way to it. The recorder refuses what is not an array of the namespace, dtype
and device that the data came in: nothing turns into a NumPy array on the quiet.
"""

from __future__ import annotations

import argparse
import importlib
import math
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy
import sklearn
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from types import ModuleType

Array: TypeAlias = Any
"""An array of whatever namespace: the standard gives arrays no common base class."""

NumpyArray: TypeAlias = npt.NDArray[Any]


# --- What to run on ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A namespace, and the device and real dtype that its arrays are made with."""

    xp: ModuleType
    device: Any
    dtype: str

    @property
    def label(self) -> str:
        """Name of the namespace and dtype, to head a column with."""
        return f"{'NumPy' if self.xp is np else self.xp.__name__} {self.dtype}"

    def array(self, values: NumpyArray) -> Array:
        """Copy NumPy values to an array: reals in the dtype of the setting, the rest as they are.

        The namespace never sees a float64 value that it is not asked to hold.
        """
        if values.dtype.kind == "f":
            values = values.astype(self.dtype)
        return self.xp.asarray(values, device=self.device, copy=True)


def find_device(xp: ModuleType, name: str | None) -> Any:
    """Return the device of that name, or the namespace's default device for None."""
    info = xp.__array_namespace_info__()
    if name is None:
        return info.default_device()
    for device in info.devices():
        if name in (str(device), getattr(device, "_device", None)):  # array_api_strict: `_device`
            return device
    # Other spellings, such as "cuda" for "cuda:0", are for the namespace to take or to refuse.
    return xp.empty(0, device=name).device


def parse_setting(argv: Sequence[str] | None, description: str) -> Setting:
    """Read the command line that all the examples have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", help="cpu, cuda, npu:0, ... (default: the namespace's own)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument(
        "--namespace",
        default="ascend_array_api",
        metavar="MODULE",
        help="the namespace to compare with NumPy (default: %(default)s)",
    )
    options = parser.parse_args(argv)
    xp = importlib.import_module(options.namespace)
    return Setting(xp, find_device(xp, options.device), options.dtype)


# --- What comes out ---------------------------------------------------------------------------


def rounding(terms: int, condition: float = 1.0) -> float:
    """Return by how much rounding errors grow through sums of `terms` terms.

    A sum of n terms is off by at most n roundings; as roundings are as good as random, it is off by
    no more than about sqrt(n) of them with a probability close to 1 [1]_. What is computed from
    such sums amplifies that by its condition number.

    References
    ----------
    .. [1] N. J. Higham and T. Mary, "A new approach to probabilistic rounding error analysis",
       SIAM J. Sci. Comput. 41(5), 2019. https://doi.org/10.1137/18M1226312
    """
    return math.sqrt(terms) * condition


@dataclass(frozen=True)
class Decision:
    """How clearly the closest of many decisions fell, and how exact is what it was taken on.

    Labels that two namespaces choose agree as long as rounding errors cannot turn the choice, which
    is to say as long as `margin` exceeds the tolerance that belongs to `growth`.
    """

    margin: float
    growth: float


def choice(scores: Array, growth: float) -> Decision:
    """Return how clearly the best score of each row beats the second best."""
    xp = scores.__array_namespace__()
    ordered = xp.sort(scores, axis=1)
    margin = xp.min(ordered[:, -1] - ordered[:, -2]) / xp.max(xp.abs(scores))
    return Decision(float(margin), growth)


@dataclass(frozen=True)
class Outcome:
    """A result on the host, and how far it may lie from the reference.

    The tolerance is `growth` times the spacing `eps` at 1 of the dtype that it was computed in,
    relative to the element of the largest magnitude. Zero asks for equality, as it does for labels
    and counts.
    """

    value: NumpyArray
    growth: float
    eps: float
    decision: Decision | None


def to_numpy(x: Array) -> NumpyArray:
    """Copy an array to the host from whatever device: DLPack is the standard's way to do so."""
    return np.from_dlpack(x, device="cpu", copy=True)


class Recorder:
    """Collects the outcomes of an analysis, and the time that each of its stages takes."""

    def __init__(self, like: Array) -> None:
        self.like = like
        self.outcomes: dict[str, Outcome] = {}
        self.seconds: dict[str, float] = {}
        self._pending: list[tuple[str, Array, float, float, Decision | None]] = []
        xp = like.__array_namespace__()
        defaults = xp.__array_namespace_info__().default_dtypes(device=like.device)
        self._eps = float(xp.finfo(like.dtype).eps)
        self._default_eps = float(xp.finfo(defaults["real floating"]).eps)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, from its first call until its outcomes have arrived on the host.

        Devices compute asynchronously: without the copy to the host one would measure how long it
        takes to ask for the work rather than to do it.
        """
        start = time.perf_counter()
        yield
        for key, value, growth, eps, decision in self._pending:
            self.outcomes[key] = Outcome(to_numpy(value), growth, eps, decision)
        self._pending.clear()
        self.seconds[name] = time.perf_counter() - start

    def keep(
        self, name: str, value: Array, *, growth: float, decision: Decision | None = None
    ) -> None:
        """Record an array; it has to be at home where the data is."""
        xp, like = self.like.__array_namespace__(), self.like
        if isinstance(like, np.ndarray) and isinstance(value, np.generic):
            value = np.asarray(value)  # NumPy returns scalars where the standard has 0-d arrays.
        if type(value) is not type(like):
            raise TypeError(f"{name}: expected an array of {type(like)}, got {type(value)}")
        if value.device != like.device:
            raise ValueError(f"{name}: expected device {like.device}, got {value.device}")
        if xp.isdtype(value.dtype, "real floating") and value.dtype != like.dtype:
            raise TypeError(f"{name}: expected dtype {like.dtype}, got {value.dtype}")
        self._pending.append((name, value, growth, self._eps, decision))

    def keep_score(
        self, name: str, value: float, *, growth: float, decision: Decision | None = None
    ) -> None:
        """Record a score: scikit-learn's metrics return Python floats for every namespace.

        What they average may be labels, which they do in the namespace's default dtype.
        """
        if not isinstance(value, float):
            raise TypeError(f"{name}: expected a Python float, got {type(value)}")
        eps = max(self._eps, self._default_eps)
        self._pending.append((name, np.asarray(value), growth, eps, decision))

    def __getitem__(self, name: str) -> NumpyArray:
        return self.outcomes[name].value


# --- Side by side -----------------------------------------------------------------------------

Analysis: TypeAlias = Callable[[Array, Array, Recorder], None]
"""Called with images, their labels and the recorder of the outcomes."""


def difference(value: NumpyArray, reference: NumpyArray) -> float:
    """Return the largest difference, relative to the largest magnitude in the reference."""
    if value.shape != reference.shape:
        return math.inf
    # Subtract in float64 or complex128, lest the comparison add roundings of its own.
    wide = np.result_type(reference.dtype, np.float64)
    distance = np.max(np.abs(value.astype(wide) - reference.astype(wide)))
    return float(distance / np.max(np.abs(reference))) if distance > 0 else float(distance)


@dataclass(frozen=True)
class Row:
    """An outcome of the run, judged by NumPy's."""

    name: str
    value: NumpyArray
    same_dtype_off: float  # how far NumPy in the same dtype is from NumPy in float64
    off: float  # how far the run is from NumPy in float64
    apart: float  # how far the run is from NumPy in the same dtype
    tolerance: float
    decided: bool

    @property
    def verdict(self) -> str:
        """Whether the differences are within the tolerance."""
        if not self.decided:
            return "tie"
        close = self.off <= self.tolerance and self.apart <= self.tolerance  # not so for NaN
        return "ok" if close else "FAILED"


@dataclass(frozen=True)
class Comparison:
    """An analysis on a namespace beside the same analysis on NumPy."""

    title: str
    setting: Setting
    reference: Recorder  # NumPy in float64
    same_dtype: Recorder  # NumPy in the dtype of the run
    run: Recorder

    def rows(self) -> list[Row]:
        """Judge every outcome."""
        rows = []
        for name, stated in self.reference.outcomes.items():
            value, same, reference = self.run[name], self.same_dtype[name], stated.value
            # How close decisions are is what float64 says; what can turn them is the dtype's doing.
            eps, decision = self.run.outcomes[name].eps, stated.decision
            rows.append(
                Row(
                    name,
                    value,
                    same_dtype_off=difference(same, reference),
                    off=difference(value, reference),
                    apart=difference(value, same),
                    tolerance=stated.growth * eps,
                    decided=decision is None or decision.margin > decision.growth * eps,
                )
            )
        return rows

    def tables(self) -> str:
        """Return the differences and the times as text."""
        ours, same = self.setting.label, f"NumPy {self.setting.dtype}"
        differences = table(
            ["outcome", "value", f"{same} off", f"{ours} off", "apart", "tolerance", ""],
            [
                [
                    row.name,
                    " x ".join(map(str, row.value.shape)) or f"{row.value:.4f}",
                    *(f"{x:.1e}" if x else "0" for x in (row.same_dtype_off, row.off, row.apart)),
                    f"{row.tolerance:.1e}" if row.tolerance else "equal",
                    row.verdict,
                ]
                for row in self.rows()
            ],
        )
        recorders = {"NumPy float64": self.reference, same: self.same_dtype, ours: self.run}
        times = table(
            ["milliseconds", *recorders],
            [
                [stage, *(f"{1e3 * each.seconds[stage]:.1f}" for each in recorders.values())]
                for stage in self.run.seconds
            ],
        )
        return f"{differences}\n\n{times}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, ["-" * width for width in widths], *rows):
        first, *others = [
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def on_the_host(entries: Sequence[Any], device: object) -> str:
    """Say what was computed on the host, by the report of a namespace that keeps one."""
    if not entries:
        return "" if str(device) == "cpu" else f"All of it was computed on the device, {device}."
    lines = [
        f"  {entry.operation} of {entry.dtype}: {entry.count} times, {entry.bytes / 1e6:.2f} MB: "
        f"{entry.reason}"
        for entry in entries
    ]
    return "\n".join(["Computed on the host, because the device has no kernel for it:", *lines])


def compare(
    title: str, analyse: Analysis, images: NumpyArray, labels: NumpyArray, setting: Setting
) -> Comparison:
    """Run the analysis on NumPy in both dtypes and in the setting."""

    def run(setting: Setting) -> Recorder:
        x, y = setting.array(images), setting.array(labels)
        # The first run pays for what is set up only once (caches, kernels that are compiled or
        # loaded); the second shows what the work itself takes.
        for _ in range(2):
            recorder = Recorder(like=x)
            analyse(x, y, recorder)
        return recorder

    # One thread on the host, for all alike: on arrays as small as these, more threads cost more
    # than they bring, and ten times the time as soon as something else runs on the machine.
    with threadpool_limits(limits=1):
        reference = run(Setting(np, "cpu", "float64"))
        narrow = Setting(np, "cpu", setting.dtype)
        same_dtype = reference if setting.dtype == "float64" else run(narrow)
        return Comparison(title, setting, reference, same_dtype, run(setting))


def header(setting: Setting) -> str:
    """Return what ran where, in which versions."""
    versions = [
        f"{module.__name__} {getattr(module, '__version__', '(no version)')}"
        for module in (setting.xp, np, scipy, sklearn)
    ]
    return "\n".join(
        [
            f"versions  {', '.join(versions)}, Python {platform.python_version()}",
            f"device    {setting.device}",
            f"dtype     {setting.dtype}",
        ]
    )


def conclude(comparison: Comparison, findings: str) -> bool:
    """Print a comparison and return whether every outcome is within its tolerance."""
    verdicts = [row.verdict for row in comparison.rows()]
    failed = verdicts.count("FAILED")
    print(f"\n=== {comparison.title} ===\n\n{findings}\n\n{comparison.tables()}\n")
    print(
        f"Of {len(verdicts)} outcomes, {verdicts.count('ok')} agree with NumPy's, {failed} do not."
    )
    if ties := verdicts.count("tie"):
        print(f"{ties} are ties that rounding errors may turn either way: they were not compared.")
    return not failed
