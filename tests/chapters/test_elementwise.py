"""The rows of the elementwise functions, each with a witness, and `clip`.

A witness is a call that torch's own function refuses or answers wrongly, with the result that the
standard asks for. The first test holds the namespace to it; the second shows that torch still
falls short, and fails once it does not: then the row can go.
"""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from parametrize import listing
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._devices import device as _devices
from ascend_array_api._routes import elementwise as ops
from ascend_array_api._routes._operations import ROWS, Op, rows_of
from ascend_array_api._routes.elementwise import log2_complex
from ascend_array_api._torch import dtypes as dt
from workshop.rows.elementwise import WITNESSES, Witness
from workshop.samples.strategies import to_numpy

CPU = _devices.parse("cpu")
inf, nan = math.inf, math.nan


@pytest.mark.parametrize("layout", ["one by one", "contiguous", "strided"])
@listing("witness", WITNESSES)
def test_the_namespace_is_right(witness: Witness, layout: str) -> None:
    op: Op = getattr(ops, witness.op)
    actual = witness.call(op.on(_devices.spec(witness.dtype, CPU)), layout)
    assert witness.holds(actual), (actual, witness.expected)


@pytest.mark.parametrize("layout", ["one by one", "contiguous", "strided"])
@pytest.mark.parametrize("witness", [w for w in WITNESSES if w.op == "log2"], ids=str)
def test_log2_without_vectors_of_complex_numbers(witness: Witness, layout: str) -> None:
    actual = witness.call(log2_complex, layout)
    assert witness.holds(actual), (actual, witness.expected)


@listing("witness", [w for w in WITNESSES if not w.elsewhere])
def test_torch_falls_short(witness: Witness) -> None:
    native = getattr(ops, witness.op).native
    try:
        answers = [witness.call(native, layout) for layout in ("one by one", "contiguous")]
    except (RuntimeError, AssertionError):  # refused, or not the same for all layouts
        return
    assert not all(map(witness.holds, answers)), "torch is right: is the row still needed?"


def test_every_row_has_its_witness() -> None:
    own = {op.name for op in vars(ops).values() if isinstance(op, Op)}
    rows = {
        (name, dtype)
        for row in (*ROWS, *rows_of("cpu"))
        if row.evidence.kind not in {"derivative", "fatal", "time"}
        for name in own.intersection(row.ops.split())
        for dtype in row.dtypes
    }
    # Other cases stay as tests of what torch gets right on every device.
    assert rows <= {(w.op, w.dtype) for w in WITNESSES}


# --- derivatives ----------------------------------------------------------------------------------


POINTS = [0.3 + 0.4j, -0.7 + 1.2j, 1.5 - 0.2j, -2 - 3j, 0.01 + 0.02j, 3 + 0.1j]


def test_derivative_of_log2_without_vectors_of_complex_numbers() -> None:
    x = torch.tensor(POINTS, dtype=dt.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(log2_complex, (x,))
    assert torch.autograd.gradgradcheck(log2_complex, (x,))
    torch.testing.assert_close(torch.vmap(log2_complex)(x), torch.log2(x))


@pytest.mark.parametrize("name", ["cosh", "sinh"])
def test_derivatives_of_hyperbolic_functions(name: str) -> None:
    x = torch.tensor([0.0, 1, -2, 30, -700, 709], dtype=dt.float64, requires_grad=True)
    getattr(ops, name).on(_devices.spec_of(x))(x).sum().backward()
    expected = {"cosh": np.sinh, "sinh": np.cosh}[name](x.detach().numpy())
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", [dt.float32, dt.float64], ids=str)
def test_derivative_of_sqrt(dtype: torch.dtype) -> None:
    x = torch.tensor([0.0, 4, 0.25, 1e-30, 1e30], dtype=dtype, requires_grad=True)
    ops.sqrt.on(_devices.spec_of(x))(x).sum().backward()
    assert x.grad is not None
    assert x.grad[0] == inf
    expected = 0.5 / x.detach()[1:].sqrt()
    assert torch.allclose(x.grad[1:], expected, rtol=4 * torch.finfo(dtype).eps, atol=0)


# --- division by zero -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", sorted(dt.INTEGER, key=str))
def test_integers_are_not_divided_by_zero(name: str, dtype: torch.dtype) -> None:
    function = getattr(xp, name)
    x = xp.asarray([5, 0, 7], dtype=dtype, device="cpu")
    zero, some = x[1], xp.asarray([1, 2, 0], dtype=dtype, device="cpu")
    for _ in range(2):  # also once the kernel is known
        for args in ((x, 0), (x, zero), (x, some), (3, some), (some, x)):
            with pytest.raises(ZeroDivisionError, match=f"^{name}: an integer was divided by zero"):
                function(*args)
    assert values_of(function(x, 2)) == ([2, 0, 3] if name == "floor_divide" else [1, 0, 1])


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_compiled_code_refuses_a_divisor_of_zero_that_it_knows(name: str) -> None:
    function = torch.compile(getattr(xp, name), backend="eager")
    x = xp.asarray([5, 0, 7], device="cpu")
    for divisor in (2, 3, 0, 5):  # from the second on, one trace for all numbers
        if divisor:
            assert values_of(function(x, divisor)) == values_of(getattr(xp, name)(x, divisor))
        else:
            with pytest.raises(ZeroDivisionError, match="an integer was divided by zero"):
                function(x, divisor)
    assert function(x[:0], 0).shape == (0,)


# --- clip -----------------------------------------------------------------------------------------


def array(values: Any, dtype: torch.dtype) -> xp.Array:
    return xp.asarray(values, dtype=dtype, device="cpu")


def values_of(x: xp.Array) -> list[Any]:
    return xp.to_torch(x).tolist()


@pytest.mark.npu
@listing("dtype, most", [("float32", 24), ("float64", 51), ("float16", 11), ("bfloat16", 8)])
def test_floating_point_quotients_are_rounded_down_exactly(dtype: str, most: int) -> None:
    """By fractions; NumPy, and Python for float64, are off by one in the last two binary digits."""
    random = np.random.default_rng(most)
    kind = getattr(xp, dtype)
    # Quotients that are nearly whole, and have all binary digits that they may have, or fewer.
    wide = np.floor(2.0 ** random.choice([most - 0.5, most - 1.5, 3.0], 500))
    b = xp.asarray(random.normal(size=500), dtype=kind)
    a = xp.asarray(to_numpy(xp.astype(b, xp.float64)) * wide, dtype=kind)
    x, y = (to_numpy(xp.astype(v, xp.float64)).tolist() for v in (a, b))
    exact = [math.floor(Fraction(v) / Fraction(w)) for v, w in zip(x, y)]
    known = [abs(q) < 2**most for q in exact]
    for times in (1, 140):
        quotients = xp.tile(a, (times,)) // xp.tile(b, (times,))
        found = to_numpy(xp.astype(quotients, xp.float64))[-500:].tolist()
        wrong = [t for *t, k in zip(x, y, found, exact, known) if k and t[2] != t[3]]
        assert not wrong, (dtype, times, wrong[:3])
    of_one = (float((xp.asarray([v], dtype=kind) // w)[0]) for v, w in zip(x[:20], y))
    assert [q for q, k in zip(of_one, known) if k] == [q for q, k in zip(exact[:20], known) if k]


SYMMETRIES = sorted(
    {
        (name, kind, sign)
        for name in xp.__all__
        for form, kind in ((r"conj\(x\)", "conj"), ("-x", "negative"))
        for sign in re.findall(
            rf"``{name}\({form}\) == (conj\(|-?){name}\(x\)\)?``", getattr(xp, name).__doc__ or ""
        )
    }
)


@pytest.mark.npu
@listing("name, kind, sign", SYMMETRIES)
def test_symmetries_that_docstrings_state(name: str, kind: str, sign: str) -> None:
    """To the sign of a zero for finite numbers; some last places hang on the signs of operands."""
    parts = [0.0, 0.3, 0.7, 1.0, 1.5, 2.5, 1e-20, 40.0]
    parts = [-v for v in parts] + parts
    z = np.asarray([complex(a, b) for a in parts for b in parts])
    function = getattr(xp, name)
    for dtype, times in itertools.product(("complex64", "complex128"), (1, 20)):
        x = np.tile(z, times).astype(dtype)
        mirrored, there = (to_numpy(function(xp.asarray(v))) for v in (getattr(np, kind)(x), x))
        there = getattr(np, kind)(there) if sign else there
        np.testing.assert_allclose(mirrored, there, rtol=4 * np.finfo(dtype).eps)
        for a, b in ((mirrored.real, there.real), (mirrored.imag, there.imag)):
            wrong = np.isfinite(a) & (np.signbit(a) != np.signbit(b))
            assert not wrong.any(), (name, dtype, times, x[wrong][:3])


def test_clip_broadcasts_three_ways() -> None:
    x = array([0, 5, 9], dt.int64)
    least = array([[1], [6]], dt.int64)
    most = array([[[7]], [[8]]], dt.int64)
    result = xp.clip(x, least, most)
    assert values_of(result) == [[[1, 5, 7], [6, 6, 7]], [[1, 5, 8], [6, 6, 8]]]
    assert xp.clip(x[:0], least, most).shape == (2, 2, 0)


def test_clip_gives_nan_for_nan() -> None:
    for d in sorted(dt.REAL_FLOATING, key=str):
        for n in (1, 37):
            x, low, high = (array([v] * n, d) for v in (1.0, 0.0, 2.0))
            none = array([nan] * n, d)
            for arguments in (
                *((none, low, high), (x, none, high), (x, low, none), (none, low), (none,)),
                *((none, None, high), (x, none), (x, None, none)),
            ):
                assert all(v != v for v in values_of(xp.clip(*arguments)))
            assert all(v != v for v in values_of(xp.clip(x, nan, 2.0)))


def test_clip_is_exact_for_large_integers() -> None:
    x = array([2**64 - 1, 2**63 + 1, 2**53 + 1, 0], dt.uint64)
    assert values_of(xp.clip(x, 2**53 + 1, 2**63)) == [2**63, 2**63, 2**53 + 1, 2**53 + 1]
    x = array([2**63 - 1, -(2**63), 2**53 + 1], dt.int64)
    assert values_of(xp.clip(x, -(2**53) - 1, 2**62 + 1)) == [2**62 + 1, -(2**53) - 1, 2**53 + 1]


@pytest.mark.parametrize("dtype", [dt.int8, dt.int64, dt.uint8, dt.uint16, dt.float32, dt.float64])
def test_clip_by_numbers_is_clip_by_arrays_of_them(dtype: torch.dtype) -> None:
    """Also when the kernel for them is remembered, and for numbers that it does not take."""
    values: list[float] = [0, 1, 5, 100]
    numbers: list[float] = [0, 3, 100]
    if dtype in dt.REAL_FLOATING:
        values += [-0.0, 0.1, -7.5, 1e30, inf, -inf, nan]
        numbers += [0.1, 2**24 + 1, 2.0**70, 1e38, inf, -inf, nan]
    else:
        numbers += dt.LIMITS[dtype]
        values += dt.LIMITS[dtype]
    x = array(values, dtype)
    own = xp.to_torch(x).numpy()
    for low, high, _ in itertools.product(numbers, numbers, "12"):
        expected = np.minimum(np.maximum(own, own.dtype.type(low)), own.dtype.type(high))
        np.testing.assert_array_equal(values_of(xp.clip(x, low, high)), expected)
        least, most = array(low, dtype), array(high, dtype)
        np.testing.assert_array_equal(values_of(xp.clip(x, least, most)), expected)
        np.testing.assert_array_equal(values_of(xp.clip(x, low, most)), expected)
    if dtype in dt.REAL_FLOATING:
        numbers += [1e300, -1e300]
    for low, _ in itertools.product(numbers, "12"):
        with np.errstate(over="ignore"):
            bound = own.dtype.type(low)
        for found in (xp.clip(x, array(low, dtype)), xp.clip(x, low), xp.maximum(x, low)):
            np.testing.assert_array_equal(values_of(found), np.maximum(own, bound))
        for found in (xp.clip(x, None, array(low, dtype)), xp.clip(x, max=low), xp.minimum(x, low)):
            np.testing.assert_array_equal(values_of(found), np.minimum(own, bound))
    for bounds in ((0, True), (False, 1), (False, array(1, dtype))):
        with pytest.raises(TypeError, match="clip: the Python bool"):
            xp.clip(x, *bounds)
    if dtype not in dt.REAL_FLOATING:
        for bounds in ((0, 2**70), (-(2**70), 1), (array(0, dtype), 2**70)):
            with pytest.raises(OverflowError, match="clip: the Python integer"):
                xp.clip(x, *bounds)


def test_an_element_that_equals_a_bound_has_half_of_the_derivative() -> None:
    """That of a maximum or minimum of two equal numbers: each has one half."""
    leaf = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    x = xp.asarray(leaf)
    for _ in "12":  # and when the kernel for the number is remembered
        for found in (xp.maximum(x, 1.0), xp.clip(x, 1.0), xp.clip(x, 1)):
            (slope,) = torch.autograd.grad(xp.to_torch(found).sum(), leaf)
            assert slope.tolist() == [0, 0.5, 1]
        for found in (xp.minimum(x, 1.0), xp.clip(x, None, 1.0)):
            (slope,) = torch.autograd.grad(xp.to_torch(found).sum(), leaf)
            assert slope.tolist() == [1, 0.5, 0]


def test_operands_of_two_data_types_promote() -> None:
    """As NumPy has it, for the pairs of the standard's table; others are refused."""
    for one, two in itertools.product(dt.NUMERIC - dt.HALF, repeat=2):
        x, y = array([1, 2], one), array([[3], [5]], two)
        expected = dt.PROMOTION.get((one, two))
        for _ in "12":
            if expected is None:
                with pytest.raises(TypeError, match="astype"):
                    x + y
                continue
            for found, by in ((x + y, np.add), (xp.multiply(x, y), np.multiply)):
                assert found.dtype is expected
                np.testing.assert_array_equal(values_of(found), by([1, 2], [[3], [5]]))
            for found in (x * array(3, two), array(1, one) * y):  # torch counts these for less
                assert found.dtype is expected
            if expected in dt.REAL:
                assert (x > y).dtype is dt.bool
                assert not xp.any(x > y)


def test_clip_keeps_the_data_type() -> None:
    x = array([1, 2], dt.int16)
    assert xp.clip(x, array(0, dt.int8), array(1, dt.uint8)).dtype is dt.int16


test_what_clip_refuses = refused(r"""
[TypeError]
an array of int64 as a bound would turn | xp.clip(i8, n)
the Python float 0\.5 cannot be combined | xp.clip(i8, 0.5)
expected an Array or a Python scalar | xp.clip(i8, "0")
data type bool is not allowed | xp.clip(b, False)
data type complex64 is not allowed | xp.clip(x, 1j)
[OverflowError]
the Python integer 32768 | xp.clip(i8, 0, 2**15)
[ValueError]
shape mismatch: shapes \(3,\), \(2,\) | xp.clip(v, x)
""")


def extreme(dtype: torch.dtype) -> torch.Tensor:
    """Complex numbers of which sizes overflow or are subnormal, zeros of both signs, and others."""
    limits = torch.finfo(dtype)
    ends = [0.0, limits.smallest_normal * limits.eps, limits.tiny, 1.0, limits.max / 2, limits.max]
    parts = torch.tensor([*ends, *(-v for v in ends)], dtype=dtype.to_real())
    a, b = torch.meshgrid(parts, parts, indexing="ij")
    return torch.complex(a.reshape(-1), b.reshape(-1))


@pytest.mark.npu
@pytest.mark.parametrize("dtype", [dt.complex64, dt.complex128])
def test_signs_of_complex_numbers_that_are_extreme(dtype: torch.dtype) -> None:
    x = extreme(dtype)
    with mpmath.workprec(5000):
        sizes = [abs(mpmath.mpc(z)) or 1 for z in x.tolist()]
        exact = [complex(mpmath.mpc(z) / size) for z, size in zip(x.tolist(), sizes)]
    together = values_of(xp.sign(xp.asarray(x)))
    for got, want, z in zip(together, exact, x.tolist()):
        for one in (got, complex(xp.sign(xp.asarray(z, dtype=dtype)))):
            assert abs(one - want) <= 2 * torch.finfo(dtype).eps, z
    plain = torch.randn(5000, dtype=dtype)
    torch.testing.assert_close(xp.to_torch(xp.sign(xp.asarray(plain))), plain / torch.abs(plain))


@pytest.mark.npu
@pytest.mark.parametrize("scale", [1.0, 2.0**1023, 2.0**-1060])
def test_derivatives_of_signs_of_complex_numbers(scale: float) -> None:
    """They are those of a number of usual size, divided by the scale, which may round to 0."""
    z = torch.tensor([1.5 + 1j, -1 + 1.25j, 0.5 - 1.75j], dtype=dt.complex128)
    weight = torch.tensor([1 - 2j, 0.5 + 1j, 3 + 0.25j], dtype=dt.complex128)

    def slope(x: torch.Tensor) -> torch.Tensor:
        x.requires_grad_()
        torch.real(xp.to_torch(xp.sign(xp.asarray(x))) * weight).sum().backward()
        assert x.grad is not None
        return x.grad

    size = z.abs()
    unit = z / size
    other = weight.conj()
    want = (other - unit * (other.conj() * unit).real) / size  # along the circle alone
    got = slope(z * scale)
    if scale < 1:
        assert torch.isinf(torch.view_as_real(got)).any()
    else:
        torch.testing.assert_close(got, want / scale, rtol=1e-12, atol=1e-320)


@pytest.mark.parametrize("dtype", [dt.complex64, dt.complex128])
@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_whole_powers_of_complex_numbers_are_products(dtype: torch.dtype, exponent: int) -> None:
    """Numbers on the axes keep a part that is exactly zero; the others are within an ulp or two."""
    values = [3j, 2010j, -0.5, 0.3 + 1.7j, -41 - 3j, 1e-3 + 1e3j]
    x = xp.asarray(values, dtype=dtype)
    for power in (x**exponent, xp.pow(x, xp.full_like(x, exponent))):
        for i, value in enumerate(values):
            exact = complex(mpmath.mpc(complex(x[i])) ** exponent)
            got = complex(power[i])
            if not value.real or not value.imag:
                assert (got.real == 0) == (exact.real == 0)
                assert (got.imag == 0) == (exact.imag == 0)
            assert abs(got - exact) <= 4 * torch.finfo(dtype).eps * abs(exact)


ONE_OPERAND = (
    "abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor isfinite isinf isnan "
    "log log10 log1p log2 negative positive reciprocal round sign signbit sin sinh sqrt square tan "
    "tanh trunc"
).split()


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", [dt.bfloat16, dt.float16])
def test_long_arrays_of_half_precision_are_computed_as_short_ones(dtype: torch.dtype) -> None:
    """Torch has other code for the elements that fill a vector, and for those that are left."""
    every = torch.arange(2**16, dtype=torch.int32).to(torch.int16).view(dtype)
    for name in ONE_OPERAND:
        kernel = getattr(ops, name).on(_devices.spec(dtype, CPU))
        whole = kernel(every)
        pieces = torch.cat([kernel(part) for part in every.split(3)])
        same = (whole == pieces) | (torch.isnan(whole) & torch.isnan(pieces))
        assert same.all(), (name, every[~same][:3])


TWO_OPERANDS = {"atan2": np.arctan2, "pow": np.power} | {
    name: getattr(np, name)
    for name in (
        "add subtract multiply divide floor_divide remainder hypot logaddexp copysign maximum "
        "minimum less less_equal equal not_equal greater greater_equal"
    ).split()
}


ROUNDED = {
    "atan2": mpmath.atan2,
    "hypot": mpmath.hypot,
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "pow": mpmath.power,
}
"""Functions that float32 gives within ulps, so that the result rounded once more may be one of two
neighbours: where it is not the nearer one, by mpmath, the exact result is that near to the middle.
"""


def _beyond_the_middle(name: str, x: float, y: float, got: float, dtype: torch.dtype) -> float:
    """Return how far the exact result is beyond the numbers that round to `got`, in float32's ulps.

    The logarithm of a sum may cancel: its ulps are those of the larger operand.
    """
    with mpmath.workprec(400):
        exact = ROUNDED[name](mpmath.mpf(x), mpmath.mpf(y))

        def ulp(of: torch.dtype, size: Any) -> Any:
            size = max(abs(size), torch.finfo(of).smallest_normal)
            return mpmath.mpf(2) ** mpmath.floor(mpmath.log(size, 2)) * torch.finfo(of).eps

        most = torch.finfo(dtype).max
        end = math.copysign(most + ulp(dtype, most), got) if math.isinf(got) else got
        off = abs(mpmath.mpf(end) - exact) if abs(exact) < abs(end) or not math.isinf(got) else 0
        size = max(abs(exact), abs(x), abs(y)) if name == "logaddexp" else exact
        return float((off - ulp(dtype, exact) / 2) / ulp(torch.float32, size))


@pytest.mark.parametrize("dtype", [dt.bfloat16, dt.float16])
def test_functions_of_two_operands_in_half_precision(dtype: torch.dtype) -> None:
    """NumPy's results rounded once: torch rounds steps of arrays, and not those of one number."""
    rng = np.random.default_rng(5)
    for count in (1, 7, 70_000):
        for step in range(1 if count > 7 else 20):
            size = 10.0 ** rng.uniform(-2, 3, (2, count))
            x, y = torch.from_numpy(rng.normal(size=(2, count)) * size).to(dtype)
            for name, function in TWO_OPERANDS.items():
                wide = torch.float64 if name in ROUNDED else torch.float32
                got = xp.to_torch(getattr(xp, name)(xp.asarray(x), xp.asarray(y)))
                with np.errstate(all="ignore"):
                    expected = function(x.to(wide).numpy(), y.to(wide).numpy())
                expected = torch.from_numpy(expected).to(got.dtype)
                wrong = (got != expected) & ~(torch.isnan(got) & torch.isnan(expected))
                given = [(name, *(float(v[i]) for v in (x, y, got))) for i in wrong.nonzero()]
                if name in ROUNDED:
                    given = [case for case in given if not _beyond_the_middle(*case, dtype) <= 2]
                assert not given, (count, step, len(given), given[:3])
