"""Gradients, second derivatives and torch's transformations, over the whole namespace.

Oracles are finite differences (``gradcheck``), a Python loop (``vmap``), the other direction of
differentiation (``jacrev`` and ``jacfwd``) and mpmath.
"""

from __future__ import annotations

import contextlib
import math
import operator
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from derivatives import AT, CONVENTIONS, SLOPES, agree, gradients, matrix_norm, reached, tensors
from parametrize import everything, one_of_each, others_nightly

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples import FUNCTIONS, Seeded, converted, slopes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workshop.samples import Call, Function, Slope

# torch makes its rules for forward differentiation by what it has deprecated itself.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

inf, nan = math.inf, math.nan
CPU = "cpu"


@pytest.fixture(autouse=True)
def _on_the_cpu(request: pytest.FixtureRequest) -> Any:
    """Make arrays on the CPU, but for tests that hold on NPUs too."""
    everywhere = request.node.get_closest_marker("npu") is not None
    with contextlib.nullcontext() if everywhere else xp.options(device=CPU):
        yield


def each(wanted: Callable[[Slope], bool] = lambda case: True, *, half: bool = False) -> Any:
    """Parametrize a test by samples for which something holds: one of each function is drawn.

    Of half of the functions only, if first derivatives ask every one of nearly the same.
    """
    pairs = [(name, case) for name, case in SLOPES if wanted(case)]
    pairs = one_of_each(pairs, lambda pair: pair[0].partition(":")[0])
    if half and not everything():
        pairs = pairs[::2]
    cases = pytest.mark.parametrize("case", [c for _, c in pairs], ids=[n for n, _ in pairs])
    return lambda test: pytest.mark.one_each(cases(test))


# --- differentiation ------------------------------------------------------------------------------


@each()
def test_first_derivatives(case: Slope) -> None:
    operands = tensors(case, grad=True)
    many = sum(x.numel() for x in operands) > 30  # a random direction instead of each element
    assert torch.autograd.gradcheck(reached(case), operands, check_forward_ad=True, fast_mode=many)


@pytest.mark.parametrize("name", ["imul", "itruediv", "iadd"])
def test_forward_derivatives_in_place_by_the_array_itself(name: str) -> None:
    update = getattr(operator, name)
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.tensor([3.0]), torch.tensor([1.0]))
        y = xp.asarray(x, copy=True)
        update(y, y)
        tangent = torch.autograd.forward_ad.unpack_dual(xp.to_torch(y)).tangent
    assert tangent.item() == {"imul": 6.0, "itruediv": 0.0, "iadd": 2.0}[name]


@each(lambda case: case.second, half=True)
def test_second_derivatives(case: Slope) -> None:
    operands = tensors(case, grad=True)
    assert torch.autograd.gradgradcheck(reached(case), operands, fast_mode=True)


def _is_real(case: Slope) -> bool:
    return all(x.dtype.kind == "f" for x in case.operands)


@each(_is_real, half=True)
def test_both_directionsagree(case: Slope) -> None:
    operands = tensors(case)
    first = reached(case)(*operands)
    if any(x.is_complex() for x in (first if isinstance(first, tuple) else (first,))):
        return  # of complex results the two have different conventions
    places = tuple(range(len(operands)))
    backward = torch.func.jacrev(reached(case), places)(*operands)
    forward = torch.func.jacfwd(reached(case), places)(*operands)
    torch.testing.assert_close(forward, backward)


def _batches(case: Slope) -> list[torch.Tensor]:
    return [torch.stack([x, x * 1.0625, x * 0.96875]) for x in tensors(case)]


@each(lambda case: case.batched)
def test_vmap_equals_a_loop(case: Slope) -> None:
    function, batches = reached(case), _batches(case)
    together = torch.func.vmap(function)(*batches)
    apart = [function(*(x[i] for x in batches)) for i in range(3)]
    if isinstance(together, tuple):
        assert len(together) == len(apart[0])
        parts: Any = zip(together, zip(*apart), strict=True)
    else:
        parts = [(together, apart)]
    for part, single in parts:
        expected = torch.stack(tuple(single))
        assert part.dtype is expected.dtype
        torch.testing.assert_close(part, expected)


@each(lambda case: case.batched and _is_real(case), half=True)
def test_gradients_of_each_example(case: Slope) -> None:
    def total(*operands: torch.Tensor) -> torch.Tensor:
        results = reached(case)(*operands)
        results = results if isinstance(results, tuple) else (results,)
        return sum((torch.cos(x * x.conj()).real.sum() for x in results), torch.zeros(()))

    batches = _batches(case)
    places = tuple(range(len(batches)))
    gradient = torch.func.grad(total, places)
    together = torch.func.vmap(gradient)(*batches)
    apart = [gradient(*(x[i] for x in batches)) for i in range(3)]
    for part, singles in zip(together, zip(*apart), strict=True):
        torch.testing.assert_close(part, torch.stack(singles))


@each(_is_real, half=True)
def test_float32_agrees_with_float64(case: Slope) -> None:
    gradients = []
    for dtype in (torch.float32, torch.float64):
        operands = [x.to(dtype).requires_grad_() for x in tensors(case)]
        results = reached(case)(*operands)
        results = results if isinstance(results, tuple) else (results,)
        total = sum(x.real.to(torch.float64).sum() for x in results)
        gradients.append(torch.autograd.grad(total, operands, allow_unused=True))
    for low, high in zip(*gradients):
        if low is not None:
            assert low.dtype is torch.float32
            bound = 128 * torch.finfo(torch.float32).eps  # most lose a bit or two, pinv four
            torch.testing.assert_close(low.double(), high, rtol=bound, atol=bound)


# --- what takes part in autograd ------------------------------------------------------------------


def test_tensors_go_through_and_come_back() -> None:
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    assert xp.to_torch(xp.asarray(leaf)) is leaf
    assert xp.to_torch(xp.asarray(leaf, copy=True)).requires_grad
    assert xp.to_torch(xp.asarray(leaf, dtype=xp.float64)).grad_fn is not None
    x = xp.asarray(leaf)
    for y in (x[0], x[xp.asarray([1, 0])], x[x > 1], x.to_device(CPU), xp.astype(x, xp.complex64)):
        assert xp.to_torch(y).requires_grad
    assert not xp.to_torch(xp.asarray(leaf.detach())).requires_grad


def test_nothing_is_recorded_where_torch_is_told_so() -> None:
    leaf = torch.tensor([3.0, 4.0], requires_grad=True)
    for context in (torch.no_grad(), torch.inference_mode()):
        with context:
            x = xp.asarray(leaf)
            for y in (xp.hypot(x, x), x % 2.0, xp.logaddexp(x, x), x + 1, xp.sqrt(x)):
                assert not xp.to_torch(y).requires_grad


@pytest.mark.parametrize(
    "name", "less isfinite argmax argsort count_nonzero zeros_like signbit".split()
)
def test_what_has_no_derivative_does_not_take_part(name: str) -> None:
    leaf = torch.tensor([3.0, 4.0], requires_grad=True)
    x = xp.asarray(leaf)
    result = getattr(xp, name)(*([x, x] if name == "less" else [x]))
    assert not xp.to_torch(result).requires_grad


def test_leaves_are_not_written_to() -> None:
    x = xp.asarray(torch.tensor([3.0, 4.0], requires_grad=True))
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x[0] = 1.0
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x += 1.0


@pytest.mark.parametrize("symbol", ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "@="])
def test_gradients_through_what_was_overwritten(symbol: str) -> None:
    leaf = torch.tensor([[1.5, 2.0], [2.5, 3.0]], dtype=torch.float64, requires_grad=True)

    def changed(t: torch.Tensor) -> torch.Tensor:
        x = xp.asarray(t) * 1.0
        scope = {"x": x, "y": x * 0.75}
        exec(f"x {symbol} y", scope)
        return xp.to_torch(scope["x"])

    assert torch.autograd.gradcheck(changed, (leaf,))


RANDOM: dict[str, tuple[float, ...]] = {
    "normal": (1.0, 2.0),
    "uniform": (1.0, 2.0),
    "laplace": (1.0, 2.0),
    "logistic": (1.0, 2.0),
    "gumbel": (1.0, 2.0),
    "exponential": (2.0,),
    "lognormal": (1.0, 0.5),
    "rayleigh": (2.0,),
    "weibull": (2.0,),
    "pareto": (3.0,),
    "power": (3.0,),
    "triangular": (0.0, 1.0, 2.0),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_follow_their_parameters(name: str) -> None:
    def drawn(*parameters: torch.Tensor) -> torch.Tensor:
        draw = getattr(xp.random.default_rng(3), name)
        return xp.to_torch(draw(*map(xp.asarray, parameters)))

    values = [torch.full((5,), v, dtype=torch.float64) for v in RANDOM[name]]
    leaves = [v.clone().requires_grad_() for v in values]
    numbers = drawn(*leaves)
    for i, slope in enumerate(torch.autograd.grad(numbers.sum(), leaves)):
        sides = [[v + h if j == i else v for j, v in enumerate(values)] for h in (1e-2, -1e-2)]
        expected = (drawn(*sides[0]) - drawn(*sides[1])) / 2e-2
        torch.testing.assert_close(slope, expected.double(), rtol=1e-2, atol=2e-3)


# --- points at which the derivative is a convention, or hard to come by ---------------------------


@pytest.mark.npu
@pytest.mark.one_each
@pytest.mark.parametrize(("name", "operands", "expected"), AT, ids=str)
def test_derivatives_at_special_points(
    name: str, operands: Any, expected: Any, device: xp.Device
) -> None:
    actual = gradients(getattr(xp, name), *operands, device=str(device))
    for a, e in zip(actual, expected, strict=True):
        # torch's gradient of a complex function is the conjugate of its derivative.
        near = 1e-13 if device == CPU else 1e-12
        assert e is None or agree(a.conjugate(), e, near), (actual, expected)


@pytest.mark.npu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_zeros_and_ties(name: str, dtype: torch.dtype, device: xp.Device) -> None:
    function, x, expected = CONVENTIONS[name]
    assert gradients(function, x, dtype=dtype, device=str(device)) == [expected]


def test_norms_by_singular_values_have_no_slope_at_zero() -> None:
    for order in ("nuc", 2, -2):
        assert gradients(matrix_norm(order), [[0.0, 0.0]] * 2) == [[[0.0, 0.0]] * 2], order


def test_ties_of_all_elements_share_alike() -> None:
    assert gradients(xp.max, [[1.0, 3.0, 3.0], [3.0, 0, 0]]) == [[[0, 1 / 3, 1 / 3], [1 / 3, 0, 0]]]


def test_where_keeps_what_it_does_not_take_out_of_the_derivative() -> None:
    def root(x: xp.Array) -> xp.Array:
        positive = x > 0
        return xp.where(positive, xp.sqrt(xp.where(positive, x, 1.0)), 0.0)

    assert gradients(root, [4.0, 0.0, -1.0]) == [[0.25, 0.0, 0.0]]


def test_sorting_and_taking_twice() -> None:
    weights = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float64)
    assert gradients(lambda x: xp.sum(xp.sort(x) * weights), [3.0, 1.0, 2.0]) == [[3, 1, 2]]
    twice = lambda x: xp.sum(xp.take(x, xp.asarray([0, 0, 2])) * weights)  # noqa: E731
    assert gradients(twice, [3.0, 1.0, 2.0]) == [[3.0, 0.0, 3.0]]


# --- against mpmath -------------------------------------------------------------------------------

ANALYTIC: dict[str, Any] = {
    "acos": lambda z: -1 / (mpmath.sqrt(1 - z) * mpmath.sqrt(1 + z)),
    "acosh": lambda z: 1 / (mpmath.sqrt(z - 1) * mpmath.sqrt(z + 1)),
    "asin": lambda z: 1 / (mpmath.sqrt(1 - z) * mpmath.sqrt(1 + z)),
    "asinh": lambda z: 1 / mpmath.sqrt(1 + z * z),
    "atan": lambda z: 1 / (1 + z * z),
    "atanh": lambda z: 1 / (1 - z * z),
    "cos": lambda z: -mpmath.sin(z),
    "cosh": mpmath.sinh,
    "exp": mpmath.exp,
    "expm1": mpmath.exp,
    "log": lambda z: 1 / z,
    "log10": lambda z: 1 / (z * mpmath.log(10)),
    "log1p": lambda z: 1 / (1 + z),
    "log2": lambda z: 1 / (z * mpmath.log(2)),
    "reciprocal": lambda z: -1 / (z * z),
    "sin": mpmath.cos,
    "sinh": mpmath.cosh,
    "sqrt": lambda z: 1 / (2 * mpmath.sqrt(z)),
    "square": lambda z: 2 * z,
    "tan": lambda z: mpmath.sec(z) ** 2,
    "tanh": lambda z: mpmath.sech(z) ** 2,
}
REALS = [0.1, 0.5, 0.9, 1.5, 3.0, 1e-8, 1e-3]
COMPLEXES = [0.3 + 0.4j, -0.7 + 1.2j, 1.5 - 0.2j, -2 - 3j, 0.01 + 0.02j, 0.5j, 3 + 0.1j]


@pytest.mark.parametrize("points", [REALS, COMPLEXES], ids=["real", "complex"])
@pytest.mark.parametrize("name", ANALYTIC)
def test_derivatives_are_those_of_mpmath(name: str, points: list[complex]) -> None:
    if points is REALS and name == "acosh":
        points = [1.5, 3.0]
    elif points is REALS and name in {"acos", "asin", "atanh"}:
        points = REALS[:3]
    (actual,) = gradients(
        getattr(xp, name), points, dtype=None if points is not COMPLEXES else torch.complex128
    )
    with mpmath.workdps(40):
        expected = [complex(ANALYTIC[name](mpmath.mpmathify(z))) for z in points]
    # torch's gradient is the conjugate of the derivative.
    np.testing.assert_allclose(np.conj(actual), expected, rtol=2e-13)


def test_gradient_is_the_direction_of_steepest_ascent() -> None:
    """The convention for complex numbers is torch's: df/dx + j df/dy of a real f(x + jy)."""
    (actual,) = gradients(lambda z: xp.square(xp.abs(z)), [3 + 4j], dtype=torch.complex128)
    assert actual == [pytest.approx(6 + 8j)]
    (actual,) = gradients(xp.real, [3 + 4j], dtype=torch.complex128)
    assert actual == [1 + 0j]
    (actual,) = gradients(xp.imag, [3 + 4j], dtype=torch.complex128)
    assert actual == [1j]


# --- functions without derivatives in vmap --------------------------------------------------------


def calls_to_map(function: Function) -> Iterator[tuple[Call, list[Any], list[int]]]:
    """Yield the calls of a function, their inputs, and the places of arrays among these."""
    for i, call in enumerate(function.calls):
        for dtype in ("float64", "int64", "bool"):
            draw = Seeded(dtype, f"{function.name} {i}")
            if dtype in function.dtypes and call.when(draw) and not (call.waits or call.moves):
                inputs = [converted(xp, x, xp.asarray) for x in call.inputs(draw)]
                yield call, inputs, [k for k, x in enumerate(inputs) if isinstance(x, xp.Array)]


UNDIFFERENTIATED = [
    name for name, f in FUNCTIONS.items() if f.calls and not f.unmapped and not any(slopes(f))
]


# Of count_nonzero torch 2.11 maps one by one, and warns.
@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")
@pytest.mark.one_each
@pytest.mark.parametrize("name", others_nightly(UNDIFFERENTIATED, 70))
def test_vmap_without_derivatives(name: str) -> None:
    compared = 0
    for call, inputs, places in calls_to_map(FUNCTIONS[name]):
        function = on_tensors(call, inputs, places)
        batches = [torch.stack([x, x.flip(0), x]) for x in (xp.to_torch(inputs[k]) for k in places)]
        together = torch.func.vmap(function)(*batches)
        apart = zip(*(function(*(x[i] for x in batches)) for i in range(3)))
        for part, single in zip(together, apart, strict=True):
            assert part.dtype is single[0].dtype
            torch.testing.assert_close(part, torch.stack(single), equal_nan=True)
            compared += 1
    assert compared


def on_tensors(call: Call, inputs: list[Any], places: list[int]) -> Callable[..., Any]:
    """Return a call as a function of the tensors in some places."""

    def function(*tensors: torch.Tensor) -> Any:
        given = list(inputs)
        for place, x in zip(places, tensors):
            given[place] = xp.asarray(x, copy=call.writes)
        return tuple(map(xp.to_torch, leaves(call.bound(xp)(*given))))

    return function


def leaves(value: Any) -> list[Any]:
    """Return the arrays of a tree of results."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    return [value] if isinstance(value, xp.Array) else []


def test_vmap_of_what_has_no_values() -> None:
    batch = torch.ones(3, 2, dtype=torch.float16)
    made = torch.func.vmap(lambda t: xp.to_torch(xp.empty_like(xp.asarray(t))))(batch)
    assert made.shape == batch.shape
    assert made.dtype is batch.dtype


def test_batches_of_integers_select() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    i = torch.tensor([[3, 0], [1, 1], [-1, 2]])

    def taken(f: Callable[[xp.Array, xp.Array], xp.Array]) -> None:
        g = lambda s, t: xp.to_torch(f(xp.asarray(s), xp.asarray(t)))  # noqa: E731
        expected = torch.stack([g(x[k], i[k]) for k in range(3)])
        torch.testing.assert_close(torch.func.vmap(g)(x, i), expected)

    taken(lambda s, t: s[t])
    taken(lambda s, t: xp.take(s, xp.where(t < 0, t + 4, t)))
    taken(lambda s, t: xp.take_along_axis(s, t))

    def assigned(s: xp.Array, t: xp.Array) -> xp.Array:
        s = xp.asarray(s, copy=True)
        s[t] = 100.0
        return s

    taken(assigned)


def test_each_example_is_written_to_by_itself() -> None:
    x = torch.arange(6.0).reshape(3, 2)

    def masked(t: torch.Tensor) -> torch.Tensor:
        y = xp.asarray(t) * 1.0
        y[y > 2] = 0.0
        y += y
        y -= xp.flip(y)
        return xp.to_torch(y)

    expected = torch.stack([masked(t) for t in x])
    torch.testing.assert_close(torch.func.vmap(masked)(x), expected)


def test_arrays_are_shown_within_a_transformation() -> None:
    shown = []

    def show(t: torch.Tensor) -> torch.Tensor:
        shown.append(repr(xp.asarray(t)))
        return t

    torch.func.vmap(show)(torch.ones(2, 3))
    torch.func.grad(lambda t: show(t).sum())(torch.ones(3))
    assert len(shown) == 2
    assert all(text.startswith("Array(") for text in shown)


# --- transformations of functions of arrays -------------------------------------------------------


def test_transformations_take_arrays() -> None:
    x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float64)

    def f(x: xp.Array) -> torch.Tensor:  # torch.func.grad takes no other result
        return xp.to_torch(xp.sum(x**3) + xp.prod(x))

    gradient = torch.func.grad(f)(x)
    assert isinstance(gradient, xp.Array)
    assert xp.to_torch(gradient).tolist() == [9.0, 15.0, 29.0]
    both, value = torch.func.grad_and_value(f)(x)
    assert (float(value), xp.to_torch(both).tolist()) == (42.0, [9.0, 15.0, 29.0])
    assert torch.func.vmap(lambda y: xp.sum(y * x))(xp.eye(3, dtype=xp.float64)).shape == (3,)
    rows = torch.func.jacrev(lambda x: x * x)(x)
    columns = torch.func.jacfwd(lambda x: x * x)(x)
    assert xp.to_torch(xp.linalg.diagonal(rows)).tolist() == [2.0, 4.0, 6.0]
    assert bool(xp.all(rows == columns))
    hessian = torch.func.hessian(f)(x)
    assert xp.to_torch(hessian).tolist() == [[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]]
    first, second = torch.func.jacrev(lambda x, y: x * y, (0, 1))(x, x + 1.0)
    assert xp.to_torch(xp.linalg.diagonal(first)).tolist() == [2.0, 3.0, 4.0]
    assert xp.to_torch(xp.linalg.diagonal(second)).tolist() == [1.0, 2.0, 3.0]
    value, tangent = torch.func.jvp(f, (x,), (xp.ones_like(x),))
    assert (float(value), float(tangent)) == (42.0, 53.0)


def test_transformations_take_trees_of_arrays() -> None:
    model = {"w": xp.asarray([1.0, 2.0]), "b": xp.asarray(0.5)}
    batch = xp.asarray([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

    def loss(model: dict[str, xp.Array], x: xp.Array) -> torch.Tensor:
        return xp.to_torch(xp.sum(xp.square(xp.matmul(x, model["w"]) + model["b"])))

    whole = torch.func.grad(loss)(model, batch)
    each_one = torch.func.vmap(torch.func.grad(loss), (None, 0))(model, batch)
    assert each_one["w"].shape == (3, 2)
    assert bool(xp.all(xp.sum(each_one["w"], axis=0) == whole["w"]))
    assert float(whole["b"]) == 2 * (1.5 + 2.5 + 3.5)


TWICE: dict[str, Callable[[Any], Any]] = {
    "sqrt": xp.sqrt,
    "cosh": xp.cosh,
    "sinh": xp.sinh,
    "pow": lambda x: x**0.5,
    "atan2": lambda x: xp.atan2(x, x * x + 1),
    "hypot": lambda x: xp.hypot(x, x * x + 1),
    "logaddexp": lambda x: xp.logaddexp(x, 2 * x),
    "remainder": lambda x: xp.remainder(x, 0.9 * x * x),
    "complex pow": lambda x: xp.real((x + 0.25j) ** (1.5 + 0.5j)),
    "complex acos": lambda x: xp.real(xp.acos(x + 0.25j)),
    "complex log1p": lambda x: xp.real(xp.log1p(x + 0.25j)),
    "det": lambda x: xp.linalg.det(x[:, None] * xp.eye(2, dtype=x.dtype) + x),
}


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_in_all_orders_of_transformations(name: str) -> None:
    """A function of autograd with a rule for forward derivatives loses those of these."""
    function = TWICE[name]

    def total(x: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(xp.sum(function(xp.asarray(x))))

    from torch.func import grad, jacfwd, jacrev

    x, step = torch.tensor([0.5, 0.3], dtype=torch.float64), 1e-5
    rows = [step * row for row in torch.eye(2, dtype=torch.float64)]
    exact = torch.stack([(grad(total)(x + h) - grad(total)(x - h)) / (2 * step) for h in rows])
    for outer in (jacfwd, jacrev):
        for inner in (jacfwd, jacrev):
            second = outer(inner(total))(x)
            assert torch.allclose(second, exact, rtol=1e-6, atol=1e-8), (outer, inner)


def test_remainders_of_infinities_in_two_forward_derivatives() -> None:
    """The values are those without derivatives, and slopes that are not finite count as 0."""
    from torch.func import jvp

    infinity, nan = math.inf, math.nan
    x1 = torch.tensor([5.0, 3.0, -3.0, infinity, nan, 1.0, -7.5], dtype=torch.float64)
    x2 = torch.tensor([2.0, infinity, infinity, 2.0, 2.0, 0.0, -2.0], dtype=torch.float64)
    values = torch.tensor([1.0, 3.0, infinity, nan, nan, nan, -1.5], dtype=torch.float64)
    ones = torch.ones_like(x1)

    def function(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(xp.remainder(xp.asarray(x1), xp.asarray(x2)))

    def by_first(t: torch.Tensor) -> torch.Tensor:
        return function(t, x2)

    def by_second(t: torch.Tensor) -> torch.Tensor:
        return function(x1, t)

    for fixed, given, right in (
        (by_first, x1, [1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]),
        (by_second, x2, [-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.0]),
    ):

        def once(t: torch.Tensor, fixed: Any = fixed) -> Any:
            return jvp(fixed, (t,), (ones,))

        (found, slope), (moved, bent) = jvp(once, (given,), (ones,))
        torch.testing.assert_close(found, values, equal_nan=True)
        assert slope.tolist() == moved.tolist() == right
        assert bent.tolist() == [0.0] * 7


@pytest.mark.parametrize(
    "name", ["svdvals", "svd", "eigvalsh", "eigh", "eigvals", "pinv", "matrix_norm"]
)
def test_functions_of_complex_spectra_have_gradients_in_torch_func(name: str) -> None:
    """There a matrix is not looked at, so that it is kept finite by arithmetic."""
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)))

    def total(x: torch.Tensor) -> torch.Tensor:
        result = getattr(xp.linalg, name)(
            xp.asarray(x + x.mH if name in {"eigh", "eigvalsh"} else x)
        )
        part = {"svd": 1, "eigh": 0}.get(name)
        return xp.to_torch(xp.sum(xp.real(result if part is None else result[part])))

    got = torch.func.grad(total)(x)
    leaf = x.clone().requires_grad_()
    total(leaf).backward()
    assert leaf.grad is not None
    assert torch.allclose(got, leaf.grad)
    assert float(torch.abs(got).max()) > 0.1


def test_least_squares_with_equal_singular_values_in_both_directions() -> None:
    x = 2 * torch.eye(3, 2, dtype=torch.float64)
    ones = torch.ones(3, dtype=torch.float64)

    def solution(x: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(xp.linalg.lstsq(xp.asarray(x), xp.asarray(ones)).x)

    forward, backward = torch.func.jacfwd(solution)(x), torch.func.jacrev(solution)(x)
    assert torch.allclose(forward, backward)
