"""Rows: their evidence agrees with CANN's lists of kernels, and each is needed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from ascend_array_api._devices.facts import Facts, version
from ascend_array_api._routes._operations import ROWS, rows_of
from ascend_array_api._routes._rows import Compose, Native, Row
from ascend_array_api._torch import torch
from conformance.cann_emulator._table import Kernel, kernels
from workshop.rows import command
from workshop.rows.measure import Entry, Finding, Rows, Seen, Verdict
from workshop.rows.samples import Sample

KERNELS = {kernel.name: kernel for kernel in kernels()}
RELEASES = ("9.1", "9.0", "8.5")
NPU = rows_of("npu")


def holds(row: Row, cann: str) -> bool:
    """Whether a row may hold where all is unknown but CANN's release."""
    known = {"cann": lambda: version(cann), "torch": lambda: None}
    return row.where.decide(Facts("npu", known)) is not False


def of_release(kernel: str, cann: str) -> Kernel:
    return next(k for k in kernels(cann=cann) if k.name == kernel)


def takes(kernel: Kernel, dtype: torch.dtype) -> bool:
    """Whether the first tensor of a kernel may have a dtype."""
    first = next(a for a in kernel.arguments if a.type in "TLUO")
    return str(dtype).removeprefix("torch.") in first.dtypes


def runs_fast(kernel: Kernel, dtype: torch.dtype) -> bool:
    fast = kernel.aicore
    return fast is None or str(dtype).removeprefix("torch.") in fast


def disagreements(rows: list[Row]) -> list[str]:
    """Return where the evidence of rows is not what the table of kernels says."""
    found = []
    for row in rows:
        names = [name for name in row.evidence.names if name.startswith("aclnn")]
        cann = next(release for release in RELEASES if holds(row, release))  # the newest
        for name in names:
            if row.evidence.kind not in {"refused", "slow"}:
                continue
            for dtype in sorted(row.dtypes, key=str):
                kernel = of_release(name, cann)
                refused = not takes(kernel, dtype)
                if row.evidence.kind == "refused" and not refused:
                    found.append(f"{row.ops}: {name} takes {dtype}")
                if row.evidence.kind == "slow" and (refused or runs_fast(kernel, dtype)):
                    how = "refuses" if refused else "is fast for"
                    found.append(f"{row.ops}: {name} {how} {dtype}")
    return found


def test_what_rows_say_of_kernels_is_what_the_table_says() -> None:
    assert disagreements(NPU) == []


def test_a_disagreement_is_found() -> None:
    from ascend_array_api._backends.npu._common import refused, slow
    from ascend_array_api._devices.facts import cann_before

    assert disagreements(
        [Row("full", {torch.uint32}, Native(), *refused("aclnnInplaceFillScalar"))]
    )
    assert not disagreements(
        [
            Row(
                "full",
                {torch.uint32},
                Native(),
                *refused("aclnnInplaceFillScalar"),
                cann_before(9, 1),
            )
        ]
    )
    assert disagreements([Row("copy", {torch.float32}, Native(), *slow("aclnnInplaceCopy"))])
    assert disagreements([Row("tanh", {torch.float64}, Native(), *slow("aclnnTanh"))])
    assert not disagreements([Row("tanh", {torch.float64}, Native(), *refused("aclnnTanh"))])


def test_every_row_for_npus_names_what_it_is_about() -> None:
    known = set(KERNELS) | set(ABSENT)
    for row in NPU:
        for name in row.evidence.names:
            if name.startswith("aclnn"):
                assert name in known, row
        if row.evidence.kind in {"refused", "slow", "absent"}:
            assert row.evidence.names, row
        for name in row.evidence.names if row.evidence.kind in {"refused", "slow"} else ():
            if name.startswith("aclnn"):
                assert name in row.reason, row


ABSENT = ("aclnnRepeatInterleaveGrad",)
"""Kernels that the emulator has not."""


def test_reasons_are_sentences_for_the_user() -> None:
    for row in (*ROWS, *NPU, *rows_of("cpu"), *rows_of("cuda")):
        assert row.reason
        assert not row.reason.endswith(".")
        assert re.match(r"torch(_npu)? \d", row.evidence.seen), row


# --- each is needed -------------------------------------------------------------------------------


class Doubling(Sample):
    """A call of an operation that a row decides for."""

    def __init__(self, expected: float) -> None:
        super().__init__("negative", "float32", "doubling")
        self.expected = expected

    def prepared(self, xp, device):  # type: ignore[no-untyped-def]
        x = xp.asarray([1.0], dtype=xp.float32, device=device)
        return lambda: xp.negative(x)

    def problem(self, xp, result) -> str:  # type: ignore[no-untyped-def]
        return "" if float(result[0]) == self.expected else f"{float(result[0])}"


@pytest.fixture
def rows() -> Rows:
    return Rows("cpu")


def test_what_is_taken_out_is_noticed(rows: Rows) -> None:
    from ascend_array_api._routes._evidence import Evidence
    from ascend_array_api._routes._operations import OPS

    op = OPS["negative"]
    row = Row("negative", {torch.float32}, Compose(torch.abs), "R", Evidence("torch 2"))
    entry = Entry(row, "negative", torch.float32, own=True)
    op.add_row(row)
    try:
        (needed,) = rows.findings([Doubling(1.0)], [entry])
        (not_needed,) = rows.findings([Doubling(7.0)], [entry])
        (not_reached,) = rows.findings([], [entry])
    finally:
        op._rows[torch.float32].remove(row)
        op.clear()
    assert (needed.verdict, needed.what) == (Verdict.NEEDED, "-1.0")
    assert not_needed.verdict is Verdict.NOT_NEEDED
    assert not_reached.verdict is Verdict.NOT_REACHED
    assert command.without_witness([needed, not_needed, not_reached]) == [not_needed, not_reached]
    assert "no longer needed: negative of float32: R" in "\n".join(command.summary([not_needed]))


def test_evidence_says_of_which_kernels_it_is() -> None:
    from ascend_array_api._routes._evidence import Evidence

    assert str(Evidence("torch 2")) == "wrong: torch 2"
    assert str(Evidence("CANN 9", "coarse", ("A", "B"))) == "coarse (A, B): CANN 9"


def test_what_counts_as_worse() -> None:
    fast, slow = Seen(launches=2), Seen(aicpu=Counter(aclnnA=1), launches=2)
    assert slow.worse_than(fast) == "on the AICPU: aclnnA"
    assert not fast.worse_than(slow)
    assert Seen("wrong").worse_than(fast) == "wrong"
    assert Seen(on_host=True).worse_than(fast) == "computed on the host"
    assert Seen(launches=3).worse_than(fast, "launches") == "3 kernels instead of 2"
    assert not Seen(launches=3).worse_than(fast)
    assert Seen(reads=1).worse_than(fast, "host") == "1 values come to the host instead of 0"


@pytest.mark.nightly
def test_every_row_for_the_cpu_is_needed(rows: Rows) -> None:
    from workshop.rows.samples import samples

    entries = [entry for entry in rows.entries() if entry.own]
    assert entries
    reaching = {entry.operation for entry in entries}
    named = [s for s in samples() if any(o.split("_")[0] in s.name for o in reaching)]
    missing: list[Finding] = command.without_witness(rows.findings(named, entries))
    # How many terms a library adds up one after the other depends on the processor.
    unneeded = [f.entry for f in missing if not f.entry.row.reason.startswith("errors grow with")]
    assert list(map(str, unneeded)) == []


@pytest.mark.nightly
def test_every_row_for_meshes_is_needed(capsys) -> None:
    from workshop.cli import main

    assert main(["rows", "--device", "mesh:3"]) == command.PASSED
    assert re.search(r"of its own rows: 1\d{3} needed\n", capsys.readouterr().out)


@pytest.mark.nightly
def test_every_row_for_every_device_is_needed_on_the_cpu_or_names_where(rows: Rows) -> None:
    from workshop.rows.samples import samples

    entries = [entry for entry in rows.entries() if not entry.own]
    for finding in rows.findings(list(samples()), entries):
        if finding.verdict is not Verdict.NEEDED:
            assert re.search("CUDA|NPU", finding.entry.row.evidence.seen), finding


def test_needed_in_one_of_several_runs_is_enough() -> None:
    def found(device: str, verdict: str, *, own: bool = False) -> dict[str, object]:
        return {
            "device": device,
            "operation": "negative",
            "dtype": "float32",
            "own": own,
            "reason": "R",
            "where": "everywhere",
            "verdict": verdict,
        }

    shared, own = ((owner, "negative", "float32", "R", "everywhere") for owner in ("", "npu"))
    cpu, npu = found("cpu", "no longer needed"), found("npu", "needed")
    assert command.needed_nowhere([cpu, npu], [shared]) == []
    assert command.needed_nowhere([cpu], [shared]) == ["negative of float32: no longer needed: R"]
    assert command.needed_nowhere([found("npu", "needed", own=True)], [own]) == []
    assert command.needed_nowhere([found("cpu", "needed", own=True), npu], [own]) == [
        "negative of float32 (npu): decides in no run: R"
    ]


def test_all_entries_are_those_of_every_device_and_of_each_type() -> None:
    entries = command.all_entries()
    assert len(entries) == len(set(entries))
    assert {owner for owner, *_ in entries} == {"", "cpu", "cuda", "npu"}
    for entry in Rows("cpu").entries():
        key = ("cpu" if entry.own else "", entry.operation, str(entry.dtype)[6:])
        assert (*key, entry.row.reason, str(entry.row.where)) in entries


@pytest.mark.nightly
def test_the_command_fails_where_other_runs_leave_an_entry_unneeded(tmp_path, capsys) -> None:
    from workshop.cli import main

    other = tmp_path / "other.json"
    other.write_text("[]", encoding="utf-8")
    # Torch has no products of unsigned integers; of lstsq NPUs alone have rows.
    assert main(["rows", "-k", "cross", "lstsq", "--with", str(other)]) == 1
    lines = capsys.readouterr().out.splitlines()
    missing = lines[next(i for i, line in enumerate(lines) if "in no run" in line) + 1 :]
    # Not all processors fuse the products of complex64.
    missing = [line for line in missing if "cross of complex64: no longer needed" not in line]
    assert missing
    assert all(re.match(r"  lstsq of \w+ \(npu\): decides in no run", line) for line in missing)
