"""Programs written for NumPy, run in relaxed mode with no line changed but the import.

In strict mode each line that has to change is asked for by an error: ``*.edits`` has the words of
the error, what it is about, and what is written instead, in the order in which they come.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascend_array_api as xp

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
EDITS = sorted(Path(__file__).with_name("programs").glob("*.edits"))
IMPORT = "import numpy as np\n"
OURS = "import ascend_array_api as np\n"


def run(source: str, name: str) -> tuple[Any, ...]:
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return names["run"]()


def source_of(path: Path) -> str:
    source = path.read_text(encoding="utf-8")
    assert source.count(IMPORT) == 1
    return source


def same(got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    """See that a program gives what it gives with NumPy."""
    assert len(got) == len(expected) > 4
    for a, b in zip(got, expected):
        if isinstance(b, str):
            assert a == b
        else:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_results_are_numpys(path: Path) -> None:
    source = source_of(path)
    expected = run(source, path.name)
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        got = run(source.replace(IMPORT, OURS), path.name)
    same(got, expected)
    assert all(isinstance(a, xp.Array) for a, b in zip(got, expected) if isinstance(b, np.ndarray))


def edits(text: str) -> list[tuple[str, str, str]]:
    found = []
    for block in re.split(r"(?m)^\? ", text)[1:]:
        said, *lines = block.rstrip("\n").split("\n")
        old = [line[2:] for line in lines if line.startswith("- ")]
        new = [line[2:] for line in lines if line.startswith("+ ")]
        found.append((said, "\n".join(old), "\n".join(new)))
    return found


@pytest.mark.parametrize("path", EDITS, ids=lambda p: p.stem)
def test_strict_mode_asks_for_each_edit(path: Path) -> None:
    plain = source_of(path.with_suffix(".py"))
    source = plain.replace(IMPORT, OURS)
    with xp.options(default_float="float64", device="cpu"):
        for said, old, new in edits(path.read_text(encoding="utf-8")):
            with pytest.raises((TypeError, ValueError, AttributeError, IndexError)) as caught:
                run(source, path.name)
            assert said in str(caught.value)
            assert old in source
            source = source.replace(old, new)
        same(run(source, path.name), run(plain, path.name))
