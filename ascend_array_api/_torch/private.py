"""Private names of torch that the package uses: here, and in no other module.

Knows nothing of arrays, specs and operations.

Each private name has a function here, named for its use.  If a torch lacks a name, the import of
the package fails with an error that says so.  ``tests/routes/test_private_torch.py`` checks that
each name still does what it is used for.  All were seen in torch 2.7 to 2.15.

=============================================== ===================================================
name                                            why
=============================================== ===================================================
torch._C._are_functorch_transforms_active       Within torch.func a tensor does not know that it is
                                                differentiated.  No public name says it.
torch._C._functorch.is_functorch_wrapped_tensor Whether a tensor stands for others in vmap.  No
                                                public name says it.
torch.autograd.forward_ad._current_level        Whether forward_ad.dual_level() is entered.  The
                                                only public name is a context manager.
torch._C._functorch.get_unwrapped               What torch.func wraps.  No public name says it.
torch.autograd.graph._engine_run_backward       Whether a thread waits for derivatives, which torch
                                                computes in a thread of an accelerator.  No public
                                                name says whose derivatives a thread computes.
torch._C._current_graph_task_id                 Whether a thread computes derivatives.  No public
                                                name says it.
get_interpreter_stack and TransformType of      Which transformations of torch.func are within each
torch._C._functorch                             other, and whether they take derivatives.  No public
                                                name says it.
_get_fp32_precision_getter and                  Whether products are coarse.  The public name takes
_get_cublas_allow_tf32 of torch._C              three times as long, in every product.
_npu_getOption of torch_npu._C                  The same on NPUs.  The public names take ten times
                                                as long.
_cuda_getCurrentStream of torch._C and          Whether a stream is the one of the last replay of a
_npu_getCurrentStream of torch_npu._C           graph.  The public names take twenty times as long.
_npu_dtype_cast of torch.ops.npu                A cast that torch_npu fuses with other calls, if
                                                asked to.  It fuses neither of the public names.
torch._foreach_copy_                            Several copies by one kernel.  There is no public
                                                name for it.
_create_jit_fn of torch.cuda.jiterator          Elementwise kernels for GPUs from C++, by torch's
                                                own generator, whose documentation uses this name.
_cuda_jiterator_compile_and_launch_kernel       The last step of such a kernel's call.  Calling it
of torch._C                                     directly saves a tenth of the time.
torch.utils._pytree.register_pytree_node        torch.func, vmap and torch.export take arrays apart
                                                by it.  There is no public name for it.
torch.utils._pytree.GetAttrKey                  The name of a part of an array in messages.
torch.utils._pytree.tree_leaves                 The tensors among the arguments of a function.
_neg_view of torch                              A tensor that is marked as a negative.
torch.utils.data._utils.collate                 The loader of data makes batches by it, as its
.default_collate_fn_map                         documentation says; there is no other way in.
_torchdynamo_inline of a function               The compiler traces the function in it instead.  The
                                                public substitute_in_graph imports the compiler.
_torchdynamo_orig_callable and                  torch.compile(function) compiles the function in it
_torchdynamo_wrapper_id of a function           instead; it looks at no other mark of the outermost
                                                function.  No public name does it.
_dynamo_marked_constant of a function           The compiler takes the result for a constant.  The
                                                public assume_constant_result imports the compiler.
torch._C._disabled_torch_function_impl          Classes of tensors without memory that compute by
torch.Tensor._make_wrapper_subclass             __torch_dispatch__ alone need them.  torch's own
                                                examples use these names.
torch._C._ForceDispatchKeyGuard, and            Within a __torch_dispatch__ torch ignores that a
_dispatch_tls_local_exclude_set and             tensor is marked as a conjugate, a negative or
_dispatch_tls_local_include_set                 zeros.  No public name undoes this alone.
_get_backend of a process group                 The backend of a mesh's collectives, to abort it if
                                                a process does not arrive.  No public name does it.
_pg_registry of a device mesh                   Holds the process group to the program's end, since
                                                DTensor keeps the mesh.  No public name gives it up.
_get_default_store of                           Processes tell each other what they do, to find out
torch.distributed.distributed_c10d              that they differ.  There is no public name for it.
_cdata and _new_with_weak_ptr of                The memory of a tensor, and whether any tensor still
torch.UntypedStorage                            has it.  The public name is its address, which later
                                                memory may have too.
_is_view of a tensor                            Whether torch's derivative of a write to it goes by
                                                strides.  No public name says it.
_schema of an operator                          Which operands an operator writes to.
torch._dynamo in sys.modules                    Whether the compiler is imported.  The public
                                                question imports it, which takes seconds.
DisableTorchFunctionSubclass                    Calls a function of torch's that has arrays for
                                                sizes.  Only this name, of torch._C, is documented.
BuiltinVariable._binop_handlers of              The compiler takes a comparison of an object with a
torch._dynamo.variables.builtin                 changing number for False.  No public name tells it
                                                that arrays compare element by element.
=============================================== ===================================================
"""

from __future__ import annotations

import ctypes
import functools
import gc
import operator
import sys
from collections.abc import ItemsView, KeysView
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from torch.autograd import forward_ad

from . import torch
from .pairs import release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from torch import Tensor

    Kernel: TypeAlias = Callable[..., Any]

SEEN: Final = ("2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")
"""The releases of torch in which everything here was seen to work."""


def _named(name: str, use: str) -> Any:
    """Return the object of a dotted private name of torch; ``use`` is for the error."""
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        raise ImportError(
            f"torch {torch.__version__} has no {name}, by which ascend_array_api {use}. "
            f"It is there in torch {SEEN[0]} to {SEEN[-1]}: install one of them."
        ) from None


# --- products -------------------------------------------------------------------------------------

if hasattr(torch._C, "_get_fp32_precision_getter"):  # since torch 2.9
    _precision: Final = _named("torch._C._get_fp32_precision_getter", "sees coarse products")

    def products_in_tf32(device_type: str) -> bool:
        """Say whether products of float32 take 11 binary digits of their operands."""
        return bool(_precision(device_type, "matmul") == "tf32")
else:
    _allowed: Final = _named("torch._C._get_cublas_allow_tf32", "sees coarse products")

    def products_in_tf32(device_type: str) -> bool:  # noqa: ARG001  # the one that has it
        """Say whether products of float32 take 11 binary digits of their operands."""
        return bool(_allowed())


def npu_cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast a tensor on an NPU by the function that torch_npu fuses with others."""
    result: torch.Tensor = getattr(torch.ops, x.device.type)._npu_dtype_cast(x, dtype)
    return result


def npu_option(name: str) -> str:
    """Return an option of torch_npu as it is set now; nothing if it is not set."""
    value: bytes | None = sys.modules["torch_npu"]._C._npu_getOption(name)
    return value.decode() if value else ""


# --- graphs ---------------------------------------------------------------------------------------


def current_stream_of(module: ModuleType, type: str) -> Callable[[int], tuple[int, ...]]:
    """Return a function that returns, for the number of a device, its current stream as integers.

    ``module`` is torch's, or another package's, for this type of devices.
    """
    library = sys.modules[module.__name__.partition(".")[0]]
    found: Callable[[int], tuple[int, ...]] = getattr(library._C, f"_{type}_getCurrentStream")
    return found


copy_all: Final[Callable[[list[Tensor], list[Tensor]], None]] = _named(
    "torch._foreach_copy_", "copies several tensors at once"
)
"""Copy to tensors from others of the same data types."""

# --- derivatives ----------------------------------------------------------------------------------

_named("torch.autograd.forward_ad._current_level", "sees forward-mode differentiation")

in_transform: Final[Callable[[], bool]] = _named(
    "torch._C._are_functorch_transforms_active", "sees transformations of torch.func"
)
"""Say whether a transformation of ``torch.func`` is running."""

is_wrapped: Final[Callable[[Tensor], bool]] = _named(
    "torch._C._functorch.is_functorch_wrapped_tensor", "sees the tensors of torch.vmap"
)
"""Say whether a tensor belongs to a transformation of ``torch.func``."""

_unwrapped: Final[Callable[[Tensor], Tensor]] = _named(
    "torch._C._functorch.get_unwrapped", "sees what torch.func wraps"
)


def innermost(tensor: Tensor) -> Tensor:
    """Return the tensor within all that ``torch.func`` has wrapped around it."""
    while is_wrapped(tensor):
        tensor = _unwrapped(tensor)
    return tensor


_layers: Final[Callable[[], list[Any] | None]] = _named(
    "torch._C._functorch.get_interpreter_stack", "sees derivatives of torch.func"
)
_kinds: Final = _named("torch._C._functorch.TransformType", "sees derivatives of torch.func")


def _running() -> list[Any]:
    """Return the kinds of the running transformations of ``torch.func``, the outermost first."""
    return [layer.key() for layer in _layers() or ()]


def levels() -> int:
    """Return how many transformations of ``torch.func`` are running within each other."""
    return len(_running())


def derivatives() -> int:
    """Return how many of them take derivatives, as ``grad`` and ``jvp`` do."""
    if not in_transform():  # as most often
        return 0
    return sum(kind in (_kinds.Grad, _kinds.Jvp) for kind in _running())


def forward_twice() -> bool:
    """Say whether a forward derivative is being taken of a forward derivative."""
    return in_transform() and _running().count(_kinds.Jvp) > 1


def differentiating() -> bool:
    """Say whether tensors may be differentiated although ``requires_grad`` does not say so."""
    return in_transform() or forward_ad._current_level >= 0


_computes_derivatives: Final = _named(
    "torch.autograd.graph._engine_run_backward", "sees who waits for derivatives"
).__code__


_number_of_derivative: Final[Callable[[], int]] = _named(
    "torch._C._current_graph_task_id", "sees which thread computes derivatives"
)


def derives_for(thread: int) -> bool:
    """Say whether this thread, one of torch's own for a device, derives what another waits for."""
    if _number_of_derivative() < 0:
        return False
    frame = sys._current_frames().get(thread)
    return frame is not None and frame.f_code is _computes_derivatives


def where_differentiated(plain: Kernel, derived: Kernel, operands: int) -> Kernel:
    """Return a function of one or two tensors that calls ``derived`` if they may be tracked.

    It has one function for each number of operands, and repeats the body of ``differentiating()``,
    because this test runs in every call.
    """

    @functools.wraps(plain, assigned=("__name__",), updated=())
    def unary(x: Tensor) -> Any:
        if x.requires_grad or in_transform() or forward_ad._current_level >= 0:
            return derived(x)
        return plain(x)

    @functools.wraps(plain, assigned=("__name__",), updated=())
    def binary(x1: Tensor, x2: Tensor) -> Any:
        if x1.requires_grad or x2.requires_grad or in_transform() or forward_ad._current_level >= 0:
            return derived(x1, x2)
        return plain(x1, x2)

    return binary if operands == 2 else unary


# --- tensors made of tensors ----------------------------------------------------------------------

no_function_rules: Final = _named(
    "torch._C._disabled_torch_function_impl", "makes tensors of parts"
)
"""The ``__torch_function__`` of an object that has no rules for torch's functions.

So have tensors that ``__torch_dispatch__`` alone computes.
"""

without_functions: Final = _named(
    "torch._C.DisableTorchFunctionSubclass", "lets torch look at arrays"
)
"""A context in which torch's functions do not ask their arguments for ``__torch_function__``."""

if not hasattr(torch.Tensor, "_make_wrapper_subclass"):
    _named("torch.Tensor._make_wrapper_subclass", "makes tensors of parts")


def made_of(cls: type, like: Tensor, shape: Sequence[int]) -> Any:
    """Return a tensor of a class without memory, with all but the shape of another one."""
    return torch.Tensor._make_wrapper_subclass(
        cls,
        tuple(shape),
        strides=like.stride(),
        storage_offset=like.storage_offset(),
        dtype=like.dtype,
        device=like.device,
        requires_grad=False,
    )


_guard: Final = _named("torch._C._ForceDispatchKeyGuard", "computes conjugates of parts")
_included: Final = _named(
    "torch._C._dispatch_tls_local_include_set", "computes conjugates of parts"
)
_excluded: Final = _named(
    "torch._C._dispatch_tls_local_exclude_set", "computes conjugates of parts"
)
_keys: Final = torch._C.DispatchKey
_MARKS: Final = functools.reduce(
    operator.or_, map(torch._C.DispatchKeySet, (_keys.Conjugate, _keys.Negative, _keys.ZeroTensor))
)


def with_marks() -> Any:
    """Return a context for ``__torch_dispatch__`` that heeds conjugates, negatives and zeros."""
    return _guard(_included(), _excluded() - _MARKS)


def memory_of(tensor: Tensor) -> int:
    """Return a number that identifies the memory of a tensor, as long as that memory exists."""
    number: int = tensor.untyped_storage()._cdata
    return number


def is_view(tensor: Tensor) -> bool:
    """Say whether autograd treats a tensor as a view of another one."""
    return bool(tensor._is_view())


class Weak:
    """A weak reference to the memory of a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        from torch.multiprocessing.reductions import StorageWeakRef

        self._weak: Any = StorageWeakRef(tensor.untyped_storage())  # type: ignore[no-untyped-call]

    def storage(self) -> torch.UntypedStorage | None:
        """Return the memory, or None if it is gone."""
        made: torch.UntypedStorage | None = torch.UntypedStorage._new_with_weak_ptr(
            self._weak.cdata
        )
        return made


def written_by(operator: Any) -> list[bool]:
    """Return, for each operand of a torch operator, whether the operator writes to it."""
    operands = operator._schema.arguments
    return [a.alias_info is not None and a.alias_info.is_write for a in operands]


# --- kernels --------------------------------------------------------------------------------------


def jit_kernel(generator: ModuleType, code: str, **scalars: float) -> Kernel:
    """Return a function of tensors that computes a C++ template for each element.

    ``generator`` is torch's module for a device type.  The last template in the code computes one
    element; those before it are its helpers.  ``scalars`` are the template's last parameters.
    """
    create = _named(f"{generator.__name__}._create_jit_fn", "makes kernels for GPUs")
    made: Kernel = create(code, **scalars)
    launch = getattr(torch._C, "_cuda_jiterator_compile_and_launch_kernel", None)
    if launch is None:
        return made
    name = made.kernel_name  # type: ignore[attr-defined]

    def jitted(*tensors: Tensor, **scalars: float) -> Any:
        return launch(code, name, False, 1, tensors, scalars)

    return jitted


def collectives_of(device: torch.device, group: Any = None) -> Any:
    """Return the backend that runs collectives of a process group on a device."""
    import torch.distributed as dist

    of: Any = dist.group.WORLD if group is None else group
    return of._get_backend(device)


def release_groups() -> None:
    """Take the process groups from device meshes, which DTensor keeps until the program ends."""
    from torch.distributed.device_mesh import DeviceMesh

    for mesh in gc.get_objects():
        if type(mesh) is DeviceMesh:
            getattr(mesh, "_pg_registry", {}).clear()  # torch 2.13 has it


def keep_for_good(group: Any = None) -> None:
    """Never destroy a process group: torch would wait for collectives that do not end."""
    import torch.distributed as dist

    kept = ctypes.py_object(dist.group.WORLD if group is None else group)
    ctypes.pythonapi.Py_IncRef(kept)


def store_of_processes() -> Any:
    """Return the store that all processes of the default process group share."""
    return _named(
        "torch.distributed.distributed_c10d._get_default_store", "tells what processes do"
    )()


# --- the parts of arrays --------------------------------------------------------------------------

_register: Final = _named("torch.utils._pytree.register_pytree_node", "hands its arrays to torch")
_part: Final = _named("torch.utils._pytree.GetAttrKey", "hands its arrays to torch")

leaves_of: Final[Callable[[Any], list[Any]]] = _named(
    "torch.utils._pytree.tree_leaves", "sees operands of kernels"
)
"""Return the objects in tuples, lists and dictionaries."""


negative_view: Final[Callable[[Tensor], Tensor]] = _named("torch._neg_view", "keeps such marks")
"""Return a tensor that is marked as the negative of another one's elements."""


def register_container(
    cls: type, attribute: str, rebuilt: Callable[[Any, None], Any], name: str
) -> None:
    """Register a class with one attribute as a node of torch's trees."""

    def flatten(x: Any) -> tuple[list[Any], None]:
        return [getattr(x, attribute)], None

    def flatten_with_keys(x: Any) -> tuple[list[tuple[Any, Any]], None]:
        return [(_part(attribute), getattr(x, attribute))], None

    _register(
        cls, flatten, rebuilt, serialized_type_name=name, flatten_with_keys_fn=flatten_with_keys
    )


_collating: Final = _named(
    "torch.utils.data._utils.collate.default_collate_fn_map", "puts its arrays together to batches"
)


def register_batch(cls: type, stacked: Callable[[Any], Any]) -> None:
    """Register a class with torch's data loaders, so that ``stacked`` makes their batches."""

    def collate(batch: Any, *, collate_fn_map: Any = None) -> Any:  # noqa: ARG001
        return stacked(batch)

    _collating[cls] = collate


# --- the compiler ---------------------------------------------------------------------------------


def replace_in_traces(function: Any, replacement: Callable[..., Any]) -> None:
    """Mark a function, so that the compiler traces the replacement instead."""
    function.__dict__ = _Attributes(function.__dict__, _torchdynamo_inline=replacement)
    if _SAFE_OUTERMOST:
        when_compiler_is_there(functools.partial(_compile_through_a_call, function))


class _Attributes(dict[str, Any]):
    """The attributes of a function; a copy lacks the marks for the compiler.

    ``functools.wraps`` copies the attributes of a function to its wrapper.  With these marks the
    compiler would trace the replacement of the function, and leave out the wrapper.
    """

    def __iter__(self) -> Iterator[str]:  # without it, dict.update would not ask for keys()
        return (name for name in super().__iter__() if name not in _TRACED_MARKS)

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        return KeysView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return ItemsView(self)

    def copy(self) -> dict[str, Any]:
        return dict(self)


_TRACED_MARKS: Final = (
    "_torchdynamo_inline",
    "_torchdynamo_orig_callable",
    "_torchdynamo_wrapper_id",
)


def _compile_through_a_call(function: Any) -> None:
    """Have ``torch.compile(function)`` compile a function that calls it.

    The function that is compiled itself is traced whatever its marks; those that it calls are not.
    """

    def call(*operands: Any, **parameters: Any) -> Any:
        return function(*operands, **parameters)

    functools.update_wrapper(call, function, updated=())
    # The compiler keeps, and limits, what it compiled by code: each function needs its own.
    call.__code__ = call.__code__.replace(co_name=function.__name__)
    function._torchdynamo_orig_callable = call
    function._torchdynamo_wrapper_id = id(function)


_SAFE_OUTERMOST: Final = release(torch.__version__) >= (2, 11)
"""Before, the compiler does not look at the identity, and would leave out wrappers."""


def mark_constant(function: Any) -> None:
    """Mark a function, so that the compiler takes its result for a constant."""
    function._dynamo_marked_constant = True


def when_compiler_is_there(prepare: Callable[[], None]) -> None:
    """Call a function as soon as something has imported the compiler, before it traces anything."""
    if "torch._dynamo" in sys.modules:
        prepare()
    else:
        _to_prepare.append(prepare)


_to_prepare: Final[list[Callable[[], None]]] = []


def trace_comparisons(cls: type) -> None:
    """Have the compiler trace a class's comparisons with numbers that change from call to call.

    By itself it takes such a comparison for False.  This changes the compiler once something else
    imports its part for operators, because that import takes seconds.
    """
    name = "torch._dynamo.variables.builtin"

    def tell(module: ModuleType) -> None:
        user, number = module.UserDefinedObjectVariable, module.SymNodeVariable
        handlers = module.BuiltinVariable._binop_handlers()
        for method, (compare, reflected) in _COMPARISONS.items():

            def forward(tx: Any, x: Any, value: Any, method: str = method) -> Any:
                return x.call_method(tx, method, [value], {}) if x.value_type is cls else None

            def backward(tx: Any, value: Any, x: Any, method: str = reflected) -> Any:
                return x.call_method(tx, method, [value], {}) if x.value_type is cls else None

            handlers[compare][:0] = [((user, number), forward), ((number, user), backward)]
        module.BuiltinVariable.call_function_handler_cache.clear()

    if name in sys.modules:
        tell(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Awaited(name, tell))


_COMPARISONS: Final = {
    "__lt__": (operator.lt, "__gt__"),
    "__le__": (operator.le, "__ge__"),
    "__gt__": (operator.gt, "__lt__"),
    "__ge__": (operator.ge, "__le__"),
    "__eq__": (operator.eq, "__eq__"),
    "__ne__": (operator.ne, "__ne__"),
}
"""The methods of comparisons: their operators, and the methods with operands exchanged."""


class _Awaited:
    """A finder of modules that calls a function after one module is imported."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name = name
        self.then = then

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Return the spec of the other finders, extended by the call."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self.then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _prepare_all(_: ModuleType) -> None:
    for prepare in _to_prepare:
        prepare()
    _to_prepare.clear()


if "torch._dynamo" not in sys.modules:
    sys.meta_path.insert(0, _Awaited("torch._dynamo", _prepare_all))
