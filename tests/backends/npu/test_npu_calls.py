"""What SciPy and scikit-learn do with arrays on an NPU: the page is true.

The page is written by

    python -m workshop calls --device npu --markdown docs/scipy.md
"""

import re
import time

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
    """An eighth of its rows, each day another: all of them take more than half an hour."""
    page, stated = tmp_path / "page.md", outcomes(PAGE.read_text())
    drawn = sorted(stated)[int(time.time() // 86400) % 8 :: 8]
    # It passes if what to use instead gives the same on the device.
    arguments = ("--device", "npu", "-k", *drawn, "--markdown", str(page))
    workshop("calls", *arguments, timeout=1200)
    found = outcomes(page.read_text())
    assert found.keys() >= set(drawn)
    assert found == {name: stated[name] for name in found}


def test_what_people_use_most_is_on_the_page():
    found = outcomes(PAGE.read_text())
    assert len(found) > 500
    wrong = {name for name, modes in found.items() if "wrong" in modes}
    assert wrong == {"scipy.optimize.curve_fit"}
    assert not [name for name, modes in found.items() if modes == ("stays", "crosses")]
