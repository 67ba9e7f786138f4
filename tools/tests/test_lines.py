"""What counts as a line of code, by examples that were counted by hand."""

from pathlib import Path

import pytest

from tools import lines

SOURCE = '''"""A docstring
of two lines."""

import os  # one

# none
CONSTANT = """two
lines of a text"""  # no docstring


def function(
    x,
):
    """None."""
    return [
        x,
    ]
'''


def test_docstrings_comments_and_empty_lines_do_not_count():
    assert lines.lines(SOURCE) == 1 + 2 + 3 + 3


def test_rooms_are_the_folders_of_the_package():
    sources = {"ascend_array_api/a.py": "x = 1", "ascend_array_api/_room/deep/b.py": SOURCE}
    assert lines.by_room(sources) == {".": 1, "_room": 9}


def test_the_core_is_what_its_page_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "core.md"
    monkeypatch.setattr(lines, "CORE", page)
    sources = {"ascend_array_api/_a/x.py": "a = 1\nb = 2\n", "ascend_array_api/_b.py": "c = 3\n"}
    page.write_text("`_a/x.py` in a sentence\n\n| read | for |\n|---|---|\n| `_b.py` | c |\n")
    assert lines.core(sources) == 1
    page.write_text("| `_b.py`, `_a/` | all |\n")
    assert lines.core(sources) == 3
    page.write_text("| `_c.py` | nothing |\n")
    with pytest.raises(ValueError, match=r"_c\.py, which does not exist"):
        lines.core(sources)
