"""Inspection: ``__array_namespace_info__``, the namespace's capabilities, devices and data types.

Computes nothing: it asks the defaults, the devices and the data types.

https://data-apis.org/array-api/2023.12/API_specification/inspection.html
"""

from __future__ import annotations

from typing import TypedDict, final

import torch

from .._devices.device import AnyDevice, Device
from .._options import defaults, settings
from .._torch import dtypes as dt
from .data_type import dtypes_of_kind

Capabilities = TypedDict("Capabilities", {"boolean indexing": bool, "data-dependent shapes": bool})
DefaultDTypes = TypedDict(
    "DefaultDTypes",
    {
        "real floating": "torch.dtype",
        "complex floating": "torch.dtype",
        "integral": "torch.dtype",
        "indexing": "torch.dtype",
    },
)


def capabilities() -> Capabilities:
    """Return the capabilities that the options leave."""
    now = settings.current()
    return {
        "boolean indexing": now.boolean_indexing,
        "data-dependent shapes": now.data_dependent_shapes,
    }


class Info:
    """The methods that are the same in all versions of the standard."""

    def default_device(self) -> Device:
        """Return the device on which arrays are created unless one is named.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> xp.__array_namespace_info__().default_device() == xp.zeros(1).device
        True
        """
        return defaults.device()

    def default_dtypes(self, *, device: AnyDevice = None) -> DefaultDTypes:
        """Return the data types that results have unless one is named: the same on every device.

        Parameters
        ----------
        device : Device or str, optional
            A device.

        Returns
        -------
        dict
            The data types for ``"real floating"``, ``"complex floating"``, ``"integral"`` and
            ``"indexing"``.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> xp.__array_namespace_info__().default_dtypes()["real floating"]
        torch.float32
        """
        defaults.resolve(device, "default_dtypes")
        return {
            "real floating": defaults.float_dtype(),
            "complex floating": defaults.complex_dtype(),
            "integral": defaults.int_dtype(),
            "indexing": dt.int64,
        }

    def dtypes(
        self, *, device: AnyDevice = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, torch.dtype]:
        """Return the standard's data types by name.

        Parameters
        ----------
        device : Device or str, optional
            A device; all devices have all data types.
        kind : str or tuple of str, optional
            The kinds to return, named as in ``isdtype``; by default all.

        Returns
        -------
        dict
            The data types of the standard.  ``float16`` and ``bfloat16``, which are not in the
            standard, are not among them.

        Raises
        ------
        ValueError
            If there is no such kind or device.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> xp.__array_namespace_info__().dtypes(kind="complex floating")
        {'complex64': torch.complex64, 'complex128': torch.complex128}
        """
        defaults.resolve(device, "dtypes")
        kinds = kind if isinstance(kind, (tuple, list)) else (kind,)
        wanted = {
            dtype
            for k in kinds
            for dtype in (dt.STANDARD if k is None else dtypes_of_kind("dtypes", k))
        }
        return {n: d for d, n in dt.NAMES.items() if d in wanted and d in dt.STANDARD}


@final
class NamespaceInfo(Info):
    """Capabilities, devices and data types, in the form of version 2023.12."""

    def capabilities(self) -> Capabilities:
        """Return what the namespace can do.

        Returns
        -------
        dict
            ``"boolean indexing"`` and ``"data-dependent shapes"`` are True, unless ``options``
            limits the namespace.  From version 2024.12 of the standard on, ``"max dimensions"`` is
            there as well: 64, the number up to which torch's elementwise operations go.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> xp.__array_namespace_info__().capabilities()["boolean indexing"]
        True
        """
        return capabilities()

    def devices(self) -> list[Device]:
        """Return all usable devices, the accelerators with their numbers, and the default one.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> xp.__array_namespace_info__().devices()[0]
        Device('cpu')
        """
        return defaults.devices()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  # the standard's name
    """Return what the namespace says of its capabilities, devices and data types.

    Returns
    -------
    NamespaceInfo
        An object with the methods ``capabilities``, ``default_device``, ``default_dtypes``,
        ``devices`` and ``dtypes``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/inspection.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    torch.int64
    """
    return NamespaceInfo()
