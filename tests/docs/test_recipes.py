"""The recipes of CONTRIBUTING.md, applied to a copy of the repository, pass their own checks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from processes import files_of, python

from ascend_array_api._torch import torch

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

# What a recipe says to do, in the words in which it says it.
FILE = r"`(?P<file>[\w./-]+)`"
BLOCK = r":\n\n(?P<indent> *)```\w+\n(?P<block>.*?)^(?P=indent)```$"
REPLACE = rf"In\s+{FILE},\s+replace\s+`(?P<old>[^`]+)`\s+by\s+`(?P<new>[^`]+)`"
BESIDE = rf"In\s+{FILE},\s+add\s+(?P<where>below|above)\s+`(?P<line>[^`]+)`{BLOCK}"
AT_END = rf"In\s+{FILE},\s+add\s+at\s+the\s+end{BLOCK}"
WRITE = rf"Write\s+{FILE}{BLOCK}"
COMMANDS = r"^```console\n(?P<block>.*?)^```$"


def section(heading: str) -> str:
    """What stands below a heading of the page."""
    _, found, rest = PAGE.partition(f"\n## {heading}\n")
    assert found, heading
    return rest.partition("\n## ")[0]


def finds(pattern: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(pattern, text, re.MULTILINE | re.DOTALL))


def block(match: re.Match[str]) -> str:
    """The lines of a block, without the indentation of the list that it is in."""
    indent = match["indent"]
    lines = match["block"].splitlines()
    assert all(line.startswith(indent) or not line for line in lines)
    return "".join(f"{line.removeprefix(indent)}\n" for line in lines)


def edit(folder: Path, match: re.Match[str]) -> None:
    """Do what one sentence of a recipe says."""
    said, path = match.groupdict(), folder / match["file"]
    if match[0].startswith("Write"):
        assert not path.exists(), path
        path.parent.mkdir(exist_ok=True)
        path.write_text(block(match), encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    if said.get("old"):
        assert text.count(match["old"]) == 1, match[0]
        text = text.replace(match["old"], match["new"])
    elif said.get("line"):
        lines = text.splitlines(keepends=True)
        (place,) = (i for i, line in enumerate(lines) if line.strip() == match["line"])
        place += match["where"] == "below"
        text = "".join([*lines[:place], block(match), *lines[place:]])
    else:
        text += f"\n\n{block(match)}"
    path.write_text(text, encoding="utf-8")


def apply(folder: Path, recipe: str) -> list[str]:
    """Do all that a recipe says, in its order; return the files that it edits."""
    matches = [m for form in (REPLACE, BESIDE, AT_END, WRITE) for m in finds(form, recipe)]
    for match in sorted(matches, key=re.Match.start):
        edit(folder, match)
    return sorted({match["file"] for match in matches})


def run(folder: Path, recipe: str) -> None:
    """Run the commands of a recipe: what it shows below one is part of what that prints."""
    there = folder / "installed"
    # Without an index pip asks no network, not even whether it is the newest.
    known = {"PYTHONPATH": str(there), "PIP_TARGET": str(there), "PIP_NO_INDEX": "1"}
    for match in finds(COMMANDS, recipe):
        for said in re.split(r"^\$ ", match["block"].replace("\\\n", ""), flags=re.MULTILINE)[1:]:
            command, _, shown = said.partition("\n")
            program, *arguments = shlex.split(command)
            if program != "python":
                assert program in {"git", "cd", "make", "source", ".venv-npu/bin/python"}, command
                continue
            printed = python(*arguments, cwd=folder, env={**os.environ, **known}).stdout
            for line in shown.splitlines():
                assert line in printed, (command, printed)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in files_of(ROOT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_first_commands() -> None:
    for heading in ("Set up", "Where to look"):
        run(ROOT, section(heading))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make ([a-z -]+)|`make ([a-z -]+)", PAGE, re.MULTILINE):
        for word in "".join(target).split():
            assert re.search(rf"^([\w-]+ )*{word}( [\w-]+)*:", makefile, re.MULTILINE), word


def test_there_is_a_room_for_each_test() -> None:
    """The files and folders that the table of tests names; some without that of the one before."""
    folder = ROOT
    for name in re.findall(r"`([a-z][\w/]*(?:\.py)?)`", section("Where a test belongs")):
        path = ROOT / name if "/" in name else folder / name
        assert path.exists(), name
        folder = path.parent


FUNCTION, ROW, TORCH, DEVICE = (
    section(heading)
    for heading in (
        "Add a function",
        "Add a row",
        "Support a version of torch",
        "Add a device type",
    )
)


@pytest.mark.parametrize(
    "recipes",
    [(FUNCTION,), (FUNCTION, ROW), (DEVICE,)],
    ids=["a function", "a row", "a device type"],
)
def test_a_recipe_passes_its_own_checks(recipes: tuple[str, ...], copy: Path) -> None:
    for recipe in recipes:
        assert apply(copy, recipe)
    run(copy, recipes[-1])


def test_a_row_of_the_recipe_is_needed() -> None:
    """So does the page say; a torch that is right needs another example."""
    lowest, next_to_it = (torch.tensor(value, dtype=torch.int8) for value in (-128, -127))
    assert int(torch.gcd(lowest, next_to_it)) == -1


def test_every_sentence_that_edits_is_followed() -> None:
    """A form of words that the tests do not know would be left out."""
    for recipe in (FUNCTION, ROW, DEVICE):
        sentences = re.findall(r"^ *(?:In|Write) `[\w./-]+`", recipe, re.MULTILINE)
        forms = (REPLACE, BESIDE, AT_END, WRITE)
        assert len(sentences) == sum(len(finds(form, recipe)) for form in forms)


def test_what_the_recipe_for_torch_names_is_there() -> None:
    named = set(re.findall(r"`([\w./-]+)`", TORCH))
    files = {name for name in named if (ROOT / name).is_file()}
    text = {name: (ROOT / name).read_text(encoding="utf-8") for name in files}
    assert re.search(r"^SEEN: Final = \(", text["ascend_array_api/_torch/private.py"], re.MULTILINE)
    for name in ("torch_at_least", "torch_before"):
        assert re.search(
            rf"^{name}\b|^def {name}\b", text["ascend_array_api/_devices/facts.py"], re.MULTILINE
        )
    for name in ("dependencies", "npu"):
        assert re.search(rf"^{name} = \[.*torch.*<", text["pyproject.toml"], re.MULTILINE)
    (bounds,) = re.findall(r'the words "([^"]+)"', TORCH)
    version = bounds.removeprefix("torch ")
    assert bounds in text["docs/installation.md"]
    assert version in text["docs/policy.md"]
    (tested,) = re.findall(r"`(torch==[\d.]+)`", TORCH)
    assert f"TORCH ?= {tested}\n" in text["Makefile"]
    for name in (".github/workflows/ci.yml", ".github/workflows/release.yml"):
        assert tested in text[name]
    last = bounds.rpartition(" ")[2]
    assert re.search(rf'"{last}"\)', text["ascend_array_api/_torch/private.py"])
    assert f"<{_next(last)}" in text["pyproject.toml"]
    assert f"torch=={_next(last)}.*" in TORCH


def _next(version: str) -> str:
    major, minor = version.split(".")
    return f"{major}.{int(minor) + 1}"
