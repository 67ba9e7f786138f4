"""The cells: their list, their calls, and what the measurement notices; all on the CPU."""

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api import v2025_12
from workshop.cells import chips, page, table
from workshop.cells.measure import Measurement
from workshop.samples import Seeded

NAMES = {name.key: name for name in table.names()}


@pytest.fixture(scope="module")
def measurement():
    return Measurement("cpu")


def cells_of(measurement, *keys):
    return {(c.name.key, c.dtype): c.outcome for c in measurement.cells(NAMES[k] for k in keys)}


def test_the_list_has_every_name_of_the_standard():
    """The suite's list of names is not at hand here; the namespace of 2025.12 has exactly those."""
    assert len(table.names()) == len(NAMES), "a name is listed twice"
    assert all(name.lacking <= set(name.dtypes) for name in NAMES.values())
    listed = {key.removeprefix("linalg.") for key in NAMES if not key.startswith("fft.")}
    dtypes = {*table.DTYPES, "__array_api_version__", "fft", "linalg"}
    assert set(v2025_12.__all__) - dtypes <= listed
    linalg = {key.removeprefix("linalg.") for key in NAMES if key.startswith("linalg.")}
    assert set(v2025_12.linalg.__all__) == linalg
    assert {key for key in NAMES if key.startswith("fft.")} == {
        f"fft.{name}" for name in v2025_12.fft.__all__
    }


def test_inputs_are_the_same_in_every_run():
    for dtype in table.DTYPES:
        for kind in ("values", "wide", "nonzero", "repeated"):
            first, again = (getattr(Seeded(dtype, "seed"), kind)(3, 4) for _ in "12")
            assert first.dtype == dtype
            assert first.tobytes() == again.tobytes()
    assert Seeded("int64", "a").wide(9).max() > 2**60


def test_everything_is_right_on_the_cpu(measurement):
    cells = list(measurement.cells(table.names()))
    assert not [e for e in page.exceptions(cells) if e[1] != "absent"]
    assert [share.percent for share in page.shares(cells)[1:]] == [100, 100, 100]


def doubled(x):
    return xp.add(x, x)


def inaccurate(x):
    noise = np.asarray(x) * 1e-4 if x.dtype in (xp.float32, xp.float64) else 0
    return xp.negative(x) + xp.asarray(noise, dtype=x.dtype)


def reshaped(x):
    return xp.negative(x)[None, ...]


def other_dtype(x):
    return xp.astype(xp.negative(x), xp.complex128)


@pytest.mark.parametrize(
    ("function", "dtypes"),
    [
        (doubled, set(table.DTYPES[1:])),
        (inaccurate, {"float32", "float64"}),
        (reshaped, set(table.DTYPES[1:])),
        (other_dtype, set(table.DTYPES[1:]) - {"complex128"}),
    ],
)
def test_a_wrong_function_is_noticed(measurement, monkeypatch, function, dtypes):
    native = xp.negative

    def replaced(x):
        with monkeypatch.context() as inner:
            inner.setattr(xp, "negative", native)
            return function(x)

    monkeypatch.setattr(xp, "negative", replaced)
    outcomes = cells_of(measurement, "negative")
    found = {dtype for (_, dtype), outcome in outcomes.items() if outcome.place == "wrong"}
    assert found == dtypes


def test_an_error_is_noticed(measurement, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("no")

    monkeypatch.setattr(xp, "flip", fails)
    outcomes = cells_of(measurement, "flip")
    assert {outcome.place for outcome in outcomes.values()} == {"fails"}
    assert {note for o in outcomes.values() for note in o.notes} == {"RuntimeError: no"}


# --- other chips ----------------------------------------------------------------------------------

PAGE = """
| function | b | f32 | waits |
|---|---|---|---|
| `add` |  | ● |  |
| `take` | ◐ | ●+ | yes |

| operations | route | data types | reason |
|---|---|---|---|
| `add` | Compose | bool | no table of cells |
"""
ON_A2 = {("add", "f32"): "●", ("take", "b"): "◐", ("take", "f32"): "●+"}


def test_what_differs_on_a_chip_is_written_and_read(tmp_path):
    assert chips.of_page(PAGE) == ON_A2
    here = ON_A2 | {("take", "b"): "H+", ("take", "f32"): "H+"}
    lines = chips.compared("Ascend 310P", here, ON_A2)
    assert lines == [("Ascend 310P", "take", "H+", "b f32")]
    file = tmp_path / "chips.csv"
    chips.write(
        file, "Ascend 950", chips.compared("Ascend 950", ON_A2 | {("add", "f32"): "◐"}, ON_A2)
    )
    chips.write(file, "Ascend 310P", [])
    chips.write(file, "Ascend 310P", lines)
    read = chips.read(file)
    assert [line.chip for line in read] == ["Ascend 950", "Ascend 310P"]
    assert chips.on_chip("Ascend 310P", ON_A2, read) == here
    assert chips.on_chip("Atlas A3", ON_A2, read) == ON_A2


def test_the_table_of_chips_is_about_cells_of_the_page():
    on_a2 = chips.of_page(chips.PAGE.read_text(encoding="utf-8"))
    assert len(on_a2) == sum(len(name.dtypes) for name in NAMES.values())
    for line in chips.read():
        assert line.chip in chips.CHIPS.values()
        for code in line.dtypes.split():
            assert on_a2[line.function, code] != line.symbol, line
    assert [chips.name_of(soc) for soc in ("Ascend910B2", "Ascend910ProB", "310B")] == [
        "Atlas A2",
        "first Ascend 910",
        None,
    ]
