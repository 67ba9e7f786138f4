"""From the body of a chapter's function to the function, with a way of its own for plain calls.

The plainest form of a call is declared as a line.  It is done in the function itself, without a
further call, where the body checks, promotes and explains.  Nothing here knows of a chapter.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from . import _dtypes as dt
from . import _late
from ._array import Array
from ._misuse import called, positions
from ._routes._engine import check_fault
from ._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ._routes._engine import Op

F = TypeVar("F", bound="Callable[..., Any]")

REFUSED: Final = (IndexError, RuntimeError, TypeError, ValueError)
"""What torch raises for arguments that make no sense, and for memory that there is not."""


def _integers(values: tuple[Any, ...]) -> bool:
    for value in values:  # noqa: SIM110  # a generator takes twice the time
        if type(value) is not int:
            return False
    return True


def _sizes(values: tuple[Any, ...]) -> bool:
    for value in values:
        if type(value) is not int or value < 0:
            return False
    return bool(values)


_KINDS: Final = {
    "array": "type({0}) is Array",
    "alike": "type({0}) is Array and {0}._spec is spec",  # as the first array
    "None": "{0} is None",
    "False": "{0} is False",
    "bool": "type({0}) is bool",
    "int": "type({0}) is int",
    "number": "(type({0}) is int or type({0}) is float)",
    "count": "type({0}) is int and {0} >= 0",
    "axis": "type({0}) is int and -ndim <= {0} < ndim",
    "any axis": "({0} is None or type({0}) is int and -ndim <= {0} < ndim)",
    "only axis": "(type({0}) is int and -ndim <= {0} < ndim or {0} is None and ndim == 1)",
    "integers": "type({0}) is tuple and integers({0})",
    "sizes": "type({0}) is tuple and sizes({0})",
}
"""What an argument of the plainest form is, and how that is asked."""


def plainest(
    form: str,
    compute: str,
    *,
    plain: Op | None = None,
    kernel: Op | None = None,
    within: str = "spec",
    returns: str = "spec",
    below: str = "",
    **names: Any,
) -> Callable[[F], F]:
    """Turn the body of a function into the function, which does its plainest calls in place.

    Parameters
    ----------
    form : str
        The plainest form of a call: for each argument that matters its kind (see ``_KINDS``), and
        behind ``if`` what else must hold: ``"x: array, axis: axis if tensor.shape[axis] == 1"``.
        The expressions know the arguments, ``tensor`` and ``spec`` of the first array, ``ndim``,
        and ``names``.
    compute : str
        The tensor of the result, or ``"itself"`` where that is the first array.  What torch
        refuses of it is left to the body.
    plain : Op, optional
        The operation, where ``compute`` is torch's own function for it, ``native``: for specs of
        which that is the kernel.
    kernel : Op, optional
        The operation, where ``compute`` calls its kernel, ``kernel``: for specs of which that is
        known.  Without an operation nothing is computed, and any tensor will do.
    within, returns : str
        The specs of the kernel and of the result.
    below : str
        Of positions, what they are less than: nobody needs to ask again.
    **names
        What else the expressions name.
    """
    op = plain or kernel
    given = {
        "Array": Array,
        "Tensor": torch.Tensor,
        "new": object.__new__,
        "dt": dt,
        "torch": torch,
        "REFUSED": REFUSED,
        "check_fault": check_fault,
        "integers": _integers,
        "sizes": _sizes,
        "know": _late.know,
        "op": op,
        "native": op and op.native,
        "plain": plain and plain.plain,
        "table": kernel and kernel.table,
        **names,
    }

    def decorate(body: F) -> F:
        conditions = _conditions(form, inspect.signature(body).parameters)
        first = form.partition(":")[0]
        if compute == "itself":
            lines = [f"    if {' and '.join(conditions)}:", f"        return {first}"]
            return called(body, lines, given)
        if kernel is None:
            conditions.append("type(tensor) is Tensor")
        if plain is not None:
            conditions.append("spec in plain")
        at_once = [c for c in conditions if not _LATER.search(c)]
        then = [c for c in conditions if c not in at_once]
        lines = [
            f"if {' and '.join(at_once)}:",
            f"    tensor, spec = {first}._tensor, {first}._spec",
        ]
        if "ndim" in " ".join([*then, compute, below]):
            lines.append("    ndim = tensor.dim()")
        lines += [
            f"    if {' and '.join(then)}:" if then else "    if True:",
            "        try:",
            f"            kernel = table[{within}]" if kernel else "            pass",
            f"            made = {compute}",
            *(_BY_KERNEL if kernel else _BY_TORCH),
            "        else:",
            "            result = new(Array)",
            "            result._tensor = made",
            f"            result._spec = {returns}",
            f"            return know(result, 0, {below} - 1)"
            if below
            else "            return result",
        ]
        return called(body, [f"    {line}" for line in lines], given)

    return decorate


_LATER: Final = re.compile(r"\b(spec|tensor|ndim)\b")
"""What a condition may ask of the first array, once it is one."""
_BY_KERNEL: Final = (
    "        except (LookupError, TypeError):",
    "            pass",
    "        except RuntimeError as error:",
    "            check_fault(error, op.name, spec.device, (tensor,))",
)
_BY_TORCH: Final = ("        except REFUSED:", "            pass")


def _conditions(form: str, parameters: Collection[str]) -> list[str]:
    """Return what a form asks of a call."""
    kinds, _, more = form.partition(" if ")
    conditions = []
    for part in kinds.split(","):
        name, kind = map(str.strip, part.split(":"))
        if name not in parameters:
            raise TypeError(f"the form {form!r} names {name!r}, which is no parameter")
        conditions.append(_KINDS[kind].format(name))
    return [*conditions, more] if more else conditions


def first(way: Callable[..., Any]) -> Callable[[F], F]:
    """Turn the body of a function into the function, which asks another one first.

    That one does the plainest calls, and else returns None.  What torch sees at once to be wrong it
    may leave to torch, of tensors of one device whose errors are no faults: those of ``Op.plain``.
    """

    def decorate(body: F) -> F:
        arguments = ", ".join(positions(inspect.signature(body)))
        lines = [f"    made = way({arguments})", "    if made is not None:", "        return made"]
        return called(body, lines, {"way": way})

    return decorate
