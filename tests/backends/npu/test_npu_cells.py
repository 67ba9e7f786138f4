"""What is computed where on an NPU: the page is true, and the shares are what they shall be.

The page is written by

    python -m workshop cells --device npu --markdown docs/npu-support.md

It takes two minutes, so all of this is nightly.
"""

import json

import pytest
from npu import ROOT, needs_emulator, workshop

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.cells import chips, table
from workshop.cells.measure import Measurement

pytestmark = pytest.mark.nightly

PAGE = ROOT / "docs" / "npu-support.md"
NAMES = {name.key: name for name in table.names()}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Return what the command writes: the data and the page."""
    folder = tmp_path_factory.mktemp("cells")
    data, page = folder / "cells.json", folder / "page.md"
    arguments = ("cells", "--device", "npu", "--json", str(data), "--markdown", str(page))
    workshop(*arguments, timeout=600, TASK_QUEUE_ENABLE="0")
    return json.loads(data.read_text()), page.read_text()


def wrong(cells):
    return {f"{c['name']} {c['dtype']}": c["notes"] for c in cells if c["place"] in BAD}


BAD = {"wrong", "fails"}
MAIN = ("float32", "int32", "int64", "bool")
DECOMPOSED = {f"linalg.{f}" for f in ("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals")}


@needs_emulator
def test_nothing_is_wrong_or_fails(measured):
    assert not wrong(measured[0]["cells"])


@needs_emulator
def test_shares_on_the_device(measured):
    cells = measured[0]["cells"]
    elsewhere = [c for c in cells if c["place"] not in {"AICore", "AICPU", "no kernel"}]
    listed = sorted(f"{c['name']} {c['dtype']}" for c in elsewhere)
    assert 1 - len(elsewhere) / len(cells) >= 0.97, listed
    assert not [
        f"{c['name']} {c['dtype']}"
        for c in elsewhere
        if c["dtype"] in MAIN and c["name"] not in DECOMPOSED
    ]


@needs_emulator
def test_what_is_on_the_host_says_why(measured):
    for cell in measured[0]["cells"]:
        if cell["place"] == "host":
            assert any(row["route"] == "Host" and row["reason"] for row in cell["rows"]), cell


@needs_emulator
def test_the_page_is_true(measured):
    assert measured[1] == PAGE.read_text(), f"the page is not of today; run{__doc__.split('by')[1]}"


@needs_emulator
@pytest.mark.parametrize("soc", ["Ascend910_9391", "Ascend950PR_9589", "Ascend310P3", "Ascend910A"])
def test_what_other_chips_compute_elsewhere_is_true(soc, tmp_path):
    written = tmp_path / "chips.csv"
    arguments = ("cells", "--device", "npu", "--chips", str(written))
    workshop(*arguments, timeout=600, TASK_QUEUE_ENABLE="0", CANN_EMULATOR_SOC=soc)
    lines = [line for line in chips.read() if line.chip == chips.name_of(soc)]
    assert chips.read(written) == lines, chips.__doc__


# ---- what the measurement notices ----


@pytest.fixture(scope="module")
def measurement():
    return Measurement("npu")


def places(measurement, key, *dtypes):
    cells = {cell.dtype: cell.outcome for cell in measurement.cells([NAMES[key]])}
    return [cells[dtype].place for dtype in dtypes]


def by_the_host(x):
    return xp.asarray(torch.sin(xp.to_torch(x).cpu()).to("npu:0"))


def by_one_value(x):
    largest = float(xp.max(x))
    return xp.sin(x) + 0 * min(largest, 1.0)


@needs_emulator
@pytest.mark.parametrize("function", [by_the_host, by_one_value])
def test_going_to_the_host_is_noticed(measurement, monkeypatch, function):
    native = xp.sin

    def replaced(x):
        with monkeypatch.context() as inner:
            inner.setattr(xp, "sin", native)
            return function(x)

    monkeypatch.setattr(xp, "sin", replaced)
    monkeypatch.setattr(measurement, "_compare", lambda *_: "")
    (cell,) = (c for c in measurement.cells([NAMES["sin"]]) if c.dtype == "float32")
    assert cell.outcome.place == "host"
    assert "copies data to the host" in cell.outcome.notes


@needs_emulator
def test_a_result_made_on_the_host_is_noticed(measurement, monkeypatch):
    monkeypatch.setattr(
        xp,
        "zeros",
        lambda shape, dtype: xp.asarray(torch.zeros(shape, dtype=dtype)).to_device("npu:0"),
    )
    monkeypatch.setattr(measurement, "_compare", lambda *_: "")
    (cell,) = (c for c in measurement.cells([NAMES["zeros"]]) if c.dtype == "float32")
    assert cell.outcome.place == "host"
