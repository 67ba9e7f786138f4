"""Random programs: calls, views and writes over a few arrays, each step checked by NumPy's answer.

What a call has to give is what the samples say for drawn calls; some of the operands are arrays
that the program already has.  Each array has a mirror, an array of NumPy that lies in its memory
as the array lies in the memory that it shares with others: so a write to one must be seen in all,
and after each step every array has to be what its mirror is, bit by bit.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api import distributed

from ..samples import strategies
from ..samples._table import FUNCTIONS
from ..samples.comparison import VIEWS, arrays_in, check_memory, compared
from ..samples.elementwise import BINARY
from ..samples.strategies import (
    ALL,
    INTEGER,
    LONG_SIDES,
    PROMOTION,
    Operand,
    arrays_of,
    nested,
    same,
    to_numpy,
)
from .choices import Choices, Rejected, assume

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

MOST_ARRAYS = 6
MOST_ELEMENTS = strategies.MAX_SIZE
MOST_AXES = 4
LONGEST = max(LONG_SIDES)


@dataclass
class Held:
    """An array of the program, and its mirror."""

    array: Any
    mirror: np.ndarray
    memory: np.ndarray | None
    """The bytes in which the mirror lies."""
    address: int
    writable: bool
    """Whether each element has a place of its own."""
    live: np.ndarray | None
    """The memory of the array itself, where the host has it."""
    dtype: str = ""
    """Its data type, by name."""

    def __post_init__(self) -> None:
        self.dtype = self.mirror.dtype.name

    def check(self) -> None:
        """Check that the array is what its mirror is."""
        found = to_numpy(self.array) if self.live is None else self.live
        if found.tobytes() != self.mirror.tobytes():
            raise AssertionError(
                f"an array of the program was changed: {self.mirror!r} became {found!r}"
            )


@dataclass(frozen=True)
class Problem:
    """What was wrong in a step."""

    step: int
    what: str
    """The kind of step and the function."""
    error: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """What makes two problems the same."""
        return self.what, self.error


@dataclass
class Outcome:
    """A program that ran: the choices of each step, how many calls it made, and what was wrong."""

    steps: list[list[int]]
    calls: int = 0
    bad: int = 0
    problem: Problem | None = None
    told: list[str] = field(default_factory=list)


def run(
    generator: random.Random | None, steps: Sequence[Sequence[int]] = (), *, tell: bool = False
) -> Outcome:
    """Run a program: one that is drawn, or that of some recorded choices."""
    outcome = Outcome([])
    program = Program(outcome, tell=tell)
    count = generator.randint(1, 40) if generator else len(steps)
    with np.errstate(all="ignore"):
        for number in range(count):
            choices = Choices(generator, () if generator else steps[number])
            try:
                program.step(choices)
            except Rejected:
                if generator:
                    continue
            except Exception as error:  # noqa: BLE001  (whatever is raised is what is looked for)
                outcome.problem = Problem(
                    len(outcome.steps), program.what, type(error).__name__, str(error)
                )
            outcome.steps.append(choices.made)
            if outcome.problem:
                break
        try:
            with xp.options(checks="late"):
                pass
        except Exception as error:  # noqa: BLE001  (an error that came later still)
            outcome.problem = outcome.problem or Problem(
                len(outcome.steps), "the end", type(error).__name__, str(error)
            )
    return outcome


class Program:
    """The arrays of a program, and the steps that it can take."""

    def __init__(self, outcome: Outcome, *, tell: bool = False) -> None:
        self.held: list[Held] = []
        self.outcome = outcome
        self.what = ""
        self._tell = tell
        self.device = xp.__array_namespace_info__().default_device()
        self.late = self.device.backend.late

    def step(self, choices: Choices) -> None:
        """Take one step, and check all arrays."""
        choices.instead = {
            strategies.operands: self._operand(choices),
            strategies.shapes: self._shape(choices),
        }
        self.what = ""
        kind = choices.below(16)
        if kind < 8:
            self._call(choices)
        elif kind < 10:
            self._view(choices)
        elif kind < 11:
            self._gather(choices)
        elif kind < 13:
            self._write(choices)
        elif kind < 15:
            self._update(choices)
        else:
            from .bad import bad_step

            bad_step(self, choices)
        while len(self.held) > MOST_ARRAYS:
            del self.held[choices.below(len(self.held))]

    # --- arrays -----------------------------------------------------------------------------------

    def hold(self, array: Any) -> None:
        """Take an array into the program, whose values were checked."""
        if array.size > MOST_ELEMENTS or array.ndim > MOST_AXES or array.dtype == xp.float16:
            return
        if array.device != self.device:
            return
        values = to_numpy(array)
        if self.device.type == "mesh":  # where some views are copies
            own = self._laid(xp.asarray(array, copy=True))
            self.held.append(Held(own, values.copy(), None, 0, writable=True, live=None))
            return
        tensor = xp.to_torch(array)
        address = tensor.untyped_storage().data_ptr()
        memory = next((h.memory for h in self.held if address and h.address == address), None)
        strides = tensor.stride()
        writable = all(n <= 1 or s for n, s in zip(array.shape, strides))
        if not address or not array.size:
            self.held.append(Held(array, values.copy(), None, 0, writable=True, live=None))
            return
        if memory is None:
            memory = np.zeros(tensor.untyped_storage().nbytes(), np.uint8)
        size = values.itemsize
        mirror = np.ndarray(
            array.shape,
            values.dtype,
            memory.data,
            tensor.storage_offset() * size,
            tuple(s * size for s in strides),
        )
        mirror[...] = values
        live = values if np.may_share_memory(values, to_numpy(array)) else None
        self.held.append(Held(array, mirror, memory, address, writable, live))

    def _laid(self, array: Any) -> Any:
        """Return an array of a mesh that is divided along another axis, or not at all."""
        axis = self.outcome.calls % (array.ndim + 1)
        return (
            distributed.replicate(array) if axis == array.ndim else distributed.shard(array, axis)
        )

    def renew(self, written: Held) -> None:
        """Take over what was written to an array, and to others of its memory."""
        for held in self.held:
            alike = written.memory is not None and held.memory is written.memory
            if held is written or alike:
                held.mirror[...] = to_numpy(held.array)

    def check_all(self) -> None:
        """Check that all arrays are what they have to be."""
        for held in self.held:
            held.check()

    def some(self, choices: Choices, condition: Callable[[Held], Any] = lambda _: True) -> Held:
        """Choose an array of the program."""
        held: Held = choices.one([h for h in self.held if condition(h)])
        return held

    def tells(self, text: Callable[[], str]) -> None:
        """Note what a step does, where that is asked for."""
        if self._tell:
            line = " ".join(text().split())
            self.outcome.told.append(line if len(line) < 800 else f"{line[:800]} ...")

    def name(self, held: Held) -> str:
        """Return a text for an array of the program."""
        return f"{held.mirror!r}" if self._tell else ""

    def _operand(self, choices: Choices) -> Callable[..., Any]:
        """Return what draws operands: an array of the program at times."""

        def instead(dtype: str, shape: tuple[int, ...], values: Any = None, **_: Any) -> Any:
            able = [h for h in self.held if h.dtype == dtype and h.mirror.shape == shape]
            if values is not None:
                able = [h for h in able if values.fits and values.fits(h.mirror)]
            if not able or not choices.below(4):
                return NotImplemented
            held = choices.one(able)
            value = np.array(held.mirror, order="C")
            value.flags.writeable = False
            return Operand(held.array, value, "held", held.array, value)

        return instead

    def _shape(self, choices: Choices) -> Callable[..., Any]:
        """Return what draws shapes: that of an array of the program at times."""

        def instead(
            *, min_dims: int = 0, max_dims: int = 4, min_side: int = 0, long: bool = True
        ) -> Any:
            able = [
                h.mirror.shape
                for h in self.held
                if min_dims <= h.mirror.ndim <= max_dims
                and all(min_side <= n <= (LONGEST if long else 4) for n in h.mirror.shape)
            ]
            if not able or not choices.below(3):
                return NotImplemented
            return choices.one(able)

        return instead

    # --- steps ------------------------------------------------------------------------------------

    def _call(self, choices: Choices) -> None:
        """Call a function as the samples draw it."""
        names, by_dtype = _catalogue()
        mine = [h.dtype for h in self.held if h.dtype in by_dtype]
        if mine and choices.below(4):
            dtype = choices.one(mine)
            name = choices.one(by_dtype[dtype])
        else:
            name = choices.one(tuple(names))
            dtype = choices.one(names[name])
        self.what = f"call of {name}"
        trial = FUNCTIONS[name].compared(choices.draw, name, dtype)
        self.tells(lambda: f"{name} of {dtype}: {trial.args}, {trial.kwargs}")
        args, kwargs = arrays_of(trial.args), arrays_of(trial.kwargs)
        self.outcome.calls += 1
        result = _function(name)(*args, **kwargs)
        trial.check(result)
        operands = list(nested((trial.args, trial.kwargs)))
        for operand in operands:
            operand.check_unchanged()
        results = tuple(arrays_in(result))
        check_memory(results, [] if name in VIEWS else [o.array for o in operands])
        self.check_all()
        if name not in ("empty", "empty_like"):  # what these hold is whatever was there
            for array in results[:4]:
                self.hold(array)

    def _key(self, choices: Choices, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """Draw a key of integers, slices, None and an ellipsis."""
        key: list[Any] = []
        for n in shape[: choices.below(len(shape) + 1)]:
            kind = choices.below(4)
            if kind == 3 and n:
                key.append(choices.below(2 * n) - n)
            elif kind:
                ends = [choices.one((None, *range(-n - 1, n + 2))) for _ in range(2)]
                key.append(slice(*ends, choices.one((None, 1, 2, 3, -1, -2))))
            else:
                key.append(slice(None))
        if choices.below(4) == 0:
            key.append(Ellipsis)
        if choices.below(4) == 0:
            key.insert(choices.below(len(key) + 1), None)
        # The standard leaves open what fewer indices than axes mean.
        if Ellipsis not in key and sum(i is not None for i in key) < len(shape):
            key.append(Ellipsis)
        return tuple(key)

    def _view(self, choices: Choices) -> None:
        """Take a part of an array."""
        self.what = "x[key]"
        held = self.some(choices)
        key = self._key(choices, held.mirror.shape)
        self.tells(lambda: f"{self.name(held)}[{key}]")
        self.outcome.calls += 1
        result = held.array[key]
        same(result, held.mirror[key])
        self.check_all()
        self.hold(result)

    def _positions(self, choices: Choices, held: Held) -> tuple[Any, Any, str]:
        """Draw a mask or positions, for the array and for its mirror; positions are distinct."""
        shape = held.mirror.shape
        assume(shape)
        if choices.below(2):
            axes = 1 + choices.below(len(shape))
            like = tuple(shape[:axes])
            bits = np.random.default_rng(choices.below(2**16)).integers(0, 2, like).astype(bool)
            return xp.asarray(bits), bits, "mask"
        n = shape[0]
        order = np.random.default_rng(choices.below(2**16)).permutation(n)
        order = order[: choices.below(n + 1)] - n * choices.below(2)
        order = order.astype(choices.one(("int64", "int32", "int16")))
        array = xp.asarray(order)
        rest = (slice(None),) * (len(shape) - 1)
        return (array, *rest), (order, *rest), "positions"

    def _gather(self, choices: Choices) -> None:
        """Take elements by a mask, or by positions."""
        held = self.some(choices)
        key, mirrored, kind = self._positions(choices, held)
        self.what = f"x[{kind}]"
        self.tells(lambda: f"{self.name(held)}[{mirrored}]")
        self.outcome.calls += 1
        result = held.array[key]
        same(result, held.mirror[mirrored])
        self.check_all()
        self.hold(result)

    def _write(self, choices: Choices) -> None:
        """Write to a part of an array."""
        held = self.some(choices, lambda h: h.writable)
        if choices.below(3):
            key = mirrored = self._key(choices, held.mirror.shape)
            self.what = "x[key] = y"
        else:
            key, mirrored, kind = self._positions(choices, held)
            self.what = f"x[{kind}] = y"
        part = held.mirror[mirrored]
        values = strategies.elements(held.dtype)
        shape = part.shape if self.what != "x[mask] = y" else ()
        if choices.below(2):
            value = mirror = choices.draw(values)
            if held.dtype in INTEGER or held.dtype == "bool":
                mirror = np.asarray(value, held.dtype)
        else:
            shape = shape[choices.below(len(shape) + 1) :]
            shape = tuple(1 if n != 1 and choices.below(4) == 0 else n for n in shape)
            operand = choices.draw(strategies.operands(held.dtype, shape, values))
            value, mirror = operand.array, operand.value
        self.tells(lambda: f"{self.name(held)}[{mirrored}] = {mirror!r}")
        self.outcome.calls += 1
        held.array[key] = value
        held.mirror[mirrored] = mirror
        self.check_all()

    def _update(self, choices: Choices) -> None:
        """Compute in place."""
        held = self.some(choices, lambda h: h.writable)
        able = [n for n in UPDATES if held.dtype in BINARY[n].dtypes]
        name = choices.one(able)
        function, sign = BINARY[name], UPDATES[name]
        self.what = f"x {sign}= y"
        first = function.first(held.dtype)
        assume(first.fits and first.fits(held.mirror))
        before = np.array(held.mirror, order="C")
        others = [d for d in function.dtypes if PROMOTION.get((held.dtype, d)) == held.dtype]
        dtype = held.dtype if choices.below(3) else choices.one(others)
        values = function.second(dtype)
        if choices.below(3) == 0:
            value = strategies.scalar_of(choices.draw, dtype, values)
            second = np.asarray(value, held.dtype)
        else:
            shape = before.shape[choices.below(before.ndim + 1) :]
            shape = tuple(1 if choices.below(4) == 0 else n for n in shape)
            operand = choices.draw(strategies.operands(dtype, shape, values))
            value, second = operand.array, operand.value.astype(held.dtype)
        assume(function.defined(before, second))
        check = function.check(before, second, held.dtype)
        self.tells(lambda: f"{self.name(held)} {sign}= {second!r}")
        self.outcome.calls += 1
        result = getattr(operator, f"i{_DUNDERS.get(name, name)}")(held.array, value)
        assert result is held.array, "an operation in place gave another array"
        check(held.array)
        self.renew_or_take(held)
        self.check_all()

    def renew_or_take(self, held: Held) -> None:
        """Take over what an array holds now; others see it if they share its memory."""
        held.mirror[...] = to_numpy(held.array)


UPDATES = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "pow": "**",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
}
_DUNDERS = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
}


@cache
def _catalogue() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the functions with their data types, and the functions of each data type."""
    names = compared()
    return names, {d: tuple(n for n, of in names.items() if d in of) for d in ALL}


@cache
def _function(name: str) -> Any:
    return operator.attrgetter(name)(xp)
