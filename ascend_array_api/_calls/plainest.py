"""Functions made of bodies: the body of a chapter's function, with its plainest calls inlined.

Imports no chapter.

A chapter declares the plainest form of a call as one line.  From it, this module generates the
source of a function that does such calls in place.  All other calls go to the body, which checks,
promotes and explains.  Generated source saves the call of a helper and a loop over conditions in
every call.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

from .._arrays.array import Array, wrap, wrap_within
from .._errors.foreign_calls import called, positions
from .._routes._faults import check_fault
from .._routes._operations import Op
from .._torch import dtypes as dt
from .._torch import torch

F = TypeVar("F", bound="Callable[..., Any]")

REFUSED: Final = (IndexError, RuntimeError, TypeError, ValueError)
"""The errors that torch raises for invalid arguments, and for memory that it cannot get."""


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
    # Torch takes Booleans for sizes.  They are equal to 1 and 0, so other tuples need no loop.
    "integers": "type({0}) is tuple and (not (1 in {0} or 0 in {0}) or integers({0}))",
    "sizes": "type({0}) is tuple and sizes({0})",
}
"""The kinds of arguments in the plainest form, and the expression that tests each.

They compare types by identity, so that a bool is no int, and subclasses take the body.
"""


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
        The plainest form of a call: the kind of each argument that matters (see ``_KINDS``), and
        further conditions behind ``if``: ``"x: array, axis: axis if tensor.shape[axis] == 1"``.
        Expressions may use the arguments, ``tensor`` and ``spec`` of the first array, ``ndim``,
        and ``names``.
    compute : str
        The expression for the tensor of the result, or ``"itself"`` to return the first array.
        If torch raises, the body is called.
    plain : Op, optional
        The operation, if ``compute`` calls torch's own function for it, as ``native``.  Such calls
        are inlined for specs whose kernel that function is.
    kernel : Op, optional
        The operation, if ``compute`` calls its kernel, as ``kernel``.  Such calls are inlined for
        specs whose kernel is known.  Without ``plain`` and ``kernel`` nothing may be computed:
        ``compute`` makes a view, which works for every spec.
    within, returns : str
        The expressions for the specs of the kernel and of the result.
    below : str
        If the result holds positions, the expression for their bound.  The array remembers it, so
        that indexing need not check them.
    **names
        Further objects that the expressions use.
    """
    op = plain or kernel
    given = {
        "Array": Array,
        "Tensor": torch.Tensor,
        "new": wrap_within if below else object.__new__,
        "wrap": wrap,
        "dt": dt,
        "torch": torch,
        "REFUSED": REFUSED,
        "check_fault": check_fault,
        "integers": _integers,
        "sizes": _sizes,
        "native": op and op.native,
        "is_plain": plain and plain.is_plain,
        "kernels": op and op.kernels,
        **names,
    }

    def decorate(body: F) -> F:
        conditions = _conditions(form, inspect.signature(body).parameters)
        first, *others = _ARRAYS.findall(form)
        if compute == "itself":
            lines = [f"    if {' and '.join(conditions)}:", f"        return {first}"]
            return called(body, lines, given)
        # Unlike a kernel of the engine, torch's own function must not meet a subclass, such as the
        # divided tensor of a mesh.
        if kernel is None:
            conditions.append("type(tensor) is Tensor")
        elif kernel.raises:
            conditions.append("not spec.late")
        if plain is not None:
            conditions.append("is_plain(spec)")
        # The first ``if`` makes sure that the first argument is an array.  Conditions on its
        # tensor, spec or ndim can only be asked in a second ``if``, behind the line that reads
        # them; ndim is read only if something asks for it.
        at_once = [c for c in conditions if not _LATER.search(c)]
        then = [c for c in conditions if c not in at_once]
        lines = [
            f"if {' and '.join(at_once)}:",
            f"    tensor, spec = {first}._tensor, {first}._spec",
        ]
        if "ndim" in " ".join([*then, compute, below]):
            lines.append("    ndim = tensor.dim()")
        judged = kernel is not None and kernel.judge is not None  # which may mark the tensor
        lines += [
            f"    if {' and '.join(then)}:" if then else "    if True:",
            "        try:",
            f"            kernel = kernels[{within}].users" if kernel else "            pass",
            f"            made = {compute}",
            *(_by_kernel(others) if kernel else _BY_TORCH),
            "        else:",
            *[f"            if spec.late: return wrap(made, {returns})"] * judged,
            f"            return new(made, {returns}, 0, {below} - 1)"
            if below
            else "            result = new(Array); result._tensor = made; "
            f"result._spec = {returns}; return result",
        ]
        return called(body, [f"    {line}" for line in lines], {"name": body.__name__, **given})

    return decorate


_ARRAYS: Final = re.compile(r"(\w+): (?:array|alike)")
_LATER: Final = re.compile(r"\b(spec|tensor|ndim)\b")
"""Matches conditions that need the tensor or the spec of the first array."""


# A kernel may find a failed device, which must be reported; after any other error the body runs,
# and raises it again in our words.  Torch's own functions are inlined only where errors cannot be
# faults.
def _by_kernel(others: list[str]) -> list[str]:
    operands = ", ".join(["tensor", *(f"{array}._tensor" for array in others)])
    return [
        "        except (LookupError, TypeError):",
        "            pass",
        "        except RuntimeError as error:",
        f"            check_fault(error, name, spec.device, ({operands},))",
    ]


_BY_TORCH: Final = ("        except REFUSED:", "            pass")


def _conditions(form: str, parameters: Collection[str]) -> list[str]:
    """Return the conditions of a form, as expressions."""
    kinds, _, more = form.partition(" if ")
    conditions = []
    for part in kinds.split(","):
        name, kind = map(str.strip, part.split(":"))
        if name not in parameters:
            raise TypeError(f"the form {form!r} names {name!r}, which is no parameter")
        conditions.append(_KINDS[kind].format(name))
    return [*conditions, more] if more else conditions


def first(way: Callable[..., Any]) -> Callable[[F], F]:
    """Turn the body of a function into the function, which calls ``way`` first.

    ``way`` does the plainest calls and returns None for all others.  Use it where ``plainest``
    cannot express them as a line.  As with ``shortcut``, it may leave checks to torch for specs in
    ``Op.is_plain``, whose errors are no faults of devices.
    """

    def decorate(body: F) -> F:
        arguments = ", ".join(positions(inspect.signature(body)))
        lines = [f"    made = way({arguments})", "    if made is not None:", "        return made"]
        return called(body, lines, {"way": way})

    return decorate
