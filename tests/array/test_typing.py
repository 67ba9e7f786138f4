"""What a type checker says of code that uses the package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import python

import ascend_array_api

pytestmark = pytest.mark.nightly

ACCEPTED = """
import ascend_array_api as xp

x = xp.asarray([1.0, 2.0])
reveal_type(x)  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.add(x, x))  # R: ascend_array_api._arrays.array.Array
reveal_type(x + 1)  # R: ascend_array_api._arrays.array.Array
reveal_type(1.5 * x)  # R: ascend_array_api._arrays.array.Array
reveal_type(x == 1)  # R: ascend_array_api._arrays.array.Array
reveal_type(x @ x)  # R: ascend_array_api._arrays.array.Array
reveal_type(x[0])  # R: ascend_array_api._arrays.array.Array
reveal_type(x.shape)  # R: tuple[int, ...]
reveal_type(x.dtype)  # R: torch._C.dtype
reveal_type(x.device)  # R: ascend_array_api._devices.device.Device
reveal_type(xp.sum(x, axis=0, keepdims=True))  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.meshgrid(x, x))  # R: list[ascend_array_api._arrays.array.Array]
reveal_type(xp.v2025_12.meshgrid(x, x))  # R: tuple[ascend_array_api._arrays.array.Array, ...]
reveal_type(xp.v2025_12.broadcast_arrays(x))  # R: tuple[ascend_array_api._arrays.array.Array, ...]
reveal_type(xp.v2024_12.broadcast_arrays(x))  # R: list[ascend_array_api._arrays.array.Array]
reveal_type(xp.v2024_12.nextafter(x, x))  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.v2025_12.linalg.eigvals(xp.eye(2)))  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.linalg.qr(xp.eye(2)).Q)  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.fft.fft(x))  # R: ascend_array_api._arrays.array.Array
reveal_type(xp.can_cast(xp.int8, xp.int16))  # R: bool
reveal_type(xp.finfo(xp.float32).eps)  # R: float
reveal_type(xp.pi)  # R: float
x[0] = 1.0
x += 1
"""

REJECTED = """
import ascend_array_api as xp

x = xp.asarray([1.0, 2.0])
xp.add(x, "s")  # E: arg-type
xp.exp(2.0)  # E: arg-type
x + "s"  # E: operator
"s" - x  # E: operator
xp.sum(x, axis="0")  # E: arg-type
xp.sum(x, axes=0)  # E: call-arg
xp.sum(x, 0)  # E: call-arg
xp.add(x1=x, x2=x)  # E: call-arg
xp.zeros(2, dtype="float32")  # E: arg-type
xp.meshgrid(x, indexing="yx")  # E: arg-type
x.sum()  # E: attr-defined
x["a"]  # E: index
x.dtype = xp.float64  # E: misc
xp.nothing  # E: attr-defined
xp.v2023_12.isin  # E: attr-defined
xp.v2024_12.isin  # E: attr-defined
xp.v2024_12.linalg.eig  # E: attr-defined
xp.v2025_12.bfloat16  # E: attr-defined
xp.TYPE_CHECKING  # E: attr-defined
"""


def mypy(path: Path) -> list[str]:
    run = python(
        *("-m", "mypy", "--strict", "--config-file=", "--no-error-summary"),
        *("--hide-error-context", "--no-pretty", "--show-error-codes", str(path)),
        code=None,
        cwd=path.parent,
        env={**os.environ, "MYPYPATH": str(Path(ascend_array_api.__file__).parents[1])},
    )
    assert not run.stderr, run.stderr
    return run.stdout.splitlines()


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    folder = tmp_path_factory.mktemp("typing")
    (folder / "accepted.py").write_text(ACCEPTED)
    (folder / "rejected.py").write_text(REJECTED)
    (folder / "program.py").write_text("import accepted, rejected\n")
    found: dict[str, dict[int, str]] = {"accepted.py": {}, "rejected.py": {}}
    for line in mypy(folder / "program.py"):
        name, number, text = line.split(":", 2)
        if name in found and "by PEP 484" not in text:
            found[name].setdefault(int(number), text.strip())
    return found


def test_right_code_is_accepted_and_its_types_are_known(output: dict[str, dict[int, str]]) -> None:
    for number, line in enumerate(ACCEPTED.splitlines(), 1):
        if "# R: " in line:
            revealed = output["accepted.py"].pop(number)
            expected = line.split("# R: ")[1]
            assert revealed.replace("builtins.", "") == f'note: Revealed type is "{expected}"', line
    assert not output["accepted.py"]


def test_wrong_code_is_rejected(output: dict[str, dict[int, str]]) -> None:
    for number, line in enumerate(REJECTED.splitlines(), 1):
        if "# E: " in line:
            assert number in output["rejected.py"], f"accepted: {line}"
            assert f"[{line.split('# E: ')[1]}]" in output["rejected.py"].pop(number), line
    assert not output["rejected.py"]
