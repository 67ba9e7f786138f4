"""The docstrings: every public name has one, of one form, with an example that runs."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api import distributed
from ascend_array_api._chapters import info


def public() -> Iterator[tuple[str, Any]]:
    extensions = (("linalg.", xp.linalg), ("fft.", xp.fft), ("special.", xp.special))
    extensions += (("distributed.", distributed),)
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


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name: str) -> None:
    if xp.__array_namespace_info__().default_device() != "cpu":
        pytest.skip("the examples show the CPU")
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


STANDARD = {
    f"{prefix}{name}"
    for version in (xp.v2023_12, xp.v2024_12, xp.v2025_12)
    for prefix, space in (("", version), ("linalg.", version.linalg), ("fft.", version.fft))
    for name in space.__all__
}


@pytest.mark.parametrize("name", FUNCTIONS)
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
    if name in STANDARD:
        assert "https://data-apis.org/array-api/20" in text, f"{name}: the page of the standard"
