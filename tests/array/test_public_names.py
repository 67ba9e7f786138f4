"""What public names say of themselves: their places, what they are annotated with."""

from __future__ import annotations

import inspect
import pickle
import sys
import typing
from typing import TYPE_CHECKING, Any

import pytest
from parametrize import listing

import ascend_array_api as xp
import ascend_array_api.distributed as xd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def _public() -> Iterator[tuple[str, Any]]:
    own = (xp, xp.fft, xp.linalg, xp.random, xp.special, xd)
    for module in (*own, xp.v2023_12, xp.v2025_12):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{module.__name__}.{name}", value
            elif inspect.isclass(value) and value.__module__.startswith(xp.__name__):
                yield f"{module.__name__}.{name}", value
                for key in sorted({key for c in value.__mro__ for key in vars(c)}):
                    method = inspect.getattr_static(value, key)
                    method = getattr(method, "fget", None) or getattr(method, "__func__", method)
                    if inspect.isfunction(method) and (key[0] != "_" or key[:2] == "__"):
                        yield f"{module.__name__}.{name}.{key}", method


PUBLIC = dict(_public())


@listing("name", PUBLIC)
def test_what_public_functions_are_annotated_with_is_known(name: str) -> None:
    typing.get_type_hints(PUBLIC[name])


@pytest.mark.parametrize("module", [xp, xp.fft, xp.linalg, xp.random, xp.special])
def test_public_names_say_public_places(module: ModuleType) -> None:
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value) and value.__module__.startswith(xp.__name__):
            assert "._" not in value.__module__, name
            assert getattr(sys.modules[value.__module__], name) is value


def test_pickles_name_public_places() -> None:
    for value in (xp.ones(2), xp.sum, xp.linalg.qr, xp.random.Generator):
        assert b"._" not in pickle.dumps(value).replace(b"numpy._core", b"")
