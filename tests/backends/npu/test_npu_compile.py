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

from conformance.samples import FUNCTIONS

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
    assert [tuple(counts) for counts in json.loads(printed.splitlines()[-1])] == CHAINS


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

SOME = [("sin", "float32"), ("floor_divide", "int32"), ("isfinite", "float32"), ("pow", "float32")]


def right(cells: list[tuple[str, str]], timeout: float) -> list[tuple[str, str]]:
    """Compile functions; those whose results are right."""
    text = HEAD + CALLS.replace("{cells!r}", repr(cells))
    printed = script(text, timeout=timeout, TORCHINDUCTOR_NPU_BACKEND="dvm")
    return [(name, dtype) for name, dtype, *_ in json.loads(printed.splitlines()[-1])]


@needs_triton
def test_some_functions_are_right_when_they_are_fused() -> None:
    assert set(SOME) < set(CELLS)
    assert right(SOME, 300) == SOME


@needs_triton
@pytest.mark.nightly
@pytest.mark.parametrize("part", range(8))
def test_all_functions_are_right_when_they_are_fused(part: int) -> None:
    assert right(CELLS[part::8], 900) == CELLS[part::8]


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


def test_calls_are_fused_without_a_compiler() -> None:
    """By torch_npu, where the environment asks for it: in at most half of the launches."""
    text = """
import numpy as np
from benchmarks.programs import PROGRAMS, arguments

launches, results = [], []
for name in ("sqrt(abs(x)) * 2 + x", "a polynomial of degree 9", "hypot and logaddexp"):
    function, shapes = PROGRAMS[name]
    given = arguments(shapes, "npu")
    torch.npu.synchronize()
    with emulator.counting() as counts:
        result = function(*given)
        torch.npu.synchronize()
    launches.append(counts.kernels.total())
    expected = function(*(x.to_device("cpu") for x in given))
    found = np.asarray(xp.to_torch(result).cpu())
    np.testing.assert_allclose(found, np.asarray(xp.to_torch(expected)), rtol=2e-6, atol=2e-6)
print(launches)
"""
    called = json.loads(script(text).splitlines()[-1])
    more = {"TORCH_NPU_LAZY_FUSION": "True", "TASK_QUEUE_ENABLE": "1"}
    fused = json.loads(script(text, **more).splitlines()[-1])
    assert 2 * sum(fused) <= sum(called), (fused, called)
