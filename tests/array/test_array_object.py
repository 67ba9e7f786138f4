"""The array object: attributes, conversion to Python, iteration, printing, and what it refuses."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Hashable

import numpy as np
import pytest
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._torch import torch

NAMES = list(xp.__array_namespace_info__().dtypes())


def test_attributes() -> None:
    x = xp.zeros((2, 3, 4), dtype=xp.int16)
    assert (x.ndim, x.shape, x.size, x.dtype) == (3, (2, 3, 4), 24, xp.int16)
    assert type(x.shape) is tuple
    assert x.mT.shape == (2, 4, 3)
    assert xp.zeros((2, 3)).T.shape == (3, 2)
    assert xp.to_torch(x.mT).data_ptr() == xp.to_torch(x).data_ptr()
    with pytest.raises(AttributeError):
        x.other = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_conversion_to_python(name: str) -> None:
    x = xp.astype(xp.asarray([0, 1]), getattr(xp, name))
    zero, one = x[0], x[1]
    assert bool(one) is True
    assert bool(zero) is False
    assert complex(one) == 1 + 0j
    if "complex" not in name:
        assert type(int(one)) is int
        assert type(float(one)) is float
    if "int" in name:
        assert [10, 20][one] == 20
        assert range(2)[one] == 1
    else:
        with pytest.raises(TypeError, match="only an integer array"):
            [10, 20][one]
    for convert in (bool, int, float, complex):
        with pytest.raises(TypeError, match="array of 0 dimensions|complex"):
            convert(x)
        with pytest.raises(TypeError, match="array of 0 dimensions|complex"):
            convert(x[:1])  # strict: one element in one dimension is no scalar
    assert cmath.isfinite(one)


def test_conversion_of_what_has_no_such_value() -> None:
    for value, error in ((math.nan, ValueError), (math.inf, OverflowError)):
        with pytest.raises(error):
            int(xp.asarray(value))
    for convert in (int, float):
        with pytest.raises(TypeError, match=r"Use real\(\)"):
            convert(xp.asarray(1j))
    assert int(xp.asarray(2**64 - 1, dtype=xp.uint64)) == 2**64 - 1
    assert float(xp.asarray(2**63 - 1)) == float(2**63 - 1)


def test_len_and_iteration() -> None:
    x = xp.asarray([[1, 2], [3, 4]])
    assert len(x) == 2
    assert [xp.to_torch(row).tolist() for row in x] == [[1, 2], [3, 4]]
    next(iter(x))[...] = 0  # rows are views
    assert not xp.any(x[0, :] != 0)
    assert [int(v) for v in xp.asarray([5, 6])] == [5, 6]
    assert list(xp.zeros((0, 3))) == []
    first, second = xp.asarray([1, 2])
    assert int(second) == 2


def test_hash() -> None:
    assert not isinstance(xp.zeros(1), Hashable)  # as matplotlib asks before it looks a marker up


def test_repr() -> None:
    with xp.options(device="cpu"):
        assert repr(xp.asarray([1, 2])) == "Array([1, 2], dtype=int64, device='cpu')"
        assert repr(xp.asarray(True)) == "Array(True, dtype=bool, device='cpu')"
        assert repr(xp.zeros((0, 2))) == "Array([], shape=(0, 2), dtype=float32, device='cpu')"
        assert repr(xp.asarray(1.5, dtype=xp.bfloat16)) == (
            "Array(1.5, dtype=bfloat16, device='cpu')"
        )
        assert "2**" not in repr(xp.asarray(2**64 - 1, dtype=xp.uint64))
        assert "18446744073709551615" in repr(xp.asarray(2**64 - 1, dtype=xp.uint64))
        assert repr(xp.asarray([math.nan, math.inf, -0.0])).startswith("Array([nan, inf, -0.]")
        grad = xp.asarray(torch.ones(1, dtype=torch.float32, device="cpu", requires_grad=True))
        assert "requires_grad=True" in repr(grad)


def test_repr_where_there_are_no_values() -> None:
    x = xp.asarray(torch.ones(3, device="meta"))
    assert repr(x) == f"Array({torch.ones(3, device='meta')!r})"
    assert "meta" in x._repr_html_()
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        y = xp.asarray(torch.ones(3))
        y[1:] += y[:-1]
        y[1:] = y[:-1]
        assert repr(y) == "Array(FakeTensor(..., size=(3,)))"


@pytest.mark.parametrize("shape", [(2000,), (50, 100), (7, 200), (8, 200), (3, 30, 40), (1001, 1)])
def test_repr_of_a_large_array_shows_its_corners_as_numpy_does(shape: tuple[int, ...]) -> None:
    values = np.arange(math.prod(shape)).reshape(shape)
    text = repr(xp.asarray(values, device="cpu"))
    inside = np.array2string(values, separator=", ", prefix="Array(", max_line_width=88)
    if max(shape) > 7:
        assert "..." in text
    said = f"shape={shape}, dtype=int64, device='cpu')"
    assert text.split() == f"Array({inside}, {said}".split()
    assert max(map(len, text.splitlines())) <= 88


def test_print_options_are_numpys() -> None:
    values = np.arange(20.0) / 3
    x = xp.asarray(values, device="cpu")
    with np.printoptions(precision=2, threshold=5, edgeitems=1, linewidth=40, sign="+"):
        inside = np.array2string(values, separator=", ", prefix="Array(")
        text = repr(x)
    rest = "      shape=(20,), dtype=float64, device='cpu')"
    assert text == f"Array({inside},\n{rest}"
    with np.printoptions(formatter={"float": lambda v: f"<{v:.0f}>"}):
        assert repr(x[:2]) == "Array([<0>, <0>], dtype=float64, device='cpu')"


@pytest.mark.parametrize("shape", [(-1,), (1, -1), (-1, 1), (2, -1)])
def test_the_data_type_stands_in_the_last_line_where_there_is_room(shape: tuple[int, ...]) -> None:
    short = set()
    for n in range(2, 60, 2):
        x = xp.asarray((np.arange(n) + 10).reshape(shape), device="cpu")
        lines = repr(x).splitlines()
        rest = "dtype=int64, device='cpu')"
        *_, before, last = ["", *lines]
        if last.strip() == rest:
            assert len(before) + 1 + len(rest) > 88
        else:
            assert last.endswith(f"], {rest}")
        assert max(map(len, lines if len(shape) == 1 else [last])) <= 88
        inside = re.findall(r"\d+", repr(x).removesuffix(rest))
        assert [int(digits) for digits in inside] == list(range(10, n + 10))
        short.add(last.strip() == rest)
    assert short == ({False} if shape == (-1, 1) else {True, False})


def test_notebooks_show_an_array_as_html() -> None:
    html = xp.asarray([[1, 2], [3, 4]], device="cpu")._repr_html_()
    assert "Array of shape (2, 2), int64, on cpu" in html
    assert "<pre>[[1, 2],\n [3, 4]]</pre>" in html
    assert "..." in xp.zeros(5000)._repr_html_()


@pytest.mark.parametrize("kind", [RuntimeError, NotImplementedError])
def test_scalars_of_data_types_that_the_device_cannot_give(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = xp.asarray(3, dtype=xp.uint16)
    item, asked = torch.Tensor.item, []

    def refuse_once(tensor: torch.Tensor) -> object:
        asked.append(tensor)
        if len(asked) == 1:
            raise kind("refused")
        return item(tensor)

    monkeypatch.setattr(torch.Tensor, "item", refuse_once)
    with pytest.raises(kind, match="refused"):
        int(x)
    asked.clear()
    monkeypatch.setattr(type(x.device.backend), "gives_scalars", lambda self, dtype: False)
    assert int(x) == 3
    assert len(asked) == 2


test_what_is_refused = refused(r"""
[ValueError AttributeError]
^.*expected an array of .*got 1\. Leave T out | v.T
^.*expected an array of .*got 3\. Use mT | t.T
^.*expected an array of at least 2 .*got 1 | v.mT
[ValueError]
no namespace for version | v.__array_namespace__(api_version="2019.12")
no namespace for version | v.__array_namespace__(api_version="2022.12")
no namespace for version | v.__array_namespace__(api_version="2023")
no namespace for version | v.__array_namespace__(api_version=2023.12)
""")
