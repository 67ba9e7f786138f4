"""The satellites: what the core does not know, and what a copy of the package works without.

A satellite is the files of one concern.  Nothing outside of it imports them but ``__init__``, which
puts the namespace together, and satellites that are named here to go along.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from parametrize import listing
from processes import python
from test_structure import MODULES, PACKAGE, imported

SPECIAL = ("special", "_routes.special", "_routes.beta", "_routes.inverses", "_routes.integrals")
SATELLITES = {
    "the CPU's rows": ("_backends.cpu",),
    "GPUs": ("_backends.cuda",),
    "NPUs": ("_backends.npu", "_doctor", "__main__"),  # the doctor is for NPUs above all
    "meshes": ("distributed", "_backends.mesh", "_reports.gathers"),
    "captures": ("_calls.captures",),
    "relaxed mode": ("_numpy", "_reports.porting", "_reports.comparisons", "integrations"),
    "special functions": (
        *SPECIAL,
        "_routes._tables",
        *(f"_backends.{t}.special" for t in ("cpu", "cuda", "mesh", "npu")),
        "_backends.npu._special_single",
    ),
    "random numbers": (
        *("random", "_routes.random", "_routes._philox_host", "integrations"),
        *(f"_backends.{t}.random" for t in ("cpu", "cuda", "npu")),
        "_backends.cuda._philox",
    ),
    "the doctor": ("_doctor", "__main__"),
    "other libraries": ("integrations",),
}
"""The modules and folders of each satellite, with the satellites that go along."""


def inside(module: str, satellite: str) -> bool:
    """Say whether a module belongs to a satellite."""
    name = module.partition(".")[2]
    return any(name == part or name.startswith(f"{part}.") for part in SATELLITES[satellite])


@listing("satellite", SATELLITES)
def test_nothing_else_imports_a_satellite(satellite: str) -> None:
    """As the imports of each module say, those within functions too."""
    own = {name for name in MODULES if inside(name, satellite)}
    assert own
    knowing = {name for name in MODULES.keys() - own if imported(MODULES[name]) & own}
    assert knowing <= {PACKAGE.name}


CORE = """
import warnings
import numpy as np
import {name} as xp
for version in ("2023.12", "2024.12", "2025.12"):
    assert xp.ones(2).__array_namespace__(api_version=version).add
x = xp.asarray([[4.0, 1.0], [1.0, 3.0]])
y = x + 1
y += x
y[0, :] = xp.asarray([7.0, 8.0])
assert y.shape == (2, 2) and float(y[0, 1]) == 8
for function, given in (
    (xp.hypot, (x, y)), (xp.floor_divide, (x, y)), (xp.where, (x > 2, x, y)), (xp.exp, (x,)),
    (xp.sum, (x,)), (xp.std, (x,)), (xp.sort, (x,)), (xp.nonzero, (x,)), (xp.unique_values, (x,)),
    (xp.reshape, (x, (4,))), (xp.matmul, (x, y)), (xp.linalg.inv, (x,)), (xp.fft.rfft, (x[0, :],)),
    (xp.argsort, (x,)), (xp.isfinite, (x,)), (xp.concat, ([x, y],)),
    (xp.remainder, (x, 2.5)), (xp.meshgrid, (x[0, :], x[1, :])),
):
    assert function(*given) is not None, function
for dtype in ("int8", "uint64", "float32", "complex128"):
    one = xp.ones(5, dtype=getattr(xp, dtype), device="cpu")
    assert bool(xp.all(one * one + one == 2)), dtype
assert np.asarray(xp.linspace(0, 1, 3)).tolist() == [0, 0.5, 1]
assert "2., 3." in repr(xp.asarray([2.0, 3.0]))
assert xp.__array_namespace_info__().default_dtypes()
with xp.options(checks="late"):
    xp.take(x, xp.asarray([0]), axis=0)
try:
    xp.sum("abc")
except TypeError as error:
    assert "sum" in str(error)
try:
    xp.nothing
except AttributeError as error:
    assert "nothing" in str(error)
"""


def without(satellite: str, folder: Path) -> None:
    """Copy the package without a satellite, and without the lines of ``__init__`` that name it."""
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for part in SATELLITES[satellite]:
        path = folder.joinpath(*part.split("."))
        shutil.rmtree(path) if path.is_dir() else path.with_suffix(".py").unlink()
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    gone: set[str] = set()
    kept = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            head = f"{PACKAGE.name}.{node.module}" if node.module else PACKAGE.name
            lost = [a for a in node.names if inside(head, satellite)]
            lost += [a for a in node.names if inside(f"{head}.{a.name}", satellite)]
            gone |= {a.asname or a.name for a in lost}
            node.names = [a for a in node.names if a not in lost]
            if not node.names:
                continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if ast.unparse(node.value.func) in gone:
                continue
            node.value.args = [a for a in node.value.args if ast.unparse(a) not in gone]
        kept.append(node)
    tree.body = kept
    (folder / "__init__.py").write_text(ast.unparse(tree), encoding="utf-8")


@pytest.mark.nightly
def test_the_core_works_without_each_satellite(tmp_path: Path) -> None:
    """One process imports a copy without each, under a name of its own, and computes by it."""
    program = "import sys; sys.path.insert(0, sys.argv[1])\n"
    for number, satellite in enumerate(SATELLITES):
        name = f"without_{number}"
        without(satellite, tmp_path / name)
        program += f"print({satellite!r})\n{CORE.format(name=name)}"
        program += f"assert not {{n for n in sys.modules if n.startswith({PACKAGE.name!r})}}\n"
    python("-W", "ignore", "-c", program, str(tmp_path))
