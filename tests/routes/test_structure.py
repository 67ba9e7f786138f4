"""The structure that the package promises to its readers."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from parametrize import listing
from processes import python
from steps import entered

import ascend_array_api
from ascend_array_api._chapters import elementwise
from ascend_array_api._devices import backends
from ascend_array_api._routes._operations import OPS, ROWS, rows_of
from ascend_array_api._torch import dtypes as dt

PACKAGE = Path(ascend_array_api.__file__).parent
NAMED = re.compile(r"""["'](npu|cuda)["':]|is_npu|is_cuda|\.npu\b|\.cuda\b""")
FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {
    ".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): p
    for p in FILES
}
NAMING = {"_devices/backends.py", "_devices/facts.py", "_torch/__init__.py"}
"""The files that name device types, beside backends and the diagnosis."""
ROOMS = (
    *("_torch", "_errors", "_devices", "_options", "_reports", "_routes", "_backends"),
    *("_arrays", "_calls", "_versions", "distributed", "_chapters"),
    *("linalg", "fft", "special", "random", "_methods", "v2023_12", "v2024_12", "v2025_12"),
    *("_numpy", "__init__", "integrations", "_doctor", "__main__"),
)
"""The rooms of the package, from the ground up.  A room imports those before it alone."""


def docstrings(tree: ast.Module) -> set[int]:
    """The lines of all docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


@listing("path", FILES)
def test_device_types_decide_in_their_rooms_only(path: Path) -> None:
    inside = str(path.relative_to(PACKAGE))
    if inside.startswith(("_backends/", "_doctor/")) or inside in NAMING:
        return
    text = path.read_text(encoding="utf-8")
    skip = docstrings(ast.parse(text))
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("#")[0]
        if number not in skip:
            assert not NAMED.search(code), f"{path.name}:{number}: {line}"


def room(module: str) -> str:
    """The room of a module: the package's own file or folder that has it."""
    return ".".join(module.split(".")[1:2]) or "__init__"


@listing("name", MODULES)
def test_imports_point_to_rooms_below(name: str) -> None:
    """So backends know of nothing above routes, and no chapter knows of methods."""
    own = room(name)
    below = {*ROOMS[: ROOMS.index(own)], own}
    if own == "_backends" and MODULES[name].name == "__init__.py":
        below = {"_torch", "_devices", own}  # what a backend is, without its rows
    assert {room(module) for module in imported(MODULES[name])} <= below


LATE = re.compile(r"\blate_errors\b|\bjudging\b|\b[Dd]oubt(s|ed)?\b|\.(sure|joint|late)\b")


def test_late_errors_stay_in_their_room() -> None:
    """Few lines outside of it name them, so that other code can be read without them."""
    naming = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in FILES
        if path.stem not in {"late_errors", "judging"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LATE.search(line)
    ]
    assert len(naming) <= 58, naming
    assert len({line.partition(":")[0] for line in naming}) <= 15


def test_the_root_can_be_read_at_a_glance() -> None:
    private = [r for r in ROOMS if r.startswith("_") and not r.startswith("__")]
    entries = {p.stem for p in PACKAGE.iterdir() if p.name not in {"__pycache__", "py.typed"}}
    assert entries == {*ROOMS}
    assert len(private) <= 14


@functools.cache
def imported(path: Path) -> set[str]:
    """The modules of the package that a module imports, within functions too.

    Not those for type checkers alone, nor those that it names as text: backends name their rows so.
    """
    inside = path.relative_to(PACKAGE.parent).with_suffix("").parts
    found = set()

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.ImportFrom) and child.level:
                head = ".".join((*inside[: -child.level], *(child.module or "").split("."))).strip(
                    "."
                )
                names = {f"{head}.{alias.name}" for alias in child.names}
                found.update(name if name in MODULES else head for name in names)
            elif isinstance(child, (ast.Import, ast.ImportFrom)):
                names = {a.name for a in child.names}
                assert PACKAGE.name not in {n.partition(".")[0] for n in names}, path
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found & MODULES.keys()


def test_imports_make_no_circle() -> None:
    """So each module can be understood by itself and those below it."""
    below = {name: imported(path) - {name} for name, path in MODULES.items()}
    while ready := [name for name, needs in below.items() if not needs & below.keys()]:
        for name in ready:
            del below[name]
    assert not below, f"in circles, or above one: {sorted(below)}"


def test_torch_npu_is_imported_in_one_place() -> None:
    for path in FILES:
        if path != PACKAGE / "_torch" / "__init__.py":
            assert not re.search(r"^\s*(import|from) torch_npu", path.read_text(), re.MULTILINE)


def test_numpys_errors_are_silenced_by_blocks() -> None:
    """Before NumPy 2, a decorator keeps one state for all threads and for calls in each other."""
    lasting = re.compile(r"^\s*@.*errstate|^\w.*=.*errstate", re.MULTILINE)
    assert [p.name for p in FILES if lasting.search(p.read_text(encoding="utf-8"))] == []


def test_every_row_says_why() -> None:
    rows = [
        *ROWS,
        *(row for device_type in (*backends._OWN, "mesh") for row in rows_of(device_type)),
    ]
    assert len(rows) > len(ROWS) > 0
    for row in rows:
        assert row.reason
        assert re.search(r"torch(_npu)? \d|CANN \d", row.evidence.seen), row
        assert row.dtypes <= dt.ANY
        for name in row.ops.split():
            assert row.dtypes <= OPS[name].dtypes, (name, row)


def test_the_promotion_matrix_is_symmetric_and_consistent() -> None:
    for (a, b), result in dt.PROMOTION.items():
        assert dt.PROMOTION[b, a] is result
        assert dt.PROMOTION[a, result] is result
    assert all(dt.PROMOTION[d, d] is d for d in dt.ANY)


def test_importing_adds_no_modules_that_it_does_not_need() -> None:
    """Nor the code of devices that are not there."""
    program = (
        "import sys, torch; before = set(sys.modules); import ascend_array_api as xp; "
        "print(*set(sys.modules) - before); x = xp.ones(3); assert xp.all(x + 1 == 2 * x); "
        "print(*sys.modules); print(*xp.__array_namespace_info__().devices()); print(*sys.modules)"
    )
    new, used, devices, listed = (set(s.split()) for s in python("-c", program).stdout.splitlines())
    extra = {name.partition(".")[0] for name in new}
    assert not extra & {"scipy", "sklearn", "array_api_compat", "hypothesis", "pytest", "mpmath"}
    assert not extra & {"einops", "autoray"}
    assert "torch._dynamo" not in new
    for meshes in ("distributed", "_backends.mesh", "_reports.gathers"):
        assert f"ascend_array_api.{meshes}" not in used
    if devices == {"cpu"}:
        rows = "ascend_array_api._backends."
        before, after = ({m for m in found if m.startswith(rows)} for found in (new, listed))
        assert not before
        assert {name.split(".")[2] for name in after} == {"cpu"}


def test_the_first_call_of_a_function_passes_few_files() -> None:
    """A reader who follows it reads these; the rows of the device are imported before."""
    x = ascend_array_api.asarray([3.0], dtype=dt.float64, device="cpu")
    elementwise.atan2(x, x)  # not the namespace's, which relaxed mode wraps
    OPS["hypot"].clear()
    seen = [
        (Path(file).relative_to(PACKAGE).as_posix(), name)
        for file, name in entered(elementwise.hypot, x, x)
        if Path(file).is_relative_to(PACKAGE)
    ]
    assert len(seen) <= 22, seen
    assert len({file for file, _ in seen}) <= 8, seen


def test_conformance_does_not_name_itself() -> None:
    """The wheel has it under another name; and the emulator imports nothing of the package."""
    folder = PACKAGE.parent / "conformance"
    for path in sorted({*folder.rglob("*.py")} - {*folder.glob("tests/*")}):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [node.value] if re.fullmatch(r"conformance(\.\w+)*", node.value) else []
            tops = {name.partition(".")[0] for name in names}
            if path.name not in ELSEWHERE:
                assert "conformance" not in tops, f"{path.name}:{node.lineno}"
            assert "workshop" not in tops, f"{path.name}:{node.lineno}: no wheel has it"
            if "cann_emulator" in path.parts:
                assert PACKAGE.name not in tops, f"{path.name}:{node.lineno}"


ELSEWHERE = {"clones.py", "plugin.py"}
"""The name of a folder, and that of a group of options."""
