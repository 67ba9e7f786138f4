"""Marks for ``torch.compile``: what it traces in place of functions that it should not look into.

Knows nothing of arrays, specs and operations, and does not import the compiler.

The package finds kernels, specs and devices once and keeps them in dictionaries.  A trace that
looked into these would have to be made again whenever one grows.  So the functions that do it are
marked: the compiler traces a replacement, and the replacement calls a function whose result is a
constant for the compiler.  Both marks are attributes that the compiler looks for.  They import
nothing, and an ordinary call does not notice them.

A constant is a string or a number.  To reach an object, the constant is its name in ``OBJECTS``, a
module, because the compiler can guard the attributes of a module.

The replacement of a method must not have a closure: the compiler would look for its variables in
the method itself.
"""

from __future__ import annotations

import functools
import re
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from . import torch
from .pairs import release
from .private import mark_constant, replace_in_traces, when_compiler_is_there

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def traced_as(replacement: Callable[..., Any]) -> Callable[[F], F]:
    """Mark a function, so that the compiler traces the replacement instead."""

    def mark(function: F) -> F:
        replace_in_traces(function, replacement)
        return function

    return mark


def constant(function: F) -> F:
    """Mark a function, so that the compiler calls it while tracing and keeps its result.

    ``torch.compiler.assume_constant_result`` does the same, but imports the compiler first, which
    takes seconds.  The arguments must be constants for the compiler too: strings, numbers, data
    types.
    """
    mark_constant(function)
    return function


def comparison(method: F) -> F:
    """Return the method of a comparison, in the form that compilers up to torch 2.11 need.

    They handle a comparison only if the method of the class is a plain function, and they do not
    take a marked function for one.
    """
    if not _OLD:
        return method

    @functools.wraps(method)
    def plain(self: Any, other: Any, /) -> Any:
        return method(self, other)

    return plain  # type: ignore[return-value]


_OLD: Final = release(torch.__version__) < (2, 12)


def _traced_is_known(condition: Any) -> bool:
    if torch.compiler.is_exporting():
        from torch.fx.experimental.symbolic_shapes import statically_known_true

        return statically_known_true(condition)
    return bool(condition)


@traced_as(_traced_is_known)
def is_known(condition: bool) -> bool:
    """Say whether a condition on sizes holds; while a program is exported, whether it always does.

    The exported program may take other sizes, so asking for them there is an error.
    """
    return condition


TRACED: Final[dict[str, Callable[..., Any]]] = {}
"""For each operation, the function that the compiler traces if an operator needs more checks."""


def untraced(function: F) -> F:
    """Keep the compiler out of a function and out of all that it calls: a graph break.

    ``torch.compiler.disable`` would import the compiler, so it is called once something else has
    imported it.  A trace must not do it: it would see the change and not make it.
    """
    alone: Callable[..., Any] = function

    def prepare() -> None:
        nonlocal alone
        alone = torch.compiler.disable(function)  # type: ignore[no-untyped-call]

    @functools.wraps(function)
    def run(*operands: Any, **parameters: Any) -> Any:
        return alone(*operands, **parameters)

    when_compiler_is_there(prepare)
    return run  # type: ignore[return-value]


OBJECTS: Final = ModuleType(f"{__name__}.OBJECTS")


def give_name(value: object, *words: object) -> str:
    """Name an object in ``OBJECTS`` and return the name; for functions marked as constant."""
    identifier = _NO_WORD.sub("_", "_".join(map(str, words)))
    setattr(OBJECTS, identifier, value)
    return identifier


_NO_WORD: Final = re.compile(r"\W")


def called(identifier: str) -> Any:
    """Return the object of a name; the compiler traces this function."""
    return getattr(OBJECTS, identifier)
