"""Run both examples and sum up: scikit-learn and SciPy on arrays of the namespace.

Run it with ``python examples/demo.py --device cpu --dtype float32``.
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy looks at this once, when it is imported.

import sys
import time
from typing import TYPE_CHECKING, Any

import scipy_signals
import sklearn_digits
from side_by_side import conclude, header, on_the_host, parse_setting, table

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the examples; the exit status tells whether all their outcomes agree with NumPy's."""
    start = time.perf_counter()
    setting = parse_setting(argv, description="Run scikit-learn and SciPy on arrays of a namespace")
    print(header(setting))

    summary = []
    agreed = True
    for example in (sklearn_digits, scipy_signals):
        comparison = example.run(setting)
        agreed &= conclude(comparison, example.findings(comparison.run))
        rows = comparison.rows()
        closest = max(max(row.off, row.apart) / row.tolerance for row in rows if row.tolerance)
        summary.append(
            [
                example.__name__,
                str(len(rows)),
                str(sum(row.verdict == "ok" for row in rows)),
                f"{closest:.0%}",
                f"{sum(comparison.same_dtype.seconds.values()):.2f} s",
                f"{sum(comparison.run.seconds.values()):.2f} s",
            ]
        )

    columns = ["example", "outcomes", "agree", "of tolerance used", f"NumPy {setting.dtype}"]
    print(f"\n=== Summary: {setting.label} on {setting.device} ===\n")
    print(table([*columns, setting.label], summary))
    report: list[Any] = getattr(setting.xp, "fallback_report", list)()
    if said := on_the_host(report, setting.device):
        print(f"\n{said}")
    print(f"\n{'All outcomes agree' if agreed else 'FAILED'}, {time.perf_counter() - start:.1f} s.")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
