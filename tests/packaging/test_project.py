"""The files beside the code: workflows, forms, and what says the same in two places."""

from __future__ import annotations

import argparse
import re
import shlex
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from processes import files_of, python

from conformance import cli
from workshop import cli as workshop

if TYPE_CHECKING:
    from conformance.cli import Command

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
REPOSITORY = "https://github.com/ascend-array-api/ascend-array-api"


def read(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def options_of(command: Command) -> set[str]:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return {option for action in parser._actions for option in action.option_strings}


each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)


@each_workflow
def test_actions_are_pinned_by_digest(path: Path) -> None:
    used = re.findall(r"uses: (.*)$", path.read_text(), re.MULTILINE)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@each_workflow
def test_workflows_ask_for_little(path: Path) -> None:
    """Who may write runs for a tag or for main alone, and nobody has a password."""
    workflow = read(path)
    assert "secrets." not in path.read_text()
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    on = workflow[True]  # which YAML takes for a boolean
    assert "workflow_dispatch" in on
    assert "pull_request_target" not in on
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 120
        assert set(job.get("needs", "").split()) <= workflow["jobs"].keys()
        if job.get("permissions"):
            assert "github.ref" in job["if"]
        own = "vars." in str(job["runs-on"])
        assert own is (name in {"npu-hardware", "cuda"})
        if own:  # a pull request may bring any code
            assert "&& github.event_name != 'pull_request'" in job["if"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


COMMANDS = {"conformance": cli.COMMANDS, "workshop": workshop.COMMANDS}
OPTIONS = {o for known in COMMANDS.values() for c in known.values() for o in options_of(c)}


@each_workflow
def test_what_workflows_run_is_there(path: Path) -> None:
    makefile, project = ((ROOT / n).read_text() for n in ("Makefile", "pyproject.toml"))
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    extras = set(re.findall(r"^([\w-]+) = \[", project, re.MULTILINE))
    jobs = read(path)["jobs"].values()
    for said in [step["run"] for job in jobs for step in job["steps"] if "run" in step]:
        text = re.sub(r"\$\{\{.*?\}\}", "1", said)
        for line in re.split(r"\n|&&", text.replace("\\\n", " ")):
            words = shlex.split(line)
            if words[:1] == ["make"]:
                assert {word for word in words[1:] if "=" not in word} <= targets, line
                given = {word.partition("=")[0] for word in words[1:] if "=" in word}
                known = set(re.findall(r"^(\w+) \?=|\$\((\w+)\)", makefile, re.MULTILINE))
                assert given <= {name for pair in known for name in pair}, line
            named = re.findall(r"(?:^|\s)'?(?:\.|.*\))\"?\[([\w,]+)\]", line)
            assert {extra for each in named for extra in each.split(",")} <= extras, line
            files = [w for w in words if w.startswith("tests/")]
            assert all((ROOT / file).exists() for file in files), line
        for module, command in re.findall(
            r"-m (?:ascend_array_api_)?(conformance|workshop) (.*)", said.replace("\n", " ")
        ):
            name, *_ = command.split()
            assert name.startswith("-") or name in COMMANDS[module], command
            assert set(re.findall(r"(?<!\S)--[\w-]+", command)) <= OPTIONS, command


def test_no_command_names_what_no_index_has() -> None:
    """The name is free on PyPI: a command that installs it by name may run anybody's code."""
    command = re.compile(
        r"pip (?:install|download)\b[^\n`]*[\s'\"]ascend[-_]array[-_]api(?:\[.*?\])?(?! @|[\w./[-])"
    )
    for wrong in (
        "'ascend-array-api[npu]' --no-deps",
        "ascend-array-api==0.1",
        "-e ascend_array_api",
    ):
        assert command.search(f"pip install {wrong}\n"), wrong
    suffixes = {".md", ".py", ".toml", ".yml", ".cff", ".html", ".js"}
    said = [ROOT / name for name in files_of(ROOT) if Path(name).suffix in suffixes]
    assert len(said) > 300
    said.remove(Path(__file__))
    found = [f"{path}: {hit}" for path in said for hit in command.findall(path.read_text("utf-8"))]
    assert not found
    clone = f"git clone {REPOSITORY}"
    for page in ("README.md", "CONTRIBUTING.md", "docs/installation.md", "examples/README.md"):
        assert clone in (ROOT / page).read_text(), page


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.name)
def test_forms_of_issues(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    names = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(names) == len(set(names))
    for part in form["body"]:
        assert part["type"] in {"markdown", "textarea", "dropdown", "input", "checkboxes"}
        if part["type"] == "dropdown":
            assert all(isinstance(option, str) for option in part["attributes"]["options"])
    assert "python -m ascend_array_api" in path.read_text()


def test_a_form_asks_for_the_report_of_hardware() -> None:
    text = (ROOT / ".github/ISSUE_TEMPLATE/hardware.yml").read_text()
    assert "python -m conformance hardware" in text
    assert "hardware-report/report.json" in text


def test_the_citation_says_what_the_project_says() -> None:
    citation = read(ROOT / "CITATION.cff")
    text = (ROOT / "pyproject.toml").read_text()
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] in text
    assert citation["repository-code"] == REPOSITORY
    assert [author["name"] for author in citation["authors"]] == ["ascend_array_api developers"]
    assert citation["authors"][0]["name"] in text
    assert REPOSITORY in text


def test_hooks_are_those_of_make_lint() -> None:
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    ruff = re.search(r'"(ruff>=[^"]+)"', (ROOT / "pyproject.toml").read_text())
    assert ruff is not None
    for hook in local["hooks"]:
        assert hook["additional_dependencies"] == [ruff[1]]
    entries = [hook["entry"].split(" --")[0] for hook in local["hooks"]]
    assert entries == ["ruff check", "ruff format"]


def test_the_version_stands_in_one_place() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version", "readme"]' in text
    for path in (ROOT / "ascend_array_api").rglob("*.py"):
        assert not re.search(r"__version__ = [\"']", path.read_text()), path


@pytest.mark.nightly
def test_the_package_imports_from_a_zip(tmp_path: Path) -> None:
    """Its data files are read too: the advice of errors, the tested versions, CUDA's texts."""
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in (ROOT / "ascend_array_api").rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                file.write(path, path.relative_to(ROOT))
    code = f"""
import sys
sys.path.insert(0, {str(archive)!r})
import ascend_array_api as xp
from ascend_array_api._backends.cuda import _fused
from ascend_array_api._doctor import tested
assert xp.__file__.startswith({str(archive)!r}), xp.__file__
assert tested.rows() and _fused._CODE
try:
    xp.concatenate
except AttributeError as error:
    assert "xp.concat(" in str(error)
    print("read")
"""
    assert python("-c", code).stdout.strip() == "read"


def test_make_runs_all_tests_that_are_marked_for_npus() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (folders,) = re.findall(r"^NPU_TESTS = (.*)$", makefile, re.MULTILINE)
    marker = "pytest.mark." + "npu"
    marked = [p for p in ROOT.glob("tests/**/test_*.py") if marker in p.read_text(encoding="utf-8")]
    assert len(marked) > 9
    assert not [p for p in marked if not {ROOT / f for f in folders.split()} & {*p.parents}]
