"""The Python Array API standard on torch tensors: Huawei Ascend NPUs, CUDA and the CPU.

    import ascend_array_api as xp

The namespace is version 2023.12 of the standard, with its ``linalg`` and ``fft`` extensions, and
carries the names that later versions added.  ``v2023_12``, ``v2024_12`` and ``v2025_12`` hold
exactly one version each.

https://data-apis.org/array-api/2023.12/API_specification/index.html
"""

import sys as _sys

from . import _torch  # isort: skip  # first: it imports torch with care

from ._arrays.array import Array as Array
from ._arrays.synchronize import *
from ._calls.captures import *
from ._calls.interchange import to_torch as to_torch
from ._chapters.creation import meshgrid as meshgrid
from ._chapters.info import __array_namespace_info__ as __array_namespace_info__
from ._chapters.manipulation import broadcast_arrays as broadcast_arrays
from ._devices.device import Device as Device
from ._errors.exceptions import DeviceError as DeviceError
from ._numpy.extras import *
from ._options.settings import options as options
from ._reports.host_work import *
from ._reports.porting import *
from ._torch.dtypes import bfloat16 as bfloat16
from ._torch.dtypes import float16 as float16
from ._versions import export as _export
from ._versions import limit as _limit
from ._versions import publish as _publish
from .v2025_12._names import *

from ._methods import operators as _operators  # noqa: F401  # isort: skip  # complete arrays
from ._methods import printing as _printing  # noqa: F401  # isort: skip
from ._numpy import attributes as _attributes  # noqa: F401  # isort: skip
from . import fft, linalg, random, special  # isort: skip
from . import v2023_12, v2024_12, v2025_12  # noqa: F401  # isort: skip
from ._numpy.names import attach as _attach  # isort: skip
from ._numpy.universal import attach as _attach_methods  # isort: skip

__array_api_version__ = "2023.12"
__version__ = _torch.version_of("ascend-array-api") or "0+unknown"  # of files without metadata

_export(globals())
_publish(_sys.modules[__name__], fft, linalg, random, special)
_attach_methods()
_attach(globals())
_limit(_sys.modules[__name__])
