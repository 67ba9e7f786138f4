"""Facts of a machine, and conditions on facts, which say where a row applies.

A fact has a name and is found once, when it is first needed.  It is a version as a tuple of
numbers, a word or a boolean; None stands for an unknown fact.  A condition on an unknown fact is
itself unknown, and then the row applies: a needless row costs time, a missing row costs correct
results.  If several rows apply only for this reason, the first one counts.

This module imports nothing of the package but torch.
"""

from __future__ import annotations

import platform
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .._torch import torch

Version: TypeAlias = tuple[int, ...]
"""A version, such as ``(2, 13, 0)``; a fourth number is that of a later build (``.post7``)."""

Fact: TypeAlias = "Version | str | bool | None"


def version(text: str | None) -> Version | None:
    """Return the numbers of a version: those of the release, then that of the post-release.

    Examples
    --------
    >>> version("2.7.1.post4"), version("2.13.0+cpu"), version("9.1.0-beta.1"), version(None)
    ((2, 7, 1, 4), (2, 13, 0), (9, 1, 0), None)
    """
    found = re.match(r"v?(\d+(?:\.\d+)*)(?:\.?post(\d+))?", text or "")
    if found is None:
        return None
    numbers = tuple(map(int, found[1].split(".")))
    return (*numbers, *(0,) * (3 - len(numbers)), int(found[2])) if found[2] else numbers


def _mkl() -> bool:
    return bool(torch.backends.mkl.is_available())  # type: ignore[no-untyped-call]


def _numpys_vectors() -> bool:
    return sys.platform == "linux" and torch.backends.cpu.get_cpu_capability() == "AVX512"


_COMMON: Final[Mapping[str, Callable[[], Fact]]] = {
    "torch": lambda: version(torch.__version__),
    "architecture": platform.machine,
    "mkl": _mkl,
    "x86 vectors": lambda: torch.backends.cpu.get_cpu_capability() in {"AVX2", "AVX512"},
    "NumPy's vectors": _numpys_vectors,
}


class Facts:
    """The facts of a device type on this machine, by name.

    Parameters
    ----------
    device_type : str
        The device type, which is the fact ``"device type"``.
    found_by : mapping of str to callable
        Functions that find facts, in addition to those of every device type: ``torch``,
        ``architecture``, ``mkl``, ``x86 vectors`` and ``NumPy's vectors``.
    """

    def __init__(self, device_type: str, found_by: Mapping[str, Callable[[], Fact]]) -> None:
        self._found_by = {**_COMMON, "device type": lambda: device_type, **found_by}
        self._known: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        """Return a fact, or None if it is unknown on this machine."""
        if name not in self._known:
            self._known[name] = self._found_by.get(name, lambda: None)()
        return self._known[name]

    def all(self) -> dict[str, Fact]:
        """Return all facts by name."""
        return {name: self[name] for name in self._found_by}


# --- conditions -----------------------------------------------------------------------------------


class Where(ABC):
    """A condition on facts; combine conditions by ``&``, ``|`` and ``~``."""

    @abstractmethod
    def decide(self, facts: Facts) -> bool | None:
        """Say whether the condition holds; None if that is unknown."""

    def __and__(self, other: Where) -> Where:
        return _Both(self, other)

    def __or__(self, other: Where) -> Where:
        return ~(~self & ~other)

    def __invert__(self) -> Where:
        return _Not(self)


@dataclass(frozen=True)
class _Everywhere(Where):
    def decide(self, facts: Facts) -> bool | None:  # noqa: ARG002
        return True

    def __str__(self) -> str:
        return "everywhere"


@dataclass(frozen=True)
class _Both(Where):
    one: Where
    other: Where

    def decide(self, facts: Facts) -> bool | None:
        # Three-valued: one False decides, even if the other is unknown.
        found = self.one.decide(facts), self.other.decide(facts)
        if False in found:
            return False
        return None if None in found else True

    def __str__(self) -> str:
        return f"({self.one} and {self.other})"


@dataclass(frozen=True)
class _Not(Where):
    what: Where

    def decide(self, facts: Facts) -> bool | None:
        found = self.what.decide(facts)
        return None if found is None else not found

    def __invert__(self) -> Where:
        return self.what

    def __str__(self) -> str:
        if isinstance(self.what, _Both):
            return f"({~self.what.one} or {~self.what.other})"
        if isinstance(self.what, _AtLeast):
            return f"{self.what.fact} before {_dotted(self.what.least)}"
        return f"not {self.what}"


def _dotted(numbers: Version) -> str:
    return ".".join(map(str, numbers))


@dataclass(frozen=True)
class _AtLeast(Where):
    fact: str
    least: Version

    def decide(self, facts: Facts) -> bool | None:
        found: Any = facts[self.fact]
        return None if found is None else bool(found >= self.least)

    def __str__(self) -> str:
        return f"{self.fact} at least {_dotted(self.least)}"


@dataclass(frozen=True)
class _Is(Where):
    fact: str

    def decide(self, facts: Facts) -> bool | None:
        found = facts[self.fact]
        return None if found is None else bool(found)

    def __str__(self) -> str:
        return self.fact


@dataclass(frozen=True)
class _Begins(Where):
    fact: str
    words: tuple[str, ...]

    def decide(self, facts: Facts) -> bool | None:
        found = facts[self.fact]
        return None if found is None else str(found).startswith(self.words)

    def __str__(self) -> str:
        return f"{self.fact} {' or '.join(self.words)}"


everywhere: Final[Where] = _Everywhere()
"""No condition."""

mkl: Final[Where] = _Is("mkl")
"""Torch uses Intel's MKL on the CPU."""

x86_vectors: Final[Where] = _Is("x86 vectors")
"""Torch runs its code for AVX2 or AVX512, the only code with vectors of complex numbers.

On other machines (ARM, old or restricted x86) it calls a function for each complex number.
"""

numpys_vectors: Final[Where] = _Is("NumPy's vectors")
"""NumPy uses Intel's vector functions, which it does on Linux with AVX512."""

fast_float64: Final[Where] = _Is("fast float64")
"""The device computes float64 in hardware, fast enough to use it for results in float32."""

triton: Final[Where] = _Is("triton")
"""Triton is installed."""

dvm: Final[Where] = _Is("dvm")
"""The environment chooses DVM to compile for NPUs."""

lazily_fused: Final[Where] = _Is("lazily fused")
"""The environment lets torch_npu collect calls, and fuse them."""

lazily_selected: Final[Where] = _Is("where lazily fused")
"""It lets torch_npu fuse ``where``, too."""


def torch_at_least(*least: int) -> Where:
    """Torch has this version or a later one."""
    return _AtLeast("torch", least)


def torch_before(*version: int) -> Where:
    """Torch is older than a version."""
    return ~torch_at_least(*version)


def torch_npu_at_least(*least: int) -> Where:
    """torch_npu has this version or a later one; a fourth number is that of its post-release."""
    return _AtLeast("torch_npu", least)


def torch_npu_before(*version: int) -> Where:
    """torch_npu is older than a version; a fourth number is that of its post-release."""
    return ~torch_npu_at_least(*version)


def cann_at_least(*least: int) -> Where:
    """CANN has this version or a later one."""
    return _AtLeast("cann", least)


def cann_before(*version: int) -> Where:
    """CANN is older than a version."""
    return ~cann_at_least(*version)


def soc(*names: str) -> Where:
    """The chip belongs to a family: ``"910B"`` (Atlas A2), ``"910_93"`` (A3), ``"310P"``."""
    return _Begins("soc", names)


def architecture(*names: str) -> Where:
    """The host's processor has an architecture: ``"x86_64"``, ``"aarch64"``."""
    return _Begins("architecture", names)


def on(*device_types: str) -> Where:
    """The device has a type; for rows that belong to no backend."""
    return _Begins("device type", device_types)
