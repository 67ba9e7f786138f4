"""How many kernels every call takes on an NPU, beside torch_npu's own where these are right.

TASK_QUEUE_ENABLE=0 python -m conformance.cann_emulator -m benchmarks launches [-k WORDS]
    [--markdown FILE]

The calls are those of ``functions``.  Functions of elements get infinities, NaN, signed zeros, and
the ends of their data type besides: what torch_npu answers counts as right where it agrees with
NumPy there too, since a kernel that is wrong of these has nothing to be measured by.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from ascend_array_api._routes._operations import OPS
from benchmarks.functions import Call, Peer, _named, operands, peers, selected
from benchmarks.report import Table
from conformance import cann_emulator
from conformance.terminal import each
from workshop.marks import insert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SIZE: Final = 1_000
_OF_ELEMENTS: Final = ("operators", "elementwise_functions", "special")
_EDGED: Final = (*_OF_ELEMENTS, "set_functions")
_NEAR: Final = {"f": 1e-6, "F": 1e-5, "d": 1e-12, "D": 1e-12}
"""How far a result may be from NumPy's, as a multiple of it: some 16 units in the last place."""
_FAR: Final = {"f": 1e-4, "F": 1e-4, "d": 1e-11, "D": 1e-11}
"""The same of the largest number of a result, where many elements are added up."""


@dataclass(frozen=True)
class Launched:
    """What one call launched."""

    chapter: str
    expression: str
    dtype: str
    ours: dict[str, int]
    """By kernel, and how often something came to the host, with how many bytes each time."""
    theirs: dict[str, int]
    wrong: str
    """In what torch_npu's answer differs from NumPy's, or why it is not asked; else nothing."""
    reasons: str
    """The reasons of the rows that the call takes."""

    @property
    def kernels(self) -> int:
        return _kernels(self.ours)

    @property
    def torchs(self) -> int:
        return _kernels(self.theirs)


def _kernels(counts: Mapping[str, int]) -> int:
    return sum(n for name, n in counts.items() if name not in {"to_host", "host bytes"})


# --- operands at the edges ------------------------------------------------------------------------

_WIDE: Final = 100
_SHIFTS: Final = "<<", ">>", "shift"


def _of_all_sizes(dtype: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)

    def real() -> Any:
        sizes = 2.0 ** rng.uniform(-40, 40, _WIDE)
        return np.append(rng.choice([-1, 1], _WIDE) * sizes, rng.uniform(-120, 120, _WIDE))

    return (real() + 1j * real() if dtype.kind == "c" else real()).astype(dtype)


def edged(given: dict[str, Any], call: Call, code: str) -> dict[str, Any]:
    """Return operands that begin with all pairs of edges, of functions of elements."""
    if call.chapter not in _EDGED or code == "?" or "@" in call.expression:
        return given
    dtype = np.dtype(code)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        some = [limits.min, limits.max, 1, 2, 3, 7, limits.max - 1, limits.max // 2]
        some += [-1, -2, -7, limits.min + 1] if dtype.kind == "i" else []
    else:
        real = np.finfo(dtype)
        ends = [
            real.max,
            float(real.tiny),
            float(real.smallest_subnormal),
            real.eps,
            0.3,
            1,
            2.5,
            17,
            88,
        ]
        some = [sign * v for v in [*ends, 0.0, np.inf, 16777216.0] for sign in (1, -1)] + [np.nan]
    edges = np.asarray(some, np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype)
    if dtype.kind == "c":
        edges = np.asarray([complex(a, b) for a, b in itertools.product(edges, edges)], dtype)
    first, second = (np.array(v) for v in zip(*itertools.product(edges[:400], edges[:400][::-1])))
    if dtype.kind == "c":
        first = second = edges
    new = dict(given)
    shifts = any(word in call.expression for word in _SHIFTS)
    for name in "xystugzc":
        value = np.array(new.get(name, ()))
        if value.dtype != dtype or value.ndim != 1 or (shifts and name == "z"):
            continue
        if name == "z" and dtype.kind in "iu":  # integers to negative powers are errors
            continue
        part = (second if name in "ytz" else first)[: len(value) - 3 * _WIDE]
        value[: len(part)] = part
        if dtype.kind in "fc":
            value[-3 * _WIDE : -_WIDE] = _of_all_sizes(dtype, ord(name))
        new[name] = value
    return new


# --- counting and judging -------------------------------------------------------------------------


def _result(call: Call, peer: Peer, scope: dict[str, Any]) -> Any:
    """Return what a call gives; of a statement, what it has changed."""
    written = call.others.get(peer.name, call.expression)
    if " = " not in written:
        return eval(written, scope)
    exec(written, scope)
    return scope[written.partition("[")[0]]


def _on_host(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in _on_host(part)]
    if hasattr(value, "to_device"):
        value = value.to_device("cpu")
    elif hasattr(value, "detach"):
        value = value.detach().cpu().resolve_conj().resolve_neg().numpy()
    return [np.asarray(value)]


def differs(got: Any, expected: Any, chapter: str) -> str:
    """Say in what a result differs from NumPy's; nothing where it does not."""
    pairs = list(itertools.zip_longest(_on_host(got), _on_host(expected)))
    for one, two in pairs:
        if one is None or two is None or one.shape != two.shape:
            return "other shapes"
        if one.dtype.kind != two.dtype.kind or one.dtype.kind in "biu":
            if one.dtype.kind != two.dtype.kind or not np.array_equal(one, two):
                return f"{int(np.sum(one != two))} of {one.size}"
            continue
        code = one.dtype.char
        with np.errstate(all="ignore"):
            if chapter in _OF_ELEMENTS and one.size > 1:
                if one.dtype.kind == "c":
                    one, two = (np.stack([v.real, v.imag]) for v in (one, two))
                near = _NEAR[code] * np.abs(two) + np.finfo(one.dtype).tiny
            else:
                near = _FAR[code] * np.max(np.abs(two[np.isfinite(two)]), initial=0)
            close = (np.abs(one - two) <= near) | (one == two) | (np.isnan(one) & np.isnan(two))
            if chapter in _OF_ELEMENTS:
                close &= _signed_alike(one, two)
        if not close.all():
            return f"{int(np.sum(~close))} of {one.size}"
    return ""


def _signed_alike(one: Any, two: Any) -> Any:
    if one.dtype.kind == "c":
        return _signed_alike(one.real, two.real) & _signed_alike(one.imag, two.imag)
    return (two != 0) | (one != 0) | (np.signbit(one) == np.signbit(two))


def measure(device: str, words: str = "", dtypes: str = "", size: int = SIZE) -> Iterator[Launched]:
    """Count what each call launches, the second time that it is made."""
    chosen = [
        (code, call)
        for code in "fdFDilB?"
        for call in selected(words)
        if code in call.dtypes and code in (dtypes or code)
    ]
    for code, calls in itertools.groupby(each(chosen, "calls"), key=lambda one: one[0]):
        yield from measured(device, (call for _, call in calls), code, size)


def measured(device: str, calls: Iterable[Call], code: str, size: int = SIZE) -> Iterator[Launched]:
    """Count what some calls launch for a data type, and judge torch_npu's answers."""
    emulator = cann_emulator.installed()
    if emulator is None:
        raise SystemExit("launches: the emulated NPU alone counts kernels")
    ours, torchs = peers(device)[:2]
    torch_on_host, numpys = peers("cpu")[1:3]
    given = operands(code, size)
    for call in calls:
        values = edged(given, call, code)
        scope = _named(ours, call, given, size, code)
        for op in OPS.values():
            op.clear()  # then the tables hold what this call takes
        _result(call, ours, scope)
        own = _counted(emulator, call, ours, scope)
        reasons = _reasons(device)
        answer = _on_host(_result(call, ours, _named(ours, call, values, size, code)))
        theirs, wrong = {}, ""
        try:
            scope = _named(torchs, call, given, size, code)
            _result(call, torchs, scope)
            theirs = _counted(emulator, call, torchs, scope)
            other = _on_host(_result(call, torchs, _named(torchs, call, values, size, code)))
        except Exception as error:  # noqa: BLE001  # whatever it is refused with
            wrong = f"{type(error).__name__}: {' '.join(str(error).split())[:80]}"
        if not wrong and (theirs.pop("fallbacks", 0) or theirs.get("host bytes", 0) > 16):
            wrong = "computed on the host"
        if not wrong:
            expected = _expected(call, (numpys, torch_on_host), values, size, code)
            wrong = differs(other, expected, call.chapter)
            if not wrong and differs(answer, expected, call.chapter):
                wrong = "the standard's special cases are not NumPy's"
        name = np.dtype(code).name
        yield Launched(call.chapter, call.expression, name, own, theirs, wrong, reasons)


def _counted(emulator: Any, call: Call, peer: Peer, scope: dict[str, Any]) -> dict[str, int]:
    with emulator.counting() as found:
        _result(call, peer, scope)
    copies, size = found.to_host
    own = {**found.by_kernel(), "to_host": copies, "host bytes": size // max(copies, 1)}
    own["fallbacks"] = sum(found.fallbacks.values())
    return {name: n for name, n in own.items() if n}


def _expected(
    call: Call, judges: Iterable[Peer], values: Mapping[str, Any], size: int, code: str
) -> Any:
    """Return what NumPy gives; what torch gives on the host where NumPy has no such function."""
    for judge in judges:
        with contextlib.suppress(AttributeError, TypeError), np.errstate(all="ignore"):
            return _result(call, judge, _named(judge, call, values, size, code))
    raise AssertionError(f"nobody has {call.expression}")


def _reasons(device: str) -> str:
    """Return the reasons of the rows that the operations took which are in the tables."""
    kind = torch.device(device).type
    found = (
        (row, name)
        for name, op in OPS.items()
        for spec in op.kernels
        if spec.device.type == kind and (row := op.row(spec.dtype, spec.device.backend)) is not None
    )
    return "; ".join(dict.fromkeys(row.reason for row, _ in found))


# --- what is left ---------------------------------------------------------------------------------

_COPIED: Final = "a copy, as NumPy has it, where torch gives the same array or a view"
_IN_BOUNDS: Final = "positions are kept in bounds and errors reported late, by a kernel each"
_WIDENED: Final = "converted first, as everywhere; CANN's function has a separate kernel for that"
LEFT: Final = {
    **dict.fromkeys(("xp.positive(s)", "xp.conj(s)", "xp.meshgrid(r, r)"), _COPIED),
    **dict.fromkeys(("x[k]", "X[h, h]"), _IN_BOUNDS),
    "x[p] = y": "nothing is written if a position is out of bounds, as on the host",
    **dict.fromkeys(("xp.sum(x)", "xp.prod(x)", "xp.cumulative_sum(x)"), _WIDENED),
    **dict.fromkeys(
        ("xp.floor_divide(s, y)", "xp.remainder(s, y)"), "divisors of 0 are reported late"
    ),
    "x ** 2.5": "CANN does not say that the scalar stays as it is",
    "xp.linalg.matrix_power(A / n, 5)": "aclnnDivs may multiply by the inverse of the divisor",
    "xp.vecdot(X, X)": "a matrix product would round to its own format, or be refused",
    "xp.linalg.cholesky(H)": "matrices that are not positive definite become NaN, reported late",
    **dict.fromkeys(
        (
            "xp.linalg.svd(A, full_matrices=False)",
            "xp.linalg.svdvals(A)",
            "xp.linalg.pinv(A)",
            "xp.linalg.matrix_rank(A)",
        ),
        "NaN and infinities, of which CANN says nothing, are kept from aclnnSvd",
    ),
    "xp.linalg.qr(A)": "columns are divided by their largest elements, lest squares overflow",
    "xp.searchsorted(o, s)": "NaN comes last in what is sorted, and first for aclnnSearchSorted",
    **dict.fromkeys(
        ("xp.fft.fftfreq(n, dtype=dtype, **on)", "xp.fft.rfftfreq(n, dtype=dtype, **on)"),
        "divided in float64 and rounded once, as on the host",
    ),
    "xp.fft.ihfft(q)": "conjugated at once, by a product: torch marks what is to be conjugated",
    "x[c] = x[0]": "the value stays on the device, where the host waits for it with torch_npu",
    "x >> 2": "the scalar is filled in on the device, where torch_npu copies it there",
    "xp.astype(x, xp.int64)": "aclnnCast gives int64 in the range of int32 alone",
}
"""Why calls take more kernels than torch_npu's own, where the reasons of their rows do not say."""


def reason(row: Launched) -> str:
    """Return why a call takes more kernels than torch_npu's own."""
    return LEFT.get(row.expression) or row.reasons


_WORDS: Final = {
    "computed on the host": "on the host",
    "the standard's special cases are not NumPy's": "other special cases",
}
FEW: Final = 4
"""So many kernels need no reason where torch_npu's own answer is not right."""
_COMPUTED: Final = (*_EDGED, "sorting_functions", "searching_functions", "statistical_functions")
"""The chapters in which a function has an algorithm of its own."""
_EIGHTH: Final = "a rational function, of operands reduced to an eighth of a turn"
_TURNS: Final = "angles less their whole turns, by integers of 64 bits"
_PRODUCTS: Final = "the rest beside the rounded quotient, by exact products of half the bits"
_SQUARED: Final = "remainders of integers of 64 bits, by squares of a power of 2"
_GROUPS: Final = "a stable sort, and where groups of equals begin"
_PLACES: Final = "a stable sort, where groups of equals begin, and the number of each element's"
_BITS: Final = "integers of the bits are sorted, which have the same order"
_TWO_SERIES: Final = "two series"
_TWO_WAYS: Final = "the quotient's logarithm, by another function near 1"
_EXTENDED: Final = "logarithm and power of 2 in two numbers each, so that exact powers are exact"
_TWICE: Final = "dividends are reduced by multiples of the divisor first; the signs of zeros"
_INFINITE: Final = "infinite operands apart"
_TURNED: Final = "parts exchanged, and their signs"
COMPOSED: Final = {
    **dict.fromkeys(("x ** 2.5", "xp.pow(x, z)"), _EXTENDED),
    "xp.pow(x, z) of complex64": "products for the exponents 0, 1, 2 and 3",
    **dict.fromkeys(("x % 3", "xp.remainder(s, y)"), _SQUARED),
    **dict.fromkeys(("x % 3 of float64", "xp.remainder(s, y) of float64"), _TWICE),
    **dict.fromkeys(
        ("x % 3 of int32", "xp.remainder(s, y) of int32"), "the same of int64, between casts"
    ),
    **dict.fromkeys(("x // 3", "xp.floor_divide(s, y)"), _PRODUCTS),
    **dict.fromkeys(("x // 3 of float64", "xp.floor_divide(s, y) of float64"), _INFINITE),
    **dict.fromkeys(
        ("x // 3 of int32", "xp.floor_divide(s, y) of int32"),
        "a second quotient of the rest, and a correction by one",
    ),
    **dict.fromkeys(("xp.acos(u)", "xp.asin(u)"), "a rational function, and a root beyond 1/2"),
    **dict.fromkeys(("xp.atan(s)", "xp.atan2(s, t)"), _EIGHTH),
    **dict.fromkeys(("xp.cos(s)", "xp.sin(s)", "xp.tan(s)"), _TURNS),
    **dict.fromkeys(
        ("xp.acos(u) of complex64", "xp.asin(u) of complex64", "xp.atan(s) of complex64"), _TURNED
    ),
    "xp.round(s) of float64": "a sum with 2**52, which is rounded to an integer",
    "xp.tan(s) of complex64": "the signs of zeros",
    "xp.tanh(s) of complex64": "the tangent, turned, and the signs of zeros",
    "xp.expm1(s)": "two factors whose errors cancel, near 0",
    "xp.expm1(s) of complex64": "an exponential, and near 0 its parts without cancellation",
    "xp.log1p(x) of complex64": "an angle and a logarithm, and near 0 that of a sum of squares",
    "xp.hypot(s, t)": "scaled by the larger operand, lest squares overflow",
    "xp.sign(s)": "divided by the larger part first, lest the size overflows",
    "xp.logaddexp(s, t)": "the exponential of the difference, and what that has lost",
    "xp.logaddexp(s, t) of float64": "the exponential of the difference",
    "xp.nextafter(s, t)": "a step of the bits as an integer, and from 0",
    **dict.fromkeys(("xp.unique_values(x)", "xp.unique_values(s)", "xp.unique_counts(x)"), _GROUPS),
    **dict.fromkeys(("xp.unique_inverse(x)", "xp.unique_all(x)"), _PLACES),
    **dict.fromkeys(("xp.sort(s)", "xp.argsort(s)"), _BITS),
    **dict.fromkeys(("xp.std(x)", "xp.var(x)"), "the mean, and that of squared distances"),
    "A @ B": "products of both parts",
    "special.gammainc(x, y)": "a series, a fraction and an expansion, each of all elements",
    "special.digamma(s)": "the logarithm of a series, and a reflection",
    "special.gammaln(x)": "Stirling's series, a series near the roots, and a reflection",
    "special.log_ndtr(s)": "two error functions, a side each",
    "special.ndtr(s)": "a rational function, and exp(-x**2 / 2) in two factors",
    "special.ndtr(s) of float64": "the complementary error function, and what its operand lost",
    "xp.tanh(s)": "the hyperbolic sine, and a root",
    "special.erfc(s)": "a rational function, and exp(-x**2) in two factors",
    "special.exp2(s)": "the power of a fraction, and that of an integer by its bits",
    "special.entr(s)": "zeros, negative operands and NaN apart",
    "special.xlogy(x, y)": "zeros and NaN apart",
    "special.logit(x)": _TWO_WAYS,
    **dict.fromkeys(("special.i0(s)", "special.i1(s)"), _TWO_SERIES),
}
"""What takes the kernels of calls that torch_npu does not answer rightly: of all data types of an
expression, or of one."""


def answer(row: Launched) -> str:
    """Return what torch_npu's own answer is that is not right."""
    return "refused" if "Error" in row.wrong else _WORDS.get(row.wrong, "wrong")


def composition(row: Launched) -> str:
    """Return what a call is composed of."""
    return COMPOSED.get(f"{row.expression} of {row.dtype}") or COMPOSED.get(row.expression, "")


def composed(rows: Iterable[Launched]) -> Table:
    """Return the calls that torch_npu does not answer rightly, and that take several kernels."""
    many = [r for r in rows if r.wrong and r.kernels > FEW and r.chapter in _COMPUTED]
    cells = [["", "data types", "kernels", "torch_npu's answer", "of what"]]
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in sorted(many, key=lambda row: -row.kernels):
        key = row.expression, str(row.kernels), answer(row), composition(row)
        groups.setdefault(key, []).append(row.dtype)
    for (expression, *others), dtypes in groups.items():
        cells.append([expression.replace("|", "\\|"), ", ".join(dtypes), *others])
    return Table(f"{len(many)} calls that torch_npu does not answer rightly", cells)


def totals(rows: Iterable[Launched]) -> tuple[int, int, int]:
    """Return how many calls torch_npu answers rightly, and the kernels of ours and of its own."""
    right = [row for row in rows if not row.wrong]
    return len(right), sum(row.kernels for row in right), sum(row.torchs for row in right)


def table(rows: Sequence[Launched]) -> Table:
    """Return the calls that take more kernels than torch_npu's own where these are right."""
    calls, own, theirs = totals(rows)
    more = [row for row in rows if not row.wrong and row.kernels > row.torchs]
    cells = [["", "data types", "kernels", "torch_npu's", "why"]]
    groups: dict[tuple[Any, ...], list[str]] = {}
    for row in sorted(more, key=lambda row: row.torchs - row.kernels):
        key = row.expression, row.kernels, row.torchs, reason(row)
        groups.setdefault(key, []).append(row.dtype)
    for (expression, kernels, torchs, why), dtypes in groups.items():
        written = expression.replace("|", "\\|")
        cells.append([written, ", ".join(dtypes), str(kernels), str(torchs), why])
    title = (
        f"{calls} of {len(rows)} calls torch_npu answers rightly: by {theirs} kernels, where ours "
        f"take {own}, {own / max(theirs, 1):.2f} times as many"
    )
    return Table(title, cells)


def run(argv: Sequence[str]) -> None:
    """Count and report, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks launches", description=__doc__)
    parser.add_argument("--device", default="npu", help="the device, as torch names it")
    parser.add_argument("-k", default="", metavar="WORDS", help="calls with one of these words")
    parser.add_argument("--dtypes", default="", help="NumPy's characters for some: fdFDilB?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to a page")
    given = parser.parse_args(argv)
    if os.environ.get("TASK_QUEUE_ENABLE") != "0":
        raise SystemExit(
            "launches: set TASK_QUEUE_ENABLE=0. A call of torch_npu's that CANN refuses ends its "
            "task queue, and all later results of the process are wrong."
        )
    if os.environ.get("TORCH_NPU_FALLBACK_CPU_DISABLE") == "1":
        raise SystemExit(
            "launches: leave TORCH_NPU_FALLBACK_CPU_DISABLE out. Calls that torch_npu computes on "
            "the host would count as refused."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = list(measure(given.device, given.k, given.dtypes))
    found = table(rows)
    print(found.as_text())
    print(composed(rows).as_text())
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if given.markdown:
        insert(given.markdown, "launches", found.as_markdown())
        insert(given.markdown, "composed", composed(rows).as_markdown())
