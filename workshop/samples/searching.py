"""Searching, sorting, sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..drawing import st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("searching_functions")
for _name in ("argmax", "argmin"):  # the first occurrence counts; where NaN stands is unspecified
    covers(_name, REAL)(
        by_numpy(reference=of_something(_name), values=ordered, axis=an_axis_or_none, keepdims=FLAG)
    )
covers("count_nonzero", ALL)(
    by_numpy(
        reference=lambda x, **kwargs: np.sum(x != 0, dtype="int64", **kwargs),
        values=truth_elements,
        axis=some_axes,
        keepdims=FLAG,
    )
)
covers("nonzero", ALL)(
    by_numpy(values=truth_elements, shape={"min_dims": 1}, check=each_in_a_tuple)
)


@covers("where", ALL)
def where(draw: Draw, name: str, dtype: str) -> Trial:
    args, (x1, x2), _ = promoting_pair(draw, dtype, ALL, elements)
    full = np.broadcast_shapes(x1.shape, x2.shape)
    start = draw(st.integers(0, len(full)))
    shape = tuple(1 if draw(st.booleans()) else side for side in full[start:])
    condition = draw(operands("bool", shape))
    return Trial((condition, *args), exactly(np.where(condition.value, x1, x2)))


def stable_order(x: np.ndarray, where: int, *, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(x, axis=where, kind="stable")
    backwards = np.argsort(np.flip(x, where), axis=where, kind="stable")
    return np.flip(x.shape[where] - 1 - backwards, where)


def sort_arguments(draw: Draw, ndim: int) -> dict[str, Any]:
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["axis"] = axis(draw, ndim)
    for flag in ("descending", "stable"):
        if draw(st.booleans()):
            kwargs[flag] = draw(st.booleans())
    return kwargs


chapter("sorting_functions")


@covers("sort argsort", REAL)
def sort(draw: Draw, name: str, dtype: str) -> Trial:
    x = draw(operands(dtype, draw(shapes(min_dims=1)), ordered(dtype)))
    kwargs = sort_arguments(draw, x.value.ndim)
    along, stable = kwargs.get("axis", -1), kwargs.get("stable", True)
    order = stable_order(x.value, along, descending=kwargs.get("descending", False))
    expected = np.take_along_axis(x.value, order, along)
    if name == "sort":
        return Trial((x,), exactly(expected, signed_zeros=stable), kwargs)
    if stable:
        return Trial((x,), exactly(order), kwargs)

    def check(actual: Any) -> None:
        indices = check_form(actual, "int64", x.value.shape)
        counting = np.sort(indices, axis=along)
        assert (np.diff(counting, axis=along) == 1).all(), "an index is missing"
        assert ((indices >= 0) & (indices < x.value.shape[along])).all()
        assert (np.take_along_axis(x.value, indices, along) == expected).all()

    return Trial((x,), check, kwargs)


chapter("searching_functions")


@covers("searchsorted", REAL)
def searchsorted(draw: Draw, name: str, dtype: str) -> Trial:
    size = draw(st.one_of(st.integers(0, 6), st.sampled_from(LONG_SIDES)))
    values = pooled(draw, dtype, (size,), ordered(dtype))
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["side"] = draw(st.sampled_from(("left", "right")))
    side = kwargs.get("side", "left")
    if draw(st.integers(0, 2)) == 0:
        kwargs["sorter"] = fixed(draw, np.argsort(values, kind="stable").astype("int64"))
        x1 = fixed(draw, values)
    else:
        x1 = fixed(draw, np.sort(values))
    other = draw(st.sampled_from(partners(dtype, REAL))) if draw(st.booleans()) else dtype
    result = PROMOTION[dtype, other]
    # Half of what is sought is there.
    present = st.sampled_from(values.tolist()) if size else st.nothing()
    if draw(st.integers(0, 3)) == 0:
        x2: Any = scalar_of(draw, dtype, st.one_of(present, ordered(dtype)))
        needles = np.asarray(x2, dtype)
    else:
        sought = st.one_of(present, ordered(other)) if other == dtype else ordered(other)
        x2 = draw(operands(other, draw(shapes(max_dims=3)), sought))
        needles = x2.value.astype(result)
    expected = np.searchsorted(np.sort(values).astype(result), needles, side=side)
    return Trial((x1, x2), exactly(np.asarray(expected, dtype="int64")), kwargs)


chapter("set_functions")


@covers("isin", ALL)
def isin(draw: Draw, name: str, dtype: str) -> Trial:
    args, (x1, x2), _ = promoting_pair(draw, dtype, ALL, elements)
    kwargs = {"invert": draw(st.booleans())} if draw(st.booleans()) else {}
    return Trial(tuple(args), exactly(np.isin(x1, x2, **kwargs)), kwargs)


@covers("unique_all unique_counts unique_inverse unique_values", ALL)
def unique(draw: Draw, name: str, dtype: str) -> Trial:
    values = elements(dtype)
    if dtype in FLOATING:  # several NaNs
        values = st.one_of(values, st.just(math.nan))
    x = draw(operands(dtype, draw(shapes(max_dims=3)), values))
    flat = x.value.reshape(-1)
    found: dict[Any, list[int]] = {}  # value -> places; each NaN is a value of its own
    for place, item in enumerate(flat.tolist()):
        found.setdefault(item if item == item else ("nan", place), []).append(place)
    fields = {
        "unique_all": ("values", "indices", "inverse_indices", "counts"),
        "unique_counts": ("values", "counts"),
        "unique_inverse": ("values", "inverse_indices"),
        "unique_values": ("values",),
    }[name]

    def check(actual: Any) -> None:
        if name == "unique_values":
            parts = {"values": actual}
        else:
            assert isinstance(actual, tuple)
            assert actual._fields == fields
            parts = actual._asdict()
        values = check_form(parts["values"], dtype, (len(found),))
        numbers = [value for value in values.tolist() if value == value]
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) == {key for key in found if not isinstance(key, tuple)}
        if "counts" in parts:
            counts = check_form(parts["counts"], "int64", values.shape)
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                assert count == (len(found[value]) if value == value else 1), value
        if "indices" in parts:
            indices = check_form(parts["indices"], "int64", values.shape)
            for value, index in zip(values.tolist(), indices.tolist(), strict=True):
                if value == value:
                    assert index == found[value][0], value
                else:
                    assert ("nan", index) in found
            assert len(set(indices.tolist())) == len(found)
        if "inverse_indices" in parts:
            inverse = check_form(parts["inverse_indices"], "int64", x.value.shape)
            assert ((inverse >= 0) & (inverse < max(len(found), 1))).all()
            again = values[inverse]
            assert ((again == x.value) | ((again != again) & (x.value != x.value))).all()
            assert len(set(inverse.reshape(-1).tolist())) == len(found)

    return Trial((x,), check)


on("argmax argmin", wide_one, lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=1, keepdims=True)))
on("argmax argmin", lambda d: (d.repeated(8, 12),), lambda f, _, x: f(x, axis=1), "equal elements")
on("nonzero", lambda d: (d.repeated(8, 12),), plain, waits=True)
on(
    "count_nonzero",
    lambda d: (d.repeated(4, 6),),
    lambda f, _, x: (f(x), f(x, axis=0), f(x, axis=(0, 1), keepdims=True)),
)
on(
    "searchsorted",
    lambda d: (np.sort(d.wide(20)), d.wide(4, 6)),
    lambda f, _, x, y: (f(x, y), f(x, y, side="right")),
)
on(
    "searchsorted",
    lambda d: (d.wide(20), d.wide(9)),
    lambda f, xp, x, y: f(x, y, sorter=xp.argsort(x)),
    "sorter",
)
on("where", lambda d: (d.mask(4, 1), d.values(6), d.values(4, 6)), plain, "broadcast")
on("where", lambda d: (d.mask(4, 6), d.wide(4, 6), d.wide(4, 6)), plain)
on("where", lambda d: (d.mask(4, 6), d.wide(4, 6), number(d)), plain, "Python scalar")


def _equal_sets(results: Any) -> Any:
    """Return what the set functions have in common, whatever the order of the values."""
    return [_values_with(results[0], counts) for counts in results[1:]]


def _values_with(values: Any, other: Any) -> Any:
    if other.shape == values.shape:
        order = np.argsort(values, kind="stable")
        return [values[order], other[order]]
    return values[other]


def _repeated(d: Seeded) -> tuple[Any, ...]:
    return (d.repeated(8, 9),)


on("unique_values", _repeated, plain, view=np.sort, waits=True, batched=False)
on(
    "unique_all unique_counts unique_inverse",
    _repeated,
    plain,
    view=_equal_sets,
    waits=True,
    batched=False,
)
on(
    "isin",
    lambda d: (d.values(4, 6), d.values(5)),
    lambda f, _, x, y: (f(x, y), f(x, y, invert=True)),
)
on("sort", wide_one, lambda f, _, x: (f(x), f(x, axis=0)))
on(
    "argsort",
    lambda d: (d.repeated(4, 30),),
    lambda f, _, x: f(x),
    "stable",
    numpy=(lambda _, x: np.argsort(x, kind="stable")),
)
on("argsort", wide_one, lambda f, _, x: f(x, axis=0))
on(
    "sort",
    wide_one,
    lambda f, _, x: f(x, descending=True),
    "descending",
    numpy=lambda _, x: np.sort(x)[:, ::-1],
)
on(
    "argsort",
    lambda d: (d.repeated(4, 30),),
    lambda f, _, x: f(x, descending=True),
    "descending, stable",
    numpy=lambda _, x: 29 - np.argsort(x[:, ::-1], kind="stable")[:, ::-1],
)

because("argmax argmin argsort count_nonzero nonzero searchsorted", flat=POSITIONS)
because("isin", flat=BOOLEAN)
because("nonzero", unmapped="how many there are is known of no example alone")
slope("where", "larger", lambda f, _, x, y: f(x > y, x, y), [1.0, 2.0], [2.0, 1.0])
slope(
    "where",
    "root",
    lambda f, xp, x: f(x > 0, xp.sqrt(f(x > 0, x, 1.0)), 0.0),
    [1.0, -2.0],
)
slope("where", "mixed", lambda f, xp, x, y: f(xp.real(x) > 0, x, y), [1j + 1, -2.0], [2.0j, 1.0])
