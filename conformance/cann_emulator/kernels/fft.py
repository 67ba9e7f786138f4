"""The transforms of libasdsip: along the last axis, without scaling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import documented_errors as wrong

if TYPE_CHECKING:
    from collections.abc import Callable


def _c2c(x: torch.Tensor, n: int, forward: int) -> Any:
    return torch.fft.fft(x, n) if forward else torch.fft.ifft(x, n, norm="forward")


def _r2c(x: torch.Tensor, n: int, forward: int) -> Any:
    del forward
    return torch.fft.rfft(x, n)


def _c2r(x: torch.Tensor, n: int, forward: int) -> Any:
    return torch.fft.irfft(x.conj() if forward else x, n, norm="forward")


def _overwriting(function: Callable[..., Any]) -> Callable[..., Any]:
    def transformed(x: torch.Tensor, n: int, forward: int) -> Any:
        result = function(x, n, forward)
        wrong.overwrite_transformed(x, n)
        return result

    return transformed


TASKS: dict[str, Callable[..., Any]] = {
    "emulator_fft_C2C": _overwriting(_c2c),
    "emulator_fft_C2R": _overwriting(_c2r),
    "emulator_fft_R2C": _overwriting(_r2c),
}
