"""The docstrings: every public name has one, of one form, with an example that runs."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest
from parametrize import listing

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api import distributed, integrations
from ascend_array_api._chapters import info


def public() -> Iterator[tuple[str, Any]]:
    extensions = (("linalg.", xp.linalg), ("fft.", xp.fft), ("special.", xp.special))
    extensions += (("distributed.", distributed), ("integrations.", integrations))
    for prefix, namespace in (("", xp), *extensions):
        for name in sorted(set(namespace.__all__)):
            value = getattr(namespace, name)
            if isinstance(value, (FunctionType, type)):
                yield prefix + name, value
    for name in xp.random.__all__:
        value = getattr(xp.random, name)
        if value is not xp.random.SeedSequence:  # NumPy's
            yield f"random.{name}", value
            for method in dir(value):
                attribute = getattr(value, method)
                if isinstance(attribute, FunctionType) and not method.startswith("_"):
                    yield f"random.{name}.{method}", attribute
    for name in ("capabilities", "default_device", "default_dtypes", "devices", "dtypes"):
        yield f"NamespaceInfo.{name}", getattr(info.NamespaceInfo, name)


PUBLIC = dict(public())


@pytest.mark.one_each
@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name: str) -> None:
    if xp.__array_namespace_info__().default_device() != "cpu":
        pytest.skip("the examples show the CPU")
    if name.startswith("integrations."):
        pytest.importorskip("einops", reason="the extra test has it")
    # The examples show a process that has gathered nothing, and computed nothing on the host.
    xd.gather_report(clear=True)
    xp.fallback_report(clear=True)
    value = PUBLIC[name]
    value = inspect.unwrap(value) if inspect.isfunction(value) else value
    finder = doctest.DocTestFinder(recurse=False)
    found = finder.find(value, name, globs={}, module=False)
    examples = [e for test in found for e in test.examples]
    assert any("xp." in e.source or "xd." in e.source for e in examples), f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for test in found:
        runner.run(test, out=report.append)
    assert not report, "".join(report)


FUNCTIONS = {n: f for n, f in PUBLIC.items() if inspect.isfunction(f) and "Info" not in n}


def names_of(version: str) -> set[str]:
    module = getattr(xp, f"v{version.replace('.', '_')}")
    spaces = (("", module), ("linalg.", module.linalg), ("fft.", module.fft))
    return {f"{prefix}{name}" for prefix, space in spaces for name in space.__all__}


STANDARD = names_of("2023.12") | names_of("2024.12") | names_of("2025.12")


@listing("name", FUNCTIONS)
def test_docstrings_have_the_sections_of_numpydoc(name: str) -> None:
    function = FUNCTIONS[name]
    text = inspect.getdoc(function)
    assert text
    summary, *rest = text.splitlines()
    assert summary.endswith("."), name
    assert not rest or not rest[0].strip(), f"{name}: a blank line follows the summary"
    parameters = inspect.signature(function).parameters
    sections = ["Examples", "Returns"]
    if name.endswith((".shuffle", "distributed.save")):
        sections = ["Examples"]
    if set(parameters) - {"self"}:
        sections += ["Parameters"]
    for section in sections:
        assert f"\n{section}\n{'-' * len(section)}\n" in text, f"{name}: {section}"
    documented = text.split("Returns\n---")[0].replace("*", "")
    for parameter in set(parameters) - {"self"}:
        assert parameter in documented, f"{name}: {parameter}"


_SECTION = r"^References\n-{10}\nhttps://data-apis\.org/array-api/(\S+)\n\nExamples\n-{8}$"


def pages_of(text: str) -> list[str]:
    """Return the pages of the standard under References, the section before Examples."""
    return re.findall(_SECTION, text, re.MULTILINE)


PAGES = {
    "add": "2023.12/API_specification/generated/array_api.add.html",
    "diff": "2024.12/API_specification/generated/array_api.diff.html",
    "isin": "2025.12/API_specification/generated/array_api.isin.html",
    "fft.fft": "2023.12/extensions/generated/array_api.fft.fft.html",
    "linalg.eig": "2025.12/extensions/generated/array_api.linalg.eig.html",
    "linalg.matmul": "2023.12/API_specification/generated/array_api.matmul.html",  # the same object
    # A later version describes what these do.
    "expand_dims": "2025.12/API_specification/generated/array_api.expand_dims.html",
    "where": "2024.12/API_specification/generated/array_api.where.html",
    "linalg.solve": "2024.12/extensions/generated/array_api.linalg.solve.html",
    "__array_namespace_info__": "2023.12/API_specification/inspection.html",
}


@listing("name", sorted(STANDARD & FUNCTIONS.keys()))
def test_docstrings_name_the_page_of_the_standard(name: str) -> None:
    function = FUNCTIONS[name]
    (page,) = pages_of(inspect.getdoc(function) or "")
    if name in PAGES:
        assert page == PAGES[name]
    else:
        space = function.__module__.partition(".")[2]  # of matmul and linalg.matmul, the first
        own = f"{space}.{function.__name__}" if space else name.removeprefix("linalg.")
        part = "extensions" if space else "API_specification"
        version, _, rest = page.partition("/")
        assert rest == f"{part}/generated/array_api.{own}.html"
        assert name in names_of(version)


def test_help_has_the_page_of_the_standard() -> None:
    assert f"https://data-apis.org/array-api/{PAGES['add']}\n" in pydoc.render_doc(xp.add)
    assert "References" not in (inspect.getdoc(xp.bincount) or "")
