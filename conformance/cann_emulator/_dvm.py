"""Kernels of DVM, the compiler in torch_npu, which Inductor's backend ``dvm`` writes programs for.

The real DVM compiles and launches each of them, and the emulator has nothing that runs the machine
code of its virtual machine.  So this module notes the operations of which a program is made, in
`torch_npu._C.dvm`, and the device thread computes them with torch on the CPU when the launch comes
(fused.c).  Each is computed as torch does it, in every mode, and rounded to the data type that
DVM says its result has: how the chip rounds within a fused kernel is not known.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import struct
import sys
import weakref
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import torch

from . import _native, _table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from torch import Tensor

MODULE = "torch_npu._inductor.dvm"
"""The module that uses the classes of `torch_npu._C.dvm`, and changes some of their methods."""

CLASSES = (
    *("Kernel", "TorchKernel", "DynKernel", "GraphSplitKernel", "DynGraphSplitKernel"),
    *("NDObject", "ScalarRef", "DataType"),
)
"""The classes of `torch_npu._C.dvm` in torch_npu 2.13; older releases have others."""

_NUMBERS = {getattr(torch, name): number for number, name in _table.DTYPES.values()}


def _operand(value: Any) -> Any:
    """Return a number as a tensor without dimensions, which promotes as the number does."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(value)


def _binary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda x, y: function(_operand(x), _operand(y))


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduce(input: Tensor, dims: Sequence[int], keepdims: bool = False) -> Tensor:  # noqa: FBT002
        return function(input, tuple(dims), keepdim=keepdims)

    return reduce


def _same(x: Tensor, *_: Any) -> Tensor:
    """Return the operand: the data type of the result says all."""
    return x


OPERATIONS: dict[str, Callable[..., Tensor]] = {
    **{
        name: getattr(torch, name)
        for name in (
            *("sqrt", "abs", "log", "exp", "reciprocal", "isfinite", "logical_not"),
            *("round", "floor", "ceil", "trunc", "reshape", "permute"),
        )
    },
    **{
        name: _binary(getattr(torch, name))
        for name in (
            *("not_equal", "greater", "greater_equal", "less", "less_equal"),
            *("add", "sub", "mul", "div", "pow", "maximum", "minimum"),
            *("logical_and", "logical_or"),
        )
    },
    "equal": _binary(torch.eq),
    **{name: _reduction(getattr(torch, f)) for name, f in (("max", "amax"), ("min", "amin"))},
    "sum": _reduction(torch.sum),
    "cast": _same,
    "copy": _same,
    "store": _same,
    "select": lambda condition, x, y: torch.where(condition.bool(), x, y),
    "full": lambda value, shape, _: torch.full(shape, value),
    "broadcast": torch.broadcast_to,
    "concat": torch.cat,
}
"""What each operation of DVM computes, before it is rounded to the data type of its result."""

INPUTS = ("load", "view_load", "scalar")

LAUNCH = "// target="
"""How the disassembler begins each launch of a program."""

NEUTRAL = frozenset(
    (
        *("set_kernel_info", "setup", "set_store_inplace", "spec_next"),
        *("set_deterministic", "set_online_tuning", "set_vf_fusion"),
        *("das", "dump", "dump_r", "inspect"),
    )
)
"""The methods that change nothing of what a program computes."""


class Ref(NamedTuple):
    """An operand that an earlier step made."""

    step: int


@dataclass
class Step:
    """An operation, its arguments, and the data type of its result; None for a number."""

    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    dtype: torch.dtype | None


@dataclass
class Program:
    """The operations of one kernel, in the order in which they were asked for."""

    steps: list[Step] = field(default_factory=list)
    made: dict[int, tuple[Any, int]] = field(default_factory=dict)
    """By address, the objects that steps returned, which stand for their results."""

    def named(self, value: Any) -> Any:
        """Return an argument with references for the objects of earlier steps."""
        if id(value) in self.made:
            return Ref(self.made[id(value)][1])
        if isinstance(value, (list, tuple)):
            return [self.named(item) for item in value]
        return value

    def add(self, step: Step, result: Any) -> None:
        """Take in a step, which returned an object."""
        self.made[id(result)] = (result, len(self.steps))
        self.steps.append(step)

    def inputs(self) -> list[Step]:
        """Return the steps that take the arguments of a call."""
        return [step for step in self.steps if step.name in INPUTS]

    def compute(self, tensors: list[Tensor], numbers: list[float]) -> list[Tensor]:
        """Return what the program stores."""
        left, scalars = iter(tensors), iter(numbers)
        values: list[Any] = []

        def value(of: Any) -> Any:
            if isinstance(of, Ref):
                return values[of.step]
            return [value(item) for item in of] if isinstance(of, list) else of

        for step in self.steps:
            if step.name in INPUTS:
                values.append(next(scalars if step.dtype is None else left))
                continue
            arguments = [value(argument) for argument in step.arguments]
            keywords = {name: value(item) for name, item in step.keywords.items()}
            values.append(OPERATIONS[step.name](*arguments, **keywords).to(step.dtype))
        return [x for x, step in zip(values, self.steps, strict=True) if step.name == "store"]


class Recorder(MetaPathFinder):
    """Notes the programs of DVM and prepares their jobs.

    It is in `sys.meta_path`, where it sees the module that uses DVM before that is imported.

    Parameters
    ----------
    library
        The emulated runtime.
    kernel
        The number of `_table.FUSED`.
    """

    def __init__(self, library: ctypes.CDLL, kernel: int) -> None:
        self._library, self._kernel = library, kernel
        self._programs: list[Program] = []
        self._of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._attached = False
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:  # noqa: ARG002
        """Attach to DVM before its module is imported, and leave that to the other finders."""
        if name == MODULE and not self._attached:
            self._attached = True
            dvm = sys.modules["torch_npu._C"].dvm
            if all(hasattr(dvm, known) for known in CLASSES):  # else every launch is refused
                self._attach(dvm)

    # -- on the device thread --

    def compute(
        self, number: int, inputs: list[Tensor], outputs: list[Tensor], scalars: list[int]
    ) -> None:
        """Compute a program, and write what it stores; -1 is one that does nothing."""
        if number < 0:
            return
        numbers = [
            struct.unpack("d", struct.pack("q", bits))[0] if is_float else bits
            for is_float, bits in zip(scalars[::2], scalars[1::2], strict=True)
        ]
        results = [x.clone() for x in self._programs[number].compute(inputs, numbers)]
        for out, result in zip(outputs, results, strict=True):
            out.copy_(result.reshape(out.shape))

    # -- where programs are made and called --

    def _attach(self, dvm: ModuleType) -> None:
        """Let the classes of DVM note what they are told."""
        objects = (dvm.NDObject, dvm.ScalarRef)
        self._dynamic = dvm.DynKernel
        names = sorted(_table.FUSED.arguments[1].dtypes)
        types = [(getattr(dvm.DataType, name), getattr(torch, name)) for name in names]

        def dtype_of(made: Any) -> torch.dtype | None:
            if isinstance(made, dvm.ScalarRef):
                return None
            found = made.dtype()
            dtype: torch.dtype = next(ours for theirs, ours in types if found == theirs)
            return dtype

        def noting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(real)
            def method(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
                made = real(kernel, *arguments, **keywords)
                assert isinstance(made, objects)
                program = self._programs[self._number(kernel)]
                step = Step(
                    name,
                    tuple(program.named(argument) for argument in arguments),
                    {key: program.named(item) for key, item in keywords.items()},
                    dtype_of(made),
                )
                program.add(step, made)
                return made

            return method

        def refusing(name: str) -> Callable[..., NoReturn]:
            def method(*arguments: Any, **keywords: Any) -> NoReturn:
                raise NotImplementedError(f"the emulated CANN does not compute DVM's {name}")

            return method

        for owner in (dvm.Kernel, dvm.DynKernel):
            for name, real in list(vars(owner).items()):
                if name in OPERATIONS or name in INPUTS:
                    setattr(owner, name, noting(name, real))
                elif inspect.isroutine(real) and not name.startswith("_") and name not in NEUTRAL:
                    setattr(owner, name, refusing(name))
        for owner in (dvm.GraphSplitKernel, dvm.DynGraphSplitKernel):
            owner.__init__ = refusing(owner.__name__)
        run = dvm.TorchKernel.run
        dvm.TorchKernel.run = lambda kernel, *given: self._run(run, kernel, given)
        dvm.TorchKernel.__call__ = lambda kernel, *given: self._call(kernel, given)

    def _number(self, kernel: Any) -> int:
        """Return the number of a kernel's program."""
        if kernel not in self._of:
            self._of[kernel] = len(self._programs)
            self._programs.append(Program())
        return self._of[kernel]

    def _call(self, kernel: Any, given: tuple[Any, ...]) -> Any:
        """Call a kernel that makes its outputs: DVM would make them of these shapes."""
        tensors = [x for x in given if isinstance(x, torch.Tensor)]
        numbers = [x for x in given if not isinstance(x, torch.Tensor)]
        program = self._programs[self._number(kernel)]
        made = program.compute([x.to("meta") for x in tensors], numbers)
        outputs = tuple(torch.empty_like(x, device=tensors[0].device) for x in made)
        kernel.run(*given, *outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def _run(self, run: Callable[..., None], kernel: Any, given: tuple[Any, ...]) -> None:
        """Prepare a job for a call of a kernel, then let DVM launch it."""
        if not self._library.emulator_dvm_is_ready():
            raise RuntimeError(
                "DVM was initialised before the device, so that its launches do nothing; call "
                "torch.npu.set_device first"
            )
        number = self._number(kernel)
        steps = self._programs[number].inputs()
        # torch_npu would copy these tensors itself, to addresses that nobody could know.
        inputs = [x.contiguous() if step.name == "load" else x for x, step in zip(given, steps)]
        outputs = given[len(inputs) :]
        rows = [
            x if x.is_contiguous() else x.clone(memory_format=torch.contiguous_format)
            for x in outputs
        ]
        executor = self._prepare(number, inputs, rows)
        # DVM generates dynamic programs at their launch: nobody knows how many it will make.
        launches = 0 if isinstance(kernel, self._dynamic) else kernel.das().count(LAUNCH)
        if self._library.emulator_dvm_expect(executor, launches):
            raise NotImplementedError("the emulated CANN has no room for so many tensors")
        try:
            run(kernel, *inputs, *rows)
        except BaseException:
            self._library.emulator_dvm_forget(executor)
            raise
        for x, row in zip(outputs, rows, strict=True):
            if x is not row:
                x.copy_(row)

    def _prepare(self, number: int, inputs: list[Any], outputs: list[Tensor]) -> int:
        steps = self._programs[number].inputs()
        loads = [(x, s.name) for x, s in zip(inputs, steps, strict=True) if s.name != "scalar"]
        numbers = [x for x, s in zip(inputs, steps, strict=True) if s.name == "scalar"]
        lists = [
            self._list(self._tensor(x, viewed=name == "view_load") for x, name in loads),
            self._list(self._tensor(x) for x in outputs),
        ]
        words = [w for x in numbers for w in _words(x)]
        array = self._create("aclCreateIntArray", _int64(words), len(words))
        slots = (_native.Slot * 4)()
        slots[0].i, slots[3].p = number, array
        slots[1].p, slots[2].p = lists
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        code = self._library.emulator_prepare(
            self._kernel, slots, ctypes.byref(size), ctypes.byref(executor)
        )
        for handle in (*lists, array):
            self._library.aclDestroyTensor(ctypes.c_void_p(handle))
        if code:
            raise RuntimeError(f"the emulated CANN answers {code} to a call of DVM")
        assert executor.value
        return executor.value

    def _create(self, function: str, *arguments: Any) -> int:
        create = self._library[
            function
        ]  # not the function of this name that others may have set up
        create.restype = ctypes.c_void_p
        made: int = create(*arguments)
        return made

    def _tensor(self, x: Tensor, *, viewed: bool = False) -> int:
        """Describe the memory that a program reads or writes: row by row, or by strides."""
        strides = x.stride() if viewed else torch.empty(x.shape, device="meta").stride()
        shape, n = _int64(x.shape), ctypes.c_uint64(x.dim())
        return self._create(
            *("aclCreateTensor", shape, n, _NUMBERS[x.dtype], _int64(strides), ctypes.c_int64(0)),
            *(2, shape, n, ctypes.c_void_p(x.data_ptr())),
        )

    def _list(self, tensors: Any) -> int:
        handles = list(tensors)
        return self._create("aclCreateTensorList", _int64(handles), ctypes.c_uint64(len(handles)))


def _int64(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(values))(*values)


def _words(x: float) -> tuple[int, int]:
    """Return a number as two integers: whether it is a float, and its bits."""
    if isinstance(x, float):
        return 1, struct.unpack("q", struct.pack("d", x))[0]
    return 0, int(x)
