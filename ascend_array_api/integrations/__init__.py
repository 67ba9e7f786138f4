"""Arrays in libraries that have to be told of them: einops and autoray.

These libraries decide by the type of an array which functions they call.  ``register`` tells them.
It is a call of the user, because an import of this package imports none of them and changes none.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final

__all__ = ["register"]

_LIBRARIES: Final = ("einops", "autoray")


def register(*libraries: str) -> tuple[str, ...]:
    """Tell other libraries how to compute with arrays of this package.

    Afterwards ``einops.rearrange``, ``reduce``, ``repeat``, ``pack``, ``einsum`` and the other
    functions of einops take arrays, on every device and in both modes.

    ``autoray.do`` finds most functions by itself.  It learns NumPy's names of the standard's
    functions, random numbers, and how arrays move between devices and to NumPy.  Its calls are
    NumPy's, so it needs relaxed mode for those that the standard leaves undefined.

    Parameters
    ----------
    *libraries : {"einops", "autoray"}
        The names of the libraries, which are imported.  By default all that are installed.

    Returns
    -------
    tuple of str
        The libraries that know arrays now.

    Raises
    ------
    ImportError
        If a library that is named is not installed.
    ValueError
        If a name is neither.

    Notes
    -----
    Further calls change nothing.  Not in the standard.

    autoray keeps the functions that it finds, so choose the mode of the process before it computes.
    Its ``random.uniform`` and ``random.normal`` draw from one generator, which ``random.seed``
    makes anew.  They make arrays on the device that was the default then.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import einops
    >>> from ascend_array_api import integrations
    >>> integrations.register("einops")
    ('einops',)
    >>> einops.reduce(xp.ones((2, 6)), "a (b c) -> a b", "sum", c=3)
    Array([[3., 3.],
           [3., 3.]], dtype=float32, device='cpu')
    """
    for name in libraries:
        if name not in _LIBRARIES:
            raise ValueError(
                f"register: there is no library {name!r}, only {', '.join(map(repr, _LIBRARIES))}."
            )
    chosen = libraries or tuple(name for name in _LIBRARIES if find_spec(name) is not None)
    for name in chosen:
        import_module(f"{__name__}._{name}")
    return chosen
