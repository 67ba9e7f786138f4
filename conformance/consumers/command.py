"""The command ``consumers``: run the consumers' own tests, each in processes of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import NAME, clones, install
from ..devices import device_type, parse_device, require, require_device, setup_for
from ..errors import SetupError
from ..plan import PACKAGE
from ..processes import OUTCOMES, pytest_command, version_of
from ..runner import Record, execute
from ..terminal import OfTests, in_one_line, problem
from . import chosen, page

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..runner import Test

# Options of the namespace, by the environment variables that set them for a whole process.
_RELAXED = "ASCEND_ARRAY_API_RELAXED"
_DEFAULT_FLOAT = "ASCEND_ARRAY_API_DEFAULT_FLOAT"
_DEFAULT_DEVICE = "ASCEND_ARRAY_API_DEVICE"


_SITE = "https://github.com"


@dataclass(frozen=True)
class Source:
    """Where the tests of a project are that its package does not contain.

    Attributes
    ----------
    repository
        The owner and the name of its repository.
    commit
        The one whose tests run: that of a release.
    tests
        The folder that has them.
    """

    repository: str
    commit: str
    tests: str

    def fetch(self, cache: Path, site: str | None) -> Path:
        """Return the folder, of a clone that is made in `cache` unless it is there already."""
        name = self.repository.rpartition("/")[2]
        url = f"{_SITE}/{self.repository}"
        hint = f"copy the repository to DIR/{self.repository}, with its .git, and add --site DIR"
        beside = f"{site.rstrip('/')}/{self.repository}" if site else None
        return clones.pinned(name, url, self.commit, cache, beside, hint=hint) / self.tests


@dataclass(frozen=True)
class Sdist:
    """Where the tests of a project are that has them in its source distribution alone.

    Attributes
    ----------
    distribution
        Its name and version, as in the name of the file.
    sha256
        Of the file.
    tests
        The folder that has them.
    """

    distribution: str
    sha256: str
    tests: str

    def fetch(self, cache: Path, _site: str | None) -> Path:
        """Return the folder, of files that are unpacked in `cache` unless they are there."""
        return clones.unpacked(self.distribution, self.sha256, cache) / self.tests


@dataclass(frozen=True)
class Consumer:
    """A project whose tests are run.

    Attributes
    ----------
    package
        Its name in Python.
    distribution
        The name of its package in an index.
    plugin
        The pytest plugin that gives it the namespace.
    arguments
        What pytest is told besides.
    keyword
        Which of the tests are about namespaces, as an expression of pytest's ``-k``.
    configuration
        The text of ``pytest.ini``, which wheels do not contain.
    extra
        The extra of our distribution that brings it.
    marks
        The marks of the tests, as an expression of pytest's ``-m``.
    slow
        The marks of those that its own default leaves out for being slow.
    source
        Where its tests are, if not in the package.
    """

    package: str
    distribution: str
    plugin: str
    arguments: tuple[str, ...]
    keyword: str
    configuration: str
    extra: str = "test"
    marks: str = ""
    slow: str = ""
    source: Source | Sdist | None = None


_SCIPY_CONFIGURATION = """
[pytest]
filterwarnings =
    error
    ignore::pytest.PytestRemovedIn10Warning
    ignore:assertions not in test modules or plugins:pytest.PytestConfigWarning
    ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning
    ignore:can't resolve package from __spec__ or __package__:ImportWarning
    once:.*LAPACK bug 0038.*:RuntimeWarning
    ignore:.*scipy.misc.*:DeprecationWarning
    ignore:.*scipy.odr.* is deprecated:DeprecationWarning
    ignore:NumPy warning suppression and assertion utilities are deprecated:DeprecationWarning
    ignore:The 'generic' unit for NumPy timedelta is deprecated:DeprecationWarning
    ignore:.*is computed on the host
    ignore:Cannot create tensor with internal format:UserWarning
markers =
    slow: very slow
    xslow: extremely slow
    xfail_on_32bit: fails on 32 bit
    array_api_backends: iterates over namespaces
    skip_xp_backends: skipped for some namespaces
    xfail_xp_backends: expected to fail for some namespaces
    timeout: has a time limit of its own
    fail_slow: has a limit of its own for being slow
    parallel_threads_limit: runs in that many threads at most
    thread_unsafe: runs in one thread
    iterations: runs several times
    fail_asan: fails under the address sanitizer
"""

# No category of ours is named in a filter: pytest would import the namespace to find it, and before
# the plugin that emulates devices.
_EXTRA_CONFIGURATION = """
[pytest]
filterwarnings =
    error
    ignore:.*is computed on the host
    ignore:Cannot create tensor with internal format:UserWarning
markers =
    skip_xp_backend: skipped for some backends
    xfail_xp_backend: expected to fail for some backends
    thread_unsafe: runs in one thread
"""

_IPAX_CONFIGURATION = """
[pytest]
markers =
    slow: takes long
    gpu: needs a GPU
    sparse: of a solver of sparse systems
"""

_DRONE_CONFIGURATION = """
[pytest]
markers =
    unit: of a part
    integration: of several parts
    render: draws
"""

CONSUMERS = {
    "scipy": Consumer(
        "scipy",
        "scipy",
        f"{NAME}.consumers.scipy_plugin",
        # The data sets' tests want a package that downloads them.
        ("--pyargs", "scipy", "--ignore-glob=/*/scipy/datasets/*"),
        "",
        _SCIPY_CONFIGURATION,
        marks="array_api_backends and not (slow or xslow)",
        slow="array_api_backends and (slow or xslow)",
    ),
    "sklearn": Consumer(
        "sklearn",
        "scikit-learn",
        f"{NAME}.consumers.sklearn_plugin",
        ("--pyargs", "sklearn"),
        "array_api",
        "[pytest]\n",
    ),
    "array-api-extra": Consumer(
        "array_api_extra",
        "array-api-extra",
        f"{NAME}.consumers.extra_plugin",
        ("--pyargs", "array_api_extra.tests.main"),
        "",
        _EXTRA_CONFIGURATION,
    ),
    "xarray": Consumer(
        "xarray",
        "xarray",
        f"{NAME}.consumers.xarray_plugin",
        ("--pyargs", "xarray.tests.test_array_api", "xarray.tests.test_duck_array_wrapping"),
        "",
        "[pytest]\n",
        "consumers",
    ),
    "einops": Consumer(
        "einops",
        "einops",
        f"{NAME}.consumers.einops_plugin",
        ("--pyargs", "einops.tests"),
        "",
        "[pytest]\n",
        "consumers",
    ),
    "marray": Consumer(
        "marray",
        "marray",
        f"{NAME}.consumers.marray_plugin",
        ("--pyargs", "marray.tests.test_marray"),
        "",
        "[pytest]\n",
        "consumers",
    ),
    "hypothesis": Consumer(
        "hypothesis",
        "hypothesis",
        f"{NAME}.consumers.hypothesis_plugin",
        (),
        "",
        "[pytest]\n",
        source=Source(
            "HypothesisWorks/hypothesis",
            "6384deef469a88c147dab205f093b2d16d652785",  # 6.165.10
            "hypothesis/tests/array_api",
        ),
    ),
    "autoray": Consumer(
        "autoray",
        "autoray",
        f"{NAME}.consumers.autoray_plugin",
        (),
        "",
        "[pytest]\n",
        source=Source(
            "jcmgray/autoray",
            "a0392d6e411bb06769fb1f98d625fe7badcbbb7c",  # 0.10.1
            "tests",
        ),
    ),
    "pyriemann": Consumer(
        "pyriemann",
        "pyriemann",
        f"{NAME}.consumers.pyriemann_plugin",
        (),
        "geometry",
        "[pytest]\n",
        "consumers",
        marks="not numpy_only",  # what it does not ask of torch
        source=Source(
            "pyRiemann/pyRiemann",
            "8a3395b79a27f8e490dcd11c753ba09bbca97024",  # 0.12
            "tests",
        ),
    ),
    "ccdproc": Consumer(
        "ccdproc",
        "ccdproc",
        f"{NAME}.consumers.ccdproc_plugin",
        (),
        "",
        "[pytest]\n",
        "consumers",
        marks="not remote_data",
        source=Source(
            "astropy/ccdproc",
            "5e7e21d472a5038a359f3fc5b9ccfa89f0f1ae7f",  # after 2.5.1, which knows NumPy alone
            "ccdproc",
        ),
    ),
    "glass": Consumer(
        "glass",
        "glass",
        f"{NAME}.consumers.glass_plugin",
        ("-p", "pytest_mock"),
        "",
        "[pytest]\n",
        "consumers",
        source=Source(
            "glass-dev/glass",
            "7660ad5f981ee6689c707c52e00bba6c44242b33",  # 2026.2
            "tests/core",
        ),
    ),
    "deepmd-kit": Consumer(
        "deepmd",
        "deepmd-kit",
        f"{NAME}.consumers.deepmd_plugin",
        ("--ignore-glob=/*/test_neighbor_stat.py",),  # which reads files by another package
        "array_api",
        "[pytest]\n",
        "consumers",
        source=Source(
            "deepmodeling/deepmd-kit",
            "bc902daf747d93c5d7314338d287fd2dd0a7e32c",  # before 3.2.0
            "source/tests/consistent",
        ),
    ),
    "ipax": Consumer(
        "ipax",
        "ipax",
        f"{NAME}.consumers.ipax_plugin",
        (),
        "",
        _IPAX_CONFIGURATION,
        "consumers",
        source=Sdist(
            "ipax-0.12.0",
            "cb8d39d622a4070f4e489cbc0fa6c34dbf043e4003f23b341b471101584ddd54",
            "tests",
        ),
    ),
    "array-api-signal": Consumer(
        "array_api_signal",
        "array-api-signal",
        f"{NAME}.consumers.signal_plugin",
        ("--ignore-glob=/*/test_windows.py",),  # whose windows are NumPy's for all but torch
        "",
        "[pytest]\n",
        "consumers",
        source=Sdist(
            "array_api_signal-0.2.0",
            "a5e728f5487749f2f13e91fc650fc20a12461900055b349366ba4ccf9927c6c3",
            "tests",
        ),
    ),
    "drone-models": Consumer(
        "drone_models",
        "drone-models",
        f"{NAME}.consumers.drone_plugin",
        (),
        "",
        _DRONE_CONFIGURATION,
        "consumers",
        source=Sdist(
            "drone_models-0.1.0",
            "a52803b13e34a688c91e6c3f933b80a284ba519be1f09d1b063938113230a772",
            "tests",
        ),
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "consumer",
        nargs="*",
        metavar="CONSUMER",
        help=f"whose tests: {', '.join(CONSUMERS)} (default: all that are installed)",
    )
    parser.add_argument("--device", default="cpu", help="such as cpu, cuda:0 or npu (default: cpu)")
    parser.add_argument(
        "--strict", action="store_true", help="with the namespace's own defaults, not relaxed"
    )
    parser.add_argument(
        "--slow", action="store_true", help="the tests that SciPy marks as slow, and no others"
    )
    parser.add_argument(
        "--default-float",
        choices=("float32", "float64"),
        default="float64",
        help="the default real data type (default: %(default)s, as SciPy's tests expect)",
    )
    parser.add_argument(
        "--dtype",
        nargs="+",
        choices=("float32", "float64"),
        default=["float64", "float32"],
        help="data types of scikit-learn's tests (default: both)",
    )
    parser.add_argument("--namespace", default="ascend_array_api", help="judge another namespace")
    parser.add_argument("-k", dest="keyword", metavar="EXPR", help="only tests that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--site",
        metavar="DIR-OR-URL",
        help="where git finds the repositories of tests that no package contains, by owner and "
        f"name (default: {_SITE}); only the pinned commits are run",
    )
    clones.add_cache_argument(parser)
    parser.add_argument(
        "--report",
        type=Path,
        default=Path("conformance-report"),
        help="folder for consumers-*.json and consumers.html (default: %(default)s)",
    )


def run(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    """Run the tests, write the reports, and return 0 if nothing failed."""
    names = list(dict.fromkeys(arguments.consumer)) or [
        name
        for name, c in CONSUMERS.items()
        if (c.slow or not arguments.slow) and (c.extra == "test" or _is_there(c.package))
    ]
    for name in names:
        if name not in CONSUMERS:
            raise SetupError(f"there is no consumer {name!r}, only {', '.join(CONSUMERS)}")
        if arguments.slow and not CONSUMERS[name].slow:
            raise SetupError(f"--slow: no test of {name} is marked as slow")
    needed = {CONSUMERS[name].package: CONSUMERS[name].extra for name in names}
    for package, extra in needed.items():
        if not _is_there(package):
            raise SetupError(f"{package} is missing; run {install(extra)}")
    try:
        parse_device(arguments.device)
    except ValueError as error:
        raise SetupError(f"--device: {error}") from error
    require(arguments.device)
    if arguments.namespace.partition(".")[0] == PACKAGE:
        require_device(arguments.device)
    arguments.report.mkdir(parents=True, exist_ok=True)
    reports = [_run_one(CONSUMERS[name], arguments, argv) for name in names]
    for report in reports:
        _print(report)
    print(f"report: {page.write(arguments.report)}")
    success = all(report["success"] for report in reports)
    print("PASSED" if success else "FAILED")
    return 0 if success else 1


def _is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _variables(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the environment variables that decide what is judged."""
    strict = arguments.strict
    return {
        "SCIPY_ARRAY_API": "1",
        **({"SCIPY_XSLOW": "1"} if arguments.slow else {}),
        _RELAXED: "0" if strict else "1",
        _DEFAULT_FLOAT: arguments.default_float,
        _DEFAULT_DEVICE: arguments.device,
        chosen.NAMESPACE_VARIABLE: arguments.namespace,
        chosen.DEVICE_VARIABLE: arguments.device,
        chosen.RELAXED_VARIABLE: "0" if strict else "1",
        chosen.DTYPES_VARIABLE: " ".join(arguments.dtype),
        **setup_for(arguments.device).environment,
    }


def record_for(consumer: Consumer, arguments: argparse.Namespace, folder: Path) -> Record:
    """Return the record of a run in a folder, which says how it is started."""
    asked = (consumer.keyword, arguments.keyword)
    keyword = " and ".join(f"({expression})" for expression in asked if expression)
    marks = consumer.slow if arguments.slow else consumer.marks
    (folder / "pytest.ini").write_text(consumer.configuration, encoding="utf-8")
    tests = consumer.source and consumer.source.fetch(arguments.cache, arguments.site)
    command = pytest_command(
        (*setup_for(arguments.device).starting, "hypothesispytest", consumer.plugin),
        *("-c", str(folder / "pytest.ini")),
        *consumer.arguments,
        *((str(tests),) if tests else ()),
        *(("-m", marks) if marks else ()),
        *(("-k", keyword) if keyword else ()),
    )
    variables = _variables(arguments)
    return Record(command=command, variables=variables, folder=folder, keyword=keyword or None)


def _run_one(
    consumer: Consumer, arguments: argparse.Namespace, argv: Sequence[str]
) -> dict[str, Any]:
    """Run the tests of one consumer, and return and write the report."""
    with tempfile.TemporaryDirectory(prefix="consumers-") as scratch:
        record = record_for(consumer, arguments, Path(scratch))
        progress = OfTests(sys.stdout, consumer.distribution)
        interrupted = execute([record], arguments.jobs, progress)
        progress.close()
        if interrupted:
            raise KeyboardInterrupt
    report = {
        "consumer": consumer.distribution,
        "version": metadata.version(consumer.distribution),
        "commit": consumer.source.commit if isinstance(consumer.source, Source) else None,
        "namespace": arguments.namespace,
        "device": arguments.device,
        "device_note": setup_for(arguments.device).note or None,
        "relaxed": not arguments.strict,
        "default_float": arguments.default_float,
        "slow": arguments.slow,
        "command_line": ["python", "-m", NAME, *argv],
        "variables": {
            k: v for k, v in record.variables.items() if not k.startswith("CONFORMANCE_")
        },
        "packages": {name: version_of(name) for name in ("torch", "torch-npu", "numpy", "pytest")},
        "duration": round(record.duration, 1),
        "problems": [
            ":\n".join(filter(None, (problem.message, problem.detail)))
            for problem in record.problems
        ],
        "counts": {outcome: record.counts[outcome] for outcome in OUTCOMES},
        "success": record.success and record.counts["passed"] > 0,
        "tests": [_test(test) for test in sorted(record.tests.values(), key=lambda t: t.nodeid)],
    }
    mode = ("strict" if arguments.strict else "relaxed") + ("-slow" if arguments.slow else "")
    name = f"consumers-{consumer.package}-{device_type(arguments.device)}-{mode}.json"
    (arguments.report / name).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report


def _test(test: Test) -> dict[str, Any]:
    """Return what the report has of a test."""
    entry = {"nodeid": test.nodeid, "duration": test.duration, "outcome": test.outcome}
    if test.outcome in {"failed", "error"}:
        return {**entry, "message": test.message, "traceback": test.traceback}
    return {**entry, "reason": test.reason} if test.reason is not None else entry


def _print(report: dict[str, Any]) -> None:
    """Print the outcome of one consumer."""
    note = f" ({report['device_note']})" if report["device_note"] else ""
    mode = page.mode(report)
    counts = ", ".join(f"{n} {outcome}" for outcome, n in report["counts"].items() if n)
    print(
        f"{report['consumer']} {report['version']}: {report['namespace']} on {report['device']}"
        f"{note}, {mode}, {report['default_float']}: {counts or 'nothing ran'}; "
        f"{report['duration']:.0f} s"
    )
    for test in report["tests"]:
        if test["outcome"] in {"failed", "error"}:
            message = test.get("message", "").strip().splitlines()
            said = f"{test['nodeid']}: {message[0] if message else ''}"
            print(f"  {test['outcome'].upper()} {in_one_line(said)}")
    for said in report["problems"]:
        print(problem(said))
