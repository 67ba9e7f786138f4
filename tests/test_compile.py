"""Everything whose result's shape does not depend on data compiles as one graph.

Each name of the namespace has a row: calls that are compiled together, without a graph break, and
whose results must equal those of an ordinary call bit for bit.
"""

# ruff: noqa: B008  # in rows made by comprehensions, defaults hold the function of the row

from __future__ import annotations

import operator
import shutil
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CPU = "cpu"


@pytest.fixture(autouse=True)
def _fresh_compiler() -> Iterator[None]:
    """Forget what was compiled, and compile on the CPU."""
    torch._dynamo.reset()
    with xp.options(device=CPU), warnings.catch_warnings():
        # torch's own, as the compiler is imported
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        warnings.filterwarnings("ignore", message="Torchinductor does not support code gen")
        yield
    torch._dynamo.reset()


def array(values: Any, dtype: Any) -> xp.Array:
    return xp.asarray(values, dtype=dtype, device=CPU)


# --- operands -------------------------------------------------------------------------------------

F = array([[0.25, -0.5, 0.75], [0.125, 0.5, -0.875]], xp.float32)
G = array([[0.5, 0.25, -0.25], [1.5, -2.0, 3.0]], xp.float32)
ABOVE = array([[1.25, 2.5, 1.75], [1.125, 3.5, 4.0]], xp.float32)
C = array([[1 + 2j, -0.5j, 0.75], [2 - 1j, 0.5 + 0.5j, -1]], xp.complex64)
D = array([[0.5j, 1 - 1j, 2], [1, -1j, 1 + 1j]], xp.complex64)
I = array([[3, -7, 2], [5, 4, -6]], xp.int64)  # noqa: E741
J = array([[2, 3, -2], [1, 3, 4]], xp.int64)
N = array([[1, 2, 0], [3, 1, 2]], xp.int64)
U = array([[3, 60000, 2], [5, 4, 65535]], xp.uint16)
V = array([[2, 3, 7], [1, 3, 40000]], xp.uint16)
W = array([[1, 2, 0], [3, 1, 2]], xp.uint16)
B = array([[True, False, True], [False, False, True]], xp.bool)
M = array([[True, True, False], [False, True, True]], xp.bool)
VF = array([0.5, -1.0, 2.0], xp.float32)
VG = array([1.5, 3.0, -1.0], xp.float32)
VI = array([2, 0, 1], xp.int64)
VU = array([2, 0, 1], xp.uint16)
VC = array([1 + 1j, 2, -1j], xp.complex64)
SORTED = array([-1.0, 0.0, 0.5, 1.0], xp.float32)
SQUARE = array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], xp.float32)
SQUARE_C = array([[4, 1j, 0.5], [-1j, 3, 0.25], [0.5, 0.25, 2]], xp.complex64)
STACK = array([[[1.0, 2.0], [3.0, 4.0]], [[2.0, 0.5], [1.0, 3.0]]], xp.float32)
SCALAR = array(1.5, xp.float32)

REAL = ((F,), (I,), (U,))
NUMERIC = (*REAL, (C,))
ANY = (*NUMERIC, (B,))
FLOATING = ((F,), (C,))
WHOLE = ((I,), (U,))

Operands = tuple[Any, ...]
Row = tuple["Callable[..., Any]", tuple[Operands, ...]]


def row(function: Callable[..., Any], *operands: Any) -> Row:
    """Return a row: a function, and tuples of operands (an operand alone is a tuple of one)."""
    return function, tuple(o if isinstance(o, tuple) else (o,) for o in operands)


def of(name: str, *operands: Any) -> Row:
    """Return a row for the function of a name."""
    return row(named(name), *operands)


def named(name: str) -> Any:
    found: Any = xp
    for part in name.split("."):
        found = getattr(found, part)
    return found


PAIRS_REAL = ((F, G), (I, J), (U, V))
PAIRS_NUMERIC = (*PAIRS_REAL, (C, D))
LEFT = torch.__version__ >= "2.13"
"""Whether the compiler knows all operators with a Python scalar on their left."""
SCALARS = ((F, 2.0), (F, 2), (I, 3), (U, 3), (2.0, F), (3, I))


def reduced(f: Callable[..., Any]) -> Callable[[xp.Array], Any]:
    return lambda x: (f(x), f(x, axis=0), f(x, axis=-1, keepdims=True), f(x, axis=(0, 1)))


ROWS: dict[str, list[Row]] = {
    # elementwise
    "abs": [of("abs", *NUMERIC)],
    **{
        name: [of(name, *FLOATING)]
        for name in ("acos", "asin", "atan", "atanh", "cos", "cosh", "exp", "expm1", "sin", "sinh")
    },
    **{name: [of(name, *FLOATING)] for name in ("asinh", "log1p", "tan", "tanh", "reciprocal")},
    **{name: [of(name, (ABOVE,), (C,))] for name in ("acosh", "log", "log2", "log10", "sqrt")},
    **{name: [of(name, *REAL)] for name in ("ceil", "floor", "trunc")},
    **{name: [of(name, *NUMERIC)] for name in ("conj", "real", "sign", "square", "round")},
    **{name: [of(name, *NUMERIC)] for name in ("negative", "positive")},
    **{name: [of(name, *NUMERIC)] for name in ("isfinite", "isinf", "isnan")},
    "imag": [of("imag", C)],
    "signbit": [of("signbit", F)],
    "bitwise_invert": [of("bitwise_invert", *WHOLE, (B,))],
    "logical_not": [of("logical_not", B)],
    **{
        name: [of(name, *PAIRS_NUMERIC, *SCALARS, (F, xp.astype(G, xp.float64)), (F, 1j))]
        for name in ("add", "subtract", "multiply")
    },
    "divide": [of("divide", (F, G), (C, D), (F, 2.0), (1, F))],
    **{
        name: [of(name, (F, G), (I, J), (U, V), (F, 2.0), (I, 3))]
        for name in ("floor_divide", "remainder")
    },
    "pow": [of("pow", (ABOVE, G), (I, N), (U, W), (C, D), (F, 2), (2.0, F))],
    **{name: [of(name, (F, G), (F, 2.0))] for name in ("atan2", "copysign", "hypot", "logaddexp")},
    "nextafter": [of("nextafter", (F, G))],
    **{
        name: [of(name, (I, J), (U, V), (B, M), (I, 3))]
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    },
    **{
        name: [of(name, (I, N), (U, W), (I, 2))]
        for name in ("bitwise_left_shift", "bitwise_right_shift")
    },
    **{
        name: [of(name, *PAIRS_REAL, *SCALARS)]
        for name in ("greater", "greater_equal", "less", "less_equal", "maximum", "minimum")
    },
    **{name: [of(name, *PAIRS_NUMERIC, (B, M), *SCALARS)] for name in ("equal", "not_equal")},
    **{name: [of(name, (B, M))] for name in ("logical_and", "logical_or", "logical_xor")},
    "clip": [
        of("clip", (F, 0.0, 0.5), (I, -2, 3), (U, 3, 100), (F, G), (F, None, 0.5), (I, None, J))
    ],
    # creation
    "arange": [
        row(lambda: (xp.arange(5), xp.arange(1, 9, 2), xp.arange(0.0, 1.0, 0.25)), ()),
        row(lambda: xp.arange(3, dtype=xp.uint16), ()),
    ],
    "asarray": [
        row(lambda: (xp.asarray(2), xp.asarray(0.5), xp.asarray(True), xp.asarray(1j)), ()),
        row(lambda: (xp.asarray([[1, 2], [3, 4]]), xp.asarray([0.5, 1]), xp.asarray([1j])), ()),
        row(lambda: xp.asarray([2**64 - 1], dtype=xp.uint64), ()),
        row(lambda: xp.asarray([1, 65535], dtype=xp.uint16), ()),
        row(lambda x: (xp.asarray(x), xp.asarray(x, copy=True)), F, U),
        row(lambda x: xp.asarray(x, dtype=xp.float64), F, I),
        row(lambda x: xp.asarray([x[0, 0], x[1, 1]]), F, U),
        row(lambda x: xp.asarray([x[0, 0], 2.0]), F),
        row(lambda x: xp.asarray(xp.to_torch(x)), F, U),
    ],
    "empty": [row(lambda: xp.zeros((2, 3)) * 0 if xp.empty((2, 3)).shape == (2, 3) else 0, ())],
    "empty_like": [row(lambda x: xp.empty_like(x).shape, *ANY)],
    "eye": [row(lambda: (xp.eye(3), xp.eye(2, 3, k=1, dtype=xp.int64)), ())],
    "from_dlpack": [row(lambda x: xp.from_dlpack(x), F, U)],
    "full": [
        row(lambda: (xp.full(3, 2.0), xp.full((2, 2), 7), xp.full(2, True)), ()),
        row(lambda: xp.full(2, 65535, dtype=xp.uint16), ()),
        row(lambda x: xp.full((2, 2), x), SCALAR),
    ],
    "full_like": [row(lambda x: xp.full_like(x, 1), *NUMERIC)],
    "linspace": [
        row(lambda: (xp.linspace(0, 1, 5), xp.linspace(0.0, 1.0, 4, endpoint=False)), ()),
        row(lambda: xp.linspace(0, 1j, 3), ()),
    ],
    "logspace": [row(lambda: xp.logspace(0, 2, 5), ())],
    "meshgrid": [of("meshgrid", (VF, VG), (VI, VI))],
    **{
        name: [row(lambda f=named(name): (f(3), f((2, 2), dtype=xp.uint16)), ())]
        for name in ("ones", "zeros")
    },
    **{name: [of(name, *ANY)] for name in ("ones_like", "zeros_like")},
    **{name: [row(lambda x, f=named(name): (f(x), f(x, k=1)), *ANY)] for name in ("tril", "triu")},
    "diag": [of("diag", VF, F, VU)],
    # data types and inspection
    "astype": [
        row(lambda x: xp.astype(x, xp.float64), F, I, U, B),
        row(lambda x: xp.astype(x, xp.int64), F, U, B),
        row(lambda x: xp.astype(x, xp.uint16), I, B),
        row(lambda x: xp.astype(x, xp.complex64, copy=False), *ANY),
    ],
    "can_cast": [row(lambda x: x if xp.can_cast(x, xp.float64) else -x, F)],
    "finfo": [row(lambda x: x * xp.finfo(x.dtype).eps, F)],
    "iinfo": [row(lambda x: x + int(xp.iinfo(x.dtype).max), I)],
    "isdtype": [row(lambda x: x if xp.isdtype(x.dtype, "real floating") else -x, F, I)],
    "result_type": [row(lambda x, y: xp.astype(x, xp.result_type(x, y)), (F, C), (I, U))],
    "__array_namespace_info__": [
        row(
            lambda x: xp.astype(x, xp.__array_namespace_info__().default_dtypes()["real floating"]),
            I,
        )
    ],
    # manipulation
    "broadcast_arrays": [of("broadcast_arrays", (F, VF), (I, VI))],
    "broadcast_shapes": [row(lambda x: xp.zeros(xp.broadcast_shapes(x.shape, (4, 1, 1))), F)],
    "broadcast_to": [row(lambda x: xp.broadcast_to(x, (4, 2, 3)), *ANY)],
    "concat": [
        row(lambda x, y: (xp.concat([x, y]), xp.concat([x, y], axis=1)), *PAIRS_NUMERIC, (B, M)),
        row(lambda x, y: xp.concat((x, y), axis=None), (F, G), (I, U)),
    ],
    "expand_dims": [row(lambda x: xp.expand_dims(x, axis=1), *ANY)],
    "flip": [row(lambda x: (xp.flip(x), xp.flip(x, axis=0)), *ANY)],
    "moveaxis": [row(lambda x: xp.moveaxis(x, 0, 1), *ANY)],
    "permute_dims": [row(lambda x: xp.permute_dims(x, (1, 0)), *ANY)],
    "repeat": [row(lambda x: (xp.repeat(x, 2), xp.repeat(x, 2, axis=1)), *ANY)],
    "reshape": [
        row(lambda x: (xp.reshape(x, (3, 2)), xp.reshape(x, (-1,), copy=True)), *ANY),
        row(lambda x: xp.reshape(x.T, (-1,)), *ANY),
    ],
    "roll": [row(lambda x: (xp.roll(x, 1), xp.roll(x, (1, 2), axis=(0, 1))), *ANY)],
    "squeeze": [row(lambda x: xp.squeeze(x[None, ...], axis=0), *ANY)],
    "stack": [row(lambda x, y: xp.stack([x, y], axis=1), *PAIRS_NUMERIC, (B, M))],
    "tile": [row(lambda x: xp.tile(x, (2, 1, 2)), *ANY)],
    "unstack": [row(lambda x: xp.unstack(x, axis=1), *ANY)],
    # searching, sorting, sets
    **{
        name: [
            row(lambda x, f=named(name): (f(x), f(x, axis=0), f(x, axis=1, keepdims=True)), *REAL)
        ]
        for name in ("argmax", "argmin")
    },
    "count_nonzero": [row(lambda x: (xp.count_nonzero(x), xp.count_nonzero(x, axis=0)), *ANY)],
    "searchsorted": [row(xp.searchsorted, (SORTED, VF), (SORTED, F))],
    "where": [of("where", (B, F, G), (B, I, J), (B, U, V), (B, C, D), (B, F, 0.0), (B, 1, I))],
    **{
        name: [
            row(
                lambda x, f=named(name): (f(x), f(x, axis=0), f(x, descending=True, stable=True)),
                *REAL,
            )
        ]
        for name in ("sort", "argsort")
    },
    "isin": [of("isin", (I, VI), (U, VU), (F, VF))],
    # statistics
    **{name: [row(reduced(named(name)), *REAL)] for name in ("max", "min")},
    **{name: [row(reduced(named(name)), *NUMERIC)] for name in ("sum", "prod")},
    "mean": [row(reduced(xp.mean), F, C)],
    **{
        name: [row(reduced(named(name)), F), row(lambda x, f=named(name): f(x, correction=1), F)]
        for name in ("std", "var")
    },
    **{
        name: [
            row(
                lambda x, f=named(name): (f(x, axis=0), f(x, axis=1, include_initial=True)),
                *NUMERIC,
            )
        ]
        for name in ("cumulative_prod", "cumulative_sum")
    },
    **{name: [row(reduced(named(name)), *ANY)] for name in ("all", "any")},
    "diff": [row(lambda x: (xp.diff(x), xp.diff(x, axis=0), xp.diff(x, n=2)), *NUMERIC)],
    # indexing functions
    "take": [row(lambda x, i: xp.take(x, i, axis=1), (F, VI), (U, VI), (C, VU), (B, VI))],
    "take_along_axis": [row(lambda x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1), *REAL)],
    # linear algebra
    "matmul": [of("matmul", (F, G.T), (I, J.T), (U, V.T), (C, D.T), (F, VF), (STACK, STACK))],
    "matrix_transpose": [of("matrix_transpose", *ANY)],
    "tensordot": [
        row(lambda x, y: (xp.tensordot(x, y.T, axes=1), xp.tensordot(x, y)), *PAIRS_NUMERIC)
    ],
    "vecdot": [of("vecdot", *PAIRS_NUMERIC)],
    "linalg.cholesky": [
        row(lambda x: (xp.linalg.cholesky(x), xp.linalg.cholesky(x, upper=True)), SQUARE, SQUARE_C)
    ],
    "linalg.cross": [of("linalg.cross", *PAIRS_NUMERIC)],
    **{
        f"linalg.{name}": [of(f"linalg.{name}", SQUARE, SQUARE_C, STACK)]
        for name in ("det", "inv", "slogdet", "eigh", "eigvalsh", "qr", "svdvals", "pinv")
    },
    **{f"linalg.{name}": [of(f"linalg.{name}", SQUARE, SQUARE_C)] for name in ("eig", "eigvals")},
    "linalg.diagonal": [
        of("linalg.diagonal", *ANY),
        row(lambda x: xp.linalg.diagonal(x, offset=1), *ANY),
    ],
    "linalg.matrix_norm": [
        row(
            lambda x: tuple(
                xp.linalg.matrix_norm(x, ord=o)
                for o in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf"))
            ),
            *FLOATING,
        )
    ],
    "linalg.matrix_power": [
        row(lambda x: tuple(xp.linalg.matrix_power(x, n) for n in (0, 1, 3, -2)), SQUARE)
    ],
    "linalg.matrix_rank": [of("linalg.matrix_rank", SQUARE, STACK)],
    "linalg.outer": [of("linalg.outer", (VF, VG), (VI, VI), (VU, VU), (VC, VC))],
    "linalg.solve": [of("linalg.solve", (SQUARE, VF), (SQUARE, SQUARE), (SQUARE_C, VC))],
    "linalg.svd": [row(lambda x: xp.linalg.svd(x, full_matrices=False), F, C), of("linalg.svd", F)],
    "linalg.trace": [of("linalg.trace", *NUMERIC)],
    "linalg.vector_norm": [
        row(
            lambda x: tuple(
                xp.linalg.vector_norm(x, ord=o, axis=1)
                for o in (0, 1, 2, 3, float("inf"), float("-inf"))
            ),
            *FLOATING,
        ),
        row(lambda x: xp.linalg.vector_norm(x, keepdims=True), *FLOATING),
    ],
    # Fourier transforms
    **{
        f"fft.{name}": [
            row(lambda x, f=named(f"fft.{name}"): (f(x), f(x, n=4, axis=0), f(x, norm="ortho")), C)
        ]
        for name in ("fft", "ifft")
    },
    **{
        f"fft.{name}": [row(lambda x, f=named(f"fft.{name}"): (f(x), f(x, n=6, axis=0)), F)]
        for name in ("rfft", "ihfft")
    },
    **{
        f"fft.{name}": [row(lambda x, f=named(f"fft.{name}"): (f(x), f(x, n=6, axis=0)), C)]
        for name in ("irfft", "hfft")
    },
    **{f"fft.{name}": [of(f"fft.{name}", C)] for name in ("fftn", "ifftn")},
    "fft.rfftn": [of("fft.rfftn", F)],
    "fft.irfftn": [of("fft.irfftn", C)],
    **{
        f"fft.{name}": [row(lambda f=named(f"fft.{name}"): (f(5), f(4, d=0.5)), ())]
        for name in ("fftfreq", "rfftfreq")
    },
    **{f"fft.{name}": [of(f"fft.{name}", *FLOATING)] for name in ("fftshift", "ifftshift")},
    # beside the standard
    "convolve": [of("convolve", (VF, VG), (VI, VI))],
    "median": [row(lambda x: (xp.median(x), xp.median(x, axis=1)), F)],
    "linalg.lstsq": [of("linalg.lstsq", (SQUARE, VF))],
    "to_torch": [row(lambda x: xp.asarray(xp.to_torch(x) * 1), F)],
    "options": [row(lambda x: x + xp.zeros(3), F)],
}
for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
    ROWS[f"linalg.{name}"] = (
        [row(named(f"linalg.{name}"), *args) for _, args in ROWS[name][:1]]
        if name != "tensordot"
        else [row(lambda x, y: xp.linalg.tensordot(x, y), *PAIRS_NUMERIC)]
    )

DATA_DEPENDENT: dict[str, tuple[xp.Array, ...]] = {
    "bincount": (VI, VU),
    "nonzero": (I, F, U),
    "roots": (VF,),
    **{f"unique_{name}": (I, F, U) for name in ("all", "counts", "inverse", "values")},
}
"""Functions whose result has a shape that depends on data."""

NOT_FUNCTIONS_OF_ARRAYS = {"fallback_report", "random", "linalg", "fft"}

OPERATORS: dict[str, list[Row]] = {
    **{
        f"__{name}__": [row(getattr(operator, f"__{name}__"), *PAIRS_NUMERIC, *SCALARS)]
        for name in ("add", "sub", "mul", "eq", "ne")
    },
    **{
        f"__{name}__": [row(getattr(operator, f"__{name}__"), *PAIRS_REAL, *SCALARS)]
        for name in ("floordiv", "mod")
    },
    **{
        f"__{name}__": [
            row(getattr(operator, f"__{name}__"), *PAIRS_REAL, *(SCALARS if LEFT else SCALARS[:4]))
        ]
        for name in ("lt", "le", "gt", "ge")
    },
    "__truediv__": [row(operator.truediv, (F, G), (C, D), (F, 2.0), (F, 2), (2.0, F))],
    "__pow__": [row(operator.pow, (ABOVE, G), (I, N), (U, W), (F, 2), (2.0, ABOVE), (C, 2))],
    **{
        f"__{name}__": [
            row(
                getattr(operator, f"__{name}__"), (I, J), (U, V), (B, M), (I, 3), *([(3, I)] * LEFT)
            )
        ]
        for name in ("and", "or", "xor")
    },
    **{
        f"__{name}__": [row(getattr(operator, f"__{name}__"), (I, N), (U, W), (I, 2), (64, N))]
        for name in ("lshift", "rshift")
    },
    "__abs__": [row(operator.abs, *NUMERIC)],
    "__neg__": [row(operator.neg, *NUMERIC)],
    "__pos__": [row(operator.pos, *NUMERIC)],
}


def compiled(function: Callable[..., Any], backend: str = "eager", **options: Any) -> Any:
    return torch.compile(function, fullgraph=True, backend=backend, **options)


def bits(value: Any) -> Any:
    """Return what is compared: of arrays data type, shape and the bits of all elements."""
    if isinstance(value, xp.Array):
        tensor = xp.to_torch(value).detach().resolve_conj()
        assert value._spec is xp.asarray(tensor)._spec
        return value.dtype, value.shape, value.device, tensor.contiguous().numpy().tobytes()
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), value.contiguous().numpy().tobytes()
    if isinstance(value, (tuple, list)):
        return type(value), [bits(v) for v in value]
    return value


def same(got: Any, expected: Any, backend: str) -> None:
    """Check results: bit for bit, unless the backend takes functions of torch's apart."""
    if backend == "eager":
        assert bits(got) == bits(expected)
        return
    assert pytree.tree_structure(got) == pytree.tree_structure(expected)
    for a, b in zip(pytree.tree_leaves(got), pytree.tree_leaves(expected)):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


def program(rows: list[Row]) -> Callable[..., Any]:
    def run(*operands: Operands) -> list[Any]:
        taken = iter(operands)
        return [function(*next(taken)) for function, groups in rows for _ in groups]

    return run


def groups_of(rows: list[Row]) -> list[Operands]:
    return [group for _, groups in rows for group in groups]


def names() -> list[str]:
    found = [
        n for n in xp.__all__ if callable(getattr(xp, n)) and not isinstance(getattr(xp, n), type)
    ]
    found += [f"linalg.{n}" for n in xp.linalg.__all__] + [f"fft.{n}" for n in xp.fft.__all__]
    return sorted(set(found) - set(DATA_DEPENDENT) - NOT_FUNCTIONS_OF_ARRAYS)


def test_every_name_has_a_row() -> None:
    assert [name for name in names() if name not in ROWS] == []


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_function(name: str, backend: str) -> None:
    run, operands = program(ROWS[name]), groups_of(ROWS[name])
    same(compiled(run, backend)(*operands), run(*operands), backend)


@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_operator(name: str, backend: str) -> None:
    run, operands = program(OPERATORS[name]), groups_of(OPERATORS[name])
    same(compiled(run, backend)(*operands), run(*operands), backend)


# --- what else a program does with arrays ---------------------------------------------------------


def both(function: Callable[..., Any], *operands: Any, backend: str = "eager") -> Any:
    """Check that a compiled function returns what it returns ordinarily; return that."""
    expected = function(*operands)
    assert bits(compiled(function, backend)(*operands)) == bits(expected)
    return expected


KEYS: tuple[Any, ...] = (
    (0, ...),
    (..., -1),
    (1, 2),
    (slice(None), slice(1, None)),
    (slice(None), slice(None, None, -1)),
    (slice(0, 1), slice(-2, None)),
    (None, ..., 0),
    (Ellipsis,),
    (array([1, 0], xp.int64), ...),
    (slice(None), array([2, 0, 1], xp.uint16)),
    (array([1, 0], xp.int64), array([2, 2], xp.int64)),
    (0, array([2, 2], xp.int64)),
)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_indexing(backend: str) -> None:
    def run(*arrays: xp.Array) -> list[xp.Array]:
        return [x[key] for x in arrays for key in KEYS] + [x[0] for x in (arrays[0][0, ...],)]

    both(run, F, U, C, backend=backend)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_assignment_to_inputs_and_to_locals(backend: str) -> None:
    def run(*arrays: xp.Array) -> list[xp.Array]:
        made = []
        for x in arrays:
            for key in KEYS:
                y = xp.asarray(x, copy=True)
                y[key] = x[key] + x[key]
                made.append(y)
            y[...] = y  # itself
            y[:, 1:] = y[:, :-1]  # overlaps
            x[0, ...] = 7
            x[x == 7] = 3
        return made

    ours, theirs = [[xp.asarray(x, copy=True) for x in (F, U)] for _ in range(2)]
    expected = bits(run(*ours))
    assert bits(compiled(run, backend)(*theirs)) == expected
    assert bits(theirs) == bits(ours)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_operators_in_place(backend: str) -> None:
    def run(x: xp.Array, i: xp.Array, u: xp.Array) -> list[xp.Array]:
        local = x * 1
        for y in (x, local):
            y += 2
            y -= y
            y += x * 2.5
            y *= 3
            y /= 2.0
            y **= 2
        i += 1
        i //= 2
        i %= 5
        i &= 7
        i |= 8
        i ^= 3
        i <<= 1
        i >>= 1
        u += u
        u *= 3
        rows = x[1:, ...]
        rows += x[:-1, ...]  # overlaps
        return [local, rows]

    ours, theirs = [[xp.asarray(x, copy=True) for x in (F, I, U)] for _ in range(2)]
    expected = bits(run(*ours))
    assert bits(compiled(run, backend)(*theirs)) == expected
    assert bits(theirs) == bits(ours)


def test_operators_with_both_arrays_made_inside() -> None:
    # A compiler that lost track of where such arrays come from could not find their kernels.
    def run(x: xp.Array) -> Any:
        y = (x + 1) * 2
        return [y < x, -y, abs(y - 3), 2 - y, y == y, (y > 0) & (y != 1)]

    both(run, F)


def test_attributes_and_methods() -> None:
    def run(x: xp.Array) -> Any:
        named = x.__array_namespace__(api_version="2024.12")
        return [
            x.T,
            x.mT,
            x.shape,
            x.size,
            x.ndim,
            len(x),
            x.to_device("cpu"),
            x.device == "cpu",
            x.dtype == xp.float32,
            named.exp(x),
            x.__array_namespace__().sin(x),
            list(x),
        ]

    both(run, F)


def test_closures_and_containers() -> None:
    def run(given: dict[str, Any]) -> dict[str, Any]:
        return {"sum": given["x"] + F, "pair": (given["y"][0], given["y"][0] * G)}

    given = {"x": F, "y": [G]}
    expected, got = run(given), compiled(run)(given)
    assert bits(got["sum"]) == bits(expected["sum"])
    assert bits(got["pair"]) == bits(expected["pair"])


def test_a_tensor_becomes_an_array_and_back() -> None:
    def run(t: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(xp.exp(xp.asarray(t)) + 1)

    tensor = torch.ones(3)
    assert torch.equal(compiled(run)(tensor), run(tensor))


# --- what depends on data -------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(DATA_DEPENDENT))
def test_data_dependent_functions_work_outside(name: str) -> None:
    """As a graph they do or they break; where they may break, the program goes on."""
    function = named(name)
    program = torch.compile(lambda x: function(x + x), backend="eager")
    for x in DATA_DEPENDENT[name]:
        assert bits(pytree.tree_leaves(program(x))) == bits(pytree.tree_leaves(function(x + x)))


def test_masks_and_repeats_by_arrays_work_outside() -> None:
    def run(x: xp.Array, n: xp.Array) -> Any:
        return x[x > 0], xp.repeat(x, n, axis=1), bool(xp.any(x > 0))

    counts = array([1, 0, 2], xp.int64)
    assert bits(torch.compile(run, backend="eager")(F, counts)) == bits(run(F, counts))


def test_the_shape_by_an_array_of_counts_is_refused_in_torchs_words() -> None:
    def run(x: xp.Array, n: xp.Array) -> xp.Array:
        return xp.repeat(x, n, axis=1)

    with pytest.raises(Exception, match=r"data.dependent"):
        compiled(run)(F, array([1, 0, 2], xp.int64))


@pytest.mark.parametrize("function", [lambda x, y: x @ y, lambda x, y: ~(x > y)], ids=["@", "~"])
def test_two_operators_that_the_compiler_does_not_know(function: Callable[..., Any]) -> None:
    """Where that changes, the guide need no longer name them."""
    with pytest.raises(torch._dynamo.exc.Unsupported, match="builtin operator"):
        compiled(function)(SQUARE, SQUARE)
    assert bits(torch.compile(function, backend="eager")(SQUARE, SQUARE)) == bits(
        function(SQUARE, SQUARE)
    )


def test_what_is_refused_is_refused() -> None:
    with pytest.raises(torch._dynamo.exc.Unsupported, match="exception"):
        compiled(lambda x, y: x + y)(F, I)
    with pytest.raises(TypeError, match="do not promote"):
        torch.compile(lambda x, y: x + y, backend="eager")(F, I)


def test_random_numbers_are_drawn_outside() -> None:
    rng, other = xp.random.default_rng(1), xp.random.default_rng(1)

    def run(x: xp.Array) -> xp.Array:
        return x * 2 + rng.normal(size=x.shape)

    with pytest.raises(torch._dynamo.exc.Unsupported, match="disable"):
        compiled(run)(F)
    divided = torch.compile(run, backend="eager")
    for _ in range(2):
        assert bits(divided(F)) == bits(F * 2 + other.normal(size=F.shape))


# --- guards ---------------------------------------------------------------------------------------


def mixture(x: xp.Array, y: xp.Array) -> xp.Array:
    y = xp.where(x > 0, xp.mean(x) + y * 2, -x) / xp.std(x) + xp.zeros(3)
    return xp.matmul(xp.reshape(y, (-1, 1)), xp.ones((1, 2))) + xp.asarray([1.0, 2.0])


def test_one_trace_serves_however_much_else_is_computed() -> None:
    with torch._dynamo.config.patch(error_on_recompile=True):
        function = compiled(mixture)
        first = function(F, G)
        for dtype in (xp.float64, xp.int16, xp.uint32, xp.complex64):  # other kernels are found
            z = xp.astype(xp.ones((2, 3)), dtype)
            xp.where(z == z, z, z + z), xp.reshape(z, (6,)), xp.sum(z), z * 2
        mixture(F, G)
        with xp.options(host_fallback="allow"):  # other options, of the same values
            for _ in range(3):
                assert bits(function(xp.asarray(F, copy=True), G)) == bits(first)


def test_options_are_looked_at_anew_at_each_call() -> None:
    def run() -> Any:
        return xp.zeros(2), xp.asarray([0.5]), xp.linspace(0, 1, 3)

    function = compiled(run)
    for _ in range(2):
        assert [x.dtype for x in function()] == [xp.float32] * 3
        with xp.options(default_float="float64"):
            assert [x.dtype for x in function()] == [xp.float64] * 3

    half = compiled(lambda x: x * 0.5)
    with xp.options(relaxed=True):
        assert bits(half(I)) == bits(I * 0.5)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="exception"):
        half(I)


SIZED: dict[str, Callable[[xp.Array], Any]] = {
    "standardise": lambda x: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0),
    "shapes": lambda x: (xp.zeros(x.shape), xp.arange(x.shape[0]), xp.ones_like(x)),
    "views": lambda x: (x.T, x[1:, :-1], x[0, ...], xp.flip(x), xp.reshape(x, (-1,))),
    "joined": lambda x: (xp.concat([x, x]), xp.stack([x, x]), xp.tile(x, (2, 1)), xp.roll(x, 1)),
    "broadcast": lambda x: (x + x[0, ...], xp.broadcast_to(x, (2, *x.shape))),
    "products": lambda x: (xp.matmul(x, x.T), xp.tensordot(x, x), xp.vecdot(x, x)),
    "others": lambda x: (xp.sort(x), xp.cumulative_sum(x, axis=0), xp.where(x > 1, x, 0.0)),
}


@pytest.mark.parametrize("name", sorted(SIZED))
def test_sizes_may_differ_from_call_to_call(name: str) -> None:
    def of_shape(*shape: int) -> xp.Array:
        x = xp.reshape(xp.arange(float(np.prod(shape))), shape)
        for axis in range(2):
            torch._dynamo.mark_dynamic(xp.to_torch(x), axis)
        return x

    function = compiled(SIZED[name])
    with torch._dynamo.config.patch(error_on_recompile=True):
        for shape in ((5, 3), (6, 4), (11, 7)):
            x = of_shape(*shape)
            assert bits(function(x)) == bits(SIZED[name](x))


# --- trees ----------------------------------------------------------------------------------------


def test_an_array_is_a_node() -> None:
    leaves, tree = pytree.tree_flatten({"a": F, "b": (I, 2)})
    assert leaves[0] is xp.to_torch(F)
    again = pytree.tree_unflatten(leaves, tree)
    assert bits(again["a"]) == bits(F)
    assert bits(again["b"]) == bits((I, 2))
    assert pytree.treespec_loads(pytree.treespec_dumps(tree)) == tree


def test_a_node_holds_what_it_is_given() -> None:
    doubled = pytree.tree_map(lambda t: t.double(), F)
    assert bits(doubled) == bits(xp.astype(F, xp.float64))
    for leaf in (None, 0, object()):
        made = pytree.tree_unflatten([leaf], pytree.tree_structure(F))
        assert made._tensor is leaf
        assert repr(made) == f"Array({leaf!r})"


def test_transformations() -> None:
    def loss(x: xp.Array) -> torch.Tensor:
        return xp.to_torch(xp.sum(xp.sin(x) * x))

    gradient = torch.func.grad(loss)
    t = xp.to_torch(F)
    expected = torch.func.grad(lambda t: torch.sum(torch.sin(t) * t))(t)
    assert torch.equal(xp.to_torch(gradient(F)), expected)
    assert torch.equal(xp.to_torch(compiled(gradient)(F)), expected)
    mapped = torch.vmap(lambda x, y: xp.sum(x * y), in_dims=(1, None))(F, VF[:2])
    assert torch.allclose(xp.to_torch(mapped), (t * torch.tensor([[0.5], [-1.0]])).sum(0))
    jacobian = torch.func.jacrev(lambda x: xp.sum(x**2, axis=0))(F)
    assert torch.equal(xp.to_torch(jacobian), torch.func.jacrev(lambda t: torch.sum(t**2, 0))(t))


def test_derivatives_of_what_is_compiled() -> None:
    leaf = torch.tensor([0.5, -1.0], requires_grad=True)
    result = compiled(lambda x: xp.sum(xp.tanh(x) ** 2), "aot_eager")(xp.asarray(leaf))
    xp.to_torch(result).backward()
    other = torch.tensor([0.5, -1.0], requires_grad=True)
    torch.sum(torch.tanh(other) ** 2).backward()
    torch.testing.assert_close(leaf.grad, other.grad)


class Module(torch.nn.Module):
    def forward(self, x: xp.Array) -> xp.Array:
        return xp.tanh(x) * 2 + xp.mean(x)


def test_export() -> None:
    exported = torch.export.export(
        Module(), (F,), dynamic_shapes=([{0: torch.export.Dim("rows")}],)
    )
    for x in (F, xp.concat([F, G])):
        assert bits(exported.module()(x)) == bits(Module()(x))


# --- the default backend --------------------------------------------------------------------------

needs_compiler = pytest.mark.skipif(
    not (shutil.which("g++") or shutil.which("clang++")), reason="there is no C++ compiler"
)

BUILT: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "mixture": (mixture, (F, G)),
    "unsigned": (lambda x, y: (x + y, xp.maximum(x, y), x < y, xp.sum(x)), (U, V)),
    "complex": (lambda x, y: (x * y, xp.sqrt(x), xp.mean(x)), (C, D)),
    "written": (lambda x: _filled(x), (F,)),
}


def _filled(x: xp.Array) -> xp.Array:
    y = xp.zeros(x.shape)
    y[0, ...] = x[1, ...]
    y += xp.exp(x)
    return y


@needs_compiler
@pytest.mark.parametrize("name", sorted(BUILT))
def test_default_backend(name: str) -> None:
    function, operands = BUILT[name]
    same(compiled(function, "inductor")(*operands), function(*operands), "inductor")


# --- what this relies on --------------------------------------------------------------------------


def test_the_marks_are_those_that_torch_sets() -> None:
    def function() -> None: ...

    before = set(vars(function))
    torch.compiler.assume_constant_result(function)
    assert set(vars(function)) - before == {"_dynamo_marked_constant"}
    assert torch.compile(function, backend="eager")._torchdynamo_inline is function


def test_the_import_does_not_import_the_compiler() -> None:
    import subprocess
    import sys

    code = "import sys, ascend_array_api; sys.exit('torch._dynamo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
