"""Fetch tests that no package contains, at a commit or by a hash: complete, or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SetupError

if TYPE_CHECKING:
    import argparse

_OURS = frozenset({"!! .hypothesis/", "?? .hypothesis/"})
"""What a run leaves in a clone: examples, as data."""

# Seconds after which a clone counts as failed: a network that swallows packets never answers.
_TIMEOUT = 600


def default_cache() -> Path:
    """Return the folder for downloads: below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ascend_array_api" / "conformance"


def add_cache_argument(parser: argparse._ActionsContainer) -> None:
    """Declare the folder that keeps clones."""
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_cache(),
        metavar="DIR",
        help="folder that keeps the clone (default: %(default)s)",
    )


def clone(url: str, commit: str, target: Path, hint: str, *, submodules: bool = False) -> None:
    """Clone `url` at `commit`; `target` appears only when it is complete.

    `hint` says what to do without a network.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".clone-", dir=target.parent))
    except OSError as error:
        raise SetupError(
            f"the cache {target.parent} cannot be written ({error.strerror}); "
            f"name another with --cache DIR"
        ) from error
    try:
        git("clone", "--quiet", "--no-checkout", url, str(scratch), cwd=target.parent)
        git("checkout", "--quiet", "--detach", commit, cwd=scratch)
        if submodules:
            git("submodule", "--quiet", "update", "--init", cwd=scratch)
        scratch.rename(target)
    except FileNotFoundError as error:
        raise SetupError(f"git is needed to clone {url}; install it, or {hint}") from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(
            f"cloning {url} took more than {_TIMEOUT} s; without a network, {hint}"
        ) from error
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines()
        reason = next((line for line in said if line.startswith(("fatal:", "error:"))), "")
        raise SetupError(
            f"cannot clone {url} ({reason or f'git ended with {error.returncode}'}); "
            f"without a network, {hint}"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def pinned(
    name: str, url: str, commit: str, cache: Path, repository: str | None = None, *, hint: str
) -> Path:
    """Return a clone of `url` at `commit`, made in `cache` unless it is there already.

    Parameters
    ----------
    name, url, commit
        The repository, and what runs of it.
    cache
        Keeps the clone.
    repository
        Where git finds the commit: a URL, or the folder of a repository; `url` by default.
    hint
        Says what to do without a network.
    """
    target = cache / f"{name}-{commit[:12]}"
    if not target.is_dir():
        clone(repository or url, commit, target, hint)
    if state(target) != (commit, False):
        raise SetupError(
            f"{target} is not, as far as git can tell, an unchanged copy of {name} at "
            f"{commit[:12]}; delete it"
        )
    return target


def unpacked(distribution: str, sha256: str, cache: Path) -> Path:
    """Return the files of a source distribution, which pip downloads unless they are in `cache`.

    Parameters
    ----------
    distribution
        Its name and version, as in the name of the file.
    sha256
        Of the file: pip takes no other.
    cache
        Keeps the files.
    """
    target = cache / f"{distribution}-{sha256[:12]}"
    if target.is_dir():
        return target
    name, _, version = distribution.rpartition("-")
    asked = f"{name}=={version}"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".sdist-", dir=cache) as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(f"{asked} --hash=sha256:{sha256}\n", encoding="utf-8")
        pip = (sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary=:all:")
        done = subprocess.run(
            (*pip, "--dest", scratch, "--requirement", str(requirements)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
            reason = said[0] if said else f"pip ended with {done.returncode}"
            raise SetupError(f"cannot download the source distribution of {asked} ({reason})")
        shutil.unpack_archive(Path(scratch, f"{distribution}.tar.gz"), scratch, filter="data")
        Path(scratch, distribution).rename(target)
    return target


def state(path: Path) -> tuple[str, bool] | None:
    """Return the commit of `path` and whether its files differ from it; None if git cannot say."""
    if not (path / ".git").exists():  # a copy of the files: git would answer for a parent folder
        return None
    try:
        commit = git("rev-parse", "HEAD", cwd=path)
        # A file beside those of the commit could be one that pytest or Python runs, also where the
        # repository has git ignore it, as it does modules that are compiled.
        beside = git("status", "--porcelain", "--ignored", cwd=path).splitlines()
        return commit, any(line not in _OURS for line in beside)
    except (OSError, subprocess.SubprocessError):  # no git, or git refuses the folder
        return None


def git(*arguments: str, cwd: Path) -> str:
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
        timeout=_TIMEOUT,
    )
    return done.stdout.strip()
