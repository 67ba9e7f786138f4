"""Count the package's lines of code by room, beside those of the last tag: what `make lint` prints.

A line of code has a token of Python's on it that is neither a comment nor a docstring.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PACKAGE = "ascend_array_api"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
CORE = ROOT / "docs" / "core.md"
"""The page whose tables name the files of the core."""
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}


def lines(source: str) -> int:
    """Return the number of lines of code in the text of a module."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            documented.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - documented)


def by_room(sources: dict[str, str]) -> Counter[str]:
    """Return the lines of the modules of each folder of the package."""
    counts: Counter[str] = Counter()
    for path, source in sources.items():
        _, *rooms, _ = PurePosixPath(path).parts
        counts[rooms[0] if rooms else "."] += lines(source)
    return counts


def core(sources: dict[str, str]) -> int:
    """Return the lines of the modules that the tables of the page about the core name."""
    rows = [r for r in CORE.read_text(encoding="utf-8").splitlines() if r.startswith("| `")]
    named = [f"{PACKAGE}/{name}" for row in rows for name in re.findall(r"`(_[\w/.]+)`", row)]
    for name in named:
        if not any(path == name or path.startswith(name) for path in sources):
            raise ValueError(f"{CORE.name} names {name}, which does not exist")
    return sum(lines(s) for path, s in sources.items() if path.startswith(tuple(named)))


def now() -> dict[str, str]:
    """Return the text of each module of the package."""
    paths = (ROOT / PACKAGE).rglob("*.py")
    return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def git(*arguments: str) -> str | None:
    """Return what git says, or None if it has no answer, as outside a clone or before a tag."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def then(revision: str) -> dict[str, str]:
    """Return the text of each module of the package in a revision."""
    listed = git("ls-tree", "-r", "--name-only", revision, PACKAGE) or ""
    paths = [path for path in listed.splitlines() if path.endswith(".py")]
    return {path: git("show", f"{revision}:{path}") or "" for path in paths}


def main(revision: str | None = None) -> None:
    """Print the table, beside that of a revision if there is one."""
    if revision is None:
        revision = (git("describe", "--tags", "--abbrev=0") or "").strip() or None
    sources = now()
    counts, before = by_room(sources), by_room(then(revision) if revision else {})
    print(f"Lines of code of {PACKAGE}" + (f", and of {revision}:" if revision else ":"))
    rooms = sorted({*counts, *before}, key=lambda room: (-counts[room], room))
    for room, count, past in [
        *((room, counts[room], before[room]) for room in rooms),
        ("together", counts.total(), before.total()),
    ]:
        print(f"{room:>14} {count:7,}" + (f" {past:7,} {count - past:+7,}" if revision else ""))
    print(f"The core (docs/core.md) has {core(sources):,} of them.")


if __name__ == "__main__":
    main(*sys.argv[1:2])
