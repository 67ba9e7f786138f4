"""What relaxed mode warns of, as NumPy does, or because it is coarser than NumPy."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._reports import numpys
from ascend_array_api._torch import torch
from conformance.samples.strategies import to_numpy

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DIVISIONS = {"floor_divide": operator.floordiv, "remainder": operator.mod}


def pair(dtype: str) -> tuple[Any, Any, Any, Any]:
    x, y = np.asarray([7, 0, 5, 3]).astype(dtype), np.asarray([2, 0, 0, 1]).astype(dtype)
    return x, y, xp.asarray(x), xp.asarray(y)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", DIVISIONS)
def test_integers_divided_by_zero_are_numpys(name: str, dtype: str) -> None:
    x, y, ours, other = pair(dtype)
    divide, said = DIVISIONS[name], f"divide by zero encountered in {name}"
    for a, b, c, d in ((x, y, ours, other), (x, 0, ours, 0), (5, y, 5, other)):
        with pytest.warns(RuntimeWarning, match=said):
            expected = divide(a, b)
        with xp.options(relaxed=True):
            with pytest.warns(RuntimeWarning, match=said) as caught:
                got = to_numpy(divide(c, d))
            assert caught[0].filename == __file__
            with pytest.warns(RuntimeWarning, match=said):
                np.testing.assert_array_equal(to_numpy(getattr(xp, name)(c, d)), expected)
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype


@pytest.mark.nightly
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", DIVISIONS)
def test_compiled_code_gives_them_without_warnings(name: str, backend: str) -> None:
    divide, in_place = DIVISIONS[name], getattr(operator, f"i{DIVISIONS[name].__name__}")

    def run(c: Any, d: Any) -> tuple[Any, ...]:
        return divide(c, d), getattr(xp, name)(c, d), divide(c, 0), divide(5, d), in_place(c * 1, d)

    compiled = torch.compile(run, fullgraph=True, backend=backend)
    for dtype in INTEGERS:
        torch._dynamo.reset()
        x, y, ours, other = pair(dtype)
        with np.errstate(all="ignore"):
            quotient = divide(x, y)
            expected = (quotient, quotient, divide(x, 0), divide(5, y), quotient)
        with xp.options(relaxed=True), warnings.catch_warnings():
            warnings.simplefilter("error")
            for got, right in zip(compiled(ours, other), expected, strict=True):
                np.testing.assert_array_equal(to_numpy(got), right)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", DIVISIONS)
def test_transformed_functions_give_them_too(name: str, dtype: str) -> None:
    x, y, ours, other = pair(dtype)
    each = torch.func.vmap(DIVISIONS[name])
    with np.errstate(all="ignore"):
        expected = DIVISIONS[name](x, y)
    with xp.options(relaxed=True), np.errstate(divide="ignore"):
        np.testing.assert_array_equal(to_numpy(each(ours, other)), expected)
    if not ours.device.backend.late:
        with pytest.raises(ZeroDivisionError):
            each(ours, other)


@pytest.mark.cpu
@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions_in_place_too(name: str) -> None:
    x, y, ours, other = pair("int64")
    with np.errstate(all="ignore"):
        expected = DIVISIONS[name](x, y)
    with xp.options(relaxed=True), pytest.warns(RuntimeWarning, match=name):
        getattr(operator, {"floor_divide": "ifloordiv", "remainder": "imod"}[name])(ours, other)
    np.testing.assert_array_equal(np.asarray(ours), expected)


@pytest.mark.cpu
def test_numpys_settings_decide_whether_it_warns() -> None:
    _, _, ours, other = pair("int64")
    with xp.options(relaxed=True):
        with warnings.catch_warnings(), xp.errstate(divide="ignore"):
            warnings.simplefilter("error")
            assert to_numpy(ours // other).tolist() == [3, 0, 0, 3]
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            ours // other
    with pytest.raises(ZeroDivisionError):
        ours // other


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8"])
def test_complex_numbers_lose_their_imaginary_part_with_a_warning(dtype: str) -> None:
    z = np.asarray([1 + 2j, -3.5j, 3.0])
    x, wanted = xp.asarray(z), getattr(xp, dtype)
    ways: list[Any] = [lambda: xp.astype(x, wanted), lambda: x.astype(dtype)]
    ways += [lambda: xp.asarray(x, dtype=wanted), lambda: xp.asarray(z, dtype=wanted)]
    for way in ways:
        discards = pytest.warns(np.exceptions.ComplexWarning, match="discards the imag")
        with xp.options(relaxed=True), discards as caught:
            got = way()
        assert caught[0].filename == __file__
        np.testing.assert_array_equal(to_numpy(got), z.real.astype(dtype))
    with xp.options(relaxed=True), pytest.warns(np.exceptions.ComplexWarning):
        copied = xp.astype(x, xp.float64)
    copied[0] = 9.0
    assert complex(x[0]) == 1 + 2j
    with pytest.raises(TypeError, match=r"real\(\) or imag\(\).*relaxed=True"):
        xp.astype(x, wanted)
    with xp.options(relaxed=True), pytest.raises(TypeError):
        xp.asarray([1j], dtype=xp.float32)


NARROWED = {
    "int64 is computed in float32": lambda: xp.asarray([1700000000123]) / 1,
    "int32 is computed in float32": lambda: xp.sqrt(xp.asarray([2], dtype=xp.int32)),
    "int64 is computed": lambda: xp.asarray([3]) * 0.5,
    "uint64 is computed": lambda: xp.mean(xp.asarray([3], dtype=xp.uint64)),
    "dtype=float is in float32": lambda: xp.asarray([1.5]).astype(float),
    "dtype=float is": lambda: xp.zeros(3, float),
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("said", NARROWED)
def test_float32_in_place_of_numpys_float64_is_said_once(said: str) -> None:
    numpys._once.entries(clear=True)
    with xp.options(relaxed=True, default_float="float32"):
        with pytest.warns(RuntimeWarning, match=f"^{said}.*default_float='float64'") as caught:
            assert NARROWED[said]().dtype is xp.float32
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            NARROWED[said]()


def test_what_is_exact_or_as_in_numpy_is_not_said() -> None:
    numpys._once.entries(clear=True)
    with xp.options(relaxed=True, default_float="float32"):
        xp.sqrt(xp.asarray([2], dtype=xp.int16))
        xp.mean(xp.asarray([True]))
        xp.asarray([1.5]).astype(np.float32)
        xp.asarray([1.5]) * 0.5
    with xp.options(relaxed=True, default_float="float64"):
        assert (xp.asarray([1700000000123]) / 1).dtype is xp.float64
        xp.asarray([1.5]).astype(float)


# --- other ends of NumPy's calls ------------------------------------------------------------------


def test_out_is_an_array_of_the_library_that_writes() -> None:
    x, out = xp.asarray([0.0, 1.0], device="cpu"), np.empty(2)
    assert np.exp(x, out=out) is out
    np.testing.assert_allclose(out, [1.0, np.e], rtol=1e-6)
    np.add(x, np.ones(2), out=out)
    np.testing.assert_allclose(out, [1.0, 2.0])
    with pytest.raises(TypeError, match=r"numpy.exp: .* Write out\[\.\.\.\] = xp.exp\(x\)\."):
        np.exp(x, out=xp.empty(2))
    with pytest.raises(TypeError, match=r"numpy.absolute: .* Write out\[\.\.\.\] = xp.abs\(x\)\."):
        np.absolute(x, out=xp.empty(2))
    with xp.options(relaxed=True), pytest.raises(TypeError, match=r"exp: out must .*ndarray\. W"):
        xp.exp(x, out=out)


def test_positions_are_wrapped_and_clipped_and_periods_are_not_zero() -> None:
    for mode in ("wrap", "clip"):
        x, a = xp.zeros(4), np.zeros(4)
        np.put(a, [5, -7, 1], [1.0, 2.0, 3.0], mode)
        with xp.options(relaxed=True):
            xp.put(x, [5, -7, 1], [1.0, 2.0, 3.0], mode)
        np.testing.assert_array_equal(to_numpy(x), a)
    with xp.options(relaxed=True):
        with pytest.raises(TypeError, match="put: mode must be"):
            xp.put(xp.zeros(2), [0], 1.0, "turn")
        with pytest.raises(ValueError, match="interp: period must not be 0"):
            xp.interp(1.0, [1.0, 2.0], [1.0, 2.0], period=0)
        with pytest.raises(TypeError, match="behind each array"):
            xp.einsum(xp.ones(2), 0)


def test_shapes_that_do_not_fit_are_a_shape_mismatch() -> None:
    for call in (lambda a, b: a + b, xp.add, xp.broadcast_arrays):
        with pytest.raises(ValueError, match=r"shape mismatch: shapes \(3,\), \(2,\) could not be"):
            call(xp.ones(3), xp.ones(2))


def test_parts_of_complex_arrays_are_written_to() -> None:
    x, z = xp.asarray([1 + 2j, 3 - 1j]), np.asarray([1 + 2j, 3 - 1j])
    with xp.options(relaxed=True):
        x.real, z.real = 9, 9
        x.imag, z.imag = xp.asarray([1.0, 2.0]), [1.0, 2.0]
        np.testing.assert_array_equal(to_numpy(x), z)
        with pytest.raises(TypeError, match="imag: "):
            xp.ones(2).imag = 1.0
    with pytest.raises(AttributeError, match="relaxed=True"):
        x.real = 1
