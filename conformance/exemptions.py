"""Tests of others that cannot pass, each with the proof, and with the error that it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from .devices import device_type

if TYPE_CHECKING:
    from collections.abc import Iterable

ACCELERATORS: Final = frozenset({"cuda", "npu"})
EVERYWHERE: Final = ACCELERATORS | {"cpu"}


@dataclass(frozen=True)
class Exemption:
    """Tests that no correct implementation can pass, or not always.

    Attributes
    ----------
    tests
        A regular expression for their paths and names.
    error, match
        What they raise: a type, and a regular expression for the message and its notes.
    proof
        Why it is so.
    devices
        The types of devices on which it is so.
    strict_mode
        Whether it is so only where the namespace refuses what the standard leaves undefined.
    relaxed_mode
        Whether it is so only where it takes what NumPy takes, and strict mode fails before.
    always
        Whether every run meets it, so that a run that passes is a failure.
    """

    tests: str
    error: type[BaseException] | tuple[type[BaseException], ...]
    match: str
    proof: str
    devices: frozenset[str] = EVERYWHERE
    strict_mode: bool = False
    relaxed_mode: bool = False
    always: bool = True


def expect(
    items: Iterable[pytest.Item],
    exemptions: Iterable[Exemption],
    device: str,
    *,
    relaxed: bool = False,
) -> None:
    """Mark the tests that are exempted on a device as failing, by the known error alone.

    With another error they fail.  For each test the first exemption counts.
    """
    held = [
        exemption
        for exemption in exemptions
        if device_type(device) in exemption.devices
        and not (exemption.strict_mode and relaxed)
        and not (exemption.relaxed_mode and not relaxed)
    ]
    for item in items:
        name = f"{item.path.as_posix()}::{item.nodeid.partition('::')[2]}"
        for exemption in held:
            if re.search(exemption.tests, name):
                refused = pytest.RaisesExc(exemption.error, match=exemption.match)
                item.add_marker(
                    pytest.mark.xfail(
                        raises=refused, reason=exemption.proof, strict=exemption.always
                    )
                )
                break
