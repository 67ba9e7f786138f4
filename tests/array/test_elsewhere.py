"""Names of NumPy and torch: each is said to be elsewhere, and what is named instead is there."""

from __future__ import annotations

import importlib
import re
from typing import Any

import numpy as np
import pytest
import scipy.special
from parametrize import listing

import ascend_array_api as xp
from ascend_array_api._errors import foreign_names
from ascend_array_api._torch import torch

PARTS = ("", "linalg", "fft", "random", "special")
ROWS = [(part, name, text) for part in PARTS for name, text in foreign_names.names(part).items()]
MODULES = [
    "ascend_array_api",
    *(f"ascend_array_api.{p}" for p in PARTS[1:]),
    *(f"ascend_array_api.v{v}" for v in ("2023_12", "2024_12", "2025_12")),
    *(f"ascend_array_api.v{v}.linalg" for v in ("2023_12", "2024_12", "2025_12")),
]


def module_of(part: str) -> Any:
    return getattr(xp, part) if part else xp


def check_targets(text: str) -> None:
    """Check that all that a text tells to write is there."""
    for path in re.findall(r"\bxp\.([\w.]*\w)", text):
        target: Any = xp
        for name in path.split("."):
            target = getattr(target, name)
    for name in re.findall(r"xp\.random\.default_rng\(seed\)\.(\w+)", text):
        assert hasattr(xp.random.default_rng(0), name)
    for name in re.findall(r"\b[xyd]\.(\w+)", text):
        assert hasattr(xp.zeros((1, 1)), name), name
    for name in re.findall(r"to_torch\(x\)\.(\w+)", text):
        assert hasattr(torch.Tensor, name), name
    for name in re.findall(r"numpy\.from_dlpack\(x[^)]*\)\.(\w+)", text):
        assert hasattr(np.ndarray, name), name
    for name in re.findall(r"(?<!\.)\bnumpy\.(\w+)", text):
        assert hasattr(np, name), name


@listing("part, name, text", ROWS)
def test_a_name_of_the_tables_is_elsewhere(part: str, name: str, text: str) -> None:
    module = module_of(part)
    assert name not in module.__all__
    assert not hasattr(module, name)
    with pytest.raises(AttributeError, match=re.escape(text)) as caught:
        getattr(module, name)
    assert caught.value.name == name
    assert str(caught.value).startswith(f"module {module.__name__!r} has no attribute {name!r}. ")
    check_targets(text)


PRESENT = set(dir(xp.ones((2, 2))))
ATTRIBUTES = sorted(
    {n for n in (*dir(np.ndarray), *dir(torch.Tensor)) if not n.startswith("_")} - PRESENT
)


def test_every_attribute_of_numpys_and_torchs_arrays_is_elsewhere() -> None:
    assert set(foreign_names.ARRAY) <= {*ATTRIBUTES, "asnumpy", "get", "npu", "ptp"}
    for name in ATTRIBUTES:
        check_attribute(name, foreign_names.of_attribute(name))
    for name, text in {
        "tanh": "xp.tanh(x)",
        "tanh_": "x[...] = xp.tanh(x)",
        "isclose": "xp.abs(x - y) <= atol",
        "det": "xp.linalg.det(x)",
        "is_cuda": "xp.to_torch(x).is_cuda",
        "scatter_": "xp.to_torch(x).scatter_(...)",
        "setflags": 'numpy.from_dlpack(x, device="cpu").setflags(...)',
        "short": "xp.astype(x, xp.int16)",
    }.items():
        assert text in foreign_names.of_attribute(name)


def check_attribute(name: str, text: str) -> None:
    """Check that arrays have not an attribute, and say what to write instead."""
    assert text, name
    x = xp.ones((2, 2))
    assert not hasattr(x, name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=re.escape(text)) as caught:
        getattr(x, name)
    assert caught.value.name == name
    assert caught.value.obj is x
    check_targets(text)


def test_the_tables_are_in_order_and_of_names_that_there_are() -> None:
    for table in (*(foreign_names.names(p) for p in PARTS[1:]), foreign_names.ARRAY):
        assert sorted(table) == list(table)
    assert sorted(foreign_names.names(""), key=str.lower) == list(foreign_names.names(""))
    older = {"alltrue", "as_tensor", "in1d", "ptp", "trapz", "row_stack", "bmat", "fromstring"}
    older |= {"asnumpy", "to_numpy"}  # of CuPy and of others
    for part, name, _ in ROWS:
        libraries = [getattr(lib, part, None) if part else lib for lib in (np, torch, scipy)]
        assert any(hasattr(lib, name) for lib in libraries) or name in older, (part, name)


def names_of_numpy(part: str) -> list[str]:
    module = getattr(np, part) if part else np
    return sorted(n for n in module.__all__ if not n.startswith("_"))


@listing(
    "part, name",
    [
        (part, name)
        for part in ("", "linalg", "fft", "random")
        for name in names_of_numpy(part)
        if not hasattr(module_of(part), name)
    ],
)
def test_every_name_of_numpy_is_answered(part: str, name: str) -> None:
    with pytest.raises(AttributeError, match=r"Write |The |Arrays |A key ") as caught:
        getattr(module_of(part), name)
    if "Write" in str(caught.value):
        check_targets(str(caught.value).split("Write ", 1)[1])


def names_that_strict_refuses() -> list[tuple[str, str]]:
    every = [(p, n) for p in PARTS[:4] for n in dir(getattr(np, p) if p else np)]
    return [(p, n) for p, n in every if not n.startswith("_") and not hasattr(module_of(p), n)]


def test_every_name_that_relaxed_mode_has_says_so() -> None:
    refused = names_that_strict_refuses()
    messages = {}
    for part, name in refused:
        with pytest.raises(AttributeError) as caught:
            getattr(module_of(part), name)
        messages[part, name] = str(caught.value)
    with xp.options(relaxed=True):
        had = {(p, n) for p, n in refused if hasattr(module_of(p), n)}
        for part, name in set(refused) - had:
            with pytest.raises(AttributeError, match="Write |The |Arrays |A key ") as caught:
                getattr(module_of(part), name)
            assert str(caught.value) == messages[part, name]
    assert len(had) > 200
    assert {
        k for k, text in messages.items() if "xp.options(relaxed=True) allows it." in text
    } == had


def test_no_name_sends_arrays_of_a_device_to_numpy_unmoved() -> None:
    texts = [foreign_names.of_attribute(n) for n in ATTRIBUTES]
    for part, name in names_that_strict_refuses():
        with pytest.raises(AttributeError) as caught:
            getattr(module_of(part), name)
        texts.append(str(caught.value))
    assert [text for text in texts if "asarray(x)." in text or "numpy.asarray(x)" in text] == []


def test_a_name_of_nobody_is_pythons_own_error() -> None:
    with pytest.raises(
        AttributeError, match="^module 'ascend_array_api' has no attribute 'nobody'$"
    ):
        xp.nobody
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        xp.ones(1).nobody
    with pytest.raises(ImportError, match="nobody"):
        exec("from ascend_array_api import nobody")


@pytest.mark.parametrize("name", MODULES)
def test_modules_list_their_public_names_alone(name: str) -> None:
    module = importlib.import_module(name)
    listed = {n for n in dir(module) if not n.startswith("__")}
    beside = {"v2023_12", "v2024_12", "v2025_12"} if name == "ascend_array_api" else set()
    beside |= {"LinAlgError"} if name == "ascend_array_api.linalg" else set()
    assert listed == {n for n in module.__all__ if not n.startswith("__")} | beside
    for n in dir(module):
        assert hasattr(module, n)


def test_arrays_list_what_they_have_in_the_mode_that_is_on() -> None:
    x = xp.ones((2, 2))
    strict = {n for n in dir(x) if not n.startswith("_")}
    assert strict == {"T", "device", "dtype", "mT", "ndim", "shape", "size", "to_device"}
    with xp.options(relaxed=True):
        relaxed = set(dir(x))
        assert {"sum", "reshape", "astype"} < relaxed
        assert all(hasattr(x, n) for n in relaxed - {"__abstractmethods__", "imag"})
        assert not hasattr(x, "detach")
    assert {n for n in dir(x) if not n.startswith("_")} == strict
    assert set(dir(type(x).__mro__[-1]())) <= set(dir(x))


@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (2, 2, 2)])
def test_no_attribute_raises_anything_but_attribute_error(shape: tuple[int, ...]) -> None:
    x = xp.ones(shape)
    for name in {*vars(type(x)), *dir(np.ndarray), *dir(torch.Tensor)}:
        hasattr(x, name)
    assert hasattr(x, "T") == (len(shape) == 2)
    assert hasattr(x, "mT") == (len(shape) >= 2)
