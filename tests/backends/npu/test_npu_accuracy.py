"""The page that says how exact functions are on NPUs, and how exact torch_npu's own kernels."""

from __future__ import annotations

import csv
import functools
import re
from fractions import Fraction

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, ROOT, needs_emulator

from tests.parametrize import nightly
from workshop.accuracy import page, picture, special
from workshop.accuracy.functions import FUNCTIONS, Function, floor_divide, remainder
from workshop.accuracy.measure import Answer, Found, measure
from workshop.accuracy.points import pairs, ulps
from workshop.marks import marked
from workshop.samples.strategies import NPU_ULPS

pytestmark = [needs_emulator, QUIET_TORCH_NPU]


def stated(found: Found) -> list[str]:
    """Return the columns of a function on the page."""
    text = (ROOT / "docs" / "npu-accuracy.md").read_text()
    start = page.line(found).split("|")[1]
    (line,) = [line for line in text.splitlines() if line.startswith(f"|{start}|")]
    return [column.strip() for column in line.split("|")[1:-1]]


def test_the_page_says_a_whole_number_of_points() -> None:
    found = [Found(FUNCTIONS[0], points, None, Answer(0.5, 0, 0)) for points in (547_000, 549_001)]
    assert "at some 548,000 points" in page.markdown(found, "")


NEAR = functools.partial(pytest.approx, rel=0.11, abs=0.1)
"""A tenth of a unit in the last place: the oracle's last digits depend on the processor."""


QUICK = {"asin", "floor_divide", "hypot"}


@pytest.mark.parametrize(
    "function",
    [f if f.name in QUICK else nightly(f) for f in FUNCTIONS],
    ids=lambda f: f"{f.name}-{f.dtype}",
)
def test_the_page_is_true(function: Function) -> None:
    assert EMULATOR is not None
    with EMULATOR.computing("chip"):
        found = measure(function)
    assert not found.ours.wrong
    assert not found.ours.zeros
    if function.dtype == "float32":
        assert found.ours.ulp <= NPU_ULPS.get(function.name, 0.5)
    now = [column.strip() for column in page.line(found).split("|")[1:-1]]
    for ours, theirs in zip(now, stated(found), strict=True):
        digits = [re.findall(r"\d[\d.,]*", text) for text in (ours, theirs)]
        assert re.sub(r"\d[\d.,]*", "#", ours) == re.sub(r"\d[\d.,]*", "#", theirs)
        for one, other in zip(*([float(d.replace(",", "")) for d in ds] for ds in digits)):
            assert one == NEAR(other)
    drawn = csv.reader(picture.table([found], NPU_ULPS).splitlines()[1:])
    for row, of_page in zip(drawn, rows_of_picture(function), strict=True):
        assert row[:3] == of_page[:3]
        for one, other in zip(row[3:], of_page[3:], strict=True):
            assert (one and float(one)) == (other and NEAR(float(other)))


def rows_of_picture(function: Function) -> list[list[str]]:
    """Return the rows of a function in the file that the page's picture is drawn from."""
    lines = (ROOT / "docs" / "npu-accuracy.csv").read_text().splitlines()[1:]
    own = [row for row in csv.reader(lines) if row[0] == function.name]
    return own if function.dtype == "float32" else []


@pytest.mark.parametrize("name", ["binom", "gammainc", "multigammaln"])
def test_the_table_of_special_functions_is_true(name: str) -> None:
    row, right = special.line(name)
    assert right
    page = marked((ROOT / "docs" / "accuracy.md").read_text(), special.MARK)
    (stated,) = [line for line in page.splitlines(keepends=True) if f"`{name}`" in line]
    # Another processor rounds in another way.
    ours, theirs = ([*map(float, re.findall(r"[\d.]+(?= of)", text))] for text in (row, stated))
    assert ours == pytest.approx(theirs, abs=1)
    assert re.sub(r"[\d.]+(?= of)", "#", row) == re.sub(r"[\d.]+(?= of)", "#", stated)


def test_a_function_that_is_wrong_is_seen() -> None:
    exact = np.asarray([1.0, 2.0, np.inf, np.nan, 1e30])
    got = np.asarray([1.0, 2.0 + 2.0**-22, 1.0, 0.0, np.nan], "f4")
    error = ulps(got, exact)
    assert error[:2].tolist() == [0, 1]
    assert (error[2:] > 2**16).all()


def test_quotients_and_remainders_are_those_of_fractions() -> None:
    a, b = (x[np.isfinite(x) & (x != 0)].astype("f8") for x in pairs("fractions", 300))
    n = min(a.size, b.size)
    a, b = a[:n], b[:n]
    exact = [Fraction(x) // Fraction(y) for x, y in zip(a, b)]
    rest = [float(Fraction(x) - q * Fraction(y)) for x, y, q in zip(a, b, exact)]
    np.testing.assert_allclose(floor_divide(a, b), [*map(float, exact)], rtol=1e-15)
    np.testing.assert_array_equal(remainder(a, b), rest)
