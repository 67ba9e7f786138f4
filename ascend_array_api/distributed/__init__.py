"""Arrays over several devices: a mesh of them is a device like any other.

A program that creates its arrays on a mesh computes on all of its devices: each process runs the
same program, and has a part of every large array.  ``init`` makes the mesh; everything else is the
namespace's own functions.

>>> import ascend_array_api as xp
>>> import ascend_array_api.distributed as xd
>>> mesh = xd.init("cpu", simulate=2)  # without ``simulate``: one process for each device
>>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], device=mesh)
>>> xd.layout(x)
Layout(axis=0, sizes=(2, 1))
>>> float(xp.sum(x))
21.0
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from .._arrays.array import Array, awaited, wrap
from .._arrays.axes import normalize_axis
from .._backends.mesh._agreement import OPERATIONS
from .._backends.mesh._mesh import Mesh
from .._backends.mesh._moves import numbers_of, put_together
from .._backends.mesh._reach import strides_of
from .._backends.mesh._sharded import Sharded, apart, joined_parts, laid
from .._backends.mesh._transport import Processes, Simulated
from .._backends.mesh._watch import Watch
from .._calls.interchange import asarray, released
from .._devices.device import Device, DeviceLike, add_mesh, parse, spec
from .._errors.exceptions import RanksError, foreign
from .._errors.foreign_calls import answering
from .._options.defaults import resolve
from .._reports.gathers import Gather, GatherError, GatherWarning, gather_report
from .._torch import dtypes as dt
from .._torch import torch
from .._torch.private import collectives_of, release_groups

dist = torch.distributed
if dist.is_available():
    # Its functions take the default group that there is at their import, for good. Imported later,
    # by DTensor or a dispatch mode, they would keep a group beyond its end, with gloo's threads.
    import torch.distributed.nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import DTensor

    from .._backends.mesh._transport import Transport
else:  # typing.get_type_hints finds the names, and imports nothing for them
    DeviceMesh = DTensor = ProcessGroup = Any

__all__ = [
    "Gather",
    "GatherError",
    "GatherWarning",
    "Layout",
    "RanksError",
    "from_dtensor",
    "from_parts",
    "gather",
    "gather_report",
    "init",
    "layout",
    "load",
    "parts",
    "rank",
    "replicate",
    "save",
    "shard",
    "to_dtensor",
]


@dataclass(frozen=True)
class Layout:
    """How an array is divided.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> xd.layout(xp.zeros((5, 2), device=xd.init("cpu", simulate=3)))
    Layout(axis=0, sizes=(2, 2, 1))
    """

    axis: int | None
    """The axis along which it is divided; None if every process has the whole."""
    sizes: tuple[int, ...]
    """The sizes of the parts along the axis; empty if it is not divided."""


@answering
def init(
    device: DeviceLike | DeviceMesh | None = None,
    *,
    simulate: int | None = None,
    timeout: float = 300.0,
    agree: bool | Literal["operations"] | None = None,
    group: ProcessGroup | None = None,
) -> Device:
    """Return the mesh of the devices of all processes that run this program, or of a group of them.

    Each of these processes is to call it; called again, it returns the same mesh.  ``python -m
    torch.distributed.run --nproc-per-node 8 program.py`` starts eight; a process that was started
    alone is a mesh of its own.

    Parameters
    ----------
    device : Device, str or DeviceMesh, optional
        The type of the devices, or the one of this process; by default the default device.  Of a
        type with several devices each process takes that of its ``LOCAL_RANK``.  Torch's own
        ``DeviceMesh`` of one dimension says both the type and the processes.
    simulate : int, optional
        The number of parts that this process is to have, with no others: for tests.
    timeout : float, default: 300.0
        How many seconds a process waits for the others before it raises.
    agree : bool or "operations", optional
        Whether the processes compare what they compute, and on which line, and raise ``RanksError``
        where that differs; by default on CPUs alone, because it makes accelerators wait at each
        exchange.  ``"operations"`` leaves out the lines.
    group : ProcessGroup, optional
        Torch's group of the processes; by default the default group, which ``init`` starts if the
        program did not.

    Returns
    -------
    Device
        The mesh, for ``device=`` in every function.

    Raises
    ------
    ValueError
        If there is no such device, ``simulate`` is not positive, ``agree`` is none of the above,
        this process is not in the group, or the ``DeviceMesh`` has several dimensions.
    RuntimeError
        If the other processes are not there in time, or known bytes do not arrive as they were.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> mesh = xd.init("cpu", simulate=2)
    >>> mesh
    Device('mesh(cpu, 2, simulated)')
    >>> with xp.options(device=mesh):
    ...     xp.arange(5).device == mesh
    True
    """
    device, group = _processes_of(device, group)
    if agree not in {None, True, False, OPERATIONS}:
        raise ValueError(f"init: agree must be True, False or {OPERATIONS!r}, got {agree!r}.")
    if simulate is not None:
        if group is not None:
            raise ValueError("init: simulated parts are all in this process; leave out the group.")
        if simulate < 1:
            raise ValueError(f"init: simulate must be a positive number of parts, got {simulate}.")
        return simulated(simulate, _one(device))
    return of_processes(of_this_process(device), timeout, agree=agree, group=group)


def _processes_of(
    device: DeviceLike | DeviceMesh | None, group: ProcessGroup | None
) -> tuple[DeviceLike | None, ProcessGroup | None]:
    """Return the device and the group that are given: a DeviceMesh says both."""
    if device is None or isinstance(device, (str, torch.device, Device)):
        return device, group
    from torch.distributed.device_mesh import DeviceMesh

    if not isinstance(device, DeviceMesh):
        return device, group  # it is refused as for any other function
    if group is not None:
        raise ValueError("init: a DeviceMesh says which processes take part; leave out the group.")
    if device.ndim != 1:
        name = (device.mesh_dim_names or ("name",))[0]
        raise ValueError(
            f"init: expected a DeviceMesh of one dimension, got {device.ndim}. Pass one dimension "
            f"of it, as in device_mesh[{name!r}]."
        )
    return device.device_type, device.get_group()


def of_processes(
    local: Device,
    timeout: float,
    least: int | None = None,
    *,
    agree: bool | Literal["operations"] | None = None,
    group: ProcessGroup | None = None,
) -> Device:
    """Return the mesh of the processes of a group, each with one device; see ``Mesh``."""
    _begin(local, timeout)
    if dist.get_rank(group) < 0:
        raise ValueError("init: this process is not in the group, and takes no part in the mesh.")
    of = _of(group)
    # Where kernels are launched and not waited for, the host has nothing to time.
    patience = None if local.backend.asynchronous else timedelta(seconds=timeout)

    def transport() -> Processes:
        adds, watch = local.backend.adds, _watch(local, timeout, of)
        made = Processes(watch, agree=patience is not None, adds=adds, group=of[0])
        if made.size > 1:
            made.patience = patience
            made.probe(local.torch_device)
        return made

    mesh = _mesh(of, transport, local, least)
    made = _backend(mesh).transport
    assert isinstance(made, Processes)
    made.take()
    made.patience = patience
    if agree is not None:
        made.compare(agree)
    return mesh


_MARGIN: Final = 60.0
"""Seconds by which torch's time limit exceeds the watch's, whose error says more."""
_Of = tuple["ProcessGroup | None", int, int]
_watches: Final[dict[_Of, Watch]] = {}
"""The watches of groups."""


def _of(group: ProcessGroup | None) -> _Of:
    """Return a group, None for the default one, and this process's number of how many.

    A program may end the default group and begin it again with other processes.
    """
    own = None if group is dist.group.WORLD else group
    return own, dist.get_rank(group), dist.get_world_size(group)


def _watch(local: Device, timeout: float, of: _Of) -> Watch | None:
    """Return the watch of the processes' collectives, or None if their library keeps the limit."""
    if not local.backend.told_late:
        return None
    if of not in _watches:
        event = local.backend.module.Event

        def mark() -> Any:
            made = event()
            made.record()
            return made

        def abort() -> None:
            collectives_of(local.torch_device, of[0]).abort()

        _watches[of] = Watch(timeout, mark, abort)
    return _watches[of]


def simulated(size: int, local: Device, least: int | None = None) -> Device:
    """Return a mesh whose parts are all in this process, on one device; see ``Mesh``."""
    return _mesh(size, lambda: Simulated(size), local, least)


def _one(device: DeviceLike | None) -> Device:
    found = resolve(None if device is None else parse(device, "init"), "init")
    if found.local is not found:
        raise ValueError(f"init: a mesh is made of devices, and {found} is one already.")
    return found


def of_this_process(device: DeviceLike | None) -> Device:
    """Return this process's device among those of a type, and make it the current one."""
    found = _one(device)
    rank = os.environ.get("LOCAL_RANK")
    if rank is None or not found.backend.numbered:
        return found
    chosen = parse(f"{found.type}:{rank}", "init")
    found.backend.module.set_device(chosen.torch_device)
    return chosen


def _begin(local: Device, timeout: float) -> None:
    """Start torch's default process group for a device if there is none."""
    if not dist.is_available():
        raise RuntimeError("init: this build of torch has no torch.distributed.")
    if not dist.is_initialized():
        alone: dict[str, Any] = {}
        if "RANK" not in os.environ:
            alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}  # type: ignore[attr-defined]
        wait = timedelta(seconds=timeout + _MARGIN * local.backend.told_late)
        dist.init_process_group(local.backend.collectives, timeout=wait, **alone)
        atexit.register(_end)  # gloo's threads would crash the process if they outlived Python


def _end() -> None:
    for watch in _watches.values():
        watch.end()
    if dist.is_initialized() and not any(watch.failed for watch in _watches.values()):
        _device_mesh.cache_clear()
        release_groups()
        dist.destroy_process_group()


_made: Final[dict[Any, Device]] = {}


def _mesh(
    of: Any, transport: Callable[[], Transport], local: Device, least: int | None = None
) -> Device:
    """Return the one mesh of some ranks."""
    if (of, local, least) not in _made:
        backend = Mesh(transport(), local, least)
        _made[of, local, least] = add_mesh(backend, backend.key, backend.name, local)
    return _made[of, local, least]


def _mesh_of(function: str, device: DeviceLike | None, x: object = None) -> Device:
    """Return the mesh to use: the given one, else the array's own, else the default device."""
    if device is None and isinstance(x, Array) and x.device.local is not x.device:
        return x.device
    found = resolve(None if device is None else parse(device, function), function)
    if found.local is found:
        raise ValueError(
            f"{function}: expected a mesh, got {found}. Pass the device that "
            "distributed.init() returned, or make it the default with options(device=mesh)."
        )
    return found


def _array(function: str, x: object) -> Array:
    """Return an array as it is; raise for anything else."""
    if not isinstance(x, Array):
        raise foreign(function, x)
    return x


def _backend(mesh: Device) -> Mesh:
    backend = mesh.backend
    assert isinstance(backend, Mesh)
    return backend


@answering
def rank(device: DeviceLike | None = None) -> int:
    """Return the number of this process among those of a mesh.

    Parameters
    ----------
    device : Device or str, optional
        The mesh; by default the default device.

    Returns
    -------
    int
        From 0 on; 0 where all parts are simulated.

    Raises
    ------
    ValueError
        If the device is no mesh.

    Examples
    --------
    >>> import ascend_array_api.distributed as xd
    >>> if xd.rank(xd.init("cpu", simulate=2)) == 0:
    ...     print("once, whatever the number of processes")
    once, whatever the number of processes
    """
    return _backend(_mesh_of("rank", device)).ranks[0]


@answering
def shard(x: Any, axis: int = 0, *, device: DeviceLike | None = None) -> Array:
    """Divide an array along an axis over the devices of a mesh.

    Parameters
    ----------
    x : Array or object
        An array, or what ``asarray`` makes one of; every process is to give the same.
    axis : int, default: 0
        The axis.
    device : Device or str, optional
        The mesh; by default that of the array, or the default device.

    Returns
    -------
    Array
        The array on the mesh.  Of ``n`` elements each part has ``ceil(n / size)``, the last ones
        fewer, or none.

    Raises
    ------
    ValueError
        If there is no such axis, or the device is no mesh.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xd.shard(xp.ones((2, 5), device="cpu"), axis=1, device=xd.init("cpu", simulate=2))
    >>> xd.layout(x)
    Layout(axis=1, sizes=(3, 2))
    """
    mesh = _mesh_of("shard", device, x)
    array = asarray(x, device=mesh)
    tensor, backend = array._tensor, _backend(mesh)
    at = normalize_axis("shard", axis, tensor.dim())
    if type(tensor) is Sharded and tensor.axis == at:
        return array
    return wrap(laid(backend, tensor, at), array._spec, array)


@answering
def replicate(x: Any, *, device: DeviceLike | None = None) -> Array:
    """Give every process of a mesh the whole of an array.

    Parameters
    ----------
    x : Array or object
        An array, or what ``asarray`` makes one of.
    device : Device or str, optional
        The mesh; by default that of the array, or the default device.

    Returns
    -------
    Array
        The array on the mesh.

    Raises
    ------
    ValueError
        If the device is no mesh.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xd.replicate(xp.ones(5, device="cpu"), device=xd.init("cpu", simulate=2))
    >>> xd.layout(x)
    Layout(axis=None, sizes=())
    """
    mesh = _mesh_of("replicate", device, x)
    array = asarray(x, device=mesh)
    return wrap(_backend(mesh).collect(array._tensor), array._spec, array)


@answering
def from_parts(part: Any, axis: int = 0, *, device: DeviceLike | None = None) -> Array:
    """Make one array of the part that each process has.

    Parameters
    ----------
    part : Array or object
        This process's part, or a list of the parts of all where they are simulated.  Parts may
        differ in size along the axis.
    axis : int, default: 0
        The axis along which the parts are put one after the other.
    device : Device or str, optional
        The mesh; by default the default device.

    Returns
    -------
    Array
        The array on the mesh, divided as ``shard`` divides it.

    Raises
    ------
    ValueError
        If the parts differ in data type, or in shape apart from the axis, or the device is no mesh.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> mesh = xd.init("cpu", simulate=2)
    >>> x = xd.from_parts([xp.arange(3, device="cpu"), xp.arange(2, device="cpu")], device=mesh)
    >>> xd.layout(x), xd.gather(x)
    (Layout(axis=0, sizes=(3, 2)), Array([0, 1, 2, 0, 1], dtype=int64, device='cpu'))
    """
    mesh = _mesh_of("from_parts", device)
    backend = _backend(mesh)
    given = part if len(backend.ranks) > 1 else [part]
    arrays = [asarray(p, device=mesh.local) for p in given]
    first = arrays[0]
    at = normalize_axis("from_parts", axis, first.ndim)
    shapes = _shapes(backend, arrays)
    if len({(*s[:at], *s[at + 1 :]) for s in shapes}) > 1:
        raise ValueError(f"from_parts: the parts differ in shape apart from axis {at}: {shapes}.")
    sizes = [s[at] for s in shapes]
    tensors = [a._tensor for a in arrays]
    return wrap(put_together(backend, sizes, at, *tensors), spec(first.dtype, mesh), arrays)


@answering
def from_dtensor(x: DTensor) -> Array:
    """Return torch's DTensor as an array on the mesh of its ``DeviceMesh``.

    Each process keeps its part, and its memory.  Derivatives go on in the DTensor.

    Parameters
    ----------
    x : DTensor
        A tensor on a ``DeviceMesh`` of one dimension.  One that is divided along an axis, as torch
        divides, or replicated is not copied; of any other every process gets the whole.

    Returns
    -------
    Array
        An array with the same layout.

    Raises
    ------
    TypeError
        If ``x`` is no DTensor.
    ValueError
        If the ``DeviceMesh`` has several dimensions, this process is not in it, or its part is not
        as large as torch divides.

    See Also
    --------
    to_dtensor : the way back.

    Examples
    --------
    >>> import torch
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xp.ones((4, 2), device=xd.init("cpu"))
    >>> y = torch.relu(xd.to_dtensor(x))  # a function of torch on all parts
    >>> xd.layout(xd.from_dtensor(y))
    Layout(axis=0, sizes=(4,))
    """
    if not dist.is_available():
        raise RuntimeError("from_dtensor: this build of torch has no torch.distributed.")
    from torch.distributed.tensor import DTensor, Replicate, Shard

    if not isinstance(x, DTensor):
        raise foreign("from_dtensor", x)
    where, group = _processes_of(x.device_mesh, None)
    own = of_this_process(where)
    mesh = _made.get((_of(group), own, None)) or of_processes(own, 300.0, group=group)
    (placement,) = x.placements
    axis = placement.dim % x.ndim if type(placement) is Shard else None
    if axis is None:
        x = x.redistribute(placements=[Replicate()])
    local = asarray(x.to_local(), device=mesh.local)
    made = local._tensor
    if axis is not None:
        n, least = made.shape[axis], _backend(mesh).extents(x.shape[axis])[0][1]
        if n != least:
            raise ValueError(
                f"from_dtensor: this process has {n} along axis {axis}, where torch divides so "
                f"that it has {least}. Pass x.to_local() to from_parts() instead."
            )
        made = joined_parts(_backend(mesh), axis, x.shape, made)
    return wrap(made, spec(local.dtype, mesh))


@answering
def to_dtensor(x: Array) -> DTensor:
    """Return an array on a mesh of processes as torch's DTensor, with the same layout.

    Each process keeps its part, and its memory.  Derivatives go on in the array.

    Parameters
    ----------
    x : Array
        An array on a mesh of processes.

    Returns
    -------
    DTensor
        A tensor on a ``DeviceMesh`` of one dimension.

    Raises
    ------
    TypeError
        If ``x`` is no Array.
    ValueError
        If it is not on a mesh, or on one whose parts are simulated.

    See Also
    --------
    from_dtensor : the way back.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> d = xd.to_dtensor(xp.ones((4, 2), device=xd.init("cpu")))
    >>> d.placements
    (Shard(dim=0),)
    """
    transport = _backend(_mesh_of("to_dtensor", _array("to_dtensor", x).device)).transport
    if not isinstance(transport, Processes):
        raise ValueError(  # noqa: TRY004  # its type is right
            "to_dtensor: expected an array on a mesh of processes, got simulated parts."
        )
    from torch.distributed.tensor import DTensor, Replicate, Shard

    group = dist.group.WORLD if transport.group is None else transport.group
    tensor, where = released(x), _device_mesh(group, x.device.local.type)
    if type(tensor) is not Sharded:
        return DTensor.from_local(tensor, where, [Replicate()], run_check=False)
    (part,) = apart(tensor)
    layout: Any = {"shape": tensor.shape, "stride": strides_of(tensor)}
    return DTensor.from_local(part, where, [Shard(tensor.axis)], run_check=False, **layout)


@cache
def _device_mesh(group: Any, kind: str) -> DeviceMesh:
    from torch.distributed.device_mesh import DeviceMesh

    return DeviceMesh.from_group(group, kind)


_DIMENSIONS = 64
"""The greatest number of dimensions of torch's tensors."""


def _shapes(backend: Mesh, arrays: list[Array]) -> list[tuple[int, ...]]:
    """Return the shapes of all ranks' parts, which have one data type."""
    numbers = list(dt.NAMES)
    rows = [[a.ndim, numbers.index(a.dtype), *a.shape] for a in arrays]
    rows = [row + [0] * (_DIMENSIONS + 2 - len(row)) for row in rows]
    found = numbers_of(backend, rows)
    if len({(ndim, number) for ndim, number, *_ in found}) > 1:
        raise ValueError("from_parts: the parts differ in data type or in number of axes.")
    return [tuple(sizes[:ndim]) for ndim, _, *sizes in found]


@answering
def layout(x: Array) -> Layout:
    """Say how an array is divided.

    Parameters
    ----------
    x : Array
        An array.

    Returns
    -------
    Layout
        The axis, and the sizes of all parts along it.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> mesh = xd.init("cpu", simulate=2)
    >>> xd.layout(xp.zeros(3, device=mesh)), xd.layout(xp.zeros((), device=mesh))
    (Layout(axis=0, sizes=(2, 1)), Layout(axis=None, sizes=()))
    """
    t = _array("layout", x)._tensor
    if type(t) is not Sharded:
        return Layout(None, ())
    return Layout(t.axis, tuple(t.lengths))


@answering
def parts(x: Array) -> list[Array]:
    """Return the parts that this process has of an array, which share memory with it.

    Parameters
    ----------
    x : Array
        An array on a mesh.

    Returns
    -------
    list of Array
        One array on the device of this process; several where they are simulated; the whole if it
        is not divided.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> xd.parts(xp.arange(3, device=xd.init("cpu", simulate=2)))
    [Array([0, 1], dtype=int64, device='cpu'), Array([2], dtype=int64, device='cpu')]
    """
    t = _array("parts", x)._tensor
    own = apart(t) if type(t) is Sharded else (t,)
    return [wrap(p, spec(x.dtype, x.device.local), t) for p in own]


@answering
def gather(x: Array) -> Array:
    """Return the whole of an array, in every process, on its own device.

    Parameters
    ----------
    x : Array
        An array on a mesh.

    Returns
    -------
    Array
        A copy on the device of this process.  ``replicate`` leaves it on the mesh.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> xd.gather(xp.arange(3, device=xd.init("cpu", simulate=2)))
    Array([0, 1, 2], dtype=int64, device='cpu')
    """
    return _array("gather", x).to_device(x.device.local)


@answering
def save(arrays: Mapping[str, Array], path: str | os.PathLike[str]) -> None:
    """Write arrays to a folder: each process its part.

    Every process is to call it, with the same names.  The folder is a checkpoint as
    ``torch.distributed.checkpoint`` writes them, which other programs of torch read too.

    Parameters
    ----------
    arrays : mapping of str to Array
        Arrays on one mesh, by name.
    path : str or path
        The folder, which all processes see; it is made.

    Raises
    ------
    TypeError
        If what is given is not a mapping of arrays.
    ValueError
        If they are not on one mesh, or there is none.

    See Also
    --------
    load : Reads them.

    Examples
    --------
    >>> import tempfile
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> x = xp.arange(5, device=xd.init("cpu", simulate=2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     xd.save({"x": x}, folder)
    ...     xd.layout(xd.load(folder, device=xd.init("cpu", simulate=3))["x"])
    Layout(axis=0, sizes=(2, 2, 1))
    """
    items = {name: _array(f"save: {name}", x) for name, x in dict(arrays).items()}
    meshes = {x.device for x in items.values()}
    if len(meshes) != 1 or next(iter(meshes)).local in meshes:
        raise ValueError(
            f"save: expected arrays on one mesh, got {', '.join(map(str, meshes)) or 'none'}. "
            "Put them on it by shard or replicate."
        )
    from . import _checkpoints

    tensors = {name: awaited(x._tensor, x._spec.device) for name, x in items.items()}
    _checkpoints.save(tensors, path, _backend(meshes.pop()))


@answering
def load(path: str | os.PathLike[str], *, device: DeviceLike | None = None) -> dict[str, Array]:
    """Read what ``save`` has written, on any number of processes: each reads its part.

    Load what you trust: torch keeps what it knows of the files as a pickle, which can run any code.

    Parameters
    ----------
    path : str or path
        The folder, which all processes see.
    device : Device or str, optional
        The mesh; by default the default device.

    Returns
    -------
    dict of str to Array
        The arrays by name.  What was divided over several processes is divided along the same
        axis; anything else as a new array is.

    Raises
    ------
    ValueError
        If the device is no mesh, or the folder holds other things than tensors.

    See Also
    --------
    save : Writes them; its example reads them too.

    Examples
    --------
    >>> import tempfile
    >>> import ascend_array_api as xp
    >>> import ascend_array_api.distributed as xd
    >>> mesh = xd.init("cpu", simulate=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     xd.save({"x": xd.shard(xp.ones((2, 5), device=mesh), axis=1)}, folder)
    ...     xd.layout(xd.load(folder, device=mesh)["x"])
    Layout(axis=1, sizes=(3, 2))
    """
    mesh = _mesh_of("load", device)
    from . import _checkpoints

    tensors = _checkpoints.load(path, _backend(mesh))
    return {name: wrap(t, spec(t.dtype, mesh)) for name, t in tensors.items()}
