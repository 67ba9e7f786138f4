"""A suite with the interface of the upstream one, as far as the runner relies on it."""

from __future__ import annotations

from pathlib import Path

CONFTEST = """
from hypothesis import settings
from array_api_tests import xp

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int, default=100)
    parser.addoption("--disable-deadline", action="store_true")
    parser.addoption("--skips-file")
    parser.addoption("--xfails-file")

def pytest_configure(config):
    deadline = None if config.getoption("--disable-deadline") else 800
    settings.register_profile(
        "array-api-tests", max_examples=config.getoption("--max-examples"), deadline=deadline
    )
    settings.load_profile("array-api-tests")

def pytest_collection_modifyitems(config, items):
    import pytest
    assert open(config.getoption("--skips-file")).read() == ""
    xfails = open(config.getoption("--xfails-file")).read().splitlines()
    for item in items:
        if item.nodeid in xfails:
            item.add_marker(pytest.mark.xfail(reason="known"))
"""

PACKAGE = """
import os
from importlib import import_module
xp = import_module(os.environ["ARRAY_API_TESTS_MODULE"])
"""

GOOD = """
def test_good(): pass
"""


def write(folder: Path, **files: str) -> Path:
    """Write the suite, with these files of tests, and return its folder."""
    package = folder / "array_api_tests"
    package.mkdir(parents=True)
    (folder / "conftest.py").write_text(CONFTEST)
    (package / "__init__.py").write_text(PACKAGE)
    for name, content in files.items():
        (package / f"test_{name}.py").write_text(content)
    return folder
