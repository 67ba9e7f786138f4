"""Calls in the forms of NumPy and torch: what is said of arguments that a function does not take.

Python's own error for them names no way out.  So a function takes them, as ``*misplaced`` and
``**unknown``, which its signature does not show and which cost next to nothing, and raises this.
What is left out has a default, which no check lets through.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ._errors import Missing, MisuseError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

F = TypeVar("F", bound="Callable[..., Any]")

_NAMES: Final = {
    "a_max": ("max",),
    "a_min": ("min",),
    "dim": ("axis", "axes"),
    "dims": ("axes", "axis"),
    "keepdim": ("keepdims",),
    "ddof": ("correction",),
    "size": ("shape",),
    "newshape": ("shape",),
    "steps": ("num",),
    "shifts": ("shift",),
    "arr": ("x",),
    "input": ("x", "x1"),
    "other": ("x2",),
    "diagonal": ("k",),
}
"""Parameters of NumPy's and torch's that the standard names otherwise."""

_ADVICE: Final = {
    "casting": "astype() casts",
    "copy": "asarray(x, copy=True) copies",
    "decimals": "round(x * 10**n) / 10**n rounds to n of them",
    "dtype": "astype() converts first",
    "initial": "combine the result with it",
    "kind": "stable=True or False chooses among the sorts",
    "order": "the order in memory is no part of the standard",
    "out": "write the result to another array by y[...] = result",
    "sparse": "x[:, None] and y[None, :] broadcast without a grid",
    "requires_grad": "asarray(tensor) takes a tensor that requires a gradient",
    "return_counts": "unique_counts() returns them",
    "return_index": "unique_all() returns them",
    "return_inverse": "unique_inverse() returns it",
    "subok": "arrays have no subclasses",
    "unbiased": "correction=1 or 0 says what is subtracted from the number of elements",
    "where": "replace elements with where() first",
}
"""What to do instead of giving a parameter that the standard has nothing like."""

_GATHERED: Final = {"axes", "repetitions", "shape"}
"""Parameters that are one tuple, where others take several numbers."""


def refusing(function: F) -> F:
    """Show a function's signature without what it takes to refuse; require what it requires.

    Where a call leaves out an argument, there is a ``Missing`` in its place.
    """
    signature = inspect.signature(function)
    every = signature.parameters.values()
    kept = [p for p in every if p.annotation != "Never"]
    vars(function)["__signature__"] = signature.replace(parameters=kept)
    required = [p for p in kept if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    absent = {p.name: Missing(functools.partial(_absent, function, p.name)) for p in required}
    placed = [m for p, m in zip(required, absent.values()) if p.kind is not p.KEYWORD_ONLY]
    function.__defaults__ = (*placed, *(function.__defaults__ or ()))
    named = {p.name: absent[p.name] for p in required if p.kind is p.KEYWORD_ONLY}
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **named}
    return function


def _absent(function: Callable[..., Any], name: str) -> MisuseError:
    return misuse(function, (), {}, missing=(name,))


def unbound(
    function: Callable[..., Any], error: TypeError, given: Sequence[Any], named: Mapping[str, Any]
) -> TypeError:
    """Return the error to raise for one of a call: ours, if it is Python's of the arguments.

    Any other comes from within the function, which takes these arguments.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError:
        parameters = signature.parameters
    else:
        return error
    ordered = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    placed, misplaced = ordered[: len(given)], given[len(ordered) :]
    unknown = {n: v for n, v in named.items() if n not in parameters or n in placed}
    required = (n for n, p in parameters.items() if p.default is p.empty)
    missing = [n for n in required if n not in placed and n not in named]
    return misuse(function, misplaced, unknown, missing)


def answering(function: F) -> F:
    """Answer arguments that a function does not take in our words, where time does not matter."""

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            said = unbound(function, error, given, named)
            if said is error:
                raise
            raise said from None

    return called  # type: ignore[return-value]


def misuse(
    function: Callable[..., Any],
    misplaced: Sequence[Any],
    unknown: Mapping[str, Any],
    missing: Sequence[str] = (),
) -> MisuseError:
    """Return the error for arguments that a function does not take, or that are missing."""
    chapter = function.__module__.split(".")[1:2]
    name = ".".join([*({"fft", "linalg", "special"} & {*chapter}), function.__name__])
    parameters = inspect.signature(function).parameters
    absent = " and ".join(map(repr, missing))
    said = [f"{absent} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []
    said += [_misplaced(parameters, misplaced)] if misplaced else []
    for key in unknown:
        ours = next((n for n in _NAMES.get(key, ()) if n in parameters), None)
        if key in parameters:
            said.append(f"{key!r} goes by position, without its name")
        elif ours is not None:
            said.append(f"{key!r} is {ours!r} here")
        else:
            said.append(f"there is no {key!r}{f': {_ADVICE[key]}' if key in _ADVICE else ''}")
    plain = [p.replace(annotation=p.empty) for n, p in parameters.items() if n != "self"]
    return MisuseError(f"{name}: {'; '.join(said)}. Its form is {name}{inspect.Signature(plain)}.")


def _misplaced(parameters: Mapping[str, inspect.Parameter], misplaced: Sequence[Any]) -> str:
    ordered = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY and n != "self"]
    named = [n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    if ordered and ordered[-1] in _GATHERED:
        return f"{ordered[-1]!r} is one tuple"
    if ordered and ordered[-1] == "arrays" and not isinstance(misplaced[0], int):
        return "the arrays are one list or tuple"
    taken = f"it takes {len(ordered)} positional argument{'' if len(ordered) == 1 else 's'}"
    if not named:
        return f"{taken}, not {len(ordered) + len(misplaced)}"
    value = f"={misplaced[0]!r}" if isinstance(misplaced[0], (int, tuple)) else ""
    return f"{taken}, and '{named[0]}{value}' by name"
