"""Bad calls: the error that each has to raise, and nothing else may have changed."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp

from ..samples import strategies
from ..samples.strategies import BOOL, FLOATING, INTEGER, NUMERIC, SIGNED
from .choices import Choices, assume
from .programs import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from .programs import Held, Program

LinAlgError = xp.linalg.LinAlgError


@dataclass(frozen=True)
class Bad:
    """A bad call, and the error that the CPU raises."""

    call: Callable[[], Any]
    error: type[Exception]
    late: bool = False
    """Whether it lies in values, so that an accelerator finds it out late."""
    written: Held | None = None
    """An array that it may have written to."""
    said: str = ""


def bad_step(program: Program, choices: Choices) -> None:
    """Make a bad call, and check that it is refused and that all arrays are what they were."""
    name = choices.one(tuple(BAD))
    program.what = f"bad {name}"
    bad = BAD[name](program, choices)
    mode = choices.one(("late", "wait", "off")) if bad.late and program.late else ""
    program.tells(lambda: f"# {name} {mode}: {bad.said}, expected {bad.error}")
    program.outcome.calls += 1
    program.outcome.bad += 1
    raised: Exception | None = None
    try:
        with xp.options(checks=mode or None):
            made = bad.call()
        if mode == "late":  # the error belongs to the result, or to the array that was written to
            (bad.written.array if bad.written else made).to_device("cpu")
    except Exception as error:  # noqa: BLE001  (which one it is is what is asked)
        raised = error
    # With "off" is found what needs no look at values, such as a position in an axis of size 0.
    if not isinstance(raised, bad.error) and not (mode == "off" and raised is None):
        raise AssertionError(f"expected {bad.error.__name__}, got {raised!r}")
    if bad.written is not None:
        try:
            program.renew(bad.written)
        except bad.error:  # as it then does whenever it is read, on an accelerator
            if not program.late or mode == "off":
                raise
            program.drop(bad.written)
    program.check_all()


def _array(
    program: Program,
    choices: Choices,
    dtypes: tuple[str, ...],
    min_dims: int = 0,
    values: Any = None,
) -> Held:
    """Choose an array of the program, or make one."""

    def able(held: Held) -> bool:
        return held.dtype in dtypes and held.mirror.ndim >= min_dims

    if any(map(able, program.held)) and choices.below(3):
        return program.some(choices, able)
    shape = choices.draw(strategies.shapes(min_dims=min_dims))
    operand = choices.draw(strategies.operands(choices.one(dtypes), shape, values))
    return _new(program, xp.asarray(operand.array, copy=True))


def _new(program: Program, array: Any) -> Held:
    held = program.hold(array, written(array))
    assert held is not None
    return held


def _outside(choices: Choices, size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Draw positions of which one at least is out of bounds."""
    dtype = choices.one(("int64", "int32", "int16"))
    info = np.iinfo(dtype)
    generator = np.random.default_rng(choices.below(2**16))
    positions = generator.integers(-size, max(size, 1 - size), shape).astype(dtype)
    assume(positions.size)
    far = (size, -size - 1, size + 5, 2 * size + 1, int(info.max), int(info.min))
    for _ in range(1 + choices.below(3)):
        positions.flat[choices.below(positions.size)] = choices.one(far)
    return positions


def _take(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    axis = choices.below(held.mirror.ndim)
    positions = _outside(choices, held.mirror.shape[axis], (1 + choices.below(5),))
    index = xp.asarray(positions)
    said = f"take({held.name}, {positions!r}, axis={axis})"
    return Bad(lambda: xp.take(held.array, index, axis=axis), IndexError, late=True, said=said)


def _take_along_axis(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    axis = choices.below(held.mirror.ndim)
    shape = list(held.mirror.shape)
    assume(held.mirror.size)
    shape[axis] = 1 + choices.below(3)
    positions = _outside(choices, held.mirror.shape[axis], tuple(shape))
    index = xp.asarray(positions)
    said = f"take_along_axis({held.name}, {positions!r}, axis={axis})"
    return Bad(
        lambda: xp.take_along_axis(held.array, index, axis=axis), IndexError, late=True, said=said
    )


def _keys(choices: Choices, held: Held) -> tuple[tuple[Any, ...], str]:
    """Draw a key with positions out of bounds."""
    shape = held.mirror.shape
    axis = choices.below(len(shape))
    like = (1 + choices.below(4),)
    several = axis + 1 < len(shape) and choices.below(2)
    positions = _outside(choices, shape[axis], like)
    key: list[Any] = [slice(None)] * axis + [positions]
    if several:
        assume(shape[axis + 1])
        key.append(np.zeros(like, positions.dtype))
    if len(key) < len(shape):
        key.append(Ellipsis)
    given = tuple(xp.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
    return given, f"{held.name}[{key!r}]"


def _getitem(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    key, said = _keys(choices, held)
    return Bad(lambda: held.array[key], IndexError, late=True, said=said)


def _setitem(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    assume(held.writable)
    key, said = _keys(choices, held)
    value = choices.draw(strategies.elements(held.dtype))

    def call() -> None:
        held.array[key] = value

    return Bad(call, IndexError, late=True, written=held, said=f"{said} = {value!r}")


def _integer(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    size = held.mirror.shape[0]
    position = choices.one((size, -size - 1, 2**40, -(2**40)))
    rest = (Ellipsis,) if held.mirror.ndim > 1 else ()
    key = (position, *rest)
    said = f"{held.name}[{position}]"
    return Bad(lambda: held.array[key], IndexError, said=said)


def _division(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, INTEGER)
    assume(held.mirror.size)
    sign = choices.one(("floordiv", "mod", "ifloordiv", "imod"))
    in_place = sign.startswith("i")
    assume(held.writable or not in_place)
    if choices.below(3) == 0:
        divisor: Any = 0
        by: Any = 0
        late = False
    else:
        divisor = np.random.default_rng(choices.below(2**16)).integers(1, 9, held.mirror.shape)
        divisor = np.asarray(divisor).astype(held.dtype)
        divisor.flat[choices.below(divisor.size)] = 0
        by, late = xp.asarray(divisor), True
    said = f"{sign}({held.name}, {divisor!r})"
    return Bad(
        lambda: getattr(operator, sign)(held.array, by),
        ZeroDivisionError,
        late=late,
        written=held if in_place else None,
        said=said,
    )


def _matrix(program: Program, choices: Choices) -> Bad:
    dtype = choices.one(FLOATING)
    n = 1 + choices.below(5)
    stack = (1 + choices.below(3),) if choices.below(2) else ()
    generator = np.random.default_rng(choices.below(2**16))
    matrix = generator.integers(-4, 5, (*stack, n, n)).astype(dtype) + np.eye(n, dtype=dtype) * 9
    which = choices.one(("inv", "solve", "cholesky"))
    row = choices.below(n)
    one = matrix[choices.below(stack[0])] if stack else matrix
    if which == "cholesky":
        matrix[...] = np.eye(n)
        one[row, row] = -1
    else:
        one[row, :] = 0
    held = _new(program, xp.asarray(matrix))
    function = getattr(xp.linalg, which)
    more = (xp.asarray(np.ones((n, 1), dtype)),) if which == "solve" else ()
    said = f"{which}({held.name})"
    return Bad(lambda: function(held.array, *more), LinAlgError, late=True, said=said)


def _power(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, INTEGER)
    exponent = -1 - choices.below(5)
    assume(held.dtype in SIGNED)
    said = f"{held.name} ** {exponent}"
    return Bad(lambda: held.array**exponent, ValueError, said=said)


def _repeat(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL, 1)
    size = held.mirror.shape[0]
    if choices.below(2) or not size:
        repeats: Any = -1 - choices.below(3)
        given = repeats
    else:
        repeats = np.ones(size, choices.one(("int64", "int32", "int8")))
        repeats[choices.below(size)] = -1 - choices.below(3)
        given = xp.asarray(repeats)
    said = f"repeat({held.name}, {repeats!r}, axis=0)"
    return Bad(lambda: xp.repeat(held.array, given, axis=0), ValueError, said=said)


def _axis(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, NUMERIC)
    ndim = held.mirror.ndim
    axis = choices.one((ndim, -ndim - 1, ndim + 7))
    functions: dict[str, Callable[[], Any]] = {
        "sum": lambda: xp.sum(held.array, axis=axis),
        "prod": lambda: xp.prod(held.array, axis=(axis,)),
        "any": lambda: xp.any(held.array, axis=axis),
        "flip": lambda: xp.flip(held.array, axis=axis),
        "roll": lambda: xp.roll(held.array, 1, axis=axis),
        "concat": lambda: xp.concat([held.array, held.array], axis=axis),
        "unstack": lambda: xp.unstack(held.array, axis=axis),
        "moveaxis": lambda: xp.moveaxis(held.array, 0, axis),
        "repeat": lambda: xp.repeat(held.array, 2, axis=axis),
        "count_nonzero": lambda: xp.count_nonzero(held.array, axis=axis),
    }
    name = choices.one(tuple(functions))
    said = f"{name}({held.name}, axis={axis})"
    return Bad(functions[name], IndexError, said=said)


def _shape(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, NUMERIC, 1)
    shape = held.mirror.shape
    assume(shape[-1] > 1)
    other = xp.ones((*shape[:-1], shape[-1] + 1), dtype=held.array.dtype)
    functions: dict[str, Callable[[], Any]] = {
        "+": lambda: held.array + other,
        "*=": lambda: held.array.__imul__(other),
        "reshape": lambda: xp.reshape(held.array, (held.mirror.size + 1,)),
        "broadcast_to": lambda: xp.broadcast_to(held.array, other.shape),
        "squeeze": lambda: xp.squeeze(held.array, axis=-1),
        "permute_dims": lambda: xp.permute_dims(held.array, (0,) * (held.mirror.ndim + 1)),
        "stack": lambda: xp.stack([held.array, other]),
        "mask": lambda: held.array[xp.ones(other.shape, dtype=xp.bool)],
        "x[...] = y": lambda: held.array.__setitem__(Ellipsis, other),
        "vecdot": lambda: xp.vecdot(held.array, other),
    }
    name = choices.one(tuple(functions))
    error = IndexError if name == "mask" else ValueError
    return Bad(functions[name], error, said=f"{name} of {held.name}")


def _type(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, strategies.ALL)
    x = held.array
    functions: dict[str, Callable[[], Any]] = {"numpy": lambda: xp.sum(held.mirror)}
    if held.dtype in BOOL:
        functions |= {"+": lambda: x + x, "-": lambda: -x, "sin": lambda: xp.sin(x)}
    elif held.dtype in INTEGER:
        floats = xp.ones(held.mirror.shape, dtype=xp.float32)
        functions |= {
            "/": lambda: x / x,
            "+ 1.5": lambda: x + 1.5,
            "+ float": lambda: x + floats,
            "exp": lambda: xp.exp(x),
            "+= float": lambda: operator.iadd(x, 1.5),
        }
    else:
        functions |= {
            "&": lambda: x & x,
            "~": lambda: ~x,
            "<<": lambda: x << 1,
            "x[x]": lambda: held.array[x] if held.mirror.ndim else operator.index(x),
        }
    name = choices.one(tuple(functions))
    errors = (TypeError, IndexError) if name == "x[x]" else TypeError
    said = f"{name} of {held.name}"
    return Bad(functions[name], errors, said=said)


def _scalar(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, NUMERIC, 1)
    assume(held.mirror.size != 1)
    convert = choices.one((bool, int, float, complex))
    return Bad(
        lambda: convert(held.array),
        TypeError,
        said=f"{convert.__name__}({held.name})",
    )


def _overflow(program: Program, choices: Choices) -> Bad:
    held = _array(program, choices, INTEGER)
    value = int(np.iinfo(held.dtype).max) + 1 + choices.below(5)
    functions: dict[str, Callable[[], Any]] = {
        "+": lambda: held.array + value,
        "full": lambda: xp.full((2,), value, dtype=held.array.dtype),
        "asarray": lambda: xp.asarray(value, dtype=held.array.dtype),
        "x[...] = y": lambda: held.array.__setitem__(Ellipsis, value),
    }
    name = choices.one(tuple(functions))
    return Bad(functions[name], OverflowError, said=f"{name} of {held.dtype} and {value}")


BAD: dict[str, Callable[[Program, Choices], Bad]] = {
    "take": _take,
    "take_along_axis": _take_along_axis,
    "x[positions]": _getitem,
    "x[positions] = y": _setitem,
    "x[integer]": _integer,
    "division": _division,
    "matrix": _matrix,
    "power": _power,
    "repeat": _repeat,
    "axis": _axis,
    "shape": _shape,
    "type": _type,
    "scalar": _scalar,
    "overflow": _overflow,
}
