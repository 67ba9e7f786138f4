"""The options relaxed and default_float: what they allow, judged by NumPy."""

from __future__ import annotations

import itertools
import operator
import os
from typing import Any

import numpy as np
import pytest
from processes import apart

import ascend_array_api as xp
from ascend_array_api._options import settings
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from conformance.samples.strategies import to_numpy

NAMES = sorted(dt.NAMES[d] for d in dt.STANDARD)
MIXED = [
    (a, b)
    for a, b in itertools.product(NAMES, NAMES)
    if (getattr(xp, a), getattr(xp, b)) not in dt.PROMOTION
]


@pytest.fixture
def relaxed():
    with xp.options(relaxed=True, default_float="float64") as options:
        yield options


def same(got: Any, expected: Any) -> None:
    """Check dtype, shape and values against what NumPy has."""
    expected = np.asarray(expected)
    assert dt.NAMES[got.dtype] == expected.dtype.name
    assert got.shape == expected.shape
    np.testing.assert_allclose(to_numpy(got), expected, rtol=1e-6)


# --- strict by default ----------------------------------------------------------------------------

REFUSED = {
    "mixed kinds": lambda x, i: x + i,
    "float with integers": lambda x, i: i * 0.5,
    "integers divided": lambda x, i: i / i,
    "exp of integers": lambda x, i: xp.exp(i),
    "mean of integers": lambda x, i: xp.mean(i),
    "NumPy scalar": lambda x, i: x * np.float32(2),
    "NumPy scalar first": lambda x, i: np.float32(2) * x,
    "NumPy array": lambda x, i: x * np.asarray([1.0, 2.0]),
    "NumPy array first": lambda x, i: np.asarray([1.0, 2.0]) * x,
    "NumPy array in a function": lambda x, i: xp.sqrt(np.asarray([1.0, 2.0])),
    "NumPy array as index": lambda x, i: x[np.asarray([0, 1])],
    "list as index": lambda x, i: x[[0, 1]],
    "fewer indices than axes": lambda x, i: xp.ones((2, 3))[0],
    "Python type as dtype": lambda x, i: xp.zeros(2, dtype=float),
    "NumPy dtype": lambda x, i: xp.zeros(2, dtype=np.float64),
    "concat of mixed kinds": lambda x, i: xp.concat([x, i]),
    "result_type of mixed kinds": lambda x, i: xp.result_type(x, i),
    "two scalars": lambda x, i: xp.add(1, 2),
    "list in a function": lambda x, i: xp.sqrt([1.0, 2.0]),
    "result_type of scalars": lambda x, i: xp.result_type(1, 2.0),
    "where of integers": lambda x, i: xp.where(i, x, 0.0),
    "method": lambda x, i: x.sum(),
    "attribute": lambda x, i: x.nbytes,
    "truth of one element": lambda x, i: bool(xp.ones(1)),
    "setting by a NumPy array": lambda x, i: x.__setitem__(..., np.asarray([1.0, 2.0])),
    "wider result in place": lambda x, i: x.__iadd__(xp.astype(x, xp.float64)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_strict_mode_refuses_and_names_the_option(case: str) -> None:
    x, i = xp.asarray([1.0, 2.0], dtype=xp.float32), xp.asarray([1, 2])
    with pytest.raises((TypeError, IndexError, AttributeError, ValueError)) as caught:
        REFUSED[case](x, i)
    if "first" not in case:  # there it is NumPy that refuses
        # In one of them without parentheses, which SciPy's tests would take for an expression.
        hint = (
            "xp.options with relaxed=True" if case == "result_type of scalars" else "(relaxed=True)"
        )
        assert f"{hint} allows it." in str(caught.value)
    assert float(x[0]) == 1.0  # nothing was changed


REFUSED_ALWAYS = {
    "an object": lambda x, i: xp.sqrt(object()),
    "a string": lambda x, i: xp.add(x, "1"),
    "None": lambda x, i: xp.where(None, x, x),
    "float as index": lambda x, i: x[0.0],
    "no data type": lambda x, i: xp.zeros(2, dtype="no type"),
    "result_type of nothing": lambda x, i: xp.result_type(),
    "bits of complex numbers": lambda x, i: xp.bitwise_and(x, x),
    "NumPy's function with out": lambda x, i: np.sin(np.ones(2), out=x),
}


@pytest.mark.parametrize("mode", [False, True])
@pytest.mark.parametrize("case", REFUSED_ALWAYS)
def test_what_no_mode_allows_is_not_promised(case: str, mode: bool) -> None:
    x, i = xp.asarray([1.0, 2.0]), xp.asarray([1, 2])
    with xp.options(relaxed=mode), pytest.raises((TypeError, IndexError, ValueError)) as caught:
        REFUSED_ALWAYS[case](x, i)
    assert "relaxed" not in str(caught.value)


@pytest.mark.parametrize("case", REFUSED)
def test_relaxed_mode_allows(case: str, relaxed: Any) -> None:
    x, i = xp.asarray([1.0, 2.0], dtype=xp.float32), xp.asarray([1, 2])
    REFUSED[case](x, i)


def test_the_methods_are_not_there_in_strict_mode() -> None:
    x = xp.ones(2)
    assert not hasattr(x, "sum")
    with xp.options(relaxed=True):
        assert hasattr(x, "sum")
    assert not hasattr(x, "sum")


# --- data types -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), MIXED)
def test_mixed_kinds_promote_as_in_numpy(a: str, b: str, relaxed: Any) -> None:
    x, y = np.asarray([1, 0, 1], dtype=a), np.asarray([1, 1, 0], dtype=b)
    same(xp.asarray(x) + xp.asarray(y), x + y)
    assert dt.NAMES[xp.result_type(getattr(xp, a), getattr(xp, b))] == np.result_type(a, b).name


@pytest.mark.parametrize("value", [True, 3, 0.5, 1.5j])
@pytest.mark.parametrize("name", ["bool", "int64", "float64", "complex128"])
def test_python_scalars_of_any_kind(name: str, value: complex, relaxed: Any) -> None:
    x = np.asarray([1, 0], dtype=name)
    same(xp.asarray(x) * value, x * value)
    same(value * xp.asarray(x), value * x)


@pytest.mark.parametrize("function", ["exp", "sqrt", "divide", "mean", "std", "sin", "atan2"])
def test_integers_go_where_floating_point_numbers_do(function: str, relaxed: Any) -> None:
    x = np.asarray([1, 4, 9])
    theirs = {"atan2": np.arctan2}.get(function) or getattr(np, function)
    arguments = (x, x) if function in {"divide", "atan2"} else (x,)
    ours = [xp.asarray(a) for a in arguments]
    same(getattr(xp, function)(*ours), theirs(*arguments))


def test_arithmetic_of_booleans_is_logic(relaxed: Any) -> None:
    x, y = np.asarray([True, True, False]), np.asarray([True, False, False])
    same(xp.asarray(x) + xp.asarray(y), x + y)
    same(xp.asarray(x) * xp.asarray(y), x * y)
    same(xp.sum(xp.asarray(x)), np.sum(x))
    for function in (operator.add, operator.mul, operator.iadd, operator.imul):
        for scalar in (True, False):
            same(function(xp.asarray(x), scalar), function(x.copy(), scalar))
        same(function(xp.asarray(x), xp.asarray(y)), function(x.copy(), y))
    same(True + xp.asarray(x), True + x)
    same(False * xp.asarray(x), False * x)


@pytest.mark.parametrize("function", [xp.add, xp.multiply, operator.add, operator.imul])
def test_what_relaxed_mode_has_computed_stays_refused(function: Any) -> None:
    x = xp.asarray([True, False])
    with xp.options(relaxed=True):
        function(xp.asarray(x, copy=True), x)
        _ = True + x, True * x
    with xp.options(relaxed=False):
        for other in (x, True):
            with pytest.raises(TypeError, match="bool is not allowed"):
                function(x, other)


@pytest.mark.parametrize(
    ("given", "name"),
    [(bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")]
    + [(np.dtype("int16"), "int16"), (np.float32, "float32"), ("uint8", "uint8")],
)
def test_data_types_by_other_names(given: Any, name: str, relaxed: Any) -> None:
    for x in (
        xp.zeros(2, dtype=given),
        xp.asarray([1], dtype=given),
        xp.astype(xp.ones(1, dtype=xp.int8), given),
    ):
        assert x.dtype is getattr(xp, name)


def test_no_data_type_stays_none(relaxed: Any) -> None:
    for given in ("datetime64[s]", "no type", object):
        with pytest.raises(TypeError, match="must be one of the namespace's data types"):
            xp.zeros(2, dtype=given)


# --- in place -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), list(itertools.product(NAMES, NAMES)))
def test_results_in_place_as_numpy_casts(a: str, b: str, relaxed: Any) -> None:
    expected = np.asarray([1, 2], dtype=a)
    other = np.asarray([1, 1], dtype=b)
    x = xp.asarray(expected.copy())
    try:
        expected += other
    except TypeError:
        with pytest.raises(TypeError):
            x += xp.asarray(other)
        same(x, np.asarray([1, 2], dtype=a))
    else:
        y = x
        x += xp.asarray(other)
        assert x is y
        same(x, expected)


def test_setting_casts_as_numpy_does(relaxed: Any) -> None:
    for value in (2.7, True, np.asarray([5, 6]), np.float32(3.5), [7.0, 8.0], np.int8(4)):
        expected = np.asarray([1, 2])
        expected[...] = value
        x = xp.asarray([1, 2])
        x[...] = value
        same(x, expected)
    x = xp.asarray([1, 2])
    with pytest.raises(TypeError, match="complex"):
        x[0] = 1j


# --- indices --------------------------------------------------------------------------------------

KEYS: list[Any] = [
    0,
    (slice(None), [0, 2]),
    [1, 0],
    np.asarray([0, 1]),
    np.asarray([True, False]),
    [True, False],
    (np.asarray([0, 1]), np.asarray([2, 0])),
    True,
    np.bool_(False),
    (None, 1),
    [],
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys_as_in_numpy(key: Any, relaxed: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    same(xp.asarray(x)[key], x[key])
    ours = xp.asarray(x.copy())
    ours[key] = -1.0
    x[key] = -1.0
    same(ours, x)


# --- NumPy's operands and functions ---------------------------------------------------------------

OPERATORS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "@": lambda a, b: a @ b,
}


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_with_numpy_arrays(symbol: str, relaxed: Any) -> None:
    function = OPERATORS[symbol]
    x, y = np.asarray([1.0, 2.0]), np.asarray([3.0, 1.5])
    for result in (function(xp.asarray(x), y), function(x, xp.asarray(y))):
        assert isinstance(result, xp.Array)
        same(result, function(x, y))


def test_numpy_scalars_count_as_python_scalars(relaxed: Any) -> None:
    x = xp.asarray([1.0, 2.0], dtype=xp.float32)
    for scalar in (np.float32(2), np.float64(2), np.int64(2)):
        assert (x * scalar).dtype is xp.float32
        assert (scalar * x).dtype is xp.float32


def test_numpy_functions_of_one_array() -> None:
    x = xp.asarray([0.5, 1.0])
    np.testing.assert_array_equal(np.sin(x), np.sin(to_numpy(x)))


# --- methods --------------------------------------------------------------------------------------

METHODS: dict[str, Any] = {
    "sum": lambda a: a.sum(axis=0),
    "prod": lambda a: a.prod(axis=1, keepdims=True),
    "max": lambda a: a.max(),
    "min": lambda a: a.min(axis=-1),
    "mean": lambda a: a.mean(),
    "std": lambda a: a.std(axis=0, ddof=1),
    "var": lambda a: a.var(),
    "any": lambda a: a.any(axis=0),
    "all": lambda a: a.all(),
    "argmax": lambda a: a.argmax(axis=1),
    "reshape": lambda a: a.reshape(3, 2),
    "reshape by a tuple": lambda a: a.reshape((6,)),
    "ravel": lambda a: a.ravel(),
    "flatten": lambda a: a.flatten(),
    "transpose": lambda a: a.transpose(),
    "transpose of axes": lambda a: a.transpose(1, 0),
    "astype": lambda a: a.astype(np.int32),
    "copy": lambda a: a.copy(),
    "clip": lambda a: a.clip(1.0, 3.0),
    "cumsum": lambda a: a.cumsum(axis=1),
    "round": lambda a: a.round(),
    "real": lambda a: (a + 1j).real,
    "imag": lambda a: (a + 1j).imag,
    "dot": lambda a: a.dot(a.transpose()),
    "view": lambda a: a.view(np.int64),
    "squeeze": lambda a: a[None, ...].squeeze(axis=0),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_as_in_numpy(name: str, relaxed: Any) -> None:
    x = np.asarray([[0.0, 1.5, 4.0], [2.5, 3.0, 1.0]])
    same(METHODS[name](xp.asarray(x)), METHODS[name](x))


def test_views_of_complex_numbers(relaxed: Any) -> None:
    x = np.asarray([1 + 2j, 3 - 4j])
    same(xp.asarray(x).view(float), x.view(float))
    same(xp.asarray(x.view(float)).view(complex), x)
    ours = xp.asarray(x.copy())
    ours.view(float)[0] = 9.0
    assert complex(ours[0]) == 9 + 2j


def test_what_arrays_say_of_themselves(relaxed: Any) -> None:
    x = xp.ones((2, 3), dtype=xp.int16)
    assert (x.nbytes, x.itemsize) == (12, 2)
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]
    assert x.item(0, 1) == 1
    with pytest.raises(TypeError, match="item: only an array of 0 dimensions"):
        x.item()
    assert f"{xp.asarray(1.25):.1f}" == "1.2"


# --- the options ----------------------------------------------------------------------------------


def test_default_float() -> None:
    assert xp.ones(1).dtype is xp.float32
    for given in ("float64", xp.float64):
        with xp.options(default_float=given):
            assert xp.ones(1).dtype is xp.float64
            assert xp.asarray([1.5]).dtype is xp.float64
            assert xp.asarray(1j).dtype is xp.complex128
            defaults = xp.__array_namespace_info__().default_dtypes()
            assert defaults["real floating"] is xp.float64
            assert defaults["complex floating"] is xp.complex128
    assert xp.ones(1).dtype is xp.float32
    with (
        pytest.raises(ValueError, match="must be float32 or float64"),
        xp.options(
            default_float="float16"  # type: ignore[arg-type]
        ),
    ):
        pass


def of_the_process() -> None:
    options = settings.current()
    assert (options.relaxed, options.default_float) == (True, "float64")
    assert options.host_fallback == "error"
    assert xp.ones(1).dtype is xp.float64
    assert (xp.asarray([1, 2]) * 0.5).sum() == 1.5  # as in NumPy from the import on


def test_the_environment_sets_options(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"RELAXED": "1", "DEFAULT_FLOAT": "float64", "HOST_FALLBACK": "error"}
    apart(of_the_process, env=os.environ | {f"ASCEND_ARRAY_API_{k}": v for k, v in chosen.items()})
    for value, relaxed in (("1", True), ("0", False), ("warn", "warn"), ("", False)):
        monkeypatch.setenv("ASCEND_ARRAY_API_RELAXED", value)
        assert settings._from_environment().relaxed == relaxed, value


@pytest.mark.parametrize(("variable", "value"), [("RELAXED", "maybe"), ("DEFAULT_FLOAT", "int8")])
def test_the_environment_is_checked(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ASCEND_ARRAY_API_{variable}", value)
    with pytest.raises(ValueError, match=f"ASCEND_ARRAY_API_{variable} must be"):
        settings._of_process()


# --- names besides the standard's -----------------------------------------------------------------


@pytest.mark.parametrize("k", [-2, 0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_diag(name: str, k: int) -> None:
    for x in (np.asarray([1, 0, 1], dtype=name), np.eye(3, 4, k, dtype=name)):
        same(xp.diag(xp.asarray(x), k), np.diag(x, k))


def test_logspace() -> None:
    with xp.options(default_float="float64"):
        same(xp.logspace(-3, 2, 7), np.logspace(-3, 2, 7))
        same(xp.logspace(0, 4, 4, base=2.0, endpoint=False), np.logspace(0, 4, 4, False, 2.0))


@pytest.mark.parametrize("dtype", [xp.float16, xp.bfloat16])
def test_linspace_in_half_precision(dtype: xp.DType) -> None:
    """Rounded once: a step that is rounded is half or twice as long."""
    for start, stop, count in ((0, 1, 65_521), (0, 1e-3, 33_000), (-6e4, 6e4, 7), (0.1, 0.3, 99)):
        exact = torch.linspace(start, stop, count, dtype=torch.float64)
        values = xp.linspace(start, stop, count, dtype=dtype)
        error = torch.abs(xp.to_torch(values).cpu().to(torch.float64) - exact)
        unit = torch.finfo(dtype).eps * exact.abs() + torch.finfo(dtype).smallest_normal
        assert (error <= 0.51 * unit + 1e-7 * max(abs(start), abs(stop))).all()


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_linspace_of_a_length_that_overflows(name: str) -> None:
    dtype, turn = getattr(xp, name), 1j if name[0] == "c" else 1
    large = np.float64(np.finfo(name).max)
    values = xp.linspace(-large * turn, large * turn, 5, dtype=dtype)
    expected = (np.asarray([-1, -0.5, 0, 0.5, 1]) * turn).astype(name) * np.finfo(name).max
    same(values, expected)


def test_linspace_ends_at_a_zero_with_its_sign() -> None:
    assert str(float(xp.linspace(1, -0.0, 10)[-1])) == "-0.0"
    assert str(float(xp.linspace(1, 0.0, 10)[-1])) == "0.0"
    assert str(float(xp.imag(xp.linspace(1, complex(0, -0.0), 10))[-1])) == "-0.0"
    assert float(xp.linspace(2, -0.0, 1)[0]) == 2


def test_a_step_beyond_the_data_type_leaves_the_first_number() -> None:
    same(xp.arange(0, 4, 10**30, dtype=xp.uint16), np.zeros(1, "uint16"))
    same(xp.arange(1, 0, 10**27, dtype=xp.int8), np.zeros(0, "int8"))
    same(xp.arange(0, 4, 1e300, dtype=xp.float16), np.zeros(1, "float16"))


def test_integers_that_no_floating_point_number_holds() -> None:
    with pytest.raises(OverflowError, match="1329 bits is out of bounds for float32"):
        xp.ones(2) + 10**400
    with pytest.raises(OverflowError, match="1329 bits is out of bounds for float32"):
        xp.linalg.pinv(xp.eye(2), rtol=10**400)


def test_linspace_of_integers_is_exact() -> None:
    """NumPy's is 1 less where a rounded quotient falls short of an integer."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        start, stop = (int(v) for v in rng.integers(-1000, 1000, 2))
        count, endpoint = int(rng.integers(0, 60)), bool(rng.integers(2))
        steps = count - endpoint
        exact = [start + (stop - start) * i // steps if steps else start for i in range(count)]
        values = xp.linspace(start, float(stop), count, dtype=xp.int64, endpoint=endpoint)
        same(values, np.asarray(exact, "int64"))
    assert int(xp.linspace(6, -9.0, 10, dtype=xp.int16)[3]) == 1


@pytest.mark.parametrize(
    ("dtype", "start", "stop"),
    [("uint64", 0, 2**64 - 1), ("int64", 0, 2**63 - 1), ("int64", -(2**63), 2**63 - 1)],
)
def test_linspace_of_integers_reaches_the_ends_of_their_data_type(
    dtype: str, start: int, stop: int
) -> None:
    made = xp.linspace(start, stop, 5, dtype=getattr(xp, dtype))
    expected = [start + (stop - start) * n // 4 for n in range(5)]
    assert [int(x) for x in made] == expected


def test_linspace_of_integers_rounds_down() -> None:
    for name in ("int8", "uint16", "int64"):
        same(
            xp.linspace(-3 if name[0] == "i" else 0, 7, 6, dtype=getattr(xp, name)),
            np.linspace(-3 if name[0] == "i" else 0, 7, 6, dtype=name),
        )


# --- every operator and function, of all pairs of data types --------------------------------------

BINARY = (
    "add subtract multiply divide floor_divide remainder pow maximum minimum hypot atan2 logaddexp "
    "copysign logical_and logical_or logical_xor bitwise_and bitwise_left_shift equal less fmod "
    "matmul heaviside"
)
UNARY = (
    "abs negative positive sign sqrt exp sin floor ceil trunc round square reciprocal isnan "
    "signbit logical_not bitwise_invert conj real imag sum prod mean std var max argmax any "
    "cumulative_sum diff sort argsort unique median count_nonzero rint fabs nansum"
)
SYMBOLS = "add sub mul truediv floordiv mod pow and_ xor lshift lt eq matmul".split()
OF_EACH = ["bool", "int8", "int64", "uint64", "float32", "float64", "complex64"]
ORDERED = "< less maximum minimum max argmax sort argsort median std var lt".split()
REASONS = {
    "complex numbers have no order, and no variance",
    "what NumPy refuses is answered",
    "Booleans in arithmetic are int64",
    "small integers become the default data type, and not float16",
    "the reciprocals of integers are no integers; rounded integers stay integers",
}


def outcome(function: Any, *operands: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            result = function(*operands)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        return error
    return result


def reason(name: str, given: list[str], got: Any, expected: Any) -> str | None:
    """Say why a result is not NumPy's; None where it is."""
    if isinstance(got, Exception):
        if isinstance(expected, Exception):
            return None
        assert name in ORDERED, (name, given, got)
        assert "complex64" in given, (name, given, got)
        return "complex numbers have no order, and no variance"
    if isinstance(expected, Exception):
        return "what NumPy refuses is answered"
    array = np.asarray(expected)
    dtype = dt.NAMES[got.dtype]
    if name in {"reciprocal", "rint", "round"} and dtype != array.dtype.name:
        return "the reciprocals of integers are no integers; rounded integers stay integers"
    if name in {"matmul", "diff"} and set(given) == {"bool"}:
        return "Booleans in arithmetic are int64"
    close = to_numpy(got).astype(complex), array.astype(complex)
    np.testing.assert_allclose(*close, rtol=1e-3 if array.dtype.itemsize < 8 else 1e-5)
    if dtype == array.dtype.name:
        return None
    if array.dtype == np.float16:
        assert dtype == "float64"
        return "small integers become the default data type, and not float16"
    assert set(given) <= {"bool", "bool_scalar", "int_scalar"}, (name, given, dtype, array.dtype)
    return "Booleans in arithmetic are int64"


def test_all_data_types_with_one_another(relaxed: Any) -> None:
    values = {d: np.asarray([1, 2, 3, 0 if d == "bool" else 5]).astype(d) for d in OF_EACH}
    scalars = {"bool_scalar": True, "int_scalar": 2, "float_scalar": 2.5}
    ours = {d: xp.asarray(v) for d, v in values.items()} | scalars
    theirs = {**values, **scalars}
    said = set()
    for a, b in itertools.product(values, {**values, **scalars}):
        for name in BINARY.split():
            if name != "matmul" or b in values:
                got = outcome(getattr(xp, name), ours[a], ours[b])
                said.add(
                    reason(name, [a, b], got, outcome(getattr(np, name), theirs[a], theirs[b]))
                )
        for name in SYMBOLS:
            function = getattr(operator, name)
            if name != "matmul" or b in values:
                got = outcome(function, ours[a], ours[b])
                said.add(reason(name, [a, b], got, outcome(function, theirs[a], theirs[b])))
                got = outcome(function, ours[b], ours[a])
                said.add(reason(name, [a, b], got, outcome(function, theirs[b], theirs[a])))
    for a, name in itertools.product(values, UNARY.split()):
        got = outcome(getattr(xp, name), ours[a])
        said.add(reason(name, [a], got, outcome(getattr(np, name), theirs[a])))
    assert said == {None, *REASONS}


@pytest.mark.parametrize("name", ["pos", "neg", "abs", "invert"])
def test_operators_of_one_operand_are_their_functions(relaxed: Any, name: str) -> None:
    """NumPy refuses ``+b`` and ``-b``; here they are int64, as other arithmetic of Booleans is."""
    functions = {"pos": xp.positive, "neg": xp.negative, "abs": xp.abs, "invert": xp.bitwise_invert}
    for dtype in ("bool", "int8", "float32", "complex64"):
        if name == "invert" and dtype in {"float32", "complex64"}:
            continue
        x = xp.asarray([1, 0, 1], dtype=getattr(xp, dtype))
        got, expected = getattr(operator, name)(x), functions[name](x)
        assert got.dtype == expected.dtype
        assert bool(xp.all(got == expected))


def test_numpys_functions_of_several_operands_that_the_namespace_lacks() -> None:
    special = pytest.importorskip("scipy.special")
    values = np.asarray([0.5, 1.5, 2.5])
    x = xp.asarray(values)
    with xp.options(relaxed=True, host_fallback="allow"):
        got = special.jv(1, x)
        assert isinstance(got, np.ndarray)
        np.testing.assert_array_equal(got, special.jv(1, values))
        np.testing.assert_array_equal(special.jv(values, x), special.jv(values, values))
        with pytest.raises(TypeError):
            special.jv(xp, x)
    with xp.options(relaxed=False), pytest.raises(
        TypeError, match=r"^jv: the namespace has no such function, .*relaxed=True\) allows it"
    ):  # fmt: skip
        special.jv(1, x)
