"""The ledger of the faults of CANN's releases: its columns, and the emulator's part of it."""

from __future__ import annotations

import csv
import re
from dataclasses import fields

from ascend_array_api._backends.npu import releases
from conformance.cann_emulator import _table, faults

RELEASE = re.compile(r"\d+\.\d+\.\d+(-beta\.\d)?")
FAMILIES = {"910B", "910_93", "950", "310P", "310B", "910"}
DTYPES = re.compile(
    r"\b(?:bool|u?int\d+|float\d+|bfloat16|complex\d+|all|halves|integers|floats)\b"
)


def test_the_ledger_has_what_its_columns_are_for() -> None:
    """Judged by the meaning of each column; by no entry of the table itself."""
    with faults.LEDGER.open(newline="", encoding="utf-8") as file:
        assert next(csv.reader(file)) == [field.name for field in fields(faults.Entry)]
    said = set()
    for entry in faults.ledger():
        for release in (entry.since, entry.until):
            assert not release or RELEASE.fullmatch(release), entry
        if entry.since and entry.until:
            first, fixed = map(_table.release, (entry.since, entry.until))
            assert first <= fixed, entry  # betas count as their release
        assert set(entry.chips.split()) <= FAMILIES, entry
        assert entry.kind in faults.KINDS, entry
        assert entry.verdict in faults.VERDICTS, entry
        assert entry.commit, entry
        assert entry.repository, entry
        assert entry.what, entry
        assert entry.dtypes, entry
        assert (entry.verdict == "unreleased") <= (not entry.since), entry
        if entry.verdict == "avoided" and entry.functions:
            assert entry.route, entry
        key = (entry.kernel, entry.commit, entry.chips)
        assert key not in said, key
        said.add(key)
    assert faults.ledger() == tuple(
        sorted(
            faults.ledger(),
            key=lambda e: (e.repository.startswith(("op-", "torch")), e.kernel.lower(), e.commit),
        )
    )


def test_kernels_of_the_ledger_are_named_as_in_the_table() -> None:
    """The kernels of faults that the emulator has; others may be operators within kernels."""
    known = {kernel.name for kernel in _table.kernels()}
    for family in FAMILIES:
        for fault, kernels in faults.holding(family, "9.0.0"):
            assert set(kernels) <= known, fault
    assert {fault.commit for fault in faults.FAULTS} <= {e.commit for e in faults.ledger()}


def test_rows_for_releases_are_about_faults_of_the_ledger() -> None:
    """Each row names a kernel of a fault, and the ledger says that rows avoid it."""
    avoided = {k for e in faults.ledger() if e.verdict == "avoided" for k in e.kernels}
    avoided |= {k for fault in faults.FAULTS for k in fault.kernels}
    for row in releases.ROWS:
        assert set(row.evidence.names) <= avoided, row
