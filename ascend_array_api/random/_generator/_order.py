"""Samples and orders of elements."""

from __future__ import annotations

import math
from typing import Any

from ..._arrays.array import Array, wrap
from ..._arrays.axes import as_int, normalize_axis, normalize_shape
from ..._arrays.memory import check_writable
from ..._devices.device import spec, spec_of
from ..._errors.exceptions import foreign, mixed_devices, wrong_axis
from ..._options import relaxed
from ..._routes import indexing, movement, searching
from ..._routes._derivatives import at_hand
from ..._routes.random import uniform
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from .. import _variates as variates
from .._arguments import Draw, Real, Size, probability, sums_to_one
from .._bit_generators import BitGenerator
from ._drawing import Drawing


def _argsort(keys: Tensor, axis: int = -1) -> Any:
    kernel = searching.argsort.on(spec_of(keys))
    return kernel(keys, axis=axis, descending=False, stable=True)


def _keys(bits: BitGenerator, shape: tuple[int, ...]) -> Tensor:
    return bits._integers(math.prod(shape), dt.int64).view(shape)


def _order(bits: BitGenerator, size: int) -> Any:
    """Return the numbers below a size in random order."""
    return _argsort(bits._drawn("permutation", (size,), _keys))


def _positions_of_least(keys: Tensor, count: int) -> Any:
    """Return the positions of the least keys, in the order of the keys."""
    if count * 8 > len(keys) or not at_hand(keys):
        return _argsort(keys)[:count]
    places = torch.sort(torch.topk(keys, count, largest=False, sorted=False).indices).values
    return places[_argsort(keys[places])]


def _elements_at(x: Array, places: Tensor, axis: int) -> Any:
    return movement.index_select.on(x._spec)(x._tensor, places, axis)


def _array(bits: BitGenerator, function: str, x: Any) -> Array:
    if not isinstance(x, Array):
        raise foreign(function, x)
    if x.device is not bits.device:
        raise mixed_devices(function, bits.device, x.device)
    return x


def _weighted(draw: Draw, population: int, count: int, p: Any, *, replace: bool) -> Any:
    """Return positions chosen with given probabilities."""
    bits = draw.bits
    (chances,) = draw.values
    if not isinstance(chances, torch.Tensor) or tuple(chances.shape) != (population,):
        raise ValueError(f"choice: p must be a vector of {population} elements, the size of a.")
    conditions = [probability(chances), (sums_to_one(chances, p), "must sum to one")]
    if not replace:
        some = torch.sum(chances > 0, dtype=dt.int64) >= count
        conditions.append((some, "must have as many elements above zero as are chosen"))
    draw.check(p=conditions)
    (chances,) = draw.operands(chances)
    if replace:
        sums = torch.cumsum(chances, 0)
        sums = sums / sums[-1]
        u = bits._drawn(
            "choice", (count,), lambda part, own: part._numbers(uniform, math.prod(own), dt.float64)
        )
        places = searching.searchsorted.on(spec_of(u))(sums, u, right=True)
        return torch.clamp(places, max=population - 1)
    # Scale by a power of two, so that quotients by the least probabilities stay finite.
    keys = bits._drawn(
        "choice",
        (population,),
        lambda part, own, p: variates.exponential(part, math.prod(own), dt.float64) / p,
        (chances * 2.0**512,),
    )
    # Read as integers, the bits of positive numbers have the same order.
    return _positions_of_least(keys.view(dt.int64), count)


class Order(Drawing):
    """Samples and orders of elements."""

    def choice(
        self,
        a: Array | int,
        size: Size = None,
        replace: bool = True,  # noqa: FBT002  # as NumPy has it
        p: Real | None = None,
        axis: int = 0,
        shuffle: bool = True,  # noqa: FBT002
    ) -> Array:
        """Return a random selection.

        Parameters
        ----------
        a : array or int
            What to choose from: the elements along an axis, or, for an integer, ``arange(a)``.
        size : int or tuple of int, optional
            How many to choose, as a shape; by default one, without an axis.
        replace : bool, default: True
            Whether an element can be chosen again.
        p : array or sequence of float, optional
            The probability of each element; by default all are equal.
        axis : int, default: 0
            The axis along which to choose.
        shuffle : bool, default: True
            Taken for the sake of NumPy; without replacement the order is random in any case.

        Returns
        -------
        Array
            The elements, with axes of ``size`` in the place of ``axis``.

        Raises
        ------
        ValueError
            If there is nothing to choose from, or not enough without replacement, or ``p`` is
            negative, NaN, of another length, or does not sum to one.

        Notes
        -----
        Without replacement the elements are sorted by random keys of 64 bits; with probabilities by
        E / p of exponential numbers E, which is the same as choosing one after the other (P. S.
        Efraimidis and P. G. Spirakis, *Weighted random sampling with a reservoir*, 2006).

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> rng.choice(5, size=3).shape
        (3,)
        >>> x = xp.asarray([[1, 2], [3, 4], [5, 6]], device="cpu")
        >>> rng.choice(x, size=2, replace=False).shape
        (2, 2)
        """
        del shuffle
        bits = self._bits
        along = 0
        if isinstance(a, Array) and not a.ndim:
            a = relaxed.read(a, int, wrong_axis("choice", axis, 0))
        if isinstance(a, Array):
            array = _array(bits, "choice", a)
            along = normalize_axis("choice", axis, array.ndim)
            population = array.shape[along]
        else:
            population = as_int("choice", a, "a")
        shape = () if size is None else normalize_shape("choice", size, "size")
        count = math.prod(shape)
        if population < 1 and (count or population < 0):
            raise ValueError(f"choice: a must not be empty, got {population} elements.")
        if not replace and count > population:
            raise ValueError(
                f"choice: size must be at most {population}, the size of a, without replacement, "
                f"got {count}."
            )
        if p is None:
            if not count:
                places = torch.empty(0, dtype=dt.int64, device=bits.device.torch_device)
            elif replace:
                places = bits._drawn(
                    "choice",
                    (count,) if isinstance(a, Array) else shape,
                    lambda part, own: variates.bounded(
                        part, math.prod(own), population - 1, 0, dt.int64
                    ).view(own),
                )
            else:
                places = _positions_of_least(
                    bits._drawn("permutation", (population,), _keys), count
                )
        else:
            draw = Draw(bits, "choice", None, dt.float64, {"p": p})
            places = _weighted(draw, population, count, p, replace=bool(replace))
        if isinstance(a, Array):
            chosen = _elements_at(a, places, along)
            made = wrap(chosen.reshape(a.shape[:along] + shape + a.shape[along + 1 :]), a._spec)
        else:
            made = wrap(places.reshape(shape), spec(dt.int64, bits.device))
        return made if p is None else draw.mark(made)

    def permutation(self, x: Array | int, axis: int = 0) -> Array:
        """Return the elements along an axis in random order.

        Parameters
        ----------
        x : array or int
            The array, or, for an integer, ``arange(x)``.
        axis : int, default: 0
            The axis; what lies along it stays together.

        Returns
        -------
        Array
            A new array.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> sorted(int(i) for i in rng.permutation(5))
        [0, 1, 2, 3, 4]
        """
        bits = self._bits
        if isinstance(x, Array) and not x.ndim:
            x = relaxed.read(x, int, wrong_axis("permutation", axis, 0))
        if not isinstance(x, Array) and hasattr(x, "__index__"):
            size = as_int("permutation", x, "x")
            if size < 0:
                raise ValueError(f"permutation: x must not be negative, got {x}.")
            return wrap(_order(bits, size), spec(dt.int64, bits.device))
        array = _array(bits, "permutation", x)
        along = normalize_axis("permutation", axis, array.ndim)
        return wrap(_elements_at(array, _order(bits, array.shape[along]), along), array._spec)

    def permuted(self, x: Array, axis: int | None = None) -> Array:
        """Return the elements in random order, independently in every slice along an axis.

        Parameters
        ----------
        x : array
            The array.
        axis : int, optional
            The axis; by default all elements are permuted.

        Returns
        -------
        Array
            A new array.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> x = xp.reshape(xp.arange(6, device="cpu"), (2, 3))
        >>> int(xp.sum(rng.permuted(x, axis=1)[0, :]))
        3
        """
        bits = self._bits
        array = _array(bits, "permuted", x)
        own = array._spec
        if axis is None:
            flat = wrap(array._tensor.reshape(-1), own)
            order = _order(bits, flat.size)
            return wrap(_elements_at(flat, order, 0).reshape(array.shape), own)
        along = normalize_axis("permuted", axis, array.ndim)
        order = _argsort(bits._drawn("permuted", array.shape, _keys), along)
        return wrap(indexing.take_along_axis.on(own)(array._tensor, order, along), own)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the elements along an axis into random order, in place.

        Parameters
        ----------
        x : array
            The array, which is changed.
        axis : int, default: 0
            The axis; what lies along it stays together.

        Notes
        -----
        Sorting by random keys of 64 bits.  That two of n keys are equal, whose order would then not
        be random, has a probability below n**2 / 2**65.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> x = xp.arange(5, device="cpu")
        >>> rng.shuffle(x)
        >>> int(xp.sum(x))
        10
        """
        array = _array(self._bits, "shuffle", x)
        along = normalize_axis("shuffle", axis, array.ndim)
        check_writable("shuffle", array._tensor)
        shuffled = _elements_at(array, _order(self._bits, array.shape[along]), along)
        indexing.copy_to.on(array._spec)(array._tensor, shuffled)
        array._spec.device.backend.wrote(array._tensor)
