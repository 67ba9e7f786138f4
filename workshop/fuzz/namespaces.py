"""Arrays of other namespaces to import: array_api_strict's, JAX's, and NumPy's by DLPack alone."""

from __future__ import annotations

import importlib
import importlib.util
import os
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from .programs import Held, Program


class Behind:
    """An array of NumPy of which nothing is known but what it says by DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


class BehindOld:
    """The same of a library older than DLPack 1.0, which cannot say that it may be written to."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self._array.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


_SAID = (
    "type('Behind', (), {{'__dlpack__': lambda _, {0}: {1}.__dlpack__({0}), "
    "'__dlpack_device__': lambda _: {1}.__dlpack_device__()}})()"
)


def _behind(array: np.ndarray, name: str) -> tuple[Any, np.ndarray, str]:
    return Behind(array), array, _SAID.format("**k", name)


def _behind_old(array: np.ndarray, name: str) -> tuple[Any, np.ndarray, str]:
    return BehindOld(array), array, _SAID.format("stream=None", name).replace("(stream=None", "(")


def _strict(array: np.ndarray, name: str) -> tuple[Any, np.ndarray, str]:
    thing = importlib.import_module("array_api_strict").asarray(array)
    # A view of what is exported, so that its memory is known.
    return thing, np.from_dlpack(thing), f"array_api_strict.asarray({name})"


def _jax(array: np.ndarray, name: str) -> tuple[Any, np.ndarray, str]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # it would take most of a GPU for itself
    thing = importlib.import_module("jax").numpy.asarray(array)
    return thing, np.asarray(thing), f"jax.numpy.asarray({name})"


@cache
def makers() -> tuple[tuple[str, Callable[[np.ndarray, str], tuple[Any, np.ndarray, str]]], ...]:
    """Return what makes arrays of other namespaces of NumPy's, by the module that it needs."""
    each = (
        ("", _behind),
        ("", _behind_old),
        ("array_api_strict", _strict),
        ("jax", _jax),
    )
    return tuple(m for m in each if not m[0] or importlib.util.find_spec(m[0]))


def foreign(program: Program, held: Held, which: int) -> Held:
    """Take in an array of another namespace, of an array of NumPy's in the program."""
    module, make = makers()[which]
    thing, values, said = make(held.thing, held.name)
    program.uses(module)
    taken = program.hold_other(thing, values, said)
    taken.writable = held.writable and bool(values.flags.writeable)
    taken.says_writable = make is not _behind_old and make is not _jax
    return taken
