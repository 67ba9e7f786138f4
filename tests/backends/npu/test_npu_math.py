"""The option npu_math: torch_npu's own kernels for those who want the speed, exact ones else.

Every function that has a fast kernel is called in both ways, beside torch_npu's own function; the
kernels of the emulated CANN compute as the chip does.  What the page on accuracy says of both is
held here.
"""

from __future__ import annotations

import math
import operator
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, ROOT, needs_emulator, script

import ascend_array_api as xp
from ascend_array_api._routes._operations import OPS, rows_of
from ascend_array_api._routes._rows import Native
from ascend_array_api._torch import torch
from tests.parametrize import others_nightly
from workshop.accuracy.functions import BINARY, UNARY
from workshop.accuracy.points import numbers, ulps
from workshop.samples.strategies import NPU_ULPS, to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    needs_emulator,
    QUIET_TORCH_NPU,
    *QUIET_ORACLE,
    pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning"),
]

MARKED = sorted(
    {
        (name, dtype)
        for row in rows_of("npu")
        if row.fast is not None
        for name in row.ops.split()
        for dtype in row.dtypes
    },
    key=str,
)
OF_TWO = {"atan2", "floor_divide", "logaddexp", "pow", "remainder", "xlogy"}
VALUES = (0.25, 0.75, -0.0, 3.0, 7.0, -0.3, 0.48, 1.0, 100.5, -1e-30, math.inf, math.nan)
OTHERS = (0.1, 0.3, 5.0, -2.0, 1.0, 3.0, 0.48, 7.0, 0.7, 1.0, 2.0, 1.0)
SCALARS = (0.3, 3, 2, 0.5, -1)


@pytest.fixture(autouse=True)
def _as_chip() -> Iterator[None]:
    assert EMULATOR is not None
    with EMULATOR.computing("chip"):
        yield


def function(name: str) -> Any:
    return getattr(xp, name, None) or getattr(xp.special, name)


def tensors(name: str, dtype: torch.dtype) -> list[torch.Tensor]:
    """Return operands on the NPU."""
    given = (VALUES, OTHERS) if name in OF_TWO else (VALUES,)
    if not dtype.is_floating_point:
        given = tuple(tuple(range(2**24 - 3, 2**24 + 4)) for _ in given[:1])
        given += ((3, 7, -1, 2, 5, 9, 11),) if name in OF_TWO else ()
    return [torch.tensor(v, dtype=torch.float64).to(dtype).to("npu:0") for v in given]


def counted(call: Callable[..., Any], *operands: Any) -> tuple[Any, dict[str, int]]:
    """Return a result as a tensor, and how often each kernel was launched; the second time."""
    assert EMULATOR is not None
    call(*operands)
    with EMULATOR.counting() as counts:
        result = call(*operands)
    assert not counts.fallbacks
    return getattr(result, "_tensor", result), dict(counts.by_kernel())


def bits(x: torch.Tensor) -> bytes:
    return x.cpu().reshape(-1).view(torch.uint8).numpy().tobytes()


# --- kernels and results --------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "dtype"), [p for p in MARKED if p[0] != "cast"], ids=str)
def test_fast_is_what_torch_npu_gives(name: str, dtype: torch.dtype) -> None:
    given = tensors(name, dtype)
    arrays = [xp.asarray(t) for t in given]
    call = function(name)
    exact, many = counted(call, *arrays)
    own, kernels = counted(OPS[name].native, *given)
    with xp.options(npu_math="fast"):
        fast, few = counted(call, *arrays)
        assert few == kernels
        assert bits(fast) == bits(own)
        with xp.options(npu_math="exact"):
            assert bits(counted(call, *arrays)[0]) == bits(exact)
    again, as_many = counted(call, *arrays)
    assert bits(again) == bits(exact)
    assert as_many == many
    assert sum(few.values()) < sum(many.values())


@pytest.mark.parametrize(
    ("call", "scalar", "dtype"),
    [
        *product((operator.floordiv, operator.mod, operator.pow), SCALARS, (torch.float32,)),
        *product((operator.floordiv, operator.mod), (3, 2, -1), (torch.int32,)),
    ],
)
def test_scalars_are_what_torch_npu_makes_of_them(
    call: Callable[..., Any], scalar: float, dtype: torch.dtype
) -> None:
    x = tensors("floor", dtype)[0]
    array = xp.asarray(x)
    exact, many = counted(call, array, scalar)
    own, kernels = counted(call, x, scalar)
    named = {operator.floordiv: xp.floor_divide, operator.mod: xp.remainder, operator.pow: xp.pow}
    with xp.options(npu_math="fast"):
        for way in (call, named[call]):
            first = way(array, scalar)  # before the way of the scalar is known
            fast, few = counted(way, array, scalar)
            assert few == kernels
            assert bits(fast) == bits(own) == bits(first._tensor)
    again, as_many = counted(call, array, scalar)
    assert bits(again) == bits(exact)
    assert as_many == many


@pytest.mark.parametrize("target", ["int8", "int32", "int64", "uint8", "float32", "float16"])
@pytest.mark.parametrize("source", ["int32", "int64", "float32", "bfloat16", "bool"])
def test_conversions_are_those_of_torch_npu(source: str, target: str) -> None:
    wide = torch.tensor([3, 2**24 + 1, -5, 300, 0]).to(getattr(torch, source))
    x, dtype = wide.to("npu:0"), getattr(xp, target)
    with xp.options(npu_math="fast"):
        fast, few = counted(xp.astype, xp.asarray(x), dtype)
    own, kernels = counted(lambda x, d: x.to(d, copy=True), x, dtype)
    assert bits(fast) == bits(own)
    assert sum(few.values()) <= sum(kernels.values())


def test_conversions_to_float64_stay() -> None:
    x = torch.tensor([3, -5], dtype=torch.int64).to("npu:0")
    with xp.options(npu_math="fast"):
        assert xp.astype(xp.asarray(x), xp.float64)._tensor.dtype is torch.float64


def test_what_has_a_fast_kernel_is_coarse_and_not_refused() -> None:
    for row in rows_of("npu"):
        if row.fast is not None:
            assert row.evidence.kind in {"wrong", "undocumented"}, row
            assert isinstance(row.fast, Native) or row.ops == "cast"


DIVIDED = {
    "//": operator.floordiv,
    "%": operator.mod,
    "//=": lambda x, y: operator.ifloordiv(xp.asarray(x, copy=True), y),
    "%=": lambda x, y: operator.imod(xp.asarray(x, copy=True), y),
    "of a number": lambda x, y: 7 // y,
}


@pytest.mark.parametrize("way", ["exact", "fast"])
def test_integers_divided_by_0_are_errors_with_both_settings(way: Any) -> None:
    """In relaxed mode their quotients are 0, as in NumPy; compiled code too."""
    for dtype, name in product(("int32", "int64", "uint8"), DIVIDED):
        x, none = (xp.asarray(v, dtype=getattr(xp, dtype)) for v in ([7, 5], [2, 0]))
        for divisor in (none, 0):
            if isinstance(divisor, int) and name == "of a number":
                continue
            with xp.options(npu_math=way, checks="wait"), pytest.raises(ZeroDivisionError):
                DIVIDED[name](x, divisor)
            with xp.options(npu_math=way, relaxed=True), np.errstate(all="ignore"):
                quotient = DIVIDED[name](x, divisor)
                assert int(quotient[1]) == 0, (name, dtype)
    compiled = torch.compile(
        lambda a, b: xp.to_torch(xp.asarray(a) // xp.asarray(b)), fullgraph=True, backend="eager"
    )
    divided, by = (torch.tensor(v, dtype=torch.int32, device="npu:0") for v in ([7, 5], [2, 0]))
    with xp.options(npu_math=way, relaxed=True):
        assert compiled(divided, by).tolist() == [3, 0]


# --- what it leaves alone -------------------------------------------------------------------------


def composed() -> dict[str, Callable[[], Any]]:
    x = xp.asarray([0.25, 1.5, 3.0, -2.25])
    z = xp.astype(x, xp.complex64) * (1 + 0.5j)
    positive = xp.abs(x)
    return {
        "complex tan": lambda: xp.tan(z),
        "complex expm1": lambda: xp.expm1(z),
        "gammaln": lambda: xp.special.gammaln(x),
        "erfcx": lambda: xp.special.erfcx(x),
        "ndtri": lambda: xp.special.ndtri(positive / 4),
        "arange": lambda: xp.arange(0, 10, 0.1),
        "norm": lambda: xp.linalg.vector_norm(x[None, :], ord=3, axis=1),
        "normal": lambda: xp.random.Generator(xp.random.Philox(7)).normal(size=50),
        "gamma": lambda: xp.random.Generator(xp.random.Philox(7)).standard_gamma(2.5, size=50),
        "int64": lambda: xp.asarray([2**40, -7]) // xp.asarray([3, 2]),
        "sum": lambda: xp.sum(xp.asarray([2**40, 5]), dtype=xp.int32),
        "promotion": lambda: xp.asarray([2**31 - 1], dtype=xp.int32) + xp.asarray([2**40]),
        "plain": lambda: xp.exp(x) + xp.cosh(x) + xp.log1p(positive),
    }


@pytest.mark.parametrize("name", composed())
def test_what_others_are_made_of_stays_exact(name: str) -> None:
    exact, many = counted(composed()[name])
    with xp.options(npu_math="fast"):
        fast, kernels = counted(composed()[name])
    assert bits(torch.view_as_real(fast) if fast.is_complex() else fast) == bits(
        torch.view_as_real(exact) if exact.is_complex() else exact
    )
    assert kernels == many


def test_relaxed_mode_goes_with_it() -> None:
    x = xp.asarray([1, 2], dtype=xp.int32)
    with xp.options(relaxed=True, npu_math="fast"):
        assert counted(xp.atan, x)[1].get("aclnnAtan") == 1


def test_the_cpu_is_the_same() -> None:
    x = xp.asarray([1.0, -0.3, 5.0], device="cpu")
    with xp.options(npu_math="fast"):
        fast = [xp.atan(x), x // 0.1, x % 0.3, x**3, xp.ceil(x)]
    exact = [xp.atan(x), x // 0.1, x % 0.3, x**3, xp.ceil(x)]
    assert [bits(a._tensor) for a in fast] == [bits(a._tensor) for a in exact]


# --- where it holds -------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_environment_sets_it() -> None:
    program = """
x = xp.asarray([1.0])
xp.atan(x), x // 0.5
with emulator.counting() as counts:
    xp.atan(x), x // 0.5
print(counts.kernels.total())
"""
    assert script(program, ASCEND_ARRAY_API_NPU_MATH="fast").split()[-1] == "2"


def test_what_is_compiled_looks_at_it() -> None:
    compiled = torch.compile(
        lambda t: xp.to_torch(xp.atan(xp.asarray(t))), fullgraph=True, backend="eager"
    )
    x = torch.tensor([0.5, 0.41], device="npu:0")
    eager = {}
    for way in ("exact", "fast"):
        with xp.options(npu_math=way):  # type: ignore[arg-type]
            eager[way] = bits(xp.atan(xp.asarray(x))._tensor)
    assert eager["exact"] != eager["fast"]
    for way in ("exact", "fast", "exact"):
        with xp.options(npu_math=way):  # type: ignore[arg-type]
            assert bits(compiled(x)) == eager[way], way


def test_derivatives_are_those_of_torch_npu() -> None:
    x = torch.tensor([0.25, 0.5], device="npu:0", requires_grad=True)
    with xp.options(npu_math="fast"):
        fast = xp.to_torch(xp.expm1(xp.asarray(x)))
    (slope,) = torch.autograd.grad(fast.sum(), x)
    (own,) = torch.autograd.grad(torch.expm1(x).sum(), x)
    assert bits(slope) == bits(own)


# --- the page -------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "accuracy.md"
LINE = re.compile(r"^\| (`[^|]*) \| (\d+) \| (.*) \| (\d+) \| (.*) \|$", re.MULTILINE)


SHOWN: dict[str, tuple[Callable[..., Any], str]] = {
    "`//` of int32": (operator.floordiv, "int32"),
    "`%` of int32": (operator.mod, "int32"),
    "`//`": (operator.floordiv, "float32"),
    "`%`": (operator.mod, "float32"),
    "`**`": (operator.pow, "float32"),
    "`astype` from int64 to float32": (lambda x: xp.astype(x, xp.float32), "int64"),
    "`astype` from float32 to int64": (lambda x: xp.astype(x, xp.int64), "float32"),
    "`astype` from int64 to int32": (lambda x: xp.astype(x, xp.int32), "int64"),
    "`astype` from int32 to int8": (lambda x: xp.astype(x, xp.int8), "int32"),
    **{
        f"`{name}`": (function(name), "float32")
        for name, dtype in MARKED
        if dtype is torch.float32 and name not in {"cast", "floor_divide", "pow", "remainder"}
    },
}
"""What the page lists."""


def page() -> dict[str, tuple[int, str, int, str]]:
    lines: dict[str, tuple[int, str, int, str]] = {}
    for names, exact, bound, fast, gives in LINE.findall(PAGE.read_text()):
        plain = names.partition(" of ")[2] or names.partition(" from ")[2]
        for name in [names] if plain else names.split(", "):
            lines[name] = (int(exact), bound, int(fast), gives)
    return lines


def test_the_page_lists_what_has_a_fast_kernel() -> None:
    assert sorted(page()) == sorted(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_is_true_of_kernels(name: str) -> None:
    call, dtype = SHOWN[name]
    op = name.strip("`")
    two = op[0] in "/%*" or op in OF_TWO
    values = [1, 2, 3] if dtype[0] == "i" else [0.3, 0.5, 0.7]
    operands = (xp.asarray(values, dtype=getattr(xp, dtype)),) * (2 if two else 1)
    xp.to_torch(operands[0])  # now divisors are looked at in every call
    exact = counted(call, *operands)[1]
    with EMULATOR.counting() as counts:
        call(*operands)
    assert counts.to_host == counts.to_device == (0, 0)
    with xp.options(npu_math="fast"):
        fast = counted(call, *operands)[1]
    stated = page()[name]
    assert (sum(exact.values()), sum(fast.values())) == (stated[0], stated[2])


@pytest.mark.parametrize(
    "name", others_nightly([n for n in SHOWN if n.strip("`") in UNARY | BINARY], 8)
)
def test_the_page_is_true_of_errors(name: str) -> None:
    """Exact: the bound that other tests hold. Fast: as large as stated, and not half as large."""
    op = name.strip("`")
    _, bound, _, gives = page()[name]
    assert float(re.match(r"[\d.]+", bound)[0]) == NPU_ULPS[op]
    most = re.match(r"([\d,]+)(?: within (\d+))?(;|$)", gives)
    if most is None:
        return  # an example, see below
    x = numbers(op)
    farthest = float(most[2] or 1e7)
    x = x[(np.abs(x) > 1e-3) & (np.abs(x) <= farthest)]
    exact = UNARY[op](x.astype("f8"))
    usual = np.isfinite(exact) & (np.abs(exact) >= 2.0**-126)
    with xp.options(npu_math="fast"):
        error = ulps(to_numpy(function(op)(xp.asarray(x))), exact)[usual].max()
    stated = float(most[1].replace(",", ""))
    assert stated / 2 <= error <= stated


def test_the_page_is_true_of_examples() -> None:
    """Those that the answers of kernels, in test_cann_emulator_modes.py, have not."""

    def of_scalars(call: Callable[..., Any], *values: float, dtype: Any = None) -> float:
        return float(call(*(xp.asarray([v], dtype=dtype) for v in values))[0])

    with xp.options(npu_math="fast"):
        assert of_scalars(operator.floordiv, -1e-20, 1e30) == 0
        assert of_scalars(operator.mod, 2**24, 2**24 + 1, dtype=xp.int32) == -1
        wide = xp.arange(2**30, 2**30 + 1000, dtype=xp.int32)
        rest = (wide % xp.asarray(47, dtype=xp.int32)).to_device("cpu")
        assert bool(xp.any(rest != wide.to_device("cpu") % 47))
        for by in ("float32", "float64"):
            zero = of_scalars(operator.mod, 0.0, -2.0, dtype=getattr(xp, by))
            assert (zero, math.copysign(1, zero)) == (0, 1)
        assert of_scalars(xp.expm1, 1e-45) == 0
        assert math.isnan(of_scalars(xp.tan, 1e20))
        assert of_scalars(xp.special.xlogy, 0.0, math.nan) == 0
