"""Sentences of the pages that nothing else tests: what they say is asked of the code.

The oracles are the pages' own words, PyTorch's derivatives of formulas, and the project's files.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import ascend_array_api as xp
from ascend_array_api._options.settings import Options
from ascend_array_api._reports import porting
from ascend_array_api._routes.random import box_muller
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = Path(xp.__file__).parent
INF: Final = math.inf


def _page(name: str) -> str:
    return re.sub(r"\s+", " ", (ROOT / name).read_text(encoding="utf-8"))


def test_the_table_of_options_is_complete() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| `(ASCEND_\w+)` \|", (ROOT / "docs/devices.md").read_text(), re.MULTILINE
    )
    names = [option.name for option in dataclasses.fields(Options)]
    assert sorted(rows) == sorted((n, f"ASCEND_ARRAY_API_{n.upper()}") for n in names)


def test_pages_name_the_versions_that_can_be_installed() -> None:
    (bound,) = re.findall(r'"torch-npu>=2\.7\.1\.post2,<2\.(\d+)"', _page("pyproject.toml"))
    said = [n for p in ("installation", "hardware") for n in _TO.findall(_page(f"docs/{p}.md"))]
    assert len(said) == 2
    assert {int(n) + 1 for n in said} == {int(bound)}


_TO: Final = re.compile(r"2\.7\.1\.post2 to 2\.(\d+)")


def test_the_package_fetches_nothing() -> None:
    """SECURITY.md: no module of the package imports one that speaks to a network, or runs git."""
    network = {"ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib", "urllib3"}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found = {(node.module or "").partition(".")[0]}
            else:
                continue
            assert not found & network, path


def test_torch_compiles_no_more_from_the_eighth_trace_on() -> None:
    assert torch._dynamo.config.cache_size_limit == 8


def test_the_porting_report_keeps_the_last_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"keeps the last {porting._MOST:,} errors" in _page("docs/strict-and-relaxed.md")
    monkeypatch.setattr(porting, "_MOST", 3)
    xp.porting_report(clear=True)
    with xp.options(relaxed="warn"):
        for name in "abcde":
            exec(compile("x.sum()", f"{name}.py", "exec"), {"x": xp.ones(2)})
    assert sorted(note.file for note in xp.porting_report(clear=True)) == ["c.py", "d.py", "e.py"]


def test_how_far_normal_numbers_reach() -> None:
    """By the formula of Box and Muller, for all sizes of random integers."""
    said = re.search(
        r"float32 reach ([\d.]+) standard deviations, those of float64 ([\d.]+)\.",
        _page("docs/random.md"),
    )
    for dtype, integral, most in zip((xp.float32, xp.float64), (xp.int32, xp.int64), said.groups()):
        ends = torch.iinfo(integral)
        words = [s * 2**k + i for k in range(ends.bits - 1) for s in (1, -1) for i in (0, -1)]
        words = torch.tensor([*words, ends.min, ends.max], dtype=integral)
        normal, _ = box_muller(words, torch.zeros_like(words), dtype)
        assert math.floor(10 * float(normal.max())) == round(10 * float(most)), normal.max()


def _slope(function: Callable[[xp.Array], Any], at: Any) -> list[Any]:
    leaf = torch.tensor(at, requires_grad=True)
    xp.to_torch(function(xp.asarray(leaf))).sum().backward()
    assert leaf.grad is not None
    slopes: list[Any] = leaf.grad.flatten().tolist()
    return slopes


def test_derivatives_at_points_without_one() -> None:
    """docs/transformations.md has a table of conventions."""
    zeros = [[0.0, 0.0], [0.0, 0.0]]
    cases: list[tuple[str, Callable[[xp.Array], Any], Any, list[Any]]] = [
        ("abs", xp.abs, [0.0, -0.0, 0j], [0, 0, 0]),
        ("sign", xp.sign, [0.0], [0]),
        ("floor", xp.floor, [0.5, 1.0], [0, 0]),
        ("maximum", lambda x: xp.maximum(x, xp.ones(1)), [1.0], [0.5]),
        ("clip", lambda x: xp.clip(x, None, 1.0), [1.0], [0.5]),
        ("max", xp.max, [2.0, 2.0, 1.0], [0.5, 0.5, 0]),
        ("vector_norm", lambda x: xp.linalg.vector_norm(x, ord=INF), [2.0, -2.0], [0.5, -0.5]),
        ("hypot", lambda x: xp.hypot(x, x), [0.0], [0]),
        ("atan2", lambda x: xp.atan2(x, x), [0.0], [0]),
        ("std of 0.5", xp.std, [0.5] * 7, [0] * 7),
        ("copysign", lambda x: xp.copysign(xp.ones(1), x), [2.0], [0]),
        ("sqrt", xp.sqrt, [0.0, -0.0], [INF, -INF]),
        ("pow", lambda x: xp.pow(x, xp.zeros(1)), [0.0], [0]),
        ("sort", xp.sort, [1.0, 1.0], [1, 1]),
        ("full", lambda x: xp.full(3, x), 2.0, [3]),
        ("asarray", lambda x: xp.asarray([x, 1.0]), 2.0, [1]),
    ]
    cases += [
        (f"vector_norm {o}", lambda x, o=o: xp.linalg.vector_norm(x, ord=o), [0.0, 0.0], [0, 0])
        for o in (1, 2, 3, 0.5, INF, -INF, -1)
    ]
    cases += [
        (f"matrix_norm {o}", lambda x, o=o: xp.linalg.matrix_norm(x, ord=o), zeros, [0] * 4)
        for o in ("fro", "nuc", 1, -1, 2, -2, INF, -INF)
    ]
    with xp.options(device="cpu"):
        for name, function, at, expected in cases:
            assert _slope(function, at) == expected, name
