"""What SciPy and scikit-learn do with arrays on an NPU: the page is true.

The page is written by

    python -m workshop calls --device npu --markdown docs/scipy.md
"""

import re

import pytest
from npu import ROOT, needs_emulator, workshop

PAGE = ROOT / "docs" / "scipy.md"
ROW = re.compile(r"^\| `([\w.]+)` \| (\w+) \| (\w+) \|", re.MULTILINE)


def outcomes(page):
    """Return the outcomes in both modes, by the names of module and function."""
    sections = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    return {
        f"{section.split()[0]}.{name}": (strict, relaxed)
        for section in sections
        for name, strict, relaxed in ROW.findall(section)
    }


@pytest.mark.nightly
@needs_emulator
def test_the_page_is_what_the_command_writes(tmp_path):
    page = tmp_path / "page.md"
    # It passes if what to use instead gives the same on the device; minutes if nothing else runs.
    workshop("calls", "--device", "npu", "--markdown", str(page), timeout=3600)
    assert outcomes(page.read_text()) == outcomes(PAGE.read_text())


def test_what_people_use_most_is_on_the_page():
    found = outcomes(PAGE.read_text())
    assert len(found) > 500
    wrong = {name for name, modes in found.items() if "wrong" in modes}
    assert wrong == {"scipy.optimize.curve_fit"}
    assert not [name for name, modes in found.items() if modes == ("stays", "crosses")]
