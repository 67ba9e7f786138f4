"""Tests of consumers that cannot pass: each with the proof, and the error that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from conformance.consumers import chosen
from conformance.devices import device_type

if TYPE_CHECKING:
    from collections.abc import Sequence

ACCELERATORS: Final = frozenset({"cuda", "npu"})
EVERYWHERE: Final = ACCELERATORS | {"cpu"}


@dataclass(frozen=True)
class Known:
    """A test that cannot pass.

    Attributes
    ----------
    parts
        What its path and name contain.
    proof
        Why it cannot pass.
    error, match
        What it raises, as a type and a regular expression.
    devices
        The types of devices on which that is so.
    """

    parts: tuple[str, ...]
    proof: str
    error: type[BaseException]
    match: str
    devices: frozenset[str] = EVERYWHERE


def expect(items: Sequence[pytest.Item], exceptions: Sequence[Known]) -> None:
    """Mark tests as failing by the known error alone; with another, or if they pass, they fail."""
    device = device_type(chosen.device())
    for item in items:
        name = f"{item.path.as_posix()}::{item.nodeid.partition('::')[2]}"
        for known in exceptions:
            if device in known.devices and all(part in name for part in known.parts):
                refused = pytest.RaisesExc(known.error, match=known.match)
                item.add_marker(pytest.mark.xfail(raises=refused, reason=known.proof, strict=True))
