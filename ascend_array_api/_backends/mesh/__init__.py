"""Several devices as one, each with a part of every large array.

An array on a mesh holds one of two kinds of tensors: a plain one, replicated in every process, or a
``Sharded`` one, divided along one axis.  So one device has arrays of both layouts.
"""

from __future__ import annotations

from typing import Final

from ..._devices.backend import Backend, modules_of


class MeshBackend(Backend):
    """The backend of all meshes: it names the rows that they share."""

    copies_views = True

    rows = modules_of(
        __name__,
        "along creation decompositions elementwise moving ordering products reductions selecting",
    )
    usual = f"{__name__}._dispatch"


BACKEND: Final = MeshBackend("mesh")
