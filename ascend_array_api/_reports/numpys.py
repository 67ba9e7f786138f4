"""Warnings of relaxed mode: NumPy's, and one where float32 is used and NumPy uses float64."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np

from .._options import relaxed
from .._torch import torch
from .report import Report
from .user_code import user_frame

_once: Final[Report[Any]] = Report(object)
_NAMES: Final = {"//": "floor_divide", "%": "remainder", "//=": "floor_divide", "%=": "remainder"}


def _narrowed(asks: str, what: str) -> None:
    """Warn, once in a process, that float32 takes the place of NumPy's float64."""
    if torch.compiler.is_compiling():
        return
    message = (
        f"{what} in float32, of 24 bits, and in float64 in NumPy. "
        "xp.options(default_float='float64') does so here. This is said once."
    )
    _once.warn((asks,), message, RuntimeWarning)


relaxed.when_narrowed(_narrowed)


def text_of_zeros(function: str) -> str:
    """Return what NumPy says of divisions of integers by zero."""
    return f"divide by zero encountered in {_NAMES.get(function, function)}"


def divided_by_zero(function: str) -> None:
    """Warn of a division of integers by zero as NumPy does: as ``numpy.errstate`` says."""
    if not warns_of_zeros():
        return
    if np.geterr()["divide"] == "raise":
        raise FloatingPointError(text_of_zeros(function))
    warnings.warn(text_of_zeros(function), RuntimeWarning, stacklevel=user_frame()[0])


def warns_of_zeros() -> bool:
    """Say whether NumPy is to tell of divisions by zero."""
    return np.geterr()["divide"] != "ignore"


def loses_imaginary_parts() -> None:
    """Warn that complex numbers become real ones, as NumPy does."""
    message = "Casting complex values to real discards the imaginary part"
    warnings.warn(message, np.exceptions.ComplexWarning, stacklevel=user_frame()[0])
