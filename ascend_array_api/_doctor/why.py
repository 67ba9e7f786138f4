"""``python -m ascend_array_api why remainder float32 npu``: the row that decides, and its reason.

It reads the rows and runs no operation, so it needs neither the device nor torch_npu.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import inspect
import operator
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from .._devices import backends
from .._routes._operations import OPS, ROWS, Op, rows_in, rows_of
from .._routes._rows import Row
from .._torch import dtypes as dt
from .._torch import torch

_ROUTES = f"{__package__.partition('.')[0]}._routes"
_ROOT = Path(__file__).parents[2]


def explain(operation: str, dtype: str | None, device_type: str = "cpu") -> str:
    """Return the row that decides how an operation is computed, its reason, and the other rows.

    Parameters
    ----------
    operation : str
        The name of a function, or of an operation that rows name: ``"remainder"``.
    dtype : str or None
        The name of a data type.
    device_type : str
        ``"cpu"``, ``"npu"``, ``"cuda"``, ``"mesh"``, or the type of another package's backend.

    Raises
    ------
    ValueError
        If there is no such operation, data type or device type.
    """
    op = OPS[_operation(operation)]
    if dtype is None:
        taken = ", ".join(name for name, known in dt.BY_NAME.items() if known in op.dtypes)
        raise ValueError(f"of which data type? {op.name} takes {taken}.")
    data_type = dt.BY_NAME[_one_of("data type", dtype, dt.BY_NAME)]
    types = (*backends.types(), "mesh")
    device_type = _one_of("device type", device_type.partition(":")[0], types)
    head = f"{op.name} of {dtype} on {device_type}"
    if data_type not in op.dtypes:
        return f"{head}: the operation does not take {dtype}."
    row = op.row(data_type, backends.find(device_type))
    if row is None:
        said = [
            f"{head}: torch's own function, {_name_and_place(op.native)}",
            "  No row is for it.",
        ]
        own, every = _modules_for(op, device_type)
        said += _filled(
            {"missing": f"a row for {device_type} would stand in {own}, for all in {every}"}
        )
        said += _derivative(op.native)
    else:
        said = [f"{head}: {_route(row.route, op)}", *_of(row, device_type)]
        said += _derivative(getattr(row.route, "function", None) or op.native)
        if row.fast is not None:
            said.append(f'  npu_math="fast"  {_route(row.fast, op)}')
    others = [r for r in _candidates(op, data_type, device_type) if r is not row]
    if others:
        said += ["", "Rows for it that do not decide here:"]
        for other in others:
            said += [f"- {_route(other.route, op)}", *_of(other, device_type)]
    return "\n".join(said)


def _operation(given: str) -> str:
    """Return the operation of a name; for another function, raise an error that names its own."""
    name = given.rpartition(".")[2]
    function = _function(given)
    if name in OPS or function is None:
        return _one_of("operation", name, OPS)
    calls = sorted(_calls(function, set()))
    raise ValueError(
        f"{given}() is no single operation. Ask for one that it may call: "
        f"{', '.join(calls) or 'none, it moves no data'}."
    )


def _function(given: str) -> Any:
    """Return the public function of a name, or None."""
    namespace = importlib.import_module(__package__.partition(".")[0])
    try:
        found = operator.attrgetter(given)(namespace)
    except AttributeError:
        return None
    return found if callable(found) else None


def _calls(function: Any, seen: set[Any]) -> set[str]:
    """Return the operations that a function uses, itself or through functions of its module."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    found = set()
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, Op):
            found.add(value.name)
        elif value is None and name in OPS:
            found.add(name)
        elif inspect.isfunction(value) and value.__module__ == function.__module__:
            found |= _calls(value, seen)
    return found


def _one_of(what: str, given: str, known: Collection[str]) -> str:
    if given in known:
        return given
    near = difflib.get_close_matches(given, known)
    if not near and len(known) > len(OPS) // 2:  # too many to list
        near = difflib.get_close_matches(given, known, cutoff=0)
    hint = f"do you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise ValueError(f"there is no {what} {given!r}; {hint}")


def _candidates(op: Op, dtype: torch.dtype, device_type: str) -> Iterator[Row]:
    """Yield all rows for an operation and data type, in the order in which the engine asks them."""
    backend = backends.find(device_type)
    for row in (*rows_in(backend.overriding), *rows_of(device_type), *ROWS):
        if op.name in row.ops.split() and dtype in row.dtypes:
            yield row


def _of(row: Row, device_type: str) -> list[str]:
    holds = row.where.decide(backends.find(device_type).facts)
    known = {True: "holds here", False: "does not hold here", None: "unknown here: taken to hold"}
    told = {
        "row": _short(row.place),
        "reason": row.reason,
        "evidence": str(row.evidence),
        "condition": f"{row.where} ({known[holds]})",
    }
    return _filled(told)


def _filled(told: dict[str, str]) -> list[str]:
    return [
        textwrap.fill(text, 96, initial_indent=f"  {what:<11}", subsequent_indent=" " * 13)
        for what, text in told.items()
    ]


def _derivative(function: Any) -> list[str]:
    """Name the function that computes the derivative, where a kernel has one of ours."""
    partials = getattr(function, "partials", None)
    return [] if partials is None else _filled({"derivative": _name_and_place(partials)})


def _modules_for(op: Op, device_type: str) -> tuple[str, str]:
    """Return the files for rows of an operation: the device type's, by its topic, and for all."""
    near = {
        row.place.partition(":")[0] for row in rows_of(device_type) if op.name in row.ops.split()
    }
    modules = {n: m for n, m in sys.modules.items() if n.startswith(f"{_ROUTES}.")}
    every = next(n for n, m in modules.items() if any(v is op for v in vars(m).values()))
    topic = every.rpartition(".")[2]
    own = backends.find(device_type).rows
    fits = [n for n in own if n.rpartition(".")[2] == topic] or list(own) or [every]
    files = [_short(str(importlib.import_module(name).__file__)) for name in (fits[0], every)]
    return _short(min(near)) if near else files[0], files[1]


def _route(route: Any, op: Op) -> str:
    name = type(route).__name__
    if inspect.isfunction(function := getattr(route, "function", None)):
        return f"{name}, {_name_and_place(function)}"
    if name == "Native":
        return f"torch's own function, {_name_and_place(op.native)}"
    return str(route)


def _name_and_place(function: Any) -> str:
    """Return the name of a function and its place in the source."""
    function = inspect.unwrap(getattr(function, "func", function))
    owner = getattr(function, "__self__", None)
    if inspect.isclass(owner):  # a function with a derivative of its own
        place = f"{inspect.getsourcefile(owner)}:{inspect.getsourcelines(owner)[1]}"
        return f"{owner.__name__}.{function.__name__} at {_short(place)}"
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    if code:
        return f"{name} at {_short(f'{code.co_filename}:{code.co_firstlineno}')}"
    name = name.replace("_VariableFunctionsClass", "torch").replace("TensorBase", "torch.Tensor")
    return re.sub("^(fft|linalg|special)_", r"torch.\1.", name)


def _short(place: str) -> str:
    return place.removeprefix(f"{_ROOT}/")


def main(argv: Sequence[str]) -> int:
    """Print the answer."""
    parser = argparse.ArgumentParser(
        prog="python -m ascend_array_api why",
        description="Say which row decides how a function is computed, and why.",
    )
    parser.add_argument("function", help="its name, such as remainder or linalg.inv")
    parser.add_argument("dtype", nargs="?", help="a data type, such as float32")
    parser.add_argument("device", nargs="?", default="cpu", help="a device type, such as npu")
    asked = parser.parse_args(argv)
    try:
        print(explain(asked.function, asked.dtype, asked.device))
    except ValueError as error:
        parser.error(str(error))
    return 0
