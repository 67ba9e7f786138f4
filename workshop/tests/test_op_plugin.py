"""The command that runs op-plugin's tests: on a made-up repository with a few tests."""

import csv
import json

import pytest
from processes import git

from conformance import pair
from conformance.cli import EXIT_FAILED, EXIT_PASSED, EXIT_USAGE
from conformance.errors import SetupError
from workshop import cli
from workshop.op_plugin import command, source, tables
from workshop.op_plugin.running import Outcome
from workshop.op_plugin.tables import Expected

needs_torch_npu = pytest.mark.skipif(
    pair.problem() is not None, reason=f"needs torch_npu: {pair.problem()}"
)

TESTS = """
import os
import unittest
import numpy as np
import torch
import torch_npu
from conformance.cann_emulator import installed
from torch_npu.testing.testcase import TestCase, run_tests
from torch_npu.testing.common_utils import SupportedDevices, create_common_tensor


class TestThings(TestCase):
    drawn = []

    def test_add(self):
        cpu, npu = create_common_tensor((np.float32, 3, (4, 5)), 0, 100)
        self.assertRtolEqual(torch.add(cpu, 1), torch.add(npu, 1).cpu())
        self.drawn.append(cpu)

    def test_add_again(self):
        cpu, npu = create_common_tensor((np.float32, 3, (4, 5)), 0, 100)
        self.assertTrue(torch.equal(self.drawn[0], cpu))

    def test_gelu(self):
        torch.nn.functional.gelu(torch.ones(3).npu())

    def test_late(self):
        installed().fail_kernel("aclnnSqrt", at="synchronize")
        torch.sqrt(torch.ones(2).npu())

    def test_of_another_device(self):
        self.fail("wrong on purpose")

    @SupportedDevices(["Ascend950"])
    def test_on_950(self):
        self.fail("not for this device")

    def test_that_ends_the_process(self):
        os.abort()

    def test_zero_after_it(self):
        self.assertEqual(torch.zeros(2).npu().sum().item(), 0)


def skip(self):
    self.skipTest("\\x1b[8m\\u202e\\0 for now")


setattr(TestThings, "test_zz`|<b>\\x1b]0;title\\x07\\u202e\\r\\nPASSED\\t", skip)
"""

FOREIGN = r"zz`|<b>\x1b]0;title\x07\u202e\r\nPASSED\t"  # as it is shown


def write_csv(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the repository ``upstream``, and the two tables."""
    place = tmp_path_factory.mktemp("op-plugin")
    folder = place / "upstream" / source.FOLDER
    folder.mkdir(parents=True)
    (folder / "test_things.py").write_text(TESTS)
    (folder / "test_broken.py").write_text("import no_such_module\n")
    (folder / "test_pool.py").write_text("raise SystemExit('this file is left out')\n")
    git("init", "-q", cwd=place / "upstream")
    git("add", ".", cwd=place / "upstream")
    git("commit", "-q", "-m", "pinned", cwd=place / "upstream")
    (place / "commit").write_text(git("rev-parse", "HEAD", cwd=place / "upstream"))
    (folder / "test_later.py").write_text("")
    git("add", ".", cwd=place / "upstream")
    git("commit", "-q", "-m", "later", cwd=place / "upstream")
    write_csv(
        place / "files.csv",
        ("file", "left_out_because"),
        ("test_broken.py", ""),
        ("test_pool.py", "neural networks"),
        ("test_things.py", ""),
    )
    return place


def take(place, patch):
    """Let the command take the made-up repository and tables for the real ones."""
    patch.setattr(source, "URL", str(place / "upstream"))
    patch.setattr(source, "COMMIT", (place / "commit").read_text())
    patch.setattr(tables, "FILES", place / "files.csv")
    patch.setattr(tables, "OUTCOMES", place / "outcomes.csv")


@pytest.fixture
def made_up(place, monkeypatch):
    take(place, monkeypatch)
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


# --- the clone ------------------------------------------------------------------------------------


def test_the_pinned_commit_is_cloned_and_kept(made_up, tmp_path, monkeypatch):
    folder = source.fetch(tmp_path / "cache")
    assert (folder / "test_things.py").is_file()
    assert not (folder / "test_later.py").exists()
    monkeypatch.setattr(source, "URL", str(tmp_path / "gone"))
    assert source.fetch(tmp_path / "cache") == folder


def test_a_repository_may_be_named(made_up, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "URL", str(tmp_path / "gone"))
    assert source.fetch(tmp_path / "cache", str(made_up / "upstream")).is_dir()


def test_another_commit_does_not_run(made_up, tmp_path):
    folder = source.fetch(tmp_path / "cache")
    git("fetch", "-q", "origin", cwd=folder)
    git("checkout", "-q", "FETCH_HEAD", cwd=folder)
    with pytest.raises(SetupError, match="unchanged copy"):
        source.fetch(tmp_path / "cache")


# --- the command line -----------------------------------------------------------------------------


def test_what_cannot_run_is_said_in_one_line(made_up, tmp_path, monkeypatch, capsys):
    def said(*arguments):
        code = cli.main(["op-plugin", "--cache", str(tmp_path), *arguments])
        assert code == EXIT_USAGE
        return capsys.readouterr().err

    monkeypatch.setattr(command, "require", lambda device: None)
    monkeypatch.setattr(tables, "OUTCOMES", tmp_path / "outcomes.csv")
    tables.write("chip", [Outcome("test_things.py::a", "passed")], tables.OUTCOMES)
    assert "nothing is recorded of kernels as ideal, but as chip: name" in said("--mode", "ideal")
    assert "no mode 'exact'" in said("--mode", "exact")
    assert "one process at least" in said("--jobs", "0")
    assert "op-plugin has no test_no.py" in said("test_no.py::TestNo")
    monkeypatch.setenv("ASCEND_HOME_PATH", "/usr/local/Ascend")
    assert "CANN is set up here" in said()


# --- the tables -----------------------------------------------------------------------------------


def test_a_table_keeps_reasons_and_knows_modes(tmp_path):
    path = tmp_path / "outcomes.csv"
    failed = Outcome("t.py::a", "failed", "AssertionError: result error")
    missing = "[ERROR] aclnnGelu is a kernel of CANN that the emulator does not have"
    older = "operator Identity of the older (GE) path is not emulated"
    others = [
        Outcome("t.py::b", "passed"),
        Outcome("t.py::c", "failed", missing),
        Outcome("t.py::d", "failed", older),
        Outcome("t.py::e", "skipped", "Only run on ['Ascend950'], current device is Ascend910B."),
        Outcome("t.py::f", "skipped", "too\nslow"),
    ]
    tables.write("chip", [failed, *others], path)
    chip = tables.outcomes("chip", path)
    assert chip == tables.outcomes("hostile:all", path)
    assert chip["t.py::a"] == Expected("failed", "")
    assert chip["t.py::b"] == Expected("passed")
    assert chip["t.py::c"].reason == "kernel not emulated: aclnnGelu"
    assert chip["t.py::d"].reason == "older operator: Identity"
    assert chip["t.py::e"].reason.startswith("other device: Only run on")
    assert chip["t.py::f"].reason == "skipped by the suite: too slow"
    assert tables.outcomes("ideal", path) == {}

    path.write_text(path.read_text().replace("failed,chip,\n", "failed,chip,precision: pow\n"))
    tables.write("ideal", [Outcome("t.py::a", "passed"), *others], path)
    tables.write("chip", [failed, *others], path)
    assert tables.outcomes("chip", path)["t.py::a"] == Expected("failed", "precision: pow")
    assert tables.outcomes("ideal", path)["t.py::a"] == Expected("passed")
    assert "t.py::b,passed,,\n" in path.read_text()
    assert "t.py::a,failed,chip,precision: pow\nt.py::a,passed,ideal,\n" in path.read_text()


@pytest.mark.parametrize(
    ("expected", "problem"),
    [
        (Expected("passed"), ""),
        (Expected("passed", "precision: pow"), "has no reason"),
        (Expected("failed", "precision: pow"), ""),
        (Expected("failed", ""), "the reason '' is not one of"),
        (Expected("failed", "the emulator: wrong"), "the reason 'the emulator' is not one of"),
        (Expected("broken", ""), "the outcome 'broken' is not one of"),
    ],
)
def test_reasons_are_of_a_fixed_vocabulary(expected, problem):
    said = tables.problem_of(expected)
    assert problem in said
    assert bool(problem) == bool(said)


def test_whatever_is_not_as_recorded_is_named():
    recorded = {
        "t.py::a": Expected("passed"),
        "t.py::b": Expected("failed", "precision: pow"),
        "t.py::c": Expected("failed", "it is slow"),
        "t.py::gone": Expected("passed"),
        "other.py::a": Expected("passed"),
        "t.py::g": Expected("passed"),
    }
    found = [
        Outcome("t.py::a", "failed", "AssertionError: no\nmore"),
        Outcome("t.py::b", "passed"),
        Outcome("t.py::c", "failed"),
        Outcome("t.py::g", "passed", failures=("aclnnAdd\nTraceback",)),
        Outcome("t.py::new", "passed"),
    ]
    said = command.surprises(found, recorded, ["t.py", "other.py::b"])
    assert [line.partition(";")[0] for line in said] == [
        "t.py::a failed, and is recorded as passed: AssertionError: no",
        "t.py::b passed, and is recorded as failed",
        "t.py::c failed",
        "t.py::g: an emulated kernel failed by itself: aclnnAdd",
        "t.py::new passed, and is not recorded",
        "t.py::gone is recorded as passed, and did not run",
    ]
    assert command.surprises(found[3:4], recorded, ["t.py::g"]) == said[3:4]
    good = Outcome("other.py::a", "passed")
    assert command.surprises([good], recorded, ["other.py"]) == []


def test_the_real_tables_are_in_order():
    files = tables.files(tables.FILES)
    assert list(files) == sorted(files)
    assert sum(not why for why in files.values()) > 200
    for mode in tables.MODES:
        outcomes = tables.outcomes(mode, tables.OUTCOMES)
        if mode == "chip":
            assert len(outcomes) > 1000
        assert {test.partition("::")[0] for test in outcomes} <= {f for f in files if not files[f]}
        problems = {test: tables.problem_of(expected) for test, expected in outcomes.items()}
        assert {test: said for test, said in problems.items() if said} == {}


def test_what_foreign_tests_say_is_shown_and_begins_no_line(made_up, tmp_path, monkeypatch, capsys):
    says = "\x1b]0;title\x07\x1b[2J\u202e\ud800|`<b>`\t\rPASSED\nPASSED\x0b\u2028  PROBLEM no"
    names = [f"test_things.py::{kind}" for kind in ("a", "b")]
    found = [
        Outcome(names[0], "failed", says, failures=(says, "")),
        Outcome(names[1], "skipped", says),
    ]
    monkeypatch.setattr(tables, "OUTCOMES", tmp_path / "outcomes.csv")
    tables.write("chip", [Outcome(name, "passed") for name in names], tables.OUTCOMES)
    monkeypatch.setattr(command, "require", lambda device: None)
    monkeypatch.setattr(command.running, "run_files", lambda *_: (found, [f"a test: {says}"]))

    def run(*options):
        places = ("--cache", str(tmp_path / "cache"), "--report", str(tmp_path), "--mode", "chip")
        assert cli.main(["op-plugin", *places, *options]) == EXIT_FAILED
        return capsys.readouterr().out

    out = run()
    assert all(c.isprintable() for c in out.replace("\n", "").replace("\t", ""))
    lines = out.splitlines()
    assert [line for line in lines if line.startswith(("PASSED", "FAILED"))] == ["FAILED"]
    assert sum(line.startswith("  PROBLEM ") for line in lines) == 5, out
    shown = r"\x1b]0;title\x07\x1b[2J\u202e\ud800|`<b>`"
    assert sum(shown in line for line in lines) == 4, out
    assert sum(line.startswith("    | ") for line in lines) == 5, out
    assert (tmp_path / "op-plugin.json").read_text().isascii()

    run("--write")
    table = tables.outcomes("chip", tables.OUTCOMES)
    assert table == {
        names[0]: Expected("failed"),
        names[1]: Expected("skipped", f"skipped by the suite: {shown} PASSED PASSED PROBLEM no"),
    }


# --- whole runs -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def first_report(place, tmp_path_factory):
    """What the first run, with nothing recorded, wrote."""
    if pair.problem() is not None:
        pytest.skip(f"needs torch_npu: {pair.problem()}")
    with pytest.MonkeyPatch.context() as patch:
        take(place, patch)
        report = tmp_path_factory.mktemp("report")
        options = ("--cache", str(place / "cache"), "--report", str(report), "--jobs", "1")
        assert cli.main(["op-plugin", *options, "--mode", "chip", "--write"]) == EXIT_FAILED
    return json.loads((report / "op-plugin.json").read_text())


@needs_torch_npu
def test_every_test_has_an_outcome(first_report):
    prefix = "test_things.py::TestThings::test_"
    tests = {test["test"].removeprefix(prefix): test for test in first_report["tests"]}
    assert {name: test["outcome"] for name, test in tests.items()} == {
        **dict.fromkeys(["add", "add_again", "zero_after_it"], "passed"),
        **dict.fromkeys(["gelu", "late", "of_another_device", "test_broken.py"], "failed"),
        **dict.fromkeys(["on_950", FOREIGN], "skipped"),
        "that_ends_the_process": "crashed",
    }
    assert "aclnnGelu is a kernel of CANN" in tests["gelu"]["message"]
    assert "507015" in tests["late"]["message"], "the wait is part of the test"
    assert "no_such_module" in tests["test_broken.py"]["message"]
    assert first_report["mode"] == "chip"
    assert not first_report["success"]


@needs_torch_npu
def test_a_second_run_is_compared_with_the_record(first_report, made_up, tmp_path, capsys):
    table = made_up / "outcomes.csv"
    lines = table.read_text().splitlines()
    assert sum(line.endswith("failed,chip,") for line in lines) == 3
    reasons = "needs hardware: it is made up"
    lines = [
        f"{line}{reasons}" if line.endswith(("failed,chip,", "crashed,chip,")) else line
        for line in lines
    ]
    table.write_text("\n".join(lines) + "\n")
    options = ("--cache", str(made_up / "cache"), "--report", str(tmp_path), "--jobs", "2")
    assert cli.main(["op-plugin", *options, "--mode", "chip"]) == EXIT_PASSED
    out = capsys.readouterr().out
    assert "3 passed, 4 failed, 1 crashed, 2 skipped" in out
    assert "1 failed as recorded, kernel not emulated" in out

    add = "test_things.py::TestThings::test_add"
    table.write_text(
        table.read_text().replace(f"{add},passed,chip,", f"{add},failed,chip,{reasons}")
    )
    assert cli.main(["op-plugin", *options, "--mode", "chip", add]) == EXIT_FAILED
    assert f"PROBLEM {add} passed, and is recorded as failed" in capsys.readouterr().out
