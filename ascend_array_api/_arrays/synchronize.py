"""Waiting for devices: ``synchronize``, which waits for all work and raises late errors.

Names no device type.
"""

from __future__ import annotations

from .._devices.device import Device, DeviceLike, parse
from .._errors.foreign_calls import refusing
from .._reports import late_errors
from .._reports.capturing import refuse
from .._routes._faults import check_device, check_fault
from .._routes._operations import OPS

__all__ = ["synchronize"]


@refusing
def synchronize(device: DeviceLike | None = None, /) -> None:
    """Wait until a device has finished all work, and raise its late errors.

    Parameters
    ----------
    device : Device or str, optional
        The device; by default every device on which this process has computed something.  The CPU
        finishes its work at each call, so there is nothing to wait for.

    Returns
    -------
    None

    Raises
    ------
    IndexError, ZeroDivisionError, linalg.LinAlgError, ValueError
        If a call had bad values and nothing that depends on it was read yet: see the option
        ``checks``.  The error is raised once.
    DeviceError
        If a device has failed.
    ValueError
        If there is no such device.

    See Also
    --------
    options : ``checks`` decides whether bad values raise at once, late or never.

    Notes
    -----
    It waits for all streams of a device.  No result needs it, because functions that read values
    wait by themselves.  Call it to measure times, or to get late errors here and not later.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.ones(3, device="cpu") + 1
    >>> xp.synchronize()
    """
    refuse("synchronize() waits for the device")
    waited = _used() if device is None else {parse(device, "synchronize").local}
    # The kernels of a device can be looked up where there is none.
    there = (one for one in waited if one.backend.asynchronous and one.backend.devices())
    accelerators = sorted(there, key=str)
    for one in accelerators:
        check_device("synchronize", one)
        try:
            one.backend.module.synchronize(one.torch_device)
        except RuntimeError as error:
            check_fault(error, "synchronize", one)
            raise
    if accelerators:
        late_errors.raise_all(*accelerators)


def _used() -> set[Device]:
    """Return the devices that were used: those for which kernels were looked up."""
    return {spec.device.local for op in OPS.values() for spec in list(op.kernels)}
