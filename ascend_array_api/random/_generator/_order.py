"""Samples and orders of elements."""

from __future__ import annotations

from ..._arrays.array import Array
from .._arguments import Real, Size
from .._permutations import choice, permutation, permuted, shuffle
from ._drawing import Drawing


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
        return choice(self._bits, a, size, replace, p, axis)

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
        return permutation(self._bits, x, axis)

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
        return permuted(self._bits, x, axis)

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
        shuffle(self._bits, x, axis)
