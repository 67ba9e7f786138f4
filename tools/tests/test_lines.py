"""What counts as a line of code, by examples that were counted by hand."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import lines

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
