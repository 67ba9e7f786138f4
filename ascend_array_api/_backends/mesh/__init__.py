"""Several devices as one, each with a part of every large array.

An array on a mesh holds one of two kinds of tensors: a plain one, which every process has as a
whole, or a ``Sharded`` one, divided along one axis.  So layouts mix within one device.
"""

from __future__ import annotations

from typing import Final

from .._backend import Backend


class MeshBackend(Backend):
    """What all meshes share."""

    copies_views = True

    rows = tuple(
        f"{__name__}.{topic}"
        for topic in (
            "along",
            "creation",
            "decompositions",
            "elementwise",
            "moving",
            "ordering",
            "products",
            "reductions",
            "selecting",
        )
    )
    usual = f"{__name__}.gathering"


BACKEND: Final = MeshBackend("mesh")
