"""Calls in the forms of NumPy and torch: what is said of arguments that a function does not take.

Python's own error for them names no way out.  So a function takes them, as ``*misplaced`` and
``**unknown``, which its signature does not show and which cost next to nothing, and raises this.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ._errors import MisuseError

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
    """Show a function's signature without what it takes to refuse."""
    signature = inspect.signature(function)
    starred = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    kept = [p for p in signature.parameters.values() if p.kind not in starred]
    vars(function)["__signature__"] = signature.replace(parameters=kept)
    return function


def misuse(
    function: Callable[..., Any],
    misplaced: Sequence[Any],
    unknown: Mapping[str, Any],
    missing: int = 0,
) -> MisuseError:
    """Return the error for arguments that a function does not take, or that are missing."""
    transform = function.__module__.endswith(".fft")
    name = f"fft.{function.__name__}" if transform else function.__name__
    parameters = inspect.signature(function).parameters
    said = [_missing(parameters, missing)] if missing else []
    said += [_misplaced(parameters, misplaced)] if misplaced else []
    for key in unknown:
        ours = next((n for n in _NAMES.get(key, ()) if n in parameters), None)
        if ours is not None:
            said.append(f"{key!r} is {ours!r} here")
        else:
            said.append(f"there is no {key!r}{f': {_ADVICE[key]}' if key in _ADVICE else ''}")
    plain = [p.replace(annotation=p.empty) for p in parameters.values()]
    return MisuseError(f"{name}: {'; '.join(said)}. Its form is {name}{inspect.Signature(plain)}.")


def _missing(parameters: Mapping[str, inspect.Parameter], missing: int) -> str:
    ordered = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_ONLY]
    names = " and ".join(map(repr, ordered[-missing:]))
    return f"{names} {'is' if missing == 1 else 'are'} missing"


def _misplaced(parameters: Mapping[str, inspect.Parameter], misplaced: Sequence[Any]) -> str:
    ordered = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    named = [n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    if ordered[-1] in _GATHERED:
        return f"{ordered[-1]!r} is one tuple"
    if ordered[-1] == "arrays" and not isinstance(misplaced[0], int):
        return "the arrays are one list or tuple"
    taken = f"it takes {len(ordered)} positional argument{'' if len(ordered) == 1 else 's'}"
    if not named:
        return f"{taken}, not {len(ordered) + len(misplaced)}"
    value = f"={misplaced[0]!r}" if isinstance(misplaced[0], (int, tuple)) else ""
    return f"{taken}, and '{named[0]}{value}' by name"
