"""The README and the guide: their examples run, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import ascend_array_api as xp

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "conformance/README.md"]


@pytest.mark.skipif(xp.zeros(1).device != "cpu", reason="the examples show the CPU")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_run(page: Path) -> None:
    failed, _ = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert not failed


def test_the_first_program_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    match = re.search(r"```python\n(import ascend.*?)```", PAGES[0].read_text(), re.DOTALL)
    assert match
    exec(match[1], {})
    expected = [c.strip() for c in re.findall(r"print\(.*\) *# (Array.*)", match[1])]
    assert expected
    if xp.zeros(1).device == "cpu":
        assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_within_the_repository(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_what_the_guide_says_of_strictness() -> None:
    """Every row of the guide's table of refusals, as code."""
    z = xp.asarray([1j])
    m = xp.ones((2, 2))
    n = xp.asarray([1, 2])
    for call, error in [
        (lambda: n * xp.asarray([0.5, 1.5]), TypeError),
        (lambda: n * 0.5, TypeError),
        (lambda: xp.asarray([1, 2], dtype=xp.int8) + 300, OverflowError),
        (lambda: xp.exp(n), TypeError),
        (lambda: n / 2, TypeError),
        (lambda: xp.add(n, [1, 2]), TypeError),
        (lambda: m[0], IndexError),
        (lambda: n[0.0], IndexError),
        (lambda: n[[0, 1]], IndexError),
        (lambda: bool(n == n), TypeError),
        (lambda: xp.astype(z, xp.float32), TypeError),
    ]:
        with pytest.raises(error):
            call()
