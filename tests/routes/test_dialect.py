"""What compositions for every device may call of torch directly.

A composition that calls torch's own function bypasses the rows of all devices for that function.
So it does that only where no device has a row in the data types that compositions compute in, or
where what the row mends does not matter within a composition; else it calls the operation.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ascend_array_api
from ascend_array_api._routes._operations import OPS, ROWS, rows_of
from ascend_array_api._torch import dtypes as dt

PACKAGE = Path(ascend_array_api.__file__).parent
COMPUTED_IN = frozenset({dt.float32, dt.float64})

WITHIN_COMPOSITIONS = {
    "sqrt": "MKL's last bit",
}
"""Operations with rows whose native function will do within a composition: what is then lost."""

TOPICS = (
    *("_routes/special.py", "_routes/beta.py", "_routes/integrals.py", "_routes/inverses.py"),
    *("_routes/extras.py", "_routes/fourier.py", "_routes/random.py"),
)
"""Modules of compositions.  The others of ``_routes`` declare what torch's functions are: there a
composition may call the function that it mends."""

FILES = [
    *(PACKAGE / name for name in TOPICS),
    *sorted(PACKAGE.glob("random/**/*.py")),
    *sorted(PACKAGE.glob("linalg/*.py")),
    *sorted(PACKAGE.glob("fft/*.py")),
    *sorted(PACKAGE.glob("special/*.py")),
    *sorted(PACKAGE.glob("*.py")),
]


def through_operations() -> dict[str, str]:
    """The functions of torch that compositions call as operations, with an operation of each."""
    own = {
        (name, d)
        for kind in ("", "cpu", "cuda", "npu")
        for row in (ROWS if not kind else rows_of(kind))
        if row.evidence.kind != "time"  # torch's own function is right
        for name in row.ops.split()
        for d in COMPUTED_IN & set(row.dtypes)
    }
    with_rows = {name for name, _ in own} - WITHIN_COMPOSITIONS.keys()
    return {
        function: name
        for name in with_rows
        if (function := getattr(OPS[name].native, "__name__", ""))
    }


THROUGH_OPERATIONS = through_operations()


def test_there_are_such_functions() -> None:
    assert {"tanh", "expm1", "atan2"} <= THROUGH_OPERATIONS.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_has_rows_is_called_as_an_operation(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch."):
            function = ast.unparse(node.func).removeprefix("torch.").removeprefix("special.")
            assert function not in THROUGH_OPERATIONS, (
                f"{path.name}:{node.lineno} calls torch.{function}; some device has a row for the "
                f"operation {THROUGH_OPERATIONS[function]!r}: call that"
            )
