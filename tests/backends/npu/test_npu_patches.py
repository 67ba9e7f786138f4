"""Functions of SciPy with the patches of ``patches/scipy`` stay on the NPU."""

from pathlib import Path

import pytest
from npu import ENVIRONMENT, ROOT, needs_emulator
from patched_scipy import is_theirs, patched
from processes import python

pytest.importorskip("scipy")


@pytest.mark.nightly
@needs_emulator
def test_patched_functions_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_theirs():
        return
    patched(tmp_path)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    script = ROOT / "tests" / "patched_scipy.py"
    said = python("-W", "error", str(script), str(tmp_path), "npu").stdout
    assert "calls are right" in said
