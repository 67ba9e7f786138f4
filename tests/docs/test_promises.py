"""Sentences of the pages that nothing else tests: what they say is asked of the code.

The oracles are the pages' own words and the project's files.
"""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Final

import ascend_array_api as xp
from ascend_array_api._options.settings import Options
from ascend_array_api._routes.random import box_muller
from ascend_array_api._torch import torch

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = Path(xp.__file__).parent


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
    modules = "|".join(("ftplib", "http", "requests", "smtplib", "socket", "ssl", r"urllib\w*"))
    imports = re.compile(rf"^\s*(?:import|from)\s(?:.*,\s*)?(?:{modules})\b", re.MULTILINE)
    for path in PACKAGE.rglob("*.py"):
        assert not imports.search(path.read_text(encoding="utf-8")), path
    for line in ("import json, http.client", "    from urllib3 import x", "from ssl import y"):
        assert imports.search(line)


def test_torch_compiles_no_more_from_the_eighth_trace_on() -> None:
    assert torch._dynamo.config.cache_size_limit == 8


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
