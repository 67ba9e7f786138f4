"""Tests of consumers that cannot pass: each with the proof, and the error that it is about."""

from __future__ import annotations

import re
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
    """Tests that no namespace of this kind can pass.

    Attributes
    ----------
    tests
        A regular expression for their paths and names.
    error, match
        What they raise: a type, and a regular expression for the message.
    proof
        Why it is so.
    devices
        The types of devices on which it is so.
    strict
        Whether it is so only where what the standard leaves undefined is refused.
    """

    tests: str
    error: type[BaseException]
    match: str
    proof: str
    devices: frozenset[str] = EVERYWHERE
    strict: bool = False

    def holds(self) -> bool:
        """Say whether it counts in this run."""
        return device_type(chosen.device()) in self.devices and not (
            self.strict and chosen.relaxed()
        )


def expect(items: Sequence[pytest.Item], exceptions: Sequence[Known]) -> None:
    """Mark tests as failing by the known error alone; with another, or if they pass, they fail.

    For each test the first exception counts.
    """
    held = [known for known in exceptions if known.holds()]
    for item in items:
        name = f"{item.path.as_posix()}::{item.nodeid.partition('::')[2]}"
        for known in held:
            if re.search(known.tests, name):
                refused = pytest.RaisesExc(known.error, match=known.match)
                item.add_marker(pytest.mark.xfail(raises=refused, reason=known.proof, strict=True))
                break
