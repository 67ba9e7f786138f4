"""The code that messages, reports and pages propose: each edit gives what it replaces gives.

Oracles are NumPy and, for names that it lacks, torch and SciPy.  Each edit is found in its text
and compared with the default call, of the table ``CALLS`` or the one that was refused, for arrays
of all kinds that the text does not except: the same numbers, shape and data type, or an error.
Each also runs on array_api_strict, on array_api_compat.torch and on NumPy, if these have its names.
"""

from __future__ import annotations

import ast
import builtins
import functools
import io
import itertools
import math
import pickle
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import array_api_compat.torch as compat
import array_api_strict
import numpy as np
import pytest
import scipy.special
from parametrize import everything

import ascend_array_api as xp
from ascend_array_api._errors import foreign_names
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PACKAGE: Final = Path(xp.__file__).parent
DOCS: Final = Path(__file__).parents[2] / "docs"
PARTS: Final = ("", "linalg", "fft", "random", "special")

# --- the edits in a text --------------------------------------------------------------------------


@dataclass(frozen=True)
class Edit:
    """A piece of code in a text, and what the text says of the arrays that it is for."""

    code: str
    condition: str


@functools.cache
def edits(text: str) -> list[Edit]:
    """Return the pieces of code in a text, each as long as it can be."""
    words, found, i, end = text.split(" "), [], 0, 0
    while i < len(words):
        for j in range(len(words), i, -1):
            piece = " ".join(words[i:j]).rstrip(".,;:")
            if is_code(piece):
                found.append([piece, ""])
                i, end = j - 1, j
                break
        i += 1
        if found and end <= i:
            found[-1][1] = " ".join(words[end:i])
    return [Edit(code, condition) for code, condition in found]


def is_code(text: str) -> bool:
    """Say whether a text is code that computes something from names that are given."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    nodes = list(ast.walk(tree))
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)} | {*GIVEN, *vars(builtins)}
    if any(isinstance(n, ast.Is) for n in nodes) or text.startswith("shape "):
        return False
    known = all(n.id in own for n in nodes if isinstance(n, ast.Name))
    computes = ast.Call, ast.Subscript, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare
    return known and any(isinstance(n, (*computes, ast.AugAssign)) for n in nodes)


# --- the arrays -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Operands of an edit, as NumPy's arrays."""

    label: str
    x: Any
    y: Any
    z: Any
    more: dict[str, Any] = field(default_factory=dict)


SHAPES: Final = ((3,), (3, 3), (2, 3, 4), (3, 3, 3), (0,), (0, 3))


def samples(width: int = 64) -> list[Sample]:
    """Return operands of all shapes: finite and special numbers, complex, integers, Booleans."""
    rng = np.random.default_rng(5)
    real: Any = np.dtype(f"float{width}")
    specials = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, np.nan, -2.5, 1.0]

    def drawn(kind: str, shape: tuple[int, ...]) -> Any:
        if kind == "numbers":
            return (np.round(rng.normal(size=shape) * 4, 2) + 0.005).astype(real)
        if kind == "specials":
            return rng.choice(specials, shape).astype(real)
        if kind == "complex":
            made = rng.normal(size=shape) + 1j * rng.integers(-1, 2, shape)
            return made.astype(f"complex{2 * width}")
        if kind == "integers":
            return rng.integers(-4, 5, shape)
        return rng.random(shape) < 0.5

    found = []
    for kind in ("numbers", "specials", "complex", "integers", "Booleans"):
        for shape in SHAPES:
            x, y, z = (drawn(kind, shape) for _ in range(3))
            y = np.where(rng.random(shape) < 0.3, x, y)  # some are equal
            found.append(Sample(f"{kind} {shape}", x, y, z))
    for kind in ("numbers", "complex"):
        x, y = drawn(kind, (3, 3)), drawn(kind, (3,))
        found.append(Sample(f"{kind} (3, 3) and (3,)", x, y, y))
    nan = np.full((3,), np.nan, dtype=real)
    up = np.asarray([-2.5, 0.5, 1.0, 3.5], dtype=real)
    bits = rng.integers(0, 2, (3, 3))
    definite = np.asarray([[3, 1, 0.5], [1, 4, 1.5], [0.5, 1.5, 5]], dtype=real)
    small = rng.integers(0, 256, (3, 3), dtype=np.uint8)
    four = drawn("numbers", (2, 3, 3, 2))
    counts = np.asarray([2, 0, 3, 2])
    more = {"NaN": nan, "counts": counts, "up": up, "bits": bits, "bytes": small}
    more |= {"four axes": four, "definite": definite}
    return [*found, *(Sample(name, x, x, x) for name, x in more.items())]


@functools.cache
def words(code: str) -> frozenset[str]:
    """Return the words in code."""
    return frozenset(re.findall(r"\w+", code))


def given(lib: Any, x: Any, y: Any = None, z: Any = None, code: str = "") -> dict[str, Any]:
    """Return what edits name, or what code names, as arrays of a namespace."""
    y = (x + x if x.dtype != bool else ~x) if y is None else y
    z = x if z is None else z
    condition = (x.real > 0.4) if x.dtype != bool else x
    floats = x.real.dtype if x.dtype.kind in "fc" else np.float64
    arrays = {
        "x": x,
        "y": y,
        "z": z,
        "weights": y,
        "bins": np.asarray([0.0, 1.5, 4.0], dtype=floats),
        "values": np.asarray([2.0, 1.0, 4.0], dtype=x.dtype),
        "condition": condition,
        "mask": condition,
        "indices": np.asarray([1, 0, 1]),
    }
    named = words(code) | {"x"} if code else arrays
    made = {name: lib.asarray(np.array(arrays[name])) for name in arrays if name in named}
    own: dict[str, Any] = {**made, "xp": lib, "numpy": np, "np": np, "scipy": scipy, "torch": torch}
    own |= {"math": math, "itertools": itertools, "functools": functools, "pickle": pickle}
    own |= {"n": 2, "m": 2, "i": 1, "j": 2, "q": 0.3, "k": 1, "seed": 1, "weight": 0.3, "num": 5}
    own |= {"repeats": 2, "repetitions": (2,), "shift": 1, "axis": 0, "axis1": 0, "axis2": -1}
    own |= {"source": 0, "destination": -1, "atol": 1e-8, "rtol": 1e-5, "step": 1.0, "start": 1}
    own |= {"length": 2, "stop": 3.0, "low": 0, "high": 5, "min": 0.5, "max": 2.5, "beta": 8.0}
    own |= {"text": "1 2 3", "buffer": b"12345678", "obj": [1.0, 2.0], "p": [2.0, -1.0, 0.5]}
    own |= {"triangular": torch.linalg.solve_triangular, "file": io.BytesIO()}
    own |= {"axes": tuple(range(x.ndim))[::-1], "shape": x.shape, "dtype": made["x"].dtype}
    own |= {"f": lambda *given: given[0], "g": lambda x: x, "iterator": iter([1.0, 2.0])}
    own["value"] = x.flat[0].item() if x.size else 0  # a number
    own["device"] = getattr(made["x"], "device", "cpu")
    return own


SAMPLES: Final = samples()
ONE: Final = Sample("one", *[np.asarray(2.0)] * 3)
"""Operands for edits of one number."""
GIVEN: Final = frozenset(given(np, np.ones(3)))

CONDITIONS: Final[dict[str, Callable[[Any], bool]]] = {
    r"of vectors and matrices": lambda x: x.ndim in {1, 2},
    r"of (a vector|vectors)(?! and)": lambda x: x.ndim == 1,
    r"of (a matrix|matrices)": lambda x: x.ndim == 2,
    r"of 3 axes": lambda x: x.ndim == 3,
    r"of 2 axes or more": lambda x: x.ndim >= 2,
    r"of more axes": lambda x: x.ndim > 1,
    r"of (other )?real numbers": lambda x: x.dtype.kind in "fiu",
    r"of floating-point numbers": lambda x: x.dtype.kind in "fc",
    r"of real floating-point numbers": lambda x: x.dtype.kind == "f",
    r"of complex numbers": lambda x: x.dtype.kind == "c",
    r"of integers": lambda x: x.dtype.kind in "iu",
    r"finite": lambda x: bool(np.all(np.isfinite(x))),
    r"without NaN": lambda x: not np.any(np.isnan(x)),
    r"that is 0 or 1": lambda x: bool(np.all(np.isin(x, (0, 1)))) and x.dtype.kind == "i",
    r"of x in ascending order": lambda x: x.ndim == 1 and bool(np.all(np.diff(x) >= 0)),
    r"without infinities": lambda x: not np.any(np.isinf(x)),
    r"without negative integer": lambda x: x.dtype.kind not in "iu" or not np.any(x < 0),
    r"from 0 on": lambda x: x.dtype.kind in "iu" and bool(np.all(x >= 0)),
    r"in bounds": lambda x: min(x.shape, default=0) > 2,
    r"do not add up to 0": lambda x: bool(np.sum(x) != 0),
    r"that has numbers": lambda x: x.size > 0 and not np.all(np.isnan(x)),
    r"square": lambda x: len({*x.shape}) == 1,
    r"of (n|2) or more": lambda x: x.size >= 2,
    r"more than n": lambda x: x.size > 2,
    r"where x\.ndim is 0": lambda x: x.ndim == 0,
}
"""What a text may except arrays by, and whether it is for an array."""


@functools.cache
def understood(condition: str) -> list[Callable[[Any], bool]]:
    """Return what a text excepts arrays by."""
    return [meant for said, meant in CONDITIONS.items() if re.search(said, condition)]


def meets(condition: str, sample: Sample) -> bool:
    """Say whether an edit is for a sample."""
    if "of its shape" in condition and sample.x.shape != sample.y.shape:
        return False
    return all(meant(x) for meant in understood(condition) for x in (sample.x, sample.y))


def left_open(code: str, sample: Sample, expected: Any) -> bool:
    """Say whether the result of code hangs on the processor, since the standard leaves it open.

    So do integers made from NaN and from numbers that these cannot hold, shifts by negative
    numbers, and what elimination makes of NaN and infinities.
    """
    if "_shift(x, y)" in code:
        return bool(np.any(sample.y < 0))
    if "xp.astype(x, " in code and getattr(expected, "dtype", np.dtype(bool)).kind in "iu":
        least, most = np.iinfo(expected.dtype).min, np.iinfo(expected.dtype).max
        whole = np.trunc(sample.x.real) if sample.x.dtype.kind in "fc" else np.zeros(())
        return not np.all((whole >= least) & (whole <= most))
    eliminates = re.search(r"linalg\.(det|inv|qr|slogdet|solve)\(", code)
    return bool(eliminates) and not np.all(np.isfinite(sample.x) & np.isfinite(sample.y))


@functools.cache
def compiled(code: str) -> tuple[Any, Any]:
    """Return the code of all statements but the last, and that of the value of the last one."""
    tree = ast.parse(code)
    *first, last = tree.body
    if isinstance(last, ast.Expr):
        value: Any = last.value
    else:
        first.append(last)
        target: Any = last.targets[0] if isinstance(last, ast.Assign) else last.target  # type: ignore[attr-defined]
        while isinstance(target, ast.Subscript):
            target = target.value
        value = ast.Name(target.id, ast.Load())
    expression = ast.fix_missing_locations(ast.Expression(value))
    return (compile(ast.Module(first, []), "<edit>", "exec"), compile(expression, "<edit>", "eval"))


def run(code: str, names: dict[str, Any]) -> Any:
    """Return the value of the last expression of code, or of its last assignment."""
    statements, value = compiled(code)
    exec(statements, names)
    return eval(value, names)


def plain(value: Any) -> Any:
    """Return a result in a form that compares with those of other namespaces."""
    if isinstance(value, (list, tuple, itertools.product)):
        return [plain(v) for v in value]
    if isinstance(value, torch.Tensor):
        value = xp.asarray(value.detach())
    if isinstance(value, xp.Array):
        value = value.to_device("cpu")
        value = xp.astype(value, xp.float32) if value.dtype is xp.bfloat16 else value
    if isinstance(value, (xp.Array, array_api_strict._array_object.Array, np.ndarray, np.generic)):
        return np.asarray(value)
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    return value if isinstance(value, (bool, int, float, complex, str)) else None


COARSE: Final = {np.dtype("float16"), np.dtype("float32"), np.dtype("complex64")}


def difference(got: Any, expected: Any, *, widths: bool | None = True) -> str:
    """Say how a plain result differs from the one that is expected, or nothing if it does not.

    Without ``widths`` the kinds of data types are compared alone; nothing of them if it is None.
    """
    if isinstance(expected, list) or isinstance(got, list):
        if type(got) is not type(expected) or len(got) != len(expected):
            return f"{type(got).__name__} in place of {type(expected).__name__}"
        pairs = zip(got, expected)
        return next(filter(None, (difference(*pair, widths=widths) for pair in pairs)), "")
    if expected is None or got is None or isinstance(expected, str):
        return "" if got == expected else f"{got!r} in place of {expected!r}"
    one, other = np.asarray(got), np.asarray(expected)
    if one.shape != other.shape:
        return f"shape {one.shape} in place of {other.shape}"
    arrays = isinstance(got, np.ndarray) and isinstance(expected, np.ndarray)
    if arrays and widths is not None:
        same = one.dtype == other.dtype if widths else one.dtype.kind == other.dtype.kind
        if not same and other.dtype.name in xp.__array_namespace_info__().dtypes():
            return f"{one.dtype} in place of {other.dtype}"
    if one.dtype == other.dtype and one.tobytes() == other.tobytes():
        return ""
    if widths is False and one.dtype.kind == other.dtype.kind and one.dtype.itemsize == 4:
        other = other.astype(one.dtype)  # infinite if the other is
    coarse = bool({one.dtype, other.dtype} & COARSE)
    close = np.isclose(
        one, other, rtol=1e-4 if coarse else 1e-9, atol=1e-5 if coarse else 1e-10, equal_nan=True
    )
    return "" if np.all(close) else f"{one.tolist()} in place of {other.tolist()}"[:160]


def _all(_: Any, result: Any) -> Any:
    return result


WITHOUT_ORDER: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "argpartition": lambda x, at: np.take_along_axis(x, at, -1)[..., 1:2],
    "partition": lambda _, parted: parted[..., 1:2],
    "topk": lambda _, found: found[0],
}
"""For calls that leave the order of some elements open, what of their results is compared."""

RAISES: Final = (TypeError, ValueError, IndexError, ArithmeticError)
"""What an edit may raise in place of a result: the errors of the standard's functions."""


def offences(
    name: str,
    edit: Edit,
    call: str,
    drawn: Iterable[Sample],
    lib: Any = np,
    more: Any = None,
    *,
    widths: bool = True,
) -> Iterator[str]:
    """Yield the samples for which an edit does not give what a call gives, and how."""
    tried = 0
    several = "axis=axis" in edit.code and "with an axis" not in edit.condition
    axes = (None, 0) if several else (0,)
    with xp.options(relaxed=False), np.errstate(all="ignore"):
        for sample, axis in itertools.product(drawn, axes):
            if not meets(edit.condition, sample):
                continue
            own = {"axis": axis, **sample.more, **(more or {})}
            operands = sample.x, sample.y, sample.z
            expected, got = (
                outcome(code, given(space, *operands, code) | made(space, own))
                for code, space in ((call, lib), (edit.code, xp))
            )
            label = f"{name}: {edit.code}  # {sample.label}"
            after = functools.partial(WITHOUT_ORDER.get(name.rpartition(".")[2], _all), sample.x)
            tried += not isinstance(expected, Exception) and not isinstance(got, Exception)
            if isinstance(got, Exception):
                plainly = sample.label.startswith(("numbers", "specials")) and sample.x.size
                plainly = plainly and lib is np
                if not isinstance(expected, Exception) and (plainly or not isinstance(got, RAISES)):
                    yield f"{label}: {got!r}"[:300]
            elif isinstance(expected, Exception):
                if lib is np:
                    yield f"{label}: no {expected!r}"[:300]
            elif left_open(edit.code, sample, expected):
                continue
            elif differs := difference(after(got), after(expected), widths=lib is np and widths):
                yield f"{label}: {differs}"
    if not tried:
        yield f"{name}: {edit.code}, {call}: not both give something for any sample"


def made(lib: Any, value: Any) -> Any:
    """Return values with NumPy's arrays as those of a namespace."""
    if isinstance(value, dict):
        return {name: made(lib, v) for name, v in value.items()}
    if isinstance(value, tuple):
        return tuple(made(lib, v) for v in value)
    return lib.asarray(np.array(value)) if isinstance(value, np.ndarray) else value


def outcome(code: str, names: dict[str, Any]) -> Any:
    """Return the result of code, or the error that it raises."""
    try:
        return plain(run(code, names))
    except Exception as error:  # noqa: BLE001  # whatever a namespace raises
        return error


SHARES: Final = 8
"""The cases are tried in so many tests, each of them a second or two."""


def resolves(lib: Any, path: str) -> bool:
    """Say whether a namespace has a name, with dots."""
    if path == "Array" or path.partition(".")[0] in {"random", "special"}:
        return lib is xp
    for name in path.split("."):
        if not hasattr(lib, name):
            return False
        lib = getattr(lib, name)
    return True


# --- what is replaced -----------------------------------------------------------------------------
CALLS: Final = r"""
[]
- text: array_repr array_str typename
- of CuPy: asnumpy
- a type: common_type float generic is_tensor
- prose: device dtype errstate euler_gamma False_ index_exp ndenumerate s_ True_
- takes another library's array: from_numpy
- a file: fromfile genfromtxt load loadtxt save savetxt savez savez_compressed
- functions of the user's: frompyfunc vectorize
- random: manual_seed rand randint randn randperm
- a class: matrix ndarray Tensor
- gradients: no_grad
- options: printoptions set_default_device set_default_dtype set_printoptions
- no library has it: solve
- factors are not unique: svd
- of others: to_numpy
np.absolute(x)  torch.addcdiv(x, y, z, value=value)  torch.addcmul(x, y, z, value=value)
torch.addmm(z, x, y)  alltrue = np.all(x)  np.angle(x)
np.append(x, y) | np.append(x, y, axis=axis)  np.apply_along_axis(f, 1, x)
np.apply_over_axes(np.sum, x, (0, 1))  np.argpartition(x, k)  np.array(obj) | np.array(x)
np.array2string(x)  np.array_equal(x, y)  np.array_equiv(x, y)  np.array_split(x, [n])
torch.as_tensor(obj, dtype=torch.float64)  np.asanyarray(obj)
np.asarray_chkfinite(obj) | np.all(np.isfinite(x))  np.ascontiguousarray(obj)
np.asfortranarray(obj)  asmatrix = np.asarray(obj)  np.average(x) | np.average(x, weights=weights)
np.bartlett(n)  np.bitwise_count(x)  np.blackman(n)  np.block([[x, y], [y, x]])
bmat = np.asarray(np.bmat([[x, y], [y, x]]))  torch.broadcast_tensors(x, y)  np.c_[x, y]
torch.cat([x, y])  np.choose(indices, [x, y])  torch.chunk(x, n)  torch.clamp(x, min, max)
np.column_stack([x, y])  complexfloating = np.issubdtype(x.dtype, np.complexfloating)
np.compress(condition, x)  np.concatenate([x, y])  np.copyto(x, y); x  np.cross(x, y)
np.cumprod(x) | np.cumprod(x, axis=axis)  np.cumsum(x) | np.cumsum(x, axis=axis)  np.delete(x, n)
np.diag_indices(n)  np.diag_indices_from(x)  np.digitize(x, bins)  np.dsplit(x, [n])
np.dstack([x, y])
np.einsum("ij,jk", x, y) | np.einsum("ij,ij->i", x, y) | np.einsum("ij,ij", x, y)
np.einsum_path("ij,jk", x, x)  np.extract(condition, x)  np.fill_diagonal(x, value); x
floating = np.issubdtype(x.dtype, np.floating)  np.frombuffer(buffer)  np.fromfunction(f, (n, m))
np.fromiter(iterator, dtype=float)  np.fromstring(text, sep=" ")  torch.gather(x, axis, indices)
np.gcd(x, n)  np.geomspace(start, stop, num)  np.hamming(n)  np.hanning(n)
np.histogram(x, bins) | -  np.histogram2d(x, x)  np.histogram_bin_edges(x, n)  np.histogramdd(x)
np.hsplit(x, [n])  np.hstack([x, y])  np.identity(n)  in1d = np.isin(np.ravel(x), y)
torch.index_select(x, axis, indices)  np.indices((n, m))
inexact = np.issubdtype(x.dtype, np.inexact)  np.insert(x, n, y)
integer = np.issubdtype(x.dtype, np.integer)  np.interp(x, bins, values)  np.isscalar(x)
np.issubdtype(x.dtype, np.integer)  np.ix_(x, y)  np.kaiser(n, beta)  np.lcm(x, n)
np.ldexp(x, indices)  torch.lerp(x, y, weight)  np.lexsort((x, y))  torch.logsumexp(x, axis)
np.mask_indices(n, np.triu)  torch.masked_select(x, mask)  np.mgrid[:n, :m]
torch.movedim(x, source, destination)  np.nanargmax(x, axis=axis)  np.nanargmin(x, axis=axis)
np.nancumprod(x)  np.nancumsum(x)  np.nanmax(x, axis=axis)  np.nanmean(x, axis=axis)
np.nanmin(x, axis=axis)  np.nanpercentile(x, q)  np.nanprod(x, axis=axis)  np.nanquantile(x, q)
np.nanstd(x, axis=axis)  np.nansum(x, axis=axis)  np.nanvar(x, axis=axis)  np.ndim(x)
ndindex = list(np.ndindex(n, m))  number = np.issubdtype(x.dtype, np.number)  np.ogrid[:n, :m]
np.packbits(x)  np.pad(x, (n, m))  np.partition(x, k)  np.percentile(x, q)  torch.permute(x, axes)
np.piecewise(x, [condition], [f, g])  np.place(x, mask, value); x  np.poly1d(p)(x)
np.polyadd(x, x)  np.polydiv(x, x)  np.polyfit(x, y, n)  np.polymul(x, x)  np.polysub(x, x)
np.polyval(p, x)  np.promote_types(x.dtype, y.dtype)  np.put(x, indices, values); x
np.putmask(x, mask, value); x  np.quantile(x, q)  np.r_[x, y]  np.ravel_multi_index((i, j), shape)
torch.repeat_interleave(x, repeats, axis)  np.require(obj, dtype)  np.resize(x, shape)
np.rollaxis(x, axis) | np.rollaxis(x, axis, start)  row_stack = np.vstack([x, y])
np.select([condition], [x], y)  np.shape(x)
signedinteger = np.issubdtype(x.dtype, np.signedinteger)  np.size(x)  torch.softmax(x, axis)
np.split(x, n) | np.split(x, [n])  np.swapaxes(x, axis1, axis2)
torch.tensor(obj, dtype=torch.float64)  torch.topk(x, k)  np.transpose(x) | np.transpose(x, axes)
trapz = np.trapezoid(x)  np.tri(n)  np.tril_indices(n)  np.triu_indices(n)
np.unravel_index(i, shape)  unsignedinteger = np.issubdtype(x.dtype, np.unsignedinteger)
torch.unsqueeze(x, axis)  np.vsplit(x, [n])  np.vstack([x, y])
[linalg]
np.linalg.multi_dot([x, y, z])
solve_triangular = torch: triangular(x, y, upper=True) | torch: triangular(x, y, upper=False)
[random]
- random numbers: *
[special]
- an order: yn
bessel_j0 = scipy.special.j0(x+0.0)  bessel_j1 = scipy.special.j1(x+0.0)
bessel_y0 = scipy.special.y0(x+0.0)  bessel_y1 = scipy.special.y1(x+0.0)
modified_bessel_i0 = scipy.special.i0(x+0.0)  modified_bessel_i1 = scipy.special.i1(x+0.0)
modified_bessel_k0 = scipy.special.k0(x+0.0)  modified_bessel_k1 = scipy.special.k1(x+0.0)
[array]
- of CuPy: asnumpy get
- gradients: backward
- devices: cpu cuda npu to
- memory: data data_ptr storage
- a file: dump dumps tofile
- torch has it no longer: eig
- its arguments are left open: histogram
- NaN of infinities in torch: i0 i0_
- Python's numbers: item
- an accelerator: pin_memory
- a type: type
- its shape is that of one axis: unflatten
x.argpartition(k)  x.astype(dtype)  x.choose([y, z])  x.clip(min, max)  torch: x.clip_(min, max)
torch: x.expand(shape)  x.fill(value); x  torch: x.fill_(value)  flat = np.asarray(x.flat)
torch: x.flip(axis)  torch: x.masked_fill(mask, value)  torch: x.masked_fill_(mask, value)
torch: x.narrow(0, start, length)  torch: x.new_full(shape, value)  torch: x.new_ones(shape)
torch: x.new_tensor(obj)  torch: x.new_zeros(shape)  x.partition(k); x
x.repeat(repeats) | torch: x.repeat(repetitions)  x.reshape(shape)  x.resize(shape); x
torch: x.roll(shift)  torch: x.scatter(0, indices, values)  x.searchsorted(values)
torch: x.select(0, i)  x.sort(); x  torch: x.split(n)  x.take(indices) | x.take(indices, axis=axis)
torch: x.tile(repetitions)  torch: x.view(shape) | torch: x.view(dtype)
torch: x.where(condition, y)
"""
"""The default call that each edit for a name replaces, if it is not NumPy's, SciPy's or torch's
function or method of that name, of the arrays in the edit.  Calls for several edits stand beside
``|``; a name that the call does not end with stands before ``=``.  After ``-`` stands why no call
is compared, and for which names."""


def _calls() -> dict[tuple[str, str], list[str]]:
    found, part = {}, ""
    for line in filter(None, CALLS.splitlines()):
        if line.startswith("["):
            part = line.strip("[]")
        elif line.startswith("- "):
            why, _, names = line.partition(": ")
            found |= {(part, name): [why] for name in names.split()}
        else:
            for entry in line.split("  "):
                named, _, said = entry.rpartition(" = ")
                path = re.match(r"(?:torch: )?([\w.]+)", said)
                name = named or (path[1].rpartition(".")[2] if path else "")
                found[part, name] = said.split(" | ")
    return found


EXPLICIT: Final = _calls()


def replaced(part: str, name: str, edit: Edit, i: int) -> tuple[str, Any] | str:
    """Return the call that the edit ``i`` for a name replaces, and its library; or why none."""
    if known := EXPLICIT.get((part, name), EXPLICIT.get((part, "*"))):
        call = known[min(i, len(known) - 1)]
        if call.startswith("-"):
            return call
        own = call.removeprefix("torch: ")
        return own, torch if "torch" in call else np
    tree = ast.parse(edit.code)
    used = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & {*"xyz"})
    if part == "array":
        for lib, owner in ((np, np.ndarray), (torch, torch.Tensor)):
            if hasattr(owner, name):
                call = f"({', '.join(used[1:])})" if callable(getattr(owner, name)) else ""
                return f"x.{name}{call}", lib
    for lib in (np, scipy, torch):
        home = getattr(lib, part, None) if part else lib
        if (owned := getattr(home, name, None)) is not None:
            path = f"{lib.__name__}.{part}{'.' if part else ''}{name}".replace("numpy", "np")
            if isinstance(owned, (type, torch.dtype)):
                return path, np
            return f"{path}({', '.join(used)})", torch if lib is torch else np
    return f"{part}.{name}: no library has it; CALLS must say what the edit replaces"


ROWS: Final = [
    *((p, n, text) for p in PARTS for n, text in foreign_names.names(p).items()),
    *(("array", n, text) for n, text in foreign_names.ARRAY.items()),
]

ATTRIBUTES: Final = [
    ("array", name, foreign_names.of_attribute(name))
    for name in sorted({*dir(np.ndarray), *dir(torch.Tensor)} - set(dir(xp.ones(1))))
    if not name.startswith("_") and name not in foreign_names.ARRAY
]
"""What is said of the attributes of arrays that are in no table of arrays."""

OPEN: Final = r"xp\.to_torch|from_dlpack|\.\.\.\)"
"""Attributes of tensors and of NumPy's arrays, and calls whose arguments are left open."""


def replaced_by_attribute(name: str, edit: Edit, i: int) -> tuple[str, Any] | str:
    """Return the call of a method that an edit replaces, and its library; or why none."""
    if re.search(OPEN, edit.code):
        return "- its arguments are left open"
    known = EXPLICIT.get(("", name))
    if known is None or ("array", name) in EXPLICIT:
        return replaced("array", name, edit, i)
    call = known[min(i, len(known) - 1)]
    method = re.sub(rf"^(np|torch)\.{name}\(x(, )?", f"x.{name}(", call)
    lib = np if hasattr(np.ndarray, name) else torch
    same = method != call and (lib is torch or call.startswith("np."))
    return (method, lib) if same else "- the function of that name is compared"


# --- messages, reports and pages ------------------------------------------------------------------

MESSAGES: Final = """
x[0]  x[mask, 0] | x[mask, 0] | mask = indices == 1
x[mask, 0] = value | x[mask, 0] = value | mask = indices == 1  x[indices]
divmod(x, 2) | np.divmod(x, y)  value in x  np.round(x, 2) | np.round(x, n)
np.meshgrid(x, x, sparse=True) | np.meshgrid(x, y, sparse=True)  round(x) | np.round(x)
np.add.reduce(x)  np.maximum.reduce(x)  np.subtract.reduce(x)  np.add.accumulate(x)
np.maximum.accumulate(x)  np.subtract.outer(x, y)
np.add.at(x, indices, values) | np.add.at(x, indices, values); x
np.add.at(x, indices, y) | np.add.at(x, indices, values); x | values = y
np.add.at(x, indices, 1.0) | np.add.at(x, indices, value); x
np.subtract.at(x, indices, values) | np.subtract.at(x, indices, values); x
np.multiply.at(x, indices, values) | np.multiply.at(x, indices, values); x
np.divide.at(x, indices, values) | np.divide.at(x, indices, values); x
np.maximum.at(x, indices, values) | np.maximum.at(x, indices, values); x
np.minimum.at(x, indices, 1.0) | np.minimum.at(x, indices, value); x
np.add.at(x, (k, k), values) | np.add.at(x, indices, values); x | k = indices; indices = (k, 2 - k)
np.maximum.at(x, (k, k), 1.0) | np.maximum.at(x, indices, value); x | k = indices; indices = (k, k)
np.logical_or.at(x, indices, values) | - of one position  np.zeros(3, dtype=int) | np.dtype(int)
np.astype(x, bool) | np.dtype(bool)  x.sum()  x.trace()
x.swapaxes(0, 1) | x.swapaxes(axis1, axis2)  x == "a" | - a type  f"{x:.2f}" | - options
x.item() | - Python's numbers  x.get() | - of CuPy
"""
"""Calls that strict mode refuses, and what the edits in the errors replace, after some code."""

REPORTS: Final = """
len(x)  x.size  [*x] | list(x)  x[::-1, ...]  x[:, indices]  np.bincount(x)
np.convolve(x, x) | np.convolve(x, y)  np.diag(x)
np.logspace(1, 2, 3) | np.logspace(start, stop, num)  np.median(x)  x.dtype == "float64" | - a type
x[indices] = 1.0 | - of one position  f"{x[0, 0]:.2f}" | - Python's numbers
"""
"""Calls that a porting report alone lists, and what its edits replace."""


def told(call: str, x: Any, mode: bool | str) -> list[str]:
    """Return what strict mode, or a porting report, says of a call."""
    xp.porting_report(clear=True)
    with xp.options(relaxed=mode):
        try:
            run(call, given(xp, x) | {"np": xp})
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            return [] if mode else [str(error)]
    return [note.message for note in xp.porting_report(clear=True)]


def of_message(text: str) -> list[Edit]:
    """Return the edits in what a message says to write."""
    text = text.partition("Its form is")[0].removesuffix(" xp.options(relaxed=True) allows it.")
    sentences = re.split(r"\. |: (?!\])", text.partition(" Strict mode")[0].rstrip("."))[1:]
    found = [e for s in sentences for e in edits(s.replace("y[...] = result", "y[...] = x"))]
    return [e for e in found if not re.fullmatch(r"\w+\(\)", e.code)]


def entries(table: str) -> Iterator[tuple[str, str, str]]:
    """Yield the code in a table, what it replaces (itself by default), and code before both."""
    for entry in re.split(r"\n|  ", table.strip()):
        code, *rest = entry.split(" | ")
        yield code, rest[0] if rest else code, rest[1] if len(rest) > 1 else ""


def proposals(table: str, mode: bool | str) -> Iterator[tuple[str, Edit, str, str]]:
    """Yield the calls of a table with the edits that are told of them, and what these replace."""
    few = [s.x for s in SAMPLES if s.x.ndim in {1, 2} and s.x.size > 2 and s.x.dtype.kind in "fi"]
    for call, replaced, before in entries(table):
        code = "; ".join(filter(None, (before, call)))
        found = {
            edit: call for x in few for text in told(code, x, mode) for edit in of_message(text)
        }
        assert found, call
        for edit in found:
            yield call, edit, replaced, before


def of_pages() -> Iterator[tuple[str, str, str]]:
    """Yield the pages' edits, each with what stands in the first cell of its row, if in a table."""
    for page in sorted(DOCS.glob("*.md")):
        proposes = False
        for line in page.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if not line.startswith("|"):
                proposes, cells = False, ["", ""]
                found = re.findall(r"[Ww]rite `([^`]+)`", line)
            elif re.fullmatch(r"(?:\|[-: ]+)+\|", line):
                continue
            else:
                head = cells[-1] in {"instead", "here", "write", "portable", "what to write"}
                proposes = proposes or head
                found = re.findall(r"`([^`]+)`", cells[-1]) if proposes and not head else []
            for code in found:
                code = code.replace("m[", "x[").replace('"npu"', '"cpu"')
                if is_code(code) and "...)" not in code:
                    yield page.stem, cells[0].replace("`", ""), code


PAGES: Final = r"""
xp.where | - a name  torch.autograd.grad | - a name  torch.save | - a name
xp.asarray([0.1]) | np.array([0.1])  xp.options(default_float="float64") | - options
xp.sum(x, axis=0) | x.sum(axis=0)  xp.astype(n, xp.float32) * x | n * x | n = indices
x[0, ...] | x[0]  x[0] | - a view
x[:2, ...] = xp.flip(x[:2, ...], axis=0) | x[:2] = x[:2][::-1].copy()
x.dtype == xp.float32 | x.dtype == np.float32
xp.isdtype(x.dtype, "real floating") | x.dtype.kind == "f"
xp.isdtype(x[0].dtype, "real floating") | - of one axis  xp.float32 | np.float32
torch.float32 | np.float32  isinstance(x, xp.Array) | isinstance(x, np.ndarray)
x.to_device("cpu") | torch: x.cpu()  xp.astype(x, xp.float32) | torch: x.float()
xp.astype(x, xp.float64) | torch: x.to(torch.float64)  xp.to_torch(x) | torch: x
rng = xp.random.default_rng(0) | - random  torch.sin(xp.to_torch(x)) | - torch's
xp.random.Generator(xp.random.Native(42, device="cuda")) | - random
xp.random.default_rng(seed).spawn(n)[i] | - random
xp.astype(x, xp.float32) * y | x * y | y = x; x = indices
xp.astype(x, xp.float32) * 0.5 | x * 0.5 | x = indices  isinstance(x, str)
x[mask][:, 0, ...] | x[mask, 0] | mask = indices == 1  xp.sum(x) | x.sum()  xp.concat | - a name
xp.take(x, xp.asarray([0, 1]), axis=0) | x[[0, 1]]  xp.all(x == y) | np.all(x == y)
xp.real(z) | z.real  x[0].copy() | - relaxed mode's
"""
"""The edits of pages, what they replace, and code before both.  Those of two pages are compared in
test_messages.py."""

EVERYDAY: Final = (
    (DOCS / "strict-and-relaxed.md")
    .read_text("utf-8")
    .partition("### Everyday")[2]
    .replace("`", "")
)

UNTRIED: Final = {
    "float(x) or int(x)": "Python's numbers",
    "int(i)": "Python's numbers",
    "x.data": "of masked arrays",
    "x.dtype ": "half of a comparison, which a report makes",
    "y[...]": "half of an assignment",
    "xp.linalg.eigvals()": "of a matrix that the text describes",
}
"""Edits in the sources that no message of the tables has, and why."""

PROSE: Final = {
    "pin_memory": "needs an accelerator",
    "hyp1f1": "is a function of SciPy's alone",
    "lpmv": "is a function of SciPy's alone",
    "yn": "is given by a recurrence",
    "x[0].copy()": "is for relaxed mode",
    'xp.random.Generator(xp.random.Native(42, device="cuda"))': "needs a GPU",
}
"""The names, or edits, of which nothing runs here, and why."""

BEYOND: Final[dict[str, tuple[Any, ...]]] = {
    # The standard has no assignment to positions.
    "x[indices] = values": (array_api_strict,),
    "y = xp.asarray(x, copy=True); y[indices] = values": (array_api_strict,),
    # Each library has names of its own for devices, and torch's tensors have no such method.
    'x.to_device("cpu")': (array_api_strict, compat),
    "x.to_device(device)": (compat,),
}
"""Edits that some namespaces refuse, and these namespaces."""


def written() -> Iterator[tuple[str, str]]:
    """Yield what the texts in the package tell to write, each with its module."""
    tells = re.compile(r"(?:[Ww]rite|as in|[Ss]elect along one axis by) ([^ ]*[.\[(].*?)(?:\. |$)")
    for path in sorted(PACKAGE.rglob("*.py")):
        if tells.search(text := path.read_text(encoding="utf-8")):
            tree = [*ast.walk(ast.parse(text))]
            own = {id(n.value) for n in tree if isinstance(n, ast.Expr)}  # docstrings
            for node in tree:
                if isinstance(node, ast.Constant) and id(node) not in own:
                    yield from ((path.stem, said) for said in tells.findall(str(node.value)))
    yield from (("foreign_names", text) for text in foreign_names.ADVICE.values())
    yield from (("extras", text) for text in foreign_names.PORTABLE.values())


# --- what is tried --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An edit beside the call that it replaces, of a library, or the reason why there is none."""

    name: str
    edit: Edit
    call: str
    lib: Any = np
    before: str = ""
    widths: bool = True


def _libraries(name: str, edit: Edit, said: tuple[str, Any] | str) -> Case:
    if isinstance(said, str):
        return Case(name, edit, said)
    return Case(name, edit, *said)


@functools.cache
def cases() -> tuple[Case, ...]:
    """Return the edits of all tables, messages, reports and pages."""
    found = []
    for part, name, text in ROWS:
        path = f"{part}.{name}".lstrip(".")
        found += [
            _libraries(path, edit, replaced(part, name, edit, i))
            for i, edit in enumerate(edits(text))
        ]
    for _, name, text in ATTRIBUTES:
        found += [
            _libraries(f"array.{name}", edit, replaced_by_attribute(name, edit, i))
            for i, edit in enumerate(edits(text))
        ]
    for table, mode in ((MESSAGES, False), (REPORTS, "warn")):
        for call, edit, original, before in proposals(table, mode):
            if "in turn" not in edit.condition:
                found.append(Case(call, edit, original, before=before))
    known = {code: rest for code, *rest in entries(PAGES)}
    for page, replaces, code in of_pages():
        if page != "strict-takes" and (code in known or replaces not in EVERYDAY):
            call, before = known.get(code, ("?", ""))
            lib = torch if call.startswith("torch:") else np
            edit = Edit(code, replaces)
            found.append(Case(page, edit, call.removeprefix("torch: "), lib, before, widths=False))
    return tuple({(c.edit, c.call, c.before): c for c in found}.values())


def compared(case: Case) -> bool:
    """Say whether a case has a call that this version of NumPy has."""
    names = re.findall(r"\bnp\.([\w.]*\w)", case.call)
    return not case.call.startswith("-") and all(resolves(np, name) for name in names)


def wrong(chosen: Iterable[Case], drawn: Iterable[Sample], *, widths: bool = True) -> list[str]:
    """Return how cases differ from the calls that they replace."""
    found = []
    for case in chosen:
        prefix = f"{case.before}; " if case.before else ""
        edit = Edit(prefix + case.edit.code, case.edit.condition)
        exact = widths and case.widths
        found += offences(case.name, edit, prefix + case.call, drawn, case.lib, widths=exact)
    return found


def test_every_edit_has_a_call_that_it_replaces_or_a_reason() -> None:
    unknown = [case for case in cases() if "?" in case.call or "CALLS" in case.call]
    assert unknown == []
    names = {(part, name) for part, name, _ in (*ROWS, *ATTRIBUTES)} | {("random", "*")}
    assert set(EXPLICIT) - names <= {("", name) for name in ("trapz", "in1d", "alltrue")}


def test_every_edit_in_the_sources_is_in_a_table() -> None:
    known = {case.edit.code for case in cases()}
    missing = [
        (module, edit.code)
        for module, text in written()
        for edit in edits(text.rstrip("."))
        if edit.code not in known | set(UNTRIED)
    ]
    assert missing == []


@pytest.mark.filterwarnings("ignore", "default::ascend_array_api.HostFallbackWarning")
@pytest.mark.parametrize("share", range(SHARES))
def test_an_edit_gives_what_the_call_gives_that_it_replaces(share: int) -> None:
    chosen = [case for case in cases() if compared(case)][share::SHARES]
    chosen = chosen if everything() else chosen[::2]
    with xp.options(device="cpu", default_float="float64"):
        found = wrong(chosen, SAMPLES)
    assert not found, "\n".join(found)


def namespaces(code: str) -> list[Any]:
    """Return the namespaces that an edit is for: those that have all names of ``xp`` in it."""
    paths = re.findall(r"\bxp\.([\w.]*\w)", code)
    libs = [
        lib for lib in (xp, array_api_strict, compat, np) if all(resolves(lib, p) for p in paths)
    ]
    return [lib for lib in libs if lib not in BEYOND.get(code, ())]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return files by the name of the function that reads or writes them."""
    folder = tmp_path_factory.mktemp("files")
    np.save(folder / "a.npy", np.asarray([1.0, 2.0]))
    (folder / "a.txt").write_text("1 2\n3 4\n")
    texts = dict.fromkeys(("loadtxt", "genfromtxt", "fromregex"), str(folder / "a.txt"))
    binary = dict.fromkeys(("load", "fromfile"), str(folder / "a.npy"))
    return {**texts, **binary, "array.tofile": str(folder / "b")}


def refused(case: Case, more: dict[str, Any]) -> str:
    """Say how the namespaces differ, with the first operands that all of them take, or nothing."""
    libs, errors = namespaces(case.edit.code), []
    code = f"{case.before}; {case.edit.code}" if case.before else case.edit.code
    for sample in (*SAMPLES, ONE):
        if not meets(case.edit.condition, sample):
            continue
        operands = sample.x, sample.y, sample.z
        results = [outcome(code, given(lib, *operands, code) | made(lib, more)) for lib in libs]
        if bad := [result for result in results if isinstance(result, Exception)]:
            errors.append(repr(bad[0])[:100])
            continue
        numbers = [r for r in results if r is not None and not isinstance(r, str)]
        differ = (difference(result, numbers[0], widths=None) for result in numbers)
        return next(filter(None, differ), "")
    return f"{libs}: {errors[:3]}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("share", range(SHARES // 2))
def test_an_edit_runs_on_four_namespaces(share: int, files: dict[str, Any]) -> None:
    found = []
    for case in cases()[share :: SHARES // 2]:
        if {case.name.rpartition(".")[2], case.edit.code} & set(PROSE) or re.search(
            OPEN, case.edit.code
        ):
            continue
        more: dict[str, Any] = {"file": files[case.name]} if case.name in files else {}
        if case.name == "array.backward":
            more["x"] = xp.asarray(torch.tensor(1.0, requires_grad=True))
        with xp.options(relaxed=False, device="cpu"), np.printoptions():  # some edits set options
            if said := refused(case, more):
                found.append(f"{case.name}: {case.edit.code}: {said}")
    assert not found, "\n".join(found)
