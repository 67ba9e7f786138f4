"""What the worked examples share: the device to run on, and the comparison with NumPy.

To read them it is enough to know this: ``agreement.close(name, ours, numpys, within=1e-3)`` notes
by how much an array of ours differs from NumPy's; ``agreement.conclude()`` prints all these, says
what of the work was done on the host, and returns the exit status of the script.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from side_by_side import Array, NumpyArray, difference, find_device, on_the_host, table, to_numpy

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_device(argv: Sequence[str] | None, description: str) -> Any:
    """Read the command line of a worked example, which says on what device to compute."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", help="cpu, cuda:0, npu, ... (default: an NPU, else the CPU)")
    return find_device(xp, parser.parse_args(argv).device)


class Agreement:
    """Compares results with NumPy's, and sums up."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.rows: list[list[str]] = []
        self.failed = 0

    def close(
        self, name: str, ours: Array | float, numpys: NumpyArray | float, *, within: float
    ) -> None:
        """Note by how much numbers differ, relative to the largest of NumPy's."""
        value, expected = self._on_host(name, ours), np.asarray(numpys)
        off = difference(value, expected)
        self._note(name, value, f"{off:.1e}", f"{within:.0e}", agrees=off <= within)

    def equal(self, name: str, ours: Array | object, numpys: NumpyArray | object) -> None:
        """Note whether labels, counts or choices are the same."""
        value, expected = self._on_host(name, ours), np.asarray(numpys)
        agrees = np.array_equal(value, expected)
        self._note(name, value, "0" if agrees else "differs", "equal", agrees=agrees)

    def conclude(self) -> int:
        """Print the comparison, and what was computed on the host; return the exit status."""
        columns = ["compared with NumPy", "numbers", "difference", "allowed", ""]
        print(f"\n{table(columns, self.rows)}")
        if said := on_the_host(xp.fallback_report(), self.device):
            print(f"\n{said}")
        if self.failed or not self.rows:
            print(f"FAILED: {self.failed} of {len(self.rows)} results differ from NumPy's.")
            return 1
        print(f"All {len(self.rows)} results agree with NumPy's.")
        return 0

    def _on_host(self, name: str, value: Array | object) -> NumpyArray:
        if isinstance(value, xp.Array):
            if value.device != self.device:
                raise ValueError(f"{name}: expected device {self.device}, got {value.device}")
            return to_numpy(value)
        if isinstance(value, np.ndarray):
            raise TypeError(f"{name}: expected an array of the namespace, got NumPy's")
        return np.asarray(value)

    def _note(self, name: str, value: NumpyArray, off: str, allowed: str, *, agrees: bool) -> None:
        self.failed += not agrees
        self.rows.append([name, str(value.size), off, allowed, "ok" if agrees else "FAILED"])
