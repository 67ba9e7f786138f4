"""What is differentiated, and where: one table over the whole namespace.

``CASES`` has samples for each function that has a derivative; ``REASONS`` says of each
other why it has none.  Both are keyed by names as users write them: ``"exp"``, ``"linalg.inv"``,
``"Array.__add__"``.  ``names()`` derives from the namespace itself what must be there.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api import Array, fft, linalg
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

inf, nan = math.inf, math.nan


@dataclass(frozen=True)
class Case:
    """A function of arrays, and operands in whose neighbourhood it is smooth."""

    function: Callable[..., Any]
    """Returns an array, or a tuple of arrays."""
    operands: tuple[np.ndarray[Any, Any], ...]
    label: str = ""
    second: bool = True
    """Whether second derivatives are defined there."""
    batched: bool = True
    """Whether the shape of the result is that of each example by itself, as ``vmap`` needs it."""


CASES: dict[str, list[Case]] = {}


def _operand(name: str, shape: tuple[int, ...], low: float, high: float, form: str) -> Any:
    generator = np.random.default_rng(zlib.crc32(f"{name}{shape}{form}".encode()))
    x = generator.uniform(low, high, shape)
    return x + 1j * generator.uniform(low, high, shape) if form == "complex" else x


def _add(name: str, function: Callable[..., Any], *operands: Any, **parameters: Any) -> None:
    CASES.setdefault(name, []).append(
        Case(function, tuple(np.asarray(x) for x in operands), **parameters)
    )


# --- elementwise ----------------------------------------------------------------------------------

REAL, COMPLEX = ("real",), ("complex",)
BOTH = ("real", "complex")

for _names, _low, _high, _forms in (
    ("abs negative positive real sin sinh square", -2, 2, BOTH),
    ("asinh atan cos cosh exp expm1 tanh sign", -0.9, 0.9, BOTH),
    ("acos asin atanh tan", -0.8, 0.8, BOTH),
    ("acosh", 1.2, 3, BOTH),
    ("log log2 log10 reciprocal sqrt", 0.3, 3, BOTH),
    ("log1p", -0.5, 2, BOTH),
    ("conj", -2, 2, BOTH),
    ("imag", -2, 2, COMPLEX),
    ("ceil floor round trunc", 0.6, 0.9, REAL),
    ("round", -0.4, 0.4, COMPLEX),
):
    for _name in _names.split():
        for _form in _forms:
            _x = _operand(_name, (2, 3), _low, _high, _form)
            _add(_name, getattr(xp, _name), _x, label=_form)

_FAR = np.asarray([[30.0, -30.0], [700.0, -700.0]])
for _name in ("cosh", "expm1", "sinh", "tanh"):
    _add(_name, getattr(xp, _name), _FAR[:1], label="far")
# Complex numbers near and on the axes, and on both sides of branch cuts.
_ODD = np.asarray([0.3 + 0.4j, -0.7 + 1.2j, 1.5 - 0.2j, -2 - 3j, 0.01 + 0.02j, 3 + 0.1j])
_AXES = np.asarray([0.3j, -0.4j, 0.5, -0.6])
for _name in (
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sign sin "
    "sinh sqrt square tan tanh abs"
).split():
    _add(_name, getattr(xp, _name), _ODD, label="odd")
    if _name not in {"acosh", "log", "log10", "log2", "sqrt"}:
        _add(_name, getattr(xp, _name), _AXES, label="axes")

for _names, _low, _high, _forms in (
    ("add subtract multiply", -2, 2, BOTH),
    ("divide", 0.5, 2, BOTH),
    ("pow", 0.5, 2, BOTH),
    ("atan2 hypot logaddexp copysign", 0.3, 2, REAL),
    ("maximum minimum", -2, 2, REAL),
):
    for _name in _names.split():
        for _form in _forms:
            _pair = [_operand(_name + o, (2, 3), _low, _high, _form) for o in "12"]
            _add(_name, getattr(xp, _name), *_pair, label=_form)
        _pair = [_operand(_name + "3", (2, 1), _low, _high, "real"), _pair[1].real[:1]]
        _add(_name, getattr(xp, _name), *_pair, label="broadcast")
_add("copysign", xp.copysign, [-1.5, 2.0, -0.5, 0.7], [1.0, -2.0, -3.0, 0.4], label="signs")
_add("hypot", xp.hypot, [3.0, 0.0, -2.0], [-4.0, 1.5, 0.0], label="axes")
_add("atan2", xp.atan2, [3.0, -0.5, -2.0], [-4.0, -1.5, 1.0], label="quadrants")
_add("nextafter", xp.nextafter, [1.0, -2.0, 0.5], [3.0, -3.0, -0.5])
_add("logaddexp", xp.logaddexp, [1.0, 50.0, -800.0], [1.0, -700.0, -900.0], label="apart")
for _name in ("floor_divide", "remainder"):
    _x = [[5.3, -5.3, 7.1, -0.2, 1e3], [2.0, 2.0, -3.0, 5.0, -7.5]]
    _add(_name, getattr(xp, _name), *_x)
_add("pow", lambda x: x**2, [0.0, -1.5, 2.0], label="square")
_add("pow", lambda x: xp.pow(x, xp.asarray(3.0, dtype=xp.float64)), [0.0, -1.5, 2.0], label="cube")
_add("pow", lambda x: xp.pow(x, 0), [0.0, -1.5, 2.0], label="zeroth", second=False)
_add("pow", lambda x: xp.pow(x, 2), [0.5 + 1j, -1.5, 2.0j], label="complex square")
_add("pow", lambda x: xp.pow(2.0, x), [0.0, -1.5, 2.0], label="scalar base")
_add("pow", xp.pow, [0.5 + 1j, -1.5 - 1j, 2.0j], [1j, 2.0, 1.0], label="complex exponents")
_add("where", lambda a, b: xp.where(a > b, a, b), [1.0, 2.0], [2.0, 1.0])
_add("where", lambda a, b: xp.where(xp.real(a) > 0, a, b), [1j + 1, -2.0], [2.0j, 1.0])
_add("where", lambda a: xp.where(a > 0, xp.sqrt(xp.where(a > 0, a, 1.0)), 0.0), [1.0, -2.0])
_add("clip", lambda x: xp.clip(x, -1, 1), [-2.0, -0.5, 0.7, 3.0], label="scalars")
_add("clip", xp.clip, [-2.0, 0.5, 3.0], [-1.0, -1.0, -1.0], [1.0, 1.5, 2.0], label="arrays")
_add("clip", lambda x, b: xp.clip(x, min=b), [-2.0, 0.5], [-1.0, -1.0], label="min")
_add("clip", lambda x, b: xp.clip(x, max=b), [-2.0, 0.5], [-1.0, 1.0], label="max")
_add("clip", xp.clip, [-2.0, 0.5], label="none")

# --- creation, interchange, data types ------------------------------------------------------------

_MATRIX = _operand("matrix", (3, 3), -1, 1, "real")
_COMPLEX_MATRIX = _operand("matrix", (3, 3), -1, 1, "complex")
_BLOCK = _operand("block", (2, 3), -1, 1, "real")

_add("asarray", xp.asarray, _BLOCK)
_add("asarray", partial(xp.asarray, copy=True), _BLOCK, label="copy")
_add("asarray", lambda a, b: xp.asarray([[a, b], [b, a]]), 1.5, 2.5, label="sequence")
_add("astype", lambda x: xp.astype(x, xp.complex128), _BLOCK, label="complex128")
_add("astype", lambda x: xp.astype(x, xp.float64), _BLOCK, label="copy")
_add("to_torch", lambda x: xp.asarray(xp.to_torch(x)), _BLOCK)
_add("diag", xp.diag, [1.0, 2.0], label="matrix")
_add("diag", lambda x: xp.diag(x, k=1), _MATRIX, label="diagonal")
_add("meshgrid", lambda a, b: tuple(xp.meshgrid(a, b)), [1.0, 2.0], [3.0, 4.0, 5.0])
_add("tril", xp.tril, _MATRIX)
_add("triu", lambda x: xp.triu(x, k=1), _COMPLEX_MATRIX)

# --- manipulation and indexing --------------------------------------------------------------------

_add("broadcast_arrays", lambda a, b: tuple(xp.broadcast_arrays(a, b)), [1.0, 2.0], [[3.0], [4.0]])
_add("broadcast_to", lambda x: xp.broadcast_to(x, (2, 2, 3)), _BLOCK)
_add("concat", lambda a, b: xp.concat([a, b], axis=1), _BLOCK, _BLOCK[:, :1])
_add("concat", lambda a, b: xp.concat([a, b], axis=None), _BLOCK, [1j, 2], label="flat")
_add("expand_dims", lambda x: xp.expand_dims(x, axis=1), _BLOCK)
_add("flip", xp.flip, _BLOCK)
_add("matrix_transpose", xp.matrix_transpose, _BLOCK)
_add("moveaxis", lambda x: xp.moveaxis(x, 0, 1), _BLOCK)
_add("permute_dims", lambda x: xp.permute_dims(x, (1, 0)), _BLOCK)
_add("repeat", lambda x: xp.repeat(x, 2, axis=1), _BLOCK)
_add("repeat", lambda x: xp.repeat(x, xp.asarray([1, 0, 2]), axis=1), _BLOCK, label="array")
_add("reshape", lambda x: xp.reshape(x, (3, 2)), _BLOCK)
_add("reshape", lambda x: xp.reshape(xp.matrix_transpose(x), (-1,), copy=True), _BLOCK)
_add("roll", lambda x: xp.roll(x, 1), _BLOCK, label="flat")
_add("roll", lambda x: xp.roll(x, (1, 2), axis=(0, 1)), _BLOCK, label="axes")
_add("squeeze", lambda x: xp.squeeze(x, 0), _BLOCK[:1])
_add("stack", lambda a, b: xp.stack([a, b], axis=1), _BLOCK, _BLOCK * 1j)
_add("tile", lambda x: xp.tile(x, (2, 1, 2)), _BLOCK)
_add("unstack", lambda x: xp.unstack(x, axis=1), _BLOCK)
_add("take", lambda x: xp.take(x, xp.asarray([2, 0, 0]), axis=1), _BLOCK)
_add(
    "take_along_axis",
    lambda x: xp.take_along_axis(x, xp.asarray([[2, 0], [1, -1]]), axis=1),
    _BLOCK,
)

# --- searching, sorting, sets ---------------------------------------------------------------------

_APART = np.asarray([[3.0, -1.0, 0.5], [2.0, 4.0, -2.0]])
_add("sort", lambda x: xp.sort(x, axis=0, descending=True), _APART)
_add("sort", xp.sort, _APART, label="ascending")
_TWICE = np.asarray([3.0, 1.0, 3.0, -2.0])
for _name in ("unique_all", "unique_counts", "unique_inverse"):
    _add(
        _name,
        lambda x, n=_name: getattr(xp, n)(x).values,
        _APART,
        batched=False,
    )
_add("unique_values", xp.unique_values, _APART, batched=False)
_add("unique_values", xp.unique_values, _APART * (1 + 1j), batched=False)

# --- statistics, utilities ------------------------------------------------------------------------

_ZERO = np.asarray([[2.0, 0.0, -1.5], [0.5, 3.0, 1.0]])
_ZEROS = np.asarray([[2.0, 0.0, 0.0], [0.5, 3.0, 1.0]])
for _form in BOTH:
    _x = _operand("statistics", (2, 3, 2), -2, 2, _form)
    for _name in ("sum", "mean", "prod"):
        _f = getattr(xp, _name)
        _add(_name, _f, _x, label=_form)
        _add(_name, partial(_f, axis=1), _x, label=f"{_form} axis")
        _add(_name, partial(_f, axis=(0, 2), keepdims=True), _x, label=f"{_form} axes")
        _add(_name, partial(_f, axis=()), _x, label=f"{_form} none")
    for _name in ("cumulative_sum", "cumulative_prod"):
        _f = getattr(xp, _name)
        _add(_name, partial(_f, axis=1), _x, label=_form)
        _add(_name, partial(_f, axis=0, include_initial=True), _x, label=f"{_form} initial")
    _add("diff", xp.diff, _x, label=_form)
    _add("diff", partial(xp.diff, axis=1, n=2), _x, label=f"{_form} second")
_add("diff", lambda x, a: xp.diff(x, prepend=a, append=a), _BLOCK, _BLOCK[:, :1], label="sides")
for _label, _x in (("zero", _ZERO), ("zeros", _ZEROS)):
    _add("prod", xp.prod, _x, label=_label)
    _add("prod", partial(xp.prod, axis=1), _x, label=f"{_label} axis")
    _add("cumulative_prod", partial(xp.cumulative_prod, axis=1), _x, label=_label)
    _add("cumulative_prod", partial(xp.cumulative_prod, axis=1), _x * 1j, label=f"{_label} complex")
_x = _operand("statistics", (2, 3, 2), -2, 2, "real")
for _name in ("max", "min"):
    _f = getattr(xp, _name)
    _add(_name, _f, _x)
    _add(_name, partial(_f, axis=1, keepdims=True), _x, label="axis")
    _add(_name, partial(_f, axis=(0, 2)), _x, label="axes")
for _name in ("std", "var"):
    _f = getattr(xp, _name)
    _add(_name, _f, _x)
    _add(_name, partial(_f, axis=1, correction=1), _x, label="axis")
    _add(_name, partial(_f, axis=(0, 1), correction=0.5, keepdims=True), _x, label="axes")

# --- linear algebra -------------------------------------------------------------------------------


def _sizes(parts: Any) -> tuple[Any, ...]:
    """Drop the phases of the factors of a matrix, which are not determined."""
    return tuple(map(xp.abs, parts))


for _form in BOTH:
    _a = _operand("a", (3, 3), -1, 1, _form) + 2 * np.eye(3)
    _b = _operand("b", (3, 2), -1, 1, _form)
    _c = _operand("c", (2, 3), -1, 1, _form)
    _v, _w = (_operand(n, (3,), -1, 1, _form) for n in "vw")
    _stack = _operand("stack", (2, 3, 3), -1, 1, _form) + 2 * np.eye(3)
    for _name in ("matmul", "linalg.matmul"):
        _add(_name, xp.matmul, _a, _b, label=_form)
        _add(_name, xp.matmul, _v, _b, label=f"{_form} vector")
        _add(_name, xp.matmul, _stack, _b, label=f"{_form} stack")
    for _name in ("vecdot", "linalg.vecdot"):
        _add(_name, xp.vecdot, _v, _w, label=_form)
        _add(_name, partial(xp.vecdot, axis=-2), _b, _b[:, :1], label=f"{_form} axis")
    for _name in ("tensordot", "linalg.tensordot"):
        _add(_name, partial(xp.tensordot, axes=1), _stack, _b, label=_form)
        _add(_name, partial(xp.tensordot, axes=((0, 1), (1, 0))), _b, _c, label=f"{_form} axes")
        _add(_name, partial(xp.tensordot, axes=0), _v, _w, label=f"{_form} outer")
    _add("linalg.matrix_transpose", linalg.matrix_transpose, _b, label=_form)
    _add("linalg.cross", linalg.cross, _v, _w, label=_form)
    _add("linalg.cross", partial(linalg.cross, axis=-2), _b, _b[:, :1], label=f"{_form} axis")
    _add("linalg.outer", linalg.outer, _v, _w[:2], label=_form)
    _add("linalg.diagonal", partial(linalg.diagonal, offset=1), _stack, label=_form)
    _add("linalg.trace", partial(linalg.trace, offset=-1), _stack, label=_form)
    _add("linalg.det", linalg.det, _stack, label=_form)
    _add("linalg.inv", linalg.inv, _stack, label=_form)
    _add("linalg.solve", linalg.solve, _a, _b, label=_form)
    _add("linalg.solve", linalg.solve, _stack, _v, label=f"{_form} vector")
    _add("linalg.pinv", linalg.pinv, _b, label=_form)
    for _n in (-2, 1, 2, 3, 5):
        _add(
            "linalg.matrix_power",
            lambda x, n=_n: linalg.matrix_power(x, n),
            _a,
            label=f"{_form} {_n}",
        )

    def _hermitian(x: Any) -> Any:
        return x + xp.conj(xp.matrix_transpose(x))

    _add(
        "linalg.cholesky",
        lambda x: linalg.cholesky(x @ xp.conj(xp.matrix_transpose(x)) + xp.eye(3, dtype=x.dtype)),
        _a,
        label=_form,
    )
    _add(
        "linalg.cholesky",
        lambda x: linalg.cholesky(
            x @ xp.conj(xp.matrix_transpose(x)) + xp.eye(3, dtype=x.dtype), upper=True
        ),
        _a,
        label=f"{_form} upper",
    )
    # Eigenvectors are determined up to a phase: what does not depend on it is differentiated.
    _add("linalg.eigvalsh", lambda x: linalg.eigvalsh(_hermitian(x)), _a, label=_form)
    _add(
        "linalg.eigh",
        lambda x: _sizes(linalg.eigh(_hermitian(x))),
        _a,
        label=_form,
    )
    _spread = _a + np.diag([0.0, 2.0, 5.0])
    _add("linalg.eigvals", linalg.eigvals, _spread, label=_form)
    _add(
        "linalg.eig",
        lambda x: (linalg.eig(x).eigenvalues, xp.abs(linalg.eig(x).eigenvectors)),
        _spread,
        label=_form,
    )
    _add(
        "linalg.qr",
        lambda x: _sizes(linalg.qr(x)),
        _b,
        label=_form,
    )
    _add("linalg.qr", lambda x: tuple(linalg.qr(x, mode="complete")), _a, label=f"{_form} complete")
    _add("linalg.svdvals", linalg.svdvals, _b, label=_form)
    _add(
        "linalg.svd",
        lambda x: _sizes(linalg.svd(x, full_matrices=False)),
        _b,
        label=_form,
    )
    _add(
        "linalg.slogdet",
        lambda x: tuple(linalg.slogdet(x)),
        _stack,
        label=_form,
    )
    for _ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        _add(
            "linalg.matrix_norm",
            partial(linalg.matrix_norm, ord=_ord),
            _stack,
            label=f"{_form} {_ord}",
        )
    for _ord in (2, 1, 3, 0.5, -1, -2, np.inf, -np.inf):
        _add(
            "linalg.vector_norm",
            partial(linalg.vector_norm, ord=_ord, axis=0),
            _b,
            label=f"{_form} {_ord}",
        )
    _add("linalg.vector_norm", linalg.vector_norm, _stack, label=f"{_form} all")
    _add("linalg.vector_norm", partial(linalg.vector_norm, axis=()), _b, label=f"{_form} none")

_TALL = _operand("tall", (4, 2), -1, 1, "real")
for _k, _rhs in enumerate(
    ([1.0, 2.0, -1.0, 0.5], [[1.0, 2.0], [0.0, 1.0], [3.0, 1.0], [1.0, 1.0]])
):
    _add(
        "linalg.lstsq", lambda a, b: tuple(linalg.lstsq(a, b)[:2]), _TALL, _rhs, label=f"tall {_k}"
    )
_add("linalg.lstsq", lambda a, b: linalg.lstsq(a, b).x, _TALL.T, [1.0, 2.0], label="wide")
_add("linalg.lstsq", lambda a, b: linalg.lstsq(a, b).s, _TALL * 1j, _rhs, label="values")
_add("convolve", xp.convolve, [1.0, 2.0, -0.5], [0.5, 1.5])
_add("convolve", lambda a, b: xp.convolve(a, b, "same"), [1.0, 2j, -0.5], [0.5, 1.5], label="same")
_add("median", xp.median, _APART, label="even")
_add("median", lambda x: xp.median(x, axis=1), _APART, label="odd")
_add("roots", lambda x: xp.sort(xp.real(xp.roots(x))), [1.0, -6.0, 11.0, -6.0], batched=False)
_add(
    "bincount",
    lambda w: xp.bincount(xp.asarray([0, 2, 2, 1]), w),
    [1.0, 2.0, 3.0, 4.0],
)

# --- Fourier transforms ---------------------------------------------------------------------------

_NORMS = ("backward", "ortho", "forward")
for _n in (4, 5):
    _x = _operand("fft", (2, _n), -1, 1, "complex")
    for _norm in _NORMS if _n == 5 else _NORMS[:1]:
        for _name in ("fft", "ifft"):
            _add(
                f"fft.{_name}", partial(getattr(fft, _name), norm=_norm), _x, label=f"{_n} {_norm}"
            )
        for _name in ("rfft", "ihfft"):
            _add(
                f"fft.{_name}",
                partial(getattr(fft, _name), norm=_norm),
                _x.real,
                label=f"{_n} {_norm}",
            )
        for _name in ("irfft", "hfft"):
            _half = _x[:, : _n // 2 + 1]
            _add(
                f"fft.{_name}",
                partial(getattr(fft, _name), n=_n, norm=_norm),
                _half,
                label=f"{_n} {_norm}",
            )
    _x = _operand("fftn", (2, 3, _n), -1, 1, "complex")
    for _name in ("fftn", "ifftn"):
        _add(f"fft.{_name}", getattr(fft, _name), _x[0], label=str(_n))
    _add("fft.rfftn", fft.rfftn, _x[0].real, label=str(_n))
    _add(
        "fft.irfftn",
        partial(fft.irfftn, s=(3, _n), axes=(0, 1)),
        _x[0, :, : _n // 2 + 1],
        label=str(_n),
    )
    _add("fft.fftshift", fft.fftshift, _x[0], label=str(_n))
    _add("fft.ifftshift", partial(fft.ifftshift, axes=1), _x[0].real, label=str(_n))
_x = _operand("fft", (2, 4), -1, 1, "complex")
for _points in (3, 6):  # trimmed, and padded
    for _name in ("fft", "ifft", "irfft", "hfft"):
        _add(
            f"fft.{_name}",
            partial(getattr(fft, _name), n=_points, axis=0),
            _x,
            label=f"to {_points}",
        )
    for _name in ("rfft", "ihfft"):
        _add(
            f"fft.{_name}", partial(getattr(fft, _name), n=_points), _x.real, label=f"to {_points}"
        )
    _add("fft.fftn", partial(fft.fftn, s=(_points, 3), axes=(1, 0)), _x, label=f"to {_points}")
    _add(
        "fft.rfftn", partial(fft.rfftn, s=(_points, 3), axes=(1, 0)), _x.real, label=f"to {_points}"
    )

# --- the array object -----------------------------------------------------------------------------

_L, _R = _operand("left", (2, 3), 0.5, 2, "real"), _operand("right", (3,), 0.5, 2, "real")
_LC, _RC = _operand("left", (2, 3), 0.5, 2, "complex"), _operand("right", (3,), 0.5, 2, "complex")


def _updated(name: str) -> Callable[[Any, Any], Any]:
    """Return the in-place operator, on a copy: what is differentiated with respect to stays."""

    def update(x: Any, y: Any) -> Any:
        target = xp.asarray(x, copy=True)
        return getattr(target, name)(y)

    return update


for _name in "add sub mul truediv pow floordiv mod".split():
    for _form, _pair in (("real", (_L, _R)), ("complex", (_LC, _RC))):
        if _form == "complex" and _name in {"floordiv", "mod"}:
            continue
        _add(f"Array.__{_name}__", getattr(Array, f"__{_name}__"), *_pair, label=_form)
        _add(f"Array.__r{_name}__", getattr(Array, f"__r{_name}__"), *_pair, label=_form)
        _add(f"Array.__i{_name}__", _updated(f"__i{_name}__"), *_pair, label=_form)
        for _prefix in ("", "r"):
            _add(
                f"Array.__{_prefix}{_name}__",
                lambda x, n=f"__{_prefix}{_name}__": getattr(x, n)(2.25),
                _pair[0],
                label=f"{_form} scalar",
            )
        _add(
            f"Array.__i{_name}__",
            lambda x, n=f"__i{_name}__": _updated(n)(x, 2),
            _pair[0],
            label=f"{_form} scalar",
        )
for _name in ("abs", "neg", "pos"):
    _add(f"Array.__{_name}__", getattr(Array, f"__{_name}__"), _L)
    _add(f"Array.__{_name}__", getattr(Array, f"__{_name}__"), _LC, label="complex")
_add("Array.__matmul__", Array.__matmul__, _L, _MATRIX)
_add("Array.__rmatmul__", lambda a, b: b.__rmatmul__(a), _L, _MATRIX)
_add("Array.__imatmul__", _updated("__imatmul__"), _L, _MATRIX)
_add("Array.T", lambda x: x.T, _L)
_add("Array.mT", lambda x: x.mT, _LC)
_add("Array.to_device", lambda x: x.to_device(x.device), _L)
_add("Array.__copy__", Array.__copy__, _L)
_add("Array.__deepcopy__", lambda x: x.__deepcopy__({}), _L)
_add("Array.__iter__", lambda x: tuple(iter(x)), _L)

KEYS: dict[str, Callable[[Any], Any]] = {
    "integer": lambda x: (1, ...),
    "integers": lambda x: (1, -1),
    "slice": lambda x: (slice(None), slice(0, 3, 2)),
    "backwards": lambda x: (slice(None, None, -1), slice(None, None, -2)),
    "none": lambda x: (None, ..., None),
    "array": lambda x: (slice(None), xp.asarray([2, 0, 0])),
    "arrays": lambda x: (xp.asarray([1, 0]), xp.asarray([2, -1])),
    "integer and array": lambda x: (0, xp.asarray([1, 0])),
}
MASKS: dict[str, Callable[[Any], Any]] = {
    "mask": lambda x: xp.asarray([[True, False, True], [False, True, False]]),
    "row mask": lambda x: (xp.asarray([True, False]), ...),
}
for _label, _key in (KEYS | MASKS).items():
    _add("Array.__getitem__", lambda x, k=_key: x[k(x)], _L, label=_label)
    _add("Array.__getitem__", lambda x, k=_key: x[k(x)], _LC, label=f"complex {_label}")


def _assigned(key: Callable[[Any], Any], value: Any = None) -> Callable[..., Any]:
    def assign(x: Any, *values: Any) -> Any:
        target = x * 1.0
        target[key(x)] = values[0] if values else value
        return target * x

    return assign


for _label, _key in (KEYS | MASKS).items():
    if _label == "array":  # which element would be written last is undefined
        _key = lambda x: (slice(None), xp.asarray([2, 0]))  # noqa: E731
    _add("Array.__setitem__", _assigned(_key), _L, 1.5, label=_label)
    _add("Array.__setitem__", _assigned(_key, 2.5), _L, label=f"{_label} number")
_add(
    "Array.__setitem__",
    _assigned(lambda x: (slice(None, None, -1), slice(None, None, -2))),
    _L,
    [[1.0, 2.0], [3.0, 4.0]],
    label="backwards array",
)
_add(
    "Array.__setitem__",
    _assigned(lambda x: (slice(None), xp.asarray([2, 0]))),
    _L,
    [[1.0, 2.0], [3.0, 4.0]],
    label="array array",
)
_add("Array.__setitem__", _assigned(KEYS["slice"]), _LC, 1.5j, label="complex")


# --- what has no derivative -----------------------------------------------------------------------

_BOOLEAN = "its result is boolean"
_INTEGER = "of integers or booleans alone"
_POSITIONS = "its result is integer"
_CREATES = "takes no array, or of one no more than the shape"
_NAMES = "about data types, shapes or the namespace"
_PYTHON = "leads out of arrays"

REASONS: dict[str, str] = {
    **dict.fromkeys(
        "all any equal greater greater_equal isfinite isin isinf isnan less less_equal logical_and "
        "logical_not logical_or logical_xor not_equal signbit".split(),
        _BOOLEAN,
    ),
    **dict.fromkeys(
        "bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift "
        "bitwise_xor".split(),
        _INTEGER,
    ),
    **dict.fromkeys(
        "argmax argmin argsort count_nonzero nonzero searchsorted linalg.matrix_rank".split(),
        _POSITIONS,
    ),
    **dict.fromkeys(
        "arange empty empty_like eye full full_like linspace logspace ones ones_like zeros "
        "zeros_like fft.fftfreq fft.rfftfreq".split(),
        _CREATES,
    ),
    **dict.fromkeys(
        "__array_namespace_info__ broadcast_shapes can_cast finfo iinfo isdtype result_type "
        "fallback_report options".split(),
        _NAMES,
    ),
    "from_dlpack": "DLPack cannot express a part in autograd: it raises BufferError",
    **{
        f"Array.__{name}__": reason
        for names, reason in (
            ("lt le gt ge eq ne", _BOOLEAN),
            ("invert and or xor lshift rshift rand ror rxor rlshift rrshift", _INTEGER),
            ("iand ior ixor ilshift irshift", _INTEGER),
            ("bool int float complex index len format repr reduce", _PYTHON),
            ("dlpack dlpack_device array array_namespace array_ufunc", _PYTHON),
        )
        for name in names.split()
    },
}


def names() -> Iterator[str]:
    """Name every function of the namespace, and every operator and method of its array."""
    for name in xp.__all__:
        value = getattr(xp, name)
        if callable(value) and not isinstance(value, type) and not isinstance(value, xp.__class__):
            yield name
    for module in (linalg, fft):
        for name in module.__all__:
            if callable(getattr(module, name)) and not isinstance(getattr(module, name), type):
                yield f"{module.__name__.rsplit('.', 1)[1]}.{name}"
    own = {"__init__", "__init_subclass__", "__array_priority__"}
    for name, value in vars(Array).items():
        if name.startswith("__") and callable(value) and name not in own:
            yield f"Array.{name}"
    yield from ("Array.T", "Array.mT", "Array.to_device")


def parameters() -> list[tuple[str, Case]]:
    """Return all samples with names for the tests of them."""
    return [
        (f"{name}: {case.label or i}", case)
        for name, cases in CASES.items()
        for i, case in enumerate(cases)
    ]


# --- calls ----------------------------------------------------------------------------------------


def reached(case: Case) -> Callable[..., Any]:
    """Return the function of a sample as a function of tensors."""

    def function(*operands: Any) -> Any:
        result = case.function(*map(xp.asarray, operands))
        if isinstance(result, (tuple, list)):
            return tuple(map(xp.to_torch, result))
        return xp.to_torch(result)

    return function


def tensors(case: Case, *, grad: bool = False, device: Any = "cpu") -> tuple[Any, ...]:
    """Return the operands of a sample as tensors of float64 and complex128."""
    moved = (torch.from_numpy(x.astype(f"{x.dtype.kind}{x.itemsize}")) for x in case.operands)
    return tuple(x.to(device).requires_grad_(grad) for x in moved)


# --- special points -------------------------------------------------------------------------------

AT: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = [
    # function, operands, the derivative by each
    ("abs", (0.0,), (0.0,)),
    ("abs", (-0.0,), (0.0,)),
    ("abs", (0j,), (0j,)),
    ("sign", (0.0,), (0.0,)),
    ("sign", (0j,), (0j,)),
    ("ceil", (2.0,), (0.0,)),
    ("floor", (2.0,), (0.0,)),
    ("round", (2.5,), (0.0,)),
    ("trunc", (-2.0,), (0.0,)),
    ("sqrt", (0.0,), (inf,)),
    ("sqrt", (-0.0,), (-inf,)),
    ("sqrt", (-1.0,), (nan,)),
    ("sqrt", (1e-300,), (5e149,)),
    ("sqrt", (inf,), (0.0,)),
    ("log1p", (complex(inf, 0),), (0j,)),
    ("log1p", (complex(0, inf),), (0j,)),
    ("log1p", (complex(-inf, inf),), (0j,)),
    ("acos", (0j,), (-1 + 0j,)),
    ("acos", (complex(0, -0.0),), (-1 + 0j,)),
    ("acos", (complex(-0.0, 0.0),), (-1 + 0j,)),
    ("maximum", (1.0, 1.0), (0.5, 0.5)),
    ("minimum", (1.0, 1.0), (0.5, 0.5)),
    ("maximum", (1.0, 2.0), (0.0, 1.0)),
    ("copysign", (0.0, 1.0), (0.0, 0.0)),
    ("copysign", (2.0, -0.0), (-1.0, 0.0)),
    ("copysign", (-2.0, 0.0), (-1.0, 0.0)),
    ("copysign", (-inf, -1.0), (1.0, 0.0)),
    ("copysign", (inf, -1.0), (-1.0, 0.0)),
    ("hypot", (0.0, 0.0), (0.0, 0.0)),
    ("hypot", (0.0, -2.0), (0.0, -1.0)),
    ("hypot", (inf, 1.0), (1.0, 0.0)),
    ("hypot", (1.0, -inf), (0.0, -1.0)),
    ("hypot", (1e300, 1e300), (math.sqrt(0.5),) * 2),
    ("hypot", (1e-300, -1e-300), (math.sqrt(0.5), -math.sqrt(0.5))),
    ("atan2", (0.0, 0.0), (0.0, 0.0)),
    ("atan2", (1.0, inf), (0.0, 0.0)),
    ("atan2", (-inf, 1.0), (0.0, 0.0)),
    ("atan2", (1e200, 1e200), (0.5e-200, -0.5e-200)),
    ("atan2", (1e-200, 1e-200), (0.5e200, -0.5e200)),
    ("atan2", (1e-200, -1e-200), (-0.5e200, -0.5e200)),
    ("logaddexp", (-inf, -inf), (0.5, 0.5)),
    ("logaddexp", (inf, inf), (0.5, 0.5)),
    ("logaddexp", (-inf, 1.0), (0.0, 1.0)),
    ("logaddexp", (inf, 1.0), (1.0, 0.0)),
    ("logaddexp", (1e300, -1e300), (1.0, 0.0)),
    ("remainder", (6.0, 2.0), (1.0, -3.0)),
    ("remainder", (0.0, 2.0), (1.0, 0.0)),
    ("remainder", (-6.0, 2.0), (1.0, 3.0)),
    ("remainder", (5.0, inf), (1.0, 0.0)),
    ("remainder", (1e20, 3.0), (1.0, -math.floor(1e20 / 3))),
    ("floor_divide", (6.0, 2.0), (0.0, 0.0)),
    ("floor_divide", (6.0, 0.0), (0.0, 0.0)),
    ("floor_divide", (inf, 2.0), (0.0, 0.0)),
    ("floor_divide", (2.0, inf), (0.0, 0.0)),
    ("pow", (0.0, 2.0), (0.0, 0.0)),
    ("pow", (0.0, 1.0), (1.0, 0.0)),
    ("pow", (0.0, 0.0), (0.0, None)),
    ("pow", (0.0, 0.5), (inf, 0.0)),
    ("pow", (-2.0, 3.0), (12.0, nan)),
    ("pow", (0j, 2 + 0j), (0j, 0j)),
    ("pow", (0j, 1 + 0j), (1 + 0j, 0j)),
    ("pow", (0j, 0j), (0j, 0j)),
    ("pow", (2 + 0j, 2 + 0j), (4 + 0j, 4 * math.log(2) + 0j)),
    ("pow", (2 + 0j, 0j), (0j, math.log(2) + 0j)),
    ("pow", (2 + 0j, 1 + 0j), (1 + 0j, 2 * math.log(2) + 0j)),
    ("pow", (2 + 0j, 3 + 0j), (12 + 0j, 8 * math.log(2) + 0j)),
    ("sinh", (710.2,), (math.exp(709.2) * (math.e / 2),)),
    ("cosh", (-710.2,), (-math.exp(709.2) * (math.e / 2),)),
]


def gradients(
    function: Callable[..., Any],
    *operands: Any,
    dtype: torch.dtype | None = None,
    device: str = "cpu",
) -> list[Any]:
    """Return the gradients at Python numbers, or at lists of them."""
    is_complex = any(isinstance(x, complex) for x in operands)
    dtype = dtype or (torch.complex128 if is_complex else torch.float64)
    leaves = [torch.tensor(x, dtype=dtype, requires_grad=True, device=device) for x in operands]
    result = xp.to_torch(function(*map(xp.asarray, leaves)))
    grads = torch.autograd.grad(result, leaves, torch.ones_like(result))
    return [g.tolist() for g in grads]


def agree(actual: complex, expected: complex, rtol: float = 1e-13) -> bool:
    """Say whether a number is the expected one, infinities and NaN too."""
    if isinstance(expected, complex):
        return agree(actual.real, expected.real, rtol) and agree(actual.imag, expected.imag, rtol)
    if math.isnan(expected) or math.isinf(expected) or expected == 0:
        return math.isnan(actual) if math.isnan(expected) else actual == expected
    return abs(actual - expected) <= rtol * abs(expected)
