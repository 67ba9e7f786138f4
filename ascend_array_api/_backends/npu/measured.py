"""The machines whose kernels were measured, with their reports of ``conformance hardware``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..._devices.facts import cann_before, everywhere
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


class Open(NamedTuple):
    """Known faults of CANN on a chip that no row avoids."""

    reason: str
    remedy: str


_DRAWS: Final = (
    "random draws without replacement, atanh near 0, products with long vectors, repeat of bytes, "
    "and concat of some 1,900 arrays and more"
)
_OF_950: Final = (
    (
        cann_before(9, 1),
        Open(
            f"{_DRAWS}; before CANN 9.1 cumulative sums, tril and triu of wide matrices, "
            "functions of strided views, and repeat too",
            "install CANN 9.1 or later, which mends most of them",
        ),
    ),
    (everywhere, Open(_DRAWS, "compare what you need of these with the CPU")),
)


def open_faults(facts: Facts) -> Open | None:
    """Return the known faults of a chip that no row avoids, by the ledger of CANN's faults."""
    if not str(facts["soc"]).startswith("950"):
        return None
    return next(found for where, found in _OF_950 if where.decide(facts))


def caveat(facts: Facts) -> str | None:
    """Return a known limit of a chip's results that no route works around, or an empty text."""
    chip = str(facts["soc"])
    return next((said for name, said in _CAVEATS.items() if chip.startswith(name)), None)
