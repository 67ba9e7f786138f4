"""Run the suite, special cases and the comparison with NumPy for ARM on a machine that is none.

    python tools/arm.py --examples 10
    python tools/arm.py --torch 2.13.0 --cpu max -k sin

Debian's packages for arm64 are unpacked into a folder (no root rights, nothing is installed), with
wheels for aarch64 beside them, and all is run by qemu-user.  It needs Debian or Ubuntu with
Python 3.11 among its packages, apt-get, dpkg, pip and git, and 1 GiB in the folder.  Printed is how
long each part took.  A processor is emulated, not a machine: speed says nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance import clones, suite

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[1]
PYTHON: Final = "3.11"
DEBS: Final = [
    "libbz2-1.0",
    "libc6",
    "libcrypt1",
    "libdb5.3",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "libgomp1",
    "liblzma5",
    "libncursesw6",
    "libnsl2",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libreadline8",
    "libsqlite3-0",
    "libssl3",
    "libstdc++6",
    "libtinfo6",
    "libtirpc3",
    "libuuid1",
    "python3.11",
    "python3.11-minimal",
    "zlib1g",
]
WHEELS: Final = (
    "numpy",
    "pytest>=8.4,<10",
    "pytest-json-report>=1.5",
    "hypothesis>=6.151,<7",
    "ndindex>=1.8",
    "mpmath>=1.3",
    "scipy>=1.17,<1.18",
)
PARTS: Final = ("suite", "special-cases", "comparison")
# What torch asks of the system for the kind of processor, and qemu does not pretend.
PRETENDED: Final = {
    "sys/devices/system/cpu/cpu0/regs/identification/midr_el1": "0x00000000413fd0c1\n",
    "sys/devices/system/cpu/online": "0\n",
    "sys/devices/system/cpu/possible": "0\n",
    "sys/devices/system/cpu/present": "0\n",
    "proc/cpuinfo": (
        "processor\t: 0\n"
        "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid "
        "asimdrdm lrcpc dcpop asimddp\n"
        "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
        "CPU revision\t: 1\n"
    ),
}


def call(*command: object, cwd: Path | None = None) -> None:
    """Run a command; end with its code where it fails."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    code = subprocess.run(words, cwd=cwd, check=False).returncode
    if code:
        raise SystemExit(code)


def make_root(folder: Path) -> None:
    """Unpack Debian's packages, once."""
    if (folder / "made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    apt, debs = folder / "apt", folder / "debs"
    for name in ("lists/partial", "cache/archives/partial", "state"):
        (apt / name).mkdir(parents=True)
    debs.mkdir()
    options = [
        f"-oDir::State={apt / 'state'}",
        f"-oDir::State::lists={apt / 'lists'}",
        f"-oDir::Cache={apt / 'cache'}",
        "-oAPT::Architectures::=amd64",
        "-oAPT::Architectures::=arm64",
        "-oAcquire::Languages=none",
        f"-oAPT::Sandbox::User={os.environ.get('USER', 'root')}",
        "-qq",
    ]
    call("apt-get", *options, "update")
    packages = [f"{name}:arm64" for name in DEBS]
    call("apt-get", *options, "download", *packages, "qemu-user-static", cwd=debs)
    for deb in sorted(debs.glob("*.deb")):
        to = folder / ("root" if deb.name.endswith("_arm64.deb") else "qemu")
        call("dpkg", "-x", deb, to)
    for name, text in PRETENDED.items():
        file = folder / "root" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    shutil.rmtree(debs)
    (folder / "made").touch()


def make_site(folder: Path, torch: str) -> Path:
    """Unpack wheels for aarch64, once for each torch."""
    site = folder / f"site-{torch}"
    if site.is_dir():
        return site
    making = folder / "making"
    shutil.rmtree(making, ignore_errors=True)
    platforms = ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", making, "--only-binary=:all:"]
    pip += ["--python-version", PYTHON, "--implementation", "cp"]
    pip += [word for name in platforms for word in ("--platform", name)]
    # A build for CUDA, as torch from 2.11 on is for ARM too, asks for much that the CPU needs not.
    call(*pip, "--no-deps", f"torch=={torch}")
    needed = ("filelock", "fsspec", "jinja2", "networkx", "sympy", "typing-extensions")
    call(*pip, *needed, *WHEELS, "setuptools")
    making.rename(site)
    return site


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / ".arm", help="where all lies")
    parser.add_argument("--torch", default="2.10.0", help="its version (default: %(default)s)")
    parser.add_argument("--cpu", default="neoverse-n1", help="qemu's processor, such as max (SVE)")
    parser.add_argument("--examples", type=int, default=10, help="examples a test of the suite")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="which of them")
    parser.add_argument("--drawn", default="0.2", help="share of the examples of the comparison")
    parser.add_argument("-k", dest="keyword", help="only tests that match, see pytest")
    options = parser.parse_args(argv)
    folder = options.folder.resolve()
    began = time.monotonic()
    make_root(folder)
    site = make_site(folder, options.torch)
    checked_out = suite.fetch(clones.default_cache()).path
    print(f"set up in {time.monotonic() - began:.0f} s", flush=True)

    root = folder / "root"
    python = [
        *(folder / "qemu/usr/bin/qemu-aarch64-static", "-cpu", options.cpu, "-L", root),
        *(root / f"usr/bin/python{PYTHON}", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    ]
    keyword = ["-k", options.keyword] if options.keyword else []
    of_suite = ["--max-examples", options.examples, "--disable-deadline", "-W", "ignore"]
    parts: dict[str, tuple[Path, list[object]]] = {
        "suite": (checked_out, [*of_suite, "array_api_tests"]),
        "special-cases": (ROOT, ["tests/samples/test_special_cases.py"]),
        "comparison": (
            ROOT,
            ["tests/samples/test_against_numpy.py", "tests/samples/test_accuracy.py"],
        ),
    }
    environment = {
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "PYTHONPATH": f"{site}:{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "ARRAY_API_TESTS_MODULE": "ascend_array_api",
        "ARRAY_API_TESTS_VERSION": "2023.12",
        "AAA_TEST_EXAMPLES": options.drawn,
    }
    worst = 0
    for name in options.part:
        where, arguments = parts[name]
        began = time.monotonic()
        words = [str(word) for word in (*python, *arguments, *keyword)]
        code = subprocess.run(words, cwd=where, env=environment, check=False).returncode
        took = time.monotonic() - began
        print(f"{name}, torch {options.torch}, {options.cpu}: exit code {code}, {took:.0f} s")
        worst = worst or code
    return worst


if __name__ == "__main__":
    sys.exit(main())
