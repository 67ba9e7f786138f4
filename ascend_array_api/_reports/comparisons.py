"""Comparisons of an array's data type with what names one in NumPy, which are False.

The data types are torch's.  They equal no text and none of NumPy's data types, and their type is
C's: no function of ours is called in a comparison.  So the user's code tells what it compares, from
the instructions after the one that asks for the data type.
"""

from __future__ import annotations

import builtins
import dis
from functools import lru_cache
from types import CodeType, FrameType, ModuleType
from typing import Any, Final

import numpy as np

from .._torch import dtypes as dt

_NAMED: Final = frozenset(
    {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF"}
    | {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"}
)
_BUILT: Final = frozenset({"BUILD_TUPLE", "BUILD_LIST"})  # NumPy finds no data type in a set either
_SKIPPED: Final = frozenset({"CACHE", "EXTENDED_ARG", "NOP"})
_MOST: Final = 40
"""Instructions that are read: of longer operands nothing is said."""


def of_data_type(frame: FrameType) -> str | None:
    """Return the error for the comparison in which a frame asks for a data type, if it is one."""
    comparison = _comparison(frame.f_code, frame.f_lasti)
    if comparison is None:
        return None
    steps, operator = comparison
    other = _operand(steps, frame)
    several = isinstance(other, (tuple, list))
    if several != operator.endswith("in"):
        return None
    named = [_dtype_name(value) for value in (other if several else (other,))]
    if None in named:
        return None
    always = operator in {"!=", "not in"}
    written = ", ".join(f"xp.{name}" for name in named)
    if several:
        written = f"({written},)" if len(named) == 1 else f"({written})"
    return (
        f"dtype: the data types are torch's, and equal neither names nor NumPy's. So "
        f"'{operator}' is always {always}, in strict mode too. Write x.dtype {operator} {written}."
    )


@lru_cache(maxsize=1024)
def _comparison(code: CodeType, step: int) -> tuple[tuple[tuple[str, Any], ...], str] | None:
    """Return the instructions that load what is compared with the result of a step, and how."""
    instructions = [i for i in dis.get_instructions(code) if i.opname not in _SKIPPED]
    # A step may be that of what an instruction has cached.
    after = [i for i in instructions if i.offset > step][:_MOST]
    steps: list[tuple[str, Any]] = []
    for instruction in after:
        name, value = instruction.opname, instruction.argval
        if name == "COMPARE_OP":
            operator = next((o for o in ("==", "!=") if o in str(value)), None)
            return (tuple(steps), operator) if operator else None
        if name == "CONTAINS_OP":
            return tuple(steps), "not in" if instruction.arg else "in"
        if name not in {"LOAD_CONST", "LOAD_ATTR", *_NAMED, *_BUILT}:
            return None
        steps.append((name, value))
    return None


def _operand(steps: tuple[tuple[str, Any], ...], frame: FrameType) -> Any:
    """Return what instructions load, or None if they do more than to load it."""
    scopes = (frame.f_locals, frame.f_globals, vars(builtins))
    stack: list[Any] = []
    for name, value in steps:
        if name == "LOAD_CONST":
            stack.append(value)
        elif name in _NAMED:
            stack.append(next((s[value] for s in scopes if value in s), None))
        elif name in _BUILT:
            if len(stack) < value:
                return None
            stack[len(stack) - value :] = [tuple(stack[len(stack) - value :])]
        elif stack and isinstance(stack[-1], ModuleType):
            stack.append(getattr(stack.pop(), value, None))
        else:
            return None
    return stack[0] if len(stack) == 1 else None


def _dtype_name(value: object) -> str | None:
    """Return the name of the data type that NumPy takes a text, a type or its own data type for."""
    if not (isinstance(value, (str, np.dtype)) or (isinstance(value, type) and value in _TYPES)):
        return None
    try:
        name = np.dtype(value).name
    except TypeError:
        return None
    return name if name in dt.BY_NAME else None


_TYPES: Final = {bool, int, float, complex, *np.sctypeDict.values()}
