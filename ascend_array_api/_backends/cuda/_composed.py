"""Compositions of elementwise functions as one kernel each, generated from the steps they call.

A composition runs once, with symbols in place of tensors, which record the steps.  This module
turns the steps into C++ for torch's generator of kernels.  A composition computes both sides of
every selection; the kernel computes a step only on the side that needs it.  Steps that a
composition repeats by ``repeated`` are written once, in a loop.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ..._devices.device import Spec
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Route, Via
from ..._torch import dtypes as dt
from ..._torch import torch
from ..._torch.private import jit_kernel
from ._fused import plain, where_plain

# --- symbols --------------------------------------------------------------------------------------

_OPERATORS: Final = {
    **dict.fromkeys(("add", "radd"), "+"),
    **dict.fromkeys(("sub", "rsub"), "-"),
    **dict.fromkeys(("mul", "rmul"), "*"),
    **dict.fromkeys(("truediv", "rtruediv"), "/"),
    **dict(zip(("and", "or", "eq", "ne"), ("&&", "||", "==", "!="))),
    **dict(zip(("lt", "le", "gt", "ge"), ("<", "<=", ">", ">="))),
}
"""The operators of C++ for methods of Python."""

_UNARY: Final = {"neg": "-", "invert": "!"}
_FUNCTIONS: Final = {
    **{name: name for name in ("copysign", "cos", "erfc", "exp", "expm1", "floor", "hypot")},
    **{name: name for name in ("lgamma", "log", "log1p", "pow", "sin", "sqrt", "tan")},
    "abs": "fabs",
    "round": "rint",
    "special_erfcx": "erfcx",
    "special_ndtri": "normcdfinv",
}
"""The functions of CUDA for functions of torch."""

_FILLED: Final = {"ones_like": 1.0, "zeros_like": 0.0}
_TRUTHS: Final = frozenset({"&&", "||", "!", "==", "!=", "<", "<=", ">", ">="})
_INLINE: Final = frozenset({"constant", "input", "variable"})
_COST: Final = {
    **dict.fromkeys((*_INLINE, "state"), 0),
    **dict.fromkeys((*_OPERATORS.values(), *_UNARY.values(), "?", "fabs", "copysign"), 1),
    "/": 8,
    "sqrt": 10,
    "pow": 80,
}
"""The approximate number of instructions of a step; 25 for steps not listed."""


class _Step(NamedTuple):
    """One computation from the results of earlier steps, which it names by their numbers."""

    code: str
    """An operator of C++, a function of CUDA, a name in ``_INLINE``, ``?`` for a selection, or
    ``loop``, whose results are the steps called ``state``."""
    operands: tuple[int, ...] = ()
    """Of a loop: the states before it, then those after one of its rounds."""
    value: Any = None
    """The value of a constant, the number of an input or state, a variable's loop, a ``_Loop``."""

    def gives_truth(self, steps: Sequence[_Step]) -> bool:
        """Say whether the result is a boolean."""
        if self.code == "?":
            return steps[self.operands[1]].gives_truth(steps)
        return self.code in _TRUTHS


class _Loop(NamedTuple):
    """The part of a kernel that a loop repeats."""

    name: int
    rows: tuple[int, ...]
    """The numbers of the variables that take the values of the tables."""
    states: tuple[int, ...]
    """The numbers of the variables that each round computes anew."""
    tables: tuple[Sequence[float], ...]


class Symbol:
    """A stand-in for a tensor in a composition, which records the steps."""

    __slots__ = ("_number", "_program", "device", "dtype")
    requires_grad = False
    is_cuda = False  # so that kernels do not try to read it

    def __init__(self, program: Program, number: int) -> None:
        self._program = program
        self._number = number
        self.device = program.spec.device.torch_device
        self.dtype = program.dtype_of(number)

    def __bool__(self) -> bool:
        raise TypeError("a composition asks for the values of a tensor")

    __hash__ = object.__hash__

    def detach(self) -> Symbol:
        """Return itself: only the composition has derivatives."""
        return self

    def repeated(self, *loop: Any) -> tuple[Symbol, ...]:
        """Record a loop."""
        return self._program.repeated(*loop)

    @classmethod
    def __torch_function__(
        cls,
        function: Callable[..., Any],
        types: Any,
        operands: tuple[Any, ...] = (),
        parameters: Any = None,
    ) -> Any:
        """Record a call of a function of torch."""
        name = function.__name__
        if name == "broadcast_tensors":
            return operands
        program = next((x._program for x in operands if isinstance(x, Symbol)), None)
        if program is None:
            raise _no_function(function)
        if name == "where":
            return program.symbol("?", *operands)
        if name in _FILLED or name == "full_like":
            return program.constant(operands[1] if name == "full_like" else _FILLED[name])
        if name == "sigmoid":
            return 1 / (torch.exp(-operands[0]) + 1)
        if name in _FUNCTIONS and not parameters:
            return program.symbol(_FUNCTIONS[name], *operands)
        return program.result_of(function, operands)


def _no_function(function: Kernel) -> TypeError:
    return TypeError(f"there is no function of CUDA's for torch.{function.__name__}")


def _operator(code: str, *, reflected: bool) -> Callable[..., Symbol]:
    def method(self: Symbol, other: Any) -> Symbol:
        pair = (other, self) if reflected else (self, other)
        return self._program.symbol(code, *pair)

    return method


for _name, _code in _OPERATORS.items():
    _reflected = _name in {"radd", "rsub", "rmul", "rtruediv"}
    setattr(Symbol, f"__{_name}__", _operator(_code, reflected=_reflected))
for _name, _code in _UNARY.items():
    setattr(Symbol, f"__{_name}__", lambda self, _code=_code: self._program.symbol(_code, self))


def call_of(code: str, *operands: Any) -> Any:
    """Return the symbol for a call of a CUDA function that torch does not have."""
    program = next(x._program for x in operands if isinstance(x, Symbol))
    return program.symbol(code, *operands)


class Program:
    """The steps of a composition.

    Parameters
    ----------
    composition : callable
        The function of tensors.
    spec : Spec
        The spec of its operands.
    operands : int
        The number of operands.
    computed_in : dtype
        The data type of the computation: that of the operands, or a wider one.
    """

    def __init__(
        self,
        composition: Callable[..., Any],
        spec: Spec,
        operands: int,
        computed_in: torch.dtype,
    ) -> None:
        self.spec = spec
        self.computed_in = computed_in
        self.before: list[Kernel] = []
        """Kernels of torch whose results, computed from the operands, are further inputs."""
        self._steps: list[_Step] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._within: list[frozenset[int]] = []
        """For each step, the loops on whose variables it depends."""
        self._inputs = [Symbol(self, self._input(i)) for i in range(operands)]
        self._result = self._folded(composition(*self._inputs)._number)

    def _add(self, step: _Step) -> int:
        # As a text, because that distinguishes negative zero, and NaN equals itself.
        # Equal steps share a number, so that the kernel computes them once.
        key = (step.code, step.operands, str(step.value))
        if key not in self._numbers:
            self._numbers[key] = len(self._steps)
            self._steps.append(step)
            within = frozenset[int]().union(*(self._within[o] for o in step.operands))
            if step.code == "variable":
                within |= {step.value[0]}
            elif step.code == "loop":
                within -= {step.value.name}
            self._within.append(within)
        return self._numbers[key]

    def _input(self, place: int) -> int:
        return self._add(_Step("input", value=place))

    def _constant(self, value: float) -> int:
        return self._add(_Step("constant", value=float(value)))

    def constant(self, value: float) -> Symbol:
        """Return the symbol for a tensor of one number."""
        return Symbol(self, self._constant(value))

    def symbol(self, code: str, *operands: Any) -> Symbol:
        """Return the symbol for a step that computes from symbols and Python scalars."""
        return Symbol(self, self._made(code, [self._number(x) for x in operands]))

    def _number(self, x: Any) -> int:
        return x._number if isinstance(x, Symbol) else self._constant(x)

    def repeated(
        self,
        step: Callable[..., tuple[Any, ...]],
        state: tuple[Any, ...],
        tables: tuple[Sequence[float], ...],
    ) -> tuple[Symbol, ...]:
        """Return the symbols for the states after a loop; see ``_constants.repeated``."""
        name, count = len(self._steps), len(tables)
        variables = [
            self._add(_Step("variable", value=(name, i))) for i in range(count + len(state))
        ]
        after = step(*(Symbol(self, number) for number in variables))
        rows, states = tuple(variables[:count]), tuple(variables[count:])
        numbers = tuple(map(self._number, (*state, *after)))
        loop = self._add(_Step("loop", numbers, _Loop(name, rows, states, tables)))
        return tuple(Symbol(self, self._add(_Step("state", (loop,), i))) for i in range(len(state)))

    def result_of(self, function: Kernel, operands: Sequence[Any]) -> Symbol:
        """Return the symbol for the result of torch's own kernel for the unchanged operands."""
        numbers = [x._number if isinstance(x, Symbol) else None for x in operands]
        if numbers != [x._number for x in self._inputs]:
            raise _no_function(function)
        if function not in self.before:
            self.before.append(function)
        place = len(self._inputs) + self.before.index(function)
        return Symbol(self, self._input(place))

    def dtype_of(self, number: int) -> torch.dtype:
        """Return the data type that a step shows to the composition."""
        return dt.bool if self._steps[number].gives_truth(self._steps) else self.spec.dtype

    def _made(self, code: str, operands: Sequence[int], value: Any = None) -> int:
        if code == "*":
            for one, other in (operands, operands[::-1]):
                if self._steps[one] == _Step("constant", value=1.0):
                    return other
        if code == "?" and operands[1] == operands[2]:
            return operands[1]
        return self._add(_Step(code, tuple(operands), value))

    # --- where steps are computed -----------------------------------------------------------------

    def _folded(self, result: int) -> int:
        """Return the result without selections whose condition is known where they are used."""
        while True:
            places = self._places(result)
            new: dict[int, int] = {}
            for number in sorted(places):
                step = self._steps[number]
                operands = [new[o] for o in step.operands]
                if step.code in _INLINE:
                    new[number] = number
                elif step.code != "?" or (side := self._known(number, places)) is None:
                    new[number] = self._made(step.code, operands, step.value)
                else:
                    new[number] = operands[1 if side else 2]
            if new[result] == result:
                return result
            result = new[result]

    def _places(self, result: int) -> dict[int, _Place]:
        """Return, for every step that is used, the innermost place that contains all its uses."""
        places = {result: _Place()}
        for number in range(result, -1, -1):
            if number not in places:
                continue
            step, place = self._steps[number], places[number]
            uses = [place] * len(step.operands)
            if step.code == "?":
                uses[1:] = place.sides(number)[True], place.sides(number)[False]
            elif step.code == "loop":
                states = len(step.value.states)
                uses[states:] = [place.body(number, step.value.name)] * states
            for operand, use in zip(step.operands, uses):
                around = use.around(self._within[operand])
                places[operand] = around.shared(places.get(operand, around))
        return places

    def _known(self, number: int, places: dict[int, _Place]) -> bool | None:
        facts: dict[int, bool] = {}
        place = places[number]
        while place.outer is not None:
            if place.loop is None:
                self._note(self._steps[place.of].operands[0], place.taken, facts)
            place = place.outer
        return self._decided(self._steps[number].operands[0], facts)

    def _note(self, condition: int, value: bool, facts: dict[int, bool]) -> None:
        facts[condition] = value
        step = self._steps[condition]
        if step.code == ("&&" if value else "||"):
            for operand in step.operands:
                self._note(operand, value, facts)
        elif step.code == "!":
            self._note(step.operands[0], not value, facts)

    def _decided(self, condition: int, facts: dict[int, bool]) -> bool | None:
        if condition in facts:
            return facts[condition]
        step = self._steps[condition]
        if step.code not in {"&&", "||", "!"}:
            return None
        found = [self._decided(operand, facts) for operand in step.operands]
        if step.code == "!":
            return None if found[0] is None else not found[0]
        decisive = step.code == "||"
        return decisive if decisive in found else None if None in found else not decisive

    # --- C++ --------------------------------------------------------------------------------------

    @functools.cached_property
    def text(self) -> str:
        """The C++ template of a function ``xp_entry`` of the operands and the further inputs."""
        writer = _Writer(self._steps, self._places(self._result), self.computed_in)
        return writer.text(self._result, len(self._inputs) + len(self.before))


@dataclass(eq=False)
class _Place:
    """A scope of the function: all of it, one side of a selection, or the body of a loop."""

    outer: _Place | None = None
    of: int = -1
    """The number of the selection, or of the loop."""
    taken: bool = True
    """The value of its condition on this side."""
    depth: int = 0
    loop: int | None = None
    """The name of the loop, if this is its body."""
    cost: int = 0
    inner: dict[int, dict[bool, _Place]] = field(default_factory=dict)

    def sides(self, selection: int) -> dict[bool, _Place]:
        """Return the two sides of a selection here."""
        if selection not in self.inner:
            self.inner[selection] = {
                taken: _Place(self, selection, taken, self.depth + 1) for taken in (True, False)
            }
        return self.inner[selection]

    def body(self, number: int, name: int) -> _Place:
        """Return the body of a loop here."""
        if number not in self.inner:
            self.inner[number] = {True: _Place(self, number, True, self.depth + 1, name)}
        return self.inner[number][True]

    def around(self, within: frozenset[int]) -> _Place:
        """Return the place before the loops around this one on which a step does not depend."""
        found, place = self, self
        while place.outer is not None and (place.loop is None or place.loop not in within):
            if place.loop is not None:
                found = place.outer
            place = place.outer
        return found

    @property
    def repeats(self) -> _Place | None:
        """The body of the innermost loop around this place."""
        place = self
        while place.loop is None and place.outer is not None:
            place = place.outer
        return place if place.loop is not None else None

    def shared(self, other: _Place) -> _Place:
        """Return the innermost place that contains both."""
        here: _Place | None = self
        while here is not other and here is not None:
            if here.depth >= other.depth:
                here = here.outer
            else:
                here, other = other, here
        return other

    def branches(self, selection: int) -> bool:
        """Say whether a side of a selection is costly enough to branch around."""
        return max(side.cost for side in self.sides(selection).values()) >= _WORTH


_WORTH: Final = 12
"""From this cost on, the kernel branches around a side that is not taken."""

_DEEP: Final = 24
"""The greatest number of steps in one expression."""

_PRECEDENCE: Final = {
    **dict.fromkeys(("*", "/"), 6),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("<", "<=", ">", ">="), 4),
    **dict.fromkeys(("==", "!="), 3),
    "&&": 2,
    "||": 1,
}
_PREFIX: Final = 7
_WHOLE: Final = 8


class _Expression(NamedTuple):
    text: str
    precedence: int = _WHOLE
    depth: int = 0

    def within(self, least: int) -> str:
        """Return the text as an operand, in parentheses if the operator binds more closely."""
        return self.text if self.precedence >= least else f"({self.text})"


def _names() -> Iterator[str]:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSUVWXYZ"  # T is the type
    yield from letters
    for first, second in itertools.product(letters, letters + "0123456789"):
        if first + second not in {"do", "if", "or"}:
            yield first + second


class _Writer:
    """A writer of the used steps, each in its place, as short C++.

    It must be short because torch's generator copies the text on every call.
    """

    def __init__(
        self, steps: list[_Step], places: dict[int, _Place], computed_in: torch.dtype
    ) -> None:
        self._steps = steps
        self._places = places
        self._type = "float" if computed_in is dt.float32 else "double"
        self._names = _names()
        self._written: dict[int, _Expression] = {}
        self._limits: dict[str, str] = {}
        self._uses: Counter[int] = Counter()
        self._members: dict[_Place, list[int]] = {}
        for number, place in places.items():
            step = steps[number]
            self._uses.update(step.operands)
            # Name what a loop uses from outside, lest it compute the expression again and again.
            first = len(step.value.states) if step.code == "loop" else 0
            around = place.body(number, step.value.name) if first else place.repeats
            self._uses.update(o for o in step.operands[first:] if places[o].repeats is not around)
            around = place
            while around is not None:
                around.cost += _COST.get(steps[number].code, 25)
                around = around.outer
        for number in sorted(places):
            place = places[number]
            while (
                place.outer is not None
                and place.loop is None
                and not place.outer.branches(place.of)
            ):
                place = place.outer
            self._members.setdefault(place, []).append(number)

    def text(self, result: int, inputs: int) -> str:
        """Return the C++ template of a function ``xp_entry`` with a number of inputs."""
        parameters = list(itertools.islice(self._names, inputs))
        lines = _Lines()
        for number in sorted(self._places):
            step = self._steps[number]
            if step.code == "input":
                self._name(number, lines, parameters[step.value])
            elif step.code == "constant":
                self._written[number] = self._literal(step.value, lines)
        body = self._block(self._places[result], result, "return ", lines)
        return f"template<typename T>T xp_entry({','.join('T ' + p for p in parameters)}){{{body}}}"

    def _block(self, place: _Place, value: int, target: str, lines: _Lines) -> str:
        """Write the steps of a place, and assign its value to a target."""
        branch = self._steps_of(place, lines, value, target)
        return lines.text(branch or f"{target}{self._written[value].text};")

    def _steps_of(self, place: _Place, lines: _Lines, value: int = -1, target: str = "") -> str:
        """Write the steps of a place; return the branch that assigns its value, if that is one."""
        for number in self._members.get(place, ()):
            code = self._steps[number].code
            if code in _INLINE or code == "state":
                continue
            if code == "loop":
                self._loop(number, lines)
                continue
            once = self._uses[number] <= 1
            if self._branches(number):
                if number == value and once:
                    return self._branch(number, target)
                self._name(number, lines)
                lines.add(self._branch(number, f"{self._written[number].text}="))
                continue
            expression = self._expression(number)
            if once and (expression.depth < _DEEP or number == value):
                self._written[number] = expression
            else:
                self._name(number, lines, expression.text)
        return ""

    def _loop(self, number: int, lines: _Lines) -> None:
        _, operands, loop = self._steps[number]
        states = len(loop.states)
        names = [next(self._names) for _ in loop.states]
        for name, variable, first in zip(names, loop.states, operands):
            lines.add(f"{name}={self._written[first].text}", self._type)
            self._written[variable] = _Expression(name)
        for other, step in enumerate(self._steps):
            if step.code == "state" and step.operands == (number,):
                self._written[other] = _Expression(names[step.value])
        index = next(self._names)
        used = [(row, t) for row, t in zip(loop.rows, loop.tables) if row in self._places]
        count = len(loop.tables[0])
        head = f"int {index}=0;{index}<{count}"
        if len(used) == 1 and isinstance(used[0][1], range):
            table = used[0][1]
            head = f"{self._type} {index}={table.start};{index}<{table.stop}"
            self._written[used[0][0]] = _Expression(index)
        else:
            for row, table in used:
                name = next(self._names)
                values = ",".join(self._literal(float(value), lines).text for value in table)
                lines.add(f"{name}[]={{{values}}}", f"static const {self._type}")
                self._written[row] = _Expression(f"{name}[{index}]")
        body = _Lines()
        self._steps_of(self._places[number].body(number, loop.name), body)
        after = {name: self._written[o].text for name, o in zip(names, operands[states:])}
        changed = [name for name in names if after[name] != name]
        for name in changed if not used else changed[:-1]:
            new = next(self._names)
            body.add(f"{new}={after[name]}", self._type)
            after[name] = new
        if changed and not used:
            # States that come again stay; zeros may differ in their signs.
            same = "&&".join(f"{name}=={after[name]}&&{name}!=0" for name in changed)
            body.add(f"if({same})break;")
        end = "".join(f"{name}={after[name]};" for name in reversed(changed))
        lines.add(f"for({head};{index}++){{{body.text(end)}}}")

    def _name(self, number: int, lines: _Lines, text: str = "") -> None:
        name = next(self._names)
        boolean = self._steps[number].gives_truth(self._steps)
        lines.add(f"{name}={text}" if text else name, "bool" if boolean else self._type)
        self._written[number] = _Expression(name)

    def _branches(self, number: int) -> bool:
        return self._steps[number].code == "?" and self._places[number].branches(number)

    def _branch(self, number: int, target: str) -> str:
        condition, *values = self._steps[number].operands
        sides = self._places[number].sides(number)
        first, second = (
            self._block(sides[taken], value, target, _Lines())
            for taken, value in zip((True, False), values)
        )
        start = f"if({self._written[condition].text}){{{first}}}"
        return f"{start}{second}" if target == "return " else f"{start}else{{{second}}}"

    def _expression(self, number: int) -> _Expression:
        code, numbers, _ = self._steps[number]
        operands = [self._written[o] for o in numbers]
        depth = 1 + max(o.depth for o in operands)
        if code == "?":
            condition, first, second = (o.within(1) for o in operands)
            # C++ would read three colons as two and one.
            space = " " if second.startswith(":") else ""
            return _Expression(f"{condition}?{first}:{space}{second}", 0, depth)
        if len(operands) == 1 and code in _UNARY.values():
            text = operands[0].within(_WHOLE)
            return _Expression(f"{code}{text}", _PREFIX, depth)
        if code not in _PRECEDENCE:
            inside = ",".join(o.text for o in operands)
            return _Expression(f"::{code}({inside})", _WHOLE, depth)
        precedence = _PRECEDENCE[code]
        first, second = operands[0].within(precedence), operands[1].within(precedence + 1)
        if second.startswith("-"):
            second = f"({second})"
        space = " " if code == "<" and second.startswith(":") else ""  # <: is a bracket
        return _Expression(f"{first}{code}{space}{second}", precedence, depth)

    def _literal(self, value: float, lines: _Lines) -> _Expression:
        if self._type == "float":
            value = ctypes.c_float(value).value  # infinity if it is too large
        if not math.isfinite(value):
            bits = "7f800000" if value == value else "7fc00000"
            if bits not in self._limits:
                self._limits[bits] = next(self._names)
                lines.add(f"{self._limits[bits]}=__int_as_float(0x{bits})", self._type)
            text = self._limits[bits]
        else:
            text = f"{abs(value):.9g}" if self._type == "float" else repr(abs(value))
            digits, e, exponent = text.partition("e")
            if "." not in digits:
                digits += "."
            if value:
                digits = digits.removeprefix("0").removesuffix("0")
            text = digits + (f"{e}{int(exponent)}" if e else "") + "f" * (self._type == "float")
        negative = math.copysign(1.0, value) < 0
        return _Expression(f"-{text}", _PREFIX) if negative else _Expression(text)


class _Lines:
    """The lines of a block; consecutive declarations of one type are merged."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []

    def add(self, text: str, of: str = "") -> None:
        """Add a statement, or a declaration of a type."""
        if of and self._lines and self._lines[-1][0] == of:
            text = f"{self._lines.pop()[1]},{text}"
        self._lines.append((of, text))

    def text(self, end: str) -> str:
        """Return the text of all lines."""
        return "".join([f"{of} {text};" if of else text for of, text in self._lines] + [end])


# --- the route ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneKernel:
    """The composition for every device, as one kernel.

    If the composition computes float32 in float64, so does the kernel, and rounds the result.
    """

    function: Kernel | None = None
    """Another composition, if the one for every device calls functions that CUDA does not have."""
    wide: bool = False
    """Whether to compute float32 in float64 always, with as many terms as float32 needs."""
    least: int = 0
    """The number of elements from which on the kernel is worth the time to compile it."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel, which leaves derivatives and traces to the composition."""
        row = op.common_row(spec.dtype, spec.device.backend.facts)
        whole = op.native if row is None else row.route.kernel(op, spec)
        composition, inner = self._composition(op, spec)

        @functools.cache
        def compiled(operands: int) -> Kernel:
            program = self.program(op, spec, operands)
            function, before = jit_kernel(torch.cuda.jiterator, program.text), program.before
            if not before:
                return function
            return lambda *tensors: function(*tensors, *(first(*tensors) for first in before))

        @functools.wraps(whole, assigned=("__name__",), updated=())
        def in_one_kernel(*tensors: Any) -> Any:
            if plain(*tensors) and (not self.least or self._is_long(tensors)):
                return compiled(len(tensors))(*tensors)
            if not isinstance(tensors[0], Symbol):
                return whole(*tensors)
            if tensors[0].dtype is not inner.dtype:
                raise TypeError(f"{op.name} is computed in {inner.dtype}, and not within a kernel")
            return composition(*tensors)

        return where_plain(lambda: compiled(1), in_one_kernel, 1)

    def _is_long(self, tensors: tuple[Any, ...]) -> bool:
        return any(isinstance(t, torch.Tensor) and t.numel() >= self.least for t in tensors)

    def program(self, op: Op, spec: Spec, operands: int) -> Program:
        """Return the steps of the kernel with a number of operands."""
        composition, inner = self._composition(op, spec)
        return Program(composition, inner, operands, dt.float64 if self.wide else inner.dtype)

    def _composition(self, op: Op, spec: Spec) -> tuple[Kernel, Spec]:
        """Return the composition and the data type in which it computes."""
        route = _route(op, spec)
        if isinstance(route, Via) and not self.wide:
            spec = spec.of(route.dtype)
            route = _route(op, spec)
        if self.function is not None:
            return self.function, spec
        return op.native if route is None or self.wide else route.kernel(op, spec), spec


def _route(op: Op, spec: Spec) -> Route | None:
    row = op.common_row(spec.dtype, spec.device.backend.facts)
    return None if row is None else row.route
