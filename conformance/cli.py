"""The command line.

Each command adds its arguments to a parser of its own and runs with what was parsed. A command
line that does not begin with a command's name is one of the default command.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from . import COMMAND, clones
from . import report as reports
from . import suite as suites
from .consumers import command as consumers
from .devices import parse_device, require, require_device, setup_for
from .errors import SetupError
from .hardware import command as hardware
from .html import write_html
from .plan import MODULES, PACKAGE, plan_runs, record_for
from .processes import environment_of
from .runner import execute
from .terminal import Progress, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType

T = TypeVar("T")

PROG = COMMAND
EXIT_PASSED, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130

# What the suite, the plugin and the page import, by the name of the package that brings it.
_REQUIRED = {
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
    "pytest_jsonreport": "pytest-json-report",
    "jinja2": "jinja2",
}


@dataclass(frozen=True)
class Command:
    """A command: what it is for, its arguments, and what it does; it returns the exit code."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Sequence[str]], int]


def main(argv: Sequence[str]) -> int:
    """Run the command that `argv` names, the suite if it names none, and return the exit code."""
    name = argv[0] if argv and argv[0] in COMMANDS else DEFAULT_COMMAND
    rest = argv[1:] if argv and argv[0] == name else argv
    prog = PROG if name == DEFAULT_COMMAND else f"{PROG} {name}"
    return run_command(COMMANDS, name, rest, argv, prog=prog, others=PROG)


def run_command(
    commands: Mapping[str, Command],
    name: str,
    rest: Sequence[str],
    argv: Sequence[str],
    *,
    prog: str,
    others: str,
) -> int:
    """Parse the arguments of a command and run it; return the exit code."""
    command = commands[name]
    known = "".join(
        f"\n  {others} {other:<12} {commands[other].help}" for other in commands if other != name
    )
    parser = argparse.ArgumentParser(
        prog=prog,
        description=command.help,
        epilog=f"other commands:{known}" if known else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    arguments = parser.parse_args(rest)
    try:
        return command.run(arguments, argv)
    except SetupError as problem:
        print(f"{others}: {problem}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print(f"\n{others}: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def _add_suite_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is judged")
    what.add_argument(
        "--version",
        nargs="+",
        choices=tuple(MODULES),
        default=["2023.12"],
        metavar="VERSION",
        help=f"versions of the standard: {', '.join(MODULES)} (default: 2023.12)",
    )
    what.add_argument(
        "--device",
        nargs="+",
        type=_argument(parse_device),
        default=["cpu"],
        help="devices, such as cpu, cuda or cuda:0 (default: cpu)",
    )
    what.add_argument(
        "--module",
        nargs="+",
        default=[],
        help="judge these namespaces instead of the ones of ascend_array_api",
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--max-examples",
        type=_argument(_positive),
        default=100,
        metavar="N",
        help="examples a test (default: 100); tests that the suite marks 'unvectorized' get N/10",
    )
    how.add_argument(
        "--seed",
        nargs="+",
        type=_argument(_natural),
        default=None,
        metavar="N",
        help="seeds of hypothesis, one run each (default: one at random, which is printed)",
    )
    how.add_argument("-k", dest="keyword", metavar="EXPR", help="only tests that match, see pytest")
    how.add_argument(
        "--xfails",
        type=Path,
        metavar="FILE",
        help="file with tests that are expected to fail (default: none)",
    )
    how.add_argument(
        "--shrink",
        action="store_true",
        help="let hypothesis look for the smallest failing example; several times slower",
    )
    how.add_argument(
        "--jobs",
        type=_argument(_positive),
        default=_cores(),
        metavar="N",
        help="processes (default: one for each core, here %(default)s)",
    )
    where = parser.add_argument_group("where")
    where.add_argument(
        "--suite",
        type=Path,
        metavar="PATH",
        help=f"a copy of the suite (default: {suites.URL} at {suites.COMMIT[:7]} is cloned)",
    )
    clones.add_cache_argument(where)
    where.add_argument(
        "--report",
        type=Path,
        default=Path("conformance-report"),
        metavar="DIR",
        help="folder for report.json and report.html (default: %(default)s)",
    )


def _run_suite(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    _require_packages()
    if arguments.xfails and not arguments.xfails.is_file():
        raise SetupError(f"--xfails {arguments.xfails}: there is no such file")
    for device in arguments.device:
        require(device)
    runs = plan_runs(
        versions=arguments.version,
        modules=arguments.module,
        devices=arguments.device,
        seeds=arguments.seed or [random.SystemRandom().randrange(2**32)],
        max_examples=arguments.max_examples,
        shrink=arguments.shrink,
        keyword=arguments.keyword,
        xfails=arguments.xfails.resolve() if arguments.xfails else None,
    )
    for module in dict.fromkeys(run.module for run in runs):
        _require_module(module)
        if _top(module) == PACKAGE:
            for device in arguments.device:
                require_device(device)
    suite = suites.describe(arguments.suite) if arguments.suite else suites.fetch(arguments.cache)
    _make_folder(arguments.report)

    commit = suite.commit or "unknown"
    changed = ", MODIFIED" if suite.modified else ""
    print(f"suite {commit[:12]}{changed}; runs: {len(runs)}; processes: {arguments.jobs}")
    for run in runs:
        note = setup_for(run.device).note
        print(f"  {run}" + (f" ({note})" if note else ""))
    records = [record_for(run, suite) for run in runs]
    progress = Progress(sys.stdout)
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        interrupted = execute(records, arguments.jobs, progress)
    finally:
        signal.signal(signal.SIGTERM, previous)
        progress.close()

    report = reports.build(
        records, suite, path=arguments.suite, arguments=argv, interrupted=interrupted
    )
    reports.write_json(report, arguments.report / "report.json")
    write_html(report, arguments.report / "report.html")
    print(f"\n{summary(records)}\n")
    print(_verdict(arguments, success=report["success"], interrupted=interrupted))
    print(f"report: {arguments.report / 'report.html'}, {arguments.report / 'report.json'}")
    if interrupted:
        return EXIT_INTERRUPTED
    return EXIT_PASSED if report["success"] else EXIT_FAILED


def _add_ready_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", type=_argument(parse_device), default="npu", help="such as npu")


def _run_ready(arguments: argparse.Namespace, _argv: Sequence[str]) -> int:
    require(arguments.device)
    return EXIT_PASSED


def _verdict(arguments: argparse.Namespace, *, success: bool, interrupted: bool) -> str:
    """Return the verdict, and what it does not cover."""
    xfails = f"xfails file {arguments.xfails}" if arguments.xfails else "no xfails file"
    word = "PASSED" if success else "INTERRUPTED" if interrupted else "FAILED"
    if arguments.keyword:
        word = f"SELECTION {word}: only tests that match -k {arguments.keyword!r}"
    return f"{word} (no skips file, {xfails})"


def _require_packages() -> None:
    missing = [name for name in _REQUIRED if importlib.util.find_spec(name) is None]
    if missing:
        packages = " ".join(_REQUIRED[name] for name in missing)
        raise SetupError(f"packages are missing; run 'pip install {packages}'")


def _require_module(module: str) -> None:
    """Look for the files: importing the namespace is left to the suite's processes."""
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise SetupError(f"there is no module {top!r} to judge; install it, or see --module")
    name = top
    for part in inner:
        folders = spec.submodule_search_locations or []
        name = f"{name}.{part}"
        spec = importlib.machinery.PathFinder.find_spec(name, folders)
        if spec is None:
            if top == PACKAGE or not _can_be_imported(module):
                raise SetupError(f"there is no module {module!r} to judge; see --module")
            return


def _can_be_imported(module: str) -> bool:
    """Whether a module is there after all: some are made as their package is imported."""
    command = [sys.executable, "-c", f"import importlib; importlib.import_module({module!r})"]
    done = subprocess.run(command, env=environment_of({}), capture_output=True, check=False)
    return done.returncode == 0


def _top(module: str) -> str:
    return module.partition(".")[0]


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"--report {path}: {error.strerror}") from error


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Let SIGTERM end the runs as Ctrl-C does: the processes end and the report is written."""
    raise KeyboardInterrupt


def _cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(f"{text} is not a positive integer")
    return number


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(f"{text} is negative")
    return number


def _argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Let argparse show the text of the ValueError that `parse` raises."""

    def convert(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


DEFAULT_COMMAND = "suite"
COMMANDS: Mapping[str, Command] = {
    "suite": Command(
        help="Judge ascend_array_api by the upstream conformance suite of the array API standard.",
        add_arguments=_add_suite_arguments,
        run=_run_suite,
    ),
    "consumers": Command(
        help="Run the array API tests of SciPy and scikit-learn against ascend_array_api.",
        add_arguments=consumers.add_arguments,
        run=consumers.run,
    ),
    "hardware": Command(help=hardware.HELP, add_arguments=hardware.add_arguments, run=hardware.run),
    "ready": Command(
        help="Say nothing where what a device needs is installed, else what to do (exit code 2).",
        add_arguments=_add_ready_arguments,
        run=_run_ready,
    ),
}
