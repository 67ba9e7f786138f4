"""The fuzzer finds faults that are planted, makes their programs small, and repeats them."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

import pytest
from processes import python

from conformance import ROOT
from workshop import thresholds
from workshop.cli import main
from workshop.faults import command as faults
from workshop.fuzz.choices import Choices, Rejected, integers, lists, permutations

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = """
import random, sys
from pathlib import Path
from workshop.fuzz import command
command._setup("cpu", steps="seams")
from workshop.fuzz.programs import run, xp

def planted(x, /, axis=None):
    result = flip(x, axis=axis)
    if x.ndim == 2 and x.size > 2:
        x[...] = xp.ones_like(x)
    return result

flip, xp.flip = xp.flip, planted
"""


def test_a_fault_is_found_made_small_and_repeated(tmp_path: Path) -> None:
    search = """
import json
seed = next(s for s in range(3000) if run(random.Random(s)).problem)
find = command.described("cpu", seed, run(random.Random(seed)), seconds=5, kind="seams")
Path(sys.argv[1]).write_text(json.dumps(find))
sys.exit(command._repeat(find) - 1)
"""
    file = tmp_path / "find.json"
    printed = python("-c", _HEAD + search, str(file)).stdout
    assert "call of flip: " in printed
    assert "changed" in printed
    find = json.loads(file.read_text())
    assert len(find["steps"]) <= 4
    assert re.search(r"r = xp.flip\(.*", find["told"][-1])
    # The lines are a program, and of the right namespace it is right.
    exec("\n".join(find["told"]), {})
    repeated = python("-m", "workshop", "fuzz", "--repeat", str(file))
    assert repeated.stdout.endswith("nothing is wrong\n")


PLANTED = {
    "derivatives": """
sin, xp.sin = xp.sin, lambda x: xp.asarray(xp.to_torch(sin(x)).detach())
""",
    "relaxed": """
with xp.options(relaxed=True):
    xp.nansum, xp.fmod = xp.sum, xp.mod
""",
    "threads": """
import threading
def planted(x, /, *, axis=None):
    if threading.current_thread() is not threading.main_thread():
        raise MemoryError("of no thread's own")
    return flip(x, axis=axis)
flip, xp.flip = xp.flip, planted
""",
    "threads, late": """
# What is found out late comes to whoever asks next.
late = []
class Spoiled:
    def to_device(self, device):
        if late:
            raise late.pop()
def noting(x, positions, /, **kwargs):
    try:
        return take(x, positions, **kwargs)
    except IndexError as error:
        late.append(error)
        return Spoiled()
def telling(*args, **kwargs):
    if late:
        raise late.pop()
    return flip(*args, **kwargs)
take, xp.take, flip, xp.flip = xp.take, noting, xp.flip, telling
""",
    "seams": """
from_dlpack, xp.from_dlpack = xp.from_dlpack, lambda x, /, *, copy=None: from_dlpack(x, copy=True)
xp.from_dlpack.__name__ = "from_dlpack"
""",
    "compiled": """
import torch
def planted(x, /, **kwargs):
    return True if torch.compiler.is_compiling() else one(x, **kwargs)
one, xp.any = xp.any, planted
""",
}
"""By the kind of steps: a fault in the namespace that steps of this kind can see."""

SAID = {
    "derivatives": "first derivative is ",
    "relaxed": "expected ",
    "threads": "thread: MemoryError: of no thread's own",
    "threads, late": "in the second thread: IndexError: ",
    "seams": "a copy of ",
    "compiled": "r[0] is True, no array",
}


SLOW = {"compiled", "threads, late"}


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.nightly) if k in SLOW else k for k in PLANTED]
)
def test_a_fault_of_each_kind_is_found(kind: str) -> None:
    head = _HEAD.partition("def planted")[0].replace(
        'steps="seams"', f'steps="{kind.partition(",")[0]}"'
    )
    search = """
from workshop.fuzz import programs
from workshop.fuzz.shrink import shrink
outcomes = (run(random.Random(s)) for s in range(3000))
found = next(o for o in outcomes if o.problem and sys.argv[1] in o.problem.text)
found = shrink(found, 2.0)
print(run(None, found.steps, tell=True).told[-1], len(found.steps))
print(found.problem.text)
"""
    done = python("-c", head + PLANTED[kind] + search, SAID[kind])
    assert SAID[kind] in done.stdout


def test_right_programs(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["--steps", "1", "--jobs", "1", "--seed", "3", "--finds", str(tmp_path / "finds")]
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
    assert capsys.readouterr().err.count("python -m workshop: ") == 3


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


def test_what_is_made_small_is_a_number_of_its_module() -> None:
    for module, names in thresholds.LOW.items():
        path = (ROOT / thresholds.PACKAGE).joinpath(*module.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        assert names.keys() <= {name for name, _ in thresholds.constants(tree)}, module


def test_sizes_are_small_where_they_are_made_small() -> None:
    code = """
from workshop import thresholds
thresholds.use("low")
import inspect
from ascend_array_api._backends.cpu import _numpy, shortcuts
assert _numpy.PIECE == shortcuts.PIECE == thresholds.LOW["_backends.cpu._numpy"]["PIECE"]
assert inspect.signature(_numpy.in_pieces).parameters["grain"].default == _numpy.PIECE
import ascend_array_api as xp
assert xp.random.default_rng(3).normal(size=40).shape == (40,)
assert xp.random.default_rng(3).normal(size=3).shape == (3,)
"""
    python("-c", code)


def test_what_is_drawn_is_drawn_again() -> None:
    assert thresholds.drawn(5) == thresholds.drawn(5) != thresholds.drawn(6)
    import ascend_array_api  # noqa: F401

    with pytest.raises(AssertionError, match="imported before"):
        thresholds.use("low")
