"""The pages: their examples run, their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import python

import ascend_array_api as xp
from conformance import pair

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.md")),
    ROOT / "conformance/README.md",
    ROOT / "conformance/cann_emulator/README.md",
    ROOT / "workshop/README.md",
]
on_the_cpu = pytest.mark.skipif(xp.zeros(1).device != "cpu", reason="the examples show the CPU")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))


@on_the_cpu
@each_page
def test_examples_run(page: Path) -> None:
    failed, _ = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert not failed


BLOCK = re.compile(
    r"(?:^<!-- (?P<word>needs|raises): (?P<what>[\w:]+) -->\n)?^```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def blocks(page: Path) -> Iterator[tuple[str | None, str, str]]:
    """The blocks of a page without prompts, and what is said of them in a comment before."""
    for match in BLOCK.finditer(page.read_text()):
        if ">>>" not in match["code"]:
            yield match["word"], match["what"], match["code"]


WARNINGS = ("-W", "error", "-W", "ignore:`torch.jit:DeprecationWarning")
"""Torch's compiler, as it is imported, uses what is deprecated."""


def is_there(what: str) -> bool:
    """Whether there is a device, a C++ compiler or a package, as a block needs it."""
    if what == "compiler":
        return shutil.which("g++") is not None
    if what.startswith(("cuda", "npu")):
        return what in map(str, xp.__array_namespace_info__().devices())
    if what == "torch_npu":
        return pair.problem() is None
    return importlib.util.find_spec(what) is not None


@pytest.mark.nightly
@on_the_cpu
@each_page
def test_blocks_run(page: Path) -> None:
    """From top to bottom, in a process of its own: some choose for the whole process."""
    # The pages of the namespace take its import for granted; the others say what they import.
    start = "" if page.is_relative_to(ROOT / "conformance") else "import ascend_array_api as xp"
    program = [start]
    for word, what, code in blocks(page):
        compile(code, str(page), "exec")
        if word == "needs" and not is_there(what):
            continue
        if word == "raises":
            indented = "".join(f"    {line}\n" for line in code.splitlines())
            otherwise = f"else:\n    raise AssertionError({code!r})"
            program.append(f"try:\n{indented}except {what}:\n    pass\n{otherwise}")
        else:
            program.append(code)
    if len(program) > 1:
        python(
            *WARNINGS,
            "-c",
            "\n".join(program),
            cwd=ROOT,
            env={k: v for k, v in os.environ.items() if k != "TORCH_NPU_FALLBACK_CPU_DISABLE"},
        )


def test_blocks_are_found() -> None:
    found = {page.name: [word for word, _, _ in blocks(page)] for page in PAGES}
    assert None in found["guide.md"]
    assert "needs" in found["devices.md"]
    assert found["strict-and-relaxed.md"]


def test_the_first_program_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    match = re.search(r"```python\n(import ascend.*?)```", PAGES[0].read_text(), re.DOTALL)
    assert match
    exec(match[1], {})
    expected = [c.strip() for c in re.findall(r"print\(.*\) *# (Array.*)", match[1])]
    assert expected
    if xp.zeros(1).device == "cpu":
        assert capsys.readouterr().out.splitlines() == expected


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        found.add(plain.strip().lower().replace(" ", "-"))
    return found


def links(text: str) -> list[tuple[str, str]]:
    """The links of a page to files and anchors of the repository."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found: list[Any] = re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text)
    found += re.findall(r"^\[[^\]]+\]: (?!https?:)([^#\s]+)#?(\S*)$", text, re.MULTILINE)
    return found


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_links_within_the_repository(page: Path) -> None:
    for file, anchor in links(page.read_text()):
        target = page.parent / file if file else page
        assert target.exists(), f"{page.name} links to {file}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {file}#{anchor}"


def test_links_are_found() -> None:
    assert links("[a](b.md#c), [d](#e)\n\n[f]: g.md") == [("b.md", "c"), ("", "e"), ("g.md", "")]
    assert "consumers-scipy-and-scikit-learn" in anchors(ROOT / "conformance/README.md")


def test_figures_are_the_same_on_all_pages() -> None:
    readme, comparison, npu = (
        (ROOT / page).read_text()
        for page in ("README.md", "docs/comparison.md", "docs/npu-support.md")
    )
    cells = re.search(r"Of the (\S+) cells .*?\*\*(\S+) are right and .*?\((\S+) %\)", npu)
    plain = re.search(r"on torch_npu alone, answer (\S+) of", npu)
    assert cells
    assert plain
    assert f"{cells[3]} % of the {cells[1]} pairs" in readme
    assert f"of {cells[1]}, on" in comparison
    assert f"| {cells[2]} ({cells[3]} %) |" in comparison
    assert f"torch_npu alone | {plain[1]} (" in comparison
    rows = re.findall(r"^(\| `\w+(?:\.\w+)?`.*?\|(?: \**\d+\** \|){3})", readme, re.MULTILINE)
    assert len(rows) == 4
    for row in rows:
        assert row in comparison
