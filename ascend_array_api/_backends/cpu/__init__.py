"""The host's processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._backend import DLDeviceType, Host

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._facts import Fact


class _CPU(Host):
    dlpack = DLDeviceType.kDLCPU
    exact_scalars = True
    rows = tuple(
        f"{__name__}.{topic}"
        for topic in (
            "elementwise",
            "fourier",
            "indexing",
            "linear_algebra",
            "random",
            "searching",
            "shortcuts",
            "special",
        )
    )

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return how facts are found."""
        return {"fast float64": lambda: True}


BACKEND: Final = _CPU("cpu")
