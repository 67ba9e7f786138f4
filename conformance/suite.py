"""Get the upstream suite at the pinned commit, or a copy of it, and say what it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from conformance.errors import SetupError

URL = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"

# Seconds after which a clone counts as failed: a network that swallows packets never answers.
_CLONE_TIMEOUT = 600


@dataclass(frozen=True)
class Suite:
    """A copy of the suite; what is not known of it is None.

    Attributes
    ----------
    path
        Where it lies.
    commit, specification_commit
        The commits of the suite and of its submodule, the text of the standard.
    modified
        Whether tracked files differ from these commits.
    """

    path: Path
    commit: str | None
    specification_commit: str | None
    modified: bool | None


def default_cache() -> Path:
    """Return the folder for downloads: below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ascend_array_api" / "conformance"


def fetch(cache: Path) -> Suite:
    """Return the suite at :data:`COMMIT`, cloned into `cache` unless it is there already."""
    target = cache / f"array-api-tests-{COMMIT[:12]}"
    if target.is_dir():
        suite = describe(target)
        if suite.commit == COMMIT and suite.modified is False:
            return suite
        raise SetupError(
            f"{target} is not, as far as git can tell, an unchanged copy of the suite at "
            f"{COMMIT[:12]}; delete it, or name it with --suite to use it as it is"
        )
    _clone(target)
    return describe(target)


def describe(path: Path) -> Suite:
    """Return what is known about the copy of the suite at `path`."""
    path = path.resolve()
    if not (path / "array_api_tests").is_dir() or not (path / "conftest.py").is_file():
        raise SetupError(
            f"{path} is not a copy of {URL}: it has no array_api_tests/ or no conftest.py"
        )
    if (path / ".gitmodules").is_file() and not (path / "array-api" / "src").is_dir():
        raise SetupError(
            f"{path} lacks its submodule array-api, the text of the standard; "
            f"run 'git submodule update --init' there"
        )
    if not (path / ".git").exists():  # a copy of the files: git would answer for a parent folder
        return Suite(path, commit=None, specification_commit=None, modified=None)
    try:
        commit = _git("rev-parse", "HEAD", cwd=path)
        status = _git("status", "--porcelain", "--untracked-files=no", cwd=path)
        submodule = path / "array-api"
        has_submodule = (submodule / ".git").exists()
        specification = _git("rev-parse", "HEAD", cwd=submodule) if has_submodule else None
    except (OSError, subprocess.SubprocessError):  # no git, or git refuses the folder
        return Suite(path, commit=None, specification_commit=None, modified=None)
    return Suite(path, commit, specification, modified=bool(status))


def _clone(target: Path) -> None:
    """Clone the suite with its submodule; `target` appears only when it is complete."""
    hint = "copy the suite (with its submodule) here and name the folder with --suite PATH"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".clone-", dir=target.parent))
    except OSError as error:
        raise SetupError(
            f"the cache {target.parent} cannot be written ({error.strerror}); "
            f"name another with --cache DIR"
        ) from error
    try:
        _git("clone", "--quiet", "--no-checkout", URL, str(scratch), cwd=target.parent)
        _git("checkout", "--quiet", "--detach", COMMIT, cwd=scratch)
        _git("submodule", "--quiet", "update", "--init", cwd=scratch)
        scratch.rename(target)
    except FileNotFoundError as error:
        raise SetupError(f"git is needed to clone {URL}; install it, or {hint}") from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(
            f"cloning {URL} took more than {_CLONE_TIMEOUT} s; without a network, {hint}"
        ) from error
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines()
        reason = next((line for line in said if line.startswith(("fatal:", "error:"))), "")
        raise SetupError(
            f"cannot clone {URL} ({reason or f'git ended with {error.returncode}'}); "
            f"without a network, {hint}"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _git(*arguments: str, cwd: Path) -> str:
    """Run git and return what it printed."""
    # Inside a git hook these variables would point git at another repository.
    foreign = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
    environment = {key: value for key, value in os.environ.items() if key not in foreign}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    done = subprocess.run(
        ("git", *arguments),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=_CLONE_TIMEOUT,
    )
    return done.stdout.strip()
