"""Random programs: calls, views and writes over a few arrays, each step checked by NumPy's answer.

What a call has to give is what the samples say for drawn calls; some of the operands are arrays
that the program already has.  Each array has a mirror, an array of NumPy that lies in its memory
as the array lies in the memory that it shares with others: so a write to one must be seen in all,
and after each step every array has to be what its mirror is, bit by bit.  A program has objects
of others too, such as arrays of NumPy that were imported, and they have mirrors like its own.

What a step does is told as a line of Python: the lines of a find are a program by themselves.
"""

from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

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

    thing: Any
    mirror: np.ndarray
    memory: np.ndarray | None
    """The bytes in which the mirror lies."""
    address: int
    """Where these begin."""
    writable: bool
    """Whether each element has a place of its own."""
    live: np.ndarray | None
    """The memory of the array itself, where the host has it."""
    name: str = ""
    """What it is called in the lines that tell of the program."""
    dtype: str = ""
    """Its data type, by name."""

    says_writable: bool = True
    """Whether it says, to who imports it, that it may be written to."""

    def __post_init__(self) -> None:
        self.dtype = self.mirror.dtype.name

    @property
    def array(self) -> Any:
        """The array, if it is one of ours."""
        return self.thing

    def shown(self) -> np.ndarray:
        """Return what it holds."""
        return to_numpy(self.thing) if self.live is None else self.live

    def check(self) -> None:
        """Check that the array is what its mirror is."""
        found = self.shown()
        if found.tobytes() != self.mirror.tobytes():
            raise AssertionError(f"{self.name} was changed: {self.mirror!r} became {found!r}")


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
        if tell:
            imports = [f"import {name}" for name in sorted(program.modules)]
            outcome.told[:0] = [*imports, *HEAD]
        try:
            xp.synchronize()
        except Exception as error:  # noqa: BLE001  (an error that came later still)
            outcome.problem = outcome.problem or Problem(
                len(outcome.steps), "the end", type(error).__name__, str(error)
            )
    return outcome


#: The kind of steps that this process draws.
KIND = "all"


class Program:
    """The arrays of a program, and the steps that it can take."""

    def __init__(self, outcome: Outcome, *, tell: bool = False) -> None:
        self.held: list[Held] = []
        self.others: list[Held] = []
        """Objects that are not ours."""
        self.count = 0
        self.modules: set[str] = set()
        self.outcome = outcome
        self.what = ""
        self.telling = tell
        self.device = xp.__array_namespace_info__().default_device()
        self.late = self.device.backend.asynchronous

    def step(self, choices: Choices, steps: tuple[Step, ...] = ()) -> None:
        """Take one step, of some or of those of this process, and check all arrays."""
        choices.instead = {
            strategies.operands: self._operand(choices),
            strategies.shapes: self._shape(choices),
        }
        self.what = ""
        choices.one(steps or steps_of(KIND))(self, choices)
        for kept in (self.held, self.others):
            while len(kept) > MOST_ARRAYS:
                del kept[choices.below(len(kept) - 1)]

    # --- arrays -----------------------------------------------------------------------------------

    def hold(self, array: Any, said: str = "") -> Held | None:
        """Take an array into the program, whose values were checked; a line can say it."""
        if array.size > MOST_ELEMENTS or array.ndim > MOST_AXES or array.dtype == xp.float16:
            return None
        if array.device != self.device:
            return None
        values = to_numpy(array)
        if self.device.type == "mesh":  # where some views are copies
            array, live, memory = xp.asarray(array, copy=True), None, None
            self.tells(lambda: f"{self._next()} = xp.asarray({said}, copy=True)")
            array = self._laid(array)
            return self._keep(self.held, array, values, None, 0, None)
        tensor = xp.to_torch(array)
        storage = tensor.untyped_storage()
        strides = tuple(s * values.itemsize for s in tensor.stride())
        self.tells(lambda: f"{self._next()} = {said}")
        live = values if np.may_share_memory(values, to_numpy(array)) else None
        plain = torch.tensor([], dtype=torch.uint8, device=tensor.device)
        memory = (storage.data_ptr(), plain.set_(storage).cpu().numpy())
        return self._keep(self.held, array, values, live, tensor.data_ptr(), memory, strides)

    def hold_other(self, thing: Any, live: np.ndarray, said: str) -> Held:
        """Take in an object that is not ours, whose memory an array of NumPy shows."""
        self.tells(lambda: f"{self._next()} = {said}")
        reaches = [(n - 1) * s for n, s in zip(live.shape, live.strides)]
        low = sum(min(0, reach) for reach in reaches) if live.size else 0
        size = sum(map(abs, reaches)) + live.itemsize
        start = live.ctypes.data + low
        memory = (start, np.frombuffer(ctypes.string_at(start, size), np.uint8))
        held = self._keep(self.others, thing, live, live, live.ctypes.data, memory, live.strides)
        held.writable = bool(live.flags.writeable)
        return held

    def _next(self) -> str:
        return f"a{self.count}"

    def _keep(
        self,
        pool: list[Held],
        thing: Any,
        values: np.ndarray,
        live: np.ndarray | None,
        address: int,
        extent: tuple[int, Any] | None,
        strides: tuple[int, ...] = (),
    ) -> Held:
        """Give an object a mirror: in the memory of another's, if it lies in that one's."""
        memory, mirror, begin = None, values.copy(), 0
        if extent and extent[0] and values.size:
            if (known := self.owner(address)) is not None:
                memory, begin = known.memory, known.address
            else:
                begin, memory = extent[0], np.array(extent[1])
            assert memory is not None
            mirror = np.ndarray(values.shape, values.dtype, memory.data, address - begin, strides)
        writable = memory is None or all(n <= 1 or s for n, s in zip(values.shape, strides))
        pool.append(Held(thing, mirror, memory, begin, writable, live, self._next()))
        self.count += 1
        pool[-1].check()
        return pool[-1]

    def owner(self, address: int) -> Held | None:
        """Return an object of the program in whose memory an address lies."""
        for held in (*self.held, *self.others):
            if held.memory is not None and 0 <= address - held.address < len(held.memory):
                return held
        return None

    def shares(self, array: Any, held: Held) -> bool:
        """Say whether an array lies in the memory of an object of the program."""
        owner = self.owner(xp.to_torch(array).data_ptr()) if array.size else None
        return owner is not None and owner.memory is held.memory

    def check_sharing(self, array: Any, held: Held, expected: bool) -> None:
        """Check that an array is a view, or that it is none."""
        if array.size and held.memory is not None and self.device.type != "mesh":
            shares = self.shares(array, held)
            assert shares == expected, f"{'a view' if shares else 'a copy'} of {held.name}"

    def _laid(self, array: Any) -> Any:
        """Return an array of a mesh that is divided along another axis, or not at all."""
        axis = self.outcome.calls % (array.ndim + 1)
        return (
            distributed.replicate(array) if axis == array.ndim else distributed.shard(array, axis)
        )

    def renew(self, written: Held) -> None:
        """Take over what was written to an array, and to others of its memory."""
        for held in self._alike(written):
            held.mirror[...] = to_numpy(held.array)

    def drop(self, spoiled: Held) -> None:
        """Forget an array, and others of its memory."""
        alike = self._alike(spoiled)
        # An empty view shows none of it, and is known by what it is a view of.
        own = [h for h in self.held if all(h is not a for a in alike) and h.mirror.size]
        self.held = own

    def _alike(self, one: Held) -> list[Held]:
        memory = one.memory
        return [h for h in self.held if h is one or (memory is not None and h.memory is memory)]

    def check_all(self) -> None:
        """Check that all arrays are what they have to be."""
        for held in (*self.held, *self.others):
            held.check()

    def some(self, choices: Choices, condition: Callable[[Held], Any] = lambda _: True) -> Held:
        """Choose an array of the program."""
        # The newest first, so that it is the same one in a program with fewer steps.
        return choices.one([h for h in self.held[::-1] if condition(h)])

    def tells(self, text: Callable[[], str]) -> None:
        """Note what a step does, as a line of Python, where that is asked for."""
        if self.telling:
            self.outcome.told.append(" ".join(text().split()))

    def uses(self, module: str) -> None:
        """Note that a line needs a module of Python's own."""
        if module in ("array", "array_api_strict", "copy", "jax", "pickle"):
            self.modules.add(module)

    def name(self, value: Any) -> str:
        """Return a text for an argument: a name, if the program has it."""
        if isinstance(value, Held):
            return value.name
        if isinstance(value, Operand):
            value = value.array
        for held in self.held:
            if held.array is value:
                return held.name
        return written(value, self.name)

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
        self.tells(lambda: f"r = xp.{name}({self.arguments(trial.args, trial.kwargs)})")
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
            single = isinstance(result, xp.Array)
            for number, array in enumerate(results[:4]):
                self.hold(array, "r" if single else f"r[{number}]")

    def arguments(self, args: Any, kwargs: Any) -> str:
        """Return the text of the arguments of a call."""
        named = [f"{key}={self.name(value)}" for key, value in kwargs.items()]
        return ", ".join([*map(self.name, args), *named])

    def key(self, choices: Choices, shape: tuple[int, ...]) -> tuple[Any, ...]:
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
        key = self.key(choices, held.mirror.shape)
        self.outcome.calls += 1
        self.tells(lambda: f"r = {held.name}[{key}]")
        result = held.array[key]
        same(result, held.mirror[key])
        steps = (k.step or 1 for k in key if isinstance(k, slice))
        self.check_sharing(result, held, all(step > 0 for step in steps))
        self.check_all()
        self.hold(result, "r")

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
        self.tells(lambda: f"r = {held.name}[{self.name(key)}]")
        self.outcome.calls += 1
        result = held.array[key]
        same(result, held.mirror[mirrored])
        self.check_all()
        self.hold(result, "r")

    def _write(self, choices: Choices) -> None:
        """Write to a part of an array."""
        held = self.some(choices, lambda h: h.writable)
        if choices.below(3):
            key = mirrored = self.key(choices, held.mirror.shape)
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
        self.tells(lambda: f"{held.name}[{self.name(key)}] = {self.name(value)}")
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
        self.tells(lambda: f"{held.name} {sign}= {self.name(value)}")
        self.outcome.calls += 1
        result = getattr(operator, f"i{_DUNDERS.get(name, name)}")(held.array, value)
        assert result is held.array, "an operation in place gave another array"
        check(held.array)
        held.mirror[...] = to_numpy(held.array)
        self.check_all()


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


Step: TypeAlias = "Callable[[Program, Choices], None]"


@cache
def steps_of(kind: str) -> tuple[Step, ...]:
    """Return the steps of a kind, each as often as it is to be drawn."""
    from . import compiled, derivatives, relaxed, seams, threads
    from .bad import bad_step

    right: tuple[Step, ...] = (
        *((Program._call,) * 8 + (Program._view,) * 2 + (Program._gather,)),
        *((Program._write, Program._update) * 2 + seams.STEPS),
    )
    each: dict[str, tuple[tuple[Step, ...], int]] = {
        "right": (right, 0),
        # A program has twenty steps; each of the others takes as long as one to a thousand calls.
        "seams": ((*right, bad_step), 600),
        "relaxed": (relaxed.STEPS, 600),
        "derivatives": (derivatives.STEPS, 60),
        "threads": (threads.STEPS, 30),
        "compiled": (compiled.STEPS, 1),
    }
    if kind != "all":
        return each[kind][0]
    return tuple(step for steps, weight in each.values() for step in steps * weight)


def written(value: Any, name: Callable[[Any], str] = repr) -> str:
    """Return Python for a value; ``name`` gives that of its parts."""
    if isinstance(value, xp.Array):
        tensor = xp.to_torch(value.to_device("cpu"))
        if tensor.is_contiguous():
            return f"xp.asarray({written(to_numpy(value))})"
        size = tensor.untyped_storage().nbytes() // tensor.itemsize
        memory = tensor.as_strided((size,), (1,), 0).numpy()
        layout = f"{tuple(tensor.shape)}, {tensor.stride()}, {tensor.storage_offset()}"
        return f"xp.asarray(torch.from_numpy({written(memory)}).as_strided({layout}))"
    if isinstance(value, np.ndarray):
        kind = value.dtype.str if value.dtype.byteorder == ">" else value.dtype.name
        plain = value.size and (value.dtype.kind != "c" or np.array_equal(value, value))
        if not value.size:
            return f"np.zeros({value.shape}, {kind!r})"
        if plain and value.dtype.kind != "c":
            return f"np.array({value.tolist()}, {kind!r})"
        data = value.tobytes().hex()
        return f"np.frombuffer(bytes.fromhex({data!r}), {kind!r}).reshape({value.shape}).copy()"
    if isinstance(value, (tuple, list)):
        inside = ", ".join(map(name, value))
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return "..." if value is Ellipsis else repr(value)


#: The head of the program that the lines of a find make.
HEAD = (
    "import numpy as np",
    "import torch",
    "import ascend_array_api as xp",
    "from numpy import inf, nan",
)
