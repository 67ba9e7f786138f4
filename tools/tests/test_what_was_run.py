"""The command that takes reports of runs into the table of what was run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ascend_array_api._doctor import tested
from tools import what_was_run

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "ascend_array_api/_doctor/tested.csv"


def report(*, failed: int = 0, **more: Any) -> dict[str, Any]:
    run = {"version": "2023.12", "device": "npu", "device_note": "emulated CANN"}
    run |= {"device_name": "Ascend910B2", "max_examples": 100, "keyword": None}
    run |= {"success": not failed, "counts": {"failed": failed, "passed": 1161}}
    packages = {"torch": "2.9.0", "torch-npu": "2.9.0.post2", "numpy": "2.4.6"}
    return {
        "success": not failed,
        "created": "2026-11-28T21:57:20+00:00",
        "suite": {"modified": False},
        "environment": {
            "python": "3.11.7",
            "platform": "Linux-6.1-x86_64-with-glibc2.36",
            "packages": packages,
            "variables": {"CANN_EMULATOR_CANN": "9.0"},
        },
        "runs": [{**run, **more}],
    }


EMULATED = {"processor": "Ascend 910B2 (emulated)", "torch": "2.9", "torch_npu": "2.9.0.post2"}
EMULATED |= {"CANN": "9.0.0 (emulated)", "Python": "3.11", "state": tested.RUN}
EMULATED |= {"what": "the suite (2023.12; 100 examples; 1,161 passed, 2026-11-28)"}


def test_a_report_becomes_a_line() -> None:
    assert what_was_run.row(report()) == EMULATED
    on_cpu = what_was_run.row(report(device="cpu", device_note=None, device_name="AMD"))
    kept = {"torch_npu": "", "CANN": "", "processor": "x86-64"}
    assert on_cpu == {**EMULATED, **kept}
    older = report()
    older["environment"]["packages"]["numpy"] = "1.26.4"
    assert "; 100 examples, NumPy 1.26; " in what_was_run.row(older)["what"]


@pytest.mark.parametrize(
    ("given", "said"),
    [({"failed": 2}, "2 tests failed"), ({"keyword": "sin"}, "a part of the suite")],
)
def test_what_did_not_pass_is_refused(given: dict[str, Any], said: str, tmp_path, capsys) -> None:
    with pytest.raises(ValueError, match=said):
        what_was_run.row(report(**given))
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report(**given)), encoding="utf-8")
    before = TABLE.read_bytes()
    assert what_was_run.main([str(file)]) == 1
    assert said in capsys.readouterr().err
    assert TABLE.read_bytes() == before


def test_a_line_takes_the_place_of_that_of_the_same_run() -> None:
    rows = tested.rows()
    new = {**EMULATED, "torch": "1.0"}
    once = what_was_run.merged(rows, new)
    assert len(once) == len(rows) + 1
    below = once.index(new) - 1
    assert once[below]["processor"] == new["processor"]
    newer = {**new, "what": "the suite (2023.12; 200 examples)"}
    again = what_was_run.merged(once, newer)
    assert len(again) == len(once)
    assert newer in again
    assert new not in again
    (full,) = (row for row in rows if row["torch_npu"] and row["what"].startswith("all tests"))
    assert what_was_run.merged(rows, {**full, "what": "the suite"}) == rows  # it says less


def test_the_page_gets_the_table(tmp_path, monkeypatch) -> None:
    page = tmp_path / what_was_run.PAGE
    page.parent.mkdir()
    shutil.copy(ROOT / what_was_run.PAGE, page)
    before = page.read_text("utf-8")
    what_was_run.write_page(tmp_path)
    assert page.read_text("utf-8") == before
    monkeypatch.setattr(tested, "markdown", lambda: "| processor or SoC | x |")
    what_was_run.write_page(tmp_path)
    assert "| processor or SoC | x |\n" in page.read_text("utf-8")
    page.write_text("none", encoding="utf-8")
    with pytest.raises(ValueError, match="installation.md has 0 tables"):
        what_was_run.write_page(tmp_path)
