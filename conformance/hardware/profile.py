"""From a report to a profile: what one machine goes by where no report covers it.

What a report lets a maintainer decide, a profile does not: it adds rows, and only such as are right
whatever the cause is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..cann_emulator import _table
from . import apply, dtypes, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ascend_array_api._routes._rows import Row

FACTS: Final = ("soc", "cann", "torch_npu", "emulated")


def build(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the profile of the machine that a report is of, made of JSON types alone."""
    from ascend_array_api._backends.npu import profile
    from ascend_array_api._routes._operations import OPS, ROWS, rows_of

    own = _routed([*ROWS, *rows_of("npu")])
    rows: dict[tuple[str, str], dict[str, str]] = {}
    unmended = []
    for kernel, dtype, why in _bad(found):
        operations = apply.operations_of(kernel, OPS)
        if not operations:
            unmended.append(f"{kernel} {dtype}: {why}")
        for name in operations:
            # A route of ours does not call the kernel with this data type, unless as a part.
            if why != dtypes.REFUSED or (name, dtype) not in own:
                entry = {"operation": name, "dtype": dtype, "kernel": kernel, "why": why}
                rows.setdefault((name, dtype), entry)
    return {
        "schema": profile.SCHEMA,
        "schema_version": profile.SCHEMA_VERSION,
        "created": found["created"],
        "facts": {name: found["facts"][name] for name in FACTS},
        "complete": found["complete"] and not found["only"],
        "rows": list(rows.values()),
        "unmended": unmended,
    }


def _bad(found: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """Yield kernels with a data type that they refuse, or of which they give wrong integers."""
    for name, answer in found["dtypes"].items():
        for short in answer.get("fewer", []):
            yield name.removesuffix(".dtypes"), _table.DTYPES[short][1], dtypes.REFUSED
    for name, answer in found["values"].items():
        kernel, *words = name.split(".")
        if answer["verdict"] == judge.WORSE and words[0].startswith(("int", "uint", "bool")):
            yield _table.named(kernel), words[0], "wrong"


def _routed(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Return the operations and data types that do not go to torch's own function."""
    from ascend_array_api._devices.facts import lazily_fused, lazily_selected
    from ascend_array_api._routes._rows import Native

    # Lazy fusion is a setting of a process, and a profile serves all.
    by_setting = {lazily_fused, lazily_selected}
    return {
        (name, str(dtype).removeprefix("torch."))
        for row in rows
        if not isinstance(row.route, Native) and row.where not in by_setting
        for name in row.ops.split()
        for dtype in row.dtypes
    }


def summary(profile: Mapping[str, Any], path: Path) -> Iterable[str]:
    """Return the lines that are printed."""
    from ascend_array_api._backends.npu.profile import VARIABLE

    yield f"profile: {path}: {len(profile['rows'])} operations and data types go to the host"
    yield from (
        f"  {row['operation']} of {row['dtype']}: {row['kernel']}: {row['why']}"
        for row in profile["rows"]
    )
    yield from (f"  no operation is known for {what}" for what in profile["unmended"])
    if not profile["complete"]:
        yield "  it is not complete: not everything was asked, or was answered"
    yield f"to go by it: export {VARIABLE}={path.resolve()}"
