"""Sizes at which the package changes its way, made small, so that small arrays take every way.

Only tests do this.  The constants are rewritten while the modules are loaded, so that what is
made of them at import is small too, such as the default of an argument.  So it has to be done
before anything of the package is imported.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping, Sequence

PACKAGE = "ascend_array_api"
KINDS = ("usual", "low", "drawn")

#: The values that count as low, by module and name..
LOW: dict[str, dict[str, int]] = {
    "_backends.cpu._numpy": {
        "FEW": 4,
        "PIECE": 32,
        "LONG": 64,
        "CHEAP": 16,
        "CACHED": 4,
        "GRAIN": 8,
        "_SEVERAL": 2,
        "_MANY": 3,
    },
    "_backends.cpu._threads": {"_FEW": 2},
    "_backends.cpu.indexing": {"_AXES": 1, "_BLOCKS": 64},
    "_backends.cpu.linear_algebra": {"_LARGE": 2},
    "_backends.cpu.products": {"BLOCK": 8, "RUN": 16, "LARGE": 64, "_THIN": 4},
    "_backends.cpu.random": {"_PORTION": 8},
    "_backends.cpu.searching": {"_LONG": 3, "_MANY": 8, "_SHORT": 4},
    "_backends.cpu.shortcuts": {"_ROWS": 2, "_ONE_BY_ONE": 2, "_TABLE": 8, "_ROOM": 16},
    "_backends.cuda._columns": {"_PROGRAMS": 2, "_BYTES": 64},
    "_backends.cuda.extras": {"_IN_MEMORY": 16},
    "_backends.cuda.linear_algebra": {"_FEW": 64, "_SMALL_SIDE": 2},
    "_backends.cuda.searching": {"_MANY": 8},
    "_backends.mesh._reach": {"_FEW": 2},
    "_backends.mesh._transport": {"_APART": 64},
    "_backends.mesh.ordering": {"_SAMPLES": 1},
    "_backends.mesh.reductions": {"LARGE": 8},
    "_backends.npu.creation": {"_EXACT": 64},
    "_backends.npu.division": {"_SMALL": 16},
    "_backends.npu.extras": {"_PIECE": 16},
    "_backends.npu.fourier": {
        "_LARGEST_FACTOR": 5,
        "_OVERWRITTEN": 8,
        "_MOST_NUMBERS": 64,
        "_DIRECT": 5,  # or the lengths that these are padded to would be padded again
        "_ELEMENTS": 64,
    },
    "_backends.npu.linear_algebra": {"_BUFFERED": 4, "_CHECKED": 6},
    "_backends.npu.products": {"_PIECE": 64, "_SUMMED": 8, "_STEP": 3, "_TALL": 16, "_RISKY": 8},
    "_backends.npu.searching": {"_FEW": 4, "_AT_ONCE": 16},
    "_calls.interchange": {"_FEW": 2},
    "_reports.late_errors": {"_MOST": 8},
    "_routes._philox_host": {"PORTION": 16, "_FEW": 4, "_AHEAD": 8, "_SMALL": 4, "_KEPT": 4},
    "_routes.extras": {"_IN_CACHE": 16},
    "_routes.linear_algebra": {"_TOGETHER": 2},
    "_routes.random": {"_SERIAL": 8, "_MASKED_PORTION": 8, "_TRIED": 8},
    "_routes.searching": {"_ONE_BY_ONE": 2},
    "random._generator._drawing": {"_MOST": 8, "_NUMBERS": 32},
    "random._variates": {"_PORTION": 8},
}

_used: dict[str, dict[str, int]] = {}


def drawn(seed: int) -> dict[str, dict[str, int]]:
    """Return for each constant its low value, one a little above, or none: the usual one."""
    generator = random.Random(seed)
    return {
        module: {
            name: value * generator.choice((1, 1, 2, 3))
            for name, value in names.items()
            if generator.random() < 0.8
        }
        for module, names in LOW.items()
    }


def use(kind: str, seed: int = 0) -> None:
    """Load the package with the constants of a kind."""
    if kind == "usual":
        return
    assert PACKAGE not in sys.modules, "the package was imported before"
    _used.update(LOW if kind == "low" else drawn(seed))
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        values = _used.get(fullname.removeprefix(f"{PACKAGE}."))
        if not values or not fullname.startswith(f"{PACKAGE}."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin, values)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, values: Mapping[str, int]) -> None:
        super().__init__(name, path)
        self._values = values

    def get_code(self, fullname: str) -> types.CodeType | None:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path))
        found = dict(constants(tree))
        for name, value in self._values.items():
            found[name].value = ast.copy_location(ast.Constant(value), found[name])
        code: Any = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        return code  # type: ignore[no-any-return]


def constants(tree: ast.Module) -> list[tuple[str, ast.Assign | ast.AnnAssign]]:
    """Return the integers, at least 2, that a module names: literals, powers and shifts of such."""
    found: list[tuple[str, ast.Assign | ast.AnnAssign]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            target: ast.expr = node.targets[0]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target = node.target
        else:
            continue
        parts = ast.walk(node.value)  # type: ignore[arg-type]
        plain = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
        if not isinstance(target, ast.Name) or not all(isinstance(p, plain) for p in parts):
            continue
        value = eval(compile(ast.Expression(node.value), "", "eval"))  # type: ignore[arg-type]
        if type(value) is int and value > 1:
            found.append((target.id, node))
    return found
