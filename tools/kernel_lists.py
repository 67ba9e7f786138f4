"""What CANN's sources say of the kernels' data types, beside the emulator's table of kernels.

    git clone https://gitcode.com/cann/ops-math
    git clone https://gitcode.com/cann/ops-nn
    python tools/kernel_lists.py check --sources ops-math ops-nn --release v9.1.0
    python tools/kernel_lists.py changes v9.0.0 v9.1.0 --sources ops-math ops-nn
    python tools/kernel_lists.py socs --sources ops-math ops-nn [--write]
    python tools/kernel_lists.py fixes v9.0.0 v9.1.0 --sources ops-math ops-nn

``check`` holds each line of ``conformance/cann_emulator/kernels.csv`` against the lists of data
types in the file that defines the kernel, at the tag of a release: the data types of an argument
are one of the lists for Atlas A2 there, or at most two that the file names one by one (an output of
``int64``).  Lines that are otherwise stand in `EXCEPTIONS`, with the reason.  The data types that
AICore computes are those for which, on Atlas A2, one of the operators that the file calls launches
it rather than the AICPU (`units`); others stand in `OTHER_UNITS`.  Of releases other than the one
that is emulated by default, files may lie elsewhere.  ``changes`` names the kernels
whose lists for Atlas A2 differ between two releases, and how: what a new CANN asks of the table.
``fixes`` names the commits between two releases that touch the sources of kernels in the table and
that ``conformance/cann_emulator/faults.csv`` does not judge yet: a person reads them, adds lines.

Nothing of CANN runs; its files are read from git, without a work tree.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.cann_emulator import _table
from conformance.clones import git

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from conformance.cann_emulator._table import Kernel

DTYPES: Final = {
    **{f"DT_INT{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"DT_UINT{n}": f"uint{n}" for n in (8, 16, 32, 64)},
    **{f"DT_COMPLEX{n}": f"complex{n}" for n in (32, 64, 128)},
    "DT_BOOL": "bool",
    "DT_FLOAT16": "float16",
    "DT_BF16": "bfloat16",
    "DT_FLOAT": "float32",
    "DT_DOUBLE": "float64",
}
"""Names of torch by those of CANN; what torch has no tensors of is left out."""

EXCEPTIONS: Final = {
    "aclnnAbs": "of complex numbers it gives real ones, by a table of pairs",
    **dict.fromkeys(
        ("aclnnGeScalar", "aclnnGeTensor", "aclnnInplaceGeScalar", "aclnnInplaceGeTensor"),
        "booleans are compared as int8: what they promote to is looked up, not they themselves",
    ),
    "aclnnInverse": "its document takes float64 back for Atlas A2",
    **dict.fromkeys(
        ("aclnnMm", "aclnnMv"), "its lists are in a file that the products of matrices share"
    ),
    "aclnnSign": "it takes bfloat16 by a line of its own",
}
"""Kernels whose line is right although no list of the file is it, and why."""

EARLIER: Final = dict.fromkeys(
    ("aclnnArgMax", "aclnnArgMin"), "CANN 8.5 has their lists in one table by chip"
)
"""The same for releases before the one that is emulated by default."""

EARLIER_UNITS: Final = {
    **dict.fromkeys(
        ("aclnnIndex", "aclnnIndexAdd", "aclnnInplacePut", "aclnnSignbit"),
        "its operators were others; the table has those of later",
    ),
    **dict.fromkeys(
        ("aclnnLogicalOr", "aclnnInplaceLogicalOr"),
        "AICore took booleans alone; the table has what it takes now",
    ),
}
"""The same for the data types on AICore."""

OTHER_UNITS: Final = {
    "aclnnAbs": "another operator computes complex64",
    **dict.fromkeys(
        (
            f"aclnn{place}Bitwise{name}{form}"
            for place in ("", "Inplace")
            for name in ("And", "Or", "Xor")
            for form in ("Scalar", "Tensor")
            if (place, name) != ("Inplace", "Or")
        ),
        "booleans go to operators of logic",
    ),
    "aclnnBitwiseNot": "booleans go to an operator of logic",
    **dict.fromkeys(
        (
            f"aclnn{place}{name}{form}"
            for place in ("", "Inplace")
            for name in ("Ge", "Gt", "Le")
            for form in ("Scalar", "Tensor")
        ),
        "booleans are compared as int8",
    ),
    **dict.fromkeys(
        ("aclnnTan", "aclnnInplaceTan"), "the table has integers, which are cast, by their own unit"
    ),
    "aclnnIndexPutImpl": "which of several operators writes depends on more than the data type",
    **dict.fromkeys(
        (f"aclnnInplaceBernoulli{form}" for form in ("", "Tensor")),
        "it is made of several operators",
    ),
    "aclnnInplaceUniform": "integers are cast from drawn float32",
    "aclnnIsFinite": "the result for integers is filled in",
    **dict.fromkeys(("aclnnKthvalue", "aclnnTake"), "bfloat16 has a line of its own"),
    "aclnnLerps": "results of float64 are cast",
    "aclnnLinalgCross": "one of two operators on AICore has the integers of 8 bits",
    "aclnnReduceSum": "booleans are cast to float32",
    "aclnnReflectionPad1d": "its operator is in a file that functions which pad share",
    **dict.fromkeys(
        (f"aclnnRepeatInterleave{form}" for form in ("", "Int", "IntWithDim", "WithDim")),
        "one of two operators on AICore has booleans and the integers of 8 bits",
    ),
    "aclnnUnique2": "AICore computes it on Ascend 950 alone",
}
"""Kernels whose data types on AICore are of no list of one operator that they call, and why."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LIST = re.compile(r"initializer_list<\s*(?:op::)?DataType>\s*&?\s*(\w+)\s*=?\s*\{([^}]*)\}")
_OTHER_CHIP = re.compile(
    r"950|910_95|3510|REGBASE|310|ASCEND910_|_910$|_910_|610|NON_A2", re.IGNORECASE
)
_DEFINED = re.compile(r"(?P<path>[^:]+):aclnnStatus +(?P<kernel>aclnn\w+)GetWorkspaceSize\(")
_OPERATOR = re.compile(r"(?P<path>[^:]+):(?:const )?\S.*?[ *](?P<operator>\w+)\(")
_CALLED = re.compile(r"l0op::(\w+)")
_OF_A2 = re.compile(r"DAV_2201|ASCEND910B(?!\w)")
_OF_LATER = re.compile(r"Is[Rr]eg[Bb]ase\(")
_MOVES: Final = frozenset(
    ("BroadcastTo", "Cast", "Contiguous", "Fill", "ReFormat", "Reshape", "SetTensor", "Slice")
) | {"SqueezeNd", "TransData", "Transpose", "UnsqueezeNd", "ViewCopy"}
"""Operators that bring operands into form."""

_NOT_BUILT = re.compile(r"^experimental/|/tests/|/examples/")
_NAMED = 2
_SOON = 200

# How the list for chips before Atlas A2 is named beside one for Atlas A2.
_OLDER_NAMES: Final = (
    ("GE910B", "910"),
    ("910B", "910"),
    ("_910B", ""),
    ("910B_", ""),
    ("ASCEND910B", "ASCEND"),
    ("_A2", ""),
    ("_SUPPORT_BF16", "_NOT_SUPPORT_BF16"),
    ("_BF16", ""),
    ("$", "_V100"),
    ("$", "_WITHOUT_BF16"),
    ("$", "WithoutBf16"),
)
_ASKS = re.compile(r"SocVersion|NpuArch|Is[Rr]eg[Bb]ase")
_NO_BF16 = re.compile(
    r"SupportBf16|[Nn]ot support (?:BF16|bfloat16)|not implemented for DT_BF16", re.IGNORECASE
)
_NOT_THERE = re.compile(r"is not supported on this device")


@dataclass(frozen=True)
class Sources:
    """Repositories of CANN's, read at one tag."""

    repositories: dict[str, Path]
    release: str

    @property
    def cann(self) -> str:
        """The release as the emulator names it: 9.1.0 for the tag ``v9.1.0-beta.1``."""
        return ".".join(map(str, _table.release(self.release.removeprefix("v"))))

    def file(self, kernel: str) -> tuple[str, str] | None:
        """Return the file that defines a kernel, as the table names it, and its text."""
        for name, repository in self.repositories.items():
            path = _definitions(repository, self.release).get(kernel)
            if path is not None:
                return f"{name}/{path}", _git(repository, "show", f"{self.release}:{path}")
        return None

    def operators(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the operators that a file calls, but those that move data: name and text."""
        called = set(_CALLED.findall(_COMMENT.sub("", text)))
        if not called <= _MOVES:
            called -= _MOVES
        for repository in self.repositories.values():
            places = _operators(repository, self.release)
            for name in sorted(called & places.keys()):
                yield name, _git(repository, "show", f"{self.release}:{places[name]}")


def _git(repository: Path, *arguments: str) -> str:
    try:
        return git(*arguments, cwd=repository)
    except subprocess.CalledProcessError as error:
        if arguments[0] == "grep" and error.returncode == 1:
            return ""  # no line matches
        raise SystemExit(f"{repository}: {error.stderr.strip()}") from None


@cache
def _definitions(repository: Path, release: str) -> dict[str, str]:
    """Return the path of the file that defines each kernel."""
    pattern = r"aclnnStatus +aclnn\w+GetWorkspaceSize\("
    found = _git(repository, "grep", "-oE", pattern, release, "--", "*/op_api/aclnn_*.cpp")
    matches = (_DEFINED.fullmatch(line.removeprefix(f"{release}:")) for line in found.splitlines())
    return {m["kernel"]: m["path"] for m in matches if m and not _NOT_BUILT.search(m["path"])}


@cache
def _operators(repository: Path, release: str) -> dict[str, str]:
    """Return the path of the file that launches each operator, by the name of its function."""
    pattern = r"^(const )?(aclTensor|std::(tuple|array)<.*>) ?\*? ?\w+\("
    found = _git(repository, "grep", "-oE", pattern, release, "--", "*/op_api/*.cpp")
    matches = (_OPERATOR.fullmatch(line.removeprefix(f"{release}:")) for line in found.splitlines())
    return {m["operator"]: m["path"] for m in matches if m and not _NOT_BUILT.search(m["path"])}


def lists(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the lists of data types in a C++ file: name, and data types as torch has them."""
    for name, body in _LIST.findall(_COMMENT.sub("", text)):
        yield name, frozenset(DTYPES[d] for d in re.findall(r"DT_\w+", body) if d in DTYPES)


def for_a2(text: str) -> dict[frozenset[str], str]:
    """Return the lists of a file that Atlas A2 may take: all but those named for other chips."""
    return {dtypes: name for name, dtypes in lists(text) if not _OTHER_CHIP.search(name)}


def complaint(kernel: Kernel, text: str) -> str | None:
    """Return what the table says of a kernel and its source does not."""
    known = for_a2(text)
    named = {DTYPES[d] for d in re.findall(r"DT_\w+", _COMMENT.sub("", text)) if d in DTYPES}
    for argument in kernel.arguments:
        asked = argument.dtypes
        if asked and asked not in known and not (len(asked) <= _NAMED and asked <= named):
            nearest = min(known, key=lambda dtypes: len(dtypes ^ asked), default=frozenset())
            return (
                f"{argument.name}: the table has {_words(asked - nearest)} more and "
                f"{_words(nearest - asked)} less than {known.get(nearest, 'no list')}"
            )
    return None


def units(text: str) -> dict[frozenset[str], str]:
    """Return the lists by which a file of an operator may choose AICore on Atlas A2.

    They are those that the file returns, or checks and returns, where it has asked for that chip;
    if it does not ask, its lists for AICore that are not named for other chips.  A file that
    launches nothing on one of the units has all data types, or none, on AICore.
    """
    text = _COMMENT.sub("", text)
    if "_LIST_AICORE(" not in text:
        return {frozenset(): "the AICPU alone"} if "_LIST_AICPU(" in text else {}
    every = dict(lists(text))
    if "_LIST_AICPU(" not in text and not any("AICORE" in name.upper() for name in every):
        return {frozenset(DTYPES.values()): "AICore alone"}
    code = _LIST.sub("", text)
    asked, later = (_next(code, every, pattern) for pattern in (_OF_A2, _OF_LATER))
    names = asked or [
        name
        for name in every.keys() - later
        if "AICORE" in name.upper() and not _OTHER_CHIP.search(name)
    ]
    return {every[name]: name for name in names}


def _next(code: str, names: Collection[str], pattern: re.Pattern[str]) -> set[str]:
    """Return the names that come soon after what a pattern finds, the first of them each time."""
    name = re.compile(r"\b(" + "|".join(map(re.escape, names or "-")) + r")\b")
    ends = (match.end() for match in pattern.finditer(code))
    found = (name.search(code, end, end + _SOON) for end in ends)
    return {match[1] for match in found if match}


def wrong_units(kernel: Kernel, text: str, sources: Sources) -> str | None:
    """Return what the table says of the units of a kernel and no operator of its file does."""
    if kernel.aicore is None:
        return None
    taken = frozenset[str]().union(*(a.dtypes for a in kernel.arguments if not a.apart))
    found = {
        dtypes & taken: f"{list_} of {name}"
        for name, source in sources.operators(text)
        for dtypes, list_ in units(source).items()
    }
    if not found or kernel.aicore & taken in found:
        return None
    has = kernel.aicore & taken
    nearest = min(found, key=lambda dtypes: len(dtypes ^ has))
    return (
        f"AICore: the table has {_words(has - nearest)} more and {_words(nearest - has)} less than "
        f"{found[nearest]}"
    )


def _words(dtypes: frozenset[str]) -> str:
    return " ".join(sorted(dtypes)) or "nothing"


def check(sources: Sources) -> int:
    """Print each line of the table that its source does not bear out; return how many."""
    is_default = sources.cann == _table.CANN
    reasons = (
        EXCEPTIONS | ({} if is_default else EARLIER),
        OTHER_UNITS | ({} if is_default else EARLIER_UNITS),
    )
    agree = wrong = 0
    excepted: tuple[set[str], set[str]] = set(), set()
    elsewhere: list[str] = []
    for kernel in _table.kernels(cann=sources.cann):
        found = sources.file(kernel.name)
        if found is None:
            elsewhere.append(kernel.name)
        elif found[0] != kernel.source and is_default:
            wrong += 1
            print(f"{kernel.name}: it is defined in {found[0]}, not in {kernel.source}")
        else:
            problems = (complaint(kernel, found[1]), wrong_units(kernel, found[1], sources))
            agree += problems == (None, None)
            for problem, known, met in zip(problems, reasons, excepted, strict=True):
                if problem is not None and kernel.name in known:
                    met.add(kernel.name)
                elif problem is not None:
                    wrong += 1
                    print(f"{kernel.name} ({kernel.source}): {problem}")
    for known, met in zip(reasons, excepted, strict=True) if is_default else ():
        for name in sorted(known.keys() - met - set(elsewhere)):
            wrong += 1
            print(f"{name}: is no exception any longer")
    print(
        f"{sources.release}: {agree} lines agree, {len(set.union(*excepted))} are exceptions, "
        f"{wrong} differ; {len(elsewhere)} have no file there: {', '.join(elsewhere) or 'none'}"
    )
    return wrong


def changes(before: Sources, after: Sources) -> int:
    """Print how the lists for Atlas A2 differ between two releases; return in how many files."""
    number = 0
    of_file: dict[str, list[str]] = {}
    for kernel in _table.kernels():
        of_file.setdefault(kernel.source, []).append(kernel.name)
    for kernels in of_file.values():
        old, new = before.file(kernels[0]), after.file(kernels[0])
        if old is None and new is None:
            continue
        if old is None or new is None:
            lines = [f"  only in {(after if old is None else before).release}"]
        else:
            was, now = dict(lists(old[1])), dict(lists(new[1]))
            lines = [
                f"  {name}: + {_words(now[name] - was[name])}, - {_words(was[name] - now[name])}"
                for name in was.keys() & now.keys()
                if was[name] != now[name] and not _OTHER_CHIP.search(name)
            ]
        if lines:
            number += 1
            print("\n".join([", ".join(kernels), *sorted(lines)]))
    print(f"{before.release} to {after.release}: {number} of {len(of_file)} files differ")
    return number


_SOURCE: Final = (":(glob)**/op_kernel*/**", ":(glob)**/op_host/**", ":(glob)**/op_api/**")
"""The folders of a kernel whose changes may mend a fault."""
_MENDS: Final = re.compile(
    r"fix|bug|error|wrong|revert|dirty|修复|问题|错误|回退|解决", re.IGNORECASE
)


def fixes(before: Sources, after: Sources) -> int:
    """Print commits that may mend a kernel and that the ledger does not have; return how many."""
    with (_table.HERE / "faults.csv").open(newline="", encoding="utf-8") as file:
        judged = [row["commit"] for row in csv.DictReader(file)]
    folders: dict[str, set[str]] = {}
    for kernel in _table.kernels():
        owner, _, path = kernel.source.partition("/")
        folders.setdefault(owner, set()).add("/".join(path.split("/")[:2]))
    number = 0
    for name, repository in after.repositories.items():
        span = f"{before.release}..{after.release}"
        own = [f"{spec[:8]}{folder}/{spec[8:]}" for folder in folders[name] for spec in _SOURCE]
        log = _git(repository, "log", "--no-merges", "--format=%h %as %s", span, "--", *sorted(own))
        for line in log.splitlines():
            commit = line.split()[0]
            if _MENDS.search(line) and not any(commit.startswith(known) for known in judged):
                number += 1
                print(f"{name} {line}")
    print(f"{before.release} to {after.release}: {number} commits to judge")
    return number


def refused_by_older(kernel: Kernel, text: str) -> dict[str, frozenset[str] | None]:
    """Return what 310P and 910 refuse of the data types of Atlas A2; None where that is not shown.

    Atlas A3 is asked for with A2 wherever a file asks, by name or within a range.  The lists for
    older chips are found by their names; where a file asks for no chip, its lists are for all.
    """
    text = _COMMENT.sub("", text)
    asked = next((a.dtypes for a in kernel.arguments if a.dtypes and not a.apart), frozenset[str]())
    every = dict(lists(text))
    own = [n for n, dtypes in every.items() if dtypes == asked and not _OTHER_CHIP.search(n)]
    if not asked or not own:
        return {"310P": None, "910": None}
    names = [re.sub(re.escape(a) if a != "$" else a, b, n) for n in own for a, b in _OLDER_NAMES]
    older = next((every[n] for n in names if n in every and n not in own), None)
    named = {soc: next((d for n, d in every.items() if soc in n), None) for soc in ("310P",)}
    found: dict[str, frozenset[str] | None] = {}
    for soc in ("310P", "910"):
        taken = named.get(soc) or older
        if taken is not None:
            found[soc] = asked - taken
        elif _NOT_THERE.search(text):
            found[soc] = asked
        elif _NO_BF16.search(text):
            found[soc] = asked & {"bfloat16"}
        else:
            asks = _ASKS.search(text) or any(_OTHER_CHIP.search(name) for name in every)
            found[soc] = None if asks else frozenset()
    return found


def socs(sources: Sources, *, write: bool) -> int:
    """Write socs.csv, or print where it is otherwise; return how many lines are."""
    rows = []
    for kernel in _table.kernels():
        source = sources.file(kernel.name)
        if source is None:
            found = dict.fromkeys(("310P", "910"))
        else:
            found = refused_by_older(kernel, source[1])
        rows.append([kernel.name, *(_shorts(found[soc]) for soc in ("310P", "910"))])
    if write:
        with _table.SOCS.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["kernel", "310P", "910"], *rows])
    with _table.SOCS.open(newline="", encoding="utf-8") as file:
        there = list(csv.reader(file))[1:]
    differ = [row for row in rows if row not in there]
    for row in differ:
        print(f"{row[0]}: 310P refuses {row[1] or 'nothing'}, 910 {row[2] or 'nothing'}")
    unknown = sum("?" in row for row in rows)
    agree = len(rows) - len(differ)
    print(f"{sources.release}: {agree} lines agree, {len(differ)} differ; {unknown} unknown")
    return len(differ)


def _shorts(dtypes: frozenset[str] | None) -> str:
    if dtypes is None:
        return "?"
    return " ".join(short for short, (_, name) in _table.DTYPES.items() if name in dtypes)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="hold the table of kernels against a release")
    checking.add_argument("--release", default="v9.1.0", help="a tag (default: %(default)s)")
    comparing = commands.add_parser("changes", help="say what changes between two releases")
    comparing.add_argument("releases", nargs=2, metavar="RELEASE")
    mending = commands.add_parser("fixes", help="name commits that the ledger does not judge")
    mending.add_argument("releases", nargs=2, metavar="RELEASE")
    chips = commands.add_parser("socs", help="say what chips before Atlas A2 refuse")
    chips.add_argument("--release", default="v9.1.0", help="a tag (default: %(default)s)")
    chips.add_argument("--write", action="store_true", help="write socs.csv")
    for command in (checking, comparing, mending, chips):
        command.add_argument(
            "--sources",
            nargs="+",
            type=Path,
            required=True,
            metavar="DIR",
            help="clones of ops-math and ops-nn, or NAME=DIR",
        )
    options = parser.parse_args(argv)
    repositories = {}
    for given in options.sources:
        name, _, directory = str(given).rpartition("=")
        repositories[name or Path(directory).name] = Path(directory)
    if options.command == "socs":
        return 1 if socs(Sources(repositories, options.release), write=options.write) else 0
    if options.command == "check":
        return 1 if check(Sources(repositories, options.release)) else 0
    between = fixes if options.command == "fixes" else changes
    between(*(Sources(repositories, release) for release in options.releases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
