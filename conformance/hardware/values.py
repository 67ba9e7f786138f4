"""What kernels compute: probes made on the device, and judged."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from ..cann_emulator import _modes, _table
from ..cann_emulator.chip import OPERATORS
from ..cann_emulator.kernels import linear_algebra
from . import facts, judge, probes, wholes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .judge import Array
    from .probes import Points, Sweep
    from .wholes import Whole

_OPERATOR: Final = {
    "Exp2": "Pow",
    "PowTensorScalar": "Pow",
    "PowTensorTensor": "Pow",
    "Softplus": "SoftplusV2",
    "XLogYTensor": "Xlogy",
}
"""The operators behind kernels of other names."""
MOST_SHOWN: Final = 12


@cache
def _tasks() -> dict[str, Callable[..., Any]]:
    return _modes.tasks(_modes.parse("chip"))


def emulated(kernel: str, *arguments: Any) -> Any:
    """Return what the emulator computes as the chip."""
    return _tasks()[_table.named(kernel)](*arguments)


def rounds(kernel: str) -> bool:
    """Say whether a kernel uses exp, ln or sqrt, whose last bit is the chip's own."""
    operator = OPERATORS.get(_OPERATOR.get(kernel, kernel))
    return operator is not None and operator.rounds


def _array(x: torch.Tensor) -> Array:
    """Return numbers as they are, in float64, complex128, int64 or bool."""
    x = x.detach().cpu()
    if x.is_complex():
        return x.resolve_conj().to(torch.complex128).numpy()
    if x.is_floating_point():
        return x.to(torch.float64).numpy()
    return x.numpy() if x.dtype in (torch.bool, torch.uint8) else x.to(torch.int64).numpy()


def _tensors(arrays: list[Any], dtype: str) -> list[torch.Tensor]:
    if "int" in dtype:
        return [torch.tensor(a, dtype=getattr(torch, dtype)) for a in arrays]
    exact = torch.complex128 if "complex" in dtype else torch.float64
    return [torch.tensor(a, dtype=exact).to(getattr(torch, dtype)) for a in arrays]


def _called(call: str, tensors: list[torch.Tensor], device: str) -> torch.Tensor:
    names = dict(zip("abc", (x.to(device) for x in tensors), strict=False))
    result: torch.Tensor = eval(call, {"torch": torch, **names})
    return result.cpu()


def points(probe: Points, device: str) -> dict[str, Any]:
    """Make the calls of a probe, and judge each answer."""
    arrays = [list(values) for values in zip(*probe.inputs, strict=True)]
    tensors = _tensors(arrays, probe.dtype)
    chip = emulated(probe.kernel, *tensors, *probe.extra)
    dtype = probe.result or probe.dtype
    got = _called(probe.call, tensors, device)
    if str(got.dtype) != f"torch.{dtype}":
        return {"verdict": judge.WORSE, "what": f"the answer is of {str(got.dtype)[6:]}"}
    exact_inputs = [_array(x) for x in tensors]
    with np.errstate(all="ignore"):
        ideal = np.asarray(probe.ideal(*exact_inputs))
        if "complex" in dtype:
            ideal = judge.rounded(ideal.astype(np.complex128), dtype)
        elif "float" in dtype:
            ideal = judge.rounded(ideal.astype(np.float64), dtype)
    answers = []
    for k, (one, two, three) in enumerate(zip(_array(got), _array(chip), ideal, strict=True)):
        verdict = judge.point(one, two, three, dtype, rounds=rounds(probe.kernel))
        shown = judge.shown((three, two, one), dtype)
        answer = dict(zip(("ideal", "emulator", "device"), shown, strict=True))
        operands = judge.shown([x[k] for x in exact_inputs], probe.dtype)
        answers.append({"inputs": operands, **answer, "verdict": verdict})
    return {
        "call": probe.call,
        "answers": answers,
        "verdict": judge.worst(str(answer["verdict"]) for answer in answers),
    }


def subnormals(probe: Points, device: str) -> dict[str, Any]:
    """Say besides whether subnormal numbers were taken or given as zeros."""
    found = points(probe, device)
    flushed = [
        float(a["device"] in ("0.0", "-0.0", "0", "-inf", "inf"))
        for a in found.get("answers", ())
        if a["device"] != a["ideal"]
    ]
    found["subnormals"] = "kept" if not flushed else "flushed" if all(flushed) else "other"
    return found


def sweep(probe: Sweep, device: str) -> dict[str, Any]:
    """Compute over a range, and compare."""
    tensors = _tensors(probes.inputs(probe), probe.dtype)
    chip = emulated(probe.kernel, *tensors, *probe.extra).to(tensors[0].dtype)
    got = _called(probe.call, tensors, device)
    if got.dtype != tensors[0].dtype:
        return {"verdict": judge.WORSE, "what": f"the answers are of {str(got.dtype)[6:]}"}
    exact_inputs = [_array(x) for x in tensors]
    with np.errstate(all="ignore"):
        exact = np.asarray(probe.ideal(*exact_inputs))
        verdict, ours, theirs = judge.sweep(
            _array(got),
            _array(chip),
            exact if "int" in probe.dtype else exact.astype(np.float64),
            probe.dtype,
            rounds=rounds(probe.kernel),
            counted=probe.counted,
        )
    return {
        "call": probe.call,
        "inputs": len(exact),
        "unit": "wrong" if probe.counted else "ulp",
        "error": float(ours.wrong) if probe.counted else _short(ours.largest),
        "error_of_emulator": float(theirs.wrong) if probe.counted else _short(theirs.largest),
        "at": judge.shown([x[ours.at] for x in exact_inputs], probe.dtype),
        "special": ours.special,
        "special_of_emulator": theirs.special,
        "equal_to_emulator": round(float(np.mean(judge.same(_array(got), _array(chip)))), 6),
        "verdict": verdict,
    }


def _short(number: float) -> float:
    return float(f"{number:.4g}")


def cast(source: str, target: str, device: str) -> dict[str, Any]:
    """Cast numbers at the ends of data types; the ideal answers are those of torch on the CPU.

    Floats beyond an integer's range have none.
    """
    kinds = getattr(torch, source), getattr(torch, target)
    values = probes.cast_inputs(source)
    exact = torch.float64 if kinds[0].is_floating_point else torch.int64
    x = torch.tensor(values, dtype=exact).to(kinds[0])
    ideal, chip = x.to(kinds[1]), emulated("Cast", x, kinds[1])
    got = torch.ops.npu._npu_dtype_cast(x.to(device), kinds[1]).cpu()
    if got.dtype != kinds[1]:
        return {"verdict": judge.WORSE, "what": f"the answers are of {str(got.dtype)[6:]}"}
    answers = []
    for before, one, two, three in zip(*(_array(v) for v in (x, got, chip, ideal)), strict=True):
        defined = not kinds[0].is_floating_point or "int" not in target or _within(before, target)
        pair = [np.asarray([v]) for v in (one, two, three)]
        alike = judge.same(pair[0], pair[1])[0], judge.same(pair[0], pair[2])[0] and defined
        verdict = judge.AS_EMULATED if alike[0] else judge.BETTER if alike[1] else judge.OTHER
        shown = judge.shown((three, two, one), target)
        shown[0] = shown[0] if defined else "undefined"
        answer = dict(zip(("ideal", "emulator", "device"), shown, strict=True))
        answers.append({"inputs": judge.shown([before], source), **answer, "verdict": verdict})
    # What agrees, and is ideal, is nothing to be read.
    told = [a for a in answers if a["verdict"] != judge.AS_EMULATED or a["ideal"] != a["emulator"]]
    return {
        "call": f"{source} to {target}",
        "answers": told,
        "equal": len(answers) - len(told),
        "verdict": judge.worst(str(answer["verdict"]) for answer in answers),
    }


def _within(number: float, dtype: str) -> bool:
    limits = np.iinfo(dtype)
    return bool(np.isfinite(number)) and limits.min <= math.trunc(number) <= limits.max


# --- wholes ---------------------------------------------------------------------------------------


def whole(probe: Whole, dtype: str, size: int, device: str) -> dict[str, Any]:
    """Make a call twice, and say how far its result is from the ideal one, as a whole."""
    kind = getattr(torch, dtype)
    of = "c" if kind.is_complex else "f" if kind.is_floating_point else "i"
    used = set(re.findall(r"\b[a-z]\b", f"{probe.call} {probe.ideal} {probe.got}"))
    tensors = {
        name: torch.from_numpy(array).to(kind)
        for name, array in wholes.operands(of, size).items()
        if name in used
    }
    tensors |= {name: torch.from_numpy(array) for name, array in wholes.places(size).items()}
    exact = {name: _array(x) for name, x in tensors.items()}
    with np.errstate(all="ignore"):
        ideal = np.asarray(eval(probe.ideal, {"np": np, **exact}))

    def results(where: str) -> tuple[Array, str]:
        there = {name: x.to(where, copy=True) for name, x in tensors.items()}
        if where == "cpu" and probe.switch:
            there |= {name: _hf32(x) for name, x in there.items()}
        names = {"torch": torch, "seed": _seed, "dtype": kind, "device": where, **there}
        names["kernel"] = partial(emulated, probe.kernel)
        call = probe.emulated if where == "cpu" and probe.emulated else probe.call
        with _on(probe.switch if where != "cpu" else ""):
            told = eval(call, names)
            told = told if isinstance(told, tuple) else (told,)
            arrays = {f"r{j}": _array(r) for j, r in enumerate(told)}
        got = np.asarray(eval(probe.got, {"np": np, **exact, **arrays}))
        return got, str(told[0].dtype)[6:] if got.dtype.kind in "fc" else str(got.dtype)

    def seen(where: str) -> dict[str, Any]:
        (got, of), (again, _) = results(where), results(where)
        repeats = {judge.REPEATS: got.shape == again.shape and bool(judge.same(got, again).all())}
        if got.shape != ideal.shape:
            return {**repeats, "shape": list(got.shape)}
        return {**repeats, **judge.whole(got, ideal, of)}

    told, expected = seen(device), seen("cpu")
    verdict = judge.properties(told, expected)
    return {"call": probe.call, "seen": told, "emulator": expected, "verdict": verdict}


def _seed(x: torch.Tensor) -> torch.Tensor:
    """Let random numbers begin anew, and return a tensor."""
    torch.manual_seed(5)
    return x


def _hf32(x: torch.Tensor) -> torch.Tensor:
    return linear_algebra.in_cube(x, linear_algebra.AS_HF32)


@contextmanager
def _on(switch: str) -> Iterator[None]:
    """Set a switch of torch_npu's, and set it back."""
    if not switch:
        yield
        return
    module, name = switch.split(".")
    owner = getattr(facts.npu(), module)
    before = getattr(owner, name)
    setattr(owner, name, True)
    try:
        yield
    finally:
        setattr(owner, name, before)


# --- order ----------------------------------------------------------------------------------------

_RUNS: Final = 8
_MANY: Final = 1_000_003
"""As many tell sums in lanes, whose errors grow, from sums in pairs."""
CHOICE: Final = "chooses among equals as the emulator does"


def _numbers(n: int) -> torch.Tensor:
    values = np.random.default_rng(7).uniform(0.5, 1.5, n) ** 3
    return torch.tensor(values, dtype=torch.float32)


def _reduction(
    call: str, exact: Callable[[list[float]], float], n: int = 10_007, kernel: str = ""
) -> Callable[[str], dict[str, Any]]:
    """Sum the same numbers again, and in another order.

    Where the emulated chip is further from the exact sum than torch, `kernel` is to call its own.
    """

    def seen(device: str) -> dict[str, Any]:
        x = _numbers(n)
        generator = np.random.default_rng(8)
        turns = [torch.tensor(generator.permutation(len(x))) for _ in range(_RUNS)]
        names: dict[str, Any] = {"torch": torch, "one": torch.ones(len(x), 1).to(device)}
        names["zeros"] = torch.zeros(len(x), dtype=torch.int64).to(device)
        names["emulated"] = emulated
        asked = kernel if device == "cpu" and kernel else call

        def compute(values: torch.Tensor) -> float:
            return float(eval(asked, {**names, "x": values.to(device)}).reshape(-1)[-1].cpu())

        results = {compute(x) for _ in range(_RUNS)}
        total = exact(x.to(torch.float64).tolist())
        error = abs(compute(x) - total) / float(judge.ulp(np.asarray([total]), "float32")[0])
        return {
            judge.REPEATS: len(results) == 1,
            judge.ORDER: any(compute(x[turn]) not in results for turn in turns),
            judge.ERROR: _short(error),
        }

    return seen


_LEAVES: Final = 64
_MASK: Final = 2.0**100


def _tree(call: str) -> Callable[[str], dict[str, Any]]:
    """Find out in which order sums of 64 numbers are added.

    Where one is large, another as large and negative, and the others are 1, those ones are left
    that are added after the two have met. So the sum says how many are added together with both.
    """
    first, second = np.triu_indices(_LEAVES, 1)

    def sums(device: str, turn: int) -> Array:
        rows = np.ones((len(first), _LEAVES))
        rows[range(len(first)), first], rows[range(len(first)), second] = _MASK, -_MASK
        m = torch.tensor(np.roll(rows, turn, 0), dtype=torch.float32).to(device)
        names = {"torch": torch, "m": m, "one": torch.ones(_LEAVES, 1).to(device)}
        names["zero"] = torch.zeros(_LEAVES, dtype=torch.int64).to(device)
        return np.roll(_array(eval(call, names)).reshape(len(first)), -turn)

    def seen(device: str) -> dict[str, Any]:
        left = sums(device, 0)
        together = np.zeros((_LEAVES, _LEAVES), dtype=np.int64)
        together[first, second] = together[second, first] = _LEAVES - np.rint(left)
        order = _order(together, list(range(_LEAVES)))
        fixed = bool(order) and bool((sums(device, 5) == left).all())
        return {judge.FIXED: fixed, judge.TREE: order if fixed else "none that is fixed"}

    return seen


def _order(together: Array, members: list[int]) -> str:
    """Write down which numbers are added first: (0 1) before ((0 1) 2); nothing if none is."""
    if len(members) == 1:
        return str(members[0])
    rest, parts = members, []
    while rest:
        part = [j for j in rest if j == rest[0] or together[rest[0], j] < len(members)]
        rest = [j for j in rest if j not in part]
        parts.append(part)
    if len(parts) == 1:
        return ""
    written = [_order(together, part) for part in parts]
    return f"({' '.join(written)})" if all(written) else ""


def _ties(call: str, stable: str = "") -> Callable[[str], dict[str, Any]]:
    """Look at which of equals is chosen; `stable` is what the emulated device does, if not that."""

    def seen(device: str) -> dict[str, Any]:
        values = [3.0, 1.0, 3.0, 2.0, 1.0, 3.0, 1.0] * 40
        names = {"torch": torch, "x": torch.tensor(values).to(device)}
        names["twice"] = torch.tensor([0, 1, 0, 1, 0]).to(device)
        names["five"] = torch.arange(5.0).to(device)
        asked = stable if stable and device == "cpu" else call
        first = eval(asked, names).cpu().tolist()
        again = all(eval(asked, names).cpu().tolist() == first for _ in range(_RUNS))
        there = {k: v.cpu() if isinstance(v, torch.Tensor) else v for k, v in names.items()}
        return {judge.REPEATS: again, CHOICE: first == eval(stable or call, there).tolist()}

    return seen


ORDERS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "ReduceSum": _reduction("x.sum()", math.fsum, _MANY),
    "Mean": _reduction("x.mean()", lambda v: math.fsum(v) / len(v), _MANY),
    "Cumsum": _reduction(
        "x.cumsum(0)", math.fsum, _MANY, "emulated('Cumsum', x, 0, torch.float32)"
    ),
    "LinalgVectorNorm": _reduction(
        "torch.linalg.vector_norm(x)", lambda v: math.sqrt(math.fsum(a * a for a in v))
    ),
    "Dot": _reduction("torch.dot(x, one[:, 0])", math.fsum),
    "Mm": _reduction("torch.mm(x[None, :], one)", math.fsum),
    "Mv": _reduction("torch.mv(x[None, :], one[:, 0])", math.fsum),
    "IndexAdd": _reduction("torch.index_add(x[:1] * 0, 0, zeros, x)", math.fsum),
    "ScatterAdd": _reduction("torch.scatter_add(x[:1] * 0, 0, zeros, x)", math.fsum),
    "IndexPutImpl": _reduction("(x[:1] * 0).index_put_((zeros,), x, accumulate=True)", math.fsum),
    **{
        f"{kernel}.sums": _tree(call)
        for kernel, call in (
            ("ReduceSum", "m.sum(1)"),
            ("Mean", f"m.mean(1) * {_LEAVES}"),
            ("Cumsum", "m.cumsum(1)[:, -1]"),
            ("ReduceNansum", "torch.nansum(m, 1)"),
            ("Dot", "torch.stack([torch.dot(row, one[:, 0]) for row in m])"),
            ("Mm", "torch.mm(m, one)"),
            ("Mv", "torch.mv(m, one[:, 0])"),
            ("Matmul", "torch.matmul(m[None, None], one)"),
            ("BatchMatMul", "torch.bmm(m[:, None], one.expand(len(m), -1, 1))"),
            ("Addmm", "torch.addmm(m[:, :1] * 0, m, one)"),
            ("Baddbmm", "torch.baddbmm(m[:, None, :1] * 0, m[:, None], one.expand(len(m), -1, 1))"),
            ("IndexAdd", "torch.index_add(m[:, :1] * 0, 1, zero, m)"),
            ("ScatterAdd", "torch.scatter_add(m[:, :1] * 0, 1, zero.expand(len(m), -1), m)"),
        )
    },
    "Sort": _ties("torch.sort(x)[1]", "torch.sort(x, stable=True)[1]"),
    "Topk": _ties("torch.topk(x, 7)[1]"),
    "ArgMax": _ties("torch.argmax(x)"),
    "ArgMin": _ties("torch.argmin(x)"),
    "MaxDim": _ties("torch.max(x, 0)[1]"),
    "MinDim": _ties("torch.min(x, 0)[1]"),
    "Cummax": _ties("torch.cummax(x, 0)[1]"),
    "Scatter": _ties("torch.zeros_like(five).scatter_(0, twice, five)"),
    "IndexPutImpl.writes": _ties("torch.zeros_like(five).index_put_((twice,), five)"),
}


def order(name: str, device: str) -> dict[str, Any]:
    """Say whether a kernel repeats itself, and whether its result hangs on the order."""
    seen, expected = ORDERS[name](device), ORDERS[name]("cpu")
    return {"seen": seen, "emulator": expected, "verdict": judge.properties(seen, expected)}
