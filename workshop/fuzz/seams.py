"""Steps where conversions, views and writes meet: imports, exports, casts, overlapping operands.

What shares memory and what does not is told by docs/interchange.md and docs/guide.md.
"""

from __future__ import annotations

import array
import copy
import operator
import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import ascend_array_api as xp

from ..samples import strategies
from ..samples.strategies import ALL, BOOL, COMPLEX, FLOATING, INTEGER, pooled, same, to_numpy
from .choices import Choices, Rejected, assume
from .namespaces import foreign, makers
from .programs import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from .programs import Held, Program

_CODES = dict(zip("bhiqBHIQfd", ALL[1:11]))
"""The codes of Python's arrays, and their data types."""


def _producer(program: Program, choices: Choices) -> Held:
    """Make an object that is not ours, in one of many layouts, or choose one of the program."""
    if program.others and choices.below(3):
        return choices.one(program.others[::-1])
    dtype = choices.one(ALL)
    shape = choices.draw(strategies.shapes())
    values = pooled(choices.draw, dtype, shape, strategies.elements(dtype))
    layout = choices.one(
        ("C", "F", "part", "read-only", "swapped", "array", "bytes", "torch", "foreign")
    )
    if layout == "array":
        code = choices.one([c for c, name in _CODES.items() if np.dtype(c).name == name])
        numbers = array.array(code, values.astype(_CODES[code]).ravel().tolist())
        said = f"array.array({code!r}, {numbers.tolist()})"
        program.uses("array")
        return program.hold_other(numbers, np.asarray(memoryview(numbers)), said)
    if layout == "bytes":
        data = values.tobytes()
        view = memoryview(data).cast(np.dtype(dtype).char) if dtype in ALL[1:11] else data
        assume(isinstance(view, memoryview) and data)
        said = f"memoryview({data!r}).cast({np.dtype(dtype).char!r})"
        return program.hold_other(view, np.asarray(view), said)
    if layout == "torch":
        tensor = torch.from_numpy(values)
        return program.hold_other(tensor, tensor.numpy(), f"torch.from_numpy({written(values)})")
    if layout == "F":
        values = np.asfortranarray(values)
        return program.hold_other(values, values, f"np.asfortranarray({written(values)})")
    if layout == "swapped":
        values = values.astype(values.dtype.newbyteorder(">"))
    held = program.hold_other(values, values, written(values))
    if layout == "foreign":
        if choices.below(2):
            held = _part(program, choices, held)
        return foreign(program, held, choices.below(len(makers())))
    if layout == "part":
        return _part(program, choices, held)
    if layout == "read-only":
        program.tells(lambda: f"{held.name}.flags.writeable = False")
        values.flags.writeable = held.writable = False
    return held


def _part(program: Program, choices: Choices, held: Held) -> Held:
    """Take a part of an array of NumPy, with steps of any sign, or turn its axes."""
    thing = held.thing
    key = program.key(choices, thing.shape)
    if choices.below(3) == 0:
        return program.hold_other(thing.T, thing.T, f"{held.name}.T")
    part = thing[key]
    assume(isinstance(part, np.ndarray))
    return program.hold_other(part, part, f"{held.name}[{key}]")


def _import(program: Program, choices: Choices) -> None:
    """Import an object that is not ours, and look whether memory is shared as is promised."""
    held = _producer(program, choices)
    thing, values = held.thing, held.shown()
    ways = ["asarray", "asarray"]
    if isinstance(thing, np.ndarray) and thing.dtype.isnative:
        ways += ["from_dlpack", "asarray(memoryview)"] if thing.dtype.kind != "c" else []
    if not isinstance(thing, np.ndarray) and hasattr(thing, "__dlpack__"):
        ways.append("from_dlpack")
    way = choices.one(ways)
    wanted = choices.one((None, None, True, False))
    program.what = f"import by {way}"
    on_host = program.device.type == "cpu" or way == "from_dlpack"
    # Strides of axes that have one element at most are nobody's business.
    turned = any(s < 0 for n, s in zip(values.shape, values.strides) if n > 1)
    backwards = turned and values.size > 0
    # What torch is handed by DLPack it does not look at so closely.
    assume(isinstance(thing, np.ndarray) or backwards or min(values.strides, default=0) >= 0)
    writable = held.writable and held.says_writable
    usable = values.dtype.isnative and writable and not backwards
    shared = usable and on_host and wanted is not True
    function = xp.from_dlpack if way == "from_dlpack" else xp.asarray
    given = memoryview(thing) if "memoryview" in way else thing
    said = f"memoryview({held.name})" if "memoryview" in way else held.name
    program.tells(lambda: f"r = xp.{function.__name__}({said}, copy={wanted})")
    program.outcome.calls += 1
    if "from_dlpack" in ways and not isinstance(thing, np.ndarray):  # these stay where they are
        on_host, shared = True, usable and wanted is not True
    if wanted is False and not shared:
        try:
            function(given, copy=False)
        except (ValueError, BufferError):
            program.check_all()
            return
        assert not values.size or 1 in values.shape, "shared, though copy=False cannot be"
        raise Rejected
    result = function(given, copy=wanted)
    same(result, held.mirror.astype(held.mirror.dtype.newbyteorder("=")))
    if values.size > 1 and on_host:
        program.check_sharing(result, held, expected=shared)
    program.check_all()
    program.hold(result, "r")


def _export(program: Program, choices: Choices) -> None:
    """Export an array, and look whether memory is shared as is promised."""
    held = program.some(choices)
    x = held.array
    on_host = program.device.type == "cpu"
    name = choices.one(tuple(_EXPORTS))
    assume(name != "pickle" or program.device.type != "mesh")
    program.what = f"export by {name}"
    said, export, shared, ours = _EXPORTS[name]
    if not on_host and not ours:
        said, x = said.replace("x)", 'x.to_device("cpu"))'), x.to_device("cpu")
    line = said.replace("(x", f"({held.name}")
    program.tells(lambda: f"r = {line}")
    program.outcome.calls += 1
    program.uses(line.partition(".")[0])
    result = export(x)
    if ours:
        same(result, held.mirror)
        program.check_sharing(result, held, expected=shared)
        program.check_all()
        program.hold(result, "r")
        return
    values = result.numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
    assert values.dtype == held.mirror.dtype
    assert values.shape == held.mirror.shape
    assert values.tobytes() == held.mirror.tobytes()
    if isinstance(result, np.ndarray) and shared and (on_host or ours):
        assert result.flags.writeable <= held.writable, "what is repeated in memory is writeable"
    if on_host and values.size and held.memory is not None:
        owner = program.owner(values.ctypes.data)
        found = owner is not None and owner.memory is held.memory
        assert shared == found, "a view" if found else "a copy"
    program.check_all()
    if values.size:
        program.hold_other(result, values, "r")


_EXPORTS: dict[str, tuple[str, Callable[[Any], Any], bool, bool]] = {
    "np.asarray": ("np.asarray(x)", np.asarray, True, False),
    "np.array": ("np.array(x)", np.array, False, False),
    "to_torch": ("xp.to_torch(x)", xp.to_torch, True, False),
    "np.from_dlpack": ("np.from_dlpack(x)", np.from_dlpack, True, False),
    "torch.from_dlpack": ("torch.from_dlpack(x)", torch.from_dlpack, True, False),
    "memoryview": ("memoryview(np.asarray(x))", lambda x: memoryview(np.asarray(x)), True, False),
    "pickle": (
        "pickle.loads(pickle.dumps(x))",
        lambda x: pickle.loads(pickle.dumps(x)),
        False,
        True,
    ),
    "copy": ("copy.copy(x)", copy.copy, False, True),
    "deepcopy": ("copy.deepcopy(x)", copy.deepcopy, False, True),
    "asarray": ("xp.asarray(x, copy=True)", lambda x: xp.asarray(x, copy=True), False, True),
    "itself": ("xp.asarray(x, copy=False)", lambda x: xp.asarray(x, copy=False), True, True),
    "dlpack": ("xp.from_dlpack(x)", xp.from_dlpack, True, True),
}
"""By name: the line, the function, whether memory is shared, and whether the result is ours."""


def _outside(program: Program, choices: Choices) -> None:
    """Write to an object that is not ours: all that share its memory have to show it."""
    program.what = "write to another's memory"
    held = choices.one([h for h in program.others[::-1] if h.writable])
    key = program.key(choices, held.mirror.shape)
    value = np.asarray(choices.draw(strategies.elements(held.dtype)), held.dtype)
    program.tells(lambda: f"np.asarray({held.name})[{key}] = {written(value)}")
    program.outcome.calls += 1
    held.shown()[key] = value
    held.mirror[key] = value
    program.check_all()


def _cast(program: Program, choices: Choices) -> None:
    """Convert an array to a data type that has its values."""
    held = program.some(choices)
    own = held.dtype
    dtype = own if choices.below(3) == 0 else choices.one(ALL)
    assume(own not in COMPLEX or dtype in COMPLEX)
    values = held.mirror
    if dtype in INTEGER and own in FLOATING:
        info = np.iinfo(dtype)
        assume(np.isfinite(values).all())
        whole = np.trunc(values.astype(np.longdouble))
        assume(((whole >= info.min) & (whole <= info.max)).all())
    elif dtype in INTEGER and own not in BOOL:
        info = np.iinfo(dtype)
        assume(all(info.min <= int(v) <= info.max for v in values.flat))
    wanted = bool(choices.below(2))
    way = choices.one(("astype", "asarray"))
    program.what = f"cast by {way}"
    if way == "astype":
        line = f"xp.astype({held.name}, xp.{dtype}, copy={wanted})"
        call = partial(xp.astype, held.array, getattr(xp, dtype), copy=wanted)
    else:
        option = True if wanted else None
        line = f"xp.asarray({held.name}, dtype=xp.{dtype}, copy={option})"
        call = partial(xp.asarray, held.array, dtype=getattr(xp, dtype), copy=option)
    program.tells(lambda: f"r = {line}")
    program.outcome.calls += 1
    result = call()
    same(result, values.astype(dtype))
    program.check_sharing(result, held, expected=own == dtype and not wanted)
    program.check_all()
    program.hold(result, "r")


def _overlap(program: Program, choices: Choices) -> None:
    """Compute in place, or write, with another part of the same memory as the operand."""
    held = program.some(choices, lambda h: h.writable)
    x, mirror = held.array, held.mirror
    to: list[slice] = []
    of: list[slice] = []
    for n in mirror.shape:
        length = choices.below(n + 1)
        for key in (to, of):
            step = choices.one((1, 1, 2, -1, 3, -2))
            step = step if (length - 1) * abs(step) < n else 1
            reach = (length - 1) * step if length else 0
            start = max(0, -reach) + choices.below(max(1, n - abs(reach)))
            end: int | None = start + reach + (1 if step > 0 else -1)
            key.append(slice(start, None if end < 0 else end, step) if length else slice(0, 0))
    if of and choices.below(4) == 0:  # one element for many
        axis = choices.below(len(of))
        n = mirror.shape[axis]
        assume(n)
        first = choices.below(n)
        of[axis] = slice(first, first + 1)
    target, source = (*to, ...), (*of, ...)
    part, line = x[source], f"{held.name}[{source}]"
    value = mirror[source]
    other = choices.below(4)
    if other == 1 and program.device.type == "cpu":
        part = xp.asarray(np.asarray(x)[source])
        line = f"xp.asarray(np.asarray({held.name})[{source}])"
    elif other == 2 and value.ndim >= 2:
        turned = np.swapaxes(value, -1, -2)
        if all(a in (1, b) for a, b in zip(turned.shape, mirror[target].shape)):
            part, value, line = part.mT, turned, f"{line}.mT"
    elif other == 3:
        shape = mirror[target].shape
        part, value = xp.broadcast_to(part, shape), np.broadcast_to(value, shape)
        line = f"xp.broadcast_to({line}, {shape})"
    able = ["="]
    if held.dtype not in BOOL:
        able += ["+", "-"] + (["*"] if held.dtype not in COMPLEX else [])
    if held.dtype in BOOL or held.dtype in INTEGER:
        able += ["&", "|", "^"]
    sign = choices.one(able)
    program.what = f"x[a] {sign.strip('=')}= x[b]"
    kind = choices.below(3)
    program.outcome.calls += 1
    views = program.device.type != "mesh"
    whole = kind == 2 and views and all(k.step is None or k.step > 0 for k in to)
    if sign == "=":
        expected = value.copy()
        program.tells(lambda: f"{held.name}[{target}] = {line}")
        x[target] = part
    else:
        function, inplace = _SIGNS[sign]
        expected = np.asarray(function(mirror[target].copy(), value.copy()))
        if whole:
            program.tells(lambda: f"v = {held.name}[{target}]; v {sign}= {line}")
            view = x[target]
            inplace(view, part)
        else:
            program.tells(lambda: f"{held.name}[{target}] {sign}= {line}")
            x[target] = inplace(x[target], part)
    mirror[target] = expected
    found = to_numpy(x)
    same(x, mirror)  # but for the bits of NaN, which come from here
    mirror[...] = found
    program.check_all()


_SIGNS: dict[str, tuple[Any, Any]] = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "&": (operator.and_, operator.iand),
    "|": (operator.or_, operator.ior),
    "^": (operator.xor, operator.ixor),
}

STEPS: tuple[Callable[[Program, Choices], None], ...] = (
    *(_import, _import, _export, _export, _outside, _cast, _cast),
    *(_overlap, _overlap, _overlap),
)
