"""Compare reports of the same tests: which fail in one and pass in another, grouped by cause.

    python -m conformance.consumers.compare STRICT.json RELAXED.json --markdown page.md
    python -m conformance.consumers.compare OURS.json THEIRS.json

The first says what only relaxed mode passes, the second what another namespace passes and ours
does not.  Several pairs may be named.  The exit code is 1 if there is any such test.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import COMMAND
from ..terminal import in_one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CAUSES: Final = (
    (
        "Arrays of two kinds in one operation",
        "an integer with a floating-point number, bool with another kind: their promotion is open",
        r"do not promote to one another",
    ),
    (
        "`dtype=` of Python's or NumPy's",
        "`dtype=float`, `dtype=int`, `dtype=np.float64`, which are objects of other libraries",
        r"dtype must be one of the namespace's data types",
    ),
    (
        "Fewer indices than axes",
        "`m[0]` of a matrix; the standard has `m[0, ...]`",
        r"axes are indexed",
    ),
    (
        "NumPy's methods and attributes",
        "`x.view()`, `x.reshape()`, `x.sum()`; the standard has functions",
        r"an array of the standard has no attribute",
    ),
    (
        "Integers and Booleans where floating-point numbers are asked for",
        "`exp`, `/`, `mean` of integers, sums with Booleans",
        r"data type \w+ is not allowed",
    ),
    (
        "The value of one element in several axes",
        "`bool(x)` or `float(x)` of an array of shape `(1,)`",
        r"only an array of 0 dimensions converts",
    ),
    (
        "Lists, Python Booleans and other objects as indices",
        "`x[[0, 1]]`, `x[True]`; a mask beside other items",
        r"^IndexError: index: (an object|the Python bool|a mask beside)",
    ),
    (
        "Python scalars that do not fit the kind of an array, or that stand alone",
        "`x * 0.5` of integers; functions and `result_type` of scalars alone",
        r"cannot be combined with an array|expected at least one Array",
    ),
    (
        "Objects of other libraries as operands",
        "NumPy arrays, NumPy scalars and lists in functions and operators",
        r"expected (an )?Array|Array or a Python scalar|unsupported operand",
    ),
)
"""The causes, by what errors say: a title, an explanation, and a pattern."""
OTHER: Final = "Other causes"


@dataclass
class Group:
    """The tests with one cause."""

    title: str
    explanation: str
    tests: list[dict[str, Any]] = field(default_factory=list)


def read(path: Path) -> dict[str, Any]:
    """Return a report."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


def name(test: dict[str, Any], report: dict[str, Any]) -> str:
    """Return the name of a test without those of the namespace and its device."""
    namespace = re.escape(report["namespace"])
    nodeid = re.sub(rf"{namespace}(_as_third_party)?", "xp", test["nodeid"])
    device = rf"({re.escape(report['device'])}|None)"
    nodeid = re.sub(rf"\bxp-{device}-", "xp-", nodeid)
    return re.sub(rf"xp='xp', device='?{device}'?", "xp='xp'", nodeid)


def passed_by_other(report: dict[str, Any], other: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tests that fail in one report and pass in the other."""
    if report["consumer"] != other["consumer"]:
        raise ValueError("the reports are about different consumers")
    passed = {name(t, other) for t in other["tests"] if t["outcome"] == "passed"}
    ours = {name(t, report) for t in report["tests"]}
    missing = sorted(passed - ours)
    if len(missing) > len(passed) / 10:
        raise ValueError(f"the reports are of different tests: {missing[0]} is not in the first")
    return [
        test
        for test in report["tests"]
        if test["outcome"] in {"failed", "error"} and name(test, report) in passed
    ]


def grouped(tests: Iterable[dict[str, Any]]) -> list[Group]:
    """Group tests by the cause that their errors tell, the most frequent first."""
    groups = {title: Group(title, explanation) for title, explanation, _ in CAUSES}
    groups[OTHER] = Group(OTHER, "what the errors do not tell")
    for test in tests:
        titles = (title for title, _, pattern in CAUSES if re.search(pattern, test["message"]))
        groups[next(titles, OTHER)].tests.append(test)
    return sorted((g for g in groups.values() if g.tests), key=lambda g: -len(g.tests))


def function(test: dict[str, Any]) -> tuple[str, str]:
    """Return the file and the function of a test, without parameters."""
    path, _, rest = test["nodeid"].partition("::")
    return path, rest.partition("[")[0].replace("::", ".")


_INTRODUCTION: Final = """\
# What only relaxed mode passes

This page lists tests of SciPy's and scikit-learn's array API support that fail in strict mode and
pass in [relaxed mode](strict-and-relaxed.md), grouped by the error message. In each of these places
the library, or its test, does something that the standard leaves undefined.

| library | strict | relaxed | passed only in relaxed mode |
|---|---|---|---|"""

_FOOT: Final = """
These commands write the page:

```console
$ python -m conformance consumers scipy sklearn --strict --report reports
$ python -m conformance consumers scipy sklearn --report reports
$ cd reports
$ python -m conformance.consumers.compare --markdown relaxed-only.md \\
    consumers-scipy-cpu-strict.json consumers-scipy-cpu-relaxed.json \\
    consumers-sklearn-cpu-strict.json consumers-sklearn-cpu-relaxed.json
```
"""


def markdown(pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """Return the page about what only relaxed mode passes."""
    lines = [_INTRODUCTION]
    for strict, relaxed in pairs:
        lines.append(
            f"| {_plain(strict['consumer'])} {_plain(strict['version'])} | {_counts(strict)} "
            f"| {_counts(relaxed)} | {len(passed_by_other(strict, relaxed))} |"
        )
    for strict, relaxed in pairs:
        lines += ["", f"## {_plain(strict['consumer'])}"]
        groups = grouped(passed_by_other(strict, relaxed))
        lines += [] if groups else ["", "Nothing: strict mode passes what relaxed mode passes."]
        for group in groups:
            lines += ["", f"### {group.title}: {len(group.tests)}", ""]
            lines += [f"{group.explanation[:1].upper()}{group.explanation[1:]}.", ""]
            lines += ["| tests in | how many | functions |", "|---|---|---|"]
            files = sorted({function(test)[0] for test in group.tests})
            for path in files:
                own = Counter(f for p, f in map(function, group.tests) if p == path)
                tests = ", ".join(_code(f) + f" ({n})" * (n > 1) for f, n in own.items())
                lines.append(f"| {_code(path)} | {own.total()} | {tests} |")
    return "\n".join([*lines, _FOOT])


def _plain(name: str) -> str:
    """Return a name of others as Markdown that shows it, whatever is in it."""
    return re.sub(r"([^\w\s.,:-]|_)", r"\\\1", in_one_line(name))


def _code(name: str) -> str:
    """Return it as code in a cell of a table."""
    shown = in_one_line(name).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if not shown or "`" in {shown[0], shown[-1]} else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _counts(report: dict[str, Any]) -> str:
    counts = report["counts"]
    return f"{counts['passed']:,} passed, {counts['failed'] + counts['error']:,} failed"


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(prog=f"{COMMAND}.consumers.compare")
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT OTHER")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the page")
    arguments = parser.parse_args(argv)
    if len(arguments.reports) % 2:
        parser.error("reports come in pairs")
    reports = [read(path) for path in arguments.reports]
    pairs = list(zip(reports[::2], reports[1::2]))
    total = 0
    for report, other in pairs:
        tests = passed_by_other(report, other)
        total += len(tests)
        who = printable(report["consumer"])
        print(f"{who}: {len(tests)} tests fail in the first and pass in the second")
        for group in grouped(tests):
            print(f"  {len(group.tests):>5}  {group.title}")
            for test in group.tests if group.title == OTHER else ():
                said = test["message"].partition("\n")[0][:100]
                print(f"         {in_one_line(test['nodeid'])}: {in_one_line(said)}")
    if arguments.markdown:
        arguments.markdown.write_text(markdown(pairs), encoding="utf-8")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
