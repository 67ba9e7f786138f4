"""What ``torch.compile`` traces in place of functions that it should not look into.

Kernels, specs and devices are found once and remembered in dictionaries.  A trace that looked into
these would hold only as long as the dictionaries stay as they are, and would be made anew when one
grows.  So a function that does that is marked: the compiler traces another function in its place,
which calls the first as one whose result is a constant.  Both marks are attributes that the
compiler looks for; nothing is imported for them, and an ordinary call does not know of them.

A constant is a string or a number.  To get at an object, it is the name of one in ``OBJECTS``, a
module: what is an attribute of that the compiler can name, and check that it is still the same.

Of a method, the function in its place must not have a closure: the compiler would look for that in
the method itself.
"""

from __future__ import annotations

import functools
import re
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ._misuse import unbound
from ._pair import release
from ._private_torch import (
    compiler_is_there,
    mark_constant,
    replace_in_traces,
    unmark_replaced,
)
from ._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

C = TypeVar("C")
F = TypeVar("F", bound="Callable[..., Any]")


def traced_as(replacement: Callable[..., Any]) -> Callable[[F], F]:
    """Have the compiler trace another function in place of the decorated one."""

    def mark(function: F) -> F:
        replace_in_traces(function, replacement)
        return function

    return mark


def constant(function: F) -> F:
    """Have the compiler call a function while it traces, and take the result for a constant.

    It is what ``torch.compiler.assume_constant_result`` does, which first imports the compiler.
    The arguments must be constants for the compiler too: strings, numbers, data types.
    """
    mark_constant(function)
    return function


def comparison(method: F) -> F:
    """Return the method of a comparison, as the compilers up to torch 2.11 want it.

    They ask of the class's own method whether it is a plain function, and do not know that of one
    that they are to trace another one for.
    """
    if not _OLD:
        return method

    @functools.wraps(method)
    def plain(self: Any, other: Any, /) -> Any:
        return method(self, other)

    unmark_replaced(plain)  # wraps() took it along
    return plain  # type: ignore[return-value]


_OLD: Final = release(torch.__version__) < (2, 12)


TRACED: Final[dict[str, Callable[..., Any]]] = {}
"""For each operation what the compiler traces where an operator calls for it."""


def untraced(function: F) -> F:
    """Have the compiler leave a function and all that it calls alone: it divides the graph."""
    alone: Callable[..., Any] | None = None

    @functools.wraps(function)
    def run(*operands: Any, **parameters: Any) -> Any:
        nonlocal alone
        call: Callable[..., Any] = function
        if compiler_is_there():
            if alone is None:
                alone = torch.compiler.disable(function)  # type: ignore[no-untyped-call]
            call = alone
        try:
            return call(*operands, **parameters)
        except TypeError as error:
            said = unbound(function, error, operands, parameters)
            if said is error:
                raise
            raise said from None

    return run  # type: ignore[return-value]


def untraced_methods(cls: type[C]) -> type[C]:
    """Have the compiler leave all public methods of a class alone."""
    for key, value in list(vars(cls).items()):
        if isinstance(value, FunctionType) and not key.startswith("_"):
            setattr(cls, key, untraced(value))
    return cls


OBJECTS: Final = ModuleType(f"{__name__}.OBJECTS")


def give_name(value: object, *words: object) -> str:
    """Give an object a name made of words, and return that; for functions marked as constant."""
    identifier = _NO_WORD.sub("_", "_".join(map(str, words)))
    setattr(OBJECTS, identifier, value)
    return identifier


_NO_WORD: Final = re.compile(r"\W")


def called(identifier: str) -> Any:
    """Return the object of a name; this is traced."""
    return getattr(OBJECTS, identifier)
