"""Steps that differentiate drawn functions, and compare with finite differences of NumPy's values.

Differences of two step sizes say how good they are: where these disagree, as at a kink, nothing is
compared.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.autograd import forward_ad

import ascend_array_api as xp

from .choices import Rejected, assume
from .formulas import MOST_ELEMENTS, Formula, function, of_numpy
from .programs import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from .choices import Choices
    from .programs import Held, Program

_STEP = 2e-3
_REFUSED = (
    "modified by an inplace operation",
    "has been modified inplace",
    "a derivative through a write to a view of an array that is divided is not known",
    "You must implement the jvp function for custom autograd.Function",
    "aten::_efficientzerotensor",
)
"""What is said where something has no derivative, which is better than a wrong one: torch does not
write to all that it differentiates, and torch_npu lacks an operator of forward derivatives."""
_WAYS = ("reverse", "func.grad", "func.vjp", "dual", "func.jvp", "func.hessian")
_WAYS_OF = {
    # The gradients of what is distributed are those of tensors on the host.
    "mesh": ("reverse", "dual"),
}


def _derivative(program: Program, choices: Choices) -> None:
    """Compare the first and the second derivative of a function along a direction."""
    program.what = "derivative"
    inputs = _inputs(program, choices)
    formula, result = smooth(program, choices, {n: v for n, (_, v, _) in inputs.items()})
    rounded = any("float32" in line for line in formula.lines)
    text = formula.text(result)
    way = choices.one(_WAYS_OF.get(program.device.type, _WAYS))
    program.what = f"derivative by {way}"
    values = [value for _, value, _ in inputs.values()]
    along = [
        np.random.default_rng(choices.below(2**16)).integers(-2, 3, v.shape) / 2.0 for v in values
    ]
    expected = differences(text, values, along)
    program.tells(lambda: text)
    for name, (_, _, said) in inputs.items():
        program.tells(lambda name=name, said=said: f"{name} = {tensor_of(said)}")
    directions = [xp.asarray(d) for d in along]
    for name, direction in zip(inputs, directions):
        said = written(direction)
        program.tells(lambda name=name, said=said: f"d{name} = {tensor_of(said)}")
    for line in told(way, tuple(inputs)):
        program.tells(lambda line=line: line)
    program.outcome.calls += 1
    tensors = [tensor(array) for array, _, _ in inputs.values()]
    found = derivatives(function(text, xp), way, tensors, [tensor(d) for d in directions])
    value, first, second = found
    compare((value, first, None if formula.has_kink else second), expected, rounded=rounded)
    program.check_all()


def tensor(array: Any) -> Any:
    """Return the tensor of an array by which derivatives are taken: of a mesh, one on the host."""
    own = array.to_device("cpu") if array.device.type == "mesh" else array
    return xp.to_torch(own).detach().contiguous()  # torch.func takes none that repeats elements


def _on(t: Any) -> Any:
    return xp.asarray(t, device=xp.__array_namespace_info__().default_device())


def _inputs(program: Program, choices: Choices) -> dict[str, tuple[Any, np.ndarray, str]]:
    """Choose arrays of the program, or make others; with their values and the text for them."""

    def able(held: Held) -> bool:
        values = held.mirror
        return (
            held.dtype == "float64"
            and 0 < values.size <= MOST_ELEMENTS
            and values.ndim < 4
            and bool((np.abs(values) < 4).all())
        )

    inputs = {}
    for name in ("x", "y")[: 1 + choices.below(2)]:
        if any(map(able, program.held)) and choices.below(3):
            held = program.some(choices, able)
            inputs[name] = (held.array, np.array(held.mirror), held.name)
            continue
        shape = choices.one(((3,), (2, 3), (), (3, 3), (4,), (1, 3), (2, 1, 3), (2, 3, 3)))
        generator = np.random.default_rng(choices.below(2**16))
        values = np.asarray(generator.integers(-200, 200, shape) / 64)
        array = xp.asarray(values)
        inputs[name] = (array, values, written(array))
    return inputs


def smooth(program: Program, choices: Choices, inputs: dict[str, Any]) -> tuple[Formula, str]:
    """Draw a function of float64 whose value is one number."""
    formula = Formula(program, choices, inputs)
    formula.draw(LINES, 10)
    names = list(reversed(formula.values))[: 1 + choices.below(3)]
    used = dict.fromkeys([*names, *formula.inputs])
    return formula, " + ".join(f"xp.sum(xp.sin({name}))" for name in used)


@cache
def _oracle() -> Any:
    # Rounding would make steps of what is differentiated.
    return of_numpy(float32=np.float64)


def differences(
    text: str, values: list[np.ndarray], along: list[np.ndarray]
) -> tuple[tuple[float, float], ...]:
    """Return a value and its derivatives along a direction, each with its bound."""
    f = function(text, _oracle())

    def at(t: float) -> float:
        return float(f(*(v + t * d for v, d in zip(values, along))))

    middle = at(0.0)
    found = []
    for h in (_STEP, _STEP / 2):
        try:
            far, near = (at(2 * h), at(-2 * h)), (at(h), at(-h))
        except (ValueError, IndexError):  # another number of elements is selected
            raise Rejected from None
        first = (far[1] - 8 * near[1] + 8 * near[0] - far[0]) / (12 * h)
        second = (16 * sum(near) - sum(far) - 30 * middle) / (12 * h * h)
        found.append((first, second))
    bounds = []
    for one, other, close in zip(*found, (1e-6, 1e-4)):
        scale, off = max(1.0, abs(other)), abs(one - other)
        assume(off < 10 * close * scale)
        bounds.append((other, close * scale + 10 * off))
    return ((middle, 1e-9 * max(1.0, abs(middle))), *bounds)


def compare(found: Any, expected: Any, *, rounded: bool) -> None:
    """Compare a value and its derivatives with what they have to be."""
    for what, value, (right, bound) in zip(("value", "first", "second"), found, expected):
        if value is None:
            continue
        near = max(bound, 1e-3 * max(1.0, abs(right))) if rounded else bound
        if not abs(float(value) - right) <= near:
            raise AssertionError(f"{what} derivative is {float(value)!r}, expected {right!r}")


def derivatives(
    f: Callable[..., Any], way: str, tensors: list[Any], directions: list[Any]
) -> tuple[Any, Any, Any]:
    """Return what torch makes of a function: its value, and derivatives along a direction."""
    try:
        return WAYS[way](f, tensors, directions)
    except RuntimeError as error:  # NotImplementedError is one
        if any(said in str(error) for said in _REFUSED):
            raise Rejected from None
        raise


def _dot(gradients: Any, directions: list[Any]) -> Any:
    return sum((g * d).sum() for g, d in zip(gradients, directions))


def _by_reverse(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    leaves = [t.detach().requires_grad_() for t in tensors]
    value = xp.to_torch(f(*map(_on, leaves)))
    gradients = torch.autograd.grad(value, leaves, create_graph=True)
    first = _dot(gradients, directions)
    second: Any = 0.0
    if first.requires_grad:
        twice = torch.autograd.grad(first, leaves, allow_unused=True)
        second = sum((g * d).sum() for g, d in zip(twice, directions) if g is not None)
    return value.detach(), first.detach(), second


def _by_first(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    leaves = [t.detach().requires_grad_() for t in tensors]
    value = _arrays(f, *leaves)
    return value.detach(), _dot(torch.autograd.grad(value, leaves), directions), None


def _arrays(f: Any, *tensors: Any) -> Any:
    return xp.to_torch(f(*map(_on, tensors)))


def _by_grad(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    places = tuple(range(len(tensors)))
    gradient = torch.func.grad(partial(_arrays, f), argnums=places)
    twice = torch.func.grad(lambda *t: _dot(gradient(*t), directions), argnums=places)
    first = _dot(gradient(*tensors), directions)
    return _arrays(f, *tensors), first, _dot(twice(*tensors), directions)


def _by_jvp(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    value, first = torch.func.jvp(partial(_arrays, f), tuple(tensors), tuple(directions))
    return value, first, None


def _by_hessian(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    places = tuple(range(len(tensors)))
    gradient = torch.func.grad(partial(_arrays, f), argnums=places)
    first, second = torch.func.jvp(gradient, tuple(tensors), tuple(directions))
    return None, _dot(first, directions), _dot(second, directions)


def _by_vjp(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    value, pull = torch.func.vjp(f, *map(_on, tensors))
    gradients = pull(xp.ones_like(value))
    return xp.to_torch(value), _dot(map(xp.to_torch, gradients), directions), None


def _by_dual(f: Any, tensors: list[Any], directions: list[Any]) -> tuple[Any, Any, Any]:
    with forward_ad.dual_level():
        duals = map(forward_ad.make_dual, tensors, directions)
        value, first = forward_ad.unpack_dual(_arrays(f, *duals))
        return value, 0.0 if first is None else first, None


WAYS: dict[str, Callable[..., tuple[Any, Any, Any]]] = {
    "reverse": _by_reverse,
    "func.grad": _by_grad,
    "func.jvp": _by_jvp,
    "func.hessian": _by_hessian,
    "func.vjp": _by_vjp,
    "dual": _by_dual,
    "first": _by_first,
}


def tensor_of(said: str) -> str:
    """Return Python for the tensor of an array, by which derivatives are taken."""
    host = xp.__array_namespace_info__().default_device().type == "mesh"
    return (
        f"xp.to_torch({said}.to_device('cpu')).detach().contiguous()"
        if host
        else f"xp.to_torch({said}).detach().contiguous()"
    )


def told(way: str, names: tuple[str, ...]) -> list[str]:
    """Return lines that compute a first derivative, and a second one, as a way does."""
    x, d = ", ".join(names), ", ".join(f"d{n}" for n in names)
    places = tuple(range(len(names)))
    on = "on = lambda t: xp.asarray(t, device=xp.__array_namespace_info__().default_device())"
    g = f"{on}; g = lambda *t: xp.to_torch(f(*map(on, t)))"
    if way == "reverse":
        return [
            g,
            f"leaves = [t.requires_grad_() for t in ({x},)]",
            "value = g(*leaves)",
            "first = torch.autograd.grad(value, leaves, create_graph=True)",
            f"dot = sum((a * b).sum() for a, b in zip(first, ({d},)))",
            "torch.autograd.grad(dot, leaves, allow_unused=True) if dot.requires_grad else 0",
        ]
    grad = f"first = torch.func.grad(g, {places})"
    if way == "func.grad":
        dot = f"sum((a * b).sum() for a, b in zip(first(*t), ({d},)))"
        return [g, grad, f"torch.func.grad(lambda *t: {dot}, {places})({x}), first({x})"]
    if way == "func.jvp":
        return [g, f"torch.func.jvp(g, ({x},), ({d},))"]
    if way == "func.hessian":
        return [g, grad, f"torch.func.jvp(first, ({x},), ({d},))"]
    if way == "dual":
        return [
            g,
            "from torch.autograd import forward_ad",
            "forward_ad.enter_dual_level()",
            f"value = g(*map(forward_ad.make_dual, ({x},), ({d},)))",
            "forward_ad.unpack_dual(value).tangent, forward_ad.exit_dual_level()",
        ]
    return [
        f"value, pull = torch.func.vjp(f, *map(xp.asarray, ({x},)))",
        "pull(xp.ones_like(value))",
    ]


# --- lines --------------------------------------------------------------------------------------

_UNARY = (
    *("xp.sin({v})", "xp.cos({v})", "xp.tanh({v})", "xp.atan({v})", "xp.asinh({v})", "-{v}"),
    *("xp.exp(xp.tanh({v}))", "xp.log(2.5 + xp.cos({v}))", "xp.sqrt(1 + xp.square({v}))"),
    *("xp.log1p(xp.square({v}))", "xp.expm1(xp.sin({v}))", "xp.reciprocal(2 + xp.sin({v}))"),
    *("{v} ** 2", "xp.sin({v}) ** 3", "1.5 * {v}", "2 - {v}", "1 / (2 + xp.cos({v}))", "{v} / 3"),
    *("xp.abs({v})", "xp.sinh(xp.sin({v}))", "xp.cosh(xp.sin({v}))", "+{v}", "xp.positive({v})"),
    *("xp.acos(0.5 * xp.sin({v}))", "xp.asin(0.5 * xp.cos({v}))", "xp.tan(0.5 * xp.sin({v}))"),
    *("xp.atanh(0.5 * xp.sin({v}))", "xp.acosh(2.5 + xp.cos({v}))", "xp.log2(3 + xp.sin({v}))"),
    *("xp.log10(3 + xp.sin({v}))", "xp.exp(-xp.square({v}))", "xp.clip({v}, -1.5, 1.5)"),
    *("xp.astype({v}, xp.float64)", "xp.astype({v}, xp.float64, copy=False)", "xp.asarray({v})"),
    *("xp.astype(xp.astype({v}, xp.float32), xp.float64)", "xp.where({v} > 0.3, {v}, 2 * {v})"),
    *("xp.real(xp.astype({v}, xp.complex128) ** 2)", "xp.imag({v} * 1j)", "xp.abs(1 + 1j * {v})"),
    *("xp.imag(xp.exp(0.5j * {v}))", "xp.real(xp.conj({v} + 2j) * ({v} - 1j))", "{v} * {v}"),
    *("{v} - xp.zeros_like({v})", "{v} * xp.ones_like({v})", "2.0 ** xp.sin({v})"),
    "xp.sqrt(2 + xp.sin({v}))",
)
_BINARY = (
    *("{v} + {w}", "{v} - {w}", "{v} * {w}", "{v} / (2 + xp.square({w}))", "{w} * {v}"),
    *("xp.add({v}, {w})", "xp.maximum({v}, {w})", "xp.minimum({w}, {v})"),
    *("xp.where({v} > {w}, xp.sin({v}), {w})", "xp.hypot({v}, 1 + xp.square({w}))"),
    *("xp.atan2({v}, 2.5 + xp.cos({w}))", "xp.logaddexp({v}, {w})", "xp.clip({v}, {w}, {w} + 1)"),
    *("(1.5 + xp.cos({v})) ** (2.5 + xp.sin({w}))", "xp.pow(1.5 + xp.sin({v}), 2 + xp.cos({w}))"),
    *("xp.concat([{v}, xp.broadcast_to({w}, {v}.shape)])", "xp.stack([{w}, {w}], axis=-1)"),
    *(
        "xp.linalg.outer(xp.reshape({v}, (-1,)), xp.reshape({w}, (-1,)))",
        "xp.copysign({v}, xp.cos({w}) - 2)",
    ),
    *("xp.broadcast_arrays({v}, {w})[1]", "xp.abs({v} + 1j * {w} + 3)", "{v} % (3 + {w} ** 2)"),
)
_AXIS = (  # of arrays of one axis at least
    *("xp.sum({v}, axis={a})", "xp.sum({v}, axis={a}, keepdims=True)", "xp.mean({v}, axis={a})"),
    *("xp.prod({v}, axis={a})", "xp.var({v}, axis={a})", "xp.max({v}, axis={a})"),
    *("xp.min({v}, axis={a}, keepdims=True)", "xp.cumulative_sum({v}, axis={a})"),
    *("xp.cumulative_sum({v}, axis={a}, include_initial=True)", "xp.flip({v}, axis={a})"),
    *("xp.cumulative_prod({v}, axis={a})", "xp.roll({v}, 1, axis={a})", "xp.sort({v}, axis={a})"),
    *("xp.concat([{v}, xp.sin({v})], axis={a})", "xp.stack([{v}, {v} + 1], axis={a})"),
    *("xp.expand_dims({v}, axis={a})", "xp.unstack({v}, axis={a})[0]", "xp.diff({v}, axis={a})"),
    *("xp.moveaxis({v}, {a}, 0)", "xp.repeat({v}, 2, axis={a})", "xp.vecdot({v}, {v}, axis={a})"),
    *("xp.take({v}, xp.asarray([0, 0]), axis={a})", "xp.linalg.vector_norm({v} + 6, axis={a})"),
    *(
        "xp.std(xp.stack([{v}, 1 + xp.square({v})]), axis=0)",
        "xp.reshape({v}, (-1,))",
        "xp.tile({v}, (2,))",
    ),
    *(
        "xp.broadcast_to({v}, (2, *{v}.shape))",
        "xp.permute_dims({v}, tuple(range({v}.ndim))[::-1])",
    ),
    *("xp.real(xp.fft.ifft(xp.fft.fft({v} + 0j, axis={a}) * 2j, axis={a}))", "xp.sum({v})"),
    *("xp.fft.irfft(xp.fft.rfft({v}, axis={a}) * (1 + 1j), axis={a})", "xp.sort({v})[..., ::-1]"),
    *("xp.take_along_axis({v}, xp.argsort({v}, axis={a}), axis={a})", "xp.mean({v})"),
    *("xp.cumulative_sum(xp.flip({v}, axis={a}), axis={a})", "{v}[xp.asarray([0, -1, 0]), ...]"),
    *("{v}[{v} > 0.2]", "xp.squeeze(xp.sum({v}, axis={a}, keepdims=True), axis={a})"),
)
_MATRIX = (  # of two axes at least
    *("{v}.mT", "xp.matmul({v}, xp.matrix_transpose({v}))", "{v} @ {v}.mT", "xp.tril({v})"),
    *("xp.triu({v}, k=1)", "xp.linalg.trace({v})", "xp.linalg.diagonal({v})"),
    *(
        "xp.tensordot({v}, {v}, axes=([-1], [-1]))",
        "{v}.mT @ {v}",
        "xp.linalg.matrix_norm({v} + 5)",
    ),
)
_SQUARE = (  # of square matrices
    "xp.linalg.det(xp.sin({v}) + 3 * xp.eye({v}.shape[-1], dtype=xp.float64))",
    "xp.linalg.inv(xp.tanh({v}) + 6 * xp.eye({v}.shape[-1], dtype=xp.float64))",
    "xp.linalg.solve(xp.sin({v}) + 5 * xp.eye({v}.shape[-1], dtype=xp.float64), {v})",
    "xp.linalg.cholesky({v} @ {v}.mT + 2 * xp.eye({v}.shape[-1], dtype=xp.float64))",
    "xp.linalg.matrix_power({v}, 3)",
    # Values that differ: where they do not, vectors are undetermined.
    (
        "xp.linalg.eigvalsh(xp.sin({v}) + xp.sin({v}).mT + 20 * xp.eye({v}.shape[-1], "
        "dtype=xp.float64) * xp.arange({v}.shape[-1], dtype=xp.float64))"
    ),
    "xp.linalg.slogdet({v} + 6 * xp.eye({v}.shape[-1], dtype=xp.float64))[1]",
)
_WRITES = (
    *("{y}[{k}] = {w}", "{y}[{k}] += {w}", "{y}[{k}] *= {w}", "{y}[{k}] -= 2 * {w}"),
    *("{y}[{k}] = xp.sin({w})", "{y}[{k}] = 1.5", "{y}[{k}] /= 2.0"),
)
_WHOLE = ("{y} += {w}", "{y} *= {w}", "{y} -= {w}", "{y} *= 2", "{y} /= 1 + {w} ** 2", "{y} **= 2")


_KINKS = ("abs(", "max", "min", "sort(", "where(", "clip(", "copysign(", "%")


def _add(f: Formula, text: str, **names: Any) -> None:
    """Add a line, and note whether it may be one without a second derivative at its operands.

    At a kink that the outer functions flatten, differences of two step sizes agree.
    """
    f.add(text.format(**names))
    if any(kink in text for kink in _KINKS):
        operands = [f.values[n].ravel() for n in names.values() if isinstance(n, str)]
        values = np.sort(np.concatenate([*operands, (0.0, 0.3, 1.0, 1.5, -1.5)]))
        f.has_kink |= bool((np.diff(values) < 1e-3).any())


def _unary(f: Formula) -> None:
    _add(f, f.choices.one(_UNARY), v=f.some())


def _binary(f: Formula) -> None:
    v = f.some()
    _add(f, f.choices.one(_BINARY), v=v, w=f.like(v))


def _axis(f: Formula) -> None:
    v = f.some(lambda v: v.ndim)
    axis = f.choices.below(f.values[v].ndim) - f.values[v].ndim
    _add(f, f.choices.one(_AXIS), v=v, a=axis)


def _part(f: Formula) -> None:
    v = f.some()
    f.add(f"{v}[{f.key(v)}]")


def _matrix(f: Formula) -> None:
    f.add(f.choices.one(_MATRIX).format(v=f.some(lambda v: v.ndim >= 2)))


def _square(f: Formula) -> None:
    square = f.some(lambda v: v.ndim >= 2 and v.shape[-1] == v.shape[-2])
    f.add(f.choices.one(_SQUARE).format(v=square))


def _write(f: Formula) -> None:
    """Write to an array of the formula's own, or to a view of it, what else it has."""
    if f.writable and f.choices.below(3):
        y = f.choices.one(f.writable[::-1])
    else:
        y = f.own(f.some())
    if f.choices.below(3) == 0:
        y = f.view(y)
    key = f.key(y)
    shape = f.values[y][key].shape

    def fits(value: Any) -> bool:
        return value.ndim <= len(shape) and all(
            a in (1, b) for a, b in zip(value.shape[::-1], shape[::-1])
        )

    if f.choices.below(3) == 0:
        f.write(f.choices.one(_WHOLE).format(y=y, w=f.like(y)))
    elif f.choices.below(4) == 0 and f.values[y].ndim:
        f.write(f"{y}[{y} > 0.1] = {f.choices.one((0.5, -1.5))}")
    else:
        f.write(f.choices.one(_WRITES).format(y=y, k=key, w=f.some(fits)))


LINES = (*(_unary, _binary, _axis) * 2, _part, _matrix, _square, *(_write,) * 3)

STEPS: tuple[Callable[[Program, Choices], None], ...] = (_derivative,)
