"""The patches for SciPy fit the SciPy that their page names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from processes import git

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "patches" / "scipy").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_the_patch_fits(patch: Path, tmp_path: Path) -> None:
    scipy = pytest.importorskip("scipy")
    page = patch.with_name("README.md").read_text(encoding="utf-8")
    assert f"## {patch.name}\n" in page
    if scipy.__version__ != re.findall(r"SciPy (\d+\.\d+\.\d+)", page)[0]:
        return
    for file in re.findall(r"^--- a/(.*)$", patch.read_text(encoding="utf-8"), re.MULTILINE):
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(scipy.__file__).parents[1] / file, copy)
    git("apply", "--check", str(patch), cwd=tmp_path)
