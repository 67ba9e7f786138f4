"""The fuzzer finds faults that are planted, makes their programs small, and repeats them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from processes import python

from conformance.cli import main
from conformance.faults import command as faults
from conformance.fuzz.choices import Choices, Rejected, integers, lists, permutations

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = """
import random, sys
from pathlib import Path
from conformance.fuzz import command
command._setup("cpu")
from conformance.fuzz.programs import run, xp

def planted(x, /, axis=None):
    result = flip(x, axis=axis)
    if x.ndim == 2 and x.dtype == xp.int32 and x.size > 2:
        FAULT
    return result

flip, xp.flip = xp.flip, planted
"""


def _outcome(code: str, *arguments: str, fault: str) -> str:
    done = python("-c", _HEAD.replace("FAULT", fault) + code, *arguments, code=None)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("x += 1", "changed"),
        pytest.param("result = result + 1", "elements differ", marks=pytest.mark.nightly),
        pytest.param("raise MemoryError", "MemoryError", marks=pytest.mark.nightly),
    ],
)
def test_a_fault_is_found_made_small_and_repeated(fault: str, said: str, tmp_path: Path) -> None:
    search = """
import json
seed = next(s for s in range(3000) if run(random.Random(s)).problem)
find = command.described("cpu", seed, run(random.Random(seed)), seconds=5)
Path(sys.argv[1]).write_text(json.dumps(find))
sys.exit(command._repeat(find) - 1)
"""
    file = tmp_path / "find.json"
    printed = _outcome(search, str(file), fault=fault)
    assert "call of flip: " in printed
    assert said in printed
    find = json.loads(file.read_text())
    assert len(find["steps"]) == len(find["told"]) <= 4
    assert "flip of int32" in find["told"][-1]
    repeated = python("-m", "conformance", "fuzz", "--repeat", str(file), code=None)
    assert repeated.returncode == 0
    assert repeated.stdout.endswith("nothing is wrong\n")


def test_right_programs(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["--cases", "1", "--jobs", "1", "--seed", "3", "--finds", str(tmp_path / "finds")]
    assert main(["fuzz", *given]) == 0
    printed = capfd.readouterr().out
    assert "cpu, seed 3" in printed
    assert "0 finds, 0 processes lost" in printed
    assert not (tmp_path / "finds").exists()


def test_what_cannot_be_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "find.json"
    assert main(["fuzz", "--repeat", str(file)]) == 2
    file.write_text("{")
    assert main(["fuzz", "--repeat", str(file)]) == 2
    assert main(["fuzz", "--device", "cpu:x"]) == 2
    assert capsys.readouterr().err.count("python -m conformance: ") == 3


def test_only_an_emulated_npu_fails_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "require", lambda _: None)
    monkeypatch.setattr(faults, "has_cann", lambda: True)
    assert main(["faults"]) == 2


def test_choices_are_replayed_and_end_with_the_plainest() -> None:
    choices = Choices(None, [7, 1, 2, 5])
    assert choices.draw(integers(-3, 3)) == -1  # counted from 0, and round from the end
    assert choices.draw(lists(integers(2, 9), max_size=3)) == [4]
    assert choices.draw(permutations(range(3))) == [2, 0, 1]
    assert choices.made == [6, 1, 2, 2, 0, 0]
    with pytest.raises(Rejected):
        choices.one([])
