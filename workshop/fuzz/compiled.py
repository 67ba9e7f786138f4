"""Steps that compile drawn functions, and call what was compiled again with other operands.

Each call is compared with what NumPy makes of the same lines: values, shapes, data types, and that
no array has become a number of Python's.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import ascend_array_api as xp

from ..samples.strategies import to_numpy
from .choices import Rejected, assume
from .derivatives import compare, derivatives, differences, smooth, tensor, tensor_of
from .formulas import Formula, bounded, function, of_numpy
from .programs import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from .choices import Choices
    from .programs import Program

_DTYPES = ("float64", "float32", "int64", "int32")
_SCALARS: dict[str, tuple[Any, ...]] = {
    "int": (2, 3, 1, 5, -2, 0, 7),
    "float": (1.5, 0.25, 2.0, -3.5, 0.0, 1.0),
    "bool": (True, False),
}


def _backend(program: Program, choices: Choices) -> str:
    able = ["eager"] * 8 + ["aot_eager"] * 4
    if program.device.type != "npu" and shutil.which("c++"):
        able.append("inductor")
    return str(choices.one(able))


def _compiled(program: Program, choices: Choices) -> None:
    """Compile a function, and call it several times."""
    program.what = "compiled"
    dtype, shape = choices.one(_DTYPES), choices.one(((3,), (2, 3), (), (4, 1), (2, 2, 2)))
    scalar = choices.one(_SCALARS[choices.one(("int", "float", "bool"))])
    inputs = {"x": _values(choices, dtype, shape), "y": _values(choices, dtype, shape)}
    formula = Formula(program, choices, {**inputs, "s": scalar})
    formula.draw(LINES, 6)
    names = list(reversed(formula.values))[: 1 + choices.below(4)]
    text = formula.text(f"({', '.join(names)},)")
    backend = _backend(program, choices)
    whole = bool(choices.below(2)) and program.device.type != "mesh"
    dynamic = choices.one((None, None, True))
    program.what = f"compiled by {backend}"
    reference, eager = function(text, of_numpy()), function(text, xp)
    program.tells(lambda: "xp.options(default_float='float64')")
    program.tells(lambda: text)
    options = f"backend={backend!r}, fullgraph={whole}, dynamic={dynamic}"
    program.tells(lambda: f"c = torch.compile(f, {options})")
    torch._dynamo.reset()
    compiled = torch.compile(eager, backend=backend, fullgraph=whole, dynamic=dynamic)
    try:
        for _ in range(1 + choices.below(5)):
            _call(program, reference, eager, compiled, (inputs, scalar))
            change = choices.below(4)
            if change <= 1:
                kind = choices.one(tuple(_SCALARS)) if change else type(scalar).__name__
                scalar = choices.one(_SCALARS[kind])
            elif change == 2:
                shape = tuple(n + 1 + choices.below(2) if n > 2 else n for n in shape)
            else:
                dtype = choices.one(_DTYPES)
            inputs = {name: _values(choices, dtype, shape) for name in inputs}
    finally:
        torch._dynamo.reset()
    program.check_all()


def _values(choices: Choices, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    generator = np.random.default_rng(choices.below(2**16))
    values = generator.integers(-8, 9, shape)
    return np.asarray(values / 4 if "float" in dtype else values).astype(dtype)


def _call(
    program: Program,
    reference: Any,
    eager: Any,
    compiled: Any,
    given: tuple[dict[str, np.ndarray], Any],
) -> None:
    """Call what was compiled, if NumPy and the namespace take the operands."""
    inputs, scalar = given
    try:
        expected = reference(*(v.copy() for v in inputs.values()), scalar)
        with xp.options(default_float="float64"):
            eager(*map(xp.asarray, inputs.values()), scalar)
    except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError):
        return
    if not all(bounded(np.asarray(value)) for value in expected):
        return
    arrays = [xp.asarray(values) for values in inputs.values()]
    said = ", ".join(written(array) for array in arrays)
    program.tells(lambda: f"r = c({said}, {scalar!r})")
    program.outcome.calls += 1
    with xp.options(default_float="float64"):
        found = compiled(*arrays, scalar)
    assert isinstance(found, tuple)
    for number, (array, right) in enumerate(zip(found, expected)):
        alike(array, np.asarray(right), f"r[{number}]")
    for array, values in zip(arrays, inputs.values()):
        assert to_numpy(array).tobytes() == values.tobytes(), "an operand was changed"


def alike(array: Any, right: np.ndarray, name: str) -> None:
    """Check that a result is an array with NumPy's data type, shape and values, to rounding."""
    if not isinstance(array, xp.Array):
        raise AssertionError(f"{name} is {array!r}, no array")  # noqa: TRY004
    values = to_numpy(array)
    if values.dtype != right.dtype or values.shape != right.shape:
        found = f"{values.dtype.name}{values.shape}"
        raise AssertionError(f"{name} is {found}, expected {right.dtype.name}{right.shape}")
    if right.dtype.kind not in "fc":
        right_ones = np.array_equal(values, right)
    else:
        narrow = right.dtype in (np.float32, np.complex64)
        bound = 1e-4 if narrow else 1e-9
        right_ones = np.allclose(values, right, rtol=bound, atol=bound, equal_nan=True)
    if not right_ones:
        raise AssertionError(f"{name} is {values!r}, expected {right!r}")


def _derivative(program: Program, choices: Choices) -> None:
    """Compile a smooth function, and differentiate it backward."""
    program.what = "derivative, compiled"
    shape = choices.one(((3,), (2, 3), (), (3, 3)))
    generator = np.random.default_rng(choices.below(2**16))
    inputs = {"x": np.asarray(generator.integers(-200, 200, shape) / 64)}
    formula, result = smooth(program, choices, inputs)
    text = formula.text(result)
    along = [generator.integers(-2, 3, shape) / 2.0]
    expected = differences(text, list(inputs.values()), along)
    backend = _backend(program, choices)
    program.what = f"derivative, compiled by {backend}"
    array = xp.asarray(inputs["x"])
    program.tells(lambda: text)
    program.tells(lambda: f"x = {tensor_of(written(array))}.requires_grad_()")
    device = "device=xp.__array_namespace_info__().default_device()"
    program.tells(lambda: f"c = torch.compile(f, backend={backend!r})")
    program.tells(lambda: f"xp.to_torch(c(xp.asarray(x, {device}))).backward(), x.grad")
    program.outcome.calls += 1
    torch._dynamo.reset()
    compiled = torch.compile(function(text, xp), backend=backend)
    try:
        found = derivatives(
            compiled, "first", [tensor(array)], [tensor(xp.asarray(d)) for d in along]
        )
    except torch._dynamo.exc.TorchRuntimeError:
        raise Rejected from None
    finally:
        torch._dynamo.reset()
    compare(found, expected, rounded=any("float32" in line for line in formula.lines))
    program.check_all()


# --- lines --------------------------------------------------------------------------------------

_ONES = (
    *("{v} + s", "s - {v}", "{v} * s", "{v} > s", "s <= {v}", "{v} == s", "{v} != s", "s < {v}"),
    *("xp.where({v} > s, {v}, s)", "xp.maximum({v}, s)", "xp.clip({v}, s, None)", "{v} / s"),
    *("xp.full({v}.shape, s)", "xp.full_like({v}, s)", "xp.asarray(s)", "xp.asarray(s) > 1"),
    *("xp.asarray([s, s])", "xp.any({v} > s)", "xp.sum({v}) * s", "{v} if s > 1 else -{v}"),
    *("{v} // s", "{v} % s", "xp.pow({v}, 2)", "xp.asarray(s) + {v}", "{v} ** 2", "xp.abs({v})"),
    *("xp.isfinite(xp.asarray(s))", "xp.astype(xp.asarray(s), xp.float64)", "xp.arange(4) * s"),
    *("xp.linspace(0, s, 3)", "xp.zeros({v}.shape)", "xp.ones({v}.shape, dtype={v}.dtype) * s"),
    *(
        "xp.equal(xp.asarray(s), s)",
        "xp.max({v})",
        "xp.sum({v})",
        "xp.mean({v})",
        "xp.all({v} < s)",
    ),
    *("xp.logical_not({v} > s)", "xp.astype({v}, xp.float64)", "xp.astype({v} > s, xp.int64)"),
    *("xp.sign({v})", "xp.square({v})", "xp.sin({v})", "{v} / 3", "xp.sum({v}, dtype=xp.float64)"),
    *("xp.logical_and({v} > s, {v} < 2)", "({v} > s) | ({v} < 0)", "xp.bitwise_xor({v}, {v})"),
    *("xp.isin({v}, s)", "xp.minimum(s, {v})", "xp.count_nonzero({v})", "xp.asarray(bool(s))"),
    *("xp.asarray(s, dtype={v}.dtype)", "xp.where({v} > 0, s, 0)", "xp.copysign({v}, s)"),
    *("xp.asarray({v}.shape)", "xp.asarray({v}.size)", "xp.asarray({v}.ndim + s)"),
    *("xp.broadcast_to(xp.asarray(s), {v}.shape)", "xp.reshape({v}, (-1,))", "-{v}"),
    "xp.remainder({v}, s)",
)
_TWOS = (
    *("{v} + {w}", "{v} - {w}", "{v} * {w}", "{v} > {w}", "{v} == {w}", "xp.maximum({v}, {w})"),
    *("xp.where({v} > {w}, {v}, {w})", "xp.where({v} > s, {v}, {w})", "{v} * s + {w}"),
    *("xp.concat([{v}, {w}])", "xp.stack([{v}, {w}])", "{v} if s else {w}", "xp.hypot({v}, {w})"),
)
_AXES = (
    *("{v} * {v}.shape[0]", "xp.sum({v}, axis=0)", "xp.sort({v}, axis=-1)", "xp.argmax({v})"),
    *("xp.cumulative_sum({v}, axis=0)", "xp.flip({v}, axis=0)", "xp.concat([{v}, {v}])"),
    *("xp.arange({v}.shape[0])", "xp.any({v} > s, axis=-1)", "xp.max({v}, axis=0, keepdims=True)"),
    *("xp.roll({v}, 1, axis=0)", "{v}[0, ...] * s", "{v}[1:, ...]", "{v}[..., -1]"),
    *("xp.take({v}, xp.asarray([0, 0]), axis=0)", "xp.full(({v}.shape[0],), s)", "xp.diff({v})"),
    *("xp.expand_dims({v}, axis=0)", "xp.prod({v}, axis=-1)", "xp.linalg.vecdot({v}, {v})"),
    *("xp.matmul({v}, xp.matrix_transpose({v}))", "xp.argsort({v})", "xp.unstack({v})[0]"),
)
_WRITES = (
    *("{y} += s", "{y} *= s", "{y} -= {w}", "{y}[...] = s", "{y}[0, ...] = s", "{y}[0, ...] += s"),
    *("{y}[{y} > s] = s", "{y}[...] = {w}", "{y}[1:, ...] -= {y}[:-1, ...]", "{y}[..., ::2] = 1"),
)


def _one(f: Formula) -> None:
    f.add(f.choices.one(_ONES).format(v=f.some()))


def _two(f: Formula) -> None:
    v = f.some()
    f.add(f.choices.one(_TWOS).format(v=v, w=f.like(v)))


def _axis(f: Formula) -> None:
    f.add(f.choices.one(_AXES).format(v=f.some(lambda v: v.ndim)))


def _write(f: Formula) -> None:
    if f.writable and f.choices.below(2):
        y = f.choices.one(f.writable[::-1])
    else:
        y = f.own(f.some())
    w = f.like(y)
    assume(f.values[w].dtype == f.values[y].dtype)
    f.write(f.choices.one(_WRITES).format(y=y, w=w))


LINES = (*(_one,) * 3, _two, _axis, _write)

STEPS: tuple[Callable[[Program, Choices], None], ...] = (_compiled, _compiled, _derivative)
