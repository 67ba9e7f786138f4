"""How much do the tests see?  Make one line of the package wrong at a time, and run its tests.

    python tools/mutants.py baseline --work FOLDER --jobs 2
    python tools/mutants.py judge --work FOLDER --jobs 2 --count 400 --seed 1

``baseline`` copies the tree that git knows into a folder, runs the tests there once, and records
which test executes which line.  ``judge`` draws mutants of the lines that tests execute, and runs
*all* tests of a mutant's line, in a copy of its own, until one fails.  It prints each survivor as
it comes, and the share of the killed.  The same command again goes on where it was stopped.  With
``--device npu`` both are about NPUs: the tests that run there, and the lines of their backend.

Neither mutmut nor cosmic-ray does this: the first runs functions through trampolines, which the
compiler and what reads signatures then see; the second does not choose tests by line.

Needs pytest-cov and pytest-timeout beside the extra ``test``.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = "ascend_array_api"

NPU: Final = f"{PACKAGE}/_backends/npu/*"
ELSEWHERE: Final = (
    f"{PACKAGE}/_backends/cuda/*",  # where the tests run there is none of these
    f"{PACKAGE}/_doctor/*",
    f"{PACKAGE}/__main__.py",
)
WITHOUT: Final = ("_tables.py",)
"""Files of data: numbers, which a tool writes and a test recomputes."""

TESTS: Final = {
    "cpu": (
        *(f"tests/{name}" for name in ("array", "backends", "chapters", "meshes", "routes")),
        *("tests/samples", "--ignore=tests/backends/npu"),
    ),
    "npu": (
        *(f"tests/{name}" for name in ("array", "backends/npu", "chapters", "samples")),
        *("--device", "npu", "-m", "npu and not nightly"),
    ),
}
"""The tests that are run on each device type."""
UNSEEN: Final = "typing or processes or programs or export"
"""Tests that start other processes, of whose lines nothing is recorded."""

_SECONDS: Final = 60
"""What one test may take; a mutant that makes it wait for longer is killed by that."""


@dataclass(frozen=True)
class Mutant:
    """A line made wrong."""

    path: str
    line: int
    before: str
    after: str
    kind: str


# --- the mutants ----------------------------------------------------------------------------------

_COMPARISONS: Final = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_OPERATORS: Final = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}

_COMMUTE: Final = (
    *("add", "and_", "broadcast", "eq", "equal", "isinstance", "logical_and", "logical_or"),
    *("logical_xor", "max", "maximum", "min", "minimum", "multiply", "ne", "or_"),
    *("_finite", "readable", "tracked"),  # what asks the same of each operand
)
"""How functions end to which it is all one which argument comes first."""


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield each way to make a node wrong: what is replaced, by which text, and its kind."""
    write = ast.unparse
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = _COMPARISONS[type(node.ops[0])]
        yield node, f"({write(node.left)} {other} {write(node.comparators[0])})", "comparison"
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        other = _OPERATORS[type(node.op)]
        yield node, f"({write(node.left)} {other} {write(node.right)})", "operator"
    elif isinstance(node, ast.BoolOp):
        joint = " or " if isinstance(node.op, ast.And) else " and "
        yield node, f"({joint.join(map(write, node.values))})", "and, or"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node, f"({write(node.operand)})", "sign"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value), "constant"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield node, str(node.value + 1), "constant"
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield node, repr(node.value * 1.01 or 1.0), "constant"
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield node.test, f"(not ({write(node.test)}))", "condition"
    elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        first, second = map(write, node.args)
        starred = first.startswith("*") or second.startswith("*")
        if not (starred or first == second or write(node.func).endswith(_COMMUTE)):
            yield node, f"{write(node.func)}({second}, {first})", "order of arguments"


def _left_alone(tree: ast.AST) -> set[ast.AST]:
    """Return what no result hangs on: annotations, the texts of errors, what is for types alone."""
    alone: set[ast.AST] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            parts = [node]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            parts = [node.returns, *(a.annotation for a in every)]
        for part in parts:
            if part is not None:
                alone.update(ast.walk(part))
    return alone


def mutants(path: str, source: str, lines: set[int]) -> Iterator[Mutant]:
    """Yield the mutants of some lines of a file: of what functions do, one change each."""
    tree = ast.parse(source)
    rows = source.splitlines()
    alone = _left_alone(tree)
    within = {
        node
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for statement in function.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node not in within or node in alone:
            continue
        for replaced, text, kind in _changes(node):
            place: Any = replaced
            if place.lineno != place.end_lineno or place.lineno not in lines:
                continue
            row = rows[place.lineno - 1].encode()
            after = (row[: place.col_offset] + text.encode() + row[place.end_col_offset :]).decode()
            yield Mutant(path, place.lineno, row.decode(), after, kind)


# --- the tests ------------------------------------------------------------------------------------


def _pytest(
    folder: Path, *arguments: str, seconds: float, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "TORCH_NPU_FALLBACK_CPU_DISABLE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        **variables,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def baseline(work: Path, jobs: int, device: str) -> None:
    """Run all tests in a copy of the tree, and record which of them executes which line."""
    base = work / "base"
    shutil.rmtree(work, ignore_errors=True)
    for name in _tracked():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, base / name)
    which = [f"include = {NPU}"]
    if device == "cpu":
        which = [f"source = {PACKAGE}", "omit =", *(f"    {name}" for name in (NPU, *ELSEWHERE))]
    (base / ".coveragerc").write_text("\n".join(["[run]", *which, ""]))
    begun = time.monotonic()
    done = _pytest(
        base,
        *TESTS[device],
        *("-n", str(jobs), "--dist", "worksteal", "-k", f"not ({UNSEEN})"),
        *("--cov", "--cov-context=test", "--cov-report=", "--cov-config=.coveragerc"),
        *("--timeout", "300", "-rfE", "-W", "ignore"),
        seconds=4 * 3600,
    )
    said = done.stdout.splitlines()
    failed = [line.split(" ")[1] for line in said if line.startswith(("FAILED ", "ERROR "))]
    (work / "lines.json").write_text(json.dumps(_lines(base, set(failed))))
    (work / "device").write_text(device)
    print(said[-1] if said else done.stderr, f"({time.monotonic() - begun:.0f} s)")
    print("\n".join(f"left out, as it fails by itself: {name}" for name in failed))


def _tracked() -> list[str]:
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _lines(base: Path, failed: set[str]) -> dict[str, dict[int, list[str]]]:
    """Return for each line of each file the tests that execute it."""
    from coverage import CoverageData

    data = CoverageData(str(base / ".coverage"))
    data.read()
    found: dict[str, dict[int, list[str]]] = {}
    for file in data.measured_files():
        path = str(Path(file).resolve().relative_to(base.resolve()))
        if path.endswith(WITHOUT) or not (base / path).is_file():  # what is generated is in none
            continue
        for line, contexts in data.contexts_by_lineno(file).items():
            tests = {c.rpartition("|")[0] for c in contexts if "|" in c}
            if tests - failed:
                found.setdefault(path, {})[line] = sorted(tests - failed)
    return found


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave the tests of a line, and mix them: the next one is then of another kind."""
    chosen = os.environ.get("MUTANT_TESTS")
    if chosen is None:
        return
    names = set(Path(chosen).read_text().splitlines())
    items[:] = [item for item in items if item.nodeid in names]
    random.Random(0).shuffle(items)


class Judge:
    """Judges mutants, each process in a copy of the tree."""

    def __init__(self, work: Path, jobs: int, seconds: float) -> None:
        self.lines: dict[str, dict[str, list[str]]]
        self.lines = json.loads((work / "lines.json").read_text())
        self.device = (work / "device").read_text()
        self.seconds = seconds
        self.folders: SimpleQueue[Path] = SimpleQueue()
        for job in range(jobs):
            folder = work / f"copy{job}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(work / "base", folder, ignore=shutil.ignore_patterns(".coverage*"))
            self.folders.put(folder)

    def __call__(self, mutant: Mutant) -> dict[str, Any]:
        """Say what the tests of a mutant's line make of it."""
        folder = self.folders.get()
        try:
            return self._judged(mutant, folder)
        finally:
            self.folders.put(folder)

    def _judged(self, mutant: Mutant, folder: Path) -> dict[str, Any]:
        names = self.lines[mutant.path][str(mutant.line)]
        chosen = folder / "chosen.txt"
        chosen.write_text("\n".join(names))
        file = folder / mutant.path
        right = file.read_text()
        rows = right.split("\n")
        rows[mutant.line - 1] = mutant.after
        file.write_text("\n".join(rows))
        begun = time.monotonic()
        try:
            done = _pytest(
                folder,
                *("-x", "-n0", "-p", "tools.mutants", "-W", "ignore", "--timeout", str(_SECONDS)),
                *("--device", self.device),
                *sorted({name.partition("::")[0] for name in names}),
                seconds=self.seconds,
                MUTANT_TESTS=str(chosen),
            )
            if done.returncode in {3, 4, 5}:  # pytest itself failed, or found no test
                raise RuntimeError(f"{mutant}: {done.stdout}{done.stderr}")
            outcome = "killed" if done.returncode else "survived"
        except subprocess.TimeoutExpired:
            outcome = "not judged to the end"
        finally:
            file.write_text(right)
        took = round(time.monotonic() - begun, 1)
        return {**asdict(mutant), "tests": len(names), "outcome": outcome, "seconds": took}


def judge(
    work: Path, *, only: str, jobs: int, count: int, seed: int, seconds: float, within: float
) -> int:
    """Judge drawn mutants; return how many were not killed."""
    judged = Judge(work, jobs, seconds)
    every = [
        mutant
        for path, lines in sorted(judged.lines.items())
        if fnmatch(path, only)
        for mutant in mutants(path, (work / "base" / path).read_text(), set(map(int, lines)))
    ]
    drawn = random.Random(seed).sample(every, min(count, len(every)))
    log = work / f"judged-{seed}.jsonl"
    known = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = {(k["path"], k["line"], k["after"]) for k in known}
    left = [m for m in drawn if (m.path, m.line, m.after) not in done]
    print(f"{len(drawn)} of {len(every)} mutants, seed {seed}; {len(known)} were judged before")
    end = time.monotonic() + within

    def in_time(mutant: Mutant) -> dict[str, Any] | None:
        return judged(mutant) if time.monotonic() < end else None

    with ThreadPoolExecutor(jobs) as pool, log.open("a") as lines:
        for future in as_completed([pool.submit(in_time, mutant) for mutant in left]):
            found = future.result()
            if found is None:
                continue
            known.append(found)
            print(json.dumps(found), file=lines, flush=True)
            if found["outcome"] != "killed":
                _print_survivor(found)
    killed = len([k for k in known if k["outcome"] == "killed"])
    print(f"{killed} of {len(known)} killed ({100 * killed / max(1, len(known)):.1f} %)")
    return len(known) - killed


def _print_survivor(found: dict[str, Any]) -> None:
    print(f"{found['outcome']}: {found['path']}:{found['line']} [{found['kind']}]")
    print(f"    {found['tests']} tests, {found['seconds']} s")
    print(f"    - {found['before'].strip()}\n    + {found['after'].strip()}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("what", choices=("baseline", "judge"))
    parser.add_argument("--work", type=Path, required=True, help="the folder of the copies")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--device", choices=tuple(TESTS), default="cpu", help="of a baseline")
    parser.add_argument("--only", default="*", help="a pattern of the files to make wrong")
    parser.add_argument("--count", type=int, default=400, help="so many mutants are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600, help="that one mutant may take")
    parser.add_argument(
        "--within", type=float, default=1e9, help="seconds, after which none begins"
    )
    options = parser.parse_args(arguments)
    if options.what == "baseline":
        baseline(options.work.resolve(), options.jobs, options.device)
        return 0
    names = ("only", "jobs", "count", "seed", "seconds", "within")
    more = {name: getattr(options, name) for name in names}
    return int(judge(options.work.resolve(), **more) > 0)


if __name__ == "__main__":
    sys.exit(main())
