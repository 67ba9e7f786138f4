"""The generator: NumPy's ``Generator``, in the namespace's way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._devices.device import DeviceLike
from ..._errors.exceptions import describe
from ..._errors.foreign_calls import answering
from ..._options import relaxed, settings
from ..._options.defaults import resolve
from ..._torch.tracing import untraced
from .._bit_generators import BitGenerator, Philox
from ._mixtures import Mixtures
from ._order import Order


class Generator(Order, Mixtures):
    """Random numbers of many distributions, from a bit generator.

    The methods are those of NumPy's ``Generator``, and ``cauchy``.  So are their parameters and
    defaults, but for ``out``, ``check_valid``, ``tol``, the ``method`` of ``standard_exponential``
    and the data types, which are the namespace's; some are taken by name only.

    Arrays are made on the device of the bit generator.  Parameters can be arrays of that device,
    Python scalars, or sequences of them; they are broadcast together, and with ``size``.

    What is out of range raises ``ValueError``, and the generator is as it was.  Of an array on an
    accelerator it is raised when the option ``checks`` says: with ``"late"`` where the drawn
    numbers are read.

    Parameters
    ----------
    bit_generator : BitGenerator
        A ``Philox`` or a ``Native`` one.

    Notes
    -----
    https://numpy.org/doc/stable/reference/random/generator.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rng = xp.random.Generator(xp.random.Philox(42, device="cpu"))
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(
                f"Generator: expected a BitGenerator, got {describe(bit_generator)}. "
                "default_rng() takes seeds."
            )
        self._bits = bit_generator

    @property
    def bit_generator(self) -> BitGenerator:
        """The bit generator."""
        return self._bits

    def __repr__(self) -> str:
        return f"Generator({type(self._bits).__name__}, device={str(self.device)!r})"

    def spawn(self, n_children: int) -> list[Generator]:
        """Return independent generators, for as many processes or devices.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            With the bit generators that ``BitGenerator.spawn`` gives.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> [child.random(2).shape for child in rng.spawn(2)]
        [(2,), (2,)]
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]


@untraced
@answering
def default_rng(
    seed: int | Sequence[int] | np.random.SeedSequence | BitGenerator | Generator | None = None,
    *,
    device: DeviceLike | None = None,
) -> Generator:
    """Return a generator of the portable stream, ``Philox``.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, BitGenerator, Generator or None
        What determines the stream; None takes fresh entropy of the operating system.  A bit
        generator is wrapped, and a generator returned as it is.
    device : Device or str, optional
        The device on which arrays are made; by default the default device.

    Returns
    -------
    Generator
        A new one, unless one was given.

    Raises
    ------
    ValueError
        If the seed is negative, or a generator is given that is on another device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rng = xp.random.default_rng(42, device="cpu")
    >>> rng.random(3)
    Array([0.30211103, 0.33531606, 0.6591792 ], dtype=float32, device='cpu')
    """
    if settings.lists:
        relaxed.beyond(
            "random.default_rng: the standard has no random numbers. Write rng = "
            "numpy.random.default_rng(seed), and xp.asarray() of what it draws."
        )
    if isinstance(seed, (BitGenerator, Generator)):
        if device is not None and resolve(device, "default_rng") is not seed.device:
            raise ValueError(
                f"default_rng: the generator is on {seed.device}, not on {device}. "
                "Make one for that device."
            )
        return seed if isinstance(seed, Generator) else Generator(seed)
    return Generator(Philox(seed, device=device))
