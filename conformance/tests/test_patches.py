"""The patches for SciPy fit the SciPy that their page names, and do what it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from patched_scipy import CALLS, PAGE, PATCHES, ROOT, is_theirs, patched
from processes import git, python

scipy = pytest.importorskip("scipy")


@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_the_patch_fits(patch: Path, tmp_path: Path) -> None:
    assert f"## {patch.name}\n" in PAGE.read_text(encoding="utf-8")
    assert f"# {patch.name}\n" in CALLS.read_text(encoding="utf-8")
    if not is_theirs():
        return
    for file in re.findall(r"^--- a/(.*)$", patch.read_text(encoding="utf-8"), re.MULTILINE):
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(scipy.__file__).parents[1] / file, copy)
    git("apply", "--check", str(patch), cwd=tmp_path)


@pytest.mark.parametrize("device", ["strict", "cpu"])
def test_patched_functions_answer_as_with_numpys_arrays(device: str, tmp_path: Path) -> None:
    if not is_theirs():
        return
    patched(tmp_path)
    script = ROOT / "tests" / "patched_scipy.py"
    said = python("-W", "error", str(script), str(tmp_path), device).stdout
    assert "calls are right" in said
