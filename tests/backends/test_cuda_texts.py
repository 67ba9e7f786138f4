"""The kernels for GPUs that are texts in C++, as the host's compiler makes them.

They are compared with mpmath, SciPy, NumPy and the standard's special cases.  Products and sums are
contracted to one rounding, as CUDA's compiler may do, and each night not.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.special
import torch.cuda.jiterator
from chapters.test_special import COUNT, needs_cuda, of, special_cases
from parametrize import listing
from samples import test_special_cases as cases
from samples.test_accuracy import COMPLEX_BOUNDS, complex_points, exact_values
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

import ascend_array_api as xp
from ascend_array_api._backends.cuda import _composed, _fused, special
from ascend_array_api._backends.cuda._composed import OneKernel, Program
from ascend_array_api._devices.device import spec_named
from ascend_array_api._routes._constants import repeated
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Row
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from ascend_array_api._torch.private import _named
from workshop.samples.special import ABSOLUTE, error, references
from workshop.samples.strategies import to_numpy, ulp_error

COMPILER = shutil.which("g++")
pytestmark = [
    pytest.mark.nightly,  # the compiler takes half a minute
    pytest.mark.skipif(COMPILER is None, reason="needs g++"),
]

SHIM = """
#include <math.h>
#include <cmath>
#include <complex>
#include <cstring>
static float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, 4); return x; }
static float __fmul_rn(float a, float b) { volatile float x = a * b; return x; }
static float __fdividef(float a, float b) { return a / b; }
static float __double2float_rn(double a) { return float(a); }
static double __dmul_rn(double a, double b) { volatile double x = a * b; return x; }
#ifdef __APPLE__
static void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
static void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
#endif
static double erfcx(double x) {
    if (x < 50) { return double(expl((long double)x * x) * erfcl(x)); }
    double s = 0.5 / x / x;
    return 0.5641895835477563 / x * (1 - s * (1 - s * (3 - s * 15)));
}
static double normcdfinv(double x) {
    if (!(x > 0 && x < 1)) { return x == 0 ? -INFINITY : x == 1 ? INFINITY : NAN; }
    long double low = -40, high = 40, tail = x < 0.5 ? x : 1 - x;
    for (int i = 0; i < 70; i++) {
        long double middle = (low + high) / 2;
        (erfcl(-middle * 0.70710678118654752440L) / 2 < tail ? low : high) = middle;
    }
    return double(x < 0.5 ? low : -low);
}
"""
"""What CUDA has and the host has not."""

TYPES = {
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long long",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}
CUDA = {name: spec_named(getattr(torch, name), "cuda:0") for name in ("float32", "float64")}


class Text(NamedTuple):
    """A kernel for a data type."""

    name: str
    dtype: str
    code: str
    operands: int
    before: tuple[Callable[..., Any], ...] = ()


GENERATED: dict[tuple[str, str], Row] = {
    (name, dtype): row
    for row in special.ROWS
    for name in row.ops.split()
    for dtype in sorted(map(dt.NAMES.__getitem__, row.dtypes))
}


@functools.cache
def generated(name: str, dtype: str) -> Text:
    route, operands = GENERATED[name, dtype].route, COUNT[name]
    assert isinstance(route, OneKernel)
    program = route.program(OPS[name], CUDA[dtype], operands)
    return Text(name, dtype, program.text, operands, tuple(program.before))


def by_hand() -> Iterator[Text]:
    for name in _fused._CODE:
        kinds = {"search_key": "int32 int64", **dict.fromkeys(REAL, "float32 float64")}
        for dtype in kinds.get(name, "complex64 complex128").split():
            code = _fused.code_of(name)
            parameters = re.search(r"xp_entry\((.*?)\)", code)
            assert parameters is not None
            yield Text(name, dtype, code, parameters[1].count(",") + 1)


REAL = ("floor_divide", "frequency", "one_nan", "remainder", "root", "sign")
BY_HAND = {(t.name, t.dtype): t for t in by_hand()}
Kernels = Callable[[Text], Callable[..., np.ndarray]]


def written(
    composition: Callable[..., Any], dtype: str = "float64", operands: int = 1, name: str = ""
) -> Text:
    """The text of a composition that is computed in the data type of its operands."""
    program = Program(composition, CUDA[dtype], operands, getattr(torch, dtype))
    return Text(name, dtype, program.text, operands, tuple(program.before))


def compile_texts(folder: Path, texts: list[Text], contraction: str) -> Kernels:
    source = [SHIM]
    for i, text in enumerate(texts):
        of, letters = TYPES[text.dtype], "abcde"[: text.operands + len(text.before)]
        source.append(f"namespace f{i} {{\n{text.code}\n}}")
        parameters = "".join(f", const {of}* {c}" for c in letters)
        call = ", ".join(f"{c}[i]" for c in letters)
        source.append(
            f'extern "C" void g{i}(long n, {of}* out{parameters}) '
            f"{{ for (long i = 0; i < n; i++) out[i] = f{i}::xp_entry({call}); }}"
        )
    (folder / "texts.cpp").write_text("\n".join(source))
    options = ["-std=c++17", "-O1", "-shared", "-fPIC", f"-ffp-contract={contraction}"]
    if contraction == "fast" and platform.machine() == "x86_64":
        options.append("-march=native")  # elsewhere the least processor has what contracts
    command = [str(COMPILER), *options, "texts.cpp", "-o", "texts.so"]
    run = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[:3000]
    library = ctypes.CDLL(str(folder / "texts.so"))
    numbers = {text: i for i, text in enumerate(texts)}

    def function(text: Text) -> Callable[..., np.ndarray]:
        entry = library[f"g{numbers[text]}"]

        def call(*operands: np.ndarray) -> np.ndarray:
            given = [np.ascontiguousarray(x, text.dtype) for x in np.broadcast_arrays(*operands)]
            for first in text.before:
                given.append(first(*map(torch.from_numpy, given[: text.operands])).numpy())
            out = np.empty_like(given[0])
            entry(out.size, *(ctypes.c_void_p(x.ctypes.data) for x in (out, *given)))
            return out

        return call

    return function


@pytest.fixture(scope="module", params=["fast", pytest.param("off", marks=pytest.mark.nightly)])
def host(request: Any, tmp_path_factory: Any) -> Kernels:
    folder = tmp_path_factory.mktemp(f"texts_{request.param}")
    return compile_texts(
        folder, [*itertools.starmap(generated, GENERATED), *BY_HAND.values()], request.param
    )


@listing("key", [*GENERATED, *BY_HAND])
def test_torch_finds_the_entry(key: tuple[str, str]) -> None:
    text = BY_HAND[key] if key in BY_HAND else generated(*key)
    for code in (text.code, text.code + _fused._WITH_SCALAR):
        made: Any = _named("torch.cuda.jiterator._create_jit_fn", "makes kernels")(code)
        assert made.kernel_name == ("xp_entry" if code is text.code else "xp_scalar")


def test_no_text_has_what_it_does_not_call() -> None:
    for text in BY_HAND.values():
        helpers = re.findall(r"(xp_\w+)\([^)]*\)\{", text.code)
        for helper in set(helpers) - {"xp_entry"}:
            assert len(re.findall(rf"\b{helper}\b", text.code)) > helpers.count(helper), text.name


# --- by hand --------------------------------------------------------------------------------------

TEXTS = {"sign": "sign_complex"}
"""The names of texts that are not those of functions."""
UNARY = sorted({n for n in COMPLEX_BOUNDS if (TEXTS.get(n, n), "complex64") in BY_HAND})


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", UNARY)
def test_complex_functions(name: str, dtype: str, host: Kernels) -> None:
    text, points = BY_HAND[TEXTS.get(name, name), dtype], complex_points(name, dtype)
    function = host(text)
    found = ulp_error(function(points), exact_values(name, points), dtype)
    assert found.max() <= COMPLEX_BOUNDS[name], points[found.argmax()]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", [*sorted(set(UNARY) - {"sign"}), "round"])
def test_complex_special_cases(name: str, dtype: str, host: Kernels) -> None:
    function, stated = host(BY_HAND[name, dtype]), cases.complex_rows(name, dtype)

    def apply(x: Any) -> Any:
        values = to_numpy(x)
        return xp.asarray(function(values).reshape(values.shape))

    cases.check_rows(stated, [cases.as_column(stated, dtype)], "contiguous", dtype, apply)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_division(name: str, dtype: str, host: Kernels) -> None:
    function, stated = (
        host(BY_HAND[name, dtype]),
        cases.rows(cases.REAL_BINARY[name], dtype, ("x1", "x2")),
    )

    def apply(x1: Any, x2: Any) -> Any:
        return xp.asarray(function(to_numpy(x1), to_numpy(x2)).reshape(x1.shape))

    columns = [cases.as_column(stated, dtype, i) for i in (0, 1)]
    cases.check_rows(stated, columns, "contiguous", dtype, apply)
    random = np.random.default_rng(1)
    a, b = (random.normal(size=(2, 5000)) * 4.0 ** random.uniform(-9, 9, (2, 5000))).astype(dtype)
    digits = 24 if dtype == "float32" else 53
    a[:1000] = np.floor(2.0 ** (digits - np.arange(1000) % 4 - 0.5)) * b[:1000]  # nearly whole
    expected = (np.floor_divide if name == "floor_divide" else np.remainder)(a, b)
    if name == "floor_divide":  # NumPy errs where it has all binary digits
        exact = [math.floor(Fraction(v) / Fraction(w)) for v, w in zip(a.tolist(), b.tolist())]
        known = np.abs(expected) < 2.0**digits
        expected = np.where(known, np.asarray(exact, "f8"), expected)
    np.testing.assert_array_equal(function(a, b), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_signs_roots_and_nan(dtype: str, host: Kernels) -> None:
    x = np.asarray([0.0, -0.0, 2.0, -2.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40], dtype)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(host(BY_HAND["sign", dtype])(x), np.sign(x))
        root = np.where(x == -np.inf, np.inf, np.sqrt(x) + 0.0)
    found = host(BY_HAND["root", dtype])(x)
    np.testing.assert_array_equal(found, root)
    assert not np.signbit(found[:2]).any()
    one = host(BY_HAND["one_nan", dtype])(x)
    np.testing.assert_array_equal(one, x)
    assert len(set(one[np.isnan(one)].tobytes()[: one.itemsize * 2])) <= one.itemsize
    bits = host(BY_HAND["search_key", dtype.replace("float", "int")])(x.view(f"i{x.itemsize}"))
    order = np.argsort(x, kind="stable")
    assert np.all(np.diff(bits[order].astype(object)) >= 0)
    assert bits[0] == bits[1]
    assert bits[6] == bits[7] == bits.max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_frequencies(dtype: str, host: Kernels) -> None:
    for size in (1, 2, 7, 8, 1001):
        places, length = np.arange(size), np.asarray(size * 0.375)
        last = np.asarray((size - 1) // 2)
        found = host(BY_HAND["frequency", dtype])(places, last, np.asarray(size), length)
        order = np.rint(np.fft.fftfreq(size, 1 / size)).astype(int).tolist()
        exact = [float(Fraction(k) / Fraction(float(length))) for k in order]
        np.testing.assert_array_equal(found, np.asarray(exact).astype(dtype))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_of_the_largest_and_the_least(dtype: str, host: Kernels) -> None:
    info = np.finfo(dtype)
    sizes = np.asarray([info.max, info.max / 2, 1.0, info.tiny, info.smallest_subnormal * 4])
    values = ((3 - 4j) / 4 * sizes).astype(dtype)
    found = host(BY_HAND["sign_complex", dtype])(np.append(values, 0))
    np.testing.assert_allclose(found, [0.6 - 0.8j] * len(sizes) + [0], rtol=3 * info.eps)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_arithmetic(dtype: str, host: Kernels) -> None:
    random = np.random.default_rng(2)
    x, y = (random.normal(size=(2, 500)) + 1j * random.normal(size=(2, 500))).astype(dtype)
    eps = np.finfo(dtype).eps
    np.testing.assert_array_equal(host(BY_HAND["add", dtype])(x, y), x + y)
    np.testing.assert_array_equal(host(BY_HAND["subtract", dtype])(x, y), x - y)
    for n in (0, 1, 2, 3, -1, 0.5):
        found = host(BY_HAND["pow", dtype])(x, np.asarray(n, dtype))
        np.testing.assert_allclose(found, x.astype("G") ** n, rtol=40 * eps)
    assert host(BY_HAND["pow", dtype])(np.asarray([3j], dtype), np.asarray([2], dtype))[0] == -9


# --- generated ------------------------------------------------------------------------------------

FLOAT = {
    **dict.fromkeys(("cosm1", "exp10", "huber", "log_ndtr", "logit", "rel_entr"), 2.5),
    "gammaln": 5.0,
}
"""Bounds of what is computed in float32 for float32; that of gammaln is the host's function."""


@pytest.mark.one_each
@pytest.mark.parametrize("key", GENERATED, ids=" ".join)
def test_near_mpmath(key: tuple[str, str], host: Kernels) -> None:
    name, dtype = key
    operands, _ = references(name, dtype)
    allowed = 8.0 if dtype == "float64" else FLOAT.get(name, 1.0)
    assert error(name, host(generated(*key))(*operands), dtype) <= allowed


@pytest.mark.one_each
@pytest.mark.parametrize("key", GENERATED, ids=" ".join)
def test_special_cases_are_scipys(key: tuple[str, str], host: Kernels) -> None:
    name, dtype = key
    operands, expected, usual = special_cases(name, dtype)
    if name in ("i1", "i1e"):  # SciPy's are 0 for -0
        usual = ~((operands[0] == 0) & np.signbit(operands[0]))
    found = host(generated(*key))(*operands)
    rtol = 1e-5 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(found[usual], expected[usual], rtol=rtol, atol=1e-15)
    zero = usual & (found == 0) & (expected == 0) & (np.abs(operands[0]) == 0)
    if COUNT[name] == 1:
        np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


def drawn(name: str, count: int) -> tuple[np.ndarray, ...]:
    """Operands of float32 in many binades, near whole numbers and near each other."""
    random = np.random.default_rng(3)
    size = 2.0 ** random.uniform(-30, 12, (2, count))
    x, y = size * random.choice((-1, 1), (2, count))
    x[::3] = np.round(x[::3]) + 2.0 ** random.uniform(-20, -1, len(x[::3]))
    x[1::3] = random.uniform(-12, 40, len(x[1::3]))
    y[::2] = x[::2] * random.uniform(0.5, 1.5, len(y[::2]))
    columns = [x, y][: COUNT[name]]
    if name in POSITIVE:
        columns = [np.abs(c) for c in columns]
    return tuple(c.astype("float32") for c in columns)


def kl_div(x: np.ndarray, y: np.ndarray) -> Any:
    """The function of float64, for float32: SciPy's cancels."""
    t = (y - x) / x
    series = sum((-t) ** k / (k + 2) for k in range(12))
    return np.where(np.abs(t) < 0.01, x * t * t * series, scipy.special.kl_div(x, y))


POSITIVE = {"boxcox", "boxcox1p", "chdtr", "chdtrc", "gammainc", "gammaincc", "kl_div", "rel_entr"}


def drawn_for_beta(name: str, count: int) -> tuple[np.ndarray, ...]:
    """Operands of a function of the incomplete beta function, and its operands for SciPy."""
    random = np.random.default_rng(5)
    a, b = (2.0 ** random.uniform(-12, 17, (2, count))).astype("float32")
    if name in {"bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri"}:
        a, b = 1 + np.floor(a), 1 + np.floor(b)
    if name.startswith("stdtr"):
        b = np.full_like(b, 0.5)
    wide_a, wide_b = a.astype("float64"), b.astype("float64")
    mean = wide_a / (wide_a + wide_b)
    spread = np.sqrt(mean * (1 - mean) / (wide_a + wide_b + 1))
    x = mean + spread * random.normal(size=count) * random.choice((0.1, 1.0, 5.0), count)
    x[::5] = random.uniform(0, 1, x[::5].size)
    x[1::5] = 2.0 ** random.uniform(-60, -1, x[1::5].size)
    x[2::5] = 1 - 2.0 ** random.uniform(-24, -1, x[2::5].size)
    x = np.where((x > 0) & (x < 1), x, 0.5)
    return a, b, x.astype("float32")


def in_terms_of_beta(
    name: str, a: np.ndarray, b: np.ndarray, x: np.ndarray
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Operands of float32 and the value of a function of which betainc has the operands."""
    lower, upper = scipy.special.betainc, scipy.special.betaincc
    p, q, y = (t.astype("float64") for t in (a, b, x))
    if name in {"betainc", "betaincc"}:
        return (a, b, x), getattr(scipy.special, name)(p, q, y)
    if name in {"bdtr", "bdtrc"}:
        return (a - 1, a - 1 + b, x), (upper if name == "bdtr" else lower)(p, q, y)
    if name in {"nbdtr", "nbdtrc"}:
        return (b - 1, a, x), (lower if name == "nbdtr" else upper)(p, q, y)
    if name in {"fdtr", "fdtrc"}:
        odds = (y / (1 - y) * (q / p)).astype("float32")
        share, rest = p * odds / (q + p * odds), q / (q + p * odds)
        near = lower(p, q, share) if name == "fdtr" else upper(p, q, share)
        far = upper(q, p, rest) if name == "fdtr" else lower(q, p, rest)
        return (2 * a, 2 * b, odds), np.where(share < 0.5, near, far)
    assert name == "stdtr"
    t = (np.sqrt(2 * p) * np.sqrt((1 - y) / y) * np.where(a < 1, -1, 1)).astype("float32")
    square = t.astype("float64") ** 2
    share, rest = 2 * p / (2 * p + square), square / (2 * p + square)
    tail = 0.5 * np.where(share < 0.5, lower(p, q, share), upper(q, p, rest))
    return (2 * a, t), np.where(t < 0, tail, 1 - tail)


BETAS = {*("bdtr", "bdtrc", "betainc", "betaincc", "fdtr", "fdtrc", "nbdtr", "nbdtrc", "stdtr")}
"""What is made of the incomplete beta function."""


def check_beta(name: str, function: Callable[..., np.ndarray], n: int = 20_000) -> None:
    """Compare a function of float32 with SciPy's of float64."""
    with np.errstate(all="ignore"):
        operands, exact = in_terms_of_beta(name, *drawn_for_beta(name, n))
        found = function(*operands)
        rounded = exact.astype("float32")
        distance = np.abs(found - exact) / np.spacing(np.abs(rounded))
    usual = np.isfinite(rounded) & np.isfinite(exact) & (np.abs(exact) > 1e-300)
    assert usual.mean() > 0.6
    worst = distance[usual].argmax()
    assert distance[usual][worst] <= 1.0, [x[usual][worst] for x in (*operands, found, exact)]


@pytest.mark.parametrize("name", sorted(BETAS))
def test_incomplete_beta_functions_as_scipys_float64_rounded(name: str, host: Kernels) -> None:
    check_beta(name, host(generated(name, "float32")))


GAMMAS = {
    "gdtr": lambda a, x: ((a * 0 + 2, a, x / 2), scipy.special.gammainc(a, x)),
    "gdtrc": lambda a, x: ((a * 0 + 2, a, x / 2), scipy.special.gammaincc(a, x)),
}
"""What is made of the incomplete gamma functions: operands, and the values by SciPy."""


@pytest.mark.parametrize("name", GAMMAS)
def test_functions_of_incomplete_gamma_functions(name: str, host: Kernels) -> None:
    random = np.random.default_rng(6)
    a = 2.0 ** random.uniform(-6, 12, 5000)
    x = a + np.sqrt(a) * random.normal(size=5000) * 3
    a, x = (np.abs(t).astype("float32").astype("float64") for t in (a, x))
    operands, exact = GAMMAS[name](a, x)
    found = host(generated(name, "float32"))(*operands)
    rounded = exact.astype("float32")
    usual = (np.abs(rounded) > np.finfo("float32").tiny) & np.isfinite(rounded)
    assert usual.mean() > 0.6
    distance = np.abs(found - exact) / np.spacing(np.abs(rounded))
    assert distance[usual].max() <= 1.0


@needs_cuda
@pytest.mark.parametrize("name", sorted(BETAS))
def test_incomplete_beta_functions_on_gpus(name: str) -> None:
    check_beta(name, partial(of, name, device="cuda:0"), 2**16)


class Calls(TorchDispatchMode):
    """The operations of torch that compute something."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if "empty" not in str(func):
            self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@needs_cuda
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(BETAS))
def test_incomplete_beta_functions_take_one_kernel_on_gpus(name: str, dtype: str) -> None:
    function = getattr(xp.special, name)
    few = [xp.asarray(x[:5], device="cuda:0") for x in references(name, dtype)[0]]
    many = [xp.repeat(x, 2**15) for x in few]
    found = function(*many)
    with Calls() as calls:
        function(*many)
    assert not calls.names
    expected = np.repeat(np.asarray(function(*few).to_device("cpu")), 2**15)
    np.testing.assert_allclose(found.to_device("cpu"), expected, rtol=1e-5)


@needs_cuda
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(BETAS))
def test_special_cases_of_incomplete_beta_functions_on_gpus(name: str, dtype: str) -> None:
    operands, expected, usual = special_cases(name, dtype)
    found = of(name, *operands, device="cuda:0")
    rtol = 1e-5 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(found[usual], expected[usual], rtol=rtol, atol=1e-15)


@pytest.mark.parametrize(
    "name", sorted({n for n, d in GENERATED if d == "float32"} - BETAS - {*GAMMAS})
)
def test_float32_as_scipys_float64_rounded(name: str, host: Kernels) -> None:
    operands = drawn(name, 30000)
    with np.errstate(all="ignore"):
        wide = [x.astype("float64") for x in operands]
        exact = kl_div(*wide) if name == "kl_div" else getattr(scipy.special, name)(*wide)
        found = host(generated(name, "float32"))(*operands)
        rounded = exact.astype("float32")
        unit = np.spacing(np.maximum(np.abs(rounded), name in ABSOLUTE, dtype="float32"))
        distance = np.abs(found - exact) / unit
    usual = np.isfinite(rounded) & np.isfinite(exact)
    assert distance[usual].max() <= FLOAT.get(name, 1.0)
    if name != "betaln":  # SciPy's overflows
        np.testing.assert_array_equal(found[~usual], rounded[~usual])


# --- how compositions are written -----------------------------------------------------------------

SCALARS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 1e-30, 3e38, np.inf, -np.inf, np.nan]


def abs_over(x: Any) -> Any:
    return 1 / torch.abs(x) / 3.0


def random_loop(like: Any, random: Any, a: Any, b: Any, outer: Any, truth: Any) -> Any:
    """Repeat steps that use what is outside, and of which one repeats others."""
    table, inside, rows = random.choice([0.5, -1.0, 3.0], 3).tolist(), *random.random(2)

    def inner(row: float, power: float, part: Any, first: Any) -> Any:
        return torch.where(truth, (part - first) * row, part / power), first

    def step(row: float, first: Any, second: Any) -> Any:
        if rows < 0.5:
            row = 0.5
        if inside < 0.5:
            part, _ = repeated(like, inner, (second, first), table, range(2, 5))[::-1]
            return torch.where(first < outer, part, outer / 7.0), first + outer * row
        return torch.where(first < outer, second * row, outer / 7.0), first

    return repeated(like, step, (a, b), range(3))


def random_composition(seed: int) -> Callable[..., Any]:
    """Steps that are rounded correctly, so that the results are torch's to the last bit."""

    def composition(x: Any, y: Any) -> Any:
        random = np.random.default_rng(seed)
        numbers, truths = [x, y, torch.full_like(x, 0.75)], [x < y, x == x]

        def late(made: list[Any]) -> Any:
            return made[-1 - min(int(random.exponential(4)), len(made) - 1)]

        def operand() -> Any:
            return late(numbers) if random.random() < 0.8 else float(random.choice(SCALARS))

        for _ in range(30):
            kind, a, b = random.integers(13), late(numbers), operand()
            p, q = late(truths), late(truths)
            if kind < 4:
                numbers.append((a + b, b - a, a * b, a / late(numbers))[kind])
            elif kind < 7:
                numbers.append(torch.where(p, a, b) if kind < 6 else torch.where(q, b, a))
            elif kind < 9:
                chosen = (abs_over, torch.abs, torch.floor, torch.round)[random.integers(4)](a)
                sign = late(numbers)
                sign = torch.where(sign == sign, sign, 1.0)  # the sign of NaN is nobody's
                numbers.append(torch.copysign(chosen, sign) if kind == 8 else -chosen)
            elif kind == 12:
                numbers += random_loop(x, random, a, b, late(numbers), p)
            elif kind == 9:
                truths.append((a < b, a >= b, a != b, a <= b)[random.integers(4)])
            else:
                truths.append((p & q, p | q, ~p, torch.where(p, q, ~q))[random.integers(4)])
        return torch.where(late(truths), numbers[-1], numbers[-2])

    return composition


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_texts_compute_what_compositions_do(dtype: str, tmp_path: Path) -> None:
    made = [random_composition(seed) for seed in range(60)]
    texts = [written(c, dtype, 2, f"{i}") for i, c in enumerate(made)]
    assert sum("if(" in text.code for text in texts) > 10
    assert sum(text.code.count("for(") > 1 for text in texts) > 10
    assert sum("break" in text.code for text in texts) > 3
    kernels = compile_texts(tmp_path, texts, "off")
    values = np.asarray([*SCALARS, 0.5, 7.0, -1e-3, 1e10], dtype)
    x, y = (v.ravel() for v in np.meshgrid(values, values))
    for composition, text in zip(made, texts, strict=True):
        expected = composition(torch.from_numpy(x), torch.from_numpy(y)).numpy()
        found = kernels(text)(x, y)
        np.testing.assert_array_equal(found, expected, text.code)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known])


def test_a_side_is_computed_where_it_is_taken() -> None:
    def composition(x: Any) -> Any:
        small = x < 1
        near, far = torch.where(small, x, 0.5), torch.where(small, 2.0, x)
        return torch.where(small, torch.exp(near) - x, torch.log(far) * torch.exp(-far))

    code = written(composition).code
    assert code.endswith("{double b=a;if(b<1.){return ::exp(b)-b;}return ::log(b)*::exp(-b);}")
    shared = written(lambda x: torch.where(x < 1, torch.exp(x), 1 / torch.exp(x))).code
    assert shared.count("::exp") == 1
    assert "if(" not in shared


def test_what_is_repeated_is_written_once() -> None:
    def composition(x: Any) -> Any:
        (y,) = repeated(x, lambda k, y: (y + k * torch.exp(x),), (0.0,), range(1, 40))
        return y

    code = written(composition).code
    assert code.endswith(
        "{double b=a,c=::exp(b),d=0.0;for(double e=1;e<40;e++){d=d+e*c;}return d;}"
    )

    def converging(x: Any) -> Any:
        small = x < 1
        (y,) = repeated(x, lambda _, y: (0.5 * (y + x / y),), (x,), range(9))
        return torch.where(small, x, y)

    code = written(converging).code
    assert code.endswith(
        "double c=b;for(int d=0;d<9;d++){double e=.5*(c+b/c);if(c==e&&c!=0)break;c=e;}return c;}"
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_are_written_whole(dtype: str) -> None:
    random = np.random.default_rng(4)
    bits = np.dtype(dtype).itemsize * 8
    drawn = random.integers(0, 2**63, 500, dtype="u8").astype(f"u{bits // 8}").view(dtype)
    for value in [0.1, 1e-8, 5e-324, 1e300, 123456789.0, 100.0, *map(float, drawn)]:
        code = written(lambda x, value=value: x - value, dtype).code
        found = re.search(r"return b-\(?(\S*?)f?\)?;}", code)
        assert found is not None
        with np.errstate(over="ignore"):
            if np.isfinite(np.asarray(value, dtype)):
                assert np.asarray(float(found[1]), dtype) == np.asarray(value, dtype), code
            else:
                assert "=__int_as_float(0x7f" in code


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no function of CUDA's for torch\.special_i0e"):
        written(lambda x: torch.special.i0e(2 * x))
    with pytest.raises(TypeError, match=r"no function of CUDA's for torch\.stack"):
        written(lambda x: torch.stack((x, x)))
    with pytest.raises(TypeError, match=r"gamma is computed in torch\.float64"):
        written(OPS["gamma"], "float32")
    with pytest.raises(TypeError, match="asks for the values"):
        written(lambda x: x if x > 0 else -x)


def test_kernels_take_the_composition_where_they_must(monkeypatch: Any) -> None:
    launched = []

    def made(generator: Any, code: str) -> Any:
        return lambda *tensors: launched.append((code, tensors)) or tensors[-1]

    op, spec = OPS["gammainc"], CUDA["float64"]
    kernel = OneKernel().kernel(op, spec)
    a, x = torch.tensor([2.5, 30.0]).double(), torch.tensor([2.0, 31.0]).double()
    exact = scipy.special.gammainc(a.numpy(), x.numpy())
    np.testing.assert_allclose(kernel(a, x), exact, rtol=1e-13)  # on the host
    monkeypatch.setattr(_composed, "jit_kernel", made)
    monkeypatch.setattr(_composed, "plain", lambda *tensors: not tensors[1].requires_grad)
    for _ in range(2):
        assert torch.equal(kernel(a, x), torch.special.gammainc(a, x))
    (code, tensors), again = launched
    assert tensors[0] is a
    assert tensors[1] is x
    assert len(tensors) == 3
    assert code is again[0]  # written once
    result = kernel(a, x.requires_grad_())
    assert result.requires_grad
    np.testing.assert_allclose(result.detach(), exact, rtol=1e-13)
    assert len(launched) == 2


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize("operands", [1, 2])
def test_kernels_are_for_plain_tensors_of_gpus(operands: int, monkeypatch: Any) -> None:
    launched = []

    def kernel(*tensors: torch.Tensor) -> torch.Tensor:
        launched.append(tensors)
        return -tensors[0]

    composition = torch.exp if operands == 1 else torch.mul
    function = _fused.where_plain(lambda: kernel, composition, operands)
    x = torch.tensor([1.0, 2.0])
    given = (x,) * operands
    expected = composition(*given)
    assert torch.equal(function(*given), expected)  # of the CPU
    assert not launched
    monkeypatch.setattr(torch.Tensor, "is_cuda", property(lambda _: True), raising=False)
    assert torch.equal(function(*given), -x)
    assert len(launched) == 1
    tracked, parameter = x.clone().requires_grad_(), torch.nn.Parameter(x, requires_grad=False)
    for other in (tracked, parameter):
        for place in range(operands):
            assert torch.equal(
                function(*(other if i == place else x for i in range(operands))), expected
            )
    axes = ((0, None), (None, 0), (0, 0)) if operands == 2 else (0,)
    for each in axes:
        made = torch.vmap(function, each)(*given)
        assert torch.equal(made, torch.vmap(composition, each)(*given))
    gradient = torch.func.grad(lambda t: function(*(t,) * operands).sum())(x)
    assert torch.equal(gradient, expected if operands == 1 else 2 * x)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, x)
        assert forward_ad.unpack_dual(function(*(dual,) * operands)).tangent is not None
    assert len(launched) == 1
