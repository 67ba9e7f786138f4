"""The plugin for the tests of other libraries: what may be named, and the page that says how."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from processes import python

from conformance import namespaces, pair
from conformance.errors import SetupError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/test-your-library.md").read_text(encoding="utf-8")


def test_namespaces_are_named_with_devices() -> None:
    named = namespaces.parse("numpy, ascend_array_api ascend_array_api@cpu")
    assert [str(c) for c in named] == ["numpy", "ascend_array_api", "ascend_array_api@cpu"]
    assert namespaces.Choice("torch", "cuda:0").module == "array_api_compat.torch"
    for wrong, said in (
        ("numpy,nope", "--xp nope: nope is not installed"),
        ("ascend_array_api@CPU:x", "'CPU:x' is not a device"),
    ):
        with pytest.raises(SetupError, match=said):
            namespaces.parse(wrong)


@pytest.mark.nightly
def test_the_page_runs(tmp_path: Path) -> None:
    """The library, the tests and the command of the page, in an empty folder."""
    pytest.importorskip("array_api_strict")
    pytest.importorskip("array_api_extra")
    for name in ("mylib.py", "test_mylib.py"):
        (code,) = re.findall(rf"`{name}`.*?^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[:1]
        (tmp_path / name).write_text(code)
    (command,) = re.findall(r"^        run: python (-m pytest .*)$", PAGE, re.MULTILINE)
    *options, chosen = shlex.split(command.replace("ascend_array_api_conformance", "conformance"))
    names = [name for name in chosen.split(",") if "npu" not in name or pair.problem() is None]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = python(*options, ",".join(names), cwd=tmp_path, env=env)
    assert f"{3 * len(names)} passed" in done.stdout
    assert ("on emulated CANN" in done.stdout) == (len(names) == len(chosen.split(",")))
