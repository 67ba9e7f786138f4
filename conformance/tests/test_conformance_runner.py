"""The conformance runner, driven against a small suite of known outcomes; no network."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from processes import git, python
from small_suite import CONFTEST, GOOD
from small_suite import write as write_suite

from conformance import cli, devices, runner, suite
from conformance.devices import DeviceSetup
from conformance.html import render
from conformance.plan import Run, RunRecord, plan_runs, record_for
from conformance.recorder import cut, describe_error, format_traceback
from conformance.report import build
from conformance.terminal import OfTests, Progress, each, of_each, summary

ROOT = Path(__file__).parents[2]

NAMESPACE = """
import os
from types import SimpleNamespace
__version__ = "1.2.3"

def zeros(n):
    return SimpleNamespace(device=os.environ["ASCEND_ARRAY_API_DEVICE"])
"""

OUTCOMES = """
import os, signal, sys, time
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

@pytest.fixture(scope="module", autouse=True)
def shared():
    yield
    assert "done" not in globals(), "torn down twice"
    globals()["done"] = True

@pytest.fixture
def broken():
    raise OSError("no setup")

@pytest.mark.parametrize("i", range(20))
def test_many(i, record_run): pass

@pytest.fixture
def record_run(request):
    with open(os.environ["RUN_LOG"], "a") as file:
        file.write(request.node.name + "\\n")

@given(st.integers(), st.data())
def test_hypothesis(x, data):
    y = data.draw(st.integers(), label="y")
    assert x < 50, "<script>alert('x')</script> & more"

@given(st.integers(), st.data())
def test_two_failures(x, data):
    if x > 50:
        raise OverflowError("big")
    assert x > -50, "small"

def test_example():
    assert False, f"drawn {[st.integers().example() for _ in range(3)]}"

def test_profile():
    default = settings.default
    assert default.database is None
    assert default.deadline is None
    assert default.max_examples == 33
    assert set(Phase) - set(default.phases) == {Phase.shrink}
    assert {HealthCheck.too_slow, HealthCheck.data_too_large} <= set(default.suppress_health_check)

@pytest.mark.skip(reason="not in <this> version")
def test_skipped_by_mark(): pass

def test_skipped_inside():
    pytest.skip("no such extension")

def test_setup_error(broken): pass

def test_crash():
    os.kill(os.getpid(), signal.SIGSEGV)

def test_after_crash(): pass

def test_known():
    assert False
"""


@pytest.fixture
def make_suite(tmp_path, monkeypatch):
    """Return a function that writes a suite and the namespace that it judges."""
    (tmp_path / "fake_xp.py").write_text(NAMESPACE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("RUN_LOG", str(tmp_path / "run.log"))
    # What the user's environment must not change.
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "ci")

    def write(**files: str) -> Path:
        return write_suite(tmp_path / "suite", **files)

    return write


def judge(folder: Path, report: Path, *arguments: str) -> tuple[int, dict]:
    """Run the command in this process and return its exit code and its report."""
    argv = ["--suite", str(folder), "--report", str(report), "--module", "fake_xp", *arguments]
    code = cli.main(argv)
    return code, json.loads((report / "report.json").read_text())


def by_name(report: dict, run: int) -> dict[str, dict]:
    return {test["nodeid"].rpartition("::")[2]: test for test in report["runs"][run]["tests"]}


# --- arguments and plan ---------------------------------------------------------------------------


def test_plan_maps_versions_to_the_namespaces_that_claim_them():
    runs = plan_runs(
        versions=["2023.12", "2024.12", "2025.12"],
        modules=[],
        devices=["cpu"],
        seeds=[1],
        max_examples=5,
    )
    assert [(run.version, run.module) for run in runs] == [
        ("2023.12", "ascend_array_api"),
        ("2023.12", "ascend_array_api.v2023_12"),
        ("2024.12", "ascend_array_api.v2024_12"),
        ("2025.12", "ascend_array_api.v2025_12"),
    ]


def test_plan_is_the_product_without_repetitions():
    runs = plan_runs(
        versions=["2024.12", "2023.12", "2024.12"],
        modules=["numpy", "numpy"],
        devices=["cpu", "cuda:0"],
        seeds=[3, 4, 3],
        max_examples=5,
    )
    assert len(runs) == len(set(runs)) == 2 * 2 * 2
    assert {run.module for run in runs} == {"numpy"}
    assert [run.device for run in runs] == ["cpu"] * 4 + ["cuda:0"] * 4


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--device", "cuda:"], "'cuda:' is not a device"),
        (["--device", "CPU"], "'CPU' is not a device"),
        (["--version", "2021.12"], "invalid choice: '2021.12'"),
        (["--max-examples", "0"], "not a positive integer"),
        (["--jobs", "none"], "invalid literal"),
        (["--seed", "-1"], "-1 is negative"),
        (["consumer"], "unrecognized arguments: consumer"),
        (["--max", "3"], "unrecognized arguments"),
    ],
)
def test_usage_errors_exit_with_2(arguments, complaint, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(arguments)
    assert exit_.value.code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--module", "no_such_module_at_all"], "there is no module 'no_such_module_at_all'"),
        (["--module", "json.no_such_part"], "there is no module 'json.no_such_part'"),
        (["--module", "ascend_array_api.v1999_12"], "there is no module 'ascend_array_api.v1999"),
        (["--device", "gpu"], "no such device here: there are devices of cpu, cuda, mesh, npu"),
        (["--device", "cpu:1"], "no such device here: there is one"),
        (["--module", "json", "--suite", "{tmp}"], "is not a copy of"),
        (["--module", "json", "--xfails", "{tmp}/none.txt"], "there is no such file"),
    ],
)
def test_environment_errors_are_one_line_and_exit_with_2(arguments, complaint, tmp_path, capsys):
    code = cli.main([argument.format(tmp=tmp_path) for argument in arguments])
    captured = capsys.readouterr()
    assert code == 2
    assert captured.err.count("\n") == 1
    assert complaint in captured.err
    assert not captured.out


def test_devices_that_do_not_exist(monkeypatch):
    built = "2.13.0"
    monkeypatch.setattr(devices.pair, "cpu_build", lambda: built)
    monkeypatch.setattr(devices, "_found", lambda: ["cpu", "cuda:0"])
    with pytest.raises(cli.SetupError, match="torch 2.13.0 is a build for the CPU"):
        devices.require_device("cuda")
    built = None
    devices.require_device("cuda")
    devices.require_device("cuda:0")
    with pytest.raises(cli.SetupError, match="there are cpu, cuda:0; python -m ascend_array_api"):
        devices.require_device("cuda:1")
    monkeypatch.setattr(devices, "has_cann", lambda: False)
    devices.require_device("npu:1")
    with pytest.raises(cli.SetupError, match="2 are emulated, see CANN_EMULATOR_DEVICES"):
        devices.require_device("npu:2")
    monkeypatch.setenv("CANN_EMULATOR_DEVICES", "3")
    devices.require_device("npu:2")
    monkeypatch.setattr(devices, "has_cann", lambda: True)
    with pytest.raises(cli.SetupError, match="there are cpu, cuda:0"):
        devices.require_device("npu:0")


def test_devices_of_this_machine_are_found():
    assert "cpu" in devices._found()


def test_what_does_not_exist_is_said_before_torch_is_imported(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise SystemExit('it was imported')\n")
    (tmp_path / "torch" / "version.py").write_text("__version__, cuda = '2.13.0+cpu', None\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    for arguments in (("--device", "cuda:1"), ("--device", "gpu"), ("--module", "nosuch.thing")):
        environment = {**os.environ, "PYTHONPATH": path}
        done = python("-m", "conformance", *arguments, code=2, env=environment, cwd=tmp_path)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("python -m conformance: ")


def test_a_module_that_its_package_makes_is_found(tmp_path, monkeypatch):
    made = tmp_path / "maker"
    made.mkdir()
    (made / "__init__.py").write_text(
        "import sys, types\nsys.modules['maker.late'] = late = types.ModuleType('maker.late')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    cli._require_module("maker.late")
    with pytest.raises(cli.SetupError, match=r"no module 'maker\.never'"):
        cli._require_module("maker.never")


def test_an_interruption_of_any_command_is_one_line(monkeypatch, capsys):
    def run(arguments, argv):
        raise KeyboardInterrupt

    other = cli.Command(help="Wait.", add_arguments=lambda parser: None, run=run)
    monkeypatch.setattr(cli, "COMMANDS", {**cli.COMMANDS, "other": other})
    assert cli.main(["other"]) == 130
    assert capsys.readouterr().err.strip() == "python -m conformance: interrupted"


def test_missing_packages_are_named(monkeypatch, capsys):
    monkeypatch.setattr(cli, "_REQUIRED", {"no_such_package": "no-such-package", "json": "json"})
    assert cli.main(["--module", "json"]) == 2
    assert "run 'pip install no-such-package'" in capsys.readouterr().err


def test_help_of_the_default_command_lists_further_commands(monkeypatch, capsys):
    other = cli.Command(
        help="Do something else.",
        add_arguments=lambda parser: parser.add_argument("--number", type=int),
        run=lambda arguments, argv: arguments.number,
    )
    monkeypatch.setattr(cli, "COMMANDS", {**cli.COMMANDS, "other": other})
    assert cli.main(["other", "--number", "7"]) == 7
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--help"])
    assert exit_.value.code == 0
    out = capsys.readouterr().out
    assert "--max-examples" in out
    assert "python -m conformance other" in out


# --- the copy of the suite ------------------------------------------------------------------------


@pytest.fixture
def upstream(make_suite, monkeypatch):
    """Return a git repository that stands for the upstream one, with a commit after the pin."""
    folder = make_suite(good=GOOD)
    git("init", "-q", cwd=folder)
    git("add", ".", cwd=folder)
    git("commit", "-q", "-m", "pinned", cwd=folder)
    monkeypatch.setattr(suite, "URL", str(folder))
    monkeypatch.setattr(suite, "COMMIT", git("rev-parse", "HEAD", cwd=folder))
    (folder / "later.txt").write_text("")
    git("add", ".", cwd=folder)
    git("commit", "-q", "-m", "later", cwd=folder)
    return folder


def test_suite_is_cloned_at_the_pin_and_then_reused(upstream, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    first = suite.fetch(cache)
    assert first.commit == suite.COMMIT
    assert first.modified is False
    assert not (first.path / "later.txt").exists()
    monkeypatch.setattr(suite, "URL", str(tmp_path / "gone"))
    assert suite.fetch(cache) == first
    assert [path.name for path in cache.iterdir()] == [first.path.name]


@pytest.mark.parametrize(
    "file",
    [
        *("conftest.py", "array_api_tests/test_foreign.py", "pytest.ini"),
        "array_api_tests/__pycache__/test_good.cpython-311.pyc",
    ],
)
def test_changed_clone_is_refused_but_may_be_named(upstream, tmp_path, file):
    path = suite.fetch(tmp_path / "cache").path
    (path / ".git" / "info").mkdir(exist_ok=True)
    (path / ".git" / "info" / "exclude").write_text("__pycache__/\n.hypothesis/\n")
    (path / ".hypothesis").mkdir()
    (path / ".hypothesis" / "example").touch()
    assert suite.fetch(tmp_path / "cache").modified is False
    (path / file).parent.mkdir(exist_ok=True)
    (path / file).write_text(CONFTEST + "# changed\n")
    with pytest.raises(cli.SetupError, match="delete it, or name it with --suite"):
        suite.fetch(tmp_path / "cache")
    assert suite.describe(path).modified is True


def test_what_was_fetched_is_looked_at_before_it_runs(upstream, tmp_path, monkeypatch):
    def another(_url, _commit, target, *_, **__):
        shutil.copytree(upstream, target)  # at the commit after the pin

    monkeypatch.setattr(suite.clones, "clone", another)
    with pytest.raises(cli.SetupError, match="not, as far as git can tell, an unchanged copy"):
        suite.fetch(tmp_path / "cache")


def test_copy_inside_another_repository_has_no_commit(upstream):
    inner = upstream / "inner"
    (inner / "array_api_tests").mkdir(parents=True)
    (inner / "conftest.py").write_text("")
    assert suite.describe(inner).commit is None


def test_missing_submodule_is_named(make_suite):
    folder = make_suite()
    (folder / ".gitmodules").write_text("")
    with pytest.raises(cli.SetupError, match="git submodule update --init"):
        suite.describe(folder)


@pytest.mark.parametrize("lacks", ["does not exist", "git is needed"])
def test_missing_network_or_git_is_one_line_that_names_the_way_out(
    lacks, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(suite, "URL", str(tmp_path / "nowhere"))
    if lacks == "git is needed":
        monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["--module", "json", "--cache", str(tmp_path / "cache")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert lacks in error
    assert "--suite PATH" in error
    assert not list(tmp_path.glob("cache/*"))


# --- whole runs -----------------------------------------------------------------------------------


def test_every_outcome_is_recorded(make_suite, tmp_path, capsys):
    folder = make_suite(outcomes=OUTCOMES, good_functions=GOOD)
    before = sorted(folder.rglob("*"))
    xfails = tmp_path / "xfails.txt"
    xfails.write_text("array_api_tests/test_outcomes.py::test_known\n")
    options = ("--max-examples", "33", "--seed", "5")
    code, report = judge(folder, tmp_path / "all", *options, "--jobs", "3", "--xfails", str(xfails))
    assert code == 1
    assert sorted(folder.rglob("*")) == before, "the folder of the suite was written to"

    tests = by_name(report, 0)
    outcomes = {name: test["outcome"] for name, test in tests.items()}
    assert outcomes == {
        **dict.fromkeys(["test_good", "test_profile", "test_after_crash"], "passed"),
        **{f"test_many[{i}]": "passed" for i in range(20)},
        **dict.fromkeys(["test_hypothesis", "test_two_failures", "test_example"], "failed"),
        **dict.fromkeys(["test_skipped_by_mark", "test_skipped_inside"], "skipped"),
        **dict.fromkeys(["test_setup_error", "test_crash"], "error"),
        "test_known": "xfailed",
    }
    ran = (tmp_path / "run.log").read_text().split()
    assert sorted(ran) == sorted(f"test_many[{i}]" for i in range(20)), "not each exactly once"

    (run,) = report["runs"]
    counts = dict.fromkeys(("xpassed", "not_run"), 0) | Counter(outcomes.values())
    assert run["counts"] == {"collected": len(outcomes), **counts}
    assert run["skip_reasons"] == {"not in <this> version": 1, "no such extension": 1}
    assert (run["version"], run["module"], run["device"]) == ("2023.12", "fake_xp", "cpu")
    assert (run["seed"], run["max_examples"], run["module_version"]) == (5, 33, "1.2.3")
    assert run["default_device"] == "cpu"
    assert tests["test_good"]["chapter"] == "good functions"
    (problem,) = run["problems"]
    assert problem["message"] == (
        "a process ended with signal SIGSEGV in array_api_tests/test_outcomes.py::test_crash"
    )
    assert not run["complete"]
    assert not run["success"]
    assert not report["success"]
    assert report["schema_version"] == 1
    assert report["suite"]["commit"] is None
    assert report["suite"]["skips_file"] is None
    assert report["suite"]["xfails_file"] == str(xfails)
    assert report["environment"]["packages"]["hypothesis"]

    (failure,) = tests["test_hypothesis"]["failures"]
    assert failure["type"] == "AssertionError"
    assert "<script>" in failure["message"]
    x = re.search(r"test_hypothesis\(\s+x=(\d+),", failure["falsifying_example"])
    assert x, "no falsifying example"
    assert int(x[1]) >= 50
    assert "(y)" in failure["falsifying_example"]
    assert {f["type"] for f in tests["test_two_failures"]["failures"]} <= {
        "OverflowError",
        "AssertionError",
    }
    (crash,) = tests["test_crash"]["failures"]
    assert crash["message"] == "the process ended in this test (signal SIGSEGV)"
    assert "Segmentation fault" in crash["traceback"]

    page = (tmp_path / "all" / "report.html").read_text()
    assert sum("data-outcomes" in tag for tag in _Page(page).tags) == len(outcomes)
    assert "url(" not in page
    assert "@import" not in page
    assert f"--suite {folder} --xfails {xfails} -k test_example</code>" in page

    out = capsys.readouterr().out
    assert out.startswith("suite unknown; runs: 1; processes: 3")
    row = next(line for line in out.splitlines() if line.startswith("2023.12  fake_xp"))
    assert row.split()[3:7] == ["5", "23", "5", "2"]
    assert "  ERROR array_api_tests/test_outcomes.py::test_crash" in out
    assert f"(no skips file, xfails file {xfails})" in out

    # The seed decides what is drawn, whatever the processes and the selection.
    code, again = judge(
        folder, tmp_path / "again", *options, "6", "--jobs", "1", "-k", "test_example"
    )
    assert code == 1
    drawn = [by_name(again, i)["test_example"]["failures"] for i in range(2)]
    assert drawn[0] == tests["test_example"]["failures"]
    assert drawn[1] != drawn[0]
    page = (tmp_path / "again" / "report.html").read_text()
    assert "Only the tests that match" in page
    assert f"--max-examples 33 --suite {folder} -k test_example</code>" in page
    out = capsys.readouterr().out
    assert "SELECTION FAILED: only tests that match -k 'test_example' (no skips file" in out


def test_a_selection_that_passes_is_called_one(make_suite, tmp_path, capsys):
    folder = make_suite(good=GOOD)
    for keyword, verdict in (
        ("-ktest_good", "The tests that were selected pass"),
        ("", "All runs"),
    ):
        arguments = [keyword] if keyword else []
        versions = ("--version", "2023.12", "2024.12")
        code, report = judge(folder, tmp_path / "r", "--jobs", "1", *versions, *arguments)
        assert (code, report["success"]) == (0, True)
        assert [run["version"] for run in report["runs"]] == ["2023.12", "2024.12"]
        assert verdict in render(report)
        out = capsys.readouterr().out
        (seed,) = {run["seed"] for run in report["runs"]}  # one at random is drawn once
        assert f"seed {seed}" in out
        said = out.splitlines()
        assert ("PASSED (no skips file, no xfails file)" in said) is not bool(keyword)
        assert any(line.startswith("SELECTION PASSED: ") for line in said) is bool(keyword)


class _Page(HTMLParser):
    """Collects what the page refers to and checks that its tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, ...]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in {"meta", "input", "br"}:
            self.open.append(tag)
        self.tags.append((tag, *(k for k, _ in attrs)))
        assert not [v for k, v in attrs if k in {"src", "href", "action"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


FOREIGN = "</code><script>alert(1)</script><img src=x onerror='alert(2)'> \" onclick=\"alert(3)"
OBEYED = "\x1b]0;title\x07\x1b[2J\u202e\u2066\x00"
HOSTILE = f"""
import sys, pytest

def test_says():
    error = ValueError({FOREIGN + OBEYED!r})
    error.__notes__ = ["Falsifying example: " + {FOREIGN + OBEYED!r}]
    raise error

@pytest.mark.skip(reason={FOREIGN + OBEYED!r})
def test_skipped(): pass

@pytest.mark.parametrize("x", [1], ids=[{FOREIGN!r}])
def test_named(x): assert False
"""


def as_others_say(value, said):
    """Return a report in which others say all that is no number."""
    if isinstance(value, dict):
        return {k: as_others_say(v, said) for k, v in value.items()}
    if isinstance(value, list):
        return [as_others_say(v, said) for v in value]
    return said(value) if isinstance(value, str) and value not in OUTCOMES else value


def test_what_foreign_tests_say_is_shown_and_not_obeyed(make_suite, tmp_path, capsys):
    folder = make_suite(**{"of <b onload=alert(4)>\u202e": HOSTILE})
    code, report = judge(folder, tmp_path / "r", "--version", "2023.12", "--jobs", "1")
    assert code == 1
    page = (tmp_path / "r" / "report.html").read_text()
    assert "</script><img" not in page
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert r"\x1b]0;title\x07\x1b[2J\u202e\u2066" in page
    assert all(c.isprintable() or c in "\n\t" for c in page)
    assert all(c.isprintable() for c in capsys.readouterr().out.replace("\n", ""))
    # The same tags and attributes whatever is said, wherever it is said.
    said = [
        render(as_others_say(report, function))
        for function in (lambda t: f"{t} harmless", lambda t: f"{t}{FOREIGN}{OBEYED}")
    ]
    assert _Page(said[0]).tags == _Page(said[1]).tags
    assert all(c.isprintable() or c in "\n\t" for c in said[1])
    odd = json.loads(json.dumps(report))
    odd["runs"][0]["tests"][0]["outcome"] = FOREIGN
    assert FOREIGN not in render(odd)
    assert page.count('onclick="') == render(odd).count('onclick="') == 0


ENDED = "a process ended with exit code"
INCOMPLETE = {
    "collection": (
        {"broken": "import no_such_module\n", "good": GOOD},
        "array_api_tests/test_broken.py cannot be collected",
    ),
    "no-match": ({"good": GOOD}, "no test matches -k 'nothing'", "-k", "nothing"),
    "empty": ({"empty": ""}, "no test was found"),
    "exit-0": (
        {"exit": "import os\ndef test_exit(): os._exit(0)\n"},
        f"{ENDED} 0 in array_api_tests/test_exit.py::test_exit",
    ),
    "exit-late": (
        {"late": "import atexit, os\natexit.register(os._exit, 7)\n" + GOOD},
        f"{ENDED} 7 outside of a test",
    ),
    "stopped": (
        {"stop": "import pytest\ndef test_stop(): pytest.exit('enough', 0)\n" + GOOD},
        f"{ENDED} 0 in array_api_tests/test_stop.py::test_stop",
        *("--jobs", "1"),
    ),
    "only-skips": ({"skip": "import pytest\ndef test_skip(): pytest.skip('all')\n"}, None),
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_incomplete_runs_never_succeed(name, make_suite, tmp_path):
    files, problem, *arguments = INCOMPLETE[name]
    code, report = judge(make_suite(**files), tmp_path / "r", "--jobs", "2", *arguments)
    assert code == 1
    (run,) = report["runs"]
    assert not run["complete"]
    assert [entry["message"] for entry in run["problems"]] == ([problem] if problem else [])
    if run["counts"]["collected"]:
        judged = sum(run["counts"][outcome] for outcome in ("passed", "failed", "error"))
        assert judged + run["counts"]["not_run"] + run["counts"]["skipped"] > 0


def test_a_namespace_that_cannot_be_imported_shows_why(make_suite, tmp_path):
    (tmp_path / "fake_xp.py").write_text("raise RuntimeError('driver too old')\n")
    code, report = judge(make_suite(good=GOOD), tmp_path / "r", "--jobs", "1")
    assert code == 1
    (problem,) = report["runs"][0]["problems"]
    assert "driver too old" in problem["detail"]


def test_a_run_whose_processes_keep_dying_is_given_up(make_suite, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_MAX_DEATHS", 2)
    crashes = "import os, pytest\n@pytest.mark.parametrize('i', range(9))\n"
    crashes += "def test_crash(i): os.abort()\n"
    code, report = judge(make_suite(crash=crashes), tmp_path / "r", "--jobs", "1")
    assert code == 1
    (run,) = report["runs"]
    assert run["counts"]["error"] == 2
    assert run["counts"]["not_run"] == 7
    assert run["problems"][-1]["message"] == "2 processes ended in a test; the run was given up"


def test_a_process_that_says_nothing_is_ended(make_suite):
    slow = "import time\ndef test_slow(): time.sleep(600)\ndef test_slow_no_more(): pass\n"
    judged = suite.describe(make_suite(slow=slow))
    record = record_for(Run("2023.12", "fake_xp", "cpu", 1, 1), judged)
    record.most = 1

    def hurry(records):  # but not a process that only starts
        record.silence = 1.0 if record.collected and not record.tests else math.inf

    assert not runner.execute([record], 2, hurry)
    assert [(test.outcome, test.message) for test in record.ordered] == [
        ("error", "crash: the process ended in this test (signal SIGTERM)"),
        ("passed", ""),
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_an_interrupted_run_is_reported_and_leaves_no_process(number, make_suite, tmp_path):
    slow = "import os, time\ndef test_slow():\n    open(os.environ['RUN_LOG'], 'w').write("
    slow += "str(os.getpid()))\n    time.sleep(600)\n"
    folder = make_suite(good=GOOD, slow=slow)
    report = tmp_path / "r"
    command = [sys.executable, "-m", "conformance", "--suite", str(folder), "--module", "fake_xp"]
    with subprocess.Popen(
        [*command, "--jobs", "1", "--report", str(report)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        # A shell starts what runs in the background so that it ignores SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        log = tmp_path / "run.log"
        deadline = time.monotonic() + 30
        while not (log.exists() and log.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        worker = int(log.read_text())
        process.send_signal(number)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    data = json.loads((report / "report.json").read_text())
    assert data["interrupted"]
    (run,) = data["runs"]
    assert [problem["message"] for problem in run["problems"]] == ["the run was interrupted"]
    assert (run["counts"]["passed"], run["counts"]["not_run"]) == (1, 1)
    assert "INCOMPLETE" in out
    assert "INTERRUPTED (no skips file" in out
    assert "interrupted" in (report / "report.html").read_text()


# --- devices --------------------------------------------------------------------------------------


def test_a_device_brings_its_plugins_before_the_suite_imports(make_suite, tmp_path, monkeypatch):
    setup = DeviceSetup(
        plugins=("early",),
        arguments=("--early-option=3",),
        environment={"EARLY": "yes"},
        note="emulated",
    )
    monkeypatch.setattr(devices, "SETUPS", {"fake": lambda: setup})
    (tmp_path / "early.py").write_text(
        "import sys\n"
        "assert 'array_api_tests' not in sys.modules\n"
        "def pytest_addoption(parser):\n    parser.addoption('--early-option', type=int)\n"
    )
    good = (
        "import os, sys\n"
        "def test_early(request):\n"
        "    assert 'early' in sys.modules\n"
        "    assert os.environ['EARLY'] == 'yes'\n"
        "    assert os.environ['ASCEND_ARRAY_API_DEVICE'] == 'fake:1'\n"
        "    assert request.config.getoption('--early-option') == 3\n"
    )
    code, report = judge(make_suite(good=good), tmp_path / "r", "--device", "fake:1")
    assert code == 0, report["runs"][0]
    assert report["runs"][0]["device_note"] == "emulated"
    assert "fake:1 (emulated)" in (tmp_path / "r" / "report.html").read_text()


@pytest.mark.parametrize(
    ("setup", "missing"),
    [(DeviceSetup(arguments=("--maxfail=1",)), 1), (DeviceSetup(plugins=("refuse",)), 2)],
    ids=["maxfail", "refuse"],
)
def test_tests_that_a_device_keeps_from_running_are_missed(
    setup, missing, make_suite, tmp_path, monkeypatch
):
    monkeypatch.setattr(devices, "SETUPS", {"cpu": lambda: setup})
    (tmp_path / "refuse.py").write_text(
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtestloop(): return True\n"
    )
    folder = make_suite(bad="def test_bad(): assert False\n", good=GOOD)
    code, report = judge(folder, tmp_path / "r", "--jobs", "1")
    assert code == 1
    (problem,) = report["runs"][0]["problems"]
    assert problem["message"] == f"collected but never run: {missing} tests"


def test_a_namespace_on_another_device_is_not_judged(make_suite, tmp_path):
    (tmp_path / "fake_xp.py").write_text(
        "from types import SimpleNamespace\n"
        "def zeros(n): return SimpleNamespace(device='Device(CPU)')\n"
    )
    code, report = judge(make_suite(good=GOOD), tmp_path / "r", "--device", "cuda:1")
    assert code == 1
    (run,) = report["runs"]
    (problem,) = run["problems"]
    assert problem["message"].startswith("fake_xp creates arrays on 'Device(CPU)' by default")
    assert run["tests"] == []


# --- parts ----------------------------------------------------------------------------------------


def test_long_texts_lose_their_middle():
    assert cut("abc", 3) == "abc"
    short = cut("a" * 100 + "b" * 100, 20)
    assert short == "a" * 10 + "\n[... 180 characters ...]\n" + "b" * 10


def test_groups_of_exceptions_are_taken_apart():
    inner = [ValueError("one"), TypeError("two")]
    inner[0].__notes__ = ["Falsifying example: f(x=1)", "Draw 1: 2"]
    nested = SimpleNamespace(exceptions=[inner[0], SimpleNamespace(exceptions=[inner[1]])])
    described = describe_error(nested, ROOT)
    assert [(entry["type"], entry["message"]) for entry in described] == [
        ("ValueError", "one"),
        ("TypeError", "two"),
    ]
    examples = [entry["falsifying_example"] for entry in described]
    assert examples == ["Falsifying example: f(x=1)\nDraw 1: 2", None]


def test_tracebacks_begin_in_the_suite_and_hide_where_it_lies(tmp_path):
    package, library = tmp_path / "suite" / "package", tmp_path / "site-packages" / "library"
    source = "def call(f): return f()\n"
    namespaces = {}
    for folder in (package, library):
        path = folder / "code.py"
        path.parent.mkdir(parents=True)
        path.write_text(source)
        exec(compile(source, path, "exec"), namespaces.setdefault(folder.name, {}))

    def fail():
        error = ValueError("wrong")
        error.__notes__ = ["the example"]
        raise error

    with pytest.raises(ValueError, match="wrong") as info:
        namespaces["package"]["call"](lambda: namespaces["library"]["call"](fail))
    lines = format_traceback(info.value, tmp_path / "suite").splitlines()
    assert lines[1] == f'  File "package{os.sep}code.py", line 1, in call'
    assert f'  File "library{os.sep}code.py", line 1, in call' in lines
    assert lines[-1] == "ValueError: wrong"


def make_record(**changes):
    run = Run("2023.12", "ascend_array_api", "cpu", 1, 100)
    record = RunRecord(run=run, command=["python"], variables={}, folder=ROOT)
    record.collected = ["a.py::t", "a.py::u"]
    for name, value in changes.items():
        setattr(record, name, value)
    return record


class Terminal(io.StringIO):
    """A stream whose lines can be overwritten."""

    def isatty(self):
        return True


def passed(count, of, **changes):
    """Return a record of which so many tests have passed."""
    names = [f"a.py::{i}" for i in range(of)]
    done = {name: runner.Test(name, "passed", 0.1) for name in names[:count]}
    return make_record(tests=done, collected=names, **changes)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (80, "[0:00] runs 0/1, tests 1/2, failed 1; left: 1 tests, about 0:00"),
        # The last column stays free: some terminals begin the next line as it is written.
        (40, "[0:00] runs 0/1, tests 1/2, failed 1; le"[:39]),
    ],
)
def test_progress_is_one_line_on_a_terminal_and_silent_elsewhere(columns, line, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal, log = Terminal(), io.StringIO()
    record = make_record(tests={"a.py::t": runner.Test("a.py::t", "failed", 0.1)})
    for stream in (terminal, log):
        progress = Progress(stream)
        progress([record])
        progress([record])
        progress.close()
    assert log.getvalue() == ""
    assert terminal.getvalue().split("\r\x1b[K") == ["", line, line, ""]


def test_progress_prints_a_line_now_and_then_and_each_ended_run(monkeypatch):
    """What remains is estimated by what has gone; runs that are not collected count as others."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def said(progress, *steps):
        log, now[0] = io.StringIO(), 0.0
        shown = progress(log)
        for now[0], *records in steps:
            shown(records)
        return log.getvalue().splitlines()

    begun, ended = make_record(), make_record(ended=True)
    *lines, last = said(Progress, *((t, begun) for t in range(0, 70, 5)), *[(65, ended)] * 2)
    left = "runs 0/1, tests 0/2, failed 0; left: 2 tests"
    assert lines == [f"[0:30] {left}", f"[1:00] {left}"]
    assert last.startswith("2023.12 ascend_array_api cpu seed 1: 0 passed, 0 failed, 0 skipped, ")
    assert last.endswith("2 not run in 0 s - INCOMPLETE")
    some, waiting = passed(30, 100), make_record(tests={}, collected=None)
    first, second, third = said(Progress, (60, some), (120, some, waiting), (180, waiting))
    assert first.endswith("tests 30/100, failed 0; left: 70 tests, about 2:20")
    assert second.endswith("tests 30/about 200, failed 0; left: about 170 tests, about 11:20")
    assert third.endswith("tests 0, failed 0; left: all tests, being collected")
    finished, given_up = passed(84, 84, ended=True), passed(0, 1, ended=True)
    broken = make_record(tests={}, collected=None, ended=True)
    steps = (60, finished, waiting), (120, finished, broken, given_up)
    assert said(lambda log: OfTests(log, "scipy"), *steps) == [
        "[1:00] scipy: tests 84/about 168, failed 0; left: about 84 tests, about 1:00",
        "[2:00] scipy: tests 84/85, failed 0; left: 0 tests, about 0:00",
    ]


def test_items_are_counted_on_the_way(monkeypatch, capsys):
    """Whether they are yielded, or what a function returns of them."""
    now = [0.0]

    def slow(item):
        now[0] += 40.0
        return 2 * item

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    counts = [
        "[0:40] functions 1/3; left: 2, about 1:20",
        "[1:20] functions 2/3; left: 1, about 0:40",
    ]
    for doubled in (map(slow, each([1, 2, 3], "functions")), of_each(slow, [1, 2, 3], "functions")):
        assert list(doubled) == [2, 4, 6]
        assert capsys.readouterr().err.splitlines() == counts
    monkeypatch.setattr(sys, "stderr", Terminal())
    for _ in of_each(slow, [1, 2], "functions"):
        assert sys.stderr.getvalue().endswith("\r\x1b[K")  # the line is free


def test_summary_has_a_line_for_each_run_then_the_failed_tests():
    tests = {
        "a.py::t": runner.Test("a.py::t", "passed", 0.1),
        "a.py::u": runner.Test("a.py::u", "failed", 0.1),
    }
    lines = summary([make_record(tests=tests, duration=2.0), make_record(tests={})]).splitlines()
    assert [" ".join(line.split()) for line in lines[:3]] == [
        "version module device seed passed failed skipped seconds",
        "2023.12 ascend_array_api cpu 1 1 1 0 2.0",
        "2023.12 ascend_array_api cpu 1 0 0 0 0.0 INCOMPLETE",
    ]
    assert lines[3:] == ["", "2023.12 ascend_array_api cpu seed 1:", "  FAILED a.py::u"]


def test_page_of_an_empty_report_renders(make_suite):
    empty = build([], suite.describe(make_suite()), arguments=[], interrupted=True)
    empty["environment"]["packages"] = {"numpy": None, "torch": None}
    assert "The runs were interrupted" in render(empty)


def test_what_accelerators_are_exempted_from_is_exactly_one_exception(tmp_path: Path) -> None:
    tests = tmp_path / "array_api_tests"
    tests.mkdir()
    (tests / "test_dlpack.py").write_text(
        "def test_dunder_dlpack():\n    error = BufferError('refused')\n"
        "    error.__notes__ = [\"copy_kw = {'copy': False} and {'dl_device': (1, 0)}\"]\n"
        "    raise error\n"
        "def test_other():\n    raise BufferError\n"
    )
    root = Path(cli.__file__).parents[1]

    def run() -> str:
        return python(
            *("-m", "pytest", "-q", "-p", "conformance.accelerators", "-rA"),
            *("-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)),
            code=1,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(root), "ASCEND_ARRAY_API_DEVICE": "cuda:0"},
        ).stdout

    said = run()
    assert "1 failed, 1 xfailed" in said
    assert "must raise BufferError" in said
    (tests / "test_dlpack.py").write_text(
        "def test_dunder_dlpack():\n    raise BufferError('other')\n"
    )
    assert "1 failed" in run()


LATE = """
def test_noted():
    import torch
    from ascend_array_api._reports import late_errors
    doubt = late_errors.Doubt(IndexError, "take: a position is out of bounds.".format)
    doubt.found((torch.tensor(True),), bool)

def test_noted_and_failed():
    test_noted()
    raise KeyError

def test_after(): pass
"""


def test_a_late_error_is_one_of_its_own_test(make_suite, tmp_path):
    _, report = judge(make_suite(late=LATE), tmp_path / "report", "--jobs", "1")
    tests = by_name(report, 0)
    assert tests["test_noted"]["failures"][0]["type"] == "IndexError"
    assert tests["test_noted_and_failed"]["failures"][0]["type"] == "KeyError"
    assert tests["test_after"]["outcome"] == "passed"
