"""What would pass without a word: comparisons by identity."""

from __future__ import annotations

import operator
import re
from typing import Any
from unittest import mock

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._torch import torch
from conformance.samples.strategies import to_numpy

# --- comparisons ----------------------------------------------------------------------------------

OTHERS = {
    "list": [1, 2, 3],
    "list of floats": [1.1, 2.0, 3.0],
    "tuple": (1, 5, 3),
    "nested list": [[1, 2, 3], [3, 2, 1]],
    "list of None": [1, None, 3],
    "list of text": ["1", "2", "3"],
    "text": "a",
    "bytes": b"a",
    "None": None,
    "dict": {},
    "object": object(),
    "type": float,
}
HINTS = {"text": "isinstance(x, str)", "bytes": "isinstance(x, str)", "None": "x is None"}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
def test_strict_mode_refuses_to_compare_with_what_is_no_array(compare: Any, name: str) -> None:
    x, other = xp.asarray([1, 2, 3]), OTHERS[name]
    symbol = {"eq": "==", "ne": "!="}[compare.__name__]
    hint = HINTS.get(name, "xp.options(relaxed=True) allows it.")
    for a, b in ((x, other), (other, x)):
        with pytest.raises(TypeError, match=f"^{symbol}: .*{re.escape(hint)}"):
            compare(a, b)


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "complex64", "bfloat16"])
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
def test_relaxed_mode_compares_as_numpy_does(compare: Any, name: str, dtype: str) -> None:
    x, other = xp.astype(xp.asarray([1.0, 2.0, 3.0]), getattr(xp, dtype)), OTHERS[name]
    values = np.asarray([1.0, 2.0, 3.0]).astype("float32" if dtype == "bfloat16" else dtype)
    with xp.options(relaxed=True):
        for got in (compare(x, other), compare(other, x)):
            expected = compare(values, other)
            assert isinstance(got, xp.Array)
            assert got.dtype is xp.bool
            assert got.shape == expected.shape
            np.testing.assert_array_equal(to_numpy(got), expected)


def test_tensors_are_compared_in_relaxed_mode_alone() -> None:
    x, tensor = xp.asarray([1, 2], device="cpu"), torch.tensor([1, 3], device="cpu")
    for a, b in ((x, tensor), (tensor, x)):
        with pytest.raises(TypeError, match=r"==: .*torch.Tensor.*asarray\(\) first.*relaxed=True"):
            a == b
    with xp.options(relaxed=True):
        assert np.asarray(x == tensor).tolist() == [True, False]
        assert np.asarray(tensor != x).tolist() == [False, True]


def test_shapes_that_do_not_fit_are_an_error_in_relaxed_mode_too() -> None:
    with xp.options(relaxed=True), pytest.raises(ValueError, match="==: .*broadcast"):
        xp.asarray([1, 2, 3]) == [1, 2]


def test_what_knows_of_arrays_answers_a_comparison_itself() -> None:
    class Knows:
        def __eq__(self, other: object) -> Any:
            return "equal"

        def __ne__(self, other: object) -> Any:
            return "not equal"

        __hash__ = None  # type: ignore[assignment]

    x = xp.asarray([1, 2, 3])
    for mode in (False, True):
        with xp.options(relaxed=mode):
            assert (x == Knows()) == (Knows() == x) == "equal"
            assert (x != Knows()) == (Knows() != x) == "not equal"
            assert x == mock.ANY
            assert xp.asarray(3.0, device="cpu") == pytest.approx(3.0)


@pytest.mark.parametrize("other", [[1, 2], (1, 2), "ab", b"ab", bytearray(b"ab"), range(2)])
def test_no_sequence_is_repeated_by_an_array(other: Any) -> None:
    """Which Python does with any object that can be an index."""
    for a, b in ((xp.asarray(2), other), (other, xp.asarray(2))):
        with pytest.raises(TypeError, match=r"^\*: "):
            a * b


@pytest.mark.parametrize("other", [[1, 2], "ab", None, {}, {1}, object(), torch.ones(2)])
@pytest.mark.parametrize("symbol", ["+", "<", "@", "//", "&"])
def test_operators_refuse_in_words_of_their_own(symbol: str, other: Any) -> None:
    names = {"+": "add", "<": "lt", "@": "matmul", "//": "floordiv", "&": "and_"}
    x = xp.asarray([1, 2], device="cpu")
    with pytest.raises(TypeError, match=f"^{re.escape(symbol)}: ") as caught:
        getattr(operator, names[symbol])(x, other)
    converts = isinstance(other, (list, torch.Tensor))
    assert ("asarray()" in str(caught.value)) == converts


def test_devices_equal_those_of_torch() -> None:
    x = xp.zeros(1, device="cpu")
    assert x.device == torch.device("cpu")
    assert torch.device("cpu") == x.device
    assert x.device != torch.device("meta")
