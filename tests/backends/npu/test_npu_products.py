"""Products and norms on NPUs, against NumPy, Python's integers and fractions."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npu import EMULATOR, QUIET_TORCH_NPU, computed, needs_emulator, script, wrapped  # isort: skip
import numpy as np
import pytest
from parametrize import listing, nightly

import ascend_array_api as xp
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = (*REAL, *COMPLEX)
HALF = ("float16", "bfloat16")
ORDERS = (0, 1, 2, 3, -1, -2, 0.5, 2.5, -0.5, math.inf, -math.inf)


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return random numbers, integers from the whole range of the data type."""
    rng = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    result = rng.standard_normal(shape)
    if kind.kind == "c":
        result = result + 1j * rng.standard_normal(shape)
    return np.asarray(result, dtype=kind)


def check(actual: np.ndarray[Any, Any], expected: Any, tolerance: float = 64) -> None:
    """Compare results: exactly, or to a number of units in the last place of the largest one."""
    expected = np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    if actual.dtype.kind in "iub":
        np.testing.assert_array_equal(actual, expected)
        return
    finite = np.abs(expected[np.isfinite(expected)])
    scale = finite.max() if finite.size else 0.0
    bound = tolerance * np.finfo(actual.dtype).eps
    np.testing.assert_allclose(actual, expected, rtol=bound, atol=bound * scale)


# ---- products of matrices ----

SHAPES = [
    ((1, 1, 1, 1, 1, 1, 2, 3), (3, 4)),
    ((2, 1, 2, 1, 1, 1, 2, 3), (2, 1, 1, 1, 1, 1, 3, 4)),
    ((3,), (2, 1, 1, 1, 1, 1, 3, 4)),
    ((2, 1, 0, 1, 1, 1, 3, 4), (4,)),
]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATING])
@pytest.mark.parametrize(("shape1", "shape2"), SHAPES)
def test_matmul_of_many_axes(dtype: str, shape1: tuple[int, ...], shape2: tuple[int, ...]) -> None:
    x1, x2 = numbers(shape1, dtype), numbers(shape2, dtype, 1)
    check(computed(xp.matmul, x1, x2), np.matmul(x1, x2))


@listing("dtype", [*INTEGERS, *FLOATING, *HALF])
def test_matmul_refuses_shapes_at_once(dtype: str) -> None:
    for pair in (((2, 3), (4, 2)), ((3,), (2,)), ((2, 2, 3), (3, 3, 4)), ((), (2,))):
        x1, x2 = (xp.ones(shape, dtype=getattr(xp, dtype)) for shape in pair)
        with pytest.raises(ValueError, match="matmul"):
            xp.matmul(x1, x2)
        with pytest.raises(ValueError, match="@"):
            x1 @ x2


def extremes(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray[Any, Any]:
    """Return integers all of whose bytes are 0, 127, 128 or 255."""
    rng = np.random.default_rng(seed)
    size = np.dtype(dtype).itemsize
    parts = rng.choice(np.asarray([0, 127, 128, 255], dtype=np.uint8), (*shape, size))
    return np.ascontiguousarray(parts).view(dtype)[..., 0]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("shape1", "shape2"),
    [((3, 70), (70, 4)), ((2, 91, 270), (270, 91)), ((600,), (600,)), ((130, 5), (5, 130))],
)
@pytest.mark.parametrize("numbers_of", [numbers, extremes])
def test_matmul_of_integers_is_exact(
    dtype: str, shape1: tuple[int, ...], shape2: tuple[int, ...], numbers_of: Any
) -> None:
    x1, x2 = numbers_of(shape1, dtype, 2), numbers_of(shape2, dtype, 3)
    expected = np.asarray(np.matmul(x1.astype(object), x2.astype(object)))
    check(computed(xp.matmul, x1, x2), wrapped(expected, dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_the_largest_bytes_are_exact(dtype: str) -> None:
    # All bytes are 255: each sum is as large as it gets in float32.
    ones = np.full((130, 1040), 255, dtype=np.uint8)
    x = np.repeat(ones, np.dtype(dtype).itemsize, axis=1).view(dtype)
    value = int(x[0, 0])
    expected = wrapped(np.full((130, 130), value * value * 1040, dtype=object), dtype)
    check(computed(lambda x: x @ x.mT, x), expected)


@needs_emulator
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "complex64"])
@pytest.mark.parametrize("size", [20, 140])
def test_matmul_runs_on_aicore(dtype: str, size: int) -> None:
    assert EMULATOR is not None
    x = xp.asarray(numbers((size, size), dtype))
    with EMULATOR.counting() as counts:
        x @ x
        torch.npu.synchronize()
    assert {unit for _, _, unit in counts.kernels} == {"AICore"}


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATING])
@pytest.mark.parametrize("size", [20, 140])
def test_matmul_of_strided_arrays(dtype: str, size: int) -> None:
    x, y = numbers((size, 30), dtype), numbers((40, size), dtype, 1)
    check(computed(lambda x, y: x.mT @ y.mT, x, y), x.T @ y.T)
    check(computed(lambda x, y: x[::-2, 1:] @ y[:29, ::3], x, y), x[::-2, 1:] @ y[:29, ::3])
    row = numbers((1, size), dtype)
    check(
        computed(lambda x, y: xp.broadcast_to(x, (30, size)) @ y.mT, row, y),
        np.broadcast_to(row, (30, size)) @ y.T,
    )


def test_matmul_of_float64_is_as_accurate_as_its_data_type() -> None:
    # Rows whose elements are of very different size: every element of the result is accurate.
    rng = np.random.default_rng(4)
    x1 = rng.standard_normal((6, 50)) * 10.0 ** rng.integers(-80, 80, (6, 50))
    x2 = rng.standard_normal((50, 5)) * 10.0 ** rng.integers(-80, 80, (50, 5))
    x1[0, 0], x2[0, 0] = 1e150, 0.0
    result = computed(xp.matmul, x1, x2)
    for i in range(6):
        for j in range(5):
            products = [Fraction(a) * Fraction(b) for a, b in zip(x1[i], x2[:, j])]
            error = abs(Fraction(float(result[i, j])) - sum(products))
            assert error <= sum(map(abs, products)) * Fraction(50 * 2**-53)


@pytest.mark.parametrize("dtype", FLOATING)
def test_special_values_of_products(dtype: str) -> None:
    values = np.asarray([0.0, -0.0, 1.5, math.inf, -math.inf, math.nan])
    x1 = np.stack(np.meshgrid(values, values), -1).reshape(-1, 2).astype(dtype)
    with np.errstate(invalid="ignore"):
        # NumPy's own product may take shortcuts: sums of products as they are written.
        if np.dtype(dtype).kind == "c":
            a, b = x1.real[:, None, :], x1.real[None, :, :]
            zero = np.zeros_like(a)
            real = (a * b - zero * zero).sum(-1)
            imag = (a * zero + zero * b).sum(-1)
            expected = np.empty(real.shape, dtype)
            expected.real, expected.imag = real, imag
        else:
            expected = (x1[:, None, :] * x1[None, :, :]).sum(-1)
    result = computed(lambda x: x @ x.mT, x1)
    np.testing.assert_array_equal(result.real, expected.real)
    np.testing.assert_array_equal(result.imag, expected.imag)


@pytest.mark.parametrize("dtype", ["float64", nightly("complex128"), "int64"])
def test_products_take_a_bounded_memory(dtype: str) -> None:
    x = xp.ones((200, 1500), dtype=getattr(xp, dtype))
    torch.npu.synchronize()
    torch.npu.reset_peak_memory_stats()
    before = torch.npu.memory_allocated()
    product = x @ x.mT
    torch.npu.synchronize()
    assert torch.npu.max_memory_allocated() - before < 160 << 20  # all at once: 480 MB and more
    assert bool(xp.all(product == 1500))


# ---- other products ----


@pytest.mark.parametrize("dtype", HALF)
def test_vecdot_of_half_precision_does_not_overflow(dtype: str) -> None:
    x = xp.asarray([300.0, 300.0], dtype=getattr(torch, dtype))
    y = xp.asarray([300.0, -300.0], dtype=x.dtype)
    result = xp.vecdot(x, y)
    assert result.dtype is x.dtype
    assert float(result) == 0


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8])
def test_matrix_power_of_integers(dtype: str, n: int) -> None:
    for shape in ((3, 3), (2, 4, 4), (0, 0), (0, 2, 2)):
        x = numbers(shape, dtype)
        exact = np.broadcast_to(np.eye(shape[-1], dtype=object).astype(int), shape).astype(object)
        for _ in range(n):
            exact = np.asarray(np.matmul(exact, x.astype(object)))
        with xp.options(relaxed=True):  # in strict mode integers are refused
            power = computed(lambda x: xp.linalg.matrix_power(x, n), x)
        check(power, wrapped(exact, dtype))


# ---- norms ----


def vector_norm(x: Any, ord: float, axis: Any, keepdims: bool) -> Any:
    """The definition, in the data type of the result."""
    sizes = np.abs(x)
    axes = tuple(range(x.ndim)) if axis is None else axis
    if ord == 0:
        return np.sum(x != 0, axes, keepdims=keepdims).astype(sizes.dtype)
    if ord == math.inf:
        return np.max(sizes, axes, keepdims=keepdims, initial=0)
    if ord == -math.inf:
        return np.min(sizes, axes, keepdims=keepdims)
    with np.errstate(divide="ignore"):
        total = np.sum(sizes.astype(np.float64) ** ord, axes, keepdims=keepdims)
        return np.asarray(total ** (1 / ord), dtype=sizes.dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("ord", ORDERS)
def test_norms_neither_overflow_nor_vanish(dtype: str, ord: float) -> None:
    """Of one number, and where the elements' sizes are all that counts, of two."""
    info = np.finfo(dtype)
    for value in (info.max / 4, info.tiny * 4):
        x = np.full((2, 1), value, dtype=dtype)
        expected = np.ones(2, info.dtype) if ord == 0 else np.full(2, value, info.dtype)
        check(computed(lambda x: xp.linalg.vector_norm(x, axis=1, ord=ord), x), expected)
    if abs(ord) in {1, math.inf} and ord != -1:
        x = np.asarray([1, 2], dtype=dtype) * (info.max / 4)
        norm = computed(lambda x: xp.linalg.vector_norm(x, ord=ord), x)
        check(norm, vector_norm(x, ord, None, False))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("ord", ORDERS)
def test_norms_of_special_values(dtype: str, ord: float) -> None:
    x = np.asarray([[1, math.inf], [-math.inf, 0], [2, -0.0], [math.nan, 1]], dtype=dtype)
    expected = [vector_norm(row, ord, None, False) for row in x]
    result = computed(lambda x: xp.linalg.vector_norm(x, axis=-1, ord=ord), x)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("ord", ORDERS)
def test_norms_of_half_precision(dtype: str, ord: float) -> None:
    values = [300.0, -400.0, 0.5]
    x = xp.asarray(values, dtype=getattr(torch, dtype))
    norm = xp.linalg.vector_norm(x, ord=ord)
    assert norm.dtype is x.dtype
    expected = float(vector_norm(np.asarray(values), ord, None, False))
    if expected > float(xp.finfo(x.dtype).max):
        expected = math.inf
    assert float(norm) == pytest.approx(expected, rel=float(xp.finfo(x.dtype).eps))


def test_norms_of_complex_numbers_of_eight_dimensions() -> None:
    x = numbers((2, 1, 2, 1, 1, 1, 2, 3), "complex64")
    result = computed(lambda x: xp.linalg.vector_norm(x, axis=(0, -1)), x)
    check(result, vector_norm(x, 2, (0, 7), False))


# --- products of which the cube unit takes fewer digits -------------------------------------------

_MATRIX = numbers((60, 60), "float32")
_OTHER = numbers((60, 60), "float32", 1)
_DEFINITE = _MATRIX @ _MATRIX.T + 60 * np.eye(60, dtype="f4")
_LINEAR: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {
    "matmul": (xp.matmul, np.matmul, (_MATRIX * 1e3, _OTHER * 1e3)),
    **{
        f"matmul of {dtype} {shape}": (
            xp.matmul,
            np.matmul,
            (numbers(shape, dtype), numbers(other, dtype)),
        )
        for shape, other, dtype in (
            ((20, 30), (30, 10), "complex64"),
            ((1, 1, 2, 1, 1, 3, 4), (4, 5), "float32"),
            ((200, 90), (90, 100), "int64"),
        )
    },
    "tensordot": (xp.tensordot, lambda a, b: np.tensordot(a, b, 2), (_MATRIX, _OTHER)),
    "vecdot": (xp.vecdot, lambda a, b: (a * b).sum(-1), (_MATRIX, _OTHER)),
    "vecdot of vectors": (xp.vecdot, np.dot, (_MATRIX[0], _OTHER[0])),
    "solve": (xp.linalg.solve, np.linalg.solve, (_DEFINITE, _OTHER)),
    "inv": (xp.linalg.inv, np.linalg.inv, (_DEFINITE,)),
    "pinv": (xp.linalg.pinv, np.linalg.pinv, (_MATRIX[:, :20],)),
    "matrix_power": (
        lambda a: xp.linalg.matrix_power(a, 5),
        lambda a: np.linalg.matrix_power(a, 5),
        (_MATRIX / 8,),
    ),
    "fft": (xp.fft.fft, np.fft.fft, (numbers((3, 60), "complex64"),)),
}
_COARSE = f"""
import sys

import numpy as np

sys.path[:0] = {[str(Path(__file__).parents[n]) for n in (0, 2)]}
import test_npu_products as tests

for name in tests._LINEAR:
    print(name, tests.error_of(name), sep="= ")
a = xp.asarray([[1e5, -np.inf], [0.1, np.nan]])
print(np.asarray((a @ xp.eye(2)).to_device("cpu")).tolist())
print(np.asarray((xp.asarray([[1e5]]) @ xp.asarray([[0.1]])).to_device("cpu")).tolist())
"""


def error_of(name: str) -> float:
    """How far a result is from that of float64, beside its largest element; 0 for integers."""
    function, numpys, operands = _LINEAR[name]
    got = computed(function, *operands)
    wide = [x.astype({"f": "f8", "c": "c16"}.get(x.dtype.kind, x.dtype)) for x in operands]
    expected = numpys(*wide)
    if got.dtype.kind == "i":
        return float((got != expected).sum())
    return float(np.abs(got - expected).max() / np.abs(expected).max())


@pytest.fixture(params=["allow_hf32", 1, 2, 3])
def coarse(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set a switch, or the other one to a value; that one goes before, and is unset by its text."""
    options = sys.modules["torch_npu"]._C
    if request.param == "allow_hf32":
        torch.npu.matmul.allow_hf32 = True
    else:
        options._npu_setOption({"CUBE_MATH_TYPE": str(request.param)})
    try:
        yield
    finally:
        torch.npu.matmul.allow_hf32 = False
        options._npu_setOption({"CUBE_MATH_TYPE": ""})


@needs_emulator
@QUIET_TORCH_NPU
@pytest.mark.parametrize("name", _LINEAR)
@pytest.mark.usefixtures("coarse")
def test_products_do_not_follow_a_switch_of_torch_npu(name: str) -> None:
    coarse = (torch.asarray([[0.1]], device="npu") @ torch.ones(1, 1, device="npu")).cpu()
    assert abs(float(coarse) - 0.1) > 1e-6  # the switch is on
    assert error_of(name) < 4e-6


@pytest.mark.nightly
@needs_emulator
def test_products_compile_as_one_graph() -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    for function in (xp.matmul, xp.vecdot):
        compiled = torch.compile(lambda x, f=function: f(x, x), backend="eager", fullgraph=True)
        assert xp.all(compiled(x) == function(x, x))


@pytest.mark.nightly
@needs_emulator
@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_products_on_chips_whose_cube_unit_takes_float16(soc: str) -> None:
    """The first 910 needs kernels that are compiled before: a switch that users set."""
    program = "torch.npu.set_compile_mode(jit_compile=False)\n" + _COARSE
    lines = script(program, CANN_EMULATOR_SOC=soc).splitlines()
    *errors, special, product = [line for line in lines if not line.startswith("Warning")]
    assert len(errors) == len(_LINEAR)
    for line in errors:
        assert float(line.rpartition("= ")[2]) < 4e-6, line
    assert special == "[[nan, -inf], [nan, nan]]"
    assert math.isclose(float(product.strip("[]")), 1e4, rel_tol=1e-6)
