"""The machines whose kernels were measured, with their reports of ``conformance hardware``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .causes import SATURATES

if TYPE_CHECKING:
    from ..._devices.facts import Facts, Version


class Measured(NamedTuple):
    """A report, with the chip and versions that it covers."""

    soc: str
    cann: Version
    torch_npu: Version
    report: str
    """The name of its file in ``conformance/hardware/reports``."""


# ``python -m conformance hardware --apply`` writes the entries.
MEASURED: Final[tuple[Measured, ...]] = ()


def report_for(facts: Facts) -> str | None:
    """Return the name of the report that covers a machine, or None."""
    machine = (facts["soc"], facts["cann"], facts["torch_npu"])
    return next((entry.report for entry in MEASURED if entry[:3] == machine), None)


_SATURATES: Final = f"its kernels have no infinities and no NaN: they saturate ({SATURATES})"
_CAVEATS: Final = {
    **dict.fromkeys(("310P", "910A", "910P"), _SATURATES),
    "950": "it takes subnormal numbers for 0 by default",
}


def caveat(facts: Facts) -> str | None:
    """Return a known limit of a chip's results that no route works around, or an empty text."""
    chip = str(facts["soc"])
    return next((said for name, said in _CAVEATS.items() if chip.startswith(name)), None)
