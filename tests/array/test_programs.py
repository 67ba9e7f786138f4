"""Programs written for NumPy, run in relaxed mode with no line changed but the import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascend_array_api as xp

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
IMPORT = "import numpy as np\n"


def run(path: Path, imported: str) -> tuple[Any, ...]:
    source = path.read_text(encoding="utf-8")
    assert source.count(IMPORT) == 1
    names: dict[str, Any] = {}
    exec(compile(source.replace(IMPORT, imported), path.name, "exec"), names)
    return names["run"]()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_results_are_numpys(path: Path) -> None:
    expected = run(path, IMPORT)
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        got = run(path, "import ascend_array_api as np\n")
    assert len(got) == len(expected) > 4
    for a, b in zip(got, expected):
        if isinstance(b, str):
            assert a == b
        else:
            assert isinstance(a, xp.Array) or not isinstance(b, np.ndarray)
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-7, atol=1e-9)
