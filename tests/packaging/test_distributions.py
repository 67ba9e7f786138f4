"""The wheel and the sdist, as they are built from the files of the repository."""

from __future__ import annotations

import configparser
import email
import os
import re
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import small_suite
from processes import files_of, git, python

if TYPE_CHECKING:
    from email.message import Message

pytestmark = pytest.mark.nightly

pytest.importorskip("setuptools_scm", reason="the extra test has what builds the package")

ROOT = Path(__file__).parents[2]
CONFORMANCE = "ascend_array_api_conformance"
QUICK = ("tests/routes/test_structure.py", "workshop/tests/test_cells.py")


FILES = files_of(ROOT)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of these files, with one commit and no tag."""
    folder = tmp_path_factory.mktemp("repository")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git("init", "-q", cwd=folder)
    git("add", "--force", ".", cwd=folder)
    git("commit", "-q", "-m", "all", cwd=folder)
    return folder


def build(kind: str, folder: Path, target: Path) -> Path:
    """Build a distribution, as pip and build do, with the setuptools that is installed."""
    code = f"from setuptools.build_meta import build_{kind} as b; print('\\n' + b({str(target)!r}))"
    return target / python("-c", code, cwd=folder).stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", repository, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel brings, which stands for site-packages."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def unpacked(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", repository, folder)) as archive:
        archive.extractall(folder, filter="data")
    (inside,) = (path for path in folder.iterdir() if path.is_dir())
    return inside


def shipped(name: str) -> str | None:
    """Where the wheel has a file of the repository; None where it has not."""
    top, _, rest = name.partition("/")
    if rest.startswith("tests/"):
        return None
    return {"ascend_array_api": name, "conformance": f"{CONFORMANCE}/{rest}"}.get(top)


def metadata(installed: Path) -> Message:
    (file,) = installed.glob("*.dist-info/METADATA")
    return email.message_from_string(file.read_text(encoding="utf-8"))


def test_the_wheel_has_every_file_and_no_top_level_name_that_is_not_its_own(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {place for name in FILES if (place := shipped(name))}
    assert {name.partition("/")[0] for name in names} == {"ascend_array_api", CONFORMANCE}
    assert f"{CONFORMANCE}/cann_emulator/runtime.c" in names
    assert f"{CONFORMANCE}/cann_emulator/kernels.csv" in names
    assert "ascend_array_api/py.typed" in names


def test_links_of_the_description_lead_somewhere_from_an_index(installed: Path) -> None:
    told = metadata(installed)
    text = told.get_payload()
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(link.startswith("https://") for link in links)
    base = "https://github.com/ascend-array-api/ascend-array-api"
    ours = {link.removeprefix(f"{base}/blob/main/") for link in links if link.startswith(base)}
    assert {"docs/installation.md", "examples/README.md", "conformance/README.md"} <= ours
    assert all((ROOT / link.partition("#")[0]).exists() for link in ours)
    urls = dict(url.split(", ") for url in told.get_all("Project-URL"))
    assert all(url.startswith(base) for url in urls.values())
    assert (ROOT / urls["Changelog"].removeprefix(f"{base}/blob/main/")).is_file()
    assert told["Author"] == "ascend_array_api developers"


def test_entry_points_name_what_is_there(installed: Path) -> None:
    (file,) = installed.glob("*.dist-info/entry_points.txt")
    points = configparser.ConfigParser()
    points.read(file)
    assert dict(points["array_api"]) == {"ascend_array_api": "ascend_array_api"}
    module, _, function = points["console_scripts"]["ascend-array-api-conformance"].partition(":")
    code = f"import importlib as i; print(i.import_module({module!r}).{function})"
    assert "function run" in run(installed, "-c", code).stdout


def run(installed: Path, *arguments: str, code: int | None = 0, **variables: str):
    """Run Python where only what is installed can be imported."""
    environment = {**os.environ, "PYTHONPATH": str(installed), **variables}
    return python(*arguments, code=code, env=environment, cwd=installed.parent)


EVERY = f"""
import importlib, pkgutil, sys
import {CONFORMANCE} as package
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
skipped = (".plugin", "_plugin", "libraries", "__main__")  # they read options, or run
for name in names:
    if not name.endswith(skipped):
        importlib.import_module(name)
assert "conformance" not in sys.modules
print(len(names))
"""


def test_all_that_is_installed_can_be_imported_under_its_name(installed: Path) -> None:
    every = len([n for n in FILES if re.match(r"conformance/(?!tests/).*\.py$", n)])
    assert run(installed, "-c", EVERY).stdout == f"{every - 1}\n"  # all but the package itself


def test_the_installed_command_judges(installed: Path, tmp_path: Path) -> None:
    suite = small_suite.write(tmp_path / "suite", good=small_suite.GOOD)
    arguments = ("--suite", str(suite), "--report", str(tmp_path / "report"))
    done = run(installed, "-m", CONFORMANCE, *arguments, "--jobs", "1")
    assert "PASSED" in done.stdout
    assert f"-m {CONFORMANCE} " in run(installed, "-m", CONFORMANCE, "--help").stdout
    refused = run(installed, "-m", CONFORMANCE, "hardware", "--record", code=2)
    assert "those of a checkout" in refused.stderr


def test_the_sdist_has_every_file_of_the_repository(unpacked: Path) -> None:
    inside = {p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file()}
    more = {name for name in inside - FILES if not name.startswith("ascend_array_api.egg-info/")}
    assert more == {"PKG-INFO", "setup.cfg"}
    assert inside >= FILES


def test_an_sdist_builds_the_same_wheel(unpacked: Path, wheel: Path, tmp_path: Path) -> None:
    other = build("wheel", unpacked, tmp_path)
    assert other.name == wheel.name
    with zipfile.ZipFile(wheel) as a, zipfile.ZipFile(other) as b:
        assert sorted(a.namelist()) == sorted(b.namelist())


def version(folder: Path) -> str:
    return python("-m", "setuptools_scm", cwd=folder).stdout.strip()


def test_tags_say_the_version(repository: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    git("clone", "-q", str(repository), str(copy), cwd=tmp_path)  # without what builds leave there
    commit = git("rev-parse", "--short=7", "HEAD", cwd=copy)
    assert re.fullmatch(rf"0\.1(\.0)?\.dev1\+g{commit}\w*", version(copy))
    git("tag", "v3.4.5", cwd=copy)
    assert version(copy) == "3.4.5"
    (copy / "later.txt").write_text("")
    git("add", ".", cwd=copy)
    git("commit", "-q", "-m", "later", cwd=copy)
    assert version(copy).startswith("3.4.6.dev1+g")
    shutil.rmtree(copy / ".git")
    assert version(copy) == "0.1.0.dev0"


def run_tests(unpacked: Path, *arguments: str) -> None:
    """Run tests of the sdist in a process where nothing else of the package comes first."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join(
        part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if Path(part) != ROOT
    )
    options = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = python(*options, *arguments, cwd=unpacked, env=environment, code=None, timeout=3600)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


def test_tests_run_from_the_sdist(unpacked: Path) -> None:
    run_tests(unpacked, *QUICK)


@pytest.mark.nightly
def test_all_tests_run_from_the_sdist(unpacked: Path) -> None:
    run_tests(unpacked, "tests", f"--ignore={Path('tests', *Path(__file__).parts[-2:-1])}")
