"""Files of arrays on a mesh: each process writes and reads its part, by torch's checkpoints."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from torch.distributed.checkpoint import (
    default_planner,
    metadata,
    planner,
    state_dict_loader,
    state_dict_saver,
)
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.planner_helpers import create_read_items_for_chunk_list

from .._backends.mesh._mesh import Mesh
from .._backends.mesh._sharded import Sharded, resized
from .._backends.mesh._transport import Processes
from .._torch import Tensor, torch


def pieces(tensor: Tensor) -> Iterator[tuple[torch.Size, Tensor]]:
    """Return what this process has of a tensor, and where in the whole that begins."""
    if type(tensor) is not Sharded:
        yield torch.Size([0] * tensor.dim()), tensor
        return
    for rank, part, (start, length) in zip(tensor.mesh.ranks, tensor.parts, tensor.extents):
        if length or not rank:  # if all parts are empty, the first one stands for them
            yield torch.Size(resized([0] * tensor.dim(), tensor.axis, start)), part


class _Parts:
    """The base of both planners, which know this process's parts of tensors by name."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        super().__init__(flatten_state_dict=False, flatten_sharded_tensors=False)  # type: ignore[call-arg]
        self._tensors = tensors

    def _part(self, index: metadata.MetadataIndex) -> Tensor:
        return next(p for offsets, p in pieces(self._tensors[index.fqn]) if offsets == index.offset)


class _Saving(_Parts, default_planner.DefaultSavePlanner):
    """A planner that writes this process's parts of tensors by name."""

    def create_local_plan(self) -> planner.SavePlan:
        items = [
            planner.WriteItem(
                index=metadata.MetadataIndex(name, offsets),
                type=planner.WriteItemType.SHARD,
                tensor_data=planner.TensorWriteData(
                    chunk=metadata.ChunkStorageMetadata(offsets=offsets, sizes=part.shape),
                    properties=metadata.TensorProperties.create_from_tensor(part),
                    size=tensor.shape,
                ),
            )
            for name, tensor in self._tensors.items()
            for offsets, part in pieces(tensor)
        ]
        self.plan = planner.SavePlan(items)
        return self.plan

    def lookup_object(self, index: metadata.MetadataIndex) -> Any:
        return self._part(index).detach().resolve_conj().resolve_neg().contiguous()


class _Loading(_Parts, default_planner.DefaultLoadPlanner):
    """A planner that reads this process's parts, however the tensors were divided when saved."""

    def create_local_plan(self) -> planner.LoadPlan:
        assert self.metadata is not None
        items = []
        for name, tensor in self._tensors.items():
            saved = self.metadata.state_dict_metadata[name]
            assert isinstance(saved, TensorStorageMetadata)
            wanted = [
                metadata.ChunkStorageMetadata(offsets=offsets, sizes=part.shape)
                for offsets, part in pieces(tensor)
            ]
            items += create_read_items_for_chunk_list(name, saved, wanted)
        return planner.LoadPlan(items)

    def lookup_tensor(self, index: metadata.MetadataIndex) -> Tensor:
        return self._part(index)


def _run(function: Any, tensors: Mapping[str, Tensor], mesh: Mesh, **options: Any) -> None:
    """Call a checkpoint function of torch for the processes of a mesh."""
    transport = mesh.transport
    who: dict[str, Any] = {"no_dist": True}
    if isinstance(transport, Processes):
        who = {"process_group": _talking(transport.group)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.distributed is disabled", UserWarning)
        # Up to torch 2.10, torch uses its own deprecated names here.
        warnings.filterwarnings("ignore", "TypedStorage is deprecated", UserWarning)
        function(dict(tensors), **who, **options)


@cache
def _talking(group: Any) -> Any:
    """Return a group of the same processes for metadata of files, which is on the host."""
    import torch.distributed as dist

    if dist.get_backend(group) == "gloo":
        return group
    ranks = dist.get_process_group_ranks(group)
    return dist.new_group(ranks, backend="gloo", use_local_synchronization=True)


def save(tensors: Mapping[str, Tensor], path: str | os.PathLike[str], mesh: Mesh) -> None:
    """Write the parts of tensors."""
    _run(state_dict_saver.save, tensors, mesh, checkpoint_id=path, planner=_Saving(tensors))


def load(path: str | os.PathLike[str], mesh: Mesh) -> dict[str, Tensor]:
    """Read tensors, divided along the axis of the saved parts, or like new tensors."""
    saved = FileSystemReader(path).read_metadata().state_dict_metadata
    others = [name for name, x in saved.items() if not isinstance(x, TensorStorageMetadata)]
    if others:
        raise ValueError(f"load: {path} holds other things than arrays: {', '.join(others)}.")
    lacking = [name for name, found in saved.items() if not _is_whole(found)]
    if lacking:
        raise ValueError(f"load: {path} lacks parts of {', '.join(lacking)}.")
    tensors = {name: _empty(found, mesh) for name, found in saved.items()}
    _run(state_dict_loader.load, tensors, mesh, checkpoint_id=path, planner=_Loading(tensors))
    return tensors


def _is_whole(found: Any) -> bool:
    """Say whether the chunks listed in the metadata, which do not overlap, are a whole tensor."""
    chunks = {(tuple(c.offsets), tuple(c.sizes)) for c in found.chunks}
    return bool(sum(math.prod(sizes) for _, sizes in chunks) == math.prod(found.size))


def _empty(found: Any, mesh: Mesh) -> Tensor:
    """Return an empty tensor to read a saved one into."""
    shape, here = tuple(found.size), mesh.local.torch_device
    begins = {axis for chunk in found.chunks for axis, at in enumerate(chunk.offsets) if at}
    axis = min(begins) if begins else 0
    if not shape or (not begins and shape[0] < mesh.least):
        return torch.empty(shape, dtype=found.properties.dtype, device=here)
    own = mesh.shapes(shape, axis)
    parts = [torch.empty(s, dtype=found.properties.dtype, device=here) for s in own]
    return Sharded(parts, axis, mesh, shape)
