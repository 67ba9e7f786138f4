"""Compiled code on NPUs: by torch_npu's Inductor and DVM, and the launches that this saves.

The real Inductor of torch_npu fuses and the real DVM compiles; the emulated CANN computes what the
programs say.  So these tests show what is fused and that it is right, not how fast it is.
"""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from npu import QUIET_TORCH_NPU, ROOT, needs_emulator, script  # isort: skip  # before others

import ascend_array_api as xp
from ascend_array_api._torch import torch
from tests.parametrize import nightly
from tests.samples import test_compile as compiled
from workshop.samples import FUNCTIONS

pytestmark = [QUIET_TORCH_NPU, needs_emulator]

needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None,
    reason="Inductor asks for a Triton: pip install triton-ascend pybind11",
)

HEAD = """
import json, warnings
import numpy as np
warnings.simplefilter("ignore")  # of torch and torch_npu

def counted(function, *arrays):
    '''Compile a function: its results without and with that, and the kernels of both.'''
    torch._dynamo.reset()
    with emulator.counting() as eager:
        expected = function(*arrays)
    compiled = torch.compile(function, fullgraph=True)
    compiled(*arrays)
    with emulator.counting() as counts:
        result = compiled(*arrays)
    assert not counts.fallbacks and not counts.to_host[0] and not emulator.failures, counts
    kernels = counts.by_kernel()
    return expected, result, (eager.kernels.total(), kernels.pop("dvm", 0), kernels.total())
"""

PAGE = (ROOT / "docs" / "transformations.md").read_text(encoding="utf-8")
SHOWN = PAGE.partition("<!-- begin fused -->\n")[2].partition("<!-- end fused -->")[0]
CHAINS = [
    tuple(map(int, row))
    for row in re.findall(r"^\| .* \| (\d+) \| (\d+) \| (\d+) \|$", SHOWN, re.MULTILINE)
]
"""The numbers of the page, in the order of the functions below."""

PROGRAM = """
def root(xp, x):
    return xp.sqrt(xp.abs(x)) * 2.0 + x

def polynomial(xp, x):
    return ((x * 3.0 + 2.0) * x - 1.0) * x + xp.square(x)

def standardised(xp, x):
    return xp.tanh((x - xp.mean(x)) / xp.std(x)) * 2.0 + 1.0

def softmax(xp, x):
    e = xp.exp(x - xp.max(x))
    return e / xp.sum(e)

def piecewise(xp, x):
    return xp.where(x > 0, xp.sqrt(xp.where(x > 0, x, 1.0)), 0.0) + xp.minimum(x, 1.0)

def exponents(xp, x):
    return xp.hypot(x, x) + xp.logaddexp(x, x)

def functions(xp, x):
    return xp.log1p(xp.abs(x)) - xp.expm1(x) + xp.sin(x)

def integers(xp, x):
    i = xp.astype(x, xp.int32)
    return i * 3 + i // 2 - xp.abs(i)

def rows(xp, x):
    m = xp.reshape(x, (20, 50))
    deviation = xp.sqrt(xp.var(m, axis=1, keepdims=True) + 1e-5)
    return (m - xp.mean(m, axis=1, keepdims=True)) / deviation

launches = []
x = np.linspace(-3, 5, 1000, dtype=np.float32)
for f in (root, polynomial, standardised, softmax, piecewise, exponents, functions, integers, rows):
    _, result, counts = counted(lambda a, f=f: f(xp, a), xp.asarray(x))
    launches.append(counts)
    expected = f(np, x.astype(np.float64))
    found = np.asarray(xp.to_torch(result).cpu())
    wrong = np.abs(found - expected).max() / np.maximum(np.abs(expected), 1).max()
    assert wrong <= (0 if f is integers else 2**-20), (f.__name__, wrong)
print(json.dumps(launches))
"""


@needs_triton
def test_chains_are_fused() -> None:
    printed = script(HEAD + PROGRAM, timeout=500, TORCHINDUCTOR_NPU_BACKEND="dvm")
    found = [tuple(counts) for counts in json.loads(printed.splitlines()[-1])]
    assert found == CHAINS, found


CALLS = """
import inspect

def operands(name, dtype):
    x, y = np.linspace(-3, 5, 64), np.linspace(0.5, 4, 64)
    kinds = inspect.signature(getattr(xp, name)).parameters.values()
    n = sum(p.kind is p.POSITIONAL_ONLY and p.default is p.empty for p in kinds)
    return [xp.asarray(a.astype(dtype)) for a in (x, y)[:n]]

right = []
for name, dtype in {cells!r}:
    function, arrays = getattr(xp, name), operands(name, dtype)
    with xp.options(relaxed=True):  # there a quotient of integers by 0 has a result
        expected, result, launches = counted(lambda *given, f=function: f(*given), *arrays)
    assert result.dtype == expected.dtype, name
    expected, result = (np.asarray(xp.to_torch(a).cpu()) for a in (expected, result))
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7, err_msg=name)
    right.append((name, dtype, *launches))
print(json.dumps(right))
"""


CELLS = [
    (name, dtype)
    for name, function in FUNCTIONS.items()
    if function.chapter == "elementwise_functions"
    for dtype in ("float32", "int32")
    if dtype in function.dtypes
]


@needs_triton
@pytest.mark.nightly
@pytest.mark.parametrize("part", range(8))
def test_all_functions_are_right_when_they_are_fused(part: int) -> None:
    text = HEAD + CALLS.replace("{cells!r}", repr(CELLS[part::8]))
    printed = script(text, timeout=900, TORCHINDUCTOR_NPU_BACKEND="dvm")
    right = [(name, dtype) for name, dtype, *_ in json.loads(printed.splitlines()[-1])]
    assert right == CELLS[part::8]


SERIES = """
x, y = xp.linspace(0.5, 5, 64), xp.linspace(0.1, 9, 64)
expected, result, (_, fused, other) = counted(xp.special.gammainc, x, y)
expected, result = (np.asarray(xp.to_torch(a).cpu()) for a in (expected, result))
np.testing.assert_allclose(result, expected, rtol=1e-5)
assert (fused, other) <= (5, 1), (fused, other)
"""


@needs_triton
def test_series_and_fractions_are_fused() -> None:
    script(HEAD + SERIES, timeout=300, TORCHINDUCTOR_NPU_BACKEND="dvm")


COMPOSED = """
def close(result, expected, units, *terms):
    # As near as some units in the last place, with the same special values and signs.
    rounded = expected.astype(np.float32)
    assert np.array_equal(np.isnan(result), np.isnan(rounded))
    usual = np.isfinite(rounded) & (np.abs(rounded) > 2.0**-126)
    size = np.max(np.abs([rounded, *terms]), axis=0)[usual]  # of sums that may cancel, the terms'
    error = np.abs(result[usual] - expected[usual]) / np.spacing(size)
    assert not usual.any() or error.max() <= units, (error.max(), units)
    rest = ~usual & ~np.isnan(rounded)
    near = np.abs(rounded) <= 2.0**-126
    assert np.all((result == rounded)[rest] | near[rest] & (np.abs(result[rest]) <= 2.0**-125))
    assert np.array_equal(np.signbit(result[rest]), np.signbit(rounded[rest]))

def kernels(function, *arrays):
    arrays = [xp.asarray(a) for a in arrays]
    expected, result, launches = counted(lambda *given: function(*given), *arrays)
    assert result.dtype == expected.dtype
    return np.asarray(xp.to_torch(result).cpu()), launches[1:]

rng = np.random.default_rng(0)
special = [0.0, -0.0, 1.0, -1.0, -0.5, 0.5, 1.5, 2.5, -2.5, 3.0, np.inf, -np.inf, np.nan, 2.0**-24]
special += [2.0**23 - 0.5, 2.0**31, -(2.0**31), 3e38, -3e38, 1e-30, -1e-7]
x = np.concatenate([rng.uniform(-4, 4, 400), np.exp(rng.uniform(-40, 40, 200)), special])
x = x.astype(np.float32)
y = np.concatenate([rng.uniform(-9, 9, 600), rng.permutation(special)]).astype(np.float32)
edges = [0, 1, 2, 3, 17, 255, 256, 65535, 65536, 2**24 - 1, 2**24 + 1, 2**30, 2**31 - 1, 2**31 - 65]
edges = np.unique(edges + [-e for e in edges] + [-(2**31)])
i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(edges, edges))
wide, narrow = rng.integers(-(2**31), 2**31, (2, 500), dtype=np.int64)
i = np.concatenate([i, wide]).astype(np.int32)
j = np.concatenate([j, narrow >> rng.integers(0, 31, 500)]).astype(np.int32)
j = np.where((i == -(2**31)) & (j == -1), 3, j).astype(np.int32)
count = (j & 31).astype(np.int32)

launches = {}
with np.errstate(all="ignore"):
    for name, units, *arrays in (
        ("log1p", 3, x), ("expm1", 3, x), ("floor", 0, x), ("ceil", 0, x), ("trunc", 0, x),
        ("round", 0, x), ("hypot", 2, x, y), ("logaddexp", 2, x, y), ("pow", 1, x, y),
    ):
        expected = getattr(np, name)(*(a.astype(np.float64) for a in arrays))
        result, launches[name] = kernels(getattr(xp, name), *arrays)
        try:
            terms = [np.maximum(*arrays)] if name == "logaddexp" else []
            close(result, expected, units, *terms)
        except AssertionError as error:
            raise AssertionError(name) from error
for name, a in (
    ("floor_divide", j), ("remainder", j), ("bitwise_and", j), ("bitwise_or", j),
    ("bitwise_xor", j), ("bitwise_right_shift", count),
):
    with xp.options(checks="off"), np.errstate(divide="ignore"):  # quotients by 0 are 0
        result, launches[name] = kernels(getattr(xp, name), i, a)
        assert np.array_equal(result, getattr(np, name.replace("bitwise_r", "r"))(i, a)), name
for mask in (255, 2**20 - 1, 2**31 - 1):
    result, launches[f"& {mask}"] = kernels(lambda a, mask=mask: a & mask, i)
    assert np.array_equal(result, i & mask), mask
a, b, c = (x[k : k + 12].reshape(3, 4) for k in (0, 12, 24))
for axis in (0, -1):
    stack = lambda *s, axis=axis: xp.stack(s, axis=axis) * 1.0
    result, launches[f"stack {axis}"] = kernels(stack, a, b, c)
    assert np.array_equal(result, np.stack([a, b, c], axis=axis)), axis
for k in (0, 2):
    result, launches[f"eye {k}"] = kernels(lambda a, k=k: a + xp.eye(3, 4, k=k), a)
    assert np.array_equal(result, a + np.eye(3, 4, k=k, dtype=np.float32)), k
print(json.dumps(launches))
"""


@needs_triton
def test_functions_that_dvm_lacks_are_fused() -> None:
    """They give NumPy's results, special values and signs of zeros included, in one kernel each."""
    printed = script(HEAD + COMPOSED, timeout=900, TORCHINDUCTOR_NPU_BACKEND="dvm")
    launches = json.loads(printed.splitlines()[-1])
    assert {name: counts for name, counts in launches.items() if counts != [1, 0]} == {}


TRANSFORMED = """
rng = np.random.default_rng(0)
x, y = rng.uniform(0.2, 3, (2, 3, 4)).astype(np.float32)
i, j = rng.integers(-300, 300, (2, 3, 4)).astype(np.int32)
floats = {
    "log1p": (xp.log1p, x), "pow": (xp.pow, x, y), "hypot": (xp.hypot, x, y),
    "round": (lambda a: xp.round(a) * a, x), "nan_to_num": (lambda a: xp.nan_to_num(a) * a, x),
    "stack": (lambda a, b: xp.stack([a, b]) * 2, x, y),
    "eye": (lambda a: xp.matmul(a, xp.eye(4)), x),
}
integers = {
    ">>": (lambda a, b: a >> (b & 31), i, j), "&": (lambda a, b: a & b, i, j),
    "//": (lambda a, b: a // b + a % b, i, j),
}

def loss(function, *operands):
    return xp.to_torch(xp.sum(xp.square(function(*operands))))

def of_all(function, *arrays):
    arrays = [xp.asarray(a) for a in arrays]
    expected = function(*arrays)
    torch._dynamo.reset()
    result = torch.compile(function)(*arrays)
    for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (result, expected))):
        a, b = (xp.to_torch(xp.asarray(v)).detach().cpu().numpy() for v in (a, b))
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-6, err_msg=name)

def gradients(function, *arrays):
    tensors = [torch.tensor(a, device="npu:0", requires_grad=True) for a in arrays]
    return torch.autograd.grad(loss(function, *map(xp.asarray, tensors)), tensors)

with xp.options(relaxed=True):
    for name, (f, *given) in (floats | integers).items():
        of_all(torch.func.vmap(f), *given)
        if len(given) > 1:
            of_all(torch.func.vmap(f, (0, None)), given[0], given[1][0])
    for name, (f, *given) in floats.items():
        of_all(lambda *g, f=f: torch.func.grad(lambda *a: loss(f, *a))(*g), *given)
        of_all(lambda *g, f=f: torch.func.vmap(torch.func.grad(lambda *a: loss(f, *a)))(*g), *given)
        expected = gradients(f, *given)
        torch._dynamo.reset()
        for a, b in zip(gradients(torch.compile(f, fullgraph=True), *given), expected):
            torch.testing.assert_close(a, b, rtol=5e-6, atol=2e-6, msg=lambda m: f"{name}: {m}")
"""


@needs_triton
def test_fused_functions_are_mapped_and_differentiated() -> None:
    """Those that DVM lacks, too: their results and gradients are those of uncompiled code."""
    script(HEAD + TRANSFORMED, timeout=900, TORCHINDUCTOR_NPU_BACKEND="dvm")


@needs_triton
def test_a_fused_function_is_captured() -> None:
    text = """
x = xp.asarray([1.0, 4.0, 9.0])
compiled = torch.compile(lambda x: xp.sqrt(x) * 2.0 + x, fullgraph=True)
compiled(x)
torch.npu.synchronize()
graph = torch.npu.NPUGraph()
with torch.npu.stream(torch.npu.Stream()):
    graph.capture_begin(capture_error_mode="thread_local")
    y = compiled(x)
    graph.capture_end()
x[...] = 16.0
with emulator.counting() as counts:
    graph.replay()
assert counts.graphs == 1 and counts.in_graphs == {("dvm", 0, "AICore"): 1}, counts
assert xp.all(y == 24.0)
"""
    script(HEAD + text, TORCHINDUCTOR_NPU_BACKEND="dvm")


@pytest.fixture
def on_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    torch._dynamo.reset()
    monkeypatch.setattr(compiled, "CPU", "npu:0")


@pytest.mark.parametrize("dtype", ["float64", nightly("complex128")])
def test_numbers_that_change_keep_their_digits(dtype: str) -> None:
    """Kernels get numbers in float32; in float64 others become arrays, also if they change."""
    x = xp.asarray([1.0, 2.0, 3.0], dtype=getattr(xp, dtype))
    torch._dynamo.reset()
    again = torch.compile(lambda x, s: (x + s, s - x, x * s, x == s), backend="eager")
    for number in (0.5, 0.1, 1 / 3, 2.0**24 + 1):
        for found, expected in zip(
            again(x, number), (x + number, number - x, x * number, x == number), strict=True
        ):
            assert xp.all(found == expected), number


@pytest.mark.usefixtures("on_npu")
def test_kernels_know_axes_that_change() -> None:
    for op in ("prod", "tensordot", "vector_norm"):
        x = xp.reshape(xp.arange(1, 25), (2, 3, 4))
        compiled.kernels_with_other_axes(op, x)


@pytest.mark.nightly
@pytest.mark.one_each
@pytest.mark.filterwarnings("ignore")  # torch's, of what it traces, which errors would end
@pytest.mark.usefixtures("on_npu")
@pytest.mark.parametrize(
    "name",
    sorted(
        {*compiled.MADE_OF_NUMBERS}
        - {"linspace"}
        - {n for n in FUNCTIONS if n.rpartition(".")[2] in compiled.LONG}
    ),
)
def test_functions_again_with_other_numbers(name: str) -> None:
    """All but linspace, of which compiled code has its steps rounded once more."""
    with xp.options(host_fallback="allow"):
        compiled.again_with_other_numbers(name)
