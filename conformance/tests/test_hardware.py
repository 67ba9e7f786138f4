"""What `python -m conformance hardware` finds on the emulated CANN, as if it were hardware.

This file is run twice. Tests marked `on_emulator` run in a process of their own, in which pytest
loads conformance.cann_emulator.plugin before anything imports torch; `test_on_the_emulator` starts
it. The others need no torch_npu.
"""

import csv
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import mpmath
import numpy as np
import processes
import pytest
from processes import python

from conformance import cann_emulator, pair
from conformance.cann_emulator import _table
from conformance.errors import SetupError
from conformance.hardware import collect, command, groups, judge, probes, report
from conformance.hardware.collect import Group

ROOT = Path(__file__).parents[2]
EMULATOR = cann_emulator.installed()

on_emulator = pytest.mark.skipif(
    EMULATOR is None, reason="runs in the process of test_on_the_emulator"
)
outside = pytest.mark.skipif(EMULATOR is not None, reason="runs in the process that starts others")
needs_torch_npu = pytest.mark.skipif(
    pair.problem() is not None or sys.platform != "linux",
    reason=f"needs torch_npu: {pair.problem()}",
)

FACTS = {"soc": "910B2", "cann": "9.1.0", "driver": None, "torch": "2.13.0", "torch_npu": "2.13.0"}
FACTS |= {"python": "3.11.7", "numpy": "2.3.0", "ascend_array_api": "0.1.0"}
FACTS |= {"architecture": "aarch64", "emulated": None}


def environment(**more):
    """An environment without what others have set for torch_npu and pytest."""
    more = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONPATH": str(ROOT)} | more
    return processes.environment("TASK_QUEUE", "PYTEST", "TORCH", "CANN_EMULATOR", **more)


# ---- verdicts ----

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("got", "chip", "ideal", "verdict"),
    [
        (10.0, 10.0, 9.0, judge.AS_EMULATED),
        (NAN, NAN, 5.0, judge.AS_EMULATED),
        (9.0, 10.0, 9.0, judge.BETTER),
        (5.0, NAN, 5.0, judge.BETTER),
        (-0.0, 0.0, -0.0, judge.BETTER),
        (0.0, -0.0, -0.0, judge.WORSE),
        (11.0, 10.0, 9.0, judge.WORSE),
        (NAN, 5.0, 5.0, judge.WORSE),
        (-INF, NAN, 5.0, judge.WORSE),
        (9.5, 10.0, 9.0, judge.OTHER),
    ],
)
def test_one_answer_is_judged(got, chip, ideal, verdict):
    assert judge.point(got, chip, ideal, "float32", rounds=False) == verdict


def test_the_last_bit_of_an_exponential_is_not_held_against_the_device():
    chip = float(np.float32(0.5))
    next_one = float(np.nextafter(np.float32(0.5), np.float32(1)))
    assert judge.point(next_one, chip, chip, "float32", rounds=True) == judge.AS_EMULATED
    assert judge.point(next_one, chip, chip, "float32", rounds=False) == judge.WORSE


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_units_in_the_last_place_are_those_of_torch(dtype):
    import torch

    kind = getattr(torch, dtype)
    values = torch.tensor([1.0, 1.5, 3.0, 1e-3, 60000.0, torch.finfo(kind).tiny], dtype=kind)
    above = torch.nextafter(values, torch.full_like(values, INF)).to(torch.float64)
    unit = (above - values.to(torch.float64)).numpy()
    exact = values.to(torch.float64).numpy()
    np.testing.assert_array_equal(judge.ulp(exact, dtype), unit)
    np.testing.assert_array_equal(judge.distance(exact + 3 * unit, exact, dtype), 3)
    np.testing.assert_array_equal(judge.rounded(exact + unit / 4, dtype), exact)


def test_rounding_is_that_of_torch():
    import torch

    exact = np.random.default_rng(3).standard_normal(2000) * np.geomspace(1e-44, 1e38, 2000)
    for dtype in ("float32", "float16", "bfloat16"):
        wanted = torch.tensor(np.float32(exact)).to(getattr(torch, dtype)).to(torch.float64)
        got = judge.rounded(np.float64(np.float32(exact)), dtype)
        np.testing.assert_array_equal(got, wanted.numpy())


def test_a_distance_is_infinite_where_one_is_special():
    got = np.array([NAN, INF, 1.0, INF, NAN, 0.0])
    exact = np.array([1.0, 1.0, NAN, INF, NAN, 1e-60])
    wanted = [INF, INF, INF, 0, 0, 0]
    np.testing.assert_array_equal(judge.distance(got, exact, "float32") > 1, np.array(wanted) > 1)


def test_a_sweep_is_judged_by_its_worst_error():
    exact = np.linspace(1, 2, 100)
    near = exact * (1 + 2.0**-22)
    far = exact * (1 + 2.0**-20)

    def verdict(got, chip):
        return judge.sweep(got, chip, exact, "float32", rounds=False, counted=False)[0]

    verdicts = [verdict(*given) for given in ((near, near), (near, far), (far, near))]
    assert verdicts == [judge.AS_EMULATED, judge.BETTER, judge.WORSE]


def test_what_repeats_itself_and_errors_count():
    expected = {judge.REPEATS: True, judge.ORDER: True, "error in ulp": 1.0}
    assert judge.properties(dict(expected), expected) == judge.AS_EMULATED
    assert judge.properties({**expected, judge.REPEATS: False}, expected) == judge.WORSE
    assert judge.properties({**expected, "error in ulp": 90.0}, expected) == judge.WORSE
    assert judge.properties({**expected, judge.ORDER: False}, expected) == judge.AS_EMULATED
    assert judge.properties({"chooses so": False}, {"chooses so": True}) == judge.OTHER


# ---- probes ----


def test_ideal_answers_of_the_inverse_error_function_are_those_of_mpmath():
    values = [2.6e-13, 1e-6, 0.1, 0.5, 0.7, -0.9, 0.999999, 1 - 2.0**-24]
    for value in values:
        assert math.isclose(probes._erfinv(value), float(mpmath.erfinv(value)), rel_tol=1e-12)
    assert probes._erfinv(1) == INF
    assert math.isnan(probes._erfinv(2))


def test_ideal_remainders_and_quotients_are_exact():
    from fractions import Fraction

    generator = np.random.default_rng(5)
    x = np.float64(np.float32(generator.uniform(0, 1000, 200)))
    y = np.float64(np.float32(generator.uniform(0.1, 10, 200)))
    for a, b, quotient, rest in zip(x, y, np.floor_divide(x, y), np.remainder(x, y), strict=True):
        assert quotient == Fraction(a) // Fraction(b)
        assert Fraction(rest) == Fraction(a) % Fraction(b)


def test_probes_are_of_kernels_and_named_once():
    names = {kernel.name for kernel in _table.kernels()}
    listed = [*probes.POINTS, *probes.SUBNORMALS, *probes.SWEEPS]
    assert {f"aclnn{probe.kernel}" for probe in listed} <= names
    ids = [probe.id for probe in listed]
    assert len(set(ids)) == len(ids)


# Kernels whose answers the emulator's table says to be the chip's, that are asked in another way.
ASKED_OTHERWISE = {
    *("InplaceCopy", "DivMods", "FloorDivides", "FmodScalar", "RemainderTensorScalar"),
    *("RemainderScalarTensor", "PowScalarTensor", "XLogYScalarOther", "XLogYScalarSelf", "Lerps"),
}
# These have neither inputs that tell algorithms apart nor a range that is theirs alone.
NOT_COMPUTED = {"aclnnInplaceAddcdiv"}  # of int64, by a kernel of the AICPU that is not public
NOT_ASKED = {"Addcmul", "Lerp", "LogSumExp", "SigmoidBackward", "Std", "TanhBackward"}


def test_every_kernel_that_differs_on_the_chip_is_asked():
    from conformance.hardware import values, wholes

    with (_table.HERE / "behaviours.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["behaviour"] == "chip"]
    kernels = {row["kernel"][5:] for row in rows if "Inplace" not in row["kernel"][5:]}
    asked = {probe.kernel for probe in (*probes.POINTS, *probes.SWEEPS)} | {"Cast"}
    asked |= {*values.ORDERS, *(whole.kernel for whole in wholes.WHOLES)}
    assert kernels - asked - ASKED_OTHERWISE - NOT_ASKED - {"VarCorrection"} == set()


# ---- processes ----

FAKE = """
import json, os, signal, sys, time
group, file, *items = sys.argv[1:]
if group == "kernels":
    sys.exit(5)
with open(file, "a") as out:
    def say(line):
        out.write(json.dumps(line) + "\\n")
        out.flush()
    say({"facts": {"soc": "X"}})
    for item in items:
        say({"asked": item})
        if item == "two" and group == "times":
            time.sleep(60)
        if item == "two" and group == "waits":
            os.kill(os.getpid(), signal.SIGSEGV)
        if item == "two" and group == "values.order":
            say({"answer": item, "verdict": "worse"})
            sys.exit(3)
        if group == "values.sweeps":
            os._exit(1)
        say({"answer": item, "verdict": "better"})
"""


def asked(tmp_path, name, limit=30.0, **known):
    fake = tmp_path / "fake.py"
    fake.write_text(FAKE)
    group = Group(name, questions=("one", "two", "three", "four"), **known)
    collect.collect([group], command=[sys.executable, str(fake)], limit=limit)
    return group


ALL = {"one", "two", "three", "four"}


@pytest.mark.parametrize(
    ("name", "lost", "why"),
    [
        ("waits", {"two"}, "ended by signal 11"),
        ("times", {"two"}, "no answer in 1.5 s"),
        ("values.order", set(), ""),  # a device that is left is asked on by another process
        ("values.sweeps", ALL, None),  # it dies at each question
        ("kernels", set(), ""),  # it does not begin
    ],
)
def test_a_question_that_ends_the_process_loses_only_itself(tmp_path, name, lost, why):
    group = asked(tmp_path, name, limit=1.5 if name == "times" else 30.0)
    assert set(group.lost) == lost
    assert why is None or set(group.lost.values()) <= {why}
    assert set(group.answers) == (set() if name == "kernels" else ALL - lost)
    assert group.problem == ("ended with code 5" if name == "kernels" else "")
    assert group.facts == ({} if name == "kernels" else {"soc": "X"})
    found = report.build([group])
    told = list(report.summary({**found, "facts": FACTS}))
    assert found["complete"] is (name == "values.order")
    assert ("LOST kernels: ended with code 5" in told) is (name == "kernels")


def test_what_has_an_answer_is_not_asked_again(tmp_path):
    there = {"one": {"verdict": "as it was"}, "three": {"verdict": "as it was"}}
    group = asked(tmp_path, "dtypes.fft", answers=dict(there), facts={"soc": "X"})
    new = {name: {"verdict": "better"} for name in ("two", "four")}
    assert group.answers == there | new
    with pytest.raises(SetupError, match="another machine"):
        asked(tmp_path, "dtypes.fft", answers=dict(there), facts={"soc": "Y"})


def test_an_interrupted_report_is_gone_on_with(tmp_path):
    file = tmp_path / "report.json"

    def groups():
        return [Group("dtypes.fft", questions=("a", "b")), Group("values.points", questions=("c",))]

    def go_on(listed, only=()):
        return command._go_on(file, listed, only)

    begun = groups()
    begun[0].facts, begun[0].answers = FACTS, {"a": {"verdict": judge.BETTER}}
    file.write_text(json.dumps(report.build(begun)))
    again = groups()
    assert go_on(again) == 1
    assert (again[0].facts, again[0].left, again[1].left) == (FACTS, ["b"], ["c"])
    for listed, only in ((groups()[:1], ()), (groups(), ("Sin",))):
        with pytest.raises(SetupError, match="of other questions"):
            go_on(listed, only)
    again[0].answers["b"] = again[1].answers["c"] = {"verdict": judge.AS_EMULATED}
    file.write_text(json.dumps(report.build(again)))
    assert go_on(groups()) == 0
    file.write_text("[")
    with pytest.raises(SetupError, match="--anew"):
        go_on(groups())


def test_the_progress_has_a_total_and_the_time_that_is_left(capsys):
    listed = [Group("waits", questions=("a", "b")), Group("kernels", questions=("c",))]
    written = []
    progress = command._Progress(listed, lambda: written.append(1))
    progress.line._live = True
    progress.line._began -= 60
    listed[0].answers = {"a": {}, "b": {}}
    progress(listed[0])
    progress(listed[0])
    said = capsys.readouterr().out
    assert said.count("2 answers") == 1
    assert "[1:00] questions 2/3; left: 1, about 1:00" in said  # a count takes as long as two waits
    assert len(written) == 1


def test_names_of_nothing_are_an_error_that_lists_near_ones():
    from conformance.hardware import worker

    assert worker.questions(["dtypes.fft"], ["emulator_fft_C2C"]) == {
        "dtypes.fft": ["emulator_fft_C2C.dtypes"]
    }
    for name, near in (("atn", "Atan"), ("aclnnFloorDiv", "FloorDivide"), ("mm", "Mm")):
        with pytest.raises(SetupError, match=rf"nothing is asked about .*\b{near}\b"):
            worker.questions(groups.PARTS["values"], [name, "Sin"])


def test_an_order_of_sums_is_read_from_what_is_added_together():
    from conformance.hardware import values

    # (0 1) first, then 2; 3 and 4 and the result together: how many are added with both.
    sizes = np.array(
        [[0, 2, 3, 5, 5], [2, 0, 3, 5, 5], [3, 3, 0, 5, 5], [5, 5, 5, 0, 5], [5, 5, 5, 5, 0]]
    )
    assert values._order(sizes, list(range(5))) == "(((0 1) 2) 3 4)"
    assert values._order(np.full((3, 3), 2), [0, 1, 2]) == ""


def test_complex_and_wide_answers_are_judged():
    def verdict(got, chip, ideal, dtype):
        return judge.point(got, chip, ideal, dtype, rounds=False)

    assert verdict(2.99999999176 + 0j, 3 + 0j, 3 + 0j, "complex128") == judge.WORSE
    assert verdict(complex(-INF, NAN), complex(-INF, 0), complex(-INF, 0), "complex64") == (
        judge.WORSE
    )
    assert verdict(3 + 0j, 2.99999999176 + 0j, 3 + 0j, "complex128") == judge.BETTER
    last = float(np.nextafter(3.0, 4.0))
    assert verdict(last, 3.0, 3.0, "float64") == judge.AS_EMULATED  # nor is NumPy's last bit known
    # An error of one part is as large as the whole number makes it.
    assert judge.distance(np.array([1 + 1e-8j]), np.array([1 + 0j]), "complex64")[0] < 1


def test_wholes_are_judged_against_their_largest_element():
    exact = np.array([1000.0, 1.0, INF])
    near = judge.whole(exact + [0, 2.0**-14, 0], exact, "float32")
    assert near == {judge.SPECIAL: 0, judge.ERROR: 1.0, judge.BITS: 24.0}
    assert judge.whole(exact * [1, 1, -1], exact, "float32")[judge.SPECIAL] == 1
    assert judge.whole(np.array([1000.0, NAN, INF]), exact, "float32")[judge.SPECIAL] == 1
    assert judge.whole(exact * (1 + 2.0**-12), exact, "float32")[judge.BITS] == 12
    assert judge.whole(np.array([1, 2]), np.array([1, 3]), "int64") == {judge.WRONG: 1}
    for seen, expected, verdict in (
        ({judge.WRONG: 1}, {judge.WRONG: 0}, judge.WORSE),
        ({judge.ERROR: 2000.0}, {judge.ERROR: 1.0}, judge.WORSE),
        ({judge.ERROR: 1.0}, {judge.ERROR: 2000.0}, judge.BETTER),
        ({judge.TREE: "(0 1)"}, {judge.TREE: "none"}, judge.AS_EMULATED),
    ):
        assert judge.properties(seen, expected) == verdict


def test_only_what_torch_and_the_device_raise_is_an_answer():
    from conformance.hardware import worker

    def raises(error):
        def ask():
            raise error

        return ask

    told, left = worker.answered(raises(RuntimeError("call aclnnExp failed, error code is 507015")))
    assert (told["verdict"], told["code"], left) == (judge.WORSE, 507015, True)
    told, left = worker.answered(raises(RuntimeError("something")))
    assert (told["verdict"], told["code"], left) == (judge.WORSE, None, False)
    told, left = worker.answered(raises(NotImplementedError("aten::x would execute on the CPU")))
    assert (told["verdict"], left) == (judge.NOT_ASKED, False)
    for error in (TypeError, AttributeError, KeyError, UserWarning):
        with pytest.raises(error):
            worker.answered(raises(error("of this program")))


# ---- reports, and what is made of them ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no report"),
        ('{"schema": "ascend-array-api/hardware"}', "version None"),
        ("x", "--apply"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path, text, message):
    file = tmp_path / "report.json"
    file.write_text(text)
    with pytest.raises(SetupError, match=message):
        command._apply(file)


def found_of(dtypes=None, values=None, **facts):
    """A report with answers, of hardware."""
    listed = [
        Group("dtypes.elementwise", dtypes or {}, facts={**FACTS, **facts}),
        Group("values.points", values or {}),
    ]
    return report.build(listed)


def test_a_terminal_obeys_nothing_of_a_report(tmp_path, capsys):
    file = tmp_path / "report.json"
    found = found_of({"aclnnSin.dtypes": dtypes_answer(fewer=["\x1b[2J\u202e"])}, emulated="e")
    file.write_text(json.dumps(found))
    command._apply(file)
    said = capsys.readouterr().out
    assert r"sin of \x1b[2J\u202e: refused" in said
    assert all(c.isprintable() for c in said.replace("\n", ""))


def dtypes_answer(more=(), fewer=()):
    answers = dict.fromkeys(more, "accepted") | dict.fromkeys(fewer, "refused")
    verdict = judge.WORSE if fewer else judge.BETTER
    return {
        "call": "", "dtypes": answers, "more": list(more), "fewer": list(fewer), "other": [],
        "verdict": verdict,
    }  # fmt: skip


@pytest.fixture
def apply(tmp_path):
    """The module that applies reports, with a copy of what it writes to."""
    from conformance.hardware import apply

    for path in (apply.KERNELS, apply.BEHAVIOURS, apply.MEASURED):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return apply


def line_of(path, kernel):
    with path.open(newline="") as file:
        return next(row for row in csv.DictReader(file) if row["kernel"] == kernel)


def test_a_table_that_is_not_edited_stays_as_it_is(apply, tmp_path):
    line = line_of(ROOT / apply.KERNELS, "aclnnTanh")
    apply.write([apply.Entry(apply.KERNELS, "", "aclnnTanh", {"inputs": line["inputs"]})], tmp_path)
    assert (tmp_path / apply.KERNELS).read_text() == (ROOT / apply.KERNELS).read_text()


def test_lists_of_data_types_are_edited(apply, tmp_path):
    found = found_of(
        {
            "aclnnTanh.dtypes": dtypes_answer(more=["F64"], fewer=["BF"]),
            "aclnnAtan.dtypes": dtypes_answer(fewer=["F16"]),
        }
    )
    entries = apply.entries(found)
    apply.write(entries, tmp_path)
    before = line_of(ROOT / apply.KERNELS, "aclnnAtan")
    after = line_of(tmp_path / apply.KERNELS, "aclnnAtan")
    assert "F16" in before["inputs"].split()
    assert "F16" not in after["inputs"].split()
    assert after["source"] == f"{before['source']}; measured: 910B2, CANN 9.1.0"
    told = "\n".join(map(str, entries))
    where = 'soc("910B") & cann_at_least(9, 1) & cann_before(9, 2)'
    assert f'add a row: atan of F16: refused("aclnnAtan"), where={where}' in told


def test_tables_of_another_chip_are_not_edited_but_rows_are_named(apply):
    found = found_of({"aclnnAtan.dtypes": dtypes_answer(fewer=["F16"])}, soc="310P3", cann="8.5.0")
    entries = apply.entries(found)
    assert [entry.file for entry in entries] == [apply.ROWS]
    assert 'where=soc("310P") & cann_at_least(8, 5) & cann_before(8, 6)' in str(entries[0])


def point_answer(verdict):
    told = {"inputs": ["1"], "ideal": "1", "emulator": "2", "device": "3", "verdict": verdict}
    return {"call": "", "answers": [told], "verdict": verdict}


def test_behaviours_are_edited_where_the_table_can_hold_them(apply, tmp_path):
    found = found_of(
        values={
            "Topk.int32.sweep": point_answer(judge.AS_EMULATED),
            "Add.int32": point_answer(judge.AS_EMULATED),
            "Abs.float32.sweep": point_answer(judge.WORSE),
            "Atan.float32": point_answer(judge.BETTER),
        }
    )
    entries = apply.entries(found)
    apply.write(entries, tmp_path)
    path = tmp_path / apply.BEHAVIOURS
    assert line_of(path, "aclnnTopk") == {
        "kernel": "aclnnTopk",
        "behaviour": "ideal",
        "dtypes": "",
        "source": "measured: 910B2, CANN 9.1.0 (Topk.int32.sweep)",
    }
    assert line_of(path, "aclnnAbs")["behaviour"] == "unknown"
    assert "not ideal (Abs.float32.sweep: of 1 it is 3" in line_of(path, "aclnnAbs")["source"]
    assert line_of(path, "aclnnAtan") == line_of(ROOT / apply.BEHAVIOURS, "aclnnAtan")
    told = [str(entry) for entry in entries]
    assert any(
        text.startswith(f"{apply.OPERATORS}: by hand: aclnnAtan computes otherwise, better")
        for text in told
    )
    assert any("atan of F32: may hold where ~(" in text for text in told)


def test_what_was_measured_of_unknown_kernels_is_written_down(apply, tmp_path):
    def whole(call="", **seen):
        seen = {judge.REPEATS: True, **seen}
        return {"call": call, "seen": seen, "emulator": seen, "verdict": judge.AS_EMULATED}

    found = found_of(
        values={
            "Mm.float32.16": whole(**{judge.SPECIAL: 0, judge.ERROR: 1.5, judge.BITS: 23.0}),
            "Unique2.int64.40": whole(**{judge.WRONG: 0}),
            "InplaceRandom.int64.40": whole("seed(z).random_(0, 10)", **{judge.WRONG: 0}),
        }
    )
    apply.write(apply.entries(found), tmp_path)
    path = tmp_path / apply.BEHAVIOURS
    assert line_of(path, "aclnnUnique2")["behaviour"] == "ideal"
    for kernel, gist in (("aclnnMm", "bits kept: 23.0"), ("aclnnInplaceRandom", "wrong: 0")):
        line = line_of(path, kernel)
        assert line["behaviour"] == "unknown"
        assert line["source"].startswith("measured: 910B2, CANN 9.1.0 (")
        assert gist in line["source"]


def test_a_report_is_kept_and_the_doctor_knows_it(apply, tmp_path, monkeypatch):
    found = found_of()
    for _ in range(2):  # a second report of the same machine takes the place of the first
        kept = apply.keep(found, tmp_path)
    assert kept == f"{apply.REPORTS}/910B2_cann-9.1.0_torch_npu-2.13.0.json"
    assert json.loads((tmp_path / kept).read_text()) == found
    apply.keep(found_of(soc="910_9391"), tmp_path)
    text = (tmp_path / apply.MEASURED).read_text()
    package = "ascend_array_api._backends.npu"
    names = {"__name__": f"{package}.measured", "__package__": package}
    exec(compile(text, apply.MEASURED, "exec"), names)
    assert [tuple(entry) for entry in names["MEASURED"]] == [
        ("910B2", (9, 1, 0), (2, 13, 0), "910B2_cann-9.1.0_torch_npu-2.13.0.json"),
        ("910_9391", (9, 1, 0), (2, 13, 0), "910_9391_cann-9.1.0_torch_npu-2.13.0.json"),
    ]
    machine = {"soc": "910B2", "cann": (9, 1, 0), "torch_npu": (2, 13, 0)}
    assert names["report_for"](machine) == "910B2_cann-9.1.0_torch_npu-2.13.0.json"
    assert names["report_for"]({**machine, "cann": (9, 2, 0)}) is None


def test_the_reports_that_are_shipped_are_those_that_the_doctor_knows():
    from ascend_array_api._backends.npu.measured import MEASURED

    folder = ROOT / "conformance" / "hardware" / "reports"
    assert {file.name for file in folder.glob("*.json")} == {entry.report for entry in MEASURED}
    for file in folder.glob("*.json"):
        assert report.check(json.loads(file.read_text()))["facts"]["emulated"] is None


@pytest.mark.parametrize(
    ("change", "why"), [({"emulated": "chip"}, "the device was emulated"), ({}, "")]
)
def test_only_reports_of_hardware_are_applied(change, why):
    from conformance.hardware import apply

    assert apply.refusal(found_of(**change)) == why
    assert apply.refusal({**found_of(), "complete": False}) == "the report is not complete"


class Machine(dict):
    """Facts: what is not there is unknown."""

    def __missing__(self, name):
        return None


MACHINE = Machine(soc="910B2", cann=(9, 1, 0), torch_npu=(2, 13, 0))
NPU = [{"type": "npu", "name": "npu:0", "model": "910B2", "memory": None}]


def said_by_the_doctor(monkeypatch):
    """What the doctor says on that machine, and its problems."""
    from ascend_array_api._doctor import diagnosis

    measured, problems = diagnosis._measured(NPU)
    return diagnosis.render({**diagnosis.diagnose(), "measured": measured}), problems


def test_the_doctor_says_whether_the_machine_was_measured(monkeypatch):
    from ascend_array_api._backends.npu import measured
    from ascend_array_api._devices import backends
    from ascend_array_api._doctor import diagnosis

    monkeypatch.setattr(backends.find("npu"), "facts", MACHINE)
    assert diagnosis._measured([]) == (None, [])
    never = {"soc": "910B2", "cann": "9.1.0", "torch_npu": "2.13.0", "report": None}
    assert diagnosis._measured(NPU) == ({**never, "profile": None, "caveat": None}, [])
    text, _ = said_by_the_doctor(monkeypatch)
    command = "python -m conformance hardware --profile npu-profile.json"
    assert f"never measured: {command} makes a profile" in text
    entry = measured.Measured("910B2", (9, 1, 0), (2, 13, 0), "a.json")
    monkeypatch.setattr(measured, "MEASURED", (entry,))
    text, _ = said_by_the_doctor(monkeypatch)
    assert "910B2, CANN 9.1.0, torch_npu 2.13.0: measured by a.json" in text
    monkeypatch.setattr(backends.find("npu"), "facts", Machine({**MACHINE, "soc": "310P3"}))
    assert "they saturate" in said_by_the_doctor(monkeypatch)[0]


def profile_of(found, folder):
    """Write the profile of a report, and return it with its path."""
    from conformance.hardware import profile

    made = profile.build(found)
    path = folder / "npu-profile.json"
    path.write_text(json.dumps(made))
    return made, path


def test_a_profile_has_what_is_refused_and_wrong_and_no_more(tmp_path):
    found = found_of(
        {
            "aclnnTanh.dtypes": dtypes_answer(more=["F64"], fewer=["F16"]),
            "aclnnSort.dtypes": dtypes_answer(fewer=["I32"]),
            "aclnnLerp.dtypes": dtypes_answer(fewer=["F16"]),
            "aclnnAtan.dtypes": dtypes_answer(fewer=["F32"]),  # no route needs it
        },
        values={
            "FloorDivide.int32": point_answer(judge.WORSE),
            "Exp.float32": point_answer(judge.WORSE),
            "Mul.int32": point_answer(judge.BETTER),
        },
    )
    made, _ = profile_of(found, tmp_path)
    assert [(row["operation"], row["dtype"], row["why"]) for row in made["rows"]] == [
        ("tanh", "float16", "refused"),
        ("sort", "int32", "refused"),
        ("argsort", "int32", "refused"),
        ("floor_divide", "int32", "wrong"),
    ]
    assert made["unmended"] == ["aclnnLerp float16: refused"]


def test_the_doctor_reads_the_profile(tmp_path, monkeypatch):
    from ascend_array_api._backends.npu import profile
    from ascend_array_api._devices import backends

    found = found_of({"aclnnTanh.dtypes": dtypes_answer(fewer=["F16"])})
    made, path = profile_of(found, tmp_path)
    monkeypatch.setattr(profile, "emulated", lambda: False)
    monkeypatch.setenv(profile.VARIABLE, str(path))
    monkeypatch.setattr(backends.find("npu"), "facts", MACHINE)
    text, problems = said_by_the_doctor(monkeypatch)
    assert f"910B2, CANN 9.1.0, torch_npu 2.13.0: 1 row by the profile {path}" in text
    assert problems == []
    monkeypatch.setattr(backends.find("npu"), "facts", Machine({**MACHINE, "cann": None}))
    assert said_by_the_doctor(monkeypatch)[1] == []
    for facts, said in (
        ({**MACHINE, "soc": "310P3"}, "it is of 910B2, CANN 9.1.0, torch_npu 2.13.0"),
        ({**MACHINE, "cann": (9, 2, 0)}, "it is of 910B2, CANN 9.1.0"),
    ):
        monkeypatch.setattr(backends.find("npu"), "facts", Machine(facts))
        (problem,) = said_by_the_doctor(monkeypatch)[1]
        assert said in problem["reason"]
        assert "hardware --profile npu-profile.json makes one" in problem["remedy"]
    foreign = json.dumps(made | {"rows": [made["rows"][0] | {"dtype": "hub"}]})
    for text in ("[]", "{}", '{"schema": "other", "schema_version": 1}', "no JSON", foreign):
        path.write_text(text)
        (problem,) = said_by_the_doctor(monkeypatch)[1]
        assert "this is no profile of NPUs" in problem["reason"]


def test_the_kernels_of_the_profiler_are_counted():
    from conformance.hardware import functions

    text = (
        "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
        "0,aclnnAdd_AddAiCore_Add,Add,AI_VECTOR_CORE,1,2\n"
        "0,aclnnAdd_AddAiCore_Add,Add,AI_VECTOR_CORE,4,2\n"
        "0,aclnnErfinv,Erfinv,AI_CPU,9,200\n"
    )
    rows = list(csv.DictReader(io.StringIO(text)))
    assert functions.kernels_of(rows) == {("Add", "AI_VECTOR_CORE"): 2, ("Erfinv", "AI_CPU"): 1}
    assert functions.kernels_of([{"Name": "x"}]) == "kernel_details.csv has other columns"


# ---- on the emulator ----


@outside
@needs_torch_npu
def test_on_the_emulator():
    said = python(
        *("-m", "pytest", "-q", "-p", "conformance.cann_emulator.plugin"),
        *("-p", "no:cacheprovider", str(Path(__file__)), "-k", "emulated"),
        env=environment(
            TASK_QUEUE_ENABLE="0", TORCH_NPU_FALLBACK_CPU_DISABLE="1", CANN_EMULATOR_DEVICES="1"
        ),
    ).stdout
    assert " passed" in said
    assert not re.search(r"\d+ skipped", said), said


VALUES = groups.PARTS["values"]


def answers(*names, only=()):
    """What the emulated device answers, group by group, as the processes would be asked."""
    from conformance.hardware import facts, worker

    listed = []
    for name in names:
        group = Group(name, facts=facts.found(worker.DEVICE, EMULATOR))
        items = worker.items(name, EMULATOR)
        for item in worker.questions(names, only)[name]:
            group.answers[item], left = worker.answered(items[item])
            assert not left, (item, group.answers[item])
        listed.append(group)
    return report.build(listed, only=only)


@contextmanager
def broken(kernel, task):
    """Let a kernel compute something else."""
    number = EMULATOR._number[kernel]
    EMULATOR.wait()
    before = EMULATOR._tasks
    EMULATOR._tasks = [*before[:number], task, *before[number + 1 :]]
    try:
        yield
    finally:
        EMULATOR.wait()
        EMULATOR._tasks = before


@on_emulator
def test_emulated_chip_is_as_the_emulator_says():
    with EMULATOR.computing("chip"):
        found = answers(*VALUES)
    assert report.differences(found) == []
    assert set(report.totals(found)) == {judge.AS_EMULATED}
    assert set(report.subnormals(found)) == {"kept"}
    assert found["facts"]["emulated"] == "chip"
    json.dumps(found, allow_nan=False)


POOR = (
    "FloorDivide.float32 1.0 0.1, FloorDivide.int32 16813827 16813828, Expm1.float32 0.47999, "
    "DivMod.int32.trunc 17453499 1, FmodTensor.float32 5.0 inf, Atan.float32 inf, "
    "RemainderTensorTensor.float32 1.0 1e-45, RemainderTensorTensor.int32 1073741825 7, "
    "Asin.float32 0.7071, Acos.float32 0.7071, Cos.float32 2.6353818e+07, Tan.float32 262225.25, "
    "Erfinv.float32 2.6e-13, LogAddExp.float32 0.0 -17.0, Ceil.float32 -0.3, "
    "Cast.int64.int32 4294967301"
)
"""Probes and their inputs."""


@on_emulator
def test_emulated_ideal_device_is_better_where_the_chip_is_poor():
    with EMULATOR.computing("ideal"):
        found = answers("values.points", "values.sweeps")
    # By far, so that it hangs on no processor's rounding.
    for question in POOR.split(", "):
        probe, *inputs = question.split()
        told = found["values"][probe]["answers"]
        (verdict,) = {answer["verdict"] for answer in told if answer["inputs"] == inputs}
        assert verdict == judge.BETTER, (probe, inputs)
    for kernel in ("FloorDivide", "FmodTensor", "RemainderTensorTensor"):
        assert found["by_kernel"][f"aclnn{kernel}"]["verdict"] == judge.BETTER, kernel
        assert found["values"][f"{kernel}.int32.sweep"]["error"] == 0
    for kernel in ("Acos", "Asin", "Atan", "Atan2", "Erfinv", "Expm1", "PowTensorTensor"):
        assert found["values"][f"{kernel}.float32.sweep"]["verdict"] == judge.BETTER, kernel
    for kernel in ("Add", "Mul", "Div", "Sqrt", "Maximum", "Neg", "Abs"):
        assert found["by_kernel"][f"aclnn{kernel}"]["verdict"] == judge.AS_EMULATED, kernel


@on_emulator
@pytest.mark.parametrize(
    ("family", "group", "kernels"),
    [
        ("accumulation", "values.order", ("IndexAdd", "ScatterAdd", "IndexPutImpl")),
        ("casts", "values.points", ("Cast",)),
        ("division", "values.sweeps", ("Div", "Divs", "Reciprocal")),
        ("flush", "values.subnormals", ("Add", "Mul", "Exp", "Abs")),
        ("flush", "values.wholes", ("Mm",)),
        ("order", "values.order", ("ReduceSum", "Mean", "Dot", "Mm", "Mv", "Matmul", "Baddbmm")),
        ("sort", "values.order", ("Sort", "Topk")),
        ("sums", "values.order", ("ReduceSum", "Mean", "Cumsum")),
        ("transcendental", "values.sweeps", ("Exp", "Sin", "Tan", "Log")),
    ],
)
def test_emulated_hostility_of_each_family_is_found_out(family, group, kernels):
    with EMULATOR.computing(f"hostile:{family}"):
        found = answers(group, only=kernels)["by_kernel"]
    named = {kernel[5:] for kernel, of in found.items() if of["values"] != judge.AS_EMULATED}
    assert named == set(kernels)


@on_emulator
def test_emulated_kernels_that_are_unknown_are_asked():
    from conformance.hardware import worker

    with (_table.HERE / "behaviours.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["behaviour"] == "unknown"]
    unknown = {row["kernel"] for row in rows}
    launched = set()
    for group in VALUES:
        asked = set()
        for name, ask in worker.items(group, EMULATOR).items():
            kernel = _table.named(worker.kernel_of(name))
            if kernel in unknown and kernel not in asked:
                asked.add(kernel)
                with EMULATOR.counting() as counts:
                    answer, _ = worker.answered(ask)
                assert "error" not in answer or "unit" in answer, (name, answer)
                assert kernel in counts.by_kernel(), name
                launched.add(kernel)
    assert unknown - launched == set()


@on_emulator
def test_emulated_products_keep_fewer_digits_with_the_switch():
    with EMULATOR.computing("chip"):
        found = answers("values.wholes", only=["Mm"])["values"]
    plain, switched = found["Mm.float32.100"], found["Mm.float32.100.matmul allow_hf32"]
    assert plain["seen"][judge.BITS] > 20
    assert 12 < switched["seen"][judge.BITS] < 14
    assert switched["verdict"] == judge.AS_EMULATED

    def single(a, b, kind):
        del kind
        return a @ b

    with EMULATOR.computing("chip"), broken("aclnnMm", single):
        found = answers("values.wholes", only=["Mm"])["values"]
    assert found["Mm.float32.100.matmul allow_hf32"]["verdict"] == judge.BETTER


@on_emulator
def test_emulated_kernel_that_is_broken_is_found_and_applied(apply, tmp_path):
    with EMULATOR.computing("chip"), broken("aclnnGcd", lambda a, b: a * 0 + 1):
        found = answers("values.sweeps", only=["Gcd", "Exp"])
    assert found["by_kernel"]["aclnnGcd"]["verdict"] == judge.WORSE
    assert found["by_kernel"]["aclnnExp"]["verdict"] == judge.AS_EMULATED
    with EMULATOR.computing("chip"), broken("aclnnReciprocal", lambda x: (1.0 / x) * 1.0000002):
        found = answers("values.points", only=["aclnnReciprocal"])
    assert "Reciprocal.float32: worse: of 3.0 it is 0.33333" in "".join(report.differences(found))
    apply.write(apply.entries(found), tmp_path)
    changed = line_of(tmp_path / apply.BEHAVIOURS, "aclnnReciprocal")
    assert changed["behaviour"] == "unknown"
    assert changed["source"].startswith("measured: 910B2, CANN 9.1.0, not ideal (Reciprocal")


@on_emulator
def test_emulated_data_types_are_those_recorded():
    from conformance.hardware import calls, dtypes

    with dtypes.ANSWERS.open(newline="") as file:
        recorded = list(csv.DictReader(file))
    kernels = {kernel.name for kernel in _table.kernels()}
    assert [row["kernel"] for row in recorded] == [
        kernel.name for kernel in _table.kernels() if kernel.name in calls.CALLS
    ]
    assert calls.CALLS.keys() | calls.UNREACHED.keys() == kernels
    assert not calls.CALLS.keys() & calls.UNREACHED.keys()
    asked_of = [kernel for topic in groups.TOPICS for kernel in dtypes.kernels_of(topic)]
    assert sorted(asked_of) == sorted(calls.CALLS)
    assert dtypes.recorded("npu:0") == recorded, "python -m conformance hardware --record"
    # What no source says how it is computed, and torch does not compute.
    assert {failure.split()[0] for failure in EMULATOR.failures} == NOT_COMPUTED
    EMULATOR.failures.clear()


@on_emulator
def test_emulated_calls_reach_the_kernels_that_they_are_for():
    import torch

    from conformance.hardware import calls, dtypes

    for kernel, recorded in dtypes.emulated().items():
        kinds = ("C64",) if kernel.startswith("emulator_fft_C") else ("F32", "I64", "B", "C64")
        short = next(kind for kind in kinds if kind in recorded.accepted)
        with EMULATOR.counting() as counts:
            calls.call(kernel, getattr(torch, _table.DTYPES[short][1]), "npu:0")
        assert kernel in counts.by_kernel(), (kernel, short, counts.kernels)


@on_emulator
def test_emulated_kernel_that_refuses_a_data_type_is_found_and_applied(apply, tmp_path):
    # The data types are asked in the order of the table: the seventh of aclnnAtan is F16.
    order = list(_table.DTYPES)
    nth = order.index("F16") + 1
    EMULATOR.fail_kernel("aclnnAtan", at="call", nth=nth)
    found = answers("dtypes.elementwise", only=["Atan", "Tanh"])
    assert found["by_kernel"]["aclnnTanh"]["verdict"] == judge.AS_EMULATED
    assert found["dtypes"]["aclnnAtan.dtypes"]["fewer"] != []
    (refused,) = found["dtypes"]["aclnnAtan.dtypes"]["fewer"]
    assert f"aclnnAtan refuses {refused}" in report.differences(found)
    assert apply.refusal(found) == "the device was emulated"
    apply.write(apply.entries(found), tmp_path)
    assert refused not in line_of(tmp_path / apply.KERNELS, "aclnnAtan")["inputs"].split()
    assert "add a row: atan of " in "\n".join(map(str, apply.entries(found)))


@on_emulator
def test_emulated_unknown_hardware_computes_by_its_profile(tmp_path, monkeypatch):
    import numpy as np

    import ascend_array_api as xp
    from ascend_array_api._backends.npu import profile
    from ascend_array_api._routes import _operations

    def forget():
        _operations._rows_of.cache_clear()
        for name in ("tanh", "floor_divide"):
            _operations.OPS[name].clear()

    x = xp.asarray([0.5, -3.0], dtype=xp.float16, device="npu:0")
    a = xp.asarray([2**30 + 1, -7], device="npu:0", dtype=xp.int32)
    nth = list(_table.DTYPES).index("F16") + 1
    with EMULATOR.computing("ideal"), broken("aclnnFloorDivide", lambda a, b: a * 0 + 3):
        EMULATOR.fail_kernel("aclnnTanh", at="call", nth=nth)
        found = answers("dtypes.elementwise", "values.points", only=["Tanh", "FloorDivide"])
        _, path = profile_of(found, tmp_path)
        forget()
        assert xp.floor_divide(a, a)[0] != 1, "no route mends it"
        monkeypatch.setenv(profile.VARIABLE, str(path))
        monkeypatch.setattr(profile, "ROWS", profile._rows())
        forget()
        try:
            with pytest.warns(xp.HostFallbackWarning, match="aclnnFloorDivide gives wrong int"):
                assert np.asarray(xp.floor_divide(a, a).to_device("cpu")).tolist() == [1, 1]
            with pytest.warns(xp.HostFallbackWarning, match="aclnnTanh does not take this data"):
                got = np.asarray(xp.tanh(x).to_device("cpu"))
            np.testing.assert_allclose(got, np.tanh([0.5, -3.0]), rtol=1e-3)
            monkeypatch.setattr(profile, "emulated", lambda: False)
            with pytest.warns(UserWarning, match=r"is of 910B2, .* \(emulated\), and not of this"):
                assert profile._rows() == ()
        finally:
            monkeypatch.undo()
            forget()


@on_emulator
def test_emulated_functions_are_counted_and_timed_and_faults_tried():
    from conformance.hardware import functions

    add = functions.count("add", "npu:0", EMULATOR)
    assert add["counted"] == "by the emulator"
    assert add["ours"] == {"kernels": 1, "units": {"AICore": 1}, "names": {"aclnnAdd": 1}}
    launches = functions.launches("add", "npu:0", sizes=(1,))["microseconds"]["1"]
    assert all(launches[how] > 0 for how in ("returns", "done", "each of 100"))
    times = functions.times("add", "npu:0", sizes=(1, 100), runs=3)["milliseconds"]
    assert all(times[n][who] > 0 for n in ("1", "100") for who in ("ours", "torch"))
    sound = {"computes after it": True}
    assert functions.fault("refused data type", "npu:0") == {
        "error": "RuntimeError",
        "code": 161002,
        "kernel": "aclnnTanh",
        **sound,
    }
    found = functions.fault("out of memory", "npu:0")
    assert found == {"error": "OutOfMemoryError", "code": None, "kernel": None, **sound}
    assert functions.fault("no such device", "npu:0")["error"] == "RuntimeError"


@outside
@needs_torch_npu
def test_the_command_asks_and_writes_a_report(tmp_path):
    done = python(
        *("-m", "conformance", "hardware", "--report", str(tmp_path)),
        *("--parts", "values", "waits", "-k", "FloorDivide", "Mm", "add", "nonzero"),
        *("--profile", str(tmp_path / "profile.json")),
        env=environment(CANN_EMULATOR_MODE="ideal"),
        cwd=ROOT,
    )
    assert "FloorDivide.float32: better: of 1.0, 0.1 it is 9.0" in done.stdout
    text = (tmp_path / "report.json").read_text()
    found = report.check(json.loads(text))
    assert found["by_kernel"]["aclnnFloorDivide"]["values"] == judge.BETTER
    assert found["values"]["Mm.sums.order"]["seen"][judge.FIXED] is True
    assert found["waits"]["nonzero.waits"] == {"ours": "waits", "torch": "waits"}
    assert found["waits"]["add.waits"]["ours"] == "does not wait"
    assert set(found["facts"]) == set(report.FACTS)
    profile = json.loads((tmp_path / "profile.json").read_text())
    assert (profile["rows"], profile["complete"]) == ([], False)
    assert f"export ASCEND_ARRAY_API_NPU_PROFILE={tmp_path / 'profile.json'}" in done.stdout
    page = (tmp_path / "report.html").read_text()
    assert "mode ideal: this says nothing about hardware" in page
    assert found["values"]["Mm.sums.order"]["seen"][judge.TREE] in page
    private = (str(ROOT), str(Path.home()), os.uname().nodename, str(tmp_path))
    for word in private:
        assert word not in text
        assert word not in page
    apply = ("-m", "conformance", "hardware", "--apply", str(tmp_path / "report.json"))
    done = python(*apply, env=environment(), cwd=ROOT)
    assert done.stdout.startswith("nothing is written: the device was emulated")


@outside
@needs_torch_npu
def test_an_interrupted_command_goes_on(tmp_path):
    arguments = [
        *(sys.executable, "-m", "conformance", "hardware", "--report", str(tmp_path)),
        # Enough kernels that seconds of work are left where the signal comes.
        *("--parts", "values", "-k", "Gcd", "Sort", "Cumsum", "Matmul", "IndexAdd", "Topk"),
    ]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, env=environment(), cwd=ROOT, text=True
    ) as process:
        said = []
        for line in process.stdout:
            said.append(line)
            if "values.wholes" in line:
                process.send_signal(signal.SIGINT)
    assert process.returncode == command.INCOMPLETE, said
    begun = json.loads((tmp_path / "report.json").read_text())
    assert begun["values"]
    assert f"{begun['left']} questions are left: the same command goes on" in "".join(said)
    assert (tmp_path / "report.html").is_file()
    done = python(*arguments[1:], env=environment(), cwd=ROOT)
    assert f"{len(begun['values'])} answers are in {tmp_path / 'report.json'}" in done.stdout
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["complete"], found["left"]) == (True, 0)
    assert begun["values"].items() <= found["values"].items()
    assert len(found["values"]) == len(begun["values"]) + begun["left"]
