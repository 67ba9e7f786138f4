"""The page: where the functions of SciPy and scikit-learn compute, made from a measurement."""

from __future__ import annotations

import importlib.util
import linecache
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.processes import version_of

from .measure import CROSSES, KINDS, LARGE, MODES, REFUSES, STAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .measure import Outcome, Row

_PACKAGES: Final = {"scipy": "SciPy", "sklearn": "scikit-learn"}
_REACH: Final = "where NumPy cannot reach it"


def counts(rows: Sequence[Row], mode: str) -> Counter[str]:
    """Return how many calls had each outcome in a mode."""
    return Counter(row.outcomes[mode].kind for row in rows)


def markdown(rows: Sequence[Row], note: str) -> str:
    """Return the page."""
    versions = ", ".join(
        f"{name} {(version_of(name) or '').split('+')[0]}"
        for name in ("torch", "SciPy", "scikit-learn")
    )
    on = f" on {note}" if note else ""
    parts = [
        "# SciPy and scikit-learn on an NPU",
        _in_short(rows),
        _summary(rows),
        _INTRO.format(on=on, versions=versions),
        _WORDS,
        _NOTES.format(scalars=_scalars(rows)),
        "## The functions",
        "<!-- table filter strict, relaxed -->",
        "<!-- fold tables of more than 0 rows -->",
        *_tables(rows),
        "This command writes the page:",
        "```console\n$ python -m workshop calls --device npu --markdown docs/scipy.md\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _in_short(rows: Sequence[Row]) -> str:
    """Return the figures that matter most, in sentences."""
    strict, relaxed = (counts(rows, mode) for mode in MODES)
    own = {
        package: [row for row in rows if row.call.name.startswith(package)] for package in _PACKAGES
    }
    stay = " and ".join(
        f"{counts(found, 'relaxed')[STAYS]} of {len(found)} functions of {_PACKAGES[package]}"
        for package, found in own.items()
    )
    moving = [row for row in rows if any(row.outcomes[mode].kind != STAYS for mode in MODES)]
    would_move = sum(
        row.outcomes["strict"].kind == REFUSES and row.outcomes["relaxed"].kind == CROSSES
        for row in rows
    )
    instead = sum(bool(row.call.instead) for row in moving)
    patched = sum(bool(row.call.patch) for row in moving)
    return (
        "This page shows what happens if you call SciPy and scikit-learn with arrays on an NPU. In "
        f"relaxed mode, {stay} stay on the device; {relaxed[CROSSES]} move data to the host. "
        f"In strict mode {strict[STAYS]} stay, and {strict[REFUSES]} raise an error, "
        f"{would_move} of them because they would move data. Of the {len(moving)} functions that "
        f"do not stay in both modes, {instead} have an expression that does in [the "
        f"tables](#the-functions), and {patched} have a patch of SciPy."
    )


def _summary(rows: Sequence[Row]) -> str:
    lines = ["| | mode | " + " | ".join(KINDS) + " |", "|---|---|" + "---|" * len(KINDS)]
    for package, title in _PACKAGES.items():
        own = [row for row in rows if row.call.name.startswith(package)]
        for mode in MODES:
            found = counts(own, mode)
            numbers = " | ".join(str(found[kind]) for kind in KINDS)
            lines.append(f"| {len(own)} of {title} | {mode} | {numbers} |")
    return "\n".join(lines)


_INTRO: Final = (
    "It was measured{on}, {versions}, with `SCIPY_ARRAY_API=1` and `array_api_dispatch=True`."
)

_WORDS: Final = f"""\
| word | meaning |
|---|---|
| {STAYS} | no data of an array leaves the device; the host may wait for single numbers |
| {CROSSES} | data goes to the host and is computed there |
| {REFUSES} | the call raises an error |
| wrong | the result differs from that of NumPy's arrays by 0.2 % of the largest number or more |"""

_NOTES: Final = """\
Each function is called once, with `float32` arrays, and compared with the same call with NumPy's
arrays. *What to use instead* is an expression that gives the same result and stays on the device,
in strict mode too; the command checks each. If there is none, the column has the reason, which
most often is what stands at the line that *where* names: the line of the library that moves most in
relaxed mode, or, if there is none, the line that raises. *MB* says how much goes to the host and
back for arrays of 10^6 elements; it is extrapolated from calls of 256 and 1,024 elements. A
*patch* is a change to SciPy (see `patches/scipy/README.md`) with which the function stays on the
device.
[calls.txt](../workshop/calls/calls.txt) lists the calls, and
[table.py](../workshop/calls/table.py) makes the arrays.

- **Strict mode refuses to move arrays silently.** If a function would cross the host, move the
  array yourself, and hand over NumPy's: `y = xp.asarray(f(np.asarray(x.to_device("cpu"))),
  device=x.device)`. With an `Array` on the CPU some functions fail, because they make new arrays
  on the default device.
- **Relaxed mode moves them, and warns.** `fallback_report()` says which function moved how much.
  Libraries also move arrays themselves, in both modes and without a warning: scikit-learn's solvers
  do so with gradients (`move_to`), once for each time that they evaluate the loss.
  `LogisticRegression` with `lbfgs` moved 11 gradients in a fit of 10 iterations (500 rows of 8
  features). The report has these moves too.
  Of the functions that cross the host in relaxed mode, {scalars} move less than 1 kB, such as a
  statistic for its p-value.
- **`scipy.optimize.curve_fit` is wrong in relaxed mode.** SciPy converts NumPy's arrays of
  `float32` to `float64`, but no other arrays; it then takes differences that `float32` cannot
  hold. Pass `float64` arrays.
- **Estimators of scikit-learn without array API support** refuse all arrays but NumPy's while
  `array_api_dispatch` is on."""


def _scalars(rows: Sequence[Row]) -> int:
    """Return how many calls move next to nothing in relaxed mode."""
    relaxed = [row.outcomes["relaxed"] for row in rows]
    return sum(one.kind == CROSSES and one.bytes < 1000 for one in relaxed)


def _tables(rows: Sequence[Row]) -> list[str]:
    """Return a table for each module."""
    parts = []
    for module, own in groupby(rows, lambda row: row.call.module):
        lines = [
            f"### {module}\n",
            "| function | strict | relaxed | what to use instead, or why | MB | where |",
            "|---|---|---|---|---|---|",
            *(_line(row) for row in own),
        ]
        parts.append("\n".join(lines))
    return parts


def _line(row: Row) -> str:
    strict, relaxed = (row.outcomes[mode] for mode in MODES)
    telling = relaxed if relaxed.kind != STAYS else strict
    name = row.call.name.removeprefix(f"{row.call.module}.")
    cells = [
        f"`{name}`",
        strict.kind,
        relaxed.kind,
        _advice(row),
        _megabytes(telling),
        f"`{telling.places[0]}`" if telling.places else "",
    ]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _megabytes(outcome: Outcome) -> str:
    """Return the bytes of a call that crosses."""
    if outcome.kind != CROSSES:
        return ""
    size = outcome.bytes / 10**6
    return f"{size:,.0f}" if size >= 10 else f"{size:.1f}" if size >= 0.05 else "0"


def _advice(row: Row) -> str:
    if all(row.outcomes[mode].kind == STAYS for mode in MODES):
        return ""
    strict, relaxed = (row.outcomes[mode] for mode in MODES)
    reason = relaxed.reason or strict.reason
    # That an array is moved says the column of the bytes.
    moved = not reason or _REACH in reason
    why = _at(relaxed.places or strict.places) if moved else _escaped(reason)
    patch = f"[patch](../patches/scipy/{row.call.patch})" if row.call.patch else ""
    return "; ".join(filter(None, [f"`{row.call.instead}`" if row.call.instead else why, patch]))


def _at(places: Sequence[str]) -> str:
    """Return what stands at the first of some lines of the libraries."""
    if not places:
        return ""
    file, _, line = places[0].rpartition(":")
    spec = importlib.util.find_spec(file.split("/")[0]) if "/" in file else None
    if spec is None or spec.origin is None:
        return "compiled code takes NumPy's arrays"
    text = linecache.getline(str(Path(spec.origin).parents[1] / file), int(line)).strip()
    return f"at `{text}`"


def _escaped(text: str) -> str:
    for character in "\\`*_<>[]":
        text = text.replace(character, f"\\{character}")
    return text


def as_json(rows: Sequence[Row], note: str) -> dict[str, Any]:
    """Return all that was measured."""
    return {
        "schema": "ascend-array-api/calls",
        "schema_version": 1,
        "device_note": note,
        "elements": LARGE,
        "calls": [
            {
                "name": row.call.name,
                "call": row.call.text,
                "instead": row.call.instead,
                **{mode: vars(row.outcomes[mode]) for mode in MODES},
            }
            for row in rows
        ],
    }
