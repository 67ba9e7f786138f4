"""What pyproject.toml cannot say: the packages of the wheel, and the README for an index."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
CONFORMANCE = "ascend_array_api_conformance"
"""What the folder ``conformance`` is in the wheel: its own name is too common for site-packages."""


def packages() -> list[str]:
    """Return the packages of the wheel, by the names that they have there."""
    tools = ["conformance", *(f"conformance.{name}" for name in find_packages("conformance"))]
    return [
        *find_packages(include=["ascend_array_api", "ascend_array_api.*"]),
        *(name.replace("conformance", CONFORMANCE, 1) for name in tools),
    ]


def readme() -> str:
    """Return the README with links that lead to the repository from anywhere."""
    found = re.search(r'^Repository = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert found is not None
    base = f"{found[1]}/blob/main/"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"(\]\(|^\[[^\]]+\]: )(?!https?:|#)", rf"\1{base}", text, flags=re.MULTILINE)


setup(
    packages=packages(),
    package_dir={CONFORMANCE: "conformance"},
    long_description=readme(),
    long_description_content_type="text/markdown",
)
